//! Whole weights and repeated rows, equal weights and none.

use localcal::metric::Reason;
use serde_json::json;

use super::made::*;
use crate::support::pipeline::{Opened, Ran, near, open};
use localcal::job::Outcome;
use localcal::job::reply::reply;

/// Ids that have a value under weights, whatever the data.
fn with_value(ran: &Ran) -> Vec<String> {
    let metrics = ran.method("none").metrics.iter();
    let some = metrics.filter(|(_, value)| value.value.is_some());
    some.map(|(id, _)| id.clone()).collect()
}

#[test]
fn whole_weights_are_repeated_rows() {
    for (header, rows) in [(BINARY, binary(120, 1)), (BINARY, binary(31, 2)), (MANY, many(110, 3))] {
        let ours = all_metrics(&weighted(header, &rows, json!({})), 0);
        let theirs = all_metrics(&repeated(header, &rows, json!({})), 0);
        let ids = with_value(&ours);
        assert!(ids.len() > 18, "{ids:?}");
        for id in ids {
            let tolerance = match id.as_str() {
                "intercept_large" | "intercept_joint" | "slope" | "mmce_w" => 1e-9,
                _ => 1e-12,
            };
            println!("{id}");
            near(ours.value("none", &id), theirs.value("none", &id), tolerance);
        }
    }
}

/// `df.groupby(["p", "y", "site"]).size()`: as many rows, with the same numbers.
#[test]
fn a_table_of_counts_is_its_rows() {
    let mut u = uniform(31);
    let mut cells = std::collections::BTreeMap::new();
    let mut rows = "p,y,site\n".to_owned();
    for _ in 0..900 {
        let p = 0.05 + (20.0 * u()).floor() / 22.0;
        let (y, site) = (u8::from(u() < p), if u() < 0.4 { "north" } else { "south" });
        let cell = format!("{p:.4},{y},{site}");
        rows += &format!("{cell}\n");
        *cells.entry(cell).or_insert(0) += 1;
    }
    let counts: String = cells.iter().map(|(cell, n)| format!("{cell},{n}\n")).collect();
    let ids = ["ece", "brier", "nll", "auroc", "intercept_large", "slope"];
    let request = json!({ "evaluate_on": "all", "resamples": 20, "metrics": ids });
    let run = |opened: &Opened| opened.run(request.clone());
    let theirs = open(&rows, json!({}));
    // recognized, and as it is once the guess was confirmed
    for roles in [json!({}), json!({ "p": "probability", "y": "label", "site": "group", "n": "weight" })] {
        let ours = open(&format!("p,y,site,n\n{counts}"), json!({ "roles": roles }));
        let (ours, theirs) = (run(&ours), run(&theirs));
        assert_eq!(ours.outcome().report.data.evaluation_rows, 900);
        for id in ids {
            near(ours.value("none", id), theirs.value("none", id), 1e-9);
        }
        let (ours, theirs) = (ours.metric("none", "auroc"), theirs.metric("none", "auroc"));
        near(ours.low.unwrap(), theirs.low.unwrap(), 1e-9);
    }
    // something else than a number of rows is none
    let other = open(&format!("p,y,site,n\n{counts}"), json!({ "roles": { "n": "feature" } }));
    assert_eq!(run(&other).outcome().report.data.evaluation_rows, cells.len());
}

#[test]
fn equal_weights_are_none() {
    for (header, rows) in [(BINARY, binary(150, 4)), (MANY, many(130, 5))] {
        let equal: Vec<Row> = rows.iter().map(|(cells, _)| (cells.clone(), 0.3)).collect();
        let ours = all_metrics(&weighted(header, &equal, json!({})), 12);
        let theirs = all_metrics(&plain(header, &rows, json!({})), 12);
        for id in with_value(&ours) {
            let (a, b) = (ours.metric("none", &id), theirs.metric("none", &id));
            assert_eq!((a.resamples, &a.reason), (b.resamples, &b.reason), "{id}");
            // replicates are summed in single precision; the scaled Brier score divides them by at most ¼
            let single = if id == "scaled_brier" { 8e-8 } else { 2e-8 };
            for (a, b, tolerance) in [
                (a.value, b.value, 1e-12),
                (a.low, b.low, single),
                (a.high, b.high, single),
                (a.floor_mean, b.floor_mean, single),
                (a.floor_low, b.floor_low, single),
                (a.floor_high, b.floor_high, single),
            ] {
                assert_eq!(a.is_some(), b.is_some(), "{id}");
                println!("{id}");
                near(a.unwrap_or(0.0), b.unwrap_or(0.0), tolerance);
            }
        }
        let bins = |ran: &Ran| ran.rows("none").bins.clone();
        for (a, b) in bins(&ours).iter().zip(&bins(&theirs)) {
            assert_eq!((a.bin, a.n, a.weight, a.effective), (b.bin, b.n, b.weight, b.effective));
            near(a.gap, b.gap, 1e-12);
            near(a.target_high, b.target_high, 1e-12);
        }
    }
}

