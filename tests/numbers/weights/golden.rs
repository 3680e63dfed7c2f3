//! Against scikit-learn and statsmodels with `sample_weight` and `freq_weights`: `tests/golden/weights.json`.

use serde_json::json;

use crate::support::pipeline::{Opened, csv, open};
use crate::support::record::Record;

fn binary(record: &Record) -> Opened {
    let column = |key| record.input(key);
    let text = csv(&[("y", column("y")), ("p", column("p")), ("weight", column("w"))]);
    let first = column("calibrate")[0] as usize;
    open(&text, json!({ "split": { "first": first } }))
}

fn three_classes(record: &Record) -> Opened {
    let p = record.probabilities();
    let class = |k| p.chunks(3).map(|row| row[k]).collect();
    let text = csv(&[
        ("prob_0", class(0)),
        ("prob_1", class(1)),
        ("prob_2", class(2)),
        ("label", record.input("label")),
        ("weight", record.input("u")),
    ]);
    let first = record.input("calibrate_many")[0] as usize;
    open(&text, json!({ "split": { "first": first } }))
}

#[test]
fn metrics_of_two_classes() {
    let record = Record::read("weights");
    let ids = [
        "accuracy",
        "nll",
        "brier",
        "auroc",
        "mean_gap",
        "ece",
        "mce",
        "ece_rms",
        "ece_unweighted",
        "mce_weighted",
        "ks",
        "miscalibration",
        "discrimination",
        "uncertainty",
        "intercept_joint",
        "slope",
        "intercept_large",
        "mmce",
        "mmce_w",
    ];
    let ran = binary(&record).run(json!({ "metrics": ids, "resamples": 0 }));
    for id in ids {
        record.check(id, "", &[ran.value("none", id)]);
    }
    let bins = &ran.rows("none").bins;
    let total: f64 = bins.iter().map(|bin| bin.weight).sum();
    let row = |bin: &localcal::metric::ReliabilityBin| [bin.weight / total, bin.mean_score, bin.mean_target];
    record.check("table", "", &bins.iter().flat_map(row).collect::<Vec<_>>());
    let effective = localcal::data::effective_rows(&record.input("w"));
    record.check("effective_rows", "", &[effective]);
}

#[test]
fn metrics_of_three_classes() {
    let record = Record::read("weights");
    let ids = ["accuracy", "nll", "brier", "brier_mean", "brier_top", "auroc", "ece", "classwise_ece"];
    let ran = three_classes(&record).run(json!({ "metrics": ids, "resamples": 0 }));
    for id in ids {
        record.check(&format!("many_{id}"), "", &[ran.value("none", id)]);
    }
}

#[test]
fn fits_to_calibration_rows() {
    let record = Record::read("weights");
    let platt = json!({ "id": "platt", "parameters": { "smoothing": false } });
    let histogram = json!({ "id": "histogram", "parameters": { "bins": 15 } });
    let methods = json!(["temperature", platt, "isotonic", histogram, "beta"]);
    let ran = binary(&record).run(json!({ "methods": methods, "resamples": 0 }));
    for name in ["platt", "isotonic", "histogram", "beta"] {
        record.check(name, "", &ran.rows(name).score);
    }
    let temperature = |ran: &crate::support::pipeline::Ran| {
        let found = &ran.method("temperature").parameters["temperature"];
        [found.as_f64().expect("a number")]
    };
    record.check("temperature", "", &temperature(&ran));
    let many = three_classes(&record).run(json!({ "methods": ["temperature"], "resamples": 0 }));
    record.check("many_temperature", "", &temperature(&many));
}
