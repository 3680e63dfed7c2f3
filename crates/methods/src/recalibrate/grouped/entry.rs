//! Temperature and histogram by group as recalibrators: one fit a group, the fit to all rows where it is small or new.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    Grouped, MIN_ROWS_HISTOGRAM, MIN_ROWS_TEMPERATURE, fit_histogram, fit_temperature, fit_temperature_binary,
};
use crate::data::Predictions;
use crate::data::pair::{VectorLogits, classes, log_odds};
use crate::error::{Result, message, phrases};
use crate::feature::groups::{self, Groups, group_columns, groups};
use crate::metric::binning::BinOptions;
use crate::num::special::sigmoid;
use crate::recalibrate::fit::Fit;
use crate::recalibrate::histogram::{EmptyBin, Histogram};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{BINS, Parameter, Takes, bounded};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::temperature::Temperature;
use crate::recalibrate::validity::{Validity, of_groups, together};
use crate::request::bounds::ROWS;
use crate::table::{MISSING, Warning};
use crate::words::text::counted;

/// Fits by the name of the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByGroup<P> {
    /// the column that says the group
    pub groups: String,
    /// fit to all rows, for every group that has none of its own
    pub pooled: P,
    /// fits of the groups
    pub fits: BTreeMap<String, P>,
}

impl<P> ByGroup<P> {
    fn new(groups: &Groups, found: Grouped<P>) -> Self {
        let name = |code: u32| groups.levels.get(code as usize).cloned();
        let fits = found.groups.into_iter();
        let fits = fits.filter_map(|(code, fit)| Some((name(code)?, fit)));
        Self { groups: groups.name.clone(), pooled: found.pooled, fits: fits.collect() }
    }

    /// The fit that holds for a group.
    pub fn of(&self, level: Option<&str>) -> &P {
        level.and_then(|level| self.fits.get(level)).unwrap_or(&self.pooled)
    }

    /// `check` of the fit to all rows, then of every group's.
    fn check_each(&self, check: impl Fn(&P) -> Validity) -> Validity {
        check(&self.pooled).map_err(|what| format!("pooled: {what}"))?;
        of_groups(&self.fits, check)
    }
}

/// The column that was named, which must make groups; else the first with the role group.
pub(in crate::recalibrate) fn column(data: &Predictions, named: Option<String>) -> Result<Option<String>> {
    let name = named.or_else(|| group_columns(data).into_iter().next());
    name.map(|name| groups(data, &name).map(|groups| groups.name)).transpose()
}

/// Says how many new rows take the fit to all rows for want of one of their group: among the rows of the fit's own data
/// those of a group without a calibration row, in another file those whose group is not among `fits`.
pub(in crate::recalibrate) fn unknown<P>(to: &RowsToScore, by: &Groups, fits: &BTreeMap<String, P>) -> Vec<Warning> {
    let calibrated: Option<BTreeSet<u32>> = to.fitted_on.map(|rows| by.select(rows).into_iter().collect());
    let level = |code: u32| by.levels.get(code as usize);
    let is_known = |code: u32| match &calibrated {
        Some(codes) => code != MISSING && codes.contains(&code),
        None => level(code).is_some_and(|level| fits.contains_key(level)),
    };
    let new: Vec<u32> = by.select(to.rows).into_iter().filter(|code| !is_known(*code)).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let rows = new.len();
    let message = match to.fitted_on {
        Some(_) => format!(
            "Evaluation rows in no group with calibration rows: {rows}. For these, the fit to all rows was used."
        ),
        None => {
            let codes: BTreeSet<u32> = new.into_iter().collect();
            let names: Vec<&str> = codes.iter().map(|code| level(*code).map_or("empty", String::as_str)).collect();
            let shown = match names.split_at_checked(MOST_NAMED) {
                Some((first, more)) if !more.is_empty() => format!("{} and {} more", first.join(", "), more.len()),
                _ => names.join(", "),
            };
            format!(
                "the fit to all rows was used for {}, as the calibrator has no fit of the group: `{}` = {shown}.",
                counted(rows, "row"),
                by.name
            )
        }
    };
    vec![warning("group_unknown", message)]
}

/// Most groups that a warning names.
const MOST_NAMED: usize = 5;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    groups: Option<String>,
    min_group: Option<usize>,
    bins: Option<BinOptions>,
}

const GROUPS: Parameter = Parameter {
    name: "groups",
    words: "group column; default: the first with the role group",
    takes: Takes::Column,
    default: "",
};

const fn min_group(default: &'static str) -> Parameter {
    bounded("min_group", ROWS, default, "groups with fewer calibration rows use the fit to all")
}

/// One temperature for each group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupTemperature {
    /// column that says the group
    pub groups: Option<String>,
    /// groups with fewer calibration rows use the fit to all
    pub min_group: usize,
}

/// The mean outcome of each bin within each group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupHistogram {
    /// column that says the group
    pub groups: Option<String>,
    /// groups with fewer calibration rows use the fit to all
    pub min_group: usize,
    /// the bins
    pub bins: BinOptions,
}

impl Recalibrator for GroupTemperature {
    type Learned = ByGroup<Temperature>;

