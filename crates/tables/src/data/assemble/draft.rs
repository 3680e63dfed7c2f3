//! Scores, labels and what follows from them, before unusable rows are left out.

use super::super::labels::{Labels, matched};
use super::super::names;
use super::super::options::{OpenOptions, RowPolicy};
use super::super::positive::{completed, positive};
use super::super::predictions::Scores;
use super::super::roles::ColumnRole;
use super::super::rows::{Check, Fault};
use super::super::scores::{
    Clipped, Source, check_array, check_ratings, check_sums, joined as joined_columns, numbers, tenths,
};
use super::super::session::for_two_classes;
use super::super::top_label::top_label;
use super::super::view::View;
use super::outcome::Outcome;
use super::roles_unclear;
use crate::error::{Error, Result, message, phrases};
use crate::num::order;
use crate::table::column::Column;
use crate::table::values::{MISSING, Matrix, Table, Values};
use crate::table::{Warning, keep_rows};
use crate::words::text::{counted, listed, quoted, thousands};

/// Rows below which an outcome may have one label by chance.
const FEW_LABELS: usize = 20;

/// What is known of the rows before the unusable ones are left out.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub labels: Vec<String>,
    pub positive: Option<usize>,
    pub scores: Option<Scores>,
    pub y: Option<Vec<u32>>,
    pub predicted: Option<Vec<u32>>,
    pub confidence: Option<Vec<f64>>,
    pub correct: Option<Vec<u8>>,
    /// the column of the sample weights, and its values
    pub weights: Option<(usize, Vec<f64>)>,
}

