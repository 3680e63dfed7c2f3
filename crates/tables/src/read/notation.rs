//! Numbers in a notation that is not the table's: decimal commas in a table of points, marks that group thousands.

use super::decimal::{hundredths, number};
use crate::table::{Column, Dictionary, Values};

/// Marks that group the thousands of a number whose decimal mark is the point, and of one whose decimal mark is the comma.
const GROUPED: [(u8, &[char]); 2] =
    [(b'.', &[',', ' ', '\u{a0}', '\u{202f}', '\'', '’']), (b',', &['.', ' ', '\u{a0}', '\u{202f}', '\'', '’'])];

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// numbers with this decimal mark
    Plain(u8),
    /// numbers whose thousands are grouped by a mark, and their decimal mark
    Grouped(char, u8),
    /// shares, each with its percent sign
    Percent,
    /// anything else
    Text,
}

impl Notation {
    /// The number that a cell is; `None` for any other, and in [`Notation::Text`].
    pub fn value(self, cell: &str) -> Option<f64> {
        match self {
            Self::Plain(mark) => number(cell, mark),
            Self::Grouped(group, mark) => grouped(cell, group, mark),
            Self::Percent => hundredths(cell),
            Self::Text => None,
        }
    }
}

/// What a mark between digits means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Mark {
    /// `1,234` is 1.234
    Decimal,
    /// `1,234` is 1234
    Thousands,
}

/// A column whose mark can be either: every number with the mark has one to three digits before it and three behind.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ambiguous {
    /// name of the column
    pub column: String,
    /// what the mark was taken for
    pub mark: Mark,
    /// the first cell with the mark, as it is in the file
    pub example: String,
    /// the values under the other reading
    pub other: Column<f64>,
}

/// The numbers of texts under one notation, and what they would be under the other where both fit.
#[derive(Debug, PartialEq)]
pub(super) struct Numbers {
    /// the value of each text
    pub values: Vec<f64>,
    /// how it is written
    pub notation: Notation,
    /// what the mark was taken for
    pub mark: Mark,
    /// the first text with the mark
    pub example: String,
    /// the values under the other reading
    pub other: Option<Vec<f64>>,
}

/// The numbers that texts stand for, where all of them are numbers in one notation that is not the table's.
///
/// * `mark`: decimal mark of the table; `commas`: its other columns are written with decimal commas
///
/// O(texts); of what is no number, the first text tells.
pub(super) fn numbers(levels: &Dictionary, mark: u8, commas: bool) -> Option<Numbers> {
    let all = |of: &dyn Fn(&str) -> Option<f64>| levels.iter().map(of).collect::<Option<Vec<f64>>>();
    let other_mark = if mark == b'.' { b',' } else { b'.' };
    let example = |mark: char| levels.iter().find(|text| text.contains(mark)).map(str::to_owned);
    let decimals = all(&|text| number(text, other_mark)).filter(|values| !values.is_empty());
    let mut groups = GROUPED.iter().flat_map(|(mark, groups)| groups.iter().map(move |group| (*group, *mark)));
    let thousands = groups.find_map(|(group, mark)| {
        let values = all(&|text| grouped(text, group, mark)).filter(|values| !values.is_empty())?;
        Some((values, example(group)?, Notation::Grouped(group, mark)))
    });
    let plain = Notation::Plain(other_mark);
    match (decimals, thousands) {
        (None, None) => None,
        (Some(values), None) => {
            let example = example(char::from(other_mark))?;
            Some(Numbers { values, notation: plain, mark: Mark::Decimal, example, other: None })
        }
        (None, Some((values, example, notation))) => {
            Some(Numbers { values, notation, mark: Mark::Thousands, example, other: None })
        }
        (Some(decimals), Some((thousands, example, grouped))) => {
            // A comma groups thousands unless commas are the decimal marks of this table; a point does where they are.
            let as_decimal = (other_mark == b',') == commas;
            let (mark, notation, values, other) = match as_decimal {
                true => (Mark::Decimal, plain, decimals, thousands),
                false => (Mark::Thousands, grouped, thousands, decimals),
            };
            Some(Numbers { values, notation, mark, example, other: Some(other) })
        }
    }
}

/// A number whose thousands are grouped, `1,234.5`, or one below 1,000: then without the mark.
pub(super) fn grouped(cell: &str, group: char, mark: u8) -> Option<f64> {
    if !cell.contains(group) {
        return number(cell, mark);
    }
    let (whole, fraction) = match cell.split_once(char::from(mark)) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (cell, None),
    };
    let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mut parts = unsigned.split(group);
    let first = parts.next()?;
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let fits = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
    if !fits || !parts.all(|part| part.len() == 3 && digits(part)) || !fraction.is_none_or(digits) {
        return None;
    }
    let mut plain: String = whole.chars().filter(|c| *c != group).collect();
    if let Some(fraction) = fraction {
        plain.push('.');
        plain.push_str(fraction);
    }
    number(&plain, b'.')
}

