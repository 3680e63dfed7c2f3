//! Files to reports the way the page does it: read, assemble, plan, execute.

use localcal::analysis::finding::FindingOutcome;
use localcal::analysis::sites::SitesOutcome;
use localcal::data::{Predictions, Summary};
use localcal::error::Result;
use localcal::experiment::{Begun, Cell};
use localcal::job::{Call, DataSet, Job, JobInputs, Node, Outcome, Plan, every_outcome, execute_after, run};
use localcal::report::export::Bytes;
use localcal::report::{MethodReport, MethodRows, MetricValue, RunOutcome};
use localcal::table::Array;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The finding of a run.
#[track_caller]
pub fn finding(data: &Opened, ran: &Ran, request: Value) -> FindingOutcome {
    match data.try_analyse(ran, json!({ "finding": request })) {
        Ok(Outcome::Finding(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no finding"),
    }
}

/// Calibration by site, pooled, of a run.
#[track_caller]
pub fn sites(data: &Opened, ran: &Ran, request: Value) -> SitesOutcome {
    match data.try_analyse(ran, json!({ "sites": request })) {
        Ok(Outcome::Sites(found)) => found,
        other => panic!("no sites: {other:?}"),
    }
}

/// A request, or options, as a script writes them.
#[track_caller]
pub fn request<T: DeserializeOwned>(written: Value) -> T {
    serde_json::from_value(written).expect("a request")
}

/// The outcome of one call.
pub fn asked<'a>(call: Call, given: impl Into<JobInputs<'a>>) -> Result<Outcome> {
    run(&Job::Call(call), given, vec![], &mut |_| ())
}

/// The steps of a plan.
pub fn planned<'a>(call: Call, given: impl Into<JobInputs<'a>>) -> Result<Vec<Node>> {
    match asked(call, given)? {
        Outcome::Plan(Plan { nodes, .. }) => Ok(nodes),
        other => panic!("not a plan: {other:?}"),
    }
}

/// What comes of a plan, one step after the other.
pub fn carried_out<'a>(call: Call, given: impl Into<JobInputs<'a>>) -> Result<Outcome> {
    let given = given.into();
    execute_after(&planned(call, given)?, given)
}

/// One opened data set.
#[derive(Debug)]
pub struct Opened(pub Outcome);

/// A run of it.
#[derive(Debug)]
pub struct Ran(pub Outcome);

pub fn try_open(files: &[(&str, &[u8])], options: Value) -> Result<Opened> {
    let mut read = Vec::new();
    for (name, bytes) in files {
        let job = Job::Call(Call::Read { name: (*name).to_owned(), header: None, totals: None, most: None });
        read.push(run(&job, &[], vec![Array::U8(bytes.to_vec().into())], &mut |_| ())?);
    }
    let needs: Vec<&Outcome> = read.iter().collect();
    Ok(Opened(asked(Call::Assemble { options: request(options) }, &needs)?))
}

pub fn open(text: &str, options: Value) -> Opened {
    try_open(&[("a.csv", text.as_bytes())], options).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
}

impl Opened {
    /// The steps of a run.
    pub fn plan(&self, written: Value) -> Result<Vec<Node>> {
        planned(Call::Plan { request: request(written) }, &[&self.0])
    }

    pub fn try_run(&self, written: Value) -> Result<Ran> {
        Ok(Ran(carried_out(Call::Plan { request: request(written) }, &[&self.0])?))
    }

    pub fn run(&self, request: Value) -> Ran {
        self.try_run(request).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
    }

    /// The outcome of `data.analyse` after a run.
    pub fn try_analyse(&self, ran: &Ran, request: Value) -> Result<Outcome> {
        self.try_analyse_beside(ran, &[], request)
    }

    /// The same with further data sets.
    pub fn try_analyse_beside(&self, ran: &Ran, others: &[&Opened], written: Value) -> Result<Outcome> {
        let mut given = vec![&self.0, &ran.0];
        given.extend(others.iter().map(|other| &other.0));
        carried_out(Call::PlanAnalysis { request: request(written) }, &given)
    }

    /// The cells of an experiment of which some are there, in the order of the plan; none with its settings is done twice.
    pub fn try_experiment(&self, spec: Value, begun: &Begun) -> Result<Begun> {
        self.try_experiment_beside(spec, begun, &[])
    }

