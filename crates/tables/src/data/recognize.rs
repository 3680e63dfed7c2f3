//! What each column is: a guess with its reason, from its name first, then from its values.

mod family;
mod follows;
mod label;
mod leftover;
mod named_percent;
mod raters;
mod rivals;
mod score;
mod single;

use super::dates::{Dates, Exactness, perhaps_seconds};
use super::labels::Labels;
use super::names;
use super::parts::named_parts;
use super::percent::some_signs;
use super::profile::{Form, Profile};
use super::roles::{ColumnRole, Reading, Role};
use super::sentinels::{Sentinel, suspected};
use crate::read::Meaning;
use crate::table::Warning;
use crate::table::values::{MISSING, NamedColumn, Table, Values};
use crate::words::text::{counted, plain, quoted};
pub(super) use label::ONLY_EVENT;
use std::collections::{BTreeSet, HashSet};

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

    /// Roles that a name alone settles, if the values fit it.
    fn by_name(&mut self) {
        let siblings: Vec<String> = (0..self.columns.len()).map(|j| names::plain(self.name(j))).collect();
        let known: HashSet<&str> = siblings.iter().map(String::as_str).collect();
        let has = |name: &str| known.contains(name);
        let weka = self.name(0) == "inst#" && has("predicted");
        let pipeline = self.of_pipeline();
        // a weight beside a height is that of a body
        let of_bodies = siblings.iter().any(|name| ["height", "ht", "bmi"].iter().any(|word| name.starts_with(word)));
        let judged = judged_confidence(&siblings);
        let is_judged = |name: &str, word: &str| judged && names::words(name).last().is_some_and(|last| last == word);
        for j in self.open() {
            let name = self.name(j);
            let Some(p) = self.profile(j) else { continue };
            let plain = names::plain(name);
            let two = p.distinct == Some(2) || p.distinct == Some(1);
            let (is_text, is_number, is_matrix) = (p.is_text(), p.is_number(), p.is_matrix());
            let whole_or_text = is_text || (is_number && p.whole);
            let unit = p.outside == 0.0;
            let positive = is_number && p.min >= 0.0;
            let classes = p.few(1_000) || (whole_or_text && p.distinct.is_none_or(|d| d * 2 <= p.rows.max(4)));
            let listed = |list| names::rank(name, list).is_some();
            if is_matrix {
                continue;
            }
            if names::suggests_spread(name) && is_number {
                self.set(j, Role::Ignore, "standard error of the prediction", true);
            } else if pipeline.is_some_and(|(label, _)| label == j) {
                self.set(j, Role::Predicted, "Hugging Face: the predicted class", true);
            } else if pipeline.is_some_and(|(_, score)| score == j) {
                self.set(j, Role::Confidence, "Hugging Face: probability of the predicted class", true);
            } else if has("confidence") && plain.starts_with("confidence_") {
                self.set(j, Role::Ignore, "a recalibrated confidence; `confidence` is the original", true);
            } else if has("p") && plain.starts_with("p_") && has("predicted") && has("label") {
                self.set(j, Role::Ignore, "a recalibrated probability; `p` is the original", true);
            } else if names::is_weight(name)
                && positive
                // 0 and 1 mark rows, 1 and 10 weight them
                && !(p.whole && two && p.min < 1.0)
                && !(plain == "weight" && of_bodies)
            {
                self.set(j, Role::Weight, "name", true);
            } else if let Some(reason) = named_parts(&self.texts(j), listed(names::SPLIT)) {
                self.set(j, Role::Split, reason, true);
            } else if plain == "fold" || plain == "folds" || plain == "cv_fold" {
                self.set(j, Role::Ignore, "number of a fold", true);
            } else if self.is_id(j) {
                let before = self.with_role(Role::Id).first().copied();
                // numbers of the rows of one file name nothing in another
                let numbered =
                    before.filter(|&k| self.names_rows(j) && !self.names_rows(k) && self.given.get(k) == Some(&false));
                if let Some(k) = numbered {
                    self.set(k, Role::Ignore, "row numbers", true);
                }
                let first = before.is_none() || numbered.is_some();
                let (role, reason) =
                    if first { (Role::Id, "row identifier") } else { (Role::Ignore, "another row identifier") };
                self.set(j, role, reason, true);
            } else if plain == "correct" && whole_or_text && has("prediction") && self.names_confidences(j, &siblings) {
                self.set(j, Role::Label, "OpenML: the observed class", true);
            } else if is_number && p.fractional_share() && is_propensity_of_modeler(name) {
                self.set(j, Role::Probability, "SPSS Modeler: propensity of the event", true);
            } else if let Some(role) = self.of_modeler(name) {
                let what =
                    if role == Role::Predicted { "the predicted class" } else { "probability of the predicted class" };
                self.set(j, role, format!("SPSS Modeler: {what}"), true);
            } else if (listed(names::CORRECT) || is_judged(name, "correct"))
                && two
                && (is_text || (is_number && unit && p.whole))
            {
                self.set(j, Role::Correct, "name, two values", true);
            } else if two && self.judges_an_answer(j) {
                self.set(j, Role::Correct, "name, two values beside a confidence", true);
            } else if is_text && self.verdicts(j) {
                self.set(j, Role::Correct, "verdicts in words", true);
            } else if is_text && listed(names::QUESTION) && self.sentences(j) {
                self.set(j, Role::Text, "text of the question", true);
            } else if plain == "prediction_score" && has("prediction_label") && p.is_number() && p.min >= 0.5 {
                self.set(j, Role::Confidence, "PyCaret: probability of the predicted class", true);
            } else if (name, plain.as_str()) == ("Label", "label") && whole_or_text && self.beside_its_outcome(j) {
                self.set(j, Role::Predicted, "PyCaret: the predicted class, beside the outcome and `Score`", false);
            } else if whole_or_text && classes && observed_of_sas(name, &siblings) {
                self.set(j, Role::Label, "SAS: the observed class", true);
            } else if (names::is_confidence(name) || is_judged(name, "confidence")) && p.almost_number() {
                self.set(j, Role::Confidence, "name", true);
            } else if weka && plain == "error" {
                self.set(j, Role::Ignore, "WEKA: whether the prediction is wrong", true);
            } else if weka && plain == "prediction" && p.fractional_share() {
                self.set(j, Role::Confidence, "WEKA: probability of the predicted class", true);
            } else if whole_or_text && classes && !p.almost_text_number() && self.predicted_of(name, &siblings) {
                self.set(j, Role::Predicted, "named as the prediction of another column", true);
            } else if listed(names::PREDICTED) && whole_or_text && classes && !p.almost_text_number() {
                let ambiguous = listed(names::SCORE);
                self.set(j, Role::Predicted, if ambiguous { "name, and contains classes" } else { "name" }, !ambiguous);
            }
        }
    }

    /// The columns `label` and `score` of a pipeline of Hugging Face: the predicted class and its probability, which is never
    /// below 1 / classes. Beside another column of predictions, `label` is the outcome.
    fn of_pipeline(&self) -> Option<(usize, usize)> {
        if self.columns.iter().any(|column| names::rank(&column.name, names::PREDICTED).is_some()) {
            return None;
        }
        let place = |wanted: &str| self.columns.iter().position(|column| column.name == wanted);
        let (label, score) = (place("label")?, place("score")?);
        let (texts, p) = (self.texts(label), self.profile(score)?);
        let numbered = |text: &&str| text.strip_prefix("LABEL_").is_some_and(|number| number.parse::<u32>().is_ok());
        let sentiment = |text: &&str| ["POSITIVE", "NEGATIVE", "NEUTRAL"].contains(text);
        let alone = self.columns.len() == 2 && p.rows >= FEW_ROWS && texts.len() > 1;
        let largest = p.min * texts.len().max(2) as f64 >= 1.0;
        let named = texts.iter().all(numbered) || largest && (alone || texts.iter().all(sentiment));
        (!texts.is_empty() && p.fractional_share() && named).then_some((label, score))
    }

    /// What SPSS Modeler calls `$C-died` (the predicted class) and `$CC-died` or `$CP-died` (its probability), where it has no
    /// propensity of the event beside them.
    fn of_modeler(&self, name: &str) -> Option<Role> {
        let (code, noun) = name.strip_prefix('$')?.split_once('-')?;
        let has = |code: String| self.columns.iter().any(|column| column.name == format!("${code}-{noun}"));
        if has(format!("{code}RP")) || self.columns.iter().any(|column| is_propensity_of_modeler(&column.name)) {
            return None;
        }
        if has(format!("{code}C")) || has(format!("{code}P")) {
            return Some(Role::Predicted);
        }
        let of_class = code.strip_suffix(['C', 'P']).filter(|code| !code.is_empty());
        of_class.filter(|code| has((*code).to_owned())).map(|_| Role::Confidence)
    }

    /// Says of a pipeline of Hugging Face without outcomes what to add.
    fn pipeline_without_outcome(&mut self) {
        let predicted = self.of_pipeline().map(|(label, _)| label).filter(|&j| self.role(j) == Some(Role::Predicted));
        if let Some(label) = predicted.filter(|_| !self.has(Role::Label) && !self.has(Role::Correct)) {
            let message = "`label` and `score` are read as the predicted class and its probability, as a pipeline of Hugging \
                           Face writes them. Add the true class of each row, as a field `truth` or in a second file of the same \
                           rows.";
            self.warn("outcome_not_in_pipeline", message.to_owned(), Some(label));
        }
    }

    /// Whether a column is named as what a model predicts for another: `pred_income` beside `income`, `I_BAD` beside `BAD`
    /// and `P_BAD1`, as SAS writes it.
    fn predicted_of(&self, name: &str, siblings: &[String]) -> bool {
        let has = |wanted: &str| siblings.iter().any(|other| other == wanted);
        if names::predicted_noun(name).is_some_and(|noun| noun != names::plain(name) && has(&noun)) {
            return true;
        }
        let plain = names::plain(name);
        let noun = plain.strip_prefix("i_").or_else(|| plain.strip_prefix("u_"));
        let scored = |noun: &str| siblings.iter().any(|other| other.starts_with(&format!("p_{noun}")));
        noun.is_some_and(|noun| (has(noun) || has(&format!("f_{noun}"))) && scored(noun))
            || plain == "into" && has("from")
            || plain == "response" && has("truth")
            || plain == "class" && has("label") && has("raw_formula_val")
    }

    /// Whether there is a column `confidence.…` for each of the classes of a column.
    fn names_confidences(&self, j: usize, siblings: &[String]) -> bool {
        let classes = self.labels_of(j);
        let scored = |class: &String| siblings.contains(&names::plain(&format!("confidence_{class}")));
        classes.len() > 1 && classes.iter().all(scored)
    }

    /// Whether another column holds the two labels of this one, and `Score` is at least 0.5 throughout: PyCaret calls the
    /// predicted class `Label`.
    fn beside_its_outcome(&self, j: usize) -> bool {
        let score =
            |k: usize| self.name(k) == "Score" && self.profile(k).is_some_and(|p| p.fractional_share() && p.min >= 0.5);
        let labels = self.labels_of(j);
        labels.len() == 2
            && (0..self.columns.len()).any(score)
            && (0..self.columns.len())
                .any(|k| k != j && self.profile(k).is_some_and(|p| p.few(2)) && self.labels_of(k) == labels)
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

    /// A judge's words (correct, incorrect, not attempted) under a name that may hold them: `label` or `score` only beside a
    /// confidence and without a predicted class.
    fn verdicts(&self, j: usize) -> bool {
        let listed = |list| names::rank(self.name(j), list).is_some();
        let any = |named: &dyn Fn(&str) -> bool| self.columns.iter().any(|column| named(&column.name));
        let beside = || any(&names::is_confidence) && !any(&|name| names::rank(name, names::PREDICTED).is_some());
        let named = listed(names::VERDICT) || listed(names::CORRECT) || listed(names::PERHAPS_VERDICT) && beside();
        let verdicts: Option<Vec<Option<bool>>> = self.texts(j).into_iter().map(names::verdict).collect();
        named && verdicts.is_some_and(|verdicts| verdicts.iter().any(Option::is_some))
    }

    /// Two truths under a name of correctness that means something else in other tables: only beside a confidence, and where no
    /// other column says better whether answers were correct. `passed` and the like may also be the event of a classifier, so
    /// no class is observed or predicted beside them.
    fn judges_an_answer(&self, j: usize) -> bool {
        let named = |k: usize, list| names::rank(self.name(k), list).is_some();
        let others = || (0..self.columns.len()).filter(move |k| *k != j);
        let any = |list| others().any(|k| named(k, list));
        // answers in words are no classes
        let repeats = |k: usize| self.profile(k).is_some_and(|p| p.distinct.is_some_and(|d| d * 2 <= p.rows.max(4)));
        let classes = || others().any(|k| (named(k, names::LABEL) || named(k, names::PREDICTED)) && repeats(k));
        let both = || self.profile(j).is_some_and(|p| p.distinct == Some(2));
        let judged = named(j, names::VERDICT) || named(j, names::PASSED) && both();
        let name = named(j, names::MATCHED) || judged && !classes();
        let truths = || {
            let values = self.labels_of(j);
            values.iter().all(|value| names::verdict(value).is_some() || names::answers(value).is_some())
        };
        name && any(names::CONFIDENCE) && !any(names::CORRECT) && truths()
    }

    /// Texts of several words, too many for groups.
    fn sentences(&self, j: usize) -> bool {
        let texts = self.texts(j);
        let seen = texts.len().min(1_000);
        let long = |text: &&&str| text.split_whitespace().count() >= 3 || text.chars().count() >= 20;
        texts.len() > leftover::MOST_LEVELS && 2 * texts.iter().take(seen).filter(long).count() > seen
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

    fn is_id(&self, j: usize) -> bool {
        let (Some(p), name) = (self.profile(j), self.name(j)) else {
            return false;
        };
        let usable = p.missing == 0 && (p.is_text() || (p.is_number() && p.whole));
        let named = self.names_rows(j);
        let numbered = names::ROW_NUMBERS.contains(&names::plain(name).as_str());
        // A first column from 0 or 1 to the number of rows numbers them; R calls it `X`, others in their own language.
        let counts = p.is_number() && p.increasing && p.max - p.min == p.rows as f64 - 1.0 && p.min.abs() <= 1.0;
        let named_so = name == "X" && p.min == 1.0
            || p.rows >= FEW_ROWS && !names::suggests_feature(name) && !names::suggests_score(name);
        let of_rows = j == 0 && counts && named_so && !names::suggests_event(name);
        let label = names::rank(name, names::LABEL).is_some();
        // pandas writes its row numbers without a name; those of a test set are a part of all, in any order.
        let drawn = p.rows >= FEW_ROWS && p.min >= 0.0;
        let nameless =
            j == 0 && name == "column 1" && self.columns.len() > 2 && p.is_number() && (p.increasing || drawn);
        let made_up = (1..self.columns.len()).all(|k| self.name(k).starts_with("column "));
        // Whether values are distinct takes a sort: asked last.
        let unique =
            || p.increasing || (p.is_text() && p.distinct == Some(p.rows)) || (p.is_number() && self.all_distinct(j));
        usable && !label && (named || numbered || of_rows || (nameless && !made_up)) && unique()
    }

    /// Whether a name says that a column identifies what a row is about, beyond its number.
    fn names_rows(&self, j: usize) -> bool {
        let name = self.name(j);
        let last = names::words(name).last().cloned().unwrap_or_default();
        let named = names::rank(name, names::ID).is_some() || matches!(last.as_str(), "id" | "uuid" | "guid");
        named && !names::ROW_NUMBERS.contains(&names::plain(name).as_str())
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
                // Whole numbers up to 10 with the role of a share are read as tenths.
                let shares = shares && !profile.like_tenths();
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

/// One column is a confidence by the last word of its name, one whether the answer was correct: `model_confidence` and
/// `judge_correct`, `prediction.confidence` and `prediction.correct`.
fn judged_confidence(names: &[String]) -> bool {
    let ending_in =
        |word: &str| names.iter().filter(|name| names::words(name).last().is_some_and(|last| last == word)).count();
    ending_in("confidence") == 1 && ending_in("correct") == 1
}

impl Profile {
    /// Text that is mostly numbers: a numeric column with a few bad cells.
    fn almost_text_number(&self) -> bool {
        self.is_text() && self.almost_number()
    }
}

/// Names such as `$LRP-Churn`: the raw propensity of SPSS Modeler.
fn is_propensity_of_modeler(name: &str) -> bool {
    let code = name.strip_prefix('$').and_then(|name| name.split_once('-'));
    code.is_some_and(|(code, _)| code.ends_with("RP") && code.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Whether a column is what SAS calls the observed class: `F_BAD` beside `I_BAD` and `P_BAD1`, `_FROM_` beside `_INTO_`.
fn observed_of_sas(name: &str, siblings: &[String]) -> bool {
    let has = |wanted: &str| siblings.iter().any(|other| other == wanted);
    let of_noun = |noun: &str| {
        let scored = siblings.iter().any(|other| other.starts_with(&format!("p_{noun}")));
        !has(noun) && has(&format!("i_{noun}")) && scored
    };
    names::plain(name).strip_prefix("f_").is_some_and(of_noun) || name == "_FROM_" && has("into")
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
