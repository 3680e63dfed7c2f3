//! Whether the numbers of a fit that was read can be used.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde_json::Value;

/// What makes a fit useless, in words.
pub type Validity = Result<(), String>;

/// What the fitted curves of probabilities hold; sums of weights may round beyond.
pub const UNIT: RangeInclusive<f64> = -1e-9..=1.0 + 1e-9;
/// T: fits stop at 0.01 and 100.
pub const TEMPERATURES: RangeInclusive<f64> = 1e-6..=1e6;
/// Slopes, intercepts and entries of matrices: no product with a logit leaves the numbers.
pub const COEFFICIENTS: RangeInclusive<f64> = -1e15..=1e15;

/// Refuses lists whose lengths or orders do not go together, or that hold what is no number.
///
/// # Errors
/// That they do not.
pub fn together(fit: bool, m: usize) -> Validity {
    match fit {
        true => Ok(()),
        false => Err(format!("its numbers are damaged, or inconsistent with each other and {m} classes")),
    }
}

/// Whether every number is finite.
pub fn finite(values: &[f64]) -> bool {
    values.iter().all(|v| v.is_finite())
}

/// Whether edges are finite and ascend.
pub fn ascending(edges: &[f64]) -> bool {
    finite(edges) && edges.is_sorted()
}

/// Whether ascending edges enclose so many bins.
pub fn enclose(edges: &[f64], bins: usize) -> bool {
    bins > 0 && edges.len() == bins + 1 && ascending(edges)
}

/// Whether a curve has as many heights as places.
pub fn curve(x: &[f64], y: &[f64]) -> bool {
    x.len() == y.len() && finite(y) && ascending(x)
}

/// Every fit of the groups, the name of the group before what is said.
///
/// # Errors
/// Those of `check`.
pub fn of_groups<P>(fits: &BTreeMap<String, P>, check: impl Fn(&P) -> Validity) -> Validity {
    fits.iter().try_for_each(|(name, fit)| check(fit).map_err(|what| format!("fits.{name}: {what}")))
}

/// Refuses a number that lies outside of a range.
///
/// # Errors
/// That it does.
pub fn one(name: &str, value: f64, range: &RangeInclusive<f64>) -> Validity {
    match range.contains(&value) {
        true => Ok(()),
        false => Err(out_of_range(name, value, range)),
    }
}

/// Refuses a list with a number outside of a range.
///
/// # Errors
/// That it has one.
pub fn each(name: &str, values: &[f64], range: &RangeInclusive<f64>) -> Validity {
    match values.iter().enumerate().find(|(_, value)| !range.contains(value)) {
        None => Ok(()),
        Some((place, value)) => Err(out_of_range(&format!("{name}, at place {},", place + 1), *value, range)),
    }
}

/// Refuses values that fall: the curve would turn the order of scores round.
///
/// # Errors
/// That they do.
pub fn rising(name: &str, values: &[f64]) -> Validity {
    let fall = values.windows(2).position(|pair| pair[1] < pair[0] - 1e-9);
    match fall {
        None => Ok(()),
        Some(place) => Err(format!("{name} decreases after place {}", place + 1)),
    }
}

/// Refuses shares that are negative or do not sum to 1.
///
/// # Errors
/// That they are or do not.
pub fn shares(name: &str, values: &[f64]) -> Validity {
    each(name, values, &UNIT)?;
    let sum: f64 = values.iter().sum();
    match (sum - 1.0).abs() <= 1e-6 {
        true => Ok(()),
        false => Err(format!("{name} sums to {sum}, not to 1")),
    }
}

/// An array of finite numbers; `name` for what is said where it is none.
///
/// # Errors
/// What is not as it should be.
pub fn numbers(value: Option<&Value>, name: &str) -> Result<Vec<f64>, String> {
    let items = value.and_then(Value::as_array);
    let items = items.ok_or_else(|| format!("{name} is missing"))?;
    items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            item.as_f64().filter(|v| v.is_finite()).ok_or_else(|| format!("{name} has no number at place {}", i + 1))
        })
        .collect()
}

/// What is said of a number outside of a range.
fn out_of_range(name: &str, value: f64, range: &RangeInclusive<f64>) -> String {
    let written = |x: f64| match x != 0.0 && !(1e-4..1e6).contains(&x.abs()) {
        true => format!("{x:e}"),
        false => format!("{}", (x * 1e6).round() / 1e6),
    };
    let exact = match value.is_finite() && (1e-4..1e6).contains(&value.abs()) {
        true => value.to_string(),
        false => written(value),
    };
    // what a sum may round beyond is no part of the range
    let (low, high) = match *range == UNIT {
        true => (0.0, 1.0),
        false => (*range.start(), *range.end()),
    };
    format!("{name} is {exact}; it must lie between {} and {}", written(low), written(high))
}
