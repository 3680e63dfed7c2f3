//! How files were opened, and the summary that says so.

use super::super::attempts::AttemptCounts;
use super::super::clusters::choice::ClusterSummary;
use super::super::predictions::{Division, Predictions, Scores};
use super::super::rows::Excluded;
use super::super::split::{divisions, ways};
use super::super::statements::{Cohort, Facts, date_ranges, event, first_rows, statements};
use super::super::summary::Summary;
use super::super::view::View;
use super::{bounded_all, rows_of, unsure};
use crate::table::Warning;
use crate::table::column::Column;

/// What a summary says beyond the predictions themselves.
pub(super) struct Opening<'a> {
    /// names of the files
    pub files: Vec<&'a str>,
    /// what evaluation logs and counts among the files say of themselves
    pub logs: Vec<String>,
    /// whether the first row of the tables holds names
    pub header: Option<bool>,
    /// whether a last row that looks like totals was left out
    pub totals: Option<bool>,
    /// models of the same rows, the open one first
    pub models: Vec<String>,
    /// the conditions that the rows meet
    pub cohort: Option<Cohort>,
    /// the column that says why attempts of an evaluation log cannot be scored
    pub of_attempts: Option<String>,
    /// rows with a value that cannot be used
    pub excluded: Excluded,
    /// rows that the model was fitted to
    pub trained_on: usize,
    /// rows that belong together
    pub clusters: Option<ClusterSummary>,
    /// the column that would have been guessed, where a person said that rows are independent
    pub declined: Option<String>,
    /// views that the data allow
    pub views: Vec<View>,
    /// what is needed before anything can be computed
    pub missing: Option<String>,
    /// how the rows are divided, in words
    pub split: String,
    /// whether rows are counts
    pub counted: bool,
    /// what a person should know
    /// names of columns that may follow from the outcome
    pub possible_leakage: Vec<String>,
    pub warnings: Vec<Warning>,
}

impl Opening<'_> {
    /// * `data`: with the columns of the files alone
    pub fn summary(self, data: &Predictions) -> Summary {
        let Predictions { table, roles, labels, .. } = data;
        let classes = match (&data.scores, labels.len()) {
            (Some(Scores::Confidence), 0) => 2,
            (_, m) => m,
        };
        let y = data.y.as_deref().map(Vec::as_slice);
        let event = match labels.len() {
            2 => event(labels, data.positive, y, data.weights.as_ref(), roles),
            _ => None,
        };
        let right =
            |correct: &Column<u8>| correct.iter().filter(|a| **a == 1).count() as f64 / correct.len().max(1) as f64;
        let rows = rows_of(table, roles, self.counted, |_| true);
        let divisions = divisions(table, roles);
        let dates = date_ranges(table, roles);
        let attempts = data.attempts.as_ref().map(AttemptCounts::summary);
        let told = statements(&Facts {
            table,
            rows,
            roles,
            cohort: self.cohort.as_ref(),
            dropped: self.excluded.rows,
            trained_on: self.trained_on,
            totals: self.totals,
            event: event.as_ref(),
            classes,
            right: data.correct.as_ref().filter(|_| labels.len() < 2).map(right),
            dates: &dates,
            clusters: self.clusters.as_ref(),
            declined: self.declined.as_deref(),
            models: &self.models,
            logs: &self.logs,
            attempts: attempts.as_deref().zip(self.of_attempts.as_deref()),
        });
        Summary {
            rows,
            classes,
            labels: labels.clone(),
            view: data.view,
            positive: data.positive.and_then(|k| labels.get(k).cloned()),
            columns: roles.clone(),
            dropped: self.excluded.listed,
            unsure: self.missing.is_some() || unsure(roles, &self.warnings, &data.opened),
            warnings: bounded_all(self.warnings),
            split: match (self.counted, &data.division) {
                (true, Division::Folds { .. }) => format!("all rows; recalibrations by {}", self.split),
                _ => self.split,
            },
            views: self.views,
            missing: self.missing,
            ways: match self.counted {
                true => Vec::new(),
                false => ways(table.rows, roles, &divisions, &self.files, &self.models, &data.opened.split()),
            },
            divisions,
            header: self.header,
            totals: self.totals,
            models: self.models,
            only: self.cohort,
            event,
            clusters: self.clusters,
            possible_leakage: self.possible_leakage,
            dates,
            told,
            preview: first_rows(roles),
        }
    }
}
