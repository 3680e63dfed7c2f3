//! `--suppress`: what leaves while small counts are withheld, and what does not leave then.

use crate::made::{Folder, patients};

/// The patients, and four of a site of their own, whose scores occur nowhere else.
fn with_few() -> Folder {
    let folder = Folder::with_patients();
    let few = "900,0.4137,ill,50,TINY\n901,0.4137,well,51,TINY\n902,0.4137,ill,52,TINY\n903,0.4137,ill,53,TINY\n";
    folder.put("few.csv", &(patients(true) + few));
    folder
}

#[test]
fn what_leaves_with_small_counts_withheld_tells_of_no_few_rows() {
    let folder = with_few();
    let run = "few.csv --group site --id id --resamples 20 --quiet";
    for asked in [
        format!("analyse groups {run} --columns site"),
        format!("analyse groups {run} --columns site --json"),
        format!("analyse document {run} --format markdown"),
        format!("report {run} --json"),
        format!(
            "session save {run} --options {{\"methods\":[\"none\",\"isotonic\",{{\"id\":\"group_intercept\",\"parameters\":{{\"groups\":\"site\"}}}}]}}"
        ),
        format!("recalibrate {run} --json --methods isotonic"),
        format!("score {run} --json --groups site --metrics group_mce_max,brier"),
    ] {
        let withheld = folder.run(&format!("{asked} --suppress 10")).done();
        assert!(!withheld.text().contains("TINY"), "{asked}: {}", withheld.text());
        assert_ne!(withheld.text(), folder.run(&asked).done().text(), "{asked}");
    }
    let groups = folder.run(&format!("analyse groups {run} --columns site --suppress 10")).done();
    assert!(groups.text().contains("Disclosure control: "), "{}", groups.text());
    let table = |more: &str| folder.run(&format!("chart groups {run} --columns site {more}"));
    assert!(table("").done().text().contains("TINY"));
    let drawn = table("--suppress 10").done();
    assert!(!drawn.text().contains("TINY"), "{}", drawn.text());
    let diagram = folder.run(&format!("chart reliability {run} --suppress 10 --json")).done();
    assert!(diagram.text().contains("are withheld"), "{}", diagram.text());
    folder
        .put("spec.json", r#"{ "methods": ["none"], "metrics": ["brier", "mce"], "divisions": { "seeds": [1, 2] } }"#);
    let written = folder.run("experiment spec.json few.csv --quiet --out cells.csv --suppress 10").done();
    assert!(
        written.out.is_empty()
            && !folder.text("cells.csv").contains("mce")
            && folder.text("cells.csv").contains("brier")
    );
}

#[test]
fn a_withheld_chart_is_said_once_and_nobody_is_sent_to_draw_it() {
    let folder = with_few();
    let asked = "analyse risk_coverage few.csv --id id --resamples 0 --quiet";
    assert!(folder.run(asked).done().text().contains("Drawn by localcal chart risk_coverage"));
    let withheld = folder.run(&format!("{asked} --suppress 10")).done();
    let text = withheld.text();
    assert!(!text.contains("Drawn by"), "{text}");
    assert_eq!(text.matches("Withheld: this chart").count(), 1, "{text}");
}

#[test]
fn what_overlapping_places_tell_leaves_too() {
    let folder = Folder::new();
    for (kind, told) in [("finding", "AUROC"), ("neighbourhoods --features mean_radius --bin all", "Mean of the rows")]
    {
        let found = folder.run(&format!("analyse {kind} --example breast_cancer --suppress 10 --json --quiet")).done();
        assert!(found.text().contains(told) && found.text().contains("Disclosure control: "), "{}", found.text());
    }
}

/// 1,600 rows, of which 120 are overestimated by far, four of them with the outcome.
fn with_rare() -> Folder {
    let folder = Folder::new();
    let mut rows = "p,y,g\n".to_owned();
    for i in 0..1_600_usize {
        let (p, of_ten) = [(0.2, 2), (0.4, 4), (0.5, 5), (0.6, 6)][i % 4];
        let rare = i < 120;
        let happened = if rare { i % 30 == 0 } else { (i / 4) % 10 < of_ten };
        rows += &format!("{p},{},{}\n", u8::from(happened), if rare { "rare" } else { "common" });
    }
    folder.put("rare.csv", &rows);
    folder
}

#[test]
fn a_gate_writes_nothing_that_the_report_withholds() {
    let folder = with_rare();
    let run = "score rare.csv --label y --probability p --group g --groups g --resamples 0 --metrics ece,group_ece_max --json";
    let gate = |more: &str, condition: &str| {
        let ended = folder.run(&format!("{run} {more} --fail-if {condition}"));
        assert_eq!(ended.status, Some(3), "{condition} {more}: {}", ended.err);
        let told: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
        assert_eq!(told["failed"][0]["condition"], condition);
        told["failed"][0]["found"].as_str().unwrap().to_owned()
    };
    assert!(gate("", "finding").contains("n = 120"));
    assert_eq!(gate("--suppress 10", "finding"), "withheld");
    assert!(gate("", "group_ece_max>0.1").starts_with("Group ECE (largest): 0."));
    assert_eq!(gate("--suppress 10", "group_ece_max>0.1"), "withheld");
    // what the report contains is told
    assert_eq!(gate("--suppress 10", "ece>0.001"), gate("", "ece>0.001"));
}

#[test]
fn what_has_no_gate_does_not_leave() {
    let folder = with_few();
    for (asked, why) in [
        ("score few.csv", "add --json"),
        ("report few.csv", "--out FILE.html"),
        ("report few.csv --out report.txt", "--out FILE.html"),
        ("recalibrate few.csv", "other files contain rows"),
        ("recalibrate few.csv --json --out folder", "other files contain rows"),
        ("apply calibrator.json few.csv", "in which counts cannot be suppressed"),
        ("compare few.csv patients.csv", "takes no --suppress"),
    ] {
        let ended = folder.run(&format!("{asked} --suppress 10"));
        assert!(ended.status == Some(2) && ended.err.contains(why), "{asked}: {}", ended.err);
        assert!(ended.out.is_empty(), "{asked}");
    }
    let ended = folder.run("score few.csv --json --suppress 2");
    assert!(ended.status == Some(2) && ended.err.contains("--suppress"), "{}", ended.err);
}

#[test]
fn a_warning_tells_no_range_of_a_column() {
    let folder = Folder::new();
    let mut text = "p,y,age\n".to_owned();
    for i in 0..300 {
        let age = if i % 20 == 7 { 999 } else { 21 + i % 67 };
        text += &format!("{:.3},{},{age}\n", (i * 37 % 300) as f64 / 300.0, u8::from(i * 53 % 300 < i * 37 % 300));
    }
    folder.put("ages.csv", &text);
    let asked = "score ages.csv --resamples 0 --json";
    let plain = folder.run(asked);
    assert!(plain.err.contains("`age` is 999 in 15 rows; its other values are 21 to 87"), "{}", plain.err);
    let ended = folder.run(&format!("{asked} --suppress 10"));
    assert!(!ended.err.contains("999") && ended.err.contains("withheld"), "{}", ended.err);
}

#[test]
fn errors_name_row_and_column_and_not_the_value_of_one_patient() {
    let folder = Folder::new();
    let rows = |p: &str, y: &str| {
        let row = |i: usize| match i {
            7 => format!("{p},{y}\n"),
            _ => format!("0.{:02},{}\n", 10 + i, i % 2),
        };
        format!("p,died\n{}", (0..40).map(row).collect::<String>())
    };
    for (p, y, says) in [
        ("AB-4711", "1", "column `p`: the value is not a number"),
        ("1.7345", "1", "column `p`: the value is not between 0 and 1"),
        ("0.4", "AB-4711", "column `died`: the value is not one of the 2 classes"),
    ] {
        folder.put("rows.csv", &rows(p, y));
        let asked = "report rows.csv --json --label died --probability p";
        let [shown, withheld] =
            [asked.to_owned(), format!("{asked} --suppress 10")].map(|asked| folder.run(&asked).err);
        let value = if p == "0.4" { y } else { p };
        assert!(shown.contains("Data row 8") && shown.contains(value), "{shown}");
        assert!(withheld.contains(&format!("Data row 8, {says}")) && !withheld.contains(value), "{withheld}");
    }
}
