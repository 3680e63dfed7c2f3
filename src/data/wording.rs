//! Numbers and values as a person writes them in a sentence.

/// A whole number with commas between thousands.
pub(crate) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 row`, `1,204 rows`.
pub(crate) fn counted(n: usize, one: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {one}{plural}", thousands(n))
}

/// Names in back quotes, at most eight of them.
pub(crate) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    match names.get(..8) {
        Some(first) if names.len() > 8 => {
            format!(
                "{}, … ({} in all)",
                first.join(", "),
                thousands(names.len())
            )
        }
        _ => names.join(", "),
    }
}

/// A number as short as it can be written exactly; labels read from floats lose their `.0`.
pub(crate) fn plain(x: f64) -> String {
    if x == 0.0 { "0".into() } else { x.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_204), "1,204");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1_204, "row"), "1,204 rows");
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        assert!(listed((0..9).map(|i| i.to_string())).ends_with("`7`, … (9 in all)"));
        assert_eq!(plain(1.0), "1");
        assert_eq!(plain(-0.0), "0");
        assert_eq!(plain(0.25), "0.25");
    }
}
