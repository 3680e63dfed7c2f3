//! What is refused is told in the words of the terminal: flags, never options as a script writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use localcal::error::CODES;
use serde_json::{Value, json};

use crate::made::{Ended, Folder};
use crate::terminal_words::not_of_a_terminal;

/// Codes that nothing typed here can bring about, and why.
const NOT_HERE: &[(&str, &str)] = &[
    ("cancelled", "the page tells it"),
    ("closed", "the page tells it"),
    ("memory", "the page tells it"),
    ("unsupported_browser", "the page tells it"),
    ("worker_lost", "the page tells it"),
    ("internal", "a bug in the program"),
    ("panic", "a bug in the program"),
    ("not_drawn", "a picture that cannot be drawn is a bug in the program"),
    ("too_large", "takes files of gigabytes"),
];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[track_caller]
fn spoken(from: &str, message: &str, hint: &str) {
    for sentence in [message, hint] {
        assert_eq!(not_of_a_terminal(sentence), None, "{from}: {sentence}");
    }
}

#[test]
fn sentences_for_scripts_and_for_the_page_are_found() {
    for sentence in [
        "Assign both, for example roles: { died: \"label\" }.",
        "Exclude such rows (rows: \"drop\").",
        "Name them in local.features.",
        "Give it a role under Data.",
        "Drop a file that holds predictions.",
    ] {
        assert!(not_of_a_terminal(sentence).is_some(), "{sentence}");
    }
    assert_eq!(not_of_a_terminal("In Python: `np.savez(\"a.npz\", **{k: v for k, v in d.items()})`."), None);
}

/// A request of the corpus as a command line.
struct Typed<'a> {
    folder: &'a Folder,
    files: Vec<String>,
    case: &'a Value,
}

impl<'a> Typed<'a> {
    fn of(folder: &'a Folder, case: &'a Value) -> Self {
        let place = |file: &Value| match file.as_str() {
            Some(name) => corpus().join("files").join(name).display().to_string(),
            None => {
                let name = file["name"].as_str().unwrap();
                match file["text"].as_str() {
                    Some(text) => folder.put(name, text),
                    None => folder.put_bytes(name, &bytes(file["hex"].as_str().unwrap())),
                }
                name.to_owned()
            }
        };
        let files = case["files"].as_array().unwrap().iter().map(place).collect();
        Self { folder, files, case }
    }

    fn ask(&self, command: &[&str], run: &Value, section: &str, own: &Value) -> Ended {
        let mut options = json!({ "open": self.case.get("open").cloned().unwrap_or_else(|| json!({})), "run": run });
        if !section.is_empty() {
            options[section] = own.clone();
        }
        let options = options.to_string();
        let files = self.files.iter().map(String::as_str);
        let words: Vec<&str> = command.iter().copied().chain(files).chain(["--options", &options]).collect();
        self.folder.run_with(&words, "")
    }

    /// The step, if the terminal has a command for it.
    fn step(&self, step: &Value) -> Option<Ended> {
        let usual = || self.case.get("run").cloned().unwrap_or_else(|| json!({ "resamples": 0 }));
        let (name, asked) = step.as_object()?.iter().next()?;
        Some(match name.as_str() {
            "run" => self.ask(&["score"], asked, "", &Value::Null),
            "analyse" => {
                let (kind, own) = asked.as_object()?.iter().next()?;
                self.ask(&["analyse", kind], &usual(), "analyse", own)
            }
            "view" => {
                let mut own = asked.clone();
                let kind = own.as_object_mut()?.remove("chart")?;
                self.ask(&["chart", kind.as_str()?], &usual(), "chart", &own)
            }
            "export" if asked["kind"] == "snippet" => {
                let language = asked["language"].as_str().unwrap_or("python");
                let method = asked["method"].as_str().unwrap_or("platt");
                self.ask(&["snippet", "--language", language, "--method", method], &usual(), "", &Value::Null)
            }
            "project" => self.ask(&["score", "--project", &asked.to_string()], &usual(), "", &Value::Null),
            "apply" => {
                let stored = match asked["calibrator"].as_str() {
                    Some(name) => json_of(&corpus().join(format!("calibrators/{name}.json"))),
                    None => asked["calibrator"].clone(),
                };
                self.folder.put("calibrator.json", &stored.to_string());
                let method = asked["method"].as_str().map(|name| format!("--method={name}"));
                let open = json!({ "open": self.case.get("open").cloned().unwrap_or_else(|| json!({})) }).to_string();
                let words = ["apply", "calibrator.json", "--options", &open].into_iter().chain(method.as_deref());
                let words: Vec<&str> = words.chain(self.files.iter().map(String::as_str)).collect();
                self.folder.run_with(&words, "")
            }
            _ => return None,
        })
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[test]
fn every_code_that_can_be_reached_is_told_in_flags() {
    let mut told = BTreeSet::new();
    let mut heard = |ended: &Ended, from: &str| {
        assert!(matches!(ended.status, Some(0..=2)), "{from}: {:?} {}", ended.status, ended.err);
        if ended.status != Some(1) {
            return;
        }
        let said = ended.err.rsplit_once("error: ").unwrap().1;
        let (message, hint) = said.split_once("\nhint: ").unwrap();
        let (message, code) = message.rsplit_once(" (").unwrap();
        spoken(from, message, hint.trim_end());
        told.insert(code.trim_end_matches(')').to_owned());
    };
    let of = |theme: &str| json_of(&corpus().join(format!("requests/{theme}.json"))).as_array().unwrap().clone();
    let calibrators = of("calibrators").into_iter().filter(|case| case["name"] == "refused");
    for case in &of("refused").into_iter().chain(calibrators).collect::<Vec<_>>() {
        let name = case["name"].as_str().unwrap();
        let folder = Folder::new();
        let typed = Typed::of(&folder, case);
        match case.get("steps").and_then(Value::as_array) {
            None => heard(&typed.step(&json!({ "run": { "resamples": 0 } })).unwrap(), name),
            Some(steps) => {
                for step in steps {
                    if let Some(ended) = typed.step(step) {
                        heard(&ended, &format!("{name} {step}"));
                    }
                }
            }
        }
    }
    let missing: Vec<&str> = CODES
        .iter()
        .map(|(code, _)| *code)
        .filter(|code| !told.contains(*code) && NOT_HERE.iter().all(|(not, _)| not != code))
        .collect();
    assert!(missing.is_empty(), "nothing typed here brings about {missing:?}");
}
