//! What a person reads of a run.

use localcal::data::{About, Role, Summary, View};
use localcal::metric::Reason;
use localcal::report::scorecard::{RecalibrationTable, ScoreRow};
use localcal::report::{MetricValue, RunOutcome};
use localcal::words::number::{count, significant};
use localcal::words::text::counted;

use crate::catalogue::{self, EXAMPLES, Entry};
use crate::print::{BEST, Cell, MUTED, OVER, PLAIN, Page, STRONG, Table};

/// The finding and the scorecard.
pub fn score(page: &mut Page, title: &str, summary: &Summary, run: &RunOutcome) {
    opened(page, title, summary);
    finding(page, run);
    scorecard(page, run);
    if run.report.methods.len() > 1 {
        page.heading("Methods");
        methods(page, &run.presentation.recalibration, false);
    }
}

/// Everything: the file, the finding, metrics with their definitions, methods, settings.
pub fn report(page: &mut Page, title: &str, summary: &Summary, run: &RunOutcome) {
    opened(page, title, summary);
    finding(page, run);
    scorecard(page, run);
    if run.report.methods.len() > 1 {
        page.heading("Methods");
        methods(page, &run.presentation.recalibration, true);
    }
    page.heading("Columns");
    columns(page, summary);
    if !summary.dropped.is_empty() {
        page.heading("Excluded rows");
        let rows = summary.dropped.iter().map(|row| (count(row.row as u64), row.reason.clone())).collect::<Vec<_>>();
        page.facts(rows.iter().map(|(row, reason)| (row.as_str(), reason.as_str())));
    }
    if !summary.warnings.is_empty() {
        page.heading("Warnings");
        for warning in &summary.warnings {
            page.hanging("- ", &warning.message, PLAIN);
        }
    }
    page.heading("Settings");
    page.facts(run.presentation.settings.iter().map(|fact| (fact.name.as_str(), fact.value.as_str())));
    page.heading("Description");
    for row in &run.presentation.scorecard {
        page.hanging("  ", &format!("{}: {}. {}", row.name, row.plain, row.definition), PLAIN);
    }
}

/// Methods compared.
pub fn recalibration(page: &mut Page, title: &str, run: &RunOutcome) {
    page.paragraph(title, STRONG);
    page.paragraph(&run.presentation.basis, MUTED);
    page.blank();
    methods(page, &run.presentation.recalibration, false);
}

/// The file and what its columns were taken for, in a few lines.
fn opened(page: &mut Page, title: &str, summary: &Summary) {
    // of confidences with correctness no class is known
    let of_correctness = summary.columns.iter().any(|column| column.role == Role::Correct);
    let classes = if of_correctness { String::new() } else { format!(", {} classes", summary.classes) };
    let mut line = counted(summary.rows, "row") + &classes;
    line += &match (summary.view, &summary.positive) {
        (View::TopLabel, _) if of_correctness => ", confidence and correctness".to_owned(),
        (View::Positive, Some(label)) => format!(", P(y = {label})"),
        (View::Positive, None) => ", P(y = 1)".to_owned(),
        (View::TopLabel, _) => ", confidence of the predicted class".to_owned(),
    };
    page.paragraph(&format!("{title}: {line}"), STRONG);
    // which evaluation log it is, and what becomes of its attempts
    for part in summary.told.iter().filter(|part| matches!(part.about, About::Log | About::Unanswered)) {
        page.paragraph(&part.text, PLAIN);
    }
    let mut roles: Vec<(Role, Vec<&str>)> = Vec::new();
    for column in &summary.columns {
        match roles.iter_mut().find(|(role, _)| *role == column.role) {
            Some((_, names)) => names.push(&column.name),
            None => roles.push((column.role, vec![&column.name])),
        }
    }
    roles.sort_by_key(|(role, _)| *role as usize);
    let words = roles.iter().map(|(role, names)| {
        let shown: Vec<&str> = names.iter().take(MOST_NAMES).copied().collect();
        let more =
            if names.len() > MOST_NAMES { format!(" and {} more", names.len() - MOST_NAMES) } else { String::new() };
        format!("{}: {}{more}", word(*role), shown.join(", "))
    });
    page.paragraph(&words.collect::<Vec<_>>().join(" · "), MUTED);
    for part in summary.told.iter().filter(|part| part.about == About::Clusters) {
        page.paragraph(&format!("Clusters: {}.", part.text), PLAIN);
    }
}

