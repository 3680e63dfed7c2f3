//! The finding: its scores against dense matrices, and what it says of files whose truth is known.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, finding, near, open, text};
use localcal::analysis::finding::{FindingOutcome, PartName, ReportedSubgroupKind};
use localcal::evaluation::method::MethodSpec;
use localcal::report::sheet::Block;
use localcal::report::verdict::Finding;
use localcal::scan::{Round, ScanInput, Sought, scan_part, scanned_columns, score_test};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// z and variance of what stands out in every subgroup, in the order of rows, variance and z, which no two share.
fn sorted(subgroups: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut found: Vec<(f64, f64)> = subgroups.collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found
}

/// Events and as many other rows, drawn from a cohort in which events are rarer. A weight beside a body mass is that of a body.
#[test]
fn nothing_is_recommended_before_the_weights_of_a_case_control_sample_are_used() {
    let mut uniform = uniform(31);
    let mut text = "bmi,weight,p,y\n".to_owned();
    let mut rows = 0;
    while rows < 2000 {
        let p = 0.6 * uniform();
        let y = uniform() < p;
        if y || uniform() < 0.3 {
            text +=
                &format!("{:.1},{},{p:.4},{}\n", 18.0 + 20.0 * uniform(), if y { 1.0 } else { 3.3333 }, u8::from(y));
            rows += 1;
        }
    }
    let found = |roles: Value| {
        let data = open(&text, json!({ "roles": roles }));
        let warned = data.summary().warnings.iter().find(|warning| warning.code == "weights_not_used");
        let warned = warned.map(|warning| warning.message.clone());
        let ran = data.run(json!({ "resamples": 0 }));
        (warned, finding(&data, &ran, json!({ "methods": ["intercept"] })))
    };
    let (warned, unweighted) = found(json!({}));
    assert_eq!(
        warned.as_deref(),
        Some(
            "`weight` has one value per outcome, as the sampling weights of a case-control sample have. It is not used as weights. \
             If it contains sample weights, assign it the role Weight (terminal: --weights); otherwise ignore it."
        )
    );
    let advice = unweighted.advice.expect("an answer");
    let why = "No recalibration is recommended before it is clear whether weight contains sample weights.";
    assert_eq!((advice.sentence.as_str(), &advice.method), (why, &MethodSpec::Id("none".into())));
    let (warned, weighted) = found(json!({ "weight": "weight" }));
    assert!(warned.is_none() && weighted.chance, "{}", weighted.sentence);
    let (warned, ignored) = found(json!({ "weight": "ignore" }));
    assert!(warned.is_none() && ignored.advice.is_some_and(|advice| advice.sentence.starts_with("Recommended: ")));
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
        let columns = scanned_columns(data.predictions(), None, None).unwrap();
        assert_eq!(columns, ["ward", "age", "bmi"]);
        let values = (rows.rows.as_slice(), rows.score.as_slice(), rows.target.as_slice(), w);
        let sought = Sought { columns: &columns, least: 30, ..Sought::default() };
        let input = ScanInput::new(data.predictions(), values, sought, 0).unwrap();
        let mut round = Round::first(&input);
        for name in if weighted { &["weighted"][..] } else { &["first", "after_ward_c"] } {
            let looked = scan_part(&input, &round.fit, (0, 1), round.number, 0);
            let ours = looked.z.iter().zip(looked.row_variance.iter()).filter(|(z, _)| !z.is_nan());
            let ours = sorted(ours.map(|(z, v)| (*z, *v)));
            let theirs = golden[*name]["slices"].as_array().unwrap();
            let number = |subgroup: &Value, name: &str| subgroup[name].as_f64().unwrap();
            let each = theirs
                .iter()
                .map(|subgroup| (number(subgroup, "z"), number(subgroup, "variance") / number(subgroup, "rows")));
            let theirs = sorted(each);
            assert_eq!(ours.len(), theirs.len(), "{name}");
            assert!(ours.len() > 60, "{name}: {}", ours.len());
            for ((z, v), (their_z, their_v)) in ours.iter().zip(&theirs) {
                near(*z, *their_z, 1e-4);
                assert!(weighted || (v / their_v - 1.0).abs() < 1e-4, "{name}: {v} {their_v}");
            }
            round = round.next(&input, &[&looked], 1.0);
        }
        assert_eq!(round.scanned(&input, 1.0, 0).named[0].subgroup.description(), "ward = C");
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
    assert!(
        found.sentence.starts_with("Probabilities are underestimated for ward = ICU: predicted "),
        "{}",
        found.sentence
    );
    assert!(
        found.sentence.ends_with(" tested).") && found.sentence.contains("No further subgroup is significant ("),
        "{}",
        found.sentence
    );
    assert!(!found.chance && found.verdict.is_supported() && found.verdict.subject == "ward = ICU");
    let one = &found.subgroups[0];
    assert_eq!((one.columns.as_slice(), one.recalibrated), (["ward".to_owned()].as_slice(), None));
    near(one.gap, one.predicted - one.observed, 1e-12);
    near(one.excess_events, one.rows as f64 * one.gap.abs(), 1e-9);
    assert!(one.low < one.gap && one.gap < one.high && one.high < 0.0 && one.p <= 0.05, "{one:?}");
    assert_eq!(found.verdict.size, Some(one.gap));
    assert_eq!(found.parts.iter().map(|part| part.id).collect::<Vec<_>>(), [PartName::Overall, PartName::Subgroups]);
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
fn a_reversed_ranking_is_said_before_all_else_and_nothing_is_recommended() {
    // one ward is off: with the wrong event as well, and the other way round
    let text = hospital(1500, 1.5, |l| l, 3);
    let data = open(&text, json!({ "positive": "0" }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 100 }));
    let told = finding(&data, &ran, json!({}));
    let reversed = told.reversed.expect("an AUROC far below one half");
    assert!(reversed.auroc < 0.3 && reversed.interval[1] < 0.5, "{reversed:?}");
    assert_eq!(reversed.other_event.as_deref(), Some("1"));
    assert!(told.sentence.starts_with("The ranking is reversed"), "{}", told.sentence);
    let advice = told.advice.expect("a sentence");
    assert_eq!(advice.title, "None (original predictions)");
    assert!(advice.candidates.is_empty() && advice.subgroups.is_empty());
    // nor is anyone named
    assert!(told.subgroups.is_empty() && told.time.is_none() && told.rest.looked_at == 0, "{:?}", told.subgroups);
    let part = told.parts.iter().find(|part| part.id == PartName::Subgroups).expect("a part");
    assert_eq!(part.heading, "Subgroups are left out while the ranking is reversed.");
    assert_eq!(part.blocks, [Block::Text(part.heading.clone())]);
    assert!(told.verdict.finding == Finding::Beyond && told.verdict.subject.is_empty(), "{:?}", told.verdict);
    // the right way round, and where scores know nothing, no ranking is reversed
    assert_eq!(found(&text, json!({ "methods": [] })).reversed, None);
    for seed in 0..10 {
        let mut draws = Draws(Pcg64::seed_from_u64(seed));
        let row = |draws: &mut Draws| format!("{:.4},{}\n", draws.uniform(), u8::from(draws.uniform() < 0.3));
        let blind: String = (0..300).map(|_| row(&mut draws)).collect();
        assert_eq!(found(&format!("p,y\n{blind}"), json!({ "methods": [] })).reversed, None, "seed {seed}");
    }
}

