//! Along the dates of one file, and from one month's file to the next with a session.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, carried_out, try_open};
use localcal::analysis::changed::{ChangedOutcome, Changing, WhyNotCompared};
use localcal::analysis::over_time::OverTimeOutcome;
use localcal::data::Division;
use localcal::job::{Call, Outcome};
use localcal::report::disclosure::Basis;
use localcal::report::sheet::Block;
use localcal::report::verdict::Finding;
use serde_json::{Value, json};

fn hospital(name: &str, options: Value) -> Opened {
    let bytes = std::fs::read(format!("{}/tests/corpus/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    try_open(&[(name, &bytes)], options).unwrap()
}

fn over_time(data: &Opened, ran: &Ran, request: Value) -> OverTimeOutcome {
    match data.try_analyse(ran, json!({ "over_time": request })).unwrap() {
        Outcome::OverTime(found) => found,
        _ => panic!("nothing over time"),
    }
}

fn changed(data: &Opened, ran: &Ran) -> ChangedOutcome {
    match data.try_analyse(ran, json!({ "changed": {} })).unwrap() {
        Outcome::Changed(found) => found,
        _ => panic!("no change"),
    }
}

/// A session of a run of two methods on the year, and the same as text.
fn session_of_the_year() -> (Value, String) {
    let data = hospital("hospital.csv", json!({}));
    let ran =
        data.run(json!({ "methods": ["none", "platt", "lore"], "resamples": 40, "local": { "features": ["age"] } }));
    let written = data.export(
        Call::ExportSession { page: Some(json!({ "repair": "platt" })), suppress: None, every_group: None },
        &ran,
    );
    (serde_json::from_str(&written).unwrap(), written)
}

#[test]
fn a_session_holds_no_rows_and_opens_the_next_month() {
    let (session, written) = session_of_the_year();
    assert_eq!(session["schema"], "localcal-session/1");
    assert_eq!(session["page"]["repair"], "platt");
    assert_eq!(session["open"]["roles"]["ward"], "group");
    assert_eq!(session["open"]["readings"]["risk"], "percent");
    assert_eq!(session["open"]["positive"], "Y");
    // LoRe carries coordinates of rows
    assert_eq!(session["left_out"][0]["method"], "lore");
    assert_eq!(session["calibrators"]["methods"].as_array().unwrap().len(), 1);
    assert!(!written.contains("P104") && !written.contains("preview") && written.len() < 30_000, "{}", written.len());
    let groups = session["numbers"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 8, "two sexes and six wards");
    assert!(groups.iter().all(|group| group["rows"].as_u64().unwrap() >= 10));

    let data = hospital("hospital_next.csv", json!({ "session": session }));
    let Outcome::Data(found) = &data.0 else { panic!("no data") };
    assert!(found.summary.warnings.iter().all(|warning| warning.code != "session_differs"));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 40, "evaluate_on": "all" }));
    let found = changed(&data, &ran);
    assert_eq!(found.rows, [2500, 900]);
    assert_eq!(found.verdict.finding, Finding::Beyond);
    assert_eq!(found.verdict.subject, "ward = Surgery");
    let surgery = found.changes.iter().find(|change| change.name == "ward = Surgery").unwrap();
    assert!(surgery.change < -0.1 && surgery.high < 0.0 && surgery.p <= surgery.p_holm);
    let icu = found.changes.iter().find(|change| change.name == "ward = ICU").unwrap();
    assert!(icu.last < -0.15 && icu.p_holm > 0.05, "as wrong as it was");
    // share, gap, three metrics, eight groups
    assert_eq!(found.changes.iter().filter(|change| change.of == Changing::GroupGap).count(), 8);
    assert_eq!(found.recalibrations.len(), 1);
    let platt = &found.recalibrations[0];
    assert!(
        platt.gap_after.abs() < platt.gap_before.abs()
            && platt.interval.is_some_and(|[low, _]| low <= platt.difference)
    );
}

#[test]
fn a_comparison_with_suppressed_counts_depends_on_no_group() {
    let (session, _) = session_of_the_year();
    let path = format!("{}/tests/corpus/files/hospital_next.csv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let swapped = text.replace("Surgery", "·").replace("ICU", "Surgery").replace('·', "ICU");
    assert_ne!(text, swapped);
    let told = |text: &str| {
        let data = try_open(&[("next.csv", text.as_bytes())], json!({ "session": session })).unwrap();
        let ran = data.run(json!({ "methods": ["none"], "resamples": 40, "evaluate_on": "all" }));
        let call = json!({ "plan_withheld": { "request": { "changed": {} }, "suppress": 10 } });
        let outcome = carried_out(Call::written(call).unwrap(), &[&data.0, &ran.0]).unwrap();
        let (written, _) = localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&outcome));
        written.unwrap().to_string()
    };
    let answer = told(&text);
    assert!(answer.contains("Groups are not compared") && answer.contains("event rate"), "{answer}");
    assert_eq!(answer, told(&swapped));
}

