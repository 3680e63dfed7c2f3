//! Rows with scores, targets, confidence bins and features; kernel sums that never leave a bin.

use crate::kernel::{self, Kernel, KernelSums, Part, Points, Queries};
use crate::num::cluster::RowClusters;
use crate::num::weight::{RowWeights, weight};
use crate::{Error, Result};

/// The bin of a query or row that belongs to none.
pub const NO_BIN: u32 = u32::MAX;

/// What local calibration is measured on: one score, target, bin and place per row.
#[derive(Debug, Clone, Copy)]
pub struct LocalSample<'a> {
    /// Scores s in [0, 1].
    pub score: &'a [f64],
    /// Targets t, 0 or 1.
    pub target: &'a [u8],
    /// Confidence bin; [`NO_BIN`] leaves a row out.
    pub bin: &'a [u32],
    /// Coordinates that define the similarity of rows.
    pub features: Points<'a>,
    /// Sample weights w; none where every row counts once.
    pub weight: RowWeights<'a>,
    /// Rows that belong together; none where they are independent.
    pub clusters: Option<RowClusters<'a>>,
}

impl<'a> LocalSample<'a> {
    /// Rows from columns of equal length.
    ///
    /// # Errors
    /// `length_mismatch` if the columns differ in length; `label_out_of_range` if a target is not 0 or 1;
    /// `not_a_number` if a score is not finite.
    ///
    /// # Cost
    /// One pass.
    pub fn new(score: &'a [f64], target: &'a [u8], bin: &'a [u32], features: Points<'a>) -> Result<Self> {
        let n = score.len();
        if target.len() != n || bin.len() != n || features.n() != n {
            return Err(Error::new(
                "length_mismatch",
                format!(
                    "{n} scores, {} targets, {} bins and {} rows of features",
                    target.len(),
                    bin.len(),
                    features.n()
                ),
                "scores, targets and features must describe the same rows",
            ));
        }
        if let Some(row) = target.iter().position(|target| *target > 1) {
            return Err(Error::new(
                "label_out_of_range",
                format!("the target of row {} is {}, not 0 or 1", row + 1, target[row]),
                "use 1 for what the score predicts and 0 for the rest",
            ));
        }
        if let Some(row) = score.iter().position(|score| !score.is_finite()) {
            return Err(Error::new(
                "not_a_number",
                format!("the score of row {} is not finite", row + 1),
                "drop the row or correct the score",
            ));
        }
        Ok(Self { score, target, bin, features, weight: None, clusters: None })
    }

    /// The same rows with sample weights, one a row.
    pub fn with_weights(self, weight: RowWeights<'a>) -> Self {
        Self { weight, ..self }
    }

    /// The same rows in clusters: outcomes are then redrawn, and rows resampled, together.
    pub fn with_clusters(self, clusters: Option<RowClusters<'a>>) -> Self {
        Self { clusters, ..self }
    }

    /// Sample weight of a row.
    pub fn weight(&self, row: usize) -> f64 {
        weight(self.weight, row)
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.score.len()
    }

    /// Signed residual s − t of a row.
    pub fn residual(&self, row: usize) -> f64 {
        self.score[row] - f64::from(self.target[row])
    }
}

/// Where local quantities are wanted.
#[derive(Debug, Clone, Copy)]
pub enum LocalQueries<'a> {
    /// At the rows of the sample.
    Sample {
        /// Leave each row out of its own sum.
        leave_one_out: bool,
    },
    /// At places that a fit is applied to, each in a bin of its own: an answer depends on its own place alone (see
    /// [`kernel::sums_of_fit`]).
    Applied {
        /// Bin of each query.
        bin: &'a [u32],
        /// Place of each query.
        features: Points<'a>,
    },
    /// At other places, each in a bin of its own.
    At {
        /// Bin of each query.
        bin: &'a [u32],
        /// Place of each query.
        features: Points<'a>,
    },
}

