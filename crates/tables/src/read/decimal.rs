//! Decimal numbers from bytes, to the nearest 64-bit float.

use crate::table::values::EXACT_INTEGERS;

/// Powers of ten that 64-bit floats hold exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Digits of which any number fits 64 bits.
const FIT: usize = 19;

/// The number at the start of `bytes` with `mark` as decimal mark, and how many bytes it takes.
///
/// The value is the 64-bit float nearest to the decimal. Whole numbers with leading zeros (`007`) or beyond
/// 2⁵³ are names rather than quantities and give `None`, as does anything else that is not a number.
#[inline]
pub fn decimal(bytes: &[u8], mark: u8) -> Option<(f64, usize)> {
    let sign = usize::from(matches!(bytes.first()?, b'-' | b'+'));
    let mut value = 0;
    let whole = digits(bytes, sign, &mut value);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&mark) {
        fraction = digits(bytes, end + 1, &mut value);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    let integer = end == sign + whole;
    let exponent = exponent(bytes, end)?;
    end += exponent;
    let text = bytes.get(sign..end)?;
    if integer && exponent == 0 && !is_quantity(text) {
        return None;
    }
    let magnitude = match POWERS.get(fraction) {
        // The quotient of two exact floats is the float nearest to it (Clinger, How to read floating point numbers, 1990).
        Some(power) if exponent == 0 && whole + fraction <= FIT && value <= EXACT_INTEGERS => value as f64 / power,
        _ if mark == b'.' => fast_float2::parse(text).ok()?,
        _ => with_point(text, mark)?,
    };
    Some((if bytes.first() == Some(&b'-') { -magnitude } else { magnitude }, end))
}

/// How many digits stand from `from` on; appended to `value`, which is correct up to [`FIT`] digits in all.
#[inline]
fn digits(bytes: &[u8], from: usize, value: &mut u64) -> usize {
    let mut count = 0;
    for byte in bytes.get(from..).unwrap_or(&[]) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    count
}

/// Bytes of the exponent that stands at `from`, 0 where there is none; `None` for one without digits.
#[inline]
fn exponent(bytes: &[u8], from: usize) -> Option<usize> {
    if !matches!(bytes.get(from), Some(b'e' | b'E')) {
        return Some(0);
    }
    let signed = usize::from(matches!(bytes.get(from + 1), Some(b'-' | b'+')));
    let length = digits(bytes, from + 1 + signed, &mut 0);
    (length > 0).then_some(1 + signed + length)
}

/// Whether a whole number counts something, rather than being a name made of digits.
fn is_quantity(digits: &[u8]) -> bool {
    match digits {
        [b'0', _, ..] => false,
        _ if digits.len() < 16 => true,
        _ => std::str::from_utf8(digits)
            .ok()
            .and_then(|text| text.parse().ok())
            .is_some_and(|value: u64| value <= EXACT_INTEGERS),
    }
}

/// The value of digits with another mark than the point.
fn with_point(digits: &[u8], mark: u8) -> Option<f64> {
    let mut text = [0; 32];
    match text.get_mut(..digits.len()) {
        Some(text) => {
            text.copy_from_slice(digits);
            text.iter_mut().filter(|byte| **byte == mark).for_each(|byte| *byte = b'.');
            fast_float2::parse(text).ok()
        }
        None => std::str::from_utf8(digits).ok()?.replace(char::from(mark), ".").parse().ok(),
    }
}

/// True for the ways to write that a number is missing.
pub(super) fn missing_number(cell: &str) -> bool {
    cell.len() <= 4
        && ["", "na", "n/a", "nan", "null", "none", "?", ".", "#n/a", "<na>", "\\n"]
            .iter()
            .any(|word| cell.eq_ignore_ascii_case(word))
}

/// True for the ways to write that a text is missing; `none` can be the name of a category and is not one.
pub(super) fn missing_text(cell: &str) -> bool {
    missing_number(cell) && !cell.eq_ignore_ascii_case("none")
}

/// A whole cell as a number: `inf` and `infinity` included, with the minus of typesetters (U+2212), and within spaces that
/// do not break.
pub(super) fn number(cell: &str, mark: u8) -> Option<f64> {
    if !cell.is_ascii() {
        let bare = cell.trim_matches(['\u{a0}', '\u{202f}']);
        let magnitude = bare.strip_prefix('\u{2212}').filter(|rest| !rest.starts_with(['-', '+']));
        return match magnitude {
            Some(magnitude) => number(magnitude, mark).map(|value| -value),
            None if bare.len() < cell.len() => number(bare, mark),
            None => None,
        };
    }
    match decimal(cell.as_bytes(), mark) {
        Some((value, end)) => (end == cell.len()).then_some(value),
        None => {
            let word = cell.trim_start_matches(['-', '+']);
            let infinite = cell.len() - word.len() <= 1
                && (word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity"));
            infinite.then_some(if cell.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY })
        }
    }
}

