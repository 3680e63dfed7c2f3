//! Texts as numbers: their terms, a space in which texts of similar words are near each other, words that distinguish some
//! texts from the others.

pub mod distinctive;
pub mod lexical;
pub mod murmur;
mod sparse;
pub mod terms;

pub use distinctive::{DistinctiveWord, WordCounts};
pub use lexical::{DIMENSIONS, LexicalSpace};
pub use terms::each_word;

#[cfg(test)]
mod golden_tests;
