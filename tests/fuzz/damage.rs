//! Damaged files, altered calibrators and altered messages.

use std::io::Write as _;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use serde_json::{Value, json};

use crate::case::{Altered, Case, File};
use crate::draw::{self, Draws};

/// An NPY array of numbers, or of whole numbers.
fn npy(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    file.write_all(&[0; 4]).expect("memory");
    file.extend((bytes.len() as u32).to_le_bytes());
    file
}

/// A ZIP archive of stored members, without checksums that hold.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in members {
        let place = file.len() as u32;
        let size = (bytes.len() as u32).to_le_bytes();
        let mut record = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        record.extend(size);
        record.extend(size);
        record.extend((name.len() as u16).to_le_bytes());
        record.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&record);
        file.extend(name.as_bytes());
        file.extend(*bytes);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&record);
        directory.extend([0; 10]);
        directory.extend(place.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = file.len() as u32;
    let count = (members.len() as u16).to_le_bytes();
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count);
    file.extend(count);
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A frame of zstd with one block as it is.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    file.extend(&((bytes.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    file.extend(bytes);
    file
}

const HARNESS: &str = r#"{"doc_id":0,"doc":{"question":"a?","choices":["x","yy"],"subject":"s"},"target":"1","arguments":{"gen_args_0":{"arg_0":"a?","arg_1":" x"}},"filtered_resps":[["-0.5","False"],["-0.25","False"]],"filter":"none","acc":1.0,"acc_norm":0.0}
{"doc_id":1,"doc":{"question":"b?","choices":["x","yy"],"subject":"t"},"target":"0","arguments":{},"filtered_resps":[["-0.5","False"],["-inf","False"]],"filter":"none","acc":0.0,"acc_norm":1.0}
"#;
const HELM: &str = r#"[{"instance_id":"id1","train_trial_index":0,"stats":[{"name":{"name":"max_prob","split":"test"},"mean":0.5},{"name":{"name":"exact_match","split":"test"},"mean":1}]},
{"instance_id":"id2","perturbation":{"name":"typos"},"train_trial_index":0,"stats":[{"name":{"name":"max_prob","split":"test"},"mean":NaN},{"name":{"name":"exact_match","split":"test"},"mean":0.5}]}]"#;
const JUDGED: &str = r#"{"r1":{"model":"m","response":"Confidence: 80%","usage":{},"judge_response":{"correct":"yes","confidence":80}},"r2":{"model":"m","response":"","usage":{}},
"r3":{"model":"m","response":"c","usage":{},"judge_response":{"correct":"no","confidence":100}}}"#;
const ANSWERS: &str = r#"{"id":"a","question":"q?","category":"k","confidence":95,"grade":"A"}
{"id":"a","question":"q?","category":"k","confidence":"20%","grade":"B"}
{"id":"b","question":"r?","category":"l","confidence":NaN,"grade":"C"}
"#;
const INSPECT: &str = r#"[{"id":"q1","epoch":1,"input":"a?","metadata":{"topic":"k"},"scores":{"s":{"value":{"score":"C","confidence":95}}}},{"id":2,"epoch":1,"input":[{"role":"user","content":"b?"}],"metadata":{},"scores":{"s":{"value":{"score":NaN,"confidence":100}}}},{"id":"q1","epoch":2,"input":"a?","scores":{"s":{"value":{"score":"I","confidence":40}}}}]"#;

/// A log of Inspect with these samples, or its head alone.
fn inspect_log(samples: &str) -> Vec<u8> {
    let head =
        r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"results":{"headline":{"scorer":"s"}}"#;
    let samples = if samples.is_empty() { String::new() } else { format!(",\"samples\":{samples}") };
    format!("{head}{samples}}}").into_bytes()
}

/// A file, a stream, and a file with columns that are left out.
const ARROW: &[(&str, &[u8])] = &[
    ("small.arrow", include_bytes!("../tables/files/small.arrow")),
    ("small.arrows", include_bytes!("../tables/files/small.arrows")),
    ("left_out.arrow", include_bytes!("../tables/files/left_out.arrow")),
];

