//! What leaves with small counts withheld: nothing that is a function of few rows alone, in any document of any analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use localcal::job::{Call, Outcome};
use localcal::words::number::{fixed, percent, points_size, significant};
use serde_json::{Value, json};

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, asked, carried_out, open, text as text_of};

const LEAST: u64 = 10;
/// Rows of the smallest and the largest group of few.
const TINY: std::ops::RangeInclusive<usize> = 1..=9;

/// A row of a group of few: which group, its score and its outcome.
struct Few {
    group: usize,
    score: f64,
    observed: bool,
}

/// Three wards of 130 rows, and nine of 1 to 9 rows whose scores occur nowhere else; in the control the latter are rows of
/// the first ward.
fn file(control: bool) -> (String, Vec<Few>) {
    let mut uniform = uniform(77);
    let mut text = "pid,risk,ward,sex,x1,x2,day,label\n".to_owned();
    let mut few = Vec::new();
    let mut row = |text: &mut String, id: String, risk: f64, ward: &str, observed: bool, i: usize| {
        let (x1, x2) = (uniform(), uniform());
        let (sex, month, day) = (["f", "m"][i % 2], 1 + i % 12, 1 + i % 28);
        let _ = writeln!(
            text,
            "{id},{risk:.5},{ward},{sex},{x1:.3},{x2:.3},2024-{month:02}-{day:02},{}",
            u8::from(observed)
        );
    };
    for group in TINY {
        for j in 0..group {
            let score = 0.1137 + 0.0717 * group as f64 + 0.0131 * j as f64;
            let observed = (group + j) % 3 != 0;
            let ward = if control { "alpha".to_owned() } else { format!("TINY{group}") };
            row(&mut text, format!("CANARY{group}x{j}"), score, &ward, observed, group + j);
            few.push(Few { group, score, observed });
        }
    }
    let mut draws = crate::support::draws::uniform(78);
    for i in 0..390 {
        let risk = 0.05 + 0.9 * draws();
        let observed = draws() < 0.15 + 0.6 * risk;
        row(&mut text, format!("P{i:04}"), risk, ["alpha", "beta", "gamma"][i % 3], observed, i);
    }
    (text, few)
}

fn opened(control: bool) -> (Opened, Ran, Vec<Few>) {
    let (text, few) = file(control);
    let roles = json!({ "pid": "id", "ward": "group", "sex": "group", "x1": "feature", "x2": "feature" });
    let data = open(&text, json!({ "roles": roles }));
    let ran = data.run(json!({
        "methods": ["none", "platt", "isotonic", { "id": "group_intercept", "parameters": { "groups": "ward" } }],
        "metrics": ["nll", "brier", "ece", "mce", "accuracy", "auroc", "group_mce_max", "group_ece_max", "mlce"],
        "groups": ["ward"], "resamples": 20, "local": { "features": ["x1", "x2"], "gamma": 0.5 },
    }));
    (data, ran, few)
}

/// Numbers of every group of few, as texts that people read: means, shares, gaps, errors and losses.
fn numbers(few: &[Few]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for group in TINY {
        let rows: Vec<&Few> = few.iter().filter(|row| row.group == group).collect();
        let n = rows.len() as f64;
        let mean = |of: &dyn Fn(&Few) -> f64| rows.iter().map(|row| of(row)).sum::<f64>() / n;
        let outcome = |row: &Few| f64::from(u8::from(row.observed));
        let score = mean(&|row| row.score);
        let gap = mean(&|row| row.score - outcome(row));
        let largest = rows.iter().map(|row| (row.score - outcome(row)).abs()).fold(0.0, f64::max);
        let brier = mean(&|row| (row.score - outcome(row)).powi(2));
        let nll = mean(&|row| -(if row.observed { row.score } else { 1.0 - row.score }).ln());
        found.extend([percent(score), points_size(gap), significant(gap.abs()), significant(largest)]);
        found.extend([significant(brier), significant(nll), fixed(100.0 * gap.abs(), 1)]);
        // the first digits, where all are written, as in JSON
        found.extend([score, gap.abs(), brier, nll].map(|number| format!("{number:.12}")[..FIRST].to_owned()));
    }
    found
}

/// The text without what writers put between digits, so that one canary is found in every format; of HTML without tags, whose
/// attributes place marks on charts.
fn plainly(text: &str, format: &str) -> String {
    let tags = ["html", "tables"].contains(&format);
    let each = text.split('<').enumerate().map(|(place, part)| match (place, part.split_once('>')) {
        (1.., Some((_, after))) if tags => after,
        _ => part,
    });
    let text = each.collect::<Vec<_>>().join(if tags { " " } else { "<" });
    text.replace("\\%", "%").replace("&nbsp;", "\u{a0}").replace("\\,", "\u{a0}").replace('~', "\u{a0}")
}

/// Letters of a number that is the beginning of one with more digits: more than people read.
const FIRST: usize = 10;

/// Whether the canary occurs as a number of its own.
fn tells(text: &str, canary: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit() || c == '.');
    text.match_indices(canary).any(|(place, _)| {
        let (before, after) = (text[..place].chars().next_back(), text[place + canary.len()..].chars().next());
        !digit(before) && (canary.len() == FIRST || !after.is_some_and(|c| c.is_ascii_digit()))
    })
}

/// What each kind cannot be asked without, and what keeps it short.
fn options(kind: &str) -> Value {
    match kind {
        "region" | "region_rows" => json!({ "rows": (0..60).collect::<Vec<u32>>() }),
        "neighbourhoods" => json!({ "bin": "all", "gamma": 0.2 }),
        "groups" => json!({ "columns": ["ward"] }),
        "multiples" => json!({ "by": "group", "columns": ["ward"] }),
        "compare" | "inference" | "klce" => json!({ "resamples": 20 }),
        "correlation" => json!({ "repeats": 3 }),
        "bench" => json!({ "simulations": 20, "effect": "group", "column": "ward", "value": "TINY5", "size": 0.3 }),
        "proximity_sweep" => json!({ "neighbours": [5, 10] }),
        _ => json!({}),
    }
}

fn document(data: &Opened, ran: &Ran, kind: &str, format: &str, suppress: Option<u64>) -> Option<String> {
    let mut asked = json!({ "format": format, "suppress": suppress });
    if kind == "document" {
        // the parts of its own, the finding among them
    } else {
        asked["extra"] = json!([{ kind: options(kind) }]);
        asked["sections"] = json!(["panels"]);
        asked["without_finding"] = json!("Another question.");
    }
    data.try_analyse(ran, json!({ "document": asked })).ok().map(|found| plainly(&text_of(found), format))
}

