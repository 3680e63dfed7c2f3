//! What the page offers for an open file: methods by name, and definitions of similar rows.

use std::collections::HashSet;

use serde::Serialize;

use super::LocalSuggestion;
use super::glance::glance;
use crate::analysis::entry::{AnalysisRequirement, Columns};
use crate::data::derived::LOGITS;
use crate::data::{Predictions, Role, Summary};
use crate::evaluation::method::{after_another, alone};
use crate::feature::{FeatureChoice, default_choice, within};
use crate::recalibrate::recalibrator::{Entry, MethodRequirement, Offered};

/// What the page offers for an open file.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offer {
    /// recalibration methods, the usual ones first
    pub methods: Vec<OfferedMethod>,
    /// columns that make a map two at a time
    pub columns: Vec<String>,
    /// columns that options of analyses can name
    pub choices: ColumnChoices,
    /// maps of more columns
    pub maps: Vec<OfferedMap>,
    /// restrictions on neighbors that `local.within` can take, besides none
    pub within: Vec<String>,
    /// requirements of analyses that the file does not meet
    pub lacks: Vec<Lack>,
    /// all rows together in a sentence without a verdict, while the finding is computed
    pub glance: Option<String>,
}

/// Columns that an option of an analysis can name, by the kind of the option.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ColumnChoices {
    /// those that define groups
    pub groups: Vec<String>,
    /// numbers that describe rows
    pub numbers: Vec<String>,
    /// dates
    pub dates: Vec<String>,
}

/// Something that an analysis may need and a file does not have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lack {
    /// as the description of an analysis has it
    pub need: AnalysisRequirement,
    /// what is missing, and how to provide it
    pub why: &'static str,
}

/// A recalibration method.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedMethod {
    /// id, as `run` takes it
    pub id: &'static str,
    /// display name
    pub name: &'static str,
    /// true: listed at once; false: listed on request
    pub usual: bool,
}

/// Coordinates that can define the similarity of rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferedMap {
    /// display name
    pub name: String,
    /// coordinates, as `run` takes them
    pub features: FeatureChoice,
}

/// What to offer for an open file.
pub(super) fn offer(data: &Predictions, summary: &Summary, suggestion: Option<&LocalSuggestion>) -> Offer {
    let offers = |entry: &'static Entry| entry.offers.iter().map(|offered| (entry.needs, offered));
    let fits = |entry: &&'static Entry| entry.from_counts || !data.is_counted();
    let mut offered: Vec<_> = alone().chain(after_another()).filter(fits).flat_map(offers).collect();
    offered.sort_by_key(|(_, offered)| offered.rank);
    // Without coordinates what asks for near rows ends in a refusal.
    let has_places = default_choice(data).is_some();
    // no row of counts has a place
    let rows = !data.is_counted();
    let can = |needs: MethodRequirement| {
        has_places || !matches!(needs, MethodRequirement::Features | MethodRequirement::Proximity)
    };
    let method = |(needs, of): (MethodRequirement, &Offered)| OfferedMethod {
        id: of.id,
        name: of.title,
        usual: of.usual && can(needs),
    };
    // A column with gaps leaves rows without a place: only who names it takes that.
    let complete: HashSet<&String> =
        summary.columns.iter().filter(|column| column.missing == 0).map(|column| &column.name).collect();
    let whole = |name: &String| complete.contains(name);
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
    // of a file that holds no logits they can be had from the probabilities
    let held = summary.columns.iter().any(|column| column.name == LOGITS);
    if data.labels.len() > 2 && !held && data.has_derived_logits() {
        maps.push(map("logits of the probabilities".to_owned(), FeatureChoice::Many(vec![LOGITS.to_owned()])));
    }
    let lacks = AnalysisRequirement::ALL.into_iter().filter_map(|need| Some(Lack { need, why: need.lacking(data)? }));
    Offer {
        methods: offered.into_iter().map(method).collect(),
        columns: if rows { columns } else { Vec::new() },
        choices: ColumnChoices {
            groups: Columns::Groups.names(data),
            numbers: Columns::Numbers.names(data),
            dates: Columns::Dates.names(data),
        },
        maps,
        within: if rows { within::offered(data) } else { Vec::new() },
        lacks: lacks.collect(),
        glance: glance(data),
    }
}
