//! Columns as they were read from a file, before anyone says what they mean.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::column::Column;

/// The largest size of a number by which distances are taken: its square, summed over rows, is still a number.
pub const LARGEST: f64 = 1e150;
/// Numbers that are looked at together, without a branch for each: several in one instruction.
const BLOCK: usize = 1 << 10;

/// Whole numbers up to here are exact in 64-bit floats; larger ones in a file are names made of digits.
pub const EXACT_INTEGERS: u64 = 1 << 53;

/// Code of a missing text value.
pub const MISSING: u32 = u32::MAX;

/// Whether every finite number is whole and there is one: a range of them reads "68 to 77". O(n).
pub fn all_whole(values: &[f64]) -> bool {
    let mut finite = values.iter().filter(|x| x.is_finite()).peekable();
    finite.peek().is_some() && finite.all(|x| x.fract() == 0.0)
}

/// Named columns of equal length.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Table {
    /// number of rows
    pub rows: usize,
    /// columns in file order
    pub columns: Vec<NamedColumn>,
}

/// A column or array with its name and the file it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedColumn {
    /// name of the file
    pub file: String,
    /// header of the column or name of the array; duplicates get a suffix ` (2)`, ` (3)`, …
    pub name: String,
    /// the values, one row each
    pub values: Values,
}

impl NamedColumn {
    /// Whether a person means this column: by its name, or by `file:name`.
    pub fn is_called(&self, name: &str) -> bool {
        // one of thousands of columns is sought by their names: first what costs least
        let of_file = || name.strip_suffix(self.name.as_str())?.strip_suffix(':');
        self.name == name || name.len() > self.name.len() && of_file() == Some(self.file.as_str())
    }
}

/// Values of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// numbers; NaN where the cell was empty or said that it is missing
    Numbers(Column<f64>),
    /// rows × width numbers, row-major
    Matrix(Matrix),
    /// text as codes into a dictionary in order of first appearance; [`MISSING`] where the cell was empty
    Text {
        /// one code a row
        codes: Column<u32>,
        /// the distinct texts
        levels: Dictionary,
    },
}

/// A dense row-major matrix in the precision of its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// columns per row
    pub width: usize,
    /// rows × width values
    pub values: Reals,
}

/// Real numbers in the precision they came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reals {
    /// 64 bit
    F64(Column<f64>),
    /// 32 bit
    F32(Column<f32>),
}

/// Distinct texts, packed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Dictionary {
    /// all texts, one after the other, UTF-8
    pub bytes: Column<u8>,
    /// where each text ends in `bytes`
    pub ends: Column<u32>,
}

impl Dictionary {
    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends a text and returns its code.
    pub fn push(&mut self, text: &str) -> u32 {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as u32);
        self.ends.len() as u32 - 1
    }

    /// The text with this code; empty for [`MISSING`] and codes never given.
    pub fn text(&self, code: u32) -> &str {
        let i = code as usize;
        let Some(&end) = self.ends.get(i) else {
            return "";
        };
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(0) };
        self.bytes.get(start as usize..end as usize).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("")
    }

    /// All texts in order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.text(code))
    }
}

impl Matrix {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.len().checked_div(self.width).unwrap_or(0)
    }

    fn len(&self) -> usize {
        match &self.values {
            Reals::F64(v) => v.len(),
            Reals::F32(v) => v.len(),
        }
    }

    /// Copies row `i` into `row` (length `width`) as f64.
    pub fn row_into(&self, i: usize, row: &mut [f64]) {
        let range = i * self.width..(i + 1) * self.width;
        match &self.values {
            Reals::F64(v) => row.copy_from_slice(&v[range]),
            Reals::F32(v) => row.iter_mut().zip(&v[range]).for_each(|(to, &from)| *to = f64::from(from)),
        }
    }

    /// The value in row `i`, column `j`, as f64.
    pub fn value(&self, i: usize, j: usize) -> f64 {
        match &self.values {
            Reals::F64(v) => v[i * self.width + j],
            Reals::F32(v) => f64::from(v[i * self.width + j]),
        }
    }

    /// All values as f64, rows × width.
    ///
    /// # Cost
    /// A copy.
    pub fn to_array(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.rows(), self.width), |(i, j)| self.value(i, j))
    }
}

impl Reals {
    /// A copy in 64 bits.
    pub fn wide(&self) -> Vec<f64> {
        match self {
            Reals::F64(v) => v.to_vec(),
            Reals::F32(v) => v.iter().map(|&x| f64::from(x)).collect(),
        }
    }
}

impl From<ArrayView2<'_, f64>> for Matrix {
    /// A copy.
    fn from(array: ArrayView2<f64>) -> Self {
        Matrix { width: array.ncols(), values: Reals::F64(array.iter().copied().collect::<Vec<_>>().into()) }
    }
}

impl Values {
    /// Rows without a value: cells that are empty, or say that there is none; none of an array.
    pub fn missing(&self) -> usize {
        match self {
            Values::Numbers(v) => v.iter().filter(|x| x.is_nan()).count(),
            Values::Text { codes, .. } => codes.iter().filter(|&&code| code == MISSING).count(),
            Values::Matrix(_) => 0,
        }
    }

    /// Whether some finite number of a column is larger in size than [`LARGEST`]. O(n); of an array nothing is looked at.
    pub fn too_large(&self) -> bool {
        let large = |any, x: &f64| any | ((x.abs() > LARGEST) & x.is_finite());
        matches!(self, Values::Numbers(numbers) if numbers.chunks(BLOCK).any(|block| block.iter().fold(false, large)))
    }

    /// Whether every row has a value, of numbers a finite one. O(n); of an array nothing is looked at.
    pub fn complete(&self) -> bool {
        let finite = |all, x: &f64| all & x.is_finite();
        match self {
            Values::Numbers(numbers) => numbers.chunks(BLOCK).all(|block| block.iter().fold(true, finite)),
            Values::Text { codes, .. } => !codes.contains(&MISSING),
            Values::Matrix(_) => true,
        }
    }

    /// Whether two rows differ in it, where a missing value is a value; not of an array. O(n) at most.
    pub fn divides(&self) -> bool {
        match self {
            Values::Numbers(v) => v.windows(2).any(|two| two[0] != two[1] && !(two[0].is_nan() && two[1].is_nan())),
            Values::Text { codes, .. } => codes.windows(2).any(|two| two[0] != two[1]),
            Values::Matrix(_) => false,
        }
    }

    /// `[rows]` or `[rows, width]`.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            Values::Numbers(v) => vec![v.len()],
            Values::Matrix(m) => vec![m.rows(), m.width],
            Values::Text { codes, .. } => vec![codes.len()],
        }
    }
}
