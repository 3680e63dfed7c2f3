//! The report as LaTeX is compiled, whatever stands in names and values.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use localcal::experiment::written::{Format, written};
use localcal::experiment::{Cell, Level, conclude};
use localcal::job::Call;
use localcal::plot::figure::{Figure, Mark};
use localcal::plot::pdf::pdf;
use localcal::report::methods_table::{TableFormat, TableRequest};
use localcal::report::sheet::Block;
use serde_json::{Value, json};

use crate::support::draws::uniform;
use crate::support::kinds::{Kind, Part, csv, quick_options};
use crate::support::latex::faults;
use crate::support::pdf::content;
use crate::support::pipeline::{open, text};
use crate::support::public::skipped;

/// Values of a column that mean something to LaTeX, or that its fonts lack.
const HOSTILE: [&str; 9] = [
    "a_b % 100% & $5 #1",
    "\\textbf{x} {y} \\",
    "[18, 40)",
    "* star",
    "~tilde^hat`'",
    "\"quoted\" <b> | c",
    "Łódź – “x” … → ≥ µ α Ω ½ € ħ ŉ",
    "年年 日本 🙂 עברית",
    "-- --- ,, `` ''",
];

/// Two groups are off, so that the tables about them are there.
fn hostile() -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let heads = ["prob_yes%", "site_#1 & ^co~", "{x}\\y $z$", "Ålder ß Ω 年 [a]", "y"];
    let mut out = heads.map(quoted).join(",") + "\n";
    let mut uniform = uniform(5);
    for i in 0..1800 {
        let p = uniform();
        let observes = match i % 9 {
            2 | 6 => p + 0.35,
            0 => p - 0.3,
            _ => p,
        };
        let cells = [HOSTILE[i % 9], HOSTILE[(i + i / 9) % 9], ["[18, 40)", "[40, 90)"][i % 2]].map(quoted);
        let _ = writeln!(out, "{p:.3},{},{}", cells.join(","), u8::from(uniform() < observes));
    }
    out
}

