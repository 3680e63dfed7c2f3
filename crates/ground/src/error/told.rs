//! What somebody is told, in parts: words that everybody is told alike, and phrases that a script, the page and the
//! terminal have each for itself.
//!
//! What differs is a value of its own, never a stretch of a finished sentence, so that names and values of a person's
//! data pass through unchanged whatever they say.

use std::fmt;

use crate::words::text::bounded;

/// Who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
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
    /// What a script, the page and the terminal say.
    pub const fn of(script: &'static str, page: &'static str, terminal: &'static str) -> Self {
        Self { script, page, terminal }
    }

    /// The same for everybody, where the place takes a phrase.
    pub const fn alike(words: &'static str) -> Self {
        Self::of(words, words, words)
    }

    /// The words for one of them.
    pub const fn told(&self, voice: Voice) -> &'static str {
        match voice {
            Voice::Script => self.script,
            Voice::Page => self.page,
            Voice::Terminal => self.terminal,
        }
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// told alike, with whatever of the data stands in it
    Alike(String),
    /// told in the words of whoever is told
    Own(Phrase),
}

/// A sentence or more in parts. As text it is what a script is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(Vec<Part>);

impl Text {
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
            Some(Part::Alike(words)) => words.truncate(words.trim_end_matches('.').len()),
            Some(Part::Own(Phrase { script, page, terminal })) => {
                for words in [script, page, terminal] {
                    *words = words.trim_end_matches('.');
                }
            }
            None => (),
        }
        self
    }

    /// What `voice` says, of bounded length. O(length).
    pub fn told(&self, voice: Voice) -> String {
        let words = |part: &Part| match part {
            Part::Alike(words) => words.clone(),
            Part::Own(phrase) => phrase.told(voice).to_owned(),
        };
        bounded(self.0.iter().map(words).collect())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.told(Voice::Script))
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        // what a file put into it is not carried about at any length; whole texts are bounded when they are told
        Self(vec![Part::Alike(bounded(words))])
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<Phrase> for Text {
    fn from(phrase: Phrase) -> Self {
        Self(vec![Part::Own(phrase)])
    }
}

/// A [`Text`] of parts: words, what `format!` writes, phrases and texts, one after another.
#[macro_export]
macro_rules! told {
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
        let text = told![DIVIDED, format!(": no column has the name `{}`.", "split: north")];
        assert_eq!(text.to_string(), "split: no column has the name `split: north`.");
        assert_eq!(text.told(Voice::Page), "Data split: no column has the name `split: north`.");
        assert_eq!(text.told(Voice::Terminal), "--split: no column has the name `split: north`.");
    }

    #[test]
    fn a_sentence_can_be_continued_and_stays_of_bounded_length() {
        assert_eq!(
            Text::from("Row 2 is empty.").without_end().and(" (file `a`).").to_string(),
            "Row 2 is empty (file `a`)."
        );
        let end = Phrase::of("Exclude it.", "Leave it empty.", "Exclude it.");
        assert_eq!(Text::from(end).without_end().and(", please.").told(Voice::Page), "Leave it empty, please.");
        let long = told!["é".repeat(20_000), DIVIDED, "x".repeat(20_000)];
        assert_eq!(long.told(Voice::Page).chars().count(), 800);
        // as if it had been written in one piece
        let whole = bounded(format!("begin {} middle {} end.", "é".repeat(900), "é".repeat(900)));
        let parts = told![format!("begin {}", "é".repeat(900)), format!(" middle {} end.", "é".repeat(900))];
        assert_eq!(parts.to_string(), whole);
    }
}
