//! Listings that programs print for people: predictions of Weka, `proc print` of SAS, `list` of Stata.

use std::borrow::Cow;

use crate::error::{Error, Phrase, Result};
use crate::words::text::{quoted, shape};

/// Lines at the start among which the names are looked for.
const LOOKED_AT: usize = 40;

const WEKA_TO_CSV: Phrase = Phrase::same("In the Explorer of Weka, choose More options, Output predictions, CSV.");
const SAS_TO_CSV: Phrase =
    Phrase::same("In SAS: `proc export data=predictions outfile=\"predictions.csv\" dbms=csv replace; run;`.");
const STATA_TO_CSV: Phrase = Phrase::same("In Stata: `export delimited using predictions.csv, replace`.");

/// The rows of a listing with delimiters between their cells; any other text as it is.
/// O(bytes) of a listing, else little.
///
/// # Errors
/// `table_unreadable` for a listing whose lines cannot be divided into cells, with the command that writes a table.
pub(super) fn unlisted(text: &str) -> Result<Cow<'_, str>> {
    let first: Vec<&str> = text.lines().take(LOOKED_AT).collect();
    for (at, line) in first.iter().enumerate() {
        let mut words = line.trim_matches(['\u{c}', ' ']).split_whitespace();
        match words.next() {
            Some("inst#") if words.next() == Some("actual") => return weka(text, at).map(Cow::Owned),
            Some("Obs" | "Beob." | "Obs.") if words.next().is_some() => {
                let next = first.iter().skip(at + 1).find(|line| !line.trim().is_empty());
                let numbered = next.is_some_and(|line| line.split_whitespace().next() == Some("1"));
                if at > 0 && numbered && !line.contains([',', ';', '\t', '|']) {
                    return sas(text, at).map(Cow::Owned);
                }
            }
            Some("1.") if words.next() == Some("|") => return stata(text).map(Cow::Owned),
            _ => {}
        }
    }
    Ok(Cow::Borrowed(text))
}

fn unreadable(what: &str, line: &str, hint: Phrase) -> Error {
    Error::new(
        "table_unreadable",
        format!("This is {what}, and the line {} cannot be divided into its columns.", quoted(line.trim())),
        hint,
    )
}

/// `inst# actual predicted error prediction`, where an error is a plus sign or nothing, up to an empty line.
fn weka(text: &str, at: usize) -> Result<String> {
    let mut lines = text.lines().skip(at);
    let names: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let unreadable = |line: &str| unreadable("a list of predictions from Weka", line, WEKA_TO_CSV);
    let ["inst#", "actual", "predicted", "error", value @ ("prediction" | "distribution"), ..] = names.as_slice()
    else {
        return Err(unreadable(&names.join(" ")));
    };
    let mut rows = format!("inst#,actual,predicted,error,{value}\n");
    for line in lines.skip_while(|line| line.trim().is_empty()).take_while(|line| !line.trim().is_empty()) {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // Attributes that were asked for are in brackets.
        words.pop_if(|word| word.starts_with('(') && word.ends_with(')'));
        let (cells, error, value) = match words.as_slice() {
            [number, actual, predicted, value] => ([number, actual, predicted], "", value),
            [number, actual, predicted, "+", value] => ([number, actual, predicted], "+", value),
            _ => return Err(unreadable(line)),
        };
        for cell in cells {
            rows.push_str(&format!("\"{}\",", cell.replace('"', "\"\"")));
        }
        rows.push_str(&format!("{error},{value}\n"));
    }
    Ok(rows)
}

