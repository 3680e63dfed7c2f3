//! Which of two labels counts as 1.

use super::names::{POSITIVE, POSITIVE_LETTERS, named_label};
use crate::error::{Error, Result};
use crate::num::order::sort_short;
use crate::table::Warning;
use crate::words::text::listed;

/// Index of the label counted as 1: the wished one; the one that the score column's name ends in; 1, true, yes,
/// event; else the second in sorted order, with a warning.
///
/// # Errors
/// `invalid_option` when the wished label does not occur.
pub(super) fn positive(
    labels: &[String],
    wished: Option<&str>,
    score_column: Option<&str>,
    warnings: &mut Vec<Warning>,
) -> Result<usize> {
    if let Some(wished) = wished {
        return labels.iter().position(|label| label == wished).ok_or_else(|| {
            Error::new(
                "invalid_option",
                format!("positive: `{wished}` is not one of the labels {}.", listed(labels)),
                "Write the label as it stands in the file.",
            )
        });
    }
    let named = score_column.and_then(|name| named_label(name, labels));
    if let Some((label, _)) = named
        && let Some(k) = labels.iter().position(|l| l == label)
    {
        return Ok(k);
    }
    let known = |label: &String| {
        let label = label.to_lowercase();
        POSITIVE.contains(&label.as_str())
    };
    if let Some(k) = labels.iter().position(known) {
        return Ok(k);
    }
    let lower: Vec<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    let pair =
        POSITIVE_LETTERS.iter().find(|pair| lower.len() == 2 && pair.iter().all(|one| lower.iter().any(|l| l == one)));
    if let Some(k) = pair.and_then(|[one, _]| lower.iter().position(|label| label == one)) {
        return Ok(k);
    }
    let last = labels.len().saturating_sub(1).min(1);
    warnings.push(Warning {
        code: "positive_guessed".into(),
        message: format!(
            "Nothing says which label counts as 1; the second in sorted order was taken: {}.",
            listed(labels.get(last))
        ),
        row: None,
        column: None,
    });
    Ok(last)
}

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
        let k = positive(&labels, wished, Some(column), &mut warnings).unwrap();
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
    }

    #[test]
    fn one_label_is_completed() {
        assert_eq!(completed(&["1".into()], None), ["0", "1"]);
        assert_eq!(completed(&["yes".into()], None), ["no", "yes"]);
        assert_eq!(completed(&["cat".into()], Some("p")), ["cat", "not cat"]);
        assert_eq!(completed(&["malignant".into()], Some("prob_benign")), ["benign", "malignant"]);
    }
}
