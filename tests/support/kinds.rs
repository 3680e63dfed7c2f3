//! Small files of every kind of score, whole and in parts, and methods for them.

use super::draws::uniform;
use super::pipeline::{Opened, open};
use localcal::evaluation::method::alone;
use localcal::recalibrate::recalibrator::{Entry, MethodRequirement};
use serde_json::{Value, json};

/// What the file says about each row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Binary,
    Probabilities,
    Logits,
    Confidence,
}

/// Which rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part {
    /// with labels and a split column
    Whole,
    /// the scored rows alone, without either
    Scored,
}

/// 240 rows, half of which calibrate; scores are over-confident, more so in the north.
pub fn csv(kind: Kind, part: Part) -> String {
    let mut uniform = uniform(7);
    let scores = match kind {
        Kind::Binary => "prob_yes",
        Kind::Probabilities => "p_a,p_b,p_c",
        Kind::Logits => "logit_a,logit_b,logit_c",
        Kind::Confidence => "confidence",
    };
    let outcome = match kind {
        Kind::Confidence => "correct",
        _ => "label",
    };
    let mut out = match part {
        Part::Whole => format!("{scores},x1,x2,x3,site,{outcome},split\n"),
        Part::Scored => format!("{scores},x1,x2,x3,site\n"),
    };
    for i in 0..240 {
        let site = ["north", "south", "west"][i % 3];
        let heat = if site == "north" { 3.0 } else { 1.6 };
        let z: Vec<f64> = (0..3).map(|_| 4.0 * uniform() - 2.0).collect();
        let total: f64 = z.iter().map(|z| z.exp()).sum();
        let draw = uniform() * total;
        let mut class = 0;
        let mut reached = z[0].exp();
        while class < 2 && reached < draw {
            class += 1;
            reached += z[class].exp();
        }
        let hot: Vec<f64> = z.iter().map(|z| heat * z).collect();
        let sum: f64 = hot.iter().map(|z| z.exp()).sum();
        let p: Vec<f64> = hot.iter().map(|z| z.exp() / sum).collect();
        let top = (0..3).fold(0, |best, k| if p[k] > p[best] { k } else { best });
        let yes = 1.0 / (1.0 + (-heat * z[0]).exp());
        let (cells, outcome) = match kind {
            Kind::Binary => {
                let event = uniform() < 1.0 / (1.0 + (-z[0]).exp());
                (format!("{yes}"), ["no", "yes"][usize::from(event)].to_owned())
            }
            Kind::Probabilities => (format!("{},{},{}", p[0], p[1], p[2]), ["a", "b", "c"][class].to_owned()),
            Kind::Logits => (format!("{},{},{}", hot[0], hot[1], hot[2]), ["a", "b", "c"][class].to_owned()),
            Kind::Confidence => (format!("{}", p[top]), u8::from(top == class).to_string()),
        };
        let x = format!("{},{},{}", uniform(), 3.0 * uniform(), uniform() - z[0]);
        match part {
            Part::Whole => {
                let split = if i % 2 == 0 { "calibration" } else { "test" };
                out.push_str(&format!("{cells},{x},{site},{outcome},{split}\n"));
            }
            Part::Scored if i % 2 == 1 => out.push_str(&format!("{cells},{x},{site}\n")),
            Part::Scored => (),
        }
    }
    out
}

/// A file without labels: a text column could be taken for one.
pub fn unlabeled(csv: &str, view: Value) -> Opened {
    let mut roles = json!({ "site": "feature" });
    for class in ["logit_a", "logit_b", "logit_c"] {
        if csv.contains(class) {
            roles[class] = "logits".into();
        }
    }
    let mut options = json!({ "roles": roles });
    if !view.is_null() {
        options["view"] = view;
    }
    open(csv, options)
}

/// Columns of a CSV without quotes: name and cells.
pub fn columns(csv: &str) -> Vec<(String, Vec<String>)> {
    let mut lines = csv.lines();
    let header = lines.next().expect("a header").split(',');
    let mut columns: Vec<(String, Vec<String>)> = header.map(|name| (name.to_owned(), Vec::new())).collect();
    for line in lines {
        for ((_, cells), cell) in columns.iter_mut().zip(line.split(',')) {
            cells.push(cell.to_owned());
        }
    }
    columns
}

/// Every method alone, with coordinates and groups named.
pub fn methods(features: &Value) -> Vec<Value> {
    let named = |entry: &Entry| match (entry.id, entry.needs) {
        (id, MethodRequirement::Features | MethodRequirement::Proximity) => {
            json!({ "id": id, "parameters": { "features": features } })
        }
        (id @ ("multicalibration" | "proportional_multicalibration"), _) => {
            json!({ "id": id, "parameters": { "groups": "site", "min_rows": 3 } })
        }
        (id @ "slice_intercept", _) => json!({ "id": id, "parameters": { "slices": slices() } }),
        (id, MethodRequirement::Groups) => json!({ "id": id, "parameters": { "groups": "site" } }),
        (id, MethodRequirement::Nothing) => json!(id),
    };
    alone().map(named).collect()
}

