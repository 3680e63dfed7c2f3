//! A stored calibrator on the open file: new predictions, recalibrated as the earlier ones were.

use std::borrow::Cow;

use super::columns;
use super::stored::{Stored, StoredMethod};
use crate::data::{Predictions, Role, Scores as ScoresOfFile, View, is_inferred_outcome, pair};
use crate::error::{Error, Result, Text, message, phrases};
use crate::evaluation::method::Calibrator;
use crate::evaluation::method::vector::leaving_scores;
use crate::evaluation::vectors::Vectors;
use crate::num::order;
use crate::recalibrate::recalibrator::{RowsToScore, Scores, WITHOUT_PLACE};
use crate::report::csv::{guarded, number};
use crate::report::export::{Bytes, ClassColumns, empty_without_place, score_name};
use crate::report::row_names::Names;
use crate::words::text::{listed, quoted};

/// The predictions of the open file with one column per stored method, as CSV in the order of the file; no label is
/// needed.
///
/// Columns: the id (or `row`), `label` or `correct` where the file has an outcome that a person or its name says is one, `predicted`, the score of the view (`p` or
/// `confidence`) and `<score>_<method>`; with `classes`, the probability of every class as `<method>:<label>` besides,
/// as in the metrics: a method of the score sets the predicted class and scales the others. Rows of `mir`, whose metrics
/// are those of rows that need not sum to 1, are divided by their sums. A row that lacks a feature by which a method compares
/// rows has empty cells there; the notes count them, and what a method says of the rows that it scored, as of groups that
/// have no fit of their own. Numbers read back to the same bits.
///
/// # Errors
/// `score_missing`; `calibrator_mismatch` if the calibrator belongs to another view, other classes, other columns of
/// scores, or a score for every class that the file does not have; `features_missing` for a column of features or groups that is
/// not there, `not_a_number` for coordinates.
pub fn applied_csv(data: &Predictions, stored: &Stored, classes: bool, names: Names) -> Result<Bytes> {
    let (data, unused) = without_inferred_outcome(data, stored);
    let data = &*data;
    let original = pair::scores(data)?;
    fits_together(data, stored)?;
    let other_names = columns::compared(data, &stored.score_columns)?;
    let rows: Vec<u32> = (0..data.rows as u32).collect();
    let scores: Vec<Result<Scores>> = stored.methods.iter().map(|method| method.applied(data, &rows)).collect();
    let applicable = stored.methods.iter().zip(&scores).filter(|(_, scores)| scores.is_ok());
    let applicable: Vec<String> = applicable.map(|(method, _)| method.name.clone()).collect();
    let scores: Vec<Scores> = scores.into_iter().collect::<Result<_>>().map_err(|error| of_some(error, &applicable))?;

    let columns = ClassColumns::of(data);
    let calibrators: Vec<Calibrator> = stored.methods.iter().map(|method| method.fit.calibrator.clone()).collect();
    // Each method alone: groups of one are not those of another.
    let mut vectors = Vec::new();
    if classes {
        for calibrator in calibrators.chunks(1) {
            vectors.extend(Vectors::new(data, calibrator)?);
        }
    }
    let mut vector = vec![0.0; pair::classes(data)];
    let mut out = header(data, stored, &columns, !vectors.is_empty(), names).join(",");
    out.push('\n');
    for (i, score) in original.iter().enumerate() {
        let start = out.len();
        columns.write(&mut out, i);
        out.push(',');
        number(&mut out, *score);
        let of_row =
            |scores: &Scores| scores.without_place.binary_search(&(i as u32)).is_err().then(|| scores.score[i]);
        for scores in &scores {
            out.push(',');
            of_row(scores).into_iter().for_each(|score| number(&mut out, score));
        }
        for (vectors, scores) in vectors.iter().zip(&scores) {
            let score = of_row(scores);
            score.into_iter().for_each(|score| vectors.leaving_into(i, 0, score, &mut vector));
            for p in &vector {
                out.push(',');
                score.into_iter().for_each(|_| number(&mut out, *p));
            }
        }
        // every cell begins with its comma
        match names.cell(data, i) {
            Some(name) => out.insert_str(start, &name),
            None => drop(out.remove(start)),
        }
        out.push('\n');
    }
    let of_methods = stored.methods.iter().zip(&scores).flat_map(|(method, scores)| notes(data, method, scores));
    let notes = unused.into_iter().chain(other_names).chain(of_methods).collect();
    Ok(Bytes { notes, ..out.into_bytes().into() })
}

/// The rows without an outcome that only its values suggest, or that was guessed and has other values than the outcome of the
/// fit; and what is said of it. A covariate of two values is no reason to refuse rows, and no label of them.
fn without_inferred_outcome<'a>(data: &'a Predictions, stored: &Stored) -> (Cow<'a, Predictions>, Option<String>) {
    let binary = matches!(data.scores, Some(ScoresOfFile::Binary { .. }));
    let pair: Option<[String; 2]> = stored.labels.clone().try_into().ok();
    // p is the probability of the second label
    let pair = pair.filter(|pair| stored.positive.as_ref().is_none_or(|positive| positive == &pair[1]));
    let others = binary && sorted(&data.labels) != sorted(&stored.labels) && stored.labels.len() == 2;
    let mut columns = data.roles.iter().filter(|column| matches!(column.role, Role::Label | Role::Correct));
    let Some(column) = columns.find(|column| is_inferred_outcome(column) || others && !column.sure) else {
        return (Cow::Borrowed(data), None);
    };
    let said = format!("{} is not used: only its values suggest that it is the outcome.", quoted(&column.name));
    (Cow::Owned(data.without_outcome(pair.as_ref())), Some(said))
}

