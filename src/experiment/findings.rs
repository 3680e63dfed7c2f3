//! What an experiment says in words: the headline, what it stands on, differences, and how they were compared.

use super::comparisons::{Against, Comparison, DifferenceVerdict, Over};
use super::grid::{over_divisions, places};
use super::measure::Measure;
use super::outline::{Column, Outline, Series, symbol};
use super::ranks::{Ranking, Ranks};
use super::spec::Compare;
use super::summary::ComparedColumn;
use crate::metric::entry::Better;
use crate::metric::registry::supported;
use crate::report::sheet::{Block, Cell, SheetTable, Tone};
use crate::report::verdict::LEVEL;
use crate::report::view::Fact;
use crate::words::number::p_value;
use crate::words::number::{count, fixed};
use crate::words::text::{capitalized, counted};

/// Columns of mean ranks, beyond which those of every value of a setting are left out.
const RANKED: usize = 8;
/// Tables of differences that are shown.
const MOST_TABLES: usize = 12;
/// Values of a setting of the metric from which on curves are read, and no table is shown for each.
const SWEPT: usize = 4;

/// `the other method`, `each of the other 11 methods`.
fn others(n: usize, each: bool) -> String {
    match (n, each) {
        (1, _) => "the other method".to_owned(),
        (_, true) => format!("each of the other {} methods", count(n as u64)),
        (_, false) => format!("the other {} methods", count(n as u64)),
    }
}

/// The finding: who is best by the first metric, and which methods do not differ significantly from it; or what the planned
/// comparisons say.
pub fn headline(outline: &Outline, compared: &[ComparedColumn], ranking: &Ranking) -> String {
    let mut ranked = ranking.ranks.iter().filter(|ranks| supported(&ranks.metric).is_none());
    if let Some(ranks) = ranked.next().filter(|_| outline.data.len() > 1) {
        return by_ranks(ranks, ranking);
    }
    let all = compared;
    if let Some((compared, best)) = spoken(compared).find_map(|one| Some((one, one.best?))) {
        let said = by_plan(compared).or_else(|| by_sweep(&swept(compared.column, spoken(all))));
        return said.unwrap_or_else(|| by_means(compared, best));
    }
    let only = spoken(compared).find_map(|compared| {
        let place = compared.summary.iter().position(|one| one.mean.is_some())?;
        Some((compared, place, compared.summary.get(place)?))
    });
    match only.and_then(|(compared, place, summary)| {
        Some((compared, compared.column.series.get(place)?, summary, summary.mean?))
    }) {
        Some((compared, series, summary, mean)) => format!(
            "{}: {} {} {}; {}.",
            series.variant.subject(),
            compared.column.name(),
            compared.column.measure.with_unit(mean, summary.sd),
            over_divisions(compared.column),
            match compared.column.measure.better {
                Better::Neither => "methods are not ranked by it",
                _ => "there is no other method to compare it with",
            }
        ),
        None => unsupported(compared).unwrap_or_else(|| "No results yet.".to_owned()),
    }
}

/// Columns that a headline may be made of: no maximum that a place with a few rows decides.
fn spoken<'a>(compared: &'a [ComparedColumn<'a>]) -> impl Iterator<Item = &'a ComparedColumn<'a>> {
    compared.iter().filter(|one| supported(one.column.measure.id).is_none())
}

/// The columns of the same quantity under every value of the settings of the metric.
fn swept<'a>(column: &Column, all: impl Iterator<Item = &'a ComparedColumn<'a>>) -> Vec<&'a ComparedColumn<'a>> {
    let of = |column: &Column| {
        (column.data.clone(), column.measure.id, column.space.clone(), column.at.keys().cloned().collect::<Vec<_>>())
    };
    let own = of(column);
    all.filter(|one| of(one.column) == own).collect()
}

