//! Sums as plain numbers: the fast form, exact until the kernel mass falls below about 1e-300.

use super::divide::BASE;
use super::exponential::{decay_all, decay_lanes};
use super::item::{Item, LEFT, Scratch, Sum};

/// Σ k·w for `C` right-hand sides, and Σ k² when `S` = 1 (read from the first right-hand side, which is then 1).
#[derive(Clone, Copy)]
pub(super) struct Linear<const C: usize, const S: usize> {
    pub(super) value: [f64; C],
    pub(super) square: [f64; S],
}

impl<const C: usize, const S: usize> Default for Linear<C, S> {
    fn default() -> Self {
        Self { value: [0.0; C], square: [0.0; S] }
    }
}

impl<const C: usize, const S: usize> Linear<C, S> {
    #[inline(always)]
    fn shrink(&mut self, factor: f64) {
        for value in &mut self.value {
            *value *= factor;
        }
        for square in &mut self.square {
            *square *= factor * factor;
        }
    }

    #[inline(always)]
    fn add(&mut self, factor: f64, from: &Self) {
        for c in 0..C {
            self.value[c] += factor * from.value[c];
        }
        for s in 0..S {
            self.square[s] += factor * factor * from.square[s];
        }
    }

    #[inline(always)]
    fn add_weight(&mut self, factor: f64, weight: &[f64; C]) {
        for (value, weight) in self.value.iter_mut().zip(weight) {
            *value += factor * weight;
        }
        for square in &mut self.square {
            *square += factor * factor * weight[0];
        }
    }
}

/// One step of the sweep: decay the running sums, let the record read, let it feed.
#[inline(always)]
fn step<const D: usize, const C: usize, const S: usize, const R: usize>(
    item: &mut Item<D, C, Linear<C, S>>,
    running: &mut [Linear<C, S>; R],
    gap: f64,
    factor: [f64; R],
) {
    for sum in running.iter_mut() {
        sum.shrink(gap);
    }
    for r in 0..R {
        item.sum.add(factor[r], &running[r ^ 1]);
    }
    for r in 0..R {
        running[r].add_weight(factor[r], &item.weight);
    }
}

/// Sweep up and down at once: two independent chains of arithmetic hide each other's latency.
#[inline(always)]
fn sweep<const D: usize, const C: usize, const S: usize, const R: usize>(
    items: &mut [Item<D, C, Linear<C, S>>],
    gap: &[f64],
    factor: [&[f64]; R],
) {
    let n = items.len();
    let gap = &gap[..n + 1];
    let factor = factor.map(|f| &f[..n]);
    let mut up = [Linear::<C, S>::default(); R];
    let mut down = [Linear::<C, S>::default(); R];
    for i in 0..n {
        step(&mut items[i], &mut up, gap[i], factor.map(|f| f[i]));
        let j = n - 1 - i;
        step(&mut items[j], &mut down, gap[j + 1], factor.map(|f| f[j]));
    }
}

impl<const C: usize, const S: usize> Sum<C> for Linear<C, S> {
    fn of_itself(weight: &[f64; C]) -> Self {
        let mut sum = Self::default();
        sum.add_weight(1.0, weight);
        sum
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.add(1.0, other);
    }

    fn line<const D: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch) {
        let n = items.len();
        decay_all(&mut scratch.gap[..n + 1]);
        let gap = &scratch.gap[..n + 1];
        let (mut up, mut down) = (Self::default(), Self::default());
        for i in 0..n {
            up.shrink(gap[i]);
            items[i].sum.merge(&up);
            up.add_weight(1.0, &items[i].weight);
            let j = n - 1 - i;
            down.shrink(gap[j + 1]);
            items[j].sum.merge(&down);
            down.add_weight(1.0, &items[j].weight);
        }
    }

    #[inline(never)]
    fn cross<const D: usize, const G: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch) {
        let n = items.len();
        decay_all(&mut scratch.away[..n]);
        decay_all(&mut scratch.gap[..n + 1]);
        let (away, code) = (&scratch.away[..n], &scratch.code[..n]);
        for (which, factor) in scratch.factor.iter_mut().take(2 * G).enumerate() {
            let which = which as f64;
            for ((factor, away), code) in factor[..n].iter_mut().zip(away).zip(code) {
                *factor = if *code == which { *away } else { 0.0 };
            }
        }
        let [a, b, c, d] = &scratch.factor;
        if G == 1 {
            sweep(items, &scratch.gap, [a, b]);
        } else {
            sweep(items, &scratch.gap, [a, b, c, d]);
        }
    }

    #[inline(never)]
    fn pairs<const D: usize, const BIPARTITE: bool>(items: &mut [Item<D, C, Self>], inverse: f64) {
        let n = items.len().min(BASE);
        let items = &mut items[..n];
        let mut at = [[0.0; BASE]; D];
        let mut side = [0.0; BASE];
        for (i, item) in items.iter().enumerate() {
            for (axis, value) in at.iter_mut().zip(item.at) {
                axis[i] = value;
            }
            side[i] = f64::from(item.role & LEFT);
        }
        let mut kernel = [0.0; BASE];
        for i in 1..n {
            for (block, lanes) in kernel.as_chunks_mut::<4>().0[..i.div_ceil(4)].iter_mut().enumerate() {
                let start = 4 * block;
                let mut t = [0.0; 4];
                for (c, axis) in at.iter().enumerate() {
                    let here = axis[i];
                    for l in 0..4 {
                        let there = axis[start + l];
                        t[l] += if BIPARTITE && c == 0 { here + there } else { (here - there).abs() };
                    }
                }
                for t in &mut t {
                    *t *= inverse;
                }
                let mut k = decay_lanes(&t);
                if BIPARTITE {
                    for l in 0..4 {
                        k[l] = if side[start + l] == side[i] { 0.0 } else { k[l] };
                    }
                }
                *lanes = k;
            }
            let (before, rest) = items.split_at_mut(i);
            let own = &mut rest[0];
            let mut received = own.sum;
            for (k, other) in kernel[..i].iter().zip(before) {
                received.add_weight(*k, &other.weight);
                other.sum.add_weight(*k, &own.weight);
            }
            own.sum = received;
        }
    }
}
