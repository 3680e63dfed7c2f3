//! Updates for groups as recalibrators: of the values of one column, and of named subgroups.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Belonging, Slope, Update, UpdateOptions, fit, moved};
use crate::data::Predictions;
use crate::data::subgroup::{Among, Condition, Subgroup};
use crate::error::{Error, Result};
use crate::feature::absent;
use crate::feature::groups::{self, group_columns, groups};
use crate::recalibrate::grouped::{column, unknown};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{Parameter, Takes, bounded, choice};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{COEFFICIENTS, Validity, each, one, together};
use crate::request::bounds::real;
use crate::table::MISSING;

/// A shift for each value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupIntercept {
    /// column that says the group
    pub groups: Option<String>,
    /// how it is fitted
    pub options: UpdateOptions,
}

/// A shift for each of some subgroups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubgroupIntercept {
    /// who is shifted
    pub slices: Vec<Subgroup>,
    /// how it is fitted
    pub options: UpdateOptions,
}

/// What an update by the values of a column learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByLevel {
    /// the column that says the group
    pub groups: String,
    /// slope
    pub a: f64,
    /// intercept; all that is done to a group that was not seen
    pub b: f64,
    /// δ by the name of the group
    pub shifts: BTreeMap<String, f64>,
    /// τ
    pub spread: f64,
}

/// What an update of subgroups learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubgroupUpdate {
    /// the columns that the subgroups look at
    pub columns: Vec<String>,
    /// slope
    pub a: f64,
    /// intercept; all that is done to a row in no subgroup
    pub b: f64,
    /// who is shifted
    pub slices: Vec<Subgroup>,
    /// δ of each subgroup
    pub shifts: Vec<f64>,
    /// τ
    pub spread: f64,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    groups: Option<String>,
    slope: Slope,
    spread: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSubgroupSettings {
    slices: Option<Vec<Subgroup>>,
    slope: Slope,
    spread: Option<f64>,
}

/// Most subgroups: O(k³) a step.
const MOST_SUBGROUPS: usize = 200;
/// Rows from which on a value of the column is a subgroup where the request lists none.
const LEAST: usize = 30;

const SLOPE: Parameter = choice(
    "slope",
    &["free", "fixed", "identity"],
    r#""free""#,
    "a and b fitted; a = 1: recalibration in the large by group; a = 1 and b = 0: rows of no group are unchanged",
);
const SPREAD: Parameter = bounded(
    "spread",
    real(0.0, 1e3),
    "null",
    "τ, standard deviation of the groups' shifts in log-odds; default: estimated from the calibration rows",
);

impl Recalibrator for GroupIntercept {
    type Learned = ByLevel;

