//! Feature maps with names, through jobs as a pool runs them.

use crate::support::draws::park_miller;
use crate::support::pipeline::{asked, carried_out, open, planned, request, text};
use crate::support::workers::sent;
use localcal::feature::projection::Coordinates;
use localcal::job::{Call, DataSet, Job, JobInputs, Outcome, run};
use serde_json::{Value, json};

/// 240 rows: label, probability, four numeric columns of which two say the same, a text column.
fn csv() -> String {
    let mut text = String::from("label,p,a,b,c,d,site\n");
    let mut next = park_miller(9);
    for i in 0..240 {
        let (a, b, p) = (next() + f64::from(i % 2) * 5.0, next(), next());
        let (label, site) = (u8::from(next() < p), ["x", "y", "z"][i as usize % 3]);
        text += &format!("{label},{p},{a},{b},{},{},{site}\n", 2.0 * a + 1.0, next() * 0.1);
    }
    text
}

fn data() -> Outcome {
    let roles = json!({ "a": "feature", "b": "feature", "c": "feature", "d": "feature", "site": "group" });
    open(&csv(), json!({ "roles": roles })).0
}

fn project<'a>(projection: Value, given: impl Into<JobInputs<'a>>) -> localcal::Result<Outcome> {
    // as it arrives in another worker
    Ok(sent(&asked(Call::Project { projection: request(projection) }, given)?))
}

fn coordinates(outcome: &Outcome) -> &Coordinates {
    match outcome {
        Outcome::Coordinates(found) => found,
        other => panic!("not coordinates: {other:?}"),
    }
}

/// A run with feature maps beside the needs of every job, as in the pool.
fn ran(written: Value, data: &Outcome, maps: &[&Outcome]) -> localcal::Result<Outcome> {
    carried_out(Call::Plan { request: request(written) }, JobInputs { needs: &[data], maps })
}

#[test]
fn components_have_a_name_a_text_and_a_linear_map() {
    let data = data();
    let outcome = project(json!({ "pca": 2, "scale": "standardise" }), &[&data]).unwrap();
    let found = coordinates(&outcome);
    assert_eq!(found.name, "pca 2 of standardized 4 columns");
    assert_eq!(found.names, ["pca 2 of standardized 4 columns[1]", "pca 2 of standardized 4 columns[2]"]);
    assert!(found.text.starts_with("2 principal components of standardized 4 columns, fitted on all 240 rows, "));
    assert!((0.7..1.0).contains(&found.variance_share.unwrap()));
    assert!(found.median_distance.unwrap() > 0.0);
    // The linear map, applied to the columns, gives the coordinates.
    let map = found.projection.as_ref().unwrap();
    assert_eq!(map.of, ["a", "b", "c", "d"]);
    for (i, line) in csv().lines().skip(1).enumerate() {
        let cells: Vec<f64> = line.split(',').skip(2).take(4).map(|x| x.parse().unwrap()).collect();
        for c in 0..2 {
            let there: f64 = (0..4).map(|k| map.components[4 * c + k] * (cells[k] - map.mean[k])).sum();
            assert!((there - found.values[2 * i + c]).abs() < 1e-9);
        }
    }
    // A scale alone is a linear map too.
    let outcome = project(json!({ "of": ["a", "site"], "scale": "median_l1", "name": "near" }), &[&data]).unwrap();
    let found = coordinates(&outcome);
    assert_eq!((found.coordinates, found.name.as_str()), (4, "near"));
    assert_eq!(found.projection.as_ref().unwrap().of, ["a", "site = x", "site = y", "site = z"]);
    assert!((found.median_distance.unwrap() - 1.0).abs() < 1e-9);
}

