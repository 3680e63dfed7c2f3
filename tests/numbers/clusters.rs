//! Rows that belong together: standard errors against statsmodels, intervals that cover, folds that keep clusters whole, and
//! no recalibration by remembering a patient.

use std::collections::{HashMap, HashSet};

use crate::support::clustered::{file, truth};
use crate::support::draws::uniform;
use crate::support::pipeline::{near, open};
use localcal::analysis::groups::GroupsOutcome;
use localcal::data::folds::{CALIBRATES, LEFT_OUT, Split};
use localcal::job::Outcome;
use localcal::metric::clinical::clustered_intercept_slope;
use localcal::num::cluster::RowClusters;
use localcal::num::weight::Sampling;
use localcal::report::verdict::Finding;
use localcal::report::view::reliability::chart;
use localcal::report::view::request::ReliabilityRequest;
use serde_json::{Value, json};

#[test]
fn standard_errors_are_those_of_statsmodels() {
    let golden: Value = serde_json::from_str(include_str!("../golden/clusters.json")).unwrap();
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let s = numbers(&golden["s"]);
    let t: Vec<u8> = numbers(&golden["t"]).iter().map(|t| *t as u8).collect();
    let of: Vec<u32> = numbers(&golden["cluster"]).iter().map(|c| *c as u32).collect();
    let (n, groups) = (s.len() as f64, 60.0_f64);
    let found =
        clustered_intercept_slope(&s, &t, None, Sampling::of(Some(RowClusters { of: &of, count: 60 }))).unwrap();
    let ours = [
        ("large", vec![found.intercept_large.unwrap()]),
        ("joint", vec![found.intercept_joint.unwrap(), found.slope.unwrap()]),
    ];
    for (name, ours) in ours {
        let (value, plain) = (numbers(&golden[name]["value"]), numbers(&golden[name]["plain"]));
        let corrected = numbers(&golden[name]["corrected"]);
        let d = ours.len() as f64;
        for (k, ours) in ours.iter().enumerate() {
            near(ours.value, value[k], 1e-7);
            near(ours.standard_error, plain[k] * (groups / (groups - 1.0)).sqrt(), 1e-7);
            // statsmodels' own factor has (n − 1)/(n − d) besides
            near(ours.standard_error, corrected[k] * ((n - d) / (n - 1.0)).sqrt(), 1e-7);
        }
    }
}

/// Intervals of 60 calibrated files of 400 × 8 rows whose outcomes go together. By rows they cover about 80 in 100.
#[test]
fn bootstrap_intervals_cover() {
    let truth = truth();
    let mut hits = [[0; 2]; 2];
    const FILES: u64 = 60;
    for seed in 0..FILES {
        let text = file(400, 8, 0.5, seed);
        for (k, options) in [json!({}), json!({ "clusters": null })].into_iter().enumerate() {
            let ran = open(&text, options).run(json!({ "metrics": ["brier", "auroc"], "resamples": 200 }));
            for (m, id) in ["brier", "auroc"].into_iter().enumerate() {
                let found = ran.metric("none", id);
                hits[k][m] += u32::from(found.low.unwrap() <= truth[m] && truth[m] <= found.high.unwrap());
            }
        }
    }
    let share = |hits: u32| f64::from(hits) / FILES as f64;
    // 95 of 100 with a standard error of 2.8
    assert!(hits[0].iter().all(|&hits| share(hits) >= 0.87), "{hits:?}");
    assert!(hits[1].iter().any(|&hits| share(hits) < 0.9), "the files say nothing: {hits:?}");
}

