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
fn what_overlapping_places_tell_leaves_too() {
    let folder = Folder::new();
    for (kind, told) in [("finding", "AUROC"), ("neighbourhoods --features mean_radius --bin all", "Mean of the rows")]
    {
        let found = folder.run(&format!("analyse {kind} --example breast_cancer --suppress 10 --json --quiet")).done();
        assert!(found.text().contains(told) && found.text().contains("Disclosure control: "), "{}", found.text());
    }
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
