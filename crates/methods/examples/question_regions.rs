//! Is a topic of confidently wrong answers found as a region of similar texts, where a log has nothing but texts, and is a region
//! named where every confidence is right? docs/logs.md has what it printed.
//!
//! `cargo run --release -p localcal-methods --example question_regions -- [logs] [questions]`

#![allow(clippy::unwrap_used)]

use std::time::Instant;

use localcal_methods::data::{LEXICAL, OpenOptions, assemble};
use localcal_methods::num::rng::Lanes;
use localcal_methods::read::read;
use localcal_methods::scan::{Round, ScanInput, Scanned, Sought, scan_part, scanned_columns, score_test};

/// Topics, of equal size on average.
const TOPICS: usize = 20;
/// Words of a question; half of them are of its topic.
const WORDS: usize = 12;
/// Words of each topic, and of all topics.
const VOCABULARY: [usize; 2] = [40, 400];

/// A log of questions with a confidence and whether the answer was correct: with the probability that is stated, but in the
/// planted topic with half of it; and the topic of each.
fn log(n: usize, planted: bool, seed: u64) -> (String, Vec<usize>) {
    let mut lanes = Lanes::seeded(seed, u64::from(planted));
    let mut uniform = std::iter::repeat_with(|| lanes.uniform()).flatten();
    let mut below = |n: usize| (uniform.next().unwrap() * n as f64) as usize;
    let (mut text, mut topics) = (String::new(), Vec::with_capacity(n));
    for i in 0..n {
        let topic = below(TOPICS);
        let words: Vec<String> = (0..WORDS)
            .map(|_| match below(2) {
                0 => format!("t{topic}w{}", below(VOCABULARY[0])),
                _ => format!("w{}", below(VOCABULARY[1])),
            })
            .collect();
        let confidence = 60 + 5 * below(8);
        let percent = if planted && topic == 0 { confidence / 2 } else { confidence };
        let correct = below(100) < percent;
        let words = words.join(" ");
        text += &format!(
            "{{\"id\":\"q{i}\",\"question\":\"{words}\",\"confidence\":{confidence},\"correct\":{correct}}}\n"
        );
        topics.push(topic);
    }
    (text, topics)
}

/// The scan of a log, as the finding makes it.
fn scanned(text: &str, seed: u64) -> Scanned {
    let file = read("answers.jsonl", text.as_bytes(), &mut |_| ()).unwrap();
    let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
    let (score, target) = (data.confidence.as_deref().unwrap(), data.correct.as_deref().unwrap());
    let rows: Vec<u32> = (0..data.rows as u32).collect();
    let overall = score_test(score, target, None, None, seed, 0).p;
    let columns = scanned_columns(&data, None, None).unwrap();
    let similarity = [LEXICAL.to_owned()];
    let sought = Sought { columns: &columns, similarity: &similarity, least: 30 };
    let input = ScanInput::new(&data, (&rows, score, target, None), sought, seed).unwrap();
    let mut round = Round::first(&input);
    while !round.over {
        let looked = scan_part(&input, &round.fit, (0, 1), round.number, seed);
        round = round.next(&input, &[&looked], overall);
    }
    round.scanned(&input, overall, seed)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: usize| arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (logs, n) = (number(0, 100), number(1, 3_000));
    let (mut named, mut found, mut others, mut regions) = (0, 0, 0, 0);
    let begin = Instant::now();
    for seed in 0..logs as u64 {
        let right = scanned(&log(n, false, seed).0, seed);
        named += usize::from(!right.named.is_empty());
        regions = right.kinds.places;
        let (text, topics) = log(n, true, seed);
        let of_topic = scanned(&text, seed).named.iter().fold([0; 2], |[own, other], one| {
            let rows = one.place.as_ref().map_or(&[][..], |place| &place.rows);
            let inside = rows.iter().filter(|row| topics[**row as usize] == 0).count();
            match one.gap() > 0.0 && 2 * inside >= rows.len() && !rows.is_empty() {
                true => [own + 1, other],
                false => [own, other + 1],
            }
        });
        found += usize::from(of_topic[0] > 0);
        others += usize::from(of_topic[1] > 0);
    }
    println!(
        "{n} questions, {regions} regions: planted topic found in {found} of {logs}, another region named beside it in {others}; \
         none named in {} of {logs} without one ({:.1?} a log)",
        logs - named,
        begin.elapsed() / (2 * logs as u32).max(1)
    );
}
