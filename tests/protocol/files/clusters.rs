//! Which rows belong together: guessed from names and values, said, chosen and denied.

use crate::support::bytes::*;
use localcal::data::subgroup::{Among, Condition};
use localcal::data::{About, OpenOptions, RowPolicy};
use localcal::job::Call;
use serde_json::json;

/// `of` gives the id of each of 240 rows.
fn text(name: &str, of: impl Fn(usize) -> String) -> String {
    let mut text = format!("{name},p,y,site\n");
    for i in 0..240 {
        text += &format!("{},0.{},{},{}\n", of(i), 10 + i % 80, i % 3 / 2, i % 4);
    }
    text
}

fn count(text: &str) -> Option<(String, usize)> {
    open(text).1.clusters.map(|clusters| (clusters.column, clusters.count))
}

fn chosen(text: &str, clusters: serde_json::Value) -> Opened {
    let options: OpenOptions = serde_json::from_value(json!({ "clusters": clusters })).unwrap();
    open_with(&[("a.csv", text.as_bytes())], &options).unwrap()
}

#[test]
fn an_id_that_repeats_is_the_clusters() {
    for name in
        ["patient_id", "PatientID", "subject", "mrn", "person", "customer_no", "question_id", "case", "Patient.Nr"]
    {
        assert_eq!(count(&text(name, |i| format!("{}", 100 + i % 60))), Some((name.to_owned(), 60)), "{name}");
        assert_eq!(count(&text(name, |i| format!("A{}", i % 60))), Some((name.to_owned(), 60)), "{name}");
    }
    // by its end alone, where there are enough
    assert_eq!(count(&text("stay_id", |i| format!("s{}", i / 3))), Some(("stay_id".to_owned(), 80)));
    assert_eq!(count(&text("stay_id", |i| format!("s{}", i % 6))), None);
    // all values distinct, hardly any repeated, places, categories and names of rows
    assert_eq!(count(&text("patient_id", |i| format!("{i}"))), None);
    assert_eq!(count(&text("patient_id", |i| format!("{}", i.max(1)))), None);
    for name in ["site_id", "ward_id", "row_id", "index", "age", "group"] {
        assert_eq!(count(&text(name, |i| format!("{}", 100 + i % 61))), None, "{name}");
    }
    // predictions of several resamples: rows of one number have one outcome
    assert_eq!(count(&text("row_id", |i| format!("{}", 100 + i % 60))), Some(("row_id".to_owned(), 60)));
    // people before other things, and the coarser of two
    let both = "admission_id,patient_id,p,y\n".to_owned()
        + &(0..240).map(|i| format!("{},{},0.{},{}\n", i / 2, i / 6, 10 + i % 80, i % 2)).collect::<String>();
    assert_eq!(count(&both), Some(("patient_id".to_owned(), 40)));
}

#[test]
fn an_id_is_no_feature() {
    let (data, summary) = open(&text("customer", |i| format!("{}", 100 + i % 60)));
    assert_eq!(roles_of(&summary).split(',').next(), Some("customer ignore"));
    assert_eq!(data.clusters.unwrap().of[..3], [0, 1, 2]);
}

#[test]
fn rows_without_a_value_are_clusters_of_their_own() {
    let id = |i: usize| if i % 10 == 9 { String::new() } else { format!("P{}", i / 5) };
    let (data, summary) = open(&text("patient_id", id));
    let clusters = data.clusters.unwrap();
    assert_eq!(clusters.count, 48 + 24);
    assert_eq!(clusters.sizes().iter().filter(|size| **size == 1).count(), 24);
    assert_eq!(summary.clusters.unwrap().most_rows, 5);
}