/// How often each method is best where a setting of the metric, such as its bandwidth, has many values: none of them is the one
/// to be told of.
fn by_sweep(columns: &[&ComparedColumn]) -> Option<String> {
    let first = columns.first().filter(|_| columns.len() >= SWEPT)?.column;
    // the label of the best, and whether it is significantly better than every other
    let bests: Vec<(&Series, bool)> = columns
        .iter()
        .filter_map(|one| {
            let best = one.best?;
            let others: Vec<usize> = (0..one.column.series.len())
                .filter(|place| {
                    *place != best && one.column.series.get(*place).is_some_and(|series| series.count() > 0)
                })
                .collect();
            let worse =
                |place: &usize| one.to_best(*place).is_some_and(|one| one.verdict == Some(DifferenceVerdict::Worse));
            Some((one.column.series.get(best)?, !others.is_empty() && others.iter().all(worse)))
        })
        .collect();
    let mut methods: Vec<(String, usize, usize)> = Vec::new();
    for (series, certain) in &bests {
        let subject = series.variant.subject();
        let place = methods.iter().position(|(name, ..)| *name == subject).unwrap_or_else(|| {
            methods.push((subject, 0, 0));
            methods.len() - 1
        });
        if let Some((_, times, certainly)) = methods.get_mut(place) {
            *times += 1;
            *certainly += usize::from(*certain);
        }
    }
    methods.sort_by_key(|(_, times, _)| std::cmp::Reverse(*times));
    let (name, times, certainly) = methods.first()?;
    let setting = first.at.keys().map(|name| symbol(name)).collect::<Vec<_>>().join(" and ");
    let space = first.space.as_ref().map_or_else(String::new, |space| format!(" in {space}"));
    let (extreme, quantity, over) = (first.measure.extreme(), first.measure.name, over_divisions(first));
    let missing = columns.len() - bests.len();
    let missing = match missing {
        0 => String::new(),
        n => format!(" At {} no method has a value.", count(n as u64)),
    };
    Some(format!(
        "{name} has the {extreme} {quantity}{space} at {} of {} values of {setting} {over}, significantly better than every other \
         method at {}.{missing}",
        count(*times as u64),
        count(columns.len() as u64),
        count(*certainly as u64),
    ))
}

/// Why no statement is made of a maximum, where nothing else was measured.
fn unsupported(compared: &[ComparedColumn]) -> Option<String> {
    let first = compared.iter().find(|one| one.column.series.iter().any(|series| series.count() > 0))?;
    let (measure, other) = (first.column.measure, supported(first.column.measure.id)?);
    let beside = compared.iter().map(|one| one.column).filter(|column| column.measure.id == other.id);
    let why = beside.flat_map(|column| &column.series).find_map(|series| series.reason.clone());
    let why = why.unwrap_or_else(|| {
        format!("it is determined by the location with the fewest rows; add `{}` to compare methods", other.id)
    });
    Some(format!("No statement is made about {}: {why}.", measure.name))
}

fn by_means(compared: &ComparedColumn, best: usize) -> String {
    let column = compared.column;
    let Some((series, summary)) = column.series.get(best).zip(compared.summary.get(best)) else {
        return String::new();
    };
    let (label, subject) = (series.variant.label(), series.variant.subject());
    let value = summary.mean.map_or_else(String::new, |mean| column.measure.with_unit(mean, summary.sd));
    let (name, extreme, over) = (column.name(), column.measure.extreme(), over_divisions(column));
    let rivals: Vec<Option<DifferenceVerdict>> = (0..column.series.len())
        .filter(|place| *place != best && column.series.get(*place).is_some_and(|series| series.count() > 0))
        .map(|place| compared.to_best(place).and_then(|one| one.verdict))
        .collect();
    let n = rivals.len();
    let worse = rivals.iter().filter(|verdict| **verdict == Some(DifferenceVerdict::Worse)).count();
    let unknown = rivals.iter().filter(|verdict| verdict.is_none()).count();
    let near = n - worse;
    if unknown == n {
        return format!(
            "{subject} has the {extreme} {name}, {value}, of {} methods {over}; the difference was not tested.",
            count(n as u64 + 1)
        );
    }
    let power =
        detectable_words(column.measure, compared.comparisons.iter().filter(|one| one.against == Against::Best));
    if worse == 0 {
        return format!(
            "No method is significantly better than the others by {name} {over}: the {extreme} mean, {value} ({label}), is not \
             significantly different from that of {}{power}.",
            if n == 1 { "the other method".to_owned() } else { format!("any of the other {}", count(n as u64)) }
        );
    }
    if near == 0 {
        return format!(
            "{subject} has the {extreme} {name} ({value}), significantly better than {} {over}.",
            others(n, true)
        );
    }
    format!(
        "{subject} has the {extreme} {name} ({value}); {} of {} {} not significantly different from it {over}{power}.",
        count(near as u64),
        others(n, false),
        if near == 1 { "is" } else { "are" },
    )
}

