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

/// The same 300 rows as several tools write them: tests/tables/make_tables.py.
#[test]
fn tables_of_other_formats_are_the_same_rows() {
    let numbers = |name: &str| {
        let out = printed(&format!("tables/files/{name}"), "--metrics ece,brier,nll");
        assert!(out.contains(&format!("{name}: 300 rows")), "{out}");
        out.split("ECE").skip(1).collect::<Vec<_>>().join(" ")
    };
    let names = [
        "pyarrow_zstd.parquet",
        "pyarrow_snappy.parquet",
        "polars.parquet",
        "pandas.feather",
        "pyarrow_lz4.arrow",
        "pyarrow_lz4.arrows",
    ];
    let first = numbers(names[0]);
    assert!(first.len() > 20, "{first}");
    for name in names {
        assert_eq!(numbers(name), first, "{name}");
    }
    let out = printed("tables/files/workbook.xlsx", "");
    assert!(out.contains("workbook.xlsx: 300 rows"), "{out}");
}

#[test]
fn the_files_of_an_archive_are_read_together() {
    let apart = printed("tables/files/parts.zip", "");
    assert!(apart.contains("parts.zip: 300 rows"), "{apart}");
}

#[test]
fn damaged_tables_are_refused_with_a_sentence() {
    for (name, kind) in [
        ("pyarrow_snappy.parquet", "Parquet file"),
        ("workbook.xlsx", "Excel workbook"),
        ("pyarrow_lz4.arrow", "Arrow or Feather file"),
    ] {
        let (folder, _) = with(&format!("tables/files/{name}"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tables/files").join(name);
        let mut bytes = std::fs::read(path).unwrap();
        // of an Arrow file the directory; of others what it leads to
        let (from, to) = if name.ends_with("arrow") { (bytes.len() - 300, bytes.len() - 30) } else { (200, 2000) };
        bytes[from..to].fill(0x55);
        folder.put_bytes(name, &bytes);
        let ended = folder.run(&format!("score {name}"));
        assert_eq!(ended.status, Some(1), "{name}: {}", ended.err);
        assert!(ended.err.contains(&format!("This {kind} cannot be read: ")), "{name}: {}", ended.err);
    }
}

const ANSWER: &str = r#"{"question": "Which?", "answer": "This.", "confidence": 0.7, "correct": true}"#;

#[test]
fn a_log_says_what_it_is_and_what_becomes_of_its_attempts() {
    let out = printed("logs/files/simpleqa.jsonl", "");
    assert!(out.contains("simpleqa.jsonl: 341 rows"), "{out}");
    assert!(
        out.contains("answers of a language model: correct is grade, confidence is confidence, in percent"),
        "{out}"
    );
    assert!(out.contains("19 excluded (6 no confidence, 9 not attempted, 4 unparsed)"), "{out}");
    let folder = Folder::new();
    folder.put("answers.jsonl", &format!("{ANSWER}\n{}\n", ANSWER.replace("true", "false")).repeat(10));
    let out = folder.run("score answers.jsonl --resamples 0").done();
    assert!(out.text().contains("fields correct and confidence"), "{}", out.text());
    let out = printed("logs/files/simpleqa.jsonl", "--unanswered incorrect_at_one");
    assert!(out.contains("360 rows") && out.contains("9 counted as incorrect at 100%"), "{out}");
    for (name, rows) in [
        ("inspect.eval", 22),
        ("inspect.json", 22),
        ("per_instance_stats.json", 16),
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
