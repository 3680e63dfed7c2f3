//! Confidence bins: where the edges lie and which bin a score belongs to.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, phrases};
use crate::num::ties::{self, SAME};
use crate::num::{order, quantile};

/// How the edges are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BinScheme {
    /// B intervals of width 1/B
    #[default]
    EqualWidth,
    /// sorted rows cut into B parts whose sizes differ by at most one; tied rows count with the mean outcome of their tie,
    /// and where a row must have one bin, share that of their middle rank
    EqualMassRank,
    /// edges at the percentiles 100·j/B; ties stay together, so there may be fewer than B bins
    EqualMassQuantile,
}

/// Which end of a bin belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Closed {
    /// [low, high); the last bin holds its high end too
    #[default]
    Left,
    /// (low, high]; the first bin holds its low end too
    Right,
}

impl Closed {
    /// The edge half-way between two scores a < b, which puts a below and b above it.
    pub fn between(self, a: f64, b: f64) -> f64 {
        let middle = 0.5 * (a + b);
        match self {
            Self::Left if middle <= a => b,
            Self::Right if middle >= b => a,
            _ => middle,
        }
    }
}

/// How equal-width edges are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Edges {
    /// i/B, correctly rounded
    #[default]
    Exact,
    /// i·(1/B), as numpy's linspace: one ulp above i/B for some i (3/5, 3/10, 6/10, 7/10, …). A score at such an edge lies
    /// below it, so these edges are moved up past all that is the same score
    Numpy,
}

/// Largest number of bins.
pub const MOST_BINS: usize = 1000;

/// Number and kind of confidence bins; written as a number, or as `{ count, scheme, closed, edges }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "RawBins", into = "WrittenBins")]
pub struct BinOptions {
    /// B, 1..=1000
    pub count: usize,
    /// how the edges are chosen
    pub scheme: BinScheme,
    /// which limit of a bin belongs to it
    pub closed: Closed,
    /// how equal-width edges are rounded
    pub edges: Edges,
}

impl Default for BinOptions {
    fn default() -> Self {
        Self::equal_width(15)
    }
}

/// Bins as written in reports: in the form of a request, a number if that suffices.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WrittenBins {
    /// equal width, left-closed, exact edges
    Count(usize),
    /// anything else
    Options {
        /// B
        count: usize,
        /// how the edges are chosen
        scheme: BinScheme,
        /// which limit of a bin belongs to it
        closed: Closed,
        /// how equal-width edges are rounded
        edges: Edges,
    },
}

impl From<BinOptions> for WrittenBins {
    fn from(options: BinOptions) -> Self {
        let BinOptions { count, scheme, closed, edges } = options;
        if options == BinOptions::equal_width(count) {
            WrittenBins::Count(count)
        } else {
            WrittenBins::Options { count, scheme, closed, edges }
        }
    }
}

/// What a script may write.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "bins are a number, or { count, scheme, closed, edges }")]
enum RawBins {
    Count(f64),
    Options(RawBinOptions),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RawBinOptions {
    count: Option<f64>,
    #[serde(default)]
    scheme: BinScheme,
    #[serde(default)]
    closed: Closed,
    #[serde(default)]
    edges: Edges,
}

impl TryFrom<RawBins> for BinOptions {
    type Error = Error;

    fn try_from(given: RawBins) -> Result<Self> {
        let (count, mut options) = match given {
            RawBins::Count(count) => (Some(count), Self::default()),
            RawBins::Options(o) => {
                (o.count, Self { scheme: o.scheme, closed: o.closed, edges: o.edges, ..Self::default() })
            }
        };
        if let Some(count) = count {
            if count.fract() != 0.0 || !(1.0..=MOST_BINS as f64).contains(&count) {
                return Err(count_error(count));
            }
            options.count = count as usize;
        }
        Ok(options)
    }
}

fn count_error(count: impl std::fmt::Display) -> Error {
    Error::new(
        "invalid_option",
        format!("{count} confidence bins; must be an integer from 1 to {MOST_BINS}"),
        phrases::BINS_LEFT_OUT,
    )
}

impl BinOptions {
    /// B equal-width, left-closed bins with exact edges.
    pub fn equal_width(count: usize) -> Self {
        Self { count, scheme: BinScheme::EqualWidth, closed: Closed::Left, edges: Edges::Exact }
    }

    /// The same with another scheme.
    pub fn with_scheme(self, scheme: BinScheme) -> Self {
        Self { scheme, ..self }
    }

