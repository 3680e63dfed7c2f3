//! Retired terms do not come back into what people read: every text in the core and the terminal, and the docstrings that are
//! printed as help or published as types, are compared with a list.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::source::{published_docstrings, texts, without_tests};

/// Terms, and what stands for them.
const RETIRED: &[(&str, &str)] = &[
    ("hardly", "statistically significant (adjusted p = …)"),
    ("by more than chance", "significant"),
    ("beyond chance", "significant"),
    ("too high", "overestimated"),
    ("too low", "underestimated"),
    ("four times in five", "80% power"),
    ("four times out of five", "80% power"),
    ("as they are", "original predictions"),
    ("asked for", "requested"),
    ("everybody", "all rows"),
    ("somebody", "a subgroup"),
    ("alike", "similar"),
    ("trust test", "KLCE calibration test"),
    ("hangs on", "depends on"),
    ("what happened", "observed"),
    ("share that happened", "observed proportion"),
    ("it happens", "observed"),
    ("It says", "predicted"),
    ("neighbourhoods", "neighborhoods"),
    ("colour", "color"),
    ("standardis", "standardiz"),
    ("recognis", "recogniz"),
    ("minimis", "minimiz"),
    ("regularis", "regulariz"),
    ("penalis", "penaliz"),
    ("centre", "center"),
    ("95 %", "95%"),
    (" repairs", "recalibration methods"),
    ("slices", "subgroups"),
    ("looked at", "evaluated"),
    ("furthest", "farthest"),
    ("at nought", "at zero"),
    ("off by ", "error of"),
    ("right within chance", "not significant"),
    ("Silence is no proof", "Power is limited"),
];

/// Texts that may hold a term, each with the reason.
const EXCEPT: &[(&str, &str)] = &[
    // ids of the scripted interface
    ("looked_at", "looked at"),
    ("permute_centred", "centre"),
];

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

/// Docstrings that people read: the terminal's help, the descriptions of the options of requests, and the types of the scripted
/// interface.
fn descriptions(path: &Path, code: &str) -> Vec<String> {
    if ["cli/src/args.rs", "request.rs"].iter().any(|name| path.ends_with(name)) {
        let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix("/// "));
        return lines.map(str::to_owned).collect();
    }
    published_docstrings(code)
}

#[test]
fn no_retired_term_comes_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        sources(&root.join(folder), &mut files);
    }
    let of_tests = |path: &Path| {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        name.contains("/tests/") || name.ends_with("tests.rs") || name.ends_with("fixtures.rs")
    };
    let (mut read, mut wrong) = (0, Vec::new());
    for path in files.iter().filter(|path| !of_tests(path)) {
        let code = without_tests(&fs::read_to_string(path).unwrap());
        let several_words = texts(&code).into_iter().filter(|text| text.trim().contains(' '));
        for text in several_words.chain(descriptions(path, &code)) {
            read += 1;
            let excepted = |term: &str| EXCEPT.iter().any(|(part, of)| *of == term && text.contains(part));
            let terms = RETIRED.iter().filter(|(term, _)| text.contains(term) && !excepted(term));
            wrong.extend(
                terms.map(|(term, instead)| format!("{}: “{term}” (write: {instead}): {text}", path.display())),
            );
        }
    }
    assert!(read > 4_000, "the test reads {read} texts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
