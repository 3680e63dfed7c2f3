//! When two scores are the same score.
//!
//! 1 − 0.82 and 0.18 are one score, written twice; as doubles they are 2⁻⁵⁵ apart, and what a softmax, a fit or a sum in
//! another order leaves of one probability differs by a few such steps more. Near 0 and 1, on the other hand, a file
//! distinguishes what is much closer: 10⁻²⁰ and 10⁻¹⁵ are two scores. One rule holds wherever scores are tied, ranked,
//! binned or looked up:
//!
//! * **Ties.** Of ascending scores, a block starts at a score and holds every later one less than its [`width`] above that
//!   first score: 2⁻⁴⁴ between 2⁻¹⁰ and 1 − 2⁻¹⁰, and toward both ends 2⁻³⁴ of the distance to the nearer end, so that no
//!   logarithm of p or 1 − p within a block differs by more than 2⁻³⁴. Blocks depend on the scores alone, never on the order
//!   of the rows: being the same is not passed on from neighbor to neighbor.
//! * **Edges.** A score less than its width away from the edge of a bin, or from the corner of a stored curve, stands at it.
//! * **Mirror images.** A file and 1 − p of it give the same numbers, as long as 1 − p keeps p: the width is at least what
//!   1 − p rounds off, for every p from 2⁻²⁰ to 1 − 2⁻²⁰; beyond, only where 1 − p is exact.
//!
//! What is no probability (the logarithm of a proximity, a score that a fit moved beyond 1) has the width [`SAME`] = 2⁻⁴⁴ ≈
//! 5.7 × 10⁻¹⁴, since it is computed. Values of features are the same only if they are equal, see
//! [`super::order::equal_blocks`]. A score that is no number is the same as no other.

use std::ops::Range;

/// Scores far from 0 and 1, and computed values, nearer to each other than this are the same.
pub const SAME: f64 = 1.0 / (1_u64 << 44) as f64;
/// The same toward 0 and 1, relative to the distance to the nearer end.
const TOWARD_ENDS: f64 = 1.0 / (1_u64 << 34) as f64;

/// How near to `s` what is the same may be.
#[inline]
pub fn width(s: f64) -> f64 {
    let to_end = s.min(1.0 - s);
    if to_end < 0.0 { SAME } else { SAME.min(TOWARD_ENDS * to_end) }
}

/// Whether two scores are the same; `a` is the lower one.
#[inline]
pub fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() < width(a)
}

/// Whether `s` lies at or above `edge`.
#[inline]
pub fn at_or_above(s: f64, edge: f64) -> bool {
    s > (edge - width(edge)).min(edge.next_down())
}

/// Whether `s` lies above `edge`, not at it.
#[inline]
pub fn above(s: f64, edge: f64) -> bool {
    s >= (edge + width(edge)).max(edge.next_up())
}

/// The nearest edge above `s` at which `s` does not stand.
pub fn just_above(s: f64) -> f64 {
    let above = (s + 2.0 * width(s)).max(s.next_up());
    // beyond 1 the width is larger again
    if above > 1.0 { s + 2.0 * SAME } else { above }
}

/// The nearest edge below `s` at which `s` does not stand.
pub fn just_below(s: f64) -> f64 {
    let below = (s - 2.0 * width(s)).min(s.next_down());
    if below < 0.0 { s - 2.0 * SAME } else { below }
}

/// Half-open ranges of the same score along `order`, which is ascending.
///
/// ```
/// use localcal_numerics::num::ties::tie_blocks;
///
/// // 1 − 0.82 and 0.18 are one score
/// let s = [0.1, 1.0 - 0.82, 0.18, 0.5];
/// assert_eq!(tie_blocks(&s, &[0, 1, 2, 3]).collect::<Vec<_>>(), [0..1, 1..3, 3..4]);
/// ```
pub fn tie_blocks<'a>(s: &'a [f64], order: &'a [u32]) -> impl Iterator<Item = Range<usize>> + 'a {
    let at = |place: usize| s[order[place] as usize];
    let mut start = 0;
    std::iter::from_fn(move || {
        let end = end_of(order.len(), start, &at)?;
        let block = start..end;
        start = end;
        Some(block)
    })
}

