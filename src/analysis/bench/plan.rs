//! Worlds first, then simulated files in ranges, then what they say together.

use serde::{Deserialize, Serialize};

use super::p_values::{CHUNK, DRAWN, MAP_REDRAWS, WITNESS_DRAWS, p_values};
use super::recalibrated::{kind_of, recalibrated};
use super::world::{World, applicable};
use super::{
    BenchOutcome, BenchRate, BenchRecalibration, BenchRequest, BenchSetting, BenchTest, BenchWithoutCharts, Effect,
    RecalibratedFiles, SimulatedPValues, Study, StudySetting, Work,
};
use super::{study_words, words};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::witness::chance;
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::klce::planes;
use crate::evaluation::method::MethodKind;
use crate::feature::width_of;
use crate::hypothesis::{LEVEL, SAMPLED_ROWS, SHUFFLES};
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::mapped_rows::feature_choice;
use crate::report::view::method_rows;
use crate::request::bounds::{FEATURES, FIGURE, Field, PLACE, SEED, real, whole};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::ranges;
use crate::scan::{expected_families, scanned_columns};

/// Rows where nothing is said.
const USUAL_ROWS: usize = 3_000;
/// Simulated files where nothing is said, and how many there are at least.
const USUAL: usize = 1_000;
const LEAST: usize = 100;
/// Milliseconds on one core that all files of a plan may take where nothing is said.
const BUDGET_MS: f64 = 16_000.0;
/// Milliseconds that a part should take.
const PART_MS: f64 = 400.0;
/// Files on which a recalibration is tried where nothing is said.
const RECALIBRATED_FILES: usize = 20;
/// Sizes of a bias where nothing is said.
const SIZES: [f64; 4] = [0.0, 0.25, 0.5, 1.0];
/// Settings of one question at most.
const MOST_SETTINGS: usize = 24;

/// A test that does not apply, and why.
type LeftOut = (BenchTest, String);

impl Analysis for BenchRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[
        ("size", real(-10.0, 10.0)),
        ("from", PLACE),
        ("below", PLACE),
        ("rows", whole(20, 50_000)),
        ("simulations", whole(20, 20_000)),
        ("alpha", real(1e-3, 0.5)),
        ("features", FEATURES),
        ("seed", SEED),
        ("width", FIGURE),
    ];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let request = Self { width: None, ..self.clone() };
        let found = match self.study {
            Study::OpenFile => self.plan_open_file(of, &mut plan, request)?,
            study => self.plan_study(study, &mut plan, request),
        };
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// One kind of simulated files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Setting {
    world: Handle<World>,
    size: f64,
    /// by work
    simulated: Vec<(Work, Vec<Handle<SimulatedPValues>>)>,
    /// by recalibration method
    recalibrated: Vec<(String, Vec<Handle<RecalibratedFiles>>)>,
}

impl BenchRequest {
    /// Sizes of the bias.
    fn sizes(&self) -> Result<Vec<f64>> {
        let asked = self.size.as_ref().map(super::OneOrMany::ascending);
        match (self.effect, asked) {
            (Effect::Null, None) => Ok(vec![0.0]),
            (Effect::Null, Some(sizes)) if sizes.iter().all(|size| *size == 0.0) => Ok(vec![0.0]),
            (Effect::Null, Some(_)) => Err(Error::new(
                "invalid_option",
                "A size is specified, but no simulated bias.",
                "Choose effect shift, group or region, or omit size.",
            )),
            (_, None) => Ok(SIZES.to_vec()),
            (_, Some(sizes)) if sizes.is_empty() => Err(nothing("size")),
            (_, Some(sizes)) => Ok(sizes),
        }
    }

