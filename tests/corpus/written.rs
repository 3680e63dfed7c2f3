//! JSON as it stands in the files: what fits stands in one line, texts line by line, and where two answers differ.

use serde_json::{Value, json};

/// Columns that a line may take before it is broken.
const WIDTH: usize = 160;

/// The text of a file.
pub fn written(value: &Value) -> String {
    let mut out = String::new();
    write(&by_lines(value.clone()), 0, 0, &mut out);
    out + "\n"
}

/// Texts of many lines become lists of lines, and a long line a list of its pieces; a text that is a value in pretty lines
/// or in one line stands as that value, from which the same text comes again.
fn by_lines(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with('{') && text.len() > 100 => {
            match serde_json::from_str::<Value>(&text) {
                Ok(value) if serde_json::to_string_pretty(&value).is_ok_and(|pretty| pretty == text) => {
                    json!({ "pretty_json": value })
                }
                Ok(value) if serde_json::to_string(&value).is_ok_and(|plain| plain == text) => json!({ "json": value }),
                _ => lines(&text),
            }
        }
        Value::String(text) if text.contains('\n') || text.len() > 4000 => lines(&text),
        Value::Array(items) => items.into_iter().map(by_lines).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, by_lines(value))).collect(),
        other => other,
    }
}

fn lines(text: &str) -> Value {
    json!({ "lines": text.split('\n').map(in_pieces).collect::<Vec<_>>() })
}

/// A long line, cut after commas.
fn in_pieces(line: &str) -> Value {
    if line.len() <= 4000 {
        return line.into();
    }
    let mut pieces = vec![String::new()];
    for piece in line.split_inclusive(',') {
        match pieces.last_mut() {
            Some(last) if last.len() + piece.len() <= WIDTH => last.push_str(piece),
            _ => pieces.push(piece.to_owned()),
        }
    }
    pieces.into()
}

fn write(value: &Value, depth: usize, before: usize, out: &mut String) {
    let line = value.to_string();
    if line.len() + before + depth <= WIDTH {
        return out.push_str(&line);
    }
    let indent = " ".repeat(depth + 1);
    let scalar = |value: &Value| !value.is_array() && !value.is_object();
    match value {
        Value::Array(items) if items.iter().all(|item| scalar(item) && !item.is_string()) => {
            out.push('[');
            let mut column = WIDTH;
            for (i, item) in items.iter().enumerate() {
                let text = item.to_string();
                if column + text.len() + 2 > WIDTH {
                    out.push_str(&format!("\n{indent}"));
                    column = indent.len();
                }
                let comma = if i + 1 < items.len() { "," } else { "" };
                out.push_str(&format!("{text}{comma}"));
                column += text.len() + comma.len();
            }
            out.push_str(&format!("\n{}]", " ".repeat(depth)));
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(&format!("{}\n{indent}", if i > 0 { "," } else { "" }));
                write(item, depth + 1, 0, out);
            }
            out.push_str(&format!("\n{}]", " ".repeat(depth)));
        }
        Value::Object(fields) => {
            out.push('{');
            for (i, (key, field)) in fields.iter().enumerate() {
                let key = Value::from(key.as_str()).to_string();
                out.push_str(&format!("{}\n{indent}{key}: ", if i > 0 { "," } else { "" }));
                write(field, depth + 1, key.len() + 2, out);
            }
            out.push_str(&format!("\n{}}}", " ".repeat(depth)));
        }
        _ => out.push_str(&line),
    }
}

/// Where two values differ: path, before, after; the first few.
pub fn differences(before: &Value, after: &Value, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    walk(before, after, String::new(), most, &mut found);
    found
}

fn walk(before: &Value, after: &Value, path: String, most: usize, found: &mut Vec<String>) {
    if found.len() >= most || before == after {
        return;
    }
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                let path = format!("{path}/{key}");
                match b.get(key) {
                    Some(other) => walk(value, other, path, most, found),
                    None => found.push(format!("{path}: {} → gone", shown(value))),
                }
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                found.push(format!("{path}/{key}: new → {}", shown(value)));
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            if a.len() != b.len() {
                found.push(format!("{path}: {} items → {}", a.len(), b.len()));
            }
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                walk(a, b, format!("{path}/{i}"), most, found);
            }
        }
        _ => found.push(format!("{path}: {} → {}", shown(before), shown(after))),
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(200).collect();
    if short.len() < text.len() { short + "…" } else { short }
}
