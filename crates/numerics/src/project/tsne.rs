//! t-SNE: a picture in which the rows that are near each other stay near each other.

mod affinity;
mod tree;

use std::hint::black_box;

use ndarray::Array2;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

use crate::num::{Chosen, Rows};
use crate::proximity::{Metric, Search};
use crate::{Error, Result};

use super::Pca;
pub use affinity::Affinities;
use tree::Tree;

/// Default number of coordinates of the picture.
pub const DIMENSIONS: usize = 2;
/// Default perplexity, if there are enough rows for it.
pub const PERPLEXITY: f64 = 30.0;
/// Default number of iterations.
pub const ITERATIONS: usize = 1000;
/// Factor on the affinities in the first quarter of the iterations, 250 at most.
const EXAGGERATION: f32 = 12.0;
const EXAGGERATED: usize = 250;
/// Standard deviation of the first axis at the start, and the size of the random shift that `seed` adds.
const START: f64 = 1e-4;
const SHIFT: f64 = 1e-6;
/// Iterations for which the tree keeps its shape; its boxes follow the points in every one.
const SAME_TREE: usize = 5;

/// Settings of t-SNE.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tsne {
    /// coordinates of the picture: 2 or 3
    pub dimensions: usize,
    /// effective number of neighbors; from 1 to (n − 1)/3
    pub perplexity: f64,
    /// of the small random shift of the start, which parts equal rows
    pub seed: u64,
    /// steps of the descent
    pub iterations: usize,
}

impl Tsne {
    /// The default perplexity for `n` rows: 30, or (n − 1)/3 if that is less.
    pub fn default_perplexity(n: usize) -> f64 {
        PERPLEXITY.min(n.saturating_sub(1) as f64 / 3.0)
    }

    /// Whether the settings suit `n` rows.
    ///
    /// # Errors
    /// `too_few_rows` with fewer than 4 rows; `invalid_option` for any other fault.
    pub fn check(&self, n: usize) -> Result<()> {
        let invalid = |what: String, hint: &str| Err(Error::new("invalid_option", what, hint));
        let most = (n.saturating_sub(1)) as f64 / 3.0;
        if n < 4 {
            return Err(Error::new(
                "too_few_rows",
                format!("t-SNE needs at least 4 rows; there are {n}."),
                "Include more rows.",
            ));
        }
        if !(self.perplexity >= 1.0 && self.perplexity <= most) {
            return invalid(
                format!("The perplexity is {}; {n} rows allow 1 to {most:.1}.", self.perplexity),
                "Omit it for 30, or less with few rows.",
            );
        }
        if !(2..=3).contains(&self.dimensions) {
            return invalid(format!("{} dimensions of t-SNE were requested.", self.dimensions), "Use 2 or 3.");
        }
        if !(1..=100_000).contains(&self.iterations) {
            return invalid(
                format!("{} iterations of t-SNE were requested.", self.iterations),
                "Use 1 to 100,000; 1,000 are the default.",
            );
        }
        Ok(())
    }

    /// Expected milliseconds for n rows of d coordinates.
    pub fn cost(&self, n: usize, d: usize) -> f64 {
        neighbor_cost(n, d) + self.iterations as f64 * n as f64 * 1e-3
    }

    /// Coordinates of every row of `rows`, shape (n, d): a picture of shape (n, `dimensions`), centered, without a unit.
    ///
    /// Minimizes Σ p_ij ln(p_ij / q_ij), q_ij ∝ 1 / (1 + ‖y_i − y_j‖²), with p of the given perplexity over
    /// 3 · perplexity + 1 exact neighbors. Starts from principal components (first axis 1e-4 wide); early
    /// exaggeration 12, learning rate max(n/48, 50), momentum 0.5, then 0.8, with gains. Repulsion from far groups of
    /// points is taken at their center (θ = 0.5). One order of arithmetic: the same bits every time.
    ///
    /// `progress` hears the share done, and every few steps the present coordinates in single precision.
    ///
    /// # Errors
    /// As [`Tsne::check`].
    ///
    /// # Cost
    /// O(n² d) for the neighbors, O(n log n) per iteration.
    ///
    /// # Source
    /// Van der Maaten and Hinton (2008); van der Maaten (2014), Accelerating t-SNE using tree-based algorithms;
    /// Kobak and Berens (2019) for start and learning rate.
    ///
    /// ```
    /// use localcal_numerics::project::Tsne;
    /// use ndarray::{Array2, Axis, s};
    ///
    /// // twenty rows at each of two places: in the picture every row stays with its own
    /// let x = Array2::from_shape_fn((40, 1), |(i, _)| f64::from(u8::from(i >= 20)));
    /// let settings = Tsne { dimensions: 2, perplexity: Tsne::default_perplexity(40), seed: 0, iterations: 300 };
    /// let y = settings.embed(&x, &mut |_, _| ())?;
    /// assert_eq!((y.dim(), settings.perplexity), ((40, 2), 13.0));
    /// let center = |first: usize| y.slice(s![first..first + 20, ..]).mean_axis(Axis(0)).unwrap();
    /// let gap = (center(0) - center(20)).mapv(|v| v * v).sum();
    /// assert!((0..40).all(|i| (&y.row(i) - &center(i / 20 * 20)).mapv(|v| v * v).sum() < gap));
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn embed(&self, rows: &dyn Rows, progress: &mut dyn FnMut(f64, Option<&[f32]>)) -> Result<Array2<f64>> {
        let n = rows.n();
        self.check(n)?;
        let k = (n - 1).min((3.0 * self.perplexity) as usize + 1);
        let share = neighbor_cost(n, rows.d()) / self.cost(n, rows.d());
        let near = Search::new(rows, Metric::Euclidean)?
            .nearest(None, 0..n, k, &mut |done| progress(0.9 * share * done, None))?;
        let affinities = Affinities::new(&near, self.perplexity);
        drop(near);
        let start = self.start(rows)?;
        let mut tell = |done: f64, y: &[f32]| progress(share + (1.0 - share) * done, Some(y));
        let mut y = if self.dimensions == 2 {
            self.descend::<2>(&affinities, start, &mut tell)
        } else {
            self.descend::<3>(&affinities, start, &mut tell)
        };
        for c in 0..self.dimensions {
            let mean = y.iter().skip(c).step_by(self.dimensions).sum::<f64>() / n as f64;
            y.iter_mut().skip(c).step_by(self.dimensions).for_each(|y| *y -= mean);
        }
        Ok(Array2::from_shape_fn((n, self.dimensions), |(i, c)| y[i * self.dimensions + c]))
    }

