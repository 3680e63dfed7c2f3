//! `data.analyse("proximity")` and `"proximity_sweep"`: the numbers of a run, in words and figures.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, Ran, csv, near, open};
use crate::support::sheet::{figures, reading};
use localcal::analysis::proximity::ProximityOutcome;
use localcal::analysis::proximity_sweep::ProximitySweepOutcome;
use localcal::error::Error;
use localcal::job::Outcome;
use localcal::report::sheet::{Block, FieldKind};
use serde_json::{Value, json};

/// Far from the middle scores promise `less` too much.
fn opened(rows: usize, less: f64) -> Opened {
    let mut next = park_miller(21);
    let mut columns: Vec<(&str, Vec<f64>)> =
        ["confidence", "correct", "x1", "x2", "ward"].map(|name| (name, Vec::new())).into();
    for i in 0..rows {
        let (c, far) = (0.5 + next() / 2.0, next() > 0.7);
        let spread = if far { 12.0 } else { 1.0 };
        let right = next() < if far { c - less } else { c };
        let row = [c, f64::from(u8::from(right)), spread * (next() - 0.5), spread * (next() - 0.5), (i % 3) as f64];
        columns.iter_mut().zip(row).for_each(|(column, value)| column.1.push(value));
    }
    let roles = json!({
        "confidence": "confidence", "correct": "correct", "x1": "feature", "x2": "feature", "ward": "group",
    });
    open(&csv(&columns), json!({ "roles": roles, "split": { "folds": 4 } }))
}

const IDS: [&str; 5] = ["accuracy", "ece", "piece", "piece_code", "bias_index"];

fn ran(data: &Opened) -> Ran {
    data.run(json!({
        "methods": ["none", "platt", "platt+density_ratio", "histogram+proximity_stratified", "none+bin_mean_shift"],
        "metrics": IDS, "resamples": 0, "proximity": { "features": ["x1", "x2"] },
    }))
}

fn analysed(data: &Opened, ran: &Ran, request: Value) -> Result<ProximityOutcome, Error> {
    let found = data.try_analyse(ran, json!({ "proximity": request }))?;
    match found {
        Outcome::ProximitySheet(found) => Ok(found),
        other => panic!("not proximity: {other:?}"),
    }
}

/// Most rows share their only feature, a whole number, so that their neighbors are at no distance: none is isolated.
#[test]
fn rows_of_one_proximity_are_not_said_to_differ_in_confidence() {
    let mut next = park_miller(5);
    let mut columns: Vec<(&str, Vec<f64>)> = ["confidence", "correct", "age"].map(|name| (name, Vec::new())).into();
    for i in 0..800 {
        let c = 0.5 + next() / 2.0;
        let row = [c, f64::from(u8::from(next() < c)), (i % 8) as f64];
        columns.iter_mut().zip(row).for_each(|(column, value)| column.1.push(value));
    }
    let roles = json!({ "confidence": "confidence", "correct": "correct", "age": "feature" });
    let data = open(&csv(&columns), json!({ "roles": roles }));
    let ran = data.run(json!({ "metrics": ["bias_index"], "resamples": 0, "proximity": { "features": ["age"] } }));
    let found = analysed(&data, &ran, json!({})).expect("a sheet");
    assert_eq!(found.methods[0].pairs, 0);
    let words = "Too many rows have the same proximity, so isolated and typical rows cannot be distinguished.";
    assert_eq!(reading(&found.sheet), words);
    let reason = ran.metric("none", "bias_index").reason.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(!reason.contains("scores"), "{reason}");
}

