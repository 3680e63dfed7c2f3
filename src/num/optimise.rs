//! Minima of smooth functions: one variable, a few, a few thousand.

use nalgebra::{DMatrix, DVector};

/// Where a one-dimensional minimum was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum {
    /// the minimiser
    pub x: f64,
    /// the function still falls at the lower end
    pub at_low: bool,
    /// the function still falls at the upper end
    pub at_high: bool,
}

/// Minimises a convex function on [low, high] from its first and second derivative.
///
/// Newton's method, kept inside a bracket of the derivative's sign change and replaced by a geometric bisection
/// (0 < low) where it would leave it or is slow. `derivatives(x)` gives (f′, f″). About 8 evaluations.
pub fn convex_minimum(
    mut derivatives: impl FnMut(f64) -> (f64, f64),
    low: f64,
    high: f64,
    start: f64,
) -> Minimum {
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
        let mut next = if newton > a && newton < b {
            newton
        } else {
            (a * b).sqrt()
        };
        // A Newton step past an end that was never looked at asks that end first.
        if curvature > 0.0 || slope != 0.0 {
            if newton <= low && a == low && !checked_low {
                checked_low = true;
                if derivatives(low).0 >= 0.0 {
                    return Minimum {
                        x: low,
                        at_low: true,
                        at_high: false,
                    };
                }
            }
            if (newton >= high || curvature <= 0.0) && b == high && !checked_high {
                checked_high = true;
                if derivatives(high).0 <= 0.0 {
                    return Minimum {
                        x: high,
                        at_low: false,
                        at_high: true,
                    };
                }
            }
        }
        if !next.is_finite() {
            next = 0.5 * (a + b);
        }
        let step = (next - x).abs();
        x = next;
        if step <= 1e-14 * x.abs() || b - a <= 1e-15 * b.abs() {
            break;
        }
    }
    Minimum {
        x,
        at_low: x <= low,
        at_high: x >= high,
    }
}

/// Minimises a function on [a, b] by golden section with parabolic steps (Brent, 1973, chapter 5).
///
/// Finds a local minimum when there are several. `tolerance` is absolute on x. Returns (x, f(x)).
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
        let u = if step.abs() >= tol {
            x + step
        } else {
            x + tol.copysign(step)
        };
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

/// The best of `points` evenly spaced abscissae, refined by [`brent_minimum`] between its neighbours.
///
/// For functions of one variable with several local minima. Returns (x, f(x)).
pub fn grid_minimum(
    mut f: impl FnMut(f64) -> f64,
    a: f64,
    b: f64,
    points: usize,
    tolerance: f64,
) -> (f64, f64) {
    let points = points.max(3);
    let at = |i: usize| a + (b - a) * i as f64 / (points - 1) as f64;
    let mut best = (0, f64::INFINITY);
    for i in 0..points {
        let value = f(at(i));
        if value < best.1 {
            best = (i, value);
        }
    }
    let refined = brent_minimum(
        &mut f,
        at(best.0.saturating_sub(1)),
        at((best.0 + 1).min(points - 1)),
        tolerance,
    );
    if refined.1 <= best.1 {
        refined
    } else {
        (at(best.0), best.1)
    }
}

/// Minimum of a function of several variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// the minimiser
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
pub fn newton(
    mut f: impl FnMut(&[f64], &mut [f64], &mut [f64]) -> f64,
    start: &[f64],
    max_steps: usize,
) -> Solution {
    let d = start.len();
    let mut x = start.to_vec();
    let (mut gradient, mut hessian) = (vec![0.0; d], vec![0.0; d * d]);
    let mut value = f(&x, &mut gradient, &mut hessian);
    let (mut trial_gradient, mut trial_hessian) = (gradient.clone(), hessian.clone());
    for steps in 0..max_steps {
        let Some(direction) = newton_direction(&gradient, &hessian) else {
            return Solution {
                x,
                value,
                converged: false,
                steps,
            };
        };
        let decrease: f64 = direction.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        if decrease >= -1e-28 * (1.0 + value.abs()) {
            return Solution {
                x,
                value,
                converged: true,
                steps,
            };
        }
        let mut scale = 1.0;
        let mut moved = false;
        while scale > 1e-12 {
            let trial: Vec<f64> = x
                .iter()
                .zip(&direction)
                .map(|(x, s)| x + scale * s)
                .collect();
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
            return Solution {
                x,
                value,
                converged: true,
                steps,
            };
        }
    }
    Solution {
        x,
        value,
        converged: false,
        steps: max_steps,
    }
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
        ridge = if ridge == 0.0 {
            1e-12 * size
        } else {
            ridge * 30.0
        };
    }
    None
}