    const ENTRY: Entry = Entry {
        id: "group_temperature",
        title: "Temperature by group",
        plain: "one factor on all logits per group",
        definition: "softmax(Z / T of the group), or σ(logit s / T of the group)",
        minimises: "NLL in each group, T in [0.01, 100]",
        source: "Guo et al. (2017), group by group",
        parameters: &[GROUPS, min_group("30")],
        input: Input::Either {
            logits: snippet!("temperature", [softmax], [softmax]),
            score: snippet!("temperature_of_score", [logit], [logit]),
        },
        alone: None,
        needs: MethodRequirement::Groups,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::RowsOfValues,
        place: Place::First,
        candidacy: Candidacy {
            order: Some(80),
            uses: AdviceInput::Column,
            learns: FittedNumbers::PerGroup(1),
            ..Candidacy::ON_REQUEST
        },
        grid: GridPlace::None,
        offers: &[Offered { id: "group_temperature", title: "Temperature by group", usual: false, rank: 21 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let data = asked.data;
        let given: RawSettings = asked.read()?;
        let groups = column(data, given.groups)?;
        if given.bins.is_some() {
            return Err(invalid(
                message!["`group_temperature` takes groups and ", phrases::MIN_GROUP, "; it has no bins."],
                "Omit bins, or use group_histogram.",
            ));
        }
        Ok(Self { groups, min_group: given.min_group.unwrap_or(MIN_ROWS_TEMPERATURE) })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: self.groups.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * classes(data) as f64 * 2e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Self::Learned>> {
        let by = groups(on.data, self.groups.as_ref().ok_or_else(groups::missing)?)?;
        let (group, w, least) = (by.select(on.rows), on.weights(), self.min_group);
        let w = w.as_deref();
        let fit: Fit<Grouped<Temperature>> = match (on.logits(), &on.data.y) {
            (Some(VectorLogits::LogOdds(z)), Some(_)) => {
                let t: Vec<u8> = on.classes()?.iter().map(|&y| u8::from(y == 1)).collect();
                let z: Vec<f64> = on.rows.iter().map(|&row| z[row as usize]).collect();
                fit_temperature_binary(&z, &t, w, &group, least)?
            }
            (Some(z), Some(_)) => fit_temperature(&z.select(on.rows), &on.classes()?, w, &group, least)?,
            _ => {
                let (s, t) = on.pairs()?;
                fit_temperature_binary(&log_odds(&s), &t, w, &group, least)?
            }
        };
        Ok(fit.map(|found| ByGroup::new(&by, found)).into())
    }
}

impl Learned for ByGroup<Temperature> {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let by = to.groups(&self.groups)?;
        let score = match to.logits() {
            Some(z) => to.by_logits(&z, |row, vector| self.of(by.level(row)).apply_row(vector)),
            None => {
                let z = log_odds(&to.scores()?);
                let each = to.rows.iter().zip(&z);
                each.map(|(&row, z)| sigmoid(z / self.of(by.level(row as usize)).temperature)).collect()
            }
        };
        Ok(Scores { score, warnings: unknown(to, &by, &self.fits), without_place: Vec::new() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::ByGroup(self)
    }

    fn check(&self, m: usize) -> Validity {
        self.check_each(|fit| fit.check(m))
    }
}

impl GroupLogitMap for ByGroup<Temperature> {
    fn column(&self) -> &str {
        &self.groups
    }

    fn apply_logits(&self, group: Option<&str>, row: &mut [f64]) {
        self.of(group).apply_row(row);
    }
}

impl Recalibrator for GroupHistogram {
    type Learned = ByGroup<Histogram>;

    const ENTRY: Entry = Entry {
        id: "group_histogram",
        title: "Histogram by group",
        plain: "the event rate of each bin within each group",
        definition: "mean of t in the bin of s within the group; an empty bin keeps s",
        minimises: "squared error in each bin",
        source: "Zadrozny and Elkan (2001), group by group",
        parameters: &[GROUPS, min_group("1"), BINS],
        input: Input::Score(snippet!("histogram", [search], [search])),
        alone: None,
        needs: MethodRequirement::Groups,
        weighted: true,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::First,
        candidacy: Candidacy {
            order: Some(110),
            uses: AdviceInput::Column,
            learns: FittedNumbers::FLEXIBLE_PER_GROUP,
            ..Candidacy::ON_REQUEST
        },
        grid: GridPlace::None,
        offers: &[Offered { id: "group_histogram", title: "Histogram by group", usual: false, rank: 22 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let (data, run) = (asked.data, asked.run.bins);
        let given: RawSettings = asked.read()?;
        let groups = column(data, given.groups)?;
        let bins = given.bins.unwrap_or(run).validated()?;
        Ok(Self { groups, min_group: given.min_group.unwrap_or(MIN_ROWS_HISTOGRAM), bins })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: self.groups.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Self::Learned>> {
        let by = groups(on.data, self.groups.as_ref().ok_or_else(groups::missing)?)?;
        let (group, w) = (by.select(on.rows), on.weights());
        let (s, t) = on.pairs()?;
        let fit = fit_histogram(&s, &t, w.as_deref(), &group, &self.bins, EmptyBin::Keep, self.min_group)?;
        Ok(fit.map(|found| ByGroup::new(&by, found)).into())
    }
}

impl Learned for ByGroup<Histogram> {
    const REMEMBERS: Remembers = Remembers::Nothing;

    fn scores(&self, _memory: &Memory, to: &RowsToScore, _progress: Progress) -> Result<Scores> {
        let by = to.groups(&self.groups)?;
        let mut score = to.scores()?.into_owned();
        let mut places: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for (i, &row) in to.rows.iter().enumerate() {
            places.entry(by.level(row as usize)).or_default().push(i);
        }
        for (group, places) in places {
            let s: Vec<f64> = places.iter().map(|&i| score[i]).collect();
            for (i, value) in places.into_iter().zip(self.of(group).apply(&s)) {
                score[i] = value;
            }
        }
        Ok(Scores { score, warnings: unknown(to, &by, &self.fits), without_place: Vec::new() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    fn check(&self, m: usize) -> Validity {
        together(self.pooled.is_whole() && self.fits.values().all(Histogram::is_whole), m)?;
        self.check_each(Histogram::check_values)
    }
}
