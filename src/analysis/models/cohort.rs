//! Which models scored the same rows: those alone can be compared pair by pair.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::data::{ClusterIds, ColumnRole, Predictions, Role, View};
use crate::error::Result;
use crate::evaluation::scored::Scored;
use crate::num::weight::RowWeights;
use crate::run::graph::{Handle, Outcomes, Step};
use crate::table::Column;
use crate::table::values::{MISSING, Values};
use crate::words::number::count;

/// Models of the same rows, and who is none of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cohort {
    /// the pair that is looked at
    pub view: View,
    /// row of the open data set of each row that all models scored
    pub rows: Column<u32>,
    /// w of each; empty where every row counts once
    pub weight: Column<f64>,
    /// clusters of the rows
    #[serde(default)]
    pub clusters: ClusterIds,
    /// the open one first
    pub models: Vec<CohortModel>,
    /// the others, each with its reason
    pub left_out: Vec<LeftOut>,
    /// rows that the open model scored and another of the cohort did not
    pub unscored: usize,
}

/// What one model said of the rows of the cohort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CohortModel {
    /// what it is called
    pub name: String,
    /// its place among all models
    pub place: usize,
    /// s
    pub score: Column<f64>,
    /// t of the view
    pub target: Column<u8>,
    /// whether the prediction was right
    pub correct: Column<u8>,
    /// −ln of the probability of the observed outcome
    pub nll: Column<f64>,
    /// squared error of the view
    pub brier: Column<f64>,
}

/// A model of other rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// name of the model
    pub model: String,
    /// why its numbers cannot be paired with those of the open model
    pub reason: String,
}

impl Cohort {
    /// w of the rows, where they have weights.
    pub fn weights(&self) -> RowWeights<'_> {
        (!self.weight.is_empty()).then_some(self.weight.as_slice())
    }

    /// The models of `data` that scored the rows of the first, with the same outcomes.
    ///
    /// Rows are the same by their place in the table where all models stand in one, or by what describes them where its rows have
    /// another order with each model; by their ids where both files have them; else by their order. Only rows that every model scored are kept. O(n log n) a model.
    ///
    /// * `names`, `data`, `scored`: by model, the open one first
    pub fn new(names: &[String], data: &[&Predictions], scored: &[&Scored]) -> Self {
        let mut kept: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut left_out = Vec::new();
        let open = data.first().zip(scored.first());
        let own = open.map_or(0, |(_, scored)| scored.rows.len());
        for (place, (other, theirs)) in data.iter().zip(scored).enumerate().skip(1) {
            let Some((first, ours)) = open else { break };
            match same_rows((first, ours), (other, theirs)) {
                Ok(places) => kept.push((place, places)),
                Err(reason) => left_out.push(LeftOut { model: names.get(place).cloned().unwrap_or_default(), reason }),
            }
        }
        let everywhere = |row: &usize| kept.iter().all(|(_, places)| places.get(*row).is_some_and(|at| *at != NOWHERE));
        let common: Vec<usize> = (0..own).filter(everywhere).collect();
        let mut models = Vec::with_capacity(kept.len() + 1);
        if let Some((_, ours)) = open {
            let all: Vec<u32> = common.iter().map(|&row| row as u32).collect();
            models.push(CohortModel::new(names, 0, ours, &all));
        }
        for (place, places) in &kept {
            let at: Vec<u32> = common.iter().filter_map(|&row| places.get(row).copied()).collect();
            models.extend(scored.get(*place).map(|scored| CohortModel::new(names, *place, scored, &at)));
        }
        let picked =
            |column: &Column<f64>| common.iter().filter_map(|&row| column.get(row).copied()).collect::<Vec<_>>();
        let rows = open.map_or_else(Vec::new, |(_, ours)| {
            common.iter().filter_map(|&row| ours.rows.get(row).copied()).collect::<Vec<u32>>()
        });
        Self {
            clusters: open.map_or_else(ClusterIds::default, |(first, _)| ClusterIds::of_rows(first, &rows)),
            view: open.map_or(View::Positive, |(first, _)| first.view),
            rows: rows.into(),
            weight: open.map_or_else(Vec::new, |(_, ours)| picked(&ours.weight)).into(),
            models,
            left_out,
            unscored: own - common.len(),
        }
    }
}

impl CohortModel {
    fn new(names: &[String], place: usize, scored: &Scored, at: &[u32]) -> Self {
        let name = names.get(place).cloned().unwrap_or_default();
        // What is kept whole is shared, not copied.
        let whole = at.len() == scored.rows.len() && (0u32..).zip(at).all(|(i, &at)| i == at);
        let floats = |column: &Column<f64>| match whole {
            true => column.clone(),
            false => at.iter().filter_map(|&i| column.get(i as usize).copied()).collect::<Vec<_>>().into(),
        };
        let bits = |column: &Column<u8>| match whole {
            true => column.clone(),
            false => at.iter().filter_map(|&i| column.get(i as usize).copied()).collect::<Vec<_>>().into(),
        };
        Self {
            name,
            place,
            score: floats(&scored.score),
            target: bits(&scored.target),
            correct: bits(&scored.correct),
            nll: floats(&scored.nll),
            brier: floats(&scored.brier),
        }
    }
}

