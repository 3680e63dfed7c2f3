//! The field behind the points: local error on a grid over the map.

use super::Scene;
use crate::error::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, within_bins};
use crate::plot::map::Extent;

/// Local error at the centres of a grid over the map.
pub(super) struct Grid {
    pub(super) side: usize,
    pub(super) value: Vec<f64>,
    pub(super) mass: Vec<f64>,
    pub(super) n_eff: Vec<f64>,
}

/// The field behind the points, where the kernel looks at just the two coordinates that are drawn.
pub(super) fn field(scene: &Scene, kernel: Kernel, extent: Extent) -> Result<Option<Grid>> {
    if !scene.flat {
        return Ok(None);
    }
    let one = vec![0u32; scene.rows.len()];
    let sample = LocalSample::new(
        &scene.score,
        &scene.target,
        &one,
        Points::new(2, &scene.features.values)?,
    )?;
    let centre =
        |low: f64, high: f64, i: usize| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
    let places: Vec<f64> = (0..GRID * GRID)
        .flat_map(|cell| {
            [
                centre(extent.x0, extent.x1, cell % GRID),
                centre(extent.y0, extent.y1, cell / GRID),
            ]
        })
        .collect();
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let queries = LocalQueries::At {
        bin: &vec![0; GRID * GRID],
        features: Points::new(2, &places)?,
    };
    let sums = within_bins(&sample, &queries, &residual, 1, kernel, true, Part::WHOLE)?;
    Ok(Some(Grid {
        side: GRID,
        value: sums.mean,
        mass: sums.mass,
        n_eff: sums.n_eff.unwrap_or_default(),
    }))
}

/// Cells along one side of the field.
const GRID: usize = 64;
