//! What can be asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;
use crate::analysis::{AnalysisRequest, FindingRequest};
use crate::experiment::Begun;
use crate::markup::{DocumentFormat, ReportPart};

options! {
    /// Options of `data.analyse("document")`, and of `data.export("report")` in any format but JSON.
    pub struct DocumentRequest {
        /// its format; default: HTML
        #[form("Format", Choice(DocumentFormat::CHOICES))]
        pub format: DocumentFormat,
        /// its title; default: from the scores and the outcome
        #[form("Title", HandedOver)]
        pub title: Option<String>,
        /// the date, as text; default: none
        #[form("Date", HandedOver)]
        pub date: Option<String>,
        /// its sections, in this order; default: all, in the usual order
        #[form("Sections", HandedOver)]
        pub sections: Option<Vec<ReportPart>>,
        /// remarks by section; plain text
        #[form("Remarks", HandedOver)]
        pub remarks: BTreeMap<ReportPart, String>,
        /// settings of the finding; default: those of `data.analyse("finding")`
        #[form("", HandedOver)]
        pub finding: Option<FindingRequest>,
        /// why there is no finding, if the document has none: listed among the limits
        #[form("", HandedOver)]
        pub without_finding: Option<String>,
        /// additional analyses, each under its kind as `data.analyse` takes it
        #[form("Additional analyses", HandedOver)]
        pub extra: Vec<AnalysisRequest>,
        /// an experiment on the open file with its results, as returned by `data.experiment`: placed after the additional
        /// analyses
        #[form("Experiment", HandedOver)]
        pub experiment: Option<Box<Begun>>,
        /// counts below this one, and values that would reveal them, are suppressed; default: none
        #[form("Suppress counts below", Number { usual: None })]
        pub suppress: Option<u64>,
        /// the files that were opened
        #[form("", HandedOver)]
        pub files: Vec<OpenedFile>,
        /// SHA-256 of the page that made it, in hexadecimal digits
        #[form("", HandedOver)]
        pub page: Option<String>,
    }

    Entry {
        title: "Report",
        step: PageStep::Report,
        shown: DrawnIn::View,
        running: "Writing the report",
        needs: &[AnalysisRequirement::Rows],
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
