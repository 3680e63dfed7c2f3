//! Prediction rejection ratio: does confidence rank errors as an oracle would?

use super::entry::{Better, Discloses, Interval, Metric, Range, Replicates, ValueOf};
use super::reason::Reason;
use crate::error::Result;
use crate::num::{check_lengths, order, ties};

/// How the area under the rejection curve is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RejectionArea {
    /// trapezoid through the n + 1 points
    #[default]
    Trapezoid,
    /// plain mean of the n + 1 points
    PointMean,
}

/// (A_random − A)/(A_random − A_oracle): 1 for a perfect ranking of the errors, 0 for a random one.
///
/// The most uncertain rows are rejected first; tied rows count with their block's mean error. Without ties it is
/// 2·AUROC(confidence, correct) − 1. `None` when all or no rows are correct.
///
/// Source: Malinin, Mlodozeniec and Gales (2020), section 4. Errors: `empty`, `length_mismatch`. One sort.
pub fn prr(c: &[f64], correct: &[u8], area: RejectionArea) -> Result<Option<f64>> {
    check_lengths(c.len(), correct.len())?;
    let order = order::ascending(c);
    let n = c.len() as f64;
    let wrong = n - correct.iter().map(|&a| f64::from(a)).sum::<f64>();
    if wrong == 0.0 || wrong == n {
        return Ok(None);
    }
    // Sum of the curve over its n + 1 points, from all rejected (0 errors left) to none.
    let points = |blocks: &mut dyn Iterator<Item = (f64, f64)>| {
        let (mut left, mut sum) = (wrong, wrong);
        for (rows, errors) in blocks {
            // Rejecting the rows of a block one by one takes off errors/rows each.
            sum += rows * left - errors * (rows + 1.0) / 2.0;
            left -= errors;
        }
        sum / n
    };
    let seen = points(&mut ties::tie_blocks(c, &order).map(|block| {
        let right: u32 = order[block.clone()].iter().map(|&i| u32::from(correct[i as usize])).sum();
        (block.len() as f64, block.len() as f64 - f64::from(right))
    }));
    let oracle = points(&mut [(wrong, wrong), (n - wrong, 0.0)].into_iter());
    let error = wrong / n;
    let area_of = |sum: f64| match area {
        // Both ends count half: the curve starts at the error rate and ends at 0.
        RejectionArea::Trapezoid => (sum - 0.5 * error) / n,
        RejectionArea::PointMean => sum / (n + 1.0),
    };
    let random = 0.5 * error;
    Ok(Some((random - area_of(seen)) / (random - area_of(oracle))))
}

/// PRR: how well confidence tells which to reject.
pub static PRR: Metric = Metric {
    id: "prr",
    name: "PRR",
    plain: "ranking of errors by confidence",
    definition: "Area gained by rejecting the least confident first, as a proportion of the gain of an oracle; ties \
                 averaged.",
    formula: "(A_random − A) / (A_random − A_oracle)",
    source: "Malinin, Mlodozeniec and Gales 2020",
    better: Better::Higher,
    range: Range::UpToOne,
    value: ValueOf::Prediction(|rows| {
        let ratio = prr(&rows.confidence, &rows.correct, RejectionArea::Trapezoid)?;
        Ok(ratio.ok_or(Reason::undefined("all predictions are correct, or all are incorrect")))
    }),
    replicates: Replicates::Never,
    interval: Interval::None,
    floor: false,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::rejection::rejection_curve;
    use crate::fixtures::{close, f8_top, near};
    use crate::metric::auroc;
    use crate::metric::properties::{rows, split};
    use crate::reference_files::{heart, top_label};
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        close(prr(&s, &t, RejectionArea::Trapezoid).expect("valid"), -1.0 / 6.0);
        close(prr(&s, &t, RejectionArea::PointMean).expect("valid"), -1.0 / 6.0);
        assert_eq!(prr(&[0.4, 0.5], &[1, 1], RejectionArea::Trapezoid).expect("valid"), None);
    }

    #[test]
    fn heart_reference_number() {
        let Some((p, y)) = heart() else { return };
        let (c, a) = top_label(&p, &y);
        let c: Vec<f64> = c.iter().map(|c| (c * 1e12).round() / 1e12).collect();
        near(prr(&c, &a, RejectionArea::Trapezoid).expect("valid"), 0.358_759_133_157_711_8, 1e-9);
    }

    proptest! {
        #[test]
        fn the_ratio_is_the_auroc_and_knows_the_oracle(rows in rows()) {
            let (s, t, _) = split(&rows);
            let ratio = prr(&s, &t, RejectionArea::Trapezoid).expect("valid");
            let area = auroc(&s, &t).expect("valid");
            prop_assert_eq!(ratio.is_some(), area.is_some());
            if let (Some(ratio), Some(area)) = (ratio, area) {
                prop_assert!((ratio - (2.0 * area - 1.0)).abs() < 1e-10, "{} {}", ratio, area);
                let oracle: Vec<f64> = t.iter().map(|&t| f64::from(t)).collect();
                prop_assert!((prr(&oracle, &t, RejectionArea::Trapezoid).expect("valid").expect("both kinds") - 1.0).abs() < 1e-10);
                let cubed: Vec<f64> = s.iter().map(|s| s.powi(3) + s).collect();
                prop_assert_eq!(prr(&cubed, &t, RejectionArea::Trapezoid).expect("valid"), Some(ratio));
            }
        }

        #[test]
        fn the_area_under_the_rejection_curve_gives_the_ratio(rows in prop::collection::vec(((0..40u8), 0..2u8), 2..100)) {
            let (c, a): (Vec<f64>, Vec<u8>) = rows.iter().map(|(c, a)| (f64::from(*c) / 40.0, *a)).unzip();
            let curve = rejection_curve(&c, &a).expect("valid");
            let area: f64 = curve.windows(2).map(|w| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) / 2.0).sum();
            let error = curve[0].1;
            prop_assert_eq!(curve.last().expect("valid").1, 0.0);
            if let Some(ratio) = prr(&c, &a, RejectionArea::Trapezoid).expect("valid") {
                let found = (error / 2.0 - area) / (error / 2.0 - error * error / 2.0);
                prop_assert!((found - ratio).abs() < 1e-9);
            }
        }
    }
}
