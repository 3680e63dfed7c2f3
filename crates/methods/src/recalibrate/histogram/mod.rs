//! Histogram binning: a score becomes the share of events in its bin.

mod entry;

pub use entry::HistogramBinning;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::metric::binning::{BinEdges, BinOptions, BinScheme, Closed};
use crate::metric::brier::weighted_brier_pair;
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight, weighted_share};
use crate::recalibrate::fit::Fit;

/// What becomes of a score whose bin held no calibration row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyBin {
    /// it stays as it is
    #[default]
    Keep,
    /// the middle of the bin
    BinMidpoint,
    /// the share of events in all calibration rows
    GlobalMean,
    /// the value of the nearest bin that has one; the lower of two
    NearestBin,
}

/// Shares of events by bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// B + 1 edges
    pub edges: Vec<f64>,
    /// value of each bin; `None` keeps the score
    pub values: Vec<Option<f64>>,
    /// calibration rows in each bin
    pub counts: Vec<usize>,
    /// which end of a bin belongs to it
    #[serde(default, skip_serializing_if = "is_left")]
    pub closed: Closed,
}

fn is_left(closed: &Closed) -> bool {
    *closed == Closed::Left
}

/// Fits the share of events in each bin; the objective is the mean squared error.
///
/// Source: Zadrozny and Elkan (2001). Errors: `empty`, `length_mismatch`, `invalid_option`. O(n), one sort for equal
/// mass.
///
/// # Examples
/// One of two happens below 1/2, both above.
///
/// ```
/// use localcal_methods::metric::binning::BinOptions;
/// use localcal_methods::recalibrate::histogram::{EmptyBin, fit};
///
/// let fit = fit(&[0.1, 0.2, 0.6, 0.8], &[0, 1, 1, 1], &BinOptions::equal_width(2), EmptyBin::Keep)?;
/// assert_eq!(fit.parameters.apply(&[0.3, 0.7]), [0.5, 1.0]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(s: &[f64], t: &[u8], bins: &BinOptions, empty: EmptyBin) -> Result<Fit<Histogram>> {
    weighted_fit(s, t, None, bins, empty)
}

/// [`fit`] to rows with weights above 0: Σ w t / Σ w in each bin. Edges of equal mass count rows. Errors as there.
pub fn weighted_fit(s: &[f64], t: &[u8], w: RowWeights, bins: &BinOptions, empty: EmptyBin) -> Result<Fit<Histogram>> {
    check_weighted(s.len(), t.len(), w)?;
    let edges = bins.bin_edges(s)?;
    // rows, Σ w, Σ w t
    let mut sums = vec![(0_usize, 0.0, 0.0); edges.count()];
    for (i, (&s, &t)) in s.iter().zip(t).enumerate() {
        let (bin, w) = (&mut sums[edges.bin_of(s)], weight(w, i));
        bin.0 += 1;
        bin.1 += w;
        bin.2 += w * f64::from(t);
    }
    let n = total_weight(w, s.len());
    let mut values: Vec<Option<f64>> = sums.iter().map(|&(rows, n, k)| (rows > 0).then(|| k / n)).collect();
    fill_empty(&mut values, &edges.edges, weighted_share(t, w), empty);
    let before = weighted_brier_pair(s, t, w)?;
    let after = sums.iter().filter(|b| b.0 > 0).map(|&(_, n, k)| k * (1.0 - k / n)).sum::<f64>() / n;
    let histogram =
        Histogram { edges: edges.edges, values, counts: sums.iter().map(|b| b.0).collect(), closed: edges.closed };
    let mut fit = Fit::plain(histogram, before, after);
    let hollow = sums.iter().filter(|b| b.0 == 0).count();
    if hollow > 0 && empty == EmptyBin::Keep {
        fit.warnings
            .push(format!("{hollow} of {} bins contain no calibration rows; their scores are unchanged", sums.len()));
    }
    Ok(fit)
}

