//! Which of two labels counts as 1.

use super::names::{
    POSITIVE_LETTERS, Sense, answers, event_beside_its_absence, may_both_be_events, means_event, plain, sense, words,
};
use crate::error::{Error, Result, message, phrases};
use crate::num::order::sort_short;
use crate::table::Warning;
use crate::words::text::listed;

/// Index of the label counted as 1: the wished one; the one that the score column's name ends in; the one that means the event
/// of the score's name, where the outcome or its labels mean the opposite one (`survived`, `p_death`), with a warning; the one that
/// the outcome is called after; 1; a word
/// for an event beside any other or a word for its absence, in the languages of [`means_event`]; else the second in sorted
/// order, with a warning. So it is of 1 and 2, which some programs write for yes and no and others for no and yes.
///
/// * `named`: the label that the score's name ends in ([`class_of_score`](super::names::class_of_score))
/// * `columns`: names of the outcome and of the score
///
/// # Errors
/// `invalid_option` when the wished label does not occur.
pub(super) fn positive(
    labels: &[String],
    wished: Option<&str>,
    named: Option<&str>,
    columns: (Option<&str>, Option<&str>),
    warnings: &mut Vec<Warning>,
) -> Result<usize> {
    if let Some(wished) = wished {
        return labels.iter().position(|label| label == wished).ok_or_else(|| {
            Error::new(
                "invalid_option",
                message![phrases::POSITIVE, format!(": `{wished}` is not one of the labels {}.", listed(labels))],
                "Write the label as in the file.",
            )
        });
    }
    if let Some(k) = named.and_then(|named| labels.iter().position(|label| label == named)) {
        return Ok(k);
    }
    let [first, second] = labels else { return Ok(labels.len().saturating_sub(1).min(1)) };
    let mut warn = |message: String| {
        warnings.push(Warning { code: GUESSED.into(), message, row: None, column: None });
    };
    let by_label =
        columns.0.and_then(|outcome| called_after([first, second], outcome)).or_else(|| of_two([first, second]));
    if let (Some(outcome), Some(score)) = columns
        && let Some((k, certain)) =
            of_no_event([first, second], score).or_else(|| of_score([first, second], outcome, score))
    {
        let used = by_label.unwrap_or(1);
        if k == used {
            return Ok(k);
        }
        let of_score = [first, second][k];
        let k = if certain { k } else { used };
        warn(match certain {
            true => {
                format!("`{score}` is read as the probability of {outcome} = {of_score}, which is used as the event.")
            }
            false => format!(
                "`{score}` may be the probability of {outcome} = {of_score}; {outcome} = {} is used as the event.",
                [first, second][k]
            ),
        });
        return Ok(k);
    }
    if let Some(k) = by_label {
        return Ok(k);
    }
    warn(format!(
        "The event label is not specified; the second in sorted order is used: {}. The other label is {}.",
        listed([second]),
        listed([first])
    ));
    Ok(1)
}

/// Which of two labels the outcome is called after: `survived` of `died` and `survived` in a column `survived`.
fn called_after(labels: [&String; 2], outcome: &str) -> Option<usize> {
    let outcome = plain(outcome);
    let is_word = outcome.chars().count() > 1;
    labels.iter().position(|label| is_word && plain(label) == outcome)
}

