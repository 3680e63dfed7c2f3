//! Everything that the program knows occurs in a request. What it knows is what it says itself when it is asked for
//! something unknown.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::play::{Case, folder, played};
use crate::player::codes;

/// Codes that no request can bring about here, and why.
const NOT_HERE: &[(&str, &str)] = &[
    ("cancelled", "JavaScript tells it"),
    ("closed", "JavaScript tells it"),
    ("internal", "a bug in the program, which no request may cause"),
    ("memory", "JavaScript tells it"),
    ("panic", "JavaScript tells it"),
    ("unsupported_browser", "JavaScript tells it"),
    ("worker_lost", "JavaScript tells it"),
    ("not_drawn", "a canvas of a browser tells it"),
    ("too_large", "takes files of gigabytes"),
];
/// Analyses whose answers hold no figure.
const WITHOUT_FIGURES: &[&str] = &["region", "region_rows", "neighbourhoods", "libraries", "compare", "document"];
/// Methods whose formula stands nowhere else, so that there are no lines for another language.
const WITHOUT_LINES: &[&str] = &["none"];

pub fn check(cases: &[Case]) {
    let asked = Coverage::of(cases);
    let mut missing = Vec::new();
    let mut all = |what: &str, known: &[String], asked: &BTreeSet<String>| {
        assert!(known.len() > 1, "what {what} there are is not known: {known:?}");
        let absent = known.iter().filter(|id| !asked.contains(*id));
        missing.extend(absent.map(|id| format!("{what} {id}")));
    };
    let metrics = named(&said(json!({ "run": { "metrics": ["?"] } })), "hint", "Available: ", ".");
    all("metric", &metrics, &asked.metrics);
    let methods = said(json!({ "run": { "methods": ["?"] } }));
    let alone = named(&methods, "hint", "Available: ", "; and");
    let after = named(&methods, "hint", "none+density_ratio: ", ".");
    all("method", &alone, &asked.alone);
    all("method after another", &after, &asked.second);
    let bases: Vec<String> = alone.iter().filter(|id| *id != "best").cloned().collect();
    all("method before another", &bases, &asked.first);
    let with_lines: Vec<String> = alone.iter().filter(|id| !WITHOUT_LINES.contains(&id.as_str())).cloned().collect();
    all("lines for other languages of", &with_lines, &asked.snippets);
    let analyses = quoted(&said(json!({ "analyse": { "?": {} } })));
    let charts = quoted(&said(json!({ "view": { "chart": "?" } })));
    all("analysis", &analyses, &asked.analyses);
    all("chart", &charts, &asked.charts);
    let drawn = analyses.iter().chain(&charts).filter(|kind| !WITHOUT_FIGURES.contains(&kind.as_str()));
    all("picture of", &drawn.cloned().collect::<Vec<_>>(), &asked.drawn);
    let calls = quoted(&said(json!({ "export": { "kind": "?" } })));
    let exports: Vec<String> =
        calls.iter().filter_map(|call| call.strip_prefix("export_")).map(str::to_owned).collect();
    all("export", &exports, &asked.exports);
    let told: Vec<String> =
        codes().into_iter().filter(|code| NOT_HERE.iter().all(|(not, _)| not != code)).map(str::to_owned).collect();
    all("code", &told, &answered("code"));
    let reasons = answered("reason");
    all("reason", &["features_missing", "groups_missing"].map(str::to_owned), &reasons);
    assert!(missing.is_empty(), "nothing asks for: {}", missing.join(", "));
}

/// What is asked for, by kind.
#[derive(Default)]
struct Coverage {
    metrics: BTreeSet<String>,
    alone: BTreeSet<String>,
    first: BTreeSet<String>,
    second: BTreeSet<String>,
    analyses: BTreeSet<String>,
    charts: BTreeSet<String>,
    drawn: BTreeSet<String>,
    exports: BTreeSet<String>,
    snippets: BTreeSet<String>,
}

impl Coverage {
    fn of(cases: &[Case]) -> Self {
        let mut asked = Coverage::default();
        for case in cases {
            asked.run(case.run.as_ref());
            for step in &case.steps {
                asked.run(step.get("run"));
                let kind = |name: &str, field: &str| step.get(name)?[field].as_str().map(str::to_owned);
                let analysis = || Some(step.get("analyse")?.as_object()?.keys().next()?.clone());
                if step.contains_key("pictures") {
                    asked.drawn.extend(kind("view", "chart").or_else(analysis));
                }
                asked.analyses.extend(analysis());
                asked.charts.extend(kind("view", "chart"));
                asked.exports.extend(kind("export", "kind"));
                asked.exports.extend(step.get("apply").map(|_| "applied".to_owned()));
                let snippets = step.get("snippets").and_then(Value::as_array);
                asked.exports.extend(snippets.map(|_| "snippet".to_owned()));
                asked.snippets.extend(snippets.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            }
        }
        asked
    }

    fn run(&mut self, request: Option<&Value>) {
        let Some(request) = request else { return };
        let texts = |field: &str| request[field].as_array().cloned().unwrap_or_default();
        self.metrics.extend(texts("metrics").iter().filter_map(Value::as_str).map(str::to_owned));
        for method in texts("methods") {
            let id = method.as_str().or(method["id"].as_str()).unwrap_or_default();
            match id.split_once('+') {
                None => self.alone.insert(id.to_owned()),
                Some((first, then)) => {
                    self.first.insert(first.to_owned());
                    self.second.insert(then.to_owned())
                }
            };
        }
    }
}

/// The error of one step on a small file.
fn said(step: Value) -> Value {
    let case = json!({ "name": "unknown", "files": ["tied.csv"], "run": { "resamples": 0 }, "steps": [step] });
    let answer = played(&serde_json::from_value(case).expect("a case")).answer;
    answer[0]["error"].clone()
}

/// The ids that stand between two texts, with commas.
fn named(error: &Value, field: &str, from: &str, to: &str) -> Vec<String> {
    let text = error[field].as_str().unwrap_or_default();
    let list = text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map_or("", |(list, _)| list);
    list.split(", ").map(|id| id.trim_matches('`').to_owned()).collect()
}

/// The names between backticks of "expected one of …".
fn quoted(error: &Value) -> Vec<String> {
    let text = error["message"].as_str().unwrap_or_default();
    let list = text.split_once("expected").map_or("", |(_, list)| list);
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every text under a name in the recorded answers.
fn answered(name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for theme in fs::read_dir(folder().join("answers")).expect("answers").flatten() {
        for file in fs::read_dir(theme.path()).expect("answers").flatten() {
            let text = fs::read_to_string(file.path()).expect("an answer");
            under(name, &serde_json::from_str(&text).expect("JSON"), &mut found);
        }
    }
    found
}

fn under(name: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get(name).and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| under(name, field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| under(name, item, found)),
        _ => (),
    }
}
