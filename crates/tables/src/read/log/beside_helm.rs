//! What a run of HELM writes beside `per_instance_stats.json`. None of it has a confidence; `scenario_state.json` and
//! `instances.json` have the texts of the questions.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::super::json::{JsonCell, strict, unreadable, without_mark};
use super::super::levels::Levels;
use super::super::{Contents, Format, ReadFile, Source};
use super::attempts::key;
use super::opening::Opening;
use super::{Meaning, Unscored};
use crate::error::Result;
use crate::table::{Dictionary, NamedColumn, Values};

/// The columns of the questions, as in a log.
const QUESTION: [&str; 2] = ["question_id", "question"];

pub(super) const FORMAT: Format = Format {
    endings: &["json"],
    recognizes: |source| {
        let opening = Opening::of(source.bytes);
        has_questions(&opening) || is_other(&opening)
    },
    read: |source, progress| {
        let columns = if has_questions(&Opening::of(source.bytes)) { questions(source)? } else { Vec::new() };
        progress(1.0);
        let unscored = Some(Box::new(Unscored::BesideHelm));
        Ok(Contents::Columns(ReadFile { name: source.name.to_owned(), columns, unscored, ..ReadFile::default() }))
    },
};

/// `scenario_state.json` or `instances.json`.
fn has_questions(opening: &Opening) -> bool {
    match opening.list {
        true => opening.has(&["id", "input", "references"]) && opening.inner.iter().any(|name| name == "text"),
        false => opening.has(&["adapter_spec", "request_states"]),
    }
}

/// `display_predictions.json`, `display_requests.json`, `stats.json`, `run_spec.json` or `scenario.json`.
fn is_other(opening: &Opening) -> bool {
    let has = |names: &[&str]| opening.has(names);
    match opening.list {
        true => {
            let shown =
                has(&["instance_id", "predicted_text"]) || has(&["instance_id", "train_trial_index", "request"]);
            shown || has(&["name", "count", "sum"]) && opening.inner.iter().any(|name| name == "name")
        }
        false => {
            has(&["name", "scenario_spec", "adapter_spec"]) || has(&["name", "description", "tags", "definition_path"])
        }
    }
}

#[derive(Deserialize)]
struct State {
    #[serde(default)]
    request_states: Vec<Request>,
}

#[derive(Deserialize)]
struct Request {
    instance: Instance,
}

#[derive(Deserialize)]
struct Instance {
    #[serde(default)]
    id: JsonCell,
    #[serde(default)]
    input: JsonCell,
    #[serde(default)]
    perturbation: JsonCell,
}

/// The text of each instance, that of the original before those of perturbed copies.
fn questions(source: &Source<'_>) -> Result<Vec<NamedColumn>> {
    let bytes = &*strict(without_mark(source.bytes));
    let mut instances: Vec<Instance> = match Opening::of(bytes).list {
        true => serde_json::from_slice(bytes),
        false => serde_json::from_slice(bytes)
            .map(|state: State| state.request_states.into_iter().map(|request| request.instance).collect()),
    }
    .map_err(|error| unreadable(&error))?;
    instances.sort_by_key(|instance| instance.perturbation != JsonCell::Missing);
    let (mut ids, mut texts) = (Levels::default(), Levels::default());
    for instance in &instances {
        ids.push(&key(&instance.id));
        texts.push(instance.input.at("text").text().unwrap_or_default());
    }
    let column = |name: &str, values| NamedColumn { file: source.name.to_owned(), name: name.to_owned(), values };
    Ok(vec![column(QUESTION[0], ids.into_values()), column(QUESTION[1], texts.into_values())])
}

/// A log with the texts of its questions, and the file that they are from; the log as it is where it has texts, or most of its questions are not
/// among those of these files. Of several files the one in the folder of the log is preferred.
pub(crate) fn with_questions<'a>(log: &'a ReadFile, beside: &[&ReadFile]) -> (Cow<'a, ReadFile>, Option<String>) {
    let folder =
        |file: &ReadFile| file.name.rsplit_once(['/', '\\']).map_or(String::new(), |(folder, _)| folder.to_owned());
    let mut beside: Vec<&&ReadFile> = beside.iter().collect();
    beside.sort_by_key(|file| folder(file) != folder(log));
    let filled = beside.iter().find_map(|file| Some((filled(log, file)?, file.name.clone())));
    filled.map_or((Cow::Borrowed(log), None), |(log, from)| (Cow::Owned(log), Some(from)))
}

