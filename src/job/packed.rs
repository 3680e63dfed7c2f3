//! Outcomes as bytes, on their way from worker to worker.
//!
//! The fields of a struct are read in their order and a variant by its number: reading by name costs several times the
//! code, for every type. Names stand there all the same, for the few types that are told apart by their form only. What stands in a [`Column`](crate::data::Column) goes into the cargo.
//! The form is read by the same core that wrote it, and by nothing else.

use serde::de::value::{BorrowedStrDeserializer, Error, U32Deserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

/// What follows a byte: one value, whose form the byte tells.
mod mark {
    pub(super) const NOTHING: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    /// 8 bytes
    pub(super) const UNSIGNED: u8 = 3;
    /// 8 bytes
    pub(super) const SIGNED: u8 = 4;
    /// 8 bytes: the same bits come back, not-a-number included
    pub(super) const REAL: u8 = 5;
    /// length in 4 bytes, then UTF-8
    pub(super) const TEXT: u8 = 6;
    /// values, then `END`
    pub(super) const ITEMS: u8 = 7;
    /// keys and values in turn, then `END`
    pub(super) const PAIRS: u8 = 8;
    /// number in 4 bytes, name, then one value
    pub(super) const VARIANT: u8 = 9;
    /// a field that was left out
    pub(super) const LEFT_OUT: u8 = 10;
    /// no name of a field is that long
    pub(super) const END: u8 = 255;
    /// names and values in turn, then `END`; a name is its length in one byte, then UTF-8
    pub(super) const FIELDS: u8 = 11;
}

/// The bytes of a value.
///
/// # Errors
/// Raw bytes and 128-bit numbers are not provided for.
pub fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    let mut writer = Writer { bytes: Vec::new() };
    value.serialize(&mut writer)?;
    Ok(writer.bytes)
}

/// The value of some bytes.
///
/// # Errors
/// Bytes that [`pack`] did not write for a `T`.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let mut reader = Reader { rest: bytes };
    let value = T::deserialize(&mut reader)?;
    if reader.rest.is_empty() {
        Ok(value)
    } else {
        Err(damaged())
    }
}

/// For fields that only the page reads: they stand in JSON, and come back from bytes as their default.
pub mod page_only {
    use serde::de::IgnoredAny;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// The value in a form for people, nothing in bytes.
    ///
    /// # Errors
    /// Those of the value.
    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() {
            value.serialize(to)
        } else {
            to.serialize_unit()
        }
    }

    /// Passes over what is there.
    ///
    /// # Errors
    /// None that a message can cause.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Default>(from: D) -> Result<T, D::Error> {
        IgnoredAny::deserialize(from).map(|_| T::default())
    }
}

#[cold]
fn damaged() -> Error {
    Error::custom("these bytes are not a message of this version")
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    #[inline(never)]
    fn put(&mut self, mark: u8) -> Result<(), Error> {
        self.bytes.push(mark);
        Ok(())
    }

    #[inline(never)]
    fn word(&mut self, mark: u8, word: u64) -> Result<(), Error> {
        self.bytes.push(mark);
        self.bytes.extend_from_slice(&word.to_le_bytes());
        Ok(())
    }

    #[inline(never)]
    fn text(&mut self, text: &str) -> Result<(), Error> {
        self.bytes.push(mark::TEXT);
        self.bytes
            .extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[inline(never)]
    fn variant(&mut self, number: u32, name: &str) {
        self.bytes.push(mark::VARIANT);
        self.bytes.extend_from_slice(&number.to_le_bytes());
        self.name(name);
    }

    /// Names of fields and variants are short.
    #[inline(never)]
    fn name(&mut self, name: &str) {
        self.bytes.push(name.len() as u8);
        self.bytes.extend_from_slice(name.as_bytes());
    }
}

macro_rules! numbers {
    ($($method:ident $type:ty, $mark:ident, $as:ty;)*) => {
        $(fn $method(self, value: $type) -> Result<(), Error> {
            self.word(mark::$mark, <$as>::from(value) as u64)
        })*
    };
}

impl ser::Serializer for &mut Writer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    numbers! {
        serialize_i8 i8, SIGNED, i64; serialize_i16 i16, SIGNED, i64;
        serialize_i32 i32, SIGNED, i64; serialize_i64 i64, SIGNED, i64;
        serialize_u8 u8, UNSIGNED, u64; serialize_u16 u16, UNSIGNED, u64;
        serialize_u32 u32, UNSIGNED, u64; serialize_u64 u64, UNSIGNED, u64;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.put(if value { mark::TRUE } else { mark::FALSE })
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.word(mark::REAL, value.to_bits())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.text(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.text(value)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        Err(Error::custom("bytes travel as a column"))
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.put(mark::NOTHING)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.put(mark::NOTHING)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.put(mark::NOTHING)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
    ) -> Result<(), Error> {
        self.variant(number, name);
        self.put(mark::NOTHING)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.variant(number, name);
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        self.put(mark::ITEMS)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        self.variant(number, name);
        self.serialize_seq(None)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        self.put(mark::PAIRS)?;
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.put(mark::FIELDS)?;
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        number: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self, Error> {
        self.variant(number, name);
        self.serialize_struct(name, 0)
    }
}

macro_rules! compound {
    ($($trait:ident $method:ident;)*) => {
        $(impl $trait for &mut Writer {
            type Ok = ();
            type Error = Error;
            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }
            fn end(self) -> Result<(), Error> {
                self.put(mark::END)
            }
        })*
    };
    (named $($trait:ident;)*) => {
        $(impl $trait for &mut Writer {
            type Ok = ();
            type Error = Error;
            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.name(name);
                value.serialize(&mut **self)
            }
            fn skip_field(&mut self, name: &'static str) -> Result<(), Error> {
                self.name(name);
                self.put(mark::LEFT_OUT)
            }
            fn end(self) -> Result<(), Error> {
                self.put(mark::END)
            }
        })*
    };
}

