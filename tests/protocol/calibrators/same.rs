//! Every method and every pair of methods on small files: stored and applied, whatever rows stand beside, the numbers of
//! the run.

use super::*;
use crate::support::draws::uniform;

/// Rows of a small awkward file: what stands in it besides x1, x2, x3, site, label and set.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Small {
    /// scores of one decimal, each several times
    Tied,
    /// scores that separate the outcomes
    Separated,
    /// many coordinates, far places
    Far,
    /// four classes, one of them never right
    Classes,
    /// confidence and correctness alone
    Confidence,
}

fn small(kind: Small, n: usize) -> String {
    let mut uniform = uniform(11);
    let head = match kind {
        Small::Classes => "prob_0,prob_1,prob_2,prob_3",
        Small::Confidence => "confidence",
        _ => "prob_1",
    };
    let outcome = match kind {
        Small::Confidence => "correct",
        _ => "label",
    };
    let mut out = format!("{head},x1,x2,x3,site,{outcome},set\n");
    for i in 0..n {
        let (a, b) = (uniform(), uniform());
        let place = match kind {
            Small::Far if i % 5 == 0 => 1e6 * uniform(),
            _ => uniform(),
        };
        let (scores, y) = match kind {
            Small::Tied => {
                let p = (10.0 * a).floor() / 10.0;
                (format!("{p}"), usize::from(b < p))
            }
            Small::Separated => (format!("{a}"), usize::from(a > 0.5)),
            Small::Far => (format!("{a}"), usize::from(b < a)),
            Small::Confidence => (format!("{}", 0.5 + a / 2.0), usize::from(b < a)),
            Small::Classes => {
                let e: Vec<f64> = (0..4).map(|_| -(uniform() + 1e-3).ln()).collect();
                let sum: f64 = e.iter().sum();
                let p: Vec<String> = e.iter().map(|e| (e / sum).to_string()).collect();
                (p.join(","), i % 3)
            }
        };
        let (site, set) = (["north", "south"][i % 2], ["cal", "test"][i / 2 % 2]);
        let x3 = i % 3;
        out.push_str(&format!("{scores},{place},{},{x3},{site},{y},{set}\n", uniform()));
    }
    out
}

/// First methods, with parameters; the exact sums of `lore` and `lcb` look at few and at many coordinates.
fn first() -> Vec<(&'static str, Value)> {
    let x = json!(["x1", "x2"]);
    let wide = json!(["x1", "x2", "x3", "site"]);
    let near = |features: &Value| json!({ "features": features });
    let cells = json!({ "groups": "site", "min_rows": 2 });
    let published = json!({ "groups": "site", "compat": "pmcboost", "gamma": 0.27 });
    let mut all: Vec<(&str, Value)> = [
        "none",
        "temperature",
        "mmce_temperature",
        "platt",
        "intercept",
        "beta",
        "isotonic",
        "venn_abers",
        "histogram",
        "bbq",
        "ets",
        "pts",
        "mir",
        "vector",
        "matrix",
        "dirichlet",
    ]
    .map(|id| (id, Value::Null))
    .to_vec();
    all.extend([
        ("ptsk", near(&wide)),
        ("lore", near(&x)),
        ("lore", near(&wide)),
        ("lore_ridge", near(&x)),
        ("lore_ridge", json!({ "features": wide, "baseline": "platt", "gamma": 0.5, "kappa": 3 })),
        ("lcb", near(&x)),
        ("lcb", near(&wide)),
        ("lcb", json!({ "features": wide, "form": "krr", "gamma": 0.5 })),
        ("group_temperature", json!({ "groups": "site", "min_group": 2 })),
        ("group_histogram", json!({ "groups": "site", "bins": 4 })),
        ("multicalibration", cells.clone()),
        ("proportional_multicalibration", cells),
        ("multicalibration", published.clone()),
        ("proportional_multicalibration", published),
    ]);
    all
}

/// Methods that can come second.
fn second() -> Vec<(&'static str, Value)> {
    let wide = json!({ "features": ["x1", "x2", "x3", "site"] });
    let mut all: Vec<(&str, Value)> =
        ["temperature", "mmce_temperature", "platt", "intercept", "beta", "isotonic", "venn_abers", "histogram", "bbq"]
            .map(|id| (id, json!({})))
            .to_vec();
    all.extend(["lore", "lore_ridge", "density_ratio", "bin_mean_shift"].map(|id| (id, wide.clone())));
    all.push(("proximity_stratified", json!({ "features": ["x1", "x2"], "groups": 2 })));
    all
}

