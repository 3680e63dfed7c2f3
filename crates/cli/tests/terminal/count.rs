//! Rows of files, counted as an engine counts them.

use std::collections::BTreeMap;

use crate::made::Folder;

const ASKED: &str = "--score risk --outcome died --by ward --month day --cells 240";

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../tests/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Group, month, status and cell of every line, with its numbers behind them.
fn lines(counts: &str) -> BTreeMap<[String; 4], Vec<f64>> {
    let number = |text: &str| if text.is_empty() { f64::NAN } else { text.parse().unwrap() };
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let key = [fields[3], fields[4], fields[5], fields[6]].map(str::to_owned);
        (key, fields[7..].iter().map(|text| number(text)).collect())
    };
    counts.lines().skip(1).map(line).collect()
}

/// That two results have the same cells and whole numbers, and sums that differ by the order of addition alone.
fn assert_same_counts(found: &str, expected: &str) {
    let (found, expected) = (lines(found), lines(expected));
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (key, numbers) in &found {
        for (place, (a, b)) in numbers.iter().zip(&expected[key]).enumerate() {
            let near = (a - b).abs() <= 1e-13 * b.abs() || (a.is_nan() && b.is_nan());
            assert!(if place < 2 { a == b || a.is_nan() && b.is_nan() } else { near }, "{key:?}: {a} and {b}");
        }
    }
}

/// A zstd frame of blocks that are not compressed, of at most 1 KiB.
fn zstd_frame(data: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00];
    let mut blocks = data.chunks(1024).peekable();
    while let Some(block) = blocks.next() {
        let header = ((block.len() as u32) << 3) | u32::from(blocks.peek().is_none());
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

/// Compressed in parts, as `pzstd` does: a frame to skip, then one after the other.
#[test]
fn all_frames_of_a_compressed_table_are_counted() {
    let folder = Folder::new();
    let rows = fixture("counts/rows.csv");
    let (first, rest) = rows.split_at(rows.len() / 3);
    let skipped = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4].to_vec();
    folder.put_bytes("rows.csv.zst", &[skipped, zstd_frame(first), zstd_frame(rest)].concat());
    let ended = folder.run(&format!("count rows.csv.zst {ASKED}"));
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    assert_same_counts(ended.text(), &String::from_utf8(fixture("corpus/files/counts.csv")).unwrap());
}

/// What leaves a site: no line of few rows, and the same sums.
#[test]
fn counts_of_few_rows_are_merged() {
    let folder = Folder::new();
    let mut rows = "p,y,ward\n".to_owned();
    for i in 0..600 {
        let ward = if i < 7 { "TINY" } else { ["A", "B"][i % 2] };
        rows += &format!("{},{},{ward}\n", (i * 37 % 600) as f64 / 600.0, u8::from(i * 53 % 600 < i * 37 % 600));
    }
    rows += "=1+1,1,=HYPERLINK(1)\n".replace("=1+1", "0.5").as_str();
    folder.put("rows.csv", &rows);
    let asked = "count rows.csv --score p --outcome y --by ward";
    let plain = folder.run(asked);
    assert!(plain.text().contains("TINY") && plain.text().contains(",'=HYPERLINK(1),"), "{}", plain.text());
    let ended = folder.run(&format!("{asked} --suppress 10 --out counts.csv"));
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    assert!(ended.err.contains("601 rows counted. Cells are merged"), "{}", ended.err);
    let counts = folder.text("counts.csv");
    assert!(!counts.contains("TINY") && !counts.contains("HYPERLINK") && counts.contains("(withheld)"), "{counts}");
    let totals = |text: &str| {
        let numbers = text.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            [6, 7, 8].map(|place| fields[place].parse::<f64>().unwrap())
        });
        numbers.fold([0.0; 3], |[n, y, p], line| {
            assert!(
                text != counts
                    || line[0] >= 10.0 && [line[1], line[0] - line[1]].iter().all(|n| *n == 0.0 || *n >= 10.0),
                "{line:?}"
            );
            [n + line[0], y + line[1], p + line[2]]
        })
    };
    let (before, after) = (totals(plain.text()), totals(&counts));
    assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-9), "{before:?} {after:?}");
    // they open, and say what they are
    let opened = folder.run("score counts.csv --resamples 0");
    assert_eq!(opened.status, Some(0), "{}", opened.err);
    // all rows are few
    folder.put("few.csv", "p,y,ward\n0.5,1,A\n0.4,0,A\n");
    let refused = folder.run("count few.csv --score p --outcome y --by ward --suppress 10");
    assert!(refused.status == Some(1) && refused.err.contains("too_few_rows"), "{}", refused.err);
}

