//! Experiments: one object in, cells and tables out; what is there is not done again.

use serde_json::{Value, json};

use crate::made::Folder;

const SPEC: &str = r#"{
  "title": "repairs", "methods": ["none", "platt", { "id": "lore", "name": "LoRe", "space": "both" }],
  "spaces": [{ "name": "both", "project": { "of": ["age"], "scale": "standardise" }, "gamma": 0.5, "bins": 5 }],
  "metrics": ["nll", "mean_lce", "fit_seconds"], "divisions": { "seeds": 3 }
}"#;

/// Cells without what no two runs share: how long they took.
fn numbers(file: &Value) -> Vec<Value> {
    let cells = file["cells"].as_array().unwrap().iter();
    let timeless = cells.filter(|cell| cell["metric"] != "fit_seconds").cloned();
    timeless
        .map(|mut cell| {
            cell["seconds"] = Value::Null;
            cell
        })
        .collect()
}

#[test]
fn an_experiment_is_one_object() {
    let folder = Folder::with_patients();
    folder.put("spec.json", SPEC);
    folder.run("experiment spec.json patients.csv --positive ill --out done.json").done();
    let done: Value = serde_json::from_str(&folder.text("done.json")).unwrap();
    assert_eq!(done["schema"], "localcal-experiment/1");
    assert_eq!(done["cells"].as_array().unwrap().len(), 3 * 3 * 3);
    // the map is kept as it was asked for, not under the name that it had here
    assert_eq!(done["spec"]["spaces"][0]["project"]["scale"], "standardise");
    assert_eq!(done["spec"]["spaces"][0]["features"], Value::Null);
    // the saved object is an experiment, too, whatever the number of threads
    folder.run("experiment done.json patients.csv --positive ill --threads 1 --out again.json").done();
    let again: Value = serde_json::from_str(&folder.text("again.json")).unwrap();
    assert_eq!(numbers(&again), numbers(&done));
    // half of it taken away, and done again
    let mut half = done.clone();
    half["cells"].as_array_mut().unwrap().truncate(11);
    folder.put("half.json", &half.to_string());
    folder.run("experiment half.json patients.csv --positive ill --resume half.json --out whole.json").done();
    let whole: Value = serde_json::from_str(&folder.text("whole.json")).unwrap();
    assert_eq!(numbers(&whole), numbers(&done));
    // other rows: nothing of it may be mixed with what is there
    let other: String = folder.text("patients.csv").lines().skip(1).collect::<Vec<_>>().join("\n");
    let head = folder.text("patients.csv").lines().next().unwrap().to_owned();
    folder.put("other.csv", &format!("{head}\n{}\n", other.lines().skip(20).collect::<Vec<_>>().join("\n")));
    let refused = folder.run("experiment done.json other.csv --positive ill --resume done.json");
    assert_eq!(refused.status, Some(1));
    assert!(refused.err.contains("are for other data"), "{}", refused.err);
    let text = folder.run("experiment done.json patients.csv --positive ill --resume done.json").done();
    assert!(text.text().contains("LoRe"), "{}", text.text());
    for (file, begins) in [("t.csv", "method"), ("t.tex", "\\"), ("t.md", "|")] {
        folder.run(&format!("experiment done.json patients.csv --positive ill --resume done.json --out {file}")).done();
        assert!(folder.text(file).contains(begins), "{file}: {}", folder.text(file));
    }
    // as the text says
    assert!(text.text().contains("Drawn by localcal experiment … --out experiment.svg"), "{}", text.text());
    folder.run("experiment done.json patients.csv --positive ill --resume done.json --out experiment.svg").done();
    assert!(folder.text("experiment.svg").starts_with("<svg"));
}

#[test]
fn what_is_no_experiment_is_told() {
    let folder = Folder::with_patients();
    folder.put("cells.json", &json!({ "cells": [{ "metric": 7 }] }).to_string());
    for (typed, told) in [
        ("experiment nowhere.json patients.csv", "nowhere.json"),
        ("experiment {\"methods\":[\"magic\"]} patients.csv", "Unknown recalibration method `magic`."),
        ("experiment {\"colour\":1} patients.csv", "colour"),
        ("experiment {} patients.csv --resume cells.json", "Invalid saved experiment cells.json"),
    ] {
        let ended = folder.run(typed);
        assert_eq!(ended.status, Some(1), "{typed}: {}", ended.err);
        assert!(ended.err.contains(told), "{typed}: {}", ended.err);
    }
}
