//! Rows in groups: by a category, by quantile bins of a number, or by pairs of columns.

use std::collections::{BTreeMap, BTreeSet};

use super::predictions::Predictions;
use super::roles::Role;
use crate::error::{Error, Result};
use crate::num::order;
use crate::num::order::{ascending, cell_start, equal_blocks, shortest_between};
use crate::table::values::{MISSING, Values, all_whole};
use crate::words::number;
use crate::words::text::{listed, plain, thousands};

/// Numbers with no more distinct values than this are categories.
const FEW: usize = 8;
/// Of more groups than this, the small ones are pooled.
const MOST_ALONE: usize = 200;
/// Groups of fewer rows than this are small.
const SMALL: usize = 10;
/// Labels and predicted classes with no more values than this are classes, each a group.
const MOST_CLASSES: usize = 200;
/// Quantile bins of a number, unless someone says otherwise.
pub const QUANTILES: usize = 4;

/// Which group each row belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouping {
    /// what the groups are of, such as "race" or "race × sex"
    pub title: String,
    /// name of each group; index = code; by value where that is a number, else by name
    pub names: Vec<String>,
    /// code of each row of the data; `MISSING` where the row has no value
    pub code: Vec<u32>,
    /// the groups by either column alone, where the groups are combinations of two
    pub of_columns: Option<Box<[Grouping; 2]>>,
}

impl Grouping {
    /// For each group, the positions in `rows` of its rows, ascending. O(rows).
    ///
    /// * `rows`: rows of the data
    pub fn positions(&self, rows: &[u32]) -> Vec<Vec<u32>> {
        let mut positions = vec![Vec::new(); self.names.len()];
        for (i, row) in (0u32..).zip(rows) {
            let code = self.code.get(*row as usize).map_or(usize::MAX, |code| *code as usize);
            if let Some(positions) = positions.get_mut(code) {
                positions.push(i);
            }
        }
        positions
    }
}

/// The name of the predicted class where no column of the file holds it.
pub const PREDICTED: &str = "predicted class";

