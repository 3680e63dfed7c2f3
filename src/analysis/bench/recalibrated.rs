//! How much of a planted bias a recalibration corrects: fitted on half of the rows of a simulated file, held against the truth on the
//! other half.

use serde::{Deserialize, Serialize};

use super::world::World;
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::method::{MethodKind, MethodSpec, fit};
use crate::evaluation::request::RunRequest;
use crate::num::moments::mean_and_sd;
use crate::num::order::ascending;
use crate::num::rng::Lanes;
use crate::report::RunOutcome;
use crate::run::plan::methods::methods;

/// Streams that deal rows to halves.
const HALVES: u64 = 1 << 52;

/// What became of the planted rows of one simulated file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RecalibratedFile {
    /// mean score − mean truth of the planted rows, before
    gap_before: f64,
    /// the same after
    gap_after: f64,
    /// √ mean (score − truth)² of all rows, before
    rmse_before: f64,
    /// the same after
    rmse_after: f64,
}

/// What became of some files, or why a recalibration cannot be fitted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecalibratedFiles {
    pub(super) files: Vec<RecalibratedFile>,
    pub(super) reason: Option<String>,
}

/// A mean over simulated data sets with its 95% CI.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileMean {
    /// mean over data sets
    pub value: f64,
    /// lower limit of its 95% CI (Student's t)
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
}

impl FileMean {
    fn of(values: &[f64]) -> Option<Self> {
        let (value, sd) = mean_and_sd(values);
        // of a mean of few files the normal distribution would make too narrow an interval
        let t = statrs::distribution::StudentsT::new(0.0, 1.0, (values.len() as f64 - 1.0).max(1.0)).ok()?;
        let half = statrs::distribution::ContinuousCDF::inverse_cdf(&t, 0.975) * sd / (values.len() as f64).sqrt();
        value.is_finite().then_some(Self { value, low: value - half, high: value + half })
    }
}

/// Effect of a recalibration method on the simulated data sets of one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchRecalibration {
    /// name of the method
    pub method: String,
    /// rows in each data set
    pub rows: usize,
    /// planted bias δ in logits
    pub size: f64,
    /// number of simulated data sets
    pub simulations: usize,
    /// mean score − mean truth of the biased rows, original predictions
    pub gap_before: Option<FileMean>,
    /// mean score − mean truth of the biased rows, recalibrated
    pub gap_after: Option<FileMean>,
    /// √ mean (score − truth)² over all rows, original predictions
    pub rmse_before: Option<FileMean>,
    /// √ mean (score − truth)² over all rows, recalibrated
    pub rmse_after: Option<FileMean>,
    /// change of the RMSE, paired by data set; negative: closer to the truth
    pub rmse_change: Option<FileMean>,
    /// why it could not be fitted
    pub reason: Option<String>,
}

impl BenchRecalibration {
    pub(super) fn of(method: &str, rows: usize, size: f64, parts: &[&RecalibratedFiles]) -> Self {
        let files: Vec<RecalibratedFile> = parts.iter().flat_map(|part| part.files.iter().copied()).collect();
        let mean = |of: &dyn Fn(&RecalibratedFile) -> f64| FileMean::of(&files.iter().map(of).collect::<Vec<f64>>());
        Self {
            method: method.to_owned(),
            rows,
            size,
            simulations: files.len(),
            gap_before: mean(&|file| file.gap_before),
            gap_after: mean(&|file| file.gap_after),
            rmse_before: mean(&|file| file.rmse_before),
            rmse_after: mean(&|file| file.rmse_after),
            rmse_change: mean(&|file| file.rmse_after - file.rmse_before),
            reason: parts.iter().find_map(|part| part.reason.clone()),
        }
    }
}

/// The recalibration of this name: a method of the run, or one with the settings of the run.
///
/// # Errors
/// `unknown_method`, `invalid_option`.
pub(super) fn kind_of(data: &Predictions, run: &RunOutcome, name: &str) -> Result<MethodKind> {
    if let Some(known) = run.rows.iter().find(|rows| rows.method.name == name) {
        return Ok(known.method.kind.clone());
    }
    let spec = MethodSpec::Id(name.to_owned());
    let request = RunRequest { methods: Some(vec![spec]), ..run.report.settings.clone() };
    let found = methods(data, &request)?.into_iter().next();
    found.map(|method| method.kind).ok_or_else(|| Error::internal("A recalibration method has no kind."))
}

