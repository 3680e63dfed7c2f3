//! Files to predictions: join, recognize, check, divide.

mod draft;
mod empty_rows;
mod notes;
mod opening;
mod outcome;

use std::borrow::Borrow;

use super::attempts::{AttemptCounts, Attempts, attempts, attempts_of_table};
use super::clusters::choice::{ChosenClusters, chosen_clusters};
use super::copies::copied_rows;
use super::dates::{Dates, exception_among_dates};
use super::derived::Derived;
use super::grouping::PREDICTED;
use super::join::{Joined, joined, pooled_counts};
use super::leakage::leaking_columns;
use super::lexical::lexical_column;
use super::long::rows_are_cases;
use super::options::{OpenOptions, RowPolicy, SplitOption};
use super::parts::{training_rows, without_training};
use super::percent::read_as;
use super::pooled;
use super::predictions::{Division, Predictions, Scores};
use super::profile::nearly_numbers;
use super::recognize::{ColumnHints, Recognized, recognized};
use super::roles::{ColumnRole, Reading, Role};
use super::rows::{Check, Excluded};
use super::scores::Source;
use super::session::{for_two_classes, with_session};
use super::split::{divided, divisions, ways};
use super::statements::{Cohort, Facts, date_ranges, first_rows, statements};
use super::subgroup::{Among, Condition, Subgroup};
use super::unscored::scored_files;
use super::view::View;
use super::weights::{Weights, weights};
use crate::data::summary::Summary;
use crate::error::{Error, Result, Text, message, phrases};
use crate::read::{Meaning, ReadFile};
use crate::table::column::Column;
use crate::table::values::{NamedColumn, Table, Values};
use crate::table::{Warning, keep_rows};
use crate::words::text::{bounded, counted, first_of, listed, quoted, thousands};
use draft::{Draft, draft};
use empty_rows::without_empty_rows;
use notes::{about_leakage, about_possible_leakage, about_rows, about_sentinels};
use opening::Opening;
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
///
/// ```
/// use localcal_tables::data::{OpenOptions, assemble};
/// use localcal_tables::read::read;
/// use localcal_tables::data::pair::{scores, targets};
///
/// let file = read("rows.csv", b"p,y\n0.9,1\n0.8,1\n0.3,0\n0.2,1\n", &mut |_| ())?;
/// let (data, summary) = assemble(&[file], &OpenOptions::default())?;
/// assert_eq!((summary.rows, summary.classes), (4, 2));
/// assert_eq!((scores(&data)?, targets(&data)?), (vec![0.9, 0.8, 0.3, 0.2], vec![1, 1, 0, 1]));
/// # Ok::<(), localcal_tables::Error>(())
/// ```
pub fn assemble<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<(Predictions, Summary)> {
    let (files, left_out) = scored_files(files)?;
    let files: Vec<&ReadFile> = files.iter().map(Borrow::borrow).collect();
    check_counts(&files, options)?;
    let counted = files.iter().any(|file| file.counts.is_some());
    if counted && files.len() > 1 {
        return assemble_files(&[&pooled_counts(&files)?], options, true, left_out);
    }
    assemble_files(&files, options, counted, left_out)
}