#[test]
fn a_session_tells_of_no_small_group() {
    let mut uniform = uniform(11);
    let mut text = "risk,ward,label\n".to_owned();
    for i in 0..600 {
        let ward = match i {
            0..4 => "Burns",
            4..30 => "Eyes",
            30..150 => "Hand",
            150..300 => "Medicine",
            _ => "Surgery",
        };
        let p = uniform();
        text += &format!("{p:.3},{ward},{}\n", u8::from(uniform() < p));
    }
    let data = try_open(&[("wards.csv", text.as_bytes())], json!({ "roles": { "ward": "group" } })).unwrap();
    let methods = json!(["none", "group_intercept", { "id": "group_histogram", "parameters": { "min_group": 1 } }]);
    let ran = data.run(json!({ "methods": methods, "resamples": 0 }));
    let session: Value =
        serde_json::from_str(&data.export(Call::ExportSession { page: None, suppress: None, every_group: None }, &ran))
            .unwrap();
    let groups = session["numbers"]["groups"].as_array().unwrap();
    let told: Vec<&str> = groups.iter().map(|group| group["value"].as_str().unwrap()).collect();
    // Burns is small; with Eyes alone beside it 30 rows are left
    assert_eq!(told, ["Hand", "Medicine", "Surgery"]);
    let rest = 600 - groups.iter().map(|group| group["rows"].as_u64().unwrap()).sum::<u64>();
    assert!(rest >= 20, "{rest} rows are left");
    for method in session["calibrators"]["methods"].as_array().unwrap() {
        for learned in ["shifts", "fits"] {
            let Some(by_value) = method["parameters"][learned].as_object() else { continue };
            assert_eq!(by_value.keys().collect::<Vec<_>>(), ["Hand", "Medicine", "Surgery"], "{}", method["name"]);
        }
    }
    let left_out: Vec<&Value> = session["left_out"].as_array().unwrap().iter().map(|one| &one["method"]).collect();
    assert_eq!(left_out, ["group_intercept", "group_histogram"]);
    // and it still opens
    assert!(try_open(&[("wards.csv", text.as_bytes())], json!({ "session": session })).is_ok());
}

/// Rows of a month: of each region and segment so many; `shift` is added to the truth of the segment `New`.
fn loans(seed: u64, groups: &[(&str, &str, usize)]) -> String {
    let mut draws = uniform(seed);
    let mut text = "pd,region,segment,label\n".to_owned();
    for (region, segment, n) in groups {
        for _ in 0..*n {
            let p = 0.05 + 0.4 * draws();
            let truth = if *segment == "New" { p + 0.3 } else { p };
            text += &format!("{p:.4},{region},{segment},{}\n", u8::from(draws() < truth));
        }
    }
    text
}

