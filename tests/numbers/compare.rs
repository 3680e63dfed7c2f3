//! Methods against each other: what the run says, over repeats, by paired differences.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, open};
use crate::support::sheet::{reading, tables};
use localcal::analysis::compare::{CompareOutcome, ComparedValue};
use localcal::error::Result;
use localcal::job::Outcome;
use localcal::metric::Reason;
use localcal::report::sheet::Tone;
use serde_json::{Value, json};

fn compared(data: &Opened, run_of: &Ran, options: Value) -> Result<CompareOutcome> {
    match data.try_analyse(run_of, json!({ "compare": options }))? {
        Outcome::Compared(found) => Ok(found),
        _ => panic!("not a comparison"),
    }
}

/// P(y = 1) = σ(z), the file says σ(heat · z).
fn rows(n: usize, heat: f64, seed: u64) -> Vec<(f64, u8)> {
    let mut uniform = uniform(seed);
    (0..n)
        .map(|_| {
            let z = 5.0 * uniform() - 2.5;
            let event = uniform() < 1.0 / (1.0 + (-z).exp());
            (1.0 / (1.0 + (-heat * z).exp()), u8::from(event))
        })
        .collect()
}

fn csv(rows: &[(f64, u8)]) -> String {
    let lines = rows.iter().map(|(p, y)| format!("{p},{y}\n"));
    std::iter::once("prob,label\n".to_owned()).chain(lines).collect()
}

fn value<'a>(found: &'a CompareOutcome, name: &str, metric: &str) -> &'a ComparedValue {
    let method = found.methods.iter().find(|method| method.name == name);
    &method.expect("compared").metrics[metric]
}

#[test]
fn once_is_what_the_run_says() {
    // over-confident scores, and calibrated ones
    for (heat, seed) in [(2.5, 1), (1.0, 2)] {
        once(heat, seed);
    }
}

fn once(heat: f64, seed: u64) {
    let data = open(&csv(&rows(600, heat, seed)), json!({ "split": { "folds": 5 } }));
    let methods = ["none", "temperature", "histogram"];
    let run = data.run(json!({ "methods": methods, "resamples": 300, "seed": 3 }));
    let found = compared(
        &data,
        &run,
        json!({ "resamples": 300, "metrics": ["nll", "brier", "ece", "auroc", "mce", "accuracy"] }),
    )
    .expect("compared");
    let outcome = run.outcome();
    for method in &outcome.report.methods {
        for id in ["nll", "brier", "ece", "auroc", "mce", "accuracy"] {
            let here = value(&found, &method.name, id);
            assert_eq!(here.mean, method.metrics[id].value, "{} {id}", method.name);
            assert_eq!(here.sd, None);
            if method.name != "none" {
                let (ours, theirs) = (here.to_none.expect("defined"), &method.differences[id]);
                assert_eq!(Some(ours.value), theirs.value);
                assert_eq!((ours.low, ours.high), (theirs.low, theirs.high), "{id}");
            }
        }
    }
    // A maximum has no interval, so nothing stands out by it; accuracy is the same for all.
    assert!(found.methods.iter().all(|m| !m.metrics["mce"].best));
    assert!(found.methods.iter().all(|m| !m.metrics["accuracy"].best));
    assert_eq!((found.repeats, found.resamples, found.intervals), (1, 300, "rows"));
    assert_eq!(found.rows, [600]);
}

