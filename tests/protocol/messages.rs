//! The protocol between page and workers: any number of workers gives the same bits, and messages keep their form.

use crate::support::draws::park_miller;
use crate::support::pipeline::{asked, open, planned, request, text};
use crate::support::workers::{apart, pooled, written};
use localcal::hypothesis::STEPS;
use localcal::job::{Call, Job, Node, Outcome, execute, execute_after, run};
use localcal::kernel::Engine;
use localcal::run::graph::inputs_of;
use localcal::run::step::{LocalError, WriteReport};
use serde_json::{Value, json};

fn synthetic() -> Outcome {
    let example = asked(Call::Example { name: "synthetic".into() }, &[]).expect("an example");
    open(&text(example), json!({})).0
}

/// A request, or options, written as JSON.
fn of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn plan(data: &Outcome, written: &str) -> Vec<Node> {
    planned(Call::Plan { request: request(of(written)) }, &[data]).expect("a plan")
}

fn plan_analysis(given: &[&Outcome], written: &str) -> Vec<Node> {
    planned(Call::PlanAnalysis { request: request(of(written)) }, given).expect("a plan")
}

const REQUEST: &str = r#"{
    "methods": ["none", "temperature", "platt", "isotonic", "histogram", "lore"],
    "local": { "features": ["x1", "x2"], "gamma": 0.4, "resamples": 8 },
    "resamples": 40, "seed": 3
}"#;

/// One worker, two and seven give the bits that this thread gives.
fn same_bits(nodes: &[Node], given: &[&Outcome]) -> Outcome {
    let outcome = execute_after(nodes, given).expect("an outcome");
    for workers in [1, 2, 7] {
        let there = pooled(nodes, given, workers).expect("an outcome");
        assert_eq!(apart(&outcome, &there), None, "{workers} workers");
    }
    outcome
}

#[test]
fn one_two_and_seven_workers_give_the_same_bits() {
    let data = synthetic();
    let nodes = plan(&data, REQUEST);
    let report = same_bits(&nodes, &[&data]);
    let given = [&data, &report];
    for request in [
        r#"{ "sweep": { "methods": ["none", "lore"], "gammas": { "count": 5 }, "floor": 3 } }"#,
        r#"{ "sweep": { "methods": ["none", "platt"], "gammas": { "count": 3 }, "seeds": 2,
            "features": [["x1", "x2"], "x1"] } }"#,
    ] {
        let outcome = same_bits(&plan_analysis(&given, request), &given);
        assert!(matches!(outcome, Outcome::Sweep(_)));
    }
}

/// The plan with one report on all methods, in place of one after each: the nodes, and how many reports there were.
fn with_one_report(nodes: &[Node]) -> (Vec<Node>, usize) {
    let mut all = Vec::new();
    let mut reports = 0;
    for node in nodes {
        if let Job::WriteReport(report) = &node.job {
            all.extend_from_slice(&report.new);
            reports += 1;
        }
    }
    let mut nodes = nodes.to_vec();
    let last = nodes.last_mut().expect("a report");
    let Job::WriteReport(report) = &last.job else { panic!("not a report") };
    let at_once = WriteReport { so_far: None, known: Vec::new(), new: all, ..report.clone() };
    last.needs = inputs_of(&at_once).expect("needs");
    last.job = at_once.into();
    (nodes, reports)
}

