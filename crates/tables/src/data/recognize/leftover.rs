//! What follows from the other roles, and what is left: groups, features, the rest.

use super::super::names;
use super::super::profile::{Form, Profile, nearly_numbers};
use super::super::roles::Role;
use super::{Guesses, Values};
use crate::words::text::{counted, quoted, thousands};

/// Most levels of a text column that is taken for a group.
pub(super) const MOST_LEVELS: usize = 20;
/// The same where each level has [`ROWS_OF_MANY`] rows on average.
const MOST_LARGE_LEVELS: usize = 60;
/// Rows that each of many levels has on average.
const ROWS_OF_MANY: usize = 20;
/// Least of the whole numbers under a name that ends as an id, such as `KH-Nr`, which may count something below: `visit_number`.
const LEAST_ID: f64 = 10_000.0;
/// Most distinct whole numbers of a column that is taken for a group.
const MOST_NUMBERS: usize = 10;

impl Guesses<'_> {
    /// Drops what follows from better columns, and reads a lone confidence as what it must be.
    pub(super) fn settle(&mut self) {
        let scored = self.scored();
        if scored && !self.has(Role::Label) && self.has(Role::Correct) {
            if let [only] = self.with_role(Role::Probability).as_slice() {
                let reason = "a probability next to correctness";
                self.set(*only, Role::Confidence, reason, false);
            }
        } else if scored {
            for j in self.with_role(Role::Confidence) {
                self.set(j, Role::Ignore, "follows from the scores", true);
            }
            if self.has(Role::Label) {
                for j in self.with_role(Role::Correct) {
                    self.set(j, Role::Ignore, "follows from scores and label", true);
                }
            }
        } else if let Some(&j) = self.with_role(Role::Confidence).first()
            && !self.has(Role::Correct)
            && !self.has(Role::Predicted)
            && self.occurring().len() == 2
        {
            let reason = "no predicted label beside it, so read as P(y = 1)";
            self.set(j, Role::Probability, reason, false);
        }
        self.confidence_of_event();
        for role in [Role::Confidence, Role::Correct, Role::Predicted, Role::Weight, Role::Split] {
            for j in self.with_role(role).into_iter().skip(1) {
                self.set(j, Role::Ignore, "a second column of this kind", false);
            }
        }
    }

    /// Says of an outcome of two values beside a confidence in percent, without a predicted class, that it may be correctness.
    /// Beside a confidence that is no percentage its role is asked about.
    fn confidence_of_event(&mut self) {
        let (scores, labels) = (self.with_role(Role::Probability), self.with_role(Role::Label));
        let (&[score], &[label]) = (scores.as_slice(), labels.as_slice()) else { return };
        let in_percent = self.in_percent.get(score) == Some(&true);
        let of_person = self.given.get(label) == Some(&true) || self.has(Role::Predicted);
        if in_percent && !of_person && names::is_confidence(self.name(score)) && self.labels_of(label).len() == 2 {
            let [confidence, outcome] = [score, label].map(|j| quoted(self.name(j)));
            let message = format!(
                "{confidence} is read as the probability of the event in {outcome}. If {outcome} states whether the answer was \
                 correct, assign the role correct to it."
            );
            self.warn("confidence_of_event", message, Some(label));
        }
    }

    /// Times to the event or to the end of follow-up are known only afterwards, and tell the outcome: no features.
    pub(super) fn follow_up(&mut self) {
        let Some(&outcome) = self.with_role(Role::Label).first() else { return };
        for j in self.open() {
            let is_number = self.profile(j).is_some_and(Profile::is_number);
            let names = self.columns.iter().map(|column| column.name.as_str());
            if is_number && names::is_follow_up(self.name(j), self.name(outcome), names) {
                self.set(j, Role::Ignore, "time to the event or to the end of follow-up", true);
            }
        }
    }

    /// Groups are what has few levels, features are what has numbers.
    pub(super) fn leftovers(&mut self) {
        for j in self.open() {
            self.leftover(j);
        }
    }

    pub(super) fn leftover(&mut self, j: usize) {
        let name = self.name(j);
        let Some(p) = self.profile(j).cloned() else { return };
        let texts = self.columns.get(j).is_some_and(|column| nearly_numbers(&column.values));
        let distinct = || p.increasing || self.all_distinct(j);
        let (role, reason) = if let Some(first) = self.repeats(j) {
            (Role::Ignore, format!("the same values as `{first}`"))
        } else if texts && !is_id(name) {
            (Role::Feature, "numeric, with a few texts".into())
        } else if p.is_number() && p.whole && reads_as_id(name) && p.distinct.is_none() && distinct() {
            (Role::Ignore, "named like an id, and all values differ".into())
        } else {
            leftover(name, &p)
        };
        self.set(j, role, reason, true);
    }

    /// The column that this one repeats, as tables that were joined do: `age (2)` or `age.1` with the values of `age`.
    fn repeats(&self, j: usize) -> Option<&str> {
        let base = names::repeated(self.name(j))?;
        let values = &self.columns.get(j)?.values;
        let first = self.columns.iter().find(|column| column.name == base)?;
        let same = match (values, &first.values) {
            (Values::Numbers(a), Values::Numbers(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.to_bits() == b.to_bits())
            }
            (Values::Text { codes, levels }, Values::Text { codes: of_first, levels: first }) => {
                codes == of_first && levels == first
            }
            _ => false,
        };
        same.then_some(first.name.as_str())
    }
}

