//! The steps that answer an experiment: for every data set and division, fits of methods with the same first method, and then metrics
//! of each, place by place.

use std::collections::HashMap;

use serde::Serialize;

use super::cell::{Cell, Level};
use super::expand::{APPLY_SECONDS, FIT_SECONDS, Instance, Look, Once, divisions, filled, instances, looks};
use super::resume::{fingerprint, kept, outcomes, still_valid};
use super::spec::{Begun, Space, Spec};
use super::step::{Attempt, Attempted, Cells, DivideAnew, Measure, TimeFit, ToFit};
use crate::data::folds::Split;
use crate::data::{Predictions, pair};
use crate::error::{Error, Result};
use crate::evaluation::klce::planes;
use crate::evaluation::method::{Method, MethodKind, title};
use crate::feature::{columns_of, width_of};
use crate::hypothesis::klce_cost;
use crate::run::graph::{Handle, Plan};
use crate::run::plan::files::Files;
use crate::run::plan::local_cost;
use crate::run::plan::proximity::Searches;
use crate::words::text::thousands;

/// Cells at most: each is a number on the page.
const MOST_CELLS: usize = 500_000;
/// Steps at most.
const MOST_STEPS: usize = 50_000;

/// The steps of an experiment, and what is known before the first of them.
pub struct Planned {
    /// the request, with defaults
    pub spec: Spec,
    /// the steps; those that find [`Cells`] are what is asked for
    pub plan: Plan,
    /// how many fits there are among the steps
    pub fits: usize,
    /// cells that need no step: they are there already, or there is a reason why they have no value
    pub cells: Vec<Cell>,
    /// how many cells there are in all
    pub all: usize,
    /// what makes them so many
    pub size: ExperimentSize,
}

/// Size of an experiment: the number of cells is all fits × splits × numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentSize {
    /// number of fits of each method under one split, in the order of the methods: one for each space that it uses and
    /// each combination of its settings
    pub fits: Vec<usize>,
    /// number of splits over all data sets
    pub splits: usize,
    /// numbers per fit: every metric, in every space and for every combination of settings that affect it
    pub numbers: usize,
}

/// What tells cells apart.
type Key = (Option<String>, String, Option<String>, String, String, String);

fn key(cell: &Cell) -> Key {
    let Cell { data, method, space, division, at, metric, .. } = cell;
    let at: Vec<String> = at.iter().map(|(setting, level)| format!("{setting} {level}")).collect();
    (data.clone(), method.clone(), space.clone(), division.clone(), at.join(", "), metric.clone())
}

/// Plans an experiment on one data set or several.
///
/// * `others`: further data sets, each of which is done like the first
/// * `begun`: what is there already, from a run that was stopped or had less to do; what still answers what is asked is not
///   done again
///
/// # Errors
/// `label_missing`, `score_missing`, `unknown_method`, `unknown_metric`, `unknown_column`, `features_missing`,
/// `invalid_option`, also for cells of other data; `too_large` for more cells than 500,000.
///
/// # Cost
/// O(rows) a division, O(steps).
pub fn plan(data: &Predictions, others: &[&Predictions], spec: &Spec, begun: &Begun) -> Result<Planned> {
    let mut spec = filled(data, spec)?;
    let all: Vec<&Predictions> = std::iter::once(data).chain(others.iter().copied()).collect();
    spec.data = Some(fingerprint(&all)?);
    let rows: Vec<[u8; 32]> = all.iter().map(|data| outcomes(data)).collect::<Result<_>>()?;
    spec.same_rows = (1..rows.len()).any(|k| rows[..k].contains(&rows[k]));
    of_columns(&spec, data, others)?;
    let known: HashMap<Key, &Cell> = still_valid(begun, &spec)?.into_iter().map(|cell| (key(cell), cell)).collect();
    let names = Files::new(data, others, None)?.names;
    let mut planned = Planned {
        plan: Plan::of_experiment(others.len()),
        fits: 0,
        cells: Vec::new(),
        all: 0,
        size: ExperimentSize::default(),
        spec: kept(&spec),
    };
    for (k, (file, name)) in std::iter::once(data).chain(others.iter().copied()).zip(names).enumerate() {
        let name = (!others.is_empty()).then_some(name);
        let named = |error: Error| match &name {
            Some(name) => error.within(name),
            None => error,
        };
        of_file(&mut planned, (Handle::numbered(k), file), &spec, name.as_deref(), &known).map_err(named)?;
    }
    Ok(planned)
}

/// A feature map is of one data set: several are looked at by columns that each of them has.
fn of_columns(spec: &Spec, data: &Predictions, others: &[&Predictions]) -> Result<()> {
    let is_map = |name: &String| data.projections.iter().any(|(map, _)| map == name);
    let of_map = |space: &&Space| {
        let named = space.features.as_ref().is_some_and(|choice| columns_of(data, choice).iter().any(is_map));
        space.project.is_some() || named
    };
    match spec.spaces.iter().find(of_map) {
        Some(space) if !others.is_empty() => Err(Error::new(
            "invalid_option",
            format!("The space `{}` is a feature map of one data set; here are {}.", space.name, others.len() + 1),
            "Use columns that every data set has, or their principal components, { pca, of }.",
        )),
        _ => Ok(()),
    }
}

