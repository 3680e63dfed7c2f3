//! What a LaTeX source must be to be compiled, seen without a compiler: environments and braces that close, rows that have the
//! columns of their table, no sign that LaTeX reads where words stand.

/// What is wrong with `source`; empty for nothing.
pub fn faults(source: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut columns = None;
    let (mut depth, mut formula) = (0_i32, false);
    let mut labels: Vec<&str> = Vec::new();
    // what stands before the text are definitions
    let body = source.split_once("\\begin{document}").map_or(source, |(_, body)| body);
    for (n, line) in body.lines().enumerate() {
        let n = n + 1;
        if line.trim_start().starts_with('%') || line.starts_with("\\providecommand") {
            continue;
        }
        for (at, _) in line.match_indices("\\begin{") {
            let rest = &line[at + 7..];
            let name = rest.split('}').next().unwrap_or_default().to_owned();
            if ["tabular", "longtable"].contains(&name.as_str()) {
                columns = Some(count_columns(&rest[name.len() + 1..]));
            }
            open.push((name, n));
        }
        for (at, _) in line.match_indices("\\end{") {
            let name = line[at + 5..].split('}').next().unwrap_or_default();
            match open.pop() {
                Some((opened, _)) if opened == name => {}
                None if name == "document" => {}
                other => wrong.push(format!("line {n}: \\end{{{name}}} ends {other:?}")),
            }
            if ["tabular", "longtable"].contains(&name) {
                columns = None;
            }
        }
        if let Some((_, label)) = line.split_once("\\label{") {
            let label = label.split('}').next().unwrap_or_default();
            if labels.contains(&label) {
                wrong.push(format!("line {n}: {label} is a label twice"));
            }
            labels.push(label);
        }
        let (mut cells, mut escaped) = (1, false);
        for (at, c) in line.char_indices() {
            if escaped {
                escaped = false;
                continue;
            }
            match c {
                '\\' => escaped = true,
                '{' => depth += 1,
                '}' => depth -= 1,
                '$' => formula = !formula,
                '&' if columns.is_some() => cells += 1,
                '&' | '#' | '%' => wrong.push(format!("line {n}: a bare {c}: {line}")),
                '_' | '^' if !formula && !command_at(line, at) => wrong.push(format!("line {n}: a bare {c}: {line}")),
                '~' | '\t' => {}
                c if c.is_control() => wrong.push(format!("line {n}: a control character")),
                _ => {}
            }
        }
        let spanned: usize = line
            .match_indices("\\multicolumn{")
            .filter_map(|(at, _)| line[at + 13..].split('}').next()?.parse::<usize>().ok())
            .map(|span| span - 1)
            .sum();
        let is_row = line.ends_with(" \\\\") || line.ends_with(" \\\\*");
        if let Some(columns) =
            columns.filter(|columns| is_row && cells + spanned != *columns && !line.starts_with("\\caption"))
        {
            wrong.push(format!("line {n}: {} cells in {columns} columns: {line}", cells + spanned));
        }
        if formula {
            wrong.push(format!("line {n}: a formula does not end: {line}"));
            formula = false;
        }
        if depth < 0 {
            wrong.push(format!("line {n}: a brace too many: {line}"));
            depth = 0;
        }
    }
    if depth != 0 {
        wrong.push(format!("{depth} braces stay open"));
    }
    wrong.extend(
        open.iter().filter(|(name, _)| name != "document").map(|(name, n)| format!("line {n}: {name} stays open")),
    );
    wrong
}

/// Whether the place is within the argument of a label or of a file, where signs are themselves.
fn command_at(line: &str, at: usize) -> bool {
    let before = &line[..at];
    before.rfind("\\label{").is_some_and(|open| !before[open..].contains('}'))
}

/// Columns of `{@{}lr>{…}p{…}@{}}`.
fn count_columns(format: &str) -> usize {
    let mut depth = 0;
    let mut columns = 0;
    for c in format.chars() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            'l' | 'r' | 'c' | 'p' if depth == 1 => columns += 1,
            _ => {}
        }
    }
    columns
}

#[test]
fn faults_are_seen() {
    let table = |body: &str| format!("\\begin{{tabular}}{{@{{}}lr@{{}}}}\n{body}\n\\end{{tabular}}\n");
    assert_eq!(faults(&table("a & $-1$ \\\\\n\\multicolumn{2}{l}{50 \\%} \\\\")), Vec::<String>::new());
    for wrong in [
        table("a & b & c \\\\"),
        table("a_b & c \\\\"),
        table("a & 50 % \\\\"),
        table("a & $1 \\\\"),
        "{".to_owned(),
        "\\begin{table}".to_owned(),
        "\\label{tab:a}\n\\label{tab:a}".to_owned(),
        "a & b".to_owned(),
    ] {
        assert_eq!(faults(&wrong).len(), 1, "{wrong}: {:?}", faults(&wrong));
    }
}