/// Compilers of LaTeX, best first, with what they are told: the first that there is.
const COMPILERS: [(&str, &[&str]); 2] = [
    ("pdflatex", &["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]),
    ("tectonic", &["--keep-logs", "--print"]),
];

/// The compiler of this machine, or `None` after a word about it.
fn compiler() -> Option<(&'static str, &'static [&'static str])> {
    let there = |name: &str| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
    let found = COMPILERS.into_iter().find(|(name, _)| there(name));
    if found.is_none() {
        skipped(
            "neither pdflatex nor tectonic found (apt-get install texlive-latex-recommended): LaTeX is not compiled",
        );
    }
    found
}

/// Seen by eye: nothing is wrong with it. Compiled, where there is a compiler: no error, no line far too wide, no reference or
/// label that is not there.
fn compiles(compiler: Option<(&str, &[&str])>, name: &str, article: &str) {
    let wrong = faults(article);
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latex");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(format!("{name}.tex")), article).expect("a file");
    let Some((program, told)) = compiler else { return };
    // the first time the widths of tables are found
    for round in 0..2 {
        let ran = Command::new(program)
            .args(told)
            .arg(format!("{name}.tex"))
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .expect("it was there a moment ago");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{name}: {said}");
        let wide = said.lines().filter(|line| line.starts_with("Overfull \\hbox"));
        let points = wide.filter_map(|line| line.split_once('(')?.1.split_once("pt")?.0.parse::<f64>().ok());
        let most = points.fold(0.0, f64::max);
        assert!(most < 30.0, "{name}: a line is {most} points too wide");
        assert!(round == 0 || !said.contains("multiply defined"), "{name}: {said}");
    }
    assert!(folder.join(format!("{name}.pdf")).exists(), "{name}");
}

/// What is pasted into an article, within one.
fn within_article(tables: &str) -> String {
    format!(
        "\\documentclass[10pt,a4paper]{{article}}\n\\usepackage[utf8]{{inputenc}}\n\\usepackage[T1]{{fontenc}}\n\
         \\usepackage[margin=22mm]{{geometry}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{tables}\n\\end{{document}}\n"
    )
}

#[test]
fn articles_compile() {
    let compiler = compiler();
    let tiny = "prob_yes,site,label\n0.1,a,0\n0.3,a,0\n0.4,b,1\n0.6,b,0\n0.7,a,1\n0.9,b,1\n".to_owned();
    let classes = (0..240).fold("p_a,p_b,p_c,label\n".to_owned(), |mut out, i| {
        let _ = writeln!(out, "0.{},0.{},0.2,{}", 2 + i % 5, 6 - i % 5, ["a", "b", "c"][i % 3]);
        out
    });
    let roles = json!({ "roles": { "prob_yes%": "probability", "y": "label" } });
    let methods = json!({ "methods": ["none", "platt"], "resamples": 20 });
    let files: [(&str, String, Value, Value); 3] = [
        ("hostile", hostile(), roles, methods),
        ("tiny", tiny, json!({}), json!({ "resamples": 20 })),
        ("classes", classes, json!({}), json!({ "methods": ["none", "temperature"], "resamples": 20 })),
    ];
    for (name, file, options, run) in files {
        let data = open(&file, options);
        let ran = data.run(run);
        let asked = json!({
            "format": "latex", "title": HOSTILE.join(" "), "date": "*", "remarks": { "limits": HOSTILE.join("\n") },
            "files": [{ "name": "a_b.csv", "bytes": 10, "sha256": "7c10c4cc36001cdf77822c85".repeat(3) }],
            "extra": [{ "groups": {} }, { "libraries": {} }],
        });
        let article = text(data.try_analyse(&ran, json!({ "document": asked })).expect("a document"));
        // what has a caption has a number and a label
        assert_eq!(article.matches("\\caption{").count(), article.matches("\\label{tab:").count(), "{name}");
        compiles(compiler, name, &article);
        for every in [false, true] {
            let request = TableRequest { format: TableFormat::Latex, every, suppress: None };
            let table = data.export(Call::ExportTable(request), &ran);
            assert!(table.contains("\\label{tab:methods}") && table.contains("\\toprule"), "{table}");
            compiles(compiler, &format!("{name}-methods-{every}"), &within_article(&table));
        }
    }
}

/// Every analysis that has a sheet, as a part of an article.
#[test]
fn the_sheet_of_every_analysis_compiles() {
    let compiler = compiler();
    let data = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let ran = data.run(json!({
        "methods": ["none", "platt"], "resamples": 20, "local": { "features": ["x1"], "gamma": 0.5 },
    }));
    let mut met = Vec::new();
    for described in localcal::analysis::descriptions() {
        // longer than the others together
        if ["document", "region_rows", "klce", "inference"].contains(&described.kind) {
            continue;
        }
        let asked = json!({
            "format": "latex", "without_finding": "It was not asked for.", "sections": ["panels"],
            "extra": [{ (described.kind): quick_options(described.kind) }],
        });
        let Ok(found) = data.try_analyse(&ran, json!({ "document": asked })) else { continue };
        let article = text(found);
        if article.contains("Not shown:") {
            continue;
        }
        compiles(compiler, &format!("sheet-{}", described.kind), &article);
        met.push(described.kind);
    }
    assert!(met.len() >= 12, "{met:?}");
}

/// Numbers of an experiment that say something of every method, metric and space.
fn cells(methods: &[&str], metrics: &[(&str, &[Option<&str>])], gammas: &[f64], seeds: usize) -> Vec<Cell> {
    let mut draw = uniform(11);
    let mut cells = Vec::new();
    for (m, method) in methods.iter().enumerate() {
        for (metric, spaces) in metrics {
            for space in *spaces {
                let levels: Vec<Option<f64>> = if space.is_some() && !gammas.is_empty() {
                    gammas.iter().copied().map(Some).collect()
                } else {
                    vec![None]
                };
                for level in levels {
                    for seed in 0..seeds {
                        let size = 0.3 / (1.0 + level.unwrap_or(1.0)) * (1.0 - 0.08 * m as f64);
                        cells.push(Cell {
                            method: (*method).into(),
                            metric: (*metric).into(),
                            space: space.map(str::to_owned),
                            at: level.map(|level| ("gamma".to_owned(), Level::Number(level))).into_iter().collect(),
                            division: format!("seed {seed}"),
                            value: Some(size * (1.0 + 0.1 * draw())),
                            rows: 500,
                            fitted: 500,
                            ..Cell::default()
                        });
                    }
                }
            }
        }
    }
    cells
}

fn latex_of(spec: Value, cells: &[Cell]) -> String {
    let spec = serde_json::from_value(spec).expect("a spec");
    let concluded = conclude(&spec, cells, &Default::default()).expect("they are the experiment's");
    written(&concluded, Format::Latex).expect("tables")
}

/// 2 metrics × 2 spaces × 25 bandwidths, as figures 5 to 7 of the LoRe paper have them: one table, not 50.
#[test]
fn a_setting_with_many_values_makes_one_table() {
    let gammas: Vec<f64> = (0..25).map(|k| 10f64.powf(f64::from(k) / 6.0 - 2.0)).collect();
    let methods = ["none", "temperature", "histogram", "isotonic", "mmce_temperature", "LoRe (t-SNE)", "LoRe (PCA)"];
    let spaces: &[Option<&str>] = &[Some("t-SNE"), Some("PCA")];
    let metrics: [(&str, &[Option<&str>]); 3] = [("mlce", spaces), ("mlce_supported", spaces), ("ece", &[None])];
    let spec = json!({
        "methods": ["none", "temperature", "histogram", "isotonic", "mmce_temperature",
            { "id": "lore", "name": "LoRe (t-SNE)", "space": "t-SNE" }, { "id": "lore", "name": "LoRe (PCA)", "space": "PCA" }],
        "spaces": [{ "name": "t-SNE" }, { "name": "PCA" }], "metrics": ["mlce", "mlce_supported", "ece"],
        "vary": [{ "setting": "gamma", "of": "metrics", "values": gammas }],
    });
    let cells = cells(&methods, &metrics, &gammas, 5);
    let latex = latex_of(spec.clone(), &cells);
    assert_eq!(latex.matches("\\begin{table}").count(), 2, "{latex}");
    let first = latex.split("\\end{table}").next().expect("a table");
    for part in [
        "\\label{tab:mlce-mlce-supported-by-gamma}",
        "\\multicolumn{9}{c}{$\\gamma$}",
        "$0.01$ & $0.0316$",
        "\\emph{MLCE, t-SNE}",
        "\\quad LoRe (PCA)",
        "9 of 25 values of $\\gamma$",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert_eq!(first.matches("\\quad ").count(), 4 * 7, "{first}");
    assert!(latex.contains("\\label{tab:ece}") && latex.contains(" \\pm "), "{latex}");
    compiles(compiler(), "experiment-swept", &within_article(&latex));
    // every line of the figures has its band
    let concluded =
        conclude(&serde_json::from_value(spec).expect("a spec"), &cells, &Default::default()).expect("found");
    let swept = concluded.sheet.blocks.iter().filter_map(|block| match block {
        Block::Figures(figures) => Some(figures),
        _ => None,
    });
    let swept: Vec<&Figure> =
        swept.flatten().filter(|figure| figure.caption.contains("bands: ± one standard")).collect();
    assert_eq!(swept.len(), 4);
    for (place, figure) in swept.into_iter().enumerate() {
        let marks = || figure.panels.iter().flat_map(|panel| &panel.marks);
        assert_eq!(marks().filter(|mark| matches!(mark, Mark::Area { .. })).count(), 7, "{}", figure.title);
        assert!(figure.panels.iter().any(|panel| panel.x.title == "γ"), "{}", figure.title);
        let page = pdf(figure, Some(180.0)).expect("a page");
        assert!(content(&page).contains("(g) Tj"), "γ as a letter of Symbol");
        std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("latex/swept-{place}.pdf")), page)
            .expect("a page");
    }
}

/// One scale and one number of decimals a column, numbers as formulas, what is too wide for a line in blocks of one table.
#[test]
fn tables_of_experiments_compile() {
    let methods = ["none", "temperature", "a_b % 100% & $5 #1", "platt"];
    let metrics: [(&str, &[Option<&str>]); 4] = [
        ("ece", &[None]),
        ("piece", &[Some("t-SNE"), Some("PCA")]),
        ("accuracy", &[None]),
        ("mlce", &[Some("t-SNE"), Some("PCA")]),
    ];
    let spec = json!({
        "methods": ["none", "temperature", { "id": "platt", "name": methods[2] }, "platt"],
        "spaces": [{ "name": "t-SNE" }, { "name": "PCA" }], "metrics": ["ece", "piece", "accuracy", "mlce"],
    });
    let latex = latex_of(spec.clone(), &cells(&methods, &metrics, &[], 5));
    assert!(latex.contains("\\label{tab:ece-piece-accuracy-mlce}"), "{latex}");
    assert!(latex.contains("Accuracy (\\%)") && latex.contains("\\mathbf{") && latex.contains("\\pm"), "{latex}");
    assert!(!latex.contains("points"), "{latex}");
    compiles(compiler(), "experiment-metrics", &within_article(&latex));
    let one = latex_of(spec.clone(), &cells(&methods, &metrics, &[], 1));
    compiles(compiler(), "experiment-one-division", &within_article(&one));
    let mut files = Vec::new();
    for k in 0..4 {
        files.extend(cells(&methods, &metrics[..1], &[], 3).into_iter().map(|cell| Cell {
            data: Some(format!("file_{k} & more")),
            value: cell.value.map(|value| value * f64::from(k + 1)),
            ..cell
        }));
    }
    let data_sets = latex_of(spec, &files);
    assert!(data_sets.contains("\\label{tab:ece-by-data-set}"), "{data_sets}");
    compiles(compiler(), "experiment-data-sets", &within_article(&data_sets));
}
