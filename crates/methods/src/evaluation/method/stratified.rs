//! A method fitted anew in each group of rows of like proximity.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fitted::{FittedMethod, Rows, fit_and_score};
use super::request::kind;
use super::{Calibrator, MethodKind};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::ProximityOptions;
use crate::metric::binning::{BinOptions, BinScheme, Closed};
use crate::num::ties::at_or_above;
use crate::recalibrate::memory::Memory;
use crate::recalibrate::parameter::{DISTANCE, FEATURES, FORM, NEIGHBORS, ROW_NORMALISE, bounded};
use crate::recalibrate::recalibrator::{
    Candidacy, Entry, FittedTo, GridPlace, Input, MethodRequest, MethodRequirement, Place, Progress, RowsToScore,
    Scores, invalid, of_rows, warning,
};
use crate::recalibrate::snippet::snippet;
use crate::request::bounds::whole;

/// What it says of itself.
pub(super) const ENTRY: Entry = Entry {
    id: "proximity_stratified",
    title: "Stratified by proximity",
    plain: "fitted separately in five groups by proximity",
    definition: "the preceding method, fitted in each of several equal-size groups of calibration rows by proximity",
    minimises: "the objective of the preceding method, in each group",
    source: "Xiong et al. (2023)",
    parameters: &[
        FEATURES,
        NEIGHBORS,
        DISTANCE,
        FORM,
        ROW_NORMALISE,
        bounded("groups", whole(2, 100), "5", "groups of equal size by proximity"),
    ],
    input: Input::Score(snippet!("proximity_stratified", [search, projected, nearness], [search, projected, nearness])),
    alone: None,
    needs: MethodRequirement::Proximity,
    weighted: true,
    from_counts: false,
    fitted_to: FittedTo::SomeRows,
    place: Place::After { usual: "isotonic", chart: "by proximity" },
    candidacy: Candidacy::ON_REQUEST,
    grid: GridPlace::None,
    offers: &[],
    read_out: &[],
};

/// A method fitted anew in each group of rows of like proximity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stratification {
    /// the method
    pub base: Box<MethodKind>,
    /// which rows are near each other
    pub proximity: Option<ProximityOptions>,
    /// how many groups
    pub groups: usize,
}

/// Groups of a method that is fitted anew by proximity.
const GROUPS: usize = 5;
/// Bins of a histogram in each of them, as in the published comparison.
const GROUP_HISTOGRAM_BINS: usize = 10;

/// `first` in groups, with its own settings in `base`.
///
/// # Errors
/// `invalid_option`, `unknown_column`.
pub(super) fn checked(first: &str, asked: MethodRequest, mut base: Value) -> Result<MethodKind> {
    let (id, data, run) = (asked.id, asked.data, asked.run);
    if first == "none" || first.contains('+') {
        return Err(invalid(
            if first == "none" {
                format!("`{id}` has no method to fit in each group of rows.")
            } else {
                format!("`{id}` would fit several methods in each group of rows.")
            },
            "Put one method before it, such as isotonic+proximity_stratified.",
        ));
    }
    if first == "histogram" && base["bins"].is_null() {
        base = serde_json::json!({ "bins": GROUP_HISTOGRAM_BINS });
    }
    let (proximity, mut rest) = asked.proximity()?;
    let mut own = rest.parameters.as_object_mut().map(std::mem::take).unwrap_or_default();
    let groups = match own.remove("groups") {
        None => GROUPS,
        Some(groups) => groups.as_u64().filter(|groups| (2..=100).contains(groups)).ok_or_else(|| {
            invalid(
                format!("{groups} groups by proximity were requested."),
                "groups must be an integer from 2 to 100; 5 is usual.",
            )
        })? as usize,
    };
    if let Some(other) = own.keys().next() {
        return Err(invalid(
            format!("The parameters of `{id}` cannot be used: unknown field `{other}`."),
            "It takes groups, base, and the definition of proximity.",
        ));
    }
    let base = Box::new(kind(MethodRequest { id: first, parameters: base, data, run })?);
    Ok(MethodKind::ProximityStratified(Stratification { base, proximity, groups }))
}

/// The group of ln D between inner edges, closed on the left.
pub(super) fn group_of(edges: &[f64], ln_d: f64) -> usize {
    edges.partition_point(|edge| at_or_above(ln_d, *edge))
}

