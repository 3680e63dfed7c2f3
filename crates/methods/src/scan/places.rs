//! Regions of similar rows: the nearest neighbors of some rows, by the features that define similarity.

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::error::Result;
use crate::feature::Places as Coordinates;
use crate::num::rng::Draws;
use crate::num::{Chosen, Rows};
use crate::project::pca::Pca;
use crate::table::Column;

/// Maximum number of centers.
const CENTERS: usize = 150;
/// Fewer centers are used if rows × coordinates × centers exceeded this.
const MOST_WORK: usize = 600_000_000;
/// Rows of the smallest ball; each size is twice the one before.
const SMALLEST: usize = 40;
/// Maximum number of sizes: 40, 80, … 5,120 rows.
const SIZES: usize = 8;
/// A ball contains at most one in this number of all rows.
const LARGEST: usize = 3;
/// Above this number of coordinates as many principal components are used.
const COMPONENTS: usize = 20;
/// Maximum number of rows, evenly spaced, to which principal components are fitted.
const FITTED: usize = 3_000;
/// Random stream that selects the centers.
const CENTER_STREAM: u64 = 1 << 43;
/// Rows of a ball, and rows near it, that are evaluated as its center after detection.
const TRIED: usize = 60;
/// Factor between the sizes that are tried.
const FINER: f64 = 1.189_207_115_002_721;

/// Balls of nearest neighbors around some centers, in several sizes; none of them depends on an outcome.
///
/// Distances are L1 of coordinates in units of their standard deviation; from 21 coordinates on Euclidean in the first 20
/// principal components, where an array is the only feature of their directions (cosine similarity).
///
/// Rows at the same distance are in a ball together or not at all: cut among them, a ball would depend on the order of the
/// rows in the file, and thereby on outcomes where the file is sorted by them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Places {
    /// columns and arrays that define similarity
    pub features: Vec<String>,
    /// index of each row in the data
    pub rows: Column<u32>,
    /// number of coordinates
    d: usize,
    /// coordinates of each row, n × d; not a number where a row has no place
    coordinates: Column<f32>,
    /// distances are Euclidean, not L1
    euclidean: bool,
    /// least rows of the balls of a center, ascending: each has those at the distance of its last row, too
    sizes: Vec<u32>,
    /// number of centers
    centers: usize,
    /// where the rings of each row begin in `rings`, n + 1
    starts: Column<u32>,
    /// center × sizes + ring, of every ring that a row lies in
    rings: Column<u32>,
}

impl Places {
    /// The balls; `None` with fewer than two coordinates, where ranges suffice, or with too few rows for a ball.
    ///
    /// * `features`: columns and arrays that define similarity
    /// * `rows`: rows of the data, in the order of the scan
    /// * `least`: rows of the smallest ball
    ///
    /// # Errors
    /// Those of the coordinates.
    ///
    /// # Cost
    /// O(n d) a center, 150 of them; that of [`Pca::fit`] on 3,000 rows where there are more than 20 coordinates.
    pub fn new(data: &Predictions, features: &[String], rows: &[u32], least: usize, seed: u64) -> Result<Option<Self>> {
        if features.is_empty() || data.no_test_by(features).is_some() {
            return Ok(None);
        }
        let raw = Coordinates::new(data, features)?;
        if raw.d() < 2 {
            return Ok(None);
        }
        let mut places =
            Places { features: features.to_vec(), rows: rows.iter().copied().collect(), ..Self::default() };
        places.locate(&raw, rows)?;
        places.surround(least, seed);
        Ok((places.centers > 0).then_some(places))
    }

    /// Coordinates of every row.
    fn locate(&mut self, raw: &Coordinates, rows: &[u32]) -> Result<()> {
        let scale = scales(raw, rows);
        let scaled = Scaled { of: raw, scale: &scale };
        let d = raw.d();
        let mut row = vec![0.0; d];
        if d <= COMPONENTS {
            self.d = d;
            let mut coordinates = Vec::with_capacity(rows.len() * d);
            for &i in rows {
                scaled.read(i as usize, &mut row);
                coordinates.extend(row.iter().map(|x| *x as f32));
            }
            self.coordinates = coordinates.into();
            return Ok(());
        }
        let step = raw.placed.len().div_ceil(FITTED).max(1);
        let some: Vec<u32> = raw.placed.iter().copied().step_by(step).collect();
        let fit = Pca::fit(&Chosen { of: &scaled, rows: &some }, COMPONENTS, 0, &mut |_| ())?;
        let found = fit.transform(&Chosen { of: &scaled, rows }, &mut |_| ())?;
        let directions = raw.is_entry.iter().all(|is_entry| *is_entry);
        let mut coordinates = Vec::with_capacity(rows.len() * fit.q());
        for of_row in found.rows() {
            let length = if directions { of_row.dot(&of_row).sqrt().max(f64::MIN_POSITIVE) } else { 1.0 };
            coordinates.extend(of_row.iter().map(|x| (x / length) as f32));
        }
        (self.d, self.coordinates, self.euclidean) = (fit.q(), coordinates.into(), true);
        Ok(())
    }

