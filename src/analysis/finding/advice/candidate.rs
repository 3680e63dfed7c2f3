//! The recalibrations that are evaluated for the recommendation, the simplest first.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ended::has_ended;
use crate::data::grouping::PREDICTED;
use crate::data::subgroup::{Among, Subgroup};
use crate::data::{Predictions, View, pair};
use crate::error::Result;
use crate::evaluation::method::{Method, MethodKind, MethodSpec, entries, entry};
use crate::evaluation::request::RunRequest;
use crate::feature::groups::groups;
use crate::feature::{FeatureChoice, default_choice};
use crate::recalibrate::recalibrator::{AdviceInput, Entry, FittedNumbers, Input, Recalibrator};
use crate::recalibrate::update::{Slope, SubgroupIntercept};
use crate::report::RunOutcome;
use crate::run::plan::methods::methods;
use crate::scan::DetectedSubgroup;
use crate::words::number::count;

/// Where the fits of a method of coordinates are expected to take longer than this, in milliseconds, it is not evaluated unasked:
/// some 40,000 rows in two coordinates.
const MOST_LOCAL_MS: f64 = 2000.0;
/// Folds of each evaluation.
const FITS: f64 = 5.0;

/// Something that could be done. What it is about is known when the subgroups are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Candidate {
    /// leave the scores alone
    Nothing,
    /// a method of all rows
    Method(String),
    /// a shift for each named subgroup
    Named(Slope),
    /// a method by the values of the column that says who the first named subgroup is
    Column(String),
    /// a method by the columns that say who the named subgroups are
    Columns(String),
    /// a method of coordinates, in these; none: those of the run
    Local {
        /// its id
        id: String,
        /// the coordinates
        features: Option<FeatureChoice>,
    },
    /// a method of coordinates, which would take so many milliseconds
    LocalTooLong {
        /// its id
        id: String,
        /// of the fits
        milliseconds: f64,
    },
}

/// The id of the method whose settings are the listed subgroups.
const SUBGROUP_METHOD: &str = <SubgroupIntercept as Recalibrator>::ENTRY.id;

/// The methods that are evaluated by default, from simple to complex.
fn usual() -> Vec<&'static Entry> {
    let mut usual: Vec<&Entry> = entries().filter(|entry| entry.candidacy.order.is_some()).collect();
    usual.sort_by_key(|entry| entry.candidacy.order);
    usual
}

/// Every candidate, the simplest first, with the milliseconds that its fits take; `none` is one of them.
///
/// * `ids`: those that are wanted; default: the usual ones
///
/// # Errors
/// `unknown_method`, `invalid_option`.
pub(super) fn candidates(
    data: &Predictions,
    run: &RunOutcome,
    ids: Option<&[String]>,
    n: usize,
) -> Result<Vec<(Candidate, f64)>> {
    let usual = usual();
    let mut wanted: Vec<String> = match ids {
        Some(ids) => {
            let needs_rows = ids.iter().filter_map(|id| entry(id)).find(|entry| !entry.from_counts);
            needs_rows.map_or(Ok(()), |entry| data.with_rows(entry.title))?;
            ids.to_vec()
        }
        None => {
            let applies = |entry: &&&Entry| match entry.input {
                _ if data.is_counted() && !entry.from_counts => false,
                _ if n > entry.candidacy.most_rows => false,
                Input::Logits(_) => data.view == View::TopLabel && pair::has_vector(data),
                Input::Score(_) | Input::Either { .. } => true,
            };
            usual.iter().filter(applies).map(|entry| entry.id.to_owned()).collect()
        }
    };
    // Those that are not among the usual ones come last, in the order in which they were asked for.
    wanted.sort_by_key(|id| usual.iter().position(|usual| usual.id == id).unwrap_or(usual.len()));
    wanted.dedup();
    let mut found = vec![(Candidate::Nothing, 0.0)];
    for id in wanted {
        let uses = entry(&id).map_or(AdviceInput::RunSettings, |entry| entry.candidacy.uses);
        if uses == AdviceInput::Coordinates {
            found.extend(local(data, run, &id, ids.is_some())?);
            continue;
        }
        // What it needs is not known yet: that there is such a method is.
        let cost = checked(data, run, MethodSpec::Id(id.clone()))?.kind.cost(data) * FITS;
        match uses {
            _ if id == MethodKind::NONE.id() => (),
            AdviceInput::Subgroups => {
                found.extend([Slope::Identity, Slope::Fixed, Slope::Free].map(|slope| (Candidate::Named(slope), cost)))
            }
            AdviceInput::Column => found.push((Candidate::Column(id), cost)),
            AdviceInput::Columns => found.push((Candidate::Columns(id), cost)),
            AdviceInput::RunSettings | AdviceInput::Coordinates => found.push((Candidate::Method(id), cost)),
        }
    }
    Ok(found)
}

