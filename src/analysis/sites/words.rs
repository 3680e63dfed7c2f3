//! The sheet: how much sites differ, the pooled measures, a forest plot of each, a table of sites.

use std::fmt::Write;

use super::{
    PooledEstimate, PooledMeasure, SiteEstimate, SiteLines, SiteMeasure, SiteValue, SitesOutcome, SitesRequest,
    TOO_FEW_EXPECTED,
};
use crate::analysis::entry::fields;
use crate::data::{Predictions, View};
use crate::evaluation::method::whose_scores;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::report::RunOutcome;
use crate::report::csv::guarded;
use crate::report::disclosure::{Basis, Stated};
use crate::report::scorecard::depends_on_clipping;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone, only_first};
use crate::report::verdict::{Finding, LEVEL};
use crate::words::number::{count, interval, p_digits, p_value, percent, plain, significant};
use crate::words::text::{capitalized, counted};

/// Of the charts.
const ROOM: ChartWidth = ChartWidth::UpTo { usual: 560.0, most: 720.0 };
/// Sites that are drawn and listed; the file has all. The same in charts and table, so that neither reveals what the other
/// withholds.
const LISTED: usize = 40;
/// Sites that a sentence names beside the first.
const NAMED: usize = 4;

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &SitesRequest,
    outcome: &SitesOutcome,
    lines: &SiteLines,
) -> Sheet {
    let everywhere = || Basis::all_of(SiteMeasure::ALL.map(|measure| lines.pooled(outcome, measure)));
    let of_reading = if outcome.pooled.iter().any(|one| one.pooled.is_some()) { everywhere() } else { Basis::AllRows };
    let outside = outside(data, outcome, lines);
    // where something is withheld, the sentence about sites that are not pooled is judged by itself
    let mut blocks = match outside {
        Some((words, basis)) if !lines.suppressed => {
            vec![Block::Reading(reading(outcome, Some(&words))).of(Basis::all_of([of_reading, basis]))]
        }
        apart => {
            let apart = apart.map(|(words, basis)| Block::Text(words).of(basis));
            std::iter::once(Block::Reading(reading(outcome, None)).of(of_reading)).chain(apart).collect()
        }
    };
    let named = [
        two_differ(outcome),
        named(outcome, "Different from the mean of the other sites", |value| value.p_holm),
        named(outcome, "Beyond what the other sites predict", |value| value.p_outlying_holm),
    ];
    blocks.extend(named.into_iter().flatten().map(|words| Block::Text(words).of(everywhere())));
    let measures = outcome.pooled.iter().map(|one| match one.pooled {
        Some(_) => Basis::all_of([lines.pooled(outcome, one.measure)]),
        None => Basis::AllRows,
    });
    blocks.push(Block::Table(pooled_table(outcome)).of(Basis::Lines(measures.collect())));
    for one in &outcome.pooled {
        if let Some(pooled) = &one.pooled {
            blocks.push(forest(data.view, outcome, one, (pooled, lines)));
        }
    }
    let table = sites_table(data.view, outcome);
    let mut columns = vec![Basis::Setting; table.columns.len().saturating_sub(1)];
    // each site is compared with all others
    columns.last_mut().filter(|_| is_tested(outcome)).into_iter().for_each(|last| *last = everywhere());
    blocks.push(Block::Table(table).of(Basis::Grid { lines: vec![lines.first(LISTED)], columns }));
    if let Some(first) = only_first(LISTED, outcome.sites.len(), "sites by size") {
        blocks.push(Block::Note(format!("{first} The file sites.csv contains all.")).of(Basis::Setting));
    }
    if outcome.missing > 0 {
        let words = format!("{} without a value of “{}”.", counted(outcome.missing, "row"), outcome.title);
        blocks.push(Block::Note(words).of(Basis::all_of([Basis::Count(outcome.missing as u64), lines.missing()])));
    }
    blocks.push(Block::Note(note(data.view, outcome)).of(Basis::Setting));
    if outcome.clipped {
        blocks.push(Block::Note(depends_on_clipping()).of(Basis::AllRows));
    }
    blocks.extend(clusters_note(data).map(|words| Block::Note(words).of(Basis::Setting)));
    blocks.push(Block::Download { name: "sites.csv".to_owned(), text: outcome.csv.clone() }.of(Basis::Unknown));
    if let Some(weights) = data.weights.as_ref().filter(|weights| !weights.counted) {
        let words = format!(
            "Values use the sample weights in {}; numbers of rows and {} are counts.",
            weights.column,
            data.view.events()
        );
        blocks.push(Block::Note(words).of(Basis::Setting));
    }
    let request = SitesRequest { column: Some(outcome.title.clone()), ..request.clone() };
    Sheet::new(fields(data, run, &request), blocks)
}

