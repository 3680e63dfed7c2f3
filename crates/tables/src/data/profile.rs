//! Facts about a column's values, found in one pass, on which guesses stand.

use crate::counts::RANGE_TOLERANCE;
use crate::read::hundredths;
use crate::table::values::{MISSING, Matrix, NamedColumn, Reals, Values};

/// Distinct values that are counted one by one.
pub const FEW: usize = 32;
/// How far a row of probabilities may be from 1.
pub(super) const SUM_TOLERANCE: f64 = 1e-3;
/// Log-odds above which the probability is 1 in 64 bits.
const MOST_LOG_ODDS: f64 = 37.0;

/// What the values of a column look like.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Profile {
    /// rows
    pub rows: usize,
    /// rows without a value
    pub missing: usize,
    /// text, or 0 columns for numbers, or the width of a matrix
    pub form: Form,
    /// smallest finite value
    pub min: f64,
    /// largest finite value
    pub max: f64,
    /// every finite value is whole
    pub whole: bool,
    /// number of distinct values or texts, if at most [`FEW`] (numbers) or known (texts)
    pub distinct: Option<usize>,
    /// share of finite values outside [0, 1]
    pub outside: f64,
    /// every value is larger than the one before
    pub increasing: bool,
}

/// Kind of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// one number a row
    Numbers,
    /// one text a row; share of the distinct texts that are numbers
    Text {
        /// share of the distinct texts that are numbers
        numeric: f64,
    },
    /// several numbers a row
    Matrix {
        /// numbers a row
        width: usize,
        /// share of rows that are probabilities summing to 1
        simplex: f64,
        /// every row is a single 1 among zeros
        one_hot: bool,
    },
}

impl Profile {
    /// The profile of a column.
    pub fn of(column: &NamedColumn) -> Profile {
        match &column.values {
            Values::Numbers(values) => numbers(values.iter().copied(), Form::Numbers),
            Values::Text { codes, levels } => {
                let missing = codes.iter().filter(|&&code| code == MISSING).count();
                // A thousand texts are enough to see whether they are numbers.
                let seen = levels.len().min(1_000);
                let numeric = levels
                    .iter()
                    .take(seen)
                    .filter(|text| text.parse::<f64>().is_ok_and(f64::is_finite) || hundredths(text).is_some())
                    .count();
                Profile {
                    rows: codes.len(),
                    missing,
                    form: Form::Text { numeric: numeric as f64 / seen.max(1) as f64 },
                    min: f64::NAN,
                    max: f64::NAN,
                    whole: false,
                    distinct: Some(levels.len()),
                    outside: 0.0,
                    increasing: false,
                }
            }
            Values::Matrix(matrix) => {
                let form = matrix_form(matrix);
                let mut profile = match &matrix.values {
                    Reals::F64(v) => numbers(v.iter().copied(), form),
                    Reals::F32(v) => numbers(v.iter().map(|&x| f64::from(x)), form),
                };
                profile.rows = matrix.rows();
                profile
            }
        }
    }

    /// One number a row.
    pub fn is_number(&self) -> bool {
        self.form == Form::Numbers
    }

    /// One value, in some rows and missing in others, a twentieth of all rows at least: a mark, such as `x` for an attribute.
    pub fn is_mark(&self) -> bool {
        let fewer = self.missing.min(self.rows - self.missing.min(self.rows));
        self.distinct == Some(1) && (self.is_text() || self.whole) && 20 * fewer >= self.rows.max(1)
    }

    /// One text a row.
    pub fn is_text(&self) -> bool {
        matches!(self.form, Form::Text { .. })
    }

    /// Several numbers a row.
    pub fn is_matrix(&self) -> bool {
        matches!(self.form, Form::Matrix { .. })
    }

    /// Numbers, or texts most of which are numbers (a column with a few bad cells).
    pub fn almost_number(&self) -> bool {
        self.is_number()
            || matches!(self.form, Form::Text { numeric } if numeric >= 0.5) && self.distinct.is_some_and(|d| d > 2)
    }

    /// Values that lie in [0, 1] or a little outside: a fault in probabilities rather than percent or logits.
    pub fn nearly_share(&self) -> bool {
        self.min >= -1.0 && self.max <= 2.0
    }

    /// Values that look like percent: from 0 to 100, and more of them above 1 than a fault would put there.
    pub fn percent_like(&self) -> bool {
        !self.is_text() && self.min >= 0.0 && self.max <= 100.0 && self.outside > 0.05 && !self.nearly_share()
    }

    /// Whole numbers from 1 to 10, as risk scores in deciles are; see [`is_tenths_scale`].
    pub fn like_tenths(&self) -> bool {
        self.is_number() && self.whole && self.min >= 1.0 && is_tenths_scale(self.max)
    }

    /// Whole numbers up to 10: deciles or ratings rather than percentages.
    pub fn like_grades(&self) -> bool {
        self.is_number() && self.whole && self.min >= 0.0 && self.max <= 10.0
    }

    /// Numbers that may be log-odds without being named so: of both signs or negative throughout, and not beyond what a
    /// probability of 64 bits distinguishes from 0 and 1. Numbers from 0 up are points, odds or percents of rare
    /// events.
    pub fn like_log_odds(&self) -> bool {
        self.is_number() && !self.whole && self.min < 0.0 && self.max <= MOST_LOG_ODDS && self.min >= -MOST_LOG_ODDS
    }

