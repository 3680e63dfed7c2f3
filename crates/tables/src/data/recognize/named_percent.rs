//! Scores whose name says percent, and none of which exceeds 1: fractions, or percentages of a rare event.

use super::super::labels::Labels;
use super::super::names;
use super::super::positive::positive;
use super::super::roles::Role;
use super::{Guesses, Values};
use crate::words::number::significant;
use crate::words::text::quoted;

/// Fewest events by which a mean score is judged.
const LEAST_EVENTS: usize = 10;
/// How many times the proportion of events a mean score may be, or the inverse: the two readings differ by a factor of 100.
const NEAR: f64 = 3.0;

impl Guesses<'_> {
    /// Decides by the proportion of events, where one reading of a score is near it, else asks: every value is a hundredth of the
    /// other. Those of several classes that sum to 1 are fractions, whatever the name of a class: `100% cotton`.
    pub(super) fn fractions_named_percent(&mut self) {
        let classes = self.with_role(Role::Probability);
        if classes.len() > 1 && self.sum_to_one(&classes) {
            return;
        }
        for j in [self.with_role(Role::Probability), self.with_role(Role::Confidence)].concat() {
            let fractions = self.profile(j).is_some_and(|p| p.is_number() && p.min >= 0.0 && p.max <= 1.0);
            let asked = self.given.get(j) == Some(&false) && self.in_percent.get(j) == Some(&false);
            let Some(role) = self.role(j).filter(|_| asked && fractions && names::suggests_percent(self.name(j)))
            else {
                continue;
            };
            let name = quoted(self.name(j));
            let near = |ratio: f64| (1.0 / NEAR..=NEAR).contains(&ratio);
            let observed = if role == Role::Probability { self.mean_and_observed(j) } else { None };
            let message = match observed {
                Some((mean, observed)) if near(mean / 100.0 / observed) => {
                    self.rare_percents.push(j);
                    self.set(j, role, "name says percent, and the mean fits the proportion of events", true);
                    let [as_percent, as_fraction, observed] = [mean, 100.0 * mean, 100.0 * observed].map(significant);
                    format!(
                        "{name} was read as percentages (0.5 as 0.5%), although no value exceeds 1: its mean is then \
                         {as_percent}%, and as fractions {as_fraction}%; {observed}% is observed. If the values are fractions, \
                         assign the role “Probability” (`probability`)."
                    )
                }
                observed => {
                    let sure = observed.is_some_and(|(mean, observed)| near(mean / observed));
                    self.set(j, role, "name says percent, but no value exceeds 1", sure);
                    format!(
                        "The name of {name} says percent, but no value exceeds 1: read as fractions (0.5 as 50%). If the values \
                         are percentages (0.5 as 0.5%), assign the role “Probability (%)” (`percent`)."
                    )
                }
            };
            self.warn("fractions_named_percent", message, Some(j));
        }
    }

    /// The mean of a score and the proportion of its event; `None` without an outcome of two values, or with few events.
    fn mean_and_observed(&self, score: usize) -> Option<(f64, f64)> {
        let &[outcome] = self.with_role(Role::Label).as_slice() else { return None };
        let Values::Numbers(values) = &self.columns.get(score)?.values else { return None };
        let labels = Labels::of(&self.columns.get(outcome)?.values);
        let of_name = self.class_of_score(score, &labels.names);
        let names = (Some(self.name(outcome)), Some(self.name(score)));
        let mut guessed = Vec::new();
        let event = positive(&labels.names, None, of_name, names, &mut guessed).ok()? as u32;
        let known = values.iter().zip(&labels.codes).filter(|(x, code)| !x.is_nan() && **code != super::MISSING);
        let (rows, sum, events) = known.fold((0_usize, 0.0, 0_usize), |(rows, sum, events), (x, code)| {
            (rows + 1, sum + x, events + usize::from(*code == event))
        });
        let known = labels.names.len() == 2 && guessed.is_empty() && (LEAST_EVENTS..rows).contains(&events);
        known.then(|| (sum / rows as f64, events as f64 / rows as f64))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::roles::Reading;
    use crate::data::{OpenOptions, Summary, assemble};

    /// 4,000 rows of which one in `one_in` has the event, with scores around `mean`.
    fn opened(name: &str, mean: f64, one_in: usize, options: &OpenOptions) -> (f64, Summary) {
        let row =
            |i: usize| format!("{:.5},{}\n", mean * (0.5 + (i % 11) as f64 / 10.0), u8::from(i.is_multiple_of(one_in)));
        let text = format!("{name},died\n{}", (0..4_000).map(row).collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (data, summary) = assemble(&[file], options).unwrap();
        (crate::data::pair::scores(&data).unwrap()[0], summary)
    }

    #[test]
    fn the_proportion_of_events_decides_what_percentages_of_a_rare_event_are() {
        let usual = OpenOptions::default();
        let said = |summary: &Summary| summary.warnings.iter().any(|warning| warning.code == "fractions_named_percent");
        // 0.4% of 0.4 on average
        let (first, summary) = opened("risk_pct", 0.4, 250, &usual);
        assert_eq!((first, summary.unsure, said(&summary)), (0.002, false, true));
        assert_eq!(summary.columns[0].reading, Some(Reading::Percent));
        // 20% of 0.2: fractions, whatever the name says
        let (first, summary) = opened("risk_pct", 0.2, 5, &usual);
        assert_eq!((first, summary.unsure, said(&summary)), (0.1, false, true));
        // neither, or too few events: asked
        assert!(opened("risk_pct", 0.4, 40, &usual).1.unsure && opened("risk_pct", 0.4, 1_000, &usual).1.unsure);
        // the name says nothing, or a person does
        assert_eq!(opened("risk", 0.4, 250, &usual).0, 0.2);
        let roles = [("risk_pct".to_owned(), crate::data::roles::Role::Probability)].into();
        assert_eq!(opened("risk_pct", 0.4, 250, &OpenOptions { roles, ..OpenOptions::default() }).0, 0.2);
    }
}
