//! Matching the rows of two files by their id columns.

use std::collections::{HashMap, HashSet};

use super::super::names;
use super::super::roles::Role;
use super::super::rows::cell_text;
use super::{NamedColumn, Unit, common};
use crate::error::{Error, Result, message, phrases};
use crate::table::Warning;
use crate::table::values::Values;
use crate::words::text::{counted, listed, quoted, thousands};

impl Unit {
    pub(super) fn id(&self) -> Option<&NamedColumn> {
        self.table.columns.get(self.id_place()?)
    }

    fn id_place(&self) -> Option<usize> {
        self.roles.iter().position(|role| role.role == Role::Id)
    }
}

pub(super) fn texts(unit: &Unit, column: &NamedColumn) -> Vec<String> {
    (0..unit.table.rows).map(|row| cell_text(&column.values, row)).collect()
}

/// The texts of a column that names rows. Numbers that are padded with zeros stand without these, where they stay distinct: another
/// program reads `029312` as 29312.
fn key_texts(unit: &Unit, column: &NamedColumn) -> Vec<String> {
    let texts = texts(unit, column);
    let unpadded = |text: &String| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits
            .then(|| text.trim_start_matches('0').to_owned())
            .map(|text| if text.is_empty() { "0".into() } else { text })
    };
    let Some(plain) = texts.iter().map(unpadded).collect::<Option<Vec<String>>>() else { return texts };
    let number = |texts: &[String]| texts.iter().collect::<HashSet<_>>().len();
    if number(&plain) == number(&texts) { plain } else { texts }
}

/// Both have an id column, and the same ids.
pub(super) fn shared(a: &Unit, b: &Unit) -> bool {
    let (Some(left), Some(right)) = (a.id(), b.id()) else {
        return false;
    };
    if a.table.rows != b.table.rows {
        return false;
    }
    let (mut left, mut right) = (key_texts(a, left), key_texts(b, right));
    left.sort_unstable();
    right.sort_unstable();
    left == right
}

/// The row of `b` that has the id of each row of `a`; `None` where ids are missing on a side, or do not match.
pub(super) fn order(a: &Unit, b: &Unit) -> Option<Vec<u32>> {
    let (left, right) = (a.id()?, b.id()?);
    matched(&key_texts(a, left), &key_texts(b, right)).ok()
}

/// Puts the rows of `other` into the order of `unit`, if both have ids, or one column each with the same keys. Where most have a
/// partner, rows without one are left out of both, but for predictions without features. A warning says so, and where rows were
/// matched by columns without the role id, and where they were not although they may be keys.
///
/// # Errors
/// `ids_do_not_match` when most ids of one do not occur in the other, or one occurs twice.
pub(super) fn align(unit: &mut Unit, other: &mut Unit) -> Result<Option<Warning>> {
    let (Some(left), Some(right)) = (unit.id(), other.id()) else {
        return by_keys(unit, other);
    };
    let (left, right) = (key_texts(unit, left), key_texts(other, right));
    if left == right {
        return Ok(None);
    }
    let order = matched(&left, &right);
    // further outcomes and scores are counted, further rows of features are no loss
    if (order.is_err() || right.len() > left.len() && other.predicts())
        && let Some(found) = partners(unit, other)
    {
        return Ok(Some(found.joined(unit, other)));
    }
    other.table.reorder_rows(&order?);
    forget_row_numbers(other);
    let places = unit.id_place().zip(other.id_place());
    Ok(places.map(|places| rows_matched(unit, other, places)))
}

/// Rows of two units with the same key.
pub(super) struct Partners {
    /// the columns of the keys
    places: (usize, usize),
    /// a row of each, in the order of the first
    rows: Vec<(u32, u32)>,
}

/// The rows with the same key where more than half of the rows of the smaller unit have a partner: by the ids of both, else by
/// a column of one name whose values name the rows.
pub(super) fn partners(unit: &Unit, other: &Unit) -> Option<Partners> {
    partners_by(unit, other, &keys(unit), &keys(other))
}

fn partners_by(unit: &Unit, other: &Unit, ours: &[Key], theirs: &[Key]) -> Option<Partners> {
    let ids = unit.id_place().zip(other.id_place());
    let name = |unit: &Unit, j: usize| unit.table.columns.get(j).map(|c| names::plain(&c.name)).unwrap_or_default();
    let mut found: Vec<Partners> = Vec::new();
    for (j, left) in ours {
        let our_name = name(unit, *j);
        for (k, right) in theirs {
            let their_name = name(other, *k);
            let may_be = match ids {
                Some(ids) => ids == (*j, *k),
                None => our_name == their_name && (!are_numbers(unit, *j) || names::says_id(&our_name)),
            };
            if !may_be || only_count(left, right, [&our_name, &their_name]) {
                continue;
            }
            let place: HashMap<&str, u32> = right.iter().map(String::as_str).zip(0u32..).collect();
            let rows: Vec<(u32, u32)> =
                (0u32..).zip(left).filter_map(|(row, key)| Some((row, *place.get(key.as_str())?))).collect();
            if 2 * rows.len() > left.len().min(right.len()) {
                found.push(Partners { places: (*j, *k), rows });
            }
        }
    }
    found.into_iter().max_by_key(|found| found.rows.len())
}

