//! Division of a column into cells, and the subgroups that are unions of its cells.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::data::dates::{Dates, Exactness};
use crate::data::subgroup::{Among, Condition};
use crate::num::order::{cell_start, shortest_between};
use crate::num::weight::{RowWeights, weight};
use crate::table::MISSING;
use crate::table::values::all_whole;
use crate::words::calendar::written;

/// A numeric column with at most this many distinct values also gives one subgroup for each value, if it is a group
/// column.
const FEW: usize = 50;
/// Up to this number of distinct values every interval of values is a subgroup.
const VERY_FEW: usize = 8;
/// Maximum number of categories, the most frequent; the others are pooled.
pub const MOST_VALUES: usize = 250;
/// Maximum number of them in pairs with another column.
pub const PAIRED_VALUES: usize = 40;
/// Pooled values form a subgroup of their own if it can be described.
const MOST_POOLED: usize = 50;
/// Number of evenly spaced values from which quantiles are computed.
const ENOUGH: usize = 50_000;
/// Quantiles at which numbers are cut, in twelfths: sixths and quarters.
const TWELFTHS: [usize; 7] = [2, 3, 4, 6, 8, 9, 10];

/// A subgroup defined by one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Single {
    /// its condition
    pub is: Among,
    /// its cells, ascending
    pub cells: Vec<u8>,
}

/// A column divided into cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// name of the column
    pub column: String,
    /// number of cells
    pub cells: usize,
    /// subgroups defined by this column
    pub singles: Vec<Single>,
    /// indices among `singles` of the disjoint ones that are paired with other columns
    pub bands: Vec<usize>,
    /// place among `bands` of each cell; their number where it is in none
    pub band_of: Vec<u8>,
    /// its values have an order
    pub ordered: bool,
}

impl Cut {
    /// The condition of a single subgroup.
    pub fn condition(&self, single: usize) -> Condition {
        let is = self.singles.get(single).map_or(Among::Missing, |single| single.is.clone());
        Condition { column: self.column.clone(), is }
    }

    /// For every cell, whether it belongs to a single subgroup.
    pub fn has(&self, single: usize) -> Vec<bool> {
        let mut has = vec![false; self.cells];
        for &cell in self.singles.get(single).iter().flat_map(|single| &single.cells) {
            has[cell as usize] = true;
        }
        has
    }

    /// With the bands: the single subgroups that are paired.
    fn paired(mut self, bands: Vec<usize>) -> Self {
        self.band_of = vec![bands.len() as u8; self.cells];
        for (band, &single) in bands.iter().enumerate() {
            for &cell in &self.singles[single].cells {
                self.band_of[cell as usize] = band as u8;
            }
        }
        self.bands = bands;
        self
    }
}

/// A column with the cell of every row.
pub struct Coded {
    /// how it is cut
    pub cut: Cut,
    /// cell of each row
    pub codes: Vec<u8>,
}

