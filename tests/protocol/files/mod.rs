//! Files as people have them: every dialect, every layout, every fault with its sentence.

mod archives;
mod clusters;
mod damage;
mod dialects;
mod faults;
mod hospital;
mod joins;
mod layouts;
mod notations;
mod public;
mod recognition;
mod splits;
