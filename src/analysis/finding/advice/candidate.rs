//! What could be done: the repairs that are judged, the simplest first.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::grouping::PREDICTED;
use crate::data::subgroup::{Among, Subgroup};
use crate::data::{Predictions, View, pair};
use crate::error::Result;
use crate::evaluation::method::{Method, MethodSpec, entry};
use crate::evaluation::request::RunRequest;
use crate::feature::groups::groups;
use crate::feature::{FeatureChoice, default_choice};
use crate::recalibrate::update::Slope;
use crate::report::RunOutcome;
use crate::run::plan::methods::methods;
use crate::scan::DetectedSubgroup;
use crate::words::number::count;

/// The ids that advice chooses from where nobody says otherwise, the simplest first: by how many numbers are learned.
const USUAL: [&str; 13] = [
    "intercept",
    "temperature",
    "platt",
    "beta",
    VECTOR,
    SUBGROUP_METHOD,
    "group_intercept",
    "group_temperature",
    "isotonic",
    "histogram",
    "group_histogram",
    LOCAL,
    MULTICALIBRATION,
];
/// The repair of places: it looks at coordinates, those of the run or the usual ones of the file.
const LOCAL: &str = "lore_ridge";
const SUBGROUP_METHOD: &str = "slice_intercept";
/// A slope and an intercept a class, held near to none, where probabilities of several classes are recalibrated.
const VECTOR: &str = "structured_vector";
const MULTICALIBRATION: &str = "multicalibration";
/// Multicalibration looks at every row in each of up to 1,000 steps: left out by default beyond so many rows.
const MOST_ROWS: usize = 100_000;
/// Where the fits of the repair of places are expected to take longer than this, in milliseconds, it is not judged unasked:
/// some 40,000 rows in two coordinates.
const MOST_LOCAL_MS: f64 = 2000.0;
/// Folds of each judgement.
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
    /// the repair of places, in these coordinates; none: those of the run
    Local(Option<FeatureChoice>),
    /// the repair of places, which would take so many milliseconds
    LocalTooLong(f64),
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
    let mut wanted: Vec<String> = match ids {
        Some(ids) => {
            let needs_rows = ids.iter().filter_map(|id| entry(id)).find(|entry| !entry.from_counts);
            needs_rows.map_or(Ok(()), |entry| data.with_rows(entry.title))?;
            ids.to_vec()
        }
        None => {
            let usual = |id: &&&str| match **id {
                id if data.is_counted() && !entry(id).is_some_and(|entry| entry.from_counts) => false,
                MULTICALIBRATION => n <= MOST_ROWS,
                VECTOR => data.view == View::TopLabel && pair::has_vector(data) && n <= MOST_ROWS,
                _ => true,
            };
            USUAL.iter().filter(usual).map(|id| (*id).into()).collect()
        }
    };
    // Those that are not among the usual ones come last, in the order in which they were asked for.
    wanted.sort_by_key(|id| USUAL.iter().position(|usual| usual == id).unwrap_or(USUAL.len()));
    wanted.dedup();
    let mut found = vec![(Candidate::Nothing, 0.0)];
    for id in wanted {
        if id == LOCAL {
            found.extend(local(data, run, ids.is_some())?);
            continue;
        }
        // What it needs is not known yet: that there is such a method is.
        let cost = checked(data, run, MethodSpec::Id(id.clone()))?.kind.cost(data) * FITS;
        match id.as_str() {
            "none" => (),
            SUBGROUP_METHOD => {
                found.extend([Slope::Identity, Slope::Fixed, Slope::Free].map(|slope| (Candidate::Named(slope), cost)))
            }
            "group_intercept" | "group_temperature" | "group_histogram" => found.push((Candidate::Column(id), cost)),
            MULTICALIBRATION | "proportional_multicalibration" => found.push((Candidate::Columns(id), cost)),
            _ => found.push((Candidate::Method(id), cost)),
        }
    }
    Ok(found)
}

/// The repair of places, with the milliseconds that its fits take; nothing where nobody asks for it and the file has no
/// coordinates.
fn local(data: &Predictions, run: &RunOutcome, asked: bool) -> Result<Option<(Candidate, f64)>> {
    let of_run = run.report.settings.local.as_ref().is_some_and(|local| local.features.is_some());
    let features = default_choice(data).filter(|_| !of_run);
    if !of_run && features.is_none() && !asked {
        return Ok(None);
    }
    let cost = checked(data, run, local_spec(features.as_ref()))?.kind.cost(data) * FITS;
    Ok(Some(match cost > MOST_LOCAL_MS && !asked {
        true => (Candidate::LocalTooLong(cost), 0.0),
        false => (Candidate::Local(features), cost),
    }))
}

