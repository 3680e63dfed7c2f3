//! One fit a group, with a pooled fit for groups that are small or unknown.

mod entry;

pub use entry::{ByGroup, GroupHistogram, GroupTemperature};
pub(super) use entry::{column, unknown};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use ndarray::{Array2, ArrayView2};

use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::num::check_lengths;
use crate::num::weight::{RowWeights, check_weighted};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::histogram::{self, EmptyBin, Histogram};
use crate::recalibrate::logits::mapped_rows;
use crate::recalibrate::temperature::{self, Temperature, TemperatureOptions};
use crate::table::{MISSING, Matrix, Reals};

/// Parameters of all rows together and of each group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grouped<P> {
    /// fit to all rows
    pub pooled: P,
    /// fits by group code
    pub groups: BTreeMap<u32, P>,
}

/// Least rows of a group for its own temperature.
pub const MIN_ROWS_TEMPERATURE: usize = 30;
/// Least rows of a group for its own histogram.
pub const MIN_ROWS_HISTOGRAM: usize = 1;

/// Fits `fit(rows)` to all rows and to the rows of every group of at least `min_rows`; objectives are means over rows.
///
/// * `groups`: a code a row, [`MISSING`] for none
///
/// # Errors
/// `empty`, and those of `fit`.
pub fn fit<P: Clone>(
    groups: &[u32],
    min_rows: usize,
    mut fit: impl FnMut(&[u32]) -> Result<Fit<P>>,
) -> Result<Fit<Grouped<P>>> {
    check_lengths(groups.len(), groups.len())?;
    let all: Vec<u32> = (0..groups.len() as u32).collect();
    let pooled = fit(&all)?;
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (&i, &g) in all.iter().zip(groups) {
        rows.entry(g).or_default().push(i);
    }
    let n = groups.len() as f64;
    let (mut before, mut after) = (0.0, 0.0);
    let mut found = Fit::plain(Grouped { pooled: pooled.parameters.clone(), groups: BTreeMap::new() }, 0.0, 0.0);
    let (mut small, mut unknown) = (0, 0);
    for (group, rows) in rows {
        let share = rows.len() as f64 / n;
        if group == MISSING || rows.len() < min_rows {
            unknown += if group == MISSING { rows.len() } else { 0 };
            small += usize::from(group != MISSING);
            before += share * pooled.objective_before;
            after += share * pooled.objective_after;
            continue;
        }
        let one = fit(&rows)?;
        before += share * one.objective_before;
        after += share * one.objective_after;
        found.at_bound =
            found.at_bound.or(one.at_bound.map(|bound| format!("a group of {} rows: {bound}", rows.len())));
        found.parameters.groups.insert(group, one.parameters);
    }
    (found.objective_before, found.objective_after) = (before, after);
    if small > 0 {
        found
            .warnings
            .push(format!("groups with fewer than {min_rows} calibration rows use the fit to all rows: {small}"));
    }
    if unknown > 0 {
        found.warnings.push(format!("calibration rows without a group use the fit to all rows: {unknown}"));
    }
    found.warnings.extend(pooled.warnings.into_iter().map(|w| format!("all rows: {w}")));
    Ok(found)
}

impl<P> Grouped<P> {
    /// The parameters that hold for a group.
    pub fn of(&self, group: u32) -> &P {
        self.groups.get(&group).unwrap_or(&self.pooled)
    }
}

fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&i| values[i as usize]).collect()
}

/// The rows of a matrix in the given order.
pub fn rows_of(z: &Matrix, rows: &[u32]) -> Matrix {
    let mut values = vec![0.0; rows.len() * z.width];
    for (row, &i) in values.chunks_exact_mut(z.width.max(1)).zip(rows) {
        z.row_into(i as usize, row);
    }
    Matrix { width: z.width, values: Reals::F64(values.into()) }
}

/// A temperature for every group, from log-odds. Errors: `empty`, `length_mismatch`.
pub fn fit_temperature_binary(
    z: &[f64],
    t: &[u8],
    w: RowWeights,
    groups: &[u32],
    min_rows: usize,
) -> Result<Fit<Grouped<Temperature>>> {
    check_weighted(z.len(), t.len(), w)?;
    check_lengths(groups.len(), t.len())?;
    let options = TemperatureOptions::default();
    fit(groups, min_rows, |rows| {
        let w = w.map(|w| pick(w, rows));
        temperature::weighted_fit_binary(&pick(z, rows), &pick(t, rows), w.as_deref(), &options)
    })
}

/// A temperature for every group, from a matrix of logits. Errors: `empty`, `length_mismatch`, `label_out_of_range`.
pub fn fit_temperature(
    z: &Matrix,
    y: &[u32],
    w: RowWeights,
    groups: &[u32],
    min_rows: usize,
) -> Result<Fit<Grouped<Temperature>>> {
    check_weighted(z.rows(), y.len(), w)?;
    check_lengths(groups.len(), y.len())?;
    let options = TemperatureOptions::default();
    fit(groups, min_rows, |rows| {
        let w = w.map(|w| pick(w, rows));
        temperature::weighted_fit(&rows_of(z, rows), &pick(y, rows), w.as_deref(), &options)
    })
}

