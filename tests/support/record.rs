//! A golden file: inputs, and expected values with the call that gave them and a tolerance.

use serde_json::Value;

pub struct Record {
    name: &'static str,
    body: Value,
}

impl Record {
    pub fn read(name: &'static str) -> Self {
        let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}.json: {e}"));
        let body = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}.json: {e}"));
        Self { name, body }
    }

    /// An input column, or an input matrix row by row; null is NaN.
    pub fn input(&self, key: &str) -> Vec<f64> {
        let value = &self.body["inputs"][key];
        assert!(!value.is_null(), "{}.json has no input {key}", self.name);
        let mut out = Vec::new();
        flatten(value, &mut out);
        out
    }

    /// The probability matrix, row by row: whole numbers over `units`.
    pub fn probabilities(&self) -> Vec<f64> {
        let units = self.input("units")[0];
        self.input("probabilities").iter().map(|k| k / units).collect()
    }

    /// The numbers of an expected array.
    pub fn expected(&self, key: &str) -> Vec<f64> {
        let value = &self.body["expected"][key]["value"];
        assert!(!value.is_null(), "{}.json expects no {key}", self.name);
        let mut out = Vec::new();
        flatten(value, &mut out);
        out
    }

    /// Checks a number, or the numbers of an array in order, against `expected[key].value` at `pointer`.
    ///
    /// `pointer` is empty for the value itself or a JSON pointer into it, such as `/temperature`.
    pub fn check(&self, key: &str, pointer: &str, ours: &[f64]) {
        let entry = &self.body["expected"][key];
        let value =
            entry["value"].pointer(pointer).unwrap_or_else(|| panic!("{}.json expects no {key}{pointer}", self.name));
        let tolerance = entry["tolerance"].as_f64().unwrap();
        let mut theirs = Vec::new();
        flatten(value, &mut theirs);
        assert_eq!(ours.len(), theirs.len(), "{key}{pointer}: number of values");
        for (i, (our, their)) in ours.iter().zip(&theirs).enumerate() {
            let same = (our - their).abs() <= tolerance || (our.is_nan() && their.is_nan());
            assert!(same, "{}.json, {key}{pointer}[{i}]: ours {our}, theirs {their} ({})", self.name, entry["by"]);
        }
    }
}

fn flatten(value: &Value, out: &mut Vec<f64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, out)),
        Value::Null => out.push(f64::NAN),
        other => out.push(other.as_f64().expect("a number")),
    }
}
