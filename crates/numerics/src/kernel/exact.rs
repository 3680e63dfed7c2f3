//! Exact Laplacian sums in low dimensions: ordering, right-hand sides in blocks, and the queries far from
//! every source.

use super::divide::Run;
use super::item::{Item, QUERY, SOURCE, Scratch, Sum};
use super::linear::Linear;
use super::logarithmic::Logarithmic;
use super::nearest;
use super::{KernelSums, Part, Points, Queries};
use crate::num::order::ascending;

/// Below this mass a query is answered again, in logarithmic form.
const FAR: f64 = 1e-280;
/// Logarithmic keys carry an absolute error of eps·width/h; beyond this ratio neighbors are searched instead.
const WIDEST: f64 = 1e6;

/// Sources and queries in one list, with its orders.
struct Layout<const D: usize> {
    axis: [Vec<f64>; D],
    /// Ids by the last coordinate.
    by_last: Vec<u32>,
    /// Ids by the first coordinate, and the inverse.
    by_first: Vec<u32>,
    rank_first: Vec<u32>,
    /// Ids by the second of three coordinates.
    by_second: Vec<u32>,
    n_sources: usize,
    /// Queries stand behind the sources (or are the sources: 0).
    offset: usize,
    leave_out: bool,
}

impl<const D: usize> Layout<D> {
    fn new(queries: &Queries, sources: Points) -> Self {
        let mut axis: [Vec<f64>; D] = std::array::from_fn(|_| Vec::new());
        let lists = match queries {
            Queries::Sources { .. } => vec![sources],
            Queries::At(points) => vec![sources, *points],
        };
        for (c, axis) in axis.iter_mut().enumerate() {
            for list in &lists {
                axis.extend(list.values().iter().skip(c).step_by(D));
            }
        }
        let by_first = ascending(&axis[0]);
        let by_last = if D == 1 { by_first.clone() } else { ascending(&axis[D - 1]) };
        let by_second = if D == 3 { ascending(&axis[1]) } else { Vec::new() };
        let mut rank_first = vec![0; by_first.len()];
        for (rank, id) in (0u32..).zip(&by_first) {
            rank_first[*id as usize] = rank;
        }
        let (offset, leave_out) = match queries {
            Queries::Sources { leave_one_out } => (0, *leave_one_out),
            Queries::At(_) => (sources.n(), false),
        };
        Self { axis, by_last, by_first, rank_first, by_second, n_sources: sources.n(), offset, leave_out }
    }

    fn n_queries(&self) -> usize {
        self.by_last.len() - self.offset
    }

    /// Largest extent over the coordinates.
    fn width(&self) -> f64 {
        let extent = |axis: &Vec<f64>| {
            let low = axis.iter().copied().fold(f64::INFINITY, f64::min);
            let high = axis.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            high - low
        };
        self.axis.iter().map(extent).fold(0.0, f64::max)
    }

    /// One run of the recursion for the right-hand sides that `weight(source)` gives, for the queries that
    /// `asked(query)` names.
    fn run<const C: usize, A: Sum<C>>(
        &self,
        h: f64,
        weight: impl Fn(usize) -> [f64; C],
        asked: impl Fn(usize) -> bool,
    ) -> Vec<A> {
        let mut out = vec![A::default(); self.n_queries()];
        let mut items: Vec<Item<D, C, A>> = Vec::with_capacity(self.by_last.len());
        for &id in &self.by_last {
            let at = std::array::from_fn(|c| self.axis[c][id as usize]);
            let (mut role, mut own) = (0, [0.0; C]);
            if (id as usize) < self.n_sources {
                role |= SOURCE;
                own = weight(id as usize);
            }
            if id as usize >= self.offset && asked(id as usize - self.offset) {
                role |= QUERY;
            }
            let both = role == SOURCE | QUERY;
            items.push(Item {
                at,
                rank: [self.rank_first[id as usize], 0],
                id,
                role,
                weight: own,
                sum: if both && !self.leave_out { A::of_itself(&own) } else { A::default() },
            });
        }
        let mut spare = if D == 1 { Vec::new() } else { items.clone() };
        let mut run = Run {
            inverse: 1.0 / h,
            axis: [&self.axis[0], &self.axis[1.min(D - 1)]],
            by_first: &self.by_first,
            rank_first: &self.rank_first,
            by_second: self.by_second.clone(),
            offset: self.offset as u32,
            out: &mut out,
            scratch: Scratch::default(),
            inner: [Vec::new(), Vec::new()],
            spare_ids: vec![0; if D == 3 { self.by_last.len() } else { 0 }],
        };
        run.all_pairs(&mut items, &mut spare);
        out
    }
}

