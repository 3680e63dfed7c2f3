//! Values that other libraries compute for the same rows, and why they differ.

mod plan;
mod published;
mod request;

pub use plan::CompareLibraries;
pub use request::LibrariesRequest;

use serde::Serialize;

use crate::data::{Predictions, View, pair};
use crate::error::Result;
use crate::metric::binning::{BinEdges, BinOptions, Binning, Closed, Edges};
use crate::metric::brier::{BRIER, brier_pair};
use crate::metric::clinical::{INTERCEPT_JOINT, INTERCEPT_LARGE, SLOPE, intercept_slope};
use crate::metric::debiased_ece::{DEBIASED_ECE_L2, DiscreteBins, debiased_ece};
use crate::metric::ece::{ECE, MCE, ece, mce};
use crate::metric::entry::Metric;
use crate::metric::gridded_smooth_ece::gridded_smooth_ece;
use crate::metric::ici::{E90, EMAX, ICI, calibration_index};
use crate::metric::log_loss::{NLL, log_loss_pair};
use crate::metric::reliability::{ReliabilityBin, reliability_bins, reliability_table};
use crate::metric::smooth_ece::SMECE;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable};
use crate::report::view::method_rows;
use crate::report::{MethodReport, MethodRows, RunOutcome};
use crate::words::number::significant;

/// One number of another library.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibraryRow {
    /// its name
    pub library: &'static str,
    /// name of the metric in the library
    pub metric: &'static str,
    /// value; null if the library returns none
    pub value: Option<f64>,
    /// id of the metric of the report to compare with
    pub ours: &'static str,
    /// why the two differ, or why there is no number
    pub reason: &'static str,
    /// whether it is a published evaluation script for language models that applies to these data
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub script: bool,
    /// for a published script: the text that it prints
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// how it prints; `value`, `range` and `floor` are not multiplied by 100
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    written: published::Written,
    /// for a published script whose value depends on the order of rows with equal confidence: smallest and largest value
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// of a published script: mean and 95th percentile over outcomes drawn with the stated confidences
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<[f64; 2]>,
}

/// What other libraries would print.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LibrariesOutcome {
    /// one row per number
    pub rows: Vec<LibraryRow>,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The table of [`library_rows`].
///
/// # Errors
/// As [`library_rows`].
pub fn libraries(
    data: &Predictions,
    run: &RunOutcome,
    method: Option<&str>,
    progress: &mut dyn FnMut(f64),
) -> Result<LibrariesOutcome> {
    let rows = library_rows(data, run, method, progress)?;
    let mut table = SheetTable::new(
        "Values in other libraries, same rows",
        &["Library", "Metric", "#Value", "Reason for the difference"],
    );
    let mut basis = Vec::new();
    for row in rows.iter().filter(|row| !row.script) {
        basis.push(Basis::of_metric_of(row.ours, run));
        let value = row.value.map_or_else(|| Cell::from("–"), |v| Cell::number(significant(v), v));
        table.rows.push(vec![row.library.into(), row.metric.into(), value, row.reason.into()]);
    }
    let reading = reading(run, method_rows(run, method)?, &rows);
    let reading = reading.map(|words| Block::Reading(words).of(Basis::of_metric_of(ECE.id, run)));
    let table = Block::Table(table).of(Basis::Lines(basis));
    let mut blocks: Vec<_> = reading.into_iter().chain([table]).collect();
    let scripts: Vec<&LibraryRow> = rows.iter().filter(|row| row.script).collect();
    if !scripts.is_empty() {
        // the most confident tenth, and the sizes of ties, can be read off
        blocks.push(Block::Table(published::published_table(&scripts)).of(Basis::Unknown));
        let n = method_rows(run, method)?.score.len();
        blocks.push(Block::Note(published::who_counts(data, n)).of(Basis::Count(n as u64)));
    }
    Ok(LibrariesOutcome { rows, sheet: Sheet::new(Vec::new(), blocks) })
}