#[test]
fn no_document_tells_anything_of_few_rows() {
    let (data, ran, few) = opened(false);
    let (other, other_ran, _) = opened(true);
    let mut canaries = numbers(&few);
    let mut looked_at = Vec::new();
    let mut documents = Vec::new();
    let mut open_documents = String::new();
    for described in localcal::analysis::descriptions() {
        let kind = described.kind;
        let Some(markdown) = document(&data, &ran, kind, "markdown", Some(LEAST)) else { continue };
        looked_at.push(kind);
        documents.push((kind, markdown));
        for format in ["html", "latex", "tables"] {
            documents.extend(document(&data, &ran, kind, format, Some(LEAST)).map(|text| (kind, text)));
        }
        // a number that occurs where the few rows are no group of their own is none of theirs alone
        for suppress in [None, Some(LEAST)] {
            let control = document(&other, &other_ran, kind, "html", suppress).unwrap_or_default();
            canaries.retain(|canary| !tells(&control, canary));
        }
        open_documents += &document(&data, &ran, kind, "markdown", None).unwrap_or_default();
    }
    assert!(looked_at.len() >= 12, "{looked_at:?}");
    // without the gate many of them are told, and names of groups, too
    let told = canaries.iter().filter(|canary| tells(&open_documents, canary)).count();
    assert!(canaries.len() >= 40 && told >= 10, "{told} of {}", canaries.len());
    assert!(open_documents.contains("TINY3"));
    for (kind, text) in &documents {
        assert!(!text.contains("TINY") && !text.contains("CANARY"), "{kind}: a name\n{text}");
        for canary in &canaries {
            assert!(!tells(text, canary), "{kind}: {canary}\n{text}");
        }
    }
    // what is about all rows, or enough of them, stays
    let of = |kind: &str| &documents.iter().find(|(one, _)| *one == kind).expect("a document").1;
    assert!(of("document").contains("Disclosure control: "), "{}", of("document"));
    assert!(of("groups").contains("beta") && of("groups").contains("withheld"), "{}", of("groups"));
    assert!(of("compare").contains("Platt") && of("libraries").contains("0.0"), "{}", of("compare"));
    assert!(of("proximity_sweep").contains("PIECE ranges from"), "{}", of("proximity_sweep"));
    assert!(of("witness").contains("effective neighbors"), "{}", of("witness"));
    assert!(of("bias_plot").contains("beta") && of("bias_plot").contains("withheld"), "{}", of("bias_plot"));
    assert!(of("correlation").contains("has the highest correlation with"), "{}", of("correlation"));
    // of a sweep means over all rows stay, of the maxima those of 20 effective neighbors or more
    let sweep = of("sweep");
    assert!(sweep.contains("mean LCE") && sweep.contains("20 effective neighbors or more"), "{sweep}");
    assert!(!sweep.contains("MLCE, pp") && sweep.contains("1 chart."), "{sweep}");
    assert!(of("neighbourhoods").contains("Mean of the rows nearest the center"), "{}", of("neighbourhoods"));
    assert!(of("region").contains("60 (") && of("region").contains("error elsewhere"), "{}", of("region"));
}

/// What is asked for by itself, as `data.analyse`, the panels of the page and the terminal ask for it.
fn answered(data: &Opened, ran: &Ran, call: Value) -> localcal::Result<String> {
    let outcome = carried_out(Call::written(call)?, &[&data.0, &ran.0])?;
    let (written, _) = localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&outcome));
    Ok(written.unwrap().to_string())
}

#[test]
fn no_answer_tells_anything_of_few_rows() {
    let (data, ran, few) = opened(false);
    let (other, other_ran, _) = opened(true);
    let mut canaries = numbers(&few);
    let (mut answers, mut open, mut refused) = (Vec::new(), String::new(), Vec::new());
    for described in localcal::analysis::descriptions() {
        let kind = described.kind;
        let withheld = json!({ "plan_withheld": { "request": { kind: options(kind) }, "suppress": LEAST } });
        match answered(&data, &ran, withheld.clone()) {
            Ok(answer) => answers.push((kind, answer)),
            Err(error) => refused.push((kind, error)),
        }
        let control = answered(&other, &other_ran, withheld).unwrap_or_default();
        canaries.retain(|canary| !tells(&control, canary));
        let plain = json!({ "plan_analysis": { "request": { kind: options(kind) } } });
        open += &answered(&data, &ran, plain).unwrap_or_default();
    }
    assert!(answers.len() >= 16, "{:?}", answers.iter().map(|(kind, _)| kind).collect::<Vec<_>>());
    let told = canaries.iter().filter(|canary| tells(&open, canary)).count();
    assert!(canaries.len() >= 40 && told >= 10 && open.contains("TINY3"), "{told} of {}", canaries.len());
    let refused: Vec<(&str, String)> = refused.into_iter().map(|(kind, error)| (kind, error.to_string())).collect();
    for (kind, text) in answers.iter().map(|(kind, text)| (kind, text)).chain(refused.iter().map(|(k, t)| (k, t))) {
        assert!(!text.contains("TINY") && !text.contains("CANARY"), "{kind}: a name\n{text}");
        for canary in &canaries {
            assert!(!tells(text, canary), "{kind}: {canary}\n{text}");
        }
    }
    // every block has its place, and what is of all rows stays
    for (kind, text) in &answers {
        assert!(text.contains("Disclosure control: "), "{kind}: {text}");
    }
    let of = |kind: &str| &answers.iter().find(|(one, _)| *one == kind).expect("an answer").1;
    assert!(of("groups").contains("beta") && of("groups").contains("withheld: it may concern"), "{}", of("groups"));
    assert!(of("compare").contains("Platt"), "{}", of("compare"));
    // the chart of the groups is drawn without those of few rows; of the finding what is of all rows stays
    assert!(of("groups").contains("groups withheld)"), "{}", of("groups"));
    assert!(of("finding").contains("AUROC") && of("finding").contains("Tested: every category"), "{}", of("finding"));
    for kind in ["region", "neighbourhoods", "sweep"] {
        assert!(answers.iter().any(|(one, _)| *one == kind), "{kind}");
    }
    // a list of rows, and a document, which withholds by itself, are refused
    for kind in ["region_rows", "document"] {
        assert!(refused.iter().any(|(one, _)| *one == kind), "{kind}");
    }
}

#[test]
fn no_answer_depends_on_how_few_rows_are_grouped() {
    // the same groups of the same sizes, of other rows each
    let (text, few) = file(false);
    let rows: usize = TINY.sum();
    assert_eq!(few.len(), rows);
    let ward = |line: &str| line.split(',').nth(2).unwrap_or_default().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    let mut other = text.clone();
    for (i, line) in lines.iter().enumerate().skip(1).take(rows) {
        let moved = line.replace(&ward(line), &format!("_{}", ward(lines[1 + (i + 16) % rows])));
        other = other.replace(line, &moved);
    }
    let other = other.replace("_TINY", "TINY");
    assert_ne!(text, other);
    let answers = |text: &str| {
        let roles = json!({ "pid": "id", "ward": "group", "sex": "group", "x1": "feature", "x2": "feature" });
        let data = open(text, json!({ "roles": roles }));
        let ran = data.run(json!({ "methods": ["none", "platt"], "groups": ["ward"], "resamples": 20,
            "local": { "features": ["x1", "x2"], "gamma": 0.5 } }));
        // a scan compares all rows with the largest value of all subgroups
        let kinds = localcal::analysis::descriptions().into_iter().map(|described| described.kind);
        let told = kinds.filter(|kind| !["finding", "document"].contains(kind)).map(|kind| {
            let request = match kind {
                "sites" => json!({ "column": "ward" }),
                kind => options(kind),
            };
            let withheld = json!({ "plan_withheld": { "request": { kind: request }, "suppress": LEAST } });
            (kind, answered(&data, &ran, withheld).unwrap_or_else(|error| error.to_string()))
        });
        told.collect::<Vec<_>>()
    };
    for ((kind, one), (_, other)) in answers(&text).iter().zip(&answers(&other)) {
        assert_eq!(one, other, "{kind}");
    }
}

