//! Sums with a logarithmic offset: for queries so far from every source that plain sums underflow.
//!
//! Each running sum is e^offset·(Σ w e^…): the offset is an absolute key, so moving along the axis costs
//! nothing and only feeding and reading cost an exponential. Ratios are free of the offset: never 0/0.

use super::exponential::decay;
use super::item::{Item, LEFT, SOURCE, Scratch, Sum};

/// e^`top`·`value` are the sums; e^(2·`top`)·`square` is Σ k².
#[derive(Clone, Copy)]
pub(super) struct Logarithmic<const C: usize> {
    pub(super) top: f64,
    pub(super) value: [f64; C],
    pub(super) square: f64,
}

impl<const C: usize> Default for Logarithmic<C> {
    fn default() -> Self {
        Self { top: f64::NEG_INFINITY, value: [0.0; C], square: 0.0 }
    }
}

impl<const C: usize> Logarithmic<C> {
    /// Adds e^`key`·(value, square).
    #[inline(always)]
    fn add(&mut self, key: f64, value: &[f64; C], square: f64) {
        if key == f64::NEG_INFINITY {
            return;
        }
        let (keep, take) = if key > self.top {
            let keep = decay(key - self.top);
            self.top = key;
            (keep, 1.0)
        } else {
            (1.0, decay(self.top - key))
        };
        for (own, value) in self.value.iter_mut().zip(value) {
            *own = *own * keep + value * take;
        }
        self.square = self.square * (keep * keep) + square * (take * take);
    }

    /// Reads `from`, standing `shift` away from where its keys are measured.
    #[inline(always)]
    fn read(&mut self, from: &Self, shift: f64) {
        self.add(from.top + shift, &from.value, from.square);
    }
}

/// Sweeps `order` once, positions measured from the first record.
fn sweep<const D: usize, const C: usize>(
    items: &mut [Item<D, C, Logarithmic<C>>],
    scratch: &Scratch,
    upward: bool,
    opposite: usize,
) {
    let n = items.len();
    let mut running = [Logarithmic::<C>::default(); 4];
    let mut position = 0.0;
    for step in 0..n {
        let i = if upward { step } else { n - 1 - step };
        if step > 0 {
            position += scratch.gap[if upward { i } else { i + 1 }];
        }
        let code = scratch.code[i] as usize & 3;
        let away = scratch.away[i];
        items[i].sum.read(&running[code ^ opposite], -position - away);
        if items[i].role & SOURCE != 0 {
            running[code].add(position - away, &items[i].weight, 1.0);
        }
    }
}

impl<const C: usize> Sum<C> for Logarithmic<C> {
    fn of_itself(weight: &[f64; C]) -> Self {
        Self { top: 0.0, value: *weight, square: 1.0 }
    }

    fn merge(&mut self, other: &Self) {
        self.read(other, 0.0);
    }

    fn line<const D: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch) {
        let n = items.len();
        scratch.away[..n].fill(0.0);
        scratch.code[..n].fill(0.0);
        sweep(items, scratch, true, 0);
        sweep(items, scratch, false, 0);
    }

    fn cross<const D: usize, const G: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch) {
        sweep(items, scratch, true, 1);
        sweep(items, scratch, false, 1);
    }

    fn pairs<const D: usize, const BIPARTITE: bool>(items: &mut [Item<D, C, Self>], inverse: f64) {
        for i in 1..items.len() {
            let (before, rest) = items.split_at_mut(i);
            let own = &mut rest[0];
            for other in before {
                if BIPARTITE && (own.role ^ other.role) & LEFT == 0 {
                    continue;
                }
                let mut distance = 0.0;
                for c in 0..D {
                    distance +=
                        if BIPARTITE && c == 0 { own.at[c] + other.at[c] } else { (own.at[c] - other.at[c]).abs() };
                }
                let key = -distance * inverse;
                if other.role & SOURCE != 0 {
                    own.sum.add(key, &other.weight, 1.0);
                }
                if own.role & SOURCE != 0 {
                    other.sum.add(key, &own.weight, 1.0);
                }
            }
        }
    }
}
