//! Numbers as people read them: three significant digits, grouped thousands, a true minus sign.

use std::collections::BTreeSet;

const MINUS: char = '\u{2212}';

/// `value` with `places` decimals, grouped thousands and a true minus sign; "not a number" becomes "–".
pub fn fixed(value: f64, places: usize) -> String {
    if value.is_nan() {
        return "–".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "−∞" }.to_string();
    }
    written(&format!("{:.places$}", value.abs()), value < 0.0)
}

/// 100 · `value` with `places` decimals, rounded as `value` is with two more: the point is moved, and nothing is multiplied that would
/// round once more. So 0.4405 is 44.1 wherever it is 0.441.
pub fn fixed_hundredfold(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return fixed(value, places);
    }
    let mut digits = format!("{:.*}", places + 2, value.abs());
    if let Some(point) = digits.find('.') {
        digits.remove(point);
        if places > 0 {
            digits.insert(point + 2, '.');
        }
    }
    let kept = digits.trim_start_matches('0');
    let short = kept.is_empty() || kept.starts_with('.');
    written(&if short { format!("0{kept}") } else { kept.to_owned() }, value < 0.0)
}

/// Decimal digits with grouped thousands and a true minus sign, unless all are 0.
fn written(digits: &str, negative: bool) -> String {
    let zero = digits.bytes().all(|b| matches!(b, b'0' | b'.'));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut text = String::with_capacity(digits.len() + 4);
    if negative && !zero {
        text.push(MINUS);
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// `value` with three significant digits: 0.0652, 6.50, 1,230; beyond what anybody counts in powers of ten, 1.11 × 10⁻¹⁵.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    let magnitude = decimal_exponent(value, 3);
    if !(-7..13).contains(&magnitude) {
        return in_powers(value);
    }
    let places = (2 - magnitude).max(0) as usize;
    if magnitude > 2 {
        let unit = 10f64.powi(magnitude - 2);
        return fixed((value / unit).round() * unit, 0);
    }
    fixed(value, places)
}

/// `value` in powers of ten with three significant digits: 1.11 × 10⁻¹⁵.
fn in_powers(value: f64) -> String {
    format!("{}\u{a0}×\u{a0}10{}", fixed(mantissa(value, 2), 2), raised(decimal_exponent(value, 3)))
}

/// Decimals up to which the numbers of a column are written out; where they need more, they are in powers of ten.
const WRITTEN_OUT: usize = 6;

/// Decimals with which all numbers of a column are written: those that show so many significant digits of the median size, 12 at
/// most. Zeros and what is no number say nothing; 0 without any other.
pub fn column_places(values: impl Iterator<Item = f64>, digits: usize) -> usize {
    let mut sizes: Vec<f64> = values.map(f64::abs).filter(|v| *v > 0.0 && v.is_finite()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let Some(median) = sizes.get(sizes.len().saturating_sub(1) / 2) else { return 0 };
    (digits as i32 - 1 - decimal_exponent(*median, digits)).clamp(0, 12) as usize
}

/// `value` with the decimals of its column; what would be written as 0 and is none is `<` the least that is written, <0.001, or
/// `>` its negative. A column whose decimals are more than 6 is in powers of ten.
pub fn in_column(value: f64, places: usize) -> String {
    let least = 10f64.powi(-(places as i32));
    match value {
        0.0 if places > WRITTEN_OUT => "0".to_owned(),
        v if places > WRITTEN_OUT && v.is_finite() => in_powers(v),
        v if v > 0.0 && v < 0.5 * least => format!("<{}", fixed(least, places)),
        v if v < 0.0 && v > -0.5 * least => format!(">{}", fixed(-least, places)),
        v => fixed(v, places),
    }
}

/// Mean ± standard deviation, by the rule of [`in_column`]; where both would be written as 0, the mean alone.
pub fn spread_in_column(mean: f64, sd: f64, places: usize) -> String {
    let least = 0.5 * 10f64.powi(-(places as i32));
    let size = mean.abs().max(sd);
    match size {
        0.0 if places > WRITTEN_OUT => "0 ± 0".to_owned(),
        size if places > WRITTEN_OUT && size.is_finite() => {
            // one power for both
            let exponent = decimal_exponent(size, 3);
            let scaled = |value: f64| fixed(value * 10f64.powi(-exponent), 2);
            format!("({} ± {})\u{a0}×\u{a0}10{}", scaled(mean), scaled(sd), raised(exponent))
        }
        size if size > 0.0 && size < least => in_column(mean, places),
        _ => format!("{} ± {}", fixed(mean, places), fixed(sd, places)),
    }
}

/// Decimals for ends of ranges that stand below each other: the fewest, from `least` to 6, with which as many of them are
/// written differently as with 6.
pub fn distinguishing_places(ends: &[f64], least: usize) -> usize {
    const MOST: usize = 6;
    let written = |places: usize| ends.iter().map(|end| fixed(*end, places)).collect::<BTreeSet<String>>().len();
    let all = written(MOST);
    (least..MOST).find(|&places| written(places) == all).unwrap_or(MOST)
}

/// A bin: 0.80–0.87, with the decimals of [`distinguishing_places`].
pub fn bin(low: f64, high: f64, places: usize) -> String {
    format!("{}–{}", fixed(low, places), fixed(high, places))
}

/// `value` to so many significant digits, as a number; one that would not be finite any more stays as it is.
pub fn to_digits(value: f64, digits: usize) -> f64 {
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    text.parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(value)
}

/// `value` as short as it can be said: 0.05, 2, 1,000, 1e−9.
pub fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    let magnitude = decimal_exponent(value, 6);
    if !(-4..6).contains(&magnitude) {
        return format!("{}e{}", shortest(mantissa(value, 6)), minus_of(magnitude));
    }
    shortest(value)
}

/// A whole number as it stands in a column: 68, 2015, 10,000.
pub fn whole(value: f64) -> String {
    if value.abs() < 1e4 { fixed(value, 0).replace(',', "") } else { fixed(value, 0) }
}

/// An end of a range of a column, whose numbers may be whole.
pub fn end(value: f64, of_whole: bool) -> String {
    if of_whole && value.fract() == 0.0 { whole(value) } else { plain(value) }
}

/// The last number that counts where `below` is the next above one of 12 digits or fewer: x < 30.000000000000004 is x ≤ 30.
pub fn last_below(below: f64) -> Option<f64> {
    let last = below.next_down();
    (to_digits(below, 12) != below && to_digits(last, 12) == last).then_some(last)
}

/// from ≤ x < below, of a column of whole numbers by the last that counts, "68 to 77"; of others "68 to <78".
pub fn half_open(from: f64, below: f64, of_whole: bool) -> String {
    let (first, last) = (from.ceil(), below.ceil() - 1.0);
    match last_below(below) {
        _ if of_whole && first <= last => format!("{} to {}", whole(first), whole(last)),
        Some(last) => format!("{} to {}", plain(from), plain(last)),
        None => format!("{} to <{}", plain(from), plain(below)),
    }
}

/// A whole number with grouped thousands: 4,834.
pub fn count(n: u64) -> String {
    fixed(n as f64, 0)
}

/// A place in an order: 1st, 2nd, 3rd, 4th, 11th, 21st.
pub fn ordinal(place: usize) -> String {
    let ending = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

/// A share as a results section writes it: 86.7%, two decimals below 0.95%.
pub fn percent(share: f64) -> String {
    let places = if share != 0.0 && share.abs() < 0.0095 { 2 } else { 1 };
    format!("{}%", fixed_hundredfold(share, places))
}

/// A signed difference of two shares in percentage points, for tables and charts: +6.5 pp.
pub fn points(difference: f64) -> String {
    format!("{}\u{a0}pp", bare_points(difference))
}

/// A size in percentage points without a sign, for tables and charts: 6.5 pp.
pub fn points_size(size: f64) -> String {
    points(size.abs()).trim_start_matches('+').to_string()
}

/// The size of a difference of two shares in prose: 6.5 percentage points.
pub fn percentage_points(size: f64) -> String {
    format!("{} percentage points", bare_points(size.abs()).trim_start_matches('+'))
}

/// A signed difference of two shares in prose: −6.5 percentage points.
pub fn signed_percentage_points(difference: f64) -> String {
    format!("{} percentage points", bare_points(difference))
}

/// A signed difference of two shares in percentage points, where the unit stands elsewhere: +6.5.
pub fn bare_points(difference: f64) -> String {
    let places = if difference != 0.0 && difference.abs() < 0.00095 { 2 } else { 1 };
    let text = fixed_hundredfold(difference, places);
    let sign = if difference > 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) { "+" } else { "" };
    format!("{sign}{text}")
}

/// An interval of percentage points, its unit once: −4.6 to −2.6 pp.
pub fn points_interval(low: f64, high: f64) -> String {
    format!("{} to {}", bare_points(low), points(high))
}

/// An interval of shares: 10.3% to 14.1%.
pub fn percent_interval(low: f64, high: f64) -> String {
    format!("{} to {}", percent(low), percent(high))
}

/// An interval: 0.0580 to 0.0731.
pub fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", significant(low), significant(high))
}

