//! The rejection curve: errors that are left when the least confident rows go to a person.

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::order::ascending;
use crate::num::ties::tie_blocks;

/// (share of rows that are handed over, share of all rows that stay wrong), from none handed over to all; ties are
/// handed over together, with their mean error on the way.
///
/// * `c`: confidences, n; `correct`: 1 where the prediction is right, n
///
/// The area between this curve and a random one is the numerator of the prediction rejection ratio, see
/// [`prr`](crate::metric::prr::prr). Errors: `empty`, `length_mismatch`. One sort.
/// Source: Malinin, Mlodozeniec and Gales (2020), section 4.
pub fn rejection_curve(c: &[f64], correct: &[u8]) -> Result<Vec<(f64, f64)>> {
    check_lengths(c.len(), correct.len())?;
    let order = ascending(c);
    let n = c.len() as f64;
    let wrong = |i: &u32| f64::from(1 - correct[*i as usize].min(1));
    let mut left: f64 = order.iter().map(wrong).sum();
    let mut curve = vec![(0.0, left / n)];
    for block in tie_blocks(c, &order) {
        let end = block.end;
        left -= order[block].iter().map(wrong).sum::<f64>();
        curve.push((end as f64 / n, left / n));
    }
    Ok(curve)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::metric::prr::{RejectionArea, prr};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn its_area_is_that_of_the_ratio(rows in prop::collection::vec(((0..40u8), 0..2u8), 2..100)) {
            let (c, a): (Vec<f64>, Vec<u8>) = rows.iter().map(|(c, a)| (f64::from(*c) / 40.0, *a)).unzip();
            let curve = rejection_curve(&c, &a).unwrap();
            let area: f64 = curve.windows(2).map(|w| (w[1].0 - w[0].0) * (w[0].1 + w[1].1) / 2.0).sum();
            let error = curve[0].1;
            prop_assert_eq!(curve.last().unwrap().1, 0.0);
            if let Some(ratio) = prr(&c, &a, RejectionArea::Trapezoid).unwrap() {
                let found = (error / 2.0 - area) / (error / 2.0 - error * error / 2.0);
                prop_assert!((found - ratio).abs() < 1e-9);
            }
        }
    }
}
