//! The protocol between page and workers: any number of workers gives the same bits, and messages keep their form.

use localcal::analysis::AnalysisRequest;
use localcal::data::OpenOptions;
use localcal::evaluation::request::RunRequest;
use localcal::hypothesis::STEPS;
use localcal::job::reply::reply;
use localcal::job::{Call, Job, Node, Outcome, Plan, execute, execute_after, run};
use localcal::kernel::Engine;
use localcal::packed::{pack, unpack};
use localcal::report::export::Bytes;
use localcal::run::graph::needs_of;
use localcal::run::step::{LocalError, WriteReport};
use localcal::table::Array;
use localcal::table::column::{with_cargo_in, with_cargo_out};

fn synthetic() -> Outcome {
    let run_one = |job: &Job, needs: &[&Outcome], columns| run(job, needs, columns, &mut |_| ()).expect("an outcome");
    let example = run_one(&Job::Call(Call::Example { name: "synthetic".into() }), &[], vec![]);
    let Outcome::Bytes(Bytes { bytes }) = example else { panic!("an example is bytes") };
    let file =
        run_one(&Job::Call(Call::Read { name: "synthetic.csv".into(), header: None }), &[], vec![Array::U8(bytes.0)]);
    run_one(&Job::Call(Call::Assemble { options: OpenOptions::default() }), &[&file], vec![])
}

fn plan(data: &Outcome, request: &str) -> Vec<Node> {
    let request: RunRequest = serde_json::from_str(request).expect("a request");
    match run(&Job::Call(Call::Plan { request }), &[data], vec![], &mut |_| ()).expect("a plan") {
        Outcome::Plan(Plan { nodes, .. }) => nodes,
        other => panic!("not a plan: {other:?}"),
    }
}

/// A copy as it arrives in another worker: written as message and columns, and read again.
fn sent(outcome: &Outcome) -> Outcome {
    if !outcome.is_shared() {
        return outcome.clone();
    }
    let (bytes, cargo) = with_cargo_out(|| pack(outcome).expect("a message"));
    with_cargo_in(cargo, || unpack(&bytes).expect("the same message"))
}

/// A job of a plan as it arrives in a worker.
fn passed_on(job: &Job) -> Job {
    let (bytes, cargo) = with_cargo_out(|| pack(job).expect("bytes"));
    assert!(cargo.is_empty(), "the page passes on the bytes alone");
    let back: Job = unpack(&bytes).expect("the same job");
    assert_eq!(&back, job);
    back
}

/// What the page reads, what workers read, and columns as text: equal texts are equal bits.
fn written(outcome: &Outcome) -> String {
    let (forms, cargo) = with_cargo_out(|| {
        let packed = outcome.is_shared().then(|| pack(outcome).expect("bytes"));
        (reply(outcome).expect("a message"), packed)
    });
    format!("{forms:?}\n{cargo:?}")
}

