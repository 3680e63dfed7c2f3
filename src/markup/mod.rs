//! A document as a value, parts in reading order, and its writers: HTML, LaTeX, Markdown, tables to paste.
//!
//! [`analysis::document`](crate::analysis::document) decides what the report says, a writer here how it is written. Text that
//! comes from files or from people is escaped by every writer.

pub mod html;
pub mod latex;
pub mod markdown;
pub mod references;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::plot::figure::Figure;
use crate::report::sheet::{Block, SheetTable};
use crate::report::view::Fact;

/// A report that one reads, prints and signs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// what it is called
    pub title: String,
    /// what it is about, in one line
    pub about: String,
    /// the day it was made, as whoever asked for it writes days; none: nobody said
    pub date: Option<String>,
    /// in reading order
    pub sections: Vec<Section>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// which one
    pub part: ReportPart,
    /// its heading
    pub heading: String,
    /// what it says, in reading order
    pub pieces: Vec<Piece>,
    /// what a person wrote beneath it
    pub remark: Option<String>,
}

/// The parts that a report may have, in their usual order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReportPart {
    /// the finding and the recommendation
    Summary,
    /// the data set
    Data,
    /// the diagram and the measures
    Overall,
    /// miscalibrated subgroups, before and after recalibration
    Groups,
    /// the map
    Map,
    /// net benefit of decisions by the scores
    Decisions,
    /// panels that were added
    Panels,
    /// how it was done
    Methods,
    /// limitations of the data set
    Limits,
    /// items of TRIPOD+AI
    Checklist,
    /// works cited
    References,
    /// version, checksums, seed, settings
    Provenance,
    /// lines to sign on
    Signature,
}

impl ReportPart {
    /// Every part with its heading, in the usual order.
    pub const ALL: [(Self, &'static str); 13] = [
        (Self::Summary, "Summary"),
        (Self::Overall, "Overall calibration"),
        (Self::Groups, "Subgroups before and after recalibration"),
        (Self::Map, "Local error map"),
        (Self::Decisions, "Decisions"),
        (Self::Panels, "Further analyses"),
        (Self::Data, "Data"),
        (Self::Methods, "Methods"),
        (Self::Limits, "Limits"),
        (Self::Checklist, "TRIPOD+AI items on calibration"),
        (Self::References, "References"),
        (Self::Provenance, "Provenance"),
        (Self::Signature, "Signatures"),
    ];

    /// Its heading.
    pub fn heading(self) -> &'static str {
        Self::ALL.iter().find(|(part, _)| *part == self).map_or("", |(_, heading)| heading)
    }

    /// As requests write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Data => "data",
            Self::Overall => "overall",
            Self::Groups => "groups",
            Self::Map => "map",
            Self::Decisions => "decisions",
            Self::Panels => "panels",
            Self::Methods => "methods",
            Self::Limits => "limits",
            Self::Checklist => "checklist",
            Self::References => "references",
            Self::Provenance => "provenance",
            Self::Signature => "signature",
        }
    }
}

/// Something that stands in a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// the finding, one sentence, larger than the rest
    Lead(String),
    /// what the next pieces are about
    Heading(String),
    /// a paragraph
    Text(String),
    /// how it was done, or what to beware of; smaller than the rest
    Note(String),
    /// names and values
    Facts(Vec<Fact>),
    /// one point each
    List(Vec<String>),
    /// rows and columns
    Table(SheetTable),
    /// charts, side by side where there is room
    Figures(Vec<Figure>),
    /// a chart, and beside it what belongs to it
    Beside(Box<Figure>, Vec<Piece>),
    /// what is filled in by hand: a line for each
    Lines(Vec<String>),
}

