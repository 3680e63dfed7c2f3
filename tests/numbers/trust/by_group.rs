//! Temperature and histogram by group.

use localcal::data::View;
use localcal::metric::Reason;
use serde_json::json;

use super::made::rows;
use crate::support::pipeline::{Ran, near, open};

fn methods(column: &str) -> serde_json::Value {
    json!({ "resamples": 0, "bins": 4, "methods": ["none", "temperature", "histogram",
        { "id": "group_temperature", "parameters": { "groups": column } },
        { "id": "group_histogram", "parameters": { "groups": column } } ] })
}

fn same_scores(ran: &Ran, a: &str, b: &str, tolerance: f64) {
    for (a, b) in ran.rows(a).score.iter().zip(ran.rows(b).score.iter()) {
        near(*a, *b, tolerance);
    }
}

/// The specification, 7.1: one group = global, in both views.
#[test]
fn one_group_is_no_grouping() {
    for view in ["positive", "top_label"] {
        let text = rows(300, 1).replace(",A,", ",C,").replace(",B,", ",C,");
        let data = open(&text, json!({ "view": view, "roles": { "site": "group" }, "split": { "first": 200 } }));
        let ran = data.run(methods("site"));
        let found = if view == "positive" { View::Positive } else { View::TopLabel };
        assert_eq!(ran.outcome().report.data.view, found);
        same_scores(&ran, "temperature", "group_temperature", 1e-12);
        same_scores(&ran, "histogram", "group_histogram", 0.0);
        for id in ["nll", "brier", "classwise_ece"] {
            near(ran.value("group_temperature", id), ran.value("temperature", id), 1e-12);
        }
    }
}

/// The specification, 7.1: group HB = LoRe with the group-indicator kernel.
#[test]
fn a_histogram_by_group_is_lore_with_the_group_kernel() {
    let data = open(&rows(600, 2), json!({ "split": { "first": 400 } }));
    let mut request = methods("sex");
    request["methods"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "id": "lore", "parameters": { "features": ["sex"], "kernel": "group", "gamma": 1 } }));
    let ran = data.run(request);
    same_scores(&ran, "group_histogram", "lore", 1e-12);
}

#[test]
fn each_group_gets_what_it_needs() {
    let data = open(&rows(3000, 3), json!({}));
    let ran = data.run(methods("site"));
    assert!(
        ran.value("group_histogram", "brier") < ran.value("histogram", "brier") - 0.01,
        "sites differ by 30 points"
    );
    let fits = data.calibrators(&ran);
    let by = &fits["group_histogram"];
    assert_eq!(by["groups"], "site");
    for name in ["A", "B", "C"] {
        assert_eq!(by["fits"][name]["values"].as_array().unwrap().len(), 4);
        assert!(fits["group_temperature"]["fits"][name]["temperature"].as_f64().is_some());
    }
    assert!(by["pooled"]["edges"].is_array());
}

#[test]
fn small_and_new_groups_use_the_fit_to_all_rows() {
    let mut text = String::from("p,y,site\n");
    for i in 0..100 {
        let site = match i {
            0..5 => "small",
            95.. => "new",
            _ => "large",
        };
        text += &format!("{},{},{site}\n", 0.1 + 0.008 * f64::from(i), i * 7 % 5 % 2);
    }
    let data = open(&text, json!({ "split": { "first": 90 }, "roles": { "site": "group" } }));
    let ran = data.run(methods("site"));
    let told: Vec<&str> = ran.method("group_temperature").warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "groups with fewer than 30 calibration rows use the fit to all rows: 1",
            "Evaluation rows in no group with calibration rows: 5. For these, the fit to all rows was used."
        ]
    );
    let scores = |name: &str| ran.rows(name).score[5..].to_vec();
    assert_eq!(scores("group_temperature"), scores("temperature"));
    assert_eq!(scores("group_histogram"), scores("histogram"));
}

#[test]
fn without_groups_there_is_a_reason_and_bad_columns_are_refused() {
    let data = open(&rows(200, 4), json!({ "roles": { "site": "feature", "sex": "ignore" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none", "group_temperature"] }));
    let metric = ran.metric("group_temperature", "ece");
    assert_eq!(metric.reason.as_ref().map(Reason::text).as_deref(), Some("groups_missing"));
    for (parameters, code, words) in [
        (json!({ "groups": "nowhere" }), "unknown_column", "`nowhere`"),
        (json!({ "groups": "site", "bins": 3 }), "invalid_option", "it has no bins"),
        (json!({ "groups": "site", "mingroup": 3 }), "invalid_option", "mingroup"),
    ] {
        let request = json!({ "methods": [{ "id": "group_temperature", "parameters": parameters }] });
        let error = data.try_run(request).expect_err("refused");
        assert_eq!(error.code(), code);
        assert!(error.to_string().contains(words), "{error}");
    }
    let many: String = (0..2100).map(|i| format!("{},{},{}\n", 0.3, i % 2, f64::from(i) + 0.5)).collect();
    let data = open(&format!("p,y,z\n{many}"), json!({}));
    let request = json!({ "methods": [{ "id": "group_histogram", "parameters": { "groups": "z" } }] });
    let error = data.try_run(request).expect_err("refused");
    assert_eq!(error.to_string(), "2100 distinct values cannot define groups: `z`.");
}
