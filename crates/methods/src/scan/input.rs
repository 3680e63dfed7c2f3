//! Data of the scan: rows with their scores, columns divided into cells, and the candidate subgroups.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::basis::{ScoreBasis, log_odds};
use super::candidate::Candidate;
use super::cut::{Coded, Cut, categories, dates, in_order, numbers};
use super::dependence::Dependence;
use super::places::Places;
use super::{BLOCKS, EXACT_ROWS, NotScanned};
use crate::data::dates::{Dates, is_of_birth};
use crate::data::grouping::PREDICTED;
use crate::data::subgroup::Subgroup;
use crate::data::{Predictions, Role, View};
use crate::error::{Error, Result};
use crate::feature::groups::can_define_groups;
use crate::num::rng::Lanes;
use crate::num::weight::{RowWeights, Sampling, weight};
use crate::table::{Column, Values};

/// Maximum number of columns that are combined in pairs, the first ones.
pub const PAIRED_COLUMNS: usize = 16;
/// Expected number of families of subgroups, for costs: one of every column, and half of the pairs of those that are
/// combined.
///
/// * `columns`: number of columns that are scanned
pub fn expected_families(columns: usize) -> f64 {
    let paired = columns.min(PAIRED_COLUMNS) as f64;
    columns as f64 + 0.5 * paired * (paired - 1.0)
}

/// With fewer clusters than this outcomes are redrawn for any number of rows: random signs of few blocks are too coarse.
const MANY_CLUSTERS: usize = 4_000;
/// Random stream that assigns rows to blocks.
const DEAL: u64 = 1 << 41;

/// Columns that describe rows: groups first, then numbers, each once, in the order of the file. Columns that determine
/// the outcome are excluded.
///
/// * `groups`: default: columns with the role group, of which those that cannot define groups and that of the
///   clusters are skipped; and the predicted class if it adds information to the score
/// * `features`: default: numeric columns with the role feature; arrays among them are skipped
///
/// # Errors
/// `unknown_column`; `invalid_option` for an array among the groups.
pub fn scanned_columns(
    data: &Predictions,
    groups: Option<&[String]>,
    features: Option<&[String]>,
) -> Result<Vec<String>> {
    let of_role = |wanted: Role, fits: &dyn Fn(&Values) -> bool| -> Vec<String> {
        let columns = data.roles.iter().zip(&data.table.columns);
        let fitting = columns.filter(|(role, column)| role.role == wanted && fits(&column.values));
        fitting.map(|(_, column)| column.name.clone()).collect()
    };
    let mut found = match groups {
        Some(names) => names.to_vec(),
        None => {
            // a column that was given the role and has as many values as rows must not cost the others their examination
            let mut names = of_role(Role::Group, &|values| can_define_groups(values, data.rows));
            // the error of one cluster is what its rows share
            names.retain(|name| data.clusters.as_ref().is_none_or(|clusters| clusters.column != *name));
            let says_more = data.view == View::TopLabel || data.labels.len() > 2;
            if says_more && data.predicted.is_some() && data.labels.len() > 1 {
                names.push(PREDICTED.to_owned());
            }
            names
        }
    };
    // The numbers of an array have no names. Its rows enter as neighbors, see `Places`.
    found.extend(match features {
        Some(names) => names.iter().filter(|name| !is_array(data, name)).cloned().collect(),
        None => of_role(Role::Feature, &|values| !matches!(values, Values::Matrix(_))),
    });
    let mut kept: Vec<String> = Vec::with_capacity(found.len());
    for name in found {
        let column = data.table.columns.iter().find(|column| column.name == name);
        match column.map(|column| &column.values) {
            Some(Values::Matrix(_)) => {
                return Err(Error::new(
                    "invalid_option",
                    format!("An array cannot define subgroups: “{name}”."),
                    "Choose columns with one value per row.",
                ));
            }
            None if name != PREDICTED || data.predicted.is_none() => {
                return Err(Error::new("unknown_column", format!("Unknown column “{name}”."), "Check the spelling."));
            }
            _ => {}
        }
        if data.leakage(&name).is_none() && !kept.contains(&name) {
            kept.push(name);
        }
    }
    Ok(kept)
}

