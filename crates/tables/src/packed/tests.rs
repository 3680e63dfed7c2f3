use super::*;
use crate::table::Column;
use crate::table::column::{with_columns_in, with_columns_out};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Plain,
    Named { size: f64, name: Option<String> },
    Wrapped(Vec<u32>),
    Pair(i32, bool),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Whole {
    kinds: Vec<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    limits: [f32; 2],
    values: BTreeMap<String, Result<f64, String>>,
    any: serde_json::Value,
    column: Column<f64>,
    #[serde(with = "page_only")]
    words: Vec<String>,
    last: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Closed {
    Left,
    Right,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Sample {
    Count(f64),
    Name(String),
    Names(Vec<String>),
    Both {
        closed: Closed,
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        of: Vec<String>,
    },
}

#[test]
fn types_without_a_name_for_the_variant_are_told_apart_by_their_form() {
    let both =
        |closed, of: &[&str]| Sample::Both { closed, name: None, of: of.iter().map(|&name| name.to_owned()).collect() };
    let all = vec![
        Sample::Count(2.5),
        Sample::Name("x".to_owned()),
        Sample::Names(vec!["x".to_owned()]),
        both(Closed::Left, &[]),
        both(Closed::Right, &["y", "z"]),
    ];
    assert_eq!(unpack::<Vec<Sample>>(&pack(&all).unwrap()).unwrap(), all);
}

fn whole(reason: Option<&str>) -> Whole {
    Whole {
        kinds: vec![
            Kind::Plain,
            Kind::Named { size: -0.5, name: None },
            Kind::Wrapped(vec![0, u32::MAX]),
            Kind::Pair(-3, true),
        ],
        reason: reason.map(str::to_owned),
        limits: [0.1, 1e30],
        values: [("ece".to_owned(), Ok(0.1)), ("mce".to_owned(), Err("no".to_owned()))].into(),
        any: serde_json::json!({ "a": [1, -2, 0.5, null, "x", { "deep": false }] }),
        column: vec![1.0, f64::NAN].into(),
        words: Vec::new(),
        last: u64::MAX,
    }
}

#[test]
fn what_was_packed_is_unpacked() {
    for reason in [None, Some("because")] {
        let (bytes, cargo) = with_columns_out(|| pack(&whole(reason)).unwrap());
        let mut back: Whole = with_columns_in(cargo, || unpack(&bytes).unwrap());
        // not-a-number equals nothing, itself included
        assert!(back.column[0] == 1.0 && back.column[1].is_nan());
        back.column = Column::default();
        let column = Column::default();
        assert_eq!(back, Whole { column, ..whole(reason) });
    }
}

#[test]
fn a_number_keeps_its_bits() {
    for value in [f64::NAN, -0.0, f64::INFINITY, f64::MIN_POSITIVE / 3.0, 0.1] {
        let back: f64 = unpack(&pack(&value).unwrap()).unwrap();
        assert_eq!(back.to_bits(), value.to_bits());
    }
}

#[test]
fn what_only_the_page_reads_is_left_behind() {
    let words = Whole { words: vec!["for people".to_owned()], ..whole(None) };
    let (bytes, cargo) = with_columns_out(|| pack(&words).unwrap());
    let back: Whole = with_columns_in(cargo, || unpack(&bytes).unwrap());
    assert!(back.words.is_empty() && back.last == words.last);
}

/// Wherever the bytes are cut or one of them is another, an error or a value comes back, never a panic.
#[test]
fn damaged_bytes_are_an_error() {
    let (bytes, cargo) = with_columns_out(|| pack(&whole(Some("x"))).unwrap());
    for cut in 0..bytes.len() {
        let read = with_columns_in(cargo.clone(), || unpack::<Whole>(&bytes[..cut]));
        assert!(read.is_err(), "cut at {cut}");
    }
    for at in 0..bytes.len() {
        for mark in (0..=12).chain([255]) {
            let mut bytes = bytes.clone();
            bytes[at] = mark;
            let _: Result<Whole, _> = with_columns_in(cargo.clone(), || unpack(&bytes));
        }
    }
    let longer = [pack(&1.5).unwrap(), vec![0]].concat();
    assert_eq!(unpack::<f64>(&longer).unwrap_err().to_string(), "these bytes are not a message of this version");
}
