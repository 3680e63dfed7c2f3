//! Rows of columns kept, and put into another order.

use super::values::{MISSING, Matrix, Reals, Table, Values};

/// Keeps the listed rows of a vector with `width` values a row.
/// O(rows kept × width).
pub fn keep_rows<T: Copy>(values: &mut Vec<T>, width: usize, keep: &[u32]) {
    let mut to = 0;
    for &row in keep {
        let from = row as usize * width;
        values.copy_within(from..from + width, to);
        to += width;
    }
    values.truncate(to);
}

impl Matrix {
    /// Keeps the listed rows.
    pub fn keep_rows(&mut self, keep: &[u32]) {
        match &mut self.values {
            Reals::F64(v) => keep_rows(v, self.width, keep),
            Reals::F32(v) => keep_rows(v, self.width, keep),
        }
    }
}

impl Table {
    /// Keeps the listed rows of every column.
    pub fn keep_rows(&mut self, keep: &[u32]) {
        self.rows = keep.len();
        for column in &mut self.columns {
            match &mut column.values {
                Values::Numbers(v) => keep_rows(v, 1, keep),
                Values::Text { codes, .. } => keep_rows(codes, 1, keep),
                Values::Matrix(matrix) => matrix.keep_rows(keep),
            }
        }
    }

    /// Puts the rows of every column into another order: row i becomes what row `order[i]` was.
    pub fn reorder_rows(&mut self, order: &[u32]) {
        self.gather(|| order.iter().copied().map(Some));
    }

    /// As [`reorder_rows`](Self::reorder_rows); where there is no such row, its values are missing.
    pub fn spread_rows(&mut self, from: &[Option<u32>]) {
        self.gather(|| from.iter().copied());
        self.rows = from.len();
    }

    fn gather<I: Iterator<Item = Option<u32>>>(&mut self, rows: impl Fn() -> I) {
        for column in &mut self.columns {
            match &mut column.values {
                Values::Numbers(v) => *v = gathered(v, (1, f64::NAN), rows()).into(),
                Values::Text { codes, .. } => *codes = gathered(codes, (1, MISSING), rows()).into(),
                Values::Matrix(Matrix { width, values }) => match values {
                    Reals::F64(v) => *v = gathered(v, (*width, f64::NAN), rows()).into(),
                    Reals::F32(v) => *v = gathered(v, (*width, f32::NAN), rows()).into(),
                },
            }
        }
    }
}

fn gathered<T: Copy>(values: &[T], (width, none): (usize, T), rows: impl Iterator<Item = Option<u32>>) -> Vec<T> {
    let (least, _) = rows.size_hint();
    let mut all = Vec::with_capacity(least * width);
    for row in rows {
        let found = row.and_then(|row| values.get(row as usize * width..(row as usize + 1) * width));
        match found {
            Some(found) => all.extend_from_slice(found),
            None => all.extend(std::iter::repeat_n(none, width)),
        }
    }
    all
}
