//! Rows whose outcomes are drawn: their scores, who is off, and what each test looks at.

use serde::{Deserialize, Serialize};

use super::{BenchRequest, BenchTest, Effect};
use crate::analysis::witness::chance;
use crate::data::grouping::{QUANTILES, group_columns, grouping};
use crate::data::subgroup::{Among, Condition, Subgroup};
use crate::data::{Predictions, pair};
use crate::error::{Error, Result, phrases};
use crate::evaluation::klce::{GammaChoice, KlceForm, KlceSettings, form, klce_work};
use crate::evaluation::vectors::Vectors;
use crate::feature::{FeatureChoice, Features, Within, covariates, features, no_test, numbers};
use crate::hypothesis::witness::{SCALED, WitnessForm, WitnessKernel};
use crate::hypothesis::{Factor, KlceSample, Null, WIDTH_P};
use crate::kernel::{Kernel, Points};
use crate::local::{spread_out, strata};
use crate::num::order::ascending;
use crate::num::quantile::quantile_sorted;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::report::mapped_rows::{bins_of, feature_choice, fit_rows, kernel_of, within_of};
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};
use crate::scan::{ScanInput, Sought, scanned_columns};
use crate::table::values::all_whole;
use crate::table::{Column, MISSING, Values};

/// Subgroups of fewer rows are not looked at by the finding.
const LEAST: usize = crate::analysis::finding::LEAST;
/// Streams of the seed: rows, outcomes.
const ROWS: u64 = 1 << 50;
const OUTCOMES: u64 = 1 << 51;
/// A factor of more columns is slower than pairs.
const MOST_RANK: usize = 320;

/// Rows whose outcomes are drawn; every vector has one entry a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// rows of the data, ascending
    pub(super) rows: Column<u32>,
    /// s
    pub(super) score: Column<f64>,
    /// 1 where a bias is planted
    pub(super) inside: Column<u8>,
    /// who that is; empty: everybody
    pub(super) who: String,
    /// classes of `vectors`; 0 where none are drawn
    classes: usize,
    /// probability of every class, row-major
    vectors: Column<f64>,
    /// class whose probability s is
    scored: Column<u32>,
    pub(super) klce: Option<KlceInput>,
    pub(super) groups: Option<GroupInput>,
    pub(super) near: Option<ProximityInput>,
    pub(super) witness: Option<WitnessPlaces>,
    pub(super) scan: Option<ScanInput>,
}

/// Rows of the KLCE test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceInput {
    /// which rows have a place
    pub(super) placed: Column<u32>,
    pub(super) sample: KlceSample,
    pub(super) factor: Option<Factor>,
}

/// Rows in groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupInput {
    /// of each group, its rows
    pub(super) rows: Vec<Column<u32>>,
}

/// Rows of the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProximityInput {
    pub(super) placed: Column<u32>,
    pub(super) d: usize,
    pub(super) places: Column<f64>,
    pub(super) bin: Column<u32>,
    pub(super) strata: Column<u32>,
    pub(super) kernel: Kernel,
}

/// Rows of the local bias.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WitnessPlaces {
    pub(super) placed: Column<u32>,
    pub(super) d: usize,
    /// scaled, the score among them
    pub(super) places: Column<f64>,
    /// which are held against chance
    pub(super) looked: Column<u32>,
}

/// Drawn outcomes of one file.
pub(super) struct Drawn {
    /// t
    pub(super) target: Vec<u8>,
    /// y, where vectors are drawn
    pub(super) class: Vec<u32>,
}

/// Which tests apply to a data set, and why others do not.
pub(super) fn applicable(
    data: &Predictions,
    run: &RunOutcome,
    request: &BenchRequest,
) -> Vec<(BenchTest, Option<String>)> {
    let by_similarity = match feature_choice(data, run, request.features.as_ref()) {
        Ok(choice) => no_test(data, &choice),
        Err(_) => Some("no feature columns".to_owned()),
    };
    let groups = match group_choice(data, request) {
        None => Some("no group column".to_owned()),
        Some(columns) => data.no_test_by(&columns),
    };
    let why = |test: BenchTest| match test {
        BenchTest::Groups => groups.clone(),
        BenchTest::Finding | BenchTest::Spiegelhalter | BenchTest::HosmerLemeshow => None,
        _ => by_similarity.clone(),
    };
    BenchTest::ALL.into_iter().map(|test| (test, why(test))).collect()
}

/// Columns of the test of groups.
fn group_choice(data: &Predictions, request: &BenchRequest) -> Option<Vec<String>> {
    request.groups.clone().or_else(|| group_columns(data).first().map(|first| vec![first.clone()]))
}

