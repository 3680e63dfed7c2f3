//! A ranking that is the wrong way round: most often the other event is meant.

use serde::{Deserialize, Serialize};

use super::Overall;
use super::advice::{Advised, UNCHANGED};
use crate::data::{Predictions, View};
use crate::evaluation::method::MethodSpec;
use crate::metric::auroc::AUROC;
use crate::report::sheet::Block;
use crate::words::number::significant;

/// Reversed discrimination: rows with higher scores have fewer events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reversed {
    /// area under the ROC curve
    pub auroc: f64,
    /// its 95% CI, both limits below ½
    pub interval: [f64; 2],
    /// label that would be the event under the opposite coding; null if there is none
    pub other_event: Option<String>,
    /// this result as a sentence
    pub sentence: String,
}

/// Whether the ranking is reversed by more than chance: the interval of the AUROC lies below ½, and all rows together are off.
pub(super) fn reversed(data: &Predictions, overall: &Overall, off: bool) -> Option<Reversed> {
    let found = overall.numbers.get(AUROC.id)?;
    let (auroc, interval) = (found.value?, [found.low?, found.high?]);
    if !off || interval[1] >= 0.5 {
        return None;
    }
    let numbers =
        format!("AUROC {}, 95% CI {} to {}", significant(auroc), significant(interval[0]), significant(interval[1]));
    let labels = (data.view == View::Positive && data.labels.len() == 2).then_some(data.labels.as_slice());
    let event = labels.zip(data.positive).and_then(|(labels, k)| Some((labels.get(k)?, labels.get(1 - k.min(1))?)));
    let sentence = match (data.view, event) {
        (View::Positive, Some((event, _))) => format!(
            "The ranking is reversed: rows with higher predicted probabilities have the event less often ({numbers}). The event, \
             {event}, may be the wrong one."
        ),
        (View::Positive, None) => {
            format!(
                "The ranking is reversed: rows with higher predicted probabilities have the event less often ({numbers})."
            )
        }
        (View::TopLabel, _) => {
            format!("The ranking is reversed: predictions with higher confidence are correct less often ({numbers}).")
        }
    };
    Some(Reversed { auroc, interval, other_event: event.map(|(_, other)| other.clone()), sentence })
}

impl Reversed {
    /// Nothing is recommended before it is clear which event is meant.
    pub(super) fn withholds(&self, advised: &Advised) -> Advised {
        let mut held = advised.clone();
        let sentence = "No recalibration is recommended while the ranking is reversed.".to_owned();
        held.advice.method = MethodSpec::Id("none".to_owned());
        held.advice.title = "None (original predictions)".to_owned();
        held.advice.short = UNCHANGED.to_owned();
        held.advice.say(&sentence);
        held.advice.stays_wrong.clear();
        held.advice.subgroups.clear();
        held.advice.candidates.clear();
        held.part.heading.clone_from(&sentence);
        held.part.blocks = vec![Block::Text(sentence)];
        held
    }
}