/// Columns that contain the date of a prediction, in the order of the file.
pub fn scanned_dates(data: &Predictions) -> Vec<String> {
    let dated = |name: &String| !is_of_birth(name) && data.leakage(name).is_none();
    data.roles.iter().filter(|role| role.role == Role::Date).map(|role| role.name.clone()).filter(dated).collect()
}

/// Whether a column is an array.
fn is_array(data: &Predictions, name: &str) -> bool {
    let column = data.table.columns.iter().find(|column| column.name == name);
    column.is_some_and(|column| matches!(column.values, Values::Matrix(_)))
}

/// Rows, columns divided into cells, and the basis of the score. From [`EXACT_ROWS`] on rows are ordered by block. If
/// rows were counted beforehand, a row here represents all rows with the same score, outcome and cells, in the order
/// of the file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScanInput {
    /// requested columns
    pub asked: usize,
    /// division of each column that can be divided
    pub cuts: Vec<Cut>,
    /// cell of each row, column after column
    pub codes: Column<u8>,
    /// s
    pub score: Column<f64>,
    /// t
    pub target: Column<u8>,
    /// w; empty where every row counts once
    pub weight: Column<f64>,
    /// whether each weight is the number of rows that were counted beforehand
    #[serde(default)]
    pub counted: bool,
    /// ℓ
    pub log_odds: Column<f64>,
    /// basis of the recalibration by the score alone
    pub basis: ScoreBasis,
    /// minimum number of rows of a subgroup
    pub least: usize,
    /// where each block ends; empty where outcomes are redrawn row by row
    pub blocks: Column<u32>,
    /// number of columns, from the first, that are combined in pairs
    pub paired: usize,
    /// columns of dates, by their place among `cuts`, with the time of each row: centered, from −1 to 1, 0 where unknown
    pub times: Vec<(usize, Column<f32>)>,
    /// balls of similar rows; `None` with too few rows or coordinates
    pub places: Option<Places>,
    /// cluster of each row; empty where rows are independent
    pub clusters: Column<u32>,
    /// number of clusters
    pub cluster_count: usize,
}

/// What is scanned besides the scores.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sought<'a> {
    /// columns by name, see [`scanned_columns`]
    pub columns: &'a [String],
    /// columns and arrays that define similarity; empty: no regions
    pub similarity: &'a [String],
    /// minimum number of rows of a subgroup
    pub least: usize,
}

/// Kind of the candidates of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// ranges and values of the column at this place
    Column(usize),
    /// pairs of bands of two columns
    Pair(usize, usize),
    /// balls around a center
    Place(usize),
    /// the trend of a date column, by the index of the column among the times
    Trend(usize),
}

/// Candidates of one column, a pair of columns or one center, or a trend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// their kind
    pub of: Of,
    /// number of its first candidate
    pub first: usize,
    /// number of its candidates
    pub len: usize,
}

impl ScanInput {
    /// * `rows`: indices of the scored rows in the data; `score`, `target`, `weight`: of each
    ///
    /// # Errors
    /// `unknown_column`.
    ///
    /// # Cost
    /// O(n) a column, and that of [`Places::new`].
    pub fn new(
        data: &Predictions,
        (rows, score, target, weight): (&[u32], &[f64], &[u8], RowWeights),
        sought: Sought,
        seed: u64,
    ) -> Result<Self> {
        let clusters = data.clusters.as_ref().map(|clusters| clusters.among(rows));
        let counts = weight.filter(|_| data.is_counted());
        let order = match (&clusters, counts) {
            (_, Some(_)) => Order::of_file(rows.len()),
            (Some((of, count)), None) => Order::of_clusters(of, *count, seed),
            (None, None) => Order::new(rows.len(), seed),
        };
        let of_data: Vec<u32> = order.rows.iter().map(|&i| rows[i as usize]).collect();
        let least = sought.least.max(2);
        let columns = sought
            .columns
            .iter()
            .map(|name| coded(data, name, (&of_data, counts), least))
            .collect::<Result<Vec<_>>>()?;
        let time = |name: &String| Some((name.clone(), time_of(data, name, (&of_data, counts))?));
        let times: Vec<(String, Column<f32>)> = sought.columns.iter().filter_map(time).collect();
        let (of, cluster_count) = clusters.unwrap_or_default();
        let clusters =
            if of.is_empty() { Column::default() } else { order.rows.iter().map(|&i| of[i as usize]).collect() };
        let mut input = Self::of(order, (score, target, weight), columns, least);
        if counts.is_some() {
            input = input.counting();
        }
        // a trend is described by a period: without one that is large enough there is nothing to describe
        let place = |name: &String| {
            input.cuts.iter().position(|cut| cut.column == *name).filter(|&column| input.has_large_subgroup(column))
        };
        input.times = times.into_iter().filter_map(|(name, time)| Some((place(&name)?, time))).collect();
        (input.clusters, input.cluster_count) = (clusters, cluster_count);
        input.places = Places::new(data, sought.similarity, &of_data, least, seed)?;
        Ok(input)
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
        ScanInput {
            asked,
            paired: cuts.len().min(PAIRED_COLUMNS),
            cuts,
            codes: codes.into(),
            target: order.rows.iter().map(|&i| target[i as usize]).collect(),
            basis,
            log_odds: l.into(),
            score: score.into(),
            weight: weight.into(),
            least,
            blocks: order.blocks.into(),
            ..ScanInput::default()
        }
    }