#[test]
fn it_is_said_and_can_be_denied_or_chosen() {
    let text = text("patient_id", |i| format!("P{}", i % 60));
    let (_, summary) = open(&text);
    let told = summary.told.iter().find(|part| part.about == About::Clusters).unwrap();
    assert_eq!(
        told.text,
        "60 patients (patient_id), 4 rows each on average: rows of one patient are treated as dependent"
    );
    assert_eq!(told.column.as_deref(), Some("patient_id"));
    let said = summary.clusters.unwrap();
    assert_eq!((said.count, said.rows_per_cluster, said.most_rows, said.few), (60, 4.0, 4, false));
    // denied
    let (data, summary) = chosen(&text, json!(null));
    assert!(data.clusters.is_none() && summary.clusters.is_none());
    let told = summary.told.iter().find(|part| part.about == About::Clusters).unwrap();
    assert_eq!(told.text, "rows are treated as independent, although patient_id repeats");
    // another column: four are few, and said to be
    let (data, summary) = chosen(&text, json!("site"));
    assert_eq!(data.clusters.unwrap().count, 4);
    let told = summary.told.iter().find(|part| part.about == About::Clusters).unwrap();
    assert!(told.text.contains("with so few clusters, tests and intervals are approximate"), "{}", told.text);
    // what was said outlives opening
    let options: OpenOptions = serde_json::from_value(json!({ "clusters": null })).unwrap();
    assert_eq!(options.clusters, Some(None));
    assert_eq!(serde_json::to_value(&options).unwrap()["clusters"], json!(null));
    let unsaid: OpenOptions = serde_json::from_value(json!({})).unwrap();
    assert_eq!(unsaid.clusters, None);
    assert!(serde_json::to_value(&unsaid).unwrap().get("clusters").is_none());
}

#[test]
fn null_in_a_call_says_what_holds_where_nobody_says_anything() {
    let session = json!({ "options": { "clusters": null } });
    let options = json!({ "clusters": null, "only": null, "split": null, "positive": null, "session": session });
    let call = Call::written(json!({ "assemble": { "options": options } })).unwrap();
    let Call::Assemble { options } = call else { panic!("another call") };
    assert_eq!((options.clusters, options.positive), (Some(None), None));
    assert!(options.only.is_some_and(|only| only.is_empty()) && options.split.is_some());
    assert_eq!(options.session, Some(session));
}

#[test]
fn faults_are_told() {
    let text = text("patient_id", |i| format!("P{}", i % 60));
    let failed = |column: &str| {
        let options = OpenOptions { clusters: Some(Some(column.into())), ..OpenOptions::default() };
        failure_with(&text, &options)
    };
    assert_eq!(failed("who"), ("unknown_column".into(), "clusters: no column has the name `who`.".into()));
    let mut constant = String::new();
    for (i, line) in text.lines().enumerate() {
        constant += &format!("{line},{}\n", if i == 0 { "study" } else { "A" });
    }
    let options = OpenOptions { clusters: Some(Some("study".into())), ..OpenOptions::default() };
    assert_eq!(failure_with(&constant, &options).0, "invalid_option");
}

#[test]
fn a_file_that_divides_a_patient_is_told() {
    let mut text = "patient_id,p,y,split\n".to_owned();
    for i in 0..200 {
        text += &format!("P{},0.{},{},{}\n", i % 50, 10 + i % 80, i % 3 / 2, ["val", "test"][usize::from(i >= 100)]);
    }
    let (_, summary) = open(&text);
    let warning = summary.warnings.iter().find(|warning| warning.code == "clusters_divided").unwrap();
    assert!(
        warning.message.starts_with("50 of 50 values of `patient_id` have both calibration and evaluation rows"),
        "{}",
        warning.message
    );
}

#[test]
fn rows_that_are_left_out_take_their_cluster_with_them() {
    let mut text = text("patient_id", |i| format!("P{}", i / 4));
    text += "P0,,1,1\nP99,0.5,,2\n";
    let only = Condition { column: "site".into(), is: Among::Values(vec!["1".into(), "2".into()]) };
    let options = OpenOptions { rows: RowPolicy::Drop, only: Some(vec![only]), ..OpenOptions::default() };
    let (data, _) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    let clusters = data.clusters.unwrap();
    assert_eq!((data.rows, clusters.count), (120, 60));
    for (k, &of) in clusters.of.iter().enumerate() {
        assert_eq!(of as usize, (data.row_numbers[k] as usize - 1) / 4);
    }
}
