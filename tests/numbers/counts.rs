//! Counts of rows by cells of the score, against the rows: metrics, intervals, null ranges, groups, and what is refused.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::support::pipeline::{Opened, Ran, asked, open, try_open};
use localcal::analysis::entry::AnalysisRequirement;
use localcal::analysis::groups::GroupsOutcome;
use localcal::analysis::sites::SitesOutcome;
use localcal::counts::{CountRequest, Grid, Settings};
use localcal::job::{Call, Outcome};
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::report::export::Bytes;
use serde_json::{Value, json};

const METRICS: [&str; 14] = [
    "accuracy",
    "mean_gap",
    "ece",
    "mce",
    "classwise_ece",
    "nll",
    "brier",
    "auroc",
    "ece_rms",
    "scaled_brier",
    "slope",
    "intercept_large",
    "intercept_joint",
    "uncertainty",
];

fn counted(name: &str) -> Opened {
    let path = format!("{}/tests/counts/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).expect("counts");
    try_open(&[("counts.csv", &bytes)], json!({})).unwrap_or_else(|error| panic!("{error}"))
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../counts/expected.json")).expect("JSON")
}

/// Largest differences from the rows, of DuckDB's counts of 200,000 rows at 960 cells.
#[test]
fn metrics_of_an_engine_s_counts_are_those_of_the_rows() {
    let data = counted("plain");
    let all = &expected()["all"];
    let known = |id: &str| all[id].as_f64().expect("a number");
    let near = |id: &str, found: f64, tolerance: f64| {
        let off = (found - known(id)).abs();
        assert!(off <= tolerance, "{id}: {found} instead of {}, {off:e}", known(id));
    };
    for bins in [10, 12, 15, 16, 20] {
        let ran = data.run(json!({ "bins": { "count": bins }, "metrics": ["ece", "mce"], "resamples": 0 }));
        near(&format!("ece_{bins}"), ran.value("none", "ece"), 1e-13);
        near(&format!("mce_{bins}"), ran.value("none", "mce"), 1e-12);
    }
    let ran = data.run(json!({ "metrics": METRICS, "resamples": 0 }));
    near("brier", ran.value("none", "brier"), 5e-7);
    near("nll", ran.value("none", "nll"), 2e-6);
    near("auroc", ran.value("none", "auroc"), 1e-6);
    near("slope", ran.value("none", "slope"), 2e-5);
    near("citl", ran.value("none", "intercept_large"), 2e-5);
    let report = report(&ran);
    assert_eq!(report["data"]["rows"], json!(200_000));
    assert_eq!(report["data"]["evaluation_rows"], json!(200_000));
}

#[test]
fn groups_of_an_engine_s_counts_are_those_of_the_rows() {
    let data = counted("groups");
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0 }));
    let found = groups(&data, &ran, json!({ "groups": { "columns": ["ward"] } }));
    let expected = expected();
    assert_eq!(found.groups.len(), 5);
    for group in &found.groups {
        let known = &expected[&group.name];
        assert_eq!((json!(group.n), json!(group.events)), (known["n"].clone(), known["events"].clone()));
        let near = |id: &str, value: f64, tolerance: f64| {
            let off = (value - known[id].as_f64().expect("a number")).abs();
            assert!(off < tolerance, "{} {id}: {off:e}", group.name);
        };
        near("ece_15", group.ece, 1e-12);
        near("mce_15", group.mce, 1e-12);
        near("oe", group.observed / group.score, 1e-12);
    }
}

/// Rows of a model that is too extreme, and the same rows counted.
struct Both {
    rows: Opened,
    counts: Opened,
}

fn both(n: usize, seed: u64, grid: Grid) -> Both {
    let rows = drawn(n, seed);
    let mut text = "risk,died,ward\n".to_owned();
    for (ward, risk, died) in &rows {
        let _ = writeln!(text, "{risk},{died},{}", WARDS[*ward]);
    }
    let counts = counts_of(&rows, grid, true);
    Both { rows: open(&text, json!({ "roles": { "ward": "group" } })), counts: open(&counts, json!({})) }
}

const WARDS: [&str; 3] = ["A", "B", "C"];

