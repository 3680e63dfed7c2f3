//! What to do, through the whole pipeline: calibrated files are left alone, a planted fault is corrected on rows that no fit saw.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, finding, open, try_open};
use localcal::analysis::finding::{Advice, FindingOutcome};
use localcal::words::number::count;
use serde_json::{Value, json};

/// What is planted in a file.
#[derive(Clone, Copy)]
struct Planted {
    /// log-odds by which the intensive care unit is too low
    icu: f64,
    /// log-odds by which everybody is too low
    everybody: f64,
    /// how much too far apart risks are
    heat: f64,
}

const NOTHING: Planted = Planted { icu: 0.0, everybody: 0.0, heat: 1.0 };

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// Risks of `n` patients of four wards; one in eight is in the ICU.
fn hospital(seed: u64, n: usize, planted: Planted) -> String {
    let mut uniform = uniform(seed);
    let mut out = "risk,ward,sex,age,died\n".to_owned();
    for _ in 0..n {
        let z = -1.0 + 1.2 * ((0..6).map(|_| uniform()).sum::<f64>() - 3.0) * 2.0_f64.sqrt();
        let ward = ["ICU", "ED", "medical", "surgery"][[0, 1, 1, 2, 2, 2, 3, 3][(uniform() * 8.0) as usize]];
        let sex = ["F", "M"][(uniform() * 2.0) as usize];
        let age = 20.0 + (uniform() * 70.0).floor();
        let fault = planted.everybody + if ward == "ICU" { planted.icu } else { 0.0 };
        let died = u8::from(uniform() < sigmoid(z + fault));
        out.push_str(&format!("{},{ward},{sex},{age},{died}\n", sigmoid(planted.heat * z)));
    }
    out
}

fn opened(text: &str, split: Value) -> (Opened, Ran) {
    let roles = json!({ "risk": "probability", "ward": "group", "sex": "group", "age": "feature", "died": "label" });
    let data = open(text, json!({ "roles": roles, "split": split }));
    let ran = data.run(json!({ "resamples": 0 }));
    (data, ran)
}

fn advice(text: &str, request: Value) -> (FindingOutcome, Advice) {
    let (data, ran) = opened(text, json!({ "folds": 5 }));
    let mut found = finding(&data, &ran, request);
    let advice = found.advice.take().expect("advice");
    (found, advice)
}

/// The id of what is recommended.
fn id(advice: &Advice) -> String {
    let method = serde_json::to_value(&advice.method).unwrap();
    method.as_str().or(method["id"].as_str()).unwrap().to_owned()
}

const CHEAP: [&str; 6] = ["intercept", "platt", "slice_intercept", "group_intercept", "isotonic", "histogram"];

/// One event, in the row with the lowest score: five were expected, and Platt scaling has a lower loss in every row but
/// one.
#[test]
fn what_an_interval_shows_is_not_denied() {
    let lines = (0..100).map(|row| format!("{},{}\n", 0.02 + 0.0006 * f64::from(row), u8::from(row == 0)));
    let data =
        open(&std::iter::once("p,y\n".to_owned()).chain(lines).collect::<String>(), json!({ "split": { "folds": 5 } }));
    let ran = data.run(json!({ "resamples": 0 }));
    let advice = finding(&data, &ran, json!({ "parts": ["advice"] })).advice.expect("advice");
    assert_eq!(id(&advice), "none");
    // the rows of each fit have no event, or one: no change of a loss has an interval that says otherwise
    assert_eq!(advice.sentence, "Keep the original predictions: too few rows of the rarer outcome to fit any method.");
    let changes = || advice.candidates.iter().map(|one| one.nll_change);
    assert!(changes().any(|change| change.value.is_some()), "{:?}", advice.candidates);
    assert!(changes().all(|change| change.low.is_none() && change.high.is_none()), "{:?}", advice.candidates);
}

#[test]
fn calibrated_files_are_left_alone() {
    let mut changed = Vec::new();
    for seed in 0..16 {
        let n = [150, 300, 450, 600][seed as usize % 4];
        let (found, advice) =
            advice(&hospital(1000 + seed, n, NOTHING), json!({ "methods": CHEAP, "parts": ["advice"] }));
        assert!(advice.candidates.iter().filter(|one| one.recommended).count() == 1);
        if id(&advice) == "none" && found.chance {
            assert!(advice.sentence.starts_with("Keep the original predictions: none of "), "{}", advice.sentence);
            assert!(advice.stays_wrong.is_empty());
            assert_eq!((advice.short.as_str(), &advice.rest), ("No recalibration", &advice.sentence));
        }
        if id(&advice) != "none" {
            changed.push((seed, advice.sentence.clone()));
        }
    }
    // Of 16 files more than 4 would be off in 1 of 1,000 cases at the level of 5 %.
    assert!(changed.len() <= 4, "{changed:?}");
}