/// Rows of each bin, bins ascending, rows in order; rows without a bin are left out.
pub(super) fn rows_by_bin(bins: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let mut groups = std::collections::BTreeMap::<u32, Vec<u32>>::new();
    for (row, bin) in (0u32..).zip(bins) {
        if *bin != NO_BIN {
            groups.entry(*bin).or_default().push(row);
        }
    }
    groups.into_iter().collect()
}

/// Kernel means of `k` right-hand sides, each query meeting the rows of its own bin only.
///
/// `weights` is row-major, rows of the sample × `k`. A query whose bin holds no row has mass 0 and mean `NaN`.
///
/// # Errors
/// As [`kernel::sums`]; `length_mismatch` if queries have different numbers of bins and places.
///
/// # Cost
/// That of [`kernel::sums`], summed over bins.
pub fn within_bins(
    sample: &LocalSample,
    queries: &LocalQueries,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
) -> Result<KernelSums> {
    within_bins_with_progress(sample, queries, weights, k, kernel, n_eff, part, &mut |_| ())
}

/// As [`within_bins`]; `progress` hears after each bin which share of the queries is done.
///
/// # Errors
/// As [`within_bins`].
#[allow(clippy::too_many_arguments)]
pub fn within_bins_with_progress(
    sample: &LocalSample,
    queries: &LocalQueries,
    weights: &[f64],
    k: usize,
    kernel: Kernel,
    n_eff: bool,
    part: Part,
    progress: &mut dyn FnMut(f64),
) -> Result<KernelSums> {
    kernel.check()?;
    let (query_bin, places) = match queries {
        LocalQueries::Sample { .. } => (sample.bin, sample.features),
        LocalQueries::At { bin, features } | LocalQueries::Applied { bin, features } => (*bin, *features),
    };
    if query_bin.len() != places.n() || places.d() != sample.features.d() || weights.len() != sample.n() * k {
        return Err(Error::new(
            "length_mismatch",
            format!(
                "{} bins for {} queries of {} features, {} weights for {} rows of {} features",
                query_bin.len(),
                places.n(),
                places.d(),
                weights.len(),
                sample.n(),
                sample.features.d()
            ),
            "queries need one bin each and the same features as the sample",
        ));
    }
    let mut all = KernelSums::unanswered(query_bin.len(), k, n_eff);
    let sources = rows_by_bin(sample.bin);
    let mut done = 0;
    for (bin, asked) in rows_by_bin(query_bin) {
        let Ok(found) = sources.binary_search_by_key(&bin, |(bin, _)| *bin) else {
            continue;
        };
        let rows = &sources[found].1;
        let places_here = sample.features.gather(rows);
        let mut weights_here = Vec::with_capacity(rows.len() * k);
        for &row in rows {
            weights_here.extend_from_slice(&weights[row as usize * k..(row as usize + 1) * k]);
        }
        let here = Points::row_major(sample.features.d(), &places_here)?;
        let sums = match queries {
            LocalQueries::Sample { leave_one_out } => {
                let own = Queries::Sources { leave_one_out: *leave_one_out };
                kernel::sums(own, here, &weights_here, k, kernel, n_eff, part)?
            }
            LocalQueries::Applied { .. } => {
                let values = places.gather(&asked);
                let at = Points::row_major(places.d(), &values)?;
                kernel::sums_of_fit(at, here, &weights_here, k, kernel, n_eff, part)?
            }
            LocalQueries::At { .. } => {
                let values = places.gather(&asked);
                let at = Queries::At(Points::row_major(places.d(), &values)?);
                kernel::sums(at, here, &weights_here, k, kernel, n_eff, part)?
            }
        };
        all.engine = sums.engine;
        all.additive |= sums.additive;
        all.scatter(&asked, &sums);
        done += asked.len();
        progress(done as f64 / query_bin.len() as f64);
    }
    // Queries without company: answered, with nothing in the sum.
    if part.index == 0 {
        all.answer_rest(|q| sources.binary_search_by_key(&query_bin[q], |(bin, _)| *bin).is_err());
    }
    Ok(all)
}