/// A column of categories: a cell for each of the most frequent values with `least` rows or more, one for all others,
/// one for missing values. O(n).
///
/// * `codes`: of each row, [`MISSING`] where there is none, and how many rows each stands for; `name`: of each code
pub fn categories(column: &str, (codes, of_codes): (&[u32], RowWeights), names: &[String], least: usize) -> Coded {
    let mut counts = vec![0_u64; names.len()];
    let mut missing = 0;
    for (i, &code) in codes.iter().enumerate() {
        match counts.get_mut(code as usize) {
            Some(count) => *count += weight(of_codes, i) as u64,
            None => missing += 1,
        }
    }
    let mut order: Vec<usize> = (0..names.len()).filter(|&code| counts[code] > 0).collect();
    order.sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
    let own = order.iter().take(MOST_VALUES).take_while(|&&code| counts[code] >= least as u64).count();
    let pooled = &order[own..];
    let mut singles: Vec<Single> = Vec::with_capacity(own + 2);
    let mut cell_of = vec![0_u8; names.len()];
    for (cell, &code) in order[..own].iter().enumerate() {
        cell_of[code] = cell as u8;
        singles.push(Single { is: Among::Values(vec![names[code].clone()]), cells: vec![cell as u8] });
    }
    let mut cells = own;
    if !pooled.is_empty() {
        for &code in pooled {
            cell_of[code] = cells as u8;
        }
        if pooled.len() <= MOST_POOLED && own > 0 {
            let values = pooled.iter().map(|&code| names[code].clone()).collect();
            singles.push(Single { is: Among::Values(values), cells: vec![cells as u8] });
        }
        cells += 1;
    }
    let none = cells as u8;
    if missing > 0 {
        singles.push(Single { is: Among::Missing, cells: vec![none] });
        cells += 1;
    }
    let bands = (0..singles.len().min(PAIRED_VALUES)).collect();
    let cut = Cut { column: column.to_owned(), cells, singles, bands: Vec::new(), band_of: Vec::new(), ordered: false };
    let codes = codes.iter().map(|&code| cell_of.get(code as usize).copied().unwrap_or(none)).collect();
    Coded { cut: cut.paired(bands), codes }
}

/// A column of numbers: cells between cuts at its sixths and quarters, one for missing values; of few distinct numbers a
/// cell each. Subgroups are all stretches of sixths, the quarters, missing values, and of a group's few numbers each.
/// O(n), and O(m log m) of 50,000 values.
///
/// * `values`: of each row, and how many rows each represents
/// * `width`: of the cells whose centers the values are, where they were quantized: cuts are where cells begin
pub fn numbers(column: &str, (values, counts): (&[f64], RowWeights), (group, width): (bool, Option<f64>)) -> Coded {
    let few = few_distinct(values, counts);
    let by_value = few.as_ref().is_some_and(|few| few.len() <= VERY_FEW || group);
    let (cuts, shares) = match &few {
        Some(few) if by_value => cuts_between(few, width),
        _ => cuts_at_twelfths(values, counts, width),
    };
    let known = cuts.len() + 1;
    let nearest = |share: f64| {
        let off = |k: &usize| (shares[*k] - share).abs();
        (0..shares.len()).min_by(|a, b| off(a).total_cmp(&off(b)))
    };
    // positions of cuts: before cell 0, at some cuts, after the last cell
    let places = |parts: usize, all: bool| -> Vec<usize> {
        let mut found: Vec<usize> = match all {
            true => (1..known).collect(),
            false => (1..parts).filter_map(|k| nearest(k as f64 / parts as f64)).map(|k| k + 1).collect(),
        };
        found.extend([0, known]);
        found.sort_unstable();
        found.dedup();
        found
    };
    let very_few = few.as_ref().is_some_and(|few| few.len() <= VERY_FEW);
    let sixths = places(6, very_few);
    let quarters = places(4, very_few);
    let whole = all_whole(values) && width.is_none();
    let mut singles: Vec<Single> = Vec::new();
    let mut place_of: HashMap<(usize, usize), usize> = HashMap::new();
    let mut add = |first: usize, end: usize, singles: &mut Vec<Single>| -> usize {
        *place_of.entry((first, end)).or_insert_with(|| {
            let alone =
                few.as_ref().filter(|_| by_value && width.is_none() && end == first + 1).and_then(|few| few.get(first));
            let is = match alone {
                Some((value, _)) => Among::Values(vec![value.to_string()]),
                None => Among::Between {
                    from: first.checked_sub(1).and_then(|k| cuts.get(k).copied()),
                    below: cuts.get(end - 1).copied(),
                    whole,
                },
            };
            singles.push(Single { is, cells: (first as u8..end as u8).collect() });
            singles.len() - 1
        })
    };
    if known > 1 {
        for (k, &first) in sixths.iter().enumerate() {
            for &end in &sixths[k + 1..] {
                if (first, end) != (0, known) {
                    add(first, end, &mut singles);
                }
            }
        }
        if by_value {
            for cell in 0..known {
                add(cell, cell + 1, &mut singles);
            }
        }
    }
    let mut bands: Vec<usize> = Vec::new();
    if known > 1 {
        bands.extend(quarters.windows(2).map(|two| add(two[0], two[1], &mut singles)));
    }
    let missing = values.iter().any(|x| !x.is_finite());
    let cells = known + usize::from(missing);
    if missing {
        bands.push(singles.len());
        singles.push(Single { is: Among::Missing, cells: vec![known as u8] });
    }
    let cell = |x: &f64| match x.is_finite() {
        true => cuts.partition_point(|cut| cut <= x) as u8,
        false => known as u8,
    };
    let codes = values.iter().map(cell).collect();
    let cut = Cut { column: column.to_owned(), cells, singles, bands: Vec::new(), band_of: Vec::new(), ordered: true };
    Coded { cut: cut.paired(bands), codes }
}

