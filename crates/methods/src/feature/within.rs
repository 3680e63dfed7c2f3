//! Which rows can be neighbors at all: those with the same value of a column, or of the same predicted class.
//!
//! The kernel is 0 between any two others. Every sum over near rows stays within confidence bins, so it is enough to cut the
//! bins finer: a stratum is a bin and a value.

use super::columns::find;
use super::groups::groups;
use super::{FeatureChoice, Features, features};
use crate::data::grouping::{PREDICTED as PREDICTED_CLASS, group_columns};
use crate::data::{Predictions, Projection, Role};
use crate::error::{Error, Result};
use crate::table::{MISSING, Values};

/// Every row can be the neighbor of every other.
pub const ALL: &str = "all";
/// Rows of the same predicted class.
pub const PREDICTED: &str = "predicted";
/// Rows of the same true class: always refused.
const CLASS: &str = "class";

/// Which rows can be neighbors.
#[derive(Debug, Clone, PartialEq)]
pub struct Within {
    /// what rows have in common, for people: "predicted class", or a column
    pub title: String,
    /// code of each row of the data, [`MISSING`] where the cell is empty
    pub codes: Vec<u32>,
    /// what each code stands for
    pub levels: Vec<String>,
}

impl Within {
    /// Of `predicted`, or of the values of a column; none for `all` and where nothing is asked for. O(n log n) for numbers.
    ///
    /// # Errors
    /// `unknown_column`; `invalid_option` for a column that makes no groups, and for one that tells the outcome: rows of one
    /// outcome are off although every score is right.
    ///
    /// ```
    /// use localcal_methods::data::{OpenOptions, assemble};
    /// use localcal_methods::read::read;
    /// use localcal_methods::feature::Within;
    ///
    /// let file = read("rows.csv", b"p,y,site\n0.9,1,A\n0.8,1,B\n0.3,0,A\n", &mut |_| ())?;
    /// let (data, _) = assemble(&[file], &OpenOptions::default())?;
    /// let found = Within::new(&data, Some("site"))?.expect("three rows");
    /// assert_eq!((found.codes.as_slice(), found.levels.len()), ([0, 1, 0].as_slice(), 2));
    /// assert_eq!(Within::new(&data, Some("y")).expect_err("the outcome").code(), "invalid_option");
    /// # Ok::<(), localcal_methods::Error>(())
    /// ```
    pub fn new(data: &Predictions, asked: Option<&str>) -> Result<Option<Self>> {
        let Some(name) = asked.filter(|name| *name != ALL) else { return Ok(None) };
        if name == PREDICTED {
            let codes = data.predicted.as_ref().ok_or_else(|| {
                Error::new(
                    "invalid_option",
                    "Neighbors of the same predicted class were requested, but there is no predicted class.",
                    "Assign a probability for every class, or choose a column.",
                )
            })?;
            let levels = data.labels.clone();
            return Ok(Some(Self { title: PREDICTED_CLASS.to_owned(), codes: codes.to_vec(), levels }));
        }
        if name == CLASS && find(data, name).is_err() {
            return Err(determines_outcome("The observed class is the outcome itself."));
        }
        let groups = groups(data, name)?;
        if let Some(leakage) = data.leakage(name) {
            return Err(determines_outcome(&format!("{}.", leakage.sentence(name))));
        }
        if groups.levels.len() > MOST_VALUES {
            return Err(Error::new(
                "invalid_option",
                format!("`{name}` has {} values.", groups.levels.len()),
                "Choose a column with a few repeated values.",
            ));
        }
        Ok(Some(Self { title: groups.name, codes: groups.codes, levels: groups.levels }))
    }

