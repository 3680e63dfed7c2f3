//! The steps of a run: each a struct of its settings and needs, and what it finds.
//!
//! The sums stand in the chapters of their subject; here stands what is handed to them.

mod divide;
mod draw;
mod fit;
mod klce;
mod local;
mod proximity;
mod report;
mod resample;
mod score;

pub use divide::{Divide, DivideRepeat};
pub use draw::Draw;
pub use fit::Fit;
pub use klce::{KlceAdd, KlceOf, KlcePrepare, KlceShareOut, KlceSimulate, KlceSimulated};
pub use local::{LocalError, LocalResample};
pub use proximity::SearchProximity;
pub(crate) use proximity::{gathered, nearness};
pub use report::{MethodHandles, WriteReport};
pub use resample::{Resample, ResampleOnRequest};
pub use score::Score;
