//! The course of a line in words.

/// The values at the ends of a line, and between them the lowest and the highest where these are beyond the ends.
///
/// * `points`: place and value, in the order of the places
pub(crate) fn course(
    points: &[(f64, f64)],
    at: impl Fn(f64) -> String,
    value: impl Fn(f64) -> String,
) -> Option<String> {
    let (first, last) = (points.first()?, points.last()?);
    let said = |words: &str, (x, y): &(f64, f64)| format!("{words}{} at {}", value(*y), at(*x));
    if points.len() == 1 {
        return Some(said("", first));
    }
    let lowest = points.iter().min_by(|a, b| a.1.total_cmp(&b.1)).filter(|p| p.1 < first.1.min(last.1));
    let highest = points.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|p| p.1 > first.1.max(last.1));
    let mut between: Vec<(&str, &(f64, f64))> =
        [("lowest ", lowest), ("highest ", highest)].into_iter().filter_map(|(word, p)| Some((word, p?))).collect();
    between.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let mut parts = vec![said("", first)];
    parts.extend(between.into_iter().map(|(word, point)| said(word, point)));
    parts.push(said("", last));
    Some(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::course;

    #[test]
    fn extremes_between_the_ends_are_named() {
        let words = |points: &[(f64, f64)]| course(points, |x| x.to_string(), |y| y.to_string()).unwrap_or_default();
        assert_eq!(
            words(&[(0.0, 0.0), (1.0, 5.0), (2.0, -1.0), (3.0, 0.0)]),
            "0 at 0, highest 5 at 1, lowest -1 at 2, 0 at 3"
        );
        assert_eq!(words(&[(0.0, 1.0), (1.0, 2.0)]), "1 at 0, 2 at 1");
        assert_eq!((words(&[(0.0, 1.0)]).as_str(), words(&[]).as_str()), ("1 at 0", ""));
    }
}
