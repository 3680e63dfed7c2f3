//! The pair (score, target) of the view, the logits, and the probability vector of a row.

use crate::data::{Matrix, Predictions, Reals, Scores, View};
use crate::error::{Error, Result};
use crate::num::special::{PROB_CLIP, logit, softmax_in_place};

/// s: p in the positive view, c in the top-label view; one a row.
///
/// # Errors
/// `score_missing` if the file holds no scores.
pub fn scores(data: &Predictions) -> Result<Vec<f64>> {
    let missing = || {
        Error::new(
            "score_missing",
            "No column or array says what the model predicted.",
            "Give a column the role P(y = 1), probabilities, logits or confidence.",
        )
    };
    match data.view {
        View::TopLabel => data.confidence.as_ref().map(|c| c.to_vec()).ok_or_else(missing),
        View::Positive => match &data.scores {
            Some(Scores::Binary { p, .. }) => Ok(p.to_vec()),
            Some(scores) => {
                let positive = data.positive.unwrap_or(1);
                let mut row = vec![0.0; classes(data)];
                Ok((0..data.rows)
                    .map(|i| {
                        original_vector(scores, i, &mut row);
                        row.get(positive).copied().unwrap_or(0.0)
                    })
                    .collect())
            }
            None => Err(missing()),
        },
    }
}

/// t: y in the positive view, a in the top-label view; one a row.
///
/// # Errors
/// `label_missing` if nothing says what happened.
pub fn targets(data: &Predictions) -> Result<Vec<u8>> {
    let missing = || {
        Error::new(
            "label_missing",
            "No column or array says what happened.",
            "Give a column the role label, or correct, or add the file that holds the labels.",
        )
    };
    match data.view {
        View::TopLabel => data.correct.as_ref().map(|a| a.to_vec()).ok_or_else(missing),
        View::Positive => {
            let positive = data.positive.unwrap_or(1) as u32;
            let y = data.y.as_ref().ok_or_else(missing)?;
            Ok(y.iter().map(|&y| u8::from(y == positive)).collect())
        }
    }
}

/// m: number of classes; 2 where only correctness is known.
pub fn classes(data: &Predictions) -> usize {
    match &data.scores {
        Some(Scores::Probabilities(matrix) | Scores::Logits(matrix)) => matrix.width,
        _ => 2,
    }
}

/// True when every row has a probability for every class.
pub fn has_vector(data: &Predictions) -> bool {
    matches!(data.scores, Some(Scores::Binary { .. } | Scores::Probabilities(_) | Scores::Logits(_)))
}

/// The model's own probability vector of row `i` (length m), in class order.
pub fn original_vector(scores: &Scores, i: usize, row: &mut [f64]) {
    match scores {
        Scores::Binary { p, .. } => row.copy_from_slice(&[1.0 - p[i], p[i]]),
        Scores::Probabilities(matrix) => matrix.row_into(i, row),
        Scores::Logits(matrix) => {
            matrix.row_into(i, row);
            softmax_in_place(row);
        }
        Scores::Confidence => {}
    }
}

/// What a logit-based method is fitted on.
pub enum Logits<'a> {
    /// one log-odds a row of the view's (score, target) pair
    Pair(Vec<f64>),
    /// one vector a row
    Vector(VectorLogits<'a>),
}

/// Logits of every class: as given, or ln of clipped probabilities.
#[derive(Clone, Copy)]
pub struct VectorLogits<'a> {
    matrix: &'a Matrix,
    logarithm: bool,
}

impl VectorLogits<'_> {
    /// m.
    pub fn width(&self) -> usize {
        self.matrix.width
    }

    /// The logits of some rows, in the precision of the file.
    pub fn select(&self, rows: &[u32]) -> Matrix {
        let mut row = vec![0.0; self.matrix.width];
        let mut gather = |put: &mut dyn FnMut(&[f64])| {
            for &i in rows {
                self.row_into(i as usize, &mut row);
                put(&row);
            }
        };
        let size = rows.len() * self.matrix.width;
        let values = match &self.matrix.values {
            // Logarithms of single-precision probabilities near 1 would lose what tells them apart.
            Reals::F32(_) if !self.logarithm => {
                let mut values = Vec::with_capacity(size);
                gather(&mut |row| values.extend(row.iter().map(|&z| z as f32)));
                Reals::F32(values.into())
            }
            _ => {
                let mut values = Vec::with_capacity(size);
                gather(&mut |row| values.extend_from_slice(row));
                Reals::F64(values.into())
            }
        };
        Matrix { width: self.matrix.width, values }
    }

    /// Copies row `i` into `row` (length m).
    pub fn row_into(&self, i: usize, row: &mut [f64]) {
        self.matrix.row_into(i, row);
        if self.logarithm {
            row.iter_mut().for_each(|p| *p = p.clamp(PROB_CLIP, 1.0).ln());
        }
    }
}

/// The logits of the data in its view.
///
/// # Errors
/// `score_missing` if the file holds no scores.
pub fn logits(data: &Predictions) -> Result<Logits<'_>> {
    let from = |p: &[f64]| p.iter().map(|&p| logit(p, PROB_CLIP)).collect();
    Ok(match (&data.scores, data.view) {
        (Some(Scores::Binary { logit: Some(z), .. }), _) => Logits::Pair(z.to_vec()),
        (Some(Scores::Binary { p, .. }), _) => Logits::Pair(from(p)),
        (Some(Scores::Probabilities(matrix)), View::TopLabel) => {
            Logits::Vector(VectorLogits { matrix, logarithm: true })
        }
        (Some(Scores::Logits(matrix)), View::TopLabel) => Logits::Vector(VectorLogits { matrix, logarithm: false }),
        (Some(Scores::Logits(matrix)), View::Positive) => {
            let positive = data.positive.unwrap_or(1);
            let z = (0..data.rows).map(|i| matrix.value(i, positive) - matrix.value(i, 1 - positive.min(1)));
            Logits::Pair(z.collect())
        }
        _ => Logits::Pair(from(&scores(data)?)),
    })
}