/// Scores of the run against those of the calibrator, applied to the whole file and to a few of its rows.
fn assert_same(csv: &str, whole: &Opened, few: &Opened, method: &Value) -> bool {
    let Ok(ran) = whole.try_run(json!({ "methods": [method], "resamples": 0 })) else {
        return false; // what cannot come in this order says so; too few rows of a kind
    };
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &ran);
    let report = ran.outcome();
    let Some(rows) = report.rows.first() else {
        return false;
    };
    let read = |data: &Opened| -> Vec<f64> {
        let applied = data.applied(object(&text), None);
        let applied = applied.unwrap_or_else(|error| panic!("{method}: {error}"));
        let (_, cells) = columns(&applied).pop().expect("a column");
        cells.iter().map(|cell| cell.parse().expect("a number")).collect()
    };
    let (all, some) = (read(whole), read(few));
    // What left the run: the scores, but for `mir`, whose rows are divided by their sums.
    let left = whole.export(Call::ExportPredictions { identifiers: None }, &ran);
    let (_, left) = columns(&left).pop().expect("a column");
    for &row in rows.rows.iter() {
        let here: f64 = left[row as usize].parse().expect("a number");
        let mut there = vec![all[row as usize]];
        there.extend(some.get(row as usize));
        for there in there {
            assert!(
                (there - here).abs() <= 1e-12,
                "{method}: row {row} has {here} in the run, {there} stored and applied\n{csv}"
            );
        }
    }
    true
}

/// Walks first methods and pairs on one file; how many were compared.
fn walk(kind: Small, n: usize, view: &str) -> usize {
    let csv = small(kind, n);
    let with_roles = |csv: &str| {
        let roles = json!({ "x1": "feature", "x2": "feature", "x3": "feature", "site": "group" });
        open(csv, json!({ "view": view, "roles": roles }))
    };
    let whole = with_roles(&csv);
    // The header and the first rows, with both sets among them.
    let few: Vec<&str> = csv.lines().take(6).collect();
    let few = with_roles(&(few.join("\n") + "\n"));
    let mut compared = 0;
    for (base, own) in first() {
        let alone = json!({ "id": base, "parameters": own });
        if base != "none" {
            compared += usize::from(assert_same(&csv, &whole, &few, &alone));
        }
        for (then, more) in second() {
            let mut parameters = more.clone();
            parameters["base"] = own.clone();
            let both = json!({ "id": format!("{base}+{then}"), "parameters": parameters });
            compared += usize::from(assert_same(&csv, &whole, &few, &both));
        }
    }
    compared
}

#[test]
fn tied_scores() {
    assert!(walk(Small::Tied, 40, "positive") > 200);
}

#[test]
fn separated_outcomes() {
    assert!(walk(Small::Separated, 24, "top_label") > 200);
}

#[test]
fn far_places() {
    assert!(walk(Small::Far, 60, "positive") > 200);
}

#[test]
fn four_classes() {
    assert!(walk(Small::Classes, 48, "top_label") > 200);
}

#[test]
fn confidence_and_correctness() {
    assert!(walk(Small::Confidence, 32, "top_label") > 150);
}

/// Exports of fits on one, two and three rows are read again.
#[test]
fn what_was_exported_opens() {
    for calibrate in 1..=3 {
        for kind in [Small::Tied, Small::Classes, Small::Confidence] {
            let csv = small(kind, 12);
            let roles = json!({ "x1": "feature", "x2": "feature", "x3": "feature", "site": "group", "set": "ignore" });
            let whole = open(&csv, json!({ "roles": roles, "split": { "first": calibrate } }));
            for (base, own) in first() {
                if base != "none" {
                    let alone = json!({ "id": base, "parameters": own });
                    assert_same(&csv, &whole, &whole, &alone);
                }
                for (then, more) in second() {
                    let mut parameters = more.clone();
                    parameters["base"] = own.clone();
                    let both = json!({ "id": format!("{base}+{then}"), "parameters": parameters });
                    assert_same(&csv, &whole, &whole, &both);
                }
            }
        }
    }
}

/// A ridge so small that the weights of the rows cannot be found exactly still gives a calibrator that opens.
#[test]
fn an_extreme_ridge() {
    let csv = small(Small::Tied, 24);
    let whole = open(&csv, json!({ "view": "positive" }));
    for ridge in [1e-9, 1e9] {
        for gamma in [1e-100, 1e-9, 1e9, 1e100] {
            let parameters = json!({ "features": ["x1"], "form": "krr", "ridge": ridge, "gamma": gamma });
            let method = json!({ "id": "lcb", "parameters": parameters });
            assert!(assert_same(&csv, &whole, &whole, &method));
        }
    }
}

