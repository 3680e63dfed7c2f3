//! What a person should know about rows that open all the same.

use super::super::dates::{exception_among_dates, in_two_notations};
use super::super::follow_up;
use super::super::names;
use super::super::possible_leakage::{PossibleLeakage, possible_leakage_sentence};
use super::super::predictions::{Predictions, Scores};
use super::super::roles::{ColumnRole, Role};
use super::super::rows::{BOUND, about_words, is_bound};
use super::super::scores::Source;
use super::super::sentinels::Sentinel;
use super::super::weights::{Weights, effective_rows};
use super::draft::Draft;
use crate::read::says_total;
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
    let counts = weights.filter(|weights| weights.counted);
    let rows = counts.map_or(table.rows, |counts| counts.values.iter().sum::<f64>().round() as usize);
    warnings.extend(roles_missing(draft, table, source));
    warnings.extend(weights_used(weights.filter(|weights| !weights.counted), roles));
    warnings.extend(single_class(draft, rows));
    let follow_up = follow_up::caution(&draft.labels, table, roles);
    warnings.extend(follow_up.map(|message| warning("follow_up", message, None)));
    let against = weights.is_none().then(|| against_outcome(draft)).flatten();
    warnings.extend(against.map(|message| warning("scores_against_outcome", message, None)));
    warnings.extend(totals_among_rows(table, roles));
    warnings.extend(date_notations(table, roles));
    warnings.extend(dates_with_exception(table, roles));
    if rows < FEW {
        let message = format!("Only {}: intervals and cross-fitting are unreliable.", counted(rows, "row"));
        warnings.push(warning("few_rows", message, None));
    }
    warnings.extend(features_too_large(table, roles));
    warnings.extend(features_incomplete(table, roles, row_numbers, counts));
}

/// Fewer rows than these are warned about.
const FEW: usize = 10;

fn warning(code: &str, message: String, column: Option<&str>) -> Warning {
    Warning { code: code.into(), message, row: None, column: column.map(str::to_owned) }
}

/// What is computed all the same, and what is not, where there is no score or no outcome.
fn roles_missing(draft: &Draft, table: &Table, source: &Source) -> Vec<Warning> {
    let alone = |code: &str, message: &str| vec![warning(code, message.to_owned(), None)];
    if *source == Source::Nowhere {
        let mut found = alone("score_missing", "No prediction column: outcomes only.");
        let in_words = scores_in_words(table);
        found.extend(in_words.map(|(column, message)| warning("score_in_words", message, Some(&column))));
        if found.len() == 1 {
            found.extend(table.columns.iter().find_map(score_as_text));
        }
        return found;
    }
    if draft.correct.is_some() {
        return Vec::new();
    }
    match draft.y {
        None => alone("label_missing", "No outcome column: predictions only."),
        Some(_) => alone(
            "correct_unknown",
            "No predicted class and no column of correctness, so confidence cannot be compared with accuracy.",
        ),
    }
}

/// Which value makes a text of a column that is named like a score, most values of which have digits.
fn score_as_text(column: &NamedColumn) -> Option<Warning> {
    let Values::Text { codes, levels } = &column.values else { return None };
    let digits = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    if !names::suggests_score(&column.name) || 2 * levels.iter().filter(|text| digits(text)).count() < levels.len() {
        return None;
    }
    let code = levels.iter().position(|text| text.parse::<f64>().is_err())?;
    let row = codes.iter().position(|of_row| *of_row as usize == code)? + 1;
    let text = levels.text(code as u32);
    let bound = if is_bound(text) { format!(" {BOUND}") } else { String::new() };
    let name = quoted(&column.name);
    let message =
        format!("{name} is text, because {} in data row {} is not a number.{bound}", quoted(text), thousands(row));
    Some(Warning { row: Some(row), ..warning("score_as_text", message, Some(&column.name)) })
}

