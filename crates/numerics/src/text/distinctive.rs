//! Words that are more frequent in some texts than in the others.
//!
//! A description, not a test: of thousands of words some differ by chance, and words of one text depend on each other.

use std::collections::HashMap;

use super::terms::each_word;
use crate::num::order::sort;

/// The prior of a word is this part of its counts in all texts.
const PRIOR: f64 = 0.1;
/// Texts that contain a word at least, for it to be listed.
const FEWEST: u32 = 2;
/// A word with a smaller z is not listed.
const LEAST_Z: f64 = 2.0;

/// Which words each text contains.
#[derive(Debug, Clone, Default)]
pub struct WordCounts {
    words: Vec<String>,
    /// different words of each text, one after the other
    of: Vec<u32>,
    /// where those of each text end
    ends: Vec<usize>,
}

/// A word that is more frequent in some texts than in the others.
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctiveWord {
    /// in lower case
    pub word: String,
    /// chosen texts that contain it
    pub texts: u32,
    /// share of the chosen texts that contain it: 0 to 1
    pub here: f64,
    /// share of the other texts
    pub elsewhere: f64,
    /// log-odds ratio δ
    pub log_odds: f64,
    /// δ by its standard deviation
    pub z: f64,
}

impl WordCounts {
    /// The words of some texts, each once a text: a text that repeats a word counts once. O(words).
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut out = Self::default();
        let mut code: HashMap<String, u32> = HashMap::new();
        let mut mine: Vec<u32> = Vec::new();
        for text in texts {
            mine.clear();
            each_word(text, &mut |word| {
                mine.push(match code.get(word) {
                    Some(known) => *known,
                    None => {
                        let new = out.words.len() as u32;
                        code.insert(word.to_owned(), new);
                        out.words.push(word.to_owned());
                        new
                    }
                });
            });
            mine.sort_unstable();
            mine.dedup();
            out.of.extend(&mine);
            out.ends.push(out.of.len());
        }
        out
    }

    /// The words that are more frequent in the chosen texts than in the others, the largest z first, at most `most`.
    ///
    /// With y of the chosen texts that contain the word, n words of the chosen texts in all, y′ and n′ of the others, and a
    /// prior of a tenth of the counts, α = (y + y′)/10, α₀ = (n + n′)/10:
    /// δ = ln((y + α)/(n + α₀ − y − α)) − ln((y′ + α)/(n′ + α₀ − y′ − α)), z = δ/√(1/(y + α) + 1/(y′ + α)). Listed are words
    /// in two chosen texts or more with z ≥ 2.
    ///
    /// * `inside`: for each text, whether it is chosen
    ///
    /// # Cost
    /// O(words).
    ///
    /// # Source
    /// Monroe, Colaresi and Quinn (2008), Fightin' words, equations 15, 16 and 22, with an informative Dirichlet prior.
    pub fn distinctive(&self, inside: &[bool], most: usize) -> Vec<DistinctiveWord> {
        let mut counts = vec![[0_u32; 2]; self.words.len()];
        let (mut words, mut texts) = ([0.0; 2], [0.0; 2]);
        let mut start = 0;
        for (end, inside) in self.ends.iter().zip(inside) {
            let (mine, side) = (self.of.get(start..*end).unwrap_or(&[]), usize::from(!*inside));
            start = *end;
            texts[side] += 1.0;
            words[side] += mine.len() as f64;
            for word in mine {
                if let Some(count) = counts.get_mut(*word as usize) {
                    count[side] += 1;
                }
            }
        }
        let [n, others] = words;
        if n == 0.0 || others == 0.0 {
            return Vec::new();
        }
        let of_word = |(word, [y, other]): (&String, &[u32; 2])| {
            let (here, elsewhere) = (f64::from(*y), f64::from(*other));
            let prior = PRIOR * (here + elsewhere);
            let all = PRIOR * (n + others);
            let (a, b) = (here + prior, elsewhere + prior);
            let log_odds = (a / (n + all - a)).ln() - (b / (others + all - b)).ln();
            let z = log_odds / (1.0 / a + 1.0 / b).sqrt();
            let listed = *y >= FEWEST && z >= LEAST_Z;
            listed.then(|| DistinctiveWord {
                word: word.clone(),
                texts: *y,
                here: here / texts[0],
                elsewhere: elsewhere / texts[1],
                log_odds,
                z,
            })
        };
        let mut found: Vec<DistinctiveWord> = self.words.iter().zip(&counts).filter_map(of_word).collect();
        sort(&mut found, &|a, b| b.z.total_cmp(&a.z).then_with(|| a.word.cmp(&b.word)));
        found.truncate(most);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_some_texts() {
        let texts =
            ["an acid and a base", "the acid acid", "an acid", "an egg", "the egg", "an egg and a hen", "the hen"];
        let texts: Vec<&str> = texts.into_iter().cycle().take(70).collect();
        let inside: Vec<bool> = texts.iter().map(|text| text.contains("acid")).collect();
        let found = WordCounts::of(texts.iter().copied()).distinctive(&inside, 10);
        let words: Vec<&str> = found.iter().map(|one| one.word.as_str()).collect();
        assert_eq!(words, ["acid", "base"], "{found:?}");
        // by hand: 80 words in 30 texts, 100 in 40; acid in 30 and 0 of them, α = 3 of α₀ = 18
        let (a, b) = (33.0_f64, 3.0_f64);
        let log_odds = (a / (98.0 - a)).ln() - (b / (118.0 - b)).ln();
        assert!((found[0].log_odds - log_odds).abs() < 1e-12, "{} {log_odds}", found[0].log_odds);
        assert!((found[0].z - log_odds / (1.0 / a + 1.0 / b).sqrt()).abs() < 1e-12);
        assert_eq!((found[0].here, found[0].elsewhere), (1.0, 0.0));
    }

    #[test]
    fn nothing_distinguishes_all_texts_or_none() {
        let words = WordCounts::of(["acid base", "acid"].into_iter());
        assert!(words.distinctive(&[true, true], 5).is_empty() && words.distinctive(&[false, false], 5).is_empty());
        assert!(WordCounts::of(std::iter::empty()).distinctive(&[], 5).is_empty());
        assert!(WordCounts::of(["", "?"].into_iter()).distinctive(&[true, false], 5).is_empty());
    }
}