#[test]
fn reports_one_after_the_other_end_in_the_report_on_all_methods_at_once() {
    let data = synthetic();
    for (methods, expected) in [
        (r#"["none", "temperature", "lore", "isotonic"]"#, 4),
        (r#"["group_temperature", "platt", "none", "temperature"]"#, 4),
        (r#"["platt", "histogram"]"#, 2),
        (r#"["group_temperature"]"#, 1),
    ] {
        let request = format!(
            r#"{{ "methods": {methods}, "resamples": 20, "seed": 2,
                "local": {{ "features": ["x1", "x2"], "resamples": 4 }},
                "klce": {{ "features": ["x1"], "resamples": 20 }},
                "metrics": ["ece", "nll", "mlce", "p_bernoulli"] }}"#
        );
        let nodes = plan(&data, &request);
        let (at_once, reports) = with_one_report(&nodes);
        assert_eq!(reports, expected, "{methods}");
        let given = [&data];
        let outcome = |nodes: &[Node]| written(&execute_after(nodes, &given).expect("a report"));
        assert!(outcome(&nodes) == outcome(&at_once), "{methods}");
    }
}

#[test]
fn a_fit_among_neighbors_tells_how_far_it_is() {
    let data = synthetic();
    let nodes = plan(&data, r#"{ "methods": ["lore"], "resamples": 0, "local": { "features": ["x1", "x2"] } }"#);
    let fit = |node: &&Node| matches!(node.job, Job::Fit(_));
    let node = nodes.iter().find(fit).expect("a fit");
    let split = execute_after(&nodes[..1], &[&data]).expect("a split");
    let mut told = Vec::new();
    run(&node.job, &[&data, &split], vec![], &mut |progress| told.push(progress.share)).expect("a fit");
    assert!(told.len() > 5, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    assert_eq!(told.last(), Some(&1.0));
}

#[test]
fn klce_tests_do_not_depend_on_the_number_of_workers() {
    let data = synthetic();
    for klce in [
        r#"{ "features": ["x1", "x2"], "resamples": 60 }"#,
        r#"{ "features": ["x1"], "gamma": "power", "null": "bootstrap", "resamples": 30 }"#,
    ] {
        let request = format!(
            r#"{{ "metrics": ["klce2_normalised", "p_bernoulli", "p_code"], "seed": 5,
                "methods": ["none", "platt"], "resamples": 0, "klce": {klce} }}"#
        );
        let nodes = plan(&data, &request);
        let shares = nodes.iter().filter(|node| matches!(node.job, Job::KlceShareOut(_)));
        assert!(shares.count() >= 2);
        let Outcome::Report(run) = same_bits(&nodes, &[&data]) else { panic!("not a report") };
        for method in &run.report.methods {
            for id in ["klce2_normalised", "p_bernoulli", "p_code"] {
                assert!(method.metrics[id].value.is_some(), "{id}: {:?}", method.metrics[id]);
            }
        }
    }
    let report = execute(&plan(&data, REQUEST), &data).expect("a report");
    let given = [&data, &report];
    for (simulate, steps) in [("", 0), (r#", "simulate": true"#, 2 * STEPS)] {
        let request = format!(
            r#"{{ "klce": {{ "methods": ["none", "platt"], "resamples": 40, "nulls": ["bernoulli"] {simulate} }} }}"#
        );
        let nodes = plan_analysis(&given, &request);
        let simulated = |node: &&Node| matches!(node.job, Job::KlceSimulated(_));
        assert_eq!(nodes.iter().filter(simulated).count(), steps);
        let Outcome::Klce(found) = same_bits(&nodes, &given) else { panic!("not a KLCE test") };
        for method in &found.methods {
            let power = method.power.expect("a power");
            assert_eq!(power.simulated.is_some(), steps > 0);
        }
    }
}

/// Rows that all fall into one confidence bin, with six features.
fn one_full_bin(rows: usize) -> Outcome {
    let mut text = String::from("confidence,correct,a,b,c,d,e,f\n");
    let mut next = park_miller(1);
    for _ in 0..rows {
        let correct = u8::from(next() < 0.9);
        text += &format!("{:.4},{correct}", 0.94 + 0.06 * next());
        for _ in 0..6 {
            text += &format!(",{:.4}", next());
        }
        text.push('\n');
    }
    open(&text, json!({ "split": { "first": 1 } })).0
}

#[test]
fn only_what_is_asked_for_is_planned() {
    let data = one_full_bin(200);
    let run = |metrics: &str| {
        let request = format!(
            r#"{{ "resamples": 0, "metrics": {metrics}, "local": {{ "gamma": 0.2, "features": ["a", "b"], "resamples": 20 }} }}"#
        );
        let nodes = plan(&data, &request);
        let counted: Vec<bool> = nodes
            .iter()
            .filter_map(|node| match &node.job {
                Job::LocalError(LocalError { counted, .. }) => Some(*counted),
                _ => None,
            })
            .collect();
        let drawn = nodes.iter().filter(|node| matches!(node.job, Job::LocalResample(_))).count();
        let Outcome::Report(found) = execute(&nodes, &data).expect("a report") else { panic!("not a report") };
        (counted, drawn, found.report)
    };
    // a metric of the scores alone: no step looks at neighborhoods, though there are settings for them
    let (counted, drawn, report) = run(r#"["ece"]"#);
    assert_eq!((counted.as_slice(), drawn), ([].as_slice(), 0));
    assert!(report.local.is_none() && report.settings.local.is_some());
    assert!(report.methods[0].metrics["ece"].value.is_some());
    // the local error of every row, with its effective neighbors
    let (counted, drawn, report) = run(r#"["mlce", "mean_lce"]"#);
    assert_eq!((counted.as_slice(), drawn), ([true].as_slice(), 1));
    let local = report.local.expect("local");
    assert!(local.slce.iter().chain(local.n_eff.iter()).all(|v| v.is_finite()));
    assert_eq!(report.methods[0].metrics["mean_lce"].resamples, 20);
    assert!(report.methods[0].metrics["mlce"].floor_mean.is_some());
}

#[test]
fn a_full_bin_is_cut_and_added_up_again() {
    let data = one_full_bin(18_000);
    let request = r#"{ "resamples": 0, "local": { "gamma": 0.2,
        "features": ["a", "b", "c", "d", "e", "f"] } }"#;
    let nodes = plan(&data, request);
    let parts = nodes.iter().filter(|node| matches!(node.job, Job::LocalError(_))).count();
    assert!(parts > 1, "{parts} parts");
    let Outcome::Report(cut) = same_bits(&nodes, &[&data]) else { panic!("not a report") };
    let mut whole = nodes.clone();
    for node in &mut whole {
        if let Job::LocalError(LocalError { parts, part, .. }) = &mut node.job {
            // All the work in the first part, none in the others.
            (*part, *parts) = if *part == 0 { (0, 1) } else { (1, 1) };
        }
    }
    let Outcome::Report(whole) = execute(&whole, &data).expect("a report") else { panic!("not a report") };
    let (cut, whole) = (&cut.report.local, &whole.report.local);
    let (cut, whole) = (cut.as_ref().expect("local"), whole.as_ref().expect("local"));
    assert_eq!(cut.engine, Some(Engine::Blocks));
    for (a, b) in [(&cut.slce, &whole.slce), (&cut.mass, &whole.mass), (&cut.n_eff, &whole.n_eff)] {
        assert_eq!(a.len(), 17_999);
        for (a, b) in a.iter().zip(b.iter()) {
            assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

#[test]
fn parts_of_a_plan_do_not_hang_on_anything_but_the_data() {
    let data = synthetic();
    assert_eq!(plan(&data, REQUEST), plan(&data, REQUEST));
}

#[test]
fn analyses_do_not_hang_on_the_order_of_their_parts() {
    let data = synthetic();
    let nodes = plan(&data, REQUEST);
    let report = execute(&nodes, &data).expect("a report");
    for request in [
        r#"{ "neighbourhoods": { "gamma": 0.3, "seed": 2, "resamples": 2000 } }"#,
        r#"{ "neighbourhoods": { "bin": "worst", "method": "lore", "resamples": 40 } }"#,
        r#"{ "region": { "polygon": [[0, 1], [1, 1], [0.5, 2]] } }"#,
        r#"{ "region_rows": { "rows": [1, 2, 3] } }"#,
        r#"{ "witness": { "features": ["x1", "x2"], "width": 300 } }"#,
        r#"{ "bias_plot": { "covariate": "x1", "method": "lore" } }"#,
        r#"{ "inference": { "of": "x2", "resamples": 300, "seed": 4 } }"#,
        r#"{ "witness": { "method": "lore", "leave_one_out": true, "form": "concatenated" } }"#,
    ] {
        let given = [&data, &report];
        let nodes = plan_analysis(&given, request);
        let forwards = execute_after(&nodes, &given).expect("an outcome");
        let backwards = pooled(&nodes, &given, 1).expect("an outcome");
        assert_eq!(apart(&forwards, &backwards), None, "{request}");
    }
}

#[test]
fn divisions_and_models_beside_each_other_do_not_hang_on_the_number_of_workers() {
    let data = synthetic();
    let report = execute(&plan(&data, REQUEST), &data).expect("a report");
    let correlation = r#"{ "correlation": { "repeats": 3, "groups": ["x1"], "methods": ["platt"],
        "metrics": ["ece", "mlce", "piece"] } }"#;
    let given = [&data, &report];
    let outcome = same_bits(&plan_analysis(&given, correlation), &given);
    let Outcome::Correlated(found) = outcome else { panic!("not a correlation") };
    assert!(found.pooled.iter().all(|one| one.n == 6), "{:?}", found.pooled);
    let given = [&data, &report, &data, &data];
    let models = r#"{ "models": { "x": "mlce", "y": "bias_index", "methods": ["platt"] } }"#;
    let outcome = same_bits(&plan_analysis(&given, models), &given);
    let Outcome::Models(found) = outcome else { panic!("not models") };
    // The same file three times is the same point three times.
    for (a, b) in found.points.iter().zip(&found.points[2..]) {
        assert_eq!((a.x, a.y, &a.method), (b.x, b.y, &b.method));
        assert!(a.x.is_some() && a.y.is_some(), "{a:?}");
    }
}

#[test]
fn near_rows_are_found_alike_by_any_number_of_workers() {
    let data = synthetic();
    let request = r#"{
        "methods": ["none", "temperature+density_ratio", "none+bin_mean_shift", "isotonic+proximity_stratified",
            { "id": "isotonic+density_ratio", "parameters": { "cross_fit": 3 } }],
        "metrics": ["ece", "piece", "piece_code", "bias_index", "bias_z"],
        "proximity": { "features": ["x1", "x2"] }, "resamples": 12, "seed": 3
    }"#;
    let nodes = plan(&data, request);
    let searches = |nodes: &[Node]| {
        let search = |node: &&Node| matches!(node.job, Job::SearchProximity(_));
        nodes.iter().filter(search).count()
    };
    // One search for five methods and four metrics.
    let alone = plan(&data, r#"{ "metrics": ["piece"], "proximity": { "features": ["x1", "x2"] } }"#);
    assert_eq!(searches(&nodes), searches(&alone));
    let report = same_bits(&nodes, &[&data]);
    let given = [&data, &report];
    for request in [
        r#"{ "proximity": { "neighbours": 5, "distance": "cosine" } }"#,
        r#"{ "proximity_sweep": { "methods": ["none"], "neighbours": [1, 20] } }"#,
    ] {
        same_bits(&plan_analysis(&given, request), &given);
    }
    // A search that is cut into parts.
    let data = one_full_bin(14_000);
    let request = r#"{ "metrics": ["piece", "bias_index"], "resamples": 0, "evaluate_on": "all",
        "proximity": { "features": ["a", "b", "c", "d", "e", "f"] } }"#;
    let nodes = plan(&data, request);
    assert!(searches(&nodes) > 1, "{}", searches(&nodes));
    same_bits(&nodes, &[&data]);
}
