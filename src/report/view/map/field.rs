//! The field behind the points: local error on a grid over the map.

use super::scene::Scene;
use super::support::supported;
use crate::error::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, standard_error, within_bins};
use crate::num::special::NORMAL_975;
use crate::plot::extent::Extent;
use crate::plot::map_line::LinePlace;
use crate::plot::raster::Support;

/// Local error at the centers of a grid over the map.
pub(crate) struct Grid {
    pub(super) side: usize,
    pub(super) value: Vec<f64>,
    pub(super) mass: Vec<f64>,
    pub(super) n_eff: Vec<f64>,
    /// standard error of each value
    pub(super) se: Vec<f64>,
}

impl Grid {
    /// How well the value of each cell is known.
    pub(super) fn support(&self) -> Vec<u8> {
        let known = self.n_eff.iter().zip(&self.mass);
        let errors = self.value.iter().zip(&self.se);
        known.zip(errors).map(|((&n, &mass), (&error, &se))| supported(n, mass, error, se)).collect()
    }
}

/// The field behind the points, where the kernel looks at just the two coordinates that are drawn.
///
/// Where points are compared within their bins it is the average over the bins of the local error at that place, each
/// bin weighted by its rows there: Σ_b (M_b / M) SLCE_b = Σ_i k (s − t) / Σ_i k over all rows.
pub(crate) fn field(scene: &Scene, kernel: Kernel, extent: Extent) -> Result<Option<Grid>> {
    if !scene.flat {
        return Ok(None);
    }
    let one = vec![0u32; scene.rows.len()];
    let sample = LocalSample::new(&scene.score, &scene.target, &one, Points::row_major(2, &scene.features.values)?)?;
    let center = |low: f64, high: f64, i: usize| low + (high - low) * (i as f64 + 0.5) / GRID as f64;
    let places: Vec<f64> = (0..GRID * GRID)
        .flat_map(|cell| [center(extent.x0, extent.x1, cell % GRID), center(extent.y0, extent.y1, cell / GRID)])
        .collect();
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let queries = LocalQueries::At { bin: &vec![0; GRID * GRID], features: Points::row_major(2, &places)? };
    let sums = within_bins(&sample, &queries, &residual, 1, kernel, true, Part::WHOLE)?;
    let n_eff = sums.n_eff.unwrap_or_default();
    Ok(Some(Grid {
        side: GRID,
        se: standard_error(&sample, &queries, kernel, &sums.mean, &n_eff)?,
        value: sums.mean,
        mass: sums.mass,
        n_eff,
    }))
}

/// The error over the only feature, at even places within `extent`, or at the values that rows have where only equal ones
/// are alike, with the 95 % interval of each; nothing where there are more features. Over the rows that are shown, as [`field`].
pub(crate) fn line(scene: &Scene, kernel: Kernel, extent: Extent) -> Result<Vec<LinePlace>> {
    if scene.features.d != 1 {
        return Ok(Vec::new());
    }
    let one = vec![0u32; scene.rows.len()];
    let sample = LocalSample::new(&scene.score, &scene.target, &one, Points::row_major(1, &scene.features.values)?)?;
    let places = match kernel {
        Kernel::Group => values_within(&scene.features.values, extent),
        _ => {
            let step = (extent.x1 - extent.x0) / LINE as f64;
            (0..=LINE).map(|k| extent.x0 + step * k as f64).collect()
        }
    };
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let queries = LocalQueries::At { bin: &vec![0; places.len()], features: Points::row_major(1, &places)? };
    let sums = within_bins(&sample, &queries, &residual, 1, kernel, true, Part::WHOLE)?;
    let n_eff = sums.n_eff.unwrap_or_default();
    let se = standard_error(&sample, &queries, kernel, &sums.mean, &n_eff)?;
    let known = n_eff.iter().zip(&sums.mass).map(|(&n, &mass)| supported(n, mass, 0.0, 0.0) > Support::Few as u8);
    let errors = places.iter().zip(&sums.mean).zip(&se).zip(known);
    Ok(errors
        .map(|(((&x, &error), se), known)| {
            // where no row is near there is no interval
            let half = Some(NORMAL_975 * se).filter(|half| half.is_finite()).unwrap_or(f64::NAN);
            LinePlace { x, error, low: error - half, high: error + half, known: known && half.is_finite() }
        })
        .collect())
}