/// Scores and labels of the rows, with faults noted in `check`.
pub(super) fn draft(
    table: &Table,
    roles: &[ColumnRole],
    source: &Source,
    outcome: Outcome,
    options: &OpenOptions,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let mut clipped = Clipped::default();
    let of_outcome = outcome.label_column.and_then(|j| table.columns.get(j)).map(|c| c.name.as_str());
    let draft = match source {
        Source::One { column, logits } => {
            binary(table, *column, *logits, outcome, options, check, &mut clipped, warnings)
        }
        Source::Columns { columns, logits } => {
            let found: Vec<Vec<f64>> =
                columns.iter().map(|&j| numbers(table, j, !logits, check, &mut clipped)).collect::<Result<_>>()?;
            let names: Vec<&str> =
                columns.iter().filter_map(|&j| table.columns.get(j).map(|c| c.name.as_str())).collect();
            let occurring = outcome.labels.as_ref().map_or(&[][..], |l| &l.names);
            // Columns that were named by position say nothing but their order.
            // R calls the columns of a matrix so, in the order of the levels of a factor.
            let of_matrix = |(k, name): (usize, &&str)| *name == format!("V{}", k + 1);
            let in_words = occurring.iter().any(|label| label.parse::<f64>().is_err());
            let headless = names.iter().all(|name| name.starts_with("column "))
                || in_words && names.iter().enumerate().all(of_matrix);
            let classes = names::classes(&names, occurring, headless);
            let unmatched = !headless && !classes.iter().any(|class| occurring.contains(class));
            let sensed = names::by_sense(&names, occurring, of_outcome).filter(|_| unmatched);
            let classes = sensed.unwrap_or(classes);
            let order = class_order(&classes);
            let ordered: Vec<Vec<f64>> = order.iter().filter_map(|&k| found.get(k).cloned()).collect();
            let classes: Vec<String> = order.iter().filter_map(|&k| classes.get(k).cloned()).collect();
            let mut matrix = joined_columns(&ordered, table.rows);
            if !logits {
                let first = columns.first().copied().unwrap_or(0);
                check_sums(&mut matrix, first, options.renormalise, check, warnings);
            }
            many(matrix, *logits, classes, !headless, (outcome, of_outcome), options, check, warnings)
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
            many(matrix, *logits, classes, false, (outcome, of_outcome), options, check, warnings)
        }
        Source::Confidence { column } => {
            check_ratings(table, *column)?;
            let confidence = numbers(table, *column, true, check, &mut clipped)?;
            without_classes(outcome, Some(confidence), options, check, warnings)
        }
        Source::Nowhere => without_classes(outcome, None, options, check, warnings),
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
        order::sort(&mut order, &|&a, &b| at(a).total_cmp(&at(b)));
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
    // pandas calls the only column of an array 0: that is no class.
    let name = table.columns.get(column).map(|c| c.name.as_str()).filter(|name| *name != "0");
    let found = outcome.labels.unwrap_or_default();
    one_label_or_none(&found, outcome.label_column, table, options)?;
    let occurring = found.names.clone();
    let (labels, place) = match against_the_rest(&occurring, options.positive.as_deref(), warnings) {
        Some(two) => two,
        None => two_labels(&occurring, name, options.positive.as_deref())?,
    };
    let of_outcome = outcome.label_column.and_then(|column| table.columns.get(column)).map(|c| c.name.as_str());
    let modeled = modeled_level(table, &labels);
    let event = options.positive.as_deref().or(modeled.as_deref());
    let file = table.columns.get(column).map_or("", |c| &c.file);
    let beside = table.columns.iter().enumerate().filter(|(j, c)| *j != column && c.file == file);
    // A column named after a label is about that label, whichever is counted as 1.
    let about = name.and_then(|name| names::class_of_score(name, &labels, beside.map(|(_, c)| c.name.as_str())));
    let k = positive(&labels, event, about, (of_outcome, name), warnings)?;
    let (Some(one), Some(zero)) = (labels.get(k).cloned(), labels.get(1 - k).cloned()) else {
        return Err(three_labels(&occurring));
    };
    let flip = about == Some(zero.as_str());

    // Only a person can say that tenths are probabilities, never a name alone.
    let told = options.roles.keys().any(|key| {
        let own = key.rsplit_once(':').map_or(key.as_str(), |(_, own)| own);
        name.is_some_and(|name| key == name || own == name)
    });
    let tenths = (told && !logits).then(|| tenths(table, column, warnings)).flatten();
    let mut values = match tenths {
        Some(tenths) => tenths,
        None => {
            if !logits {
                check_ratings(table, column)?;
            }
            numbers(table, column, !logits, check, clipped)?
        }
    };
    let (p, logit) = if logits {
        if flip {
            values.iter_mut().for_each(|z| *z = -*z);
        }
        let p = values.iter().map(|&z| sigmoid(z)).collect();
        (p, Some(Column::from(values)))
    } else {
        if flip {
            values.iter_mut().for_each(|p| *p = 1.0 - *p);
        }
        (Column::from(values), None)
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

/// The label that PROC LOGISTIC of SAS modeled, by default the lower one: the only value of its column `_LEVEL_`.
fn modeled_level(table: &Table, labels: &[String]) -> Option<String> {
    let column = table.columns.iter().find(|column| column.name == "_LEVEL_")?;
    let mut levels = Labels::of(&column.values).names;
    levels.pop().filter(|level| levels.is_empty() && labels.contains(level))
}

fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 {
        1.0 / (1.0 + (-z).exp())
    } else {
        let e = z.exp();
        e / (1.0 + e)
    }
}

/// A wished event and all other outcomes together, where there are more than two, as [`two_labels`] has them; a warning says so.
fn against_the_rest(
    occurring: &[String],
    wished: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Option<(Vec<String>, Vec<Option<usize>>)> {
    let event = wished.filter(|_| occurring.len() > 2)?;
    let (of_event, rest): (Vec<&String>, Vec<&String>) = occurring.iter().partition(|label| *label == event);
    if of_event.is_empty() {
        return None;
    }
    warnings.push(Warning {
        code: "event_against_the_rest".into(),
        message: format!(
            "{} is used as the event, and the other outcomes together as its absence: {}. Values that are no outcomes can be counted \
             as missing.",
            quoted(event),
            listed(&rest)
        ),
        row: None,
        column: None,
    });
    let place = occurring.iter().map(|label| Some(usize::from(label == event))).collect();
    Some((vec![format!("not {event}"), event.to_owned()], place))
}

/// Two labels for the labels that occur, and the place of each of those among the two.
fn two_labels(
    occurring: &[String],
    score_column: Option<&str>,
    wished: Option<&str>,
) -> Result<(Vec<String>, Vec<Option<usize>>)> {
    let unseen = wished.filter(|wished| occurring.len() == 1 && !occurring.iter().any(|label| label == wished));
    let labels = match occurring.len() {
        // An event that never happened here has a name all the same.
        1 if unseen.is_some() => {
            let mut pair = [occurring, &[unseen.unwrap_or_default().to_owned()]].concat();
            order::sort_short(&mut pair, |a, b| a < b);
            pair
        }
        0 | 1 => completed(occurring, score_column),
        2 => occurring.to_vec(),
        // 0 and 1 with a few others: the others are faults of their rows.
        _ if ["0", "1"].iter().all(|known| occurring.iter().any(|l| l == known)) => {
            vec!["0".into(), "1".into()]
        }
        _ => return Err(three_labels(occurring)),
    };
    let place = occurring.iter().map(|label| labels.iter().position(|l| l == label)).collect();
    Ok((labels, place))
}

fn three_labels(occurring: &[String]) -> Error {
    Error::new(
        "label_out_of_range",
        format!(
            "{} outcome classes but one probability column, which supports 2: {}.",
            thousands(occurring.len()),
            listed(occurring)
        ),
        phrases::OTHER_CLASSES_NEEDED,
    )
}

/// Refuses an outcome that is one label or nothing, where rows without a value are not to be left out: nothing may mean
/// that the event did not happen, and without such rows only events are left.
fn one_label_or_none(found: &Labels, column: Option<usize>, table: &Table, options: &OpenOptions) -> Result<()> {
    let empty = found.codes.iter().filter(|code| **code == MISSING).count();
    let ([only], Some(column), RowPolicy::Error) =
        (found.names.as_slice(), column.and_then(|column| table.columns.get(column)), options.rows)
    else {
        return Ok(());
    };
    if empty == 0 || found.codes.len() < FEW_LABELS {
        return Ok(());
    }
    Err(Error::new(
        "not_a_number",
        format!(
            "{} is {} in {} and empty in {}.",
            quoted(&column.name),
            quoted(only),
            counted(found.codes.len() - empty, "row"),
            counted(empty, "row")
        ),
        message![
            "If an empty cell means that the event did not occur, write 0 there; if the outcome is unknown, exclude such \
             rows ",
            phrases::DROP_ROWS,
            "."
        ],
    ))
}

fn no_shared_class(columns: &[String], occurring: &[String]) -> Error {
    Error::new(
        "label_out_of_range",
        format!("The score columns are of {}, the outcome is {}.", listed(columns), listed(occurring)),
        "Name each score column after its class, for example p_yes and p_no for an outcome of yes and no.",
    )
}

/// Notes rows whose label is missing or names no class.
fn note_labels(y: &[u32], codes: &[u32], column: usize, classes: usize, check: &mut Check) {
    for (row, (&class, &code)) in y.iter().zip(codes).enumerate() {
        if class == MISSING {
            let fault = if code == MISSING { Fault::Missing } else { Fault::NotAClass(classes) };
            check.note(row, column, None, fault);
        }
    }
}

/// A row of probabilities or logits for all classes.
///
/// * `named`: whether names of columns say which class each is of
/// * `outcome`: its values, and the name of its column
#[allow(clippy::too_many_arguments)]
fn many(
    matrix: Matrix,
    logits: bool,
    classes: Vec<String>,
    named: bool,
    (outcome, of_outcome): (Outcome, Option<&str>),
    options: &OpenOptions,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let found = outcome.labels.unwrap_or_default();
    let columns_of = classes.clone();
    let classes = matched(classes, &found.names, named, warnings);
    if !found.names.is_empty() && classes.of_label.iter().all(|&k| k == MISSING) {
        return Err(no_shared_class(&columns_of, &found.names));
    }
    let y = outcome.label_column.map(|label_column| {
        let y = found.recoded(&classes.of_label);
        note_labels(&y, &found.codes, label_column, classes.names.len(), check);
        y
    });
    let positive = if classes.names.len() == 2 {
        let mut guessed = Vec::new();
        let k = positive(&classes.names, options.positive.as_deref(), None, (of_outcome, None), &mut guessed)?;
        if options.view == Some(View::Positive) {
            warnings.append(&mut guessed);
        }
        Some(k)
    } else if let Some(wished) = &options.positive {
        let Some(differs) = for_two_classes(options, "positive", wished, classes.names.len()) else {
            return Err(event_of_several(wished, classes.names.len()));
        };
        warnings.push(differs);
        None
    } else {
        None
    };
    Ok(Draft {
        labels: classes.names,
        positive,
        scores: Some(if logits { Scores::Logits(matrix) } else { Scores::Probabilities(matrix) }),
        y,
        ..Draft::default()
    }
    .compared(outcome.predicted))
}

fn event_of_several(wished: &str, classes: usize) -> Error {
    Error::new(
        "invalid_option",
        message![
            phrases::POSITIVE,
            format!(": `{wished}` is one of {} classes; only two classes have a positive one.", thousands(classes))
        ],
        "Omit it.",
    )
}

/// A draft without class scores: confidence, or labels alone.
fn without_classes(
    outcome: Outcome,
    confidence: Option<Vec<f64>>,
    options: &OpenOptions,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) -> Result<Draft> {
    let found = outcome.labels.unwrap_or_default();
    let stated = outcome.predicted.unwrap_or_default();
    if found.names.len() > 1 && stated.names.len() > 1 && !stated.names.iter().any(|name| found.names.contains(name)) {
        let (outcomes, predicted) = (listed(&found.names), listed(&stated.names));
        return Err(Error::new(
            "roles_unclear",
            format!("The outcome ({outcomes}) and the predicted class ({predicted}) have no value in common."),
            phrases::SAY_THE_ROLES,
        ));
    }
    let mut labels = found.names.clone();
    labels.extend(stated.names.iter().filter(|n| !found.names.contains(n)).cloned());
    let numeric = labels.iter().all(|label| label.parse::<f64>().is_ok());
    if numeric {
        order::sort(&mut labels, &|a, b| {
            let number = |s: &String| s.parse::<f64>().unwrap_or(f64::NAN);
            number(a).total_cmp(&number(b))
        });
    } else {
        order::sort(&mut labels, &Ord::cmp);
    }
    let codes = |of: &Labels| {
        let place: Vec<u32> =
            of.names.iter().map(|name| labels.iter().position(|l| l == name).map_or(MISSING, |k| k as u32)).collect();
        of.recoded(&place)
    };
    let y = outcome.label_column.map(|column| {
        let y = codes(&found);
        note_labels(&y, &found.codes, column, labels.len(), check);
        y
    });
    let predicted = (!stated.codes.is_empty()).then(|| {
        let predicted = codes(&stated);
        if confidence.is_some() && y.is_some() {
            note_labels(&predicted, &stated.codes, outcome.predicted_column, labels.len(), check);
        }
        predicted
    });
    // Stated correctness is used where labels do not tell it.
    let derived = y.is_some() && predicted.is_some();
    let correct = outcome.correct.filter(|_| !derived).map(|truths| {
        truths
            .iter()
            .enumerate()
            .map(|(row, truth)| {
                if truth.is_none() {
                    check.note(row, outcome.correct_column, None, Fault::NotATruth);
                }
                u8::from(*truth == Some(true))
            })
            .collect()
    });
    let chosen = match (&options.positive, labels.len()) {
        (Some(wished), 2) => Some(positive(&labels, Some(wished), None, (None, None), warnings)?),
        _ => None,
    };
    Ok(Draft {
        labels,
        positive: chosen,
        scores: confidence.is_some().then_some(Scores::Confidence),
        y,
        predicted,
        confidence,
        correct,
        weights: None,
    })
}

impl Draft {
    /// Keeps the file's own predicted labels, as classes, until ŷ is known.
    fn compared(mut self, predicted: Option<Labels>) -> Draft {
        self.predicted = predicted.map(|predicted| {
            let place: Vec<u32> = predicted
                .names
                .iter()
                .map(|name| self.labels.iter().position(|label| label == name).map_or(MISSING, |k| k as u32))
                .collect();
            predicted.recoded(&place)
        });
        self
    }

    /// Keeps the listed rows.
    pub(super) fn keep_rows(&mut self, keep: &[u32]) {
        match &mut self.scores {
            Some(Scores::Binary { p, logit }) => {
                keep_rows(p, 1, keep);
                if let Some(logit) = logit {
                    keep_rows(logit, 1, keep);
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
        if let Some((_, weights)) = &mut self.weights {
            keep_rows(weights, 1, keep);
        }
    }

    /// ŷ, c and a from the scores and y.
    pub(super) fn finish(&mut self, row_numbers: &[u32], warnings: &mut Vec<Warning>) {
        if let Some((predicted, confidence)) = self.scores.as_ref().and_then(top_label) {
            if let Some(stated) = &self.predicted {
                let pairs = stated.iter().zip(&predicted);
                let other = pairs.clone().filter(|(a, b)| a != b && **a != MISSING).count();
                if other > 0 {
                    let first = pairs.clone().position(|(a, b)| a != b && *a != MISSING);
                    warnings.push(Warning {
                        code: "predicted_differs".into(),
                        message: format!(
                            "The predicted class of {} is not the one with the largest score; the scores are used.",
                            counted(other, "row")
                        ),
                        row: first.and_then(|row| row_numbers.get(row)).map(|&row| row as usize),
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

    /// Views that the data allow, the one to open first.
    pub(super) fn views(&self) -> Vec<View> {
        match &self.scores {
            Some(Scores::Binary { .. }) => vec![View::Positive, View::TopLabel],
            Some(Scores::Probabilities(_) | Scores::Logits(_)) if self.labels.len() == 2 => {
                vec![View::TopLabel, View::Positive]
            }
            _ => vec![View::TopLabel],
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::pair::targets;
    use crate::data::{OpenOptions, Role, assemble};
    use crate::read::read;

    #[test]
    fn a_wished_event_stands_against_all_other_outcomes() {
        let of = |outcomes: [&str; 4], positive: Option<&str>| {
            let rows = (0..60).map(|i| format!("{},0.{}\n", outcomes[i % 4], 10 + i));
            let file =
                read("rows.csv", format!("result,xG\n{}", rows.collect::<String>()).as_bytes(), &mut |_| ()).unwrap();
            let roles = [("result".to_owned(), Role::Label), ("xG".to_owned(), Role::Probability)].into();
            let options = OpenOptions { roles, positive: positive.map(str::to_owned), ..OpenOptions::default() };
            assemble(&[file], &options)
        };
        for (outcomes, event) in [(["Goal", "Saved", "Blocked", "Saved"], "Goal"), (["1", "0", "2", "0"], "1")] {
            let (data, summary) = of(outcomes, Some(event)).unwrap();
            assert_eq!(summary.positive.as_deref(), Some(event));
            assert_eq!(targets(&data).unwrap()[..5], [1, 0, 0, 0, 1]);
            assert!(summary.warnings.iter().any(|warning| warning.code == "event_against_the_rest"));
        }
        assert_eq!(of(["Goal", "Saved", "Blocked", "Saved"], None).unwrap_err().code(), "label_out_of_range");
        // an event that does not occur is none
        assert!(of(["Goal", "Saved", "Blocked", "Saved"], Some("Penalty")).is_err());
    }
}
