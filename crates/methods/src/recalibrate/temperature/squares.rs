//! The temperature of least squared error.

use crate::num::special::softmax_in_place;
use crate::num::weight::{RowWeights, total_weight, weight};
use crate::table::Matrix;

/// ln T of least squared error: a coarse look at up to 2,000 rows, then the root of the slope over all of them.
pub(super) fn mse_minimum(z: &Matrix, y: &[u32], w: RowWeights, low: f64, high: f64) -> f64 {
    const POINTS: usize = 21;
    const LOOKED_AT: usize = 2000;
    let n = y.len();
    let some: Vec<usize> =
        if n <= LOOKED_AT { (0..n).collect() } else { (0..LOOKED_AT).map(|k| k * n / LOOKED_AT).collect() };
    let at = |k: usize| low + (high - low) * k as f64 / (POINTS - 1) as f64;
    let mut best = (0, f64::INFINITY);
    for k in 0..POINTS {
        let value = squares(z, y, w, some.iter().copied(), (-at(k)).exp()).0;
        if value < best.1 {
            best = (k, value);
        }
    }
    // Slope in ln T: β = exp(−x), so dβ/dx = −β.
    let slope = |x: f64| {
        let beta = (-x).exp();
        -beta * squares(z, y, w, 0..n, beta).1
    };
    let (mut a, mut b) = (best.0.saturating_sub(1), (best.0 + 1).min(POINTS - 1));
    let (mut at_a, mut at_b) = (slope(at(a)), slope(at(b)));
    while at_a > 0.0 && a > 0 {
        (b, at_b) = (a, at_a);
        a -= 1;
        at_a = slope(at(a));
    }
    while at_b < 0.0 && b + 1 < POINTS {
        (a, at_a) = (b, at_b);
        b += 1;
        at_b = slope(at(b));
    }
    if at_a >= 0.0 {
        return at(a);
    }
    if at_b <= 0.0 {
        return at(b);
    }
    falling_then_rising(slope, (at(a), at_a), (at(b), at_b))
}

/// Root of a slope that is negative at `a` and positive at `b`, by the Illinois form of the false position.
fn falling_then_rising(slope: impl Fn(f64) -> f64, a: (f64, f64), b: (f64, f64)) -> f64 {
    let ((mut a, mut at_a), (mut b, mut at_b)) = (a, b);
    let mut x = a;
    for _ in 0..60 {
        let next = (a * at_b - b * at_a) / (at_b - at_a);
        let step = (next - x).abs();
        x = next;
        if step < 1e-10 {
            break;
        }
        let here = slope(x);
        if here == 0.0 {
            break;
        }
        // The end that stays counts half, so that it does not stay for ever.
        if here < 0.0 {
            (a, at_a, at_b) = (x, here, 0.5 * at_b);
        } else {
            (b, at_b, at_a) = (x, here, 0.5 * at_a);
        }
    }
    x
}

/// Σ over rows of Σₖ (P′ − 1[y = k])² and its slope in β.
fn squares(z: &Matrix, y: &[u32], w: RowWeights, rows: impl Iterator<Item = usize>, beta: f64) -> (f64, f64) {
    let (mut row, mut p) = (vec![0.0; z.width], vec![0.0; z.width]);
    let (mut value, mut slope) = (0.0, 0.0);
    for i in rows {
        let label = y[i] as usize;
        z.row_into(i, &mut row);
        p.iter_mut().zip(&row).for_each(|(p, v)| *p = beta * v);
        softmax_in_place(&mut p);
        let [pp, pz, ppz] = moments(&p, &row);
        let w = weight(w, i);
        value += w * (pp - 2.0 * p[label] + 1.0);
        slope += w * 2.0 * (ppz - pz * pp - p[label] * (row[label] - pz));
    }
    (value, slope)
}

/// Σ P², Σ P z, Σ P² z, each in eight interleaved parts.
fn moments(p: &[f64], z: &[f64]) -> [f64; 3] {
    const WIDTH: usize = 8;
    let mut parts = [[0.0; WIDTH]; 3];
    let [pp, pz, ppz] = &mut parts;
    let whole = p.len() - p.len() % WIDTH;
    for (p, z) in p[..whole].chunks_exact(WIDTH).zip(z[..whole].chunks_exact(WIDTH)) {
        for i in 0..WIDTH {
            let (square, product) = (p[i] * p[i], p[i] * z[i]);
            pp[i] += square;
            pz[i] += product;
            ppz[i] += square * z[i];
        }
    }
    for (i, (p, z)) in p[whole..].iter().zip(&z[whole..]).enumerate() {
        pp[i] += p * p;
        pz[i] += p * z;
        ppz[i] += p * p * z;
    }
    parts.map(|part| part.iter().sum())
}

/// Mean over the n·m entries of (P′ − 1[y = k])².
pub(crate) fn mse(z: &Matrix, y: &[u32], w: RowWeights, slope: f64) -> f64 {
    let mut row = vec![0.0; z.width];
    let mut sum = 0.0;
    for (i, &label) in y.iter().enumerate() {
        z.row_into(i, &mut row);
        row.iter_mut().for_each(|v| *v *= slope);
        softmax_in_place(&mut row);
        row[label as usize] -= 1.0;
        sum += weight(w, i) * row.iter().map(|r| r * r).sum::<f64>();
    }
    sum / (total_weight(w, y.len()) * z.width as f64)
}