/// A p-value in a sentence: "p = 0.012", "p < 0.001"; three decimals below 0.1, else two.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.001 => "p\u{a0}<\u{a0}0.001".to_owned(),
        p => format!("p\u{a0}=\u{a0}{p:.*}", if p < 0.1 { 3 } else { 2 }),
    }
}

/// A p-value that is a bound, since simulations allow no smaller one: "p ≤ 0.012".
pub fn p_at_most(p: f64) -> String {
    p_value(p).replacen('=', "≤", 1)
}

/// A p-value in a column, all with three decimals: 0.012, 0.450, <0.001.
pub fn p_digits(p: f64) -> String {
    match p {
        p if p < 0.001 => "<0.001".to_owned(),
        p => format!("{p:.3}"),
    }
}

/// A number of rows after “about”: two significant digits, rounded up where so many are needed.
pub fn about(n: u64, up: bool) -> String {
    let unit = 10_u64.pow(n.max(1).ilog10().saturating_sub(1));
    count(if up { n.div_ceil(unit).saturating_mul(unit) } else { n / unit * unit })
}

/// Decimals that a multiple of `step` needs: 0.2 needs 1, 50 none.
pub fn decimals_of_step(step: f64) -> usize {
    if !(step.is_finite() && step > 0.0) {
        return 0;
    }
    (-(step * (1.0 + 1e-9)).log10().floor()).clamp(0.0, 15.0) as usize
}

