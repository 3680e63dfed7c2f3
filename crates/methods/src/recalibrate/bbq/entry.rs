//! Bayesian binning as a recalibrator.

use serde::{Deserialize, Serialize};

use super::MOST_BINNINGS;
use super::{Bbq, BbqOptions, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::recalibrate::parameter::{bounded, choice, switch};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{UNIT, Validity, each, enclose, finite, shares, together};
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
        minimises: "none: binnings are weighted by marginal likelihood or BIC",
        source: "Naeini, Cooper and Hauskrecht (2015)",
        parameters: &[
            choice("variant", &["netcal_bic", "naeini"], r#""netcal_bic""#, "weighting of binnings"),
            bounded("range", whole(1, MOST_BINNINGS as u64), "null", "fewest and most bins"),
            switch("elbow", "null", "omit binnings of low weight"),
        ],
        input: Input::Score(snippet!("bbq", [search], [search])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::None,
        offers: &[Offered { id: "bbq", title: "Bayesian binning (BBQ)", usual: false, rank: 12 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        Ok(Self { options: asked.read()? })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Bbq>> {
        on.fit_pairs(|s, t, _| fit(s, t, &self.options))
    }
}

impl ScoreMap for Bbq {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, m: usize) -> Validity {
        let whole = |model: &super::BbqModel| enclose(&model.edges, model.values.len()) && finite(&model.values);
        together(self.models.iter().all(whole), m)?;
        let weights: Vec<f64> = self.models.iter().map(|model| model.weight).collect();
        shares("weight", &weights)?;
        self.models.iter().try_for_each(|model| each("values", &model.values, &UNIT))
    }
}