#[test]
fn folds_keep_clusters_whole() {
    let text = file(150, 7, 0.5, 3);
    let splits = [json!({ "folds": 5 }), json!({ "folds": 10 }), json!({ "half": true })];
    for split in splits {
        let data = open(&text, json!({ "split": split }));
        let data = data.predictions();
        let clusters = data.clusters.as_ref().unwrap();
        assert_eq!((clusters.count, clusters.column.as_str()), (150, "patient_id"));
        for seed in 0..3 {
            let whole = Split::new(data, seed).unwrap();
            let some: Vec<u32> = (0..data.rows as u32).filter(|row| row % 3 != 1).collect();
            let all = [
                whole.clone(),
                Split::halves(data, seed),
                Split::one_fold(data, 4, 1, seed),
                Split::within(data, &some, 5, seed),
            ];
            for split in all {
                let mut of_cluster: HashMap<u32, HashSet<u8>> = HashMap::new();
                let mut sizes: HashMap<u8, [f64; 2]> = HashMap::new();
                for (row, &fold) in split.fold.iter().enumerate().filter(|(_, fold)| **fold != LEFT_OUT) {
                    of_cluster.entry(clusters.of[row]).or_default().insert(fold);
                    let sum = sizes.entry(fold).or_default();
                    sum[0] += 1.0;
                    sum[1] += f64::from(data.y.as_ref().unwrap()[row]);
                }
                assert!(of_cluster.values().all(|folds| folds.len() == 1), "a patient lies in two folds");
                assert!(split.folds > 1 || sizes.contains_key(&CALIBRATES));
            }
            // balanced in rows and in events
            let mut rows: HashMap<u8, [f64; 2]> = HashMap::new();
            for (row, &fold) in whole.fold.iter().enumerate() {
                let sum = rows.entry(fold).or_default();
                sum[0] += 1.0;
                sum[1] += f64::from(data.y.as_ref().unwrap()[row]);
            }
            for k in 0..2 {
                let most = rows.values().map(|sum| sum[k]).fold(0.0, f64::max);
                let least = rows.values().map(|sum| sum[k]).fold(f64::INFINITY, f64::min);
                assert!(most - least <= 0.12 * most + 4.0, "{rows:?}");
            }
        }
        assert_ne!(Split::new(data, 1).unwrap(), Split::new(data, 2).unwrap());
    }
}

/// Where a patient's rows lie in several folds, a local recalibration by what is the patient's own remembers the patient.
#[test]
fn a_local_recalibration_does_not_remember_patients() {
    let ask = json!({ "methods": ["none", "lore_ridge"], "resamples": 0, "metrics": ["nll"],
        "local": { "features": ["x1", "x2"], "gamma": 0.4 } });
    let (mut kept, mut torn) = (0.0, 0.0);
    for seed in 0..3 {
        let text = file(300, 8, 0.6, 40 + seed);
        let gain = |options: Value| {
            let ran = open(&text, options).run(ask.clone());
            ran.value("none", "nll") - ran.value("lore_ridge", "nll")
        };
        kept += gain(json!({}));
        torn += gain(json!({ "clusters": null }));
    }
    assert!(kept < 0.003, "{kept}");
    assert!(torn > 0.01, "the files say nothing: {torn}");
}

/// Redrawn outcomes go together as those of the data do: the floor of an error is higher, and holds what calibrated files show.
#[test]
fn floors_know_of_clusters() {
    let mut above = [0; 2];
    for seed in 0..20 {
        let text = file(200, 10, 0.6, 100 + seed);
        for (k, options) in [json!({}), json!({ "clusters": null })].into_iter().enumerate() {
            let ran = open(&text, options).run(json!({ "metrics": ["ece"], "resamples": 200 }));
            let ece = ran.metric("none", "ece");
            above[k] += u32::from(ece.value.unwrap() > ece.floor_high.unwrap());
        }
    }
    assert!(above[0] <= 3 && above[1] >= 4, "{above:?}");
}

