//! Laplacian sums where the bandwidth is tiny against the extent: the nearest sources decide, and only those
//! within 40 h of the nearest count. A k-d tree over the distinct places finds them; distances come from
//! coordinate differences, so that ties stay ties.

use super::{KernelSums, Points, Queries};
use crate::num::order;

/// exp(−40) is below the last bit of a sum.
const REACH: f64 = 40.0;
const LEAF: usize = 16;

/// Distinct places in tree order, with the sources at each.
struct Tree<'a> {
    d: usize,
    sources: Points<'a>,
    /// One representative source per distinct place, permuted into tree order.
    places: Vec<u32>,
    /// Sources by place: `members[start[p] .. start[p + 1]]` stand where source `p`'s representative stands.
    members: Vec<u32>,
    /// First member and number of members, by representative source.
    run: Vec<(u32, u32)>,
    nodes: Vec<Node>,
}

struct Node {
    low: Vec<f64>,
    high: Vec<f64>,
    first: usize,
    end: usize,
    /// Left child; the right one is stored in `right`. 0: a leaf.
    left: usize,
    right: usize,
}

impl<'a> Tree<'a> {
    fn new(sources: Points<'a>) -> Self {
        let (n, d) = (sources.n(), sources.d());
        let mut members = order::ascending(&sources.values().iter().step_by(d).copied().collect::<Vec<_>>());
        let compare = |a: &u32, b: &u32| {
            let (a_row, b_row) = (sources.row(*a as usize), sources.row(*b as usize));
            a_row.partial_cmp(b_row).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b))
        };
        order::sort(&mut members, &compare);
        let (mut places, mut run) = (Vec::new(), vec![(0, 0); n]);
        let mut start = 0;
        while start < n {
            let head = members[start];
            let same = members[start..]
                .iter()
                .take_while(|j| sources.row(**j as usize) == sources.row(head as usize))
                .count()
                .max(1);
            run[head as usize] = (start as u32, same as u32);
            places.push(head);
            start += same;
        }
        let mut tree = Self { d, sources, places, members, run, nodes: Vec::new() };
        if !tree.places.is_empty() {
            tree.grow(0, tree.places.len());
        }
        tree
    }

    fn grow(&mut self, first: usize, end: usize) -> usize {
        let (mut low, mut high) = (vec![f64::INFINITY; self.d], vec![f64::NEG_INFINITY; self.d]);
        for &place in &self.places[first..end] {
            for (c, value) in self.sources.row(place as usize).iter().enumerate() {
                low[c] = low[c].min(*value);
                high[c] = high[c].max(*value);
            }
        }
        let axis = (0..self.d).max_by(|a, b| (high[*a] - low[*a]).total_cmp(&(high[*b] - low[*b]))).unwrap_or(0);
        let index = self.nodes.len();
        self.nodes.push(Node { low, high, first, end, left: 0, right: 0 });
        if end - first > LEAF {
            let half = (end - first) / 2;
            let sources = self.sources;
            order::select(&mut self.places[first..end], half, &|a, b| {
                let (a_row, b_row) = (sources.row(*a as usize), sources.row(*b as usize));
                a_row[axis].total_cmp(&b_row[axis]).then(a.cmp(b))
            });
            let left = self.grow(first, first + half);
            let right = self.grow(first + half, end);
            self.nodes[index].left = left;
            self.nodes[index].right = right;
        }
        index
    }

    /// ‖·‖₁ from `place` to the box of a node.
    fn to_box(&self, node: usize, place: &[f64]) -> f64 {
        let node = &self.nodes[node];
        let outside = |((value, low), high): ((&f64, &f64), &f64)| (low - value).max(value - high).max(0.0);
        place.iter().zip(&node.low).zip(&node.high).map(outside).sum()
    }

    /// Calls `visit(representative, distance)` for every place nearer than `limit` says; `visit` may tighten it.
    fn search(&self, place: &[f64], limit: &mut f64, visit: &mut impl FnMut(u32, f64, &mut f64)) {
        let mut open = if self.nodes.is_empty() { vec![] } else { vec![(0.0, 0)] };
        while let Some((distance, index)) = open.pop() {
            // A box distance may round differently from a sum of differences: leave a margin.
            if distance > *limit * (1.0 + 1e-12) {
                continue;
            }
            let node = &self.nodes[index];
            if node.left == 0 {
                for &candidate in &self.places[node.first..node.end] {
                    let other = self.sources.row(candidate as usize);
                    let distance = place.iter().zip(other).map(|(a, b)| (a - b).abs()).sum();
                    if distance <= *limit {
                        visit(candidate, distance, limit);
                    }
                }
            } else {
                let left = (self.to_box(node.left, place), node.left);
                let right = (self.to_box(node.right, place), node.right);
                let (near, far) = if left.0 <= right.0 { (left, right) } else { (right, left) };
                open.push(far);
                open.push(near);
            }
        }
    }
}

/// Answers the queries in `asked`.
pub(super) fn sums(
    queries: &Queries,
    sources: Points,
    weights: &[f64],
    k: usize,
    h: f64,
    asked: &[bool],
    sums: &mut KernelSums,
) {
    let tree = Tree::new(sources);
    let mut values = vec![0.0; k];
    for q in (0..asked.len()).filter(|q| asked[*q]) {
        let (place, own) = match queries {
            Queries::Sources { leave_one_out } => (sources.row(q), leave_one_out.then_some(q as u32)),
            Queries::At(points) => (points.row(q), None),
        };
        let members = |candidate: u32| {
            let (first, count) = tree.run[candidate as usize];
            tree.members[first as usize..(first + count) as usize].iter().filter(move |j| Some(**j) != own)
        };
        let mut least = f64::INFINITY;
        tree.search(place, &mut least, &mut |candidate, distance, limit| {
            if members(candidate).next().is_some() {
                *limit = limit.min(distance);
            }
        });
        let (mut mass, mut square) = (0.0, 0.0);
        values.fill(0.0);
        if least < f64::INFINITY {
            let mut found = Vec::new();
            let mut limit = least + REACH * h;
            tree.search(place, &mut limit, &mut |candidate, distance, _| {
                found.push((distance, candidate));
            });
            // A fixed order of summation, whatever the shape of the tree.
            order::sort(&mut found, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (distance, candidate) in found {
                let kernel = (-((distance - least) / h)).exp();
                for &j in members(candidate) {
                    mass += kernel;
                    square += kernel * kernel;
                    let row = weights.chunks_exact(k).nth(j as usize).unwrap_or(&[]);
                    for (value, weight) in values.iter_mut().zip(row) {
                        *value += kernel * weight;
                    }
                }
            }
        }
        let top = if mass > 0.0 { -least / h } else { 0.0 };
        sums.store(q, top, mass, square, 0, &values);
    }
}
