//! Rows behind maps, regions and neighborhoods: coordinates, and which rows are compared.

use std::borrow::Cow;

use super::sheet::FieldKind;
use super::view::method_rows;
use super::{MethodRows, RunOutcome};
use crate::data::folds::Split;
use crate::data::{Predictions, Role};
use crate::error::{Error, Result, phrases};
use crate::evaluation::request::EvaluateOn;
use crate::feature::{
    FeatureChoice, Features, Within, columns_of, default_choice, features_within, left_out, no_row_has_a_place,
};
use crate::kernel::{Kernel, Points};
use crate::local::{ExtremeBins, LocalSample, extreme_bins};
use crate::metric::binning::BinOptions;
use crate::project::DEFAULT_GAMMA;
use crate::report::view::request::{BinChoice, MapRequest};
use crate::words::text::counted;

/// Minimum number of rows of the best and the worst bin, if any bin has as many.
const MIN_BIN: usize = 10;

/// Rows that are evaluated together; every vector has one entry per row.
pub struct MappedRows {
    /// rows of the data, ascending
    pub rows: Vec<u32>,
    /// scores of the method
    pub score: Vec<f64>,
    /// targets
    pub target: Vec<u8>,
    /// confidence bin
    pub confidence: Vec<u32>,
    /// bin within which the row is compared: 0, or its confidence bin if only rows of the same bin are compared;
    /// subdivided by the column that neighbors must share
    pub bin: Vec<u32>,
    /// coordinates of the rows
    pub features: Features,
    /// indices of the two plotted coordinates
    pub axes: [usize; 2],
    /// kernel that defines similarity
    pub kernel: Kernel,
    /// rows with missing features, in words
    pub left_out: Option<String>,
}

/// Which rows are displayed, and which rows are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// all rows, each compared within its confidence bin: as in MLCE, mean LCE and the curves over γ
    Each,
    /// all rows, compared with each other as one bin
    Together,
    /// the rows of one bin
    Bin(u32),
}

/// Confidence bins of maps, regions and neighborhoods: the requested ones, else those of the local metrics.
pub(crate) fn bins_of(run: &RunOutcome, asked: Option<BinOptions>) -> BinOptions {
    let settings = &run.report.settings;
    let local = settings.local.as_ref().and_then(|local| local.bins);
    asked.or(local).unwrap_or(settings.bins)
}

/// Kernel and bandwidth of maps and neighborhoods: the requested ones, else those of the local metrics. A bandwidth is
/// used only with its own kernel.
///
/// # Errors
/// `invalid_option` for an unknown name or a bandwidth that is not a positive number.
pub(crate) fn kernel_of(run: &RunOutcome, kernel: Option<&str>, gamma: Option<f64>) -> Result<Kernel> {
    let local = run.report.settings.local.as_ref();
    let usual = local.and_then(|local| local.kernel.as_deref()).unwrap_or("laplacian");
    let name = kernel.unwrap_or(usual);
    let own = gamma.or_else(|| local.filter(|_| name == usual)?.gamma).unwrap_or(DEFAULT_GAMMA);
    let kernel = Kernel::parsed(name, 1.0)?.with_gamma(own);
    kernel.check()?;
    Ok(kernel)
}

/// Which rows can be neighbors: as requested, else as in the local metrics.
pub(crate) fn within_of<'a>(run: &'a RunOutcome, asked: Option<&'a str>) -> Option<&'a str> {
    asked.or_else(|| run.report.settings.local.as_ref()?.within.as_deref())
}

/// Whether each row is excluded from its own neighborhood: as requested, else as in the local metrics.
pub(crate) fn leave_one_out_of(run: &RunOutcome, asked: Option<bool>) -> bool {
    asked.unwrap_or_else(|| run.report.settings.local.as_ref().is_some_and(|local| local.leave_one_out))
}

/// The same in words, for captions and settings.
pub(crate) fn own_row_in_words(leave_one_out: bool) -> &'static str {
    if leave_one_out { "no row is its own neighbor" } else { "each row is its own neighbor" }
}

