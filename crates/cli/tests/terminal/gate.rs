//! `--fail-if`: exit status 3, and what a pipeline reads of it.

use crate::made::Folder;

#[track_caller]
fn ends(folder: &Folder, command: &str, conditions: &[&str], status: i32) -> crate::made::Ended {
    let mut words: Vec<&str> = command.split_whitespace().collect();
    for condition in conditions {
        words.extend(["--fail-if", condition]);
    }
    let ended = folder.run_with(&words, "");
    assert_eq!(ended.status, Some(status), "{command} {conditions:?}: {}", ended.err);
    ended
}

const SCORE: &str = "score patients.csv --resamples 200";

#[test]
fn a_condition_that_holds_ends_with_a_status_of_its_own_and_the_whole_text() {
    let folder = Folder::with_patients();
    let plain = folder.run(SCORE).done();
    let held = ends(&folder, SCORE, &["ece.low > 0.9", "brier < 0.01"], 0);
    assert!(held.text().starts_with(plain.text().trim_end()), "{}", held.text());
    assert!(held.text().contains("passed  ece.low > 0.9") && held.err.is_empty(), "{}{}", held.text(), held.err);
    let failed = ends(&folder, SCORE, &["ece.low > 0.9", "ece > 0.01"], 3);
    assert!(failed.text().starts_with(plain.text().trim_end()));
    assert!(failed.text().contains("failed  ece > 0.01") && failed.text().contains("passed  ece.low > 0.9"));
    assert!(failed.err.starts_with("failed: ece > 0.01: ECE (15): 0."), "{}", failed.err);
    assert_eq!(failed.err.lines().count(), 1);
}

#[test]
fn numbers_are_those_of_the_report() {
    let folder = Folder::with_patients();
    let report = folder.run(&format!("{SCORE} --methods none,temperature --json")).done().json();
    let method = |name: &str| {
        report["methods"].as_array().unwrap().iter().find(|method| method["name"] == name).unwrap()["metrics"].clone()
    };
    for (of, metric, which, field) in [
        ("none", "ece", "value", "value"),
        ("none", "ece", "corrected", "corrected"),
        ("none", "ece", "low", "low"),
        ("none", "ece", "floor", "floor_high"),
        ("none", "ece", "floor_mean", "floor_mean"),
        ("temperature", "nll", "high", "high"),
    ] {
        let number = method(of)[metric][field].as_f64().unwrap();
        let dot = if of == "none" { String::new() } else { format!("{of}.") };
        let [more, as_much, less] = [">", ">=", "<"].map(|sign| format!("{dot}{metric}.{which} {sign} {number}"));
        ends(&folder, SCORE, &[&more], 0);
        ends(&folder, SCORE, &[&as_much], 3);
        ends(&folder, SCORE, &[&less], 0);
    }
}

#[test]
fn a_metric_that_is_not_usual_is_computed_and_one_without_a_number_does_not_pass() {
    let folder = Folder::with_patients();
    ends(&folder, SCORE, &["smece > 0.9"], 0);
    ends(&folder, "score patients.csv --resamples 0 --metrics nll", &["ece > 0.9"], 0);
    folder.put("one.csv", "p,y\n0.1,1\n0.4,1\n0.7,1\n0.9,1\n");
    for (command, condition, why) in [
        ("score patients.csv --resamples 0", "ece.floor > 0.1", "nothing was resampled|need --resamples above 0"),
        ("score patients.csv --resamples 0", "mlce > 0.9", "it needs features, which define similarity|--features"),
        (SCORE, "mce.corrected > 0.1", "a maximum has no interval|Values of this metric in this run: value, floor,"),
        (SCORE, "brier.corrected > 0.1", "this metric has none|value, low, high"),
        (SCORE, "p_bernoulli < 0.1", "it needs features, which define similarity|--features"),
        (
            "score one.csv --label y --probability p",
            "auroc < 0.8",
            "only one outcome occurs|Use a metric that these rows define",
        ),
    ] {
        let refused = ends(&folder, command, &[condition], 1);
        assert!(refused.out.is_empty(), "{}", refused.text());
        for words in why.split('|') {
            assert!(refused.err.contains(words), "{condition}: `{words}` is not in {}", refused.err);
        }
        let about_draws = refused.err.contains("--resamples");
        assert_eq!(about_draws, condition == "ece.floor > 0.1", "{}", refused.err);
    }
}

