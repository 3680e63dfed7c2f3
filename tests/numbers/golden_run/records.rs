//! Every value of the golden records that a report carries.

use serde_json::{Value, json};

use crate::support::bytes::{integers, singles, zip};
use crate::support::pipeline::{Opened, Ran, csv, try_open};
use crate::support::public::public;
use crate::support::record::Record;

fn run(data: &Opened, bins: usize) -> Ran {
    data.run(json!({ "evaluate_on": "all", "bins": bins, "resamples": 0 }))
}

fn check_bins(record: &Record, pointer: &str, ran: &Ran) {
    let bins = &ran.rows("none").bins;
    let key = pointer.split('/').next().unwrap();
    let inner = &pointer[key.len()..];
    for (i, bin) in bins.iter().enumerate() {
        let at = |field: &str, value: f64| record.check(key, &format!("{inner}/{i}/{field}"), &[value]);
        at("n", bin.n as f64);
        at("mean_score", bin.mean_score);
        at("mean_target", bin.mean_target);
        at("wilson_low", bin.target_low);
        at("wilson_high", bin.target_high);
        at("bin", bin.bin as f64);
    }
}

/// The metrics of a pair, with the keys under `key` and `inner`.
fn check_pair(record: &Record, inner: Option<&str>, data: &Opened) {
    let check = |name: &str, value: f64| match inner {
        Some(key) => record.check(key, &format!("/{name}"), &[value]),
        None => record.check(name, "", &[value]),
    };
    for count in [5, 10, 15] {
        let ran = run(data, count);
        check(&format!("ece_{count}"), ran.value("none", "ece"));
        check(&format!("mce_{count}"), ran.value("none", "mce"));
        let bins = format!("bins_{count}");
        check_bins(record, &inner.map_or(bins.clone(), |key| format!("{key}/{bins}")), &ran);
        // The adaptive error of the report is ECE over quantile bins: at other counts it is `ece` with that scheme.
        let quantile = json!({ "count": count, "scheme": "equal_mass_quantile" });
        let adaptive = data.run(json!({ "evaluate_on": "all", "bins": quantile, "resamples": 0 }));
        check(&format!("ace_{count}"), adaptive.value("none", "ece"));
    }
    let ran = run(data, 15);
    check("ace_15", ran.value("none", "ace"));
    check("auroc", ran.value("none", "auroc"));
    check("brier_pair", ran.value("none", "brier_top"));
    check("mean_gap", ran.value("none", "mean_gap"));
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// Fits on every row, as exported; `suffix` names the pair in the record.
fn check_fits(record: &Record, suffix: &str, data: &Opened) {
    let ran = data.run(json!({ "resamples": 0, "methods": [
        "temperature", "platt", "isotonic",
        { "id": "platt", "name": "likelihood", "parameters": { "smoothing": false } },
        { "id": "histogram", "name": "10", "parameters": { "bins": 10 } },
        { "id": "histogram", "name": "15", "parameters": { "bins": 15 } },
    ] }));
    let fits = data.calibrators(&ran);
    record.check("temperature", "/temperature", &[fits["temperature"]["temperature"].as_f64().unwrap()]);
    for (name, key) in [("platt", "platt_smoothed"), ("likelihood", "platt_likelihood")] {
        let key = format!("{key}{suffix}");
        record.check(&key, "/a", &[fits[name]["a"].as_f64().unwrap()]);
        record.check(&key, "/b", &[fits[name]["b"].as_f64().unwrap()]);
    }
    let key = format!("isotonic{suffix}");
    record.check(&key, "/x", &numbers(&fits["isotonic"]["x"]));
    record.check(&key, "/y", &numbers(&fits["isotonic"]["y"]));
    for count in ["10", "15"] {
        let key = format!("histogram_{count}{suffix}");
        record.check(&key, "/counts", &numbers(&fits[count]["counts"]));
        record.check(&key, "/values", &numbers(&fits[count]["values"]));
    }
}

#[test]
fn binary() {
    let record = Record::read("binary");
    let text = csv(&[("p", record.input("p")), ("y", record.input("y"))]);
    let data = try_open(&[("a.csv", text.as_bytes())], json!({})).unwrap();
    check_pair(&record, None, &data);
    let ran = run(&data, 15);
    for id in ["accuracy", "nll", "brier"] {
        record.check(id, "", &[ran.value("none", id)]);
    }
    check_fits(&record, "", &data);
    let top = try_open(&[("a.csv", text.as_bytes())], json!({ "view": "top_label" })).unwrap();
    check_pair(&record, Some("top_label"), &top);
}

fn matrix_npz(record: &Record, m: usize) -> Vec<u8> {
    let (p, y) = (record.probabilities(), record.input("y"));
    let n = y.len();
    let y: Vec<i64> = y.iter().map(|y| *y as i64).collect();
    let p = crate::support::bytes::floats(&format!("({n}, {m})"), &p);
    zip(&[("probs.npy", &p), ("labels.npy", &integers(&format!("({n},)"), &y))], 8)
}

fn check_matrix(record: &Record, data: &Opened) {
    check_pair(record, None, data);
    for count in [10, 15] {
        let ran = run(data, count);
        record.check(&format!("classwise_ece_{count}"), "/mean", &[ran.value("none", "classwise_ece")]);
    }
    let ran = run(data, 15);
    for id in ["accuracy", "nll", "brier"] {
        record.check(id, "", &[ran.value("none", id)]);
    }
}

#[test]
fn digits() {
    let record = Record::read("digits");
    let data = try_open(&[("a.npz", &matrix_npz(&record, 10))], json!({})).unwrap();
    check_matrix(&record, &data);
    check_fits(&record, "_top_label", &data);
    // The same numbers from two loose arrays and from a CSV file with shuffled columns.
    let (p, y) = (record.probabilities(), record.input("y"));
    let labels: Vec<i64> = y.iter().map(|y| *y as i64).collect();
    let files = [("p.npy", crate::support::bytes::floats("(600, 10)", &p)), ("y.npy", integers("(600, 1)", &labels))];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    check_matrix(&record, &try_open(&files, json!({})).unwrap());
    let names: Vec<String> = (0..10).map(|k| format!("prob_{k}")).collect();
    let mut columns: Vec<(&str, Vec<f64>)> = [3, 9, 0, 1, 8, 7, 2, 6, 5, 4]
        .iter()
        .map(|&k| (names[k].as_str(), p.iter().skip(k).step_by(10).copied().collect()))
        .collect();
    columns.push(("label", y));
    check_matrix(&record, &try_open(&[("a.csv", csv(&columns).as_bytes())], json!({})).unwrap());
}

#[test]
fn a_hundred_classes() {
    let record = Record::read("hundred_classes");
    let data = try_open(&[("a.npz", &matrix_npz(&record, 100))], json!({})).unwrap();
    check_matrix(&record, &data);
    let fits = data.calibrators(&data.run(json!({ "resamples": 0, "methods": ["temperature"] })));
    record.check("temperature", "/temperature", &[fits["temperature"]["temperature"].as_f64().unwrap()]);
}

fn check_file(name: &'static str, ids: &[&str], data: &Opened) {
    let record = Record::read(name);
    let ran = run(data, 15);
    for id in ids {
        let key = if ["ece", "mce", "ace"].contains(id) { format!("{id}_15") } else { (*id).to_owned() };
        record.check(&key, "", &[ran.value("none", id)]);
    }
    let fits = data.calibrators(&data.run(json!({ "resamples": 0, "methods": ["temperature"] })));
    record.check("temperature", "/temperature", &[fits["temperature"]["temperature"].as_f64().unwrap()]);
}

const IDS: [&str; 8] = ["accuracy", "nll", "brier", "ece", "mce", "ace", "auroc", "mean_gap"];

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/www/sample/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn built_in_examples() {
    check_file("sample_digits", &IDS, &try_open(&[("digits.npz", &sample("digits.npz"))], json!({})).unwrap());
    let cancer = try_open(&[("breast_cancer.csv", &sample("breast_cancer.csv"))], json!({})).unwrap();
    check_file("sample_breast_cancer", &IDS, &cancer);
    let text = String::from_utf8(sample("breast_cancer.csv")).unwrap();
    let record = Record::read("sample_breast_cancer");
    for size in ["small", "medium", "large"] {
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let rows: Vec<&str> = lines.filter(|line| line.ends_with(size)).collect();
        let part = format!("{header}\n{}\n", rows.join("\n"));
        let part = try_open(&[("part.csv", part.as_bytes())], json!({ "positive": "malignant" })).unwrap();
        record.check("mean_gap_by_size", &format!("/{size}"), &[run(&part, 15).value("none", "mean_gap")]);
    }
}

#[test]
fn cifar10() {
    let Some(bytes) = public("cifar10-wideresnet-16-4.npz") else {
        return;
    };
    let record = Record::read("cifar10");
    let data = try_open(&[("cifar10.npz", &bytes)], json!({})).unwrap();
    check_file("cifar10", &IDS, &data);
    for count in [10, 15] {
        let ran = run(&data, count);
        record.check(&format!("ece_{count}"), "", &[ran.value("none", "ece")]);
        record.check(&format!("mce_{count}"), "", &[ran.value("none", "mce")]);
        record.check(&format!("classwise_ece_{count}"), "", &[ran.value("none", "classwise_ece")]);
    }
    check_bins(&record, "bins_15", &run(&data, 15));
}

/// Logits and the probabilities they stand for are the same data.
#[test]
fn logits_are_read_as_softmax() {
    let record = Record::read("digits");
    let (p, y) = (record.probabilities(), record.input("y"));
    let z: Vec<f32> = p.iter().map(|p| p.ln() as f32 + 3.0).collect();
    let labels: Vec<i64> = y.iter().map(|y| *y as i64).collect();
    let file = zip(&[("logits.npy", &singles("(600, 10)", &z)), ("labels.npy", &integers("(600,)", &labels))], 0);
    let data = try_open(&[("a.npz", &file)], json!({})).unwrap();
    let ours = run(&data, 15);
    let theirs = run(&try_open(&[("a.npz", &matrix_npz(&record, 10))], json!({})).unwrap(), 15);
    for id in ["accuracy", "nll", "brier", "ece", "mean_gap", "classwise_ece"] {
        crate::support::pipeline::near(ours.value("none", id), theirs.value("none", id), 2e-6);
    }
}