/// "5 sites of ward", "the 5 pooled of 6 sites of ward"; for a column with the name `site`, "5 sites".
fn sites_in_words(pooled: usize, outcome: &SitesOutcome) -> String {
    let all = outcome.sites.len();
    let which = match pooled {
        2 if all == 2 => "the two sites".to_owned(),
        2 => format!("the two pooled of {} sites", count(all as u64)),
        _ if pooled == all => counted(all, "site"),
        _ => format!("the {} pooled of {} sites", count(pooled as u64), count(all as u64)),
    };
    format!("{which}{}", of_column(outcome))
}

/// " of ward"; nothing of a column with the name `site`.
fn of_column(outcome: &SitesOutcome) -> String {
    if outcome.title.eq_ignore_ascii_case("site") { String::new() } else { format!(" of {}", outcome.title) }
}

/// Sites whose O:E is not pooled and whose events differ from those that their scores expect, of those of which may be told; and
/// what the sentence is of: "S06 is not pooled: 0 events of 35.3 expected (adjusted p < 0.001)."
fn outside(data: &Predictions, outcome: &SitesOutcome, lines: &SiteLines) -> Option<(String, Basis)> {
    let told = outcome.sites.iter().zip(&lines.places).zip(&lines.withheld).filter(|(_, withheld)| !**withheld);
    let significant_p = |site: &SiteEstimate| site.p_events_adjusted.filter(|p| *p <= LEVEL);
    let mut found: Vec<(&SiteEstimate, usize, f64)> =
        told.filter_map(|((site, place), _)| Some((site, *place, significant_p(site)?))).collect();
    found.sort_by(|a, b| a.2.total_cmp(&b.2));
    let unnamed = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    let weighted = data.weights.as_ref().is_some_and(|weights| !weights.counted);
    let event = match data.view {
        View::Positive => "event",
        View::TopLabel => "correct prediction",
    };
    let of = |site: &SiteEstimate, p: f64| {
        let ratio = site.values.get(SiteMeasure::ObservedExpected as usize);
        match ratio.and_then(|ratio| Some((ratio.value?, ratio.interval?))).filter(|_| weighted) {
            // numbers of rows are not those that sampling weights expect
            Some((ratio, [low, high])) => {
                format!("O:E {} (95% CI {}, adjusted {})", significant(ratio), interval(low, high), p_value(p))
            }
            None => format!(
                "{} of {} expected (adjusted {})",
                counted(site.events, event),
                significant(site.expected),
                p_value(p)
            ),
        }
    };
    let words = match found.as_slice() {
        [] => return None,
        [(site, _, p)] => format!("{} is not pooled: {}.", site.name, of(site, *p)),
        several => {
            let each: Vec<String> =
                several.iter().map(|(site, _, p)| format!("{}, {}", site.name, of(site, *p))).collect();
            let more = if unnamed > 0 { format!("; and {unnamed} more") } else { String::new() };
            format!(
                "Not pooled, with significantly more or fewer {} than expected: {}{more}.",
                data.view.events(),
                each.join("; ")
            )
        }
    };
    Some((words, lines.basis(found.iter().map(|(_, place, _)| *place).collect())))
}

/// Two sites that are compared with each other: one test, which does not show which of them deviates.
fn two_differ(outcome: &SitesOutcome) -> Option<String> {
    let of = |one: &PooledMeasure| {
        let pooled = outcome.sites.iter().filter(|site| site.is_pooled(one.measure));
        let values = pooled.filter_map(|site| Some((site, site.values.get(one.measure as usize)?)));
        let [(a, of_a), (b, of_b)]: [_; 2] = values.collect::<Vec<_>>().try_into().ok()?;
        let p = of_a.p_holm.filter(|p| *p <= LEVEL)?;
        Some(format!(
            "{} and {} differ in {}: {} and {} (adjusted {}).",
            a.name,
            b.name,
            one.measure.words(),
            significant(of_a.value?),
            significant(of_b.value?),
            p_value(p)
        ))
    };
    let found: Vec<String> = outcome.pooled.iter().filter_map(of).collect();
    (!found.is_empty()).then(|| format!("{} Two sites do not show which of them deviates.", found.join(" ")))
}

