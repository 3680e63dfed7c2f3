//! The names and forms of options, asked of the core's own types, so that none is typed twice.
//!
//! A derived reader tells whoever it reads from which fields and variants it knows, and of each value what it expects.
//! The reader is given a source that notes this and then ends.

use std::cell::RefCell;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde_json::{Number, Value};

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
    Choice(&'static [&'static str]),
    /// several of the same, with commas between them
    List(Box<Shape>),
    /// a word, a number, a list or JSON
    Any,
}

impl Shape {
    /// The value that `text` stands for: JSON where it begins like it, else a word, a number, or a list with commas.
    ///
    /// # Errors
    /// What was expected, in a few words.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        if text.starts_with(['{', '[']) {
            return serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"));
        }
        match self {
            Self::Flag => match text {
                "" | "true" | "yes" => Ok(true.into()),
                "false" | "no" => Ok(false.into()),
                _ => Err("expected true or false".to_owned()),
            },
            Self::Number => number(text).map(Value::Number).ok_or_else(|| "expected a number".to_owned()),
            Self::Text => Ok(text.into()),
            Self::Choice(words) if words.contains(&text) => Ok(text.into()),
            Self::Choice(words) => Err(format!("expected {}", words.join(", "))),
            Self::List(item) => text.split(',').map(|part| item.read(part.trim())).collect(),
            Self::Any => Ok(any(text)),
        }
    }

    /// In a line of help: `NUMBER`, `a|b`, `TEXT,…`.
    pub fn placeholder(&self) -> String {
        match self {
            Self::Flag => "true|false".to_owned(),
            Self::Number => "NUMBER".to_owned(),
            Self::Text => "TEXT".to_owned(),
            Self::Choice(words) => words.join("|"),
            Self::List(item) => format!("{},…", item.placeholder()),
            Self::Any => "VALUE".to_owned(),
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

/// The options that `T` takes, by name.
pub fn fields<'de, T: Deserialize<'de>>() -> Vec<(&'static str, Shape)> {
    fields_of::<T>(None)
}

/// The options that a variant of `T` takes, by name.
pub fn fields_of<'de, T: Deserialize<'de>>(variant: Option<&'static str>) -> Vec<(&'static str, Shape)> {
    let names = asked::<T>(variant, None).fields;
    names.iter().map(|&name| (name, asked::<T>(variant, Some(name)).value())).collect()
}

/// The names of the variants of `T`.
#[cfg(test)]
pub fn variants<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    asked::<T>(None, None).variants
}

fn asked<'de, T: Deserialize<'de>>(variant: Option<&'static str>, field: Option<&'static str>) -> Told {
    let told = RefCell::default();
    // It always ends in the error that `Asker` makes.
    let _ = T::deserialize(Asker { variant, field, inside: false, told: &told });
    told.into_inner()
}

/// What a reader told.
#[derive(Default)]
struct Told {
    variants: &'static [&'static str],
    fields: &'static [&'static str],
    lists: usize,
    shape: Option<Shape>,
}

impl Told {
    fn value(self) -> Shape {
        let item = self.shape.unwrap_or(Shape::Any);
        (0..self.lists).fold(item, |item, _| Shape::List(Box::new(item)))
    }
}

#[derive(Clone, Copy)]
struct Asker<'a> {
    variant: Option<&'static str>,
    field: Option<&'static str>,
    /// whether this is the value of the field
    inside: bool,
    told: &'a RefCell<Told>,
}

/// Nothing more to read.
#[derive(Debug)]
struct End;

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("end")
    }
}

impl std::error::Error for End {}

impl serde::de::Error for End {
    fn custom<T: fmt::Display>(_: T) -> Self {
        End
    }
}

impl Asker<'_> {
    fn note<T>(self, shape: Shape) -> Result<T, End> {
        self.told.borrow_mut().shape = Some(shape);
        Err(End)
    }

    fn within<'de, V: Visitor<'de>>(self, names: &'static [&'static str], visitor: V) -> Result<V::Value, End> {
        if self.inside {
            return self.note(Shape::Any);
        }
        self.told.borrow_mut().fields = names;
        match self.field {
            Some(_) => visitor.visit_map(self),
            None => Err(End),
        }
    }
}

macro_rules! noted {
    ($shape:expr => $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, End> {
            self.note($shape)
        })*
    };
}

impl<'de> Deserializer<'de> for Asker<'_> {
    type Error = End;

    noted!(Shape::Flag => deserialize_bool);
    noted!(Shape::Number => deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64);
    noted!(Shape::Text => deserialize_char deserialize_str deserialize_string deserialize_identifier);
    noted!(Shape::Any => deserialize_any deserialize_map deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_ignored_any);

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, End> {
        visitor.visit_some(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, _: V) -> Result<V::Value, End> {
        self.note(Shape::Any)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, End> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, End> {
        self.told.borrow_mut().lists += 1;
        visitor.visit_seq(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, End> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, _: usize, visitor: V) -> Result<V::Value, End> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, End> {
        self.within(fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, End> {
        if self.inside {
            return self.note(Shape::Choice(variants));
        }
        self.told.borrow_mut().variants = variants;
        match self.variant {
            Some(_) => visitor.visit_enum(self),
            None => Err(End),
        }
    }
}

impl<'de> SeqAccess<'de> for Asker<'_> {
    type Error = End;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, End> {
        seed.deserialize(Asker { inside: true, ..*self }).map(Some)
    }
}

impl<'de> MapAccess<'de> for Asker<'_> {
    type Error = End;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, End> {
        self.field.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, End> {
        seed.deserialize(Asker { inside: true, ..*self })
    }
}

impl<'de> EnumAccess<'de> for Asker<'_> {
    type Error = End;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), End> {
        let name = self.variant.ok_or_else(|| End::custom(""))?;
        Ok((seed.deserialize(name.into_deserializer())?, self))
    }
}

impl<'de> VariantAccess<'de> for Asker<'_> {
    type Error = End;

    fn unit_variant(self) -> Result<(), End> {
        Err(End)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, End> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, End> {
        Err(End)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, End> {
        self.within(fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(default)]
    #[derive(Default)]
    #[allow(dead_code)]
    struct Options {
        seed: u64,
        name: Option<String>,
        axes: Option<[usize; 2]>,
        columns: Vec<Vec<String>>,
        every: bool,
        kind: Option<Kind>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Kind {
        OneThing,
        Other,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(dead_code)]
    enum Request {
        Whole(Options),
        Part {
            #[serde(default)]
            width: Option<f64>,
        },
    }

    #[test]
    fn a_type_tells_its_options() {
        let list = |shape| Shape::List(Box::new(shape));
        let all = [
            ("seed", Shape::Number),
            ("name", Shape::Text),
            ("axes", list(Shape::Number)),
            ("columns", list(list(Shape::Text))),
            ("every", Shape::Flag),
            ("kind", Shape::Choice(&["one_thing", "other"])),
        ];
        assert_eq!(fields::<Options>(), all);
        assert_eq!(variants::<Request>(), ["whole", "part"]);
        assert_eq!(fields_of::<Request>(Some("whole")), all);
        assert_eq!(fields_of::<Request>(Some("part")), [("width", Shape::Number)]);
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
        assert!(read(&Shape::Number, "many").is_err() && read(&Shape::Choice(&["a"]), "b").is_err());
    }
}
