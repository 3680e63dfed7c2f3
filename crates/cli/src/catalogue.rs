//! What there is to choose from, with the core's words for it.

use localcal::analysis::AnalysisRequest;
use localcal::evaluation::method::{after_another, alone};
use localcal::metric::{Metric, registry};
use localcal::recalibrate::recalibrator;
use localcal::report::view::request::ChartRequest;

/// Something that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// as it is asked for
    pub id: &'static str,
    /// the field's name; empty where the id is one
    pub name: &'static str,
    /// in plain words
    pub plain: &'static str,
    /// definition and source; may be empty
    pub definition: String,
}

fn plain(&(id, plain): &(&'static str, &'static str)) -> Entry {
    Entry { id, name: "", plain, definition: String::new() }
}

fn method(entry: &'static recalibrator::Entry) -> Entry {
    Entry { id: entry.id, name: "", plain: entry.plain, definition: String::new() }
}

/// Every metric, those of the scorecard first.
pub fn metrics() -> Vec<Entry> {
    let entry =
        |metric: &Metric| Entry { id: metric.id, name: metric.name, plain: metric.plain, definition: metric.words() };
    registry::all().map(entry).collect()
}

/// Every method that stands alone.
pub fn methods() -> Vec<Entry> {
    alone().map(method).collect()
}

/// Every method that stands after another, with a plus sign between them.
pub fn methods_after_another() -> Vec<Entry> {
    after_another().map(method).collect()
}

/// Every question.
pub fn analyses() -> Vec<Entry> {
    AnalysisRequest::KINDS.iter().map(plain).collect()
}

/// Every chart of a run.
pub fn charts() -> Vec<Entry> {
    ChartRequest::KINDS.iter().map(plain).collect()
}

/// A data set that is built in.
pub struct Example {
    /// as it is asked for
    pub id: &'static str,
    /// what it is
    pub plain: &'static str,
    /// name of its file
    pub file: &'static str,
    /// the file; none for one that is made
    pub bytes: Option<&'static [u8]>,
}

/// Every built-in data set.
pub const EXAMPLES: [Example; 3] = [
    Example {
        id: "breast_cancer",
        plain: "569 rows, 2 classes: over-confident, and blind to the size of the cell nuclei",
        file: "breast_cancer.csv",
        bytes: Some(include_bytes!("../sample/breast_cancer.csv")),
    },
    Example {
        id: "digits",
        plain: "1,797 rows, 10 classes: an overfitted network on handwritten digits",
        file: "digits.npz",
        bytes: Some(include_bytes!("../sample/digits.npz")),
    },
    Example {
        id: "synthetic",
        plain: "4,000 rows, 2 classes, known truth: calibrated on the whole, wrong in two places",
        file: "synthetic.csv",
        bytes: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::variants;

    #[test]
    fn every_question_and_chart_has_words() {
        let ids = |entries: Vec<Entry>| -> Vec<&'static str> { entries.iter().map(|entry| entry.id).collect() };
        assert_eq!(ids(analyses()), variants::<AnalysisRequest>());
        assert_eq!(ids(charts()), variants::<ChartRequest>());
    }
}
