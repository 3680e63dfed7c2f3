//! Recalibrations fitted to counts, against those fitted to the rows.

use super::{ALL, Opened, Row, WARD, counts_of, made, rows_of};
use crate::support::pipeline::{Ran, open};
use localcal::analysis::finding::FindingOutcome;
use localcal::counts::Grid;
use localcal::evaluation::method::{MethodSpec, entries};
use localcal::job::{Call, Outcome};
use localcal::num::special::{logit, sigmoid};
use serde_json::{Value, json};

const TABLES: u64 = 24;

/// Tables whose scores are too extreme, and more so in the one than in the other.
fn too_extreme(seed: u64) -> Vec<Row> {
    let more = 0.02 * seed as f64;
    made(1_500, 2_000 + seed, |p, row| (p + if row.ward == 0 { more / 4.0 } else { 0.0 }).min(1.0 - more / 20.0))
}

/// Tables whose scores are calibrated.
fn right(n: usize, seed: u64) -> Vec<Row> {
    made(n, seed, |p, _| sigmoid(1.3 * logit(p, 1e-9) + 0.1))
}

fn counted(rows: &[Row]) -> Opened {
    open(&counts_of(rows, Grid::default(), ALL), json!({}))
}

/// Every method that counts suffice for, with what it has to be told.
fn methods() -> Vec<Value> {
    let spec = |id: &str| match id {
        "group_intercept" => json!({ "id": id, "parameters": { "groups": "ward" } }),
        "slice_intercept" => json!({ "id": id, "parameters": { "slices": [
            { "conditions": [{ "column": "ward", "values": ["A"] }] }
        ] } }),
        id => json!(id),
    };
    entries().filter(|entry| entry.from_counts).map(|entry| spec(entry.id)).collect()
}

