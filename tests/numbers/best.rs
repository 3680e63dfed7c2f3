//! The method that chooses: by calibration rows held back, never by the rows that are scored.

use crate::support::kinds::*;
use crate::support::pipeline::{Opened, open};
use localcal::data::Predictions;
use localcal::data::folds::{LEFT_OUT, Split};
use localcal::evaluation::method::{Calibrator, Method, MethodKind, fit};
use localcal::job::{Job, Outcome};
use serde_json::{Value, json};

fn best(of: Value, by: &str) -> Value {
    json!({ "id": "best", "parameters": { "of": of, "by": by } })
}

/// Remembers every calibration row: each is its own nearest neighbor.
fn memoriser() -> Value {
    json!({ "id": "lore", "name": "memory", "parameters": { "features": ["x1", "x2"], "gamma": 1e-9, "bins": 1 } })
}

fn candidates() -> Value {
    json!([memoriser(), "temperature", "isotonic", "none"])
}

/// The kind as the plan makes it.
fn kind(data: &Opened, method: &Value) -> MethodKind {
    let nodes = data.plan(json!({ "methods": [method], "resamples": 0 })).expect("a plan");
    let kind = nodes.into_iter().find_map(|node| match node.job {
        Job::Fit(fit) => Some(fit.method.kind),
        _ => None,
    });
    kind.expect("a fit")
}

#[test]
fn scored_rows_have_no_say() {
    let whole = csv(Kind::Binary, Part::Whole);
    // The same file, every outcome of a scored row turned round.
    let turned: String = whole
        .lines()
        .map(|line| match line.strip_suffix(",test") {
            Some(line) if line.ends_with(",yes") => {
                format!("{},no,test\n", line.trim_end_matches(",yes"))
            }
            Some(line) => format!("{},yes,test\n", line.trim_end_matches(",no")),
            None => format!("{line}\n"),
        })
        .collect();
    assert_ne!(whole, turned);
    let found = [whole, turned].map(|text| {
        let data = open(&text, json!({}));
        let methods = json!(["none", best(candidates(), "nll")]);
        data.run(json!({ "methods": methods, "resamples": 0 }))
    });
    let [ours, theirs] = found.each_ref().map(|ran| &ran.outcome().rows[1]);
    assert_eq!(ours.calibrators, theirs.calibrators);
    assert_eq!(ours.score, theirs.score);
    assert_ne!(ours.target, theirs.target);
    // And the same inside one fold of several.
    let data = open(
        &csv(Kind::Probabilities, Part::Whole),
        json!({ "view": "top_label", "roles": { "split": "ignore" }, "split": { "folds": 3 } }),
    );
    let kind = kind(&data, &best(candidates(), "brier"));
    let data = data.predictions();
    let split = Split::new(data, 4).expect("folds");
    for fold in 0..3 {
        let (rows, held) = split.rows_of(fold).expect("both");
        let mut other = data.clone();
        let (y, correct) = (other.y.as_mut().expect("y"), other.correct.as_mut());
        let correct = correct.expect("a");
        for &row in &held {
            y[row as usize] = (y[row as usize] + 1) % 3;
            correct[row as usize] = 1 - correct[row as usize];
        }
        let at = |data: &Predictions| fit(data, &kind, &rows, &held, None, &mut |_| ()).expect("fits");
        assert_eq!(at(data), at(&other), "fold {fold}");
    }
}

#[test]
fn a_method_that_remembers_is_not_chosen() {
    for (kind, view) in
        [(Kind::Binary, "positive"), (Kind::Probabilities, "top_label"), (Kind::Confidence, "top_label")]
    {
        let options = json!({ "view": view, "roles": { "split": "ignore" }, "split": { "folds": 4 } });
        let data = open(&csv(kind, Part::Whole), options);
        for by in ["nll", "brier"] {
            let methods = json!(["none", best(candidates(), by)]);
            let run = data.run(json!({ "methods": methods, "resamples": 0 }));
            let parameters = &run.outcome().report.methods[1].parameters;
            let folds = parameters.as_array().expect("one object a fold");
            assert_eq!(folds.len(), 4);
            for fold in folds {
                assert_ne!(fold["chosen"], "memory", "{kind:?} {by}");
                assert_eq!(fold["by"], by);
                let scores = fold["scores"].as_object().expect("by name");
                assert_eq!(scores.len(), 4);
                let value = |name: &str| scores[name].as_f64().expect("defined");
                let chosen = value(fold["chosen"].as_str().expect("a name"));
                assert!(scores.keys().all(|name| chosen <= value(name)), "{fold}");
                assert!(value("memory") > 1.3 * chosen, "{fold}");
            }
        }
    }
}

