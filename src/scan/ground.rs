//! What is looked at: rows with their scores, columns in cells, and which slices there are.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::basis::{ScoreBasis, log_odds};
use super::cut::{Coded, Cut, categories, in_order, numbers};
use super::{BLOCKS, EXACT_ROWS, Unlooked};
use crate::data::grouping::PREDICTED;
use crate::data::slice::Slice;
use crate::data::{Predictions, Role, View};
use crate::error::{Error, Result};
use crate::num::rng::Lanes;
use crate::num::weight::RowWeights;
use crate::table::{Column, Values};
use crate::words::text::counted;

/// Pairs are of the first columns, so many at most.
pub const MOST_PAIRED: usize = 16;
/// Stream of the seed that deals rows to blocks.
const DEAL: u64 = 1 << 41;

/// Columns that say who a row is: groups first, then numbers, each once, in the order of the file. None of them tells
/// the outcome.
///
/// * `groups`: default: columns with the role group; and the predicted class where it says more than the score
/// * `features`: default: numeric columns with the role feature; arrays among them are passed over
///
/// # Errors
/// `unknown_column`; `invalid_option` for an array among the groups.
pub fn columns_looked_at(
    data: &Predictions,
    groups: Option<&[String]>,
    features: Option<&[String]>,
) -> Result<Vec<String>> {
    let of_role = |wanted: Role| -> Vec<String> {
        let columns = data.roles.iter().zip(&data.table.columns);
        let flat = columns.filter(|(role, column)| role.role == wanted && !matches!(column.values, Values::Matrix(_)));
        flat.map(|(_, column)| column.name.clone()).collect()
    };
    let mut found = match groups {
        Some(names) => names.to_vec(),
        None => {
            let mut names = of_role(Role::Group);
            let says_more = data.view == View::TopLabel || data.labels.len() > 2;
            if says_more && data.predicted.is_some() && data.labels.len() > 1 {
                names.push(PREDICTED.to_owned());
            }
            names
        }
    };
    // The numbers of an array have no names: see `arrays_not_looked_at`.
    let is_array = |name: &&String| !arrays(data, std::slice::from_ref(name)).is_empty();
    found.extend(match features {
        Some(names) => names.iter().filter(|name| !is_array(name)).cloned().collect(),
        None => of_role(Role::Feature),
    });
    let mut kept: Vec<String> = Vec::with_capacity(found.len());
    for name in found {
        let column = data.table.columns.iter().find(|column| column.name == name);
        match column.map(|column| &column.values) {
            Some(Values::Matrix(_)) => {
                return Err(Error::new(
                    "invalid_option",
                    format!("An array cannot say for whom: “{name}”."),
                    "Name columns of one value a row.",
                ));
            }
            None if name != PREDICTED || data.predicted.is_none() => {
                return Err(Error::new(
                    "unknown_column",
                    format!("There is no column “{name}”."),
                    "Check the spelling.",
                ));
            }
            _ => {}
        }
        if data.telltale(&name).is_none() && !kept.contains(&name) {
            kept.push(name);
        }
    }
    Ok(kept)
}

/// Arrays among the features that no slice is made of: "embeddings, an array of 64 columns". `features`: as for
/// [`columns_looked_at`]; default: every array with the role features.
pub fn arrays_not_looked_at(data: &Predictions, features: Option<&[String]>) -> Vec<String> {
    let of_role = || -> Vec<String> {
        let of_file = data.roles.len() - data.projections.len();
        let named = data.roles.iter().take(of_file).filter(|role| role.role == Role::Features);
        named.map(|role| role.name.clone()).collect()
    };
    let names = features.map_or_else(of_role, <[String]>::to_vec);
    let each = arrays(data, &names).into_iter();
    each.map(|(name, width)| format!("{name}, an array of {}", counted(width, "column"))).collect()
}

/// Those of some columns that are arrays, with their widths.
fn arrays(data: &Predictions, names: &[String]) -> Vec<(String, usize)> {
    let width = |name: &String| match data.table.columns.iter().find(|column| column.name == *name)?.values {
        Values::Matrix(ref matrix) => Some((name.clone(), matrix.width)),
        _ => None,
    };
    names.iter().filter_map(width).collect()
}

