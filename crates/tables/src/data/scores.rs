//! Score columns to checked scores.

use super::names;
use super::predictions::Predictions;
use super::profile::{Profile, SUM_TOLERANCE, is_tenths_scale};
use super::roles::{ColumnRole, Role};
use super::rows::{Check, Fault};
use crate::counts::RANGE_TOLERANCE;
use crate::error::{Error, Result, message, phrases};
use crate::read;
use crate::table::Warning;
use crate::table::column::Column;
use crate::table::values::{MISSING, Matrix, Reals, Table, Values};
use crate::words::number::significant;
use crate::words::text::{counted, quoted};

/// Where a table's scores stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Source {
    /// one column for one of two classes
    One { column: usize, logits: bool },
    /// one column per class
    Columns { columns: Vec<usize>, logits: bool },
    /// one array
    Array { column: usize, logits: bool },
    /// the predicted class's probability
    Confidence { column: usize },
    /// nowhere
    Nowhere,
}

impl Source {
    /// Finds the scores by the roles.
    ///
    /// # Errors
    /// `columns_ambiguous` when roles were given that exclude each other.
    pub fn of(table: &Table, roles: &[ColumnRole]) -> Result<Source> {
        let with = |wanted: &[Role]| -> Vec<usize> {
            (0..roles.len()).filter(|&j| roles.get(j).is_some_and(|r| wanted.contains(&r.role))).collect()
        };
        let probabilities = with(&[Role::Probability, Role::Probabilities]);
        let logits = with(&[Role::Logit, Role::Logits]);
        let (columns, logits) = match (probabilities.is_empty(), logits.is_empty()) {
            (false, false) => {
                return Err(Error::new(
                    "columns_ambiguous",
                    format!(
                        "{} and {} are both assigned.",
                        counted(probabilities.len(), "probability column"),
                        counted(logits.len(), "logit column")
                    ),
                    message!["Assign one of them the ", phrases::ROLE_IGNORE, "."],
                ));
            }
            (false, true) => (probabilities, false),
            (true, false) => (logits, true),
            (true, true) => {
                return Ok(match with(&[Role::Confidence]).first() {
                    Some(&column) => Source::Confidence { column },
                    None => Source::Nowhere,
                });
            }
        };
        let array = |j: &usize| matches!(table.columns.get(*j).map(|c| &c.values), Some(Values::Matrix(_)));
        match columns.as_slice() {
            [column] if array(column) => Ok(Source::Array { column: *column, logits }),
            [column] => Ok(Source::One { column: *column, logits }),
            several if several.iter().any(array) => Err(Error::new(
                "columns_ambiguous",
                format!("{} contain scores, and at least one of them is an array.", counted(several.len(), "column")),
                message!["Keep one array and assign the others the ", phrases::ROLE_IGNORE, "."],
            )),
            _ => Ok(Source::Columns { columns, logits }),
        }
    }
}

/// How many values were moved into [0, 1].
#[derive(Debug, Default)]
pub(super) struct Clipped(pub usize);

impl Clipped {
    fn unit(&mut self, x: f64) -> std::result::Result<f64, Fault> {
        if (0.0..=1.0).contains(&x) {
            Ok(x)
        } else if x.is_infinite() {
            Err(Fault::Infinite)
        } else if (-RANGE_TOLERANCE..=1.0 + RANGE_TOLERANCE).contains(&x) {
            self.0 += 1;
            Ok(x.clamp(0.0, 1.0))
        } else if x.is_nan() {
            Err(Fault::Missing)
        } else {
            Err(Fault::OutOfRange(x))
        }
    }

    /// The warning, if any value was moved.
    pub fn warn(&self, warnings: &mut Vec<Warning>) {
        if self.0 > 0 {
            warnings.push(Warning {
                code: "probability_clipped".into(),
                message: format!(
                    "{} outside [0, 1] by at most 0.000001 (rounding) and set to 0 or 1.",
                    if self.0 == 1 {
                        "1 probability was".to_owned()
                    } else {
                        counted(self.0, "probabilitie") + " were"
                    }
                ),
                row: None,
                column: None,
            });
        }
    }
}

