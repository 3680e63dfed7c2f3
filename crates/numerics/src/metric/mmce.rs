//! Maximum mean calibration error: a kernel norm of the residuals, exact in one sort.

use std::rc::Rc;

use super::entry::{Cost, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use super::rows::Pair;
use crate::error::Result;
use crate::num::order;
use crate::num::weight::{RowWeights, check_weighted, total_weight, weight};

/// exp(−|c − c′|/(2·0.2)): the scale of the Laplacian kernel.
pub const MMCE_SCALE: f64 = 0.4;

/// Squared MMCE and its variants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mmce {
    /// (1/n²) Σᵢⱼ rᵢ rⱼ k(cᵢ, cⱼ) with r = t − s, the diagonal included; never negative
    pub squared: f64,
    /// the same without the diagonal, over n(n − 1); `None` for one row
    pub unbiased: Option<f64>,
    /// correct and wrong rows equally weighted; 0 when one kind is missing
    pub weighted_squared: f64,
}

impl Mmce {
    /// √ of the squared error.
    pub fn value(&self) -> f64 {
        self.squared.max(0.0).sqrt()
    }

    /// √ of the weighted squared error.
    pub fn weighted(&self) -> f64 {
        self.weighted_squared.max(0.0).sqrt()
    }
}

/// MMCE of (confidence, correct), or of any score and target.
///
/// Weighted: mean over correct pairs of (1 − c)(1 − c′)k + mean over wrong pairs of c c′ k − 2 · mean over mixed
/// pairs of (1 − c)c′k. Source: Kumar, Sarawagi and Jain (2018), equations 3 and 6.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One sort and one sweep: along sorted scores the kernel sum decays by exp(−Δ/0.4) from row to row.
pub fn mmce(s: &[f64], t: &[u8]) -> Result<Mmce> {
    weighted_mmce(s, t, None)
}

/// [`mmce`] of rows with weights: every pair counts w w′, and there is no unbiased form. Errors as there.
pub fn weighted_mmce(s: &[f64], t: &[u8], w: RowWeights) -> Result<Mmce> {
    check_weighted(s.len(), t.len(), w)?;
    Ok(mmce_ordered(s, t, w, &order::ascending(s)))
}

/// [`weighted_mmce`] with the ascending order of the scores at hand.
pub fn mmce_ordered(s: &[f64], t: &[u8], w: RowWeights, order: &[u32]) -> Mmce {
    let (mut before, mut correct, mut wrong) = (0.0, 0.0, 0.0);
    let (mut total, mut diagonal) = (0.0, 0.0);
    let (mut both_correct, mut both_wrong, mut mixed) = (0.0, 0.0, 0.0);
    let (mut n1, mut last) = (0.0, 0.0);
    for &i in order {
        let (c, right) = (s[i as usize], t[i as usize] == 1);
        let decay = (-(c - last) / MMCE_SCALE).exp();
        last = c;
        before *= decay;
        correct *= decay;
        wrong *= decay;
        let w = weight(w, i as usize);
        let r = w * if right { 1.0 - c } else { -c };
        total += r * r + 2.0 * r * before;
        diagonal += r * r;
        before += r;
        if right {
            both_correct += r * r + 2.0 * r * correct;
            mixed += r * wrong;
            correct += r;
            n1 += w;
        } else {
            both_wrong += r * r - 2.0 * r * wrong;
            mixed -= r * correct;
            wrong -= r;
        }
    }
    let n = total_weight(w, s.len());
    let n0 = n - n1;
    let weighted_squared = if n1 > 0.0 && n0 > 0.0 {
        both_correct / (n1 * n1) + both_wrong / (n0 * n0) - 2.0 * mixed / (n1 * n0)
    } else {
        0.0
    };
    Mmce {
        squared: total / (n * n),
        unbiased: (w.is_none() && n > 1.0).then(|| (total - diagonal) / (n * (n - 1.0))),
        weighted_squared,
    }
}

/// MMCE: how far off, by a kernel on scores.
pub static MMCE: Metric = Metric {
    id: "mmce",
    name: "MMCE",
    plain: "calibration error by a kernel on scores",
    definition: "√ of the mean over pairs of residual products times a Laplacian kernel of width 0.4 on the scores.",
    formula: "√((1/n²) Σ_ij e_i e_j exp(−|s_i − s_j|/0.4)), e = t − s",
    source: "Kumar, Sarawagi and Jain 2018",
    value: ValueOf::Pair(|pair| Ok(Some(mmce_of(pair)?.value()))),
    weights: Weights::Form("every pair counts w w′"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// MMCE (weighted): the same, right and wrong rows apart.
pub static MMCE_W: Metric = Metric {
    id: "mmce_w",
    name: "MMCE (weighted)",
    plain: "the same, correct and incorrect rows separately",
    definition: "The weighted form of the MMCE.",
    formula: "√ of the mean of (1 − c)(1 − c′)k over pairs of correct rows + of c c′ k over incorrect ones − 2 · of (1 − c)c′k over mixed ones",
    source: "Kumar, Sarawagi and Jain 2018",
    value: ValueOf::Pair(|pair| Ok(Some(mmce_of(pair)?.weighted()))),
    weights: Weights::Form("every pair counts w w′"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

fn mmce_of(pair: &Pair) -> Result<Rc<Mmce>> {
    pair.shared(|| weighted_mmce(pair.score, pair.target, pair.weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{close, f8_top, near};
    use crate::metric::properties::{rows, split};
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let m = mmce(&s, &t).expect("valid");
        close(Some(m.squared), 0.019_114_864_395_385_314);
        near(Some(m.value()), 0.138_256_52, 5e-9);
        near(m.unbiased, -0.013_868_73, 5e-9);
        near(Some(m.weighted_squared), 0.221_037_40, 5e-9);
        near(Some(m.weighted()), 0.470_146_15, 5e-9);
        assert_eq!(mmce(&[0.3, 0.9], &[1, 1]).expect("valid").weighted_squared, 0.0);
    }

    proptest! {
        #[test]
        fn the_sweep_is_the_double_sum(rows in rows()) {
            let (s, t, _) = split(&rows);
            let m = mmce(&s, &t).expect("valid");
            let n = s.len() as f64;
            let k = |i: usize, j: usize| (-(s[i] - s[j]).abs() / MMCE_SCALE).exp();
            let r = |i: usize| f64::from(t[i]) - s[i];
            let (mut all, mut weighted) = (0.0, 0.0);
            let n1: f64 = t.iter().map(|&t| f64::from(t)).sum();
            let share = |i: usize| if t[i] == 1 { 1.0 / n1 } else { 1.0 / (n - n1) };
            for i in 0..s.len() {
                for j in 0..s.len() {
                    all += r(i) * r(j) * k(i, j);
                    weighted += r(i) * r(j) * k(i, j) * share(i) * share(j);
                }
            }
            prop_assert!((m.squared - all / (n * n)).abs() < 1e-12);
            prop_assert!(m.squared >= -1e-15);
            if n1 > 0.0 && n1 < n {
                prop_assert!((m.weighted_squared - weighted).abs() < 1e-11);
            }
        }
    }
}
