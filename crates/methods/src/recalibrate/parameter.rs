//! Settings of recalibrators. Each is written once: bounds, `describe()`, tables and help are made from it.

use serde::Deserialize;

use crate::feature::proximity::NEIGHBOR_BOUNDS;
use crate::metric::registry;
use crate::request::bounds::{self, Field, whole};

/// A setting of a recalibrator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// as `parameters` has it
    pub name: &'static str,
    /// what it is
    pub words: &'static str,
    /// what may be given
    pub takes: Takes,
    /// as JSON; empty where it comes from the run's settings or from the data
    pub default: &'static str,
}

/// What may be given for a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Takes {
    /// numbers, alone or within something else: refused outside of their bounds before anything is read
    Bounded(Field),
    /// one of these words
    Choice(&'static [&'static str]),
    /// true or false
    Switch,
    /// one column by its name
    Column,
    /// columns by their names
    Columns,
    /// subgroups: conditions on columns
    Subgroups,
    /// a metric by which a method may be chosen
    ChoosingMetric,
}

impl Takes {
    /// "a whole number from 2 to 20", "`paper` or `code`".
    pub fn words(self) -> String {
        match self {
            Takes::Bounded(Field::Number(bounds)) => bounds.words(),
            Takes::Bounded(Field::Either("bins")) => "number, or settings".to_owned(),
            Takes::Bounded(Field::Within("features")) => "columns, or components of columns".to_owned(),
            Takes::Bounded(Field::Methods) => "methods".to_owned(),
            Takes::Bounded(Field::Within(what) | Field::Either(what)) => what.to_owned(),
            Takes::Bounded(Field::Fields(fields)) => {
                fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
            }
            Takes::Choice(words) => either(words.iter().copied()),
            Takes::Switch => "true or false".to_owned(),
            Takes::Column => "the name of a column".to_owned(),
            Takes::Columns => "names of columns".to_owned(),
            Takes::Subgroups => "subgroups, each `{ conditions }`".to_owned(),
            Takes::ChoosingMetric => either(registry::choosing().iter().map(|metric| metric.id)),
        }
    }
}

fn either(words: impl Iterator<Item = &'static str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
}

/// A setting that is given, or the word `chosen`: inner folds of the calibration rows choose it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(untagged, expecting = "bandwidths are numbers, bins numbers or settings, and either can be `chosen`")]
pub(crate) enum OrChosen<T> {
    /// as it is given
    Fixed(T),
    /// by inner folds
    Chosen(Chosen),
}

/// The word.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Chosen {
    /// by inner folds
    Chosen,
}

impl<T> OrChosen<T> {
    /// What is given, else what is usual; and whether it is to be chosen.
    pub(crate) fn resolve(asked: Option<Self>, usual: T) -> (T, bool) {
        match asked {
            Some(Self::Fixed(value)) => (value, false),
            Some(Self::Chosen(_)) => (usual, true),
            None => (usual, false),
        }
    }
}

/// A setting whose numbers have bounds.
pub const fn bounded(name: &'static str, takes: Field, default: &'static str, words: &'static str) -> Parameter {
    Parameter { name, words, takes: Takes::Bounded(takes), default }
}

/// A setting that is one of some words.
pub const fn choice(
    name: &'static str,
    takes: &'static [&'static str],
    default: &'static str,
    words: &'static str,
) -> Parameter {
    Parameter { name, words, takes: Takes::Choice(takes), default }
}

/// A setting that is true or false.
pub const fn switch(name: &'static str, default: &'static str, words: &'static str) -> Parameter {
    Parameter { name, words, takes: Takes::Switch, default }
}

/// Coordinates in which rows are near each other.
pub(crate) const FEATURES: Parameter =
    bounded("features", bounds::FEATURES, "", "coordinates that define similarity; default: those of the run");
/// Several of them, of which inner folds choose one.
pub(crate) const CHOOSE: Parameter = bounded(
    "choose",
    bounds::FEATURES,
    "",
    "candidate coordinates for tuning on inner folds, each written as features are",
);
/// Bins of the score.
pub(crate) const BINS: Parameter = bounded("bins", bounds::BINS, "", "bins of the score; default: those of the run");
/// Which rows can be neighbors.
pub(crate) const WITHIN: Parameter = Parameter {
    name: "within",
    words: "`predicted`: neighbors of the same predicted class; or a column: of the same value; default: as in the \
            run",
    takes: Takes::Column,
    default: "",
};
/// K.
pub(crate) const NEIGHBORS: Parameter = bounded("neighbours", NEIGHBOR_BOUNDS, "", "number of nearest rows");
/// How far rows are from each other.
pub(crate) const DISTANCE: Parameter = choice("distance", &["euclidean", "cosine"], "", "distance between rows");
/// What proximity is, of distances.
pub(crate) const FORM: Parameter =
    choice("form", &["paper", "code"], "", "exp(−mean distance), or the mean of exp(−squared distance)");
/// Whether coordinates are brought to length 1.
pub(crate) const ROW_NORMALISE: Parameter = switch("row_normalise", "", "scale coordinates of a row to unit length");
/// Inner folds of a method that comes after another.
pub(crate) const CROSS_FIT: Parameter = bounded(
    "cross_fit",
    whole(2, 20),
    "false",
    "fit on out-of-fold scores of the preceding method; true (5 inner folds), or the number of folds",
);