/// "The expected calibration error of these rows is 0.0261 to 0.0327, depending on the library; the report says 0.0266."
fn reading(run: &RunOutcome, of: &MethodRows, rows: &[LibraryRow]) -> Option<String> {
    let printed = rows.iter().filter(|row| row.ours == ECE.id && !row.script).filter_map(|row| row.value);
    let ends = printed.fold(None, |ends: Option<(f64, f64)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    });
    let (low, high) = ends?;
    let report = run.report.methods.iter().find(|found| found.name == of.method.name)?;
    let ours = report.metrics.get(ECE.id).and_then(|metric| metric.value);
    let how = if of.weights().is_some() { "unweighted " } else { "" };
    let ours = ours.map_or_else(String::new, |ours| match of.weights() {
        Some(_) => format!("; the report shows {}, with weights", significant(ours)),
        None => format!("; the report shows {}", significant(ours)),
    });
    let range = match (significant(low), significant(high)) {
        (low, high) if low == high && rows.iter().any(|row| row.script) => {
            format!("{low} in all libraries of the first table")
        }
        (low, high) if low == high => format!("{low} in all libraries"),
        (low, high) => format!("{low} to {high}, depending on the library"),
    };
    Some(format!("The {how}ECE of these rows is {range}{ours}."))
}

/// What the libraries print by default for the scores of `method` (default: `none`), in double precision.
///
/// In the positive view they are given P(y = 1) and the outcome, else the confidence of the predicted class and
/// whether it was right. `progress` receives the share that is done.
///
/// # Errors
/// `unknown_method` for a method that was not run; those of the metrics.
///
/// # Cost
/// A dozen passes and two sorts; of confidences, up to a thousand draws of the outcomes.
pub fn library_rows(
    data: &Predictions,
    run: &RunOutcome,
    method: Option<&str>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<LibraryRow>> {
    let rows = method_rows(run, method)?;
    let defaults = Defaults {
        s: &rows.score,
        t: &rows.target,
        binary: data.view == View::Positive,
        weighted: rows.weights().is_some(),
        classes: (data.view != View::Positive && pair::has_vector(data)).then(|| pair::classes(data)),
        report: run.report.methods.iter().find(|found| found.name == rows.method.name),
    };
    let mut out = [
        defaults.scikit_learn()?,
        defaults.torchmetrics()?,
        defaults.netcal()?,
        defaults.relplot()?,
        defaults.verified_calibration()?,
        defaults.probmetrics()?,
        defaults.mapie()?,
        defaults.clinical()?,
    ]
    .concat();
    if !defaults.binary {
        out.extend(published::published_rows(defaults.s, defaults.t, progress)?);
    }
    Ok(out)
}

/// What each library is given, with its default settings.
struct Defaults<'a> {
    s: &'a [f64],
    t: &'a [u8],
    binary: bool,
    weighted: bool,
    /// number of classes, if confidences are evaluated and the file has a probability for every class
    classes: Option<usize>,
    report: Option<&'a MethodReport>,
}