/// That rows are weighted, and by which of several columns.
fn weights_used(weights: Option<&Weights>, roles: &[ColumnRole]) -> Vec<Warning> {
    let Some(weights) = weights else { return Vec::new() };
    let used = warning("weights_used", weights_in_words(weights), Some(&weights.column));
    let other = roles.iter().filter(|column| column.role == Role::Weight).nth(1);
    let ambiguous = other.map(|ColumnRole { name: other, .. }| {
        let message = format!("Two columns contain sample weights: `{}` is used, `{other}` is not.", weights.column);
        warning("weights_ambiguous", message, Some(other))
    });
    std::iter::once(used).chain(ambiguous).collect()
}

/// That all rows have the same outcome.
fn single_class(draft: &Draft, rows: usize) -> Option<Warning> {
    let y = draft.y.as_ref()?;
    let first = y.first().filter(|first| y.iter().all(|class| class == *first))?;
    let label = draft.labels.get(*first as usize).cloned().unwrap_or_default();
    let message = format!(
        "Only the outcome `{label}` occurs in {}. Metrics that compare classes are unavailable.",
        counted(rows, "row")
    );
    Some(warning("single_class", message, None))
}

/// Share of the rows up to which they may add up the others.
const TOTALS: f64 = 0.2;

/// Rows that a text says to be totals, such as the last of each ward: they count as cases.
fn totals_among_rows(table: &Table, roles: &[ColumnRole]) -> Vec<Warning> {
    let of_column = |(column, role): (&NamedColumn, &ColumnRole)| {
        let Values::Text { codes, levels } = &column.values else { return None };
        if matches!(role.role, Role::Label | Role::Predicted | Role::Text) {
            return None;
        }
        let says: Vec<bool> = levels.iter().map(says_total).collect();
        let example = levels.iter().find(|text| says_total(text))?;
        let rows = codes.iter().filter(|code| says.get(**code as usize) == Some(&true)).count();
        let message = format!(
            "{} of {}, such as {}, may add up other rows, and {} as {}. If so, exclude {}.",
            counted(rows, "row"),
            quoted(&column.name),
            quoted(example),
            if rows == 1 { "counts" } else { "count" },
            if rows == 1 { "a case" } else { "cases" },
            if rows == 1 { "it" } else { "them" },
        );
        (rows as f64 <= TOTALS * table.rows as f64).then(|| warning("rows_may_be_totals", message, Some(&column.name)))
    };
    table.columns.iter().zip(roles).filter_map(of_column).collect()
}

/// Columns whose dates a spreadsheet has partly turned round.
fn date_notations(table: &Table, roles: &[ColumnRole]) -> Vec<Warning> {
    let dates = table.columns.iter().zip(roles).filter(|(_, role)| role.role == Role::Date);
    let of_column = |(column, _): (&NamedColumn, &ColumnRole)| {
        let (one, other) = in_two_notations(column)?;
        let message = format!(
            "The dates of `{}` are written in two ways, such as {one} and {other}, as a spreadsheet leaves them that took \
             days for months. Each is read as it is written.",
            column.name
        );
        Some(warning("dates_in_two_notations", message, Some(&column.name)))
    };
    dates.filter_map(of_column).collect()
}

/// Columns that would be dates, were it not for some values.
fn dates_with_exception(table: &Table, roles: &[ColumnRole]) -> Vec<Warning> {
    let others =
        table.columns.iter().zip(roles).filter(|(_, role)| {
            matches!(role.role, Role::Ignore | Role::Id | Role::Text | Role::Group | Role::Feature)
        });
    let of_column = |(column, _): (&NamedColumn, &ColumnRole)| {
        let (_, value) = exception_among_dates(column)?;
        let message = format!(
            "{} is not read as dates, because it contains {}. Correct the value, or leave the cell empty.",
            quoted(&column.name),
            quoted(value)
        );
        Some(warning("date_unreadable", message, Some(&column.name)))
    };
    others.filter_map(of_column).collect()
}