/// Intervals and floors of weights that vary surround what they should, and are wider than those of equal weights.
#[test]
fn unequal_weights_widen_intervals_and_floors() {
    let rows = binary(400, 6);
    let mut u = uniform(9);
    let unequal: Vec<Row> = rows.iter().map(|(cells, _)| (cells.clone(), if u() < 0.1 { 20.0 } else { 0.5 })).collect();
    let run = |opened: Opened| opened.run(json!({ "evaluate_on": "all", "resamples": 200 }));
    let ours = run(weighted(BINARY, &unequal, json!({})));
    let theirs = run(plain(BINARY, &rows, json!({})));
    for id in ["brier", "accuracy", "mean_gap", "auroc"] {
        let width = |ran: &Ran| {
            let value = ran.metric("none", id);
            let floor = value.floor_high.unwrap() - value.floor_low.unwrap();
            (value.high.unwrap() - value.low.unwrap(), floor)
        };
        let (wide, narrow) = (width(&ours), width(&theirs));
        assert!(wide.0 > 1.5 * narrow.0, "{id}: {wide:?} {narrow:?}");
        assert!(wide.1 > 1.5 * narrow.1, "{id}: {wide:?} {narrow:?}");
        let value = ours.metric("none", id);
        let (low, high) = (value.low.unwrap(), value.high.unwrap());
        assert!((low..=high).contains(&value.value.unwrap()), "{id}");
    }
}

#[test]
fn what_counts_rows_is_null_with_a_reason() {
    let rows = binary(90, 7);
    let opened = weighted(BINARY, &rows, json!({}));
    let ran = all_metrics(&opened, 20);
    for id in [
        "ace",
        "classwise_ace",
        "debiased_ece_l1",
        "debiased_ece_l2",
        "ici",
        "e50",
        "e90",
        "emax",
        "spiegelhalter_z",
        "hosmer_lemeshow",
        "kce_biased",
        "kce_unbiased",
        "kce_block",
        "prr",
        "reward_2",
    ] {
        let value = ran.metric("none", id);
        assert_eq!(value.value, None, "{id}");
        assert_eq!((value.low, value.floor_mean), (None, None), "{id}");
        assert_eq!(value.reason.as_ref().map(Reason::text).as_deref(), Some("not defined with sample weights"), "{id}");
    }
    let bins = json!({ "count": 5, "scheme": "equal_mass_quantile" });
    let error = opened.try_run(json!({ "bins": bins })).err().unwrap();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("invalid_option", "Bins of equal mass are not defined with sample weights.")
    );
}

#[test]
fn rows_of_weight_0_take_no_part() {
    let rows = binary(60, 8);
    let none = rows.iter().filter(|(_, w)| *w == 0.0).count();
    let opened = weighted(BINARY, &rows, json!({ "split": { "folds": 3 } }));
    let ran = opened.run(json!({ "resamples": 0, "methods": ["none", "platt"] }));
    let report = &ran.outcome().report;
    assert_eq!(report.data.weights.as_deref(), Some("sample_weight"));
    assert_eq!(report.data.rows, 60);
    assert_eq!(report.data.evaluation_rows, 60 - none);
    assert!(none > 5);
    let scored = &ran.rows("platt").rows;
    assert!(scored.iter().all(|&row| rows[row as usize].1 > 0.0));
}