/// What planned comparisons say; none where every pair is compared, or nothing could be tested.
fn by_plan(compared: &ComparedColumn) -> Option<String> {
    let column = compared.column;
    column.planned()?;
    let told: Vec<&Comparison> = compared.comparisons.iter().filter(|one| one.verdict.is_some()).collect();
    let first = told.first()?;
    let of = |verdict: DifferenceVerdict| told.iter().filter(|one| one.verdict == Some(verdict)).count();
    let (better, worse, near) =
        (of(DifferenceVerdict::Better), of(DifferenceVerdict::Worse), of(DifferenceVerdict::NotSignificant));
    let control = first.other();
    let all = told.len();
    let what = match told.iter().all(|one| one.other() == control) {
        true if control.is_none() => format!("{} compared with no recalibration", counted(all, "method")),
        true => format!("{} compared with {}", counted(all, "method"), control.label()),
        false => counted(all, "planned comparison"),
    };
    let power = detectable_words(column.measure, told.iter().copied());
    Some(format!(
        "Of {what} by {} {}, {} significantly better, {} significantly worse and {} not significantly different{power}.",
        column.name(),
        over_divisions(column),
        count(better as u64),
        count(worse as u64),
        count(near as u64),
    ))
}

/// " (detectable difference at 80% power: 0.8 to 2.1 points)" of those that are not significant; empty without any.
fn detectable_words<'a>(measure: Measure, all: impl Iterator<Item = &'a Comparison>) -> String {
    let mut sizes: Vec<f64> = all.filter_map(|one| one.detectable).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let (Some(least), Some(most)) = (sizes.first(), sizes.last()) else { return String::new() };
    let unit = measure.after_number();
    let (least, most) = (measure.number(*least), measure.number(*most));
    let range = if least == most { least } else { format!("{least} to {most}") };
    format!(" (detectable difference at 80% power: {range}{unit})")
}

fn by_ranks(ranks: &Ranks, ranking: &Ranking) -> String {
    let Some((measure, best)) = Measure::of(&ranks.metric).zip(ranks.methods.first()) else {
        return String::new();
    };
    let (label, subject) = (best.variant().label(), best.variant().subject());
    let name = measure.name;
    let sets = format!("{} data sets", count(ranks.n as u64));
    let k = ranks.methods.len();
    let Some(test) = &ranks.friedman else {
        let against = ranking.comparisons.iter().find(|one| {
            one.against == Against::Best
                && one.metric == ranks.metric
                && one.space == ranks.space
                && one.metric_at == ranks.at
        });
        return match against.and_then(|one| Some((one, one.p_signed_rank?))) {
            Some((one, p)) if p < LEVEL => {
                format!(
                    "{subject} is better than {} by {name} over {sets} (signed-rank test, {}).",
                    one.variant().label(),
                    p_value(p)
                )
            }
            Some((one, p)) => format!(
                "{label} and {} are not significantly different by {name} over {sets} (signed-rank test, {}).",
                one.variant().label(),
                p_value(p)
            ),
            None => format!("{subject} has the best mean rank by {name}; the difference was not tested."),
        };
    };
    let last = ranks.methods.last().unwrap_or(best);
    if !ranks.differ() {
        return format!(
            "Mean ranks by {name} over {sets} are not significantly different (Friedman’s test, {}): mean ranks run from {} ({label}) to {} ({}).",
            p_value(test.p_f),
            fixed(best.rank, 2),
            fixed(last.rank, 2),
            last.variant().label()
        );
    }
    let near = ranks.together().first().filter(|run| run.0 == 0).map_or(0, |run| run.1);
    let apart = match near {
        0 => format!("it is significantly better than {}", others(k - 1, true)),
        near => format!(
            "{} of {} {} not significantly different from it",
            count(near as u64),
            others(k - 1, false),
            if near == 1 { "is" } else { "are" }
        ),
    };
    format!(
        "{subject} has the best mean rank by {name} over {sets}, {} of {k}; {apart} (Friedman’s test, {}; critical difference {}).",
        fixed(best.rank, 2),
        p_value(test.p_f),
        ranks.critical_difference.map_or_else(|| "–".to_owned(), |cd| fixed(cd, 2))
    )
}

