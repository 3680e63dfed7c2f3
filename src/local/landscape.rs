//! Local error on a grid over a two-dimensional map: the field behind the points.

use super::sample::{LocalQueries, LocalSample, within_bins};
use crate::kernel::{Kernel, Part, Points};
use crate::{Error, Result};

/// How a grid cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Enough neighbours: in colour.
    Drawn,
    /// Fewer than 20 effective neighbours: grey.
    Grey,
    /// Kernel mass below 0.001: nothing.
    Empty,
}

/// Signed local error on a grid; row `r`, column `c` at `r * size + c`, rows from the lowest second coordinate up.
#[derive(Debug, Clone, PartialEq)]
pub struct Landscape {
    /// Cells per side.
    pub size: usize,
    /// Lowest first and second coordinate: the outermost grid nodes stand on the bounding box.
    pub low: [f64; 2],
    /// Highest first and second coordinate.
    pub high: [f64; 2],
    /// Signed local error; `NaN` where nothing is known.
    pub slce: Vec<f64>,
    /// Kernel mass.
    pub mass: Vec<f64>,
    /// Effective neighbours.
    pub n_eff: Vec<f64>,
    /// How to draw each cell.
    pub cell: Vec<Cell>,
}

const MIN_NEIGHBOURS: f64 = 20.0;
const MIN_MASS: f64 = 1e-3;

/// The field of SLCE over the bounding box of all rows' places, from the rows of `bin` (or of every row as one bin).
///
/// # Errors
/// `invalid_option` unless there are two features and `size` ≥ 2; `empty` without rows.
///
/// # Cost
/// That of `size`² separate queries.
pub fn landscape(
    sample: &LocalSample,
    bin: Option<u32>,
    kernel: Kernel,
    size: usize,
    part: Part,
) -> Result<Landscape> {
    if sample.features.d() != 2 || size < 2 {
        return Err(Error::new(
            "invalid_option",
            format!(
                "a map of {size} × {size} cells over {} features",
                sample.features.d()
            ),
            "a map needs exactly two features and at least 2 × 2 cells",
        ));
    }
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for place in sample.features.values().chunks_exact(2) {
        for c in 0..2 {
            low[c] = low[c].min(place[c]);
            high[c] = high[c].max(place[c]);
        }
    }
    if sample.n() == 0 {
        return Err(Error::new(
            "empty",
            "a map of 0 rows",
            "choose a bin that holds rows",
        ));
    }
    let step = |c: usize, i: usize| low[c] + (high[c] - low[c]) * (i as f64 / (size - 1) as f64);
    let places: Vec<f64> = (0..size * size)
        .flat_map(|cell| [step(0, cell % size), step(1, cell / size)])
        .collect();
    let one_bin: Vec<u32> = match bin {
        Some(_) => Vec::new(),
        None => sample
            .bin
            .iter()
            .map(|bin| if *bin == super::NO_BIN { *bin } else { 0 })
            .collect(),
    };
    let source = LocalSample {
        bin: if bin.is_some() { sample.bin } else { &one_bin },
        ..*sample
    };
    let query_bin = vec![bin.unwrap_or(0); size * size];
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let queries = LocalQueries::At {
        bin: &query_bin,
        features: Points::new(2, &places)?,
    };
    let sums = within_bins(&source, &queries, &residual, 1, kernel, true, part)?;
    let n_eff = sums.n_eff.unwrap_or_default();
    let cell = sums
        .mass
        .iter()
        .zip(&n_eff)
        .map(|(mass, n_eff)| {
            if *mass >= MIN_MASS && *n_eff >= MIN_NEIGHBOURS {
                Cell::Drawn
            } else if *mass >= MIN_MASS {
                Cell::Grey
            } else {
                Cell::Empty
            }
        })
        .collect();
    Ok(Landscape {
        size,
        low,
        high,
        slce: sums.mean,
        mass: sums.mass,
        n_eff,
        cell,
    })
}