/// `outside`: a sentence about sites that are not pooled.
fn reading(outcome: &SitesOutcome, outside: Option<&str>) -> String {
    let outside = outside.map_or_else(String::new, |words| format!(" {words}"));
    let of = |words: &str| outcome.pooled.iter().find(|one| one.measure.words() == words);
    let claim = || {
        let Some((measure, pooled)) = of(&outcome.verdict.subject).and_then(|one| Some((one, one.pooled.as_ref()?)))
        else {
            return String::new();
        };
        let new_site = pooled.prediction.map_or_else(String::new, |[low, high]| {
            format!(" A new site is expected within {} (95% prediction interval).", interval(low, high))
        });
        format!(
            "{} differ in {}{}: pooled {} (95% CI {}), I² {}.{outside}{new_site}",
            capitalized(&sites_in_words(measure.sites, outcome)),
            measure.measure.words(),
            outcome.verdict.adjusted_p_in_brackets(),
            significant(pooled.value),
            interval(pooled.interval[0], pooled.interval[1]),
            percent(pooled.i2)
        )
    };
    let quiet = || {
        let ratio = outcome.pooled.iter().find_map(|one| Some((one, one.pooled.as_ref()?)));
        let pooled = ratio.map_or_else(String::new, |(one, pooled)| {
            let spread = match pooled.tau2_interval {
                [low, high] if low > 0.0 => format!(
                    "the standard deviation τ of {} between sites is {} to {} (95% CI, unadjusted)",
                    one.measure.scale(),
                    significant(low.sqrt()),
                    significant(high.sqrt())
                ),
                [_, high] if high > 0.0 => format!(
                    "the sites are compatible with a standard deviation τ of {} of up to {}",
                    one.measure.scale(),
                    significant(high.sqrt())
                ),
                _ => "the sites differ less than their standard errors suggest".to_owned(),
            };
            format!(
                " Pooled {} {} (95% CI {}); {spread}.",
                one.measure.words(),
                significant(pooled.value),
                interval(pooled.interval[0], pooled.interval[1]),
            )
        });
        let most = outcome.pooled.iter().map(|one| one.sites).max().unwrap_or(0);
        format!(
            "No significant difference {} {} (smallest p, adjusted for {}: {}{}).{outside}{pooled}",
            if most == 2 { "between" } else { "among" },
            sites_in_words(most, outcome),
            counted(outcome.pooled.len(), "measure"),
            outcome.verdict.subject,
            match outcome.verdict.p_in_brackets().trim_start_matches(" (").trim_end_matches(')') {
                "" => String::new(),
                p => format!(", {p}"),
            }
        )
    };
    match outcome.verdict.finding {
        Finding::Untested => format!("{}{outside}", outcome.verdict.headline(claim, quiet)),
        _ => outcome.verdict.headline(claim, quiet),
    }
}

/// The site with the smallest adjusted p, if that is small, and the names of the others whose p is: the mean that these are compared
/// with includes it.
fn named(outcome: &SitesOutcome, what: &str, p: impl Fn(&SiteValue) -> Option<f64>) -> Option<String> {
    // of two sites each is as far from the other
    let several = |value: &&SiteValue| outcome.pooled.iter().any(|one| one.measure == value.measure && one.sites > 2);
    let all = outcome.sites.iter().flat_map(|site| site.values.iter().filter(several).map(move |value| (site, value)));
    let mut found: Vec<(&SiteEstimate, &SiteValue, f64)> =
        all.filter_map(|(site, value)| Some((site, value, p(value).filter(|p| *p <= LEVEL)?))).collect();
    found.sort_by(|a, b| a.2.total_cmp(&b.2));
    let first = found.first()?.0;
    let (of_first, of_others): (Vec<_>, Vec<_>) = found.iter().partition(|(site, ..)| site.name == first.name);
    let each: Vec<String> = of_first
        .into_iter()
        .map(|(site, value, p)| {
            let size = value.value.map_or_else(String::new, |value| format!(" {}", significant(value)));
            format!("{} in {}{size} (adjusted {})", site.name, value.measure.words(), p_value(p))
        })
        .collect();
    let mut others: Vec<&str> = Vec::new();
    for (site, ..) in of_others {
        if !others.contains(&site.name.as_str()) {
            others.push(&site.name);
        }
    }
    let unnamed = others.len().saturating_sub(NAMED);
    others.truncate(NAMED);
    let more = if unnamed > 0 { format!(" and {unnamed} more") } else { String::new() };
    let others = match others.as_slice() {
        [] => String::new(),
        named => format!(
            " Also {}{more}, compared with values that include {}: see the table.",
            named.join(", "),
            first.name
        ),
    };
    Some(format!("{what}: {}.{others}", each.join("; ")))
}

