//! Columns side by side as rows of numbers, read where they stand.

use std::collections::BTreeSet;

use crate::data::Predictions;
use crate::data::derived::LOGITS;
use crate::error::{Error, Result, phrases};
use crate::num::Rows;
use crate::table::LARGEST;
use crate::table::{MISSING, Matrix, NamedColumn, Values};
use crate::words::text::{quoted, thousands};

/// Most values of a text column that become coordinates.
const MOST_LEVELS: usize = 200;

/// Named columns and arrays as coordinates; text becomes one coordinate per value, in sorted order so that it does not
/// depend on the order of rows.
pub struct Places<'a> {
    n: usize,
    d: usize,
    parts: Vec<ColumnCoordinates<'a>>,
    /// one name per coordinate
    pub names: Vec<String>,
    /// which coordinates are entries of an array
    pub is_entry: Vec<bool>,
    /// which coordinates say, by 1 and 0, whether a text has a value
    pub is_level: Vec<bool>,
    /// rows with a finite number in every coordinate, ascending: the others are nowhere
    pub placed: Vec<u32>,
}

enum ColumnCoordinates<'a> {
    Numbers(&'a [f64]),
    Matrix(&'a Matrix),
    /// Code of each row, and the coordinate of each code.
    Text(&'a [u32], Vec<usize>, usize),
}

impl<'a> Places<'a> {
    /// The columns called `names`, in that order. A row with a gap in one of them has no place.
    ///
    /// # Errors
    /// `features_missing` without a name, `unknown_column`, `too_few_rows` where no row has a place; `invalid_option` for a
    /// text column with more than 200 values.
    pub fn new(data: &'a Predictions, names: &[String]) -> Result<Self> {
        if names.is_empty() {
            return Err(Error::new("features_missing", "No feature column was selected.", phrases::NUMERIC_FEATURES));
        }
        let mut places = Places {
            n: data.rows,
            d: 0,
            parts: Vec::with_capacity(names.len()),
            names: Vec::new(),
            is_entry: Vec::new(),
            is_level: Vec::new(),
            placed: Vec::new(),
        };
        for name in names {
            places.push(find(data, name)?)?;
        }
        places.placed = placed(&places);
        if places.placed.is_empty() && data.rows > 0 {
            return Err(nowhere(names));
        }
        Ok(places)
    }

    fn push(&mut self, column: &'a NamedColumn) -> Result<()> {
        let name = &column.name;
        check_sizes(column)?;
        let part = match &column.values {
            Values::Numbers(values) => {
                self.names.push(name.clone());
                ColumnCoordinates::Numbers(values)
            }
            Values::Matrix(matrix) => {
                let each = (1..=matrix.width).map(|k| format!("{name}[{k}]"));
                self.names.extend(each);
                ColumnCoordinates::Matrix(matrix)
            }
            Values::Text { codes, levels } => {
                let sorted: Vec<&str> = levels.iter().collect::<BTreeSet<_>>().into_iter().collect();
                if sorted.len() > MOST_LEVELS {
                    return Err(Error::new(
                        "invalid_option",
                        format!("A text column with {} distinct values cannot be a feature: `{name}`.", sorted.len()),
                        "Choose a column with fewer values, or a numeric one.",
                    ));
                }
                self.names.extend(sorted.iter().map(|level| format!("{name} = {level}")));
                let place = |level: &str| sorted.binary_search(&level).unwrap_or(0);
                ColumnCoordinates::Text(codes, levels.iter().map(place).collect(), sorted.len())
            }
        };
        self.d += part.width();
        self.is_entry.resize(self.d, matches!(part, ColumnCoordinates::Matrix(_)));
        self.is_level.resize(self.d, matches!(part, ColumnCoordinates::Text(..)));
        self.parts.push(part);
        Ok(())
    }

    /// All coordinates, row-major.
    pub fn values(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.n * self.d];
        for (i, row) in values.chunks_exact_mut(self.d.max(1)).enumerate() {
            self.read(i, row);
        }
        values
    }
}

/// Refuses a column with numbers that are too large to take distances between. O(n).
fn check_sizes(column: &NamedColumn) -> Result<()> {
    let too_large = |x: f64| x.is_finite() && x.abs() > LARGEST;
    let found: Option<(usize, f64)> = match &column.values {
        Values::Numbers(values) => values.iter().copied().enumerate().find(|(_, x)| too_large(*x)),
        Values::Matrix(matrix) => (0..matrix.rows())
            .find_map(|i| (0..matrix.width).map(|j| matrix.value(i, j)).find(|x| too_large(*x)).map(|x| (i, x))),
        Values::Text { .. } => None,
    };
    match found {
        None => Ok(()),
        Some((row, x)) => Err(Error::new(
            "invalid_option",
            format!(
                "Column {} is {x:e} in row {}, which is too large for distances.",
                quoted(&column.name),
                thousands(row + 1)
            ),
            "Distances allow numbers up to 1e150. Choose other columns, or mark this value as missing.",
        )),
    }
}

impl ColumnCoordinates<'_> {
    fn width(&self) -> usize {
        match self {
            ColumnCoordinates::Numbers(_) => 1,
            ColumnCoordinates::Matrix(matrix) => matrix.width,
            ColumnCoordinates::Text(_, _, d) => *d,
        }
    }
}

