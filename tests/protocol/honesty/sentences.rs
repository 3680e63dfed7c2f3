//! What the finding says of files whose truth is known: errors that cancel, errors everywhere, rankings without value.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde_json::{Value, json};

use super::Draws;
use crate::support::pipeline::{csv, open};
use localcal::analysis::finding::FindingOutcome;
use localcal::job::Outcome;
use localcal::num::special::{PROB_CLIP, logit, sigmoid};

/// A file of `n` rows: log-odds of the score about −1.2, true log-odds as `truth` makes them of these and of the group, which
/// goes round 0 to `groups` − 1.
fn file(n: usize, groups: usize, seed: u64, truth: impl Fn(f64, usize) -> f64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let (mut p, mut y, mut group) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let score = sigmoid(-2.4 + 2.4 * draws.uniform());
        p.push(score);
        group.push((i % groups) as f64);
        y.push(f64::from(u8::from(draws.uniform() < sigmoid(truth(logit(score, PROB_CLIP), i % groups)))));
    }
    csv(&[("p", p), ("y", y), ("group", group)])
}

fn finding(text: &str, options: Value, asked: Value) -> FindingOutcome {
    let data = open(text, options);
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "finding": asked })) {
        Ok(Outcome::Finding(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no finding"),
    }
}

#[test]
fn errors_that_cancel_are_both_told() {
    let mut told = 0;
    for seed in 0..5 {
        let text = file(4000, 2, seed, |score, group| score + if group == 0 { 0.45 } else { -0.52 });
        let options = json!({ "roles": { "group": "group" } });
        let found = finding(&text, options, json!({ "methods": [], "parts": ["overall", "whom"] }));
        // whichever of the two is named, the rows of the other are off the other way
        assert_eq!(found.subgroups.len(), 1, "{}", found.sentence);
        let (named, other) = match found.sentence.contains("are underestimated for group = 0") {
            true => {
                ("underestimated for group = 0", "Probabilities of the other 2,000 rows are overestimated (predicted ")
            }
            false => {
                ("overestimated for group = 1", "Probabilities of the other 2,000 rows are underestimated (predicted ")
            }
        };
        assert!(!found.sentence.contains("No further subgroup"), "{}", found.sentence);
        // or all rows together are off, too
        let outside = found.sentence.contains("rows outside group = ")
            && [" are over", " are under"].iter().any(|words| found.sentence.contains(words));
        let both = found.sentence.contains(named) && found.sentence.contains(other);
        assert!(both || outside, "{}", found.sentence);
        told += usize::from(both);
    }
    assert!(told >= 3, "{told} of 5");
}

#[test]
fn rows_outside_of_what_is_named_are_told_only_where_they_are_off() {
    let mut also = 0;
    for seed in 0..20 {
        let text = file(3000, 5, seed, |score, group| score + if group == 3 { 0.9 } else { 0.0 });
        let options = json!({ "roles": { "group": "group" } });
        let found = finding(&text, options, json!({ "methods": [], "parts": ["overall", "whom"] }));
        assert!(found.sentence.contains("group = 3"), "{}", found.sentence);
        also += usize::from(found.sentence.contains("the other 2,400 rows"));
    }
    assert!(also <= 3, "{also} of 20 at a level of 5%");
}

#[test]
fn extreme_is_what_has_a_slope_between_0_and_1() {
    let nothing = json!({ "methods": [], "parts": ["overall"], "groups": [], "features": [] });
    let said = |truth: &dyn Fn(f64) -> f64| {
        finding(&file(3000, 2, 7, |score, _| truth(score)), json!({}), nothing.clone()).parts[0].heading.clone()
    };
    let extreme = said(&|score| -1.2 + 0.5 * (score + 1.2));
    assert!(extreme.contains("predictions are too extreme (calibration slope 0."), "{extreme}");
    let reversed = said(&|score| -1.2 - (score + 1.2));
    assert!(
        reversed.contains("vents are less frequent where predictions are higher (calibration slope −"),
        "{reversed}"
    );
    let useless = said(&|_| -0.3);
    assert!(useless.contains("redictions show no significant association with the outcome"), "{useless}");
    // that all are too low makes none of them too moderate
    let low = said(&|score| score + 0.6);
    assert!(low.contains("are underestimated on average") && !low.contains("slope"), "{low}");
}

#[test]
fn scores_of_0_and_1_do_not_make_the_slope() {
    // right as often as stated, but for those at 100 %, which are right in 90 %
    let mut draws = Draws(Pcg64::seed_from_u64(3));
    let (mut confidence, mut correct) = (Vec::new(), Vec::new());
    for i in 0..3000 {
        let stated = if i % 15 == 0 { 1.0 } else { 0.3 + 0.65 * draws.uniform() };
        confidence.push(stated);
        correct.push(f64::from(u8::from(draws.uniform() < if stated == 1.0 { 0.9 } else { stated })));
    }
    let text = csv(&[("confidence", confidence), ("correct", correct)]);
    let found = finding(&text, json!({}), json!({ "methods": [], "parts": ["overall"], "groups": [], "features": [] }));
    assert!(!found.sentence.contains("extreme"), "{}", found.sentence);
}

#[test]
fn errors_that_the_calibration_rows_do_not_have_are_not_called_small() {
    let mut draws = Draws(Pcg64::seed_from_u64(5));
    let (mut p, mut y, mut set) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..4000 {
        let score = sigmoid(-2.4 + 2.4 * draws.uniform());
        let evaluated = i % 2 == 1;
        p.push(score);
        set.push(f64::from(u8::from(evaluated)));
        let shift = if evaluated { 0.8 } else { 0.0 };
        y.push(f64::from(u8::from(draws.uniform() < sigmoid(logit(score, PROB_CLIP) + shift))));
    }
    let text = csv(&[("p", p), ("y", y), ("split", set)]);
    let text = text.lines().map(|line| match line.strip_suffix(",1") {
        Some(rest) => format!("{rest},test\n"),
        None => line.strip_suffix(",0").map_or_else(|| format!("{line}\n"), |rest| format!("{rest},calibration\n")),
    });
    let data = open(&text.collect::<String>(), json!({}));
    let ran = data.run(json!({ "resamples": 0 }));
    let asked = json!({ "finding": { "methods": ["intercept"], "parts": ["overall", "advice"] } });
    let Ok(Outcome::Finding(found)) = data.try_analyse(&ran, asked) else { panic!("no finding") };
    let advice = &found.advice.as_ref().unwrap().sentence;
    assert!(advice.contains(" An overall error remains (predicted ") && !advice.contains("  "), "{advice}");
    assert!(advice.contains("In the calibration rows, to which methods are fitted, predicted is "), "{advice}");
}

/// Smoothed probabilities of ten classes, the same in calibration and evaluated rows: one factor on all logits makes the confidence
/// too high, whatever rows it is fitted to.
#[test]
fn an_error_of_the_method_is_not_attributed_to_the_calibration_rows() {
    let mut draws = Draws(Pcg64::seed_from_u64(7));
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 12];
    for i in 0..4000 {
        let weights: Vec<f64> = (0..10).map(|_| (14.0 * draws.uniform()).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut left = draws.uniform() * sum;
        let class = weights.iter().position(|w| {
            left -= w;
            left < 0.0
        });
        for (column, w) in columns.iter_mut().zip(&weights) {
            column.push(0.85 * w / sum + 0.015);
        }
        columns[10].push(class.unwrap_or(9) as f64);
        columns[11].push(f64::from(u8::from(i % 2 == 1)));
    }
    let names: Vec<String> =
        (0..10).map(|k| format!("class_{k}")).chain(["label".to_owned(), "split".to_owned()]).collect();
    let named: Vec<(&str, Vec<f64>)> = names.iter().map(String::as_str).zip(columns).collect();
    let text = csv(&named).replace(",1\n", ",test\n").replace(",0\n", ",calibration\n");
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "resamples": 0 }));
    let asked = json!({ "finding": { "methods": ["temperature"], "parts": ["overall", "advice"] } });
    let Ok(Outcome::Finding(found)) = data.try_analyse(&ran, asked) else { panic!("no finding") };
    let advice = &found.advice.as_ref().unwrap().sentence;
    assert!(advice.contains(" An overall error remains (mean confidence "), "{advice}");
    assert!(!advice.contains("In the calibration rows"), "{advice}");
}

