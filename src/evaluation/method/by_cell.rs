//! Multicalibration of the pair of the view, groups from columns and their intersections.

use serde::{Deserialize, Serialize};

use super::fit::told_by;
use super::{Calibrator, Fitted};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::groups::memberships;
use crate::evaluation::pair;
use crate::recalibrate::multicalibration::{self, CellOptions, Multicalibration, PublishedOptions, fit_published};

/// Settings of multicalibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellSettings {
    /// columns that say the groups; intersections are groups too
    pub groups: Vec<String>,
    /// when a cell counts as wrong
    pub options: CellOptions,
    /// round after round over all cells, as in the published comparison
    pub published: Option<PublishedOptions>,
}

/// What multicalibration learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByCell {
    /// columns that say the groups
    pub columns: Vec<String>,
    /// what the numbers of groups stand for
    pub groups: Vec<String>,
    /// bins and steps
    pub fit: Multicalibration,
}

/// Fits on `fit_rows` and scores `score_rows`.
///
/// # Errors
/// Those of the groups and of [`multicalibration::fit`].
pub(super) fn fit_by_cell(
    data: &Predictions,
    settings: &CellSettings,
    fit_rows: &[u32],
    score_rows: &[u32],
) -> Result<Fitted> {
    let (all, mut names) = memberships(data, &settings.groups)?;
    let (s, t) = (pair::scores(data)?, pair::targets(data)?);
    let pick = |rows: &[u32]| -> Vec<f64> { rows.iter().map(|&row| s[row as usize]).collect() };
    let t: Vec<u8> = fit_rows.iter().map(|&row| t[row as usize]).collect();
    let (own, s_fit) = (all.select(fit_rows), pick(fit_rows));
    let mut fit = match &settings.published {
        Some(options) => fit_published(&s_fit, &t, &own, options)?,
        None => multicalibration::fit(&s_fit, &t, &own, &settings.options)?,
    };
    let score = fit.parameters.apply(&pick(score_rows), &all.select(score_rows));
    let warnings = told_by(&fit);
    // Only groups that a step names are worth keeping.
    let mut kept: Vec<u32> = fit.parameters.steps.iter().map(|step| step.0).collect();
    kept.sort_unstable();
    kept.dedup();
    for step in &mut fit.parameters.steps {
        step.0 = kept.binary_search(&step.0).unwrap_or(0) as u32;
    }
    names = kept.iter().filter_map(|&group| names.get(group as usize).cloned()).collect();
    Ok(Fitted {
        calibrator: Calibrator::Multicalibration(ByCell {
            columns: settings.groups.clone(),
            groups: names,
            fit: fit.parameters,
        }),
        score: score.into(),
        warnings,
    })
}
