//! What counting costs, beyond one table: the numbers of 50 made tables from their counts against the same numbers from
//! their rows, beside the differences that docs/counts.md states. It fails where one is larger.
//!
//! `cargo run --release --example counts_studies` prints one Markdown table. The tables have 2,000 to 20,000 rows, events
//! in about 4% to 40% of them, scores that are calibrated, too extreme, too moderate or shifted, groups or none, of
//! which one may be off, dates or none; seeds are their numbers. Sample weights are not evaluated from counts.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;

use localcal::analysis::finding::{Estimate, FindingOutcome};
use localcal::counts::CountRequest;
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::read::tally::{Field, Tally};
use serde_json::json;

#[path = "../tests/support/pipeline.rs"]
mod pipeline;

use pipeline::{Opened, Ran, finding, open};

const TABLES: usize = 50;
/// Tables whose finding is to be the same, where p-values of 1 in 20 decide otherwise with other draws.
const SAME_FINDINGS: usize = 43;
/// Largest difference of an analytic end, in widths of the interval.
const ANALYTIC: f64 = 0.01;
/// Largest difference of a drawn end, in the largest one between two seeds of the rows.
const DRAWN: f64 = 1.5;

/// How the ends of an interval come about.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Analytic,
    Drawn,
    /// there is none
    None,
}

/// A number of the scorecard or the finding, and the largest difference of it that is stated.
const STATED: [(&str, f64, Ends); 11] = [
    ("ece", 1e-12, Ends::Drawn),
    ("mce", 1e-12, Ends::None),
    ("mean_gap", 1e-12, Ends::Analytic),
    ("observed_expected", 1e-12, Ends::Analytic),
    ("brier", 2e-5, Ends::Drawn),
    ("scaled_brier", 1e-4, Ends::Analytic),
    ("nll", 1e-4, Ends::Drawn),
    ("auroc", 5e-4, Ends::Analytic),
    ("slope", 1e-3, Ends::Analytic),
    ("intercept_large", 5e-6, Ends::Analytic),
    ("intercept_joint", 3e-3, Ends::Analytic),
];
/// Of the finding, since the scorecard does not have it.
const OBSERVED_EXPECTED: &str = "observed_expected";

/// What is made: true log-odds are normal about `level`, the score's are `temperature` times these, and `shift` more.
struct Made {
    rows: usize,
    level: f64,
    temperature: f64,
    shift: f64,
    /// 0: no groups
    wards: usize,
    /// points by which events of the first ward are more frequent
    off: f64,
    dated: bool,
    /// places of decimals of the scores, as a power of ten
    decimals: f64,
}

impl Made {
    fn of(seed: usize) -> Self {
        Self {
            rows: (2_000.0 * 10_f64.powf((seed * 7 % TABLES) as f64 / (TABLES - 1) as f64)).round() as usize,
            level: [-0.4, -1.2, -2.5, -3.8][seed % 4],
            temperature: [1.0, 1.3, 0.7, 1.8, 1.0][seed % 5],
            shift: [0.0, 0.1, -0.3][seed % 3],
            wards: [0, 3, 8][seed / 2 % 3],
            off: if seed % 7 < 3 { 0.06 } else { 0.0 },
            dated: seed % 2 == 1,
            decimals: if seed % 5 == 3 { 1e3 } else { 1e7 },
        }
    }

    /// The rows as a file, and the same rows counted.
    fn both(&self, seed: usize) -> [String; 2] {
        let mut draws = Draws::seeded(seed as u64, 41);
        let has_wards = self.wards > 0;
        let mut tally = Tally::new(CountRequest {
            table: "made".into(),
            score: "risk".into(),
            outcome: "died".into(),
            by: if has_wards { vec!["ward".into()] } else { Vec::new() },
            month: self.dated.then(|| "admitted".into()),
            ..CountRequest::default()
        })
        .unwrap();
        let names = [Some("risk,died"), has_wards.then_some("ward"), self.dated.then_some("admitted")];
        let mut text = names.into_iter().flatten().collect::<Vec<_>>().join(",") + "\n";
        for i in 0..self.rows {
            let logit = self.level + 1.3 * draws.normal();
            let ward = draws.one_of(self.wards.max(1));
            let off = if has_wards && ward == 0 { self.off } else { 0.0 };
            let died = f64::from(u8::from(draws.uniform() < sigmoid(logit) + off));
            let risk = (sigmoid(self.temperature * logit + self.shift) * self.decimals).round() / self.decimals;
            let risk = risk.clamp(1.0 / self.decimals, 1.0 - 1.0 / self.decimals);
            let month = i * 24 / self.rows;
            let (ward, month) = (format!("W{ward}"), format!("{}-{:02}", 2022 + month / 12, month % 12 + 1));
            let groups: Vec<&String> =
                [has_wards.then_some(&ward), self.dated.then_some(&month)].into_iter().flatten().collect();
            write!(text, "{risk},{died}").unwrap();
            groups.iter().for_each(|value| write!(text, ",{value}").unwrap());
            text.push('\n');
            let numbers = [Field::Number(risk), Field::Number(died)];
            let fields: Vec<Field<'_>> =
                numbers.into_iter().chain(groups.iter().map(|value| Field::Text(value.as_str()))).collect();
            tally.add(&fields).unwrap();
        }
        [text, tally.csv()]
    }
}

