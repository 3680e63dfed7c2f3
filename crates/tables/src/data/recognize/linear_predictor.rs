//! Linear predictors that are no log-odds: those of a Cox model, beside probabilities at a time that rise with them.

use super::super::names;
use super::super::profile::Profile;
use super::super::roles::Role;
use super::follows::ROUNDING;
use super::{FEW_ROWS, Guess, Guesses, Values};
use crate::words::text::quoted;

/// Why a linear predictor is not used.
const OF_FOLLOW_UP: &str = "a linear predictor beside a follow-up time";

impl Guesses<'_> {
    /// Uses the probability that a column called a linear predictor orders in every row, where its inverse logit is another:
    /// then the column is no log-odds. A probability with a better name is found without it.
    pub(super) fn probability_of_linear_predictor(&mut self) {
        let is_share = |&j: &usize| {
            self.profile(j).is_some_and(Profile::fractional_share) && names::suggests_score_at_a_time(self.name(j))
        };
        let shares: Vec<usize> = self.open().into_iter().filter(is_share).collect();
        let listed = |&j: &usize| names::rank(self.name(j), names::SCORE).is_some();
        if self.scored() || self.has(Role::Confidence) || shares.iter().any(listed) {
            return;
        }
        let is_predictor = |&j: &usize| names::is_linear_predictor(self.name(j));
        for predictor in self.open().into_iter().filter(is_predictor) {
            if shares.iter().any(|&share| self.is_log_odds(predictor, &[share])) {
                return;
            }
            let of = shares.iter().copied().find(|&share| {
                self.rises_with(share, predictor, 1.0)
                    // the probability of no event, as its name says
                    || names::names_event(self.name(share)) == Some(false) && self.rises_with(share, predictor, -1.0)
            });
            if let Some(share) = of {
                let [probability, linear] = [share, predictor].map(|j| quoted(self.name(j)));
                self.set(share, Role::Probability, format!("follows from {linear} in every row"), true);
                self.set(predictor, Role::Ignore, format!("linear predictor of {probability}, no log-odds"), true);
                return;
            }
        }
    }

    /// Whether a share rises, or with `sign` −1 falls, with another column in every row, up to rounding.
    fn rises_with(&self, share: usize, other: usize, sign: f64) -> bool {
        let numbers = |j: usize| match self.columns.get(j).map(|column| &column.values) {
            Some(Values::Numbers(values)) => values.as_slice(),
            _ => &[],
        };
        let mut pairs: Vec<(f64, f64)> = (numbers(other).iter().zip(numbers(share)))
            .map(|(z, p)| (sign * z, *p))
            .filter(|(z, p)| z.is_finite() && p.is_finite())
            .collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut highest = f64::NEG_INFINITY;
        let rises = pairs.iter().all(|(_, p)| {
            highest = highest.max(*p);
            highest - p <= ROUNDING
        });
        let ends = pairs.first().zip(pairs.last());
        rises && pairs.len() >= FEW_ROWS && ends.is_some_and(|(first, last)| last.1 - first.1 > 10.0 * ROUNDING)
    }

    /// Does not use a column called a linear predictor beside a follow-up time: that of a Cox model gives no probability without
    /// the baseline survival at a time.
    pub(super) fn is_of_follow_up(&mut self, predictor: usize) -> bool {
        let of_follow_up = names::is_linear_predictor(self.name(predictor)) && self.time_beside().is_some();
        if of_follow_up {
            self.set(predictor, Role::Ignore, OF_FOLLOW_UP, false);
        }
        of_follow_up
    }

    /// The column of the follow-up time.
    fn time_beside(&self) -> Option<usize> {
        let outcome = self.with_role(Role::Label).first().map_or("", |&j| self.name(j));
        let is_time = |&j: &usize| {
            let names = self.columns.iter().map(|column| column.name.as_str());
            let is_number = self.role(j) != Some(Role::Date) && self.profile(j).is_some_and(Profile::is_number);
            is_number && names::is_follow_up(self.name(j), outcome, names)
        };
        (0..self.columns.len()).find(is_time)
    }

    /// Says why such a column is not used, where there is no other score.
    pub(super) fn about_linear_predictor(&mut self) {
        let unused = |guess: &Option<Guess>| guess.as_ref().is_some_and(|guess| guess.reason == OF_FOLLOW_UP);
        let Some(predictor) = self.guesses.iter().position(unused).filter(|_| !self.scored()) else { return };
        let Some(time) = self.time_beside() else { return };
        let message = format!(
            "{0} is named like a linear predictor, beside a follow-up time ({1}). That of a Cox model is no log-odds, so it is \
             not used. Supply probabilities at a time, 1 − S₀(t)^exp({0}). If it is log-odds, assign the role logit to it.",
            quoted(self.name(predictor)),
            quoted(self.name(time))
        );
        self.warn("score_not_probability", message, Some(predictor));
    }
}
