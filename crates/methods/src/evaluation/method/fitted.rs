//! Fitting a method on one fold's calibration rows, and the fit as a value that scores rows: those of the fold, and
//! those of other files.

use super::best::fit_best;
use super::composed::{fit_composed, log_proximities};
use super::stratified::{fit_stratified, group_of};
use super::{Calibrator, Fitted, MethodKind};
use crate::data::{Predictions, pair};
use crate::error::{Error, Result};
use crate::feature::features_by_name;
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::memory::Memory;
use crate::recalibrate::recalibrator::{
    CalibrationRows, Entry, Input, MethodRequirement, Place, Progress, RowsToScore, Scores, warning,
};
use crate::recalibrate::registry::{AnyRecalibrator, ENTRIES};
use crate::table::Warning;

/// A fit, ready to be applied.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedMethod {
    /// what was learned
    pub calibrator: Calibrator,
    /// the calibration rows, where applying looks at them again
    pub memory: Memory,
    /// the first and the second of two methods, those of groups by proximity, or the one that was chosen
    pub parts: Vec<FittedMethod>,
}

impl FittedMethod {
    /// Whether it, or the first of its methods, looks at the logits of every class, not at the score of the view.
    pub fn of_logits(&self) -> bool {
        match (&self.calibrator, &*self.parts) {
            (Calibrator::Single { of_logits, .. }, _) => *of_logits,
            (Calibrator::Composed { .. } | Calibrator::Best(_), [first, ..]) => first.of_logits(),
            (_, parts) => parts.iter().any(FittedMethod::of_logits),
        }
    }

    /// What is applied: itself, or the fit that was chosen.
    pub fn applied(&self) -> &FittedMethod {
        match (&self.calibrator, &*self.parts) {
            (Calibrator::Best(_), [chosen]) => chosen.applied(),
            _ => self,
        }
    }

    /// Scores of the view for new rows.
    ///
    /// # Errors
    /// `features_missing` for a column that is not there, `not_a_number` for a coordinate, `invalid_option` for a column
    /// that cannot say groups.
    pub fn scores(&self, to: &RowsToScore, progress: Progress) -> Result<Scores> {
        if to.rows.is_empty() {
            return Ok(Scores::default());
        }
        match (&self.calibrator, &*self.parts) {
            (Calibrator::Single { fit, of_logits }, []) => {
                let to = RowsToScore { of_logits: *of_logits, ..*to };
                let far = |s: &[f64]| fit.far_from_all(s);
                self.where_placed(fit.entry().needs, &to, far, |to| fit.scores(&self.memory, to, progress))
            }
            (Calibrator::Best(_), [chosen]) => chosen.scores(to, progress),
            (Calibrator::Composed { .. }, [base, then]) => {
                let first = base.scores(to, &mut |share| progress(0.5 * share))?;
                let second = RowsToScore { before: Some(&first.score), ..*to };
                let mut scores = then.scores(&second, &mut |share| progress(0.5 + 0.5 * share))?;
                scores.warnings.splice(0..0, first.warnings);
                Ok(scores.and_without_place(first.without_place))
            }
            (Calibrator::ProximityStratified { log_proximity_edges, proximity, .. }, parts) => {
                let by_groups = |to: &RowsToScore| self.by_groups(log_proximity_edges, proximity, parts, to);
                self.where_placed(MethodRequirement::Proximity, to, <[f64]>::to_vec, by_groups)
            }
            (calibrator, parts) => Err(Error::new(
                "internal",
                format!("A fit of `{}` has {} parts.", calibrator.id(), parts.len()),
                "This is a bug in the program.",
            )),
        }
    }