/// Runs a plan as a pool of `workers` would: each node on the worker whose turn it is, the last ready node first,
/// every outcome sent afresh.
fn pool(nodes: &[Node], given: &[&Outcome], workers: usize) -> Outcome {
    let mut done: Vec<Option<Outcome>> = vec![None; nodes.len()];
    let mut turn = 0;
    while done.iter().any(Option::is_none) {
        let ready: Vec<usize> = (0..nodes.len())
            .filter(|&i| {
                done[i].is_none()
                    && nodes[i].needs.iter().all(|&need| need < given.len() || done[need - given.len()].is_some())
            })
            .collect();
        for &i in ready.iter().rev().take(workers) {
            let needs: Vec<Outcome> = nodes[i]
                .needs
                .iter()
                .map(|&need| {
                    sent(match given.get(need) {
                        Some(given) => given,
                        None => done[need - given.len()].as_ref().expect("ready"),
                    })
                })
                .collect();
            let needs: Vec<&Outcome> = needs.iter().collect();
            // Not sent until something needs it: what only the page reads does not come back.
            done[i] = Some(run(&passed_on(&nodes[i].job), &needs, vec![], &mut |_| ()).expect("a node"));
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

/// One worker, two and seven give the bits that this thread gives.
fn same_bits(nodes: &[Node], given: &[&Outcome]) -> Outcome {
    let outcome = execute_after(nodes, given).expect("an outcome");
    let here = written(&outcome);
    for workers in [1, 2, 7] {
        let there = written(&pool(nodes, given, workers));
        let place = here.bytes().zip(there.bytes()).position(|(a, b)| a != b).unwrap_or(here.len().min(there.len()));
        let around = |text: &str| text.chars().skip(place.saturating_sub(60)).take(120).collect::<String>();
        assert!(here == there, "{workers} workers differ at {place}: {} / {}", around(&here), around(&there));
    }
    outcome
}

fn plan_analysis(given: &[&Outcome], request: &str) -> Vec<Node> {
    let request: AnalysisRequest = serde_json::from_str(request).expect("a request");
    let job = Job::Call(Call::PlanAnalysis { request });
    match run(&job, given, vec![], &mut |_| ()).expect("a plan") {
        Outcome::Plan(Plan { nodes, .. }) => nodes,
        other => panic!("not a plan: {other:?}"),
    }
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
    last.needs = needs_of(&at_once).expect("needs");
    last.job = at_once.into();
    (nodes, reports)
}

#[test]
fn reports_one_after_the_other_end_in_the_report_on_all_methods_at_once() {
    let data = synthetic();
    for (methods, expected) in [
        (r#"["none", "temperature", "lore", "isotonic"]"#, 4),
        (r#"["group_temperature", "platt", "none", "temperature"]"#, 2),
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
fn a_fit_among_neighbours_tells_how_far_it_is() {
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
fn trust_tests_do_not_hang_on_the_number_of_workers() {
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
        let shares = nodes.iter().filter(|node| matches!(node.job, Job::TrustShareOut(_)));
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
        let simulated = |node: &&Node| matches!(node.job, Job::TrustSimulated(_));
        assert_eq!(nodes.iter().filter(simulated).count(), steps);
        let Outcome::Klce(found) = same_bits(&nodes, &given) else { panic!("not a trust test") };
        for method in &found.methods {
            let power = method.power.expect("a power");
            assert_eq!(power.simulated.is_some(), steps > 0);
        }
    }
}

/// Rows that all fall into one confidence bin, with six features.
fn one_full_bin(rows: usize) -> Outcome {
    let mut text = String::from("confidence,correct,a,b,c,d,e,f\n");
    let mut state = 1u64;
    let mut next = || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    };
    for _ in 0..rows {
        let correct = u8::from(next() < 0.9);
        text += &format!("{:.4},{correct}", 0.94 + 0.06 * next());
        for _ in 0..6 {
            text += &format!(",{:.4}", next());
        }
        text.push('\n');
    }
    let run_one = |job: &Job, needs: &[&Outcome], columns| run(job, needs, columns, &mut |_| ()).expect("an outcome");
    let name = "full.csv".into();
    let bytes = text.into_bytes();
    let file = run_one(&Job::Call(Call::Read { name, header: None }), &[], vec![Array::U8(bytes.into())]);
    let options: OpenOptions = serde_json::from_str(r#"{ "split": { "first": 1 } }"#).expect("options");
    run_one(&Job::Call(Call::Assemble { options }), &[&file], vec![])
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

/// Runs the plan of an analysis in an order of its own, every outcome sent afresh.
fn analysed(data: &Outcome, report: &Outcome, request: &str, backwards: bool) -> String {
    let request = serde_json::from_str(request).expect("a request");
    let job = Job::Call(Call::PlanAnalysis { request });
    let Ok(Outcome::Plan(Plan { nodes, .. })) = run(&job, &[data, report], vec![], &mut |_| ()) else {
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
        let i = places.into_iter().find(ready).expect("a node that is ready");
        let need = |need: &usize| match need {
            0 => sent(data),
            1 => sent(report),
            i => sent(done[i - 2].as_ref().expect("ready")),
        };
        let needs: Vec<Outcome> = nodes[i].needs.iter().map(need).collect();
        let needs: Vec<&Outcome> = needs.iter().collect();
        done[i] = Some(run(&passed_on(&nodes[i].job), &needs, vec![], &mut |_| ()).expect("a node"));
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
        r#"{ "witness": { "features": ["x1", "x2"], "width": 300 } }"#,
        r#"{ "bias_plot": { "covariate": "x1", "method": "lore" } }"#,
        r#"{ "inference": { "of": "x2", "resamples": 300, "seed": 4 } }"#,
        r#"{ "witness": { "method": "lore", "leave_one_out": true, "form": "concatenated" } }"#,
    ] {
        let forwards = analysed(&data, &report, request, false);
        assert_eq!(forwards, analysed(&data, &report, request, true));
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
        let search = |node: &&Node| matches!(node.job, Job::SearchNear(_));
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