/// What a statement returned, before it leaves a site: the same as if the rows were counted and merged at once.
#[test]
fn counts_of_a_statement_are_merged_as_those_of_rows() {
    let folder = Folder::new();
    folder.put_bytes("rows.csv", &fixture("counts/rows.csv"));
    folder.put_bytes("engine.csv", &fixture("corpus/files/counts.csv"));
    folder.put_bytes("engine.parquet", &fixture("counts/counts.parquet"));
    let plain = folder.run(&format!("count rows.csv {ASKED} --out plain.csv")).done();
    assert!(plain.err.contains("400 rows counted, 380 of them usable (20 no score)."), "{}", plain.err);
    let at_once = folder.run(&format!("count rows.csv {ASKED} --suppress 10 --out merged.csv")).done();
    // this program's own counts to the bit, those of an engine up to the order of addition
    let later = folder.run("count plain.csv --suppress 10").done();
    let said = at_once.err.strip_prefix("wrote merged.csv\n").unwrap();
    assert_eq!((later.text(), later.err.as_str()), (folder.text("merged.csv").as_str(), said));
    assert!(later.text().contains("&suppress=10") && later.text().contains("(withheld)"), "{}", later.text());
    for name in ["engine.csv", "engine.parquet"] {
        let merged = folder.run(&format!("count {name} --suppress 10 --out of_engine.csv")).done();
        assert_eq!(merged.err.strip_prefix("wrote of_engine.csv\n"), Some(said), "{name}");
        assert_same_counts(&folder.text("of_engine.csv"), &folder.text("merged.csv"));
        assert!(folder.text("of_engine.csv").contains("&table=visits&"), "{name}");
    }
    let headline = |file: &str| {
        let told = folder.run(&format!("score {file} --resamples 0 --json")).done().json();
        told["methods"][0]["metrics"].clone()
    };
    let metrics = headline("merged.csv");
    assert!(metrics.is_object() || metrics.is_array(), "{metrics}");
    folder.put("later.csv", later.text());
    assert_eq!(headline("later.csv"), metrics);
    // no line of few rows
    for line in folder.text("of_engine.csv").lines().skip(1) {
        let of = |place: usize| line.split(',').nth(place).unwrap().parse::<f64>().unwrap_or(0.0);
        let (n, events) = (of(7), of(8));
        assert!(n >= 10.0 && [events, n - events].iter().all(|n| *n == 0.0 || *n >= 10.0), "{line}");
    }
}

/// Files of counts are parts of one table, as files of rows are.
#[test]
fn several_files_of_counts_add_up() {
    let folder = Folder::new();
    let rows = String::from_utf8(fixture("counts/rows.csv")).unwrap();
    let (head, body) = rows.split_once('\n').unwrap();
    let half = body.len() / 2 + body[body.len() / 2..].find('\n').unwrap() + 1;
    folder.put("rows.csv", &rows);
    folder.put("a.csv", &format!("{head}\n{}", &body[..half]));
    folder.put("b.csv", &format!("{head}\n{}", &body[half..]));
    folder.put("counts/.folder", "");
    for part in ["a", "b"] {
        folder.run(&format!("count {part}.csv {ASKED} --out counts/{part}.csv")).done();
    }
    folder.run(&format!("count rows.csv {ASKED} --suppress 10 --out merged.csv")).done();
    let merged = folder.run("count counts --suppress 10").done();
    assert_same_counts(merged.text(), &folder.text("merged.csv"));
    assert!(merged.text().contains("&table=a.csv%20and%201%20more&"), "{}", merged.text());
    folder.run("count b.csv --score risk --outcome died --out other.csv").done();
    folder.put("copy.csv", &folder.text("counts/a.csv"));
    for (files, words) in [
        (
            "counts/a.csv other.csv",
            "Counts of different settings cannot be pooled: cells 240 in `a.csv`, 960 in `other.csv`.",
        ),
        ("counts/a.csv copy.csv", "`a.csv` and `copy.csv` contain the same counts."),
    ] {
        let ended = folder.run(&format!("count {files} --suppress 10"));
        assert!(ended.status == Some(1) && ended.err.contains(words), "{}", ended.err);
    }
}

