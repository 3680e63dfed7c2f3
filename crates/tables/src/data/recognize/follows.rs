//! Columns that follow from the scores: the class with the largest one, its score, log-odds of the score, bounds around
//! it.

use super::super::labels::Labels;
use super::super::names;
use super::super::profile::{FEW, Profile};
use super::super::roles::Role;
use super::{FEW_ROWS, Guesses, MISSING, Values};

/// How far rounding moves a probability that is computed again.
pub(super) const ROUNDING: f64 = 1e-3;

impl Guesses<'_> {
    /// Settles what follows from the scores and has no role of its own, so that it is no feature, no group and no other
    /// model.
    pub(super) fn follow_from_scores(&mut self) {
        let scores = [Role::Probability, Role::Logit].map(|role| self.with_role(role)).concat();
        self.bounds(&scores);
        // Scores of a few values may be those of groups.
        let graded = scores.iter().any(|&j| self.profile(j).is_some_and(|p| p.distinct.is_none()));
        for j in self.open() {
            let follows = if graded && self.is_predicted(j, &scores) && self.labels_of(j) == self.occurring() {
                match self.has(Role::Predicted) {
                    true => (Role::Ignore, "the predicted class again"),
                    false => (Role::Predicted, "its values follow the scores"),
                }
            } else if self.is_largest_score(j, &scores) {
                (Role::Ignore, "the largest score of each row")
            } else if self.is_log_odds(j, &scores) {
                (Role::Ignore, "log-odds of the score")
            } else {
                continue;
            };
            self.set(j, follows.0, follows.1, true);
        }
    }

    /// Whether a column has a value for each class that the scores predict: those above and below a threshold of a
    /// single score, those with the largest of several.
    pub(super) fn is_predicted(&self, j: usize, scores: &[usize]) -> bool {
        let classes = scores.len().max(2);
        // columns of more values are not taken apart
        let few = |p: &Profile| p.distinct.map_or(p.whole && classes > FEW, |distinct| distinct <= classes);
        match scores {
            _ if !self.profile(j).is_some_and(few) => false,
            [] => false,
            [only] => self.is_threshold(j, *only),
            several => self.is_class_of_largest(j, several),
        }
    }

    /// The numbers of a column; `None` of any other.
    pub(super) fn numbers(&self, j: usize) -> Option<&[f64]> {
        match self.columns.get(j).map(|column| &column.values) {
            Some(Values::Numbers(values)) => Some(values.as_slice()),
            _ => None,
        }
    }

    fn all_numbers(&self, members: &[usize]) -> Option<Vec<&[f64]>> {
        members.iter().map(|&j| self.numbers(j)).collect()
    }

    /// Whether each value of a column is in the rows of which one of these columns is the largest, and each of another
    /// one.
    fn is_class_of_largest(&self, j: usize, scores: &[usize]) -> bool {
        let Some(columns) = self.all_numbers(scores) else { return false };
        let Some(labels) = self.columns.get(j).map(|column| Labels::of(&column.values)) else { return false };
        if labels.names.len() < 2 || labels.names.len() > scores.len() || labels.codes.len() < FEW_ROWS {
            return false;
        }
        let mut largest_of: Vec<Option<usize>> = vec![None; labels.names.len()];
        for (row, &code) in labels.codes.iter().enumerate() {
            let at = |k: usize| columns.get(k).and_then(|column| column.get(row)).copied().unwrap_or(f64::NAN);
            let Some(largest) = (0..columns.len()).max_by(|&a, &b| at(a).total_cmp(&at(b))) else { return false };
            let tied = (0..columns.len()).any(|k| k != largest && at(k) == at(largest));
            match largest_of.get_mut(code as usize) {
                _ if tied && code != MISSING => {}
                Some(known) if known.is_none_or(|known| known == largest) => *known = Some(largest),
                _ => return false,
            }
        }
        let mut seen: Vec<usize> = largest_of.iter().flatten().copied().collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() == labels.names.len()
    }

    /// Whether a column is the largest of several scores in every row, or the larger of one and its complement.
    fn is_largest_score(&self, j: usize, scores: &[usize]) -> bool {
        let (Some(columns), Some(own)) = (self.all_numbers(scores), self.numbers(j)) else { return false };
        let largest = |row: usize| {
            let of_row = columns.iter().filter_map(|column| column.get(row)).copied();
            let largest = of_row.fold(f64::NAN, f64::max);
            if columns.len() == 1 { largest.max(1.0 - largest) } else { largest }
        };
        own.len() >= FEW_ROWS && own.iter().enumerate().all(|(row, x)| (x - largest(row)).abs() <= ROUNDING)
    }

    /// Whether a column is ln(p / (1 − p)) of one of the probabilities, or the negative of it: a linear predictor.
    pub(super) fn is_log_odds(&self, j: usize, scores: &[usize]) -> bool {
        let plausible = self.profile(j).is_some_and(|p| p.is_number() && !p.whole && p.outside > 0.0);
        if !plausible || names::suggests_feature(self.name(j)) {
            return false;
        }
        let Some(own) = self.numbers(j) else { return false };
        let of = |score: usize, sign: f64| {
            let Some(p) = self.numbers(score) else { return false };
            p.len() >= FEW_ROWS
                && p.iter().zip(own).all(|(p, z)| (p - 1.0 / (1.0 + (-sign * z).exp())).abs() <= ROUNDING)
        };
        scores.iter().any(|&score| of(score, 1.0) || of(score, -1.0))
    }

    /// A column named as a lower bound and one named as an upper bound, between which the only score is in every row:
    /// an interval of it rather than other models.
    fn bounds(&mut self, scores: &[usize]) {
        let &[score] = scores else { return };
        let Some(p) = self.numbers(score) else { return };
        let named = |list: &[&str], below: bool| -> Vec<usize> {
            let within = |j: &usize| {
                let numbers = self.numbers(*j).unwrap_or_default();
                !numbers.is_empty() && numbers.iter().zip(p).all(|(x, p)| if below { x <= p } else { x >= p })
            };
            let free = |&j: &usize| {
                let share = self.profile(j).is_some_and(Profile::fractional_share);
                j != score && share && matches!(self.role(j), None | Some(Role::Ignore))
            };
            let words = |j: usize| names::words(self.name(j));
            let said = |j: &usize| words(*j).iter().any(|word| list.contains(&word.as_str()));
            (0..self.columns.len()).filter(free).filter(said).filter(within).collect()
        };
        let (lower, upper) = (named(names::LOWER_BOUND, true), named(names::UPPER_BOUND, false));
        if p.len() < FEW_ROWS || lower.is_empty() || upper.is_empty() {
            return;
        }
        let bounds = [lower, upper].concat();
        self.rivals.retain(|rival| !rival.members.iter().any(|j| bounds.contains(j)));
        for j in bounds {
            self.set(j, Role::Ignore, "bound of an interval around the score", true);
        }
    }
}
