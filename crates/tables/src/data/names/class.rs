//! The class that a column's name ends in.

use super::{answers, sense, snake};
use crate::num::order;

/// A name without the bracket or the quotation mark that it closes with: `P(0)` → `P(0`.
fn opened(name: &str) -> &str {
    let closed = name.trim_end();
    let pairs = [(')', '('), (']', '['), ('"', '"')];
    let within = pairs.iter().find_map(|(close, open)| {
        let within = closed.strip_suffix(*close)?;
        within.contains(*open).then_some(within)
    });
    within.map_or(name, str::trim_end)
}

/// The number at a name's end, or in brackets there, and what stands before it; `p10` → (`p`, 10), `p_-1` → (`p_`, −1).
pub(in crate::data) fn number_tail(name: &str) -> Option<(&str, i64)> {
    let name = opened(name);
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, tail) = name.split_at(name.len() - digits);
    // `1.5` and `-1` end in digits that are not a class of their own.
    if prefix.ends_with(['.', '-']) && prefix.trim_end_matches(['.', '-']).ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number: i64 = tail.parse().ok().filter(|_| !ends_in_part(prefix))?;
    // a minus, where it joins no words
    let signed = prefix.strip_suffix('-').filter(|before| !before.ends_with(|c: char| c.is_alphanumeric()));
    Some(signed.map_or((prefix, number), |before| (before, -number)))
}

/// The number behind these words is that of a part of the work, not of a class: `pred_fold0`.
fn ends_in_part(prefix: &str) -> bool {
    super::words(prefix).last().is_some_and(|word| super::REPEATED_WORDS.contains(&word.as_str()))
}

/// A name without the word and the number of a fold or a seed: `fold1_p`, `p_fold_1` → `p`; `None` for other names.
pub(in crate::data) fn without_repeat(name: &str) -> Option<String> {
    let words = super::words(name);
    let numbers = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let known = |word: &str| super::REPEATED_WORDS.contains(&word);
    let at = words.iter().position(|word| known(word.trim_end_matches(|c: char| c.is_ascii_digit())))?;
    let own = words.get(at).filter(|word| !known(word)).map(|_| 1);
    let length = own.or_else(|| words.get(at + 1).filter(|word| numbers(word)).map(|_| 2))?;
    let kept = words.iter().take(at).chain(words.iter().skip(at + length));
    Some(kept.map(String::as_str).collect::<Vec<_>>().join("_"))
}

/// What stands before `label` in a name that ends in it, as a word of its own, be it in brackets.
pub(in crate::data) fn label_tail(name: &str, label: &str) -> Option<String> {
    tail(name, label)
        .or_else(|| Some(opened(name)).filter(|within| *within != name).and_then(|within| tail(within, label)))
}

fn tail(name: &str, label: &str) -> Option<String> {
    let numeric = label.parse::<f64>().is_ok();
    let (name, label) = if numeric { (name.to_owned(), label.to_owned()) } else { (snake(name), snake(label)) };
    if label.is_empty() {
        return None;
    }
    let before = name.strip_suffix(label.as_str())?;
    let apart = before.is_empty()
        || !before.ends_with(char::is_alphanumeric)
        || (numeric && !before.ends_with(|c: char| c.is_ascii_digit()));
    (apart && !(numeric && ends_in_part(before))).then(|| before.to_owned())
}

/// The label that a name ends in: the longest of those that fit.
pub(in crate::data) fn named_label<'a>(name: &str, labels: &'a [String]) -> Option<(&'a str, String)> {
    labels
        .iter()
        .filter_map(|label| label_tail(name, label).map(|before| (label.as_str(), before)))
        .max_by_key(|(label, _)| label.len())
}

/// The label that the name of a single score ends in, as the class that it is the probability of. A number may also be that of a
/// model, an array or a time: a 0 is a class only behind a word for a probability (`prob_0`, not `model_0` or `arr_0`), and no
/// number is one beside a column of the same name whose number is no label (`prob_0` beside `prob_4`, of yes and no).
///
/// * `others`: names of the columns beside it
pub(in crate::data) fn class_of_score<'a, 'n>(
    name: &str,
    labels: &'a [String],
    others: impl IntoIterator<Item = &'n str>,
) -> Option<&'a str> {
    let (label, before) = named_label(name, labels)?;
    let of_probability = |word: &String| super::PROBABILITY_WORDS.contains(&word.as_str()) || word == "class";
    if label == "0" && !super::words(&before).last().is_none_or(of_probability) {
        return None;
    }
    let numbered = number_tail(name).filter(|_| label.parse::<f64>().is_ok());
    let beyond = |other: &str| {
        let other = number_tail(other);
        numbered.zip(other).is_some_and(|((own, _), (prefix, k))| own == prefix && !labels.contains(&k.to_string()))
    };
    (!others.into_iter().any(beyond)).then_some(label)
}

/// A name divided before the last words that say that values are scores: `no_predicted_proba` → (`no`, `_predicted_proba`).
pub(in crate::data) fn before_score_words(name: &str) -> Option<(&str, &str)> {
    let mut found = None;
    let mut rest = name;
    while let Some(at) = rest.rfind(['_', '.', ' ', ':', '-']).filter(|at| *at > 0) {
        if !rest.get(at..).is_some_and(super::suggests_score) {
            break;
        }
        found = name.split_at_checked(at);
        rest = rest.get(..at).unwrap_or_default();
    }
    found
}

