//! Which columns distinguish some rows from the rest, in plain words.

use std::collections::BTreeMap;

use crate::data::{Predictions, Role};
use crate::num::order::{ascending, equal_blocks, sort_short};
use crate::report::disclosure::{Basis, Stated};
use crate::table::{MISSING, Values};
use crate::words::number::{percent, plain, significant};

/// Numbers with no more distinct values are compared like categories.
const FEW: usize = 5;
/// Text with more distinct values names rows rather than describing them.
const MOST_LEVELS: usize = 200;
/// Arrays with more columns are embeddings: no single coordinate says anything to a person.
const WIDEST: usize = 8;
/// The chance, over all columns, that noise alone is reported.
const ALPHA: f64 = 0.01;
/// Rows that it takes to compare within those that a first column describes.
const ENOUGH: usize = 10;
/// The headline of rows that are like all others.
pub const UNTOLD: &str = "no column distinguishes these rows";
/// Columns that are listed.
const LISTED: usize = 8;

/// One column's difference between the rows inside and the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// name of the column
    pub name: String,
    /// Kolmogorov–Smirnov distance of numbers, total variation distance of categories: 0 to 1
    pub distance: f64,
    /// what it is like inside: "23 to 31", "African-American, 72 %"
    pub here: String,
    /// the same among the rest
    pub elsewhere: String,
    /// in a sentence: "age 23 to 31", "race = African-American"
    pub words: String,
    /// what all of these were computed from: of numbers, the rows at or beyond each end; of categories, the rows inside
    /// and the rest, each with those of them in the category
    pub basis: Basis,
    source: Source,
    test: Test,
}

/// Where a column's values come from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Source {
    Column(usize),
    Coordinate(usize, usize),
    Predicted,
    Label,
}

/// Which values the words describe.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Test {
    Range(f64, f64),
    Level(u32),
}

/// Values of some rows, as numbers or as codes of categories.
enum Described {
    Numbers(Vec<f64>),
    Codes(Vec<u32>),
}

/// The columns that differ by more than chance would, largest distance first, eight at most.
///
/// Every column counts that is neither outcome, prediction, id, weight nor split; with more than two classes also the
/// predicted and the true class. Text with more than 200 values and arrays with more than 8 columns are passed over.
/// Numbers are kept where the distance exceeds √(ln(2/α)/2 · (1/n₁ + 1/n₂)) (Smirnov), categories where the share of
/// the level that is named exceeds that of the rest by z √(p(1 − p)(1/n₁ + 1/n₂)) with a continuity correction,
/// z = √(2 ln(L/α)), L the number of levels; α = 0.01 divided by the number of columns.
///
/// * `rows`: rows of the data that are shown; `inside`: which of them are in the region
///
/// # Cost
/// O(n log n) per column.
pub fn differences(data: &Predictions, rows: &[u32], inside: &[bool]) -> Vec<Difference> {
    let sources = sources(data);
    let alpha = ALPHA / sources.len().max(1) as f64;
    let mut found: Vec<Difference> =
        sources.into_iter().filter_map(|source| difference(data, source, rows, inside, alpha)).collect();
    sort_short(&mut found, |a, b| a.distance > b.distance);
    found.truncate(LISTED);
    found
}

/// One line: the column that differs most and, where there is one, the column that distinguishes the rows inside from
/// those elsewhere which are like them by the first; with what it was computed from.
pub fn headline(data: &Predictions, rows: &[u32], inside: &[bool], found: &[Difference]) -> Stated<String> {
    // What happened says nothing about rows that are still to come.
    let found: Vec<&Difference> = found.iter().filter(|one| !determines_outcome(data, one.source)).collect();
    let Some(first) = found.first() else {
        return Stated::setting(UNTOLD.to_owned());
    };
    let like = first.describes(data, rows);
    let kept: Vec<usize> = (0..rows.len()).filter(|&i| inside[i] || like[i]).collect();
    let kept_rows: Vec<u32> = kept.iter().map(|&i| rows[i]).collect();
    let inside: Vec<bool> = kept.iter().map(|&i| inside[i]).collect();
    let others = inside.iter().filter(|inside| !**inside).count();
    let alpha = ALPHA / found.len() as f64;
    let mut second: Option<Difference> = None;
    for one in found.iter().skip(1).filter(|_| others >= ENOUGH) {
        let again = difference(data, one.source, &kept_rows, &inside, alpha);
        if let Some(again) = again
            && second.as_ref().is_none_or(|best| again.distance > best.distance)
        {
            second = Some(again);
        }
    }
    match second {
        Some(second) => Stated::new(
            format!("{} and {}", first.words, second.words),
            Basis::all_of([first.basis.clone(), second.basis]),
        ),
        None => Stated::new(first.words.clone(), first.basis.clone()),
    }
}

