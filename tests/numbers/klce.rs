//! The kernel local calibration error against NumPy (tests/golden/make_klce.py).

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, csv, near, open};
use crate::support::sheet::reading;
use localcal::analysis::klce::KlceOutcome;
use localcal::hypothesis::{Klce, KlceKernel, KlceSample, pair_sums};
use localcal::job::Outcome;
use localcal::kernel::{Part, Points};
use localcal::metric::Reason;
use localcal::report::sheet::{Block, FieldKind};
use ndarray::ArrayView2;
use serde_json::{Value, json};

fn numbers(case: &Value, name: &str) -> Vec<f64> {
    let list = case[name].as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn cases() -> Vec<(Value, KlceSample)> {
    let text = include_str!("../golden/klce.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("golden numbers");
    let sample = |case: &Value| {
        let whole = |name: &str| case[name].as_u64().expect("a whole number") as usize;
        let kernel = KlceKernel {
            width_p: case["width_p"].as_f64().expect("a width"),
            gamma: case["gamma"].as_f64().expect("a width"),
        };
        let (p, y, x) = (numbers(case, "p"), numbers(case, "y"), numbers(case, "x"));
        let places = Points::row_major(whole("d"), &x).expect("places");
        if whole("m") == 2 {
            let y: Vec<u8> = y.iter().map(|&y| y as u8).collect();
            KlceSample::pairs(&p, &y, places, kernel)
        } else {
            let y: Vec<u32> = y.iter().map(|&y| y as u32).collect();
            let p = ArrayView2::from_shape((y.len(), whole("m")), &p).expect("probabilities");
            KlceSample::vectors(p, &y, places, kernel)
        }
    };
    cases.into_iter().map(|case| (case.clone(), sample(&case).expect("a sample"))).collect()
}

#[test]
fn statistic_agrees_with_numpy() {
    for (case, sample) in cases() {
        let sums = pair_sums(&sample, Part::WHOLE);
        let own = sample.residuals().iter().map(|e| e * e).sum();
        let found = Klce::new(sample.n(), &sums, own);
        for (got, name) in [
            (sums.statistic, "statistic"),
            (sums.mass, "mass"),
            (sums.absolute, "absolute"),
            (found.normalized.expect("rows"), "normalised"),
            (found.unbiased.expect("rows"), "unbiased"),
        ] {
            let expected = case[name].as_f64().expect("a number");
            assert!((got - expected).abs() <= 1e-11 * expected.abs().max(1e-3), "{name}: {got} against {expected}");
        }
    }
}

const IDS: [&str; 4] = ["klce2_normalised", "klce2_unbiased", "p_bernoulli", "p_code"];

/// F8 as a file of scores and outcomes.
fn eight_rows() -> Opened {
    let text = csv(&[
        ("p", vec![0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95]),
        ("y", vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
        ("x1", vec![0.0, 1.0, 0.0, 2.0, 2.0, 3.0, 0.5, 3.0]),
        ("x2", vec![0.0, 0.0, 1.0, 2.0, 3.0, 2.0, 0.5, 3.0]),
    ]);
    let roles = json!({ "p": "probability", "y": "label", "x1": "feature", "x2": "feature" });
    open(&text, json!({ "roles": roles, "view": "positive", "positive": "1", "split": { "folds": 2 } }))
}

fn asked(klce: Value) -> Value {
    json!({ "metrics": IDS, "resamples": 0, "klce": klce })
}

/// The specification, 4.1: gamma 1/d = .5 and width .1 are the defaults.
#[test]
fn a_run_gives_the_worked_numbers() {
    let data = eight_rows();
    let ran = data.run(asked(json!({ "features": ["x1", "x2"], "resamples": 2000 })));
    near(ran.value("none", "klce2_normalised"), -0.032_449_031_424_198_42, 1e-14);
    near(ran.value("none", "klce2_unbiased"), -0.005_820_625_871_573_508, 1e-15);
    let metric = ran.metric("none", "klce2_normalised");
    assert_eq!(metric.reason.as_ref().map(Reason::text).as_deref(), Some("tested"));
    assert_eq!((metric.low, metric.resamples), (None, 2000));
    assert!(metric.floor_low < metric.floor_mean && metric.floor_mean < metric.floor_high);
    let p = ran.value("none", "p_bernoulli");
    assert!((0.05..=1.0).contains(&p), "{p}");
    let settings = ran.outcome().report.settings.klce.clone().expect("settings");
    assert_eq!((settings.width_p, settings.resamples), (Some(0.1), Some(2000)));
    // Covariates of the local settings serve where none are named.
    let local = json!({ "features": ["x1", "x2"], "gamma": 1.0 });
    let same = data.run(json!({ "metrics": IDS, "resamples": 0, "local": local }));
    near(same.value("none", "klce2_unbiased"), -0.005_820_625_871_573_508, 1e-15);
    let narrow = data.run(asked(json!({ "features": ["x1", "x2"], "gamma": "median", "width_p": 0.3 })));
    assert!(narrow.value("none", "klce2_unbiased") != same.value("none", "klce2_unbiased"));
}

#[test]
fn without_covariates_the_reason_stands() {
    let ran = eight_rows().run(asked(json!({})));
    for id in IDS {
        let metric = ran.metric("none", id);
        assert_eq!(
            (metric.value, metric.reason.as_ref().map(Reason::text).as_deref()),
            (None, Some("features_missing"))
        );
    }
    let ran = eight_rows().run(asked(json!({ "features": ["x1"], "resamples": 0 })));
    assert!(ran.metric("none", "klce2_unbiased").value.is_some());
    assert_eq!(ran.metric("none", "p_bernoulli").reason.as_ref().map(Reason::text).as_deref(), Some("no_draws"));
}

#[test]
fn what_cannot_be_is_said() {
    for (klce, code, message) in [
        (json!({ "features": ["x9"] }), "unknown_column", "Unknown column or array `x9`."),
        (
            json!({ "features": ["x1"], "width_p": -1.0 }),
            "invalid_option",
            "width_p is -1; it must be a number from 1e-100 to 1e100.",
        ),
        (json!({ "gamma": -2.0 }), "invalid_option", "gamma is -2; it must be a number from 0 to 1e100."),
        (json!({ "gamma": "wide" }), "invalid_option", "Unknown rule for gamma: `wide`."),
        (json!({ "resamples": 5 }), "invalid_option", "5 draws were requested."),
    ] {
        let error = eight_rows().try_run(asked(klce)).expect_err("an error");
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
}

/// Whole vectors where the file has them, else confidence and correctness; which of the two stands beside the number.
#[test]
fn top_label_files_are_tested_as_they_can_be() {
    let x = vec![0.0, 1.0, 0.0, 2.0, 2.0, 3.0, 0.5, 3.0];
    let text = csv(&[
        ("confidence", vec![0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95]),
        ("correct", vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]),
        ("x", x.clone()),
    ]);
    let data = open(&text, json!({ "split": { "folds": 2 } }));
    let ran = data.run(asked(json!({ "features": ["x"] })));
    let metric = ran.metric("none", "klce2_unbiased");
    assert_eq!(metric.reason.as_ref().map(Reason::text).as_deref(), Some("tested_on_confidence_and_correctness"));
    let text = csv(&[
        ("p0", vec![0.90, 0.80, 0.10, 0.20, 0.30, 0.05, 0.40, 0.02]),
        ("p1", vec![0.07, 0.15, 0.85, 0.55, 0.25, 0.35, 0.35, 0.03]),
        ("p2", vec![0.03, 0.05, 0.05, 0.25, 0.45, 0.60, 0.25, 0.95]),
        ("label", vec![0.0, 0.0, 2.0, 1.0, 2.0, 1.0, 0.0, 2.0]),
        ("x", x),
    ]);
    let data = open(&text, json!({ "split": { "folds": 2 } }));
    let ran = data.run(asked(json!({ "features": ["x"] })));
    let metric = ran.metric("none", "klce2_unbiased");
    assert_eq!(metric.reason.as_ref().map(Reason::text).as_deref(), Some("tested_on_vectors"));
}

/// Covariates may be words: one coordinate per word.
#[test]
fn groups_are_covariates_too() {
    let mut text = String::from("p,y,race\n");
    for i in 0..400 {
        // Group b happens twice as often as is said.
        let group = if i % 2 == 0 { "a" } else { "b" };
        let observes = if i % 2 == 0 { i % 10 < 2 } else { i % 10 < 8 };
        text += &format!("{},{},{group}\n", 0.3 + 0.001 * f64::from(i % 7), u8::from(observes));
    }
    let data = open(
        &text,
        json!({ "roles": { "p": "probability", "y": "label", "race": "group" },
        "view": "positive", "positive": "1", "split": { "folds": 2 } }),
    );
    let ran = data.run(asked(json!({ "features": ["race"], "gamma": 5.0 })));
    assert!(ran.value("none", "klce2_normalised") > 0.0);
    near(ran.value("none", "p_bernoulli"), 1.0 / 1001.0, 1e-12);
}

/// MIR adds a little to a probability of 1: f(p) + 10⁻⁹ p.
#[test]
fn a_method_that_ends_a_little_above_one_is_tested() {
    let n = 400;
    let p: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    let y: Vec<f64> =
        p.iter().enumerate().map(|(i, p)| f64::from(u8::from(*p > 0.7 || (*p > 0.3 && i % 2 == 0)))).collect();
    let x: Vec<f64> = (0..n).map(|i| f64::from(i % 7)).collect();
    let options =
        json!({ "roles": { "p": "probability", "y": "label", "x": "feature" }, "view": "positive", "positive": "1" });
    let data = open(&csv(&[("p", p), ("y", y), ("x", x)]), options);
    let request = json!({ "resamples": 0, "methods": ["none", "mir"], "metrics": ["klce2_normalised"],
        "klce": { "features": ["x"], "gamma": 1.0 } });
    let ran = data.run(request);
    assert!(ran.rows("mir").score.iter().any(|p| *p > 1.0));
    assert!(ran.value("mir", "klce2_normalised").is_finite());
}

fn analysed(data: &Opened, ran: &crate::support::pipeline::Ran, request: Value) -> KlceOutcome {
    match data.try_analyse(ran, json!({ "klce": request })) {
        Ok(Outcome::Klce(outcome)) => outcome,
        Ok(other) => panic!("not a KLCE test: {other:?}"),
        Err(error) => panic!("{}: {error}", error.code()),
    }
}

/// Scores that are right on average and wrong by .2 to either side of x = .5.
fn wrong_in_halves(rows: usize, by: f64) -> Opened {
    let mut next = park_miller(11);
    let (mut p, mut y, mut x) = (vec![], vec![], vec![]);
    for _ in 0..rows {
        let (score, place) = (0.25 + 0.5 * next(), next());
        let truth = score + if place > 0.5 { by } else { -by };
        p.push(score);
        y.push(if next() < truth { 1.0 } else { 0.0 });
        x.push(place);
    }
    let roles = json!({ "p": "probability", "y": "label", "x": "feature" });
    let options = json!({ "roles": roles, "view": "positive", "positive": "1", "split": { "folds": 5 } });
    open(&csv(&[("p", p), ("y", y), ("x", x)]), options)
}

#[test]
fn the_sheet_says_what_was_found() {
    let data = wrong_in_halves(600, 0.2);
    let request = json!({ "methods": ["none", "platt"], "resamples": 0 });
    let ran = data.run(request);
    let outcome = analysed(&data, &ran, json!({ "features": ["x"], "gamma": 10.0, "resamples": 400 }));
    assert_eq!(outcome.methods.len(), 2);
    let first = &outcome.methods[0];
    near(first.p_bernoulli.expect("a p-value"), 1.0 / 401.0, 1e-12);
    let wrong = "Calibration of the scores is rejected";
    assert!(reading(&outcome.sheet).starts_with(wrong), "{}", reading(&outcome.sheet));
    assert_eq!(first.nulls.len(), 4);
    let ways = format!("{:?}", outcome.sheet.blocks);
    assert!(ways.contains("under the null, 4 null distributions"));
    assert!(first.p_code.is_some() && first.debiased_ratio.is_some());
    for one in &first.nulls {
        assert!(one.p.is_some() && one.engine_error < 1e-3, "{one:?}");
        assert!(one.quantiles.windows(2).all(|pair| pair[0] <= pair[1]));
    }
    near(first.corollary_bound, (2.0 * 20_f64.ln()).sqrt() / 600_f64.sqrt(), 1e-12);
    let power = first.power.expect("a power");
    assert!(power.everywhere < power.locally, "{power:?}");
    let figures = outcome.sheet.blocks.iter().find_map(|block| match block {
        Block::Figures(figures) => Some(figures),
        _ => None,
    });
    assert_eq!(figures.expect("histograms").len(), 2);
    let table = outcome.sheet.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let table = table.expect("methods side by side");
    assert_eq!((table.columns.len(), table.rows.len()), (6, 2));
    assert!(table.rows.iter().all(|row| row.len() == 6 && row[1].number.is_some()));
    // The number of the run and that of the analysis are one.
    let request = json!({ "features": ["x"], "gamma": 10.0 });
    let same = data.run(asked(request));
    near(same.value("none", "klce2_normalised"), first.klce2_normalised.expect("a value"), 1e-15);
}

#[test]
fn where_nothing_was_found_the_sheet_says_what_could_have_been() {
    let data = wrong_in_halves(600, 0.0);
    let ran = data.run(json!({ "resamples": 0 }));
    let outcome = analysed(&data, &ran, json!({ "features": ["x"], "resamples": 200, "nulls": ["bernoulli"] }));
    assert!(outcome.methods[0].p_bernoulli.expect("a p-value") > 0.05);
    let text = reading(&outcome.sheet);
    assert!(text.starts_with("Calibration of the scores is not rejected"), "{text}");
    assert!(text.contains("Power was 80% for a bias of"), "{text}");
    // An approximation, unless simulation is asked for.
    assert_eq!(outcome.methods[0].power.expect("a power").simulated, None);
    let field = |outcome: &KlceOutcome| {
        let fields = outcome.sheet.fields.iter();
        let mut ours = fields.filter(|field| field.option == "simulate");
        ours.next().expect("a field").kind.clone()
    };
    assert_eq!(field(&outcome), FieldKind::Check { value: false });
    let request = json!({ "features": ["x"], "resamples": 200, "nulls": ["bernoulli"], "simulate": true });
    let simulated = analysed(&data, &ran, request);
    assert_eq!(field(&simulated), FieldKind::Check { value: true });
    let power = simulated.methods[0].power.expect("a power");
    let found = power.simulated.expect("simulated");
    let (all, approximate) = (found.everywhere.expect("a bias"), power.everywhere);
    let ratio = all.bias / approximate.expect("a bias");
    assert!((0.7..1.5).contains(&ratio), "{power:?}");
    assert!(all.caught >= 160 && all.draws == 200, "{all:?}");
    // Scores between a quarter and three quarters: nothing is cut.
    assert!(all.low < 0.85 && all.high > 0.8, "{all:?}");
    near(all.realised.abs(), all.bias, 1e-12);
    let some = found.locally.expect("a bias");
    assert!(some.bias > all.bias, "{found:?}");
    // The test itself is the same.
    assert_eq!(simulated.methods[0].nulls, outcome.methods[0].nulls);
    let text = reading(&simulated.sheet);
    assert!(
        text.contains("In simulations, a bias of")
            && text.contains(&format!("in every score was detected in {} of 200 data sets", all.caught)),
        "{text}"
    );
    // A kernel that compares nothing with anything: said so.
    let narrow = analysed(&data, &ran, json!({ "features": ["x"], "gamma": 1e12, "resamples": 20 }));
    let warning = narrow.methods[0].warning.clone().expect("a warning");
    assert!(warning.starts_with("The kernel is very narrow"), "{warning}");
    // Chosen on one half, tested on the other.
    let half = analysed(&data, &ran, json!({ "features": ["x"], "gamma": "power", "resamples": 20 }));
    assert!((200..400).contains(&half.methods[0].rows));
    let said = half
        .sheet
        .blocks
        .iter()
        .any(|block| matches!(block, Block::Note(text) if text.contains("was tuned on one half of the rows")));
    assert!(said);
}

#[test]
fn an_analysis_that_cannot_be_says_why() {
    let data = wrong_in_halves(60, 0.0);
    let ran = data.run(json!({ "resamples": 0 }));
    for (request, code, message) in [
        (json!({ "alpha": 1.5 }), "invalid_option", "alpha is 1.5; it must be a number from 1e-9 to 0.999999999."),
        (json!({ "features": ["z"] }), "unknown_column", "Unknown column or array `z`."),
        (json!({ "methods": ["isotonic"] }), "unknown_method", "The last run does not include this method."),
        (json!({ "resamples": 3 }), "invalid_option", "3 draws were requested."),
    ] {
        let error = data.try_analyse(&ran, json!({ "klce": request })).expect_err("an error");
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
}
