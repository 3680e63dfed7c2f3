//! Scaled Brier score: how much of the squared error of the prevalence the scores take away.

use super::entry::{Better, Discloses, Interval, IntervalKind, Metric, Range, Replicates, ValueOf, Weights};
use super::reason::Reason;
use super::rows::Pair;
use crate::error::Result;
use crate::num::special::NORMAL_975;
use crate::num::weight::{
    RowWeights, check_weighted, error_of_mean, total_weight, weight, weighted_mean, weighted_share,
};

/// 1 − Σ (s − t)² / Σ (t̄ − t)² = 1 − Brier / (t̄(1 − t̄)), with weights Σ w in place of Σ.
///
/// 1 for certain scores that are right, 0 for scores that know the mean outcome only, below 0 for worse ones. `None` where
/// only one outcome has weight.
///
/// * `s`: scores in [0, 1], n; `t`: targets 0 or 1, n; `w`: w ≥ 0, n
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// One pass.
///
/// # Source
/// Steyerberg et al. (2010); Kattan and Gerds (2018), index of prediction accuracy; Brier skill score in meteorology.
///
/// ```
/// use localcal_numerics::metric::scaled_brier::scaled_brier;
///
/// // Brier 0.25² = 0.0625, that of the mean outcome 0.5² = 0.25
/// assert_eq!(scaled_brier(&[0.25, 0.75], &[0, 1], None)?, Some(0.75));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn scaled_brier(s: &[f64], t: &[u8], w: RowWeights) -> Result<Option<f64>> {
    check_weighted(s.len(), t.len(), w)?;
    let rows = s.iter().zip(t).enumerate();
    let (squared, target) = rows.fold((0.0, 0.0), |(squared, target), (i, (s, &t))| {
        let (w, t) = (weight(w, i), f64::from(t));
        (squared + w * (s - t) * (s - t), target + w * t)
    });
    Ok(of_sums(total_weight(w, s.len()), squared, target))
}

/// The same from Σ w, Σ w (s − t)² and Σ w t.
fn of_sums(n: f64, squared: f64, target: f64) -> Option<f64> {
    let base = target / n * (1.0 - target / n);
    (base > 0.0).then(|| 1.0 - squared / n / base)
}

/// The Wald 95 % interval from the influence function −((s − t)² − B) / U + B (1 − 2 t̄)(t − t̄) / U², U = t̄(1 − t̄).
fn ends(pair: &Pair) -> Result<Option<[f64; 2]>> {
    let (s, t, w) = (pair.score, pair.target, pair.weights);
    let Some(value) = scaled_brier(s, t, w)? else { return Ok(None) };
    let squared: Vec<f64> = s.iter().zip(t).map(|(s, &t)| (s - f64::from(t)).powi(2)).collect();
    let (brier, share) = (weighted_mean(&squared, w), weighted_share(t, w));
    let u = share * (1.0 - share);
    let influence =
        |i: usize| -(squared[i] - brier) / u + brier * (1.0 - 2.0 * share) * (f64::from(t[i]) - share) / (u * u);
    let half = NORMAL_975 * error_of_mean(s.len(), w, pair.sampling(), influence);
    Ok(Some([value - half, value + half]))
}

/// Scaled Brier score, also called index of prediction accuracy or Brier skill score.
pub static SCALED_BRIER: Metric = Metric {
    id: "scaled_brier",
    name: "Scaled Brier",
    plain: "improvement over predicting the mean outcome",
    definition: "1 − squared error of the scores / squared error of the mean outcome: at most 1, 0 for scores no \
                 better than the mean outcome, negative if worse. Positive view: p and y. Top-label view: \
                 confidence and correctness.",
    formula: "1 − Σ (s − t)² / Σ (t̄ − t)²",
    source: "Steyerberg et al. 2010; Kattan and Gerds 2018",
    better: Better::Higher,
    range: Range::UpToOne,
    value: ValueOf::Rows(|rows| {
        let Pair { score, target, weights, .. } = &rows.pair;
        let value = scaled_brier(score, target, *weights)?;
        Ok(value.ok_or(Reason::undefined("only one outcome occurs")))
    }),
    weights: Weights::Form("Σ w x in both sums, t̄ = Σ w t / Σ w"),
    replicates: Replicates::Sums(|sums| of_sums(sums.n, sums.squared, sums.target)),
    interval: Interval::Analytic(IntervalKind::Wald, |pair, _| ends(pair)),
    floor: false,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::binning::BinOptions;

    #[test]
    fn equal_errors_leave_no_error() {
        // all of the rows' squared errors are the same, and half of them happened
        let bins = BinOptions::default();
        let pair = Pair::new(&[0.25, 0.75], &[0, 1], None, &bins);
        assert_eq!(ends(&pair).expect("valid"), Some([0.75, 0.75]));
    }
    use crate::fixtures::{b12, close, near};
    use crate::metric::corp::weighted_corp;

    #[test]
    fn worked_values() {
        let (p, y) = b12();
        // Brier 5/24 against 1/4
        close(scaled_brier(&p, &y, None).expect("valid"), 1.0 / 6.0);
        assert_eq!(scaled_brier(&[0.2, 0.4], &[1, 1], None).expect("valid"), None);
        close(scaled_brier(&[0.5, 0.5], &[0, 1], None).expect("valid"), 0.0);
    }

    #[test]
    fn weights_agree_with_python_and_with_repeated_rows() {
        let (p, y) = b12();
        let w: Vec<f64> = (0..12).map(|i| f64::from(1 + i % 3)).collect();
        let weighted = scaled_brier(&p, &y, Some(&w)).expect("valid");
        let repeated = (0..12).flat_map(|i| std::iter::repeat_n((p[i], y[i]), 1 + i % 3));
        let (s, t): (Vec<f64>, Vec<u8>) = repeated.unzip();
        near(scaled_brier(&s, &t, None).expect("valid"), weighted.expect("both outcomes"), 1e-14);
        close(weighted, 0.1);
        // (discrimination − miscalibration) / uncertainty
        let split = weighted_corp(&p, &y, Some(&w)).expect("valid");
        near(weighted, (split.discrimination - split.miscalibration) / split.uncertainty, 1e-14);
    }
}
