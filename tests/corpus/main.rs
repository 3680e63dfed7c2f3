//! What the program says: requests, played through the public interface, and their whole recorded answers.
//!
//! `LOCALCAL_RECORD=1` writes the answers anew (see README.md).

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod coverage;
mod play;
mod player;
mod written;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use play::{Case, cases, folder};
use serde_json::Value;
use written::{differences, written};

/// Differences that are shown of one request.
const SHOWN: usize = 4;

fn recording() -> bool {
    std::env::var_os("LOCALCAL_RECORD").is_some()
}

/// Where an answer that is not the recorded one is left.
fn left(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target").join("corpus");
    target.join(format!("{name}.json"))
}

/// Plays a case; what is to be said of it, where its answer is not the recorded one.
fn checked(case: &Case) -> Option<String> {
    let Ok(answer) = std::panic::catch_unwind(|| play::played(case)) else {
        return Some(format!("{}: panicked, as told above", case.name));
    };
    let answer = written(&answer);
    let path = folder().join("answers").join(format!("{}.json", case.name));
    let write = |path: &Path| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("written");
        fs::write(path, &answer).expect("written");
    };
    let before = fs::read_to_string(&path).unwrap_or_default();
    if before == answer {
        return None;
    }
    if recording() {
        write(&path);
        return None;
    }
    let place = left(&case.name);
    write(&place);
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let found = differences(&read(&before), &read(&answer), SHOWN);
    Some(format!("{}: {}\n    {}", case.name, place.display(), found.join("\n    ")))
}

#[test]
fn corpus() {
    let all = cases();
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    faults.lock().unwrap().extend(checked(case));
                }
            });
        }
    });
    let mut faults = faults.into_inner().unwrap();
    faults.sort();
    let count = all.len();
    assert!(
        faults.is_empty(),
        "{} of {count} answers are not the recorded ones:\n  {}",
        faults.len(),
        faults.join("\n  ")
    );
}

#[test]
fn corpus_answers_are_all_asked_for() {
    let names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    for theme in fs::read_dir(folder().join("answers")).expect("answers").flatten() {
        for file in fs::read_dir(theme.path()).expect("answers").flatten() {
            let name = format!("{}/{}", theme.file_name().display(), file.path().file_stem().unwrap().display());
            if !names.contains(&name) {
                assert!(recording(), "nobody asks for {name}");
                fs::remove_file(file.path()).expect("removed");
            }
        }
    }
}

#[test]
fn corpus_covers_everything() {
    coverage::check(&cases());
}
