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
///
/// ```
/// use localcal_numerics::decision::rejection::rejection_curve;
///
/// // half of the rows are wrong; the less confident one is the wrong one
/// assert_eq!(rejection_curve(&[0.9, 0.6], &[1, 0])?, [(0.0, 0.5), (0.5, 0.0), (1.0, 0.0)]);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
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