/// [`assemble`], of files that are not pooled first.
fn assemble_files(
    files: &[&ReadFile],
    options: &OpenOptions,
    counted: bool,
    left_out: Option<Warning>,
) -> Result<(Predictions, Summary)> {
    let (mut options, differs) = with_session(files, options)?;
    let Joined { table, given, second, models, header, totals, mut warnings } = joined(files, &options)?;
    warnings.extend(left_out);
    if let Some(only) = options.only.take() {
        options.only = Some(Subgroup { conditions: only }.in_table(&table).conditions);
    }
    let options = &options;
    warnings.extend(differs);
    let mut columns = Columns::of(table, given, models, options, counted, &mut warnings)?;
    let counted = counted || columns.counted && second.is_none();
    let merged = files.iter().filter_map(|file| file.counts.as_ref()).any(|counts| counts.merged);
    let counts = counted.then_some(merged);
    let selected = SelectedRows::of(&columns, options, counted, &mut warnings)?;
    let checked = CheckedRows::of(&mut columns, selected.inside, counts, options, &mut warnings)?;
    let CheckedRows { draft, row_numbers, weights, excluded } = checked;
    let Columns { table, roles, given, source, models, attempts, .. } = columns;

    let leakage = leaking_columns(&table, &roles, draft.y.as_deref(), draft.correct.as_deref());
    let views = draft.views();
    let view = view(options, &draft, &views, &mut warnings)?;
    let divided = divided(&options.split(), &table, &roles, &row_numbers, second.as_ref(), &mut warnings)?;
    warnings.extend(training_rows(&table, &roles));
    warnings.extend(pooled::by_outcomes(&table, &roles, draft.y.as_deref()));
    let ChosenClusters { clusters, summary: clustered, declined } =
        chosen_clusters(options.clusters.as_ref(), &table, &roles, &given, &mut warnings)?;
    if let Some(clusters) = &clusters {
        warnings.extend(clusters.on_both_sides(&divided.sets));
    }
    let together = matches!(divided.division, Division::Folds { .. } | Division::Half);
    let alone = clusters.is_none() && weights.as_ref().is_none_or(|weights| !weights.counted);
    let (copies, copied) = alone.then(|| copied_rows(&table, &roles, together)).flatten().unzip();
    warnings.extend(copied);
    let identifiers = identifiers(&given, &roles);
    let missing = missing(&draft, &source, &warnings);
    let mut predictions = Predictions {
        rows: table.rows,
        dropped: excluded.rows + selected.attempts.as_ref().map_or(0, AttemptCounts::excluded) + selected.trained_on,
        outcome_missing: excluded.outcome_missing,
        labels: draft.labels,
        view,
        positive: draft.positive,
        scores: draft.scores,
        y: draft.y.map(Column::from),
        predicted: draft.predicted.map(Column::from),
        confidence: draft.confidence.map(Column::from),
        correct: draft.correct.map(Column::from),
        weights,
        clusters,
        copies,
        attempts: selected.attempts,
        division: divided.division,
        sets: divided.sets,
        row_numbers: Column::from(row_numbers),
        opened: options.clone(),
        model: models.first().cloned(),
        table,
        roles,
        leakage: leakage.into(),
        identifiers: identifiers.into(),
        lexical: false,
        projections: Vec::new(),
        derived: Derived::default(),
    };
    warnings.extend(about_leakage(&predictions));
    let possible_leakage = predictions.possible_leakage();
    warnings.extend(about_possible_leakage(&possible_leakage));
    let opening = Opening {
        files: names(files),
        logs: logs(files),
        header,
        totals,
        models,
        cohort: selected.cohort,
        of_attempts: attempts.map(|attempts| attempts.column),
        excluded,
        trained_on: selected.trained_on,
        clusters: clustered,
        declined,
        views,
        missing,
        split: divided.words,
        counted,
        possible_leakage: possible_leakage.into_iter().map(|one| one.column).collect(),
        warnings,
    };
    let mut summary = opening.summary(&predictions);
    if let Some((column, role)) = lexical_column(&predictions.table, &predictions.roles) {
        summary.columns.push(role.clone());
        predictions.roles.push(role);
        predictions.table.columns.push(column);
        predictions.lexical = true;
    }
    Ok((predictions, summary))
}

/// The columns of all files and what each is, before any row is checked.
struct Columns {
    table: Table,
    roles: Vec<ColumnRole>,
    given: Vec<ColumnHints>,
    source: Source,
    outcome: Outcome,
    /// models of the same rows, the open one first
    models: Vec<String>,
    /// where the files are an evaluation log, which of its attempts are scored
    attempts: Option<Attempts>,
    /// whether each row stands for as many as a column says
    counted: bool,
}