#[test]
fn counts_that_cannot_be_merged_say_why() {
    let folder = Folder::new();
    let counts = String::from_utf8(fixture("corpus/files/counts.csv")).unwrap();
    folder.put("counts.csv", &counts);
    folder.put("cut.csv", counts.trim_end().rsplit_once('\n').unwrap().0);
    folder.put("headless.csv", &counts.replace("localcal-counts=1", ""));
    folder.put("rows.csv", "risk,died\n0.5,1\n0.25,0\n");
    folder.put("rows.jsonl", "{\"risk\": 0.5, \"died\": 1}\n");
    for (asked, status, words) in [
        ("counts.csv", 2, "counts.csv contains counts already, of 400 rows: --suppress 10 merges cells of few rows"),
        ("counts.csv --score risk --outcome died", 1, "There is no column `risk`: the file contains counts, not rows"),
        ("counts.csv --by ward --suppress 10", 2, "a file of counts states what was counted"),
        ("counts.csv --suppress 200", 1, "cannot be merged until each is of at least 200 rows"),
        ("counts.csv --score risk", 2, "--outcome <COLUMN>"),
        ("cut.csv --suppress 10", 1, "These counts are incomplete or were edited"),
        ("headless.csv --suppress 10", 1, "have lost the line with their settings"),
        (
            "rows.csv --suppress 10",
            2,
            "rows.csv contains no counts: name the columns of its rows with --score and --outcome",
        ),
        ("counts.csv rows.csv --suppress 10", 2, "rows.csv contains no counts"),
        ("rows.jsonl", 2, "count reads CSV, TSV and Parquet, not JSON: rows.jsonl"),
        ("rows.jsonl --score risk --outcome died", 2, "count reads CSV, TSV and Parquet, not JSON: rows.jsonl"),
    ] {
        let ended = folder.run(&format!("count {asked} --out merged.csv"));
        assert_eq!(ended.status, Some(status), "{asked}: {}", ended.err);
        assert!(ended.err.contains(words), "{asked}: {}", ended.err);
        assert!(!folder.has("merged.csv"), "{asked}");
    }
    // as where they are opened
    for name in ["cut.csv", "headless.csv"] {
        let [merged, opened] =
            [format!("count {name} --suppress 10"), format!("score {name}")].map(|asked| folder.run(&asked).err);
        assert_eq!(merged, opened, "{name}");
    }
    let piped = folder.run_with(&["count", "-", "--suppress", "10"], &counts).done();
    assert!(piped.text().contains("&suppress=10"), "{}", piped.text());
    let ended = folder.run("sql --dialect duckdb --table t");
    assert!(ended.status == Some(2) && ended.err.contains("--score <COLUMN>"), "{}", ended.err);
}

/// The rows of this CSV and this Parquet file with seven row groups were counted by DuckDB, too.
#[test]
fn counts_are_those_of_an_engine() {
    let folder = Folder::new();
    let engine = String::from_utf8(fixture("corpus/files/counts.csv")).unwrap();
    for name in ["rows.csv", "rows.parquet"] {
        folder.put_bytes(name, &fixture(&format!("counts/{name}")));
        let ended = folder.run(&format!("count {name} {ASKED}"));
        assert_eq!(ended.status, Some(0), "{}", ended.err);
        assert!(ended.err.contains("400 rows counted"), "{}", ended.err);
        assert_same_counts(ended.text(), &engine);
    }
    // the same whatever the number of threads, the kind of file and how it comes
    let one = folder.run(&format!("count rows.parquet {ASKED} --threads 1"));
    let many = folder.run(&format!("count rows.parquet {ASKED} --threads 5"));
    assert_eq!(one.text(), many.text());
    let rows = String::from_utf8(fixture("counts/rows.csv")).unwrap();
    let words: Vec<&str> = "count -".split(' ').chain(ASKED.split(' ')).collect();
    assert_same_counts(folder.run_with(&words, &rows.replace(',', ";")).text(), &engine);
    let (head, body) = rows.split_once('\n').unwrap();
    let half = body.len() / 2 + body[body.len() / 2..].find('\n').unwrap() + 1;
    folder.put("a.csv", &format!("{head}\n{}", &body[..half]));
    folder.put("b.csv", &format!("{head}\n{}", &body[half..]));
    let ended = folder.run(&format!("count a.csv b.csv {ASKED}"));
    assert_same_counts(ended.text(), &engine);
    assert!(ended.text().contains("table=a.csv%20and%201%20more"), "{}", ended.text());
}

