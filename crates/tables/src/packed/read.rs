//! From bytes to values.

use serde::de::value::{BorrowedStrDeserializer, Error, U32Deserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{damaged, mark};

pub(super) struct Reader<'de> {
    pub(super) rest: &'de [u8],
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

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(damaged())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(damaged())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.passes(mark::NOTHING) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
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

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
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

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
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

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
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

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
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

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.deserialize_struct("", &[], visitor)
    }
}