/// The requested coordinates, else those of the run, else the default.
///
/// # Errors
/// `features_missing`.
pub fn feature_choice(data: &Predictions, run: &RunOutcome, request: Option<&FeatureChoice>) -> Result<FeatureChoice> {
    let settings = run.report.settings.local.as_ref();
    let choice = request.cloned().or_else(|| settings?.features.clone());
    choice.or_else(|| default_choice(data)).ok_or_else(|| {
        Error::new(
            "features_missing",
            "The map needs feature columns, which define similarity.",
            phrases::FEATURES_OF_MAP,
        )
    })
}

/// Form field of the coordinates that define similarity: any columns and arrays that describe rows, without
/// transformation or by principal components. It displays the coordinates in use.
pub(crate) fn features_field(data: &Predictions, choice: &FeatureChoice) -> FieldKind {
    let value = columns_of(data, choice);
    let describes = |role: Role| matches!(role, Role::Feature | Role::Features | Role::Group);
    let mut choices = value.clone();
    for role in data.roles.iter().filter(|role| describes(role.role)) {
        if !choices.contains(&role.name) {
            choices.push(role.name.clone());
        }
    }
    let components = match choice {
        FeatureChoice::Pca { pca, .. } => Some(*pca),
        FeatureChoice::One(_) | FeatureChoice::Many(_) => None,
    };
    let mut ways = vec![(None, "the columns, unscaled".to_owned())];
    let mut counts = vec![USUAL_COMPONENTS];
    counts.extend(components.filter(|count| *count != USUAL_COMPONENTS));
    ways.extend(
        counts.into_iter().map(|count| (Some(count), format!("{} of them", counted(count, "principal component")))),
    );
    FieldKind::Coordinates { value, choices, components, ways }
}

/// Number of principal components offered by a form.
const USUAL_COMPONENTS: usize = 2;

/// The rows of a method that have coordinates: rows with a missing feature are excluded.
///
/// # Errors
/// `too_few_rows` if no row has coordinates.
pub(crate) fn with_places<'a>(method: &'a MethodRows, all: &Features) -> Result<Cow<'a, MethodRows>> {
    let placed = all.placed(&method.rows);
    if placed.len() == method.rows.len() {
        return Ok(Cow::Borrowed(method));
    }
    if placed.is_empty() {
        return Err(no_row_has_a_place());
    }
    Ok(Cow::Owned(method.at(&placed)))
}

/// Calibration rows if there are any that are not scored, else all scored rows.
pub(crate) fn fit_rows(
    data: &Predictions,
    run: &RunOutcome,
    rows: &MethodRows,
    choice: &FeatureChoice,
) -> Result<Vec<u32>> {
    if !matches!(choice, FeatureChoice::Pca { .. }) {
        return Ok(Vec::new()); // nothing is fitted
    }
    if run.report.settings.evaluate_on == EvaluateOn::All {
        return Ok(rows.rows.to_vec());
    }
    let calibration = Split::new(data, run.report.settings.seed)?.all_calibration_rows();
    Ok(if calibration.is_empty() { rows.rows.to_vec() } else { calibration })
}

/// Which rows a map displays and how they are compared; by default each within its confidence bin.
pub(crate) fn compared(sample: &LocalSample, choice: Option<&BinChoice>) -> Result<Compared> {
    let extreme =
        |of: &dyn Fn(ExtremeBins) -> u32| extremes(sample).map_or(Compared::Each, |bins| Compared::Bin(of(bins)));
    match choice {
        None => Ok(Compared::Each),
        Some(BinChoice::Index(bin)) => {
            let bin = *bin as u32;
            if sample.bin.contains(&bin) {
                return Ok(Compared::Bin(bin));
            }
            Err(Error::new("too_few_rows", format!("Bin {bin} contains no row."), "Choose another bin."))
        }
        Some(BinChoice::Word(word)) => match word.as_str() {
            "each" => Ok(Compared::Each),
            "all" => Ok(Compared::Together),
            "worst" => Ok(extreme(&|bins| bins.worst)),
            "best" => Ok(extreme(&|bins| bins.best)),
            other => Err(Error::new(
                "invalid_option",
                format!("Unknown bin `{other}`."),
                "Use the index of a bin, or each, all, worst or best.",
            )),
        },
    }
}

/// The best and the worst bin among those with enough rows; among all bins if none has.
pub(crate) fn extremes(sample: &LocalSample) -> Option<ExtremeBins> {
    extreme_bins(sample, MIN_BIN).or_else(|| extreme_bins(sample, 1))
}

