//! Multicalibration as recalibrators: groups from columns and their intersections.

use serde::{Deserialize, Serialize};

use super::{CellOptions, Multicalibration, PublishedOptions, fit, fit_published};
use crate::data::Predictions;
use crate::error::{Result, message, phrases};
use crate::feature::groups::{group_columns, groups, memberships};
use crate::feature::{absent, find};
use crate::metric::binning::BinOptions;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{Parameter, Takes, bounded, choice};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::{Snippet, snippet};
use crate::recalibrate::validity::{Validity, each, enclose, together};
use crate::request::bounds::{self, ROWS, real, whole};
use crate::table::MISSING;

/// Shifts until every bin of every group is right on average; `PROPORTIONAL`: gaps count in proportion to the outcome
/// rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByCells<const PROPORTIONAL: bool> {
    /// columns that say the groups; intersections are groups too
    pub groups: Vec<String>,
    /// when a cell counts as wrong
    pub options: CellOptions,
    /// round after round over all cells, as in the published comparison
    pub published: Option<PublishedOptions>,
}

/// What multicalibration learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shifts {
    /// columns that say the groups
    pub columns: Vec<String>,
    /// what the numbers of groups stand for
    pub groups: Vec<String>,
    /// bins and steps
    pub fit: Multicalibration,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    groups: Option<OneOrMany>,
    alpha: Option<f64>,
    eta: Option<f64>,
    rho: Option<f64>,
    bins: Option<BinOptions>,
    min_rows: Option<usize>,
    most_steps: Option<usize>,
    compat: Option<String>,
    gamma: Option<f64>,
    visits: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "groups are the name of a column, or a list of names")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Share of the outcome rate below which gaps no longer count in proportion.
const RHO: f64 = 0.1;

const LINES: Snippet = snippet!("multicalibration", [search], [search]);

const GROUPS: Parameter = Parameter {
    name: "groups",
    words: "group columns, which can intersect; default: all with the role group",
    takes: Takes::Columns,
    default: "",
};
const ALPHA: Parameter = bounded("alpha", real(1e-9, 1.0), "0.01", "largest remaining error");
const ETA: Parameter = bounded("eta", real(1e-6, 1.0), "1", "proportion of the error removed per step");
const BINS: Parameter = bounded("bins", bounds::BINS, "10", "bins of the score");
const MIN_ROWS: Parameter = bounded("min_rows", ROWS, "30", "cells with fewer rows are unchanged");
const MOST_STEPS: Parameter = bounded("most_steps", whole(0, 100_000), "1000", "maximum steps");
const COMPAT: Parameter = choice("compat", &["pmcboost"], "null", "the published algorithm, with gamma and visits");
const GAMMA: Parameter =
    bounded("gamma", real(0.0, 1.0), "null", "with compat: minimum share of the rows of a group, default 0.01");
const VISITS: Parameter = bounded("visits", whole(1, 100_000), "null", "with compat: maximum rounds, default 100");

const fn rho(default: &'static str, words: &'static str) -> Parameter {
    bounded("rho", real(1e-9, 1.0), default, words)
}

const PLAIN: Entry = Entry {
    id: "multicalibration",
    title: "Multicalibration",
    plain: "shifts until every bin of every group is calibrated",
    definition: "s + shifts of the bins of its groups, largest error first, until no error exceeds α",
    minimises: "largest error of a cell, stepwise",
    source: "Hébert-Johnson et al. (2018)",
    parameters: &[
        GROUPS,
        ALPHA,
        ETA,
        rho("null", "none: absolute errors; relative errors in `proportional_multicalibration`"),
        BINS,
        MIN_ROWS,
        MOST_STEPS,
        COMPAT,
        GAMMA,
        VISITS,
    ],
    input: Input::Score(LINES),
    alone: None,
    needs: MethodRequirement::Groups,
    weighted: false,
    from_counts: false,
    fitted_to: FittedTo::SomeRows,
    place: Place::Anywhere,
    candidacy: Candidacy { order: Some(130), most_rows: 100_000, uses: AdviceInput::Columns, ..Candidacy::ON_REQUEST },
    grid: GridPlace::Second(5),
    offers: &[Offered { id: "multicalibration", title: "Multicalibration", usual: false, rank: 23 }],
    read_out: &[],
};

const IN_PROPORTION: Entry = Entry {
    id: "proportional_multicalibration",
    title: "Proportional multicalibration",
    plain: "the same, with errors relative to the event rate",
    definition: "as multicalibration, with errors relative to max(event rate, ρ)",
    minimises: "largest relative error of a cell, stepwise",
    source: "La Cava, Lett and Wan (2023)",
    parameters: &[
        GROUPS,
        ALPHA,
        ETA,
        rho("0.1", "errors are relative to max(event rate, rho)"),
        BINS,
        MIN_ROWS,
        MOST_STEPS,
        COMPAT,
        GAMMA,
        VISITS,
    ],
    candidacy: Candidacy { uses: AdviceInput::Columns, ..Candidacy::ON_REQUEST },
    grid: GridPlace::None,
    offers: &[Offered {
        id: "proportional_multicalibration",
        title: "Proportional multicalibration",
        usual: false,
        rank: 24,
    }],
    ..PLAIN
};

