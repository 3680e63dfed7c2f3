//! Entry of an analysis: its question, the step of the page that offers it, its requirements, and its options.
//!
//! An [`Entry`] has no defaults. It is declared with the options beside the request (`options!`): an option is written
//! once, and its docstring is its help text. The panels of the page, `describe()` of the scripted interface and `--help`
//! of the terminal are generated from it.

use serde::Serialize;
use serde_json::Value;

use super::Analysis;
use crate::data::{Predictions, Role, View, grouping};
use crate::feature::{covariates, date_columns};
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::mapped_rows::{feature_choice, features_field};
use crate::report::sheet::{Field, FieldKind};
use crate::request::bounds;

/// All of an analysis but its options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// for people: the question, where it is one
    pub title: &'static str,
    /// the step of the page that it belongs to
    pub step: PageStep,
    /// who draws it there
    pub shown: DrawnIn,
    /// what a person reads while it runs
    pub running: &'static str,
    /// what there must be beside scores and outcomes
    pub needs: &'static [AnalysisRequirement],
    /// what is said to who may add files of further data sets; none: it looks at the open one alone
    pub files: Option<&'static str>,
    /// what takes most of its time
    pub cost: Cost,
}

/// A step of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PageStep {
    /// overall calibration
    Overview,
    /// location in feature space
    Where,
    /// subgroups
    Who,
    /// recalibration methods
    #[serde(rename = "repair")]
    Recalibration,
    /// use of the scores in decisions
    Decide,
    /// report and exports
    Report,
}

/// Where an analysis is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DrawnIn {
    /// its outcome has a sheet, which every panel can draw
    Sheet,
    /// a view of its step, beside the chart that it belongs to
    View,
}

/// What an analysis requires besides scores and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnalysisRequirement {
    /// the rows themselves, not counts of them; `docs/counts.md` states what is computed from counts, and how exactly
    Rows,
    /// columns that define the similarity of rows
    Features,
    /// a numeric column
    Numbers,
    /// a column that defines groups
    Groups,
    /// a date column
    Dates,
    /// scores that are P(y = 1)
    PositiveView,
    /// another method than `none` in the run
    Methods,
}

/// What dominates the computing time; the plan estimates it for a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    /// passes over the scored rows, and sorting
    Rows,
    /// pairs of similar rows
    Pairs,
    /// resampling of rows, outcomes or locations
    Draws,
    /// refitting of methods
    Fits,
}

/// An option of a request, as forms and help describe it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RequestOption {
    /// as scripts write it
    pub name: &'static str,
    /// what it is, with what holds where it is left out
    pub help: &'static str,
    /// what stands before it in a form; empty where no form asks for it
    pub label: &'static str,
    /// what may be chosen
    pub kind: Kind,
}

/// What may be chosen for an option. Bounds of numbers stand in [`Analysis::BOUNDS`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// a number
    Number {
        /// where it is left out; none: the analysis chooses
        usual: Option<f64>,
    },
    /// one of some words, each with what it is called; the first where it is left out
    Choice(&'static [(&'static str, &'static str)]),
    /// yes or no; no where it is left out
    Switch,
    /// a method of the run
    Method,
    /// methods of the run
    Methods,
    /// a metric
    Metric,
    /// metrics
    Metrics,
    /// one column
    Column(Columns),
    /// one column or some
    Columns(Columns),
    /// coordinates that define the similarity of rows
    Features,
    /// what a picture, the page or a script hands over, not a person
    HandedOver,
}

/// Which columns of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Columns {
    /// columns that define groups
    Groups,
    /// numbers that describe rows
    Numbers,
    /// dates
    Dates,
}

/// What an analysis says of itself.
pub trait Described {
    /// its question, where it is asked, what it needs
    const ENTRY: Entry;
    /// its options, in the order in which a form asks for them
    const OPTIONS: &'static [RequestOption];

    /// The option called `name` in a form: its label, and how it stands now.
    fn field(name: &'static str, kind: FieldKind) -> Field {
        let option = Self::OPTIONS.iter().find(|option| option.name == name);
        Field { option: name.into(), label: option.map_or("", |option| option.label).to_owned(), kind }
    }
}

/// The form of a request: every option that has a label, as it stands, else as is usual.
///
/// * `request`: as it was asked for
pub fn fields<R: Analysis + Serialize>(data: &Predictions, run: &RunOutcome, request: &R) -> Vec<Field> {
    // A request was read from JSON; what could not be written shows as what is usual.
    let now = serde_json::to_value(request).unwrap_or_default();
    let in_forms = R::OPTIONS.iter().filter(|option| !option.label.is_empty());
    in_forms.filter_map(|option| filled::<R>(data, run, option, now.get(option.name).unwrap_or(&Value::Null))).collect()
}

