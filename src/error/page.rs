//! What a message calls the things that a person can change: a script gives options, a person at the page uses controls.
//!
//! Messages are written once, for scripts; here stands what the page says in place of each option that some message
//! names. A test reads every message in the source and fails on an option that has no words for the page.

/// Option as messages name it, and what the page says instead. A longer phrase stands before a part of it.
const FORMS: &[(&str, &str)] = &[
    // opening: the step Columns
    (
        "Say which column is what, for example roles: { died: \"label\", risk: \"probability\" }.",
        "Say which column is what in the lists under their names.",
    ),
    ("roles: no column", "No column"),
    ("eave such rows out (rows: \"drop\")", "eave such rows out (“A row with an unusable value” in the step Columns)"),
    (" (renormalise: true)", " (the button below)"),
    ("Use view: \"top_label\".", "Choose “Confidence of the predicted class” under “Look at” in the step Columns."),
    (" (scripts: view \"positive\")", ""),
    ("Write { half: true }, or leave it out.", "Choose another way under “Rows are divided” in the step Columns."),
    (
        "open the data with split: { folds: 5 } or { half: true }",
        "choose 5-fold cross-fitting or a random half under “Rows are divided” in the step Columns",
    ),
    (
        "Open the data with split: { folds: 5 }, or ask for seeds.",
        "Choose 5-fold cross-fitting under “Rows are divided” in the step Columns, or bands over divisions.",
    ),
    ("split: ", "Rows are divided: "),
    ("positive: ", "Counted as 1: "),
    ("role `confidence`", "role “confidence of the prediction”"),
    ("role `probability`", "role “probability”"),
    ("role `label`", "role “label (outcome)”"),
    ("role `ignore`", "role “not used”"),
    ("role ignore", "role “not used”"),
    // runs and methods: the steps Where and Repair
    (
        "Run some first: methods: [\"none\", \"temperature\", \"platt\"].",
        "Repair the predictions with some first, in the step Repair.",
    ),
    ("Run them first, or leave “methods” out.", "Repair the predictions with them first, in the step Repair."),
    (
        "Name them in parameters.features, in proximity.features or in local.features.",
        "Give columns the role feature in the step Columns.",
    ),
    ("Name them in parameters.features or in local.features.", "Give columns the role feature in the step Columns."),
    (
        "Name the features in parameters.features or in local.features.",
        "Give columns the role feature in the step Columns.",
    ),
    ("Name them in proximity.features or in local.features.", "Give columns the role feature in the step Columns."),
    ("Name them in local.features", "Give columns the role feature in the step Columns"),
    (", or name one in parameters.groups", " in the step Columns"),
    (" (scripts: name one in `covariate`)", ""),
    (
        "Name a numeric column in `of`, or a column with groups in `group`.",
        "In the step Columns give a numeric column the role feature, or another one the role group.",
    ),
    ("Leave out `by`, or `others`.", "Divide the rows, or add files: not both."),
    ("Leave `repeats` out, or `by`.", "Leave “divide the rows how often” empty."),
    ("Ask for 1, name a column of repeats in `by`, or choose", "Divide the rows once, or choose"),
    ("Leave `bins` out for 15 equal-width bins.", "Leave the number of bins empty for 15 of equal width."),
    // settings of methods that the page leaves alone: only scripts give them
    ("parameters.by is one of", "It chooses by one of"),
    ("parameters.folds is 2 to 20", "Inner folds are 2 to 20"),
    ("other methods in parameters.of", "other methods to choose from"),
    ("Give box: [x0, x1, y0, y1], polygon: [[x, y], …] or rows: [0, 4, …].", "Draw round some rows of the map."),
    ("Name another method of the calibrator in `method`.", "Repair with another method, and export that."),
    ("which `method` it is and what it `looks_at`", "which method it is and what it looks at"),
    (
        "Give the JSON that the export `calibrator` wrote, unchanged.",
        "Choose a calibrator.json that the step Report wrote, unchanged.",
    ),
    // names of numbers
    ("width_p", "width on scores"),
    ("prob_clip", "clip of scores"),
    ("cross_fit", "cross-fitting"),
    ("min_rows", "least rows"),
    ("min_group", "least rows of a group"),
    ("most_steps", "most steps"),
];