/// A method of coordinates, with the milliseconds that its fits take; nothing where it was not requested and the file has no
/// coordinates.
fn local(data: &Predictions, run: &RunOutcome, id: &str, asked: bool) -> Result<Option<(Candidate, f64)>> {
    let of_run = run.report.settings.local.as_ref().is_some_and(|local| local.features.is_some());
    let features = default_choice(data).filter(|_| !of_run);
    if !of_run && features.is_none() && !asked {
        return Ok(None);
    }
    let cost = checked(data, run, local_spec(id, features.as_ref()))?.kind.cost(data) * FITS;
    Ok(Some(match cost > MOST_LOCAL_MS && !asked {
        true => (Candidate::LocalTooLong { id: id.to_owned(), milliseconds: cost }, 0.0),
        false => (Candidate::Local { id: id.to_owned(), features }, cost),
    }))
}

/// A method of coordinates as `run` takes it.
fn local_spec(id: &str, features: Option<&FeatureChoice>) -> MethodSpec {
    let id = id.to_owned();
    match features {
        None => MethodSpec::Id(id),
        Some(features) => MethodSpec::Named { id, name: None, parameters: json!({ "features": features }) },
    }
}

/// The method with the settings of the run.
pub(super) fn checked(data: &Predictions, run: &RunOutcome, spec: MethodSpec) -> Result<Method> {
    let request = RunRequest { methods: Some(vec![spec]), ..run.report.settings.clone() };
    Ok(methods(data, &request)?.into_iter().next().unwrap_or_default())
}

/// A candidate that applies: what `run` takes, its name for people, and how much it learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) method: MethodSpec,
    pub(super) title: String,
    pub(super) learns: Learns,
}

/// How many numbers a candidate learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Learns {
    pub(super) numbers: usize,
    /// they are of each class, from the rows of that class
    pub(super) of_classes: bool,
}

impl Default for Known {
    fn default() -> Self {
        Self { method: MethodSpec::Id("none".to_owned()), title: String::new(), learns: Learns::default() }
    }
}

/// Numbers that a method learns; the shifts of groups, which are drawn together, count by what they share and their spread.
///
/// * `groups`: values of the column that it goes by; `classes`: of the file
fn learns(id: &str, groups: usize, classes: usize) -> Learns {
    let (numbers, of_classes) = match entry(id).map_or(FittedNumbers::FLEXIBLE, |entry| entry.candidacy.learns) {
        FittedNumbers::Fixed(numbers) => (numbers, false),
        FittedNumbers::PerGroup(numbers) => (numbers * groups, false),
        FittedNumbers::PerClass(numbers) => (numbers, true),
        FittedNumbers::MatrixRows => (classes + 1, true),
    };
    Learns { numbers, of_classes }
}

impl Candidate {
    /// Its name before its subgroups are known.
    pub(super) fn plain(&self) -> String {
        let title = |id: &str| entry(id).map_or_else(|| id.to_owned(), |entry| entry.title.to_owned());
        match self {
            Self::Nothing => "No recalibration".to_owned(),
            Self::Method(id)
            | Self::Column(id)
            | Self::Columns(id)
            | Self::Local { id, .. }
            | Self::LocalTooLong { id, .. } => title(id),
            Self::Named(Slope::Identity) => "Intercept shift for the listed subgroups only".to_owned(),
            Self::Named(Slope::Fixed) => "Intercept shift for the listed subgroups, common intercept".to_owned(),
            Self::Named(Slope::Free) => "Intercept shift for the listed subgroups, common slope".to_owned(),
        }
    }