/// Cells with a mark that a column must hold before its mark is doubted.
const ENOUGH: usize = 10;

/// How many of the numbers are fractions, where all fit numbers below 1,000,000 that were read with their mark of thousands as a
/// decimal mark: fractions of three digits at most, between 1 and 1,000. O(n), and little where the first number does not fit.
pub(super) fn fit_thousands(values: &[f64]) -> Option<usize> {
    let mut fractions = 0;
    for size in values.iter().filter(|x| !x.is_nan()).map(|x| x.abs()) {
        let is_fraction = size.fract() != 0.0;
        if size >= 1_000.0 || is_fraction && (size < 1.0 || (size * 1_000.0).round() / 1_000.0 != size) {
            return None;
        }
        fractions += usize::from(is_fraction);
    }
    Some(fractions)
}

/// Whether numbers read with a decimal mark could be thousands, of which enough are fractions to doubt the mark. O(n).
pub(super) fn may_be_thousands(values: &[f64]) -> bool {
    fit_thousands(values).is_some_and(|fractions| fractions >= ENOUGH)
}

/// Whether such numbers look like thousands by themselves, whatever the other columns: a fraction is 10 or more, as in `12.345`, or
/// whole numbers from 100 to 999 are beside fractions, as in `744` and `1.463`.
pub(super) fn look_like_thousands(values: &[f64]) -> bool {
    values.iter().map(|x| x.abs()).any(|size| size >= if size.fract() == 0.0 { 100.0 } else { 10.0 })
}

/// The numbers of a column's texts were their decimal mark one of thousands; `None` where some text cannot be read so, or
/// holds a number above 999 without the mark. `mark`: the decimal mark that they were read with.
pub(super) fn as_thousands(texts: &Dictionary, mark: u8) -> Option<(Vec<f64>, String)> {
    let group = char::from(mark);
    let decimal = if mark == b'.' { b',' } else { b'.' };
    let value = |text: &str| {
        let value = grouped(text, group, decimal)?;
        let one_mark = text.matches(group).count() <= 1;
        (one_mark && (text.contains(group) || value.abs() < 1_000.0)).then_some(value)
    };
    let values = texts.iter().map(value).collect::<Option<Vec<f64>>>()?;
    Some((values, texts.iter().find(|text| text.contains(group))?.to_owned()))
}

/// The column of a value for each text.
pub(super) fn spread(codes: &[u32], values: &[f64]) -> Column<f64> {
    codes.iter().map(|&code| values.get(code as usize).copied().unwrap_or(f64::NAN)).collect()
}

/// Texts that are vectors of numbers, all of the same length: `[0.3,0.7]`, `[0.3 0.7]`, as their matrix, or as a column of numbers
/// where each has one. `None` for any other.
///
/// * `room`: whether a matrix of so many columns fits
pub(super) fn vectors(codes: &[u32], levels: &Dictionary, room: impl FnOnce(usize) -> bool) -> Option<Values> {
    use crate::table::{Matrix, Reals};
    let first = vector(levels.iter().next()?)?;
    let width = first.len();
    if width == 0 || !room(width) {
        return None;
    }
    let mut known: Vec<f64> = Vec::with_capacity(levels.len() * width);
    for text in levels.iter() {
        let one = vector(text)?;
        if one.len() != width {
            return None;
        }
        known.extend(one);
    }
    let missing = vec![f64::NAN; width];
    let row = |code: &u32| {
        let at = *code as usize * width;
        known.get(at..at + width).unwrap_or(&missing)
    };
    let values: Column<f64> = codes.iter().flat_map(row).copied().collect();
    if width == 1 {
        return Some(Values::Numbers(values));
    }
    Some(Values::Matrix(Matrix { width, values: Reals::F64(values) }))
}

/// The numbers between the brackets.
fn vector(text: &str) -> Option<Vec<f64>> {
    let text = text.trim();
    let list = if text.starts_with('{') { dense(text)? } else { unwrapped(text) };
    let inside = match list.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?,
        // a number as Python prints it
        None if list.len() < text.len() => list,
        None => return None,
    };
    let cells = inside.split([',', ';', ' ', '\t', '\n', '\r']).filter(|cell| !cell.is_empty());
    cells.map(|cell| number(cell, b'.')).collect()
}

/// What Python prints around the values of an array: `tensor(0.23, device='cuda:0')`, `np.float64(0.23)`, `array([0.3, 0.7])`.
fn unwrapped(text: &str) -> &str {
    const CALLS: [&str; 4] = ["tensor(", "array(", "np.float64(", "np.float32("];
    let Some(inside) = CALLS.iter().find_map(|call| text.strip_prefix(call)?.strip_suffix(')')) else { return text };
    let end = if inside.starts_with('[') { inside.find(']').map(|at| at + 1) } else { inside.find(',') };
    end.and_then(|end| inside.get(..end)).unwrap_or(inside)
}

