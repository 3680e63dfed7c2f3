//! Files of an evaluation none of whose answers can be scored: beside logs with answers that can, they are left out.

use std::borrow::{Borrow, Cow};

use crate::error::Result;
use crate::read::{ReadFile, Unscored, task, with_questions};
use crate::table::Warning;
use crate::words::text::{counted, listed, thousands};

/// The files with something to score, with the questions that others hold, and a warning that names the files left out.
///
/// # Errors
/// Why the first of them is refused, where no log with answers to score is among the files.
pub(super) fn scored_files<F: Borrow<ReadFile>>(files: &[F]) -> Result<(Vec<Cow<'_, ReadFile>>, Option<Warning>)> {
    let files = files.iter().map(Borrow::borrow);
    let (scored, mut without): (Vec<&ReadFile>, Vec<&ReadFile>) = files.partition(|file| file.unscored.is_none());
    let any_log = scored.iter().any(|file| file.log.is_some());
    if !any_log && let Some((file, why)) = without.iter().find_map(|file| Some((file, file.unscored.as_deref()?))) {
        return Err(why.refusal(&file.name));
    }
    let (scored, used): (Vec<Cow<'_, ReadFile>>, Vec<Option<String>>) =
        scored.into_iter().map(|file| with_questions(file, &without)).unzip();
    without.retain(|file| !used.iter().flatten().any(|name| *name == file.name));
    Ok((scored, warning(&without)))
}

fn warning(without: &[&ReadFile]) -> Option<Warning> {
    let names = |is: fn(&Unscored) -> bool| -> Vec<String> {
        let of_kind = without.iter().filter(|file| file.unscored.as_deref().is_some_and(is));
        of_kind.map(|file| task(&file.name).unwrap_or_else(|| file.name.clone())).collect()
    };
    let logs = names(|why| matches!(why, Unscored::NoConfidence { .. }));
    let summaries = names(|why| *why == Unscored::Summary);
    let mut parts = Vec::new();
    if !logs.is_empty() {
        let verb = if logs.len() == 1 { "has" } else { "have" };
        parts.push(format!("{} {verb} no confidence ({})", counted(logs.len(), "log"), listed(&logs)));
    }
    match summaries.as_slice() {
        [] => {}
        [one] => parts.push(format!("1 summary holds no single answers ({})", listed([one]))),
        several => {
            parts.push(format!("{} summaries hold no single answers ({})", thousands(several.len()), listed(several)));
        }
    }
    let of_helm = names(|why| *why == Unscored::BesideHelm);
    if !of_helm.is_empty() {
        let verb = if of_helm.len() == 1 { "holds" } else { "hold" };
        let files = counted(of_helm.len(), "file");
        parts.push(format!("{files} of HELM {verb} no confidences ({})", listed(&of_helm)));
    }
    (!parts.is_empty()).then(|| Warning {
        code: "log_left_out".into(),
        message: format!("Left out: {}.", parts.join("; ")),
        row: None,
        column: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::assemble::recognize;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    /// `samples_<task>_<date>.jsonl` of 30 documents.
    fn samples(responses: &str) -> String {
        let line = |k: usize| {
            format!(
                "{{\"doc_id\": {k}, \"doc\": {{\"question\": \"What is {k}?\"}}, \"target\": \"0\", \"filtered_resps\": \
                 {responses}, \"filter\": \"none\", \"acc\": {}.0}}\n",
                k % 2
            )
        };
        (0..30).map(line).collect()
    }

    #[test]
    fn tasks_without_a_confidence_are_left_out_beside_those_that_have_one() {
        let choices = samples("[[\"-1\", \"False\"], [\"-2\", \"False\"]]");
        let generated = samples("[\"forty\"]");
        let summary = "{\"results\": {\"mc\": {\"acc,none\": 0.5}}, \"configs\": {}, \"versions\": {}}";
        let date = "2026-11-24T01-42-17.746730";
        let file = |name: &str, text: &str| read(name, text.as_bytes(), &mut |_| ()).unwrap();
        let files = [
            file(&format!("samples_gsm8k_{date}.jsonl"), &generated),
            file(&format!("samples_arc_{date}.jsonl"), &choices),
            file(&format!("samples_drop_{date}.jsonl"), &generated),
            file(&format!("results_{date}.json"), summary),
        ];
        let (data, found) = assemble(&files, &OpenOptions::default()).unwrap();
        assert_eq!(data.rows, 30);
        let warning = found.warnings.iter().find(|warning| warning.code == "log_left_out").unwrap();
        assert_eq!(
            warning.message,
            "Left out: 2 logs have no confidence (`gsm8k`, `drop`); 1 summary holds no single answers \
             (`results_2026-11-24T01-42-17.746730.json`)."
        );
        assert!(recognize(&files, &OpenOptions::default()).unwrap().warnings.contains(warning));
        // without a log that can be scored, the first is refused as it is alone
        let of_table = [files[0].clone(), file("rows.csv", "p,y\n0.5,1\n0.25,0\n")];
        let refused = [&files[..1], &of_table[..]].map(|files| assemble(files, &OpenOptions::default()).unwrap_err());
        for error in refused {
            assert!(error.to_string().starts_with("This is a log of lm-evaluation-harness without a confidence"));
        }
    }
}