#[test]
fn what_is_wrong_everywhere_is_told_first() {
    let both = found(&hospital(4000, 1.5, |l| 2.0 * l, 2), json!({ "methods": [] }));
    assert!(
        both.sentence.contains(" on average (")
            && both.sentence.contains(" After recalibration overall, probabilities are"),
        "{}",
        both.sentence
    );
    assert!(both.subgroups[0].recalibrated.is_some());
    assert_eq!(both.verdict.subject, "");
    let overall = found(&hospital(4000, 0.0, |l| 2.0 * l, 3), json!({ "methods": [] }));
    assert!(overall.sentence.contains("too extreme (calibration slope "), "{}", overall.sentence);
    assert!(
        overall.sentence.contains("No subgroup is significantly miscalibrated beyond this (")
            && overall.subgroups.is_empty()
            && !overall.chance
    );
    let shifted = found(&hospital(4000, 0.0, |l| l + 0.5, 4), json!({ "methods": [] }));
    assert!(
        shifted.sentence.starts_with("Probabilities are overestimated on average (predicted "),
        "{}",
        shifted.sentence
    );
}

#[test]
fn silence_tells_what_would_have_been_seen() {
    let found = found(&hospital(2000, 0.0, |l| l, 5), json!({ "methods": [] }));
    assert!(found.chance && found.subgroups.is_empty(), "{}", found.sentence);
    assert!(found.sentence.starts_with("No significant miscalibration overall (predicted "), "{}", found.sentence);
    assert!(
        found.sentence.contains(" in one of these subgroups with 200 rows. Overall it was 80% for a mean error of "),
        "{}",
        found.sentence
    );
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
        assert!(found.subgroups.is_empty(), "{}", found.sentence);
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
    assert!(first.subgroups.is_empty() && first.rest.looked_at == 0);
    let sex = finding(&data, &ran, json!({ "groups": ["sex"], "features": [], "methods": [] }));
    assert_eq!((sex.rest.looked_at, sex.subgroups.len()), (2, 0), "{}", sex.sentence);
    let nobody = finding(&data, &ran, json!({ "groups": [], "features": [], "methods": [] }));
    assert_eq!(nobody.rest.looked_at, 0);
    let unknown = data.try_analyse(&ran, json!({ "finding": { "groups": ["wards"] } }));
    assert_eq!(unknown.err().map(|error| error.code()), Some("unknown_column"));
    let by_gap = finding(&data, &ran, json!({ "rank": "gap", "methods": [] }));
    let gaps: Vec<f64> = by_gap.subgroups.iter().map(|one| one.gap.abs()).collect();
    assert!(gaps.windows(2).all(|two| two[0] >= two[1]), "{gaps:?}");
}

