//! The KLCE test as shares of work that add up: which engine draws what, and what all shares say together.

use serde::{Deserialize, Serialize};

use super::draws::{Draws, Null};
use super::low_rank::Factor;
use super::pairs::{column_sums, gathered};
use super::power::approximate;
use super::{
    KernelSpread, Klce, KlceKernel, KlceSample, KlceTestOutcome, NullOutcome, PairSums, label_draws, null_comparison,
    product_draws, projected_draws, statistics,
};
use crate::kernel::Part;
use crate::num::quantile::quantile_sorted;
use crate::table::Column;

/// Up to here every draw is computed pair by pair in double precision: ties matter in small samples.
pub(super) const EXACT_ROWS: usize = 512;
/// From here on a low rank is looked for: for labels, and for shuffles, which are slower otherwise.
const RANK_ROWS: (usize, usize) = (16_000, 6_000);
/// Columns of a factor at most.
const RANK_CAP: (usize, usize) = (400, 800);
/// Numbers in a share of a factor's sums at most, and in all shares.
const MOST_SUMS: (usize, usize) = (4_500_000, 16_000_000);
/// Maximum milliseconds of label draws on one core; with more, fewer draws are made.
const LABELS_MS: f64 = 60_000.0;
/// Maximum milliseconds of permutation draws, whose p-values do not enter the verdict.
const SHUFFLES_MS: f64 = 10_000.0;
/// Fewest draws.
const LEAST_DRAWS: usize = 100;
/// In single precision, differences below this share of Σ |e_i K_ij e_j| are ties.
pub(super) const SINGLE_TIE: f64 = 1e-7;
/// And a spread below this share is none.
pub(super) const SINGLE_SPREAD: f64 = 3e-7;

/// How draws are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KlceEngine {
    /// pair by pair in double precision
    Exact,
    /// every pair, by tables of subset sums
    SubsetSums,
    /// every pair, by products in single precision
    Products,
    /// a low-rank factor of the kernel
    LowRank,
}

/// Draws of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawTask {
    /// what is drawn
    pub kind: Draws,
    /// how many
    pub draws: usize,
    /// how
    pub engine: KlceEngine,
}

/// Everything that the shares of a KLCE test need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceWork {
    /// the rows
    pub sample: KlceSample,
    /// the kernel
    pub kernel: KlceKernel,
    /// similarity of rows
    pub spread: KernelSpread,
    /// the nulls that were asked for
    pub nulls: Vec<Null>,
    /// their draws
    pub tasks: Vec<DrawTask>,
    /// a low rank, where one was found
    pub factor: Option<Factor>,
    /// seed of the draws
    pub seed: u64,
    /// a code that says why there is a statistic, but no null: the outcome defines the similarity of rows, or rows are dependent
    #[serde(default)]
    pub no_test: Option<String>,
}

/// What one part of the work found; shares add up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KlceShare {
    /// T, Σ K, Σ |eKe| and Σ K² over pairs of different rows, in double precision: four for every column of tiles
    sums: Column<f64>,
    /// by task: T of every draw and of what was observed; with a factor Σ (ΦΦᵀ)_ii e_i² of the same
    draws: Vec<Column<f64>>,
    /// by task: sums of Φᵀe, where there is a factor
    projected: Vec<Column<f64>>,
    /// tr(R)
    trace: f64,
}

/// Expected milliseconds on one core of the test on `n` rows with `d` coordinates and `planes` residuals each.
pub fn klce_cost(n: usize, d: usize, planes: usize, draws: usize, nulls: &[Null]) -> f64 {
    let pairs = (n * n) as f64 / 2.0;
    let (draws, planes) = (draws as f64, planes as f64);
    let has = |kind: Draws| nulls.iter().any(|null| null.draws() == kind);
    let mut cost = pairs * (2e-6 + 3e-7 * (d as f64 + planes));
    if has(Draws::Labels) {
        cost += (pairs * draws * planes * LABEL_MS).min(LABELS_MS);
    }
    for kind in [Draws::Permuted, Draws::Repeated] {
        if has(kind) {
            cost += (pairs * draws * planes * PRODUCT_MS).min(SHUFFLES_MS);
        }
    }
    cost
}

/// Milliseconds per pair, draw and plane.
const LABEL_MS: f64 = 1.2e-8;
const PRODUCT_MS: f64 = 1.2e-7;

