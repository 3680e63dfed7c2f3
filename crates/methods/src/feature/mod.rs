//! The coordinates that say which rows are near each other.

mod by_content;
mod by_name;
mod columns;
mod gaps;
pub mod groups;
mod loadings;
pub mod projection;
pub mod proximity;
pub mod searched;
pub mod within;

use serde::{Deserialize, Serialize};

use crate::data::{LEXICAL, Predictions, Projection, Role};
use crate::error::{Error, Result};
use crate::num::{Chosen, Rows};
use crate::project::pca::Pca;
use crate::table::Values;
use crate::words::number::ordinal;
use crate::words::text::counted;
pub use by_content::{covariates, date_columns, numbers};
pub use by_name::{absent, features_by_name, value_at};
use columns::width;
pub use columns::{Places, find, is_place};
pub use gaps::{kept_without_place, left_out, moved_without_place, no_row_has_a_place};
pub use loadings::Loadings;
pub use within::{Within, features_within};

/// Which columns or arrays are the coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        of: Vec<String>,
    },
}

/// n × d coordinates with names.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    /// number of coordinates
    pub d: usize,
    /// row-major, one row per row of the data; not a number in a row with a gap in one of the columns: it has no place
    pub values: Vec<f64>,
    /// one name per coordinate
    pub names: Vec<String>,
    /// the map from the named columns to the coordinates, where it is linear and not the identity
    pub projection: Option<Projection>,
    /// of each coordinate that is a principal component; else empty
    pub loadings: Vec<Loadings>,
    /// arrays among the columns, and where each comes from
    pub arrays: Vec<(String, ArrayOrigin)>,
}

/// Where the entries of an array come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayOrigin {
    /// a file
    File,
    /// the words of a text, see [`LEXICAL`]
    Words,
    /// a feature map that was made
    Map,
}

impl Features {
    /// What a coordinate is, for people: "age", "along priors_count and against age (component 1)", of an array "1st principal
    /// axis (62 % of the spread)", "column 3 of embeddings", "lexical dimension 3" or, of a map that was made, "1st axis of t-SNE
    /// of embeddings".
    pub fn name(&self, k: usize) -> String {
        if let Some(of) = self.loadings.get(k) {
            return loadings::name(k, of);
        }
        let name = self.names.get(k).map(String::as_str).unwrap_or_default();
        let of_array = self.arrays.iter().find_map(|(array, origin)| {
            let entry = name.strip_prefix(array.as_str())?.strip_prefix('[')?.strip_suffix(']')?;
            let entry: usize = entry.parse().ok()?;
            Some(match origin {
                ArrayOrigin::Map => format!("{} axis of {array}", ordinal(entry)),
                ArrayOrigin::Words => format!("lexical dimension {entry}"),
                ArrayOrigin::File => format!("column {entry} of {array}"),
            })
        });
        of_array.unwrap_or_else(|| name.to_owned())
    }

    /// Whether a row of the data has a place.
    pub fn has_place(&self, row: u32) -> bool {
        let from = row as usize * self.d;
        self.values.get(from..from + self.d).is_some_and(is_place)
    }

    /// Which of some rows of the data have a place: their positions among them, ascending.
    pub fn placed(&self, rows: &[u32]) -> Vec<u32> {
        (0u32..).zip(rows).filter(|(_, row)| self.has_place(**row)).map(|(i, _)| i).collect()
    }

    /// Coordinates of the chosen rows, in their order.
    pub fn select(&self, rows: &[u32]) -> Vec<f64> {
        let mut out = Vec::with_capacity(rows.len() * self.d);
        for &row in rows {
            out.extend_from_slice(&self.values[row as usize * self.d..(row as usize + 1) * self.d]);
        }
        out
    }
}

/// Names of the columns of the file that have a feature role and no missing value, in its order: a row without a place
/// has no neighbors and is left out of what looks at near rows, and rows that are similar in the outcome are off although
/// every score is right, so a column with gaps or one that tells the outcome describes rows only if a person names it.
/// Where every column has gaps, all of them; where there is none, the lexical dimensions of the text.
pub fn feature_columns(data: &Predictions) -> Vec<String> {
    let is_feature = |role| matches!(role, Role::Feature | Role::Features);
    let columns = data.roles.iter().zip(&data.table.columns).take(data.columns_of_files());
    let columns = (0u32..).zip(columns);
    let kept = columns.filter(|(place, _)| !data.leakage.contains(place));
    let named: Vec<_> = kept
        .map(|(_, both)| both)
        .filter(|(role, column)| is_feature(role.role) && !column.values.too_large())
        .collect();
    let (whole, gaps): (Vec<_>, Vec<_>) = named.into_iter().partition(|(_, column)| column.values.complete());
    let chosen = if whole.is_empty() { gaps } else { whole };
    if chosen.is_empty() && data.lexical {
        return vec![LEXICAL.to_owned()];
    }
    chosen.into_iter().map(|(role, _)| role.name.clone()).collect()
}

/// The choice for a person who made none: two or fewer feature columns themselves, else two components; of texts without an
/// array of features, their lexical dimensions whatever other columns there are.
pub fn default_choice(data: &Predictions) -> Option<FeatureChoice> {
    if data.is_counted() {
        // no neighbors are known of rows that were counted elsewhere
        return None;
    }
    let names = if data.lexical { vec![LEXICAL.to_owned()] } else { feature_columns(data) };
    let width: usize = names.iter().filter_map(|name| find(data, name).ok()).map(|c| width(&c.values)).sum();
    match width {
        0 => None,
        1 | 2 => Some(FeatureChoice::Many(names)),
        _ => Some(FeatureChoice::Pca { pca: 2, of: names }),
    }
}