/// The values of a dense vector that Spark wrote as JSON: `{"type":1,"values":[0.3,0.7]}`. A sparse one has a list of
/// places before.
fn dense(text: &str) -> Option<&str> {
    let (before, values) = text.strip_suffix('}')?.split_once("\"values\":")?;
    (!before.contains('[')).then_some(values.trim())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn dictionary(texts: &[&str]) -> Dictionary {
        let mut levels = Dictionary::default();
        for text in texts {
            levels.push(text);
        }
        levels
    }

    #[test]
    fn grouped_numbers() {
        for (cell, group, mark, value) in [
            ("1,234", ',', b'.', 1234.0),
            ("-1,234.50", ',', b'.', -1234.5),
            ("12", ',', b'.', 12.0),
            ("1.234,50", '.', b',', 1234.5),
            ("1 234 567,5", ' ', b',', 1_234_567.5),
            ("1'234.5", '\'', b'.', 1234.5),
        ] {
            assert_eq!(grouped(cell, group, mark), Some(value), "{cell}");
        }
        for cell in ["0,710", "1,23", "1,2345", "12,34,567", ",123", "1,", "a,123", "1,234.5.6", "007"] {
            assert_eq!(grouped(cell, ',', b'.'), None, "{cell}");
        }
    }

    #[test]
    fn a_notation_that_fits_all() {
        let of = |texts: &[&str], mark, commas| {
            numbers(&dictionary(texts), mark, commas).map(|n| (n.values, n.mark, n.other.is_some()))
        };
        assert_eq!(of(&["0,71", "1", "0,115"], b'.', false), Some((vec![0.71, 1.0, 0.115], Mark::Decimal, false)));
        assert_eq!(of(&["1,234", "999"], b'.', false), Some((vec![1234.0, 999.0], Mark::Thousands, true)));
        assert_eq!(of(&["1,234", "999"], b'.', true), Some((vec![1.234, 999.0], Mark::Decimal, true)));
        assert_eq!(of(&["1,234,567", "1,234"], b'.', true), Some((vec![1_234_567.0, 1234.0], Mark::Thousands, false)));
        assert_eq!(of(&["11.197,50", "4.872"], b',', true), Some((vec![11_197.5, 4872.0], Mark::Thousands, false)));
        assert_eq!(of(&["11.197", "803"], b',', true), Some((vec![11_197.0, 803.0], Mark::Thousands, true)));
        for texts in [&["a", "0,5"][..], &["0,5", "0.5"], &["007"], &["1,2,3", "1"], &[]] {
            assert_eq!(of(texts, b'.', false), None, "{texts:?}");
        }
    }

    #[test]
    fn vectors_of_one_length() {
        let of = |texts: &[&str]| vectors(&[1, 0, u32::MAX], &dictionary(texts), |_| true);
        let Some(Values::Matrix(matrix)) = of(&["[0.3,0.7]", "[ 0.25  7.5e-1]"]) else { panic!("a matrix expected") };
        assert_eq!((matrix.width, matrix.value(0, 1), matrix.value(1, 0)), (2, 0.75, 0.3));
        assert!(matrix.value(2, 0).is_nan());
        let spark = r#"{"vectorType":"dense","length":2,"values":[0.3,0.7]}"#;
        assert!(matches!(of(&[spark, "[0.25,0.75]"]), Some(Values::Matrix(matrix)) if matrix.value(1, 1) == 0.7));
        let sparse = r#"{"type":0,"size":3,"indices":[1],"values":[1.0,2.0]}"#;
        for texts in [&[sparse][..], &["[0.3,0.7]", "[1]"], &["0.3,0.7"], &["[a,b]"], &["[]"], &["0.3", "0.7"]] {
            assert!(of(texts).is_none(), "{texts:?}");
        }
        // one number each, as Keras and PyTorch print them
        for texts in
            [["[0.25]", "[0.3]"], ["tensor(0.25)", "tensor(0.3, device='cuda:0')"], ["np.float32(0.25)", "[0.3]"]]
        {
            let Some(Values::Numbers(values)) = of(&texts) else { panic!("numbers expected: {texts:?}") };
            assert_eq!(values.get(..2), Some(&[0.3, 0.25][..]), "{texts:?}");
        }
        let Some(Values::Matrix(matrix)) = of(&["array([0.3, 0.7], dtype=float32)", "tensor([0.25, 0.75])"]) else {
            panic!("a matrix expected")
        };
        assert_eq!((matrix.width, matrix.value(0, 1)), (2, 0.75));
    }
}
