//! The coordinates of a fit, found again in another file.

use ndarray::Array2;

use super::columns::find;
use super::{Features, Projection};
use crate::data::grouping::PREDICTED;
use crate::data::{LEXICAL, Predictions};
use crate::error::{Error, Result};
use crate::num::Rows;
use crate::project::pca::Pca;
use crate::table::{MISSING, Matrix, Values};

/// One coordinate before any projection.
enum Coordinate<'a> {
    Number(&'a [f64]),
    Entry(&'a Matrix, usize),
    /// 1 where the row has this code; a value that the file does not know is nowhere.
    Level(&'a [u32], Option<u32>),
}

struct Cells<'a> {
    n: usize,
    cells: Vec<Coordinate<'a>>,
}

/// The coordinates called `names` (as [`Features::names`] or [`Projection::of`] has them) of every row of another file,
/// projected where the fit projected.
///
/// A column is found by its name, an entry of an array by `name[k]`, a value of a text column by `name = value`; a
/// value that the fit did not know has no coordinate of its own, so such a row is as far from every value.
///
/// # Errors
/// `features_missing` naming the first coordinate that the file does not have, and for lexical dimensions, which are those of
/// one file. A row with a gap has no place.
pub fn features_by_name(data: &Predictions, names: &[String], projection: Option<&Projection>) -> Result<Features> {
    let of = projection.map_or(names, |projection| &projection.of);
    if of.iter().any(|name| name.strip_prefix(LEXICAL).is_some_and(|rest| rest.starts_with('['))) {
        return Err(of_other_texts());
    }
    let cells = of.iter().map(|name| cell(data, name));
    let raw = Cells { n: data.rows, cells: cells.collect::<Result<_>>()? };
    let values = match projection {
        Some(projection) => {
            let q = projection.components.len() / of.len().max(1);
            let components = Array2::from_shape_vec((q, of.len()), projection.components.to_vec())
                .map_err(|_| Error::internal("A projection does not have one number per component and column."))?;
            let mean = projection.mean.to_vec();
            let map = Pca { mean, components, variance: vec![0.0; q], total_variance: 0.0 };
            map.transform(&raw, &mut |_| ())?.into_raw_vec_and_offset().0
        }
        None => {
            let mut values = vec![0.0; raw.n * names.len()];
            for (i, row) in values.chunks_exact_mut(names.len().max(1)).enumerate() {
                raw.read(i, row);
            }
            values
        }
    };
    Ok(Features {
        d: values.len() / raw.n.max(1),
        values,
        names: names.to_vec(),
        projection: projection.cloned(),
        loadings: Vec::new(),
        arrays: Vec::new(),
    })
}

/// The number of a row in one coordinate before any projection, by its name; none where there is no such coordinate.
pub fn value_at(data: &Predictions, name: &str, row: usize) -> Option<f64> {
    let cells = Cells { n: data.rows, cells: vec![cell(data, name).ok()?] };
    let mut value = [f64::NAN];
    if row < data.rows {
        cells.read(row, &mut value);
    }
    value.first().copied().filter(|value| value.is_finite())
}

fn cell<'a>(data: &'a Predictions, name: &str) -> Result<Coordinate<'a>> {
    let column = |name: &str| find(data, name).ok().map(|column| &column.values);
    if let Some(Values::Numbers(numbers)) = column(name) {
        return Ok(Coordinate::Number(numbers));
    }
    let entry = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    if let Some((array, k)) = entry
        && let (Some(Values::Matrix(matrix)), Ok(k)) = (column(array), k.parse::<usize>())
        && (1..=matrix.width).contains(&k)
    {
        return Ok(Coordinate::Entry(matrix, k - 1));
    }
    if let Some(level) = name.strip_prefix(PREDICTED).and_then(|rest| rest.strip_prefix(" = "))
        && let (Err(_), Some(predicted)) = (find(data, PREDICTED), &data.predicted)
    {
        let code = data.labels.iter().position(|label| label == level);
        return Ok(Coordinate::Level(predicted, code.map(|code| code as u32)));
    }
    for (at, _) in name.match_indices(" = ") {
        if let Some(Values::Text { codes, levels }) = column(&name[..at]) {
            let code = levels.iter().position(|level| level == &name[at + 3..]);
            return Ok(Coordinate::Level(codes, code.map(|code| code as u32)));
        }
    }
    Err(absent(name))
}

/// What is said where a calibrator asks for a column that the file does not have.
pub fn absent(name: &str) -> Error {
    Error::new(
        "features_missing",
        format!("The calibrator needs `{name}`, which this file does not have."),
        "Add the column under the name it had when the calibrator was fitted.",
    )
}

/// Lexical dimensions are learned from the texts of a file: those of two files have nothing in common but their name.
fn of_other_texts() -> Error {
    Error::new(
        "features_missing",
        format!("The calibrator compares rows by {LEXICAL}, which are learned from the texts of each file anew."),
        "Fit it with embeddings of the texts as features, or use a method that does not compare rows.",
    )
}

impl Rows for Cells<'_> {
    fn n(&self) -> usize {
        self.n
    }
    fn d(&self) -> usize {
        self.cells.len()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        for (value, cell) in row.iter_mut().zip(&self.cells) {
            *value = match cell {
                Coordinate::Number(values) => values[i],
                Coordinate::Entry(matrix, k) => matrix.value(i, *k),
                Coordinate::Level(codes, _) if codes[i] == MISSING => f64::NAN,
                Coordinate::Level(codes, code) => f64::from(u8::from(Some(codes[i]) == *code)),
            };
        }
    }
}