/// The class before the last words of a name, if these say that values are scores, and the name without the class: `no_prob` →
/// (`no`, `_prob`). A number is a class of its own where there are no labels.
///
/// Other things than classes stand there, too (`model_1_prob`): only columns that share out each row are named so.
pub(in crate::data) fn leading_label(name: &str, labels: &[String]) -> Option<(String, String)> {
    let (before, behind) = before_score_words(name)?;
    let found = named_label(before, labels).map(|(label, rest)| (label.to_owned(), rest)).or_else(|| {
        let numbers = labels.iter().all(|label| label.parse::<f64>().is_ok());
        number_tail(before).filter(|_| numbers).map(|(rest, number)| (number.to_string(), rest.to_owned()))
    });
    found.map(|(label, rest)| (label, format!("{rest}{behind}")))
}

/// The labels of two columns that are named after an event and its absence, where the labels are other words for them: `neg` and
/// `pos` of 0 and 1, `p_alive` and `p_dead` of an outcome `died`. `None` where the names do not say.
pub(in crate::data) fn by_sense(names: &[&str], labels: &[String], outcome: Option<&str>) -> Option<Vec<String>> {
    let ([first, second], [_, _]) = (names, labels) else { return None };
    let of_outcome = outcome.and_then(sense);
    // An answer is about the outcome: its sense is that of the outcome's name, or that it happens.
    let of_text = |text: &str, whole: bool| -> Option<bool> {
        let last = super::words(text).pop();
        let answer = if whole { answers(text) } else { last.as_deref().and_then(answers) };
        let happens = of_outcome.is_none_or(|outcome| outcome.event);
        answer.map(|yes| yes == happens).or_else(|| sense(text).map(|sense| sense.event))
    };
    let of_names = [first, second].map(|name| of_text(opened(name), false));
    let of_labels: Vec<Option<bool>> = labels.iter().map(|label| of_text(label, true)).collect();
    let ([Some(a), Some(b)], [Some(c), Some(d)]) = (of_names, of_labels.as_slice()) else { return None };
    if a == b || c == d {
        return None;
    }
    let label = |wanted: bool| labels.get(usize::from(*c != wanted)).cloned();
    Some(vec![label(a)?, label(b)?])
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
    let leading = names.iter().map(|name| leading_label(name, labels)).collect::<Option<Vec<_>>>();
    if let Some(leading) = leading
        && leading.windows(2).all(|pair| pair.first().map(|l| &l.1) == pair.last().map(|l| &l.1))
    {
        let all: Vec<String> = leading.into_iter().map(|(class, _)| class).collect();
        if distinct(&all) && (labels.is_empty() || all.iter().any(|class| labels.contains(class))) {
            return all;
        }
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
    fn numbers_of_models_are_no_classes() {
        let labels = strings(&["0", "1"]);
        for model in ["model_0", "pred_0", "y_pred_0", "arr_0", "risk_0"] {
            assert_eq!(class_of_score(model, &labels, []), None, "{model}");
        }
        assert_eq!(class_of_score("prob_0", &labels, ["prob_1"]), Some("0"));
        assert_eq!(class_of_score("p0", &labels, []), Some("0"));
        // of five models of yes and no
        assert_eq!(class_of_score("prob_0", &labels, ["prob_1", "prob_4"]), None);
        assert_eq!(class_of_score("prob_1", &strings(&["0", "1", "2"]), ["prob_0", "prob_2"]), Some("1"));
    }

    #[test]
    fn tails() {
        assert_eq!(number_tail("p10"), Some(("p", 10)));
        assert_eq!(number_tail("0"), Some(("", 0)));
        assert_eq!(number_tail("1.5"), None);
        assert_eq!(
            ["p_-1", "-1", "P(-1)", "p-1"].map(number_tail),
            [Some(("p_", -1)), Some(("", -1)), Some(("P(", -1)), Some(("p-", 1))]
        );
        assert_eq!(label_tail("p10", "0"), None);
        assert_eq!(label_tail("probYes", "yes"), Some("prob_".into()));
        assert_eq!(label_tail("p_-1", "-1"), Some("p_".into()));
        assert_eq!(number_tail("P(y=0)"), Some(("P(y=", 0)));
        assert_eq!(label_tail("confidence(no)", "no"), Some("confidence_".into()));
        let yes_no = strings(&["no", "yes"]);
        assert_eq!(leading_label("no_prob", &yes_no), Some(("no".into(), "_prob".into())));
        assert_eq!(leading_label("yes_predicted_proba", &yes_no), Some(("yes".into(), "_predicted_proba".into())));
        assert_eq!(leading_label("age_at_visit", &yes_no), None);
        assert_eq!((number_tail("pred_fold0"), label_tail("p_seed_1", "1")), (None, None));
        let repeats = ["fold1_p", "p_fold_2", "pred.seed42", "fold_p", "p_1"].map(without_repeat);
        assert_eq!(repeats, [Some("p".into()), Some("p".into()), Some("pred".into()), None, None]);
        assert_eq!(classes(&["y_0_PREDICTION", "y_1_PREDICTION"], &strings(&["0", "1"]), false), ["0", "1"]);
        assert_eq!(classes(&["Prob[yes]", "Prob[no]"], &yes_no, false), ["yes", "no"]);
        let sensed = |names: [&str; 2], outcome| by_sense(&names, &strings(&["0", "1"]), Some(outcome));
        assert_eq!(sensed(["prob_neg", "prob_pos"], "y"), Some(strings(&["0", "1"])));
        assert_eq!(sensed(["p_alive", "p_dead"], "died"), Some(strings(&["0", "1"])));
        assert_eq!(sensed(["p_alive", "p_dead"], "survived"), Some(strings(&["1", "0"])));
        assert_eq!(sensed(["p_pos", "p_neg"], "survived"), Some(strings(&["1", "0"])));
        assert_eq!(sensed(["p_a", "p_b"], "y"), None);
    }
}