#[test]
fn candidates_are_judged_by_cross_fitting_within_the_calibration_rows() {
    let data = open(&csv(Kind::Binary, Part::Whole), json!({ "view": "positive" }));
    let kind = kind(&data, &best(json!(["platt", "beta"]), "nll"));
    let MethodKind::Best(choice) = &kind else { panic!("best") };
    let data = data.predictions();
    let split = Split::new(data, 0).expect("given");
    let (rows, held) = split.rows_of(0).expect("both");
    let fitted = fit(data, &kind, &rows, &held, None, &mut |_| ()).expect("fits");
    let Calibrator::Best(found) = &fitted.calibrator else { panic!("best") };
    let inner = Split::within(data, &rows, choice.folds, choice.seed);
    for &row in &held {
        assert_eq!(inner.fold[row as usize], LEFT_OUT);
    }
    let y = data.y.as_ref().expect("y");
    for (Method { name, kind }, (known, score)) in choice.of.iter().zip(&found.scores) {
        assert_eq!(name, known);
        let mut sum = 0.0;
        for fold in 0..choice.folds {
            let (fit_rows, judged) = inner.rows_of(fold).expect("both");
            assert!(fit_rows.len() + judged.len() == rows.len());
            let part = fit(data, kind, &fit_rows, &judged, None, &mut |_| ()).expect("fits");
            for (&row, &p) in judged.iter().zip(part.score.iter()) {
                let observed = if y[row as usize] == 1 { p } else { 1.0 - p };
                sum -= observed.ln();
            }
        }
        let expected = sum / rows.len() as f64;
        assert!((score.expect("defined") - expected).abs() < 1e-12);
    }
    // What is applied is the chosen one, fitted on every calibration row.
    let chosen = choice.of.iter().find(|method| method.name == found.chosen);
    let alone = fit(data, &chosen.expect("known").kind, &rows, &held, None, &mut |_| ()).expect("fits");
    assert_eq!(alone.score, fitted.score);
    assert_eq!(&alone.calibrator, fitted.calibrator.applied());
}

#[test]
fn what_cannot_choose_is_said() {
    let data = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let told = |parameters: Value| {
        let methods = json!([{ "id": "best", "parameters": parameters }]);
        let error = data.plan(json!({ "methods": methods })).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    assert_eq!(told(json!({ "of": [] })), "invalid_option: `best` selects from other methods than itself (0 named).");
    assert_eq!(
        told(json!({ "of": ["platt", "best"] })),
        "invalid_option: `best` selects from other methods than itself (2 named)."
    );
    assert_eq!(told(json!({ "by": "mce" })), "invalid_option: `best` cannot select by `mce`.");
    assert_eq!(told(json!({ "folds": 1 })), "invalid_option: folds is 1; it must be a whole number from 2 to 20.");
    assert!(
        told(json!({ "from": ["platt"] }))
            .starts_with("invalid_option: The parameters of `best` cannot be used: unknown field `from`")
    );
    assert!(told(json!({ "of": ["magic"] })).starts_with("unknown_method: "));
    let few: String =
        csv(Kind::Binary, Part::Whole).lines().take(15).fold(String::new(), |text, line| text + line + "\n");
    let few = open(&few, json!({}));
    let kind = kind(&few, &json!("best"));
    let error = fit(few.predictions(), &kind, &[0, 2, 4, 6, 8], &[1], None, &mut |_| ()).expect_err("too few");
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("too_few_rows", "Too few calibration rows (5) for selection by 5 inner folds.")
    );
}

#[test]
fn the_comparison_says_what_was_chosen() {
    let options = json!({ "roles": { "split": "ignore" }, "split": { "half": true } });
    let data = open(&csv(Kind::Binary, Part::Whole), options);
    let of_run = data.run(json!({ "methods": ["none", "best"], "resamples": 0 }));
    let found = data.try_analyse(&of_run, json!({ "compare": { "repeats": 3, "resamples": 20 } }));
    let Ok(Outcome::Compared(found)) = found else { panic!("a comparison") };
    let said = found.sheet.blocks.iter().any(|block| match block {
        localcal::report::sheet::Block::Text(text) => {
            text.starts_with("Best of several (inner folds): ") && text.contains("inner folds")
        }
        _ => false,
    });
    assert!(said, "{:?}", found.sheet.blocks);
    let row = of_run.outcome().presentation.recalibration.rows.iter().find(|row| row.name == "best");
    assert!(!row.expect("there").parameters.is_empty());
}