#[test]
fn what_is_no_condition_is_usage_before_a_file_is_read() {
    let folder = Folder::new();
    for (condition, words) in [
        ("eec > 0.1", &["unknown metric `eec`", "classwise_ece"][..]),
        ("ece.lowest > 0.1", &["a metric has no value `lowest`", "floor_mean"]),
        ("ece", &["no comparison", ">="]),
        ("ece > few", &["a number must follow the sign"]),
        ("changed", &["it needs a reference", "localcal compare"]),
        ("finding > 0", &["`finding` is yes or no"]),
        ("ece.hi > 1", &["a metric has no value `hi`", "high"]),
        ("tmp.ece > 0.1", &["unknown method `tmp`", "temperature"]),
    ] {
        let ended = ends(&folder, "score not_there.csv", &[condition], 2);
        assert!(ended.out.is_empty());
        for word in words {
            assert!(ended.err.contains(word), "{condition}: {word} is not in {}", ended.err);
        }
    }
    ends(&folder, "score not_there.csv --methods platt", &["temperature.ece > 0.1"], 2);
    ends(&folder, "score not_there.csv --report-format junit", &[], 2);
    ends(&folder, "score not_there.csv --json --report-format junit", &["finding"], 2);
}

/// 2,000 rows whose outcomes are as often as their scores say, or none of them for one site.
fn rows(wrong: bool) -> String {
    let mut text = "p,y,site\n".to_owned();
    for i in 0..2_000_usize {
        let (k, site) = (i % 20, ["north", "south"][(i / 20) % 2]);
        // of ten rows with 0.2 two happen, and of ten with 0.4 four
        let (p, of_ten) = if k < 10 { (0.2, 2) } else { (0.4, 4) };
        let happened = k % 10 < of_ten && !(wrong && site == "south");
        text += &format!("{p},{},{site}\n", u8::from(happened));
    }
    text
}

#[test]
fn the_finding_shuts_the_gate_where_it_names_somebody() {
    let folder = Folder::new();
    folder.put("right.csv", &rows(false));
    folder.put("wrong.csv", &rows(true));
    let flags = "--label y --probability p --group site --resamples 100";
    let open = ends(&folder, &format!("score right.csv {flags}"), &["finding"], 0);
    assert!(open.text().contains("passed  finding"), "{}", open.text());
    let shut = ends(&folder, &format!("score wrong.csv {flags}"), &["finding"], 3);
    let sentence = folder.run(&format!("analyse finding wrong.csv {flags} --json")).done().json()["sentence"].clone();
    assert!(shut.err.contains(sentence.as_str().unwrap()), "{}\n{sentence}", shut.err);
}

#[test]
fn with_json_the_report_stays_and_what_failed_is_json() {
    let folder = Folder::with_patients();
    let report = folder.run(&format!("{SCORE} --json")).done();
    let ended = ends(&folder, &format!("{SCORE} --json"), &["ece > 0.01"], 3);
    assert!(ended.out == report.out);
    let told: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(told["failed"][0]["condition"], "ece > 0.01");
}

#[test]
fn annotations_and_a_junit_report_stand_in_the_place_of_text() {
    let folder = Folder::with_patients();
    let conditions = ["ece > 0.01", "nll > 9"];
    let github = ends(&folder, &format!("{SCORE} --report-format github"), &conditions, 3);
    let lines: Vec<&str> = github.text().lines().collect();
    assert_eq!(lines.len(), 2, "{}", github.text());
    assert!(lines[0].starts_with("::error title=localcal%3A failed if ece > 0.01::ECE (15): 0."), "{}", lines[0]);
    assert!(lines[1].starts_with("::notice title=localcal%3A would fail if nll > 9::NLL: "), "{}", lines[1]);
    let junit = ends(&folder, &format!("{SCORE} --report-format junit"), &conditions, 3);
    assert!(junit.text().starts_with(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"localcal\" tests=\"2\" failures=\"1\""
    ));
    assert!(junit.text().contains("<testcase classname=\"localcal.patients.csv\" name=\"fails if ece &gt; 0.01\">"));
    ends(&folder, &format!("{SCORE} --report-format junit"), &["nll > 9"], 0);
}

#[test]
fn a_junit_report_says_why_conditions_could_not_be_evaluated() {
    let folder = Folder::with_patients();
    for (asked, words) in [
        (SCORE.replace("--resamples 200", "--resamples 0"), "nothing was resampled"),
        ("score not_there.csv".to_owned(), "file not found"),
        ("compare patients.csv not_there.csv --resamples 0".to_owned(), "file not found"),
    ] {
        let ended = ends(&folder, &format!("{asked} --report-format junit"), &["ece.low > 0.01", "nll > 9"], 1);
        let told = ended.text();
        assert!(told.starts_with("<?xml") && told.trim_end().ends_with("</testsuites>"), "{told}");
        assert!(told.contains("tests=\"2\" failures=\"0\" errors=\"2\""), "{told}");
        assert!(told.contains("<error message=") && told.contains(words), "{told}");
    }
}

