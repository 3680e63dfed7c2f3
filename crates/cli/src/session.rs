//! A data set as the page uses it: open, run, ask, export. The only file that knows the core's calls and their outcomes.
//!
//! Every call is written as JSON, the way a script writes it, so that what is refused there is refused here, in the same
//! words, and what is answered is the same, bit for bit.

use std::sync::{Mutex, PoisonError};

use localcal::data::{Summary, is_inferred_outcome};
use localcal::error::{Error, Result};
use localcal::experiment::{Begun, Cell as ExperimentCell, Spec};
use localcal::feature::projection::ProjectionRequest;
use localcal::job::reply::reply;
use localcal::job::{Call, DataSet, ExperimentPlan, Job, JobInputs, Node, Outcome, Plan, Recognized, run};
use localcal::plot::Figure;
use localcal::report::RunOutcome;
use localcal::report::export::Bytes;
use localcal::report::view::ViewOutcome;
use localcal::request::message::read;
use localcal::table::Array;
use localcal::table::column::{with_columns_in, with_columns_out};
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use crate::executor::{self, Executor, Step};
use crate::failure::fault;
use crate::progress::BYTES_A_MS;
use crate::tables::{Source, is_workbook, readable, unpacked};

/// Options by name, as a script writes them.
pub type Options = Map<String, Value>;

/// Files as one data set, and its last run.
pub struct Session {
    executor: Executor,
    files: Vec<Outcome>,
    opened: Options,
    data: Outcome,
    maps: Vec<Outcome>,
    run: Option<Outcome>,
}

/// What an analysis found, as the page reads it.
pub struct Answer {
    /// its fields; columns stand in it by their places
    pub fields: Value,
    columns: Vec<Array>,
}

impl Session {
    /// Reads the files and puts them together. `options`: as a script gives them to `open`.
    ///
    /// # Errors
    /// Those of the readers and of opening.
    pub fn open(sources: Vec<Source>, mut options: Options, executor: Executor) -> Result<Self> {
        let files = Self::read(sources, &mut options, &executor)?;
        Self::of(files, options, executor)
    }

