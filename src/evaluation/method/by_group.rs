//! Temperature and histogram by group: one fit a group, the fit to all rows where a group is small or new.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fit::{told_by, warning};
use super::{Calibrator, Fitted, MethodKind};
use crate::data::{MISSING, Predictions};
use crate::error::Result;
use crate::evaluation::groups::{self, Groups};
use crate::evaluation::pair::{self, VectorLogits};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::grouped::{
    Grouped, MIN_ROWS_HISTOGRAM, MIN_ROWS_TEMPERATURE, fit_histogram, fit_temperature, fit_temperature_binary,
};
use crate::recalibrate::histogram::EmptyBin;
use crate::recalibrate::temperature::Temperature;

/// Fits by the name of the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByGroup<P> {
    /// the column that says the group
    pub groups: String,
    /// fit to all rows, for every group that has none of its own
    pub pooled: P,
    /// fits of the groups
    pub fits: BTreeMap<String, P>,
}

impl<P> ByGroup<P> {
    fn new(groups: &Groups, found: Grouped<P>) -> Self {
        let name = |code: u32| groups.levels.get(code as usize).cloned();
        let fits = found.groups.into_iter();
        Self {
            groups: groups.name.clone(),
            pooled: found.pooled,
            fits: fits.fold(BTreeMap::new(), |mut fits, (code, fit)| {
                fits.extend(name(code).map(|name| (name, fit)));
                fits
            }),
        }
    }

    /// The fit that holds for a group.
    pub fn of(&self, level: Option<&str>) -> &P {
        level.and_then(|level| self.fits.get(level)).unwrap_or(&self.pooled)
    }
}

/// Fits on `fit_rows` and scores `score_rows`; `None` for other methods.
///
/// # Errors
/// `features_missing` without a group column, `unknown_column`, `invalid_option`; those of the fit.
pub(super) fn fit_by_group(
    data: &Predictions,
    kind: &MethodKind,
    fit_rows: &[u32],
    score_rows: &[u32],
) -> Result<Option<Fitted>> {
    let (MethodKind::GroupTemperature { groups, min_group } | MethodKind::GroupHistogram { groups, min_group, .. }) =
        kind
    else {
        return Ok(None);
    };
    let named = groups.as_ref().ok_or_else(groups::missing)?;
    let by = groups::groups(data, named)?;
    let (g_fit, g_new) = (by.select(fit_rows), by.select(score_rows));
    let pick = |values: &[f64], rows: &[u32]| -> Vec<f64> { rows.iter().map(|&row| values[row as usize]).collect() };
    let w = data.weights.as_ref().map(|w| w.of_fit(fit_rows));
    let w = w.as_deref();
    let (calibrator, score, mut warnings) = if let MethodKind::GroupHistogram { bins, .. } = kind {
        let (s, t) = (pair::scores(data)?, pair::targets(data)?);
        let t_fit: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
        let least = min_group.unwrap_or(MIN_ROWS_HISTOGRAM);
        let s_fit = pick(&s, fit_rows);
        let fit = fit_histogram(&s_fit, &t_fit, w, &g_fit, bins, EmptyBin::Keep, least)?;
        let score = fit.parameters.apply(&pick(&s, score_rows), &g_new);
        let warnings = told_by(&fit);
        let parameters = ByGroup::new(&by, fit.parameters);
        (Calibrator::GroupHistogram(parameters), score, warnings)
    } else {
        let least = min_group.unwrap_or(MIN_ROWS_TEMPERATURE);
        let vectors = pair::vector_logits(data).zip(data.y.as_ref());
        let fit: Fit<Grouped<Temperature>> = match &vectors {
            Some((VectorLogits::LogOdds(z), y)) => {
                let t: Vec<u8> = fit_rows.iter().map(|&row| u8::from(y[row as usize] == 1)).collect();
                fit_temperature_binary(&pick(z, fit_rows), &t, w, &g_fit, least)?
            }
            Some((z, y)) => {
                let y: Vec<u32> = fit_rows.iter().map(|&row| y[row as usize]).collect();
                fit_temperature(&z.select(fit_rows), &y, w, &g_fit, least)?
            }
            None => {
                let (s, t) = (pair::scores(data)?, pair::targets(data)?);
                let t: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
                let z = pair::log_odds(&pick(&s, fit_rows));
                fit_temperature_binary(&z, &t, w, &g_fit, least)?
            }
        };
        let score = match &vectors {
            Some((z, _)) => {
                let mut vector = vec![0.0; z.width()];
                let tempered = |(&row, &group): (&u32, &u32)| {
                    z.row_into(row as usize, &mut vector);
                    fit.parameters.of(group).apply_row(&mut vector);
                    let class = pair::scored_class(data, row as usize);
                    vector.get(class).copied().unwrap_or(0.0)
                };
                score_rows.iter().zip(&g_new).map(tempered).collect()
            }
            None => {
                let z = pair::log_odds(&pick(&pair::scores(data)?, score_rows));
                fit.parameters.apply_binary(&z, &g_new)
            }
        };
        let warnings = told_by(&fit);
        let parameters = ByGroup::new(&by, fit.parameters);
        (Calibrator::GroupTemperature(parameters), score, warnings)
    };
    let mut known = vec![false; by.levels.len()];
    for &code in &g_fit {
        if let Some(known) = known.get_mut(code as usize) {
            *known = true;
        }
    }
    let is_new = |code: &&u32| **code == MISSING || !known[**code as usize];
    let new = g_new.iter().filter(is_new).count();
    if new > 0 {
        warnings.push(warning(
            "group_unknown",
            format!("{new} scored rows belong to no group that calibrated; the fit to all rows was used for them."),
        ));
    }
    Ok(Some(Fitted { calibrator, score: score.into(), warnings }))
}
