//! From a request to a list of jobs.

use serde::{Deserialize, Serialize};

use super::request::{EvaluateOn, LocalOptions, RunRequest};
use super::{Job, Node};
use crate::data::{Division, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::features::{self, FeatureChoice};
use crate::evaluation::further;
use crate::evaluation::method::{LoreSettings, METHODS, Method, MethodKind, MethodSpec};
use crate::evaluation::pair;
use crate::evaluation::resample::{default_resamples, needs_vectors};
use crate::kernel::Kernel;
use crate::recalibrate::platt::PlattOptions;
use crate::report::catalogue;

/// Bandwidth when nobody says one.
pub const DEFAULT_GAMMA: f64 = 0.4;
/// Milliseconds that one part should take.
const PART_MS: f64 = 180.0;

/// Milliseconds that the replicates of metrics beyond the scorecard may take, per method.
const FURTHER_MS: f64 = 2000.0;
/// And how many there are at least.
const LEAST_FURTHER: usize = 20;

/// What the report needs to know of one method's outcomes, which follow in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodInputs {
    /// the method
    pub method: Method,
    /// why it has no outcomes, where it has none: a stable reason
    pub reason: Option<String>,
    /// parts of the resampling
    pub resample: usize,
    /// parts of the local error
    pub local: usize,
    /// parts of the local resampling
    pub local_resample: usize,
}