fn are_numbers(unit: &Unit, place: usize) -> bool {
    matches!(unit.table.columns.get(place).map(|column| &column.values), Some(Values::Numbers(_)))
}

/// Whether keys only count the rows of each file, from 0 in one and from 1 in the other, or under a name that programs give
/// to row numbers.
fn only_count(left: &[String], right: &[String], names: [&str; 2]) -> bool {
    let from_0 = |texts: &[String]| texts.iter().any(|text| text == "0");
    let made_up = names.iter().any(|name| *name == "column_1" || names::ROW_NUMBERS.contains(name));
    counts(left) && counts(right) && (made_up || from_0(left) != from_0(right))
}

impl Partners {
    /// Whether no outcome and no score is left out: each has a partner, or most have and lack features alone.
    pub fn lose_no_predictions(&self, units: [&Unit; 2]) -> bool {
        let pairs = self.rows.len();
        match units.map(|unit| unit.predicts().then_some(unit.table.rows)) {
            [Some(rows), None] | [None, Some(rows)] => 2 * pairs > rows,
            [Some(ours), Some(theirs)] => pairs == ours && pairs == theirs,
            [None, None] => true,
        }
    }

    /// Puts the rows of the other unit into the order of the first, and leaves out of both those without a partner. Of outcomes or
    /// scores with features, the rows of the former stay as they are, and features that they lack are missing.
    fn joined(self, unit: &mut Unit, other: &mut Unit) -> Warning {
        let [ours, theirs] = [&*unit, &*other].map(|unit| listed(&unit.files));
        let without = |unit: &Unit, files: &str| match unit.table.rows - self.rows.len() {
            0 => None,
            rows => Some(format!("{} of {files}", counted(rows, "row"))),
        };
        let [our_rest, their_rest] = [without(unit, &ours), without(other, &theirs)];
        let message = format!("The rows of {ours} and {theirs} were joined by {}", key_names(unit, other, self.places));
        let (excluded, lacking) = match (unit.predicts(), other.predicts()) {
            (true, false) => {
                as_keys(unit, other, self.places);
                forget_row_numbers(other);
                spread(other, unit.table.rows, self.rows.iter().copied());
                ([None, their_rest], our_rest.map(|rows| (rows, theirs)))
            }
            (false, true) => {
                as_keys(other, unit, (self.places.1, self.places.0));
                forget_row_numbers(unit);
                spread(unit, other.table.rows, self.rows.iter().map(|&(left, right)| (right, left)));
                ([our_rest, None], their_rest.map(|rows| (rows, ours)))
            }
            _ => {
                as_keys(unit, other, self.places);
                forget_row_numbers(other);
                let (left, right): (Vec<u32>, Vec<u32>) = self.rows.into_iter().unzip();
                unit.table.keep_rows(&left);
                other.table.reorder_rows(&right);
                other.table.rows = right.len();
                ([our_rest, their_rest], None)
            }
        };
        let excluded: Vec<String> = excluded.into_iter().flatten().collect();
        let excluded =
            (!excluded.is_empty()).then(|| format!("excluded for lack of a partner: {}", excluded.join(", ")));
        let lacking = lacking.map(|(rows, files)| format!("without values of {files}: {rows}"));
        let said: Vec<String> = [excluded, lacking].into_iter().flatten().collect();
        Warning {
            code: "rows_without_partner".into(),
            message: format!("{message}; {}.", said.join("; ")),
            row: None,
            column: None,
        }
    }
}

/// Puts rows of features at those of the predictions that they belong to. `pairs`: a row of the predictions, and one of these.
fn spread(unit: &mut Unit, rows: usize, pairs: impl Iterator<Item = (u32, u32)>) {
    let mut from = vec![None; rows];
    for (to, row) in pairs {
        if let Some(place) = from.get_mut(to as usize) {
            *place = Some(row);
        }
    }
    unit.table.spread_rows(&from);
}

