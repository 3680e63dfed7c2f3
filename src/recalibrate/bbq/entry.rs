//! Bayesian binning as a recalibrator.

use serde::{Deserialize, Serialize};

use super::MOST_BINNINGS;
use super::{Bbq, BbqOptions, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::sound::{Sound, UNIT, each, enclose, finite, shares, together};
use crate::request::bounds::whole;

/// A weighted mean of many histogram binnings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BayesianBinning {
    /// variant and range
    pub options: BbqOptions,
}

impl Recalibrator for BayesianBinning {
    type Learned = Bbq;

    const ENTRY: Entry = Entry {
        id: "bbq",
        title: "Bayesian binning (BBQ)",
        plain: "a weighted mean of many binnings",
        definition: "Σ_B w_B θ_B(bin of s)",
        source: "Naeini, Cooper and Hauskrecht (2015)",
        parameters: &[
            Parameter { name: "variant", words: "netcal_bic or naeini", default: r#""netcal_bic""# },
            Parameter { name: "range", words: "fewest and most bins", default: "null" },
            Parameter { name: "elbow", words: "whether binnings of little weight are left out", default: "null" },
        ],
        bounds: &[("range", whole(1, MOST_BINNINGS as u64))],
        input: Input::Score(snippet!("bbq", [search], [search])),
        alone: None,
        needs: Need::Nothing,
        weighted: false,
        place: Place::Anywhere,
        offers: &[Offered { id: "bbq", title: "Bayesian binning (BBQ)", usual: false, rank: 12 }],
        read_out: &[],
    };

    fn checked(asked: Asked) -> Result<Self> {
        Ok(Self { options: asked.read()? })
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn proximity(&self) -> Option<&ProximityOptions> {
        None
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<Bbq>> {
        on.fit_pairs(|s, t, _| fit(s, t, &self.options))
    }
}

impl Learned for Bbq {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        to.mapped(|s| self.apply(s))
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Sound {
        let whole = |model: &super::BbqModel| enclose(&model.edges, model.values.len()) && finite(&model.values);
        together(self.models.iter().all(whole), m)?;
        let weights: Vec<f64> = self.models.iter().map(|model| model.weight).collect();
        shares("weight", &weights)?;
        self.models.iter().try_for_each(|model| each("values", &model.values, &UNIT))
    }
}