/// The end of the block that starts at place `start` of `n` ascending scores; `None` past the last.
#[inline]
pub fn end_of(n: usize, start: usize, at: &impl Fn(usize) -> f64) -> Option<usize> {
    if start >= n {
        return None;
    }
    let first = at(start);
    let mut end = start + 1;
    while end < n && same(first, at(end)) {
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
    fn a_score_and_one_minus_its_mirror_are_one() {
        assert_ne!(0.18, 1.0 - 0.82);
        for k in 0..=10_000 {
            let p = f64::from(k) / 10_000.0;
            let mirrored = 1.0 - f64::from(10_000 - k) / 10_000.0;
            assert_eq!(blocks(&[p, mirrored, p]), vec![0..3], "{p}");
        }
        assert!(!same(0.5, 0.5 + 2.0 * SAME) && same(0.5, 0.5 + 0.5 * SAME));
        assert!(at_or_above(0.3, 0.1 + 0.2) && !above(0.1 + 0.2, 0.3));
    }

    #[test]
    fn what_a_file_distinguishes_near_the_ends_is_not_tied() {
        let below_one = 1.0 - f64::EPSILON / 2.0;
        assert_eq!(blocks(&[1e-12, 2e-12, 1e-300, 0.0, 1e-20, below_one, 1.0, 1.0 - f64::EPSILON]).len(), 8);
        assert!(!same(1e-12, 1.001e-12) && same(1e-12, 1e-12 * (1.0 + 1e-11)) && !same(0.0, 1e-300));
        for s in [0.0, 1e-300, 1e-20, 1e-12, 1e-4, 0.3, 0.9999, 1.0 - 1e-12, 1.0 - 1e-15, 1.0, -3.0, 1.0 + 1e-9] {
            assert!(at_or_above(s, s) && !above(s, s), "{s}");
            assert!(!at_or_above(s, just_above(s)) && above(s, just_below(s)), "{s}");
        }
        assert!(!at_or_above(1e-15, 2e-15) && above(2e-15, 1e-15) && !at_or_above(below_one, 1.0));
    }

    #[test]
    fn a_mirror_image_is_kept_as_far_as_its_doubles_are() {
        for k in 0..200 {
            let p = 2_f64.powi(-20) * 1.09_f64.powi(k);
            if p > 0.5 {
                break;
            }
            let again = 1.0 - (1.0 - p);
            assert!(same(p.min(again), p.max(again)), "{p}");
        }
    }

    #[test]
    fn logarithms_within_a_block_differ_by_nothing_that_counts() {
        for to_end in [1e-15, 1e-9, 1e-4, 0.01, 0.4] {
            for s in [to_end, 1.0 - to_end] {
                let other = s + 0.999 * width(s);
                assert!((s.ln() - other.ln()).abs() < 1e-10 && ((1.0 - s).ln() - (1.0 - other).ln()).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_chain_of_close_scores_is_cut_at_the_width_of_a_tie() {
        let step = 0.4 * SAME;
        let s: Vec<f64> = (0..9).map(|k| 0.5 + f64::from(k) * step).collect();
        assert_eq!(blocks(&s), [0..3, 3..6, 6..9]);
        let turned: Vec<f64> = s.iter().rev().copied().collect();
        assert_eq!(blocks(&turned), [0..3, 3..6, 6..9]);
    }

    #[test]
    fn what_is_no_number_is_tied_with_nothing() {
        let s = [f64::NAN, 0.5, f64::NAN, f64::INFINITY, f64::INFINITY];
        let found = blocks(&s);
        assert_eq!(found.iter().map(Range::len).sum::<usize>(), 5);
        assert_eq!(found, [0..1, 1..3, 3..4, 4..5]);
    }

    proptest! {
        #[test]
        fn blocks_hold_every_row_once_and_are_narrow(s in proptest::collection::vec(prop_oneof![0.0..1.0_f64, (0..9_u32).prop_map(|k| 0.3 + f64::from(k) * 3e-14)], 0..80)) {
            let order = ascending(&s);
            let mut next = 0;
            for block in tie_blocks(&s, &order) {
                prop_assert_eq!(block.start, next);
                prop_assert!(block.end > block.start);
                let (first, last) = (s[order[block.start] as usize], s[order[block.end - 1] as usize]);
                prop_assert!(same(first, last));
                if let Some(&after) = order.get(block.end) {
                    prop_assert!(!same(first, s[after as usize]));
                }
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
