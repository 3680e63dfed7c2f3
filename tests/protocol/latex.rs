//! The report as LaTeX is compiled, whatever stands in names and values.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::draws::uniform;
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
        let happens = match i % 9 {
            2 | 6 => p + 0.35,
            0 => p - 0.3,
            _ => p,
        };
        let cells = [HOSTILE[i % 9], HOSTILE[(i + i / 9) % 9], ["[18, 40)", "[40, 90)"][i % 2]].map(quoted);
        let _ = writeln!(out, "{p:.3},{},{}", cells.join(","), u8::from(uniform() < happens));
    }
    out
}

fn compiles(folder: &Path, name: &str, article: &str) {
    std::fs::write(folder.join(format!("{name}.tex")), article).expect("a file");
    // the first time the widths of tables are found
    for _ in 0..2 {
        let ran = Command::new("pdflatex")
            .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name])
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .expect("it was there a moment ago");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{name}: {said}");
        let wide = said.lines().filter(|line| line.starts_with("Overfull \\hbox"));
        let points = wide.filter_map(|line| line.split_once('(')?.1.split_once("pt")?.0.parse::<f64>().ok());
        let most = points.fold(0.0, f64::max);
        assert!(most < 30.0, "{name}: a line is {most} points too wide");
    }
    assert!(folder.join(format!("{name}.pdf")).exists(), "{name}");
}

#[test]
fn articles_compile() {
    if Command::new("pdflatex").arg("--version").stdout(Stdio::null()).status().is_err() {
        skipped("pdflatex not found (apt-get install texlive-latex-recommended)");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("latex");
    std::fs::create_dir_all(&folder).expect("a folder");
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
        compiles(&folder, name, &article);
    }
}
