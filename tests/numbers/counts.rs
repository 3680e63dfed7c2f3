//! Counts of rows by cells of the score, against the rows: metrics, intervals, null ranges, groups, and what is refused.

mod recalibrated;

use localcal::metric::Reason;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::support::pipeline::{Opened, Ran, asked, open, sites, try_open};
use localcal::analysis::entry::AnalysisRequirement;
use localcal::analysis::finding::FindingOutcome;
use localcal::analysis::groups::GroupsOutcome;
use localcal::analysis::over_time::OverTimeOutcome;
use localcal::analysis::sites::SitesOutcome;
use localcal::counts::{CountRequest, Grid, Settings};
use localcal::job::{Call, Job, Outcome, run};
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::read::{ReadOptions, read_counts};
use localcal::report::export::Bytes;
use localcal::report::merged_counts::merged_counts;
use localcal::report::verdict::Finding;
use localcal::table::Array;
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

#[test]
fn clipped_scores_are_counted_in_rows() {
    let mut rows = drawn(2000, 5);
    for row in rows.iter_mut().take(40) {
        row.risk = row.died;
    }
    let counts = open(&counts_of(&rows, Grid::default(), ALL), json!({}));
    let clipped = |data: &Opened| {
        let ran = data.run(json!({ "evaluate_on": "all", "metrics": ["slope"], "resamples": 0 }));
        report(&ran)["methods"][0]["metrics"]["slope"]["clipped"]["rows"].clone()
    };
    let (by_rows, by_counts) = (clipped(&rows_of(&rows)), clipped(&counts));
    assert_eq!(by_rows, by_counts);
    // and the rounded ones among the others
    assert!(by_rows.as_u64() >= Some(40), "{by_rows}");
}

/// Rows of a model that is too extreme, and the same rows counted.
struct Both {
    rows: Opened,
    counts: Opened,
}

fn both(n: usize, seed: u64, grid: Grid) -> Both {
    let rows = drawn(n, seed);
    Both { rows: rows_of(&rows), counts: open(&counts_of(&rows, grid, WARD), json!({})) }
}

const WARDS: [&str; 3] = ["A", "B", "C"];
const MONTHS: usize = 24;

/// A row of a made table.
#[derive(Clone, Copy)]
struct Row {
    ward: usize,
    /// from 0, rising
    month: usize,
    risk: f64,
    died: f64,
}

/// n rows of a model that is too extreme, and more so in the first ward.
fn drawn(n: usize, seed: u64) -> Vec<Row> {
    made(n, seed, |p, row| p + if row.ward == 0 { 0.03 } else { 0.0 })
}

/// n rows over two years; `truth` is the probability of the event, of the one before the score was made too extreme.
fn made(n: usize, seed: u64, truth: impl Fn(f64, &Row) -> f64) -> Vec<Row> {
    let mut draws = Draws::seeded(seed, 1);
    let one = |i: usize| {
        let ward = draws.one_of(3);
        let logit = -1.2 + 1.4 * draws.normal();
        let (p, risk) = (sigmoid(logit), sigmoid(1.3 * logit + 0.1));
        let risk = if draws.uniform() < 0.2 { (risk * 100.0).round() / 100.0 } else { risk };
        let row = Row { ward, month: i * MONTHS / n, risk, died: 0.0 };
        Row { died: f64::from(u8::from(draws.uniform() < truth(p, &row))), ..row }
    };
    (0..n).map(one).collect()
}

/// The rows as a file, dated by their month.
fn rows_of(rows: &[Row]) -> Opened {
    let mut text = "risk,died,ward,admitted\n".to_owned();
    for Row { ward, month, risk, died } in rows {
        let _ = writeln!(text, "{risk},{died},{},{}-{:02}", WARDS[*ward], 2022 + month / 12, month % 12 + 1);
    }
    open(&text, json!({ "roles": { "ward": "group", "admitted": "date" } }))
}

/// By which columns rows are counted: ward, month.
type By = [bool; 2];
const ALL: By = [false, false];
const WARD: By = [true, false];
const MONTH: By = [false, true];