    /// The same for rows that a stored fit is applied to: they need no outcome, and none is inferred from values alone. The
    /// columns that would have been, beside.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_to_apply(
        sources: Vec<Source>,
        mut options: Options,
        executor: Executor,
    ) -> Result<(Self, Vec<String>)> {
        let files = Self::read(sources, &mut options, &executor)?;
        let inferred = inferred_outcomes(&files, &options);
        if !inferred.is_empty()
            && let Some(roles) = options.entry("roles").or_insert_with(|| json!({})).as_object_mut()
        {
            roles.extend(inferred.iter().map(|name| (name.clone(), "ignore".into())));
        }
        Ok((Self::of(files, options, executor)?, inferred))
    }

    /// Reads the files, and takes from the options those that say how.
    fn read(sources: Vec<Source>, options: &mut Options, executor: &Executor) -> Result<Vec<Outcome>> {
        let mut said = |name: &str| options.remove(name).unwrap_or(Value::Null);
        let (header, totals, most) = (said("header"), said("totals"), said("max_memory"));
        let sheet = said("sheet").as_u64();
        let sources: Vec<Vec<Source>> =
            sources.into_iter().map(|source| unpacked(source, most.as_u64())).collect::<Result<_>>()?;
        let sources: Vec<Source> = sources.into_iter().flatten().collect();
        if sheet.is_some() && !sources.iter().any(is_workbook) {
            let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
            let what = format!("--sheet applies to Excel workbooks only, not to {}.", names.join(" + "));
            return Err(Error::new("invalid_option", what, "Omit --sheet."));
        }
        let cost = |source: &Source| source.bytes.len() as f64 / BYTES_A_MS;
        executor.begin(sources.iter().map(cost).sum());
        let read = |source: Source| {
            let step = executor.step(cost(&source), "reading");
            let source = readable(source, most.as_u64(), sheet)?;
            let call = call("read", json!({ "name": source.name, "header": header, "totals": totals, "most": most }))?;
            let bytes = vec![Array::U8(source.bytes.into())];
            let outcome = run(&call, &[] as &[&Outcome], bytes, &mut |progress| step.progress(progress.share));
            step.progress(1.0);
            outcome
        };
        // The first failure is told, not the earliest.
        let files: Vec<Result<Outcome>> = executor.install(|| sources.into_par_iter().map(read).collect());
        executor.end();
        files.into_iter().collect()
    }

    /// Puts files together.
    fn of(files: Vec<Outcome>, options: Options, executor: Executor) -> Result<Self> {
        let data = assembled(&files, &options).map_err(|error| with_other_sheets(error, &files))?;
        Ok(Self { executor, files, opened: options, data, maps: Vec::new(), run: None })
    }

    fn opened(&self) -> Result<&DataSet> {
        match &self.data {
            Outcome::Data(opened) => Ok(opened),
            _ => Err(fault("the opened files are not a data set")),
        }
    }

    /// What was opened.
    ///
    /// # Errors
    /// None that a person can cause.
    pub fn summary(&self) -> Result<&Summary> {
        Ok(&self.opened()?.summary)
    }

    /// Whether what was opened are counts of rows, of which no file of predictions can be written.
    ///
    /// # Errors
    /// None that a person can cause.
    pub fn is_counted(&self) -> Result<bool> {
        Ok(self.opened()?.predictions.is_counted())
    }

    /// Methods that the page offers before a person looks for more.
    ///
    /// # Errors
    /// None that a person can cause.
    pub fn usual_methods(&self) -> Result<Vec<&'static str>> {
        let offered = &self.opened()?.offer.methods;
        Ok(offered.iter().filter(|method| method.usual).map(|method| method.id).collect())
    }

    /// Local settings as the page sets them for a person who chose none; a map that they need is made.
    ///
    /// # Errors
    /// `features_missing` where no column defines similarity.
    pub fn suggested_local(&mut self) -> Result<Options> {
        let Some(mut suggestion) = self.opened()?.suggestion.clone() else {
            return Err(Error::new(
                "features_missing",
                "Local calibration needs feature columns, which define similarity.",
                "Name them with --features.",
            ));
        };
        if let Some(projection) = suggestion.project.take() {
            let request = serde_json::to_value(&projection).map_err(|error| fault(&error.to_string()))?;
            suggestion.gamma = self.project(request)?.get("gamma").and_then(Value::as_f64);
        }
        let mut local = Options::new();
        let features = serde_json::to_value(&suggestion.features).map_err(|error| fault(&error.to_string()))?;
        local.insert("features".to_owned(), features);
        if let Some(gamma) = suggestion.gamma {
            local.insert("gamma".to_owned(), gamma.into());
        }
        local.insert("resamples".to_owned(), suggestion.resamples.into());
        Ok(local)
    }

    /// Makes a feature map, which from then on can be named wherever features can.
    ///
    /// # Errors
    /// Those of the map.
    pub fn project(&mut self, request: Value) -> Result<Value> {
        // a request that cannot be read is refused by the call
        let expected = serde_json::from_value::<ProjectionRequest>(request.clone());
        let cost = expected.map_or(Ok(0.0), |request| self.opened().map(|opened| request.cost(&opened.predictions)))?;
        let job = call("project", json!({ "projection": request }))?;
        self.executor.begin(cost);
        let step = self.executor.step(cost, "computing a feature map");
        let maps: Vec<&Outcome> = self.maps.iter().collect();
        let given = JobInputs { needs: &[&self.data], maps: &maps };
        let map = run(&job, given, Vec::new(), &mut |progress| step.progress(progress.share));
        self.executor.end();
        let map = map?;
        let answer = answer(&map)?;
        self.maps.push(map);
        Ok(answer.fields)
    }

    /// Scores the data set, and fits methods where asked to.
    ///
    /// # Errors
    /// Those of the run.
    pub fn run(&mut self, request: Options) -> Result<&RunOutcome> {
        let plan = self.call_with("plan", json!({ "request": request }), &[&self.data])?;
        let outcome = self.carry_out(&plan, &[&self.data])?;
        self.run = Some(outcome);
        self.last_run()
    }

    /// What the last run found.
    ///
    /// # Errors
    /// None that a person can cause.
    pub fn last_run(&self) -> Result<&RunOutcome> {
        match &self.run {
            Some(Outcome::Report(run)) => Ok(run),
            _ => Err(fault("nothing was run")),
        }
    }

    /// Asks a question about the last run; `others`: data sets that it is also about.
    ///
    /// # Errors
    /// Those of the analysis.
    pub fn analyse(&self, kind: &str, options: Options, others: &[Session]) -> Result<Answer> {
        self.analysed("plan_analysis", Options::new(), (kind, options), others)
    }

    /// The same as a sheet, from which is withheld what was computed from fewer than `least` rows or an unknown number.
    ///
    /// # Errors
    /// Those of the analysis; `too_few_rows` where all rows are fewer.
    pub fn analyse_withheld(&self, kind: &str, options: Options, others: &[Session], least: u64) -> Result<Answer> {
        self.analysed(
            "plan_withheld",
            Options::from_iter([("suppress".to_owned(), least.into())]),
            (kind, options),
            others,
        )
    }

    fn analysed(
        &self,
        call: &str,
        mut fields: Options,
        (kind, options): (&str, Options),
        others: &[Session],
    ) -> Result<Answer> {
        let models = if kind == "models" { self.other_models()? } else { Vec::new() };
        let run = self.run.as_ref().ok_or_else(|| fault("nothing was run"))?;
        let mut bases = vec![&self.data, run];
        bases.extend(models.iter().chain(others.iter().map(|other| &other.data)));
        let mut request = Options::new();
        request.insert(kind.to_owned(), options.into());
        fields.insert("request".to_owned(), request.into());
        let plan = self.call_with(call, fields.into(), &bases)?;
        answer(&self.carry_out(&plan, &bases)?)
    }

    /// Does an experiment; `others`: data sets that are done like this one, `begun`: what is there already, `tell`
    /// hears all that there are as they come. The cells are in the order in which they came: what is concluded does not depend
    /// on it.
    ///
    /// # Errors
    /// Those of its plan; what one method cannot do is a reason beside its cells.
    pub fn experiment(
        &mut self,
        spec: Options,
        begun: Begun,
        others: &[Session],
        tell: &(dyn Fn(&Spec, &[ExperimentCell]) + Sync),
    ) -> Result<(Spec, Vec<ExperimentCell>)> {
        let mut placed = spec;
        let mut spaces = placed.get("spaces").and_then(Value::as_array).cloned().unwrap_or_default();
        for space in spaces.iter_mut().filter_map(Value::as_object_mut) {
            if let Some(mut project @ Value::Object(_)) = space.get("project").cloned() {
                // the core finds a name that nothing else has
                project.as_object_mut().map(|project| project.remove("name"));
                let map = self.project(project)?;
                space.insert("features".to_owned(), map.get("name").cloned().unwrap_or_default());
            }
        }
        if !spaces.is_empty() {
            placed.insert("spaces".to_owned(), spaces.into());
        }
        let mut bases = vec![&self.data];
        bases.extend(others.iter().map(|other| &other.data));
        let plan = self.call_with("plan_experiment", json!({ "spec": placed, "begun": begun }), &bases)?;
        let Outcome::ExperimentPlan(ExperimentPlan { spec, nodes, cells, .. }) = plan else {
            return Err(fault("the plan of an experiment is none"));
        };
        let found = Mutex::new(cells);
        let hears = |_: usize, outcome: &Outcome| {
            if let Outcome::Cells(came) = outcome {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.extend(came.cells.iter().cloned());
                tell(&spec, &found);
            }
        };
        if !nodes.is_empty() {
            self.carry_out_nodes(&nodes, &bases, &hears)?;
        }
        Ok((spec, found.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// What the cells of an experiment say; `suppress`: the smallest count that may leave.
    ///
    /// # Errors
    /// Cells that are none of the experiment's.
    pub fn concluded(&self, spec: &Spec, cells: &[ExperimentCell], suppress: Option<u64>) -> Result<Answer> {
        let fields = json!({ "spec": spec, "cells": cells, "suppress": suppress });
        answer(&self.call_with("conclude_experiment", fields, &[])?)
    }

    /// The same as a file.
    ///
    /// # Errors
    /// An unknown format.
    pub fn written_experiment(
        &self,
        spec: &Spec,
        cells: &[ExperimentCell],
        format: &str,
        suppress: Option<u64>,
    ) -> Result<Vec<u8>> {
        let fields = json!({ "spec": spec, "cells": cells, "format": format, "suppress": suppress });
        match self.call_with("export_experiment", fields, &[])? {
            Outcome::Bytes(Bytes { bytes, .. }) => Ok(bytes.to_vec()),
            _ => Err(fault("an experiment is no file")),
        }
    }

    /// Draws a chart of the last run.
    ///
    /// # Errors
    /// Those of the chart.
    pub fn chart(&self, kind: &str, mut options: Options) -> Result<ViewOutcome> {
        options.insert("chart".to_owned(), kind.into());
        match self.call("view", json!({ "request": options }))? {
            Outcome::View(view) => Ok(view.shown),
            _ => Err(fault("a chart is none")),
        }
    }

    /// A file that leaves the data set: `predictions`, `calibrator`, `report`, `coordinates`, `table`, `applied` or
    /// `snippet`, with the options of that export.
    ///
    /// # Errors
    /// Those of the export.
    pub fn export(&self, what: &str, options: Value) -> Result<Vec<u8>> {
        Ok(self.export_with_notes(what, options)?.0)
    }

    /// [`export`](Self::export), and what a person should know of the file, in sentences.
    ///
    /// # Errors
    /// Those of the export.
    pub fn export_with_notes(&self, what: &str, options: Value) -> Result<(Vec<u8>, Vec<String>)> {
        match self.call(&format!("export_{what}"), options)? {
            Outcome::Bytes(Bytes { bytes, notes, .. }) => Ok((bytes.to_vec(), notes)),
            _ => Err(fault("an export is no file")),
        }
    }

    fn call(&self, name: &str, fields: Value) -> Result<Outcome> {
        let needs: Vec<&Outcome> = std::iter::once(&self.data).chain(&self.run).collect();
        self.call_with(name, fields, &needs)
    }

    fn call_with(&self, name: &str, fields: Value, needs: &[&Outcome]) -> Result<Outcome> {
        let job = call(name, fields)?;
        let maps: Vec<&Outcome> = self.maps.iter().collect();
        self.executor.install(|| run(&job, JobInputs { needs, maps: &maps }, Vec::new(), &mut |_| ()))
    }

    /// The other models of the same rows, from the same files.
    fn other_models(&self) -> Result<Vec<Outcome>> {
        let names = self.summary()?.models.iter().skip(1);
        let model = |name: &String| {
            let mut options = self.opened.clone();
            options.insert("model".to_owned(), name.clone().into());
            assembled(&self.files, &options)
        };
        names.map(model).collect()
    }

    fn carry_out(&self, plan: &Outcome, bases: &[&Outcome]) -> Result<Outcome> {
        let Outcome::Plan(Plan { nodes, .. }) = plan else {
            return Err(fault("a plan is none"));
        };
        self.carry_out_nodes(nodes, bases, &|_, _| ())
    }

    fn carry_out_nodes(
        &self,
        nodes: &[Node],
        bases: &[&Outcome],
        hears: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Result<Outcome> {
        let maps: Vec<&Outcome> = self.maps.iter().collect();
        let steps: Vec<Step<'_>> = nodes.iter().map(|node| step(node, bases.len())).collect();
        let work = |place: usize, given: &executor::StepInputs, tell: &(dyn Fn(f64) + Sync)| {
            let node = nodes.get(place).ok_or_else(|| fault("a step of no plan"))?;
            let mut needs = Vec::with_capacity(node.needs.len());
            for &need in &node.needs {
                let found = match bases.get(need) {
                    Some(base) => Some(*base),
                    None => given.at(need - bases.len()),
                };
                needs.push(found.ok_or_else(|| fault(&format!("`{}` needs step {need}, which is none", node.label)))?);
            }
            let given = JobInputs { needs: &needs, maps: &maps };
            run(&node.job, given, Vec::new(), &mut |progress| tell(progress.share))
        };
        self.executor.outcome(&steps, work, hears)
    }
}

/// A node of a plan: which earlier ones it needs, beside the outcomes that were there before.
fn step(node: &Node, bases: usize) -> Step<'_> {
    let needs = node.needs.iter().filter_map(|need| need.checked_sub(bases)).collect();
    Step { needs, cost: node.cost, label: &node.label }
}

fn assembled(files: &[Outcome], options: &Options) -> Result<Outcome> {
    let needs: Vec<&Outcome> = files.iter().collect();
    run(&call("assemble", json!({ "options": options }))?, &needs, Vec::new(), &mut |_| ())
}

/// Columns that would be taken for the outcome by their values alone; none where the files are not understood.
fn inferred_outcomes(files: &[Outcome], options: &Options) -> Vec<String> {
    let needs: Vec<&Outcome> = files.iter().collect();
    let job = call("recognize", json!({ "options": options }));
    let recognized = job.and_then(|job| run(&job, &needs, Vec::new(), &mut |_| ()));
    let Ok(Outcome::Recognized(Recognized { summary })) = recognized else { return Vec::new() };
    let inferred = summary.columns.iter().filter(|column| is_inferred_outcome(column));
    inferred.map(|column| column.name.clone()).collect()
}

/// The same failure with what sheets of workbooks were not read: the table may be in one of them.
fn with_other_sheets(error: Error, files: &[Outcome]) -> Error {
    let of_file = |file: &Outcome| match file {
        Outcome::File(file) => file.warnings.iter().find(|warning| warning.code == "other_sheets").cloned(),
        _ => None,
    };
    match files.iter().find_map(of_file) {
        Some(warning) => {
            let (_, hint) = error.in_terminal();
            error.with_hint(format!("{} {hint}", warning.message))
        }
        None => error,
    }
}

fn call(name: &str, fields: Value) -> Result<Job> {
    let mut call = Options::new();
    call.insert(name.to_owned(), fields);
    Call::written(call.into()).map(Job::Call)
}

fn answer(outcome: &Outcome) -> Result<Answer> {
    let (fields, columns) = with_columns_out(|| reply(outcome));
    let mut fields = fields.map_err(|error| fault(&error.to_string()))?;
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("kind");
    }
    Ok(Answer { fields, columns })
}

impl Answer {
    /// The JSON of the answer, with its columns as lists of numbers in `columns`; a number that JSON has not is null.
    pub fn json(&self) -> Vec<u8> {
        let mut fields = self.fields.clone();
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("columns".to_owned(), self.columns.iter().map(numbers).collect());
        }
        serde_json::to_vec_pretty(&fields).unwrap_or_default()
    }

    /// The bytes of an answer that is a file.
    pub fn file(&self) -> Option<&[u8]> {
        let place = self.fields.get("bytes")?.as_u64()?;
        match self.columns.get(usize::try_from(place).ok()?)? {
            Array::U8(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The figure that `written` stands for.
    pub fn figure(&self, written: &Value) -> Option<Figure> {
        with_columns_in(self.columns.clone(), || read(written.clone())).ok()
    }

    /// The figures of the answer, in reading order.
    pub fn figures(&self) -> Vec<Figure> {
        let blocks = self.fields.pointer("/sheet/blocks").and_then(Value::as_array);
        let of_sheet = blocks.into_iter().flatten().filter_map(|block| block.get("figures"));
        let lists = of_sheet.chain(self.fields.get("figures")).filter_map(Value::as_array);
        lists.flatten().filter_map(|written| self.figure(written)).collect()
    }
}

fn numbers(column: &Array) -> Value {
    fn finite(value: f64) -> Value {
        serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
    match column {
        Array::F64(values) => values.iter().map(|&v| finite(v)).collect(),
        Array::F32(values) => values.iter().map(|&v| finite(v.into())).collect(),
        Array::U32(values) => values.iter().map(|&v| Value::from(v)).collect(),
        Array::U8(values) => values.iter().map(|&v| Value::from(v)).collect(),
    }
}