/// A cut between two neighboring values: the shortest number that separates them, or where the cell of the larger begins.
fn between(a: f64, b: f64, width: Option<f64>) -> f64 {
    width.map_or_else(|| shortest_between(a, b), |width| cell_start(b, width))
}

/// Cuts between all distinct values, and the share of rows below each. Cut k begins cell k + 1.
///
/// * `few`: values, ascending, and the rows of each
fn cuts_between(few: &[(f64, u64)], width: Option<f64>) -> (Vec<f64>, Vec<f64>) {
    let total: u64 = few.iter().map(|(_, count)| count).sum();
    let mut below = 0;
    let ends = few.windows(2).map(|two| {
        below += two[0].1;
        (between(two[0].0, two[1].0, width), below as f64 / total as f64)
    });
    ends.unzip()
}

/// Cuts at the twelfths that sixths and quarters are made of, equal ones once, and the share of rows below each.
fn cuts_at_twelfths(values: &[f64], counts: RowWeights, width: Option<f64>) -> (Vec<f64>, Vec<f64>) {
    let step = if counts.is_some() { 1 } else { values.len().div_ceil(ENOUGH).max(1) };
    let some = values.iter().enumerate().step_by(step).filter(|(_, x)| x.is_finite());
    let some = distinct(some.map(|(i, x)| (*x, weight(counts, i) as u64)).collect());
    let mut cuts: Vec<(f64, f64)> = Vec::new();
    for twelfth in TWELFTHS {
        let Some((cut, share)) = cut_at(&some, twelfth as f64 / 12.0, width) else { continue };
        if cuts.last().is_none_or(|last| last.0 < cut) {
            cuts.push((cut, share));
        }
    }
    cuts.into_iter().unzip()
}

/// A column of dates: cut as [`numbers`] are, by whole days where it says more, between dates that occur. O(n), and
/// O(n log n) of distinct days.
///
/// * `rows`: of the data, in the order of the scan, and how many rows each represents
pub fn dates(column: &str, dates: &Dates, (rows, counts): (&[u32], RowWeights)) -> Coded {
    let day = |row: &u32| dates.of_rows.get(*row as usize).map_or(f64::NAN, |day| day.floor());
    let days: Vec<f64> = rows.iter().map(day).collect();
    let mut occurring: Vec<f64> = days.iter().copied().filter(|day| day.is_finite()).collect();
    occurring.sort_unstable_by(f64::total_cmp);
    occurring.dedup();
    let exactness = dates.exactness.min(Exactness::Day);
    let first_from = |cut: f64| {
        let day = occurring.get(occurring.partition_point(|day| *day < cut)).copied().unwrap_or(cut);
        written(day, exactness)
    };
    let mut coded = numbers(column, (&days, counts), (false, None));
    for single in &mut coded.cut.singles {
        single.is = match &single.is {
            Among::Between { from, below, .. } => {
                Among::Dates { from: from.map(first_from), before: below.map(first_from) }
            }
            // one of few days
            Among::Values(values) => {
                let day = values.first().and_then(|value| value.parse().ok()).unwrap_or(f64::NAN);
                let next = occurring.iter().copied().find(|other| *other > day);
                Among::Dates { from: Some(written(day, exactness)), before: next.map(|day| written(day, exactness)) }
            }
            other => other.clone(),
        };
    }
    coded
}