/// The rows counted.
fn counts_of(rows: &[Row], grid: Grid, [by_ward, by_month]: By) -> String {
    let mut cells = BTreeMap::<(Option<usize>, Option<usize>, i32), [f64; 4]>::new();
    for &Row { ward, month, risk, died } in rows {
        let key = (by_ward.then_some(ward), by_month.then_some(month), grid.cell(risk).expect("a score"));
        for (sum, x) in cells.entry(key).or_default().iter_mut().zip([1.0, died, risk, risk * died]) {
            *sum += x;
        }
    }
    let request = CountRequest {
        dialect: "duckdb".into(),
        table: "t".into(),
        score: "risk".into(),
        outcome: "died".into(),
        by: if by_ward { vec!["ward".into()] } else { Vec::new() },
        month: by_month.then(|| "admitted".into()),
        cells: Some(grid.cells().unsigned_abs()),
        ..CountRequest::default()
    };
    let heads = [if by_ward { "group_1," } else { "" }, if by_month { "year_month," } else { "" }];
    let mut counts = format!(
        "settings,total_rows,total_cells,{}status,cell,n,sum_y,sum_p,sum_pp,sum_py,sum_ppy,sum_loss,sum_loss_y\n",
        heads.concat()
    );
    for (line, ((ward, month, cell), [n, y, p, py])) in cells.iter().enumerate() {
        let head = match line {
            0 => format!(
                "{},{},{}",
                Settings { request: request.clone(), least: None }.written(),
                rows.len(),
                cells.len()
            ),
            _ => ",,".to_owned(),
        };
        let ward = ward.map_or_else(String::new, |ward| format!("{},", WARDS[ward]));
        let month = month.map_or_else(String::new, |month| format!("{}{:02},", 2022 + month / 12, month % 12 + 1));
        let _ = writeln!(counts, "{head},{ward}{month}ok,{cell},{n},{y},{p},0,{py},0,0,0");
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
            let analytic =
                ["mean_gap", "auroc", "scaled_brier", "slope", "intercept_large", "intercept_joint"].contains(&id);
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
            near(known.detectable, found.detectable, 1e-5);
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

fn over_time(data: &Opened) -> OverTimeOutcome {
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0, "evaluate_on": "all" }));
    match data.try_analyse(&ran, json!({ "over_time": {} })) {
        Ok(Outcome::OverTime(found)) => found,
        other => panic!("nothing over time: {other:?}"),
    }
}

/// Windows and periods of two answers about the same rows: numbers of rows and dates are the same, and the largest difference of
/// means and shares, and of what windows are beyond the fit of all dates.
fn apart(known: &OverTimeOutcome, found: &OverTimeOutcome) -> [f64; 2] {
    assert_eq!((known.rows, known.undated, known.window), (found.rows, found.undated, found.window));
    let ends = |of: &OverTimeOutcome| -> Vec<(String, String, usize)> {
        of.windows.iter().map(|one| (one.from.clone(), one.to.clone(), one.rows)).collect()
    };
    assert_eq!(ends(known), ends(found));
    let named = |of: &OverTimeOutcome| -> Vec<(String, usize)> {
        of.periods.iter().map(|one| (one.name.clone(), one.rows)).collect()
    };
    assert_eq!(named(known), named(found));
    let (mut means, mut beyond) = (0.0_f64, 0.0_f64);
    for (a, b) in known.windows.iter().zip(&found.windows) {
        means = means.max((a.predicted - b.predicted).abs()).max((a.observed - b.observed).abs());
        beyond = beyond.max((a.beyond - b.beyond).abs());
    }
    for (a, b) in known.periods.iter().zip(&found.periods) {
        means = means.max((a.predicted - b.predicted).abs()).max((a.observed - b.observed).abs());
    }
    [means, beyond]
}