/// " Not pooled, and without a mark: 2 sites (fewer than 10 expected events or other rows)."
///
/// `withheld`: of which sites nothing may be told; a reason is about a site's outcomes.
fn not_pooled(view: View, outcome: &SitesOutcome, measure: SiteMeasure, withheld: &[bool]) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    let told = outcome.sites.iter().zip(withheld).filter(|(_, withheld)| !**withheld);
    let values = told.filter_map(|(site, _)| site.values.get(measure as usize));
    for why in values.map(|value| value.why.as_str()).filter(|why| !why.is_empty()) {
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, sites)) => *sites += 1,
            None => reasons.push((why, 1)),
        }
    }
    let events = view.events();
    let words = |(why, sites): &(&str, usize)| {
        let why = match *why {
            TOO_FEW_EXPECTED => {
                format!("fewer than {} expected {events} or other rows", plain(measure.least(outcome.least)))
            }
            why => why.to_owned(),
        };
        format!("{} ({why})", counted(*sites, "site"))
    };
    let each: Vec<String> = reasons.iter().map(words).collect();
    if each.is_empty() { String::new() } else { format!(" Not pooled, and without a mark: {}.", each.join(", ")) }
}

fn pooled_table(outcome: &SitesOutcome) -> SheetTable {
    let mut table = SheetTable::new(
        format!("Pooled over sites{}", of_column(outcome)),
        &[
            "Measure",
            "#Sites",
            "#Pooled (95% CI)",
            "#95% prediction interval",
            "#τ (95% CI)",
            "#I²",
            "#Q",
            "#p of Q",
            "#All rows together",
        ],
    );
    let definitions = [
        (2, "Mean over sites by random effects (REML), with the modified Hartung–Knapp interval."),
        (3, "Where the value of a new site is expected; at least three sites."),
        (
            4,
            "Standard deviation between sites, on the scale on which the measure is pooled; interval by Q profile, none where \
             sites differ less than their standard errors suggest.",
        ),
        (5, "Share of the variance of estimates that is between sites."),
        (6, "Cochran's test that all sites have the same value."),
        (8, "As if all rows were of one site; large sites count by their rows."),
    ];
    define(&mut table, &definitions);
    for one in &outcome.pooled {
        let mut cells = vec![
            Cell::from(one.measure.title()).with_beneath(match one.measure.scale() {
                scale if one.measure == SiteMeasure::ObservedExpected || one.measure == SiteMeasure::Auroc => {
                    format!("pooled as {scale}")
                }
                _ => String::new(),
            }),
            Cell::number(count(one.sites as u64), one.sites as f64),
        ];
        match &one.pooled {
            Some(pooled) => cells.extend([
                Cell::number(
                    format!("{} ({})", significant(pooled.value), interval(pooled.interval[0], pooled.interval[1])),
                    pooled.value,
                ),
                pooled.prediction.map_or_else(dash, |[low, high]| Cell::from(interval(low, high))),
                Cell::number(
                    match pooled.tau2_interval.map(f64::sqrt) {
                        [_, 0.0] => significant(pooled.tau2.sqrt()),
                        [low, high] => format!("{} ({})", significant(pooled.tau2.sqrt()), interval(low, high)),
                    },
                    pooled.tau2,
                ),
                Cell::number(percent(pooled.i2), pooled.i2),
                Cell::number(significant(pooled.q), pooled.q),
                if pooled.p.is_nan() { dash() } else { Cell::number(p_digits(pooled.p), pooled.p) },
            ]),
            None => cells.extend(std::iter::repeat_with(dash).take(6)),
        }
        cells.push(one.together.map_or_else(dash, |value| Cell::number(significant(value), value)));
        table.rows.push(cells);
    }
    table
}

fn dash() -> Cell {
    Cell::from("–")
}