/// Fits `base` in each of `groups` groups of equal size by proximity; a group where it cannot be fitted takes the fit
/// on all rows.
///
/// # Errors
/// Those of `base` on all rows.
pub(super) fn fit_stratified(
    data: &Predictions,
    Stratification { base, proximity, groups }: &Stratification,
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let on = rows.calibration(data, None);
    let (proximity, ln_d, placed) = on.log_proximities(proximity)?;
    let of_scored = of_rows(rows.log_proximity.unwrap_or(&[]), rows.score);
    let on = on.of(&placed);
    let nowhere = ln_d.iter().all(|ln_d| ln_d.is_nan());
    let known = (0u32..).zip(&of_scored).filter(|(_, ln_d)| nowhere || !ln_d.is_nan()).map(|(i, _)| i);
    let known: Vec<u32> = known.collect();
    let of_scored: Vec<f64> = known.iter().map(|&i| of_scored[i as usize]).collect();
    let to = RowsToScore::of_other_data(data, rows.score);
    let mut fitted = None;
    let scores = to.where_placed(&known, <[f64]>::to_vec, |to| {
        let rows = Rows { fit: on.rows, score: to.rows, ..rows };
        let (fit, scores) = by_groups(data, (base, proximity, *groups), (&ln_d, &of_scored), rows, progress)?;
        fitted = Some(fit);
        Ok(scores)
    })?;
    let fitted = match fitted {
        Some(fitted) => fitted,
        // No row to score has a place; the fit is made all the same.
        None => {
            let rows = Rows { fit: on.rows, score: &[], ..rows };
            by_groups(data, (base, proximity, *groups), (&ln_d, &[]), rows, &mut |_| ())?.0
        }
    };
    Ok((FittedMethod { memory: on.places(proximity)?, ..fitted }, scores))
}

/// The fit in each group of rows that have a place, and the scores that it gives; it remembers no rows yet.
fn by_groups(
    data: &Predictions,
    (base, proximity, groups): (&MethodKind, &ProximityOptions, usize),
    (ln_d, of_scored): (&[f64], &[f64]),
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let bins = BinOptions::equal_width(groups).with_scheme(BinScheme::EqualMassQuantile);
    let mut edges = bins.bin_edges(ln_d)?;
    edges.closed = Closed::Left;
    let (own, new) = (edges.assignment(ln_d), edges.assignment(of_scored));
    let of = |rows: &[u32], groups: &[u32], group: u32| -> Vec<u32> {
        let here = rows.iter().zip(groups).filter(|(_, own)| **own == group);
        here.map(|(row, _)| *row).collect()
    };
    let (pooled, mut scores) = fit_and_score(data, base, rows.of(rows.fit, rows.score), &mut |_| ())?;
    let (mut parts, mut on_all) = (Vec::with_capacity(edges.count()), Vec::new());
    let count = edges.count() as u32;
    for group in 0..count {
        let (fit_here, score_here) = (of(rows.fit, &own, group), of(rows.score, &new, group));
        let found = match fit_here.len() {
            0 => None,
            _ => fit_and_score(data, base, rows.of(&fit_here, &score_here), &mut |_| ()).ok(),
        };
        progress(f64::from(group + 1) / f64::from(count));
        let Some((part, of_group)) = found else {
            scores.warnings.push(warning(
                "fit",
                format!(
                    "Group {} of {count} by proximity, {} rows, uses the fit on all rows.",
                    group + 1,
                    fit_here.len()
                ),
            ));
            parts.push(pooled.clone());
            on_all.push(group);
            continue;
        };
        let places = (0..rows.score.len()).filter(|&i| new[i] == group);
        for (place, value) in places.zip(of_group.score) {
            scores.score[place] = value;
        }
        scores = scores.and_without_place(of_group.without_place);
        let told = of_group.warnings.into_iter().filter(|w| !scores.warnings.contains(w)).collect::<Vec<_>>();
        scores.warnings.extend(told);
        parts.push(part);
    }
    let last = edges.count();
    let calibrator = Calibrator::ProximityStratified {
        log_proximity_edges: edges.edges.get(1..last).unwrap_or(&[]).to_vec(),
        groups: parts.iter().map(|part| part.calibrator.clone()).collect(),
        pooled: on_all,
        proximity: proximity.clone(),
    };
    Ok((FittedMethod { calibrator, memory: Memory::default(), parts }, scores))
}