/// Fits the recalibration on half of the rows of each of the files `range` and holds it against the truth on the other half.
///
/// # Errors
/// `internal`. What keeps a recalibration from being fitted is what is found.
///
/// # Cost
/// A fit a file.
pub(super) fn recalibrated(
    data: &Predictions,
    world: &World,
    kind: &MethodKind,
    size: f64,
    seed: u64,
    range: std::ops::Range<usize>,
) -> Result<RecalibratedFiles> {
    let truth = world.truth(size);
    let mut found = RecalibratedFiles::default();
    for file in range {
        let drawn = world.drawn(&truth, seed, file);
        let drawn = with_outcomes(data, world, &drawn.target, &drawn.class);
        let [fit_places, places] = halves(world.n(), seed, file);
        let of_data = |places: &[u32]| -> Vec<u32> { places.iter().map(|&i| world.rows[i as usize]).collect() };
        let (fit_rows, rows) = (of_data(&fit_places), of_data(&places));
        let fitted = match fit(&drawn, kind, &fit_rows, &rows, None, &mut |_| ()) {
            Ok(fitted) if fitted.score.iter().all(|s| s.is_finite()) => fitted,
            Ok(_) => {
                return Ok(RecalibratedFiles {
                    files: Vec::new(),
                    reason: Some("some of its scores are not finite".into()),
                });
            }
            Err(error) if error.code() == "internal" => return Err(error),
            Err(error) => return Ok(RecalibratedFiles { files: Vec::new(), reason: Some(error.to_string()) }),
        };
        let (mut planted, mut before, mut after) = (0.0, 0.0, 0.0);
        let (mut squares_before, mut squares_after) = (0.0, 0.0);
        for (&place, &recalibrated) in places.iter().zip(fitted.score.iter()) {
            let place = place as usize;
            let (off, left) = (world.score[place] - truth[place], recalibrated - truth[place]);
            squares_before += off * off;
            squares_after += left * left;
            if world.inside[place] == 1 {
                planted += 1.0;
                before += off;
                after += left;
            }
        }
        let n = places.len().max(1) as f64;
        if planted > 0.0 {
            found.files.push(RecalibratedFile {
                gap_before: before / planted,
                gap_after: after / planted,
                rmse_before: (squares_before / n).sqrt(),
                rmse_after: (squares_after / n).sqrt(),
            });
        }
    }
    Ok(found)
}

/// Places in the world, dealt to two halves, each ascending.
fn halves(n: usize, seed: u64, file: usize) -> [Vec<u32>; 2] {
    let mut lanes = Lanes::seeded(seed, HALVES + file as u64);
    let keys: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(n).collect();
    let mut order = ascending(&keys);
    let mut other = order.split_off(n / 2);
    order.sort_unstable();
    other.sort_unstable();
    [order, other]
}

/// The data with drawn outcomes in the rows of the world; other rows keep theirs.
fn with_outcomes(data: &Predictions, world: &World, target: &[u8], class: &[u32]) -> Predictions {
    let mut drawn = data.clone();
    for (place, &row) in world.rows.iter().enumerate() {
        let row = row as usize;
        let observed = target.get(place).copied().unwrap_or_default();
        if let Some(y) = drawn.y.as_mut().and_then(|y| y.get_mut(row)) {
            *y = match class.get(place) {
                Some(class) => *class,
                None => outcome(data, row, *y, observed),
            };
            let right = data.predicted.as_ref().and_then(|predicted| predicted.get(row)) == Some(y);
            if let Some(correct) = drawn.correct.as_mut().and_then(|correct| correct.get_mut(row)) {
                *correct = u8::from(right);
            }
        } else if let Some(correct) = drawn.correct.as_mut().and_then(|correct| correct.get_mut(row)) {
            *correct = observed;
        }
    }
    drawn
}

/// A class by which the scored one happened, or did not: the file's own where it does, else the next.
fn outcome(data: &Predictions, row: usize, own: u32, observed: u8) -> u32 {
    let scored = match data.view {
        View::Positive => data.positive.unwrap_or(1) as u32,
        View::TopLabel => data.predicted.as_ref().and_then(|y| y.get(row)).copied().unwrap_or_default(),
    };
    match (observed == 1, own == scored) {
        (true, _) => scored,
        (false, false) => own,
        (false, true) => (scored + 1) % data.labels.len().max(2) as u32,
    }
}