/// The best and the worst bin with what they are called; one without either where no other has enough rows.
pub(crate) fn named_extremes(bins: ExtremeBins) -> Vec<(&'static str, u32)> {
    match bins {
        ExtremeBins { best, worst } if best == worst => vec![("bin", best)],
        ExtremeBins { best, worst } => vec![("best bin", best), ("worst bin", worst)],
    }
}

/// Indices, among the rows of a method, of the displayed ones: all, or those whose original score lies in a bin.
///
/// * `assignment`: bin of each row of `original`, the original predictions
pub(crate) fn compared_rows(
    original: &MethodRows,
    assignment: &[u32],
    method: &MethodRows,
    compared: Compared,
) -> Vec<u32> {
    let bin = match compared {
        Compared::Bin(bin) => Some(bin),
        Compared::Each | Compared::Together => None,
    };
    let before = |row: &u32| {
        let place = original.rows.binary_search(row).ok()?;
        assignment.get(place)
    };
    (0u32..)
        .zip(method.rows.iter())
        .filter(|(_, row)| bin.is_none_or(|bin| before(row) == Some(&bin)))
        .map(|(place, _)| place)
        .collect()
}

impl MappedRows {
    /// The rows that a map of this request displays, with the bin within which each is compared.
    ///
    /// # Errors
    /// Those of the map.
    pub fn new(data: &Predictions, run: &RunOutcome, request: &MapRequest) -> Result<Self> {
        let method = method_rows(run, request.method.as_deref())?;
        let choice = feature_choice(data, run, request.features.as_ref())?;
        let within = within_of(run, request.within.as_deref());
        let (all, cut) = features_within(data, &choice, within, &fit_rows(data, run, method, &choice)?)?;
        let left_out = left_out(data, &choice, within, &method.rows);
        let method = &*with_places(method, &all)?;
        let values = all.select(&method.rows);
        let options = bins_of(run, request.bins);
        let assignment = options.binning(&method.score)?.assignment;
        let places = Points::row_major(all.d, &values)?;
        let original = &*with_places(method_rows(run, None)?, &all)?;
        let first = options.binning(&original.score)?.assignment;
        let first_values = all.select(&original.rows);
        let first_places = Points::row_major(all.d, &first_values)?;
        let sample = LocalSample::new(&original.score, &original.target, &first, first_places)?;
        let compared = compared(&sample, request.bin.as_ref())?;
        let inside = compared_rows(original, &first, method, compared);
        let confidence: Vec<u32> = inside.iter().map(|&i| assignment[i as usize]).collect();
        let last = all.d.saturating_sub(1);
        let rows: Vec<u32> = inside.iter().map(|&i| method.rows[i as usize]).collect();
        let bin = if compared == Compared::Each { confidence.clone() } else { vec![0; inside.len()] };
        Ok(Self {
            score: inside.iter().map(|&i| method.score[i as usize]).collect(),
            target: inside.iter().map(|&i| method.target[i as usize]).collect(),
            bin: Within::strata(cut.as_ref(), bin, &rows),
            rows,
            confidence,
            features: Features { values: places.gather(&inside), ..all },
            axes: request.axes.unwrap_or([0, 1]).map(|axis| axis.min(last)),
            kernel: kernel_of(run, request.kernel.as_deref(), request.gamma)?,
            left_out,
        })
    }

    /// Scores, targets and coordinates for kernel sums.
    ///
    /// # Errors
    /// Those of [`LocalSample::new`].
    pub fn sample(&self) -> Result<LocalSample<'_>> {
        let places = Points::row_major(self.features.d, &self.features.values)?;
        LocalSample::new(&self.score, &self.target, &self.bin, places)
    }

    /// The plotted coordinates of row `i`.
    pub fn place_on_map(&self, i: usize) -> [f64; 2] {
        let at = |axis: usize| self.features.values.get(i * self.features.d + axis);
        self.axes.map(|axis| at(axis).copied().unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_that_is_best_and_worst_is_named_once() {
        assert_eq!(named_extremes(ExtremeBins { best: 3, worst: 3 }), [("bin", 3)]);
        assert_eq!(named_extremes(ExtremeBins { best: 4, worst: 3 }), [("best bin", 4), ("worst bin", 3)]);
    }
}
