//! Messages in fragments: literal words, the same for every reader, and phrases that are worded differently for a script,
//! the page and the terminal.
//!
//! What differs is a value of its own, never a stretch of a finished sentence, so that names and values of a person's
//! data pass through unchanged whatever they say.

use std::fmt;

use crate::words::text::bounded;

/// Where a message is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// a script, which gives options by name
    Script,
    /// a person at the page, who uses controls
    Page,
    /// a person at a terminal, who gives flags
    Terminal,
}

/// One thing in the words of a script, of the page and of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phrase {
    script: &'static str,
    page: &'static str,
    terminal: &'static str,
}

impl Phrase {
    /// The words for a script, the page and the terminal.
    pub const fn of(script: &'static str, page: &'static str, terminal: &'static str) -> Self {
        Self { script, page, terminal }
    }

    /// The same for every interface, where the place takes a phrase.
    pub const fn same(words: &'static str) -> Self {
        Self::of(words, words, words)
    }

    /// The words for one interface.
    pub const fn worded_for(&self, interface: Interface) -> &'static str {
        match interface {
            Interface::Script => self.script,
            Interface::Page => self.page,
            Interface::Terminal => self.terminal,
        }
    }
}

/// A fragment of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fragment {
    /// the same for every interface, with values of the data in it
    Literal(String),
    /// worded for a script, the page or the terminal
    Phrase(Phrase),
    /// a value of one row, as it is shown
    Value(String),
}

/// A sentence or more in fragments. Displayed, it has the words for scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(Vec<Fragment>);

impl Text {
    /// A value of one row as it is shown, which [`Text::without_values`] replaces by words.
    pub fn value(shown: impl Into<String>) -> Self {
        Self(vec![Fragment::Value(bounded(shown.into()))])
    }

    /// The same without values of single rows, for those who may not see them.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        for part in &mut self.0 {
            if matches!(part, Fragment::Value(_)) {
                *part = Fragment::Literal("the value".to_owned());
            }
        }
        self
    }

    /// This, and then `more`.
    #[must_use]
    pub fn and(mut self, more: impl Into<Text>) -> Self {
        self.0.extend(more.into().0);
        self
    }

    /// Without the points at its end, so that something can be added to the sentence.
    #[must_use]
    pub fn without_end(mut self) -> Self {
        match self.0.last_mut() {
            Some(Fragment::Literal(words) | Fragment::Value(words)) => {
                words.truncate(words.trim_end_matches('.').len())
            }
            Some(Fragment::Phrase(Phrase { script, page, terminal })) => {
                for words in [script, page, terminal] {
                    *words = words.trim_end_matches('.');
                }
            }
            None => (),
        }
        self
    }

    /// The words for `interface`, of bounded length. O(length).
    pub fn worded_for(&self, interface: Interface) -> String {
        let words = |part: &Fragment| match part {
            Fragment::Literal(words) | Fragment::Value(words) => words.clone(),
            Fragment::Phrase(phrase) => phrase.worded_for(interface).to_owned(),
        };
        bounded(self.0.iter().map(words).collect())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.worded_for(Interface::Script))
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        // what a file put into it is not carried about at any length; whole texts are bounded when they are told
        Self(vec![Fragment::Literal(bounded(words))])
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<Phrase> for Text {
    fn from(phrase: Phrase) -> Self {
        Self(vec![Fragment::Phrase(phrase)])
    }
}

/// A [`Text`] of parts: words, what `format!` writes, phrases and texts, one after another.
#[macro_export]
macro_rules! message {
    ($first:expr $(, $more:expr)* $(,)?) => {
        $crate::error::Text::from($first)$(.and($more))*
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIVIDED: Phrase = Phrase::of("split", "Data split", "--split");

    #[test]
    fn a_phrase_is_told_in_three_ways_and_data_in_one() {
        let text = message![DIVIDED, format!(": no column has the name `{}`.", "split: north")];
        assert_eq!(text.to_string(), "split: no column has the name `split: north`.");
        assert_eq!(text.worded_for(Interface::Page), "Data split: no column has the name `split: north`.");
        assert_eq!(text.worded_for(Interface::Terminal), "--split: no column has the name `split: north`.");
    }

    #[test]
    fn a_value_of_one_row_can_be_withheld() {
        let text = message!["Row 7, column `p`: ", Text::value("`AB-`"), " is not a number."];
        assert_eq!(text.to_string(), "Row 7, column `p`: `AB-` is not a number.");
        assert_eq!(text.without_values().to_string(), "Row 7, column `p`: the value is not a number.");
    }

    #[test]
    fn a_sentence_can_be_continued_and_stays_of_bounded_length() {
        assert_eq!(
            Text::from("Row 2 is empty.").without_end().and(" (file `a`).").to_string(),
            "Row 2 is empty (file `a`)."
        );
        let end = Phrase::of("Exclude it.", "Leave it empty.", "Exclude it.");
        assert_eq!(
            Text::from(end).without_end().and(", please.").worded_for(Interface::Page),
            "Leave it empty, please."
        );
        let long = message!["é".repeat(20_000), DIVIDED, "x".repeat(20_000)];
        assert_eq!(long.worded_for(Interface::Page).chars().count(), 800);
        // as if it had been written in one piece
        let whole = bounded(format!("begin {} middle {} end.", "é".repeat(900), "é".repeat(900)));
        let parts = message![format!("begin {}", "é".repeat(900)), format!(" middle {} end.", "é".repeat(900))];
        assert_eq!(parts.to_string(), whole);
    }
}
