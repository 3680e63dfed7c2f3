//! Recalibration methods as they are asked for: one recalibrator, several one after another, or the best of some.

use crate::metric::Reason;
use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::identity::Identity;
use crate::recalibrate::parameter::Parameter;
use crate::recalibrate::recalibrator::{Entry, FittedTo, RequirementState};
use crate::recalibrate::registry::{AnyRecalibrator, ENTRIES};

pub mod best;
mod composed;
mod fitted;
mod learned;
mod request;
mod stratified;
pub mod vector;

pub use best::{Choice, Chosen};
pub use composed::{After, Composition, InnerFolds, Timed, fit_each_after, out_of_fold};
pub use fitted::{FittedMethod, fit, fitted_for_other_data};
pub use learned::{Calibrator, Fitted};
pub use request::checked;
pub use stratified::Stratification;

/// A recalibration method: an id, or an id with a name and settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a method is an id, or { id, name, parameters } with nothing else in it"
)]
pub enum MethodSpec {
    /// an id, with every parameter at its default
    Id(String),
    /// an id with a name for reports and with parameters
    Named {
        /// the method's id
        id: String,
        /// name in reports and exports; default: the id
        #[serde(default)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        parameters: serde_json::Value,
    },
}

/// A recalibration method with checked settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Method {
    /// name in reports and exports
    pub name: String,
    /// what it does
    pub kind: MethodKind,
}

/// One recalibrator, or several together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    /// one recalibrator
    Single(AnyRecalibrator),
    /// the one of several that does best on calibration rows held back
    Best(Choice),
    /// one method, then a recalibrator on its scores
    Composed(Composition),
    /// a method fitted anew in each group of rows of like proximity
    ProximityStratified(Stratification),
}

/// What makes one method of others.
const COMBINATIONS: &[&Entry] = &[&best::ENTRY, PROXIMITY_STRATIFIED];

/// A method fitted anew in each group of rows of like proximity.
pub const PROXIMITY_STRATIFIED: &Entry = &stratified::ENTRY;

/// What every method says of itself, in the order in which they are listed: the recalibrators, then what makes one
/// method of others.
pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
    ENTRIES.iter().chain(COMBINATIONS).copied()
}

/// What every method that may stand alone says of itself, in the order in which they are listed.
pub fn alone() -> impl Iterator<Item = &'static Entry> + Clone {
    entries().filter(|entry| !entry.comes_after())
}

/// What every method that comes after another, `base+id`, says of itself.
pub fn after_another() -> impl Iterator<Item = &'static Entry> + Clone {
    entries().filter(|entry| entry.comes_after())
}

/// What a method says of itself, by its id; `None` for an unknown one, and for several one after another.
pub fn entry(id: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.id == id)
}

/// Of which calibration rows the parameters of a method tell, by its id, or those of several that follow each other.
pub fn fitted_to(id: &str) -> FittedTo {
    let each = id.split('+').map(|id| entry(id).map_or(FittedTo::SomeRows, |entry| entry.fitted_to));
    each.max().unwrap_or(FittedTo::SomeRows)
}

/// A method as people write it, by the name that reports know it under: "Platt scaling", "Temperature scaling, then
/// ProCal: density ratio"; a name that was given stays as it is.
pub fn title(name: &str) -> Cow<'_, str> {
    let of = |id: &str| entry(id).map(|entry| entry.title);
    if let Some(title) = of(name) {
        return Cow::Borrowed(title);
    }
    let titles: Option<Vec<&str>> = name.split('+').filter(|id| *id != MethodKind::NONE.id()).map(of).collect();
    match titles {
        Some(titles) if !titles.is_empty() => Cow::Owned(titles.join(", then ")),
        _ => Cow::Borrowed(name),
    }
}

/// Whose scores, within a sentence: "the scores", "the scores by Platt scaling".
pub fn whose_scores(name: &str) -> String {
    if name == MethodKind::NONE.id() { "the scores".to_owned() } else { format!("the scores after {}", title(name)) }
}

