//! Terms of a text: its words, and pairs of words that follow each other.

use super::murmur::murmur3;

/// Words of one text that are looked at, from its beginning.
pub const MOST_WORDS: usize = 1_024;

/// Columns into which terms are hashed: 2²⁰, as scikit-learn's `HashingVectorizer`.
pub const BUCKETS: u32 = 1 << 20;

/// Calls `hear` with each word of a text, in lower case, in its order: letters, digits and `_` side by side, two at least, as
/// scikit-learn's default pattern has them. Chinese and Japanese, which are written without spaces, count as a word a
/// character. At most [`MOST_WORDS`].
///
/// ```
/// use localcal_numerics::text::each_word;
///
/// let mut words = Vec::new();
/// each_word("Is H_2O a liquid at 20 °C? 水", &mut |word| words.push(word.to_owned()));
/// assert_eq!(words, ["is", "h_2o", "liquid", "at", "20", "水"]);
/// ```
pub fn each_word(text: &str, hear: &mut dyn FnMut(&str)) {
    let lower = text.to_lowercase();
    let mut left = MOST_WORDS;
    let mut tell = |word: &str| {
        if left > 0 {
            left -= 1;
            hear(word);
        }
    };
    // begin of the word that is being read, and how many characters it has so far
    let (mut start, mut letters) = (0, 0);
    let mut end = |start: usize, letters: usize, end: usize| {
        if letters > 1
            && let Some(word) = lower.get(start..end)
        {
            tell(word);
        }
    };
    for (at, letter) in lower.char_indices() {
        if letter.is_alphanumeric() || letter == '_' {
            if is_word_alone(letter) {
                end(start, letters, at);
                // one character that counts as a word of any length
                end(at, 2, at + letter.len_utf8());
                letters = 0;
                continue;
            }
            if letters == 0 {
                start = at;
            }
            letters += 1;
        } else {
            end(start, letters, at);
            letters = 0;
        }
    }
    end(start, letters, lower.len());
}

/// Kana and Han characters.
fn is_word_alone(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Columns of the terms of a text, a term that comes back as often as it does: words, and pairs of words with a space
/// between them, each hashed into [`BUCKETS`] as scikit-learn's `HashingVectorizer` does.
pub(super) fn hashed_terms(text: &str, columns: &mut Vec<u32>) {
    columns.clear();
    let mut pair = String::new();
    each_word(text, &mut |word| {
        columns.push(column(word));
        if !pair.is_empty() {
            pair.push(' ');
            pair.push_str(word);
            columns.push(column(&pair));
        }
        pair.clear();
        pair.push_str(word);
    });
    columns.sort_unstable();
}

fn column(term: &str) -> u32 {
    (murmur3(term.as_bytes(), 0) as i32).unsigned_abs() % BUCKETS
}
