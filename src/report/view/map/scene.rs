//! The rows that a map shows, where they are, and what is around each.

use std::borrow::Cow;

use super::support::supported;
use crate::error::Result;
use crate::feature::{Features, Within};
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, standard_error, within_bins};
use crate::metric::binning::{BinOptions, Binning};
use crate::plot::extent::Extent;
use crate::report::MethodRows;
use crate::report::mapped_rows::{Compared, compared_rows};

/// The rows of a bin, their places, and what is around each.
pub(crate) struct Scene {
    pub rows: Vec<u32>,
    pub score: Vec<f64>,
    pub target: Vec<u8>,
    pub features: Features,
    pub axes: [usize; 2],
    /// Columns that say where a row is, where coordinates are principal components.
    pub columns: Vec<String>,
    /// The kernel looks at just the two coordinates that are drawn.
    pub flat: bool,
    pub near: LocalMeans,
    /// The rows that each row is compared with.
    pub compared: Compared,
    /// And of those with which alone: "with rows of the same race".
    pub within: Option<String>,
    /// No row counts itself.
    pub leave_one_out: bool,
    /// How well the error of each row is known, see [`crate::plot::raster::Support`].
    pub support: Vec<u8>,
}

/// Kernel-weighted means around each row.
pub(crate) struct LocalMeans {
    pub score: Vec<f64>,
    pub target: Vec<f64>,
    pub slce: Vec<f64>,
    pub mass: Vec<f64>,
    pub n_eff: Vec<f64>,
}

/// What the scenes of one map have in common.
pub(crate) struct Plane<'a> {
    /// The original predictions: their bins say which rows are shown, before and after recalibration.
    pub original: &'a MethodRows,
    pub binning: &'a Binning,
    pub options: BinOptions,
    /// Coordinates of every row of the data.
    pub all: &'a Features,
    pub axes: Option<[usize; 2]>,
    pub kernel: Kernel,
    /// Which rows can be neighbors.
    pub cut: Option<&'a Within>,
    /// Each row is left out of its own neighborhood.
    pub leave_one_out: bool,
    /// What could be chance can wait.
    pub hurry: bool,
}

