//! Proximity of rows to the calibration rows of each fold, in parts.
//!
//! One search serves all folds: the nearest rows of a row among all rows, a few more than are wanted, hold the nearest
//! among the calibration rows of any fold. Where they do not, that row is searched for again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::data::folds::{CALIBRATES, LEFT_OUT, Split};
use crate::error::{Error, Result, phrases};
use crate::feature::proximity::ProximityOptions;
use crate::feature::{FeatureChoice, Places, features, is_place, no_row_has_a_place};
use crate::num::{Chosen, Rows};
use crate::proximity::measure::{UnitRows, log_proximity};
use crate::proximity::{Metric, Search};
use crate::table::Column;

/// Coordinates of all rows: read where they stand, or computed.
enum Coordinates<'a> {
    Read(Places<'a>),
    Computed(usize, Vec<f64>),
}

impl<'a> Coordinates<'a> {
    /// Components are fitted on `fit_rows`.
    fn new(data: &'a Predictions, choice: &FeatureChoice, fit_rows: &[u32]) -> Result<Self> {
        let names = match choice {
            FeatureChoice::One(name) => std::slice::from_ref(name),
            FeatureChoice::Many(names) => names.as_slice(),
            FeatureChoice::Pca { .. } => {
                let found = features(data, choice, fit_rows)?;
                return Ok(Self::Computed(found.d, found.values));
            }
        };
        Places::new(data, names).map(Self::Read)
    }
}

impl Coordinates<'_> {
    /// Those of `rows` that have a place, ascending.
    fn placed(&self, rows: Vec<u32>) -> Vec<u32> {
        let mut place = vec![0.0; self.d()];
        let mut has_place = |row: &u32| {
            self.read(*row as usize, &mut place);
            is_place(&place)
        };
        rows.into_iter().filter(|row| has_place(row)).collect()
    }
}

impl Rows for Coordinates<'_> {
    fn n(&self) -> usize {
        match self {
            Self::Read(places) => places.n(),
            Self::Computed(d, values) => values.len() / d,
        }
    }
    fn d(&self) -> usize {
        match self {
            Self::Read(places) => places.d(),
            Self::Computed(d, _) => *d,
        }
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        match self {
            Self::Read(places) => places.read(i, row),
            Self::Computed(d, values) => row.copy_from_slice(&values[i * d..(i + 1) * d]),
        }
    }
}

/// Rows that take part: those that are scored and those that calibrate, ascending.
fn taking_part(split: &Split) -> Vec<u32> {
    let rows = (0u32..).zip(split.fold.iter());
    rows.filter(|(_, fold)| **fold != LEFT_OUT).map(|(row, _)| row).collect()
}

/// Rows that others are near to: those that calibrate some fold; where nothing calibrates, every scored row.
fn references(split: &Split) -> Vec<u32> {
    let calibration = split.all_calibration_rows();
    if calibration.is_empty() { split.evaluation_rows() } else { calibration }
}

/// ln D of the rows of one part with respect to the calibration rows of every fold, for several numbers of
/// neighbors at once: row by row, fold by fold, then by `ks`. Not a number where a fold has no other row to be near to.
///
/// Rows of the part are those of `range` among the rows that take part. A row is never its own neighbor. Where no
/// row calibrates, rows are near to the other scored rows. Principal components are fitted on all calibration rows. A row
/// with a gap in one of the columns is near to none, and none is near to it: ln D is not a number there.
///
/// # Errors
/// `features_missing`, `unknown_column`, `too_few_rows`.
///
/// # Cost
/// O(rows of the part × references × d).
pub fn log_proximities_of(
    data: &Predictions,
    split: &Split,
    options: &ProximityOptions,
    ks: &[usize],
    range: Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<f64>> {
    let choice = options.features.as_ref().ok_or_else(|| {
        Error::new(
            "features_missing",
            "Proximity needs feature columns, which define similarity.",
            phrases::FEATURES_OF_PROXIMITY,
        )
    })?;
    let (rows, references) = (taking_part(split), references(split));
    let raw = Coordinates::new(data, choice, &references)?;
    let references = raw.placed(references);
    if references.is_empty() {
        return Err(no_row_has_a_place());
    }
    let unit = UnitRows { of: &raw };
    let places: &dyn Rows = if options.row_normalise == Some(true) { &unit } else { &raw };
    let near = NeighborSearch { places, split, metric: options.metric(), most: ks.iter().copied().max().unwrap_or(0) };
    let range = range.start..range.end.min(rows.len());
    let all = rows.get(range).unwrap_or(&[]);
    let part = raw.placed(all.to_vec());
    let lists = near.lists(&part, &references, progress)?;
    let form = options.form.unwrap_or_default();
    let mut again: Vec<Vec<usize>> = vec![Vec::new(); split.folds];
    let mut out = vec![f64::NAN; all.len() * split.folds * ks.len()];
    let slots: Vec<usize> = part.iter().map(|row| all.binary_search(row).unwrap_or_default()).collect();
    let mut put = |place: usize, fold: usize, distances: &[f64]| {
        for (slot, &k) in ks.iter().enumerate() {
            let nearest = distances.get(..k.min(distances.len())).unwrap_or(&[]);
            out[(slots[place] * split.folds + fold) * ks.len() + slot] = log_proximity(form, near.metric, nearest);
        }
    };
    let available: Vec<usize> = (0..split.folds).map(|f| near.available(f, &references)).collect();
    for (place, (&row, list)) in part.iter().zip(&lists).enumerate() {
        for fold in 0..split.folds {
            let own = usize::from(near.serves(row, fold) && references.binary_search(&row).is_ok());
            let wanted = near.most.min(available[fold] - own);
            let distances: Vec<f64> = list
                .iter()
                .filter(|(other, _)| near.serves(*other, fold))
                .map(|(_, distance)| *distance)
                .take(wanted)
                .collect();
            if distances.len() < wanted {
                again[fold].push(place);
            } else {
                put(place, fold, &distances);
            }
        }
    }
    for (fold, missed) in again.iter().enumerate().filter(|(_, missed)| !missed.is_empty()) {
        let serving: Vec<u32> = references.iter().copied().filter(|&row| near.serves(row, fold)).collect();
        let queries: Vec<u32> = missed.iter().map(|&place| part[place]).collect();
        let lists = near.search(&queries, &serving, near.most, &mut |_| ())?;
        for (&place, list) in missed.iter().zip(&lists) {
            let distances: Vec<f64> = list.iter().map(|(_, distance)| *distance).collect();
            put(place, fold, &distances);
        }
    }
    Ok(out)
}

/// Rows in feature space, and which of them serve which fold.
struct NeighborSearch<'a> {
    places: &'a dyn Rows,
    split: &'a Split,
    metric: Metric,
    /// neighbors that are wanted at most
    most: usize,
}

