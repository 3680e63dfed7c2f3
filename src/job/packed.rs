//! Outcomes as bytes, on their way from worker to worker: MessagePack with the names of fields.
//!
//! Names stand there because some types are told apart by their form only, and some fields are left out. Numbers keep
//! their bits, not-a-number included. What stands in a [`Column`](crate::data::Column) goes into the cargo. The form is
//! read by the same core that wrote it, and by nothing else.

use rmp_serde::{decode, encode};
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Serialize;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

/// The bytes of a value.
///
/// # Errors
/// None that an outcome can cause.
pub fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, encode::Error> {
    rmp_serde::to_vec_named(value)
}

/// The value of some bytes.
///
/// # Errors
/// Bytes that [`pack`] did not write for a `T`.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, decode::Error> {
    let mut rest = bytes;
    let value = T::deserialize(&mut rmp_serde::Deserializer::new(&mut rest))?;
    if rest.is_empty() {
        Ok(value)
    } else {
        Err(decode::Error::custom("these bytes are not a message of this version"))
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
