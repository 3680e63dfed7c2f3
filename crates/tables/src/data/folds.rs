//! Folds and halves of a divided data set: which rows fit a method, and which are scored with it.

mod shared;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::weights::Weights;
use crate::data::{CALIBRATION, Division, EVALUATION, Predictions};
use crate::error::{Error, Result};
use crate::num::order;
use crate::num::rng::{LANES, Lanes};
use crate::table::Column;

/// [`Split::fold`] of a row that calibrates and is never scored.
pub const CALIBRATES: u8 = 254;
/// [`Split::fold`] of a row that takes no part.
pub const LEFT_OUT: u8 = 255;

/// For each row, the fold whose fit scores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// number of folds; 1 where one set calibrates and another is scored
    pub folds: usize,
    /// fold index, [`CALIBRATES`] or [`LEFT_OUT`] a row
    pub fold: Column<u8>,
    /// of counts that all folds share, how many rows of each count are in each fold, count by count; else empty
    #[serde(default)]
    pub shares: Column<f64>,
}

impl Split {
    /// Divides the rows as `data.division` says; folds and halves are stratified by outcome and seeded, and keep the rows of
    /// a cluster, and copies of a row, together. Rows of weight 0 are left out. Counts are shared out to folds as their rows would be.
    ///
    /// # Errors
    /// `split_empty` if no row is scored.
    ///
    /// # Cost
    /// O(n).
    ///
    /// ```
    /// use localcal_tables::data::{OpenOptions, assemble};
    /// use localcal_tables::read::read;
    /// use localcal_tables::data::folds::Split;
    ///
    /// let file = read("rows.csv", b"p,y\n0.9,1\n0.8,1\n0.3,0\n0.2,1\n0.6,0\n0.4,1\n", &mut |_| ())?;
    /// let options = OpenOptions { split: serde_json::from_str(r#"{ "folds": 2 }"#).unwrap(), ..OpenOptions::default() };
    /// let (data, _) = assemble(&[file], &options)?;
    /// let split = Split::new(&data, 0)?;
    /// // every row is scored once, by a fit on the other fold; outcomes are shared out evenly
    /// let (fitted, scored) = split.rows_of(0)?;
    /// assert_eq!((split.folds, fitted.len(), scored.len()), (2, 3, 3));
    /// # Ok::<(), localcal_tables::Error>(())
    /// ```
    pub fn new(data: &Predictions, seed: u64) -> Result<Self> {
        let split = match data.division {
            Division::Folds { folds } if data.is_counted() && data.clusters.is_none() => {
                let every: Vec<u32> = (0..data.rows as u32).collect();
                Split::shared(data, &every, folds, (seed, SPLIT_STREAM))
            }
            Division::Folds { folds } => Split::plain(folds, dealt(data, folds, seed)),
            Division::Half => Split::halves(data, seed),
            Division::Given { .. } => {
                let fold = data.sets.iter().map(|&set| match set {
                    CALIBRATION => CALIBRATES,
                    EVALUATION => 0,
                    _ => LEFT_OUT,
                });
                Split::plain(1, fold.collect()).counted(data)
            }
        };
        if split.evaluation_rows().is_empty() {
            return Err(Error::new("split_empty", "No rows are left to evaluate.", "Choose another data split."));
        }
        Ok(split)
    }

    /// Folds of whole rows.
    ///
    /// * `fold`: fold index, [`CALIBRATES`] or [`LEFT_OUT`] a row
    pub fn plain(folds: usize, fold: Vec<u8>) -> Self {
        Self { folds, fold: fold.into(), shares: Column::default() }
    }

    /// A seeded half of the rows calibrates, the other is scored, whatever the data set says of its rows but which of them
    /// take part at all: of a file that is opened in halves the division by that seed.
    pub fn halves(data: &Predictions, seed: u64) -> Self {
        let fold = dealt_anew(data, 2, seed).into_iter().map(|half| match half {
            0 => CALIBRATES,
            LEFT_OUT => LEFT_OUT,
            _ => 0,
        });
        Split::plain(1, fold.collect())
    }