/// Kernel sums of exp(−‖Δ‖₁/h) in `D` ≤ 3 dimensions for every h of `bandwidths`, which share the orders of the
/// places; `weights` row-major with `k` right-hand sides.
pub(super) fn laplacian<const D: usize>(
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    bandwidths: &[f64],
    n_eff: bool,
    part: Part,
) -> Vec<KernelSums> {
    let layout = Layout::<D>::new(queries, sources);
    bandwidths.iter().map(|h| at_bandwidth(&layout, queries, sources, weights, k, *h, n_eff, part)).collect()
}

#[allow(clippy::too_many_arguments)]
fn at_bandwidth<const D: usize>(
    layout: &Layout<D>,
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    h: f64,
    n_eff: bool,
    part: Part,
) -> KernelSums {
    let n = layout.n_queries();
    let mut sums = KernelSums::unanswered(n, k, n_eff);
    // Parts are runs of ranks by the first coordinate: places close together share their nodes.
    let ranks = part.range(layout.by_first.len());
    let mut asked: Vec<bool> =
        (0..n).map(|q| ranks.contains(&(layout.rank_first[q + layout.offset] as usize))).collect();
    sums.answered.copy_from_slice(&asked);

    let mut run = Pass { layout, weights, k, h, asked: &asked, sums: &mut sums };
    // Several right-hand sides take Σ k² along: asked for or not, it costs them little.
    let mut done = match (k, n_eff) {
        (..2, true) => run.first::<2, 1>(),
        (..2, false) => run.first::<2, 0>(),
        _ => run.first::<4, 1>(),
    };
    while done < k {
        run.block::<8>(done);
        done += 8;
    }

    for (q, asked) in asked.iter_mut().enumerate() {
        let far = sums.mass[q] < FAR || sums.n_eff.as_ref().is_some_and(|_| sums.mass[q] < FAR.sqrt());
        *asked = *asked && far;
    }
    if asked.contains(&true) && layout.n_sources > 0 {
        if layout.width() <= WIDEST * h {
            far::<D>(layout, weights, k, h, &asked, &mut sums);
        } else {
            nearest::sums(queries, sources, weights, k, h, &asked, &mut sums);
        }
    }
    sums
}

/// The passes over one layout for one bandwidth.
struct Pass<'a, const D: usize> {
    layout: &'a Layout<D>,
    weights: &'a [f64],
    k: usize,
    h: f64,
    asked: &'a [bool],
    sums: &'a mut KernelSums,
}

impl<const D: usize> Pass<'_, D> {
    /// The mass, the first `C` − 1 right-hand sides, and Σ k² when `S` = 1; returns how many that are.
    fn first<const C: usize, const S: usize>(&mut self) -> usize {
        let k = self.k;
        let width = k.min(C - 1);
        let weight = |source: usize| -> [f64; C] {
            let row = &self.weights[source * k..source * k + width];
            std::array::from_fn(|c| match c {
                0 => 1.0,
                c => row.get(c - 1).copied().unwrap_or(0.0),
            })
        };
        let found = (self.layout).run::<C, Linear<C, S>>(self.h, weight, |q| self.asked[q]);
        for (q, sum) in found.iter().enumerate() {
            let square = sum.square.first().copied().unwrap_or(f64::NAN);
            let values = &sum.value[1..=width];
            self.sums.store(q, 0.0, sum.value[0], square, 0, values);
        }
        width
    }

    /// Right-hand sides `from ..` as one block of at most `C`; the mass is known.
    fn block<const C: usize>(&mut self, from: usize) {
        let k = self.k;
        let width = C.min(k - from);
        let weight = |source: usize| -> [f64; C] {
            let row = &self.weights[source * k + from..source * k + from + width];
            std::array::from_fn(|c| row.get(c).copied().unwrap_or(0.0))
        };
        let found = (self.layout).run::<C, Linear<C, 0>>(self.h, weight, |q| self.asked[q]);
        for (q, sum) in found.iter().enumerate() {
            for (c, value) in sum.value[..width].iter().enumerate() {
                self.sums.mean[q * k + from + c] = value / self.sums.mass[q];
            }
        }
    }
}

/// The second pass: the same recursion with logarithmic offsets, for the queries in `asked` only.
fn far<const D: usize>(layout: &Layout<D>, weights: &[f64], k: usize, h: f64, asked: &[bool], sums: &mut KernelSums) {
    let mut from = 0;
    while from < k {
        let width = 7.min(k - from);
        let weight = |source: usize| -> [f64; 8] {
            let row = &weights[source * k + from..source * k + from + width];
            let mut all = [0.0; 8];
            all[0] = 1.0;
            all[1..=width].copy_from_slice(row);
            all
        };
        let found = layout.run::<8, Logarithmic<8>>(h, weight, |q| asked[q]);
        for (q, sum) in found.iter().enumerate() {
            if asked[q] {
                sums.store(q, sum.top, sum.value[0], sum.square, from, &sum.value[1..=width]);
            }
        }
        from += width;
    }
}