    /// What it is with these subgroups listed; else why it cannot be. Regions, which no conditions describe, are shifted by none
    /// of them: a method that looks at coordinates can. Nor are subgroups whose error is of uncertain size: a shift would take
    /// what they were listed for as their error, and move them past it. Nor are those that have ended: no row to come is in them.
    pub(super) fn known(&self, data: &Predictions, listed: &[DetectedSubgroup]) -> std::result::Result<Known, String> {
        let described = listed.iter().any(|one| one.place.is_none());
        let lasting: Vec<&DetectedSubgroup> =
            listed.iter().filter(|one| one.place.is_none() && !has_ended(data, &one.subgroup)).collect();
        let columns = grouping_columns(data, &lasting.iter().map(|one| &one.subgroup).collect::<Vec<_>>());
        let certain = lasting.iter().filter(|one| !one.is_of_uncertain_size());
        let shifted: Vec<&Subgroup> = certain.map(|one| &one.subgroup).collect();
        let levels = columns.first().and_then(|column| groups(data, column).ok()).map_or(1, |by| by.levels.len());
        let of = |id: &str| learns(id, levels, pair::classes(data));
        let with = |id: &str, title: String, parameters: Value| Known {
            method: MethodSpec::Named { id: id.to_owned(), name: Some(title.clone()), parameters },
            title,
            learns: of(id),
        };
        let missing = || {
            let why = match (listed.is_empty(), described, lasting.is_empty()) {
                (true, ..) => "no subgroup is listed",
                (false, false, _) => "no column defines the listed regions",
                (false, true, true) => {
                    "no future row belongs to a listed subgroup: periods have ended, or values no longer occur"
                }
                (false, true, false) => "no group column defines the listed subgroups",
            };
            why.to_owned()
        };
        match self {
            Self::Nothing => Ok(Known { title: self.plain(), ..Known::default() }),
            Self::Method(id) => Ok(Known { method: MethodSpec::Id(id.clone()), title: self.plain(), learns: of(id) }),
            Self::Local { id, features } => {
                Ok(Known { method: local_spec(id, features.as_ref()), title: self.plain(), learns: of(id) })
            }
            Self::LocalTooLong { milliseconds, .. } => Err(format!(
                "fitting it on this many rows takes about {} seconds; it is evaluated on request",
                count((milliseconds / 1000.0).ceil() as u64)
            )),
            Self::Named(_) if lasting.is_empty() => Err(missing()),
            Self::Named(_) if shifted.is_empty() => {
                Err("the size of the error is uncertain in every listed subgroup".to_owned())
            }
            Self::Named(slope) => {
                let who = match shifted.as_slice() {
                    [only] => only.description(),
                    several if several.len() == listed.len() => format!("the {} listed subgroups", several.len()),
                    several => format!("{} of the {} listed subgroups", several.len(), listed.len()),
                };
                let (title, shared) = match slope {
                    Slope::Identity => (format!("Intercept shift for {who} only"), 0),
                    Slope::Fixed => (format!("Intercept shift for {who}, common intercept"), 1),
                    Slope::Free => (format!("Intercept shift for {who}, common slope"), 2),
                };
                let learns = Learns { numbers: shifted.len() + shared, of_classes: false };
                Ok(Known { learns, ..with(SUBGROUP_METHOD, title, json!({ "slices": shifted, "slope": slope })) })
            }
            Self::Column(id) => {
                let column = columns.first().ok_or_else(missing)?;
                Ok(with(id, format!("{}: {column}", self.plain()), json!({ "groups": column })))
            }
            Self::Columns(_) if columns.is_empty() => Err(missing()),
            Self::Columns(id) => {
                Ok(with(id, format!("{}: {}", self.plain(), columns.join(", ")), json!({ "groups": columns })))
            }
        }
    }
}

/// Columns whose values say who the subgroups are, in their order, each once.
fn grouping_columns(data: &Predictions, named: &[&Subgroup]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for condition in named.iter().flat_map(|subgroup| &subgroup.conditions) {
        let by_value = matches!(condition.is, Among::Values(_) | Among::Missing) && condition.column != PREDICTED;
        if by_value && !found.contains(&condition.column) && groups(data, &condition.column).is_ok() {
            found.push(condition.column.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_differ_and_one_method_takes_subgroups() {
        let usual = usual();
        assert!(
            usual.windows(2).all(|pair| pair[0].candidacy.order < pair[1].candidacy.order),
            "an order stands twice"
        );
        let ids: Vec<&str> =
            entries().filter(|of| of.candidacy.uses == AdviceInput::Subgroups).map(|of| of.id).collect();
        assert_eq!(ids, [SUBGROUP_METHOD]);
    }
}
