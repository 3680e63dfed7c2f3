//! When two scores are the same score.
//!
//! * **Ties.** Scores are tied if their doubles are equal, as in other software: what a file distinguishes, 1 − 2⁻⁵³ from
//!   1 or 10⁻¹² from 2 · 10⁻¹², stays distinguished. Blocks depend on the scores alone, never on the order of the rows.
//! * **Derived scores.** 1 − 0.82 and 0.18 are one probability, but not one double. [`complement`] therefore takes 1 − p of
//!   the decimal number that p stands for. Where numbers of a file and derived ones meet in one column (the confidence
//!   max(p, 1 − p), the probabilities of all classes together), those that differ by rounding alone ([`same`]) are made
//!   equal when they are derived ([`settle`]), so that nothing behind needs to know where a score came from.
//! * **Fitted scores.** What a fit returns hangs on sums, whose last bits hang on the order of the rows. They are settled
//!   once, where the fit returns them, at an absolute width ([`settle_fitted`]): 2⁻⁴⁴ ≈ 5.7 × 10⁻¹⁴; within 6 × 10⁻⁵ of 0
//!   and 1 at one relative to that distance, 2⁻³⁰, so that no logarithm of a score or of 1 − score changes by more.
//! * **Edges.** A score that is the same as an edge of a bin, a threshold or a corner of a stored curve stands at it.
//!
//! [`same`] allows 4 units in the last place, relative to p; above 4/5 relative to 4 (1 − p), so that toward 0 and toward 1
//! nothing is merged. So a file and its mirror image (1 − p for p) give the same
//! numbers wherever their doubles allow it. A score that is no number is the same as no other.

use super::order;
use std::ops::Range;

/// What rounding may leave of the difference of two probabilities, absolute: 4 units in the last place below 1.
pub const ROUNDING: f64 = 2.0 * f64::EPSILON;

/// Fitted scores nearer to each other than this are the same.
pub const FITTED: f64 = 1.0 / (1_u64 << 44) as f64;

/// How far a score may be from `p` by rounding: 4 ε · min(p, 4 (1 − p)); 0 outside (0, 1).
#[inline]
pub fn margin(p: f64) -> f64 {
    4.0 * f64::EPSILON * p.min(4.0 * (1.0 - p)).max(0.0)
}

/// Whether two scores, of which one is derived, are the same.
#[inline]
pub fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= margin(a)
}

/// Whether `s` lies at or above `edge`.
#[inline]
pub fn at_or_above(s: f64, edge: f64) -> bool {
    s >= edge || edge - s <= margin(edge)
}

/// Whether `s` lies above `edge`, not at it.
#[inline]
pub fn above(s: f64, edge: f64) -> bool {
    s > edge && s - edge > margin(edge)
}

/// The nearest edge above `s` that `s` does not stand at.
pub fn just_above(s: f64) -> f64 {
    (s + 2.0 * margin(s)).max(s.next_up())
}

/// The nearest edge below `s` that `s` does not stand at.
pub fn just_below(s: f64) -> f64 {
    (s - 2.0 * margin(s)).min(s.next_down())
}

/// 1 − p: of the decimal number with at most 12 places that p is the double of, if there is one.
///
/// Keeps the order of scores, and is its own inverse on such decimals.
///
/// ```
/// use localcal::num::ties::complement;
///
/// assert_eq!((1.0 - 0.82, complement(0.82)), (0.18000000000000005, 0.18));
/// ```
#[inline]
pub fn complement(p: f64) -> f64 {
    const PLACES: f64 = 1e12;
    // Both quotients of whole numbers below 2⁵³ are rounded once: they are the doubles of the decimals.
    let whole = (p * PLACES).round();
    if whole / PLACES == p { (PLACES - whole) / PLACES } else { 1.0 - p }
}

/// Makes values equal that are the [`same`]: each becomes the lowest of its block, which starts at a value and holds every
/// later one that is the same as this first. Depends on the values alone, not on their order; 0, 1 and their surroundings
/// stay as they are. One sort.
pub fn settle(values: &mut [f64]) {
    merge(values, same);
}

/// [`settle`] for what a fit returns: a block holds what is less than [`FITTED`] above its first value, and less than 2⁻³⁰ of
/// the distance of that value from 0 and from 1.
pub fn settle_fitted(values: &mut [f64]) {
    const NEAR_THE_ENDS: f64 = 1.0 / (1_u64 << 30) as f64;
    merge(values, |first, value| value - first < FITTED.min(NEAR_THE_ENDS * first.min(1.0 - first)));
}

