//! The class that a column's name ends in.

use super::snake;
use crate::num::order;

/// The number at a name's end and what stands before it; `p10` → (`p`, 10).
pub(in crate::data) fn number_tail(name: &str) -> Option<(&str, u64)> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, tail) = name.split_at(name.len() - digits);
    // `1.5` and `-1` end in digits that are not a class of their own.
    if prefix.ends_with(['.', '-']) && prefix.trim_end_matches(['.', '-']).ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    tail.parse().ok().map(|number| (prefix, number))
}

/// What stands before `label` in a name that ends in it, as a word of its own.
pub(in crate::data) fn label_tail(name: &str, label: &str) -> Option<String> {
    let numeric = label.parse::<f64>().is_ok();
    let (name, label) = if numeric { (name.to_owned(), label.to_owned()) } else { (snake(name), snake(label)) };
    if label.is_empty() {
        return None;
    }
    let before = name.strip_suffix(label.as_str())?;
    let apart = before.is_empty()
        || !before.ends_with(char::is_alphanumeric)
        || (numeric && !before.ends_with(|c: char| c.is_ascii_digit()));
    apart.then(|| before.to_owned())
}

/// The label that a name ends in: the longest of those that fit.
pub(in crate::data) fn named_label<'a>(name: &str, labels: &'a [String]) -> Option<(&'a str, String)> {
    labels
        .iter()
        .filter_map(|label| label_tail(name, label).map(|before| (label.as_str(), before)))
        .max_by_key(|(label, _)| label.len())
}

/// The class of each of several columns, from their names and the labels that occur; never from their order.
///
/// Columns without a header have only their order: they are numbered from 0.
pub(in crate::data) fn classes(names: &[&str], labels: &[String], headless: bool) -> Vec<String> {
    if headless {
        return (0..names.len()).map(|k| k.to_string()).collect();
    }
    let distinct = |classes: &[String]| {
        let mut sorted: Vec<&String> = classes.iter().collect();
        order::sort(&mut sorted, &Ord::cmp);
        sorted.windows(2).all(|pair| pair.first() != pair.last())
    };
    let by_label: Vec<Option<(&str, String)>> = names.iter().map(|name| named_label(name, labels)).collect();
    if let Some(all) = by_label
        .iter()
        .map(|found| found.as_ref().map(|(label, _)| (*label).to_owned()))
        .collect::<Option<Vec<String>>>()
        && distinct(&all)
    {
        return all;
    }
    let by_number = names.iter().map(|name| number_tail(name)).collect::<Option<Vec<_>>>();
    let numeric_labels = labels.iter().all(|label| label.parse::<f64>().is_ok());
    if let Some(tails) = by_number
        && numeric_labels
        && tails.windows(2).all(|pair| pair.first().map(|t| t.0) == pair.last().map(|t| t.0))
    {
        let all: Vec<String> = tails.iter().map(|(_, number)| number.to_string()).collect();
        if distinct(&all) {
            return all;
        }
    }
    // Some classes never occur in the labels: what is before the others' labels is before theirs too.
    let prefix = by_label
        .iter()
        .flatten()
        .map(|(_, before)| before.chars().count())
        .next()
        .unwrap_or_else(|| common_prefix(names));
    let all: Vec<String> = names
        .iter()
        .zip(&by_label)
        .map(|(name, found)| match found {
            Some((label, _)) => (*label).to_owned(),
            None => name.chars().skip(prefix).collect(),
        })
        .collect();
    if all.iter().all(|class| !class.is_empty()) && distinct(&all) {
        all
    } else {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// Characters that all names share at their start, up to the last separator.
fn common_prefix(names: &[&str]) -> usize {
    let Some((first, rest)) = names.split_first() else {
        return 0;
    };
    let shared =
        first.chars().enumerate().take_while(|(k, c)| rest.iter().all(|name| name.chars().nth(*k) == Some(*c))).count();
    let head: Vec<char> = first.chars().take(shared).collect();
    head.iter().rposition(|c| !c.is_alphanumeric()).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn a_column_belongs_to_the_class_that_its_name_ends_in() {
        let yes_no = strings(&["no", "yes"]);
        assert_eq!(classes(&[".pred_yes", ".pred_no"], &yes_no, false), ["yes", "no"]);
        let sexes = strings(&["male", "female"]);
        assert_eq!(classes(&["prob_female", "prob_male"], &sexes, false), ["female", "male"]);
        let ten: Vec<String> = (0..11).map(|k| k.to_string()).collect();
        assert_eq!(classes(&["p10", "p9", "p1", "p0"], &ten, false), ["10", "9", "1", "0"]);
        assert_eq!(classes(&["p0", "p1", "p2"], &strings(&["1", "2", "3"]), false), ["0", "1", "2"]);
        let named = strings(&["class_0", "class_1"]);
        assert_eq!(classes(&["prob_class_1", "prob_class_0"], &named, false), ["class_1", "class_0"]);
        assert_eq!(classes(&["Class1", "Class2"], &strings(&["Class1", "Class2"]), false), ["Class1", "Class2"]);
        assert_eq!(classes(&["prob_a", "prob_other", "prob_b"], &strings(&["a", "b"]), false), ["a", "other", "b"]);
        assert_eq!(classes(&["prob_a", "prob_b"], &[], false), ["a", "b"]);
        assert_eq!(classes(&["column 1", "column 2"], &yes_no, true), ["0", "1"]);
        assert_eq!(
            classes(&["Iris.setosa", "Iris.virginica"], &strings(&["Iris-setosa", "Iris-virginica"]), false),
            ["Iris-setosa", "Iris-virginica"]
        );
    }

    #[test]
    fn tails() {
        assert_eq!(number_tail("p10"), Some(("p", 10)));
        assert_eq!(number_tail("0"), Some(("", 0)));
        assert_eq!(number_tail("1.5"), None);
        assert_eq!(label_tail("p10", "0"), None);
        assert_eq!(label_tail("probYes", "yes"), Some("prob_".into()));
        assert_eq!(label_tail("p_-1", "-1"), Some("p_".into()));
    }
}