fn leftover(name: &str, p: &Profile) -> (Role, String) {
    let repeated = |d: usize| d * 2 <= p.rows.max(4);
    match (p.form, p.distinct) {
        (Form::Matrix { width, .. }, _) => (Role::Features, format!("array of {}", counted(width, "column"))),
        (_, Some(1)) if p.is_mark() => (Role::Group, "a mark: one value, or missing".into()),
        (_, Some(1)) => (Role::Ignore, "one value only".into()),
        (Form::Text { .. }, Some(d))
            if (d <= MOST_LEVELS && repeated(d)) || (d <= MOST_LARGE_LEVELS && d * ROWS_OF_MANY <= p.rows) =>
        {
            (Role::Group, format!("{} levels", thousands(d)))
        }
        (Form::Text { .. }, d) => {
            let d = d.unwrap_or(0);
            (Role::Ignore, format!("text with {} different values", thousands(d)))
        }
        (Form::Numbers, Some(d))
            if p.whole && d <= MOST_NUMBERS && d * 5 <= p.rows.max(10) && !names::suggests_feature(name) =>
        {
            (Role::Group, format!("{} different whole numbers", thousands(d)))
        }
        (Form::Numbers, d)
            if p.whole
                && (is_id(name) || names::ends_as_id(name) && p.min >= LEAST_ID)
                && d.is_none_or(|d| d > MOST_NUMBERS) =>
        {
            (Role::Ignore, "named like an id, but repeats".into())
        }
        (Form::Numbers, _) => (Role::Feature, "numbers".into()),
    }
}

/// [`is_id`], and what only ends so: `patientunitstayid`, `NHS number`. Ids only if all values differ: so does `acid`.
fn reads_as_id(name: &str) -> bool {
    is_id(name) || names::says_id(name) || names::snake(name).ends_with("id")
}

fn is_id(name: &str) -> bool {
    names::rank(name, names::ID).is_some()
        || names::words(name).last().is_some_and(|word| word == "id")
        || names::clustered(name).is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    #[test]
    fn numbers_of_patients_and_cases_are_no_features() {
        for name in ["MRN", "case_no", "Fallnummer", "NHS number", "PatNr", "hospital_number", "SUBJID", "csn", "KH-Nr"]
        {
            for rows_each in [1, 4] {
                let rows =
                    (0..200).map(|i| format!("0.{:02},{},{}\n", i % 97 + 1, i % 2, 100_000 + 7 * (i / rows_each)));
                let text = format!("p,y,{name}\n{}", rows.collect::<String>());
                let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
                let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
                let role = data.roles.iter().find(|column| column.name == name).map(|column| column.role);
                assert!(matches!(role, Some(Role::Ignore | Role::Id)), "{name}: {role:?}");
            }
        }
        let visits = Profile::of(&crate::table::values::NamedColumn {
            file: String::new(),
            name: "visit_number".into(),
            values: Values::Numbers((0..200).map(|i| f64::from(1 + i % 30)).collect()),
        });
        assert_eq!(leftover("visit_number", &visits).0, Role::Feature);
    }

    #[test]
    fn a_mark_and_its_absence_are_groups() {
        let mut text = "p,y,icu,flag,country,seldom\n".to_owned();
        for i in 0..200 {
            let of = |is: bool, value| if is { value } else { "" };
            text += &format!(
                "0.{:02},{},{},{},DE,{}\n",
                i % 97 + 1,
                i % 2,
                of(i % 3 == 0, "x"),
                of(i % 5 < 2, "1"),
                of(i > 2, "yes")
            );
        }
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
        let role = |name: &str| data.roles.iter().find(|column| column.name == name).map(|column| column.role);
        assert_eq!([role("icu"), role("flag")], [Some(Role::Group); 2]);
        // the same in every row, or missing in three
        assert_eq!([role("country"), role("seldom")], [Some(Role::Ignore); 2]);
    }
}
