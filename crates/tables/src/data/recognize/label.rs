//! The column that holds the outcome.

use super::super::labels::Labels;
use super::super::names;
use super::super::positive::positive;
use super::super::profile::{Form, Profile};
use super::super::roles::Role;
use super::Guesses;
use crate::num::order;
use crate::num::special::logit;

/// χ² of 2 degrees of freedom that calibrated scores never reach, and those of a model fitted to too few rows seldom do.
const FAR_BEYOND_CHANCE: f64 = 30.0;
/// The same for each row of an error of ten percentage points or so, which large samples show.
const MODERATE_ERROR: f64 = 0.1;
/// Shares of the trees of a forest are 0 and 1 in some rows, which say little beyond this.
const CLIP: f64 = 0.01;
/// Why a column is taken for the outcome, without a doubt, by its values alone.
pub(in crate::data) const ONLY_EVENT: &str = "the only possible outcome column: an event and its absence";
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
            if let Some(&(.., j)) = candidates.first()
                && let Some(named) = self.predicted_outcome(j)
            {
                let reason = match self.named_in_scores(&[named]) {
                    Some(_) => "its name is in that of the score",
                    None => "its name and that of the score have a word in common",
                };
                self.set(named, Role::Label, reason, false);
            } else if let Some(&(.., j)) = candidates.first() {
                let rivals = candidates.len() > 1;
                let reason = if rivals { "name; other columns also have outcome names" } else { "name" };
                self.set(j, Role::Label, reason, !rivals);
            } else if let Some(j) = self.naming_columns() {
                self.set(j, Role::Label, "its values name columns that sum to 1 in every row", true);
            } else {
                let weak: Vec<usize> = self
                    .open()
                    .into_iter()
                    .filter(|&j| self.could_be_label(j) && names::number_tail(self.name(j)).is_none())
                    .filter(|&j| names::without_repeat(self.name(j)).is_none())
                    .filter(|&j| names::suggests_label(self.name(j)))
                    .collect();
                let two = |j: &usize| self.profile(*j).is_some_and(|p| p.distinct == Some(2));
                let events: Vec<usize> = (self.open().into_iter())
                    .filter(|&j| self.could_be_label(j) && names::suggests_event(self.name(j)))
                    .filter(|&j| two(&j) && !names::suggests_history(self.name(j)))
                    .collect();
                let open: Vec<usize> = self.open().into_iter().filter(two).collect();
                let in_score = self.named_in_scores(&open);
                if let [only] = weak.as_slice() {
                    self.set(*only, Role::Label, "name contains a word for label", false);
                } else if let [only] = events.as_slice()
                    && in_score.is_none_or(|named| named == *only)
                {
                    let sure = in_score.is_some() || !self.has_competitor(*only);
                    self.set(*only, Role::Label, "name contains a word for outcome, two values", sure);
                }
            }
        }
        self.occurring()
    }

    /// The column of two answers that the scores are named after, where that is not the one which is named like an outcome:
    /// `aki` of `aki_prob` beside `died`, `death_in_hospital` of `risk_death` beside `readmitted`. Names that mean any outcome, such as `y`, are never passed over.
    fn predicted_outcome(&self, by_name: usize) -> Option<usize> {
        let any =
            names::suggests_label(self.name(by_name)) || names::rank(self.name(by_name), names::ANY_OUTCOME).is_some();
        if any || self.named_in_scores(&[by_name]).is_some() {
            return None;
        }
        let answers = |j: usize| self.labels_of(j).iter().all(|text| names::answers(text).is_some());
        let two = |&j: &usize| {
            let binary = self.profile(j).is_some_and(|p| p.distinct == Some(2));
            binary && j != by_name && self.could_be_label(j) && !names::hardly_outcome(self.name(j)) && answers(j)
        };
        let others: Vec<usize> = self.open().into_iter().filter(two).collect();
        let scores = self.named_as_scores();
        let shares = |j: &usize| scores.iter().any(|&score| names::shares_word(self.name(*j), self.name(score)));
        self.named_in_scores(&others).or_else(|| {
            let sharing: Vec<usize> = others.iter().copied().filter(shares).collect();
            sharing.first().copied().filter(|_| sharing.len() == 1 && !shares(&by_name))
        })
    }

    /// The only column of texts each of which is the name of a number column, or ends it after what all of these names begin
    /// with, where these columns sum to 1 in every row: `malignant` and `benign`, or `P(malignant)` and `P(benign)`,
    /// probabilities of the classes of `diagnosis`.
    fn naming_columns(&self) -> Option<usize> {
        let open = self.open();
        let numbers: Vec<usize> =
            open.iter().copied().filter(|k| self.profile(*k).is_some_and(Profile::almost_number)).collect();
        let naming = |&j: &usize| {
            let few = self.profile(j).is_some_and(|p| p.is_text() && p.few(MOST_CLASSES) && p.distinct > Some(1));
            if !few || !self.could_be_label(j) {
                return false;
            }
            let labels = self.labels_of(j);
            let sum_to_one = |column_of: &dyn Fn(&String) -> Option<usize>| {
                let members: Option<Vec<usize>> = labels.iter().map(column_of).collect();
                members.is_some_and(|members| self.sum_to_one(&members))
            };
            let whole = |text: &String| {
                let text = names::plain(text);
                numbers.iter().copied().find(|&k| names::plain(self.name(k)) == text)
            };
            let before = |k: usize, text: &str| names::label_tail(self.name(k), text);
            let mut prefixes = numbers.iter().filter_map(|&k| before(k, labels.first()?));
            sum_to_one(&whole)
                || prefixes.any(|prefix| {
                    sum_to_one(&|text| {
                        numbers.iter().copied().find(|&k| before(k, text).is_some_and(|before| before == prefix))
                    })
                })
        };
        match open.iter().copied().filter(naming).collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
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
        let candidates = self.without_predicted(candidates);
        if let Some(j) = self.naming_the_scores(&candidates) {
            let reason = "its values are the classes that the scores' names name";
            self.set(j, Role::Label, reason, true);
            return;
        }
        // The column that the scores agree with; else 0/1 and class numbers before texts, the last column before others
        // (scripts append the label). Columns of the past and of what is known of people come last.
        let with_score = |j: usize| {
            let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role)).concat();
            scores.iter().any(|&score| names::same_horizon(self.name(j), self.name(score)))
        };
        // of several classes, the column whose values are all of those that end the scores' names before any other
        let score_names = self.names_of_scores();
        let complete = |j: usize| {
            let classes = self.labels_of(j);
            width > 2 && classes.len() == width && classes.iter().all(|class| is_named(&score_names, class))
        };
        let rank = |j: usize| {
            let name = self.name(j);
            let described = names::hardly_outcome(name);
            let covariate = names::suggests_covariate(name);
            let agreement = self.disagreement(j).map(|far| std::cmp::Reverse(far.to_bits()));
            let known = self.profile(j).is_some_and(|p| p.missing == 0);
            (complete(j), !described, with_score(j), agreement, !covariate, known, self.zero_based(j), j)
        };
        let best = candidates.iter().copied().max_by_key(|&j| rank(j));
        if let Some((j, score, label)) = self.pair_by_name(&candidates) {
            self.set(j, Role::Label, format!("`{label}` is in the score's name"), true);
            self.set(score, Role::Probability, format!("named after the label `{label}`"), true);
            return;
        }
        if width <= 2
            && candidates.len() > 1
            && let Some(j) = self.named_in_scores(&candidates)
        {
            self.set(j, Role::Label, "its name is in that of the score", true);
            return;
        }
        let named = |j: &usize| width <= 2 && names::tells_outcome(self.name(*j));
        if let [only] = candidates.iter().copied().filter(named).collect::<Vec<_>>().as_slice() {
            let sure = !self.has_competitor(*only);
            self.set(*only, Role::Label, "name contains a word for an event, two values", sure);
            return;
        }
        if let Some(j) = best {
            let (reason, sure) = match candidates.len() {
                1 if self.event_and_none(j) => (ONLY_EVENT, true),
                1 => ("the only possible outcome column", false),
                _ if self.disagreement(j).is_some() => {
                    ("the possible outcome column with which the scores agree best", false)
                }
                _ => ("the last possible outcome column", false),
            };
            self.set(j, Role::Label, reason, sure);
        }
    }

    /// How far the only score is from being calibrated for a column of two values: the statistic of the score test of
    /// intercept and slope (Cox, 1958), of 2 degrees of freedom; `None` where this is far beyond chance and beyond an
    /// error of ten percentage points or so.
    fn disagreement(&self, j: usize) -> Option<f64> {
        let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role)).concat();
        let &[score] = scores.as_slice() else { return None };
        let column = self.columns.get(score)?;
        let super::Values::Numbers(values) = &column.values else { return None };
        let labels = Labels::of(&self.columns.get(j)?.values);
        if labels.names.len() != 2 {
            return None;
        }
        let mut guessed = Vec::new();
        let named = self.class_of_score(score, &labels.names);
        let event =
            positive(&labels.names, None, named, (Some(self.name(j)), Some(&column.name)), &mut guessed).ok()?;
        let event = event as u32;
        let scale = if self.in_percent.get(score) == Some(&true) { 0.01 } else { 1.0 };
        let is_logit = self.role(score) == Some(Role::Logit);
        let logits: Vec<f64> = match is_logit {
            true => values.to_vec(),
            false => values.iter().map(|&x| logit(scale * x, CLIP)).collect(),
        };
        let of = |event: u32| far_from_calibrated(&logits, &labels.codes, event);
        match guessed.is_empty() {
            true => of(event),
            // neither of 1 and 2 is known as the event
            false => [of(event), of(1 - event)].into_iter().flatten().reduce(f64::min),
        }
    }

    /// A column that the scores make, beside the only other column of the same values: the predicted class beside the outcome,
    /// where it is called `class`, as `predict` of a discriminant analysis in R returns it, or the other one is called an outcome.
    pub(super) fn class_of_scores(&mut self) {
        let &[class] = self.with_role(Role::Label).as_slice() else { return };
        let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role)).concat();
        let named = names::words(self.name(class)).last().is_some_and(|word| word == "class");
        if self.given.get(class) != Some(&false) || self.has(Role::Predicted) || !self.is_predicted(class, &scores) {
            return;
        }
        let sorted = |j: usize| {
            let mut labels = self.labels_of(j);
            labels.sort_unstable();
            labels
        };
        let wanted = sorted(class);
        let same: Vec<usize> = (self.open().into_iter())
            .filter(|&j| self.could_be_label(j) && !names::hardly_outcome(self.name(j)) && sorted(j) == wanted)
            .collect();
        if let [outcome] = same.as_slice()
            && (named || names::rank(self.name(*outcome), names::LABEL).is_some())
        {
            let reason = format!("the values of `{}`, which follows from the scores", self.name(class));
            self.set(class, Role::Predicted, "the class with the largest score", false);
            self.set(*outcome, Role::Label, reason, false);
        }
    }

    /// Scores, and open columns that are named like one.
    fn named_as_scores(&self) -> Vec<usize> {
        let score = |&j: &usize| {
            matches!(self.role(j), Some(Role::Probability | Role::Logit | Role::Confidence))
                || self.role(j).is_none()
                    && names::suggests_score(self.name(j))
                    && self.profile(j).is_some_and(Profile::fractional_share)
        };
        (0..self.columns.len()).filter(score).collect()
    }

    /// The only candidate whose name is among the words of a score's name: `stroke` beside `p_stroke`.
    fn named_in_scores(&self, candidates: &[usize]) -> Option<usize> {
        let scores = self.named_as_scores();
        let named = |j: usize| scores.iter().any(|&score| names::named_in_score(self.name(j), self.name(score)));
        match candidates.iter().copied().filter(|&j| named(j)).collect::<Vec<_>>().as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Whether another column of 0 and 1 or of answers, and not one of those that describe rows, could be the outcome as well.
    fn has_competitor(&self, label: usize) -> bool {
        self.open().into_iter().any(|j| {
            let answers = |j: usize| self.labels_of(j).iter().all(|text| names::answers(text).is_some());
            j != label
                && self.profile(j).is_some_and(|p| p.few(2) && p.distinct == Some(2))
                && !names::suggests_covariate(self.name(j))
                && !names::suggests_history(self.name(j))
                && answers(j)
        })
    }

    /// Candidates without those that a threshold of the score or the largest score makes, which are predicted classes,
    /// if others are left.
    fn without_predicted(&mut self, candidates: Vec<usize>) -> Vec<usize> {
        let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role)).concat();
        // A column that is named as an event is the outcome, however well the score separates it; so is one beside which there are
        // only columns that are hardly ever predicted.
        let made = |j: usize| !names::tells_outcome(self.name(j)) && self.is_predicted(j, &scores);
        let (made, left): (Vec<usize>, Vec<usize>) = candidates.iter().copied().partition(|&j| made(j));
        if made.is_empty() || left.iter().all(|&j| names::hardly_outcome(self.name(j))) {
            return candidates;
        }
        for j in made {
            let predicted = !self.has(Role::Predicted);
            let role = if predicted { Role::Predicted } else { Role::Ignore };
            let reason = match scores.as_slice() {
                [only] => format!("the score `{}` above and below a threshold", self.name(*only)),
                _ => "the class with the largest score".to_owned(),
            };
            self.set(j, role, reason, false);
        }
        left
    }

    /// Whether all scores of one of the two classes of a column are above those of the other.
    pub(super) fn is_threshold(&self, j: usize, score: usize) -> bool {
        let Some(super::Values::Numbers(scores)) = self.columns.get(score).map(|column| &column.values) else {
            return false;
        };
        let Some(labels) = self.columns.get(j).map(|column| Labels::of(&column.values)) else { return false };
        if labels.names.len() != 2 || scores.len() < super::FEW_ROWS {
            return false;
        }
        let ends = |class: u32| {
            let of_class = labels.codes.iter().zip(scores.iter()).filter(|(code, _)| **code == class).map(|(_, x)| *x);
            of_class.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (first, second) = (ends(0), ends(1));
        first.1 < second.0 || second.1 < first.0
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
        let are_classes = names.len() > 2 && !names.iter().any(|name| names::number_tail(name).is_some());
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

/// [`Guesses::disagreement`] of log-odds with one event.
fn far_from_calibrated(logits: &[f64], codes: &[u32], event: u32) -> Option<f64> {
    let (mut n, mut score, mut information) = (0.0, [0.0; 2], [0.0; 3]);
    for (&z, &code) in logits.iter().zip(codes) {
        if !z.is_finite() || code == super::MISSING {
            continue;
        }
        let p = 1.0 / (1.0 + (-z).exp());
        let (residual, weight) = (f64::from(u8::from(code == event)) - p, p * (1.0 - p));
        n += 1.0;
        score = [score[0] + residual, score[1] + residual * z];
        information = [information[0] + weight, information[1] + weight * z, information[2] + weight * z * z];
    }
    let ([a, b, c], [u, v]) = (information, score);
    let determinant = a * c - b * b;
    let statistic = match determinant > 1e-9 * a * c {
        true => (c * u * u - 2.0 * b * u * v + a * v * v) / determinant,
        false => u * u / a,
    };
    let most = f64::max(FAR_BEYOND_CHANCE, MODERATE_ERROR * n);
    (n >= super::FEW_ROWS as f64 && statistic <= most).then_some(statistic.max(0.0))
}

/// Whether the name of a score ends with a label, be it in brackets.
fn is_named(names: &[String], label: &str) -> bool {
    let label = label.to_lowercase();
    names.iter().any(|name| name.ends_with(&label) || names::label_tail(name, &label).is_some())
}
