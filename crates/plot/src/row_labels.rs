//! Labels of rows and of entries of a key: names that do not fit are broken into lines, or shortened so that they remain
//! distinct.

use super::text;

/// Stands between a column and its value in the name of a subgroup.
const EQUALS: &str = " = ";
/// A core of a name may take this part of the room, so that some of its beginning remains.
const CORE: f64 = 0.75;
/// A beginning of fewer characters is left out.
const LEAST: usize = 3;

/// Rows whose names are `column = value` with one column, such as "ward = ICU" and "ward = ER": the column and the values.
/// None where a name is another kind of condition, or there are several columns.
pub fn common_column<'a>(names: &[&'a str]) -> Option<(&'a str, Vec<&'a str>)> {
    let (column, _) = names.first()?.split_once(EQUALS)?;
    let value = |name: &&'a str| {
        let (other, value) = name.split_once(EQUALS)?;
        let further = [EQUALS, " ≥ ", " ≤ ", " > ", " < "].iter().any(|sign| value.contains(sign));
        (other == column && !value.is_empty() && !further).then_some(value)
    };
    Some((column, names.iter().map(value).collect::<Option<Vec<&str>>>()?))
}

/// The names, shortened to at most `limit` pixels: at the end, unless two would then be equal or the value of a column is
/// there. Those lose their middle, or if they differ only there, what surrounds the part in which they differ. O(names² · length).
pub fn distinct(names: &[&str], size: f64, limit: f64) -> Vec<String> {
    let mut labels: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        labels.push(if name.contains(EQUALS) {
            without_middle(name, size, limit)
        } else {
            text::fitted(name, size, limit)
        });
    }
    // A group that remains equal after a round is smaller than before.
    for round in 0..names.len() {
        let clashes = clashes(names, &labels);
        if clashes.is_empty() {
            break;
        }
        for group in clashes {
            let middle = |&i: &usize| without_middle(names[i], size, limit);
            let mut short: Vec<String> = group.iter().map(middle).collect();
            let equal = |a: usize, b: usize| short[a] == short[b] && names[group[a]] != names[group[b]];
            if round > 0 || (0..group.len()).any(|a| (0..a).any(|b| equal(a, b))) {
                let whole: Vec<Vec<char>> = group.iter().map(|&i| names[i].chars().collect()).collect();
                let (before, after) = common_ends(&whole);
                short = whole.iter().map(|name| around(name, before, after, size, limit)).collect();
            }
            for (i, label) in group.into_iter().zip(short) {
                labels[i] = label;
            }
        }
    }
    labels
}

/// The names in lines of at most `limit` pixels. A name that needs more lines than `most` is one line, shortened as in
/// [`distinct`].
pub fn wrapped(names: &[&str], size: f64, limit: f64, most: usize) -> Vec<Vec<String>> {
    let whole = names.iter().map(|name| Some(lines(name, size, limit)).filter(|lines| lines.len() <= most));
    let short = distinct(names, size, limit);
    whole.zip(short).map(|(whole, short)| whole.unwrap_or_else(|| vec![short])).collect()
}

/// Breaks a name at its spaces; a word that is wider than `limit` behind its signs, or else wherever it must.
fn lines(name: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split(' ').filter(|word| !word.is_empty()) {
        let parts = if text::width(word, size) > limit { parts(word, size, limit) } else { vec![word.to_owned()] };
        for (i, part) in parts.into_iter().enumerate() {
            let space = if i == 0 { " " } else { "" };
            match lines.last_mut() {
                Some(line) if text::width(&format!("{line}{space}{part}"), size) <= limit => {
                    line.push_str(space);
                    line.push_str(&part);
                }
                _ => lines.push(part),
            }
        }
    }
    lines
}

/// A word in parts of at most `limit` pixels: `referred_`, `from_`, `clinic`.
fn parts(word: &str, size: f64, limit: f64) -> Vec<String> {
    let mut parts = Vec::new();
    for part in word.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let mut rest = part;
        while text::width(rest, size) > limit {
            let fits = beginning(rest.chars(), size, limit).iter().map(|c| c.len_utf8()).sum::<usize>();
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let (line, others) = rest.split_at(fits.max(first));
            parts.push(line.to_owned());
            rest = others;
        }
        if !rest.is_empty() {
            parts.push(rest.to_owned());
        }
    }
    parts
}

