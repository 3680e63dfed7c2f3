use super::*;
use crate::table::MISSING;

fn read(text: &str) -> ReadFile {
    let mut file = ReadFile::default();
    columns(text, ReadOptions::default(), &mut file, &mut |_| {}).unwrap();
    file
}

fn numbers(file: &ReadFile, j: usize) -> Vec<f64> {
    match &file.columns[j].values {
        Values::Numbers(v) => v.to_vec(),
        other => panic!("numbers expected, {other:?}"),
    }
}

fn texts(file: &ReadFile, j: usize) -> Vec<Option<String>> {
    match &file.columns[j].values {
        Values::Text { codes, levels } => {
            codes.iter().map(|&code| (code != MISSING).then(|| levels.text(code).to_owned())).collect()
        }
        other => panic!("text expected, {other:?}"),
    }
}

fn refusal(text: &str) -> Error {
    columns(text, ReadOptions::default(), &mut ReadFile::default(), &mut |_| {}).unwrap_err()
}

#[test]
fn types_are_decided_from_the_whole_file() {
    let mut text = String::from("a,b,c,d\n");
    for i in 0..200 {
        text.push_str(&format!("{i},{i},0{},{}\n", i % 3, i % 2 == 0));
    }
    text.push_str("x,NA,NA,\n");
    let file = read(&text);
    let a = texts(&file, 0);
    assert_eq!(a.len(), 201);
    assert_eq!(a[17].as_deref(), Some("17"));
    assert_eq!(a[200].as_deref(), Some("x"));
    let b = numbers(&file, 1);
    assert_eq!(b[199], 199.0);
    assert!(b[200].is_nan());
    assert_eq!(texts(&file, 2)[1].as_deref(), Some("01"));
    assert_eq!(texts(&file, 3)[0].as_deref(), Some("true"));
    assert_eq!(texts(&file, 3)[200], None);
}

#[test]
fn missing_words_are_missing() {
    let file = read("p,g\n0.5,a\n,NA\nNA,\nN/A,?\nNaN,null\nnull,None\nnone,b\n?,c\n");
    let p = numbers(&file, 0);
    assert_eq!(p[0], 0.5);
    assert!(p[1..].iter().all(|v| v.is_nan()));
    let g = texts(&file, 1);
    assert_eq!(g.iter().filter(|v| v.is_none()).count(), 4);
    assert_eq!(g[5].as_deref(), Some("None"));
}

#[test]
fn quotes_line_ends_and_blank_lines() {
    let file = read("\"p\",\"name, first\"\r\n\"0.5\",\"a\"\"b\"\r\n\r\n 0.25 , \"x\ny\" \r\n");
    assert_eq!(file.columns[1].name, "name, first");
    assert_eq!(numbers(&file, 0), [0.5, 0.25]);
    assert_eq!(texts(&file, 1), [Some("a\"b".into()), Some("x\ny".into())]);
    assert_eq!(numbers(&read("p,y\r0.5,1\r0.25,0\r"), 0), [0.5, 0.25]);
}

#[test]
fn decimal_commas_shown_late_are_found() {
    let mut text = String::from("p;y\n");
    for _ in 0..100 {
        text.push_str("1;0\n");
    }
    text.push_str("0,25;1\n");
    let file = read(&text);
    assert_eq!(numbers(&file, 0)[100], 0.25);
    assert_eq!(numbers(&file, 1)[100], 1.0);
}

#[test]
fn no_header_is_said() {
    let file = read("0.5,1\n0.25,0\n");
    assert_eq!(file.columns[0].name, "column 1");
    assert_eq!(file.warnings[0].code, "header_missing");
    assert_eq!(numbers(&file, 0), [0.5, 0.25]);
}

#[test]
fn trailing_delimiters_make_no_column() {
    let file = read("p,y,\n0.5,1,\n0.25,0,\n");
    assert_eq!(file.columns.len(), 2);
    let file = read("p,y\n0.5,1,\n0.25,0,\n");
    assert_eq!(file.columns.len(), 2);
}

#[test]
fn bad_tables_are_refused_with_the_row() {
    let mut long = String::from("a,b,c,d\n");
    for _ in 0..1_203 {
        long.push_str("1,2,3,4\n");
    }
    let error = refusal(&format!("{long}1,2,3\n"));
    assert_eq!(error.code(), "table_unreadable");
    assert_eq!(error.to_string(), "Data row 1,204 has 3 cells, expected 4.");
    let error = refusal("a,b\n1,2\n1,2,3\n");
    assert_eq!(error.to_string(), "Data row 2 has 3 cells, expected 2.");
    let error = refusal("a,b\n1,2\n\"1,2\n");
    assert_eq!(error.to_string(), "Data row 2: unclosed quotation mark.");
    assert_eq!(refusal("a,b\n").code(), "empty");
}

