//! Every metric in every report and panel: one number wherever it is shown, and an interval that holds what it belongs to.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use localcal::analysis::compare::CompareOutcome;
use localcal::evaluation::comparison::compared;
use localcal::job::{Call, Outcome};
use localcal::metric::entry::{Interval, Metric, MetricRequirement, Replicates};
use localcal::metric::registry::{all, metric, requiring};
use localcal::report::MetricValue;
use localcal::report::methods_table::{TableFormat, TableRequest};
use localcal::words::number::significant;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde_json::{Value, json};

use super::Draws;
use crate::support::pipeline::{Opened, Ran, csv, near, open};

const METHODS: [&str; 3] = ["none", "temperature", "histogram"];
const RESAMPLES: usize = 24;
const GAMMA: f64 = 0.8;

/// Confident scores of `m` classes, two places and a site; with two classes P(y = 1) alone.
fn file(n: usize, m: usize) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(m as u64));
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let names = |class: usize| match m {
        2 => "p".to_owned(),
        _ => format!("p_{class}"),
    };
    columns.extend((0..m.max(3)).map(|class| (names(class), Vec::new())));
    columns.truncate(if m == 2 { 1 } else { m });
    let mut rest: [Vec<f64>; 4] = Default::default();
    for _ in 0..n {
        let z: Vec<f64> = (0..m).map(|_| 3.0 * draws.uniform()).collect();
        let softmax = |heat: f64| -> Vec<f64> {
            let e: Vec<f64> = z.iter().map(|z| (heat * z).exp()).collect();
            e.iter().map(|v| v / e.iter().sum::<f64>()).collect()
        };
        let (truth, says) = (softmax(1.0), softmax(1.7));
        let mut left = draws.uniform();
        let class = truth.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        let class = class.unwrap_or(m - 1);
        for (k, column) in columns.iter_mut().enumerate() {
            column.1.push(if m == 2 { says[1] } else { says[k] });
        }
        for (column, value) in rest.iter_mut().zip([
            class as f64,
            z[0] + draws.uniform(),
            draws.uniform(),
            (3.0 * draws.uniform()).floor(),
        ]) {
            column.push(value);
        }
    }
    let rest = ["label", "x1", "x2", "site"].into_iter().zip(rest);
    columns.extend(rest.map(|(name, values)| (name.to_owned(), values)));
    let columns: Vec<(&str, Vec<f64>)> = columns.iter().map(|(name, values)| (name.as_str(), values.clone())).collect();
    csv(&columns)
}

fn opened(m: usize) -> Opened {
    let roles = json!({ "x1": "feature", "x2": "feature", "site": "group" });
    open(&file(240, m), json!({ "roles": roles, "split": { "folds": 3 } }))
}

/// The file of `m` classes, 2 or 4, with every metric of every method.
fn ran(m: usize) -> &'static (Opened, Ran) {
    static RAN: [OnceLock<(Opened, Ran)>; 2] = [OnceLock::new(), OnceLock::new()];
    RAN[m / 4].get_or_init(|| {
        let data = opened(m);
        let ids: Vec<&str> = all().map(|metric| metric.id).collect();
        let ran = data.run(json!({
            "metrics": ids, "methods": METHODS, "resamples": RESAMPLES, "seed": 4, "proximity": {},
            "local": { "features": ["x1", "x2"], "gamma": GAMMA, "resamples": 16 },
            "klce": { "features": ["x1", "x2"], "resamples": 50 },
        }));
        (data, ran)
    })
}

/// low ≤ corrected ≤ high, or low ≤ value ≤ high where nothing is corrected.
fn held(value: Option<f64>, corrected: Option<f64>, ends: (Option<f64>, Option<f64>), what: &str) {
    let (Some(value), (Some(low), Some(high))) = (value, ends) else {
        assert_eq!(ends, (None, None), "{what}");
        assert_eq!(corrected, None, "{what}");
        return;
    };
    let belongs = corrected.unwrap_or(value);
    assert!(low <= belongs && belongs <= high, "{what}: {low} … {high} of {belongs} (value {value})");
}

fn sound(metric: &Metric, found: &MetricValue, what: &str) {
    let ends = (found.low, found.high);
    held(found.value, found.corrected, ends, what);
    let basic = metric.interval == Interval::Basic;
    assert_eq!(found.corrected.is_some(), basic && found.low.is_some(), "{what}: {found:?}");
    // A metric says itself where its replicates come from, and they are there.
    let resampled = matches!(
        metric.replicates,
        Replicates::Sums(_)
            | Replicates::Classes(_)
            | Replicates::Samples(_)
            | Replicates::Reweighted(..)
            | Replicates::Neighbourhoods { .. }
    ) && metric.interval != Interval::Maximum;
    if found.value.is_some() {
        assert_eq!(found.low.is_some(), resampled, "{what}: {found:?}");
    }
}

fn analysed(data: &Opened, ran: &Ran, request: Value) -> Outcome {
    data.try_analyse(ran, request).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
}