impl Difference {
    /// Cells of a table: column, here, elsewhere, distance.
    pub fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.here.clone(), self.elsewhere.clone(), significant(self.distance)]
    }

    /// Which of the rows its words describe.
    fn describes(&self, data: &Predictions, rows: &[u32]) -> Vec<bool> {
        match (values(data, self.source, rows), self.test) {
            (Described::Numbers(v), Test::Range(low, high)) => v.iter().map(|v| low <= *v && *v <= high).collect(),
            (Described::Codes(codes), Test::Level(level)) => codes.iter().map(|code| *code == level).collect(),
            _ => vec![false; rows.len()],
        }
    }
}

/// Whether a column is the outcome, or tells it.
fn determines_outcome(data: &Predictions, source: Source) -> bool {
    match source {
        Source::Label => true,
        Source::Predicted => false,
        Source::Column(i) | Source::Coordinate(i, _) => data.leakage.contains(&(i as u32)),
    }
}

fn sources(data: &Predictions) -> Vec<Source> {
    let mut found = Vec::new();
    if data.labels.len() > 2 {
        if data.predicted.is_some() {
            found.push(Source::Predicted);
        }
        if data.y.is_some() {
            found.push(Source::Label);
        }
    }
    for (i, (column, role)) in data.table.columns.iter().zip(&data.roles).enumerate() {
        if !matches!(role.role, Role::Feature | Role::Features | Role::Group | Role::Ignore) {
            continue;
        }
        match &column.values {
            Values::Text { levels, .. } if levels.len() > MOST_LEVELS => {}
            // nor does a lexical dimension: the words of a text are told in its place
            Values::Matrix(matrix) if matrix.width > WIDEST || data.is_lexical(&column.name) => {}
            Values::Matrix(matrix) => {
                found.extend((0..matrix.width).map(|j| Source::Coordinate(i, j)));
            }
            _ => found.push(Source::Column(i)),
        }
    }
    found
}

/// The values of one column; numbers with few distinct values become the codes of their bits.
fn values(data: &Predictions, source: Source, rows: &[u32]) -> Described {
    let classes = |classes: &Option<crate::table::Column<u32>>| {
        let class = |row: &u32| classes.as_ref().and_then(|c| c.get(*row as usize));
        rows.iter().map(|row| class(row).copied().unwrap_or(MISSING)).collect()
    };
    let column = |i: usize| data.table.columns.get(i).map(|column| &column.values);
    match source {
        Source::Predicted => Described::Codes(classes(&data.predicted)),
        Source::Label => Described::Codes(classes(&data.y)),
        Source::Column(i) => match column(i) {
            Some(Values::Text { codes, .. }) => {
                let code = |row: &u32| codes.get(*row as usize).copied().unwrap_or(MISSING);
                Described::Codes(rows.iter().map(code).collect())
            }
            Some(Values::Numbers(numbers)) => {
                let value = |row: &u32| numbers.get(*row as usize).copied().unwrap_or(f64::NAN);
                Described::Numbers(rows.iter().map(value).collect())
            }
            _ => Described::Numbers(Vec::new()),
        },
        Source::Coordinate(i, j) => match column(i) {
            Some(Values::Matrix(matrix)) => {
                Described::Numbers(rows.iter().map(|r| matrix.value(*r as usize, j)).collect())
            }
            _ => Described::Numbers(Vec::new()),
        },
    }
}

fn name(data: &Predictions, source: Source) -> String {
    let column = |i: usize| data.table.columns.get(i).map_or("", |column| &column.name);
    let with_role = |role: Role, otherwise: &str| {
        let found = data.roles.iter().find(|column| column.role == role);
        found.map_or(otherwise.to_owned(), |column| column.name.clone())
    };
    match source {
        Source::Predicted => with_role(Role::Predicted, "predicted"),
        Source::Label => with_role(Role::Label, "label"),
        Source::Column(i) if determines_outcome(data, source) => {
            format!("{} (reveals the outcome)", column(i))
        }
        Source::Column(i) => column(i).to_owned(),
        Source::Coordinate(i, j) => format!("{}[{}]", column(i), j + 1),
    }
}

fn level_name(data: &Predictions, source: Source, level: u32) -> String {
    if level == MISSING {
        return "(empty)".to_owned();
    }
    let text = match source {
        Source::Column(i) => match data.table.columns.get(i).map(|column| &column.values) {
            Some(Values::Text { levels, .. }) => levels.text(level),
            _ => "",
        },
        _ => data.labels.get(level as usize).map_or("", String::as_str),
    };
    text.to_owned()
}

