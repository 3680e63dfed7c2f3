//! The worst neighborhoods: places where the local error is larger than chance would show anywhere.
//!
//! Of thousands of places some look bad by chance. The reference is the worst place of simulated data sets, the largest |z|
//! over all places of each (Westfall and Young, 1993). Data sets without any error have outcomes redrawn from the scores;
//! in data sets without local error residuals are permuted among rows of similar confidence.

use rand_pcg::rand_core::Rng;
use serde::{Deserialize, Serialize};

use super::resample::{stream, uniform};
use super::sample::{LocalQueries, LocalSample, rows_by_bin, within_bins};
use crate::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::num::order;
use crate::table::Column;

/// Fewer effective neighbors are too few to speak of a neighborhood.
pub const MIN_NEIGHBORS: f64 = 20.0;

/// Rows that a stratum of the permutations holds at least, where there are as many.
const MIN_STRATUM: usize = 20;

/// A smaller share of the variance is not worth a permutation.
const SLIGHT: f64 = 0.01;

/// Permutations per pass: the sums take the right-hand sides in blocks of this many.
pub const TOGETHER: usize = 8;

/// Places that were looked at, and what their permutations need.
///
/// z(x) = SLCE(x) / se(x) with se(x)² = Σ k² v / (Σ k)², v the residual variance of a row's stratum (or its binomial
/// variance mean s(1 − s) where that is larger, so that a stratum whose outcomes are all the same is not taken for certain).
/// Redrawn outcomes have the binomial variance, and are measured against `se_redrawn`, which has it in the place of v: with
/// calibrated scores, |z| then exceeds a redrawn one no more often than by chance, whatever part of a stratum a place covers.
///
/// A permutation cannot move the mean residual of a stratum b, so that it shows the smaller variance
/// se_local² = se² − Σ_b w_b² v_b / n_b, w_b = Σ_{i in b} k / Σ k; permuted sums are measured against that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Places {
    kernel: Kernel,
    d: usize,
    /// features of every row, row-major
    features: Column<f64>,
    /// rows meet rows of the same bin only
    bin: Column<u32>,
    stratum: Column<u32>,
    /// score of every row
    predicted: Column<f64>,
    /// residual minus the mean residual of the stratum
    centered: Column<f64>,
    /// rows whose places were looked at, ascending
    pub row: Column<u32>,
    /// signed local error of each place
    pub slce: Column<f64>,
    /// what the mean residuals of the strata alone would make of it: the error that rows of the same confidence show
    /// wherever they are
    pub from_score: Column<f64>,
    /// standard error of each place
    pub se: Column<f64>,
    /// the same of outcomes redrawn from the scores
    se_redrawn: Column<f64>,
    /// standard error of what the mean residuals of the strata do not explain; infinite where that is next to nothing
    se_local: Column<f64>,
    /// kernel-weighted mean score
    pub score: Column<f64>,
    /// effective neighbors
    pub n_eff: Column<f64>,
}

/// Largest |z| over all places of simulated data sets, one number each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NullMaxima {
    /// outcomes redrawn from the scores: no error anywhere
    pub redrawn: Vec<f64>,
    /// residuals permuted within strata: no error beyond that of the strata
    pub permuted: Vec<f64>,
}

/// One of the worst neighborhoods.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighborhood {
    /// place in the list of places
    pub place: usize,
    /// rows at its heart, same bin: kernel value ½ or more; where fewer than [`MIN_NEIGHBORS`] rows are, as many as it has
    /// effective neighbors, those with the largest kernel values
    pub heart: Vec<u32>,
    /// ends of the simultaneous 95 % interval of its error
    pub interval: [f64; 2],
    /// p-value, adjusted for all places by redrawn outcomes, of "no error here"
    pub p: f64,
    /// p-value, adjusted for all places by permutations, of "no error here but what rows of the same confidence show everywhere"
    pub p_local: f64,
}

