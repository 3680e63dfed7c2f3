//! A sweep against the same numbers asked for one by one.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, Ran, csv, near, open};
use localcal::analysis::sweep::SweepOutcome;
use localcal::error::Error;
use localcal::job::Outcome;
use localcal::local::suggested_gamma;
use localcal::plot::hit::cursor_order;
use serde_json::{Value, json};

/// Over-confident on the right, under-confident on the left; five folds.
fn opened(rows: usize, scale: f64) -> Opened {
    divided(rows, scale, json!({ "folds": 5 }))
}

fn divided(rows: usize, scale: f64, split: Value) -> Opened {
    let mut next = park_miller(7);
    let (mut p, mut y, mut x1, mut x2) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rows {
        let (score, a, b) = (next(), next(), next());
        let truth = (score + if a > 0.5 { -0.2 } else { 0.2 }).clamp(0.0, 1.0);
        p.push(score);
        y.push(if next() < truth { 1.0 } else { 0.0 });
        x1.push(a * scale);
        x2.push(b * scale);
    }
    let text = csv(&[("p", p), ("y", y), ("x1", x1), ("x2", x2)]);
    let roles = json!({ "p": "probability", "y": "label", "x1": "feature", "x2": "feature" });
    open(&text, json!({ "roles": roles, "view": "positive", "split": split }))
}

fn run(data: &Opened, gamma: f64) -> Ran {
    data.run(json!({
        "methods": ["none", "platt", "histogram"], "resamples": 0,
        "local": { "features": ["x1", "x2"], "gamma": gamma },
    }))
}

fn sweep(data: &Opened, ran: &Ran, request: Value) -> SweepOutcome {
    match try_sweep(data, ran, request) {
        Ok(outcome) => outcome,
        Err(error) => panic!("{}: {error}", error.code()),
    }
}

fn try_sweep(data: &Opened, ran: &Ran, request: Value) -> Result<SweepOutcome, Error> {
    data.try_analyse(ran, json!({ "sweep": request })).map(|outcome| match outcome {
        Outcome::Sweep(sweep) => sweep,
        other => panic!("not a sweep: {other:?}"),
    })
}

#[test]
fn curves_are_the_metrics_of_single_runs() {
    let data = opened(900, 1.0);
    let ran = run(&data, 0.4);
    let found = sweep(&data, &ran, json!({ "gammas": { "low": 0.05, "high": 5.0, "count": 3 } }));
    assert_eq!(found.curves.len(), 3);
    for (g, gamma) in [0.05, 0.5, 5.0].into_iter().enumerate() {
        let single = run(&data, gamma);
        for curve in &found.curves {
            near(curve.gammas[g], gamma, 1e-12);
            let of = |id: &str| single.value(&curve.method, id);
            near(curve.mlce.value[g], of("mlce"), 1e-12);
            near(curve.mean_lce.value[g], of("mean_lce"), 1e-12);
            near(curve.mlce.at_infinity.expect("bins"), of("mce"), 1e-12);
            near(curve.mean_lce.at_infinity.expect("bins"), of("ece"), 1e-12);
            match single.metric(&curve.method, "mlce_supported").value {
                Some(value) => near(curve.mlce_supported.value[g], value, 1e-12),
                None => assert!(curve.mlce_supported.value[g].is_nan()),
            }
            let supported = curve.mlce_supported.value[g].partial_cmp(&curve.mlce.value[g]);
            assert_ne!(supported, Some(std::cmp::Ordering::Greater));
            assert_eq!(curve.mlce_supported.at_zero, None);
            assert!(curve.mlce.sd.is_empty() && curve.mlce.floor.is_empty());
        }
    }
    // Every mark of a figure stands for a bandwidth.
    let known = found.curves.iter().map(|curve| curve.mlce_supported.value.iter().filter(|v| v.is_finite()).count());
    let known: usize = known.sum();
    assert_eq!(found.figures.len(), 3);
    for (figure, marks) in found.figures.iter().zip([9, 9, known]) {
        let hits = cursor_order(figure);
        assert!(hits.len() >= marks);
        assert!(hits.iter().all(|hit| (hit.index as usize) < found.marks.len()));
    }
    assert_eq!(found.marks.len(), 9);
}

#[test]
fn the_grid_follows_the_scale_of_the_features() {
    let ordinary = opened(300, 1.0);
    let found = sweep(&ordinary, &run(&ordinary, 0.4), json!({ "methods": ["none"] }));
    let curve = &found.curves[0];
    assert_eq!(curve.gammas.len(), 25);
    near(curve.gammas[0], 0.01, 1e-12);
    near(curve.gammas[24], 100.0, 1e-9);
    assert!(found.notes[0].contains("the default range"), "{:?}", found.notes);
    let wide = opened(300, 1e5);
    let found = sweep(&wide, &run(&wide, 4e4), json!({ "methods": ["none"] }));
    let curve = &found.curves[0];
    near(curve.gammas[12] / curve.median_distance, 1.0, 1e-9);
    assert!(found.notes[0].contains("median distance"), "{:?}", found.notes);
    assert!(curve.suggested.is_some_and(|g| (1e2..1e6).contains(&g)));
}

