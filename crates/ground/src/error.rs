//! What can go wrong, with a stable code for scripts and a hint for people.
//!
//! Messages carry the numbers first and the names of files or columns last, so that the first half of a
//! message can be passed on without telling anything about the data.

pub mod phrases;
mod text;

pub use crate::message;
pub use text::{Interface, Phrase, Text};

/// Result of anything that can fail on a person's input.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure with a stable `code`, a sentence that says what and where, and a `hint` that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Error {
    code: &'static str,
    message: Text,
    hint: Text,
}

impl Error {
    /// A failure named by `code` (one of [`CODES`]); `message` says what and where, `hint` what to do next. A plain text is
    /// the same for scripts, the page and the terminal; what differs is a [`Phrase`].
    pub fn new(code: &'static str, message: impl Into<Text>, hint: impl Into<Text>) -> Self {
        debug_assert!(CODES.iter().any(|(known, _)| *known == code), "undocumented error code {code}");
        Self { code, message: message.into(), hint: hint.into() }
    }

    /// A fault of the program, never of the person: `message` names what is missing or does not fit.
    pub fn internal(message: impl Into<Text>) -> Self {
        Self::new("internal", message, "This is a bug in the program; please report it.")
    }

    /// The stable snake_case name, safe to match on.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What and where, for use within another message.
    pub fn message(&self) -> Text {
        self.message.clone()
    }

    /// What to try next, in one sentence, as a script is told.
    pub fn hint(&self) -> String {
        self.hint.to_string()
    }

    /// The same failure of one thing among several, named before the message.
    #[must_use]
    pub fn within(self, what: &str) -> Self {
        Self { message: message![format!("In {what}: "), self.message], ..self }
    }

    /// The same failure with more at the end of its sentence, such as where it was.
    #[must_use]
    pub fn at(self, place: String) -> Self {
        Self { message: self.message.without_end().and(place), ..self }
    }

    /// The same failure with something else to try.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Text>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// The same failure without values of single rows: it names row and column.
    #[must_use]
    pub fn without_values(self) -> Self {
        Self { message: self.message.without_values(), hint: self.hint.without_values(), ..self }
    }

    /// Message and hint for a person at the page: the page's controls stand where a script would give options.
    pub fn on_page(&self) -> (String, String) {
        self.worded_for(Interface::Page)
    }

    /// Message and hint for a person at a terminal: flags stand where a script would give options.
    pub fn in_terminal(&self) -> (String, String) {
        self.worded_for(Interface::Terminal)
    }

    fn worded_for(&self, interface: Interface) -> (String, String) {
        (self.message.worded_for(interface), self.hint.worded_for(interface))
    }
}

/// Every error code and what it means; codes are never reused.
pub const CODES: &[(&str, &str)] = &[
    ("archive_unreadable", "a ZIP or NPZ container is damaged, truncated or of an unknown kind"),
    ("array_unreadable", "an NPY array is damaged, truncated or of an unsupported type"),
    ("array_pickled", "an array contains Python objects, which are never executed"),
    ("calibrator_mismatch", "a calibrator belongs to other classes, another view or other scores than the data"),
    ("calibrator_unreadable", "a calibrator is not valid JSON, of another version, damaged or incomplete"),
    ("cancelled", "the call was canceled by the person or the script"),
    ("closed", "the data set was closed"),
    ("classes_missing", "an analysis of all classes, without a probability for each"),
    ("columns_ambiguous", "the same role was assigned to mutually exclusive columns"),
    ("empty", "a file or selection is empty"),
    ("features_missing", "a local method was requested without features"),
    ("file_unknown", "the file format is not supported"),
    ("groups_missing", "an analysis of groups, without a group column"),
    ("ids_do_not_match", "two files cannot be joined on their id columns"),
    ("internal", "a bug in the program: a step is missing an input"),
    ("invalid_option", "an option has a value that is not allowed"),
    ("label_missing", "no outcome column"),
    ("label_out_of_range", "a label is not one of the classes"),
    ("length_mismatch", "arrays or files that belong together have different numbers of rows"),
    ("memory", "the browser refused memory to a worker; the worker was replaced"),
    ("not_a_number", "a value that must be a number is missing, not a number or infinite"),
    ("not_drawn", "the drawing surface refused a chart, or the fonts of a PDF lack one of its letters"),
    ("panic", "a bug in the program; the worker was replaced"),
    ("probability_out_of_range", "a probability lies outside [0, 1]"),
    ("roles_unclear", "no outcome or prediction column was recognized"),
    ("rows_do_not_sum_to_one", "the probabilities of a row do not sum to 1"),
    ("score_missing", "no prediction column"),
    ("single_class", "only one outcome occurs among the rows, and the analysis needs both"),
    ("split_empty", "the split leaves no rows for calibration or evaluation"),
    ("table_unreadable", "a text table has rows of different lengths or cannot be decoded"),
    ("too_few_rows", "there are fewer rows than the computation needs"),
    ("too_large", "a file or a run needs more memory than is available; nothing was started"),
    ("unknown_column", "no column or array has this name"),
    ("unknown_method", "no recalibration method has this id"),
    ("unknown_metric", "no metric has this id"),
    ("unsupported_browser", "the browser lacks a required feature"),
    ("unsupported_view", "the data cannot be shown in this view"),
    ("weight_negative", "a sample weight is below 0"),
    ("weights_all_zero", "no row has a sample weight above 0"),
    ("worker_lost", "two workers in a row stopped answering during the same step, or the browser starts none"),
];