impl Columns {
    /// * `models`: files that are models of the same rows
    /// * `counted`: rows stand for several cases
    ///
    /// # Errors
    /// Those of roles that contradict each other or the values; `roles_unclear` without an outcome and a score.
    fn of(
        mut table: Table,
        given: Vec<ColumnHints>,
        models: Vec<String>,
        options: &OpenOptions,
        counted: bool,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self> {
        let unanswered = options.unanswered.unwrap_or_default();
        let of_log = attempts(&mut table, &given, unanswered, warnings)?;
        let recognized = recognized(&table, &given, options.model.as_deref());
        let models = of_cohort(models, &recognized, options, &table, warnings)?;
        let mut roles = recognized.roles;
        for ((column, role), given) in table.columns.iter_mut().zip(&roles).zip(&given) {
            if role.reading == Some(Reading::Percent) && given.reading != role.reading {
                column.values = read_as(column, role.reading).0;
            }
        }
        let counted = counted || recognized.counted;
        if !counted && options.roles.is_empty() {
            rows_are_cases(&table, &roles)?;
        }
        warnings.extend(recognized.warnings);
        let attempts = match of_log {
            None => attempts_of_table(&mut table, &roles, unanswered)?,
            of_log => of_log,
        };
        warnings.extend(readings_warning(&roles, warnings));
        warnings.extend(about_sentinels(&roles));
        warnings.extend(numbers_among_texts(&mut table, &mut roles));
        check_dates(&table, &roles)?;
        let source = Source::of(&table, &roles)?;
        let outcome = Outcome::of(&table, &roles)?;
        if source == Source::Nowhere && outcome.labels.is_none() && outcome.correct.is_none() {
            return Err(roles_unclear(&roles, warnings));
        }
        Ok(Self { table, roles, given, source, outcome, models, attempts, counted })
    }
}

/// The rows that are opened: those that meet the conditions, have an answer, and are no training rows.
struct SelectedRows {
    /// for every row, whether it is asked for; none: all are
    inside: Option<Vec<bool>>,
    /// those that meet the conditions, where there are some
    cohort: Option<Cohort>,
    /// attempts of an evaluation log, where some have no answer to score
    attempts: Option<AttemptCounts>,
    /// training rows
    trained_on: usize,
}

impl SelectedRows {
    /// # Errors
    /// Those of conditions; `empty` where no row is left.
    fn of(columns: &Columns, options: &OpenOptions, counted: bool, warnings: &mut Vec<Warning>) -> Result<Self> {
        let Columns { table, roles, source, .. } = columns;
        let attempts = columns.attempts.as_ref();
        let inside = inside(table, roles, source, options)?;
        let cohort = inside.as_ref().map(|inside| Cohort {
            description: Subgroup { conditions: options.only().to_vec() }.description(),
            of: rows_of(table, roles, counted, |_| true),
            left_out: rows_of(table, roles, counted, |row| inside.get(row) == Some(&false)),
        });
        let counts = attempts.map(|attempts| attempts.counts(inside.as_deref())).filter(AttemptCounts::any_unanswered);
        let inside = with_answers(inside, attempts, table.rows);
        let (inside, trained_on) = without_training(inside, table, roles, options, warnings)?;
        let inside = without_empty_rows(inside, table, warnings);
        Ok(Self { inside, cohort, attempts: counts, trained_on })
    }
}

/// The selected rows that can be used: faults are errors, or leave their rows out.
struct CheckedRows {
    draft: Draft,
    /// numbers in the file, from 1
    row_numbers: Vec<u32>,
    weights: Option<Weights>,
    excluded: Excluded,
}

impl CheckedRows {
    /// Leaves all other rows out of the columns, and takes the outcome from them.
    ///
    /// * `inside`: for every row, whether it is selected; none: all are
    /// * `counts`: whether files of counts were merged, where rows stand for several cases
    ///
    /// # Errors
    /// The first fault of a value, unless such rows may be left out; `empty` where no row is left.
    fn of(
        columns: &mut Columns,
        inside: Option<Vec<bool>>,
        counts: Option<bool>,
        options: &OpenOptions,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self> {
        let Columns { table, roles, source, outcome, .. } = columns;
        let mut check = Check::new(options.rows, inside);
        let mut draft = draft(table, roles, source, std::mem::take(outcome), options, &mut check, warnings)?;
        draft.weights = weights(table, roles, &mut check)?;
        let mut excluded = Excluded::default();
        let mut row_numbers: Vec<u32> = (1..=table.rows as u32).collect();
        if let Some(keep) = check.kept(table, roles, &mut excluded, warnings)? {
            draft.keep_rows(&keep);
            table.keep_rows(&keep);
            keep_rows(&mut row_numbers, 1, &keep);
            for (role, column) in roles.iter_mut().zip(&table.columns) {
                role.missing = column.values.missing();
            }
        }
        let weights = draft.weights.take().map(|weights| named_weights(weights, table, counts)).transpose()?;
        draft.finish(&row_numbers, warnings);
        about_rows(&draft, weights.as_ref(), table, roles, source, &row_numbers, warnings);
        Ok(Self { draft, row_numbers, weights, excluded })
    }
}

/// Which of the rows that were asked for have an answer that can be scored; none: all rows.
fn with_answers(asked: Option<Vec<bool>>, attempts: Option<&Attempts>, rows: usize) -> Option<Vec<bool>> {
    let Some(attempts) = attempts else { return asked };
    let asked = asked.unwrap_or_else(|| vec![true; rows]);
    let scored: Vec<bool> = asked.iter().zip(&attempts.scored).map(|(asked, scored)| *asked && *scored).collect();
    Some(scored).filter(|scored| scored.contains(&false))
}

/// Places of the columns that name the question and the attempt of an evaluation log, unless one is the id.
fn identifiers(given: &[ColumnHints], roles: &[ColumnRole]) -> Vec<u32> {
    let names = |hints: &ColumnHints| matches!(hints.meaning, Some(Meaning::Question { .. } | Meaning::Attempt));
    let each = (0u32..).zip(given).zip(roles);
    each.filter(|((_, hints), column)| names(hints) && column.role != Role::Id).map(|((place, _), _)| place).collect()
}

/// The weights in the column at a place, with its name; `counted`: numbers of rows.
fn named_weights((place, values): (usize, Vec<f64>), table: &Table, counts: Option<bool>) -> Result<Weights> {
    let name = table.columns.get(place).map_or_else(String::new, |column| column.name.clone());
    match counts {
        Some(merged) => Weights::of_counts(name, values, merged),
        None => Weights::new(name, values),
    }
}

/// What the columns of files are taken for, where they do not (yet) make a data set: enough to show a person, who
/// can then say better.
///
/// # Errors
/// Those of joining files: `length_mismatch`, `ids_do_not_match`, `unknown_column`, `columns_ambiguous`, `empty`.
pub fn recognize<F: Borrow<ReadFile>>(files: &[F], options: &OpenOptions) -> Result<Summary> {
    let (files, left_out) = scored_files(files)?;
    let files: Vec<&ReadFile> = files.iter().map(Borrow::borrow).collect();
    let (options, differs) = with_session(&files, options)?;
    let options = &options;
    let Joined { table, given, models, header, totals, mut warnings, .. } = joined(&files, options)?;
    warnings.extend(left_out);
    warnings.extend(differs);
    let recognized = recognized(&table, &given, options.model.as_deref());
    let models = if models.is_empty() { recognized.models } else { models };
    warnings.extend(recognized.warnings);
    let divides = divisions(&table, &recognized.roles);
    let dates = date_ranges(&table, &recognized.roles);
    let facts = Facts {
        table: &table,
        rows: table.rows,
        roles: &recognized.roles,
        cohort: None,
        dropped: 0,
        trained_on: 0,
        totals,
        event: None,
        classes: 0,
        right: None,
        dates: &dates,
        clusters: None,
        declined: None,
        models: &models,
        logs: &logs(&files),
        attempts: None,
    };
    Ok(Summary {
        told: statements(&facts),
        preview: first_rows(&recognized.roles),
        only: None,
        event: None,
        clusters: None,
        rows: table.rows,
        classes: 0,
        labels: Vec::new(),
        view: View::TopLabel,
        positive: None,
        unsure: unsure(&recognized.roles, &warnings, options),
        missing: Some(unopened(&recognized.roles)),
        ways: ways(table.rows, &recognized.roles, &divides, &names(&files), &models, &options.split()),
        divisions: divides,
        columns: recognized.roles,
        dropped: Vec::new(),
        warnings: bounded_all(warnings),
        split: String::new(),
        views: Vec::new(),
        models,
        header,
        totals,
        possible_leakage: Vec::new(),
        dates,
    })
}

/// How many rows the chosen rows of a table are: of counts as many as were counted.
fn rows_of(table: &Table, roles: &[ColumnRole], counted: bool, chosen: impl Fn(usize) -> bool) -> usize {
    let place = roles.iter().position(|column| column.role == Role::Weight).filter(|_| counted);
    let chosen = (0..table.rows).filter(|row| chosen(*row));
    match place.and_then(|place| table.columns.get(place)).map(|column| &column.values) {
        Some(Values::Numbers(rows)) => chosen.filter_map(|row| rows.get(row)).sum::<f64>().round() as usize,
        _ => chosen.count(),
    }
}

/// Refuses what needs rows where there are counts: a file of rows beside them, a division other than folds.
fn check_counts(files: &[&ReadFile], options: &OpenOptions) -> Result<()> {
    let counts = files.iter().filter(|file| file.counts.is_some()).count();
    if counts > 0 && files.len() > counts {
        return Err(Error::new(
            "invalid_option",
            format!("{} are opened together, of which {counts} contain counts.", counted(files.len(), "file")),
            "Open files of counts without others: several of them are pooled, each as a site.",
        ));
    }
    if counts > 0 && !matches!(options.split(), SplitOption::Auto(_) | SplitOption::Folds { .. }) {
        return Err(Error::new(
            "invalid_option",
            "Counts are divided into folds alone: each line contains rows of every fold.",
            message!["Leave out ", phrases::SPLIT, "; recalibrations are evaluated by cross-fitting."],
        ));
    }
    Ok(())
}

/// For every row of the files, whether it is asked for; `None` where all are.
///
/// # Errors
/// Those of conditions; `empty` where no row meets them.
fn inside(table: &Table, roles: &[ColumnRole], source: &Source, options: &OpenOptions) -> Result<Option<Vec<bool>>> {
    if options.only().is_empty() {
        return Ok(None);
    }
    // What was predicted is known only after scores are read; faults are looked for afterwards.
    let of_class = options.only().iter().any(|condition| condition.column == PREDICTED);
    let predicted = match of_class && !table.columns.iter().any(|column| column.name == PREDICTED) {
        true => {
            let mut unread = Check::new(RowPolicy::Drop, Some(vec![false; table.rows]));
            let outcome = Outcome::of(table, roles)?;
            let mut draft = draft(table, roles, source, outcome, options, &mut unread, &mut Vec::new())?;
            draft.finish(&[], &mut Vec::new());
            draft.predicted.map(|predicted| (draft.labels, predicted))
        }
        false => None,
    };
    let mut inside = vec![true; table.rows];
    for condition in options.only() {
        let predicted = predicted.as_ref().map(|(labels, predicted)| (labels.as_slice(), predicted.as_slice()));
        for (inside, holds) in inside.iter_mut().zip(condition.rows_of(table, predicted)?) {
            *inside &= holds;
        }
    }
    if !inside.contains(&true) {
        return Err(Error::new(
            "empty",
            format!("None of the {} is selected.", counted(table.rows, "row")),
            format!(
                "Selected: {}. Change the selection.{}",
                Subgroup { conditions: options.only().to_vec() }.description(),
                values_instead(table, options.only())
            ),
        ));
    }
    Ok(Some(inside))
}

/// Values of a column that is quoted with a selection of none of its rows.
const VALUES_LISTED: usize = 8;

/// " Values of ward: ICU, Medicine, Surgery.", where a condition names no value of its column; else nothing.
fn values_instead(table: &Table, conditions: &[Condition]) -> String {
    let unmatched = conditions.iter().find_map(|condition| {
        let Among::Values(selected) = &condition.is else { return None };
        let column = table.columns.iter().find(|one| one.is_called(&condition.column))?;
        let Values::Text { levels, .. } = &column.values else { return None };
        let levels: Vec<&str> = levels.iter().collect();
        selected.iter().all(|value| !levels.contains(&value.as_str())).then_some((&column.name, levels))
    });
    unmatched.map_or_else(String::new, |(name, levels)| {
        format!(" Values of {}: {}.", quoted(name), first_of(&levels, VALUES_LISTED))
    })
}

/// Refuses a column that a person called dates where it holds none.
fn check_dates(table: &Table, roles: &[ColumnRole]) -> Result<()> {
    let named = table.columns.iter().zip(roles).filter(|(_, role)| role.role == Role::Date);
    let mut wrong = named.filter(|(column, _)| Dates::of(column).is_none());
    match wrong.next() {
        None => Ok(()),
        Some((column, _)) => Err(Error::new(
            "invalid_option",
            match exception_among_dates(column) {
                Some((place, value)) => message![
                    format!("Data row {}, column {}: ", thousands(place + 1), quoted(&column.name)),
                    Text::value(quoted(value)),
                    " is not a date."
                ],
                None => {
                    let name = quoted(&column.name);
                    format!("The values of {name} are not dates, or do not tell day and month apart.").into()
                }
            },
            "Write days as 2024-01-31, leave unknown ones empty, or assign another role.",
        )),
    }
}

/// Makes numbers of features nearly all of whose texts are numbers; the others count as no value.
fn numbers_among_texts(table: &mut Table, roles: &mut [ColumnRole]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (column, role) in table.columns.iter_mut().zip(roles) {
        let Values::Text { codes, levels } = &column.values else { continue };
        if role.role != Role::Feature || !nearly_numbers(&column.values) {
            continue;
        }
        let number = |text: &str| text.parse::<f64>().ok().filter(|x| x.is_finite());
        let known: Vec<Option<f64>> = levels.iter().map(number).collect();
        let others: Vec<&str> =
            levels.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(text, _)| text).collect();
        let values: Column<f64> =
            codes.iter().map(|&code| known.get(code as usize).copied().flatten().unwrap_or(f64::NAN)).collect();
        warnings.push(Warning {
            code: "texts_among_numbers".into(),
            message: format!(
                "Texts among the numbers of {} are treated as missing: {}.",
                quoted(&column.name),
                listed(&others)
            ),
            row: None,
            column: Some(column.name.clone()),
        });
        column.values = Values::Numbers(values);
        role.missing = column.values.missing();
    }
    warnings
}

/// Of the files, in their order.
fn names<'a>(files: &[&'a ReadFile]) -> Vec<&'a str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

