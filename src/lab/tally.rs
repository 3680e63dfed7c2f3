//! Four letters that carry a student's tap to the teacher, and what a class's codes say together.

use statrs::distribution::{Binomial, DiscreteCDF};
use std::collections::HashSet;

use super::world::mixed;
use super::{LEVELS as ROWS, LabPooled, LabTally, LabTallyLevel};
use crate::words::number::{count, p_value};

/// Diagrams of a line-up.
pub const PANELS: u32 = 20;
/// Letters of a code; I, O and U are left out.
const LETTERS: &[u8; 23] = b"ABCDEFGHJKLMNPQRSTVWXYZ";
const BASE: u32 = 23;
/// 23³
const SPACE: u32 = 12_167;
/// A bijection of the space: consecutive students do not have similar codes.
const FACTOR: u32 = 5_003;
const INVERSE: u32 = 8_558;
const LESSONS: std::ops::RangeInclusive<u32> = 1..=22;
const LEVELS: u32 = 6;
/// Values of (student, level, panel).
const VALUES: u32 = 100 * LEVELS * PANELS;
/// Sums of ten confidences of 50, 60, … 100 %, and salts.
const SUMS: u32 = 51;
const SALTS: u32 = 21;
/// What the check digit of ten answers has more than that of a tap: neither passes for the other.
const OF_TEN: u32 = 11;
/// Letters of what was typed that a message repeats.
const REPEATED: usize = 8;

/// Place of the real panel: ⌊20·h/2³²⌋ with h the upper half of M(M(S·2¹⁶ + k·2⁴ + l)).
pub fn real_panel(lesson: u32, student: u32, level: u32) -> u32 {
    let counter = u64::from(lesson) << 16 | u64::from(student) << 4 | u64::from(level);
    let upper = mixed(mixed(counter)) >> 32;
    ((u64::from(PANELS) * upper) >> 32) as u32
}

fn check(digits: [u32; 3], by: u32) -> u32 {
    let [d1, d2, d3] = digits;
    (d1 + 2 * d2 + 3 * d3 + by) % BASE
}

/// v′ = (5003 v + 97 S) mod 23³ in base 23, and the check digit (d₁ + 2d₂ + 3d₃ + c) mod 23.
fn letters(value: u32, lesson: u32, by: u32) -> Option<String> {
    let mixed = (FACTOR * value + 97 * lesson) % SPACE;
    let digits = [mixed / (BASE * BASE), mixed / BASE % BASE, mixed % BASE];
    let all = digits.into_iter().chain([check(digits, by)]);
    all.map(|digit| LETTERS.get(digit as usize).map(|&letter| char::from(letter))).collect()
}

/// v of four letters; none for a typing error, and for another lesson or another screen, whose c is another.
fn value(code: &str, lesson: u32, by: u32) -> Option<u32> {
    let digit = |letter: char| {
        let letter = letter.to_ascii_uppercase();
        LETTERS.iter().position(|&known| char::from(known) == letter).map(|place| place as u32)
    };
    let digits: Vec<u32> = code.trim().chars().map(digit).collect::<Option<_>>()?;
    let &[d1, d2, d3, last] = digits.as_slice() else { return None };
    if !LESSONS.contains(&lesson) || last != check([d1, d2, d3], by) {
        return None;
    }
    let mixed = (d1 * BASE + d2) * BASE + d3;
    Some((mixed + SPACE - 97 * lesson % SPACE) % SPACE * INVERSE % SPACE)
}

/// The code of student k, 1 to 100, at a level, 0 to 5, who tapped a panel, 0 to 19, in lesson S, 1 to 22; none outside.
///
/// v = ((k − 1)·6 + l)·20 + t, and c = S in the check digit.
///
/// ```
/// assert_eq!(localcal::lab::code(7, 17, 2, 13).as_deref(), Some("HWYA"));
/// assert_eq!(localcal::lab::decoded(7, "hwya"), Some((17, 2, 13)));
/// ```
pub fn code(lesson: u32, student: u32, level: u32, panel: u32) -> Option<String> {
    let inside = LESSONS.contains(&lesson) && (1..=100).contains(&student) && level < LEVELS && panel < PANELS;
    if !inside {
        return None;
    }
    letters(((student - 1) * LEVELS + level) * PANELS + panel, lesson, lesson)
}

/// Student, level and panel of a code; none for a typing error or a code of another lesson.
pub fn decoded(lesson: u32, code: &str) -> Option<(u32, u32, u32)> {
    let value = value(code, lesson, lesson)?;
    (value < VALUES).then_some((value / (LEVELS * PANELS) + 1, value / PANELS % LEVELS, value % PANELS))
}

/// A person's answers to ten questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenAnswers {
    /// right answers, 0 to 10
    pub right: u32,
    /// sum of the stated confidences in percent, 500 to 1,000 in steps of 10
    pub stated: u32,
    /// 0 to 20: tells apart most of those with the same two numbers
    pub salt: u32,
}

/// The code of ten answers in lesson S, 1 to 22; none outside.
///
/// v = (right·51 + (stated − 500)/10)·21 + salt, and c = S + 11 in the check digit.
///
/// ```
/// use localcal::lab::{TenAnswers, code_of_ten, decoded_ten};
///
/// let answers = TenAnswers { right: 6, stated: 780, salt: 4 };
/// assert_eq!(code_of_ten(7, &answers).as_deref(), Some("VVCK"));
/// assert_eq!(decoded_ten(7, "vvck"), Some(answers));
/// ```
pub fn code_of_ten(lesson: u32, answers: &TenAnswers) -> Option<String> {
    let &TenAnswers { right, stated, salt } = answers;
    let inside = LESSONS.contains(&lesson)
        && right <= 10
        && (500..=1_000).contains(&stated)
        && stated.is_multiple_of(10)
        && salt < SALTS;
    if !inside {
        return None;
    }
    letters((right * SUMS + (stated - 500) / 10) * SALTS + salt, lesson, lesson + OF_TEN)
}

