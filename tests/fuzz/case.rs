//! One case: files and what is asked of them, as data that can be written down and played again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that happens in one case, in this order. What is absent is not done.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Case {
    /// what it once showed; empty for a new one
    pub why: String,
    /// opened together as one data set
    pub files: Vec<File>,
    /// options of `open`
    pub open: Value,
    /// a feature map made after opening
    #[serde(skip_serializing_if = "Value::is_null")]
    pub project: Value,
    /// options of `run`
    #[serde(skip_serializing_if = "Value::is_null")]
    pub run: Value,
    /// `{ kind: options }` each
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub analyses: Vec<Value>,
    /// charts of the run
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<Value>,
    /// what is altered in the exported calibrator before it is applied to the same files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alter: Vec<Altered>,
    /// a stored calibrator to apply in the place of the run's own
    #[serde(skip_serializing_if = "Value::is_null")]
    pub calibrator: Value,
    /// bytes that are altered in the messages between workers: (message, place, byte), each modulo what there is
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<(usize, usize, u8)>,
    /// run the plan a second time as a pool would
    #[serde(skip_serializing_if = "is_false")]
    pub pool: bool,
}

/// A file by its name, as text where it is text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// two digits a byte
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
}

/// One value of a calibrator, by JSON pointer; absent `to`: the value is taken out.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Altered {
    pub at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

impl File {
    pub fn new(name: &str, bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).ok().map(str::to_owned);
        let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        File { name: name.to_owned(), hex: if text.is_none() { Some(hex()) } else { None }, text }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let from_hex = |hex: &String| {
            let digits = hex.as_bytes().chunks(2);
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
            digits.map(|pair| byte(pair).unwrap()).collect()
        };
        match (&self.text, &self.hex) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(hex)) => from_hex(hex),
            (None, None) => Vec::new(),
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