/// Ward, score and outcome of n rows of a model that is too extreme, and more so in the first ward.
fn drawn(n: usize, seed: u64) -> Vec<(usize, f64, f64)> {
    let mut draws = Draws::seeded(seed, 1);
    let one = |_| {
        let ward = draws.one_of(3);
        let logit = -1.2 + 1.4 * draws.normal();
        let (p, risk) = (sigmoid(logit), sigmoid(1.3 * logit + 0.1));
        let risk = if draws.uniform() < 0.2 { (risk * 100.0).round() / 100.0 } else { risk };
        let died = f64::from(u8::from(draws.uniform() < p + if ward == 0 { 0.03 } else { 0.0 }));
        (ward, risk, died)
    };
    (0..n).map(one).collect()
}

/// The rows counted, by ward or all together.
fn counts_of(rows: &[(usize, f64, f64)], grid: Grid, by_ward: bool) -> String {
    let mut cells = BTreeMap::<(usize, i32), [f64; 4]>::new();
    for &(ward, risk, died) in rows {
        let ward = if by_ward { ward } else { 0 };
        let cell = cells.entry((ward, grid.cell(risk).expect("a score"))).or_default();
        for (sum, x) in cell.iter_mut().zip([1.0, died, risk, risk * died]) {
            *sum += x;
        }
    }
    let request = CountRequest {
        dialect: "duckdb".into(),
        table: "t".into(),
        score: "risk".into(),
        outcome: "died".into(),
        by: if by_ward { vec!["ward".into()] } else { Vec::new() },
        cells: Some(grid.cells().unsigned_abs()),
        ..CountRequest::default()
    };
    let head = if by_ward { "group_1," } else { "" };
    let group = |ward: usize| if by_ward { format!("{},", WARDS[ward]) } else { String::new() };
    let mut counts = format!(
        "settings,total_rows,total_cells,{head}status,cell,n,sum_y,sum_p,sum_pp,sum_py,sum_ppy,sum_loss,sum_loss_y\n"
    );
    for (line, ((ward, cell), [n, y, p, py])) in cells.iter().enumerate() {
        let head = match line {
            0 => format!(
                "{},{n_all},{}",
                Settings { request: request.clone() }.written(),
                cells.len(),
                n_all = cells.values().map(|sums| sums[0]).sum::<f64>()
            ),
            _ => ",,".to_owned(),
        };
        let _ = writeln!(counts, "{head},{}ok,{cell},{n},{y},{p},0,{py},0,0,0", group(*ward));
    }
    counts
}

fn report(ran: &Ran) -> Value {
    match &ran.0 {
        Outcome::Report(run) => serde_json::to_value(&run.report).expect("JSON"),
        other => panic!("not a report: {other:?}"),
    }
}

fn groups(data: &Opened, ran: &Ran, request: Value) -> GroupsOutcome {
    match data.try_analyse(ran, request) {
        Ok(Outcome::Groups(found)) => found,
        other => panic!("no groups: {other:?}"),
    }
}

#[test]
fn intervals_and_null_ranges_are_those_of_the_rows() {
    let (mut ends, mut drawn) = (0.0_f64, 0.0_f64);
    for seed in 0..6 {
        let Both { rows, counts } = both(6_000, seed, Grid::default());
        let request = json!({ "metrics": METRICS, "resamples": 1000 });
        let (rows, counts) = (rows.run(request.clone()), counts.run(request));
        for id in METRICS {
            let (known, found) = (rows.metric("none", id), counts.metric("none", id));
            let pairs = [(known.low, found.low), (known.high, found.high)];
            let width = known.high.zip(known.low).map_or(f64::NAN, |(high, low)| high - low);
            let off = |pairs: &[(Option<f64>, Option<f64>)]| {
                pairs.iter().filter_map(|(a, b)| Some((a.as_ref()? - b.as_ref()?).abs())).fold(0.0, f64::max)
            };
            let analytic = matches!(id, "auroc" | "scaled_brier" | "slope" | "intercept_large" | "intercept_joint");
            if analytic {
                assert!(found.low.is_some(), "{id}");
                ends = ends.max(off(&pairs) / width);
            } else if !matches!(id, "mce" | "ece_rms" | "uncertainty") {
                assert!(found.low.is_some(), "{id}");
                drawn = drawn.max(off(&pairs) / width);
            }
            if let (Some(known), Some(found)) = (known.floor_high, found.floor_high) {
                let scale = rows.metric("none", id).floor_high.zip(rows.metric("none", id).floor_low);
                let scale = scale.map_or(known.abs(), |(high, low)| (high - low).abs()).max(1e-9);
                drawn = drawn.max((known - found).abs() / scale);
            }
        }
    }
    // in widths of the interval: analytic ends by the grid, drawn ones by the noise of 1,000 draws
    assert!(ends < 2e-3, "analytic ends differ by {ends} widths");
    assert!(drawn < 0.12, "drawn ends differ by {drawn} widths");
}

