//! Worked examples small enough to check with pencil and paper.

use serde_json::json;

use crate::support::pipeline::{Opened, near, open};

const THREE_CLASSES: &str = "\
prob_0,prob_1,prob_2,label,x1,x2
.90,.07,.03,0,0,0
.80,.15,.05,0,1,0
.10,.85,.05,2,0,1
.20,.55,.25,1,2,2
.30,.25,.45,2,2,3
.05,.35,.60,1,3,2
.40,.35,.25,0,.5,.5
.02,.03,.95,2,3,3
";

const BINARY: &str = "\
p,y
.05,0\n.15,0\n.20,1\n.30,0\n.35,1\n.45,0\n.50,0\n.60,1\n.65,1\n.75,0\n.85,1\n.95,1
";

fn three_classes() -> Opened {
    open(THREE_CLASSES, json!({ "split": { "folds": 2 } }))
}

#[test]
fn three_classes_top_label() {
    let data = three_classes();
    let ran = data.run(json!({ "evaluate_on": "all", "bins": 5, "resamples": 0 }));
    for (id, expected) in [
        ("accuracy", 0.75),
        ("ece", 0.3375),
        ("mce", 0.6),
        ("classwise_ece", (0.19625 + 0.20 + 0.32125) / 3.0),
        ("nll", 0.842_248_398_532_475_4),
        ("brier", 0.4762),
        ("brier_top", 0.25),
        ("auroc", 0.416_666_666_666_666_7),
        ("mean_gap", -0.0625),
    ] {
        near(ran.value("none", id), expected, 1e-12);
    }
    let at = |bins| data.run(json!({ "evaluate_on": "all", "bins": bins, "resamples": 0 }));
    near(at(json!({ "count": 5, "closed": "right" })).value("none", "ece"), 0.2375, 1e-12);
    near(at(json!({ "count": 5, "edges": "numpy" })).value("none", "ece"), 0.1875, 1e-12);
    near(at(json!(15)).value("none", "ece"), 0.375, 1e-12);
    near(at(json!({ "count": 4, "scheme": "equal_mass_rank" })).value("none", "ece"), 0.2625, 1e-12);
    near(at(json!({ "count": 4, "scheme": "equal_mass_quantile" })).value("none", "ece"), 0.2625, 1e-12);
}

#[test]
fn three_classes_locally() {
    let data = three_classes();
    let signed_2 = [-0.040067, -0.185963, 0.771880, -0.457659, -0.542417, 0.6, -0.599915, -0.049997];
    let signed_10 = [0.128933, 0.023312, 0.346058, -0.501443, -0.519064, 0.6, -0.570381, -0.001337];
    let gaps = [0.125, 0.125, 0.125, -0.533333, -0.533333, 0.6, -0.533333, 0.125];
    for (gamma, mlce, mean, signed) in
        [(0.2, 0.771_880_18, 0.405_987_16, signed_2), (1.0, 0.6, 0.336_315_96, signed_10), (1e9, 0.6, 0.3375, gaps)]
    {
        let ran = data.run(json!({
            "evaluate_on": "all", "bins": 5, "resamples": 0,
            "local": { "features": ["x1", "x2"], "gamma": gamma },
        }));
        near(ran.value("none", "mlce"), mlce, 6e-9);
        near(ran.value("none", "mean_lce"), mean, 6e-9);
        let local = ran.outcome().report.local.as_ref().unwrap();
        for (ours, theirs) in local.slce.iter().zip(signed) {
            near(*ours, theirs, 6e-7);
        }
    }
    // Neighbors at γ = 0.5: effective numbers and the smallest mass.
    let ran = data.run(json!({
        "evaluate_on": "all", "bins": 5, "resamples": 0, "local": { "features": ["x1", "x2"], "gamma": 0.5 },
    }));
    let local = ran.outcome().report.local.as_ref().unwrap();
    let n_eff = [2.377843, 1.976219, 1.976219, 1.76635, 1.691984, 1.0, 1.137642, 1.032064];
    for (ours, theirs) in local.n_eff.iter().zip(n_eff) {
        near(*ours, theirs, 6e-7);
    }
    near(local.mass.iter().fold(f64::INFINITY, |a, &b| a.min(b)) / 8.0, 0.125, 1e-12);
    // A Gaussian, and groups.
    let other = |local| data.run(json!({ "evaluate_on": "all", "bins": 5, "resamples": 0, "local": local }));
    let gaussian = other(json!({ "features": ["x1", "x2"], "kernel": "gaussian", "gamma": 1 }));
    let signed = [0.132948, 0.026301, 0.362210, -0.494665, -0.513018, 0.6, -0.585243, -0.048882];
    for (ours, theirs) in gaussian.outcome().report.local.as_ref().unwrap().slce.iter().zip(signed) {
        near(*ours, theirs, 6e-7);
    }
}

