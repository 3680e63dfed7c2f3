//! Bounds of every number that a person or a script can give: one table, one check.
//!
//! A call is looked through as it is written, before its types are read, so that −1 repeats and 1e300 repeats are told
//! alike. What is not in the table is no number, or unknown, and left to the types. A test asks every part of the
//! program for the names of its options and refuses one that takes a number and is not here.

use serde_json::Value;

use super::Call;
use crate::analysis::{AnalysisRequest, PLACES};
use crate::catalogue::DescribedBounds;
use crate::error::Result;
use crate::evaluation::klce::DRAWS as DRAWS_OF_KLCE;
use crate::evaluation::method::entry;
use crate::feature::proximity::{NEIGHBOR_BOUNDS, NEIGHBORS};
use crate::hypothesis::WIDTH_P;
use crate::metric::binning::{BinOptions, MOST_BINS};
use crate::project::DEFAULT_GAMMA;
use crate::project::tsne::{DIMENSIONS, ITERATIONS, PERPLEXITY};
use crate::recalibrate::recalibrator::Entry;
use crate::request::bounds::Field::{self, Either, Methods, Within};
use crate::request::bounds::{
    AXES, BIN, BINS, Bounds, DPR, DRAWS, FEATURES, FIGURE, LEAST, PLACE, SEED, WIDTH, WIDTH_OR_NONE, check_stages,
    real, whole,
};

/// Names of options by the place where they stand.
pub const OPTIONS: &[(&str, &[(&str, Field)])] = &[
    (
        "call",
        &[
            ("read", Within("reading")),
            ("assemble", Within("opening")),
            ("recognize", Within("opening")),
            ("plan", Within("running")),
            ("plan_analysis", Within("asking")),
            ("plan_withheld", Within("asking")),
            ("project", Within("projecting")),
            ("view", Within("looking")),
            ("locate", Within("place")),
            ("merge_counts", Within("report")),
            ("export_report", Within("report")),
            ("export_calibrator", Within("report")),
            ("export_session", Within("report")),
            ("export_table", Within("report")),
            ("plan_experiment", Within("experimenting")),
            ("conclude_experiment", Within("experimenting")),
            ("export_experiment", Within("experimenting")),
            ("lab", Within("teaching")),
        ],
    ),
    ("teaching", &[("request", Within("lab"))]),
    ("lab", crate::lab::BOUNDS),
    // up to the last whole number that a double holds
    ("reading", &[("most", whole(1, 1 << 53))]),
    ("opening", &[("options", Within("open"))]),
    ("running", &[("request", Within("run"))]),
    ("asking", &[("request", Within("analysis")), ("suppress", LEAST)]),
    ("projecting", &[("projection", Within("projection"))]),
    ("looking", &[("request", Within("chart"))]),
    ("report", &[("suppress", LEAST)]),
    ("place", &[("x", PLACE), ("y", PLACE)]),
    ("experimenting", &[("spec", Within("experiment")), ("width", FIGURE), ("suppress", LEAST)]),
    (
        "experiment",
        &[
            ("methods", Methods),
            ("spaces", Within("space")),
            ("divisions", Within("divisions")),
            ("bins", BINS),
            ("seed", SEED),
        ],
    ),
    (
        "space",
        &[
            ("features", FEATURES),
            ("project", Within("projection")),
            ("gamma", WIDTH),
            ("bins", BINS),
            ("neighbours", NEIGHBOR_BOUNDS),
            ("width_p", WIDTH),
            ("trust_gamma", WIDTH_OR_NONE),
            ("resamples", DRAWS),
        ],
    ),
    ("divisions", &[("seeds", SEED), ("folds", whole(2, 100))]),
    ("open", &[("split", Within("split")), ("only", Within("condition"))]),
    ("condition", &[("from", PLACE), ("below", PLACE), ("to", PLACE)]),
    ("split", &[("folds", whole(2, 250)), ("first", whole(1, u32::MAX as u64))]),
    (
        "features",
        // more components than coordinates are as many as there are
        &[("pca", whole(1, 100_000))],
    ),
    ("bins", &[("count", whole(1, MOST_BINS as u64))]),
    (
        "run",
        &[
            ("methods", Methods),
            ("bins", BINS),
            ("local", Within("local")),
            ("klce", Within("klce")),
            ("proximity", Within("proximity")),
            ("resamples", DRAWS),
            ("seed", SEED),
        ],
    ),
    ("local", &[("features", FEATURES), ("gamma", WIDTH), ("bins", BINS), ("resamples", DRAWS)]),
    ("klce", &[("features", FEATURES), ("width_p", WIDTH), ("gamma", WIDTH_OR_NONE), ("resamples", DRAWS)]),
    ("proximity", &[("features", FEATURES), ("neighbours", NEIGHBOR_BOUNDS)]),
    ("projection", &[("pca", whole(1, 100_000)), ("tsne", Within("tsne"))]),
    (
        "tsne",
        &[
            ("dimensions", whole(2, 3)),
            ("perplexity", real(1.0, 1e6)),
            ("seed", SEED),
            ("iterations", whole(1, 100_000)),
        ],
    ),
    ("chart", &[("reliability", Within("figure")), ("map", Within("map")), ("cdf", Within("map"))]),
    ("figure", &[("width", FIGURE), ("suppress", LEAST)]),
    (
        "map",
        &[
            ("features", FEATURES),
            ("axes", AXES),
            ("window", PLACE),
            ("gamma", WIDTH),
            ("bin", BIN),
            ("bins", BINS),
            ("width", FIGURE),
            ("companion_width", FIGURE),
            ("dpr", DPR),
        ],
    ),
    ("analysis", PLACES),
];