/// Most columns of one role that are named.
const MOST_NAMES: usize = 6;

fn word(role: Role) -> String {
    serde_json::to_value(role).ok().and_then(|role| Some(role.as_str()?.to_owned())).unwrap_or_default()
}

fn finding(page: &mut Page, run: &RunOutcome) {
    page.blank();
    page.paragraph(&run.presentation.headline, STRONG);
    page.paragraph(&run.presentation.floor, PLAIN);
    page.paragraph(&run.presentation.basis, MUTED);
}

/// Value, interval and floor of every metric that has a value, then why the others have none.
fn scorecard(page: &mut Page, run: &RunOutcome) {
    let Some(base) = run.report.methods.first() else {
        return;
    };
    let rows = &run.presentation.scorecard;
    let of = |row: &ScoreRow| base.metrics.get(&row.id);
    let (there, missing): (Vec<_>, Vec<_>) = rows.iter().partition(|row| of(row).is_some_and(|v| v.value.is_some()));
    let corrected = |row: &&ScoreRow| !row.corrected.is_empty();
    page.blank();
    let mut table = Table::new(&["", "#value", "#bias-corrected", "#95% CI", "#expected if calibrated", "description"]);
    for row in &there {
        let style = if row.beyond { OVER } else { PLAIN };
        let mut words = row.plain.clone();
        if !row.cut.is_empty() {
            words = format!("{words}; {}", row.cut);
        }
        let [low, high] = of(row).map_or([None; 2], |value| [value.low, value.high]);
        let interval = low.zip(high).map_or_else(String::new, |(low, high)| range(low, high));
        table.rows.push(vec![
            row.name.clone().into(),
            Cell::new(&row.value, style),
            row.corrected.clone().into(),
            interval.into(),
            row.floor.clone().into(),
            Cell::new(words, MUTED),
        ]);
    }
    let mut table = table.without_empty_columns();
    let mut notes = Vec::new();
    // one line a metric: words stand beside it only where there is room
    if !page.fits(&table) {
        table.drop_last_column();
        notes.push("Descriptions: localcal list metrics.".to_owned());
    }
    page.table(&table);
    if there.iter().any(corrected) {
        notes.push(
            "Bias-corrected: less an estimate of its upward bias from noise; the interval is around it.".to_owned(),
        );
    }
    if there.iter().any(|row| !row.floor.is_empty()) {
        notes.push(
            "Expected if calibrated: 95% null range, or (≤) the value not exceeded in 97.5% of samples of this size from a \
             calibrated model."
                .to_owned(),
        );
    }
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in missing {
        let why = of(row).map_or_else(String::new, why_missing);
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, names)) => names.push(&row.name),
            None => reasons.push((why, vec![&row.name])),
        }
    }
    notes.extend(reasons.iter().map(|(why, names)| format!("Not available: {} ({why}).", names.join(", "))));
    page.blank();
    for note in notes {
        page.paragraph(&note, MUTED);
    }
}

fn range(low: f64, high: f64) -> String {
    format!("{} to {}", significant(low), significant(high))
}

/// Why a value is missing, and what supplies it.
fn why_missing(value: &MetricValue) -> String {
    let Some(reason) = &value.reason else { return "undefined".to_owned() };
    match reason {
        Reason::NoLocalSettings => "--features defines similarity; --local lets the program choose".to_owned(),
        Reason::FeaturesMissing => "--features defines similarity".to_owned(),
        Reason::GroupsMissing => "--groups names the group column".to_owned(),
        reason => reason.text().trim_end_matches('.').to_owned(),
    }
}