impl Places {
    /// Looks at the rows of `sample` with [`MIN_NEIGHBORS`] effective neighbors; where there are more than `at_most`
    /// rows, at that many spread over the map, see [`spread_out`]. All rows count as neighbors.
    ///
    /// * `stratum`: of each row, see [`strata`]
    ///
    /// # Errors
    /// As [`within_bins`].
    pub fn look(sample: &LocalSample, stratum: Vec<u32>, kernel: Kernel, at_most: usize) -> Result<Self> {
        let n = sample.n();
        // of every row: the variance of residuals in its stratum, and of redrawn outcomes
        let (mut centered, mut variance) = (vec![0.0; n], vec![0.0; 2 * n]);
        let strata = rows_by_bin(&stratum);
        let mut of_mean = Vec::with_capacity(strata.len());
        for (_, rows) in &strata {
            let residual = |row: &u32| sample.residual(*row as usize);
            let mean = rows.iter().map(residual).sum::<f64>() / rows.len() as f64;
            let (own, binomial) = pooled_variance(sample, rows);
            of_mean.push(own / rows.len() as f64);
            for row in rows.iter().map(|row| *row as usize) {
                centered[row] = sample.residual(row) - mean;
                variance[2 * row..2 * row + 2].copy_from_slice(&[own, binomial]);
            }
        }
        let looked = spread_out(sample.features, at_most);
        let (queries_bin, places) = at(sample.bin, sample.features, &looked);
        let queries =
            LocalQueries::At { bin: &queries_bin, features: Points::row_major(sample.features.d(), &places)? };
        let mut weights = Vec::with_capacity(3 * n);
        for (row, centered) in centered.iter().enumerate() {
            weights.extend([sample.residual(row), *centered, sample.score[row]]);
        }
        let sums = within_bins(sample, &queries, &weights, 3, kernel, true, Part::WHOLE)?;
        let squared = kernel.squared();
        let spread = within_bins(sample, &queries, &variance, 2, squared, false, Part::WHOLE)?;
        let explained = explained((sample, &queries, kernel), &stratum, &of_mean)?;
        let mut found = Self {
            kernel,
            d: sample.features.d(),
            features: sample.features.values().to_vec().into(),
            bin: sample.bin.to_vec().into(),
            stratum: stratum.into(),
            predicted: sample.score.to_vec().into(),
            centered: centered.into(),
            row: Column::default(),
            slce: Column::default(),
            from_score: Column::default(),
            se: Column::default(),
            se_redrawn: Column::default(),
            se_local: Column::default(),
            score: Column::default(),
            n_eff: Column::default(),
        };
        let n_eff = sums.n_eff.unwrap_or_default();
        for (q, mean) in sums.mean.chunks_exact(3).enumerate() {
            let [square, redrawn] = [spread.mean[2 * q], spread.mean[2 * q + 1]].map(|mean| mean / n_eff[q]);
            let (se, rest) = (square.sqrt(), square - explained[q]);
            if n_eff[q] >= MIN_NEIGHBORS && se > 0.0 {
                let local = rest > SLIGHT * square;
                // scores of 0 and 1 have no variance, and redraws of them no error
                found.se_redrawn.push(if redrawn > 0.0 { redrawn.sqrt() } else { f64::INFINITY });
                found.se_local.push(if local { rest.sqrt() } else { f64::INFINITY });
                found.row.push(looked[q]);
                found.slce.push(mean[0]);
                found.from_score.push(mean[0] - mean[1]);
                found.se.push(se);
                found.score.push(mean[2]);
                found.n_eff.push(n_eff[q]);
            }
        }
        Ok(found)
    }

    /// Number of coordinates.
    pub fn width(&self) -> usize {
        self.d
    }

    /// max |Σ k r* / Σ k| / se* over all places, one number for each data set of `range`, numbered from 0: of outcomes redrawn
    /// from the scores, measured by `se_redrawn`, and of centered residuals permuted within strata, by `se_local`.
    ///
    /// Data set r draws from the streams of (seed, r) alone: parts may be cut anywhere, at multiples of [`TOGETHER`] for the
    /// same bits.
    ///
    /// # Errors
    /// As [`within_bins`].
    ///
    /// # Cost
    /// Two passes of the sum engine per eight data sets.
    pub fn maxima(&self, seed: u64, range: std::ops::Range<usize>) -> Result<NullMaxima> {
        let strata = rows_by_bin(&self.stratum);
        let redrawn = self.largest(range.clone(), &self.se_redrawn, |r, weights, column| {
            redraw(&self.predicted, (seed, r), weights, column);
        })?;
        let permuted = self.largest(range, &self.se_local, |r, weights, column| {
            permute(&self.centered, &strata, (seed, r), weights, column);
        })?;
        Ok(NullMaxima { redrawn, permuted })
    }

