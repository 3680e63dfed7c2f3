//! Simulation study of the tests: outcomes are drawn from the scores, or with a planted bias, at the scores, features and
//! sample size of the file. Rejection rates of each test, and the share of the bias that each recalibration method
//! removes.

mod p_values;
mod plan;
mod recalibrated;
mod request;
mod study;
mod study_words;
mod tests_of;
mod words;
mod world;

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::num::proportion::wilson_interval;
use crate::plot::chart::Screen;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::table::Column;

pub use plan::{RecalibrateFiles, SetUp, Simulate, SimulateStudy, WriteBench, WriteStudy};
pub use recalibrated::{BenchRecalibration, FileMean, RecalibratedFiles};
pub use request::{BenchRequest, OneOrMany};
pub use study::{Study, StudySetting};
pub use tests_of::{BenchTest, Work};
pub use world::World;

/// Probability of a wrong verdict on the level of any test, shared by all verdicts: a test that holds its level is called
/// above or below it with at most this probability.
const DOUBT: f64 = 0.05;

/// The planted bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// none: all predictions are calibrated
    #[default]
    Null,
    /// a bias of all rows
    Shift,
    /// a bias of the rows of one group
    Group,
    /// a bias of the rows in an interval of a feature
    Region,
}

/// Response of `data.analyse("bench")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchOutcome {
    /// source of the simulated outcomes
    pub study: Study,
    /// the planted bias
    pub effect: Effect,
    /// significance level of the tests
    pub alpha: f64,
    /// scored rows of the open file
    pub available: usize,
    /// one entry for each number of rows and size of the bias
    pub settings: Vec<BenchSetting>,
    /// one entry for each recalibration method and setting with a bias
    #[serde(rename = "repairs")]
    pub recalibrations: Vec<BenchRecalibration>,
    /// tests that do not apply, with the reason
    pub left_out: Vec<(BenchTest, String)>,
    /// the panel, as displayed
    pub sheet: Sheet,
    /// always *not tested*: the outcomes of the file are not used
    pub verdict: Verdict,
}

/// The response before its charts are drawn.
pub type BenchWithoutCharts = WithoutCharts<BenchOutcome>;
/// The step that draws its charts.
pub type ShowBench = Show<BenchOutcome>;

impl HasCharts for BenchOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Simulated data sets with the same settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchSetting {
    /// rows in each data set
    pub rows: usize,
    /// covariates and w_p of a simulation study; null for the open file
    pub study: Option<StudySetting>,
    /// planted bias δ in logits; 0: all predictions are calibrated
    pub size: f64,
    /// description of the biased rows; empty: all rows
    pub who: String,
    /// number of biased rows
    pub planted: usize,
    /// mean true probability − mean predicted probability of these rows
    pub realised: f64,
    /// rejection rate of each test
    pub tests: Vec<BenchRate>,
}

/// Rejection rate of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchRate {
    /// the test
    pub test: BenchTest,
    /// number of simulated data sets
    pub simulations: usize,
    /// data sets without a p-value, which count as not rejected
    pub without_p: usize,
    /// data sets with p ≤ α
    pub fired: usize,
    /// proportion of data sets with p ≤ α
    pub rate: f64,
    /// lower limit of its 95% CI (Wilson)
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
    /// whether the type I error is within the level; null if a bias was planted, or if no data set gave a p-value
    pub level: Option<Level>,
}

/// Rejection rate of calibrated data sets relative to the significance level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// compatible with the level
    Holds,
    /// above the level
    Above,
    /// below the level: conservative, with less power
    Below,
}

/// p-values of some simulated data sets, one list per test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SimulatedPValues {
    p: Vec<Column<f64>>,
}