/// The share that a whole cell with a percent sign means, with either decimal mark: `12.5%`, `12,5 %` → 0.125.
///
/// The nearest 64-bit float to the share itself; a number divided by 100 would be rounded twice.
pub fn hundredths(cell: &str) -> Option<f64> {
    let digits = cell.strip_suffix('%')?.trim_end();
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+'));
    if !plain {
        return None;
    }
    format!("{}e-2", digits.replacen(',', ".", 1)).parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_spaces_that_are_not_ascii() {
        assert_eq!(number("\u{2212}0.5", b'.'), Some(-0.5));
        assert_eq!(number("\u{a0}0,5\u{202f}", b','), Some(0.5));
        assert_eq!(["\u{2212}-1", "\u{2212}", "0.5\u{a0}g", "\u{a0}"].map(|cell| number(cell, b'.')), [None; 4]);
    }
    use proptest::prelude::*;

    fn same_as_the_standard_library(text: &str) {
        let wanted: f64 = text.parse().unwrap();
        let (value, end) = decimal(text.as_bytes(), b'.').unwrap_or_else(|| panic!("{text}"));
        assert_eq!(value.to_bits(), wanted.to_bits(), "{text}");
        assert_eq!(end, text.len());
        let (value, _) = decimal(text.replace('.', ",").as_bytes(), b',').unwrap();
        assert_eq!(value.to_bits(), wanted.to_bits(), "{text} with a comma");
    }

    #[test]
    fn awkward_decimals_are_the_nearest_floats() {
        for text in [
            "0.1",
            "0.30000000000000004",
            "-0.0",
            ".5",
            "5.",
            "+1.5",
            "1e22",
            "1e23",
            "8.5e-324",
            "2.4703282292062327208e-324",
            "2.2250738585072011e-308",
            "1.7976931348623158e308",
            "9007199254740993.0",
            "9007199254740992.5",
            "0.500000000000000166533453693773481063544750213623046875",
            "3.518437208883201171875e13",
            "62.5364939768271845828",
            "8.10109172351e-10",
            "1.50000000000000011102230246251565",
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880.0",
            "12345678.12345678",
            "1234567812345678e-8",
            "0.000000000000000000000000000000000000000000001",
            "7e-22",
            "7e-23",
        ] {
            same_as_the_standard_library(text);
        }
    }

    #[test]
    fn names_are_not_numbers() {
        for text in ["007", "00", "9007199254740993", "", "-", ".", "e5", "1e", "1e+", "abc"] {
            assert_eq!(decimal(text.as_bytes(), b'.'), None, "{text}");
        }
        assert_eq!(decimal(b"0", b'.'), Some((0.0, 1)));
        assert_eq!(decimal(b"9007199254740992", b'.'), Some((9_007_199_254_740_992.0, 16)));
        assert_eq!(decimal(b"1_000", b'.'), Some((1.0, 1)));
        assert_eq!(decimal(b"0x10", b'.'), Some((0.0, 1)));
        assert_eq!(number("-inf", b'.'), Some(f64::NEG_INFINITY));
        assert_eq!(number("1,5", b'.'), None);
    }

    #[test]
    fn percent_is_a_share() {
        for (cell, share) in
            [("12.5%", 0.125), ("12,5 %", 0.125), ("85.7\u{a0}%", 0.857), ("100%", 1.0), ("05%", 0.05), ("-3%", -0.03)]
        {
            assert_eq!(hundredths(cell), Some(share), "{cell}");
        }
        for cell in ["12.5", "%", " %", "1.234,5%", "nan%", "12.5%%", "1e1%", "5% of 7"] {
            assert_eq!(hundredths(cell), None, "{cell}");
        }
    }

    #[test]
    fn missing_words() {
        for word in ["", "NA", "n/a", "NaN", "null", "None", "?", "."] {
            assert!(missing_number(word), "{word}");
        }
        assert!(!missing_number("no"));
        assert!(!missing_text("None"));
        assert!(missing_text("NA"));
    }

    proptest! {
        #[test]
        fn every_float_comes_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            same_as_the_standard_library(&format!("{value:e}"));
        }

        #[test]
        fn random_decimals(a in 0u64..1_000_000_000_000_000_000, shift in 1usize..18, e in -30i32..30) {
            let digits = format!("{a:019}");
            let (whole, fraction) = digits.split_at(19 - shift);
            same_as_the_standard_library(&format!("{whole}.{fraction}"));
            same_as_the_standard_library(&format!("{whole}.{fraction}e{e}"));
        }
    }
}