/// The answers of a code; none for a typing error, a code of another lesson or one of the line-up.
pub fn decoded_ten(lesson: u32, code: &str) -> Option<TenAnswers> {
    let value = value(code, lesson, lesson + OF_TEN)?;
    let (right, stated) = (value / SALTS / SUMS, 500 + 10 * (value / SALTS % SUMS));
    (right <= 10).then_some(TenAnswers { right, stated, salt: value % SALTS })
}

/// P(at least H of N hits) if each is a guess among 20 panels.
///
/// ```
/// assert!((localcal::lab::hits_by_chance(5, 30) - 0.0156).abs() < 1e-4);
/// ```
pub fn hits_by_chance(hits: usize, of: usize) -> f64 {
    let guesses = Binomial::new(1.0 / f64::from(PANELS), of as u64);
    match (hits.checked_sub(1), guesses) {
        (Some(below), Ok(guesses)) => guesses.sf(below as u64),
        _ => 1.0,
    }
}

/// Of each student and level the first code counts.
pub(super) fn tally(lesson: u32, codes: &[String]) -> LabTally {
    let mut seen = HashSet::new();
    let (mut each, mut refused) = ([[0; 2]; ROWS.len()], Vec::new());
    for code in codes {
        let short: String = code.trim().chars().take(REPEATED).collect();
        match decoded(lesson, code) {
            None => refused.push(format!("{short}: this code has a typing error or is from another lesson.")),
            Some((student, level, _)) if !seen.insert((student, level)) => {
                refused.push(format!("{short}: student {student} has given a code for this level already."));
            }
            Some((student, level, panel)) => {
                if let Some([counted, hits]) = each.get_mut(level as usize) {
                    *counted += 1;
                    *hits += usize::from(panel == real_panel(lesson, student, level));
                }
            }
        }
    }
    let p = |hits, counted| hits_by_chance(hits, counted);
    let levels: Vec<LabTallyLevel> = (ROWS.into_iter().zip(each))
        .filter(|(_, [counted, _])| *counted > 0)
        .map(|(n, [counted, hits])| LabTallyLevel { n, counted, hits, p: p(hits, counted) })
        .collect();
    let hits = levels.iter().map(|level| level.hits).sum();
    let of = |name: String, hits: usize, counted: usize| {
        format!("{name}: {hits} of {counted} found it; exact {}.", p_value(p(hits, counted)))
    };
    let mut sentences: Vec<String> =
        levels.iter().map(|level| of(format!("n = {}", count(level.n.into())), level.hits, level.counted)).collect();
    // guesses are independent and equally probable at every level: their sum is binomial, too
    if levels.len() > 1 {
        sentences.push(of("All levels".to_owned(), hits, seen.len()));
    }
    LabTally { counted: seen.len(), hits, p: p(hits, seen.len()), levels, sentences, refused }
}

/// Of the same code the first counts: it was typed twice, or two people have the same answers and salt.
pub(super) fn pooled(lesson: u32, codes: &[String]) -> LabPooled {
    let mut seen = HashSet::new();
    let (mut right, mut stated, mut refused) = (0, 0, Vec::new());
    for code in codes {
        let short: String = code.trim().chars().take(REPEATED).collect();
        match decoded_ten(lesson, code) {
            None => refused.push(format!("{short}: this code has a typing error or is from another lesson or screen.")),
            Some(_) if !seen.insert(code.trim().to_ascii_uppercase()) => {
                refused.push(format!("{short}: this code has been given already."));
            }
            Some(answers) => {
                right += answers.right;
                stated += answers.stated;
            }
        }
    }
    let counted = seen.len();
    let mean = |sum: u32, each: f64| (counted > 0).then(|| f64::from(sum) / (each * counted as f64));
    LabPooled { counted, stated: mean(stated, 1_000.0), right: mean(right, 10.0), refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_counted_by_level_and_pooled() {
        // 60 students at n = 50 and at n = 500: 10 and 9 of them find the real panel
        let codes: Vec<String> = [(0, 10), (3, 9)]
            .into_iter()
            .flat_map(|(level, hits)| {
                (1..=60).filter_map(move |student| {
                    let miss = u32::from(student > hits);
                    code(7, student, level, (real_panel(7, student, level) + miss) % PANELS)
                })
            })
            .collect();
        let found = tally(7, &codes);
        assert_eq!((found.counted, found.hits), (120, 19));
        let levels: Vec<_> = found.levels.iter().map(|level| (level.n, level.hits, level.counted)).collect();
        assert_eq!(levels, [(50, 10, 60), (500, 9, 60)]);
        let said: Vec<String> = found.sentences.iter().map(|text| text.replace('\u{a0}', " ")).collect();
        assert_eq!(
            said,
            [
                "n = 50: 10 of 60 found it; exact p < 0.001.",
                "n = 500: 9 of 60 found it; exact p = 0.003.",
                "All levels: 19 of 120 found it; exact p < 0.001."
            ]
        );
        assert_eq!(tally(7, &codes[..60]).sentences.len(), 1);
        assert_eq!(tally(7, &[]).sentences.len(), 0);
    }
}
