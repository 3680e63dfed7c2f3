//! One step of training: the gradient by hand, and Adam.

use super::{CLIP, LEAST, MOST, NODES, Pts, tempered};
use crate::table::Matrix;

/// Adam's memory (Kingma and Ba, 2015).
pub(super) struct Training {
    /// slope of the batch loss in every weight
    pub(super) gradient: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
    steps: i32,
}

impl Training {
    pub(super) fn new(d: usize) -> Self {
        Self { gradient: vec![0.0; d], mean: vec![0.0; d], square: vec![0.0; d], steps: 0 }
    }

    /// One step of Adam along the gradient of the batch's loss.
    pub(super) fn step(&mut self, pts: &mut Pts, z: &Matrix, y: &[u32], inputs: &[f64], batch: &[u32], rate: f64) {
        const KEEP: (f64, f64) = (0.9, 0.999);
        self.gradient.fill(0.0);
        let d = pts.inputs();
        let (mut row, mut p) = (vec![0.0; z.width], vec![0.0; z.width]);
        for &i in batch {
            let i = i as usize;
            let x = &inputs[i * d..(i + 1) * d];
            let (h, one, two) = pts.forward(x);
            let t = Pts::temperature_of(h);
            z.row_into(i, &mut row);
            row.iter_mut().for_each(|v| *v = v.clamp(-CLIP, CLIP));
            p.copy_from_slice(&row);
            tempered(&mut p, t);
            // ∂Pₖ/∂T = −Pₖ (zₖ − Σ P z)/T²
            let mean: f64 = p.iter().zip(&row).map(|(p, z)| p * z).sum();
            let label = y[i] as usize;
            let slope: f64 = p
                .iter()
                .zip(&row)
                .enumerate()
                .map(|(k, (p, z))| {
                    let residual = p - f64::from(u8::from(k == label));
                    -2.0 * residual * p * (z - mean)
                })
                .sum::<f64>()
                / (t * t);
            let inside = h.abs() > LEAST && h.abs() < MOST;
            if inside && slope.is_finite() {
                self.backward(pts, x, &one, &two, slope * h.signum() / (batch.len() * z.width) as f64);
            }
        }
        self.steps += 1;
        let correct = (1.0 - KEEP.0.powi(self.steps), 1.0 - KEEP.1.powi(self.steps));
        for (((w, g), m), v) in pts.network.iter_mut().zip(&self.gradient).zip(&mut self.mean).zip(&mut self.square) {
            *m = KEEP.0 * *m + (1.0 - KEEP.0) * g;
            *v = KEEP.1 * *v + (1.0 - KEEP.1) * g * g;
            *w -= rate * (*m / correct.0) / ((*v / correct.1).sqrt() + 1e-8);
        }
    }

    /// Adds `slope`·∂h to the gradient.
    fn backward(&mut self, pts: &Pts, x: &[f64], one: &[f64; NODES], two: &[f64; NODES], slope: f64) {
        let (first, rest) = self.gradient.split_at_mut((x.len() + 1) * NODES);
        let (second, last) = rest.split_at_mut((NODES + 1) * NODES);
        let (_, weights) = pts.network.split_at((x.len() + 1) * NODES);
        let (weights_two, weights_last) = weights.split_at((NODES + 1) * NODES);
        let (mut of_two, mut of_one) = ([0.0; NODES], [0.0; NODES]);
        through(last, weights_last, two, &[slope], &mut of_two);
        through(second, weights_two, one, &of_two, &mut of_one);
        through(first, &[], x, &of_one, &mut []);
    }
}

/// Adds to the gradient of one layer, given the slope at each of its outputs, and to `into` the slope at each of its
/// inputs `x`; a rectified input of 0 passes nothing on.
#[inline(never)]
fn through(gradient: &mut [f64], weights: &[f64], x: &[f64], slopes: &[f64], into: &mut [f64]) {
    let d = x.len();
    for (j, &slope) in slopes.iter().enumerate() {
        gradient[slopes.len() * d + j] += slope;
        for (g, x) in gradient[j * d..].iter_mut().zip(x) {
            *g += slope * x;
        }
        for (c, into) in into.iter_mut().enumerate() {
            if x[c] > 0.0 {
                *into += slope * weights[j * d + c];
            }
        }
    }
}
