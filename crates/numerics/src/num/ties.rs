//! When two scores are the same score.
//!
//! 1 − 0.82 and 0.18 are one score, written twice; as doubles they are 2⁻⁵⁵ apart, and what a softmax or a logarithm leaves
//! of one probability differs by a few such steps more. One rule holds wherever scores are tied, ranked, binned or looked
//! up, so that a file and its mirror image (1 − p for p) give the same numbers:
//!
//! * **Ties.** Of ascending scores, a block starts at a score and holds every later one less than [`SAME`] = 2⁻⁴⁴ above
//!   that first score. Blocks depend on the scores alone, never on the order of the rows, and none is wider than 2⁻⁴⁴
//!   however many scores lie close together: being the same is not passed on from neighbour to neighbour.
//! * **Edges.** A score less than 2⁻⁴⁴ away from the edge of a bin, or from the corner of a stored curve, stands at it.
//!
//! The rule is for probabilities: 2⁻⁴⁴ ≈ 5.7 × 10⁻¹⁴ is absolute, since 1 − p is no more exact than that. Values of
//! features are the same only if they are equal, see [`super::order::equal_blocks`]. A score that is no number is the same
//! as no other.

use std::ops::Range;

/// Scores nearer to each other than this are the same.
pub const SAME: f64 = 1.0 / (1_u64 << 44) as f64;

/// Whether two scores are the same.
#[inline]
pub fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() < SAME
}

/// Whether `s` lies at or above `edge`.
#[inline]
pub fn at_or_above(s: f64, edge: f64) -> bool {
    edge < s + SAME
}

/// Whether `s` lies above `edge`, not at it.
#[inline]
pub fn above(s: f64, edge: f64) -> bool {
    edge <= s - SAME
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
                prop_assert!(first == last || last - first < SAME);
                if let Some(&after) = order.get(block.end) {
                    prop_assert!(s[after as usize] - first >= SAME);
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
