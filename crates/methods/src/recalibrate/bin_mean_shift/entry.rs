//! The bin mean shift as a recalibrator that comes after another.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{BinMeanShift, BinMeanShiftOptions, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::metric::binning::MOST_BINS;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{CROSS_FIT, DISTANCE, FEATURES, FORM, NEIGHBORS, ROW_NORMALISE, bounded};
use crate::recalibrate::proximity_parameters::{few, flattened, read_proximity};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{Validity, ascending, each, finite, one, together};
use crate::request::bounds::{ROWS, real, whole};

/// The gap of rows of like score and proximity, or a share of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShiftOfCells {
    /// which rows are near each other
    pub proximity: Option<ProximityOptions>,
    /// λ and cells
    pub options: BinMeanShiftOptions,
}

/// Score + λ gap of its cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellShift {
    /// cells and gaps
    pub shift: BinMeanShift,
    /// which rows are near each other
    pub proximity: ProximityOptions,
}

impl Recalibrator for ShiftOfCells {
    type Learned = CellShift;

    const ENTRY: Entry = Entry {
        id: "bin_mean_shift",
        title: "ProCal: bin-mean-shift",
        plain: "half of the mean error of rows with similar score and proximity",
        definition: "clip(s + λ (mean t − mean s) of its cell of score and proximity)",
        minimises: "none: cell means",
        source: "Xiong et al. (2023)",
        parameters: &[
            FEATURES,
            NEIGHBORS,
            DISTANCE,
            FORM,
            ROW_NORMALISE,
            CROSS_FIT,
            bounded("lambda", real(0.0, 1.0), "0.5", "proportion of the error that is removed"),
            bounded("bins", whole(1, MOST_BINS as u64), "10", "score bins of equal mass"),
            bounded("proximity_bins", whole(1, MOST_BINS as u64), "5", "proximity bins of equal mass inside each"),
            bounded("min_cell", ROWS, "1", "cells with fewer calibration rows are unchanged"),
        ],
        input: Input::Score(snippet!("bin_mean_shift", [search, projected, nearness], [search, projected, nearness])),
        alone: None,
        needs: MethodRequirement::Proximity,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::After { usual: "none", chart: "with bin mean shift" },
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Second(3),
        offers: &[Offered {
            id: "isotonic+bin_mean_shift",
            title: "Isotonic, then bin-mean-shift",
            usual: false,
            rank: 28,
        }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let (proximity, rest) = asked.proximity()?;
        Ok(Self { proximity, options: rest.read()? })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Proximity(self.proximity.as_ref())
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<CellShift>> {
        let (proximity, ln_d, placed) = on.log_proximities(&self.proximity)?;
        let on = &on.of(&placed);
        let (s, t) = on.pairs()?;
        let fit = fit(&s, &t, &ln_d, &self.options)?;
        let memory = on.places(proximity)?;
        let mut found: FitOutcome<_> = fit.map(|shift| CellShift { shift, proximity: proximity.clone() }).into();
        found.memory = memory;
        Ok(found)
    }
}

impl Learned for CellShift {
    const REMEMBERS: Remembers = Remembers::Places;

    fn scores(&self, memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        Ok(self.shift.apply(&to.scores()?, &to.log_proximities(memory, &self.proximity)?)?.into())
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Validity {
        let (bins, cells) = (&self.shift.log_proximity_edges, &self.shift.gaps);
        let whole =
            |(edges, gaps): (&Vec<f64>, &Vec<f64>)| ascending(edges) && finite(gaps) && gaps.len() == edges.len() + 1;
        together(
            ascending(&self.shift.score_edges)
                && bins.len() == self.shift.score_edges.len() + 1
                && bins.len() == cells.len()
                && bins.iter().zip(cells).all(whole),
            m,
        )?;
        one("lambda", self.shift.lambda, &(0.0..=1.0))?;
        // Differences of two probabilities.
        self.shift.gaps.iter().try_for_each(|gaps| each("gaps", gaps, &(-1.0..=1.0)))
    }

    fn parameters(&self) -> Value {
        flattened(self, &["shift", "proximity"])
    }

    fn from_parameters(parameters: &Map<String, Value>) -> std::result::Result<Self, String> {
        let shift = few(parameters, &["lambda", "score_edges", "log_proximity_edges", "gaps", "counts"])?;
        Ok(Self { shift, proximity: read_proximity(parameters)? })
    }
}
