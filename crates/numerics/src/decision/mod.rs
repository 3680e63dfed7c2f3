//! What the confidence is for: when to decide, when to ask a person, and what that costs.

pub mod benefit_intervals;
pub mod net_benefit;
pub mod rejection;
pub mod selective;
pub mod unsure;
