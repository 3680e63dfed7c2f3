//! Places in feature space.

use ndarray::ArrayView2;

use crate::num::Rows;
use crate::{Error, Result};

/// `n` places with `d` coordinates each, looked at once: there is a coordinate, and every coordinate is finite.
///
/// What asks for places asks for these, so that nothing is checked twice and every row is one piece of memory.
///
/// ```
/// use localcal_numerics::kernel::Points;
/// use ndarray::array;
///
/// let x = array![[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]];
/// let places = Points::new(x.view())?;
/// assert_eq!((places.n(), places.d(), places.row(1)), (3, 2, [2.0, 3.0].as_slice()));
///
/// assert_eq!(Points::new(array![[f64::NAN]].view()).unwrap_err().code(), "not_a_number");
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    d: usize,
    values: &'a [f64],
}

impl<'a> Points<'a> {
    /// Places from a matrix, shape (n, d), without a copy.
    ///
    /// # Errors
    /// `invalid_option` for a matrix that does not lie row by row in memory (a transposed one, or every second column):
    /// hand over `x.as_standard_layout().view()`. `features_missing` if d = 0; `not_a_number` if a coordinate is not
    /// finite.
    ///
    /// # Cost
    /// One pass.
    pub fn new(x: ArrayView2<'a, f64>) -> Result<Self> {
        let (n, d) = x.dim();
        let values = x.to_slice().ok_or_else(|| {
            Error::new(
                "invalid_option",
                format!("the {n} × {d} coordinates do not lie row by row in memory"),
                "hand over a copy that does: x.as_standard_layout().view()",
            )
        })?;
        Self::row_major(d, values)
    }

    /// Places from coordinates that lie flat: `values[i * d + j]` is coordinate `j` of place `i`.
    ///
    /// # Errors
    /// `features_missing` if `d` = 0; `length_mismatch` if `values` is not a whole number of rows;
    /// `not_a_number` if a coordinate is not finite.
    ///
    /// # Cost
    /// One pass.
    pub fn row_major(d: usize, values: &'a [f64]) -> Result<Self> {
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
