//! The columns that say what the model predicted.

use super::super::names;
use super::super::profile::{Form, Profile};
use super::super::roles::Role;
use super::Guesses;
use crate::num::order;
use crate::words::text::plain;

impl Guesses<'_> {
    /// Settles the score columns, given the labels that occur.
    pub(super) fn scores(&mut self, labels: &[String]) {
        self.matrices(labels, false);
        self.repeats_beside_their_mean();
        self.families(labels);
        self.probability_of_linear_predictor();
        self.single(labels);
        if !self.scored() && self.percents.is_empty() {
            self.matrices(labels, true);
        }
        self.settle_percents();
        if !self.scored() && !self.has(Role::Confidence) {
            self.scores_from_values(labels);
        }
        self.about_linear_predictor();
        self.one_hot_labels();
    }

    /// Some column or array holds scores of classes.
    pub(super) fn scored(&self) -> bool {
        [Role::Probability, Role::Probabilities, Role::Logit, Role::Logits].into_iter().any(|role| self.has(role))
    }

    /// Two-dimensional arrays: probabilities, logits, one-hot labels; features are left over.
    ///
    /// * `by_width`: also those that only have a column for each class, for which columns with better names come first
    fn matrices(&mut self, labels: &[String], by_width: bool) {
        let mut candidates: Vec<(usize, usize)> = Vec::new();
        for j in self.open() {
            let name = self.name(j);
            let Some(Profile { form: Form::Matrix { width, simplex, one_hot }, outside, .. }) =
                self.profile(j).cloned()
            else {
                continue;
            };
            if names::rank(name, names::FEATURES).is_some() {
                continue;
            }
            let scores = names::rank(name, names::SCORE).is_some() || names::suggests_score(name);
            if names::suggests_feature(name) && !scores && !names::suggests_logit(name) && names::words(name).len() > 1
                || matches!(names::plain(name).as_str(), "umap" | "tsne" | "pca" | "emb")
            {
                continue;
            }
            let fits = !labels.is_empty() && labels_fit(labels, width);
            let hot_label = one_hot && !names::suggests_probability(name);
            let rank = if hot_label && !self.has(Role::Label) && !scores {
                self.set(j, Role::Label, "one-hot rows", names::rank(name, names::LABEL).is_some());
                continue;
            } else if names::suggests_probability(name) {
                0
            } else if scores && outside == 0.0 {
                1
            } else if names::suggests_logit(name) {
                2
            } else if scores {
                3
            } else if simplex > 0.999 && !hot_label {
                4
            } else if by_width && (fits || (labels.is_empty() && self.vector_fits(width))) {
                5
            } else {
                continue;
            };
            candidates.push((rank, j));
        }
        let scored = self.scored();
        order::sort(&mut candidates, &Ord::cmp);
        let mut place = 0;
        for &(rank, j) in &candidates {
            let outside = self.profile(j).map_or(0.0, |p| p.outside);
            let percent = rank != 2 && self.profile(j).is_some_and(Profile::percent_like);
            if percent && !scored {
                self.percents.push((vec![j], Role::Probabilities));
                continue;
            }
            let logits = match rank {
                // a little outside [0, 1] under a name that says probability is a fault to name
                0 => outside > 0.05 && !self.profile(j).is_some_and(Profile::nearly_share),
                2 => true,
                _ => outside > 0.0,
            };
            let role = if logits { Role::Logits } else { Role::Probabilities };
            if place > 0 || scored {
                let reason = if scored {
                    "other scores are used"
                } else if logits {
                    "logits; the probabilities are used"
                } else {
                    "a second array of scores"
                };
                self.set(j, Role::Ignore, reason, false);
                self.rival(self.name(j), &[j], role);
                continue;
            }
            place += 1;
            let reason = match (rank, logits) {
                (2, _) => "name".to_owned(),
                (0 | 1, false) => format!("name, {}", self.range_words(j)),
                (0, true) => "named like probabilities, but values outside [0, 1]: logits".into(),
                (1 | 3, true) => "name, values outside [0, 1]: logits".into(),
                (4, _) => "rows sum to 1".into(),
                _ if logits => "one column per class, values outside [0, 1]: logits".into(),
                _ => "one column per class".into(),
            };
            self.set(j, role, reason, rank == 2 || (rank <= 1 && !logits) || rank == 4);
        }
    }

    /// Scores that look like percent are the scores where nothing else is: opening them then asks for the reading.
    fn settle_percents(&mut self) {
        self.percent_columns = self.percents.iter().flat_map(|(members, _)| members.iter().copied()).collect();
        let mut settled: Vec<usize> = Vec::new();
        for (mut members, role) in std::mem::take(&mut self.percents) {
            // a column of a family is found again by itself
            members.retain(|j| !settled.contains(j));
            settled.extend(&members);
            let max = members.iter().filter_map(|&j| self.profile(j).map(|p| p.max)).fold(0.0, f64::max);
            let taken = self.scored() || self.has(Role::Confidence);
            let (role, reason) = if taken {
                (Role::Ignore, "looks like percent; other scores are used".into())
            } else {
                (role, format!("values up to {}: percent?", plain(max)))
            };
            for j in members {
                self.set(j, role, reason.clone(), false);
            }
        }
    }

    /// Some vector of whole numbers could be the labels of `width` classes.
    fn vector_fits(&self, width: usize) -> bool {
        self.open().into_iter().any(|j| {
            self.profile(j).is_some_and(|p| {
                p.is_number() && p.whole && p.min >= 0.0 && p.max <= width as f64 && p.max + 1.0 >= width as f64
            })
        })
    }
}

/// The labels could be those of an array with this many columns.
fn labels_fit(labels: &[String], width: usize) -> bool {
    let numbers: Option<Vec<u64>> = labels.iter().map(|label| label.parse().ok()).collect();
    match numbers.as_ref().and_then(|n| n.iter().max()) {
        Some(&max) => max + 1 == width as u64 || (max == width as u64 && !labels.iter().any(|l| l == "0")),
        None => labels.len() == width,
    }
}
