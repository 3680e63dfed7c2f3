//! What each column is: a guess with its reason, from its name first, then from its values.

mod by_name;
mod family;
mod follows;
mod label;
mod leftover;
mod linear_predictor;
mod named_percent;
mod raters;
mod rivals;
mod score;
mod several_outcomes;
mod single;

use super::dates::{Dates, Exactness, perhaps_seconds};
use super::labels::Labels;
use super::names;
use super::percent::some_signs;
use super::profile::{Form, Profile};
use super::roles::{ColumnRole, Reading, Role};
use super::sentinels::{Sentinel, suspected};
use crate::read::Meaning;
use crate::table::Warning;
use crate::table::values::{MISSING, NamedColumn, Table, Values};
use crate::words::text::{counted, plain, quoted};
pub(super) use label::ONLY_EVENT;
use std::collections::BTreeSet;

/// Roles of a table's columns, and what a person should know about the guesses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Recognized {
    /// one role a column
    pub roles: Vec<ColumnRole>,
    /// what a person should know
    pub warnings: Vec<Warning>,
    /// scores that are models of the same rows, the open one first; empty where there is but one
    pub models: Vec<String>,
    /// whether the weight is a number of rows that each row stands for
    pub counted: bool,
}

/// What is known of a column before it is looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ColumnHints {
    /// the role that a person gave it, or that its file leaves it
    pub role: Option<Role>,
    /// why, where no person said so
    pub reason: Option<String>,
    /// how its values were read
    pub reading: Option<Reading>,
    /// its first values, where they were not read as they stand
    pub preview: Option<Vec<String>>,
    /// the other reading of a mark between digits
    pub offer: Option<Reading>,
    /// a value with such a mark, as it is in the file
    pub written: Option<String>,
    /// values that count as missing
    pub sentinels: Vec<Sentinel>,
    /// what it says of an attempt, where its file is an evaluation log
    pub meaning: Option<Meaning>,
    /// of a quantized column, whose values are centers of cells
    pub cell_width: Option<f64>,
}

/// Rows below which a pattern of their values may be chance.
const FEW_ROWS: usize = 20;

/// A role with its reason.
#[derive(Debug, Clone, PartialEq)]
struct Guess {
    role: Role,
    reason: String,
    sure: bool,
}

/// Columns with what is known about them so far.
struct Guesses<'a> {
    columns: &'a [NamedColumn],
    profiles: Vec<Profile>,
    given: Vec<bool>,
    /// columns whose values were read as percent
    in_percent: Vec<bool>,
    guesses: Vec<Option<Guess>>,
    warnings: Vec<Warning>,
    /// scores that look like percent, with the role that they would have
    percents: Vec<(Vec<usize>, Role)>,
    /// columns that look like percent
    percent_columns: Vec<usize>,
    /// fractions that are percentages by the name and by how often the event is observed
    rare_percents: Vec<usize>,
    /// scores beside those that are used, which may be other models
    rivals: Vec<rivals::Rival>,
    /// whether the weight is a number of rows that each row stands for
    counted: bool,
}

