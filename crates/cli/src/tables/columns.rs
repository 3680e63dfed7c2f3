//! Columns on their way to the core, as `www/tables/columns.ts` writes them: a magic line, the length of the head, the head as
//! JSON, then the values of each column, each at a multiple of eight bytes.

use localcal::read::cells::Nested;
use localcal::table::{Matrix, Reals, Values};
use serde_json::{Value, json};

const MAGIC: &[u8] = b"LOCALCAL COLUMNS 1\n";

/// A value of JSON as one within a cell.
pub fn of_json(value: Value) -> Nested {
    match value {
        Value::Null => Nested::Null,
        Value::Bool(value) => Nested::Bool(value),
        Value::Number(value) => Nested::Number(value.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Nested::Text(text),
        Value::Array(items) => Nested::List(items.into_iter().map(of_json).collect()),
        Value::Object(fields) => {
            Nested::Fields(fields.into_iter().map(|(name, value)| (name, of_json(value))).collect())
        }
    }
}

/// The container of columns, which are equally long.
pub fn of_columns(columns: impl IntoIterator<Item = (String, Values)>, warnings: Vec<Value>) -> Vec<u8> {
    let (heads, bodies): (Vec<Value>, Vec<Vec<u8>>) = columns.into_iter().map(written).unzip();
    let mut bytes = opening(&json!({ "warnings": warnings, "text": false, "columns": heads }));
    for body in bodies {
        bytes.extend_from_slice(&body);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    bytes
}

/// The entry of a column in the head, and its bytes.
fn written((name, values): (String, Values)) -> (Value, Vec<u8>) {
    let bytes = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    match values {
        Values::Text { codes, levels } => {
            let texts: Vec<&str> = levels.iter().collect();
            let bytes = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
            (json!({ "kind": "text", "name": name, "rows": codes.len(), "levels": texts }), bytes)
        }
        Values::Matrix(Matrix { width, values: Reals::F64(values) }) => {
            let rows = values.len() / width.max(1);
            (json!({ "kind": "matrix", "name": name, "rows": rows, "width": width }), bytes(&values))
        }
        Values::Numbers(values) => (json!({ "kind": "numbers", "name": name, "rows": values.len() }), bytes(&values)),
        // cells make no others
        _ => (json!({ "kind": "numbers", "name": name, "rows": 0 }), Vec::new()),
    }
}

/// The container of a table in plain text.
pub fn of_text(text: &str, warnings: Vec<Value>) -> Vec<u8> {
    let mut bytes = opening(&json!({ "warnings": warnings, "text": true, "columns": [] }));
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn opening(head: &Value) -> Vec<u8> {
    let head = head.to_string();
    let mut bytes = [MAGIC, &(head.len() as u32).to_le_bytes(), head.as_bytes()].concat();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
