//! The scan, on files whose truth is known. Level and power: `examples/finding_studies.rs`.

use super::cut::{Coded, categories, numbers};
use super::input::{Order, ScanInput};
use super::joint::{Joint, Layout};
use super::overall::{ScoreTest, score_test};
use super::rounds::Round;
use super::{NotReported, NotScanned, Scanned, scan_part};
use crate::num::rng::Draws;
use crate::num::special::sigmoid;

/// A hospital's file: sex, ward (ICU: one row in ten), age, bmi with gaps, 12 sites; scores of a spread of 1.2 logits, too low
/// in the ICU.
struct Hospital {
    score: Vec<f64>,
    target: Vec<u8>,
    weight: Vec<f64>,
    columns: Vec<Coded>,
}

const NAMES: [(&str, usize); 3] = [("sex", 2), ("ward", 6), ("site", 12)];

fn hospital(n: usize, too_low: f64, order: &Order, seed: u64) -> Hospital {
    let mut draws = Draws::seeded(seed, 77);
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
        let truth = logit + if icu { too_low } else { 0.0 };
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
            categories(name, (&codes, None), &values, 30)
        })
        .collect();
    columns.push(numbers("age", (&pick(&ages), None), (false, None)));
    columns.push(numbers("bmi", (&pick(&bmis), None), (false, None)));
    Hospital { score, target, weight, columns }
}

/// All rounds, in `parts` of the families.
fn scan(input: &ScanInput, overall_p: f64, seed: u64, parts: usize) -> Scanned {
    let mut round = Round::first(input);
    while !round.over {
        let looked: Vec<_> =
            (0..parts).map(|part| scan_part(input, &round.fit, (part, parts), round.number, seed)).collect();
        round = round.next(input, &looked.iter().collect::<Vec<_>>(), overall_p);
    }
    round.scanned(input, overall_p, seed)
}

fn scanned(n: usize, too_low: f64, seed: u64, blocks: bool, weighted: bool) -> (Scanned, f64) {
    let order = if blocks { Order::dealt(n, seed) } else { Order::new(n, seed) };
    let made = hospital(n, too_low, &order, seed);
    let weight = weighted.then_some(made.weight.as_slice());
    let overall = score_test(&made.score, &made.target, weight, None, seed, 0).p;
    let input = ScanInput::of(order, (&made.score, &made.target, weight), made.columns, 30);
    (scan(&input, overall, seed, 1), overall)
}

fn first(found: &Scanned) -> String {
    found.named.first().map_or(String::new(), |named| named.subgroup.description())
}

#[test]
fn a_ward_is_named_whichever_way_outcomes_are_redrawn() {
    for (blocks, weighted) in [(false, false), (false, true), (true, false), (true, true)] {
        let (found, _) = scanned(3000, 1.2, 5, blocks, weighted);
        assert_eq!(first(&found), "ward = ICU", "{blocks} {weighted}: {found:?}");
        assert!(found.looked_at > 150, "{}", found.looked_at);
        let named = &found.named[0];
        assert!(named.gap() < -0.1 && named.high < 0.0 && named.low < named.gap() && named.p < 0.01, "{named:?}");
    }
}

#[test]
fn parts_find_the_same_bits() {
    let order = Order::new(2000, 0);
    let made = hospital(2000, 1.0, &order, 3);
    let input = ScanInput::of(order, (&made.score, &made.target, None), made.columns, 30);
    let whole = scan(&input, 1.0, 1, 1);
    assert_eq!(whole, scan(&input, 1.0, 1, 3));
    assert_eq!(whole, scan(&input, 1.0, 1, 16));
}

/// Two sexes that are off to opposite sides, and nothing else.
fn two_sexes() -> ScanInput {
    let mut draws = Draws::seeded(9, 77);
    let (mut score, mut target, mut sex) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..2000 {
        let female = draws.uniform() < 0.5;
        let logit = draws.normal();
        score.push(sigmoid(logit));
        target.push(u8::from(draws.uniform() < sigmoid(logit + if female { 1.2 } else { -1.2 })));
        sex.push(u32::from(female));
    }
    let columns = vec![categories("sex", (&sex, None), &["m".to_owned(), "f".to_owned()], 30)];
    ScanInput::of(Order::new(2000, 0), (&score, &target, None), columns, 30)
}

