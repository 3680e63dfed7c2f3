//! Local recalibrations: what inner folds choose, that scored rows have no say in it, and what is won where the truth is known.

use crate::support::draws::uniform;
use crate::support::kinds::{Kind, Part, csv};
use crate::support::pipeline::{Opened, Ran, open};
use crate::support::public::public;
use localcal::read::read;
use localcal::table::Values;
use serde_json::{Value, json};

const X: [&str; 2] = ["x1", "x2"];

fn ridge(parameters: Value) -> Value {
    json!({ "id": "lore_ridge", "parameters": parameters })
}

fn ran(data: &Opened, methods: Value) -> Ran {
    data.run(json!({ "methods": methods, "resamples": 0, "metrics": ["nll", "mlce", "mlce_supported"],
        "local": { "features": X, "gamma": 0.4 } }))
}

/// Rows x1, x2, uniform on [−3, 3]², with scores σ(z) whose log-odds are too small around (1.5, 1.5) and too large around
/// (−1.5, −1.5) by as much as 1.7; and the truth.
fn two_regions(n: usize) -> (String, Vec<f64>) {
    let mut next = uniform(17);
    let sigmoid = |z: f64| 1.0 / (1.0 + (-z).exp());
    let (mut text, mut truth) = ("p,y,x1,x2\n".to_owned(), Vec::new());
    for _ in 0..n {
        let (x1, x2) = (6.0 * next() - 3.0, 6.0 * next() - 3.0);
        let z = (0..6).map(|_| next()).sum::<f64>() - 3.0;
        let bump = |c: f64| (-((x1 - c).powi(2) + (x2 - c).powi(2)) / 2.88).exp();
        let p = sigmoid(1.4 * z + 1.7 * (bump(1.5) - bump(-1.5)));
        text += &format!("{},{},{x1},{x2}\n", sigmoid(1.4 * z), u8::from(next() < p));
        truth.push(p);
    }
    (text, truth)
}

/// Fine in every bin, wrong in two places: the recalibration finds both, a curve of the score alone finds neither, and what is chosen
/// stands in the report with what was tried.
#[test]
fn two_regions_are_mended() {
    let (text, truth) = two_regions(2500);
    let data = open(&text, json!({ "view": "positive" }));
    let ran = ran(&data, json!(["none", "platt", "lore_ridge"]));
    let error = |name: &str| {
        let rows = ran.rows(name);
        let squares = rows.rows.iter().zip(rows.score.iter()).map(|(row, s)| (s - truth[*row as usize]).powi(2));
        (squares.sum::<f64>() / 2500.0).sqrt()
    };
    let [none, platt, ridge] = ["none", "platt", "lore_ridge"].map(error);
    assert!((0.145..0.17).contains(&none) && platt > 0.9 * none, "{none} {platt}");
    assert!(ridge < 0.5 * none, "{ridge} of {none}");
    assert!(ran.value("lore_ridge", "nll") < ran.value("none", "nll") - 0.02);
    assert!(ran.value("lore_ridge", "mlce_supported") < 0.8 * ran.value("none", "mlce_supported"));
    for fold in ran.method("lore_ridge").parameters.as_array().unwrap() {
        let (inner, chosen) = (&fold["inner"], fold["inner"]["chosen"].as_u64().unwrap() as usize);
        let tried = inner["tried"].as_array().unwrap();
        assert_eq!((tried.len(), inner["rows"].as_u64(), inner["folds"].as_u64()), (42, Some(2000), Some(5)));
        let setting = &tried[chosen]["setting"];
        assert_eq!((&setting["gamma"], &setting["kappa"]), (&fold["gamma"], &fold["kappa"]));
        assert!(tried[chosen]["more"].as_f64() <= tried[chosen]["standard_error"].as_f64());
        // everything smoother is worse by more than one standard error
        let worse = |one: &Value| one["more"].as_f64() > one["standard_error"].as_f64();
        assert!(tried[..chosen].iter().all(worse));
    }
}