/// Which of two labels is the event by what they are: 1, a word, a letter; `None` where they do not say.
fn of_two(labels: [&String; 2]) -> Option<usize> {
    let number = |label: &String| label.parse::<f64>().ok();
    let one = labels.iter().position(|label| number(label) == Some(1.0));
    if one.is_some() && labels.map(number) != [Some(1.0), Some(2.0)] {
        return one;
    }
    let texts = labels.map(String::as_str);
    if let Some(event) = event_beside_its_absence(texts) {
        return Some(event);
    }
    if may_both_be_events(texts) {
        return None;
    }
    match labels.map(|label| means_event(label)) {
        [Some(true), None | Some(false)] | [None, Some(false)] => return Some(0),
        [None | Some(false), Some(true)] | [Some(false), None] => return Some(1),
        _ => {}
    }
    let lower = labels.map(|label| label.to_lowercase());
    let denies = |one: &str, other: &str| {
        let start = one.strip_suffix(other).map(|start| start.trim_end_matches([' ', '_', '-']));
        // D and ND, of default; NP is a loan that does not perform, or an examination that was not passed
        matches!(start, Some("not" | "no" | "non")) || start == Some("n") && other.chars().count() == 1 && other != "p"
    };
    let [first, second] = &lower;
    if first != second && (denies(first, second) || denies(second, first)) {
        return Some(usize::from(denies(first, second)));
    }
    let pair = POSITIVE_LETTERS.iter().find(|pair| pair.iter().all(|one| lower.iter().any(|l| l == one)));
    pair.and_then(|[one, _]| lower.iter().position(|label| label == one))
}

/// Which of two answers a score is of that is named after no event: `prob_neg`, `p_nonevent`.
fn of_no_event(labels: [&String; 2], score: &str) -> Option<(usize, bool)> {
    let words = words(score);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let denies = (0..words.len()).any(|at| match word(at) {
        "neg" | "negative" => at == 0 || !matches!(word(at - 1), "true" | "false"),
        "nonevent" => true,
        "event" => at > 0 && matches!(word(at - 1), "no" | "non" | "not"),
        _ => false,
    });
    let answers = labels.map(|label| answers(label));
    let k = answers.iter().position(|answer| *answer == Some(false))?;
    (denies && answers.contains(&Some(true))).then_some((k, true))
}

/// Which of two labels means the event of the score's name, and whether that is certain; `None` where the names do not say.
fn of_score(labels: [&String; 2], outcome: &str, score: &str) -> Option<(usize, bool)> {
    let of_score = sense(score)?;
    // a status of 1 is an event
    let of_outcome = sense(outcome).or_else(|| words(outcome).contains(&"status".to_owned()).then(Sense::of_any_event));
    if labels.map(|label| label.parse::<f64>().ok()) == [Some(1.0), Some(2.0)] {
        return None;
    }
    let of_letter = |label: &str| of_two(labels).filter(|_| label.chars().count() == 1).map(|k| label == *labels[k]);
    let of_label = |label: &str| -> Option<Sense> {
        let answer = answers(label).or_else(|| of_letter(label));
        match answer {
            Some(true) => of_outcome,
            Some(false) => of_outcome.map(Sense::denied),
            None => sense(label),
        }
    };
    let senses = labels.map(|label| of_label(label));
    let same = senses.map(|sense| sense.map(|sense| sense.event == of_score.event));
    let k = match same {
        [Some(true), Some(false) | None] | [None, Some(false)] => 0,
        [Some(false) | None, Some(true)] | [Some(false), None] => 1,
        _ => return None,
    };
    Some((k, senses.iter().flatten().all(|sense| sense.same_subject(of_score))))
}

/// Code of the warning that the event was guessed.
pub(super) const GUESSED: &str = "positive_guessed";

