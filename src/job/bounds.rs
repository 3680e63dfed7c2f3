//! Bounds of every number that a person or a script can give: one table, one check.
//!
//! A call is looked through as it is written, before its types are read, so that −1 repeats and 1e300 repeats are told
//! alike. What is not in the table is no number, or unknown, and left to the types. A test asks every part of the
//! program for the names of its options and refuses one that takes a number and is not here.

use serde_json::Value;

use super::Call;
use crate::analysis::{AnalysisRequest, PLACES};
use crate::data::wording::thousands;
use crate::error::{Error, Result};
use crate::evaluation::method::entry;
use crate::evaluation::proximity::MOST_NEIGHBOURS;
use crate::metric::binning::MOST_BINS;

/// From where to where a number makes sense; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// the smallest
    pub low: f64,
    /// the largest
    pub high: f64,
    /// only whole numbers do
    pub whole: bool,
}

pub(crate) const fn whole(low: u64, high: u64) -> Field {
    Field::Number(Bounds { low: low as f64, high: high as f64, whole: true })
}

pub(crate) const fn real(low: f64, high: f64) -> Field {
    Field::Number(Bounds { low, high, whole: false })
}

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field {
    /// a number, or a list of them; a word where words are allowed too
    Number(Bounds),
    /// an object, or a list of them, whose fields stand in the table under this name
    Within(&'static str),
    /// an object whose fields stand under this name, or a number in the place of the first of them
    Either(&'static str),
    /// an object with these fields
    Fields(&'static [(&'static str, Field)]),
    /// methods: ids, or ids with parameters
    Methods,
}

use Field::{Either, Methods, Within};

/// Every bandwidth and width of a kernel: squares and reciprocals stay numbers.
pub(crate) const WIDTH: Field = real(1e-100, 1e100);
/// The same where 0 says that a distance does not matter.
pub(crate) const WIDTH_OR_NONE: Field = real(0.0, 1e100);
/// Draws, permutations and resamples: at a million of them even a number a draw takes what a browser has.
pub(crate) const DRAWS: Field = whole(0, 100_000);
/// Coordinates by position.
pub(crate) const AXES: Field = whole(0, 100_000);
/// Rows, and numbers of rows.
pub(crate) const ROWS: Field = whole(0, u32::MAX as u64);
/// Figures in CSS pixels. Narrower than a few hundred they are drawn as wide as their words need.
pub(crate) const FIGURE: Field = real(1.0, 10_000.0);
/// Device pixels per CSS pixel: a screen of 3 at a zoom of 500 % has 15. Pictures are drawn with 4 at most.
pub(crate) const DPR: Field = real(0.1, 100.0);
pub(crate) const SEED: Field = Field::Number(Bounds {
    low: 0.0,
    // the last whole number that a script can write exactly is smaller, but seeds are not computed with
    high: u64::MAX as f64,
    whole: true,
});
pub(crate) const REPEATS: Field = whole(1, 100);
pub(crate) const FEATURES: Field = Within("features");
pub(crate) const BINS: Field = Either("bins");
pub(crate) const NEIGHBOURS: Field = whole(1, MOST_NEIGHBOURS as u64);
/// Confidence bins by index.
pub(crate) const BIN: Field = whole(0, MOST_BINS as u64 - 1);
/// Coordinates of a place.
pub(crate) const PLACE: Field = real(-1e300, 1e300);

/// Names of options by the place where they stand.
pub const OPTIONS: &[(&str, &[(&str, Field)])] = &[
    (
        "call",
        &[
            ("assemble", Within("opening")),
            ("recognise", Within("opening")),
            ("plan", Within("running")),
            ("plan_analysis", Within("asking")),
            ("project", Within("projecting")),
            ("view", Within("looking")),
            ("locate", Within("place")),
        ],
    ),
    ("opening", &[("options", Within("open"))]),
    ("running", &[("request", Within("run"))]),
    ("asking", &[("request", Within("analysis"))]),
    ("projecting", &[("projection", Within("projection"))]),
    ("looking", &[("request", Within("chart"))]),
    ("place", &[("x", PLACE), ("y", PLACE)]),
    ("open", &[("split", Within("split"))]),
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
    ("proximity", &[("features", FEATURES), ("neighbours", NEIGHBOURS)]),
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
    ("figure", &[("width", FIGURE)]),
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

/// Methods one after another, at most.
pub const MOST_STAGES: usize = 8;
/// How deep objects and lists of a message may lie in each other.
pub const DEEPEST: usize = 64;

/// The fields of a place.
pub fn fields(place: &str) -> &'static [(&'static str, Field)] {
    if let Some(kind) = place.strip_prefix("analysis ") {
        return AnalysisRequest::bounds(kind);
    }
    if let Some(id) = place.strip_prefix("method ") {
        return entry(id).map_or(&[], |entry| entry.bounds);
    }
    let found = OPTIONS.iter().find(|(name, _)| *name == place);
    found.map_or(&[], |(_, fields)| fields)
}

