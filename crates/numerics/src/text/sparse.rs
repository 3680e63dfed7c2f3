//! A matrix of which only the entries that are not zero are stored, row by row, and its products with dense ones.

/// n × m, compressed by rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Sparse {
    /// m
    pub columns: usize,
    /// where the entries of each row end
    pub ends: Vec<usize>,
    /// column and value of each entry
    pub entries: Vec<(u32, f64)>,
}

impl Sparse {
    pub fn rows(&self) -> usize {
        self.ends.len()
    }

    /// Row by row.
    pub fn each_row(&self) -> impl Iterator<Item = &[(u32, f64)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| self.entries.get(start..*end).unwrap_or(&[]))
    }

    /// A X, X m × W: n × W. O(entries × W).
    pub fn times<const W: usize>(&self, x: &[[f64; W]]) -> Vec<[f64; W]> {
        self.each_row().map(|row| row_times(row, x)).collect()
    }

    /// Aᵀ Y, Y n × W: m × W. O(entries × W).
    pub fn transposed_times<const W: usize>(&self, y: &[[f64; W]]) -> Vec<[f64; W]> {
        let mut out = vec![[0.0; W]; self.columns];
        for (row, y) in self.each_row().zip(y) {
            for (column, value) in row {
                if let Some(to) = out.get_mut(*column as usize) {
                    to.iter_mut().zip(y).for_each(|(to, y)| *to += value * y);
                }
            }
        }
        out
    }
}

/// aᵀ X of a sparse row a: length W.
pub(super) fn row_times<const W: usize>(row: &[(u32, f64)], x: &[[f64; W]]) -> [f64; W] {
    let mut out = [0.0; W];
    for (column, value) in row {
        if let Some(from) = x.get(*column as usize) {
            out.iter_mut().zip(from).for_each(|(to, x)| *to += value * x);
        }
    }
    out
}
