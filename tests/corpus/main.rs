//! What the program says: requests, played through the public interface, and their whole recorded answers.
//!
//! `LOCALCAL_RECORD=1` writes the answers anew (see README.md).

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod coverage;
mod play;
mod player;
#[path = "../support/terminal_words.rs"]
mod terminal_words;
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

/// The picture with its bitmap apart, which is a file of its own beside it: `name.png`.
fn taken_apart(name: &str, svg: &str) -> (String, Option<Vec<u8>>) {
    const START: &str = "data:image/png;base64,";
    let Some((before, rest)) = svg.split_once(START) else { return (svg.to_owned(), None) };
    let (bitmap, after) = rest.split_once('"').expect("the end of a bitmap");
    assert!(!after.contains(START), "{name} has several bitmaps");
    (format!("{before}{name}.png\"{after}"), Some(from_base64(bitmap)))
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("not base64: {byte}"),
    };
    let digits: Vec<u32> = text.trim_end_matches('=').bytes().map(digit).collect();
    let quartet = |four: &[u32]| {
        let bits = four.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(quartet).collect()
}

/// Width, height and pixels: files of the same picture may be packed in other ways.
fn pixels(png: &[u8]) -> Option<(u32, u32, Vec<u8>)> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    Some((info.width, info.height, pixels))
}

/// What is to be said of a picture that is not the recorded one.
fn looked_at(name: &str, svg: &str) -> Option<String> {
    let (drawing, bitmap) = taken_apart(name, svg);
    let kept = |ending: &str| fs::read(folder().join("pictures").join(format!("{name}.{ending}"))).unwrap_or_default();
    let same =
        kept("svg") == drawing.as_bytes() && bitmap.as_ref().is_none_or(|png| pixels(png) == pixels(&kept("png")));
    if same {
        return None;
    }
    let place = if recording() { folder() } else { left("").parent().expect("a folder").to_owned() }.join("pictures");
    fs::create_dir_all(&place).expect("a folder");
    fs::write(place.join(format!("{name}.svg")), drawing).expect("written");
    if let Some(png) = bitmap {
        fs::write(place.join(format!("{name}.png")), png).expect("written");
    }
    (!recording()).then(|| format!("picture {name}: look at it in {}", place.display()))
}

/// Plays a case; what is to be said of it, where its answer is not the recorded one.
fn checked(case: &Case) -> Vec<String> {
    let Ok(played) = std::panic::catch_unwind(|| play::played(case)) else {
        return vec![format!("{}: panicked, as told above", case.name)];
    };
    let mut faults: Vec<String> = played.pictures.iter().filter_map(|(name, svg)| looked_at(name, svg)).collect();
    faults.extend(compared(case, &written(&played.answer)));
    faults
}

/// Compares an answer with the recorded one.
fn compared(case: &Case, answer: &str) -> Option<String> {
    let path = folder().join("answers").join(format!("{}.json", case.name));
    let write = |path: &Path| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("written");
        fs::write(path, answer).expect("written");
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
    let found = differences(&read(&before), &read(answer), SHOWN);
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