/// What the page says in place of a text that was written for scripts. O(length × forms), and only for failures.
pub(super) fn on_page(text: &str) -> String {
    FORMS.iter().fold(
        text.to_owned(),
        |text, (script, page)| {
            if text.contains(script) { text.replace(script, page) } else { text }
        },
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::on_page;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Every source file below a folder.
    fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                into.push(path);
            }
        }
    }

    /// The texts of a file that are written in it, without its tests and its comments.
    fn texts(source: &str) -> Vec<String> {
        let code = source.split("#[cfg(test)]\nmod ").next().unwrap();
        let mut found = Vec::new();
        let mut rest = code.chars().peekable();
        let mut before = ' ';
        while let Some(c) = rest.next() {
            match c {
                '/' if rest.peek() == Some(&'/') => while rest.next().is_some_and(|c| c != '\n') {},
                // the letter '"' is no text
                '"' if before != '\'' && before != '\\' => {
                    let mut text = String::new();
                    while let Some(c) = rest.next() {
                        match (c, c == '\\') {
                            ('"', _) => break,
                            (_, true) => match rest.next() {
                                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                                Some(c) => text.push(c),
                                None => {}
                            },
                            _ => text.push(c),
                        }
                    }
                    found.push(text.replace("{{", "{").replace("}}", "}"));
                }
                _ => {}
            }
            before = c;
        }
        found
    }

    /// Names of the options of opening, runs, analyses and methods: the fields of what is read from a script.
    fn options(source: &str) -> impl Iterator<Item = String> + '_ {
        source.lines().filter_map(|line| {
            let name = line.trim_start().strip_prefix("pub ")?.split_once(':')?.0;
            let plain = name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            plain.then(|| name.to_owned())
        })
    }

    /// The option that a text names as a script writes it, if any.
    fn named<'a>(text: &str, options: &'a BTreeSet<String>) -> Option<&'a str> {
        let written = |name: &&String| {
            let starts = ["\"", "{ ", "[", "true", "false"].map(|value| format!("{name}: {value}"));
            let inside = ["parameters", "local", "proximity"].map(|all| format!("{all}.{name}"));
            let whole = |word: &str| {
                let at = text.find(word);
                at.is_some_and(|i| {
                    let letter = |c: char| c.is_alphanumeric() || c == '_';
                    !text[..i].chars().next_back().is_some_and(letter)
                })
            };
            starts.iter().any(|start| whole(start))
                || inside.iter().any(|start| whole(start))
                || text.contains(&format!("`{name}`"))
                || text.contains(&format!("“{name}”"))
                || (name.contains('_') && text.contains(' ') && whole(name))
        };
        options.iter().find(written).map(String::as_str)
    }

    #[test]
    fn no_message_names_an_option_on_the_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        sources(&root, &mut files);
        let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
        let of_options = |path: &&PathBuf| path.ends_with("request.rs") || path.ends_with("data/options.rs");
        let known: BTreeSet<String> =
            files.iter().filter(of_options).flat_map(|path| options(&read(path)).collect::<Vec<_>>()).collect();
        assert!(known.contains("rows") && known.contains("resamples"), "{known:?}");
        // what is written into files for programs, what stands in this file, and what tests say
        let aside = |path: &&PathBuf| {
            let name = path.to_string_lossy();
            !["calibrator/snippet", "error/page.rs", "tests", "fixtures"].iter().any(|part| name.contains(part))
        };
        let (mut named_in_script, mut wrong) = (0, Vec::new());
        for path in files.iter().filter(aside) {
            for text in texts(&read(path)) {
                if named(&text, &known).is_some() {
                    named_in_script += 1;
                }
                let page = on_page(&text);
                if let Some(option) = named(&page, &known) {
                    wrong.push(format!("{}: {option}: {page}", path.display()));
                }
            }
        }
        assert!(named_in_script > 10, "the test reads no messages");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_control_stands_where_a_script_gives_an_option() {
        let hint = "Correct it; leave such rows out (rows: \"drop\"), or fix the file.";
        assert_eq!(
            on_page(hint),
            "Correct it; leave such rows out (“A row with an unusable value” in the step Columns), or fix the file."
        );
        assert_eq!(
            on_page("split: no column has the name `when`."),
            "Rows are divided: no column has the name `when`."
        );
        assert_eq!(on_page("Nothing to replace."), "Nothing to replace.");
    }
}