/// How the methods stand to the scores as they came, by the first metric; none without these, or without a test.
pub fn against_none(compared: &[ComparedColumn]) -> Option<String> {
    let compared = spoken(compared).find(|one| one.best.is_some())?;
    let told: Vec<DifferenceVerdict> =
        compared.comparisons.iter().filter(|one| one.against == Against::None).filter_map(|one| one.verdict).collect();
    let of = |verdict: DifferenceVerdict| count(told.iter().filter(|one| **one == verdict).count() as u64);
    (!told.is_empty()).then(|| {
        format!(
            "Compared with the original predictions, by {}: {} significantly better, {} significantly worse, {} not \
             significantly different.",
            compared.column.name(),
            of(DifferenceVerdict::Better),
            of(DifferenceVerdict::Worse),
            of(DifferenceVerdict::NotSignificant),
        )
    })
}

fn fact(name: &str, value: String) -> Fact {
    Fact { name: name.to_owned(), value }
}

/// What the numbers stand on.
pub fn facts(outline: &Outline) -> Vec<Fact> {
    let range = |sizes: &mut dyn Iterator<Item = usize>| {
        let sizes: Vec<usize> = sizes.filter(|n| *n > 0).collect();
        let (low, high) = (sizes.iter().min().copied()?, sizes.iter().max().copied()?);
        let (low, high) = (count(low as u64), count(high as u64));
        Some(if low == high { low } else { format!("{low} to {high}") })
    };
    let mut facts = vec![fact("Methods", count(outline.variants.len() as u64))];
    if outline.data.len() > 1 {
        facts.push(fact("Data sets", count(outline.data.len() as u64)));
    } else if let Some(column) = outline.columns.first() {
        facts.push(fact("Splits", count(column.divisions.len() as u64)));
    }
    facts.extend(range(&mut outline.cells.iter().map(|cell| cell.rows)).map(|text| fact("Rows evaluated", text)));
    facts.extend(range(&mut outline.cells.iter().map(|cell| cell.fitted)).map(|text| fact("Rows per fit", text)));
    let missing = outline.cells.iter().filter(|cell| cell.value.is_none()).count();
    if missing > 0 {
        let of = format!("{} of {}", count(missing as u64), count(outline.cells.len() as u64));
        facts.push(fact("Missing values", of));
    }
    facts
}

/// p as it stands in a table.
fn p_cell(p: Option<f64>) -> Cell {
    match p {
        Some(p) if p < 0.001 => Cell::number("<0.001", p),
        Some(p) => Cell::number(fixed(p, 3), p),
        None => Cell::from("–"),
    }
}

fn difference_cell(measure: &Measure, one: Option<&Comparison>) -> Cell {
    let Some(one) = one else { return Cell::from("") };
    let Some(difference) = one.difference else {
        return Cell::from("–").with_beneath(one.reason.clone().unwrap_or_default());
    };
    let text = signed(measure, difference);
    let beneath = match (one.low, one.high) {
        (Some(low), Some(high)) => {
            let power =
                one.detectable.map_or_else(String::new, |size| format!("; detectable {}", measure.number(size)));
            format!("{} to {}{power}", signed(measure, low), signed(measure, high))
        }
        _ => one.reason.clone().unwrap_or_default(),
    };
    let verdict = match one.verdict {
        Some(DifferenceVerdict::Better) => format!("{text} better"),
        Some(DifferenceVerdict::Worse) => format!("{text} worse"),
        Some(DifferenceVerdict::NotSignificant) => format!("{text} n.s."),
        None => text,
    };
    let tone = if one.verdict == Some(DifferenceVerdict::Better) { Tone::Best } else { Tone::Plain };
    Cell::number(verdict, difference).with_beneath(beneath).toned(tone)
}

fn signed(measure: &Measure, value: f64) -> String {
    let text = measure.number(value);
    if value > 0.0 { format!("+{text}") } else { text }
}