fn define(table: &mut SheetTable, definitions: &[(usize, &str)]) {
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(*place) {
            (*text).clone_into(&mut column.definition);
        }
    }
}

/// Sites one under the other, the pooled value with its prediction interval last.
fn forest(
    view: View,
    outcome: &SitesOutcome,
    one: &PooledMeasure,
    (pooled, lines): (&PooledEstimate, &SiteLines),
) -> Stated<Block> {
    let place = one.measure as usize;
    let drawn = || outcome.sites.iter().take(LISTED);
    let row = |site: &SiteEstimate| {
        let value = site.values.get(place).filter(|value| value.why.is_empty());
        let [low, high] = value.and_then(|value| value.interval).unwrap_or([f64::NAN; 2]);
        IntervalRow {
            name: site.name.clone(),
            value: value.and_then(|value| value.value).unwrap_or(f64::NAN),
            low,
            high,
            together: None,
            faint: value.and_then(|value| value.p_holm).is_none_or(|p| p > LEVEL),
            more: match value {
                Some(value) => {
                    vec![counted(site.n, "row"), format!("weight {}", percent(value.weight))]
                }
                None => vec![site.values.get(place).map_or_else(String::new, |value| value.why.clone())],
            },
        }
    };
    let mut rows: Vec<IntervalRow> = drawn().map(row).collect();
    rows.push(IntervalRow {
        name: "Pooled".to_owned(),
        value: pooled.value,
        low: pooled.interval[0],
        high: pooled.interval[1],
        together: pooled.prediction,
        faint: false,
        more: vec![counted(one.sites, "site")],
    });
    let (at, name) = match one.measure.ideal() {
        Some(ideal) => (ideal, format!("calibrated, {}", plain(ideal))),
        None => (pooled.value, "pooled".to_owned()),
    };
    let untold = only_first(LISTED, outcome.sites.len(), "sites by size").map_or_else(String::new, |s| format!(" {s}"));
    let chart = IntervalChart {
        rows,
        value_name: one.measure.title().to_owned(),
        counted: Counted::Against { at, name, ratios: one.measure == SiteMeasure::ObservedExpected },
        signed: false,
        compares: true,
        title: format!("{} by site", one.measure.title()),
        caption: format!(
            "{} of {} in each site of {}, with 95% CI. Filled: the pooled value, and sites that differ from the mean of the others (adjusted p).{} Bar: 95% prediction \
             interval of a new site.{untold}",
            one.measure.title(),
            whose_scores(&outcome.method),
            outcome.title,
            not_pooled(view, outcome, one.measure, &lines.withheld)
        ),
    };
    let parts = vec![lines.first(LISTED), Basis::all_of([lines.pooled(outcome, one.measure)])];
    Block::Charts(vec![Chart::new(chart, ROOM)]).of(Basis::Lines(parts))
}

