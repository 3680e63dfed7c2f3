//! Files to predictions: join, recognise, check, divide.

mod outcome;

use std::borrow::Borrow;

use super::column::Column;
use super::join::{Joined, joined};
use super::labels::{Labels, matched};
use super::names;
use super::options::{OpenOptions, Summary, Warning};
use super::positive::{completed, positive};
use super::predictions::{Predictions, Scores, View};
use super::recognise::recognised;
use super::roles::{ColumnRole, Role};
use super::rows::{Check, Fault, keep_rows};
use super::scores::{
    Clipped, Source, check_array, check_sums, joined as joined_columns, numbers, top_label,
};
use super::split::divided;
use super::table::{MISSING, Table, Values};
use super::wording::{counted, listed, thousands};
use crate::error::{Error, Result};
use crate::read::ReadFile;

/// What is known of the rows before the unusable ones are left out.
#[derive(Debug, Default)]
struct Draft {
    labels: Vec<String>,
    positive: Option<usize>,
    scores: Option<Scores>,
    y: Option<Vec<u32>>,
    predicted: Option<Vec<u32>>,
    confidence: Option<Vec<f64>>,
    correct: Option<Vec<u8>>,
}

/// Predictions and their summary from the columns of one or more files.
///
/// ŷ is the class with the largest score (ties to the lowest index; for one probability, 1 iff p > 0.5), c its
/// probability, a = 1 where ŷ = y. Logits become probabilities by softmax, log-odds by σ.
///
/// # Errors
/// `roles_unclear` when there is neither a label nor a score; `not_a_number`, `probability_out_of_range`,
/// `rows_do_not_sum_to_one`, `label_out_of_range` name the first row; `length_mismatch`, `ids_do_not_match`,
/// `columns_ambiguous`, `unknown_column`, `unsupported_view`, `invalid_option`, `split_empty`, `empty`.
///
/// # Cost
/// O(rows × columns).
pub fn assemble<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<(Predictions, Summary)> {
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
    let mut dropped = Vec::new();
    let keep = check.kept(&table, &mut dropped, &mut warnings)?;
    let mut row_numbers: Vec<u32> = (1..=table.rows as u32).collect();
    if let Some(keep) = keep {
        draft.keep_rows(&keep);
        table.keep_rows(&keep);
        keep_rows(&mut row_numbers, 1, &keep);
    }
    draft.finish(&mut warnings);
    about_rows(&draft, &table, &roles, &source, &mut warnings);

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
        y: draft.y.map(Column),
        predicted: draft.predicted.map(Column),
        confidence: draft.confidence.map(Column),
        correct: draft.correct.map(Column),
        division: divided.division,
        sets: divided.sets,
        row_numbers: Column(row_numbers),
        table,
        roles,
    };
    Ok((predictions, summary))
}

use outcome::Outcome;

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

