//! What is taken away says what was computed: calibrators applied by hand, and exported predictions read again.

use localcal::job::Call;
use serde_json::{Value, json};

use crate::support::pipeline::{Opened, near, open};

/// Linear interpolation through (x, y), constant outside.
pub fn interpolate(x: &[f64], y: &[f64], at: f64) -> f64 {
    match x.iter().position(|&x| at <= x) {
        None => y[y.len() - 1],
        Some(0) => y[0],
        Some(k) => y[k - 1] + (y[k] - y[k - 1]) * (at - x[k - 1]) / (x[k] - x[k - 1]),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Equal but for the last bit, which this reader of JSON does not keep.
#[track_caller]
fn same(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => near(x.as_f64().unwrap(), y.as_f64().unwrap(), 1e-15),
        (Value::Array(x), Value::Array(y)) => {
            assert_eq!(x.len(), y.len());
            x.iter().zip(y).for_each(|(x, y)| same(x, y));
        }
        (Value::Object(x), Value::Object(y)) => {
            assert_eq!(x.keys().collect::<Vec<_>>(), y.keys().collect::<Vec<_>>());
            x.values().zip(y.values()).for_each(|(x, y)| same(x, y));
        }
        _ => assert_eq!(a, b),
    }
}

fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// A score after the exported calibrator, from nothing but its JSON.
fn by_hand(id: &str, fit: &Value, s: f64, place: [f64; 2]) -> f64 {
    match id {
        "temperature" => sigmoid(logit(s) / fit["temperature"].as_f64().unwrap()),
        "platt" => sigmoid(fit["a"].as_f64().unwrap() * logit(s) + fit["b"].as_f64().unwrap()),
        "isotonic" => interpolate(&numbers(&fit["x"]), &numbers(&fit["y"]), s),
        "histogram" => {
            let edges = numbers(&fit["edges"]);
            let bin = edges[1..edges.len() - 1].iter().filter(|&&edge| s >= edge).count();
            fit["values"][bin].as_f64().unwrap_or(s)
        }
        "lore" => {
            assert_eq!(fit["kernel"], "laplacian");
            let (x, gamma) = (numbers(&fit["x"]), fit["gamma"].as_f64().unwrap());
            let place = match fit.get("projection") {
                None => place.to_vec(),
                Some(projection) => {
                    let (mean, components) = (numbers(&projection["mean"]), numbers(&projection["components"]));
                    components.chunks(2).map(|c| c[0] * (place[0] - mean[0]) + c[1] * (place[1] - mean[1])).collect()
                }
            };
            let bins = fit["bins"].as_f64().unwrap();
            let bin = |s: f64| (0..bins as u32).rev().find(|&b| s >= f64::from(b) / bins).unwrap();
            let (mut above, mut below) = (0.0, 0.0);
            for (k, (s_k, t_k)) in numbers(&fit["score"]).iter().zip(numbers(&fit["target"])).enumerate() {
                if bin(*s_k) == bin(s) {
                    let d = place.len();
                    let distance: f64 = place.iter().zip(&x[k * d..]).map(|(a, b)| (a - b).abs()).sum();
                    let weight = (-distance / (d as f64 * gamma)).exp();
                    above += weight * t_k;
                    below += weight;
                }
            }
            if below > 0.0 { above / below } else { s }
        }
        other => panic!("{other}"),
    }
}

fn request() -> Value {
    json!({
        "resamples": 0, "bins": 8,
        "methods": [
            "none", "temperature", "platt", "isotonic", "histogram",
            { "id": "lore", "parameters": { "features": ["x1", "x2"], "gamma": 0.7 } },
            { "id": "lore", "name": "lore_pca", "parameters": { "features": { "pca": 2, "of": ["x1", "x2"] }, "gamma": 0.7 } },
        ],
    })
}

/// p, y and two places; whoever is far out is over-confident.
fn made(n: u32) -> (Vec<f64>, String) {
    let mut state = 12345_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut p, mut text) = (Vec::new(), String::from("p,y,x1,x2\n"));
    for _ in 0..n {
        let (s, x1, x2, u) = (uniform(), 4.0 * uniform() - 2.0, 4.0 * uniform() - 2.0, uniform());
        let y = u8::from(u < (s - 0.1 * x1).clamp(0.02, 0.98));
        p.push(s);
        text += &format!("{s},{y},{x1},{x2}\n");
    }
    (p, text)
}