/// Features by which no distance can be computed.
fn features_too_large(table: &Table, roles: &[ColumnRole]) -> Option<Warning> {
    let features = table.columns.iter().zip(roles).filter(|(_, role)| role.role == Role::Feature);
    let huge = features.filter(|(column, _)| column.values.too_large());
    let huge: Vec<&str> = huge.map(|(column, _)| column.name.as_str()).collect();
    let first = huge.first()?;
    let message = format!(
        "Numbers above 1e150 are too large for distances: {}. Such columns are not used for similarity.",
        listed(&huge)
    );
    Some(warning("feature_too_large", message, Some(first)))
}

/// Features that some rows lack.
fn features_incomplete(
    table: &Table,
    roles: &[ColumnRole],
    row_numbers: &[u32],
    counts: Option<&Weights>,
) -> Option<Warning> {
    let features = table.columns.iter().zip(roles);
    let features = features.filter(|(_, role)| matches!(role.role, Role::Feature | Role::Features));
    let missing = |x: &f64| !x.is_finite();
    let mut gaps: Vec<(&str, u64)> = Vec::new();
    let mut first_row = None;
    for (column, _) in features {
        let Values::Numbers(values) = &column.values else { continue };
        // in blocks, which is faster than to look for the first
        if column.values.complete() {
            continue;
        }
        let Some(first) = values.iter().position(missing) else { continue };
        first_row = first_row.or(row_numbers.get(first).map(|&row| row as usize));
        let places = (0u32..).zip(values.iter()).filter(|(_, x)| missing(x)).map(|(row, _)| row);
        let rows = counts
            .map_or_else(|| places.clone().count() as f64, |counts| places.clone().map(|row| counts.of(row)).sum());
        gaps.push((&column.name, rows.round() as u64));
    }
    let of = if gaps.len() == 1 { "a feature" } else { "features" };
    let each = gaps.iter().map(|(name, count)| format!("{name} in {}", counted(*count, "row")));
    let message = format!(
        "Values of {of} are missing or infinite: {}. Where such a column defines similarity, these rows have no neighbors.",
        each.collect::<Vec<_>>().join(", ")
    );
    let (first, _) = gaps.first()?;
    let column = Some(*first).filter(|_| gaps.len() == 1);
    Some(Warning { row: first_row, ..warning("feature_incomplete", message, column) })
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
        many => thousands(many.round() as u64),
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
pub(super) fn about_leakage(data: &Predictions) -> Vec<Warning> {
    let columns = data.leakage.iter().filter_map(|place| data.roles.get(*place as usize));
    let used = columns.filter(|column| matches!(column.role, Role::Feature | Role::Features | Role::Group));
    let by_outcome = data.weights_by_outcome().map(|column| &column.name).zip(data.about_weights_by_outcome());
    let of_column = |column: &ColumnRole| match &by_outcome {
        Some((name, message)) if *name == &column.name => {
            warning("weights_not_used", message.clone(), Some(&column.name))
        }
        _ => {
            let message = format!(
                "`{}` reveals the outcome: each of its values occurs with one outcome only. It defines similarity only \
                 if selected, and results based on it have no p-value.",
                column.name
            );
            warning("column_tells_outcome", message, Some(&column.name))
        }
    };
    used.map(of_column).collect()
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    #[test]
    fn rows_of_subtotals_are_told() {
        let rows = |total: &str| {
            let row = |i: usize| format!("{},0.{:03},{}\n", ["A", "B"][i % 2], 100 + i * 37 % 800, i * 11 % 3 / 2);
            format!(
                "ward,p,y\n{}{total},0.5,0\n{}",
                (0..30).map(row).collect::<String>(),
                (30..60).map(row).collect::<String>()
            )
        };
        let said = |total: &str| {
            let file = read("rows.csv", rows(total).as_bytes(), &mut |_| ()).unwrap();
            let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
            summary
                .warnings
                .into_iter()
                .find(|warning| warning.code == "rows_may_be_totals")
                .map(|warning| warning.message)
        };
        let expected =
            "1 row of `ward`, such as `Ward A Total`, may add up other rows, and counts as a case. If so, exclude it.";
        assert_eq!((said("Ward A Total").as_deref(), said("Total hip")), (Some(expected), None));
    }
}
