//! Sums of a Gaussian kernel on [0, 1], reflected at both ends so that no mass is lost.
//!
//! K_σ(t, s) = Σⱼ [N_σ(t − s − 2j) + N_σ(t + s − 2j)]. A Gaussian of width σ is one of width τ, widened by ρ, where
//! σ² = τ² + ρ². So rows are spread over a grid with a narrow Gaussian once, and what follows costs nothing per row:
//!
//! ```text
//! Σᵢ K_σ(t, sᵢ) vᵢ = Σⱼ K_ρ(t, xⱼ) gⱼ · h,   gⱼ = Σᵢ K_τ(xⱼ, sᵢ) vᵢ
//! ```
//!
//! for nodes xⱼ at steps of h. That sum is not exact, but errs by 2 exp(−2π² ω²/h²) only, ω = τρ/σ: under 2·10⁻¹³ of the
//! kernel's top for the steps taken here (Trefethen and Weideman, 2014, section 5). A grid of level l serves widths from
//! 2⁻ˡ on; that of the next lower level is widened from it.
//!
//! Grids are kept as their even and odd parts about ½: each needs half of the nodes and half of the points.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Nodes on each side of a row that it is spread to; beyond, K_τ is below 10⁻¹³ of its top.
const RADIUS: usize = 13;
/// Nodes that a row is spread to.
const WIDE: usize = 2 * RADIUS;
/// τ of a level in units of its least width 2⁻ˡ.
const NARROW: f64 = 0.65;
/// h²/2τ²; h = 0.4 · 2⁻ˡ.
const STEEPNESS: f64 = 0.08 / (NARROW * NARROW);
/// Beyond this many widths a Gaussian is below 2·10⁻¹³ of its top.
const REACH: f64 = 7.7;
/// Points whose sums are taken side by side.
const LANES: usize = 8;
/// Up to so many rows, how they are spread is remembered, and grids begin coarse: rows cost less than nodes.
const FEW: usize = 4096;
/// The first level that few rows are spread to, and many.
const FIRST: (u32, u32) = (5, 9);
/// The coarsest grid has ten cells, the finest serves widths down to 2⁻¹⁴.
const LEVELS: (u32, u32) = (2, 14);

/// Scores of rows, and what sums over them share whatever the rows are worth.
pub struct ReflectedKernel<'a> {
    s: &'a [f64],
    shares: Shares,
    /// how rows are spread, by level, where they are few
    placed: RefCell<BTreeMap<u32, Rc<Vec<[f64; WIDE]>>>>,
    widenings: RefCell<BTreeMap<(u32, Target), Rc<Widening>>>,
}

/// Values of rows on the grids, by level, as they are asked for.
pub struct Spread {
    values: Vec<f64>,
    grids: [OnceCell<Grid>; LEVELS.1 as usize + 2],
}

impl Spread {
    /// `values`: one per row.
    pub fn new(values: Vec<f64>) -> Self {
        Self { values, grids: [const { OnceCell::new() }; LEVELS.1 as usize + 2] }
    }

    /// One per row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// What a grid is widened to: so many points from 0 to 1, by a kernel of this width (its bits).
type Target = (usize, u64);

/// Cells of the grid of a level: 2.5 · 2ˡ, an even number.
fn cells(level: u32) -> usize {
    10 << (level - LEVELS.0)
}

/// The level whose grid serves a width, and its least width.
fn level_of(sigma: f64) -> u32 {
    let fits = |level: &u32| 0.5_f64.powi(*level as i32) <= sigma;
    (LEVELS.0..LEVELS.1).find(fits).unwrap_or(LEVELS.1)
}

impl<'a> ReflectedKernel<'a> {
    /// `s`: scores in [0, 1].
    pub fn new(s: &'a [f64]) -> Self {
        Self { s, shares: Shares::new(), placed: RefCell::default(), widenings: RefCell::default() }
    }

    /// Σᵢ K_σ(t, sᵢ)·vᵢ at t = k/(points − 1), up to a factor that is the same for all values.
    #[cfg(test)]
    fn at(&self, of: &Spread, sigma: f64, points: usize) -> Vec<f64> {
        let (grid, widening) = self.grid_for(of, sigma, points);
        let mut out = vec![0.0; widening.points];
        let last = out.len() - 1;
        widening.each(grid, |k, even, odd| {
            out[k] = even + odd;
            out[last - k] = even - odd;
        });
        out
    }

