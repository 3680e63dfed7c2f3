//! Letters by which a judge of SimpleQA grades answers in a table: A correct, B incorrect, C not attempted.

use super::ReadFile;
use crate::table::{Dictionary, Values, Warning};
use crate::words::text::quoted;

/// Names of a column with the grades of answers.
const GRADES: &[&str] = &["grade", "verdict", "judgment", "judgement"];
/// Names of a column with the confidences beside it.
const CONFIDENCES: &[&str] = &["confidence", "conf", "stated_confidence"];
/// Letters with what they mean.
const LETTERS: &[(&str, &str)] = &[("A", "CORRECT"), ("B", "INCORRECT"), ("C", "NOT_ATTEMPTED")];

/// The file with the grades in words, where a column of grades beside a confidence holds these letters alone, A and B among
/// them; every other file as it is. O(rows).
pub(super) fn spelled_out(mut file: ReadFile) -> ReadFile {
    let named = |name: &str, known: &[&str]| known.iter().any(|one| one.eq_ignore_ascii_case(name.trim()));
    if !file.columns.iter().any(|column| named(&column.name, CONFIDENCES)) {
        return file;
    }
    let letter = |text: &str| LETTERS.iter().position(|(letter, _)| letter.eq_ignore_ascii_case(text.trim()));
    for column in file.columns.iter_mut().filter(|column| named(&column.name, GRADES)) {
        let Values::Text { codes, levels } = &column.values else { continue };
        let Some(letters) = levels.iter().map(letter).collect::<Option<Vec<usize>>>() else { continue };
        if !(letters.contains(&0) && letters.contains(&1)) {
            continue;
        }
        let mut words = Dictionary::default();
        let places: Vec<u32> = LETTERS.iter().map(|(_, word)| words.push(word)).collect();
        let place =
            |code: &u32| letters.get(*code as usize).and_then(|letter| places.get(*letter)).copied().unwrap_or(*code);
        column.values = Values::Text { codes: codes.iter().map(place).collect(), levels: words };
        file.warnings.push(read_as_grades(&column.name));
    }
    file
}

/// Says that letters of a column, or of a field of a log, were read as grades.
pub(super) fn read_as_grades(column: &str) -> Warning {
    Warning {
        code: "grades_in_letters".into(),
        message: format!(
            "{} was read as SimpleQA grades answers: A correct, B incorrect, C not attempted.",
            quoted(column)
        ),
        row: None,
        column: Some(column.to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    fn table(name: &str, grades: [&str; 3]) -> String {
        let row = |k: usize| format!("Question {k} of the set?,{},0.{}\n", grades[[0, 1, 0, 2][k % 4]], 50 + k % 49);
        format!("question,{name},confidence\n{}", (0..80).map(row).collect::<String>())
    }

    #[test]
    fn letters_of_grades_are_verdicts_and_others_are_not() {
        let file = read("graded.csv", table("grade", ["A", "B", "C"]).as_bytes(), &mut |_| ()).unwrap();
        assert_eq!(file.warnings[0].code, "grades_in_letters");
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        let right = data.correct.as_ref().map(|correct| correct.iter().filter(|one| **one == 1).count());
        assert_eq!((data.rows, right), (60, Some(40)), "{summary:?}");
        for other in [table("grade", ["A", "B", "D"]), table("ward", ["A", "B", "C"]), table("grade", ["A", "A", "C"])]
        {
            let file = read("graded.csv", other.as_bytes(), &mut |_| ()).unwrap();
            assert!(file.warnings.is_empty(), "{:?}", file.warnings);
        }
    }
}