    fn plan_open_file(&self, of: &LastRun, plan: &mut Plan, request: Self) -> Result<Handle<BenchWithoutCharts>> {
        let (data, run) = (of.data, of.run);
        let scored = method_rows(run, self.method.as_deref())?;
        let available = scored.rows.len();
        if available < 2 {
            let scored = format!("Fewer than two rows are scored ({available}).");
            return Err(Error::new("too_few_rows", scored, "Include rows to score."));
        }
        let sizes = self.sizes()?;
        let mut rows: Vec<usize> = match &self.rows {
            None => vec![available.min(USUAL_ROWS)],
            Some(rows) => rows.ascending().iter().map(|n| (*n as usize).min(available)).collect(),
        };
        rows.dedup();
        if rows.is_empty() {
            return Err(nothing("rows"));
        }
        if rows.len() * sizes.len() > MOST_SETTINGS {
            return Err(Error::new(
                "invalid_option",
                format!(
                    "{} numbers of rows and {} sizes make {} settings.",
                    rows.len(),
                    sizes.len(),
                    rows.len() * sizes.len()
                ),
                format!("Request at most {MOST_SETTINGS}."),
            ));
        }
        let (tests, left_out) = self.tests_of(data, run)?;
        let works: Vec<Work> =
            Work::ALL.into_iter().filter(|work| work.tests().iter().any(|test| tests.contains(test))).collect();
        let recalibrations = self.kinds(data, run)?;
        let d = feature_choice(data, run, self.features.as_ref()).map_or(1, |choice| width_of(data, &choice));
        let families = expected_families(scanned_columns(data, None, None)?.len());
        let cost = |work: Work, n: usize| cost(work, n, (d, planes(data)), families);
        let shares = (works.len() * sizes.len() * rows.len()).max(1) as f64;
        let mut settings = Vec::new();
        for &n in &rows {
            let step = SetUp { data: DATA, run: REPORT, request: request.clone(), tests: tests.clone(), rows: n };
            let shuffled = works.iter().any(|work| matches!(work, Work::Permuted | Work::Repeated));
            let set_up = n as f64 * 2e-2 + if shuffled { n.min(SAMPLED_ROWS) as f64 * 0.1 } else { 0.0 };
            let world = plan.push(step, set_up, "preparing simulations");
            for &size in &sizes {
                let mut simulated = Vec::with_capacity(works.len());
                for &work in &works {
                    let each = cost(work, n);
                    let files = self.simulations.unwrap_or_else(|| {
                        let affordable = (BUDGET_MS / shares / each) as usize;
                        (affordable / CHUNK * CHUNK).clamp(LEAST, USUAL)
                    });
                    let parts = in_parts(files, each).map(|(first, last)| {
                        let alpha = self.alpha.unwrap_or(LEVEL);
                        let step = Simulate { world, work, size, alpha, seed: self.seed, first, last };
                        plan.push(step, (last - first) as f64 * each, "simulating and testing")
                    });
                    simulated.push((work, parts.collect()));
                }
                let mut recalibrated = Vec::new();
                for (name, kind) in recalibrations.iter().filter(|_| size != 0.0) {
                    let files = self.simulations.unwrap_or(RECALIBRATED_FILES).min(RECALIBRATED_FILES);
                    let each = kind.cost(data) + n as f64 * 1e-3;
                    let parts = (0..files).map(|file| {
                        let (kind, name) = (kind.clone(), name.clone());
                        let step = RecalibrateFiles { data: DATA, world, name, kind, size, seed: self.seed, file };
                        plan.push(step, each, "simulating and recalibrating")
                    });
                    recalibrated.push((name.clone(), parts.collect()));
                }
                settings.push(Setting { world, size, simulated, recalibrated });
            }
        }
        let step = WriteBench { data: DATA, run: REPORT, request, settings, tests, left_out, available };
        Ok(plan.push(step, 2.0, "rejection rates"))
    }

    /// The tests that are done, and those that do not apply.
    fn tests_of(&self, data: &Predictions, run: &RunOutcome) -> Result<(Vec<BenchTest>, Vec<LeftOut>)> {
        let (mut tests, mut left_out) = (Vec::new(), Vec::new());
        for (test, why) in applicable(data, run, self) {
            if self.tests.as_ref().is_some_and(|asked| !asked.contains(&test)) {
                continue;
            }
            match why {
                None => tests.push(test),
                Some(why) => left_out.push((test, why)),
            }
        }
        if tests.is_empty() {
            let why = left_out.first().map_or_else(|| "none was requested".to_owned(), |(_, why)| why.clone());
            return Err(Error::new(
                "invalid_option",
                format!("No test can be simulated: {why}."),
                "Omit tests for all that apply.",
            ));
        }
        Ok((tests, left_out))
    }

    fn kinds(&self, data: &Predictions, run: &RunOutcome) -> Result<Vec<(String, MethodKind)>> {
        let names = self.repairs.clone().unwrap_or_default();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let kind = |name: &String| Ok((name.clone(), kind_of(data, run, name)?));
        if self.effect == Effect::Null {
            return Err(Error::new(
                "invalid_option",
                "Recalibration is evaluated on a simulated bias, and none is specified.",
                "Choose effect shift, group or region.",
            ));
        }
        if method_rows(run, self.method.as_deref())?.method.kind != MethodKind::NONE {
            return Err(Error::new(
                "invalid_option",
                "Recalibration is evaluated on the original predictions.",
                "Omit method.",
            ));
        }
        names.iter().map(kind).collect()
    }