    /// One of K seeded folds is scored, the others calibrate; which rows take part is as in [`Split::halves`].
    pub fn one_fold(data: &Predictions, folds: usize, fold: usize, seed: u64) -> Self {
        let of = dealt_anew(data, folds, seed).into_iter().map(|dealt| match dealt {
            LEFT_OUT => LEFT_OUT,
            dealt if usize::from(dealt) == fold => 0,
            _ => CALIBRATES,
        });
        Split::plain(1, of.collect())
    }

    /// Folds of some of the rows, stratified by outcome and seeded apart from those of the whole; the others are left
    /// out.
    pub fn within(data: &Predictions, rows: &[u32], folds: usize, seed: u64) -> Self {
        if data.is_counted() && data.clusters.is_none() {
            return Split::shared(data, rows, folds, (seed, WITHIN_STREAM));
        }
        let mut fold = vec![LEFT_OUT; data.rows];
        let dealt = stratified(data, rows, folds, (seed, WITHIN_STREAM));
        for (&row, dealt) in rows.iter().zip(dealt) {
            fold[row as usize] = dealt;
        }
        Split::plain(folds, fold)
    }

    /// The same without the rows of weight 0.
    pub fn counted(mut self, data: &Predictions) -> Self {
        if let Some(weights) = &data.weights {
            for (fold, &w) in self.fold.iter_mut().zip(weights.values.iter()) {
                if w == 0.0 {
                    *fold = LEFT_OUT;
                }
            }
        }
        self
    }

    /// A split that only scores: every row, by no fit.
    pub fn everything(rows: usize) -> Self {
        Split::plain(1, vec![0; rows])
    }

    /// Rows that fold `f` may be fitted on, ascending.
    pub fn calibration_rows(&self, f: usize) -> Vec<u32> {
        if self.is_shared() {
            return self.rows_by_share(|share, all| all > share, f);
        }
        self.rows_where(|fold| fold != LEFT_OUT && usize::from(fold) != f)
    }

    /// Rows that fold `f` is fitted on and rows that it scores; with few rows a fold may score none.
    ///
    /// # Errors
    /// `split_empty` if a fold has rows to score and none to fit on.
    pub fn rows_of(&self, f: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let (fitted, scored) = (self.calibration_rows(f), self.scored_rows(f));
        if fitted.is_empty() {
            return Err(Error::new(
                "split_empty",
                format!("Fold {} of {} has 0 rows to fit and {} to evaluate.", f + 1, self.folds, scored.len()),
                "Choose fewer folds or another data split; the method none needs no fit.",
            ));
        }
        Ok((fitted, scored))
    }

    /// Rows that fold `f` scores, ascending.
    pub fn scored_rows(&self, f: usize) -> Vec<u32> {
        if self.is_shared() {
            return self.rows_by_share(|share, _| share > 0.0, f);
        }
        self.rows_where(|fold| usize::from(fold) == f)
    }

    /// Every row that some fold scores, ascending; a count once for each fold that scores some of it.
    pub fn evaluation_rows(&self) -> Vec<u32> {
        if self.is_shared() {
            return self.parts().map(|(row, ..)| row).collect();
        }
        self.rows_where(|fold| fold < CALIBRATES)
    }

    /// The fold that scores each of [`evaluation_rows`](Self::evaluation_rows).
    pub fn evaluation_folds(&self) -> Vec<u8> {
        if self.is_shared() {
            return self.parts().map(|(_, fold, _)| fold).collect();
        }
        self.fold.iter().copied().filter(|fold| *fold < CALIBRATES).collect()
    }

    /// w of each of [`evaluation_rows`](Self::evaluation_rows); none where every row counts once.
    pub fn evaluation_weights(&self, data: &Predictions) -> Option<Vec<f64>> {
        if self.is_shared() {
            return Some(self.parts().map(|(.., rows)| rows).collect());
        }
        data.weights.as_ref().map(|weights| weights.select(&self.evaluation_rows()))
    }