/// The same file with every outcome of a scored row turned round: nothing that is learned or scored changes.
#[test]
fn scored_rows_have_no_say() {
    let whole = csv(Kind::Binary, Part::Whole);
    let turned: String = whole
        .lines()
        .map(|line| match line.strip_suffix(",test") {
            Some(line) if line.ends_with(",yes") => format!("{},no,test\n", line.trim_end_matches(",yes")),
            Some(line) => format!("{},yes,test\n", line.trim_end_matches(",no")),
            None => format!("{line}\n"),
        })
        .collect();
    assert_ne!(whole, turned);
    let lore = json!({ "id": "lore", "parameters": { "choose": [X, ["x1"]], "gamma": "chosen", "bins": "chosen" } });
    let methods = json!([ridge(json!({ "choose": [X, ["x1"]] })), lore]);
    let found = [whole, turned].map(|text| ran(&open(&text, json!({})), methods.clone()));
    for k in 0..2 {
        let [ours, theirs] = found.each_ref().map(|ran| &ran.outcome().rows[k]);
        assert_eq!(ours.calibrators, theirs.calibrators);
        assert_eq!(ours.score, theirs.score);
        assert_ne!(ours.target, theirs.target);
    }
}

/// What was chosen, asked for by itself, gives the same scores.
#[test]
fn what_is_chosen_is_what_is_applied() {
    let data = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let choosing = json!({ "features": X, "gamma": "chosen", "bins": "chosen" });
    let both = json!([ridge(json!({ "features": X, "kappa": 1 })), { "id": "lore", "parameters": choosing }]);
    let first = ran(&data, both);
    let one = |name: &str| first.method(name).parameters.clone();
    let (local, ours) = (one("lore"), one("lore_ridge"));
    assert!(local["inner"]["tried"].as_array().unwrap().len() == 20 && ours["gamma"].is_number());
    let again = json!([
        ridge(json!({ "features": X, "kappa": 1, "gamma": ours["gamma"], "baseline": ours["baseline"] })),
        { "id": "lore", "parameters": { "features": X, "gamma": local["gamma"], "bins": local["bins"] } },
    ]);
    let second = ran(&data, again);
    for name in ["lore_ridge", "lore"] {
        assert_eq!(first.rows(name).score, second.rows(name).score, "{name}");
        assert!(second.method(name).parameters["inner"].is_null());
    }
}

/// A table of a public file: some of its columns, and the scores that `score` makes of them.
fn table(name: &str, columns: [&str; 4], score: impl Fn([f64; 4]) -> f64) -> Option<String> {
    let file = read(name, &public(name)?, &mut |_| ()).unwrap();
    let numbers = columns.map(|name| match &file.columns.iter().find(|column| column.name == name).unwrap().values {
        Values::Numbers(numbers) => numbers.to_vec(),
        _ => panic!("{name} holds no numbers"),
    });
    let mut text = "p,y,x1,x2\n".to_owned();
    for i in 0..numbers[0].len() {
        let row = numbers.each_ref().map(|column| column[i]);
        text += &format!("{},{},{},{}\n", score(row), row[1], row[2], row[3]);
    }
    Some(text)
}

/// COMPAS by its decile, told apart by age and priors, and a heart table of 459 calibration rows: better than any curve of the score
/// where there is something local, and never worse than doing nothing by more than chance.
#[test]
fn public_files() {
    let half = json!({ "split": { "half": true }, "view": "positive" });
    let compas = ["decile_score", "two_year_recid", "age", "priors_count"];
    if let Some(text) = table("compas-scores-two-years.csv", compas, |row| (row[0] - 0.5) / 10.0) {
        let found = ran(&open(&text, half.clone()), json!(["none", "platt", "lore_ridge"]));
        let [none, platt, ridge] = ["none", "platt", "lore_ridge"].map(|name| found.value(name, "nll"));
        assert!(ridge < platt - 0.01 && platt < none, "{ridge} {platt} {none}");
        assert!(ridge < 0.63, "{ridge}");
        let [before, after] = ["none", "lore_ridge"].map(|name| found.value(name, "mlce_supported"));
        assert!(after < 0.8 * before, "{after} {before}");
    }
    let heart = ["Oldpeak", "HeartDisease", "Age", "MaxHR"];
    let p = |row: [f64; 4]| 1.0 / (1.0 + (0.6 - 0.05 * (row[2] - 54.0) - row[0]).exp());
    if let Some(text) = table("heart.csv", heart, p) {
        let data = open(&text, half);
        let found = data.run(json!({ "methods": ["none", ridge(json!({ "features": X }))], "metrics": ["nll"] }));
        let difference = &found.method("lore_ridge").differences["nll"];
        assert!(difference.low.unwrap() <= 0.0, "{difference:?}");
    }
}
