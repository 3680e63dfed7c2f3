//! What is left out is left out wherever it could be read, and what was not looked at is said.

use crate::support::draws::park_miller;
use crate::support::pipeline::{open, text};
use localcal::analysis::finding::{FindingOutcome, PartName};
use localcal::job::{Call, Outcome};
use serde_json::{Value, json};

/// Every fourth row has the outcome; the last `rows` scores are spread from 0.02 to 0.98.
fn of_rows(rows: usize) -> String {
    let mut text = "risk,label\n".to_owned();
    for i in 0..rows {
        text += &format!("{},{}\n", 0.02 + 0.96 * i as f64 / rows as f64, u8::from(i % 4 == 0));
    }
    text
}

#[test]
fn no_step_of_a_decision_curve_is_drawn_where_small_counts_are_left_out() {
    let data = open(&of_rows(120), json!({}));
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 5 }));
    let document = |suppress: Value, format: &str| {
        let asked = json!({ "document": { "suppress": suppress, "format": format } });
        text(data.try_analyse(&ran, asked).unwrap())
    };
    let whole = document(json!(null), "html");
    let axis = "threshold probability";
    assert!(whole.contains(axis), "the curve stands in the whole document");
    let few = document(json!(10), "html");
    assert!(!few.contains(axis));
    assert!(
        few.contains("thresholds between which fewer than 10 rows with or without the outcome can lie, are withheld")
    );
    // and of the table only lines between which many rows lie
    let threshold = |line: &&str| line.split('|').nth(1).is_some_and(|cell| cell.trim().ends_with('%'));
    let lines = |text: &str| text.lines().filter(threshold).count();
    let [withheld, all] = [json!(10), json!(null)].map(|suppress| lines(&document(suppress, "markdown")));
    assert!(0 < withheld && withheld < all, "{withheld} of {all} lines");
}

#[test]
fn few_wrong_predictions_are_few_rows_too() {
    let made = |wrong: usize| {
        let mut text = "confidence,correct\n".to_owned();
        for i in 0..200 {
            text += &format!("{},{}\n", 0.6 + 0.002 * i as f64, u8::from(i >= wrong));
        }
        text
    };
    for (wrong, refused) in [(2, true), (198, true), (40, false)] {
        let data = open(&made(wrong), json!({ "roles": { "confidence": "confidence", "correct": "correct" } }));
        let ran = data.run(json!({ "methods": ["none"], "resamples": 5 }));
        let code = data.try_export(Call::ExportReport { suppress: Some(5) }, &ran).err().map(|error| error.code());
        assert_eq!(code, refused.then_some("too_few_rows"), "{wrong} wrong");
        assert!(data.try_export(Call::ExportReport { suppress: None }, &ran).is_ok());
        let document = data.try_analyse(&ran, json!({ "document": { "suppress": 5, "format": "markdown" } }));
        assert_eq!(document.err().map(|error| error.code()), refused.then_some("too_few_rows"), "{wrong} wrong");
    }
}

fn finding(text: &str, options: Value, request: Value) -> FindingOutcome {
    let data = open(text, options);
    let ran = data.run(json!({ "methods": ["none"], "resamples": 5 }));
    match data.try_analyse(&ran, json!({ "finding": request })) {
        Ok(Outcome::Finding(found)) => found,
        other => panic!("{other:?}"),
    }
}

fn words(found: &FindingOutcome) -> String {
    serde_json::to_string(&found.parts).unwrap()
}

#[test]
fn what_the_advice_has_looked_at_is_what_it_says() {
    // all scores too high, by as much in both wards
    let mut next = park_miller(3);
    let mut text = "p,y,ward\n".to_owned();
    for i in 0..1500 {
        let p = 0.1 + 0.8 * next();
        text += &format!("{p},{},{}\n", u8::from(next() < 0.6 * p), ["A", "B"][i % 2]);
    }
    let found = finding(&text, json!({ "roles": { "ward": "group" } }), json!({ "methods": ["intercept", "platt"] }));
    let advice = found.advice.as_ref().unwrap();
    assert!(advice.sentence.starts_with("Recommended: "), "{}", advice.sentence);
    let alone = "single-column subgroup becomes significantly miscalibrated";
    assert!(advice.sentence.contains(alone), "pairs were not looked at: {}", advice.sentence);
    assert!(words(&found).contains("Pairs of columns are not retested"));
}

