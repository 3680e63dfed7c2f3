//! Recalibrations fitted to rows with weights: as to repeated rows, and as to rows without weights where all are equal.

use serde_json::{Value, json};

use super::made::*;
use crate::support::pipeline::{Opened, Ran, near};

/// The first half calibrates; a column says so, because repeated rows move.
fn halves(rows: Vec<Row>, header: &str) -> (String, Vec<Row>) {
    let half = rows.len() / 2;
    let set = |(i, (cells, w)): (usize, Row)| {
        let set = if i < half { "calibration" } else { "test" };
        (format!("{cells},{set}"), w)
    };
    let rows = rows.into_iter().enumerate().map(set).collect();
    (format!("{header},set"), rows)
}

/// Scores of the scored rows that count, each once, in the order of the file.
fn scores(ran: &Ran, method: &str, copies: Option<&[Row]>) -> Vec<f64> {
    let score = &ran.rows(method).score;
    let Some(rows) = copies else {
        return score.to_vec();
    };
    let mut at = 0;
    let mut found = Vec::new();
    for (cells, w) in rows {
        if cells.ends_with("test") && *w > 0.0 {
            found.push(score[at]);
            at += *w as usize;
        }
    }
    found
}

fn compared(ours: &Ran, theirs: &Ran, copies: Option<&[Row]>, tolerance: impl Fn(&str) -> f64) {
    for method in &ours.outcome().report.methods {
        println!("{}", method.name);
        let a = scores(ours, &method.name, None);
        let b = scores(theirs, &method.name, copies);
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            near(*a, *b, tolerance(&method.name));
        }
    }
}

fn run(opened: &Opened, methods: &[Value]) -> Ran {
    opened.run(json!({ "methods": methods, "metrics": ["nll"], "resamples": 0 }))
}

fn ids(list: &[&str]) -> Vec<Value> {
    list.iter().map(|id| json!(id)).collect()
}

#[test]
fn whole_weights_fit_as_repeated_rows() {
    let by_site = json!({ "groups": "site", "min_group": 1 });
    let groups = ["group_temperature", "group_histogram"];
    let grouped = groups.map(|id| json!({ "id": id, "parameters": by_site }));
    for (header, rows, more) in
        [(BINARY, binary(160, 11), grouped.to_vec()), (MANY, many(200, 12), ids(&["vector", "ets", "mir"]))]
    {
        let (header, rows) = halves(rows, header);
        // Smoothed targets count rows.
        let platt = json!({ "id": "platt", "parameters": { "smoothing": false } });
        let mut methods = ids(&["temperature", "intercept", "isotonic", "histogram", "beta"]);
        methods.push(platt);
        methods.extend(more);
        let ours = run(&weighted(&header, &rows, json!({})), &methods);
        let theirs = run(&repeated(&header, &rows, json!({})), &methods);
        compared(&ours, &theirs, Some(&rows), |name| match name {
            "isotonic" | "histogram" | "group_histogram" | "mir" => 1e-12,
            "vector" => 1e-5,
            _ => 1e-7,
        });
    }
}

#[test]
fn equal_weights_fit_as_none() {
    let of_vectors = ["vector", "matrix", "dirichlet", "ets", "mir", "best"];
    for (header, rows, more) in
        [(BINARY, binary(120, 13), ids(&["venn_abers", "bbq"])), (MANY, many(150, 14), ids(&of_vectors))]
    {
        let mut methods = ids(&["temperature", "intercept", "platt", "isotonic", "histogram", "beta"]);
        methods.extend(more);
        let equal: Vec<Row> = rows.iter().map(|(cells, _)| (cells.clone(), 0.7)).collect();
        let ours = run(&weighted(header, &equal, json!({})), &methods);
        let theirs = run(&plain(header, &rows, json!({})), &methods);
        compared(&ours, &theirs, None, |_| 1e-12);
    }
}

#[test]
fn fits_that_count_rows_say_so() {
    let opened = weighted(BINARY, &binary(120, 15), json!({}));
    let ran = run(&opened, &ids(&["none", "platt", "venn_abers", "bbq"]));
    let told = |name: &str| -> Vec<String> {
        let warnings = ran.method(name).warnings.iter();
        let about = warnings.filter(|warning| warning.code == "fit_not_weighted");
        about.map(|warning| warning.message.clone()).collect()
    };
    assert!(told("none").is_empty() && told("platt").is_empty());
    assert_eq!(told("bbq"), ["`bbq` does not support sample weights; its fit weights all rows equally."]);
    assert_eq!(told("venn_abers").len(), 1);
}