/// 24 made tables, half of which drift: windows and months are those of the rows, whatever else they were counted by; tests and
/// bands are those of the rows but for the noise of 999 draws.
#[test]
fn months_of_counts_are_those_of_the_rows() {
    let (mut means, mut beyond, mut p, mut bands) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for seed in 0..24 {
        let late = |row: &Row| if seed % 2 == 0 && row.month >= 18 { 0.01 * (seed / 2) as f64 } else { 0.0 };
        let rows = made(3_000, 100 + seed, |p, row| p + late(row));
        let known = over_time(&rows_of(&rows));
        for by in [MONTH, [true, true]] {
            let found = over_time(&open(&counts_of(&rows, Grid::default(), by), json!({})));
            let [of_means, of_beyond] = apart(&known, &found);
            (means, beyond) = (means.max(of_means), beyond.max(of_beyond));
            let (a, b) = (known.p.expect("a test"), found.p.expect("a test"));
            let noise = (2.0 * a.max(b) * (1.0 - a.min(b)) / 999.0).sqrt() + 1e-3;
            p = p.max((a - b).abs() / noise);
            for (a, b) in known.windows.iter().zip(&found.windows) {
                let half = |band: [f64; 2]| (band[1] - band[0]) / 2.0;
                bands = bands.max((half(a.gap_band) / half(b.gap_band) - 1.0).abs());
            }
            assert!(known.windows.first().is_some_and(|one| one.from == "2022-01"), "{:?}", known.windows.first());
        }
    }
    println!("means {means:e}, beyond {beyond:e}, p {p:.2} standard errors, bands {:.1}%", 100.0 * bands);
    assert!(means < 1e-12, "means differ by {means:e}");
    assert!(beyond < 1e-5, "differences from the fit of all dates differ by {beyond:e}");
    // the largest of 48; standard errors of windows are drawn, too
    assert!(p < 5.0, "p differs by {p} standard errors of the draws");
    // errors and quantiles of 999 draws each, the largest of about 1,000
    assert!(bands < 0.2, "bands differ by {bands}");
}

/// Dates that are known by the day give the same months from rows and from counts, and the same verdicts on changes.
#[test]
fn months_of_days_are_those_of_the_counts() {
    let rows = made(3_000, 7, |p, row| if row.month >= 18 { (p + 0.15).min(1.0) } else { p });
    let mut text = "risk,died,admitted\n".to_owned();
    for (i, Row { month, risk, died, .. }) in rows.iter().enumerate() {
        let _ = writeln!(text, "{risk},{died},{}-{:02}-{:02}", 2022 + month / 12, month % 12 + 1, i % 28 + 1);
    }
    let known = over_time(&open(&text, json!({ "roles": { "admitted": "date" } })));
    let found = over_time(&open(&counts_of(&rows, Grid::default(), MONTH), json!({})));
    assert_eq!(known.periods.len(), found.periods.len());
    for (a, b) in known.periods.iter().zip(&found.periods) {
        assert_eq!((&a.name, a.rows), (&b.name, b.rows));
        assert!((a.predicted - b.predicted).abs() < 1e-12 && (a.observed - b.observed).abs() < 1e-12, "{}", a.name);
    }
    assert_eq!((known.verdict.finding, found.verdict.finding), (Finding::Beyond, Finding::Beyond));
    let words = serde_json::to_string(&found.sheet).expect("JSON");
    assert!(words.contains("changes within a month are not seen"), "no word of what counting costs");
    assert!(!words.contains("Unweighted"), "numbers of rows are no sample weights");
}

/// 200 tables whose scores are wrong in the same way at all times: from counts and from rows, a change is claimed in 5%.
#[test]
fn without_change_tests_over_time_keep_their_level() {
    let (files, mut told) = (200, [0; 2]);
    for seed in 0..files {
        let rows = made(1_500, 1_000 + seed, |p, _| p);
        let counts = counts_of(&rows, Grid::default(), MONTH);
        for (told, data) in told.iter_mut().zip([rows_of(&rows), open(&counts, json!({}))]) {
            *told += usize::from(over_time(&data).verdict.finding == Finding::Beyond);
        }
    }
    println!("a change over time in {} of {files} tables of rows, {} of counts", told[0], told[1]);
    // 10 of 200 and three standard errors
    assert!(told.iter().all(|told| *told <= 20), "{told:?}");
    assert!(told[0].abs_diff(told[1]) <= 5, "{told:?}");
}