    fn plan_study(&self, study: Study, plan: &mut Plan, request: Self) -> Handle<BenchWithoutCharts> {
        let settings = study.settings();
        let total: f64 = settings.iter().map(|setting| study.cost(setting)).sum();
        let usual = ((BUDGET_MS / total) as usize / CHUNK * CHUNK).clamp(LEAST, USUAL);
        let files = self.simulations.unwrap_or(usual);
        let alpha = self.alpha.unwrap_or(LEVEL);
        let mut done = Vec::with_capacity(settings.len());
        for setting in settings {
            let each = study.cost(&setting);
            let parts = in_parts(files, each).map(|(first, last)| {
                let step = SimulateStudy { study, setting, alpha, seed: self.seed, first, last };
                plan.push(step, (last - first) as f64 * each, "simulating and testing")
            });
            done.push((setting, parts.collect()));
        }
        plan.push(WriteStudy { data: DATA, run: REPORT, request, done }, 2.0, "rejection rates")
    }
}

fn nothing(option: &str) -> Error {
    Error::new("invalid_option", format!("The list `{option}` is empty."), "Omit it for the default.")
}

/// Ranges of files, whole chunks of them.
fn in_parts(files: usize, each: f64) -> impl Iterator<Item = (usize, usize)> {
    let chunks = files.div_ceil(CHUNK);
    let parts = ((files as f64 * each / PART_MS).ceil() as usize).clamp(1, chunks.max(1));
    ranges(chunks, parts).map(move |(first, last)| (first * CHUNK, (last * CHUNK).min(files)))
}

/// Expected milliseconds of one file.
fn cost(work: Work, n: usize, (d, planes): (usize, usize), families: f64) -> f64 {
    let rows = n as f64;
    let pairs = 0.5 * rows * rows * planes as f64;
    let drawing = rows * 2e-5 * planes as f64;
    let own = match work {
        Work::Drawn => pairs * 1.2e-8 * (1.0 + DRAWN as f64 / CHUNK as f64),
        // a low rank where there is one; half of the shuffles, on the whole
        Work::Permuted | Work::Repeated => {
            let products = 0.5 * SHUFFLES as f64 * 1.2e-7;
            (pairs * products).min(rows * planes as f64 * 200.0 * products) + rows * SHUFFLES as f64 * 8e-6
        }
        Work::Groups => rows * 1e-5,
        Work::Classical => rows * 1e-4,
        Work::Finding => rows * (families + 20.0) * 2.4e-5 + rows * 3e-3,
        Work::Neighbourhoods => {
            let passes = 0.5 * (MAP_REDRAWS / 8 + 1) as f64;
            passes * (rows * rows / 8.0 * 1e-5).min(rows * (2.0 * rows).log2() * 2.4e-4)
        }
        Work::Witness => {
            let passes = (1.0 + WITNESS_DRAWS as f64 / CHUNK as f64) / 8.0;
            passes * rows * chance(n, d).0 as f64 * 1e-5
        }
    };
    drawing + own
}

/// Chooses rows, and reads what the tests look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetUp {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: BenchRequest,
    tests: Vec<BenchTest>,
    rows: usize,
}

impl Step for SetUp {
    type Output = World;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<World> {
        World::new(at.the(&self.data)?, at.the(&self.run)?, &self.request, &self.tests, self.rows)
    }
}

/// Draws some files and tests them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulate {
    world: Handle<World>,
    work: Work,
    size: f64,
    alpha: f64,
    seed: u64,
    /// first file
    first: usize,
    /// end of the files
    last: usize,
}

impl Step for Simulate {
    type Output = SimulatedPValues;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<SimulatedPValues> {
        let world = at.the(&self.world)?;
        let truth = world.truth(self.size);
        let p = p_values(world, self.work, &truth, (self.seed, self.alpha), self.first..self.last, progress)?;
        Ok(SimulatedPValues { p: p.into_iter().map(Into::into).collect() })
    }
}

/// Draws one file and recalibrates half of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecalibrateFiles {
    data: Handle<Predictions>,
    world: Handle<World>,
    name: String,
    kind: MethodKind,
    size: f64,
    seed: u64,
    file: usize,
}

impl Step for RecalibrateFiles {
    type Output = RecalibratedFiles;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<RecalibratedFiles> {
        let (data, world) = (at.the(&self.data)?, at.the(&self.world)?);
        recalibrated(data, world, &self.kind, self.size, self.seed, self.file..self.file + 1)
    }
}

/// How often each test fired, and what recalibrations corrected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteBench {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: BenchRequest,
    settings: Vec<Setting>,
    tests: Vec<BenchTest>,
    left_out: Vec<(BenchTest, String)>,
    available: usize,
}

