//! Minima of smooth functions of one variable and of a few.

use nalgebra::{DMatrix, DVector};

/// Where a one-dimensional minimum was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum {
    /// the minimizer
    pub x: f64,
    /// the function still falls at the lower end
    pub at_low: bool,
    /// the function still falls at the upper end
    pub at_high: bool,
}

/// Minimizes a convex function on [low, high] from its first and second derivative.
///
/// Newton's method, kept inside a bracket of the derivative's sign change and replaced by a geometric bisection
/// (0 < low) where it would leave it or is slow. `derivatives(x)` gives (f′, f″). About 8 evaluations.
pub fn convex_minimum(mut derivatives: impl FnMut(f64) -> (f64, f64), low: f64, high: f64, start: f64) -> Minimum {
    let (mut a, mut b) = (low, high);
    let mut x = start.clamp(low, high);
    let (mut checked_low, mut checked_high) = (false, false);
    for _ in 0..200 {
        let (slope, curvature) = derivatives(x);
        if slope == 0.0 {
            break;
        }
        if slope > 0.0 {
            b = x;
        } else {
            a = x;
        }
        let newton = x - slope / curvature;
        let mut next = if newton > a && newton < b { newton } else { (a * b).sqrt() };
        // A Newton step past an end that was never looked at asks that end first.
        if curvature > 0.0 || slope != 0.0 {
            if newton <= low && a == low && !checked_low {
                checked_low = true;
                if derivatives(low).0 >= 0.0 {
                    return Minimum { x: low, at_low: true, at_high: false };
                }
            }
            if (newton >= high || curvature <= 0.0) && b == high && !checked_high {
                checked_high = true;
                if derivatives(high).0 <= 0.0 {
                    return Minimum { x: high, at_low: false, at_high: true };
                }
            }
        }
        if !next.is_finite() {
            next = 0.5 * (a + b);
        }
        let step = (next - x).abs();
        x = next;
        // Newton squares the error: a step of 10⁻⁸ leaves one of 10⁻¹⁶.
        let close = if next == newton { 1e-8 } else { 1e-14 };
        if step <= close * x.abs() || b - a <= 1e-15 * b.abs() {
            break;
        }
    }
    Minimum { x, at_low: x <= low, at_high: x >= high }
}

