//! The page and its charts use one set of colors: charts must not stand out as boxes of another paper.

use crate::support::source::without_tests;
use localcal::plot::palette::{DARK, LIGHT, Rgb, Theme};

/// Both values of a custom property written as `--name: light-dark(#rrggbb, #rrggbb)`.
fn property(style: &str, name: &str) -> (Rgb, Rgb) {
    let start = format!("--{name}: light-dark(");
    let value = style.split(&start).nth(1).and_then(|rest| rest.split(')').next());
    let value = value.unwrap_or_else(|| panic!("no property --{name}"));
    let (light, dark) = value.split_once(", ").unwrap_or_else(|| panic!("--{name} has one value"));
    (rgb(light), rgb(dark))
}

fn rgb(hex: &str) -> Rgb {
    let at = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).unwrap_or_else(|_| panic!("not a colour: {hex}"));
    [at(1), at(3), at(5)]
}

#[test]
fn the_page_has_the_colors_of_its_charts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/www/style.css");
    let style = std::fs::read_to_string(path).expect("the style sheet");
    type Color = fn(&Theme) -> Rgb;
    let held: [(&str, Color); 8] = [
        ("paper", |theme| theme.paper),
        ("ink", |theme| theme.ink),
        ("muted", |theme| theme.muted),
        ("strong-line", |theme| theme.axis),
        ("accent", |theme| theme.accent),
        ("over", |theme| theme.over),
        ("under", |theme| theme.under),
        ("unsure", |theme| theme.not_enough),
    ];
    for (name, of) in held {
        assert_eq!(property(&style, name), (of(&LIGHT), of(&DARK)), "--{name}");
    }
}

/// First words of heads that are symbols or units.
const SYMBOLS: [&str; 6] = ["p", "n", "z", "w_p", "pp", "x₁"];

#[test]
fn heads_of_columns_are_in_sentence_case() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let (mut seen, mut wrong) = (0, Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = std::fs::read_to_string(&entry).unwrap_or_default();
            if !text.contains("SheetTable::new(") {
                continue;
            }
            // heads of numbers begin with # where they are written
            let code = without_tests(&text);
            for head in code.split("\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
                let first = head.split([' ', ',']).next().unwrap_or_default();
                seen += 1;
                if first.starts_with(|c: char| c.is_ascii_lowercase()) && !SYMBOLS.contains(&first) {
                    wrong.push(format!("{}: {head}", entry.display()));
                }
            }
        }
    }
    assert!(seen > 100 && wrong.is_empty(), "{seen} heads; {wrong:#?}");
}
