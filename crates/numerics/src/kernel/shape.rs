//! What is asked of the sums, and what they answer.

use serde::{Deserialize, Serialize};

use super::{Engine, Points};
use crate::{Error, Result};

/// How much two places have to do with each other: 1 at the same place, towards 0 far away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// exp(−‖x − x′‖₁ / (d·γ)).
    Laplacian {
        /// Bandwidth γ > 0, in units of the mean coordinate difference.
        gamma: f64,
    },
    /// exp(−‖x − x′‖₂² / (2γ²)).
    Gaussian {
        /// Bandwidth γ > 0, in units of the features.
        gamma: f64,
    },
    /// exp(−γ ‖x − x′‖₂²).
    Rbf {
        /// Inverse squared width γ > 0.
        gamma: f64,
    },
    /// 1 for every pair: global quantities.
    Constant,
    /// 1 for equal places, else 0: group-wise quantities.
    Group,
}

impl Kernel {
    /// Its name in settings and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Laplacian { .. } => "laplacian",
            Self::Gaussian { .. } => "gaussian",
            Self::Rbf { .. } => "rbf",
            Self::Constant => "constant",
            Self::Group => "group",
        }
    }

    /// The kernel of that name, with a bandwidth where it has one; the other way round than [`name`](Self::name).
    pub fn named(name: &str, gamma: f64) -> Option<Self> {
        Some(match name {
            "laplacian" => Self::Laplacian { gamma },
            "gaussian" => Self::Gaussian { gamma },
            "rbf" => Self::Rbf { gamma },
            "constant" => Self::Constant,
            "group" => Self::Group,
            _ => return None,
        })
    }

    /// The kernel that a person asks for by name and bandwidth.
    ///
    /// # Errors
    /// `invalid_option` for a bandwidth that is not above 0, or an unknown name.
    pub fn parsed(name: &str, gamma: f64) -> Result<Self> {
        if gamma.is_nan() || gamma <= 0.0 {
            return Err(Error::new(
                "invalid_option",
                format!("The bandwidth γ is {gamma}; it must be positive."),
                "The paper uses 0.2 on t-SNE coordinates and 0.4 on principal components.",
            ));
        }
        Self::named(name, gamma).ok_or_else(|| {
            Error::new(
                "invalid_option",
                format!("Unknown kernel `{name}`."),
                "Use laplacian, gaussian, rbf, group or constant.",
            )
        })
    }

    /// The bandwidth, where the kernel has one.
    pub fn gamma(&self) -> Option<f64> {
        match self {
            Self::Laplacian { gamma } | Self::Gaussian { gamma } | Self::Rbf { gamma } => Some(*gamma),
            Self::Constant | Self::Group => None,
        }
    }

    /// The same kernel with another bandwidth.
    pub fn with_gamma(self, gamma: f64) -> Self {
        match self {
            Self::Laplacian { .. } => Self::Laplacian { gamma },
            Self::Gaussian { .. } => Self::Gaussian { gamma },
            Self::Rbf { .. } => Self::Rbf { gamma },
            Self::Constant | Self::Group => self,
        }
    }

    /// The kernel whose values are the squares of this one's.
    pub fn squared(self) -> Self {
        match self {
            Self::Laplacian { gamma } => Self::Laplacian { gamma: gamma / 2.0 },
            Self::Gaussian { gamma } => Self::Gaussian { gamma: gamma * std::f64::consts::FRAC_1_SQRT_2 },
            Self::Rbf { gamma } => Self::Rbf { gamma: 2.0 * gamma },
            Self::Constant | Self::Group => self,
        }
    }

    /// Refuses a bandwidth that is not a positive number.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self) -> Result<()> {
        match self.gamma() {
            Some(gamma) if !(gamma > 0.0 && gamma.is_finite()) => Err(Error::new(
                "invalid_option",
                format!("bandwidth gamma = {gamma} is not a positive number"),
                "choose gamma between about 0.01 and 100",
            )),
            _ => Ok(()),
        }
    }

    /// The distance that the kernel falls with: ‖Δ‖₁ for the Laplacian, ‖Δ‖₂ for Gaussian and RBF; 0 or ∞ for the
    /// others. In units of the features, so that it is ordinary even where γ is tiny.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let differences = || a.iter().zip(b).map(|(a, b)| (a - b).abs());
        match self {
            Self::Laplacian { .. } => differences().sum(),
            Self::Gaussian { .. } | Self::Rbf { .. } => {
                let squares: f64 = differences().map(|delta| delta * delta).sum();
                if squares.is_finite() && (squares > 1e-280 || squares == 0.0) {
                    return squares.sqrt();
                }
                let largest = differences().fold(0.0, f64::max);
                let scaled: f64 = differences().map(|delta| (delta / largest).powi(2)).sum();
                largest * scaled.sqrt()
            }
            Self::Constant => 0.0,
            Self::Group if a == b => 0.0,
            Self::Group => f64::INFINITY,
        }
    }

    /// ln k at distance `near` − ln k at distance `far` ≥ `near`, in `d` dimensions: 0 for equal distances, however
    /// large they are against γ.
    ///
    /// ```
    /// use localcal_numerics::kernel::Kernel;
    ///
    /// // exp(−2²/(2·1²)) against exp(0)
    /// assert_eq!(Kernel::Gaussian { gamma: 1.0 }.fall(1, 0.0, 2.0), 2.0);
    /// // exp(−4 / (2 · 0.5)) in two dimensions
    /// assert_eq!(Kernel::Laplacian { gamma: 0.5 }.fall(2, 0.0, 4.0), 4.0);
    /// ```
    pub fn fall(&self, d: usize, near: f64, far: f64) -> f64 {
        if far <= near {
            return 0.0;
        }
        let squared = |scale: f64| (far - near) * scale * ((far + near) * scale);
        match self {
            Self::Laplacian { gamma } => (far - near) / super::bandwidth(d, *gamma),
            Self::Gaussian { gamma } => 0.5 * squared(1.0 / gamma.max(1e-300)),
            Self::Rbf { gamma } => squared(gamma.sqrt()),
            Self::Constant | Self::Group => f64::INFINITY,
        }
    }
}