    /// max |Σ k r* / Σ k| / se of each data set whose residuals `draw` writes into a column of weights.
    fn largest(
        &self,
        range: std::ops::Range<usize>,
        se: &[f64],
        draw: impl Fn(usize, &mut [f64], (usize, usize)),
    ) -> Result<Vec<f64>> {
        let features = Points::row_major(self.d, &self.features)?;
        let n = self.centered.len();
        let (score, target) = (vec![0.0; n], vec![0; n]);
        let sample = LocalSample::new(&score, &target, &self.bin, features)?;
        let (bin, places) = at(&self.bin, features, &self.row);
        let queries = LocalQueries::At { bin: &bin, features: Points::row_major(self.d, &places)? };
        let mut maxima = Vec::with_capacity(range.len());
        for start in range.clone().step_by(TOGETHER) {
            let k = TOGETHER.min(range.end - start);
            let mut weights = vec![0.0; n * k];
            for r in 0..k {
                draw(start + r, &mut weights, (r, k));
            }
            let sums = within_bins(&sample, &queries, &weights, k, self.kernel, false, Part::WHOLE)?;
            let mut most = vec![0.0_f64; k];
            for (means, se) in sums.mean.chunks_exact(k).zip(se) {
                for (most, mean) in most.iter_mut().zip(means) {
                    *most = most.max(mean.abs() / se);
                }
            }
            maxima.extend(most);
        }
        Ok(maxima)
    }

    /// The worst places, largest |z| first: `at_most` where the score is too high and as many where it is too low.
    ///
    /// A place whose kernel with an earlier one of the same bin is ¼ or more is passed over: their hearts would share
    /// rows. Adjusted
    /// p = (1 + #{max* ≥ |z|}) / (R + 1), with the maxima of redrawn outcomes, and `p_local` with those of permutations; the
    /// simultaneous interval is SLCE ± c·se with c the quantile of max* that p ≤ 0.05 stands for (∞ for R < 19), so that it
    /// leaves out 0 just where p ≤ 0.05.
    pub fn worst(&self, maxima: &NullMaxima, at_most: usize) -> Vec<Neighborhood> {
        let [redrawn, permuted] = [&maxima.redrawn, &maxima.permuted].map(|maxima| {
            let mut maxima = maxima.clone();
            maxima.sort_unstable_by(f64::total_cmp);
            maxima
        });
        let p = |maxima: &[f64], z: f64| {
            let r = maxima.len();
            (1 + r - maxima.partition_point(|max| *max < z)) as f64 / (r + 1) as f64
        };
        let rank = (0.95 * (redrawn.len() + 1) as f64).ceil() as usize;
        let critical = redrawn.get(rank.max(1) - 1).copied().unwrap_or(f64::INFINITY);
        let z = |place: &usize| (self.slce[*place] / self.se[*place]).abs();
        let mut order: Vec<usize> = (0..self.row.len()).collect();
        order::sort(&mut order, &|a, b| z(b).total_cmp(&z(a)).then(a.cmp(b)));
        let mut chosen: Vec<usize> = Vec::new();
        let mut room = [at_most; 2];
        for place in order {
            let side = &mut room[usize::from(self.slce[place] > 0.0)];
            let row = self.row[place];
            if *side > 0 && !chosen.iter().any(|&other| self.are_neighbors(self.row[other], row, 0.25)) {
                *side -= 1;
                chosen.push(place);
            }
        }
        chosen
            .into_iter()
            .map(|place| {
                let (slce, se) = (self.slce[place], self.se[place]);
                Neighborhood {
                    place,
                    heart: self.heart(place),
                    interval: [slce - critical * se, slce + critical * se],
                    p: p(&redrawn, z(&place)),
                    p_local: p(&permuted, ((slce - self.from_score[place]) / self.se_local[place]).abs()),
                }
            })
            .collect()
    }