/// Recognizes the columns of a table; `given` is what is known of each of them, `model` the wished one of several.
pub(super) fn recognized(table: &Table, given: &[ColumnHints], model: Option<&str>) -> Recognized {
    let profiles: Vec<Profile> = table.columns.iter().map(Profile::of).collect();
    let of_file = |j: usize| given.get(j).filter(|given| given.role.is_some());
    let mut all = Guesses {
        columns: &table.columns,
        given: (0..profiles.len()).map(|j| of_file(j).is_some()).collect(),
        in_percent: (0..profiles.len())
            .map(|j| given.get(j).is_some_and(|given| given.reading == Some(Reading::Percent)))
            .collect(),
        guesses: (0..profiles.len())
            .map(|j| {
                let given = of_file(j)?;
                Some(Guess {
                    role: given.role?,
                    reason: given.reason.clone().unwrap_or_else(|| "chosen".into()),
                    sure: true,
                })
            })
            .collect(),
        profiles,
        warnings: Vec::new(),
        percents: Vec::new(),
        percent_columns: Vec::new(),
        rare_percents: Vec::new(),
        rivals: Vec::new(),
        counted: false,
    };
    all.without_values();
    for j in all.open() {
        if given.get(j).is_some_and(|given| given.meaning == Some(Meaning::Field)) {
            all.field(j);
        }
    }
    all.by_name();
    all.dates();
    all.answers_of_a_model();
    all.several_outcomes();
    let labels = all.label();
    all.of_correctness();
    all.scores(&labels);
    all.class_of_scores();
    all.of_predicted_class();
    all.label_from_values();
    all.counts_of_rows();
    all.models_of_a_person();
    all.settle();
    all.pipeline_without_outcome();
    all.follow_from_scores();
    let models = all.models(model);
    all.follow_up();
    all.leftovers();
    all.seconds_as_features();
    all.fractions_named_percent();
    all.finished(given, models)
}