/// Distinct finite values with their rows, ascending; none where there are more than [`FEW`].
fn few_distinct(values: &[f64], counts: RowWeights) -> Option<Vec<(f64, u64)>> {
    let mut found: Vec<(f64, u64)> = Vec::new();
    for (i, &x) in values.iter().enumerate().filter(|(_, x)| x.is_finite()) {
        let n = weight(counts, i) as u64;
        match found.binary_search_by(|(known, _)| known.total_cmp(&x)) {
            Ok(place) => found[place].1 += n,
            Err(_) if found.len() == FEW => return None,
            Err(place) => found.insert(place, (x, n)),
        }
    }
    Some(found)
}

/// Distinct values, ascending, with the number of rows up to each and of it. O(n log n).
fn distinct(mut values: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut found: Vec<(f64, u64)> = Vec::new();
    let mut all = 0;
    for (x, n) in values {
        all += n;
        match found.last_mut() {
            Some(last) if last.0 == x => *last = (x, all),
            _ => found.push((x, all)),
        }
    }
    found
}

/// The cut nearest to a share of sorted values that lies between two different ones, with the share below it.
///
/// * `values`: as from [`distinct`]
fn cut_at(values: &[(f64, u64)], share: f64, width: Option<f64>) -> Option<(f64, f64)> {
    let n = values.last()?.1;
    let at = ((share * n as f64).round() as u64).min(n.checked_sub(1)?);
    let place = values.partition_point(|(_, up_to)| *up_to <= at);
    let (first, end) = (place.checked_sub(1).map_or(0, |before| values[before].1), values[place].1);
    let wanted = share * n as f64;
    let next = match (first > 0, end < n) {
        (true, true) if wanted - first as f64 <= end as f64 - wanted => place,
        (true, false) => place,
        (_, true) => place + 1,
        (false, false) => return None,
    };
    let (last, below) = values[next - 1];
    Some((between(last, values[next].0, width), below as f64 / n as f64))
}

