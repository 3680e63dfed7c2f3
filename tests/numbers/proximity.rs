//! Proximity from file to report: against every pair of rows, against reference numbers, and what is told when it
//! cannot be had.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, csv, near, open};
use crate::support::public::public;
use localcal::data::Predictions;
use localcal::data::folds::{CALIBRATES, LEFT_OUT, Split};
use localcal::evaluation::proximity::{Proximities, log_proximities_of};
use localcal::feature::proximity::ProximityOptions;
use localcal::job::{DataSet, Outcome};
use localcal::metric::Reason;
use serde_json::{Value, json};

/// Near the middle of the plane the scores hold; far out they promise too much.
pub fn opened(rows: usize, split: Value) -> Opened {
    let mut next = park_miller(11);
    let mut columns: Vec<(&str, Vec<f64>)> =
        ["confidence", "correct", "x1", "x2", "part"].map(|name| (name, Vec::new())).into();
    for i in 0..rows {
        let (c, angle, out) = (0.5 + next() / 2.0, next() * 6.3, next());
        let far = out > 0.7;
        let radius = if far { 3.0 + 9.0 * next() } else { next() };
        let right = next() < if far { c - 0.3 } else { c };
        let row = [c, f64::from(u8::from(right)), radius * angle.cos(), radius * angle.sin(), (i % 7) as f64];
        columns.iter_mut().zip(row).for_each(|(column, value)| column.1.push(value));
    }
    let roles = json!({ "confidence": "confidence", "correct": "correct", "x1": "feature", "x2": "feature" });
    open(&csv(&columns), json!({ "roles": roles, "split": split }))
}

fn data(opened: &Opened) -> &Predictions {
    match &opened.0 {
        Outcome::Data(DataSet { predictions, .. }) => predictions,
        _ => panic!("not data"),
    }
}

/// ln D by looking at every pair.
fn plain(x: &[[f64; 2]], split: &Split, row: usize, fold: usize, k: usize) -> f64 {
    let calibrates = split.fold.contains(&CALIBRATES);
    let serves = |j: usize| match split.fold[j] {
        LEFT_OUT => false,
        _ if j == row => false,
        own if split.folds > 1 => usize::from(own) != fold,
        own => !calibrates || own == CALIBRATES,
    };
    let mut distances: Vec<f64> =
        (0..x.len()).filter(|&j| serves(j)).map(|j| (x[j][0] - x[row][0]).hypot(x[j][1] - x[row][1])).collect();
    distances.sort_by(f64::total_cmp);
    distances.truncate(k);
    -distances.iter().sum::<f64>() / distances.len() as f64
}

#[test]
fn every_division_has_the_neighbors_that_all_pairs_give() {
    let given = json!({ "column": "part", "calibration": ["1", "2", "3"] });
    let divisions =
        [json!({ "folds": 5 }), json!({ "folds": 2 }), json!({ "half": true }), json!({ "first": 40 }), given];
    let mut splits: Vec<(Opened, Split)> = divisions
        .into_iter()
        .map(|division| {
            let opened = opened(150, division);
            let split = Split::new(data(&opened), 3).expect("a split");
            (opened, split)
        })
        .collect();
    splits.push((opened(60, json!({ "folds": 5 })), Split::everything(60)));
    // Few rows a fold: some lists run out and are searched for again.
    let few = opened(12, json!({ "folds": 6 }));
    let split = Split::new(data(&few), 0).expect("a split");
    splits.push((few, split));
    for (opened, split) in &splits {
        let data = data(opened);
        let column = |name: &str| {
            let found = data.table.columns.iter().find(|c| c.name == name).expect("a column");
            match &found.values {
                localcal::table::Values::Numbers(values) => values.to_vec(),
                _ => panic!("not numbers"),
            }
        };
        let x: Vec<[f64; 2]> = column("x1").iter().zip(column("x2")).map(|(a, b)| [*a, b]).collect();
        for k in [1, 10, 400] {
            let asked = json!({ "features": ["x1", "x2"], "neighbours": k });
            let options: ProximityOptions = serde_json::from_value(asked).expect("options");
            let options = options.filled(data, None).expect("sound").expect("features");
            let rows = split.fold.iter().filter(|fold| **fold != LEFT_OUT).count();
            let part = |range| log_proximities_of(data, split, &options, &[k], range, &mut |_| ()).expect("valid");
            let cut = rows / 3;
            let parts = [part(0..cut), part(cut..rows)];
            assert_eq!(parts.concat(), part(0..rows));
            let found = Proximities::gathered(split, &[&parts[0], &parts[1]], 1).expect("all parts").remove(0);
            for (row, &own) in split.fold.iter().enumerate() {
                for fold in 0..split.folds {
                    let ours = found.of_fold(fold)[row];
                    if own == LEFT_OUT {
                        assert!(ours.is_nan());
                        continue;
                    }
                    near(ours, plain(&x, split, row, fold, k), 1e-12);
                    if usize::from(own) == fold || own == CALIBRATES {
                        assert_eq!(found.value(row as u32, own), ours);
                    }
                }
            }
        }
    }
}