/// The coordinates of every row; principal components are fitted on `fit_rows` only, those with a gap left out. A row with
/// a gap in one of the columns has no place, see [`Features::has_place`].
///
/// # Errors
/// `features_missing` if nothing is named, `unknown_column` for a name that is not in the file, `too_few_rows` where every
/// row has a gap.
///
/// # Cost
/// O(n d), and that of [`Pca::fit`].
///
/// ```
/// use localcal_methods::data::{OpenOptions, assemble};
/// use localcal_methods::read::read;
/// use localcal_methods::feature::{FeatureChoice, features};
///
/// let file = read("rows.csv", b"p,y,age,site\n0.9,1,40,A\n0.8,1,50,B\n0.3,0,60,A\n", &mut |_| ())?;
/// let (data, _) = assemble(&[file], &OpenOptions::default())?;
/// let found = features(&data, &FeatureChoice::Many(vec!["age".into(), "site".into()]), &[])?;
/// // a text becomes one coordinate per value
/// assert_eq!(found.names, ["age", "site = A", "site = B"]);
/// assert_eq!(found.values, [40.0, 1.0, 0.0, 50.0, 0.0, 1.0, 60.0, 1.0, 0.0]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn features(data: &Predictions, choice: &FeatureChoice, fit_rows: &[u32]) -> Result<Features> {
    match choice {
        FeatureChoice::One(name) => columns(data, std::slice::from_ref(name)),
        FeatureChoice::Many(names) => columns(data, names),
        FeatureChoice::Pca { pca, of } => {
            let names = if of.is_empty() { feature_columns(data) } else { of.clone() };
            let raw = Places::new(data, &names)?;
            let components = (*pca).clamp(1, raw.d());
            let fit_rows = gaps::placed_among(&raw.placed, fit_rows, data.rows);
            let chosen = Chosen { of: &raw, rows: &fit_rows };
            let fit = Pca::fit(&chosen, components, 0, &mut |_| ())?;
            // Few rows have fewer components than were asked for.
            let lexical = names.iter().all(|name| data.is_lexical(name));
            let loadings = loadings::loadings(&fit, &raw, lexical);
            Ok(Features {
                loadings,
                arrays: Vec::new(),
                d: fit.q(),
                values: fit.transform(&raw, &mut |_| ())?.into_raw_vec_and_offset().0,
                names: (1..=fit.q()).map(|k| format!("component {k}")).collect(),
                projection: Some(Projection {
                    of: raw.names,
                    mean: fit.mean.into(),
                    components: fit.components.into_raw_vec_and_offset().0.into(),
                }),
            })
        }
    }
}

/// The columns that a choice names, all of them.
pub fn columns_of(data: &Predictions, choice: &FeatureChoice) -> Vec<String> {
    match choice {
        FeatureChoice::One(name) => vec![name.clone()],
        FeatureChoice::Pca { of, .. } if of.is_empty() => feature_columns(data),
        FeatureChoice::Many(names) | FeatureChoice::Pca { of: names, .. } => names.clone(),
    }
}

/// The choice with every column in it: "age, priors", or "2 principal components of age, priors and 3 more".
pub fn coordinates(data: &Predictions, choice: &FeatureChoice) -> String {
    let names = columns_of(data, choice);
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<String>>();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let listed = format!("{}{more}", shown.join(", "));
    match choice {
        FeatureChoice::Pca { pca, .. } => format!("{} of {listed}", counted(*pca, "principal component")),
        FeatureChoice::One(_) | FeatureChoice::Many(_) => listed,
    }
}

/// Columns that are listed by name.
const NAMED: usize = 8;

/// Why nothing that is computed over rows that are similar by this choice has a p-value; `None` where it has one.
pub fn no_test(data: &Predictions, choice: &FeatureChoice) -> Option<String> {
    let why = data.no_test_by(&columns_of(data, choice))?;
    Some(format!("{why}. Use columns known before the outcome"))
}

/// The same of a test that takes rows for independent: it has none where they belong together, either.
pub fn no_independent_test(data: &Predictions, choice: &FeatureChoice) -> Option<String> {
    no_test(data, choice).or_else(|| data.dependent_rows())
}

/// The choice in a few words, for curves and messages.
pub fn name_of(choice: &FeatureChoice) -> String {
    match choice {
        FeatureChoice::One(name) => name.clone(),
        FeatureChoice::Many(names) => names.join(", "),
        FeatureChoice::Pca { pca, .. } => counted(*pca, "component"),
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
        return Err(Error::new("invalid_option", "0 principal components were requested.", "Request at least 1."));
    }
    let names = match choice {
        FeatureChoice::One(name) => std::slice::from_ref(name),
        FeatureChoice::Many(names) | FeatureChoice::Pca { of: names, .. } => names.as_slice(),
    };
    names.iter().try_for_each(|name| find(data, name).map(|_| ()))
}

fn columns(data: &Predictions, names: &[String]) -> Result<Features> {
    let places = Places::new(data, names)?;
    let is_array = |name: &&String| matches!(find(data, name).map(|column| &column.values), Ok(Values::Matrix(_)));
    let origin = |name: &String| match data.projections.iter().any(|(known, _)| known == name) {
        true => ArrayOrigin::Map,
        false if data.is_lexical(name) => ArrayOrigin::Words,
        false => ArrayOrigin::File,
    };
    let arrays = names.iter().filter(is_array).map(|name| (name.clone(), origin(name))).collect();
    let named = |name: &String| data.projections.iter().find(|(known, _)| known == name);
    Ok(Features {
        loadings: Vec::new(),
        arrays,
        d: places.d(),
        values: places.values(),
        projection: match names {
            [only] => named(only).and_then(|(_, projection)| projection.clone()),
            _ => None,
        },
        names: places.names,
    })
}
