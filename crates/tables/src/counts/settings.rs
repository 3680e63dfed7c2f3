//! What a result of counting says about itself: one text in its first line, which survives CSV, Parquet and the quotes of any
//! engine.
//!
//! `localcal-counts=1&grid=960&table=visits&score=risk&…`: names and values joined by `=` and `&`, everything but letters,
//! digits, `.`, `_` and `-` as `%` and two hexadecimal digits a byte.

use std::fmt::Write;

use super::selection::{CountRequest, QuantizedColumn};
use crate::error::{Error, Result};

/// First name of the text.
pub const MARK: &str = "localcal-counts";
/// Version of the columns that follow.
pub const VERSION: &str = "1";

/// What was counted, as the first line of a result says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// what was asked
    pub request: CountRequest,
    /// the smallest number of rows of which a line tells, where lines were merged; none: any
    pub least: Option<u64>,
}

impl Settings {
    /// As a text without a quote, a space or a line break.
    pub fn written(&self) -> String {
        let asked = &self.request;
        let mut text = format!("{MARK}={VERSION}");
        let mut put = |name: &str, value: &str| {
            let _ = write!(text, "&{name}={}", escaped(value));
        };
        put("dialect", &asked.dialect);
        put("grid", &asked.grid().cells().to_string());
        put("table", &asked.table);
        put("score", &asked.score);
        if asked.percent {
            put("percent", "true");
        }
        put("outcome", &asked.outcome);
        let optional = [
            ("positive", &asked.positive),
            ("negative", &asked.negative),
            ("weight", &asked.weight),
            ("month", &asked.month),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                put(name, value);
            }
        }
        if let Some(least) = self.least {
            put("suppress", &least.to_string());
        }
        for column in &asked.by {
            put("by", column);
        }
        for of in &asked.features {
            put("feature", &format!("{},{},{},{}", of.low, of.high, of.cells, of.column));
        }
        text
    }

    /// Reads a text that [`Settings::written`] wrote.
    ///
    /// # Errors
    /// `table_unreadable` for a text that is damaged, or of another version.
    pub fn read(text: &str) -> Result<Self> {
        let mut asked = CountRequest::default();
        let mut least = None;
        for (place, part) in text.trim().split('&').enumerate() {
            let (name, value) = part.split_once('=').ok_or_else(|| damaged(part))?;
            let value = unescaped(value).ok_or_else(|| damaged(part))?;
            if place == 0 && (name, value.as_str()) != (MARK, VERSION) {
                return Err(Error::new(
                    "table_unreadable",
                    format!("These counts are of version {value}; this program reads version {VERSION}."),
                    "Write the statement again and count again.",
                ));
            }
            match name {
                "dialect" => asked.dialect = value,
                "grid" => asked.cells = Some(value.parse().map_err(|_| damaged(part))?),
                "table" => asked.table = value,
                "score" => asked.score = value,
                "percent" => asked.percent = true,
                "outcome" => asked.outcome = value,
                "positive" => asked.positive = Some(value),
                "negative" => asked.negative = Some(value),
                "weight" => asked.weight = Some(value),
                "suppress" => least = Some(value.parse().map_err(|_| damaged(part))?),
                "month" => asked.month = Some(value),
                "by" => asked.by.push(value),
                "feature" => asked.features.push(feature(&value).ok_or_else(|| damaged(part))?),
                _ => {}
            }
        }
        asked.check_columns()?;
        Ok(Self { request: asked, least })
    }
}

fn feature(text: &str) -> Option<QuantizedColumn> {
    let mut parts = text.splitn(4, ',');
    let mut next = || parts.next();
    Some(QuantizedColumn {
        low: next()?.parse().ok()?,
        high: next()?.parse().ok()?,
        cells: next()?.parse().ok()?,
        column: next()?.to_owned(),
    })
}

fn damaged(part: &str) -> Error {
    Error::new(
        "table_unreadable",
        format!("The settings in the first line of these counts are damaged at {}.", crate::words::text::quoted(part)),
        "Save the result of the statement again, unchanged.",
    )
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for &byte in value.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

fn unescaped(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = rest else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(*high)? * 16 + digit(*low)?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_as_they_were() {
        let request = CountRequest {
            dialect: "spark".into(),
            table: "db.\"odd table\"".into(),
            score: "risk'; DROP TABLE t --".into(),
            outcome: "Straße & Co = 100%".into(),
            positive: Some("yes\n".trim().into()),
            negative: Some("no".into()),
            weight: Some("w".into()),
            by: vec!["ward".into(), "O'Brien".into()],
            month: Some("day".into()),
            features: vec![QuantizedColumn { column: "a,b".into(), low: -3.1, high: 3.3, cells: 64 }],
            percent: true,
            cells: Some(240),
            combinations: None,
        };
        let text = Settings { request: request.clone(), least: Some(10) }.written();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"=&%._-".contains(&byte)), "{text}");
        assert_eq!(Settings::read(&text), Ok(Settings { request, least: Some(10) }));
    }

    #[test]
    fn damaged_settings_are_refused() {
        for (text, words) in [
            ("localcal-counts=2&grid=960", "version 2"),
            ("localcal-counts=1&grid=no", "damaged at `grid=no`"),
            ("localcal-counts=1&by", "damaged at `by`"),
            ("localcal-counts=1&by=%F", "damaged"),
            ("localcal-counts=1&by=%FF", "damaged"),
            ("localcal-counts=1&feature=1,2,3", "damaged"),
            ("localcal-counts=1&dialect=spark&table=t", "score"),
        ] {
            let error = Settings::read(text).expect_err(text);
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }
}
