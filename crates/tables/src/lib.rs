//! Input: bytes of files to columns, columns to predictions, messages to requests.
//!
//! | chapter | content |
//! |---|---|
//! | [`packed`], [`request`] | binary form of columns and outcomes; form and bounds of requests |
//! | [`counts`] | SQL statements that count rows in a database |
//! | [`read`](mod@read) | files to columns, one format per file |
//! | [`data`] | columns to predictions: roles, groups, folds, the pair (score, target) |

#![deny(unsafe_code)]

pub mod counts;
pub mod data;
pub mod packed;
pub mod read;
pub mod request;

use localcal_numerics::{metric, num};

#[doc(no_inline)]
pub use localcal_ground::{Error, Result, error, table, words};