fn difference(data: &Predictions, source: Source, rows: &[u32], inside: &[bool], alpha: f64) -> Option<Difference> {
    match values(data, source, rows) {
        Described::Codes(codes) => {
            let name_of = |level: u32| level_name(data, source, level);
            categories(data, source, &codes, inside, alpha, &name_of)
        }
        Described::Numbers(all) => {
            let known: Vec<usize> = (0..all.len()).filter(|&i| all[i].is_finite()).collect();
            let value: Vec<f64> = known.iter().map(|&i| all[i]).collect();
            let inside: Vec<bool> = known.iter().map(|&i| inside[i]).collect();
            let order = ascending(&value);
            let mut distinct: Vec<f64> = Vec::new();
            let mut codes = vec![0; value.len()];
            for block in equal_blocks(&value, &order) {
                if distinct.len() == FEW {
                    return numbers(data, source, &value, &order, &inside, alpha);
                }
                let first = order[block.start] as usize;
                order[block].iter().for_each(|&i| codes[i as usize] = distinct.len() as u32);
                distinct.push(value[first]);
            }
            let name_of = |level: u32| distinct.get(level as usize).map_or(String::new(), |v| plain(*v));
            let found = categories(data, source, &codes, &inside, alpha, &name_of)?;
            let Test::Level(level) = found.test else {
                return None;
            };
            let value = *distinct.get(level as usize)?;
            Some(Difference { test: Test::Range(value, value), ..found })
        }
    }
}

fn numbers(
    data: &Predictions,
    source: Source,
    value: &[f64],
    order: &[u32],
    inside: &[bool],
    alpha: f64,
) -> Option<Difference> {
    let here: f64 = inside.iter().map(|&i| f64::from(u8::from(i))).sum();
    let rest = inside.len() as f64 - here;
    let (mut distance, mut below) = (0.0_f64, [0.0; 2]);
    for block in equal_blocks(value, order) {
        for &i in &order[block] {
            below[usize::from(inside[i as usize])] += 1.0;
        }
        distance = distance.max((below[1] / here - below[0] / rest).abs());
    }
    let critical = ((2.0 / alpha).ln() / 2.0 * (1.0 / here + 1.0 / rest)).sqrt();
    if here == 0.0 || rest == 0.0 || distance <= critical {
        return None;
    }
    let sorted = |wanted: bool| -> Vec<f64> {
        let mine = order.iter().filter(|&&i| inside[i as usize] == wanted);
        mine.map(|&i| value[i as usize]).collect()
    };
    let [(low, high, of_here), (first, last, of_rest)] = [true, false].map(|wanted| mostly(&sorted(wanted)));
    let name = name(data, source);
    let here = span(low, high);
    Some(Difference {
        words: format!("{name} {here}"),
        name,
        distance,
        elsewhere: format!("mostly {}", span(first, last)),
        here,
        basis: Basis::all_of([of_here, of_rest]),
        source,
        test: Test::Range(low, high),
    })
}

/// Where the middle nine tenths of ascending values lie; and of how many rows the ends are: those at or beyond them.
fn mostly(sorted: &[f64]) -> (f64, f64, Basis) {
    let at = |share: f64| {
        let place = (share * (sorted.len().max(1) - 1) as f64).round() as usize;
        sorted.get(place).copied().unwrap_or(f64::NAN)
    };
    let (low, high) = (at(0.05), at(0.95));
    let below = sorted.partition_point(|value| *value <= low);
    let above = sorted.len() - sorted.partition_point(|value| *value < high);
    (low, high, Basis::Statistic(below.min(above) as u64))
}

/// "23 to 31", "−1.5 to −0.3", "4".
fn span(low: f64, high: f64) -> String {
    let short = |v: f64| {
        if v.fract() == 0.0 { plain(v) } else { significant(v) }
    };
    if short(low) == short(high) { short(low) } else { format!("{} to {}", short(low), short(high)) }
}

fn categories(
    data: &Predictions,
    source: Source,
    codes: &[u32],
    inside: &[bool],
    alpha: f64,
    name_of: &dyn Fn(u32) -> String,
) -> Option<Difference> {
    let mut counts = BTreeMap::<u32, [f64; 2]>::new();
    let mut n = [0.0; 2];
    for (code, inside) in codes.iter().zip(inside) {
        counts.entry(*code).or_default()[usize::from(*inside)] += 1.0;
        n[usize::from(*inside)] += 1.0;
    }
    let share = |counts: &[f64; 2]| [counts[1] / n[1], counts[0] / n[0]];
    let excess = |counts: &[f64; 2]| share(counts)[0] - share(counts)[1];
    let distance: f64 = counts.values().map(|c| excess(c).abs() / 2.0).sum();
    let top = counts.iter().max_by(|a, b| excess(a.1).total_cmp(&excess(b.1)))?;
    let (both, either) = (1.0 / n[0] + 1.0 / n[1], (top.1[0] + top.1[1]) / (n[0] + n[1]));
    let z = (2.0 * (counts.len() as f64 / alpha).ln()).sqrt();
    let critical = z * (either * (1.0 - either) * both).sqrt() + both / 2.0;
    if n.contains(&0.0) || excess(top.1) <= critical {
        return None;
    }
    let (name, level) = (name(data, source), name_of(*top.0));
    let [here, elsewhere] = share(top.1).map(percent);
    Some(Difference {
        words: format!("{name} = {level}"),
        name,
        distance,
        here: format!("{level}, {here}"),
        elsewhere,
        basis: Basis::all_of([1, 0].map(|k: usize| Basis::share(n[k] as usize, top.1[k] as usize))),
        source,
        test: Test::Level(*top.0),
    })
}