#[test]
fn counts_without_a_usable_row_are_refused_with_what_the_column_contains() {
    let folder = Folder::new();
    folder.put("bool.csv", "p,b\n0.1,False\n0.9,True\n0.4,True\n");
    folder.put("words.csv", "p,b\n0.1,bad\n0.9,good\n0.4,good\n");
    folder.put("percent.csv", "p,b\n10,0\n90,1\n,1\n");
    let columns = "--score p --outcome b --out counts.csv";
    for (asked, words) in [
        (
            "bool.csv",
            "None of the 3 rows has both a score and an outcome of 0 or 1: 3 another outcome.|`b` contains False, True; add --positive True.",
        ),
        ("words.csv", "`b` contains bad, good; name the event with --positive VALUE."),
        (
            "words.csv --positive fair --negative poor",
            "both a score and an outcome: 3 another outcome.|`b` contains bad, good",
        ),
        ("percent.csv", "1 no score, 2 score above 1|add --percent"),
    ] {
        let ended = folder.run(&format!("count {asked} {columns}"));
        assert_eq!(ended.status, Some(1), "{asked}: {}", ended.err);
        for words in words.split('|') {
            assert!(ended.err.contains(words), "{asked}: `{words}` is not in {}", ended.err);
        }
        assert!(ended.out.is_empty() && !folder.has("counts.csv"), "{asked}");
    }
    folder.put("mostly.csv", "p,b\n0.5,0\n10,0\n90,1\n");
    let ended = folder.run(&format!("count mostly.csv {columns}"));
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    assert!(ended.err.contains("2 of 3 scores are above 1.") && ended.err.contains("--percent"), "{}", ended.err);
    assert!(!folder.has("counts.csv"));
    let ended = folder.run(&format!("count bool.csv {columns} --positive True")).done();
    assert!(ended.err.contains("3 rows counted."), "{}", ended.err);
    let ended = folder.run(&format!("count percent.csv {columns} --percent")).done();
    assert!(ended.err.contains("3 rows counted, 2 of them usable (1 no score)."), "{}", ended.err);
}

#[test]
fn counts_open_in_the_place_of_the_rows() {
    let folder = Folder::new();
    folder.put_bytes("rows.csv", &fixture("counts/rows.csv"));
    let ended = folder.run(&format!("count rows.csv {ASKED} --out counts.csv"));
    assert_eq!((ended.status, ended.text()), (Some(0), ""), "{}", ended.err);
    let ended = folder.run("score counts.csv --json");
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    assert!(ended.text().contains("380"), "{}", ended.text());
}

#[test]
fn recalibrations_of_counts_are_saved_and_applied_to_rows() {
    let folder = Folder::new();
    folder.put_bytes("rows.csv", &fixture("counts/rows.csv"));
    let ended = folder.run(&format!("count rows.csv {ASKED} --out counts.csv"));
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    let ended = folder.run("recalibrate counts.csv --methods platt,isotonic --resamples 0 --out repaired");
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    assert!(!ended.err.contains("predictions.csv"), "{}", ended.err);
    let ended = folder.run("apply repaired/calibrator.json rows.csv --rows drop --method platt");
    assert_eq!(ended.status, Some(0), "{}", ended.err);
    assert!(ended.text().contains("p_platt"), "{}", ended.text());
    let ended = folder.run("recalibrate counts.csv --methods spline --resamples 0");
    assert_eq!(ended.status, Some(1), "{}", ended.err);
    assert!(ended.err.contains("Smoothing spline needs the rows"), "{}", ended.err);
}

/// Units below the names, and names of two levels, as tables that are opened may have them.
#[test]
fn a_header_of_several_rows_is_read() {
    let folder = Folder::new();
    let rows = "a,34,0.25,0.75,1\nb,51,0.5,0.5,0\nc,62,0.75,0.25,1\n";
    folder.put("plain.csv", &format!("id,age,p_no,p_yes,died\n{rows}"));
    folder.put("units.csv", &format!("\u{feff}id,age,p_no,p_yes,died\r\n,(years),[-],[-],\r\n{rows}"));
    folder.put("levels.csv", &format!("Patient,,Prediction,,Outcome\nid,age,no,yes,died\n{rows}"));
    // without what the settings say of file and names
    let counted = |asked: &str| {
        let ended = folder.run(&format!("count {asked}")).done();
        let lines = ended.text().lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned());
        (lines.collect::<Vec<_>>(), ended.err)
    };
    let (plain, said) = counted("plain.csv --score p_yes --outcome died");
    assert!(said.contains("3 rows counted.") && !said.contains("header"), "{said}");
    for (asked, message) in [
        ("units.csv --score p_yes --outcome died", "The second row contains units and was not read as values: "),
        (
            "levels.csv --score Prediction_yes --outcome Outcome_died",
            "The header has 2 rows; the names were joined, for example `Patient_id`.",
        ),
    ] {
        let (lines, said) = counted(asked);
        assert_eq!(lines, plain, "{asked}");
        assert!(said.contains(message) && said.contains("3 rows counted."), "{asked}: {said}");
    }
    let ended = folder.run("count levels.csv --score yes --outcome died");
    assert!(ended.err.contains("Its columns are: Patient_id, Patient_age, Prediction_no"), "{}", ended.err);
}