fn draft(
    table: &Table,
    roles: &[ColumnRole],
    source: &Source,
    outcome: Outcome,
    options: &OpenOptions,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let mut clipped = Clipped::default();
    let draft = match source {
        Source::One { column, logits } => binary(
            table,
            *column,
            *logits,
            outcome,
            options,
            check,
            &mut clipped,
            warnings,
        ),
        Source::Columns { columns, logits } => {
            let found: Vec<Vec<f64>> = columns
                .iter()
                .map(|&j| numbers(table, j, !logits, check, &mut clipped))
                .collect();
            let names: Vec<&str> = columns
                .iter()
                .filter_map(|&j| table.columns.get(j).map(|c| c.name.as_str()))
                .collect();
            let occurring = outcome.labels.as_ref().map_or(&[][..], |l| &l.names);
            // Columns that were named by position say nothing but their order.
            let headless = names.iter().all(|name| name.starts_with("column "));
            let classes = names::classes(&names, occurring, headless);
            let order = class_order(&classes);
            let ordered: Vec<Vec<f64>> = order
                .iter()
                .filter_map(|&k| found.get(k).cloned())
                .collect();
            let classes: Vec<String> = order
                .iter()
                .filter_map(|&k| classes.get(k).cloned())
                .collect();
            let mut matrix = joined_columns(&ordered, table.rows);
            if !logits {
                let first = columns.first().copied().unwrap_or(0);
                check_sums(&mut matrix, first, options.renormalise, check, warnings);
            }
            many(
                matrix, *logits, classes, !headless, outcome, options, check, warnings,
            )
        }
        Source::Array { column, logits } => {
            let Some(Values::Matrix(array)) = table.columns.get(*column).map(|c| &c.values) else {
                return Err(roles_unclear(roles, warnings));
            };
            let mut matrix = array.clone();
            check_array(&mut matrix, *column, *logits, check, &mut clipped);
            if !logits {
                check_sums(&mut matrix, *column, options.renormalise, check, warnings);
            }
            let classes = (0..matrix.width).map(|k| k.to_string()).collect();
            many(
                matrix, *logits, classes, false, outcome, options, check, warnings,
            )
        }
        Source::Confidence { column } => {
            let confidence = numbers(table, *column, true, check, &mut clipped);
            outcome.with_confidence(Some(confidence), options, check, warnings)
        }
        Source::Nowhere => outcome.with_confidence(None, options, check, warnings),
    };
    clipped.warn(warnings);
    draft
}

/// Ascending if all classes are numbers, else as the columns stand.
fn class_order(classes: &[String]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes.len()).collect();
    let numbers: Option<Vec<f64>> = classes.iter().map(|class| class.parse().ok()).collect();
    if let Some(numbers) = numbers {
        let at = |k: usize| numbers.get(k).copied().unwrap_or(f64::NAN);
        order.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
    }
    order
}

/// One probability or log-odds of one of two classes.
#[allow(clippy::too_many_arguments)]
fn binary(
    table: &Table,
    column: usize,
    logits: bool,
    outcome: Outcome,
    options: &OpenOptions,
    check: &mut Check,
    clipped: &mut Clipped,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let name = table.columns.get(column).map(|c| c.name.as_str());
    let found = outcome.labels.unwrap_or_default();
    let occurring = found.names.clone();
    let (labels, place) = two_labels(&occurring, name)?;
    let k = positive(&labels, options.positive.as_deref(), name, warnings)?;
    let (Some(one), Some(zero)) = (labels.get(k).cloned(), labels.get(1 - k).cloned()) else {
        return Err(three_labels(&occurring));
    };
    // A column named after a label is about that label, whichever is counted as 1.
    let about = name.and_then(|name| names::named_label(name, &labels));
    let flip = about.is_some_and(|(label, _)| label == zero);

    let mut values = numbers(table, column, !logits, check, clipped);
    let (p, logit) = if logits {
        if flip {
            values.iter_mut().for_each(|z| *z = -*z);
        }
        let p = values.iter().map(|&z| sigmoid(z)).collect();
        (p, Some(Column(values)))
    } else {
        if flip {
            values.iter_mut().for_each(|p| *p = 1.0 - *p);
        }
        (Column(values), None)
    };
    let y = outcome.label_column.map(|label_column| {
        let class: Vec<u32> = place
            .iter()
            .map(|place| match place {
                Some(index) => u32::from(*index == k),
                None => MISSING,
            })
            .collect();
        let y = found.recoded(&class);
        note_labels(&y, &found.codes, label_column, 2, check);
        y
    });
    Ok(Draft {
        labels: vec![zero, one],
        positive: Some(1),
        scores: Some(Scores::Binary { p, logit }),
        y,
        ..Draft::default()
    }
    .compared(outcome.predicted))
}

fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let e = z.exp();
        e / (1.0 + e)
    }
}

