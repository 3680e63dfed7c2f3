//! The names, forms and words of options, from the core's own description of what can be asked, so that none is typed twice.

use std::sync::LazyLock;

use localcal::schema::schema;
use serde_json::{Map, Number, Value};

/// What may be written for an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// yes or no
    Flag,
    /// a number
    Number,
    /// text
    Text,
    /// one of some words
    Choice(Vec<String>),
    /// several of the same, with commas between them
    List(Box<Shape>),
    /// a word, a number, a list or JSON
    Any,
}

/// An option.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// as scripts write it
    pub name: String,
    /// what may be written for it
    pub shape: Shape,
    /// what it is
    pub words: String,
}

/// One of several questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// as scripts write it
    pub name: String,
    /// what it asks
    pub words: String,
    /// its options
    pub fields: Vec<Field>,
}

impl Shape {
    /// The value that `text` stands for: JSON where it begins like it, else a word, a number, or a list with commas.
    ///
    /// # Errors
    /// What was expected, in a few words.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        if text.starts_with(['{', '[']) {
            return serde_json::from_str(text).map_err(|error| format!("not valid JSON: {error}"));
        }
        match self {
            Self::Flag => match text {
                "" | "true" | "yes" => Ok(true.into()),
                "false" | "no" => Ok(false.into()),
                _ => Err("expected true or false".to_owned()),
            },
            Self::Number => number(text).map(Value::Number).ok_or_else(|| "expected a number".to_owned()),
            Self::Text => Ok(text.into()),
            Self::Choice(words) if words.iter().any(|word| word == text) => Ok(text.into()),
            Self::Choice(words) => Err(format!("expected {}", words.join(", "))),
            Self::List(item) => text.split(',').map(|part| item.read(part.trim())).collect(),
            Self::Any => Ok(any(text)),
        }
    }

    /// In a line of help: `NUMBER`, `TEXT,…`.
    pub fn placeholder(&self) -> String {
        match self {
            Self::Flag => "true|false".to_owned(),
            Self::Number => "NUMBER".to_owned(),
            Self::Text => "TEXT".to_owned(),
            Self::Choice(_) => "WORD".to_owned(),
            Self::List(item) => format!("{},…", item.placeholder()),
            Self::Any => "VALUE".to_owned(),
        }
    }

    /// As described; null, by which an option is left out, counts for nothing.
    fn described(written: &Value) -> Self {
        let written = resolved(written);
        if let Some(choices) = written.get("anyOf").or_else(|| written.get("allOf")).and_then(Value::as_array) {
            let mut real = choices.iter().filter(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
            return match (real.next(), real.next()) {
                (Some(one), None) => Self::described(one),
                _ => Self::Any,
            };
        }
        if let Some(words) = words_of(written) {
            return Self::Choice(words);
        }
        let kinds = match written.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            Some(kind) => kind.as_str(),
            None => None,
        };
        match kinds {
            Some("boolean") => Self::Flag,
            Some("integer" | "number") => Self::Number,
            Some("string") => Self::Text,
            Some("array") => {
                let item = match written.get("items") {
                    Some(Value::Array(items)) => items.first(),
                    item => item,
                };
                Self::List(Box::new(item.map_or(Self::Any, Self::described)))
            }
            _ => Self::Any,
        }
    }
}

fn number(text: &str) -> Option<Number> {
    match text.parse::<u64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Number::from_f64(text.parse().ok()?),
    }
}

/// A number, a list, `pca:2` as principal components, or a word.
fn any(text: &str) -> Value {
    if let Some(number) = number(text) {
        return Value::Number(number);
    }
    if let Some(count) = text.strip_prefix("pca:").and_then(number) {
        return serde_json::json!({ "pca": count });
    }
    if text.contains(',') {
        return text.split(',').map(|part| Value::from(part.trim())).collect();
    }
    text.into()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(schema);

fn definition(name: &str) -> &'static Value {
    SCHEMA.get("definitions").and_then(|all| all.get(name)).unwrap_or(&Value::Null)
}

/// What a reference stands for, also where words of its own stand beside it.
fn resolved(written: &Value) -> &Value {
    if let Some([only]) = written.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        return resolved(only);
    }
    let name = written.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/definitions/"));
    name.map_or(written, |name| resolved(definition(name)))
}