fn finding(data: &Opened) -> FindingOutcome {
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0, "evaluate_on": "all" }));
    match data.try_analyse(&ran, json!({ "finding": { "parts": ["overall", "whom"] } })) {
        Ok(Outcome::Finding(found)) => found,
        other => panic!("no finding: {other:?}"),
    }
}

/// 20 made tables, in most of which a ward or its last months are off: from counts the same subgroups are named with the same
/// numbers.
#[test]
fn subgroups_of_counts_are_those_of_the_rows() {
    let (mut same, mut off, mut named) = (0, 0.0_f64, 0);
    for seed in 0..20 {
        let shift = 0.012 * seed as f64;
        let here = |row: &Row| row.ward == 1 && (seed % 2 == 0 || row.month >= 12);
        let rows = made(4_000, 300 + seed, |p, row| if here(row) { (p + shift).min(1.0) } else { p });
        let known = finding(&rows_of(&rows));
        let found = finding(&open(&counts_of(&rows, Grid::default(), [true, true]), json!({})));
        assert_eq!(known.rest.looked_at, found.rest.looked_at, "seed {seed}");
        let names = |of: &FindingOutcome| of.subgroups.iter().map(|one| one.description.clone()).collect::<Vec<_>>();
        same += u32::from(names(&known) == names(&found));
        for a in &known.subgroups {
            let Some(b) = found.subgroups.iter().find(|b| b.description == a.description) else { continue };
            named += 1;
            assert_eq!(a.rows, b.rows, "seed {seed}, {}", a.description);
            for (a, b) in [(a.predicted, b.predicted), (a.observed, b.observed), (a.low, b.low), (a.high, b.high)] {
                off = off.max((a - b).abs());
            }
        }
    }
    println!("the same subgroups in {same} of 20 tables; numbers of {named} differ by {off:e}");
    // where a p-value is near 0.05, other draws decide otherwise
    assert!(same >= 18 && named >= 10, "{same} of 20, {named} named");
    assert!(off < 1e-4, "{off:e}");
}

/// 100 tables whose scores are wrong in the same way for everybody: from counts a subgroup is reported in 5%.
#[test]
fn where_nobody_is_off_beyond_the_score_counts_name_nobody() {
    let files = 100;
    let told = (0..files)
        .filter(|seed| {
            let rows = made(2_000, 500 + seed, |p, _| p);
            !finding(&open(&counts_of(&rows, Grid::default(), [true, true]), json!({}))).subgroups.is_empty()
        })
        .count();
    println!("a subgroup in {told} of {files} tables");
    // 5 of 100 and three standard errors
    assert!(told <= 5 + 7, "{told}");
}

