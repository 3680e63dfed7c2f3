//! What can be asked, in words, from the entries that stand beside the code: what `describe()` of the interface answers.

use serde::Serialize;

use crate::analysis::descriptions;
use crate::analysis::entry::Description;
use crate::counts::DIALECTS;
use crate::data::{Role, View};
use crate::evaluation::method::{after_another, alone};
use crate::markup::ReportPart;
use crate::metric::registry;
use crate::metric::{Better, Metric};
use crate::recalibrate::parameter::{Parameter, Takes};
use crate::recalibrate::recalibrator::{self, GridPlace, Place};
use crate::request::bounds::{Bounds, Field};

/// Everything that a request can name.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Catalogue {
    /// version of the program
    pub version: &'static str,
    /// metrics, those of the table of metrics first
    pub metrics: Vec<DescribedMetric>,
    /// recalibration methods, in display order
    pub methods: Vec<DescribedMethod>,
    /// analyses of a run
    pub analyses: Vec<Description>,
    /// roles of columns, in display order
    pub roles: Vec<DescribedRole>,
    /// views: what is evaluated
    pub views: Vec<DescribedView>,
    /// SQL dialects in which rows can be counted in the database
    pub dialects: Vec<DescribedDialect>,
    /// bounds and defaults of the numbers in a request, except those of analyses and methods, which are listed with them
    pub bounds: Vec<DescribedBounds>,
    /// parts of the report, in their default order
    pub report_parts: Vec<DescribedPart>,
}

/// Bounds of a number in a request, both inclusive, and its default.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedBounds {
    /// the object of the request that contains it: `run`, `local`, `bins`, `projection`, `split`
    pub place: &'static str,
    /// name in that object
    pub name: &'static str,
    /// minimum
    pub low: f64,
    /// maximum
    pub high: f64,
    /// whole numbers only
    pub whole: bool,
    /// default; null if the data or other settings decide it
    pub usual: Option<f64>,
}

/// A role of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedRole {
    /// id, as `roles` of an opening takes it
    pub id: Role,
    /// display name
    pub title: &'static str,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedView {
    /// id, as `view` of an opening takes it
    pub id: View,
    /// display name
    pub title: &'static str,
}

/// A part of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedPart {
    /// id, as `sections` of a report takes it
    pub id: &'static str,
    /// heading
    pub heading: &'static str,
}

/// Description of an SQL dialect.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedDialect {
    /// id, as a counting request takes it
    pub id: &'static str,
    /// display name
    pub name: &'static str,
}

/// Description of a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedMetric {
    /// id, as `run` takes it
    pub id: &'static str,
    /// usual name
    pub name: &'static str,
    /// description in plain words
    pub plain: &'static str,
    /// definition, as text
    pub definition: &'static str,
    /// definition, as a formula in the symbols of `docs/metrics.md`
    pub formula: &'static str,
    /// reference; empty if none is needed
    pub source: &'static str,
    /// which direction is better
    pub better: Better,
    /// range of values: `[0, 1]`
    pub range: &'static str,
    /// unit
    pub unit: &'static str,
    /// what a data set must contain
    pub needs: &'static str,
    /// whether it is defined with sample weights
    pub weighted: bool,
}

/// Description of a recalibration method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedMethod {
    /// id, as `run` takes it
    pub id: &'static str,
    /// display name
    pub title: &'static str,
    /// what it does, in a few words
    pub plain: &'static str,
    /// the fitted function, as a formula
    pub definition: &'static str,
    /// author, year
    pub source: &'static str,
    /// true if it can only follow another method: `base+id`
    pub after_another: bool,
    /// true if it can follow another method, applied to that method's predictions
    pub may_be_second: bool,
    /// position among the first methods of pairs in a prepared experiment; null: not in it
    pub grid_base: Option<u8>,
    /// position among the second methods of such pairs; null: not in it
    pub grid_second: Option<u8>,
    /// whether the fit supports sample weights
    pub weighted: bool,
    /// parameters that can be set
    pub parameters: Vec<DescribedParameter>,
}

/// Description of a parameter of a recalibration method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedParameter {
    /// name in `parameters`
    pub name: &'static str,
    /// description, with the range
    pub words: &'static str,
    /// accepted values, in words
    pub takes: String,
    /// accepted values, for a form
    pub kind: ParameterKind,
    /// default as JSON; empty if it comes from the settings of the run or from the data
    pub default: &'static str,
}

/// Input of a form for a parameter of a recalibration method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// a number
    Number {
        /// minimum
        low: f64,
        /// maximum
        high: f64,
        /// whole numbers only
        whole: bool,
    },
    /// one of these words
    Choice(Vec<&'static str>),
    /// true or false
    Switch,
    /// one column by its name
    Column,
    /// columns by their names
    Columns,
    /// coordinates that define the similarity of rows
    Features,
    /// a number of bins, or their settings
    Bins,
    /// conditions on columns
    Subgroups,
    /// methods, each with its settings
    Methods,
    /// JSON of another form
    Json,
}

