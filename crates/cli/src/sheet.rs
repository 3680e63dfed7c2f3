//! What an analysis found, in reading order. Any sheet is written by one piece of code, which knows no kind of analysis.

use anstyle::Style;
use localcal::plot::Figure;
use serde_json::Value;

use crate::print::{BEST, Cell, MUTED, OVER, PLAIN, Page, STRONG, Table, UNDER};
use crate::session::Answer;

/// Most rows of the table that stands for a figure.
const MOST_ROWS: usize = 30;

/// Where an answer says what was found, beside its sheet.
const HEADLINES: [&str; 4] = ["/headline", "/reading", "/sentence", "/advice/sentence"];

/// What was found, and what to do about it: it stands before all else.
pub fn headline(answer: &Answer) -> Vec<&str> {
    let beside = HEADLINES.iter().filter_map(|place| answer.fields.pointer(place)?.as_str());
    let beside: Vec<&str> = beside.filter(|text| !text.is_empty()).collect();
    match reading_of_sheet(answer) {
        Some(text) => vec![text],
        None => beside,
    }
}

/// The first reading among the blocks, where nothing beside them says what was found.
fn reading_of_sheet(answer: &Answer) -> Option<&str> {
    if HEADLINES.iter().any(|place| answer.fields.pointer(place).is_some_and(Value::is_string)) {
        return None;
    }
    list(answer.fields.pointer("/sheet/blocks")).iter().find_map(|block| block.get("reading")?.as_str())
}

/// The answer to the question `kind`.
pub fn answer(page: &mut Page, kind: &str, answer: &Answer) {
    let fields = &answer.fields;
    for text in headline(answer) {
        page.paragraph(text, STRONG);
    }
    let mut above = headline(answer);
    for block in list(fields.pointer("/sheet/blocks")) {
        // what stands above is not said again
        let reading = block.get("reading").and_then(Value::as_str);
        if let Some(place) = above.iter().position(|text| Some(*text) == reading) {
            above.remove(place);
            continue;
        }
        if let Some((name, held)) = block.as_object().and_then(|block| block.iter().next()) {
            written(page, kind, name, held, answer);
        }
    }
    facts(page, fields.get("facts"));
    if let Some(table) = fields.get("distinguished_by") {
        text_table(page, table);
    }
    for (name, heading) in [("words", "Distinctive words (a description, not a test)"), ("texts", "Texts")] {
        if let Some(table) = fields.get(name).filter(|table| !list(table.get("rows")).is_empty()) {
            page.heading(heading);
            text_table(page, table);
        }
    }
    for (i, place) in list(fields.get("found")).iter().enumerate() {
        neighborhood(page, i + 1, place);
    }
    for figure in list(fields.get("figures")).iter().filter_map(|written| answer.figure(written)) {
        of_figure(page, &figure, true);
    }
    for note in list(fields.get("notes")).iter().filter_map(Value::as_str) {
        page.blank();
        page.paragraph(note, MUTED);
    }
}

