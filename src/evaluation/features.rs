//! The coordinates that say which rows are near each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tsify::Tsify;

use crate::data::{MISSING, NamedColumn, Predictions, Role, Values};
use crate::error::{Error, Result};
use crate::kernel::Points;
use crate::project::pca::Pca;

/// Which columns or arrays are the coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Tsify)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "features are a name, a list of names, or { pca, of } with a whole number and a list of names"
)]
pub enum FeatureChoice {
    /// one array, or one column, by name
    One(String),
    /// several columns, by name; text columns become one coordinate per value
    Many(Vec<String>),
    /// the first principal components of some columns (default: every feature)
    Pca {
        /// number of components
        pca: usize,
        /// columns or arrays to project; default: every column with a feature role
        #[serde(default)]
        #[tsify(optional)]
        of: Vec<String>,
    },
}

/// n × d coordinates with names.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// d
    pub d: usize,
    /// row-major, one row per row of the data
    pub values: Vec<f64>,
    /// one name per coordinate
    pub names: Vec<String>,
    /// the map from the named columns to the coordinates, where they are principal components
    pub projection: Option<Projection>,
}

/// Principal components with the names of what they were made from: coordinate = component · (x − mean).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// one name per entry of a row before the projection
    pub of: Vec<String>,
    /// mean of each
    pub mean: Vec<f64>,
    /// unit directions, one after the other
    pub components: Vec<f64>,
}

impl Features {
    /// Coordinates of the chosen rows, in their order.
    pub fn select(&self, rows: &[u32]) -> Vec<f64> {
        rows.iter()
            .flat_map(|&row| &self.values[row as usize * self.d..(row as usize + 1) * self.d])
            .copied()
            .collect()
    }
}

/// Names of the columns that have a feature role, in file order.
pub fn feature_columns(data: &Predictions) -> Vec<String> {
    let is_feature = |role| matches!(role, Role::Feature | Role::Features);
    data.roles
        .iter()
        .filter(|column| is_feature(column.role))
        .map(|column| column.name.clone())
        .collect()
}

/// The choice for a person who made none: two or fewer feature columns as they are, else two components.
pub fn default_choice(data: &Predictions) -> Option<FeatureChoice> {
    let names = feature_columns(data);
    let width: usize = names
        .iter()
        .filter_map(|name| find(data, name).ok())
        .map(|c| width(&c.values))
        .sum();
    match width {
        0 => None,
        1 | 2 => Some(FeatureChoice::Many(names)),
        _ => Some(FeatureChoice::Pca { pca: 2, of: names }),
    }
}

/// The coordinates of every row; principal components are fitted on `fit_rows` only.
///
/// # Errors
/// `features_missing` if nothing is named, `unknown_column` for a name that is not in the file,
/// `not_a_number` for a missing or infinite coordinate.
pub fn features(data: &Predictions, choice: &FeatureChoice, fit_rows: &[u32]) -> Result<Features> {
    match choice {
        FeatureChoice::One(name) => columns(data, std::slice::from_ref(name)),
        FeatureChoice::Many(names) => columns(data, names),
        FeatureChoice::Pca { pca, of } => {
            let names = if of.is_empty() {
                feature_columns(data)
            } else {
                of.clone()
            };
            let raw = columns(data, &names)?;
            let components = (*pca).clamp(1, raw.d);
            let fit = Pca::fit(
                &Points::new(raw.d, &raw.select(fit_rows))?,
                components,
                0,
                &mut |_| (),
            )?;
            // Few rows have fewer components than were asked for.
            Ok(Features {
                d: fit.q(),
                values: fit.transform(&Points::new(raw.d, &raw.values)?, &mut |_| ())?,
                names: (1..=fit.q()).map(|k| format!("component {k}")).collect(),
                projection: Some(Projection {
                    of: raw.names,
                    mean: fit.mean,
                    components: fit.components,
                }),
            })
        }
    }
}

/// d, as far as it is known before the values are looked at.
pub fn width_of(data: &Predictions, choice: &FeatureChoice) -> usize {
    let width_named = |name: &String| find(data, name).map_or(0, |column| width(&column.values));
    match choice {
        FeatureChoice::One(name) => width_named(name),
        FeatureChoice::Many(names) => names.iter().map(width_named).sum(),
        FeatureChoice::Pca { pca, .. } => *pca,
    }
}

