//! Sessions from one file to the next: `session save`, `--session`, `compare`.

use crate::made::{Folder, patients};

/// The patients, of one site only through a condition, saved as a session.
fn saved(folder: &Folder) {
    let only = r#"{ "only": [{ "column": "site", "values": ["north", "south"] }] }"#;
    let words = ["session", "save", "patients.csv", "--group", "site", "--resamples", "200", "--methods", "platt"];
    let more = ["--options", only, "--out", "session.json"];
    let words: Vec<&str> = words.into_iter().chain(more).collect();
    let ended = folder.run_with(&words, "").done();
    assert!(ended.out.is_empty() && ended.err.contains("wrote session.json"), "{}", ended.err);
}

#[test]
fn a_saved_session_holds_how_the_file_was_read_its_numbers_and_no_row() {
    let folder = Folder::with_patients();
    saved(&folder);
    let session: serde_json::Value = serde_json::from_str(&folder.text("session.json")).unwrap();
    assert_eq!(session["schema"], "localcal-session/1");
    assert_eq!(session["open"]["roles"]["site"], "group");
    assert_eq!(session["open"]["only"][0]["column"], "site");
    assert_eq!(session["numbers"]["overall"]["rows"], 160);
    assert_eq!(session["calibrators"]["methods"].as_array().unwrap().len(), 1);
    let printed = folder.run("session save patients.csv --resamples 50").done();
    assert_eq!(printed.json()["open"]["positive"], session["open"]["positive"]);
}

#[test]
fn a_file_is_read_as_the_session_says_given_as_a_path_as_text_or_in_the_options() {
    let folder = Folder::with_patients();
    saved(&folder);
    let text = folder.text("session.json");
    let options = format!("{{ \"session\": {text} }}");
    let score = |more: &[&str], input: &str| {
        let words = ["score", "patients.csv", "--resamples", "0", "--json"].iter().chain(more);
        folder.run_with(&words.copied().collect::<Vec<_>>(), input).done().json()
    };
    for (more, input) in [
        (["--session", "session.json"], ""),
        (["--session", text.as_str()], ""),
        (["--session", "-"], text.as_str()),
        (["--options", options.as_str()], ""),
    ] {
        assert_eq!(score(&more, input)["data"]["rows"], 160, "{:.40}", more[1]);
    }
    assert_eq!(score(&[], "")["data"]["rows"], 240);
    // the condition holds where the session is asked about, too
    for more in [["--session", "session.json"], ["--session", text.as_str()], ["--options", options.as_str()]] {
        let words = ["analyse", "changed", "patients.csv", "--resamples", "200", "--json"].into_iter().chain(more);
        let answer = folder.run_with(&words.collect::<Vec<_>>(), "").done().json();
        assert_eq!(answer["rows"], serde_json::json!([160, 160]), "{:.40}", more[1]);
        assert_eq!(answer["repairs"].as_array().unwrap().len(), 1);
    }
}

/// Champion and challenger in one file: the session opens the next one with the model that it was saved with.
#[test]
fn a_session_of_a_model_opens_another_file_with_that_model_or_the_other() {
    let folder = Folder::new();
    let rows = |from: usize| {
        let row = |i: usize| format!("0.{},0.{},{}\n", 10 + i * 7 % 80, 10 + i * 31 % 80, i * 13 % 7 / 4);
        format!("pd_champion,pd_challenger,default\n{}", (from..from + 200).map(row).collect::<String>())
    };
    folder.put("now.csv", &rows(0));
    folder.put("next.csv", &rows(200));
    for model in ["pd_champion", "pd_challenger"] {
        folder.run(&format!("session save now.csv --model {model} --resamples 50 --out {model}.json")).done();
        let compared = folder.run(&format!("compare {model}.json next.csv --resamples 50")).done();
        assert!(compared.err.contains(&format!("`{model}` is open")), "{}", compared.err);
        assert!(!compared.err.contains("Differences from the session"), "{}", compared.err);
    }
    let words = "score next.csv --session pd_champion.json --model pd_challenger --resamples 0";
    let other = folder.run(words).done();
    assert!(other.text().contains("probability: pd_challenger"), "{}", other.text());
}

#[test]
fn what_is_no_session_is_told() {
    let folder = Folder::with_patients();
    folder.put("other.json", "{ \"schema\": \"another/1\" }");
    folder.put("broken.json", "{");
    for (session, status, words) in [
        ("none.json", 1, &["cannot be read", "none.json"][..]),
        ("broken.json", 1, &["Invalid --session: ", "not valid JSON"]),
        ("other.json", 1, &["its schema is `another/1`", "`localcal session save`"]),
        ("patients.csv", 1, &["Invalid --session: "]),
    ] {
        let ended = folder.run(&format!("score patients.csv --session {session}"));
        assert_eq!(ended.status, Some(status), "{session}: {}", ended.err);
        for word in words {
            assert!(ended.err.contains(word), "{session}: {word} is not in {}", ended.err);
        }
    }
    assert_eq!(folder.run("score - --session -").status, Some(2));
    let without = folder.run("analyse changed patients.csv --resamples 50");
    assert!(without.err.contains("--session"), "{}", without.err);
}

