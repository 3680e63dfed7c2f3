//! The methods of a request, with checked settings.

use serde::Deserialize;

use super::{DEFAULT_GAMMA, kernel_named};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::features::FeatureChoice;
use crate::evaluation::groups::{group_columns, groups};
use crate::evaluation::method::best::CHOOSING;
use crate::evaluation::method::{
    AFTER_BASE, Choice, LocalBiasSettings, LoreSettings, METHODS, Method, MethodKind, MethodSpec,
};
use crate::evaluation::request::RunRequest;
use crate::hypothesis::witness::{WIDTH_P, WitnessKernel};
use crate::job::bounds::check_depth;
use crate::job::{message, without_nulls};
use crate::metric::binning::BinOptions;
use crate::recalibrate::local_bias::BiasForm;
use crate::recalibrate::platt::PlattOptions;

mod by_cell;
mod composed;

/// The methods of a request with checked settings; LoRe's defaults come from the local settings.
pub(super) fn methods(data: &Predictions, request: &RunRequest) -> Result<Vec<Method>> {
    let mut asked = request.methods.clone().unwrap_or_default();
    for spec in &mut asked {
        if let MethodSpec::Named { parameters, .. } = spec {
            check_depth(parameters)?;
            without_nulls(parameters);
        }
    }
    let methods = listed(asked, data, request)?;
    methods.iter().try_for_each(affordable)?;
    Ok(methods)
}

/// Fits behind one method, at most.
const MOST_FITS: f64 = 10_000.0;

/// Refuses a method whose parts would fit each other more often than anybody can wait for.
fn affordable(method: &Method) -> Result<()> {
    let fits = fits(&method.kind);
    if fits <= MOST_FITS {
        return Ok(());
    }
    Err(Error::new(
        "invalid_option",
        format!("{fits} fits would stand behind one method, `{}`; {MOST_FITS} at most do.", method.name),
        "Ask for fewer folds, groups or candidates, or for fewer methods one after another.",
    ))
}

/// Fits behind a method: folds, groups and candidates multiply.
fn fits(kind: &MethodKind) -> f64 {
    match kind {
        MethodKind::Best(choice) => {
            let of: f64 = choice.of.iter().map(|method| fits(&method.kind)).sum();
            of * (choice.folds + 1) as f64
        }
        MethodKind::Composed { base, then, inner } => {
            let times = inner.map_or(1, |inner| inner.folds + 1) as f64;
            times * fits(base) + fits(then)
        }
        MethodKind::ProximityStratified { base, groups, .. } => (groups + 1) as f64 * fits(base),
        _ => 1.0,
    }
}

/// Whether `best` stands anywhere in a method.
fn holds_best(kind: &MethodKind) -> bool {
    match kind {
        MethodKind::Best(_) => true,
        MethodKind::Composed { base, then, .. } => holds_best(base) || holds_best(then),
        MethodKind::ProximityStratified { base, .. } => holds_best(base),
        _ => false,
    }
}

