//! A feature that is empty in some rows: what looks at near rows leaves them out and says so, and its numbers are those of
//! the same file without these rows.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, Ran, asked, open, request};
use localcal::job::reply::reply;
use localcal::job::{Call, Outcome};
use localcal::table::Array;
use localcal::table::column::with_columns_out;
use serde_json::{Value, json};

const METHODS: [&str; 8] = [
    "none",
    "temperature",
    "lore",
    "lore_ridge",
    "lcb",
    "none+density_ratio",
    "none+bin_mean_shift",
    "histogram+proximity_stratified",
];
/// What a method fitted on the rows with a place alone says of them.
const BY_PLACE: [&str; 7] = [
    "none",
    "lore",
    "lore_ridge",
    "lcb",
    "none+density_ratio",
    "none+bin_mean_shift",
    "histogram+proximity_stratified",
];

/// Rows of which one in six has no `bmi`; where `whole` they are not there at all.
fn file(whole: bool) -> String {
    let mut next = park_miller(5);
    let mut text = "risk,died,age,bmi,ward,split\n".to_owned();
    for i in 0..720 {
        let (age, bmi, s) = (20.0 + 60.0 * next(), 18.0 + 20.0 * next(), 0.05 + 0.9 * next());
        let truth = if bmi > 30.0 { (s + 0.25).min(0.97) } else { s };
        let died = u8::from(next() < truth);
        let (gap, ward) = (next() < 1.0 / 6.0, ["A", "B", "C"][i % 3]);
        let split = if i % 2 == 0 { "calibration" } else { "test" };
        match (gap, whole) {
            (true, true) => continue,
            (true, false) => text += &format!("{s},{died},{age},,{ward},{split}\n"),
            _ => text += &format!("{s},{died},{age},{bmi},{ward},{split}\n"),
        }
    }
    text
}

fn opened(whole: bool) -> Opened {
    let roles = json!({ "risk": "probability", "died": "label", "age": "feature", "bmi": "feature", "ward": "group" });
    open(&file(whole), json!({ "roles": roles, "positive": "1" }))
}

fn ran(data: &Opened, features: &Value) -> Ran {
    data.run(json!({
        "methods": METHODS, "resamples": 20,
        "metrics": ["ece", "mlce", "mean_lce", "piece", "piece_code", "bias_index", "klce2_unbiased", "p_bernoulli"],
        "local": { "features": features, "gamma": 2.0, "resamples": 5 },
        "klce": { "features": features, "resamples": 40 },
        "proximity": { "features": features },
    }))
}

/// Positions, among the scored rows, of those with a place.
fn placed(data: &Opened, ran: &Ran) -> Vec<usize> {
    let columns = &data.predictions().table.columns;
    let bmi = columns.iter().find(|column| column.name == "bmi").unwrap();
    let localcal::table::Values::Numbers(bmi) = &bmi.values else { panic!("numbers") };
    let rows = &ran.rows("none").rows;
    (0..rows.len()).filter(|&i| bmi[rows[i] as usize].is_finite()).collect()
}

#[test]
fn a_run_gives_the_numbers_of_the_file_without_these_rows() {
    for features in [json!(["age", "bmi"]), json!({ "pca": 2, "of": ["age", "bmi"] })] {
        let (gaps, whole) = (opened(false), opened(true));
        let (with, without) = (ran(&gaps, &features), ran(&whole, &features));
        let all = with.rows("none").rows.len();
        let placed = placed(&gaps, &with);
        assert!(placed.len() < all - 30 && placed.len() == without.rows("none").rows.len());
        for name in BY_PLACE {
            let ours: Vec<f64> = placed.iter().map(|&i| with.rows(name).score[i]).collect();
            assert_eq!(ours, *without.rows(name).score, "{name} {features}");
            for id in ["mlce", "mean_lce", "piece", "piece_code", "bias_index", "klce2_unbiased", "p_bernoulli"] {
                let [a, b] = [&with, &without].map(|ran| ran.value(name, id));
                assert!((a - b).abs() < 1e-12, "{name} {id} {features}: {a} {b}");
            }
        }
        let floors = |ran: &Ran| ran.metric("none", "mean_lce").floor_mean;
        assert_eq!(floors(&with), floors(&without));
        assert_ne!(with.value("none", "ece"), without.value("none", "ece"), "what looks at no place keeps every row");
        // who has no place keeps the score, and has no local error
        for name in ["lore", "lcb", "none+density_ratio", "none+bin_mean_shift", "histogram+proximity_stratified"] {
            let kept = (0..all).filter(|i| !placed.contains(i));
            let same = |i: usize| with.rows(name).score[i] == with.rows("none").score[i];
            assert!(kept.clone().all(same), "{name}");
            assert!(kept.into_iter().all(|i| with.rows(name).slce[i].is_nan()));
        }
        // and that is said
        let said = |name: &str| -> Vec<&str> {
            let of_gaps = with.method(name).warnings.iter().filter(|warning| warning.code == "rows_without_place");
            of_gaps.map(|warning| warning.message.as_str()).collect()
        };
        let left = all - placed.len();
        let text = format!("bmi is empty in {left} of {all} rows: they have no neighbors.");
        assert_eq!(said("none"), [text.as_str()]);
        assert_eq!(said("temperature"), [text.as_str()]);
        let kept = format!("{left} rows kept their score: a feature is missing, so there are no neighbors.");
        assert_eq!(said("lore"), [kept.as_str(), text.as_str()]);
        assert!(without.method("lore").warnings.iter().all(|warning| warning.code != "rows_without_place"));
    }
}

