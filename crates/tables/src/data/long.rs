//! Tables with a row for each class of each case, which are refused: a row is a case.

use super::labels::Labels;
use super::profile::SUM_TOLERANCE;
use super::roles::{ColumnRole, Role};
use crate::error::{Error, Result};
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{quoted, thousands};

/// Fewer cases may be so by chance.
const FEWEST_CASES: usize = 10;
/// Classes that are looked for.
const MOST_CLASSES: usize = 1_000;

/// Passes tables in which a row is a case.
///
/// # Errors
/// `table_unreadable` where a column of shares sums to 1 over the rows of each case, another one has each class once
/// among them, and the outcome is the same in all of them: `_LEVEL_` of SAS, unnested results of BigQuery. The outcome
/// is the column with that role, one of the same classes, or any where no column has the role; two rows of a game, of
/// which one wins, are cases.
///
/// # Cost
/// O(rows × columns) where a column is so, else O(columns).
pub(super) fn rows_are_cases(table: &Table, roles: &[ColumnRole]) -> Result<()> {
    let scores = table.columns.iter().filter_map(|column| Some((column, classes_summed(column)?)));
    for (score, classes) in scores {
        let others = || table.columns.iter().zip(roles).filter(|(column, _)| column.name != score.name);
        let with_labels: Vec<(&NamedColumn, &ColumnRole, Labels)> =
            others().map(|(column, role)| (column, role, Labels::of(&column.values))).collect();
        let has_each = |labels: &Labels| {
            labels.names.len() == classes
                && labels.codes.chunks(classes).all(|case| {
                    let mut case = case.to_vec();
                    case.sort_unstable();
                    case.iter().copied().eq(0..classes as u32)
                })
        };
        let same = |labels: &Labels| {
            labels.names.len() > 1
                && labels.codes.chunks(classes).all(|case| case.iter().all(|code| Some(code) == case.first()))
        };
        let labeled = roles.iter().any(|role| role.role == Role::Label);
        for (class, _, classes_of) in with_labels.iter().filter(|(.., labels)| has_each(labels)) {
            let of_classes = |labels: &Labels| labels.names.iter().all(|label| classes_of.names.contains(label));
            let is_truth = |(_, role, labels): &(&NamedColumn, &ColumnRole, Labels)| {
                same(labels) && (!labeled || role.role == Role::Label || of_classes(labels))
            };
            if !with_labels.iter().any(is_truth) {
                continue;
            }
            // a name of each case, which the outcome is not
            let names_cases = |labels: &Labels| labels.names.len() * classes == table.rows;
            let truths = || with_labels.iter().filter(|one| is_truth(one) && !names_cases(&one.2));
            let outcome = truths().find(|(_, role, _)| role.role == Role::Label);
            let outcome =
                outcome.or_else(|| truths().find(|(.., labels)| of_classes(labels))).or_else(|| truths().next());
            let case = with_labels.iter().find(|(.., labels)| same(labels) && names_cases(labels));
            let [outcome, case] = [outcome, case].map(|found| found.map(|(column, ..)| column.name.as_str()));
            return Err(Error::new(
                "table_unreadable",
                format!(
                    "Each case has {} rows, one for each value of {}, over which {} sums to 1.",
                    thousands(classes),
                    quoted(&class.name),
                    quoted(&score.name)
                ),
                format!(
                    "Write one row per case, with a column for each class. In Python: {}.",
                    pivot(case, outcome.unwrap_or("outcome"), &class.name, &score.name, classes)
                ),
            ));
        }
    }
    Ok(())
}

/// The call of pandas that makes a column of each class; cases without a name are numbered.
fn pivot(case: Option<&str>, outcome: &str, class: &str, score: &str, classes: usize) -> String {
    let (table, case) = match case {
        Some(case) => ("table".to_owned(), case),
        None => (format!("table.assign(case=table.reset_index().index // {classes})"), "case"),
    };
    format!(
        "`{table}.pivot(index=[{case:?}, {outcome:?}], columns={class:?}, values={score:?}).add_prefix(\"p_\").reset_index()`"
    )
}

/// Over how many consecutive rows the shares in a column sum to 1 throughout.
fn classes_summed(column: &NamedColumn) -> Option<usize> {
    let Values::Numbers(values) = &column.values else { return None };
    let one = |sum: f64| (sum - 1.0).abs() <= SUM_TOLERANCE;
    let mut sum = 0.0;
    for (k, x) in values.iter().enumerate().take(MOST_CLASSES.min(values.len() / FEWEST_CASES)) {
        sum += x;
        if !(0.0..=1.0).contains(x) || sum > 1.0 + SUM_TOLERANCE {
            return None;
        }
        let classes = k + 1;
        let throughout = || values.chunks(classes).all(|case| one(case.iter().sum()));
        if classes > 1 && one(sum) && values.len().is_multiple_of(classes) && throughout() {
            let shares = values.iter().any(|x| x.fract() != 0.0) && values.iter().any(|other| other != x);
            return shares.then_some(classes);
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};

    /// Code of the error, if the rows do not open.
    fn opened(row: impl Fn(usize) -> String) -> Option<String> {
        refused("id,died,class,prob", row).map(|(message, _)| message)
    }

    /// Message and hint of the error, if the rows do not open.
    fn refused(header: &str, row: impl Fn(usize) -> String) -> Option<(String, String)> {
        let text = format!("{header}\n{}", (0..60).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let error = assemble(&[file], &OpenOptions::default()).err()?;
        Some((error.to_string(), error.hint().to_string()))
    }

    #[test]
    fn the_call_that_makes_a_row_of_each_case_has_the_names_of_the_file() {
        let p = |case: usize| 0.05 + (case * 7 % 90) as f64 / 100.0;
        let share = |k: usize| if k.is_multiple_of(2) { p(k / 2) } else { 1.0 - p(k / 2) };
        let row = |k: usize| format!("c{},{},{},{:.2}\n", k / 2, k / 2 % 3 % 2, 1 - k % 2, share(k));
        let (_, hint) = refused("visit,relapse,_LEVEL_,phat", row).unwrap();
        let call = "table.pivot(index=[\"visit\", \"relapse\"], columns=\"_LEVEL_\", values=\"phat\")";
        assert!(hint.contains(call), "{hint}");
        let row = |k: usize| format!("{},{},{:.2}\n", k / 2 % 3 % 2, 1 - k % 2, share(k));
        let (_, hint) = refused("relapse,class,prob", row).unwrap();
        assert!(hint.contains("// 2).pivot(index=[\"case\", \"relapse\"], columns=\"class\""), "{hint}");
    }

    #[test]
    fn a_row_for_each_class_is_refused() {
        let p = |case: usize| 0.05 + (case * 7 % 90) as f64 / 100.0;
        let share = |k: usize| if k.is_multiple_of(2) { p(k / 2) } else { 1.0 - p(k / 2) };
        let long = opened(|k| format!("{},{},{},{:.2}\n", k / 2, k / 2 % 3 % 2, 1 - k % 2, share(k)));
        let said = "Each case has 2 rows, one for each value of `class`, over which `prob` sums to 1.";
        assert_eq!(long.as_deref(), Some(said));
        // two teams of a game, of which one wins
        assert_eq!(opened(|k| format!("{},{},{},{:.2}\n", k / 2, (k / 2 + k) % 2, 1 - k % 2, share(k))), None);
    }
}