/// What evaluation logs and counts among the files say of themselves; of several each with the names of its files.
fn logs(files: &[&ReadFile]) -> Vec<String> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for file in files {
        let told = file.log.as_ref().map(|log| &log.summary).or(file.counts.as_ref().map(|counts| &counts.summary));
        let Some(told) = told else { continue };
        match all.iter_mut().find(|(known, _)| known == told) {
            Some((_, names)) => names.push(&file.name),
            None => all.push((told, vec![&file.name])),
        }
    }
    let one = matches!(all.as_slice(), [(_, names)] if names.len() == 1);
    let of_files = |(told, names): (&str, Vec<&str>)| match one {
        true => told.to_owned(),
        false => format!("{}: {told}", listed(&names)),
    };
    all.into_iter().map(of_files).collect()
}

/// The texts of a column; none of one of numbers.
fn texts(column: &NamedColumn) -> Vec<&str> {
    match &column.values {
        Values::Text { levels, .. } => levels.iter().collect(),
        _ => Vec::new(),
    }
}

fn has_text(column: &NamedColumn, wished: &str) -> bool {
    texts(column).contains(&wished)
}

/// What helps where a file was not taken apart.
const ONE_COLUMN: &str = "The file was read as one column. Separate columns by commas, semicolons or tabs, and remove lines that \
                          are not part of the table.";

