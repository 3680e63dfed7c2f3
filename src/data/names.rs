//! What the names of columns and arrays say: known words, and the class that a name ends in.

/// Names of the column that says what happened, best first.
pub(super) const LABEL: &[&str] = &[
    "y_true",
    "true_label",
    "label_true",
    "true_labels",
    "ground_truth",
    "groundtruth",
    "truth",
    "label",
    "labels",
    "target",
    "targets",
    "y",
    "ys",
    "label_ids",
    "label_id",
    "true",
    "gt",
    "gold",
    "gold_label",
    "y_test",
    "true_class",
    "class_label",
    "actual",
    "actuals",
    "observed",
    "outcome",
    "outcomes",
    "outcome_count",
    "two_year_recid",
    "response",
    "class",
    "event",
    "died",
    "default",
];
/// Names of the predicted class.
pub(super) const PREDICTED: &[&str] = &[
    "predicted",
    "predicted_label",
    "pred_label",
    "predicted_class",
    "pred_class",
    "label_pred",
    "y_hat",
    "yhat",
    "predicted_labels",
    "predict",
    "y_pred",
    "pred",
    "preds",
    "prediction",
    "predictions",
];
/// Names of whether the prediction was right.
pub(super) const CORRECT: &[&str] = &[
    "correct",
    "is_correct",
    "correctness",
    "hit",
    "hits",
    "accuracy",
    "acc",
    "right",
];
/// Names of the predicted class's probability.
pub(super) const CONFIDENCE: &[&str] = &[
    "confidence",
    "conf",
    "confs",
    "confidences",
    "max_prob",
    "max_proba",
    "top_prob",
    "top1_prob",
    "msp",
    "pred_conf",
    "confidence_score",
    "max_probability",
];
/// Names of sample weights.
pub(super) const WEIGHT: &[&str] = &[
    "weight",
    "weights",
    "w",
    "sample_weight",
    "sample_weights",
    "case_weight",
    "case_weights",
];
/// Names of the column that divides the rows.
pub(super) const SPLIT: &[&str] = &[
    "split",
    "set",
    "partition",
    "subset",
    "evaluation_type",
    "dataset",
];
/// Names of the column that names the rows.
pub(super) const ID: &[&str] = &[
    "id",
    "ids",
    "row",
    "row_id",
    "rowid",
    "index",
    "idx",
    "inst",
    "instance",
    "uuid",
    "guid",
    "subject",
    "patient",
    "image",
    "image_id",
    "filename",
    "file_name",
    "path",
    "key",
];
/// Values of a split column whose rows calibrate.
pub(super) const CALIBRATE: &[&str] = &["calibration", "cal", "val", "valid", "validation", "dev"];
/// Values of a split column whose rows are scored.
pub(super) const SCORED: &[&str] = &["test", "eval", "evaluation", "holdout"];
/// Labels that count as 1.
pub(super) const POSITIVE: &[&str] = &["1", "true", "yes", "event"];

/// Names of one score column, best first.
pub(super) const SCORE: &[&str] = &[
    "y_prob",
    "y_proba",
    "y_pred_proba",
    "pred_proba",
    "pred_prob",
    "prob",
    "proba",
    "probs",
    "probability",
    "probabilities",
    "p",
    "p_y_1",
    "phat",
    "p_hat",
    "predicted_probability",
    "predicted_risk",
    "prob_pos",
    "positive_prob",
    "posterior",
    "propensity",
    "risk",
    "risk_score",
    "y_score",
    "score",
    "scores",
    "prediction",
    "predictions",
    "y_pred",
    "pred",
    "preds",
    "predict",
    "output",
    "outputs",
];
/// Names of log-odds or logits.
pub(super) const LOGIT: &[&str] = &[
    "logit",
    "logits",
    "lp",
    "linear_predictor",
    "log_odds",
    "logodds",
    "margin",
    "decision_function",
    "z_score",
];
/// Names of feature arrays.
pub(super) const FEATURES: &[&str] = &[
    "features",
    "feature",
    "feats",
    "embeddings",
    "embedding",
    "zs",
    "x",
    "phi",
    "representations",
    "hidden",
];
/// Words that say that values are probabilities, and nothing else.
pub(super) const PROBABILITY_WORDS: &[&str] = &[
    "p",
    "prob",
    "probs",
    "proba",
    "probas",
    "probability",
    "probabilities",
    "phat",
    "softmax",
    "posterior",
    "distribution",
    "propensity",
];
/// Words that say that values are scores of some kind.
const SCORE_WORDS: &[&str] = &[
    "pred",
    "preds",
    "prediction",
    "predictions",
    "predicted",
    "score",
    "scores",
    "logit",
    "logits",
    "conf",
    "confidence",
    "class",
    "cls",
    "output",
    "outputs",
    "out",
    "risk",
    "likelihood",
];
/// Words that say that values are coordinates.
const FEATURE_WORDS: &[&str] = &[
    "x",
    "z",
    "f",
    "v",
    "feature",
    "feat",
    "features",
    "dim",
    "pc",
    "pca",
    "emb",
    "embedding",
    "embeddings",
    "tsne",
    "umap",
    "phi",
    "latent",
    "component",
];
/// Words that say that values are labels.
const LABEL_WORDS: &[&str] = &[
    "label", "labels", "y", "true", "truth", "target", "actual", "onehot", "hot",
];
/// Words that say which part of the data an array holds.
const PART_WORDS: &[&str] = &[
    "test",
    "val",
    "valid",
    "validation",
    "cal",
    "calibration",
    "dev",
    "eval",
    "train",
];

