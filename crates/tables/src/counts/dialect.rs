//! What differs between engines: how names and texts are quoted, and the words for types and functions.
//!
//! A name in the statement is always quoted. What a person wrote is taken letter for letter; a name in double quotes loses
//! them, so that a dot, or in Snowflake a lowercase name, can be written.

use crate::error::{Error, Result};
use crate::words::text::quoted;

/// How an engine quotes names and texts. Within them only the closing quote, and where it escapes the backslash, has a
/// meaning; both are written so that they stand for themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// the closing quote is doubled, and a backslash is a backslash
    Doubled,
    /// a backslash precedes the closing quote and every backslash
    Backslash,
}

/// A dialect of SQL.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// as requests name it
    pub id: &'static str,
    /// for people
    pub name: &'static str,
    /// opening and closing quote of a name
    name_quotes: (char, char),
    name_escape: Escape,
    text_escape: Escape,
    /// what stands before the quote of a text
    text_prefix: &'static str,
    /// whether the engine stores unquoted names in capitals
    capitals: bool,
    /// type of a floating-point number
    pub(super) double: &'static str,
    /// type of a whole number of 64 bits
    pub(super) long: &'static str,
    /// type of a whole number of 32 bits
    int: &'static str,
    /// natural logarithm
    pub(super) ln: &'static str,
    /// literals of true and false
    truth: [&'static str; 2],
    /// a floating-point number without a fraction as a whole one
    whole: fn(&str, &Dialect) -> String,
    /// a column as a floating-point number, as text, and its month as a number 202401
    number: fn(&str, &Dialect) -> String,
    text: fn(&str) -> String,
    month: fn(&str) -> String,
}

impl Dialect {
    /// The dialect of that id.
    pub fn of(id: &str) -> Option<&'static Self> {
        DIALECTS.iter().find(|dialect| dialect.id == id)
    }

    /// A column name, quoted.
    pub(super) fn column(&self, name: &str) -> String {
        self.quote(name.trim())
    }

    /// The name of a table, every part quoted.
    ///
    /// # Errors
    /// `invalid_option` for an empty part, or a quote that does not end.
    pub(super) fn table(&self, name: &str) -> Result<String> {
        let wrong = |why: &str| {
            Error::new(
                "invalid_option",
                format!("The table name {} {why}.", quoted(name)),
                "Write it as database.schema.table; a part with a dot goes in double quotes.",
            )
        };
        let (mut parts, mut inside) = (vec![String::new()], false);
        for c in name.trim().chars() {
            match (c, parts.last_mut()) {
                ('.', _) if !inside => parts.push(String::new()),
                (c, Some(part)) => {
                    inside ^= c == '"';
                    part.push(c);
                }
                (_, None) => {}
            }
        }
        if inside {
            return Err(wrong("has a double quote that does not end"));
        }
        if parts.iter().any(|part| part.trim().is_empty() || part.trim() == "\"\"") {
            return Err(wrong("has an empty part"));
        }
        Ok(parts.iter().map(|part| self.quote(part.trim())).collect::<Vec<_>>().join("."))
    }

    fn quote(&self, name: &str) -> String {
        let inner = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let name = match inner {
            Some(inner) => inner.replace("\"\"", "\""),
            None if self.capitals && is_word(name) => name.to_ascii_uppercase(),
            None => name.to_owned(),
        };
        let (open, close) = self.name_quotes;
        format!("{open}{}{close}", escaped(&name, close, self.name_escape))
    }

    /// A text as a literal.
    pub(super) fn literal(&self, text: &str) -> String {
        format!("{}'{}'", self.text_prefix, escaped(text, '\'', self.text_escape))
    }

    /// A value of the outcome as a literal: a number, true or false, or a text. A number or a word in double quotes is a text.
    pub(crate) fn value(&self, value: &str) -> String {
        let value = value.trim();
        if let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return self.literal(&inner.replace("\"\"", "\""));
        }
        match value.to_ascii_lowercase().as_str() {
            "true" => self.truth[0].to_owned(),
            "false" => self.truth[1].to_owned(),
            _ if is_number(value) => value.to_owned(),
            _ => self.literal(value),
        }
    }

    /// A column as a floating-point number; `quoted`: the column, quoted.
    pub(super) fn number(&self, quoted: &str) -> String {
        (self.number)(quoted, self)
    }

    /// A floating-point number without a fraction as a whole number of 32 bits.
    pub(super) fn whole(&self, number: &str) -> String {
        (self.whole)(number, self)
    }

    /// A column as text.
    pub(super) fn text(&self, quoted: &str) -> String {
        (self.text)(quoted)
    }

    /// The month of a column of dates, such as 202401.
    pub(super) fn month(&self, quoted: &str) -> String {
        (self.month)(quoted)
    }
}

