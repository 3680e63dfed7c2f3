//! What comes in: bytes of files to columns, columns to predictions, messages to what is asked.
//!
//! | chapter | what it holds |
//! |---|---|
//! | [`packed`], [`request`] | the bytes that columns and outcomes travel as; what is asked, in its form and within its bounds |
//! | [`counts`] | statements that count rows where they are |
//! | [`read`](mod@read) | files to columns, a format a file |
//! | [`data`] | which column is what, groups, folds, the pair (score, target) |

#![deny(unsafe_code)]

pub mod counts;
pub mod data;
pub mod packed;
pub mod read;
pub mod request;

use localcal_numerics::num;

#[doc(no_inline)]
pub use localcal_ground::{Error, Result, error, table, words};