/// Confidence is compared with accuracy: what is counted are correct predictions.
#[test]
fn confidence_has_no_events() {
    let mut draws = Draws(Pcg64::seed_from_u64(11));
    let (mut confidence, mut correct, mut topic) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..2000 {
        let stated = 0.5 + 0.5 * draws.uniform();
        confidence.push(stated);
        topic.push((i % 4) as f64);
        correct.push(f64::from(u8::from(draws.uniform() < if i % 4 == 0 { stated - 0.2 } else { stated })));
    }
    // one site without a correct answer, one without an incorrect one
    for (site, right) in [(4.0, 0.0), (5.0, 1.0)] {
        for _ in 0..40 {
            confidence.push(0.5 + 0.5 * draws.uniform());
            topic.push(site);
            correct.push(right);
        }
    }
    let text = csv(&[("confidence", confidence), ("correct", correct), ("topic", topic)]);
    let data = open(&text, json!({ "roles": { "topic": "group" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none", "platt", "isotonic"] }));
    for asked in [
        json!({ "finding": {} }),
        json!({ "groups": { "columns": ["topic"] } }),
        json!({ "sites": { "column": "topic" } }),
    ] {
        let sheet = match data.try_analyse(&ran, asked.clone()) {
            Ok(Outcome::Finding(found)) => found.sheet,
            Ok(Outcome::Groups(found)) => found.sheet,
            Ok(Outcome::Sites(found)) => found.sheet,
            _ => panic!("{asked}"),
        };
        let sheet = serde_json::to_string(&sheet.blocks).unwrap();
        assert!(sheet.len() > 100 && !sheet.to_lowercase().contains(" events"), "{asked}: {sheet}");
    }
}

#[test]
fn what_was_not_tested_is_not_called_tested() {
    let found = finding(&file(40, 2, 1, |score, _| score), json!({}), json!({ "methods": [] }));
    let texts = serde_json::to_string(&found.sheet).unwrap();
    assert!(!texts.contains("Tested: every category"), "{texts}");
    assert!(
        texts.contains("Subgroups were not tested") || found.sentence.contains("Subgroups were not tested"),
        "{texts}"
    );
}