fn listed(asked: Vec<MethodSpec>, data: &Predictions, request: &RunRequest) -> Result<Vec<Method>> {
    let mut methods: Vec<Method> = Vec::with_capacity(asked.len());
    for spec in asked {
        let (id, name, parameters) = match spec {
            MethodSpec::Id(id) => (id.clone(), id, serde_json::Value::Null),
            MethodSpec::Named { id, name, parameters } => (id.clone(), name.unwrap_or(id), parameters),
        };
        if methods.iter().any(|method| method.name == name) {
            return Err(Error::new(
                "invalid_option",
                "Two methods would stand under the same name.",
                format!("Give one of them another name than `{name}`: {{ id, name, parameters }}."),
            ));
        }
        methods.push(Method { kind: composed::kind(data, &id, parameters, request)?, name });
    }
    Ok(methods)
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NoParameters {}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct HistogramParameters {
    bins: Option<BinOptions>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BestParameters {
    of: Option<Vec<MethodSpec>>,
    by: Option<String>,
    folds: Option<usize>,
}

/// Candidates of `best` by default; leaving the predictions alone is one of them.
const CANDIDATES: [&str; 5] = ["none", "temperature", "platt", "beta", "isotonic"];

/// The candidates, and what decides between them.
fn best(given: BestParameters, data: &Predictions, request: &RunRequest) -> Result<Choice> {
    let refused = |message: String, hint: String| Err(Error::new("invalid_option", message, hint));
    let usual = || CANDIDATES.map(|id| MethodSpec::Id(id.to_owned())).to_vec();
    let of = listed(given.of.unwrap_or_else(usual), data, request)?;
    if of.is_empty() || of.iter().any(|m| holds_best(&m.kind)) {
        return refused(
            format!("`best` chooses from {} methods, none of them `best`.", of.len()),
            "Name one or more other methods in parameters.of.".to_owned(),
        );
    }
    let by = given.by.unwrap_or_else(|| "nll".to_owned());
    if !CHOOSING.contains(&by.as_str()) {
        return refused(
            format!("`best` does not choose by `{by}`."),
            format!("parameters.by is one of: {}.", CHOOSING.join(", ")),
        );
    }
    Ok(Choice { of, by, folds: given.folds.unwrap_or(5), bins: request.bins, seed: request.seed })
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LoreParameters {
    features: Option<FeatureChoice>,
    gamma: Option<f64>,
    kernel: Option<String>,
    bins: Option<BinOptions>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GroupParameters {
    groups: Option<String>,
    min_group: Option<usize>,
    bins: Option<BinOptions>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LocalBiasParameters {
    features: Option<FeatureChoice>,
    form: BiasForm,
    width_p: Option<f64>,
    gamma: Option<f64>,
    ridge: Option<f64>,
}

fn local_bias(given: LocalBiasParameters, request: &RunRequest) -> Result<MethodKind> {
    let (width_p, ridge) = (given.width_p.unwrap_or(WIDTH_P), given.ridge.unwrap_or(1.0));
    WitnessKernel { form: given.form.kernel_form(), width_p, gamma: given.gamma.unwrap_or(1.0) }.check()?;
    if !(ridge > 0.0 && ridge.is_finite()) {
        return Err(Error::new(
            "invalid_option",
            format!("ridge is {ridge}; λ of a kernel ridge regression is a positive number."),
            "The published comparison uses 1.",
        ));
    }
    let local = request.local.as_ref().and_then(|local| local.features.clone());
    Ok(MethodKind::Lcb(LocalBiasSettings {
        features: given.features.or(local),
        form: given.form,
        width_p,
        gamma: given.gamma,
        ridge,
    }))
}

/// The column that was named, which must make groups; else the first with the role group.
fn group_column(data: &Predictions, named: Option<String>) -> Result<Option<String>> {
    let name = named.or_else(|| group_columns(data).into_iter().next());
    name.map(|name| groups(data, &name).map(|groups| groups.name)).transpose()
}

/// One method by its id.
fn kind(id: &str, parameters: serde_json::Value, data: &Predictions, request: &RunRequest) -> Result<MethodKind> {
    let bare = |kind: MethodKind| read::<NoParameters>(id, parameters.clone()).map(|_| kind);
    Ok(match id {
        "none" => bare(MethodKind::None)?,
        "temperature" => bare(MethodKind::Temperature)?,
        "mmce_temperature" => bare(MethodKind::MmceTemperature)?,
        "isotonic" => bare(MethodKind::Isotonic)?,
        "beta" => bare(MethodKind::Beta)?,
        "venn_abers" => bare(MethodKind::VennAbers)?,
        "ets" => bare(MethodKind::Ets)?,
        "pts" if parameters["published"] == true => MethodKind::Pts { published: true },
        "pts" => bare(MethodKind::Pts { published: false })?,
        "mir" => bare(MethodKind::Mir)?,
        "vector" => bare(MethodKind::Vector)?,
        "matrix" => bare(MethodKind::Matrix)?,
        "dirichlet" => bare(MethodKind::Dirichlet)?,
        "platt" => {
            let options: PlattOptions = read(id, parameters)?;
            MethodKind::Platt { options }
        }
        "best" => MethodKind::Best(best(read(id, parameters)?, data, request)?),
        "bbq" => MethodKind::Bbq { options: read(id, parameters)? },
        "histogram" => {
            let bins = read::<HistogramParameters>(id, parameters)?.bins.unwrap_or(request.bins);
            MethodKind::Histogram { bins: bins.validated()? }
        }
        "lore" | "ptsk" => {
            let given: LoreParameters = read(id, parameters)?;
            let local = request.local.clone().unwrap_or_default();
            if id == "ptsk" {
                if given.gamma.is_some() || given.kernel.is_some() || given.bins.is_some() {
                    return Err(Error::new(
                        "invalid_option",
                        "`ptsk` takes the parameter features alone.",
                        "See the README for what each method takes.",
                    ));
                }
                let features = given.features.or(local.features);
                return Ok(MethodKind::Ptsk { features });
            }
            let kernel = kernel_named(
                given.kernel.or(local.kernel).as_deref().unwrap_or("laplacian"),
                given.gamma.or(local.gamma).unwrap_or(DEFAULT_GAMMA),
            )?;
            let bins = given.bins.or(local.bins).unwrap_or(request.bins).validated()?;
            MethodKind::Lore(LoreSettings { features: given.features.or(local.features), kernel, bins })
        }
        "multicalibration" | "proportional_multicalibration" => by_cell::kind(id, read(id, parameters)?, data)?,
        "lcb" => local_bias(read(id, parameters)?, request)?,
        "group_temperature" | "group_histogram" => {
            let given: GroupParameters = read(id, parameters)?;
            let min_group = given.min_group;
            let groups = group_column(data, given.groups)?;
            if id == "group_histogram" {
                let bins = given.bins.unwrap_or(request.bins).validated()?;
                return Ok(MethodKind::GroupHistogram { groups, min_group, bins });
            }
            if given.bins.is_some() {
                return Err(Error::new(
                    "invalid_option",
                    "`group_temperature` takes groups and min_group; it has no bins.",
                    "Leave bins out, or use group_histogram.",
                ));
            }
            MethodKind::GroupTemperature { groups, min_group }
        }
        other => {
            let known: Vec<&str> = METHODS.iter().map(|(id, _)| *id).collect();
            let after: Vec<&str> = AFTER_BASE.iter().map(|(id, _)| *id).collect();
            return Err(Error::new(
                "unknown_method",
                format!("No recalibration method has the id `{other}`."),
                format!(
                    "Known: {}; and after another, as in none+density_ratio: {}.",
                    known.join(", "),
                    after.join(", ")
                ),
            ));
        }
    })
}

fn read<T: Default + for<'de> Deserialize<'de>>(id: &str, parameters: serde_json::Value) -> Result<T> {
    if parameters.is_null() {
        return Ok(T::default());
    }
    message::read(parameters).map_err(|error| {
        Error::new(
            "invalid_option",
            format!("The parameters of `{id}` cannot be used: {error}."),
            "See the README for what each method takes.",
        )
    })
}

pub(crate) fn unusable(kind: &MethodKind) -> Option<&'static str> {
    match kind {
        MethodKind::Lore(LoreSettings { features: None, .. })
        | MethodKind::Lcb(LocalBiasSettings { features: None, .. })
        | MethodKind::Ptsk { features: None } => Some("features_missing"),
        MethodKind::Multicalibration(settings) if settings.groups.is_empty() => Some("groups_missing"),
        MethodKind::GroupTemperature { groups: None, .. } | MethodKind::GroupHistogram { groups: None, .. } => {
            Some("groups_missing")
        }
        MethodKind::Best(choice) => choice.of.iter().find_map(|m| unusable(&m.kind)),
        kind if kind.proximity() == Some(None) => Some("features_missing"),
        MethodKind::Composed { base, then, .. } => unusable(base).or_else(|| unusable(then)),
        MethodKind::ProximityStratified { base, .. } => unusable(base),
        _ => None,
    }
}