/// A file whose fields were altered is refused, and the field is named.
#[test]
fn damaged_numbers_are_named() {
    let csv = small(Small::Classes, 48);
    let whole = open(&csv, json!({ "view": "top_label" }));
    let binary = open(&small(Small::Tied, 40), json!({ "view": "positive" }));
    let told = |data: &Opened, method: Value, path: &str, value: Value| -> String {
        let run = data.run(json!({ "methods": [method], "resamples": 0 }));
        let text = data.export(Call::ExportCalibrator { suppress: None }, &run);
        let mut bad = object(&text);
        let pointer = format!("/methods/0/parameters{path}");
        *bad.pointer_mut(&pointer).unwrap_or_else(|| panic!("{pointer}: {text}")) = value;
        let error = data.applied(bad, None).expect_err(&pointer);
        assert_eq!(error.code(), "calibrator_unreadable");
        error.to_string()
    };
    let near = |id: &str, more: Value| {
        let mut parameters = more;
        parameters["features"] = json!(["x1", "x2"]);
        json!({ "id": id, "parameters": parameters })
    };
    for (method, path, value, words) in [
        (
            json!("temperature"),
            "/temperature",
            json!(1e-320),
            "temperature is 1e-320; it must lie between 1e-6 and 1e6",
        ),
        (json!("temperature"), "/temperature", json!(-1), "temperature is -1;"),
        (json!("mmce_temperature"), "/temperature", json!(1e300), "temperature is 1e300;"),
        (json!("mir"), "/y/1", json!(31), "y, at place 2, is 31; it must lie between 0 and 1"),
        (json!("ets"), "/weights/0", json!(31), "weights, at place 1, is 31;"),
        (json!("ets"), "/weights", json!([0.2, 0.2, 0.2]), "weights sums to 0.6"),
        (json!("ets"), "/temperature", json!(0), "temperature is 0;"),
        (json!("pts"), "/network/3", json!(1e300), "network, at place 4, is 1e300;"),
        (json!("vector"), "/bias/0", json!(1e300), "bias, at place 1, is 1e300;"),
        (json!("matrix"), "/weights/2", json!(-1e300), "weights, at place 3, is -1e300;"),
        (near("ptsk", json!({})), "/network/network/9", json!(1e300), "network, at place 10, is 1e300;"),
    ] {
        let told = told(&whole, method.clone(), path, value);
        assert!(told.contains(words), "{method} {path}: {told}");
    }
    let site = json!({ "groups": "site", "min_group": 2 });
    for (method, path, value, words) in [
        (json!("isotonic"), "/y/1", json!(31), "y, at place 2, is 31; it must lie between 0 and 1"),
        (json!("isotonic"), "/y/0", json!(1), "y decreases after place 1"),
        (json!("histogram"), "/values/1", json!(-7), "values, at place"),
        (json!("histogram"), "/values/8", json!(7), "is 7; it must lie between 0 and 1"),
        (json!("venn_abers"), "/lower/y/0", json!(-0.5), "lower.y, at place 1, is -0.5;"),
        (json!("venn_abers"), "/upper/y/0", json!(2), "upper.y, at place 1, is 2;"),
        (json!("bbq"), "/models/0/weight", json!(31), "weight, at place 1, is 31;"),
        (json!("bbq"), "/models/0/values/0", json!(-3), "values, at place 1, is -3;"),
        (json!("platt"), "/a", json!(1e300), "a is 1e300;"),
        (json!("beta"), "/c", json!(-1e300), "c is -1e300;"),
        (
            json!({ "id": "group_temperature", "parameters": site }),
            "/fits/north/temperature",
            json!(0),
            "fits.north: temperature is 0;",
        ),
        (
            json!({ "id": "group_histogram", "parameters": site }),
            "/pooled/values/0",
            json!(9),
            "pooled: values, at place 1, is 9;",
        ),
        (
            json!({ "id": "multicalibration", "parameters": { "groups": "site", "min_rows": 2 } }),
            "/fit/steps/0/2",
            json!(1e6),
            "steps, at place 1, is 1e6;",
        ),
        (near("lcb", json!({})), "/width_p", json!(0), "width_p is 0;"),
        (near("lcb", json!({})), "/gamma", json!(1e300), "gamma is 1e300;"),
        (near("lcb", json!({})), "/target/0", json!(0.5), "target, at place 1, is neither 0 nor 1"),
        (near("lcb", json!({ "form": "krr" })), "/alpha/0", json!(1e300), "alpha, at place 1, is 1e300;"),
        (near("lore", json!({})), "/score/0", json!(7), "score, at place 1, is 7;"),
        (
            near("lore_ridge", json!({ "baseline": "platt", "gamma": 1, "kappa": 1 })),
            "/kappa",
            json!(-1),
            "kappa is -1;",
        ),
        (
            near("lore_ridge", json!({ "baseline": "platt", "gamma": 1, "kappa": 1 })),
            "/gamma",
            json!(null),
            "gamma and kappa must both be numbers",
        ),
        (
            near("lore_ridge", json!({ "baseline": "platt", "gamma": 1, "kappa": 1 })),
            "/factor/0",
            json!(-1),
            "factor, at place 1, is -1;",
        ),
        (
            near("lore_ridge", json!({ "baseline": "platt", "gamma": 1, "kappa": 1 })),
            "/mean",
            json!([0]),
            "mean and factor must hold 2 numbers",
        ),
        (near("none+density_ratio", json!({})), "/proximity/0", json!(7), "proximity, at place 1, is 7;"),
        (near("isotonic+bin_mean_shift", json!({})), "/lambda", json!(31), "lambda is 31;"),
        (near("isotonic+bin_mean_shift", json!({})), "/gaps/0/0", json!(-7), "gaps, at place 1, is -7;"),
        (near("isotonic+bin_mean_shift", json!({})), "/base/y/0", json!(-7), "y, at place 1, is -7;"),
    ] {
        let told = told(&binary, method.clone(), path, value);
        assert!(told.contains(words), "{method} {path}: {told}");
    }
    let run = binary.run(json!({ "methods": ["platt"], "resamples": 0 }));
    let text = binary.export(Call::ExportCalibrator { suppress: None }, &run);
    for (field, value) in [("positive", json!(1e-320)), ("classes", json!(0))] {
        let mut bad = object(&text);
        bad[field] = value;
        let error = binary.applied(bad, None).expect_err(field);
        assert_eq!(error.code(), "calibrator_unreadable", "{error}");
    }
}

