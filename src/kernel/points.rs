//! Places in feature space.

use crate::num::Rows;
use crate::{Error, Result};

/// `n` places with `d` coordinates each, row-major.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    d: usize,
    values: &'a [f64],
}

impl<'a> Points<'a> {
    /// Places from row-major coordinates: `values[i * d + j]` is coordinate `j` of place `i`.
    ///
    /// # Errors
    /// `features_missing` if `d` = 0; `length_mismatch` if `values` is not a whole number of rows;
    /// `not_a_number` if a coordinate is not finite.
    pub fn new(d: usize, values: &'a [f64]) -> Result<Self> {
        if d == 0 {
            return Err(Error::new(
                "features_missing",
                "places need at least 1 coordinate, found 0",
                "choose one or more feature columns",
            ));
        }
        if !values.len().is_multiple_of(d) {
            return Err(Error::new(
                "length_mismatch",
                format!("{} coordinates are not a whole number of rows of {d}", values.len()),
                "every row needs the same number of features",
            ));
        }
        if let Some(bad) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::new(
                "not_a_number",
                format!("coordinate {} of row {} is not finite", bad % d + 1, bad / d + 1),
                "drop the row or choose other feature columns",
            ));
        }
        Ok(Self { d, values })
    }

    /// Number of places.
    pub fn n(&self) -> usize {
        self.values.len() / self.d
    }

    /// Number of coordinates.
    pub fn d(&self) -> usize {
        self.d
    }

    /// All coordinates, row-major.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// The coordinates of place `i`; empty when there is no such place.
    pub fn row(&self, i: usize) -> &'a [f64] {
        self.values.get(i * self.d..(i + 1) * self.d).unwrap_or(&[])
    }

    /// Places with as many coordinates, taken from these.
    pub(super) fn like<'b>(&self, values: &'b [f64]) -> Points<'b> {
        Points { d: self.d, values }
    }

    /// The coordinates of the places `rows`, in that order.
    pub fn gather(&self, rows: &[u32]) -> Vec<f64> {
        let mut out = Vec::with_capacity(rows.len() * self.d);
        for &i in rows {
            out.extend_from_slice(self.row(i as usize));
        }
        out
    }
}

impl Rows for Points<'_> {
    fn n(&self) -> usize {
        Points::n(self)
    }
    fn d(&self) -> usize {
        self.d
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        row.copy_from_slice(self.row(i));
    }
}
