//! Rows of numbers that are read one at a time, whatever they are kept in.

/// n rows of d finite numbers.
///
/// Work on wide arrays reads single rows, so that an array in single precision is never held twice.
pub trait Rows {
    /// Number of rows.
    fn n(&self) -> usize;
    /// Numbers in a row, at least 1.
    fn d(&self) -> usize;
    /// Writes row `i` (below n) into `row` (length d).
    fn read(&self, i: usize, row: &mut [f64]);
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