    /// Fails unless 1 ≤ B ≤ 1000.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn validated(self) -> Result<Self> {
        if (1..=MOST_BINS).contains(&self.count) { Ok(self) } else { Err(count_error(self.count)) }
    }

    /// The edges for these scores (equal-width edges do not look at them).
    ///
    /// Equal mass by rank has no edges of its own; given are the midpoints between the neighboring scores of
    /// neighboring bins, with 0 and 1 at the ends, which put *new* scores into the bins, and known ones where they are.
    ///
    /// # Errors
    /// `invalid_option`; `empty` for equal mass without scores.
    pub fn bin_edges(&self, s: &[f64]) -> Result<BinEdges> {
        let count = self.validated()?.count;
        if self.scheme != BinScheme::EqualWidth && s.is_empty() {
            return Err(Error::new(
                "empty",
                "equal-mass bins of 0 scores",
                "Open data with at least one row, or use equal-width bins.",
            ));
        }
        let exact = |i: usize| i as f64 / count as f64;
        let edges = match self.scheme {
            BinScheme::EqualWidth => (0..=count)
                .map(|i| match self.edges {
                    Edges::Numpy if i < count && i as f64 * (1.0 / count as f64) > exact(i) => exact(i) + 2.0 * SAME,
                    _ => exact(i),
                })
                .collect(),
            BinScheme::EqualMassRank => ranked(s, count).edges(s, count, self.closed),
            BinScheme::EqualMassQuantile => quantile_edges(s, count, self.closed),
        };
        Ok(BinEdges { edges, closed: self.closed, equal_width: self.scheme == BinScheme::EqualWidth })
    }

    /// Edges and the bin of every score.
    ///
    /// O(n) for equal width, one sort for equal mass.
    ///
    /// # Errors
    /// As [`BinOptions::bin_edges`].
    pub fn binning(&self, s: &[f64]) -> Result<Binning> {
        if self.scheme == BinScheme::EqualMassRank {
            let count = self.validated()?.count;
            let ranked = ranked(s, count);
            let mut assignment = vec![0; s.len()];
            for block in ranked.blocks() {
                let part = ties::shared_part(&block, count, s.len()) as u32;
                for &row in &ranked.order[block] {
                    assignment[row as usize] = part;
                }
            }
            return Ok(Binning {
                edges: BinEdges { edges: ranked.edges(s, count, self.closed), closed: self.closed, equal_width: false },
                assignment,
                ranked: Some(ranked),
            });
        }
        let edges = self.bin_edges(s)?;
        let assignment = edges.assignment(s);
        Ok(Binning { edges, assignment, ranked: None })
    }
}

/// Rows by ascending score, and where ties begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// rows by ascending score
    pub order: Vec<u32>,
    /// ranks at which blocks of the same score start, ascending
    pub starts: Vec<u32>,
    /// B
    count: usize,
}

fn ranked(s: &[f64], count: usize) -> Ranked {
    let order = order::ascending(s);
    let starts = ties::tie_blocks(s, &order).map(|block| block.start as u32).collect();
    Ranked { order, starts, count }
}

impl Ranked {
    /// Blocks of the same score, as ranges of ranks.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.order.len() as u32]);
        self.starts.iter().zip(ends).map(|(&start, end)| start as usize..end as usize)
    }

    /// The bins that ranks of a block fall into, with the number of them in each: rank r into ⌊rB/n⌋.
    pub fn bins_of(&self, block: &Range<usize>) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (n, count, end) = (self.order.len().max(1), self.count, block.end);
        let mut rank = block.start;
        std::iter::from_fn(move || {
            (rank < end).then(|| {
                let bin = rank * count / n;
                // First rank of the next bin: the least r with ⌊rB/n⌋ > bin.
                let next = ((bin + 1) * n).div_ceil(count).min(end);
                (bin, next - std::mem::replace(&mut rank, next))
            })
        })
    }

    /// Edges between the bins that tied rows share: half-way between neighboring scores of different bins.
    fn edges(&self, s: &[f64], count: usize, closed: Closed) -> Vec<f64> {
        let n = self.order.len();
        let at = |rank: usize| s[self.order[rank] as usize];
        let mut edges = vec![0.0];
        for block in self.blocks() {
            let part = ties::shared_part(&block, count, n);
            let edge = match block.start.checked_sub(1) {
                Some(before) => closed.between(at(before), at(block.start)),
                // Below the first row: no score is known to lie there.
                None => (at(0) - 2.0 * SAME).min(0.0),
            };
            edges.resize((part + 1).max(edges.len()), edge);
        }
        // Above the last row the same.
        let last = n.checked_sub(1).map_or(1.0, at);
        edges.resize(count + 1, (last + 2.0 * SAME).max(1.0));
        // Where ties at 0 leave the first bins empty, these end below 0, and begin no higher.
        edges[0] = edges[0].min(edges[1]);
        edges
    }
}