/// Groups of names that differ while their labels are equal.
fn clashes(names: &[&str], labels: &[String]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        match groups.iter_mut().find(|group| labels[group[0]] == *label) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups.retain(|group| group.iter().any(|&i| names[i] != names[group[0]]));
    groups
}

/// How many characters all names have in common at their beginning, and how many more at their end.
fn common_ends(names: &[Vec<char>]) -> (usize, usize) {
    let Some((first, others)) = names.split_first() else { return (0, 0) };
    let before = |other: &Vec<char>| first.iter().zip(other).take_while(|(a, b)| a == b).count();
    let before = others.iter().map(before).min().unwrap_or(0);
    let after = |other: &Vec<char>| {
        let ends = first[before.min(first.len())..].iter().rev().zip(other[before..].iter().rev());
        ends.take_while(|(a, b)| a == b).count()
    };
    // a name that is equal to the first shares all of it
    let after = others.iter().filter(|other| *other != first).map(after).min().unwrap_or(0);
    (before, after)
}

/// The longest beginning of `chars` within `limit` pixels.
fn beginning(chars: impl Iterator<Item = char>, size: f64, limit: f64) -> Vec<char> {
    let mut taken = 0.0;
    let fits = |c: &char| {
        taken += text::width(c.encode_utf8(&mut [0; 4]), size);
        taken <= limit
    };
    chars.take_while(fits).collect()
}

/// Beginning and end of a name.
fn without_middle(name: &str, size: f64, limit: f64) -> String {
    if text::width(name, size) <= limit {
        return name.to_owned();
    }
    let room = limit - text::width("…", size);
    let mut end = beginning(name.chars().rev(), size, 0.5 * room);
    end.reverse();
    let end: String = end.into_iter().collect();
    let start: String = beginning(name.chars(), size, room - text::width(&end, size)).into_iter().collect();
    format!("{}…{}", start.trim_end(), end.trim_start())
}