    /// The same where each weight is a number of rows.
    pub(super) fn counting(self) -> Self {
        let information = |i: usize| self.weight[i] * self.score[i] * (1.0 - self.score[i]);
        let basis = ScoreBasis::of_counts(&self.log_odds, &self.weight, information);
        Self { counted: true, basis, ..self }
    }

    /// Correlation of outcomes with these probabilities within clusters; `None` without clusters. O(n).
    pub(super) fn dependence<'a>(&'a self, p: &'a [f64]) -> Option<Dependence<'a>> {
        let clusters = (!self.clusters.is_empty()).then_some((self.clusters.as_slice(), self.cluster_count));
        Dependence::new(clusters, &self.target, p)
    }

    /// Places in the file of its rows, in its order; `seed`: the one that it was made with. O(n).
    pub fn order(&self, seed: u64) -> Vec<u32> {
        if self.counted { Order::of_file(self.rows()).rows } else { Order::new(self.rows(), seed).rows }
    }

    /// Why no subgroup can be tested: none has enough rows, or none of those that have can be evaluated. O(n) per column.
    pub(super) fn too_little(&self) -> NotScanned {
        let large = (0..self.cuts.len()).any(|column| self.has_large_subgroup(column));
        if large || self.places.is_some() { NotScanned::Untestable } else { NotScanned::Small { least: self.least } }
    }

    /// Whether a subgroup of this column alone has at least the minimum number of rows, and is not all rows. O(n).
    fn has_large_subgroup(&self, column: usize) -> bool {
        let Some(cut) = self.cuts.get(column) else { return false };
        let mut rows = vec![0.0; cut.cells];
        self.codes(column).iter().enumerate().for_each(|(i, &code)| rows[usize::from(code)] += self.count(i));
        let of = |cells: &[u8]| cells.iter().map(|&cell| rows[usize::from(cell)]).sum::<f64>();
        let all: f64 = rows.iter().sum();
        cut.singles.iter().any(|single| (self.least as f64..all).contains(&of(&single.cells)))
    }

    /// n
    pub fn rows(&self) -> usize {
        self.target.len()
    }

    /// w of a row
    pub fn weight(&self, row: usize) -> f64 {
        self.weight.get(row).copied().unwrap_or(1.0)
    }

    /// Number of rows that a row represents: 1 unless rows were counted beforehand.
    pub(super) fn count(&self, row: usize) -> f64 {
        if self.counted { self.weight(row) } else { 1.0 }
    }

    /// What a row adds to the variance of a sum, for a residual of variance 1: w², or the number of its rows.
    pub(super) fn variance(&self, row: usize) -> f64 {
        Sampling { clusters: None, counted: self.counted }.variance(self.weight(row))
    }

    /// Whether that is not w itself, so that variances need sums of their own.
    pub(super) fn has_squares(&self) -> bool {
        !self.weight.is_empty() && !self.counted
    }

    /// Cell of every row in the column at this place.
    pub fn codes(&self, column: usize) -> &[u8] {
        let n = self.rows();
        self.codes.get(column * n..(column + 1) * n).unwrap_or_default()
    }