compound! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}
compound! { named SerializeStruct; SerializeStructVariant; }

impl SerializeMap for &mut Writer {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Error> {
        self.put(mark::END)
    }
}

struct Reader<'de> {
    rest: &'de [u8],
}

impl<'de> Reader<'de> {
    #[inline(never)]
    fn mark(&mut self) -> Result<u8, Error> {
        let (&mark, rest) = self.rest.split_first().ok_or_else(damaged)?;
        self.rest = rest;
        Ok(mark)
    }

    /// Passes over the next mark if it is this one.
    #[inline(never)]
    fn passes(&mut self, mark: u8) -> bool {
        match self.rest.split_first() {
            Some((&next, rest)) if next == mark => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// True where a sequence or a map has no further value.
    fn ends(&self) -> bool {
        self.rest.first() == Some(&mark::END)
    }

    fn end(&mut self) -> Result<(), Error> {
        self.begin(mark::END)
    }

    #[inline(never)]
    fn take(&mut self, length: usize) -> Result<&'de [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    #[inline(never)]
    fn word(&mut self) -> Result<u64, Error> {
        let bytes = self.take(8)?.try_into().map_err(|_| damaged())?;
        Ok(u64::from_le_bytes(bytes))
    }

    #[inline(never)]
    fn half_word(&mut self) -> Result<u32, Error> {
        let bytes = self.take(4)?.try_into().map_err(|_| damaged())?;
        Ok(u32::from_le_bytes(bytes))
    }

    #[inline(never)]
    fn text(&mut self) -> Result<&'de str, Error> {
        let length = self.half_word()?;
        std::str::from_utf8(self.take(length as usize)?).map_err(|_| damaged())
    }

    #[inline(never)]
    fn name(&mut self) -> Result<&'de str, Error> {
        let length = self.mark()?;
        std::str::from_utf8(self.take(usize::from(length))?).map_err(|_| damaged())
    }

    #[inline(never)]
    fn begin(&mut self, mark: u8) -> Result<(), Error> {
        self.passes(mark).then_some(()).ok_or_else(damaged)
    }

    #[inline(never)]
    fn unsigned(&mut self) -> Result<u64, Error> {
        self.begin(mark::UNSIGNED)?;
        self.word()
    }

    #[inline(never)]
    fn signed(&mut self) -> Result<i64, Error> {
        self.begin(mark::SIGNED)?;
        Ok(self.word()? as i64)
    }

    #[inline(never)]
    fn real(&mut self) -> Result<f64, Error> {
        self.begin(mark::REAL)?;
        Ok(f64::from_bits(self.word()?))
    }

    #[inline(never)]
    fn truth(&mut self) -> Result<bool, Error> {
        match self.mark()? {
            mark::FALSE => Ok(false),
            mark::TRUE => Ok(true),
            _ => Err(damaged()),
        }
    }