#[test]
fn floors_are_those_of_a_run() {
    let data = opened(400, 1.0);
    let local = json!({ "features": ["x1", "x2"], "gamma": 0.3, "resamples": 12 });
    let ran = data.run(json!({ "resamples": 0, "seed": 5, "local": local }));
    let gammas = json!({ "low": 0.3, "high": 3.0, "count": 2 });
    let found = sweep(&data, &ran, json!({ "gammas": gammas, "floor": 12 }));
    let floor = |id: &str| ran.metric("none", id).floor_mean.expect("a floor");
    near(found.curves[0].mlce.floor[0], floor("mlce"), 1e-12);
    near(found.curves[0].mean_lce.floor[0], floor("mean_lce"), 1e-12);
}

#[test]
fn seeds_over_one_division_are_told() {
    let data = divided(200, 1.0, json!({ "first": 100 }));
    let ran = run(&data, 0.4);
    let gammas = json!({ "low": 0.1, "high": 1.0, "count": 2 });
    let told = |found: &SweepOutcome| {
        let said = |note: &String| note.contains("all 5 splits are identical");
        found.notes.iter().any(said)
    };
    let asked = json!({ "gammas": gammas, "seeds": 5, "methods": ["none"] });
    assert!(told(&sweep(&data, &ran, asked.clone())));
    let folds = opened(200, 1.0);
    assert!(!told(&sweep(&folds, &run(&folds, 0.4), asked)));
}

#[test]
fn replicates_give_means_and_bands() {
    let data = opened(500, 1.0);
    let ran = run(&data, 0.4);
    let gammas = json!({ "low": 0.1, "high": 1.0, "count": 2 });
    let seeds = sweep(&data, &ran, json!({ "gammas": gammas, "seeds": 3 }));
    // Another division changes what was fitted, never the predictions as they came.
    let (none, platt) = (&seeds.curves[0].mlce, &seeds.curves[1].mlce);
    assert!(none.sd.iter().all(|sd| *sd < 1e-12) && platt.sd.iter().all(|sd| *sd > 1e-9));
    let single = |seed: u64| {
        let local = json!({ "features": ["x1", "x2"], "gamma": 0.1 });
        let ran = data.run(json!({ "methods": ["platt"], "resamples": 0, "seed": seed, "local": local }));
        ran.value("platt", "mean_lce")
    };
    let mean = (single(0) + single(1) + single(2)) / 3.0;
    near(seeds.curves[1].mean_lce.value[0], mean, 1e-12);
    let folds = sweep(&data, &ran, json!({ "gammas": gammas, "folds": true, "methods": ["none"] }));
    assert!(folds.curves[0].mlce.sd.iter().all(|sd| *sd > 0.0));
    assert!(folds.notes.iter().any(|note| note.contains("5 folds")), "{:?}", folds.notes);
}

#[test]
fn the_suggestion_is_half_way() {
    let gammas: Vec<f64> = (0..25).map(|i| 0.01 * 10f64.powf(f64::from(i) / 6.0)).collect();
    // A straight fall in ln γ from one end to the other, and a step.
    let line: Vec<f64> = (0..25).map(|i| 0.5 - 0.4 * f64::from(i) / 24.0).collect();
    near(suggested_gamma(&gammas, &line, 0.5, 0.1).expect("a bandwidth"), 1.0, 1e-9);
    let step: Vec<f64> = (0..25).map(|i| if i < 10 { 0.5 } else { 0.1 }).collect();
    let between = (gammas[9] * gammas[10]).sqrt();
    near(suggested_gamma(&gammas, &step, 0.5, 0.1).expect("a bandwidth"), between, 1e-9);
    // A bump beyond the upper limit changes nothing.
    let bump: Vec<f64> = (0..25).map(|i| if i == 5 { 0.7 } else { step[i] }).collect();
    near(suggested_gamma(&gammas, &bump, 0.5, 0.1).expect("a bandwidth"), between, 1e-9);
    assert_eq!(suggested_gamma(&gammas, &line, 0.1, 0.1), None);
    assert_eq!(suggested_gamma(&[1.0], &[0.2], 0.5, 0.1), None);
}

/// Bandwidths as wide as numbers go: what is suggested is a number, too.
#[test]
fn the_suggestion_is_finite() {
    let data = opened(60, 1.0);
    let ran = run(&data, 0.4);
    for gammas in [json!({ "low": 1e100, "count": 3 }), json!({ "low": 1e-100, "high": 1e100, "count": 3 })] {
        let found = sweep(&data, &ran, json!({ "gammas": gammas }));
        for curve in &found.curves {
            assert!(curve.gammas.iter().all(|g| g.is_finite()), "{:?}", curve.gammas);
            assert!(curve.suggested.is_none_or(f64::is_finite), "{:?}", curve.suggested);
        }
    }
}

#[test]
fn what_cannot_be_is_said() {
    let data = opened(100, 1.0);
    let ran = run(&data, 0.4);
    for (request, code) in [
        (json!({ "methods": ["isotonic"] }), "unknown_method"),
        (json!({ "features": ["height"] }), "unknown_column"),
        (json!({ "kernel": "group" }), "invalid_option"),
        (json!({ "gammas": { "low": 2.0, "high": 1.0 } }), "invalid_option"),
        (json!({ "gammas": { "low": -1.0 } }), "invalid_option"),
        (json!({ "gammas": { "count": 1 } }), "invalid_option"),
        (json!({ "seeds": 0 }), "invalid_option"),
        (json!({ "seeds": 2, "folds": true }), "invalid_option"),
    ] {
        let error = try_sweep(&data, &ran, request.clone()).expect_err("an error");
        assert_eq!(error.code(), code, "{request}");
    }
}
