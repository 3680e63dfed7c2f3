//! Small files made in memory, and short ways to open them.

use localcal::data::{OpenOptions, Predictions, Role, Scores, Summary, assemble};
use localcal::error::Result;
use localcal::read::read;

pub type Opened = (Predictions, Summary);

pub fn open_with(files: &[(&str, &[u8])], options: &OpenOptions) -> Result<Opened> {
    let files = files.iter().map(|(name, bytes)| read(name, bytes, &mut |_| {})).collect::<Result<Vec<_>>>()?;
    assemble(&files, options)
}

pub fn open(text: &str) -> Opened {
    open_with(&[("a.csv", text.as_bytes())], &OpenOptions::default())
        .unwrap_or_else(|e| panic!("{}: {e}\n{text}", e.code()))
}

/// Code and message of the failure.
pub fn failure(text: &str) -> (String, String) {
    failure_with(text, &OpenOptions::default())
}

pub fn failure_with(text: &str, options: &OpenOptions) -> (String, String) {
    let error = open_with(&[("a.csv", text.as_bytes())], options).unwrap_err();
    assert!(!error.hint().is_empty());
    (error.code().to_owned(), error.to_string())
}

pub fn roles(list: &[(&str, Role)]) -> OpenOptions {
    OpenOptions { roles: list.iter().map(|(n, r)| ((*n).to_owned(), *r)).collect(), ..OpenOptions::default() }
}

/// `name role` of every column, joined by `, `.
pub fn roles_of(summary: &Summary) -> String {
    let one = |c: &localcal::data::ColumnRole| {
        let role = serde_json::to_value(c.role).unwrap();
        format!("{} {}", c.name, role.as_str().unwrap())
    };
    summary.columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub fn codes(summary: &Summary) -> Vec<&str> {
    summary.warnings.iter().map(|w| w.code.as_str()).collect()
}

pub fn p(predictions: &Predictions) -> Vec<f64> {
    match &predictions.scores {
        Some(Scores::Binary { p, .. }) => p.to_vec(),
        other => panic!("one probability expected, {other:?}"),
    }
}

/// Row `i` of the matrix of scores.
pub fn row(predictions: &Predictions, i: usize) -> Vec<f64> {
    match &predictions.scores {
        Some(Scores::Probabilities(matrix) | Scores::Logits(matrix)) => {
            (0..matrix.width).map(|k| matrix.value(i, k)).collect()
        }
        other => panic!("a matrix expected, {other:?}"),
    }
}

pub fn y(predictions: &Predictions) -> Vec<u32> {
    predictions.y.as_ref().expect("labels").to_vec()
}

pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn floats(shape: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("<f8", shape, &data)
}

pub fn singles(shape: &str, values: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("<f4", shape, &data)
}

pub fn integers(shape: &str, values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("<i8", shape, &data)
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
    })
}

/// A ZIP archive; `method` 0 stores, 8 deflates, others are written as they are named.
pub fn zip(entries: &[(&str, &[u8])], method: u16) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, data) in entries {
        let packed = if method == 8 { miniz_oxide::deflate::compress_to_vec(data, 6) } else { data.to_vec() };
        let mut common = Vec::new();
        common.extend([20, 0, 0, 0]);
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        common.extend(crc32(data).to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((out.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(&packed);
    }
    let start = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((entries.len() as u16).to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0, 0]);
    out
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3];
    out.extend(b"a.csv\0");
    out.extend(miniz_oxide::deflate::compress_to_vec(data, 6));
    out.extend(crc32(data).to_le_bytes());
    out.extend((data.len() as u32).to_le_bytes());
    out
}

/// Opens the arrays of an NPZ file.
pub fn open_npz(entries: &[(&str, Vec<u8>)]) -> Opened {
    let named: Vec<(String, &[u8])> =
        entries.iter().map(|(name, data)| (format!("{name}.npy"), data.as_slice())).collect();
    let named: Vec<(&str, &[u8])> = named.iter().map(|(n, d)| (n.as_str(), *d)).collect();
    open_with(&[("a.npz", &zip(&named, 8))], &OpenOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", e.code()))
}