fn escaped(text: &str, close: char, escape: Escape) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match escape {
            Escape::Doubled if c == close => out.push(c),
            Escape::Backslash if c == close || c == '\\' => out.push('\\'),
            Escape::Doubled | Escape::Backslash => {}
        }
        out.push(c);
    }
    out
}

/// Whether a name needs no quotes.
fn is_word(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// Whether a text is a plain decimal number, which every engine reads the same way: `-1`, `0.5`.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |text: &str| !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    all(whole) && all(part)
}

fn cast_whole(number: &str, dialect: &Dialect) -> String {
    format!("CAST({number} AS {})", dialect.int)
}

fn cast(column: &str, dialect: &Dialect) -> String {
    format!("CAST({column} AS {})", dialect.double)
}

/// A text that is no number would be cast to 0; it counts as missing.
fn cast_in_sqlite(column: &str, dialect: &Dialect) -> String {
    format!("CASE WHEN TYPEOF({column}) IN ('real', 'integer') THEN CAST({column} AS {}) END", dialect.double)
}

fn varchar(column: &str) -> String {
    format!("CAST({column} AS VARCHAR)")
}

fn string(column: &str) -> String {
    format!("CAST({column} AS STRING)")
}

fn extracted(column: &str) -> String {
    let date = format!("CAST({column} AS DATE)");
    format!("EXTRACT(YEAR FROM {date}) * 100 + EXTRACT(MONTH FROM {date})")
}

/// What most engines share.
const USUAL: Dialect = Dialect {
    id: "",
    name: "",
    name_quotes: ('"', '"'),
    name_escape: Escape::Doubled,
    text_escape: Escape::Doubled,
    text_prefix: "",
    capitals: false,
    double: "DOUBLE",
    long: "BIGINT",
    int: "INTEGER",
    ln: "LN",
    truth: ["TRUE", "FALSE"],
    whole: cast_whole,
    number: cast,
    text: varchar,
    month: extracted,
};

const SPARK: Dialect = Dialect {
    id: "spark",
    name: "Spark SQL",
    name_quotes: ('`', '`'),
    text_escape: Escape::Backslash,
    text: string,
    ..USUAL
};