#[test]
fn what_cannot_be_counted_says_where_and_why() {
    let folder = Folder::new();
    folder.put("rows.csv", "risk,died,ward\n0.5,1,A\nlow,0,B\n");
    folder.put_bytes("rows.parquet", &fixture("counts/rows.parquet"));
    folder.put_bytes("cut.parquet", &fixture("counts/rows.parquet")[..5_000]);
    folder.put("ragged.csv", "risk,died\n0.5,1\n0.5\n");
    folder.put_bytes("array.npy", b"\x93NUMPY\x01\x00");
    for (asked, words) in [
        ("rows.csv --score risk --outcome died", "`risk` is not a number: `low` (data row 2, file `rows.csv`)"),
        ("rows.csv --score p --outcome died", "no column `p` (file `rows.csv`)"),
        ("rows.parquet --score p --outcome died", "Its columns are: risk, died, ward, day"),
        ("cut.parquet --score risk --outcome died", "This Parquet file cannot be read"),
        ("ragged.csv --score risk --outcome died", "A row has 1 cell, expected 2 (data row 2, file `ragged.csv`)"),
        ("array.npy --score risk --outcome died", "this is another kind"),
        ("rows.parquet --score risk --outcome died --month ward", "The first values of column `ward` are not dates"),
        ("nowhere.csv --score risk --outcome died", "file not found"),
        ("rows.parquet --score risk --outcome died --cells 100", "cannot be divided into 100 cells"),
    ] {
        let ended = folder.run(&format!("count {asked}"));
        assert_eq!(ended.status, Some(1), "{asked}: {}", ended.err);
        assert!(ended.err.contains(words), "{asked}: {}", ended.err);
    }
    let ended = folder.run("sql --dialect duckdb --table t --score risk --outcome died --suppress 5");
    assert!(ended.status == Some(2) && ended.err.contains("sql takes no --suppress"), "{}", ended.err);
}

/// A table in a notation: delimiter, and how a score in thousandths and a day are written.
fn written(delimiter: &str, score: impl Fn(usize) -> String, day: impl Fn(usize, usize) -> String) -> String {
    let mut text = ["risk", "died", "Straße 1", "day"].join(delimiter) + "\n";
    for i in 0..40_000 {
        let ward = ["Küche", "1. Stock", "NA"][i % 3];
        let died = (i % 7 == 0).to_string();
        text += &([score(i * 37 % 1_000), died, ward.to_owned(), day(i % 12 + 1, i % 28 + 1)].join(delimiter) + "\n");
    }
    text
}