/// Numbers of the parameters of a method in the order in which they are written.
fn numbers(parameters: &Value, found: &mut Vec<f64>) {
    match parameters {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(items) => items.iter().for_each(|item| numbers(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| numbers(item, found)),
        _ => (),
    }
}

fn fitted(data: &Opened, methods: &[Value]) -> (Ran, Value) {
    let ran = data.run(json!({ "methods": methods, "metrics": ["brier"], "resamples": 0 }));
    let found = data.calibrators(&ran);
    (ran, found)
}

/// Where every cell holds one score, counts are the rows: every method that is offered from counts has the parameters
/// of the rows.
#[test]
fn counts_of_single_scores_give_the_fits_of_the_rows() {
    let on_edges = |row: Row| Row { risk: (row.risk * 960.0).round().clamp(1.0, 959.0) / 960.0, ..row };
    let rows: Vec<Row> = too_extreme(20).into_iter().map(on_edges).collect();
    let counts = open(&counts_of(&rows, Grid::default(), WARD), json!({}));
    let methods = methods();
    let ((_, of_rows), (_, of_counts)) = (fitted(&rows_of(&rows), &methods), fitted(&counts, &methods));
    let of_rows = of_rows.as_object().expect("methods");
    // all but the original predictions
    assert_eq!(of_rows.len(), methods.len() - 1);
    for (name, parameters) in of_rows {
        let (mut known, mut found) = (Vec::new(), Vec::new());
        numbers(parameters, &mut known);
        numbers(&of_counts[name], &mut found);
        assert_eq!(known.len(), found.len(), "{name}: {parameters} and {}", of_counts[name]);
        for (a, b) in known.iter().zip(&found) {
            assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{name}: {parameters} and {}", of_counts[name]);
        }
    }
}

/// Height of a curve at the centers of the cells, by its corners.
fn heights(parameters: &Value) -> Vec<f64> {
    let corners = |key: &str| -> Vec<f64> {
        parameters[key].as_array().expect("corners").iter().filter_map(Value::as_f64).collect()
    };
    let (x, y) = (corners("x"), corners("y"));
    let at = |s: f64| {
        let next = x.partition_point(|x| *x < s);
        match (next.checked_sub(1), next < x.len()) {
            (None, _) => y[0],
            (Some(last), false) => y[last],
            (Some(last), true) => y[last] + (y[next] - y[last]) * (s - x[last]) / (x[next] - x[last]),
        }
    };
    (0..960).map(|r| at((f64::from(r) + 0.5) / 960.0)).collect()
}

/// 24 tables: parameters at 960 cells are those of the rows up to what a cell hides.
#[test]
fn fits_to_counts_are_those_of_the_rows() {
    let names = ["intercept", "temperature", "platt", "beta", "quadratic"];
    let mut methods: Vec<Value> = names.iter().map(|id| json!(id)).collect();
    methods.extend(["isotonic", "histogram"].map(Value::from));
    let (mut off, mut values, mut steps) = ([0.0_f64; 5], 0.0_f64, [0.0_f64; 2]);
    for seed in 0..TABLES {
        let rows = too_extreme(seed);
        let ((_, known), (_, found)) = (fitted(&rows_of(&rows), &methods), fitted(&counted(&rows), &methods));
        for (off, name) in off.iter_mut().zip(names) {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            numbers(&known[name], &mut a);
            numbers(&found[name], &mut b);
            assert_eq!(a.len(), b.len(), "{name}");
            *off = a.iter().zip(&b).fold(*off, |off, (a, b)| off.max((a - b).abs()));
        }
        let (mut a, mut b) = (Vec::new(), Vec::new());
        numbers(&known["histogram"], &mut a);
        numbers(&found["histogram"], &mut b);
        values = a.iter().zip(&b).fold(values, |off, (a, b)| off.max((a - b).abs()));
        let (a, b) = (heights(&known["isotonic"]), heights(&found["isotonic"]));
        let apart: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).collect();
        steps[0] = steps[0].max(apart.iter().sum::<f64>() / 960.0);
        // a step lies at most a cell beside where it is: beyond that the heights are the same
        let beyond = |r: usize| {
            let near = |of: &[f64]| (of[r.saturating_sub(2)], of[(r + 2).min(959)]);
            let ((low, high), (below, above)) = (near(&a), near(&b));
            (below - a[r]).max(a[r] - above).max(low - b[r]).max(b[r] - high)
        };
        steps[1] = (0..960).fold(steps[1], |most, r| most.max(beyond(r)));
    }
    println!("{names:?} {off:?}, histogram {values:e}, isotonic: mean {:e}, beyond a cell {:e}", steps[0], steps[1]);
    for (off, (name, most)) in off.iter().zip(names.iter().zip([1e-6, 1e-3, 1e-3, 5e-3, 2e-3])) {
        assert!(*off < most, "{name}: {off:e}");
    }
    assert!(values < 1e-12, "histogram: {values:e}");
    // at the ends, where a step has a dozen rows, one of them on the other side is a twelfth
    assert!(steps[0] < 1e-2 && steps[1] < 0.1, "isotonic: {steps:?}");
}

/// What a recalibration changes, on rows that no fit saw: calibrated scores become worse by it, from counts as much as
/// from rows. Were cells divided evenly, each fit would see the event rates that it is evaluated on, and they would
/// become better.
#[test]
fn fits_to_counts_are_evaluated_on_rows_they_did_not_see() {
    let files = 60;
    let methods = ["platt", "isotonic", "histogram"];
    let changes = |data: &Opened, seed: u64| -> Vec<f64> {
        let of: Vec<&str> = ["none"].into_iter().chain(methods).collect();
        let request =
            json!({ "methods": of, "metrics": ["brier", "nll", "ece", "slope"], "resamples": 0, "seed": seed });
        let ran = data.run(request);
        methods.iter().map(|name| ran.value(name, "brier") - ran.value("none", "brier")).collect()
    };
    let mut all: [Vec<Vec<f64>>; 2] = Default::default();
    for seed in 0..files {
        let rows = right(600, 4_000 + seed);
        all[0].push(changes(&rows_of(&rows), seed));
        all[1].push(changes(&counted(&rows), seed));
    }
    for (k, name) in methods.iter().enumerate() {
        let of = |all: &[Vec<f64>]| {
            let mean = all.iter().map(|one| one[k]).sum::<f64>() / files as f64;
            let squares: f64 = all.iter().map(|one| (one[k] - mean).powi(2)).sum();
            (mean, (squares / (files - 1) as f64 / files as f64).sqrt())
        };
        let ((rows, error), (counts, of_counts)) = (of(&all[0]), of(&all[1]));
        println!("{name}: Brier {rows:+.2e} ± {error:.0e} from rows, {counts:+.2e} ± {of_counts:.0e} from counts");
        // two parameters cost too little to be seen in 60 tables
        assert!(*name == "platt" || counts > 2.0 * of_counts, "{name}: {counts:e}");
        assert!((rows - counts).abs() < 3.0 * error.hypot(of_counts), "{name}: {rows:e}, {counts:e}");
    }
}