/// Every fold has a slope and an intercept of its own, so that pooled scores are in another order although no fold is: that is
/// neither better nor worse.
#[test]
fn an_order_that_no_fold_changes_is_not_worse() {
    let mut lower = 0;
    for seed in 0..6 {
        let data = open(&csv(&rows(1500, 1.0, 40 + seed)), json!({ "split": { "folds": 5 } }));
        let run = data
            .run(json!({ "methods": ["none", "platt", "histogram"], "resamples": 200, "metrics": ["auroc", "nll"] }));
        let found = compared(&data, &run, json!({ "resamples": 200, "metrics": ["auroc"] })).expect("compared");
        let ours = value(&found, "platt", "auroc").to_none.expect("a difference");
        let theirs = &run.method("platt").differences["auroc"];
        lower += u32::from(theirs.high.is_some_and(|high| high < 0.0));
        // the number and its interval stay
        assert_eq!((Some(ours.value), ours.low, ours.high), (theirs.value, theirs.low, theirs.high));
        assert_eq!(theirs.reason.as_ref().map(Reason::text).as_deref(), Some("0 within folds"));
        assert!(ours.of_pooling && ours.p_rows.is_none(), "{ours:?}");
        let words = reading(&found.sheet);
        assert!(!words.contains("Platt"), "{words}");
        let shown = &run.outcome().presentation.recalibration;
        let column = shown.columns.iter().position(|column| column.id == "auroc").expect("a column");
        let row = shown.rows.iter().find(|row| row.name == "platt").expect("a row");
        assert_eq!((row.cells[column].side.as_str(), row.cells[column].difference.len()), ("", 3), "{row:?}");
        // bins tie rows in every fold, which is their own effect; the loss is no matter of the order
        let binned = value(&found, "histogram", "auroc").to_none.expect("a difference");
        assert!(!binned.of_pooling && binned.p_rows.is_some(), "{binned:?}");
        assert_eq!(run.method("platt").differences["nll"].reason, None);
    }
    assert!(lower > 0, "no interval below 0: the files say nothing");
}

/// Calibrated files with about 20 events each: by resampling alone, one in five has a method that "improves ECE".
#[test]
fn nothing_improves_on_calibrated_scores() {
    let mut claims = Vec::new();
    for seed in 0..20 {
        let mut uniform = uniform(seed);
        let rare = |_: u32| {
            let p = 0.1 * uniform();
            (p, u8::from(uniform() < p))
        };
        let rows: Vec<(f64, u8)> = (0..400_u32).map(rare).collect();
        let data = open(&csv(&rows), json!({ "split": { "folds": 5 } }));
        let methods = ["none", "temperature", "platt", "beta"];
        let run = data.run(json!({ "methods": methods, "resamples": 300 }));
        let found = compared(&data, &run, json!({ "resamples": 300, "metrics": ["ece"] })).expect("compared");
        let none = &run.outcome().report.methods[0].metrics["ece"];
        for method in &found.methods[1..] {
            let high = method.metrics["ece"].to_none.and_then(|d| d.high);
            assert!(none.above_floor() || high.is_none_or(|high| high >= 0.0), "{seed} {}: {high:?}", method.name);
        }
        if reading(&found.sheet).contains("improve") {
            claims.push(reading(&found.sheet).to_owned());
        }
    }
    assert!(claims.len() <= 2, "{claims:?}");
}

/// Three events among 100 rows: resamples share their luck.
#[test]
fn a_handful_of_events_compares_nothing() {
    let mut uniform = uniform(5);
    let rows: Vec<(f64, u8)> = (0..100).map(|row| (0.1 * uniform(), u8::from(row % 33 == 0 && row > 0))).collect();
    let data = open(&csv(&rows), json!({ "split": { "folds": 5 } }));
    let run = data.run(json!({ "methods": ["none", "platt"], "resamples": 200 }));
    for difference in run.method("platt").differences.values().filter(|difference| difference.value.is_some()) {
        assert_eq!((difference.low, difference.high), (None, None));
        assert_eq!(
            difference.reason.as_ref().map(Reason::text).as_deref(),
            Some("not tested: fewer than 10 rows have the rarer outcome")
        );
    }
    let found = compared(&data, &run, json!({ "resamples": 200 })).expect("compared");
    assert_eq!(reading(&found.sheet), "Not tested: fewer than 10 rows have the rarer outcome (n = 100).");
    assert!(found.methods.iter().all(|method| !method.metrics["brier"].best));
    let Ok(Outcome::Decide(decided)) = data.try_analyse(&run, json!({ "decide": {} })) else { panic!("no decisions") };
    let words = serde_json::to_string(&decided.sheet).expect("a sheet");
    assert!(words.contains("Acting on all or on none: not tested") && !words.contains("significantly"), "{words}");
    // a bootstrap of three events draws none of them in one of twenty resamples: no interval anywhere, and why
    assert!(!words.contains("95% CI") && words.contains("No intervals: fewer than 10 rows"), "{words}");
    let act = decided.act.as_ref().expect("P(y = 1)");
    let ends = |of: [Option<f64>; 3]| (of[0].is_some(), of[1], of[2]);
    for one in &act.methods {
        assert_eq!((ends(one.benefit), ends(one.over_all), one.p), ((true, None, None), (true, None, None), None));
        assert!(one.curve.iter().all(|at| at[1].is_some() && at[2].is_none() && at[3].is_none()));
    }
    assert!(decided.methods.iter().all(|one| one.gain_interval.is_none() && one.gain_p.is_none()));
}

