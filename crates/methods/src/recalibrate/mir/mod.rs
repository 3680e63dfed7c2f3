//! Multi-class isotonic regression: one curve for all classes.

mod entry;

pub use entry::{CurveOfAll, MulticlassIsotonic};

use ndarray::ArrayView2;

use crate::error::{Error, Result};
use crate::metric::labels::check_classes;
use crate::num::isotonic::pool_adjacent_violators;
use crate::num::ties;
use crate::num::weight::{RowWeights, check_weighted};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::isotonic::{self, Interpolation, Isotonic};
use crate::recalibrate::logits::map_rows;
use crate::recalibrate::one_vs_all::renormalized;
use crate::table::{Matrix, Reals};

/// Weight of the score added to the curve, so that equal values keep their order.
const TIE_BREAK: f64 = 1e-9;

/// Fits one isotonic curve to the n·m pairs (Pᵢₖ, 1[yᵢ = k]); the objective is their mean squared error.
///
/// Source: Zhang, Kailkhura and Han (2020), section 4.3 (IRM).
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`, `probability_out_of_range` for a negative entry.
///
/// # Cost
/// One sort of n·m numbers of eight bytes.
///
/// # Examples
/// Three of four are of the class with 9/10: the curve is 3/4 there and 1/4 at 1/10.
///
/// ```
/// use localcal_methods::recalibrate::mir;
/// use ndarray::array;
///
/// let p = array![[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.9, 0.1]];
/// let curve = mir::fit(p.view(), &[0, 0, 0, 1])?.parameters;
/// assert_eq!((curve.value(0.9), curve.value(0.1)), (0.75, 0.25));
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn fit(p: ArrayView2<f64>, y: &[u32]) -> Result<Fit<Isotonic>> {
    weighted_fit(&p.into(), y, None)
}

/// [`fit`] to a matrix as files hold it, and to rows with weights, every entry of a row with that of the row. Errors as
/// there.
pub fn weighted_fit(p: &Matrix, y: &[u32], w: RowWeights) -> Result<Fit<Isotonic>> {
    if let Some(w) = w {
        return of_weighted_entries(p, y, w);
    }
    check_classes(p, y)?;
    let m = p.width;
    let mut row = vec![0.0; m];
    let mut before = 0.0;
    // Bits of numbers that are not negative sort as the numbers; the free sign bit makes room for the target.
    let mut keys = Vec::with_capacity(y.len() * m);
    for (i, &label) in y.iter().enumerate() {
        p.row_into(i, &mut row);
        for (k, &p) in row.iter().enumerate() {
            if p.is_nan() || p < 0.0 {
                return Err(Error::new(
                    "probability_out_of_range",
                    format!("Row {}, column {}: {p} is not between 0 and 1.", i + 1, k + 1),
                    "Open probabilities between 0 and 1, not logits.",
                ));
            }
            let event = u64::from(label as usize == k);
            before += (p - event as f64).powi(2);
            keys.push((p + 0.0).to_bits() << 1 | event);
        }
    }
    keys.sort_unstable();
    let mut rest = keys.as_slice();
    let blocks = pool_adjacent_violators(std::iter::from_fn(|| {
        let at = |place: usize| rest.get(place).map_or(f64::NAN, |key| f64::from_bits(key >> 1));
        let (value, end) = (at(0), ties::end_of(rest.len(), 0, &at)?);
        let (tie, after) = rest.split_at(end);
        rest = after;
        let events = tie.iter().filter(|&&k| k & 1 == 1).count();
        Some((value, end as f64, events as f64))
    }));
    let entries = keys.len() as f64;
    let after = blocks.iter().map(|b| b.sum * (1.0 - b.mean())).sum::<f64>() / entries;
    Ok(with_note_on_sums(Fit::plain(Isotonic::from_blocks(&blocks, Interpolation::Linear), before / entries, after)))
}

/// The fit, with a word on what becomes of the sums of rows.
fn with_note_on_sums(mut fit: Fit<Isotonic>) -> Fit<Isotonic> {
    fit.warnings.push("rows need not sum to 1: metrics use them unchanged, exports divide each by its sum".into());
    fit
}

/// The curve of the n·m pairs with weights.
fn of_weighted_entries(p: &Matrix, y: &[u32], w: &[f64]) -> Result<Fit<Isotonic>> {
    check_classes(p, y)?;
    check_weighted(y.len(), y.len(), Some(w))?;
    let mut row = vec![0.0; p.width];
    let (mut s, mut t, mut of) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (&label, &w)) in y.iter().zip(w).enumerate() {
        p.row_into(i, &mut row);
        s.extend_from_slice(&row);
        t.extend((0..p.width).map(|k| u8::from(label as usize == k)));
        of.resize(s.len(), w);
    }
    isotonic::weighted_fit(&s, &t, Some(&of), Interpolation::Linear).map(with_note_on_sums)
}

