//! What is refused, how it is told, and with which exit status.

use crate::made::Folder;

#[track_caller]
fn refused(folder: &Folder, asked: &str, status: i32, words: &[&str]) {
    let ended = folder.run(asked);
    assert_eq!(ended.status, Some(status), "{asked}: {}", ended.err);
    assert!(ended.out.is_empty(), "{asked} leaves something on standard output");
    for word in words {
        assert!(ended.err.contains(word), "{asked}: `{word}` is not in {}", ended.err);
    }
}

#[test]
fn bad_input_gets_the_core_s_sentence_and_hint() {
    let folder = Folder::with_patients();
    folder.put("empty.csv", "");
    folder.put("labels.csv", "y\n0\n1\n1\n0\n");
    folder.put("gap.csv", "p,y\n0.1,0\n,1\n0.8,1\n0.3,0\n");
    folder.put("no.json", "{ not json");
    refused(&folder, "score none.csv", 1, &["error: ", "none.csv", "hint: "]);
    refused(&folder, "score empty.csv", 1, &["(empty)", "hint: "]);
    refused(&folder, "score labels.csv", 1, &["(score_missing)"]);
    refused(&folder, "score gap.csv", 1, &["(not_a_number)", "Data row 2, column `p`"]);
    refused(&folder, "score patients.csv --metrics eec", 1, &["(unknown_metric)", "`eec`", "Available: "]);
    refused(&folder, "recalibrate patients.csv --methods tmp", 1, &["(unknown_method)"]);
    refused(&folder, "score patients.csv --bins 0", 1, &["(invalid_option)", "bins"]);
    refused(&folder, "score patients.csv --label who", 1, &["(unknown_column)", "who"]);
    refused(&folder, "score patients.csv --options no.json", 1, &["(invalid_option)", "JSON"]);
    refused(&folder, "score patients.csv --options {\"colour\":1}", 1, &["`colour`", "Available: "]);
    refused(&folder, "apply no.json new.csv", 1, &["(calibrator_unreadable)"]);
    refused(&folder, "apply none.json new.csv", 1, &["none.json"]);
    refused(&folder, "analyse region patients.csv", 1, &["(invalid_option)", "polygon"]);
    refused(&folder, "score patients.csv --threads 1 --features who", 1, &["(unknown_column)"]);
    folder.run("score gap.csv --rows drop --resamples 0").done();
}

#[test]
fn threads_and_memory_have_bounds() {
    let folder = Folder::with_patients();
    refused(&folder, "score patients.csv --threads 100000", 2, &["--threads"]);
    refused(&folder, "score patients.csv --max-memory much", 2, &["--max-memory", "500M"]);
    refused(&folder, "score patients.csv --missing age", 2, &["COLUMN=VALUE"]);
    refused(&folder, "score patients.csv --max-memory 1K", 1, &["(too_large)", "1,024"]);
    folder.run("score patients.csv --max-memory 1G --resamples 0").done();
}

#[test]
fn a_setting_that_does_nothing_is_not_silent() {
    let folder = Folder::with_patients();
    let workbook = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/tables/files/workbook.xlsx");
    folder.put_bytes("workbook.xlsx", &std::fs::read(workbook).unwrap());
    refused(&folder, "score workbook.xlsx --sheet 9", 1, &["(invalid_option)", "--sheet 9: this workbook has", "1 “"]);
    refused(
        &folder,
        "score patients.csv --sheet 2",
        1,
        &["--sheet applies to Excel workbooks only, not to patients.csv.", "Omit --sheet."],
    );
    for groups in
        ["score patients.csv --metrics ece", "recalibrate patients.csv --methods group_intercept --group site"]
    {
        let words = ["(unknown_column)", "“nosuch”", "site"];
        refused(&folder, &format!("{groups} --groups nosuch"), 1, &words);
    }
    let ended = folder.run("score patients.csv --resamples 0 --unanswered incorrect").done();
    assert!(ended.err.contains("--unanswered has no effect"), "{}", ended.err);
}

#[test]
fn hints_name_what_is_there() {
    let folder = Folder::with_patients();
    refused(
        &folder,
        "snippet patients.csv --method lore_ridge --roles age=ignore",
        1,
        &["`lore_ridge` was not fitted: it needs features", "--features"],
    );
    refused(&folder, "snippet patients.csv --methods none", 1, &["fitted 0 methods", "--methods temperature,platt"]);
    let stored = "recalibrate patients.csv --methods platt,lore_ridge --features age --resamples 0 --out both.json";
    folder.run(stored).done();
    let without: String = folder
        .text("new.csv")
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},{}\n", cells[0], cells[1], cells[3])
        })
        .collect();
    folder.put("without.csv", &without);
    let apply = "apply both.json without.csv --roles site=group";
    refused(&folder, apply, 1, &["(features_missing)", "`age`", "does without it: `platt`.", "--method"]);
    folder.run(&format!("{apply} --method platt")).done();
}

