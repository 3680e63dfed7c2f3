//! The same methods and metrics on several files, each scored on rows of its own.

use super::repeats::{Measured, Repeats, Scoring};
use crate::data::{Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::group_error::columns_of;
use crate::evaluation::method::Method;
use crate::evaluation::request::EvaluateOn;
use crate::feature::proximity::ProximityOptions;
use crate::feature::{FeatureChoice, default_choice};
use crate::metric::entry::MetricRequirement;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::run::graph::{DATA, Handle, Plan, other_data};

/// Data sets beside each other, that of the last run first.
pub(crate) struct Files<'a> {
    list: Vec<&'a Predictions>,
    /// what they are called
    pub(crate) names: Vec<String>,
}

/// What is measured in every file.
pub(crate) struct FileMeasures<'a> {
    pub(crate) methods: &'a [Method],
    pub(crate) metrics: &'a [String],
    /// columns of the metrics of groups, where they are named
    pub(crate) groups: Option<&'a [String]>,
}

impl<'a> Files<'a> {
    /// * `given`: names, else those of the files serve
    ///
    /// # Errors
    /// `invalid_option` for a wrong number of names; `unsupported_view` for a file whose numbers are of another view.
    pub(crate) fn new(data: &'a Predictions, others: &[&'a Predictions], given: Option<Vec<String>>) -> Result<Self> {
        let list: Vec<&Predictions> = std::iter::once(data).chain(others.iter().copied()).collect();
        let names = names(&list, given)?;
        let differs = |(file, _): &(&&Predictions, &String)| file.view != data.view;
        if let Some((file, name)) = list.iter().zip(&names).find(differs) {
            return Err(Error::new(
                "unsupported_view",
                format!(
                    "Results for {} and for {} are not comparable: {name}.",
                    view_words(file.view),
                    view_words(data.view)
                ),
                "Open both with the same view.",
            ));
        }
        Ok(Self { list, names })
    }

    /// How many, the first among them.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether something says which rows of the first are near each other.
    pub(crate) fn has_proximity(&self, run: &RunOutcome) -> bool {
        let near = |first: &Predictions| near_of(first, first, run).filled(first, None);
        (self.list.first()).is_some_and(|first| matches!(near(first), Ok(Some(_))))
    }

    /// The steps of every file; answers its scores and metrics, file by file, method by method.
    ///
    /// # Errors
    /// `unknown_column`, `features_missing`, `score_missing`, `label_missing`, with the name of the file.
    pub(crate) fn push_metrics(
        &self,
        nodes: &mut Plan,
        run: &RunOutcome,
        asked: &FileMeasures,
    ) -> Result<Vec<Vec<Measured>>> {
        let mut found = Vec::with_capacity(self.list.len());
        for (k, (file, name)) in self.list.iter().zip(&self.names).enumerate() {
            let data = if k == 0 { DATA } else { other_data(k - 1) };
            nodes.label_with(format!("{name}: "));
            let told = one(nodes, self.list[0], (data, file), run, asked).map_err(|error| error.within(name))?;
            found.extend(told);
        }
        nodes.label_with(String::new());
        Ok(found)
    }
}

fn view_words(view: View) -> &'static str {
    match view {
        View::Positive => "a probability",
        View::TopLabel => "the confidence of the predicted class",
    }
}

/// What is near, as the run says; feature maps and lexical dimensions of the `first` file are unknown to the others: the features
/// of each file then serve.
fn near_of(first: &Predictions, data: &Predictions, run: &RunOutcome) -> ProximityOptions {
    let settings = &run.report.settings;
    let of_run = settings.proximity.clone().unwrap_or_default();
    let local = settings.local.as_ref().and_then(|local| local.features.clone());
    let is_map = |name: &String| first.is_lexical(name) || first.projections.iter().any(|(map, _)| map == name);
    let of_file = |choice: &FeatureChoice| match choice {
        FeatureChoice::One(name) => !is_map(name),
        FeatureChoice::Many(names) | FeatureChoice::Pca { of: names, .. } => !names.iter().any(is_map),
    };
    let named = of_run.features.clone().or(local).filter(of_file);
    ProximityOptions { features: named.or_else(|| default_choice(data)), ..of_run }
}

/// The steps of one file; answers scores and metrics of every method.
fn one(
    nodes: &mut Plan,
    first: &Predictions,
    (place, data): (Handle<Predictions>, &Predictions),
    run: &RunOutcome,
    FileMeasures { methods, metrics, groups }: &FileMeasures,
) -> Result<Vec<Vec<Measured>>> {
    let settings = &run.report.settings;
    crate::data::pair::scores(data)?;
    crate::data::pair::targets(data)?;
    let asked = registry::any_requires(metrics, MetricRequirement::Proximity);
    let near = asked.then(|| near_of(first, data, run).filled(data, None)).transpose()?;
    let scoring = Scoring {
        methods,
        bins: settings.bins,
        metrics: metrics.iter().cloned().collect(),
        groups: columns_of(data, *groups, metrics)?,
        near: near.flatten(),
    };
    let everything = settings.evaluate_on == EvaluateOn::All && methods.len() == 1;
    Repeats::once(settings.seed, everything).push_metrics(nodes, (place, data), run, &scoring, metrics)
}

/// What files are called: as someone says, else by their own names; no two the same.
fn names(files: &[&Predictions], given: Option<Vec<String>>) -> Result<Vec<String>> {
    if let Some(given) = given {
        if given.len() != files.len() {
            return Err(Error::new(
                "invalid_option",
                format!("{} names for {} files.", given.len(), files.len()),
                "Name every file, that of the last run first.",
            ));
        }
        return Ok(given);
    }
    let mut names: Vec<String> = Vec::with_capacity(files.len());
    for (k, file) in files.iter().enumerate() {
        let first = || file.table.columns.first().map_or("", |column| &column.file);
        let file = file.model.as_deref().unwrap_or_else(first);
        let stem = file.split('.').find(|part| !part.is_empty());
        let stem = stem.map_or_else(|| format!("file {}", k + 1), str::to_owned);
        let again = (2..).map(|k| format!("{stem} ({k})"));
        let free = |name: &String| !names.contains(name);
        let name = std::iter::once(stem.clone()).chain(again).find(free);
        names.push(name.unwrap_or(stem));
    }
    Ok(names)
}
