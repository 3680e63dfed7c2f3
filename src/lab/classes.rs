//! Rows of three or four classes, for screen 3: which one is predicted, how sure the model is, and whether it is right.

use ndarray::Array2;

use super::{LabRequest, World};
use crate::num::special::exp_nonpositive;

/// √3/2
const HALF_ROOT_3: f64 = 0.866_025_403_784_438_6;
/// cos and sin of 2πk/m for m = 3 and m = 4: the directions in which classes are likelier.
const THREE: &[[f64; 2]] = &[[1.0, 0.0], [-0.5, HALF_ROOT_3], [-0.5, -HALF_ROOT_3]];
const FOUR: &[[f64; 2]] = &[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];

/// Rows of m classes.
pub(super) struct Classes {
    /// stated probabilities, n × m
    pub stated: Array2<f64>,
    /// the class that happened
    pub label: Vec<u32>,
    /// the largest stated probability of each row
    pub confidence: Vec<f64>,
    /// whether its class happened: 0 or 1
    pub correct: Vec<u8>,
}

/// softmax of T·f. O(m).
fn softmax(f: &[f64], factor: f64) -> Vec<f64> {
    let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let each: Vec<f64> = f.iter().map(|f| exp_nonpositive(factor * (f - most))).collect();
    let sum: f64 = each.iter().sum();
    each.iter().map(|e| e / sum).collect()
}

/// Place of the first largest entry.
fn first_largest(of: &[f64]) -> usize {
    of.iter().enumerate().fold(0, |best, (k, x)| if of.get(best).is_some_and(|top| x > top) { k } else { best })
}

impl Classes {
    /// f_k = b (x₁ cos 2πk/m + x₂ sin 2πk/m); q = softmax(f), p = softmax(T·f); the outcome is the first class whose
    /// cumulative q exceeds u. The places and u are those of the rows of two classes. O(n m).
    pub fn new(request: &LabRequest, world: &World) -> Self {
        let directions = if request.classes == 3 { THREE } else { FOUR };
        let m = directions.len();
        let n = world.y.len();
        let mut found = Self { stated: Array2::zeros((n, m)), label: vec![], confidence: vec![], correct: vec![] };
        let rows = found.stated.rows_mut().into_iter();
        for ((mut row, place), u) in rows.zip(0..n).zip(world.deciding(request.draw)) {
            let [x1, x2] = world.place(place);
            let f: Vec<f64> = directions.iter().map(|[cos, sin]| request.b * (x1 * cos + x2 * sin)).collect();
            let (q, p) = (softmax(&f, 1.0), softmax(&f, request.factor));
            let mut passed = 0.0;
            let above = q.iter().position(|q| {
                passed += q;
                u < passed
            });
            let label = above.unwrap_or(m - 1);
            // the order of classes is that of f, whatever T is: no rounding of p makes another class the first
            let top = first_largest(&f);
            found.label.push(label as u32);
            found.confidence.push(p.get(top).copied().unwrap_or_default());
            found.correct.push(u8::from(label == top));
            row.iter_mut().zip(p).for_each(|(at, p)| *at = p);
        }
        found
    }
}
