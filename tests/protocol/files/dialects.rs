//! The same four rows in every dialect of delimited text.

use crate::support::bytes::{codes, gzip, open, open_with, p, roles, y, zip};
use localcal::data::{OpenOptions, assemble};
use localcal::read::{ReadOptions, read_with};

const ROWS: [(f64, u32); 4] = [(0.125, 0), (0.75, 1), (0.5, 0), (0.9, 1)];

fn check(bytes: &[u8], what: &str) -> Vec<String> {
    let (predictions, summary) =
        open_with(&[("a.csv", bytes)], &OpenOptions::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(p(&predictions), ROWS.map(|r| r.0), "{what}");
    assert_eq!(y(&predictions), ROWS.map(|r| r.1), "{what}");
    codes(&summary).into_iter().map(str::to_owned).collect()
}

fn text(delimiter: &str, mark: &str, end: &str) -> String {
    let mut text = format!("y{delimiter}p{end}");
    for (p, y) in ROWS {
        let p = p.to_string().replace('.', mark);
        text.push_str(&format!("{y}{delimiter}{p}{end}"));
    }
    text
}

#[test]
fn delimiters_marks_line_ends() {
    for delimiter in [",", ";", "\t", "|", " ; ", ", "] {
        for end in ["\n", "\r\n", "\r"] {
            check(text(delimiter, ".", end).as_bytes(), &format!("{delimiter:?} {end:?}"));
            if !delimiter.contains(',') {
                check(text(delimiter, ",", end).as_bytes(), &format!("{delimiter:?} {end:?} comma"));
            }
        }
    }
}

#[test]
fn encodings_and_compression() {
    let plain = text(",", ".", "\n");
    let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check(&[b"\xef\xbb\xbf", plain.as_bytes()].concat(), "byte order mark");
    check(&[&[0xff, 0xfe][..], &wide].concat(), "UTF-16");
    check(&wide, "UTF-16 without mark");
    check(&gzip(plain.as_bytes()), "gzip");
    let twice = [gzip(&plain.as_bytes()[..9]), gzip(&plain.as_bytes()[9..])].concat();
    check(&twice, "gzip of two members");
    check(&zip(&[("b.csv", plain.as_bytes())], 8), "a zipped table");
    let latin = [b"y,p,caf\xe9\n".as_slice(), &plain.replace('\n', ",x\n").as_bytes()[6..]].concat();
    assert!(check(&latin, "Latin-1").contains(&"encoding_guessed".to_owned()));
}

#[test]
fn without_header() {
    let body = text(",", ".", "\n");
    let warnings = check(&body.as_bytes()[4..], "no header");
    assert!(warnings.contains(&"header_missing".to_owned()));
}

#[test]
fn quotes() {
    let (predictions, summary) =
        open("\"y\",\"p\",\"a \"\"note\"\"\"\n\"1\",\"0.5\",\"x,\ny\"\n0,0.25,z\n1,0.75,z\n0,0.1,z\n");
    assert_eq!(p(&predictions), [0.5, 0.25, 0.75, 0.1]);
    assert_eq!(summary.columns[2].name, "a \"note\"");
    assert_eq!(summary.columns[2].preview[0], "x,\ny");
}

#[test]
fn duplicate_headers_are_kept_apart() {
    let (_, summary) = open("y,p,age,age\n1,0.5,3,4\n0,0.25,5,6\n");
    let names: Vec<&str> = summary.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["y", "p", "age", "age (2)"]);
}

#[test]
fn a_header_is_not_swallowed_and_a_person_has_the_last_word() {
    // A column that is called after one of its values, and names like those of the rows below.
    let (predictions, summary) = open("cancer,p\ncancer,0.9\nhealthy,0.2\ncancer,0.7\n");
    assert_eq!(summary.columns[0].name, "cancer");
    assert_eq!(predictions.rows, 3);
    assert_eq!(summary.header, Some(true));
    let (_, summary) = open("a17,y,p\na18,1,0.9\na19,0,0.2\na20,1,0.7\n");
    assert_eq!(summary.columns[0].name, "a17");
    // Two texts alone say nothing for sure: a person does.
    let text = "cancer\ncancer\nhealthy\ncancer\n";
    let with = |header| {
        let options = ReadOptions { header, ..ReadOptions::default() };
        let file = read_with("a.csv", text.as_bytes(), options, &mut |_| {}).unwrap();
        assemble(&[file], &roles(&[])).map(|(_, summary)| summary)
    };
    let file = read_with("a.csv", text.as_bytes(), ReadOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(file.header, Some(false));
    assert_eq!(file.warnings[0].code, "header_missing");
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let file = read_with("a.csv", text.as_bytes(), options, &mut |_| {}).unwrap();
    assert_eq!(file.columns[0].name, "cancer");
    assert!(file.warnings.is_empty());
    assert_eq!(file.columns[0].values.shape(), [3]);
    assert!(with(Some(true)).is_err(), "no name says that this is a label");
    let text = "p,y\n0.5,1\n0.25,0\n";
    let options = ReadOptions { header: Some(false), ..ReadOptions::default() };
    let file = read_with("a.csv", text.as_bytes(), options, &mut |_| {}).unwrap();
    assert_eq!(file.columns[0].name, "column 1");
    assert_eq!(file.columns[0].values.shape(), [3]);
}