/// Rows, columns in cells, and the basis of the score. From [`EXACT_ROWS`] on rows stand block by block.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ground {
    /// columns that were asked for
    pub asked: usize,
    /// how each that can be cut is
    pub cuts: Vec<Cut>,
    /// cell of each row, column after column
    pub codes: Column<u8>,
    /// s
    pub score: Column<f64>,
    /// t
    pub target: Column<u8>,
    /// w; empty where every row counts once
    pub weight: Column<f64>,
    /// ℓ
    pub log_odds: Column<f64>,
    /// what a repair of the score alone could mend
    pub basis: ScoreBasis,
    /// slices with fewer rows are not looked at
    pub least: usize,
    /// where each block ends; empty where outcomes are redrawn row by row
    pub blocks: Column<u32>,
    /// columns in pairs with each other are the first so many
    pub paired: usize,
}

/// Slices of one column, or of a pair of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// place of the column
    pub a: usize,
    /// place of the other
    pub b: Option<usize>,
    /// number of its first slice
    pub first: usize,
    /// slices
    pub len: usize,
}

impl Ground {
    /// * `rows`: places of the scored rows in the data; `score`, `target`, `weight`: of each
    /// * `columns`: by name, see [`columns_looked_at`]
    ///
    /// # Errors
    /// `unknown_column`.
    ///
    /// # Cost
    /// O(n) a column.
    pub fn new(
        data: &Predictions,
        (rows, score, target, weight): (&[u32], &[f64], &[u8], RowWeights),
        columns: &[String],
        least: usize,
        seed: u64,
    ) -> Result<Self> {
        let order = Order::new(rows.len(), seed);
        let of_data: Vec<u32> = order.rows.iter().map(|&i| rows[i as usize]).collect();
        let least = least.max(2);
        let columns = columns.iter().map(|name| coded(data, name, &of_data, least)).collect::<Result<_>>()?;
        Ok(Self::of(order, (score, target, weight), columns, least))
    }

    /// * `columns`: in cells, rows in this order; `score`, `target`, `weight`: rows in the order of the file
    pub(super) fn of(
        order: Order,
        (score, target, weight): (&[f64], &[u8], RowWeights),
        columns: Vec<Coded>,
        least: usize,
    ) -> Self {
        let pick = |values: &[f64]| -> Vec<f64> { order.rows.iter().map(|&i| values[i as usize]).collect() };
        let asked = columns.len();
        let mut cuts = Vec::with_capacity(asked);
        let mut codes = Vec::with_capacity(asked * order.rows.len());
        for coded in columns.into_iter().filter(|coded| !coded.cut.singles.is_empty()) {
            codes.extend_from_slice(&coded.codes);
            cuts.push(coded.cut);
        }
        let score = pick(score);
        let weight = weight.map(pick).unwrap_or_default();
        let l = log_odds(&score);
        let information = |i: usize| weight.get(i).copied().unwrap_or(1.0) * score[i] * (1.0 - score[i]);
        let basis = ScoreBasis::new(&l, information);
        Ground {
            asked,
            paired: cuts.len().min(MOST_PAIRED),
            cuts,
            codes: codes.into(),
            target: order.rows.iter().map(|&i| target[i as usize]).collect(),
            basis,
            log_odds: l.into(),
            score: score.into(),
            weight: weight.into(),
            least,
            blocks: order.blocks.into(),
        }
    }

    /// Places in the file of its rows, in its order; `seed`: the one that it was made with. O(n).
    pub fn order(&self, seed: u64) -> Vec<u32> {
        Order::new(self.rows(), seed).rows
    }

    /// Why nothing can be said of any slice: none has enough rows, or those that have say nothing. O(n) a column.
    pub(super) fn too_little(&self) -> Unlooked {
        let large = self.cuts.iter().enumerate().any(|(column, cut)| {
            let mut rows = vec![0; cut.cells];
            self.codes(column).iter().for_each(|&code| rows[usize::from(code)] += 1);
            let of = |cells: &[u8]| cells.iter().map(|&cell| rows[usize::from(cell)]).sum::<usize>();
            cut.singles.iter().any(|single| (self.least..self.rows()).contains(&of(&single.cells)))
        });
        if large { Unlooked::Alike } else { Unlooked::Small { least: self.least } }
    }

    /// n
    pub fn rows(&self) -> usize {
        self.target.len()
    }

    /// w of a row
    pub fn weight(&self, row: usize) -> f64 {
        self.weight.get(row).copied().unwrap_or(1.0)
    }

    /// Cell of every row in the column at this place.
    pub fn codes(&self, column: usize) -> &[u8] {
        let n = self.rows();
        self.codes.get(column * n..(column + 1) * n).unwrap_or_default()
    }

