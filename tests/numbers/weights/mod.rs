//! Rows with sample weights: whole weights are repeated rows, equal weights are none, and independent software agrees.

mod made;

mod fits;
mod golden;
mod same;
