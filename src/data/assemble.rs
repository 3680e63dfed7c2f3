//! Files to predictions: join, recognise, check, divide.

mod draft;
mod notes;
mod outcome;

use std::borrow::Borrow;

use super::column::Column;
use super::join::{Joined, joined};
use super::options::{OpenOptions, Summary, Warning};
use super::predictions::{Predictions, Scores, View};
use super::recognise::recognised;
use super::roles::ColumnRole;
use super::rows::{Check, keep_rows};
use super::scores::Source;
use super::split::divided;
use super::telltale::telltale_columns;
use super::weights::{Weights, weights};
use super::wording::{counted, listed, thousands};
use crate::error::{Error, Result};
use crate::read::ReadFile;
use draft::{Draft, draft};
use notes::{about_rows, about_telltales};
use outcome::Outcome;

/// Predictions and their summary from the columns of one or more files.
///
/// ŷ is the class with the largest score (ties to the lowest index; for one probability, 1 iff p > 0.5), c its
/// probability, a = 1 where ŷ = y. Logits become probabilities by softmax, log-odds by σ.
///
/// # Errors
/// `roles_unclear` when there is neither a label nor a score; `not_a_number`, `probability_out_of_range`,
/// `rows_do_not_sum_to_one`, `label_out_of_range` name the first row; `length_mismatch`, `ids_do_not_match`,
/// `columns_ambiguous`, `unknown_column`, `unsupported_view`, `invalid_option`, `split_empty`, `empty`;
/// `weight_negative`, `weights_all_zero`.
///
/// # Cost
/// O(rows × columns).
pub fn assemble<F: Borrow<ReadFile>>(
    files: &[F],
    options: &OpenOptions,
) -> Result<(Predictions, Summary)> {
    let Joined {
        mut table,
        given,
        second,
        mut warnings,
    } = joined(files, options)?;
    let recognised = recognised(&table, &given);
    let roles = recognised.roles;
    warnings.extend(recognised.warnings);
    let source = Source::of(&table, &roles)?;
    let outcome = Outcome::of(&table, &roles)?;
    if source == Source::Nowhere && outcome.labels.is_none() && outcome.correct.is_none() {
        return Err(roles_unclear(&roles, &warnings));
    }

    let mut check = Check::new(options.rows);
    let mut draft = draft(
        &table,
        &roles,
        &source,
        outcome,
        options,
        &mut check,
        &mut warnings,
    )?;
    draft.weights = weights(&table, &roles, &mut check)?;
    let mut dropped = Vec::new();
    let keep = check.kept(&table, &mut dropped, &mut warnings)?;
    let mut row_numbers: Vec<u32> = (1..=table.rows as u32).collect();
    if let Some(keep) = keep {
        draft.keep_rows(&keep);
        table.keep_rows(&keep);
        keep_rows(&mut row_numbers, 1, &keep);
    }
    let weights = match draft.weights.take() {
        Some((place, values)) => {
            let column = table.columns.get(place);
            let name = column.map_or_else(String::new, |column| column.name.clone());
            Some(Weights::new(name, values)?)
        }
        None => None,
    };
    draft.finish(&row_numbers, &mut warnings);
    about_rows(
        &draft,
        weights.as_ref(),
        &table,
        &roles,
        &source,
        &row_numbers,
        &mut warnings,
    );

    let telltale = telltale_columns(&table, &roles, draft.y.as_deref(), draft.correct.as_deref());
    warnings.extend(about_telltales(&roles, &telltale));
    let views = draft.views();
    let view = view(options.view, &draft, &views)?;
    let divided = divided(
        &options.split,
        &table,
        &roles,
        &row_numbers,
        second.as_ref(),
        &mut warnings,
    )?;
    let classes = match (&draft.scores, draft.labels.len()) {
        (Some(Scores::Confidence), 0) => 2,
        (_, m) => m,
    };
    let summary = Summary {
        rows: table.rows,
        classes,
        labels: draft.labels.clone(),
        view,
        positive: draft.positive.and_then(|k| draft.labels.get(k).cloned()),
        columns: roles.clone(),
        dropped,
        unsure: unsure(&roles, &warnings),
        warnings,
        split: divided.words,
        views,
    };
    let predictions = Predictions {
        rows: table.rows,
        labels: draft.labels,
        view,
        positive: draft.positive,
        scores: draft.scores,
        y: draft.y.map(Column::from),
        predicted: draft.predicted.map(Column::from),
        confidence: draft.confidence.map(Column::from),
        correct: draft.correct.map(Column::from),
        weights,
        division: divided.division,
        sets: divided.sets,
        row_numbers: Column::from(row_numbers),
        table,
        roles,
        telltale: telltale.into(),
        projections: Vec::new(),
    };
    Ok((predictions, summary))
}

/// What the columns of files are taken for, where they do not (yet) make a data set: enough to show a person, who
/// can then say better.
///
/// # Errors
/// Those of joining files: `length_mismatch`, `ids_do_not_match`, `unknown_column`, `columns_ambiguous`, `empty`.
pub fn recognise<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<Summary> {
    let Joined {
        table,
        given,
        mut warnings,
        ..
    } = joined(files, options)?;
    let recognised = recognised(&table, &given);
    warnings.extend(recognised.warnings);
    Ok(Summary {
        rows: table.rows,
        classes: 0,
        labels: Vec::new(),
        view: View::TopLabel,
        positive: None,
        unsure: unsure(&recognised.roles, &warnings),
        columns: recognised.roles,
        dropped: Vec::new(),
        warnings,
        split: String::new(),
        views: Vec::new(),
    })
}

/// Whether a role is only a guess, or class numbers were moved.
fn unsure(roles: &[ColumnRole], warnings: &[Warning]) -> bool {
    roles.iter().any(|role| !role.sure) || warnings.iter().any(|w| w.code == "labels_shifted")
}

fn roles_unclear(roles: &[ColumnRole], warnings: &[Warning]) -> Error {
    let why = warnings
        .iter()
        .find(|w| w.code == "scores_in_percent" || w.code == "score_not_probability")
        .map(|w| format!(" {}", w.message))
        .unwrap_or_default();
    Error::new(
        "roles_unclear",
        format!(
            "Neither a label nor a score was found among {}: {}.{why}",
            counted(roles.len(), "column"),
            listed(roles.iter().map(|r| &r.name))
        ),
        "Say which column is what, for example roles: { died: \"label\", risk: \"probability\" }.",
    )
}

fn view(wished: Option<View>, draft: &Draft, views: &[View]) -> Result<View> {
    match wished {
        Some(view) if views.contains(&view) => Ok(view),
        Some(_) => Err(Error::new(
            "unsupported_view",
            match &draft.scores {
                Some(Scores::Confidence) => {
                    "The positive view needs P(y = 1); the file holds only the confidence of the predicted class.".to_owned()
                }
                None => "The positive view needs P(y = 1); the file holds no scores.".into(),
                _ => format!(
                    "The positive view needs two classes; there are {}.",
                    thousands(draft.labels.len())
                ),
            },
            "Use view: \"top_label\".",
        )),
        None => Ok(views.first().copied().unwrap_or(View::TopLabel)),
    }
}