/// Whole numbers 1 to 10 with the role probability, at the midpoints of their tenths: (score − ½) / 10.
///
/// Risk scores are given in deciles of a population. Their use as probabilities is uncertain, so a warning is issued.
pub(super) fn tenths(table: &Table, column: usize, warnings: &mut Vec<Warning>) -> Option<Vec<f64>> {
    let named = table.columns.get(column)?;
    let Values::Numbers(values) = &named.values else {
        return None;
    };
    if !are_tenths(values) {
        return None;
    }
    warnings.push(Warning {
        code: "score_in_tenths".into(),
        message: tenths_in_words(&named.name),
        row: None,
        column: Some(named.name.clone()),
    });
    Some(values.iter().map(|v| (v - 0.5) / 10.0).collect())
}

/// Whether all values are whole numbers from 1 to 10, which are read as tenths.
pub(super) fn are_tenths(values: &[f64]) -> bool {
    let tenth = |v: &f64| v.fract() == 0.0 && (1.0..=10.0).contains(v);
    values.iter().all(tenth) && values.iter().any(|&v| is_tenths_scale(v))
}

/// Refuses ratings (1 to 5, 0 to 10) that are used as probabilities: confidences on such a scale, and whole numbers.
///
/// # Errors
/// `probability_out_of_range`.
pub(super) fn check_ratings(table: &Table, column: usize) -> Result<()> {
    let Some(named) = table.columns.get(column) else { return Ok(()) };
    let (Values::Numbers(values), profile) = (&named.values, Profile::of(named)) else { return Ok(()) };
    // values a little above 1 are faults, which are named with their rows
    if profile.nearly_share() || !(profile.whole || names::says_confidence(&named.name)) {
        return Ok(());
    }
    let known: Vec<f64> = values.iter().copied().filter(|x| x.is_finite()).collect();
    let name = quoted(&named.name);
    read::check_ratings(&known, [&format!("value of {name}"), &format!("values of {name}")])
}

/// How a column of tenths was read.
pub(super) fn tenths_in_words(column: &str) -> String {
    format!("Whole numbers 1 to 10 were read as the probabilities (score − 0.5) / 10: {}.", quoted(column))
}

impl Predictions {
    /// How the score was read, where it is not a probability itself.
    pub fn converted_score(&self) -> Option<String> {
        let columns = self.roles.iter().zip(&self.table.columns);
        let mut scores = columns.filter(|(role, _)| role.role == Role::Probability);
        let (role, column) = scores.next().filter(|_| scores.next().is_none())?;
        let Values::Numbers(values) = &column.values else { return None };
        are_tenths(values).then(|| tenths_in_words(&role.name))
    }
}

/// A column's numbers, checked; probabilities are moved into [0, 1] where rounding left it.
pub(super) fn numbers(
    table: &Table,
    column: usize,
    probabilities: bool,
    check: &mut Check,
    clipped: &mut Clipped,
) -> Result<Vec<f64>> {
    let mut values = match table.columns.get(column).map(|c| &c.values) {
        Some(Values::Numbers(v)) => v.to_vec(),
        Some(Values::Text { codes, levels }) => {
            let parsed: Vec<f64> = levels.iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect();
            codes.iter().map(|&code| parsed.get(code as usize).copied().unwrap_or(f64::NAN)).collect()
        }
        Some(Values::Matrix(matrix)) => return Err(not_one_a_row(table, column, matrix.width)),
        None => Vec::new(),
    };
    let text = match table.columns.get(column).map(|c| &c.values) {
        Some(Values::Text { codes, .. }) => Some(codes),
        _ => None,
    };
    for (i, x) in values.iter_mut().enumerate() {
        let checked = if probabilities {
            clipped.unit(*x)
        } else if x.is_finite() {
            Ok(*x)
        } else if x.is_nan() {
            Err(Fault::Missing)
        } else {
            Err(Fault::Infinite)
        };
        match checked {
            Ok(value) => *x = value,
            Err(Fault::Missing) if text.is_some_and(|codes| codes.get(i).is_some_and(|&code| code != MISSING)) => {
                check.note(i, column, None, Fault::NotANumber);
            }
            Err(fault) => check.note(i, column, None, fault),
        }
    }
    Ok(values)
}

/// What is said where a role that takes one value a row was given to an array of several.
pub(super) fn not_one_a_row(table: &Table, column: usize, width: usize) -> Error {
    let name = table.columns.get(column).map_or("", |c| &c.name);
    Error::new(
        "not_a_number",
        format!("`{name}` is an array of {width} columns, not one value per row."),
        "Assign the role to a column with one value per row, or probabilities or logits to the array.",
    )
}

