//! Answering or asking: costs through the whole pipeline.

use crate::support::pipeline::{Opened, Ran, open};
use localcal::analysis::decide::DecideOutcome;
use localcal::job::Outcome;
use serde_json::{Value, json};

fn decide(data: &Opened, ran: &Ran, request: Value) -> DecideOutcome {
    match data.try_analyse(ran, json!({ "decide": request })) {
        Ok(Outcome::Decide(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no decisions"),
    }
}

/// A model that says 95 % and is right three times in four; and 60 %, right as often.
fn overconfident() -> Opened {
    let mut text = "p,y\n".to_owned();
    for i in 0..200 {
        text += &format!("0.95,{}\n0.4,{}\n", u8::from(i % 4 != 0), u8::from(i % 5 >= 3));
    }
    open(&text, json!({ "split": { "folds": 5 } }))
}

#[test]
fn a_recalibration_saves_what_false_confidence_costs() {
    let data = overconfident();
    let metrics = json!(["reward_2", "reward_5", "reward_10", "prr"]);
    let ran = data.run(json!({ "methods": ["none", "isotonic"], "metrics": metrics, "resamples": 0 }));
    let found = decide(&data, &ran, json!({ "wrong": 10, "unsure": 1 }));
    assert!((found.threshold - 0.9).abs() < 1e-15);
    let [none, isotonic] = &found.methods[..] else { panic!("two methods") };
    // 200 sure rows, of which 50 are wrong; the other 200 are asked about
    assert_eq!((none.unsure, none.wrong, none.total), (200, 50, -700.0));
    // recalibrated, nothing reaches nine tenths: all are asked about
    assert_eq!((isotonic.unsure, isotonic.wrong, isotonic.total), (400, 0, -400.0));
    assert!((isotonic.gain.unwrap() - 300.0 / 400.0).abs() < 1e-12);
    let [low, high] = isotonic.gain_interval.unwrap();
    assert!(low > 0.3 && high < 1.2, "{low} {high}");
    assert!(isotonic.gain_over_folds.is_some());
    // asking about everybody is the cheapest in hindsight
    assert!(none.hindsight > 0.95 && none.hindsight_total == -400.0);
    let words = format!("{:?}", found.sheet.blocks);
    assert!(
        words.contains("With Isotonic regression, every row is deferred, which saves 750 per 1,000 rows"),
        "{words}"
    );
    assert_eq!(found.sheet.blocks.len(), 12);
    // the ids of the report say the same
    assert_eq!(ran.value("none", "reward_10"), -700.0);
    assert_eq!(ran.value("isotonic", "reward_10"), -400.0);
    assert_eq!(ran.value("none", "reward_2"), -2.0 * (50.0 + 80.0));
}

#[test]
fn costs_must_be_costs() {
    let data = overconfident();
    let ran = data.run(json!({ "resamples": 0 }));
    let error = data.try_analyse(&ran, json!({ "decide": { "wrong": 0 } })).unwrap_err();
    assert!(error.to_string().contains("wrong is 0; it must be a number from 1e-12 to 1,000,000,000,000."));
    // a threshold that nothing reaches would be another than the costs imply
    let error = data.try_analyse(&ran, json!({ "decide": { "miss": 0.001, "false_alarm": 1 } })).unwrap_err();
    assert!(error.to_string().contains("imply a threshold of 0.9990; the largest is 0.99."), "{error}");
    // Sums of these would be infinite.
    for request in [json!({ "wrong": 1.7e308 }), json!({ "wrong": 1, "unsure": 1e-300 })] {
        let error = data.try_analyse(&ran, json!({ "decide": request })).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
    }
    let dear = decide(&data, &ran, json!({ "wrong": 1e12, "unsure": 1e-12 }));
    assert!(!format!("{:?}", dear.sheet).contains('∞'));
    let error = data.try_analyse(&ran, json!({ "decide": { "methods": ["lore"] } })).unwrap_err();
    assert_eq!(error.code(), "unknown_method");
    // as cheap to be wrong as to ask: never defer
    let found = decide(&data, &ran, json!({ "wrong": 1, "unsure": 1 }));
    assert_eq!(found.methods[0].unsure, 0);
    assert!(format!("{:?}", found.sheet.blocks).contains("never defer"));
}

/// By hand: from .5 on 200 rows are acted on, 150 of them rightly; 80 events are missed.
#[test]
fn the_four_cells_and_what_they_are_worth() {
    let data = overconfident();
    let ran = data.run(json!({ "methods": ["none", "isotonic"], "resamples": 0 }));
    let found = decide(&data, &ran, json!({ "miss": 3, "false_alarm": 3, "from": 0.1, "to": 0.6 }));
    let act = found.act.expect("P(y = 1)");
    assert!((act.threshold - 0.5).abs() < 1e-15);
    let none = &act.methods[0];
    assert_eq!((none.caught, none.false_alarms, none.missed, none.spared), (150, 50, 80, 120));
    let near = |got: f64, expected: f64, within: f64| assert!((got - expected).abs() < within, "{got}, not {expected}");
    let [benefit, low, high] = none.benefit.map(|end| end.expect("both outcomes"));
    near(benefit, 100.0 / 400.0, 1e-12);
    // acting on all: (230 − 170)/400
    near(none.over_all[0].expect("a difference"), 100.0 / 400.0 - 60.0 / 400.0, 1e-12);
    // rows are worth 1, −1 or 0: the standard error of their mean is √((200/400 − .25²)/400)
    near(high - low, 2.0 * 1.96 * (0.4375_f64 / 400.0).sqrt(), 0.015);
    // isotonic tells the same two kinds of rows apart: it acts on the same ones, so nothing is gained and nothing claimed
    assert_eq!(act.methods[1].over_none, Some([Some(0.0); 3]));
    assert!(!act.verdict.is_supported());
    let points = none.curve.iter().map(|point| point.map(|v| v.expect("both outcomes")));
    assert!(points.into_iter().all(|at| (0.1..=0.6).contains(&at[0]) && at[2] <= at[1] && at[1] <= at[3]));
    let error = data.try_analyse(&ran, json!({ "decide": { "from": 0.5, "to": 0.2 } })).unwrap_err();
    assert_eq!(error.code(), "invalid_option");
}

#[test]
fn every_line_is_read_at_the_same_thresholds() {
    let data = overconfident();
    let ran = data.run(json!({ "methods": ["none", "isotonic"], "resamples": 0 }));
    let found = decide(&data, &ran, json!({}));
    let figures: Vec<_> = found
        .sheet
        .blocks
        .iter()
        .filter_map(|block| match block {
            localcal::report::sheet::Block::Figures(figures) => Some(figures),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(figures.len(), 4);
    for figure in figures {
        let of = |name: &str| -> Vec<&str> {
            let rows = figure.table.rows.iter().filter(|row| row[0] == name);
            rows.map(|row| row[1].as_str()).collect()
        };
        let mut lines: Vec<&str> = figure.table.rows.iter().map(|row| row[0].as_str()).collect();
        lines.dedup();
        let longest = lines.iter().map(|name| of(name)).max_by_key(Vec::len).unwrap();
        assert!(longest.len() > 10, "{}", figure.title);
        for name in lines {
            // a line that ends earlier has a part of the places, from the first on
            let own = of(name);
            assert_eq!(own, longest[..own.len()], "{}: {name}", figure.title);
        }
    }
}
