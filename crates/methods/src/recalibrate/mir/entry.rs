//! Multi-class isotonic regression as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{apply_row, weighted_fit};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::num::special::softmax_in_place;
use crate::recalibrate::isotonic::Isotonic;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::Validity;

/// One isotonic curve for all classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MulticlassIsotonic {}

/// The curve at every probability; rows need not sum to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CurveOfAll(pub Isotonic);

impl Recalibrator for MulticlassIsotonic {
    type Learned = CurveOfAll;

    const ENTRY: Entry = Entry {
        id: "mir",
        title: "One isotonic curve for all classes",
        plain: "one increasing curve for all classes",
        definition: "f(P) + 1e-9 P, f the increasing curve of least squares through all entries",
        minimises: "squared error over all classes, by pool adjacent violators",
        source: "Zhang, Kailkhura and Han (2020)",
        parameters: &[],
        input: Input::Logits(snippet!("mir", [softmax], [softmax, search, curve])),
        alone: Some(snippet!("alone", [softmax], [softmax, search, curve])),
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::First,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Base(8),
        offers: &[Offered { id: "mir", title: "One isotonic curve for all classes", usual: false, rank: 14 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        asked.read_none().map(|()| MulticlassIsotonic {})
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 2e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<CurveOfAll>> {
        on.fit_logits(|z, y, w| Ok(weighted_fit(&z.probabilities(on.rows), y, w)?.map(CurveOfAll)))
    }
}

impl Learned for CurveOfAll {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Unnormalized(self)
    }

    fn check(&self, m: usize) -> Validity {
        self.0.check(m)
    }
}

impl LogitMap for CurveOfAll {
    fn apply_logits(&self, row: &mut [f64]) {
        softmax_in_place(row);
        apply_row(&self.0, row);
    }
}
