//! Which of two labels counts as 1.

use super::names::{POSITIVE_LETTERS, means_event, named_label, names_event};
use crate::error::{Error, Result, message, phrases};
use crate::num::order::sort_short;
use crate::table::Warning;
use crate::words::text::listed;

/// Index of the label counted as 1: the wished one; the one that the score column's name ends in; 1, unless the names of the two
/// columns say that they are about opposite events (`survived`, `p_death`); a word for an event beside any other or a word for its absence,
/// in the languages of [`means_event`]; else the second in sorted order, with a warning. So it is of 1 and 2, which some programs write
/// for yes and no and others for no and yes.
///
/// * `columns`: names of the outcome and of the score
///
/// # Errors
/// `invalid_option` when the wished label does not occur.
pub(super) fn positive(
    labels: &[String],
    wished: Option<&str>,
    (outcome, score): (Option<&str>, Option<&str>),
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
    let named = score.and_then(|name| named_label(name, labels));
    if let Some((label, _)) = named
        && let Some(k) = labels.iter().position(|l| l == label)
    {
        return Ok(k);
    }
    let [first, second] = labels else { return Ok(labels.len().saturating_sub(1).min(1)) };
    let mut warn = |message: String| {
        warnings.push(Warning { code: GUESSED.into(), message, row: None, column: None });
    };
    let number = |label: &String| label.parse::<f64>().ok();
    let one = labels.iter().position(|label| number(label) == Some(1.0));
    let coded_by_two = [first, second].map(number) == [Some(1.0), Some(2.0)];
    if let Some(one) = one.filter(|_| !coded_by_two) {
        let opposite = outcome.and_then(names_event).zip(score.and_then(names_event)).filter(|(a, b)| a != b);
        if let (Some(_), Some(outcome), Some(score)) = (opposite, outcome, score) {
            let event = labels.get(1 - one).map_or("", String::as_str);
            warn(format!(
                "`{score}` and `{outcome}` refer to opposite events; {outcome} = {event} is used as the event."
            ));
            return Ok(1 - one);
        }
        return Ok(one);
    }
    match [first, second].map(|label| means_event(label)) {
        [Some(true), None | Some(false)] | [None, Some(false)] => return Ok(0),
        [None | Some(false), Some(true)] | [Some(false), None] => return Ok(1),
        _ => {}
    }
    let lower = [first, second].map(|label| label.to_lowercase());
    let pair = POSITIVE_LETTERS.iter().find(|pair| pair.iter().all(|one| lower.iter().any(|l| l == one)));
    if let Some(k) = pair.and_then(|[one, _]| lower.iter().position(|label| label == one)) {
        return Ok(k);
    }
    warn(format!("The event label is not specified; the second in sorted order is used: {}.", listed([second])));
    Ok(1)
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
    use super::*;

    fn of(labels: [&str; 2], wished: Option<&str>, column: &str) -> (usize, usize) {
        let labels = labels.map(str::to_owned);
        let mut warnings = Vec::new();
        let k = positive(&labels, wished, (Some("y"), Some(column)), &mut warnings).unwrap();
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
    }

    #[test]
    fn names_of_opposite_events() {
        let labels = ["0", "1"].map(str::to_owned);
        let mut warnings = Vec::new();
        assert_eq!(positive(&labels, None, (Some("survived"), Some("p_death")), &mut warnings).unwrap(), 0);
        assert_eq!(warnings.len(), 1);
        assert_eq!(positive(&labels, None, (Some("died"), Some("p_death")), &mut warnings).unwrap(), 1);
        assert_eq!(positive(&labels, None, (Some("survived"), Some("risk")), &mut warnings).unwrap(), 1);
        assert_eq!(warnings.len(), 1);
    }

    #[test]
    fn one_label_is_completed() {
        assert_eq!(completed(&["1".into()], None), ["0", "1"]);
        assert_eq!(completed(&["yes".into()], None), ["no", "yes"]);
        assert_eq!(completed(&["cat".into()], Some("p")), ["cat", "not cat"]);
        assert_eq!(completed(&["malignant".into()], Some("prob_benign")), ["benign", "malignant"]);
    }
}