/// Rows far from every calibration row, and calibrators whose map sends every row there: numbers or an error.
#[test]
fn far_rows_of_a_method_with_neighbors() {
    let mut csv = String::new();
    for (i, line) in small(Small::Far, 40).lines().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let far = i > 20;
        let x1 = if far { "1e149" } else { cells[1] };
        csv.push_str(&format!("{},{x1},{},{},{},{}\n", cells[0], cells[2], cells[3], cells[4], cells[5]));
    }
    let options = json!({ "split": { "first": 20 }, "view": "positive", "roles": { "x1": "feature", "x2": "feature", "x3": "feature", "site": "group" } });
    let whole = open(&csv, options);
    let wide = json!({ "pca": 2, "of": ["x1", "x2", "x3"] });
    for features in [json!(["x1", "x2"]), wide, json!({ "pca": 1, "of": ["x1", "x2"] })] {
        for id in [
            "ptsk",
            "lcb",
            "lore",
            "lore_ridge",
            "none+density_ratio",
            "isotonic+bin_mean_shift",
            "isotonic+proximity_stratified",
        ] {
            let method = json!({ "id": id, "parameters": { "features": features } });
            assert!(assert_same(&csv, &whole, &whole, &method), "{method}");
        }
    }
    let near = open(&small(Small::Far, 40), json!({ "view": "positive" }));
    let features = json!({ "pca": 2, "of": ["x1", "x2", "x3"] });
    let run =
        near.run(json!({ "methods": [{ "id": "ptsk", "parameters": { "features": features } }], "resamples": 0 }));
    let text = near.export(Call::ExportCalibrator { suppress: None }, &run);
    for (path, value) in
        [("/projection/components/0", 1e300), ("/projection/mean/0", -1e300), ("/x/0", 1e300), ("/x/3", -1.7e308)]
    {
        let mut bad = object(&text);
        let pointer = format!("/methods/0/parameters{path}");
        *bad.pointer_mut(&pointer).expect("there") = json!(value);
        match near.applied(bad, None) {
            Ok(csv) => assert!(!csv.contains("NaN"), "{path}: {csv}"),
            Err(error) => assert!(!error.hint().is_empty(), "{path}: {error}"),
        }
    }
}