fn filled<R: Analysis>(data: &Predictions, run: &RunOutcome, option: &RequestOption, now: &Value) -> Option<Field> {
    let words = |from: &Value| -> Vec<String> {
        from.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let text = |usual: &str| now.as_str().unwrap_or(usual).to_owned();
    let same = |names: Vec<String>| names.into_iter().map(|name| (name.clone(), name)).collect::<Vec<_>>();
    let metrics = || registry::all().map(|metric| (metric.id.to_owned(), metric.name.to_owned())).collect::<Vec<_>>();
    let one = |usual: &str, choices: Vec<(String, String)>| FieldKind::Choice { value: text(usual), choices };
    let kind = match option.kind {
        Kind::Number { usual } => {
            FieldKind::Number { value: now.as_f64().or(usual), bounds: number_bounds::<R>(option.name) }
        }
        Kind::Choice(choices) => {
            let usual = choices.first().map_or("", |choice| choice.0);
            one(usual, choices.iter().map(|(value, title)| ((*value).to_owned(), (*title).to_owned())).collect())
        }
        Kind::Switch => FieldKind::Check { value: now.as_bool().unwrap_or_default() },
        Kind::Method => one("none", run.method_choices()),
        Kind::Methods => FieldKind::Several { value: words(now), choices: run.method_choices() },
        Kind::Metric => one("", metrics()),
        Kind::Metrics => FieldKind::Several { value: words(now), choices: metrics() },
        Kind::Column(of) => {
            let names = of.names(data);
            one(&names.first().cloned().unwrap_or_default(), same(names))
        }
        Kind::Columns(of) => FieldKind::several_named(words(now), of.names(data)),
        Kind::Features => {
            let asked = serde_json::from_value(now.clone()).ok();
            let choice = feature_choice(data, run, asked.as_ref()).ok()?;
            features_field(data, &choice)
        }
        Kind::HandedOver => return None,
    };
    // A method alone is no choice.
    let chosen = !matches!(option.kind, Kind::Method | Kind::Methods) || run.rows.len() > 1;
    chosen.then(|| R::field(option.name, kind))
}

/// A field for an option that takes a number, with its bounds.
pub(super) fn number_field<R: Analysis>(name: &'static str, value: impl Into<Option<f64>>) -> Field {
    R::field(name, FieldKind::Number { value: value.into(), bounds: number_bounds::<R>(name) })
}

fn number_bounds<R: Analysis>(name: &str) -> Option<bounds::Bounds> {
    R::BOUNDS.iter().find_map(|(option, field)| match field {
        bounds::Field::Number(bounds) if *option == name => Some(*bounds),
        _ => None,
    })
}

impl Columns {
    /// Those of a data set.
    pub(crate) fn names(self, data: &Predictions) -> Vec<String> {
        match self {
            Columns::Groups => grouping::group_columns(data),
            Columns::Numbers => covariates(data),
            Columns::Dates => date_columns(data),
        }
    }
}

/// Why what needs the rows is not computed from counts of them, and what to do.
const LACKS_ROWS: &str = "Needs the rows; this data set consists of counts of rows by cells of the score. Open a random \
                          sample of the rows, a file of predictions and outcomes.";

impl AnalysisRequirement {
    /// Every one; what is lacking is told in this order.
    pub const ALL: [Self; 7] =
        [Self::Rows, Self::Features, Self::Numbers, Self::Groups, Self::Dates, Self::PositiveView, Self::Methods];

    /// What a data set lacks, as a sentence with what to do; none where it is there, or where the run has to have it.
    pub fn lacking(self, data: &Predictions) -> Option<&'static str> {
        let describes = |role: Role| matches!(role, Role::Feature | Role::Features | Role::Group);
        let (there, words) = match self {
            AnalysisRequirement::Rows => (!data.is_counted(), LACKS_ROWS),
            AnalysisRequirement::Features => (
                data.roles.iter().any(|column| describes(column.role)),
                "No feature columns, which define similarity. Assign “Feature” under Data.",
            ),
            AnalysisRequirement::Numbers => (
                !Columns::Numbers.names(data).is_empty(),
                "No numeric feature. Assign “Feature” to a numeric column under Data.",
            ),
            AnalysisRequirement::Groups => {
                (!Columns::Groups.names(data).is_empty(), "No group column. Assign “Group” under Data.")
            }
            AnalysisRequirement::Dates => (
                !Columns::Dates.names(data).is_empty(),
                match data.is_counted() {
                    true => "No month was counted. Name a date column in the statement.",
                    false => "No date column. Assign “Date” under Data.",
                },
            ),
            AnalysisRequirement::PositiveView => (
                data.view == View::Positive,
                "Only for the probability of the positive class. Choose this view under Data.",
            ),
            AnalysisRequirement::Methods => (true, ""),
        };
        (!there).then_some(words)
    }
}

