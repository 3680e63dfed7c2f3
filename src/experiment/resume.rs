//! Going on with an experiment: which of the numbers that are there answer what is asked now.

use sha2::{Digest, Sha256};

use super::cell::Cell;
use super::result::{Concluded, conclude};
use super::spec::{Begun, Space, Spec};
use crate::data::{Predictions, pair};
use crate::error::{Error, Result};
use crate::plot::chart::Screen;
use crate::table::Values;

/// Of which files numbers are: the beginning of a SHA-256 of scores, outcomes, divisions, weights and every column. O(rows ·
/// columns); of arrays with more than a million numbers as many, evenly spaced.
///
/// # Errors
/// `score_missing`, `label_missing`.
pub(super) fn fingerprint(all: &[&Predictions]) -> Result<String> {
    let mut sum = Sha256::new();
    for data in all {
        numbers(&mut sum, pair::scores(data)?.iter().copied());
        sum.update(pair::targets(data)?);
        sum.update(format!("{:?}", data.division));
        sum.update(data.sets.as_slice());
        if let Some(weights) = &data.weights {
            numbers(&mut sum, weights.values.iter().copied());
        }
        // feature maps stand behind the columns of the file, and are made anew
        let of_file = data.table.columns.len() - data.projections.len().min(data.table.columns.len());
        for column in data.table.columns.iter().take(of_file) {
            sum.update(&column.name);
            match &column.values {
                Values::Numbers(values) => numbers(&mut sum, values.iter().copied()),
                Values::Text { codes, levels } => {
                    codes.iter().for_each(|code| sum.update(code.to_le_bytes()));
                    levels.iter().for_each(|level| sum.update(level));
                }
                Values::Matrix(matrix) => {
                    let width = matrix.width.max(1);
                    let many = matrix.rows() * width;
                    let step = many.div_ceil(MOST_OF_ARRAY).max(1);
                    let value = |place: usize| matrix.value(place / width, place % width);
                    numbers(&mut sum, (0..many).step_by(step).map(value));
                }
            }
        }
    }
    Ok(sum.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// Numbers of an array that are looked at, at most.
const MOST_OF_ARRAY: usize = 1_000_000;

fn numbers(sum: &mut Sha256, values: impl Iterator<Item = f64>) {
    values.for_each(|value| sum.update(value.to_le_bytes()));
}

/// Of which rows a data set is, as far as its outcomes tell: equal where two files are models of one cohort. O(rows).
///
/// # Errors
/// `label_missing`.
pub(super) fn outcomes(data: &Predictions) -> Result<[u8; 32]> {
    let mut sum = Sha256::new();
    match &data.y {
        Some(y) => y.iter().for_each(|class| sum.update(class.to_le_bytes())),
        None => sum.update(pair::targets(data)?),
    }
    Ok(sum.finalize().into())
}

fn of_other_data() -> Error {
    Error::new(
        "invalid_option",
        "The existing results are for other data, or another split, than the open data.",
        "Open their data, or start without them.",
    )
}

/// What the numbers of an experiment say, where it is one of `data` alone.
///
/// # Errors
/// `invalid_option` for numbers of other data, of several files, or that do not say of which; those of [`conclude`].
///
/// # Cost
/// That of reading all columns once, and of [`conclude`].
pub fn concluded_of(data: &Predictions, begun: &Begun, screen: &Screen) -> Result<Concluded> {
    if begun.spec.data != Some(fingerprint(&[data])?) {
        return Err(of_other_data());
    }
    conclude(&begun.spec, &begun.cells, screen)
}

/// The experiment as it is kept: maps as they were asked for, not under the names that they had here.
pub(super) fn kept(spec: &Spec) -> Spec {
    let space =
        |space: &Space| Space { features: space.features.clone().filter(|_| space.project.is_none()), ..space.clone() };
    Spec { spaces: spec.spaces.iter().map(space).collect(), ..spec.clone() }
}

/// The cells of what was begun that mean the same now: all of them where only methods, metrics, divisions or values were
/// added or taken away; none of a method that is another under the same name; none at all where what all share changed.
///
/// # Errors
/// `invalid_option` for cells of other data.
pub(super) fn still_valid<'a>(begun: &'a Begun, now: &Spec) -> Result<Vec<&'a Cell>> {
    let (before, now) = (kept(&begun.spec), kept(now));
    if begun.cells.is_empty() {
        return Ok(Vec::new());
    }
    if before.data.is_some() && before.data != now.data {
        return Err(of_other_data());
    }
    let named = |spaces: &[Space], name: &str| spaces.iter().find(|space| space.name == name).cloned();
    let same_space = |space: &Space| named(&now.spaces, &space.name).is_none_or(|other| other == *space);
    let several = |spec: &Spec| spec.spaces.len() > 1;
    let same_knob = |setting: &str| {
        let of = |spec: &Spec| spec.vary.iter().find(|vary| vary.setting == setting).and_then(|vary| vary.of);
        of(&before).is_none() || of(&now).is_none() || of(&before) == of(&now)
    };
    let shared = before.bins == now.bins
        && before.groups == now.groups
        && before.seed == now.seed
        && before.spaces.iter().all(same_space)
        // of one space methods are not called by its name, so that it must be the same
        && (several(&before) && several(&now) || before.spaces == now.spaces)
        && before.vary.iter().all(|vary| same_knob(&vary.setting));
    if !shared {
        return Ok(Vec::new());
    }
    let changed = |name: &str| {
        let one = |spec: &Spec| spec.methods.iter().find(|method| method.name() == name).cloned();
        one(&before) != one(&now)
    };
    let changed: Vec<&str> = before.methods.iter().map(|method| method.name()).filter(|name| changed(name)).collect();
    let of = |cell: &Cell, name: &str| {
        cell.method.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
    };
    Ok(begun.cells.iter().filter(|cell| !changed.iter().any(|name| of(cell, name))).collect())
}