    /// The data as the fit of fold `f` sees it: of counts the rows that are in other folds.
    pub fn seen<'a>(&self, data: &'a Predictions, f: usize) -> Cow<'a, Predictions> {
        match (&data.weights, self.is_shared()) {
            (Some(weights), true) => Cow::Owned(Predictions {
                weights: Some(Weights { values: self.rows_seen(f).into(), ..weights.clone() }),
                ..data.clone()
            }),
            _ => Cow::Borrowed(data),
        }
    }

    /// Every row that may be fitted on when nothing is held back for scoring: all folds, or the calibration set.
    pub fn all_calibration_rows(&self) -> Vec<u32> {
        if self.folds > 1 {
            self.rows_where(|fold| fold < CALIBRATES)
        } else {
            self.rows_where(|fold| fold == CALIBRATES)
        }
    }

    fn rows_where(&self, keep: impl Fn(u8) -> bool) -> Vec<u32> {
        (0u32..).zip(self.fold.iter()).filter(|&(_, &fold)| keep(fold)).map(|(row, _)| row).collect()
    }
}

/// Every row that counts, dealt to `parts` hands.
fn dealt(data: &Predictions, parts: usize, seed: u64) -> Vec<u8> {
    let all = 0..data.rows as u32;
    let Some(weights) = &data.weights else {
        let rows: Vec<u32> = all.collect();
        return stratified(data, &rows, parts, (seed, SPLIT_STREAM));
    };
    let rows: Vec<u32> = all.filter(|&row| weights.of(row) > 0.0).collect();
    let mut fold = vec![LEFT_OUT; data.rows];
    let hands = stratified(data, &rows, parts, (seed, SPLIT_STREAM));
    for (&row, hand) in rows.iter().zip(hands) {
        fold[row as usize] = hand;
    }
    fold
}

/// As [`dealt`], without the rows that a file leaves out.
fn dealt_anew(data: &Predictions, parts: usize, seed: u64) -> Vec<u8> {
    if !matches!(data.division, Division::Given { .. }) {
        return dealt(data, parts, seed);
    }
    let counts = |row: &u32| data.weights.as_ref().is_none_or(|weights| weights.of(*row) > 0.0);
    let sets = (0u32..).zip(data.sets.iter()).filter(|(_, set)| matches!(**set, CALIBRATION | EVALUATION));
    let rows: Vec<u32> = sets.map(|(row, _)| row).filter(counts).collect();
    let mut fold = vec![LEFT_OUT; data.rows];
    let hands = stratified(data, &rows, parts, (seed, SPLIT_STREAM));
    for (&row, hand) in rows.iter().zip(hands) {
        fold[row as usize] = hand;
    }
    fold
}

/// Random stream of the division, apart from those of the replicates.
const SPLIT_STREAM: u64 = 1 << 40;
/// And of divisions of some of the rows.
const WITHIN_STREAM: u64 = SPLIT_STREAM + 1;

/// Fisher and Yates: every order is equally likely, up to 2⁻³² n.
fn shuffle(rows: &mut [u32], mut lanes: Lanes) {
    let mut end = rows.len();
    while end > 1 {
        let first = end.saturating_sub(BLOCK).max(1);
        swap_down(rows, first..end, &mut lanes);
        end = first;
    }
}

#[inline(never)]
fn swap_down(rows: &mut [u32], range: Range<usize>, lanes: &mut Lanes) {
    let mut draws = [0; LANES];
    for (turn, i) in range.rev().enumerate() {
        if turn % LANES == 0 {
            draws = lanes.next();
        }
        let j = (u64::from(draws[turn % LANES]) * (i as u64 + 1)) >> 32;
        rows.swap(i, j as usize);
    }
}

/// Rows that are shuffled or dealt in one call, a multiple of the generator's lanes: browsers compile well what is called
/// often.
const BLOCK: usize = 4096;

