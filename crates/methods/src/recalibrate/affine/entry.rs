//! Vector, matrix and Dirichlet scaling as recalibrators: one affine map, of which they differ in shape and input.

use std::fmt::Debug;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{Affine, Shape, weighted_fit};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::num::special::softmax_in_place;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, each, finite, together};

/// In what the three differ.
pub trait AffineVariant: Debug + Clone + Copy + PartialEq + Eq {
    /// what it says of itself
    const ENTRY: Entry;
    /// one weight per class, or one per pair of classes
    const SHAPE: Shape;
    /// it maps ln P, not the logits as they are
    const OF_LOG_PROBABILITIES: bool;
}

/// softmax(w · Z + b): a weight and an intercept per class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vector;

/// softmax(W Z + b): an affine map of the logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

/// softmax(W ln P + b): an affine map of the logarithms of the probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dirichlet;

/// One of the three as it is asked for: without settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct AffineScaling<V: AffineVariant> {
    #[serde(skip)]
    variant: PhantomData<V>,
}

/// What it learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct AffineMap<V: AffineVariant> {
    /// weights and intercepts
    pub map: Affine,
    #[serde(skip)]
    variant: PhantomData<V>,
}

impl<V: AffineVariant> From<Affine> for AffineMap<V> {
    fn from(map: Affine) -> Self {
        Self { map, variant: PhantomData }
    }
}

const VECTOR: Entry = Entry {
    id: "vector",
    title: "Vector scaling",
    plain: "a slope and an intercept per class",
    definition: "softmax(w · Z + b)",
    minimises: "NLL, by L-BFGS, without a penalty",
    source: "Guo et al. (2017)",
    parameters: &[],
    input: Input::Logits(snippet!("vector", [softmax], [softmax])),
    alone: None,
    needs: MethodRequirement::Nothing,
    weighted: true,
    from_counts: false,
    fitted_to: FittedTo::SomeRows,
    place: Place::First,
    candidacy: Candidacy { learns: FittedNumbers::PerClass(2), ..Candidacy::ON_REQUEST },
    grid: GridPlace::Base(11),
    offers: &[Offered { id: "vector", title: "Vector scaling", usual: false, rank: 18 }],
    read_out: &[],
};

impl AffineVariant for Vector {
    const ENTRY: Entry = VECTOR;
    const SHAPE: Shape = Shape::Vector;
    const OF_LOG_PROBABILITIES: bool = false;
}

impl AffineVariant for Full {
    const ENTRY: Entry = Entry {
        id: "matrix",
        title: "Matrix scaling",
        plain: "an affine map of the logits",
        definition: "softmax(W Z + b)",
        minimises: "NLL + ODIR penalty, λ by 3-fold cross-validation",
        source: "Guo et al. (2017); Kull et al. (2019)",
        input: Input::Logits(snippet!("matrix", [softmax], [softmax, affine])),
        candidacy: Candidacy { learns: FittedNumbers::MatrixRows, ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(12),
        offers: &[Offered { id: "matrix", title: "Matrix scaling", usual: false, rank: 19 }],
        ..VECTOR
    };
    const SHAPE: Shape = Shape::Matrix;
    const OF_LOG_PROBABILITIES: bool = false;
}

impl AffineVariant for Dirichlet {
    const ENTRY: Entry = Entry {
        id: "dirichlet",
        title: "Dirichlet calibration",
        plain: "an affine map of the log-probabilities",
        definition: "softmax(W ln P + b)",
        minimises: "NLL + ODIR penalty, λ by 3-fold cross-validation",
        source: "Kull et al. (2019)",
        input: Input::Logits(snippet!("dirichlet", [softmax], [softmax, affine])),
        candidacy: Candidacy { learns: FittedNumbers::MatrixRows, ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(13),
        offers: &[Offered { id: "dirichlet", title: "Dirichlet calibration", usual: false, rank: 20 }],
        ..VECTOR
    };
    const SHAPE: Shape = Shape::Matrix;
    const OF_LOG_PROBABILITIES: bool = true;
}

impl<V: AffineVariant> Recalibrator for AffineScaling<V> {
    type Learned = AffineMap<V>;

    const ENTRY: Entry = V::ENTRY;

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| AffineScaling { variant: PhantomData })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let m = classes(data) as f64;
        match V::SHAPE {
            Shape::Vector => data.rows as f64 * m * 3e-4,
            Shape::Matrix => data.rows as f64 * m * m * 1e-3,
        }
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<AffineMap<V>>> {
        on.fit_logits(|z, y, w| {
            let z = if V::OF_LOG_PROBABILITIES { z.log_probabilities(on.rows) } else { z.select(on.rows) };
            Ok(weighted_fit(&z, y, w, V::SHAPE, V::SHAPE.default_penalty())?.map(AffineMap::from))
        })
    }
}

impl<V: AffineVariant> Learned for AffineMap<V> {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Validity {
        let Affine { weights, bias, .. } = &self.map;
        let of_shape = match V::SHAPE {
            Shape::Vector => m,
            Shape::Matrix => m.saturating_mul(m),
        };
        together(bias.len() == m && weights.len() == of_shape && finite(bias) && finite(weights), m)?;
        each("weights", weights, &COEFFICIENTS)?;
        each("bias", bias, &COEFFICIENTS)
    }
}

impl<V: AffineVariant> LogitMap for AffineMap<V> {
    fn apply_logits(&self, row: &mut [f64]) {
        if V::OF_LOG_PROBABILITIES {
            softmax_in_place(row);
            row.iter_mut().for_each(|p| *p = p.max(f64::EPSILON).ln());
        }
        self.map.apply_row(row);
    }
}