/// Every dialect, in the order in which they are offered.
pub const DIALECTS: &[Dialect] = &[
    Dialect { id: "duckdb", name: "DuckDB", ..USUAL },
    Dialect {
        id: "postgres",
        name: "PostgreSQL",
        // E'…' escapes by backslash, whatever standard_conforming_strings is set to
        text_prefix: "E",
        text_escape: Escape::Backslash,
        double: "DOUBLE PRECISION",
        text: |column| format!("CAST({column} AS TEXT)"),
        ..USUAL
    },
    SPARK,
    Dialect { id: "databricks", name: "Databricks", ..SPARK },
    Dialect {
        id: "bigquery",
        name: "BigQuery",
        name_quotes: ('`', '`'),
        name_escape: Escape::Backslash,
        text_escape: Escape::Backslash,
        double: "FLOAT64",
        long: "INT64",
        int: "INT64",
        text: string,
        ..USUAL
    },
    Dialect { id: "snowflake", name: "Snowflake", text_escape: Escape::Backslash, capitals: true, ..USUAL },
    Dialect {
        id: "clickhouse",
        name: "ClickHouse",
        name_escape: Escape::Backslash,
        text_escape: Escape::Backslash,
        double: "Nullable(Float64)",
        long: "Nullable(Int64)",
        // a cast looks at the number beneath NULL, too, and fails where it is NaN
        whole: |number, _| format!("accurateCastOrNull({number}, 'Int32')"),
        text: |column| format!("CAST({column} AS Nullable(String))"),
        month: |column| format!("toYYYYMM(CAST({column} AS Nullable(Date32)))"),
        ..USUAL
    },
    Dialect {
        id: "sqlserver",
        name: "SQL Server",
        name_quotes: ('[', ']'),
        text_prefix: "N",
        double: "FLOAT(53)",
        int: "INT",
        ln: "LOG",
        truth: ["1", "0"],
        // a collation that distinguishes case, as the other engines do
        text: |column| format!("CAST({column} AS NVARCHAR(400)) COLLATE Latin1_General_100_BIN2"),
        month: |column| format!("YEAR(CAST({column} AS DATE)) * 100 + MONTH(CAST({column} AS DATE))"),
        ..USUAL
    },
    Dialect { id: "datafusion", name: "DataFusion", ..USUAL },
    Dialect {
        id: "sqlite",
        name: "SQLite",
        double: "REAL",
        long: "INTEGER",
        number: cast_in_sqlite,
        text: |column| format!("CAST({column} AS TEXT)"),
        month: |column| format!("CAST(STRFTIME('%Y%m', {column}) AS INTEGER)"),
        ..USUAL
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(id: &str) -> &'static Dialect {
        Dialect::of(id).expect("a dialect")
    }

    #[test]
    fn names_cannot_end_their_quotes() {
        let hostile = "a\"b`c]d[e'f\\g; DROP TABLE t --";
        for dialect in DIALECTS {
            let written = dialect.column(hostile);
            let (open, close) = dialect.name_quotes;
            assert!(written.starts_with(open) && written.ends_with(close));
            assert_eq!(read_back(&written, close, dialect.name_escape), hostile, "{}", dialect.id);
            let text = dialect.literal(hostile);
            let text = text.strip_prefix(dialect.text_prefix).expect("its prefix");
            assert_eq!(read_back(text, '\'', dialect.text_escape), hostile, "{}", dialect.id);
        }
    }

    /// Reads a quoted text as the engine does; whatever follows its end fails.
    fn read_back(written: &str, close: char, escape: Escape) -> String {
        let mut chars = written.chars().skip(1).peekable();
        let mut text = String::new();
        loop {
            match chars.next() {
                Some('\\') if escape == Escape::Backslash => text.extend(chars.next()),
                Some(c) if c == close && escape == Escape::Doubled && chars.peek() == Some(&close) => {
                    text.extend(chars.next());
                }
                Some(c) if c == close => break,
                Some(c) => text.push(c),
                None => panic!("{written} does not end"),
            }
        }
        assert_eq!(chars.next(), None, "{written} goes on behind its end");
        text
    }

    #[test]
    fn worked_names_and_values() {
        assert_eq!(of("spark").column("a`b"), "`a``b`");
        assert_eq!(of("bigquery").table("my-project.data.visits").as_deref(), Ok("`my-project`.`data`.`visits`"));
        assert_eq!(of("sqlserver").column("a]b"), "[a]]b]");
        assert_eq!(of("duckdb").table("main.\"odd.name\"").as_deref(), Ok("\"main\".\"odd.name\""));
        assert_eq!(of("snowflake").column("risk"), "\"RISK\"");
        assert_eq!(of("snowflake").column("\"risk\""), "\"risk\"");
        assert_eq!(of("snowflake").column("odd name"), "\"odd name\"");
        for wrong in ["a..b", "\"a", ".", "a.\"\""] {
            assert_eq!(of("duckdb").table(wrong).map_err(|error| error.code()), Err("invalid_option"), "{wrong}");
        }
        assert_eq!(of("postgres").value("O'Brien\\"), "E'O\\'Brien\\\\'");
        assert_eq!(of("duckdb").value("O'Brien"), "'O''Brien'");
        assert_eq!(of("sqlserver").value("true"), "1");
        assert_eq!(of("duckdb").value("True"), "TRUE");
        assert_eq!(of("duckdb").value("-1.5"), "-1.5");
        assert_eq!(of("duckdb").value("\"1\""), "'1'");
        for text in ["1e5", "1.", ".", "-", "1 OR 1=1", "0x10", "1;", "--1"] {
            assert_eq!(of("duckdb").value(text), format!("'{text}'"));
        }
    }
}