fn sorted(labels: &[String]) -> Vec<String> {
    let mut labels = labels.to_vec();
    order::sort(&mut labels, &Ord::cmp);
    labels
}

/// The names of the columns; `classes`: with the probability of every class under each method.
fn header(data: &Predictions, stored: &Stored, columns: &ClassColumns, classes: bool, names: Names) -> Vec<String> {
    let score_name = score_name(data.view);
    let mut header: Vec<String> = names.head(data).into_iter().collect();
    header.extend(columns.heads());
    header.push(score_name.into());
    header.extend(stored.methods.iter().map(|method| guarded(&format!("{score_name}_{}", method.name))));
    for method in stored.methods.iter().filter(|_| classes) {
        let label = |k: usize| data.labels.get(k).cloned().unwrap_or_else(|| k.to_string());
        header.extend((0..pair::classes(data)).map(|k| guarded(&format!("{}:{}", method.name, label(k)))));
    }
    header
}

/// What is to be known of the column of a method: its empty cells, and what the method says of the rows that it scored.
fn notes(data: &Predictions, method: &StoredMethod, scores: &Scores) -> Vec<String> {
    let column = format!("{}_{}", score_name(data.view), method.name);
    let said = scores.warnings.iter().filter(|warning| warning.code != WITHOUT_PLACE);
    let said = said.map(|warning| format!("`{column}`: {}", warning.message));
    let empty = scores.without_place.len();
    let empty = (empty > 0).then(|| empty_without_place(&column, empty, data.rows));
    empty.into_iter().chain(said).collect()
}

impl StoredMethod {
    /// Scores of some rows of the open file as they leave the program.
    fn applied(&self, data: &Predictions, rows: &[u32]) -> Result<Scores> {
        let found = self.fit.scores(&RowsToScore::of_other_data(data, rows), &mut |_| ())?;
        let fit = std::slice::from_ref(&self.fit.calibrator);
        Ok(Scores { score: leaving_scores(data, fit, rows, |_| 0, &found.score), ..found })
    }
}

impl Stored {
    /// Scores of some rows of the open file under each stored method, by its name.
    ///
    /// # Errors
    /// As [`applied_csv`].
    pub fn scores(&self, data: &Predictions, rows: &[u32]) -> Result<Vec<(String, Vec<f64>)>> {
        fits_together(data, self)?;
        self.methods.iter().map(|method| Ok((method.name.clone(), method.applied(data, rows)?.score))).collect()
    }
}

/// A column that is missing, where other methods of the calibrator do without it.
fn of_some(error: Error, applicable: &[String]) -> Error {
    if error.code() != "features_missing" || applicable.is_empty() {
        return error;
    }
    let those = listed(applicable);
    error.with_hint(message![
        format!("Add the column, or apply a method that does without it: {those}. "),
        phrases::OTHER_STORED_METHOD
    ])
}

fn mismatch(message: String, hint: impl Into<Text>) -> Error {
    Error::new("calibrator_mismatch", message, hint)
}

/// Refuses a calibrator of another view or of other classes.
fn fits_together(data: &Predictions, stored: &Stored) -> Result<()> {
    let words = |view: View| match view {
        View::Positive => "P(y = 1)",
        View::TopLabel => "the confidence of the predicted class",
    };
    if data.view != stored.view {
        return Err(mismatch(
            format!("The calibrator recalibrates {}; the file is open for {}.", words(stored.view), words(data.view)),
            phrases::SAME_VIEW,
        ));
    }
    let m = pair::classes(data);
    let of_vector = pair::has_vector(data) && stored.methods.iter().any(|method| method.fit.of_logits());
    if let (Some(method), false) = (stored.methods.iter().find(|method| method.fit.of_logits()), pair::has_vector(data))
    {
        return Err(mismatch(
            format!(
                "`{}` needs a score for each of {} classes; this file has one score per row.",
                method.name, stored.classes
            ),
            "Open the full probabilities or logits, or choose another method of the calibrator.",
        ));
    }
    if of_vector && m != stored.classes {
        return Err(mismatch(
            format!("The calibrator was fitted on {} classes; this file has {m}.", stored.classes),
            "Apply it to scores of the same model.",
        ));
    }
    // A file without labels may not know their names: then their number has to do.
    let same_names = sorted(&data.labels) == sorted(&stored.labels);
    let whole = |labels: &[String]| labels.len() == stored.classes;
    // a column that was only guessed to hold the outcome says nothing of the classes
    let guessed = data.roles.iter().any(|column| column.role == Role::Label && !column.sure);
    let known = data.y.is_some() && !guessed && whole(&data.labels) && whole(&stored.labels);
    if (of_vector || data.view == View::Positive) && data.labels != stored.labels && (same_names || known) {
        return Err(mismatch(
            format!(
                "The classes differ in name or order: {} in the calibrator, {} in this file.",
                stored.labels.join(", "),
                data.labels.join(", ")
            ),
            "Apply it to scores of the same model, with columns in the same order.",
        ));
    }
    let positive = data.positive.and_then(|positive| data.labels.get(positive));
    if let (View::Positive, true, Some(theirs), Some(ours)) = (data.view, known, &stored.positive, positive)
        && theirs != ours
    {
        return Err(mismatch(
            format!("The calibrator recalibrates P({theirs}); the file contains P({ours})."),
            phrases::SAME_POSITIVE,
        ));
    }
    Ok(())
}