/// Where sums are wanted.
#[derive(Debug, Clone, Copy)]
pub enum Queries<'a> {
    /// At the sources themselves.
    Sources {
        /// Leave each source out of its own sum.
        leave_one_out: bool,
    },
    /// At other places; none is taken to be a source.
    At(Points<'a>),
}

impl Queries<'_> {
    /// Number of queries.
    pub fn n(&self, sources: Points) -> usize {
        match self {
            Self::Sources { .. } => sources.n(),
            Self::At(points) => points.n(),
        }
    }
}

/// One of `of` parts of the queries. The cut depends on the data and on `of` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Which part, 0 ≤ `index` < `of`.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

impl Part {
    /// Everything at once.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    pub(super) fn range(&self, n: usize) -> std::ops::Range<usize> {
        let of = self.of.max(1);
        // rows times parts are more than 32 bits hold
        let end = |index: usize| (n as u64 * index.min(of) as u64 / of as u64) as usize;
        end(self.index)..end(self.index + 1)
    }
}

/// Kernel-weighted means at every query. What was not asked for (see [`Part`]) is `NaN`.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSums {
    /// Σ k, not shifted: 0 where it underflows.
    pub mass: Vec<f64>,
    /// ln Σ k, finite wherever there is a source.
    pub log_mass: Vec<f64>,
    /// Σ k w / Σ k, row-major (number of queries) × (number of right-hand sides).
    pub mean: Vec<f64>,
    /// (Σ k)² / Σ k², when asked for.
    pub n_eff: Option<Vec<f64>>,
    /// Which queries this part answered.
    pub answered: Vec<bool>,
    /// Number of right-hand sides.
    pub k: usize,
    /// Parts share out pairs, not queries: every part answers every query with its share, and [`KernelSums::merge`]
    /// adds them up.
    pub additive: bool,
    /// The algorithm used.
    pub engine: Engine,
}