#[test]
fn features_by_name_are_the_same_numbers_as_components_in_place() {
    let data = data();
    let map = project(json!({ "pca": 2, "name": "two" }), &[&data]).unwrap();
    let by = |features: Value| {
        json!({ "methods": ["none", { "id": "lore", "parameters": { "features": features } }],
            "local": { "features": features, "gamma": 0.5 }, "resamples": 0 })
    };
    let of = json!(["a", "b", "c", "d"]);
    let named = ran(by(json!("two")), &data, &[&map]).unwrap();
    let place = ran(by(json!({ "pca": 2, "of": of })), &data, &[]).unwrap();
    let (Outcome::Report(named_run), Outcome::Report(place)) = (&named, &place) else { panic!("reports") };
    // Under folds LoRe's own components differ from fold to fold; the metric's do not.
    let slce = |run: &localcal::report::RunOutcome| run.report.local.as_ref().unwrap().slce.to_vec();
    assert_eq!(slce(named_run), slce(place));
    // The calibrator says how new rows get their coordinates.
    let stored =
        asked(Call::ExportCalibrator { suppress: None }, JobInputs { needs: &[&data, &named], maps: &[&map] }).unwrap();
    let json: Value = serde_json::from_str(&text(stored)).unwrap();
    let projection = &json["methods"][0]["parameters"]["projection"];
    assert_eq!(projection["of"], of);
    assert_eq!(projection["components"].as_array().unwrap().len(), 8);
    // Without the map the name means nothing.
    assert_eq!(ran(by(json!("two")), &data, &[]).unwrap_err().code(), "unknown_column");
}

#[test]
fn a_map_of_a_map_and_the_default_columns() {
    let data = data();
    let pca = project(json!({ "pca": 3 }), &[&data]).unwrap();
    let name = coordinates(&pca).name.clone();
    assert_eq!(name, "pca 3 of 4 columns");
    let tsne = json!({ "of": [name], "tsne": { "iterations": 50, "perplexity": 10, "seed": 4 } });
    let mut pictures = 0;
    let job = Job::Call(Call::Project { projection: request(tsne) });
    let found = run(&job, JobInputs { needs: &[&data], maps: &[&pca] }, vec![], &mut |told| {
        pictures += usize::from(told.places.is_some_and(|(d, places)| d == 2 && places.len() == 480));
    })
    .unwrap();
    assert!(pictures >= 2);
    let found = coordinates(&found);
    assert_eq!(
        found.text,
        "t-SNE of pca 3 of 4 columns (3 columns); perplexity 10, seed 4, 50 iterations, all 240 rows together"
    );
    assert!(found.projection.is_none() && found.variance_share.is_none());
    // Default columns are those of the file, not the maps; a default name that is taken gets a number.
    let again = project(json!({ "pca": 3 }), JobInputs { needs: &[&data], maps: &[&pca] }).unwrap();
    assert_eq!(coordinates(&again).name, "pca 3 of 4 columns (2)");
    assert_eq!(coordinates(&again).values, coordinates(&pca).values);
}

#[test]
fn fitted_on_calibration_rows() {
    let text: String = csv()
        .lines()
        .enumerate()
        .map(|(i, line)| {
            format!(
                "{line},{}\n",
                if i == 0 {
                    "split"
                } else if i % 3 == 0 {
                    "cal"
                } else {
                    "test"
                }
            )
        })
        .collect();
    let data = open(&text, json!({})).0;
    let outcome = project(json!({ "of": ["a", "b"], "pca": 1 }), &[&data]).unwrap();
    let found = coordinates(&outcome);
    assert!(found.text.contains("fitted on 80 calibration rows"), "{}", found.text);
    let calibrates = found.values.iter().enumerate().filter(|(i, _)| (i + 1) % 3 == 0);
    assert!(calibrates.map(|(_, x)| x).sum::<f64>().abs() < 1e-9);
}

