//! Vector, matrix and Dirichlet scaling as recalibrators.

use serde::{Deserialize, Serialize};

use super::{Affine, Shape, weighted_fit};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::num::special::softmax_in_place;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::sound::{COEFFICIENTS, Sound, each, finite, together};

/// A weight and an intercept per class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorScaling {}

/// softmax(W Z + b), W diagonal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VectorMap(pub Affine);

impl Recalibrator for VectorScaling {
    type Learned = VectorMap;

    const ENTRY: Entry = Entry {
        id: "vector",
        title: "Vector scaling",
        plain: "a slope and an intercept per class",
        definition: "softmax(w · Z + b)",
        source: "Guo et al. (2017)",
        parameters: &[],
        bounds: &[],
        input: Input::Logits(snippet!("vector", [softmax], [softmax])),
        alone: None,
        needs: Need::Nothing,
        weighted: true,
        place: Place::First,
        offers: &[Offered { id: "vector", title: "Vector scaling", usual: false, rank: 18 }],
        read_out: &[],
    };

    fn checked(asked: Asked) -> Result<Self> {
        asked.read_none().map(|()| VectorScaling {})
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<VectorMap>> {
        on.fit_logits(Self::ENTRY.id, |z, y, w| {
            let penalty = Shape::Vector.default_penalty();
            Ok(weighted_fit(&z.select(on.rows), y, w, Shape::Vector, penalty)?.map(VectorMap))
        })
    }
}

impl Learned for VectorMap {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Sound {
        self.0.check(m, m)
    }
}

impl LogitMap for VectorMap {
    fn apply_logits(&self, row: &mut [f64]) {
        self.0.apply_row(row);
    }
}

/// An affine map of the logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixScaling {}

/// softmax(W Z + b).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatrixMap(pub Affine);

impl Recalibrator for MatrixScaling {
    type Learned = MatrixMap;

    const ENTRY: Entry = Entry {
        id: "matrix",
        title: "Matrix scaling",
        plain: "an affine map of the logits",
        definition: "softmax(W Z + b)",
        source: "Guo et al. (2017); Kull et al. (2019)",
        parameters: &[],
        bounds: &[],
        input: Input::Logits(snippet!("matrix", [softmax], [softmax, affine])),
        alone: None,
        needs: Need::Nothing,
        weighted: true,
        place: Place::First,
        offers: &[Offered { id: "matrix", title: "Matrix scaling", usual: false, rank: 19 }],
        read_out: &[],
    };

    fn checked(asked: Asked) -> Result<Self> {
        asked.read_none().map(|()| MatrixScaling {})
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        square_cost(data)
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<MatrixMap>> {
        on.fit_logits(Self::ENTRY.id, |z, y, w| {
            let penalty = Shape::Matrix.default_penalty();
            Ok(weighted_fit(&z.select(on.rows), y, w, Shape::Matrix, penalty)?.map(MatrixMap))
        })
    }
}

impl Learned for MatrixMap {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Sound {
        self.0.check(m.saturating_mul(m), m)
    }
}

impl LogitMap for MatrixMap {
    fn apply_logits(&self, row: &mut [f64]) {
        self.0.apply_row(row);
    }
}

/// An affine map of the logarithms of the probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirichletCalibration {}

/// softmax(W ln P + b).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DirichletMap(pub Affine);

impl Recalibrator for DirichletCalibration {
    type Learned = DirichletMap;

    const ENTRY: Entry = Entry {
        id: "dirichlet",
        title: "Dirichlet calibration",
        plain: "an affine map of the log-probabilities",
        definition: "softmax(W ln P + b)",
        source: "Kull et al. (2019)",
        parameters: &[],
        bounds: &[],
        input: Input::Logits(snippet!("dirichlet", [softmax], [softmax, affine])),
        alone: None,
        needs: Need::Nothing,
        weighted: true,
        place: Place::First,
        offers: &[Offered { id: "dirichlet", title: "Dirichlet calibration", usual: false, rank: 20 }],
        read_out: &[],
    };

    fn checked(asked: Asked) -> Result<Self> {
        asked.read_none().map(|()| DirichletCalibration {})
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        square_cost(data)
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<DirichletMap>> {
        on.fit_logits(Self::ENTRY.id, |z, y, w| {
            let penalty = Shape::Matrix.default_penalty();
            Ok(weighted_fit(&z.log_probabilities(on.rows), y, w, Shape::Matrix, penalty)?.map(DirichletMap))
        })
    }
}

impl Learned for DirichletMap {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Sound {
        self.0.check(m.saturating_mul(m), m)
    }
}

impl LogitMap for DirichletMap {
    fn apply_logits(&self, row: &mut [f64]) {
        softmax_in_place(row);
        row.iter_mut().for_each(|p| *p = p.max(f64::EPSILON).ln());
        self.0.apply_row(row);
    }
}

impl Affine {
    fn check(&self, weights: usize, m: usize) -> Sound {
        let lengths = self.bias.len() == m && self.weights.len() == weights;
        together(lengths && finite(&self.bias) && finite(&self.weights), m)?;
        each("weights", &self.weights, &COEFFICIENTS)?;
        each("bias", &self.bias, &COEFFICIENTS)
    }
}

fn square_cost(data: &Predictions) -> f64 {
    let m = classes(data) as f64;
    data.rows as f64 * m * m * 1e-3
}