impl<const PROPORTIONAL: bool> Recalibrator for ByCells<PROPORTIONAL> {
    type Learned = Shifts;

    const ENTRY: Entry = if PROPORTIONAL { IN_PROPORTION } else { PLAIN };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let data = asked.data;
        let given: RawSettings = asked.read()?;
        let columns = match given.groups {
            None => group_columns(data),
            Some(OneOrMany::One(name)) => vec![name],
            Some(OneOrMany::Many(names)) => names,
        };
        columns.iter().try_for_each(|name| groups(data, name).map(|_| ()))?;
        if given.rho.is_some() && !PROPORTIONAL {
            return Err(invalid(
                "`multicalibration` has no rho, as errors are absolute.",
                "Omit rho, or use proportional_multicalibration.",
            ));
        }
        let published = match given.compat.as_deref() {
            None => false,
            Some("pmcboost") => true,
            Some(other) => {
                return Err(invalid(
                    format!("Unknown form `{other}` of `{}`.", Self::ENTRY.id),
                    "Omit compat, or use \"pmcboost\".",
                ));
            }
        };
        if published && (given.bins.is_some() || given.min_rows.is_some() || given.most_steps.is_some()) {
            return Err(invalid(
                "The pmcboost form has fixed bins (tenths), minimum size and stopping rule.",
                message![
                    "Omit bins, ",
                    phrases::MIN_ROWS,
                    " and ",
                    phrases::MOST_STEPS,
                    "; it takes gamma and visits."
                ],
            ));
        }
        if !published && (given.gamma.is_some() || given.visits.is_some()) {
            return Err(invalid(
                "gamma and visits belong to the pmcboost form.",
                message![phrases::ADD_PMCBOOST, ", or use ", phrases::MIN_ROWS, " and ", phrases::MOST_STEPS, "."],
            ));
        }
        let usual = CellOptions::default();
        let options = CellOptions {
            bins: given.bins.unwrap_or(usual.bins),
            alpha: given.alpha.unwrap_or(usual.alpha),
            eta: given.eta.unwrap_or(usual.eta),
            rho: PROPORTIONAL.then(|| given.rho.unwrap_or(RHO)),
            min_rows: given.min_rows.unwrap_or(usual.min_rows),
            most_steps: given.most_steps.unwrap_or(usual.most_steps),
        };
        options.check()?;
        let as_published = PublishedOptions::default();
        Ok(Self {
            groups: columns,
            published: published.then(|| PublishedOptions {
                alpha: options.alpha,
                eta: options.eta,
                rho: options.rho,
                gamma: given.gamma.unwrap_or(as_published.gamma),
                visits: given.visits.unwrap_or(as_published.visits),
            }),
            options,
        })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: !self.groups.is_empty() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 5e-3
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Shifts>> {
        let (all, mut names) = memberships(on.data, &self.groups)?;
        let (s, t) = on.pairs()?;
        let own = all.select(on.rows);
        let mut fit = match &self.published {
            Some(options) => fit_published(&s, &t, &own, options)?,
            None => fit(&s, &t, &own, &self.options)?,
        };
        // Only groups that a step names are worth keeping.
        let mut kept: Vec<u32> = fit.parameters.steps.iter().map(|step| step.0).collect();
        kept.sort_unstable();
        kept.dedup();
        for step in &mut fit.parameters.steps {
            step.0 = kept.binary_search(&step.0).unwrap_or(0) as u32;
        }
        names = kept.iter().filter_map(|&group| names.get(group as usize).cloned()).collect();
        let columns = self.groups.clone();
        Ok(FitOutcome::from(fit.map(|fit| Shifts { columns, groups: names, fit })))
    }
}

impl Learned for Shifts {
    const REMEMBERS: Remembers = Remembers::Nothing;

    /// Groups are found by what they are called; others are not shifted.
    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        for name in &self.columns {
            find(to.data, name).map_err(|_| absent(name))?;
        }
        let (all, names) = memberships(to.data, &self.columns)?;
        let place = |name: &String| self.groups.iter().position(|known| known == name);
        let places: Vec<u32> = names.iter().map(|name| place(name).map_or(MISSING, |k| k as u32)).collect();
        let mut own = all.select(to.rows);
        own.count = self.groups.len();
        for group in &mut own.groups {
            *group = places.get(*group as usize).copied().unwrap_or(MISSING);
        }
        to.mapped(|s| self.fit.apply(s, &own))
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Validity {
        let fit = &self.fit;
        let mut steps = fit.steps.iter();
        together(
            enclose(&fit.edges, fit.edges.len().saturating_sub(1))
                && steps.all(|(group, _, shift)| (*group as usize) < self.groups.len() && shift.is_finite())
                && fit.rounds.is_sorted()
                && fit.rounds.iter().all(|end| *end as usize <= fit.steps.len()),
            m,
        )?;
        let shifts: Vec<f64> = fit.steps.iter().map(|step| step.2).collect();
        // Within a round a score may leave [0, 1].
        each("steps", &shifts, &(-100.0..=100.0))
    }
}
