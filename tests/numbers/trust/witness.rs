//! The witness, and scores corrected by it.

use localcal::analysis::witness::WitnessOutcome;
use localcal::error::Error;
use localcal::job::{Call, Job, Outcome, run};
use localcal::metric::Reason;
use localcal::report::sheet::{Block, FieldKind};
use localcal::report::view::method_rows;
use serde_json::{Value, json};

use super::made::rows;
use crate::support::pipeline::{Opened, Ran, csv, near, open, planned, request};
use crate::support::public::public;
use crate::support::sheet::{figures, reading};

fn witness(data: &Opened, ran: &Ran, options: Value) -> Result<WitnessOutcome, Error> {
    match data.try_analyse(ran, json!({ "witness": options }))? {
        Outcome::Witness(found) => Ok(found),
        other => panic!("not a witness: {other:?}"),
    }
}

/// heart.csv with the scores of the specification, 11.1: p, y, age, female.
pub fn heart() -> Option<String> {
    let text = String::from_utf8(public("heart.csv")?).unwrap();
    let mut columns = [const { Vec::new() }; 4];
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |k: usize| cells[k].parse::<f64>().unwrap();
        let angina = f64::from(u8::from(cells[8] == "Y"));
        let z = 0.05 * (number(0) - 54.0) + 1.2 * angina + number(9) - 0.6;
        let p = 1.0 / (1.0 + (-z).exp());
        let female = f64::from(u8::from(cells[1] == "F"));
        for (column, value) in columns.iter_mut().zip([(p * 1e12).round() / 1e12, number(11), number(0), female]) {
            column.push(value);
        }
    }
    let [p, y, age, female] = columns;
    Some(csv(&[("p", p), ("y", y), ("age", age), ("female", female)]))
}

