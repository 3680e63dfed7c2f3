//! Divide and sweep: exact Laplacian sums in one, two and three dimensions.
//!
//! Halve by the first coordinate. What a source left of the split gives to a query right of it is
//! exp(−(split − x_j)/h)·exp(−(x_i − split)/h)·(the same problem, one dimension lower); both factors are at
//! most 1. In one dimension a sweep up and a sweep down carry the running sum, decayed over each gap. Nothing
//! overflows and nothing is approximated. Records are kept in the order of the last coordinate by a stable
//! partition into a second buffer.
//!
//! Cost: O(n log n) in one and two dimensions, O(n log² n) in three.

use super::item::{Item, LEFT, QUERY, SOURCE, Scratch, Sum};

/// Up to this many records are summed pair by pair.
pub(super) const BASE: usize = 32;

/// What one run of the recursion shares.
pub(super) struct Run<'a, const D: usize, const C: usize, A> {
    /// 1/h.
    pub(super) inverse: f64,
    /// First and second coordinate of every record, by its id.
    pub(super) axis: [&'a [f64]; 2],
    /// Ids in the order of the first coordinate.
    pub(super) by_first: &'a [u32],
    /// Rank by the first coordinate, by id.
    pub(super) rank_first: &'a [u32],
    /// Ids in the order of the second coordinate within the present node (three dimensions only).
    pub(super) by_second: Vec<u32>,
    /// Ids below this are sources only; answers are stored from here on.
    pub(super) offset: u32,
    /// Where answers go.
    pub(super) out: &'a mut [A],
    pub(super) scratch: Scratch,
    /// Buffers of the inner problem (three dimensions only).
    pub(super) inner: [Vec<Item<D, C, A>>; 2],
    pub(super) spare_ids: Vec<u32>,
}

