//! From what was asked to a list: methods and places where metrics look, under every combination of the settings that are
//! varied; divisions one by one.

use crate::metric::Reason;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::cell::Level;
use super::spec::{Divisions, ExperimentMethod, Knob, Seeds, Space, Spec, Vary};
use super::split_rule::SplitRule;
use crate::data::{Division, Predictions};
use crate::error::{Error, Result, message, phrases};
use crate::evaluation::comparison::repeats_of;
use crate::evaluation::group_error::columns_of;
use crate::evaluation::klce::{GammaChoice, KlceSettings};
use crate::evaluation::method::{Method, MethodSpec, alone, checked, entry};
use crate::evaluation::request::LocalOptions;
use crate::feature::proximity::ProximityOptions;
use crate::feature::{FeatureChoice, check, default_choice};
use crate::hypothesis::Null;
use crate::metric::binning::BinOptions;
use crate::metric::brier::BRIER;
use crate::metric::ece::ECE;
use crate::metric::entry::{Metric, MetricRequirement};
use crate::metric::log_loss::NLL;
use crate::metric::registry;
use crate::recalibrate::recalibrator::{MethodRequirement, RunSettings};
use crate::request::message::read;
use crate::run::plan::{DEFAULT_GAMMA, local_settings};
use crate::words::text::thousands;

/// Seconds that a fit takes.
pub const FIT_SECONDS: &str = "fit_seconds";
/// Seconds that a fit takes to score a row.
pub const APPLY_SECONDS: &str = "apply_seconds";

/// Values of the settings that were varied.
pub(super) type At = BTreeMap<String, Level>;

/// A method under one combination of its settings.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    /// its place among the methods of the experiment
    pub(super) place: usize,
    /// as cells call it
    pub(super) name: String,
    pub(super) at: At,
    pub(super) method: Method,
}

/// A place where some metrics look, under one combination of its settings.
#[derive(Debug, Clone)]
pub(super) struct Look {
    /// its name; none for metrics that look at no near rows
    pub(super) space: Option<String>,
    pub(super) at: At,
    pub(super) metrics: Vec<String>,
    pub(super) bins: BinOptions,
    /// columns of the metrics of groups
    pub(super) groups: Vec<String>,
    pub(super) local: Option<LocalOptions>,
    pub(super) near: Option<ProximityOptions>,
    pub(super) klce: Option<KlceSettings>,
}

/// One division of the rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Once {
    /// as cells call it
    pub(super) name: String,
    pub(super) rule: SplitRule,
    pub(super) seed: u64,
}

/// Where metrics look, by what of it bears on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MetricScope {
    /// at scores and outcomes, or groups
    Rows,
    /// at near rows of the same bin
    Neighbourhoods,
    /// at how near the calibration rows are
    Proximity,
    /// at covariates
    Covariates,
    /// at a clock
    Time,
}

impl MetricScope {
    const ALL: [Self; 5] = [Self::Rows, Self::Neighbourhoods, Self::Proximity, Self::Covariates, Self::Time];

    fn of(id: &str) -> Result<Self> {
        if id == FIT_SECONDS || id == APPLY_SECONDS {
            return Ok(Self::Time);
        }
        registry::requested(Some(&[id.to_owned()]))?;
        Ok(match registry::metric(id).map(|metric| metric.value.needs()) {
            Some(MetricRequirement::Neighbourhoods) => Self::Neighbourhoods,
            Some(MetricRequirement::Proximity) => Self::Proximity,
            Some(MetricRequirement::Covariates) => Self::Covariates,
            Some(MetricRequirement::ScoreAndTarget | MetricRequirement::EveryClass | MetricRequirement::Groups)
            | None => Self::Rows,
        })
    }

    /// The settings of a space that bear on such metrics.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Rows => &["bins"],
            Self::Neighbourhoods => &["bins", "gamma", "kernel"],
            Self::Proximity => &["neighbours", "distance", "form"],
            Self::Covariates => &["width_p", "trust_gamma", "resamples"],
            Self::Time => &[],
        }
    }

    fn looks_around(self) -> bool {
        !matches!(self, Self::Rows | Self::Time)
    }
}

