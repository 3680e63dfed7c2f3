//! Expected and maximum calibration error, and their relatives, from the bin table.

use super::binning::{BinOptions, BinScheme};
use super::entry::{BinsInName, Cost, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use super::reason::Reason;
use super::reliability::{ReliabilityBin, reliability_table};
use super::rows::BinSums;
use crate::error::Result;

/// Quantile bins of the adaptive calibration error.
pub const ADAPTIVE_BINS: usize = 15;

/// Expected calibration error Σ_b (n_b/n)·|gap_b|, in [0, 1]; with weights of rows, n_b is the sum of those in the bin.
///
/// `None` for an empty table.
///
/// # Cost
/// One pass over the bins; [`reliability_table`] takes one over the rows.
///
/// # Source
/// Naeini, Cooper and Hauskrecht (2015); Guo et al. (2017), equation 3.
///
/// ```
/// use localcal_numerics::metric::binning::BinOptions;
/// use localcal_numerics::metric::ece::{ece, mce};
/// use localcal_numerics::metric::reliability::reliability_table;
///
/// // [0, ½) says 0.25 and it never happens; [½, 1] says 0.75 and it happens both times
/// let table = reliability_table(&[0.25, 0.25, 0.75, 0.75], &[0, 0, 1, 1], &BinOptions::equal_width(2))?;
/// assert_eq!(ece(&table), Some(0.25));
/// assert_eq!(mce(&table, 1), Some(0.25));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn ece(table: &[ReliabilityBin]) -> Option<f64> {
    ece_lp(table, 1.0)
}

/// (Σ_b (n_b/n)·|gap_b|^p)^(1/p); p = 2 is the root mean square error. `None` for an empty table or p < 1.
///
/// Source: Kumar, Liang and Ma (2019), definition 2.1.
pub fn ece_lp(table: &[ReliabilityBin], p: f64) -> Option<f64> {
    let n: f64 = table.iter().map(|b| b.weight).sum();
    if n <= 0.0 || p.is_nan() || p < 1.0 {
        return None;
    }
    let weighted = |power: &dyn Fn(f64) -> f64| table.iter().map(|b| b.weight / n * power(b.gap.abs())).sum::<f64>();
    Some(if p == 1.0 {
        weighted(&|gap| gap)
    } else if p == 2.0 {
        weighted(&|gap| gap * gap).sqrt()
    } else {
        weighted(&|gap| gap.powf(p)).powf(1.0 / p)
    })
}

/// Mean of |gap_b| over non-empty bins, equally weighted. `None` for an empty table.
pub fn ece_unweighted(table: &[ReliabilityBin]) -> Option<f64> {
    (!table.is_empty()).then(|| table.iter().map(|b| b.gap.abs()).sum::<f64>() / table.len() as f64)
}

/// Maximum calibration error max_b |gap_b| over bins of at least `min_count` rows; `None` when there is none.
///
/// Source: Naeini, Cooper and Hauskrecht (2015).
pub fn mce(table: &[ReliabilityBin], min_count: usize) -> Option<f64> {
    table.iter().filter(|b| b.n > 0 && b.n >= min_count).map(|b| b.gap.abs()).reduce(f64::max)
}

/// max_b (n_b/n)·|gap_b|: what some published code prints as MCE; never above the ECE. `None` for an empty table.
pub fn mce_weighted(table: &[ReliabilityBin]) -> Option<f64> {
    let n: f64 = table.iter().map(|b| b.weight).sum();
    table.iter().map(|b| b.weight / n * b.gap.abs()).reduce(f64::max)
}

/// Adaptive calibration error: the ECE over `count` quantile bins (equal mass, ties kept together).
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
pub fn ace(s: &[f64], t: &[u8], count: usize) -> Result<Option<f64>> {
    let bins = BinOptions::equal_width(count).with_scheme(BinScheme::EqualMassQuantile);
    Ok(ece(&reliability_table(s, t, &bins)?))
}

/// ECE: how far off, bin by bin.
pub static ECE: Metric = Metric {
    id: "ece",
    name: "ECE",
    plain: "average gap between confidence and accuracy across bins",
    definition: "Expected calibration error: mean of |mean score − observed proportion| over bins of the score, \
                 weighted by rows. Default: 15 bins of equal width, closed on the left.",
    formula: "Σ_b (n_b/n) |s̄_b − t̄_b|",
    source: "Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017",
    value: ValueOf::Rows(|rows| Ok(ece(&rows.pair.table()?).ok_or_else(no_row))),
    weights: Weights::Form("means of each bin weighted, n_b/n its share of the weight"),
    replicates: Replicates::Sums(|sums| Some(sums.bins.iter().map(BinSums::gap).sum::<f64>() / sums.n)),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    scorecard: true,
    bins: BinsInName::OfRun,
    decides: Some(0),
    chooses: Some(3),
    discloses: Discloses::Sides,
    from_counts: true,
    ..Metric::PLAIN
};

/// MCE: how far off in the worst bin.
pub static MCE: Metric = Metric {
    id: "mce",
    name: "MCE",
    plain: "largest gap of any bin",
    definition: "Maximum calibration error: the largest |mean score − observed proportion| over non-empty bins of \
                 any size. Dominated by small bins; compare with “expected if calibrated”.",
    formula: "max_b |s̄_b − t̄_b|",
    source: "Naeini, Cooper and Hauskrecht 2015",
    value: ValueOf::Rows(|rows| Ok(mce(&rows.pair.table()?, 1).ok_or_else(no_row))),
    weights: Weights::Form("means of each bin weighted"),
    replicates: Replicates::Sums(|sums| {
        let gaps = sums.bins.iter().filter(|b| b.w > 0.0).map(|b| ((b.s - b.t) / b.w).abs());
        Some(gaps.fold(0.0, f64::max))
    }),
    interval: Interval::Maximum,
    scorecard: true,
    bins: BinsInName::OfRun,
    discloses: Discloses::Few,
    from_counts: true,
    ..Metric::PLAIN
};

