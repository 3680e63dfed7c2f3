//! Which scores are the same: against scikit-learn on scores within rounding of 0 and 1, and of files that are the mirror
//! image of each other.

use crate::support::pipeline::{near, open};
use serde_json::{Value, json};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/naive_bayes.json")).unwrap()
}

fn scored(golden: &Value) -> Vec<(f64, u64)> {
    let (p, y) = (golden["p"].as_array().unwrap(), golden["y"].as_array().unwrap());
    p.iter().zip(y).map(|(p, y)| (p.as_f64().unwrap(), y.as_u64().unwrap())).collect()
}

/// A column of scores under this name, and outcomes `ill` and `well`; `ill` counts.
fn file(name: &str, rows: impl IntoIterator<Item = (f64, u64)>) -> String {
    let line = |(p, y): (f64, u64)| format!("{p:?},{}\n", ["well", "ill"][y as usize]);
    format!("{name},label\n{}", rows.into_iter().map(line).collect::<String>())
}

#[test]
fn scores_rank_as_scikit_learn_ranks_them() {
    let golden = golden();
    let rows = scored(&golden);
    let value = |name: &str| golden[name].as_f64().unwrap();
    let run = |text: &str, view: &str| {
        open(text, json!({ "view": view, "positive": "ill" }))
            .run(json!({ "metrics": ["auroc", "prr", "brier"], "resamples": 0 }))
    };
    let ran = run(&file("p_ill", rows.clone()), "positive");
    near(ran.value("none", "auroc"), value("auroc"), 1e-12);
    near(ran.value("none", "prr"), value("prr"), 1e-12);
    near(ran.value("none", "brier"), value("brier"), 1e-12);
    assert!((value("auroc") - value("merged")).abs() > 0.003, "the file distinguishes what 2⁻⁴⁴ does not");
    let ran = run(&file("p_ill", rows.clone()), "top_label");
    near(ran.value("none", "auroc"), value("auroc_confidence"), 1e-12);
    near(ran.value("none", "prr"), value("prr"), 1e-12);
    // the same numbers about the other class: what 1 − p leaves of them
    let turned = rows.iter().map(|&(p, y)| (p, 1 - y));
    let ran = run(&file("p_well", turned), "positive");
    near(ran.value("none", "auroc"), value("auroc_other"), 1e-12);
}

/// 1 − p as others write it, with the digits of the double, and as a person does, rounded.
#[test]
fn a_file_and_its_mirror_image_give_the_same_numbers() {
    let rows: Vec<(f64, u64)> = scored(&golden()).iter().map(|&(p, y)| ((p * 1e3).round() / 1e3, y)).collect();
    // beside them scores on the edges of 3, 7 and 15 bins
    let edges = (1..15).map(|k| f64::from(k) / 15.0).chain((1..7).map(|k| f64::from(k) / 7.0));
    let rows: Vec<(f64, u64)> =
        rows.into_iter().chain(edges.enumerate().map(|(i, p)| (p, (i % 3 == 0).into()))).collect();
    let computed = rows.iter().map(|&(p, y)| (1.0 - p, y));
    let short = |p: f64| (p * 1e3).round() / 1e3;
    let shortest = |p: f64| if (short(p) - p).abs() < 1e-12 { short(p) } else { p };
    let rounded = rows.iter().map(|&(p, y)| (shortest(1.0 - p), y));
    let metrics = ["auroc", "prr", "ks", "ece", "mce", "ace", "debiased_ece_l2", "brier", "mean_gap", "slope"];
    for view in ["positive", "top_label"] {
        for bins in [json!(15), json!(7), json!(100), json!({ "count": 10, "scheme": "equal_mass_rank" })] {
            let run = |text: &str| {
                open(text, json!({ "view": view, "positive": "ill" })).run(json!({
                    "methods": ["none", "isotonic", "histogram", "venn_abers"],
                    "metrics": metrics, "bins": bins, "resamples": 0,
                }))
            };
            let here = run(&file("p_ill", rows.clone()));
            let there = [run(&file("p_well", computed.clone())), run(&file("p_well", rounded.clone()))];
            for (k, there) in there.iter().enumerate() {
                for method in ["none", "isotonic", "histogram", "venn_abers"] {
                    for id in metrics {
                        let (a, b) = (here.metric(method, id).value, there.metric(method, id).value);
                        match (a, b) {
                            (Some(a), Some(b)) => {
                                assert!((a - b).abs() < 1e-9, "{view} {bins} {method} {id} {k}: {a} {b}")
                            }
                            (a, b) => assert_eq!(a, b, "{view} {bins} {method} {id} {k}"),
                        }
                    }
                }
            }
        }
    }
}