#[test]
fn three_classes_recalibrated() {
    let data = three_classes();
    let ran = data.run(json!({
        "bins": 5, "resamples": 0, "methods": ["none", "temperature", "platt", "isotonic", "histogram"],
    }));
    let fits = data.calibrators(&ran);
    near(fits["temperature"]["temperature"].as_f64().unwrap(), 1.316_242_247_607_551_7, 1e-9);
    near(fits["platt"]["a"].as_f64().unwrap(), -0.022_300_277_253_36, 1e-9);
    near(fits["platt"]["b"].as_f64().unwrap(), 0.961_441_754_352_803_7, 1e-9);
    assert_eq!(fits["histogram"]["values"], json!([null, null, 1.0, 0.0, 0.75]));
    let level = |x: f64| {
        let xs: Vec<f64> = serde_json::from_value(fits["isotonic"]["x"].clone()).unwrap();
        let ys: Vec<f64> = serde_json::from_value(fits["isotonic"]["y"].clone()).unwrap();
        super::exports::interpolate(&xs, &ys, x)
    };
    for (x, y) in [(0.4, 2.0 / 3.0), (0.85, 2.0 / 3.0), (0.9, 1.0), (0.87, 0.8), (0.3, 2.0 / 3.0), (0.99, 1.0)] {
        near(level(x), y, 1e-12);
    }
}

/// Queries with unknown outcome are given outcome 0: they are scored, not fitted on.
#[test]
fn three_classes_recalibrated_locally() {
    let text = "conf,correct,x1,x2,set\n.90,1,0,0,cal\n.80,1,1,0,cal\n.85,0,0,1,cal\n.55,1,2,2,cal\n.45,1,2,3,cal\n\
        .60,0,3,2,cal\n.40,1,.5,.5,cal\n.95,1,3,3,cal\n\
        .9,0,1,1,test\n.9,0,0,0,test\n.5,0,2.5,2.5,test\n.7,0,1,1,test\n.1,0,1,1,test\n";
    let data = open(text, json!({ "roles": { "conf": "confidence", "correct": "correct", "set": "split" } }));
    for (gamma, expected, tolerance) in [
        (0.2, [0.519_840, 0.929_491, 1.0, 0.0, 0.1], 6e-7),
        (0.5, [0.586_378, 0.788_361, 1.0, 0.0, 0.1], 6e-7),
        (1e9, [0.75, 0.75, 1.0, 0.0, 0.1], 1e-8),
        (1e-4, [0.5, 1.0, 1.0, 0.0, 0.1], 1e-9),
    ] {
        let parameters = json!({ "features": ["x1", "x2"], "gamma": gamma, "bins": 5 });
        let ran = data.run(json!({ "methods": ["none", { "id": "lore", "parameters": parameters }], "resamples": 0 }));
        for (ours, theirs) in ran.rows("lore").score.iter().zip(expected) {
            near(*ours, theirs, tolerance);
        }
        let warnings = ran.method("lore").warnings.iter();
        assert_eq!(
            warnings.filter(|warning| warning.code != "scores_at_ends").count(),
            1,
            "the query without neighbours is told"
        );
    }
}

#[test]
fn two_classes_in_both_views() {
    let positive = open(BINARY, json!({}));
    let ran = positive.run(json!({ "evaluate_on": "all", "bins": 5, "resamples": 0 }));
    for (id, expected) in [
        ("ece", 0.208_333_333_333_333_33),
        ("nll", 0.588_537_209_244_671_9),
        ("brier", 0.208_333_333_333_333_33),
        ("brier_top", 0.208_333_333_333_333_33),
        ("auroc", 0.75),
        ("accuracy", 0.75),
        ("mean_gap", 5.8 / 12.0 - 0.5),
    ] {
        near(ran.value("none", id), expected, 1e-12);
    }
    let fits = positive.calibrators(&positive.run(json!({ "methods": ["temperature", "isotonic"], "resamples": 0 })));
    near(fits["temperature"]["temperature"].as_f64().unwrap(), 1.355_955_057_107_586, 1e-9);
    assert_eq!(fits["isotonic"]["y"][0], json!(0.0));
    let without = json!({ "id": "platt", "parameters": { "smoothing": false } });
    let fits = positive.calibrators(&positive.run(json!({ "methods": [without], "resamples": 0 })));
    near(fits["platt"]["a"].as_f64().unwrap(), 0.741_438_006_453_388_4, 1e-9);
    near(fits["platt"]["b"].as_f64().unwrap(), 0.066_566_757_129_007_92, 1e-9);

    let top = open(BINARY, json!({ "view": "top_label" }));
    let ran = top.run(json!({ "evaluate_on": "all", "bins": 5, "resamples": 0 }));
    near(ran.value("none", "ece"), 0.141_666_666_666_666_67, 1e-12);
    near(ran.value("none", "accuracy"), 0.75, 1e-12);
    near(ran.value("none", "nll"), 0.588_537_209_244_671_9, 1e-12);
    near(ran.value("none", "brier"), 2.0 * 0.208_333_333_333_333_33, 1e-12);
    near(ran.value("none", "brier_top"), 0.208_333_333_333_333_33, 1e-12);
    let fits = top.calibrators(&top.run(json!({ "methods": ["temperature"], "resamples": 0 })));
    near(fits["temperature"]["temperature"].as_f64().unwrap(), 1.355_955_057_107_586, 1e-9);
}