#[test]
fn calibrators_applied_by_hand_give_the_scored_rows() {
    let (p, text) = made(400);
    let data = open(&text, json!({ "split": { "first": 250 }, "roles": { "x1": "feature", "x2": "feature" } }));
    let ran = data.run(request());
    let fits = data.calibrators(&ran);
    let places: Vec<[f64; 2]> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            [cells[2], cells[3]]
        })
        .collect();
    for method in ran.outcome().report.methods.iter().skip(1) {
        let rows = ran.rows(&method.name);
        assert_eq!(rows.rows.len(), 150);
        for (&row, &score) in rows.rows.iter().zip(rows.score.iter()) {
            let hand = by_hand(&method.id, &fits[&method.name], p[row as usize], places[row as usize]);
            near(hand, score, 1e-12);
        }
        if method.id != "lore" {
            // One calibration set: the report's parameters are those of the export.
            same(&method.parameters, &fits[&method.name]);
        }
    }
}

fn scores_again(data: &Opened, ran: &crate::support::pipeline::Ran, score: &str, options: &str, names: &[&str]) {
    let exported = data.export(Call::ExportPredictions { identifiers: None }, ran);
    for name in names {
        let column = if *name == "none" { score.to_owned() } else { format!("{score}_{name}") };
        let options = options.replace("COLUMN", &column);
        let header: Vec<&str> = exported.lines().next().unwrap().split(',').collect();
        let mut options: Value = serde_json::from_str(&options).unwrap();
        for other in header.iter().filter(|h| **h != column) {
            let roles = options["roles"].as_object_mut().unwrap();
            roles.entry(*other).or_insert(json!("ignore"));
        }
        let again = open(&exported, options);
        let all = again.run(json!({ "evaluate_on": "all", "resamples": 0 }));
        let (ours, theirs) = (all.rows("none"), ran.rows(name));
        assert_eq!(ours.score.as_slice(), theirs.score.as_slice(), "{name}: bits");
        assert_eq!(ours.target.as_slice(), theirs.target.as_slice(), "{name}");
        for id in ["ece", "mce", "ace", "auroc", "brier_top", "mean_gap"] {
            assert_eq!(all.value("none", id).to_bits(), ran.value(name, id).to_bits(), "{name} {id}");
        }
    }
}

#[test]
fn exported_predictions_read_back_to_the_same_bits() {
    let (_, text) = made(300);
    let names = ["none", "temperature", "platt", "isotonic", "histogram", "lore", "lore_pca"];
    let mut request = request();
    request["bins"] = json!(15);
    let positive = open(&text, json!({}));
    let options = r#"{ "roles": { "COLUMN": "probability", "label": "label" } }"#;
    scores_again(&positive, &positive.run(request.clone()), "p", options, &names);
    let top = open(&text, json!({ "view": "top_label" }));
    let options = r#"{ "roles": { "COLUMN": "confidence", "label": "label", "predicted": "predicted" } }"#;
    scores_again(&top, &top.run(request), "confidence", options, &names);
}

#[test]
fn the_exported_report_is_the_report() {
    let (_, text) = made(120);
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "resamples": 30, "local": { "features": ["x1", "x2"], "leave_one_out": true } }));
    let report: Value = serde_json::from_str(&data.export(Call::ExportReport { suppress: None }, &ran)).unwrap();
    assert_eq!(report["schema"], "localcal-report/1");
    for (id, metric) in &ran.method("none").metrics {
        same(&report["methods"][0]["metrics"][id], &serde_json::to_value(metric).unwrap());
        // of 120 rows none has twenty neighbors
        let known = report["methods"][0]["metrics"][id]["value"].is_number();
        assert!(known || id == "mlce_supported", "{id}");
    }
    assert_eq!(report["local"]["slce"].as_array().unwrap().len(), 120);
}