/// Checks the rows of a matrix that came as one array. Probabilities above 1 are left to [`check_sums`], which may divide them.
pub(super) fn check_array(matrix: &mut Matrix, column: usize, logits: bool, check: &mut Check, clipped: &mut Clipped) {
    let width = matrix.width;
    match &mut matrix.values {
        Reals::F64(v) => check_cells(v, width, column, logits, check, clipped, |x| x),
        Reals::F32(v) => check_cells(v, width, column, logits, check, clipped, |x| x as f32),
    }
}

fn check_cells<T: Copy + Into<f64>>(
    values: &mut [T],
    width: usize,
    column: usize,
    logits: bool,
    check: &mut Check,
    clipped: &mut Clipped,
    from: fn(f64) -> T,
) {
    for (i, row) in values.chunks_exact_mut(width).enumerate() {
        for (k, cell) in row.iter_mut().enumerate() {
            let x: f64 = (*cell).into();
            if logits {
                if !x.is_finite() {
                    let fault = if x.is_nan() { Fault::Missing } else { Fault::Infinite };
                    check.note(i, column, Some(k), fault);
                    break;
                }
            } else if !(0.0..=1.0).contains(&x) {
                match clipped.unit(x) {
                    Ok(x) => *cell = from(x),
                    Err(Fault::OutOfRange(x)) if x > 1.0 => {}
                    Err(fault) => {
                        check.note(i, column, Some(k), fault);
                        break;
                    }
                }
            }
        }
    }
}

/// Checks that rows of probabilities are at most 1 and sum to 1, or divides them by their sum.
///
/// The largest deviation is told in a warning when it exceeds 10⁻⁶.
pub(super) fn check_sums(
    matrix: &mut Matrix,
    column: usize,
    renormalise: bool,
    check: &mut Check,
    warnings: &mut Vec<Warning>,
) {
    let width = matrix.width;
    let worst = match &mut matrix.values {
        Reals::F64(v) => sums(v, width, column, renormalise, check, |x| x),
        Reals::F32(v) => sums(v, width, column, renormalise, check, |x| x as f32),
    };
    let (deviation, row) = worst;
    if renormalise || deviation <= 1e-6 {
        if renormalise {
            warnings.push(Warning {
                code: "renormalised".into(),
                message: format!(
                    "Each row of probabilities was divided by its sum, as requested; the largest deviation from 1 \
                     was {}, in row {}.",
                    significant(deviation),
                    crate::words::text::thousands(row + 1)
                ),
                row: Some(row + 1),
                column: None,
            });
        }
        return;
    }
    warnings.push(Warning {
        code: "sums_not_exact".into(),
        message: format!(
            "Rows of probabilities sum to 1 only within {} (row {}); they are used unchanged.",
            significant(deviation),
            crate::words::text::thousands(row + 1)
        ),
        row: Some(row + 1),
        column: None,
    });
}

/// Largest deviation of a usable row's sum from 1, and its row.
fn sums<T: Copy + Into<f64>>(
    values: &mut [T],
    width: usize,
    column: usize,
    renormalise: bool,
    check: &mut Check,
    from: fn(f64) -> T,
) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for (i, row) in values.chunks_exact_mut(width).enumerate() {
        let above = || row.iter().map(|&x| x.into()).enumerate().find(|(_, x)| x.is_finite() && *x > 1.0);
        if !renormalise && let Some((k, x)) = above() {
            check.note(i, column, Some(k), Fault::OutOfRange(x));
            continue;
        }
        let sum: f64 = row.iter().map(|&x| x.into()).sum();
        let deviation = (sum - 1.0).abs();
        if !sum.is_finite() {
            continue;
        }
        if renormalise && sum > 0.0 {
            row.iter_mut().for_each(|x| *x = from((*x).into() / sum));
        } else if deviation > SUM_TOLERANCE {
            check.note(i, column, None, Fault::Sum(sum));
            continue;
        }
        if deviation > worst.0 {
            worst = (deviation, i);
        }
    }
    worst
}