#[test]
fn repeats_are_runs_with_other_seeds() {
    for split in [json!({ "folds": 4 }), json!({ "half": true })] {
        let data = open(&csv(&rows(500, 2.5, 2)), json!({ "split": split }));
        let methods = json!(["none", "platt", "isotonic"]);
        let at = |seed: u64| data.run(json!({ "methods": methods, "resamples": 0, "seed": seed }));
        let runs: Vec<Ran> = (5..8).map(at).collect();
        let found = compared(&data, &runs[0], json!({ "repeats": 3, "resamples": 200 })).expect("compared");
        assert_eq!(found.intervals, "rows_and_repeats");
        for name in ["none", "platt", "isotonic"] {
            let by_run: Vec<f64> = runs
                .iter()
                .map(|run| {
                    let method = run.outcome().report.methods.iter().find(|m| m.name == name);
                    method.expect("there").metrics["nll"].value.expect("defined")
                })
                .collect();
            let mean = by_run.iter().sum::<f64>() / 3.0;
            let squares: f64 = by_run.iter().map(|v| (v - mean).powi(2)).sum();
            let here = value(&found, name, "nll");
            let values: Vec<f64> = here.values.iter().map(|v| v.expect("defined")).collect();
            assert_eq!(values, by_run, "{name}");
            assert!((here.mean.expect("defined") - mean).abs() < 1e-15);
            assert!((here.sd.expect("defined") - (squares / 2.0).sqrt()).abs() < 1e-15);
        }
        // The interval of a mean over repeats is no shorter than the rows allow: about that of one division.
        let once = compared(&data, &runs[0], json!({ "resamples": 200 })).expect("compared");
        let width = |found: &CompareOutcome| {
            let d = value(found, "platt", "nll").to_none.expect("defined");
            d.high.expect("an end") - d.low.expect("an end")
        };
        let ratio = width(&found) / width(&once);
        assert!((0.5..1.6).contains(&ratio), "{ratio}");
    }
}

#[test]
fn a_column_may_name_the_repeats() {
    let mut text = String::from("prob,label,split,seed\n");
    let mut single = Vec::new();
    for seed in [7, 9] {
        let mut own = String::from("prob,label,split\n");
        for (i, (p, y)) in rows(300, 2.0, seed).iter().enumerate() {
            let set = ["calibration", "test"][usize::from(i % 3 == 0)];
            text.push_str(&format!("{p},{y},{set},{seed}\n"));
            own.push_str(&format!("{p},{y},{set}\n"));
        }
        single.push(open(&own, json!({})));
    }
    let data = open(&text, json!({}));
    let request = json!({ "methods": ["none", "platt"], "resamples": 0 });
    let run = data.run(request.clone());
    let found = compared(&data, &run, json!({ "resamples": 50 })).expect("compared");
    assert_eq!((found.repeats, found.rows.as_slice()), (2, &[100, 100][..]));
    for (r, own) in single.iter().enumerate() {
        let own = own.run(request.clone());
        for method in &own.outcome().report.methods {
            assert_eq!(value(&found, &method.name, "nll").values[r], method.metrics["nll"].value);
        }
    }
    assert!(found.sheet.fields.iter().all(|field| field.option != "repeats"));
    let named = compared(&data, &run, json!({ "resamples": 50, "by": "seed" })).expect("compared");
    assert_eq!(named.methods, found.methods);
    let told = |options: Value| {
        let error = compared(&data, &run, options).expect_err("an error");
        format!("{}: {error}", error.code())
    };
    assert_eq!(told(json!({ "by": "prob" })), "invalid_option: The column `prob` has 600 values.");
    assert_eq!(told(json!({ "by": "nothing" })), "unknown_column: Unknown column or array `nothing`.");
    assert_eq!(
        told(json!({ "by": "seed", "repeats": 3 })),
        "invalid_option: 3 repeats were requested, but the column of repeats has 2 values."
    );
    assert_eq!(
        told(json!({ "by": "split" })),
        "split_empty: Of the rows with `split` = calibration, 400 calibrate and 0 are evaluated."
    );
    assert_eq!(
        told(json!({ "repeats": 3 })),
        "invalid_option: 3 repeats were requested, but the file specifies the calibration rows."
    );
}