/// Refuses a call whose types are read already if a number lies out of its bounds.
///
/// # Errors
/// `invalid_option`.
pub(super) fn check(call: &Call) -> Result<()> {
    // What the others carry is checked where it is read, and may be long.
    if !matches!(
        call,
        Call::Assemble { .. }
            | Call::Recognise { .. }
            | Call::Plan { .. }
            | Call::PlanAnalysis { .. }
            | Call::Project { .. }
            | Call::View { .. }
    ) {
        return Ok(());
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

/// Refuses a value whose parts lie deeper in each other than anything that is read here.
///
/// # Errors
/// `invalid_option`.
pub(crate) fn check_depth(value: &Value) -> Result<()> {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(too_deep());
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|item| (item, depth + 1))),
            _ => (),
        }
    }
    Ok(())
}

/// What is said of a message that lies too deep in itself.
pub fn too_deep() -> Error {
    Error::new(
        "invalid_option",
        format!("Objects and lists lie more than {DEEPEST} deep in each other."),
        "Give the object itself, not one within many others.",
    )
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
    within(parameters, fields(&format!("method {last}")))?;
    match parameters.get_mut("base") {
        Some(base) if !first.is_empty() => of_method(first, base),
        _ => Ok(()),
    }
}

/// Refuses an id of more methods one after another than make sense.
///
/// # Errors
/// `invalid_option`.
pub(crate) fn check_stages(id: &str) -> Result<()> {
    let stages = id.split('+').count();
    if stages <= MOST_STAGES {
        return Ok(());
    }
    Err(Error::new(
        "invalid_option",
        format!("{} methods one after another were asked for; {MOST_STAGES} at most are.", thousands(stages)),
        "Two are usual: what the second mends, the third seldom does.",
    ))
}

impl Bounds {
    /// Refuses a number out of bounds, or one that is none.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self, name: &str, x: f64) -> Result<()> {
        let inside = (self.low..=self.high).contains(&x);
        if inside && !(self.whole && x.fract() != 0.0) {
            return Ok(());
        }
        Err(Error::new(
            "invalid_option",
            format!("{name} is {}; it must be {}.", written(x), self.words()),
            "Leave it out for what is usual, where it may be left out.",
        ))
    }

    /// "a whole number from 0 to 100,000".
    pub fn words(&self) -> String {
        let kind = if self.whole { "whole number" } else { "number" };
        format!("a {kind} from {} to {}", written(self.low), written(self.high))
    }
}

/// A number as a person writes it.
fn written(x: f64) -> String {
    if x.is_nan() {
        return "no number".to_owned();
    }
    if x.fract() == 0.0 && (0.0..1e15).contains(&x) {
        return thousands(x as usize);
    }
    if (1e-4..1e6).contains(&x.abs()) {
        return x.to_string();
    }
    let short = format!("{x:.2e}");
    short.replace(".00e", "e").replace("0e", "e")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(call: Value) -> String {
        let mut call = call;
        check_written(&mut call).map_or_else(|error| error.to_string(), |()| call.to_string())
    }

    #[test]
    fn every_number_is_told_with_its_bounds() {
        let run = |options: Value| told(json!({ "plan": { "request": options } }));
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
    fn what_lies_too_deep_is_refused() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(check_depth(&nested(DEEPEST - 1)).is_ok());
        let error = check_depth(&nested(3000)).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        let long = ["none"].into_iter().chain(["platt"; 10_000]).collect::<Vec<_>>();
        let told = told(json!({ "plan": { "request": { "methods": [long.join("+")] } } }));
        assert_eq!(told, "10,001 methods one after another were asked for; 8 at most are.");
    }
}