/// Two labels for the labels that occur, and the place of each of those among the two.
fn two_labels(
    occurring: &[String],
    score_column: Option<&str>,
) -> Result<(Vec<String>, Vec<Option<usize>>)> {
    let labels = match occurring.len() {
        0 | 1 => completed(occurring, score_column),
        2 => occurring.to_vec(),
        // 0 and 1 with a few others: the others are faults of their rows.
        _ if ["0", "1"]
            .iter()
            .all(|known| occurring.iter().any(|l| l == known)) =>
        {
            vec!["0".into(), "1".into()]
        }
        _ => return Err(three_labels(occurring)),
    };
    let place = occurring
        .iter()
        .map(|label| labels.iter().position(|l| l == label))
        .collect();
    Ok((labels, place))
}

fn three_labels(occurring: &[String]) -> Error {
    Error::new(
        "label_out_of_range",
        format!(
            "{} different labels against one probability, which tells 2 apart: {}.",
            thousands(occurring.len()),
            listed(occurring)
        ),
        "Give the other classes' columns the role `probability`; or give this one the role `confidence` and name the predicted label.",
    )
}

/// Notes rows whose label is missing or names no class.
fn note_labels(y: &[u32], codes: &[u32], column: usize, classes: usize, check: &mut Check) {
    for (row, (&class, &code)) in y.iter().zip(codes).enumerate() {
        if class == MISSING {
            let fault = if code == MISSING {
                Fault::Missing
            } else {
                Fault::NotAClass(classes)
            };
            check.note(row, column, None, fault);
        }
    }
}

/// A row of probabilities or logits for all classes.
#[allow(clippy::too_many_arguments)]
fn many(
    matrix: super::table::Matrix,
    logits: bool,
    classes: Vec<String>,
    named: bool,
    outcome: Outcome,
    options: &OpenOptions,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let found = outcome.labels.unwrap_or_default();
    let classes = matched(classes, &found.names, named, warnings);
    let y = outcome.label_column.map(|label_column| {
        let y = found.recoded(&classes.of_label);
        note_labels(&y, &found.codes, label_column, classes.names.len(), check);
        y
    });
    let positive = if classes.names.len() == 2 {
        let mut quiet = Vec::new();
        let asked = options.view == Some(View::Positive);
        Some(positive(
            &classes.names,
            options.positive.as_deref(),
            None,
            if asked { warnings } else { &mut quiet },
        )?)
    } else if let Some(wished) = &options.positive {
        return Err(Error::new(
            "invalid_option",
            format!(
                "positive: `{wished}` is one of {} classes; only two have a positive one.",
                thousands(classes.names.len())
            ),
            "Leave it out.",
        ));
    } else {
        None
    };
    Ok(Draft {
        labels: classes.names,
        positive,
        scores: Some(if logits {
            Scores::Logits(matrix)
        } else {
            Scores::Probabilities(matrix)
        }),
        y,
        ..Draft::default()
    }
    .compared(outcome.predicted))
}

impl Draft {
    /// Keeps the file's own predicted labels, as classes, until ŷ is known.
    fn compared(mut self, predicted: Option<Labels>) -> Draft {
        self.predicted = predicted.map(|predicted| {
            let place: Vec<u32> = predicted
                .names
                .iter()
                .map(|name| {
                    self.labels
                        .iter()
                        .position(|label| label == name)
                        .map_or(MISSING, |k| k as u32)
                })
                .collect();
            predicted.recoded(&place)
        });
        self
    }

    fn keep_rows(&mut self, keep: &[u32]) {
        match &mut self.scores {
            Some(Scores::Binary { p, logit }) => {
                keep_rows(&mut p.0, 1, keep);
                if let Some(logit) = logit {
                    keep_rows(&mut logit.0, 1, keep);
                }
            }
            Some(Scores::Probabilities(matrix) | Scores::Logits(matrix)) => matrix.keep_rows(keep),
            Some(Scores::Confidence) | None => {}
        }
        for codes in [&mut self.y, &mut self.predicted].into_iter().flatten() {
            keep_rows(codes, 1, keep);
        }
        if let Some(confidence) = &mut self.confidence {
            keep_rows(confidence, 1, keep);
        }
        if let Some(correct) = &mut self.correct {
            keep_rows(correct, 1, keep);
        }
    }

