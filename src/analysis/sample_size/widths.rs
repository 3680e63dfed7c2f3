//! How wide 95 % intervals are at a number of rows, by closed formulas, and how many rows make them narrow enough.
//!
//! Source: Riley et al. (2021), "Minimum sample size for external validation of a clinical prediction model with a
//! binary outcome", Statistics in Medicine 40:4230–4251; the AUROC after Newcombe (2006), Statistics in Medicine
//! 25:559–573.

use crate::num::special::{NORMAL_975, PROB_CLIP, logit};

/// What widths follow from: facts about the rows that stay as they are when there are more of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cohort {
    /// φ, the share of rows with the outcome, in (0, 1)
    pub share: f64,
    /// c, the AUROC
    pub auroc: Option<f64>,
    /// the information about the slope that one row brings ([`slope_information`]); none where all scores are the same
    pub slope: Option<f64>,
    /// rows that tell as much as one independent row, 1 + (m̃ − 1) ρ where rows belong together in clusters
    pub effect: f64,
}

/// Rows beyond which nobody is told a number.
pub const MOST_ROWS: u64 = 1_000_000_000_000;

/// The information about the slope β of logit P = α + β LP that one row brings where α = 0 and β = 1:
/// I_β − I_αβ² / I_α = mean of w (LP − L̄)², with LP = logit s, w = s (1 − s), L̄ = Σ w LP / Σ w; Var(β) = 1 / (n · that).
///
/// * `s`: scores, clipped at 2⁻⁵² before the logit
///
/// `None` where all scores are the same, or there are none. Two passes.
pub fn slope_information(s: &[f64]) -> Option<f64> {
    let first = s.first()?;
    if s.iter().all(|score| score == first) {
        return None;
    }
    let each = || {
        s.iter().map(|&score| {
            let score = score.clamp(PROB_CLIP, 1.0 - PROB_CLIP);
            (score * (1.0 - score), logit(score, PROB_CLIP))
        })
    };
    let (mut weight, mut sum) = (0.0, 0.0);
    for (w, lp) in each() {
        weight += w;
        sum += w * lp;
    }
    let center = sum / weight;
    let squares: f64 = each().map(|(w, lp)| w * (lp - center) * (lp - center)).sum();
    Some(squares / s.len() as f64).filter(|found| *found > 0.0)
}

impl Cohort {
    /// Width of the interval of observed / expected events, where as many are expected as observed:
    /// e^{z SE} − e^{−z SE} = 2 sinh(z SE), SE(ln O/E) = √((1 − φ) / (n φ)).
    pub fn ratio_width(&self, n: f64) -> f64 {
        2.0 * (NORMAL_975 * ((1.0 - self.share) / (n * self.share)).sqrt()).sinh()
    }

    /// Width of the interval of the calibration slope: 2 z / √(n · information).
    pub fn slope_width(&self, n: f64) -> Option<f64> {
        Some(2.0 * NORMAL_975 / (n * self.slope?).sqrt())
    }

    /// Width of the interval of the AUROC c: 2 z SE,
    /// SE² = c (1 − c) [1 + (n/2 − 1)(1 − c)/(2 − c) + (n/2 − 1) c/(1 + c)] / (n² φ (1 − φ)).
    ///
    /// `None` where it is 0 or 1: the formula knows no width there.
    pub fn auroc_width(&self, n: f64) -> Option<f64> {
        let c = self.auroc.filter(|c| *c > 0.0 && *c < 1.0)?;
        let more = (n / 2.0 - 1.0) * ((1.0 - c) / (2.0 - c) + c / (1.0 + c));
        let variance = c * (1.0 - c) * (1.0 + more) / (n * n * self.share * (1.0 - self.share));
        Some(2.0 * NORMAL_975 * variance.sqrt())
    }
}

/// The smallest number of rows, from 2, at which a width that falls with them is `target` or less; `None` beyond
/// [`MOST_ROWS`].
///
/// # Cost
/// Some forty widths.
pub fn rows_needed(target: f64, width: impl Fn(f64) -> f64) -> Option<u64> {
    let enough = |n: u64| width(n as f64) <= target;
    let (mut below, mut above) = (1, MOST_ROWS);
    if !enough(above) {
        return None;
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if enough(middle) { above = middle } else { below = middle }
    }
    Some(above)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_checked_by_hand() {
        // Half of the rows have the outcome and the scores know nothing: SE² of the AUROC is (n + 1) / (3 n²).
        let coin = Cohort { share: 0.5, auroc: Some(0.5), slope: None, effect: 1.0 };
        assert!((coin.auroc_width(2.0).unwrap() - NORMAL_975).abs() < 1e-12);
        // SE(ln O/E) is 1/√n: at 16 rows the interval ends at e^{±z/4}.
        let end = (NORMAL_975 / 4.0).exp();
        assert!((coin.ratio_width(16.0) - (end - 1.0 / end)).abs() < 1e-12);
        // Half of the scores say 1/(1 + e), half e/(1 + e): LP = ∓1, L̄ = 0, so the information is w itself.
        let e = std::f64::consts::E;
        let information = slope_information(&[1.0 / (1.0 + e), e / (1.0 + e)]).unwrap();
        assert!((information - e / ((1.0 + e) * (1.0 + e))).abs() < 1e-15);
        assert_eq!((slope_information(&[0.3; 5]), slope_information(&[])), (None, None));
    }

    /// The example of the authors' program pmvalsampsize (share 0.018, intervals of 1 for O/E and of 0.1 for an AUROC of
    /// 0.8): it says 4,252 for the AUROC, and 905 for O/E, one less, because its standard errors go by steps of 0.0001.
    #[test]
    fn the_published_example() {
        let published = Cohort { share: 0.018, auroc: Some(0.8), slope: None, effect: 1.0 };
        assert_eq!(rows_needed(1.0, |n| published.ratio_width(n)), Some(906));
        assert_eq!(rows_needed(0.1, |n| published.auroc_width(n).unwrap()), Some(4252));
    }

    #[test]
    fn the_smallest_number_is_found() {
        assert_eq!(rows_needed(0.1, |n| 1.0 / n), Some(10));
        assert_eq!(rows_needed(5.0, |n| 1.0 / n), Some(2));
        assert_eq!(rows_needed(1e-13, |n| 1.0 / n), None);
    }
}
