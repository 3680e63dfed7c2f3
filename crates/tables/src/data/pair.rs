//! The pair (score, target) of the view, the logits, and the probability vector of a row.

use crate::data::{Predictions, Scores, View};
use crate::error::{Error, Result, phrases};
use crate::num::special::{PROB_CLIP, logit, softmax_in_place};
use crate::table::{Matrix, Reals};

/// s: p in the positive view, c in the top-label view; one a row.
///
/// # Errors
/// `score_missing` if the file holds no scores.
pub fn scores(data: &Predictions) -> Result<Vec<f64>> {
    let missing = || Error::new("score_missing", "No prediction column.", phrases::SCORES_NEEDED);
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
/// `label_missing` if nothing holds the outcome.
pub fn targets(data: &Predictions) -> Result<Vec<u8>> {
    let missing = || Error::new("label_missing", "No outcome column.", phrases::LABELS_NEEDED);
    match data.view {
        View::TopLabel => data.correct.as_ref().map(|a| a.to_vec()).ok_or_else(missing),
        View::Positive => {
            let positive = data.positive.unwrap_or(1) as u32;
            let y = data.y.as_ref().ok_or_else(missing)?;
            Ok(y.iter().map(|&y| u8::from(y == positive)).collect())
        }
    }
}

/// Confidence of the predicted class after a recalibration, and whether that class was right, one a row.
///
/// In the positive view the class is that of the model's own p, as before the recalibration: 1 − s where it says no.
///
/// * `rows`: rows of the data; `score`, `target`: s and t of the view for each
pub fn confidence_of_predicted(data: &Predictions, rows: &[u32], score: &[f64], target: &[u8]) -> (Vec<f64>, Vec<u8>) {
    let positive = data.positive.unwrap_or(1) as u32;
    let flipped = |row: u32| {
        let class = data.predicted.as_ref().and_then(|y| y.get(row as usize));
        data.view == View::Positive && class.is_some_and(|class| *class != positive)
    };
    let pairs = rows.iter().zip(score).zip(target);
    pairs
        .map(|((&row, &s), &t)| match flipped(row) {
            true => (1.0 - s, 1 - t.min(1)),
            false => (s, t),
        })
        .unzip()
}

/// m: number of classes; 2 where only correctness is known.
pub fn classes(data: &Predictions) -> usize {
    match &data.scores {
        Some(Scores::Probabilities(matrix) | Scores::Logits(matrix)) => matrix.width,
        _ => 2,
    }
}

/// The class whose probability is the score of data row `row`: the positive one, or the predicted one.
pub fn scored_class(data: &Predictions, row: usize) -> usize {
    match data.view {
        View::Positive => data.positive.unwrap_or(1),
        View::TopLabel => data.predicted.as_ref().map_or(0, |y| y[row] as usize),
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

/// Of more classes no probabilities are compared with their frequencies one by one.
const MOST_CLASSES: usize = 100;

/// The probability of each class in some rows, by place of the class; of two classes that of the second, since the first is what it
/// leaves. Empty without probabilities of named classes, and of more than 100 classes.
///
/// O(rows · classes) in time and memory.
pub fn class_columns(data: &Predictions, rows: &[u32]) -> Vec<(usize, Vec<f64>)> {
    let m = classes(data);
    let Some(scores) = data.scores.as_ref().filter(|_| has_vector(data)) else { return Vec::new() };
    if data.labels.len() != m || m > MOST_CLASSES {
        return Vec::new();
    }
    let mut columns: Vec<(usize, Vec<f64>)> =
        (usize::from(m == 2)..m).map(|class| (class, Vec::with_capacity(rows.len()))).collect();
    let mut vector = vec![0.0; m];
    for &row in rows {
        original_vector(scores, row as usize, &mut vector);
        for (class, column) in &mut columns {
            column.extend(vector.get(*class));
        }
    }
    columns
}

/// Logits of every class: as given, or ln of clipped probabilities; two classes as (0, log-odds).
#[derive(Clone)]
pub enum VectorLogits<'a> {
    /// n × m logits
    Logits(&'a Matrix),
    /// n × m probabilities
    Probabilities(&'a Matrix),
    /// n log-odds of the second of two classes
    LogOdds(Vec<f64>),
}

/// The logits of every class, if the file has a score for every class.
pub fn vector_logits(data: &Predictions) -> Option<VectorLogits<'_>> {
    match data.scores.as_ref()? {
        Scores::Logits(matrix) => Some(VectorLogits::Logits(matrix)),
        Scores::Probabilities(matrix) => Some(VectorLogits::Probabilities(matrix)),
        Scores::Binary { logit: Some(z), .. } => Some(VectorLogits::LogOdds(z.to_vec())),
        Scores::Binary { p, .. } => Some(VectorLogits::LogOdds(log_odds(p))),
        Scores::Confidence => None,
    }
}

/// Log-odds of clipped probabilities.
pub fn log_odds(p: &[f64]) -> Vec<f64> {
    p.iter().map(|&p| logit(p, PROB_CLIP)).collect()
}

impl VectorLogits<'_> {
    /// m.
    pub fn width(&self) -> usize {
        match self {
            VectorLogits::Logits(matrix) | VectorLogits::Probabilities(matrix) => matrix.width,
            VectorLogits::LogOdds(_) => 2,
        }
    }

    /// Copies the logits of row `i` into `row` (length m).
    pub fn row_into(&self, i: usize, row: &mut [f64]) {
        match self {
            VectorLogits::Logits(matrix) => matrix.row_into(i, row),
            VectorLogits::Probabilities(matrix) => {
                matrix.row_into(i, row);
                row.iter_mut().for_each(|p| *p = p.clamp(PROB_CLIP, 1.0).ln());
            }
            VectorLogits::LogOdds(z) => row.copy_from_slice(&[0.0, z[i]]),
        }
    }

    /// The logits of some rows; single precision stays single where nothing is lost.
    pub fn select(&self, rows: &[u32]) -> Matrix {
        match self {
            VectorLogits::Logits(Matrix { values: Reals::F32(values), width }) => {
                let picked = rows.iter().flat_map(|&i| &values[i as usize * width..(i as usize + 1) * width]);
                Matrix { width: *width, values: Reals::F32(picked.copied().collect()) }
            }
            _ => self.gathered(rows, |_| ()),
        }
    }

    /// The probabilities of some rows.
    pub fn probabilities(&self, rows: &[u32]) -> Matrix {
        self.gathered(rows, |row| {
            softmax_in_place(row);
        })
    }

    /// ln of the probabilities of some rows, clipped.
    pub fn log_probabilities(&self, rows: &[u32]) -> Matrix {
        self.gathered(rows, |row| {
            softmax_in_place(row);
            row.iter_mut().for_each(|p| *p = p.max(PROB_CLIP).ln());
        })
    }

    fn gathered(&self, rows: &[u32], change: impl Fn(&mut [f64])) -> Matrix {
        let m = self.width();
        let mut values = vec![0.0; rows.len() * m];
        for (row, &i) in values.chunks_exact_mut(m.max(1)).zip(rows) {
            self.row_into(i as usize, row);
            change(row);
        }
        Matrix { width: m, values: Reals::F64(values.into()) }
    }
}