    pub fn try_experiment_beside(&self, spec: Value, begun: &Begun, others: &[&Opened]) -> Result<Begun> {
        let call = Call::written(json!({ "plan_experiment": { "spec": spec, "begun": begun } }))?;
        let given: Vec<&Outcome> = std::iter::once(&self.0).chain(others.iter().map(|other| &other.0)).collect();
        let Outcome::ExperimentPlan(plan) = asked(call, given.as_slice())? else { panic!("no plan of an experiment") };
        let found = every_outcome(&plan.nodes, given.as_slice())?;
        let cells = found.into_iter().flat_map(|outcome| match outcome {
            Outcome::Cells(found) => found.cells,
            _ => Vec::new(),
        });
        // how long something took is not the same twice
        let cells = plan.cells.into_iter().chain(cells).map(|cell| Cell { seconds: None, ..cell }).collect();
        Ok(Begun { spec: plan.spec, cells })
    }

    pub fn predictions(&self) -> &Predictions {
        match &self.0 {
            Outcome::Data(DataSet { predictions, .. }) => predictions,
            other => panic!("not data: {other:?}"),
        }
    }

    pub fn summary(&self) -> &Summary {
        match &self.0 {
            Outcome::Data(DataSet { summary, .. }) => summary,
            other => panic!("not data: {other:?}"),
        }
    }

    /// The text of an export after a run.
    pub fn try_export(&self, call: Call, ran: &Ran) -> Result<String> {
        Ok(text(asked(call, &[&self.0, &ran.0])?))
    }

    pub fn export(&self, call: Call, ran: &Ran) -> String {
        self.try_export(call, ran).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
    }

    /// The rows under a stored calibrator, or under one of its methods, as CSV.
    pub fn applied(&self, calibrator: Value, method: Option<&str>) -> Result<String> {
        let method = method.map(str::to_owned);
        Ok(text(asked(Call::ExportApplied { calibrator, method, classes: false, identifiers: None }, &[&self.0])?))
    }

    /// The same with the probability of every class.
    pub fn applied_to_classes(&self, calibrator: Value) -> Result<String> {
        Ok(text(asked(Call::ExportApplied { calibrator, method: None, classes: true, identifiers: None }, &[&self.0])?))
    }

    /// Parameters of every exported calibrator, by name.
    pub fn calibrators(&self, ran: &Ran) -> Value {
        let json: Value =
            serde_json::from_str(&self.export(Call::ExportCalibrator { suppress: None }, ran)).expect("JSON");
        json["methods"]
            .as_array()
            .expect("methods")
            .iter()
            .map(|m| (m["name"].as_str().expect("a name").to_owned(), m["parameters"].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

/// The text of an export.
pub fn text(file: Outcome) -> String {
    match file {
        Outcome::Bytes(Bytes { bytes, .. }) => String::from_utf8(bytes.to_vec()).expect("text"),
        other => panic!("not bytes: {other:?}"),
    }
}

impl Ran {
    pub fn outcome(&self) -> &RunOutcome {
        match &self.0 {
            Outcome::Report(run) => run,
            other => panic!("not a report: {other:?}"),
        }
    }

    pub fn method(&self, name: &str) -> &MethodReport {
        self.outcome().report.methods.iter().find(|m| m.name == name).expect("the method")
    }

    pub fn rows(&self, name: &str) -> &MethodRows {
        self.outcome().rows.iter().find(|m| m.method.name == name).expect("the method")
    }

    pub fn metric(&self, method: &str, id: &str) -> &MetricValue {
        &self.method(method).metrics[id]
    }

    pub fn value(&self, method: &str, id: &str) -> f64 {
        let metric = self.metric(method, id);
        metric.value.unwrap_or_else(|| panic!("{method} {id}: {:?}", metric.reason))
    }
}

/// A CSV file from named columns; numbers are written so that they read back to the same bits.
pub fn csv(columns: &[(&str, Vec<f64>)]) -> String {
    let names: Vec<&str> = columns.iter().map(|c| c.0).collect();
    let mut text = names.join(",") + "\n";
    for i in 0..columns[0].1.len() {
        let cells: Vec<String> = columns.iter().map(|c| c.1[i].to_string()).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

#[track_caller]
pub fn near(ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "ours {ours}, expected {theirs}, off by {:e}", (ours - theirs).abs());
}
