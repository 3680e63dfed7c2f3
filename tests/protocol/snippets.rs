//! The lines for other languages give the numbers of the core.

use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::kinds::*;
use crate::support::pipeline::open;
use crate::support::public::skipped;
use localcal::job::Call;
use localcal::report::calibrator::Language;
use serde_json::{Value, json};

/// A program that runs `check`, or the reason why there is none.
fn program(names: &[&str], check: &str) -> Result<String, String> {
    for name in names {
        match Command::new(name).arg(if check.contains("numpy") { "-c" } else { "-e" }).arg(check).output() {
            Ok(output) if output.status.success() => return Ok((*name).to_owned()),
            Ok(_) => return Err(format!("`{name}` cannot run `{check}`")),
            Err(_) => (),
        }
    }
    Err(format!("{} not found", names.join(" and ")))
}

/// What the scripts print, each with the same arguments, one after the other in one process: to start a program takes
/// longer than what it does here.
fn answers(program: &str, language: Language, scripts: &[&Path], arguments: &[PathBuf]) -> Vec<Vec<Value>> {
    let (option, driver) = match language {
        Language::Python => (
            "-c",
            "import json, runpy, sys\n\
             for job in json.loads(sys.argv[1]):\n    sys.argv = job\n    runpy.run_path(job[0])",
        ),
        Language::Javascript => (
            "-e",
            "for (const job of JSON.parse(process.argv[1])) { process.argv = ['node', ...job]; require(job[0]); }",
        ),
    };
    let jobs: Vec<Vec<&Path>> = scripts
        .iter()
        .map(|&script| iter::once(script).chain(arguments.iter().map(PathBuf::as_path)).collect())
        .collect();
    let output =
        Command::new(program).args([option, driver]).arg(json!(jobs).to_string()).output().expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let done: Vec<Vec<Value>> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fault = || format!("after {} of {scripts:?}: {}", done.len(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && done.len() == scripts.len(), "{}", fault());
    done
}

/// The file with scored rows at the ends of what scores can be, and some without a value of `x1`.
fn at_the_ends(kind: Kind, csv: &str) -> String {
    let (width, ends): (usize, &[&str]) = match kind {
        Kind::Binary => {
            (1, &["0", "5e-324", "1e-300", "1e-17", "1e-12", "0.5", "0.9999999999999999", "0.999999999999", "1"])
        }
        Kind::Confidence => (1, &["1", "0.9999999999999999", "0.999999999999", "0.5"]),
        Kind::Probabilities => {
            (3, &["0,1,0", "1,0,0", "1e-300,0,1", "0.5,0.5,0", "1e-17,0.25,0.75", "5e-324,1e-12,0.999999999999"])
        }
        Kind::Logits => (3, &["800,-800,0", "0,0,0", "-1000,5,5.5", "40,-40,39"]),
    };
    let mut scored = 0;
    let line = |(i, line): (usize, &str)| {
        if i == 0 || line.ends_with(",calibration") {
            return line.to_owned();
        }
        let mut cells: Vec<&str> = line.split(',').collect();
        if let Some(end) = ends.get(scored) {
            cells.splice(..width, end.split(','));
        }
        if scored % 7 == 3 {
            cells[width] = "";
        }
        scored += 1;
        cells.join(",")
    };
    csv.lines().enumerate().map(line).map(|line| line + "\n").collect()
}

/// Scores and features of the scored rows, as a program gets them: `z` only where the file holds logits, else `P` or `p`.
fn inputs(kind: Kind, scored: &str) -> Value {
    let columns = columns(scored);
    let n = columns[0].1.len();
    let number = |c: usize, i: usize| columns[c].1[i].parse::<f64>().expect("a number");
    let at = |name: &str| columns.iter().position(|(n, _)| n == name).expect("there");
    // a missing number is null
    let feature = |name: &str, i: usize| columns[at(name)].1[i].parse::<f64>().ok();
    let x: Vec<Vec<Option<f64>>> = (0..n).map(|i| vec![feature("x1", i), feature("x2", i)]).collect();
    let (name, given) = match kind {
        Kind::Logits | Kind::Probabilities => {
            let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..3).map(|c| number(c, i)).collect()).collect();
            (if kind == Kind::Logits { "z" } else { "P" }, json!(rows))
        }
        Kind::Binary | Kind::Confidence => ("p", (0..n).map(|i| json!(number(0, i))).collect()),
    };
    let texts = |names: &[&str]| -> Vec<Vec<&String>> {
        (0..n).map(|i| names.iter().map(|name| &columns[at(name)].1[i]).collect()).collect()
    };
    let g = texts(&["site"]);
    let sliced = texts(&["site", "x1", "x2"]);
    // of those that look at one coordinate alone
    let first: Vec<Vec<Option<f64>>> = x.iter().map(|x| vec![x[0]]).collect();
    let second: Vec<Vec<Option<f64>>> = x.iter().map(|x| vec![x[1]]).collect();
    // behind the coordinates what neighbours have in common
    let sites = |row: &Vec<&String>| ["north", "south", "west"].map(|site| Some(f64::from(u8::from(row[0] == site))));
    let cut: Vec<Vec<Option<f64>>> =
        x.iter().zip(&g).map(|(x, g)| x.iter().copied().chain(sites(g)).collect()).collect();
    json!({ name: given, "x": x, "cut": cut, "x_base": x, "g": g, "sliced": sliced, "first": first, "second": second })
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("snippets");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// The line of the comment that makes logits of what the file holds, without what stands before it.
fn made_logits(text: &str, kind: Kind) -> String {
    let begin = match kind {
        Kind::Probabilities => "From probabilities: ",
        _ => "From one P(y = 1): ",
    };
    let line = text.lines().find_map(|line| line.split_once(begin));
    line.expect("how logits are made").1.to_owned()
}