fn sites_table(view: View, outcome: &SitesOutcome) -> SheetTable {
    let events = match view {
        View::Positive => "#Events",
        View::TopLabel => "#Correct",
    };
    let heads: Vec<String> = SiteMeasure::ALL.iter().map(|measure| format!("#{} (95% CI)", measure.title())).collect();
    let mut titles: Vec<&str> =
        ["Site", "#n", events, "#Expected"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    titles.extend(is_tested(outcome).then_some("Significant differences"));
    let mut table = SheetTable::new(format!("Sites{}", of_column(outcome)), &titles);
    let tests = "Measures in which the site differs from the mean of the other sites, or is outlying beyond what they predict; of a site \
         whose O:E is not pooled, whether it differs from 1.";
    define(&mut table, &[(3, "n times the mean score."), (titles.len().max(9) - 1, tests)]);
    for site in outcome.sites.iter().take(LISTED) {
        let mut cells = vec![
            Cell::from(site.name.clone()),
            Cell::number(count(site.n as u64), site.n as f64),
            Cell::number(count(site.events as u64), site.events as f64),
            Cell::number(significant(site.expected), site.expected),
        ];
        cells.extend(site.values.iter().map(value_cell));
        cells.extend(is_tested(outcome).then(|| differences_cell(site)));
        table.rows.push(cells);
    }
    table
}

fn value_cell(of: &SiteValue) -> Cell {
    let (Some(value), Some([low, high])) = (of.value, of.interval) else { return dash().with_beneath(of.why.clone()) };
    let interval = interval(low, high);
    let beneath = match of.why.is_empty() {
        true => interval,
        false => format!("{interval}; not pooled: {}", of.why),
    };
    let cell = Cell::number(significant(value), value).with_beneath(beneath);
    if of.why.is_empty() { cell } else { cell.toned(Tone::Muted) }
}

/// "slope: outlying, adjusted p = 0.012; AUROC: differs, adjusted p < 0.001"
fn differences_cell(site: &SiteEstimate) -> Cell {
    let small = |p: Option<f64>| p.filter(|p| *p <= LEVEL);
    let words = |of: &SiteValue| {
        let (how, p) = match (small(of.p_outlying_holm), small(of.p_holm)) {
            (Some(p), _) => ("outlying", p),
            (None, Some(p)) => ("differs", p),
            (None, None) => return None,
        };
        Some(format!("{}: {how}, adjusted {}", of.measure.title(), p_value(p)))
    };
    let events = small(site.p_events_adjusted).map(|p| format!("O:E: differs from 1, adjusted {}", p_value(p)));
    let pooled = site.values.iter().filter(|of| of.why.is_empty()).filter_map(words);
    let found: Vec<String> = events.into_iter().chain(pooled).collect();
    if found.is_empty() { dash() } else { Cell::from(found.join("; ")) }
}

/// Whether sites were tested for differences.
fn is_tested(outcome: &SitesOutcome) -> bool {
    outcome.verdict.finding != Finding::Untested
}

fn note(view: View, outcome: &SitesOutcome) -> String {
    let tested = match outcome.verdict.finding {
        Finding::Untested => String::new(),
        _ => format!(
            " Each site is tested against the mean of the others, and, of four sites or more, against the prediction from the \
              others, which allows for what these differ (deleted residuals, Student's t); adjusted for all sites and measures \
              (Holm). The number of {} of a site whose O:E is not pooled is tested exactly against its scores, adjusted for \
              four tests of each site (Bonferroni).",
            view.events()
        ),
    };
    format!(
        "Random-effects pooling by restricted maximum likelihood with modified Hartung–Knapp intervals (Röver et al. 2015; Debray \
         et al. 2017; Snell et al. 2018): O:E on the logarithmic scale, the AUROC on that of log-odds, calibration in the large and slope untransformed. \
         Prediction intervals average over the confidence distribution of τ² (Nagashima et al. 2019). \
         Standard errors within sites are robust; that of the AUROC is DeLong's. Pooled are sites with at least {} expected \
         {events} and as many expected other rows, for the slope twice, for the AUROC three times as many; sites without {events} are not pooled, which biases the pooled O:E upward where \
         there are many of them.{tested}",
        plain(outcome.least),
        events = view.events()
    )
}

/// How clusters widen standard errors, where rows are clustered.
fn clusters_note(data: &Predictions) -> Option<String> {
    let column = &data.clusters.as_ref()?.column;
    Some(format!(
        "Rows are clustered by {column}: a site's standard errors are at least those that the correlation within the clusters of all \
         sites implies; its own clusters alone, where they are few, often make them too small."
    ))
}

/// Every digit of every number.
pub(super) fn csv(outcome: &SitesOutcome) -> String {
    let mut text = "site,rows,events,expected".to_owned();
    for measure in SiteMeasure::ALL {
        for of in
            ["", "_low", "_high", "_standard_error", "_weight", "_p", "_p_holm", "_p_outlying", "_p_outlying_holm"]
        {
            // writing to a text cannot fail
            let _ = write!(text, ",{}{of}", measure.id());
        }
    }
    text.push_str(",events_p,events_p_adjusted\n");
    for site in &outcome.sites {
        let _ = write!(text, "{},{},{},{}", guarded(&site.name), site.n, site.events, site.expected);
        for of in &site.values {
            let [low, high] = of.interval.map_or([None; 2], |ends| ends.map(Some));
            let tests = [of.p, of.p_holm, of.p_outlying, of.p_outlying_holm];
            for number in [of.value, low, high, of.standard_error, Some(of.weight)].into_iter().chain(tests) {
                let number = number.map_or_else(String::new, |number| number.to_string());
                let _ = write!(text, ",{number}");
            }
        }
        for number in [site.p_events, site.p_events_adjusted] {
            let number = number.map_or_else(String::new, |number| number.to_string());
            let _ = write!(text, ",{number}");
        }
        text.push('\n');
    }
    text
}