    /// ŷ, c and a from the scores and y.
    fn finish(&mut self, warnings: &mut Vec<Warning>) {
        if let Some((predicted, confidence)) = self.scores.as_ref().and_then(top_label) {
            if let Some(stated) = &self.predicted {
                let pairs = stated.iter().zip(&predicted);
                let other = pairs
                    .clone()
                    .filter(|(a, b)| a != b && **a != MISSING)
                    .count();
                if other > 0 {
                    let first = pairs.clone().position(|(a, b)| a != b && *a != MISSING);
                    warnings.push(Warning {
                        code: "predicted_differs".into(),
                        message: format!(
                            "The predicted label of {} is not the class with the largest score; the scores are used.",
                            counted(other, "row")
                        ),
                        row: first.map(|row| row + 1),
                        column: None,
                    });
                }
            }
            self.predicted = Some(predicted);
            self.confidence = Some(confidence);
        }
        if self.correct.is_none()
            && let (Some(predicted), Some(y)) = (&self.predicted, &self.y)
        {
            let right = predicted.iter().zip(y).map(|(a, b)| u8::from(a == b));
            self.correct = Some(right.collect());
        }
    }

    /// Views that the data allow.
    fn views(&self) -> Vec<View> {
        match &self.scores {
            Some(Scores::Binary { .. }) => vec![View::Positive, View::TopLabel],
            Some(Scores::Probabilities(_) | Scores::Logits(_)) if self.labels.len() == 2 => {
                vec![View::TopLabel, View::Positive]
            }
            _ => vec![View::TopLabel],
        }
    }
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

/// Warnings about what is missing or strange without being wrong.
fn about_rows(
    draft: &Draft,
    table: &Table,
    roles: &[ColumnRole],
    source: &Source,
    warnings: &mut Vec<Warning>,
) {
    let mut warn = |code: &str, message: String, row: Option<usize>, column: Option<String>| {
        warnings.push(Warning {
            code: code.into(),
            message,
            row,
            column,
        });
    };
    if *source == Source::Nowhere {
        let message = "No column says what the model predicted: labels only.".to_owned();
        warn("score_missing", message, None, None);
    } else if draft.y.is_none() && draft.correct.is_none() {
        let message = "No column says what happened: scores only.".to_owned();
        warn("label_missing", message, None, None);
    } else if draft.correct.is_none() {
        let message = "Nothing says which class was predicted, so that confidence cannot be compared with being right.".to_owned();
        warn("correct_unknown", message, None, None);
    }
    if let Some(y) = &draft.y
        && let Some(first) = y.first()
        && y.iter().all(|class| class == first)
    {
        let label = draft
            .labels
            .get(*first as usize)
            .cloned()
            .unwrap_or_default();
        let message = format!(
            "Only one class occurs in {}: `{label}`. What compares classes cannot be computed.",
            counted(y.len(), "row")
        );
        warn("single_class", message, None, None);
    }
    if table.rows < 10 {
        let message = format!(
            "Only {}: intervals and folds mean little.",
            counted(table.rows, "row")
        );
        warn("few_rows", message, None, None);
    }
    for (column, role) in table.columns.iter().zip(roles) {
        if !matches!(role.role, Role::Feature | Role::Features) {
            continue;
        }
        let bad = |x: &f64| !x.is_finite();
        let (count, first) = match &column.values {
            Values::Numbers(v) => (
                v.iter().filter(|x| bad(x)).count(),
                v.iter().position(|x| bad(&x)),
            ),
            _ => (0, None),
        };
        if count > 0 {
            let message = format!(
                "{} of a feature {} missing or infinite: `{}`. Local results leave such rows out or need another feature.",
                counted(count, "value"),
                if count == 1 { "is" } else { "are" },
                column.name
            );
            warn(
                "feature_incomplete",
                message,
                first.map(|row| row + 1),
                Some(column.name.clone()),
            );
        }
    }
}