/// The experiment with every default filled in, checked.
///
/// # Errors
/// `invalid_option` for spaces or methods under one name, an unknown space, or a setting that no method has;
/// `unknown_method`, `unknown_metric`; `too_large` for too many combinations of settings.
pub(super) fn filled(data: &Predictions, spec: &Spec) -> Result<Spec> {
    let mut spec = with_defaults(data, spec)?;
    different("spaces", spec.spaces.iter().map(|space| space.name.as_str()))?;
    different("methods", spec.methods.iter().map(ExperimentMethod::name))?;
    check_names(&spec)?;
    for vary in &mut spec.vary {
        resolve(vary, &spec.methods)?;
    }
    different("settings that vary", spec.vary.iter().map(|vary| vary.setting.as_str()))?;
    let combined = spec.vary.iter().fold(1usize, |all, vary| all.saturating_mul(vary.values.len()));
    if combined > MOST_COMBINED {
        return Err(Error::new(
            "too_large",
            format!("{} combinations of settings were requested.", thousands(combined)),
            format!("Vary fewer settings, or fewer values each; at most {} combinations.", thousands(MOST_COMBINED)),
        ));
    }
    Ok(spec)
}

/// Methods, metrics, spaces and divisions where the experiment names none, and a name for every space.
fn with_defaults(data: &Predictions, spec: &Spec) -> Result<Spec> {
    let mut spec = spec.clone();
    spec.bins = spec.bins.validated()?;
    if spec.methods.is_empty() {
        let usual = alone().filter(|entry| entry.needs == MethodRequirement::Nothing);
        let usual = usual.filter(|entry| entry.offers.iter().any(|offer| offer.usual));
        let usual = usual.map(|entry| ExperimentMethod::Id(entry.id.to_owned()));
        spec.methods = std::iter::once(ExperimentMethod::Id("none".to_owned())).chain(usual).collect();
    }
    if spec.metrics.is_empty() {
        let usual: [&Metric; 3] = [&NLL, &BRIER, &ECE];
        spec.metrics = usual.map(|metric| metric.id.to_owned()).to_vec();
    }
    if spec.spaces.is_empty()
        && let Some(choice) = default_choice(data)
    {
        spec.spaces = vec![Space { features: Some(choice), ..Space::default() }];
    }
    for (k, space) in spec.spaces.iter_mut().enumerate() {
        if space.name.is_empty() {
            space.name = if k == 0 { "features".to_owned() } else { format!("features {}", k + 1) };
        }
    }
    if spec.divisions == Divisions::default() && !matches!(data.division, Division::Given { .. }) {
        spec.divisions.seeds = Some(Seeds::Count(USUAL_SEEDS));
    }
    Ok(spec)
}

/// Comparisons name methods of the experiment, metrics exist, and methods name spaces of it.
fn check_names(spec: &Spec) -> Result<()> {
    for name in spec.compare.iter().flat_map(super::spec::Compare::names) {
        if !spec.methods.iter().any(|method| method.name() == name) {
            return Err(Error::new(
                "unknown_method",
                format!("`compare` names `{name}`, which is not a method of the experiment."),
                "Use names of the methods.",
            ));
        }
    }
    for metric in &spec.metrics {
        MetricScope::of(metric)?;
    }
    for method in &spec.methods {
        let ExperimentMethod::Named { space: Some(space), .. } = method else { continue };
        if !spec.spaces.iter().any(|known| known.name == *space) {
            return Err(Error::new(
                "invalid_option",
                format!("`{}` uses the space `{space}`, which does not exist.", method.name()),
                "Use one of `spaces`.",
            ));
        }
    }
    Ok(())
}

/// Whether a setting that varies is one of methods or of metrics, where that was not said.
///
/// # Errors
/// `invalid_option` where neither has it, and without values.
fn resolve(vary: &mut Vary, methods: &[ExperimentMethod]) -> Result<()> {
    let (of_methods, of_metrics) = (
        methods.iter().any(|method| path(method.id(), &vary.setting).is_some()),
        MetricScope::ALL.iter().any(|place| place.settings().contains(&vary.setting.as_str())),
    );
    let usual = if of_methods { Knob::Methods } else { Knob::Metrics };
    let knob = *vary.of.get_or_insert(usual);
    let known = if knob == Knob::Methods { of_methods } else { of_metrics };
    if known && !vary.values.is_empty() {
        return Ok(());
    }
    let what = match (known, knob) {
        (true, _) => "no value is given for it",
        (false, Knob::Methods) => "no method here has such a setting",
        (false, Knob::Metrics) => "no metric uses such a setting",
    };
    Err(Error::new(
        "invalid_option",
        format!("`{}` cannot be varied: {what}.", vary.setting),
        message![
            "Use a setting of one of the methods, or gamma, kernel, bins, neighbours, distance, form or ",
            phrases::WIDTH_P,
            " of spaces."
        ],
    ))
}