#[test]
fn a_cover_page_is_passed_over_and_named_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.put_bytes("cover.xlsx", &cover());
    folder.run("score cover.xlsx --resamples 0").done();
    refused(&folder, "score cover.xlsx --sheet 1", 1, &["(roles_unclear)", "Not read: “rows”", "--sheet"]);
    folder.run("score cover.xlsx --sheet 2 --resamples 0").done();
    refused(&folder, "score cover.xlsx --sheet 3", 1, &["2 sheets with tables", "1 “cover”, 2 “rows”"]);
}

/// A workbook whose first sheet is a cover page and whose second has rows.
fn cover() -> Vec<u8> {
    let sheet = |rows: &[[&str; 2]]| {
        let cell = |text: &&str| match text.parse::<f64>() {
            Ok(_) => format!("<c><v>{text}</v></c>"),
            Err(_) => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
        };
        let row = |cells: &[&str; 2]| {
            let cells: String = cells.iter().filter(|text| !text.is_empty()).map(cell).collect();
            format!("<row>{cells}</row>")
        };
        let rows: String = rows.iter().map(row).collect();
        format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>")
    };
    let entry = |k: usize, name: &str| format!("<sheet name=\"{name}\" sheetId=\"{k}\" r:id=\"r{k}\"/>");
    let link = |k: usize| {
        format!("<Relationship Id=\"r{k}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{k}.xml\"/>")
    };
    let book = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{}{}</sheets></workbook>",
        entry(1, "cover"),
        entry(2, "rows")
    );
    let links = format!("<Relationships xmlns=\"{PACKAGE}\">{}{}</Relationships>", link(1), link(2));
    let rows: Vec<[&str; 2]> = (0..40).map(|i| [["0.2", "0.7"][i % 2], ["0", "1"][usize::from(i % 3 == 0)]]).collect();
    let rows = [vec![["p", "y"]], rows].concat();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let root = format!(
        "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"r1\" Type=\"{OFFICE}/officeDocument\" \
         Target=\"xl/workbook.xml\"/></Relationships>"
    );
    for (name, text) in [
        ("_rels/.rels", root),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", links),
        ("xl/worksheets/sheet1.xml", sheet(&[["note", ""], ["made in March", ""]])),
        ("xl/worksheets/sheet2.xml", sheet(&rows)),
    ] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

#[test]
fn with_json_failures_are_json() {
    let folder = Folder::with_patients();
    let ended = folder.run("score patients.csv --json --metrics eec");
    let told: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(told["code"], "unknown_metric");
    assert!(told["hint"].as_str().unwrap().starts_with("Available: "));
}

#[test]
fn what_is_not_understood_is_usage() {
    let folder = Folder::with_patients();
    for asked in [
        "",
        "scroe patients.csv",
        "score",
        "score patients.csv --bin 3",
        "score patients.csv --view sideways",
        "score patients.csv --folds 3 --split half",
        "score patients.csv --example digits",
        "score patients.csv --resamples many",
        "score - --options -",
        "analyse grups patients.csv",
        "analyse groups patients.csv --metric colour",
        "analyse groups patients.csv --quantiles few",
        "score patients.csv --roles age",
    ] {
        let ended = folder.run(asked);
        assert_eq!(ended.status, Some(2), "{asked}: {}", ended.err);
        assert!(ended.out.is_empty() && ended.err.contains("--help"), "{asked}: {}", ended.err);
    }
}

#[test]
fn warnings_and_progress_stay_off_standard_output() {
    let folder = Folder::with_patients();
    let warned = folder.run("apply none.json new.csv");
    assert!(warned.out.is_empty());
    let stored = folder.run("recalibrate patients.csv --methods platt --out platt.json").done();
    assert!(!stored.text().contains("wrote"));
    let applied = folder.run("apply platt.json new.csv").done();
    assert!(applied.err.contains("warning:") && !applied.text().contains("warning"));
    assert!(folder.run("apply platt.json new.csv --quiet").done().err.is_empty());
}