#[test]
fn what_is_not_compared_has_its_own_reason() {
    // Overseas has 9 rows, and South goes so that they cannot be worked out
    let last = loans(5, &[("North", "Retail", 400), ("Overseas", "Retail", 9), ("South", "Prime", 300)]);
    let mut groups = vec![("North", "Retail", 400), ("Overseas", "Retail", 9), ("South", "New", 300)];
    groups.extend([("West", "Retail", 60), ("Islands", "Retail", 12)]);
    let now = loans(6, &groups);
    let roles = json!({ "region": "group", "segment": "group" });
    let run = json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" });
    let reasons = |every_group: Option<bool>| {
        let data = try_open(&[("last.csv", last.as_bytes())], json!({ "roles": roles })).unwrap();
        let written =
            data.export(Call::ExportSession { page: None, suppress: None, every_group }, &data.run(run.clone()));
        let session: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(written.contains("Overseas"), every_group.is_some(), "a session names no small group");
        let data = try_open(&[("now.csv", now.as_bytes())], json!({ "session": session })).unwrap();
        let found = changed(&data, &data.run(run.clone()));
        let told = found.not_compared.iter().map(|group| (group.name.clone(), group.reason)).collect::<Vec<_>>();
        (found, told)
    };
    let told = |list: &[(&str, WhyNotCompared)]| -> Vec<(String, WhyNotCompared)> {
        list.iter().map(|(name, why)| ((*name).to_owned(), *why)).collect()
    };
    let (found, of_session) = reasons(None);
    let unknown = WhyNotCompared::NotInSession;
    assert_eq!(
        of_session,
        told(&[
            ("segment = Prime", WhyNotCompared::Absent),
            ("region = Islands", WhyNotCompared::FewRows),
            ("region = Overseas", WhyNotCompared::FewRows),
            ("region = South", unknown),
            ("region = West", unknown),
            ("segment = New", WhyNotCompared::New),
        ])
    );
    let new = found.not_compared.last().unwrap();
    assert!(new.n == 300 && new.observed > new.predicted && new.p_holm.is_some_and(|p| p < 0.001), "{new:?}");
    let blocks = serde_json::to_string(&found.sheet).unwrap();
    assert!(blocks.contains(found.new_errors.as_deref().unwrap()), "{:?}", found.new_errors);
    for words in [
        "Significant error in 2 groups without numbers in the session: region = South is underestimated by",
        "segment = New is underestimated by",
        "New in this file, and not compared: segment = New (n = 300).",
        "Not compared, fewer than 30 rows in the session or in this file: region = Islands, region = Overseas.",
        "or left out to protect small groups: region = South, region = West.",
        "Not compared, not in this file: segment = Prime.",
    ] {
        assert!(blocks.contains(words), "{words}: {blocks}");
    }
    // of two files nothing is left out
    let (found, of_files) = reasons(Some(true));
    assert_eq!(
        of_files,
        told(&[
            ("region = Overseas", WhyNotCompared::FewRows),
            ("segment = Prime", WhyNotCompared::Absent),
            ("region = Islands", WhyNotCompared::New),
            ("region = West", WhyNotCompared::New),
            ("segment = New", WhyNotCompared::New),
        ])
    );
    assert!(found.changes.iter().any(|change| change.name == "region = South"), "{:?}", found.changes);
    // a new group is new, however few its rows; where small counts are suppressed, its sentence is withheld
    let new = "New in this file, and not compared: region = Islands (n = 12), region = West (n = 60), segment = New (n = 300).";
    let stated = found.sheet.stated().find(|stated| stated.what == Block::Text(new.to_owned()));
    assert_eq!(stated.unwrap_or_else(|| panic!("{:?}", found.sheet.blocks)).basis, Basis::Unknown);
    let small = found.not_compared.iter().find(|group| group.name == "region = Islands").unwrap();
    assert!(small.n == 12 && small.predicted.is_none() && small.p_holm.is_none(), "{small:?}");
    // a session of an earlier version does not say how much it left out
    let data = try_open(&[("last.csv", last.as_bytes())], json!({ "roles": roles })).unwrap();
    let written =
        data.export(Call::ExportSession { page: None, suppress: None, every_group: None }, &data.run(run.clone()));
    let mut session: Value = serde_json::from_str(&written).unwrap();
    session["numbers"].as_object_mut().unwrap().remove("omitted");
    let data = try_open(&[("now.csv", now.as_bytes())], json!({ "session": session })).unwrap();
    let found = changed(&data, &data.run(run));
    assert_eq!(found.not_compared.last().map(|group| group.reason), Some(unknown));
}

/// n rows with log-odds −1.5 + `mix` and a standard deviation of 1. Risks are overestimated by 0.5 log-odds; the truth of
/// `slope` is as much more moderate around −1.5.
fn cohort(seed: u64, n: usize, mix: f64, slope: f64) -> String {
    let mut draws = uniform(7_919 * (seed + 1));
    let mut text = "risk,ward,died\n".to_owned();
    for i in 0..n {
        let score = -1.5 + mix + (0..12).map(|_| draws()).sum::<f64>() - 6.0;
        let truth = -2.0 + slope * (score + 1.5);
        let [p, q] = [score, truth].map(|z| 1.0 / (1.0 + (-z).exp()));
        text += &format!("{p:.6},{},{}\n", ["A", "B", "C"][i % 3], u8::from(draws() < q));
    }
    text
}

/// The numbers of a run of the original predictions.
fn numbers(file: &str, options: Value, every_group: Option<bool>, suppress: Option<u64>) -> Value {
    let data = try_open(&[("last.csv", file.as_bytes())], options).unwrap();
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" }));
    serde_json::from_str(&data.export(Call::ExportSession { page: None, suppress, every_group }, &ran)).unwrap()
}

