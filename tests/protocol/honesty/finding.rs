//! The finding claims nothing of calibrated files: of any number of classes, of few rows, of one feature and of thousands.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde_json::json;

use super::Draws;
use crate::support::pipeline::{csv, open, text as text_of};
use localcal::analysis::finding::FindingOutcome;
use localcal::job::Outcome;
use localcal::report::verdict::Finding;

/// Outcomes drawn from the file's own probabilities, beside columns that know nothing of either.
fn noise(n: usize, classes: usize, features: usize, groups: usize, seed: u64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    let mut of_class = vec![Vec::with_capacity(n); classes];
    let mut label = Vec::with_capacity(n);
    for _ in 0..n {
        let e: Vec<f64> = (0..classes).map(|_| (4.0 * draws.uniform()).exp()).collect();
        let sum: f64 = e.iter().sum();
        let mut left = draws.uniform() * sum;
        let class = e.iter().position(|e| {
            left -= e;
            left < 0.0
        });
        of_class.iter_mut().zip(&e).for_each(|(column, e)| column.push(e / sum));
        label.push(class.unwrap_or(classes - 1) as f64);
    }
    if classes == 2 {
        columns.push(("p".to_owned(), of_class.swap_remove(1)));
    } else {
        columns.extend(of_class.into_iter().enumerate().map(|(k, column)| (format!("p_{k}"), column)));
    }
    columns.push(("label".to_owned(), label));
    for k in 0..groups {
        columns.push((format!("site{k}"), (0..n).map(|_| (draws.uniform() * 5.0).floor()).collect()));
    }
    for k in 0..features {
        columns.push((format!("x{k}"), (0..n).map(|_| draws.uniform()).collect()));
    }
    let named: Vec<(&str, Vec<f64>)> = columns.iter().map(|(name, values)| (name.as_str(), values.clone())).collect();
    csv(&named)
}

fn finding(text: &str, seed: u64) -> FindingOutcome {
    let data = open(text, json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let asked = json!({ "finding": { "seed": seed, "methods": [], "parts": ["overall", "whom"] } });
    match data.try_analyse(&ran, asked) {
        Ok(Outcome::Finding(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no finding"),
    }
}

/// Whether it claims something; sentence, verdict, list and parts agree.
fn claims(found: &FindingOutcome) -> bool {
    let state = format!("{} {:?}", found.sentence, found.verdict);
    // what a small sample cannot show stands before what it does not show, its size before what it shows
    let first = match (&found.few, found.chance) {
        (None, _) => String::new(),
        (Some(few), true) => format!("{} ", few.sentence),
        (Some(few), false) => format!("{}: ", few.size),
    };
    let rest = found.sentence.strip_prefix(&first).unwrap_or_else(|| panic!("{state}"));
    // what is said of the confidence is said beside an error of a class
    let quiet = rest.to_lowercase().starts_with("no significant miscalibration ");
    assert!(quiet == found.chance || quiet && found.class_error.is_some(), "{state}");
    assert_eq!(found.verdict.finding == Finding::Beyond, !found.chance, "{state}");
    assert!(!found.chance || found.subgroups.is_empty(), "{state}");
    assert!(found.subgroups.iter().all(|one| one.p <= 0.05), "{state}");
    for part in &found.parts {
        assert!(
            !found.chance || ["No ", "Subgroups were not tested: "].iter().any(|words| part.heading.starts_with(words)),
            "{}: {state}",
            part.heading
        );
    }
    !found.chance
}

#[test]
fn calibrated_noise_has_no_finding() {
    // rows, classes, features, groups, files
    let kinds = [
        (12, 2, 1, 0, 20),
        (60, 2, 1, 1, 20),
        (400, 2, 3, 2, 20),
        (400, 2, 1, 0, 20),
        (60, 3, 1, 1, 20),
        (400, 3, 3, 1, 20),
        (400, 10, 2, 1, 20),
        (200, 2, 2000, 0, 3),
    ];
    let (mut said, mut files) = (0, 0);
    for (n, classes, features, groups, of) in kinds {
        let before = said;
        for seed in 0..of {
            let text = noise(n, classes, features, groups, 10_000 * n as u64 + 100 * classes as u64 + seed);
            said += u32::from(claims(&finding(&text, seed)));
            files += 1;
        }
        println!("{n} rows, {classes} classes, {features} features: {} of {of} claim", said - before);
    }
    // 5 % of 143 are 7.2; more than 13 happens by chance once in 70 times
    assert!(files > 140 && said <= 13, "{said} of {files}");
}

#[test]
fn files_that_hold_next_to_nothing_have_a_sentence() {
    for text in [
        "p,y\n0.5,1\n",
        "p,y\n0.5,1\n0.5,0\n",
        "p,y,x\n0.2,0,1\n0.2,0,1\n0.9,0,1\n",
        "p,y\n1,1\n0,0\n1,1\n0,0\n",
        "p,y\n1,1\n0,1\n1,1\n0,0\n",
        "p_a,p_b,p_c,label\n.2,.3,.5,a\n.1,.8,.1,b\n",
    ] {
        let found = finding(text, 0);
        assert!(!found.sentence.is_empty() && !found.sentence.contains("NaN"), "{}", found.sentence);
    }
}

/// 2,000 rows of ten sites, at one of which events are more frequent than predicted by `off`.
fn one_site_off(off: f64, seed: u64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let (mut p, mut y, mut site) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..2000 {
        let risk = 0.05 + 0.4 * draws.uniform();
        let at = f64::from(i % 10);
        p.push(risk);
        site.push(at);
        y.push(f64::from(u8::from(draws.uniform() < risk + if at == 3.0 { off } else { 0.0 })));
    }
    csv(&[("p", p), ("y", y), ("site", site)])
}

/// Every text under a key, wherever it is.
fn under(key: &str, value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if name == key => found.push(text.to_owned()),
                    _ => under(key, value, found),
                }
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|one| under(key, one, found)),
        _ => (),
    }
}