/// Gives each value the first of its block; `one` says whether a value belongs to the block of a first one below it.
fn merge(values: &mut [f64], one: impl Fn(f64, f64) -> bool) {
    let mut first = f64::NAN;
    for i in order::ascending(values) {
        if let Some(value) = values.get_mut(i as usize) {
            if one(first, *value) {
                *value = first;
            } else {
                first = *value;
            }
        }
    }
}

/// Half-open ranges of equal values along `order`, which is ascending.
///
/// ```
/// use localcal_numerics::num::ties::tie_blocks;
///
/// let s = [0.1, 0.18, 0.18, 0.5];
/// assert_eq!(tie_blocks(&s, &[0, 1, 2, 3]).collect::<Vec<_>>(), [0..1, 1..3, 3..4]);
/// ```
pub fn tie_blocks<'a>(s: &'a [f64], order: &'a [u32]) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = end_of(order.len(), start, &|place| s[order[place] as usize])?;
        let block = start..end;
        start = end;
        Some(block)
    })
}

/// The end of the block of equal values that starts at place `start` of `n` ascending ones; `None` past the last.
#[inline]
pub fn end_of(n: usize, start: usize, at: &impl Fn(usize) -> f64) -> Option<usize> {
    if start >= n {
        return None;
    }
    let first = at(start);
    let mut end = start + 1;
    while end < n && first == at(end) {
        end += 1;
    }
    Some(end)
}

