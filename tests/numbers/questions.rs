//! Logs of questions: regions of similar texts are tested where nothing else describes the rows, and embeddings are searched in
//! more components than the map shows.

use crate::support::pipeline::{Opened, Ran, try_open};
use localcal::analysis::finding::{FindingOutcome, ReportedSubgroupKind};
use localcal::analysis::neighbourhoods::NeighbourhoodsOutcome;
use localcal::job::Outcome;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Topics of a log, of equal size on average.
const TOPICS: usize = 12;

struct Draws(Pcg64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}

/// `n` questions of twelve words, half of them of a topic of their own; in the `planted` topic half of the stated share is
/// correct. With `embedded`, an embedding of 20 entries about the center of the topic takes the place of the words.
fn log(n: usize, planted: Option<usize>, embedded: bool, seed: u64) -> (String, Vec<usize>) {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let centers: Vec<Vec<f64>> = (0..TOPICS).map(|_| (0..20).map(|_| draws.uniform() - 0.5).collect()).collect();
    let (mut text, mut topics) = (String::new(), Vec::with_capacity(n));
    for i in 0..n {
        let topic = draws.below(TOPICS);
        let word = |draws: &mut Draws| match draws.below(2) {
            0 => format!("topic{topic}word{}", draws.below(15)),
            _ => format!("common{}", draws.below(120)),
        };
        let words: Vec<String> = (0..12).map(|_| word(&mut draws)).collect();
        let confidence = 60 + 5 * draws.below(8);
        let share = confidence as f64 / if planted == Some(topic) { 200.0 } else { 100.0 };
        let correct = draws.uniform() < share;
        let more = match embedded {
            true => {
                let entry = |center: &f64| (1000.0 * (center + 0.5 * (draws.uniform() - 0.5))).round() / 1000.0;
                let entries: Vec<f64> = centers[topic].iter().map(entry).collect();
                format!(",\"embedding\":{entries:?}")
            }
            false => String::new(),
        };
        text += &format!(
            "{{\"id\":\"q{i}\",\"question\":\"{}\",\"confidence\":{confidence},\"correct\":{correct}{more}}}\n",
            words.join(" ")
        );
        topics.push(topic);
    }
    (text, topics)
}

fn open(text: &str) -> (Opened, Ran) {
    let data = try_open(&[("answers.jsonl", text.as_bytes())], json!({})).expect("a log");
    let ran = data.run(json!({ "methods": ["none"], "evaluate_on": "all", "resamples": 0 }));
    (data, ran)
}

fn finding(text: &str) -> FindingOutcome {
    let (data, ran) = open(text);
    let asked = json!({ "finding": { "methods": [], "parts": ["overall", "whom"] } });
    match data.try_analyse(&ran, asked) {
        Ok(Outcome::Finding(found)) => found,
        Ok(_) => panic!("no finding"),
        Err(error) => panic!("{}: {error}", error.code()),
    }
}

#[test]
fn a_topic_of_a_log_of_texts_alone_is_found_as_a_region_described_by_its_words() {
    let (text, topics) = log(1200, Some(3), false, 1);
    let found = finding(&text);
    let first = found.subgroups.first().unwrap_or_else(|| panic!("nothing found: {}", found.sentence));
    assert_eq!(first.kind, ReportedSubgroupKind::Place, "{}", found.sentence);
    let rows = &first.place.as_ref().expect("its rows").rows;
    let inside = rows.iter().filter(|row| topics[**row as usize] == 3).count();
    assert!(4 * inside > 3 * rows.len() && first.gap > 0.0, "{inside} of {}", rows.len());
    assert!(
        first.description.starts_with("the region where question has words such as “topic3word"),
        "{}",
        first.description
    );
    assert!(found.rest.kinds.places > 500, "{:?}", found.rest.kinds);
}

#[test]
fn regions_of_a_calibrated_log_are_tested_and_none_is_named() {
    let found = finding(&log(1200, None, false, 2).0);
    assert!(found.chance && found.subgroups.is_empty(), "{}", found.sentence);
    assert!(found.sentence.contains(" regions"), "{}", found.sentence);
    // too few texts for a region
    let few = finding(&log(90, None, false, 3).0);
    assert!(
        few.rest.sentence.starts_with("Subgroups were not tested: no column describes the rows."),
        "{:?}",
        few.rest
    );
}

fn worst(data: &Opened, ran: &Ran, asked: Value) -> NeighbourhoodsOutcome {
    match data.try_analyse(ran, json!({ "neighbourhoods": asked })) {
        Ok(Outcome::Neighbourhoods(found)) => found,
        Ok(_) => panic!("no neighborhoods"),
        Err(error) => panic!("{}: {error}", error.code()),
    }
}

#[test]
fn a_map_of_two_components_of_an_embedding_is_searched_in_ten() {
    let (text, topics) = log(2400, Some(5), true, 4);
    let (data, ran) = open(&text);
    let asked = json!({ "features": { "pca": 2, "of": ["embedding"] }, "gamma": 0.13, "resamples": 100 });
    let found = worst(&data, &ran, asked.clone());
    let said = "Neighbors are searched in 10 principal components of embedding; the map shows the first two.";
    assert!(found.notes.iter().any(|note| note == said), "{:?}", found.notes);
    let first = found.found.first().expect("a neighborhood");
    let inside = first.rows.iter().filter(|row| topics[**row as usize] == 5).count();
    assert!(first.gap > 0.0 && first.p <= 0.05 && 2 * inside > first.rows.len(), "{inside}: {first:?}");
    // of few rows most have too few neighbors in ten components
    let (few, ran_few) = open(&log(200, None, true, 5).0);
    assert!(worst(&few, &ran_few, asked.clone()).notes.iter().all(|note| !note.contains("are searched in")));
    // as many as a person asks for; other choices are searched without a change
    let mut three = asked.clone();
    three["components"] = json!(3);
    assert!(worst(&data, &ran, three).notes.iter().any(|note| note.contains("in 3 principal components")));
    let mut own = asked;
    own["features"]["pca"] = json!(4);
    let own = worst(&data, &ran, own);
    assert!(own.notes.iter().all(|note| !note.contains("are searched in")) && own.gamma == Some(0.13));
}

#[test]
fn groups_begin_with_a_column_that_divides_the_rows() {
    let (text, _) = log(300, None, false, 6);
    let text: String = (text.lines().enumerate())
        .map(|(i, line)| format!("{},\"subject\":\"{}\"}}\n", line.trim_end_matches('}'), ["law", "physics"][i % 2]))
        .collect();
    let (data, ran) = open(&text);
    let answer = data.try_analyse(&ran, json!({ "groups": {} })).expect("groups");
    let Outcome::Groups(found) = answer else { panic!("no groups") };
    assert_eq!((found.title.as_str(), found.groups.len()), ("subject", 2));
    // every attempt was answered: the column divides nothing
    assert!(data.predictions().roles.iter().any(|role| role.name == "status"));
    let (data, ran) = open(&log(300, None, false, 6).0);
    let error = data.try_analyse(&ran, json!({ "groups": {} })).expect_err("no column");
    assert_eq!(error.code(), "groups_missing");
}
