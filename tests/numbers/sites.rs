//! Several sites: each as it is alone, pooled, what differs, what is too small, and how often chance is taken for a difference.

use std::fmt::Write;

use crate::support::pipeline::{Opened, Ran, open, sites};
use crate::support::sheet::reading;
use localcal::analysis::sites::SiteMeasure;
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::report::verdict::Finding;
use serde_json::json;

/// Rows of a site: log-odds are `slope` times those of the scores, plus `shift`.
fn rows(text: &mut String, draws: &mut Draws, site: &str, n: usize, (slope, shift): (f64, f64)) {
    for _ in 0..n {
        let logit = -0.5 + 1.2 * draws.normal();
        let happened = u8::from(draws.uniform() < sigmoid(slope * logit + shift));
        let _ = writeln!(text, "{},{happened},{site}", sigmoid(logit));
    }
}

const HEAD: &str = "risk,died,hospital\n";

fn opened(text: &str) -> (Opened, Ran) {
    let data = open(text, json!({ "roles": { "hospital": "group" } }));
    let ran = data.run(json!({ "metrics": ["ece"], "resamples": 0, "evaluate_on": "all" }));
    (data, ran)
}

/// Every measure of a site is the metric of a file of its rows alone, with its interval.
#[test]
fn a_site_is_a_file_of_its_own() {
    let mut draws = Draws::seeded(1, 0);
    let mut text = HEAD.to_owned();
    for (site, n) in [("north", 400), ("south", 250), ("east", 300)] {
        rows(&mut text, &mut draws, site, n, (0.8, 0.1));
    }
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    assert_eq!(found.sites.iter().map(|site| site.name.as_str()).collect::<Vec<_>>(), ["north", "east", "south"]);
    for site in &found.sites {
        let alone: String =
            text.lines().filter(|line| line.ends_with(&site.name)).map(|line| format!("{line}\n")).collect();
        let data = open(&format!("{HEAD}{alone}"), json!({ "roles": { "hospital": "group" } }));
        let ids = ["intercept_large", "slope", "auroc"];
        let ran = data.run(json!({ "metrics": ids, "resamples": 200, "evaluate_on": "all" }));
        for (id, value) in ids.iter().zip(site.values.iter().skip(1)) {
            let known = ran.metric("none", id);
            let (a, b) = (value.value.expect("a value"), ran.value("none", id));
            assert!((a - b).abs() < 1e-9, "{} {id}: {a} {b}", site.name);
            // the interval of the AUROC of the report is on another scale
            if *id != "auroc" {
                let [low, high] = value.interval.expect("an interval");
                let (from, to) = (known.low.expect("an end"), known.high.expect("an end"));
                assert!((low - from).abs() < 1e-9 && (high - to).abs() < 1e-9, "{} {id}", site.name);
            }
        }
        let (o, e) = (site.events as f64, site.expected);
        assert!((site.values[0].value.expect("a ratio") - o / e).abs() < 1e-9);
    }
    let shares: f64 = found.sites.iter().map(|site| site.values[0].weight).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    assert_eq!(found.pooled.iter().map(|one| one.sites).collect::<Vec<_>>(), [3; 4]);
}

#[test]
fn the_site_that_differs_is_named() {
    let mut draws = Draws::seeded(2, 0);
    let mut text = HEAD.to_owned();
    for site in 0..9 {
        rows(&mut text, &mut draws, &format!("H{site}"), 500, (1.0, if site == 4 { 1.2 } else { 0.0 }));
    }
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    assert_eq!(found.verdict.finding, Finding::Beyond);
    let words = format!("{:?}", found.sheet.blocks);
    assert!(words.contains("Beyond what the other sites predict: H4 in"), "{words}");
    let differing: Vec<&str> = (found.sites.iter())
        .filter(|site| site.values.iter().any(|value| value.p_outlying_holm.is_some_and(|p| p <= 0.05)))
        .map(|site| site.name.as_str())
        .collect();
    assert_eq!(differing, ["H4"]);
    let ratio = &found.sites.iter().find(|site| site.name == "H4").expect("H4").values[0];
    assert!(ratio.p_holm.is_some_and(|p| p < 1e-3), "{ratio:?}");
    let slope = found.pooled[SiteMeasure::Slope as usize].pooled.as_ref().expect("pooled");
    assert!(slope.interval[0] < 1.0 && 1.0 < slope.interval[1], "{slope:?}");
    // a new hospital may be as far off
    let [low, high] = found.pooled[0].pooled.as_ref().and_then(|pooled| pooled.prediction).expect("nine sites");
    assert!(low < 1.0 && high > 1.3, "{low} {high}");
}