/// Combinations of the values of all settings that vary, at most.
const MOST_COMBINED: usize = 5000;
/// Divisions where nothing is said of them.
const USUAL_SEEDS: u64 = 5;
/// Divisions at most.
const MOST_DIVISIONS: usize = 1000;

fn different<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Error::new(
                "invalid_option",
                format!("Two {what} have the same name, `{name}`."),
                "Use a different name for each.",
            ));
        }
        seen.push(name);
    }
    Ok(())
}

/// Where the setting of a method stands among its parameters: `["base", "lambda"]` of the first of two. The last method
/// that has it counts.
fn path(id: &str, setting: &str) -> Option<Vec<String>> {
    let mut steps = Vec::new();
    for part in id.rsplit('+') {
        let has = entry(part).is_some_and(|entry| entry.parameters.iter().any(|known| known.name == setting));
        if has {
            steps.push(setting.to_owned());
            return Some(steps);
        }
        steps.push("base".to_owned());
    }
    None
}

/// Every combination of the values of some settings; how many they are was looked at before.
fn combinations<'a>(vary: impl Iterator<Item = &'a Vary>) -> Vec<At> {
    vary.fold(vec![At::new()], |before, vary| {
        let with = |at: &At| {
            let at = at.clone();
            vary.values.iter().map(move |value| {
                let mut at = at.clone();
                at.insert(vary.setting.clone(), value.clone());
                at
            })
        };
        before.iter().flat_map(with).collect()
    })
}

fn json_of(level: &Level) -> Value {
    match level {
        // a whole number is written as one
        Level::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => json!(*number as i64),
        Level::Number(number) => json!(number),
        Level::Word(word) => json!(word),
    }
}

/// What methods are told where their own settings say nothing.
fn run_settings(spec: &Spec, space: Option<&Space>) -> Result<RunSettings> {
    let features = space.map(features_of).transpose()?;
    let space = space.cloned().unwrap_or_default();
    Ok(RunSettings {
        bins: spec.bins,
        seed: spec.seed,
        kernel: space.kernel.clone().unwrap_or_else(|| "laplacian".to_owned()),
        gamma: space.gamma.unwrap_or(DEFAULT_GAMMA),
        local_bins: space.bins.unwrap_or(spec.bins),
        within: None,
        proximity: proximity_of(&space, features.clone()),
        features,
    })
}

fn proximity_of(space: &Space, features: Option<FeatureChoice>) -> ProximityOptions {
    ProximityOptions {
        features,
        neighbours: space.neighbours,
        distance: space.distance,
        form: space.form,
        row_normalise: None,
    }
}

/// The coordinates of a space; a feature map that it asks for is made, and named in its place, before it is planned.
fn features_of(space: &Space) -> Result<FeatureChoice> {
    space.features.clone().ok_or_else(|| {
        Error::new(
            "features_missing",
            format!("The space `{}` has no columns.", space.name),
            "Specify features, or a feature map.",
        )
    })
}