/// A name in lower case, words joined by `_`: `trueLabel`, `True.Label` → `true_label`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower = false;
    for c in name.chars() {
        if c.is_alphanumeric() {
            if c.is_uppercase() && lower {
                out.push('_');
            }
            lower = c.is_lowercase();
            out.extend(c.to_lowercase());
        } else {
            lower = false;
            out.push('_');
        }
    }
    out
}

/// [`snake`] without `_` at its ends or twice.
pub(super) fn plain(name: &str) -> String {
    words(name).join("_")
}

/// Words of a name.
pub(super) fn words(name: &str) -> Vec<String> {
    snake(name)
        .split('_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// [`plain`] without the words that only say which part of the data it is: `test_logits` → `logits`.
pub(super) fn bare(name: &str) -> String {
    let all = words(name);
    let mut kept: &[String] = &all;
    let part = |word: &String| PART_WORDS.contains(&word.as_str());
    while let [first, rest @ ..] = kept
        && !rest.is_empty()
        && part(first)
    {
        kept = rest;
    }
    while let [rest @ .., last] = kept
        && !rest.is_empty()
        && part(last)
    {
        kept = rest;
    }
    kept.join("_")
}

/// Place of a name in a list of known names.
pub(super) fn rank(name: &str, known: &[&str]) -> Option<usize> {
    let (whole, bare) = (plain(name), bare(name));
    known
        .iter()
        .position(|k| *k == whole)
        .or_else(|| known.iter().position(|k| *k == bare))
}

fn any_word(name: &str, list: &[&str]) -> bool {
    words(name)
        .iter()
        .any(|word| list.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// The name says that these are probabilities.
pub(super) fn says_probability(name: &str) -> bool {
    any_word(name, PROBABILITY_WORDS)
}

/// The name says that these are scores.
pub(super) fn says_score(name: &str) -> bool {
    says_probability(name) || any_word(name, SCORE_WORDS)
}

/// The name says that these are logits.
pub(super) fn says_logit(name: &str) -> bool {
    rank(name, LOGIT).is_some() || any_word(name, &["logit", "logits"])
}

/// The name says that these are coordinates.
pub(super) fn says_feature(name: &str) -> bool {
    words(name).first().is_some_and(|word| {
        FEATURE_WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()))
    })
}

/// The name says that these are labels.
pub(super) fn says_label(name: &str) -> bool {
    any_word(name, LABEL_WORDS) && !says_score(name)
}

/// The number at a name's end and what stands before it; `p10` → (`p`, 10).
pub(super) fn number_tail(name: &str) -> Option<(&str, u64)> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, tail) = name.split_at(name.len() - digits);
    // `1.5` and `-1` end in digits that are not a class of their own.
    if prefix.ends_with(['.', '-'])
        && prefix
            .trim_end_matches(['.', '-'])
            .ends_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    tail.parse().ok().map(|number| (prefix, number))
}