    /// Candidates of each column alone, then of each pair, each center and each column of dates, numbered one after the other.
    pub fn families(&self) -> Vec<Family> {
        let mut found = Vec::new();
        let mut first = 0;
        let mut push = |of: Of, len: usize| {
            found.push(Family { of, first, len });
            first += len;
        };
        for (a, cut) in self.cuts.iter().enumerate() {
            push(Of::Column(a), cut.singles.len());
        }
        for a in 0..self.paired {
            for b in a + 1..self.paired {
                let bands = |place: usize| self.cuts[place].bands.len();
                if bands(a) > 0 && bands(b) > 0 {
                    push(Of::Pair(a, b), bands(a) * bands(b));
                }
            }
        }
        if let Some(places) = &self.places {
            (0..places.centers()).for_each(|center| push(Of::Place(center), places.sizes()));
        }
        (0..self.times.len()).for_each(|time| push(Of::Trend(time), 1));
        found
    }

    /// The candidate of this number.
    pub fn candidate(&self, families: &[Family], number: usize) -> Candidate {
        let place = families.partition_point(|family| family.first <= number).saturating_sub(1);
        let Some(family) = families.get(place) else { return Candidate::default() };
        let within = number - family.first;
        match family.of {
            Of::Column(a) => Candidate::Columns(vec![(a, within)]),
            Of::Pair(a, b) => {
                let width = self.cuts[b].bands.len();
                Candidate::Columns(vec![
                    (a, self.cuts[a].bands[within / width]),
                    (b, self.cuts[b].bands[within % width]),
                ])
            }
            Of::Place(center) => {
                let rows = self.places.as_ref().map_or_else(Vec::new, |places| places.ball(center, within));
                Candidate::Place(rows.into())
            }
            Of::Trend(time) => Candidate::Trend(time),
        }
    }

    /// The column of dates that a family is about, by its place among `cuts`; none for any other.
    pub fn date_of(&self, of: Of) -> Option<usize> {
        let column = match of {
            Of::Column(column) => column,
            Of::Trend(time) => self.times.get(time)?.0,
            Of::Pair(..) | Of::Place(_) => return None,
        };
        self.times.iter().any(|(dated, _)| *dated == column).then_some(column)
    }

    /// The intersection of several single subgroups.
    pub fn subgroup(&self, singles: &[(usize, usize)]) -> Subgroup {
        Subgroup { conditions: singles.iter().map(|&(column, single)| self.cuts[column].condition(single)).collect() }
    }

    /// Membership of every row in the intersection of several single subgroups. O(n).
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

    /// M of a candidate, of every row: 1 inside and 0 outside, or the time. O(n).
    pub fn membership(&self, candidate: &Candidate) -> Vec<f32> {
        match candidate {
            Candidate::Columns(singles) => {
                self.inside(singles).into_iter().map(|inside| f32::from(u8::from(inside))).collect()
            }
            Candidate::Place(rows) => {
                let mut member = vec![0.0; self.rows()];
                for &row in rows.iter() {
                    if let Some(member) = member.get_mut(row as usize) {
                        *member = 1.0;
                    }
                }
                member
            }
            Candidate::Trend(time) => self.times.get(*time).map_or_else(Vec::new, |(_, time)| time.to_vec()),
        }
    }
}

/// One column in cells, row after row of `rows`, each of which stands for so many.
fn coded(data: &Predictions, name: &str, (rows, counts): (&[u32], RowWeights), least: usize) -> Result<Coded> {
    let place = data.table.columns.iter().position(|column| column.name == name);
    let group = place.and_then(|place| data.roles.get(place)).is_none_or(|role| role.role != Role::Feature);
    let role = place.and_then(|place| data.roles.get(place)).map(|role| role.role);
    if let Some(found) = date_column(data, name).filter(|_| role == Some(Role::Date)) {
        return Ok(dates(name, &found, (rows, counts)));
    }
    match (place.and_then(|place| data.table.columns.get(place)).map(|column| &column.values), &data.predicted) {
        (Some(Values::Text { codes, levels }), _) => {
            let names: Vec<String> = levels.iter().map(str::to_owned).collect();
            Ok(categories(name, (&in_order(codes, rows), counts), &names, least))
        }
        (Some(Values::Numbers(values)), _) => {
            let values: Vec<f64> =
                rows.iter().map(|&row| values.get(row as usize).copied().unwrap_or(f64::NAN)).collect();
            let width = place.and_then(|place| data.roles.get(place)).and_then(|role| role.cell_width);
            Ok(numbers(name, (&values, counts), (group, width)))
        }
        (None, Some(predicted)) => Ok(categories(name, (&in_order(predicted, rows), counts), &data.labels, least)),
        _ => Err(Error::new("unknown_column", format!("Unknown column “{name}”."), "Check the spelling.")),
    }
}

