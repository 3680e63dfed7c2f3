//! Damaged files: a sentence or a data set, never a panic.

use crate::support::bytes::*;
use localcal::data::{OpenOptions, RowPolicy};
use rand_pcg::{Pcg64, rand_core::Rng};

fn survives(name: &str, bytes: &[u8]) {
    for rows in [RowPolicy::Error, RowPolicy::Drop] {
        let options = OpenOptions { rows, ..OpenOptions::default() };
        if let Err(error) = open_with(&[(name, bytes)], &options) {
            assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
    }
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let p = floats("(3, 2)", &[0.25, 0.75, 0.5, 0.5, 0.875, 0.125]);
    let y = integers("(3,)", &[1, 0, 1]);
    let table = "id,y,\"p, of 1\",g\r\na,1,0.5,x\r\nb,0,2.5e-1,\"y\"\"\"\r\nc,1,NA,z\r\nd,0,.75,x\r\n";
    vec![
        ("a.csv", table.as_bytes().to_vec()),
        ("b.csv", "y;p\n1;0,5\n0;0,25\n".into()),
        ("c.csv", table.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("w.csv", "inst#,actual,predicted,error,distribution\n1,1:a,1:a,,*0.9,0.1\n2,2:b,1:a,+,*0.6,0.4\n".into()),
        ("m.csv", "label,prob_0,prob_1,label_0,label_1\n0,0.75,0.25,1,0\n1,0.5,0.5,0,1\n".into()),
        ("a.npy", p.clone()),
        ("s.npz", zip(&[("p.npy", &p), ("y.npy", &y)], 0)),
        ("d.npz", zip(&[("p.npy", &p), ("y.npy", &y)], 8)),
        ("a.csv.gz", gzip(table.as_bytes())),
    ]
}

#[test]
fn cut_off_at_every_length() {
    for (name, bytes) in samples() {
        for length in 0..bytes.len() {
            survives(name, &bytes[..length]);
        }
    }
}

#[test]
fn one_byte_changed() {
    let mut rng = Pcg64::new(7, 11);
    for (name, bytes) in samples() {
        for at in 0..bytes.len() {
            for _ in 0..4 {
                let mut changed = bytes.clone();
                changed[at] = rng.next_u32() as u8;
                survives(name, &changed);
            }
        }
    }
}

#[test]
fn random_bytes_and_random_tables() {
    let mut rng = Pcg64::new(1, 2);
    let alphabet = b"0123456789.,;\t|\n\r\" -+eNAyp_x?";
    for _ in 0..3_000 {
        let length = (rng.next_u32() % 200) as usize;
        let random: Vec<u8> = (0..length).map(|_| rng.next_u32() as u8).collect();
        survives("r.csv", &random);
        let table: Vec<u8> = (0..length).map(|_| alphabet[rng.next_u32() as usize % alphabet.len()]).collect();
        survives("r.csv", &table);
        survives("r.csv", &[b"y,p,g\n", &table[..]].concat());
        for magic in [&b"PK\x03\x04"[..], b"\x93NUMPY\x01\x00", b"\x1f\x8b\x08\x00"] {
            survives("r.npz", &[magic, &random].concat());
        }
    }
}