/// The specification, 11.1, the row "LCB product, γ=.5, self included".
#[test]
fn heart_disease() {
    let Some(text) = heart() else { return };
    let data = open(&text, json!({ "roles": { "age": "feature", "female": "feature" } }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let options = json!({ "features": ["age", "female"], "gamma": 0.5 });
    let found = witness(&data, &ran, options).unwrap();
    assert_eq!(found.rows.len(), 918);
    for (ours, theirs) in found.lcb.iter().zip([-0.0032300242, 0.0603714558, -0.0269812926]) {
        near(*ours, theirs, 1e-9);
    }
    let (mut low, mut high, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for lcb in found.lcb.iter() {
        (low, high, sum) = (low.min(*lcb), high.max(*lcb), sum + lcb);
    }
    near(low, -0.5138644855, 1e-9);
    near(high, 0.8990318576, 1e-9);
    near(sum / 918.0, -0.0498854284, 1e-9);
    assert!(
        // Single rows lie beyond chance; the largest of so many places does not.
        reading(&found.sheet).starts_with("No location is significantly miscalibrated"),
        "{:?}",
        found.sheet
    );
}

#[test]
fn the_sheet_names_the_miscalibrated_subgroups() {
    let data = open(&rows(3000, 5), json!({}));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none", "group_histogram"] }));
    let features = json!(["x", "site"]);
    // γ = 4 keeps the sites apart.
    let found = witness(&data, &ran, json!({ "features": features, "gamma": 4, "width": 400 })).unwrap();
    let words = reading(&found.sheet);
    assert!(words.contains("site = A") || words.contains("site = B"), "{words}");
    assert!(words.contains("mean local error "), "{words}");
    // What is shown is score − outcome, whatever the sign of the LCB: where scores are too high it is positive.
    let sides = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    for side in &sides.expect("a table").rows {
        let (word, error) = (&side[0].text, side[5].number.expect("a number"));
        assert_eq!(word.contains("overestimated"), error > 0.0, "{word} {error}");
    }
    let map = figures(&found.sheet)[0];
    let number = |text: &str| text.split('\u{a0}').next().unwrap().replace('−', "-").parse::<f64>();
    let shown = map.table.rows.iter().map(|row| number(&row[4]).expect("points"));
    let lcb = found.lcb.iter().copied();
    let (low, high) = lcb.fold((0.0_f64, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    for error in shown {
        assert!((-100.0 * high - 0.1..=0.1 - 100.0 * low).contains(&error), "{error}");
    }
    assert_eq!(map.width, 400.0);
    assert!(map.caption.contains("at any score"), "{}", map.caption);
    assert!(!map.table.rows.is_empty());
    // The bias of sites is what was put in: 15 points either way.
    let site = |row: u32| rows(3000, 5).lines().nth(row as usize + 1).unwrap().to_owned();
    let mean = |wanted: &str| {
        let of: Vec<f64> = found
            .rows
            .iter()
            .zip(found.lcb.iter())
            .step_by(17)
            .filter(|(row, _)| site(**row).contains(wanted))
            .map(|(_, lcb)| *lcb)
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    assert!((mean(",A,") + 0.15).abs() < 0.05, "{}", mean(",A,"));
    assert!((mean(",B,") - 0.15).abs() < 0.05, "{}", mean(",B,"));
    assert!(mean(",C,").abs() < 0.05, "{}", mean(",C,"));
    let after = witness(&data, &ran, json!({ "features": features, "gamma": 4, "method": "group_histogram" })).unwrap();
    assert!(after.mean_size < found.mean_size);
    // One covariate: the score is the other direction of the map.
    let one = witness(&data, &ran, json!({ "features": ["x"], "gamma": 4, "leave_one_out": true })).unwrap();
    assert!(figures(&one.sheet)[0].caption.contains("the same at every place"));
    assert!(one.lcb.iter().zip(found.lcb.iter()).any(|(a, b)| a != b));
    let fixed =
        witness(&data, &ran, json!({ "features": features, "gamma": 4, "at": 0.3, "x": "x", "y": "score" })).unwrap();
    assert_eq!(fixed.lcb, found.lcb);
}

#[test]
fn nothing_wrong_is_said_and_so_is_too_little() {
    // Outcomes that follow the scores as evenly as can be.
    let mut text = String::from("p,y,x\n");
    for i in 0..600 {
        text += &format!("0.5,{},{}\n", i % 2, f64::from(i / 2 % 10));
    }
    let data = open(&text, json!({ "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let found = witness(&data, &ran, json!({ "features": ["x"], "gamma": 1 })).unwrap();
    assert_eq!(
        reading(&found.sheet),
        "No location is significantly miscalibrated (adjusted p\u{a0}=\u{a0}1.00); 600 of 600 rows have enough neighbors to be \
         tested."
    );
    let data = open(&rows(60, 1), json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let found = witness(&data, &ran, json!({ "features": ["x"], "gamma": 1e6, "width_p": 0.001 })).unwrap();
    assert!(reading(&found.sheet).starts_with("No row has 20 effective neighbors"));
    assert_eq!(found.largest, None);
    assert!(
        found.sheet.blocks.iter().any(|block| matches!(block, Block::Note(words) if words.contains("almost no rows")))
    );
    // A γ that nobody asked for adapts, and says so.
    let wide = rows(300, 1)
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if i > 0 {
                cells[2] = (1000.0 * cells[2].parse::<f64>().unwrap()).to_string();
            }
            cells.join(",") + "\n"
        })
        .collect::<String>();
    let data = open(&wide, json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let found = witness(&data, &ran, json!({ "features": ["x"] })).unwrap();
    assert!((1e-8..1e-5).contains(&found.gamma), "{}", found.gamma);
    assert!(
        found.sheet.blocks.iter().any(|block| matches!(block, Block::Note(words) if words.contains("is used instead")))
    );
}

/// γ = 0 compares everybody; the form shows the 0, and widths that are hardly above it as they are.
#[test]
fn a_gamma_of_zero_is_shown_as_one() {
    let data = open(&rows(100, 1), json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    for gamma in [0.0, 1e-320, 1e-300, 0.123_4, 1e100] {
        let found = witness(&data, &ran, json!({ "features": ["x"], "gamma": gamma })).unwrap();
        let field = found.sheet.fields.iter().find(|field| field.option == "gamma");
        let shown = field.map(|field| field.kind.clone());
        let Some(FieldKind::Number { value, .. }) = shown else { panic!("not a number: {shown:?}") };
        let value = value.expect("a number");
        assert!((value - gamma).abs() <= 0.005 * gamma, "{value} for {gamma}");
    }
}

#[test]
fn a_method_that_could_not_be_fitted_is_not_one_that_was_not_run() {
    // without features there are no similar rows, and LoRe cannot be fitted
    let data = open("y,p\n1,0.9\n0,0.2\n1,0.7\n0,0.4\n", json!({}));
    let ran = data.run(json!({ "methods": ["none", "lore"], "evaluate_on": "all", "resamples": 0 }));
    let error = method_rows(ran.outcome(), Some("lore")).unwrap_err();
    assert_eq!(error.code(), "unknown_method");
    assert!(error.to_string().contains("LoRe (local recalibration) could not be fitted to these rows."), "{error}");
}

#[test]
fn bad_options_are_told() {
    let data = open(&rows(100, 1), json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    for (options, code, words) in [
        (json!({ "width_p": 0 }), "invalid_option", "width_p is 0; it must be"),
        (json!({ "gamma": -2 }), "invalid_option", "gamma is -2; it must be"),
        (json!({ "method": "lcb" }), "unknown_method", "does not include this method"),
        (json!({ "x": "nowhere" }), "unknown_column", "`nowhere`"),
        (json!({ "x": "score" }), "invalid_option", "the same coordinate"),
        (json!({ "at": 1.5 }), "invalid_option", "at is 1.5; it must be"),
        (json!({ "features": ["height"] }), "unknown_column", "`height`"),
    ] {
        let mut options = options;
        if options.get("features").is_none() {
            options["features"] = json!(["x"]);
        }
        let error = witness(&data, &ran, options).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    // A step without its needs is a fault of the program that is told and named, not a panic.
    let request = request(json!({ "witness": { "features": ["x"] } }));
    let nodes = planned(Call::PlanAnalysis { request }, &[&data.0, &ran.0]).unwrap();
    let part = nodes.iter().find(|node| matches!(node.job, Job::EstimateBias(_))).unwrap();
    let told = |needs: &[&Outcome]| {
        let error = run(&part.job, needs, vec![], &mut |_| ()).unwrap_err();
        assert_eq!(error.code(), "internal");
        error.to_string()
    };
    assert_eq!(told(&[]), "`EstimateBias` needs 1 outcomes and received 0.");
    let other = "`EstimateBias` is missing an input: WitnessInput, outcome 2; something else is there.";
    assert_eq!(told(&[&data.0]), other);
}

/// The specification, 4.5: p″ = clip(p′ + LCB), by hand from the exported calibrator.
#[test]
fn corrected_scores_by_hand() {
    let text = rows(400, 6);
    let data = open(&text, json!({ "split": { "first": 250 }, "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none",
        { "id": "lcb", "parameters": { "features": ["x"], "gamma": 2 } },
        { "id": "lcb", "name": "ewf", "parameters": { "features": ["x"], "form": "concatenated" } },
        { "id": "lcb", "name": "krr", "parameters": { "features": ["x"], "form": "krr" } },
        { "id": "lcb", "name": "flat", "parameters": { "features": ["x"], "form": "concatenated", "gamma": 1e-12 } } ] }));
    let fits = data.calibrators(&ran);
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let cells: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').take(3).map(|cell| cell.parse().unwrap()).collect()).collect();
    for name in ["lcb", "ewf", "krr"] {
        let fit = &fits[name];
        let (x, s, t) = (numbers(&fit["x"]), numbers(&fit["score"]), numbers(&fit["target"]));
        let gamma = fit["gamma"].as_f64().unwrap();
        let of_p = fit["width_p"].as_f64().map_or(gamma, |w| w.powi(-2));
        for (&row, &ours) in ran.rows(name).rows.iter().zip(ran.rows(name).score.iter()) {
            let here = &cells[row as usize];
            let k = |i: usize| (-gamma * (x[i] - here[2]).powi(2) - of_p * (s[i] - here[0]).powi(2)).exp();
            let bias = if name == "krr" {
                let alpha = numbers(&fit["alpha"]);
                (0..x.len()).map(|i| k(i) * alpha[i]).sum::<f64>()
            } else {
                (0..x.len()).map(|i| k(i) * (t[i] - s[i])).sum::<f64>() / (0..x.len()).map(k).sum::<f64>()
            };
            near(ours, (here[0] + bias).clamp(0.0, 1.0), 1e-9);
        }
    }
    // A constant kernel adds the mean residual.
    let mean = cells[..250].iter().map(|c| c[1] - c[0]).sum::<f64>() / 250.0;
    for (&row, &ours) in ran.rows("flat").rows.iter().zip(ran.rows("flat").score.iter()) {
        near(ours, cells[row as usize][0] + mean, 1e-9);
    }
}

#[test]
fn rows_that_leave_the_unit_interval_are_counted() {
    // Calibration says that low scores never and high scores always happen.
    let mut text = String::from("p,y,x\n");
    for i in 0..200 {
        let high = i % 2 == 0;
        let p = if high { 0.8 } else { 0.2 } + 0.001 * f64::from(i % 7 - 3);
        text += &format!("{p},{},{}\n", u8::from(high), f64::from(i % 5));
    }
    let data = open(&text, json!({ "split": { "first": 100 }, "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none",
        { "id": "lcb", "parameters": { "features": ["x"], "gamma": 0.1 } }] }));
    let warnings = &ran.method("lcb").warnings;
    let cut = warnings.iter().find(|w| w.code == "clipped").expect("some are");
    assert!(cut.message.contains("of 100 corrected scores were outside [0, 1]"), "{cut:?}");
    assert!(ran.rows("lcb").score.iter().all(|p| (0.0..=1.0).contains(p)));
    for (parameters, words) in [
        (json!({ "features": ["x"], "ridge": 0 }), "ridge is 0"),
        (json!({ "features": ["x"], "width_p": -1 }), "width_p is -1"),
        (json!({ "features": ["x"], "form": "cubic" }), "unknown variant `cubic`"),
    ] {
        let request = json!({ "methods": [{ "id": "lcb", "parameters": parameters }] });
        let error = data.try_run(request).expect_err("refused");
        assert!(error.to_string().contains(words), "{error}");
    }
    let bare = data.run(json!({ "resamples": 0, "methods": ["none", "lcb"] }));
    assert_eq!(bare.metric("lcb", "ece").reason.as_ref().map(Reason::text).as_deref(), Some("features_missing"));
}

/// γ of the concatenated form is also the width in the score: covariates in other units get a warning, not another γ.
#[test]
fn the_concatenated_form_keeps_its_gamma() {
    let text = rows(400, 6);
    let years: String = text
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let cells: Vec<&str> = line.split(',').collect();
            let x = if i == 0 { cells[2].to_owned() } else { format!("{}", cells[2].parse::<f64>().unwrap() * 1e4) };
            format!("{},{},{x}\n", cells[0], cells[1])
        })
        .collect();
    let data = open(&years, json!({ "split": { "first": 250 }, "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none",
        { "id": "lcb", "name": "ewf", "parameters": { "features": ["x"], "form": "concatenated" } },
        { "id": "lcb", "name": "krr", "parameters": { "features": ["x"], "form": "krr" } },
        { "id": "lcb", "name": "product", "parameters": { "features": ["x"] } }] }));
    let fits = data.calibrators(&ran);
    for (name, kept) in [("ewf", true), ("krr", true), ("product", false)] {
        let gamma = fits[name]["gamma"].as_f64();
        assert_eq!(gamma == Some(0.5), kept, "{name}: {gamma:?}");
    }
}

/// In the top-label view the bias of (confidence, correct) is added, and the vector is lifted.
#[test]
fn in_the_top_label_view_it_acts_on_confidence() {
    let data = open(&rows(500, 7), json!({ "view": "top_label", "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "resamples": 0, "methods": ["none",
        { "id": "lcb", "parameters": { "features": ["x", "site"], "form": "concatenated" } }] }));
    near(ran.value("lcb", "accuracy"), ran.value("none", "accuracy"), 0.0);
    // Two classes: the vector is (1 − c′, c′), its Brier score twice that of the pair.
    near(ran.value("lcb", "brier"), 2.0 * ran.value("lcb", "brier_top"), 1e-12);
    assert!(ran.value("lcb", "mean_gap").abs() < ran.value("none", "mean_gap").abs() + 0.01);
}