/// Deals `rows` of each outcome in shuffled order to `parts` hands in turn; hands differ by at most one row. Where rows belong
/// together, or were copied, whole clusters are dealt instead.
fn stratified(data: &Predictions, rows: &[u32], parts: usize, (seed, stream): (u64, u64)) -> Vec<u8> {
    let outcome = |&row: &u32| match (&data.y, &data.correct) {
        (Some(y), _) => y[row as usize],
        (None, Some(a)) => u32::from(a[row as usize]),
        (None, None) => 0,
    };
    let strata: Vec<u32> = rows.iter().map(outcome).collect();
    if let Some(clusters) = data.clusters.as_ref().or(data.copies.as_ref()) {
        return whole_clusters(&strata, clusters.among(rows), parts, (seed, stream));
    }
    let mut places: Vec<u32> = (0..rows.len() as u32).collect();
    shuffle(&mut places, Lanes::seeded(seed, stream));
    // The next turn within each outcome; outcomes follow one another.
    let classes = strata.iter().max().map_or(0, |&most| most as usize + 1);
    let mut turns = vec![0usize; classes + 1];
    strata.iter().for_each(|&k| turns[k as usize + 1] += 1);
    for k in 0..classes {
        turns[k + 1] += turns[k];
    }
    let mut part = vec![0u8; rows.len()];
    for places in places.chunks(BLOCK) {
        deal(places, &strata, &mut turns, &mut part, parts);
    }
    part
}

/// Deals clusters whole, the largest first and those of one size in shuffled order, each to the hand whose rows of the
/// cluster's outcomes are the fewest so far: the hand h that adds least to Σₕ Σₖ nₕₖ² / nₖ, where nₕₖ are its rows of outcome k
/// and nₖ all of them. O(n + clusters · (log clusters + parts · outcomes of a cluster)).
///
/// * `strata`: outcome of each row; `of`, `count`: its cluster, and how many there are
fn whole_clusters(strata: &[u32], (of, count): (Vec<u32>, usize), parts: usize, (seed, stream): (u64, u64)) -> Vec<u8> {
    let classes = strata.iter().max().map_or(0, |&most| most as usize + 1);
    let mut all = vec![0usize; classes];
    let mut sizes = vec![0usize; count];
    let mut places: Vec<u32> = (0..strata.len() as u32).collect();
    for (&k, &c) in strata.iter().zip(&of) {
        all[k as usize] += 1;
        sizes[c as usize] += 1;
    }
    // Rows of one cluster side by side.
    order::sort(&mut places, &|&a, &b| of[a as usize].cmp(&of[b as usize]));
    let mut ends = sizes.clone();
    for c in 1..count {
        ends[c] += ends[c - 1];
    }
    let mut turns: Vec<u32> = (0..count as u32).collect();
    shuffle(&mut turns, Lanes::seeded(seed, stream));
    order::sort(&mut turns, &|&a, &b| sizes[b as usize].cmp(&sizes[a as usize]));
    let (mut held, mut rows_held) = (vec![0usize; parts * classes], vec![0usize; parts]);
    let mut part = vec![0u8; strata.len()];
    for c in turns {
        let (end, size) = (ends[c as usize], sizes[c as usize]);
        let rows = &places[end - size..end];
        let mut own: Vec<(usize, usize)> = Vec::new();
        for &row in rows {
            let k = strata[row as usize] as usize;
            match own.iter_mut().find(|(class, _)| *class == k) {
                Some((_, rows)) => *rows += 1,
                None => own.push((k, 1)),
            }
        }
        let adds = |h: usize| -> f64 {
            let of_class = |&(k, rows): &(usize, usize)| rows as f64 * held[h * classes + k] as f64 / all[k] as f64;
            own.iter().map(of_class).sum()
        };
        let before = |a: &usize, b: &usize| adds(*a).total_cmp(&adds(*b)).then(rows_held[*a].cmp(&rows_held[*b]));
        let hand = (0..parts).min_by(before).unwrap_or(0);
        for &(k, rows) in &own {
            held[hand * classes + k] += rows;
        }
        rows_held[hand] += size;
        rows.iter().for_each(|&row| part[row as usize] = hand as u8);
    }
    part
}

#[inline(never)]
fn deal(places: &[u32], strata: &[u32], turns: &mut [usize], part: &mut [u8], parts: usize) {
    for &place in places {
        let turn = &mut turns[strata[place as usize] as usize];
        part[place as usize] = (*turn % parts) as u8;
        *turn += 1;
    }
}
