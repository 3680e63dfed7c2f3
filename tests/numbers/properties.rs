//! What must hold for any data, from the bytes of a file to the report.

use crate::support::pipeline::{Ran, csv, open};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseResult};
use serde_json::{Value, json};

/// Score, outcome, two places, group.
type Row = (f64, u8, f64, f64, u8);

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.0..=1.0_f64,
        (0..=100_u32).prop_map(|k| f64::from(k) / 100.0),
        (0..=15_u32).prop_map(|k| f64::from(k) / 15.0),
        prop::sample::select(vec![0.0, 0.5, 1.0]),
    ]
}

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let place = prop_oneof![-3.0..3.0_f64, (-3..3_i32).prop_map(f64::from)];
    prop::collection::vec((score(), 0..2_u8, place.clone(), place, 0..4_u8), 1..most)
}

fn text(rows: &[Row], names: [&str; 2]) -> String {
    let column = |of: fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    csv(&[
        (names[0], column(|r| r.0)),
        (names[1], column(|r| f64::from(r.1))),
        ("x1", column(|r| r.2)),
        ("x2", column(|r| r.3)),
        ("g", column(|r| f64::from(r.4))),
    ])
}

fn roles(names: [&str; 2], roles: [&str; 2]) -> Value {
    json!({ names[0]: roles[0], names[1]: roles[1], "x1": "feature", "x2": "feature", "g": "group" })
}

/// Both views of (p, y), and the pair as confidence and correctness.
fn views(rows: &[Row], request: &Value) -> Vec<Ran> {
    let binary = |view: &str| {
        open(&text(rows, ["p", "y"]), json!({ "view": view, "roles": roles(["p", "y"], ["probability", "label"]) }))
    };
    let pair = open(&text(rows, ["c", "a"]), json!({ "roles": roles(["c", "a"], ["confidence", "correct"]) }));
    [binary("positive"), binary("top_label"), pair].iter().map(|data| data.run(request.clone())).collect()
}

fn request(bins: usize, gamma: f64) -> Value {
    json!({ "evaluate_on": "all", "bins": bins, "resamples": 0, "local": { "features": ["x1", "x2"], "gamma": gamma } })
}

fn same(a: &Ran, b: &Ran, ids: &[&str]) -> TestCaseResult {
    for id in ids {
        match (a.metric("none", id).value, b.metric("none", id).value) {
            (Some(a), Some(b)) => {
                prop_assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "{id}: {a} {b}")
            }
            (a, b) => prop_assert_eq!(a, b),
        }
    }
    Ok(())
}