fn filled(log: &ReadFile, beside: &ReadFile) -> Option<ReadFile> {
    let meant = |meaning: &Meaning| !matches!(meaning, Meaning::Text);
    let told = log.log.as_ref().filter(|told| told.columns.iter().all(|(_, meaning)| meant(meaning)))?;
    let place = log.columns.iter().position(|column| column.name == QUESTION[0])?;
    let text_of: HashMap<&str, &str> = {
        let [ids, texts] = QUESTION.map(|name| beside.columns.iter().find(|column| column.name == name));
        let rows = texts_of(ids?)?.into_iter().zip(texts_of(texts?)?);
        // the first text of a question stays
        rows.collect::<Vec<_>>().into_iter().rev().collect()
    };
    let ids = texts_of(log.columns.get(place)?)?;
    let found = ids.iter().filter(|id| text_of.contains_key(*id)).count();
    if 2 * found <= ids.len() {
        return None;
    }
    let mut texts = Levels::default();
    ids.iter().for_each(|id| texts.push(text_of.get(id).copied().unwrap_or_default()));
    let (mut file, mut told) = (log.clone(), told.clone());
    let column = NamedColumn { file: log.name.clone(), name: QUESTION[1].to_owned(), values: texts.into_values() };
    let after = 1 + file.columns.iter().position(|column| column.name == "attempt").unwrap_or(place);
    let meant_after = 1 + told.columns.iter().position(|(_, meaning)| *meaning == Meaning::Attempt).unwrap_or(place);
    file.columns.insert(after, column);
    told.columns.insert(meant_after, (QUESTION[1].to_owned(), Meaning::Text));
    file.log = Some(told);
    Some(file)
}

/// The cells of a column of text.
fn texts_of(column: &NamedColumn) -> Option<Vec<&str>> {
    let Values::Text { codes, levels } = &column.values else { return None };
    Some(codes.iter().map(|code| Dictionary::text(levels, *code)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, Role, assemble};
    use crate::read::{ReadFile, read};

    fn file(name: &str, text: &str) -> ReadFile {
        read(name, text.as_bytes(), &mut |_| ()).unwrap()
    }

    /// The statistics of 30 instances.
    fn statistics() -> String {
        let stat = |name: &str, mean: f64| {
            format!("{{\"name\": {{\"name\": {name:?}, \"split\": \"test\"}}, \"mean\": {mean}}}")
        };
        let one = |k: usize| {
            let stats = [stat("exact_match", (k % 2) as f64), stat("max_prob", 0.5 + k as f64 / 100.0)].join(", ");
            format!("{{\"instance_id\": \"id{k}\", \"train_trial_index\": 0, \"stats\": [{stats}]}}")
        };
        format!("[{}]", (0..30).map(one).collect::<Vec<_>>().join(", "))
    }

    /// Their questions in another order, behind a perturbed copy of the first.
    fn state() -> String {
        let one = |k: usize, text: &str, more: &str| {
            format!("{{\"instance\": {{\"id\": \"id{k}\", \"input\": {{\"text\": \"{text} {k}?\"}}{more}}}}}")
        };
        let copy = one(0, "whcih", ", \"perturbation\": {\"name\": \"typos\"}");
        let all: Vec<String> = [copy].into_iter().chain((0..30).rev().map(|k| one(k, "Which", ""))).collect();
        format!("{{\"adapter_spec\": {{\"model\": \"m\"}}, \"request_states\": [{}]}}", all.join(", "))
    }

    const OTHERS: [(&str, &str); 3] = [
        ("stats.json", "[{\"name\": {\"name\": \"ece\", \"split\": \"test\"}, \"count\": 1, \"sum\": 0.1}]"),
        ("run_spec.json", "{\"name\": \"mmlu\", \"scenario_spec\": {}, \"adapter_spec\": {}, \"metric_specs\": []}"),
        (
            "display_predictions.json",
            "[{\"instance_id\": \"id0\", \"predicted_text\": \"A\", \"stats\": {\"exact_match\": 0.0}}]",
        ),
    ];

    #[test]
    fn other_files_of_a_run_are_left_out_and_give_the_questions() {
        let mut files = OTHERS.map(|(name, text)| file(name, text)).to_vec();
        files.push(file("scenario_state.json", &state()));
        files.push(file("per_instance_stats.json", &statistics()));
        let (data, summary) = assemble(&files, &OpenOptions::default()).unwrap();
        assert_eq!((data.rows, data.text_of(0), data.text_of(29)), (30, Some("Which 0?"), Some("Which 29?")));
        assert!(summary.columns.iter().any(|column| column.role == Role::Text));
        let warnings: Vec<&str> = summary.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert_eq!(
            warnings,
            [
                "Left out: 3 files of HELM hold no confidences (`stats.json`, `run_spec.json`, `display_predictions.json`)."
            ]
        );
        // the questions of another run
        let other = file("scenario_state.json", &state().replace("\"id", "\"no"));
        let (data, summary) = assemble(&[other, files[4].clone()], &OpenOptions::default()).unwrap();
        assert_eq!((data.rows, data.text_of(0)), (30, None));
        assert!(summary.warnings[0].message.contains("1 file of HELM holds no confidences"));
    }

    #[test]
    fn other_files_of_a_run_are_refused_alone() {
        for (name, text) in OTHERS {
            let error = assemble(&[file(name, text)], &OpenOptions::default()).unwrap_err();
            assert!(error.to_string().starts_with("This file of a run of HELM holds no confidences"), "{error}");
            assert!(error.hint().contains("per_instance_stats.json"));
        }
        assert!(assemble(&[file("scenario_state.json", &state())], &OpenOptions::default()).is_err());
    }
}