/// Runs every snippet of every method over the exported JSON; the scores of the view agree with the core to 1e-9, and there is
/// none where the core has none.
fn agrees(language: Language, ends: bool) {
    let (program, ending) = match language {
        Language::Python => (program(&["python3", "python"], "import numpy"), "py"),
        Language::Javascript => (program(&["node"], "0"), "js"),
    };
    let program = match program {
        Ok(program) => program,
        Err(reason) => {
            skipped(&reason);
            return;
        }
    };
    for (kind, view) in [
        (Kind::Binary, "positive"),
        (Kind::Probabilities, "top_label"),
        (Kind::Logits, "top_label"),
        (Kind::Confidence, "top_label"),
    ] {
        let of_score = ["none", "temperature", "platt", "beta", "histogram"];
        let mut methods = methods(&json!(["x1", "x2"]));
        if kind == Kind::Confidence {
            methods.retain(|method| {
                method.as_str().is_some_and(|id| of_score.contains(&id)) || !method["parameters"]["groups"].is_null()
            });
        }
        if kind != Kind::Logits {
            methods.extend(forms());
        }
        let methods = Value::Array(methods);
        let methods = match methods {
            Value::Array(mut list) if kind == Kind::Binary => {
                for (name, parameters) in [
                    (
                        "lore \"near\"",
                        json!({ "features": { "pca": 1, "of": ["x1", "x2"] }, "kernel": "gaussian", "gamma": 0.4 }),
                    ),
                    (
                        "lore rbf",
                        json!({ "features": ["x1", "x2"], "kernel": "rbf", "gamma": 2, "bins": { "count": 6, "scheme": "equal_mass_rank", "closed": "right" } }),
                    ),
                    ("lore group", json!({ "features": ["x1"], "kernel": "group" })),
                ] {
                    // the group kernel sees one coordinate only
                    if name != "lore group" {
                        list.push(json!({ "id": "lore", "name": name, "parameters": parameters }));
                    }
                }
                let near = json!({ "features": { "pca": 1, "of": ["x1", "x2"] }, "within": "site", "bins": 4 });
                list.push(json!({ "id": "lore", "name": "lore of a site", "parameters": near }));
                let near =
                    json!({ "features": ["x1", "x2"], "within": "site", "baseline": "none", "gamma": 0.4, "kappa": 1 });
                list.push(json!({ "id": "lore_ridge", "name": "lore_ridge of a site", "parameters": near }));
                list.push(json!({ "id": "ptsk", "name": "ptsk of components", "parameters": { "features": { "pca": 2, "of": ["x1", "x2"] } } }));
                list.push(json!({ "id": "platt", "name": "raw", "parameters": { "input": "raw_prob" } }));
                list.push(json!({ "id": "bbq", "name": "naeini", "parameters": { "variant": "naeini" } }));
                Value::Array(list)
            }
            other => other,
        };
        let file = |part: Part| match ends {
            true => at_the_ends(kind, &csv(kind, part)),
            false => csv(kind, part),
        };
        let whole = open(&file(Part::Whole), json!({ "view": view }));
        let run = whole.run(json!({ "methods": methods, "resamples": 0 }));
        let found = run.outcome();
        let calibrator = whole.export(Call::ExportCalibrator { suppress: None }, &run);
        // What leaves the run: of `mir`, rows divided by their sums.
        let left = columns(&whole.export(Call::ExportPredictions { identifiers: None }, &run));
        let stem = format!("{kind:?}_{ends}_{ending}");
        std::fs::write(scratch(&format!("{stem}.json")), &calibrator).expect("written");
        let original = &found.rows[0];
        let mut given = inputs(kind, &file(Part::Scored));
        given["s"] = json!(original.score.to_vec());
        std::fs::write(scratch(&format!("{stem}_inputs.json")), given.to_string()).expect("written");
        let mut written = Vec::new();
        for rows in found.rows.iter().filter(|rows| rows.method.name != "none") {
            let name = &rows.method.name;
            let text = whole.export(Call::ExportSnippet { method: Some(name.clone()), language }, &run);
            assert!(text.lines().all(|line| line.len() <= 160), "{text}");
            let signature = text.lines().find(|line| line.contains("calibrate(calibrator, ")).expect("a function");
            let arguments =
                signature.split_once("calibrator, ").and_then(|(_, rest)| rest.split_once(')')).expect("arguments").0;
            // one method looks at the first coordinate, another at the second, around one that looks at the first
            let own = |argument: &str| match (name.as_str(), argument) {
                ("temperature+density_ratio", "x") | ("lore+proximity_stratified", "x_base") => "first".to_owned(),
                ("lore of a site" | "lore_ridge of a site", "x") => "cut".to_owned(),
                ("slice_intercept", "g") => "sliced".to_owned(),
                ("lore+proximity_stratified", "x") => "second".to_owned(),
                _ => argument.to_owned(),
            };
            let made = arguments.starts_with('z') && kind != Kind::Logits;
            let call = arguments
                .split(", ")
                .map(own)
                .map(|argument| match language {
                    _ if made && argument == "z" => argument,
                    Language::Python => format!("np.array(given[\"{argument}\"])"),
                    Language::Javascript => format!("given[\"{argument}\"]"),
                })
                .collect::<Vec<_>>()
                .join(", ");
            let held = if kind == Kind::Probabilities { "P" } else { "p" };
            let before = match (made, language) {
                (false, _) => String::new(),
                (true, Language::Python) => {
                    format!("{held} = np.array(given[\"{held}\"])\n{}", made_logits(&text, kind))
                }
                (true, Language::Javascript) => format!("let z, {held} = given.{held};\n{}", made_logits(&text, kind)),
            };
            let harness = match language {
                Language::Python => format!(
                    "{text}\n\nimport json, sys\ncalibrator = json.load(open(sys.argv[1]))\ngiven = json.load(open(sys.argv[2]))\n{before}\n\
                     out = calibrate(calibrator, {call})\n\
                     print(json.dumps(np.where(np.isnan(out), None, out).tolist()))\n"
                ),
                Language::Javascript => format!(
                    "{text}\nconst {{ readFileSync }} = require('node:fs');\n\
                     const [calibrator, given] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));\n{before}\n\
                     console.log(JSON.stringify(calibrate(calibrator, {call})));\n"
                ),
            };
            let path = scratch(&format!(
                "{stem}_{}.{}",
                name.replace([' ', '"', '+'], "_"),
                if ending == "js" { "cjs" } else { ending }
            ));
            std::fs::write(&path, harness).expect("written");
            written.push((rows, path, arguments.contains('x')));
        }
        let paths: Vec<&Path> = written.iter().map(|(_, path, _)| path.as_path()).collect();
        let given_to = [scratch(&format!("{stem}.json")), scratch(&format!("{stem}_inputs.json"))];
        let answers = answers(&program, language, &paths, &given_to);
        for ((rows, _, of_coordinates), answer) in written.iter().zip(answers) {
            let name = &rows.method.name;
            assert_eq!(answer.len(), rows.score.len(), "{name}");
            let own = |column: &str| {
                let inner = column.strip_prefix('"').and_then(|c| c.strip_suffix('"'));
                let plain = inner.map_or(column.to_owned(), |c| c.replace("\"\"", "\""));
                plain == format!("p_{name}") || plain == format!("confidence_{name}")
            };
            let (_, here) = left.iter().find(|(column, _)| own(column)).expect("a column");
            let sets = &left.iter().find(|(column, _)| column == "set").expect("a column").1;
            let here: Vec<Option<f64>> = here
                .iter()
                .zip(sets)
                .filter(|(_, set)| *set == "evaluation")
                .map(|(cell, _)| cell.parse().ok())
                .collect();
            assert_eq!(answer.len(), here.len(), "{name}");
            let with = here.iter().filter(|here| here.is_some()).count();
            assert_eq!(with < here.len(), ends && *of_coordinates, "{name}: {with} of {}", here.len());
            for (i, (there, here)) in answer.iter().zip(&here).enumerate() {
                let there = match there {
                    Value::Array(row) => {
                        // the class whose probability is the score
                        let class = if view == "positive" {
                            1
                        } else {
                            let held = if kind == Kind::Logits { "z" } else { "P" };
                            let z = given[held][i].as_array().expect("a row");
                            (0..z.len()).fold(0, |best, k| if z[k].as_f64() > z[best].as_f64() { k } else { best })
                        };
                        row[class].as_f64()
                    }
                    number => number.as_f64(),
                };
                match (there, here) {
                    (Some(there), Some(here)) => {
                        assert!((there - here).abs() < 1e-9, "{kind:?} {name} row {i}: {there} there, {here} here");
                    }
                    (there, here) => assert_eq!(there, *here, "{kind:?} {name} row {i}"),
                }
            }
        }
    }
}

