//! Temperature scaling by a network that sees how near a row's neighbors are.

use serde::{Deserialize, Serialize};

use super::{Pts, PtsOptions, fit_matrix, neighbor_proximities};
use crate::data::Predictions;
use crate::data::pair::{classes, scored_class};
use crate::error::{Error, Result, phrases};
use crate::feature::FeatureChoice;
use crate::feature::proximity::EMBEDDING;
use crate::kernel::Points;
use crate::num::Rows;
use crate::proximity::neighbors::{Metric, Search};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::FEATURES;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::Validity;
use crate::table::{Matrix, Reals};

/// Neighbors whose proximities the network sees.
pub const NEIGHBORS: usize = 5;

/// A temperature a row, by its largest logits and the proximities of its nearest calibration rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeighborTemperature {
    /// which rows are near each other
    pub features: Option<FeatureChoice>,
}

/// softmax(Z / |h|), h also of exp(−distance²) to the five nearest calibration rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeighborNetwork {
    /// h
    pub network: Pts,
    /// coordinates
    pub features: FeatureChoice,
    /// rows of coordinates are brought to length 1
    pub unit_length: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    features: Option<FeatureChoice>,
    gamma: Option<f64>,
    kernel: Option<String>,
    bins: Option<crate::metric::binning::BinOptions>,
}

impl Recalibrator for NeighborTemperature {
    type Learned = NeighborNetwork;

    const ENTRY: Entry = Entry {
        id: "ptsk",
        title: "PTS with neighbors (PTSK)",
        plain: "a temperature for each row, from its logits and its neighbors",
        definition: "softmax(Z / |h|), h a network of the 5 largest logits and exp(−distance²) to the 5 nearest rows",
        minimises: "squared error, by Adam, from temperature scaling, at most 500 passes",
        source: "Xiong et al. (2023)",
        parameters: &[FEATURES],
        input: Input::Logits(snippet!("ptsk", [softmax, network, projected], [softmax, network, projected])),
        alone: None,
        needs: MethodRequirement::Features,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::First,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Base(5),
        offers: &[Offered { id: "ptsk", title: "PTS with neighbors (PTSK)", usual: false, rank: 17 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let run = asked.run.features.clone();
        let given: RawSettings = asked.read()?;
        if given.gamma.is_some() || given.kernel.is_some() || given.bins.is_some() {
            return Err(invalid("`ptsk` takes the parameter features alone.", phrases::WHAT_METHODS_TAKE));
        }
        Ok(Self { features: given.features.or(run) })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: self.features.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let n = data.rows as f64;
        n * (classes(data) as f64 + 40.0) * 5e-3 + n * n * 2e-6
    }

    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<NeighborNetwork>> {
        let z = on.required_logits()?;
        let (Some(choice), Some(_)) = (&self.features, &on.data.y) else {
            return Err(Error::new(
                "features_missing",
                "This method needs the class of each row, and feature columns, which define similarity.",
                phrases::FEATURES_OF_NETWORK,
            ));
        };
        let (near, placed) = on.features(choice)?;
        let on = &on.of(&placed);
        let memory = Memory::of_places(&near, on.rows);
        let unit_length = near.d >= EMBEDDING;
        let mut x = memory.x.clone();
        if unit_length {
            to_unit_length(&mut x, near.d);
        }
        let own = proximities(&Points::row_major(near.d, &x)?, None)?;
        let options = PtsOptions::with_neighbors();
        let fit = fit_matrix(&z.select(on.rows), &on.classes()?, Some(&own), &options, progress)?;
        let warnings = fit_warnings(&fit);
        let learned = NeighborNetwork { network: fit.parameters, features: choice.clone(), unit_length };
        Ok(FitOutcome { learned, memory, warnings, coordinates: Some(near) })
    }
}

impl Learned for NeighborNetwork {
    const REMEMBERS: Remembers = Remembers::Places;

    fn scores(&self, memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let z = to.logits().ok_or_else(no_logits)?;
        let (mut there, mut new) = (memory.x.clone(), to.places(memory)?);
        if self.unit_length {
            to_unit_length(&mut there, memory.d);
            to_unit_length(&mut new, memory.d);
        }
        let (there, new) = (Points::row_major(memory.d, &there)?, Points::row_major(memory.d, &new)?);
        let p = self.network.apply(&z.select(to.rows), Some(&proximities(&there, Some(&new))?));
        let class = |row: u32| scored_class(to.data, row as usize);
        let mut score: Vec<f64> = to.rows.iter().enumerate().map(|(i, &row)| p.value(i, class(row))).collect();
        // Rows of the fit are not their own neighbors when they are scored either.
        let fitted_on = to.fitted_on.unwrap_or(&[]);
        let place = |row: &u32| fitted_on.binary_search(row).ok();
        if to.rows.iter().any(|row| place(row).is_some()) {
            let p = self.network.apply(&z.select(fitted_on), Some(&proximities(&there, None)?));
            for (score, row) in score.iter_mut().zip(to.rows) {
                if let Some(place) = place(row) {
                    *score = p.value(place, class(*row));
                }
            }
        }
        Ok(score.into())
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Tempered
    }

    fn check(&self, m: usize) -> Validity {
        self.network.check_network(NEIGHBORS, m)
    }
}

/// Brings every row of coordinates to length 1; a row of zeros stays.
fn to_unit_length(values: &mut [f64], d: usize) {
    for row in values.chunks_exact_mut(d.max(1)) {
        let squares = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut length = squares(row);
        if length.is_infinite() {
            // The largest first, so that no square overflows.
            let most = row.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            row.iter_mut().for_each(|x| *x /= most);
            length = squares(row);
        }
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// exp(−distance²) to the nearest of `x_fit`, nearest first: of other rows, or of each of them, itself left out.
fn proximities(x_fit: &Points, others: Option<&Points>) -> Result<Matrix> {
    let search = Search::new(x_fit, Metric::Euclidean)?;
    let queries = others.map(|others| others as &dyn Rows);
    let rows = others.unwrap_or(x_fit).n();
    let found = search.nearest(queries, 0..rows, NEIGHBORS, &mut |_| ())?;
    if found.k == 0 {
        return Err(Error::new("too_few_rows", "A single row has no neighbor.", "Use at least 2 calibration rows."));
    }
    let distances = Matrix { width: found.k, values: Reals::F64(found.distance.into()) };
    Ok(neighbor_proximities(&distances, NEIGHBORS))
}
