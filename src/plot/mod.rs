//! Charts as values.
