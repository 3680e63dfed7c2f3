//! The finding: its scores against dense matrices, and what it says of files whose truth is known.

use crate::support::pipeline::{Opened, Ran, near, open};
use localcal::analysis::finding::{FindingOutcome, PartName};
use localcal::job::Outcome;
use localcal::report::verdict::Finding;
use localcal::scan::{Ground, Round, Sought, columns_looked_at, look, score_test};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

fn finding(data: &Opened, ran: &Ran, request: Value) -> FindingOutcome {
    match data.try_analyse(ran, json!({ "finding": request })) {
        Ok(Outcome::Finding(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no finding"),
    }
}

/// z and variance of what stands out in every slice, in the order of rows, variance and z, which no two share.
fn sorted(slices: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = slices.collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found
}

#[test]
fn scores_are_those_of_dense_matrices() {
    let golden: Value = serde_json::from_str(include_str!("../golden/finding.json")).unwrap();
    let rows = golden["rows"].as_array().unwrap();
    let text: String = rows.iter().map(|row| format!("{}\n", row.as_str().unwrap())).collect();
    for weighted in [false, true] {
        let role = if weighted { "weight" } else { "ignore" };
        let options = json!({ "roles": { "w": role, "age": "feature", "bmi": "feature", "ward": "group" } });
        let data = open(&format!("p,y,w,ward,age,bmi\n{text}"), options);
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
        let rows = ran.rows("none");
        let w = rows.weights();
        let test = score_test(&rows.score, &rows.target, w, None, 0, 0);
        // weights are told up to a factor, which moves no statistic
        let name = if weighted { "weighted" } else { "once" };
        near(test.statistic, golden["overall"][name].as_f64().unwrap(), 1e-6);
        let columns = columns_looked_at(data.predictions(), None, None).unwrap();
        assert_eq!(columns, ["ward", "age", "bmi"]);
        let values = (rows.rows.as_slice(), rows.score.as_slice(), rows.target.as_slice(), w);
        let sought = Sought { columns: &columns, least: 30, ..Sought::default() };
        let ground = Ground::new(data.predictions(), values, sought, 0).unwrap();
        let mut round = Round::first(&ground);
        for name in if weighted { &["weighted"][..] } else { &["first", "after_ward_c"] } {
            let looked = look(&ground, &round.fit, (0, 1), round.number, 0);
            let ours = looked.z.iter().zip(looked.row_variance.iter()).filter(|(z, _)| !z.is_nan());
            let ours = sorted(ours.map(|(z, v)| (*z, *v)));
            let theirs = golden[*name]["slices"].as_array().unwrap();
            let number = |slice: &Value, name: &str| slice[name].as_f64().unwrap();
            let each =
                theirs.iter().map(|slice| (number(slice, "z"), number(slice, "variance") / number(slice, "rows")));
            let theirs = sorted(each);
            assert_eq!(ours.len(), theirs.len(), "{name}");
            assert!(ours.len() > 60, "{name}: {}", ours.len());
            for ((z, v), (their_z, their_v)) in ours.iter().zip(&theirs) {
                near(*z, *their_z, 1e-4);
                assert!(weighted || (v / their_v - 1.0).abs() < 1e-4, "{name}: {v} {their_v}");
            }
            round = round.next(&ground, &[&looked], 1.0);
        }
        assert_eq!(round.scanned(&ground, 1.0, 0).named[0].slice.description(), "ward = C");
    }
}

struct Draws(Pcg64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// p, y, ward, age, sex: log-odds of the scores by `score` of the true ones; ICU moved by `icu`.
fn hospital(n: usize, icu: f64, score: impl Fn(f64) -> f64, seed: u64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let mut text = "p,y,ward,age,sex\n".to_owned();
    for _ in 0..n {
        let ward = ["ICU", "Medicine", "Surgery", "Cardiology"][((draws.uniform() * 10.0) as usize).min(9) % 4];
        let (age, sex) = (18.0 + 70.0 * draws.uniform(), ["f", "m"][(draws.uniform() * 2.0) as usize]);
        let logit = -1.0 + 4.0 * (draws.uniform() - 0.5);
        let truth = logit + if ward == "ICU" { icu } else { 0.0 };
        let y = u8::from(draws.uniform() < sigmoid(truth));
        text += &format!("{:.5},{y},{ward},{age:.1},{sex}\n", sigmoid(score(logit)));
    }
    text
}

fn found(text: &str, request: Value) -> FindingOutcome {
    let data = open(text, json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 100 }));
    finding(&data, &ran, request)
}

#[test]
fn a_ward_is_named_in_the_sentence_and_everybody_else_is_right() {
    let found = found(&hospital(3000, 1.3, |l| l, 1), json!({ "methods": [] }));
    assert!(found.sentence.starts_with("Too low for ward = ICU: says "), "{}", found.sentence);
    assert!(found.sentence.ends_with("Elsewhere right within chance."), "{}", found.sentence);
    assert!(!found.chance && found.verdict.stands() && found.verdict.subject == "ward = ICU");
    let one = &found.whom[0];
    assert_eq!((one.columns.as_slice(), one.mended), (["ward".to_owned()].as_slice(), None));
    near(one.gap, one.says - one.happened, 1e-12);
    near(one.harm, one.rows as f64 * one.gap.abs(), 1e-9);
    assert!(one.low < one.gap && one.gap < one.high && one.high < 0.0 && one.p <= 0.05, "{one:?}");
    assert_eq!(found.verdict.size, Some(one.gap));
    assert_eq!(found.parts.iter().map(|part| part.id).collect::<Vec<_>>(), [PartName::Overall, PartName::Whom]);
    assert_eq!(found.parts[1].heading, found.sentence);
    let blocks: usize = found.parts.iter().map(|part| part.blocks.len()).sum();
    assert_eq!(found.sheet.blocks.len(), blocks);
    for id in ["observed_expected", "intercept_large", "slope", "auroc", "brier", "scaled_brier"] {
        let number = found.overall[id];
        assert!(
            number.low <= number.value && number.value <= number.high && number.value.is_some(),
            "{id}: {number:?}"
        );
    }
    let seen: Vec<usize> = found.rest.detectable.iter().map(|one| one.rows).collect();
    assert_eq!(seen, [100, 200, 1000]);
    assert!(found.rest.detectable.windows(2).all(|two| two[0].gap > two[1].gap));
}

#[test]
fn what_is_wrong_everywhere_is_told_first() {
    let both = found(&hospital(4000, 1.5, |l| 2.0 * l, 2), json!({ "methods": [] }));
    assert!(
        both.sentence.contains(" on average: ") && both.sentence.contains(" Most of all for ward = ICU: even after"),
        "{}",
        both.sentence
    );
    assert!(both.whom[0].mended.is_some());
    assert_eq!(both.verdict.subject, "");
    let overall = found(&hospital(4000, 0.0, |l| 2.0 * l, 3), json!({ "methods": [] }));
    assert!(
        overall.sentence.starts_with("Over-confident everywhere: ") || overall.sentence.contains("too far apart"),
        "{}",
        overall.sentence
    );
    assert!(overall.sentence.ends_with("Nobody is off beyond that.") && overall.whom.is_empty() && !overall.chance);
    let shifted = found(&hospital(4000, 0.0, |l| l + 0.5, 4), json!({ "methods": [] }));
    assert!(shifted.sentence.starts_with("Too high everywhere: it says "), "{}", shifted.sentence);
}

#[test]
fn silence_tells_what_would_have_been_seen() {
    let found = found(&hospital(2000, 0.0, |l| l, 5), json!({ "methods": [] }));
    assert!(found.chance && found.whom.is_empty(), "{}", found.sentence);
    assert!(found.sentence.starts_with("No miscalibration beyond chance: it says "), "{}", found.sentence);
    assert!(found.sentence.ends_with(" in 200 rows would have been seen four times in five."), "{}", found.sentence);
    assert_eq!(found.verdict.finding, Finding::Chance);
}

#[test]
fn columns_that_tell_the_outcome_are_never_looked_at() {
    let text: String = hospital(800, 0.0, |l| l, 6)
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let died = if i == 0 {
                "died_by_june"
            } else {
                ["alive", "dead"][usize::from(line.split(',').nth(1) == Some("1"))]
            };
            format!("{line},{died}\n")
        })
        .collect();
    for groups in [json!(null), json!(["ward", "died_by_june"])] {
        let found = found(&text, json!({ "methods": [], "groups": groups }));
        assert!(found.whom.is_empty(), "{}", found.sentence);
        assert!(found.rest.looked_at > 10);
    }
}

#[test]
fn parts_and_choices() {
    let text = hospital(1500, 1.3, |l| l, 7);
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let first = finding(&data, &ran, json!({ "parts": ["overall"] }));
    assert_eq!(first.parts.len(), 1);
    assert!(first.whom.is_empty() && first.rest.looked_at == 0);
    let sex = finding(&data, &ran, json!({ "groups": ["sex"], "features": [], "methods": [] }));
    assert_eq!((sex.rest.looked_at, sex.whom.len()), (2, 0), "{}", sex.sentence);
    let nobody = finding(&data, &ran, json!({ "groups": [], "features": [], "methods": [] }));
    assert_eq!(nobody.rest.looked_at, 0);
    let unknown = data.try_analyse(&ran, json!({ "finding": { "groups": ["wards"] } }));
    assert_eq!(unknown.err().map(|error| error.code()), Some("unknown_column"));
    let by_gap = finding(&data, &ran, json!({ "rank": "gap", "methods": [] }));
    let gaps: Vec<f64> = by_gap.whom.iter().map(|one| one.gap.abs()).collect();
    assert!(gaps.windows(2).all(|two| two[0] >= two[1]), "{gaps:?}");
}
