//! Minima of smooth functions of a few thousand variables.

use super::optimize::Solution;

/// Limited-memory BFGS with ten pairs and a backtracking line search (Nocedal and Wright, 2006, algorithm 7.5).
///
/// `f(x, gradient)` fills the gradient and returns the value. Stops when the largest gradient entry is at most
/// `tolerance`, or three steps in a row lower the value by less than `stall` of itself.
pub fn lbfgs(
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    start: &[f64],
    tolerance: f64,
    stall: f64,
    max_steps: usize,
) -> Solution {
    const PAIRS: usize = 10;
    let d = start.len();
    let mut x = start.to_vec();
    let mut gradient = vec![0.0; d];
    let mut value = f(&x, &mut gradient);
    let mut pairs: std::collections::VecDeque<(Vec<f64>, Vec<f64>, f64)> = std::collections::VecDeque::new();
    let mut trial_gradient = vec![0.0; d];
    let mut stalled = 0;
    for steps in 0..max_steps {
        if gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs())) <= tolerance {
            return Solution { x, value, converged: true, steps };
        }
        let mut direction = two_loop(&gradient, &pairs);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 || !slope.is_finite() {
            pairs.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        let mut scale = if pairs.is_empty() { 1.0 / (-slope).sqrt().max(1.0) } else { 1.0 };
        let mut accepted = None;
        let (mut low, mut high) = (0.0, f64::INFINITY);
        for _ in 0..50 {
            let trial: Vec<f64> = x.iter().zip(&direction).map(|(x, s)| x + scale * s).collect();
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
            scale = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * scale };
            if high - low < 1e-14 * high {
                break;
            }
        }
        let Some((next, at, next_gradient)) = accepted else {
            if pairs.is_empty() {
                return Solution { x, value, converged: true, steps };
            }
            pairs.clear();
            continue;
        };
        let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let y: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let sy = dot(&s, &y);
        if sy > 1e-300 {
            if pairs.len() == PAIRS {
                pairs.pop_front();
            }
            pairs.push_back((s, y, 1.0 / sy));
        }
        stalled = if value - at <= stall * value.abs() { stalled + 1 } else { 0 };
        (x, value, gradient) = (next, at, next_gradient);
        if stalled == 3 {
            return Solution { x, value, converged: true, steps };
        }
    }
    Solution { x, value, converged: false, steps: max_steps }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn two_loop(gradient: &[f64], pairs: &std::collections::VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
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
        q.iter_mut().zip(s).for_each(|(q, s)| *q += (alpha - beta) * s);
    }
    q
}