#[test]
fn python_gives_the_same_numbers() {
    agrees(Language::Python, false);
}

#[test]
fn python_gives_the_same_numbers_at_the_ends() {
    agrees(Language::Python, true);
}

#[test]
fn javascript_gives_the_same_numbers() {
    agrees(Language::Javascript, false);
}

#[test]
fn javascript_gives_the_same_numbers_at_the_ends() {
    agrees(Language::Javascript, true);
}

#[test]
fn what_is_not_written_is_said() {
    let whole = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let run = whole.run(json!({ "methods": ["none", "platt", "beta"], "resamples": 0 }));
    let told = |method: Option<&str>| {
        let call = Call::ExportSnippet { method: method.map(str::to_owned), language: Language::Python };
        let error = whole.try_export(call, &run).expect_err("an error");
        format!("{}: {error} {}", error.code(), error.hint())
    };
    assert_eq!(told(None), "unknown_method: The last run fitted 2 methods. Choose one of: platt, beta.");
    assert_eq!(
        told(Some("none")),
        "unknown_method: The last run did not fit a method named `none`. Choose one of: platt, beta."
    );
    let by_group = json!({ "features": ["x1"], "groups": 8, "base": { "of": ["temperature", "none"], "folds": 2 } });
    let by_group = json!({ "id": "best+proximity_stratified", "parameters": by_group });
    let chosen = whole.run(json!({ "methods": [by_group], "resamples": 0 }));
    let python = Call::ExportSnippet { method: None, language: Language::Python };
    let error = whole.try_export(python, &chosen).expect_err("an error");
    assert_eq!(
        format!("{}: {error} {}", error.code(), error.hint()),
        "invalid_option: `best+proximity_stratified with temperature in one group and none in another` is not available as code. Use the exported predictions, or apply the calibrator here."
    );
    let one = whole.run(json!({ "methods": ["platt"], "resamples": 0 }));
    let text = whole.export(Call::ExportSnippet { method: None, language: Language::Javascript }, &one);
    assert!(text.starts_with("// Applies \"platt\" of an exported calibrator to new rows.\n"));
    assert!(text.lines().count() <= 16, "{text}");
}
