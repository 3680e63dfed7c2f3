//! `per_instance_stats.json` of HELM: the statistics of every instance.
//!
//! The confidence is the mean of `max_prob`, the outcome that of `exact_match`. Perturbed copies of instances are left out, as in
//! HELM's own statistics, which are computed for each perturbation by itself.

use serde::Deserialize;

use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::{Contents, Format, Source};
use super::attempts::{Attempt, Attempts, Stated};
use super::opening::Opening;
use super::verdict::Verdict;
use super::{some, without_confidence};
use crate::error::Result;
use crate::words::text::{listed, thousands};

pub(super) const FORMAT: Format = Format {
    endings: &["json"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        opening.list && opening.has(&["instance_id", "stats"]) && !opening.has(&["predicted_text"])
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
    fn is_perturbed(&self) -> bool {
        self.perturbation != JsonCell::Missing
    }

    /// The mean of a statistic; the first where several have the name.
    fn mean(&self, name: &str) -> Option<&Stat> {
        self.stats.iter().find(|stat| stat.name.name.text() == Some(name))
    }
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let instances: Vec<Instance> =
        serde_json::from_slice(&strict(without_mark(source.bytes))).map_err(|error| unreadable(&error))?;
    let mut instances = some(instances, "HELM")?;
    if instances.iter().all(|instance| instance.mean("max_prob").is_none()) {
        return Ok(without_confidence(
            source,
            "HELM",
            "Its statistics have no `max_prob`. Run the scenario with an adapter that returns log-probabilities, such as \
             multiple_choice_joint.",
        ));
    }
    let mut attempts = Attempts::new(source);
    let mut certain = true;
    let perturbed = instances.iter().all(Instance::is_perturbed);
    if !perturbed {
        let copies: Vec<Instance> = instances.extract_if(.., |instance| instance.is_perturbed()).collect();
        let mut names: Vec<&str> = copies.iter().filter_map(|copy| copy.perturbation.at("name").text()).collect();
        names.sort_unstable();
        names.dedup();
        let names = if names.is_empty() { String::new() } else { format!(" ({})", listed(&names)) };
        match copies.len() {
            0 => (),
            1 => attempts
                .warn("log_perturbed", format!("1 perturbed copy{names} was left out, as in HELM's statistics.")),
            several => attempts.warn(
                "log_perturbed",
                format!("{} perturbed copies{names} were left out, as in HELM's statistics.", thousands(several)),
            ),
        }
    }
    for instance in instances {
        let (share, correct) = (instance.mean("max_prob"), instance.mean("exact_match"));
        let confidence = share.map_or(Stated::None, |stat| Stated::of(&stat.mean));
        certain &= matches!(confidence, Stated::Number(1.0) | Stated::None);
        let mut fields =
            vec![("split".to_owned(), share.or(correct).map_or(JsonCell::Missing, |stat| stat.name.split.clone()))];
        if perturbed {
            fields.push(("perturbation".to_owned(), instance.perturbation.at("name").clone()));
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
