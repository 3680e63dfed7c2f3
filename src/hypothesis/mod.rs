//! Is a model wrong beyond chance, and for whom.
//!
//! | file | what |
//! |---|---|
//! | `witness` | local calibration bias around a place |

pub mod witness;