type List = Vec<(u32, f64)>;

impl NeighborSearch<'_> {
    /// Whether a reference row may be a neighbor under `fold`: it calibrates that fold, or nothing calibrates at all.
    fn serves(&self, row: u32, fold: usize) -> bool {
        self.split.folds == 1 || usize::from(self.split.fold[row as usize]) != fold
    }

    fn available(&self, fold: usize, references: &[u32]) -> usize {
        let serving = |row: &&u32| self.serves(**row, fold);
        references.iter().filter(serving).count()
    }

    /// Nearest references of each row, enough for every fold nearly always.
    fn lists(&self, rows: &[u32], references: &[u32], progress: &mut dyn FnMut(f64)) -> Result<Vec<List>> {
        let (k, folds) = (self.most as f64, self.split.folds as f64);
        let left_out = if folds > 1.0 { 1.0 / folds } else { 0.0 };
        // Each is left out with this probability: as many more as are left out, and four standard deviations.
        let wanted = (k + 4.0 * (k * left_out).sqrt()) / (1.0 - left_out);
        self.search(rows, references, wanted.ceil() as usize, progress)
    }

    fn search(&self, rows: &[u32], references: &[u32], k: usize, progress: &mut dyn FnMut(f64)) -> Result<Vec<List>> {
        let chosen = |rows| Chosen { of: self.places, rows };
        let (from, among) = (chosen(rows), chosen(references));
        let search = Search::new(&among, self.metric)?;
        // A row that serves itself takes one of the places.
        let found = search.nearest(Some(&from), 0..rows.len(), k + 1, progress)?;
        let each = found.index.chunks(found.k).zip(found.distance.chunks(found.k));
        Ok(rows
            .iter()
            .zip(each)
            .map(|(&row, (index, distance))| {
                let others = index.iter().zip(distance).filter_map(|(&place, &distance)| {
                    let other = *references.get(place as usize)?;
                    (other != row).then_some((other, distance))
                });
                others.take(k).collect()
            })
            .collect())
    }
}

/// ln D of every row with respect to the calibration rows of every fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Proximities {
    folds: usize,
    /// by row of the data, then by fold; not a number for a row that takes no part
    values: Vec<f64>,
}

/// One part of a search: ln D, row by row, fold by fold, by number of neighbors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogProximities {
    /// all of them
    pub values: Column<f64>,
}

impl Proximities {
    /// Puts the parts of [`log_proximities_of`] for `numbers` numbers of neighbors back together; of several searches
    /// one after another.
    ///
    /// # Errors
    /// `length_mismatch` if they do not belong to the split.
    pub fn gathered(split: &Split, parts: &[&[f64]], numbers: usize) -> Result<Vec<Proximities>> {
        let (folds, numbers) = (split.folds, numbers.max(1));
        let rows = taking_part(split);
        let each = folds * numbers;
        let total: usize = parts.iter().map(|part| part.len()).sum();
        if rows.is_empty() || total == 0 || !total.is_multiple_of(rows.len() * each) {
            return Err(mismatch());
        }
        let searches = total / (rows.len() * each);
        let blank = Self { folds, values: vec![f64::NAN; split.fold.len() * folds] };
        let mut found = vec![blank; searches * numbers];
        let mut values = parts.iter().flat_map(|part| part.iter());
        for search in 0..searches {
            for &row in &rows {
                for fold in 0..folds {
                    for number in 0..numbers {
                        let value = values.next().copied().ok_or_else(mismatch)?;
                        let into = &mut found[search * numbers + number].values;
                        into[row as usize * folds + fold] = value;
                    }
                }
            }
        }
        Ok(found)
    }

    /// ln D of data row `row` under `fold`; scored rows of a single fold and calibration rows alike.
    pub fn value(&self, row: u32, fold: u8) -> f64 {
        let fold = if fold >= CALIBRATES { 0 } else { usize::from(fold) };
        let place = row as usize * self.folds + fold;
        self.values.get(place).copied().unwrap_or(f64::NAN)
    }

    /// ln D of every data row under `fold`.
    pub fn of_fold(&self, fold: usize) -> Vec<f64> {
        self.values.iter().skip(fold).step_by(self.folds.max(1)).copied().collect()
    }
}

fn mismatch() -> Error {
    Error::new("length_mismatch", "The proximities do not belong to this data split.", "Run again.")
}