#[test]
fn no_bin_of_a_group_is_told() {
    let (data, ran, _) = opened(false);
    let request = |metric: &str| json!({ "groups": { "columns": ["ward"], "metric": metric } });
    for (metric, place) in [("mce", 1), ("accuracy", 4)] {
        let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request(metric) } })).unwrap();
        let found: Value = serde_json::from_str(&open).unwrap();
        let large: Vec<usize> = (found["groups"].as_array().unwrap().iter().enumerate())
            .filter_map(|(k, group)| (group["n"].as_u64() >= Some(100)).then_some(k))
            .collect();
        assert_eq!(large.len(), 3, "{open}");
        let values =
            found["methods"].as_array().unwrap().iter().flat_map(|method| {
                large.iter().map(|k| method["values"][*k][place].as_f64().unwrap()).collect::<Vec<_>>()
            });
        let values: Vec<String> = values.flat_map(|value| [significant(value), value.to_string()]).collect();
        let withheld = json!({ "plan_withheld": { "request": request(metric), "suppress": LEAST } });
        let mut texts = vec![answered(&data, &ran, withheld).unwrap()];
        for format in ["markdown", "html", "latex", "tables"] {
            let asked = json!({ "format": format, "suppress": LEAST, "extra": [request(metric)], "sections": ["panels"],
                "without_finding": "Another question." });
            texts.push(plainly(&text_of(data.try_analyse(&ran, json!({ "document": asked })).unwrap()), format));
        }
        let told = values.iter().filter(|value| tells(&open, value)).count();
        assert!(told >= 12, "{told} of {values:?}");
        for text in &texts {
            assert!(text.contains("beta") && !text.contains("MCE by"), "{text}");
            for value in values.iter().filter(|value| value.len() >= 5) {
                assert!(!tells(text, value), "{metric} {value}: {text}");
            }
        }
    }
}

#[test]
fn a_region_is_told_with_enough_rows_inside_and_outside() {
    let (data, ran, _) = opened(false);
    let sheet = |region: Value, suppress: u64| -> Value {
        let withheld = json!({ "plan_withheld": { "request": { "region": region }, "suppress": suppress } });
        serde_json::from_str(&answered(&data, &ran, withheld).unwrap()).unwrap()
    };
    let rows = |rows: std::ops::Range<u32>| json!({ "rows": rows.collect::<Vec<u32>>() });
    // all of it; then, of nine rows or of all but nine, nothing: the sentences, the facts and the table
    let shown = sheet(rows(45..345), LEAST);
    assert!(shown["sheet"]["blocks"][2]["facts"].as_array().is_some_and(|facts| facts.len() == 5), "{shown}");
    for few in [36..45, 0..426] {
        let withheld = sheet(rows(few), LEAST);
        assert!(withheld["disclosure"]["sentences"].as_u64() >= Some(2), "{withheld}");
        assert_eq!(withheld["sheet"]["blocks"][2]["facts"], json!([]), "{withheld}");
        assert!(!withheld.to_string().contains("percentage points"), "{withheld}");
    }
    // the ward TINY9 is named by no region of enough rows that holds one row in six of it
    let shown = sheet(rows(36..100), LEAST);
    assert!(!shown.to_string().contains("TINY") && shown.to_string().contains("error (95% CI)"), "{shown}");
}

#[test]
fn neighborhoods_and_sweeps_are_withheld_by_their_effective_rows() {
    let (data, ran, _) = opened(false);
    let sheet = |kind: &str, suppress: u64| -> Value {
        let withheld = json!({ "plan_withheld": { "request": { kind: options(kind) }, "suppress": suppress } });
        serde_json::from_str(&answered(&data, &ran, withheld).unwrap()).unwrap()
    };
    let drawn = |found: &Value| -> Vec<bool> {
        let blocks = found["sheet"]["blocks"].as_array().unwrap().iter();
        let figures = blocks.filter_map(|block| block["figures"].as_array()).flatten();
        figures.map(|figure| figure["panels"].as_array().is_some_and(|panels| !panels.is_empty())).collect()
    };
    // largest of any row, mean, largest of rows with 20 effective neighbors
    assert_eq!(drawn(&sheet("sweep", 10)), [false, true, true]);
    assert_eq!(drawn(&sheet("sweep", 21)), [false, true, false]);
    // rows nearest the center, those of them with the outcome, and effective neighbors
    let lines = |found: &Value| -> Vec<[f64; 3]> {
        let blocks = found["sheet"]["blocks"].as_array().unwrap().iter();
        let lines = blocks.filter_map(|block| block["table"]["rows"].as_array()).flatten();
        lines.map(|line| [4, 5, 6].map(|place: usize| line[place]["number"].as_f64().unwrap())).collect()
    };
    let all = lines(&sheet("neighbourhoods", 3)).len();
    assert!(all > 0);
    for suppress in [10, 20, 40, 150] {
        let shown = lines(&sheet("neighbourhoods", suppress));
        assert!(shown.len() <= all && (suppress < 150 || shown.is_empty()), "{suppress}: {shown:?}");
        for [rows, events, effective] in shown {
            assert!(effective >= suppress as f64, "{suppress}: {effective} neighbors");
            let counts = [rows, events, rows - events];
            assert!(counts.iter().all(|count| *count == 0.0 || *count >= suppress as f64), "{suppress}: {counts:?}");
        }
    }
    let request = json!({ "neighbourhoods": options("neighbourhoods") });
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    let open: Value = serde_json::from_str(&open).unwrap();
    let found = sheet("neighbourhoods", 10).to_string();
    for place in open["found"].as_array().unwrap() {
        let center = place["row"].as_str().unwrap();
        assert!(!found.contains(&format!("\"{center}\"")), "{center}: {found}");
        // nor where it is, in any sentence
        let headline = place["headline"].as_str().unwrap();
        assert!(!found.contains(headline), "{headline}: {found}");
    }
}

/// The same rows under a second model, which pulls every score toward a half.
fn second(control: bool) -> Opened {
    let pulled = |line: &str| -> String {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if let Ok(risk) = cells[1].parse::<f64>() {
            cells[1] = format!("{:.5}", 0.5 + 0.7 * (risk - 0.5));
        }
        cells.join(",") + "\n"
    };
    let text: String = file(control).0.lines().map(pulled).collect();
    let roles = json!({ "pid": "id", "ward": "group", "sex": "group", "x1": "feature", "x2": "feature" });
    open(&text, json!({ "roles": roles }))
}