impl From<Takes> for ParameterKind {
    fn from(takes: Takes) -> Self {
        match takes {
            Takes::Bounded(Field::Number(Bounds { low, high, whole })) => Self::Number { low, high, whole },
            Takes::Bounded(Field::Either("bins")) => Self::Bins,
            Takes::Bounded(Field::Within("features")) => Self::Features,
            Takes::Bounded(Field::Methods) => Self::Methods,
            Takes::Bounded(Field::Within(_) | Field::Either(_) | Field::Fields(_)) => Self::Json,
            Takes::Choice(words) => Self::Choice(words.to_vec()),
            Takes::ChoosingMetric => Self::Choice(registry::choosing().iter().map(|metric| metric.id).collect()),
            Takes::Switch => Self::Switch,
            Takes::Column => Self::Column,
            Takes::Columns => Self::Columns,
            Takes::Subgroups => Self::Subgroups,
        }
    }
}

/// The catalogue of everything that a request can name.
///
/// * `bounds`: those of the numbers of requests, which stand beside the calls
pub fn catalogue(bounds: Vec<DescribedBounds>) -> Catalogue {
    Catalogue {
        version: env!("CARGO_PKG_VERSION"),
        metrics: registry::all().map(metric).collect(),
        methods: alone().chain(after_another()).map(method).collect(),
        analyses: descriptions(),
        roles: Role::ALL.map(|id| DescribedRole { id, title: id.title() }).into(),
        views: View::ALL.map(|id| DescribedView { id, title: id.title() }).into(),
        dialects: DIALECTS.iter().map(|dialect| DescribedDialect { id: dialect.id, name: dialect.name }).collect(),
        bounds,
        report_parts: ReportPart::ALL
            .iter()
            .map(|(part, heading)| DescribedPart { id: part.name(), heading })
            .collect(),
    }
}

fn metric(entry: &Metric) -> DescribedMetric {
    DescribedMetric {
        id: entry.id,
        name: entry.name,
        plain: entry.plain,
        definition: entry.definition,
        formula: entry.formula,
        source: entry.source,
        better: entry.better,
        range: entry.range.words(),
        unit: entry.unit,
        needs: entry.value.needs().words(),
        weighted: entry.weights.is_defined(),
    }
}

fn method(entry: &recalibrator::Entry) -> DescribedMethod {
    let parameter = |of: &Parameter| DescribedParameter {
        name: of.name,
        words: of.words,
        takes: of.takes.words(),
        kind: of.takes.into(),
        default: of.default,
    };
    let (grid_base, grid_second) = match entry.grid {
        GridPlace::None => (None, None),
        GridPlace::Base(at) => (Some(at), None),
        GridPlace::Second(at) => (None, Some(at)),
    };
    DescribedMethod {
        id: entry.id,
        title: entry.title,
        plain: entry.plain,
        definition: entry.definition,
        source: entry.source,
        after_another: matches!(entry.place, Place::After { .. }),
        may_be_second: matches!(entry.place, Place::After { .. } | Place::Anywhere),
        grid_base,
        grid_second,
        weighted: entry.weighted,
        parameters: entry.parameters.iter().map(parameter).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn parts_of_the_report_are_listed_as_requests_take_them() {
        for DescribedPart { id, heading } in catalogue(Vec::new()).report_parts {
            let part: ReportPart = serde_json::from_value(id.into()).expect("a part of the report");
            assert_eq!(part.heading(), heading);
        }
    }

    #[test]
    fn roles_and_views_have_names_of_their_own() {
        let catalogue = catalogue(Vec::new());
        let roles: BTreeSet<&str> = catalogue.roles.iter().map(|role| role.title).collect();
        assert_eq!(roles.len(), Role::ALL.len());
        let ids: BTreeSet<String> = catalogue.roles.iter().map(|role| serde_json::json!(role.id).to_string()).collect();
        assert_eq!(ids.len(), Role::ALL.len());
        let views: Vec<_> = catalogue.views.iter().map(|view| serde_json::json!(view.id)).collect();
        assert_eq!(views, ["positive", "top_label"]);
    }

    #[test]
    fn every_analysis_says_all_of_itself() {
        let catalogue = catalogue(Vec::new());
        let kinds: BTreeSet<&str> = catalogue.analyses.iter().map(|one| one.kind).collect();
        assert_eq!(kinds.len(), catalogue.analyses.len());
        for one in &catalogue.analyses {
            let words = [one.title, one.plain, one.running];
            assert!(words.iter().all(|words| words.len() > 5 && words.trim() == *words), "{}", one.kind);
            for option in &one.options {
                assert!(!option.help.is_empty() && !option.help.starts_with(' '), "{} {}", one.kind, option.name);
            }
            let bounds = crate::analysis::AnalysisRequest::bounds(one.kind).iter().map(|(name, _)| *name);
            let names: Vec<&str> = one.options.iter().map(|option| option.name).collect();
            for name in bounds {
                assert!(names.contains(&name), "{} has bounds of {name}, which is no option", one.kind);
            }
        }
    }
}