/// Bounds of every number that the table names, with the place where it stands and its name there. Those of analyses
/// are with the analyses.
pub fn bounds() -> Vec<DescribedBounds> {
    let mut all = Vec::new();
    for (place, fields) in OPTIONS {
        for (name, field) in *fields {
            if let Field::Number(Bounds { low, high, whole }) = *field {
                all.push(DescribedBounds { place, name, low, high, whole, usual: usual(place, name) });
            }
        }
    }
    all
}

/// The default of a number, where neither the data nor other settings decide it.
fn usual(place: &str, name: &str) -> Option<f64> {
    match (place, name) {
        ("bins", "count") => Some(BinOptions::default().count as f64),
        ("local" | "space", "gamma") => Some(DEFAULT_GAMMA),
        ("klce" | "space", "width_p") => Some(WIDTH_P),
        ("klce" | "space", "resamples") => Some(DRAWS_OF_KLCE as f64),
        ("proximity" | "space", "neighbours") => Some(NEIGHBORS as f64),
        // or fewer of few rows
        ("tsne", "perplexity") => Some(PERPLEXITY),
        ("tsne", "dimensions") => Some(DIMENSIONS as f64),
        ("tsne", "iterations") => Some(ITERATIONS as f64),
        ("run" | "tsne" | "experiment", "seed") => Some(0.0),
        _ => None,
    }
}

/// The fields of a place.
pub fn fields(place: &str) -> &'static [(&'static str, Field)] {
    if let Some(kind) = place.strip_prefix("analysis ") {
        return AnalysisRequest::bounds(kind);
    }
    let found = OPTIONS.iter().find(|(name, _)| *name == place);
    found.map_or(&[], |(_, fields)| fields)
}

/// Refuses a call whose types are read already if a number lies out of its bounds.
///
/// # Errors
/// `invalid_option`.
pub(super) fn check(call: &Call) -> Result<()> {
    match call {
        Call::Assemble { .. }
        | Call::Recognize { .. }
        | Call::Plan { .. }
        | Call::PlanAnalysis { .. }
        | Call::PlanWithheld { .. }
        | Call::PlanExperiment { .. }
        | Call::Project { .. }
        | Call::View { .. } => {}
        // what these carry is checked where it is read, and may be long; a new call has to say which
        Call::Describe {}
        | Call::Unpack { .. }
        | Call::Read { .. }
        | Call::CountStatement { .. }
        | Call::MergeCounts { .. }
        | Call::Lab { .. }
        | Call::Example { .. }
        | Call::Papers {}
        | Call::ConcludeExperiment { .. }
        | Call::ExportExperiment { .. }
        | Call::Locate { .. }
        | Call::About { .. }
        | Call::ExportPredictions { .. }
        | Call::ExportCalibrator { .. }
        | Call::ExportApplied { .. }
        | Call::ExportSnippet { .. }
        | Call::ExportReport { .. }
        | Call::ExportSession { .. }
        | Call::ExportCoordinates { .. }
        | Call::ExportTable(_) => return Ok(()),
    }
    match serde_json::to_value(call) {
        Ok(mut value) => check_written(&mut value),
        Err(_) => Ok(()),
    }
}

/// Refuses a call as it is written if a number lies out of its bounds; whole numbers that are written as 5.0 become 5.
///
/// # Errors
/// `invalid_option` with the name of the option, its value and its bounds, or for methods that hold too many others.
pub(super) fn check_written(call: &mut Value) -> Result<()> {
    within(call, fields("call"))
}