#[test]
fn only_what_the_rows_can_tell_stands_out() {
    // Over-confident: a logistic curve corrects it, one bin loses what the scores know.
    let data = open(&csv(&rows(4000, 2.5, 4)), json!({ "split": { "folds": 5 } }));
    let coarse = json!({ "id": "histogram", "name": "one bin", "parameters": { "bins": 1 } });
    let run = data.run(json!({ "methods": ["none", "platt", "temperature", coarse], "resamples": 0 }));
    let found = compared(&data, &run, json!({ "methods": ["platt", "one bin"], "resamples": 400 })).expect("compared");
    assert!(value(&found, "platt", "nll").best);
    assert!(reading(&found.sheet).starts_with("Platt scaling is best by "), "{}", reading(&found.sheet));
    assert!(reading(&found.sheet).ends_with("significantly better than every other method (unadjusted, n = 4,000)."));
    let table = tables(&found.sheet)[0];
    let best = |row: usize| table.rows[row][1].tone == Tone::Best;
    assert_eq!([best(0), best(1), best(2)], [false, true, false]);
    assert_eq!(table.rows[0][1].beneath, "");
    assert!(table.rows[1][1].beneath.starts_with('\u{2212}'), "{:?}", table.rows[1][1]);
    // Two methods that do the same: both help, neither stands out.
    let found =
        compared(&data, &run, json!({ "methods": ["platt", "temperature"], "resamples": 400 })).expect("compared");
    assert!(found.methods.iter().all(|m| !m.metrics["nll"].best));
    assert!(
        reading(&found.sheet).starts_with("Platt scaling and Temperature scaling improve "),
        "{}",
        reading(&found.sheet)
    );
    let paper = compared(&data, &run, json!({ "methods": ["platt", "one bin"], "resamples": 400, "layout": "paper" }))
        .expect("compared");
    let table = tables(&paper.sheet)[0];
    assert_eq!(table.rows[0][0].text, "Original predictions → + Platt scaling");
    assert_eq!(table.rows[0][1].tone, Tone::Best);
    assert!(table.rows[0][1].text.contains(" → "));
    assert!(table.rows[1][2].beneath.starts_with("worse: +"), "{:?}", table.rows[1]);
}

#[test]
fn a_composed_method_stands_beside_its_base() {
    let data = open(&csv(&rows(400, 2.5, 6)), json!({ "split": { "folds": 4 } }));
    let composed = json!({ "id": "isotonic", "name": "platt+steps" });
    let run = data.run(json!({ "methods": ["platt", composed], "resamples": 0 }));
    let found = compared(&data, &run, json!({ "layout": "paper", "resamples": 100 })).expect("compared");
    let names: Vec<&str> = tables(&found.sheet)[0].rows.iter().map(|row| row[0].text.as_str()).collect();
    assert_eq!(names, ["Original predictions → + Platt scaling", "Platt scaling → + steps"]);
}