#[test]
fn counts_do_not_depend_on_the_notation() {
    let iso = |month, day| format!("2024-{month:02}-{day:02}");
    let comma = |p: usize| format!("{},{:03}", p / 1_000, p % 1_000);
    let point = |p: usize| comma(p).replace(',', ".");
    let percent = |p: usize| format!("{}.{} %", p / 10, p % 10);
    let german = written(";", comma, |month, day| format!("{day:02}.{month:02}.2024"));
    let american = written(",", percent, |month, day| format!("{month}/{day}/2024"));
    let quoted = written(",", |p| format!("\"{}\"", comma(p)), iso);
    let tabs = written("\t", point, |month, day| format!("2024{month:02}{day:02}"));
    let latin1 = german.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    let utf16 = std::iter::once(0xfeff).chain(tabs.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let plain = written(",", point, iso).into_bytes();
    let zstd = zstd_frame(&plain);
    let notations = [plain, latin1, american.into_bytes(), quoted.into_bytes(), utf16, zstd];
    let found = notations.map(|bytes: Vec<u8>| {
        let folder = Folder::new();
        folder.put_bytes("rows.csv", &bytes);
        let ended = folder.run_with(
            &[
                "count",
                "rows.csv",
                "--score",
                "risk",
                "--outcome",
                "died",
                "--positive",
                "true",
                "--by",
                "Straße 1",
                "--month",
                "day",
                "--cells",
                "60",
                "--out",
                "counts.csv",
            ],
            "",
        );
        assert_eq!(ended.status, Some(0), "{}", ended.err);
        folder.text("counts.csv")
    });
    assert!(found[0].contains("(missing),202403,ok") && found[0].contains("Küche"), "{}", found[0]);
    for other in &found[1..] {
        assert!(*other == found[0], "{} and {}", &other[..400], &found[0][..400]);
    }
}

/// A quotation mark that is part of a text takes the rows up to the next one with it.
#[test]
fn rows_within_a_cell_are_not_swallowed_without_a_word() {
    let folder = Folder::new();
    let row = |i: usize| {
        let note = if i == 4 || i == 31 { "\"early exit" } else { "ok" };
        format!("0.{:02},{},{note}\n", 10 + i, i % 2)
    };
    folder.put("rows.csv", &format!("p,y,note\n{}", (0..40).map(row).collect::<String>()));
    let ended = folder.run("count rows.csv --score p --outcome y --cells 60");
    assert!(ended.err.contains("Cells of `note` contain 26 lines that look like rows"), "{}", ended.err);
}

#[test]
fn a_folder_is_its_files() {
    let folder = Folder::new();
    let row = "risk,died\n0.5,1\n0.25,0\n";
    folder.put("parts/part-1.csv", row);
    folder.put("parts/part-2.csv", row);
    folder.put("parts/_SUCCESS", "");
    folder.put("tree/ward=A/part-1.csv", row);
    let ended = folder.run("count parts --score risk --outcome died");
    assert!(ended.status == Some(0) && ended.err.contains("4 rows counted"), "{}", ended.err);
    let ended = folder.run("count parts parts/part-1.csv --score risk --outcome died");
    assert!(ended.status == Some(2) && ended.err.contains("counted twice"), "{}", ended.err);
    let ended = folder.run("count tree --score risk --outcome died");
    assert!(ended.status == Some(2) && ended.err.contains("contains folders"), "{}", ended.err);
}

#[test]
fn percentages_by_name_are_not_counted_as_probabilities() {
    let folder = Folder::new();
    folder.put("rows.csv", "risk_percent,died\n0.5,1\n0.25,0\n0.3,0\n12,1\n");
    let ended = folder.run("count rows.csv --score risk_percent --outcome died");
    assert!(
        ended.status == Some(1) && ended.err.contains("By its name, `risk_percent` contains percentages"),
        "{}",
        ended.err
    );
    let ended = folder.run("count rows.csv --score risk_percent --outcome died --percent");
    assert!(ended.status == Some(0) && ended.text().contains("ok,"), "{}", ended.err);
    folder.put("signs.csv", "p,died\n0.5%,1\n12 %,0\n");
    let ended = folder.run("count signs.csv --score p --outcome died --percent");
    assert!(ended.status == Some(1) && ended.err.contains("Count without --percent"), "{}", ended.err);
}

#[test]
fn fractions_under_a_name_that_says_percent_are_said() {
    let folder = Folder::new();
    let rows = (0..40).map(|i| format!("0.{:02},{}\n", 10 + i, i % 2)).collect::<String>();
    folder.put("rows.csv", &format!("risk_pct,died\n{rows}"));
    let asked = "count rows.csv --score risk_pct --outcome died";
    let said = |asked: &str| folder.run(asked).done().err.contains("says percent, but no value exceeds 1");
    assert!(said(asked) && !said(&format!("{asked} --percent")));
}

#[test]
fn a_header_that_is_repeated_below_is_no_row() {
    let folder = Folder::new();
    let part = (0..40).map(|i| format!("0.{:02},{}\n", 10 + i, i % 2)).collect::<String>();
    folder.put("once.csv", &format!("risk,died\n{part}{part}"));
    folder.put("twice.csv", &format!("risk,died\n{part}risk,died\n{part}risk,died\n"));
    let [once, twice] = ["once", "twice"].map(|name| {
        let ended = folder.run(&format!("count {name}.csv --score risk --outcome died --cells 60")).done();
        (ended.text().replace(name, ""), ended.err)
    });
    assert_eq!(once.0, twice.0);
    assert!(twice.1.contains("The header is repeated in 2 lines below it"), "{}", twice.1);
}