/// All that is asked of one data set.
fn of_file(
    planned: &mut Planned,
    (place, data): (Handle<Predictions>, &Predictions),
    spec: &Spec,
    name: Option<&str>,
    known: &HashMap<Key, &Cell>,
) -> Result<()> {
    pair::scores(data)?;
    pair::targets(data)?;
    let (methods, looks, divisions) = (instances(data, spec)?, looks(data, spec)?, divisions(data, spec)?);
    let times: Vec<String> = [FIT_SECONDS, APPLY_SECONDS].map(str::to_owned).to_vec();
    let times: Vec<String> = times.into_iter().filter(|id| spec.metrics.contains(id)).collect();
    let metrics: usize = looks.iter().map(|look| look.metrics.len()).sum();
    let fits = |place: usize| methods.iter().filter(|instance| instance.place == place).count();
    planned.size = ExperimentSize {
        fits: (0..spec.methods.len()).map(fits).collect(),
        splits: planned.size.splits + divisions.len(),
        numbers: metrics + times.len(),
    };
    planned.all += methods.len() * divisions.len() * planned.size.numbers;
    if planned.all > MOST_CELLS {
        return Err(Error::new(
            "too_large",
            format!(
                "{} results were requested; at most {} are allowed.",
                thousands(planned.all),
                thousands(MOST_CELLS)
            ),
            "Vary fewer settings, or use fewer splits.",
        ));
    }
    let file = OneFile { place, data, name, looks: &looks, times: &times, known };
    for once in divisions {
        let known_split = once.rule.split(data, once.seed)?;
        let mut searches = Searches::under(&known_split);
        let mut split = None;
        for begin in by_first_method(&methods) {
            let lacking = begin.methods.iter().filter_map(|&instance| file.lacking(planned, &once, instance));
            let lacking: Vec<Lacking> = lacking.collect();
            if lacking.is_empty() {
                continue;
            }
            let split = *split.get_or_insert_with(|| {
                let step = DivideAnew { data: place, rule: once.rule.clone(), seed: once.seed };
                planned.plan.push(step, data.rows as f64 * 5e-5, "splitting the rows")
            });
            file.push(planned, &once, (split, &known_split), &mut searches, &begin.base, lacking);
            if planned.plan.steps.len() > MOST_STEPS {
                return Err(Error::new(
                    "too_large",
                    format!("More than {} steps would be needed.", thousands(MOST_STEPS)),
                    "Vary fewer settings, or use fewer splits.",
                ));
            }
        }
    }
    Ok(())
}

/// One data set, and what is requested of each of its fits.
struct OneFile<'a> {
    place: Handle<Predictions>,
    data: &'a Predictions,
    /// its name, where there are several
    name: Option<&'a str>,
    looks: &'a [Look],
    /// which of the seconds that a fit and a row take
    times: &'a [String],
    /// cells of an earlier run
    known: &'a HashMap<Key, &'a Cell>,
}

impl<'a> OneFile<'a> {
    fn cell(&self, once: &Once, instance: &Instance) -> Cell {
        Cell {
            data: self.name.map(str::to_owned),
            method: instance.name.clone(),
            division: once.name.clone(),
            at: instance.at.clone(),
            ..Cell::default()
        }
    }

