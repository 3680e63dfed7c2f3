//! Several things read at once: on calibrated files at most about one in twenty says that anything is outside.

use std::fmt::Write;

use crate::support::pipeline::{Opened, Ran, open};
use localcal::analysis::multiples::MultiplesOutcome;
use localcal::job::Outcome;
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::report::verdict::Finding;
use localcal::report::view::reliability;
use localcal::report::view::request::{BandChoice, ReliabilityRequest};
use serde_json::{Value, json};

/// A calibrated file: 4,000 or few rows, common or rare events, bins of equal width or mass, with or without weights.
struct Kind {
    name: &'static str,
    rows: usize,
    level: f64,
    bins: Value,
    weighted: bool,
    /// risks as they are written
    places: usize,
}

fn kinds() -> Vec<Kind> {
    let plain = |name, rows, level| Kind { name, rows, level, bins: json!(15), weighted: false, places: 6 };
    vec![
        plain("plain", 1500, -0.5),
        plain("few rows", 200, -1.0),
        plain("rare events", 1500, -3.8),
        Kind { weighted: true, ..plain("weights", 800, -1.0) },
        Kind { bins: json!({ "count": 12, "scheme": "equal_mass_rank" }), places: 1, ..plain("ties", 600, 0.0) },
    ]
}

fn opened(kind: &Kind, seed: u64) -> (Opened, Ran) {
    let mut draws = Draws::seeded(seed, 28);
    let mut text = format!("risk,died,ward,day{}\n", if kind.weighted { ",w" } else { "" });
    for i in 0..kind.rows {
        let risk = sigmoid(kind.level + 1.3 * draws.normal());
        let round = 10.0_f64.powi(kind.places as i32);
        let risk = (risk * round).round() / round;
        let (died, ward) = (u8::from(draws.uniform() < risk), draws.one_of(12));
        write!(text, "{risk},{died},w{ward},2024-{:02}-{:02}", 1 + (i * 12 / kind.rows), 1 + draws.one_of(28))
            .expect("text");
        if kind.weighted {
            write!(text, ",{:.3}", 0.3 + 2.0 * draws.uniform()).expect("text");
        }
        text.push('\n');
    }
    let mut roles = json!({ "ward": "group", "day": "date" });
    if kind.weighted {
        roles["w"] = json!("weight");
    }
    let data = open(&text, json!({ "roles": roles }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0, "metrics": ["ece"], "bins": kind.bins }));
    (data, ran)
}

fn analysed(data: &Opened, ran: &Ran, request: Value) -> Outcome {
    data.try_analyse(ran, request).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
}

#[test]
fn calibrated_files_rarely_have_a_bin_a_group_or_a_window_outside() {
    const FILES: u64 = 40;
    let (mut files, mut bins, mut groups, mut windows, mut many) = (0, 0, 0, 0, 0);
    for kind in kinds() {
        let mut of_kind = 0;
        for seed in 0..FILES {
            let (data, ran) = opened(&kind, 1_000 * seed + 7);
            let request = ReliabilityRequest { band: BandChoice::Consistency, ..ReliabilityRequest::default() };
            let chart = reliability::chart(data.predictions(), ran.outcome(), &request).expect("a chart");
            let out = chart.series[0].bins.iter().any(|bin| !bin.inside_band);
            files += 1;
            bins += u32::from(out);
            of_kind += u32::from(out);
            // the same bins that are said to be outside are drawn outside of the band
            for (bin, band) in chart.series[0].bins.iter().zip(&chart.consistency) {
                assert_eq!(bin.inside_band, (band.1..=band.2).contains(&bin.target));
            }
            if let Outcome::Groups(found) = analysed(&data, &ran, json!({ "groups": { "columns": ["ward"] } })) {
                // the test may name a group that has events although hardly any were expected
                groups += u32::from(found.groups.iter().any(|group| group.p_holm <= 0.05));
                let wider = |group: &localcal::analysis::groups::GroupEstimate| {
                    group.interval_simultaneous[0] <= group.interval[0]
                        && group.interval[1] <= group.interval_simultaneous[1]
                };
                assert!(found.groups.iter().all(wider));
            }
            if seed % 4 == 0 {
                if let Outcome::OverTime(found) = analysed(&data, &ran, json!({ "over_time": {} })) {
                    windows +=
                        u32::from(found.windows.iter().any(|one| one.gap_band[0] > 0.0 || one.gap_band[1] < 0.0));
                }
                let found = analysed(&data, &ran, json!({ "multiples": { "by": "group", "columns": ["ward"] } }));
                if let Outcome::Multiples(found) = found {
                    let MultiplesOutcome { verdict, .. } = found;
                    many += u32::from(verdict.finding == Finding::Beyond);
                }
            }
        }
        println!("{}: {of_kind} of {FILES}", kind.name);
        // five of 40 at 5 %: more than eight once in 500 times
        assert!(of_kind <= 7, "{}: {of_kind} of {FILES}", kind.name);
    }
    println!("of {files}: bins {bins}, groups {groups}, of a quarter: windows {windows}, multiples {many}");
    // 5 % of 200 are 10; more than 18 once in 100 times
    assert!(bins <= 18 && groups <= 18, "bins {bins}, groups {groups} of {files}");
    // 5 % of 50; more than 6 once in 100 times
    assert!(windows <= 6 && many <= 6, "windows {windows}, multiples {many}");
}
