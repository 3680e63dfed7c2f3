//! The recalibrators that lines are written for, within each other.

use super::unwritten;
use crate::data::{Predictions, pair};
use crate::error::Result;
use crate::evaluation::method::{
    Calibrator, Composition, FittedMethod, MethodKind, PROXIMITY_STRATIFIED, Stratification,
};
use crate::recalibrate::recalibrator::Entry;

/// A recalibrator, or several.
pub(super) enum Steps {
    /// one
    Single {
        /// what it says of itself
        entry: &'static Entry,
        /// it looks at the logits of every class, not at scores
        of_logits: bool,
    },
    /// one after another
    Composed(Box<Steps>, Box<Steps>),
    /// one in every group by proximity
    Stratified {
        /// what the grouping says of itself
        entry: &'static Entry,
        /// in every group
        base: Box<Steps>,
    },
}

impl Steps {
    /// Of a method in which nothing is chosen.
    ///
    /// # Errors
    /// `invalid_option` where something is.
    pub(super) fn of_kind(data: &Predictions, kind: &MethodKind) -> Result<Self> {
        let of_logits = data.y.is_some() && pair::has_vector(data);
        Ok(match kind {
            MethodKind::Single(method) => {
                let entry = method.entry();
                Self::Single { entry, of_logits: of_logits && entry.input.takes_logits() }
            }
            MethodKind::Composed(Composition { base, then, .. }) => {
                Self::Composed(Box::new(Self::of_kind(data, base)?), Box::new(Self::second(then.last())))
            }
            MethodKind::ProximityStratified(Stratification { base, .. }) => {
                Self::Stratified { entry: kind.last(), base: Box::new(Self::of_kind(data, base)?) }
            }
            MethodKind::Best(_) => return Err(unwritten(&kind.id())),
        })
    }

    /// Of a fit, with what was chosen in the place of every choice.
    ///
    /// # Errors
    /// `invalid_option` where groups have different ones.
    pub(super) fn of_fit(fitted: &FittedMethod) -> Result<Self> {
        let fitted = fitted.applied();
        Ok(match (&fitted.calibrator, &*fitted.parts) {
            (Calibrator::Single { fit, of_logits }, _) => Self::Single { entry: fit.entry(), of_logits: *of_logits },
            (Calibrator::Composed { .. }, [base, then]) => {
                Self::Composed(Box::new(Self::of_fit(base)?), Box::new(Self::of_fit(then)?))
            }
            (Calibrator::ProximityStratified { .. }, [first, others @ ..]) => {
                let ids = |part: &FittedMethod| part.applied().calibrator.id();
                if let Some(other) = others.iter().map(ids).find(|other| *other != ids(first)) {
                    let (id, one) = (fitted.calibrator.id(), ids(first));
                    return Err(unwritten(&format!("{id} with {one} in one group and {other} in another")));
                }
                Self::Stratified { entry: PROXIMITY_STRATIFIED, base: Box::new(Self::of_fit(first)?) }
            }
            (calibrator, _) => return Err(unwritten(&calibrator.id())),
        })
    }

    fn second(entry: &'static Entry) -> Self {
        Self::Single { entry, of_logits: false }
    }
}
