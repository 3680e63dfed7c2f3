//! Results against SciPy (`tests/golden/make_experiment.py`), at their edges, and on noise.

use serde_json::{Value, json};

use super::comparisons::{Against, Comparison, DifferenceVerdict, Over};
use super::{Cell, Concluded, Format, Level, SCHEMA, Spec, conclude, written};
use crate::hypothesis::paired_t::resampled_t;
use crate::hypothesis::signed_rank::signed_rank;
use crate::hypothesis::studentized_range::range_quantile;
use crate::num::rng::Lanes;
use crate::plot::chart::Screen;
use crate::report::sheet::Block;

fn golden() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/experiment.json")).expect("it is JSON")
}

fn spec(value: Value) -> Spec {
    serde_json::from_value(value).expect("a spec")
}

fn concluded(spec: &Spec, cells: &[Cell]) -> Concluded {
    conclude(spec, cells, &Screen::default()).expect("they are the experiment's")
}

fn cell(method: &str, metric: &str, division: usize, value: f64) -> Cell {
    Cell {
        method: method.into(),
        metric: metric.into(),
        division: format!("seed {division}"),
        value: Some(value),
        rows: 500,
        fitted: 500,
        ..Cell::default()
    }
}

fn headline(found: &Concluded) -> &str {
    match found.sheet.blocks.first() {
        Some(Block::Reading(words)) => words,
        _ => panic!("the finding comes first"),
    }
}

fn close(found: Option<f64>, expected: &Value, tolerance: f64, what: &str) {
    let (found, expected) = (found.expect(what), expected.as_f64().expect(what));
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1e-9), "{what}: {found} is not {expected}");
}

/// Whichever way round it stands.
fn pair<'a>(found: &'a Concluded, against: Against, a: &str, b: &str, metric: &str) -> Option<&'a Comparison> {
    let named = |one: &&Comparison| one.method == a && one.to == b && one.metric == metric && one.against == against;
    found.comparisons.iter().find(named)
}

#[test]
fn means_and_differences_are_scipys() {
    let golden = golden();
    let golden = &golden["divisions"];
    let size = |name: &str| golden[name].as_u64().unwrap() as usize;
    let mut cells = Vec::new();
    for (metric, methods) in golden["values"].as_object().unwrap() {
        for (method, values) in methods.as_object().unwrap() {
            cells.extend(values.as_array().unwrap().iter().enumerate().map(|(k, v)| Cell {
                rows: size("scored"),
                fitted: size("fitted"),
                ..cell(method, metric, k, v.as_f64().unwrap())
            }));
        }
    }
    let methods = ["none", "temperature", "platt", "isotonic"];
    let spec = spec(json!({ "methods": methods, "metrics": ["nll", "auroc"] }));
    let found = concluded(&spec, &cells);
    for metric in ["nll", "auroc"] {
        let expected = &golden["found"][metric];
        let best = expected["best"].as_str().unwrap();
        for one in found.summary.iter().filter(|one| one.metric == metric) {
            close(one.mean, &expected["mean"][&one.method], 1e-12, &one.method);
            close(one.sd, &expected["sd"][&one.method], 1e-10, &one.method);
            // temperature keeps the order of scores, and so the AUROC of the best
            let equal = metric == "auroc" && one.method == "temperature";
            assert_eq!((one.n, one.best), (10, one.method == best || equal), "{one:?}");
        }
        let mut met = 0;
        for expected in expected["pairs"].as_array().unwrap() {
            let (a, b) = (expected["method"].as_str().unwrap(), expected["to"].as_str().unwrap());
            for (against, to) in [(Against::None, "none"), (Against::Best, best)] {
                let (one, turned) = match (a == to, b == to) {
                    (true, _) => (pair(&found, against, b, a, metric), true),
                    (_, true) => (pair(&found, against, a, b, metric), false),
                    _ => continue,
                };
                met += 1;
                let one = one.expect("it is compared");
                let sign = if turned { -1.0 } else { 1.0 };
                let ends =
                    if turned { [&expected["high"], &expected["low"]] } else { [&expected["low"], &expected["high"]] };
                close(one.difference.map(|d| sign * d), &expected["difference"], 1e-9, "difference");
                close(one.low.map(|d| sign * d), ends[0], 1e-7, "low");
                close(one.high.map(|d| sign * d), ends[1], 1e-7, "high");
                close(one.p_alone, &expected["p_alone"], 1e-7, "p alone");
                close(one.p, &expected["p"], 1e-7, "p");
                assert_eq!(one.over, Over::Divisions);
                // value, interval, p and word come from one source
                let apart = one.low.unwrap() > 0.0 || one.high.unwrap() < 0.0;
                assert_eq!(apart, one.p.unwrap() < 0.05, "{one:?}");
                assert_eq!(apart, one.verdict != Some(DifferenceVerdict::NotSignificant), "{one:?}");
            }
        }
        // against none and against the best, which is none by AUROC; temperature is no pair there
        assert_eq!(met, if metric == "nll" { 6 } else { 4 }, "{metric}");
    }
    // temperature keeps the order of scores
    let same = pair(&found, Against::None, "temperature", "none", "auroc").expect("it is compared");
    assert_eq!((same.difference, same.p, same.verdict), (Some(0.0), None, Some(DifferenceVerdict::NotSignificant)));
    assert_eq!(same.reason.as_deref(), Some("the same in every split"));
    // ranks over divisions have no test, and it is said why
    assert!(found.ranks.iter().all(|ranks| ranks.friedman.is_none() && ranks.reason.is_some()));
}

