//! Scores beside those that are used: other models of the same rows.

use super::super::roles::Role;
use super::Guesses;

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
                self.set(j, Role::Ignore, "another model", true);
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