impl KlceWork {
    /// Chooses engines for `draws` draws of every null.
    ///
    /// Cost: up to a second where a low rank is looked for (n ≥ 6,000).
    pub fn new(sample: KlceSample, kernel: KlceKernel, nulls: &[Null], draws: usize, seed: u64) -> Self {
        let n = sample.n();
        let kinds = [Draws::Labels, Draws::Permuted, Draws::Repeated];
        let wanted = kinds.into_iter().filter(|kind| nulls.iter().any(|null| null.draws() == *kind));
        let kinds: Vec<Draws> = if draws == 0 { Vec::new() } else { wanted.collect() };
        let shuffles = kinds.iter().any(|kind| *kind != Draws::Labels);
        let wide = sample.planes() * (draws + 1);
        let factor = if (shuffles && n >= RANK_ROWS.1) || (!kinds.is_empty() && n >= RANK_ROWS.0) {
            let cap = if shuffles { RANK_CAP.1 } else { RANK_CAP.0 };
            Factor::find(&sample, cap.min(MOST_SUMS.0 / wide))
        } else {
            None
        };
        let pairs = (n * n) as f64 / 2.0 * sample.planes() as f64;
        let task = |kind: Draws| {
            let engine = match (&factor, kind) {
                (Some(_), _) => KlceEngine::LowRank,
                _ if n <= EXACT_ROWS => KlceEngine::Exact,
                (None, Draws::Labels) => KlceEngine::SubsetSums,
                (None, _) => KlceEngine::Products,
            };
            let affordable = match engine {
                KlceEngine::SubsetSums => (LABELS_MS / (pairs * LABEL_MS)) as usize,
                KlceEngine::Products => (SHUFFLES_MS / (pairs * PRODUCT_MS)) as usize,
                KlceEngine::Exact | KlceEngine::LowRank => draws,
            };
            DrawTask { kind, draws: draws.min(affordable.max(LEAST_DRAWS)), engine }
        };
        Self {
            spread: KernelSpread::of(&sample),
            tasks: kinds.into_iter().map(task).collect(),
            nulls: nulls.to_vec(),
            sample,
            kernel,
            factor,
            seed,
            no_test: None,
        }
    }

    /// The share of one part.
    ///
    /// # Cost
    /// That of [`klce_cost`], divided by the number of parts; `label_draws`, `product_draws` or `projected_draws`, as the tasks say.
    pub fn share(&self, part: Part) -> KlceShare {
        let sample = &self.sample;
        let mut share = KlceShare::default();
        let mut sums = None;
        for task in &self.tasks {
            let factor = self.factor.as_ref();
            let found = add_draws(sample, *task, factor, self.seed, part, &mut share);
            sums = found.or(sums);
        }
        let sums = sums.unwrap_or_else(|| column_sums(sample, part));
        share.sums = sums.iter().flat_map(PairSums::numbers).collect();
        share
    }

    /// What all shares say together, in the order of their parts.
    ///
    /// # Cost
    /// O(draws) per share, and one sort of the draws.
    pub fn merged(&self, shares: &[&KlceShare]) -> KlceTestOutcome {
        let n = self.sample.n();
        let of = |share: &&KlceShare| share.sums.chunks_exact(4).map(PairSums::of).collect();
        let sums = gathered(n, &shares.iter().map(of).collect::<Vec<_>>());
        let own = self.sample.residuals().iter().map(|e| e * e).sum();
        let klce = Klce::new(n, &sums, own);
        let mut found = KlceTestOutcome {
            n,
            kernel: self.kernel,
            spread: self.spread,
            statistic: sums.statistic,
            mass: sums.mass,
            normalized: klce.normalized,
            unbiased: klce.unbiased,
            debiased_ratio: klce.debiased_ratio,
            power: None,
            search: None,
            nulls: Vec::new(),
        };
        if n < 2 {
            return found;
        }
        for (at, task) in self.tasks.iter().enumerate() {
            let mut draws = totals(at, task.engine, shares);
            let observed = draws.pop().unwrap_or(f64::NAN);
            let exact = task.engine == KlceEngine::Exact;
            let tie = sums.absolute * if exact { 1e-12 } else { SINGLE_TIE };
            let spread = if exact { 1e-12 * sums.statistic.abs() } else { SINGLE_SPREAD * sums.absolute };
            let trace = (task.engine == KlceEngine::LowRank)
                .then(|| shares.iter().map(|share| share.trace).sum::<f64>() / n as f64);
            for null in self.nulls.iter().filter(|null| null.draws() == task.kind) {
                let all_equal_residuals = *null != Null::Bernoulli && all_equal(&self.sample);
                let standing = null_comparison(*null, &draws, observed, tie, spread);
                let p = if all_equal_residuals { Err("residuals_alike") } else { standing.p };
                found.nulls.push(NullOutcome {
                    null: *null,
                    engine: task.engine,
                    p: p.ok(),
                    reason: p.err().map(str::to_owned),
                    mean: standing.mean,
                    sd: standing.sd,
                    error: if standing.sd > 0.0 { (observed - sums.statistic).abs() / standing.sd } else { 0.0 },
                    trace,
                    tie,
                    quantiles: quantiles(&draws),
                    draws: draws.clone().into(),
                });
            }
        }
        found
    }