/// Metrics of the whole, before and after, and their paired intervals are those of the rows but for how they are
/// divided.
#[test]
fn effects_of_recalibrations_are_those_of_the_rows() {
    let rows = too_extreme(12);
    let metrics = ["ece", "nll", "brier", "slope", "intercept_large"];
    let asked = json!({ "methods": ["none", "platt"], "metrics": metrics, "resamples": 400 });
    let (of_rows, of_counts) = (rows_of(&rows).run(asked.clone()), counted(&rows).run(asked));
    let n = |ran: &Ran| {
        let data = &ran.outcome().report.data;
        (data.rows, data.calibration_rows, data.evaluation_rows)
    };
    assert_eq!(n(&of_counts), (1_500, 1_500, 1_500));
    assert_eq!(n(&of_counts), n(&of_rows));
    let split = &of_counts.outcome().report.data.split;
    assert!(split.starts_with("5-fold cross-fitting, the rows of each cell divided at random"), "{split}");
    for id in ["nll", "brier"] {
        let of = |ran: &Ran| {
            let change = ran.method("platt").differences.get(id).cloned().expect("a difference");
            (change.value.expect("a value"), change.low.expect("an end"), change.high.expect("an end"))
        };
        let ((a, a_low, a_high), (b, b_low, b_high)) = (of(&of_rows), of(&of_counts));
        let half = (a_high - a_low) / 2.0;
        assert!(a < 0.0 && b < 0.0 && (a - b).abs() < 0.3 * half, "{id}: {a} and {b}");
        assert!((half / ((b_high - b_low) / 2.0) - 1.0).abs() < 0.25, "{id}: {half}, {b_low} to {b_high}");
    }
    let slope = of_counts.value("platt", "slope");
    assert!((slope - 1.0).abs() < 0.1 && (of_counts.value("none", "slope") - 1.0).abs() > 0.15, "{slope}");
}

/// Calibrators fitted to counts are stored, and applied to rows.
#[test]
fn fits_to_counts_are_stored_and_applied_to_rows() {
    let rows = too_extreme(7);
    let (data, counts) = (rows_of(&rows), counted(&rows));
    let methods = [json!("platt"), json!("isotonic"), json!("histogram")];
    let (ran, _) = fitted(&counts, &methods);
    let stored = counts.export(Call::ExportCalibrator { suppress: None }, &ran);
    let stored: Value = serde_json::from_str(&stored).expect("JSON");
    assert_eq!(stored["fitted_rows"], json!(1_500));
    let (of_rows, _) = fitted(&data, &methods);
    let known: Value =
        serde_json::from_str(&data.export(Call::ExportCalibrator { suppress: None }, &of_rows)).expect("JSON");
    let column = |calibrator: &Value| -> Vec<f64> {
        let text = data.applied(calibrator.clone(), Some("platt")).unwrap_or_else(|error| panic!("{error}"));
        text.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect()
    };
    let (a, b) = (column(&known), column(&stored));
    assert_eq!((a.len(), b.len()), (1_500, 1_500));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4), "another curve");
    let lines = Call::ExportSnippet { method: Some("isotonic".to_owned()), language: Default::default() };
    assert!(counts.export(lines, &ran).contains("def calibrate"), "no lines of Python");
    // what may be fitted to few rows stays behind
    let few = counts.export(Call::ExportCalibrator { suppress: Some(10) }, &ran);
    assert!(few.contains("left_out") && !few.contains("\"counts\""), "{few}");
}

