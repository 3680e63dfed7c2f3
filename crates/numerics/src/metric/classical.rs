//! Classical tests of calibration in the whole: Spiegelhalter's z and Hosmer–Lemeshow.

use super::entry::{Better, Cost, Discloses, Interval, Metric, Range, Replicates, ValueOf};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::binning::{BinOptions, BinScheme};
use super::reliability::reliability_table;
use crate::error::Result;
use crate::num::check_lengths;
use crate::num::special::normal_two_sided;

/// A statistic with its two-sided or upper-tail probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestResult {
    /// the statistic
    pub statistic: f64,
    /// probability of one at least as far out when the scores are calibrated
    pub p_value: f64,
}

/// Spiegelhalter's z = Σ (t − s)(1 − 2s) / √Σ (1 − 2s)² s(1 − s), standard normal under calibration.
///
/// `None` when every score is 0, ½ or 1. Source: Spiegelhalter (1986), equation 7. Errors: `empty`, `length_mismatch`.
pub fn spiegelhalter_z(s: &[f64], t: &[u8]) -> Result<Option<TestResult>> {
    check_lengths(s.len(), t.len())?;
    let (mut sum, mut variance) = (0.0, 0.0);
    for (&s, &t) in s.iter().zip(t) {
        let w = 1.0 - 2.0 * s;
        sum += (f64::from(t) - s) * w;
        variance += w * w * s * (1.0 - s);
    }
    let statistic = sum / variance.sqrt();
    Ok((variance > 0.0).then(|| TestResult { statistic, p_value: normal_two_sided(statistic) }))
}

/// Hosmer–Lemeshow statistic with both customary degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HosmerLemeshow {
    /// Σ_g (events − expected)² / (n π̄(1 − π̄))
    pub statistic: f64,
    /// non-empty groups g
    pub groups: usize,
    /// P(χ²_g > statistic): scores from another data set
    pub p_external: f64,
    /// P(χ²_{g−2} > statistic): scores fitted on these rows; `None` for fewer than 3 groups
    pub p_fitted: Option<f64>,
}

/// Hosmer–Lemeshow test over `groups` quantile groups of the scores (10 is customary), ties kept together.
///
/// Its verdict depends on the number of groups and on n; shown because it is asked for. `None` when a group's mean
/// score is 0 or 1 and its outcomes differ from that.
///
/// Source: Hosmer and Lemeshow (1980). Errors: `empty`, `length_mismatch`, `invalid_option`.
pub fn hosmer_lemeshow(s: &[f64], t: &[u8], groups: usize) -> Result<Option<HosmerLemeshow>> {
    let bins = BinOptions::equal_width(groups).with_scheme(BinScheme::EqualMassQuantile);
    let table = reliability_table(s, t, &bins)?;
    let mut statistic = 0.0;
    for bin in &table {
        let difference = bin.n as f64 * bin.gap;
        let variance = bin.n as f64 * bin.mean_score * (1.0 - bin.mean_score);
        if difference != 0.0 {
            if variance <= 0.0 {
                return Ok(None);
            }
            statistic += difference * difference / variance;
        }
    }
    let tail = |freedom: usize| ChiSquared::new(freedom as f64).ok().map(|d| d.sf(statistic));
    Ok(tail(table.len()).map(|p_external| HosmerLemeshow {
        statistic,
        groups: table.len(),
        p_external,
        p_fitted: table.len().checked_sub(2).filter(|&f| f > 0).and_then(tail),
    }))
}

/// Spiegelhalter's z: an old test: beyond ±2 is unlikely by chance.
pub static SPIEGELHALTER_Z: Metric = Metric {
    id: "spiegelhalter_z",
    name: "Spiegelhalter's z",
    plain: "classical test; about N(0, 1) if calibrated",
    definition: "z of the Brier score against its expectation under calibration.",
    formula: "Σ (t − s)(1 − 2s) / √Σ (1 − 2s)² s(1 − s)",
    source: "Spiegelhalter 1986",
    better: Better::Zero,
    range: Range::Any,
    unit: "z",
    value: ValueOf::Pair(|pair| Ok(spiegelhalter_z(pair.score, pair.target)?.map(|test| test.statistic))),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Percentile,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Hosmer–Lemeshow: a classical test, whose result depends on the groups.
pub static HOSMER_LEMESHOW: Metric = Metric {
    id: "hosmer_lemeshow",
    name: "Hosmer–Lemeshow",
    plain: "classical goodness-of-fit test; depends on the grouping",
    definition: "χ² over ten quantile groups.",
    formula: "Σ_g n_g (s̄_g − t̄_g)² / (s̄_g (1 − s̄_g))",
    source: "Hosmer and Lemeshow 1980",
    range: Range::Positive,
    unit: "χ²",
    value: ValueOf::Pair(|pair| Ok(hosmer_lemeshow(pair.score, pair.target, GROUPS)?.map(|test| test.statistic))),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    bar: false,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Groups of the Hosmer–Lemeshow statistic.
const GROUPS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, near};

    #[test]
    fn worked_by_numpy_and_scipy() {
        let (p, y) = b12();
        let z = spiegelhalter_z(&p, &y).expect("valid").expect("a variance");
        near(Some(z.statistic), 0.638_063_227_222_696_6, 1e-12);
        near(Some(z.p_value), 0.523_432_522_784_291_8, 1e-10);
        let hl = hosmer_lemeshow(&p, &y, 4).expect("valid").expect("a variance");
        assert_eq!(hl.groups, 4);
        near(Some(hl.statistic), 1.929_379_564_364_083_9, 1e-12);
        near(Some(hl.p_external), 0.748_746_038_048_926_5, 1e-10);
        near(hl.p_fitted, 0.381_101_405_850_112, 1e-10);
    }

    #[test]
    fn certain_scores_have_no_statistic() {
        assert_eq!(spiegelhalter_z(&[0.0, 1.0, 0.5], &[0, 1, 1]).expect("valid"), None);
        assert_eq!(hosmer_lemeshow(&[0.0, 0.0, 0.5, 0.9], &[1, 0, 1, 1], 2).expect("valid"), None);
    }
}