#[test]
fn groups_and_overall_tests_are_those_of_the_rows() {
    for seed in 10..14 {
        let Both { rows, counts } = both(9_000, seed, Grid::of(240).expect("a grid"));
        let request = json!({ "metrics": ["ece", "auroc", "slope"], "resamples": 200 });
        let (of_rows, of_counts) = (rows.run(request.clone()), counts.run(request));
        let asked = json!({ "groups": { "columns": ["ward"] } });
        let (known, found) = (groups(&rows, &of_rows, asked.clone()), groups(&counts, &of_counts, asked));
        for (known, found) in known.groups.iter().zip(&found.groups) {
            assert_eq!((&known.name, known.n, known.events), (&found.name, found.n, found.events));
            let near = |a: f64, b: f64, tolerance: f64| assert!((a - b).abs() < tolerance, "{}: {a} {b}", known.name);
            near(known.gap, found.gap, 1e-12);
            near(known.p, found.p, 1e-4);
            near(known.detectable, found.detectable, 1e-6);
            for (a, b) in known.interval.iter().zip(found.interval) {
                near(*a, b, 1e-5);
            }
        }
        let overall =
            |data: &Opened, ran: &Ran| match data.try_analyse(ran, json!({ "finding": { "parts": ["overall"] } })) {
                Ok(Outcome::Finding(found)) => serde_json::to_value(&found).expect("JSON"),
                other => panic!("no finding: {other:?}"),
            };
        let (known, found) = (overall(&rows, &of_rows), overall(&counts, &of_counts));
        assert_eq!(known["chance"], found["chance"], "seed {seed}");
        for (id, known) in known["overall"].as_object().expect("numbers") {
            for of in ["value", "low", "high"] {
                let [known, found] = [&known[of], &found["overall"][id][of]].map(Value::as_f64);
                let off = known.zip(found).map(|(known, found)| (known - found).abs() / known.abs().max(0.1));
                // Brier has drawn ends; the grid has 240 cells
                assert!(off.is_some_and(|off| off < 0.02), "seed {seed}, {id} {of}: {known:?} {found:?}");
            }
        }
    }
}

fn sites(data: &Opened, ran: &Ran, request: Value) -> SitesOutcome {
    match data.try_analyse(ran, json!({ "sites": request })) {
        Ok(Outcome::Sites(found)) => found,
        other => panic!("no sites: {other:?}"),
    }
}

/// Largest difference of what is pooled, and of every site, in standard errors.
fn off(known: &SitesOutcome, found: &SitesOutcome) -> f64 {
    let names = |of: &SitesOutcome| of.sites.iter().map(|site| (site.n, site.events)).collect::<Vec<_>>();
    assert_eq!(names(known), names(found));
    let mut off = 0.0_f64;
    for (known, found) in known.pooled.iter().zip(&found.pooled) {
        let (known, found) = (known.pooled.as_ref().expect("pooled"), found.pooled.as_ref().expect("pooled"));
        off = off.max((known.value - found.value).abs() / known.standard_error);
    }
    for (known, found) in known.sites.iter().zip(&found.sites) {
        for (known, found) in known.values.iter().zip(&found.values) {
            let (Some(a), Some(b), Some(error)) = (known.value, found.value, known.standard_error) else {
                panic!("{known:?} {found:?}")
            };
            off = off.max((a - b).abs() / error);
        }
    }
    off
}