    /// Scores of the rows that have a place, where the fit asks for one; a row with a gap in a feature gets what `far` makes
    /// of what it had.
    fn where_placed(
        &self,
        needs: MethodRequirement,
        to: &RowsToScore,
        far: impl FnOnce(&[f64]) -> Vec<f64>,
        score: impl FnOnce(&RowsToScore) -> Result<Scores>,
    ) -> Result<Scores> {
        let by_name;
        let all = match (needs, to.log_proximity, to.coordinates) {
            (MethodRequirement::Nothing | MethodRequirement::Groups, ..) => return score(to),
            (MethodRequirement::Proximity, Some(ln_d), _) => {
                let has_place = |row: &u32| ln_d.get(*row as usize).is_some_and(|ln_d| !ln_d.is_nan());
                let placed: Vec<u32> =
                    (0u32..).zip(to.rows).filter(|(_, row)| has_place(row)).map(|(i, _)| i).collect();
                // Where nothing calibrates beside a row, none is near to any.
                let nowhere = ln_d.iter().all(|ln_d| ln_d.is_nan());
                return if nowhere { score(to) } else { to.where_placed(&placed, far, score) };
            }
            (MethodRequirement::Features | MethodRequirement::Proximity, _, Some(known)) => known,
            (MethodRequirement::Features | MethodRequirement::Proximity, ..) => {
                by_name = features_by_name(to.data, &self.memory.names, self.memory.projection.as_ref())?;
                &by_name
            }
        };
        let fitted_on: Option<Vec<u32>> =
            to.fitted_on.map(|rows| rows.iter().copied().filter(|row| all.has_place(*row)).collect());
        let placed = all.placed(to.rows);
        let to = RowsToScore { coordinates: Some(all), fitted_on: fitted_on.as_deref(), ..*to };
        to.where_placed(&placed, far, score)
    }

    /// Scores by the method of the group that each row's proximity falls in.
    fn by_groups(
        &self,
        edges: &[f64],
        proximity: &ProximityOptions,
        parts: &[FittedMethod],
        to: &RowsToScore,
    ) -> Result<Scores> {
        let ln_d = to.log_proximities(&self.memory, proximity)?;
        let mut scores = Scores::from(vec![f64::NAN; to.rows.len()]);
        for (k, part) in parts.iter().enumerate() {
            let own = |i: &usize| group_of(edges, ln_d[*i]) == k;
            let own: Vec<usize> = (0..ln_d.len()).filter(own).collect();
            let rows: Vec<u32> = own.iter().map(|&i| to.rows[i]).collect();
            let before: Option<Vec<f64>> = to.before.map(|s| own.iter().map(|&i| s[i]).collect());
            // what the groups go by is not where the part looks for near rows
            let to = RowsToScore { rows: &rows, before: before.as_deref(), coordinates: None, ..*to };
            let found = part.scores(&to, &mut |_| ())?;
            for (i, score) in own.into_iter().zip(found.score) {
                scores.score[i] = score;
            }
            scores.warnings.extend(found.warnings);
            scores = scores.and_without_place(found.without_place);
        }
        Ok(scores)
    }
}

/// What is fitted and what is scored.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    /// calibration rows, ascending
    pub(super) fit: &'a [u32],
    /// rows to score, ascending
    pub(super) score: &'a [u32],
    /// ln D of every data row with respect to `fit`, where it is known
    pub(super) log_proximity: Option<&'a [f64]>,
    /// whether the fit is for other data too
    pub(super) leaves: bool,
}

impl<'a> Rows<'a> {
    /// Other rows of the same data, whose proximity is not known yet.
    pub(super) fn of(&self, fit: &'a [u32], score: &'a [u32]) -> Self {
        Self { fit, score, log_proximity: None, leaves: self.leaves }
    }

    /// As a recalibrator sees the rows that it is fitted on.
    pub(super) fn calibration(&self, data: &'a Predictions, before: Option<&'a [f64]>) -> CalibrationRows<'a> {
        CalibrationRows { data, rows: self.fit, before, log_proximity: self.log_proximity, leaves: self.leaves }
    }
}

/// Fits `kind` on `fit_rows` and scores `score_rows`.
///
/// Methods of the whole vector see the logits of every class where the file has them; the others see the (score,
/// target) pair of the view. `near`: ln D of every data row with respect to `fit_rows`, for methods that look at
/// proximity; looked for where it is not given. `progress` hears the share done of a long fit.
///
/// # Errors
/// `score_missing`, `label_missing`; `unsupported_view` for a method of the whole vector on confidence alone; for LoRe
/// `features_missing`, `unknown_column`, `not_a_number`.
pub fn fit(
    data: &Predictions,
    kind: &MethodKind,
    fit_rows: &[u32],
    score_rows: &[u32],
    near: Option<&[f64]>,
    progress: Progress,
) -> Result<Fitted> {
    let rows = Rows { fit: fit_rows, score: score_rows, log_proximity: near, leaves: false };
    let (fitted, scores) = fit_and_score(data, kind, rows, progress)?;
    Ok(Fitted {
        calibrator: fitted.calibrator,
        score: scores.score.into(),
        warnings: scores.warnings,
        without_place: scores.without_place.into(),
    })
}

