//! `per_instance_stats.json` of HELM: the statistics of every instance.
//!
//! The confidence is the mean of `max_prob`, the outcome that of `exact_match`.

use serde::Deserialize;

use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated, Verdict};
use super::opening::Opening;
use super::{some, without_confidence};
use crate::error::Result;

pub(super) const FORMAT: Format = Format {
    endings: &["json"],
    recognises: |source| {
        let opening = Opening::of(source.bytes);
        opening.list && opening.has(&["instance_id", "stats"])
    },
    read,
};

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    instance_id: JsonCell,
    #[serde(default)]
    train_trial_index: JsonCell,
    #[serde(default)]
    perturbation: JsonCell,
    stats: Vec<Stat>,
}

#[derive(Deserialize)]
struct Stat {
    name: Named,
    #[serde(default)]
    mean: JsonCell,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: JsonCell,
    #[serde(default)]
    split: JsonCell,
}

impl Instance {
    /// The mean of a statistic; the first where several have the name.
    fn mean(&self, name: &str) -> Option<&Stat> {
        self.stats.iter().find(|stat| stat.name.name.text() == Some(name))
    }
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let instances: Vec<Instance> =
        serde_json::from_slice(&strict(without_mark(source.bytes))).map_err(|error| unreadable(&error))?;
    let instances = some(instances, "HELM")?;
    if instances.iter().all(|instance| instance.mean("max_prob").is_none()) {
        return Err(without_confidence(
            "HELM",
            "Its statistics have no `max_prob`. Run the scenario with an adapter that returns log-probabilities, such as \
             multiple_choice_joint.",
        ));
    }
    let mut attempts = Attempts::new(source);
    let mut certain = true;
    let perturbed = instances.iter().any(|instance| instance.perturbation != JsonCell::Missing);
    for instance in instances {
        let (share, correct) = (instance.mean("max_prob"), instance.mean("exact_match"));
        let confidence = share.map_or(Stated::None, |stat| Stated::of(&stat.mean));
        certain &= matches!(confidence, Stated::Number(1.0) | Stated::None);
        let mut fields =
            vec![("split".to_owned(), share.or(correct).map_or(JsonCell::Missing, |stat| stat.name.split.clone()))];
        if perturbed {
            let name = instance.perturbation.at("name").clone();
            // a copy without one is compared with the others
            let none = || JsonCell::Text("none".to_owned());
            fields.push(("perturbation".to_owned(), if name == JsonCell::Missing { none() } else { name }));
        }
        attempts.push(Attempt {
            number: instance.train_trial_index.number().map(|trial| trial + 1.0),
            verdict: correct.map_or(Verdict::None, |stat| Verdict::of(&stat.mean)),
            confidence,
            fields,
            question: instance.instance_id,
            ..Attempt::default()
        });
    }
    if certain {
        attempts.warn(
            "log_without_probabilities",
            "Every `max_prob` is 1: the model returned no log-probabilities.".to_owned(),
        );
    }
    progress(1.0);
    let told = "log of HELM: correct is exact_match, confidence is max_prob".to_owned();
    attempts.finished(source, told).map(Contents::Columns)
}
