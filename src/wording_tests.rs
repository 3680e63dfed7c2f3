//! No text tells the page or a terminal of an option in the words of a script, and what stands in people's data is told
//! as it stands.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::data::{OpenOptions, Predictions, assemble};
use crate::error::phrases::*;
use crate::error::{CODES, Error, Interface, message};
use crate::evaluation::method::MethodSpec;
use crate::feature::FeatureChoice;
use crate::metric::BinOptions;
use crate::request::message::read;

#[path = "../tests/support/source.rs"]
#[allow(dead_code)]
mod source;

/// Folders of what is told.
const CORE: &[&str] =
    &["src", "crates/ground/src", "crates/methods/src", "crates/numerics/src", "crates/plot/src", "crates/tables/src"];

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

/// Whether what follows a brace is the place of a value in a format: `name}`, `:.2}`.
fn place_of_value(rest: &str) -> Option<usize> {
    let end = rest.find('}')?;
    rest[..end].chars().all(|c| c.is_ascii_alphanumeric() || "_:.?#<>^+*$".contains(c)).then_some(end)
}

/// A text without the places of values, and with single braces.
fn without_places(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            out.push_str(brace);
            rest = after;
        } else if let Some(end) = (brace == "{").then(|| place_of_value(rest)).flatten() {
            out.push('…');
            rest = &rest[end + 1..];
        } else {
            out.push_str(brace);
        }
    }
    out + rest
}

/// The texts of a file, without its tests, its comments and the places of values.
fn texts(source: &str) -> Vec<String> {
    source::texts(&source::without_tests(source)).iter().map(|text| without_places(text)).collect()
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

/// Every option that a script may give, and every file of the core.
fn known() -> (BTreeSet<String>, Vec<(PathBuf, String)>) {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    CORE.iter().for_each(|folder| sources(&root.join(folder), &mut files));
    let files: Vec<(PathBuf, String)> =
        files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect();
    let of_options = |path: &Path| path.ends_with("request.rs") || path.ends_with("data/options.rs");
    let known = files.iter().filter(|(path, _)| of_options(path)).flat_map(|(_, source)| options(source));
    // the files of a document; the same word is a way to divide rows, which people read as it is. The confidence of a risk
    // limit; the same word is a column, and a field of evaluation logs
    let known: BTreeSet<String> = known.filter(|name| name != "files" && name != "confidence").collect();
    assert!(known.contains("rows") && known.contains("resamples"), "{known:?}");
    (known, files)
}

#[test]
fn no_text_that_is_told_alike_names_an_option() {
    let (known, files) = known();
    // what is written into files for programs, the phrases, and what tests say
    let aside = |path: &Path| {
        let name = path.to_string_lossy();
        !["calibrator/snippet", "error/phrases", "tests", "fixtures"].iter().any(|part| name.contains(part))
    };
    // these are told as phrases: `unread` knows them whole
    let of_readers = |text: &str| WRITTEN.iter().any(|phrase| phrase.worded_for(Interface::Script) == text);
    let (mut read, mut wrong) = (0, Vec::new());
    for (path, source) in files.iter().filter(|(path, _)| aside(path)) {
        for text in texts(source).iter().filter(|text| !of_readers(text)) {
            read += 1;
            wrong.extend(named(text, &known).map(|option| format!("{}: {option}: {text}", path.display())));
        }
    }
    assert!(read > 3_000, "the test reads {read} texts");
    assert!(wrong.is_empty(), "take a phrase of crates/ground/src/error/phrases.rs:\n{}", wrong.join("\n"));
}

#[test]
fn no_phrase_names_an_option_on_the_page_or_writes_one_as_a_script_in_the_terminal() {
    let (known, _) = known();
    let mut of_scripts = 0;
    for (name, phrase) in ALL {
        of_scripts += usize::from(named(phrase.worded_for(Interface::Script), &known).is_some());
        assert_eq!(named(phrase.worded_for(Interface::Page), &known), None, "{name}");
        assert_eq!(written(phrase.worded_for(Interface::Terminal), &known), None, "{name}");
    }
    assert!(of_scripts > 10, "{of_scripts} phrases name an option to scripts");
}

#[test]
fn the_test_finds_options_in_texts() {
    let (known, _) = known();
    for text in [
        "Exclude such rows (rows: \"drop\").",
        "Name them in local.features.",
        "Leave `repeats` out.",
        "Leave “methods” out.",
        "width_p is 0.",
    ] {
        assert!(named(text, &known).is_some(), "{text}");
    }
    assert_eq!(
        without_places("{min_rows} rows, {}, {x:.2}, {{ half: true }} and { id }"),
        "… rows, …, …, { half: true } and { id }"
    );
}

#[test]
fn every_code_is_told_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in CORE.iter().chain(&["crates/page/src", "crates/cli/src", "www"]) {
        sources(&root.join(folder), &mut files);
    }
    let told = |path: &PathBuf| !path.ends_with("ground/src/error.rs") && !path.to_string_lossy().contains("tests");
    let all: Vec<String> =
        files.iter().filter(|path| told(path)).map(|path| fs::read_to_string(path).unwrap()).collect();
    for (code, _) in CODES {
        let written = [format!("\"{code}\""), format!("'{code}'")];
        assert!(written.iter().any(|code| all.iter().any(|text| text.contains(code))), "nothing tells {code}");
    }
}

