//! Repulsion between all points: near ones pair by pair, far groups at their center.

use wide::f32x8;

use crate::num::order;

const LANES: usize = 8;
/// A group counts as one point where its width is below this share of its distance.
const THETA: f32 = 0.5;

/// A group of points: a box, the mean, and how many they are.
#[derive(Debug, Clone, Copy)]
struct Node<const Q: usize> {
    low: [f32; Q],
    high: [f32; Q],
    mean: [f32; Q],
    count: f32,
    /// Widest side, squared, over θ².
    reach: f32,
    /// The node after this one and all below it.
    after: u32,
    /// The second half; 0 for a leaf.
    second: u32,
    /// Block of a leaf.
    block: u32,
}

/// Points in a balanced tree whose leaves hold eight.
pub(super) struct Tree<const Q: usize> {
    n: usize,
    order: Vec<u32>,
    nodes: Vec<Node<Q>>,
    /// Coordinate c of the lanes of block b at `b * Q + c`.
    blocks: Vec<[f32; LANES]>,
    /// What a block meets: places, and how many points stand there.
    met: Vec<([f32; Q], f32)>,
}

impl<const Q: usize> Tree<Q> {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            order: (0..n as u32).collect(),
            nodes: Vec::new(),
            blocks: vec![[0.0; LANES]; n.div_ceil(LANES) * Q],
            met: Vec::new(),
        }
    }

    /// Puts points that are near each other into the same branches: halves across the widest side.
    pub(super) fn arrange(&mut self, y: &[f32]) {
        self.nodes.clear();
        let blocks = self.n.div_ceil(LANES);
        let (mut order, mut nodes) = (std::mem::take(&mut self.order), std::mem::take(&mut self.nodes));
        halve(&mut order, y.as_chunks::<Q>().0, 0, blocks, &mut nodes);
        (self.order, self.nodes) = (order, nodes);
    }

    /// Σ_j (y_i − y_j) q_ij² for every point in `out`, and Σ q_ij over pairs of different points, where
    /// q_ij = 1 / (1 + ‖y_i − y_j‖²).
    pub(super) fn push(&mut self, y: &[f32], out: &mut [f32]) -> f64 {
        let y = y.as_chunks::<Q>().0;
        let out = out.as_chunks_mut::<Q>().0;
        self.place(y);
        let mut mass = 0.0;
        let mut met = std::mem::take(&mut self.met);
        for block in 0..self.n.div_ceil(LANES) {
            met.clear();
            self.meet(block, &mut met);
            let targets = &self.blocks[block * Q..(block + 1) * Q];
            let found = forces::<Q>(targets, &met);
            let members = self.order[block * LANES..].iter().take(LANES);
            for (lane, &i) in members.enumerate() {
                for c in 0..Q {
                    out[i as usize][c] = found[c][lane];
                }
                // Less the point itself, which stands at distance 0.
                mass += f64::from(found[Q][lane]) - 1.0;
            }
        }
        self.met = met;
        mass
    }

    /// Takes the points' present places into blocks and nodes, from the leaves up.
    fn place(&mut self, y: &[[f32; Q]]) {
        for (block, members) in self.order.chunks(LANES).enumerate() {
            let lanes = &mut self.blocks[block * Q..(block + 1) * Q];
            for lane in 0..LANES {
                let at = y[members[lane.min(members.len() - 1)] as usize];
                for c in 0..Q {
                    lanes[c][lane] = at[c];
                }
            }
        }
        for at in (0..self.nodes.len()).rev() {
            let mut node = self.nodes[at];
            if node.second == 0 {
                let block = node.block as usize;
                let count = LANES.min(self.n - block * LANES);
                node.count = count as f32;
                for c in 0..Q {
                    let lanes = &self.blocks[block * Q + c][..count];
                    node.low[c] = lanes.iter().copied().fold(f32::INFINITY, f32::min);
                    node.high[c] = lanes.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                    node.mean[c] = lanes.iter().sum::<f32>() / node.count;
                }
            } else {
                let (a, b) = (&self.nodes[at + 1], &self.nodes[node.second as usize]);
                node.count = a.count + b.count;
                let share = b.count / node.count;
                for c in 0..Q {
                    node.low[c] = a.low[c].min(b.low[c]);
                    node.high[c] = a.high[c].max(b.high[c]);
                    node.mean[c] = a.mean[c] + share * (b.mean[c] - a.mean[c]);
                }
            }
            let width = (0..Q).map(|c| node.high[c] - node.low[c]).fold(0.0, f32::max);
            node.reach = width * width / (THETA * THETA);
            self.nodes[at] = node;
        }
    }

    /// Walks the tree for a block of points: what is far from its box as a whole, what is near point by point.
    fn meet(&self, block: usize, met: &mut Vec<([f32; Q], f32)>) {
        let own = &self.blocks[block * Q..(block + 1) * Q];
        let (mut low, mut high) = ([0f32; Q], [0f32; Q]);
        for c in 0..Q {
            low[c] = own[c].iter().copied().fold(f32::INFINITY, f32::min);
            high[c] = own[c].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        }
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let mut square = 0f32;
            for c in 0..Q {
                let away = (low[c] - node.mean[c]).max(node.mean[c] - high[c]).max(0.0);
                square += away * away;
            }
            if node.reach < square {
                met.push((node.mean, node.count));
                at = node.after as usize;
            } else if node.second != 0 {
                at += 1;
            } else {
                let lanes = &self.blocks[node.block as usize * Q..][..Q];
                let places = (0..node.count as usize).map(|lane| (std::array::from_fn(|c| lanes[c][lane]), 1.0));
                met.extend(places);
                at = node.after as usize;
            }
        }
    }
}