/// Whether every named column is there, and components are asked for by a number that makes sense.
///
/// # Errors
/// `invalid_option` for no component, `unknown_column` for the first name that is not in the file.
pub fn check(data: &Predictions, choice: &FeatureChoice) -> Result<()> {
    if matches!(choice, FeatureChoice::Pca { pca: 0, .. }) {
        return Err(Error::new(
            "invalid_option",
            "0 principal components were asked for.",
            "Ask for at least 1.",
        ));
    }
    let names = match choice {
        FeatureChoice::One(name) => std::slice::from_ref(name),
        FeatureChoice::Many(names) | FeatureChoice::Pca { of: names, .. } => names.as_slice(),
    };
    names
        .iter()
        .try_for_each(|name| find(data, name).map(|_| ()))
}

fn columns(data: &Predictions, names: &[String]) -> Result<Features> {
    if names.is_empty() {
        return Err(Error::new(
            "features_missing",
            "No feature column was chosen.",
            "Choose one or more numeric columns that describe the rows.",
        ));
    }
    let found = names
        .iter()
        .map(|name| find(data, name))
        .collect::<Result<Vec<_>>>()?;
    let parts = found
        .iter()
        .map(|column| coordinates(column))
        .collect::<Result<Vec<_>>>()?;
    if let [only] = parts.as_slice() {
        return checked(only.clone(), data);
    }
    let d = parts.iter().map(|part| part.d).sum();
    let mut values = Vec::with_capacity(data.rows * d);
    for i in 0..data.rows {
        for part in &parts {
            values.extend_from_slice(&part.values[i * part.d..(i + 1) * part.d]);
        }
    }
    checked(
        Features {
            d,
            values,
            names: parts.into_iter().flat_map(|part| part.names).collect(),
            projection: None,
        },
        data,
    )
}

fn checked(features: Features, data: &Predictions) -> Result<Features> {
    match features.values.iter().position(|v| !v.is_finite()) {
        None => Ok(features),
        Some(place) => {
            let row = data
                .row_numbers
                .get(place / features.d)
                .copied()
                .unwrap_or(0);
            Err(Error::new(
                "not_a_number",
                format!(
                    "Row {row} has no usable number in feature column `{}`.",
                    features.names[place % features.d]
                ),
                "Fill the cell, choose other feature columns, or open the file with unusable rows left out.",
            ))
        }
    }
}

fn width(values: &Values) -> usize {
    match values {
        Values::Matrix(matrix) => matrix.width,
        Values::Numbers(_) => 1,
        Values::Text { levels, .. } => levels.len(),
    }
}

fn find<'a>(data: &'a Predictions, name: &str) -> Result<&'a NamedColumn> {
    data.table
        .columns
        .iter()
        .find(|column| column.name == name || format!("{}:{}", column.file, column.name) == name)
        .ok_or_else(|| {
            Error::new(
                "unknown_column",
                format!("No column or array is called `{name}`."),
                "Check the spelling.",
            )
        })
}

fn coordinates(column: &NamedColumn) -> Result<Features> {
    Ok(match &column.values {
        Values::Numbers(values) => Features {
            d: 1,
            values: values.to_vec(),
            names: vec![column.name.clone()],
            projection: None,
        },
        Values::Matrix(matrix) => {
            let mut values = vec![0.0; matrix.rows() * matrix.width];
            for (i, row) in values.chunks_exact_mut(matrix.width.max(1)).enumerate() {
                matrix.row_into(i, row);
            }
            let names = (1..=matrix.width)
                .map(|k| format!("{}[{k}]", column.name))
                .collect();
            Features {
                d: matrix.width,
                values,
                names,
                projection: None,
            }
        }
        Values::Text { codes, levels } => {
            // One coordinate per value, in sorted order so that it does not hang on the order of rows.
            let order: BTreeMap<&str, usize> = levels
                .iter()
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .zip(0..)
                .collect();
            let d = order.len().max(1);
            if d > 200 {
                return Err(Error::new(
                    "invalid_option",
                    format!(
                        "A text column with {d} distinct values cannot be a feature: `{}`.",
                        column.name
                    ),
                    "Choose a column with fewer values, or a numeric one.",
                ));
            }
            let mut values = vec![0.0; codes.len() * d];
            for (i, &code) in codes.iter().enumerate() {
                match order.get(levels.text(code)) {
                    Some(&k) if code != MISSING => values[i * d + k] = 1.0,
                    _ => values[i * d] = f64::NAN,
                }
            }
            let names = order
                .keys()
                .map(|level| format!("{} = {level}", column.name))
                .collect();
            Features {
                d,
                values,
                names,
                projection: None,
            }
        }
    })
}
