//! Score columns of which each is named after a class.

use super::super::names;
use super::super::profile::Profile;
use super::super::roles::Role;
use super::Guesses;
use crate::num::order::sort_short;
use crate::words::text::shape;

/// Columns of one file whose names differ only in the class at their end.
pub(super) struct Family {
    file: String,
    prefix: String,
    members: Vec<usize>,
    /// no label or number tells that the names end in classes
    unknown: bool,
    /// the class stands before the last word
    leading: bool,
}

impl Guesses<'_> {
    /// Columns whose names end in a class, after a common prefix.
    pub(super) fn families(&mut self, labels: &[String]) {
        let families = self.grouped(labels);
        // The columns of all classes that share out each row come before others whose names end in classes, too: `CH` and `MM`
        // before `SpecialCH` and `SpecialMM`.
        let rank = |family: &Family| {
            (
                family.members.len() > 1,
                self.share_out(&family.members, labels) && !self.one_hot(&family.members),
                names::suggests_probability(&family.prefix),
                names::suggests_score(&family.prefix),
                family.members.len(),
            )
        };
        let mut ranked: Vec<_> = families.into_iter().map(|family| (rank(&family), family)).collect();
        sort_short(&mut ranked, |a, b| a.0 > b.0);
        for (_, family) in ranked {
            if self.scored() {
                let known = names::suggests_probability(&family.prefix)
                    || self.share_out(&family.members, labels)
                    || (names::suggests_score(&family.prefix) && family.members.len() > 1);
                if known && !self.one_hot(&family.members) {
                    for &j in &family.members {
                        self.set(j, Role::Ignore, "other scores are used", false);
                    }
                    if !family.unknown && self.same_classes(&family.members) {
                        let role = if names::suggests_logit(&family.prefix) { Role::Logit } else { Role::Probability };
                        self.rival(&family.prefix, &family.members, role);
                    }
                }
                continue;
            }
            self.family(&family, labels);
        }
    }

    pub(super) fn grouped(&self, labels: &[String]) -> Vec<Family> {
        let mut families: Vec<Family> = Vec::new();
        let numeric = labels.iter().all(|label| label.parse::<f64>().is_ok());
        for j in self.open() {
            let Some(p) = self.profile(j) else { continue };
            if !p.almost_number() {
                continue;
            }
            let name = self.name(j);
            if name.starts_with("column ") {
                continue;
            }
            let by_label = names::named_label(name, labels).map(|(_, before)| before);
            let by_number = names::number_tail(name).map(|(before, _)| before.to_owned());
            let by_word = || {
                let at = name.rfind(['_', '.', ' ', ':', '(', '['])?;
                name.get(..=at).filter(|before| names::suggests_score(before))
            };
            let known = if numeric { by_number.or(by_label) } else { by_label.or(by_number) };
            let before = known.is_none().then(|| names::leading_label(name, labels)).flatten().map(|(_, rest)| rest);
            let unknown = known.is_none() && before.is_none();
            // Without an outcome that tells the classes: columns that differ in what stands before the same words.
            let differing = names::before_score_words(name).filter(|_| unknown && labels.is_empty());
            let leading = before.is_some() || differing.is_some();
            let known = known.or(before).or_else(|| differing.map(|(_, behind)| behind.to_owned()));
            let Some(prefix) = known.or_else(|| by_word().map(str::to_owned)) else {
                continue;
            };
            let file = self.columns.get(j).map_or("", |c| &c.file);
            let same =
                |f: &&mut Family| f.file == file && f.prefix == prefix && f.unknown == unknown && f.leading == leading;
            match families.iter_mut().find(same) {
                Some(family) => family.members.push(j),
                None => families.push(Family { file: file.to_owned(), prefix, members: vec![j], unknown, leading }),
            }
        }
        self.with_unseen(&mut families);
        if !numeric {
            self.with_unlabeled(&mut families, labels);
        }
        // Words that no label tells to be classes are classes only if they share out each row.
        let doubtful = |f: &Family| f.unknown || f.leading;
        families.retain(|f| !doubtful(f) || (f.members.len() > 1 && self.sum_to_one(&f.members)));
        families
    }

    /// A class that never happens has no label, but its column shares out each row with those that have one.
    fn with_unseen(&self, families: &mut Vec<Family>) {
        let (unknown, mut known): (Vec<Family>, Vec<Family>) = families.drain(..).partition(|family| family.unknown);
        for more in unknown {
            let same = |f: &&mut Family| f.file == more.file && f.prefix == more.prefix;
            let mut all = more.members.clone();
            match known.iter_mut().find(same) {
                Some(family)
                    if !self.sum_to_one(&family.members) && {
                        all.extend(&family.members);
                        self.sum_to_one(&all)
                    } =>
                {
                    all.sort_unstable();
                    family.members = all;
                }
                _ => known.push(more),
            }
        }
        *families = known;
    }

    /// A class that no label holds has a column all the same: classes come from labels and score columns together.
    ///
    /// The column begins like those of the other classes and ends in a name built like theirs (`c7` among `c0` … `c11`),
    /// or the rows sum to 1 only with it, or it is a logit among logits.
    fn with_unlabeled(&self, families: &mut Vec<Family>, labels: &[String]) {
        let built: Vec<String> = labels.iter().map(|label| shape(&names::snake(label))).collect();
        let numbered = |tail: &str| {
            let tail = shape(tail);
            tail.contains('9') && built.iter().all(|other| *other == tail)
        };
        for k in 0..families.len() {
            let Some(family) = families.get(k) else {
                continue;
            };
            let labeled = |j: &usize| names::named_label(self.name(*j), labels).is_some();
            if family.unknown || family.members.len() < 2 || !family.members.iter().all(labeled) {
                continue;
            }
            let logits =
                !family.prefix.is_empty() && names::suggests_logit(&family.prefix) && !self.sum_to_one(&family.members);
            let beside: Vec<(usize, bool)> = (self.open().into_iter())
                .filter(|j| !family.members.contains(j))
                .filter(|&j| self.columns.get(j).is_some_and(|c| c.file == family.file))
                .filter(|&j| self.profile(j).is_some_and(Profile::almost_number))
                .filter_map(|j| {
                    let name = names::snake(self.name(j));
                    let tail = name.strip_prefix(family.prefix.as_str())?;
                    Some((j, numbered(tail) || logits))
                })
                .collect();
            let mut found: Vec<usize> = (beside.iter()).filter_map(|&(j, named)| named.then_some(j)).collect();
            if found.is_empty() {
                found = self.completing(&family.members, &beside);
            }
            if found.is_empty() {
                continue;
            }
            for other in families.iter_mut() {
                other.members.retain(|j| !found.contains(j));
            }
            if let Some(family) = families.get_mut(k) {
                family.members.extend(found);
                family.members.sort_unstable();
            }
        }
        families.retain(|family| !family.members.is_empty());
    }

    /// Columns with which more rows sum to 1 than without: all that lie in [0, 1], else a single one.
    fn completing(&self, members: &[usize], beside: &[(usize, bool)]) -> Vec<usize> {
        let shares: Vec<usize> = (beside.iter().map(|&(j, _)| j))
            .filter(|&j| self.profile(j).is_some_and(|p| p.is_number() && p.outside == 0.0))
            .collect();
        let with = |more: &[usize]| self.share_summing(&[members, more].concat());
        let without = with(&[]);
        std::iter::once(shares.as_slice())
            .chain(shares.chunks(1))
            .filter(|more| !more.is_empty())
            .find(|more| {
                let share = with(more);
                share > 0.5 && share > without
            })
            .map_or_else(Vec::new, <[usize]>::to_vec)
    }

    /// Whether each of these columns has the name of a label of its own, all labels are, and every row sums to 1.
    fn share_out(&self, members: &[usize], labels: &[String]) -> bool {
        let mut named: Vec<&str> =
            members.iter().filter_map(|&j| Some(names::named_label(self.name(j), labels)?.0)).collect();
        named.sort_unstable();
        named.dedup();
        members.len() > 1 && named.len() == members.len() && named.len() == labels.len() && self.sum_to_one(members)
    }

    /// Whether these columns are of the classes of the columns that are used.
    fn same_classes(&self, members: &[usize]) -> bool {
        let used: Vec<usize> =
            [Role::Probability, Role::Logit].into_iter().flat_map(|role| self.with_role(role)).collect();
        let labels = self.occurring();
        let classes = |members: &[usize]| {
            let names: Vec<&str> = members.iter().map(|&j| self.name(j)).collect();
            let mut classes = names::classes(&names, &labels, false);
            classes.sort_unstable();
            classes
        };
        members.len() > 1 && used.len() == members.len() && classes(&used) == classes(members)
    }

    /// Columns that are numbered, but not after the classes of two labels, and share out no row: models, not classes.
    fn numbered_models(&self, family: &Family, labels: &[String]) -> bool {
        let tails: Vec<String> = (family.members.iter())
            .filter_map(|&j| names::number_tail(self.name(j)).map(|(_, k)| k.to_string()))
            .collect();
        let of_labels = tails.len() == labels.len() && tails.iter().all(|k| labels.contains(k));
        labels.len() == 2
            && tails.len() == family.members.len()
            && tails.len() > 1
            && !of_labels
            && self.share_summing(&family.members) < 0.5
    }

    /// Two columns of an array that are numbered, of which one is an outcome rather than the share of a class: 0 or 1 in
    /// every row.
    fn numbered_columns(&self, family: &Family) -> bool {
        let two_valued = |j: &usize| self.profile(*j).is_some_and(|p| p.whole && p.outside == 0.0);
        family.prefix.is_empty()
            && family.members.len() == 2
            && family.members.iter().filter(|j| two_valued(j)).count() == 1
            && self.share_summing(&family.members) < 0.5
    }

    pub(super) fn family(&mut self, family: &Family, labels: &[String]) {
        let members = &family.members;
        let prefix = family.prefix.as_str();
        let told = |p: &Profile| !p.whole && p.outside == 0.0;
        let profiles: Vec<Profile> = members.iter().filter_map(|&j| self.profile(j).cloned()).collect();
        let shares = profiles.iter().any(told) && profiles.iter().all(|p| p.outside == 0.0);
        let named_after_labels = labels.iter().any(|label| label.parse::<f64>().is_err())
            && members.iter().any(|&j| names::named_label(self.name(j), labels).is_some());
        let spoken = names::suggests_score(prefix) || (prefix.is_empty() && members.len() > 1);
        let after_labels = named_after_labels && (shares || members.len() > 1);
        if names::suggests_feature(prefix) || !(spoken || after_labels || shares && self.share_out(members, labels)) {
            return;
        }
        if !names::suggests_probability(prefix) && self.one_hot(members) {
            return;
        }
        if self.numbered_models(family, labels) || self.numbered_columns(family) {
            return;
        }
        if members.len() == 1 {
            // One column stands for both classes only if it names one of two labels, or 1.
            let fits = if labels.is_empty() {
                names::number_tail(self.name(members[0])).is_some_and(|(_, k)| k == 0 || k == 1)
            } else {
                labels.len() <= 2 && self.class_of_score(members[0], labels).is_some()
            };
            if !fits {
                return;
            }
        }
        let outside = profiles.iter().map(|p| p.outside).fold(0.0, f64::max);
        let nearly = names::suggests_probability(prefix) && profiles.iter().all(|p| p.nearly_share());
        let percent = profiles.iter().all(|p| p.min >= 0.0 && p.max <= 100.0) && outside > 0.05 && !nearly;
        if percent && !names::suggests_logit(prefix) {
            let whole = profiles.iter().all(|p| p.whole);
            if !whole || names::suggests_probability(prefix) {
                self.percents.push((members.clone(), Role::Probability));
            }
            return;
        }
        // Shares that sum to 1 are no logits, whatever they are called: SPSS calls probabilities `$LP`.
        let shares_out = members.len() > 1 && outside == 0.0 && self.sum_to_one(members);
        let logits = (names::suggests_logit(prefix) && !shares_out)
            || (outside > 0.05 && !nearly)
            || (outside > 0.0 && !names::suggests_probability(prefix));
        let points = |p: &Profile| !p.like_log_odds();
        if logits && members.len() == 1 && !names::suggests_logit(prefix) && profiles.iter().any(points) {
            return;
        }
        let sure = logits == names::suggests_logit(prefix) && spoken;
        let (role, word) = if logits { (Role::Logit, "logit") } else { (Role::Probability, "probability") };
        let member_names: Vec<&str> = members.iter().map(|&j| self.name(j)).collect();
        let classes = names::classes(&member_names, labels, false);
        for (&j, class) in members.iter().zip(&classes) {
            let place = if family.leading { "contains" } else { "ends in" };
            let mut reason = format!("{word} of class `{class}`, which its name {place}");
            if logits && !names::suggests_logit(prefix) {
                reason.push_str("; values outside [0, 1]");
            }
            self.set(j, role, reason, sure);
        }
    }

    /// Columns that are together one-hot and named alike are the label.
    pub(super) fn one_hot_labels(&mut self) {
        if self.has(Role::Label) || self.has(Role::Correct) {
            return;
        }
        let scores: Vec<String> = self
            .with_role(Role::Probability)
            .into_iter()
            .chain(self.with_role(Role::Logit))
            .map(|j| self.name(j).to_owned())
            .collect();
        let is_label = |prefix: &str| names::suggests_label(prefix) || names::rank(prefix, names::LABEL).is_some();
        let score_prefix = |name: &str| names::number_tail(name).map(|(before, _)| before.to_owned());
        let classes = names::classes(&scores.iter().map(String::as_str).collect::<Vec<_>>(), &[], false);
        let mut families = self.grouped(&classes);
        families.retain(|family| family.members.len() > 1 && self.one_hot(&family.members));
        let rank = |family: &Family| {
            let named = is_label(&family.prefix) || family.prefix.is_empty();
            let same = scores.first().and_then(|name| score_prefix(name)) == Some(family.prefix.clone());
            (named, same, family.members.len())
        };
        sort_short(&mut families, |a, b| rank(a) > rank(b));
        let headers: Vec<usize> =
            self.open().into_iter().filter(|&j| scores.iter().any(|score| score == self.name(j))).collect();
        let members = if headers.len() == scores.len() && self.one_hot(&headers) {
            headers
        } else if let Some(family) = families.into_iter().next()
            && (is_label(&family.prefix) || family.prefix.is_empty() || family.members.len() == scores.len())
        {
            family.members
        } else {
            return;
        };
        for j in members {
            self.set(j, Role::Label, "one-hot: 1 in the column of the observed class", true);
        }
    }
}