    /// The column, where its values are numbers.
    fn numbers<'a>(&self, data: &'a Predictions) -> Option<&'a [f64]> {
        match find(data, &self.title).map(|column| &column.values) {
            Ok(Values::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// Names of the coordinates that say what neighbors have in common, see [`behind`](Self::behind).
    pub fn coordinates(&self, data: &Predictions) -> Vec<String> {
        match self.numbers(data) {
            Some(_) => vec![self.title.clone()],
            None => self.levels.iter().map(|level| format!("{} = {level}", self.title)).collect(),
        }
    }

    /// Coordinates with what neighbors have in common behind them, by names under which another file has them too: 0 or 1
    /// for each predicted class and each value of a text, or the number itself. A row without a value has no place.
    ///
    /// # Errors
    /// `invalid_option` for more than 200 of them.
    pub fn behind(&self, data: &Predictions, all: Features) -> Result<Features> {
        let (numbers, more) = (self.numbers(data), self.coordinates(data));
        let (d, width) = (all.d, more.len());
        if width > MOST_COORDINATES {
            return Err(Error::new(
                "invalid_option",
                format!("A fit with neighbors of the same {} would store {width} values.", self.title),
                format!(
                    "At most {MOST_COORDINATES} are supported. Choose a column with fewer values, or allow all \
                         rows as neighbors."
                ),
            ));
        }
        let mut values = Vec::with_capacity(data.rows * (d + width));
        for (row, place) in all.values.chunks_exact(d.max(1)).enumerate() {
            values.extend_from_slice(place);
            let code = self.codes.get(row).copied().unwrap_or(MISSING);
            values.extend((0..width as u32).map(|level| match numbers {
                _ if code == MISSING => f64::NAN,
                Some(numbers) => numbers.get(row).copied().unwrap_or(f64::NAN),
                None => f64::from(u8::from(code == level)),
            }));
        }
        let projection = all.projection.map(|of| behind_projection(of, d, &more));
        let names = all.names.into_iter().chain(more).collect();
        Ok(Features { d: d + width, values, names, projection, ..all })
    }

    /// The value of a row of the data.
    pub fn level(&self, row: usize) -> Option<&str> {
        let code = *self.codes.get(row)?;
        self.levels.get(code as usize).map(String::as_str)
    }

    /// "with rows of the same predicted class", "with rows of the same race".
    pub fn words(&self) -> String {
        format!("with rows of the same {}", self.title)
    }

    /// The strata of some rows of the data: confidence bins, cut by the values of the rows; as they are where nothing cuts
    /// them. Strata of two calls with the same cut are the same.
    pub fn strata(cut: Option<&Self>, bin: Vec<u32>, rows: &[u32]) -> Vec<u32> {
        strata(cut.map_or(&[], |cut| &cut.codes), bin, rows)
    }
}

/// Strata by codes of every row of the data; bins as they are where there are none.
pub fn strata(codes: &[u32], bin: Vec<u32>, rows: &[u32]) -> Vec<u32> {
    if codes.is_empty() {
        return bin;
    }
    let code = |row: &u32| codes.get(*row as usize).copied().unwrap_or(MISSING);
    let stratum = |(bin, row): (u32, &u32)| code(row).saturating_mul(BINS).saturating_add(bin);
    bin.into_iter().zip(rows).map(stratum).collect()
}

/// A projection with further columns behind it, which stay as they are.
fn behind_projection(projection: Projection, q: usize, more: &[String]) -> Projection {
    let (d, width) = (projection.of.len(), more.len());
    let mut components = Vec::with_capacity((q + width) * (d + width));
    for own in projection.components.chunks_exact(d.max(1)) {
        components.extend_from_slice(own);
        components.extend(std::iter::repeat_n(0.0, width));
    }
    for place in 0..width {
        components.extend((0..d + width).map(|column| f64::from(u8::from(column == d + place))));
    }
    Projection {
        of: projection.of.iter().chain(more).cloned().collect(),
        mean: projection.mean.iter().copied().chain(std::iter::repeat_n(0.0, width)).collect(),
        components: components.into(),
    }
}

/// Coordinates of what neighbors have in common at most.
const MOST_COORDINATES: usize = 200;

/// Room for the bins of a value: more than there can be (`metric::binning` allows 1,000).
const BINS: u32 = 1 << 10;
/// Values that strata have room for.
const MOST_VALUES: usize = (u32::MAX / BINS) as usize - 1;

fn determines_outcome(why: &str) -> Error {
    Error::new(
        "invalid_option",
        format!("Neighbors cannot be restricted by a column that determines the outcome. {why}"),
        "Use `predicted`, or a column known before the outcome.",
    )
}

/// Coordinates of every row, and which rows can be neighbors; a row without a value of the column has no place.
///
/// # Errors
/// As [`features`] and [`Within::new`].
pub fn features_within(
    data: &Predictions,
    choice: &FeatureChoice,
    within: Option<&str>,
    fit_rows: &[u32],
) -> Result<(Features, Option<Within>)> {
    let mut all = features(data, choice, fit_rows)?;
    let within = Within::new(data, within)?;
    if let Some(cut) = &within {
        let rows = all.values.chunks_exact_mut(all.d.max(1)).zip(&cut.codes);
        rows.filter(|(_, code)| **code == MISSING).for_each(|(place, _)| place.fill(f64::NAN));
    }
    Ok((all, within))
}

/// "with rows of the same race", of what was asked for; none where every row can be a neighbor.
pub fn in_words(within: Option<&str>) -> Option<String> {
    let name = within.filter(|name| *name != ALL)?;
    Some(format!("with rows of the same {}", if name == PREDICTED { PREDICTED_CLASS } else { name }))
}

/// The column within whose values rows are neighbors, if it is one.
pub fn column_within(within: Option<&str>) -> Option<&str> {
    within.filter(|name| ![ALL, PREDICTED].contains(name))
}

/// What can be chosen beside `all`: the predicted class of several, then columns with few values, none of which tells the
/// outcome; not what a fit could not remember.
pub fn offered(data: &Predictions) -> Vec<String> {
    let classes = (3..=MOST_COORDINATES).contains(&data.labels.len()) && data.predicted.is_some();
    let fits = |name: &String| {
        let role = data.roles.iter().find(|role| role.name == *name).map(|role| role.role);
        let known = matches!(role, Some(Role::Group | Role::Feature | Role::Ignore));
        let few = match find(data, name).map(|column| &column.values) {
            Ok(Values::Text { .. }) => true,
            Ok(Values::Numbers(_)) => role == Some(Role::Group),
            _ => false,
        };
        let cut = || Within::new(data, Some(name)).ok().flatten();
        let sound = |cut: &Within| {
            let values = cut.levels.len();
            values > 1 && values * FEWEST_ROWS <= data.rows && cut.coordinates(data).len() <= MOST_COORDINATES
        };
        known && few && cut().as_ref().is_some_and(sound)
    };
    let mut found: Vec<String> = classes.then(|| PREDICTED.to_owned()).into_iter().collect();
    for name in group_columns(data).into_iter().filter(fits) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Rows a value of a column that is offered: with fewer no row has the 20 neighbors that a place takes to be judged.
const FEWEST_ROWS: usize = 20;
