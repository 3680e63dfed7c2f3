//! The density ratio as a recalibrator that comes after another.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{DensityRatio, DensityRatioOptions, fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::proximity::measure::underflow_share;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{CROSS_FIT, DISTANCE, FEATURES, FORM, NEIGHBORS, ROW_NORMALISE, choice, switch};
use crate::recalibrate::proximity_parameters::{few, flattened, read_proximity};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{Validity, each, numbers};

/// Share of proximities that may be too small to tell apart before a person hears of it.
const UNDERFLOW_SHARE: f64 = 0.01;

/// How much more often score and proximity are seen among right rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioOfDensities {
    /// which rows are near each other
    pub proximity: Option<ProximityOptions>,
    /// bandwidth and floor
    pub options: DensityRatioOptions,
}

/// f₊ / (f₊ + r f₋) at (score, proximity).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// bandwidths and r
    pub densities: DensityRatio,
    /// which rows are near each other
    pub proximity: ProximityOptions,
}

impl Recalibrator for RatioOfDensities {
    type Learned = Ratio;

    const ENTRY: Entry = Entry {
        id: "density_ratio",
        title: "ProCal: density ratio",
        plain: "the event rate of rows with similar score and proximity",
        definition: "f₊ / (f₊ + r f₋) at (s, D), densities of calibration rows by outcome",
        minimises: "none: kernel density estimates",
        source: "Xiong et al. (2023)",
        parameters: &[
            FEATURES,
            NEIGHBORS,
            DISTANCE,
            FORM,
            ROW_NORMALISE,
            CROSS_FIT,
            choice("exponent", &["code", "paper"], "\"code\"", "of the bandwidth"),
            switch("floor", "false", "divide by at least 1e-10"),
        ],
        input: Input::Score(snippet!("density_ratio", [projected, nearness], [projected, nearness])),
        alone: None,
        needs: MethodRequirement::Proximity,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::After { usual: "none", chart: "with density ratio" },
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Second(2),
        offers: &[
            Offered { id: "none+density_ratio", title: "ProCal: density ratio", usual: false, rank: 26 },
            Offered {
                id: "temperature+density_ratio",
                title: "Temperature, then density ratio",
                usual: false,
                rank: 27,
            },
        ],
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
        // every pair of a calibration row and a scored one
        let n = data.rows as f64;
        n * n * 5e-7
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Ratio>> {
        let (proximity, ln_d, placed) = on.log_proximities(&self.proximity)?;
        let on = &on.of(&placed);
        let (s, t) = on.pairs()?;
        let d: Vec<f64> = ln_d.iter().map(|ln| ln.exp()).collect();
        let fit = fit(&s, &d, &t, self.options)?;
        let mut warnings = fit_warnings(&fit);
        let lost = underflow_share(&ln_d);
        if lost > UNDERFLOW_SHARE {
            warnings.push(warning(
                "fit",
                format!(
                    "{}% of the proximities are below 1e-300, as distances are much larger than 1. Scale the \
                     features, or use unit-length rows.",
                    (100.0 * lost).round()
                ),
            ));
        }
        let mut memory = on.places(proximity)?.with_outcomes(s, t);
        // A row without any other is as far away as can be.
        memory.proximity = d.into_iter().map(|d| if d.is_nan() { 0.0 } else { d }).collect();
        let learned = Ratio { densities: fit.parameters.0, proximity: proximity.clone() };
        Ok(FitOutcome { learned, memory, warnings, coordinates: None })
    }
}

impl Learned for Ratio {
    const REMEMBERS: Remembers = Remembers::Outcomes;

    fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores> {
        let s = to.scores()?;
        let clouds = fit(&memory.score, &memory.proximity, &memory.target, self.densities.options)?.parameters.1;
        let d: Vec<f64> = to.log_proximities(memory, &self.proximity)?.into_iter().map(f64::exp).collect();
        let Some(clouds) = clouds else {
            return Ok(s.into_owned().into());
        };
        let found = clouds.apply(&s, &d, progress)?;
        let kept = (found.kept > 0).then(|| {
            warning(
                "empty_bin",
                match found.kept {
                    1 => "1 row kept its score: no calibration row is similar.".to_owned(),
                    kept => format!("{kept} rows kept their score: no calibration row is similar."),
                },
            )
        });
        Ok(Scores { score: found.score, warnings: kept.into_iter().collect(), without_place: Vec::new() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, _m: usize) -> Validity {
        Ok(())
    }

    fn parameters(&self) -> Value {
        flattened(self, &["densities", "options", "proximity"])
    }

    fn from_parameters(parameters: &Map<String, Value>) -> std::result::Result<Self, String> {
        let options = few(parameters, &["exponent", "floor"])?;
        let densities = DensityRatio { options, ..DensityRatio::default() };
        Ok(Self { densities, proximity: read_proximity(parameters)? })
    }

    fn check_memory(&self, memory: &mut Memory, parameters: &Map<String, Value>) -> Validity {
        memory.proximity = numbers(parameters.get("proximity"), "proximity")?;
        memory.as_many(memory.proximity.len(), "proximity")?;
        each("proximity", &memory.proximity, &(0.0..=1.0 + 1e-9))
    }
}