/// Who is off.
///
/// # Errors
/// `groups_missing`, `features_missing`, `unknown_column`, `invalid_option`.
fn planted(data: &Predictions, rows: &MethodRows, request: &BenchRequest) -> Result<Subgroup> {
    let conditions = match request.effect {
        Effect::Null | Effect::Shift => Vec::new(),
        Effect::Group => vec![planted_group(data, rows, request)?],
        Effect::Region => vec![planted_region(data, rows, request)?],
    };
    Ok(Subgroup { conditions })
}

fn planted_group(data: &Predictions, rows: &MethodRows, request: &BenchRequest) -> Result<Condition> {
    let tells = |name: &String| data.no_test_by(std::slice::from_ref(name)).is_some();
    let column = match &request.column {
        Some(column) => column.clone(),
        None => group_columns(data)
            .into_iter()
            .find(|name| !tells(name))
            .ok_or_else(|| Error::new("groups_missing", "No group column.", phrases::GROUP_NEEDED))?,
    };
    if let Some(value) = request.value.as_ref().filter(|value| !value.is_empty()) {
        return Ok(Condition { column, is: Among::Values(vec![value.clone()]) });
    }
    let by = grouping(data, std::slice::from_ref(&column), QUANTILES)?;
    let mut count = vec![0_usize; by.names.len()];
    for &row in rows.rows.iter() {
        if let Some(count) = by.code.get(row as usize).and_then(|&code| count.get_mut(code as usize)) {
            *count += 1;
        }
    }
    let quarter = 0.25 * rows.rows.len() as f64;
    let off = |k: usize| (count[k] as f64 - quarter).abs();
    let best = (0..count.len()).filter(|&k| count[k] > 0).reduce(|a, b| if off(b) < off(a) { b } else { a });
    let Some(best) = best else {
        return Err(Error::new(
            "groups_missing",
            format!("No scored row has a value of “{column}”."),
            "Choose another column.",
        ));
    };
    let column_values = data.table.columns.iter().find(|one| one.name == column).map(|one| &one.values);
    let is = match column_values {
        // The values of a group of numbers, by their ends.
        Some(Values::Numbers(values)) => {
            let of_group = by.code.iter().zip(values.iter()).filter(|(code, _)| **code == best as u32);
            let ends = of_group.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), (_, v)| (a.min(*v), b.max(*v)));
            Among::Between {
                from: Some(ends.0),
                below: values.iter().copied().filter(|v| *v > ends.1).reduce(f64::min),
                whole: all_whole(values),
            }
        }
        _ => Among::Values(vec![by.names[best].clone()]),
    };
    Ok(Condition { column, is })
}

fn planted_region(data: &Predictions, rows: &MethodRows, request: &BenchRequest) -> Result<Condition> {
    let column = match &request.feature {
        Some(feature) => feature.clone(),
        None => covariates(data).into_iter().next().ok_or_else(|| {
            Error::new(
                "features_missing",
                "No numeric feature.",
                "Assign “Feature” to a numeric column, or simulate the bias in a group.",
            )
        })?,
    };
    let (mut from, below) = (request.from, request.below);
    if from.is_none() && below.is_none() {
        let values = numbers(data, &column)?;
        let mut own: Vec<f64> = rows.rows.iter().filter_map(|&row| values.get(row as usize).copied()).collect();
        own.retain(|value| value.is_finite());
        own.sort_unstable_by(f64::total_cmp);
        from = quantile_sorted(&own, 2.0 / 3.0);
    }
    Ok(Condition { column, is: Among::Between { from, below, whole: false } }.in_table(&data.table))
}

/// The first `n` of all `of` rows in a seeded order, ascending.
fn chosen(of: usize, n: usize, seed: u64) -> Vec<u32> {
    if n >= of {
        return (0..of as u32).collect();
    }
    let mut lanes = Lanes::seeded(seed, ROWS);
    let keys: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(of).collect();
    let mut rows = ascending(&keys)[..n].to_vec();
    rows.sort_unstable();
    rows
}