impl<const D: usize, const C: usize, A: Sum<C>> Run<'_, D, C, A> {
    /// Sums over all pairs of `items`, which are in the order of their last coordinate.
    pub(super) fn all_pairs(&mut self, items: &mut [Item<D, C, A>], spare: &mut [Item<D, C, A>]) {
        if D == 1 {
            self.measure_gaps(items);
            A::line(items, &mut self.scratch);
            self.deliver(items);
        } else {
            self.halve(items, spare, 0);
        }
    }

    fn deliver(&mut self, items: &[Item<D, C, A>]) {
        for item in items {
            if item.role & QUERY != 0
                && let Some(out) = self.out.get_mut((item.id - self.offset) as usize)
            {
                out.merge(&item.sum);
            }
        }
    }

    fn measure_gaps(&mut self, items: &[Item<D, C, A>]) {
        self.scratch.resize(items.len(), D.saturating_sub(1));
        let mut before = items.first().map_or(0.0, |item| item.at[D - 1]);
        for (gap, item) in self.scratch.gap.iter_mut().zip(items) {
            let here = item.at[D - 1];
            *gap = (here - before) * self.inverse;
            before = here;
        }
        self.scratch.gap[items.len()] = 0.0;
    }

    /// `now` holds the ranks `first ..` by the first coordinate.
    fn halve(&mut self, now: &mut [Item<D, C, A>], spare: &mut [Item<D, C, A>], first: u32) {
        let n = now.len();
        let roles = now.iter().fold(0, |roles, item| roles | item.role);
        if roles & SOURCE == 0 || roles & QUERY == 0 {
            return self.deliver(now);
        }
        if n <= BASE {
            A::pairs::<D, false>(now, self.inverse);
            return self.deliver(now);
        }
        let half = n / 2;
        let middle = first + half as u32;
        let split = self.axis[0][self.by_first[middle as usize] as usize];
        if D == 2 {
            self.measure_gaps(now);
            for ((item, away), code) in now.iter().zip(&mut self.scratch.away).zip(&mut self.scratch.code) {
                *away = (item.at[0] - split).abs() * self.inverse;
                *code = if item.rank[0] < middle { 0.0 } else { 1.0 };
            }
            A::cross::<D, 1>(now, &mut self.scratch);
        } else {
            self.across(now, first, middle, split);
        }
        partition(now, spare, half, |item| item.rank[0] < middle);
        let (left, right) = spare.split_at_mut(half);
        let (left_spare, right_spare) = now.split_at_mut(half);
        self.halve(left, left_spare, first);
        self.halve(right, right_spare, middle);
    }

    /// Three dimensions: pairs across the outer split, as a bipartite problem in the other two coordinates.
    fn across(&mut self, items: &[Item<D, C, A>], first: u32, middle: u32, split: f64) {
        let range = first as usize..first as usize + items.len();
        // Dense ranks by the second coordinate within this node.
        let mut dense = std::mem::take(&mut self.spare_ids);
        for (rank, id) in self.by_second[range.clone()].iter().enumerate() {
            dense[*id as usize] = rank as u32;
        }
        let [mut now, mut spare] = std::mem::take(&mut self.inner);
        now.clear();
        now.extend(items.iter().map(|item| {
            let mut inner = *item;
            inner.at[0] = (item.at[0] - split).abs();
            inner.rank[1] = dense[item.id as usize];
            inner.role |= if item.rank[0] < middle { LEFT } else { 0 };
            inner.sum = A::default();
            inner
        }));
        spare.clear();
        spare.extend_from_slice(&now);
        self.halve_across(&mut now, &mut spare, first, 0);
        self.inner = [now, spare];
        // The children need the second order within their own halves: a stable partition.
        let ids = &mut self.by_second[range];
        dense[..ids.len()].copy_from_slice(ids);
        let (mut low, mut high) = (0, (middle - first) as usize);
        for &id in &dense[..ids.len()] {
            let left = self.rank_first[id as usize] < middle;
            ids[if left { low } else { high }] = id;
            low += usize::from(left);
            high += usize::from(!left);
        }
        self.spare_ids = dense;
    }

    /// `now` holds the dense ranks `start ..` by the second coordinate of the outer node that begins at `first`.
    fn halve_across(&mut self, now: &mut [Item<D, C, A>], spare: &mut [Item<D, C, A>], first: u32, start: u32) {
        let n = now.len();
        let (mut left, mut right) = (0, 0);
        for item in now.iter() {
            let is_left = item.role & LEFT != 0;
            left |= if is_left { item.role } else { 0 };
            right |= if is_left { 0 } else { item.role };
        }
        let meet = |from: u32, to: u32| from & SOURCE != 0 && to & QUERY != 0;
        if !meet(left, right) && !meet(right, left) {
            return self.deliver(now);
        }
        if n <= BASE {
            A::pairs::<D, true>(now, self.inverse);
            return self.deliver(now);
        }
        let half = n / 2;
        let middle = start + half as u32;
        let split = self.axis[1][self.by_second[(first + middle) as usize] as usize];
        self.measure_gaps(now);
        for ((item, away), code) in now.iter().zip(&mut self.scratch.away).zip(&mut self.scratch.code) {
            *away = (item.at[0] + (item.at[1] - split).abs()) * self.inverse;
            let (low, left) = (item.rank[1] < middle, item.role & LEFT != 0);
            let group = if low == left { 0.0 } else { 2.0 };
            *code = group + if left { 0.0 } else { 1.0 };
        }
        A::cross::<D, 2>(now, &mut self.scratch);
        partition(now, spare, half, |item| item.rank[1] < middle);
        let (low, high) = spare.split_at_mut(half);
        let (low_spare, high_spare) = now.split_at_mut(half);
        self.halve_across(low, low_spare, first, start);
        self.halve_across(high, high_spare, first, middle);
    }
}

/// Stable partition: the `half` records that belong low, then the rest, each in its old order.
#[inline(always)]
fn partition<T: Copy>(from: &[T], to: &mut [T], half: usize, is_low: impl Fn(&T) -> bool) {
    let (low_part, high_part) = to.split_at_mut(half);
    let (mut low, mut high) = (0, 0);
    for item in from {
        if is_low(item) {
            low_part[low] = *item;
            low += 1;
        } else {
            high_part[high] = *item;
            high += 1;
        }
    }
}
