//! Parameterised temperature scaling as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{Pts, PtsOptions, fit_matrix};
use crate::data::Predictions;
use crate::data::pair::classes;
use crate::error::Result;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::choice;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{Validity, each, finite, together};

/// A temperature a row, by a network that sees the largest logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterisedTemperature {
    /// trained as in the published comparison, far from converged
    pub published: bool,
}

impl Recalibrator for ParameterisedTemperature {
    type Learned = Pts;

    const ENTRY: Entry = Entry {
        id: "pts",
        title: "Parameterized temperature (PTS)",
        plain: "a temperature for each row",
        definition: "softmax(Z / |h|), h a network (2 × 5 rectified nodes) of the 10 largest logits",
        minimises: "squared error, by Adam, from temperature scaling, at most 500 passes",
        source: "Tomani, Cremers and Buettner (2022)",
        parameters: &[choice(
            "published",
            &["true"],
            "null",
            "trained as in the published comparison: random start, 100 short steps, not converged",
        )],
        input: Input::Logits(snippet!("pts", [softmax, network], [softmax, network])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::First,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Base(4),
        offers: &[Offered { id: "pts", title: "Parameterized temperature (PTS)", usual: false, rank: 16 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        // `true` alone is looked for: nothing else has ever been refused beside it.
        if asked.parameters["published"] == true {
            return Ok(Self { published: true });
        }
        asked.read_none().map(|()| Self { published: false })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        // up to 500 passes, two softmaxes a row in each
        data.rows as f64 * (classes(data) as f64 + 40.0) * 2e-3
    }

    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<Pts>> {
        let options = if self.published { PtsOptions::published() } else { PtsOptions::default() };
        on.fit_logits(|z, y, _| fit_matrix(&z.select(on.rows), y, None, &options, progress))
    }
}

/// Weights of the network: trained ones stay in the thousands, and products of three of these are numbers.
const WEIGHTS: std::ops::RangeInclusive<f64> = -1e9..=1e9;

impl Pts {
    /// Refuses a network of other sizes, or with weights that no training gives.
    pub(crate) fn check_network(&self, extra: usize, m: usize) -> Validity {
        let fits = self.top <= m && self.extra == extra && self.is_whole() && finite(&self.network);
        together(fits, m)?;
        each("network", &self.network, &WEIGHTS)
    }
}

impl Learned for Pts {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.by_logit_map(self)
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Mapped(self)
    }

    fn check(&self, m: usize) -> Validity {
        self.check_network(0, m)
    }
}

impl LogitMap for Pts {
    fn apply_logits(&self, row: &mut [f64]) {
        self.apply_row(row);
    }
}