/// Blocks `first..last` as a branch, in the order: node, first half, second half.
fn halve<const Q: usize>(order: &mut [u32], y: &[[f32; Q]], first: usize, last: usize, nodes: &mut Vec<Node<Q>>) {
    let at = nodes.len();
    nodes.push(Node {
        low: [0.0; Q],
        high: [0.0; Q],
        mean: [0.0; Q],
        count: 0.0,
        reach: 0.0,
        after: 0,
        second: 0,
        block: first as u32,
    });
    if last - first > 1 {
        let middle = (first + last) / 2;
        let half = (middle - first) * LANES;
        let (mut low, mut high) = ([f32::INFINITY; Q], [f32::NEG_INFINITY; Q]);
        for &i in order.iter() {
            for ((low, high), x) in low.iter_mut().zip(&mut high).zip(&y[i as usize]) {
                *low = low.min(*x);
                *high = high.max(*x);
            }
        }
        let width = |c: &usize| high[*c] - low[*c];
        let widest = (0..Q).max_by(|a, b| width(a).total_cmp(&width(b)).then(b.cmp(a)));
        let c = widest.unwrap_or(0);
        order::select(order, half, &|&a, &b| y[a as usize][c].total_cmp(&y[b as usize][c]).then(a.cmp(&b)));
        let (low, high) = order.split_at_mut(half);
        halve(low, y, first, middle, nodes);
        nodes[at].second = nodes.len() as u32;
        halve(high, y, middle, last, nodes);
    }
    nodes[at].after = nodes.len() as u32;
}

/// Forces on eight points, coordinate by coordinate, then Σ q.
fn forces<const Q: usize>(targets: &[[f32; LANES]], met: &[([f32; Q], f32)]) -> [[f32; LANES]; 4] {
    let own: [f32x8; Q] = std::array::from_fn(|c| f32x8::new(targets[c]));
    let mut force = [f32x8::ZERO; Q];
    let mut mass = f32x8::ZERO;
    for (place, count) in met {
        let delta: [f32x8; Q] = std::array::from_fn(|c| own[c] - f32x8::splat(place[c]));
        let mut square = f32x8::ONE;
        for delta in delta {
            square += delta * delta;
        }
        let near = f32x8::ONE / square;
        let weight = f32x8::splat(*count) * near;
        mass += weight;
        let weight = weight * near;
        for (force, delta) in force.iter_mut().zip(delta) {
            *force += weight * delta;
        }
    }
    let mut out = [[0.0; LANES]; 4];
    for (out, sum) in out.iter_mut().zip(force.into_iter().chain([mass])) {
        *out = sum.to_array();
    }
    out
}
