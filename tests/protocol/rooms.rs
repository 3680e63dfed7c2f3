//! Arrows between the chapters of a crate run one way: a chapter imports from those that stand before it, and from no
//! other.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::source::without_tests;

/// The chapters of each crate, from the ground up. That crates look down only, cargo sees to.
const CRATES: &[(&str, &[&str])] = &[
    ("crates/ground/src", &["words", "error", "table"]),
    (
        "crates/numerics/src",
        &["num", "kernel", "proximity", "project", "text", "sample", "local", "hypothesis", "decision", "metric"],
    ),
    ("crates/tables/src", &["packed", "request", "counts", "read", "data"]),
    ("crates/methods/src", &["feature", "scan", "drift", "recalibrate", "evaluation"]),
    ("src", &["report", "markup", "lab", "run", "experiment", "analysis", "catalogue", "job", "schema"]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the core") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            sources(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "properties.rs" {
            found.push(path);
        }
    }
}

/// The code of a file without comments and tests.
fn code(text: &str) -> String {
    let without_tests = without_tests(text);
    let lines = without_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// What a code names of its crate: `a` of `crate::a::b`, `a` and `c` of `crate::{a::{b, d}, c}`.
fn used_of_crate(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for used in code.split("crate::").skip(1) {
        let Some(group) = used.strip_prefix('{') else {
            names.push(identifier(used).to_owned());
            continue;
        };
        let (mut open, mut begins) = (1, true);
        for (place, c) in group.char_indices() {
            match c {
                '{' => open += 1,
                '}' => open -= 1,
                ',' if open == 1 => begins = true,
                c if begins && !c.is_whitespace() => {
                    names.push(identifier(&group[place..]).to_owned());
                    begins = false;
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
    }
    names
}

/// How many modules below its crate a file is.
fn depth(within: &Path) -> usize {
    let folders = within.components().count();
    folders - usize::from(within.file_name().is_some_and(|name| name == "mod.rs"))
}

/// `super`s in the longest chain of them: so many modules up a code looks.
fn longest_chain_of_super(code: &str) -> usize {
    let up = "super::";
    let chains = code.match_indices(up).map(|(at, _)| &code[at..]);
    chains.map(|rest| (rest.len() - rest.trim_start_matches(up).len()) / up.len()).max().unwrap_or(0)
}

#[test]
fn imports_are_seen_in_every_form() {
    let used = |code: &str| used_of_crate(code).join(" ");
    assert_eq!(used("use crate::data::{View, roles};\nlet x = crate::num::order(1);"), "data num");
    assert_eq!(
        used("use crate::{data::{self, View}, report,\n    run::graph::Plan};\nuse std::fs;"),
        "data report run"
    );
    assert_eq!(longest_chain_of_super("use super::a;\nuse super::super::{b, c};"), 2);
    assert_eq!(longest_chain_of_super("use crate::a;"), 0);
    for (file, modules) in [("words.rs", 1), ("data/mod.rs", 1), ("data/roles.rs", 2), ("data/assemble/draft.rs", 3)] {
        assert_eq!(depth(Path::new(file)), modules, "{file}");
    }
}

#[test]
fn arrows_between_chapters_run_one_way() {
    let (mut wrong, mut arrows) = (Vec::new(), 0);
    for (folder, chapters) in CRATES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut files = Vec::new();
        sources(&root, &mut files);
        let place = |chapter: &str| chapters.iter().position(|name| *name == chapter);
        for file in files {
            let within = file.strip_prefix(&root).expect("below the crate");
            let chapter = within.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
            let chapter = chapter.strip_suffix(".rs").unwrap_or(chapter);
            if chapter == "lib" || chapter.ends_with("tests") {
                continue;
            }
            let from = place(chapter).unwrap_or_else(|| panic!("`{chapter}` has no place among the chapters"));
            let text = code(&fs::read_to_string(&file).expect("a source file"));
            for used in used_of_crate(&text) {
                let Some(to) = place(&used) else { continue };
                arrows += 1;
                if to > from {
                    wrong.push(format!("{} looks up to {used}", within.display()));
                }
            }
            if longest_chain_of_super(&text) >= depth(within) {
                wrong.push(format!("{} leaves `{chapter}` by `super::`: write `crate::`", within.display()));
            }
        }
    }
    assert!(arrows > 500, "only {arrows} arrows were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files of the documentation, whole.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of documents") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

#[test]
fn what_the_documents_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    documents(&root.join("docs"), &mut files);
    let (mut missing, mut named) = (Vec::new(), 0);
    for file in files {
        let text = fs::read_to_string(&file).expect("a document");
        for quoted in text.split('`').skip(1).step_by(2) {
            let path = quoted.split("::").next().unwrap_or(quoted);
            let ours = ["src/", "crates/", "tests/", "www/", "examples/", "docs/", "benches/"];
            if !ours.iter().any(|folder| path.starts_with(folder)) || path.contains(['<', '{', '*', ' ', '…']) {
                continue;
            }
            named += 1;
            if !root.join(path).exists() {
                missing.push(format!("{}: {path}", file.strip_prefix(root).unwrap_or(&file).display()));
            }
        }
    }
    assert!(named > 20, "only {named} paths were found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// An excerpt in the guide for contributors holds lines of the code, and no others.
#[test]
fn the_excerpt_of_the_guide_stands_in_the_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let code = fs::read_to_string(root.join("src/analysis/sample_size/request.rs")).expect("the request");
    let excerpt = guide.split_once("```rust,ignore\n").and_then(|(_, rest)| rest.split_once("```"));
    let (excerpt, _) = excerpt.expect("an excerpt");
    for line in excerpt.lines().map(str::trim) {
        assert!(code.lines().any(|known| known.trim() == line), "{line} does not stand in the code");
    }
}