/// Percentiles 100·j/B of the scores, tied ones taken as the lowest of their tie.
fn quantile_edges(s: &[f64], count: usize, closed: Closed) -> Vec<f64> {
    let order = order::ascending(s);
    let mut sorted = Vec::with_capacity(s.len());
    for block in ties::tie_blocks(s, &order) {
        sorted.resize(block.end, s[order[block.start] as usize]);
    }
    let mut edges: Vec<f64> = Vec::with_capacity(count + 1);
    for j in 0..=count {
        // Rounded as numpy rounds linspace(0, 100, B + 1)/100: where (n − 1)j/B is whole, the last bit decides on
        // which side of the edge tied rows fall, and published numbers have numpy's.
        let percent = if j == count { 100.0 } else { j as f64 * (100.0 / count as f64) };
        let Some(edge) = quantile::quantile_sorted(&sorted, percent / 100.0) else {
            continue;
        };
        let edge = settled(edge, &sorted, closed);
        if edges.last().is_none_or(|&last| edge - last > 1e-8) {
            edges.push(edge);
        }
    }
    if edges.len() == 1 {
        edges.push(edges[0]);
    }
    edges
}

/// An edge that lies beside a score by rounding only, moved so far that the score, and whatever is the same, keeps its
/// side of it.
fn settled(edge: f64, sorted: &[f64], closed: Closed) -> f64 {
    match closed {
        Closed::Left => {
            let below = sorted.partition_point(|&s| s < edge).checked_sub(1);
            let Some(&below) = below.and_then(|k| sorted.get(k)) else {
                return edge;
            };
            if sorted.binary_search_by(|s| s.total_cmp(&edge)).is_ok() {
                return edge; // at a score: that belongs above
            }
            edge.max(ties::just_above(below))
        }
        Closed::Right => {
            let above = sorted.partition_point(|&s| s <= edge);
            sorted.get(above).map_or(edge, |above| edge.min(ties::just_below(*above)))
        }
    }
}

/// Ascending edges of B bins, and which end of a bin belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct BinEdges {
    /// B + 1 values; scores beyond the outer ones belong to the outer bins
    pub edges: Vec<f64>,
    /// which end of a bin belongs to it
    pub closed: Closed,
    /// the edges are i/B of [0, 1]: bins can be guessed before they are compared
    pub equal_width: bool,
}

impl BinEdges {
    /// B.
    pub fn count(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// The bin of a score, 0..B. Decided by comparison with the stored edges, never by rounding s·B; a score that is the
    /// same as an edge ([`ties`]) stands at it.
    #[inline]
    pub fn bin_of(&self, s: f64) -> usize {
        let last = self.count().saturating_sub(1);
        if !self.equal_width {
            let inner = self.edges.get(1..=last).unwrap_or(&[]);
            return match self.closed {
                Closed::Left => inner.partition_point(|&e| ties::at_or_above(s, e)),
                Closed::Right => inner.partition_point(|&e| ties::above(s, e)),
            };
        }
        let mut bin = ((s * (last + 1) as f64) as usize).min(last);
        match self.closed {
            Closed::Left => {
                while bin > 0 && !ties::at_or_above(s, self.edges[bin]) {
                    bin -= 1;
                }
                while bin < last && ties::at_or_above(s, self.edges[bin + 1]) {
                    bin += 1;
                }
            }
            Closed::Right => {
                while bin > 0 && !ties::above(s, self.edges[bin]) {
                    bin -= 1;
                }
                while bin < last && ties::above(s, self.edges[bin + 1]) {
                    bin += 1;
                }
            }
        }
        bin
    }

    /// The bin of every score.
    pub fn assignment(&self, s: &[f64]) -> Vec<u32> {
        s.iter().map(|&s| self.bin_of(s) as u32).collect()
    }
}

/// Bins with the rows that fall into them.
#[derive(Debug, Clone, PartialEq)]
pub struct Binning {
    /// the edges
    pub edges: BinEdges,
    /// bin of every row; rows of the same score share one
    pub assignment: Vec<u32>,
    /// equal mass by rank: whose mean outcome counts in which bin, see [`BinScheme::EqualMassRank`]
    pub ranked: Option<Ranked>,
}

impl Binning {
    /// B.
    pub fn count(&self) -> usize {
        self.edges.count()
    }
}

#[cfg(test)]
mod tests;