impl Defaults<'_> {
    /// The report's value of all classes, which is weighted where rows are: there is none without weights.
    fn of_all_classes(&self, metric: &Metric) -> Option<f64> {
        let value = self.report.and_then(|report| report.metrics.get(metric.id)?.value);
        value.filter(|_| !self.weighted)
    }

    fn brier(&self) -> Result<Option<f64>> {
        Ok(match self.classes {
            Some(2) => self.of_all_classes(&BRIER).map(|value| value / 2.0),
            Some(_) => self.of_all_classes(&BRIER),
            None => Some(brier_pair(self.s, self.t)?),
        })
    }

    fn scikit_learn(&self) -> Result<Vec<LibraryRow>> {
        let library = "scikit-learn";
        let brier_reason = match (self.classes.is_some(), self.weighted) {
            (true, true) => "Of all classes, not computed without the weights of the report.",
            (true, false) => "The sum over all classes, from 0 to 2; with two classes it halves that.",
            (false, true) => "Unweighted; the report weights rows.",
            (false, false) => "The same.",
        };
        let log_loss = match self.classes {
            Some(_) => self.of_all_classes(&NLL),
            None => Some(log_loss_pair(self.s, self.t, f64::EPSILON)?),
        };
        let log_loss_reason = match self.weighted {
            true => brier_reason,
            false => {
                "The same, unless an outcome that occurred has probability 0: it clips at 2e-16, the report at 1e-15."
            }
        };
        let none = "Not provided; calibration_curve plots 5 right-closed bins.";
        Ok(vec![
            row(library, "brier_score_loss", &BRIER, self.brier()?, brier_reason),
            row(library, "log_loss", &NLL, log_loss, log_loss_reason),
            row(library, "expected calibration error", &ECE, None, none),
        ])
    }

    fn torchmetrics(&self) -> Result<Vec<LibraryRow>> {
        let table = hidden_one(self.s, self.t)?;
        let hidden = "15 left-closed bins, and a hidden 16th for scores of exactly 1.";
        Ok(vec![
            row("torchmetrics", "CalibrationError(l1)", &ECE, ece(&table), hidden),
            row("torchmetrics", "CalibrationError(max)", &MCE, mce(&table, 1), hidden),
        ])
    }

    fn netcal(&self) -> Result<Vec<LibraryRow>> {
        let ten = BinOptions { edges: Edges::Numpy, ..BinOptions::equal_width(10) };
        let table = reliability_table(self.s, self.t, &ten)?;
        let edges = "10 bins, not 15; edges are rounded as in numpy, so a score on an edge can fall one bin lower.";
        Ok(vec![row("netcal", "ECE", &ECE, ece(&table), edges), row("netcal", "MCE", &MCE, mce(&table, 1), edges)])
    }

    fn relplot(&self) -> Result<Vec<LibraryRow>> {
        let value = gridded_smooth_ece(self.s, self.t)?;
        Ok(vec![row(
            "relplot",
            "smECE",
            &SMECE,
            Some(value),
            "It distributes scores over a grid of at least 1,001 nodes, whose end nodes have half weight: with many \
             scores within 0.001 of 0 or 1, the value differs by up to 0.02.",
        )])
    }

    fn verified_calibration(&self) -> Result<Vec<LibraryRow>> {
        let library = "verified_calibration";
        let right = BinOptions { closed: Closed::Right, ..BinOptions::default() };
        let table = reliability_table(self.s, self.t, &right)?;
        let debiased = debiased_ece(self.s, self.t, 15, DiscreteBins::Auto)?.l2;
        Ok(vec![
            row(library, "get_ece", &ECE, ece(&table), "15 right-closed bins instead of left-closed."),
            row(
                library,
                "get_calibration_error",
                &DEBIASED_ECE_L2,
                Some(debiased),
                "Root of the debiased mean squared gap in 15 bins of equal mass; one bin per value if there are few \
                 distinct values.",
            ),
        ])
    }

    fn probmetrics(&self) -> Result<Vec<LibraryRow>> {
        let of_torch = ece(&hidden_one(self.s, self.t)?);
        let mut rows = vec![row("probmetrics", "ece-15", &ECE, of_torch, "Calls torchmetrics.")];
        if self.binary {
            let value = self.brier()?.map(|value| 2.0 * value);
            rows.push(row("probmetrics", "brier", &BRIER, value, "Sum over both classes, twice the binary score."));
        }
        Ok(rows)
    }

    fn mapie(&self) -> Result<Vec<LibraryRow>> {
        let table = hidden_zero(self.s, self.t)?;
        let edges = "50 edges define 49 right-closed bins; scores of exactly 0 have a separate bin.";
        Ok(vec![row("MAPIE", "expected_calibration_error", &ECE, ece(&table), edges)])
    }

    /// The two clinical libraries, which are written in R.
    fn clinical(&self) -> Result<Vec<LibraryRow>> {
        let (rms, curves) = ("rms val.prob", "CalibrationCurves");
        if !self.binary {
            let events =
                "It takes the probability of an event and its occurrence; the report evaluates confidence here.";
            return Ok([rms, curves].map(|library| row(library, "slope", &SLOPE, None, events)).to_vec());
        }
        let kept = || self.s.iter().zip(self.t).filter(|(s, _)| **s > 0.0 && **s < 1.0);
        let (si, ti): (Vec<f64>, Vec<u8>) = kept().unzip();
        let all = si.len() == self.s.len();
        let (mut intercept, mut large, mut slope) = (None, None, None);
        if !si.is_empty() {
            let cox = intercept_slope(&si, &ti)?;
            intercept = cox.intercept_joint.map(|found| found.value);
            slope = cox.slope.map(|found| found.value);
            large = cox.intercept_large.map(|found| found.value);
        }
        let index = calibration_index(self.s, self.t)?;
        let dropped = if all {
            "The same; the intercept is that of the fit with a free slope."
        } else {
            "It excludes rows with scores of exactly 0 or 1 from the logistic fit; the report clips them."
        };
        let smoother = "The same smoother: lowess without robustness steps.";
        let reason = if all {
            "Its intercept is that with the slope fixed at 1: calibration in the large."
        } else {
            "By default it fails for scores of exactly 0 or 1."
        };
        let loess = "Not computed: its loess is quadratic over 3/4 of the rows, that of the report linear over 2/3.";
        Ok(vec![
            row(rms, "Intercept", &INTERCEPT_JOINT, intercept, dropped),
            row(rms, "Slope", &SLOPE, slope, dropped),
            row(rms, "Eavg", &ICI, Some(index.ici), smoother),
            row(rms, "E90", &E90, Some(index.e90), smoother),
            row(rms, "Emax", &EMAX, Some(index.emax), smoother),
            row(curves, "Intercept", &INTERCEPT_LARGE, large.filter(|_| all), reason),
            row(curves, "Slope", &SLOPE, slope.filter(|_| all), if all { "The same." } else { reason }),
            row(curves, "ICI", &ICI, None, loess),
        ])
    }
}