impl World {
    /// `n` of the scored rows with what the tests look at.
    ///
    /// # Errors
    /// Those of the tests' own questions; `invalid_option` where nobody is off who should be.
    ///
    /// # Cost
    /// O(n d); with a shuffled null that of a low-rank factor.
    pub(super) fn new(
        data: &Predictions,
        run: &RunOutcome,
        request: &BenchRequest,
        tests: &[BenchTest],
        n: usize,
    ) -> Result<Self> {
        let all = method_rows(run, request.method.as_deref())?;
        let rows = &all.at(&chosen(all.rows.len(), n, request.seed));
        let who = planted(data, all, request)?;
        let inside = who.rows(data)?;
        let inside: Vec<u8> = rows.rows.iter().map(|&row| u8::from(inside[row as usize])).collect();
        if inside.iter().all(|inside| *inside == 0) {
            return Err(Error::new(
                "invalid_option",
                format!("None of the {} rows has {}.", rows.rows.len(), who.description()),
                "Choose a value or interval that occurs.",
            ));
        }
        let any = |wanted: &dyn Fn(BenchTest) -> bool| tests.iter().any(|test| wanted(*test));
        let settings = run.report.settings.klce.clone().unwrap_or_default();
        let mut world = Self {
            rows: rows.rows.clone(),
            score: rows.score.clone(),
            inside: inside.into(),
            who: if who.conditions.is_empty() { String::new() } else { who.description() },
            classes: 0,
            vectors: Column::default(),
            scored: rows.rows.iter().map(|&row| pair::scored_class(data, row as usize) as u32).collect(),
            klce: None,
            groups: None,
            near: None,
            witness: None,
            scan: None,
        };
        world.read_vectors(data, rows)?;
        let choice = feature_choice(data, run, request.features.as_ref());
        if any(&|test| test.null().is_some()) {
            let choice = match (&request.features, settings.features) {
                (None, Some(of_test)) => of_test,
                _ => choice.clone()?,
            };
            let gamma = settings.gamma.map(|gamma| match gamma {
                GammaChoice::Rule(rule) if rule == "power" => GammaChoice::Rule("median".to_owned()),
                other => other,
            });
            let settings =
                KlceSettings::new(choice, settings.width_p, gamma.as_ref(), vec![Null::Bernoulli], Some(0), 0)?;
            let shuffled = any(&|test| test.null().is_some_and(|null| null != Null::Bernoulli));
            world.klce = Some(KlceInput::new(data, run, rows, &settings, shuffled)?);
        }
        if any(&|test| test == BenchTest::Groups) {
            world.groups = Some(GroupInput::new(data, request, rows)?);
        }
        if any(&|test| matches!(test, BenchTest::Neighbourhoods | BenchTest::Witness)) {
            let choice = choice?;
            let all = features(data, &choice, &fit_rows(data, run, rows, &choice)?)?;
            let placed = all.placed(&rows.rows);
            if any(&|test| test == BenchTest::Neighbourhoods) {
                world.near = Some(ProximityInput::new(data, run, rows, &all, &placed)?);
            }
            if any(&|test| test == BenchTest::Witness) {
                world.witness = Some(WitnessPlaces::new(rows, &all, placed)?);
            }
        }
        if any(&|test| test == BenchTest::Finding) {
            let columns = scanned_columns(data, None, None)?;
            let values = (rows.rows.as_slice(), rows.score.as_slice(), rows.target.as_slice(), None);
            let sought = Sought { columns: &columns, similarity: &[], least: LEAST };
            world.scan = Some(ScanInput::new(data, values, sought, request.seed)?);
        }
        Ok(world)
    }

    /// Probabilities of all classes, where the KLCE test looks at them.
    fn read_vectors(&mut self, data: &Predictions, rows: &MethodRows) -> Result<()> {
        if form(data) != KlceForm::Vectors {
            return Ok(());
        }
        let Some(vectors) = Vectors::new(data, &rows.calibrators)? else { return Ok(()) };
        self.classes = vectors.width();
        let mut all = vec![0.0; self.classes * rows.rows.len()];
        for (i, to) in all.chunks_exact_mut(self.classes.max(1)).enumerate() {
            vectors.vector_into(rows.rows[i] as usize, rows.fold[i], rows.score[i], to);
        }
        self.vectors = all.into();
        Ok(())
    }

    /// n
    pub(super) fn n(&self) -> usize {
        self.rows.len()
    }

    /// P(t = 1) of every row with a bias of `size` logits: σ(logit s + δ) where it is planted, else s.
    pub(super) fn truth(&self, size: f64) -> Vec<f64> {
        let rows = self.score.iter().zip(self.inside.iter());
        rows.map(|(&s, &inside)| if inside == 1 && size != 0.0 { sigmoid(logit(s, PROB_CLIP) + size) } else { s })
            .collect()
    }

