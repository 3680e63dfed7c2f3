//! Several outcomes of the same rows, each with a score that is named after it: findings in images, toxicities of molecules.

use super::super::names;
use super::super::profile::Profile;
use super::super::roles::Role;
use super::Guesses;
use crate::words::text::{enumerated, quoted};

/// An outcome and its score: places of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OutcomeAndScore {
    outcome: usize,
    score: usize,
}

impl Guesses<'_> {
    /// Where several outcomes have a score of the same name each (`Edema_true` and `Edema_prob`), uses one pair, whatever the
    /// order of the columns: that of an outcome or a score with a given role, else the first.
    pub(super) fn several_outcomes(&mut self) {
        if self.has(Role::Correct) || self.has(Role::Confidence) {
            return;
        }
        let pairs = self.outcomes_and_scores();
        let outcomes: Vec<usize> = pairs.iter().map(|pair| pair.outcome).collect();
        let scores: Vec<usize> = pairs.iter().map(|pair| pair.score).collect();
        // classes that exclude each other are one outcome
        if pairs.len() < 2 || self.one_hot(&outcomes) || self.sum_to_one(&scores) {
            return;
        }
        let used = match (self.with_role(Role::Label).as_slice(), self.with_role(Role::Probability).as_slice()) {
            ([], []) => pairs.first(),
            ([outcome], []) => pairs.iter().find(|pair| pair.outcome == *outcome),
            ([], [score]) => pairs.iter().find(|pair| pair.score == *score),
            _ => None,
        };
        let Some(&used) = used else { return };
        self.set(used.outcome, Role::Label, format!("the first of {} outcomes with a score each", pairs.len()), false);
        self.set(used.score, Role::Probability, format!("named after {}", quoted(self.name(used.outcome))), true);
        let others: Vec<OutcomeAndScore> = pairs.into_iter().filter(|pair| *pair != used).collect();
        for other in &others {
            self.set(other.outcome, Role::Group, "another outcome", true);
        }
        let named = |pair: OutcomeAndScore| (self.name(pair.score).to_owned(), vec![pair.score], pair.outcome);
        self.ignore_scores_of_others(others.into_iter().map(named).collect());
    }

    /// Columns of two answers and the only column of shares that is named after each, in the order of the outcomes.
    fn outcomes_and_scores(&self) -> Vec<OutcomeAndScore> {
        let named = |role: Role, fits: &dyn Fn(usize, &Profile) -> bool, stem: &dyn Fn(&str) -> Option<String>| {
            (0..self.columns.len())
                .filter(|&j| self.role(j).is_none_or(|own| own == role))
                .filter(|&j| {
                    self.profile(j).is_some_and(|p| fits(j, p)) && names::without_repeat(self.name(j)).is_none()
                })
                .filter_map(|j| Some((stem(self.name(j))?, j)))
                .collect::<Vec<(String, usize)>>()
        };
        let answers = |j: usize| self.labels_of(j).iter().all(|text| names::answers(text).is_some());
        let two_answers = |j: usize, p: &Profile| p.few(2) && p.distinct == Some(2) && answers(j);
        let outcomes = named(Role::Label, &two_answers, &names::outcome_stem);
        let scores = named(Role::Probability, &|_, p| p.fractional_share(), &names::score_stem);
        let only = |of: &[(String, usize)], stem: &str| {
            let mut found = of.iter().filter(|(own, _)| own == stem).map(|(_, j)| *j);
            found.next().filter(|_| found.next().is_none())
        };
        let pair = |(stem, _): &(String, usize)| {
            Some(OutcomeAndScore { outcome: only(&outcomes, stem)?, score: only(&scores, stem)? })
        };
        outcomes.iter().filter_map(pair).collect()
    }

    /// Ignores scores of other outcomes than the one that is used, and says so.
    ///
    /// * `others`: the name of a score, its columns and its outcome
    pub(super) fn ignore_scores_of_others(&mut self, others: Vec<(String, Vec<usize>, usize)>) {
        let mut pairs = Vec::new();
        for (score, members, outcome) in others {
            let outcome = quoted(self.name(outcome));
            pairs.push(format!("{} of {outcome}", quoted(&score)));
            for j in members {
                self.set(j, Role::Ignore, format!("score of {outcome}, another outcome"), false);
            }
        }
        let message = format!(
            "Scores of other outcomes are ignored: {}. To evaluate one, assign the role label to its outcome and the role \
             probability to the score.",
            enumerated(pairs)
        );
        self.warn("scores_of_other_outcomes", message, None);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::summary::Summary;
    use crate::data::{OpenOptions, Role, assemble};
    use crate::read::read;

    fn summary(header: &str, row: impl Fn(usize) -> String, roles: &[(&str, Role)]) -> Summary {
        let text = format!("{header}\n{}", (0..60).map(row).collect::<String>());
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let roles = roles.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
        assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() }).unwrap().1
    }

    fn named(summary: &Summary, role: Role) -> Vec<&str> {
        let of_role = summary.columns.iter().filter(|column| column.role == role);
        of_role.map(|column| column.name.as_str()).collect()
    }

    fn y(i: usize, k: usize) -> usize {
        usize::from((i * 7 + k * 11).is_multiple_of(3 + k))
    }

    fn p(i: usize, k: usize) -> String {
        format!("0.{}", 100 + (i * 37 + k * 101) % 800)
    }

    #[test]
    fn each_of_several_outcomes_has_the_score_of_its_name() {
        for [of_outcome, of_score] in [
            ["_true", "_prob"],
            ["_label", "_score"],
            ["_gt", "_pred"],
            ["_actual", "_proba"],
            ["_y", "_p"],
            ["_observed", "_predicted"],
            ["", "_pred"],
        ] {
            let [edema, mass, nodule] = ["Edema", "Lung Mass", "SR-p53"];
            let outcome = |name: &str| format!("{name}{of_outcome}");
            let score = |name: &str| format!("{name}{of_score}");
            // the scores are in another order than the outcomes, or beside them
            let blocks =
                [edema, mass, nodule].map(outcome).join(",") + "," + &[nodule, edema, mass].map(score).join(",");
            let row = |i: usize| format!("{},{},{},{},{},{}\n", y(i, 0), y(i, 1), y(i, 2), p(i, 2), p(i, 0), p(i, 1));
            let in_pairs = [edema, mass].map(|name| format!("{},{}", score(name), outcome(name))).join(",");
            let beside = |i: usize| format!("{},{},{},{}\n", p(i, 0), y(i, 0), p(i, 1), y(i, 1));
            for found in [summary(&blocks, row, &[]), summary(&in_pairs, beside, &[])] {
                assert_eq!(named(&found, Role::Label), [outcome(edema)], "{blocks}");
                assert_eq!(named(&found, Role::Probability), [score(edema)], "{blocks}");
                assert!(found.models.is_empty(), "{:?}", found.models);
                assert!(found.warnings.iter().any(|warning| warning.code == "scores_of_other_outcomes"), "{blocks}");
            }
            let chosen = summary(&blocks, row, &[(&outcome(mass), Role::Label)]);
            assert_eq!(named(&chosen, Role::Probability), [score(mass)]);
        }
        let row = |i: usize| format!("{},{},{},{}\n", y(i, 0), y(i, 1), p(i, 0), p(i, 1));
        for header in ["true_NR-AR,true_SR-p53,pred_NR-AR,pred_SR-p53", "y_a,y_b,p_a,p_b"] {
            let found = summary(header, row, &[]);
            let names: Vec<&str> = header.split(',').collect();
            assert_eq!([named(&found, Role::Label), named(&found, Role::Probability)], [[names[0]], [names[2]]]);
        }
    }

    #[test]
    fn classes_that_exclude_each_other_are_no_outcomes_of_their_own() {
        let row = |i: usize| {
            let p = (100 + i * 37 % 800) as f64 / 1000.0;
            format!("{},{},{p},{}\n", y(i, 0), 1 - y(i, 0), 1.0 - p)
        };
        let found = summary("y_cat,y_dog,p_cat,p_dog", row, &[]);
        assert_eq!(named(&found, Role::Probability).len(), 2);
    }
}
