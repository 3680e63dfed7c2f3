//! The guide in `docs/command_line.md` shows what the program prints: its commands are run and compared.
//!
//! `LOCALCAL_RECORD=1 cargo test -p localcal-cli guide` writes the output of today into it.

use std::path::Path;

use crate::made::Folder;

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/command_line.md");
const PATIENTS: &str = include_str!("../../../../www/sample/breast_cancer.csv");

/// The example as `patients.csv`, and its rows without the diagnosis as `new_patients.csv`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("patients.csv", PATIENTS);
    let without = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let kept: Vec<&str> = cells.iter().enumerate().filter(|(c, _)| *c != 2).map(|(_, cell)| *cell).collect();
        kept.join(",") + "\n"
    };
    folder.put("new_patients.csv", &PATIENTS.lines().map(without).collect::<String>());
    folder
}

/// Arguments between spaces; those in single quotes hold spaces.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(i, part)| -> Vec<String> {
        match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        }
    });
    words.collect()
}

/// What a command prints; of `… | head -n N` the first lines, of `cat FILE` the file, of `…; echo $?` also what it says on
/// standard error, and its exit status.
fn printed(folder: &Folder, line: &str) -> String {
    if let Some(command) = line.strip_suffix("; echo $?") {
        let words = words(command.strip_prefix("localcal ").expect("a command of the guide"));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = folder.run_with(&words, "");
        return format!("{}{}{}\n", ended.text(), ended.err, ended.status.expect("an exit status"));
    }
    let (command, head) = match line.split_once(" | head -n ") {
        Some((command, head)) => (command, head.trim().parse().unwrap()),
        None => (line, usize::MAX),
    };
    let text = match command.strip_prefix("localcal ") {
        Some(arguments) => {
            let words = words(arguments);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            folder.run_with(&words, "").done().text().to_owned()
        }
        None => folder.text(command.strip_prefix("cat ").expect("a command of the guide")),
    };
    text.lines().take(head).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_guide_shows_what_the_program_prints() {
    let folder = folder();
    let text = std::fs::read_to_string(Path::new(GUIDE)).unwrap();
    let mut again = String::new();
    let mut rest = text.as_str();
    let mut commands = 0;
    while let Some((before, block)) = rest.split_once("```console\n") {
        let (block, after) = block.split_once("```\n").expect("the end of a block");
        again += before;
        again += "```console\n";
        for line in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            again += &format!("$ {line}\n{}", printed(&folder, line));
            commands += 1;
        }
        again += "```\n";
        rest = after;
    }
    again += rest;
    assert!(commands > 5);
    if std::env::var_os("LOCALCAL_RECORD").is_some() {
        std::fs::write(Path::new(GUIDE), again).unwrap();
    } else {
        let differs = again.lines().zip(text.lines()).find(|(new, old)| new != old);
        assert!(again == text, "the guide is stale, from here on: {differs:?}");
    }
}

/// The steps of the workflow in the guide, run one after the other on the files of the guide.
#[test]
fn the_workflow_of_the_guide_runs_and_passes() {
    let folder = folder();
    folder.run("session save patients.csv --group size --resamples 200 --out january.json").done();
    let text = std::fs::read_to_string(Path::new(GUIDE)).unwrap();
    let (_, workflow) = text.split_once("```yaml\n").expect("a workflow");
    let (workflow, _) = workflow.split_once("```\n").expect("its end");
    let mut steps = 0;
    for step in workflow.split("- run: >-\n").skip(1) {
        let lines = step.lines().take_while(|line| line.starts_with("          "));
        let command = lines.map(str::trim).collect::<Vec<_>>().join(" ");
        let words = words(command.strip_prefix("localcal ").expect("a command"));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ended = folder.run_with(&words, "").done();
        assert!(ended.text().lines().all(|line| line.starts_with("::notice title=localcal")), "{}", ended.text());
        steps += 1;
    }
    assert_eq!(steps, 2);
}