/// The dates of a column.
fn date_column(data: &Predictions, name: &str) -> Option<Dates> {
    Dates::of(data.table.columns.iter().find(|column| column.name == name)?)
}

/// The time of each row of a column of dates: from −1 to 1 about the mean, 0 where it is unknown.
fn time_of(data: &Predictions, name: &str, (rows, counts): (&[u32], RowWeights)) -> Option<Column<f32>> {
    let role = data.roles.iter().find(|role| role.name == name)?;
    if role.role != Role::Date {
        return None;
    }
    let dates = date_column(data, name)?;
    let day = |row: &u32| dates.of_rows.get(*row as usize).copied().filter(|day| day.is_finite());
    let known: Vec<(f64, f64)> =
        rows.iter().enumerate().filter_map(|(i, row)| Some((day(row)?, weight(counts, i)))).collect();
    let (sum, all) = known.iter().fold((0.0, 0.0), |(sum, all), (day, n)| (sum + n * day, all + n));
    let mean = sum / f64::max(all, 1.0);
    let most = known.iter().map(|(day, _)| (day - mean).abs()).fold(0.0, f64::max);
    (most > 0.0).then(|| rows.iter().map(|row| day(row).map_or(0.0, |day| ((day - mean) / most) as f32)).collect())
}

/// The order of the rows.
pub(super) struct Order {
    /// indices in the file
    pub(super) rows: Vec<u32>,
    /// where each block ends; empty where there are none
    blocks: Vec<u32>,
}

impl Order {
    /// That of the file up to [`EXACT_ROWS`]; beyond, rows are dealt at random to [`BLOCKS`] blocks. O(n).
    pub(super) fn new(n: usize, seed: u64) -> Self {
        if n <= EXACT_ROWS { Self::of_file(n) } else { Self::dealt(n, seed) }
    }

    /// That of the file. O(n).
    pub(super) fn of_file(n: usize) -> Self {
        Self { rows: (0..n as u32).collect(), blocks: Vec::new() }
    }

    /// Beyond [`EXACT_ROWS`] rows clusters are dealt to blocks whole, where there are at least [`MANY_CLUSTERS`]. O(n).
    fn of_clusters(of: &[u32], count: usize, seed: u64) -> Self {
        let n = of.len();
        if n <= EXACT_ROWS || count < MANY_CLUSTERS {
            return Self::of_file(n);
        }
        let block = at_random(count, seed);
        Self::in_blocks(&of.iter().map(|&cluster| block[cluster as usize]).collect::<Vec<u32>>())
    }

    /// In blocks however many rows there are.
    pub(super) fn dealt(n: usize, seed: u64) -> Self {
        Self::in_blocks(&at_random(n, seed))
    }

    /// Rows by their block.
    fn in_blocks(block: &[u32]) -> Self {
        let n = block.len();
        let mut ends = vec![0_u32; BLOCKS];
        for &b in block {
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
        for (row, &b) in (0_u32..).zip(block) {
            let place = &mut next[b as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { rows, blocks: ends }
    }
}

/// A block for each of so many, at random.
fn at_random(count: usize, seed: u64) -> Vec<u32> {
    let mut lanes = Lanes::seeded(seed, DEAL);
    let mut block: Vec<u32> = Vec::with_capacity(count + 8);
    while block.len() < count {
        block.extend(lanes.next().map(|u| ((u64::from(u) * BLOCKS as u64) >> 32) as u32));
    }
    block.truncate(count);
    block
}

/// Part `part` of `parts` of so many, in their order.
pub fn share(count: usize, part: usize, parts: usize) -> Range<usize> {
    let parts = parts.max(1);
    part * count / parts..(part + 1) * count / parts
}
