//! Maps over x₁ and x₂: the local error of rows, and any error that is known at every place.

use super::world::HALF_WIDTH;
use super::{LabRequest, Neighbors, World};
use crate::error::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalError, LocalQueries, LocalSample, signed_local_error};
use crate::metric::BinOptions;
use crate::plot::extent::Extent;
use crate::plot::landscape::Landscape;
use crate::plot::map::MapChart;
use crate::plot::raster::Support;
use crate::plot::table::TextTable;
use crate::report::view::map::supported;
use crate::table::Column;
use crate::words::number::{points, significant};

/// Cells of a side of the field behind the rows.
pub(super) const SIDE: usize = 36;
/// Error at the ends of the color scale, the same on every map: a handle moves no color.
const LIMIT: f64 = 0.3;
/// Places of the text twin: the middles of nine squares.
const LISTED: usize = 9;

/// Centers of the cells of the field, row by row from below.
pub(super) fn cells() -> Vec<f64> {
    let at = |i: usize| (2.0 * HALF_WIDTH) * (i as f64 + 0.5) / SIDE as f64 - HALF_WIDTH;
    (0..SIDE).flat_map(|up| (0..SIDE).flat_map(move |across| [at(across), at(up)])).collect()
}

/// Bin of each score, or one bin for all.
pub(super) fn bin_of(request: &LabRequest, binning_of: &[f64], p: &[f64]) -> Result<Vec<u32>> {
    match request.neighbors {
        Neighbors::All => Ok(vec![0; p.len()]),
        Neighbors::Bin => Ok(BinOptions::equal_width(request.bins as usize).bin_edges(binning_of)?.assignment(p)),
    }
}

/// Signed local error of rows at places.
pub(super) struct Local {
    /// of the rows
    pub rows: LocalError,
    bin: Vec<u32>,
}

impl Local {
    /// Of every row of the world, itself included. Cost of [`signed_local_error`].
    ///
    /// # Errors
    /// As there.
    pub fn new(request: &LabRequest, world: &World) -> Result<Self> {
        let bin = bin_of(request, &world.p, &world.p)?;
        let sample = LocalSample::new(&world.p, &world.y, &bin, Points::row_major(2, &world.x)?)?;
        let own = LocalQueries::Sample { leave_one_out: false };
        let rows = signed_local_error(&sample, &own, kernel(request), Part::WHOLE)?;
        Ok(Self { rows, bin })
    }

    /// The same at other places, where the model states what it would state there.
    ///
    /// # Errors
    /// As there.
    pub fn at(&self, request: &LabRequest, world: &World, places: &[f64]) -> Result<LocalError> {
        let (each, _) = places.as_chunks::<2>();
        let stated: Vec<f64> = each.iter().map(|&x| world.truth.stated(x, false)).collect();
        let bin = bin_of(request, &world.p, &stated)?;
        let sample = LocalSample::new(&world.p, &world.y, &self.bin, Points::row_major(2, &world.x)?)?;
        let queries = LocalQueries::At { bin: &bin, features: Points::row_major(2, places)? };
        signed_local_error(&sample, &queries, kernel(request), Part::WHOLE)
    }
}

pub(super) fn kernel(request: &LabRequest) -> Kernel {
    Kernel::Laplacian { gamma: request.gamma }
}

/// How well each error is known: residuals of p(1 − p) over the effective neighbors.
fn supports(error: &LocalError, p: &[f64]) -> Vec<u8> {
    let known = error.n_eff.iter().zip(&error.mass);
    let errors = error.slce.iter().zip(p);
    known.zip(errors).map(|((&n, &mass), (&slce, p))| supported(n, mass, slce, (p * (1.0 - p) / n).sqrt())).collect()
}

/// The map of the signed local error, rows over field.
///
/// # Errors
/// As [`Local::at`].
pub(super) fn local_error_map(request: &LabRequest, world: &World, local: &Local) -> Result<Landscape> {
    let places = cells();
    let field = local.at(request, world, &places)?;
    let (each, _) = places.as_chunks::<2>();
    let stated: Vec<f64> = each.iter().map(|&x| world.truth.stated(x, false)).collect();
    let support = supports(&local.rows, &world.p);
    let few = support.iter().filter(|&&support| support == Support::Few as u8).count();
    let among = match request.neighbors {
        Neighbors::Bin => "in the same bin",
        Neighbors::All => "whatever their stated probability",
    };
    let mut chart = chart("signed local error: predicted − observed");
    chart.n = world.y.len() as u64;
    chart.n_grey = few as u64;
    chart.caption = format!(
        "Each point is a row; its color is the kernel-weighted difference of predicted and observed of the rows around it, \
         {among} (Laplacian kernel, γ = {}). Pale or hatched: within its pointwise 95% interval of 0. Gray: fewer than 20 \
         effective neighbors.",
        significant(request.gamma)
    );
    chart.table = table(&places, &field.slce);
    Ok(Landscape {
        chart,
        x: world.coordinate(0).into(),
        y: world.coordinate(1).into(),
        value: local.rows.slce.clone().into(),
        support: support.into(),
        side: SIDE,
        behind_support: supports(&field, &stated).into(),
        behind: field.slce.into(),
        line: Vec::new(),
    })
}

/// The map of an error that is known at every cell of [`cells`].
pub(super) fn field_map(error: Vec<f64>, name: &str, caption: String) -> Landscape {
    let mut chart = chart(name);
    chart.table = table(&cells(), &error);
    chart.caption = caption;
    chart.alt = format!("Map over x₁ and x₂, colored by {name}.");
    let none = || Column::from(Vec::<f64>::new());
    Landscape {
        chart,
        x: none(),
        y: none(),
        value: none(),
        support: Column::from(Vec::new()),
        side: SIDE,
        behind_support: vec![Support::Enough as u8; error.len()].into(),
        behind: error.into(),
        line: Vec::new(),
    }
}

fn chart(name: &str) -> MapChart {
    MapChart {
        extent: Extent::within([-HALF_WIDTH, HALF_WIDTH, -HALF_WIDTH, HALF_WIDTH]),
        x_name: "x₁".to_owned(),
        y_name: "x₂".to_owned(),
        color_limit: LIMIT,
        value_name: name.to_owned(),
        ..MapChart::default()
    }
}

/// The errors at nine places.
fn table(places: &[f64], error: &[f64]) -> TextTable {
    let mut table = TextTable::new(&["#x₁", "#x₂", "#error"]);
    let (each, _) = places.as_chunks::<2>();
    let third = SIDE / 3;
    for k in 0..LISTED {
        let (up, across) = (2 - k / 3, k % 3);
        let cell = (up * third + third / 2) * SIDE + across * third + third / 2;
        if let (Some([x, y]), Some(&error)) = (each.get(cell), error.get(cell)) {
            table.rows.push(vec![significant(*x), significant(*y), points(error)]);
        }
    }
    table
}
