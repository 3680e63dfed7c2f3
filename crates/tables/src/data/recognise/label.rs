//! The column that holds the outcome.

use super::super::labels::Labels;
use super::super::names;
use super::super::profile::{Form, Profile};
use super::super::roles::Role;
use super::Guesses;
use crate::num::order;

/// Most classes that a label column may have when only its values speak for it.
const MOST_CLASSES: usize = 30;

impl Guesses<'_> {
    /// Settles the label column by name, if there is one; the labels that occur.
    pub(super) fn label(&mut self) -> Vec<String> {
        if !self.has(Role::Label) {
            // Shares (soft labels) are no outcomes: they come last, and are refused.
            let soft = |j: usize| self.profile(j).is_some_and(Profile::fractional_share);
            let mut candidates: Vec<(bool, usize, usize)> = self
                .open()
                .into_iter()
                .filter(|&j| self.could_be_label(j))
                .filter_map(|j| Some((soft(j), names::rank(self.name(j), names::LABEL)?, j)))
                .collect();
            order::sort(&mut candidates, &Ord::cmp);
            if let Some(&(.., j)) = candidates.first() {
                let rivals = candidates.len() > 1;
                let reason = if rivals { "name; other columns also have outcome names" } else { "name" };
                self.set(j, Role::Label, reason, !rivals);
            } else {
                let weak: Vec<usize> = self
                    .open()
                    .into_iter()
                    .filter(|&j| self.could_be_label(j) && names::number_tail(self.name(j)).is_none())
                    .filter(|&j| names::suggests_label(self.name(j)))
                    .collect();
                let two = |j: &usize| self.profile(*j).is_some_and(|p| p.distinct == Some(2));
                let events: Vec<usize> = (self.open().into_iter())
                    .filter(|&j| self.could_be_label(j) && names::suggests_event(self.name(j)))
                    .filter(two)
                    .collect();
                if let [only] = weak.as_slice() {
                    self.set(*only, Role::Label, "name contains a word for label", false);
                } else if let [only] = events.as_slice() {
                    self.set(*only, Role::Label, "name contains a word for outcome, two values", true);
                }
            }
        }
        self.occurring()
    }

    /// Labels that occur in the label columns.
    pub(super) fn occurring(&self) -> Vec<String> {
        match self.with_role(Role::Label).as_slice() {
            [only] => self.labels_of(*only),
            _ => Vec::new(),
        }
    }

    fn could_be_label(&self, j: usize) -> bool {
        self.profile(j).is_some_and(|p| match p.form {
            Form::Matrix { one_hot, .. } => one_hot,
            Form::Text { .. } => p.distinct.is_some_and(|d| d < p.rows.max(2) || p.rows <= 3),
            // A class index, a boolean, or a 0/1 that went through floats; bad cells are named later.
            Form::Numbers => p.whole || p.distinct.is_some_and(|d| d <= 4),
        })
    }

    /// Without a telling name: the column whose values could be the labels of the scores that were found.
    pub(super) fn label_from_values(&mut self) {
        let scored = self.scored() || self.has(Role::Confidence);
        if !scored || self.has(Role::Label) || self.has(Role::Correct) {
            return;
        }
        let width = self.score_width();
        let candidates: Vec<usize> = self
            .open()
            .into_iter()
            .filter(|&j| {
                let Some(p) = self.profile(j) else {
                    return false;
                };
                match p.form {
                    Form::Matrix { one_hot, .. } => one_hot,
                    _ if p.few(MOST_CLASSES.max(width)) && p.distinct > Some(1) => {
                        width <= 2 && p.distinct == Some(2)
                            || width > 2 && (p.distinct <= Some(width) || p.is_number() && p.max < width as f64 + 1.0)
                    }
                    Form::Numbers => width > 32 && p.whole && p.min >= 0.0 && p.max <= width as f64,
                    Form::Text { .. } => width > 30 && p.distinct <= Some(width),
                }
            })
            .filter(|&j| !names::suggests_feature(self.name(j)) && !self.names_other_classes(j))
            .collect();
        if let Some(j) = self.naming_the_scores(&candidates) {
            let reason = "its values are the classes that the scores' names name";
            self.set(j, Role::Label, reason, true);
            return;
        }
        // 0/1 and class numbers before texts, the last column before others (scripts append the label).
        let best = candidates.iter().copied().max_by_key(|&j| (self.zero_based(j), j));
        if let Some((j, score, label)) = self.pair_by_name(&candidates) {
            self.set(j, Role::Label, format!("`{label}` is in the score's name"), true);
            self.set(score, Role::Probability, format!("named after the label `{label}`"), true);
            return;
        }
        let named = |j: &usize| width <= 2 && names::names_event(self.name(*j)) == Some(true);
        if let [only] = candidates.iter().copied().filter(named).collect::<Vec<_>>().as_slice() {
            self.set(*only, Role::Label, "name contains a word for an event, two values", true);
            return;
        }
        if let Some(j) = best {
            let (reason, sure) = match candidates.len() {
                1 if self.event_and_none(j) => ("the only possible outcome column: an event and its absence", true),
                1 => ("the only possible outcome column", false),
                _ => ("the last possible outcome column", false),
            };
            self.set(j, Role::Label, reason, sure);
        }
    }

    /// Whether the two texts of a column are known as an event and its absence: `fraud` and `legit`.
    fn event_and_none(&self, j: usize) -> bool {
        let known: Vec<Option<bool>> = self.labels_of(j).iter().map(|text| names::means_event(text)).collect();
        known.len() == 2 && known.contains(&Some(true)) && known.contains(&Some(false))
    }

    /// A candidate one of whose texts ends the name of the only probability column: the two confirm each other.
    fn pair_by_name(&self, candidates: &[usize]) -> Option<(usize, usize, String)> {
        let &[score] = self.with_role(Role::Probability).as_slice() else {
            return None;
        };
        let name = self.name(score).to_lowercase();
        candidates.iter().find_map(|&j| {
            let texts = self.labels_of(j).into_iter();
            let mut named = texts.filter(|text| text.len() > 2 && name.ends_with(&text.to_lowercase()));
            Some((j, score, named.next()?))
        })
    }

    /// The only candidate each of whose texts ends the name of a score column.
    fn naming_the_scores(&self, candidates: &[usize]) -> Option<usize> {
        let names = self.names_of_scores();
        let named = |text: &String| is_named(&names, text);
        let naming = candidates.iter().copied().filter(|&j| {
            let texts = self.labels_of(j);
            !self.zero_based(j) && texts.len() > 1 && texts.iter().all(named)
        });
        match naming.collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether a column of texts has none of the classes that the names of three scores or more end with: `p_cat`, `p_dog`, `p_owl`.
    fn names_other_classes(&self, j: usize) -> bool {
        let names = self.names_of_scores();
        let are_classes = names.len() > 2 && !names.iter().any(|name| name.ends_with(|c: char| c.is_ascii_digit()));
        are_classes
            && self.profile(j).is_some_and(Profile::is_text)
            && !self.labels_of(j).iter().any(|text| is_named(&names, text))
    }

    /// In lower case, those of the columns with one score of a class each.
    fn names_of_scores(&self) -> Vec<String> {
        let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role));
        scores.iter().flatten().map(|&score| self.name(score).to_lowercase()).collect()
    }

    fn zero_based(&self, j: usize) -> bool {
        self.profile(j).is_some_and(|p| p.is_number() && p.whole && (p.min == 0.0 || p.min == 1.0 || p.min == -1.0))
    }

    /// Number of classes that the scores tell apart; 2 for a single one.
    fn score_width(&self) -> usize {
        for role in [Role::Probabilities, Role::Logits] {
            if let Some(&j) = self.with_role(role).first()
                && let Some(Form::Matrix { width, .. }) = self.profile(j).map(|p| p.form)
            {
                return width;
            }
        }
        let predicted = self.with_role(Role::Predicted);
        if let Some(&j) = predicted.first() {
            return self.labels_of(j).len().max(2);
        }
        (self.with_role(Role::Probability).len() + self.with_role(Role::Logit).len()).max(2)
    }

    /// Whether these columns are together one-hot: a single 1 among zeros in every row.
    pub(super) fn one_hot(&self, members: &[usize]) -> bool {
        let columns: Option<Vec<&[f64]>> = members
            .iter()
            .map(|&j| match self.columns.get(j).map(|c| &c.values) {
                Some(super::Values::Numbers(v)) if self.profile(j).is_some_and(|p| p.whole && p.outside == 0.0) => {
                    Some(v.as_slice())
                }
                _ => None,
            })
            .collect();
        columns.is_some_and(|columns| {
            columns.len() > 1
                && Labels::of_columns(&columns, Vec::new()).codes.iter().all(|&code| code != super::MISSING)
        })
    }
}

/// Whether the name of a score ends with a label.
fn is_named(names: &[String], label: &str) -> bool {
    let label = label.to_lowercase();
    names.iter().any(|name| name.ends_with(&label))
}