    /// Outcomes of simulated file `file`: row i happens with probability `truth[i]`; of several classes, what is left goes to
    /// the others as their probabilities are. The stream depends on seed and file alone.
    pub(super) fn drawn(&self, truth: &[f64], seed: u64, file: usize) -> Drawn {
        let mut lanes = Lanes::seeded(seed, OUTCOMES + file as u64);
        if self.classes == 0 {
            let thresholds: Vec<i32> = truth.iter().map(|&p| bernoulli_threshold(p)).collect();
            let mut target = vec![0; truth.len()];
            lanes.fill_bernoulli(&thresholds, &mut target);
            return Drawn { target, class: Vec::new() };
        }
        let mut uniform = std::iter::repeat_with(|| lanes.uniform()).flatten();
        let mut found = Drawn { target: Vec::with_capacity(truth.len()), class: Vec::with_capacity(truth.len()) };
        for ((&q, &scored), p) in truth.iter().zip(self.scored.iter()).zip(self.vectors.chunks_exact(self.classes)) {
            let u = uniform.next().unwrap_or_default();
            let class = if u < q { scored } else { another(p, scored, (u - q) / (1.0 - q)) };
            found.target.push(u8::from(class == scored));
            found.class.push(class);
        }
        found
    }
}

/// Another class than `scored`, by `u` in [0, 1) as its share of the other probabilities.
fn another(p: &[f64], scored: u32, u: f64) -> u32 {
    let others = || (0_u32..).zip(p).filter(|(class, _)| *class != scored);
    let total: f64 = others().map(|(_, p)| p).sum();
    let mut left = u * total;
    let mut last = scored;
    for (class, p) in others() {
        last = class;
        left -= p;
        if left < 0.0 {
            break;
        }
    }
    last
}

impl GroupInput {
    fn new(data: &Predictions, request: &BenchRequest, rows: &MethodRows) -> Result<Self> {
        let columns = group_choice(data, request).unwrap_or_default();
        let by = grouping(data, &columns, QUANTILES)?;
        let mut groups = vec![Column::default(); by.names.len()];
        for (place, &row) in (0_u32..).zip(rows.rows.iter()) {
            if let Some(group) = by.code.get(row as usize).and_then(|&code| groups.get_mut(code as usize)) {
                group.push(place);
            }
        }
        groups.retain(|group| !group.is_empty());
        Ok(Self { rows: groups })
    }
}

impl ProximityInput {
    /// * `placed`: rows that have coordinates
    fn new(data: &Predictions, run: &RunOutcome, rows: &MethodRows, all: &Features, placed: &[u32]) -> Result<Self> {
        let kernel = kernel_of(run, None, None)?;
        let cut = Within::new(data, within_of(run, None))?;
        // as on the page, a row without the value that neighbors share has no place
        let has_value = |row: u32| cut.as_ref().is_none_or(|cut| cut.codes.get(row as usize) != Some(&MISSING));
        let has_place = |place: &u32| rows.rows.get(*place as usize).is_some_and(|&row| has_value(row));
        let placed: Vec<u32> = placed.iter().copied().filter(has_place).collect();
        let own = rows.at(&placed);
        let bin = bins_of(run, None).binning(&own.score)?.assignment;
        Ok(Self {
            placed: placed.into(),
            d: all.d,
            places: all.select(&own.rows).into(),
            strata: strata(&bin).into(),
            bin: Within::strata(cut.as_ref(), bin, &own.rows).into(),
            kernel,
        })
    }
}

impl WitnessPlaces {
    /// * `placed`: rows that have coordinates
    fn new(rows: &MethodRows, all: &Features, placed: Vec<u32>) -> Result<Self> {
        let own = rows.at(&placed);
        let (d, places) = (all.d, all.select(&own.rows));
        let points = Points::row_major(d, &places)?;
        let (kernel, _) = WitnessKernel::chosen(WitnessForm::Product, (WIDTH_P, None), points, &own.score)?;
        let scaled = kernel.places(points, &own.score)?.into_raw_vec_and_offset().0;
        let looked = spread_out(Points::row_major(d + 1, &scaled)?, chance(own.rows.len(), d).0);
        Ok(Self { placed: placed.into(), d: d + 1, places: scaled.into(), looked: looked.into() })
    }
}

impl KlceInput {
    fn new(
        data: &Predictions,
        run: &RunOutcome,
        rows: &MethodRows,
        settings: &KlceSettings,
        shuffled: bool,
    ) -> Result<Self> {
        let choice: &FeatureChoice = &settings.features;
        let all = features(data, choice, &fit_rows(data, run, rows, choice)?)?;
        let placed = all.placed(&rows.rows);
        let sample = klce_work(data, &rows.into(), (all.d, &all.values), settings)?.sample;
        let most = (sample.n() / 4).min(MOST_RANK);
        let factor = if shuffled && sample.n() > 512 { Factor::find(&sample, most) } else { None };
        Ok(Self { placed: placed.into(), sample, factor })
    }
}

/// The kernel of [`WitnessPlaces`].
pub(super) const WITNESS: Kernel = SCALED;
