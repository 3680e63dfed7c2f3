//! Two columns of the same classes beside a confidence: what people said, and what a model did.

use super::super::labels::Labels;
use super::super::names;
use super::super::roles::Role;
use super::{FEW_ROWS, Guesses, MISSING, Values};

/// Most classes of an answer.
const MOST_CLASSES: usize = 100;

impl Guesses<'_> {
    /// Settles `human_label`, `llm_label` and `llm_confidence`: a score that is nowhere below 1 / classes, and larger where two
    /// columns of the same classes agree, is the probability of the class that one of them predicts. Which one, the names
    /// say (those of people and of programs, or what a column shares with the score), else the last.
    pub(super) fn answers_of_a_model(&mut self) {
        if self.has(Role::Predicted) || self.has(Role::Correct) {
            return;
        }
        let of_classes = |j: &usize| {
            let free = self.role(*j).is_none() || self.role(*j) == Some(Role::Label);
            free && self.profile(*j).is_some_and(|p| p.few(MOST_CLASSES) && p.distinct > Some(1) && p.missing == 0)
        };
        let columns: Vec<usize> = (0..self.columns.len()).filter(of_classes).collect();
        let score = |j: &usize| {
            let free = self.role(*j).is_none() || self.role(*j) == Some(Role::Confidence);
            free && self.profile(*j).is_some_and(|p| p.fractional_share() && p.rows >= FEW_ROWS && p.missing == 0)
        };
        let &[score] = (0..self.columns.len()).filter(score).collect::<Vec<_>>().as_slice() else { return };
        let classes: Vec<(usize, Vec<String>)> = columns.into_iter().map(|j| (j, self.labels_of(j))).collect();
        let after = classes
            .iter()
            .enumerate()
            .flat_map(|(at, first)| classes.iter().skip(at + 1).map(move |other| (first, other)));
        let mut same = after.filter(|((_, one), (_, other))| one == other && one.len() > 1);
        let (Some(((first, labels), (second, _))), None) = (same.next(), same.next()) else { return };
        let (first, second, least) = (*first, *second, 1.0 / labels.len() as f64);
        if !self.profile(score).is_some_and(|p| p.min >= least) || !self.agree_where_sure(first, second, score) {
            return;
        }
        let [of_first, of_second] = [first, second].map(|j| names::is_predicted_with(self.name(j), self.name(score)));
        let (predicted, observed) = if of_first > of_second { (first, second) } else { (second, first) };
        if self.role(predicted) == Some(Role::Label) {
            return;
        }
        let sure = of_first != of_second;
        self.set(
            predicted,
            Role::Predicted,
            "classes of the outcome, with a confidence that rises where both agree",
            sure,
        );
        self.set(observed, Role::Label, "classes with which those predicted agree where the confidence is high", sure);
        self.set(
            score,
            Role::Confidence,
            "nowhere below 1 / classes, and larger where predicted and observed agree",
            sure,
        );
    }

    /// Whether two columns agree in more rows than one of so many classes would by chance, and the score is larger there.
    fn agree_where_sure(&self, first: usize, second: usize, score: usize) -> bool {
        let codes = |j: usize| self.columns.get(j).map(|column| Labels::of(&column.values).codes);
        let (Some(first), Some(second)) = (codes(first), codes(second)) else { return false };
        let Some(Values::Numbers(scores)) = self.columns.get(score).map(|column| &column.values) else { return false };
        let mut sums = [(0.0, 0.0); 2];
        for ((a, b), score) in first.iter().zip(second.iter()).zip(scores.iter()) {
            let (rows, sum) = &mut sums[usize::from(a == b && *a != MISSING)];
            *rows += 1.0;
            *sum += score;
        }
        let [(differ, of_differing), (agree, of_agreeing)] = sums;
        agree > differ && differ > 0.0 && of_agreeing / agree > of_differing / differ
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::roles::Role;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    /// Roles of the columns of answers of which a model is as right as it says, with a share of its confidence below ½.
    fn roles(header: &str, low: f64) -> Vec<Role> {
        let row = |i: usize| {
            let sure = low + (1.0 - low) * ((i * 7_919) as f64 * 0.618).fract();
            let (observed, right) = (i * 31 % 5 < 2, ((i * 104_729 + 7) as f64 * 0.414_21).fract() < sure);
            let word = |yes: bool| if yes { "yes" } else { "no" };
            format!("{},{},{sure:.4}\n", word(observed), word(observed == right))
        };
        let text = format!("{header}\n{}", (0..300).map(row).collect::<String>());
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        summary.columns.into_iter().map(|column| column.role).collect()
    }

    #[test]
    fn a_confidence_in_an_answer_is_not_that_of_an_event() {
        let all = [Role::Label, Role::Predicted, Role::Confidence];
        assert_eq!(roles("human_label,llm_label,llm_confidence", 0.5), all);
        assert_eq!(roles("human,gpt4,gpt4_conf", 0.5), all);
        assert_eq!(roles("gold,hyp,val", 0.5), all);
        assert_eq!(roles("died,smoker,risk", 0.0)[2], Role::Probability);
    }
}