impl Plane<'_> {
    /// The rows that are shown, with the scores of a method.
    ///
    /// Around a row are the rows of its bin: of the original bin before recalibration, of the bin of its recalibrated score after;
    /// or all of them, as one bin.
    pub(crate) fn scene(&self, method: &MethodRows, compared: Compared) -> Result<Scene> {
        let inside = compared_rows(self.original, &self.binning.assignment, method, compared);
        let values = placed(self.all, &method.rows);
        let places = Points::row_major(self.all.d, &values)?;
        let own_bins = || Ok(self.options.binning(&method.score)?.assignment);
        let rows: Vec<u32> = inside.iter().map(|&i| method.rows[i as usize]).collect();
        let recalibrated = matches!(compared, Compared::Bin(_)) && method.method.name != self.original.method.name;
        let shown = places.gather(&inside);
        let here = Points::row_major(self.all.d, &shown)?;
        let score: Vec<f64> = inside.iter().map(|&i| method.score[i as usize]).collect();
        let target: Vec<u8> = inside.iter().map(|&i| method.target[i as usize]).collect();
        let (near, se) = if recalibrated {
            let own: Vec<u32> = Within::strata(self.cut, own_bins()?, &method.rows);
            let asked: Vec<u32> = inside.iter().map(|&i| own[i as usize]).collect();
            let sample = LocalSample::new(&method.score, &method.target, &own, places)?;
            if self.leave_one_out {
                // Among all rows, where each is known; then those that are shown.
                let (near, se) = self.local_means(&sample, &LocalQueries::Sample { leave_one_out: true })?;
                near.of(&inside, &se)
            } else {
                let queries = LocalQueries::At { bin: &asked, features: here };
                self.local_means(&sample, &queries)?
            }
        } else {
            let bin: Vec<u32> = match compared {
                Compared::Each => own_bins()?,
                Compared::Together | Compared::Bin(_) => vec![0; inside.len()],
            };
            let bin = Within::strata(self.cut, bin, &rows);
            let sample = LocalSample::new(&score, &target, &bin, here)?;
            let queries = LocalQueries::Sample { leave_one_out: self.leave_one_out };
            self.local_means(&sample, &queries)?
        };
        let last = self.all.d.saturating_sub(1);
        let axes = self.axes.unwrap_or([0, 1]).map(|axis| axis.min(last));
        Ok(Scene {
            rows,
            score,
            target,
            features: Features {
                d: self.all.d,
                values: shown,
                names: self.all.names.clone(),
                projection: None,
                loadings: self.all.loadings.clone(),
                arrays: self.all.arrays.clone(),
            },
            columns: named_columns(self.all, axes),
            flat: self.all.d == 2 && axes == [0, 1] && !recalibrated,
            axes,
            compared,
            within: self.cut.map(Within::words),
            leave_one_out: self.leave_one_out,
            support: near.support(&se),
            near,
        })
    }

    /// Means around each query, and the standard errors of their differences (none in a hurry).
    fn local_means(&self, sample: &LocalSample, queries: &LocalQueries) -> Result<(LocalMeans, Vec<f64>)> {
        let mut both = Vec::with_capacity(2 * sample.n());
        for (&s, &t) in sample.score.iter().zip(sample.target) {
            both.extend([s, f64::from(t)]);
        }
        let sums = within_bins(sample, queries, &both, 2, self.kernel, true, Part::WHOLE)?;
        drop(both); // what follows needs as much again
        let score: Vec<f64> = sums.mean.iter().step_by(2).copied().collect();
        let target: Vec<f64> = sums.mean.iter().skip(1).step_by(2).copied().collect();
        let near = LocalMeans {
            slce: score.iter().zip(&target).map(|(s, t)| s - t).collect(),
            score,
            target,
            mass: sums.mass,
            n_eff: sums.n_eff.unwrap_or_default(),
        };
        drop(sums.mean);
        let se = if self.hurry {
            Vec::new()
        } else {
            standard_error(sample, queries, self.kernel, &near.slce, &near.n_eff)?
        };
        Ok((near, se))
    }
}

impl LocalMeans {
    /// Of some rows, with their standard errors where there are any.
    fn of(&self, rows: &[u32], se: &[f64]) -> (Self, Vec<f64>) {
        let of = |values: &[f64]| rows.iter().filter_map(|&i| values.get(i as usize).copied()).collect::<Vec<f64>>();
        let near = Self {
            score: of(&self.score),
            target: of(&self.target),
            slce: of(&self.slce),
            mass: of(&self.mass),
            n_eff: of(&self.n_eff),
        };
        (near, of(se))
    }

    /// How well the local error of each row is known; without standard errors nothing is put down to chance.
    fn support(&self, se: &[f64]) -> Vec<u8> {
        let known = self.n_eff.iter().zip(&self.mass);
        let errors = self.slce.iter().zip(se.iter().chain(std::iter::repeat(&0.0)));
        known.zip(errors).map(|((&n, &mass), (&error, &se))| supported(n, mass, error, se)).collect()
    }
}

/// The columns that the drawn components run along, each once.
pub(crate) fn named_columns(all: &Features, axes: [usize; 2]) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for (name, _) in axes.iter().filter_map(|&axis| all.loadings.get(axis)).flat_map(|loadings| &loadings.columns) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    columns
}

/// The coordinates of rows, ascending and each once; not copied where they are all there are.
pub(crate) fn placed<'a>(all: &'a Features, rows: &[u32]) -> Cow<'a, [f64]> {
    if rows.len() * all.d == all.values.len() { Cow::Borrowed(&all.values) } else { Cow::Owned(all.select(rows)) }
}

impl Scene {
    /// The values along the axis that is drawn across (0) or upwards (1).
    pub(crate) fn axis(&self, drawn: usize) -> Vec<f64> {
        let Features { d, values, .. } = &self.features;
        let values = values.iter().skip(self.axes[drawn]);
        values.step_by((*d).max(1)).copied().collect()
    }

    /// Room for every row.
    pub(crate) fn extent(&self) -> Extent {
        Extent::around(&self.axis(0), &self.axis(1))
    }
}
