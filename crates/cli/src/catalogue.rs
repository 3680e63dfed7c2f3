//! What there is to choose from, with the core's words for it.

use localcal::analysis::descriptions;
use localcal::analysis::entry::AnalysisRequirement;
use localcal::evaluation::method::{after_another, alone};
use localcal::metric::{Metric, registry};
use localcal::recalibrate::parameter::Parameter;
use localcal::recalibrate::recalibrator;

use crate::shape::{self, Field, Shape, Variant};

/// Something that can be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// as it is asked for
    pub id: String,
    /// the field's name; empty where the id is one
    pub name: String,
    /// in plain words
    pub plain: String,
    /// definition and source; may be empty
    pub definition: String,
}

fn method(entry: &'static recalibrator::Entry) -> Entry {
    let parameter = |of: &Parameter| match of.default {
        "" | "null" => format!("{}: {}", of.name, of.words),
        default => format!("{}: {} (default {default})", of.name, of.words),
    };
    let parameters: Vec<String> = entry.parameters.iter().map(parameter).collect();
    let mut definition = entry.definition.to_owned();
    if !entry.source.is_empty() {
        definition += &format!(". {}.", entry.source.trim_end_matches('.'));
    }
    if !parameters.is_empty() {
        definition += &format!(" Parameters: {}.", parameters.join("; "));
    }
    Entry { id: entry.id.to_owned(), name: String::new(), plain: entry.plain.to_owned(), definition }
}

/// Every metric, those of the scorecard first.
pub fn metrics() -> Vec<Entry> {
    let entry = |metric: &Metric| Entry {
        id: metric.id.to_owned(),
        name: metric.name.to_owned(),
        plain: metric.plain.to_owned(),
        definition: metric.words(),
    };
    registry::all().map(entry).collect()
}

/// The ids of the metrics that are computed where nobody says which.
pub fn scorecard() -> impl Iterator<Item = &'static str> {
    registry::scorecard().map(|metric| metric.id)
}

/// Every method that stands alone.
pub fn methods() -> Vec<Entry> {
    alone().map(method).collect()
}

/// Every method that stands after another, with a plus sign between them.
pub fn methods_after_another() -> Vec<Entry> {
    after_another().map(method).collect()
}

/// Every question with its options: the words are those of its entry, the forms of its options those of its request.
pub fn analyses() -> Vec<Variant> {
    let described = descriptions();
    let variant = |variant: Variant| {
        let Some(entry) = described.iter().find(|entry| entry.kind == variant.name) else { return variant };
        let help = |name: &str| entry.options.iter().find(|option| option.name == name).map(|option| option.help);
        let field = |field: Field| Field { words: help(&field.name).unwrap_or_default().to_owned(), ..field };
        // what it tells goes on from the title
        let words = format!("{}: {}", entry.title, entry.plain);
        Variant { words, fields: variant.fields.into_iter().map(field).collect(), ..variant }
    };
    shape::variants("AnalysisRequest").into_iter().map(variant).collect()
}

/// The question as a heading, and what it tells.
pub fn long_words(kind: &str) -> String {
    let found = descriptions().into_iter().find(|entry| entry.kind == kind);
    found.map_or_else(String::new, |entry| format!("{}\n\n{}", entry.title, entry.plain))
}

/// Whether a question is about several methods of the run.
pub fn is_between_methods(kind: &str) -> bool {
    descriptions().iter().any(|entry| entry.kind == kind && entry.needs.contains(&AnalysisRequirement::Methods))
}

/// Every chart of a run with its options.
pub fn charts() -> Vec<Variant> {
    shape::variants("ChartRequest")
}

/// Options of opening files.
pub fn open_options() -> Vec<Field> {
    let mut all = shape::fields("OpenOptions");
    for name in ["header", "totals"] {
        all.push(Field { name: name.to_owned(), shape: Shape::Flag, words: String::new() });
    }
    for name in ["max_memory", "sheet"] {
        all.push(Field { name: name.to_owned(), shape: Shape::Any, words: String::new() });
    }
    all
}

/// Options of a run.
pub fn run_options() -> Vec<Field> {
    shape::fields("RunRequest")
}

/// What a column can be taken for.
pub fn roles() -> Vec<String> {
    shape::words("Role")
}

/// Languages in which a method can be written down.
pub fn languages() -> Vec<String> {
    shape::words("Language")
}

/// Without options, as an entry of a list.
pub fn entries(variants: Vec<Variant>) -> Vec<Entry> {
    let entry = |variant: Variant| Entry {
        id: variant.name,
        name: String::new(),
        plain: variant.words,
        definition: String::new(),
    };
    variants.into_iter().map(entry).collect()
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
        plain: "569 rows, 2 classes: overconfident; risk underestimated for large nuclei",
        file: "breast_cancer.csv",
        bytes: Some(include_bytes!("../../../www/sample/breast_cancer.csv")),
    },
    Example {
        id: "digits",
        plain: "1,797 rows, 10 classes: overconfident for every predicted digit",
        file: "digits.npz",
        bytes: Some(include_bytes!("../../../www/sample/digits.npz")),
    },
    Example {
        id: "synthetic",
        plain: "4,000 rows, 2 classes: calibrated overall, miscalibrated in two regions",
        file: "synthetic.csv",
        bytes: None,
    },
];