/// Every method, in every space that it looks at and has not named, under every combination of its settings.
///
/// # Errors
/// `unknown_method`, `invalid_option`, `unknown_column`.
pub(super) fn instances(data: &Predictions, spec: &Spec) -> Result<Vec<Instance>> {
    let nowhere = run_settings(spec, None)?;
    let (mut all, mut names) = (Vec::new(), Vec::new());
    for (place, asked) in spec.methods.iter().enumerate() {
        let (id, parameters, named) = match asked {
            ExperimentMethod::Id(id) => (id, Value::Null, None),
            ExperimentMethod::Named { id, parameters, space, .. } => (id, parameters.clone(), space.as_ref()),
        };
        let method = |name: &str, parameters: &Value, run: &RunSettings| {
            let name = Some(name.to_owned());
            let spec = MethodSpec::Named { id: id.clone(), name, parameters: parameters.clone() };
            checked(vec![spec], data, run).map(|mut methods| methods.swap_remove(0))
        };
        let looks = method(asked.name(), &parameters, &nowhere)?.kind.missing() == Some(Reason::FeaturesMissing);
        let spaces: Vec<Option<&Space>> = match named {
            Some(name) => vec![spec.spaces.iter().find(|space| space.name == *name)],
            None if looks && !spec.spaces.is_empty() => spec.spaces.iter().map(Some).collect(),
            None => vec![None],
        };
        let several = spaces.len() > 1;
        let varied = |vary: &&Vary| vary.of == Some(Knob::Methods) && path(id, &vary.setting).is_some();
        for space in spaces {
            let run = run_settings(spec, space)?;
            let name = match space {
                Some(space) if several => format!("{} ({})", asked.name(), space.name),
                _ => asked.name().to_owned(),
            };
            for at in combinations(spec.vary.iter().filter(varied)) {
                let mut parameters = parameters.clone();
                for (setting, level) in &at {
                    put(&mut parameters, &path(id, setting).unwrap_or_default(), json_of(level));
                }
                all.push(Instance { place, name: name.clone(), method: method(&name, &parameters, &run)?, at });
            }
            names.push(name);
        }
    }
    different("methods", names.iter().map(String::as_str))?;
    Ok(all)
}

/// Sets a field of an object, objects on the way to it made where there are none.
fn put(into: &mut Value, path: &[String], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *into = value;
        return;
    };
    if !into.is_object() {
        *into = json!({});
    }
    if let Some(fields) = into.as_object_mut() {
        put(fields.entry(first.clone()).or_insert(Value::Null), rest, value);
    }
}

/// Where every metric looks, under every combination of what bears on it.
///
/// # Errors
/// `invalid_option`, `unknown_column`, `features_missing`.
pub(super) fn looks(data: &Predictions, spec: &Spec) -> Result<Vec<Look>> {
    let mut all = Vec::new();
    for place in MetricScope::ALL {
        let own = |id: &&String| MetricScope::of(id).is_ok_and(|found| found == place);
        let metrics: Vec<String> = spec.metrics.iter().filter(own).cloned().collect();
        if metrics.is_empty() || place == MetricScope::Time {
            continue;
        }
        let bears = |vary: &&Vary| vary.of == Some(Knob::Metrics) && place.settings().contains(&vary.setting.as_str());
        let spaces: Vec<Option<&Space>> = match place.looks_around() {
            true if !spec.spaces.is_empty() => spec.spaces.iter().map(Some).collect(),
            _ => vec![None],
        };
        for space in spaces {
            for at in combinations(spec.vary.iter().filter(bears)) {
                all.push(look(data, spec, (place, space), at, metrics.clone())?);
            }
        }
    }
    Ok(all)
}

fn look(
    data: &Predictions,
    spec: &Spec,
    (place, space): (MetricScope, Option<&Space>),
    at: At,
    metrics: Vec<String>,
) -> Result<Look> {
    let mut turned = serde_json::to_value(space.cloned().unwrap_or_default()).unwrap_or_default();
    for (setting, level) in &at {
        put(&mut turned, std::slice::from_ref(setting), json_of(level));
    }
    let turned: Space = read(turned).map_err(|error| {
        let settings: Vec<String> = at.iter().map(|(setting, level)| format!("{setting} {level}")).collect();
        Error::new(
            "invalid_option",
            format!("Metrics cannot use {}: {error}.", settings.join(", ")),
            "See the settings of a space.",
        )
    })?;
    let bins = match place {
        MetricScope::Rows => turned.bins.unwrap_or(spec.bins).validated()?,
        _ => spec.bins,
    };
    let choice = space.map(features_of).transpose()?;
    if let Some(choice) = &choice {
        check(data, choice)?;
    }
    let (mut local, mut near, mut klce) = (None, None, None);
    match (place, choice) {
        (MetricScope::Neighbourhoods, Some(choice)) => {
            let asked = LocalOptions {
                features: Some(choice),
                kernel: turned.kernel.clone(),
                gamma: turned.gamma,
                bins: turned.bins,
                ..LocalOptions::default()
            };
            local = Some(local_settings(data, asked, &bins)?);
        }
        (MetricScope::Proximity, Some(choice)) => near = proximity_of(&turned, Some(choice)).filled(data, None)?,
        (MetricScope::Covariates, Some(choice)) => {
            let null = turned.null.unwrap_or(Null::PermuteCentred);
            let mut nulls = vec![Null::Bernoulli];
            if null != Null::Bernoulli {
                nulls.push(null);
            }
            let gamma = turned.trust_gamma.map(GammaChoice::Number);
            let draws = turned.resamples;
            klce = Some(KlceSettings::new(choice, turned.width_p, gamma.as_ref(), nulls, draws, spec.seed)?);
        }
        _ => {}
    }
    let groups = match place {
        MetricScope::Rows => columns_of(data, spec.groups.as_deref(), &metrics)?,
        _ => Vec::new(),
    };
    Ok(Look { space: space.map(|space| space.name.clone()), at, metrics, bins, groups, local, near, klce })
}

