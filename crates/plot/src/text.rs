//! How wide words are, without asking the page: a fixed width table, rather wide than narrow.

/// Size of tick labels, notes and keys in pixels.
pub const SMALL: f64 = 12.0;
/// Size of axis titles.
pub const BODY: f64 = 13.0;
/// Size of the finding above an exported chart.
pub const TITLE: f64 = 16.0;
/// The family of every label.
pub const FAMILY: &str = "system-ui, -apple-system, \"Segoe UI\", Roboto, sans-serif";

/// Estimated width of `text` at `size` pixels. Errs on the wide side for common system fonts.
pub fn width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

/// How much wider heavier letters run.
pub const BOLDER: f64 = 1.13;

/// Breaks heavier letters into lines no wider than `limit` pixels.
pub fn wrap_bold(text: &str, size: f64, limit: f64) -> Vec<String> {
    wrap(text, size * BOLDER, limit)
}

/// Advance of a character in em.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '|' | '\'' | '.' | ',' | ':' | ';' | '!' => 0.29,
        'f' | 't' | 'I' | '(' | ')' | '[' | ']' | '/' | '\u{a0}' | ' ' | '·' => 0.35,
        'r' | '-' | '"' => 0.42,
        's' | 'c' | 'k' | 'v' | 'x' | 'y' | 'z' | 'J' => 0.56,
        'm' | 'M' | 'w' | 'W' | '%' | '@' | '…' => 0.96,
        'A'..='Z' | 'γ' | '▲' | '▼' => 0.72,
        '0'..='9' | 'a'..='z' => 0.62,
        '\u{2212}' | '+' | '=' | '<' | '>' | '±' | '→' | '≤' | '≥' | '∞' => 0.75,
        '⁰' | '¹' | '²' | '³' | '\u{2074}'..='\u{207b}' => 0.45,
        // Wide scripts take a whole em.
        '\u{1100}'.. => 1.0,
        _ => 0.65,
    }
}

/// Breaks `text` at spaces into lines no wider than `limit` pixels (a longer word stands alone).
pub fn wrap(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// `text`, shortened with an ellipsis to at most `limit` pixels.
pub fn fitted(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_string();
    }
    let mut short: String = String::new();
    for c in text.chars() {
        if width(&short, size) + (advance(c) + advance('…')) * size > limit {
            break;
        }
        short.push(c);
    }
    format!("{}…", short.trim_end())
}

/// The first words of `text` within `limit` pixels, with an ellipsis; letters where not even the first word fits.
fn fitted_words(text: &str, size: f64, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_string();
    }
    let first = wrap(text, size, limit - advance('…') * size).into_iter().next().unwrap_or_default();
    let first = first.trim_end_matches([',', ':', ';']);
    let short = format!("{first}…");
    if width(&short, size) <= limit { short } else { fitted(text, size, limit) }
}

/// `text` in at most `most` lines of `limit` pixels, broken at spaces, two lines about equally wide. What does not fit is
/// shortened at a word.
pub fn lines(text: &str, size: f64, limit: f64, most: usize) -> Vec<String> {
    let mut lines = wrap(text, size, limit);
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(fitted_words(&rest, size, limit));
    } else if lines.len() == 2 {
        let even = (1..10).map(|tenth| wrap(text, size, 0.1 * f64::from(tenth) * limit));
        let fits = |lines: &Vec<String>| lines.len() == 2 && lines.iter().all(|line| width(line, size) <= limit);
        lines = even.into_iter().find(fits).unwrap_or(lines);
    }
    lines.iter().map(|line| fitted(line, size, limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_within_the_limit() {
        let lines = wrap("where a calibrated model would stay", 12.0, 120.0);
        assert!(lines.len() > 1);
        assert!(lines.iter().all(|line| width(line, 12.0) <= 120.0));
        assert_eq!(lines.join(" "), "where a calibrated model would stay");
    }

    #[test]
    fn long_names_are_shortened() {
        let short = fitted("a_very_long_column_name_indeed", 12.0, 80.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 80.0);
        assert_eq!(fitted("risk", 12.0, 80.0), "risk");
    }

    #[test]
    fn titles_are_wrapped_and_only_then_shortened_at_a_word() {
        let title = "difference in net benefit per 100 rows";
        assert_eq!(lines(title, 13.0, 400.0, 2), [title]);
        assert_eq!(lines(title, 13.0, 200.0, 2), ["difference in net", "benefit per 100 rows"]);
        assert_eq!(lines(title, 13.0, 120.0, 2), ["difference in net", "benefit per 100…"]);
        assert_eq!(lines(title, 13.0, 200.0, 1), ["difference in net benefit per…"]);
        assert_eq!(lines("", 13.0, 200.0, 2), Vec::<String>::new());
        let word = "a_very_long_column_name_indeed";
        assert_eq!(lines(word, 12.0, 80.0, 2), [fitted(word, 12.0, 80.0)]);
    }
}
