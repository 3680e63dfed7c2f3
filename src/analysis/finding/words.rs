//! Sentences: each says what its numbers say, and no more.
