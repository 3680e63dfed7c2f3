//! Local settings for a person who chose none.

use serde::{Deserialize, Serialize};

use crate::data::{Predictions, Role};
use crate::feature::projection::ProjectionRequest;
use crate::feature::{FeatureChoice, columns_of, default_choice, features, width_of};
use crate::kernel::Points;
use crate::project::{Pca, median_distance, starting_gamma};
use crate::run::plan;
use crate::words::text::counted;

/// Default local settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LocalSuggestion {
    /// coordinates
    pub features: FeatureChoice,
    /// feature map to be computed first, if that takes long: `features` is then its name
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectionRequest>,
    /// bandwidth γ: a fifth of the median distance between rows; absent if the feature map must be computed first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gamma: Option<f64>,
    /// bootstrap resamples
    pub resamples: usize,
    /// sentence on features excluded from the coordinates because of missing values; absent if there are none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Local settings for a person who chose none: the default coordinates, a bandwidth on the scale of the rows, and
/// replicates where they take a few seconds at most. Components that take a while are left to be computed.
pub(super) fn suggest(data: &Predictions) -> Option<LocalSuggestion> {
    let choice = default_choice(data)?;
    let d = width_of(data, &choice);
    let replicate_ms = plan::local_cost(data.rows as f64, d) / 2.0;
    let resamples = if REPLICATES * replicate_ms <= MOST_MS { REPLICATES as usize } else { 0 };
    if let FeatureChoice::Pca { pca, of } = &choice {
        let width = width_of(data, &FeatureChoice::Many(of.clone()));
        if Pca::cost(data.rows, width, *pca) > MOST_AT_ONCE_MS {
            let mut request =
                ProjectionRequest { pca: Some(*pca), of: Some(of.clone()), ..ProjectionRequest::default() };
            let name = request.default_name(data);
            request.name = Some(name.clone());
            return Some(LocalSuggestion {
                features: FeatureChoice::One(name),
                project: Some(request),
                gamma: None,
                resamples,
                note: gaps_in_words(data, &choice),
            });
        }
    }
    let rows: Vec<u32> = (0..data.rows as u32).collect();
    let near = features(data, &choice, &rows).ok()?;
    let placed: Vec<u32> = rows.into_iter().filter(|row| near.has_place(*row)).collect();
    let median_distance = median_distance(&Points::row_major(near.d, &near.select(&placed)).ok()?, 0);
    Some(LocalSuggestion {
        note: gaps_in_words(data, &choice),
        features: choice,
        project: None,
        gamma: Some(starting_gamma(median_distance)),
        resamples,
    })
}

/// Which columns with the role feature are no coordinates, for their gaps.
fn gaps_in_words(data: &Predictions, choice: &FeatureChoice) -> Option<String> {
    let taken = columns_of(data, choice);
    let features = data.roles.iter().filter(|column| column.role == Role::Feature && column.missing > 0);
    let left: Vec<String> = features
        .filter(|column| !taken.contains(&column.name))
        .map(|column| format!("{} is empty in {}", column.name, counted(column.missing, "row")))
        .collect();
    let they = if left.len() == 1 { "it is" } else { "they are" };
    (!left.is_empty()).then(|| format!("{}: {they} not used for similarity.", left.join(", ")))
}

/// Longest work on a suggestion while a file is opened.
const MOST_AT_ONCE_MS: f64 = 100.0;
/// Replicates of local metrics on the page.
const REPLICATES: f64 = 100.0;
/// What they may take.
const MOST_MS: f64 = 5000.0;
