//! Scores of exactly 0 or 1: the logarithm has no value there, so results depend on where scores are clipped.

use crate::metric::Reason;
use serde::{Deserialize, Serialize};

use super::scored::Scored;
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::clinical::clipped_intercept_slope;
use crate::metric::entry::{Cut, Metric, ValueOf};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::metric::rows::{Pair, ScoredRows};
use crate::num::special::PROB_CLIP;
use crate::table::Warning;
use crate::words::number::{count, plain, significant, to_digits};

/// Another place to cut, for comparison.
const ELSEWHERE: f64 = 0.01;

/// Probabilities that were clipped before a logarithm was taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Clipped {
    /// number of rows with a clipped probability; for counted rows, the number of rows that they represent
    pub rows: usize,
    /// lower clipping limit of probabilities; for logits the upper limit is 1 minus this
    pub at: f64,
}

impl Scored {
    /// Rows of which something holds by their place; a line of counts stands for as many as it counts.
    fn count_where(&self, holds: impl Fn(usize) -> bool) -> usize {
        let places = (0..self.score.len()).filter(|&i| holds(i));
        match self.weights().filter(|_| self.counted) {
            Some(counts) => places.map(|i| counts.get(i).copied().unwrap_or(1.0)).sum::<f64>().round() as usize,
            None => places.count(),
        }
    }

    /// The rows in which a logarithm was cut, if any.
    pub fn clipped(&self, cut: Cut) -> Option<Clipped> {
        let (rows, at) = match cut {
            Cut::LogLoss => {
                let most = -LOG_LOSS_CLIP.ln();
                (self.count_where(|i| self.nll.get(i).is_some_and(|loss| *loss >= most)), LOG_LOSS_CLIP)
            }
            Cut::LogOdds => {
                let inside = PROB_CLIP..=1.0 - PROB_CLIP;
                (self.count_where(|i| self.score.get(i).is_some_and(|s| !inside.contains(s))), PROB_CLIP)
            }
            Cut::None => return None,
        };
        (rows > 0).then_some(Clipped { rows, at })
    }

    /// A metric of these rows with other losses, where it follows from the rows.
    fn with_losses(&self, metric: &Metric, nll: &[f64]) -> Result<Option<f64>> {
        let ValueOf::Rows(value) = metric.value else { return Ok(None) };
        let bins = BinOptions::default();
        let rows = ScoredRows {
            pair: Pair::new(&self.score, &self.target, self.weights(), &bins),
            correct: &self.correct,
            order: &self.order,
            nll,
            brier: &self.brier,
            classwise_ece: &Err(Reason::undefined("not evaluated")),
        };
        Ok(value(&rows)?.ok())
    }

    /// How far those of the metrics that were cut depend on that, where any was.
    ///
    /// Cost: a logistic fit or two where scores were cut.
    ///
    /// # Errors
    /// As [`clipped_intercept_slope`].
    pub fn warning_of_ends(&self, metrics: &[&Metric]) -> Result<Option<Warning>> {
        let cut_at = |cut: Cut| metrics.iter().copied().filter(move |metric| metric.cut == cut);
        let asked = |cut: Cut| cut_at(cut).next().and_then(|_| self.clipped(cut));
        let n = count(self.count_where(|_| true) as u64);
        let mut sentences = Vec::new();
        if let Some(Clipped { rows, at }) = asked(Cut::LogLoss) {
            // −ln max(p, cut) = min(−ln p, −ln cut)
            let most = -ELSEWHERE.ln();
            let losses: Vec<f64> = self.nll.iter().map(|loss| loss.min(most)).collect();
            for metric in cut_at(Cut::LogLoss) {
                let compared = match (self.with_losses(metric, &self.nll)?, self.with_losses(metric, &losses)?) {
                    (Some(here), Some(elsewhere)) => format!(
                        ": with clipping at {ELSEWHERE}, it would be {} instead of {}",
                        significant(elsewhere),
                        significant(here)
                    ),
                    _ => String::new(),
                };
                sentences.push(format!(
                    "{} clips the probability of the outcome at {} in {} of {n} rows where it is smaller{compared}.",
                    metric.name,
                    plain(to_digits(at, 2)),
                    count(rows as u64),
                ));
            }
        }
        if let Some(Clipped { rows, at }) = asked(Cut::LogOdds) {
            let of = |clip: f64| {
                let fit = clipped_intercept_slope(&self.score, &self.target, self.weights(), clip);
                Ok::<_, crate::error::Error>(fit?.slope.map(|slope| slope.value))
            };
            let compared = match (of(PROB_CLIP)?, of(ELSEWHERE)?) {
                (Some(here), Some(elsewhere)) => format!(
                    ": with clipping at {ELSEWHERE}, the slope would be {} instead of {}",
                    significant(elsewhere),
                    significant(here)
                ),
                _ => String::new(),
            };
            sentences.push(format!(
                "{} of {n} scores are exactly 0 or 1; for calibration slope and intercepts they are clipped at {} \
                 from that end{compared}.",
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::folds::Split;
    use crate::data::{OpenOptions, assemble};
    use crate::metric::log_loss::NLL;
    use crate::num::weight::weighted_mean;

    static DOUBLED: Metric = Metric {
        id: "doubled",
        name: "Twice the surprise",
        value: ValueOf::Rows(|rows| Ok(Ok(2.0 * weighted_mean(rows.nll, rows.pair.weights)))),
        ..NLL
    };

    #[test]
    fn each_metric_that_was_cut_is_named_with_its_own_numbers() {
        let file = crate::read::read("rows.csv", b"p,y\n0,1\n0.5,1\n0.5,0\n0.5,0\n", &mut |_| ()).unwrap();
        let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
        let bins = BinOptions::default();
        let scored = Scored::new(&data, &Split::everything(4), &[], &bins, &Default::default()).unwrap();
        let said = |metrics: &[&Metric]| scored.warning_of_ends(metrics).unwrap().unwrap().message;
        let one = "clips the probability of the outcome at 1e−15 in 1 of 4 rows where it is smaller: with clipping at 0.01, \
                   it would be";
        assert_eq!(said(&[&NLL]), format!("NLL {one} 1.67 instead of 9.15."));
        let both = format!("NLL {one} 1.67 instead of 9.15. Twice the surprise {one} 3.34 instead of 18.3.");
        assert_eq!(said(&[&NLL, &DOUBLED]), both);
        assert_eq!(said(&[&DOUBLED]), format!("Twice the surprise {one} 3.34 instead of 18.3."));
    }
}
