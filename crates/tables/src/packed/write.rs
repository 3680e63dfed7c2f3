//! From values to bytes.

use serde::de::value::Error;
use serde::ser::{
    self, Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::mark;

pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
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
        self.bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
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

    fn serialize_unit_variant(self, _: &'static str, number: u32, name: &'static str) -> Result<(), Error> {
        self.variant(number, name);
        self.put(mark::NOTHING)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result<(), Error> {
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