    #[inline(never)]
    fn words(&mut self) -> Result<&'de str, Error> {
        self.begin(mark::TEXT)?;
        self.text()
    }

    /// Passes over one value, without knowing its type.
    #[inline(never)]
    fn pass(&mut self) -> Result<(), Error> {
        match self.mark()? {
            mark::NOTHING | mark::FALSE | mark::TRUE | mark::LEFT_OUT => Ok(()),
            mark::UNSIGNED | mark::SIGNED | mark::REAL => self.word().map(drop),
            mark::TEXT => self.text().map(drop),
            mark::VARIANT => {
                self.half_word()?;
                self.name()?;
                self.pass()
            }
            mark::FIELDS => {
                while !self.ends() {
                    self.name()?;
                    self.pass()?;
                }
                self.end()
            }
            mark::ITEMS | mark::PAIRS => {
                while !self.ends() {
                    self.pass()?;
                }
                self.end()
            }
            _ => Err(damaged()),
        }
    }
}

/// Each type is read from the one form that it is written in: a visitor that could be given any form costs more code
/// than what it reads.
macro_rules! typed {
    ($($read:ident => $visit:ident: $($method:ident)*;)*) => {
        $($(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.$read()?)
        })*)*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    typed! {
        unsigned => visit_u64: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64;
        signed => visit_i64: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64;
        real => visit_f64: deserialize_f32 deserialize_f64;
        truth => visit_bool: deserialize_bool;
        words => visit_borrowed_str: deserialize_char deserialize_str deserialize_string deserialize_identifier;
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.mark()? {
            mark::NOTHING => visitor.visit_unit(),
            mark::FALSE => visitor.visit_bool(false),
            mark::TRUE => visitor.visit_bool(true),
            mark::UNSIGNED => visitor.visit_u64(self.word()?),
            mark::SIGNED => visitor.visit_i64(self.word()? as i64),
            mark::REAL => visitor.visit_f64(f64::from_bits(self.word()?)),
            mark::TEXT => visitor.visit_borrowed_str(self.text()?),
            mark::ITEMS => visitor.visit_seq(&mut *self).and_then(|value| {
                self.end()?;
                Ok(value)
            }),
            mark::PAIRS => visitor.visit_map(&mut *self).and_then(|value| {
                self.end()?;
                Ok(value)
            }),
            mark::FIELDS => visitor.visit_map(Fields(self)).and_then(|value| {
                self.end()?;
                Ok(value)
            }),
            mark::VARIANT => {
                self.half_word()?;
                let name = self.name()?;
                // only names alone are told apart by their form
                self.begin(mark::NOTHING)?;
                visitor.visit_borrowed_str(name)
            }
            _ => Err(damaged()),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.begin(mark::ITEMS)?;
        let value = visitor.visit_seq(&mut *self)?;
        self.end()?;
        Ok(value)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.begin(mark::PAIRS)?;
        let value = visitor.visit_map(&mut *self)?;
        self.end()?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.begin(mark::FIELDS)?;
        let value = visitor.visit_seq(Fields(self))?;
        self.end()?;
        Ok(value)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.begin(mark::NOTHING)?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(damaged())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(damaged())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.passes(mark::NOTHING) {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.begin(mark::VARIANT)?;
        visitor.visit_enum(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.pass()?;
        visitor.visit_unit()
    }
}

impl<'de> SeqAccess<'de> for &mut Reader<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.ends() {
            return Ok(None);
        }
        seed.deserialize(&mut **self).map(Some)
    }
}

/// The fields of a struct; one that was left out takes its default.
struct Fields<'a, 'de>(&'a mut Reader<'de>);

impl<'de> SeqAccess<'de> for Fields<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.0.ends() {
            return Ok(None);
        }
        self.0.name()?;
        if self.0.passes(mark::LEFT_OUT) {
            return Ok(None);
        }
        seed.deserialize(&mut *self.0).map(Some)
    }
}

impl<'de> MapAccess<'de> for Fields<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        while !self.0.ends() {
            let name: BorrowedStrDeserializer<Error> = BorrowedStrDeserializer::new(self.0.name()?);
            if !self.0.passes(mark::LEFT_OUT) {
                return seed.deserialize(name).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.0)
    }
}

impl<'de> MapAccess<'de> for &mut Reader<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if self.ends() {
            return Ok(None);
        }
        seed.deserialize(&mut **self).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut **self)
    }
}

