//! Experiments: the numbers of a run, in every division; what is done stays done; what cannot be done ends nothing else.

use crate::support::kinds::{Kind, Part, csv};
use crate::support::pipeline::{Opened, asked, open};
use localcal::experiment::plan::ExperimentSize;
use localcal::experiment::{Begun, Cell, Level};
use localcal::job::{Call, ExperimentPlan, Outcome};
use serde_json::{Value, json};

fn cells(data: &Opened, spec: Value) -> Vec<Cell> {
    data.try_experiment(spec, &Begun::default()).unwrap().cells
}

fn of<'a>(cells: &'a [Cell], method: &str, metric: &str, division: &str) -> &'a Cell {
    let own = |cell: &&Cell| cell.method == method && cell.metric == metric && cell.division == division;
    let mut found = cells.iter().filter(own);
    let first = found.next().unwrap_or_else(|| panic!("no cell of {method}, {metric}, {division}"));
    assert!(found.next().is_none(), "{method}, {metric}, {division} twice");
    first
}

/// The file of `kind` without its split column.
fn whole(kind: Kind) -> String {
    let text = csv(kind, Part::Whole);
    let lines = text.lines().map(|line| line.rsplit_once(',').map_or(line, |(kept, _)| kept));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_division_by_a_seed_is_that_of_a_run_with_this_seed() {
    let text = whole(Kind::Probabilities);
    let data = open(&text, json!({}));
    let space = json!({ "name": "x", "features": ["x1", "x2"], "gamma": 0.7, "bins": 5 });
    let methods = json!([
        "none",
        "temperature",
        "lore",
        "temperature+lore",
        "none+bin_mean_shift",
        "histogram",
        "histogram+bin_mean_shift"
    ]);
    let metrics =
        json!(["nll", "ece", "brier", "mlce", "mean_lce", "piece", "group_ece_max", "p_bernoulli", "klce2_unbiased"]);
    let found = cells(
        &data,
        json!({
            "methods": methods, "metrics": metrics, "spaces": [space], "divisions": { "seeds": [3, 8] },
            "bins": 10, "groups": ["site"]
        }),
    );
    assert_eq!(found.len(), 7 * 9 * 2);
    for seed in [3, 8] {
        let halves = open(&text, json!({ "split": { "half": true } }));
        let ran = halves.run(json!({
            "methods": methods, "metrics": metrics, "bins": 10, "seed": seed, "resamples": 0, "groups": ["site"],
            "local": { "features": ["x1", "x2"], "gamma": 0.7, "bins": 5 },
            "klce": { "features": ["x1", "x2"] }
        }));
        for method in methods.as_array().unwrap().iter().filter_map(Value::as_str) {
            for metric in metrics.as_array().unwrap().iter().filter_map(Value::as_str) {
                let cell = of(&found, method, metric, &format!("seed {seed}"));
                assert!(cell.reason.is_none(), "{method}, {metric}: {:?}", cell.reason);
                // p-values draw anew by the seed of the experiment
                if metric != "p_bernoulli" {
                    assert_eq!(cell.value, ran.metric(method, metric).value, "{method}, {metric}, seed {seed}");
                }
                let looks = ["mlce", "mean_lce", "piece", "p_bernoulli", "klce2_unbiased"].contains(&metric);
                assert_eq!(cell.space.as_deref(), looks.then_some("x"));
                assert_eq!((cell.rows, cell.fitted), (120, 120));
            }
        }
    }
}

fn plan(data: &Opened, spec: &Value, begun: &Begun) -> ExperimentPlan {
    let written = json!({ "plan_experiment": { "spec": spec, "begun": begun } });
    let Outcome::ExperimentPlan(plan) = asked(Call::written(written).unwrap(), &[&data.0]).unwrap() else {
        panic!("no plan")
    };
    plan
}

/// How many numbers are computed where some are there.
fn lacking(data: &Opened, spec: &Value, begun: &Begun) -> usize {
    let plan = plan(data, spec, begun);
    plan.all - plan.cells.len()
}

#[test]
fn what_is_done_is_not_done_again() {
    let data = open(&whole(Kind::Binary), json!({}));
    let spec = json!({
        "methods": ["none", "platt", "platt+isotonic", { "id": "histogram", "name": "ten", "parameters": { "bins": 10 } }],
        "metrics": ["nll", "ece"], "divisions": { "seeds": 4 }
    });
    let all = data.try_experiment(spec.clone(), &Begun::default()).unwrap();
    assert_eq!(all.cells.len(), 4 * 2 * 4);
    assert_eq!(lacking(&data, &spec, &all), 0);
    let keep = |cell: &&Cell| cell.division != "seed 2" || cell.method == "none" || cell.metric == "ece";
    let part = Begun { spec: all.spec.clone(), cells: all.cells.iter().filter(keep).cloned().collect() };
    assert_eq!(lacking(&data, &spec, &part), 3);
    let again = data.try_experiment(spec.clone(), &part).unwrap();
    let sorted = |begun: &Begun| {
        let mut cells: Vec<String> = begun.cells.iter().map(|cell| format!("{cell:?}")).collect();
        cells.sort();
        cells
    };
    assert_eq!(sorted(&again), sorted(&all));
    // what is asked besides is done besides, and what is not asked any more is left out
    let mut more = spec.clone();
    more["metrics"] = json!(["ece", "brier"]);
    more["divisions"] = json!({ "seeds": 5 });
    assert_eq!(lacking(&data, &more, &all), 4 * (4 + 2));
    assert_eq!(data.try_experiment(more, &all).unwrap().cells.len(), 4 * 2 * 5);
    // another method under the same name, other bins for all, other rows
    let mut other = spec.clone();
    other["methods"][3]["parameters"]["bins"] = json!(5);
    assert_eq!(lacking(&data, &other, &all), 2 * 4);
    let mut bins = spec.clone();
    bins["bins"] = json!(5);
    assert_eq!(lacking(&data, &bins, &all), all.cells.len());
    let fewer: String = whole(Kind::Binary).lines().take(200).map(|line| format!("{line}\n")).collect();
    let error = open(&fewer, json!({})).try_experiment(spec, &all).unwrap_err();
    assert!(error.to_string().contains("are for other data"), "{error}");
}

#[test]
fn methods_beside_each_other_are_what_they_are_alone() {
    let data = open(&whole(Kind::Probabilities), json!({}));
    let one = |methods: &[&str]| {
        cells(
            &data,
            json!({
                "methods": methods, "metrics": ["nll", "ece"], "divisions": { "seeds": 1 },
                "spaces": [{ "name": "x", "features": ["x1", "x2"] }]
            }),
        )
    };
    let all = [
        "none+density_ratio",
        "none+density_ratio+lore",
        "none+bin_mean_shift",
        "none+bin_mean_shift+density_ratio",
        "temperature",
        "temperature+lcb",
        "temperature+multicalibration",
        "temperature+isotonic",
        "temperature+isotonic+bin_mean_shift",
        "isotonic",
        "isotonic+lore_ridge",
        "isotonic+proximity_stratified",
    ];
    let beside = one(&all);
    for method in all {
        let own: Vec<&Cell> = beside.iter().filter(|cell| cell.method == method).collect();
        let alone = one(&[method]);
        assert_eq!(own, alone.iter().collect::<Vec<_>>(), "{method}");
        assert!(own.iter().all(|cell| cell.value.is_some()), "{method}: {own:?}");
    }
}

#[test]
fn maps_are_of_one_file_and_names_are_distinct() {
    let data = open(&whole(Kind::Binary), json!({}));
    let error = data
        .try_experiment_beside(
            json!({
                "methods": ["lore"], "divisions": { "files": true },
                "spaces": [{ "name": "map", "features": ["x1"], "project": { "scale": "standardise" } }]
            }),
            &Begun::default(),
            &[&data],
        )
        .unwrap_err();
    assert_eq!(error.to_string(), "The space `map` is a feature map of one data set; here are 2.");
    let refused = |spec: Value| data.try_experiment(spec, &Begun::default()).unwrap_err().to_string();
    let spaces = json!([{ "name": "A", "features": ["x1"] }, { "name": "B", "features": ["x2"] }]);
    let named = json!({ "methods": ["lore", { "id": "platt", "name": "lore (A)" }], "spaces": spaces });
    assert_eq!(refused(named), "Two methods have the same name, `lore (A)`.");
    assert_eq!(refused(json!({ "divisions": { "seeds": [1, 1] } })), "A seed is listed twice.");
    let many: Vec<f64> = (1..=300).map(f64::from).collect();
    let vary =
        json!([{ "setting": "gamma", "values": many, "of": "metrics" }, { "setting": "neighbours", "values": many }]);
    assert_eq!(refused(json!({ "vary": vary })), "90,000 combinations of settings were requested.");
}

#[test]
fn files_of_the_same_rows_are_not_tested_as_others() {
    let data = open(&whole(Kind::Binary), json!({}));
    let spec = json!({ "methods": ["none", "platt", "isotonic"], "metrics": ["nll"], "divisions": { "files": true } });
    let found = data.try_experiment_beside(spec, &Begun::default(), &[&data, &data]).unwrap();
    assert!(found.spec.same_rows);
    let concluded = localcal::experiment::conclude(&found.spec, &found.cells, &Default::default()).unwrap();
    assert!(concluded.ranks.iter().all(|ranks| ranks.friedman.is_none()), "{:?}", concluded.ranks);
    assert!(concluded.comparisons.iter().all(|one| one.over != localcal::experiment::comparisons::Over::DataSets));
}

#[test]
fn folds_and_columns_divide() {
    let data = open(&whole(Kind::Binary), json!({}));
    let found =
        cells(&data, json!({ "metrics": ["nll"], "methods": ["none"], "divisions": { "folds": 3, "seeds": [1] } }));
    let rows: usize = found.iter().map(|cell| cell.rows).sum();
    assert_eq!((found.len(), rows, found[0].fitted), (3, 240, 160));
    assert_eq!(found[2].division, "seed 1, fold 3 of 3");
    // a file that says which rows calibrate is divided as it says
    let given = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let found = cells(&given, json!({ "metrics": ["nll"], "methods": ["none"] }));
    assert_eq!((found.len(), found[0].division.as_str()), (1, "as in file"));
    assert_eq!(
        given.try_experiment(json!({ "divisions": { "by": "nowhere" } }), &Begun::default()).unwrap_err().code(),
        "unknown_column"
    );
    let error =
        given.try_experiment(json!({ "divisions": { "by": "site", "seeds": 2 } }), &Begun::default()).unwrap_err();
    assert_eq!(error.to_string(), "Two data splits are specified.");
}

#[test]
fn settings_are_varied_where_they_are() {
    let data = open(&whole(Kind::Binary), json!({}));
    let spaces = json!([{ "name": "one", "features": ["x1"] }, { "name": "two", "features": ["x1", "x2"] }]);
    let spec = json!({
        "methods": ["none", "lore", { "id": "none+bin_mean_shift", "name": "shift", "space": "two" }],
        "spaces": spaces, "metrics": ["nll", "mlce"], "divisions": { "seeds": 1 },
        "vary": [{ "setting": "lambda", "values": [0.25, 1] }, { "setting": "gamma", "of": "metrics", "values": [0.1, 1, 10] }]
    });
    // none, LoRe in both spaces, the shift under two λ; NLL once, MLCE in two spaces under three γ
    let size = plan(&data, &spec, &Begun::default()).size;
    assert_eq!(size, ExperimentSize { fits: vec![1, 2, 2], splits: 1, numbers: 1 + 2 * 3 });
    let found = cells(&data, spec);
    assert_eq!(found.len(), 5 * (1 + 2 * 3));
    let names: std::collections::BTreeSet<&str> = found.iter().map(|cell| cell.method.as_str()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["lore (one)", "lore (two)", "none", "shift"]);
    let shifted = |lambda: f64| {
        let own = |cell: &&Cell| cell.metric == "nll" && cell.at.get("lambda") == Some(&Level::Number(lambda));
        found.iter().find(own).unwrap().value
    };
    assert_ne!(shifted(0.25), shifted(1.0));
    let error =
        data.try_experiment(json!({ "vary": [{ "setting": "speed", "values": [1] }] }), &Begun::default()).unwrap_err();
    assert_eq!(error.to_string(), "`speed` cannot be varied: no metric uses such a setting.");
}

#[test]
fn what_cannot_be_done_is_a_reason() {
    let data = open(&csv(Kind::Confidence, Part::Whole), json!({}));
    let found = cells(
        &data,
        json!({ "methods": ["none", "dirichlet", "platt"], "metrics": ["nll", "classwise_ece", "fit_seconds", "apply_seconds"] }),
    );
    let cell = of(&found, "dirichlet", "nll", "as in file");
    assert!(cell.value.is_none() && cell.reason.is_some(), "{cell:?}");
    assert!(of(&found, "platt", "nll", "as in file").value.is_some());
    assert!(of(&found, "platt", "classwise_ece", "as in file").reason.is_some());
    assert!(of(&found, "platt", "fit_seconds", "as in file").value.is_some_and(|seconds| seconds >= 0.0));
    let error =
        data.try_experiment(json!({ "methods": [{ "id": "lore", "space": "moon" }] }), &Begun::default()).unwrap_err();
    assert_eq!(error.to_string(), "`lore` uses the space `moon`, which does not exist.");
    let error = data.try_experiment(json!({ "metrics": ["beauty"] }), &Begun::default()).unwrap_err();
    assert_eq!(error.code(), "unknown_metric");
    let error = data.try_experiment(json!({ "methods": ["none", "none"] }), &Begun::default()).unwrap_err();
    assert_eq!(error.to_string(), "Two methods have the same name, `none`.");
}

#[test]
fn several_files_are_done_alike() {
    let (one, two) = (open(&whole(Kind::Binary), json!({})), open(&csv(Kind::Binary, Part::Whole), json!({})));
    let spec = json!({ "methods": ["none", "platt"], "metrics": ["nll"], "divisions": { "files": true } });
    let found = one.try_experiment_beside(spec, &Begun::default(), &[&two]).unwrap().cells;
    let told: Vec<(Option<&str>, &str)> =
        found.iter().map(|cell| (cell.data.as_deref(), cell.division.as_str())).collect();
    assert_eq!(told[0], (Some("a"), "seed 0"));
    assert_eq!(told[3], (Some("a (2)"), "as in file"));
}