#[test]
fn a_ward_that_is_too_low_is_mended_on_rows_that_no_fit_saw() {
    let planted = Planted { icu: 1.2, ..NOTHING };
    let text = hospital(5, 3000, planted);
    let (found, advice) = advice(&text, json!({}));
    assert_eq!(found.subgroups[0].description, "ward = ICU", "{}", found.sentence);
    assert_eq!(id(&advice), "slice_intercept", "{}", advice.sentence);
    assert_eq!(advice.sentence, format!("Recommended: {}. {}", advice.short, advice.rest));
    // which consists of statements, one of which is about the rows that change
    let statements: Vec<&str> = advice.statements.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(statements.join(" "), advice.rest);
    assert!(statements.len() > 2 && !advice.without_moves().contains("decrease in"), "{}", advice.rest);
    let moves = statements.iter().find(|text| text.contains("decrease in")).unwrap();
    assert_eq!(advice.without_moves(), advice.sentence.replace(&format!(" {moves}"), ""));
    assert_eq!(advice.short, advice.title);
    let icu = &advice.subgroups[0];
    assert!(icu.description == "ward = ICU" && icu.before < -0.12, "{icu:?}");
    assert!(icu.low < 0.0 && icu.high > 0.0 && icu.after.abs() < 0.04, "{icu:?}");
    assert!(advice.stays_wrong.is_empty());
    assert!(
        advice.sentence.contains("For ward = ICU, the error corrected for selection changes from −"),
        "{}",
        advice.sentence
    );
    let nll = &advice.candidates.iter().find(|one| one.recommended).unwrap().nll_change;
    assert!(nll.high.unwrap() < 0.0);
    // A recalibration that sees only the score leaves that ward wrong, and says so.
    let platt = advice.candidates.iter().find(|one| one.title == "Platt scaling").unwrap();
    assert!(platt.subgroups[0].is_miscalibrated() && platt.subgroups[0].after < -0.1, "{:?}", platt.subgroups);
    // What is recommended is what `run` takes: its numbers are those of the advice.
    let (data, ran) = opened(&text, json!({ "folds": 5 }));
    let again = data.run(json!({ "methods": ["none", advice.method], "resamples": 0 }));
    let run = again.outcome();
    let chosen = advice.candidates.iter().find(|one| one.recommended).unwrap().clone();
    let nll = run.report.methods[1].metrics["nll"].value.unwrap();
    assert!((nll - chosen.nll.unwrap()).abs() < 1e-12);
    let rows = &run.rows[1];
    let inside = found.subgroups[0].inside(data.predictions()).unwrap();
    let of = |values: &dyn Fn(usize) -> f64| -> f64 {
        let own: Vec<f64> = (0..rows.rows.len()).filter(|&i| inside[rows.rows[i] as usize]).map(values).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    // What a gap is moved by is what scores are moved by; both ends are corrected for the selection of the ward.
    let before = &run.rows[0];
    let moved = of(&|i| rows.score[i] - before.score[i]);
    assert!((icu.after - icu.before - moved).abs() < 1e-12, "{icu:?}");
    let plain = of(&|i| before.score[i] - f64::from(before.target[i]));
    assert!(plain <= icu.before && icu.before < 0.8 * plain, "{plain}: {icu:?}");
    // It moves the ward, and nobody else.
    let (inside, all) = (inside.iter().filter(|inside| **inside).count(), inside.len());
    assert_eq!((advice.moves.up, advice.moves.down, advice.moves.rest_mean), (inside, 0, Some(0.0)));
    let others = format!("the {} rows outside the listed subgroups are unchanged.", count((all - inside) as u64));
    assert!(advice.sentence.contains(&others), "{}", advice.sentence);
    assert_eq!(chosen.title, "Intercept shift for ward = ICU only");
    let with_all = advice.candidates.iter().find(|one| one.title.ends_with("common intercept")).unwrap();
    let moves = with_all.moves.unwrap();
    assert!(moves.up + moves.down > inside && moves.rest_mean.unwrap().abs() > 0.0, "{moves:?}");
    // Beside a run that holds it, its scores are taken as they are.
    let beside = finding(&data, &again, json!({ "methods": ["slice_intercept"] })).advice.unwrap();
    assert_eq!(beside.subgroups, advice.subgroups);
    drop(ran);
}

#[test]
fn given_rows_judge_fits_on_the_others() {
    let text = hospital(11, 3000, Planted { icu: 1.4, ..NOTHING });
    let (data, ran) = opened(&text, json!({ "half": true }));
    let found = finding(&data, &ran, json!({ "methods": CHEAP }));
    let advice = found.advice.unwrap();
    assert_eq!(id(&advice), "slice_intercept", "{}", advice.sentence);
    assert!(advice.subgroups[0].rows < 250 && !advice.subgroups[0].is_miscalibrated(), "{:?}", advice.subgroups);
}

#[test]
fn what_is_wrong_in_all_rows_takes_the_simplest_recalibration() {
    let shifted = Planted { everybody: 0.6, ..NOTHING };
    let apart = Planted { heat: 2.2, ..NOTHING };
    for (planted, wanted, title) in
        [(shifted, "intercept", "Recalibration in the large"), (apart, "platt", "Platt scaling")]
    {
        let mut unnamed = 0;
        for seed in 21..24 {
            let (found, advice) = advice(&hospital(seed, 2000, planted), json!({ "methods": CHEAP }));
            // Some files name somebody by chance.
            if found.subgroups.is_empty() {
                assert_eq!(id(&advice), wanted, "{seed}: {}", advice.sentence);
                assert!(
                    advice.sentence.starts_with(&format!("Recommended: {title}. Log loss decreases from ")),
                    "{}",
                    advice.sentence
                );
                assert!(advice.subgroups.is_empty());
                unnamed += 1;
            }
        }
        assert!(unnamed > 0, "{title}");
    }
}

#[test]
fn who_stays_wrong_is_said() {
    let text = hospital(5, 3000, Planted { icu: 1.2, ..NOTHING });
    let (_, advice) = advice(&text, json!({ "methods": ["intercept", "platt"] }));
    assert_eq!(advice.stays_wrong[0].description, "ward = ICU");
    assert!(advice.sentence.contains("Still miscalibrated: ward = ICU (underestimated by "), "{}", advice.sentence);
}

#[test]
fn what_cannot_be_judged_is_said() {
    let (data, ran) = opened(&hospital(3, 300, NOTHING), json!({ "folds": 5 }));
    assert!(finding(&data, &ran, json!({ "methods": [] })).advice.is_none());
    let refused = data.try_analyse(&ran, json!({ "finding": { "methods": ["nothing"] } }));
    assert_eq!(refused.map(|_| ()).unwrap_err().code(), "unknown_method");
    let found = finding(&data, &ran, json!({ "methods": ["vector", "group_histogram", "intercept"] })).advice.unwrap();
    let reason = |title: &str| found.candidates.iter().find(|one| one.title == title).unwrap().reason.clone();
    assert_eq!(reason("Histogram by group").as_deref(), Some("no subgroup is listed"));
    assert!(reason("Recalibration in the large").is_none());
    // One kind of outcome in a fold is no reason to fail.
    let (data, ran) =
        opened("risk,ward,sex,age,died\n0.1,A,F,1,0\n0.2,A,F,2,0\n0.9,B,M,3,1\n0.8,B,M,4,0\n", json!({ "folds": 2 }));
    let few = finding(&data, &ran, json!({})).advice.unwrap();
    assert_eq!(id(&few), "none", "{}", few.sentence);
}

/// A ward and a range of age: which rows the advice moves, and that it leaves the older ones of that ward alone.
#[test]
fn a_ward_and_an_age_are_moved_and_nobody_else() {
    let mut uniform = uniform(28);
    let mut out = "risk,ward,sex,age,died\n".to_owned();
    for _ in 0..3200 {
        let z = -1.0 + 1.2 * ((0..6).map(|_| uniform()).sum::<f64>() - 3.0) * 2.0_f64.sqrt();
        let ward = ["ICU", "ED", "medical", "surgery"][[0, 1, 1, 2, 2, 2, 3, 3][(uniform() * 8.0) as usize]];
        let age = 20.0 + (uniform() * 70.0).floor();
        let low = ward == "ICU" && age >= 62.0;
        let died = u8::from(uniform() < sigmoid(z + if low { 1.8 } else { 0.0 }));
        out.push_str(&format!("{},{ward},F,{age},{died}\n", sigmoid(z)));
    }
    let (found, advice) = advice(&out, json!({ "methods": CHEAP }));
    let named = &found.subgroups[0];
    assert!(named.columns.contains(&"ward".to_owned()), "{}", found.sentence);
    assert_eq!(id(&advice), "slice_intercept", "{}", advice.sentence);
    assert_eq!(advice.moves.rest_mean, Some(0.0), "{}", advice.sentence);
    assert_eq!(advice.moves.up + advice.moves.down, found.subgroups.iter().map(|one| one.rows).sum::<usize>());
    // Every candidate that was judged states which rows it moves.
    for one in &advice.candidates {
        assert_eq!(one.moves.is_some(), one.reason.is_none(), "{one:?}");
        let nothing = one.moves.is_some_and(|moves| moves.up + moves.down == 0);
        assert_eq!(nothing, one.title == "No recalibration" && one.reason.is_none());
    }
}

/// What learns more than the events can tell is not recommended, and few events are said before anything else.
#[test]
fn twelve_events_are_said_first_and_teach_one_number() {
    let mut uniform = uniform(3);
    let mut out = "risk,ward,sex,age,died\n".to_owned();
    for row in 0..300 {
        let ward = ["ICU", "ED"][(uniform() * 2.0) as usize];
        out.push_str(&format!("{},{ward},F,{},{}\n", 0.2 + 0.3 * uniform(), row % 60, u8::from(row % 25 == 0)));
    }
    let (found, advice) = advice(&out, json!({}));
    assert!(
        found.sentence.starts_with("Only 12 events in 300 rows: probabilities are overestimated on average ("),
        "{}",
        found.sentence
    );
    assert_eq!(found.few.unwrap().events, 12);
    // 9 or 10 events a fit do for none of them, or for one number
    let chosen = advice.candidates.iter().find(|one| one.recommended).unwrap();
    assert!(chosen.too_few_events.is_none(), "{}", advice.sentence);
    let platt = advice.candidates.iter().find(|one| one.title == "Platt scaling").unwrap();
    assert!(platt.too_few_events.as_ref().unwrap().starts_with("2 parameters, fitted to "), "{platt:?}");
    assert!(!platt.among_best);
}

/// Several classes: what is recommended goes by the loss of the table of methods.
#[test]
fn the_target_of_several_classes_is_that_of_the_table() {
    let bytes = include_bytes!("../../www/sample/digits.npz");
    let data = try_open(&[("digits.npz", bytes)], json!({})).unwrap();
    let ran =
        data.run(json!({ "resamples": 0, "methods": ["none", "temperature", "platt", "isotonic", "lore_ridge"] }));
    let found = finding(&data, &ran, json!({}));
    let advice = found.advice.unwrap();
    let of = |title: &str| advice.candidates.iter().find(|one| one.title == title).unwrap();
    for (title, name) in [
        ("No recalibration", "none"),
        ("Temperature scaling", "temperature"),
        ("Platt scaling", "platt"),
        ("Isotonic regression", "isotonic"),
    ] {
        assert!((of(title).nll.unwrap() - ran.value(name, "nll")).abs() < 1e-12, "{title}");
        assert!((of(title).brier.unwrap() - ran.value(name, "brier")).abs() < 1e-12, "{title}");
    }
    let chosen = advice.candidates.iter().find(|one| one.recommended).unwrap();
    let temperature = of("Temperature scaling");
    println!("{}\n{}", found.sentence, advice.sentence);
    for one in &advice.candidates {
        println!(
            "{} {:?} {:?} {:?} {:?} {:?}",
            one.title, one.nll, one.brier, one.among_best, one.too_few_events, one.broken
        );
    }
    assert!(chosen.nll.unwrap() <= temperature.nll.unwrap() + 1e-9 || chosen.among_best, "{}", advice.sentence);
    assert_eq!(id(&advice), "temperature", "{}", advice.sentence);
    assert!(advice.sentence.contains("og loss of all class probabilities decreases"), "{}", advice.sentence);
}
