//! Kolmogorov–Smirnov calibration error.

use super::entry::{Cost, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use crate::error::Result;
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};
use crate::num::{order, ties};

/// max_k |(1/n) Σ_{i ≤ k} (s₍ᵢ₎ − t₍ᵢ₎)| over rows sorted by score, looked at where a block of ties ends.
///
/// In [0, 1]; needs no bins.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort.
///
/// # Source
/// Gupta et al. (2021), equation 7.
///
/// ```
/// use localcal_numerics::metric::ks::ks;
///
/// // after the first row 0.5/2, after both (0.5 − 0.25)/2
/// assert_eq!(ks(&[0.5, 0.75], &[0, 1])?, 0.25);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn ks(s: &[f64], t: &[u8]) -> Result<f64> {
    weighted_ks(s, t, None)
}

/// max_k |Σ_{i ≤ k} w (s₍ᵢ₎ − t₍ᵢ₎)| / Σ w. Errors as [`ks`].
pub fn weighted_ks(s: &[f64], t: &[u8], w: RowWeights) -> Result<f64> {
    check_weighted(s.len(), t.len(), w)?;
    Ok(ks_ordered(s, t, w, &order::ascending(s)))
}

/// [`weighted_ks`] with the ascending order of the scores at hand.
pub fn ks_ordered(s: &[f64], t: &[u8], w: RowWeights, order: &[u32]) -> f64 {
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for block in ties::tie_blocks(s, order) {
        let score = s[order[block.start] as usize];
        let (mut rows, mut events) = (0.0, 0.0);
        for &i in &order[block] {
            let w = weight(w, i as usize);
            rows += w;
            events += w * f64::from(t[i as usize]);
        }
        sum += rows * score - events;
        most = most.max(sum.abs());
    }
    most / total_weight(w, s.len())
}

/// KS calibration error: the largest running excess.
pub static KS: Metric = Metric {
    id: "ks",
    name: "KS calibration error",
    plain: "largest cumulative error",
    definition: "Largest |running mean of (score − outcome)| in order of the score, at the ends of ties.",
    formula: "max_k |(1/n) Σ_{i ≤ k} (s₍ᵢ₎ − t₍ᵢ₎)|",
    source: "Gupta et al. 2021",
    value: ValueOf::Pair(|pair| Ok(Some(weighted_ks(pair.score, pair.target, pair.weights)?))),
    weights: Weights::Form("every row counts w"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, f8_top, near};
    use crate::reference_files::compas;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        close(ks(&s, &t).ok(), 0.2);
        // ties: only the end of the block counts
        close(ks(&[0.5, 0.5], &[0, 1]).ok(), 0.0);
    }

    #[test]
    fn compas_reference_number() {
        let Some((p, y, _)) = compas() else { return };
        near(ks(&p, &y).ok(), 0.079_283_337_953_979_77, 1e-12);
    }
}
