//! The log-likelihood as a quadratic function of (a, b) and the shifts: its maximum for a spread of the shifts, and the
//! spread that makes what was seen likeliest.

use nalgebra::{DMatrix, DVector};

use super::belonging::Belonging;
use crate::num::optimize::brent_minimum;

/// τ².
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale(f64);

/// Intercept, slope of the scaled log-odds if it is fitted, and the shift of each group.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    pub(super) shared: Vec<f64>,
    pub(super) shifts: Vec<f64>,
}

impl Scale {
    pub(super) fn of(spread: f64) -> Self {
        Self(spread * spread)
    }

    pub(super) fn spread(self) -> f64 {
        self.0.sqrt()
    }

    pub(super) fn smaller(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// |ln τ − ln τ′|, 0 for two zeros.
    pub(super) fn distance(self, other: Self) -> f64 {
        match self.0 == other.0 {
            true => 0.0,
            false => 0.5 * (self.0.ln() - other.0.ln()).abs(),
        }
    }
}

impl Step {
    /// Σ δ² / 2τ².
    pub(super) fn penalty(&self, scale: Scale) -> f64 {
        let squares: f64 = self.shifts.iter().map(|shift| shift * shift).sum();
        if squares == 0.0 { 0.0 } else { 0.5 * squares / scale.0 }
    }

    pub(super) fn halfway(&self, to: &Self) -> Self {
        let middle = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        Self { shared: middle(&self.shared, &to.shared), shifts: middle(&self.shifts, &to.shifts) }
    }

    /// Largest difference of an entry.
    pub(super) fn distance(&self, from: &Self) -> f64 {
        let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        largest(&self.shared, &from.shared).max(largest(&self.shifts, &from.shifts))
    }
}

/// Curvature of the shifts among themselves.
enum Curvature {
    /// no row lies in two groups
    Apart(DVector<f64>),
    /// as it may be
    Full(DMatrix<f64>),
}

/// The log-likelihood around its maximum without shifts: sᵀδ − ½ θᵀHθ with θ = (shared − center, shifts). So written, what
/// tells one τ from another is not a small difference of large numbers.
pub(super) struct Quadratic {
    /// what is shared, at the maximum without shifts
    center: DVector<f64>,
    /// s, the slope in the shifts there
    shifts: DVector<f64>,
    /// H of what is shared
    of_shared: DMatrix<f64>,
    /// H between shifts (rows) and what is shared
    between: DMatrix<f64>,
    /// H of the shifts
    of_shifts: Curvature,
}

/// What is left of the quadratic for one τ: I + τ² A solved.
struct Solved {
    /// B⁻¹ s
    shifts: DVector<f64>,
    /// B⁻¹ C
    between: DMatrix<f64>,
    /// K = M − τ² Cᵀ B⁻¹ C
    schur: DMatrix<f64>,
    /// −τ² Cᵀ B⁻¹ s
    rest: DVector<f64>,
    /// ln |B|
    log_volume: f64,
}

impl Quadratic {
    /// From the sums (Σ r, Σ r x, Σ v, Σ v x, Σ v x²) of each set of groups at `at`; `None` where rounding leaves no
    /// curvature.
    pub(super) fn new(at: &Step, sums: &[[f64; 5]], of: &Belonging) -> Option<Self> {
        let (k, p) = (of.groups(), at.shared.len());
        let mut gradient = DVector::zeros(p);
        let mut shifts = DVector::zeros(k);
        let mut of_shared = DMatrix::zeros(p, p);
        let mut between = DMatrix::zeros(k, p);
        let mut apart = DVector::zeros(k);
        let overlap = !of.is_apart();
        let mut full = if overlap { DMatrix::zeros(k, k) } else { DMatrix::zeros(0, 0) };
        for ([r, rx, v, vx, vxx], own) in sums.iter().zip(&of.members) {
            let (r, v, vs) = ([*r, *rx], *v, [[*v, *vx], [*vx, *vxx]]);
            for j in 0..p {
                gradient[j] += r[j];
                for l in 0..p {
                    of_shared[(j, l)] += vs[j][l];
                }
            }
            for &group in own {
                let g = group as usize;
                shifts[g] += r[0];
                apart[g] += v;
                for j in 0..p {
                    between[(g, j)] += vs[0][j];
                }
                if overlap {
                    own.iter().for_each(|&other| full[(g, other as usize)] += v);
                }
            }
        }
        let now = DVector::from_column_slice(&at.shifts);
        let curved = if overlap { &full * &now } else { apart.component_mul(&now) };
        let away = of_shared.clone().cholesky()?.solve(&(gradient + between.transpose() * now));
        Some(Self {
            shifts: shifts + curved - &between * &away,
            center: DVector::from_column_slice(&at.shared) + away,
            of_shared,
            between,
            of_shifts: if overlap { Curvature::Full(full) } else { Curvature::Apart(apart) },
        })
    }