/// Half of the rows calibrates, five seeds, what each plug-in makes of its base: the protocol of the proximity paper.
#[test]
fn plug_ins_are_judged_over_five_halves() {
    let mut text = String::from("prob,label,x1,x2\n");
    for (i, (p, y)) in rows(600, 2.0, 5).iter().enumerate() {
        let far = if i % 3 == 0 { 5.0 } else { 0.5 };
        text.push_str(&format!("{p},{y},{},{}\n", far * (i as f64).sin(), far * (i as f64).cos()));
    }
    let roles = json!({ "x1": "feature", "x2": "feature" });
    let data = open(&text, json!({ "roles": roles, "split": { "half": true } }));
    let methods = json!(["none", "temperature", "temperature+density_ratio", "histogram", "histogram+bin_mean_shift"]);
    let asked = |seed: u64| {
        json!({
            "methods": methods, "metrics": ["ece", "piece", "bias_index"], "resamples": 0, "seed": seed,
            "proximity": { "features": ["x1", "x2"], "neighbours": 5 },
        })
    };
    let run = data.run(asked(0));
    let options = json!({
        "repeats": 5, "seed": 2020, "layout": "paper", "metrics": ["ece", "piece", "bias_index"], "resamples": 40,
    });
    let found = compared(&data, &run, options).expect("compared");
    assert_eq!((found.repeats, found.rows.as_slice()), (5, &[300; 5][..]));
    let last = data.run(asked(2024));
    for method in &last.outcome().report.methods {
        for id in ["ece", "piece", "bias_index"] {
            let here = value(&found, &method.name, id);
            assert_eq!(here.values[4], method.metrics[id].value, "{} {id}", method.name);
            assert!(here.sd.is_some());
        }
    }
    // PIECE has no replicates here: what there is is the t-test over the seeds.
    let ours = "temperature+density_ratio";
    let d = value(&found, ours, "piece").to_none.expect("defined");
    assert_eq!((d.low, d.high), (None, None));
    let each = |name: &str| -> Vec<f64> {
        let values = value(&found, name, "piece").values.iter();
        values.map(|v| v.expect("defined")).collect()
    };
    let apart: Vec<f64> = each(ours).iter().zip(each("none")).map(|(a, b)| a - b).collect();
    let test = localcal::hypothesis::paired_t::paired_t(&apart).expect("they differ");
    assert_eq!(d.p, Some(test.p));
    assert!((d.value - apart.iter().sum::<f64>() / 5.0).abs() < 1e-15);
    assert!(value(&found, ours, "ece").to_none.expect("defined").low.is_some());
    let table = tables(&found.sheet)[0];
    let row = table.rows.iter().find(|row| row[0].text == "Temperature scaling → + ProCal: density ratio");
    let cell = &row.expect("the pair")[2];
    assert!(cell.beneath.contains("p\u{a0}"), "{cell:?}");
}

#[test]
fn nothing_to_recalibrate_is_said() {
    let data = open(&csv(&rows(1500, 1.0, 8)), json!({ "split": { "folds": 5 } }));
    let run = data.run(json!({ "methods": ["none", "platt", "isotonic"], "resamples": 0 }));
    let found = compared(&data, &run, json!({ "metrics": ["nll", "brier"] })).expect("compared");
    assert!(
        reading(&found.sheet).starts_with(
            "No method is significantly better than no recalibration in any of 2 measures (Holm-adjusted, n = 1,500)."
        ),
        "{}",
        reading(&found.sheet)
    );
    assert!(found.resamples == 1000);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let data = open(&csv(&rows(60, 1.0, 8)), json!({ "split": { "folds": 3 } }));
    let run = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 }));
    let alone = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let told = |run: &Ran, options: Value| {
        let error = compared(&data, run, options).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    assert_eq!(told(&run, json!({ "metrics": ["smece"] })), "invalid_option: Methods cannot be compared by `smece`.");
    assert!(told(&run, json!({ "metrics": ["nothing"] })).starts_with("unknown_metric: "));
    assert!(told(&run, json!({ "methods": ["beta"] })).starts_with("unknown_method: "));
    assert_eq!(told(&alone, json!({})), "unknown_method: The last run has no methods to compare with `none`.");
    assert_eq!(
        told(&run, json!({ "repeats": 0 })),
        "invalid_option: repeats is 0; it must be a whole number from 1 to 100."
    );
    assert_eq!(
        told(&run, json!({ "resamples": 1_000_000 })),
        "invalid_option: resamples is 1,000,000; it must be a whole number from 0 to 100,000."
    );
    // Without replicates there are differences, and no intervals.
    let found = compared(&data, &run, json!({ "resamples": 0 })).expect("compared");
    let d = value(&found, "platt", "nll").to_none.expect("defined");
    assert_eq!((d.low, d.high), (None, None));
    assert!(found.methods.iter().all(|m| !m.metrics["nll"].best));
}