#[test]
fn models_by_group_tell_of_enough_rows_alone() {
    let asked = |control: bool, call: Value| {
        let (data, ran, _) = opened(control);
        let found = carried_out(Call::written(call).unwrap(), &[&data.0, &ran.0, &second(control).0]).unwrap();
        let (written, _) = localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&found));
        written.unwrap().to_string()
    };
    let mut canaries = numbers(&opened(false).2);
    for groups in [json!(["ward"]), json!(["ward", "sex"])] {
        let request = json!({ "models": { "names": ["one", "two"], "groups": groups, "resamples": 20 } });
        let withheld = json!({ "plan_withheld": { "request": request, "suppress": LEAST } });
        let (open, control) =
            (asked(false, json!({ "plan_analysis": { "request": request } })), asked(true, withheld.clone()));
        assert!(open.contains("TINY3") && open.contains("ward = alpha"), "{open}");
        canaries.retain(|canary| !tells(&control, canary));
        assert!(canaries.iter().filter(|canary| tells(&open, canary)).count() >= 10, "{open}");
        let found = asked(false, withheld);
        assert!(!found.contains("TINY") && !found.contains("CANARY"), "{found}");
        for canary in &canaries {
            assert!(!tells(&found, canary), "{canary}: {found}");
        }
        // the table by group stays, without the groups of few rows and, of two columns, without the second
        assert!(found.contains("ward = beta") && found.contains("lines withheld"), "{found}");
        assert!(!found.contains("sex = f"), "{found}");
    }
}

#[test]
fn rows_that_a_second_model_lacks_cannot_be_subtracted() {
    let found = |lacking: usize| {
        let mut draws = uniform(96);
        let mut text = "p_a,p_b,ward,label\n".to_owned();
        for row in 0..600 {
            let risk = 0.05 + 0.9 * draws();
            let second = if row < lacking { String::new() } else { format!("{:.5}", 0.15 + 0.7 * risk) };
            let ward = ["alpha", "beta", "gamma"][row % 3];
            let _ = writeln!(text, "{risk:.5},{second},{ward},{}", u8::from(draws() < risk));
        }
        let roles = json!({ "ward": "group" });
        let opened = |model: &str| open(&text, json!({ "roles": roles, "rows": "drop", "model": model }));
        let (data, other) = (opened("p_a"), opened("p_b"));
        let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
        let request = json!({ "models": { "names": ["one", "two"], "groups": ["ward"], "resamples": 20 } });
        let call = json!({ "plan_withheld": { "request": request, "suppress": LEAST } });
        let outcome = carried_out(Call::written(call).unwrap(), &[&data.0, &ran.0, &other.0]).unwrap();
        let (written, _) = localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&outcome));
        written.unwrap().to_string()
    };
    let lines = |answer: &str| lines_of(answer, "All models on the same").len();
    let (all, few, some) = (found(0), found(3), found(30));
    assert!(lines(&all) > 0 && all.contains("ward = beta"), "{all}");
    assert!(lines(&few) == 0 && !few.contains("ward = beta") && !few.contains("same 597 rows"), "{few}");
    // 30 rows are enough, but those of one ward may be few
    assert!(lines(&some) == lines(&all) && !some.contains("ward = beta"), "{some}");
}

#[test]
fn no_table_tells_anything_of_few_rows() {
    let (data, ran, few) = opened(false);
    let table = |format: &str, suppress: Option<u64>| {
        let call = json!({ "export_table": { "format": format, "every": true, "suppress": suppress } });
        data.export(Call::written(call).unwrap(), &ran)
    };
    let worst = ran.value("none", "group_mce_max").to_string();
    assert!(tells(&table("csv", None), &worst));
    for format in ["csv", "markdown", "latex"] {
        let text = table(format, Some(LEAST));
        assert_ne!(text, table(format, None), "{format}");
        for canary in numbers(&few).iter().chain([&worst]).filter(|canary| canary.len() >= FIRST) {
            assert!(!tells(&text, canary), "{format} {canary}: {text}");
        }
        // the Brier score is of all rows
        let brier = ran.value("none", "brier").to_string();
        assert!(tells(&text, if format == "csv" { &brier } else { "Brier" }), "{format}: {text}");
    }
    let most =
        data.try_export(Call::written(json!({ "export_table": { "suppress": 1000 } })).unwrap(), &ran).unwrap_err();
    assert_eq!(most.code(), "too_few_rows");
}

#[test]
fn no_experiment_tells_anything_of_few_rows() {
    let (data, ..) = opened(false);
    let spec = json!({
        "methods": ["none", "platt"], "metrics": ["brier", "mce", "accuracy", "group_mce_max"], "groups": ["ward"],
        "divisions": { "seeds": 3 },
    });
    let begun = data.try_experiment(spec, &Default::default()).unwrap();
    let nothing: [&Outcome; 0] = [];
    let written = |call: &str, format: Option<&str>, suppress: Option<u64>| {
        let mut fields = json!({ "spec": begun.spec, "cells": begun.cells, "suppress": suppress });
        if let Some(format) = format {
            fields["format"] = format.into();
        }
        match asked(Call::written(json!({ call: fields })).unwrap(), nothing.as_slice()).unwrap() {
            Outcome::Bytes(file) => String::from_utf8(file.bytes.to_vec()).unwrap(),
            found => {
                localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&found)).0.unwrap().to_string()
            }
        }
    };
    let worst: Vec<String> = begun
        .cells
        .iter()
        .filter(|cell| cell.metric != "brier")
        .filter_map(|cell| cell.value)
        .map(|v| v.to_string())
        .collect();
    assert!(worst.len() >= 12 && tells(&written("export_experiment", Some("cells_csv"), None), &worst[0]));
    let formats = ["json", "markdown", "latex", "csv", "cells_csv"].map(Some);
    for (call, format) in
        formats.into_iter().map(|format| ("export_experiment", format)).chain([("conclude_experiment", None)])
    {
        let text = written(call, format, Some(LEAST));
        assert!(text.to_lowercase().contains("brier"), "{format:?}: {text}");
        assert!(!text.contains("mce") && !text.contains("MCE"), "{format:?}: {text}");
        assert!(worst.iter().all(|value| !tells(&text, value)), "{format:?}: {text}");
    }
}