/// A file against these numbers, and the headline.
fn against(session: &Value, file: &str) -> (ChangedOutcome, String) {
    let data = try_open(&[("now.csv", file.as_bytes())], json!({ "session": session })).unwrap();
    let found = changed(&data, &data.run(json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" })));
    let headline = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Reading(text) => Some(text.clone()),
        _ => None,
    });
    (found, headline.unwrap())
}

#[test]
fn calibration_leads_and_case_mix_is_named() {
    let session = numbers(&cohort(1, 2000, 0.0, 1.0), json!({ "roles": { "ward": "group" } }), None, None);
    let value = |found: &ChangedOutcome, name: &str| found.changes.iter().find(|one| one.name == name).cloned();
    // the same calibration in sicker patients
    let sicker = cohort(2, 2000, 1.0, 1.0);
    let (found, told) = against(&session, &sicker);
    let start = "Calibration in the large and calibration slope did not change significantly; ";
    assert!(told.starts_with(start) && told.contains(", which a change in case mix alone can cause."), "{told}");
    assert_eq!(found.verdict.finding, Finding::Beyond);
    let share = found.changes.iter().find(|one| one.of == Changing::Share).unwrap();
    assert!(share.p_holm < 0.001, "{:?}", found.changes);
    let names: Vec<&str> = found.changes.iter().map(|one| one.name.as_str()).take(2).collect();
    assert_eq!(names, ["intercept_large", "slope"], "calibration leads the table");
    // predictions too extreme since
    let (found, told) = against(&session, &cohort(3, 2000, 1.0, 0.4));
    assert!(told.starts_with("Significant change: calibration "), "{told}");
    assert!(told.contains("calibration slope changed from ") && !told.contains("case mix"), "{told}");
    assert!(
        ["calibration in the large", "calibration slope"].contains(&found.verdict.subject.as_str()),
        "{:?}",
        found.verdict
    );
    assert!(value(&found, "slope").unwrap().high < 0.0, "{:?}", found.changes);
    // sessions of earlier versions have neither
    let mut earlier = session;
    earlier["numbers"]["metrics"].as_object_mut().unwrap().retain(|id, _| id == "auroc" || id == "brier");
    let (found, told) = against(&earlier, &sicker);
    assert!(value(&found, "slope").is_none() && value(&found, "intercept_large").is_none(), "{:?}", found.changes);
    assert!(told.starts_with("Significant change: ") && told.contains("case mix alone"), "{told}");
    assert!(!told.contains("alibration in the large"), "{told}");
}

#[test]
fn the_numbers_of_a_file_are_a_reference_and_those_of_a_session_are_of_a_session() {
    let (last, now) = (cohort(4, 600, 0.0, 1.0), cohort(5, 600, 0.0, 1.0));
    let sheet = |every_group: Option<bool>| {
        let session = numbers(&last, json!({ "roles": { "ward": "group" } }), every_group, None);
        serde_json::to_string(&against(&session, &now).0.sheet).unwrap()
    };
    let (file, session) = (sheet(Some(true)), sheet(None));
    assert!(file.contains("Reference and this file") && file.contains("n, reference"), "{file}");
    assert!(!file.to_lowercase().contains("session"), "{file}");
    assert!(session.contains("Session and this file") && !session.to_lowercase().contains("reference"), "{session}");
}

/// n rows of three classes. Of the rows of `severe`, which is never predicted, this share is `dead` instead.
fn classes(seed: u64, n: usize, share: f64) -> String {
    let mut draws = uniform(104_729 * (seed + 1));
    let mut text = "p_mild,p_severe,p_dead,diagnosis\n".to_owned();
    for _ in 0..n {
        let mild = 0.55 + 0.35 * draws();
        let severe = (1.0 - mild) * 0.6;
        let u = draws();
        let class = if u < mild {
            "mild"
        } else if u < mild + severe * (1.0 - share) {
            "severe"
        } else {
            "dead"
        };
        text += &format!("{mild:.6},{severe:.6},{:.6},{class}\n", 1.0 - mild - severe);
    }
    text
}

