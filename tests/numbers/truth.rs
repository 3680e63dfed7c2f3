//! Recovery of a known truth: the synthetic set says what the probability of every outcome was.

use crate::support::pipeline::{Opened, Ran, asked, near, open};
use localcal::analysis::neighbourhoods::NeighbourhoodsOutcome;
use localcal::job::{Call, DataSet, Outcome};
use localcal::kernel::{Kernel, Part, Points};
use localcal::local::{LocalQueries, LocalSample, signed_local_error};
use localcal::report::export::Bytes;
use localcal::report::view::ViewOutcome;
use localcal::report::view::request::ChartRequest;
use localcal::sample::synthetic::{DEFAULT_ROWS, OVER_CONFIDENT, UNDER_CONFIDENT, synthetic};
use localcal::words::number::points_size;
use serde_json::{Value, json};

fn rms(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), v| (sum + v * v, n + 1.0));
    (sum / n).sqrt()
}

#[test]
fn signed_local_error_comes_nearer_to_the_true_gap() {
    let own = LocalQueries::Sample { leave_one_out: false };
    let mut errors = Vec::new();
    // γ ∝ n^(−1/6) balances bias and noise of a kernel mean in two dimensions.
    for (n, gamma) in [(1_000, 0.4), (4_000, 0.32), (16_000, 0.25)] {
        let data = synthetic(n, 0);
        let places: Vec<f64> = data.x1.iter().zip(&data.x2).flat_map(|(a, b)| [*a, *b]).collect();
        let bin = vec![0; n];
        let sample = LocalSample::new(&data.p, &data.y, &bin, Points::row_major(2, &places).unwrap()).unwrap();
        let kernel = Kernel::Laplacian { gamma };
        let found = signed_local_error(&sample, &own, kernel, Part::WHOLE).unwrap();
        let gap = || data.p.iter().zip(&data.truth).map(|(p, q)| p - q);
        let error = rms(found.slce.iter().zip(gap()).map(|(found, gap)| found - gap));
        println!("n = {n}, γ = {gamma}: off by {error:.4}; the gap itself {:.4}", rms(gap()));
        errors.push(error / rms(gap()));
    }
    let bounds = [0.75, 0.55, 0.4];
    assert!(errors.iter().zip(bounds).all(|(error, bound)| *error < bound), "{errors:?}");
    assert!(errors.is_sorted_by(|a, b| a > b), "{errors:?}");
}

fn example() -> Opened {
    open(&synthetic(DEFAULT_ROWS, 0).to_csv(), json!({}))
}

fn local_run(data: &Opened) -> Ran {
    data.run(json!({
        "methods": ["none", "temperature", "platt", "isotonic", "histogram", "beta", { "id": "lore", "parameters": { "gamma": 0.25 } }],
        "metrics": ["ece", "nll", "mean_lce", "mlce"],
        "local": { "features": ["x1", "x2"], "gamma": 0.4 },
        "resamples": 0,
    }))
}

#[test]
fn local_recalibration_goes_half_the_way_to_the_truth() {
    // Four times the rows of the built-in example: within 15 bins, 4,000 rows leave LoRe some 60 neighbors a place, and
    // it comes to 0.56 of the distance only.
    let made = synthetic(4 * DEFAULT_ROWS, 0);
    let data = open(&made.to_csv(), json!({}));
    let ran = local_run(&data);
    let truth = made.truth;
    let mut off = std::collections::BTreeMap::new();
    for method in &ran.outcome().rows {
        let name = method.method.name.as_str();
        let pairs = method.rows.iter().zip(method.score.iter());
        let distance = rms(pairs.map(|(row, score)| score - truth[*row as usize]));
        let value = |id: &str| ran.value(name, id);
        println!(
            "{name:12} to the truth {distance:.4}  mean LCE {:.4}  MLCE {:.4}  NLL {:.4}",
            value("mean_lce"),
            value("mlce"),
            value("nll")
        );
        off.insert(name.to_owned(), distance);
    }
    assert!(off["lore"] < 0.5 * off["none"], "{off:?}");
    assert!(ran.value("lore", "mean_lce") < ran.value("none", "mean_lce"));
    assert!(ran.value("lore", "nll") < ran.value("none", "nll") + 0.005);
}

/// Runs an analysis as the page does.
fn analyse(data: &Opened, ran: &Ran, request: Value) -> Outcome {
    data.try_analyse(ran, request).unwrap_or_else(|error| panic!("{}: {error}", error.code()))
}

