//! What the page offers for an open file: methods by name, and ways to say which rows are alike.

use serde::Serialize;

use super::LocalSuggestion;
use crate::data::{Role, Summary};
use crate::evaluation::features::FeatureChoice;

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

const USUAL: [(&str, &str); 5] = [
    ("temperature", "Temperature scaling"),
    ("platt", "Platt scaling"),
    ("isotonic", "Isotonic regression"),
    ("histogram", "Histogram binning"),
    ("lore", "LoRe (local recalibration)"),
];

const MORE: [(&str, &str); 20] = [
    ("beta", "Beta calibration"),
    ("venn_abers", "Venn–Abers"),
    ("bbq", "Bayesian binning (BBQ)"),
    ("ets", "Ensemble temperature"),
    ("mir", "One isotonic curve for all classes"),
    ("mmce_temperature", "Temperature by kernel error (MMCE)"),
    ("pts", "Parameterised temperature (PTS)"),
    ("ptsk", "PTS that sees neighbours"),
    ("vector", "Vector scaling"),
    ("matrix", "Matrix scaling"),
    ("dirichlet", "Dirichlet calibration"),
    ("group_temperature", "Temperature by group"),
    ("group_histogram", "Histogram by group"),
    ("multicalibration", "Multicalibration"),
    ("proportional_multicalibration", "Proportional multicalibration"),
    ("lcb", "Correction by the witness (LCB)"),
    ("none+density_ratio", "ProCal: density ratio"),
    ("temperature+density_ratio", "Temperature, then density ratio"),
    ("isotonic+bin_mean_shift", "Isotonic, then bin-mean-shift"),
    ("best", "The best of some, chosen apart"),
];

/// What to offer for an open file.
pub(super) fn offer(summary: &Summary, suggestion: Option<&LocalSuggestion>) -> Offer {
    let listed = |usual| move |&(id, name): &(&'static str, &'static str)| OfferedMethod { id, name, usual };
    let usual = USUAL.iter().map(listed(true));
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
    Offer { methods: usual.chain(MORE.iter().map(listed(false))).collect(), columns, maps }
}
