//! Subgroups and miscalibration: methods by group, the witness, multicalibration, bias plots, inference tasks.

mod ahs;
mod by_group;
mod groups_and_studies;
mod made;
mod multicalibration;
mod witness;