    fn solved(&self, scale: Scale) -> Option<Solved> {
        let (shifts, between, log_volume) = match &self.of_shifts {
            Curvature::Apart(diagonal) => {
                let b = diagonal.map(|d| 1.0 + scale.0 * d);
                let mut between = self.between.clone();
                for mut column in between.column_iter_mut() {
                    column.component_div_assign(&b);
                }
                (self.shifts.component_div(&b), between, b.iter().map(|b| b.ln()).sum())
            }
            Curvature::Full(full) => {
                let k = full.nrows();
                let b = (full * scale.0 + DMatrix::identity(k, k)).cholesky()?;
                let volume = b.l_dirty().diagonal().iter().map(|d| 2.0 * d.ln()).sum();
                (b.solve(&self.shifts), b.solve(&self.between), volume)
            }
        };
        let schur = &self.of_shared - self.between.transpose() * &between * scale.0;
        let rest = self.between.transpose() * &shifts * -scale.0;
        Some(Solved { shifts, between, schur, rest, log_volume })
    }

    /// Where the log-likelihood − Σ δ²/2τ² is largest; `None` where rounding leaves no curvature.
    pub(super) fn best(&self, scale: Scale) -> Option<Step> {
        let solved = self.solved(scale)?;
        let shared = solved.schur.cholesky()?.solve(&solved.rest);
        let shifts = (solved.shifts - solved.between * &shared) * scale.0;
        let shared = &self.center + shared;
        let finite = shared.iter().chain(shifts.iter()).all(|v| v.is_finite());
        finite.then(|| Step { shared: shared.iter().copied().collect(), shifts: shifts.iter().copied().collect() })
    }

    /// ln ∫ exp(sᵀδ − ½ θᵀHθ) N(δ; 0, τ²) dθ, up to what does not depend on τ.
    fn log_marginal(&self, scale: Scale) -> Option<f64> {
        let solved = self.solved(scale)?;
        let schur = solved.schur.cholesky()?;
        let explained = scale.0 * self.shifts.dot(&solved.shifts) + solved.rest.dot(&schur.solve(&solved.rest));
        let log_schur: f64 = schur.l_dirty().diagonal().iter().map(|d| 2.0 * d.ln()).sum();
        Some(0.5 * (explained - solved.log_volume - log_schur))
    }

    /// The τ of [0, `most`] that makes what was seen likeliest.
    pub(super) fn likeliest(&self, most: f64) -> Scale {
        const LEAST: f64 = 1e-3;
        const POINTS: usize = 16;
        let minus = |log: f64| self.log_marginal(Scale::of(log.exp())).map_or(f64::INFINITY, |value| -value);
        let (low, high) = (LEAST.ln(), most.ln());
        let at = |i: usize| low + (high - low) * i as f64 / (POINTS - 1) as f64;
        let best = (0..POINTS).map(|i| (i, minus(at(i)))).min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i);
        let (log, least) = brent_minimum(minus, at(best.saturating_sub(1)), at((best + 1).min(POINTS - 1)), 1e-9);
        let none = self.log_marginal(Scale::of(0.0)).map_or(f64::INFINITY, |value| -value);
        // Rounding alone is no reason for a spread.
        if none <= least + 1e-9 * (1.0 + least.abs()) {
            return Scale::of(0.0);
        }
        Scale::of(if log > high - 1e-6 { most } else { log.exp() })
    }
}