/// A row that the other model did not score.
const NOWHERE: u32 = u32::MAX;

/// How rows of two data sets are known to be the same.
enum By {
    /// both stand in one table, by number or by what describes them
    Table,
    /// the same names of the rows
    Ids,
    /// the same place in files of as many rows
    Order,
}

/// The place among `theirs` of each row of `ours`.
///
/// # Errors
/// Why the rows are not the same, in words.
fn same_rows(
    (first, ours): (&Predictions, &Scored),
    (other, theirs): (&Predictions, &Scored),
) -> std::result::Result<Vec<u32>, String> {
    let (by, of_first, of_other) = keys(first, other)?;
    let key = |keys: &[u32], row: u32| keys.get(row as usize).copied();
    let places: BTreeMap<u32, u32> =
        theirs.rows.iter().zip(0u32..).filter_map(|(&row, place)| Some((key(&of_other, row)?, place))).collect();
    let at = |&row: &u32| key(&of_first, row).and_then(|key| places.get(&key).copied()).unwrap_or(NOWHERE);
    let at: Vec<u32> = ours.rows.iter().map(at).collect();
    let n = at.len();
    let found = at.iter().filter(|at| **at != NOWHERE).count();
    // In one table a model may lack a score here and there; elsewhere every row must be there.
    let enough = if matches!(by, By::Table) { 2 * found >= n } else { found == n };
    if !enough {
        return Err(format!("it has scores for {} of the {} rows", count(found as u64), count(n as u64)));
    }
    let pairs =
        || ours.rows.iter().zip(&at).filter_map(|(&a, &b)| Some((a as usize, *theirs.rows.get(b as usize)? as usize)));
    let differ = match (&first.y, &other.y) {
        (Some(y), Some(their_y)) => {
            // By class rather than by name: names are looked up once.
            let same: Vec<Option<usize>> =
                other.labels.iter().map(|name| first.labels.iter().position(|known| known == name)).collect();
            pairs()
                .filter(|&(a, b)| {
                    let theirs = their_y.get(b).and_then(|&class| same.get(class as usize).copied().flatten());
                    theirs.is_none() || theirs != y.get(a).map(|&class| class as usize)
                })
                .count()
        }
        // Whether a prediction was right is another thing for every model.
        _ if first.view == View::TopLabel && matches!(by, By::Order) => {
            return Err("neither ids nor labels identify its rows as the same".to_owned());
        }
        _ if first.view == View::TopLabel => 0,
        _ => {
            let pairs = at.iter().enumerate().filter(|(_, at)| **at != NOWHERE);
            pairs.filter(|(i, at)| ours.target.get(*i) != theirs.target.get(**at as usize)).count()
        }
    };
    match differ {
        0 => Ok(at),
        d => Err(format!("the outcomes of {} of the {} rows differ", count(d as u64), count(n as u64))),
    }
}

/// A key of every row of both, equal where the rows are the same.
fn keys(first: &Predictions, other: &Predictions) -> std::result::Result<(By, Vec<u32>, Vec<u32>), String> {
    let columns = |data: &Predictions| {
        data.table.columns.iter().map(|column| (column.file.clone(), column.name.clone())).collect::<Vec<_>>()
    };
    if first.model.is_some() && other.model.is_some() && sorted(columns(first)) == sorted(columns(other)) {
        let (ours, theirs) = in_one_table(first, other);
        return Ok((By::Table, ours, theirs));
    }
    if let (Some(ours), Some(theirs)) = (ids(first), ids(other)) {
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        for (id, place) in ours.iter().zip(0u32..) {
            if known.insert(id, place).is_some() {
                return Err("ids are not unique".to_owned());
            }
        }
        let mut next = ours.len() as u32;
        let theirs: Vec<u32> = theirs
            .iter()
            .map(|id| match known.get(id.as_str()) {
                Some(place) => *place,
                None => {
                    next += 1;
                    next
                }
            })
            .collect();
        let once = sorted(theirs.clone()).windows(2).all(|two| two.first() != two.last());
        if !once {
            return Err("ids are not unique".to_owned());
        }
        return Ok((By::Ids, (0..ours.len() as u32).collect(), theirs));
    }
    if first.rows != other.rows {
        return Err(format!("it has {} rows, the open model {}", count(other.rows as u64), count(first.rows as u64)));
    }
    let order: Vec<u32> = (0..first.rows as u32).collect();
    Ok((By::Order, order.clone(), order))
}

