//! The parameters of a fit as they travel: with the rows that it looks at again, and the methods within it.

use serde_json::{Map, Value, json};

use super::{looks, resolved};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::features;
use crate::evaluation::method::{Calibrator, InnerFolds, MethodKind, fit, near_of, out_of_fold};
use crate::evaluation::pair;

/// The parameters of a fit on `rows`; rows stand beside the method that looks at them, the first of two has its own,
/// under `base`, and so has that of every group by proximity, under `groups`.
///
/// # Errors
/// As the coordinates and proximities of the rows, and fits of the first of two methods.
pub(super) fn parameters(
    data: &Predictions,
    kind: &MethodKind,
    calibrator: &Calibrator,
    rows: &[u32],
) -> Result<Map<String, Value>> {
    let (kind, calibrator) = resolved(kind, calibrator);
    let mut map = match calibrator.parameters() {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    match (kind, calibrator) {
        (MethodKind::Composed { base, inner, .. }, Calibrator::Composed { base: first, then, .. }) => {
            add_rows(data, &mut map, then, rows, Some((base, inner.as_ref())))?;
            map.insert("base".into(), within(data, base, first, rows)?);
        }
        (
            MethodKind::ProximityStratified { base, .. },
            Calibrator::ProximityStratified { groups, log_proximity_edges: edges, pooled, proximity },
        ) => {
            add_rows(data, &mut map, calibrator, rows, None)?;
            let near = match groups.iter().any(|group| looks(data, base, group).features) {
                true => near_of(data, proximity, rows, &[])?,
                false => Vec::new(),
            };
            let mut listed = Vec::with_capacity(groups.len());
            for (k, group) in groups.iter().enumerate() {
                let own = |row: &&u32| {
                    let at = near.get(**row as usize).copied().unwrap_or(f64::NAN);
                    pooled.contains(&(k as u32)) || edges.partition_point(|edge| *edge <= at) == k
                };
                let own: Vec<u32> = rows.iter().filter(own).copied().collect();
                listed.push(within(data, base, group, &own)?);
            }
            map.insert("groups".into(), listed.into());
        }
        _ => add_rows(data, &mut map, calibrator, rows, None)?,
    }
    Ok(map)
}

/// A method within another, with its id and what it looks at.
fn within(data: &Predictions, kind: &MethodKind, calibrator: &Calibrator, rows: &[u32]) -> Result<Value> {
    let mut map = parameters(data, kind, calibrator, rows)?;
    map.insert("method".into(), json!(resolved(kind, calibrator).0.id()));
    map.insert("looks_at".into(), looks(data, kind, calibrator).words().into());
    Ok(map.into())
}

/// Writes coordinates, scores, targets and proximities beside the parameters of a method that needs them; scores are
/// those that the method `before` gave, by fits on other rows where the second stage was fitted so.
fn add_rows(
    data: &Predictions,
    map: &mut Map<String, Value>,
    calibrator: &Calibrator,
    fit_rows: &[u32],
    before: Option<(&MethodKind, Option<&InnerFolds>)>,
) -> Result<()> {
    let (choice, all) = match calibrator {
        Calibrator::Ptsk { features, .. } => (Some(features), false),
        Calibrator::Lore { features, .. } | Calibrator::Lcb { features, .. } => (Some(features), true),
        Calibrator::DensityRatio { proximity, .. } => (proximity.features.as_ref(), true),
        Calibrator::BinMeanShift { proximity, .. } | Calibrator::ProximityStratified { proximity, .. } => {
            (proximity.features.as_ref(), false)
        }
        _ => (None, false),
    };
    let Some(choice) = choice else { return Ok(()) };
    let coordinates = features::features(data, choice, fit_rows)?;
    map.insert("dimension".into(), json!(coordinates.d));
    map.insert("coordinates".into(), json!(coordinates.names));
    if let Some(projection) = &coordinates.projection {
        let (mean, components) = (&*projection.mean, &*projection.components);
        map.insert("projection".into(), json!({ "of": projection.of, "mean": mean, "components": components }));
    }
    map.insert("x".into(), json!(coordinates.select(fit_rows)));
    if !all {
        return Ok(());
    }
    let s = match before {
        None => {
            let s = pair::scores(data)?;
            fit_rows.iter().map(|&row| s[row as usize]).collect()
        }
        Some((kind, Some(inner))) => out_of_fold(data, kind, inner, fit_rows, &mut |_| ())?,
        Some((kind, None)) => fit(data, kind, fit_rows, fit_rows, None, &mut |_| ())?.score.to_vec(),
    };
    let t = pair::targets(data)?;
    if let Calibrator::Lore { bins, .. } = calibrator {
        let binning = bins.binning(&s)?;
        map.insert("edges".into(), json!(binning.edges.edges));
        map.insert("closed".into(), json!(binning.edges.closed));
        map.insert("bin".into(), json!(binning.assignment));
    }
    map.insert("score".into(), json!(s));
    let t = fit_rows.iter().map(|&row| t[row as usize]);
    map.insert("target".into(), t.collect());
    if let Calibrator::DensityRatio { proximity, .. } = calibrator {
        let near = near_of(data, proximity, fit_rows, &[])?;
        // A row without any other is as far away as can be.
        let d = fit_rows.iter().map(|&row| near[row as usize].exp());
        let d = d.map(|d| if d.is_nan() { 0.0 } else { d });
        map.insert("proximity".into(), d.collect());
    }
    Ok(())
}