impl<'a> Guesses<'a> {
    fn name(&self, j: usize) -> &'a str {
        self.columns.get(j).map_or("", |column| &column.name)
    }

    fn profile(&self, j: usize) -> Option<&Profile> {
        self.profiles.get(j)
    }

    /// The label that the name of a single score ends in.
    fn class_of_score<'l>(&self, j: usize, labels: &'l [String]) -> Option<&'l str> {
        let file = self.columns.get(j).map(|column| &column.file);
        let beside = self.columns.iter().enumerate().filter(|(k, column)| *k != j && Some(&column.file) == file);
        names::class_of_score(self.name(j), labels, beside.map(|(_, column)| column.name.as_str()))
    }

    /// Columns without a guess.
    fn open(&self) -> Vec<usize> {
        (0..self.guesses.len()).filter(|&j| self.guesses.get(j) == Some(&None)).collect()
    }

    fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.guesses.len()).filter(|&j| self.role(j) == Some(role)).collect()
    }

    fn role(&self, j: usize) -> Option<Role> {
        self.guesses.get(j)?.as_ref().map(|guess| guess.role)
    }

    fn has(&self, role: Role) -> bool {
        !self.with_role(role).is_empty()
    }

    fn set(&mut self, j: usize, role: Role, reason: impl Into<String>, sure: bool) {
        if let Some(guess) = self.guesses.get_mut(j)
            && self.given.get(j) == Some(&false)
        {
            *guess = Some(Guess { role, reason: reason.into(), sure });
        }
    }

    /// Asks about a guess that was made.
    fn unsure(&mut self, j: usize) {
        if let Some(Some(guess)) = self.guesses.get_mut(j)
            && self.given.get(j) == Some(&false)
        {
            guess.sure = false;
        }
    }

    fn warn(&mut self, code: &str, message: String, column: Option<usize>) {
        self.warnings.push(Warning {
            code: code.into(),
            message,
            row: None,
            column: column.map(|j| self.name(j).to_owned()),
        });
    }

    fn without_values(&mut self) {
        for j in self.open() {
            let empty = self.profile(j).is_some_and(|p| match p.form {
                Form::Matrix { width, .. } => p.missing == p.rows * width,
                _ => p.missing == p.rows,
            });
            if empty {
                self.set(j, Role::Ignore, "empty", true);
                self.formulas(j);
            }
        }
    }

    /// Says of an empty score or outcome of a workbook that its formulas may have no results: libraries write formulas
    /// alone.
    fn formulas(&mut self, j: usize) {
        let name = self.name(j);
        let of_workbook = self.columns.get(j).is_some_and(|column| {
            let file = column.file.to_lowercase();
            [".xlsx", ".xlsm"].iter().any(|ending| file.ends_with(ending))
        });
        if of_workbook && (names::suggests_score(name) || names::rank(name, names::LABEL).is_some()) {
            let message = format!(
                "{} has no values. If it has formulas, open the workbook in a spreadsheet program and save it, so that \
                 their results are stored.",
                quoted(name)
            );
            self.warn("formulas_without_results", message, Some(j));
        }
    }

    /// A probability that is never below 0.5, beside predicted classes of both kinds, is that of the predicted one.
    fn of_predicted_class(&mut self) {
        let (scores, predicted) = (self.with_role(Role::Probability), self.with_role(Role::Predicted));
        let (&[score], &[predicted]) = (scores.as_slice(), predicted.as_slice()) else { return };
        let high = self.profile(score).is_some_and(|p| p.is_number() && p.min >= 0.5 && p.rows >= FEW_ROWS);
        let labels = self.labels_of(predicted);
        let named = self.class_of_score(score, &labels).is_some();
        if high && labels.len() == 2 && !named && !self.is_threshold(predicted, score) {
            let reason = "at least 0.5 beside predicted classes of both kinds: probability of the predicted one";
            self.set(score, Role::Confidence, reason, false);
            self.confidences_beside(score);
        }
    }

    /// Ignores confidences beside the probability of the predicted class, and says so: programs also call a lower limit of that
    /// probability a confidence.
    fn confidences_beside(&mut self, probability: usize) {
        for j in self.with_role(Role::Confidence).into_iter().filter(|&j| j != probability) {
            let [used, other] = [probability, j].map(|j| quoted(self.name(j)));
            self.set(j, Role::Ignore, format!("{used} is used"), false);
            let message = format!(
                "{used} is used as the probability of the predicted class, and {other} is ignored. To evaluate {other}, assign the \
                 role confidence to it, and the role ignore to {used}."
            );
            self.warn("confidence_beside_probability", message, Some(j));
        }
    }

    /// A score that a person called a percentage, beside whether answers were correct and without an outcome: a confidence, for which
    /// there is no other role in percent.
    fn of_correctness(&mut self) {
        let &[score] = self.with_role(Role::Probability).as_slice() else { return };
        let of_person = [&self.given, &self.in_percent].iter().all(|flags| flags.get(score) == Some(&true));
        let classes = self.has(Role::Label) || self.has(Role::Predicted);
        if of_person
            && self.has(Role::Correct)
            && !classes
            && let Some(guess) = self.guesses.get_mut(score)
        {
            let reason = "percentage beside whether answers were correct".to_owned();
            *guess = Some(Guess { role: Role::Confidence, reason, sure: true });
        }
    }

    /// A column named as a number of rows (`n`, `freq`), where every combination of the score, the outcome and the groups is in
    /// one row only, and there is nothing else: each row stands for others, as `groupby().size()`, `crosstab` and `table()` write them.
    fn counts_of_rows(&mut self) {
        let (scores, labels) = (self.with_role(Role::Probability), self.with_role(Role::Label));
        let (&[score], &[label]) = (scores.as_slice(), labels.as_slice()) else { return };
        let counts = |&j: &usize| {
            let named = names::rank(self.name(j), names::COUNT).is_some();
            let ends_so =
                || names::words(self.name(j)).last().is_some_and(|word| matches!(word.as_str(), "freq" | "count"));
            // tables of all combinations have some without rows; so has a feature that counts something
            let least = if named { 0.0 } else { 1.0 };
            let whole = |p: &Profile| p.is_number() && p.whole && p.min >= least && p.max > 1.0;
            (named || ends_so()) && self.profile(j).is_some_and(whole)
        };
        let weights = self.with_role(Role::Weight);
        let mut candidates = if weights.is_empty() { self.open() } else { weights };
        candidates.retain(counts);
        let &[count] = candidates.as_slice() else { return };
        // a pass over all rows: last
        if self.labels_of(label).len() != 2 {
            return;
        }
        let Some(cells) = self.cells(score, label, count) else { return };
        let rows = cells.len();
        let distinct = cells.iter().collect::<BTreeSet<_>>().len();
        let of_score = cells.iter().map(|cell| cell.first()).collect::<BTreeSet<_>>().len();
        if rows < 2 || of_score == rows {
            return;
        }
        // counts by a column that was left out have several rows of one combination: a person may say so
        if distinct != rows && self.given.get(count) == Some(&false) {
            let name = self.name(count);
            let message = format!(
                "`{name}` may be a number of rows; each row counts once, as some combinations of the other columns stand in \
                 several rows. If it is, assign the role weight to it."
            );
            if self.role(count) != Some(Role::Weight) {
                self.warn("rows_may_be_counts", message, Some(count));
            }
            return;
        }
        self.counted = true;
        let total = match self.columns.get(count).map(|column| &column.values) {
            Some(Values::Numbers(values)) => values.iter().sum::<f64>(),
            _ => return,
        };
        let name = self.name(count);
        if self.given.get(count) == Some(&false) {
            self.set(count, Role::Weight, "number of rows with this score and outcome", false);
            let message = format!(
                "`{name}` is read as the number of rows with each score and outcome: {} in all. If it is something else, \
                 assign another role to it.",
                counted(total as u64, "row")
            );
            self.warn("rows_are_counts", message, Some(count));
        }
    }

    /// The values of every row that make it a cell of counts: score, outcome, groups and dates. `None` where there is something
    /// that no groups are made of.
    fn cells(&self, score: usize, label: usize, count: usize) -> Option<Vec<Vec<u64>>> {
        let Values::Numbers(scores) = &self.columns.get(score)?.values else { return None };
        let codes = Labels::of(&self.columns.get(label)?.values).codes;
        let mut cells: Vec<Vec<u64>> =
            scores.iter().zip(codes).map(|(x, code)| vec![x.to_bits(), u64::from(code)]).collect();
        for j in (0..self.columns.len()).filter(|j| ![score, label, count].contains(j)) {
            match self.role(j) {
                Some(Role::Id | Role::Ignore) => continue,
                None | Some(Role::Group | Role::Date) => {}
                Some(_) => return None,
            }
            match &self.columns.get(j)?.values {
                Values::Text { codes, .. } => {
                    cells.iter_mut().zip(codes.iter()).for_each(|(cell, code)| cell.push(u64::from(*code)));
                }
                Values::Numbers(values) if self.profile(j)?.whole && self.profile(j)?.distinct.is_some() => {
                    cells.iter_mut().zip(values.iter()).for_each(|(cell, x)| cell.push(x.to_bits()));
                }
                _ => return None,
            }
        }
        Some(cells)
    }

    /// Texts of a column; none of one of numbers.
    fn texts(&self, j: usize) -> Vec<&'a str> {
        match self.columns.get(j).map(|column| &column.values) {
            Some(Values::Text { levels, .. }) => levels.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Columns all of whose values are dates; whole years are numbers unless a person says otherwise.
    fn dates(&mut self) {
        for j in self.open() {
            self.date(j);
        }
    }

    fn date(&mut self, j: usize) {
        let dates = self.columns.get(j).and_then(Dates::of);
        if let Some(dates) = dates.filter(|dates| dates.exactness > Exactness::Year)
            && let Some((first, last)) = dates.ends()
        {
            self.set(j, Role::Date, format!("dates {} to {}", dates.text(first), dates.text(last)), true);
        }
    }

    /// Says of features that they may be seconds since 1970, which only the name of a date would tell.
    fn seconds_as_features(&mut self) {
        for j in self.with_role(Role::Feature) {
            let Some(p) = self.profile(j).filter(|p| p.is_number() && p.whole && p.distinct.is_none()) else {
                continue;
            };
            if let Some([first, last]) = perhaps_seconds(p.min, p.max) {
                let name = self.name(j);
                let message = format!(
                    "{} is a feature, but may count seconds since 1970 ({first} to {last}). If so, give it the name of a \
                     time, such as `{name}_time`.",
                    quoted(name)
                );
                self.warn("perhaps_seconds", message, Some(j));
            }
        }
    }

    /// What a log knows of a question is a date, a group or a feature, whatever its name.
    fn field(&mut self, j: usize) {
        self.date(j);
        if self.role(j).is_none() {
            self.leftover(j);
        }
        if let Some(given) = self.given.get_mut(j) {
            *given = true;
        }
    }

    fn all_distinct(&self, j: usize) -> bool {
        let Some(Values::Numbers(values)) = self.columns.get(j).map(|c| &c.values) else {
            return false;
        };
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.windows(2).all(|pair| pair.first() != pair.last())
    }

    /// Where the values of a score in the file lie.
    fn range_words(&self, j: usize) -> &'static str {
        match self.in_percent.get(j) {
            Some(true) => "values from 0% to 100%",
            _ => "values in [0, 1]",
        }
    }

    fn labels_of(&self, j: usize) -> Vec<String> {
        self.columns.get(j).map(|column| Labels::of(&column.values).names).unwrap_or_default()
    }

    fn finished(self, given: &[ColumnHints], models: Vec<String>) -> Recognized {
        let roles = (self.columns.iter().zip(&self.profiles))
            .zip(self.guesses)
            .enumerate()
            .map(|(j, ((column, profile), guess))| {
                let known = given.get(j);
                let rare_percent = self.rare_percents.contains(&j).then_some(Reading::Percent);
                let reading = known.and_then(|given| given.reading).or(rare_percent);
                let guess = guess.unwrap_or(Guess { role: Role::Ignore, reason: "not recognized".into(), sure: true });
                let shares = matches!(guess.role, Role::Probability | Role::Probabilities | Role::Confidence);
                let percent = profile.percent_like() || some_signs(&column.values);
                // Whole numbers up to 10 with the role of a share are tenths or ratings.
                let shares = shares && !profile.like_grades();
                let offered = (shares || self.percent_columns.contains(&j)) && percent && reading.is_none();
                let mut sentinels = known.map(|given| given.sentinels.clone()).unwrap_or_default();
                if matches!(guess.role, Role::Feature | Role::Group | Role::Date) {
                    sentinels.extend(suspected(column, profile.min, profile.max));
                }
                ColumnRole {
                    file: column.file.clone(),
                    name: column.name.clone(),
                    role: guess.role,
                    reason: guess.reason,
                    shape: column.values.shape(),
                    sure: guess.sure,
                    text: profile.is_text(),
                    preview: known.and_then(|given| given.preview.clone()).unwrap_or_else(|| preview(&column.values)),
                    missing: match profile.form {
                        Form::Matrix { .. } => 0,
                        _ => profile.missing,
                    },
                    reading,
                    offer: offered.then_some(Reading::Percent).or_else(|| known.and_then(|given| given.offer)),
                    written: known.and_then(|given| given.written.clone()),
                    sentinels,
                    cell_width: known.and_then(|given| given.cell_width),
                }
            })
            .collect();
        Recognized { roles, warnings: self.warnings, models, counted: self.counted }
    }
}

/// The first five values as text.
pub(super) fn preview(values: &Values) -> Vec<String> {
    let number = |x: f64| if x.is_nan() { String::new() } else { plain(x) };
    match values {
        Values::Numbers(v) => v.iter().take(5).map(|&x| number(x)).collect(),
        Values::Text { codes, levels } => codes
            .iter()
            .take(5)
            .map(|&code| if code == MISSING { String::new() } else { levels.text(code).chars().take(60).collect() })
            .collect(),
        Values::Matrix(matrix) => (0..matrix.rows().min(5))
            .map(|i| {
                let shown: Vec<String> = (0..matrix.width.min(3))
                    .map(|j| {
                        let x = matrix.value(i, j);
                        let short = format!("{x:.4}").parse().unwrap_or(x);
                        number(short)
                    })
                    .collect();
                let more = if matrix.width > 3 { ", …" } else { "" };
                format!("{}{more}", shown.join(", "))
            })
            .collect(),
    }
}
