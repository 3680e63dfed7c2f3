//! What identifies the questions of a log in plain JSON: their ids, or their texts where ids name something else.

use std::collections::{HashMap, HashSet};

use super::super::json::JsonCell;
use super::attempts::{key, plain_name};
use crate::words::text::{counted, quoted};

/// Names of an expected answer, in lower case without `_`, which are not those of the answer of a model.
const EXPECTED: &[&str] =
    &["gold", "target", "correctanswer", "answerkey", "expectedanswer", "groundtruth", "solution"];

/// What is known of the questions of a log, in the order of its answers.
pub(super) struct Questions {
    /// the field with their ids; empty without one
    pub id: &'static str,
    pub ids: Vec<String>,
    /// what distinguishes the answers to one question: the number of the attempt, the model
    pub versions: Vec<[String; 2]>,
    pub texts: Vec<Option<String>>,
}

impl Questions {
    /// A sentence that says so where ids do not identify the questions and their texts do.
    ///
    /// Ids that all differ are numbers of rows, or names of attempts, where texts repeat. Ids with different texts are those of several
    /// benchmarks in one file, unless attempts are numbered or models named: attempts at one question may differ in wording.
    pub fn by_text(&self, answers: &[JsonCell]) -> Option<String> {
        let texts: Vec<&str> = self.texts.iter().map_while(Option::as_deref).collect();
        let all = self.ids.len();
        if self.id.is_empty() || texts.len() < all {
            return None;
        }
        let different = texts.iter().collect::<HashSet<_>>().len();
        if self.ids.iter().collect::<HashSet<_>>().len() == all {
            // a few questions that repeat, or a prompt that all share, say nothing
            let repeat = 10 * (all - different) >= all && different > 1;
            return (repeat && agree(&texts, answers)).then(|| {
                format!(
                    "{} differs in each of {} to {}: answers to the same text are attempts at one question.",
                    quoted(self.id),
                    counted(all, "answer"),
                    counted(different, "different question")
                )
            });
        }
        let mut known = HashMap::new();
        let named = self.ids.iter().zip(&texts);
        let other = named.clone().find(|(id, text)| *known.entry(*id).or_insert(**text) != **text)?.0;
        let versions: HashSet<_> = self.ids.iter().zip(&self.versions).collect();
        (versions.len() < all).then(|| {
            format!(
                "{} has the same value for different questions, first {}: they are identified by their texts.",
                quoted(self.id),
                quoted(other)
            )
        })
    }
}

/// Whether the expected answers of the same text are the same, where there are some.
fn agree(texts: &[&str], answers: &[JsonCell]) -> bool {
    let mut known: HashMap<&str, String> = HashMap::new();
    texts.iter().zip(answers).all(|(text, answer)| {
        let expected = expected(answer);
        *known.entry(text).or_insert_with(|| expected.clone()) == expected
    })
}

fn expected(answer: &JsonCell) -> String {
    let JsonCell::Fields(fields) = answer else { return String::new() };
    let field = fields.iter().find(|(name, _)| EXPECTED.contains(&plain_name(name).as_str()));
    field.map_or_else(String::new, |(_, cell)| key(cell))
}