#[test]
fn a_table_that_cannot_be_in_memory_is_refused_with_what_would_fit() {
    assert!(room_for(10_000_000, 2, 110_000_000, None).is_ok());
    let error = room_for(250_000_000, 2, 1_500_000_000, None).unwrap_err();
    assert_eq!(error.code(), "too_large");
    let said = error.to_string();
    for part in ["250,000,000 rows", "5,500 MB", "2,500 MB", "about 110,000,000 rows"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(room_for(113_600_000, 2, 681_600_000, None).is_ok());
}

#[test]
fn a_drawn_table_between_a_title_and_a_footnote() {
    let text = "Results of May 5, 2024\n\n| y | p |\n|---|---|\n| 1 | 0.3 |\n| 0 | 0.25 |\n\nSource: registry\n";
    let file = read(text);
    assert_eq!((numbers(&file, 0), numbers(&file, 1)), (vec![1.0, 0.0], vec![0.3, 0.25]));
    assert_eq!(file.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["y", "p"]);
    assert_eq!(
        file.warnings.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>(),
        ["Outside the table and ignored: `Results of May 5, 2024` above it, `Source: registry` below it."]
    );
    // totals stand above the footnote
    let file = read("id,n\na,1\nb,2\nTotal,3\n\nSource: registry of 2024\n");
    assert_eq!((numbers(&file, 1), file.totals), (vec![1.0, 2.0], Some(true)));
}

#[test]
fn rows_within_a_cell_are_warned_of() {
    let said = |text: &str| -> Vec<String> { read(text).warnings.into_iter().map(|warning| warning.message).collect() };
    let swallowed =
        said("p\tnote\ty\n0.1\t\"unwell\" since May\t1\n0.2\t\"tired\t0\n0.3\tx\t1\n0.4\ty\t0\n0.5\tpale\"\t1\n");
    assert_eq!(swallowed.len(), 1, "{swallowed:?}");
    assert!(swallowed[0].starts_with("Cells of `note` contain 2 lines that look like rows: "), "{swallowed:?}");
    // a text of several lines, and one with commas
    assert!(said("p,note,y\n0.1,\"one\ntwo, and three\nfour\",1\n").is_empty());
}

#[test]
fn points_are_marks_of_thousands_beside_decimal_commas() {
    let text = |score: &str| {
        let row = |i: usize| {
            format!("{};{score}\n", if i.is_multiple_of(4) { "744".to_owned() } else { format!("1.{}", 100 + i) })
        };
        format!("cost;p\n{}", (0..40).map(row).collect::<String>())
    };
    for score in ["0,29", "29,5%"] {
        assert_eq!(numbers(&read(&text(score)), 0)[..2], [744.0, 1101.0], "{score}");
    }
    // however few digits are other than 0
    for costs in [["1.500", "2.000", "500"], ["1.000", "2.000", "5.000"]] {
        let rows = (0..40).map(|i| format!("{};0,{}\n", costs[i % 3], 10 + i)).collect::<String>();
        let first = costs[0].replace('.', "").parse::<f64>().unwrap();
        assert_eq!(numbers(&read(&format!("cost;p\n{rows}")), 0)[0], first, "{costs:?}");
    }
    // grades from 1 to 5 have no marks
    let rows = (0..40).map(|i| format!("{};0,{}\n", 1 + i % 5, 10 + i)).collect::<String>();
    let file = read(&format!("grade;p\n{rows}"));
    assert_eq!((numbers(&file, 0)[0], file.ambiguous.len()), (1.0, 0));
    // without decimal commas, what is beside whole hundreds is asked about
    let file = read(&text("0.29"));
    assert_eq!(numbers(&file, 0)[..2], [744.0, 1.101]);
    assert_eq!(file.ambiguous.iter().map(|one| one.column.as_str()).collect::<Vec<_>>(), ["cost"]);
}

#[test]
fn a_header_that_is_repeated_below_is_no_row() {
    let part = |from: usize| (from..from + 20).map(|i| format!("{i},0.{},{}\n", 10 + i, i % 2)).collect::<String>();
    let file = read(&format!("id,risk,died\n{}id,risk,died\r\n{}id,risk,died\n{}", part(0), part(20), part(40)));
    assert_eq!((file.columns[1].name.as_str(), numbers(&file, 1).len()), ("risk", 60));
    assert_eq!(file.warnings.iter().filter(|warning| warning.code == "header_repeated").count(), 1);
    // lines of a table without a header may be equal
    let file = read("yes,no\nno,no\nyes,no\nyes,yes\nyes,no\n");
    assert!(file.warnings.iter().all(|warning| warning.code != "header_repeated"), "{:?}", file.warnings);
}