/// curve(P) + 10⁻⁹ P for every entry of P, n × m.
///
/// * `p`: probabilities, n × m, rows that sum to 1
/// * `renormalise`: divides every row by its sum; a row that sums to 0 is returned as it was
///
/// # Cost
/// O(n m log points).
pub fn apply(curve: &Isotonic, p: &Matrix, renormalise: bool) -> Matrix {
    let raw = map_rows(p, |_, row| apply_row(curve, row));
    if renormalise { renormalized(&raw, p) } else { raw }
}

/// curve(P) + 10⁻⁹ P for one row of m probabilities, in place; it need not sum to 1.
pub fn apply_row(curve: &Isotonic, row: &mut [f64]) {
    row.iter_mut().for_each(|v| *v = curve.value(*v) + TIE_BREAK * *v);
}

/// One row as it leaves: cut to [0, 1] and divided by its sum. The metrics of the paper take rows as the curve leaves them;
/// what goes to others as probabilities is one distribution a row.
pub fn onto_simplex(row: &mut [f64]) {
    row.iter_mut().for_each(|v| *v = v.clamp(0.0, 1.0));
    let sum: f64 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|v| *v /= sum);
    }
}

/// Sum of every row: 1 only after renormalizing.
pub fn row_sums(p: &Matrix) -> Vec<f64> {
    match &p.values {
        Reals::F64(v) => v.chunks(p.width.max(1)).map(|row| row.iter().sum()).collect(),
        Reals::F32(v) => v.chunks(p.width.max(1)).map(|row| row.iter().map(|&p| f64::from(p)).sum()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{f8, matrix, near};
    use crate::num::special::argmax;
    use proptest::prelude::*;

    #[test]
    fn probabilities_that_differ_by_rounding_are_tied() {
        // ln and back: 0.75 comes as two numbers
        let (q, noisy) = (0.75, 1.0 - 0.25 - f64::EPSILON / 2.0);
        assert_ne!(q, noisy);
        let p = [[0.75, 0.25], [0.25, noisy], [0.75, 0.25], [0.25, noisy]];
        let p = matrix(2, p.concat());
        let y = [0, 1, 1, 1];
        for w in [None, Some([1.0; 4].as_slice())] {
            let curve = weighted_fit(&p, &y, w).expect("valid").parameters;
            near(Some(curve.value(0.75)), 0.75, 1e-12);
            near(Some(curve.value(noisy)), 0.75, 1e-12);
        }
    }

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let found = weighted_fit(&p, &y, None).expect("valid");
        let q = apply(&found.parameters, &p, false);
        let (e, third) = (1.0 / 11.0, 2.0 / 3.0);
        let expected = [
            1.0, e, 0.0, third, e, e, e, third, e, e, third, e, e, e, third, e, 0.5, third, third, 0.5, e, 0.0, 0.0,
            1.0,
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            near(Some(q.value(i / 3, i % 3)), expected, 2e-9);
        }
        for (sum, expected) in row_sums(&q).iter().zip([1.0909, 0.8485, 0.8485, 0.8485, 0.8485, 1.2576, 1.2576, 1.0]) {
            near(Some(*sum), expected, 6e-5);
        }
        assert!(row_sums(&apply(&found.parameters, &p, true)).iter().all(|s| (s - 1.0).abs() < 1e-12));
        assert_eq!(
            weighted_fit(&matrix(2, vec![-0.1, 1.1]), &[0], None).expect_err("negative").code(),
            "probability_out_of_range"
        );
    }

    #[test]
    fn what_leaves_is_a_distribution() {
        let (p, y) = f8();
        let curve = weighted_fit(&p, &y, None).expect("valid").parameters;
        let mut row = vec![0.0; 3];
        for i in 0..8 {
            p.row_into(i, &mut row);
            apply_row(&curve, &mut row);
            let raw = row.clone();
            onto_simplex(&mut row);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
            assert_eq!(argmax(&row), argmax(&raw));
        }
    }

    proptest! {
        #[test]
        fn rows_keep_their_order(raw in proptest::collection::vec(0.0..1.0_f64, 3..60), seed in 0..1000_u32) {
            let n = raw.len() / 3;
            let p = matrix(3, raw[..3 * n].to_vec());
            let y: Vec<u32> = (0..n as u32).map(|i| (i * 7 + seed) % 3).collect();
            let found = weighted_fit(&p, &y, None).expect("valid");
            prop_assert!(found.objective_after <= found.objective_before + 1e-12);
            let q = apply(&found.parameters, &p, false);
            let (mut a, mut b) = (vec![0.0; 3], vec![0.0; 3]);
            for i in 0..n {
                p.row_into(i, &mut a);
                q.row_into(i, &mut b);
                prop_assert_eq!(argmax(&a), argmax(&b));
            }
        }
    }
}
