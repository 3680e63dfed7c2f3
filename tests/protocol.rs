//! The protocol between page and workers: any number of workers gives the same bits, and messages keep their form.

#![allow(clippy::expect_used, clippy::panic)]

use localcal::data::column::{with_cargo_in, with_cargo_out};
use localcal::data::{Array, OpenOptions};
use localcal::job::request::RunRequest;
use localcal::job::run::{execute, run};
use localcal::job::{Job, Node, Outcome};

fn synthetic() -> Outcome {
    let run_one = |job: &Job, needs: &[&Outcome], columns| {
        run(job, needs, columns, &mut |_| ()).expect("an outcome")
    };
    let example = run_one(
        &Job::Example {
            name: "synthetic".into(),
        },
        &[],
        vec![],
    );
    let Outcome::Bytes { bytes } = example else {
        panic!("an example is bytes")
    };
    let file = run_one(
        &Job::Read {
            name: "synthetic.csv".into(),
        },
        &[],
        vec![Array::U8(bytes.0)],
    );
    run_one(
        &Job::Assemble {
            options: OpenOptions::default(),
        },
        &[&file],
        vec![],
    )
}

fn plan(data: &Outcome, request: &str) -> Vec<Node> {
    let request: RunRequest = serde_json::from_str(request).expect("a request");
    match run(&Job::Plan { request }, &[data], vec![], &mut |_| ()).expect("a plan") {
        Outcome::Plan { nodes } => nodes,
        other => panic!("not a plan: {other:?}"),
    }
}

/// A copy as it arrives in another worker: written as message and columns, and read again.
fn sent(outcome: &Outcome) -> Outcome {
    let (message, cargo) = with_cargo_out(|| serde_json::to_value(outcome).expect("a message"));
    with_cargo_in(cargo, || {
        serde_json::from_value(message).expect("the same message")
    })
}

/// Message and columns as text: equal texts are equal bits.
fn written(outcome: &Outcome) -> String {
    let (message, cargo) = with_cargo_out(|| serde_json::to_string(outcome).expect("a message"));
    format!("{message}\n{cargo:?}")
}

/// Runs a plan as a pool of `workers` would: each node on the worker whose turn it is, the last ready node first,
/// every outcome sent afresh.
fn pool(nodes: &[Node], data: &Outcome, workers: usize) -> Outcome {
    let mut done: Vec<Option<Outcome>> = vec![None; nodes.len()];
    let mut turn = 0;
    while done.iter().any(Option::is_none) {
        let ready: Vec<usize> = (0..nodes.len())
            .filter(|&i| {
                done[i].is_none()
                    && nodes[i]
                        .needs
                        .iter()
                        .all(|&need| need == 0 || done[need - 1].is_some())
            })
            .collect();
        for &i in ready.iter().rev().take(workers) {
            let needs: Vec<Outcome> = nodes[i]
                .needs
                .iter()
                .map(|&need| {
                    sent(if need == 0 {
                        data
                    } else {
                        done[need - 1].as_ref().expect("ready")
                    })
                })
                .collect();
            let needs: Vec<&Outcome> = needs.iter().collect();
            // Not sent until something needs it: what only the page reads does not come back.
            done[i] = Some(run(&nodes[i].job, &needs, vec![], &mut |_| ()).expect("a node"));
            turn += 1;
        }
    }
    assert_eq!(turn, nodes.len());
    done.pop().flatten().expect("the report")
}

const REQUEST: &str = r#"{
    "methods": ["none", "temperature", "platt", "isotonic", "histogram", "lore"],
    "local": { "features": ["x1", "x2"], "gamma": 0.4, "resamples": 8 },
    "resamples": 40, "seed": 3
}"#;

#[test]
fn one_two_and_seven_workers_give_the_same_bits() {
    let data = synthetic();
    let nodes = plan(&data, REQUEST);
    let here = written(&execute(&nodes, &data).expect("a report"));
    for workers in [1, 2, 7] {
        let there = written(&pool(&nodes, &data, workers));
        let place = here
            .bytes()
            .zip(there.bytes())
            .position(|(a, b)| a != b)
            .unwrap_or(here.len().min(there.len()));
        let around = |text: &str| {
            text.chars()
                .skip(place.saturating_sub(60))
                .take(120)
                .collect::<String>()
        };
        assert!(
            here == there,
            "{workers} workers differ at {place}: {} / {}",
            around(&here),
            around(&there)
        );
    }
}

#[test]
fn parts_of_a_plan_do_not_hang_on_anything_but_the_data() {
    let data = synthetic();
    assert_eq!(plan(&data, REQUEST), plan(&data, REQUEST));
}

/// Runs the plan of an analysis in an order of its own, every outcome sent afresh.
fn analysed(data: &Outcome, report: &Outcome, request: &str, backwards: bool) -> String {
    let request = serde_json::from_str(request).expect("a request");
    let job = Job::PlanAnalysis { request };
    let Ok(Outcome::Plan { nodes }) = run(&job, &[data, report], vec![], &mut |_| ()) else {
        panic!("not a plan")
    };
    let mut done: Vec<Option<Outcome>> = vec![None; nodes.len()];
    while done.iter().any(Option::is_none) {
        let ready = |i: &usize| {
            let there = |need: &usize| *need < 2 || done[need - 2].is_some();
            done[*i].is_none() && nodes[*i].needs.iter().all(there)
        };
        let mut places: Vec<usize> = (0..nodes.len()).collect();
        if backwards {
            places.reverse();
        }
        let i = places
            .into_iter()
            .find(ready)
            .expect("a node that is ready");
        let need = |need: &usize| match need {
            0 => sent(data),
            1 => sent(report),
            i => sent(done[i - 2].as_ref().expect("ready")),
        };
        let needs: Vec<Outcome> = nodes[i].needs.iter().map(need).collect();
        let needs: Vec<&Outcome> = needs.iter().collect();
        done[i] = Some(run(&nodes[i].job, &needs, vec![], &mut |_| ()).expect("a node"));
    }
    written(&done.pop().flatten().expect("the answer"))
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
    ] {
        let forwards = analysed(&data, &report, request, false);
        assert_eq!(forwards, analysed(&data, &report, request, true));
    }
}