/// Limited-memory BFGS with ten pairs and a backtracking line search (Nocedal and Wright, 2006, algorithm 7.5).
///
/// `f(x, gradient)` fills the gradient and returns the value. Stops when the largest gradient entry is at most
/// `tolerance`, or the value no longer falls.
pub fn lbfgs(
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    start: &[f64],
    tolerance: f64,
    max_steps: usize,
) -> Solution {
    const PAIRS: usize = 10;
    let d = start.len();
    let mut x = start.to_vec();
    let mut gradient = vec![0.0; d];
    let mut value = f(&x, &mut gradient);
    let mut pairs: std::collections::VecDeque<(Vec<f64>, Vec<f64>, f64)> =
        std::collections::VecDeque::new();
    let mut trial_gradient = vec![0.0; d];
    let mut stalled = 0;
    for steps in 0..max_steps {
        if gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs())) <= tolerance {
            return Solution {
                x,
                value,
                converged: true,
                steps,
            };
        }
        let mut direction = two_loop(&gradient, &pairs);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 || !slope.is_finite() {
            pairs.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        let mut scale = if pairs.is_empty() {
            1.0 / (-slope).sqrt().max(1.0)
        } else {
            1.0
        };
        let mut accepted = None;
        let (mut low, mut high) = (0.0, f64::INFINITY);
        for _ in 0..50 {
            let trial: Vec<f64> = x
                .iter()
                .zip(&direction)
                .map(|(x, s)| x + scale * s)
                .collect();
            let at = f(&trial, &mut trial_gradient);
            if at.is_nan() || at > value + 1e-4 * scale * slope {
                high = scale;
            } else {
                let ahead = dot(&trial_gradient, &direction);
                accepted = Some((trial, at, trial_gradient.clone()));
                if ahead >= 0.9 * slope {
                    break;
                }
                low = scale;
            }
            scale = if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * scale
            };
            if high - low < 1e-14 * high {
                break;
            }
        }
        let Some((next, at, next_gradient)) = accepted else {
            if pairs.is_empty() {
                return Solution {
                    x,
                    value,
                    converged: true,
                    steps,
                };
            }
            pairs.clear();
            continue;
        };
        let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let y: Vec<f64> = next_gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        let sy = dot(&s, &y);
        if sy > 1e-300 {
            if pairs.len() == PAIRS {
                pairs.pop_front();
            }
            pairs.push_back((s, y, 1.0 / sy));
        }
        stalled = if value - at <= 1e-15 * value.abs() {
            stalled + 1
        } else {
            0
        };
        (x, value, gradient) = (next, at, next_gradient);
        if stalled == 3 {
            return Solution {
                x,
                value,
                converged: true,
                steps,
            };
        }
    }
    Solution {
        x,
        value,
        converged: false,
        steps: max_steps,
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn two_loop(
    gradient: &[f64],
    pairs: &std::collections::VecDeque<(Vec<f64>, Vec<f64>, f64)>,
) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(pairs.len());
    for (s, y, rho) in pairs.iter().rev() {
        let alpha = rho * dot(s, &q);
        q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
        alphas.push(alpha);
    }
    if let Some((_, y, rho)) = pairs.back() {
        let scale = 1.0 / (rho * dot(y, y));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((s, y, rho), alpha) in pairs.iter().zip(alphas.iter().rev()) {
        let beta = rho * dot(y, &q);
        q.iter_mut()
            .zip(s)
            .for_each(|(q, s)| *q += (alpha - beta) * s);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convex_minimum_inside_and_at_the_ends() {
        let f = |target: f64| move |x: f64| (2.0 * (x - target), 2.0);
        let inside = convex_minimum(f(0.7), 0.01, 100.0, 1.0);
        assert!((inside.x - 0.7).abs() < 1e-14 && !inside.at_low && !inside.at_high);
        assert!(convex_minimum(f(-3.0), 0.01, 100.0, 1.0).at_low);
        let high = convex_minimum(f(300.0), 0.01, 100.0, 1.0);
        assert_eq!((high.x, high.at_high), (100.0, true));
        // Newton alone diverges from 1 on ln cosh(x − 5)
        let hard = convex_minimum(
            |x| {
                let t = (x - 5.0_f64).tanh();
                (t, 1.0 - t * t)
            },
            0.01,
            100.0,
            1.0,
        );
        assert!((hard.x - 5.0).abs() < 1e-12);
    }

    #[test]
    fn brent_and_grid_find_the_minimum() {
        let (x, _) = brent_minimum(|x| (x - 0.3).powi(2) + 1.0, -2.0, 5.0, 1e-10);
        assert!((x - 0.3).abs() < 1e-7);
        let (x, _) = grid_minimum(|x| (3.0 * x).sin() + 0.1 * x, -6.0, 0.0, 40, 1e-10);
        let slope = 3.0 * (3.0 * x).cos() + 0.1;
        assert!(slope.abs() < 1e-6 && (3.0 * x).sin() + 0.1 * x < -1.4);
    }

    fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        g[0] = -2.0 * a - 400.0 * x[0] * b;
        g[1] = 200.0 * b;
        a * a + 100.0 * b * b
    }

    #[test]
    fn lbfgs_and_newton_solve_rosenbrock() {
        let found = lbfgs(rosenbrock, &[-1.2, 1.0], 1e-9, 500);
        assert!(
            found.converged && (found.x[0] - 1.0).abs() < 1e-7 && (found.x[1] - 1.0).abs() < 1e-7
        );
        let found = newton(
            |x, g, h| {
                h.copy_from_slice(&[
                    2.0 - 400.0 * (x[1] - 3.0 * x[0] * x[0]),
                    -400.0 * x[0],
                    -400.0 * x[0],
                    200.0,
                ]);
                rosenbrock(x, g)
            },
            &[-1.2, 1.0],
            100,
        );
        assert!(
            found.converged && (found.x[0] - 1.0).abs() < 1e-10,
            "{found:?}"
        );
    }
}