/// The jobs of a run, ending in the report.
///
/// # Errors
/// `unknown_metric`, `unknown_method`, `invalid_option`, `unknown_column`, `label_missing`, `score_missing`.
pub fn plan(data: &Predictions, request: &RunRequest) -> Result<Vec<Node>> {
    let mut request = request.clone();
    request.metrics = Some(catalogue::requested(request.metrics.as_deref())?);
    request.bins = request.bins.validated()?;
    request
        .methods
        .get_or_insert_with(|| vec![MethodSpec::Id("none".to_owned())]);
    request.local = request
        .local
        .map(|local| local_settings(data, local, &request.bins))
        .transpose()?;
    let methods = methods(&request)?;
    pair::scores(data)?;
    pair::targets(data)?;

    let n = data.rows;
    let mut nodes = Plan::default();
    let split = nodes.push(
        Job::Split {
            seed: request.seed,
            everything: false,
        },
        &[0],
        n as f64 * 5e-5,
        "dividing the rows",
    );
    let all = match request.evaluate_on {
        EvaluateOn::Evaluation => split,
        EvaluateOn::All => nodes.push(
            Job::Split {
                seed: request.seed,
                everything: true,
            },
            &[0],
            1.0,
            "dividing the rows",
        ),
    };
    let folds = if let Division::Folds { folds } = data.division {
        folds
    } else {
        1
    };
    let resamples = request.resamples.unwrap_or_else(|| default_resamples(n));
    request.resamples = Some(resamples);

    let further: Vec<String> = request
        .metrics
        .iter()
        .flatten()
        .filter(|id| further::is_further(id))
        .cloned()
        .collect();

    let mut needs = vec![0, split, all];
    let mut inputs = Vec::new();
    for method in methods {
        let mut input = MethodInputs {
            method,
            reason: None,
            resample: 0,
            local: 0,
            local_resample: 0,
        };
        if let Some(reason) = unusable(&input.method.kind) {
            input.reason = Some(reason.to_owned());
            inputs.push(input);
            continue;
        }
        let is_none = input.method.kind == MethodKind::None;
        let by = if is_none { all } else { split };
        let mut score_needs = vec![0, by];
        if !is_none {
            for fold in 0..folds {
                let job = Job::Fit {
                    method: input.method.clone(),
                    fold,
                };
                let label = format!("fitting {}", input.method.name);
                score_needs.push(nodes.push(
                    job,
                    &[0, split],
                    fit_cost(data, &input.method.kind),
                    &label,
                ));
            }
        }
        let name = input.method.name.clone();
        let m = pair::classes(data) as f64;
        let score_cost = n as f64
            * (2e-4
                + if pair::has_vector(data) {
                    m * 1e-5
                } else {
                    0.0
                });
        let scored = nodes.push(
            Job::Score {
                bins: request.bins,
                metrics: further.iter().cloned().collect(),
            },
            &score_needs,
            score_cost,
            &format!("scoring {name}"),
        );
        needs.push(scored);

        let per_replicate = n as f64
            * if needs_vectors(data) {
                1.6e-5 + 1.5e-6 * m
            } else {
                9e-6
            };
        let (parts, cost) = parts(resamples, per_replicate);
        for (first, last) in ranges(resamples, parts) {
            let job = Job::Resample {
                bins: request.bins,
                seed: request.seed,
                first,
                last,
            };
            needs.push(nodes.push(
                job,
                &[0, scored],
                cost,
                &format!("intervals and floors of {name}"),
            ));
        }
        input.resample = parts;
        let cost = further::replicate_cost(&further, n);
        if cost > 0.0 {
            let count = resamples.min(((FURTHER_MS / cost) as usize).max(LEAST_FURTHER));
            let (parts, cost) = self::parts(count, cost);
            for (first, last) in ranges(count, parts) {
                let metrics = further.iter().cloned().collect();
                let job = Job::ResampleFurther {
                    bins: request.bins,
                    metrics,
                    seed: request.seed,
                    first,
                    last,
                };
                needs.push(nodes.push(
                    job,
                    &[0, scored],
                    cost,
                    &format!("further intervals of {name}"),
                ));
            }
            input.resample += parts;
        }
        if let Some(local) = &request.local {
            let (parts, cost) = local_parts(data, local);
            for part in 0..parts {
                let job = Job::Local {
                    local: local.clone(),
                    part,
                    parts,
                };
                needs.push(nodes.push(
                    job,
                    &[0, by, scored],
                    cost,
                    &format!("local error of {name}"),
                ));
            }
            input.local = parts;
            let (replicate_parts, cost) = self::parts(local.resamples, cost * parts as f64 / 4.0);
            for (first, last) in ranges(local.resamples, replicate_parts) {
                let job = Job::LocalResample {
                    local: local.clone(),
                    seed: request.seed,
                    first,
                    last,
                };
                needs.push(nodes.push(
                    job,
                    &[0, by, scored],
                    cost,
                    &format!("floor of the local error of {name}"),
                ));
            }
            input.local_resample = replicate_parts;
        }
        inputs.push(input);
    }
    nodes.push(
        Job::Report { request, inputs },
        &needs,
        n as f64 * 1e-4,
        "writing the report",
    );
    Ok(nodes.nodes)
}

#[derive(Default)]
struct Plan {
    nodes: Vec<Node>,
}

impl Plan {
    /// Appends a node and returns the number by which later nodes need it.
    fn push(&mut self, job: Job, needs: &[usize], cost: f64, label: &str) -> usize {
        self.nodes.push(Node {
            job,
            needs: needs.to_vec(),
            cost: cost.max(0.1),
            label: label.to_owned(),
        });
        self.nodes.len()
    }
}

/// How many parts `count` replicates are cut into, and the cost of one part.
fn parts(count: usize, per_replicate_ms: f64) -> (usize, f64) {
    if count == 0 {
        return (0, 0.0);
    }
    let total = count as f64 * per_replicate_ms;
    let parts = ((total / PART_MS).ceil() as usize).clamp(1, count.min(256));
    (parts, total / parts as f64)
}

fn ranges(count: usize, parts: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..parts).map(move |part| (part * count / parts, (part + 1) * count / parts))
}

/// The bins are dealt to as many parts as the sums are worth.
fn local_parts(data: &Predictions, local: &LocalOptions) -> (usize, f64) {
    let n = data.rows as f64;
    let bins = local.bins.unwrap_or_default().count;
    let total = local_cost(
        n,
        local
            .features
            .as_ref()
            .map_or(2, |choice| features::width_of(data, choice)),
    );
    let parts = ((total / PART_MS).ceil() as usize).clamp(1, bins);
    (parts, total / parts as f64)
}

