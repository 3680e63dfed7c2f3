//! Recalibration methods as they are asked for: one recalibrator, several one after another, or the best of some.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::data::Predictions;
use crate::feature::proximity::ProximityOptions;
use crate::recalibrate::identity::Identity;
use crate::recalibrate::recalibrator::{Entry, Place};
use crate::recalibrate::registry::{AnyRecalibrator, ENTRIES};

pub mod best;
mod composed;
mod fitted;
mod learned;
mod stratified;
pub mod vector;

pub use best::{Choice, Chosen};
pub use composed::out_of_fold;
pub use fitted::{FittedMethod, fit, fitted_for_other_data};
pub use learned::{Calibrator, Fitted};

/// A method id with its settings, as asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a method is an id, or { id, name, parameters } with nothing else in it"
)]
pub enum MethodSpec {
    /// an id with every setting at its default
    Id(String),
    /// an id, a name to report it under, and its settings
    Named {
        /// the method's id
        id: String,
        /// name in reports and exports; default: the id
        #[serde(default)]
        name: Option<String>,
        /// settings by name
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, serde_json::Value>"))]
        parameters: serde_json::Value,
    },
}

/// A recalibration method with checked settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Method {
    /// name in reports and exports
    pub name: String,
    /// what it does
    pub kind: MethodKind,
}

/// One recalibrator, or several together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MethodKind {
    /// one recalibrator
    Single(AnyRecalibrator),
    /// the one of several that does best on calibration rows held back
    Best(Choice),
    /// one method, then a recalibrator on its scores
    Composed {
        /// first
        base: Box<MethodKind>,
        /// fitted on the scores that the first gives to the rows it was fitted on
        then: Box<MethodKind>,
        /// or, of these inner folds, to rows that it was not fitted on
        inner: Option<InnerFolds>,
    },
    /// a method fitted anew in each group of rows of like proximity
    ProximityStratified {
        /// the method
        base: Box<MethodKind>,
        /// which rows are near each other
        proximity: Option<ProximityOptions>,
        /// how many groups
        groups: usize,
    },
}

/// Seeded, stratified folds of calibration rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerFolds {
    /// how many
    pub folds: usize,
    /// seed
    pub seed: u64,
}

/// What every method that may stand alone says of itself, in the order in which they are listed.
pub fn alone() -> impl Iterator<Item = &'static Entry> + Clone {
    let alone = ENTRIES.iter().copied().filter(|entry| !matches!(entry.place, Place::After { .. }));
    alone.chain(std::iter::once(&best::ENTRY))
}

/// What every method that comes after another, `base+id`, says of itself.
pub fn after_another() -> impl Iterator<Item = &'static Entry> + Clone {
    let after = ENTRIES.iter().copied().filter(|entry| matches!(entry.place, Place::After { .. }));
    after.chain(std::iter::once(&stratified::ENTRY))
}

/// What a method says of itself, by its id; `None` for an unknown one, and for several one after another.
pub fn entry(id: &str) -> Option<&'static Entry> {
    alone().chain(after_another()).find(|entry| entry.id == id)
}

impl Default for MethodKind {
    fn default() -> Self {
        Self::NONE
    }
}

impl MethodKind {
    /// The predictions as they are.
    pub const NONE: Self = Self::Single(AnyRecalibrator::Identity(Identity {}));

    /// The id in reports and requests: `first+second` for a composition.
    pub fn id(&self) -> Cow<'static, str> {
        match self {
            Self::Single(method) => Cow::Borrowed(method.entry().id),
            Self::Best(_) => Cow::Borrowed(best::ENTRY.id),
            Self::Composed { base, then, .. } => Cow::Owned(format!("{}+{}", base.id(), then.id())),
            Self::ProximityStratified { base, .. } => Cow::Owned(format!("{}+{}", base.id(), stratified::ENTRY.id)),
        }
    }

    /// What the last method, the one that gives the scores, says of itself.
    pub fn last(&self) -> &'static Entry {
        match self {
            Self::Single(method) => method.entry(),
            Self::Best(_) => &best::ENTRY,
            Self::Composed { then, .. } => then.last(),
            Self::ProximityStratified { .. } => &stratified::ENTRY,
        }
    }

    /// The first of two methods.
    pub fn base(&self) -> Option<&MethodKind> {
        match self {
            Self::Single(_) | Self::Best(_) => None,
            Self::Composed { base, .. } | Self::ProximityStratified { base, .. } => Some(base),
        }
    }

    /// The code of what is missing for the method to be fitted at all.
    pub fn missing(&self) -> Option<&'static str> {
        match self {
            Self::Single(method) if method.is_complete() => None,
            Self::Single(method) => method.entry().needs.missing(),
            Self::Best(choice) => choice.of.iter().find_map(|method| method.kind.missing()),
            Self::Composed { base, then, .. } => base.missing().or_else(|| then.missing()),
            Self::ProximityStratified { proximity: None, .. } => stratified::ENTRY.needs.missing(),
            Self::ProximityStratified { base, .. } => base.missing(),
        }
    }

    /// The proximity that the method looks at, where it looks at one and it is known which.
    pub fn proximity(&self) -> Option<&ProximityOptions> {
        match self {
            Self::Single(method) => method.proximity(),
            Self::Best(_) => None,
            Self::Composed { base, then, .. } => then.proximity().or_else(|| base.proximity()),
            Self::ProximityStratified { proximity, .. } => proximity.as_ref(),
        }
    }

    /// Whether `best` stands anywhere in it.
    pub fn chooses(&self) -> bool {
        match self {
            Self::Single(_) => false,
            Self::Best(_) => true,
            Self::Composed { base, then, .. } => base.chooses() || then.chooses(),
            Self::ProximityStratified { base, .. } => base.chooses(),
        }
    }

    /// Fits behind a method: folds, groups and candidates multiply.
    pub fn fits(&self) -> f64 {
        match self {
            Self::Single(_) => 1.0,
            Self::Best(choice) => {
                let of: f64 = choice.of.iter().map(|method| method.kind.fits()).sum();
                of * (choice.folds + 1) as f64
            }
            Self::Composed { base, then, inner } => {
                let times = inner.map_or(1, |inner| inner.folds + 1) as f64;
                times * base.fits() + then.fits()
            }
            Self::ProximityStratified { base, groups, .. } => (groups + 1) as f64 * base.fits(),
        }
    }

    /// Expected milliseconds of a fit and of scoring the rows of one fold.
    pub fn cost(&self, data: &Predictions) -> f64 {
        match self {
            Self::Single(method) => method.cost(data),
            Self::Best(choice) => {
                let each: f64 = choice.of.iter().map(|method| method.kind.cost(data)).sum();
                each * (choice.folds + 1) as f64
            }
            Self::Composed { base, then, inner } => {
                let fits = inner.map_or(1, |inner| inner.folds + 1) as f64;
                fits * base.cost(data) + then.cost(data)
            }
            Self::ProximityStratified { base, .. } => 2.0 * base.cost(data),
        }
    }

    /// The method, or the second of two, if its fit does not take sample weights.
    fn counts_rows(&self) -> Option<&'static Entry> {
        match self {
            Self::Single(method) => Some(method.entry()).filter(|entry| !entry.weighted),
            Self::Composed { then, .. } => then.counts_rows(),
            // Their parts speak for themselves.
            Self::Best(_) | Self::ProximityStratified { .. } => None,
        }
    }
}