#[test]
fn no_chart_tells_anything_of_few_rows() {
    let (data, ..) = opened(false);
    let local = json!({ "features": ["x1", "x2"], "gamma": 0.5 });
    let ran = data.run(json!({ "methods": ["none", "platt"], "bins": 6, "resamples": 0, "local": local }));
    let view = |request: Value| -> localcal::Result<Value> {
        let call = Call::written(json!({ "view": { "request": request } }))?;
        let found = asked(call, &[&data.0, &ran.0])?;
        Ok(localcal::table::column::with_columns_out(|| localcal::job::reply::reply(&found)).0.unwrap())
    };
    for method in [Value::Null, "platt".into()] {
        let drawn = |suppress: Option<u64>| {
            view(json!({ "chart": "reliability", "method": method, "suppress": suppress })).unwrap()["figure"].clone()
        };
        let counts = |figure: &Value| -> Vec<u64> {
            let table = &figure["table"];
            let columns = table["columns"].as_array().unwrap();
            let rows = columns.iter().position(|column| column["title"].as_str().unwrap().contains("rows"));
            let lines = table["rows"].as_array().unwrap().iter();
            lines.filter_map(|line| line[rows?].as_str()?.replace(',', "").parse().ok()).collect()
        };
        // some of the bins have fewer with the outcome; none is left of few rows
        let (open, shown) = (counts(&drawn(None)), counts(&drawn(Some(30))));
        assert!(!shown.is_empty() && shown.len() < open.len(), "{shown:?} of {open:?}");
        assert!(shown.iter().all(|n| open.contains(n)), "{shown:?} of {open:?}");
        assert!(counts(&drawn(Some(150))).is_empty());
        let shown = drawn(Some(30));
        assert!(shown["caption"].as_str().unwrap().contains("withheld"));
    }
    for chart in ["map", "cdf"] {
        let refused = view(json!({ "chart": chart, "suppress": LEAST })).unwrap_err();
        assert_eq!(refused.code(), "too_few_rows");
        assert!(refused.to_string().contains("The map shows a value for every row"), "{refused}");
        assert!(view(json!({ "chart": chart })).is_ok());
    }
}

#[test]
fn no_export_tells_anything_of_few_rows() {
    let (data, ran, few) = opened(false);
    let json = |call: Call| -> Value { serde_json::from_str(&data.export(call, &ran)).unwrap() };
    let open_report = json(Call::ExportReport { suppress: None });
    let shift = open_report["methods"][3]["parameters"].to_string();
    assert!(shift.contains("TINY4"), "{shift}");
    let report = json(Call::ExportReport { suppress: Some(LEAST) });
    let written = report.to_string();
    assert!(!written.contains("TINY") && !written.contains("CANARY"), "{written}");
    for canary in numbers(&few).iter().filter(|canary| canary.len() == FIRST) {
        assert!(!tells(&written, canary), "{canary}: {written}");
    }
    assert!(report["disclosure"]["values"].as_u64() > Some(10), "{written}");
    for method in report["methods"].as_array().unwrap() {
        let of_all = ["none", "platt"].contains(&method["id"].as_str().unwrap());
        assert_eq!(method["parameters"].is_null(), !of_all, "{method}");
        for id in ["mce", "group_mce_max", "group_ece_max", "mlce"] {
            assert!(method["metrics"][id]["value"].is_null(), "{id}: {method}");
            assert_eq!(method["metrics"][id]["reason"], "suppressed");
            assert!(method["differences"][id].is_null());
        }
        assert!(method["metrics"]["brier"]["value"].is_number());
    }
    // calibrators and sessions keep what was fitted to all rows, or to enough of a group
    let open_stored = json(Call::ExportCalibrator { suppress: None });
    assert!(open_stored.to_string().contains("TINY4") && open_stored["left_out"].is_null());
    for stored in [
        json(Call::ExportCalibrator { suppress: Some(LEAST) }),
        json(Call::ExportSession { page: None, suppress: Some(LEAST), every_group: None })["calibrators"].clone(),
    ] {
        let written = stored.to_string();
        assert!(!written.contains("TINY") && written.contains("beta"), "{written}");
        let names: Vec<&str> =
            stored["methods"].as_array().unwrap().iter().filter_map(|method| method["name"].as_str()).collect();
        assert_eq!(names, ["platt", "group_intercept"]);
        // what is left can be applied
        data.applied(stored, Some("group_intercept")).unwrap();
    }
    let session = data.export(Call::ExportSession { page: None, suppress: Some(LEAST), every_group: None }, &ran);
    assert!(!session.contains("TINY") && session.contains("its parameters may be fitted to fewer than 10 rows"));
}

#[test]
fn a_calibrator_of_few_rows_is_refused_with_a_sentence() {
    let (data, ..) = opened(false);
    let ran = data.run(json!({ "methods": ["none", "isotonic"], "resamples": 0 }));
    let refused = data.try_export(Call::ExportCalibrator { suppress: Some(LEAST) }, &ran).unwrap_err();
    assert_eq!(refused.code(), "too_few_rows");
    assert!(refused.to_string().contains("may depend on fewer than 10 rows"), "{refused}");
    assert!(data.try_export(Call::ExportCalibrator { suppress: None }, &ran).is_ok());
    let refused =
        data.try_export(Call::ExportSession { page: None, suppress: Some(1000), every_group: None }, &ran).unwrap_err();
    assert_eq!(refused.code(), "too_few_rows");
}

/// Five wards and one of 7 rows, and 5 rows without a diagnosis. Scores are too low in the first ward and for the first diagnosis, which
/// stand first by excess; the fourth ward has the most rows. In the order of values the first of either is the one that
/// protects the few.
fn to_be_differenced(dx: &str) -> (Opened, Ran) {
    let mut draws = uniform(91);
    let mut text = "risk,ward,dx,label\n".to_owned();
    let sizes = [("S0", 260), ("S1", 230), ("S2", 240), ("S3", 400), ("S4", 250), ("TINY", 7)];
    let mut row = 0;
    for (ward, rows) in sizes {
        for _ in 0..rows {
            let risk = 0.05 + 0.9 * draws();
            let dx = if row % 280 == 0 { "" } else { ["A", "A", "B", "C"][row % 4] };
            let more = if ward == "S0" { 0.35 } else { 0.0 } + if dx == "A" { 0.2 } else { 0.0 };
            let observed = draws() < (risk + more).min(0.97);
            let _ = writeln!(text, "{risk:.5},{ward},{dx},{}", u8::from(observed));
            row += 1;
        }
    }
    let data = open(&text, json!({ "roles": { "ward": "group", "dx": dx } }));
    let ran = data.run(json!({
        "methods": ["none", { "id": "group_intercept", "parameters": { "groups": "ward" } }], "resamples": 0,
        "metrics": ["brier", "ece", "mean_gap"],
    }));
    (data, ran)
}

/// The lines of every table of an answer whose caption begins so.
fn table_lines(answer: &str, caption: &str) -> Vec<Value> {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let blocks = answer["blocks"].as_array().or(answer["sheet"]["blocks"].as_array()).expect("blocks").clone();
    let tables = blocks.into_iter().map(|block| block["table"].clone());
    let tables = tables.filter(|table| table["caption"].as_str().is_some_and(|text| text.starts_with(caption)));
    tables.flat_map(|table| table["rows"].as_array().cloned().unwrap_or_default()).collect()
}

/// First cells of these lines.
fn lines_of(answer: &str, caption: &str) -> BTreeSet<String> {
    let lines = table_lines(answer, caption);
    lines.into_iter().filter_map(|row| row[0]["text"].as_str().map(str::to_owned)).collect()
}

fn withheld(data: &Opened, ran: &Ran, request: Value) -> String {
    answered(data, ran, json!({ "plan_withheld": { "request": request, "suppress": LEAST } })).unwrap()
}

