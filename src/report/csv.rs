//! Cells of CSV files.

use std::fmt::Write as _;

use crate::table::values::EXACT_INTEGERS;
pub use crate::words::text::guarded;

/// A number that reads back to the same bits, in 25 characters at most: with a power of ten where its digits would stand far
/// from the point, and from 2⁵³ on, where digits alone are read as an identifier; nothing for one that is not finite.
pub(super) fn number(out: &mut String, value: f64) {
    if !value.is_finite() {
        return;
    }
    let size = value.abs();
    let _ = match size == 0.0 || (1e-5..EXACT_INTEGERS as f64).contains(&size) {
        true => write!(out, "{value}"),
        false => write!(out, "{value:e}"),
    };
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::read::read;
    use crate::table::Values;
    use proptest::prelude::*;

    fn written(value: f64) -> String {
        let mut out = String::new();
        number(&mut out, value);
        out
    }

    #[test]
    fn numbers_are_short_and_plain_where_they_can_be() {
        let cases = [
            (0.5, "0.5"),
            (1.0, "1"),
            (0.0, "0"),
            (0.00012, "0.00012"),
            (1e-300, "1e-300"),
            (-2.5e20, "-2.5e20"),
            (9_201_637_188_352_758.0, "9.201637188352758e15"),
        ];
        for (value, text) in cases {
            assert_eq!(written(value), text);
        }
        assert_eq!(written(f64::MIN_POSITIVE), "2.2250738585072014e-308");
        assert_eq!(written(f64::NAN), "");
    }

    proptest! {
        #[test]
        fn numbers_read_back_to_the_same_bits(value in any::<f64>().prop_filter("finite", |v| v.is_finite()), p in 0.0..1e-4_f64) {
            for value in [value, p] {
                let text = written(value);
                prop_assert!(text.len() <= 25, "{}", text);
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
                let file = read("a.csv", format!("v,w\n{text},1\n0.25,2\n").as_bytes(), &mut |_| ()).unwrap();
                let Values::Numbers(column) = &file.columns[0].values else { panic!("numbers") };
                prop_assert_eq!((column[0] + 0.0).to_bits(), (value + 0.0).to_bits());
            }
        }
    }
}
