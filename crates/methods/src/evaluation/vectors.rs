//! Probability vectors after a method: of every class, where the method recalibrates one score or all logits.

use super::method::Calibrator;
use crate::data::pair::{self, VectorLogits};
use crate::data::{Predictions, Scores, View};
use crate::error::Result;
use crate::feature::groups::{Groups, groups};
use crate::recalibrate::lift::lift_row;
use crate::recalibrate::mir;
use crate::recalibrate::pts::temper_to;
use crate::recalibrate::recalibrator::OfVectors;

/// Recalibrated probability vectors of scored rows.
pub struct Vectors<'a> {
    scores: &'a Scores,
    view: View,
    positive: usize,
    predicted: Option<&'a [u32]>,
    logits: Option<VectorLogits<'a>>,
    calibrators: &'a [Calibrator],
    /// of the rows, where temperatures go by group
    groups: Option<Groups>,
    m: usize,
}

impl<'a> Vectors<'a> {
    /// The vectors under these fits, if the data holds vectors at all.
    ///
    /// # Errors
    /// `unknown_column` if a fit goes by groups that the data does not have.
    pub fn new(data: &'a Predictions, calibrators: &'a [Calibrator]) -> Result<Option<Self>> {
        if !pair::has_vector(data) {
            return Ok(None);
        }
        let Some(scores) = &data.scores else {
            return Ok(None);
        };
        Ok(Some(Self {
            scores,
            view: data.view,
            positive: data.positive.unwrap_or(1),
            predicted: data.predicted.as_ref().map(|y| y.as_slice()),
            // In the positive view the score says it all; untouched predictions are read as they stand.
            logits: if data.view == View::TopLabel
                && calibrators.iter().any(|c| !matches!(c.of_vectors(), OfVectors::Untouched))
            {
                pair::vector_logits(data)
            } else {
                None
            },
            calibrators,
            groups: calibrators
                .iter()
                .find_map(|calibrator| match calibrator.of_vectors() {
                    OfVectors::ByGroup(map) => Some(groups(data, map.column())),
                    _ => None,
                })
                .transpose()?,
            m: pair::classes(data),
        }))
    }

    /// m.
    pub fn width(&self) -> usize {
        self.m
    }

    /// The vector of data row `row`, whose score became `score` under the fit of `fold`, into `vector` (length m).
    ///
    /// A confidence-only recalibration sets the predicted class and scales the others to sum to one.
    pub fn vector_into(&self, row: usize, fold: u8, score: f64, vector: &mut [f64]) {
        if self.view == View::Positive {
            for (k, v) in vector.iter_mut().enumerate() {
                *v = if k == self.positive { score } else { 1.0 - score };
            }
            return;
        }
        let class = self.predicted.and_then(|y| y.get(row)).map_or(0, |&y| y as usize);
        let Some(calibrator) = self.calibrators.get(usize::from(fold)).map(Calibrator::applied) else {
            return pair::original_vector(self.scores, row, vector);
        };
        if let Calibrator::Composed { base, .. } = calibrator {
            // The second method knows the score alone: the vector is that of the first, lifted to it.
            self.base_into(base, row, vector);
            return lift_row(vector, class, score);
        }
        match (calibrator.of_vectors(), &self.logits) {
            (OfVectors::Untouched, _) => pair::original_vector(self.scores, row, vector),
            (OfVectors::Mapped(map) | OfVectors::Unnormalized(map), Some(z)) => {
                z.row_into(row, vector);
                map.apply_logits(vector);
            }
            (OfVectors::ByGroup(map), Some(z)) => {
                z.row_into(row, vector);
                map.apply_logits(self.groups.as_ref().and_then(|groups| groups.level(row)), vector);
            }
            (OfVectors::Tempered, Some(z)) => {
                // The temperature of the row is the one that gives its score.
                z.row_into(row, vector);
                temper_to(vector, class, score);
            }
            (OfVectors::Lifted, _) | (_, None) => {
                pair::original_vector(self.scores, row, vector);
                lift_row(vector, class, score);
            }
        }
    }

    /// [`vector_into`](Self::vector_into) as it leaves: in [0, 1], with the sum 1. `score`: as it leaves.
    pub fn leaving_into(&self, row: usize, fold: u8, score: f64, vector: &mut [f64]) {
        self.vector_into(row, fold, score, vector);
        let calibrator = self.calibrators.get(usize::from(fold));
        let of_vectors = calibrator.map(Calibrator::of_vectors);
        if matches!(of_vectors, Some(OfVectors::Unnormalized(_))) && self.view != View::Positive {
            mir::onto_simplex(vector);
        }
    }

    /// The vector that the first of several methods gives, where it knows vectors; else the original one.
    fn base_into(&self, calibrator: &Calibrator, row: usize, vector: &mut [f64]) {
        if let Calibrator::Composed { base, .. } = calibrator {
            return self.base_into(base, row, vector);
        }
        if let Some(z) = &self.logits {
            z.row_into(row, vector);
            if calibrator.apply_logits(vector) {
                return;
            }
        }
        pair::original_vector(self.scores, row, vector);
    }
}