fn neighbourhoods(data: &Opened, ran: &Ran, options: Value) -> NeighbourhoodsOutcome {
    match analyse(data, ran, json!({ "neighbourhoods": options })) {
        Outcome::Neighbourhoods(found) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn worst_neighborhoods_are_where_the_model_is_wrong() {
    let data = example();
    let ran = local_run(&data);
    for options in
        [json!({"bin": "all"}), json!({"gamma": 0.8}), json!({"bin": "all", "gamma": 0.2, "seed": 5, "resamples": 60})]
    {
        let found = neighbourhoods(&data, &ran, options.clone());
        println!("{options}: {} places, {} permutations, {:?}", found.looked, found.resamples, found.notes);
        for one in &found.found {
            println!("{:?} row {}: {}; {}; {}; {:?}", one.at, one.row, one.title, one.headline, one.verdict, one.facts);
        }
        for (sign, center) in [(1.0, OVER_CONFIDENT), (-1.0, UNDER_CONFIDENT)] {
            let first = found.found.iter().find(|one| one.gap * sign > 0.0).unwrap();
            // Bins cut the regions into strips, in which fewer rows decide where the largest error stands.
            let within = if options["bin"] == "all" { 1.0 } else { 1.6 };
            assert!((first.at[0] - center[0]).hypot(first.at[1] - center[1]) < within, "{first:?}");
            assert_eq!(first.p, 1.0 / (found.resamples + 1) as f64);
            assert!(first.verdict.starts_with("0.0"));
            // A small heart may differ by one coordinate only, as far as its few rows can show.
            assert!(first.headline.starts_with('x'), "{}", first.headline);
        }
        assert!(found.found.iter().filter(|one| one.gap > 0.0).count() <= 5);
        assert!(found.verdict.is_supported() && found.reading.starts_with("Local "));
        let tested = "This tests the original predictions at every place of the map, not the subgroups of the finding";
        assert!(found.reading.contains(tested), "{}", found.reading);
    }
    // Rows are compared within their confidence bin unless someone says otherwise.
    let [usual, each] = [json!({"gamma": 0.8}), json!({"gamma": 0.8, "bin": "each"})]
        .map(|options| neighbourhoods(&data, &ran, options));
    assert_eq!(usual, each);
    // A number of permutations that decides nothing, and one that asks for too much.
    let refused = data.try_analyse(&ran, json!({"neighbourhoods": {"resamples": 0}}));
    assert_eq!(refused.unwrap_err().code(), "invalid_option");
}

#[test]
fn a_region_and_its_rows() {
    let data = example();
    let ran = local_run(&data);
    let options = json!({"box": [0.0, 1.2, 0.9, 2.1]});
    let Outcome::Region(found) = analyse(&data, &ran, json!({"region": options})) else { unreachable!() };
    assert!(found.headline.contains("x1") && found.headline.contains("x2"));
    assert!(found.interval[0] > 0.0);
    let Outcome::Bytes(Bytes { bytes, .. }) = analyse(&data, &ran, json!({"region_rows": options})) else {
        unreachable!()
    };
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    assert!(text.starts_with("row,label,predicted,p\n") && text.lines().count() == found.n + 1);
    let Outcome::Data(DataSet { predictions, .. }) = &data.0 else { unreachable!() };
    let first = predictions.row_numbers[found.rows[0] as usize].to_string();
    assert!(text.lines().nth(1).is_some_and(|line| line.starts_with(&format!("{first},"))), "{text}");
}

#[test]
fn the_map_says_how_many_rows_stand_behind_it() {
    let data = example();
    let ran = local_run(&data);
    let request: ChartRequest = serde_json::from_value(json!({ "map": { "gamma": 0.4 } })).unwrap();
    let view = asked(Call::View { request }, &[&data.0, &ran.0]).unwrap();
    let Outcome::View(view) = view else { unreachable!() };
    assert!(view.shown.notes[0].starts_with("Half of the rows have fewer than "), "{:?}", view.shown.notes);
    let request: ChartRequest = serde_json::from_value(json!({ "cdf": { "gamma": 0.4 } })).unwrap();
    let Outcome::View(view) = asked(Call::View { request }, &[&data.0, &ran.0]).unwrap() else { unreachable!() };
    let titles: Vec<&str> = view.shown.figure.table.columns.iter().map(|c| c.title.as_str()).collect();
    assert!(
        titles[1].starts_with("all rows") && titles[2].starts_with("best bin") && titles[3].starts_with("worst bin"),
        "{titles:?}"
    );
    if let Some(folder) = std::env::var_os("LOCALCAL_LOOK") {
        let svg = localcal::plot::svg::svg(&view.shown.figure, &localcal::plot::palette::LIGHT);
        std::fs::write(std::path::Path::new(&folder).join("cdf-three.svg"), svg).unwrap();
    }
}

/// Whether a row counts itself is one choice for metrics, map and curves, and each says which it was.
#[test]
fn a_row_counts_itself_or_does_not() {
    let data = example();
    let ask = |out: bool| {
        data.run(json!({ "evaluate_on": "all", "resamples": 0,
            "local": { "features": ["x1", "x2"], "gamma": 0.4, "leave_one_out": out } }))
    };
    let (with, without) = (ask(false), ask(true));
    assert!((with.value("none", "mlce") - without.value("none", "mlce")).abs() > 1e-3);
    let fact = |facts: &[localcal::report::view::Fact], name: &str| {
        facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("{name}: {facts:?}")).value.clone()
    };
    let at = json!({ "low": 0.4, "high": 0.8, "count": 2 });
    for (ran, asked_for, expected) in [
        (&with, None, &with),
        (&without, None, &without),
        (&with, Some(true), &without),
        (&without, Some(false), &with),
    ] {
        let (mlce, mean) = (expected.value("none", "mlce"), expected.value("none", "mean_lce"));
        let out = std::ptr::eq(expected, &without);
        let words = if out { "no row is its own neighbor" } else { "each row is its own neighbor" };
        let mut options = json!({});
        if let Some(out) = asked_for {
            options["leave_one_out"] = json!(out);
        }
        let request: ChartRequest = serde_json::from_value(json!({ "map": &options })).unwrap();
        let Ok(Outcome::View(view)) = asked(Call::View { request }, &[&data.0, &ran.0]) else { panic!("a map") };
        let facts = &view.shown.facts;
        assert_eq!(fact(facts, "largest local error, all rows"), points_size(mlce));
        assert_eq!(fact(facts, "mean absolute local error"), points_size(mean));
        assert_eq!(fact(facts, "kernel"), format!("Laplacian kernel, γ = 0.400; {words}"));
        assert!(fact(facts, "effective neighbors, median").parse::<f64>().unwrap() > 0.0);
        options["gammas"] = at.clone();
        let Outcome::Sweep(found) = analyse(&data, ran, json!({ "sweep": options })) else { panic!("curves") };
        near(found.curves[0].mlce.value[0], mlce, 1e-9);
        near(found.curves[0].mean_lce.value[0], mean, 1e-9);
        assert_eq!(found.curves[0].mlce.at_zero.is_none(), out, "limits are those of rows that count themselves");
        assert!(found.notes.iter().any(|note| note.ends_with(&format!("kernel; {words}."))), "{:?}", found.notes);
        let settings = &ran.outcome().presentation.settings;
        let of_run =
            if std::ptr::eq(ran, &without) { "no row is its own neighbor" } else { "each row is its own neighbor" };
        assert!(fact(settings, "kernel").ends_with(of_run));
    }
}

/// The map, the curves over the bandwidth and the local metrics look at the same thing: rows within their confidence bin.
#[test]
fn map_curve_and_metrics_are_of_the_same_bins() {
    let data = example();
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0,
        "local": { "features": ["x1", "x2"], "gamma": 0.4 } }));
    let map = |options: Value| {
        let request: ChartRequest = serde_json::from_value(json!({ "map": options })).unwrap();
        match asked(Call::View { request }, &[&data.0, &ran.0]) {
            Ok(Outcome::View(view)) => view.shown,
            other => panic!("{other:?}"),
        }
    };
    let fact = |view: &ViewOutcome, name: &str| {
        let found = view.facts.iter().find(|fact| fact.name == name);
        found.unwrap_or_else(|| panic!("{name}: {:?}", view.facts)).value.clone()
    };
    let curve = |options: Value| match analyse(&data, &ran, json!({ "sweep": options })) {
        Outcome::Sweep(found) => found,
        other => panic!("{other:?}"),
    };
    let at = json!({ "low": 0.4, "high": 0.8, "count": 2 });
    let usual = map(json!({}));
    let swept = curve(json!({ "gammas": at }));
    for (name, id, line) in [
        ("mean absolute local error", "mean_lce", &swept.curves[0].mean_lce),
        ("largest local error, all rows", "mlce", &swept.curves[0].mlce),
    ] {
        let value = ran.value("none", id);
        assert_eq!(fact(&usual, name), points_size(value), "{name}");
        near(line.value[0], value, 1e-9);
    }
    assert_eq!(fact(&usual, "comparison"), "within their confidence bin (15 bins)");
    assert!(swept.notes.iter().any(|note| note.ends_with("within their confidence bin (15 bins).")));
    assert!(swept.figures.iter().all(|figure| figure.caption.contains("(15 bins)")));
    // Every row as one bin is a choice, and named in both.
    let together = map(json!({ "bin": "all" }));
    let swept = curve(json!({ "gammas": at, "bins": { "count": 1 } }));
    assert_eq!(fact(&together, "comparison"), "all rows, as one bin");
    assert!(swept.figures.iter().all(|figure| figure.caption.contains("as one bin")));
    let value = swept.curves[0].mlce.value[0];
    assert_eq!(fact(&together, "largest local error, all rows"), points_size(value));
    assert_ne!(fact(&together, "largest local error, all rows"), fact(&usual, "largest local error, all rows"));
    // A map is drawn again with the rows that each row is compared with.
    assert!(usual.figure.caption.contains("in the same confidence bin"));
    assert!(together.figure.caption.contains("at any confidence"));
}
