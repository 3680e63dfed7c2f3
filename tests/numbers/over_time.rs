//! Along the dates, and then against now: `tests/golden/make_over_time.py`.

use crate::support::pipeline::{Opened, Ran, near, open};
use localcal::analysis::changed::Changing;
use localcal::job::Outcome;
use serde_json::{Value, json};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/over_time.json")).unwrap()
}

fn number(of: &Value, name: &str) -> f64 {
    of[name].as_f64().unwrap_or_else(|| panic!("{name} of {of}"))
}

fn pair(of: &Value) -> [f64; 2] {
    [of[0].as_f64().unwrap(), of[1].as_f64().unwrap()]
}

fn ran(golden: &Value, part: &str, options: Value) -> (Opened, Ran) {
    let lines: Vec<&str> = golden[part].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let text = format!("{}\n{}\n", golden["head"].as_str().unwrap(), lines.join("\n"));
    let mut with = json!({ "roles": { "when": "date", "site": "group", "p": "probability", "y": "label" } });
    options.as_object().unwrap().iter().for_each(|(name, value)| with[name] = value.clone());
    let data = open(&text, with);
    let ran = data.run(json!({ "methods": ["none"], "resamples": 20, "evaluate_on": "all" }));
    (data, ran)
}

#[test]
fn windows_and_their_test_are_those_of_a_fit_done_again() {
    let golden = golden();
    let theirs = &golden["over_time"];
    let (data, ran) = ran(&golden, "then", json!({}));
    let found = match data.try_analyse(&ran, json!({ "over_time": { "window": theirs["window"] } })) {
        Ok(Outcome::OverTime(found)) => found,
        other => panic!("{other:?}"),
    };
    let windows = theirs["windows"].as_array().unwrap();
    assert_eq!(found.windows.len(), windows.len());
    for (ours, theirs) in found.windows.iter().zip(windows) {
        assert_eq!(ours.rows as u64, theirs["rows"].as_u64().unwrap());
        near(ours.predicted, number(theirs, "says"), 1e-12);
        near(ours.observed, number(theirs, "happened"), 1e-12);
        near(ours.beyond, number(theirs, "beyond"), 1e-7);
        // the quantile of 999 draws against that of 6,000 others: 2 %, two standard errors and a half
        let half = (ours.gap_band[1] - ours.gap_band[0]) / 2.0;
        near(half / number(theirs, "half"), 1.0, 0.05);
        near(ours.gap_band[1] - half, ours.gap, 1e-12);
    }
    let (p, draws) = (number(theirs, "p"), number(theirs, "draws"));
    let error = (p * (1.0 - p) * (1.0 / 999.0 + 1.0 / draws)).sqrt();
    assert!(p > 0.02 && p < 0.9, "a p-value that says something");
    near(found.p.unwrap(), p, 3.0 * error + 1e-3);
    near(found.detectable.unwrap() / number(theirs, "detectable"), 1.0, 0.06);
}

#[test]
fn changes_are_those_of_two_independent_samples() {
    let golden = golden();
    let theirs = &golden["changed"];
    let platt = json!({ "id": "platt", "name": "platt", "input": "score", "parameters": theirs["platt"] });
    let session = json!({
        "schema": "localcal-session/1",
        "open": { "view": "positive", "positive": "1" },
        "calibrators": {
            "schema": "localcal-calibrator/1", "view": "positive", "classes": 2, "labels": ["0", "1"],
            "positive": "1", "methods": [platt],
        },
        "numbers": theirs["numbers"],
    });
    let (data, ran) = ran(&golden, "now", json!({ "session": session, "positive": "1" }));
    let found = match data.try_analyse(&ran, json!({ "changed": {} })) {
        Ok(Outcome::Changed(found)) => found,
        other => panic!("{other:?}"),
    };
    let changes = theirs["changes"].as_array().unwrap();
    assert_eq!(found.changes.len(), changes.len());
    for theirs in changes {
        let name = theirs["name"].as_str().unwrap();
        let is = |of: Changing, called: &str| match name {
            "share" => of == Changing::Share,
            "gap" => of == Changing::Gap,
            group => of == Changing::GroupGap && called == group,
        };
        let ours = found.changes.iter().find(|ours| is(ours.of, &ours.name)).unwrap();
        for (ours, name) in [
            (ours.last, "last"),
            (ours.now, "now"),
            (ours.change, "change"),
            (ours.low, "low"),
            (ours.high, "high"),
            (ours.p, "p"),
            (ours.p_holm, "p_holm"),
        ] {
            near(ours, number(theirs, name), 1e-10);
        }
    }
    let (ours, theirs) = (&found.recalibrations[0], &theirs["repair"]);
    for (ours, name) in [
        (ours.gap_before, "gap_before"),
        (ours.gap_after, "gap_after"),
        (ours.brier_before, "brier_before"),
        (ours.brier_after, "brier_after"),
        (ours.difference, "difference"),
    ] {
        near(ours, number(theirs, name), 1e-10);
    }
    let interval = ours.interval.expect("both outcomes");
    for (ours, name) in [(ours.gap_after_interval, "gap_after_interval"), (interval, "interval")] {
        let theirs = pair(&theirs[name]);
        near(ours[0], theirs[0], 1e-8);
        near(ours[1], theirs[1], 1e-8);
    }
    let words = serde_json::to_string(&found.sheet).unwrap();
    assert!(
        words.contains("Platt scaling ") && !words.contains("platt "),
        "methods are called by their names: {words}"
    );
}

/// A date that only events have, as that of a default, is not the time that calibration changes over.
#[test]
fn the_date_of_the_event_is_no_time_of_the_rows() {
    let row = |i: usize| {
        let event = i * 7 % 10 < 3;
        let defaulted = if event { format!("2023-{:02}-15", 1 + i % 12) } else { String::new() };
        format!("{defaulted},2022-{:02}-{:02},0.{},{}\n", 1 + i / 40, 1 + i % 28, 20 + i % 20, u8::from(event))
    };
    let text = format!("default_date,reporting_date,p,y\n{}", (0..480).map(row).collect::<String>());
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "over_time": {} })) {
        Ok(Outcome::OverTime(found)) => assert_eq!(found.by, "reporting_date"),
        other => panic!("{other:?}"),
    }
}