/// `value` rounded to `places` decimals.
pub fn rounded(value: f64, places: usize) -> f64 {
    format!("{value:.places$}").parse().unwrap_or(value)
}

/// The exponent of `value` written with `digits` significant digits: 9.996 with three is 10.0, so 1.
fn decimal_exponent(value: f64, digits: usize) -> i32 {
    format!("{:.*e}", digits.saturating_sub(1), value)
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0)
}

/// What stands before the power of ten, with so many decimals. Not a quotient: 10³²⁴ is no number of 64 bits.
fn mantissa(value: f64, places: usize) -> f64 {
    let text = format!("{value:.places$e}");
    text.split_once('e').and_then(|(mantissa, _)| mantissa.parse().ok()).unwrap_or(value)
}

/// An exponent as it stands behind its base: ⁻¹⁵.
fn raised(exponent: i32) -> String {
    let digit = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // the others stand in a row
        digit => digit.to_digit(10).and_then(|n| char::from_u32(0x2070 + n)).unwrap_or(digit),
    };
    exponent.to_string().chars().map(digit).collect()
}

fn minus_of(exponent: i32) -> String {
    exponent.to_string().replace('-', "\u{2212}")
}

fn shortest(value: f64) -> String {
    let places = (0..6).find(|&p| (rounded(value, p) - value).abs() <= 1e-7 * value.abs()).unwrap_or(6);
    fixed(value, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_significant_digits() {
        let cases = [
            (0.0652, "0.0652"),
            (6.5, "6.50"),
            (9.996, "10.0"),
            (86.74, "86.7"),
            (1234.0, "1,230"),
            (-0.5, "−0.500"),
            (0.0, "0"),
            (1.5e-7, "0.000000150"),
            (1.5e-8, "1.50\u{a0}×\u{a0}10⁻⁸"),
            (2.5e9, "2,500,000,000"),
            (0.00012345, "0.000123"),
            (5e-324, "4.94\u{a0}×\u{a0}10⁻³²⁴"),
            (f64::MAX, "1.80\u{a0}×\u{a0}10³⁰⁸"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn a_column_has_one_number_of_decimals() {
        let places = |values: &[f64]| column_places(values.iter().copied(), 3);
        assert_eq!(places(&[0.0412, 0.152, 0.0038]), 4);
        assert_eq!(places(&[87.12, 0.0, f64::NAN, 90.5]), 1);
        assert_eq!((places(&[1234.0]), places(&[]), places(&[1e-30])), (0, 0, 12));
        assert_eq!(
            [0.0412, 0.152, 0.00003, -0.2, 0.0].map(|v| in_column(v, 4)),
            ["0.0412", "0.1520", "<0.0001", "−0.2000", "0.0000"]
        );
        assert_eq!([-0.00003, -0.00007].map(|v| in_column(v, 4)), [">−0.0001", "−0.0001"]);
        // no column of zeros, and none of nine decimals
        assert_eq!(
            [1.234e-7, -2e-9, 0.0, 0.5].map(|v| in_column(v, 9)),
            ["1.23\u{a0}×\u{a0}10⁻⁷", "−2.00\u{a0}×\u{a0}10⁻⁹", "0", "5.00\u{a0}×\u{a0}10⁻¹"]
        );
        assert_eq!(spread_in_column(1.234e-7, 3e-8, 9), "(1.23 ± 0.30)\u{a0}×\u{a0}10⁻⁷");
        assert_eq!(spread_in_column(0.412, 0.006, 3), "0.412 ± 0.006");
        assert_eq!(spread_in_column(1e-7, 1e-8, 3), "<0.001");
        assert_eq!(spread_in_column(0.0, 0.004, 3), "0.000 ± 0.004");
    }

    #[test]
    fn ends_of_neighboring_ranges_are_distinguished() {
        assert_eq!(distinguishing_places(&[0.0, 1.0 / 15.0, 2.0 / 15.0, 1.0], 2), 2);
        assert_eq!(distinguishing_places(&[0.5, 0.999_91, 0.999_96, 1.0], 2), 5);
        // what 6 decimals do not distinguish takes no more than the others need
        assert_eq!(distinguishing_places(&[0.5, 0.999, 0.999 + 1e-12], 2), 2);
        assert_eq!(distinguishing_places(&[], 2), 2);
        assert_eq!(bin(0.999_91, 1.0, 5), "0.99991–1.00000");
    }

    #[test]
    fn thousands_and_minus() {
        assert_eq!(count(4834), "4,834");
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(count(999), "999");
        assert_eq!(fixed(-1234.5, 1), "−1,234.5");
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(f64::NAN, 2), "–");
        assert_eq!(fixed(f64::NEG_INFINITY, 2), "−∞");
    }

    #[test]
    fn shares_and_points() {
        assert_eq!(percent(0.867), "86.7%");
        assert_eq!(percent(1.0), "100.0%");
        assert_eq!(percent(0.0012), "0.12%");
        assert_eq!(points(0.065), "+6.5\u{a0}pp");
        assert_eq!(points(-0.065), "−6.5\u{a0}pp");
        assert_eq!(points(0.01), "+1.0\u{a0}pp");
        assert_eq!(points(0.0), "0.0\u{a0}pp");
        assert_eq!(points_size(-0.065), "6.5\u{a0}pp");
        assert_eq!(percentage_points(-0.01), "1.0 percentage points");
        assert_eq!(points_interval(-0.046, 0.026), "−4.6 to +2.6\u{a0}pp");
        assert_eq!(percent_interval(0.046, 0.126), "4.6% to 12.6%");
    }

    #[test]
    fn p_values_have_a_floor() {
        assert_eq!(
            [0.0, 0.000_99, 0.001, 0.0312, 0.1, 0.312, 1.0].map(p_digits),
            ["<0.001", "<0.001", "0.001", "0.031", "0.100", "0.312", "1.000"]
        );
        assert_eq!(p_value(0.006), "p\u{a0}=\u{a0}0.006");
        assert_eq!(p_value(0.000_1), "p\u{a0}<\u{a0}0.001");
        assert_eq!(p_at_most(0.006), "p\u{a0}≤\u{a0}0.006");
        assert_eq!(p_value(0.312), "p\u{a0}=\u{a0}0.31");
    }

    #[test]
    fn about_so_many_has_two_digits() {
        assert_eq!([0, 7, 99, 4_737, 113_600_000].map(|n| about(n, true)), ["0", "7", "99", "4,800", "120,000,000"]);
        assert_eq!([4_737, 4_700, 100].map(|n| about(n, false)), ["4,700", "4,700", "100"]);
        assert_eq!(about(u64::MAX, true), count(u64::MAX));
    }

    #[test]
    fn a_share_is_rounded_the_same_in_percent() {
        assert_eq!((significant(0.4405), percent(0.4405)), ("0.441".to_owned(), "44.1%".to_owned()));
        assert_eq!(
            (bare_points(-0.4405), bare_points(0.0005), bare_points(0.0)),
            ("−44.1".into(), "+0.05".into(), "0.0".into())
        );
        for k in 0..=10_000u32 {
            let share = f64::from(k) / 10_000.0;
            let shown: f64 = fixed_hundredfold(share, 1).replace(',', "").parse().unwrap();
            let as_share: f64 = fixed(share, 3).parse().unwrap();
            assert!((shown - 100.0 * as_share).abs() < 1e-9, "{share}: {shown} and {as_share}");
        }
        let all = [(12.0, 1), (0.0, 1), (0.0049, 0), (0.005_1, 0), (-0.000_1, 1), (f64::NAN, 1), (f64::INFINITY, 1)];
        let told = all.map(|(value, places)| fixed_hundredfold(value, places));
        assert_eq!(told, ["1,200.0", "0.0", "0", "1", "0.0", "–", "∞"]);
    }

    #[test]
    fn shortest_numbers() {
        assert_eq!(plain(0.05), "0.05");
        assert_eq!(plain(1000.0), "1,000");
        assert_eq!(plain(1e-9), "1e−9");
        assert_eq!(plain(5e-324), "4.940656e−324");
        assert_eq!(plain(1.0 / 3.0), "0.333333");
        assert_eq!(interval(0.058, 0.0731), "0.0580 to 0.0731");
    }

    #[test]
    fn decimals_follow_the_step() {
        assert_eq!(decimals_of_step(0.2), 1);
        assert_eq!(decimals_of_step(0.1), 1);
        assert_eq!(decimals_of_step(50.0), 0);
        assert_eq!(decimals_of_step(0.005), 3);
    }
}