/// The tables of `docs/recalibration.md`: every method, then every setting.
///
/// # Cost
/// One line a method, and one a setting: methods that share a setting share its line.
pub fn tables() -> String {
    let line = |cells: &[String]| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let written = |entry: &Entry| match entry.comes_after() {
        true => format!("`…+{}`", entry.id),
        false => format!("`{}`", entry.id),
    };
    let mut text = String::from(
        "| id | name: description | fitted form | objective | inputs | sample weights | from counts \
         | source |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut settings: Vec<(&Parameter, Vec<String>)> = Vec::new();
    for entry in alone().chain(after_another()) {
        text += &line(&[
            written(entry),
            format!("{}: {}", entry.title, entry.plain),
            entry.definition.to_owned(),
            entry.minimises.to_owned(),
            entry.looks_at(),
            if entry.weighted { "count" } else { "–" }.to_owned(),
            if entry.from_counts { "yes" } else { "–" }.to_owned(),
            if entry.source.is_empty() { "–" } else { entry.source }.to_owned(),
        ]);
        for parameter in entry.parameters {
            match settings.iter_mut().find(|(known, _)| *known == parameter) {
                Some((_, methods)) => methods.push(written(entry)),
                None => settings.push((parameter, vec![written(entry)])),
            }
        }
    }
    text += "\n| setting | of | default | type | description |\n|---|---|---|---|---|\n";
    for (Parameter { name, words, takes, default }, methods) in settings {
        text += &line(&[
            format!("`{name}`"),
            methods.join(" "),
            if default.is_empty() { "–".to_owned() } else { format!("`{default}`") },
            takes.words(),
            (*words).to_owned(),
        ]);
    }
    text
}

impl Default for MethodKind {
    fn default() -> Self {
        Self::NONE
    }
}

impl MethodKind {
    /// The original predictions.
    pub const NONE: Self = Self::Single(AnyRecalibrator::Identity(Identity {}));

    /// The id in reports and requests: `first+second` for a composition.
    pub fn id(&self) -> Cow<'static, str> {
        match self {
            Self::Single(method) => Cow::Borrowed(method.entry().id),
            Self::Best(_) => Cow::Borrowed(best::ENTRY.id),
            Self::Composed(Composition { base, then, .. }) => Cow::Owned(format!("{}+{}", base.id(), then.id())),
            Self::ProximityStratified(Stratification { base, .. }) => {
                Cow::Owned(format!("{}+{}", base.id(), stratified::ENTRY.id))
            }
        }
    }

    /// What the last method, the one that gives the scores, says of itself.
    pub fn last(&self) -> &'static Entry {
        match self {
            Self::Single(method) => method.entry(),
            Self::Best(_) => &best::ENTRY,
            Self::Composed(Composition { then, .. }) => then.last(),
            Self::ProximityStratified(_) => &stratified::ENTRY,
        }
    }

    /// The first of two methods.
    pub fn base(&self) -> Option<&MethodKind> {
        match self {
            Self::Single(_) | Self::Best(_) => None,
            Self::Composed(Composition { base, .. }) | Self::ProximityStratified(Stratification { base, .. }) => {
                Some(base)
            }
        }
    }

    /// Why the method cannot be fitted at all, if something that it requires is not specified.
    pub fn missing(&self) -> Option<Reason> {
        match self {
            Self::Single(method) => match method.requirement_state() {
                RequirementState::Columns { named: false } | RequirementState::Proximity(None) => {
                    method.entry().needs.missing()
                }
                RequirementState::Nothing
                | RequirementState::Columns { named: true }
                | RequirementState::Proximity(Some(_)) => None,
            },
            Self::Best(choice) => choice.of.iter().find_map(|method| method.kind.missing()),
            Self::Composed(Composition { base, then, .. }) => base.missing().or_else(|| then.missing()),
            Self::ProximityStratified(Stratification { proximity: None, .. }) => stratified::ENTRY.needs.missing(),
            Self::ProximityStratified(Stratification { base, .. }) => base.missing(),
        }
    }

    /// The proximity that the method looks at, where it looks at one and it is known which.
    pub fn proximity(&self) -> Option<&ProximityOptions> {
        match self {
            Self::Single(method) => match method.requirement_state() {
                RequirementState::Proximity(proximity) => proximity,
                RequirementState::Nothing | RequirementState::Columns { .. } => None,
            },
            Self::Best(_) => None,
            Self::Composed(Composition { base, then, .. }) => then.proximity().or_else(|| base.proximity()),
            Self::ProximityStratified(Stratification { proximity, .. }) => proximity.as_ref(),
        }
    }

    /// Whether `best` stands anywhere in it.
    pub fn chooses(&self) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Best(_) => true,
            Self::Composed(Composition { base, then, .. }) => base.chooses() || then.chooses(),
            Self::ProximityStratified(Stratification { base, .. }) => base.chooses(),
        }
    }

    /// Fits behind a method: folds, groups and candidates multiply.
    pub fn fits(&self) -> f64 {
        match self {
            Self::Single(_) => 1.0,
            Self::Best(choice) => {
                let of: f64 = choice.of.iter().map(|method| method.kind.fits()).sum();
                of * (choice.folds + 1) as f64
            }
            Self::Composed(Composition { base, then, inner }) => {
                let times = inner.map_or(1, |inner| inner.folds + 1) as f64;
                times * base.fits() + then.fits()
            }
            Self::ProximityStratified(Stratification { base, groups, .. }) => (groups + 1) as f64 * base.fits(),
        }
    }

    /// Expected milliseconds of a fit and of scoring the rows of one fold.
    pub fn cost(&self, data: &Predictions) -> f64 {
        match self {
            Self::Single(method) => method.cost(data),
            Self::Best(choice) => {
                let each: f64 = choice.of.iter().map(|method| method.kind.cost(data)).sum();
                each * (choice.folds + 1) as f64
            }
            Self::Composed(Composition { base, then, inner }) => {
                let fits = inner.map_or(1, |inner| inner.folds + 1) as f64;
                fits * base.cost(data) + then.cost(data)
            }
            Self::ProximityStratified(Stratification { base, .. }) => 2.0 * base.cost(data),
        }
    }

    /// The title of what cannot be fitted to counts of rows by cells of the score, where something cannot: the method,
    /// one of two, or two of which the second is fitted to inner folds.
    pub fn needs_rows(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Single(method) => Some(Cow::Borrowed(method.entry().title)).filter(|_| !method.entry().from_counts),
            Self::Composed(Composition { base, then, inner: None }) => base.needs_rows().or_else(|| then.needs_rows()),
            Self::Best(_) | Self::Composed(_) | Self::ProximityStratified(_) => Some(Cow::Borrowed(self.last().title)),
        }
    }

    /// The method, or the second of two, if its fit does not take sample weights.
    fn counts_rows(&self) -> Option<&'static Entry> {
        match self {
            Self::Single(method) => Some(method.entry()).filter(|entry| !entry.weighted),
            Self::Composed(Composition { then, .. }) => then.counts_rows(),
            // Their parts speak for themselves.
            Self::Best(_) | Self::ProximityStratified(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `LOCALCAL_RECORD=1` writes the table anew.
    #[test]
    fn the_documented_table_is_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recalibration.md");
        let text = std::fs::read_to_string(path).expect("docs/recalibration.md");
        let (begin, end) = ("<!-- every method -->\n\n", "\n<!-- end of every method -->");
        let (head, rest) = text.split_once(begin).expect("where the table begins");
        let (written, tail) = rest.split_once(end).expect("where it ends");
        if std::env::var_os("LOCALCAL_RECORD").is_some() {
            std::fs::write(path, format!("{head}{begin}{}{end}{tail}", tables())).expect("written");
        } else {
            assert!(written == tables(), "docs/recalibration.md is not the registry: run with LOCALCAL_RECORD=1");
        }
    }

    #[test]
    fn of_several_methods_the_one_of_fewest_rows_holds() {
        assert_eq!(fitted_to("platt+intercept"), FittedTo::AllRows);
        assert_eq!(fitted_to("platt+group_intercept"), FittedTo::RowsOfValues);
        assert_eq!(fitted_to("group_temperature+isotonic"), FittedTo::SomeRows);
        assert_eq!(fitted_to("platt+no such method"), FittedTo::SomeRows);
    }
}