#[test]
fn the_probabilities_of_every_class_are_compared() {
    let last = classes(1, 1500, 0.0);
    let session = numbers(&last, json!({}), None, None);
    let (found, told) = against(&session, &classes(2, 1500, 0.7));
    assert!(told.starts_with("Significant change: class "), "{told}");
    let dead = found.changes.iter().find(|one| one.of == Changing::ClassGap && one.name == "dead").unwrap();
    assert!(dead.high < -0.05 && dead.p_holm < 0.001, "{dead:?}");
    assert_eq!(found.changes.iter().filter(|one| one.of == Changing::ClassGap).count(), 3);
    assert!(!told.contains("Only the confidence"), "{told}");
    let (found, _) = against(&session, &classes(3, 1500, 0.0));
    assert_eq!(found.verdict.finding, Finding::Chance, "{:?}", found.changes);
    // a session of suppressed counts, as one of an earlier version, has no numbers of classes
    let without = numbers(&last, json!({}), None, Some(10));
    assert!(without["numbers"].get("classes").is_none());
    let (found, told) = against(&without, &classes(2, 1500, 0.7));
    assert_eq!(found.verdict.finding, Finding::Chance, "{:?}", found.changes);
    assert!(
        told.contains("Only the confidence in the predicted class and metrics of all rows were compared"),
        "{told}"
    );
}

#[test]
fn another_event_is_not_compared_and_other_rows_are_told() {
    let (session, _) = session_of_the_year();
    let run = json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" });
    for other in [json!({ "positive": "N" }), json!({ "view": "top_label" })] {
        let mut options = other.clone();
        options["session"] = session.clone();
        let data = hospital("hospital_next.csv", options);
        let ran = data.run(run.clone());
        let refused = data.try_analyse(&ran, json!({ "changed": {} })).map(|_| ()).unwrap_err();
        assert_eq!(refused.code(), "invalid_option", "{other}");
    }
    let elderly = json!({ "session": session, "only": [{ "column": "age", "from": 60 }] });
    let data = hospital("hospital_next.csv", elderly);
    let found = changed(&data, &data.run(run));
    let localcal::report::sheet::Block::Text(told) = &found.sheet.blocks[0] else { panic!("nothing is told") };
    assert_eq!(told, "Settings differ. Session: all rows; this file: age ≥ 60.");
}

#[test]
fn what_does_not_fit_a_session_is_told_and_the_file_opens() {
    let (mut session, _) = session_of_the_year();
    session["open"]["only"] = json!([{ "column": "site", "values": ["A"] }, { "column": "age", "from": 50 }]);
    session["open"]["roles"]["lactate"] = json!("feature");
    session["open"]["positive"] = json!("dead");
    let rows = "patient_id,date,age,sex,ward,bmi,risk,died,new\n\
                A1,soon,51,f,X,22.5,0.12,N,1\nA2,later,60,m,Y,,0.5,Y,2\nA3,then,40,m,Y,30.5,0.25,N,2\n";
    let data = try_open(&[("odd.csv", rows.as_bytes())], json!({ "session": session })).unwrap();
    let Outcome::Data(found) = &data.0 else { panic!("no data") };
    let told = found.summary.warnings.iter().find(|warning| warning.code == "session_differs").unwrap();
    for part in [
        "column `lactate` is missing",
        "column `new` is new",
        "`date` contained dates",
        "`risk` was read as percentages, and contains no number above 1 here",
        "`dead` was the event, and does not occur",
        "only rows where site = A were open, which cannot be determined in this file",
    ] {
        assert!(told.message.contains(part), "{part}: {}", told.message);
    }
    assert_eq!(found.summary.rows, 2, "those from 50 on");
    assert_eq!(found.summary.positive.as_deref(), Some("Y"));
    // a month without an event knows what it is called
    let (session, _) = session_of_the_year();
    let calm =
        "patient_id,date,age,sex,ward,bmi,risk,died\nA1,2024-08-01,51,f,X,22.5,12%,N\nA2,2024-08-02,60,m,Y,,5%,N\n";
    let data = try_open(&[("calm.csv", calm.as_bytes())], json!({ "session": session })).unwrap();
    assert_eq!(data.predictions().labels, ["N", "Y"]);
    assert_eq!(data.predictions().positive, Some(1));
}