#[test]
fn the_note_on_the_method_says_what_was_left_out() {
    let rows: String = (0..300).map(|i| format!("0.{},{},{}\n", 1 + i % 8, u8::from(i % 3 == 0), i % 4)).collect();
    let options = json!({ "roles": { "ward": "group" } });
    let found = finding(&format!("p,y,ward\n{rows}"), options.clone(), json!({ "methods": [] }));
    let subgroups = found.parts.iter().find(|part| part.id == PartName::Subgroups).unwrap();
    let note = serde_json::to_string(&subgroups.blocks).unwrap();
    for part in ["the 250 most frequent", "in the first 16 columns also pairs", "Subgroups below 30 rows"] {
        assert!(note.contains(part), "{part}: {note}");
    }
    // each reason for looking at nobody has its own sentence
    for (text, options, why) in [
        (
            format!("p,y,ward\n{}", rows.replace(",1,", ",0,")),
            options.clone(),
            "Subgroups were not tested: all outcomes are the same.",
        ),
        (
            "p,y\n".to_owned() + &"0.2,0\n0.4,1\n0.6,0\n0.8,1\n".repeat(20),
            json!({}),
            "Subgroups were not tested: no column describes the rows.",
        ),
        (
            "p,y,ward\n".to_owned()
                + &"0.2,0,A\n0.4,1,A\n0.6,1,A\n0.8,0,A\n0.3,1,B\n0.5,0,B\n0.7,1,B\n0.9,0,B\n".repeat(4),
            options,
            "Subgroups were not tested: no category or range that divides the rows has 30 of them.",
        ),
    ] {
        let labels = if why.contains("all outcomes") { json!("0") } else { json!("1") };
        let mut options = options;
        options["positive"] = labels;
        options["view"] = json!("positive");
        let found = finding(&text, options, json!({ "methods": [] }));
        assert_eq!(found.rest.sentence, why, "{text}");
    }
}

#[test]
fn arrays_are_looked_at_by_their_neighbors() {
    use crate::support::bytes::{floats, integers, zip};
    let mut next = park_miller(8);
    let (mut probs, mut labels, mut features) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..400_i64 {
        let p = 0.34 + 0.6 * next();
        let class = i % 3;
        (0..3).for_each(|k| probs.push(if k == class { p } else { (1.0 - p) / 2.0 }));
        labels.push(if next() < p { class } else { (class + 1) % 3 });
        (0..5).for_each(|_| features.push(next()));
    }
    let file = zip(
        &[
            ("probs.npy", &floats("(400, 3)", &probs)),
            ("labels.npy", &integers("(400,)", &labels)),
            ("features.npy", &floats("(400, 5)", &features)),
        ],
        0,
    );
    let data = crate::support::pipeline::try_open(&[("a.npz", &file)], json!({})).unwrap();
    let ran = data.run(json!({ "methods": ["none"], "resamples": 5 }));
    for request in [json!({ "methods": [] }), json!({ "methods": [], "features": ["features"] })] {
        let found = match data.try_analyse(&ran, json!({ "finding": request })) {
            Ok(Outcome::Finding(found)) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(found.rest.kinds.subgroups, 3, "the predicted class");
        assert!(found.rest.kinds.places > 0 && found.rest.not_examined.is_empty(), "{:?}", found.rest);
        assert!(found.rest.sentence.contains("3 subgroups and "), "{}", found.rest.sentence);
    }
    let refused = data.try_analyse(&ran, json!({ "finding": { "groups": ["features"] } })).map(|_| ()).unwrap_err();
    assert_eq!(refused.code(), "invalid_option");
    // on the map an axis is told by what it shows of the whole
    let call = |request: Value| Call::View { request: crate::support::pipeline::request(json!({ "map": request })) };
    let names = |features: Value| {
        let found = crate::support::pipeline::asked(call(json!({ "features": features })), &[&data.0, &ran.0]);
        match found {
            Ok(Outcome::View(found)) => found.shown.map.unwrap().names,
            other => panic!("{other:?}"),
        }
    };
    let [x, y] = names(json!({ "pca": 2, "of": ["features"] }));
    assert!(x.starts_with("1st principal axis (") && x.ends_with("% of the variance)"), "{x}");
    assert!(y.starts_with("2nd principal axis ("), "{y}");
    assert_eq!(names(json!("features")), ["column 1 of features", "column 2 of features"]);
}
