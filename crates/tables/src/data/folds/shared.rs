//! Folds of counts: each count is shared out at random, as its rows would be.
//!
//! Every fold gets the same number of rows of each outcome, and which rows of a count these are is left to chance:
//! numbers are multivariate hypergeometric. Were each count divided evenly instead, every fold would have the event
//! rate of the whole in every cell, and a fit would be evaluated on what it was fitted to.

use super::{LEFT_OUT, Split};
use crate::data::Predictions;
use crate::num::large_counts::hypergeometric;
use crate::num::rng::Draws;

impl Split {
    /// Some counts of `data`, shared out to `folds` folds whose numbers of rows of each outcome differ by at most one.
    /// The others are left out. O(Σ √count · folds).
    pub(super) fn shared(data: &Predictions, rows: &[u32], folds: usize, (seed, stream): (u64, u64)) -> Self {
        let mut fold = vec![LEFT_OUT; data.rows];
        let mut shares = vec![0.0; data.rows * folds];
        let count = |row: u32| data.weights.as_ref().map_or(0.0, |weights| weights.of(row));
        let outcome = |row: u32| data.y.as_ref().and_then(|y| y.get(row as usize)).copied().unwrap_or_default();
        let mut draws = Draws::seeded(seed, stream);
        let mut outcomes: Vec<u32> = rows.iter().map(|&row| outcome(row)).collect();
        outcomes.sort_unstable();
        outcomes.dedup();
        for class in outcomes {
            let own = || rows.iter().copied().filter(|&row| outcome(row) == class);
            let all: f64 = own().map(count).sum();
            let (each, more) = ((all / folds as f64).floor(), all % folds as f64);
            // rows that each fold has still to get
            let mut room: Vec<f64> = (0..folds).map(|f| each + f64::from(u8::from((f as f64) < more))).collect();
            for row in own() {
                let (mut drawn, mut all) = (count(row), room.iter().sum::<f64>());
                if drawn <= 0.0 {
                    continue;
                }
                let shares = shares.iter_mut().skip(row as usize * folds);
                for (share, room) in shares.zip(&mut room) {
                    *share = hypergeometric(&mut draws, drawn, *room, all);
                    (drawn, all) = (drawn - *share, all - *room);
                    *room -= *share;
                }
                if let Some(fold) = fold.get_mut(row as usize) {
                    *fold = 0;
                }
            }
        }
        Self { folds, fold: fold.into(), shares: shares.into() }
    }

    /// Whether folds share the counts.
    pub(super) fn is_shared(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Row, fold and number of rows of every part, by row and fold.
    pub(super) fn parts(&self) -> impl Iterator<Item = (u32, u8, f64)> + '_ {
        let of_row = |(row, shares): (u32, &'_ [f64])| {
            let parts = (0u8..).zip(shares.to_vec()).map(move |(fold, rows)| (row, fold, rows));
            parts.filter(|(.., rows)| *rows > 0.0)
        };
        (0u32..).zip(self.shares.chunks_exact(self.folds.max(1))).flat_map(of_row)
    }

    /// How many rows of each count are in other folds than `f`.
    pub(super) fn rows_seen(&self, f: usize) -> Vec<f64> {
        let others = |shares: &[f64]| (0..).zip(shares).filter(|(fold, _)| *fold != f).map(|(_, rows)| rows).sum();
        self.shares.chunks_exact(self.folds.max(1)).map(others).collect()
    }

    /// Counts of which `keep` says so, of the rows in fold `f` and of those in all folds; ascending.
    pub(super) fn rows_by_share(&self, keep: impl Fn(f64, f64) -> bool, f: usize) -> Vec<u32> {
        let kept =
            |(_, shares): &(u32, &[f64])| keep(shares.get(f).copied().unwrap_or_default(), shares.iter().sum::<f64>());
        let each = (0u32..).zip(self.shares.chunks_exact(self.folds.max(1)));
        each.filter(kept).map(|(row, _)| row).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::data::folds::Split;
    use crate::data::{OpenOptions, Predictions, assemble};
    use crate::read::read;

    /// Counts of 3 cells: 7 rows with 3 events, 1,000 with 10, 400 with 390.
    fn counts() -> Predictions {
        let text = "settings,total_rows,total_cells,status,cell,n,sum_y,sum_p,sum_pp,sum_py,sum_ppy,sum_loss,\
                    sum_loss_y\nlocalcal-counts=1&dialect=duckdb&grid=960&table=t&score=risk&outcome=died,1407,3,\
                    ok,480,7,3,1.75,0,0.75,0,0,0\n\
                    ,,,ok,192,1000,10,100,0,1,0,0,0\n,,,ok,1440,400,390,300,0,292.5,0,0,0\n";
        let file = read("counts.csv", text.as_bytes(), &mut |_| ()).expect("counts");
        assemble(&[file], &OpenOptions::default()).expect("a data set").0
    }

    #[test]
    fn rows_of_counts_are_shared_out_as_rows_are() {
        let data = counts();
        let split = Split::new(&data, 0).expect("a division");
        let (rows, folds) = (split.evaluation_rows(), split.evaluation_folds());
        let w = split.evaluation_weights(&data).expect("numbers of rows");
        assert!(rows.is_sorted() && rows.len() == folds.len() && rows.len() == w.len());
        // every fold has the same number of rows of each outcome, up to one
        let outcome = |row: u32| data.y.as_ref().map_or(0, |y| y[row as usize]);
        for class in 0..2 {
            let of = |fold: u8| -> f64 {
                let own = (0..w.len()).filter(|&i| folds[i] == fold && outcome(rows[i]) == class);
                own.map(|i| w[i]).sum()
            };
            let sizes: Vec<f64> = (0..5).map(of).collect();
            let (least, most) = sizes.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
            assert!(most - least <= 1.0, "{sizes:?}");
        }
        for fold in 0..5 {
            let (fitted, scored) = split.rows_of(fold).expect("rows");
            let seen = split.seen(&data, fold);
            let seen = seen.weights.as_ref().expect("numbers of rows");
            for row in 0..data.rows as u32 {
                let all = data.weights.as_ref().map_or(0.0, |weights| weights.of(row));
                let held: f64 =
                    (0..w.len()).filter(|&i| rows[i] == row && usize::from(folds[i]) == fold).map(|i| w[i]).sum();
                // the fit sees every row of the count that the fold does not score
                assert_eq!(seen.of(row) + held, all);
                assert_eq!((fitted.contains(&row), scored.contains(&row)), (all > held, held > 0.0));
            }
        }
        // not evenly: of the 10 events of the second cell as many are in a fold as chance has it, 81 of 403 events
        // being there
        let shares = (0..2000).map(|seed| Split::new(&data, seed).map_or(f64::NAN, |split| split.shares[10]));
        let shares: Vec<f64> = shares.collect();
        let mean = shares.iter().sum::<f64>() / 2000.0;
        let variance = shares.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1999.0;
        let share: f64 = 81.0 / 403.0;
        assert!((mean - 10.0 * share).abs() < 0.12, "{mean}");
        assert!((variance / (10.0 * share * (1.0 - share) * 393.0 / 402.0) - 1.0).abs() < 0.15, "{variance}");
    }
}