fn fill_empty(values: &mut [Option<f64>], edges: &[f64], share: f64, empty: EmptyBin) {
    let filled: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(b, v)| v.map(|v| (b, v))).collect();
    for (b, value) in values.iter_mut().enumerate().filter(|(_, v)| v.is_none()) {
        *value = match empty {
            EmptyBin::Keep => None,
            EmptyBin::BinMidpoint => Some(0.5 * (edges[b] + edges[b + 1])),
            EmptyBin::GlobalMean => Some(share),
            EmptyBin::NearestBin => filled.iter().min_by_key(|(other, _)| other.abs_diff(b)).map(|f| f.1),
        };
    }
}

impl Histogram {
    fn bins(&self) -> BinEdges {
        BinEdges { edges: self.edges.clone(), closed: self.closed, equal_width: false }
    }

    /// The share of events in the bin of every score; the score itself where the bin is empty. Probabilities, length n.
    ///
    /// * `s`: scores in [0, 1], length n
    ///
    /// # Cost
    /// O(n log bins).
    pub fn apply(&self, s: &[f64]) -> Vec<f64> {
        let bins = self.bins();
        s.iter().map(|&s| self.values.get(bins.bin_of(s)).copied().flatten().unwrap_or(s)).collect()
    }

    /// Number of rows in each bin, of scores that stand for so many rows each.
    pub(crate) fn rows_in_bins(&self, s: &[f64], rows: &[f64]) -> Vec<usize> {
        let (bins, mut sums) = (self.bins(), vec![0.0; self.counts.len()]);
        for (&s, rows) in s.iter().zip(rows) {
            if let Some(sum) = sums.get_mut(bins.bin_of(s)) {
                *sum += rows;
            }
        }
        sums.into_iter().map(|sum| sum as usize).collect()
    }
}

/// Bins of equal mass whose ties stay together, as histogram binning needs them.
pub fn equal_mass(count: usize) -> BinOptions {
    BinOptions::equal_width(count).with_scheme(BinScheme::EqualMassQuantile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{F8_C, close, f8_top};
    use crate::metric::ece::ece;
    use crate::metric::reliability::reliability_bins;
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (c, a) = f8_top();
        let five = BinOptions::equal_width(5);
        let found = fit(&c, &a, &five, EmptyBin::Keep).expect("valid");
        let h = &found.parameters;
        assert_eq!(h.values, [None, None, Some(1.0), Some(0.0), Some(0.75)]);
        assert_eq!(h.counts, [0, 0, 3, 1, 4]);
        assert_eq!(h.apply(&[0.1, 0.5, 0.6, 0.9, 1.0]), [0.1, 1.0, 0.0, 0.75, 0.75]);
        close(Some(found.objective_before), 0.25);
        close(Some(found.objective_after), 0.75 / 8.0);
        let value = |empty| fit(&c, &a, &five, empty).expect("valid").parameters.apply(&[0.1, 0.3]);
        assert_eq!(value(EmptyBin::GlobalMean), [0.75, 0.75]);
        assert_eq!(value(EmptyBin::NearestBin), [1.0, 1.0]);
        for (got, expected) in value(EmptyBin::BinMidpoint).iter().zip([0.1, 0.3]) {
            close(Some(*got), expected);
        }
        assert_eq!(fit(&c, &a, &equal_mass(4), EmptyBin::Keep).expect("valid").parameters.apply(&F8_C).len(), 8);
        let text = serde_json::to_string(h).expect("serialises");
        assert!(text.contains(r#""values":[null,null,1.0,0.0,0.75],"counts":[0,0,3,1,4]}"#), "{text}");
    }

    proptest! {
        #[test]
        fn in_sample_there_is_no_gap_left(rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8), 1..100), count in 1..20_usize) {
            let (s, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let bins = BinOptions::equal_width(count);
            let found = fit(&s, &t, &bins, EmptyBin::Keep).expect("valid");
            let by_input = bins.binning(&s).expect("valid");
            let table = reliability_bins(&found.parameters.apply(&s), &t, &by_input).expect("valid");
            prop_assert!(ece(&table).expect("rows") < 1e-12);
        }
    }
}
