//! Four letters that carry a student's tap to the teacher, and what a class's codes say together.

use statrs::distribution::{Binomial, DiscreteCDF};
use std::collections::HashSet;

use super::LabTally;
use super::line_up::{PANELS, real_panel};

/// Letters of a code; I, O and U are left out.
const LETTERS: &[u8; 23] = b"ABCDEFGHJKLMNPQRSTVWXYZ";
const BASE: u32 = 23;
/// 23³
const SPACE: u32 = 12_167;
/// A bijection of the space: consecutive students do not have similar codes.
const FACTOR: u32 = 5_003;
const INVERSE: u32 = 8_558;
const LEVELS: u32 = 6;
/// Values of (student, level, panel).
const VALUES: u32 = 100 * LEVELS * PANELS;

fn check(digits: [u32; 3], lesson: u32) -> u32 {
    let [d1, d2, d3] = digits;
    (d1 + 2 * d2 + 3 * d3 + lesson) % BASE
}

/// The code of student k, 1 to 100, at a level, 0 to 5, who tapped a panel, 0 to 19, in lesson S, 1 to 22; none outside.
///
/// v = ((k − 1)·6 + l)·20 + t, v′ = (5003 v + 97 S) mod 23³ in base 23, and a check digit (d₁ + 2d₂ + 3d₃ + S) mod 23.
///
/// ```
/// assert_eq!(localcal::lab::code(7, 17, 2, 13).as_deref(), Some("HWYA"));
/// assert_eq!(localcal::lab::decoded(7, "hwya"), Some((17, 2, 13)));
/// ```
pub fn code(lesson: u32, student: u32, level: u32, panel: u32) -> Option<String> {
    let inside = (1..=22).contains(&lesson) && (1..=100).contains(&student) && level < LEVELS && panel < PANELS;
    if !inside {
        return None;
    }
    let value = ((student - 1) * LEVELS + level) * PANELS + panel;
    let mixed = (FACTOR * value + 97 * lesson) % SPACE;
    let digits = [mixed / (BASE * BASE), mixed / BASE % BASE, mixed % BASE];
    let all = digits.into_iter().chain([check(digits, lesson)]);
    all.map(|digit| LETTERS.get(digit as usize).map(|&letter| char::from(letter))).collect()
}

/// Student, level and panel of a code; none for a typing error or a code of another lesson.
pub fn decoded(lesson: u32, code: &str) -> Option<(u32, u32, u32)> {
    let digit = |letter: char| {
        let letter = letter.to_ascii_uppercase();
        LETTERS.iter().position(|&known| char::from(known) == letter).map(|place| place as u32)
    };
    let digits: Vec<u32> = code.trim().chars().map(digit).collect::<Option<_>>()?;
    let &[d1, d2, d3, last] = digits.as_slice() else { return None };
    if !(1..=22).contains(&lesson) || last != check([d1, d2, d3], lesson) {
        return None;
    }
    let mixed = (d1 * BASE + d2) * BASE + d3;
    let value = (mixed + SPACE - 97 * lesson % SPACE) % SPACE * INVERSE % SPACE;
    (value < VALUES).then_some((value / (LEVELS * PANELS) + 1, value / PANELS % LEVELS, value % PANELS))
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
    let (mut hits, mut refused) = (0, Vec::new());
    for code in codes {
        let short: String = code.trim().chars().take(8).collect();
        match decoded(lesson, code) {
            None => refused.push(format!("{short}: this code has a typing error or is from another lesson.")),
            Some((student, level, _)) if !seen.insert((student, level)) => {
                refused.push(format!("{short}: student {student} has given a code for this level already."));
            }
            Some((student, level, panel)) => hits += usize::from(panel == real_panel(lesson, student, level)),
        }
    }
    LabTally { counted: seen.len(), hits, p: hits_by_chance(hits, seen.len()), refused }
}