#[test]
fn the_sheet_says_what_the_run_measured() {
    let data = opened(2000, 0.3);
    let ran = ran(&data);
    let found = analysed(&data, &ran, json!({ "group": "ward", "width": 900 })).expect("a sheet");
    assert_eq!(found.methods.len(), 5);
    for method in &found.methods {
        near(method.piece, ran.value(&method.method, "piece"), 1e-15);
        near(method.piece_code, ran.value(&method.method, "piece_code"), 1e-15);
        near(method.bias_index.expect("pairs"), ran.value(&method.method, "bias_index"), 1e-15);
        assert!(method.ece <= method.piece + 1e-12);
        assert!((method.score[0] - method.score[1]).abs() < 0.05);
        let p = method.p.expect("a test");
        near(method.p_bonferroni.expect("a test"), (5.0 * p).min(1.0), 1e-15);
    }
    let words = reading(&found.sheet);
    assert!(words.starts_with("At equal confidence, accuracy is "), "{words}");
    assert!(words.contains("percentage points lower in isolated than in typical rows"), "{words}");
    assert!(words.contains("matched pairs") && !words.contains("significantly"), "{words}");
    let all = figures(&found.sheet);
    assert_eq!(all.len(), 5);
    for figure in &all {
        assert!(!figure.table.rows.is_empty() && !figure.alt.is_empty() && figure.width <= 900.0);
    }
    // Three wards, five groups by proximity.
    assert_eq!(all[2].table.rows.len(), 15);
    // PIECE alone and with each method of proximity.
    assert_eq!(all[3].table.columns.len(), 5);
    let table = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let table = table.expect("a table");
    assert_eq!((table.rows.len(), table.columns.len()), (5, 9));
    assert_eq!(table.rows[0][1].beneath, "isolated rows overestimated");
    let options: Vec<&str> = found.sheet.fields.iter().map(|field| &*field.option).collect();
    assert_eq!(
        options,
        ["features", "methods", "neighbours", "distance", "form", "row_normalise", "without_replacement", "group"]
    );
    // Fewer pairs, the same finding.
    let once = analysed(&data, &ran, json!({ "without_replacement": true, "methods": ["none"], "group": "" }))
        .expect("a sheet");
    assert!(once.methods[0].pairs < found.methods[0].pairs / 2 + 1);
    assert!(once.methods[0].bias_index.expect("pairs") > 0.15);
    assert_eq!(figures(&once.sheet).len(), 2);
}

#[test]
fn where_nearness_does_not_matter_that_is_said() {
    let data = opened(1200, 0.0);
    let ran = ran(&data);
    let found = analysed(&data, &ran, json!({ "methods": ["none"] })).expect("a sheet");
    assert!(reading(&found.sheet).contains("does not differ significantly"), "{}", reading(&found.sheet));
    // Too few rows for pairs.
    let few = opened(8, 0.0);
    let ran = few.run(json!({ "metrics": IDS, "resamples": 0, "proximity": { "features": ["x1", "x2"] } }));
    let found = analysed(&few, &ran, json!({})).expect("a sheet");
    assert!(!reading(&found.sheet).is_empty());
}

#[test]
fn every_row_scored_and_nothing_fitted() {
    let data = opened(600, 0.3);
    let ran = data.run(json!({
        "methods": ["none", "platt"], "metrics": IDS, "resamples": 0, "evaluate_on": "all", "proximity": { "features": ["x1", "x2"] },
    }));
    let found = analysed(&data, &ran, json!({})).expect("a sheet");
    assert_eq!(found.methods.len(), 1);
    near(found.methods[0].piece, ran.value("none", "piece"), 1e-15);
    let other = analysed(&data, &ran, json!({ "methods": ["platt"] })).expect("a sheet");
    near(other.methods[0].piece, ran.value("platt", "piece"), 1e-15);
}

fn swept(data: &Opened, ran: &Ran, request: Value) -> Result<ProximitySweepOutcome, Error> {
    match data.try_analyse(ran, json!({ "proximity_sweep": request }))? {
        Outcome::ProximitySweepSheet(found) => Ok(found),
        other => panic!("not a sweep: {other:?}"),
    }
}