/// Keys of the rows of two models that stand in one table: their numbers, or, where files were joined in the order of the open one and
/// these differ, what describes the rows; rows of which the description occurs twice have no partner. O(n · columns).
fn in_one_table(first: &Predictions, other: &Predictions) -> (Vec<u32>, Vec<u32>) {
    let numbers = (first.row_numbers.to_vec(), other.row_numbers.to_vec());
    let columns = &first.table.columns;
    if columns.windows(2).all(|pair| matches!(pair, [a, b] if a.file == b.file)) {
        return numbers;
    }
    let (ours, theirs) = (descriptions(first, other), descriptions(other, first));
    let of_theirs: HashMap<u32, u64> = numbers.1.iter().copied().zip(theirs.iter().copied()).collect();
    let same = |(row, description): (&u32, &u64)| of_theirs.get(row).is_none_or(|theirs| theirs == description);
    if numbers.0.iter().zip(&ours).all(same) {
        return numbers;
    }
    let mut places: HashMap<u64, [Vec<u32>; 2]> = HashMap::new();
    for (side, descriptions) in [&ours, &theirs].into_iter().enumerate() {
        for (row, description) in (0u32..).zip(descriptions) {
            places.entry(*description).or_default()[side].push(row);
        }
    }
    let mut keys = vec![NOWHERE; theirs.len()];
    for pair in places.values() {
        if let [[ours], [theirs]] = pair.each_ref().map(Vec::as_slice)
            && let Some(key) = keys.get_mut(*theirs as usize)
        {
            *key = *ours;
        }
    }
    ((0..ours.len() as u32).collect(), keys)
}

/// Of each row of `data` a hash of what describes it: the cells of the columns that are neither scores nor outcomes, whichever of the
/// two models is open, in one order.
fn descriptions(data: &Predictions, other: &Predictions) -> Vec<u64> {
    let describes = |column: &ColumnRole| {
        let role = column.role;
        !column.is_of_other_model()
            && matches!(role, Role::Id | Role::Group | Role::Feature | Role::Date | Role::Text | Role::Ignore)
    };
    let described = |data: &Predictions| -> BTreeSet<(String, String)> {
        let columns = data.table.columns.iter().zip(&data.roles).filter(|(_, role)| describes(role));
        columns.map(|(column, _)| (column.file.clone(), column.name.clone())).collect()
    };
    let mut hashes = vec![0u64; data.rows];
    for name in described(data).intersection(&described(other)) {
        let found = data.table.columns.iter().find(|column| (&column.file, &column.name) == (&name.0, &name.1));
        let hash = |before: u64, cell: &dyn Fn(&mut DefaultHasher)| {
            let mut hasher = DefaultHasher::new();
            before.hash(&mut hasher);
            cell(&mut hasher);
            hasher.finish()
        };
        match found.map(|column| &column.values) {
            Some(Values::Numbers(numbers)) => {
                // −0 is 0
                let each = hashes.iter_mut().zip(numbers.iter());
                each.for_each(|(one, x)| *one = hash(*one, &|hasher| (x + 0.0).to_bits().hash(hasher)));
            }
            Some(Values::Text { codes, levels }) => {
                let text = |code: u32| if code == MISSING { "" } else { levels.text(code) };
                let each = hashes.iter_mut().zip(codes.iter());
                each.for_each(|(one, code)| *one = hash(*one, &|hasher| text(*code).hash(hasher)));
            }
            Some(Values::Matrix(_)) | None => (),
        }
    }
    hashes
}

fn sorted<T: Ord>(mut values: Vec<T>) -> Vec<T> {
    crate::num::order::sort(&mut values, &Ord::cmp);
    values
}

/// The names of the rows, where a column holds them.
fn ids(data: &Predictions) -> Option<Vec<String>> {
    let place = data.roles.iter().position(|column| column.role == Role::Id)?;
    Some(match &data.table.columns.get(place)?.values {
        Values::Numbers(numbers) => numbers.iter().map(f64::to_string).collect(),
        Values::Text { codes, levels } => {
            let text = |&code: &u32| if code == MISSING { String::new() } else { levels.text(code).to_owned() };
            codes.iter().map(text).collect()
        }
        Values::Matrix(_) => return None,
    })
}

/// Finds which models have the same rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairModels {
    pub(super) names: Vec<String>,
    /// by model, the open one first
    pub(super) data: Vec<Handle<Predictions>>,
    /// scores without recalibration
    pub(super) scored: Vec<Handle<Scored>>,
}

impl Step for PairModels {
    type Output = Cohort;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Cohort> {
        Ok(Cohort::new(&self.names, &at.each(&self.data)?, &at.each(&self.scored)?))
    }
}