/// Minimizes a function on [a, b] by golden section with parabolic steps (Brent, 1973, chapter 5).
///
/// Finds a local minimum when there are several. `tolerance` is absolute on x. Returns (x, f(x)).
///
/// ```
/// let (x, value) = localcal_numerics::num::optimize::brent_minimum(|x| (x - 2.0).powi(2) + 1.0, 0.0, 5.0, 1e-9);
/// assert!((x - 2.0).abs() < 1e-6 && (value - 1.0).abs() < 1e-12);
/// ```
pub fn brent_minimum(mut f: impl FnMut(f64) -> f64, a: f64, b: f64, tolerance: f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.381_966_011_250_105_1;
    let (mut a, mut b) = (a.min(b), a.max(b));
    let mut x = a + GOLDEN * (b - a);
    let (mut w, mut v) = (x, x);
    let mut fx = f(x);
    let (mut fw, mut fv) = (fx, fx);
    let (mut step, mut before) = (0.0_f64, 0.0_f64);
    for _ in 0..200 {
        let middle = 0.5 * (a + b);
        let tol = tolerance + 1e-15 * x.abs();
        if (x - middle).abs() <= 2.0 * tol - 0.5 * (b - a) {
            break;
        }
        let mut golden = true;
        if before.abs() > tol {
            let r = (x - w) * (fx - fv);
            let q = (x - v) * (fx - fw);
            let mut p = (x - v) * q - (x - w) * r;
            let mut q = 2.0 * (q - r);
            if q > 0.0 {
                p = -p;
            } else {
                q = -q;
            }
            if p.abs() < (0.5 * q * before).abs() && p > q * (a - x) && p < q * (b - x) {
                before = step;
                step = p / q;
                let u = x + step;
                if u - a < 2.0 * tol || b - u < 2.0 * tol {
                    step = tol.copysign(middle - x);
                }
                golden = false;
            }
        }
        if golden {
            before = if x < middle { b - x } else { a - x };
            step = GOLDEN * before;
        }
        let u = if step.abs() >= tol { x + step } else { x + tol.copysign(step) };
        let fu = f(u);
        if fu <= fx {
            if u < x {
                b = x;
            } else {
                a = x;
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                a = u;
            } else {
                b = u;
            }
            if fu <= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu <= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
    (x, fx)
}

/// The best of `points` evenly spaced abscissae, refined by [`brent_minimum`] between its neighbors.
///
/// For functions of one variable with several local minima. Returns (x, f(x)).
pub fn grid_minimum(mut f: impl FnMut(f64) -> f64, a: f64, b: f64, points: usize, tolerance: f64) -> (f64, f64) {
    let points = points.max(3);
    let at = |i: usize| a + (b - a) * i as f64 / (points - 1) as f64;
    let mut best = (0, f64::INFINITY);
    for i in 0..points {
        let value = f(at(i));
        if value < best.1 {
            best = (i, value);
        }
    }
    let refined = brent_minimum(&mut f, at(best.0.saturating_sub(1)), at((best.0 + 1).min(points - 1)), tolerance);
    if refined.1 <= best.1 { refined } else { (at(best.0), best.1) }
}

/// Minimum of a function of several variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// the minimizer
    pub x: Vec<f64>,
    /// the function there
    pub value: f64,
    /// the gradient vanished, or the function stopped falling, before the steps ran out
    pub converged: bool,
    /// steps taken
    pub steps: usize,
}

/// Newton's method with step halving for a convex function of a few variables.
///
/// `f(x, gradient, hessian)` fills both (row-major) and returns the value. A ridge is added where the Hessian is not
/// positive definite. O(d³) a step.
pub fn newton(mut f: impl FnMut(&[f64], &mut [f64], &mut [f64]) -> f64, start: &[f64], max_steps: usize) -> Solution {
    let d = start.len();
    let mut x = start.to_vec();
    let (mut gradient, mut hessian) = (vec![0.0; d], vec![0.0; d * d]);
    let mut value = f(&x, &mut gradient, &mut hessian);
    let (mut trial_gradient, mut trial_hessian) = (gradient.clone(), hessian.clone());
    for steps in 0..max_steps {
        let Some(direction) = newton_direction(&gradient, &hessian) else {
            return Solution { x, value, converged: false, steps };
        };
        let decrease: f64 = direction.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        // Close enough that the squared error of one more full step is below rounding; the value could no longer
        // tell a better point from a worse one.
        if decrease >= -1e-13 * (1.0 + value.abs()) {
            let last: Vec<f64> = x.iter().zip(&direction).map(|(x, s)| x + s).collect();
            let at = f(&last, &mut trial_gradient, &mut trial_hessian);
            let better = at <= value + 1e-12 * (1.0 + value.abs());
            return Solution {
                x: if better { last } else { x },
                value: if better { at } else { value },
                converged: true,
                steps,
            };
        }
        let mut scale = 1.0;
        let mut moved = false;
        while scale > 1e-12 {
            let trial: Vec<f64> = x.iter().zip(&direction).map(|(x, s)| x + scale * s).collect();
            let at = f(&trial, &mut trial_gradient, &mut trial_hessian);
            if at <= value + 1e-4 * scale * decrease {
                moved = at < value || trial != x;
                x = trial;
                value = at;
                std::mem::swap(&mut gradient, &mut trial_gradient);
                std::mem::swap(&mut hessian, &mut trial_hessian);
                break;
            }
            scale *= 0.5;
        }
        if !moved {
            // Rounding is larger than what is left to gain.
            return Solution { x, value, converged: true, steps };
        }
    }
    Solution { x, value, converged: false, steps: max_steps }
}

/// From so many rows on, [`newton_over_rows`] begins with some of them.
const MANY_ROWS: usize = 1 << 16;
/// It begins with one row in so many.
const SOME: usize = 16;
/// Outcomes of either kind a coefficient that some rows must hold to say where to begin.
const OUTCOMES: usize = 20;
/// Coefficients of centered and scaled columns beyond this are those of outcomes that some rows separate: a start so far out
/// leads nowhere.
const FARTHEST: f64 = 8.0;

/// [`newton`] for log losses of log-odds over rows with outcomes `t`: of very many, the minimum of every sixteenth row is where
/// the search over all of them begins, which saves most of its steps; `start` where these rows tell too little.
///
/// `f(step, x, gradient, hessian)`: over every `step`-th row
pub fn newton_over_rows(
    t: &[u8],
    mut f: impl FnMut(usize, &[f64], &mut [f64], &mut [f64]) -> f64,
    start: &[f64],
    max_steps: usize,
) -> Solution {
    let enough = t.len() >= MANY_ROWS && can_start_from(t.iter().step_by(SOME), start.len());
    let some = enough.then(|| newton(|x, g, h| f(SOME, x, g, h), start, max_steps));
    let start =
        some.as_ref().filter(|found| found.converged && is_usable_start(&found.x)).map_or(start, |found| &found.x);
    newton(|x, g, h| f(1, x, g, h), start, max_steps)
}

/// Whether some rows hold enough outcomes of both kinds to begin with a fit of them.
pub fn can_start_from<'a>(t: impl Iterator<Item = &'a u8>, coefficients: usize) -> bool {
    let (rows, events) = t.fold((0, 0), |(rows, events), t| (rows + 1, events + usize::from(*t)));
    events.min(rows - events) >= OUTCOMES * coefficients
}

/// Whether coefficients are a place to begin at.
pub fn is_usable_start(x: &[f64]) -> bool {
    x.iter().all(|x| x.abs() <= FARTHEST)
}

fn newton_direction(gradient: &[f64], hessian: &[f64]) -> Option<Vec<f64>> {
    let d = gradient.len();
    let h = DMatrix::from_row_slice(d, d, hessian);
    let g = DVector::from_column_slice(gradient);
    let size = h.diagonal().amax().max(f64::MIN_POSITIVE);
    let mut ridge = 0.0;
    for _ in 0..12 {
        let shifted = &h + DMatrix::identity(d, d) * ridge;
        if let Some(cholesky) = shifted.cholesky() {
            let step = -cholesky.solve(&g);
            if step.iter().all(|s| s.is_finite()) {
                return Some(step.iter().copied().collect());
            }
        }
        ridge = if ridge == 0.0 { 1e-12 * size } else { ridge * 30.0 };
    }
    None
}

#[cfg(test)]
mod tests;
