//! Large columns that travel beside a message, not inside it.
//!
//! Serializing a [`Column`] puts its values into the thread's *cargo* and writes only its place there; the
//! caller sends message and cargo side by side (as transferred typed arrays between page and workers) and
//! installs the cargo again before it deserializes. Any type that derives serde can hold columns this way.
//! Copies of a column share their values until one of them is changed, in the cargo, too.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A vector of numbers kept outside serde; a copy costs nothing until it is changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column<T>(pub Arc<Vec<T>>);

/// One typed array of a message's cargo.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// 64-bit floats
    F64(Arc<Vec<f64>>),
    /// 32-bit floats
    F32(Arc<Vec<f32>>),
    /// unsigned 32-bit integers
    U32(Arc<Vec<u32>>),
    /// bytes
    U8(Arc<Vec<u8>>),
}

impl Array {
    /// Where its vector lies: two columns with the same address share their values.
    fn address(&self) -> *const () {
        match self {
            Array::F64(values) => Arc::as_ptr(values).cast(),
            Array::F32(values) => Arc::as_ptr(values).cast(),
            Array::U32(values) => Arc::as_ptr(values).cast(),
            Array::U8(values) => Arc::as_ptr(values).cast(),
        }
    }
}

/// A number type that can stand in an [`Array`].
pub trait Element: Copy + 'static {
    /// Wraps the values.
    fn wrap(values: Arc<Vec<Self>>) -> Array;
    /// Takes the values out, if they are of this type.
    fn unwrap(array: Array) -> Option<Arc<Vec<Self>>>;
}

macro_rules! element {
    ($type:ty, $variant:ident) => {
        impl Element for $type {
            fn wrap(values: Arc<Vec<Self>>) -> Array {
                Array::$variant(values)
            }
            fn unwrap(array: Array) -> Option<Arc<Vec<Self>>> {
                match array {
                    Array::$variant(values) => Some(values),
                    _ => None,
                }
            }
        }
    };
}
element!(f64, F64);
element!(f32, F32);
element!(u32, U32);
element!(u8, U8);

thread_local! {
    static CARGO: RefCell<Vec<Array>> = const { RefCell::new(Vec::new()) };
}

/// Runs `write` (which serializes a message) and returns its result with the columns it left in the cargo.
pub fn with_columns_out<R>(write: impl FnOnce() -> R) -> (R, Vec<Array>) {
    CARGO.with_borrow_mut(Vec::clear);
    let message = write();
    (message, CARGO.take())
}

/// Runs `read` (which deserializes a message) with `cargo` in place.
pub fn with_columns_in<R>(cargo: Vec<Array>, read: impl FnOnce() -> R) -> R {
    CARGO.set(cargo);
    let value = read();
    CARGO.take();
    value
}

impl<T: Element> Serialize for Column<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let place = CARGO.with_borrow_mut(|cargo| {
            let same = |held: &Array| held.address() == Arc::as_ptr(&self.0).cast();
            cargo.iter().position(same).unwrap_or_else(|| {
                cargo.push(T::wrap(self.0.clone()));
                cargo.len() - 1
            })
        });
        serializer.serialize_u32(place as u32)
    }
}

impl<'de, T: Element> Deserialize<'de> for Column<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let place = u32::deserialize(deserializer)? as usize;
        CARGO
            .with_borrow(|cargo| cargo.get(place).cloned())
            .and_then(T::unwrap)
            .map(Column)
            .ok_or_else(|| D::Error::custom(format!("column {place} is not in the cargo")))
    }
}

#[cfg(feature = "schema")]
impl<T> schemars::JsonSchema for Column<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Column".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        usize::json_schema(generator)
    }
}

impl<T> Deref for Column<T> {
    type Target = Vec<T>;
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Clone> DerefMut for Column<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column(Arc::new(values))
    }
}

impl<T> FromIterator<T> for Column<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Column(Arc::new(iter.into_iter().collect()))
    }
}