fn finding(data: &Opened) -> FindingOutcome {
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "finding": {} })) {
        Ok(Outcome::Finding(found)) => found,
        other => panic!("no finding: {other:?}"),
    }
}

fn recommended(found: &FindingOutcome) -> String {
    match found.advice.as_ref().map(|advice| &advice.method) {
        Some(MethodSpec::Id(id) | MethodSpec::Named { id, .. }) => id.clone(),
        None => "nothing judged".to_owned(),
    }
}

/// 12 tables that are off in some way and 12 calibrated ones: the recommendation from counts is that from rows, but
/// where two candidates are as good as each other.
#[test]
fn recommendations_from_counts_are_those_of_the_rows() {
    let (mut same, mut told) = (0, Vec::new());
    for seed in 0..12 {
        let shift = 0.01 * seed as f64;
        let here = |row: &Row| row.ward == 1 && seed % 2 == 0;
        let off = made(3_000, 700 + seed, |p, row| if here(row) { (p + shift).min(1.0) } else { p });
        for rows in [off, right(3_000, 900 + seed)] {
            let counts = open(&counts_of(&rows, Grid::default(), WARD), json!({}));
            let (a, b) = (finding(&rows_of(&rows)), finding(&counts));
            let (of_rows, of_counts) = (recommended(&a), recommended(&b));
            same += u32::from(of_rows == of_counts);
            told.push(format!("{of_rows}/{of_counts}"));
            let advice = b.advice.expect("a recommendation");
            let moved = advice.moves.up + advice.moves.down;
            assert!(moved <= 3_000 && (of_counts == "none" || moved > 100), "{of_counts}: {:?}", advice.moves);
        }
    }
    println!("the same recommendation in {same} of 24 tables: {}", told.join(" "));
    assert!(same >= 20, "{same}: {told:?}");
    // calibrated ones are left alone
    let alone = told.iter().skip(1).step_by(2).filter(|one| one.ends_with("/none")).count();
    assert!(alone >= 10, "{alone}: {told:?}");
}

#[test]
fn recalibrations_that_need_the_rows_say_so() {
    let data = counted(&too_extreme(1));
    let asked = |method: Value| {
        let request = json!({ "methods": ["none", method], "resamples": 0 });
        data.try_run(request).map(|_| ()).expect_err("a refusal").to_string()
    };
    for (method, words) in [
        (json!("spline"), "Smoothing spline needs the rows; this data set consists of counts"),
        (json!("best"), "needs the rows"),
        (json!("platt+spline"), "Smoothing spline needs the rows"),
        (json!({ "id": "platt+isotonic", "parameters": { "cross_fit": { "folds": 3 } } }), "cross_fit"),
        (
            json!({ "id": "histogram", "parameters": { "bins": { "count": 10, "scheme": "equal_mass_quantile" } } }),
            "Histogram binning with bins of equal mass needs the rows",
        ),
    ] {
        let told = asked(method.clone());
        assert!(told.contains(words), "{method}: {told}");
    }
    // two of which each counts suffice for
    let ran = data.run(json!({ "methods": ["none", "platt+isotonic"], "metrics": ["brier"], "resamples": 0 }));
    assert!(ran.value("platt+isotonic", "brier").is_finite());
    let advice = json!({ "finding": { "parts": ["overall", "whom", "advice"], "methods": ["platt", "spline"] } });
    let refused = data.try_analyse(&ran, advice).map(|_| ()).expect_err("a refusal").to_string();
    assert!(refused.contains("Smoothing spline needs the rows"), "{refused}");
}
