//! A method fitted anew in each group of rows of like proximity.

use super::fitted::{FittedMethod, Rows, fit_and_score};
use super::{Calibrator, MethodKind};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::proximity::{NEIGHBOUR_BOUNDS, ProximityOptions};
use crate::metric::binning::{BinOptions, BinScheme, Closed};
use crate::num::ties::at_or_above;
use crate::recalibrate::recalibrator::{Entry, Input, Need, Parameter, Place, Progress, Scores, of_rows, warning};
use crate::recalibrate::snippet::snippet;
use crate::request::bounds::{FEATURES, whole};

/// What it says of itself.
pub(super) const ENTRY: Entry = Entry {
    id: "proximity_stratified",
    title: "Fitted anew by proximity",
    plain: "fitted anew in each of five groups by distance from the others",
    definition: "the method before it, fitted in each group of calibration rows of equal size by proximity",
    source: "Xiong et al. (2023)",
    parameters: &[Parameter { name: "groups", words: "groups by proximity, 2 to 100", default: "5" }],
    bounds: &[("features", FEATURES), ("neighbours", NEIGHBOUR_BOUNDS), ("groups", whole(2, 100))],
    input: Input::Score(snippet!("proximity_stratified", [search, projected, nearness], [search, projected, nearness])),
    alone: None,
    needs: Need::Proximity,
    weighted: true,
    place: Place::After { usual: "isotonic", chart: "anew by proximity" },
    offers: &[],
    read_out: &[],
};

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
    (base, groups): (&MethodKind, usize),
    proximity: &Option<ProximityOptions>,
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let on = rows.calibration(data, None);
    let (proximity, ln_d) = on.log_proximities(proximity)?;
    let of_scored = of_rows(rows.log_proximity.unwrap_or(&[]), rows.score);
    let bins = BinOptions::equal_width(groups).with_scheme(BinScheme::EqualMassQuantile);
    let mut edges = bins.bin_edges(&ln_d)?;
    edges.closed = Closed::Left;
    let (own, new) = (edges.assignment(&ln_d), edges.assignment(&of_scored));
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
                    "Group {} of {count} by proximity, {} rows, takes the fit on all rows.",
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
    Ok((FittedMethod { calibrator, memory: on.places(proximity)?, parts }, scores))
}
