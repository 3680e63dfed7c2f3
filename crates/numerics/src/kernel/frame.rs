//! Centered, scaled rows laid out in blocks, so that a distance is an exponent.

use super::lane::{LANES, Lane, Rows};
use super::{Kernel, Points};

/// Scaled, centered rows in blocks of eight: coordinate `c` of lane `l` at `(block * d + c) * 8 + l`. What fills the last
/// block is infinitely far from every row: no kernel value of it is more than 0.
pub(super) struct Blocks<T> {
    pub(super) d: usize,
    pub(super) n: usize,
    pub(super) squared: bool,
    pub(super) values: Vec<T>,
    /// ℓ₁-type norm Σ_c x_c of each row (signed: see [`Lane::distance`]).
    pub(super) norm: Vec<T>,
    /// Right-hand sides, the first being 1: `(block * channels + channel) * 8 + l`; 0 in the padding.
    pub(super) weight: Vec<T>,
    pub(super) channels: usize,
    /// Whether Σ k² is wanted: one more channel, fed by the first weight.
    pub(super) squares: bool,
}

/// Center and scale that turn a distance into an exponent.
pub(super) struct Frame {
    pub(super) center: Vec<f64>,
    pub(super) scale: f64,
    pub(super) squared: bool,
}

impl Frame {
    /// Mean of the sources.
    pub(super) fn center(sources: Points) -> Vec<f64> {
        let mut center = vec![0.0; sources.d()];
        for row in sources.values().chunks_exact(sources.d()) {
            for (center, value) in center.iter_mut().zip(row) {
                *center += value / sources.n() as f64;
            }
        }
        center
    }

    pub(super) fn new(center: &[f64], kernel: Kernel) -> Self {
        let d = center.len();
        let (scale, squared) = match kernel {
            Kernel::Gaussian { gamma } => (std::f64::consts::FRAC_1_SQRT_2 / gamma, true),
            Kernel::Rbf { gamma } => (gamma.sqrt(), true),
            Kernel::Laplacian { gamma } => (1.0 / super::bandwidth(d, gamma), false),
            Kernel::Constant | Kernel::Group => (0.0, false),
        };
        Self { center: center.to_vec(), scale, squared }
    }

    /// Exponent under `other` as a multiple of the exponent under this frame.
    pub(super) fn ratio(&self, other: &Self) -> f64 {
        let ratio = other.scale / self.scale;
        if self.squared { ratio * ratio } else { ratio }
    }

    /// Largest scaled norm: ‖x − center‖₁·scale or ‖x − center‖₂²·scale².
    pub(super) fn reach(&self, points: Points) -> f64 {
        points.values().chunks_exact(points.d()).map(|row| self.norm(row)).fold(0.0, f64::max)
    }

    /// Scaled norm of one place.
    pub(super) fn norm(&self, row: &[f64]) -> f64 {
        let away = row.iter().zip(&self.center).map(|(x, c)| ((x - c) * self.scale).abs());
        if self.squared { away.map(|x| x * x).sum() } else { away.sum() }
    }

    pub(super) fn blocks<T: Lane>(&self, points: Points, weights: &[f64], k: usize, squares: bool) -> Blocks<T> {
        let (n, d) = (points.n(), points.d());
        let blocks = n.div_ceil(LANES);
        let channels = k + 1;
        let mut out = Blocks {
            d,
            n,
            squared: self.squared,
            values: vec![T::ZERO; blocks * LANES * d],
            norm: vec![T::ZERO; blocks * LANES],
            weight: vec![T::ZERO; blocks * LANES * channels],
            channels,
            squares,
        };
        for i in 0..n {
            let (block, lane) = (i / LANES, i % LANES);
            let mut norm = 0.0;
            for (c, (x, center)) in points.row(i).iter().zip(&self.center).enumerate() {
                let value = T::of((x - center) * self.scale);
                norm += value.wide();
                out.values[(block * d + c) * LANES + lane] = value;
            }
            out.norm[i] = T::of(norm);
            for channel in 0..channels {
                let value = if channel == 0 { 1.0 } else { weights.get(i * k + channel - 1).copied().unwrap_or(0.0) };
                out.weight[(block * channels + channel) * LANES + lane] = T::of(value);
            }
        }
        let far = T::of(f64::INFINITY);
        for i in n..blocks * LANES {
            out.values[i / LANES * d * LANES + i % LANES] = far;
            out.norm[i] = far;
        }
        out
    }
}

impl<T: Lane> Blocks<T> {
    pub(super) fn len(&self) -> usize {
        self.norm.len() / LANES
    }

    /// Sums per row: the channels, and Σ k².
    pub(super) fn stride(&self) -> usize {
        self.channels + usize::from(self.squares)
    }

    /// The eight weights of a block in one channel; Σ k² takes those of the first.
    #[inline(always)]
    pub(super) fn weights(&self, block: usize, channel: usize) -> &[T; LANES] {
        let channel = if channel == self.channels { 0 } else { channel };
        &self.weight.as_chunks::<LANES>().0[block * self.channels + channel]
    }

    pub(super) fn block(&self, block: usize) -> Rows<'_, T> {
        let values = self.values.as_chunks::<LANES>().0;
        let norm = self.norm.as_chunks::<LANES>().0;
        (&values[block * self.d..(block + 1) * self.d], &norm[block])
    }
}