/// Differences to the scores as they came and to the best, a table a quantity.
pub fn differences(compared: &[ComparedColumn], ranking: &Ranking, outline: &Outline) -> Vec<Block> {
    let several = outline.data.len() > 1;
    let mut tables: Vec<SheetTable> = Vec::new();
    if several {
        tables.extend(over_data_sets(ranking));
    }
    let is_curve =
        |one: &ComparedColumn| one.column.planned().is_none() && swept(one.column, compared.iter()).len() >= SWEPT;
    let told = |one: &&ComparedColumn| one.comparisons.iter().any(|one| one.verdict.is_some()) && !is_curve(one);
    // those that depend on no setting that varies first: the others stand in curves
    for swept in [false, true] {
        let here = compared.iter().filter(told).filter(|one| one.column.at.is_empty() != swept);
        tables.extend(here.map(difference_table));
    }
    let curves = compared.iter().any(|one| is_curve(one) && one.comparisons.iter().any(|one| one.verdict.is_some()));
    let elsewhere = curves.then(|| {
        Block::Note("Paired differences at each value of a setting of a metric are in the saved experiment.".to_owned())
    });
    if tables.is_empty() {
        return elsewhere.into_iter().collect();
    }
    let words = (tables.len() > MOST_TABLES).then(|| {
        format!(
            "Shown: tables of the first {MOST_TABLES} of {} measures; the saved experiment contains all.",
            tables.len()
        )
    });
    let heading = Block::Heading("Paired differences".to_owned());
    let shown = tables.into_iter().take(MOST_TABLES).map(Block::Table);
    std::iter::once(heading).chain(shown).chain(words.map(Block::Note)).chain(elsewhere).collect()
}

/// Planned comparisons, one a line.
fn planned_table(compared: &ComparedColumn) -> SheetTable {
    let column = compared.column;
    let measure = &column.measure;
    let head = format!("#{}", capitalized(&measure.head()));
    let data = column.data.as_ref().map_or_else(String::new, |data| format!("{data}: "));
    let caption = format!("{data}{} {}, planned comparisons", capitalized(&column.name()), over_divisions(column));
    let mut table = SheetTable::new(caption, &["Method", &head, "Compared with", "#Difference", "#p"]);
    let decimals = places(compared);
    for one in &compared.comparisons {
        let place = column.series.iter().position(|series| series.variant == one.variant());
        let summary = place.and_then(|place| compared.summary.get(place));
        let mean = summary.and_then(|summary| {
            let mean = summary.mean?;
            Some(Cell::number(measure.written(mean, summary.sd, decimals), mean))
        });
        table.rows.push(vec![
            Cell::from(one.variant().label()),
            mean.unwrap_or_else(|| Cell::from("–")),
            Cell::from(one.other().label()),
            difference_cell(measure, Some(one)),
            p_cell(one.p),
        ]);
    }
    table
}

fn difference_table(compared: &ComparedColumn) -> SheetTable {
    let column = compared.column;
    let measure = &column.measure;
    if column.planned().is_some() {
        return planned_table(compared);
    }
    let with_none = column.none().is_some();
    let best = compared.best.and_then(|place| column.series.get(place)).map(|series| series.variant.label());
    let less_best = best.as_ref().map(|label| format!("#Minus {label}"));
    let head = format!("#{}", capitalized(&measure.head()));
    let mut titles = vec!["Method", &head];
    if with_none {
        titles.extend(["#Minus original", "#p"]);
    }
    if let Some(less_best) = &less_best {
        titles.extend([less_best.as_str(), "#p"]);
    }
    let data = column.data.as_ref().map_or_else(String::new, |data| format!("{data}: "));
    let mut table =
        SheetTable::new(format!("{data}{} {}", capitalized(&column.name()), over_divisions(column)), &titles);
    let decimals = places(compared);
    for (place, (series, summary)) in column.series.iter().zip(&compared.summary).enumerate() {
        let written = |mean| Cell::number(measure.written(mean, summary.sd, decimals), mean);
        let mean = summary.mean.map_or_else(|| Cell::from("–"), written);
        let mut row =
            vec![Cell::from(series.variant.label()), mean.with_beneath(summary.reason.clone().unwrap_or_default())];
        if with_none {
            let one = compared.to_none(place);
            row.extend([difference_cell(measure, one), one.map_or_else(Cell::default, |one| p_cell(one.p))]);
        }
        if best.is_some() {
            let one = compared.to_best(place);
            row.extend([difference_cell(measure, one), one.map_or_else(|| Cell::from("best"), |one| p_cell(one.p))]);
        }
        table.rows.push(row);
    }
    table
}