fn within(value: &mut Value, fields: &[(&'static str, Field)]) -> Result<()> {
    match value {
        Value::Object(given) => fields.iter().try_for_each(|(name, field)| match given.get_mut(*name) {
            Some(value) => one(value, name, *field),
            None => Ok(()),
        }),
        Value::Array(items) => items.iter_mut().try_for_each(|item| within(item, fields)),
        _ => Ok(()),
    }
}

fn one(value: &mut Value, name: &str, field: Field) -> Result<()> {
    match field {
        Field::Number(bounds) => number(value, name, bounds),
        Within(place) => within(value, fields(place)),
        Field::Fields(fields) => within(value, fields),
        Either(place) => match (&value, fields(place).first()) {
            (Value::Number(_), Some((_, Field::Number(bounds)))) => number(value, name, *bounds),
            _ => within(value, fields(place)),
        },
        Methods => match value {
            Value::Array(items) => items.iter_mut().try_for_each(method),
            _ => Ok(()),
        },
    }
}

fn number(value: &mut Value, name: &str, bounds: Bounds) -> Result<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(|item| number(item, name, bounds)),
        Value::Number(given) => {
            let x = given.as_f64().unwrap_or(f64::NAN);
            bounds.check(name, x)?;
            if bounds.whole && given.is_f64() {
                *value = (x as u64).into();
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// An id, or an id with parameters: those of the last method, with those of the methods before it under `base`.
fn method(spec: &mut Value) -> Result<()> {
    match spec {
        Value::String(id) => check_stages(id),
        Value::Object(fields) => {
            let id = fields.get("id").and_then(Value::as_str).unwrap_or_default();
            let id = id.to_owned();
            check_stages(&id)?;
            match fields.get_mut("parameters") {
                Some(parameters) => of_method(&id, parameters),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn of_method(id: &str, parameters: &mut Value) -> Result<()> {
    let (first, last) = id.rsplit_once('+').unwrap_or(("", id));
    let bounds: Vec<_> = entry(last).into_iter().flat_map(Entry::bounds).collect();
    within(parameters, &bounds)?;
    match parameters.get_mut("base") {
        Some(base) if !first.is_empty() => of_method(first, base),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::request::bounds::{DEEPEST, check_depth};
    use serde_json::json;

    fn checked(call: Value) -> String {
        let mut call = call;
        check_written(&mut call).map_or_else(|error| error.to_string(), |()| call.to_string())
    }

    #[test]
    fn every_number_is_told_with_its_bounds() {
        let run = |options: Value| checked(json!({ "plan": { "request": options } }));
        assert_eq!(run(json!({ "resamples": -1 })), "resamples is -1; it must be a whole number from 0 to 100,000.");
        assert_eq!(
            run(json!({ "resamples": 1e300 })),
            "resamples is 1e300; it must be a whole number from 0 to 100,000."
        );
        assert_eq!(
            run(json!({ "local": { "gamma": 5e-324 } })),
            "gamma is 4.94e-324; it must be a number from 1e-100 to 1e100."
        );
        assert_eq!(
            run(json!({ "bins": { "count": 1.5 } })),
            "count is 1.5; it must be a whole number from 1 to 1,000."
        );
        assert_eq!(run(json!({ "bins": 0 })), "bins is 0; it must be a whole number from 1 to 1,000.");
        let platt = json!({ "base": { "prob_clip": 0 } });
        assert_eq!(
            run(json!({ "methods": ["none", { "id": "platt+isotonic", "parameters": platt }] })),
            "prob_clip is 0; it must be a number from 2.22e-16 to 0.499."
        );
        let best = json!({ "of": [{ "id": "bbq", "parameters": { "range": [1, 1e9] } }] });
        assert_eq!(
            run(json!({ "methods": [{ "id": "best", "parameters": best }] })),
            "range is 1,000,000,000; it must be a whole number from 1 to 1,000."
        );
        // What is inside, and what is no number, stays; 5.0 is the whole number 5.
        let fine = json!({ "seed": u64::MAX, "klce": { "gamma": "median" }, "local": { "resamples": 5.0 } });
        assert!(run(fine).contains("\"resamples\":5}"));
    }

    #[test]
    fn what_is_listed_is_what_is_checked() {
        let all = bounds();
        let of = |place: &str, name: &str| {
            let found: Vec<_> = all.iter().filter(|one| one.place == place && one.name == name).collect();
            assert_eq!(found.len(), 1, "{place} {name}");
            (found[0].low, found[0].high, found[0].whole)
        };
        assert_eq!(of("bins", "count"), (1.0, 1000.0, true));
        assert_eq!(of("divisions", "folds"), (2.0, 100.0, true));
        assert_eq!(of("split", "folds"), (2.0, 250.0, true));
        assert_eq!(of("local", "gamma"), (1e-100, 1e100, false));
        for one in all.iter().filter(|one| one.usual.is_some()) {
            let mut default = json!({ (one.name): one.usual });
            assert!(within(&mut default, fields(one.place)).is_ok(), "{} {}", one.place, one.name);
        }
        let usual = |place: &str, name: &str| all.iter().find(|one| one.place == place && one.name == name)?.usual;
        assert_eq!(usual("bins", "count"), Some(15.0));
        assert_eq!(usual("proximity", "neighbours"), Some(10.0));
        // as many as the rows allow
        assert_eq!(usual("run", "resamples"), None);
        for one in &all {
            let mut beyond = json!({ (one.name): one.low - 1.0 - one.low.abs() });
            assert!(within(&mut beyond, fields(one.place)).is_err(), "{} {}", one.place, one.name);
        }
    }

    #[test]
    fn what_lies_too_deep_is_refused() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(check_depth(&nested(DEEPEST - 1)).is_ok());
        let error = check_depth(&nested(300)).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        let long = ["none"].into_iter().chain(["platt"; 10_000]).collect::<Vec<_>>();
        let told = checked(json!({ "plan": { "request": { "methods": [long.join("+")] } } }));
        assert_eq!(told, "10,001 methods in sequence were requested; at most 8 are supported.");
    }
}
