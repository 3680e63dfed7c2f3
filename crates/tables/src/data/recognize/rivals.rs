//! Scores beside those that are used: other models of the same rows.

use super::super::names;
use super::super::profile::Profile;
use super::super::roles::{OTHER_MODEL, Role};
use super::{Guesses, Values};

/// How far probabilities of the classes may sum from 1, so that they are not taken for models.
const NEARLY_ONE: f64 = 0.05;

/// Scores that could stand where the used ones stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rival {
    /// name of the model
    pub name: String,
    /// its columns
    pub members: Vec<usize>,
    /// the role that they would have
    pub role: Role,
}

impl Guesses<'_> {
    /// Notes scores that are not used because others are.
    pub(super) fn rival(&mut self, name: &str, members: &[usize], role: Role) {
        let name = self.model_name(name, members);
        self.rivals.push(Rival { name, members: members.to_vec(), role });
    }

    /// Scores of folds or seeds (`fold1_p`, `fold2_p`) beside what is made of them (`p_mean`) are no models.
    pub(super) fn repeats_beside_their_mean(&mut self) {
        let is_score = |&j: &usize| self.profile(j).is_some_and(Profile::fractional_share);
        let open: Vec<usize> = self.open().into_iter().filter(is_score).collect();
        let repeats: Vec<(usize, String)> =
            open.iter().filter_map(|&j| Some((j, names::without_repeat(self.name(j))?))).collect();
        for mean in open.into_iter().filter(|j| !repeats.iter().any(|(repeat, _)| repeat == j)) {
            let mut words = names::words(self.name(mean));
            words.retain(|word| !names::MEAN_WORDS.contains(&word.as_str()));
            let noun = words.join("_");
            let of_noun: Vec<usize> = repeats.iter().filter(|(_, own)| *own == noun).map(|(j, _)| *j).collect();
            if of_noun.len() < 2 {
                continue;
            }
            let reason = format!("score of one of {} repeats; `{}` is of all", of_noun.len(), self.name(mean));
            for j in of_noun {
                self.set(j, Role::Ignore, reason.clone(), true);
            }
        }
    }

    /// What a model is called: what its columns have in common, with the file where two have the same.
    fn model_name(&self, name: &str, members: &[usize]) -> String {
        let first = members.first().copied().unwrap_or(0);
        let name = match name.trim_end_matches(['_', '.', ' ', ':']) {
            "" => self.name(first),
            name => name,
        };
        let own = |j: &usize| members.contains(j);
        let again = (0..self.columns.len()).any(|j| !own(&j) && self.name(j) == self.name(first));
        let file = self.columns.get(first).map_or("", |column| &column.file);
        if again { format!("{file}:{name}") } else { name.to_owned() }
    }

    /// Several probabilities that a person named, a column each, are models of two classes where their names are not those of
    /// the classes and most rows do not sum to 1; the first is open.
    pub(super) fn models_of_a_person(&mut self) {
        let members = self.with_role(Role::Probability);
        let labels = self.occurring();
        let single = |j: &usize| self.given.get(*j) == Some(&true) && self.profile(*j).is_some_and(Profile::is_number);
        if members.len() < 2 || !members.iter().all(single) || labels.is_empty() || labels.len() > 2 {
            return;
        }
        let mut named: Vec<&str> =
            members.iter().filter_map(|&j| Some(names::named_label(self.name(j), &labels)?.0)).collect();
        named.dedup();
        if named.len() == members.len() || self.share_near_one(&members) >= 0.5 {
            return;
        }
        for &j in members.iter().skip(1) {
            if let Some(given) = self.given.get_mut(j) {
                *given = false;
            }
            self.set(j, Role::Ignore, OTHER_MODEL, true);
            self.rival(self.name(j), &[j], Role::Probability);
        }
    }

    /// Share of the rows whose scores sum to 1, or would after rounding.
    fn share_near_one(&self, members: &[usize]) -> f64 {
        let columns = members.iter().filter_map(|&j| match self.columns.get(j).map(|column| &column.values) {
            Some(Values::Numbers(values)) => Some(values),
            _ => None,
        });
        let mut sums: Vec<f64> = Vec::new();
        for values in columns {
            sums.resize(values.len(), 0.0);
            sums.iter_mut().zip(values.iter()).for_each(|(sum, x)| *sum += x);
        }
        let near = sums.iter().filter(|sum| (**sum - 1.0).abs() <= NEARLY_ONE).count();
        near as f64 / sums.len().max(1) as f64
    }

    /// The column of another outcome that a score is named after, and not after the outcome of these rows: `Edema` of
    /// `pred_Edema` beside `Atelectasis`, `event_5y` of `risk_5y` beside `event_1y`.
    pub(super) fn other_outcome(&self, score: usize) -> Option<usize> {
        let &[outcome] = [Role::Label, Role::Correct].map(|role| self.with_role(role)).concat().as_slice() else {
            return None;
        };
        let of_score = names::words(self.name(score));
        let of_outcome = names::words(self.name(outcome));
        let labels = self.labels_of(outcome);
        // the words of one name that the other has not are in the name of the score
        let tells = |own: &[String], other: &[String]| {
            let mut words = own.iter().filter(|word| !other.contains(word)).peekable();
            words.peek().is_some() && words.all(|word| of_score.contains(word))
        };
        (0..self.columns.len()).find(|&j| {
            let words = names::words(self.name(j));
            j != outcome
                && j != score
                && self.profile(j).is_some_and(|p| p.few(labels.len()) && !p.fractional_share())
                && self.labels_of(j) == labels
                && tells(&words, &of_outcome)
                && !tells(&of_outcome, &words)
        })
    }

    /// Scores of other outcomes are no models of this one.
    fn leave_out_other_outcomes(&mut self, rivals: &mut Vec<Rival>) {
        let outcome_of = |rival: &Rival| rival.members.iter().find_map(|&j| self.other_outcome(j));
        let others: Vec<(Rival, usize)> =
            rivals.iter().filter_map(|rival| Some((rival.clone(), outcome_of(rival)?))).collect();
        if others.is_empty() {
            return;
        }
        rivals.retain(|rival| !others.iter().any(|(other, _)| other == rival));
        self.ignore_scores_of_others(
            others.into_iter().map(|(rival, outcome)| (rival.name, rival.members, outcome)).collect(),
        );
    }

    /// Names of the models of these rows, the open one first; the wished one is opened in place of the first.
    ///
    /// Models have scores of one form: one column each, one column a class each, or an array of the same width.
    pub(super) fn models(&mut self, wished: Option<&str>) -> Vec<String> {
        let of_form = [Role::Probability, Role::Probabilities, Role::Logit, Role::Logits]
            .map(|role| (role, self.with_role(role)));
        let mut used = of_form.into_iter().filter(|(_, members)| !members.is_empty());
        let (Some((role, members)), None) = (used.next(), used.next()) else {
            return Vec::new();
        };
        let width = |members: &[usize]| -> Vec<Vec<usize>> {
            let shape = |&j: &usize| self.columns.get(j).map(|c| c.values.shape());
            members.iter().filter_map(shape).collect()
        };
        let open = width(&members);
        let mut rivals: Vec<Rival> = std::mem::take(&mut self.rivals)
            .into_iter()
            .filter(|rival| rival.role == role && width(&rival.members) == open)
            .filter(|rival| rival.members.iter().all(|&j| self.given.get(j) == Some(&false)))
            .collect();
        self.leave_out_other_outcomes(&mut rivals);
        if rivals.is_empty() {
            return Vec::new();
        }
        let names: Vec<&str> = members.iter().map(|&j| self.name(j)).collect();
        let first = Rival { name: self.model_name(shared(&names), &members), members, role };
        rivals.insert(0, first);
        let place = wished.and_then(|wished| rivals.iter().position(|r| r.name == wished));
        let chosen = rivals.remove(place.unwrap_or(0));
        if place.is_some_and(|place| place > 0) {
            if let Some(first) = rivals.first() {
                for j in first.members.clone() {
                    // What is said of the model outweighs what is said of its columns.
                    if let Some(given) = self.given.get_mut(j) {
                        *given = false;
                    }
                    self.set(j, Role::Ignore, "another score is used", false);
                }
            }
            for &j in &chosen.members {
                self.set(j, role, "the selected model", true);
            }
        }
        if place.is_some() || role == Role::Probability {
            // A person has looked at them, or they are told as models: a question whether they are used would be none.
            for j in rivals.iter().flat_map(|rival| rival.members.clone()) {
                self.set(j, Role::Ignore, OTHER_MODEL, true);
            }
        }
        std::iter::once(chosen).chain(rivals).map(|rival| rival.name).collect()
    }
}