/// What readers say is one of the phrases, whole: the words stand at the types, too.
#[test]
fn what_readers_expect_is_told_as_a_phrase() {
    let nonsense = || serde_json::json!([[{ "no": "such" }]]);
    let said = [
        read::<crate::data::SplitOption>(nonsense()).unwrap_err().to_string(),
        read::<FeatureChoice>(nonsense()).unwrap_err().to_string(),
        read::<MethodSpec>(nonsense()).unwrap_err().to_string(),
        read::<BinOptions>(nonsense()).unwrap_err().to_string(),
    ];
    for (said, phrase) in said.iter().zip(WRITTEN) {
        assert_eq!(said, phrase.worded_for(Interface::Script));
        assert_eq!(unread(said).worded_for(Interface::Terminal), phrase.worded_for(Interface::Terminal));
    }
    assert_eq!(unread(&"unknown field `width_p`").worded_for(Interface::Page), "unknown field `width_p`");
}

#[test]
fn a_control_or_a_flag_stands_where_a_script_gives_an_option() {
    let hint = message!["Exclude such rows ", DROP_ROWS, ", or correct the file."];
    assert_eq!(hint.to_string(), "Exclude such rows (rows: \"drop\"), or correct the file.");
    assert_eq!(
        hint.worded_for(Interface::Page),
        "Exclude such rows (“Rows with invalid values” under Data), or correct the file."
    );
    assert_eq!(hint.worded_for(Interface::Terminal), "Exclude such rows (--rows drop), or correct the file.");
    assert_eq!(setting("cross_fit").worded_for(Interface::Page), "cross-fitting");
    assert_eq!(setting("gamma").worded_for(Interface::Page), "gamma");
}

fn opened(text: &str, options: &str) -> crate::error::Result<Predictions> {
    let file = crate::read::read("a.csv", text.as_bytes(), &mut |_| ())?;
    let options: OpenOptions = serde_json::from_str(options).unwrap();
    assemble(&[file], &options).map(|(data, _)| data)
}

/// Whatever a column, a label or a file is called, its name stands in the message as it is, for everybody.
#[test]
fn data_that_read_like_a_phrase_are_told_as_they_are() {
    // every phrase of a script that is more than a word, and words that used to be rewritten
    let phrases = ALL.iter().map(|(_, phrase)| phrase.worded_for(Interface::Script).to_owned());
    let more = ["split: north", "role ignore", "positive: x", "width_p", "model: a", "Drop a file", "min_rows 3"];
    for name in phrases.chain(more.map(str::to_owned)).filter(|name| name.chars().count() <= 60) {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        let text = format!("y,p,{quoted}\n1,0.5,a\n0,0.2,b\n");
        let told = |options: &str| {
            let error: Error = opened(&text, options).map(|_| ()).unwrap_err();
            let (page, terminal) = (error.on_page(), error.in_terminal());
            [(error.to_string(), error.hint()), page, terminal]
        };
        for (message, hint) in told("{ \"split\": { \"column\": \"elsewhere\" } }") {
            assert!(hint.contains(&format!("`{name}`")), "{name}: {message} {hint}");
        }
        let wished = serde_json::json!({ "split": { "column": name, "calibration": [name] } });
        for (message, hint) in told(&wished.to_string()) {
            let of = format!("`{name}` does not occur in column `{name}`.");
            assert!(message.ends_with(&of), "{name}: {message} {hint}");
        }
    }
}