#[test]
fn a_current_file_is_compared_with_a_reference_or_with_its_session() {
    let folder = Folder::with_patients();
    // what was well is ill and what was ill is well
    let turned = patients(true).replace(",ill,", ",x,").replace(",well,", ",ill,").replace(",x,", ",well,");
    folder.put("turned.csv", &turned);
    let flags = "--group site --positive ill --resamples 200";
    let same = folder.run(&format!("compare patients.csv patients.csv {flags}")).done();
    let turned = folder.run(&format!("compare patients.csv turned.csv {flags}")).done();
    folder.run(&format!("session save patients.csv {flags} --out session.json")).done();
    let of_session = folder.run("compare session.json turned.csv --resamples 200").done();
    // the same numbers, of what they are
    assert!(
        turned.text().contains("Reference and this file") && !turned.text().contains("ession"),
        "{}",
        turned.text()
    );
    assert!(of_session.text().contains("Session and this file"), "{}", of_session.text());
    let changes = |words: &str| folder.run(&format!("compare {words} --json")).done().json()["changes"].clone();
    assert_eq!(
        changes("session.json turned.csv --resamples 200"),
        changes(&format!("patients.csv turned.csv {flags}"))
    );
    assert!(same.text() != turned.text());
    let answer = folder.run(&format!("compare patients.csv turned.csv {flags} --json")).done().json();
    assert_eq!(answer["verdict"]["finding"], "beyond");
    assert_eq!(answer["rows"], serde_json::json!([240, 240]));
}

#[test]
fn a_change_beyond_chance_shuts_the_gate() {
    let folder = Folder::with_patients();
    let turned = patients(true).replace(",ill,", ",x,").replace(",well,", ",ill,").replace(",x,", ",well,");
    folder.put("turned.csv", &turned);
    let flags = "--positive ill --resamples 200 --fail-if changed";
    folder.run(&format!("compare patients.csv patients.csv {flags}")).done();
    let ended = folder.run(&format!("compare patients.csv turned.csv {flags}"));
    assert_eq!(ended.status, Some(3), "{}", ended.err);
    assert!(ended.err.lines().any(|line| line.starts_with("failed: changed: ")), "{}", ended.err);
    let written = folder.run(&format!("compare patients.csv turned.csv {flags} --report-format junit"));
    assert!(written.text().contains("failures=\"1\""), "{}", written.text());
    // a calibrated new site, and one without events, too few to change a number of all rows
    let with = |risks: &[(f64, &str)]| {
        let row = |i: usize| {
            let (risk, outcome) = risks[i % risks.len()];
            format!("{},{risk},{outcome},50,harbor\n", 240 + i)
        };
        patients(true) + &(0..40).map(row).collect::<String>()
    };
    folder.put("fair.csv", &with(&[(0.5, "ill"), (0.5, "well")]));
    folder.put("wrong.csv", &with(&[(0.3, "well")]));
    let flags = format!("{flags} --group site");
    folder.run(&format!("compare patients.csv fair.csv {flags}")).done();
    let ended = folder.run(&format!("compare patients.csv wrong.csv {flags}"));
    assert_eq!(ended.status, Some(3), "{}", ended.err);
    let told = "failed: changed: No significant change in ";
    assert!(ended.err.lines().any(|line| line.starts_with(told)), "{}", ended.err);
    let told = "Significant error in 1 group without numbers in the reference: site = harbor is overestimated by 30.0";
    assert!(ended.err.contains(told), "{}", ended.err);
    for asked in ["compare patients.csv", "compare --example digits", "compare patients.csv new.csv turned.csv"] {
        assert_eq!(folder.run(asked).status, Some(2), "{asked}");
    }
}

#[test]
fn a_file_without_a_column_of_the_reference_does_not_pass() {
    let folder = Folder::with_patients();
    let without: String =
        folder.text("patients.csv").lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect();
    folder.put("without.csv", &without);
    folder.run("session save patients.csv --resamples 0 --out s.json").done();
    let ended = folder.run("compare s.json without.csv --resamples 0 --fail-if changed");
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    assert!(ended.err.contains("it has no column `site`"), "{}", ended.err);
    let told = folder.run("compare s.json without.csv --resamples 0").done();
    assert!(told.text().contains("Columns of the session that this file does not have"), "{}", told.text());
}
