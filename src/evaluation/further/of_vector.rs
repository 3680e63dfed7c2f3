//! Metrics of whole probability vectors.

use std::collections::BTreeSet;

use crate::data::{Matrix, Predictions, Reals};
use crate::error::Result;
use crate::evaluation::scored::{Scored, Value};
use crate::evaluation::vectors::Vectors;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::brier;
use crate::metric::classwise::{ClasswiseOptions, classwise_ece};
use crate::metric::kce::{VectorKernel, kce, kce_block, median_distance};

/// Kernel errors look at every pair of rows: not beyond this many rows.
const MOST_PAIR_ROWS: usize = 20_000;

/// Ids that look at the whole probability vector.
pub(super) const OF_VECTOR: &[&str] = &["brier_mean", "classwise_ace", "kce_biased", "kce_unbiased", "kce_block"];

/// Point values of the ids asked for; where there is no vector, why.
///
/// # Errors
/// As the metrics' own, for what a scored sample cannot be.
pub(super) fn of_vector(
    data: &Predictions,
    scored: &Scored,
    options: &BinOptions,
    ids: &BTreeSet<String>,
) -> Result<Vec<(String, Value)>> {
    let mut found = Vec::new();
    let (Some(vectors), Some(y)) = (Vectors::new(data, &scored.calibrators)?, &data.y) else {
        let asked = OF_VECTOR.iter().filter(|id| ids.contains(**id));
        return Ok(asked.map(|id| ((*id).to_owned(), Err("needs a probability for every class".to_owned()))).collect());
    };
    let m = vectors.width();
    let mut p = vec![0.0; scored.rows.len() * m];
    for (k, row) in p.chunks_exact_mut(m).enumerate() {
        vectors.vector_into(scored.rows[k] as usize, scored.fold[k], scored.score[k], row);
    }
    let p = Matrix { width: m, values: Reals::F64(p.into()) };
    let y: Vec<u32> = scored.rows.iter().map(|&row| y[row as usize]).collect();
    let mut put = |id: &str, value: Value| {
        if ids.contains(id) {
            found.push((id.to_owned(), value));
        }
    };
    put(
        "brier_mean",
        brier::weighted_brier_sum(&p, &y, scored.weights())
            .map(|sum| sum / m as f64)
            .map_err(|error| error.to_string()),
    );
    if ids.contains("classwise_ace") {
        let adaptive =
            BinOptions { count: options.count, ..BinOptions::default() }.with_scheme(BinScheme::EqualMassRank);
        let error = classwise_ece(&p, &y, &adaptive, &ClasswiseOptions::default())?;
        put("classwise_ace", error.mean.ok_or_else(|| "there is no class".to_owned()));
    }
    if ["kce_biased", "kce_unbiased", "kce_block"].iter().any(|id| ids.contains(*id)) {
        let kernel = VectorKernel::Exponential { width: median_distance(&p) };
        put("kce_block", kce_block(&p, &y, kernel, 2)?.ok_or_else(|| "needs two rows".to_owned()));
        let too_many = || format!("looks at every pair of rows: not beyond {MOST_PAIR_ROWS} rows; kce_block is");
        if y.len() > MOST_PAIR_ROWS {
            put("kce_biased", Err(too_many()));
            put("kce_unbiased", Err(too_many()));
        } else {
            let error = kce(&p, &y, kernel)?;
            put("kce_biased", Ok(error.biased));
            put("kce_unbiased", error.unbiased.ok_or_else(|| "needs two rows".to_owned()));
        }
    }
    Ok(found)
}