#[test]
fn ranks_and_tests_over_data_sets_are_scipys() {
    let golden = golden();
    let golden = &golden["data_sets"];
    let mut cells = Vec::new();
    for (method, values) in golden["values"].as_object().unwrap() {
        cells.extend(values.as_array().unwrap().iter().enumerate().map(|(k, v)| Cell {
            data: Some(format!("file {k}")),
            division: "as in file".into(),
            ..cell(method, "nll", k, v.as_f64().unwrap())
        }));
    }
    let methods = ["none", "temperature", "platt", "isotonic", "beta"];
    let spec = spec(json!({ "methods": methods, "metrics": ["nll"], "divisions": { "files": true } }));
    let found = concluded(&spec, &cells);
    let [ranks] = found.ranks.as_slice() else { panic!("one quantity") };
    assert_eq!((ranks.over, ranks.n, ranks.methods.len()), (Over::DataSets, 12, 5));
    for one in &ranks.methods {
        close(Some(one.rank), &golden["ranks"][&one.method], 1e-12, &one.method);
    }
    assert!(ranks.methods.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
    let test = ranks.friedman.expect("a test");
    close(Some(test.chi2), &golden["chi2"], 1e-10, "χ²");
    close(Some(test.p), &golden["p"], 1e-8, "p");
    close(test.f, &golden["f"], 1e-10, "F");
    close(Some(test.p_f), &golden["p_f"], 1e-7, "p of F");
    close(ranks.critical_difference, &golden["critical"][0], 1e-6, "critical difference");
    close(ranks.critical_difference_10, &golden["critical"][1], 1e-6, "critical difference at .1");
    let best = ranks.methods[0].method.clone();
    let mut met = 0;
    for expected in golden["pairs"].as_array().unwrap() {
        let (a, b) = (expected["method"].as_str().unwrap(), expected["to"].as_str().unwrap());
        let over = |one: &&Comparison| one.over == Over::DataSets && one.against == Against::Best && one.to == best;
        let either = |one: &&Comparison| (b == best && one.method == a) || (a == best && one.method == b);
        let Some(one) = found.comparisons.iter().filter(over).find(either) else { continue };
        met += 1;
        close(one.p_alone, &expected["t"], 1e-6, "t");
        close(one.p, &expected["t_corrected"], 1e-6, "t corrected");
        close(one.p_signed_rank, &expected["signed_rank_corrected"], 1e-9, "signed rank");
        close(one.p_sign, &expected["sign_corrected"], 1e-9, "sign");
    }
    assert_eq!(met, 4);
    assert!(
        headline(&found).contains("mean rank") && headline(&found).contains("12 data sets"),
        "{}",
        headline(&found)
    );
}

#[test]
fn signed_ranks_ranges_and_quantiles_are_scipys() {
    let golden = golden();
    for case in golden["signed_ranks"].as_array().unwrap() {
        let differences: Vec<f64> = serde_json::from_value(case["differences"].clone()).unwrap();
        close(signed_rank(&differences), &case["p"], 1e-9, &format!("{} differences", differences.len()));
    }
    for case in golden["ranges"].as_array().unwrap() {
        let k = case["methods"].as_u64().unwrap() as usize;
        close(Some(range_quantile(case["alpha"].as_f64().unwrap(), k)), &case["q"], 1e-6, &format!("{k} methods"));
    }
    for case in golden["quantiles"].as_array().unwrap() {
        let freedom = case["freedom"].as_u64().unwrap() as usize;
        // differences with mean 0 and standard error 1
        let n = (freedom + 1) as f64;
        let mut differences = vec![0.0; freedom + 1];
        differences[0] = 1.0;
        differences[1] = -1.0;
        let test = resampled_t(&differences, 0.0).expect("they vary");
        let (low, high) = test.interval(case["level"].as_f64().unwrap()).expect("an interval");
        close(Some(high / test.error), &case["t"], 1e-7, &format!("{case} of {n}"));
        assert_eq!(low, -high);
    }
}

/// Equal methods under divisions of the same rows.
fn noise(lanes: &mut Lanes, methods: usize, divisions: usize, metrics: &[&str]) -> Vec<Cell> {
    let mut draws = std::iter::from_fn(|| Some(lanes.normal())).flatten();
    let mut draw = || draws.next().unwrap();
    let mut cells = Vec::new();
    for metric in metrics {
        for k in 0..methods {
            // halves: what the rows give all divisions is half of the variance
            let all = draw() * 0.5_f64.sqrt();
            cells.extend(
                (0..divisions).map(|d| cell(&format!("m{k}"), metric, d, 0.5 + 0.01 * (all + draw() * 0.5_f64.sqrt()))),
            );
        }
    }
    cells
}

#[test]
fn no_p_value_is_the_best() {
    let spec = spec(json!({ "methods": ["none", "platt"], "metrics": ["p_bernoulli"] }));
    let value = |method: &str, k: usize| if method == "none" { 1e-7 } else { 0.4 + 0.01 * k as f64 };
    let both = ["none", "platt"].into_iter();
    let cells: Vec<Cell> =
        both.flat_map(|method| (0..6).map(move |k| cell(method, "p_bernoulli", k, value(method, k)))).collect();
    let found = concluded(&spec, &cells);
    assert!(found.summary.iter().all(|one| !one.best && !one.tied), "{:?}", found.summary);
    assert!(found.comparisons.iter().all(|one| one.verdict.is_none()) && found.ranks.is_empty());
    assert!(headline(&found).ends_with("methods are not ranked by it."), "{}", headline(&found));
    let latex = written(&found, Format::Latex).expect("it is written");
    assert!(!latex.contains("mathbf") && latex.contains("$<0.001$"), "{latex}");
}

#[test]
fn nothing_is_claimed_of_equal_methods() {
    let mut lanes = Lanes::seeded(5, 1);
    const TRIES: usize = 400;
    for (methods, divisions) in [(2, 10), (5, 5), (8, 10)] {
        let names: Vec<String> = (0..methods).map(|k| format!("m{k}")).collect();
        let spec = spec(json!({ "methods": names, "metrics": ["nll"] }));
        let (mut told, mut claimed) = (0, 0);
        for _ in 0..TRIES {
            let found = concluded(&spec, &noise(&mut lanes, methods, divisions, &["nll"]));
            let worse = found
                .comparisons
                .iter()
                .any(|one| matches!(one.verdict, Some(DifferenceVerdict::Better | DifferenceVerdict::Worse)));
            let claims = !headline(&found).starts_with("No method is significantly better");
            assert_eq!(worse, claims, "{}", headline(&found));
            told += usize::from(worse);
            claimed += usize::from(claims);
        }
        // 99.9 % of 400 draws of 5 %; two methods are one comparison, whose level is exact
        assert!(told <= 36 && claimed <= 36, "{methods} methods: {told}, {claimed}");
        assert!(methods > 2 || told >= 7, "{told}");
    }
}

#[test]
fn equal_methods_rank_alike() {
    let mut lanes = Lanes::seeded(6, 1);
    const TRIES: usize = 200;
    let mut claimed = 0;
    let names: Vec<String> = (0..5).map(|k| format!("m{k}")).collect();
    let spec = spec(json!({ "methods": names, "metrics": ["nll"], "divisions": { "files": true } }));
    for _ in 0..TRIES {
        let mut cells = noise(&mut lanes, 5, 12, &["nll"]);
        let mut draws = std::iter::from_fn(|| Some(lanes.normal())).flatten();
        for one in &mut cells {
            one.data = Some(std::mem::replace(&mut one.division, "as in file".into()));
            one.value = draws.next();
        }
        let found = concluded(&spec, &cells);
        claimed += usize::from(
            !headline(&found).starts_with("Mean ranks by NLL over 12 data sets are not significantly different"),
        );
    }
    assert!((1..=22).contains(&claimed), "{claimed} of {TRIES}");
}

#[test]
fn the_order_of_the_cells_says_nothing() {
    let mut lanes = Lanes::seeded(7, 1);
    let spec = spec(json!({
        "methods": ["m0", "m1", "m2"], "metrics": ["brier", "nll"],
        "vary": [{ "setting": "gamma", "values": [0.2, 0.4], "of": "methods" }],
    }));
    let mut cells = noise(&mut lanes, 3, 12, &["nll", "brier"]);
    let mut turned = Vec::new();
    for one in cells.iter_mut().filter(|one| one.method == "m2") {
        one.at.insert("gamma".into(), Level::Number(0.2));
        let at = [("gamma".to_owned(), Level::Number(0.4))].into();
        turned.push(Cell { at, value: one.value.map(|v| v + 0.01), ..one.clone() });
    }
    cells.extend(turned);
    cells[4].value = None;
    cells[4].reason = Some("it failed".into());
    let expected = concluded(&spec, &cells);
    for seed in 0..20 {
        let mut order = Lanes::seeded(seed, 2);
        for i in (1..cells.len()).rev() {
            cells.swap(i, order.next()[0] as usize % (i + 1));
        }
        assert_eq!(concluded(&spec, &cells), expected);
    }
    // read back from a file, it says the same
    let saved: Value = serde_json::from_str(&written(&expected, Format::Json).unwrap()).unwrap();
    assert_eq!(saved["schema"], SCHEMA);
    let again: Vec<Cell> = serde_json::from_value(saved["cells"].clone()).unwrap();
    let asked: Spec = serde_json::from_value(saved["spec"].clone()).unwrap();
    assert_eq!(concluded(&asked, &again), expected);
    for name in ["summary", "comparisons", "ranks"] {
        assert!(saved[name].as_array().is_some_and(|list| !list.is_empty()), "{name}");
    }
}

#[test]
fn one_division_is_no_ground_for_a_claim() {
    let spec = spec(json!({ "methods": ["none", "platt", "beta"], "metrics": ["nll"] }));
    let cells = [cell("none", "nll", 0, 0.5), cell("platt", "nll", 0, 0.4), cell("beta", "nll", 0, 0.45)];
    let found = concluded(&spec, &cells);
    assert!(found.comparisons.iter().all(|one| one.low.is_none() && one.p.is_none() && one.verdict.is_none()));
    assert!(
        found.comparisons.iter().all(|one| one.reason.as_ref().is_some_and(|why| why.starts_with("only one split")))
    );
    assert!(headline(&found).ends_with("the difference was not tested."), "{}", headline(&found));
    assert!(found.summary.iter().all(|one| one.sd.is_none() && !one.tied && one.n == 1));
    // of exact ties, each is the best
    let tied = [cell("none", "nll", 0, 0.5), cell("platt", "nll", 0, 0.4), cell("beta", "nll", 0, 0.4)];
    let best: Vec<bool> = concluded(&spec, &tied).summary.iter().map(|one| one.best).collect();
    assert_eq!(best, [false, true, true]);
    assert!(
        found.notes.iter().any(|note| note.contains("Differences cannot be tested with a single split")),
        "{:?}",
        found.notes
    );
    assert_eq!(headline(&concluded(&spec, &[])), "No results yet.");
    assert!(headline(&concluded(&spec, &cells[..1])).contains("no other method"));
}

#[test]
fn what_is_missing_is_said_and_is_no_number() {
    let spec = spec(json!({ "methods": ["none", "platt", "beta", "vector"], "metrics": ["nll", "mean_gap", "slope"] }));
    let mut cells = Vec::new();
    for k in 0..6 {
        cells.push(cell("none", "nll", k, 0.5 + 0.001 * k as f64));
        // the lowest mean, over the divisions that it has
        cells.push(cell("platt", "nll", k, if k < 2 { 0.1 } else { f64::NAN }));
        cells.push(cell("beta", "nll", k, 0.4 + 0.001 * (k * k % 5) as f64));
        cells.push(Cell { value: None, reason: Some("needs every class".into()), ..cell("vector", "nll", k, 0.0) });
        cells.push(cell("none", "mean_gap", k, if k % 2 == 0 { 0.1 } else { -0.1 }));
        cells.push(cell("beta", "mean_gap", k, 0.01 + 0.001 * k as f64));
        cells.push(cell("none", "slope", k, 0.35 + 0.01 * k as f64));
        cells.push(cell("beta", "slope", k, 0.98 + 0.001 * k as f64));
    }
    let found = concluded(&spec, &cells);
    let of = |method: &str, metric: &str| {
        found.summary.iter().find(|one| one.method == method && one.metric == metric).expect("it is there")
    };
    assert!(of("beta", "nll").best && !of("platt", "nll").best);
    assert_eq!((of("platt", "nll").n, of("vector", "nll").n), (2, 0));
    let reason = of("platt", "nll").reason.clone().unwrap_or_default();
    assert_eq!(reason, "missing in 4 of 6 splits: not a finite number");
    assert_eq!(of("vector", "nll").reason.as_deref(), Some("needs every class"));
    // nearest to zero by the mean distance, not by the distance of the mean
    assert!(of("beta", "mean_gap").best, "{:?}", of("none", "mean_gap"));
    assert!(
        pair(&found, Against::None, "beta", "none", "mean_gap")
            .is_some_and(|one| one.verdict == Some(DifferenceVerdict::Better))
    );
    let table = written(&found, Format::Markdown).expect("it is written");
    assert!(table.contains("ranked by the mean distance from the ideal value, not by the mean shown."), "{table}");
    // nearest to 1, not the smallest
    assert!(of("beta", "slope").best, "{:?}", of("none", "slope"));
    assert!(
        pair(&found, Against::None, "beta", "none", "slope")
            .is_some_and(|one| one.verdict == Some(DifferenceVerdict::Better))
    );
    // values that do not vary
    let constant: Vec<Cell> = (0..4)
        .flat_map(|k| [cell("none", "nll", k, 0.1), cell("platt", "nll", k, 0.3), cell("beta", "nll", k, 0.3)])
        .collect();
    let same = concluded(&spec, &constant);
    let one = pair(&same, Against::Best, "platt", "none", "nll").expect("it is compared");
    assert_eq!((one.p, one.verdict), (None, None));
    assert!(one.reason.as_ref().is_some_and(|why| why.contains("no variance")), "{one:?}");
    assert_eq!(same.summary[0].sd, Some(0.0));
    for found in [&found, &same] {
        for format in [Format::Json, Format::Markdown, Format::Latex, Format::Csv, Format::CellsCsv] {
            let text = written(found, format).expect("it is written");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{format:?}: {text}");
        }
        let json = serde_json::to_string(found).expect("it is written");
        assert!(!json.contains("NaN"), "{json}");
    }
}

/// A maximum that a row without neighbors decides makes no headline; where no row has neighbors, none is made at all.
#[test]
fn no_headline_of_an_unsupported_maximum() {
    let experiment = spec(json!({
        "methods": ["none", "histogram"], "metrics": ["mlce", "mlce_supported"], "divisions": { "seeds": [0, 1, 2, 3, 4] },
    }));
    let cells = |supported: bool| -> Vec<Cell> {
        let each = (0..5).flat_map(|division| {
            let wobble = f64::from(u32::try_from(division * 7 % 5).unwrap()) * 1e-4;
            let pair = |method: &str, largest: f64, judged: f64| {
                let beside = Cell {
                    value: supported.then_some(judged + wobble),
                    reason: (!supported).then(|| "no row has 20 effective neighbors at this bandwidth".to_owned()),
                    ..cell(method, "mlce_supported", division, 0.0)
                };
                [cell(method, "mlce", division, largest - wobble), beside]
            };
            pair("none", 0.9, 0.1).into_iter().chain(pair("histogram", 0.5, 0.2)).collect::<Vec<_>>()
        });
        each.collect()
    };
    let found = concluded(&experiment, &cells(true));
    assert!(
        headline(&found).starts_with("No recalibration has the lowest MLCE (20 effective neighbors)"),
        "{}",
        headline(&found)
    );
    let found = concluded(&experiment, &cells(false));
    assert_eq!(
        headline(&found),
        "No statement is made about MLCE: no row has 20 effective neighbors at this bandwidth."
    );
}

/// Of many bandwidths none is the one that a headline may choose.
#[test]
fn a_sweep_of_bandwidths_is_counted() {
    let experiment = spec(json!({
        "methods": ["none", "lore"], "metrics": ["mlce_supported"], "divisions": { "seeds": [0, 1, 2, 3, 4] },
        "spaces": [{ "name": "PCA" }],
        "vary": [{ "setting": "gamma", "values": [0.1, 0.2, 0.4, 0.8, 1.6], "of": "metrics" }],
    }));
    let mut cells = Vec::new();
    for (k, gamma) in [0.1, 0.2, 0.4, 0.8, 1.6].into_iter().enumerate() {
        for division in 0..5 {
            let wobble = f64::from(u32::try_from(division * 7 % 5).unwrap()) * 1e-4;
            // at the first the repaired scores are best by far, at the others the original ones
            for (method, value) in [("none", 0.2), ("lore (PCA)", if k == 0 { 0.0 } else { 0.4 })] {
                cells.push(Cell {
                    space: Some("PCA".to_owned()),
                    at: [("gamma".to_owned(), Level::Number(gamma))].into(),
                    ..cell(method, "mlce_supported", division, value + wobble)
                });
            }
        }
    }
    let found = concluded(&experiment, &cells);
    assert_eq!(
        headline(&found),
        "No recalibration has the lowest MLCE (20 effective neighbors) in PCA at 4 of 5 values of γ over 5 splits, \
         significantly better than every other method at 4."
    );
}

#[test]
fn cells_of_another_experiment_are_refused() {
    let spec = spec(json!({ "methods": ["none", "lore"], "metrics": ["nll"], "spaces": [{ "name": "PCA" }] }));
    let refused = |cell: Cell| conclude(&spec, &[cell], &Screen::default()).err().map(|error| error.code());
    assert_eq!(refused(cell("none", "nll", 0, 0.1)), None);
    assert_eq!(refused(cell("lore (PCA)", "nll", 0, 0.1)), None);
    assert_eq!(refused(cell("platt", "nll", 0, 0.1)), Some("invalid_option"));
    assert_eq!(refused(cell("none", "ece", 0, 0.1)), Some("invalid_option"));
    assert_eq!(refused(cell("none", "no_such", 0, 0.1)), Some("invalid_option"));
    let twice =
        |value: f64| conclude(&spec, &[cell("none", "nll", 0, 0.1), cell("none", "nll", 0, value)], &Screen::default());
    assert_eq!(twice(0.1).expect("the same").cells.len(), 1);
    assert_eq!(twice(0.2).err().map(|error| error.code()), Some("invalid_option"));
}

#[test]
fn tables_to_paste() {
    let spec = spec(json!({
        "methods": ["none", { "id": "lore", "name": "LoRe a_b & 50 %" }, "platt"], "metrics": ["accuracy", "mlce"],
        "spaces": [{ "name": "t-SNE" }, { "name": "PCA" }],
    }));
    let mut cells = Vec::new();
    for (m, method) in ["none", "LoRe a_b & 50 % (t-SNE)", "LoRe a_b & 50 % (PCA)", "platt"].iter().enumerate() {
        for k in 0..5 {
            let shift = 0.001 * ((k * (m + 2)) % 5) as f64;
            cells.push(cell(method, "accuracy", k, 0.8 + 0.01 * m as f64 + shift));
            for space in ["t-SNE", "PCA"] {
                let value = 0.3 - 0.05 * m as f64 + shift;
                cells.push(Cell { space: Some(space.into()), ..cell(method, "mlce", k, value) });
            }
        }
    }
    let found = concluded(&spec, &cells);
    let latex = written(&found, Format::Latex).unwrap();
    for part in [
        "\\multicolumn{2}{c}{",
        "\\cmidrule(lr){3-4}",
        "t-SNE & PCA",
        "\\toprule",
        "\\bottomrule",
        "\\mathbf{",
        " \\pm ",
        "\\label{tab:accuracy-mlce}",
        "Accuracy (\\%)",
        "LoRe a\\_\\allowbreak{}b \\& 50 \\%",
    ] {
        assert!(latex.contains(part), "{part}: {latex}");
    }
    let markdown = written(&found, Format::Markdown).unwrap();
    assert!(markdown.contains("| LoRe a\\_b &amp; 50 % (PCA) |"), "{markdown}");
    assert!(markdown.contains("**") && markdown.contains("Accuracy (%)"), "{markdown}");
    let csv = written(&found, Format::Csv).unwrap();
    assert_eq!(csv.lines().count(), 1 + found.summary.len());
    assert!(csv.starts_with("data,method,space,metric,mean,sd,n,best,tied,reason\n"), "{csv}");
    let all = written(&found, Format::CellsCsv).unwrap();
    assert_eq!(all.lines().count(), 1 + cells.len());
    assert!(all.starts_with("data,method,space,division,metric,value,seconds,rows,fitted,reason\n"), "{all}");
    assert!(all.contains(",seed 0,accuracy,0.8,,500,500,\n"), "{all}");
}

#[test]
fn doing_nothing_may_be_best() {
    let spec = spec(json!({ "methods": ["none", "platt"], "metrics": ["accuracy"] }));
    let worse = |k: usize| 0.7 + 0.001 * (k * k % 7) as f64;
    let cells: Vec<Cell> =
        (0..10).flat_map(|k| [cell("none", "accuracy", k, 0.9), cell("platt", "accuracy", k, worse(k))]).collect();
    let found = concluded(&spec, &cells);
    assert_eq!(
        headline(&found),
        "No recalibration has the highest Accuracy (90.0 ± 0%), significantly better than the other method over 10 \
         splits."
    );
    let platt = pair(&found, Against::None, "platt", "none", "accuracy").expect("it is compared");
    assert_eq!(platt.verdict, Some(DifferenceVerdict::Worse));
    assert!(platt.difference.is_some_and(|d| d < 0.0));
}

fn titles(found: &Concluded) -> Vec<String> {
    let figures = found.sheet.blocks.iter().filter_map(|block| match block {
        Block::Figures(figures) => Some(figures),
        _ => None,
    });
    figures.flatten().map(|figure| figure.title.clone()).collect()
}

fn tables(found: &Concluded, caption: &str) -> Vec<Vec<String>> {
    let tables = found.sheet.blocks.iter().filter_map(|block| match block {
        Block::Table(table) if table.caption.contains(caption) => Some(table),
        _ => None,
    });
    tables.flat_map(|table| &table.rows).map(|row| row.iter().map(|cell| cell.text.clone()).collect()).collect()
}

#[test]
fn every_chart_has_its_lines() {
    let spec = spec(json!({
        "methods": ["none", "temperature", "temperature+density_ratio", "none+density_ratio"], "metrics": ["nll", "mlce"],
        "spaces": [{ "name": "t-SNE" }], "vary": [{ "setting": "gamma", "values": [0.1, 0.2, 0.4], "of": "metrics" }],
    }));
    let mut cells = Vec::new();
    for (m, method) in ["none", "temperature", "temperature+density_ratio", "none+density_ratio"].iter().enumerate() {
        for k in 0..5 {
            let shift = 0.001 * ((k * (m + 2)) % 5) as f64;
            cells.push(cell(method, "nll", k, 0.5 - 0.02 * m as f64 + shift));
            for gamma in [0.1, 0.2, 0.4] {
                let at = [("gamma".to_owned(), Level::Number(gamma))].into();
                let value = 0.3 - 0.05 * m as f64 + shift - 0.1 * gamma;
                cells.push(Cell { space: Some("t-SNE".into()), at, ..cell(method, "mlce", k, value) });
            }
        }
    }
    let found = concluded(&spec, &cells);
    assert_eq!(titles(&found), ["MLCE, t-SNE", "NLL"]);
    let figures: Vec<_> = found.sheet.blocks.iter().filter(|block| matches!(block, Block::Figures(_))).collect();
    let json = serde_json::to_string(&figures).expect("they are written");
    assert!(
        json.contains("bands: ± one standard deviation") && json.contains("Temperature scaling + ProCal"),
        "{json}"
    );
    // bases × seconds: two lines, each with the base alone and what came after it
    let rows = tables(&found, "first × second method");
    assert_eq!(
        rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(),
        ["Temperature scaling", "Original predictions"]
    );
    assert!(rows.iter().all(|row| row.len() == 3 && row.iter().all(|cell| cell != "–")), "{rows:?}");
    // the summary has a line a method, space and setting
    assert_eq!(found.summary.len(), 4 + 4 * 3);
    let collided: Vec<String> = found
        .sheet
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Figures(figures) => Some(figures.iter().flat_map(crate::plot::collisions::collisions)),
            _ => None,
        })
        .flatten()
        .collect();
    assert!(collided.is_empty(), "{collided:?}");
}