#[test]
fn values_and_intervals_of_a_run_belong_together() {
    for m in [2, 4] {
        let (data, ran) = ran(m);
        let report = &ran.outcome().report;
        // of so few rows no cell of a group can be judged
        let undefined = |id: &str| id == "group_mce_max_supported" || m == 2 && id == "kce_block";
        for method in &report.methods {
            for metric in all() {
                let what = format!("{m} classes, {}, {}", method.name, metric.id);
                let found = &method.metrics[metric.id];
                assert!(found.value.is_some() || undefined(metric.id), "{what}: {found:?}");
                sound(metric, found, &what);
                if let Some(difference) = method.differences.get(metric.id) {
                    sound(metric, difference, &format!("difference of {what}"));
                }
            }
        }
        // What the page writes is what the report holds.
        let words = &ran.outcome().presentation;
        let none = &report.methods[0].metrics;
        for row in &words.scorecard {
            let (found, metric) = (&none[&row.id], metric(&row.id).unwrap());
            assert_eq!(row.value, found.value.map_or("–".to_owned(), significant));
            assert_eq!(row.corrected, found.corrected.map_or(String::new(), significant));
            let ends = found.low.zip(found.high);
            let ends = ends.map(|(l, h)| format!("{} to {}", significant(l), significant(h)));
            assert_eq!(row.interval, ends.unwrap_or_default(), "{}", row.id);
            assert_eq!(row.floor.is_empty(), found.floor_high.is_none() || !metric.floor);
            if let Some(bar) = &row.bar {
                assert_eq!(bar.corrected.is_some(), found.corrected.is_some(), "{}", row.id);
            }
        }
        for id in ["accuracy", "auroc"] {
            let row = words.scorecard.iter().find(|row| row.id == id).unwrap();
            assert!(row.floor.is_empty() && none[id].floor_high.is_some(), "{id}");
        }
        let table = Call::ExportTable(TableRequest { format: TableFormat::Csv, every: true, suppress: None });
        let table = data.export(table, ran);
        for (line, (method, row)) in (table.lines().skip(1)).zip(report.methods.iter().zip(&words.recalibration.rows)) {
            let cells = line.split(',').skip(1).zip(&row.cells).zip(&words.recalibration.columns);
            for ((text, cell), column) in cells {
                let found = &method.metrics[&column.id];
                assert_eq!(text.parse().ok(), found.value, "{} {}", method.name, column.id);
                assert_eq!(cell.number, found.value);
                let Some(difference) = method.differences.get(&column.id) else {
                    continue;
                };
                assert_eq!(
                    cell.difference.iter().any(|part| part.starts_with("corrected")),
                    difference.corrected.is_some(),
                    "{}: {:?}",
                    column.id,
                    cell.difference
                );
            }
        }
    }
}

fn compare(data: &Opened, ran: &Ran, ids: &[&str]) -> CompareOutcome {
    let request = json!({ "metrics": ids, "resamples": RESAMPLES });
    match analysed(data, ran, json!({ "compare": request })) {
        Outcome::Compared(found) => found,
        _ => panic!("not a comparison"),
    }
}

#[test]
fn a_comparison_shows_what_the_run_shows() {
    for m in [2, 4] {
        let (data, ran) = ran(m);
        let ids: Vec<&str> =
            compared().chain(requiring(MetricRequirement::Proximity).into_iter().map(|metric| metric.id)).collect();
        let found = compare(data, ran, &ids);
        for (here, there) in found.methods.iter().zip(&ran.outcome().report.methods) {
            assert_eq!(here.name, there.name);
            for id in &ids {
                let what = format!("{m} classes, {} {id}", here.name);
                let (value, own) = (&here.metrics[*id], &there.metrics[*id]);
                assert_eq!(value.mean, own.value, "{what}");
                for d in [value.to_none, value.to_best].into_iter().flatten() {
                    held(Some(d.value), d.corrected, (d.low, d.high), &what);
                }
                let (Some(d), Some(own)) = (value.to_none, there.differences.get(*id)) else {
                    continue;
                };
                // Distances from the ideal, where there is one: not the difference that the run tells.
                let resampled = metric(id).unwrap().replicates.of_sums().is_some();
                if metric(id).unwrap().better.ideal().is_some() || !resampled {
                    continue;
                }
                assert_eq!(Some(d.value), own.value, "{what}");
                assert_eq!((d.low, d.high), (own.low, own.high), "{what}");
                assert_eq!(d.corrected, own.corrected, "{what}");
            }
        }
        // One metric alone has the numbers that it has among others.
        for id in ["brier", "nll", "brier_top", "ece"] {
            let alone = compare(data, ran, &[id]);
            for (alone, whole) in alone.methods.iter().zip(&found.methods) {
                assert_eq!(alone.metrics[id].to_none, whole.metrics[id].to_none, "{id}");
            }
        }
    }
}