impl<'de> EnumAccess<'de> for &mut Reader<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let number: U32Deserializer<Error> = self.half_word()?.into_deserializer();
        self.name()?;
        Ok((seed.deserialize(number)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Reader<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.begin(mark::NOTHING)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::data::column::{with_cargo_in, with_cargo_out};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Plain,
        Named { size: f64, name: Option<String> },
        Wrapped(Vec<u32>),
        Pair(i32, bool),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Whole {
        kinds: Vec<Kind>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        limits: [f32; 2],
        values: BTreeMap<String, Result<f64, String>>,
        any: serde_json::Value,
        column: Column<f64>,
        #[serde(with = "page_only")]
        words: Vec<String>,
        last: u64,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Closed {
        Left,
        Right,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Given {
        Count(f64),
        Name(String),
        Names(Vec<String>),
        Both {
            closed: Closed,
            name: Option<String>,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            of: Vec<String>,
        },
    }

    #[test]
    fn types_without_a_name_for_the_variant_are_told_apart_by_their_form() {
        let both = |closed, of: &[&str]| Given::Both {
            closed,
            name: None,
            of: of.iter().map(|&name| name.to_owned()).collect(),
        };
        let all = vec![
            Given::Count(2.5),
            Given::Name("x".to_owned()),
            Given::Names(vec!["x".to_owned()]),
            both(Closed::Left, &[]),
            both(Closed::Right, &["y", "z"]),
        ];
        assert_eq!(unpack::<Vec<Given>>(&pack(&all).unwrap()).unwrap(), all);
    }

    fn whole(reason: Option<&str>) -> Whole {
        Whole {
            kinds: vec![
                Kind::Plain,
                Kind::Named {
                    size: -0.5,
                    name: None,
                },
                Kind::Wrapped(vec![0, u32::MAX]),
                Kind::Pair(-3, true),
            ],
            reason: reason.map(str::to_owned),
            limits: [0.1, 1e30],
            values: [
                ("ece".to_owned(), Ok(0.1)),
                ("mce".to_owned(), Err("no".to_owned())),
            ]
            .into(),
            any: serde_json::json!({ "a": [1, -2, 0.5, null, "x", { "deep": false }] }),
            column: vec![1.0, f64::NAN].into(),
            words: Vec::new(),
            last: u64::MAX,
        }
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        for reason in [None, Some("because")] {
            let (bytes, cargo) = with_cargo_out(|| pack(&whole(reason)).unwrap());
            let mut back: Whole = with_cargo_in(cargo, || unpack(&bytes).unwrap());
            // not-a-number equals nothing, itself included
            assert!(back.column[0] == 1.0 && back.column[1].is_nan());
            back.column = Column::default();
            let column = Column::default();
            assert_eq!(
                back,
                Whole {
                    column,
                    ..whole(reason)
                }
            );
        }
    }

    #[test]
    fn a_number_keeps_its_bits() {
        for value in [f64::NAN, -0.0, f64::INFINITY, f64::MIN_POSITIVE / 3.0, 0.1] {
            let back: f64 = unpack(&pack(&value).unwrap()).unwrap();
            assert_eq!(back.to_bits(), value.to_bits());
        }
    }

    #[test]
    fn what_only_the_page_reads_is_left_behind() {
        let words = Whole {
            words: vec!["for people".to_owned()],
            ..whole(None)
        };
        let (bytes, cargo) = with_cargo_out(|| pack(&words).unwrap());
        let back: Whole = with_cargo_in(cargo, || unpack(&bytes).unwrap());
        assert!(back.words.is_empty() && back.last == words.last);
    }

    /// Wherever the bytes are cut or one of them is another, an error or a value comes back, never a panic.
    #[test]
    fn damaged_bytes_are_an_error() {
        let (bytes, cargo) = with_cargo_out(|| pack(&whole(Some("x"))).unwrap());
        for cut in 0..bytes.len() {
            let read = with_cargo_in(cargo.clone(), || unpack::<Whole>(&bytes[..cut]));
            assert!(read.is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            for mark in (0..=12).chain([255]) {
                let mut bytes = bytes.clone();
                bytes[at] = mark;
                let _: Result<Whole, _> = with_cargo_in(cargo.clone(), || unpack(&bytes));
            }
        }
        let longer = [pack(&1.5).unwrap(), vec![0]].concat();
        assert_eq!(
            unpack::<f64>(&longer).unwrap_err().to_string(),
            "these bytes are not a message of this version"
        );
    }
}