/// The columns that hold the keys of two units, for sentences.
fn key_names(unit: &Unit, other: &Unit, places: (usize, usize)) -> String {
    let name = |unit: &Unit, j: usize| unit.table.columns.get(j).map_or_else(String::new, |c| quoted(&c.name));
    let (left, right) = (name(unit, places.0), name(other, places.1));
    if left == right { left } else { format!("{left} and {right}") }
}

/// The numbers of rows in a file say nothing once its rows are in the order of another.
fn forget_row_numbers(unit: &mut Unit) {
    for ((column, role), given) in unit.table.columns.iter().zip(&unit.roles).zip(&mut unit.given) {
        let numbers = column.name == "column 1" || names::ROW_NUMBERS.contains(&names::plain(&column.name).as_str());
        if numbers && role.role == Role::Ignore && given.role.is_none() {
            (given.role, given.reason) = (Some(Role::Ignore), Some("row numbers".into()));
        }
    }
}

/// Gives the columns that matched the rows of two units their roles: the first names the rows, unless another one does.
fn as_keys(unit: &mut Unit, other: &mut Unit, places: (usize, usize)) {
    let has_id = unit.id().is_some();
    let left = unit.table.columns.get(places.0).map_or_else(String::new, |column| quoted(&column.name));
    if let Some(given) = unit.given.get_mut(places.0).filter(|given| given.role.is_none() && !has_id) {
        given.role = Some(Role::Id);
        given.reason = Some("names the rows of both files".into());
    }
    if let Some(given) = other.given.get_mut(places.1).filter(|given| given.role.is_none()) {
        given.role = Some(Role::Ignore);
        given.reason = Some(format!("the rows were matched by it with {left}"));
    }
}

/// A column of each of two units, with the same distinct values.
struct SharedKey {
    places: (usize, usize),
    /// the row of the other unit for each row of the first
    order: Vec<u32>,
    /// the names or the values say that these are keys
    certain: bool,
}

/// Matches the rows by the columns that hold the same keys in another order, where there is but one such order, else by a column
/// that holds most of them.
///
/// # Errors
/// `ids_do_not_match` where a column of one name says that it names the rows of both, and most names of one are not in the other.
fn by_keys(unit: &mut Unit, other: &mut Unit) -> Result<Option<Warning>> {
    let (ours, theirs) = (keys(unit), keys(other));
    let found = shared_keys(unit, other, &ours, &theirs);
    if found.is_empty() {
        return match partners_by(unit, other, &ours, &theirs) {
            Some(found) => Ok(Some(found.joined(unit, other))),
            None => {
                same_named(unit, other, &ours, &theirs)
                    .map_or(Ok(()), |(left, right)| matched(left, right).map(|_| ()))?;
                Ok(common::by_common_columns(unit, other))
            }
        };
    }
    let in_order = |key: &SharedKey| key.order.iter().enumerate().all(|(row, at)| row == *at as usize);
    if found.iter().any(in_order) {
        return Ok(None);
    }
    let certain: Vec<&SharedKey> = found.iter().filter(|key| key.certain).collect();
    let one_order = certain.windows(2).all(|pair| pair.first().map(|k| &k.order) == pair.last().map(|k| &k.order));
    let best = certain.first().copied().filter(|_| one_order);
    let Some(key) = best.or_else(|| found.first()) else { return Ok(None) };
    let names = key_names(unit, other, key.places);
    let files = format!("{} and {}", listed(&unit.files), listed(&other.files));
    if best.is_none() {
        let message = format!(
            "The rows of {files} were joined by their order, although {names} contain the same values in another order. If \
             these name the rows, assign the role id to them."
        );
        return Ok(Some(Warning { code: "joined_by_order".into(), message, row: None, column: None }));
    }
    other.table.reorder_rows(&key.order);
    as_keys(unit, other, key.places);
    Ok(Some(rows_matched(unit, other, key.places)))
}

/// The keys of a column of one name in both units that says that it names rows, beyond counting them.
fn same_named<'k>(
    unit: &Unit,
    other: &Unit,
    ours: &'k [Key],
    theirs: &'k [Key],
) -> Option<(&'k [String], &'k [String])> {
    let name = |unit: &Unit, j: usize| unit.table.columns.get(j).map(|c| names::plain(&c.name)).unwrap_or_default();
    let says = |name: &str| names::says_id(name) || names::suggests_id(name) || names::clustered(name).is_some();
    ours.iter().find_map(|(j, left)| {
        let own = name(unit, *j);
        let same = |(k, right): &&Key| name(other, *k) == own && says(&own) && !(counts(left) && counts(right));
        theirs.iter().find(same).map(|(_, right)| (left.as_slice(), right.as_slice()))
    })
}

