//! Neighbors of the same value alone: the numbers of a file of each value, put together; and who may not be asked for.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, Ran, near, open};
use localcal::analysis::neighbourhoods::NeighbourhoodsOutcome;
use localcal::analysis::sweep::SweepOutcome;
use localcal::job::{Call, Outcome};
use serde_json::{Value, json};

const SITES: [&str; 3] = ["A", "B", "C"];

/// Rows of three sites of different sizes, of which each is off in another direction; of one site or of all. Places of the
/// calibration rows are the same in each, so that they have the same scale. One row in `gap` has no site.
fn file(only: Option<&str>, gap: usize) -> String {
    let mut next = park_miller(11);
    let mut text = "p,y,a,b,site,number,set\n".to_owned();
    for (k, site) in SITES.iter().enumerate() {
        for i in 0..240 + 40 * k {
            let (p, off) = (0.03 + 0.94 * next(), [0.2, 0.0, -0.2][k]);
            let (known, third) = (i < 160, (i * 37 % 101) as f64);
            let (a, b) = if known { (third / 101.0, (i * 53 % 89) as f64 / 89.0) } else { (next(), next()) };
            let y = u8::from(next() < (p + off * (a - 0.3)).clamp(0.0, 1.0));
            let set = if known { "calibration" } else { "test" };
            let none = gap > 0 && i % gap == 1;
            if (none && only.is_some()) || only.is_some_and(|only| only != *site) {
                continue;
            }
            let (shown, number) = if none { ("", String::new()) } else { (*site, format!("{}", 2 * k)) };
            text += &format!("{p},{y},{a},{b},{shown},{number},{set}\n");
        }
    }
    text
}

fn opened(text: &str) -> Opened {
    let roles = json!({
        "p": "probability", "y": "label", "a": "feature", "b": "feature", "site": "group", "number": "group", "set": "split",
    });
    open(text, json!({ "roles": roles, "view": "positive", "positive": "1" }))
}

fn request(within: Option<&str>, kernel: &str, features: &Value) -> Value {
    let ridge = json!({ "id": "lore_ridge", "parameters": { "baseline": "none", "gamma": 0.6, "kappa": 3 } });
    let mut local = json!({ "features": features, "gamma": 0.3, "kernel": kernel, "bins": 6 });
    if let Some(within) = within {
        local["within"] = json!(within);
    }
    json!({
        "methods": ["none", "lore", ridge], "resamples": 0, "metrics": ["mlce", "mean_lce", "mlce_supported", "nll"],
        "local": local,
    })
}

/// Value of a metric of every site's own run, with how many rows it was scored on.
fn each(ran: &[Ran], method: &str, id: &str) -> Vec<(f64, f64)> {
    let of = |ran: &Ran| Some((ran.metric(method, id).value?, ran.rows(method).rows.len() as f64));
    ran.iter().filter_map(of).collect()
}

fn largest(of: &[(f64, f64)]) -> f64 {
    of.iter().map(|one| one.0).fold(f64::NAN, f64::max)
}

fn mean(of: &[(f64, f64)]) -> f64 {
    of.iter().map(|(value, n)| value * n).sum::<f64>() / of.iter().map(|one| one.1).sum::<f64>()
}

fn apart(kernel: &str, features: &Value, gap: usize) -> Vec<Ran> {
    SITES.map(|site| opened(&file(Some(site), gap)).run(request(None, kernel, features))).into()
}