/// Methods against the one with the best mean rank, one value a data set.
fn over_data_sets(ranking: &Ranking) -> Vec<SheetTable> {
    let tables = ranking.ranks.iter().filter_map(|ranks| {
        let measure = Measure::of(&ranks.metric)?;
        let of = |against: Against| {
            ranking.comparisons.iter().filter(move |one| {
                one.against == against
                    && (one.over, one.metric.as_str()) == (Over::DataSets, ranks.metric.as_str())
                    && one.space == ranks.space
                    && one.metric_at == ranks.at
            })
        };
        let best = ranks.methods.first()?.variant().label();
        let column = format!("#{} minus {best}", capitalized(&measure.head()));
        let titles = ["Method", "#Mean rank", &column, "#p (t)", "#p (signed rank)", "#p (sign)"];
        let mut table = SheetTable::new(
            format!(
                "{} over {} data sets, each method compared with the best mean rank",
                capitalized(measure.name),
                count(ranks.n as u64)
            ),
            &titles,
        );
        table.rows = ranks
            .methods
            .iter()
            .map(|one| {
                let against = of(Against::Best).find(|other| other.method == one.method && other.at == one.at);
                let mut row = vec![Cell::from(one.variant().label()), Cell::number(fixed(one.rank, 2), one.rank)];
                row.push(difference_cell(&measure, against));
                let ps = against.map(|one| [one.p, one.p_signed_rank, one.p_sign]);
                row.extend(ps.map_or_else(|| [(); 3].map(|()| Cell::default()), |ps| ps.map(p_cell)));
                row
            })
            .collect();
        Some(table)
    });
    tables.collect()
}

