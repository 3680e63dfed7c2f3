//! A bench for tests: outcomes drawn from the scores, or with a bias that is planted, at the file's own scores, features and
//! size; how often each test fires, and how much of the bias a repair corrects.

mod fire;
mod plan;
mod recalibrated;
mod request;
mod study;
mod tests_of;
mod words;
mod world;

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

use crate::analysis::show::{HasCharts, Show, Undrawn};
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

/// Of an interval that is too wide for a verdict on its own: verdicts share this chance of calling a test that holds its level
/// one that does not, whatever the number of tests.
const DOUBT: f64 = 0.05;

/// What is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// nothing: every score is right
    #[default]
    Null,
    /// a bias of all rows
    Shift,
    /// a bias of the rows of one group
    Group,
    /// a bias of the rows in an interval of a feature
    Region,
}

/// What `data.analyse("bench")` resolves to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchOutcome {
    /// where outcomes were drawn
    pub study: Study,
    /// what was planted
    pub effect: Effect,
    /// level of the tests
    pub alpha: f64,
    /// scored rows of the open file
    pub available: usize,
    /// one for every number of rows and size of the bias
    pub settings: Vec<BenchSetting>,
    /// one for every repair and setting with a bias
    pub repairs: Vec<BenchRecalibration>,
    /// tests that do not apply, and why
    pub left_out: Vec<(BenchTest, String)>,
    /// what the page shows
    pub sheet: Sheet,
    /// nothing is tested about the file's own outcomes
    pub verdict: Verdict,
}

/// The same, its charts not drawn yet.
pub type UndrawnBench = Undrawn<BenchOutcome>;
/// Draws it.
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

/// How a rate stands to the level, where every score is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// compatible with the level
    Holds,
    /// fires more often than it may
    Above,
    /// fires less often than it may: it keeps its promise, and sees less
    Below,
}

/// p-values of some simulated files, one list a test.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fired {
    p: Vec<Column<f64>>,
}

impl BenchRate {
    /// From p-values, `NaN` where there is none.
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

/// The smallest share of firings that is called [`Level::Above`] four times in five, in `n` files and among so many tests; none
/// below 1. By halving.
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
