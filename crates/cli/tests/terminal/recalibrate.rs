//! Recalibration: what is written, read back and applied.

use serde_json::json;

use crate::made::Folder;

#[test]
fn what_was_fitted_applies_as_the_run_says() {
    let folder = Folder::with_patients();
    let asked =
        "recalibrate patients.csv --split half --methods temperature,isotonic,lore --features age --positive ill";
    let ended = folder.run(&format!("{asked} --apply new.csv --out results")).done();
    assert!(ended.text().contains("isotonic: an increasing curve"));
    assert!(ended.err.contains("wrote results"));
    // with one half that calibrates, the fit of the run is the stored one: evaluated rows get the same scores
    let table = |text: String| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let (run, applied) = (table(folder.text("results/predictions.csv")), table(folder.text("results/applied.csv")));
    let place = |rows: &[Vec<String>], name: &str| rows[0].iter().position(|head| head == name).unwrap();
    let mut compared = 0;
    for name in ["p_temperature", "p_isotonic", "p_lore"] {
        let (a, b) = (place(&run, name), place(&applied, name));
        for (one, other) in run.iter().zip(&applied).skip(1).filter(|(one, _)| !one[a].is_empty()) {
            assert_eq!((&one[0], &one[a]), (&other[0], &other[b]), "{name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 3 * 120);
    let again = folder.run("apply results/calibrator.json new.csv").done();
    assert_eq!(again.text(), folder.text("results/applied.csv"));
    let one = folder.run("apply results/calibrator.json new.csv --method isotonic --classes --out one.csv").done();
    assert!(one.out.is_empty());
    assert!(folder.text("one.csv").lines().next().unwrap().contains("p_isotonic,isotonic:"));
}

/// `new.csv` with an empty age in the first three rows: LoRe by age has nothing to say of them.
#[test]
fn rows_without_a_feature_stay_empty_and_are_counted() {
    let folder = Folder::with_patients();
    folder.run("recalibrate patients.csv --methods platt,lore --features age --positive ill --out stored.json").done();
    let text = folder.text("new.csv");
    let age = text.lines().next().unwrap().split(',').position(|head| head == "age").unwrap();
    let without = |(i, line): (usize, &str)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if (1..=3).contains(&i) {
            cells[age] = "";
        }
        cells.join(",") + "\n"
    };
    folder.put("gaps.csv", &text.lines().enumerate().map(without).collect::<String>());
    let ended = folder.run("apply stored.json gaps.csv").done();
    let rows: Vec<Vec<&str>> = ended.text().lines().map(|line| line.split(',').collect()).collect();
    let place = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let (platt, lore) = (place("p_platt"), place("p_lore"));
    for (i, row) in rows.iter().enumerate().skip(1) {
        assert!(!row[platt].is_empty());
        assert_eq!(row[lore].is_empty(), i <= 3, "row {i}");
    }
    let said =
        "note: `p_lore` is empty in 3 of 240 rows: a feature is missing there, so the method has no similar rows.";
    assert!(ended.err.contains(said), "{}", ended.err);
}

#[test]
fn results_go_where_they_are_sent() {
    let folder = Folder::with_patients();
    let to_pipe = folder.run("recalibrate patients.csv --methods platt --out -").done();
    assert!(to_pipe.text().starts_with("id,set,fold,label,predicted,p,p_platt\n"));
    folder.run("recalibrate patients.csv --methods platt --out scores.csv").done();
    assert_eq!(folder.text("scores.csv"), to_pipe.text());
    folder.run("recalibrate patients.csv --methods platt --out platt.json").done();
    let stored: serde_json::Value = serde_json::from_str(&folder.text("platt.json")).unwrap();
    assert_eq!(stored["methods"][0]["id"], "platt");
    let new = folder.run("recalibrate patients.csv --methods platt --apply new.csv").done();
    assert_eq!(new.text(), folder.run("apply platt.json new.csv").done().text());
    let report = folder.run("recalibrate patients.csv --methods platt --resamples 0 --json").done().json();
    assert_eq!(json!([report["methods"][0]["id"], report["methods"][1]["id"]]), json!(["none", "platt"]));
}

#[test]
fn without_a_choice_the_usual_methods_are_compared() {
    let folder = Folder::with_patients();
    let ended = folder.run("recalibrate patients.csv --resamples 100").done();
    for method in ["none", "temperature", "platt", "beta", "isotonic", "spline", "lore"] {
        assert!(ended.text().lines().any(|line| line.starts_with(&format!("{method} "))), "{method}");
    }
    assert!(ended.err.contains("Nothing was written"));
    assert!(folder.run("recalibrate patients.csv --resamples 100 --quiet").done().err.is_empty());
}

#[test]
fn a_method_is_written_down_as_code() {
    let folder = Folder::with_patients();
    let python = folder.run("snippet patients.csv --method temperature").done();
    assert!(python.text().contains("import numpy as np") && python.text().contains("def calibrate"));
    let javascript = folder.run("snippet patients.csv --method temperature --language javascript").done();
    assert!(javascript.text().contains("calibrate"));
    assert_eq!(folder.run("snippet patients.csv").status, Some(2));
}

#[test]
fn a_method_by_group_names_its_column() {
    let folder = Folder::with_patients();
    let ended = folder.run("recalibrate patients.csv --methods group_intercept --group site --resamples 0").done();
    let text = ended.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("for each group (groups: site, slope "), "{text}");
}

#[test]
fn a_method_without_its_columns_names_what_it_needs() {
    let folder = Folder::new();
    let rows: String = (0..60).map(|i| format!("{},{}\n", 0.1 + f64::from(i % 9) / 10.0, i % 2)).collect();
    folder.put("bare.csv", &format!("risk,died\n{rows}"));
    let text =
        folder.run("recalibrate bare.csv --methods group_temperature,lore --resamples 0").done().text().to_owned();
    assert!(text.contains("Needs a group column.") && text.contains("Needs features, which"), "{text}");
}

/// Rows without an outcome beside which stands a column of two values: no outcome is needed, and this is none.
#[test]
fn a_covariate_of_two_values_is_no_outcome_of_new_rows() {
    let folder = Folder::new();
    let column = |name: &str, values: [&str; 2], gaps: bool| {
        let mut text = format!("risk,age,{name}\n");
        for i in 0..200 {
            let value = if gaps && i % 7 == 0 { "" } else { values[usize::from(i % 3 == 0)] };
            text += &format!("0.{},{},{value}\n", 11 + i % 80, 30 + i % 50);
        }
        text
    };
    let fitted: String =
        (0..200).map(|i| format!("0.{},{},{}\n", 11 + i % 80, 30 + i % 50, u8::from((i * 7) % 80 < i % 80))).collect();
    folder.put("fitted.csv", &format!("risk,age,died\n{fitted}"));
    folder.run("recalibrate fitted.csv --methods platt --out stored.json").done();
    for (name, values) in [("sex", ["F", "M"]), ("icu", ["0", "1"]), ("smoker", ["no", "yes"])] {
        for gaps in [false, true] {
            folder.put("new.csv", &column(name, values, gaps));
            let ended = folder.run("apply stored.json new.csv").done();
            assert!(
                ended.text().starts_with("predicted,p,p_platt\n")
                    || ended.text().starts_with("row,predicted,p,p_platt\n"),
                "{name}: {}",
                ended.text()
            );
            let rows: Vec<&str> = ended.text().lines().skip(1).collect();
            assert_eq!(rows.len(), 200);
            assert!(rows.iter().all(|row| !row.contains(['M', 'F', 'y', 'n'])), "{name}: {}", ended.text());
            assert!(ended.err.contains(&format!("note: `{name}` is not used")), "{}", ended.err);
            assert!(!ended.err.contains("is taken as the outcome"), "{}", ended.err);
        }
    }
    // an outcome given by name is written, as before
    let ended = folder.run("apply stored.json fitted.csv").done();
    assert!(ended.text().lines().next().unwrap().contains("label"), "{}", ended.text());
    folder.put("new.csv", &column("icu", ["0", "1"], false));
    let chosen = folder.run("apply stored.json new.csv --label icu").done();
    assert!(chosen.text().lines().next().unwrap().contains("label"), "{}", chosen.text());
}
