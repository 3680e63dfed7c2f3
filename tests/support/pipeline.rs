//! Files to reports the way the page does it: read, assemble, plan, execute.

use localcal::analysis::AnalysisRequest;
use localcal::data::OpenOptions;
use localcal::error::Result;
use localcal::evaluation::request::RunRequest;
use localcal::job::{Call, Job, Outcome, Plan, execute, execute_after, run};
use localcal::report::export::Bytes;
use localcal::report::{MethodReport, MethodRows, MetricValue, RunOutcome};
use localcal::table::Array;
use serde_json::Value;

/// One opened data set.
pub struct Opened(pub Outcome);

/// A run of it.
pub struct Ran(pub Outcome);

pub fn try_open(files: &[(&str, &[u8])], options: Value) -> Result<Opened> {
    let options: OpenOptions = serde_json::from_value(options).expect("options");
    let mut read = Vec::new();
    for (name, bytes) in files {
        let job = Job::Call(Call::Read { name: (*name).to_owned(), header: None });
        read.push(run(&job, &[], vec![Array::U8(bytes.to_vec().into())], &mut |_| ())?);
    }
    let needs: Vec<&Outcome> = read.iter().collect();
    Ok(Opened(run(&Job::Call(Call::Assemble { options }), &needs, vec![], &mut |_| ())?))
}

pub fn open(text: &str, options: Value) -> Opened {
    try_open(&[("a.csv", text.as_bytes())], options).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
}

impl Opened {
    pub fn try_run(&self, request: Value) -> Result<Ran> {
        let request: RunRequest = serde_json::from_value(request).expect("a request");
        let Outcome::Plan(Plan { nodes, .. }) =
            run(&Job::Call(Call::Plan { request }), &[&self.0], vec![], &mut |_| ())?
        else {
            panic!("not a plan")
        };
        Ok(Ran(execute(&nodes, &self.0)?))
    }

    pub fn run(&self, request: Value) -> Ran {
        self.try_run(request).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
    }

    /// The outcome of `data.analyse` after a run.
    pub fn try_analyse(&self, ran: &Ran, request: Value) -> Result<Outcome> {
        self.try_analyse_beside(ran, &[], request)
    }

    /// The same with further data sets.
    pub fn try_analyse_beside(&self, ran: &Ran, others: &[&Opened], request: Value) -> Result<Outcome> {
        let request: AnalysisRequest = serde_json::from_value(request).expect("a request");
        let job = Job::Call(Call::PlanAnalysis { request });
        let mut given = vec![&self.0, &ran.0];
        given.extend(others.iter().map(|other| &other.0));
        let Outcome::Plan(Plan { nodes, .. }) = run(&job, &given, vec![], &mut |_| ())? else { panic!("not a plan") };
        execute_after(&nodes, &given)
    }

    pub fn export(&self, job: Job, ran: &Ran) -> Vec<u8> {
        match run(&job, &[&self.0, &ran.0], vec![], &mut |_| ()) {
            Ok(Outcome::Bytes(Bytes { bytes })) => bytes.to_vec(),
            other => panic!("not bytes: {other:?}"),
        }
    }

    /// Parameters of every exported calibrator, by name.
    pub fn calibrators(&self, ran: &Ran) -> Value {
        let json: Value =
            serde_json::from_slice(&self.export(Job::Call(Call::ExportCalibrator {}), ran)).expect("JSON");
        json["methods"]
            .as_array()
            .expect("methods")
            .iter()
            .map(|m| (m["name"].as_str().expect("a name").to_owned(), m["parameters"].clone()))
            .collect::<serde_json::Map<_, _>>()
            .into()
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