/// Expected milliseconds of the local error of `n` rows in `d` dimensions, bins alike.
pub fn local_cost(n: f64, d: usize) -> f64 {
    match d {
        0..=2 => n * n.max(2.0).log2() * 6e-5,
        3 => n * n.max(2.0).log2().powi(2) * 3e-5,
        d => n * n * d as f64 * 1e-7,
    }
}

fn fit_cost(data: &Predictions, kind: &MethodKind) -> f64 {
    let (n, m) = (data.rows as f64, pair::classes(data) as f64);
    match kind {
        MethodKind::None => 0.1,
        MethodKind::Temperature | MethodKind::Ets | MethodKind::Mir => n * m * 2e-4,
        MethodKind::MmceTemperature => n * m * 2e-3,
        MethodKind::Vector => n * m * 1e-3,
        MethodKind::Matrix | MethodKind::Dirichlet => n * m * m * 1e-3,
        MethodKind::Lore(_) => n * n.max(2.0).log2() * 6e-5,
        _ => n * 3e-4,
    }
}

fn unusable(kind: &MethodKind) -> Option<&'static str> {
    match kind {
        MethodKind::Lore(settings) if settings.features.is_none() => Some("features_missing"),
        _ => None,
    }
}

/// Fills in every default of the local settings.
pub fn local_settings(
    data: &Predictions,
    local: LocalOptions,
    bins: &crate::metric::binning::BinOptions,
) -> Result<LocalOptions> {
    let bins = local.bins.unwrap_or(*bins);
    bins.validated()?;
    let features = local.features.or_else(|| features::default_choice(data));
    if let Some(choice) = &features {
        features::check(data, choice)?;
    }
    let settings = LocalOptions {
        features,
        kernel: Some(local.kernel.unwrap_or_else(|| "laplacian".to_owned())),
        gamma: Some(local.gamma.unwrap_or(DEFAULT_GAMMA)),
        bins: Some(bins),
        ..local
    };
    kernel(&settings)?;
    if settings.features.is_none() {
        return Err(Error::new(
            "features_missing",
            "Local calibration needs features: columns that say which rows are near each other.",
            "Name them in local.features, or give columns the role feature.",
        ));
    }
    Ok(settings)
}

/// The kernel that local settings name.
///
/// # Errors
/// `invalid_option` for an unknown name or a bandwidth that is not a positive number.
pub fn kernel(local: &LocalOptions) -> Result<Kernel> {
    kernel_named(
        local.kernel.as_deref().unwrap_or("laplacian"),
        local.gamma.unwrap_or(DEFAULT_GAMMA),
    )
}

fn kernel_named(name: &str, gamma: f64) -> Result<Kernel> {
    if gamma.is_nan() || gamma <= 0.0 {
        return Err(Error::new(
            "invalid_option",
            format!("The bandwidth γ is {gamma}; it must be a positive number."),
            "The paper uses 0.2 on t-SNE coordinates and 0.4 on principal components.",
        ));
    }
    Ok(match name {
        "laplacian" => Kernel::Laplacian { gamma },
        "gaussian" => Kernel::Gaussian { gamma },
        "rbf" => Kernel::Rbf { gamma },
        "group" => Kernel::Group,
        "constant" => Kernel::Constant,
        other => {
            return Err(Error::new(
                "invalid_option",
                format!("No kernel is called `{other}`."),
                "Use laplacian, gaussian, rbf, group or constant.",
            ));
        }
    })
}