    /// The rows that describe a place, ascending. In many coordinates hardly any row is near enough for a kernel value of ½,
    /// although many make up the local error.
    fn heart(&self, place: usize) -> Vec<u32> {
        let center = self.row[place];
        let rows = 0..self.bin.len() as u32;
        let mut near: Vec<(f64, u32)> = rows.filter_map(|row| Some((self.fall(center, row)?, row))).collect();
        order::sort(&mut near, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let half = near.partition_point(|(fall, _)| *fall <= -0.5_f64.ln());
        let enough = if half as f64 >= MIN_NEIGHBORS { half } else { self.n_eff[place].round() as usize };
        near.truncate(enough.max(half));
        let mut rows: Vec<u32> = near.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }

    /// −ln of the kernel value of two rows; none where their bins differ.
    fn fall(&self, a: u32, b: u32) -> Option<f64> {
        let place = |row: u32| {
            let start = row as usize * self.d;
            self.features.get(start..start + self.d).unwrap_or(&[])
        };
        let same = self.bin[a as usize] == self.bin[b as usize];
        same.then(|| self.kernel.fall(self.d, 0.0, self.kernel.distance(place(a), place(b))))
    }

    /// Whether two rows have the same bin and a kernel value of `least` or more.
    fn are_neighbors(&self, a: u32, b: u32, least: f64) -> bool {
        self.fall(a, b).is_some_and(|fall| fall <= -least.ln())
    }
}

/// Σ_b w_b² v_b / n_b of every place, w_b = Σ_{i in b} k / Σ k: the variance that the mean residuals of the strata explain.
///
/// * `of_mean`: v_b / n_b of every stratum
fn explained(
    (sample, queries, kernel): (&LocalSample, &LocalQueries, Kernel),
    stratum: &[u32],
    of_mean: &[f64],
) -> Result<Vec<f64>> {
    let mut explained: Vec<f64> = Vec::new();
    for (first, of_mean) in (0..).step_by(TOGETHER).zip(of_mean.chunks(TOGETHER)) {
        let k = of_mean.len();
        let mut member = vec![0.0; stratum.len() * k];
        for (own, member) in stratum.iter().zip(member.chunks_exact_mut(k)) {
            if let Some(own) = (*own as usize).checked_sub(first).filter(|own| *own < k) {
                member[own] = 1.0;
            }
        }
        let share = within_bins(sample, queries, &member, k, kernel, false, Part::WHOLE)?;
        explained.resize(share.mean.len() / k, 0.0);
        for (explained, share) in explained.iter_mut().zip(share.mean.chunks_exact(k)) {
            let terms = share.iter().zip(of_mean).map(|(w, v)| w * w * v);
            *explained += terms.sum::<f64>();
        }
    }
    Ok(explained)
}

/// Writes permutation `r` of residuals within strata into a column of weights.
///
/// * `strata`: rows of each
/// * `column`: its place, and how many there are
fn permute(
    centered: &[f64],
    strata: &[(u32, Vec<u32>)],
    (seed, r): (u64, usize),
    weights: &mut [f64],
    (column, k): (usize, usize),
) {
    let mut rng = stream(seed, r, 3);
    for (_, rows) in strata {
        let mut values: Vec<f64> = rows.iter().map(|row| centered[*row as usize]).collect();
        for last in (1..values.len()).rev() {
            let draw = (u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64;
            values.swap(last, draw as usize);
        }
        for (row, value) in rows.iter().zip(&values) {
            weights[*row as usize * k + column] = *value;
        }
    }
}

/// Writes the residuals s − t* of outcomes t* ~ Bernoulli(s), redraw `r`, into a column of weights.
///
/// * `column`: its place, and how many there are
fn redraw(score: &[f64], (seed, r): (u64, usize), weights: &mut [f64], (column, k): (usize, usize)) {
    let mut rng = stream(seed, r, 4);
    for (score, row) in score.iter().zip(weights.chunks_exact_mut(k)) {
        row[column] = score - if uniform(&mut rng) < *score { 1.0 } else { 0.0 };
    }
}

/// Places for many outcomes of the same rows, with what does not depend on outcomes.
pub struct ManyPlaces<'a> {
    sample: LocalSample<'a>,
    kernel: Kernel,
    strata: Vec<(u32, Vec<u32>)>,
    /// places that count
    bin: Vec<u32>,
    places: Vec<f64>,
    /// effective neighbors of each
    n_eff: Vec<f64>,
    /// of each by stratum: Σ_{i in b} k² / Σ k²
    share: Vec<f64>,
}

impl<'a> ManyPlaces<'a> {
    /// * `sample`, `stratum`, `kernel`, `at_most`: as for [`Places::look`]; targets are not looked at
    ///
    /// # Errors
    /// As [`within_bins`].
    ///
    /// # Cost
    /// A pass of the sum engine, and one per eight strata.
    pub fn new(sample: LocalSample<'a>, stratum: &[u32], kernel: Kernel, at_most: usize) -> Result<Self> {
        let n = sample.n();
        let strata = rows_by_bin(stratum);
        let looked = spread_out(sample.features, at_most);
        let ones = vec![1.0; n];
        let n_eff = {
            let (bin, places) = at(sample.bin, sample.features, &looked);
            let queries = LocalQueries::At { bin: &bin, features: Points::row_major(sample.features.d(), &places)? };
            within_bins(&sample, &queries, &ones, 1, kernel, true, Part::WHOLE)?.n_eff.unwrap_or_default()
        };
        let counts = || looked.iter().zip(&n_eff).filter(|(_, n)| **n >= MIN_NEIGHBORS);
        let kept: Vec<u32> = counts().map(|(row, _)| *row).collect();
        let n_eff: Vec<f64> = counts().map(|(_, n)| *n).collect();
        let (bin, places) = at(sample.bin, sample.features, &kept);
        let queries = LocalQueries::At { bin: &bin, features: Points::row_major(sample.features.d(), &places)? };
        let width = strata.len();
        let mut share = vec![0.0; kept.len() * width];
        for (first, some) in (0..).step_by(TOGETHER).zip(strata.chunks(TOGETHER)) {
            let k = some.len();
            let mut member = vec![0.0; n * k];
            for (column, (_, rows)) in some.iter().enumerate() {
                rows.iter().for_each(|&row| member[row as usize * k + column] = 1.0);
            }
            let sums = within_bins(&sample, &queries, &member, k, kernel.squared(), false, Part::WHOLE)?;
            for (share, mean) in share.chunks_exact_mut(width.max(1)).zip(sums.mean.chunks_exact(k)) {
                share[first..first + k].copy_from_slice(mean);
            }
        }
        Ok(Self { sample, kernel, strata, bin, places, n_eff, share })
    }

