//! Source files as tests of words and layers read them.

/// A source file without its tests: modules of tests in other files lose the line that declares them, and what follows a
/// module of tests that is written here is not read.
pub fn without_tests(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        while lines.next_if(|line| line.trim_start().starts_with("#[")).is_some() {}
        let Some(module) = lines.next_if(|line| line.split_whitespace().any(|word| word == "mod")) else { continue };
        if module.trim_end().ends_with('{') {
            break;
        }
    }
    code
}

/// The texts that are written in code, without its comments, as far as they hold any letter.
pub fn texts(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'/') => while rest.next().is_some_and(|c| c != '\n') {},
            // the letter '"' is no text
            '"' if before != '\'' && before != '\\' => {
                let mut text = String::new();
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => match rest.next() {
                            Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                            Some(c) => text.push(c),
                            None => {}
                        },
                        c => text.push(c),
                    }
                }
                found.push(text);
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// Docstrings of types that derive `JsonSchema`, and of their fields and variants: they are published as the types of the
/// scripted interface.
pub fn published_docstrings(code: &str) -> Vec<String> {
    let lines: Vec<&str> = code.lines().collect();
    let is_head = |line: &str| line.trim_start().starts_with("///") || line.trim_start().starts_with("#[");
    let doc = |line: &&str| line.trim_start().strip_prefix("/// ").map(str::to_owned);
    let mut found = Vec::new();
    let derives = |line: &str| line.contains("derive(") && line.contains("JsonSchema");
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| derives(line)) {
        let first = lines[..at].iter().rposition(|line| !is_head(line)).map_or(0, |before| before + 1);
        let indent = lines[at].len() - lines[at].trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[at..].iter().position(|line| line.starts_with(&end) || line.ends_with(';')).unwrap_or(0);
        found.extend(lines[first..at + length].iter().filter_map(doc));
    }
    found
}

#[test]
fn tests_are_left_out_and_nothing_else() {
    let source = "mod a;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\n#[allow(x)]\nmod more;\nfn b() {}\n#[cfg(test)]\n\
                  mod here {\n    fn c() {}\n}\n";
    assert_eq!(without_tests(source), "mod a;\nfn b() {}\n");
    assert_eq!(texts("a(\"one \\\"two\\\"\", '\"'); // \"three\""), ["one \"two\""]);
    let published = "/// A thing.\n#[cfg_attr(feature = \"schema\", derive(schemars::JsonSchema))]\nstruct A {\n    /// its size\n    \
                     a: f64,\n}\n/// Another.\nstruct B;\n";
    assert_eq!(published_docstrings(published), ["A thing.", "its size"]);
}