const GLOBAL: [&str; 9] = ["accuracy", "nll", "brier", "brier_top", "ece", "mce", "classwise_ece", "auroc", "mean_gap"];
const LOCAL: [&str; 2] = ["mlce", "mean_lce"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn row_order_does_not_matter((rows, shuffled) in rows(200).prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle()))) {
        let request = request(15, 0.4);
        for (a, b) in views(&rows, &request).iter().zip(&views(&shuffled, &request)) {
            same(a, b, &GLOBAL)?;
            same(a, b, &["ace"])?;
            same(a, b, &LOCAL)?;
        }
    }

    #[test]
    fn duplicated_rows_do_not_matter(rows in rows(120), gamma in 0.05..5.0_f64) {
        let request = request(10, gamma);
        let twice = rows.repeat(2);
        for (a, b) in views(&rows, &request).iter().zip(&views(&twice, &request)) {
            same(a, b, &GLOBAL)?;
            same(a, b, &LOCAL)?;
        }
    }

    #[test]
    fn errors_are_ordered(rows in rows(200), count in 1..30_usize, gamma in 0.01..100.0_f64) {
        for ran in views(&rows, &request(count, gamma)) {
            let of = |id| ran.value("none", id);
            let pairs = ran.rows("none");
            let distance = pairs.score.iter().zip(pairs.target.iter()).map(|(s, &t)| (s - f64::from(t)).abs());
            let (mean, most) = (distance.clone().sum::<f64>() / rows.len() as f64, distance.fold(0.0, f64::max));
            let ordered = [of("mean_gap").abs(), of("ece"), of("mce"), 1.0];
            prop_assert!(ordered.windows(2).all(|w| w[0] <= w[1] + 1e-12), "{ordered:?}");
            prop_assert!(of("ece") <= mean + 1e-12 && of("mean_gap").abs() <= of("ace") + 1e-12);
            prop_assert!(of("mlce") <= most + 1e-9 && of("mean_lce") <= of("mlce") + 1e-12);
            // The table gives the error exactly.
            let n = rows.len() as f64;
            let table: f64 = pairs.bins.iter().map(|b| b.n as f64 / n * (b.mean_score - b.mean_target).abs()).sum();
            prop_assert!((table - of("ece")).abs() < 1e-14);
            if ran.outcome().report.data.view == localcal::data::View::Positive {
                prop_assert!((of("brier") - of("brier_top")).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn finer_bins_see_more(rows in rows(200), count in 1..12_usize, times in 2..5_usize) {
        for (coarse, fine) in views(&rows, &request(count, 1.0)).iter().zip(&views(&rows, &request(count * times, 1.0))) {
            // Edges of the coarse bins are edges of the fine ones, up to rounding: i/B is (i·k)/(B·k) correctly rounded.
            prop_assert!(coarse.value("none", "ece") <= fine.value("none", "ece") + 1e-12);
        }
    }

    #[test]
    fn local_error_between_its_limits(rows in rows(150), count in 1..12_usize) {
        for ran in views(&rows, &request(count, 1e9)) {
            prop_assert!((ran.value("none", "mlce") - ran.value("none", "mce")).abs() < 1e-6);
            prop_assert!((ran.value("none", "mean_lce") - ran.value("none", "ece")).abs() < 1e-6);
        }
        // Every row at a place of its own.
        let apart: Vec<Row> = rows.iter().enumerate().map(|(i, r)| (r.0, r.1, r.2 + 10.0 * i as f64, r.3, r.4)).collect();
        for ran in views(&apart, &request(count, 1e-9)) {
            let pairs = ran.rows("none");
            let most = pairs.score.iter().zip(pairs.target.iter()).map(|(s, &t)| (s - f64::from(t)).abs()).fold(0.0, f64::max);
            prop_assert!((ran.value("none", "mlce") - most).abs() < 1e-9);
        }
    }

    #[test]
    fn lore_between_its_limits(rows in rows(150), first in 0.2..0.8_f64, count in 1..10_usize, shift in -50.0..50.0_f64, scale in 0.01..100.0_f64) {
        prop_assume!(rows.len() > 3);
        let first = ((rows.len() as f64 * first) as usize).max(1);
        let lore = |name: &str, kernel: &str, features: Value, gamma: f64| json!({
            "id": "lore", "name": name, "parameters": { "kernel": kernel, "features": features, "gamma": gamma, "bins": count },
        });
        let places = || json!(["x1", "x2"]);
        let methods = json!([
            "none", { "id": "histogram", "parameters": { "bins": count } },
            lore("wide", "laplacian", places(), 1e9), lore("near", "laplacian", places(), 1e-9),
            lore("group", "group", json!("g"), 1.0), lore("middle", "laplacian", places(), 0.5),
            lore("least", "laplacian", places(), 1e-100),
        ]);
        let open = |rows: &[Row]| {
            open(&text(rows, ["c", "a"]), json!({ "split": { "first": first }, "roles": roles(["c", "a"], ["confidence", "correct"]) }))
        };
        let ran = open(&rows).run(json!({ "methods": methods, "resamples": 0 }));
        let bin = |s: f64| (0..count).rev().find(|&b| s >= b as f64 / count as f64).unwrap();
        let (wide, histogram) = (ran.rows("wide"), ran.rows("histogram"));
        for (k, (a, b)) in wide.score.iter().zip(histogram.score.iter()).enumerate() {
            prop_assert!((a - b).abs() < 1e-6);
            let query = rows[first + k];
            let peers: Vec<&Row> = rows[..first].iter().filter(|r| bin(r.0) == bin(query.0)).collect();
            let mean = |of: &[&Row]| of.iter().map(|r| f64::from(r.1)).sum::<f64>() / of.len() as f64;
            if peers.is_empty() {
                for name in ["near", "group", "middle", "least", "histogram"] {
                    prop_assert_eq!(ran.rows(name).score[k], query.0);
                }
                continue;
            }
            // Nearest rows, tie-averaged; exact ties only where distances are exact.
            let distance = |r: &Row| (r.2 - query.2).abs() + (r.3 - query.3).abs();
            let nearest = peers.iter().map(|r| distance(r)).fold(f64::INFINITY, f64::min);
            let close: Vec<&Row> = peers.iter().copied().filter(|r| distance(r) <= nearest + 1e-12).collect();
            let unclear = peers.iter().any(|r| { let d = distance(r) - nearest; d > 0.0 && d < 1e-6 });
            if !unclear {
                prop_assert!((ran.rows("near").score[k] - mean(&close)).abs() < 1e-6);
            }
            let fellows: Vec<&Row> = peers.iter().copied().filter(|r| r.4 == query.4).collect();
            if !fellows.is_empty() {
                prop_assert!((ran.rows("group").score[k] - mean(&fellows)).abs() < 1e-12);
            }
            prop_assert!(ran.rows("least").score[k].is_finite());
        }
        // Moved, and scaled together with the bandwidth, nothing changes.
        let moved: Vec<Row> = rows.iter().map(|r| (r.0, r.1, r.2 + shift, r.3 - shift, r.4)).collect();
        let scaled: Vec<Row> = rows.iter().map(|r| (r.0, r.1, r.2 * scale, r.3 * scale, r.4)).collect();
        let one = |rows: &[Row], gamma: f64| {
            let ran = open(rows).run(json!({ "methods": [lore("middle", "laplacian", places(), gamma)], "resamples": 0 }));
            ran.rows("middle").score.to_vec()
        };
        let base = ran.rows("middle").score.to_vec();
        for other in [one(&moved, 0.5), one(&scaled, 0.5 * scale)] {
            for (a, b) in base.iter().zip(&other) {
                prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
        // Constant outcomes give constants.
        let always: Vec<Row> = rows.iter().map(|r| (r.0, 1, r.2, r.3, r.4)).collect();
        for (k, s) in one(&always, 0.5).iter().enumerate() {
            prop_assert!(*s == 1.0 || *s == rows[first + k].0);
        }
        // Enormous coordinates stay numbers.
        let huge: Vec<Row> = rows.iter().map(|r| (r.0, r.1, r.2 * 1e150, r.3 * 1e150, r.4)).collect();
        prop_assert!(one(&huge, 1e-100).iter().all(|s| (0.0..=1.0).contains(s)));
    }

    #[test]
    fn recalibrations_keep_what_they_promise(rows in rows(150)) {
        prop_assume!(rows.len() > 10);
        let methods = ["none", "temperature", "platt", "isotonic", "histogram"];
        for ran in views(&rows, &json!({ "methods": methods, "resamples": 0 })) {
            let before = ran.rows("none");
            for name in &methods[1..] {
                let after = ran.rows(name);
                prop_assert_eq!(&before.rows, &after.rows);
                prop_assert_eq!(&before.target, &after.target);
                prop_assert!(after.score.iter().all(|s| (0.0..=1.0).contains(s)));
                prop_assert_eq!(ran.value(name, "accuracy"), ran.value("none", "accuracy"));
            }
            // Within a fold, temperature and isotonic never turn the order round, and temperature keeps the side of 1/2.
            for name in ["temperature", "isotonic"] {
                let after = ran.rows(name);
                for i in 0..before.score.len() {
                    for j in 0..i {
                        if before.fold[i] == before.fold[j] {
                            let (s, r) = (before.score[i] - before.score[j], after.score[i] - after.score[j]);
                            prop_assert!(s * r >= -1e-15, "{name}: {s} {r}");
                        }
                    }
                    if name == "temperature" {
                        prop_assert!((before.score[i] - 0.5) * (after.score[i] - 0.5) >= 0.0);
                    }
                }
            }
        }
    }
}

/// Numbers that depend on the place of rows by what they are: draws, and pairs of neighboring rows.
const BY_PLACE: [&str; 3] = ["p_bernoulli", "p_code", "kce_block"];
/// They choose on inner folds, which are drawn by place.
const CHOOSE: [&str; 2] = ["best", "spline"];
/// Their solvers stop when little is left to win, wherever the last digits of their sums have led them.
const ITERATED: [&str; 12] = [
    "pts",
    "ptsk",
    "vector",
    "matrix",
    "dirichlet",
    "structured_vector",
    "structured_matrix",
    "beta",
    "platt",
    "lcb krr",
    "group_intercept",
    "slice_intercept",
];

/// Sixty rows, half of which calibrate, with many ties: twentieths, written as p and as 1 − (1 − p), on a small grid.
fn tied(seed: u64, classes: usize) -> Vec<String> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut draw = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let tenths = |k: u64, other: bool| {
        let p = k as f64 / 20.0;
        if other { 1.0 - (1.0 - p) } else { p }
    };
    (0..60)
        .map(|i| {
            let scores = if classes == 2 {
                format!("{}", tenths(1 + draw(19), draw(2) == 0))
            } else {
                let a = draw(12);
                let b = draw(12 - a);
                let p = [a + 2, b + 2, 20 - a - b - 4];
                let p = p.map(|k| format!("{}", tenths(k, draw(2) == 0)));
                p.join(",")
            };
            let site = ["north", "south", "west"][draw(3) as usize];
            let set = ["calibration", "test"][i % 2];
            let y = draw(classes as u64);
            format!("{scores},{},{},{site},{set},{y},r{i}", draw(4), draw(3))
        })
        .collect()
}

fn tied_file(rows: &[String], classes: usize, view: &str) -> crate::support::pipeline::Opened {
    let scores = if classes == 2 { "p" } else { "prob_0,prob_1,prob_2" };
    let mut roles = json!({
        "x1": "feature", "x2": "feature", "site": "group", "set": "split", "y": "label", "id": "id",
    });
    if classes == 2 {
        roles["p"] = "probability".into();
    }
    let text = format!("{scores},x1,x2,site,set,y,id\n{}\n", rows.join("\n"));
    open(&text, json!({ "view": view, "roles": roles }))
}

#[test]
fn the_order_of_rows_changes_no_number() {
    use localcal::evaluation::method::alone;
    use localcal::metric::registry::METRICS;
    let ids: Vec<&str> = METRICS.iter().map(|m| m.id).collect();
    let ids: Vec<&str> = ids.into_iter().filter(|id| !BY_PLACE.contains(id)).collect();
    let x = json!(["x1", "x2"]);
    for (seed, classes, view) in
        [(1, 2, "positive"), (2, 2, "top_label"), (3, 3, "top_label"), (4, 2, "top_label"), (5, 3, "top_label")]
    {
        let mut methods: Vec<Value> = alone()
            .map(|entry| entry.id)
            .filter(|id| !CHOOSE.contains(id))
            .map(|id| match id {
                "group_intercept" => json!({ "id": id, "parameters": { "groups": "site" } }),
                // its inner folds are dealt by the order of the rows: with nothing to choose it has none
                "lore_ridge" => {
                    json!({ "id": id, "parameters": { "baseline": "platt", "gamma": 0.5, "kappa": 3 } })
                }
                "slice_intercept" => {
                    let north = json!({ "conditions": [{ "column": "site", "values": ["north"] }] });
                    json!({ "id": id, "parameters": { "slices": [north] } })
                }
                "group_temperature" | "group_histogram" => {
                    json!({ "id": id, "parameters": { "groups": "site", "min_group": 1 } })
                }
                "multicalibration" | "proportional_multicalibration" => {
                    json!({ "id": id, "parameters": { "groups": "site", "min_rows": 2 } })
                }
                id => json!(id),
            })
            .collect();
        let more = [
            ("isotonic+bin_mean_shift", json!({})),
            ("none+bin_mean_shift", json!({ "bins": 4, "proximity_bins": 3 })),
            ("histogram+proximity_stratified", json!({})),
            ("temperature+density_ratio", json!({})),
        ];
        for (id, parameters) in more {
            methods.push(json!({ "id": id, "parameters": parameters }));
        }
        for (name, id, parameters) in [
            ("naeini", "bbq", json!({ "variant": "naeini" })),
            ("rank", "histogram", json!({ "bins": { "count": 4, "scheme": "equal_mass_rank" } })),
            (
                "quantile",
                "histogram",
                json!({ "bins": { "count": 4, "scheme": "equal_mass_quantile", "closed": "right" } }),
            ),
            (
                "lore rank",
                "lore",
                json!({ "features": x, "gamma": 1, "bins": { "count": 4, "scheme": "equal_mass_rank" } }),
            ),
            ("lcb krr", "lcb", json!({ "form": "krr" })),
        ] {
            methods.push(json!({ "id": id, "name": name, "parameters": parameters }));
        }
        let request = |scheme: &str| {
            json!({
                "methods": methods, "metrics": ids, "resamples": 0, "groups": ["site"],
                "bins": { "count": 7, "scheme": scheme }, "local": { "features": x, "gamma": 1 },
                "proximity": { "features": x, "neighbours": 3 },
            })
        };
        let rows = tied(seed, classes);
        let data = tied_file(&rows, classes, view);
        // 60 rows at a stride that meets every one, then backwards.
        for turn in [|k: usize| (k * 17 + 5) % 60, |k: usize| 59 - k] {
            let turned: Vec<String> = (0..60).map(|k| rows[turn(k)].clone()).collect();
            let other = tied_file(&turned, classes, view);
            for scheme in ["equal_width", "equal_mass_rank", "equal_mass_quantile"] {
                let (one, two) = (data.run(request(scheme)), other.run(request(scheme)));
                let mut compared = 0;
                for method in &one.outcome().report.methods {
                    let name = method.name.as_str();
                    let near = |a: f64, b: f64| {
                        let allowed = if ITERATED.contains(&name) { 1e-6 } else { 1e-9 };
                        (a - b).abs() <= allowed * a.abs().max(1.0)
                    };
                    let (before, after) = (one.rows(name), two.rows(name));
                    for (&row, &score) in before.rows.iter().zip(before.score.iter()) {
                        let there = after.rows.iter().position(|&k| turn(k as usize) == row as usize);
                        let there = after.score[there.expect("the same rows")];
                        assert!(near(score, there), "{seed} {scheme} {name} row {row}: {score} {there}");
                    }
                    for id in &ids {
                        let (a, b) = (one.metric(name, id), two.metric(name, id));
                        match (a.value, b.value) {
                            (Some(a), Some(b)) => {
                                assert!(near(a, b), "{seed} {scheme} {name} {id}: {a} {b}");
                                compared += 1;
                            }
                            (a, b) => assert_eq!(a, b, "{seed} {scheme} {name} {id}"),
                        }
                    }
                }
                assert!(compared > 500, "{compared}");
            }
        }
    }
}

/// 1,000 rows say .82, 7 of 10 happen; as many say .18, 2 of 10 happen: as confidences all say .82, and 3 of 4 are right.
#[test]
fn mirrored_rows_have_one_confidence_for_every_method() {
    let rows = |p: f64, events: usize| (0..200).map(move |i| (p, u8::from(i % 10 < events)));
    let all: Vec<(f64, u8)> = rows(0.82, 7).chain(rows(0.18, 2)).collect();
    let file = |rows: &[(f64, u8)]| {
        let mut text = "p,y,set\n".to_owned();
        for set in ["calibration", "test"] {
            rows.iter().for_each(|(p, y)| text.push_str(&format!("{p},{y},{set}\n")));
        }
        let roles = json!({ "p": "probability", "y": "label", "set": "split" });
        open(&text, json!({ "view": "top_label", "roles": roles }))
    };
    let methods = json!([
        "none", "isotonic", "venn_abers", "histogram", "bbq", { "id": "bbq", "name": "naeini", "parameters": { "variant": "naeini" } },
        { "id": "histogram", "name": "rank", "parameters": { "bins": { "count": 3, "scheme": "equal_mass_rank" } } },
        { "id": "histogram", "name": "quantile", "parameters": { "bins": { "count": 3, "scheme": "equal_mass_quantile" } } },
    ]);
    let metrics = json!(["ece", "mce", "ace", "ks", "auroc", "prr", "debiased_ece_l2", "miscalibration", "ici"]);
    for bins in [json!(15), json!({ "count": 4, "scheme": "equal_mass_rank" }), json!({ "count": 50 })] {
        let request = json!({ "methods": methods, "metrics": metrics, "resamples": 0, "bins": bins });
        let ran = file(&all).run(request.clone());
        // The same with every confidence written alike.
        let alike: Vec<(f64, u8)> = all.iter().map(|&(p, y)| if p < 0.5 { (0.82, 1 - y) } else { (p, y) }).collect();
        let rounded = file(&alike).run(request);
        for method in &ran.outcome().report.methods {
            for (id, metric) in &method.metrics {
                match (metric.value, rounded.metric(&method.name, id).value) {
                    (Some(a), Some(b)) => {
                        assert!((a - b).abs() < 1e-12, "{} {id}: {a} {b}", method.name)
                    }
                    (a, b) => assert_eq!(a, b, "{} {id}", method.name),
                }
            }
            let scores = &ran.rows(&method.name).score;
            let apart = scores.iter().map(|s| (s - scores[0]).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-15, "{}: {apart}", method.name);
        }
        // scikit-learn 1.9: IsotonicRegression().fit(round(c, 12), a).predict
        assert!(ran.rows("isotonic").score.iter().all(|s| (s - 0.75).abs() < 1e-15));
        assert!((ran.value("none", "auroc") - 0.5).abs() < 1e-15);
    }
}
