//! Class-wise error of replicates, from the sums of every class and bin.

use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::scored::Scored;
use crate::evaluation::vectors::Vectors;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::num::weight::weight;

/// Probability vectors kept for class-wise sums; not needed for two classes in the positive view.
pub(super) struct Classwise {
    pub(super) m: usize,
    pub(super) p: Vec<f32>,
    pub(super) bin: Vec<u16>,
    pub(super) bins: usize,
    pub(super) y: Vec<u32>,
    /// Σ w p per class and bin
    pub(super) mass: Vec<f64>,
    /// w a row; empty where every row counts once
    pub(super) weight: Vec<f64>,
}

impl Classwise {
    pub(super) fn new(data: &Predictions, scored: &Scored, options: &BinOptions) -> Result<Option<Self>> {
        let (Some(vectors), Some(y)) = (Vectors::new(data, &scored.calibrators)?, &data.y) else {
            return Ok(None);
        };
        let (n, m) = (scored.rows.len(), vectors.width());
        let mut row = vec![0.0; m];
        let (mut p, mut bin) = (Vec::with_capacity(n * m), Vec::with_capacity(n * m));
        let fixed = options.with_scheme(BinScheme::EqualWidth).bin_edges(&[])?;
        let bins = fixed.count();
        let mut mass = vec![0.0; m * bins];
        let weights = scored.weights();
        for (k, &i) in scored.rows.iter().enumerate() {
            let w = weight(weights, k);
            vectors.vector_into(i as usize, scored.fold[k], scored.score[k], &mut row);
            for (class, &value) in row.iter().enumerate() {
                let b = fixed.bin_of(value);
                mass[class * bins + b] += w * value;
                p.push(value as f32);
                bin.push(b as u16);
            }
        }
        let y = scored.rows.iter().map(|&i| y[i as usize]).collect();
        Ok(Some(Self { m, p, bin, bins, y, mass, weight: weights.map(<[f64]>::to_vec).unwrap_or_default() }))
    }

    /// * `weights`: of every scored row, counts or reals
    pub(super) fn bootstrap<W: Copy + Into<f64>>(&self, weights: &[W]) -> f64 {
        let mut sums = vec![0.0f64; self.m * self.bins];
        let mut total = 0.0;
        let rows = self.p.chunks_exact(self.m).zip(self.bin.chunks_exact(self.m));
        for ((&w, &y), (p, bin)) in weights.iter().zip(&self.y).zip(rows) {
            let w: f64 = w.into();
            if w == 0.0 {
                continue;
            }
            total += w;
            for (class, (&p, &b)) in p.iter().zip(bin).enumerate() {
                sums[class * self.bins + usize::from(b)] += w * f64::from(p);
            }
            sums[y as usize * self.bins + usize::from(bin[y as usize])] -= w;
        }
        // Nothing weighs nothing.
        let total = if total > 0.0 { total } else { 1.0 };
        sums.iter().map(|s| s.abs()).sum::<f64>() / (self.m as f64 * total)
    }

    pub(super) fn floor(&self, drawn: &[u32]) -> f64 {
        let mut sums = self.mass.clone();
        for (&y, bin) in drawn.iter().zip(self.bin.chunks_exact(self.m)) {
            sums[y as usize * self.bins + usize::from(bin[y as usize])] -= 1.0;
        }
        sums.iter().map(|s| s.abs()).sum::<f64>() / (self.m as f64 * drawn.len() as f64)
    }
}