#[test]
fn a_subgroup_has_one_observed_share_and_one_error() {
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let points = |size: f64| format!("{:.1}", 100.0 * size.abs());
    let (mut smaller, mut unknown) = (0, 0);
    for seed in 0..8 {
        let data = open(&one_site_off(0.13, seed), json!({ "roles": { "site": "group" } }));
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
        let asked = json!({ "finding": { "methods": ["intercept"], "parts": ["overall", "whom", "advice"] } });
        let Ok(Outcome::Finding(found)) = data.try_analyse(&ran, asked) else { panic!("no finding") };
        let Some(one) = found.subgroups.first() else { continue };
        let (observed, plain) = (percent(one.observed), one.predicted - one.observed);
        let (error, low, high) =
            (one.corrected.value.unwrap(), one.corrected.low.unwrap(), one.corrected.high.unwrap());
        assert!(found.sentence.contains(&format!("observed {observed} (n = ")), "{}", found.sentence);
        let json = serde_json::to_value(&found).unwrap();
        let mut charts = Vec::new();
        under("alt", &json, &mut charts);
        let of_site: Vec<&String> = charts.iter().filter(|alt| alt.contains(&one.description)).collect();
        assert!(!of_site.is_empty(), "{charts:?}");
        let is_uncertain = low <= 0.0 && high >= 0.0;
        // a size that is not known has the sign of its interval, and no direction beside it
        let side = match (is_uncertain, error < 0.0) {
            (false, _) => "underestimated, corrected error ",
            (true, true) => "size of the error uncertain, corrected error −",
            (true, false) => "size of the error uncertain, corrected error +",
        };
        for alt in of_site {
            let said = format!("observed {observed}, {side}{}\u{a0}pp", points(error));
            assert!(alt.contains(&said), "{said}: {alt}");
        }
        // a size that is smaller than the difference of the two shares is stated, and that it is not known
        let stated = format!("{} percentage points", points(error));
        if is_uncertain {
            unknown += 1;
            assert!(
                found.sentence.contains(&format!("uncertain ({stated} corrected for selection")),
                "{}",
                found.sentence
            );
        } else if (plain - error).abs() >= 0.005 {
            smaller += 1;
            assert!(found.sentence.contains(&format!("the error is {stated}")), "{}", found.sentence);
        } else {
            assert!(!found.sentence.contains("corrected"), "{}", found.sentence);
        }
        let document = json!({ "document": { "format": "markdown", "sections": ["groups"] } });
        let document = text_of(data.try_analyse(&ran, document).unwrap());
        // an error whose interval includes 0 has no direction
        let mark = if low <= 0.0 && high >= 0.0 { "" } else { "▼\u{a0}" };
        assert!(document.contains(&format!("| {mark}−{}", points(error))), "{error}: {document}");
        for advised in found.advice.iter().flat_map(|advice| &advice.subgroups) {
            assert!((advised.before - error).abs() < 1e-9, "{} {error}", advised.before);
        }
    }
    assert!(smaller > 0 && unknown > 0, "{smaller} {unknown}");
}