/// A block of a sheet.
fn written(page: &mut Page, kind: &str, name: &str, held: &Value, answer: &Answer) {
    match (name, held.as_str()) {
        ("reading", Some(text)) => {
            page.blank();
            page.paragraph(text, STRONG);
        }
        ("heading", Some(text)) => page.heading(text),
        ("text", Some(text)) => {
            page.blank();
            page.paragraph(text, PLAIN);
        }
        ("note", Some(text)) => {
            page.blank();
            page.paragraph(text, MUTED);
        }
        ("facts", _) => facts(page, Some(held)),
        ("table", _) => table(page, held),
        ("download", _) => {
            let name = held.get("name").and_then(Value::as_str).unwrap_or_default();
            page.blank();
            page.paragraph(&format!("{name}: in the output of --json"), MUTED);
        }
        ("figures", _) => {
            let figures: Vec<Figure> = list(Some(held)).iter().filter_map(|written| answer.figure(written)).collect();
            // of withheld figures nothing but the sentence is there: once is enough, and there is nothing to draw
            let (withheld, drawn): (Vec<&Figure>, Vec<&Figure>) =
                figures.iter().partition(|figure| figure.panels.is_empty() && figure.title == figure.alt);
            for figure in &drawn {
                of_figure(page, figure, false);
            }
            if let Some(figure) = withheld.first() {
                page.blank();
                page.paragraph(&figure.title, MUTED);
            }
            if !drawn.is_empty() {
                // an experiment is no chart of a run, and draws its own
                let command = if kind == "experiment" { kind.to_owned() } else { format!("chart {kind}") };
                page.paragraph(&format!("Drawn by localcal {command} … --out {kind}.svg"), MUTED);
            }
        }
        _ => {}
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn facts(page: &mut Page, written: Option<&Value>) {
    let fact = |fact: &Value| {
        let text = |name: &str| fact.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        (text("name"), text("value"))
    };
    let facts: Vec<(String, String)> = list(written).iter().map(fact).collect();
    if !facts.is_empty() {
        page.blank();
        page.facts(facts.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    }
}

fn table(page: &mut Page, written: &Value) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let head = |column: &Value| (text(column, "title"), text(column, "align") == "end");
    let tone = |cell: &Value| match text(cell, "tone").as_str() {
        "over" => OVER,
        "under" => UNDER,
        "best" => BEST,
        "muted" => MUTED,
        _ => PLAIN,
    };
    let cell = |cell: &Value| {
        let (first, beneath) = (text(cell, "text"), text(cell, "beneath"));
        match beneath.is_empty() {
            true => Cell::new(first, tone(cell)),
            false => Cell::of_lines(&first, &beneath, tone(cell)),
        }
    };
    let rows = list(written.get("rows")).iter().map(|row| list(Some(row)).iter().map(cell).collect());
    let table = Table { heads: list(written.get("columns")).iter().map(head).collect(), rows: rows.collect() };
    page.heading(&text(written, "caption"));
    page.table(&table);
}

/// A table as it stands in an answer beside its sheet, or for a figure.
fn text_table(page: &mut Page, written: &Value) {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let head = |column: &Value| (text(column, "title"), text(column, "align") == "end");
    let cell = |cell: &Value| Cell::from(cell.as_str().unwrap_or_default());
    let rows = list(written.get("rows")).iter().map(|row| list(Some(row)).iter().map(cell).collect());
    let table = Table { heads: list(written.get("columns")).iter().map(head).collect(), rows: rows.collect() };
    if !table.rows.is_empty() {
        page.blank();
        page.table(&table);
    }
}

/// One of the worst places.
fn neighborhood(page: &mut Page, number: usize, place: &Value) {
    let text = |name: &str| place.get(name).and_then(Value::as_str).unwrap_or_default();
    page.blank();
    page.paragraph(&format!("{number}. {}: {}", text("title"), text("headline")), tone_of(place));
    page.hanging("   ", text("verdict"), PLAIN);
    let facts = list(place.get("facts")).iter().map(|fact| {
        let text = |name: &str| fact.get(name).and_then(Value::as_str).unwrap_or_default();
        format!("{} {}", text("name"), text("value"))
    });
    page.hanging("   ", &facts.collect::<Vec<_>>().join(" · "), MUTED);
}

fn tone_of(place: &Value) -> Style {
    if place.get("gap").and_then(Value::as_f64).unwrap_or_default() > 0.0 { OVER } else { UNDER }
}

/// A figure in a sentence, and in numbers where no table stands beside it.
fn of_figure(page: &mut Page, figure: &Figure, with_table: bool) {
    page.blank();
    if !figure.title.is_empty() {
        page.paragraph(&figure.title, STRONG);
    }
    page.paragraph(&figure.alt, PLAIN);
    if with_table {
        let mut table = Table {
            heads: figure
                .table
                .columns
                .iter()
                .map(|c| (c.title.clone(), c.align == localcal::plot::table::Align::End))
                .collect(),
            rows: figure
                .table
                .rows
                .iter()
                .map(|row| row.iter().map(|cell| Cell::from(cell.as_str())).collect())
                .collect(),
        };
        let all = table.rows.len();
        table.rows.truncate(MOST_ROWS);
        page.blank();
        page.table(&table);
        if all > MOST_ROWS {
            page.paragraph(&format!("… {} more rows", all - MOST_ROWS), MUTED);
        }
    }
}