fn described(written: &Value) -> String {
    let words = written.get("description").and_then(Value::as_str).unwrap_or_default();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words of which one is written; none where something else is.
fn words_of(written: &Value) -> Option<Vec<String>> {
    let own = |written: &Value| -> Option<Vec<String>> {
        match (written.get("enum"), written.get("const")) {
            (Some(words), _) => words.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect(),
            (None, Some(word)) => Some(vec![word.as_str()?.to_owned()]),
            (None, None) => None,
        }
    };
    match written.get("oneOf").and_then(Value::as_array) {
        Some(parts) => parts.iter().map(own).collect::<Option<Vec<_>>>().map(|words| words.concat()),
        None => own(written),
    }
}

fn fields_of(written: &Value) -> Vec<Field> {
    let all = resolved(written).get("properties").and_then(Value::as_object);
    let field = |(name, written): (&String, &Value)| Field {
        name: name.clone(),
        shape: Shape::described(written),
        words: described(written),
    };
    all.into_iter().flatten().map(field).collect()
}

/// The options of the type called `name`.
pub fn fields(name: &str) -> Vec<Field> {
    fields_of(definition(name))
}

/// The words of which the type called `name` is one.
pub fn words(name: &str) -> Vec<String> {
    words_of(definition(name)).unwrap_or_default()
}

/// The questions of which the type called `name` is one, in their order.
pub fn variants(name: &str) -> Vec<Variant> {
    let parts = definition(name).get("oneOf").and_then(Value::as_array);
    let variant = |part: &Value| {
        let (name, held): (&String, &Value) = part.get("properties").and_then(Value::as_object).and_then(first)?;
        Some(Variant { name: name.clone(), words: described(part), fields: fields_of(held) })
    };
    parts.into_iter().flatten().filter_map(variant).collect()
}

fn first(all: &Map<String, Value>) -> Option<(&String, &Value)> {
    all.iter().next()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn options_have_names_forms_and_words() {
        let variants = variants("AnalysisRequest");
        let of = |kind: &str, name: &str| {
            let kind = variants.iter().find(|variant| variant.name == kind).unwrap();
            kind.fields.iter().find(|field| field.name == name).unwrap().clone()
        };
        let list = |shape| Shape::List(Box::new(shape));
        assert_eq!(of("groups", "columns").shape, list(Shape::Text));
        assert_eq!(of("groups", "least").shape, Shape::Number);
        assert_eq!(of("region", "polygon").shape, list(list(Shape::Number)));
        assert_eq!(of("klce", "simulate").shape, Shape::Flag);
        assert_eq!(of("klce", "gamma").shape, Shape::Any);
        assert!(matches!(of("compare", "layout").shape, Shape::Choice(words) if words == ["table", "paper"]));
        assert!(matches!(of("klce", "nulls").shape, Shape::List(item) if matches!(*item, Shape::Choice(_))));
        for variant in &variants {
            assert!(!variant.words.is_empty() && !variant.fields.is_empty(), "{}", variant.name);
            assert!(variant.fields.iter().all(|field| !field.words.is_empty()), "{}", variant.name);
        }
        assert!(words("Role").contains(&"label".to_owned()));
        assert_eq!(words("View"), ["top_label", "positive"]);
        assert!(fields("RunRequest").iter().any(|field| field.name == "evaluate_on"));
    }

    #[test]
    fn text_is_read_by_its_form() {
        let read = |shape: &Shape, text: &str| shape.read(text).map(|value| value.to_string());
        assert_eq!(read(&Shape::Any, "0.5"), Ok("0.5".to_owned()));
        assert_eq!(read(&Shape::Any, "x1, x2"), Ok("[\"x1\",\"x2\"]".to_owned()));
        assert_eq!(read(&Shape::Any, "pca:2"), Ok("{\"pca\":2}".to_owned()));
        assert_eq!(read(&Shape::List(Box::new(Shape::Text)), "a"), Ok("[\"a\"]".to_owned()));
        assert_eq!(read(&Shape::Text, "12"), Ok("\"12\"".to_owned()));
        assert_eq!(read(&Shape::Number, "18446744073709551615"), Ok("18446744073709551615".to_owned()));
        assert!(read(&Shape::Number, "many").is_err());
        assert!(read(&Shape::Choice(vec!["a".to_owned()]), "b").is_err());
    }
}