#[test]
fn metrics_and_recalibrations_are_those_of_each_site_alone() {
    let features = json!(["a", "b"]);
    for (kernel, within) in [("laplacian", "site"), ("gaussian", "number"), ("constant", "site")] {
        let (all, sites) = (opened(&file(None, 0)), apart(kernel, &features, 0));
        let found = all.run(request(Some(within), kernel, &features));
        for method in ["none", "lore", "lore_ridge"] {
            let of = |id: &str| each(&sites, method, id);
            let value = |id: &str| found.metric(method, id).value.expect("a number");
            near(value("mlce"), largest(&of("mlce")), 1e-9);
            near(value("mean_lce"), mean(&of("mean_lce")), 1e-9);
            near(value("nll"), mean(&of("nll")), 1e-9);
            assert_eq!(of("mlce_supported").is_empty(), found.metric(method, "mlce_supported").value.is_none());
            if let Some(value) = found.metric(method, "mlce_supported").value {
                near(value, largest(&of("mlce_supported")), 1e-9);
            }
            let scores: Vec<f64> = sites.iter().flat_map(|ran| ran.rows(method).score.to_vec()).collect();
            found.rows(method).score.iter().zip(&scores).for_each(|(a, b)| near(*a, *b, 1e-9));
        }
        // and not those of all rows
        let together = all.run(request(None, kernel, &features));
        let mean = |ran: &Ran| ran.metric("none", "mean_lce").value.expect("a number");
        assert!((mean(&together) - mean(&found)).abs() > 1e-3);
    }
}

/// A row without a site is near to no row, and keeps the score that it had.
#[test]
fn rows_without_a_value_have_no_place() {
    let features = json!(["a", "b"]);
    let (all, sites) = (opened(&file(None, 7)), apart("laplacian", &features, 7));
    let found = all.run(request(Some("site"), "laplacian", &features));
    for method in ["none", "lore"] {
        near(found.metric(method, "mlce").value.expect("a number"), largest(&each(&sites, method, "mlce")), 1e-9);
    }
    let said = &found.method("none").warnings;
    assert!(said.iter().any(|one| one.message.contains("site is empty in")), "{said:?}");
    let kept = found.rows("none").score.iter().zip(found.rows("lore").score.iter()).filter(|(a, b)| a == b).count();
    assert!(kept > 0);
}

/// A stored fit finds what neighbors have in common in another file, behind components of columns too.
#[test]
fn a_calibrator_asks_for_the_column() {
    for features in [json!(["a", "b"]), json!({ "pca": 1, "of": ["a", "b"] })] {
        let all = opened(&file(None, 0));
        let found = all.run(request(Some("site"), "laplacian", &features));
        let parameters = all.calibrators(&found);
        let text = all.export(Call::ExportCalibrator { suppress: None }, &found);
        for name in ["lore", "lore_ridge"] {
            assert!(
                parameters[name]["coordinates"].as_array().expect("a list").contains(&json!("site = B")),
                "{parameters}"
            );
            let calibrator: Value = serde_json::from_str(&text).expect("JSON");
            let text = all.applied(calibrator, Some(name)).expect("scores");
            let applied: Vec<f64> =
                text.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect();
            let rows = found.rows(name);
            assert!(!rows.rows.is_empty());
            for (row, score) in rows.rows.iter().zip(rows.score.iter()) {
                near(applied[*row as usize], *score, 1e-9);
            }
        }
    }
}

fn sweep(data: &Opened, ran: &Ran) -> SweepOutcome {
    let gammas = json!({ "low": 0.05, "high": 5.0, "count": 4 });
    let asked = json!({ "sweep": { "gammas": gammas, "methods": ["none"], "features": [["a", "b"]] } });
    match data.try_analyse(ran, asked).unwrap() {
        Outcome::Sweep(found) => found,
        other => panic!("not a sweep: {other:?}"),
    }
}

#[test]
fn curves_are_those_of_each_site_alone() {
    let features = json!(["a", "b"]);
    let all = opened(&file(None, 0));
    let found = sweep(&all, &all.run(request(Some("site"), "laplacian", &features)));
    let sites = SITES.map(|site| {
        let data = opened(&file(Some(site), 0));
        let ran = data.run(request(None, "laplacian", &features));
        (sweep(&data, &ran), ran.rows("none").rows.len() as f64)
    });
    for g in 0..4 {
        let of = |one: &(SweepOutcome, f64)| (one.0.curves[0].mean_lce.value[g], one.1);
        near(found.curves[0].mean_lce.value[g], mean(&sites.each_ref().map(of)), 1e-9);
        let of = |one: &(SweepOutcome, f64)| (one.0.curves[0].mlce.value[g], one.1);
        near(found.curves[0].mlce.value[g], largest(&sites.each_ref().map(of)), 1e-9);
    }
    // γ → ∞ is the calibration error of bins within sites
    let limit = |one: &(SweepOutcome, f64)| (one.0.curves[0].mean_lce.at_infinity.expect("bins"), one.1);
    near(found.curves[0].mean_lce.at_infinity.expect("bins"), mean(&sites.each_ref().map(limit)), 1e-9);
}