/// The answer of an analysis as scripts get it, without what is drawn and what numbers the rows.
fn answer(data: &Opened, ran: &Ran, request: &Value) -> Value {
    let found = data.try_analyse(ran, request.clone()).unwrap_or_else(|error| panic!("{request}: {error}"));
    let (told, columns) = with_columns_out(|| reply(&found));
    let mut told = told.unwrap();
    // numbers that stand in columns, one after the other, but for those of rows
    let numbers = columns.iter().filter_map(|column| match column {
        Array::F64(numbers) => Some(numbers.iter().map(|number| json!(number)).collect::<Value>()),
        _ => None,
    });
    told["numbers"] = numbers.collect();
    told
}

#[test]
fn analyses_give_the_numbers_of_the_file_without_these_rows_and_say_so() {
    let features = json!(["age", "bmi"]);
    let (gaps, whole) = (opened(false), opened(true));
    let (with, without) = (ran(&gaps, &features), ran(&whole, &features));
    let cases = [
        (
            json!({ "neighbourhoods": { "features": features, "bin": "all" } }),
            vec!["/found/0/gap", "/found/0/p", "/looked"],
        ),
        (json!({ "klce": { "features": features, "resamples": 40 } }), vec!["/methods/0", "/verdict"]),
        (
            json!({ "proximity": { "features": features, "methods": ["none"] } }),
            vec!["/methods/0/piece", "/methods/0/p_rows"],
        ),
        (
            json!({ "proximity_sweep": { "features": features, "methods": ["none"], "neighbours": [1, 5, 20] } }),
            vec!["/curves"],
        ),
        (json!({ "sweep": { "features": [features], "methods": ["none"] } }), vec!["/curves", "/numbers"]),
        (json!({ "witness": { "features": features } }), vec!["/verdict"]),
        (json!({ "bias_plot": { "covariate": "age", "features": features } }), vec!["/verdict"]),
        (json!({ "region": { "features": features, "box": [30, 60, 20, 30] } }), vec!["/n", "/gap", "/interval"]),
    ];
    for (request, pointers) in cases {
        let (a, b) = (answer(&gaps, &with, &request), answer(&whole, &without, &request));
        for pointer in pointers {
            assert!(a.pointer(pointer).is_some(), "{request} {pointer}");
            assert_eq!(a.pointer(pointer), b.pointer(pointer), "{request} {pointer}");
        }
        let [a, b] = [a, b].map(|answer| answer.to_string());
        let said = a.contains("have no neighbors") || a.contains("or a coordinate of similarity");
        assert!(said && !b.contains("left out"), "{request}: {a}");
    }
}

#[test]
fn a_map_shows_the_rows_that_have_a_place() {
    let features = json!(["age", "bmi"]);
    let (gaps, whole) = (opened(false), opened(true));
    let (with, without) = (ran(&gaps, &features), ran(&whole, &features));
    let of = |data: &Opened, ran: &Ran, bin: &str| {
        let view =
            Call::View { request: request(json!({ "map": { "features": features, "method": "lore", "bin": bin } })) };
        let found = asked(view, &[&data.0, &ran.0]).unwrap_or_else(|error| panic!("{error}"));
        match found {
            Outcome::View(found) => (found.shown.map.unwrap(), found.shown.notes),
            other => panic!("{other:?}"),
        }
    };
    for bin in ["each", "all", "worst"] {
        let ((a, notes), (b, quiet)) = (of(&gaps, &with, bin), of(&whole, &without, bin));
        assert_eq!((a.x, a.y, a.near_score, a.support), (b.x, b.y, b.near_score, b.support), "{bin}");
        assert!(notes[0].starts_with("bmi is empty in ") && !quiet[0].contains("bmi"), "{notes:?}");
    }
}