impl Rows for Places<'_> {
    fn n(&self) -> usize {
        self.n
    }
    fn d(&self) -> usize {
        self.d
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        let mut rest = row;
        for part in &self.parts {
            let (cells, after) = rest.split_at_mut(part.width().min(rest.len()));
            match part {
                ColumnCoordinates::Numbers(values) => cells[0] = values[i],
                ColumnCoordinates::Matrix(matrix) => matrix.row_into(i, cells),
                ColumnCoordinates::Text(codes, place, _) => {
                    cells.fill(0.0);
                    match place.get(codes[i] as usize) {
                        Some(&k) if codes[i] != MISSING => cells[k] = 1.0,
                        _ => cells.iter_mut().take(1).for_each(|cell| *cell = f64::NAN),
                    }
                }
            }
            rest = after;
        }
    }
}

/// Whether coordinates are a place: a gap in one of them leaves a row nowhere. O(d).
pub fn is_place(coordinates: &[f64]) -> bool {
    coordinates.iter().all(|value| value.is_finite())
}

/// Rows with a finite number in every coordinate, ascending. O(n d).
pub(super) fn placed(of: &dyn Rows) -> Vec<u32> {
    let mut row = vec![0.0; of.d()];
    let mut has_place = |i: &u32| {
        of.read(*i as usize, &mut row);
        is_place(&row)
    };
    (0..of.n() as u32).filter(|i| has_place(i)).collect()
}

/// What is said where every row has a gap.
pub(super) fn nowhere(names: &[String]) -> Error {
    Error::new(
        "too_few_rows",
        format!("No row has a value in every feature column: {}.", names.join(", ")),
        "Choose feature columns with fewer missing values.",
    )
}

/// How many coordinates a column makes.
pub(super) fn width(values: &Values) -> usize {
    match values {
        Values::Matrix(matrix) => matrix.width,
        Values::Numbers(_) => 1,
        Values::Text { levels, .. } => levels.len(),
    }
}

/// The column or array of this name.
///
/// # Errors
/// `unknown_column`.
pub fn find<'a>(data: &'a Predictions, name: &str) -> Result<&'a NamedColumn> {
    data.table
        .columns
        .iter()
        .find(|column| column.is_called(name))
        .or_else(|| (name == LOGITS).then(|| data.derived_logits()).flatten())
        .ok_or_else(|| {
            Error::new("unknown_column", format!("Unknown column or array `{name}`."), "Check the spelling.")
        })
}