/// Methods × metrics, then what each does and whether it helped.
fn methods(page: &mut Page, methods: &RecalibrationTable, every: bool) {
    let held = |c: usize| methods.rows.iter().any(|row| row.cells.get(c).is_some_and(|cell| cell.number.is_some()));
    let shown: Vec<usize> = (0..methods.columns.len())
        .filter(|&c| held(c) && (every || methods.columns.get(c).is_some_and(|c| c.main)))
        .collect();
    let heads = shown.iter().filter_map(|&c| methods.columns.get(c)).map(|column| format!("#{}", column.name));
    let heads: Vec<String> = std::iter::once("method".to_owned()).chain(heads).collect();
    // as many metrics beside each other as 80 columns hold
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &methods.rows {
        let mut cells = vec![Cell::from(row.name.clone())];
        for cell in shown.iter().filter_map(|&c| row.cells.get(c)) {
            let (sign, style) = match cell.side.as_str() {
                "better" => ("+", BEST),
                "worse" => ("-", OVER),
                _ => (" ", PLAIN),
            };
            cells.push(Cell::new(format!("{}{sign}", cell.value), style));
        }
        table.rows.push(cells);
    }
    page.table(&table);
    page.blank();
    page.paragraph("+ better, - worse than the original predictions, by the 95% CI of the paired difference.", MUTED);
    for row in methods.rows.iter().filter(|row| row.name != "none") {
        page.blank();
        let parameters = if row.parameters.is_empty() { String::new() } else { format!(" ({})", row.parameters) };
        page.paragraph(&format!("{}: {}{parameters}", row.name, row.plain), STRONG);
        if !row.verdict.is_empty() {
            page.hanging("  ", &row.verdict, PLAIN);
        }
        for warning in &row.warnings {
            page.hanging("  ", warning, MUTED);
        }
    }
}

fn columns(page: &mut Page, summary: &Summary) {
    let mut table = Table::new(&["column", "role", "why"]);
    for column in &summary.columns {
        let role = word(column.role);
        let role = if column.sure { role } else { format!("{role}?") };
        table.rows.push(vec![column.name.clone().into(), role.into(), Cell::new(&column.reason, MUTED)]);
    }
    page.table(&table);
}

/// What there is to choose from.
pub fn list(page: &mut Page, wanted: impl Fn(&str) -> bool, long: bool) {
    let lists = [
        ("metrics", "Metrics (--metrics)", catalogue::metrics()),
        ("methods", "Methods (--methods)", catalogue::methods()),
        ("methods", "After another method, as in temperature+density_ratio", catalogue::methods_after_another()),
        ("analyses", "Analyses (localcal analyse KIND)", catalogue::entries(catalogue::analyses())),
        ("charts", "Charts (localcal chart KIND); analyses have charts too", catalogue::entries(catalogue::charts())),
    ];
    for (what, title, entries) in lists {
        if wanted(what) {
            page.heading(title);
            entries_of(page, &entries, long);
        }
    }
    if wanted("examples") {
        page.heading("Examples (--example)");
        page.facts(EXAMPLES.iter().map(|example| (example.id, example.plain)));
    }
}

fn entries_of(page: &mut Page, entries: &[Entry], long: bool) {
    if long {
        for entry in entries {
            let name = if entry.name.is_empty() { String::new() } else { format!("{}: ", entry.name) };
            page.paragraph(&format!("{}  {name}{}", entry.id, entry.plain), STRONG);
            if !entry.definition.is_empty() {
                page.hanging("    ", &entry.definition, PLAIN);
            }
        }
        return;
    }
    let mut table = Table::new(&["", "", ""]);
    for entry in entries {
        table.rows.push(vec![Cell::new(&entry.id, STRONG), entry.name.clone().into(), entry.plain.clone().into()]);
    }
    page.rows(&table.without_empty_columns());
}
