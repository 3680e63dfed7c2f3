//! What a message calls the things that a person can change: a script gives options, a person at the page uses controls,
//! one at a terminal gives flags.
//!
//! Messages are written once, for scripts; here stands what the page and the terminal say in place of each option that some
//! message names. A test reads every message in the source and fails on an option that has no words for one of them.

/// Option as messages name it; what the page says instead; what the terminal says. A longer phrase stands before a part of
/// it.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "a condition names `values`, or numbers `from` and `below`, or dates `from` and `before`, or `missing: true`",
        "a condition names values, or a range of numbers or dates, or says that there is no value",
        "a condition names values, or a range of numbers or dates, or says that there is no value",
    ),
    (
        "Open the file with a session (open(files, { session })), or hand one over: the JSON of the export `session`.",
        "Drop the session file of last time together with the new file.",
        "Hand a session over: the JSON that its export wrote.",
    ),
    (
        "Give the JSON that the export `session` wrote, unchanged.",
        "Give the session file that the page saved, unchanged.",
        "Give the JSON that the export of a session wrote, unchanged.",
    ),
    // opening: the view Data
    (
        "Say which column is what, for example roles: { died: \"label\", risk: \"probability\" }.",
        "Say which column is what in the lists under their names.",
        "Say which column is what, for example --label died --probability risk.",
    ),
    ("roles: no column", "No column", "No column"),
    (
        "eave such rows out (rows: \"drop\")",
        "eave such rows out (“A row with an unusable value” under Data)",
        "eave such rows out (--rows drop)",
    ),
    (" (renormalise: true)", " (the button below)", " (--renormalise)"),
    (
        "Use view: \"top_label\".",
        "Choose “Confidence of the predicted class” under “Look at” under Data.",
        "Use --view top_label.",
    ),
    (
        "Under Data look at the probability of the positive class (scripts: view \"positive\")",
        "Under Data look at the probability of the positive class",
        "Look at the probability of the positive class (--view positive)",
    ),
    (
        "Write { half: true }, or leave it out.",
        "Choose another way under “Rows are divided” (rows, in the line at the top).",
        "Write --split half, or leave it out.",
    ),
    (
        "Ask for 1, name a column of repeats in `by`, or open the data with split: { folds: 5 } or { half: true }.",
        "Divide the rows once, or choose 5-fold cross-fitting or a random half under “Rows are divided” (rows, in the line at the top).",
        "Ask for 1, name a column of repeats with --by, or divide the rows with --folds 5 or --split half.",
    ),
    (
        "Open the data with split: { folds: 5 }, or ask for seeds.",
        "Choose 5-fold cross-fitting under “Rows are divided” (rows, in the line at the top), or bands over divisions.",
        "Divide the rows with --folds 5, or ask for --seeds.",
    ),
    ("split: ", "Rows are divided: ", "--split: "),
    ("positive: ", "Counted as 1: ", "--positive: "),
    ("role `confidence`", "role “confidence of the prediction”", "role `confidence`"),
    ("role `probability`", "role “probability”", "role `probability`"),
    ("role `label`", "role “label (outcome)”", "role `label`"),
    ("role `ignore`", "role “not used”", "role `ignore` (--ignore)"),
    ("role ignore", "role “not used”", "role ignore (--ignore)"),
    // runs and methods: the steps Where and Repair
    (
        "Run some first: methods: [\"none\", \"temperature\", \"platt\"].",
        "Repair the predictions with some first, with the repair in the line at the top.",
        "Name some: --methods temperature,platt.",
    ),
    (
        "Run them first, or leave “methods” out.",
        "Repair the predictions with them first, with the repair in the line at the top.",
        "Name them in --methods.",
    ),
    (
        "Name them in parameters.features, in proximity.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    ),
    (
        "Name them in parameters.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    ),
    (
        "Name the features in parameters.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name the features with --features.",
    ),
    (
        "Name them in proximity.features or in local.features.",
        "Give columns the role feature under Data.",
        "Name them with --features.",
    ),
    ("Name them in local.features", "Give columns the role feature under Data", "Name them with --features"),
    (", or name one in parameters.groups", " under Data", " (--group)"),
    (" under Data (scripts: name one in `covariate`)", " under Data", ", or name one with --covariate"),
    (
        "Name a numeric column in `of`, or a column with groups in `group`.",
        "Under Data give a numeric column the role feature, or another one the role group.",
        "Name a numeric column with --of, or a column with groups with --group.",
    ),
    ("Leave out `by`, or `others`.", "Divide the rows, or add files: not both.", "Leave out --by, or --other."),
    ("Leave `repeats` out, or `by`.", "Leave “divide the rows how often” empty.", "Leave --repeats out, or --by."),
    (
        "Leave `bins` out for 15 equal-width bins.",
        "Leave the number of bins empty for 15 of equal width.",
        "Leave --bins out for 15 equal-width bins.",
    ),
    // settings of methods that the page leaves alone: only scripts give them
    ("parameters.by is one of", "It chooses by one of", "It chooses by one of"),
    ("parameters.folds is 2 to 20", "Inner folds are 2 to 20", "Inner folds are 2 to 20"),
    ("other methods in parameters.of", "other methods to choose from", "other methods to choose from"),
    (
        "Give box: [x0, x1, y0, y1], polygon: [[x, y], …] or rows: [0, 4, …].",
        "Draw round some rows of the map.",
        "Give --box x0,x1,y0,y1, or --polygon with the corners as a list of pairs.",
    ),
    (
        "Name another method of the calibrator in `method`.",
        "Repair with another method, and export that.",
        "Name another method of the calibrator with --method.",
    ),
    (
        "which `method` it is and what it `looks_at`",
        "which method it is and what it looks at",
        "which method it is and what it looks at",
    ),
    (
        "Give the JSON that the export `calibrator` wrote, unchanged.",
        "Choose a calibrator.json that the view Report wrote, unchanged.",
        "Give the calibrator.json that `localcal recalibrate` or the page wrote, unchanged.",
    ),
];

/// Names of numbers that the page calls by its own names; in the terminal they are called as in scripts.
const ON_PAGE: &[(&str, &str)] = &[
    ("width_p", "width on scores"),
    ("prob_clip", "clip of scores"),
    ("cross_fit", "cross-fitting"),
    ("min_rows", "least rows"),
    ("min_group", "least rows of a group"),
    ("most_steps", "most steps"),
];

/// What scripts and the page say alike, and the terminal otherwise.
const IN_TERMINAL: &[(&str, &str)] = &[
    // opening
    ("model: ", "--model: "),
    (
        "split is \"auto\", { folds: 5 }, { half: true }, { column, calibration }, { first: n } or { files: true }",
        "--split is auto, half, files, first:N, COLUMN, or COLUMN=VALUE,… (these calibrate); --folds gives a number of folds",
    ),
    (
        "Give a column the role P(y = 1), probabilities, logits or confidence.",
        "Name it with --probability, or give a column the role logits or confidence (--roles COLUMN=ROLE).",
    ),
    (
        "Give a column the role label, or correct, or add the file that holds the labels.",
        "Name it with --label, give a column the role correct (--roles COLUMN=correct), or add the file that holds the labels.",
    ),
    ("Give a column the role label.", "Name it with --label."),
    ("Give the role label to", "Give the role label (--label) to"),
    (
        "Give the other classes' columns the role `probability`; or give this one the role `confidence` and name the predicted label.",
        "Name the columns of all classes with --probability; or give this one the role confidence and the predicted label the role predicted (--roles COLUMN=ROLE).",
    ),
    ("give the column the reading percent", "give the column the role percent (--roles COLUMN=percent)"),
    ("Give it the role of a probability, and", "Name it with --probability, and"),
    ("open the file with unusable rows left out", "leave unusable rows out (--rows drop)"),
    (
        "Open the file in the view that the calibrator was fitted in.",
        "Open the file in the view that the calibrator was fitted in (--view).",
    ),
    ("Open the file with the same positive label.", "Open the file with the same positive label (--positive)."),
    ("Drop a file", "Give a file"),
    ("Drop the table", "Give the table"),
    ("drop the file again", "give it again"),
    ("then drop the CSV", "then give the CSV"),
    ("and drop what", "and give what"),
    ("and drop that", "and give that"),
    ("and drop the", "and give the"),
    // runs and methods
    ("Compare with the typed interface.", "The --help of the command says what each option takes."),
    ("See the README for what each method takes.", "`localcal list methods --long` says what each method takes."),
    (
        "features are a name, a list of names, or { pca, of } with a whole number and a list of names",
        "features are names of columns with commas between them, or pca:2 for principal components",
    ),
    (
        "a method is an id, or { id, name, parameters } with nothing else in it",
        "a method is an id, or an object of id, name and parameters with nothing else in it",
    ),
    (
        "bins are a number, or { count, scheme, closed, edges }",
        "bins are a number, or an object of count, scheme, closed and edges",
    ),
    (": { id, name, parameters }.", ": --methods takes a list of objects with id, name and parameters, too."),
    ("Write { id: \"", "Write `"),
    (
        "\", parameters: { base: { … }, … } }.",
        "` with an object as its parameters; those of the first method stand in its field base.",
    ),
    ("Add compat: \"pmcboost\"", "Set compat to pmcboost"),
    (
        "Open the file with a column of categories, or give one the role group.",
        "Open a file with a column of categories, or name one with --group.",
    ),
    ("Give one or more columns the role feature.", "Name them with --features."),
    (
        "Choose one or more numeric columns that describe the rows.",
        "Name one or more numeric columns that describe the rows with --features.",
    ),
    ("or give columns the role feature", "or give columns the role feature (--feature)"),
    // questions
    ("Swap gammas.low and gammas.high.", "Swap low and high of --gammas."),
    ("Draw it around some points.", "Put it around some points."),
];

/// What the page says in place of a text that was written for scripts. O(length × forms), and only for failures.
pub(super) fn on_page(text: &str) -> String {
    let forms = FORMS.iter().map(|&(script, page, _)| (script, page));
    replaced(text, forms.chain(ON_PAGE.iter().copied()))
}

/// What the terminal says in place of a text that was written for scripts. O(length × forms), and only for failures.
pub(super) fn in_terminal(text: &str) -> String {
    let forms = FORMS.iter().map(|&(script, _, terminal)| (script, terminal));
    replaced(text, IN_TERMINAL.iter().copied().chain(forms))
}

fn replaced<'a>(text: &str, forms: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    forms.fold(
        text.to_owned(),
        |text, (script, own)| {
            if text.contains(script) { text.replace(script, own) } else { text }
        },
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{FORMS, IN_TERMINAL, in_terminal, on_page};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Every source file below a folder.
    fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|kind| ["rs", "ts", "tsx"].iter().any(|known| kind == *known)) {
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

    /// Whether a word stands in a text, not within a longer one.
    fn whole(text: &str, word: &str) -> bool {
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        text.find(word).is_some_and(|i| !text[..i].chars().next_back().is_some_and(letter))
    }

    /// The option that a text names as a script writes it, if any.
    fn written<'a>(text: &str, options: &'a BTreeSet<String>) -> Option<&'a str> {
        let written = |name: &&String| {
            let starts = ["\"", "{ ", "[", "true", "false"].map(|value| format!("{name}: {value}"));
            let inside = ["parameters", "local", "proximity"].map(|all| format!("{all}.{name}"));
            starts.iter().chain(&inside).any(|start| whole(text, start))
                || text.contains(&format!("`{name}`"))
                || text.contains(&format!("“{name}”"))
        };
        options.iter().find(written).map(String::as_str)
    }

    /// The same, or by a name that is no word.
    fn named<'a>(text: &str, options: &'a BTreeSet<String>) -> Option<&'a str> {
        let no_word = |name: &&String| name.contains('_') && text.contains(' ') && whole(text, name);
        written(text, options).or_else(|| options.iter().find(no_word).map(String::as_str))
    }

    #[test]
    fn no_message_names_an_option_on_the_page_or_writes_one_as_a_script_in_the_terminal() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        sources(&root, &mut files);
        let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
        let of_options = |path: &&PathBuf| path.ends_with("request.rs") || path.ends_with("data/options.rs");
        let known: BTreeSet<String> =
            files.iter().filter(of_options).flat_map(|path| options(&read(path)).collect::<Vec<_>>()).collect();
        assert!(known.contains("rows") && known.contains("resamples"), "{known:?}");
        // a document is told of the files; the same word is a way to divide rows, which people are told of as it is
        let known: BTreeSet<String> = known.into_iter().filter(|name| name != "files").collect();
        // what is written into files for programs, what stands in this file, and what tests say
        let aside = |path: &&PathBuf| {
            let name = path.to_string_lossy();
            !["calibrator/snippet", "error/forms.rs", "tests", "fixtures"].iter().any(|part| name.contains(part))
        };
        let (mut named_in_script, mut wrong) = (0, Vec::new());
        for path in files.iter().filter(aside) {
            for text in texts(&read(path)) {
                named_in_script += usize::from(named(&text, &known).is_some());
                let (page, terminal) = (on_page(&text), in_terminal(&text));
                let told = [(named(&page, &known), &page), (written(&terminal, &known), &terminal)];
                let options = told.into_iter().filter_map(|(option, text)| Some((option?, text)));
                wrong.extend(options.map(|(option, text)| format!("{}: {option}: {text}", path.display())));
            }
        }
        assert!(named_in_script > 10, "the test reads no messages");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_code_is_told_somewhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["src", "crates/page/src", "crates/cli/src", "www"] {
            sources(&root.join(folder), &mut files);
        }
        let told = |path: &PathBuf| !path.ends_with("src/error.rs") && !path.to_string_lossy().contains("tests");
        let all: Vec<String> =
            files.iter().filter(|path| told(path)).map(|path| fs::read_to_string(path).unwrap()).collect();
        for (code, _) in super::super::CODES {
            let written = [format!("\"{code}\""), format!("'{code}'")];
            assert!(written.iter().any(|code| all.iter().any(|text| text.contains(code))), "nothing tells {code}");
        }
    }

    #[test]
    fn what_stands_before_a_part_of_it_is_longer() {
        let page: Vec<&str> = FORMS.iter().map(|form| form.0).collect();
        let terminal: Vec<&str> = IN_TERMINAL.iter().map(|form| form.0).chain(page.iter().copied()).collect();
        for forms in [page, terminal] {
            for (i, form) in forms.iter().enumerate() {
                let shadowed = forms[..i].iter().find(|before| form.contains(**before));
                assert_eq!(shadowed, None, "{form} is never reached");
            }
        }
    }

    #[test]
    fn a_control_or_a_flag_stands_where_a_script_gives_an_option() {
        let hint = "Correct it; leave such rows out (rows: \"drop\"), or fix the file.";
        assert_eq!(
            on_page(hint),
            "Correct it; leave such rows out (“A row with an unusable value” under Data), or fix the file."
        );
        assert_eq!(
            on_page("split: no column has the name `when`."),
            "Rows are divided: no column has the name `when`."
        );
        assert_eq!(on_page("Nothing to replace."), "Nothing to replace.");
        assert_eq!(in_terminal(hint), "Correct it; leave such rows out (--rows drop), or fix the file.");
        assert_eq!(in_terminal("Name them in local.features."), "Name them with --features.");
        assert_eq!(
            in_terminal("In Python: `np.savez(\"predictions.npz\", probs=probs)`."),
            "In Python: `np.savez(\"predictions.npz\", probs=probs)`."
        );
    }
}