#[test]
fn where_no_row_is_left_nobody_is_right_elsewhere() {
    let input = two_sexes();
    let found = scan(&input, 1.0, 1, 1);
    assert!(!found.named.is_empty(), "{found:?}");
    let rows: usize = found.named.iter().map(|named| named.rows).sum();
    assert_eq!(found.outside.is_none(), rows == 2000, "{found:?}");
    // what is told agrees with what was found: sign, interval and excess events
    for named in &found.named {
        let [low, high] = named.interval();
        assert!(named.gap() * named.z < 0.0 && (low > 0.0 || high < 0.0), "{named:?}");
        assert_eq!(named.excess_events(), named.rows as f64 * named.gap().abs());
    }
    // a search that did not end by itself does not say that nobody else is off
    assert!(found.no_other_subgroup() == (found.p_of_rest.is_some() && found.not_reported.is_empty()));
    assert!(!Scanned { not_reported: vec![NotReported::SmallGap], ..found.clone() }.no_other_subgroup());
    assert!(!Scanned { p_of_rest: None, ..found }.no_other_subgroup());
}

#[test]
fn equal_outcomes_are_a_reason_of_their_own() {
    let order = Order::new(200, 0);
    let made = hospital(200, 0.0, &order, 3);
    let input = ScanInput::of(order, (&made.score, &[0; 200], None), made.columns, 30);
    assert_eq!(scan(&input, 1.0, 0, 1).not_scanned, Some(NotScanned::SameOutcomes));
}

#[test]
fn joints_count_as_each_family_does() {
    let order = Order::new(700, 0);
    let made = hospital(700, 0.0, &order, 4);
    let input = ScanInput::of(order, (&made.score, &made.target, None), made.columns, 30);
    let layout = Layout::new(&input, &input.families());
    let counted = |most: usize| {
        let joints = Joint::all(&input, &layout, most);
        let (mut table, mut places) = (vec![0_u32; layout.len()], Vec::new());
        for joint in &joints {
            let mut counts = vec![0_u32; joint.cells];
            joint.read(&input, 0..700, &mut places);
            places.iter().for_each(|&place| counts[usize::from(place)] += 1);
            joint.spread(&counts, 1, &mut table);
        }
        (joints.len(), table)
    };
    let ((single, alone), (few, together)) = (counted(0), counted(1024));
    assert_eq!(single, layout.families.len());
    assert!(2 * few < single, "{few} of {single}");
    assert_eq!(alone, together);
    assert_eq!(alone.iter().sum::<u32>() as usize, 700 * layout.families.len());
}

/// Rows with scores of two digits, sex, ward and age in tens, off in the ICU; and the same rows counted.
fn rows_and_counts(n: usize, too_low: f64, seed: u64) -> [ScanInput; 2] {
    let mut draws = Draws::seeded(seed, 78);
    let rows: Vec<[u64; 5]> = (0..n)
        .map(|_| {
            let (sex, ward, age) = (draws.one_of(2), draws.one_of(6), draws.one_of(8));
            let score = (100.0 * sigmoid(-0.8 + draws.normal())).round().clamp(1.0, 99.0) as u64;
            let odds = (score as f64 / (100.0 - score as f64)).ln() + if ward == 0 { too_low } else { 0.0 };
            let died = u64::from(draws.uniform() < sigmoid(odds));
            [score, died, sex as u64, ward as u64, age as u64]
        })
        .collect();
    let mut cells = std::collections::BTreeMap::<[u64; 5], f64>::new();
    rows.iter().for_each(|row| *cells.entry(*row).or_default() += 1.0);
    let names = |name: &str, k: usize| (0..k).map(|v| format!("{name}{v}")).collect::<Vec<String>>();
    let input = |rows: &[[u64; 5]], counts: Option<&[f64]>| {
        let of = |place: usize| rows.iter().map(|row| row[place] as f64).collect::<Vec<f64>>();
        let codes = |place: usize| rows.iter().map(|row| row[place] as u32).collect::<Vec<u32>>();
        let columns = vec![
            categories("sex", (&codes(2), counts), &names("sex", 2), 30),
            categories("ward", (&codes(3), counts), &names("ward", 6), 30),
            numbers("age", (&of(4), counts), (false, None)),
        ];
        let score: Vec<f64> = of(0).into_iter().map(|score| score / 100.0).collect();
        let target: Vec<u8> = rows.iter().map(|row| row[1] as u8).collect();
        let order = Order::of_file(rows.len());
        let input = ScanInput::of(order, (&score, &target, counts), columns, 30);
        if counts.is_some() { input.counting() } else { input }
    };
    let keys: Vec<[u64; 5]> = cells.keys().copied().collect();
    let counts: Vec<f64> = cells.values().copied().collect();
    [input(&rows, None), input(&keys, Some(&counts))]
}