/// A matrix from one column per class, in class order.
pub(super) fn joined(columns: &[Vec<f64>], rows: usize) -> Matrix {
    let width = columns.len();
    let mut values = vec![0.0; rows * width];
    // In parts of rows that stay in the cache, so that wide files are not walked column by column.
    for (part, cells) in values.chunks_mut(512 * width).enumerate() {
        for (k, column) in columns.iter().enumerate() {
            let from = column.get(part * 512..).unwrap_or(&[]);
            for (row, x) in cells.chunks_exact_mut(width).zip(from) {
                if let Some(cell) = row.get_mut(k) {
                    *cell = *x;
                }
            }
        }
    }
    Matrix { width, values: Reals::F64(Column::from(values)) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{OpenOptions, Scores, assemble};
    use super::*;
    use crate::read::ReadFile;
    use crate::table::NamedColumn;

    #[test]
    fn columns_become_rows() {
        let n = 1_300;
        let columns: Vec<Vec<f64>> = (0..3).map(|k| (0..n).map(|i| (10 * i + k) as f64).collect()).collect();
        let matrix = joined(&columns, n);
        assert!((0..n).all(|i| (0..3).all(|k| matrix.value(i, k) == (10 * i + k) as f64)));
    }

    /// What is read of arrays of these names, each with its number of columns.
    fn opened(arrays: &[(&str, usize, Vec<f64>)], options: &OpenOptions) -> Result<Predictions> {
        let column = |(name, width, values): &(&str, usize, Vec<f64>)| {
            let numbers = Column::from(values.clone());
            let values = match width {
                1 => Values::Numbers(numbers),
                _ => Values::Matrix(Matrix { width: *width, values: Reals::F64(numbers) }),
            };
            NamedColumn { file: "a.npz".into(), name: (*name).into(), values }
        };
        let file =
            ReadFile { name: "a.npz".into(), columns: arrays.iter().map(column).collect(), ..ReadFile::default() };
        assemble(&[file], options).map(|(data, _)| data)
    }

    #[test]
    fn rows_are_divided_before_their_range_is_checked() {
        let probs = |first: f64| {
            let row = |k: usize| if k == 0 { [first, 0.3, 0.3] } else { [0.2, 0.2, 0.6] };
            ("probs", 3, (0..30).flat_map(row).collect::<Vec<f64>>())
        };
        let labels = || ("labels", 1, (0..30).map(|k| f64::from(k % 3)).collect::<Vec<f64>>());
        let divided = OpenOptions { renormalise: true, ..OpenOptions::default() };
        let data = opened(&[probs(1.4), labels()], &divided).unwrap();
        let Some(Scores::Probabilities(matrix)) = &data.scores else { panic!("{:?}", data.scores) };
        assert!((matrix.value(0, 0) - 0.7).abs() < 1e-12 && (matrix.value(1, 2) - 0.6).abs() < 1e-12);
        let refused = |first: f64, options: &OpenOptions| opened(&[probs(first), labels()], options).unwrap_err();
        let above = refused(1.4, &OpenOptions::default()).to_string();
        assert!(above.contains("Data row 1, column 1 of `probs`: 1.4 is not between 0 and 1"), "{above}");
        let below = refused(-0.1, &divided).to_string();
        assert!(below.contains("-0.1 is not between 0 and 1"), "{below}");
    }

    #[test]
    fn arrays_of_other_rows_are_named_and_can_be_ignored() {
        let logits = |name: &'static str, rows: usize| {
            (name, 3, (0..rows).flat_map(|k| [0.1 * k as f64, -1.0, 2.0]).collect::<Vec<f64>>())
        };
        let labels = || ("labels", 1, (0..30).map(|k| f64::from(k % 3)).collect::<Vec<f64>>());
        let arrays = [logits("logits", 30), labels(), logits("ood_logits", 9)];
        let error = opened(&arrays, &OpenOptions::default()).unwrap_err();
        assert_eq!(error.code(), "length_mismatch");
        assert!(error.hint().ends_with("Assign the role ignore to arrays of other rows."), "{}", error.hint());
        let ignored = OpenOptions { roles: [("ood_logits".to_owned(), Role::Ignore)].into(), ..OpenOptions::default() };
        assert_eq!(opened(&arrays, &ignored).unwrap().rows, 30);
        let (name, _, values) = logits("logits", 30);
        let error = opened(&[(name, 30, values), labels()], &OpenOptions::default()).unwrap_err();
        assert_eq!(
            error.hint(),
            "`logits` has the shape (3 × 30). Transpose it, so that it has one row per prediction: `logits.T`."
        );
    }
}