/// Description of an analysis, for the page, scripts and the terminal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Description {
    /// name for `data.analyse`
    pub kind: &'static str,
    /// title for display
    pub title: &'static str,
    /// what it reports, in plain words
    pub plain: &'static str,
    /// the step of the page that it belongs to
    pub step: PageStep,
    /// what draws it there
    pub shown: DrawnIn,
    /// message while it runs
    pub running: &'static str,
    /// requirements besides scores and outcomes
    pub needs: &'static [AnalysisRequirement],
    /// label for adding files of further data sets; null if it uses only the open one
    pub files: Option<&'static str>,
    /// what dominates its computing time
    pub cost: Cost,
    /// its options
    pub options: Vec<DescribedOption>,
}

/// Description of an option.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DescribedOption {
    /// as scripts write it
    pub name: &'static str,
    /// label in a form; null if it is in no form
    pub label: Option<&'static str>,
    /// description, with the default
    pub help: &'static str,
    /// accepted values
    pub kind: DescribedKind,
}

/// Values that an option accepts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DescribedKind {
    /// a number
    Number {
        /// default; null: the analysis chooses it
        usual: Option<f64>,
        /// minimum; null: none
        low: Option<f64>,
        /// maximum; null: none
        high: Option<f64>,
        /// whole numbers only
        whole: bool,
    },
    /// one of several words, each with its label; the first is the default
    Choice(Vec<(&'static str, &'static str)>),
    /// true or false; default: false
    Switch,
    /// a method of the run
    Method,
    /// methods of the run
    Methods,
    /// the id of a metric
    Metric,
    /// ids of metrics
    Metrics,
    /// one column
    Column(Columns),
    /// one column or some
    Columns(Columns),
    /// coordinates that define the similarity of rows
    Features,
    /// a value that a chart, the page or a script supplies, not a user
    HandedOver,
}

/// What the analysis `kind` says of itself.
///
/// * `plain`: the words beside its name in the list of analyses
pub(super) fn description<R: Analysis>(kind: &'static str, plain: &'static str) -> Description {
    let Entry { title, step, shown, running, needs, files, cost } = R::ENTRY;
    let option = |option: &RequestOption| DescribedOption {
        name: option.name,
        label: Some(option.label).filter(|label| !label.is_empty()),
        help: option.help.trim(),
        kind: described_kind::<R>(option),
    };
    Description {
        kind,
        title,
        plain: plain.trim(),
        step,
        shown,
        running,
        needs,
        files,
        cost,
        options: R::OPTIONS.iter().map(option).collect(),
    }
}

fn described_kind<R: Analysis>(option: &RequestOption) -> DescribedKind {
    match option.kind {
        Kind::Number { usual } => {
            let bounds = number_bounds::<R>(option.name);
            DescribedKind::Number {
                usual,
                low: bounds.map(|bounds| bounds.low),
                high: bounds.map(|bounds| bounds.high),
                whole: bounds.is_some_and(|bounds| bounds.whole),
            }
        }
        Kind::Choice(choices) => DescribedKind::Choice(choices.to_vec()),
        Kind::Switch => DescribedKind::Switch,
        Kind::Method => DescribedKind::Method,
        Kind::Methods => DescribedKind::Methods,
        Kind::Metric => DescribedKind::Metric,
        Kind::Metrics => DescribedKind::Metrics,
        Kind::Column(of) => DescribedKind::Column(of),
        Kind::Columns(of) => DescribedKind::Columns(of),
        Kind::Features => DescribedKind::Features,
        Kind::HandedOver => DescribedKind::HandedOver,
    }
}

/// The request of an analysis, with what it says of itself. The docstring of an option is its help; `asked` says what
/// stands before it in a form (`""`: no form asks for it) and what may be chosen.
macro_rules! options {
    (
        $(#[doc = $about:literal])*
        pub struct $Request:ident {
            $(
                $(#[doc = $help:literal])+
                #[form($label:literal, $kind:expr)]
                $(#[serde(rename = $written:tt)])?
                pub $name:ident: $Type:ty,
            )*
        }

        $entry:expr
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $Request {
            $(
                $(#[doc = $help])+
                $(#[serde(rename = $written)])?
                pub $name: $Type,
            )*
        }

        impl $crate::analysis::entry::Described for $Request {
            const ENTRY: $crate::analysis::entry::Entry = {
                #[allow(unused_imports, reason = "not every analysis needs something")]
                use $crate::analysis::entry::{Cost, Entry, AnalysisRequirement, PageStep, DrawnIn};
                $entry
            };
            const OPTIONS: &'static [$crate::analysis::entry::RequestOption] = {
                #[allow(unused_imports, reason = "not every request has options of every kind")]
                use $crate::analysis::entry::{RequestOption, Columns::*, Kind::*};
                &[$(RequestOption {
                    name: $crate::analysis::entry::options!(@written $name $($written)?),
                    help: concat!($($help),+),
                    label: $label,
                    kind: $kind,
                }),*]
            };
        }
    };
    (@written $name:ident) => { stringify!($name) };
    (@written $name:ident $written:tt) => { $written };
}
pub(crate) use options;
