//! Outcomes as bytes, on their way from worker to worker, in a form of our own for the sake of opening: with MessagePack
//! (`rmp-serde`) the core that every page compiles is 10.1 MB instead of 5.7 MB.
//!
//! The fields of a struct are read in their order and a variant by its number: reading by name costs several times the
//! code, for every type. Names stand there all the same, for the few types that are told apart by their form only.
//! What stands in a [`Column`](crate::table::Column) goes into the cargo. The form is read by the same core that wrote
//! it, and by nothing else.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Serialize;

use read::Reader;
use write::Writer;

mod read;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod write;

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
    if reader.rest.is_empty() { Ok(value) } else { Err(damaged()) }
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
        if to.is_human_readable() { value.serialize(to) } else { to.serialize_unit() }
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