/// Files of counts are sites: numbers of all rows are those of one file of all, and each file is a group.
#[test]
fn files_of_counts_are_pooled() {
    let rows = drawn(9_000, 30);
    let whole = open(&counts_of(&rows, Grid::default(), WARD), json!({}));
    let of = |ward: usize, grid: Grid| {
        let of_ward: Vec<Row> = rows.iter().copied().filter(|row| row.ward == ward).collect();
        counts_of(&of_ward, grid, ALL).into_bytes()
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
        (counts_of(&rows, Grid::default(), WARD).as_bytes(), "grouping columns none in `a.csv`, `ward` in `b.csv`"),
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
    assert_eq!(ran.metric("none", "ace").reason, Some(Reason::NotFromCounts));
    let refused = |error: localcal::Error, what: &str| {
        assert_eq!(error.code(), "invalid_option", "{what}: {error}");
        assert!(error.to_string().contains("needs the rows"), "{what}: {error}");
    };
    for request in [
        json!({ "methods": ["none", "spline"] }),
        json!({ "local": {} }),
        json!({ "metrics": ["klce2_unbiased"] }),
        json!({ "metrics": ["piece"] }),
    ] {
        refused(data.try_run(request.clone()).map(|_| ()).expect_err("a refusal"), &request.to_string());
    }
    for call in [
        Call::ExportPredictions { identifiers: None },
        Call::ExportSession { page: None, suppress: None, every_group: None },
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
    let counts = counts_of(&drawn(2_000, 3), Grid::of(60).expect("a grid"), [true, true]);
    let (data, rows) = (open(&counts, json!({})), open("p,y,g\n0.2,0,a\n0.7,1,b\n0.4,0,a\n0.6,1,b\n", json!({})));
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
    assert_eq!(answered, ["finding", "groups", "sites", "over_time"]);
    let without = AnalysisRequirement::Dates.lacking(counted("plain").predictions());
    assert_eq!(without, Some("No month was counted. Name a date column in the statement."));
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

#[test]
fn the_page_merges_cells_of_few_rows_as_the_terminal_does() {
    let merge = |name: &str, bytes: &[u8], suppress: u64| {
        let call = Call::written(json!({ "merge_counts": { "name": name, "suppress": suppress } }))?;
        run(&Job::Call(call), &[], vec![Array::U8(bytes.to_vec().into())], &mut |_| ())
    };
    let bytes = std::fs::read(format!("{}/tests/counts/groups.csv", env!("CARGO_MANIFEST_DIR"))).expect("counts");
    let Outcome::Bytes(merged) = merge("groups.csv", &bytes, 10).expect("merged") else { panic!("no bytes") };
    let text = String::from_utf8(merged.bytes.to_vec()).expect("text");
    assert!(text.contains("suppress=10"), "{text}");
    assert_eq!(merged.notes.len(), 1);
    assert!(
        merged.notes[0].starts_with("20,000 rows counted. Cells are merged until each counts at least 10 rows"),
        "{:?}",
        merged.notes
    );
    let half = bytes.iter().take(bytes.len() / 2).rposition(|byte| *byte == b'\n').expect("lines") + 1;
    for (file, suppress, words) in [
        (b"p,y\n0.5,1\n0.25,0\n".as_slice(), 10, "`f.csv` contains no counts."),
        (bytes.as_slice(), 1, "suppress"),
        (&bytes[..half], 10, "incomplete or were edited"),
    ] {
        let error = merge("f.csv", file, suppress).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// Which groups are withheld is decided by the scores, so that those left are no choice of outcomes: about 7 and about 17 events
/// in each combination of ward and month.
#[test]
fn merged_counts_of_calibrated_rows_keep_their_level() {
    let claims = |n: usize, seed: u64| {
        let rows = made(n, 900 + seed, |_, row| row.risk);
        let counts = counts_of(&rows, Grid::default(), [true, true]);
        let tally = read_counts("counts.csv", counts.as_bytes(), ReadOptions::default(), &mut |_| ());
        let tally = tally.expect("a file").expect("counts");
        let merged = merged_counts(&tally, 10).expect("merged").bytes;
        let merged = String::from_utf8(merged.to_vec()).expect("text");
        let sentence = finding(&open(&merged, json!({}))).sentence;
        (!sentence.starts_with("No significant miscalibration")).then_some(sentence)
    };
    let told: Vec<String> = [2_400, 6_000].iter().flat_map(|n| (0..10).filter_map(|seed| claims(*n, seed))).collect();
    // 1 of 20 and about three standard errors
    assert!(told.len() <= 1 + 3, "{told:#?}");
}

/// Rows of a merged cell count as tied: AUROC would be lower, the more so in small sites.
#[test]
fn sites_of_merged_counts_have_no_auroc() {
    let counts = counts_of(&drawn(9_000, 31), Grid::default(), WARD);
    let tally = read_counts("counts.csv", counts.as_bytes(), ReadOptions::default(), &mut |_| ());
    let merged = merged_counts(&tally.expect("a file").expect("counts"), 10).expect("merged").bytes;
    let text = String::from_utf8(merged.to_vec()).expect("text");
    let of = |text: &str| {
        let data = open(text, json!({}));
        let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0 }));
        let found = sites(&data, &ran, json!({ "column": "ward" }));
        let pooled: Vec<usize> = found.pooled.iter().map(|one| one.sites).collect();
        let why: Vec<String> =
            found.sites.iter().filter_map(|site| site.values.last()).map(|v| v.why.clone()).collect();
        (pooled, why)
    };
    assert_eq!(of(&counts), (vec![3, 3, 3, 3], vec![String::new(); 3]));
    assert_eq!(of(&text), (vec![3, 3, 3, 0], vec!["cells were merged".to_owned(); 3]));
}
