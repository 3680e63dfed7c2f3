//! Charts of a run in another width: they are drawn from what was found, and nothing is found again.

use localcal::job::reply::reply;
use localcal::job::{Call, Outcome};
use localcal::plot::Figure;
use localcal::plot::pdf::pdf;
use localcal::plot::svg::{print, print_width};
use localcal::report::view::DrawnView;
use localcal::table::column::{with_columns_in, with_columns_out};
use serde_json::{Value, json};

use crate::support::kinds::{Kind, Part, csv, quick_options};
use crate::support::pdf::content;
use crate::support::pipeline::{asked, open, request};

fn view(given: &[&Outcome], chart: &str, options: Value) -> Outcome {
    asked(Call::View { request: request(json!({ chart: options })) }, given).expect("a view")
}

fn drawn(outcome: &Outcome) -> &DrawnView {
    match outcome {
        Outcome::View(view) => view,
        other => panic!("not a view: {other:?}"),
    }
}

#[test]
fn another_width_finds_nothing_again() {
    let text = csv(Kind::Binary, Part::Whole);
    let flipped = text.replace(",no,", ",?,").replace(",yes,", ",no,").replace(",?,", ",yes,");
    let [(data, report), (other, other_report)] = [text, flipped].map(|text| {
        let data = open(&text, json!({}));
        let report = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 })).0;
        (data.0, report)
    });
    let settings = json!({ "features": ["x1", "x2"], "gamma": 0.3, "method": "platt", "beside": "none" });
    for (chart, options, page) in [
        ("reliability", json!({ "method": "platt", "smooth": true }), json!({ "width": 340 })),
        ("reliability", json!({}), json!({ "width": 700 })),
        ("map", settings.clone(), json!({ "width": 400, "dpr": 2 })),
        ("map", settings.clone(), json!({ "dark": true })),
        ("map", settings.clone(), json!({ "companion_width": 300 })),
        ("map", json!({ "features": ["x1", "x2"], "bin": "worst" }), json!({ "width": 360 })),
        ("cdf", settings.clone(), json!({ "width": 330 })),
    ] {
        let before = view(&[&data, &report], chart, options.clone());
        let mut wanted = options.clone();
        for (name, value) in page.as_object().expect("options") {
            wanted[name] = value.clone();
        }
        let fresh = view(&[&data, &report], chart, wanted.clone());
        assert_ne!(drawn(&before).shown, drawn(&fresh).shown, "{chart}: {page} changes nothing");
        // With rows that say the opposite whatever is found again would differ.
        let strange = view(&[&other, &other_report], chart, wanted.clone());
        assert_ne!(drawn(&strange).shown.figure, drawn(&fresh).shown.figure, "{chart}: other rows look the same");
        let again = view(&[&other, &other_report, &before], chart, wanted.clone());
        let (again, fresh) = (drawn(&again), drawn(&fresh));
        assert_eq!(again.shown.figure, fresh.shown.figure, "{chart}: {page}");
        assert_eq!(again.found, fresh.found, "{chart}: {page}");
        if !again.shown.companions.is_empty() || chart != "map" {
            assert_eq!(again.shown, fresh.shown, "{chart}: {page}");
        }
    }
    // Companions come again where they are as wide as before no more, and not otherwise.
    let before = view(&[&data, &report], "map", settings.clone());
    let companions = |page: Value| {
        let mut wanted = settings.clone();
        wanted.as_object_mut().expect("options").extend(page.as_object().expect("options").clone());
        let again = view(&[&data, &report, &before], "map", wanted);
        drawn(&again).shown.companions.len()
    };
    assert_eq!([companions(json!({ "width": 300 })), companions(json!({ "width": 500 }))], [2, 0]);
}

/// Of every analysis that draws, as wide as a column and as a page of a journal.
#[test]
fn figures_of_every_analysis_can_be_printed() {
    let data = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let ran = data.run(json!({
        "methods": ["none", "platt"], "resamples": 20, "local": { "features": ["x1"], "gamma": 0.5 },
    }));
    let mut drawn = Vec::new();
    for described in localcal::analysis::descriptions() {
        // a file on its own; longer than the others together
        if ["document", "region_rows", "klce", "inference"].contains(&described.kind) {
            continue;
        }
        for mm in [85.0, 180.0] {
            let mut asked = quick_options(described.kind);
            if described.options.iter().any(|option| option.name == "width") {
                asked["width"] = print_width(mm).into();
            }
            let Ok(found) = data.try_analyse(&ran, json!({ (described.kind): asked })) else { continue };
            let (written, columns) = with_columns_out(|| reply(&found).expect("an answer"));
            let mut figures = Vec::new();
            figures_in(&written, &mut figures);
            let read = |figure| serde_json::from_value::<Figure>(figure).expect("a figure");
            let figures: Vec<Figure> = with_columns_in(columns, || figures.into_iter().map(read).collect());
            for (place, figure) in figures.into_iter().enumerate() {
                let page = pdf(&figure, Some(mm)).unwrap_or_else(|error| panic!("{}: {error}", described.kind));
                assert!(content(&page).contains("Tj"), "{}: words", described.kind);
                let document = print(&figure, mm);
                // no title of an axis below a panel is cut off
                for title in figure.panels.iter().map(|panel| &panel.x.title).filter(|title| title.is_ascii()) {
                    assert!(document.contains(title.as_str()), "{} {place}: {title} at {mm} mm", described.kind);
                }
                let number = |from: &str, to: &str| -> Vec<f64> {
                    document.split(from).skip(1).filter_map(|rest| rest.split(to).next()?.parse().ok()).collect()
                };
                let [wide, units] = [number(" width=\"", "mm\"")[0], number("viewBox=\"0 0 ", " ")[0]];
                let smallest = number("font-size=\"", "\"").into_iter().fold(f64::INFINITY, f64::min);
                let points = smallest * wide / units * 72.0 / 25.4;
                assert!(wide <= mm && points > 6.99, "{} {place}: {wide} mm, {points} points", described.kind);
                drawn.push(described.kind);
            }
        }
    }
    drawn.dedup();
    assert!(drawn.len() >= 8, "{drawn:?}");
}

/// What has panels is a figure.
fn figures_in(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Object(fields) if fields.contains_key("panels") => found.push(value.clone()),
        Value::Object(fields) => fields.values().for_each(|value| figures_in(value, found)),
        Value::Array(values) => values.iter().for_each(|value| figures_in(value, found)),
        _ => (),
    }
}

#[test]
fn maps_of_one_feature_that_are_compared_share_their_axis() {
    let data = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let report = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 })).0;
    let data = data.0;
    let axis = |options: Value| {
        let found = view(&[&data, &report], "map", options);
        drawn(&found).shown.figure.panels[0].y.scale
    };
    let shared = json!({ "features": ["x1"], "gamma": 0.3, "bin": "all" });
    let of = |method: &str, beside: Value| {
        let mut options = shared.clone();
        options["method"] = json!(method);
        options["beside"] = beside;
        options
    };
    let (before, after) = (axis(of("none", json!("platt"))), axis(of("platt", json!("none"))));
    assert_eq!(before, after);
    assert_ne!(axis(of("none", Value::Null)), axis(of("platt", Value::Null)), "alone each is as long as it needs");
    // in another window, and in another width, as well
    let first = view(&[&data, &report], "map", of("none", json!("platt")));
    let mut closer = of("none", json!("platt"));
    closer["window"] = json!([-1.0, 1.0, -1.0, 1.0]);
    let again = view(&[&data, &report, &first], "map", closer);
    assert_eq!(drawn(&again).shown.figure.panels[0].y.scale, before);
}