/// Says that rows were matched by columns with the same values in another order.
fn rows_matched(unit: &Unit, other: &Unit, places: (usize, usize)) -> Warning {
    rows_matched_by(unit, other, &key_names(unit, other, places))
}

pub(super) fn rows_matched_by(unit: &Unit, other: &Unit, names: &str) -> Warning {
    let message = format!(
        "The rows of {} and {} were matched by {names}, whose values are the same in another order. To join by row order, \
         assign the role ignore to them.",
        listed(&unit.files),
        listed(&other.files)
    );
    Warning { code: "rows_matched".into(), message, row: None, column: None }
}

/// Pairs of columns with the same distinct values: of one name, or of two where one names an id.
fn shared_keys(unit: &Unit, other: &Unit, ours: &[Key], theirs: &[Key]) -> Vec<SharedKey> {
    let mut found = Vec::new();
    for (j, left) in ours {
        for (k, right) in theirs {
            let names = [(unit, *j), (other, *k)].map(|(unit, j)| unit.table.columns.get(j).map_or("", |c| &c.name));
            let id = |unit: &Unit, j: usize| unit.roles.get(j).is_some_and(|role| role.role == Role::Id);
            let says = |name: &str| names::says_id(name) || names::clustered(name).is_some() || name == "column 1";
            let named = names.map(says);
            let same_name = names::plain(names[0]) == names::plain(names[1]);
            let an_id = id(unit, *j) || id(other, *k) || named.contains(&true);
            if !same_name && !an_id {
                continue;
            }
            let Ok(order) = matched(left, right) else { continue };
            // Numbers from 0 or 1 on may count anything, ranks, for example. Scores written with row numbers of their own may
            // belong to outcomes that kept the shuffled numbers of the rows they were drawn from, in the same order.
            let of_scores = if unit.scored() { left } else { right };
            let afresh = names[0] == "column 1" && of_scores.windows(2).all(|pair| number(&pair[0]) < number(&pair[1]));
            let certain = !counts(left) || same_name && an_id && !afresh;
            found.push(SharedKey { places: (*j, *k), order, certain });
        }
    }
    found
}

/// A column and its values as texts.
type Key = (usize, Vec<String>);

/// Columns all of whose values differ, as texts: ids, and columns without a requested role that are neither outcome nor score.
fn keys(unit: &Unit) -> Vec<Key> {
    let mut keys = Vec::new();
    for (j, (column, role)) in unit.table.columns.iter().zip(&unit.roles).enumerate() {
        let free = matches!(role.role, Role::Id | Role::Ignore | Role::Feature | Role::Group);
        let given = unit.given.get(j).is_some_and(|given| given.role.is_some_and(|role| role != Role::Id));
        let values = match &column.values {
            Values::Numbers(v) => v.iter().all(|x| x.is_finite() && x.fract() == 0.0),
            Values::Text { codes, levels } => levels.len() == codes.len(),
            Values::Matrix(_) => false,
        };
        if !free || given || !values {
            continue;
        }
        let texts = key_texts(unit, column);
        let mut seen: HashSet<&str> = HashSet::with_capacity(texts.len());
        if texts.len() > 1 && texts.iter().all(|text| !text.is_empty() && seen.insert(text)) {
            keys.push((j, texts));
        }
    }
    keys
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok()
}

/// Whether distinct texts are the numbers from 0 or 1 on, in any order.
fn counts(texts: &[String]) -> bool {
    let numbers: Option<Vec<usize>> = texts.iter().map(|text| number(text)).collect();
    numbers.is_some_and(|numbers| {
        let least = numbers.iter().min().copied().unwrap_or(0);
        least <= 1 && numbers.iter().max().is_some_and(|most| most - least + 1 == numbers.len())
    })
}

pub(super) fn matched(left: &[String], right: &[String]) -> Result<Vec<u32>> {
    let mut place: HashMap<&str, u32> = HashMap::with_capacity(right.len());
    for (row, id) in right.iter().enumerate() {
        place.insert(id, row as u32);
    }
    let mut order = Vec::with_capacity(left.len());
    for (row, id) in left.iter().enumerate() {
        // Each id is used once: a second use finds nothing.
        let Some(at) = place.remove(id.as_str()) else {
            return Err(Error::new(
                "ids_do_not_match",
                format!(
                    "Data row {}: id {} has no unique match in the other file ({} rows each).",
                    thousands(row + 1),
                    quoted(id),
                    thousands(left.len())
                ),
                message![
                    "Assign the id columns the ",
                    phrases::ROLE_IGNORE,
                    " to join by row order, or correct the ids."
                ],
            ));
        };
        order.push(at);
    }
    Ok(order)
}