/// The two labels of a file in which at most one occurs, in sorted order.
pub(super) fn completed(labels: &[String], score_column: Option<&str>) -> Vec<String> {
    let [only] = labels else {
        // No label at all: what the score's name ends in, if it is one of the usual pair.
        return vec!["0".into(), "1".into()];
    };
    let other = match only.as_str() {
        "1" => "0".to_owned(),
        "0" => "1".into(),
        "-1" => "1".into(),
        "true" => "false".into(),
        "false" => "true".into(),
        "True" => "False".into(),
        "False" => "True".into(),
        "yes" => "no".into(),
        "no" => "yes".into(),
        _ => {
            let tail = score_column
                .and_then(|name| name.rsplit(['_', '.', ' ']).next())
                .filter(|tail| !tail.is_empty() && score_column != Some(*tail) && tail != only);
            tail.map_or_else(|| format!("not {only}"), str::to_owned)
        }
    };
    let mut pair = vec![only.clone(), other];
    sort_short(&mut pair, |a, b| a < b);
    pair
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::super::names::class_of_score;
    use super::*;

    fn of(labels: [&str; 2], wished: Option<&str>, column: &str) -> (usize, usize) {
        let labels = labels.map(str::to_owned);
        let mut warnings = Vec::new();
        let named = class_of_score(column, &labels, []);
        let k = positive(&labels, wished, named, (Some("y"), Some(column)), &mut warnings).unwrap();
        (k, warnings.len())
    }

    #[test]
    fn the_label_counted_as_1() {
        assert_eq!(of(["benign", "malignant"], None, "prob_benign"), (0, 0));
        assert_eq!(of(["benign", "malignant"], Some("malignant"), "prob_benign"), (1, 0));
        assert_eq!(of(["0", "1"], None, "p0"), (0, 0));
        assert_eq!(of(["no", "yes"], None, "risk"), (1, 0));
        assert_eq!(of(["TRUE", "UNSURE"], None, "risk"), (0, 0));
        assert_eq!(of(["cat", "dog"], None, "risk"), (1, 1));
        assert_eq!(of(["N", "Y"], None, "risk"), (1, 0));
        assert_eq!(of(["J", "N"], None, "risk"), (0, 0));
        assert_eq!(of(["X", "Y"], None, "risk"), (1, 1));
        assert_eq!(of(["died", "survived"], None, "risk"), (0, 0));
        assert_eq!(of(["ja", "nein"], None, "risk"), (0, 0));
        assert_eq!(of(["default", "paid"], None, "risk"), (0, 0));
        assert_eq!(of(["bad", "good"], None, "score"), (0, 0));
        assert_eq!(of(["remission", "relapse"], None, "p"), (1, 0));
        assert_eq!(of(["1", "2"], None, "risk"), (1, 1));
        assert_eq!(of(["1=Yes", "2=No"], None, "risk"), (0, 0));
        assert_eq!(of(["ano", "ne"], None, "risk"), (0, 0));
        assert_eq!(of(["fail", "pass"], None, "risk"), (0, 0));
        for denied in ["not clicked", "non-clicked", "no_clicked"] {
            assert_eq!(of(["clicked", denied], None, "risk"), (0, 0), "{denied}");
        }
        assert_eq!(of(["D", "ND"], None, "prob_default"), (0, 0));
        assert_eq!(of(["NP", "P"], None, "risk"), (1, 1), "asked about");
        assert_eq!(of(["N", "P"], None, "risk"), (1, 0));
        assert_eq!(of(["B", "G"], None, "risk"), (0, 0));
        assert_eq!(of(["+", "-"], None, "risk"), (0, 0));
    }

    #[test]
    fn labels_that_are_an_event_and_its_absence_beside_each_other() {
        for [event, none] in [
            ["infected", "uninfected"],
            ["anomalous", "nominal"],
            ["NOK", "OK"],
            ["NG", "OK"],
            ["no-show", "show"],
            ["bot", "human"],
            ["Fake", "Real"],
            ["AD", "CN"],
            ["HGG", "LGG"],
            ["MUT", "WT"],
            ["ICU", "Ward"],
            ["Leave", "Stay"],
            ["High_Risk", "Low_Risk"],
        ] {
            assert_eq!(of([event, none], None, "risk"), (0, 0), "{event}");
            assert_eq!(of([none, event], None, "risk"), (1, 0), "{event}");
        }
        // alone, these words say nothing
        assert_eq!(of(["human", "mouse"], None, "risk"), (1, 1));
        // who graduates and who leaves are both predicted; a customer or a substance: asked about
        assert_eq!(of(["Dropout", "Graduate"], None, "risk"), (1, 1));
        assert_eq!(of(["active", "inactive"], None, "risk"), (1, 1));
        assert_eq!(of(["active", "churned"], None, "risk"), (1, 0));
    }

    #[test]
    fn names_of_opposite_events() {
        let labels = ["0", "1"].map(str::to_owned);
        let mut warnings = Vec::new();
        assert_eq!(positive(&labels, None, None, (Some("survived"), Some("p_death")), &mut warnings).unwrap(), 0);
        assert_eq!(warnings.len(), 1);
        assert_eq!(positive(&labels, None, None, (Some("died"), Some("p_death")), &mut warnings).unwrap(), 1);
        assert_eq!(positive(&labels, None, None, (Some("survived"), Some("risk")), &mut warnings).unwrap(), 1);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn the_label_that_the_outcome_is_called_after() {
        let of = |labels: [&str; 2], outcome: &str, score: &str| {
            let labels = labels.map(str::to_owned);
            let mut warnings = Vec::new();
            let named = class_of_score(score, &labels, []);
            let k = positive(&labels, None, named, (Some(outcome), Some(score)), &mut warnings).unwrap();
            (labels[k].clone(), warnings.len())
        };
        assert_eq!(of(["died", "survived"], "survived", "pred"), ("survived".to_owned(), 0));
        assert_eq!(of(["homeless", "housed"], "Homeless", "fitted"), ("homeless".to_owned(), 0));
        assert_eq!(of(["died", "survived"], "status", "pred"), ("died".to_owned(), 0));
        // the score's name comes before
        assert_eq!(of(["died", "survived"], "survived", "p_death"), ("died".to_owned(), 1));
    }

    #[test]
    fn words_for_the_opposite_of_the_scores_event() {
        let of = |labels: [&str; 2], outcome: &str, score: &str| {
            let labels = labels.map(str::to_owned);
            let mut warnings = Vec::new();
            let named = class_of_score(score, &labels, []);
            let k = positive(&labels, None, named, (Some(outcome), Some(score)), &mut warnings).unwrap();
            (labels[k].clone(), warnings.len())
        };
        let same = |labels, outcome, score, event: &str, warned| {
            assert_eq!(of(labels, outcome, score), (event.to_owned(), warned), "{outcome} {score}");
        };
        same(["No", "Yes"], "Survived", "p_death", "No", 1);
        same(["False", "True"], "survived", "death_risk", "False", 1);
        same(["N", "Y"], "survived", "mortality_risk", "N", 1);
        same(["no", "yes"], "alive", "risk_of_death", "no", 1);
        same(["No", "Yes"], "died", "p_alive", "No", 1);
        same(["alive", "dead"], "status", "p_survival", "alive", 1);
        same(["0", "1"], "death_30d", "p_surv", "0", 1);
        same(["0", "1"], "no_relapse", "p_relapse", "0", 1);
        same(["0", "1"], "repaid", "pd", "0", 1);
        same(["0", "1"], "alive_30d", "mortality", "0", 1);
        // 1 of a status is the event, also of a score for a number of years
        same(["0", "1"], "status", "surv5", "0", 1);
        same(["0", "1"], "status", "risk5y", "1", 0);
        // the same event, no event, or answers only: as before
        same(["No", "Yes"], "died", "p_death", "Yes", 0);
        same(["alive", "dead"], "status", "p_death", "dead", 0);
        same(["No", "Yes"], "survived", "risk", "Yes", 0);
        same(["No", "Yes"], "survived", "prob_positive", "Yes", 0);
        same(["no relapse", "relapse"], "status", "p_no_relapse", "no relapse", 0);
        // 1 and 2 say neither yes nor no
        same(["1", "2"], "survived", "p_death", "2", 1);
        // about other subjects: said, not changed
        same(["No", "Yes"], "survived", "p_default", "Yes", 1);
    }

    #[test]
    fn one_label_is_completed() {
        assert_eq!(completed(&["1".into()], None), ["0", "1"]);
        assert_eq!(completed(&["yes".into()], None), ["no", "yes"]);
        assert_eq!(completed(&["cat".into()], Some("p")), ["cat", "not cat"]);
        assert_eq!(completed(&["malignant".into()], Some("prob_benign")), ["benign", "malignant"]);
    }
}
