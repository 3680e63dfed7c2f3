//! Works that a report cites, by author and year as metrics and methods name their sources.

/// A line with author and year, then lines that say where the work is found; by the names.
const WORKS: &str = include_str!("references.txt");

/// Author and year, and where the work is found.
fn known_works() -> Vec<(&'static str, String)> {
    let mut works: Vec<(&str, String)> = Vec::new();
    for line in WORKS.lines() {
        match (line.strip_prefix("  "), works.last_mut()) {
            (Some(more), Some((_, found))) => {
                let gap = if found.is_empty() { "" } else { " " };
                *found += gap;
                *found += more;
            }
            _ => works.push((line, String::new())),
        }
    }
    works
}

/// The works that a source names, as author and year: "Guo et al. (2017), group by group; Kull et al. (2019)" names two.
pub fn cited(source: &str) -> Vec<String> {
    let work = |part: &str| {
        let bare: String = part.chars().filter(|c| !matches!(c, '(' | ')')).collect();
        let end = bare
            .match_indices(|c: char| c.is_ascii_digit())
            .map(|(at, _)| at)
            .find(|&at| bare.get(at..at + 4).is_some_and(|year| year.bytes().all(|b| b.is_ascii_digit())))?;
        // "Vashistha and Farahi's 2025 hypothesis"
        Some(bare.get(..end + 4)?.trim().replace("'s ", " ").rsplit(" of ").next().unwrap_or_default().to_owned())
    };
    source.split(';').filter_map(work).collect()
}

/// Where the works are found, each once, by name; one that is not known stands as it is cited.
pub fn list<'a>(cited: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<&str> = cited.into_iter().map(String::as_str).collect();
    names.sort_by_key(|name| name.to_lowercase());
    names.dedup();
    let known = known_works();
    let found = |name: &str| known.iter().find(|(name_of, _)| *name_of == name).map(|(_, work)| work.clone());
    names.into_iter().map(|name| found(name).unwrap_or_else(|| name.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::method::entries;
    use crate::metric::registry;

    #[test]
    fn works_are_read_out_of_sources() {
        assert_eq!(cited("Guo et al. (2017), group by group"), ["Guo et al. 2017"]);
        assert_eq!(cited("Platt (1999); Lin, Lin and Weng (2007)"), ["Platt 1999", "Lin, Lin and Weng 2007"]);
        assert_eq!(cited("Monte Carlo test of Vashistha and Farahi's 2025 hypothesis"), ["Vashistha and Farahi 2025"]);
        assert_eq!(cited("Steyerberg (2019), section 15.3"), ["Steyerberg 2019"]);
        assert!(cited("").is_empty());
    }

    #[test]
    fn what_metrics_and_methods_name_is_found() {
        let sources = registry::all().map(|metric| metric.source).chain(entries().map(|entry| entry.source));
        let unknown: Vec<String> =
            sources.flat_map(cited).filter(|work| known_works().iter().all(|(known, _)| known != work)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(known_works().windows(2).all(|pair| pair[0].0.to_lowercase() < pair[1].0.to_lowercase()));
    }

    #[test]
    fn a_list_names_each_once() {
        let works = ["Brier 1950", "Cox 1958", "Brier 1950", "Nobody 1900"].map(str::to_owned);
        let list = list(&works);
        assert_eq!(list.len(), 3);
        assert!(list[0].starts_with("Brier GW.") && list[2] == "Nobody 1900", "{list:?}");
    }
}
