//! Places first, then simulated data sets in parts, then the list.

use serde::{Deserialize, Serialize};

use super::{
    MapSearch, NeighbourhoodsOutcome, NeighbourhoodsRequest, most_places, neighbourhoods, search, searched_in,
};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::{FeatureChoice, width_of};
use crate::local::{NullMaxima, TOGETHER};
use crate::project::Pca;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::report::sheet::rows_count_once;
use crate::report::view::method_rows;
use crate::request::bounds::{AXES, BIN, BINS, FEATURES, Field, SEED, WIDTH, whole};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::{neighbourhoods_cost, parts, ranges};
use crate::table::Column;

/// Simulated data sets behind the worst neighborhoods.
const RESAMPLES: usize = 200;
/// And how many there are at least.
const LEAST: usize = 40;
/// And at most.
const MOST: usize = 10_000;
/// Milliseconds that they may take.
const RESAMPLES_MS: f64 = 8000.0;
/// Passes of eight data sets: one of redrawn outcomes, one of permutations.
const PASSES: f64 = 2.0;

impl Analysis for NeighbourhoodsRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("features", FEATURES),
        ("components", whole(1, 1_000)),
        ("axes", AXES),
        ("gamma", WIDTH),
        ("bin", BIN),
        ("bins", BINS),
        ("resamples", whole(1, 10_000)),
        ("seed", SEED),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let choice = feature_choice(of.data, of.run, self.features.as_ref())?;
        let searched = searched_in(of.data, &choice, self);
        let d = width_of(of.data, &searched);
        let n = method_rows(of.run, self.method.as_deref())?.rows.len();
        let pass = neighbourhoods_cost(n as f64, n.min(most_places(d)) as f64, d);
        let (count, usual) = match self.resamples {
            Some(count) if (1..=MOST).contains(&count) => (count, count),
            Some(count) => {
                return Err(Error::new(
                    "invalid_option",
                    format!("{count} simulated data sets were requested."),
                    "Request 20 to 10,000; fewer than 20 cannot reach a p-value of 0.05.",
                ));
            }
            None => {
                let passes = (RESAMPLES_MS / (PASSES * pass)) as usize;
                ((passes * TOGETHER).clamp(LEAST, RESAMPLES), RESAMPLES)
            }
        };
        let mut plan = of.plan();
        let step = SearchMap { data: DATA, run: REPORT, request: self.clone() };
        let fit = match &searched {
            FeatureChoice::Pca { pca, of: names } if searched != choice => {
                Pca::cost(n, width_of(of.data, &FeatureChoice::Many(names.clone())), *pca)
            }
            _ => 0.0,
        };
        let looked = plan.push(step, 3.0 * pass + fit, "searching the map");
        let passes = count.div_ceil(TOGETHER);
        let (parts, cost) = parts(passes, PASSES * pass);
        let mut maxima = Vec::with_capacity(parts);
        for (first, last) in ranges(passes, parts) {
            let (first, last) = (first * TOGETHER, (last * TOGETHER).min(count));
            let step = Permute { looked, seed: self.seed, first, last };
            maxima.push(plan.push(step, cost, "null distribution"));
        }
        plan.push(
            ListNeighbourhoods { data: DATA, looked, maxima, usual },
            n as f64 * 1e-3,
            "describing neighborhoods",
        );
        Ok(plan)
    }
}

/// The places where neighborhoods are looked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchMap {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: NeighbourhoodsRequest,
}

impl Step for SearchMap {
    type Output = MapSearch;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<MapSearch> {
        search(at.the(&self.data)?, at.the(&self.run)?, &self.request)
    }
}

/// Largest errors of simulated data sets, one number each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Maxima {
    redrawn: Column<f64>,
    permuted: Column<f64>,
}

/// Redraws the outcomes and permutes residuals some times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Permute {
    looked: Handle<MapSearch>,
    /// of the streams
    seed: u64,
    /// first data set
    first: usize,
    /// end of the data sets
    last: usize,
}

impl Step for Permute {
    type Output = Maxima;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Maxima> {
        let NullMaxima { redrawn, permuted } = at.the(&self.looked)?.maxima(self.seed, self.first..self.last)?;
        Ok(Maxima { redrawn: redrawn.into(), permuted: permuted.into() })
    }
}

/// The list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListNeighbourhoods {
    data: Handle<Predictions>,
    looked: Handle<MapSearch>,
    maxima: Vec<Handle<Maxima>>,
    /// data sets where rows are few
    usual: usize,
}

impl Step for ListNeighbourhoods {
    type Output = NeighbourhoodsOutcome;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<NeighbourhoodsOutcome> {
        let (data, looked) = (at.the(&self.data)?, at.the(&self.looked)?);
        let parts = at.each(&self.maxima)?;
        let all = |of: fn(&Maxima) -> &[f64]| parts.iter().flat_map(|part| of(part).iter().copied()).collect();
        let all = NullMaxima { redrawn: all(|part| &part.redrawn), permuted: all(|part| &part.permuted) };
        let mut found = neighbourhoods(data, looked, &all, self.usual);
        found.notes.extend(rows_count_once(data));
        found.sheet.note_weights(data);
        Ok(found)
    }
}