/// ACE: how far off, in bins of equal size.
pub static ACE: Metric = Metric {
    id: "ace",
    name: "ACE",
    plain: "average gap across bins of equal size",
    definition: "ECE over 15 quantile bins of the score. Intervals keep the bin edges of the sample.",
    formula: "Σ_b (n_b/n) |s̄_b − t̄_b| over 15 quantile bins",
    source: "Nixon et al. 2019; Nguyen and O'Connor 2015",
    value: ValueOf::Rows(|rows| {
        // Equal-mass bins of ascending scores need no further sort.
        let rows = rows.ascending()?;
        Ok(ace(&rows.score, &rows.target, ADAPTIVE_BINS)?.ok_or_else(no_row))
    }),
    replicates: Replicates::Sums(|sums| Some(sums.quantile_bins.iter().map(BinSums::gap).sum::<f64>() / sums.n)),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    scorecard: true,
    bins: BinsInName::Always(ADAPTIVE_BINS),
    chooses: Some(4),
    discloses: Discloses::Sides,
    ..Metric::PLAIN
};

/// ECE (root mean square): how far off, large gaps counting more.
pub static ECE_RMS: Metric = Metric {
    id: "ece_rms",
    name: "ECE (root mean square)",
    plain: "root mean squared gap across bins",
    definition: "√ of the mean squared gap over bins, weighted by rows.",
    formula: "√Σ_b (n_b/n) (s̄_b − t̄_b)²",
    source: "Kumar, Liang and Ma 2019",
    value: ValueOf::Pair(|pair| Ok(ece_lp(&pair.table()?, 2.0))),
    weights: Weights::Form("means of each bin weighted, n_b/n its share of the weight"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    from_counts: true,
    ..Metric::PLAIN
};

/// ECE (unweighted): the mean gap of the bins, equally weighted.
pub static ECE_UNWEIGHTED: Metric = Metric {
    id: "ece_unweighted",
    name: "ECE (unweighted)",
    plain: "mean gap of the bins, equally weighted",
    definition: "Mean absolute gap over non-empty bins of any size.",
    formula: "(1/B) Σ_b |s̄_b − t̄_b|",
    source: "",
    value: ValueOf::Pair(|pair| Ok(ece_unweighted(&pair.table()?))),
    weights: Weights::Form("means of each bin weighted"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    from_counts: true,
    ..Metric::PLAIN
};

/// MCE (weighted): the largest share of the ECE.
pub static MCE_WEIGHTED: Metric = Metric {
    id: "mce_weighted",
    name: "MCE (weighted)",
    plain: "largest contribution to the ECE",
    definition: "The largest (rows of the bin / rows) × |gap|.",
    formula: "max_b (n_b/n) |s̄_b − t̄_b|",
    source: "",
    value: ValueOf::Pair(|pair| Ok(mce_weighted(&pair.table()?))),
    weights: Weights::Form("means of each bin weighted, n_b/n its share of the weight"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Maximum,
    discloses: Discloses::Few,
    from_counts: true,
    ..Metric::PLAIN
};

/// Why a table of no bins has no error.
fn no_row() -> Reason {
    Reason::undefined("there is no row")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close, f8_top};
    use crate::metric::binning::{Closed, Edges};

    fn table(pair: &(Vec<f64>, Vec<u8>), bins: BinOptions) -> Vec<ReliabilityBin> {
        reliability_table(&pair.0, &pair.1, &bins).expect("valid")
    }

    #[test]
    fn worked_values_of_three_classes() {
        let f8 = f8_top();
        let five = BinOptions::equal_width(5);
        let left = table(&f8, five);
        let right = table(&f8, BinOptions { closed: Closed::Right, ..five });
        close(ece(&left), 0.3375);
        close(ece(&right), 0.2375);
        close(ece(&table(&f8, BinOptions { edges: Edges::Numpy, ..five })), 0.1875);
        close(ece(&table(&f8, BinOptions::default())), 0.375);
        close(ece_lp(&left, 2.0), 0.399_348_427_650_174_6);
        close(ece_unweighted(&left), 0.419_444_444_444_444_4);
        close(mce(&left, 1), 0.6);
        close(mce(&left, 2), 0.533_333_333_333_333_3);
        assert_eq!(mce(&left, 5), None);
        close(mce_weighted(&left), 0.2);
        close(mce_weighted(&right), 0.0875);
        close(ace(&f8.0, &f8.1, 4).expect("valid"), 0.2625);
        close(ece(&table(&f8, BinOptions::equal_width(4).with_scheme(BinScheme::EqualMassRank))), 0.2625);
    }

    #[test]
    fn worked_values_of_two_classes() {
        let (p, y) = b12();
        let five = BinOptions::equal_width(5);
        close(ece(&table(&(p.clone(), y.clone()), five)), 0.208_333_333_333_333_3);
        let c: Vec<f64> = p.iter().map(|&p| p.max(1.0 - p)).collect();
        let a: Vec<u8> = p.iter().zip(&y).map(|(&p, &y)| u8::from(u8::from(p > 0.5) == y)).collect();
        close(ece(&table(&(c, a), five)), 0.141_666_666_666_666_7);
    }

    #[test]
    fn nothing_has_no_error() {
        assert_eq!((ece(&[]), mce(&[], 1), mce_weighted(&[]), ece_unweighted(&[])), (None, None, None, None));
        assert_eq!(ace(&[], &[], 15).expect_err("no rows").code(), "empty");
    }
}