fn neighbourhoods(data: &Opened, ran: &Ran, asked: Value) -> NeighbourhoodsOutcome {
    match data.try_analyse(ran, json!({ "neighbourhoods": asked })).unwrap() {
        Outcome::Neighbourhoods(found) => found,
        other => panic!("not neighbourhoods: {other:?}"),
    }
}

#[test]
fn neighborhoods_hold_rows_of_one_site_and_say_which() {
    let data = opened(&file(None, 0));
    let ran = data.run(request(Some("site"), "laplacian", &json!(["a", "b"])));
    let groups = localcal::feature::groups::groups(data.predictions(), "site").unwrap();
    for kernel in ["laplacian", "gaussian", "rbf", "group", "constant"] {
        let asked = json!({ "bin": "all", "resamples": 19, "kernel": kernel, "gamma": 0.5 });
        let found = neighbourhoods(&data, &ran, asked);
        assert_eq!((found.kernel.as_str(), found.gamma.is_some()), (kernel, !["group", "constant"].contains(&kernel)));
        assert!(kernel == "group" || !found.found.is_empty(), "{kernel}");
        for one in &found.found {
            let site = groups.level(one.rows[0] as usize).expect("a site");
            assert!(one.rows.iter().all(|&row| groups.level(row as usize) == Some(site)));
            let said = one.facts.iter().find(|fact| fact.name == "eligible neighbors").expect("a fact");
            assert_eq!(said.value, format!("rows whose site is {site}"));
            let corners = match kernel {
                "laplacian" => 4,
                "gaussian" | "rbf" => 48,
                _ => 0,
            };
            assert_eq!(one.outline.len(), corners);
        }
    }
    // where a Gaussian kernel falls to one half, from the definition
    let found =
        neighbourhoods(&data, &ran, json!({ "bin": "all", "resamples": 19, "kernel": "gaussian", "gamma": 0.5 }));
    let one = &found.found[0];
    for [x, y] in &one.outline {
        let square = (x - one.at[0]).powi(2) + (y - one.at[1]).powi(2);
        near((-square / (2.0 * 0.25)).exp(), 0.5, 1e-9);
    }
}

/// The predicted class of several: those of the rows of each class alone.
#[test]
fn the_predicted_class_is_that_of_the_file_of_each() {
    let mut next = park_miller(3);
    let mut text = "p0,p1,p2,y,a,b\n".to_owned();
    for _ in 0..900 {
        let raw = [next(), next(), next()].map(|v| v * v + 0.02);
        let p = raw.map(|v| v / raw.iter().sum::<f64>());
        let (draw, a) = (next(), next());
        let y = usize::from(draw > p[0]) + usize::from(draw > p[0] + p[1]);
        text += &format!("{},{},{},{y},{a},{}\n", p[0], p[1], p[2], next());
    }
    let open = |only: Value| {
        let roles = json!({
            "p0": "probability", "p1": "probability", "p2": "probability", "y": "label", "a": "feature", "b": "feature",
        });
        open(&text, json!({ "roles": roles, "view": "top_label", "only": only }))
    };
    let run = |data: &Opened, within: &str| {
        data.run(json!({
            "evaluate_on": "all", "resamples": 0, "metrics": ["mlce", "mean_lce"],
            "local": { "features": ["a", "b"], "gamma": 0.3, "within": within },
        }))
    };
    let found = run(&open(json!([])), "predicted");
    let classes =
        ["0", "1", "2"].map(|class| run(&open(json!([{ "column": "predicted class", "values": [class] }])), "all"));
    near(found.metric("none", "mlce").value.expect("a number"), largest(&each(&classes, "none", "mlce")), 1e-9);
    near(found.metric("none", "mean_lce").value.expect("a number"), mean(&each(&classes, "none", "mean_lce")), 1e-9);
}

