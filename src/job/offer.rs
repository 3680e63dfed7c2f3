//! What the page offers for an open file: methods by name, and ways to say which rows are alike.

use serde::Serialize;

use super::LocalSuggestion;
use crate::data::{Role, Summary};
use crate::evaluation::method::{after_another, alone};
use crate::feature::FeatureChoice;
use crate::recalibrate::recalibrator::Offered;

/// What the page offers for an open file.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// recalibration methods, the usual ones first
    pub methods: Vec<OfferedMethod>,
    /// columns that make a map two at a time
    pub columns: Vec<String>,
    /// maps of more columns
    pub maps: Vec<OfferedMap>,
}

/// A recalibration method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedMethod {
    /// as `run` takes it
    pub id: &'static str,
    /// for people
    pub name: &'static str,
    /// whether it stands ready, or only for those who look for more
    pub usual: bool,
}

/// Coordinates that say which rows are alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedMap {
    /// for people
    pub name: String,
    /// as `run` takes them
    pub features: FeatureChoice,
}

/// What to offer for an open file.
pub(super) fn offer(summary: &Summary, suggestion: Option<&LocalSuggestion>) -> Offer {
    let mut offered: Vec<_> = alone().chain(after_another()).flat_map(|entry| entry.offers).collect();
    offered.sort_by_key(|offered| offered.rank);
    let method = |of: &Offered| OfferedMethod { id: of.id, name: of.title, usual: of.usual };
    // A column with gaps cannot say where a row is.
    let whole = |name: &String| {
        let gap = |column: &Option<String>| column.as_ref() == Some(name);
        let mut warnings = summary.warnings.iter();
        !warnings.any(|warning| warning.code == "feature_incomplete" && gap(&warning.column))
    };
    let of = |role: Role| -> Vec<String> {
        let columns = summary.columns.iter().filter(|column| column.role == role);
        columns.map(|column| column.name.clone()).filter(whole).collect()
    };
    let (columns, arrays) = (of(Role::Feature), of(Role::Features));
    let map = |name: String, features| OfferedMap { name, features };
    let mut maps: Vec<OfferedMap> =
        (arrays.iter()).map(|name| map(format!("all of {name}"), FeatureChoice::One(name.clone()))).collect();
    if !arrays.is_empty() || columns.len() > 2 {
        let made = suggestion.and_then(|suggestion| suggestion.project.as_ref()?.name.clone());
        let two = FeatureChoice::Pca { pca: 2, of: Vec::new() };
        let features = made.map_or(two, FeatureChoice::One);
        maps.push(map("two principal components".to_owned(), features));
    }
    if columns.len() > 2 {
        let name = format!("all {} columns", columns.len());
        maps.push(map(name, FeatureChoice::Many(columns.clone())));
    }
    Offer { methods: offered.into_iter().map(method).collect(), columns, maps }
}
