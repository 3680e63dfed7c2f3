//! Files as people have them: every dialect, every layout, every fault with its sentence.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod archives;
mod damage;
mod dialects;
mod faults;
mod joins;
mod layouts;
mod make;
mod public;
mod recognition;
mod splits;