#[test]
fn every_site_that_differs_is_named() {
    let mut draws = Draws::seeded(7, 0);
    let mut text = HEAD.to_owned();
    for site in 0..9 {
        let shift = [0.0, 0.0, -1.2, 0.0, 2.2, 0.0, 0.0, 0.0, 0.0][site];
        rows(&mut text, &mut draws, &format!("H{site}"), 600, (1.0, shift));
    }
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    let words = format!("{:?}", found.sheet.blocks);
    assert!(words.contains("Different from the mean of the other sites: H4 in"), "{words}");
    assert!(
        words.contains("Also H2") && words.contains("compared with values that include H4: see the table."),
        "{words}"
    );
    assert!(!words.contains("without a mark"), "{words}");
}

#[test]
fn what_is_too_small_is_said() {
    let mut draws = Draws::seeded(3, 0);
    let mut text = HEAD.to_owned();
    for site in ["A", "B", "C"] {
        rows(&mut text, &mut draws, site, 300, (1.0, 0.0));
    }
    rows(&mut text, &mut draws, "tiny", 12, (1.0, 0.0));
    // as many expected events as the others, and none
    for _ in 0..60 {
        let _ = writeln!(text, "0.4,0,none");
    }
    let _ = writeln!(text, "0.4,0,");
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    let why = |name: &str| {
        let site = found.sites.iter().find(|site| site.name == name).expect("a site");
        site.values.iter().map(|value| value.why.clone()).collect::<Vec<_>>()
    };
    assert!(why("tiny").iter().all(|why| !why.is_empty()), "{:?}", why("tiny"));
    assert_eq!(why("none"), ["no events"; 4]);
    assert_eq!(why("A"), [""; 4]);
    assert_eq!(found.missing, 1);
    assert!(found.pooled.iter().all(|one| one.sites == 3), "{:?}", found.pooled);
    // beside the chart, too, where they have no mark
    let words = format!("{:?}", found.sheet.blocks);
    let caption = |least| {
        format!(
            "Not pooled, and without a mark: 1 site (no events), 1 site (fewer than {least} expected events or other rows)."
        )
    };
    for (least, charts) in [(10, 2), (20, 1), (30, 1)] {
        assert_eq!(words.matches(&caption(least)).count(), charts, "{words}");
    }
    // a smaller site is pooled where that is requested
    let wider = sites(&data, &ran, json!({ "least": 1 }));
    assert_eq!(wider.pooled[0].sites, 4);
    let few = sites(&data, &ran, json!({ "least": 1000 }));
    assert_eq!(few.verdict.finding, Finding::Untested);
    assert!(
        reading(&few.sheet).contains("Fewer than two sites of “hospital” are large enough"),
        "{}",
        reading(&few.sheet)
    );
    let none = data.try_analyse(&ran, json!({ "sites": { "column": "nowhere" } })).expect_err("no column");
    assert_eq!(none.code(), "unknown_column");
}

/// 200 files of 8 sites that share slope and intercept: sites are said to differ in about 1 of 20.
#[test]
fn sites_that_do_not_differ_keep_the_level() {
    let files = 200;
    let (mut rejected, mut holds, mut named, mut outlying, mut claimed) = ([0; 4], [0; 4], 0, 0, 0);
    for file in 0..files {
        let mut draws = Draws::seeded(4, file);
        let mut text = HEAD.to_owned();
        for site in 0..8 {
            rows(&mut text, &mut draws, &format!("H{site}"), 300, (0.8, 0.2));
        }
        let (data, ran) = opened(&text);
        let found = sites(&data, &ran, json!({}));
        for (place, one) in found.pooled.iter().enumerate() {
            let pooled = one.pooled.as_ref().expect("pooled");
            rejected[place] += usize::from(pooled.p <= 0.05);
            holds[place] += usize::from(pooled.tau2_interval[0] == 0.0);
        }
        claimed += usize::from(found.verdict.finding == Finding::Beyond);
        let all = || found.sites.iter().flat_map(|site| &site.values);
        named += usize::from(all().filter_map(|value| value.p_holm).any(|p| p <= 0.05));
        outlying += usize::from(all().filter_map(|value| value.p_outlying_holm).any(|p| p <= 0.05));
    }
    println!(
        "Q rejects {rejected:?}, τ² = 0 in {holds:?}, named {named}, outlying {outlying}, claimed {claimed} of {files}"
    );
    // 10 of 200 and three standard errors
    assert!(rejected.iter().all(|n| *n <= 20), "{rejected:?}");
    assert!(holds.iter().all(|n| *n >= 185), "{holds:?}");
    assert!(named <= 20 && outlying <= 20 && claimed <= 20, "{named} {outlying} {claimed}");
}

