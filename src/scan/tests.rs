//! Level and power of the scan, on files whose truth is known.

use super::cut::{Coded, categories, numbers};
use super::ground::{Ground, Order};
use super::overall::score_test;
use super::rounds::Round;
use super::{EXACT_ROWS, Scanned, Unlooked, look};
use crate::num::rng::Lanes;
use crate::num::special::sigmoid;

/// Uniform numbers, one after the other.
struct Draws(Lanes, Vec<f64>);

impl Draws {
    fn new(seed: u64) -> Self {
        Self(Lanes::seeded(seed, 77), Vec::new())
    }

    fn uniform(&mut self) -> f64 {
        loop {
            if let Some(u) = self.1.pop() {
                return u;
            }
            self.1.extend(self.0.uniform());
        }
    }

    fn normal(&mut self) -> f64 {
        self.0.normal()[0]
    }
}

/// What is wrong with a made file.
#[derive(Clone, Copy)]
enum Fault {
    Nothing,
    Temperature(f64),
    Shift(f64),
    Icu(f64),
    IcuAndTemperature(f64),
    Third(f64),
}

/// A hospital's file: sex, ward (ICU: one row in ten), age, bmi with gaps, 12 sites; scores of a spread of 1.2 logits.
struct Hospital {
    score: Vec<f64>,
    target: Vec<u8>,
    weight: Vec<f64>,
    columns: Vec<Coded>,
}

const NAMES: [(&str, usize); 3] = [("sex", 2), ("ward", 6), ("site", 12)];

fn hospital(n: usize, fault: Fault, order: &Order, seed: u64) -> Hospital {
    let mut draws = Draws::new(seed);
    let (mut score, mut target, mut weight) = (Vec::new(), Vec::new(), Vec::new());
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); 3];
    let (mut ages, mut bmis) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let of: Vec<u32> = NAMES.iter().map(|(_, k)| (draws.uniform() * *k as f64) as u32).collect();
        let icu = draws.uniform() < 0.1;
        let ward = if icu { 0 } else { 1 + of[1] % 5 };
        let age = 18.0 + 70.0 * draws.uniform();
        let bmi = if draws.uniform() < 0.17 { f64::NAN } else { 25.0 + 4.0 * draws.normal() };
        let logit = -1.0 + 1.2 * draws.normal() + 0.01 * (age - 50.0);
        let truth = match fault {
            Fault::Nothing => logit,
            Fault::Temperature(by) => logit / by,
            Fault::Shift(by) => logit + by,
            Fault::Icu(by) => logit + if icu { by } else { 0.0 },
            Fault::IcuAndTemperature(by) => logit / 2.0 + if icu { by } else { 0.0 },
            Fault::Third(by) => logit + if age > 18.0 + 70.0 * 2.0 / 3.0 { by } else { 0.0 },
        };
        score.push(sigmoid(logit));
        target.push(u8::from(draws.uniform() < sigmoid(truth)));
        weight.push(0.5 + draws.uniform());
        codes[0].push(of[0]);
        codes[1].push(ward);
        codes[2].push(of[2]);
        ages.push(age);
        bmis.push(bmi);
    }
    let pick = |values: &[f64]| -> Vec<f64> { order.rows.iter().map(|&i| values[i as usize]).collect() };
    let mut columns: Vec<Coded> = NAMES
        .iter()
        .zip(&codes)
        .map(|((name, k), codes)| {
            let values: Vec<String> =
                (0..*k).map(|v| if *name == "ward" && v == 0 { "ICU".into() } else { format!("{name}{v}") }).collect();
            let codes: Vec<u32> = order.rows.iter().map(|&i| codes[i as usize]).collect();
            categories(name, &codes, &values, 30)
        })
        .collect();
    columns.push(numbers("age", &pick(&ages), false));
    columns.push(numbers("bmi", &pick(&bmis), false));
    Hospital { score, target, weight, columns }
}

/// All rounds, in `parts` of the families.
fn scan(ground: &Ground, overall_p: f64, seed: u64, parts: usize) -> Scanned {
    let families = ground.families();
    let mut round = Round::first(ground, overall_p);
    while !round.over {
        let looked: Vec<_> = (0..parts)
            .map(|part| {
                let share = super::share(&families, part, parts);
                look(ground, &round.fit, &families[share], round.number, seed)
            })
            .collect();
        round = round.next(ground, &looked.iter().collect::<Vec<_>>());
    }
    round.scanned(ground, seed)
}

fn scanned(n: usize, fault: Fault, seed: u64, blocks: bool, weighted: bool) -> (Scanned, f64) {
    let order = if blocks { Order::dealt(n, seed) } else { Order::new(n, seed) };
    let made = hospital(n, fault, &order, seed);
    let weight = weighted.then_some(made.weight.as_slice());
    let overall = score_test(&made.score, &made.target, weight, seed, 0).p;
    let ground = Ground::of(order, (&made.score, &made.target, weight), made.columns, 30);
    (scan(&ground, overall, seed, 1), overall)
}

fn first(found: &Scanned) -> String {
    found.named.first().map_or(String::new(), |named| named.slice.description())
}

