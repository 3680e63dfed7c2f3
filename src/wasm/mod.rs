//! The only place that knows JavaScript.

mod convert;
mod page;
mod worker;