    /// Principal components, the first 1e-4 wide, and a random shift a hundredth of that.
    fn start(&self, rows: &dyn Rows) -> Result<Vec<f32>> {
        let (n, q) = (rows.n(), self.dimensions);
        // A start needs no more than a picture of the rows: wide tables are looked at in part.
        let step = (n * rows.d()).div_ceil(20_000_000).max(1);
        let some: Vec<u32> = (0..n as u32).step_by(step).collect();
        let fit = Pca::fit(&Chosen { of: rows, rows: &some }, q, self.seed, &mut |_| ())?;
        let found = fit.transform(rows, &mut |_| ())?;
        let square = found.column(0).iter().map(|x| x * x).sum::<f64>();
        let width = (square / n as f64).sqrt();
        let size = fit.mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        if width <= 1e-13 * size {
            // All rows are equal, but for rounding: so are their places.
            return Ok(vec![0.0; n * q]);
        }
        let scale = START / width;
        let mut rng = Pcg64::new(u128::from(self.seed), 0x75e);
        let mut y = Vec::with_capacity(n * q);
        for row in found.rows() {
            for c in 0..q {
                let unit = (rng.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                y.push((row.get(c).copied().unwrap_or(0.0) * scale + SHIFT * unit) as f32);
            }
        }
        Ok(y)
    }

    fn descend<const Q: usize>(
        &self,
        affinities: &Affinities,
        start: Vec<f32>,
        tell: &mut dyn FnMut(f64, &[f32]),
    ) -> Vec<f64> {
        let n = start.len() / Q;
        let mut y = start;
        let mut gains = vec![1f32; n * Q];
        let mut step = vec![0f32; n * Q];
        let (mut pull, mut push) = (vec![0f32; n * Q], vec![0f32; n * Q]);
        let mut tree = Tree::<Q>::new(n);
        let rate = (n as f32 / EXAGGERATION / 4.0).max(50.0);
        let early = EXAGGERATED.min(self.iterations / 4);
        let every = (200_000 / n).clamp(1, 20);
        // Browsers compile a function well only once it has been called often: these stay functions of their own.
        let arrange = black_box(Tree::<Q>::arrange as fn(&mut Tree<Q>, &[f32]));
        let repel = black_box(Tree::<Q>::push as fn(&mut Tree<Q>, &[f32], &mut [f32]) -> f64);
        let attract = black_box(Affinities::pull::<Q> as fn(&Affinities, &[f32], &mut [f32]));
        let take_step = black_box(take_step as fn(&mut [f32], &mut [f32], &mut [f32], Forces, f32, f32));
        for iteration in 0..self.iterations {
            let (exaggeration, momentum) = if iteration < early { (EXAGGERATION, 0.5) } else { (1.0, 0.8) };
            if iteration % SAME_TREE == 0 {
                arrange(&mut tree, &y);
            }
            let mass = repel(&mut tree, &y, &mut push);
            attract(affinities, &y, &mut pull);
            let forces =
                Forces { pull: &pull, exaggeration, push: &push, factor: (1.0 / mass.max(f64::MIN_POSITIVE)) as f32 };
            take_step(&mut y, &mut step, &mut gains, forces, momentum, rate);
            if (iteration + 1) % every == 0 {
                tell((iteration + 1) as f64 / self.iterations as f64, &y);
            }
        }
        y.iter().map(|&y| f64::from(y)).collect()
    }
}

fn neighbor_cost(n: usize, d: usize) -> f64 {
    n as f64 * n as f64 * (d + 10) as f64 * 1.5e-7
}

/// The two sides of the slope 4 (exaggeration · pull − factor · push).
struct Forces<'a> {
    pull: &'a [f32],
    exaggeration: f32,
    push: &'a [f32],
    factor: f32,
}

/// One step with momentum; a coordinate whose step and slope disagree in sign gains speed, another loses some.
fn take_step(y: &mut [f32], step: &mut [f32], gains: &mut [f32], forces: Forces, momentum: f32, rate: f32) {
    let forces = forces
        .pull
        .iter()
        .zip(forces.push)
        .map(|(pull, push)| 4.0 * (forces.exaggeration * pull - forces.factor * push));
    for (((y, step), gain), slope) in y.iter_mut().zip(step).zip(gains).zip(forces) {
        *gain = if *step * slope < 0.0 { *gain + 0.2 } else { (*gain * 0.8).max(0.01) };
        *step = momentum * *step - rate * *gain * slope;
        *y += *step;
    }
}