/// What stands before `label` in a name that ends in it, as a word of its own.
pub(super) fn label_tail(name: &str, label: &str) -> Option<String> {
    let numeric = label.parse::<f64>().is_ok();
    let (name, label) = if numeric {
        (name.to_owned(), label.to_owned())
    } else {
        (snake(name), snake(label))
    };
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
pub(super) fn named_label<'a>(name: &str, labels: &'a [String]) -> Option<(&'a str, String)> {
    labels
        .iter()
        .filter_map(|label| label_tail(name, label).map(|before| (label.as_str(), before)))
        .max_by_key(|(label, _)| label.len())
}

/// The class of each of several columns, from their names and the labels that occur; never from their order.
///
/// Columns without a header have only their order: they are numbered from 0.
pub(super) fn classes(names: &[&str], labels: &[String], headless: bool) -> Vec<String> {
    if headless {
        return (0..names.len()).map(|k| k.to_string()).collect();
    }
    let distinct = |classes: &[String]| {
        let mut sorted: Vec<&String> = classes.iter().collect();
        sorted.sort();
        sorted.windows(2).all(|pair| pair.first() != pair.last())
    };
    let by_label: Vec<Option<(&str, String)>> =
        names.iter().map(|name| named_label(name, labels)).collect();
    if let Some(all) = by_label
        .iter()
        .map(|found| found.as_ref().map(|(label, _)| (*label).to_owned()))
        .collect::<Option<Vec<String>>>()
        && distinct(&all)
    {
        return all;
    }
    let by_number = names
        .iter()
        .map(|name| number_tail(name))
        .collect::<Option<Vec<_>>>();
    let numeric_labels = labels.iter().all(|label| label.parse::<f64>().is_ok());
    if let Some(tails) = by_number
        && numeric_labels
        && tails
            .windows(2)
            .all(|pair| pair.first().map(|t| t.0) == pair.last().map(|t| t.0))
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
    let shared = first
        .chars()
        .enumerate()
        .take_while(|(k, c)| rest.iter().all(|name| name.chars().nth(*k) == Some(*c)))
        .count();
    let head: Vec<char> = first.chars().take(shared).collect();
    head.iter()
        .rposition(|c| !c.is_alphanumeric())
        .map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn words_of_names() {
        assert_eq!(plain(".pred_yes"), "pred_yes");
        assert_eq!(plain("trueLabel"), "true_label");
        assert_eq!(plain("P(y=1)"), "p_y_1");
        assert_eq!(plain("rowId"), "row_id");
        assert_eq!(bare("test_logits"), "logits");
        assert_eq!(bare("y_val"), "y");
        assert_eq!(bare("test"), "test");
        assert_eq!(rank("Y.True", LABEL), Some(0));
    }

    #[test]
    fn a_column_belongs_to_the_class_that_its_name_ends_in() {
        let yes_no = strings(&["no", "yes"]);
        assert_eq!(
            classes(&[".pred_yes", ".pred_no"], &yes_no, false),
            ["yes", "no"]
        );
        let sexes = strings(&["male", "female"]);
        assert_eq!(
            classes(&["prob_female", "prob_male"], &sexes, false),
            ["female", "male"]
        );
        let ten: Vec<String> = (0..11).map(|k| k.to_string()).collect();
        assert_eq!(
            classes(&["p10", "p9", "p1", "p0"], &ten, false),
            ["10", "9", "1", "0"]
        );
        assert_eq!(
            classes(&["p0", "p1", "p2"], &strings(&["1", "2", "3"]), false),
            ["0", "1", "2"]
        );
        let named = strings(&["class_0", "class_1"]);
        assert_eq!(
            classes(&["prob_class_1", "prob_class_0"], &named, false),
            ["class_1", "class_0"]
        );
        assert_eq!(
            classes(
                &["Class1", "Class2"],
                &strings(&["Class1", "Class2"]),
                false
            ),
            ["Class1", "Class2"]
        );
        assert_eq!(
            classes(
                &["prob_a", "prob_other", "prob_b"],
                &strings(&["a", "b"]),
                false
            ),
            ["a", "other", "b"]
        );
        assert_eq!(classes(&["prob_a", "prob_b"], &[], false), ["a", "b"]);
        assert_eq!(
            classes(&["column 1", "column 2"], &yes_no, true),
            ["0", "1"]
        );
        assert_eq!(
            classes(
                &["Iris.setosa", "Iris.virginica"],
                &strings(&["Iris-setosa", "Iris-virginica"]),
                false
            ),
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