/// A number of a library, and why it differs.
#[inline(never)]
fn row(
    library: &'static str,
    metric: &'static str,
    ours: &Metric,
    value: Option<f64>,
    reason: &'static str,
) -> LibraryRow {
    LibraryRow {
        library,
        metric,
        value,
        ours: ours.id,
        reason,
        script: false,
        printed: None,
        written: published::Written::default(),
        range: None,
        floor: None,
    }
}

/// Fifteen left-closed bins, and one for scores of 1.
fn hidden_one(s: &[f64], t: &[u8]) -> Result<Vec<ReliabilityBin>> {
    let mut edges: Vec<f64> = (0..=15).map(|i| f64::from(i) / 15.0).collect();
    edges.push(2.0);
    table(s, t, edges, Closed::Left)
}

/// A bin for scores of 0, and forty-nine right-closed ones between fifty edges.
fn hidden_zero(s: &[f64], t: &[u8]) -> Result<Vec<ReliabilityBin>> {
    let inner = (0..50).map(|i| if i == 49 { 1.0 } else { f64::from(i) * (1.0 / 49.0) });
    table(s, t, std::iter::once(-1.0).chain(inner).collect(), Closed::Right)
}

fn table(s: &[f64], t: &[u8], edges: Vec<f64>, closed: Closed) -> Result<Vec<ReliabilityBin>> {
    let edges = BinEdges { edges, closed, equal_width: false };
    // As those libraries compare: to the last bit.
    let inner = edges.edges.get(1..edges.count()).unwrap_or(&[]);
    let bin = |s: &f64| match closed {
        Closed::Left => inner.partition_point(|edge| edge <= s),
        Closed::Right => inner.partition_point(|edge| edge < s),
    };
    let assignment = s.iter().map(|s| bin(s) as u32).collect();
    reliability_bins(s, t, &Binning { edges, assignment, ranked: None })
}