/// Mean ranks of the divisions of one data set: methods × metrics, without a test.
pub fn rank_table(outline: &Outline, ranking: &Ranking) -> Vec<Block> {
    let all = ranking.ranks.iter().filter(|ranks| ranks.over == Over::Divisions && ranks.n > 1);
    // where there are many, those that depend on no setting that varies
    let many = all.clone().count() > RANKED;
    let ranks: Vec<&Ranks> = all.filter(|ranks| !many || ranks.at.is_empty()).collect();
    let Some(first) = ranks.first() else { return Vec::new() };
    let heads: Vec<String> = ranks
        .iter()
        .map(|ranks| {
            let name = Measure::of(&ranks.metric).map_or("", |measure| measure.name);
            let more = ranks
                .space
                .iter()
                .cloned()
                .chain((!ranks.at.is_empty()).then(|| super::outline::settings_words(&ranks.at)));
            format!("#{}", std::iter::once(name.to_owned()).chain(more).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let titles: Vec<&str> = std::iter::once("Method").chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new("Mean rank over splits (1: best)", &titles);
    for variant in &outline.variants {
        let cells = ranks.iter().map(|ranks| {
            let rank = ranks.methods.iter().find(|one| one.variant() == *variant).map(|one| one.rank);
            rank.map_or_else(|| Cell::from("–"), |rank| Cell::number(fixed(rank, 2), rank))
        });
        table.rows.push(std::iter::once(Cell::from(variant.label())).chain(cells).collect());
    }
    let reason = first.reason.clone().map(Block::Note);
    std::iter::once(Block::Table(table)).chain(reason).collect()
}

/// How it was compared, and why values are missing.
pub fn notes(outline: &Outline, compared: &[ComparedColumn], ranking: &Ranking) -> Vec<String> {
    let mut notes = Vec::new();
    let tested: Vec<&ComparedColumn> =
        compared.iter().filter(|one| one.comparisons.iter().any(|one| one.p.is_some())).collect();
    if let Some(first) = tested.first() {
        notes.push(divisions_note(first, tested.len()));
    }
    if compared.iter().any(|one| one.best.is_some()) && tested.is_empty() {
        notes.push("Differences cannot be tested with a single split. Request more seeds or folds.".to_owned());
    }
    if ranking.comparisons.iter().any(|one| one.over == Over::DataSets) {
        notes.push(
            "Across data sets, each method has one value per data set, the mean over its splits. Data sets are \
             independent, so the paired t-test, Wilcoxon’s signed-rank test and the sign test are valid, each \
             adjusted (Holm) for all pairs of methods; mean ranks are tested by Friedman’s test (Iman and \
             Davenport’s F) and compared by Nemenyi’s critical difference at level .05 (Demšar, 2006)."
                .to_owned(),
        );
    }
    for ranks in ranking.ranks.iter().filter(|ranks| ranks.over == Over::DataSets && !ranks.left_out.is_empty()) {
        let name = Measure::of(&ranks.metric).map_or("", |measure| measure.name);
        let named: Vec<&str> = ranks.left_out.iter().take(8).map(String::as_str).collect();
        let more =
            if ranks.left_out.len() > 8 { format!(" and {} more", ranks.left_out.len() - 8) } else { String::new() };
        notes.push(format!("Excluded from the ranks by {name} because of missing values: {}{more}.", named.join(", ")));
    }
    let with_ideal = |column: &Column| column.measure.better.ideal().map(|ideal| (column.measure.name, ideal));
    if let Some((name, ideal)) = outline.columns.iter().find_map(with_ideal) {
        notes.push(format!(
            "{}: closer to {ideal} is better, so differences are of distances from {ideal}, and the best has the smallest \
             mean distance.",
            capitalized(name)
        ));
    }
    notes.extend(missing(outline));
    notes
}

/// The test, the correction and the level.
fn divisions_note(compared: &ComparedColumn, columns: usize) -> String {
    let column = compared.column;
    let compared = compared.pairs.corrected_for();
    let pairs = match (&column.compare, compared) {
        (_, 1) => String::new(),
        (Some(Compare::Control { .. }), n) => format!("the {} comparisons with the control", count(n as u64)),
        (Some(Compare::Pairs { .. }), n) => format!("the {} planned comparisons", count(n as u64)),
        (_, n) => format!("all {} pairs of methods, as the best is selected from the data", count(n as u64)),
    };
    let many = match (pairs.is_empty(), columns) {
        (true, 1) => String::new(),
        (true, n) => format!(" No adjustment across the {} measures.", count(n as u64)),
        (false, 1) => format!(" p-values and intervals are adjusted (Holm) for {pairs}."),
        (false, n) => format!(
            " p-values and intervals are adjusted (Holm) for {pairs}, but not across the {} measures.",
            count(n as u64)
        ),
    };
    let test = match column.divisions.iter().all(|name| name.contains("fold ")) {
        true => "corrected repeated k-fold cross-validation test (Nadeau and Bengio, 2003; Bouckaert and Frank, 2004)",
        false => "corrected resampled t-test (Nadeau and Bengio, 2003)",
    };
    let j = column.divisions.len();
    format!(
        "Splits share rows, so their spread alone would give intervals that are too narrow: the {test} uses (1/J + \
         evaluated/fitted) s² as variance of a mean difference over J splits, here with J = {}, {} degrees of \
         freedom and evaluated/fitted = {}.{many} Family-wise level .05: if all methods are equal, a measure has a \
         significant difference in at most 5% of experiments. “Not significantly different” is not equality: the \
         detectable difference is the true difference with 80% power, given the observed spread.",
        count(j as u64),
        count(j.saturating_sub(1) as u64),
        fixed(column.shared, 2),
    )
}

/// Reasons of missing values, the most frequent first.
fn missing(outline: &Outline) -> Option<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for cell in outline.cells.iter().filter(|cell| cell.value.is_none()) {
        let reason = cell.reason.as_deref().unwrap_or("reason unknown");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, n)) => *n += 1,
            None => reasons.push((reason, 1)),
        }
    }
    crate::num::order::sort(&mut reasons, &|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let all = reasons.len();
    let said: Vec<String> =
        reasons.into_iter().take(6).map(|(reason, n)| format!("{reason} ({})", count(n as u64))).collect();
    let more = if all > 6 { format!("; and {} other reasons", all - 6) } else { String::new() };
    (!said.is_empty()).then(|| format!("Missing values: {}{more}.", said.join("; ")))
}
