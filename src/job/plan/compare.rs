//! The jobs of a comparison: for each repeat, divide, fit and score every method, then paired replicates in parts.

use super::cost::{fit_cost, parts, ranges};
use super::{Plan, unusable};
use crate::data::{Division, Predictions};
use crate::error::{Error, Result};
use crate::evaluation::comparison::{COMPARED, repeats_of};
use crate::evaluation::method::{Method, MethodKind};
use crate::evaluation::pair;
use crate::evaluation::resample::{default_resamples, needs_vectors};
use crate::job::request::CompareRequest;
use crate::job::{Job, Node};
use crate::report::RunOutcome;
use crate::report::catalogue;
use crate::report::compare::CompareInputs;
use crate::report::view::method_rows;

/// Metrics by default: two proper scores and the error that the papers report.
const METRICS: [&str; 3] = ["nll", "brier", "ece"];
/// Repeats at most: each fits every method again.
const MOST_REPEATS: usize = 100;
/// Milliseconds that the replicates of all methods may take.
const DRAWS_MS: f64 = 20_000.0;
/// And how many there are at least.
const LEAST: usize = 200;
/// The column that is looked for where none is named.
const SEED_COLUMN: &str = "seed";

/// The jobs, ending in the comparison.
///
/// # Errors
/// `unknown_method`, `unknown_metric`, `unknown_column`; `invalid_option` for a metric that cannot be compared, and for
/// repeats that the file leaves no room for.
pub(super) fn plan(
    data: &Predictions,
    run: &RunOutcome,
    request: &CompareRequest,
) -> Result<Vec<Node>> {
    let settings = &run.report.settings;
    let mut request = request.clone();
    let metrics = checked_metrics(request.metrics.take())?;
    let seed = *request.seed.get_or_insert(settings.seed);
    let methods = chosen(run, request.methods.as_deref())?;
    let repeats = repeats(data, &mut request)?;
    let count = repeats.len();
    request.metrics = Some(metrics.clone());
    request.methods = Some(methods.iter().map(|m| m.name.clone()).collect());

    let n = data.rows as f64;
    let folds = match data.division {
        Division::Folds { folds } => folds,
        _ => 1,
    };
    // The bootstrap takes about half of what bootstrap and floor take together in a run.
    let classwise = needs_vectors(data) && metrics.iter().any(|id| id == "classwise_ece");
    let m = if classwise {
        pair::classes(data) as f64
    } else {
        0.0
    };
    let per_draw = n * (6e-6 + 1.5e-6 * m);
    let affordable = DRAWS_MS / (per_draw * (count * methods.len()) as f64).max(1e-9);
    let usual = default_resamples(data.rows).min((affordable as usize).max(LEAST));
    let resamples = *request.resamples.get_or_insert(usual);
    if resamples > 100_000 {
        return Err(Error::new(
            "invalid_option",
            format!("{resamples} resamples were asked for."),
            "Ask for 0 to 100,000; 1,000 is usual.",
        ));
    }
    let (draw_parts, draw_cost) = parts(resamples, per_draw);

    let mut nodes = Plan::after(2);
    let mut needs = vec![0, 1];
    for (r, name) in repeats.iter().enumerate() {
        let job = match &request.by {
            Some(column) => Job::SplitOfRepeat {
                column: column.clone(),
                repeat: r,
                seed,
            },
            None => Job::Split {
                seed: seed.wrapping_add(r as u64),
                everything: false,
            },
        };
        let split = nodes.push(job, &[0], n * 5e-5, "dividing the rows");
        for method in &methods {
            let mut score_needs = vec![0, split];
            if method.kind != MethodKind::None {
                for fold in 0..folds {
                    let job = Job::Fit {
                        method: method.clone(),
                        fold,
                    };
                    let label = format!("fitting {}{name}", method.name);
                    let cost = fit_cost(data, &method.kind);
                    score_needs.push(nodes.push(job, &[0, split], cost, &label));
                }
            }
            let job = Job::Score {
                bins: settings.bins,
                metrics: Default::default(),
                groups: Vec::new(),
            };
            let label = format!("scoring {}{name}", method.name);
            let scored = nodes.push(job, &score_needs, n * 3e-4, &label);
            for (first, last) in ranges(resamples, draw_parts.max(1)) {
                let job = Job::Draw {
                    bins: settings.bins,
                    metrics: metrics.clone(),
                    seed,
                    first,
                    last,
                };
                let label = format!("intervals of {}{name}", method.name);
                needs.push(nodes.push(job, &[0, split, scored], draw_cost, &label));
            }
        }
    }
    let inputs = CompareInputs {
        methods,
        repeats: count,
        parts: draw_parts.max(1),
    };
    let cost = (resamples * count) as f64 * 1e-3;
    nodes.push(Job::Compare { request, inputs }, &needs, cost, "comparing");
    Ok(nodes.nodes)
}