    const ENTRY: Entry = Entry {
        id: "group_intercept",
        title: "Update by group",
        plain: "a logistic curve with shrunken shifts for each group",
        definition: "σ(a · logit s + b + δ of the group), δ ~ N(0, τ²)",
        minimises: "NLL + Σ δ² / 2τ², τ by restricted (penalized quasi-) likelihood",
        source: "Breslow and Clayton (1993); Steyerberg (2019), section 15.3",
        parameters: &[
            Parameter {
                name: "groups",
                words: "group column; default: the first with the role group",
                takes: Takes::Column,
                default: "",
            },
            SLOPE,
            SPREAD,
        ],
        input: Input::Score(snippet!("group", [logit], [logit])),
        alone: None,
        needs: MethodRequirement::Groups,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::RowsOfValues,
        place: Place::First,
        candidacy: Candidacy {
            order: Some(70),
            uses: AdviceInput::Column,
            learns: FittedNumbers::Fixed(3),
            ..Candidacy::ON_REQUEST
        },
        grid: GridPlace::None,
        offers: &[Offered { id: "group_intercept", title: "Update by group", usual: false, rank: 20 }],
        read_out: &[("a", "slope "), ("b", "intercept "), ("spread", "spread of the groups ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let data = asked.data;
        let RawSettings { groups, slope, spread } = asked.read()?;
        Ok(Self { groups: column(data, groups)?, options: UpdateOptions { slope, spread } })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: self.groups.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 1e-3
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<ByLevel>> {
        let by = groups(on.data, self.groups.as_ref().ok_or_else(groups::missing)?)?;
        let codes = by.select(on.rows);
        let (s, t) = on.pairs()?;
        let found = fit(&s, &t, on.weights().as_deref(), &Belonging::of_codes(&codes, by.levels.len()), &self.options)?;
        let seen: BTreeSet<u32> = codes.into_iter().collect();
        Ok(FitOutcome::from(found.map(|Update { a, b, shifts, spread }| {
            let named = (0_u32..).zip(by.levels).zip(shifts);
            let shifts = named.filter(|((code, _), _)| seen.contains(code)).map(|((_, name), shift)| (name, shift));
            ByLevel { groups: by.name, a, b, shifts: shifts.collect(), spread }
        })))
    }
}

impl Learned for ByLevel {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let by = to.groups(&self.groups)?;
        let shift = |row: &u32| by.level(*row as usize).and_then(|level| self.shifts.get(level)).copied();
        let shifts = to.rows.iter().map(|row| shift(row).unwrap_or(0.0));
        let score = moved(&to.scores()?, self.a, self.b, shifts);
        Ok(Scores { score, warnings: unknown(to, &by, &self.shifts), without_place: Vec::new() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, _m: usize) -> Validity {
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)?;
        self.shifts.iter().try_for_each(|(name, shift)| one(&format!("shifts.{name}"), *shift, &COEFFICIENTS))
    }
}

/// Every value of the columns with the role group that 30 rows have, and no value where it is missing as often; of more
/// than 200 those of most rows.
fn usual_subgroups(data: &Predictions) -> Result<Vec<Subgroup>> {
    let mut found: Vec<(usize, Subgroup)> = Vec::new();
    for name in group_columns(data) {
        let by = groups(data, &name)?;
        let mut counts = vec![0; by.levels.len() + 1];
        for &code in &by.codes {
            let place = if code == MISSING { by.levels.len() } else { code as usize };
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
        }
        let is = by.levels.into_iter().map(|level| Among::Values(vec![level])).chain([Among::Missing]);
        let slice = |is| Subgroup { conditions: vec![Condition { column: name.clone(), is }] };
        found.extend(counts.into_iter().zip(is.map(slice)).filter(|(count, _)| *count >= LEAST));
    }
    let mut rows: Vec<usize> = found.iter().map(|(count, _)| *count).collect();
    rows.sort_unstable_by(|a, b| b.cmp(a));
    let least = rows.get(MOST_SUBGROUPS).map_or(0, |first_too_many| first_too_many + 1);
    Ok(found.into_iter().filter(|(count, _)| *count >= least).map(|(_, slice)| slice).collect())
}

impl Recalibrator for SubgroupIntercept {
    type Learned = SubgroupUpdate;

    const ENTRY: Entry = Entry {
        id: "slice_intercept",
        title: "Update for selected subgroups",
        plain: "a logistic curve with shrunken shifts for selected subgroups",
        definition: "σ(a · logit s + b + Σ δ of the subgroups of the row), δ ~ N(0, τ²)",
        minimises: "NLL + Σ δ² / 2τ², τ by restricted (penalized quasi-) likelihood",
        source: "Breslow and Clayton (1993); Steyerberg (2019), section 15.3",
        parameters: &[
            Parameter {
                name: "slices",
                words: "subgroups, defined by values or intervals of columns, which can overlap, at most 200; \
                        default: every value with 30 rows of the group columns",
                takes: Takes::Subgroups,
                default: "",
            },
            SLOPE,
            SPREAD,
        ],
        input: Input::Score(snippet!("slices", [logit], [logit])),
        alone: None,
        needs: MethodRequirement::Groups,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::SomeRows,
        place: Place::First,
        candidacy: Candidacy { order: Some(60), uses: AdviceInput::Subgroups, ..Candidacy::ON_REQUEST },
        grid: GridPlace::None,
        offers: &[Offered { id: "slice_intercept", title: "Update for selected subgroups", usual: false, rank: 20 }],
        read_out: &[("a", "slope "), ("b", "intercept "), ("spread", "spread of the groups ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let data = asked.data;
        let RawSubgroupSettings { slices, slope, spread } = asked.read()?;
        let slices = match slices {
            Some(slices) => slices.into_iter().map(|slice| slice.in_table(&data.table)).collect(),
            None => usual_subgroups(data)?,
        };
        if slices.len() > MOST_SUBGROUPS {
            return Err(invalid(
                format!("{} subgroups were specified; an update allows at most {MOST_SUBGROUPS}.", slices.len()),
                "Specify fewer, or use `group_intercept`, which allows any number of values of one column.",
            ));
        }
        if slices.iter().any(|slice: &Subgroup| slice.conditions.is_empty()) {
            return Err(invalid(
                "A subgroup has no condition, so that every row belongs to it.",
                "Give each a condition on a column; `intercept` shifts all rows.",
            ));
        }
        slices.iter().try_for_each(|slice| slice.rows(data).map(|_| ()))?;
        Ok(Self { slices, options: UpdateOptions { slope, spread } })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: !self.slices.is_empty() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * (1e-3 + 1e-5 * self.slices.len() as f64)
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<SubgroupUpdate>> {
        let masks = self.slices.iter().map(|slice| slice.rows(on.data)).collect::<Result<Vec<_>>>()?;
        let (s, t) = on.pairs()?;
        let found = fit(&s, &t, on.weights().as_deref(), &Belonging::of_masks(&masks, on.rows), &self.options)?;
        Ok(FitOutcome::from(found.map(|Update { a, b, shifts, spread }| {
            let mut columns: Vec<String> = Vec::new();
            for column in self.slices.iter().flat_map(Subgroup::columns) {
                if !columns.contains(&column) {
                    columns.push(column);
                }
            }
            SubgroupUpdate { columns, a, b, slices: self.slices.clone(), shifts, spread }
        })))
    }
}

impl Learned for SubgroupUpdate {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let mut shifts = vec![0.0; to.rows.len()];
        for (slice, shift) in self.slices.iter().zip(&self.shifts) {
            let inside = slice.rows(to.data).map_err(|error| self.not_there(to.data, error))?;
            for (sum, row) in shifts.iter_mut().zip(to.rows) {
                if inside.get(*row as usize) == Some(&true) {
                    *sum += shift;
                }
            }
        }
        to.mapped(|s| moved(s, self.a, self.b, shifts.into_iter()))
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Validity {
        let named = |slice: &Subgroup| slice.conditions.iter().all(|one| self.columns.contains(&one.column));
        together(self.slices.len() == self.shifts.len() && self.slices.iter().all(named), m)?;
        one("a", self.a, &COEFFICIENTS)?;
        one("b", self.b, &COEFFICIENTS)?;
        each("shifts", &self.shifts, &COEFFICIENTS)
    }
}

impl SubgroupUpdate {
    /// The first column that the file does not have, else what went wrong.
    fn not_there(&self, data: &Predictions, error: Error) -> Error {
        let is_there = |name: &&String| {
            data.table.columns.iter().any(|one| one.name == **name || format!("{}:{}", one.file, one.name) == **name)
        };
        match (error.code(), self.columns.iter().find(|name| !is_there(name))) {
            ("unknown_column", Some(name)) => absent(name),
            _ => error,
        }
    }
}
