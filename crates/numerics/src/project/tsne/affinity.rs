//! How near rows are to each other in the features, as probabilities of pairs.

use crate::proximity::Neighbors;

/// Steps of the search for a bandwidth, and when the entropy is near enough.
const STEPS: usize = 200;
const NEAR: f64 = 1e-7;

/// Joint probabilities p_ij = (p_j|i + p_i|j) / 2n of the pairs that are neighbors one way or both; each pair once,
/// under its lesser row.
#[derive(Debug, Clone, PartialEq)]
pub struct Affinities {
    /// where the pairs of each row start, n + 1 places
    starts: Vec<u32>,
    other: Vec<u32>,
    p: Vec<f32>,
}

impl Affinities {
    /// Bandwidths such that the neighbors of each row have an entropy of ln(`perplexity`).
    ///
    /// p_j|i ∝ exp(−β_i ‖x_i − x_j‖²) over the neighbors of i. Where more rows than that are equal, they share
    /// equally.
    pub fn new(near: &Neighbors, perplexity: f64) -> Self {
        let k = near.k.max(1);
        let n = near.index.len() / k;
        let mut conditional = vec![0f64; n * k];
        for (distance, p) in near.distance.chunks_exact(k).zip(conditional.chunks_exact_mut(k)) {
            calibrated(distance, perplexity.ln(), p);
        }
        let of = |i: usize| {
            let range = i * k..(i + 1) * k;
            near.index[range.clone()].iter().zip(&conditional[range])
        };
        let back = |i: usize, j: usize| of(j).find(|(at, _)| **at as usize == i).map(|(_, p)| *p);
        // Pairs under their lesser row: counted, then put in place.
        let mut starts = vec![0u32; n + 1];
        let mut pairs: Vec<(u32, u32, f64)> = Vec::with_capacity(n * k);
        for i in 0..n {
            for (&other, &p) in of(i) {
                let j = other as usize;
                let mutual = back(i, j);
                if j < i && mutual.is_some() {
                    continue;
                }
                let (low, high) = (i.min(j), i.max(j));
                pairs.push((low as u32, high as u32, p + mutual.unwrap_or(0.0)));
                starts[low + 1] += 1;
            }
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut out = Self { starts, other: vec![0; pairs.len()], p: vec![0.0; pairs.len()] };
        for (low, high, p) in pairs {
            let place = &mut next[low as usize];
            out.other[*place as usize] = high;
            out.p[*place as usize] = (p / (2 * n) as f64) as f32;
            *place += 1;
        }
        out
    }

    /// The pairs of lesser row i: other row and p, which counts for (i, j) and for (j, i).
    pub fn of(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        let p = self.p[range.clone()].iter().map(|&p| f64::from(p));
        self.other[range].iter().map(|&j| j as usize).zip(p)
    }

    /// Σ_j p_ij (y_i − y_j) / (1 + ‖y_i − y_j‖²) for every row.
    pub(super) fn pull<const Q: usize>(&self, y: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        let y = y.as_chunks::<Q>().0;
        let out = out.as_chunks_mut::<Q>().0;
        for i in 0..y.len() {
            let own = y[i];
            let mut sum = [0f32; Q];
            let range = self.starts[i] as usize..self.starts[i + 1] as usize;
            for (&j, &p) in self.other[range.clone()].iter().zip(&self.p[range]) {
                let other = y[j as usize];
                let mut delta = [0f32; Q];
                let mut square = 1f32;
                for c in 0..Q {
                    delta[c] = own[c] - other[c];
                    square += delta[c] * delta[c];
                }
                let weight = p / square;
                let back = &mut out[j as usize];
                for c in 0..Q {
                    let force = weight * delta[c];
                    sum[c] += force;
                    back[c] -= force;
                }
            }
            for c in 0..Q {
                out[i][c] += sum[c];
            }
        }
    }
}

/// exp(−β d²) / Σ over the neighbors, β found by halving so that the entropy is `wanted`.
fn calibrated(distance: &[f64], wanted: f64, p: &mut [f64]) {
    // The mean square is the unit of 1/β, so that no size of the features is out of reach.
    let unit = distance.iter().map(|d| d * d).sum::<f64>() / distance.len() as f64;
    let unit = if unit > 0.0 { unit } else { 1.0 };
    let least = distance.first().map_or(0.0, |d| d * d / unit);
    let (mut beta, mut low, mut high) = (1.0, 0.0, f64::INFINITY);
    for _ in 0..STEPS {
        let (mut sum, mut weighted) = (0.0, 0.0);
        for (p, distance) in p.iter_mut().zip(distance) {
            // Relative to the nearest, so that the sum is never 0.
            let away = distance * distance / unit - least;
            *p = (-beta * away).exp();
            sum += *p;
            weighted += *p * away;
        }
        p.iter_mut().for_each(|p| *p /= sum);
        let above = sum.ln() + beta * weighted / sum - wanted;
        if above.abs() <= NEAR {
            break;
        }
        if above > 0.0 {
            low = beta;
            beta = if high < f64::INFINITY { 0.5 * (low + high) } else { 2.0 * beta };
        } else {
            high = beta;
            beta = 0.5 * (low + high);
        }
        if beta > 1e100 {
            break;
        }
    }
}