#[test]
fn a_ward_is_named_whichever_way_outcomes_are_redrawn() {
    for (blocks, weighted) in [(false, false), (false, true), (true, false), (true, true)] {
        let (found, _) = scanned(3000, Fault::Icu(1.2), 5, blocks, weighted);
        assert_eq!(first(&found), "ward = ICU", "{blocks} {weighted}: {found:?}");
        assert!(found.looked_at > 150, "{}", found.looked_at);
        let named = &found.named[0];
        assert!(named.gap() < -0.1 && named.high < 0.0 && named.low < named.gap() && named.p < 0.01, "{named:?}");
    }
}

#[test]
fn parts_find_the_same_bits() {
    let order = Order::new(2000, 0);
    let made = hospital(2000, Fault::Icu(1.0), &order, 3);
    let ground = Ground::of(order, (&made.score, &made.target, None), made.columns, 30);
    let whole = scan(&ground, 1.0, 1, 1);
    assert_eq!(whole, scan(&ground, 1.0, 1, 3));
    assert_eq!(whole, scan(&ground, 1.0, 1, 16));
}

/// Two sexes that are off to opposite sides, and nothing else.
fn two_sexes() -> Ground {
    let mut draws = Draws::new(9);
    let (mut score, mut target, mut sex) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2000 {
        let female = draws.uniform() < 0.5;
        let logit = draws.normal();
        score.push(sigmoid(logit));
        target.push(u8::from(draws.uniform() < sigmoid(logit + if female { 1.2 } else { -1.2 })));
        sex.push(u32::from(female));
    }
    let columns = vec![categories("sex", &sex, &["m".to_owned(), "f".to_owned()], 30)];
    Ground::of(Order::new(2000, 0), (&score, &target, None), columns, 30)
}

#[test]
fn where_no_row_is_left_nobody_is_right_elsewhere() {
    let ground = two_sexes();
    let found = scan(&ground, 1.0, 1, 1);
    assert!(!found.named.is_empty(), "{found:?}");
    let rows: usize = found.named.iter().map(|named| named.rows).sum();
    assert_eq!(found.elsewhere.is_none(), rows == 2000, "{found:?}");
    // what is told agrees with what was found: sign, interval and harm
    for named in &found.named {
        let [low, high] = named.interval();
        assert!(named.gap() * named.z < 0.0 && (low > 0.0 || high < 0.0), "{named:?}");
        assert_eq!(named.harm(), named.rows as f64 * named.gap().abs());
    }
    // a search that did not end by itself does not say that nobody else is off
    assert!(found.nobody_else() == (found.p_of_rest.is_some() && found.untold == 0));
    assert!(!Scanned { untold: 1, ..found.clone() }.nobody_else());
    assert!(!Scanned { p_of_rest: None, ..found }.nobody_else());
}

#[test]
fn equal_outcomes_are_a_reason_of_their_own() {
    let order = Order::new(200, 0);
    let made = hospital(200, Fault::Nothing, &order, 3);
    let ground = Ground::of(order, (&made.score, &[0; 200], None), made.columns, 30);
    assert_eq!(scan(&ground, 1.0, 0, 1).unlooked, Some(Unlooked::SameOutcomes));
}

/// `cargo test --lib scan::tests::study -- --ignored --nocapture` prints level and power.
#[test]
#[ignore = "a study: it prints level and power, minutes long; the limits of calibrated_files_are_rarely_named hold them"]
fn study() {
    let files: u64 = std::env::var("FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let kinds: [(&str, usize, Fault, bool, &str); 11] = [
        ("calibrated, 4,000 rows", 4000, Fault::Nothing, false, ""),
        ("over-confident (T = 2)", 4000, Fault::Temperature(2.0), false, ""),
        ("shifted (+.5 logit)", 4000, Fault::Shift(0.5), false, ""),
        ("ICU +1.2 logit", 4000, Fault::Icu(1.2), false, "ward = ICU"),
        ("ICU +.6", 4000, Fault::Icu(0.6), false, "ward = ICU"),
        ("ICU +1.2 and T = 2", 4000, Fault::IcuAndTemperature(1.2), false, "ward = ICU"),
        ("upper third of age +.8", 4000, Fault::Third(0.8), false, "age"),
        ("calibrated, 500 rows", 500, Fault::Nothing, false, ""),
        ("calibrated, 4,000 rows, blocks", 4000, Fault::Nothing, true, ""),
        ("calibrated, 50,000 rows, blocks", 50_000, Fault::Nothing, true, ""),
        ("calibrated, 50,000 rows, redrawn", EXACT_ROWS, Fault::Nothing, false, ""),
    ];
    for (name, n, fault, blocks, wanted) in kinds {
        if std::env::var("ONLY").is_ok_and(|only| !name.contains(&only)) {
            continue;
        }
        let start = std::time::Instant::now();
        let (mut named, mut right, mut further, mut off, mut looked) = (0, 0, 0, 0, 0);
        for seed in 0..files {
            let (found, _) = scanned(n, fault, seed + 1000, blocks, false);
            named += u64::from(!found.named.is_empty());
            right += u64::from(!wanted.is_empty() && first(&found).starts_with(wanted));
            further += u64::from(found.named.len() > usize::from(!wanted.is_empty()));
            off += u64::from(found.overall_p <= 0.05);
            looked += found.looked_at as u64;
        }
        let ms = start.elapsed().as_secs_f64() * 1e3 / files as f64;
        println!(
            "| {name} | {named} of {files} | {right} | {further} | {off} | {} slices | {ms:.0} ms |",
            looked / files
        );
    }
}
