//! Bounds of the numbers that a person or a script can give, and of the depth of what they write.

use localcal_numerics::metric::binning::MOST_BINS;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result, message, phrases};
use crate::words::text::thousands;

/// From where to where a number makes sense; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bounds {
    /// the smallest
    pub low: f64,
    /// the largest
    pub high: f64,
    /// only whole numbers do
    pub whole: bool,
}

/// Whole numbers from `low` to `high`.
pub const fn whole(low: u64, high: u64) -> Field {
    Field::Number(Bounds { low: low as f64, high: high as f64, whole: true })
}

/// Numbers from `low` to `high`.
pub const fn real(low: f64, high: f64) -> Field {
    Field::Number(Bounds { low, high, whole: false })
}

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Field {
    /// a number, or a list of them; a word where words are allowed too
    Number(Bounds),
    /// an object, or a list of them, whose fields stand in the table under this name
    Within(&'static str),
    /// an object whose fields stand under this name, or a number in the place of the first of them
    Either(&'static str),
    /// an object with these fields
    Fields(&'static [(&'static str, Field)]),
    /// methods: ids, or ids with parameters
    Methods,
}

/// Every bandwidth and width of a kernel: squares and reciprocals stay numbers.
pub const WIDTH: Field = real(1e-100, 1e100);
/// The same where 0 says that a distance does not matter.
pub const WIDTH_OR_NONE: Field = real(0.0, 1e100);
/// Draws, permutations and resamples: at a million of them even a number a draw takes what a browser has.
pub const DRAWS: Field = whole(0, 100_000);
/// Coordinates by position.
pub const AXES: Field = whole(0, 100_000);
/// Rows, and numbers of rows.
pub const ROWS: Field = whole(0, u32::MAX as u64);
/// Figures in CSS pixels. Narrower than a few hundred they are drawn as wide as their words need.
pub const FIGURE: Field = real(1.0, 10_000.0);
/// Device pixels per CSS pixel: a screen of 3 at a zoom of 500 % has 15. Pictures are drawn with 4 at most.
pub const DPR: Field = real(0.1, 100.0);
/// Seeds of random numbers.
pub const SEED: Field = Field::Number(Bounds {
    low: 0.0,
    // the last whole number that a script can write exactly is smaller, but seeds are not computed with
    high: u64::MAX as f64,
    whole: true,
});
/// The smallest count that may be shown; 2 would tell every count that is left out.
pub const LEAST: Field = whole(3, 1000);
/// How often rows are divided.
pub const REPEATS: Field = whole(1, 100);
/// Features, by name or as principal components.
pub const FEATURES: Field = Field::Within("features");
/// Confidence bins: their number, or their description.
pub const BINS: Field = Field::Either("bins");
/// A confidence bin by its number.
pub const BIN: Field = whole(0, MOST_BINS as u64 - 1);
/// Coordinates of a place.
pub const PLACE: Field = real(-1e300, 1e300);

/// Methods one after another, at most.
pub const MOST_STAGES: usize = 8;
/// How deep objects and lists of a message may lie in each other.
pub const DEEPEST: usize = 64;

impl Bounds {
    /// Refuses a number out of bounds, or one that is none.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self, name: &str, x: f64) -> Result<()> {
        let inside = (self.low..=self.high).contains(&x);
        if inside && !(self.whole && x.fract() != 0.0) {
            return Ok(());
        }
        Err(Error::new(
            "invalid_option",
            message![phrases::setting(name), format!(" is {}; it must be {}.", written(x), self.words())],
            "Omit it for the default, if it is optional.",
        ))
    }

    /// "a whole number from 0 to 100,000".
    pub fn words(&self) -> String {
        let kind = if self.whole { "whole number" } else { "number" };
        format!("a {kind} from {} to {}", written(self.low), written(self.high))
    }
}

/// A number as a person writes it.
fn written(x: f64) -> String {
    if x.is_nan() {
        return "not a number".to_owned();
    }
    if x.fract() == 0.0 && (0.0..1e15).contains(&x) {
        return thousands(x as u64);
    }
    if (1e-4..1e6).contains(&x.abs()) {
        return x.to_string();
    }
    let short = format!("{x:.2e}");
    short.replace(".00e", "e").replace("0e", "e")
}

/// Refuses a value whose parts lie deeper in each other than anything that is read here.
///
/// # Errors
/// `invalid_option`.
pub fn check_depth(value: &Value) -> Result<()> {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(too_deep());
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|item| (item, depth + 1))),
            _ => (),
        }
    }
    Ok(())
}

/// What is said of a message that lies too deep in itself.
pub fn too_deep() -> Error {
    Error::new(
        "invalid_option",
        format!("Objects and lists are nested more than {DEEPEST} deep."),
        "Pass the object itself.",
    )
}

/// Refuses an id of more methods one after another than make sense.
///
/// # Errors
/// `invalid_option`.
pub fn check_stages(id: &str) -> Result<()> {
    let stages = id.split('+').count();
    if stages <= MOST_STAGES {
        return Ok(());
    }
    Err(Error::new(
        "invalid_option",
        format!("{} methods in sequence were requested; at most {MOST_STAGES} are supported.", thousands(stages)),
        "Two are usual; a third rarely improves the result.",
    ))
}