/// The sites of one calibrated file: p-values and intervals allow for patients, tests that cannot say that they do not.
#[test]
fn tests_allow_for_clusters_or_have_no_p_value() {
    let (mut false_claims, mut by_rows) = (0, 0);
    // of diagrams: by site, and of all rows
    let (mut drawn, mut drawn_by_rows) = ([0; 2], [0; 2]);
    for seed in 0..12 {
        let text = file(120, 20, 0.5, 200 + seed);
        // patients lie at one site each
        let mut lines = text.lines();
        let mut with_site = format!("{},site\n", lines.next().unwrap());
        for (i, line) in lines.enumerate() {
            with_site += &format!("{line},S{}\n", i % 120 % 6);
        }
        for (options, claims, panels) in [
            (json!({}), &mut false_claims, &mut drawn),
            (json!({ "clusters": null }), &mut by_rows, &mut drawn_by_rows),
        ] {
            let data = open(&with_site, options);
            let ran = data.run(json!({ "resamples": 0 }));
            let Ok(Outcome::Groups(found)) = data.try_analyse(&ran, json!({ "groups": { "columns": ["site"] } }))
            else {
                panic!("no groups");
            };
            let found: &GroupsOutcome = &found;
            *claims += u32::from(found.groups.iter().any(|group| group.p_holm <= 0.05));
            let asked = [json!({ "by": "group", "columns": ["site"] }), json!({ "by": "method" })];
            for (asked, claims) in asked.into_iter().zip(panels) {
                let Ok(Outcome::Multiples(found)) = data.try_analyse(&ran, json!({ "multiples": asked })) else {
                    panic!("no diagrams");
                };
                assert!(found.of.iter().all(|one| one.p.is_some()), "{:?}", found.verdict);
                *claims += u32::from(found.verdict.finding == Finding::Beyond);
            }
        }
    }
    assert!(false_claims <= 2 && by_rows >= 6, "{false_claims} {by_rows}");
    assert!(drawn.iter().all(|n| *n <= 2), "{drawn:?}, by rows {drawn_by_rows:?}");
    assert!(drawn_by_rows.iter().all(|n| *n >= 5), "{drawn:?}, by rows {drawn_by_rows:?}");
    let data = open(&file(60, 6, 0.5, 9), json!({}));
    let ran = data.run(json!({ "resamples": 0 }));
    let Ok(Outcome::Klce(found)) =
        data.try_analyse(&ran, json!({ "klce": { "features": ["x1", "x2"], "resamples": 50 } }))
    else {
        panic!("no test");
    };
    let verdict = serde_json::to_value(&found.verdict).unwrap().to_string();
    assert!(verdict.contains("rows are clustered by `patient_id`"), "{verdict}");
    // outcomes that were drawn as if rows were independent would tell the p-value that is not stated
    assert!(found.methods.iter().all(|method| method.nulls.is_empty()));
}

/// Attempts at one question have one confidence, and succeed together: bins lie outside a band for independent rows.
#[test]
fn the_null_band_of_a_diagram_allows_for_clusters() {
    let (mut outside, mut by_rows) = (0, 0);
    for seed in 0..20 {
        let mut draw = uniform(500 + seed);
        let mut text = "question_id,confidence,correct\n".to_owned();
        for question in 0..120 {
            let (p, shared) = (0.3 + 0.2 * f64::from(question % 4), draw());
            for _ in 0..6 {
                let (takes, own) = (draw() < 0.8, draw());
                text += &format!("q{question},{p},{}\n", u8::from(if takes { shared } else { own } < p));
            }
        }
        for (options, outside) in [(json!({}), &mut outside), (json!({ "clusters": null }), &mut by_rows)] {
            let data = open(&text, options);
            let ran = data.run(json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" }));
            let drawn = chart(data.predictions(), ran.outcome(), &ReliabilityRequest::default()).unwrap();
            *outside += usize::from(drawn.series[0].bins.iter().any(|bin| !bin.inside_band));
        }
    }
    assert!(outside <= 4 && by_rows >= 8, "{outside} and {by_rows} of 20");
}

/// Of fewer than ten events resamples hold some of the same few: no difference of proxies is called significant.
#[test]
fn proxies_of_few_events_are_not_tested() {
    let text = file(30, 4, 0.3, 11);
    let mut events = 0;
    let few = text.lines().filter(|line| {
        let event = line.split(',').nth(2) == Some("1");
        events += usize::from(event);
        !event || events <= 6
    });
    let data = open(&few.map(|line| format!("{line}\n")).collect::<String>(), json!({ "roles": { "x1": "feature" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let asked = json!({ "inference": { "of": "x1", "resamples": 200 } });
    let Ok(Outcome::Inference(found)) = data.try_analyse(&ran, asked) else { panic!("no proxies") };
    assert_eq!((found.verdict.finding, found.estimates[0].low), (Finding::Untested, None));
    let said = serde_json::to_value(&found.verdict).unwrap().to_string();
    assert!(said.contains("fewer than 10 rows have the rarer outcome") && said.contains("6 events"), "{said}");
}