    /// Σ over t = k/(points − 1) of |Σᵢ K_σ(t, sᵢ)·vᵢ|, up to a factor that is the same for all values.
    pub fn absolute(&self, of: &Spread, sigma: f64, points: usize) -> f64 {
        let (grid, widening) = self.grid_for(of, sigma, points);
        let mut sum = 0.0;
        // |e + o| + |e − o| = 2 max(|e|, |o|)
        widening.each(grid, |k, even, odd| {
            let (even, odd) = (even.abs(), odd.abs());
            sum += widening.times(k) * if even > odd { even } else { odd };
        });
        sum
    }

    /// Σ over t = k/(points − 1) of Σᵢ K_σ(t, sᵢ)·vᵢ, up to the same factor.
    pub fn total(&self, of: &Spread, sigma: f64, points: usize) -> f64 {
        let (grid, widening) = self.grid_for(of, sigma, points);
        let pairs = grid.even.iter().zip(&widening.totals);
        pairs.map(|(v, k)| v * k).sum()
    }

    /// The grid that serves a width, and how it is widened.
    fn grid_for<'s>(&self, of: &'s Spread, sigma: f64, points: usize) -> (&'s Grid, Rc<Widening>) {
        let level = level_of(sigma);
        let tau = NARROW * 0.5_f64.powi(level as i32);
        let rho = (sigma * sigma - tau * tau).max(tau * tau).sqrt();
        (self.grid(of, level), self.widening(level, points.max(2), rho))
    }

    fn widening(&self, level: u32, points: usize, rho: f64) -> Rc<Widening> {
        let key = (level, (points, rho.to_bits()));
        let mut known = self.widenings.borrow_mut();
        let made = || Rc::new(Widening::new(cells(level), points, rho));
        Rc::clone(known.entry(key).or_insert_with(made))
    }

    /// The values on the grid of a level.
    fn grid<'s>(&self, of: &'s Spread, level: u32) -> &'s Grid {
        of.grids[level as usize].get_or_init(|| {
            let base = if self.s.len() <= FEW { FIRST.0.max(level | 1) } else { FIRST.1.max(level) };
            if level == base {
                return self.spread(&of.values, level);
            }
            // √3 τ of the finer level, which makes twice its τ.
            let rho = 3_f64.sqrt() * NARROW * 0.5_f64.powi(level as i32 + 1);
            let widening = self.widening(level + 1, cells(level) + 1, rho);
            let finer = self.grid(of, level + 1);
            let mut grid = Grid::empty(cells(level));
            let middle = cells(level) / 2;
            widening.each(finer, |k, even, odd| {
                // Both nodes of a pair; the ends count half, the one in the middle stands alone.
                let twice = if k == 0 || k == middle { 1.0 } else { 2.0 };
                grid.even[k] = twice * even;
                grid.odd[k] = twice * odd;
            });
            grid
        })
    }

    /// Every row shared out over the nodes around it, in proportion to K_τ.
    fn spread(&self, values: &[f64], level: u32) -> Grid {
        let cells = cells(level);
        let mut nodes = vec![0.0; cells + 1 + WIDE];
        let mut add = |s: f64, shares: &[f64; WIDE], v: f64| {
            let (low, _) = place(s, cells);
            // node `low − RADIUS + 1` is the first, and nodes begin at −RADIUS
            if let Some(nodes) = nodes[low + 1..].first_chunk_mut::<WIDE>() {
                for (node, share) in nodes.iter_mut().zip(shares) {
                    *node += share * v;
                }
            }
        };
        let shares = |s: f64| self.shares.at(place(s, cells).1);
        if self.s.len() <= FEW {
            let mut placed = self.placed.borrow_mut();
            let made = || Rc::new(self.s.iter().map(|&s| shares(s)).collect());
            let known = placed.entry(level).or_insert_with(made);
            let rows = self.s.iter().zip(values).zip(known.iter());
            for ((&s, &v), shares) in rows.filter(|((_, v), _)| **v != 0.0) {
                add(s, shares, v);
            }
        } else {
            for (&s, &v) in self.s.iter().zip(values) {
                add(s, &shares(s), v);
            }
        }
        Grid::folded(&nodes, cells)
    }
}

/// The node at or below a score, and how far the score is beyond it, in cells.
#[inline(always)]
fn place(s: f64, cells: usize) -> (usize, f64) {
    let at = s.clamp(0.0, 1.0) * cells as f64;
    let low = at as usize;
    (low, at - low as f64)
}

/// How a row is shared out: exp(−(j − δ)² h²/2τ²) for j = 1 − RADIUS ..= RADIUS, δ in cells.
struct Shares {
    /// exp(−j² h²/2τ²)
    tops: [f64; RADIUS + 1],
}

