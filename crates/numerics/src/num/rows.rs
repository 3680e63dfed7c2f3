//! Rows of numbers that are read one at a time, whatever they are kept in.

use ndarray::{ArrayBase, Data, Ix2};

/// n rows of d finite numbers: a matrix of shape (n, d).
///
/// Work on wide arrays reads single rows, so that an array in single precision is never held twice. Every matrix and view
/// of `ndarray` is one, whatever its layout and whether its numbers are `f64` or `f32`.
///
/// ```
/// use localcal_numerics::num::Rows;
/// use ndarray::array;
///
/// let x = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let mut row = [0.0_f64; 2];
/// x.t().read(2, &mut row);
/// assert_eq!((Rows::n(&x), x.d(), row), (2, 3, [3.0, 6.0]));
/// ```
pub trait Rows {
    /// Number of rows.
    fn n(&self) -> usize;
    /// Numbers in a row, at least 1.
    fn d(&self) -> usize;
    /// Writes row `i` (below n) into `row` (length d).
    fn read(&self, i: usize, row: &mut [f64]);
}

impl<S: Data<Elem = T>, T: Copy + Into<f64>> Rows for ArrayBase<S, Ix2> {
    fn n(&self) -> usize {
        self.nrows()
    }
    fn d(&self) -> usize {
        self.ncols()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        for (value, x) in row.iter_mut().zip(self.row(i)) {
            *value = (*x).into();
        }
    }
}

/// Some of the rows, in the order given.
pub struct Chosen<'a> {
    /// all rows
    pub of: &'a dyn Rows,
    /// which of them
    pub rows: &'a [u32],
}

impl Rows for Chosen<'_> {
    fn n(&self) -> usize {
        self.rows.len()
    }
    fn d(&self) -> usize {
        self.of.d()
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        if let Some(&at) = self.rows.get(i) {
            self.of.read(at as usize, row);
        }
    }
}