/// Columns whose values can be groups: text whose values come back, and numbers, where two rows differ. Those with the role `group` stand first;
/// then, with more than two classes, the predicted class, which is known before anything happens; the label stands
/// last, for groups by the outcome have no test (see [`leakage`](super::leakage)).
pub fn group_columns(data: &Predictions) -> Vec<String> {
    let fit = |values: &Values| match values {
        Values::Text { levels, .. } => levels.len() > 1 && come_back(levels.len(), data.rows) && values.divides(),
        Values::Numbers(_) => values.divides(),
        Values::Matrix(_) => false,
    };
    let classes = data.labels.len() > 2;
    let kept = |role: Role| match role {
        Role::Group => Some(0),
        Role::Predicted if classes => Some(1),
        Role::Ignore | Role::Feature => Some(2),
        Role::Split => Some(3),
        Role::Label if classes => Some(4),
        _ => None,
    };
    let columns = data.table.columns.iter().zip(&data.roles);
    // What tells the outcome stands with it.
    let place = |place: u32, role: Role| {
        let told = data.leakage.contains(&place);
        kept(role).map(|rank| if told { 4 } else { rank })
    };
    let mut found: Vec<(u8, bool, &str)> = (0u32..)
        .zip(columns)
        .filter(|(_, (column, _))| fit(&column.values))
        .filter_map(|(k, (column, role))| {
            let number = matches!(column.values, Values::Numbers(_));
            Some((place(k, role.role)?, number, column.name.as_str()))
        })
        .collect();
    if classes && data.predicted.is_some() && !found.iter().any(|one| one.0 == 1) {
        found.push((1, false, PREDICTED));
    }
    order::sort(&mut found, &|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    // files of several models repeat the columns of the rows; a name means the first
    let mut seen = BTreeSet::new();
    found.into_iter().filter(|(.., name)| seen.insert(*name)).map(|(.., name)| name.to_owned()).collect()
}

/// Whether so many different texts say which rows belong together, rather than name the rows: two rows each on average,
/// or as few texts as can always be told apart.
fn come_back(levels: usize, rows: usize) -> bool {
    levels <= MOST_ALONE || 2 * levels <= rows
}

/// Groups by one column, or by every combination of two that occurs.
///
/// Text: one group a value. Numbers: one a value where there are at most eight or where they are classes, else `quantiles`
/// bins of about equal size, equal numbers always together. Rows without a value are in none. Of more than 200 groups, those of fewer than ten rows become one, which says how many
/// they are.
///
/// # Errors
/// `unknown_column`; `invalid_option` for a column of arrays or of names, for less than one or more than two columns,
/// or fewer than two quantiles.
///
/// # Cost
/// O(n log n) for numbers, O(n) for text.
///
/// ```
/// use localcal_tables::data::{OpenOptions, assemble};
/// use localcal_tables::read::read;
/// use localcal_tables::data::grouping::grouping;
///
/// let file = read("rows.csv", b"p,y,site\n0.9,1,A\n0.8,1,B\n0.3,0,A\n0.2,1,A\n", &mut |_| ())?;
/// let (data, _) = assemble(&[file], &OpenOptions::default())?;
/// let found = grouping(&data, &["site".into()], 4)?;
/// assert_eq!((found.names.as_slice(), found.code.as_slice()), (["A", "B"].map(String::from).as_slice(), [0, 1, 0, 0].as_slice()));
/// # Ok::<(), localcal_tables::Error>(())
/// ```
pub fn grouping(data: &Predictions, columns: &[String], quantiles: usize) -> Result<Grouping> {
    if quantiles < 2 {
        return Err(Error::new(
            "invalid_option",
            format!("Numbers cannot be divided into {quantiles} groups."),
            "Use 2 quantiles or more.",
        ));
    }
    match columns {
        [one] => Ok(pooled(by_column(data, one, quantiles)?)),
        [one, other] => {
            let (a, b) = (by_column(data, one, quantiles)?, by_column(data, other, quantiles)?);
            let by = pooled(crossed(&a, &b));
            Ok(Grouping { of_columns: Some(Box::new([pooled(a), pooled(b)])), ..by })
        }
        _ => Err(Error::new(
            "invalid_option",
            format!("Groups are defined by one or two columns, not by {}.", columns.len()),
            "Choose one or two columns.",
        )),
    }
}

fn by_column(data: &Predictions, name: &str, quantiles: usize) -> Result<Grouping> {
    let place = data.table.columns.iter().position(|c| c.name == name);
    let column = place.and_then(|j| data.table.columns.get(j));
    if let (None, PREDICTED, Some(predicted)) = (column, name, &data.predicted) {
        return Ok(Grouping {
            title: name.to_owned(),
            names: data.labels.clone(),
            code: predicted.to_vec(),
            of_columns: None,
        });
    }
    let column = column.ok_or_else(|| {
        Error::new(
            "unknown_column",
            format!("Unknown column “{name}”."),
            format!("Columns that can be groups: {}.", listed(group_columns(data))),
        )
    })?;
    let (names, code) = match &column.values {
        Values::Numbers(values) => {
            let role = place.and_then(|j| data.roles.get(j)).map(|role| role.role);
            let few = match role {
                Some(Role::Label | Role::Predicted) => MOST_CLASSES,
                _ => FEW,
            };
            let width = place.and_then(|j| data.roles.get(j)).and_then(|role| role.cell_width);
            of_numbers(values, quantiles, (few, width))
        }
        Values::Text { codes, levels } if come_back(levels.len(), data.rows) => {
            let mut order: Vec<u32> = (0..levels.len() as u32).collect();
            order::sort(&mut order, &|a, b| levels.text(*a).cmp(levels.text(*b)));
            let mut place = vec![0; order.len()];
            for (i, code) in order.iter().enumerate() {
                place[*code as usize] = i as u32;
            }
            let names = order.iter().map(|code| levels.text(*code).to_owned());
            let code = |code: &u32| place.get(*code as usize).copied().unwrap_or(MISSING);
            (names.collect(), codes.iter().map(code).collect())
        }
        _ => {
            return Err(Error::new(
                "invalid_option",
                format!("“{name}” cannot define groups: almost every row has its own value, or it is an array."),
                format!("Columns that can be groups: {}.", listed(group_columns(data))),
            ));
        }
    };
    Ok(Grouping { title: name.to_owned(), names, code, of_columns: None })
}

/// The same groups where they are at most 200; else groups of fewer than ten rows together as the last one.
fn pooled(all: Grouping) -> Grouping {
    let count = all.names.len();
    if count <= MOST_ALONE {
        return all;
    }
    let mut rows = vec![0usize; count];
    for &code in &all.code {
        if let Some(rows) = rows.get_mut(code as usize) {
            *rows += 1;
        }
    }
    let small = rows.iter().filter(|rows| **rows < SMALL).count();
    if small < 2 {
        return all;
    }
    let last = (count - small) as u32;
    let (mut names, mut place) = (Vec::with_capacity(last as usize + 1), Vec::with_capacity(count));
    for (name, rows) in all.names.into_iter().zip(rows) {
        if rows < SMALL {
            place.push(last);
        } else {
            place.push(names.len() as u32);
            names.push(name);
        }
    }
    names.push(format!("{} groups of fewer than {SMALL} rows, together", thousands(small)));
    let code = |code: &u32| place.get(*code as usize).copied().unwrap_or(MISSING);
    Grouping { names, code: all.code.iter().map(code).collect(), ..all }
}

/// One group a value where these are few, else bins of equal mass.
///
/// * `width`: of the cells whose centers the values are, where they were quantized: groups are named by the ends of cells
fn of_numbers(values: &[f64], quantiles: usize, (few, width): (usize, Option<f64>)) -> (Vec<String>, Vec<u32>) {
    let known: Vec<u32> = (0..values.len() as u32).filter(|&i| values[i as usize].is_finite()).collect();
    let of_known: Vec<f64> = known.iter().map(|&i| values[i as usize]).collect();
    let order = ascending(&of_known);
    let blocks: Vec<_> = equal_blocks(&of_known, &order).collect();
    let many = blocks.len() > few;
    let mut code = vec![MISSING; values.len()];
    let mut ends: Vec<[f64; 2]> = Vec::new();
    let mut last = None;
    for (k, block) in blocks.into_iter().enumerate() {
        // a block of equal numbers goes where its middle lies
        let middle = (block.start + block.end) as f64 / 2.0 / order.len() as f64;
        let bin = if many { (middle * quantiles as f64) as usize } else { k };
        let value = of_known[order[block.start] as usize];
        if last != Some(bin) {
            ends.push([value, value]);
            last = Some(bin);
        }
        if let Some(end) = ends.last_mut() {
            end[1] = value;
        }
        for &i in &order[block] {
            code[known[i as usize] as usize] = ends.len() as u32 - 1;
        }
    }
    let whole = all_whole(values);
    // The shortest number that separates two bins, or where the cell of the second begins.
    let between =
        |high: f64, low: f64| width.map_or_else(|| shortest_between(high, low), |width| cell_start(low, width));
    let cut = |k: usize| ends.get(k).zip(ends.get(k + 1)).map(|([_, high], [low, _])| between(*high, *low));
    let name = |(k, [low, high]): (usize, &[f64; 2])| match (k.checked_sub(1).and_then(cut), cut(k)) {
        _ if low == high && width.is_none() => {
            if whole {
                plain(*low)
            } else {
                short(*low)
            }
        }
        _ if whole && width.is_none() => number::half_open(*low, high + 1.0, true),
        (Some(from), Some(below)) => number::half_open(from, below, false),
        (None, Some(below)) => format!("< {}", number::plain(below)),
        (Some(from), None) => format!("≥ {}", number::plain(from)),
        (None, None) => format!("{} to {}", short(*low), short(*high)),
    };
    (ends.iter().enumerate().map(name).collect(), code)
}

/// In four digits at most.
fn short(value: f64) -> String {
    format!("{value:.3e}").parse().map_or_else(|_| plain(value), plain)
}

/// Every pair of groups that some row has.
fn crossed(a: &Grouping, b: &Grouping) -> Grouping {
    let mut seen = BTreeMap::new();
    let pair = |(a, b): (&u32, &u32)| (*a != MISSING && *b != MISSING).then_some((*a, *b));
    for pair in a.code.iter().zip(&b.code).filter_map(pair) {
        seen.insert(pair, 0);
    }
    for (i, place) in seen.values_mut().enumerate() {
        *place = i as u32;
    }
    let name = |(x, y): &(u32, u32)| format!("{}, {}", a.names[*x as usize], b.names[*y as usize]);
    Grouping {
        title: format!("{} × {}", a.title, b.title),
        names: seen.keys().map(name).collect(),
        code: (a.code.iter().zip(&b.code)).map(|both| pair(both).map_or(MISSING, |pair| seen[&pair])).collect(),
        of_columns: None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_every_model_repeats_is_one() {
        let rows = |p: f64| format!("id,ward,p,y\na,N,{p},1\nb,S,0.5,0\nc,N,0.25,0\nd,S,0.75,1\n");
        let file = |name: &str, p: f64| crate::read::read(name, rows(p).as_bytes(), &mut |_| ()).unwrap();
        let files = [file("a.csv", 0.5), file("b.csv", 0.6), file("c.csv", 0.7)];
        let (data, _) = crate::data::assemble(&files, &crate::data::OpenOptions::default()).unwrap();
        assert_eq!(data.table.columns.iter().filter(|column| column.name == "ward").count(), 3);
        assert_eq!(group_columns(&data).iter().filter(|name| *name == "ward").count(), 1);
    }

    #[test]
    fn bins_of_numbers_read_as_they_are_meant() {
        let years: Vec<f64> = (0..80).map(|k| f64::from(20 + k % 40)).chain([f64::NAN]).collect();
        let (names, code) = of_numbers(&years, 4, (FEW, None));
        assert_eq!(names, ["20 to 29", "30 to 39", "40 to 49", "50 to 59"]);
        assert_eq!((code[9], code[10], code[80]), (0, 1, MISSING));
        // 0.25 is the shortest number between 0.2475 and 0.2525
        let shares: Vec<f64> = (0..200).map(|k| (f64::from(k) + 0.5) / 200.0).collect();
        let (names, code) = of_numbers(&shares, 4, (FEW, None));
        assert_eq!(names, ["< 0.25", "0.25 to <0.5", "0.5 to <0.75", "≥ 0.75"]);
        assert_eq!((code[49], code[50]), (0, 1));
        // centers of quantized cells: the ends of these, of which the outer ones hold what lies beyond, too
        let ages: Vec<f64> = (0..40).map(|k| 12.5 + 25.0 * f64::from(k % 4)).collect();
        let (names, _) = of_numbers(&ages, 4, (FEW, Some(25.0)));
        assert_eq!(names, ["< 25", "25 to <50", "50 to <75", "≥ 75"]);
        assert_eq!(
            of_numbers(&[-2.0, 1234.5, -2.0], 4, (FEW, None)).0,
            ["-2", "1234.5"].map(|one| short(one.parse().unwrap_or(0.0)))
        );
    }
}
