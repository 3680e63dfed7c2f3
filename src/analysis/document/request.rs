//! What can be asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::analysis::{AnalysisRequest, FindingRequest};
use crate::document::{DocumentFormat, Part};
use crate::experiment::Begun;

options! {
    /// Options of `data.analyse("document")`, and of `data.export("report")` in any format but JSON.
    pub struct DocumentRequest {
        /// how it is written; default: HTML
        #[asked("Written as", Choice(DocumentFormat::CHOICES))]
        pub format: DocumentFormat,
        /// what it is called; default: after the scores and the outcome
        #[asked("Title", HandedOver)]
        pub title: Option<String>,
        /// the day, as it is to be written; default: none is told
        #[asked("Date", HandedOver)]
        pub date: Option<String>,
        /// its parts, in this order; default: all, in the usual order
        #[asked("Parts", HandedOver)]
        pub sections: Option<Vec<Part>>,
        /// what is written beneath a part, by its name; plain text
        #[asked("Remarks", HandedOver)]
        pub remarks: BTreeMap<Part, String>,
        /// settings of the finding; default: those of `data.analyse("finding")`
        #[asked("", HandedOver)]
        pub finding: Option<FindingRequest>,
        /// why there is no finding, where the document is to do without: told among the limits
        #[asked("", HandedOver)]
        pub without_finding: Option<String>,
        /// further analyses, each under its kind as `data.analyse` takes it
        #[asked("Further analyses", HandedOver)]
        pub extra: Vec<AnalysisRequest>,
        /// an experiment of the open file with its numbers, of what `data.experiment` resolves to: told after the further
        /// analyses
        #[asked("Experiment", HandedOver)]
        pub experiment: Option<Box<Begun>>,
        /// counts below this one, and what would tell them, are left out; default: none
        #[asked("Leave out counts below", Number { usual: None })]
        pub suppress: Option<u64>,
        /// the files that were opened
        #[asked("", HandedOver)]
        pub files: Vec<OpenedFile>,
        /// SHA-256 of the page that made it, in hexadecimal digits
        #[asked("", HandedOver)]
        pub page: Option<String>,
    }

    Entry {
        title: "The report as a document",
        step: PageStep::Report,
        shown: Shown::View,
        running: "Writing the report",
        needs: &[],
        files: None,
        cost: Cost::Draws,
    }
}

/// A file that was opened, as whoever opened it says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenedFile {
    /// its name
    pub name: String,
    /// its length in bytes
    pub bytes: Option<u64>,
    /// its SHA-256 in hexadecimal digits
    pub sha256: Option<String>,
}