/// The models of these rows, by files or by columns, the open one first.
///
/// # Errors
/// `invalid_option` for a model that is not there.
fn of_cohort(
    files: Vec<String>,
    found: &Recognized,
    options: &OpenOptions,
    table: &Table,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<String>> {
    if !files.is_empty() {
        return Ok(files);
    }
    let models = found.models.clone();
    if let Some(wished) = &options.model
        && models.first() != Some(wished)
    {
        return Err(Error::new(
            "invalid_option",
            message![phrases::MODEL, format!(": {} is not one of the models.", quoted(wished))],
            match table.columns.iter().find(|column| has_text(column, wished)) {
                Some(column) => {
                    message![format!("It is a value of {}. ", quoted(&column.name)), phrases::ROWS_OF_ONE_VALUE]
                }
                None if models.is_empty() => "The file has scores of one model only. Omit the option.".into(),
                None => format!("There are {}.", listed(&models)).into(),
            },
        ));
    }
    // a column of predicted classes may be called `model`, too
    let others = table.columns.iter().zip(&found.roles).filter(|(_, role)| role.role != Role::Predicted);
    warnings.extend(others.filter_map(|(column, _)| pooled::named(column)));
    if let [open, others @ ..] = models.as_slice() {
        warnings.push(Warning {
            code: "models_of_one_cohort".into(),
            message: format!(
                "The file has scores of {} models for the same {}: {} is open; also available: {}.",
                thousands(models.len()),
                counted(table.rows, "row"),
                quoted(open),
                listed(others)
            ),
            row: None,
            column: None,
        });
    }
    Ok(models)
}

/// Says which scores were read as percent, of which no warning says it.
fn readings_warning(roles: &[ColumnRole], warnings: &[Warning]) -> Option<Warning> {
    let said = |name: &str| {
        warnings.iter().any(|one| one.code == "fractions_named_percent" && one.column.as_deref() == Some(name))
    };
    let percent: Vec<&str> = (roles.iter())
        .filter(|column| column.reading == Some(Reading::Percent) && column.role != Role::Ignore)
        .filter(|column| !said(&column.name))
        .map(|column| column.name.as_str())
        .collect();
    let first = *percent.first()?;
    Some(Warning {
        code: "read_as_percent".into(),
        message: format!("Values were read as percentages (12.5 as 0.125): {}.", listed(&percent)),
        row: None,
        column: Some(first.to_owned()),
    })
}

/// Messages of bounded length.
fn bounded_all(mut warnings: Vec<Warning>) -> Vec<Warning> {
    for warning in &mut warnings {
        warning.message = bounded(std::mem::take(&mut warning.message));
    }
    warnings
}

/// What an open data set lacks before anything can be computed, and what supplies it.
fn missing(draft: &Draft, source: &Source, warnings: &[Warning]) -> Option<String> {
    let needed = if *source == Source::Nowhere {
        const NONE: &str = "No prediction column. Assign “Probability”, “Logit” or “Confidence”.";
        // numbers with the marks of a spreadsheet or a language are texts; others could be used after all
        let why = reason_against(warnings);
        return Some(format!("{NONE}{why}"));
    } else if draft.y.is_none() && draft.correct.is_none() {
        "No outcome column. Assign “Outcome”."
    } else if draft.correct.is_none() {
        "No predicted class and no column of correctness. Assign “Predicted class” or “Correct (0/1)”."
    } else {
        return None;
    };
    Some(needed.to_owned())
}

/// The same of files that do not open.
fn unopened(roles: &[ColumnRole]) -> String {
    let offered: Vec<&str> = (roles.iter())
        .filter(|column| column.offer == Some(Reading::Percent))
        .map(|column| column.name.as_str())
        .collect();
    if offered.is_empty() {
        "The column roles are incomplete. Assign an outcome and a prediction.".to_owned()
    } else {
        format!("These look like percentages, not probabilities: {}. Confirm, or choose another role.", listed(offered))
    }
}

/// Whether a role is only a guess, or class numbers were moved of a label that nobody named as one.
fn unsure(roles: &[ColumnRole], warnings: &[Warning], options: &OpenOptions) -> bool {
    let said = || options.roles.values().any(|role| *role == Role::Label);
    roles.iter().any(|role| !role.sure) || warnings.iter().any(|w| w.code == "labels_shifted") && !said()
}

/// Why a column that is named like a score is none.
fn reason_against(warnings: &[Warning]) -> String {
    let against = warnings.iter().find(|one| matches!(one.code.as_str(), "score_as_text" | "score_not_probability"));
    against.map(|one| format!(" {}", one.message)).unwrap_or_default()
}

fn roles_unclear(roles: &[ColumnRole], warnings: &[Warning]) -> Error {
    Error::new(
        "roles_unclear",
        format!(
            "No outcome or prediction column was recognized among {}: {}.{}",
            counted(roles.len(), "column"),
            listed(roles.iter().map(|r| &r.name)),
            reason_against(warnings)
        ),
        match roles {
            [only] if only.text => ONE_COLUMN.into(),
            _ => message![phrases::SAY_THE_ROLES],
        },
    )
}

fn view(options: &OpenOptions, draft: &Draft, views: &[View], warnings: &mut Vec<Warning>) -> Result<View> {
    let several = draft.labels.len() > 2 && options.view == Some(View::Positive);
    let differs = several.then(|| for_two_classes(options, "view", "positive", draft.labels.len())).flatten();
    let wished = if differs.is_some() { None } else { options.view };
    warnings.extend(differs);
    match wished {
        Some(view) if views.contains(&view) => Ok(view),
        Some(_) => Err(Error::new(
            "unsupported_view",
            match &draft.scores {
                Some(Scores::Confidence) => {
                    "The positive view needs P(y = 1); the file contains only the confidence of the predicted class."
                        .to_owned()
                }
                None => "The positive view needs P(y = 1); the file contains no scores.".into(),
                _ => format!("The positive view needs two classes; there are {}.", thousands(draft.labels.len())),
            },
            phrases::TOP_LABEL_VIEW,
        )),
        None => Ok(views.first().copied().unwrap_or(View::TopLabel)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_a_common_outcome_and_score_are_not_stacked() {
        let file = |name: &str, text: &str| crate::read::read(name, text.as_bytes(), &mut |_| ()).unwrap();
        let log = "{\"question\": \"a\", \"confidence\": 0.9, \"correct\": true}\n{\"question\": \"b\", \"confidence\": 0.7, \
                   \"correct\": false}\n{\"question\": \"c\", \"confidence\": 0.6, \"correct\": true}\n";
        let files = [file("a.csv", "y,p\n1,0.5\n0,0.25\n"), file("log.jsonl", log)];
        let error = assemble(&files, &OpenOptions::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().lines().next().unwrap_or_default().to_owned()),
            (
                "length_mismatch",
                "Different columns contain the outcomes and predictions of `a.csv` (2 rows) and `log.jsonl` (3 rows)."
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_value_among_dates_that_is_none_is_named() {
        let rows = |date: &str| {
            format!(
                "y,p,seen\n1,0.5,2024-01-01\n0,0.25,{date}\n1,0.75,2024-01-03\n0,0.1,2024-01-04\n1,0.9,2024-01-05\n0,0.3,2024-01-06\n1,0.4,2024-01-07\n0,0.2,2024-01-08\n1,0.8,2024-01-09\n0,0.6,2024-01-10\n"
            )
        };
        let opened = |date: &str, options: &OpenOptions| {
            assemble(&[crate::read::read("rows.csv", rows(date).as_bytes(), &mut |_| ()).unwrap()], options)
        };
        let (_, summary) = opened("unknown", &OpenOptions::default()).unwrap();
        assert!(
            summary.warnings.iter().any(|warning| warning
                .message
                .starts_with("`seen` is not read as dates, because it contains `unknown`."))
        );
        let said = OpenOptions { roles: [("seen".to_owned(), Role::Date)].into(), ..OpenOptions::default() };
        let error = opened("2024-02-30", &said).unwrap_err();
        assert!(error.to_string().starts_with("Data row 2, column `seen`: `2024-02-30` is not a date."), "{error}");
        let (_, summary) = opened("", &OpenOptions::default()).unwrap();
        assert!(summary.warnings.iter().all(|warning| warning.code != "date_unreadable"));
    }

    #[test]
    fn fractions_under_a_name_that_says_percent_are_asked_about() {
        let of = |options: OpenOptions| {
            let file = crate::read::read("rows.csv", b"score_percent,y\n0.5,1\n0.25,0\n0.1,0\n", &mut |_| ()).unwrap();
            let (data, summary) = assemble(&[file], &options).unwrap();
            let codes = summary.warnings.into_iter().map(|warning| warning.code).filter(|code| code != "few_rows");
            let codes: Vec<String> = codes.collect();
            (crate::data::pair::scores(&data).unwrap()[0], codes.join(" "), summary.unsure)
        };
        let said = |role| OpenOptions { roles: [("score_percent".to_owned(), role)].into(), ..OpenOptions::default() };
        assert_eq!(of(OpenOptions::default()), (0.5, "fractions_named_percent".to_owned(), true));
        assert_eq!(of(said(Role::Probability)), (0.5, String::new(), false));
        assert_eq!(of(said(Role::Percent)), (0.005, "read_as_percent".to_owned(), false));
    }

    #[test]
    fn a_percentage_beside_correctness_is_a_confidence() {
        let row = |k: usize| format!("{},{},{}\n", 60 + k % 40, u8::from(!k.is_multiple_of(3)), k % 2);
        let open = |names: &str, roles: &[(&str, Role)]| {
            let text = format!("{names}\n{}", (0..60).map(row).collect::<String>());
            let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            let roles = roles.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
            assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() }).unwrap().0
        };
        for (names, roles) in
            [("X,Y,Z", &[("X", Role::Percent), ("Y", Role::Correct)][..]), ("X,correct,Z", &[("X", Role::Percent)])]
        {
            let data = open(names, roles);
            assert_eq!(data.confidence.unwrap()[0], 0.6, "{names}");
            assert_eq!(data.correct.unwrap()[..3], [0, 1, 1], "{names}");
        }
        // beside an outcome it is the probability of one class
        let data = open("X,Y,Z", &[("X", Role::Percent), ("Y", Role::Correct), ("Z", Role::Label)]);
        assert!(matches!(data.scores, Some(Scores::Binary { .. })));
    }

    #[test]
    fn probabilities_in_words_are_named_with_what_would_make_them_numbers() {
        let row = |k: usize| format!("{},{}\n", ["low", "medium", "high"][k % 3], k % 2);
        let text = format!("confidence,correct\n{}", (0..60).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let said = "The values of `confidence` are words, not probabilities: `low`, `medium`, `high`.";
        let (_, summary) = assemble(std::slice::from_ref(&file), &OpenOptions::default()).unwrap();
        assert!(summary.warnings.iter().any(|warning| warning.message.starts_with(said)), "{:?}", summary.warnings);
        let roles = [("confidence".to_owned(), Role::Confidence)].into();
        let error = assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() }).unwrap_err();
        assert!(error.hint().starts_with(said), "{error} {}", error.hint());
    }

    #[test]
    fn german_percentages_and_smaller_units_are_recognized_by_their_names() {
        let table = |name: &str, scale: f64, decimals: usize| {
            let row = |k: usize| {
                let value = format!("{:.decimals$}", scale * (0.01 + 0.8 * (k % 37) as f64 / 37.0)).replace('.', ",");
                format!("{k};{value};{}\n", k % 2)
            };
            let text = format!("Nr;{name};Ausfall\n{}", (0..80).map(row).collect::<String>());
            crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap()
        };
        let (data, _) =
            assemble(&[table("Ausfallwahrscheinlichkeit in Prozent", 100.0, 1)], &OpenOptions::default()).unwrap();
        assert_eq!(crate::data::pair::scores(&data).unwrap()[0], 0.01);
        for (name, scale, said) in [
            ("PD in Promille", 1_000.0, "Divide values per mille by 1,000 first: `PD in Promille`."),
            ("pd_bps", 10_000.0, "Divide basis points by 10,000 first: `pd_bps`."),
        ] {
            let file = table(name, scale, 0);
            let told = match assemble(&[file], &OpenOptions::default()) {
                Ok((_, summary)) => {
                    let messages = summary.warnings.into_iter().map(|warning| warning.message);
                    messages.collect::<Vec<_>>().join(" ")
                }
                Err(error) => error.to_string(),
            };
            assert!(told.contains(said), "{told}");
        }
    }

    #[test]
    fn what_is_outside_0_and_1_is_explained_to_a_person_by_controls() {
        let row = |k: usize| format!("{},{}\n", 10 + k % 70, k % 2);
        let text = format!("risk,y\n{}", (0..60).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let roles = [("risk".to_owned(), Role::Probability)].into();
        let error = assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() }).unwrap_err();
        assert_eq!(
            error.hint(),
            "For percentages, assign the reading percent; for logits, assign the role logit; or exclude such rows (rows: \
             \"drop\")."
        );
        assert_eq!(
            error.on_page().1,
            "For percentages, choose “Read as percentages” or the role “Probability (%)”; for logits, assign the role \
             “Logit”; or exclude such rows (“Rows with invalid values” under Data)."
        );
    }

    #[test]
    fn a_missing_value_in_numbers_among_scores_is_named_with_its_count() {
        let row = |k: usize| match k % 5 {
            0 => format!("-1,{}\n", k % 2),
            _ => format!("0.{},{}\n", 10 + k, k % 2),
        };
        let text = format!("risk,y\n{}", (0..60).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let error = assemble(std::slice::from_ref(&file), &OpenOptions::default()).unwrap_err();
        assert_eq!(error.code(), "probability_out_of_range");
        assert_eq!(error.to_string(), "Data row 1, column `risk`: -1 is not between 0 and 1; 12 rows have this value.");
        assert_eq!(error.hint(), "If -1 codes a missing value, exclude such rows (rows: \"drop\").");
        let (data, _) = assemble(&[file], &OpenOptions { rows: RowPolicy::Drop, ..OpenOptions::default() }).unwrap();
        assert_eq!((data.rows, data.dropped), (48, 12));
    }
}
