//! Structured vector and matrix scaling as recalibrators.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{Structured, fit};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::recalibrate::affine::Shape;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, TEMPERATURES, UNIT, Validity, each, one, together};

/// In what the two differ.
pub trait StructuredVariant: Debug + Clone + Copy + PartialEq + Eq {
    /// what it says of itself
    const ENTRY: Entry;
    /// one weight per class, or one per pair of classes
    const SHAPE: Shape;
}

/// A weight and an intercept per class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructuredVector;

/// A weight per pair of classes and an intercept per class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructuredMatrix;

/// One of the two as it is asked for: without settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct StructuredScaling<V: StructuredVariant> {
    #[serde(skip)]
    variant: PhantomData<V>,
}

/// What it learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct StructuredMap<V: StructuredVariant> {
    map: Structured,
    #[serde(skip)]
    variant: PhantomData<V>,
}

const VECTOR: Entry = Entry {
    id: "structured_vector",
    title: "Structured vector scaling",
    plain: "a slope and an intercept per class, shrunk to the identity",
    definition: "softmax(w · ln Q + b), Q = (1 − ε) softmax(Z/T) + ε/m",
    minimises: "NLL of T; then NLL + m/n |w − 1|² + m/n |b|², by L-BFGS",
    source: "Berta, Holzmüller, Jordan and Bach (2026)",
    parameters: &[],
    input: Input::Logits(snippet!("vector", [softmax], [softmax])),
    alone: None,
    needs: MethodRequirement::Nothing,
    weighted: true,
    from_counts: false,
    fitted_to: FittedTo::SomeRows,
    place: Place::First,
    candidacy: Candidacy {
        order: Some(50),
        most_rows: 100_000,
        learns: FittedNumbers::PerClass(2),
        ..Candidacy::ON_REQUEST
    },
    grid: GridPlace::None,
    offers: &[Offered { id: "structured_vector", title: "Structured vector scaling", usual: false, rank: 20 }],
    read_out: &[],
};

impl StructuredVariant for StructuredVector {
    const ENTRY: Entry = VECTOR;
    const SHAPE: Shape = Shape::Vector;
}

impl StructuredVariant for StructuredMatrix {
    const ENTRY: Entry = Entry {
        id: "structured_matrix",
        title: "Structured matrix scaling",
        plain: "an affine map of the logits, shrunk to the identity",
        definition: "softmax(W ln Q + b), Q = (1 − ε) softmax(Z/T) + ε/m",
        minimises: "NLL of T; then NLL + m/n |diag W − 1|² + m(m − 1)/n |off-diagonal W|² + m/n |b|², by L-BFGS",
        input: Input::Logits(snippet!("matrix", [softmax], [softmax, affine])),
        candidacy: Candidacy { learns: FittedNumbers::MatrixRows, ..Candidacy::ON_REQUEST },
        offers: &[Offered { id: "structured_matrix", title: "Structured matrix scaling", usual: false, rank: 20 }],
        ..VECTOR
    };
    const SHAPE: Shape = Shape::Matrix;
}

impl<V: StructuredVariant> Recalibrator for StructuredScaling<V> {
    type Learned = StructuredMap<V>;

    const ENTRY: Entry = V::ENTRY;

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| StructuredScaling { variant: PhantomData })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let m = classes(data) as f64;
        match V::SHAPE {
            Shape::Vector => data.rows as f64 * m * 3e-4,
            Shape::Matrix => data.rows as f64 * m * m * 2e-4,
        }
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<StructuredMap<V>>> {
        on.fit_logits(|z, y, w| {
            Ok(fit(&z.select(on.rows), y, w, V::SHAPE)?.map(|map| StructuredMap { map, variant: PhantomData }))
        })
    }
}

impl<V: StructuredVariant> Learned for StructuredMap<V> {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Validity {
        let Structured { temperature, mixture, map } = &self.map;
        let weights = match V::SHAPE {
            Shape::Vector => m,
            Shape::Matrix => m.saturating_mul(m),
        };
        together(map.bias.len() == m && map.weights.len() == weights, m)?;
        one("temperature", *temperature, &TEMPERATURES)?;
        one("mixture", *mixture, &UNIT)?;
        each("weights", &map.weights, &COEFFICIENTS)?;
        each("bias", &map.bias, &COEFFICIENTS)
    }
}

impl<V: StructuredVariant> LogitMap for StructuredMap<V> {
    fn apply_logits(&self, row: &mut [f64]) {
        self.map.apply_row(row);
    }
}