/// Logits of a file of probabilities alone: metrics and LoRe are those of the file that has them as columns.
#[test]
fn logits_of_probabilities_are_a_space() {
    let (mut next, mut text) = (park_miller(9), "p0,p1,p2,y,z0,z1,z2\n".to_owned());
    for i in 0..500 {
        let raw = [next(), next(), next()].map(|v| v * v + 0.02);
        let mut p = raw.map(|v| v / raw.iter().sum::<f64>());
        if i % 50 == 0 {
            p = [1.0, 0.0, 0.0];
        }
        let log = p.map(|p| f64::ln(p.max(1e-15)));
        let z = log.map(|l| l - log.iter().sum::<f64>() / 3.0);
        let y = (next() * 3.0) as usize;
        text += &format!("{},{},{},{y},{},{},{}\n", p[0], p[1], p[2], z[0], z[1], z[2]);
    }
    let mut roles = json!({ "p0": "probability", "p1": "probability", "p2": "probability", "y": "label" });
    for name in ["z0", "z1", "z2"] {
        roles[name] = json!("feature");
    }
    let data = open(&text, json!({ "roles": roles, "view": "top_label" }));
    let run = |features: Value| {
        data.run(json!({
            "methods": ["none", "lore"], "resamples": 0, "metrics": ["mlce", "mean_lce"],
            "local": { "features": features, "gamma": 0.7 },
        }))
    };
    let (derived, columns) = (run(json!(["logits"])), run(json!(["z0", "z1", "z2"])));
    for (method, id) in [("none", "mlce"), ("none", "mean_lce"), ("lore", "mlce"), ("lore", "mean_lce")] {
        let value = |ran: &Ran| ran.metric(method, id).value.expect("a number");
        near(value(&derived), value(&columns), 1e-9);
    }
    let components = run(json!({ "pca": 2, "of": ["logits"] }));
    assert!(components.metric("none", "mlce").value.is_some());
}

/// Rows of one outcome are off although every score is right: nobody can take neighbors within it.
#[test]
fn what_tells_the_outcome_is_refused() {
    let data = opened(&file(None, 0));
    for (within, code) in [("y", "invalid_option"), ("class", "invalid_option"), ("nothing", "unknown_column")] {
        let error = data.try_run(request(Some(within), "laplacian", &json!(["a", "b"]))).unwrap_err();
        assert_eq!(error.code(), code, "{within}: {error}");
    }
    let ran = data.run(request(None, "laplacian", &json!(["a", "b"])));
    for asked in [json!({ "sweep": { "within": "y" } }), json!({ "neighbourhoods": { "within": "y" } })] {
        assert_eq!(data.try_analyse(&ran, asked).unwrap_err().code(), "invalid_option");
    }
    let lore = json!({ "methods": [{ "id": "lore", "parameters": { "within": "y", "features": ["a", "b"] } }] });
    assert_eq!(data.try_run(lore).unwrap_err().code(), "invalid_option");
}

/// Of calibrated files few have a place within a site that is off by more than chance.
#[test]
fn calibrated_files_are_seldom_accused() {
    let mut accused = 0;
    for seed in 1..=60 {
        let mut next = park_miller(1000 + seed);
        let mut text = "p,y,a,b,site\n".to_owned();
        for i in 0..400 {
            let p = 0.05 + 0.9 * next();
            text += &format!("{p},{},{},{},{}\n", u8::from(next() < p), next(), next(), SITES[i % 3]);
        }
        let roles = json!({ "p": "probability", "y": "label", "a": "feature", "b": "feature", "site": "group" });
        let data = open(&text, json!({ "roles": roles, "view": "positive" }));
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0, "metrics": ["ece"] }));
        let features = json!(["a", "b"]);
        let asked =
            json!({ "features": features, "gamma": 0.2, "bins": 2, "within": "site", "resamples": 39, "seed": seed });
        let found = neighbourhoods(&data, &ran, asked);
        assert!(found.looked > 100);
        accused += usize::from(found.found.iter().any(|one| one.p <= 0.05));
    }
    // P(X > 9) < .001 for X binomial with 60 and .05
    assert!(accused <= 9, "{accused} of 60");
}