#[test]
fn no_condition_and_the_usual_division_outweigh_those_of_a_session() {
    let (mut session, _) = session_of_the_year();
    session["open"]["only"] = json!([{ "column": "age", "from": 60 }]);
    session["open"]["split"] = json!({ "half": true });
    let opened = |said: Value| {
        let mut options = said;
        options["session"] = session.clone();
        let data = hospital("hospital_next.csv", options);
        let predictions = data.predictions();
        (predictions.rows, predictions.division.clone(), predictions.opened.only().len())
    };
    let (then, half, conditions) = opened(json!({}));
    assert!(then < 900 && half == Division::Half && conditions == 1, "absent: as the session says");
    for none in [json!(null), json!([])] {
        assert_eq!(opened(json!({ "only": none })), (900, Division::Half, 0), "{none}");
    }
    for auto in [json!(null), json!("auto")] {
        assert_eq!(opened(json!({ "split": auto })), (then, Division::Folds { folds: 5 }, 1), "{auto}");
    }
    // and a session of what is open now holds neither
    let data = hospital("hospital_next.csv", json!({ "session": session, "only": null, "split": null }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let again: Value =
        serde_json::from_str(&data.export(Call::ExportSession { page: None, suppress: None, every_group: None }, &ran))
            .unwrap();
    assert_eq!((&again["open"]["only"], &again["open"]["split"]), (&json!([]), &json!("auto")));
}

/// n rows whose outcomes follow their scores, in three groups and on as many days as rows; `shift` is added to the truth of
/// the last fifth.
fn month(seed: u64, n: usize, shift: f64) -> String {
    let mut draws = uniform(1_000_003 * (seed + 1));
    let mut text = String::from("when,site,p,y\n");
    for i in 0..n {
        let p = 0.05 + 0.6 * draws();
        let truth = if i * 5 >= 4 * n { p + shift } else { p };
        let y = u8::from(draws() < truth);
        let site = ["a", "b", "c"][(draws() * 3.0) as usize % 3];
        let (month, day) = (1 + i * 12 / n, 1 + i % 28);
        text.push_str(&format!("2024-{month:02}-{day:02},{site},{p},{y}\n"));
    }
    text
}

#[test]
fn months_that_are_alike_are_not_told_apart() {
    let run = json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" });
    let mut told = 0;
    for seed in 0..60 {
        let last = try_open(&[("last.csv", month(2 * seed, 500, 0.0).as_bytes())], json!({})).unwrap();
        let session: Value = serde_json::from_str(
            &last.export(Call::ExportSession { page: None, suppress: None, every_group: None }, &last.run(run.clone())),
        )
        .unwrap();
        let now = month(2 * seed + 1, 300, 0.0);
        let now = try_open(&[("now.csv", now.as_bytes())], json!({ "session": session })).unwrap();
        let found = changed(&now, &now.run(run.clone()));
        // share, gap, calibration in the large, slope, AUROC and three groups
        assert_eq!(found.changes.len(), 8);
        told += usize::from(found.verdict.finding == Finding::Beyond);
    }
    // 5 % of 60, and three standard errors
    assert!(told <= 3 + 5, "{told}");
}

#[test]
fn drift_is_told_and_none_is_not() {
    let run = json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" });
    let of = |seed: u64, shift: f64| {
        let data = try_open(&[("a.csv", month(seed, 700, shift).as_bytes())], json!({})).unwrap();
        let ran = data.run(run.clone());
        over_time(&data, &ran, json!({}))
    };
    let told = (0..40).filter(|seed| of(100 + seed, 0.0).verdict.finding == Finding::Beyond).count();
    assert!(told <= 2 + 4, "{told}");
    let found = of(7, 0.3);
    assert_eq!((found.by.as_str(), found.rows, found.undated), ("when", 700, 0));
    assert_eq!(found.verdict.finding, Finding::Beyond);
    assert!(found.verdict.size.unwrap() < 0.0 && found.periods.len() == 12);
    let last = found.windows.last().unwrap();
    assert!(last.gap_band[0] <= last.gap && last.gap <= last.gap_band[1] && last.ratio.unwrap() > 1.0);
    assert_eq!(found.periods.iter().map(|period| period.rows).sum::<usize>(), 700);
    let shown = text_of(&found);
    assert!(shown.starts_with("Calibration changed over time ("), "{shown}");
    assert!(shown.contains("), most clearly in 2024-"), "{shown}");
    // the change as an interval against the other dates, which allows for the choice of the window
    let [low, high] = found.change.expect("tested");
    assert!(low < high && high < 0.0, "{low} {high}");
    let change = format!(
        ", {:.1} to {:.1} percentage points above that of rows with equal scores at the other dates",
        -100.0 * high,
        -100.0 * low
    );
    assert!(shown.contains(&change) && shown.contains("tends to overstate the change"), "{shown}");
}

fn text_of(found: &OverTimeOutcome) -> String {
    match &found.sheet.blocks[0] {
        localcal::report::sheet::Block::Reading(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}