impl Shares {
    fn new() -> Self {
        let top = |j: usize| (-STEEPNESS * (j * j) as f64).exp();
        Self { tops: std::array::from_fn(top) }
    }

    #[inline(always)]
    fn at(&self, beyond: f64) -> [f64; WIDE] {
        // exp(−(j − δ)² a) = exp(−j² a) exp(−δ² a) exp(2δa)ʲ
        let own = (-STEEPNESS * beyond * beyond).exp();
        let up = (2.0 * STEEPNESS * beyond).exp();
        let down = 1.0 / up;
        let mut out = [own; WIDE];
        let (mut above, mut below) = (own, own);
        for j in 1..RADIUS {
            above *= up;
            below *= down;
            out[RADIUS - 1 + j] = above * self.tops[j];
            out[RADIUS - 1 - j] = below * self.tops[j];
        }
        out[WIDE - 1] = above * up * self.tops[RADIUS];
        out
    }
}

/// Values on the nodes of a grid, as sums and differences of the two nodes that mirror each other about ½; the one in the
/// middle last.
struct Grid {
    even: Vec<f64>,
    odd: Vec<f64>,
}

impl Grid {
    fn empty(cells: usize) -> Self {
        Self { even: vec![0.0; cells / 2 + 1], odd: vec![0.0; cells / 2 + 1] }
    }

    /// From nodes −RADIUS to cells + RADIUS: those outside fall on their mirror images. The two ends are images of
    /// themselves, and count half in a sum over nodes: so they are as they were.
    fn folded(nodes: &[f64], cells: usize) -> Self {
        let mut all = vec![0.0; cells + 1];
        for (i, value) in nodes.iter().enumerate() {
            let place = (i as i64 - RADIUS as i64).rem_euclid(2 * cells as i64) as usize;
            all[place.min(2 * cells - place)] += value;
        }
        let mut grid = Self::empty(cells);
        let middle = cells / 2;
        for j in 0..middle {
            grid.even[j] = all[j] + all[cells - j];
            grid.odd[j] = all[j] - all[cells - j];
        }
        grid.even[middle] = all[middle];
        grid
    }
}

/// ½ [K_ρ(t, x) ± K_ρ(t, 1 − x)] for the points t = k/(points − 1) up to ½, [`LANES`] side by side, and the nodes x
/// within reach of any of them.
struct Widening {
    points: usize,
    /// nodes of some points, the same number everywhere
    width: usize,
    /// the first of them
    first: Vec<usize>,
    /// at `lanes · width + node − first`
    even: Vec<[f64; LANES]>,
    odd: Vec<[f64; LANES]>,
    /// Σ over all points, by node
    totals: Vec<f64>,
}

impl Widening {
    fn new(cells: usize, points: usize, rho: f64) -> Self {
        let reach = REACH * rho;
        let (middle, count) = (cells / 2, points.div_ceil(2));
        let node = |j: usize| j as f64 / cells as f64;
        let place = |k: usize| k as f64 / (points - 1) as f64;
        let within = |k: usize| {
            let of = |t: f64| (t * cells as f64).clamp(0.0, middle as f64);
            let (low, high) = (of(place(k) - reach), of(place(k) + reach));
            (low.ceil() as usize, high as usize + 1)
        };
        let firsts = (0..count).step_by(LANES);
        let ends: Vec<(usize, usize)> = firsts.map(|k| (within(k).0, within((k + LANES).min(count) - 1).1)).collect();
        let width = ends.iter().map(|(low, high)| high - low).max().unwrap_or(0);
        let mut out = Self {
            points,
            width,
            first: Vec::with_capacity(ends.len()),
            even: vec![[0.0; LANES]; ends.len() * width],
            odd: vec![[0.0; LANES]; ends.len() * width],
            totals: vec![0.0; middle + 1],
        };
        for (lanes, (low, _)) in ends.into_iter().enumerate() {
            let first = low.min(middle + 1 - width);
            out.first.push(first);
            for k in lanes * LANES..count.min((lanes + 1) * LANES) {
                let (low, high) = within(k);
                for j in low..high {
                    let one = kernel(place(k), node(j), rho);
                    let other = kernel(place(k), 1.0 - node(j), rho);
                    let at = lanes * width + j - first;
                    out.even[at][k % LANES] = 0.5 * (one + other);
                    out.odd[at][k % LANES] = 0.5 * (one - other);
                    out.totals[j] += out.times(k) * 0.5 * (one + other);
                }
            }
        }
        out
    }