impl Step for WriteBench {
    type Output = BenchWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<BenchWithoutCharts> {
        let (data, run) = (at.the(&self.data)?, at.the(&self.run)?);
        let alpha = self.request.alpha.unwrap_or(LEVEL);
        let (mut settings, mut recalibrations) = (Vec::new(), Vec::new());
        for setting in &self.settings {
            let world = at.the(&setting.world)?;
            let truth = world.truth(setting.size);
            let planted = world.inside.iter().filter(|inside| **inside == 1).count();
            let moved = truth.iter().zip(world.score.iter()).map(|(q, s)| q - s).sum::<f64>();
            let null = (setting.size == 0.0).then_some(self.tests.len());
            let mut tests = Vec::with_capacity(self.tests.len());
            for (work, parts) in &setting.simulated {
                let parts = at.each(parts)?;
                for (k, &test) in work.tests().iter().enumerate().filter(|(_, test)| self.tests.contains(test)) {
                    let lists = parts.iter().filter_map(|part| part.p.get(k));
                    let p: Vec<f64> = lists.flat_map(|list| list.iter().copied()).collect();
                    tests.push(BenchRate::of(test, &p, alpha, shared(*work), null));
                }
            }
            for (name, parts) in &setting.recalibrated {
                recalibrations.push(BenchRecalibration::of(name, world.n(), setting.size, &at.each(parts)?));
            }
            settings.push(BenchSetting {
                rows: world.n(),
                study: None,
                size: setting.size,
                who: world.who.clone(),
                planted,
                realised: moved / planted.max(1) as f64,
                tests,
            });
        }
        let outcome = BenchOutcome {
            study: Study::OpenFile,
            effect: self.request.effect,
            alpha,
            available: self.available,
            settings,
            recalibrations,
            left_out: self.left_out.clone(),
            sheet: Default::default(),
            verdict: words::verdict(),
        };
        let mut sheet = words::sheet(data, run, &self.request, &outcome);
        sheet.note_weights(data);
        Ok(WithoutCharts(BenchOutcome { sheet, ..outcome }))
    }
}

/// Files that share the draws of a null, and how many draws.
fn shared(work: Work) -> Option<(usize, usize)> {
    match work {
        Work::Drawn => Some((CHUNK, DRAWN)),
        Work::Witness => Some((CHUNK, WITNESS_DRAWS)),
        // of two questions, one of which has draws of its own
        Work::Finding => Some((CHUNK, 999)),
        _ => None,
    }
}

/// Draws some files of a study and tests them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimulateStudy {
    study: Study,
    setting: StudySetting,
    alpha: f64,
    seed: u64,
    first: usize,
    last: usize,
}

impl Step for SimulateStudy {
    type Output = SimulatedPValues;

    fn run(&self, _: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<SimulatedPValues> {
        let p = self.study.p_values(&self.setting, (self.seed, self.alpha), self.first..self.last)?;
        Ok(SimulatedPValues { p: p.into_iter().map(Into::into).collect() })
    }
}

/// How often the test of a study was wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteStudy {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: BenchRequest,
    done: Vec<(StudySetting, Vec<Handle<SimulatedPValues>>)>,
}

impl Step for WriteStudy {
    type Output = BenchWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<BenchWithoutCharts> {
        let study = self.request.study;
        let alpha = self.request.alpha.unwrap_or(LEVEL);
        let null = (!study.miscalibrated()).then_some(2 * self.done.len());
        let mut settings = Vec::with_capacity(self.done.len());
        for (setting, parts) in &self.done {
            let parts = at.each(parts)?;
            let tests = [BenchTest::KlcePermute, BenchTest::KlceBernoulli].into_iter().enumerate().map(|(k, test)| {
                let lists = parts.iter().filter_map(|part| part.p.get(k));
                let p: Vec<f64> = lists.flat_map(|list| list.iter().copied()).collect();
                BenchRate::of(test, &p, alpha, None, null)
            });
            settings.push(BenchSetting {
                rows: setting.rows,
                study: Some(*setting),
                size: 0.0,
                who: String::new(),
                planted: 0,
                realised: 0.0,
                tests: tests.collect(),
            });
        }
        let outcome = BenchOutcome {
            study,
            effect: Effect::Null,
            alpha,
            available: 0,
            settings,
            recalibrations: Vec::new(),
            left_out: Vec::new(),
            sheet: Default::default(),
            verdict: words::verdict(),
        };
        let sheet = study_words::study_sheet(at.the(&self.data)?, at.the(&self.run)?, &self.request, &outcome);
        Ok(WithoutCharts(BenchOutcome { sheet, ..outcome }))
    }
}