/// 60 calibrated files of 15 sites of 10 patients × 8 rows, whose outcomes agree within patients: a site's few patients do not make it
/// look different from the others.
#[test]
fn sites_of_few_clusters_do_not_look_different() {
    let (files, mut named, mut claimed) = (60, 0, 0);
    for file in 0..files {
        let mut draws = Draws::seeded(8, file);
        let mut text = "patient_id,risk,died,hospital\n".to_owned();
        for patient in 0..150 {
            let shared = draws.uniform();
            for _ in 0..8 {
                let risk = sigmoid(-1.0 + draws.normal());
                let own = if draws.uniform() < 0.5 { shared } else { draws.uniform() };
                let _ = writeln!(text, "P{patient},{risk},{},H{}", u8::from(own < risk), patient / 10);
            }
        }
        let (data, ran) = opened(&text);
        assert!(data.predictions().clusters.is_some());
        let found = sites(&data, &ran, json!({}));
        claimed += usize::from(found.verdict.finding == Finding::Beyond);
        let all = found.sites.iter().flat_map(|site| &site.values);
        named += usize::from(all.filter_map(|value| value.p_holm).any(|p| p <= 0.05));
    }
    println!("named {named}, claimed {claimed} of {files}");
    assert!(named <= 8 && claimed <= 8, "{named} {claimed}");
}

/// With 12 expected events each, the standard errors of slope and AUROC are too small to compare sites by.
#[test]
fn slope_and_auroc_need_more_events() {
    let mut draws = Draws::seeded(9, 0);
    let mut text = HEAD.to_owned();
    // about 0.42 expected events a row
    for (site, n) in [("A", 300), ("B", 300), ("C", 60), ("D", 35)] {
        rows(&mut text, &mut draws, site, n, (1.0, 0.0));
    }
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    assert_eq!(found.pooled.iter().map(|one| one.sites).collect::<Vec<_>>(), [4, 4, 3, 2]);
    let small = found.sites.iter().find(|site| site.name == "D").expect("D");
    assert!(small.values[2].value.is_some() && small.values[2].why == "too few expected", "{small:?}");
}

