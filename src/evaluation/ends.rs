//! Scores of exactly 0 or 1: the logarithm has no value there, so what is computed hangs on where it is cut.

use serde::{Deserialize, Serialize};

use super::scored::Scored;
use crate::error::Result;
use crate::metric::clinical::clipped_intercept_slope;
use crate::metric::entry::{Cut, Metric};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::num::special::PROB_CLIP;
use crate::num::weight::weighted_mean;
use crate::table::Warning;
use crate::words::number::{count, plain, significant, to_digits};

/// Another place to cut, for comparison.
const ELSEWHERE: f64 = 0.01;

/// What was cut before a logarithm was taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clipped {
    /// rows whose probability was beyond the cut
    pub rows: usize,
    /// probabilities count as at least this; of logits: and as at most 1 less this
    pub at: f64,
}

impl Scored {
    /// The rows in which a logarithm was cut, if any.
    pub fn clipped(&self, cut: Cut) -> Option<Clipped> {
        let (rows, at) = match cut {
            Cut::LogLoss => {
                let most = -LOG_LOSS_CLIP.ln();
                let rows = self.nll.iter().filter(|loss| **loss >= most).count();
                (rows, LOG_LOSS_CLIP)
            }
            Cut::LogOdds => {
                let inside = PROB_CLIP..=1.0 - PROB_CLIP;
                let rows = self.score.iter().filter(|s| !inside.contains(s)).count();
                (rows, PROB_CLIP)
            }
            Cut::None => return None,
        };
        (rows > 0).then_some(Clipped { rows, at })
    }

    /// How far those of the metrics that were cut hang on that, where any was.
    ///
    /// Cost: a logistic fit or two where scores were cut.
    ///
    /// # Errors
    /// As [`clipped_intercept_slope`].
    pub fn warning_of_ends(&self, metrics: &[&Metric]) -> Result<Option<Warning>> {
        let asked = |cut: Cut| metrics.iter().any(|metric| metric.cut == cut).then(|| self.clipped(cut)).flatten();
        let n = count(self.rows.len() as u64);
        let mut sentences = Vec::new();
        if let Some(Clipped { rows, at }) = asked(Cut::LogLoss) {
            // −ln max(p, cut) = min(−ln p, −ln cut)
            let most = -ELSEWHERE.ln();
            let losses: Vec<f64> = self.nll.iter().map(|loss| loss.min(most)).collect();
            let here = weighted_mean(&self.nll, self.weights());
            sentences.push(format!(
                "NLL takes the probability of what happened as {} in {} of {n} rows that were given less: cut at \
                 {ELSEWHERE}, it would be {} instead of {}.",
                plain(to_digits(at, 2)),
                count(rows as u64),
                significant(weighted_mean(&losses, self.weights())),
                significant(here),
            ));
        }
        if let Some(Clipped { rows, at }) = asked(Cut::LogOdds) {
            let of = |clip: f64| {
                let fit = clipped_intercept_slope(&self.score, &self.target, self.weights(), clip);
                Ok::<_, crate::error::Error>(fit?.slope.map(|slope| slope.value))
            };
            let compared = match (of(PROB_CLIP)?, of(ELSEWHERE)?) {
                (Some(here), Some(elsewhere)) => format!(
                    ": cut at {ELSEWHERE}, the slope would be {} instead of {}",
                    significant(elsewhere),
                    significant(here)
                ),
                _ => String::new(),
            };
            sentences.push(format!(
                "{} of {n} scores are exactly 0 or 1: calibration slope and intercepts take them as {} from that \
                 end{compared}.",
                count(rows as u64),
                plain(to_digits(at, 2)),
            ));
        }
        Ok((!sentences.is_empty()).then(|| Warning {
            code: "scores_at_ends".to_owned(),
            message: sentences.join(" "),
            row: None,
            column: None,
        }))
    }
}
