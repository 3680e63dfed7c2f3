//! Small files that once brought the program down.

use super::*;

fn csv(rows: usize) -> String {
    let mut text = "p,x1,site,label\n".to_owned();
    for i in 0..rows {
        let p = (i * 37 % 97) as f64 / 97.0;
        text += &format!("{p},{},{},{}\n", i * 13 % 11, ["a", "b"][i % 2], usize::from(i * 7 % 5 < 2));
    }
    text
}

/// A clip of 0 leaves scores of 0 and 1 without log-odds.
#[test]
fn a_clip_of_nothing_is_refused() {
    let data = open("p,y\n0,0\n1,1\n.4,0\n.6,1\n0,0\n1,1\n.4,0\n.6,1\n", json!({ "split": { "first": 4 } }));
    let platt = |clip: f64| json!({ "methods": ["none", { "id": "platt", "parameters": { "prob_clip": clip } }], "resamples": 5 });
    let error = data.try_run(platt(0.0)).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "invalid_option");
    assert!(error.to_string().starts_with("prob_clip is 0;"), "{error}");
    let ran = data.run(platt(f64::EPSILON));
    assert!(ran.value("platt", "auroc") <= 1.0);
}

/// Weights so small that their squares are 0 count for nothing, and that is said.
#[test]
fn weights_that_vanish() {
    for tiny in ["1e-170", "5e-324", "1e-101"] {
        let text = format!("p,label,weight\n.2,0,1\n.4,1,1\n.6,0,{tiny}\n.97,1,1\n.3,1,{tiny}\n.1,0,2\n");
        for split in [json!({ "first": 2 }), json!({ "folds": 2 })] {
            let data = open(&text, json!({ "split": split }));
            let ran = data.run(json!({ "methods": ["none", "platt", "histogram"], "resamples": 20 }));
            assert_sound(&ran, tiny);
            assert_drawn(&data, &ran, tiny);
            let Outcome::Data(localcal::job::DataSet { summary, .. }) = &data.0 else { panic!("no data") };
            let told = summary.warnings.iter().any(|w| w.message.contains("2 rows of weight 0 are ignored"));
            assert!(told, "{:?}", summary.warnings);
        }
    }
}

/// A matrix where each row has one value.
#[test]
fn an_array_is_no_confidence() {
    let values: Vec<u8> = (0..24).flat_map(|i| (f64::from(i) / 24.0).to_le_bytes()).collect();
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (8, 3), }\n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values);
    for role in ["confidence", "probability", "logit", "correct", "weight", "split"] {
        for rows in ["error", "drop"] {
            let roles = json!({ "conf": role });
            let options = json!({ "roles": roles, "rows": rows });
            match try_open(&[("conf.npy", &bytes)], options) {
                Ok(data) => {
                    let outcome = data.try_run(json!({ "resamples": 0 }));
                    assert!(outcome.is_err(), "{role} {rows}");
                    let job = Job::Call(Call::ExportPredictions { identifiers: None });
                    let _ = run(&job, &[&data.0], vec![], &mut |_| ());
                }
                Err(error) => assert!(!error.hint().is_empty(), "{role} {rows}: {error}"),
            }
        }
    }
    let error = try_open(&[("conf.npy", &bytes)], json!({ "roles": { "conf": "confidence" }, "rows": "drop" }));
    let error = error.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "not_a_number");
    assert!(error.to_string().contains("is an array of 3 columns, not one value per row"), "{error}");
}

#[test]
fn no_figure_is_as_wide_as_the_world() {
    let data = open(&csv(20), json!({ "roles": { "x1": "feature", "site": "group" }, "split": { "first": 10 } }));
    let ran = data.run(json!({ "resamples": 0, "local": { "features": ["x1"] } }));
    for width in [1e300, 1e9, 0.0, -5.0] {
        let asked = json!({ "bias_plot": { "covariate": "x1", "width": width } });
        let error = data.try_analyse(&ran, asked).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        assert!(error.to_string().contains("a number from 1 to 10,000"), "{error}");
    }
    for width in [1.0, 10_000.0] {
        let asked = json!({ "bias_plot": { "covariate": "x1", "width": width } });
        assert!(data.try_analyse(&ran, asked).is_ok());
    }
}