    /// Points that a point up to ½ stands for: itself and its mirror image.
    fn times(&self, k: usize) -> f64 {
        if 2 * k + 1 == self.points { 1.0 } else { 2.0 }
    }

    /// The even and odd parts of the sums at every point up to ½.
    fn each(&self, grid: &Grid, mut to: impl FnMut(usize, f64, f64)) {
        let count = self.points.div_ceil(2);
        for (lanes, &first) in self.first.iter().enumerate() {
            let own = lanes * self.width..(lanes + 1) * self.width;
            let nodes = first..first + self.width;
            let even = sums(&self.even[own.clone()], &grid.even[nodes.clone()]);
            let odd = sums(&self.odd[own], &grid.odd[nodes]);
            let from = lanes * LANES;
            for (k, (even, odd)) in (from..count).zip(even.into_iter().zip(odd)) {
                to(k, even, odd);
            }
        }
    }
}

/// Σ over nodes of their shares in some points times what they hold.
#[inline(never)]
fn sums(shares: &[[f64; LANES]], nodes: &[f64]) -> [f64; LANES] {
    let mut out = [0.0; LANES];
    for (shares, node) in shares.iter().zip(nodes) {
        for l in 0..LANES {
            out[l] += shares[l] * node;
        }
    }
    out
}

/// K_ρ(t, x), 1 where t = x.
fn kernel(t: f64, x: f64, rho: f64) -> f64 {
    let images = ((REACH * rho + 1.0) / 2.0).ceil() as i64;
    let scale = -0.5 / (rho * rho);
    let mut sum = 0.0;
    for j in -images..=images {
        for distance in [t - x - 2.0 * j as f64, t + x - 2.0 * j as f64] {
            if distance.abs() <= REACH * rho {
                sum += (distance * distance * scale).exp();
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sum as it is defined.
    fn defined(s: &[f64], v: &[f64], sigma: f64, points: usize) -> Vec<f64> {
        let images = (5.0 * sigma).ceil() as i64 + 1;
        let at = |k: usize| {
            let t = k as f64 / (points - 1) as f64;
            let mut sum = 0.0;
            for (s, v) in s.iter().zip(v) {
                for j in -images..=images {
                    let gauss = |d: f64| (-0.5 * (d / sigma).powi(2)).exp();
                    sum += v * (gauss(t - s - 2.0 * j as f64) + gauss(t + s - 2.0 * j as f64));
                }
            }
            sum
        };
        (0..points).map(at).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_sum_over_rows(
            rows in proptest::collection::vec(
                (prop_oneof![0.0..=1.0_f64, Just(0.0), Just(1.0), 0.98..=1.0_f64], -1.0..1.0_f64),
                1..40,
            ),
            sigma in prop_oneof![Just(1.0), Just(0.25), Just(0.031_25), 0.002..0.5_f64, 0.5..30.0_f64],
            points in 2..120_usize,
            times in prop_oneof![Just(1), Just(FEW)],
        ) {
            let (s, v): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let (many, values) = (s.repeat(times), v.repeat(times));
            let kernel = ReflectedKernel::new(&many);
            let ones = vec![1.0; many.len()];
            let (of, masses) = (Spread::new(values), Spread::new(ones));
            let (found, mass) = (kernel.at(&of, sigma, points), kernel.at(&masses, sigma, points));
            let (expected, one) = (defined(&s, &v, sigma, points), defined(&s, &vec![1.0; s.len()], sigma, points));
            let whole = |of: &[f64]| of.iter().map(|v| v.abs()).sum::<f64>();
            // One factor for values and masses, that of the largest mass.
            let top = (0..points).max_by(|a, b| one[*a].total_cmp(&one[*b])).unwrap_or(0);
            let factor = one[top] / mass[top];
            let near = |a: f64, b: f64| (a - b).abs() <= 2e-12 * one[top];
            for k in 0..points {
                prop_assert!(near(factor * found[k], expected[k]), "{k}: {} {}", factor * found[k], expected[k]);
                prop_assert!(near(factor * mass[k], one[k]), "{k}: {} {}", factor * mass[k], one[k]);
            }
            let room = 2e-12 * points as f64 * one[top];
            prop_assert!((factor * kernel.absolute(&of, sigma, points) - whole(&expected)).abs() <= room);
            prop_assert!((factor * kernel.total(&masses, sigma, points) - whole(&one)).abs() <= room);
        }
    }
}
