//! Risk and coverage: against scipy, with rows of one cluster kept together, and tested on a held-out half.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, open};
use localcal::analysis::risk_coverage::{MethodCoverage, RiskCoverageOutcome};
use localcal::job::Outcome;
use localcal::report::sheet::Block;
use serde_json::{Value, json};

/// Confidences in percent, with answers and errors of each: tests/golden/make_selective.py.
const STATED: [(u8, usize, usize); 13] = [
    (100, 2, 1),
    (95, 2, 0),
    (90, 3, 1),
    (85, 1, 0),
    (80, 3, 2),
    (75, 1, 1),
    (70, 3, 1),
    (60, 2, 1),
    (50, 2, 1),
    (30, 1, 1),
    (20, 1, 0),
    (10, 1, 1),
    (0, 1, 1),
];

/// Each of the 23 answers so many times, with the number of the answer.
fn answers(times: usize, options: Value) -> Opened {
    let mut text = "question,confidence,correct\n".to_owned();
    for _ in 0..times {
        let mut question = 0;
        for (percent, answers, errors) in STATED {
            for answer in 0..answers {
                question += 1;
                text += &format!("q{question},{},{}\n", f64::from(percent) / 100.0, u8::from(answer >= errors));
            }
        }
    }
    open(&text, options)
}

fn found(data: &Opened, request: Value) -> RiskCoverageOutcome {
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "risk_coverage": request })) {
        Ok(Outcome::RiskCoverage(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no curve"),
    }
}

fn only(found: &RiskCoverageOutcome) -> &MethodCoverage {
    let [one] = found.methods.as_slice() else { panic!("one method") };
    one
}

fn headline(found: &RiskCoverageOutcome) -> &str {
    let Some(Block::Reading(words)) = found.sheet.blocks.first() else { panic!("a headline") };
    words
}

#[test]
fn the_certified_threshold_and_its_coverage_are_those_of_scipy() {
    let ignored = json!({ "view": "top_label", "roles": { "question": "ignore" }, "clusters": null });
    let found = found(&answers(20, ignored), json!({ "risk": 0.4 }));
    let one = only(&found);
    let threshold = one.certified.expect("a threshold");
    assert_eq!((one.n, one.errors, one.tested), (460, 220, 460));
    assert_eq!((threshold.threshold, threshold.answered, threshold.errors), (0.85, 160, 40));
    assert!((threshold.p / 4.811_859_889_873_102_5e-5 - 1.0).abs() < 1e-9, "{}", threshold.p);
    let [low, high] = threshold.coverage_interval;
    assert!((low - 0.304_315_359_379_430_2).abs() < 1e-10 && (high - 0.393_308_087_948_786_24).abs() < 1e-10);
    assert_eq!(one.observed.expect("a threshold").threshold, 0.7);
    // the areas do not depend on how often each row is repeated: 23 rows by numpy
    assert!((one.areas[2] - 0.198_487_712_665_406_43).abs() < 1e-12, "{:?}", one.areas);
    assert_eq!(one.points.len(), 13);
    assert_eq!(
        headline(&found),
        "Answer at a confidence of 85.0% or more: at most 40.0% of the answers are wrong (95% confidence). Coverage 34.8% (95% \
         CI 30.4% to 39.3%)."
    );
}

#[test]
fn attempts_at_one_question_certify_no_more_than_one() {
    let clustered = json!({ "view": "top_label", "clusters": "question" });
    let found = found(&answers(20, clustered), json!({ "risk": 0.4 }));
    let one = only(&found);
    assert_eq!((one.n, one.tested, one.certified), (460, 23, None));
    assert_eq!(
        headline(&found),
        "No threshold can be certified for an error rate of at most 40.0% (95% confidence, n = 23). That takes at least 8 \
         answers without an error."
    );
}

/// Answers of three models to 300 questions, one model after the other: the first model is right in 97% of its answers, the
/// others in 60% of theirs. The rows that certify a threshold are of all three.
#[test]
fn the_first_rows_of_clusters_do_not_stand_for_the_others() {
    let mut text = "question,confidence,correct\n".to_owned();
    for model in 0..3 {
        for question in 0..300 {
            let correct = if model == 0 { question % 33 != 0 } else { question % 5 > 1 };
            text += &format!("q{question},0.9,{}\n", u8::from(correct));
        }
    }
    let data = open(&text, json!({ "view": "top_label", "clusters": "question" }));
    let found = found(&data, json!({ "risk": 0.1 }));
    let one = only(&found);
    assert_eq!((one.n, one.tested, one.certified), (900, 300, None));
    assert_eq!(one.points.last().map(|point| (point.errors * 100).div_euclid(point.answered)), Some(27));
}

#[test]
fn a_held_out_half_counts_what_had_no_part_in_the_choice() {
    let ignored = json!({ "view": "top_label", "roles": { "question": "ignore" }, "clusters": null });
    let found = found(&answers(60, ignored), json!({ "risk": 0.4, "held_out": true }));
    let one = only(&found);
    let threshold = one.certified.expect("a threshold");
    let other = threshold.held_out.expect("a held-out half");
    assert_eq!((one.tested, other.n), (690, 690));
    assert_eq!(threshold.coverage, other.answered as f64 / 690.0);
    let all = one.points.iter().find(|point| point.threshold == threshold.threshold).expect("the threshold");
    assert_eq!((threshold.answered + other.answered, threshold.errors + other.errors), (all.answered, all.errors));
    assert!(headline(&found).contains("In the held-out half, "), "{}", headline(&found));
}

#[test]
fn an_error_rate_above_that_of_a_rare_outcome_says_little() {
    let mut uniform = uniform(23);
    let mut text = "p,y\n".to_owned();
    for row in 0..2000 {
        text += &format!("{:.4},{}\n", 0.001 + 0.02 * uniform(), u8::from(row % 100 == 0));
    }
    let data = open(&text, json!({}));
    let rare = found(&data, json!({ "risk": 0.1 }));
    let rarer = only(&rare).rarer.expect("a rare outcome");
    assert_eq!((rarer.rows, rarer.errors, rarer.events), (20, 20, Some(true)));
    assert_eq!(
        headline(&rare),
        "All predictions can be answers: at most 10.0% of them are wrong (95% confidence). Always predicting the more frequent \
         outcome would be wrong in 1.0% of these 2,000 rows, which is within the limit, too. Of 20 incorrect predictions, 20 are \
         events."
    );
    assert_eq!(only(&found(&data, json!({ "risk": 0.009 }))).rarer, None);
}

#[test]
fn limits_out_of_bounds_are_refused() {
    let data = answers(1, json!({ "view": "top_label" }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    for request in [json!({ "risk": 0 }), json!({ "risk": 1 }), json!({ "confidence": 1 }), json!({ "methods": ["x"] })]
    {
        let refused = data.try_analyse(&ran, json!({ "risk_coverage": request.clone() }));
        assert!(refused.is_err(), "{request}");
    }
}
