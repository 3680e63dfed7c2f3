//! Confidences stated as words, which are no probabilities: "low", "very likely".

use crate::words::text::{listed, quoted};

/// Different words up to which texts are a scale rather than sentences.
const MOST: usize = 12;
/// Characters of a word, or of two or three.
const LONGEST: usize = 30;

/// Different texts found among confidences, as long as they are few and each is a word.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordsFound {
    words: Vec<String>,
    others: bool,
}

impl WordsFound {
    pub(crate) fn add(&mut self, text: &str) {
        let text = text.trim();
        if self.others || self.words.iter().any(|known| known == text) {
            return;
        }
        let is_word = text.chars().any(char::is_alphabetic) && !text.chars().any(|letter| letter.is_ascii_digit());
        if is_word && text.chars().count() <= LONGEST && self.words.len() < MOST {
            self.words.push(text.to_owned());
        } else {
            self.others = true;
        }
    }

    /// The words in the order in which they came; `None` where something else was found, or one word alone, which says that a
    /// confidence is missing rather than how large it is.
    pub(crate) fn known(&self) -> Option<&[String]> {
        (!self.others && self.words.len() > 1).then_some(&self.words)
    }
}

/// That these values of a column are no probabilities, and how they become some.
pub(crate) fn in_words(column: &str, words: &[String]) -> String {
    let pairs: Vec<String> = words.iter().map(|word| format!("{word:?}: …")).collect();
    format!(
        "The values of {} are words, not probabilities: {}. Decide which probability each stands for, and write it in place of the \
         word, in pandas: `t[{column:?}] = t[{column:?}].map({{{}}})`.",
        quoted(column),
        listed(words),
        pairs.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_are_a_scale() {
        let found = |texts: &[&str]| {
            let mut found = WordsFound::default();
            texts.iter().for_each(|text| found.add(text));
            found.known().map(<[String]>::to_vec)
        };
        assert_eq!(found(&["low", " high", "low"]), Some(vec!["low".to_owned(), "high".to_owned()]));
        for none in
            [&["n/a"][..], &["low", "about 80"], &["low", "I am as certain of this as one can be"], &["low", ""], &[]]
        {
            assert_eq!(found(none), None, "{none:?}");
        }
        assert_eq!(
            in_words("conf", &["low".to_owned(), "very likely".to_owned()]),
            "The values of `conf` are words, not probabilities: `low`, `very likely`. Decide which probability each stands for, and \
             write it in place of the word, in pandas: `t[\"conf\"] = t[\"conf\"].map({\"low\": …, \"very likely\": …})`."
        );
    }
}