    /// What is still to be computed of a method under a division. Known cells, and those that cannot be computed, are
    /// added to the plan; `None` where there are no others.
    fn lacking(&self, planned: &mut Planned, once: &Once, instance: &'a Instance) -> Option<Lacking<'a>> {
        let cell = self.cell(once, instance);
        let mut lacks = |cell: Cell| match self.known.get(&key(&cell)) {
            Some(there) => {
                planned.cells.push((*there).clone());
                false
            }
            None => true,
        };
        let mut looks: Vec<(&Look, Vec<String>)> = Vec::new();
        for look in self.looks {
            let metrics: Vec<String> =
                look.metrics.iter().filter(|id| lacks(at_look(&cell, look, id))).cloned().collect();
            if !metrics.is_empty() {
                looks.push((look, metrics));
            }
        }
        let of_time = |id: &&String| lacks(Cell { metric: (*id).clone(), ..cell.clone() });
        let times: Vec<String> = self.times.iter().filter(of_time).cloned().collect();
        if let Some(reason) = instance.method.kind.missing() {
            for (look, metrics) in &looks {
                planned.cells.extend(Cells::without(&at_look(&cell, look, ""), metrics, &reason.text()).cells);
            }
            planned.cells.extend(Cells::without(&cell, &times, &reason.text()).cells);
            return None;
        }
        (!looks.is_empty() || !times.is_empty()).then_some(Lacking { instance, looks, times })
    }

    /// Pushes the fits of methods that begin with `base`, then the metrics and times of each.
    fn push(
        &self,
        planned: &mut Planned,
        once: &Once,
        (split, known_split): (Handle<Split>, &Split),
        searches: &mut Searches,
        base: &MethodKind,
        lacking: Vec<Lacking>,
    ) {
        let (place, data) = (self.place, self.data);
        let whose = |method: &Method| format!("{}, {}", title(&method.name), once.name);
        let nodes = &mut planned.plan;
        let mut to_fit = |instance: &Instance| ToFit {
            near: match instance.method.kind.proximity() {
                Some(near) => searches.nodes(nodes, (place, data), split, near),
                None => Vec::new(),
            },
            method: instance.method.clone(),
        };
        let methods: Vec<ToFit> = lacking.iter().map(|one| to_fit(one.instance)).collect();
        let cost: f64 = lacking.iter().map(|one| own_cost(&one.instance.method.kind, data)).sum();
        let label = match lacking.as_slice() {
            [only] => format!("fitting {}", whose(&only.instance.method)),
            _ => format!("fitting {} and subsequent methods, {}", title(&base.id()), once.name),
        };
        planned.fits += methods.len();
        let step = Attempt { data: place, split, base: base.clone(), methods };
        let fits = planned.plan.push(step, cost + base.cost(data), &label);
        for (k, Lacking { instance, looks, times }) in lacking.into_iter().enumerate() {
            let cell = self.cell(once, instance);
            for (look, metrics) in looks {
                measure(
                    planned,
                    (place, data, split),
                    searches,
                    (fits, k),
                    (&cell, &Look { metrics, ..look.clone() }),
                    known_split,
                );
            }
            if !times.is_empty() {
                let method = instance.method.clone();
                let cost = 2.0 * method.kind.cost(data);
                let label = format!("timing {}", whose(&method));
                planned.plan.push(TimeFit { data: place, split, method, cell, metrics: times }, cost, &label);
            }
        }
    }
}

/// What is not there yet of one method under one division.
struct Lacking<'a> {
    instance: &'a Instance,
    /// where metrics look, and which of them
    looks: Vec<(&'a Look, Vec<String>)>,
    /// of the seconds that a fit and a row take
    times: Vec<String>,
}

/// A cell where a metric looks.
fn at_look(cell: &Cell, look: &Look, metric: &str) -> Cell {
    let mut at = cell.at.clone();
    // A setting that methods and metrics share is turned in one of them.
    at.extend(look.at.iter().map(|(setting, level)| (setting.clone(), level.clone())));
    Cell { space: look.space.clone(), at, metric: metric.to_owned(), ..cell.clone() }
}

fn measure(
    planned: &mut Planned,
    (place, data, split): (Handle<Predictions>, &Predictions, Handle<Split>),
    searches: &mut Searches,
    (fits, k): (Handle<Attempted>, usize),
    (cell, look): (&Cell, &Look),
    known: &Split,
) {
    let nodes = &mut planned.plan;
    let near = match &look.near {
        Some(near) => searches.nodes(nodes, (place, data), split, near),
        None => Vec::new(),
    };
    let n = known.evaluation_rows().len();
    let m = if pair::has_vector(data) { pair::classes(data) as f64 } else { 0.0 };
    let mut cost = n as f64 * (2e-4 + m * 1e-5);
    if let Some(local) = &look.local {
        let d = local.features.as_ref().map_or(2, |choice| width_of(data, choice));
        cost += local_cost(n as f64, d);
    }
    if let Some(klce) = &look.klce {
        let planes = planes(data);
        let d = width_of(data, &klce.features);
        cost += klce_cost(n, d + planes, planes, klce.draws, &klce.nulls);
    }
    let step = Measure {
        data: place,
        split,
        fits,
        place: k,
        cell: at_look(cell, look, ""),
        metrics: look.metrics.clone(),
        bins: look.bins,
        groups: look.groups.clone(),
        local: look.local.clone(),
        near,
        klce: look.klce.clone(),
    };
    let label = format!("metrics of {}, {}", title(&cell.method), cell.division);
    nodes.push(step, cost, &label);
}

/// Methods that begin with the same one.
struct Beginning<'a> {
    base: MethodKind,
    methods: Vec<&'a Instance>,
}

/// Methods by the one that they begin with, which is then fitted once; those on the original scores share nothing.
fn by_first_method(methods: &[Instance]) -> Vec<Beginning<'_>> {
    let mut all: Vec<Beginning> = Vec::new();
    for instance in methods {
        let kind = &instance.method.kind;
        let base = kind.base().filter(|base| **base != MethodKind::NONE).unwrap_or(kind);
        let known = all.iter_mut().find(|one| one.base == *base && *base != MethodKind::NONE);
        match known {
            Some(one) => one.methods.push(instance),
            None => all.push(Beginning { base: base.clone(), methods: vec![instance] }),
        }
    }
    all
}

/// Expected milliseconds of a method without the one that it begins with.
fn own_cost(kind: &MethodKind, data: &Predictions) -> f64 {
    (kind.cost(data) - kind.base().map_or(0.0, |base| base.cost(data))).max(0.1)
}

/// A number of a setting as it is varied, for people.
impl From<f64> for Level {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