#[test]
fn a_gate_holds_although_its_output_is_closed() {
    let folder = Folder::with_patients();
    for more in [&[][..], &["--report-format", "junit"], &["--json"]] {
        let asked = [&["score", "patients.csv", "--resamples", "0", "--quiet", "--fail-if", "ece>0.01"], more].concat();
        let (status, err) = folder.run_unread(&asked);
        assert_eq!(status, Some(3), "{err}");
        assert!(err.contains("failed"), "{err}");
    }
    let (status, _) = folder.run_unread(&["score", "patients.csv", "--resamples", "0", "--fail-if", "ece>0.9"]);
    assert_eq!(status, Some(0));
}

/// Methods that are asked for do not take the place of the file's own predictions, of which a gate speaks.
#[test]
fn a_gate_is_of_the_original_predictions_whatever_methods_are_run() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{}\n", [0.02, 0.98][i % 2], (i * 7 % 10 / 3 + i) % 2);
    folder.put("extreme.csv", &format!("p,y\n{}", (0..400).map(row).collect::<String>()));
    for methods in ["", "--methods temperature", "--methods temperature,isotonic"] {
        let words = format!("score extreme.csv --resamples 200 {methods} --fail-if finding --fail-if ece>0.05");
        let ended = folder.run(&words);
        assert_eq!(ended.status, Some(3), "{methods}: {}{}", ended.text(), ended.err);
    }
    let ran = folder.run("score extreme.csv --resamples 0 --methods temperature --json").done().json();
    let names: Vec<&str> = ran["methods"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["none", "temperature"]);
    folder.run("report extreme.csv --methods temperature --resamples 200 --out report.md").done();
    let report = folder.text("report.md");
    assert!(report.contains("Original predictions") && !report.contains("No significant miscalibration"), "{report}");
}

#[test]
fn no_value_of_a_file_commands_the_terminal_or_the_runner_of_a_workflow() {
    let folder = Folder::new();
    let evil = "\"A\n::error::boom \u{9b}31m\u{202e}\"";
    let mut text = "p,y,ward\n".to_owned();
    for i in 0..900 {
        let (k, high, is_evil) = (i % 10, i / 10 % 2 == 1, i / 20 % 3 == 0);
        // in this ward scores are far too low
        let of_ten = [[2, 8], [7, 10]][usize::from(is_evil)][usize::from(high)];
        let (p, ward) = (if high { 0.8 } else { 0.2 }, if is_evil { evil } else { "B" });
        text += &format!("{p},{},{ward}\n", u8::from(k < of_ten));
    }
    folder.put("evil.csv", &text);
    let obeyed = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
    for command in [
        "score evil.csv --resamples 50",
        "score evil.csv --resamples 50 --report-format github",
        "report evil.csv --resamples 50 --groups ward",
        "analyse groups evil.csv",
        "analyse finding evil.csv",
    ] {
        let gated = command.starts_with("score");
        let ended = match gated {
            true => ends(&folder, command, &["finding"], 3),
            false => folder.run(command).done(),
        };
        for text in [ended.text(), &ended.err] {
            assert!(!text.chars().any(obeyed), "{command}: {text:?}");
            let commands: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("::")).collect();
            assert!(commands.iter().all(|line| line.starts_with("::error title=localcal")), "{command}: {text:?}");
        }
        if gated {
            assert_eq!(ended.err.lines().filter(|line| line.starts_with("failed: ")).count(), 1, "{}", ended.err);
            assert!(
                ended.err.lines().all(|line| !line.starts_with("::")) && ended.err.contains("boom"),
                "{}",
                ended.err
            );
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_in_every_format() {
    let folder = Folder::new();
    for (format, start) in
        [("github", "::error title=localcal%3A not_there.csv could not be evaluated::"), ("junit", "<?xml")]
    {
        let ended =
            ends(&folder, &format!("score not_there.csv --report-format {format}"), &["ece > 0.9", "finding"], 1);
        assert!(ended.text().starts_with(start), "{}", ended.text());
        assert!(ended.text().contains("The file cannot be read (file not found)"), "{}", ended.text());
        assert!(ended.err.starts_with("error: "), "{}", ended.err);
    }
}
