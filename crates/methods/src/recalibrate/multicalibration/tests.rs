#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::{F8_G, f8_top};
use proptest::prelude::*;

fn one(groups: &[u32], count: usize) -> Memberships {
    Memberships { width: 1, groups: groups.to_vec(), count }
}

/// Largest |ȳ − p̄| over the bins of all groups, divided by max(ȳ, ρ) with `rho`. 0 where no cell has `min_rows` rows.
fn cell_loss(s: &[f64], t: &[u8], by: &Memberships, edges: &BinEdges, min_rows: usize, rho: Option<f64>) -> f64 {
    let mut worst = 0.0_f64;
    for rows in by.rows() {
        let mut sums = vec![(0_usize, 0.0, 0.0); edges.count()];
        for i in rows {
            let (s, t) = (s[i as usize], t[i as usize]);
            let cell = &mut sums[edges.bin_of(s)];
            *cell = (cell.0 + 1, cell.1 + s, cell.2 + f64::from(t));
        }
        for (n, score, events) in sums.into_iter().filter(|(n, ..)| *n >= min_rows.max(1)) {
            let (n, rate) = (n as f64, events / n as f64);
            worst = worst.max((rate - score / n).abs() / rho.map_or(1.0, |rho| rate.max(rho)));
        }
    }
    worst
}