impl Piece {
    /// The pieces of a sheet; files to save are no part of a document.
    pub fn of_sheet(blocks: Vec<Block>) -> Vec<Self> {
        let piece = |block| match block {
            Block::Reading(text) => Some(Self::Lead(text)),
            Block::Heading(text) => Some(Self::Heading(text)),
            Block::Text(text) => Some(Self::Text(text)),
            Block::Note(text) => Some(Self::Note(text)),
            Block::Facts(facts) => Some(Self::Facts(facts)),
            Block::Table(table) => Some(Self::Table(table)),
            Block::Figures(figures) => Some(Self::Figures(figures)),
            Block::Download { .. } | Block::Charts(_) => None,
        };
        blocks.into_iter().filter_map(piece).collect()
    }
}

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DocumentFormat {
    /// one file that holds everything, without scripts
    #[default]
    Html,
    /// an article with `booktabs`; its figures are files beside it
    Latex,
    /// headings, paragraphs and tables as plain text
    Markdown,
    /// the tables alone, as HTML that word processors take from the clipboard
    Tables,
}

impl DocumentFormat {
    /// Each as requests write it, and what it is called.
    pub const CHOICES: &'static [(&'static str, &'static str)] = &[
        ("html", "HTML, one file to read and print"),
        ("latex", "LaTeX"),
        ("markdown", "Markdown"),
        ("tables", "tables to paste into a word processor"),
    ];
}

impl Document {
    /// Tables and figures with their numbers in reading order, before what they are called: "Table 2. Net benefit". A table
    /// without a caption is no more than its section, and has none.
    pub fn numbered(mut self) -> Self {
        let mut numbers = Numbers::default();
        self.sections.iter_mut().for_each(|section| numbers.number(&mut section.pieces));
        self
    }

    /// Its figures in reading order, as [`latex::article`] numbers them.
    pub fn figures(&self) -> Vec<&Figure> {
        fn of<'a>(pieces: &'a [Piece], found: &mut Vec<&'a Figure>) {
            for piece in pieces {
                match piece {
                    Piece::Figures(figures) => found.extend(figures),
                    Piece::Beside(figure, beside) => {
                        found.push(figure);
                        of(beside, found);
                    }
                    _ => (),
                }
            }
        }
        let mut found = Vec::new();
        self.sections.iter().for_each(|section| of(&section.pieces, &mut found));
        found
    }

    /// The document as text. Tables and figures have their numbers; LaTeX counts by itself. O(length).
    pub fn written(self, format: DocumentFormat) -> String {
        match format {
            DocumentFormat::Html => html::page(&self.numbered()),
            DocumentFormat::Latex => latex::article(&self),
            DocumentFormat::Markdown => markdown::text(&self.numbered()),
            DocumentFormat::Tables => html::tables(&self.numbered()),
        }
    }
}

/// How many tables and figures have a number.
#[derive(Default)]
struct Numbers {
    tables: usize,
    figures: usize,
}

impl Numbers {
    fn number(&mut self, pieces: &mut [Piece]) {
        for piece in pieces {
            match piece {
                Piece::Table(table) if !table.caption.is_empty() => {
                    self.tables += 1;
                    table.caption = format!("Table {}. {}", self.tables, table.caption);
                }
                Piece::Figures(figures) => figures.iter_mut().for_each(|figure| self.figure(figure)),
                Piece::Beside(figure, pieces) => {
                    self.figure(figure);
                    self.number(pieces);
                }
                _ => (),
            }
        }
    }

    fn figure(&mut self, figure: &mut Figure) {
        self.figures += 1;
        let gap = if figure.title.is_empty() { "" } else { " " };
        figure.title = format!("Figure {}.{gap}{}", self.figures, figure.title);
    }
}

/// SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The caption of a chart, and what it shows for those who do not see it, without the title that stands before.
fn caption_and_content(figure: &Figure) -> String {
    // behind the number of the figure
    let title = figure.title.split_once(". ").map_or(figure.title.as_str(), |(_, title)| title).trim_end_matches('.');
    let content = figure.alt.strip_prefix(title).filter(|_| !title.is_empty()).unwrap_or(&figure.alt);
    // what the caption says, too, is said once
    let content: String =
        content.split_inclusive(". ").filter(|said| !figure.caption.contains(said.trim_end())).collect();
    let parts = [figure.caption.as_str(), content.trim_start_matches([':', '.', ' ']).trim_end()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