/// Who is shifted, by a text and by a number; one contains part of the other.
fn slices() -> Value {
    json!([
        { "conditions": [{ "column": "site", "values": ["north"] }] },
        { "conditions": [{ "column": "x1", "from": 0.5 }] },
        { "conditions": [{ "column": "site", "values": ["north", "west"] }, { "column": "x2", "from": 0.3, "below": 1.5 }] },
    ])
}

/// Forms of methods by groups and by similar rows, on a file of any kind.
pub fn forms() -> Vec<Value> {
    let one = |id: &str, name: &str, parameters: Value| json!({ "id": id, "name": name, "parameters": parameters });
    let x = json!(["x1", "x2"]);
    let near = json!({ "features": x });
    let two = json!({ "features": x, "base": near });
    vec![
        one("lcb", "lcb concatenated", json!({ "features": x, "form": "concatenated" })),
        one("lcb", "lcb krr", json!({ "features": x, "form": "krr", "gamma": 2 })),
        one("group_temperature", "small groups", json!({ "groups": "site", "min_group": 1000 })),
        one("multicalibration", "pmcboost", json!({ "groups": "site", "compat": "pmcboost" })),
        one(
            "proportional_multicalibration",
            "right",
            json!({ "groups": "site", "min_rows": 3, "bins": { "count": 5, "closed": "right" } }),
        ),
        one("group_intercept", "fixed slope", json!({ "groups": "site", "slope": "fixed", "spread": 0.7 })),
        one("none+density_ratio", "none+density_ratio", near.clone()),
        one("isotonic+density_ratio", "crossed", json!({ "features": x, "cross_fit": true })),
        one(
            "temperature+density_ratio",
            "temperature+density_ratio",
            json!({ "features": ["x1"], "exponent": "paper" }),
        ),
        one("platt+density_ratio", "floor", json!({ "features": x, "floor": true, "form": "code", "neighbours": 3 })),
        one(
            "isotonic+bin_mean_shift",
            "isotonic+bin_mean_shift",
            json!({ "features": x, "bins": 4, "proximity_bins": 2, "distance": "cosine" }),
        ),
        one("isotonic+proximity_stratified", "isotonic+proximity_stratified", near.clone()),
        one(
            "temperature+proximity_stratified",
            "temperature+proximity_stratified",
            json!({ "features": { "pca": 1, "of": x } }),
        ),
        one(
            "group_temperature+proximity_stratified",
            "groups of near rows",
            json!({ "features": x, "groups": 2, "base": { "groups": "site", "min_group": 10 } }),
        ),
        one(
            "multicalibration+proximity_stratified",
            "cells of near rows",
            json!({ "features": x, "groups": 2, "base": { "groups": "site", "compat": "pmcboost" } }),
        ),
        one(
            "lore+proximity_stratified",
            "lore+proximity_stratified",
            json!({ "features": ["x2"], "groups": 3, "base": { "features": ["x1"] } }),
        ),
        one("lcb+bin_mean_shift", "lcb+bin_mean_shift", two.clone()),
        one("lore+density_ratio", "lore+density_ratio", two),
        one(
            "group_histogram+density_ratio",
            "group_histogram+density_ratio",
            json!({ "features": x, "base": { "groups": "site", "bins": 4 } }),
        ),
        one("isotonic+lore", "isotonic+lore", near.clone()),
        one(
            "lore_ridge",
            "lore_ridge of components",
            json!({ "features": { "pca": 1, "of": x }, "baseline": "platt", "gamma": 0.5, "kappa": 2 }),
        ),
        one("lore_ridge", "lore_ridge chosen", near.clone()),
        one("isotonic+lore_ridge", "isotonic+lore_ridge", json!({ "features": x, "baseline": "none", "kappa": 0 })),
        one("platt+beta+bin_mean_shift", "three", near.clone()),
        one("platt+temperature", "platt+temperature", Value::Null),
        one("best", "chosen", json!({ "of": [{ "id": "platt+density_ratio", "parameters": near }] })),
        one("best+bin_mean_shift", "chosen first", json!({ "features": x, "base": { "of": ["temperature"] } })),
        one(
            "best+proximity_stratified",
            "chosen by group",
            json!({ "features": x, "groups": 2, "base": { "of": ["beta"], "folds": 2 } }),
        ),
    ]
}

/// Options with which the analysis of this kind is about [`csv`] and soon through.
pub fn quick_options(analysis: &str) -> Value {
    match analysis {
        "bench" => json!({ "simulations": 20 }),
        "finding" => json!({ "methods": ["platt"] }),
        "proximity" | "proximity_sweep" | "witness" | "neighbourhoods" => json!({ "features": ["x1"] }),
        "sweep" => json!({ "features": [["x1"]], "gammas": { "low": 0.1, "high": 1.0, "count": 3 } }),
        _ => json!({}),
    }
}