#[test]
fn every_table_of_a_column_withholds_the_same_lines() {
    let (data, ran) = to_be_differenced("group");
    let shown: BTreeSet<String> = ["S1", "S2", "S3", "S4"].map(str::to_owned).into();
    let groups = withheld(&data, &ran, json!({ "groups": { "columns": ["ward"] } }));
    assert_eq!(lines_of(&groups, "Calibration by ward"), shown, "{groups}");
    let sites = withheld(&data, &ran, json!({ "sites": { "column": "ward" } }));
    assert_eq!(lines_of(&sites, "Sites of ward"), shown, "{sites}");
    let export = |call: Call| -> Value { serde_json::from_str(&data.export(call, &ran)).unwrap() };
    let session = export(Call::ExportSession { page: None, suppress: Some(LEAST), every_group: None });
    let numbers = session["numbers"]["groups"].as_array().unwrap();
    let of_session = numbers.iter().filter(|group| group["column"] == "ward");
    let of_session: BTreeSet<String> = of_session.map(|group| group["value"].as_str().unwrap().to_owned()).collect();
    assert_eq!(of_session, shown, "{session}");
    let calibrator = export(Call::ExportCalibrator { suppress: Some(LEAST) }).to_string();
    assert!(!calibrator.contains("S0") && !calibrator.contains("TINY"), "{calibrator}");
    assert!(shown.iter().all(|ward| calibrator.contains(ward.as_str())), "{calibrator}");
    // nor is the ward named as a subgroup, in any sentence or table
    let (data, ran) = to_be_differenced("ignore");
    let document = |suppress: Option<u64>| document(&data, &ran, "document", "markdown", suppress).unwrap();
    assert!(document(None).contains("S0"), "{}", document(None));
    assert!(!document(Some(LEAST)).contains("S0"), "{}", document(Some(LEAST)));
    for text in [groups, sites, withheld(&data, &ran, json!({ "finding": {} }))] {
        assert!(!text.contains("S0") && !text.contains("TINY"), "{text}");
    }
}

/// Rows and those with the outcome of every group that the table of groups by some columns shows.
fn tallies(data: &Opened, ran: &Ran, columns: &[&str], suppress: bool) -> BTreeMap<String, [u64; 2]> {
    let request = json!({ "groups": { "columns": columns } });
    let answer = match suppress {
        true => withheld(data, ran, request),
        false => answered(data, ran, json!({ "plan_analysis": { "request": request } })).unwrap(),
    };
    let number = |text: &Value| text.as_str().and_then(|text| text.replace(',', "").parse().ok()).expect("a count");
    let line = |row: Value| {
        let name = row[0]["text"].as_str().expect("a name").to_owned();
        (name, [number(&row[1]["text"]), number(&row[3]["beneath"])])
    };
    table_lines(&answer, "Calibration by").into_iter().map(line).collect()
}