fn checked_metrics(asked: Option<Vec<String>>) -> Result<Vec<String>> {
    let usual = || METRICS.map(str::to_owned).to_vec();
    let asked = asked.filter(|asked| !asked.is_empty());
    let mut metrics: Vec<String> = Vec::new();
    for id in asked.unwrap_or_else(usual) {
        if !COMPARED.contains(&id.as_str()) {
            catalogue::requested(Some(std::slice::from_ref(&id)))?;
            return Err(Error::new(
                "invalid_option",
                format!("Methods are not compared by `{id}`."),
                format!("Compared are: {}.", COMPARED.join(", ")),
            ));
        }
        if !metrics.contains(&id) {
            metrics.push(id);
        }
    }
    Ok(metrics)
}

/// The methods of the run that were asked for, `none` first.
fn chosen(run: &RunOutcome, names: Option<&[String]>) -> Result<Vec<Method>> {
    let mut methods = vec![Method {
        name: "none".to_owned(),
        kind: MethodKind::None,
    }];
    let asked: Vec<Method> = match names {
        Some(names) => names
            .iter()
            .filter(|name| *name != "none")
            .map(|name| method_rows(run, Some(name)).map(|rows| rows.method.clone()))
            .collect::<Result<_>>()?,
        None => run.rows.iter().map(|rows| rows.method.clone()).collect(),
    };
    for method in asked {
        let known = methods.iter().any(|other| other.name == method.name);
        if method.kind != MethodKind::None && !known && unusable(&method.kind).is_none() {
            methods.push(method);
        }
    }
    if methods.len() == 1 {
        return Err(Error::new(
            "unknown_method",
            "The last run holds 0 methods to compare with `none`.",
            "Run some first: methods: [\"none\", \"temperature\", \"platt\"].",
        ));
    }
    Ok(methods)
}

/// What each repeat adds to the label of its jobs; fills in the column that names them.
fn repeats(data: &Predictions, request: &mut CompareRequest) -> Result<Vec<String>> {
    let given = matches!(data.division, Division::Given { .. });
    if request.by.is_none() && given && request.repeats.is_none() {
        let seeds = repeats_of(data, SEED_COLUMN);
        request.by = seeds.is_ok().then(|| SEED_COLUMN.to_owned());
    }
    if let Some(column) = &request.by {
        let names = repeats_of(data, column)?;
        if request.repeats.is_some_and(|count| count != names.len()) {
            return Err(Error::new(
                "invalid_option",
                format!(
                    "{} repeats were asked for, and the column that names them has {} values.",
                    request.repeats.unwrap_or(0),
                    names.len()
                ),
                "Leave `repeats` out, or `by`.",
            ));
        }
        request.repeats = Some(names.len());
        let label = |name: String| format!(", {column} {name}");
        return Ok(names.into_iter().map(label).collect());
    }
    let count = *request.repeats.get_or_insert(1);
    if !(1..=MOST_REPEATS).contains(&count) {
        return Err(Error::new(
            "invalid_option",
            format!("{count} repeats were asked for."),
            "Ask for 1 to 100; 5 is usual.",
        ));
    }
    if given && count > 1 {
        return Err(Error::new(
            "invalid_option",
            format!("{count} repeats were asked for, and the file says which rows calibrate."),
            "Ask for 1, name a column of repeats in `by`, or open the data with split: { folds: 5 } or { half: true }.",
        ));
    }
    Ok((1..=count)
        .map(|r| match count {
            1 => String::new(),
            _ => format!(", repeat {r} of {count}"),
        })
        .collect())
}