    /// As [`KlceWork::merged`], with what a test at level `alpha` would have caught by approximation, and where a simulation begins.
    pub fn merged_with_power(&self, shares: &[&KlceShare], alpha: f64) -> KlceTestOutcome {
        let mut found = self.merged(shares);
        let null = found.under(Null::Bernoulli);
        let known = null.and_then(|null| Some((approximate(&self.sample, &null.draws, alpha)?, null.tie)));
        if let Some(((power, mut search), tie)) = known {
            search.critical += tie;
            (found.power, found.search) = (Some(power), Some(search));
        }
        found
    }

    /// The whole test on this thread, in one part.
    ///
    /// # Cost
    /// See [`klce_cost`].
    ///
    /// # Source
    /// Vashistha and Farahi (2025), I-trustworthy models, algorithm 1; the Bernoulli null in place of permutations.
    ///
    /// ```
    /// use localcal_numerics::hypothesis::{Null, KlceKernel, KlceSample, KlceWork};
    /// use localcal_numerics::kernel::Points;
    /// use ndarray::Array2;
    ///
    /// // ten rows at one place, each said to be ½, and all of them happen: T = 10 · 9 · ¼
    /// let (p, y, x) = ([0.5; 10], [1; 10], Array2::zeros((10, 1)));
    /// let kernel = KlceKernel::usual(1);
    /// let sample = KlceSample::pairs(&p, &y, Points::new(x.view())?, kernel)?;
    /// let found = KlceWork::new(sample, kernel, &[Null::Bernoulli], 999, 0).run();
    /// assert_eq!(found.statistic, 22.5);
    /// // as one-sided are 2 of 2¹⁰ draws
    /// assert!(found.under(Null::Bernoulli).unwrap().p.unwrap() < 0.01);
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn run(&self) -> KlceTestOutcome {
        self.merged(&[&self.share(Part::WHOLE)])
    }

    /// An outcome of this work, without p-values where there is no null.
    pub fn tested(&self, found: KlceTestOutcome) -> KlceTestOutcome {
        match &self.no_test {
            Some(why) => found.without_test(why),
            None => found,
        }
    }
}

/// Appends the statistics of one task to a share; the sums of its columns where they came along.
pub(super) fn add_draws(
    sample: &KlceSample,
    task: DrawTask,
    factor: Option<&Factor>,
    seed: u64,
    part: Part,
    share: &mut KlceShare,
) -> Option<Vec<PairSums>> {
    let (draws, width) = (task.draws, task.draws + 1);
    let mut sums = None;
    let mut projected = Column::default();
    let found = match (task.engine, factor) {
        (KlceEngine::SubsetSums, _) => {
            let (pairs, found) = label_draws(sample, seed, draws, part);
            sums = Some(pairs);
            found
        }
        (KlceEngine::LowRank, Some(factor)) => {
            // Rows go to a few parts only: each of them answers with all sums.
            let size = factor.rank() * sample.planes() * width;
            let of = (MOST_SUMS.1 / size.max(1)).clamp(1, part.of.max(1));
            if part.index < of {
                let of = Part { index: part.index, of };
                let found = projected_draws(sample, factor, task.kind, seed, draws, of);
                share.trace = found.trace;
                projected = found.sums.into();
                found.own
            } else {
                vec![0.0; width]
            }
        }
        (engine, _) => {
            let of = part.of.max(1);
            let range = width * part.index / of..width * (part.index + 1) / of;
            let exact = engine == KlceEngine::Exact;
            let mut found = vec![0.0; width];
            let own = product_draws(sample, task.kind, seed, draws, range.clone(), exact);
            found[range].copy_from_slice(&own);
            found
        }
    };
    share.draws.push(found.into());
    share.projected.push(projected);
    sums
}

/// T of every draw of task `at` and of what was observed, from all shares.
pub(super) fn totals(at: usize, engine: KlceEngine, shares: &[&KlceShare]) -> Vec<f64> {
    let draws = added(shares.iter().filter_map(|share| share.draws.get(at)));
    if engine != KlceEngine::LowRank {
        return draws;
    }
    let projected = added(shares.iter().filter_map(|share| share.projected.get(at)));
    statistics(&projected, &draws)
}

fn added<'a>(shares: impl Iterator<Item = &'a Column<f64>>) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for share in shares.filter(|share| !share.is_empty()) {
        sum.resize(share.len().max(sum.len()), 0.0);
        sum.iter_mut().zip(share.iter()).for_each(|(a, b)| *a += b);
    }
    sum
}

/// Whether every row has the same residuals: shuffling them changes nothing.
fn all_equal(sample: &KlceSample) -> bool {
    let e = sample.residuals();
    let (first, rest) = e.split_at(sample.planes().min(e.len()));
    rest.chunks_exact(first.len().max(1)).all(|row| row == first)
}

/// Quantiles 2.5, 25, 50, 75, 95, 97.5 %.
fn quantiles(draws: &[f64]) -> [f64; 6] {
    let mut sorted = draws.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    [0.025, 0.25, 0.5, 0.75, 0.95, 0.975].map(|q| quantile_sorted(&sorted, q).unwrap_or(f64::NAN))
}