impl BenchRate {
    /// From p-values, `NaN` if there is none.
    ///
    /// * `shared`: files that share the draws of a null, and how many draws that are: their rates vary together, so that the
    ///   interval is that of n / (1 + files / draws) files
    /// * `null`: whether every score is right, and among how many tests this is looked at
    fn of(test: BenchTest, p: &[f64], alpha: f64, shared: Option<(usize, usize)>, null: Option<usize>) -> Self {
        let simulations = p.len();
        let without_p = p.iter().filter(|p| p.is_nan()).count();
        // What differs by rounding is as small.
        let fired = p.iter().filter(|p| **p <= alpha * (1.0 + 1e-9)).count();
        let share = fired as f64 / simulations.max(1) as f64;
        let more = shared.map_or(1.0, |(files, draws)| 1.0 + files.min(simulations) as f64 / draws as f64);
        let n = simulations as f64 / more;
        let (low, high) = if simulations == 0 { (0.0, 1.0) } else { wilson_interval(share * n, n) };
        let level = null.filter(|_| without_p < simulations).map(|tests| {
            let doubt = DOUBT / 2.0 / tests.max(1) as f64;
            let x = share * n;
            // P(X ≥ x) and P(X ≤ x) of a binomial share at the level, for numbers that need not be whole
            let as_many = if x > 0.0 { beta_reg(x, n - x + 1.0, alpha) } else { 1.0 };
            let as_few = if x < n { 1.0 - beta_reg(x + 1.0, n - x, alpha) } else { 1.0 };
            match (as_many <= doubt, as_few <= doubt) {
                (true, _) => Level::Above,
                (_, true) => Level::Below,
                _ => Level::Holds,
            }
        });
        Self { test, simulations, without_p, fired, rate: share, low, high, level }
    }
}

/// Smallest rejection rate that is called [`Level::Above`] with 80% power, in `n` data sets and among this many tests;
/// `None` if there is none below 1. By bisection.
fn noticed_from(n: usize, tests: usize, alpha: f64) -> Option<f64> {
    let doubt = DOUBT / 2.0 / tests.max(1) as f64;
    let tail = |k: usize, share: f64| if k == 0 { 1.0 } else { beta_reg(k as f64, (n - k) as f64 + 1.0, share) };
    let least = (1..=n).find(|&k| tail(k, alpha) <= doubt)?;
    let (mut low, mut high) = (alpha, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if tail(least, middle) >= 0.8 { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn rate(fired: usize, of: usize, shared: Option<(usize, usize)>, tests: usize) -> BenchRate {
        let p: Vec<f64> = (0..of).map(|k| if k < fired { 0.01 } else { 0.5 }).collect();
        BenchRate::of(BenchTest::Groups, &p, 0.05, shared, Some(tests))
    }

    #[test]
    fn levels_by_hand() {
        // binomial tails: P(X ≥ 65 | 1000, .05) = .0207, P(X ≤ 36 | …) = .0212; P(X ≥ 64 | …) = .0284
        assert_eq!(rate(65, 1000, None, 1).level, Some(Level::Above));
        assert_eq!(rate(64, 1000, None, 1).level, Some(Level::Holds));
        assert_eq!(rate(36, 1000, None, 1).level, Some(Level::Below));
        assert_eq!(rate(0, 20, None, 1).level, Some(Level::Holds));
        // Several tests share the doubt; files that share draws are worth fewer.
        assert_eq!(rate(65, 1000, None, 7).level, Some(Level::Holds));
        assert_eq!(rate(66, 1000, Some((50, 99)), 1).level, Some(Level::Holds));
        let (alone, shared) = (rate(50, 1000, None, 1), rate(50, 1000, Some((50, 999)), 1));
        assert!(shared.low < alone.low && shared.high > alone.high && shared.rate == alone.rate);
        // No p-value is no claim.
        let none = BenchRate::of(BenchTest::Groups, &[f64::NAN; 5], 0.05, None, Some(1));
        assert_eq!((none.fired, none.without_p, none.level), (0, 5, None));
        assert_eq!(BenchRate::of(BenchTest::Groups, &[0.05, 0.051], 0.05, None, None).fired, 1);
        // 65 of 1,000 are Above; P(X ≥ 65 | 1000, .0714) = .80
        assert!((noticed_from(1000, 1, 0.05).unwrap() - 0.071_392).abs() < 1e-5, "{:?}", noticed_from(1000, 1, 0.05));
        assert_eq!(noticed_from(1, 10, 0.05), None);
    }
}