impl KernelSums {
    /// Sums of `n` queries and `k` right-hand sides, none answered so far; effective numbers of rows if `n_eff`.
    pub fn unanswered(n: usize, k: usize, n_eff: bool) -> Self {
        Self {
            mass: vec![f64::NAN; n],
            log_mass: vec![f64::NAN; n],
            mean: vec![f64::NAN; n * k],
            n_eff: n_eff.then(|| vec![f64::NAN; n]),
            answered: vec![false; n],
            k,
            additive: false,
            engine: Engine::Pairs,
        }
    }

    /// Stores e^`top`·(`mass`, `values`) and e^(2·`top`)·`square` as the answer of query `q`, whose right-hand
    /// sides `from ..` are `values`.
    pub(super) fn store(&mut self, q: usize, top: f64, mass: f64, square: f64, from: usize, values: &[f64]) {
        if !self.answered[q] {
            return;
        }
        if mass > 0.0 {
            self.log_mass[q] = top + mass.ln();
            self.mass[q] = if top == 0.0 { mass } else { self.log_mass[q].exp() };
        } else {
            self.log_mass[q] = f64::NEG_INFINITY;
            self.mass[q] = 0.0;
        }
        for (mean, value) in self.mean[q * self.k + from..].iter_mut().zip(values) {
            // A share of the pairs may hold none that counts; its mean must not spoil the others.
            *mean = if self.additive && mass == 0.0 { 0.0 } else { value / mass };
        }
        if let Some(n_eff) = &mut self.n_eff {
            n_eff[q] = if mass > 0.0 { mass / (square / mass) } else { 0.0 };
        }
    }

    /// Takes over the answers of a smaller problem whose query `i` is this one's `rows[i]`.
    pub fn scatter(&mut self, rows: &[u32], other: &Self) {
        for (i, &q) in rows.iter().enumerate() {
            if other.answered[i] {
                self.take(q as usize, other, i);
            }
        }
    }

    /// Marks the queries for which `alone` holds as answered by nothing: mass 0, mean `NaN`.
    pub(crate) fn answer_rest(&mut self, alone: impl Fn(usize) -> bool) {
        for q in 0..self.answered.len() {
            if !self.answered[q] && alone(q) {
                self.answered[q] = true;
                self.store(q, 0.0, 0.0, 0.0, 0, &[]);
            }
        }
    }

    fn take(&mut self, q: usize, other: &Self, i: usize) {
        self.answered[q] = true;
        self.mass[q] = other.mass[i];
        self.log_mass[q] = other.log_mass[i];
        self.mean[q * self.k..(q + 1) * self.k].copy_from_slice(&other.mean[i * self.k..(i + 1) * self.k]);
        if let (Some(own), Some(theirs)) = (&mut self.n_eff, &other.n_eff) {
            own[q] = theirs[i];
        }
    }

    fn add(&mut self, q: usize, other: &Self) {
        let (own, theirs) = (self.mass[q], other.mass[q]);
        if let (Some(n), Some(m)) = (&mut self.n_eff, &other.n_eff) {
            let square = |mass: f64, n: f64| if mass > 0.0 { mass * (mass / n) } else { 0.0 };
            let squares = square(own, n[q]) + square(theirs, m[q]);
            let total = own + theirs;
            // Where Σ k² of a share underflows its n_eff is infinite: it then adds nothing to the squares.
            n[q] = if total > 0.0 { total / (squares / total) } else { 0.0 };
        }
        self.mass[q] = own + theirs;
        self.log_mass[q] = self.mass[q].ln();
        for c in q * self.k..(q + 1) * self.k {
            let total = self.mean[c] * own + other.mean[c] * theirs;
            self.mean[c] = if own + theirs > 0.0 { total / (own + theirs) } else { 0.0 };
        }
    }

    /// Takes over what another part answered; parts must be merged in ascending order.
    pub fn merge(&mut self, other: &Self) {
        for q in 0..self.answered.len().min(other.answered.len()) {
            if other.answered[q] && !self.answered[q] {
                self.take(q, other, q);
            } else if other.answered[q] && self.additive {
                self.add(q, other);
            }
        }
    }
}