/// The divisions of one data set, one by one.
///
/// # Errors
/// `unknown_column`; `invalid_option` for more divisions than anybody can wait for, or ways that contradict each other.
pub(super) fn divisions(data: &Predictions, spec: &Spec) -> Result<Vec<Once>> {
    let Divisions { seeds, folds, by, files } = &spec.divisions;
    let ways = usize::from(by.is_some()) + usize::from(*files) + usize::from(seeds.is_some() || folds.is_some());
    if ways > 1 {
        return Err(Error::new(
            "invalid_option",
            "Two data splits are specified.",
            "Specify seeds (with or without folds), a column of repeats, or files.",
        ));
    }
    let given = || Once { name: "as in file".to_owned(), rule: SplitRule::AsTheFileSays, seed: spec.seed };
    let is_given = matches!(data.division, Division::Given { .. });
    if let Some(column) = by {
        let names = repeats_of(data, column)?.into_iter().enumerate();
        let once = |(repeat, name)| {
            let rule = SplitRule::Repeat { column: column.clone(), repeat };
            Once { name: format!("{column} {name}"), rule, seed: spec.seed }
        };
        return Ok(names.map(once).collect());
    }
    let half = |seed: u64| Once { name: format!("seed {seed}"), rule: SplitRule::Half, seed };
    if *files {
        return Ok(vec![if is_given { given() } else { half(0) }]);
    }
    let count = match seeds {
        Some(Seeds::Count(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
        Some(Seeds::These(these)) => these.len(),
        None => 1,
    };
    let all = count.saturating_mul(folds.unwrap_or(1));
    let too_few = folds.is_some_and(|folds| !(2..=MOST_FOLDS).contains(&folds));
    if all == 0 || all > MOST_DIVISIONS || too_few {
        return Err(Error::new(
            "invalid_option",
            format!("{count} seeds and {} folds were requested.", folds.unwrap_or(1)),
            "Request 1 to 1,000 splits, and 2 to 100 folds.",
        ));
    }
    let seeds: Vec<u64> = match seeds {
        Some(Seeds::Count(count)) => (0..*count).collect(),
        Some(Seeds::These(these)) => these.clone(),
        None if folds.is_some() => vec![spec.seed],
        None => return Ok(vec![given()]),
    };
    let mut distinct = seeds.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < seeds.len() {
        return Err(Error::new("invalid_option", "A seed is listed twice.", "List each once."));
    }
    let Some(of) = *folds else {
        return Ok(seeds.into_iter().map(half).collect());
    };
    // the seed is told wherever somebody chose it, so that no two divisions have one name
    let several = spec.divisions.seeds.is_some();
    let fold = |seed: u64| {
        (0..of).map(move |fold| {
            let before = if several { format!("seed {seed}, ") } else { String::new() };
            Once { name: format!("{before}fold {} of {of}", fold + 1), rule: SplitRule::Fold { of, fold }, seed }
        })
    };
    Ok(seeds.into_iter().flat_map(fold).collect())
}

/// Folds at most: a division counts them in a byte.
const MOST_FOLDS: usize = 100;