/// A histogram for every group, with the same kind of bins. Errors: `empty`, `length_mismatch`, `invalid_option`.
pub fn fit_histogram(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    groups: &[u32],
    bins: &BinOptions,
    empty: EmptyBin,
    min_rows: usize,
) -> Result<Fit<Grouped<Histogram>>> {
    check_weighted(s.len(), t.len(), w)?;
    check_lengths(groups.len(), t.len())?;
    fit(groups, min_rows, |rows| {
        let w = w.map(|w| pick(w, rows));
        histogram::weighted_fit(&pick(s, rows), &pick(t, rows), w.as_deref(), bins, empty)
    })
}

impl Grouped<Temperature> {
    /// σ(z/T) with T of the row's group: probabilities, length n.
    ///
    /// * `z`: log-odds, length n
    /// * `groups`: group of every row, length n; rows of an unknown group take the pooled T
    ///
    /// # Cost
    /// O(n log groups).
    pub fn apply_binary(&self, z: &[f64], groups: &[u32]) -> Vec<f64> {
        z.iter().zip(groups).map(|(&z, &g)| crate::num::special::sigmoid(z / self.of(g).temperature)).collect()
    }

    /// softmax(Z/T) with T of the row's group: probabilities, n × m.
    ///
    /// * `z`: logits, n × m
    /// * `groups`: as in [`apply_binary`](Self::apply_binary)
    ///
    /// # Cost
    /// O(n (m + log groups)).
    pub fn apply(&self, z: ArrayView2<f64>, groups: &[u32]) -> Array2<f64> {
        mapped_rows(z, |i, row| self.of(groups.get(i).copied().unwrap_or(MISSING)).apply_row(row))
    }
}

impl Grouped<Histogram> {
    /// The share of events in the score's bin within its group: probabilities, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    /// * `groups`: group of every row, length n; rows of an unknown group take the pooled bins
    ///
    /// # Cost
    /// O(n log(groups bins)).
    pub fn apply(&self, s: &[f64], groups: &[u32]) -> Vec<f64> {
        let mut out = s.to_vec();
        let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, &g) in groups.iter().enumerate().take(s.len()) {
            rows.entry(g).or_default().push(i as u32);
        }
        for (g, rows) in rows {
            for (&i, value) in rows.iter().zip(self.of(g).apply(&pick(s, &rows))) {
                out[i as usize] = value;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{F8_G, b12, f8, f8_logits, f8_top, near};
    use crate::num::special::PROB_CLIP;
    use crate::recalibrate::logits::binary_logits;

    #[test]
    fn one_group_is_the_pooled_fit() {
        let (p, t) = b12();
        let z = binary_logits(&p, PROB_CLIP);
        let one = fit_temperature_binary(&z, &t, None, &[7; 12], 1).expect("valid");
        near(Some(one.parameters.of(7).temperature), 1.355_955_07, 2e-8);
        assert_eq!(one.parameters.of(7), one.parameters.of(8));
        let (s, t) = f8_top();
        let bins = BinOptions::equal_width(5);
        let pooled = histogram::fit(&s, &t, &bins, EmptyBin::Keep).expect("valid").parameters.apply(&s);
        let one = fit_histogram(&s, &t, None, &[0; 8], &bins, EmptyBin::Keep, 1).expect("valid").parameters;
        assert_eq!(one.apply(&s, &[0; 8]), pooled);
        assert_eq!(one.apply(&s, &[MISSING; 8]), pooled);
    }

    #[test]
    fn groups_have_their_own_histograms() {
        let (s, t) = f8_top();
        let found = fit_histogram(&s, &t, None, &F8_G, &BinOptions::equal_width(5), EmptyBin::Keep, 1).expect("valid");
        // A in the top bin: both right; B there: one of two
        assert_eq!(found.parameters.apply(&[0.9, 0.9, 0.9], &[0, 1, 2]), [1.0, 0.5, 0.75]);
    }

    #[test]
    fn small_and_missing_groups_use_all_rows() {
        let (z, (_, y)) = (f8_logits(), f8());
        let mut groups = F8_G;
        groups[7] = MISSING;
        let found = fit_temperature(&z, &y, None, &groups, MIN_ROWS_TEMPERATURE).expect("valid");
        assert!(found.parameters.groups.is_empty());
        assert_eq!(found.warnings.len(), 2);
        let expected = found.parameters.pooled.apply(z.to_array().view());
        assert_eq!(found.parameters.apply(z.to_array().view(), &groups), expected);
        assert_eq!(fit_temperature(&z, &y, None, &[0; 3], 1).expect_err("3 groups").code(), "length_mismatch");
    }
}