    /// Numbers in [0, 1] that are not all whole.
    pub fn fractional_share(&self) -> bool {
        self.is_number() && !self.whole && self.outside == 0.0
    }

    /// At most `most` distinct values that could be classes: texts or whole numbers.
    pub fn few(&self, most: usize) -> bool {
        let classes = match self.form {
            Form::Text { .. } => true,
            Form::Numbers => self.whole,
            Form::Matrix { .. } => false,
        };
        classes && self.distinct.is_some_and(|d| d <= most)
    }
}

/// Whether the largest of whole numbers from 1 up makes them tenths: the scales of ratings end at 7 or below.
pub(super) fn is_tenths_scale(most: f64) -> bool {
    (8.0..=10.0).contains(&most)
}

fn numbers(values: impl Iterator<Item = f64> + Clone, form: Form) -> Profile {
    let (mut rows, mut missing, mut outside) = (0usize, 0usize, 0usize);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for x in values.clone() {
        rows += 1;
        missing += usize::from(x.is_nan());
        if x.is_finite() {
            outside += usize::from(!(-RANGE_TOLERANCE..=1.0 + RANGE_TOLERANCE).contains(&x));
            min = if x < min { x } else { min };
            max = if x > max { x } else { max };
        }
    }
    let Steps { whole, distinct, increasing } = steps(values);
    Profile {
        rows,
        missing,
        form,
        min,
        max,
        whole,
        distinct,
        outside: outside as f64 / (rows - missing).max(1) as f64,
        increasing: increasing && rows > 0,
    }
}

/// What most columns show not to be so in their first rows.
struct Steps {
    whole: bool,
    distinct: Option<usize>,
    increasing: bool,
}

/// O(values) at most: it ends where nothing can hold any more.
fn steps(values: impl Iterator<Item = f64>) -> Steps {
    let (mut whole, mut increasing) = (true, true);
    let mut last = f64::NEG_INFINITY;
    let mut small = 0u64;
    let mut others: Vec<f64> = Vec::new();
    for x in values {
        if x.is_nan() {
            increasing = false;
            continue;
        }
        increasing &= x > last;
        last = x;
        let index = x as u64;
        if index < 64 && index as f64 == x {
            small |= 1 << index;
        } else {
            whole = whole && x.trunc() == x;
            if others.len() <= FEW && !others.contains(&x) {
                others.push(x);
            }
            if others.len() > FEW && !whole && !increasing {
                break;
            }
        }
    }
    let distinct = small.count_ones() as usize + others.len();
    Steps { whole, distinct: (distinct <= FEW).then_some(distinct), increasing }
}

/// Distinct texts of which fewer are not taken for numbers with a few texts among them.
const MANY_TEXTS: usize = 12;

/// Texts nearly all of which are numbers: nine of ten distinct ones at least, and twelve in all. O(distinct texts).
pub(super) fn nearly_numbers(values: &Values) -> bool {
    let Values::Text { levels, .. } = values else { return false };
    let numbers = levels.iter().filter(|text| text.parse::<f64>().is_ok_and(f64::is_finite)).count();
    // Digits that begin with 0, or are more than a number holds, are names.
    let name = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 1 && text.starts_with('0')) || digits > 15
    };
    levels.len() >= MANY_TEXTS && numbers < levels.len() && 10 * numbers >= 9 * levels.len() && !levels.iter().any(name)
}

fn matrix_form(matrix: &Matrix) -> Form {
    let (rows, width) = (matrix.rows(), matrix.width);
    let (mut sums, mut hot) = (0, 0);
    let mut row = vec![0.0; width];
    for i in 0..rows {
        matrix.row_into(i, &mut row);
        let (simplex, one_hot) = row_form(&row);
        sums += usize::from(simplex);
        hot += usize::from(one_hot);
    }
    Form::Matrix { width, simplex: sums as f64 / rows.max(1) as f64, one_hot: rows > 0 && hot == rows }
}

/// Whether a row is a probability vector, and whether it is a single 1 among zeros.
pub(super) fn row_form(row: &[f64]) -> (bool, bool) {
    let (mut sum, mut inside, mut whole) = (0.0, true, true);
    for &x in row {
        sum += x;
        inside &= (-RANGE_TOLERANCE..=1.0 + RANGE_TOLERANCE).contains(&x);
        whole &= x == 0.0 || x == 1.0;
    }
    // A row of thousands of rounded probabilities still sums to 1 within the tolerance, or is reported.
    let simplex = inside && (sum - 1.0).abs() <= 10.0 * SUM_TOLERANCE;
    (simplex, whole && sum == 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    fn profile(values: Vec<f64>) -> Profile {
        Profile::of(&NamedColumn {
            file: String::new(),
            name: String::new(),
            values: Values::Numbers(Column::from(values)),
        })
    }

    #[test]
    fn facts_about_numbers() {
        let p = profile(vec![0.0, 1.0, 1.0, f64::NAN]);
        assert_eq!((p.rows, p.missing, p.distinct, p.whole), (4, 1, Some(2), true));
        assert!(p.few(2) && !p.increasing && !p.fractional_share());
        let p = profile(vec![0.5, 1.5, -3.0, 100.0]);
        assert_eq!((p.min, p.max, p.outside), (-3.0, 100.0, 0.75));
        assert!(!p.whole);
        let p = profile((0..100).map(f64::from).collect());
        assert!(p.increasing && p.whole && p.distinct.is_none());
        assert_eq!(profile(vec![-1.0, 1.0]).distinct, Some(2));
    }
}