#[test]
fn counts_show_what_their_rows_show() {
    let [rows, counts] = rows_and_counts(6_000, 0.9, 2);
    assert!(counts.rows() < 5_000 && rows.rows() == 6_000);
    assert_eq!((rows.cuts.clone(), rows.families()), (counts.cuts.clone(), counts.families()));
    let looked = |input: &ScanInput| scan_part(input, &Round::first(input).fit, (0, 1), 0, 1);
    let (a, b) = (looked(&rows), looked(&counts));
    for (a, b) in a.z.iter().zip(b.z.iter()).chain(a.row_variance.iter().zip(b.row_variance.iter())) {
        assert!((a - b).abs() < 1e-8 || (a.is_nan() && b.is_nan()), "{a} {b}");
    }
    let middle = |looked: &super::ScanStatistics| {
        let mut maxima = looked.maxima.to_vec();
        maxima.sort_unstable_by(f64::total_cmp);
        [0.5, 0.9].map(|share| maxima[(share * maxima.len() as f64) as usize])
    };
    for (a, b) in middle(&a).into_iter().zip(middle(&b)) {
        assert!((a / b - 1.0).abs() < 0.08, "{a} {b}");
    }
    let (a, b) = (scan(&rows, 1.0, 1, 1), scan(&counts, 1.0, 1, 2));
    assert_eq!(first(&a), "ward = ward0");
    assert_eq!((first(&a), a.looked_at, a.kinds), (first(&b), b.looked_at, b.kinds));
    let (known, found) = (&a.named[0], &b.named[0]);
    assert_eq!(known.rows, found.rows);
    let numbers = |of: &super::DetectedSubgroup| [of.predicted, of.observed, of.low, of.high, of.recalibrated, of.z];
    for (a, b) in numbers(known).into_iter().zip(numbers(found)) {
        assert!((a - b).abs() < 1e-8, "{known:?} {found:?}");
    }
}

#[test]
fn counts_of_calibrated_scores_name_nobody() {
    let files = 100;
    let named = |of: &ScanInput| usize::from(!scan(of, 1.0, 1, 1).named.is_empty());
    let told: usize = (0..files).map(|seed| named(&rows_and_counts(2_000, 0.0, 100 + seed)[1])).sum();
    println!("a subgroup in {told} of {files} calibrated files of counts");
    // 5 % of 100, and three standard errors
    assert!(told <= 5 + 7, "{told}");
}

/// A billion rows: sums of outcomes are large, differences are those of chance.
#[test]
fn counts_of_many_rows_keep_their_level() {
    let [_, mut counts] = rows_and_counts(2_000, 0.0, 7);
    let most = 1e9 / counts.weight.iter().sum::<f64>();
    let mut draws = Draws::seeded(8, 1);
    let drawn = (0..counts.rows()).map(|i| {
        // of each line an expected number of rows that its outcome has under its score
        let s = counts.score[i];
        let share = if counts.target[i] == 1 { s } else { 1.0 - s };
        crate::num::large_counts::Poisson::of(most * share).draw(&mut draws).max(1.0)
    });
    counts.weight = drawn.collect();
    let found = scan_part(&counts, &Round::first(&counts).fit, (0, 1), 0, 1);
    let most = found.maxima.iter().copied().fold(0.0, f64::max);
    assert!((2.5..7.0).contains(&most), "{most}");
}

#[test]
fn detectable_errors_are_those_of_the_noncentral_chi_square() {
    // scipy.stats.ncx2: λ with ncx2.sf(chi2.isf(level, k), k, λ) = .8
    for (freedom, level, lambda) in [(1, 0.025, 9.505_036), (4, 0.025, 14.063_791), (4, 0.05, 11.935_286)] {
        let found = ScoreTest { freedom, ..ScoreTest::default() }.detectable(level);
        assert!((found * found - lambda).abs() < 1e-5, "{freedom} {level}: {}", found * found);
    }
}

#[test]
fn in_whole_clusters_a_detectable_gap_is_larger() {
    let independent = Scanned { critical: 3.6, row_variance: 0.2, cluster_size: 1.0, ..Scanned::default() };
    let clustered = Scanned { correlation: 0.3, cluster_size: 8.0, ..independent.clone() };
    let [alone, whole] = [&independent, &clustered].map(|found| found.detectable(200, 2400, 0.5));
    // k = c* + 0.84, as an error of outcomes of which half are events raises no variance
    let k = 3.6 + 0.841_621_f64;
    let variance = 0.2_f64 / (200.0 * (1.0 - 200.0 / 2400.0));
    assert!((alone - k * variance.sqrt()).abs() < 1e-5, "{alone}");
    // δ² = k² σ² (1 + 7 ρ) + 7 k² δ² / N, since the error raises ρ by δ² (n/N) (1 − n/N) / v
    let closed = (k * k * variance * (1.0 + 7.0 * 0.3) / (1.0 - 7.0 * k * k / 2400.0)).sqrt();
    assert!((whole - closed).abs() < 1e-5, "{whole} {closed}");
    // twenty clusters: no correlation above 1
    let few = Scanned { cluster_size: 120.0, ..clustered };
    assert!((few.detectable(600, 2400, 0.5) - k * (0.2_f64 * 120.0 / (600.0 * 0.75)).sqrt()).abs() < 1e-5);
}