    /// Slices of each column alone, then of each pair, numbered one after the other.
    pub fn families(&self) -> Vec<Family> {
        let mut found = Vec::new();
        let mut first = 0;
        let mut push = |a: usize, b: Option<usize>, len: usize| {
            found.push(Family { a, b, first, len });
            first += len;
        };
        for (a, cut) in self.cuts.iter().enumerate() {
            push(a, None, cut.singles.len());
        }
        for a in 0..self.paired {
            for b in a + 1..self.paired {
                let bands = |place: usize| self.cuts[place].bands.len();
                if bands(a) > 0 && bands(b) > 0 {
                    push(a, Some(b), bands(a) * bands(b));
                }
            }
        }
        found
    }

    /// Columns of a slice with the place of the single slice of each.
    pub fn singles_of(&self, families: &[Family], slice: usize) -> Vec<(usize, usize)> {
        let place = families.partition_point(|family| family.first <= slice).saturating_sub(1);
        let Some(family) = families.get(place) else { return Vec::new() };
        let within = slice - family.first;
        match family.b {
            None => vec![(family.a, within)],
            Some(b) => {
                let width = self.cuts[b].bands.len();
                vec![(family.a, self.cuts[family.a].bands[within / width]), (b, self.cuts[b].bands[within % width])]
            }
        }
    }

    /// The slice that several single slices are together.
    pub fn slice(&self, singles: &[(usize, usize)]) -> Slice {
        Slice { conditions: singles.iter().map(|&(column, single)| self.cuts[column].condition(single)).collect() }
    }

    /// For every row, whether it is in several single slices at once. O(n).
    pub fn inside(&self, singles: &[(usize, usize)]) -> Vec<bool> {
        let mut inside = vec![true; self.rows()];
        for &(column, single) in singles {
            let has = self.cuts[column].has(single);
            for (inside, &code) in inside.iter_mut().zip(self.codes(column)) {
                *inside &= has[code as usize];
            }
        }
        inside
    }
}

/// One column in cells, row after row of `rows`.
fn coded(data: &Predictions, name: &str, rows: &[u32], least: usize) -> Result<Coded> {
    let place = data.table.columns.iter().position(|column| column.name == name);
    let group = place.and_then(|place| data.roles.get(place)).is_none_or(|role| role.role != Role::Feature);
    match (place.and_then(|place| data.table.columns.get(place)).map(|column| &column.values), &data.predicted) {
        (Some(Values::Text { codes, levels }), _) => {
            let names: Vec<String> = levels.iter().map(str::to_owned).collect();
            Ok(categories(name, &in_order(codes, rows), &names, least))
        }
        (Some(Values::Numbers(values)), _) => {
            let values: Vec<f64> =
                rows.iter().map(|&row| values.get(row as usize).copied().unwrap_or(f64::NAN)).collect();
            Ok(numbers(name, &values, group))
        }
        (None, Some(predicted)) => Ok(categories(name, &in_order(predicted, rows), &data.labels, least)),
        _ => Err(Error::new("unknown_column", format!("There is no column “{name}”."), "Check the spelling.")),
    }
}

/// In which order rows stand.
pub(super) struct Order {
    /// places in the file
    pub(super) rows: Vec<u32>,
    /// where each block ends; empty where there are none
    blocks: Vec<u32>,
}

impl Order {
    /// That of the file up to [`EXACT_ROWS`]; beyond, rows are dealt at random to [`BLOCKS`] blocks. O(n).
    pub(super) fn new(n: usize, seed: u64) -> Self {
        if n <= EXACT_ROWS { Self { rows: (0..n as u32).collect(), blocks: Vec::new() } } else { Self::dealt(n, seed) }
    }

    /// In blocks however many rows there are.
    pub(super) fn dealt(n: usize, seed: u64) -> Self {
        let mut lanes = Lanes::seeded(seed, DEAL);
        let mut block: Vec<u32> = Vec::with_capacity(n + 8);
        while block.len() < n {
            block.extend(lanes.next().map(|u| ((u64::from(u) * BLOCKS as u64) >> 32) as u32));
        }
        block.truncate(n);
        let mut ends = vec![0_u32; BLOCKS];
        for &b in &block {
            ends[b as usize] += 1;
        }
        let mut start = 0;
        let mut next: Vec<u32> = Vec::with_capacity(BLOCKS);
        for end in &mut ends {
            next.push(start);
            start += *end;
            *end = start;
        }
        let mut rows = vec![0_u32; n];
        for (row, &b) in (0_u32..).zip(&block) {
            let place = &mut next[b as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { rows, blocks: ends }
    }
}

/// Part `part` of `parts` of so many, in their order.
pub fn share(count: usize, part: usize, parts: usize) -> Range<usize> {
    let parts = parts.max(1);
    part * count / parts..(part + 1) * count / parts
}
