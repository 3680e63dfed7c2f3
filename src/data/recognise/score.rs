//! The columns that say what the model predicted.

use super::super::names;
use super::super::profile::{Form, Profile, SUM_TOLERANCE};
use super::super::roles::Role;
use super::super::wording::{counted, plain};
use super::{Guesses, Values};

/// Columns of one file whose names differ only in the class at their end.
struct Family {
    file: String,
    prefix: String,
    members: Vec<usize>,
    /// no label or number tells that the names end in classes
    unknown: bool,
}

impl Guesses<'_> {
    /// Settles the score columns, given the labels that occur.
    pub(super) fn scores(&mut self, labels: &[String]) {
        self.matrices(labels);
        if !self.scored() {
            self.families(labels);
        }
        if !self.scored() {
            self.single(labels);
        }
        if !self.scored() && !self.has(Role::Confidence) {
            self.scores_from_values(labels);
        }
        self.one_hot_labels();
    }

    fn scored(&self) -> bool {
        [
            Role::Probability,
            Role::Probabilities,
            Role::Logit,
            Role::Logits,
        ]
        .into_iter()
        .any(|role| self.has(role))
    }

    /// Two-dimensional arrays: probabilities, logits, one-hot labels; features are left over.
    fn matrices(&mut self, labels: &[String]) {
        let mut candidates: Vec<(usize, usize)> = Vec::new();
        for j in self.open() {
            let name = self.name(j);
            let Some(Profile {
                form:
                    Form::Matrix {
                        width,
                        simplex,
                        one_hot,
                    },
                outside,
                ..
            }) = self.profile(j).cloned()
            else {
                continue;
            };
            if names::rank(name, names::FEATURES).is_some() {
                continue;
            }
            let scores = names::rank(name, names::SCORE).is_some() || names::says_score(name);
            let fits = !labels.is_empty() && labels_fit(labels, width);
            let hot_label = one_hot && !names::says_probability(name);
            let rank = if hot_label && !self.has(Role::Label) && !scores {
                self.set(
                    j,
                    Role::Label,
                    "one-hot rows",
                    names::rank(name, names::LABEL).is_some(),
                );
                continue;
            } else if names::says_probability(name) {
                0
            } else if scores && outside == 0.0 {
                1
            } else if names::says_logit(name) {
                2
            } else if scores {
                3
            } else if simplex > 0.999 && !hot_label {
                4
            } else if fits || (labels.is_empty() && self.vector_fits(width)) {
                5
            } else {
                continue;
            };
            candidates.push((rank, j));
        }
        if self.scored() {
            return;
        }
        candidates.sort_unstable();
        for (place, &(rank, j)) in candidates.iter().enumerate() {
            let outside = self.profile(j).map_or(0.0, |p| p.outside);
            let logits = match rank {
                0 => outside > 0.05,
                2 => true,
                _ => outside > 0.0,
            };
            let role = if logits {
                Role::Logits
            } else {
                Role::Probabilities
            };
            if place > 0 {
                let reason = if logits {
                    "logits; the probabilities are used"
                } else {
                    "a second array of scores"
                };
                self.set(j, Role::Ignore, reason, false);
                continue;
            }
            let reason = match (rank, logits) {
                (2, _) => "name".to_owned(),
                (0 | 1, false) => "name, values in [0, 1]".into(),
                (0, true) => "named like probabilities, but values outside [0, 1]: logits".into(),
                (1 | 3, true) => "name, values outside [0, 1]: logits".into(),
                (4, _) => "rows sum to 1".into(),
                _ if logits => "one column per class, values outside [0, 1]: logits".into(),
                _ => "one column per class".into(),
            };
            self.set(
                j,
                role,
                reason,
                rank == 2 || (rank <= 1 && !logits) || rank == 4,
            );
        }
    }

    /// Some vector of whole numbers could be the labels of `width` classes.
    fn vector_fits(&self, width: usize) -> bool {
        self.open().into_iter().any(|j| {
            self.profile(j).is_some_and(|p| {
                p.is_number()
                    && p.whole
                    && p.min >= 0.0
                    && p.max <= width as f64
                    && p.max + 1.0 >= width as f64
            })
        })
    }

    /// Columns whose names end in a class, after a common prefix.
    fn families(&mut self, labels: &[String]) {
        let mut families = self.grouped(labels);
        let rank = |family: &Family| {
            (
                family.members.len() > 1,
                names::says_probability(&family.prefix),
                names::says_score(&family.prefix),
                family.members.len(),
            )
        };
        families.sort_by_key(|family| std::cmp::Reverse(rank(family)));
        for family in families {
            if self.scored() {
                let known = names::says_score(&family.prefix);
                if known && !self.one_hot(&family.members) {
                    for &j in &family.members {
                        self.set(j, Role::Ignore, "other scores are used", false);
                    }
                }
                continue;
            }
            self.family(&family, labels);
        }
    }

    fn grouped(&self, labels: &[String]) -> Vec<Family> {
        let mut families: Vec<Family> = Vec::new();
        let numeric = labels.iter().all(|label| label.parse::<f64>().is_ok());
        for j in self.open() {
            let Some(p) = self.profile(j) else { continue };
            if !p.almost_number() {
                continue;
            }
            let name = self.name(j);
            if name.starts_with("column ") {
                continue;
            }
            let by_label = names::named_label(name, labels).map(|(_, before)| before);
            let by_number = names::number_tail(name).map(|(before, _)| before.to_owned());
            let by_word = || {
                let at = name.rfind(['_', '.', ' ', ':'])?;
                name.get(..=at).filter(|before| names::says_score(before))
            };
            let known = if numeric {
                by_number.or(by_label)
            } else {
                by_label.or(by_number)
            };
            let unknown = known.is_none();
            let Some(prefix) = known.or_else(|| by_word().map(str::to_owned)) else {
                continue;
            };
            let file = self.columns.get(j).map_or("", |c| &c.file);
            match families
                .iter_mut()
                .find(|f| f.file == file && f.prefix == prefix && f.unknown == unknown)
            {
                Some(family) => family.members.push(j),
                None => families.push(Family {
                    file: file.to_owned(),
                    prefix,
                    members: vec![j],
                    unknown,
                }),
            }
        }
        // Words that no label tells to be classes are classes only if they share out each row.
        families.retain(|f| !f.unknown || (f.members.len() > 1 && self.sum_to_one(&f.members)));
        families
    }

    fn family(&mut self, family: &Family, labels: &[String]) {
        let members = &family.members;
        let prefix = family.prefix.as_str();
        let told = |p: &Profile| !p.whole && p.outside == 0.0;
        let profiles: Vec<Profile> = members
            .iter()
            .filter_map(|&j| self.profile(j).cloned())
            .collect();
        let shares = profiles.iter().any(told) && profiles.iter().all(|p| p.outside == 0.0);
        let named_after_labels = labels.iter().any(|label| label.parse::<f64>().is_err())
            && members
                .iter()
                .any(|&j| names::named_label(self.name(j), labels).is_some());
        let spoken = names::says_score(prefix) || (prefix.is_empty() && members.len() > 1);
        if names::says_feature(prefix)
            || !(spoken || (named_after_labels && (shares || members.len() > 1)))
        {
            return;
        }
        if !names::says_probability(prefix) && self.one_hot(members) {
            return;
        }
        if members.len() == 1 {
            // One column stands for both classes only if it names one of two labels, or 1.
            let fits = if labels.is_empty() {
                names::number_tail(self.name(members[0])).is_some_and(|(_, k)| k <= 1)
            } else {
                labels.len() <= 2 && names::named_label(self.name(members[0]), labels).is_some()
            };
            if !fits {
                return;
            }
        }
        let outside = profiles.iter().map(|p| p.outside).fold(0.0, f64::max);
        let percent = profiles.iter().all(|p| p.min >= 0.0 && p.max <= 100.0) && outside > 0.05;
        if percent && !names::says_logit(prefix) {
            let whole = profiles.iter().all(|p| p.whole);
            if whole && !names::says_probability(prefix) {
                return;
            }
            for &j in members {
                self.set(
                    j,
                    Role::Ignore,
                    "looks like percent, not probabilities",
                    false,
                );
            }
            self.warn(
                "scores_in_percent",
                format!(
                    "{} hold values up to {}, which looks like percent: not used. Divide them by 100, or give them a role.",
                    counted(members.len(), "score column"),
                    plain(profiles.iter().map(|p| p.max).fold(0.0, f64::max))
                ),
                members.first().copied(),
            );
            return;
        }
        let logits = names::says_logit(prefix)
            || outside > 0.05
            || (outside > 0.0 && !names::says_probability(prefix));
        let sure = logits == names::says_logit(prefix) && spoken;
        let (role, word) = if logits {
            (Role::Logit, "logit")
        } else {
            (Role::Probability, "probability")
        };
        let member_names: Vec<&str> = members.iter().map(|&j| self.name(j)).collect();
        let classes = names::classes(&member_names, labels, false);
        for (&j, class) in members.iter().zip(&classes) {
            let mut reason = format!("{word} of class `{class}`, which its name ends in");
            if logits && !names::says_logit(prefix) {
                reason.push_str("; values outside [0, 1]");
            }
            self.set(j, role, reason, sure);
        }
    }

    /// One column for the positive class.
    fn single(&mut self, labels: &[String]) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for j in self.open() {
            let (name, Some(p)) = (self.name(j), self.profile(j)) else {
                continue;
            };
            if !p.almost_number() {
                continue;
            }
            let ohdsi = names::plain(name) == "value"
                && self
                    .columns
                    .iter()
                    .any(|c| names::plain(&c.name) == "outcome_count");
            let rank = names::rank(name, names::SCORE)
                .or_else(|| ohdsi.then_some(0))
                .or_else(|| names::rank(name, names::LOGIT).map(|r| 100 + r))
                .or_else(|| (names::says_score(name) && !names::says_feature(name)).then_some(200));
            if let Some(rank) = rank {
                found.push((rank, j));
            }
        }
        found.sort_unstable();
        let mut chosen = false;
        for (rank, j) in found {
            let Some(p) = self.profile(j).cloned() else {
                continue;
            };
            let name = self.name(j);
            if chosen {
                if rank < 200 || p.fractional_share() {
                    self.set(j, Role::Ignore, "another score is used", false);
                }
                continue;
            }
            let logit = names::says_logit(name);
            let probability = names::says_probability(name);
            if p.is_text()
                || (!logit
                    && p.outside <= 0.05
                    && (!p.whole || probability)
                    && (p.outside == 0.0 || probability))
            {
                let sure = rank < 100 && !p.is_text() && p.outside == 0.0;
                self.set(j, Role::Probability, "name, values in [0, 1]", sure);
                chosen = true;
            } else if logit {
                self.set(j, Role::Logit, "name", true);
                chosen = true;
            } else if p.whole && p.outside > 0.0 {
                if rank == 200 && p.max > 1_000.0 {
                    continue;
                }
                let reason = format!(
                    "whole numbers {} to {}, not probabilities",
                    plain(p.min),
                    plain(p.max)
                );
                self.set(j, Role::Ignore, reason, false);
                self.warn(
                    "score_not_probability",
                    format!(
                        "A column named like a score holds whole numbers {} to {}, not probabilities: not used. Map it to [0, 1] first, or give it a role: `{name}`.",
                        plain(p.min),
                        plain(p.max)
                    ),
                    Some(j),
                );
            } else if p.min >= 0.0 && p.max <= 100.0 && p.outside > 0.05 {
                self.set(
                    j,
                    Role::Ignore,
                    "looks like percent, not a probability",
                    false,
                );
                self.warn(
                    "scores_in_percent",
                    format!(
                        "A score column holds values up to {}, which looks like percent: not used. Divide it by 100, or give it a role: `{name}`.",
                        plain(p.max)
                    ),
                    Some(j),
                );
            } else if !p.whole {
                self.set(
                    j,
                    Role::Logit,
                    "name, values outside [0, 1]: log-odds",
                    false,
                );
                chosen = true;
            }
        }
        if labels.len() > 2 {
            self.one_score_of_many(labels.len());
        }
    }

    /// With more than two labels one score can only be the confidence of the predicted class.
    fn one_score_of_many(&mut self, classes: usize) {
        if let [only] = self.with_role(Role::Probability).as_slice()
            && self.has(Role::Predicted)
        {
            let reason =
                format!("one score for {classes} classes: probability of the predicted one");
            self.set(*only, Role::Confidence, reason, false);
        }
    }

    /// Scores that only their values give away.
    fn scores_from_values(&mut self, labels: &[String]) {
        let shares: Vec<usize> = self
            .open()
            .into_iter()
            .filter(|&j| {
                self.profile(j)
                    .is_some_and(|p| p.fractional_share() || self.made_up_share(j, p))
            })
            .filter(|&j| !names::says_feature(self.name(j)) || self.columns.len() == 1)
            .collect();
        let fractional: Vec<usize> = shares
            .iter()
            .copied()
            .filter(|&j| self.profile(j).is_some_and(Profile::fractional_share))
            .collect();
        for set in [&fractional, &shares] {
            if set.len() > 1 && self.sum_to_one(set) {
                for &j in set.iter() {
                    self.set(
                        j,
                        Role::Probability,
                        "these columns sum to 1 in every row",
                        false,
                    );
                }
                return;
            }
        }
        if let [only] = fractional.as_slice()
            && (!labels.is_empty() || self.two_valued_elsewhere(*only) || self.columns.len() == 1)
        {
            self.set(
                *only,
                Role::Probability,
                "the only column with values in [0, 1]",
                false,
            );
        }
    }

    /// A column without a header that holds only 0 and 1 can be a column of probabilities among others.
    fn made_up_share(&self, j: usize, p: &Profile) -> bool {
        self.name(j).starts_with("column ") && p.is_number() && p.outside == 0.0
    }

    fn two_valued_elsewhere(&self, j: usize) -> bool {
        self.open().into_iter().any(|k| {
            k != j
                && self
                    .profile(k)
                    .is_some_and(|p| p.few(2) && p.distinct == Some(2))
        })
    }

    fn sum_to_one(&self, members: &[usize]) -> bool {
        let mut sums: Vec<f64> = Vec::new();
        for &j in members {
            let Some(Values::Numbers(values)) = self.columns.get(j).map(|c| &c.values) else {
                return false;
            };
            sums.resize(values.len(), 0.0);
            sums.iter_mut()
                .zip(values.iter())
                .for_each(|(sum, x)| *sum += x);
        }
        !sums.is_empty() && sums.iter().all(|sum| (sum - 1.0).abs() <= SUM_TOLERANCE)
    }

    /// Columns that are together one-hot and named alike are the label.
    fn one_hot_labels(&mut self) {
        if self.has(Role::Label) || self.has(Role::Correct) {
            return;
        }
        let scores: Vec<String> = self
            .with_role(Role::Probability)
            .into_iter()
            .chain(self.with_role(Role::Logit))
            .map(|j| self.name(j).to_owned())
            .collect();
        let score_prefix =
            |name: &str| names::number_tail(name).map(|(before, _)| before.to_owned());
        let classes = names::classes(
            &scores.iter().map(String::as_str).collect::<Vec<_>>(),
            &[],
            false,
        );
        let mut families = self.grouped(&classes);
        families.retain(|family| family.members.len() > 1 && self.one_hot(&family.members));
        families.sort_by_key(|family| {
            let named = names::says_label(&family.prefix) || family.prefix.is_empty();
            let same =
                scores.first().and_then(|name| score_prefix(name)) == Some(family.prefix.clone());
            std::cmp::Reverse((named, same, family.members.len()))
        });
        let headers: Vec<usize> = self
            .open()
            .into_iter()
            .filter(|&j| scores.iter().any(|score| score == self.name(j)))
            .collect();
        let members = if headers.len() == scores.len() && self.one_hot(&headers) {
            headers
        } else if let Some(family) = families.into_iter().next()
            && (names::says_label(&family.prefix)
                || family.prefix.is_empty()
                || family.members.len() == scores.len())
        {
            family.members
        } else {
            return;
        };
        for j in members {
            self.set(
                j,
                Role::Label,
                "one-hot: 1 in the column of the class that happened",
                true,
            );
        }
    }
}

/// The labels could be those of an array with this many columns.
fn labels_fit(labels: &[String], width: usize) -> bool {
    let numbers: Option<Vec<u64>> = labels.iter().map(|label| label.parse().ok()).collect();
    match numbers.as_ref().and_then(|n| n.iter().max()) {
        Some(&max) => {
            max + 1 == width as u64 || (max == width as u64 && !labels.iter().any(|l| l == "0"))
        }
        None => labels.len() == width,
    }
}