/// p, y, ward, age, admitted, x1, x2: dates over three years; log-odds of the outcome moved by `error` of the day.
fn admissions(n: usize, seed: u64, error: impl Fn(f64) -> f64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let mut text = "p,y,ward,age,admitted,x1,x2\n".to_owned();
    for _ in 0..n {
        let ward = ["ICU", "Medicine", "Surgery"][((draws.uniform() * 3.0) as usize).min(2)];
        let (age, day) = (18.0 + 70.0 * draws.uniform(), (draws.uniform() * 1096.0).floor());
        let (x1, x2) = (6.0 * draws.uniform() - 3.0, 6.0 * draws.uniform() - 3.0);
        let logit = -0.5 + 2.5 * (draws.uniform() - 0.5);
        let y = u8::from(draws.uniform() < sigmoid(logit + error(day)));
        let date = localcal::words::calendar::written(18_628.0 + day, localcal::data::dates::Exactness::Day);
        text += &format!("{:.5},{y},{ward},{age:.1},{date},{x1:.3},{x2:.3}\n", sigmoid(logit));
    }
    text
}

fn of_admissions(text: &str) -> FindingOutcome {
    let roles = json!({ "ward": "group", "age": "ignore", "admitted": "date", "x1": "feature", "x2": "feature" });
    let data = open(text, json!({ "roles": roles }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    finding(&data, &ran, json!({ "methods": [], "parts": ["overall", "whom"] }))
}

#[test]
fn a_drift_of_the_last_months_is_named_with_its_period() {
    let drifted = of_admissions(&admissions(3200, 1, |day| if day >= 1096.0 - 152.0 { 0.8 } else { 0.0 }));
    let one = &drifted.subgroups[0];
    assert_eq!(one.kind, ReportedSubgroupKind::Period, "{}", drifted.sentence);
    assert!(one.description.starts_with("admitted from 2023-"), "{}", one.description);
    let time = drifted.time.as_ref().expect("a file with dates has a line about time");
    assert!(
        time.column == "admitted"
            && time.p <= 0.05
            && time
                .sentence
                .starts_with("Calibration changed over time (admitted: periods and linear trend, adjusted p")
    );
    let right = of_admissions(&admissions(3200, 2, |_| 0.0));
    let time = right.time.as_ref().expect("a line about time");
    assert!(
        right.chance
            && time.sentence.starts_with(
                "No significant change in calibration over time (admitted: periods and linear trend, adjusted p"
            ),
        "{time:?}"
    );
    assert!(right.rest.kinds.periods > 0 && right.rest.not_examined == ["age"], "{:?}", right.rest);
    assert!(right.sentence.contains(" periods and ") && right.sentence.contains(" regions."), "{}", right.sentence);
}

/// A trend needs a period that describes it: without one that is large enough it would be reported of all rows.
#[test]
fn a_few_dated_rows_have_no_subgroup() {
    for n in [8, 12, 20] {
        let found = |seed| of_admissions(&admissions(n, seed, |_| 0.0));
        let named: Vec<String> = (0..20).map(found).filter(|f| !f.subgroups.is_empty()).map(|f| f.sentence).collect();
        assert!(named.is_empty(), "{n} rows: {named:?}");
    }
}

#[test]
fn both_regions_of_a_file_that_is_right_on_average_are_named() {
    both_regions_are_named(&localcal::sample::example("synthetic").expect("the built-in example"));
}

#[test]
fn a_region_is_not_hidden_by_what_a_ball_around_the_other_one_leaves() {
    // redraws in which a second, larger ball around the first region stands out most once that one is known
    for seed in [27, 101] {
        both_regions_are_named(&localcal::sample::synthetic::synthetic(4000, seed).to_csv());
    }
}

/// Opens rows of the built-in example and looks for its two regions among the subgroups.
fn both_regions_are_named(text: &str) {
    let data = open(text, json!({ "roles": { "x1": "feature", "x2": "feature" } }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let found = finding(&data, &ran, json!({ "methods": [], "parts": ["overall", "whom"] }));
    let places: Vec<_> = found.subgroups.iter().filter(|one| one.kind == ReportedSubgroupKind::Place).collect();
    assert_eq!(places.len(), 2, "{}", found.sentence);
    assert!(places[0].gap * places[1].gap < 0.0, "one each way: {}", found.sentence);
    for place in places {
        let rows = &place.place.as_ref().expect("its rows").rows;
        assert_eq!(rows.len(), place.rows);
        let x2 = match &data.predictions().table.columns.iter().find(|one| one.name == "x2").expect("x2").values {
            localcal::table::Values::Numbers(x2) => {
                rows.iter().map(|&row| x2[row as usize]).sum::<f64>() / rows.len() as f64
            }
            _ => panic!("numbers"),
        };
        // over-confident above, the other below
        assert!((x2 - 1.5 * place.gap.signum()).abs() < 0.8, "{x2}: {}", place.description);
        assert!(place.description.starts_with("the region around "), "{}", place.description);
    }
}

#[test]
fn repeated_patients_are_no_finding() {
    let mut claims = [0; 2];
    for seed in 0..12 {
        let mut draws = Draws(Pcg64::seed_from_u64(900 + seed));
        let mut text = "p,y,sex,ward,patient_id\n".to_owned();
        for patient in 0..300 {
            let sex = ["f", "m"][(draws.uniform() * 2.0) as usize];
            let (site, logit, own) =
                ((draws.uniform() * 20.0) as usize, 3.0 * (draws.uniform() - 0.6), draws.uniform());
            for _ in 0..8 {
                // with probability .7 decided by the patient's number: outcomes are correlated, and right on average
                let u = if draws.uniform() < 0.7 { own } else { draws.uniform() };
                let p = sigmoid(logit + 0.8 * (draws.uniform() - 0.5));
                text += &format!("{p:.5},{},{sex},w{site},p{patient}\n", u8::from(u < p));
            }
        }
        for (k, clusters) in [json!("patient_id"), json!(null)].into_iter().enumerate() {
            let roles = json!({ "sex": "group", "ward": "group" });
            let data = open(&text, json!({ "roles": roles, "clusters": clusters }));
            let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
            let found = finding(&data, &ran, json!({ "methods": [], "parts": ["overall", "whom"] }));
            claims[k] += usize::from(!found.chance);
            assert_eq!(found.clusters.is_some(), k == 0);
        }
    }
    assert!(claims[0] <= 3 && claims[1] >= 6, "{claims:?}");
}

/// A recalibration of the run has one interval of the change of its loss, in the recommendation and in the tables of the report:
/// of rows, of weighted rows, of clusters.
#[test]
fn a_change_of_loss_has_one_interval() {
    let mut draws = Draws(Pcg64::seed_from_u64(17));
    let mut text = "p,patient_id,w,ward,y\n".to_owned();
    for i in 0..1200 {
        let p = 0.05 + 0.9 * draws.uniform();
        let y = u8::from(draws.uniform() < p * p);
        text += &format!("{p:.4},{},{:.2},{},{y}\n", i / 3, 0.5 + draws.uniform(), ["a", "b"][i % 2]);
    }
    for options in [
        json!({ "clusters": null, "roles": { "w": "ignore" } }),
        json!({ "clusters": null, "roles": { "w": "weight" } }),
        json!({ "clusters": "patient_id", "roles": { "w": "ignore" } }),
    ] {
        let data = open(&text, options.clone());
        let ran = data.run(json!({ "methods": ["none", "platt", "isotonic"], "resamples": 150 }));
        let told = finding(&data, &ran, json!({}));
        let candidates = told.advice.expect("a recommendation").candidates;
        for name in ["platt", "isotonic"] {
            let report = &ran.method(name).differences;
            let one = candidates.iter().find(|one| one.method == MethodSpec::Id(name.to_owned())).expect("a candidate");
            for (id, change) in [("nll", one.nll_change), ("brier", one.brier_change)] {
                let [of_report, of_advice] =
                    [[report[id].value, report[id].low, report[id].high], [change.value, change.low, change.high]];
                for (a, b) in of_report.into_iter().zip(of_advice) {
                    near(a.expect("a number"), b.expect("a number"), 1e-6);
                }
                assert_eq!(report[id].interval, change.interval, "{options}");
            }
        }
    }
}

/// Two numbers with few values each, so that a hundred rows lie at every place, and a file sorted by its outcome: the nearest rows
/// of a place were the first of the file, whose outcomes are all 1.
#[test]
fn a_region_is_not_cut_by_the_order_of_the_file() {
    let mut draws = Draws(Pcg64::seed_from_u64(5));
    let mut rows: Vec<(u8, String)> = (0..3600)
        .map(|_| {
            let [a, b] = [(); 2].map(|()| (6.0 * draws.uniform()).floor());
            let p = sigmoid(-1.0 + 0.3 * (a - b));
            let y = u8::from(draws.uniform() < p);
            (y, format!("{p:.5},{y},{},{}\n", 17.5 + 5.0 * a, 0.5 + 3.0 * b))
        })
        .collect();
    rows.sort_by_key(|(y, _)| 1 - y);
    let text: String = rows.into_iter().map(|(_, row)| row).collect();
    let found = found(&format!("p,y,age,years\n{text}"), json!({ "methods": [] }));
    assert!(found.chance && found.subgroups.is_empty(), "{}", found.sentence);
    assert!(found.sentence.contains(" regions"), "{}", found.sentence);
}

/// Scores near 0 and 1 that are wrong equally often on both sides: a mean error of one point is nothing among outcomes that vary
/// this much, though far outside what the scores imply.
#[test]
fn errors_of_extreme_scores_that_cancel_are_none_on_average() {
    let row = |(p, y): (f64, u8)| format!("{p},{y}\n");
    let side = |p: f64, wrong: usize, usual: u8| (0..150).map(move |i| (p, if i < wrong { 1 - usual } else { usual }));
    let some = |p: [f64; 2]| (0..80).map(move |i| (p[i % 2], u8::from(i % 4 < 2)));
    let rows = |high: f64| -> String {
        side(high, 14, 1).chain(side(1.0 - high, 11, 0)).chain(some([0.3, 0.7])).map(row).collect()
    };
    let near = found(&format!("p,y\n{}", rows(0.9999)), json!({ "methods": [] }));
    assert!(
        near.sentence.starts_with("Predictions are too extreme (calibration slope 0.")
            && near.sentence.contains("; no significant error on average (predicted 50.0%, observed 49.2%, n = 380)."),
        "{}",
        near.sentence
    );
    // the rows between 0% and 100% show no association; all together do
    let ends = found(&format!("p,y\n{}", rows(1.0)), json!({ "methods": [] }));
    assert!(ends.sentence.contains("too extreme") && !ends.sentence.contains("association"), "{}", ends.sentence);
    assert!(ends.sentence.contains("no significant error on average"), "{}", ends.sentence);
}

/// Somebody whose score is the probability of the outcome but for an error.
struct Person {
    female: bool,
    icu: bool,
    asa: u32,
    day: f64,
    logit: f64,
}

fn people(n: usize, seed: u64, dated: bool, error: impl Fn(&Person) -> f64) -> FindingOutcome {
    let data = file_of_people(n, seed, dated, error);
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    finding(&data, &ran, json!({ "methods": [], "parts": ["overall", "whom"] }))
}

/// p, y, sex, ward, asa, admitted, the last one if `dated`; the log-odds of the outcome moved by `error`.
fn file_of_people(n: usize, seed: u64, dated: bool, error: impl Fn(&Person) -> f64) -> Opened {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let mut text = format!("p,y,sex,ward,asa{}\n", if dated { ",admitted" } else { "" });
    for i in 0..n {
        let person = Person {
            female: draws.uniform() < 0.5,
            icu: draws.uniform() < 0.15,
            asa: 1 + (5.0 * draws.uniform()) as u32,
            day: (1096.0 * i as f64 / n as f64).floor(),
            logit: -1.0 + 1.2 * (draws.uniform() + draws.uniform() + draws.uniform() - 1.5) * 2.0,
        };
        let y = u8::from(draws.uniform() < sigmoid(person.logit + error(&person)));
        let (sex, ward) = (if person.female { "F" } else { "M" }, if person.icu { "ICU" } else { "surgery" });
        text += &format!("{:.5},{y},{sex},{ward},{}", sigmoid(person.logit), person.asa);
        if dated {
            let day = localcal::words::calendar::written(18_628.0 + person.day, localcal::data::dates::Exactness::Day);
            text += &format!(",{day}");
        }
        text += "\n";
    }
    let roles = match dated {
        true => json!({ "sex": "group", "ward": "group", "asa": "feature", "admitted": "date" }),
        false => json!({ "sex": "group", "ward": "group", "asa": "feature" }),
    };
    open(&text, json!({ "roles": roles }))
}

/// After recalibration overall the two sexes have equal and opposite errors; as the file is, one of them is calibrated.
#[test]
fn of_two_halves_the_miscalibrated_one_is_listed() {
    for seed in 0..3 {
        let found = people(4000, seed, false, |one| if one.female { 0.5 } else { 0.0 });
        let one = &found.subgroups[0];
        assert_eq!((one.description.as_str(), one.recalibrated), ("sex = F", None), "{}", found.sentence);
        assert!(found.sentence.starts_with("Probabilities are underestimated for sex = F: "), "{}", found.sentence);
    }
}

/// The scores ignore the class of the patient: at one end of it they are too low, at the other too high.
#[test]
fn both_ends_of_a_gradient_are_listed() {
    let found = people(6000, 1, false, |one| 0.35 * (f64::from(one.asa) - 3.0));
    let sides: Vec<bool> = found.subgroups.iter().map(|one| one.observed_gap() > 0.0).collect();
    assert!(sides.contains(&true) && sides.contains(&false), "{}", found.sentence);
}

/// A ward that is underestimated until a day and overestimated since: its mean error is none.
#[test]
fn an_opposite_error_in_the_other_rows_of_a_subgroup_is_stated() {
    let turned = |one: &Person| match (one.icu, one.day < 548.0) {
        (true, true) => 1.4,
        (true, false) => -1.4,
        (false, _) => 0.0,
    };
    let mut remainders = 0;
    for seed in 0..6 {
        let found = people(4000, seed, true, turned);
        let gaps = found.subgroups.iter().map(|one| one.observed_gap());
        let gaps: Vec<f64> = gaps.chain(found.rest.remainders.iter().map(|one| one.gap())).collect();
        let both = gaps.iter().any(|gap| *gap > 0.04) && gaps.iter().any(|gap| *gap < -0.04);
        assert!(both, "{} {}", found.sentence, found.rest.sentence);
        for one in &found.rest.remainders {
            remainders += 1;
            let words = " for ward = ICU outside all other significant subgroups: predicted ";
            assert!(one.rows >= 30 && found.sentence.contains(words), "{}", found.sentence);
        }
    }
    assert!(remainders > 0);
    // what it leaves of the ward and of the listed subgroups may be few rows: nothing is said of it where these are suppressed
    let data = file_of_people(4000, 5, true, turned);
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let says = |suppress: Option<u64>| {
        let request = json!({ "document": { "format": "markdown", "sections": ["summary"], "suppress": suppress } });
        text(data.try_analyse(&ran, request).unwrap()).contains("outside all other significant subgroups")
    };
    assert!(says(None) && !says(Some(10)));
}

/// A period that the test of time alone lists has an error near that of the file, not near 0, and is listed beside a ward, too.
#[test]
fn a_change_over_time_is_listed_with_its_size() {
    let late = |one: &Person| if one.day >= 822.0 { 0.25 } else { 0.0 };
    let found: Vec<FindingOutcome> = (0..8).map(|seed| people(6000, seed, true, late)).collect();
    let periods: Vec<_> = found.iter().flat_map(|found| &found.subgroups).collect();
    assert!(periods.len() > 1, "{}", periods.len());
    for one in periods {
        let [error, low, high] = one.error();
        assert!(low <= one.gap && one.gap <= high && high - low > 0.9 * (one.high - one.low), "{error} {one:?}");
    }
    let both = |one: &Person| late(one) + if one.icu { 1.2 } else { 0.0 };
    for seed in 0..3 {
        let found = people(6000, seed, true, both);
        let changed = found.time.as_ref().is_some_and(|time| time.p <= 0.05);
        let period = found.subgroups.iter().any(|one| one.kind == ReportedSubgroupKind::Period);
        assert!(!changed || period || !found.sentence.contains("No further"), "{}", found.sentence);
    }
}

/// Too low at both ends: no slope makes a curve.
#[test]
fn a_curve_is_not_called_too_extreme() {
    for seed in 0..2 {
        let found = people(6000, seed, false, |one| 0.3 * (one.logit + 1.0).powi(2) - 0.3);
        assert!(
            !found.sentence.contains("too extreme") && !found.sentence.contains("too moderate"),
            "{}",
            found.sentence
        );
        assert!(found.sentence.contains("underestimated both in the lowest fifth (predicted "), "{}", found.sentence);
    }
}

/// Recalibration in the large is the simplest within one standard error, and leaves predictions that are too extreme: the advice says
/// so.
#[test]
fn a_slope_that_a_recommended_method_leaves_is_stated() {
    let mut stated = 0;
    for seed in 0..6 {
        let data = file_of_people(600, seed, false, |one| 0.5 - 0.25 * (one.logit + 1.0));
        let advice = finding(&data, &data.run(json!({ "resamples": 50 })), json!({})).advice.expect("advice");
        let says = advice.sentence.contains(" The calibration slope remains below 1 (p");
        let fits_a_slope = ["Platt scaling", "Temperature scaling"].contains(&advice.short.as_str());
        assert!(!says || !fits_a_slope, "{}", advice.sentence);
        stated += usize::from(says);
    }
    assert!(stated >= 2, "{stated}");
}

/// The confidence of the predicted class is right, and two other classes have each other's probability.
#[test]
fn errors_of_classes_that_cancel_in_the_confidence_are_stated() {
    let file = |swapped: bool| {
        let mut text = "p_alive,p_dead,p_lost,outcome\n".to_owned();
        for i in 0..900 {
            let p = 0.69 + 0.02 * (i % 9) as f64 / 8.0;
            let (dead, lost) = (0.7 * (1.0 - p), 0.3 * (1.0 - p));
            // as many rows of each class as its mean probability, spread over all scores
            let outcome = match ((i / 9) % 10, swapped) {
                (0..7, _) => "alive",
                (7..9, true) | (9, false) => "lost",
                _ => "dead",
            };
            text += &format!("{p:.4},{dead:.4},{lost:.4},{outcome}\n");
        }
        let data = open(&text, json!({}));
        finding(&data, &data.run(json!({})), json!({}))
    };
    let (right, swapped) = (file(false), file(true));
    assert_eq!(right.class_error, None);
    let begins = "No significant miscalibration of confidence (mean confidence 70.0%, accuracy 70.0%, n = 900)";
    assert!(right.chance && right.sentence.starts_with(begins), "{}", right.sentence);
    let one = swapped.class_error.expect("a class");
    assert_eq!((one.class.as_str(), one.of_class, one.classes), ("lost", 180, 2));
    near(one.predicted, 0.09, 1e-4);
    let says = "The probability of class lost is underestimated on average (predicted 9.0%, observed 20.0%, p\u{a0}<\u{a0}0.001, \
                adjusted for 3 classes); one other class is also miscalibrated. No significant miscalibration of confidence";
    // first, so that a finding of nothing is not read as one about the classes
    assert!(!swapped.chance && swapped.sentence.starts_with(says), "{}", swapped.sentence);
}

/// Scores that separate 300 events from 700 other rows have no finite slope, and are seldom known before the outcome.
#[test]
fn complete_separation_is_named() {
    let row =
        |i: u32| format!("{:.4},{},{}\n", 0.1 + 0.0008 * f64::from(i), u8::from(i >= 700), ["a", "b"][i as usize % 2]);
    let data = open(&format!("p,y,ward\n{}", (0..1000).map(row).collect::<String>()), json!({}));
    let found = finding(&data, &data.run(json!({})), json!({}));
    let advice = found.advice.expect("advice");
    assert!(
        advice.sentence.contains("separate the outcomes completely (AUROC 1): check for leakage"),
        "{}",
        advice.sentence
    );
    assert_eq!(advice.method, MethodSpec::Id("none".to_owned()));
}