/// Pages of `proc print`: titles, the names, and a numbered row for each observation.
fn sas(text: &str, at: usize) -> Result<String> {
    let cells = |line: &str| line.split_whitespace().collect::<Vec<_>>().join("|");
    let plain = |line: &str| shape(&line.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut lines = text.lines().map(|line| line.trim_matches(['\u{c}', ' ']));
    let titles: Vec<String> = lines.by_ref().take(at).filter(|line| !line.is_empty()).map(plain).collect();
    let names = cells(lines.next().unwrap_or_default());
    let width = names.matches('|').count();
    let mut rows = format!("{names}\n");
    for line in lines.filter(|line| !line.is_empty()) {
        let row = cells(line);
        let numbered = row.split('|').next().is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        if numbered && row.matches('|').count() == width {
            rows.push_str(&row);
            rows.push('\n');
        } else if row != names && !titles.contains(&plain(line)) {
            return Err(unreadable("a listing of SAS (PROC PRINT)", line, SAS_TO_CSV));
        }
    }
    Ok(rows)
}

/// `list` of Stata: a frame of lines, names above, and `1. |` before each row.
fn stata(text: &str) -> Result<String> {
    let is_rule = |line: &str| line.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'|'));
    let mut names: Option<String> = None;
    let mut rows = String::with_capacity(text.len());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_rule(line)) {
        let divided = line.split_once('|').and_then(|(number, rest)| Some((number.trim(), rest.strip_suffix('|')?)));
        let Some((number, cells)) = divided else {
            // a command and its prompt
            if line.starts_with('.') {
                continue;
            }
            return Err(unreadable("a list of Stata", line, STATA_TO_CSV));
        };
        let row = cells.split_whitespace().collect::<Vec<_>>().join("|");
        let fits = match &names {
            None => number.is_empty(),
            Some(names) if number.is_empty() && *names == row => continue,
            Some(names) => number.ends_with('.') && row.matches('|').count() == names.matches('|').count(),
        };
        if !fits {
            return Err(unreadable("a list of Stata", line, STATA_TO_CSV));
        }
        rows.push_str(&row);
        rows.push('\n');
        names.get_or_insert(row);
    }
    Ok(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn predictions_of_weka() {
        let head = "\n=== Predictions on test data ===\n\n    inst#     actual  predicted error";
        let rows = "    1       1:no      2:yes   +   0.75 \n    2       1:no       1:no       0.9 (34)\n";
        let text = format!("{head} prediction\n{rows}\n=== Summary ===\n");
        let names = "inst#,actual,predicted,error,prediction";
        let rows = "\"1\",\"1:no\",\"2:yes\",+,0.75\n\"2\",\"1:no\",\"1:no\",,0.9\n";
        assert_eq!(unlisted(&text).unwrap(), format!("{names}\n{rows}"));
        let text = format!("{head} distribution\n  1  1:no  1:no      *0.9,0.1\n");
        assert!(unlisted(&text).unwrap().ends_with("\"1\",\"1:no\",\"1:no\",,*0.9,0.1\n"));
        let error = unlisted(&format!("{head} prediction\n 1 1:very rare 1:no 0.9\n")).unwrap_err();
        assert!(error.hint().contains("Output predictions"), "{error}");
    }

    #[test]
    fn pages_of_sas() {
        let title = "                 The SAS System       10:15 Friday, March 1, 2024";
        let names = "\n\n Obs  id  p\n\n";
        let text = format!("{title}   1{names}  1   7  .5\n\u{c}{title}   2{names}  2   8   .\n");
        assert_eq!(unlisted(&text).unwrap(), "Obs|id|p\n1|7|.5\n2|8|.\n");
        let error = unlisted(&text.replace("8   .", "8")).unwrap_err();
        assert!(error.hint().contains("proc export"), "{error}");
    }

    #[test]
    fn lists_of_stata() {
        let (end, rule) = ("     +-----------+\n", "     |-----------|\n");
        let rows = "  1. | 1     .25 |\n  2. | 0      .5 |\n";
        let text = &format!(". list\n\n{end}     | y       p |\n{rule}{rows}{end}");
        assert_eq!(unlisted(text).unwrap(), "y|p\n1|.25\n0|.5\n");
        let error = unlisted(&text.replace(".25", "a b")).unwrap_err();
        assert!(error.hint().contains("export delimited"), "{error}");
    }

    #[test]
    fn other_texts_are_not_touched() {
        for text in ["Obs,p\n1,0.5\n", "Obs  p\n1  0.5\n2  0.4\n", "inst#,actual,predicted\n1,1:a,1:a\n", "a | b\n"] {
            assert!(matches!(unlisted(text).unwrap(), Cow::Borrowed(_)), "{text}");
        }
    }
}