/// Wards by sex, most of 40 to 160 rows, some of 1 to 9, some of none; in some files a few rows without a ward or a
/// sex.
fn wards_by_sex(seed: u64) -> (Opened, Ran) {
    let mut draws = uniform(seed);
    let mut text = "risk,ward,sex,label\n".to_owned();
    for (ward, sex) in (0..8).flat_map(|ward| ["f", "m", "x", ""].map(|sex| (ward, sex))) {
        let rows = match (draws(), sex, ward) {
            (_, "", _) | (_, _, 7) => (seed % 2) as usize * (12.0 * draws()) as usize,
            (u, ..) if u < 0.12 => 1 + (9.0 * draws()) as usize,
            (u, ..) if u < 0.2 => 0,
            _ => 40 + (120.0 * draws()) as usize,
        };
        let ward = if ward == 7 { String::new() } else { format!("W{ward}") };
        for _ in 0..rows {
            let risk = 0.2 + 0.6 * draws();
            let _ = writeln!(text, "{risk:.5},{ward},{sex},{}", u8::from(draws() < risk));
        }
    }
    let data = open(&text, json!({ "roles": { "ward": "group", "sex": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0, "metrics": ["brier"] }));
    (data, ran)
}

#[test]
fn a_column_beside_its_combinations_cannot_be_subtracted() {
    let (mut without, mut protecting) = (0, 0);
    for seed in 1..=12 {
        let (data, ran) = wards_by_sex(seed);
        let by = |columns: &[&str]| tallies(&data, &ran, columns, true);
        let (both, swapped) = (by(&["ward", "sex"]), by(&["sex", "ward"]));
        let turned =
            |name: &str| name.split_once(", ").map(|(sex, ward)| format!("{ward}, {sex}")).expect("two values");
        assert_eq!(both, swapped.iter().map(|(name, tally)| (turned(name), *tally)).collect(), "{seed}");
        for (place, column) in ["ward", "sex"].into_iter().enumerate() {
            for (value, [rows, events]) in by(&[column]) {
                let of_value = both.iter().filter(|(name, _)| name.split(", ").nth(place) == Some(&*value));
                let (mut rest, mut cells) = ([rows, events], 0);
                for (_, tally) in of_value {
                    rest = [rest[0] - tally[0], rest[1] - tally[1]];
                    cells += 1;
                }
                for count in [rest[0], rest[1], rest[0] - rest[1]] {
                    assert!(
                        count == 0 || count >= LEAST,
                        "{seed}: {count} are left of {value} without {cells} of its groups"
                    );
                }
                without += usize::from(cells == 0);
            }
        }
        // some are withheld to protect others, and not all are
        let open = tallies(&data, &ran, &["ward", "sex"], false);
        let large = |[rows, events]: &[u64; 2]| [*rows, *events, rows - events].iter().all(|count| *count >= LEAST);
        protecting += open.iter().filter(|(name, tally)| large(tally) && !both.contains_key(*name)).count();
        assert!(both.values().all(large), "{seed}: {both:?}");
    }
    assert!(without > 0 && protecting > 0, "{without} {protecting}");
}

/// Scores are far too low for women in the second ward, where 4 rows have a third sex.
#[test]
fn a_subgroup_by_two_columns_is_withheld_with_their_combinations() {
    let mut draws = uniform(95);
    let mut text = "risk,ward,sex,label\n".to_owned();
    for (ward, sex, rows) in ["S0", "S1", "S2", "S3"].iter().flat_map(|ward| {
        [("f", 400), ("m", 400), ("x", if *ward == "S1" { 4 } else { 60 })].map(|(sex, rows)| (*ward, sex, rows))
    }) {
        for _ in 0..rows {
            let risk = 0.05 + 0.5 * draws();
            let more = if (ward, sex) == ("S1", "f") { 0.4 } else { 0.0 };
            let _ = writeln!(text, "{risk:.5},{ward},{sex},{}", u8::from(draws() < risk + more));
        }
    }
    let data = open(&text, json!({ "roles": { "ward": "group", "sex": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0, "metrics": ["brier"] }));
    let document = |suppress: Option<u64>| document(&data, &ran, "document", "markdown", suppress).unwrap();
    assert!(document(None).contains("S1"), "{}", document(None));
    assert!(!document(Some(LEAST)).contains("S1"), "{}", document(Some(LEAST)));
    assert!(tallies(&data, &ran, &["ward"], true).contains_key("S1"));
}

#[test]
fn a_sentence_names_no_group_whose_line_is_withheld() {
    let (data, ran) = to_be_differenced("group");
    let request = json!({ "groups": { "columns": ["dx"] } });
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    assert!(open.contains("for dx = A (n = "), "{open}");
    let found = withheld(&data, &ran, request);
    assert_eq!(lines_of(&found, "Calibration by dx"), ["B", "C"].map(str::to_owned).into(), "{found}");
    assert!(!found.contains("dx = A") && !found.contains("rows without a value"), "{found}");
}

#[test]
fn a_session_counts_the_rows_without_a_value() {
    let (data, ran) = to_be_differenced("group");
    for suppress in [None, Some(LEAST)] {
        let session: Value =
            serde_json::from_str(&data.export(Call::ExportSession { page: None, suppress, every_group: None }, &ran))
                .unwrap();
        let numbers = &session["numbers"];
        let known = numbers["groups"].as_array().unwrap().iter().filter(|group| group["column"] == "dx");
        let known: u64 = known.map(|group| group["rows"].as_u64().unwrap()).sum();
        // 5 rows have no diagnosis: one of the three goes, too
        let rest = numbers["overall"]["rows"].as_u64().unwrap() - known;
        assert!(known > 0 && rest >= 2 * LEAST, "{rest}: {numbers}");
        assert_eq!(numbers["omitted"]["dx"], json!({ "few": 0, "protecting": 1 }));
    }
}

#[test]
fn pooled_sites_tell_nothing_of_a_site_that_protects_another() {
    let (data, ran) = to_be_differenced("group");
    let request = json!({ "sites": { "column": "ward" } });
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    let of_all = [
        "weight ",
        "Pooled over sites",
        "A new site is expected within",
        "Different from the mean of the other sites: S0",
    ];
    for words in of_all {
        assert!(open.contains(words), "{words}: {open}");
    }
    let found = withheld(&data, &ran, request);
    for words in of_all.iter().chain(&["differs, adjusted", "outlying, adjusted", "Significant differences"]) {
        assert!(!found.contains(words), "{words}: {found}");
    }
    // estimates of the sites that are shown stay, in table and chart
    assert!(found.contains("Sites of ward") && found.contains("no mark is filled"), "{found}");
}

/// No sentence names a site whose line is withheld, be it small or protecting another.
#[test]
fn no_site_that_is_not_pooled_is_named_where_its_line_is_withheld() {
    let mut draws = uniform(94);
    let mut text = "risk,ward,label\n".to_owned();
    for (ward, rows) in [("S0", 300), ("S1", 300), ("S2", 260), ("NONE", 120), ("FULL", 9), ("TINY", 18)] {
        for row in 0..rows {
            let risk = 0.1 + 0.5 * draws();
            let more = if ward == "S2" { 0.3 } else { 0.0 };
            let observed = match ward {
                "FULL" => true,
                "NONE" => false,
                // together with the other small one enough of either kind, so that no site protects them
                "TINY" => row < 4,
                _ => draws() < risk + more,
            };
            let _ = writeln!(text, "{risk:.5},{ward},{}", u8::from(observed));
        }
    }
    let data = open(&text, json!({ "roles": { "ward": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let request = json!({ "sites": { "column": "ward" } });
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    assert!(
        open.contains("Not pooled, with significantly more or fewer events than expected: NONE, 0 events of "),
        "{open}"
    );
    assert!(open.contains("FULL, 9 events of "), "{open}");
    let found = withheld(&data, &ran, request);
    assert_eq!(lines_of(&found, "Sites of ward"), ["S1", "S2"].map(str::to_owned).into(), "{found}");
    assert!(!found.contains("NONE is") && !found.contains("NONE, ") && !found.contains("FULL"), "{found}");
}

#[test]
fn a_recommendation_counts_no_few_rows() {
    let mut draws = uniform(92);
    let mut text = "risk,x,label\n".to_owned();
    for row in 0..2000 {
        let risk: f64 = if row % 700 == 0 { 0.99 } else { 0.05 + 0.5 * draws() };
        let logit = 1.0 + 0.5 * (risk / (1.0 - risk)).ln();
        let observed = draws() < 1.0 / (1.0 + (-logit).exp());
        let _ = writeln!(text, "{risk:.5},{:.3},{}", draws(), u8::from(observed));
    }
    let data = open(&text, json!({ "roles": { "x": "feature" } }));
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 }));
    for format in ["markdown", "html", "latex"] {
        let document = |suppress: Option<u64>| document(&data, &ran, "document", format, suppress).unwrap();
        let (open, found) = (document(None), document(Some(LEAST)));
        assert!(open.contains("and decrease in 3"), "{open}");
        assert!(found.contains("Recommended: ") && !found.contains("decrease in"), "{found}");
    }
}

#[test]
fn errors_of_few_bins_are_withheld() {
    let mut draws = uniform(93);
    let mut text = "risk,label\n".to_owned();
    for row in 0..3000 {
        let few = row % 800 == 0;
        let risk = if few { 0.1435 } else { 0.002 + 0.02 * draws() };
        let _ = writeln!(text, "{risk:.5},{}", u8::from(!few && draws() < 0.01 + 1.2 * risk));
    }
    let report = |data: &Opened, ran: &Ran| -> Value {
        let report: Value =
            serde_json::from_str(&data.export(Call::ExportReport { suppress: Some(LEAST) }, ran)).unwrap();
        report["methods"][0]["metrics"].clone()
    };
    let metrics = json!(["ece", "mean_gap", "ece_rms", "ece_unweighted", "debiased_ece_l2"]);
    let rare = open(&text, json!({}));
    let ran = rare.run(json!({ "methods": ["none"], "bins": 10, "resamples": 0, "metrics": metrics }));
    let found = report(&rare, &ran);
    // four rows alone are overestimated
    for id in ["ece", "ece_rms", "ece_unweighted", "debiased_ece_l2"] {
        assert!(found[id]["value"].is_null() && found[id]["reason"] == "suppressed", "{id}: {found}");
    }
    assert!(found["mean_gap"]["value"].is_number(), "{found}");
    // nor is an ECE in a headline
    let two = rare.run(json!({ "methods": ["none", "platt"], "bins": 10, "resamples": 0, "metrics": metrics }));
    let open_headline = answered(&rare, &two, json!({ "plan_analysis": { "request": { "multiples": {} } } })).unwrap();
    assert!(open_headline.contains("ECE 0.0"), "{open_headline}");
    let headline = withheld(&rare, &two, json!({ "multiples": {} }));
    assert!(!headline.contains("ECE 0.0"), "{headline}");
    // of a file with enough rows on either side the ECE stays
    let (data, ran) = to_be_differenced("group");
    assert!(report(&data, &ran)["ece"]["value"].is_number(), "{}", report(&data, &ran));
}

/// Twelve months of 100 rows, in one of which 2 of 100 rows have an event, and rows without a date. Events weigh `event`.
fn dated(undated: usize, event: f64) -> (Opened, Ran) {
    let mut draws = uniform(94);
    let mut text = "risk,day,w,label\n".to_owned();
    for row in 0..1200 + undated {
        let (risk, month) = (0.1 + 0.8 * draws(), 1 + row / 100);
        let observed = match month {
            5 => row % 50 == 0,
            _ => draws() < risk,
        };
        let day = if month > 12 { String::new() } else { format!("2024-{month:02}-{:02}", 1 + row % 28) };
        let _ = writeln!(text, "{risk:.5},{day},{},{}", if observed { event } else { 1.0 }, u8::from(observed));
    }
    let weight = if event == 1.0 { "ignore" } else { "weight" };
    let data = open(&text, json!({ "roles": { "day": "date", "w": weight } }));
    let ran = data.run(json!({ "resamples": 0 }));
    (data, ran)
}

#[test]
fn periods_withhold_what_rows_without_a_date_and_weights_would_hide() {
    let months = |(data, ran): (Opened, Ran)| {
        lines_of(&withheld(&data, &ran, json!({ "over_time": {} })), "Predicted and observed by day")
    };
    // the month of two events goes, and another protects it
    let all_dated = months(dated(0, 1.0));
    assert!(!all_dated.contains("2024-05") && all_dated.len() == 10, "{all_dated:?}");
    // two events are two, whatever they weigh
    assert!(!months(dated(0, 20.0)).contains("2024-05"));
    // four rows without a date are what the months leave of all rows
    let (data, ran) = dated(4, 1.0);
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": { "over_time": {} } } })).unwrap();
    assert!(open.contains("4 rows without a date are excluded"), "{open}");
    let rows = |lines: Vec<Value>| -> u64 { lines.iter().map(|row| row[1]["number"].as_f64().unwrap() as u64).sum() };
    let table = table_lines(&withheld(&data, &ran, json!({ "over_time": {} })), "Predicted and observed by day");
    assert!(1204 - rows(table.clone()) >= 2 * LEAST, "{table:?}");
}

#[test]
fn a_mean_over_few_rows_is_that_of_few() {
    // a covariate that is known of three rows with the outcome alone
    let mut draws = uniform(17);
    let mut text = "p,y,marker,ward\n".to_owned();
    let mut known = 0;
    for i in 0..400 {
        let p = 0.1 + 0.8 * draws();
        let y = draws() < p;
        let marker = if y && known < 3 {
            known += 1;
            format!("{}", 7.25 + f64::from(known))
        } else {
            String::new()
        };
        let _ = writeln!(text, "{p:.4},{},{marker},{}", u8::from(y), ["a", "b"][i % 2]);
    }
    let data = open(&text, json!({ "roles": { "marker": "feature", "ward": "group" }, "rows": "drop" }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let request = json!({ "inference": { "of": "marker", "group": "ward", "resamples": 20 } });
    let plain = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    assert!(plain.contains("9.25"), "{plain}");
    let withheld = withheld(&data, &ran, request);
    assert!(!withheld.contains("9.25") && withheld.contains("withheld"), "{withheld}");
}

#[test]
fn few_wrong_predictions_are_withheld_with_what_they_can_be_derived_from() {
    // four rows are wrong at one half
    let mut draws = uniform(23);
    let mut text = "p,y\n".to_owned();
    for i in 0..900 {
        let y = i % 3 == 0;
        let p = 0.25 * draws() + if y != (i % 250 == 1) { 0.7 } else { 0.05 };
        let _ = writeln!(text, "{p:.4},{}", u8::from(y));
    }
    let data = open(&text, json!({}));
    let ran = data.run(json!({
        "methods": ["none", { "id": "intercept", "name": "moved" }, "platt"], "resamples": 0, "metrics": ["accuracy", "reward_2"],
    }));
    let report: Value = serde_json::from_str(&data.export(Call::ExportReport { suppress: Some(LEAST) }, &ran)).unwrap();
    for method in report["methods"].as_array().unwrap() {
        for id in ["accuracy", "reward_2"] {
            assert!(method["metrics"][id]["value"].is_null(), "{id} of {}", method["name"]);
            assert!(method["differences"].get(id).is_none_or(|found| found["value"].is_null()), "{method}");
        }
    }
}

/// A site whose predicted events mostly did not occur has few of them, and is withheld: nothing is said of it.
#[test]
fn no_error_is_said_of_the_groups_that_are_shown_alone() {
    let mut draws = uniform(31);
    let mut text = "p,y,site\n".to_owned();
    for i in 0..1_200 {
        let (p, site) = (0.1 + 0.2 * draws(), i % 12);
        let y = draws() < if site == 4 { 0.02 } else { p };
        let _ = writeln!(text, "{p:.4},{},S{site:02}", u8::from(y));
    }
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0, "evaluate_on": "all" }));
    let request = json!({ "groups": { "columns": ["site"] } });
    let open = answered(&data, &ran, json!({ "plan_analysis": { "request": request } })).unwrap();
    assert!(open.contains("for site = S04"), "{open}");
    let withheld = withheld(&data, &ran, request);
    assert!(!withheld.contains("S04"), "{withheld}");
    assert!(withheld.contains("No significant error in the groups of site that are shown ("), "{withheld}");
    assert!(withheld.contains("a large overestimation may be among those withheld"), "{withheld}");
}

/// A group that protects a small one, or that the small one is subtracted from, tells of it.
#[test]
fn a_group_that_hides_another_is_compared_with_no_rest() {
    let mut draws = uniform(41);
    let mut text = "p,y,ward\n".to_owned();
    for i in 0..1_600 {
        let p = 0.2 + 0.6 * draws();
        let ward = if i < 4 { 3 } else { 10 + i % 13 };
        let _ = writeln!(text, "{p:.4},{},W{ward:02}", u8::from(draws() < p));
    }
    let data = open(&text, json!({ "roles": { "ward": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let groups = withheld(&data, &ran, json!({ "groups": { "columns": ["ward"] } }));
    assert!(!groups.contains("W03") && !groups.contains("W10") && groups.contains("W11"), "{groups}");
    let gaps = withheld(&data, &ran, json!({ "inference": { "group": "ward", "resamples": 20 } }));
    assert!(!gaps.contains("W10 minus the rest"), "{gaps}");
}

#[test]
fn what_methods_leave_of_each_other_and_few_calibration_rows_are_refused() {
    let mut draws = uniform(43);
    let mut text = "p,y,part\n".to_owned();
    for i in 0..900 {
        let p = 0.2 + 0.6 * draws();
        let _ = writeln!(text, "{p:.4},{},{}", u8::from(draws() < p), if i < 6 { "calibration" } else { "test" });
    }
    let data = open(&text, json!({ "split": { "column": "part" } }));
    let code = |evaluate_on: &str, methods: Value| {
        let ran = data.run(json!({ "methods": methods, "evaluate_on": evaluate_on, "resamples": 0 }));
        data.try_export(Call::ExportReport { suppress: Some(LEAST) }, &ran).err().map(|error| error.code().to_owned())
    };
    assert_eq!(code("evaluation", json!(["none", "platt"])).as_deref(), Some("too_few_rows"));
    assert_eq!(code("all", json!(["none", "platt"])).as_deref(), Some("too_few_rows"));
    assert_eq!(code("evaluation", json!(["none"])), None);
}