/// Files that open, of every kind.
fn sound(rng: &mut Pcg64) -> (&'static str, Vec<u8>) {
    let numbers = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let p = npy("<f8", "(3, 2)", &numbers(&[0.25, 0.75, 0.5, 0.5, 0.875, 0.125]));
    let y = npy("<i8", "(3,)", &[1_i64, 0, 1].iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>());
    let table = "id,y,\"p, of 1\",g\r\na,1,0.5,x\r\nb,0,2.5e-1,\"y\"\"\"\r\nc,1,NA,z\r\nd,0,.75,x\r\n";
    match rng.below(17) {
        0 => ("a.csv", table.into()),
        1 => ("b.csv", "y;p\n1;0,5\n0;0,25\n1;12,5\n".into()),
        2 => ("c.csv", table.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        3 => ("m.csv", "label,prob_a,prob_b,prob_c\na,0.75,0.25,0\nb,0.5,0.5,0\nc,0.1,0.2,0.7\n".into()),
        4 => ("p.csv", "risk,died\n12.5%,yes\n80%,no\n7 %,no\n".into()),
        5 => ("a.npy", p),
        6 => ("s.npz", zip(&[("p.npy", &p), ("y.npy", &y)])),
        7 => ("a.csv.gz", gzip(table.as_bytes())),
        8 => ("a.csv.zst", zstd(table.as_bytes())),
        9 => ("samples_t_2026-11-24T01-42-17.746730.jsonl", HARNESS.into()),
        10 => ("per_instance_stats.json", HELM.into()),
        11 => ("judged.json", JUDGED.into()),
        12 => ("answers.jsonl", ANSWERS.into()),
        13 => ("log.json", inspect_log(INSPECT)),
        14 => ("log.eval", zip(&[("header.json", &inspect_log("")), ("summaries.json", INSPECT.as_bytes())])),
        15 => {
            let (name, bytes) = rng.one(ARROW);
            (name, bytes.to_vec())
        }
        _ => ("c.tsv", "confidence\tcorrect\tage\n0.9\t1\t31\n0.4\t0\t52\n1\t1\t\n".into()),
    }
}

/// Bytes cut, changed, repeated, moved, or of another file.
fn damaged(rng: &mut Pcg64, mut bytes: Vec<u8>) -> Vec<u8> {
    let alphabet = b"0123456789.,;\t|\n\r\"' -+eNA%_";
    for _ in 0..1 + rng.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        match rng.below(7) {
            0 => bytes.truncate(at),
            1 => bytes[at] = rng.next_u32() as u8,
            2 => bytes[at] = rng.one(alphabet),
            3 => bytes[at] ^= 1 << rng.below(8),
            4 => bytes.insert(at, rng.one(alphabet)),
            5 => {
                let end = (at + rng.below(40)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                let place = rng.below(bytes.len());
                bytes.splice(place..place, part);
            }
            _ => {
                let end = (at + rng.below(12)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
    bytes
}

/// One or two damaged files, opened and, if they open, run.
pub fn file(rng: &mut Pcg64) -> Case {
    let files = (0..1 + usize::from(rng.once_in(5)))
        .map(|i| {
            let (name, bytes) = sound(rng);
            let name = if i > 0 { format!("second-{name}") } else { name.to_owned() };
            File::new(&name, &damaged(rng, bytes))
        })
        .collect();
    let open = if rng.once_in(2) { json!({ "rows": "drop" }) } else { json!({}) };
    let run = json!({ "methods": ["none", "platt", "isotonic"], "resamples": 5 });
    Case { files, open, run, ..Case::default() }
}

/// What a value of a calibrator may be turned into.
fn altered(rng: &mut Pcg64) -> Option<Value> {
    let number = [0.0, -1.0, 0.5, 1.5, 7.0, 1e9, 1e300, -1e300, 1e-320, 5e-324];
    match rng.below(8) {
        0 => None,
        1 => Some(Value::Null),
        2 => Some(json!("text")),
        3 => Some(json!([])),
        4 => Some(json!({})),
        _ => Some(json!(rng.one(&number))),
    }
}

/// A run whose calibrator is altered at a place that is likely to exist, then applied.
pub fn calibrator(rng: &mut Pcg64) -> Case {
    let case = draw::fitted(rng);
    let names = [
        "temperature",
        "a",
        "b",
        "x",
        "y",
        "edges",
        "values",
        "counts",
        "weights",
        "features",
        "gamma",
        "kernel",
        "bins",
        "proximity",
        "groups",
        "base",
        "then",
        "scores",
        "outcomes",
        "coefficients",
        "intercept",
        "ridge",
        "cells",
        "steps",
        "mean",
        "scale",
        "components",
        "hidden",
        "low",
        "high",
    ];
    let alter = (0..1 + rng.below(2)).map(|_| {
        let mut at = "/methods/0".to_owned();
        if !rng.once_in(6) {
            at += "/parameters";
            for _ in 0..rng.below(3) {
                at += &format!("/{}", rng.one(&names));
            }
            at += &format!("/{}", rng.one(&names));
        } else {
            at += &format!("/{}", rng.one(&["id", "name", "parameters", "rows"]));
        }
        if rng.once_in(2) {
            at += &format!("/{}", rng.below(3));
        }
        Altered { at, to: altered(rng) }
    });
    Case { alter: alter.collect(), ..case }
}

/// A run whose messages between workers are altered.
pub fn messages(rng: &mut Pcg64) -> Case {
    let case = draw::fitted(rng);
    let messages = (0..60).map(|_| (rng.below(8), rng.next_u32() as usize, rng.next_u32() as u8));
    Case { messages: messages.collect(), ..case }
}
