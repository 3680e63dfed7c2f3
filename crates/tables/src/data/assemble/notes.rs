//! What a person should know about rows that open all the same.

use super::super::dates::in_two_notations;
use super::super::follow_up;
use super::super::names;
use super::super::possible_leakage::{PossibleLeakage, possible_leakage_sentence};
use super::super::predictions::Scores;
use super::super::roles::{ColumnRole, Role};
use super::super::rows::about_words;
use super::super::scores::Source;
use super::super::sentinels::Sentinel;
use super::super::weights::{Weights, effective_rows};
use super::draft::Draft;
use crate::table::Warning;
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{counted, listed, plain, quoted, thousands};
use localcal_numerics::metric::auroc;

/// Columns called probability or confidence that hold a few words, and what is said of each.
fn scores_in_words(table: &Table) -> impl Iterator<Item = (String, String)> {
    let called =
        |column: &&NamedColumn| names::is_confidence(&column.name) || names::suggests_probability(&column.name);
    table.columns.iter().filter(called).filter_map(|column| Some((column.name.clone(), about_words(column)?)))
}

/// Standard errors below 0.5 at which an AUROC is not one of chance, be it of one file in ten thousand.
const BELOW_CHANCE: f64 = 4.0;

/// Warnings about what is missing or strange without being wrong.
pub(super) fn about_rows(
    draft: &Draft,
    weights: Option<&Weights>,
    table: &Table,
    roles: &[ColumnRole],
    source: &Source,
    row_numbers: &[u32],
    warnings: &mut Vec<Warning>,
) {
    let mut warn = |code: &str, message: String, row: Option<usize>, column: Option<String>| {
        warnings.push(Warning { code: code.into(), message, row, column });
    };
    if *source == Source::Nowhere {
        let message = "No prediction column: outcomes only.".to_owned();
        warn("score_missing", message, None, None);
        for (column, message) in scores_in_words(table) {
            warn("score_in_words", message, None, Some(column));
        }
    } else if draft.y.is_none() && draft.correct.is_none() {
        let message = "No outcome column: predictions only.".to_owned();
        warn("label_missing", message, None, None);
    } else if draft.correct.is_none() {
        let message = "No predicted class and no column of correctness, so confidence cannot be compared with \
                       accuracy."
            .to_owned();
        warn("correct_unknown", message, None, None);
    }
    if let Some(weights) = weights.filter(|weights| !weights.counted) {
        let message = weights_in_words(weights);
        warn("weights_used", message, None, Some(weights.column.clone()));
        let more = roles.iter().filter(|column| column.role == Role::Weight);
        if let Some(other) = more.skip(1).map(|column| &column.name).next() {
            let message =
                format!("Two columns contain sample weights: `{}` is used, `{other}` is not.", weights.column);
            warn("weights_ambiguous", message, None, Some(other.clone()));
        }
    }
    if let Some(y) = &draft.y
        && let Some(first) = y.first()
        && y.iter().all(|class| class == first)
    {
        let label = draft.labels.get(*first as usize).cloned().unwrap_or_default();
        let counts = weights.filter(|weights| weights.counted);
        let rows = counts.map_or(y.len(), |counts| counts.values.iter().sum::<f64>().round() as usize);
        let message = format!(
            "Only the outcome `{label}` occurs in {}. Metrics that compare classes are unavailable.",
            counted(rows, "row")
        );
        warn("single_class", message, None, None);
    }
    if let Some(message) = follow_up::caution(&draft.labels, table, roles) {
        warn("follow_up", message, None, None);
    }
    if weights.is_none()
        && let Some(message) = against_outcome(draft)
    {
        warn("scores_against_outcome", message, None, None);
    }
    for (column, _) in table.columns.iter().zip(roles).filter(|(_, role)| role.role == Role::Date) {
        if let Some((one, other)) = in_two_notations(column) {
            let message = format!(
                "The dates of `{}` are written in two ways, such as {one} and {other}, as a spreadsheet leaves them that \
                 took days for months. Each is read as it is written.",
                column.name
            );
            warn("dates_in_two_notations", message, None, Some(column.name.clone()));
        }
    }
    if table.rows < 10 {
        let message = format!("Only {}: intervals and cross-fitting are unreliable.", counted(table.rows, "row"));
        warn("few_rows", message, None, None);
    }
    let mut gaps: Vec<(&str, usize)> = Vec::new();
    let mut first_row = None;
    for (column, role) in table.columns.iter().zip(roles) {
        if !matches!(role.role, Role::Feature | Role::Features) {
            continue;
        }
        let bad = |x: &f64| !x.is_finite();
        let (count, first) = match &column.values {
            Values::Numbers(v) if !column.values.complete() => {
                let first = v.iter().position(bad);
                (first.map_or(0, |first| v.iter().skip(first).filter(|x| bad(x)).count()), first)
            }
            _ => (0, None),
        };
        if count > 0 {
            first_row = first_row.or(first.and_then(|row| row_numbers.get(row)).map(|&row| row as usize));
            gaps.push((&column.name, count));
        }
    }
    let huge = table
        .columns
        .iter()
        .zip(roles)
        .filter(|(column, role)| role.role == Role::Feature && column.values.too_large());
    let huge: Vec<&str> = huge.map(|(column, _)| column.name.as_str()).collect();
    if let Some(first) = huge.first() {
        let message = format!(
            "Numbers above 1e150 are too large for distances: {}. Such columns are not used for similarity.",
            listed(&huge)
        );
        warn("feature_too_large", message, None, Some((*first).to_owned()));
    }
    if !gaps.is_empty() {
        let of = if gaps.len() == 1 { "a feature" } else { "features" };
        let each = gaps.iter().map(|(name, count)| format!("{name} in {}", counted(*count, "row")));
        let message = format!(
            "Values of {of} are missing or infinite: {}. Where such a column defines similarity, these \
             rows have no neighbors.",
            each.collect::<Vec<_>>().join(", ")
        );
        let column = gaps.first().filter(|_| gaps.len() == 1).map(|(name, _)| (*name).to_owned());
        warn("feature_incomplete", message, first_row, column);
    }
}

