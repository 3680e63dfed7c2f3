//! How what is asked for is read: from JSON, in its form and within its bounds.

pub mod bounds;
pub mod message;

pub use message::read;