/// The part of a name between its first `before` and its last `after` characters, with the words that it stands in, and as
/// much of the beginning as there is room for.
fn around(name: &[char], before: usize, after: usize, size: f64, limit: f64) -> String {
    let string = |chars: &[char]| chars.iter().collect::<String>();
    let pixels = |chars: &[char]| text::width(&string(chars), size);
    let ellipsis = text::width("…", size);
    let end = name.len() - after.min(name.len() - before);
    let word_begin = |at: usize| name[..at].iter().rposition(|c| *c == ' ').map_or(0, |space| space + 1);
    let word = word_begin(before);
    let previous = word_begin(word.saturating_sub(1));
    let word_end = name[end..].iter().position(|c| *c == ' ').map_or(name.len(), |space| end + space);
    let choices = [(previous, word_end, CORE), (word, word_end, CORE), (before, word_end, CORE), (before, end, 1.0)];
    let fits = |&(from, to, part): &(usize, usize, f64)| pixels(&name[from..to]) + 2.0 * ellipsis <= part * limit;
    let Some((from, to, _)) = choices.into_iter().find(fits) else {
        return format!("…{}", text::fitted(&string(&name[before..]), size, limit - ellipsis));
    };
    let rest = if to < name.len() { "…" } else { "" };
    let core = format!("{}{rest}", string(&name[from..to]).trim_end_matches(','));
    let room = limit - text::width(&core, size) - ellipsis;
    let start = beginning(name[..from].iter().copied(), size, room);
    match start.len() {
        len if len == from => format!("{}{core}", string(&start)),
        len if len < LEAST => format!("…{}", core.trim_start()),
        _ => format!("{}…{}", string(&start).trim_end(), core.trim_start()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_fit_stay_and_long_ones_lose_their_end() {
        let names = ["ward", "a_very_long_column_name_indeed"];
        let labels = distinct(&names, 12.0, 80.0);
        assert_eq!(labels, [names[0].to_owned(), text::fitted(names[1], 12.0, 80.0)]);
    }

    #[test]
    fn names_that_differ_at_their_end_lose_their_middle() {
        let names = ["Donaudampfschifffahrtsgesellschaft 1", "Donaudampfschifffahrtsgesellschaft 2"];
        assert_eq!(distinct(&names, 13.0, 120.0), ["Donaud…schaft 1", "Donaud…schaft 2"]);
    }

    #[test]
    fn names_that_differ_in_their_middle_keep_that_part() {
        let name =
            |k| format!("Department of Paediatric Gastroenterology, Building {k}, University Hospital of the State");
        let names: Vec<String> = (0..12).map(name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let labels = distinct(&names, 13.0, 300.0);
        assert_eq!(labels[7], "Department of Paediatric Gastr…Building 7…");
        assert!(labels[10].ends_with("…Building 10…"));
        // where there is room for little, the part that differs still
        let labels = distinct(&names, 13.0, 60.0);
        assert!((0..12).all(|i| labels[i].contains(&format!("{i}"))), "{labels:?}");
    }

    #[test]
    fn equal_names_have_equal_labels() {
        let names = ["a name that is too long for this", "a name that is too long for this"];
        let labels = distinct(&names, 12.0, 80.0);
        assert_eq!(labels[0], labels[1]);
        assert_eq!(distinct(&[], 12.0, 80.0), Vec::<String>::new());
    }

    #[test]
    fn names_are_broken_before_they_are_shortened() {
        let name = "site = Royal Infirmary of Edinburgh and admission_date 2023-05-17 to 2023-09-30";
        let broken = wrapped(&[name, "ward = ICU"], 13.0, 240.0, 3);
        assert_eq!(broken[0].join(" "), name);
        assert!(broken[0].len() > 1 && broken[0].iter().all(|line| text::width(line, 13.0) <= 240.0), "{broken:?}");
        assert_eq!(broken[1], ["ward = ICU"]);
        // a word that is wider than a line is broken behind its signs, or wherever it must
        let word = "creatinine_of_the_first_24_hours";
        assert_eq!(wrapped(&[word], 13.0, 150.0, 3), [["creatinine_of_the_", "first_24_hours"]]);
        assert_eq!(wrapped(&["Donaudampfschiff"], 13.0, 80.0, 3)[0].concat(), "Donaudampfschiff");
        // what needs too many lines loses its middle
        assert_eq!(wrapped(&[name], 13.0, 100.0, 3), [distinct(&[name], 13.0, 100.0)]);
        assert_eq!(wrapped(&[], 13.0, 100.0, 3), Vec::<Vec<String>>::new());
    }

    #[test]
    fn one_column_of_all_rows_is_found() {
        let found = common_column(&["ward = ICU", "ward = ER"]);
        assert_eq!(found, Some(("ward", vec!["ICU", "ER"])));
        assert_eq!(common_column(&["ward = ICU", "sex = f"]), None);
        assert_eq!(common_column(&["ward = ICU", "All rows"]), None);
        assert_eq!(common_column(&["ward = ICU", "ward = ER and sex = f"]), None);
        assert_eq!(common_column(&[]), None);
    }

    proptest::proptest! {
        /// Different names have different labels, none of them too wide.
        #[test]
        fn labels_are_distinct_and_fit(
            ends in proptest::collection::vec("[a-c]{0,3}[0-9]{0,2}(, University Hospital of the State)?", 1..12),
            limit in 60.0..400.0_f64,
        ) {
            let names: Vec<String> = ends.iter().map(|end| format!("Department of Paediatric Gastroenterology {end}")).collect();
            let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
            let labels = distinct(&names, 13.0, limit);
            proptest::prop_assert!(labels.iter().all(|label| text::width(label, 13.0) <= limit + 1e-9), "{labels:?}");
            for (i, a) in names.iter().enumerate() {
                for (j, b) in names.iter().enumerate().take(i) {
                    proptest::prop_assert!(a.trim() == b.trim() || labels[i] != labels[j], "{a:?} {b:?}: {}", labels[i]);
                }
            }
        }
    }
}