/// What the names of one model's columns have in common.
fn shared<'a>(names: &[&'a str]) -> &'a str {
    let Some((first, rest)) = names.split_first() else {
        return "";
    };
    if rest.is_empty() {
        return first;
    }
    let same = |other: &&str| {
        let pairs = first.char_indices().zip(other.chars());
        pairs.take_while(|((_, a), b)| a == b).last().map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    let length = rest.iter().map(same).min().unwrap_or(0);
    first.get(..length).unwrap_or(first).trim_end_matches(['_', '.', ' ', ':'])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::pair::scores;
    use crate::data::{OpenOptions, assemble};

    /// Names of the models and the first score, else the code and the hint of the error.
    fn opened(text: &str, role: Role, model: Option<&str>) -> (Vec<String>, String) {
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let names = text.lines().next().unwrap_or_default().split(',').take(2);
        let roles = names.map(|name| (name.to_owned(), role)).collect();
        let options = OpenOptions { roles, model: model.map(str::to_owned), ..OpenOptions::default() };
        match assemble(&[file], &options) {
            Ok((data, summary)) => (summary.models, scores(&data).unwrap()[0].to_string()),
            Err(error) => (Vec::new(), format!("{}: {}", error.code(), error.hint())),
        }
    }

    #[test]
    fn given_scores_that_are_named_after_no_class_are_models() {
        let rows = "pd,challenger,defaulted\n12.5,20,0\n30,40,1\n2.5,6,0\n";
        let models = || vec!["pd".to_owned(), "challenger".to_owned()];
        assert_eq!(opened(rows, Role::Percent, None), (models(), "0.125".to_owned()));
        let (names, first) = opened(rows, Role::Percent, Some("challenger"));
        assert_eq!((names[0].as_str(), first.as_str()), ("challenger", "0.2"));
        let shares = "pd,challenger,defaulted\n0.125,0.2,0\n0.3,0.4,1\n0.025,0.06,0\n";
        assert_eq!(opened(shares, Role::Probability, None), (models(), "0.125".to_owned()));
        // classes are classes, by their names or by their sums
        let (names, told) = opened("p_0,p_1,y\n0.2,0.3,0\n0.3,0.4,1\n0.1,0.2,0\n", Role::Probability, None);
        assert!(names.is_empty() && told.starts_with("rows_do_not_sum_to_one"), "{told}");
        assert!(told.contains("If each column is a model") && told.contains("readings"), "{told}");
        let (names, _) = opened("neg,pos,y\n0.2,0.8,0\n0.3,0.7,1\n0.6,0.4,0\n", Role::Probability, None);
        assert!(names.is_empty());
    }

    #[test]
    fn scores_of_other_outcomes_are_no_models() {
        let summary = |header: &str| {
            let row = |i: usize| format!("0.{},0.{},{},{}\n", 11 + i * 7 % 80, 12 + i * 37 % 80, i % 3 / 2, i % 5 / 3);
            let text = format!("{header}\n{}", (0..60).map(row).collect::<String>());
            let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
            assemble(&[file], &OpenOptions::default()).unwrap().1
        };
        for header in ["pred_edema,pred_nodule,edema,nodule", "risk_1y,risk_5y,event_1y,event_5y"] {
            let found = summary(header);
            assert!(found.models.is_empty(), "{header}: {:?}", found.models);
            assert!(found.warnings.iter().any(|warning| warning.code == "scores_of_other_outcomes"), "{header}");
        }
        assert_eq!(summary("p_old,p_new,died,smoker").models.len(), 2);
    }
}