/// Fits `kind` on `rows`, with everything that scoring the rows of other files asks for.
///
/// # Errors
/// As [`fit`].
pub fn fitted_for_other_data(data: &Predictions, kind: &MethodKind, rows: &[u32]) -> Result<FittedMethod> {
    let rows = Rows { fit: rows, score: &[], log_proximity: None, leaves: true };
    Ok(fit_and_score(data, kind, rows, &mut |_| ())?.0)
}

/// The fit, and the scores that it gives; what a person should know of either stands with the scores.
///
/// # Errors
/// As [`fit`].
pub(super) fn fit_and_score(
    data: &Predictions,
    kind: &MethodKind,
    rows: Rows,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    let found = match (kind.proximity(), rows.log_proximity) {
        (Some(proximity), None) => Some(log_proximities(data, proximity, rows.fit, rows.score)?),
        _ => None,
    };
    let rows = Rows { log_proximity: found.as_deref().or(rows.log_proximity), ..rows };
    let (fitted, mut scores) = match kind {
        MethodKind::Single(method) => {
            fit_single(method, &rows.calibration(data, None), ToScore { rows: rows.score, before: None }, progress)?
        }
        MethodKind::Best(choice) => fit_best(data, choice, rows, progress)?,
        MethodKind::Composed(composition) => fit_composed(data, composition, rows, progress)?,
        MethodKind::ProximityStratified(groups) => fit_stratified(data, groups, rows, progress)?,
    };
    scores.warnings.extend(kind.not_weighted(data));
    Ok((fitted, scores))
}

impl MethodKind {
    /// What is said of a fit that does not take the sample weights that there are.
    pub(super) fn not_weighted(&self, data: &Predictions) -> Option<Warning> {
        let (Some(_), Some(counting)) = (&data.weights, self.counts_rows()) else {
            return None;
        };
        Some(warning(
            "fit_not_weighted",
            format!("`{}` does not support sample weights; its fit weights all rows equally.", counting.id),
        ))
    }
}

/// Rows to score.
#[derive(Clone, Copy)]
pub(super) struct ToScore<'a> {
    /// ascending
    pub(super) rows: &'a [u32],
    /// scores that the method before gave to them; none: those of the file
    pub(super) before: Option<&'a [f64]>,
}

/// The error of a method that needs the probabilities of all classes, on a file with one score per row.
pub(super) fn needs_logits(id: &str) -> Error {
    let applies = |entry: &&&Entry| {
        let alone = matches!(entry.place, Place::Anywhere | Place::First);
        alone && entry.needs == MethodRequirement::Nothing && !matches!(entry.input, Input::Logits(_))
    };
    let named: Vec<String> = ENTRIES.iter().filter(applies).take(5).map(|entry| format!("`{}`", entry.id)).collect();
    Error::new(
        "unsupported_view",
        format!("`{id}` needs a probability or logit for every class; this file has only one score."),
        format!("Use {} or another that takes one score, or open the full probabilities.", named.join(", ")),
    )
}

/// Fits one recalibrator and scores other rows.
///
/// # Errors
/// `unsupported_view` for a method of logits on rows without them; those of the recalibrator.
pub(super) fn fit_single(
    method: &AnyRecalibrator,
    on: &CalibrationRows,
    ToScore { rows, before }: ToScore,
    progress: Progress,
) -> Result<(FittedMethod, Scores)> {
    if matches!(method.entry().input, Input::Logits(_)) && on.logits().is_none() {
        // missing scores and labels are reported first
        on.pairs()?;
        return Err(needs_logits(method.entry().id));
    }
    let found = method.fit(on, progress)?;
    let of_logits =
        method.entry().input.takes_logits() && on.before.is_none() && on.data.y.is_some() && pair::has_vector(on.data);
    let fitted = FittedMethod {
        calibrator: Calibrator::Single { fit: found.learned, of_logits },
        memory: found.memory,
        parts: Vec::new(),
    };
    let to = RowsToScore {
        data: on.data,
        rows,
        before,
        of_logits,
        fitted_on: Some(on.rows),
        log_proximity: on.log_proximity,
        coordinates: found.coordinates.as_ref(),
    };
    let mut scores = fitted.scores(&to, progress)?;
    scores.warnings.splice(0..0, found.warnings);
    Ok((fitted, scores))
}