#[test]
fn a_sweep_holds_the_numbers_of_single_runs() {
    let data = opened(700, 0.3);
    let ran = ran(&data);
    let found = swept(&data, &ran, json!({})).expect("a sweep");
    assert_eq!(found.curves.len(), 8);
    assert_eq!(found.curves[0].neighbours.last(), Some(&500));
    assert_eq!(figures(&found.sheet).len(), 2);
    for curve in &found.curves {
        for k in [1, 10, 200] {
            let place = curve.neighbours.iter().position(|own| *own == k).expect("a usual number");
            let asked = json!({ "methods": [curve.method], "neighbours": k, "distance": curve.distance });
            let alone = analysed(&data, &ran, asked).expect("a sheet");
            near(curve.piece[place], alone.methods[0].piece, 1e-12);
            assert_eq!(curve.bias_index[place], alone.methods[0].bias_index, "{} {k}", curve.method);
        }
    }
    let words = reading(&found.sheet);
    assert!(words.contains("roximity bias") && words.contains("PIECE ranges from "), "{words}");
}

#[test]
fn the_sheet_asks_in_which_columns_rows_are_near() {
    let data = opened(600, 0.3);
    let ran = ran(&data);
    let asked = |features: Value| {
        let request = match &features {
            Value::Null => json!({}),
            _ => json!({ "features": features }),
        };
        let found = analysed(&data, &ran, request).expect("a sheet");
        let field = found.sheet.fields.first().expect("a field").clone();
        assert_eq!(field.option, "features");
        let FieldKind::Coordinates { value, choices, components, ways } = field.kind else {
            panic!("not names: {:?}", field.kind)
        };
        // What it shows is what was used: the columns as they stand, or so many components of them.
        assert!(ways.iter().any(|(count, _)| *count == components));
        let used = match &features {
            Value::Object(chosen) => chosen["pca"].as_u64().map(|count| count as usize),
            _ => None,
        };
        assert_eq!(components, used);
        (found, value, choices)
    };
    let (usual, value, choices) = asked(Value::Null);
    assert_eq!(value, ["x1", "x2"]);
    assert_eq!(choices, ["x1", "x2", "ward"]);
    let (one, value, choices) = asked(json!(["x2"]));
    assert_eq!(value, ["x2"]);
    assert_eq!(choices, ["x2", "x1", "ward"]);
    assert_ne!(one.methods[0].piece, usual.methods[0].piece);
    // What the page sends back is what it showed.
    let (same, _, _) = asked(json!(["x1", "x2"]));
    assert_eq!(same.methods, usual.methods);
    let (components, value, _) = asked(json!({ "pca": 1, "of": [] }));
    assert_eq!(value, ["x1", "x2"]);
    assert_ne!(components.methods[0].piece, usual.methods[0].piece);
    let error = analysed(&data, &ran, json!({ "features": [] })).expect_err("nothing chosen");
    assert_eq!(error.code(), "features_missing");
}

#[test]
fn what_cannot_be_asked() {
    let data = opened(60, 0.3);
    let ran = ran(&data);
    let told = |error: Error| (error.code(), error.to_string());
    let sweep = |request: Value| told(swept(&data, &ran, request).expect_err("an error"));
    assert_eq!(
        sweep(json!({ "neighbours": [5, 0] })),
        ("invalid_option", "neighbours is 0; it must be a whole number from 1 to 1,000.".to_owned())
    );
    assert_eq!(sweep(json!({ "distances": [] })).1, "0 distances were requested.");
    assert_eq!(sweep(json!({ "methods": ["beta"] })).0, "unknown_method");
    let sheet = |request: Value| told(analysed(&data, &ran, request).expect_err("an error"));
    assert_eq!(
        sheet(json!({ "neighbours": 5000 })).1,
        "neighbours is 5,000; it must be a whole number from 1 to 1,000."
    );
    assert_eq!(sheet(json!({ "features": "x7" })).0, "unknown_column");
    assert_eq!(sheet(json!({ "group": "x7" })).0, "unknown_column");
}
