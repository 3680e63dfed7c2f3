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
    // behind the coordinates what neighbors have in common
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

/// Every method that a file of the kind can be fitted with, in the forms that code is written for.
fn fitted(kind: Kind) -> Value {
    let mut list = methods(&json!(["x1", "x2"]));
    if kind == Kind::Confidence {
        let of_score = ["none", "temperature", "platt", "beta", "histogram"];
        list.retain(|method| {
            method.as_str().is_some_and(|id| of_score.contains(&id)) || !method["parameters"]["groups"].is_null()
        });
    }
    if kind != Kind::Logits {
        list.extend(forms());
    }
    if kind == Kind::Binary {
        let component = json!({ "pca": 1, "of": ["x1", "x2"] });
        let bins = json!({ "count": 6, "scheme": "equal_mass_rank", "closed": "right" });
        let named = [
            ("lore", "lore \"near\"", json!({ "features": component, "kernel": "gaussian", "gamma": 0.4 })),
            ("lore", "lore rbf", json!({ "features": ["x1", "x2"], "kernel": "rbf", "gamma": 2, "bins": bins })),
            ("lore", "lore of a site", json!({ "features": component, "within": "site", "bins": 4 })),
            (
                "lore_ridge",
                "lore_ridge of a site",
                json!({ "features": ["x1", "x2"], "within": "site", "baseline": "none", "gamma": 0.4, "kappa": 1 }),
            ),
            ("ptsk", "ptsk of components", json!({ "features": { "pca": 2, "of": ["x1", "x2"] } })),
            ("platt", "raw", json!({ "input": "raw_prob" })),
            ("bbq", "naeini", json!({ "variant": "naeini" })),
        ];
        list.extend(named.map(|(id, name, parameters)| json!({ "id": id, "name": name, "parameters": parameters })));
    }
    Value::Array(list)
}

/// What `inputs` calls the scores of a kind where logits are made of them.
fn held(kind: Kind) -> &'static str {
    match kind {
        Kind::Logits => "z",
        Kind::Probabilities => "P",
        Kind::Binary | Kind::Confidence => "p",
    }
}

/// A script that reads the calibrator and the inputs, and prints what the function of `text` answers.
fn script(text: &str, arguments: &str, name: &str, language: Language, kind: Kind) -> String {
    // one method looks at the first coordinate, another at the second, around one that looks at the first
    let own = |argument: &str| match (name, argument) {
        ("temperature+density_ratio", "x") | ("lore+proximity_stratified", "x_base") => "first".to_owned(),
        ("lore of a site" | "lore_ridge of a site", "x") => "cut".to_owned(),
        ("slice_intercept", "g") => "sliced".to_owned(),
        ("lore+proximity_stratified", "x") => "second".to_owned(),
        _ => argument.to_owned(),
    };
    let made = arguments.starts_with('z') && kind != Kind::Logits;
    let call: Vec<String> = arguments
        .split(", ")
        .map(own)
        .map(|argument| match language {
            _ if made && argument == "z" => argument,
            Language::Python => format!("np.array(given[\"{argument}\"])"),
            Language::Javascript => format!("given[\"{argument}\"]"),
        })
        .collect();
    let (call, held) = (call.join(", "), held(kind));
    let logits = if made { made_logits(text, kind) } else { String::new() };
    match language {
        Language::Python => {
            let scores = if made { format!("{held} = np.array(given[\"{held}\"])\n{logits}") } else { logits };
            format!(
                "{text}\n\nimport json, sys\n\
                 calibrator = json.load(open(sys.argv[1]))\ngiven = json.load(open(sys.argv[2]))\n{scores}\n\
                 out = calibrate(calibrator, {call})\n\
                 print(json.dumps(np.where(np.isnan(out), None, out).tolist()))\n"
            )
        }
        Language::Javascript => {
            let scores = if made { format!("let z, {held} = given.{held};\n{logits}") } else { logits };
            format!(
                "{text}\nconst {{ readFileSync }} = require('node:fs');\n\
                 const [calibrator, given] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')));\n\
                 {scores}\nconsole.log(JSON.stringify(calibrate(calibrator, {call})));\n"
            )
        }
    }
}

