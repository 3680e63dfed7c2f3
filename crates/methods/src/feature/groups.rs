//! Columns that say which group a row belongs to.

use std::collections::{BTreeMap, HashSet};

use crate::data::{Predictions, Role};
use crate::error::{Error, Result, message, phrases};
use crate::feature::find;
use crate::num::order::{ascending, equal_blocks};
use crate::num::{Memberships, order};
use crate::table::{MISSING, Values};
use crate::words::number::plain;

/// More distinct values than this are groups only where they come back: two rows each on average.
const MOST_LEVELS: usize = 1000;

/// One grouping of all rows of the data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Groups {
    /// name of the column
    pub name: String,
    /// code of each row, [`MISSING`] where the cell is empty
    pub codes: Vec<u32>,
    /// what each code stands for
    pub levels: Vec<String>,
}

impl Groups {
    /// The group of data row `row` by name; `None` where the cell is empty.
    pub fn level(&self, row: usize) -> Option<&str> {
        let code = *self.codes.get(row)?;
        self.levels.get(code as usize).map(String::as_str)
    }

    /// Codes of some rows.
    pub fn select(&self, rows: &[u32]) -> Vec<u32> {
        let code = |row: &u32| self.codes.get(*row as usize).copied().unwrap_or(MISSING);
        rows.iter().map(code).collect()
    }
}

/// Names of the columns with the role group that can define groups, in the order of the file, those of one group last;
/// those that tell the outcome, and texts that differ in almost every row, only if a person names them.
pub fn group_columns(data: &Predictions) -> Vec<String> {
    let named = (0u32..).zip(data.roles.iter().zip(&data.table.columns));
    let fits = |place: &u32, values: &Values| !data.leakage.contains(place) && can_define_groups(values, data.rows);
    let named = named.filter(|(place, (role, column))| role.role == Role::Group && fits(place, &column.values));
    let mut named: Vec<(bool, String)> =
        named.map(|(_, (role, column))| (!has_two_values(&column.values), role.name.clone())).collect();
    named.sort_by_key(|(single, _)| *single);
    named.into_iter().map(|(_, name)| name).collect()
}

/// The groups that a column makes: its texts, or its distinct numbers in rising order.
///
/// # Errors
/// `unknown_column`; `invalid_option` for an array, or for more than 1,000 distinct values that are more than half as many as the rows. O(n log n) for numbers.
///
/// ```
/// use localcal_methods::data::{OpenOptions, assemble};
/// use localcal_methods::read::read;
/// use localcal_methods::feature::groups::groups;
///
/// let file = read("rows.csv", b"p,y,stage\n0.9,1,3\n0.8,1,1\n0.3,0,3\n", &mut |_| ())?;
/// let (data, _) = assemble(&[file], &OpenOptions::default())?;
/// let found = groups(&data, "stage")?;
/// assert_eq!((found.levels, found.codes), (vec!["1".into(), "3".into()], vec![1, 0, 1]));
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn groups(data: &Predictions, name: &str) -> Result<Groups> {
    let unfit = |what: String| {
        Error::new(
            "invalid_option",
            format!("{what} cannot define groups: `{name}`."),
            "Choose a column with a few repeated values, such as sex, site or age band.",
        )
    };
    let mut found = Groups { name: name.to_owned(), ..Groups::default() };
    match &find(data, name)?.values {
        Values::Text { codes, levels } => {
            found.codes = codes.to_vec();
            found.levels = levels.iter().map(str::to_owned).collect();
        }
        Values::Numbers(numbers) => {
            found.codes = vec![MISSING; numbers.len()];
            let known: Vec<u32> =
                (0u32..).zip(numbers.iter()).filter(|(_, v)| v.is_finite()).map(|(row, _)| row).collect();
            let value: Vec<f64> = known.iter().map(|&row| numbers[row as usize]).collect();
            let order = ascending(&value);
            for block in equal_blocks(&value, &order) {
                let code = found.levels.len() as u32;
                if let Some(&first) = order.get(block.start) {
                    found.levels.push(plain(value[first as usize]));
                }
                for &i in &order[block] {
                    found.codes[known[i as usize] as usize] = code;
                }
            }
        }
        Values::Matrix(matrix) => {
            return Err(unfit(format!("An array of {} columns", matrix.width)));
        }
    }
    if are_too_many(found.levels.len(), data.rows) {
        return Err(unfit(format!("{} distinct values", found.levels.len())));
    }
    Ok(found)
}