/// SLCE = Σ w k (s − t) / Σ w k, with intervals and floors of its mean.
#[test]
fn local_error_is_weighted() {
    let local = json!({
        "features": ["x1", "x2"], "kernel": "laplacian", "gamma": 0.4, "bins": 5, "resamples": 20,
    });
    let request = json!({ "evaluate_on": "all", "resamples": 0, "local": local });
    let rows = binary(140, 21);
    let whole = weighted(BINARY, &rows, json!({})).run(request.clone());
    let copies = repeated(BINARY, &rows, json!({})).run(request.clone());
    let equal: Vec<Row> = rows.iter().map(|(cells, _)| (cells.clone(), 0.3)).collect();
    let even = weighted(BINARY, &equal, json!({})).run(request.clone());
    let once = plain(BINARY, &rows, json!({})).run(request);
    for id in ["mlce", "mean_lce"] {
        near(whole.value("none", id), copies.value("none", id), 1e-12);
        let (a, b) = (even.metric("none", id), once.metric("none", id));
        for (a, b) in [(a.value, b.value), (a.low, b.low), (a.floor_mean, b.floor_mean), (a.floor_high, b.floor_high)] {
            assert_eq!(a.is_some(), b.is_some(), "{id}");
            near(a.unwrap_or(0.0), b.unwrap_or(0.0), 1e-12);
        }
    }
    let mut slce = copies.outcome().report.local.as_ref().unwrap().slce.iter();
    let ours = whole.outcome().report.local.as_ref().unwrap();
    let counted = rows.iter().filter(|(_, w)| *w > 0.0);
    for ((_, w), a) in counted.zip(ours.slce.iter()) {
        near(*a, *slce.next().unwrap(), 1e-12);
        for _ in 1..*w as usize {
            slce.next();
        }
    }
}

#[test]
fn analyses_that_count_rows_say_so() {
    let rows = binary(150, 22);
    let words = "Unweighted: the sample weights in sample_weight are not used here.";
    let run = |opened: &Opened, id: &str| {
        let ran = opened.run(json!({ "resamples": 0 }));
        reply(&opened.try_analyse(&ran, json!({ id: {} })).unwrap()).unwrap().to_string()
    };
    for id in ["groups", "decide"] {
        assert!(run(&weighted(BINARY, &rows, json!({})), id).contains(words), "{id}");
        assert!(!run(&plain(BINARY, &rows, json!({})), id).contains("Unweighted"), "{id}");
    }
    // what uses the weights does not deny it
    let mut dated = rows.clone();
    for (row, (cells, _)) in dated.iter_mut().enumerate() {
        cells.push_str(&format!(",2024-{:02}-{:02}", 1 + row % 12, 1 + row % 28));
    }
    let opened = weighted(&format!("{BINARY},day"), &dated, json!({ "roles": { "day": "date" } }));
    assert!(!run(&opened, "over_time").contains("Unweighted"));
}

/// Small multiples and the comparison of methods are those of repeated rows.
#[test]
fn diagrams_and_comparisons_are_weighted() {
    let rows = binary(160, 23);
    let request = json!({
        "evaluate_on": "all", "resamples": 20, "methods": ["none", "platt"],
        "metrics": ["ece", "ace", "nll"],
    });
    let found = |opened: &Opened, id: &str, options: serde_json::Value| {
        let ran = opened.run(request.clone());
        opened.try_analyse(&ran, json!({ id: options })).unwrap()
    };
    let of_groups = |opened: &Opened| {
        let options = json!({ "by": "group", "columns": ["site"] });
        let Outcome::Multiples(found) = found(opened, "multiples", options) else {
            panic!("not multiples");
        };
        found.of
    };
    let ours = of_groups(&weighted(BINARY, &rows, json!({})));
    let theirs = of_groups(&repeated(BINARY, &rows, json!({})));
    assert_eq!(ours.len(), 2);
    for (a, b) in ours.iter().zip(&theirs) {
        assert_eq!(a.name, b.name);
        near(a.ece.unwrap(), b.ece.unwrap(), 1e-12);
        near(a.gap, b.gap, 1e-12);
    }
    let opened = weighted(BINARY, &rows, json!({}));
    let compared = found(&opened, "compare", json!({}));
    let words = reply(&compared).unwrap().to_string();
    assert!(!words.contains("Unweighted"));
    let run = opened.run(request.clone());
    let job = localcal::job::Job::Call(localcal::job::Call::View {
        request: serde_json::from_value(json!({ "reliability": {} })).unwrap(),
    });
    let view = localcal::job::run(&job, &[&opened.0, &run.0], vec![], &mut |_| ()).unwrap();
    let words = serde_json::to_string(&view).unwrap();
    assert!(words.contains("Means, proportions and intervals are weighted") && words.contains("Σ w"));
}