/// Value and ends of the interval, by number; NaN where there is none.
type Numbers = BTreeMap<&'static str, [f64; 3]>;

/// The scorecard.
fn scored(data: &Opened, seed: usize) -> (Ran, Numbers) {
    let ids: Vec<&str> = STATED.iter().map(|(id, ..)| *id).filter(|id| *id != OBSERVED_EXPECTED).collect();
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 1000, "metrics": ids, "seed": seed }));
    let number = |id: &'static str| {
        let found = ran.metric("none", id);
        (id, [found.value, found.low, found.high].map(|number| number.unwrap_or(f64::NAN)))
    };
    let numbers = ids.into_iter().map(number).collect();
    (ran, numbers)
}

/// The scorecard, with what the finding has beside it, and the finding.
fn all(data: &Opened, made: &Made, seed: usize) -> (Numbers, FindingOutcome) {
    let (ran, mut numbers) = scored(data, seed);
    let parts = if made.wards > 0 || made.dated { vec!["overall", "whom"] } else { vec!["overall"] };
    let found = finding(data, &ran, json!({ "parts": parts }));
    let Estimate { value, low, high, .. } = found.overall[OBSERVED_EXPECTED];
    numbers.insert(OBSERVED_EXPECTED, [value, low, high].map(|number| number.unwrap_or(f64::NAN)));
    (numbers, found)
}

/// Differences of a number: of the value, and of the ends in widths of the first interval.
fn apart(known: [f64; 3], found: [f64; 3]) -> [f64; 2] {
    let [value, low, high] = [0, 1, 2].map(|place| (known[place] - found[place]).abs());
    [value, low.max(high) / (known[2] - known[1])]
}

/// The largest differences of a number.
#[derive(Clone, Copy, Default)]
struct Largest {
    value: f64,
    ends: f64,
    /// of the ends, between two seeds of the rows
    seeds: f64,
}

fn main() {
    let mut largest = [Largest::default(); STATED.len()];
    let (mut findings, mut sentences) = (0, 0);
    for seed in 0..TABLES {
        let made = Made::of(seed);
        let [rows, counts] = made.both(seed).map(|text| open(&text, json!({})));
        let (known, finding_of_rows) = all(&rows, &made, seed);
        let (found, finding_of_counts) = all(&counts, &made, seed);
        let (_, again) = scored(&rows, TABLES + seed);
        for ((id, _, ends), largest) in STATED.iter().zip(&mut largest) {
            let (known, found) = (known[id], found[id]);
            let [value, of_ends] = apart(known, found);
            assert!(value.is_finite(), "table {seed}, {id}: {known:?} from rows, {found:?} from counts");
            largest.value = largest.value.max(value);
            if *ends != Ends::None {
                assert!(of_ends.is_finite(), "table {seed}, {id}: {known:?} from rows, {found:?} from counts");
                largest.ends = largest.ends.max(of_ends);
            }
            if *ends == Ends::Drawn {
                largest.seeds = largest.seeds.max(apart(known, again[id])[1]);
            }
        }
        let names = |of: &FindingOutcome| of.subgroups.iter().map(|one| one.description.clone()).collect::<Vec<_>>();
        let (a, b) = (&finding_of_rows, &finding_of_counts);
        findings += usize::from(a.chance == b.chance && names(a) == names(b));
        sentences += usize::from(a.sentence == b.sentence);
    }
    let mut larger = Vec::new();
    println!("| number | largest difference | stated | ends, in widths of the interval | stated |");
    println!("|---|---|---|---|---|");
    for ((id, stated, ends), Largest { value, ends: of_ends, seeds }) in STATED.iter().zip(largest) {
        let (end, most) = match ends {
            Ends::Analytic => (format!("{of_ends:.4}"), ANALYTIC),
            Ends::Drawn => (format!("{of_ends:.3}"), DRAWN * seeds),
            Ends::None => ("–".to_owned(), f64::INFINITY),
        };
        let stated_end = if *ends == Ends::None { "–".to_owned() } else { format!("{most:.3}") };
        println!("| `{id}` | {value:.1e} | {stated:.0e} | {end} | {stated_end} |");
        if value > *stated || of_ends > most {
            larger.push(*id);
        }
    }
    println!("| finding: conclusion and subgroups | the same in {findings} of {TABLES} | {SAME_FINDINGS} | – | – |");
    println!("| finding: the sentence, letter by letter | the same in {sentences} of {TABLES} | – | – | – |");
    assert!(larger.is_empty(), "differences are larger than stated: {larger:?}");
    assert!(findings >= SAME_FINDINGS, "the finding is the same in {findings} of {TABLES} tables");
}
