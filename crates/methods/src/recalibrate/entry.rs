//! Description of a recalibrator: words, settings, requirements, and its places among methods.

use super::candidacy::Candidacy;
use super::parameter::{Parameter, Takes};
use super::snippet::Snippet;
use crate::metric::Reason;
use crate::request::bounds::Field;

/// Description of a recalibrator. Every field is required, since no default would be correct for all.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// id in requests, reports and stored calibrators
    pub id: &'static str,
    /// display name
    pub title: &'static str,
    /// what it does, in a few words
    pub plain: &'static str,
    /// the fitted function, as a formula
    pub definition: &'static str,
    /// objective of the fit, and its optimization
    pub minimises: &'static str,
    /// author, year
    pub source: &'static str,
    /// parameters that can be set
    pub parameters: &'static [Parameter],
    /// scores or logits, and the code that applies a fit to them
    pub input: Input,
    /// code for the method alone, if its output differs from the input of a following method
    pub alone: Option<Snippet>,
    /// requirements: settings by the user, or content of the file
    pub needs: MethodRequirement,
    /// whether the fit supports sample weights; otherwise every row has weight 1
    pub weighted: bool,
    /// whether it can be fitted to counts of rows by cells of the score: a row of weight n is equivalent to n rows,
    /// and only the score and groups are used
    pub from_counts: bool,
    /// calibration rows about which its parameters disclose information
    pub fitted_to: FittedTo,
    /// position among combined methods
    pub place: Place,
    /// how it takes part in the recommendation
    pub candidacy: Candidacy,
    /// position in prepared experiments
    pub grid: GridPlace,
    /// entries in the page's list of methods
    pub offers: &'static [Offered],
    /// fitted parameters to display, each with its label; either all or none are displayed
    pub read_out: &'static [(&'static str, &'static str)],
}

impl Entry {
    /// Whether it can only follow another method: `base+id`.
    pub fn comes_after(&self) -> bool {
        matches!(self.place, Place::After { .. })
    }

    /// "logits, or the score; features".
    pub fn looks_at(&self) -> String {
        let first = match self.input {
            Input::Score(_) => "the score",
            Input::Logits(_) => "logits",
            Input::Either { .. } => "logits, else the score",
        };
        let beside = match self.needs {
            MethodRequirement::Nothing => "",
            MethodRequirement::Features => "; features",
            MethodRequirement::Groups => "; groups",
            MethodRequirement::Proximity => "; proximity",
        };
        format!("{first}{beside}")
    }

    /// Bounds of the parameters that are, or contain, numbers.
    pub fn bounds(&self) -> impl Iterator<Item = (&'static str, Field)> {
        self.parameters.iter().filter_map(|parameter| match parameter.takes {
            Takes::Bounded(field) => Some((parameter.name, field)),
            Takes::Choice(_)
            | Takes::Switch
            | Takes::Column
            | Takes::Columns
            | Takes::Subgroups
            | Takes::ChoosingMetric => None,
        })
    }
}

/// Input of a recalibrator, with the code that applies it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// the score of the view, one per row
    Score(Snippet),
    /// the logits of every class; not applicable to a single score
    Logits(Snippet),
    /// the logits of every class if there are labels and logits, else the score of the view
    Either {
        /// code for logits
        logits: Snippet,
        /// code for one score per row
        score: Snippet,
    },
}

impl Input {
    /// Whether it uses logits if the file contains them.
    pub fn takes_logits(self) -> bool {
        !matches!(self, Input::Score(_))
    }

    /// The code for logits, or for one score per row.
    pub fn snippet(self, of_logits: bool) -> Option<Snippet> {
        match (self, of_logits) {
            (Input::Score(score) | Input::Either { score, .. }, false) => Some(score),
            (Input::Logits(logits) | Input::Either { logits, .. }, true) => Some(logits),
            (Input::Score(_), true) | (Input::Logits(_), false) => None,
        }
    }
}

/// Calibration rows about which the parameters of a fit disclose information, for disclosure control; in order, so that
/// of several fits the largest holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FittedTo {
    /// all rows together: a few parameters fitted to every row
    AllRows,
    /// beside such parameters one per value of a column, under `shifts` or `fits`, fitted to the rows of the value:
    /// that of a value of few rows can be removed
    RowsOfValues,
    /// some rows: those of a group, bin, class or location, or single rows
    SomeRows,
}

/// Requirements of a method besides scores and outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodRequirement {
    /// nothing
    Nothing,
    /// coordinates that define the similarity of rows
    Features,
    /// columns that define groups
    Groups,
    /// proximity to the other rows
    Proximity,
}

impl MethodRequirement {
    /// Why it is not fitted if the requirement is not specified.
    pub fn missing(self) -> Option<Reason> {
        match self {
            MethodRequirement::Nothing => None,
            MethodRequirement::Features | MethodRequirement::Proximity => Some(Reason::FeaturesMissing),
            MethodRequirement::Groups => Some(Reason::GroupsMissing),
        }
    }
}

/// Position of a recalibrator among combined methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// alone, first or second
    Anywhere,
    /// alone or first: it uses the scores of the file
    First,
    /// alone or first; leaves predictions unchanged
    Untouched,
    /// after another only
    After {
        /// the usual preceding method
        usual: &'static str,
        /// label in a chart of the methods that it follows
        chart: &'static str,
    },
}

/// Position of a recalibrator in a prepared experiment of all pairs of methods. No two have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridPlace {
    /// not in it
    None,
    /// among the first methods of pairs
    Base(u8),
    /// among the second methods of pairs
    Second(u8),
}

/// An entry in the page's list of methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offered {
    /// method, as `run` takes it
    pub id: &'static str,
    /// display name
    pub title: &'static str,
    /// true: listed at once; false: listed on request
    pub usual: bool,
    /// rank in the list; equal ranks keep the order of the registry
    pub rank: u8,
}