#[test]
fn coordinates_as_csv_open_again() {
    let data = data();
    let map = project(json!({ "of": ["a", "b", "d"], "pca": 2, "name": "two" }), &[&data]).unwrap();
    let call = Call::ExportCoordinates { name: "two".into(), identifiers: None };
    let text = text(asked(call, JobInputs { needs: &[&data], maps: &[&map] }).unwrap());
    assert!(text.starts_with("row,two[1],two[2]\n1,"));
    // Beside the predictions, as columns.
    let both: String = csv().lines().zip(text.lines()).map(|(a, b)| format!("{a},{b}\n")).collect();
    let again = open(&both, json!({ "roles": { "two[1]": "feature", "two[2]": "feature" } })).0;
    let found = project(json!({ "of": ["two[1]", "two[2]"], "pca": 2 }), &[&again]).unwrap();
    assert!((coordinates(&found).variance_share.unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_projected() {
    let data = data();
    let code = |request: Value| project(request, &[&data]).unwrap_err().code();
    assert_eq!(code(json!({})), "invalid_option");
    assert_eq!(code(json!({ "pca": 0 })), "invalid_option");
    assert_eq!(code(json!({ "pca": 2, "name": "a" })), "invalid_option");
    assert_eq!(code(json!({ "pca": 2, "name": " " })), "invalid_option");
    assert_eq!(code(json!({ "tsne": { "perplexity": 100 } })), "invalid_option");
    assert_eq!(code(json!({ "pca": 2, "of": ["nothing"] })), "unknown_column");
    assert_eq!(code(json!({ "pca": 2, "of": [] })), "features_missing");
    let few = open("label,p,x,z\n1,0.9,1,2\n0,0.2,2,3\n1,0.7,4,1\n", json!({})).0;
    let tsne = project(json!({ "of": ["x", "z"], "tsne": {} }), &[&few]);
    assert_eq!(tsne.unwrap_err().code(), "too_few_rows");
    let hole = csv().replacen(",x\n", ",\n", 1);
    let hole = open(&hole, json!({})).0;
    let found = project(json!({ "of": ["site"], "scale": "standardise" }), &[&hole]).unwrap();
    let map = coordinates(&found);
    assert!(map.text.ends_with("site is empty in 1 of 240 rows: it has no neighbors"), "{}", map.text);
    let first = &map.values[..map.coordinates];
    assert!(first.iter().any(|value| value.is_nan()) && map.values[map.coordinates..].iter().all(|v| v.is_finite()));
}

#[test]
fn wide_tables_get_a_projection_as_suggestion() {
    let mut text = String::from("label,p");
    (0..300).for_each(|k| text += &format!(",x{k}"));
    text.push('\n');
    for i in 0..5000u32 {
        text += &format!("{},0.{}", i / 10 % 2, 1 + i % 9);
        (0..300u32).for_each(|k| text += &format!(",{}", (i * 7 + k * 13) % 10));
        text.push('\n');
    }
    let roles: serde_json::Map<String, Value> = (0..300).map(|k| (format!("x{k}"), "feature".into())).collect();
    let wide = open(&text, json!({ "roles": roles })).0;
    let Outcome::Data(DataSet { suggestion: Some(suggestion), .. }) = &wide else { panic!("a suggestion") };
    let json = serde_json::to_value(suggestion).unwrap();
    assert_eq!(json["features"], "pca 2 of 300 columns");
    assert_eq!(json["project"]["name"], "pca 2 of 300 columns");
    assert!(json.get("gamma").is_none());
    let found = project(json["project"].clone(), &[&wide]).unwrap();
    assert_eq!(coordinates(&found).coordinates, 2);
    let Outcome::Data(DataSet { suggestion: Some(narrow), .. }) = data() else { panic!("a suggestion") };
    assert!(narrow.project.is_none() && narrow.gamma.is_some());
}

#[test]
fn what_is_offered_is_what_a_run_takes() {
    let data = data();
    let Outcome::Data(DataSet { offer, .. }) = &data else { panic!("data") };
    assert_eq!(offer.columns, ["a", "b", "c", "d"]);
    let names: Vec<&str> = offer.maps.iter().map(|map| map.name.as_str()).collect();
    assert_eq!(names, ["two principal components", "all 4 columns"]);
    assert!(offer.methods.iter().take(5).all(|method| method.usual));
    let plan = |written: Value| planned(Call::Plan { request: request(written) }, &[&data]);
    for method in &offer.methods {
        plan(json!({ "methods": ["none", method.id], "local": { "features": ["a", "b"] } }))
            .unwrap_or_else(|error| panic!("{}: {error}", method.id));
    }
    for map in &offer.maps {
        plan(json!({ "local": { "features": map.features } })).unwrap();
    }
    // A column with a gap does not say where a row is.
    let text = csv();
    let first = text.lines().nth(1).unwrap();
    let mut cells: Vec<&str> = first.split(',').collect();
    cells[5] = "";
    let gap = text.replacen(first, &cells.join(","), 1);
    let roles = json!({ "roles": { "a": "feature", "b": "feature", "c": "feature", "d": "feature" } });
    let Outcome::Data(DataSet { offer, summary, .. }) = open(&gap, roles).0 else { panic!("data") };
    assert_eq!(offer.columns, ["a", "b", "c"], "{:?}", summary.warnings);
}
