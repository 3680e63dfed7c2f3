//! Multicalibration as a method of a run, and the constant rows of the published comparison.

use localcal::metric::Reason;
use std::collections::BTreeMap;

use localcal::hypothesis::witness::{SCALED, WitnessForm, WitnessKernel};
use localcal::kernel::{Part, Points, Queries, sums};
use localcal::num::Memberships;
use localcal::recalibrate::multicalibration::{PublishedOptions, apply_in_company, fit_published};
use localcal::table::MISSING;
use serde_json::{Value, json};

use super::ahs::{Ahs, ahs};
use super::made::rows;
use crate::support::pipeline::{near, open};

fn by_hand(fit: &Value, s: f64, belongs: &dyn Fn(&str) -> bool) -> f64 {
    let edges: Vec<f64> = fit["fit"]["edges"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let mut p = s;
    for step in fit["fit"]["steps"].as_array().unwrap() {
        let group = fit["groups"][step[0].as_u64().unwrap() as usize].as_str().unwrap();
        let bin = edges[1..edges.len() - 1].iter().filter(|&&edge| p >= edge).count();
        if belongs(group) && bin as u64 == step[1].as_u64().unwrap() {
            p = (p + step[2].as_f64().unwrap()).clamp(0.0, 1.0);
        }
    }
    p
}

#[test]
fn groups_and_their_intersections_are_recalibrated() {
    let text = rows(6000, 8);
    let data = open(&text, json!({ "split": { "first": 4000 } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none", "histogram", "multicalibration", "proportional_multicalibration"] }));
    for id in ["multicalibration", "proportional_multicalibration"] {
        assert!(
            ran.value(id, "brier") < ran.value("none", "brier") - 0.01,
            "sites differ by 30 points: {} {}",
            ran.value(id, "brier"),
            ran.value("none", "brier")
        );
    }
    let fit = &data.calibrators(&ran)["multicalibration"];
    assert_eq!(fit["columns"], json!(["site", "sex"]));
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let found = ran.rows("multicalibration");
    for (&row, &score) in found.rows.iter().zip(found.score.iter()) {
        let cells = &lines[row as usize];
        let belongs = |group: &str| {
            group
                .split(" and ")
                .all(|part| part == format!("site = {}", cells[3]) || part == format!("sex = {}", cells[4]))
        };
        near(by_hand(fit, cells[0].parse().unwrap(), &belongs), score, 1e-12);
    }
}

#[test]
fn the_published_order_is_a_choice() {
    let data = open(&rows(3000, 9), json!({ "split": { "first": 2000 } }));
    let method = |id: &str, parameters: Value| json!({ "id": id, "name": "asked", "parameters": parameters });
    let run = |asked: Value| data.run(json!({ "resamples": 0, "methods": ["none", asked] }));
    let published = run(method("multicalibration", json!({ "groups": "site", "compat": "pmcboost", "visits": 5000 })));
    assert!(published.value("asked", "brier") < published.value("none", "brier") - 0.003);
    assert_eq!(published.method("asked").parameters["fit"]["closed"], "right");
    let short =
        run(method("proportional_multicalibration", json!({ "groups": ["site"], "compat": "pmcboost", "visits": 3 })));
    let told = &short.method("asked").warnings[0].message;
    assert!(told.starts_with("stopped after 3 cells"), "{told}");
    for (id, parameters, words) in [
        ("multicalibration", json!({ "rho": 0.1 }), "has no rho"),
        ("multicalibration", json!({ "gamma": 0.1 }), "gamma and visits belong to the pmcboost form"),
        ("multicalibration", json!({ "compat": "pmcboost", "min_rows": 3 }), "fixed bins (tenths)"),
        ("multicalibration", json!({ "compat": "other" }), "Unknown form `other`"),
        ("multicalibration", json!({ "alpha": 0 }), "alpha is 0"),
        ("proportional_multicalibration", json!({ "rho": 2 }), "rho is 2"),
        ("multicalibration", json!({ "groups": ["site", "nowhere"] }), "`nowhere`"),
        ("multicalibration", json!({ "groups": 3 }), "groups are the name of a column"),
    ] {
        let request = json!({ "methods": [method(id, parameters)] });
        let error = data.try_run(request).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
    let bare = open(&rows(300, 9), json!({ "roles": { "site": "feature", "sex": "ignore" } }));
    let ran = bare.run(json!({ "resamples": 0, "methods": ["none", "multicalibration"] }));
    assert_eq!(
        ran.metric("multicalibration", "nll").reason.as_ref().map(Reason::text).as_deref(),
        Some("groups_missing")
    );
}

/// Groups of equal incomes, of races, and of both, numbered by rising values.
fn groups(all: &Ahs, rows: &[u32]) -> Memberships {
    let (income, black) = (all.column("HINCP"), all.column("BLACK"));
    let number = |v: f64| (v + 0.0).to_bits() ^ if v < 0.0 { u64::MAX } else { 1 << 63 };
    let mut values: [BTreeMap<(u64, u64), u32>; 3] = Default::default();
    let of = |row: u32| {
        let (a, b) = (number(income[row as usize]), number(black[row as usize]));
        [(a, 0), (b, 0), (a, b)]
    };
    for row in 0..all.n() as u32 {
        for (values, key) in values.iter_mut().zip(of(row)) {
            values.insert(key, MISSING);
        }
    }
    let mut count = 0;
    for value in values.iter_mut().flat_map(BTreeMap::values_mut) {
        *value = count;
        count += 1;
    }
    let each = rows.iter().flat_map(|&row| {
        let keys = of(row);
        [0, 1, 2].map(|k: usize| values[k][&keys[k]])
    });
    Memberships { width: 3, groups: each.collect(), count: count as usize }
}

/// KLCE² as published, T / [((n − 1)/n) ΣK], and unbiased, T / (n(n − 1)).
fn klce2(kernel: &WitnessKernel, all: &Ahs, rows: &[u32], p: &[f64]) -> (f64, f64) {
    let (income, black) = (all.column("HINCP"), all.column("BLACK"));
    let x: Vec<f64> = rows.iter().flat_map(|&row| [income[row as usize], black[row as usize]]).collect();
    let e: Vec<f64> = rows.iter().zip(p).map(|(&row, p)| f64::from(all.owner[row as usize]) - p).collect();
    let places = kernel.places(Points::row_major(2, &x).unwrap(), p).unwrap();
    let own = Queries::Sources { leave_one_out: false };
    let found = sums(own, Points::new(places.view()).unwrap(), &e, 1, SCALED, false, Part::WHOLE).unwrap();
    let n = rows.len() as f64;
    let with_own: f64 = (0..e.len()).map(|i| e[i] * found.mean[i] * found.mass[i]).sum();
    let t = with_own - e.iter().map(|e| e * e).sum::<f64>();
    let mass: f64 = found.mass.iter().sum();
    (t / ((n - 1.0) / n * mass), t / (n * (n - 1.0)))
}

/// The specification, 11.2: the rows of Table 1 with a constant model.
#[test]
fn constant_models_of_the_published_comparison() {
    let Some(all) = ahs() else { return };
    let order: Vec<u32> = include_bytes!("../../golden/ahs_split.bin")
        .chunks_exact(2)
        .map(|two| u32::from(u16::from_le_bytes([two[0], two[1]])))
        .collect();
    let (test, train) = order.split_at(12_165);
    let mean =
        |rows: &[u32]| rows.iter().map(|&row| f64::from(all.owner[row as usize])).sum::<f64>() / rows.len() as f64;
    let rate = mean(train);
    near(rate, 0.6314563638854638, 1e-15);
    let kernel = |width_p: f64, gamma: f64| WitnessKernel { form: WitnessForm::Product, width_p, gamma };
    let (code, paper) = klce2(&kernel(0.1, 0.5), &all, test, &vec![rate; test.len()]);
    near(code, 0.0028152461208286557, 1e-13);
    near(paper, 0.0022588639, 5e-11);

    // The first half of the training rows fits the constant, the second calibrates.
    let (first, second) = train.split_at(train.len() / 2);
    let constant = mean(first);
    let t: Vec<u8> = second.iter().map(|&row| all.owner[row as usize]).collect();
    let recalibrated = |rho: Option<f64>| {
        let options = PublishedOptions { rho, ..PublishedOptions::default() };
        let fit = fit_published(&vec![constant; second.len()], &t, &groups(&all, second), &options).unwrap();
        let (s, by) = (vec![constant; test.len()], groups(&all, test));
        apply_in_company(&fit.parameters, &options, &s, &by)
    };
    let proportional = recalibrated(Some(0.1));
    near(klce2(&kernel(0.7, 0.5), &all, test, &proportional).0, 0.0016783577373652148, 1e-13);
    near(klce2(&kernel(0.2, 25.0), &all, test, &proportional).0, 0.008403606374076084, 1e-13);
    let plain = recalibrated(None);
    near(klce2(&kernel(0.7, 0.5), &all, test, &plain).0, 0.00167847, 5e-9);
}
