//! Number of rows at which the confidence intervals of calibration and discrimination reach a target width.

mod plan;
mod request;
pub mod widths;
mod words;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::metric::auroc;
use crate::num::cluster::design_effect;
use crate::num::outcome_correlation::outcome_correlation;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::words::number::count;
use widths::{Cohort, rows_needed, slope_information};

pub use plan::CountRows;
pub use request::SampleSizeRequest;

/// Response of `data.analyse("sample_size")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SampleSizeOutcome {
    /// name of the method
    pub method: String,
    /// n, scored rows
    pub rows: usize,
    /// φ, the share of them with the outcome
    pub share: f64,
    /// c, their AUROC
    pub auroc: Option<f64>,
    /// information about the calibration slope per row; null if all scores are equal
    pub slope_information: Option<f64>,
    /// observed / expected, slope, AUROC
    pub intervals: Vec<PlannedInterval>,
    /// the panel, as displayed
    pub sheet: Sheet,
    /// nothing is tested here
    pub verdict: Verdict,
}

/// The response before its charts are drawn.
pub type SampleSizeWithoutCharts = WithoutCharts<SampleSizeOutcome>;
/// The step that draws its charts.
pub type ShowSampleSize = Show<SampleSizeOutcome>;

impl HasCharts for SampleSizeOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Width of the 95% CI of one measure, predicted by a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedInterval {
    /// the measure
    pub of: Planned,
    /// target width
    pub target: f64,
    /// width at the number of scored rows; null if undefined
    pub width: Option<f64>,
    /// smallest number of rows with at most the target width; null if there is none up to 10¹²
    pub rows: Option<u64>,
    /// events among these rows at the same proportion, rounded up
    pub events: Option<u64>,
    /// why there is no width
    pub reason: Option<String>,
}

/// What rows are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Planned {
    /// observed / expected events
    Ratio,
    /// calibration slope
    Slope,
    /// area under the ROC curve
    Auroc,
}

/// The widest that each interval may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Targets {
    /// of observed / expected
    pub ratio: f64,
    /// of the calibration slope
    pub slope: f64,
    /// of the AUROC
    pub auroc: f64,
}

impl Targets {
    /// The default.
    pub const USUAL: Self = Self { ratio: 0.2, slope: 0.2, auroc: 0.1 };
}

impl Planned {
    const ALL: [Self; 3] = [Self::Ratio, Self::Slope, Self::Auroc];

    /// Its width at `n` rows, or why there is none.
    fn width(self, cohort: &Cohort, n: f64) -> std::result::Result<f64, &'static str> {
        // effective number of independent rows
        let n = n / cohort.effect;
        match self {
            Planned::Ratio => Ok(cohort.ratio_width(n)),
            Planned::Slope => cohort
                .slope_width(n)
                .ok_or("all scores are identical, or effectively 0 or 1, so the slope is undefined"),
            Planned::Auroc => {
                cohort.auroc_width(n).ok_or("the AUROC of these rows is 0 or 1, for which the formula gives no width")
            }
        }
    }
}

/// The widths of three intervals at the scored rows, and the rows that make each no wider than asked for.
///
/// By the formulas of [`widths`], which take the scores to be calibrated and further rows to be like the scored ones; no
/// outcome is held against its score.
///
/// # Errors
/// `unknown_method`; `too_few_rows` where no row is scored; `single_class` where all have the same outcome.
///
/// # Cost
/// Two passes and a sort.
///
/// # Source
/// Riley et al. (2021).
pub fn sample_size(data: &Predictions, run: &RunOutcome, request: &SampleSizeRequest) -> Result<SampleSizeOutcome> {
    let rows = method_rows(run, request.method.as_deref())?;
    let n = rows.score.len();
    let events = rows.target.iter().filter(|target| **target == 1).count();
    if n == 0 {
        return Err(Error::new("too_few_rows", "0 rows are scored.", "Include rows to score."));
    }
    if events == 0 || events == n {
        return Err(Error::new(
            "single_class",
            format!("All scored rows ({}) have the same outcome; interval widths depend on both.", count(n as u64)),
            "Include rows with both outcomes.",
        ));
    }
    let cohort = Cohort {
        share: events as f64 / n as f64,
        auroc: auroc(&rows.score, &rows.target)?,
        slope: slope_information(&rows.score),
        effect: rows.clusters.present().map_or(1.0, |clusters| {
            let rho = outcome_correlation(&rows.score, &rows.target, &clusters.of, clusters.count);
            design_effect(rho, &clusters.of, clusters.count).max(1.0)
        }),
    };
    let usual = Targets::USUAL;
    let targets = Targets {
        ratio: request.ratio.unwrap_or(usual.ratio),
        slope: request.slope.unwrap_or(usual.slope),
        auroc: request.auroc.unwrap_or(usual.auroc),
    };
    let intervals: Vec<PlannedInterval> =
        Planned::ALL.into_iter().map(|of| planned(of, &cohort, (events, n), &targets)).collect();
    let mut outcome = SampleSizeOutcome {
        method: rows.method.name.clone(),
        rows: n,
        share: cohort.share,
        auroc: cohort.auroc,
        slope_information: cohort.slope,
        intervals,
        sheet: Sheet::default(),
        verdict: Verdict::untested("", None, "This analysis plans a sample size and tests nothing"),
    };
    outcome.sheet = words::sheet(data, run, request, &outcome, &cohort);
    Ok(outcome)
}

fn planned(of: Planned, cohort: &Cohort, (scored_events, n): (usize, usize), targets: &Targets) -> PlannedInterval {
    let target = match of {
        Planned::Ratio => targets.ratio,
        Planned::Slope => targets.slope,
        Planned::Auroc => targets.auroc,
    };
    let width = of.width(cohort, n as f64);
    let rows = width.ok().and_then(|_| rows_needed(target, |n| of.width(cohort, n).unwrap_or(f64::INFINITY)));
    PlannedInterval {
        of,
        target,
        width: width.ok(),
        rows,
        events: rows.map(|rows| (u128::from(rows) * scored_events as u128).div_ceil(n as u128) as u64),
        reason: width.err().map(str::to_owned),
    }
}