/// The part, of `parts` of equal size, of rows that are tied from rank `block.start` up to `block.end` of `n`: that of
/// their middle rank.
///
/// Where a row must belong to one part, tied rows share it: then no order of the rows decides. A row alone at rank r
/// gets ⌊r · parts / n⌋.
#[inline]
pub fn shared_part(block: &Range<usize>, parts: usize, n: usize) -> usize {
    (block.start + block.end).saturating_sub(1) * parts / (2 * n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::order::ascending;
    use proptest::prelude::*;

    fn blocks(s: &[f64]) -> Vec<Range<usize>> {
        tie_blocks(s, &ascending(s)).collect()
    }

    #[test]
    fn ties_come_in_blocks() {
        assert_eq!(blocks(&[0.5, 0.1, 0.5, 0.2]), [0..1, 1..2, 2..4]);
    }

    #[test]
    fn what_the_doubles_distinguish_is_not_tied() {
        let below_one = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(blocks(&[1e-12, 2e-12, 1e-300, 0.0, below_one, 1.0, below_one]).len(), 6);
        assert_eq!(blocks(&[0.3, 0.3_f64.next_up(), 0.3_f64.next_down()]).len(), 3);
        assert!(!same(1e-12, 2e-12) && !same(1e-17, 0.0) && !same(below_one, 1.0) && !same(0.5, 0.5 + 1e-14));
    }

    #[test]
    fn one_minus_a_decimal_is_the_decimal() {
        for k in 0..=100_000 {
            let (p, mirrored) = (f64::from(k) / 100_000.0, f64::from(100_000 - k) / 100_000.0);
            assert_eq!(complement(p), mirrored, "{p}");
        }
        assert_ne!(1.0 - 0.82, 0.18);
        assert_eq!((complement(1e-12), complement(0.999_999_999_999)), (0.999_999_999_999, 1e-12));
        assert_eq!((complement(1e-20), complement(1.0 - f64::EPSILON)), (1.0, f64::EPSILON));
        assert!(complement(f64::NAN).is_nan());
    }

    #[test]
    fn derived_scores_settle_on_one() {
        // what stands in a file as 1 − 0.18, 0.82, 2/3 and 1 − 1/3
        let mut c = [1.0 - 0.18, 0.82, 2.0 / 3.0, 1.0 - 1.0 / 3.0, 1.0 - 1e-16, 1.0];
        assert_eq!(blocks(&c).len(), 6);
        settle(&mut c);
        assert_eq!(blocks(&c), [0..2, 2..4, 4..5, 5..6]);
        assert_eq!((c[0], c[4]), (0.82, 1.0 - 1e-16));
    }

    #[test]
    fn a_chain_of_close_scores_is_cut_at_the_width_of_a_margin() {
        let s: Vec<f64> = (0..9).map(|k| 0.5 + 0.4 * f64::from(k) * margin(0.5)).collect();
        let (mut up, mut down) = (s.clone(), s.iter().rev().copied().collect::<Vec<_>>());
        settle(&mut up);
        settle(&mut down);
        assert_eq!(blocks(&up), [0..3, 3..6, 6..9]);
        assert!(up.iter().eq(down.iter().rev()));
    }

    #[test]
    fn fitted_scores_settle_at_an_absolute_width() {
        let mut s: Vec<f64> = (0..9).map(|k| 0.3 + 0.4 * f64::from(k) * FITTED).collect();
        s.extend([1e-15, 0.0, 1.0, 1.0 - 1e-15, f64::NAN]);
        settle_fitted(&mut s);
        assert_eq!(blocks(&s), [0..1, 1..2, 2..5, 5..8, 8..11, 11..12, 12..13, 13..14]);
        // what a logarithm tells apart stays apart
        assert_eq!(s[9..13], [1e-15, 0.0, 1.0, 1.0 - 1e-15]);
        let mut ends = [1e-9, 1e-9 + 1e-25, 1.0 - 1e-6, 1.0 - 1e-6 + 2e-16];
        settle_fitted(&mut ends);
        assert_eq!(blocks(&ends), [0..2, 2..4]);
    }

    #[test]
    fn a_score_stands_at_an_edge_that_it_was_derived_for() {
        for count in 2..=1000 {
            for i in 1..count {
                let edge = f64::from(i) / f64::from(count);
                // a file that holds what others compute of the other class, and that of its double; what 1 − p leaves of a
                // number below 1/14 may be further off, unless it is a short decimal
                let others = [complement(1.0 - edge), complement(f64::from(count - i) / f64::from(count))];
                let others =
                    others.into_iter().filter(|_| (1.0 / 14.0..=13.0 / 14.0).contains(&edge) || 500 % count == 0);
                for s in others.chain([edge]) {
                    assert!(at_or_above(s, edge) && !above(s, edge), "{i}/{count}: {s}");
                }
                assert!(!at_or_above(edge, just_above(edge)) && above(edge, just_below(edge)), "{edge}");
            }
        }
        assert!(at_or_above(0.3, 0.1 + 0.2) && !above(0.1 + 0.2, 0.3));
        assert!(!at_or_above(1e-12, 2e-12) && !at_or_above(1.0 - f64::EPSILON / 2.0, 1.0));
    }

    #[test]
    fn what_is_no_number_is_tied_with_nothing() {
        let s = [f64::NAN, 0.5, f64::NAN, f64::INFINITY, f64::INFINITY];
        let found = blocks(&s);
        assert_eq!(found.iter().map(Range::len).sum::<usize>(), 5);
        assert_eq!(found, [0..1, 1..3, 3..4, 4..5]);
    }

    fn scores() -> impl Strategy<Value = Vec<f64>> {
        let close = (0..9_u32).prop_map(|k| 0.3 + f64::from(k) * 1e-16);
        proptest::collection::vec(
            prop_oneof![0.0..=1.0_f64, close, 0.0..1e-15_f64, (0..=100_u32).prop_map(|k| f64::from(k) / 100.0)],
            0..80,
        )
    }

    proptest! {
        #[test]
        fn one_minus_p_keeps_the_order(mut s in scores()) {
            s.extend(s.clone().iter().flat_map(|s| [s.next_up().min(1.0), s.next_down().max(0.0)]));
            s.sort_by(f64::total_cmp);
            let turned: Vec<f64> = s.iter().rev().map(|&s| complement(s)).collect();
            prop_assert!(turned.is_sorted());
            for (&s, &other) in s.iter().zip(turned.iter().rev()) {
                prop_assert!((0.0..=1.0).contains(&other));
                prop_assert!((other - (1.0 - s)).abs() <= f64::EPSILON / 2.0, "{} {}", s, other);
                if s >= 0.5 {
                    prop_assert!((complement(other) - s).abs() == 0.0, "{} {}", s, other);
                }
            }
        }

        #[test]
        fn settled_scores_keep_their_order_and_do_not_move_far(s in scores()) {
            let mut settled = s.clone();
            settle(&mut settled);
            for (&i, &j) in ascending(&s).iter().zip(ascending(&s).iter().skip(1)) {
                prop_assert!(settled[i as usize] <= settled[j as usize]);
            }
            prop_assert!(s.iter().zip(&settled).all(|(s, t)| same(*t, *s) && t <= s));
        }

        #[test]
        fn blocks_hold_every_row_once_and_one_value(s in scores()) {
            let order = ascending(&s);
            let mut next = 0;
            for block in tie_blocks(&s, &order) {
                prop_assert_eq!(block.start, next);
                let value = s[order[block.start] as usize];
                prop_assert!(order[block.clone()].iter().all(|&i| s[i as usize] == value));
                prop_assert!(order.get(block.end).is_none_or(|&i| s[i as usize] > value));
                next = block.end;
            }
            prop_assert_eq!(next, s.len());
        }
    }

    #[test]
    fn tied_rows_share_the_part_of_their_middle_rank() {
        for r in 0..10 {
            assert_eq!(shared_part(&(r..r + 1), 3, 10), r * 3 / 10);
        }
        assert_eq!(shared_part(&(0..10), 5, 10), 2);
        assert_eq!(shared_part(&(4..6), 2, 10), 0);
        assert_eq!(shared_part(&(4..7), 2, 10), 1);
    }
}