#[test]
fn sites_of_counts_are_those_of_the_rows() {
    for seed in 20..23 {
        let Both { rows, counts } = both(9_000, seed, Grid::default());
        let request = json!({ "metrics": ["ece"], "resamples": 0 });
        let (of_rows, of_counts) = (rows.run(request.clone()), counts.run(request));
        let asked = json!({ "column": "ward" });
        let off = off(&sites(&rows, &of_rows, asked.clone()), &sites(&counts, &of_counts, asked));
        assert!(off < 0.02, "seed {seed}: {off} standard errors");
    }
}

/// Files of counts are sites: numbers of all rows are those of one file of all, and each file is a group.
#[test]
fn files_of_counts_are_pooled() {
    let rows = drawn(9_000, 30);
    let whole = open(&counts_of(&rows, Grid::default(), true), json!({}));
    let of = |ward: usize, grid: Grid| {
        let of_ward: Vec<(usize, f64, f64)> = rows.iter().copied().filter(|row| row.0 == ward).collect();
        counts_of(&of_ward, grid, false).into_bytes()
    };
    let texts: Vec<Vec<u8>> = (0..3).map(|ward| of(ward, Grid::default())).collect();
    let names = ["a.csv", "b.csv", "c.csv"];
    let files: Vec<(&str, &[u8])> = names.into_iter().zip(&texts).map(|(name, text)| (name, text.as_slice())).collect();
    let parts = try_open(&files, json!({})).unwrap_or_else(|error| panic!("{error}"));
    let request = json!({ "metrics": METRICS, "resamples": 0 });
    let (of_whole, of_parts) = (whole.run(request.clone()), parts.run(request));
    for id in METRICS {
        let (known, found) = (of_whole.value("none", id), of_parts.value("none", id));
        assert!((known - found).abs() <= 1e-12 * known.abs().max(1.0), "{id}: {found} instead of {known}");
    }
    assert_eq!(report(&of_parts)["data"]["rows"], json!(9_000));
    let by_file = sites(&parts, &of_parts, json!({}));
    assert_eq!(by_file.title, "file");
    assert!(off(&sites(&whole, &of_whole, json!({ "column": "ward" })), &by_file) < 1e-9);
    let mut sites: Vec<&str> = by_file.sites.iter().map(|site| site.name.as_str()).collect();
    sites.sort_unstable();
    assert_eq!(sites, names);
    // the same name twice is told apart, the same counts twice are refused, as is another grid or a file of rows
    let again = [("a.csv", texts[0].as_slice()), ("a.csv", texts[1].as_slice())];
    let again = try_open(&again, json!({})).unwrap_or_else(|error| panic!("{error}"));
    let found = self::sites(&again, &again.run(json!({ "metrics": ["ece"], "resamples": 0 })), json!({}));
    assert!(found.sites.iter().any(|site| site.name == "a.csv (2)"), "{:?}", found.sites);
    let coarse = of(1, Grid::of(240).expect("a grid"));
    for (second, words) in [
        (texts[0].as_slice(), "`a.csv` and `b.csv` contain the same counts."),
        (coarse.as_slice(), "Counts of different settings cannot be pooled: cells 960 in `a.csv`, 240 in `b.csv`."),
        (counts_of(&rows, Grid::default(), true).as_bytes(), "grouping columns none in `a.csv`, `ward` in `b.csv`"),
        (b"risk,died\n0.2,0\n0.7,1\n".as_slice(), "2 files are opened together, of which 1 contain counts."),
    ] {
        let error = try_open(&[("a.csv", &texts[0]), ("b.csv", second)], json!({})).expect_err(words);
        assert_eq!(error.code(), "invalid_option");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

#[test]
fn what_needs_the_rows_is_refused_with_a_sentence() {
    let data = counted("groups");
    let ran = data.run(json!({ "resamples": 0 }));
    let reason = |id: &str| ran.metric("none", id).reason.clone().unwrap_or_default();
    assert!(reason("ace").contains("needs the rows"), "{}", reason("ace"));
    let refused = |error: localcal::Error, what: &str| {
        assert_eq!(error.code(), "invalid_option", "{what}: {error}");
        assert!(error.to_string().contains("needs the rows"), "{what}: {error}");
    };
    for request in [
        json!({ "methods": ["none", "platt"] }),
        json!({ "local": {} }),
        json!({ "metrics": ["klce2_unbiased"] }),
        json!({ "metrics": ["piece"] }),
    ] {
        refused(data.try_run(request.clone()).map(|_| ()).expect_err("a refusal"), &request.to_string());
    }
    let subgroups = json!({ "finding": { "parts": ["overall", "whom"] } });
    refused(data.try_analyse(&ran, subgroups).map(|_| ()).expect_err("a refusal"), "subgroups");
    assert!(data.try_analyse(&ran, json!({ "finding": {} })).is_ok(), "the first part of the finding");
    for call in [
        Call::ExportPredictions { identifiers: None },
        Call::ExportCalibrator { suppress: None },
        Call::ExportSession { page: None, suppress: None },
    ] {
        let what = format!("{call:?}");
        refused(data.try_export(call, &ran).expect_err(&what), &what);
    }
    let bytes = std::fs::read(format!("{}/tests/counts/groups.csv", env!("CARGO_MANIFEST_DIR"))).expect("counts");
    for (files, options) in [(1, json!({ "split": { "half": true } })), (2, json!({}))] {
        let names = ["a.csv", "b.csv"];
        let files: Vec<(&str, &[u8])> = names.iter().take(files).map(|name| (*name, bytes.as_slice())).collect();
        let error = try_open(&files, options).expect_err("a refusal");
        assert_eq!(error.code(), "invalid_option");
    }
}

/// Every analysis that refuses counts says so beforehand, and every other answers.
#[test]
fn descriptions_state_which_analyses_need_the_rows() {
    let (data, rows) = (counted("groups"), open("p,y,g\n0.2,0,a\n0.7,1,b\n0.4,0,a\n0.6,1,b\n", json!({})));
    let needed = AnalysisRequirement::Rows;
    assert!(needed.lacking(rows.predictions()).is_none(), "rows are there");
    assert!(needed.lacking(data.predictions()).is_some_and(|why| why.starts_with("Needs the rows")));
    let ran = data.run(json!({ "resamples": 0 }));
    let mut answered = Vec::new();
    for one in localcal::analysis::descriptions() {
        let mut request = serde_json::Map::new();
        request.insert(one.kind.to_owned(), json!({}));
        match (one.needs.contains(&needed), data.try_analyse(&ran, request.into())) {
            (true, Err(error)) => {
                assert_eq!(error.code(), "invalid_option", "{}: {error}", one.kind);
                assert!(error.to_string().contains("needs the rows"), "{}: {error}", one.kind);
            }
            (false, Ok(_)) => answered.push(one.kind),
            (stated, found) => panic!("{}: needs the rows: {stated}, {:?}", one.kind, found.map(|_| ()).err()),
        }
    }
    assert_eq!(answered, ["finding", "groups", "sites"]);
}

#[test]
fn counts_of_some_groups_are_counted_as_rows() {
    let bytes = std::fs::read(format!("{}/tests/counts/groups.csv", env!("CARGO_MANIFEST_DIR"))).expect("counts");
    let only = json!({ "only": [{ "column": "ward", "values": ["ICU"] }] });
    let data = try_open(&[("counts.csv", &bytes)], only).unwrap_or_else(|error| panic!("{error}"));
    let n = expected()["ICU"]["n"].as_u64().expect("a number");
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0 }));
    assert_eq!(report(&ran)["data"]["evaluation_rows"], json!(n));
}

#[test]
fn the_page_asks_for_a_statement() {
    let request = json!({ "dialect": "duckdb", "table": "t", "score": "p", "outcome": "y", "by": ["ward"] });
    let call = Call::written(json!({ "count_statement": { "request": request } })).expect("a call");
    let Outcome::Bytes(Bytes { bytes, notes, .. }) = asked(call, &[]).expect("a statement") else { panic!("no bytes") };
    let sql = String::from_utf8(bytes.to_vec()).expect("text");
    assert!(sql.contains("GROUP BY group_1, status, cell") && notes.len() == 1, "{sql}");
    let unknown = Call::written(json!({ "count_statement": { "request": { "dialect": "oracle" } } })).expect("a call");
    assert!(asked(unknown, &[]).expect_err("a refusal").to_string().contains("oracle"));
}