#[test]
fn nothing_is_written_over_what_is_read() {
    let folder = Folder::with_patients();
    folder.run("recalibrate patients.csv --methods platt --resamples 0 --out saved").done();
    let over = "--out would overwrite ";
    for asked in [
        "count patients.csv --score p_ill --outcome outcome --positive ill --out patients.csv",
        "recalibrate patients.csv --methods platt --out patients.csv",
        "recalibrate saved/predictions.csv --methods platt --out saved",
        "report patients.csv --out patients.csv",
    ] {
        refused(&folder, asked, 2, &[over]);
    }
    assert_eq!(folder.text("patients.csv"), crate::made::patients(true));
}

#[test]
fn rows_are_counted_once_and_of_an_event_that_there_is() {
    let folder = Folder::with_patients();
    let count = "--score p_ill --outcome outcome";
    refused(&folder, &format!("count patients.csv ./patients.csv {count} --positive ill"), 2, &["is listed twice"]);
    refused(&folder, &format!("count patients.csv {count} --positive sick"), 1, &["is never `sick`", "`ill`, `well`"]);
    refused(&folder, &format!("count patients.csv {count} --positive ill --json"), 2, &["takes no --json"]);
    folder.run(&format!("count patients.csv {count} --positive ill")).done();
}

#[test]
fn new_rows_are_not_fitted_for_nothing() {
    let folder = Folder::with_patients();
    folder.put("new.csv", &crate::made::patients(false));
    for out in ["--out calibrator.json", "--json"] {
        let asked = format!("recalibrate patients.csv --methods platt --apply new.csv {out}");
        refused(&folder, &asked, 2, &["--apply writes rows"]);
    }
}

#[test]
fn with_json_every_failure_is_json() {
    let folder = Folder::with_patients();
    for (asked, status) in [
        ("score patients.csv --json --nosuch", 2),
        ("score patients.csv --json --fail-if foo>1", 2),
        ("score none.csv --json", 1),
    ] {
        let ended = folder.run(asked);
        assert_eq!(ended.status, Some(status), "{asked}: {}", ended.err);
        let told: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
        assert!(told["code"].is_string() && told["message"].is_string(), "{told}");
    }
}

#[test]
fn warnings_pass_the_gate_of_small_counts() {
    let folder = Folder::new();
    let rows = crate::made::patients(true);
    let gaps: String = rows
        .lines()
        .enumerate()
        .map(|(i, line)| match i {
            5 | 9 | 12 => format!("{}\n", line.replacen(line.split(',').nth(1).unwrap(), "", 1)),
            _ => format!("{line}\n"),
        })
        .collect();
    folder.put("gaps.csv", &gaps);
    let told = |more: &str| {
        folder
            .run(&format!("session save gaps.csv --rows drop --resamples 0 --out s{}.json {more}", more.len()))
            .done()
            .err
    };
    assert!(told("").contains("3 of 240 rows"), "{}", told(""));
    let withheld = told("--suppress 10");
    assert!(
        withheld.contains("withheld, which may reveal small counts") && !withheld.contains("3 of 240"),
        "{withheld}"
    );
}

#[test]
fn a_report_is_written_in_a_form_that_its_name_names() {
    let folder = Folder::with_patients();
    for name in ["x.pdf", "x.xyz", "r.html.gz"] {
        refused(&folder, &format!("report patients.csv --out {name}"), 2, &["ends in .html, .tex, .md, .json or .txt"]);
        assert!(!folder.has(name));
    }
    folder.run("report patients.csv --resamples 0 --out report.txt").done();
    folder.run("report patients.csv --resamples 0 --out report").done();
    assert_eq!(folder.text("report.txt"), folder.text("report"));
}

#[test]
fn a_picture_has_a_size_that_can_be_drawn() {
    let folder = Folder::with_patients();
    for scale in ["nan", "1e9", "inf", "0", "-1"] {
        let asked = format!("chart reliability patients.csv --out a.png --scale={scale}");
        refused(&folder, &asked, 2, &["--scale", "0.1 to 20"]);
    }
    folder.run("chart reliability patients.csv --resamples 0 --out a.png --scale 0.5").done();
}

#[test]
fn a_role_that_is_none_is_named_with_its_column() {
    let folder = Folder::with_patients();
    let words = ["`feeture` is no role, for column `age`", "(invalid_option)", "label, probability", "ignore"];
    refused(&folder, "score patients.csv --roles age=feeture", 1, &words);
}

#[test]
fn an_experiment_is_not_written_over_the_session_that_is_read() {
    let folder = Folder::with_patients();
    folder.run("session save patients.csv --resamples 0 --out s.json").done();
    let asked = "experiment {} patients.csv --session s.json --out s.json";
    refused(&folder, asked, 2, &["--out would overwrite s.json"]);
}