#[test]
fn rows_far_from_the_others_promise_too_much() {
    let opened = opened(1500, json!({ "folds": 5 }));
    let ids = ["ece", "piece", "piece_code", "bias_index", "bias_z"];
    let request = |proximity: Value| json!({ "metrics": ids, "proximity": proximity, "resamples": 40, "methods": ["none", "platt"] });
    let ran = opened.run(request(json!({ "features": ["x1", "x2"] })));
    let index = ran.metric("none", "bias_index");
    assert!(index.value.expect("a value") > 0.15, "{index:?}");
    assert!(ran.value("none", "bias_z") > 4.0);
    for id in &ids[1..] {
        let metric = ran.metric("none", id);
        assert_eq!((metric.resamples, metric.reason.clone()), (40, None), "{id}");
        let (low, high) = (metric.low.expect("an end"), metric.high.expect("an end"));
        assert!(low < high && metric.floor_low.expect("a floor") < metric.value.expect("a value"), "{id}: {metric:?}");
        // A method that looks at scores alone leaves the order of scores alone.
        assert!(ran.metric("platt", id).value.is_some());
    }
    assert!(ran.value("none", "piece") > ran.value("none", "ece") + 0.02);
    assert!(index.floor_high.expect("a floor") < index.value.expect("a value"));
    let settings = ran.outcome().report.settings.proximity.clone().expect("settings");
    let settings = serde_json::to_value(settings).expect("settings");
    assert_eq!(
        settings,
        json!({ "features": ["x1", "x2"], "neighbours": 10, "distance": "euclidean", "form": "paper", "row_normalise": false })
    );
    // The features of the local settings serve where there are no others.
    let mut local = request(json!({}));
    local["local"] = json!({ "features": ["x1", "x2"] });
    let same = opened.run(local);
    assert_eq!(same.value("none", "piece"), ran.value("none", "piece"));
    // With neither there is a reason.
    let none = opened.run(json!({ "metrics": ids, "resamples": 10 }));
    for id in &ids[1..] {
        let metric = none.metric("none", id);
        assert_eq!(
            (metric.value, metric.reason.as_ref().map(Reason::text).as_deref()),
            (None, Some("features_missing")),
            "{id}"
        );
    }
    assert!(none.metric("none", "ece").value.is_some());
    // Every row, by the rows themselves.
    let mut all = request(json!({ "features": ["x1", "x2"], "form": "code", "distance": "cosine" }));
    all["evaluate_on"] = json!("all");
    let all = opened.run(all);
    assert!(all.metric("none", "piece").value.is_some() && all.metric("platt", "piece").value.is_some());
}

#[test]
fn what_cannot_be_asked() {
    let opened = opened(60, json!({ "folds": 3 }));
    let told = |proximity: Value| {
        let request = json!({ "metrics": ["piece"], "proximity": proximity });
        match opened.try_run(request) {
            Err(error) => (error.code(), error.to_string()),
            Ok(_) => panic!("an error"),
        }
    };
    assert_eq!(
        told(json!({ "features": "x1", "neighbours": 0 })),
        ("invalid_option", "neighbours is 0; it must be a whole number from 1 to 1,000.".to_owned())
    );
    assert_eq!(told(json!({ "features": "x1", "neighbours": 1001 })).0, "invalid_option");
    assert_eq!(told(json!({ "features": "x9" })), ("unknown_column", "Unknown column or array `x9`.".to_owned()));
}

#[test]
fn heart_reference_numbers() {
    let Some(bytes) = public("heart.csv") else {
        return;
    };
    let text = String::from_utf8(bytes).expect("text");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let rows: Vec<Vec<&str>> = lines.filter(|row| row.len() == header.len()).collect();
    let column = |name: &str| {
        let place = header.iter().position(|h| *h == name).expect("the column");
        rows.iter().map(|row| row[place]).collect::<Vec<_>>()
    };
    let number = |name: &str| column(name).iter().map(|v| v.parse().expect("a number")).collect::<Vec<f64>>();
    let (age, oldpeak, y) = (number("Age"), number("Oldpeak"), number("HeartDisease"));
    let angina = column("ExerciseAngina");
    let (mut c, mut a) = (Vec::new(), Vec::new());
    for i in 0..rows.len() {
        let z = 0.05 * (age[i] - 54.0) + 1.2 * f64::from(u8::from(angina[i] == "Y")) + oldpeak[i] - 0.6;
        let p = (1e12 / (1.0 + (-z).exp())).round() / 1e12;
        c.push((p.max(1.0 - p) * 1e12).round() / 1e12);
        a.push(f64::from(u8::from((p > 0.5) == (y[i] == 1.0))));
    }
    let names = ["Age", "RestingBP", "Cholesterol", "MaxHR", "Oldpeak"];
    let mut columns = vec![("confidence", c), ("correct", a)];
    for name in names {
        let values = number(name);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        columns.push((name, values.iter().map(|v| (v - mean) / variance.sqrt()).collect()));
    }
    let opened = open(&csv(&columns), json!({ "roles": { "confidence": "confidence", "correct": "correct" } }));
    let ran = opened.run(json!({
        "metrics": ["ece", "piece", "piece_code", "bias_index", "bias_z"], "evaluate_on": "all", "resamples": 0,
        "proximity": { "features": names },
    }));
    near(ran.value("none", "ece"), 0.038_449_311_647_499_05, 1e-9);
    // Tied rows share a cell; cut as they stand in the file they give 0.142399191297694.
    near(ran.value("none", "piece"), 0.141_885_023_514_495_56, 1e-9);
    near(ran.value("none", "piece_code"), 0.110_115_405_448_936_43, 1e-9);
    println!("bias {:?}", ran.metric("none", "bias_index"));
}
