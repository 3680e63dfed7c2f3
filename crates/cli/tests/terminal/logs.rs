//! Evaluation logs of language models, and files that zstd compressed.

use std::path::Path;

use crate::made::Folder;

/// A folder with a file of the tests.
fn with(path: &str) -> (Folder, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let folder = Folder::new();
    folder.put_bytes(&name, &std::fs::read(&path).unwrap());
    (folder, name)
}

/// What is printed, with every white space as one space.
fn printed(path: &str, flags: &str) -> String {
    let (folder, name) = with(path);
    let ended = folder.run(&format!("score {name} --methods none --resamples 0 {flags}")).done();
    let out = String::from_utf8(ended.out).unwrap();
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_log_says_what_it_is_and_what_becomes_of_its_attempts() {
    let out = printed("logs/files/simpleqa.jsonl", "");
    assert!(out.contains("simpleqa.jsonl: 341 rows"), "{out}");
    assert!(
        out.contains("answers of a language model: correct is grade, confidence is confidence, in percent"),
        "{out}"
    );
    assert!(out.contains("19 excluded (6 no confidence, 9 not attempted, 4 unparsed)"), "{out}");
    let out = printed("logs/files/simpleqa.jsonl", "--unanswered incorrect_at_one");
    assert!(out.contains("360 rows") && out.contains("13 counted as incorrect at 100%"), "{out}");
    for (name, rows) in [
        ("inspect.eval", 22),
        ("inspect.json", 22),
        ("per_instance_stats.json", 33),
        ("judged_hle_made-model.json", 35),
    ] {
        let out = printed(&format!("logs/files/{name}"), "");
        assert!(out.contains(&format!("{name}: {rows} rows")), "{out}");
    }
}

#[test]
fn what_zstd_compressed_is_read() {
    let out = printed("tables/files/predictions.csv.zst", "");
    assert!(out.contains("predictions.csv.zst: 300 rows"), "{out}");
}