/// Sixteen methods in five divisions: corrected for 120 pairs nothing is found that a planned comparison finds, and what is
/// not found says how large it would have to be.
#[test]
fn fewer_comparisons_find_more_and_none_is_called_equal() {
    let mut lanes = Lanes::seeded(5, 0);
    let names: Vec<String> = (0..16).map(|k| if k == 0 { "none".to_owned() } else { format!("m{k}") }).collect();
    let asked: Vec<Value> = names.iter().map(|name| json!({ "id": "platt", "name": name })).collect();
    let asked: Vec<Value> = std::iter::once(json!("none")).chain(asked.into_iter().skip(1)).collect();
    let cells: Vec<Cell> = (0..5)
        .flat_map(|division| {
            let draws = lanes.normal().into_iter().chain(lanes.normal()).chain(lanes.normal()).chain(lanes.normal());
            let values: Vec<f64> = draws.take(16).collect();
            let values = values.into_iter().enumerate().map(|(k, z)| if k == 1 { 0.02 } else { 0.05 } + 0.002 * z);
            names.iter().zip(values).map(|(name, value)| cell(name, "ece", division, value)).collect::<Vec<_>>()
        })
        .collect();
    let of = |compare: Option<Value>| {
        let mut asked = json!({ "methods": asked, "metrics": ["ece"], "divisions": { "seeds": [0, 1, 2, 3, 4] } });
        if let Some(compare) = compare {
            asked["compare"] = compare;
        }
        concluded(&spec(asked), &cells)
    };
    let (all, every) = (of(None), of(Some(json!("all"))));
    assert_eq!(all.comparisons, every.comparisons);
    let control = of(Some(json!({ "control": "none" })));
    let pair = of(Some(json!({ "pairs": [["m1", "none"], ["m2", "none"]] })));
    let p = |found: &Concluded| {
        let one = found.comparisons.iter().find(|one| one.method == "m1" && one.to == "none").expect("compared");
        (one.p.expect("tested"), one.p_alone.expect("tested"), one.verdict)
    };
    let ((p_all, alone, says_all), (p_control, ..), (p_pair, .., says_pair)) = (p(&all), p(&control), p(&pair));
    assert!(p_all >= 100.0 * alone && p_control <= 15.0 * alone + 1e-12 && p_pair <= 2.0 * alone + 1e-12);
    assert_eq!(
        (says_all, says_pair),
        (Some(DifferenceVerdict::NotSignificant), Some(DifferenceVerdict::Better)),
        "{p_all} {p_control} {p_pair}"
    );
    assert_eq!((control.comparisons.len(), pair.comparisons.len()), (15, 2));
    // what is not found says what would have been: with fewer comparisons less is enough
    let detectable = |found: &Concluded| {
        let one = found.comparisons.iter().find(|one| one.method == "m2" && one.to == "none").expect("compared");
        assert_eq!(one.verdict, Some(DifferenceVerdict::NotSignificant));
        one.detectable.expect("a difference")
    };
    assert!(detectable(&pair) < detectable(&control) && detectable(&control) < detectable(&all));
    assert!(headline(&all).contains("(detectable difference at 80% power: "), "{}", headline(&all));
    assert!(
        headline(&pair)
            .starts_with("Of 2 methods compared with no recalibration by ECE over 5 splits, 1 significantly better"),
        "{}",
        headline(&pair)
    );
    let notes = pair.notes.join(" ");
    for words in
        ["corrected resampled t-test (Nadeau and Bengio, 2003)", "(Holm) for the 2 planned comparisons", "level .05"]
    {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    for found in [&all, &control, &pair] {
        let page = serde_json::to_string(&found.sheet).expect("a sheet");
        assert!(!page.contains("told apart"), "{page}");
    }
    let table = written(&all, Format::Markdown).expect("a table");
    assert!(
        table.contains("(corrected resampled t-test over 5 splits, Holm for 120 comparisons, level .05; detectable"),
        "{table}"
    );
    assert!(!written(&pair, Format::Markdown).expect("a table").contains('†'));
    // many cells have the mark, and one note says what it means
    let words = "not significantly different from the best";
    let blocks = all.sheet.blocks.iter().filter(|block| matches!(block, Block::Table(_) | Block::Note(_)));
    let page = serde_json::to_string(&blocks.collect::<Vec<_>>()).expect("blocks");
    assert_eq!(page.matches(words).count(), 1, "{page}");
    assert!(page.matches('†').count() > 2, "{page}");
}
