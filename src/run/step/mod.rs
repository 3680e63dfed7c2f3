//! The steps of a run: each a struct of its settings and needs, and what it finds.
//!
//! The sums stand in the chapters of their subject; here stands what is handed to them.

mod divide;
mod draw;
mod fit;
mod local;
mod proximity;
mod report;
mod resample;
mod score;
mod trust;

pub use divide::{Divide, DivideRepeat};
pub use draw::Draw;
pub use fit::Fit;
pub use local::{LocalError, LocalResample};
pub use proximity::SearchProximity;
pub(crate) use proximity::{gathered, nearness};
pub use report::{MethodHandles, WriteReport};
pub use resample::{Resample, ResampleFurther};
pub use score::Score;
pub use trust::{TrustAdd, TrustOf, TrustPrepare, TrustShareOut, TrustSimulate, TrustSimulated};
