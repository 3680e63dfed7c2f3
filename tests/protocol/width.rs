//! Charts of a run in another width: they are drawn from what was found, and nothing is found again.

use localcal::job::{Call, Outcome};
use localcal::report::view::DrawnView;
use serde_json::{Value, json};

use crate::support::kinds::{Kind, Part, csv};
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