    /// 1 / se of every place for observed outcomes, and for redrawn ones; 0 where a place is never the largest.
    fn scales(&self, sample: &LocalSample) -> Vec<[f64; 2]> {
        let variance: Vec<(f64, f64)> = self.strata.iter().map(|(_, rows)| pooled_variance(sample, rows)).collect();
        let inverse = |square: f64| if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        let places = self.n_eff.iter().zip(self.share.chunks_exact(self.strata.len().max(1)));
        let scale = places.map(|(n_eff, share)| {
            let (mut own, mut redrawn) = (0.0, 0.0);
            for (share, (variance, binomial)) in share.iter().zip(&variance) {
                own += share * variance / n_eff;
                redrawn += share * binomial / n_eff;
            }
            [inverse(own), inverse(redrawn)]
        });
        scale.collect()
    }

    /// The smallest p-value of [`Places::worst`] for these targets, that of the place with the largest |z|; none without a
    /// place.
    ///
    /// * `alpha`: where only p ≤ α is asked: nothing more is redrawn once p is above it for certain, and p is that of the
    ///   redraws so far (Besag and Clifford 1991)
    ///
    /// # Errors
    /// As [`within_bins`].
    ///
    /// # Cost
    /// One pass of the sum engine per eight redraws.
    pub fn least_p(&self, target: &[u8], redraws: usize, seed: u64, alpha: Option<f64>) -> Result<Option<f64>> {
        let sample = LocalSample { target, ..self.sample };
        let n = sample.n();
        let scale = self.scales(&sample);
        if scale.iter().all(|[own, _]| *own == 0.0) {
            return Ok(None);
        }
        let queries =
            LocalQueries::At { bin: &self.bin, features: Points::row_major(sample.features.d(), &self.places)? };
        let (mut observed, mut drawn, mut reached) = (0.0_f64, 0, 0);
        for start in (0..=redraws).step_by(TOGETHER) {
            let k = TOGETHER.min(redraws + 1 - start);
            let mut largest = [0.0_f64; TOGETHER];
            let mut weights = vec![0.0; n * k];
            for column in 0..k {
                match (start + column).checked_sub(1) {
                    None => (0..n).for_each(|row| weights[row * k] = sample.residual(row)),
                    Some(r) => redraw(sample.score, (seed, r), &mut weights, (column, k)),
                }
            }
            let sums = within_bins(&sample, &queries, &weights, k, self.kernel, false, Part::WHOLE)?;
            for (means, scale) in sums.mean.chunks_exact(k).zip(&scale) {
                for (column, (most, mean)) in largest.iter_mut().zip(means).enumerate() {
                    let of_observed = start + column == 0;
                    *most = most.max((mean * scale[usize::from(!of_observed)]).abs());
                }
            }
            let mut redrawn = &largest[..k];
            if let (0, Some((own, others))) = (start, redrawn.split_first()) {
                (observed, redrawn) = (*own, others);
            }
            drawn += redrawn.len();
            reached += redrawn.iter().filter(|drawn| **drawn >= observed).count();
            let above = |alpha: f64| (1 + reached) as f64 > alpha * (1.0 + 1e-9) * (redraws + 1) as f64;
            if alpha.is_some_and(above) {
                break;
            }
        }
        Ok(Some((1 + reached) as f64 / (drawn + 1) as f64))
    }
}

/// The variance of residuals, or the binomial variance mean s(1 − s) where that is larger; and the latter.
fn pooled_variance(sample: &LocalSample, rows: &[u32]) -> (f64, f64) {
    let (mut sum, mut squares, mut binomial) = (0.0, 0.0, 0.0);
    for &row in rows {
        let (residual, score) = (sample.residual(row as usize), sample.score[row as usize]);
        sum += residual;
        squares += residual * residual;
        binomial += score * (1.0 - score);
    }
    let n = rows.len() as f64;
    let binomial = (binomial / n).max(0.0);
    ((squares / n - (sum / n) * (sum / n)).max(binomial), binomial)
}

/// Bins and places of some rows.
fn at(bin: &[u32], features: Points, rows: &[u32]) -> (Vec<u32>, Vec<f64>) {
    let bins = rows.iter().map(|&row| bin[row as usize]).collect();
    (bins, features.gather(rows))
}

/// Confidence bins for permutations: neighboring bins are joined until each holds 20 rows.
pub fn strata(bin: &[u32]) -> Vec<u32> {
    let groups = rows_by_bin(bin);
    let mut stratum = vec![0; bin.len()];
    let (mut own, mut held) = (0, 0);
    let mut left: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
    for (_, rows) in groups {
        // What is left must suffice for a stratum of its own.
        if held >= MIN_STRATUM && left >= MIN_STRATUM {
            (own, held) = (own + 1, 0);
        }
        held += rows.len();
        left -= rows.len();
        rows.iter().for_each(|&row| stratum[row as usize] = own);
    }
    stratum
}

/// At most `at_most` rows, spread as the rows are: halves by the median of the widest coordinate, again and again, and
/// of each part the row in its middle. Ascending; every row where there are no more.
///
/// # Cost
/// O(n d log `at_most`).
pub fn spread_out(points: Points, at_most: usize) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..points.n() as u32).collect();
    if rows.len() <= at_most {
        return rows;
    }
    let mut chosen = Vec::with_capacity(at_most);
    halve(points, &mut rows, at_most, &mut chosen);
    chosen.sort_unstable();
    chosen
}

fn halve(points: Points, rows: &mut [u32], parts: usize, chosen: &mut Vec<u32>) {
    if rows.is_empty() || parts == 0 {
        return;
    }
    let value = |row: u32, c: usize| points.row(row as usize).get(c).copied().unwrap_or(0.0);
    let width = |c: usize| {
        let ends = rows.iter().map(|&row| value(row, c));
        let ends = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        ends.1 - ends.0
    };
    let widths: Vec<f64> = (0..points.d()).map(width).collect();
    let widest = (0..points.d()).max_by(|&a, &b| widths[a].total_cmp(&widths[b]).then(b.cmp(&a)));
    let widest = widest.unwrap_or(0);
    let middle = rows.len() / 2;
    order::select(rows, middle, &|&a, &b| {
        let order = value(a, widest).total_cmp(&value(b, widest));
        order.then(a.cmp(&b))
    });
    if parts == 1 {
        chosen.push(rows[middle]);
        return;
    }
    let (low, high) = rows.split_at_mut(middle);
    halve(points, low, parts / 2, chosen);
    halve(points, high, parts - parts / 2, chosen);
}

#[cfg(test)]
mod tests;