#[test]
fn a_stored_calibrator_leaves_rows_without_a_place_as_they_are() {
    let data = opened(false);
    let ran = data.run(json!({ "methods": ["lore", "none+density_ratio"], "local": { "features": ["age", "bmi"] } }));
    let stored: Value = serde_json::from_str(&data.export(Call::ExportCalibrator { suppress: None }, &ran)).unwrap();
    let text = "risk,died,age,bmi\n0.3,0,40,25\n0.6,1,50,\n0.7,1,50,31\n";
    let new =
        open(text, json!({ "roles": { "risk": "probability", "died": "label", "age": "feature", "bmi": "feature" } }));
    for method in ["lore", "none+density_ratio"] {
        let csv = new.applied(stored.clone(), Some(method)).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert!(lines[2].ends_with(",0.6,0.6") || lines[2].contains("0.6"), "{csv}");
    }
}

#[test]
fn features_that_are_empty_everywhere_are_refused_with_a_reason() {
    let data = open(
        "risk,died,x,z\n0.3,0,1,\n0.6,1,,2\n0.2,0,3,\n0.8,1,,1\n",
        json!({ "roles": { "x": "feature", "z": "feature" } }),
    );
    let error = data.try_run(json!({ "local": { "features": ["x", "z"] } })).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("x, z")), ("too_few_rows", true), "{error}");
}

/// A stored calibrator gives no number to a row that it compares with none, and counts those rows; so do the predictions.
#[test]
fn files_leave_out_what_no_row_is_near_to() {
    let data = opened(false);
    let features = json!(["age", "bmi"]);
    let by_place = ["lore", "lore_ridge", "lcb", "none+density_ratio", "histogram+proximity_stratified"];
    let ran = data.run(json!({
        "methods": ["none", "temperature", "lore", "lore_ridge", "lcb", "none+density_ratio", "histogram+proximity_stratified",
            { "id": "lore+density_ratio", "parameters": { "base": { "features": features } } }],
        "resamples": 0,
        "local": { "features": features, "gamma": 2.0, "resamples": 0 },
        "proximity": { "features": features },
    }));
    let stored = data.export(Call::ExportCalibrator { suppress: None }, &ran);
    let calibrator: Value = serde_json::from_str(&stored).unwrap();
    let text = file(false);
    let bmi: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap()).collect();
    let gaps = bmi.iter().filter(|cell| cell.is_empty()).count();
    let applied = Call::ExportApplied { calibrator, method: None, classes: true, identifiers: None };
    for (call, all) in [(applied, bmi.len()), (Call::ExportPredictions { identifiers: None }, bmi.len() / 2)] {
        let Outcome::Bytes(found) = asked(call, &[&data.0, &ran.0]).unwrap() else { panic!("a file") };
        let rows: Vec<Vec<&str>> =
            std::str::from_utf8(&found.bytes).unwrap().lines().map(|line| line.split(',').collect()).collect();
        let scored: Vec<usize> = match rows[0].iter().position(|head| *head == "set") {
            Some(set) => (0..bmi.len()).filter(|&i| rows[i + 1][set] == "evaluation").collect(),
            None => (0..bmi.len()).collect(),
        };
        assert_eq!(scored.len(), all);
        for (k, head) in rows[0].iter().enumerate() {
            let method = head.strip_prefix("p_").or_else(|| head.split_once(':').map(|(method, _)| method));
            let Some(method) = method else { continue };
            let looks = by_place.contains(&method) || method == "lore+density_ratio";
            for &i in &scored {
                assert_eq!(rows[i + 1][k].is_empty(), looks && bmi[i].is_empty(), "{head} row {i}");
            }
        }
        let without = scored.iter().filter(|&&i| bmi[i].is_empty()).count();
        assert!(without > 0 && without <= gaps);
        let note = |name: &str| {
            format!(
                "`p_{name}` is empty in {without} of {all} rows: a feature is missing there, so the method has no similar rows."
            )
        };
        let expected: Vec<String> = by_place.iter().chain(&["lore+density_ratio"]).map(|name| note(name)).collect();
        assert_eq!(found.notes, expected);
    }
}
