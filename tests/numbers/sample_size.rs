//! How many rows it takes: against an independent computation, and through the whole pipeline.

use crate::support::pipeline::{Opened, Ran, open};
use localcal::analysis::sample_size::SampleSizeOutcome;
use localcal::job::Outcome;
use serde_json::{Value, json};

fn sample_size(data: &Opened, ran: &Ran, request: Value) -> SampleSizeOutcome {
    match data.try_analyse(ran, json!({ "sample_size": request })) {
        Ok(Outcome::SampleSize(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no numbers of rows"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn widths_and_rows_are_those_of_another_computation() {
    let golden: Value = serde_json::from_str(include_str!("../golden/sample_size.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let rows = numbers(&case["scores"]).into_iter().zip(numbers(&case["targets"]));
        let text: String = rows.map(|(s, t)| format!("{s},{t}\n")).collect();
        let data = open(&format!("p,y\n{text}"), json!({ "split": { "folds": 5 } }));
        let ran = data.run(json!({ "resamples": 0 }));
        let asked = numbers(&case["asked"]);
        let found = sample_size(&data, &ran, json!({ "ratio": asked[0], "slope": asked[1], "auroc": asked[2] }));
        assert!((found.auroc.unwrap() - case["auroc"].as_f64().unwrap()).abs() < 1e-12);
        for (k, one) in found.intervals.iter().enumerate() {
            let width = case["widths"][k].as_f64().unwrap();
            assert!((one.width.unwrap() - width).abs() < 1e-9 * width, "{k}: {:?} {width}", one.width);
            assert_eq!(one.rows, case["rows"][k].as_u64(), "{k}");
        }
    }
}

/// As many rows as were asked for make every interval suffice for the target width, and no fewer would.
#[test]
fn rows_that_are_needed_are_enough() {
    let rows = |n: usize| -> String {
        let row =
            |i: usize| format!("{},{}\n", [0.2, 0.4, 0.7, 0.9][i % 4], u8::from((i / 4) % 10 < [2, 4, 7, 9][i % 4]));
        (0..n).map(row).collect()
    };
    let of = |n: usize| {
        let data = open(&format!("p,y\n{}", rows(n)), json!({ "split": { "folds": 5 } }));
        let ran = data.run(json!({ "resamples": 0 }));
        sample_size(&data, &ran, json!({}))
    };
    let few = of(400);
    let most = few.intervals.iter().filter_map(|one| one.rows).max().unwrap();
    assert!(most > 400);
    let headline =
        |found: &SampleSizeOutcome| serde_json::to_value(&found.sheet.blocks[0]).unwrap()["reading"].to_string();
    assert!(
        headline(&few).contains("rows are needed for the target width of all three 95% intervals"),
        "{}",
        headline(&few)
    );
    // The same 40 rows again and again: shares, scores and AUROC stay as they are.
    let enough = of(most.next_multiple_of(40) as usize);
    assert!(enough.intervals.iter().all(|one| one.width.unwrap() <= one.target));
    assert!(headline(&enough).contains("suffice for the target width"), "{}", headline(&enough));
}

/// The formula of O:E takes the outcomes to vary by φ(1 − φ), and the design effect is that of a mean: where that makes the widths
/// too large is said.
#[test]
fn widths_that_are_too_large_are_said_to_be() {
    let row = |i: usize| format!("{},{},{}\n", [0.2, 0.4, 0.7, 0.9][i % 4], u8::from(i % 7 < 3), i / 8);
    let rows: String = (0..400).map(row).collect();
    let data = open(&format!("p,y,patient_id\n{rows}"), json!({ "split": { "folds": 5 } }));
    let ran = data.run(json!({ "resamples": 0 }));
    let found = format!("{:?}", sample_size(&data, &ran, json!({})).sheet.blocks);
    assert!(
        found.contains("with good discrimination the interval that is computed at the same rows is narrower"),
        "{found}"
    );
    assert!(
        found.contains("where scores vary within clusters, the intervals of slope and AUROC are narrower"),
        "{found}"
    );
}
