//! Reads jobs, settings and figures from JSON values; serde_json's own reader would take a struct from an array, too, and
//! would refuse null for a number.
//!
//! A struct is read from an object only, so that a list in the place of options is refused, and a number that JSON does
//! not have, written as null, comes back as NaN: figures are written and read again.

use std::fmt;

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::Value;

/// What has not the form that it should have, in words of JSON: no type of the program is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(what: T) -> Self {
        Self(what.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("expected {}, not {}", form(&expected.to_string()), value(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self(format!("expected {}, not a list of {found}", form(&expected.to_string())))
    }
}

/// What serde expects, as JSON has it.
fn form(expected: &str) -> String {
    let first = |words: &[&str]| words.iter().any(|word| expected.starts_with(word));
    let plain = match expected {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        "unit" => "nothing",
        _ if first(&["struct ", "internally tagged enum "]) => "an object",
        _ if first(&["tuple struct ", "tuple variant "]) => "a list",
        _ if first(&["enum ", "variant identifier", "field identifier", "unit variant "]) => "a name",
        _ => {
            let length = ["a tuple of size ", "an array of length "].iter().find_map(|one| expected.strip_prefix(one));
            return length.map_or_else(|| expected.to_owned(), |length| format!("a list of {length}"));
        }
    };
    plain.to_owned()
}

/// What was written in its place.
fn value(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("{value}"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Str(text) => format!("the text {text:?}"),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// Reads a value of type `T`.
///
/// # Errors
/// What does not have the form of a `T`, and how.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Message(value))
}

/// Takes fields away that are null: what is undefined counts as left out, and no number becomes one that is none.
pub fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => (),
    }
}

struct Message(Value);

impl Message {
    fn wrong(&self, expected: &dyn serde::de::Expected) -> Error {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
    }

    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Number(number) = &self.0 else {
            return Err(self.wrong(&visitor));
        };
        if let Some(value) = number.as_u64() {
            visitor.visit_u64(value)
        } else if let Some(value) = number.as_i64() {
            visitor.visit_i64(value)
        } else {
            visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
        }
    }

    fn text<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn items<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn fields<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(Fields { rest: fields.into_iter(), value: None }),
            _ => Err(self.wrong(&visitor)),
        }
    }
}

macro_rules! forward {
    ($to:ident: $($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$to(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Message {
    type Error = Error;

    forward!(number: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64);
    forward!(number: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);
    forward!(text: deserialize_char deserialize_str deserialize_string deserialize_identifier);
    forward!(items: deserialize_seq deserialize_bytes deserialize_byte_buf);
    forward!(fields: deserialize_map);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(_) => self.number(visitor),
            Value::String(_) => self.text(visitor),
            Value::Array(_) => self.items(visitor),
            Value::Object(_) => self.fields(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(value),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_f64(f64::NAN),
            _ => self.number(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            _ => Err(self.wrong(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.fields(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, value: None }),
            Value::Object(fields) if fields.len() == 1 => {
                let mut named = None;
                for (name, value) in fields {
                    named = Some(Variant { name, value: Some(value) });
                }
                named.map_or_else(|| Err(Error::custom("a kind is missing")), |one| visitor.visit_enum(one))
            }
            _ => Err(self.wrong(&"a kind by name, with its fields")),
        }
    }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|value| seed.deserialize(Message(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Fields {
    rest: serde_json::map::IntoIter,
    value: Option<Value>,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        let key: StringDeserializer<Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Message(self.value.take().unwrap_or_default()))
    }
}

struct Variant {
    name: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Message;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Message), Error> {
        let name: StringDeserializer<Error> = self.name.into_deserializer();
        let value = Message(self.value.unwrap_or_default());
        Ok((seed.deserialize(name)?, value))
    }
}

impl<'de> VariantAccess<'de> for Message {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.items(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.fields(visitor)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Plain,
        Named { size: f64, name: Option<String> },
        Wrapped(Vec<u32>),
        Pair(i32, bool),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        kinds: Vec<Kind>,
        limits: [f64; 2],
        #[serde(default)]
        note: String,
    }

    #[test]
    fn what_was_written_is_read() {
        let whole = Whole {
            kinds: vec![
                Kind::Plain,
                Kind::Named { size: -0.5, name: None },
                Kind::Wrapped(vec![0, u32::MAX]),
                Kind::Pair(-3, true),
            ],
            limits: [1.0, 1e300],
            note: "x".to_owned(),
        };
        let value = serde_json::to_value(&whole).unwrap();
        assert_eq!(read::<Whole>(value.clone()).unwrap(), whole);
        assert_eq!(serde_json::from_value::<Whole>(value).unwrap(), whole);
    }

    #[test]
    fn a_number_that_json_has_not_comes_back_as_no_number() {
        let value = json!({ "named": { "size": f64::NAN, "name": null } });
        let Kind::Named { size, name } = read(value).unwrap() else {
            panic!("another kind");
        };
        assert!(size.is_nan() && name.is_none());
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let told = |value: Value| read::<Whole>(value).unwrap_err().to_string();
        let whole = |kind: Value| json!({ "kinds": [kind], "limits": [0, 1] });
        assert!(told(json!([1, 2])).contains("expected an object, not a list"));
        assert!(told(json!({ "kinds": [], "limits": [0, 1], "hue": 1 })).contains("unknown field `hue`"));
        assert!(told(whole(json!("round"))).contains("unknown variant `round`"));
        assert!(told(whole(json!({ "wrapped": [-1] }))).contains("expected a whole number from 0, not the number -1"));
        assert!(told(whole(json!({ "named": { "size": "big" } }))).contains("expected a number, not the text \"big\""));
        assert!(told(whole(json!({}))).contains("a kind by name"));
        assert!(told(json!({ "kinds": [] })).contains("missing field `limits`"));
    }
}