/// Says that rows of the event have lower scores than the others, where the AUROC is further below 0.5 than
/// [`BELOW_CHANCE`] of its standard errors under chance: scores of the other label, columns that are exchanged, an
/// outcome that is coded the other way.
fn against_outcome(draft: &Draft) -> Option<String> {
    let ([none, event], Some(y)) = (draft.labels.as_slice(), &draft.y) else { return None };
    let (scores, advice): (Vec<f64>, String) = match draft.scores.as_ref()? {
        Scores::Binary { p, .. } => {
            (p.to_vec(), format!("If they are probabilities of `{none}`, choose it as the event."))
        }
        Scores::Probabilities(matrix) | Scores::Logits(matrix) => (
            (0..matrix.rows()).map(|row| matrix.value(row, 1) - matrix.value(row, 0)).collect(),
            "Check which column is of which class.".to_owned(),
        ),
        Scores::Confidence => return None,
    };
    let events: Vec<u8> = y.iter().map(|class| u8::from(*class == 1)).collect();
    let area = auroc(&scores, &events).ok()??;
    let ones = events.iter().filter(|one| **one == 1).count() as f64;
    let rows = events.len() as f64;
    let error = ((rows + 1.0) / (12.0 * ones * (rows - ones))).sqrt();
    (area + BELOW_CHANCE * error < 0.5).then(|| {
        format!("Scores are lower in rows with the outcome `{event}` than in others (AUROC {area:.3}). {advice}")
    })
}

/// What weights do, and what is left of the rows.
fn weights_in_words(weights: &Weights) -> String {
    let zero = weights.values.iter().filter(|&&w| w == 0.0).count();
    let without = match zero {
        0 => String::new(),
        1 => "; 1 row of weight 0 is ignored".to_owned(),
        zero => format!("; {} of weight 0 are ignored", counted(zero, "row")),
    };
    let effective = effective_rows(&weights.values);
    let effective = match effective {
        few if few < 100.0 => plain((10.0 * few).round() / 10.0),
        many => thousands(many.round() as usize),
    };
    format!(
        "Rows are weighted by `{}`, divided by its mean; only the ratios of weights matter. The effective sample \
         size (Σ w)² / Σ w² is {effective}{without}.",
        weights.column,
    )
}

/// A warning for each column with a value that may stand for a missing one.
pub(super) fn about_sentinels(roles: &[ColumnRole]) -> Vec<Warning> {
    let doubtful = roles.iter().flat_map(|column| column.sentinels.iter().map(move |one| (column, one)));
    let warning = |(column, one): (&ColumnRole, &Sentinel)| Warning {
        code: "value_may_be_missing".into(),
        message: format!(
            "{} is {} in {}; its other values are {}. If {} codes a missing value, mark it as missing.",
            quoted(&column.name),
            one.value.text(),
            counted(one.rows, "row"),
            one.among,
            one.value.text(),
        ),
        row: None,
        column: Some(column.name.clone()),
    };
    doubtful.filter(|(_, one)| !one.missing).map(warning).collect()
}

/// A warning for each column with the role of a feature or a group that tells the outcome.
pub(super) fn about_leakage(roles: &[ColumnRole], leakage: &[u32]) -> Vec<Warning> {
    let columns = leakage.iter().filter_map(|place| roles.get(*place as usize));
    let used = columns.filter(|column| matches!(column.role, Role::Feature | Role::Features | Role::Group));
    let warning = |column: &ColumnRole| Warning {
        code: "column_tells_outcome".into(),
        message: format!(
            "`{}` reveals the outcome: each of its values occurs with one outcome only. It defines similarity only \
             if selected, and results based on it have no p-value.",
            column.name
        ),
        row: None,
        column: Some(column.name.clone()),
    };
    used.map(warning).collect()
}

/// A warning about columns that may follow from the outcome.
pub(super) fn about_possible_leakage(found: &[PossibleLeakage]) -> Option<Warning> {
    let message = possible_leakage_sentence(found)?;
    let column = match found {
        [only] => Some(only.column.clone()),
        _ => None,
    };
    Some(Warning { code: "columns_may_follow_outcome".into(), message, row: None, column })
}