/// A site without events, and one with fewer than ten expected: both are tested exactly against their scores, and said first.
#[test]
fn the_events_of_sites_that_are_not_pooled_are_tested() {
    let mut draws = Draws::seeded(11, 0);
    let mut text = HEAD.to_owned();
    for site in ["A", "B", "C", "D"] {
        rows(&mut text, &mut draws, site, 300, (1.0, 0.0));
    }
    for row in 0..80 {
        let _ = writeln!(text, "0.4,0,none");
        let _ = writeln!(text, "0.1,{},many", u8::from(row < 22));
    }
    (0..20).for_each(|row| {
        let _ = writeln!(text, "0.2,{},few", u8::from(row < 3));
    });
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({}));
    let site = |name: &str| found.sites.iter().find(|site| site.name == name).expect("a site");
    // Clopper and Pearson: up to 1 − 0.025^(1/80), over 0.4
    let ratio = &site("none").values[0];
    let [low, high] = ratio.interval.expect("exact");
    assert!(
        ratio.value == Some(0.0) && low == 0.0 && (high - (1.0 - 0.025_f64.powf(1.0 / 80.0)) / 0.4).abs() < 1e-9,
        "{ratio:?}"
    );
    assert_eq!((ratio.why.as_str(), ratio.standard_error, ratio.weight), ("no events", None, 0.0));
    // 2 · 0.6⁸⁰
    let p = site("none").p_events.expect("tested");
    assert!((p / (2.0 * 0.6_f64.powi(80)) - 1.0).abs() < 1e-6, "{p}");
    // what is pooled is not tested twice; adjusted for four tests of each of 7 sites
    assert!(site("A").p_events.is_none() && site("few").p_events.is_some_and(|p| p > 0.5));
    let adjusted = site("none").p_events_adjusted.expect("adjusted");
    assert!((adjusted / (28.0 * p) - 1.0).abs() < 1e-9, "{adjusted} {p}");
    assert!(found.sites.iter().all(|site| site.values[0].p.is_some() != site.p_events.is_some()));
    // the tests of pooled sites are a family of their own, 4 sites × 4 measures: no function of a site that may be withheld
    let of_pooled = found.sites.iter().flat_map(|site| &site.values).filter_map(|value| value.p.zip(value.p_holm));
    assert!(of_pooled.clone().count() == 16 && of_pooled.into_iter().all(|(p, holm)| holm <= 16.0 * p + 1e-12));
    let words = reading(&found.sheet);
    assert!(words.starts_with("No significant difference among the 4 pooled of 7 sites of hospital ("), "{words}");
    let not_pooled = "Not pooled, with significantly more or fewer events than expected: none, 0 events of 32.0 expected (adjusted \
                      p\u{a0}<\u{a0}0.001); many, 22 events of 8.00 expected (adjusted p\u{a0}<\u{a0}0.001). Pooled O:E";
    assert!(words.contains(not_pooled), "{words}");
    assert!(
        found.csv.lines().next().is_some_and(|head| head.ends_with(",events_p,events_p_adjusted")),
        "{}",
        found.csv
    );
    // nothing is pooled: they are said all the same
    let none = sites(&data, &ran, json!({ "column": "hospital", "least": 1000 }));
    let few = reading(&none.sheet);
    assert!(few.contains("to be pooled. Not pooled, with") && few.contains("none, 0 events"), "{few}");
}

/// 100 calibrated files of 8 sites of 60 to 400 rows with 4% events, of which most are not pooled.
#[test]
fn calibrated_sites_of_few_events_are_rarely_claimed() {
    let (files, mut events, mut any, mut tested) = (100, 0, 0, 0);
    for file in 0..files {
        let mut draws = Draws::seeded(12, file);
        let mut text = HEAD.to_owned();
        for site in 0..8 {
            for _ in 0..60 + (340.0 * draws.uniform()) as usize {
                let risk = sigmoid(-3.5 + 0.8 * draws.normal());
                let _ = writeln!(text, "{risk},{},H{site}", u8::from(draws.uniform() < risk));
            }
        }
        let (data, ran) = opened(&text);
        let found = sites(&data, &ran, json!({}));
        tested += found.sites.iter().filter(|site| site.p_events.is_some()).count();
        let named = found.sites.iter().any(|site| site.p_events_adjusted.is_some_and(|p| p <= 0.05));
        let pooled = found.sites.iter().flat_map(|site| &site.values).any(|of| of.p_holm.is_some_and(|p| p <= 0.05));
        events += usize::from(named);
        any += usize::from(named || pooled);
    }
    println!(
        "{tested} sites not pooled; of {files} files a site is named for its events in {events}, for anything in {any}"
    );
    // 5 of 100, and three standard errors
    assert!(tested > 200 && events <= 5 && any <= 11, "{tested} {events} {any}");
}

/// Of two sites each is as far from the other: neither is said to deviate.
#[test]
fn of_two_sites_none_is_named_alone() {
    let mut draws = Draws::seeded(13, 0);
    let mut text = HEAD.to_owned();
    rows(&mut text, &mut draws, "A", 600, (1.0, 0.0));
    rows(&mut text, &mut draws, "B", 500, (1.0, 1.0));
    let (data, ran) = opened(&text);
    let found = sites(&data, &ran, json!({ "column": "hospital" }));
    let words = reading(&found.sheet);
    assert!(words.starts_with("The two sites of hospital differ in "), "{words}");
    let all = format!("{:?}", found.sheet.blocks);
    assert!(all.contains("A and B differ in O:E: "), "{all}");
    assert!(all.contains("Two sites do not show which of them deviates."), "{all}");
    assert!(
        !all.contains("Different from the mean of the other sites:") && !all.contains("prediction interval)"),
        "{all}"
    );
}