/// Whether two rows have different values, a missing one being none. O(n) at most.
fn has_two_values(values: &Values) -> bool {
    fn differ<T: PartialEq>(mut known: impl Iterator<Item = T>) -> bool {
        known.next().is_some_and(|first| known.any(|value| value != first))
    }
    match values {
        Values::Text { codes, .. } => differ(codes.iter().filter(|code| **code != MISSING)),
        Values::Numbers(numbers) => differ(numbers.iter().filter(|v| v.is_finite())),
        Values::Matrix(_) => false,
    }
}

/// Whether so many distinct values are too many for groups.
fn are_too_many(levels: usize, rows: usize) -> bool {
    levels > MOST_LEVELS && 2 * levels > rows
}

/// Whether [`groups`] divides rows by these values: a text that differs in almost every row, or an array, does not. O(n) for numbers.
pub fn can_define_groups(values: &Values, rows: usize) -> bool {
    match values {
        Values::Text { levels, .. } => !are_too_many(levels.len(), rows),
        Values::Numbers(numbers) => {
            let mut seen = HashSet::new();
            rows <= MOST_LEVELS
                || numbers.iter().all(|v| {
                    seen.insert(v.to_bits());
                    !are_too_many(seen.len(), rows)
                })
        }
        Values::Matrix(_) => false,
    }
}

/// What is said where no column has the role group.
pub fn missing() -> Error {
    Error::new(
        "features_missing",
        "No group column.",
        message!["Assign the role group", phrases::OR_GROUP_OF_METHOD, "."],
    )
}

/// Most groups that intersections may make.
const MOST_GROUPS: usize = 10_000;

/// The groups of several columns and, where there is more than one, of their intersections: memberships of every row and
/// what each group is called ("sex = F and site = A"). Groups are numbered column by column, values rising, then
/// intersections.
///
/// # Errors
/// As [`groups`]; `features_missing` without a column; `invalid_option` for more than 10,000 groups.
pub fn memberships(data: &Predictions, columns: &[String]) -> Result<(Memberships, Vec<String>)> {
    if columns.is_empty() {
        return Err(missing());
    }
    let mut names: Vec<String> = Vec::new();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for column in columns {
        let groups = groups(data, column)?;
        // Numbers are in their order already, texts in that of the file.
        let mut order: Vec<u32> = (0..groups.levels.len() as u32).collect();
        let text = |code: u32| groups.levels.get(code as usize).map_or("", String::as_str);
        if matches!(find(data, column)?.values, Values::Text { .. }) {
            order::sort(&mut order, &|a, b| text(*a).cmp(text(*b)));
        }
        let mut place = vec![MISSING; order.len()];
        for &code in &order {
            place[code as usize] = names.len() as u32;
            names.push(format!("{} = {}", groups.name, text(code)));
        }
        let of = |code: &u32| place.get(*code as usize).copied().unwrap_or(MISSING);
        found.push(groups.codes.iter().map(of).collect());
    }
    if columns.len() > 1 {
        let at = |row: usize| -> Vec<u32> { found.iter().map(|of| of[row]).collect() };
        let mut both: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for row in 0..data.rows {
            let groups = at(row);
            if !groups.contains(&MISSING) {
                both.insert(groups, 0);
            }
        }
        if both.len() > MOST_GROUPS {
            return Err(Error::new(
                "invalid_option",
                format!("{} columns define {} groups.", columns.len(), both.len()),
                "Use fewer columns, or columns with fewer values.",
            ));
        }
        for (groups, number) in &mut both {
            *number = names.len() as u32;
            let each: Vec<&str> =
                groups.iter().filter_map(|group| names.get(*group as usize).map(String::as_str)).collect();
            let name = each.join(" and ");
            names.push(name);
        }
        let all = (0..data.rows).map(|row| both.get(&at(row)).copied().unwrap_or(MISSING));
        let all = all.collect();
        found.push(all);
    }
    let mut groups = Vec::with_capacity(data.rows * found.len());
    for row in 0..data.rows {
        groups.extend(found.iter().map(|of| of[row]));
    }
    let memberships = Memberships { width: found.len(), groups, count: names.len() };
    Ok((memberships, names))
}
