#![allow(clippy::unwrap_used)]

use super::*;
use crate::num::rng::Lanes;
use crate::sample::synthetic::{OVER_CONFIDENT, UNDER_CONFIDENT, synthetic};

const KERNEL: Kernel = Kernel::Laplacian { gamma: 0.1 };

/// Rows on the unit square whose outcomes happen with probability score − `shift`: calibrated for 0, else wrong
/// the same everywhere.
fn same_everywhere(seed: u64, shift: f64) -> (Vec<f64>, Vec<u8>, Vec<f64>) {
    let mut draws = Lanes::seeded(seed, 9);
    let (mut score, mut target, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..250 {
        let [x, y, s, u] = draws.uniform();
        score.push(0.5 + 0.5 * s);
        target.push(u8::from(u < 0.5 + 0.5 * s - shift));
        places.extend([x, y]);
    }
    (score, target, places)
}

fn bins(score: &[f64]) -> Vec<u32> {
    score.iter().map(|s| (s * 15.0).min(14.0) as u32).collect()
}

/// p and p_local of the worst place (1 where there is none), one bin for all rows or confidence bins.
fn smallest(seed: u64, shift: f64, each: bool) -> (f64, f64) {
    let (score, target, places) = same_everywhere(seed, shift);
    let (confidence, one) = (bins(&score), vec![0; score.len()]);
    let bin = if each { &confidence } else { &one };
    let features = Points::row_major(2, &places).unwrap();
    let sample = LocalSample::new(&score, &target, bin, features).unwrap();
    let kernel = KERNEL.with_gamma(if each { 1.0 } else { 0.1 });
    let found = Places::look(&sample, strata(&confidence), kernel, 1_000).unwrap();
    let maxima = found.maxima(seed, 0..99).unwrap();
    let all = found.worst(&maxima, 1_000);
    let least = |p: fn(&Neighborhood) -> f64| all.iter().map(p).fold(1.0, f64::min);
    (least(|one| one.p), least(|one| one.p_local))
}

/// Family-wise error at 5 %. p: scores are calibrated. p_local: errors depend on confidence at most, not on place.
#[test]
fn chance_is_rarely_reported() {
    for (shift, each) in [(0.0, false), (0.15, false), (0.0, true)] {
        let p: Vec<_> = (0..200).map(|seed| smallest(seed, shift, each)).collect();
        let share = |small: &dyn Fn(&(f64, f64)) -> bool| p.iter().filter(|p| small(p)).count() as f64 / 200.0;
        let (any, local) = (share(&|p| p.0 <= 0.05), share(&|p| p.1 <= 0.05));
        println!("shift {shift}, within bins {each}: error {any}, local error {local}");
        assert!(local <= 0.09, "local error reported in {local}");
        if shift == 0.0 {
            assert!(any <= 0.09, "error reported in {any}");
        } else {
            assert!(any >= 0.9, "an error of {shift} everywhere is found in {any} only");
        }
    }
}

/// Scores of few values that the coordinates determine: a place can cover all rows of a score, of which permutations within strata
/// say nothing.
#[test]
fn places_that_cover_a_stratum_are_rarely_reported() {
    let wrong = (0..200).filter(|&seed| {
        let mut draws = Lanes::seeded(seed, 10);
        let (mut score, mut target, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..300 {
            let [x, w, u, _] = draws.uniform();
            let [x, w] = [(4.0 * x).floor(), (3.0 * w).floor()];
            let logit = -2.2 + 0.8 * (x - 1.5) + 0.4 * (w - 1.0);
            let s = (10.0 / (1.0 + (-logit).exp())).round() / 10.0;
            score.push(s.max(0.02));
            target.push(u8::from(u < s.max(0.02)));
            places.extend([x, w]);
        }
        let features = Points::row_major(2, &places).unwrap();
        let one = vec![0; 300];
        let sample = LocalSample::new(&score, &target, &one, features).unwrap();
        let found = Places::look(&sample, strata(&bins(&score)), KERNEL.with_gamma(0.5), 1_000).unwrap();
        let worst = found.worst(&found.maxima(seed, 0..99).unwrap(), 5);
        worst.iter().any(|one| one.p <= 0.05)
    });
    let wrong = wrong.count();
    println!("{wrong} of 200");
    assert!(wrong <= 18, "{wrong} of 200");
}

#[test]
fn both_regions_of_the_synthetic_set_are_found() {
    let data = synthetic(4_000, 0);
    let places: Vec<f64> = data.x1.iter().zip(&data.x2).flat_map(|(a, b)| [*a, *b]).collect();
    let features = Points::row_major(2, &places).unwrap();
    let one = vec![0; 4_000];
    let sample = LocalSample::new(&data.p, &data.y, &one, features).unwrap();
    let kernel = Kernel::Laplacian { gamma: 0.2 };
    let found = Places::look(&sample, strata(&bins(&data.p)), kernel, 1_024).unwrap();
    assert!(found.row.len() <= 1_024 && found.row.len() > 900);
    let maxima = found.maxima(1, 0..104).unwrap();
    let worst = found.worst(&maxima, 5);
    assert!(worst.len() <= 10);
    let near = |one: &Neighborhood, center: [f64; 2]| {
        let row = found.row[one.place] as usize;
        (data.x1[row] - center[0]).hypot(data.x2[row] - center[1]) < 0.8
    };
    let first = |high: bool| worst.iter().find(|one| (found.slce[one.place] > 0.0) == high).unwrap();
    for (one, center) in [(first(true), OVER_CONFIDENT), (first(false), UNDER_CONFIDENT)] {
        assert!(near(one, center), "{:?}", found.row[one.place]);
        assert_eq!((one.p, one.p_local), (1.0 / 105.0, 1.0 / 105.0));
        assert!(one.interval[0] * one.interval[1] > 0.0);
        assert!(one.heart.contains(&found.row[one.place]) && one.heart.len() >= 5);
        assert!(found.from_score[one.place].abs() < 0.03);
    }
    // Whatever else is listed as more than chance lies in one of the two regions.
    for one in worst.iter().filter(|one| one.p <= 0.05) {
        let row = found.row[one.place] as usize;
        let gap = data.p[row] - data.truth[row];
        assert!(gap * found.slce[one.place] > 0.0 && gap.abs() > 0.03, "row {row}: {gap}");
    }
    // Neighborhoods do not overlap in their hearts' centers, and the interval agrees with p.
    for (i, a) in worst.iter().enumerate() {
        assert_eq!(a.p <= 0.05, a.interval[0] * a.interval[1] > 0.0);
        assert!(worst[..i].iter().all(|b| !found.are_neighbors(found.row[a.place], found.row[b.place], 0.25)));
    }
}

/// In ten coordinates hardly any row reaches a kernel value of one half; a place is described by its effective neighbors.
#[test]
fn a_place_in_many_coordinates_is_described_by_enough_rows() {
    let (n, d) = (1_000, 10);
    let mut draws = Lanes::seeded(5, 3);
    let (mut score, mut target, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        // two topics far from each other; the scores of the first are too high
        let (topic, [u, v, ..]) = (i % 2, draws.uniform());
        score.push(0.5 + 0.4 * u);
        target.push(u8::from(v < 0.5 + 0.4 * u - [0.4, 0.0][topic]));
        places.extend(
            draws
                .uniform()
                .iter()
                .chain(&draws.uniform())
                .chain(&draws.uniform())
                .take(d)
                .map(|x| x + 4.0 * topic as f64),
        );
    }
    let one = vec![0; n];
    let features = Points::row_major(d, &places).unwrap();
    let sample = LocalSample::new(&score, &target, &one, features).unwrap();
    let found = Places::look(&sample, strata(&bins(&score)), Kernel::Laplacian { gamma: 0.15 }, n).unwrap();
    let worst = found.worst(&found.maxima(1, 0..24).unwrap(), 3);
    let half = |place: usize| (0..n as u32).filter(|row| found.are_neighbors(found.row[place], *row, 0.5)).count();
    assert!(
        worst.iter().any(|one| half(one.place) < 20),
        "{:?}",
        worst.iter().map(|one| half(one.place)).collect::<Vec<_>>()
    );
    for one in &worst {
        let many = if half(one.place) < 20 { found.n_eff[one.place].round() as usize } else { half(one.place) };
        assert_eq!(one.heart.len(), many);
        assert!(many >= 20 && one.heart.contains(&found.row[one.place]) && one.heart.is_sorted());
        // those that are nearest
        let fall = |row: &u32| found.fall(found.row[one.place], *row).unwrap();
        let farthest = one.heart.iter().map(fall).fold(0.0, f64::max);
        assert!((0..n as u32).filter(|row| !one.heart.contains(row)).all(|row| fall(&row) >= farthest));
    }
}

#[test]
fn permutations_do_not_hang_on_their_company() {
    let (score, target, places) = same_everywhere(3, 0.0);
    for d in [1, 2, 5] {
        let places = &places[..places.len() - places.len() % d];
        let n = places.len() / d;
        let features = Points::row_major(d, places).unwrap();
        let confidence = bins(&score[..n.min(250)]);
        let n = confidence.len();
        let features = Points::row_major(d, &features.values()[..n * d]).unwrap();
        let one = vec![0; n];
        let sample = LocalSample::new(&score[..n], &target[..n], &one, features).unwrap();
        let found = Places::look(&sample, strata(&confidence), KERNEL.with_gamma(0.3), 64).unwrap();
        let whole = found.maxima(7, 0..24).unwrap();
        let (first, last) = (found.maxima(7, 0..8).unwrap(), found.maxima(7, 8..24).unwrap());
        let others = found.maxima(8, 0..24).unwrap();
        for of in [|maxima: &NullMaxima| maxima.redrawn.clone(), |maxima: &NullMaxima| maxima.permuted.clone()] {
            assert_eq!(of(&whole), [of(&first), of(&last)].concat());
            assert_ne!(of(&whole), of(&others));
            assert!(of(&whole).iter().all(|max| *max > 0.2 && *max < 10.0), "{whole:?}");
        }
    }
}

/// Many outcomes at once: the p-value of the worst place, as a list of all places has it.
#[test]
fn many_outcomes_have_the_p_values_of_each() {
    let (score, _, places) = same_everywhere(3, 0.0);
    let features = Points::row_major(2, &places).unwrap();
    let confidence: Vec<u32> = bins(&score).iter().map(|bin| bin / 4).collect();
    let zero = vec![0; score.len()];
    let stratum = strata(&confidence);
    let kernel = KERNEL.with_gamma(0.5);
    let sample = LocalSample::new(&score, &zero, &confidence, features).unwrap();
    let many = ManyPlaces::new(sample, &stratum, kernel, 1_000).unwrap();
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let (_, target, _) = same_everywhere(seed, if seed % 3 == 0 { 0.25 } else { 0.0 });
        let sample = LocalSample::new(&score, &target, &confidence, features).unwrap();
        let found = Places::look(&sample, stratum.clone(), kernel, 1_000).unwrap();
        let maxima = found.maxima(seed, 0..39).unwrap();
        let alone = found.worst(&maxima, 5).iter().map(|one| one.p).fold(1.0, f64::min);
        assert_eq!(many.least_p(&target, 39, seed, None).unwrap(), Some(alone), "{seed}");
        let decided = many.least_p(&target, 39, seed, Some(0.05)).unwrap().unwrap();
        assert_eq!(decided <= 0.05, alone <= 0.05, "{seed}: {decided}, {alone}");
        different.insert((alone * 40.0) as u32);
    }
    assert!(different.len() > 2, "{different:?}");
}

#[test]
fn few_rows_and_few_permutations_say_nothing() {
    let features = [0.0, 1.0, 2.0];
    let sample =
        LocalSample::new(&[0.9, 0.8, 0.7], &[1, 0, 1], &[0; 3], Points::row_major(1, &features).unwrap()).unwrap();
    let found = Places::look(&sample, strata(&[3, 4, 5]), KERNEL, 10).unwrap();
    assert!(found.row.is_empty());
    assert!(found.worst(&found.maxima(0, 0..9).unwrap(), 5).is_empty());
    let (score, target, places) = same_everywhere(3, 0.4);
    let features = Points::row_major(2, &places).unwrap();
    let one = vec![0; score.len()];
    let sample = LocalSample::new(&score, &target, &one, features).unwrap();
    let found = Places::look(&sample, strata(&bins(&score)), KERNEL, 100).unwrap();
    for one in found.worst(&found.maxima(0, 0..9).unwrap(), 5) {
        assert_eq!(one.interval, [f64::NEG_INFINITY, f64::INFINITY]);
        assert!(one.p >= 0.1);
    }
}

#[test]
fn strata_hold_enough_rows() {
    let bin: Vec<u32> = [(0, 5), (1, 30), (4, 19), (5, 3), (7, 60), (9, 4)]
        .into_iter()
        .flat_map(|(bin, n)| std::iter::repeat_n(bin, n))
        .collect();
    let found = strata(&bin);
    let count = |own: u32| found.iter().filter(|s| **s == own).count();
    assert_eq!([count(0), count(1), count(2), count(3)], [35, 22, 64, 0]);
    assert!(found.is_sorted());
    assert_eq!(strata(&[2, 2, 3]), [0, 0, 0]);
    assert!(strata(&[]).is_empty());
}

#[test]
fn places_spread_as_the_rows_do() {
    let (_, _, places) = same_everywhere(11, 0.0);
    let points = Points::row_major(2, &places).unwrap();
    let chosen = spread_out(points, 16);
    assert_eq!(chosen.len(), 16);
    assert!(chosen.is_sorted());
    for quarter in 0..4 {
        let inside = |row: &&u32| {
            let place = points.row(**row as usize);
            usize::from(place[0] > 0.5) + 2 * usize::from(place[1] > 0.5) == quarter
        };
        assert!(chosen.iter().filter(inside).count() >= 2);
    }
    assert_eq!(spread_out(points, 250).len(), 250);
    let same = vec![1.0; 40];
    assert_eq!(spread_out(Points::row_major(2, &same).unwrap(), 7).len(), 7);
}