/// The repair of places as `run` takes it.
fn local_spec(features: Option<&FeatureChoice>) -> MethodSpec {
    match features {
        None => MethodSpec::Id(LOCAL.to_owned()),
        Some(features) => {
            MethodSpec::Named { id: LOCAL.to_owned(), name: None, parameters: json!({ "features": features }) }
        }
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

/// Steps, bins and places count as so many numbers: what they amount to depends on the rows.
const STEPS: usize = 10;

/// Numbers that a method learns; the shifts of groups, which are drawn together, count by what they share and their spread.
///
/// * `groups`: values of the column that it goes by; `classes`: of the file
fn learns(id: &str, groups: usize, classes: usize) -> Learns {
    let (numbers, of_classes) = match id {
        "none" => (0, false),
        "intercept" | "temperature" => (1, false),
        "platt" => (2, false),
        "beta" | "ets" | "quadratic" | "group_intercept" => (3, false),
        "group_temperature" => (groups, false),
        "group_histogram" => (STEPS * groups, false),
        VECTOR | "vector" => (2, true),
        "structured_matrix" | "matrix" | "dirichlet" => (classes + 1, true),
        _ => (STEPS, false),
    };
    Learns { numbers, of_classes }
}

impl Candidate {
    /// Its name before it is known whom it is about.
    pub(super) fn plain(&self) -> String {
        let title = |id: &str| entry(id).map_or_else(|| id.to_owned(), |entry| entry.title.to_owned());
        match self {
            Self::Nothing => "No recalibration".to_owned(),
            Self::Method(id) | Self::Column(id) | Self::Columns(id) => title(id),
            Self::Local(_) | Self::LocalTooLong(_) => title(LOCAL),
            Self::Named(Slope::Identity) => "Intercept shift for the listed subgroups only".to_owned(),
            Self::Named(Slope::Fixed) => "Intercept shift for the listed subgroups, common intercept".to_owned(),
            Self::Named(Slope::Free) => "Intercept shift for the listed subgroups, common slope".to_owned(),
        }
    }

    /// What it is with these subgroups listed; else why it cannot be. Regions, which no conditions describe, are shifted by none
    /// of them: a method that looks at coordinates can. Nor are subgroups whose error is of uncertain size: a shift would take
    /// what they were listed for as their error, and move them past it.
    pub(super) fn known(&self, data: &Predictions, listed: &[DetectedSubgroup]) -> std::result::Result<Known, String> {
        let conditioned = listed.iter().filter(|one| one.place.is_none());
        let named: Vec<&Subgroup> = conditioned.map(|one| &one.subgroup).collect();
        let columns = grouping_columns(data, &named);
        let certain = listed.iter().filter(|one| one.place.is_none() && !one.is_of_uncertain_size());
        let shifted: Vec<&Subgroup> = certain.map(|one| &one.subgroup).collect();
        let levels = columns.first().and_then(|column| groups(data, column).ok()).map_or(1, |by| by.levels.len());
        let of = |id: &str| learns(id, levels, pair::classes(data));
        let with = |id: &str, title: String, parameters: Value| Known {
            method: MethodSpec::Named { id: id.to_owned(), name: Some(title.clone()), parameters },
            title,
            learns: of(id),
        };
        let missing = || match (listed.is_empty(), named.is_empty()) {
            (true, _) => "no subgroup is listed".to_owned(),
            (false, true) => "no column defines the listed regions".to_owned(),
            (false, false) => "no group column defines the listed subgroups".to_owned(),
        };
        match self {
            Self::Nothing => Ok(Known { title: self.plain(), ..Known::default() }),
            Self::Method(id) => Ok(Known { method: MethodSpec::Id(id.clone()), title: self.plain(), learns: of(id) }),
            Self::Local(features) => {
                Ok(Known { method: local_spec(features.as_ref()), title: self.plain(), learns: of(LOCAL) })
            }
            Self::LocalTooLong(milliseconds) => Err(format!(
                "fitting it on this many rows takes about {} seconds; it is evaluated on request",
                count((milliseconds / 1000.0).ceil() as u64)
            )),
            Self::Named(_) if named.is_empty() => Err(missing()),
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
