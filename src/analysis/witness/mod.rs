//! Local calibration bias of every scored row, as a map and in sentences.

pub(in crate::analysis) mod plan;
mod request;

pub use plan::{ChooseRows, EstimateBias, WriteWitness};
pub use request::WitnessRequest;

mod input;
mod map;
mod words;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::hypothesis::witness::{LocalBias, WitnessForm};
use crate::local::Anywhere;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::table::Column;

pub use input::{CHANCE_DRAWS, GRID, WitnessInput, WitnessTarget, WitnessWork, Worked, chance, input, sizes, work};

/// Response of `data.analyse("witness")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WitnessOutcome {
    /// the panel, as displayed
    pub sheet: Sheet,
    /// verdict on the rows with the largest standardized local bias
    pub verdict: Verdict,
    /// form of the kernel
    pub form: WitnessForm,
    /// kernel width on scores
    pub width_p: f64,
    /// γ of the kernel on covariates
    pub gamma: f64,
    /// data rows that were evaluated, from 0, ascending
    pub rows: Column<u32>,
    /// local calibration bias (LCB) of each row with the sign of the paper, outcome − score: positive if the risk is
    /// underestimated. The panel has the opposite sign, predicted − observed, as everywhere else
    pub lcb: Column<f64>,
    /// effective number of neighbors of each row
    pub n_eff: Column<f64>,
    /// standard error of each LCB
    pub se: Column<f64>,
    /// mean |LCB| over the evaluated rows
    pub mean_size: f64,
    /// largest |LCB| among rows with enough neighbors; absent if there is no such row
    pub largest: Option<f64>,
}

/// The response before its charts are drawn.
pub type WitnessWithoutCharts = WithoutCharts<WitnessOutcome>;
/// The step that draws its charts.
pub type ShowWitness = Show<WitnessOutcome>;

impl HasCharts for WitnessOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Numbers of one part of the work, flat: LCB, mass, effective neighbors and standard error of each query; of draws the
/// largest z, how many are as large, and how many there are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BiasPart {
    /// four numbers a query
    pub values: Column<f64>,
}

impl BiasPart {
    /// From what a part found.
    pub fn of(found: &Worked) -> Self {
        let found = match found {
            Worked::Bias(found) => found,
            Worked::Chance(Anywhere { largest, as_large, draws }) => {
                let values = vec![*largest, *as_large as f64, *draws as f64, f64::NAN];
                return Self { values: values.into() };
            }
        };
        let each = found.lcb.iter().zip(&found.mass);
        let each = each.zip(found.n_eff.iter().zip(&found.se));
        let values = each.flat_map(|((lcb, mass), (n_eff, se))| [*lcb, *mass, *n_eff, *se]);
        Self { values: values.collect() }
    }
}

/// Results of every part, by request.
pub struct BiasParts<'a> {
    /// around every row
    pub rows: Vec<&'a BiasPart>,
    /// at every place of the map
    pub field: Vec<&'a BiasPart>,
    /// in draws of chance
    pub chance: Vec<&'a BiasPart>,
}

/// The parts of a bias, put together.
fn bias_of(parts: &[&BiasPart]) -> LocalBias {
    let mut all = LocalBias::default();
    for one in parts.iter().flat_map(|part| part.values.chunks_exact(4)) {
        all.lcb.push(one[0]);
        all.mass.push(one[1]);
        all.n_eff.push(one[2]);
        all.se.push(one[3]);
    }
    all
}

/// From the parts of every kind, each in order.
///
/// # Errors
/// `internal` if parts are missing.
pub fn outcome(
    data: &Predictions,
    run: &RunOutcome,
    input: &WitnessInput,
    request: &WitnessRequest,
    parts: &BiasParts,
) -> Result<WitnessOutcome> {
    let (all, field) = (bias_of(&parts.rows), bias_of(&parts.field));
    let draws = parts.chance.iter().flat_map(|part| part.values.chunks_exact(4));
    let draws = draws.map(|one| Anywhere { largest: one[0], as_large: one[1] as usize, draws: one[2] as usize });
    let draws: Vec<Anywhere> = draws.collect();
    if all.lcb.len() != input.queried || field.lcb.len() != GRID * GRID || draws.is_empty() {
        return Err(Error::internal("Parts of the local bias are missing."));
    }
    let seen = words::WitnessRows::new(input, &all);
    let chart = map::chart(data, input, &seen, &field);
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let methods = run.method_choices();
    let (sheet, verdict) = words::sheet(data, input, request, &seen, chart, (&methods, &choice, &draws));
    Ok(WitnessOutcome {
        sheet,
        verdict,
        form: input.kernel.form,
        width_p: input.kernel.width_p,
        gamma: input.kernel.gamma,
        mean_size: seen.mean_size(),
        largest: seen.largest(),
        rows: seen.rows.into(),
        lcb: seen.bias.lcb.into(),
        n_eff: seen.bias.n_eff.into(),
        se: seen.bias.se.into(),
    })
}