/// Gaps of F8 by group and half: (A, low) .575, (A, high) .15, (B, high) −.2375.
#[test]
fn worked_losses() {
    let (s, t) = f8_top();
    let edges = BinOptions::equal_width(2).bin_edges(&s).unwrap();
    let loss = |least, rho| cell_loss(&s, &t, &one(&F8_G, 2), &edges, least, rho);
    // of (B, high) half were right
    for (found, expected) in
        [(loss(1, None), 0.575), (loss(4, None), 0.2375), (loss(5, None), 0.0), (loss(4, Some(0.1)), 0.475)]
    {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

/// The specification, 7.2, the example of F8.
#[test]
fn worked_example() {
    let (s, t) = f8_top();
    let by = one(&F8_G, 2);
    let options = CellOptions { bins: BinOptions::equal_width(2), min_rows: 1, ..CellOptions::default() };
    let found = fit(&s, &t, &by, &options).unwrap();
    assert!((found.objective_before - 0.575).abs() < 1e-12);
    assert!(found.objective_after <= 0.01);
    let steps = &found.parameters.steps;
    assert_eq!(steps.len(), 17);
    let (group, bin, shift) = steps[0];
    assert_eq!((group, bin), (0, 0));
    assert!((shift - 0.575).abs() < 1e-11);
    let (group, bin, shift) = steps[1];
    assert_eq!((group, bin), (1, 1));
    assert!((shift + 0.2375).abs() < 1e-11);
    let after = |count: usize| {
        let first = Multicalibration { steps: steps[..count].to_vec(), ..found.parameters.clone() };
        first.apply(&s, &by)
    };
    let near = |ours: &[f64], theirs: &[f64]| {
        for (a, b) in ours.iter().zip(theirs) {
            assert!((a - b).abs() < 5e-9, "{ours:?} {theirs:?}");
        }
    };
    let first = after(1);
    near(&[first[4], first[6]], &[1.0, 0.975]);
    let second = after(2);
    near(&[second[2], second[3], second[5], second[7]], &[0.6125, 0.3125, 0.3625, 0.7125]);
    near(&found.parameters.apply(&s, &by), &[1.0, 0.9644043, 0.0109375, 1.0, 1.0, 0.0, 1.0, 0.98203125]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (s, t) = f8_top();
    let by = one(&F8_G, 2);
    for (options, words) in [
        (CellOptions { alpha: 0.0, ..CellOptions::default() }, "alpha is 0, eta is 1"),
        (CellOptions { eta: 1.5, ..CellOptions::default() }, "eta is 1.5"),
        (CellOptions { rho: Some(0.0), ..CellOptions::default() }, "rho is 0"),
    ] {
        let error = fit(&s, &t, &by, &options).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        assert!(error.to_string().contains(words), "{error}");
    }
    let none = PublishedOptions { visits: 0, ..PublishedOptions::default() };
    let error = fit_published(&s, &t, &by, &none).unwrap_err();
    assert!(error.to_string().contains("with at most 0 cells"), "{error}");
    let error = fit(&s, &t, &one(&F8_G[..5], 2), &CellOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "5 memberships for 8 rows in 1 groupings");
    // With the usual least size none of these cells is touched, and that is said.
    let found = fit(&s, &t, &by, &CellOptions::default()).unwrap();
    assert!(found.parameters.steps.is_empty());
    assert!(found.warnings[0].contains("fewer than 30 calibration rows"), "{:?}", found.warnings);
}

#[test]
fn one_group_and_one_bin_shift_the_mean() {
    let (s, t) = (vec![0.4; 10], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    let by = one(&[0; 10], 1);
    let options = CellOptions { bins: BinOptions::equal_width(1), min_rows: 1, ..CellOptions::default() };
    let found = fit(&s, &t, &by, &options).unwrap();
    assert_eq!(found.parameters.steps.len(), 1);
    assert!(found.parameters.apply(&s, &by).iter().all(|p| (p - 0.6).abs() < 1e-11));
    let found = fit_published(&s, &t, &by, &PublishedOptions::default()).unwrap();
    assert_eq!(found.parameters.rounds, [1]);
    assert!(found.parameters.apply(&s, &by).iter().all(|p| (p - 0.6).abs() < 1e-12));
}

proptest! {
    /// The specification, 9, 27: after convergence every audited cell has a gap of α at most, and replaying the steps on the rows
    /// of the fit gives the same scores.
    #[test]
    fn converged_cells_are_right(
        rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8, 0..3_u32, 0..4_u32), 20..200),
        proportional: bool,
    ) {
        let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let t: Vec<u8> = rows.iter().map(|r| r.1).collect();
        // Two groupings that overlap, and their intersections; some rows have no group.
        let groups = rows.iter().flat_map(|r| {
            let second = if r.3 == 3 { MISSING } else { 3 + r.3 };
            let both = if r.3 == 3 { MISSING } else { 6 + 3 * r.2 + r.3 };
            [r.2, second, both]
        }).collect();
        let by = Memberships { width: 3, groups, count: 15 };
        let options = CellOptions { min_rows: 4, alpha: 0.02, rho: proportional.then_some(0.1), most_steps: 100_000, ..CellOptions::default() };
        let found = fit(&s, &t, &by, &options).unwrap();
        let p = found.parameters.apply(&s, &by);
        prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        let edges = options.bins.bin_edges(&s).unwrap();
        let left = cell_loss(&p, &t, &by, &edges, options.min_rows, options.rho);
        prop_assert!((left - found.objective_after).abs() < 1e-9, "{} {}", left, found.objective_after);
        if found.objective_after <= options.alpha {
            prop_assert!(left <= options.alpha + 1e-9);
        } else {
            prop_assert!(!found.warnings.is_empty());
        }
        // Gaps in proportion are never smaller: outcome rates are 1 at most.
        let plain = cell_loss(&p, &t, &by, &edges, options.min_rows, None);
        prop_assert!(cell_loss(&p, &t, &by, &edges, options.min_rows, Some(0.1)) >= plain - 1e-12);
    }

    #[test]
    fn published_rounds_repeat_on_their_own_rows(rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8, 0..3_u32), 20..200)) {
        let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let t: Vec<u8> = rows.iter().map(|r| r.1).collect();
        let by = one(&rows.iter().map(|r| r.2).collect::<Vec<u32>>(), 3);
        let options = PublishedOptions { visits: 100_000, ..PublishedOptions::default() };
        let found = fit_published(&s, &t, &by, &options).unwrap();
        let p = found.parameters.apply(&s, &by);
        prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)));
        let last = *found.parameters.rounds.last().unwrap_or(&0) as usize;
        prop_assert_eq!(last, found.parameters.steps.len());
        // As the published software applies it, on the rows of the fit; and every row alone.
        let together = apply_in_company(&found.parameters, &options, &s, &by);
        prop_assert_eq!(&together, &p);
        for (i, own) in rows.iter().enumerate() {
            let alone = found.parameters.apply(&[own.0], &one(&[own.2], 3));
            prop_assert_eq!(alone[0].to_bits(), p[i].to_bits());
        }
    }
}