    /// Centers, each next one drawn with a probability proportional to its distance from those before, and the nearest
    /// rows of each.
    fn surround(&mut self, least: usize, seed: u64) {
        let n = self.rows.len();
        let placed: Vec<u32> = (0..n as u32).filter(|&i| self.is_placed(i)).collect();
        let most = placed.len() / LARGEST;
        self.sizes = (0..SIZES)
            .map(|k| SMALLEST << k)
            .filter(|&size| size >= least && size <= most)
            .map(|size| size as u32)
            .collect();
        let Some(&largest) = self.sizes.last() else { return };
        let wanted = (MOST_WORK / (n * self.d).max(1)).clamp(CENTERS / 3, CENTERS);
        let mut draws = Draws::seeded(seed, CENTER_STREAM);
        let mut next = placed.get(draws.one_of(placed.len())).copied();
        let mut nearest = vec![f32::INFINITY; placed.len()];
        let mut members: Vec<(u32, u32)> = Vec::new();
        while let Some(center) = next.filter(|_| self.centers < wanted) {
            let mut near = self.distances(center, &placed);
            for (nearest, (distance, _)) in nearest.iter_mut().zip(&near) {
                *nearest = nearest.min(*distance);
            }
            keep_nearest(&mut near, largest as usize);
            let mut first = 0;
            for (ring, &size) in self.sizes.iter().enumerate() {
                let number = (self.centers * self.sizes.len() + ring) as u32;
                let end = end_of_ball(&near, size as usize);
                // a ball of too many rows at one distance is that before it
                let Some(more) = near.get(first..end).filter(|_| end <= most) else { break };
                members.extend(more.iter().map(|(_, row)| (*row, number)));
                first = end;
            }
            self.centers += 1;
            // rows in the same place as a center are none themselves
            let total: f64 = nearest.iter().map(|d| f64::from(*d)).sum();
            let mut left = draws.uniform() * total;
            next = (total > 0.0)
                .then(|| {
                    nearest
                        .iter()
                        .position(|d| {
                            left -= f64::from(*d);
                            left < 0.0 && *d > 0.0
                        })
                        .and_then(|at| placed.get(at).copied())
                })
                .flatten();
        }
        members.sort_unstable();
        let mut starts = vec![0_u32; n + 1];
        members.iter().for_each(|(row, _)| starts[*row as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        self.starts = starts.into();
        self.rings = members.into_iter().map(|(_, ring)| ring).collect();
    }

    fn is_placed(&self, row: u32) -> bool {
        self.at(row).iter().all(|x| x.is_finite())
    }

    fn at(&self, row: u32) -> &[f32] {
        let from = row as usize * self.d;
        self.coordinates.get(from..from + self.d).unwrap_or_default()
    }

    /// Distances from a row to others, with the other.
    fn distances(&self, from: u32, to: &[u32]) -> Vec<(f32, u32)> {
        let from = self.at(from);
        let one = |row: &u32| {
            let both = from.iter().zip(self.at(*row));
            let distance: f32 = match self.euclidean {
                true => both.map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt(),
                false => both.map(|(a, b)| (a - b).abs()).sum(),
            };
            (distance, *row)
        };
        to.iter().map(one).collect()
    }

    /// Number of centers.
    pub(super) fn centers(&self) -> usize {
        self.centers
    }

    /// Rings of a center: its balls are the first one, the first two, and so on.
    pub(super) fn sizes(&self) -> usize {
        self.sizes.len()
    }

    /// Rings that a row lies in: center × sizes + ring.
    pub(super) fn rings_of(&self, row: usize) -> &[u32] {
        match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&from), Some(&to)) => self.rings.get(from as usize..to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Rows of a ball, ascending.
    pub(super) fn ball(&self, center: usize, size: usize) -> Vec<u32> {
        let first = (center * self.sizes.len()) as u32;
        let inside = |ring: &u32| (first..=first + size as u32).contains(ring);
        (0..self.rows.len()).filter(|&i| self.rings_of(i).iter().any(inside)).map(|i| i as u32).collect()
    }

    /// Balls that resemble one: around its rows and rows near it, in finer steps of size. The first is the ball itself.
    ///
    /// * `rows`: of the ball, ascending
    /// * `least`: rows of the smallest
    /// * `seen`: receives the rows of each, nearest first, and the sizes to evaluate
    pub(super) fn refined(&self, rows: &[u32], least: usize, seen: &mut dyn FnMut(&[u32], &[usize])) {
        let placed: Vec<u32> = (0..self.rows.len() as u32).filter(|&i| self.is_placed(i)).collect();
        let most = (placed.len() / LARGEST).min(4 * rows.len());
        let mut sizes = Vec::new();
        let mut size = (rows.len() as f64 / 4.0).max(least as f64);
        while size <= most as f64 {
            sizes.push(size as usize);
            size *= FINER;
        }
        let Some(&largest) = sizes.last() else { return };
        let step = rows.len().div_ceil(TRIED).max(1);
        for &center in rows.iter().step_by(step) {
            let mut near = self.distances(center, &placed);
            keep_nearest(&mut near, largest);
            let mut ends: Vec<usize> = sizes.iter().map(|&size| end_of_ball(&near, size)).collect();
            ends.dedup();
            ends.retain(|&end| end <= most);
            let near: Vec<u32> = near.into_iter().map(|(_, row)| row).collect();
            seen(&near, &ends);
        }
    }
}

/// The first `count` by distance, and all others at the distance of the last of these, ascending.
fn keep_nearest(near: &mut Vec<(f32, u32)>, count: usize) {
    if let Some(last) = count.checked_sub(1).filter(|last| *last < near.len()) {
        let distance = near.select_nth_unstable_by(last, |a, b| a.0.total_cmp(&b.0)).1.0;
        near.retain(|(d, _)| *d <= distance);
    }
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// Number of rows of the ball that has at least `size`: those up to the distance of the last. O(ln n).
///
/// * `near`: by distance, ascending
fn end_of_ball(near: &[(f32, u32)], size: usize) -> usize {
    let last = size.checked_sub(1).and_then(|last| near.get(last));
    last.map_or(near.len(), |(distance, _)| near.partition_point(|(d, _)| d <= distance))
}

/// Standard deviation of each coordinate; 1 of entries of an array, of what text became, and of what does not vary.
fn scales(raw: &Coordinates, rows: &[u32]) -> Vec<f64> {
    let d = raw.d();
    let (mut count, mut mean, mut squares, mut row) = (0.0, vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    let step = rows.len().div_ceil(20 * FITTED).max(1);
    for &i in rows.iter().step_by(step) {
        raw.read(i as usize, &mut row);
        if row.iter().any(|x| !x.is_finite()) {
            continue;
        }
        count += 1.0;
        for ((mean, squares), x) in mean.iter_mut().zip(&mut squares).zip(&row) {
            let off = x - *mean;
            *mean += off / count;
            *squares += off * (x - *mean);
        }
    }
    let of = |(k, squares): (usize, &f64)| {
        let sd = (squares / f64::max(count - 1.0, 1.0)).sqrt();
        let is = |of: &[bool]| of.get(k).copied().unwrap_or(false);
        let as_it_stands = is(&raw.is_entry) || is(&raw.is_level) || sd <= 0.0;
        if as_it_stands { 1.0 } else { sd }
    };
    squares.iter().enumerate().map(of).collect()
}

/// Coordinates in units of their own.
struct Scaled<'a> {
    of: &'a dyn Rows,
    scale: &'a [f64],
}

impl Rows for Scaled<'_> {
    fn n(&self) -> usize {
        self.of.n()
    }
    fn d(&self) -> usize {
        self.of.d()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        self.of.read(i, row);
        row.iter_mut().zip(self.scale).for_each(|(x, scale)| *x /= scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eighteen places of a hundred rows each, one after the other in the file or mixed.
    fn grid(mixed: bool) -> Places {
        let n = 1800;
        let place = |i: usize| if mixed { i % 18 } else { i / 100 };
        let coordinates = (0..n).flat_map(|i| [(place(i) / 3) as f32, (place(i) % 3) as f32]).collect();
        let mut places = Places { rows: (0..n as u32).collect(), d: 2, coordinates, ..Places::default() };
        places.surround(30, 0);
        places
    }

    #[test]
    fn rows_at_one_place_are_in_a_ball_together() {
        for mixed in [false, true] {
            let places = grid(mixed);
            assert!(places.centers() > 10, "{}", places.centers());
            let mut balls = 0;
            for (center, size) in (0..places.centers()).flat_map(|c| (0..places.sizes()).map(move |size| (c, size))) {
                let ball = places.ball(center, size);
                assert!(
                    ball.len().is_multiple_of(100) && (100..=600).contains(&ball.len()),
                    "{mixed}: {} rows",
                    ball.len()
                );
                balls += 1;
            }
            assert!(balls >= 30, "{balls}");
            let first = places.ball(0, 0);
            places.refined(&first, 30, &mut |near, sizes| {
                assert!(
                    !sizes.is_empty() && sizes.iter().all(|size| size.is_multiple_of(100) && *size <= near.len()),
                    "{sizes:?}"
                );
            });
        }
    }
}