/// The methods of a request with checked settings; LoRe's defaults come from the local settings.
fn methods(request: &RunRequest) -> Result<Vec<Method>> {
    let asked = request.methods.clone().unwrap_or_default();
    let mut methods: Vec<Method> = Vec::with_capacity(asked.len());
    for spec in asked {
        let (id, name, parameters) = match spec {
            MethodSpec::Id(id) => (id.clone(), id, serde_json::Value::Null),
            MethodSpec::Named {
                id,
                name,
                parameters,
            } => (id.clone(), name.unwrap_or(id), parameters),
        };
        if methods.iter().any(|method| method.name == name) {
            return Err(Error::new(
                "invalid_option",
                "Two methods would stand under the same name.",
                format!("Give one of them another name than `{name}`: {{ id, name, parameters }}."),
            ));
        }
        methods.push(Method {
            kind: kind(&id, parameters, request)?,
            name,
        });
    }
    Ok(methods)
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct NoParameters {}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct HistogramParameters {
    bins: Option<crate::metric::binning::BinOptions>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct LoreParameters {
    features: Option<FeatureChoice>,
    gamma: Option<f64>,
    kernel: Option<String>,
    bins: Option<crate::metric::binning::BinOptions>,
}

fn kind(id: &str, parameters: serde_json::Value, request: &RunRequest) -> Result<MethodKind> {
    let bare = |kind: MethodKind| read::<NoParameters>(id, parameters.clone()).map(|_| kind);
    Ok(match id {
        "none" => bare(MethodKind::None)?,
        "temperature" => bare(MethodKind::Temperature)?,
        "mmce_temperature" => bare(MethodKind::MmceTemperature)?,
        "isotonic" => bare(MethodKind::Isotonic)?,
        "beta" => bare(MethodKind::Beta)?,
        "venn_abers" => bare(MethodKind::VennAbers)?,
        "ets" => bare(MethodKind::Ets)?,
        "mir" => bare(MethodKind::Mir)?,
        "vector" => bare(MethodKind::Vector)?,
        "matrix" => bare(MethodKind::Matrix)?,
        "dirichlet" => bare(MethodKind::Dirichlet)?,
        "platt" => {
            let options: PlattOptions = read(id, parameters)?;
            if !(options.ridge >= 0.0
                && options.ridge.is_finite()
                && (0.0..0.5).contains(&options.prob_clip))
            {
                return Err(Error::new(
                    "invalid_option",
                    format!(
                        "ridge is {} and prob_clip is {}.",
                        options.ridge, options.prob_clip
                    ),
                    "ridge is a number from 0, prob_clip one from 0 to less than 0.5.",
                ));
            }
            MethodKind::Platt { options }
        }
        "bbq" => MethodKind::Bbq {
            options: read(id, parameters)?,
        },
        "histogram" => {
            let bins = read::<HistogramParameters>(id, parameters)?
                .bins
                .unwrap_or(request.bins);
            MethodKind::Histogram {
                bins: bins.validated()?,
            }
        }
        "lore" => {
            let given: LoreParameters = read(id, parameters)?;
            let local = request.local.clone().unwrap_or_default();
            let kernel = kernel_named(
                given
                    .kernel
                    .or(local.kernel)
                    .as_deref()
                    .unwrap_or("laplacian"),
                given.gamma.or(local.gamma).unwrap_or(DEFAULT_GAMMA),
            )?;
            let bins = given
                .bins
                .or(local.bins)
                .unwrap_or(request.bins)
                .validated()?;
            MethodKind::Lore(LoreSettings {
                features: given.features.or(local.features),
                kernel,
                bins,
            })
        }
        other => {
            let known: Vec<&str> = METHODS.iter().map(|(id, _)| *id).collect();
            return Err(Error::new(
                "unknown_method",
                format!("No recalibration method has the id `{other}`."),
                format!("Known: {}.", known.join(", ")),
            ));
        }
    })
}

fn read<T: Default + for<'de> Deserialize<'de>>(
    id: &str,
    parameters: serde_json::Value,
) -> Result<T> {
    if parameters.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(parameters).map_err(|error| {
        Error::new(
            "invalid_option",
            format!("The parameters of `{id}` cannot be used: {error}."),
            "See the README for what each method takes.",
        )
    })
}