/// Codes of the rows in `order` of a column of texts.
pub fn in_order(codes: &[u32], order: &[u32]) -> Vec<u32> {
    order.iter().map(|&row| codes.get(row as usize).copied().unwrap_or(MISSING)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(cut: &Cut, single: usize) -> String {
        cut.condition(single).description()
    }

    #[test]
    fn cuts_are_short_numbers_between_values() {
        assert_eq!(shortest_between(4.0, 5.0), 5.0);
        assert_eq!(shortest_between(-3.7, -2.1), -3.0);
        for (a, b) in [
            (1.0, 1.0 + 1e-15),
            (1e300, 1.1e300),
            (-2.0, -1.999_999),
            (9.96, 10.04),
            (-10.0, 0.0),
            (-0.4, 0.3),
            (0.12341, 0.12349),
        ] {
            let x = shortest_between(a, b);
            assert!(a < x && x <= b, "{a} {x} {b}");
        }
    }

    #[test]
    fn numbers_are_cut_at_sixths_and_quarters() {
        let values: Vec<f64> = (0..1200).map(|i| f64::from(i) / 10.0).chain([f64::NAN]).collect();
        let Coded { cut, codes } = numbers("age", (&values, None), (false, None));
        assert_eq!((cut.cells, codes[0], codes[1199], codes[1200]), (9, 0, 7, 8));
        // 20 stretches of sixths; of the quarters the middle two are new as are the outer two; missing
        assert_eq!(cut.singles.len(), 20 + 4 + 1);
        let all: Vec<String> = (0..cut.singles.len()).map(|k| words(&cut, k)).collect();
        for wanted in ["age < 20", "age 20 to <40", "age ≥ 60", "age 30 to <60", "age ≥ 90", "age missing"] {
            assert!(all.iter().any(|one| one == wanted), "{wanted}: {all:?}");
        }
        let bands: Vec<&str> = cut.bands.iter().map(|&k| all[k].as_str()).collect();
        assert_eq!(bands, ["age < 30", "age 30 to <60", "age 60 to <90", "age ≥ 90", "age missing"]);
        for (row, x) in values.iter().enumerate() {
            for (k, single) in cut.singles.iter().enumerate() {
                let inside = match &single.is {
                    Among::Between { from, below, .. } => {
                        from.is_none_or(|from| *x >= from) && below.is_none_or(|below| *x < below) && x.is_finite()
                    }
                    _ => x.is_nan(),
                };
                assert_eq!(inside, single.cells.contains(&codes[row]), "{x} {}", all[k]);
            }
        }
    }

    #[test]
    fn few_numbers_are_values_too() {
        let years: Vec<f64> = (0..1200).map(|i| f64::from(i % 60)).collect();
        let cut = numbers("age", (&years, None), (false, None)).cut;
        let all: Vec<String> = (0..cut.singles.len()).map(|k| words(&cut, k)).collect();
        assert!(["age 20 to 39", "age < 10", "age ≥ 50"].iter().all(|one| all.iter().any(|o| o == one)), "{all:?}");
        let priors: Vec<f64> = (0..600).map(|i| f64::from(i * 7 % 12)).collect();
        let cut = numbers("priors", (&priors, None), (true, None)).cut;
        let all: Vec<String> = (0..cut.singles.len()).map(|k| words(&cut, k)).collect();
        assert!(["priors = 11", "priors ≥ 6", "priors < 2"].iter().all(|one| all.iter().any(|o| o == one)), "{all:?}");
        let male: Vec<f64> = (0..60).map(|i| f64::from(i % 2)).collect();
        let cut = numbers("male", (&male, None), (true, None)).cut;
        assert_eq!((0..cut.singles.len()).map(|k| words(&cut, k)).collect::<Vec<_>>(), ["male = 0", "male = 1"]);
        assert_eq!(cut.bands, [0, 1]);
        assert!(numbers("one", (&[3.0; 40], None), (false, None)).cut.singles.is_empty());
        assert!(numbers("none", (&[f64::NAN; 40], None), (false, None)).cut.bands.len() == 1);
        assert!(numbers("empty", (&[], None), (false, None)).codes.is_empty());
    }

    #[test]
    fn quantized_numbers_are_cut_where_cells_begin() {
        for (cells, group) in [(4, true), (4, false), (20, false), (200, false)] {
            let width = 100.0 / f64::from(cells);
            let ages: Vec<f64> = (0..1200).map(|i| width * (f64::from(i % cells) + 0.5)).collect();
            let cut = numbers("age", (&ages, None), (group, Some(width))).cut;
            let all: Vec<String> = (0..cut.singles.len()).map(|k| words(&cut, k)).collect();
            assert!(all.iter().any(|one| one == "age ≥ 75") && !all.iter().any(|one| one.contains('=')), "{all:?}");
        }
    }

    #[test]
    fn rare_values_are_together() {
        let names: Vec<String> = ["A", "B", "C", "D"].map(String::from).to_vec();
        let codes: Vec<u32> = (0..100)
            .map(|i| {
                if i < 50 {
                    1
                } else if i < 90 {
                    0
                } else {
                    2 + i % 2
                }
            })
            .chain([MISSING])
            .collect();
        let Coded { cut, codes } = categories("ward", (&codes, None), &names, 30);
        let all: Vec<String> = (0..cut.singles.len()).map(|k| words(&cut, k)).collect();
        assert_eq!(all, ["ward = B", "ward = A", "ward = C or D", "ward missing"]);
        assert_eq!((codes[0], codes[60], codes[95], codes[100]), (0, 1, 2, 3));
    }
}