/// Scores after recalibration of the evaluation rows in exported predictions, by the name of the method.
fn exported(left: &[(String, Vec<String>)], name: &str) -> Vec<Option<f64>> {
    let own = |column: &str| {
        let inner = column.strip_prefix('"').and_then(|c| c.strip_suffix('"'));
        let plain = inner.map_or(column.to_owned(), |c| c.replace("\"\"", "\""));
        plain == format!("p_{name}") || plain == format!("confidence_{name}")
    };
    let (_, scores) = left.iter().find(|(column, _)| own(column)).expect("a column");
    let (_, sets) = left.iter().find(|(column, _)| column == "set").expect("a column");
    scores.iter().zip(sets).filter(|(_, set)| *set == "evaluation").map(|(cell, _)| cell.parse().ok()).collect()
}

/// The score of the view in what a script printed for a row: of several classes, that of the event or of the class with the
/// largest score before.
fn score(answer: &Value, before: &Value, view: &str) -> Option<f64> {
    let Value::Array(classes) = answer else { return answer.as_f64() };
    if view == "positive" {
        return classes[1].as_f64();
    }
    let z = before.as_array().expect("a row");
    let class = (0..z.len()).fold(0, |best, k| if z[k].as_f64() > z[best].as_f64() { k } else { best });
    classes[class].as_f64()
}

/// Runs every snippet of every method over the exported JSON; the scores of the view agree with the core to 1e-9, and there is
/// none where the core has none.
fn agrees(language: Language, ends: bool) {
    let program = match language {
        Language::Python => program(&["python3", "python"], "import numpy"),
        Language::Javascript => program(&["node"], "0"),
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
        kind_agrees(&program, language, ends, kind, view);
    }
}

fn kind_agrees(program: &str, language: Language, ends: bool, kind: Kind, view: &str) {
    let file = |part: Part| match ends {
        true => at_the_ends(kind, &csv(kind, part)),
        false => csv(kind, part),
    };
    let whole = open(&file(Part::Whole), json!({ "view": view }));
    let run = whole.run(json!({ "methods": fitted(kind), "resamples": 0 }));
    let found = run.outcome();
    let mut given = inputs(kind, &file(Part::Scored));
    given["s"] = json!(found.rows[0].score.to_vec());
    let ending = if language == Language::Python { "py" } else { "cjs" };
    let stem = format!("{kind:?}_{ends}_{ending}");
    let given_to = [scratch(&format!("{stem}.json")), scratch(&format!("{stem}_inputs.json"))];
    std::fs::write(&given_to[0], whole.export(Call::ExportCalibrator { suppress: None }, &run)).expect("written");
    std::fs::write(&given_to[1], given.to_string()).expect("written");
    let (mut paths, mut expected) = (Vec::new(), Vec::new());
    for rows in found.rows.iter().filter(|rows| rows.method.name != "none") {
        let name = &rows.method.name;
        let text = whole.export(Call::ExportSnippet { method: Some(name.clone()), language }, &run);
        assert!(text.lines().all(|line| line.len() <= 160), "{text}");
        let signature = text.lines().find_map(|line| line.split_once("calibrate(calibrator, ")).expect("a function").1;
        let arguments = signature.split_once(')').expect("arguments").0;
        let path = scratch(&format!("{stem}_{}.{ending}", name.replace([' ', '"', '+'], "_")));
        std::fs::write(&path, script(&text, arguments, name, language, kind)).expect("written");
        paths.push(path);
        expected.push((name, arguments.contains('x')));
    }
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    // what leaves the run: of `mir`, rows divided by their sums
    let left = columns(&whole.export(Call::ExportPredictions { identifiers: None }, &run));
    for ((name, of_coordinates), answer) in expected.into_iter().zip(answers(program, language, &paths, &given_to)) {
        let here = exported(&left, name);
        assert_eq!(answer.len(), here.len(), "{name}");
        let with = here.iter().filter(|here| here.is_some()).count();
        assert_eq!(with < here.len(), ends && of_coordinates, "{name}: {with} of {}", here.len());
        for (i, (there, here)) in answer.iter().zip(&here).enumerate() {
            match (score(there, &given[held(kind)][i], view), here) {
                (Some(there), Some(here)) => {
                    assert!((there - here).abs() < 1e-9, "{kind:?} {name} row {i}: {there} there, {here} here");
                }
                (there, here) => assert_eq!(there, *here, "{kind:?} {name} row {i}"),
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