#[test]
fn a_subgroup_of_uncertain_error_is_not_shifted() {
    let (mut shifted, mut left) = (0, 0);
    for seed in 0..8 {
        let data = open(&one_site_off(0.13, seed), json!({ "roles": { "site": "group" } }));
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
        let asked = json!({ "finding": { "methods": ["slice_intercept"], "parts": ["advice"] } });
        let Ok(Outcome::Finding(found)) = data.try_analyse(&ran, asked) else { panic!("no finding") };
        let [one] = found.subgroups.as_slice() else { continue };
        let shift = &found.advice.as_ref().unwrap().candidates[1];
        if one.is_of_uncertain_size() {
            left += 1;
            let why = "the size of the error is uncertain in every listed subgroup";
            assert_eq!(shift.reason.as_deref(), Some(why), "{}", found.sentence);
        } else {
            shifted += 1;
            assert_eq!(shift.reason, None, "{}", found.sentence);
        }
    }
    assert!(shifted > 0 && left > 0, "{shifted} {left}");
}

#[test]
fn a_region_is_no_subgroup_that_a_shift_knows() {
    let mut draws = Draws(Pcg64::seed_from_u64(8));
    let [mut p, mut y, mut x1, mut x2, mut site] = [const { Vec::new() }; 5];
    for i in 0..3000 {
        let (risk, at, a, b) = (0.1 + 0.4 * draws.uniform(), f64::from(i % 5), draws.uniform(), draws.uniform());
        let inside = (a - 0.5).powi(2) + (b - 0.5).powi(2) < 0.04;
        let off = if inside { 0.35 } else { 0.0 } + if at == 3.0 { 0.2 } else { 0.0 };
        y.push(f64::from(u8::from(draws.uniform() < risk + off)));
        for (column, value) in [(&mut p, risk), (&mut x1, a), (&mut x2, b), (&mut site, at)] {
            column.push(value);
        }
    }
    let text = csv(&[("p", p), ("y", y), ("x1", x1), ("x2", x2), ("site", site)]);
    for (site, said) in [("group", "for site = 3 only"), ("ignore", "")] {
        let data = open(&text, json!({ "roles": { "site": site, "x1": "feature", "x2": "feature" } }));
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
        let asked = json!({ "finding": { "methods": ["slice_intercept"], "parts": ["advice"] } });
        let Ok(Outcome::Finding(found)) = data.try_analyse(&ran, asked) else { panic!("no finding") };
        assert!(found.subgroups.iter().any(|one| one.place.is_some()), "{}", found.sentence);
        let candidates = &found.advice.as_ref().unwrap().candidates;
        let shift = &candidates[1];
        if said.is_empty() {
            assert_eq!(shift.reason.as_deref(), Some("no column defines the listed regions"), "{shift:?}");
            continue;
        }
        // only the site moves; neither those outside of all that is listed nor those of the region
        assert!(shift.title.ends_with(said), "{}", shift.title);
        let moved = shift.moves.unwrap();
        assert!(moved.up + moved.down <= 600 && moved.rest_mean == Some(0.0), "{moved:?}");
    }
}