/// The different values within `extent`, ascending; of more than the line has places some that are evenly spread.
fn values_within(values: &[f64], extent: Extent) -> Vec<f64> {
    let inside = |v: &f64| (extent.x0..=extent.x1).contains(v);
    let mut values: Vec<f64> = values.iter().copied().filter(inside).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let every = values.len().div_ceil(LINE + 1).max(1);
    values.into_iter().step_by(every).collect()
}

/// Steps of the line.
const LINE: usize = 200;

/// Cells along one side of the field.
const GRID: usize = 64;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::scene::{LocalMeans, Scene};
    use super::*;
    use crate::feature::Features;
    use crate::report::mapped_rows::Compared;

    /// 100 rows at one corner of a window, 1 row at the other.
    #[test]
    fn the_field_shows_what_it_knows() {
        let mut values = vec![0.0; 202];
        (values[200], values[201]) = (10.0, 10.0);
        let mut target = vec![1; 101];
        target[100] = 0;
        let mut scene = Scene {
            rows: (0..101).collect(),
            score: vec![0.9; 101],
            target,
            features: Features {
                d: 2,
                values,
                names: vec!["x".into(), "y".into()],
                projection: None,
                loadings: Vec::new(),
                arrays: Vec::new(),
            },
            axes: [0, 1],
            flat: true,
            compared: Compared::Together,
            within: None,
            leave_one_out: false,
            support: Vec::new(),
            columns: Vec::new(),
            near: LocalMeans {
                score: Vec::new(),
                target: Vec::new(),
                slce: Vec::new(),
                mass: Vec::new(),
                n_eff: Vec::new(),
            },
        };
        let kernel = Kernel::Laplacian { gamma: 0.2 };
        let window = |x0: f64, x1: f64| Extent { x0, x1, y0: x0, y1: x1 };
        let grid = field(&scene, kernel, window(-0.05, 10.05)).unwrap().unwrap();
        let (first, middle, last) = (0, GRID * GRID / 2 + GRID / 2, GRID * GRID - 1);
        let support = |cell: usize| supported(grid.n_eff[cell], grid.mass[cell], grid.value[cell], grid.se[cell]);
        assert_eq!(
            [first, middle, last].map(support),
            [Support::Enough as u8, Support::None as u8, Support::Few as u8]
        );
        assert!((grid.value[first] + 0.1).abs() < 1e-9 && (grid.value[last] - 0.9).abs() < 1e-9);
        // A window anywhere asks the same rows: where two windows meet they agree.
        let near = field(&scene, kernel, window(-0.05, 0.05)).unwrap().unwrap();
        assert!((near.mass[GRID * GRID / 2 + GRID / 2] - 100.0).abs() < 1.0);
        assert!(near.value.iter().all(|v| (v + 0.1).abs() < 1e-9));
        scene.flat = false;
        assert!(field(&scene, kernel, window(0.0, 1.0)).unwrap().is_none());
        // where only equal values are alike the line has a place at each of them
        let values = (0..101).map(|row| f64::from(row % 3)).collect();
        scene.features = Features { d: 1, values, names: vec!["x".into()], ..scene.features };
        let places = line(&scene, Kernel::Group, window(-0.5, 1.5)).unwrap();
        assert_eq!(places.iter().map(|place| place.x).collect::<Vec<_>>(), [0.0, 1.0]);
        assert!(places.iter().all(|place| place.known && place.low < place.error && place.error < place.high));
    }
}
