//! Settings chosen inside the calibration rows: inner folds, and the smoothest setting whose loss is the smallest as far
//! as these rows can tell.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::Split;
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::special::{PROB_CLIP, log_loss_of_log_odds, logit};

/// Inner folds.
pub const FOLDS: usize = 5;
/// Calibration rows below which nothing is chosen: two an inner fold.
pub const FEWEST: usize = 2 * FOLDS;

/// What was tried on inner folds, the smoothest first, and what was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InnerValidation<S> {
    /// inner folds
    pub folds: usize,
    /// calibration rows, each scored once by a fit that had not seen it
    pub rows: usize,
    /// every setting, the smoothest first
    pub tried: Vec<Tried<S>>,
    /// place of the one that was chosen
    pub chosen: usize,
}

/// A setting on rows that its fits had not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried<S> {
    /// what was set
    pub setting: S,
    /// mean −ln of the probability of the observed outcome
    pub nll: f64,
    /// the same less that of the setting with the smallest
    pub more: f64,
    /// standard error of `more`, its differences paired row by row
    pub standard_error: f64,
}

impl<S> InnerValidation<S> {
    /// The first of the settings whose mean loss exceeds the smallest by no more than one standard error of the
    /// difference; none without a setting or a row.
    ///
    /// * `settings`: the smoothest first
    /// * `losses`: of each setting, the loss of every row
    ///
    /// # Cost
    /// O(settings × rows).
    ///
    /// # Source
    /// Breiman, Friedman, Olshen and Stone (1984), section 3.4.3: the rule of one standard error, here of paired
    /// differences.
    ///
    /// ```
    /// use localcal_methods::recalibrate::inner::InnerValidation;
    ///
    /// // of two rows the second setting is better by 0.1 on the mean, with a standard error of √(2 · 0.3²) / 2 = 0.21
    /// let losses = [vec![0.5, 1.1], vec![0.7, 0.7]];
    /// let found = InnerValidation::smoothest(vec!["smooth", "rough"], &losses).unwrap();
    /// assert_eq!(found.setting(), Some(&"smooth"));
    /// assert!((found.tried[0].more - 0.1).abs() < 1e-12);
    /// assert!((found.tried[0].standard_error - 0.18_f64.sqrt() / 2.0).abs() < 1e-12);
    /// // where it is better by 0.5 on both, it is chosen
    /// let losses = [vec![1.2, 1.2], vec![0.7, 0.7]];
    /// assert_eq!(InnerValidation::smoothest(vec!["smooth", "rough"], &losses).unwrap().chosen, 1);
    /// ```
    pub fn smoothest(settings: Vec<S>, losses: &[Vec<f64>]) -> Option<Self> {
        let rows = losses.first().map_or(0, Vec::len);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let nll: Vec<f64> = losses.iter().map(|losses| mean(losses)).collect();
        let best = (0..nll.len()).filter(|&k| nll[k].is_finite()).min_by(|&a, &b| nll[a].total_cmp(&nll[b]))?;
        let least = losses.get(best)?;
        let tried = settings.into_iter().zip(losses.iter().zip(&nll)).map(|(setting, (losses, &nll))| {
            let more: Vec<f64> = losses.iter().zip(least).map(|(a, b)| a - b).collect();
            let middle = mean(&more);
            let squares: f64 = more.iter().map(|more| (more - middle).powi(2)).sum();
            Tried { setting, nll, more: middle, standard_error: squares.sqrt() / rows as f64 }
        });
        let tried: Vec<Tried<S>> = tried.collect();
        let chosen = tried.iter().position(|one| one.more <= one.standard_error).unwrap_or(best);
        Some(Self { folds: FOLDS, rows, tried, chosen })
    }

    /// The setting that was chosen.
    pub fn setting(&self) -> Option<&S> {
        self.tried.get(self.chosen).map(|tried| &tried.setting)
    }
}

/// The inner fold of each of some rows of the data, ascending: stratified by outcome and seeded.
pub fn inner_folds(data: &Predictions, rows: &[u32], seed: u64) -> Vec<u8> {
    let split = Split::within(data, rows, FOLDS, seed);
    rows.iter().filter_map(|&row| split.fold.get(row as usize).copied()).collect()
}

/// −ln of the probability that log-odds z give to what happened, at most −ln 1e-15.
pub fn loss_of_log_odds(z: f64, t: u8) -> f64 {
    log_loss_of_log_odds(z, f64::from(t)).min(-LOG_LOSS_CLIP.ln())
}

/// The same of a probability.
pub fn loss_of(s: f64, t: u8) -> f64 {
    loss_of_log_odds(logit(s, PROB_CLIP), t)
}