#[test]
fn every_panel_shows_the_value_of_the_run() {
    for m in [2, 4] {
        let (data, ran) = ran(m);
        let value = |method: &str, id: &str| ran.metric(method, id).value;
        let shown: Vec<&Metric> = all().filter(|m| m.interval != Interval::Tested).collect();
        for pair in shown.chunks(2) {
            let (x, y) = (pair[0].id, pair[pair.len() - 1].id);
            let Outcome::Models(found) = analysed(data, ran, json!({ "models": { "x": x, "y": y } })) else {
                panic!("not models")
            };
            assert_eq!(found.points.len(), METHODS.len());
            for point in &found.points {
                let expected = (value(&point.method, x), value(&point.method, y));
                assert_eq!((point.x, point.y), expected, "{m} {} {x} {y}", point.method);
            }
        }
        let ids: Vec<&str> = shown.iter().map(|metric| metric.id).collect();
        let request = json!({ "metrics": ids, "repeats": 1, "groups": ["site"] });
        let Outcome::Correlated(found) = analysed(data, ran, json!({ "correlation": request })) else {
            panic!("not correlations")
        };
        for observed in &found.observations {
            for (id, found) in &observed.values {
                assert_eq!(*found, value(&observed.method, id), "{m} {id}");
            }
        }
        let Outcome::Groups(found) = analysed(data, ran, json!({ "groups": {} })) else { panic!("not groups") };
        for group in &found.groups {
            let [low, high] = group.interval;
            held(Some(group.gap), None, (Some(low), Some(high)), &group.name);
        }
        for method in &found.methods {
            let mean = method.values.iter().flatten().map(|v| v[0]).sum::<f64>() / method.values.len() as f64;
            near(mean, value(&method.method, "group_ece_mean").unwrap(), 1e-12);
            assert_eq!(Some(method.ece_max), value(&method.method, "group_ece_max"));
            assert_eq!(Some(method.mce_max), value(&method.method, "group_mce_max"));
        }
        let Outcome::Multiples(found) = analysed(data, ran, json!({ "multiples": {} })) else {
            panic!("not multiples")
        };
        for one in &found.of {
            assert_eq!(one.ece, value(&one.name, "ece"));
            near(one.gap, value(&one.name, "mean_gap").unwrap(), 1e-12);
        }
        let sweep = json!({
            "methods": METHODS, "features": [["x1", "x2"]],
            "gammas": { "low": GAMMA, "high": 2.0 * GAMMA, "count": 2 },
        });
        let Outcome::Sweep(found) = analysed(data, ran, json!({ "sweep": sweep })) else { panic!("not a sweep") };
        for curve in &found.curves {
            near(curve.gammas[0], GAMMA, 1e-12);
            for (line, id) in [(&curve.mlce, "mlce"), (&curve.mean_lce, "mean_lce")] {
                near(line.value[0], value(&curve.method, id).unwrap(), 1e-6);
            }
        }
        let Outcome::ProximitySheet(found) = analysed(data, ran, json!({ "proximity": {} })) else {
            panic!("not proximity")
        };
        for one in &found.methods {
            let of = |id: &str| value(&one.method, id);
            assert_eq!((Some(one.piece), Some(one.piece_code)), (of("piece"), of("piece_code")));
            assert_eq!((one.bias_index, one.z), (of("bias_index"), of("bias_z")));
        }
        let Outcome::Libraries(found) = analysed(data, ran, json!({ "libraries": {} })) else {
            panic!("not libraries")
        };
        let brier = found.rows.iter().find(|row| row.metric == "brier_score_loss").unwrap();
        assert_eq!(brier.value, value("none", "brier"));
        if m == 2 {
            let request = json!({ "of": "x1", "resamples": 3 });
            let Outcome::Inference(found) = analysed(data, ran, json!({ "inference": request })) else {
                panic!("not a study")
            };
            for one in &found.estimates {
                held(one.error, None, (one.low, one.high), &one.of);
            }
        }
    }
}

/// With few draws quantiles say little; what is shown holds together all the same.
#[test]
fn one_draw_or_few_hold_their_value() {
    for (m, resamples) in [(2, 1), (2, 3), (3, 1), (3, 7)] {
        let ids: Vec<&str> = all().map(|metric| metric.id).collect();
        let data = opened(m);
        let ran = data.run(json!({
            "metrics": ids, "methods": METHODS, "resamples": resamples, "proximity": {},
            "local": { "features": ["x1", "x2"], "gamma": GAMMA, "resamples": resamples },
        }));
        for method in &ran.outcome().report.methods {
            let both: [&BTreeMap<String, MetricValue>; 2] = [&method.metrics, &method.differences];
            for (id, found) in both.into_iter().flatten() {
                let what = format!("{m} {resamples} {} {id}", method.name);
                held(found.value, found.corrected, (found.low, found.high), &what);
                let whole = found.low.is_some() && found.floor_low.is_some();
                assert!(whole || found.reason.is_some() || found.low.is_some(), "{what}: {found:?}");
            }
        }
    }
}

#[test]
fn what_has_no_correction_says_null() {
    let (_, ran) = ran(2);
    let report = serde_json::to_value(&ran.outcome().report).unwrap();
    for metric in all() {
        let found = report["methods"][0]["metrics"][metric.id].as_object().unwrap();
        let basic = metric.interval == Interval::Basic;
        let never = matches!(metric.replicates, Replicates::Never);
        assert_eq!(found["corrected"].is_number(), basic && !never, "{}", metric.id);
    }
}
