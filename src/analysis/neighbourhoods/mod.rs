//! Neighborhoods of the map with the largest local errors, ranked, with a description of their rows and adjusted
//! p-values.

mod plan;
mod request;
mod words;

pub use plan::{ListNeighbourhoods, Maxima, Permute, SearchMap};
pub use request::NeighbourhoodsRequest;

use words::Listed;

use serde::{Deserialize, Serialize};

use crate::analysis::region::{FEWEST_TEXTS, Texts, UNTOLD, differences, headline};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::feature::searched::{SEARCHED, rescaled, searched};
use crate::feature::within::ALL;
use crate::feature::{FeatureChoice, Within, coordinates as coordinates_of, no_independent_test, value_at};
use crate::kernel::{Kernel, Points};
use crate::local::{MIN_NEIGHBORS, NullMaxima, Places, strata};
use crate::project::median_distance;
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::gap::{direction, gap_words};
use crate::report::mapped_rows::{MappedRows, feature_choice, within_of};
use crate::report::row_names::row_id;
use crate::report::sheet::Sheet;
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::Fact;
use crate::report::view::map::{named_columns, where_in};
use crate::report::view::method_rows;
use crate::report::view::request::MapRequest;
use crate::table::Column;
use crate::words::number::{count, p_digits, p_value, percent, points, significant};
use crate::words::text::{capitalized, counted};

/// Neighborhoods of each direction.
const LISTED: usize = 5;

/// Locations that are tested, with their rows: input of the permutations and of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapSearch {
    places: Places,
    rows: Column<u32>,
    score: Column<f64>,
    target: Column<u8>,
    /// drawn coordinates of each row: x, y, x, y, …
    drawn: Column<f64>,
    /// their names
    names: [String; 2],
    /// columns that describe the location of a row, if the coordinates are principal components
    columns: Vec<String>,
    /// kernel that defines similarity
    kernel: Kernel,
    /// which rows can be neighbors
    within: Option<String>,
    /// the coordinates in which neighbors are searched if the map displays two of them, in words
    searched: Option<String>,
    /// the kernel looks at just the two coordinates that are drawn
    flat: bool,
    /// why there is no test, if the outcome defines the similarity of rows
    no_test: Option<String>,
    /// rows belong together, so that permutations make intervals too narrow
    dependent: bool,
    /// rows with a gap in a feature, in words
    left_out: Option<String>,
    /// all scored rows and those of them with the outcome, with a place on the map or without
    scored: (usize, usize),
}

/// Neighborhoods with the largest local errors.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeighbourhoodsOutcome {
    /// neighborhoods by |local error| / standard error, largest first; at most five overestimated and five underestimated
    pub found: Vec<ReportedNeighbourhood>,
    /// number of locations tested
    pub looked: usize,
    /// number of simulated data sets: with outcomes redrawn from the scores for `p`, with residuals permuted among rows of similar
    /// confidence for `p_local`
    pub resamples: usize,
    /// `laplacian`, `gaussian`, `rbf`, `group` or `constant`
    pub kernel: String,
    /// bandwidth γ; null for a kernel without one
    pub gamma: Option<f64>,
    /// verdict on the location with the smallest p-value
    pub verdict: Verdict,
    /// headline that the verdict permits
    pub reading: String,
    /// notes on the search
    pub notes: Vec<String>,
    /// the panel for a document, with the basis of each value; locations are described by means over their rows, since a
    /// center is a row
    #[serde(skip_serializing_if = "Sheet::is_left_out")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub sheet: Sheet,
}

/// A neighborhood.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedNeighbourhood {
    /// plotted coordinates of its center, which is a row
    pub at: [f64; 2],
    /// contour at which the kernel falls to ½, as corners on the map; empty if the kernel uses other coordinates than the
    /// plotted ones
    pub outline: Vec<[f64; 2]>,
    /// identifier of that row, or its row number in the file
    pub row: String,
    /// "overestimated by 23.1 percentage points"
    pub title: String,
    /// description of its rows: "age 23 to 31 and race = African-American"
    pub headline: String,
    /// adjusted p-value and its interpretation
    pub verdict: String,
    /// local error: kernel-weighted predicted − observed
    pub gap: f64,
    /// 95% CI of `gap`, simultaneous over all locations
    pub interval: [Option<f64>; 2],
    /// local error expected from the errors of rows with the same confidence at all locations
    #[serde(rename = "alike")]
    pub from_score: f64,
    /// adjusted p-value of no local error; NaN if the outcome defines the similarity of rows
    pub p: f64,
    /// adjusted p-value of no local error beyond that of rows with the same confidence at all locations
    pub p_local: f64,
    /// further values
    pub facts: Vec<Fact>,
    /// the rows that describe it, from 0: kernel value of ½ or more; where these are fewer than 20, at least as many as it has
    /// effective neighbors
    pub rows: Column<u32>,
}

/// Maximum number of locations; fewer if each requires a distance to every row.
pub fn most_places(d: usize) -> usize {
    if d <= 3 { 4_096 } else { 1_024 }
}

/// The coordinates in which neighbors are searched, for a map of this choice.
pub(super) fn searched_in(
    data: &Predictions,
    choice: &FeatureChoice,
    request: &NeighbourhoodsRequest,
) -> FeatureChoice {
    searched(data, choice, request.components.unwrap_or(SEARCHED))
}

/// The kernel of a map of the first two coordinates, with the same width relative to the distances in all
/// coordinates.
fn as_wide(mapped: &MappedRows) -> Result<Kernel> {
    let d = mapped.features.d;
    let shown: Vec<f64> =
        mapped.features.values.chunks_exact(d.max(1)).flat_map(|row| row.iter().take(2).copied()).collect();
    let median = |d: usize, values: &[f64]| Ok(median_distance(&Points::row_major(d, values)?, 0));
    let medians = [median(d.min(2), &shown)?, median(d, &mapped.features.values)?];
    Ok(rescaled(mapped.kernel, medians, [d.min(2), d]))
}

/// Finds the places and their errors: in more components than the map shows where it shows two of an embedding, unless most rows
/// have too few neighbors in them. No outcome decides that.
///
/// # Errors
/// Those of the map.
pub fn search(data: &Predictions, run: &RunOutcome, request: &NeighbourhoodsRequest) -> Result<MapSearch> {
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let searched = searched_in(data, &choice, request);
    if searched != choice {
        let found = look_in(data, run, request, (searched, true))?;
        let most = found.rows.len().min(most_places(found.places.width()));
        if request.components.is_some() || 2 * found.places.row.len() >= most {
            return Ok(found);
        }
    }
    look_in(data, run, request, (choice, false))
}

/// The places in some coordinates; `deeper`: the map shows the first two of them, and γ belongs to these.
fn look_in(
    data: &Predictions,
    run: &RunOutcome,
    request: &NeighbourhoodsRequest,
    (choice, deeper): (FeatureChoice, bool),
) -> Result<MapSearch> {
    let request = MapRequest {
        method: request.method.clone(),
        features: Some(choice.clone()),
        axes: request.axes,
        kernel: request.kernel.clone(),
        gamma: request.gamma,
        within: request.within.clone(),
        bin: request.bin.clone(),
        bins: request.bins,
        ..MapRequest::default()
    };
    let mapped = MappedRows::new(data, run, &request)?;
    let kernel = if deeper { as_wide(&mapped)? } else { mapped.kernel };
    let at_most = most_places(mapped.features.d);
    let places = Places::look(&mapped.sample()?, strata(&mapped.confidence), kernel, at_most)?;
    Ok(MapSearch {
        places,
        no_test: no_independent_test(data, &choice),
        dependent: data.clusters.is_some(),
        left_out: mapped.left_out.clone(),
        scored: method_rows(run, request.method.as_deref())?.tally(),
        columns: named_columns(&mapped.features, mapped.axes),
        names: mapped.axes.map(|axis| mapped.features.name(axis)),
        drawn: (0..mapped.rows.len()).flat_map(|i| mapped.place_on_map(i)).collect(),
        rows: mapped.rows.into(),
        score: mapped.score.into(),
        target: mapped.target.into(),
        kernel,
        within: within_of(run, request.within.as_deref()).map(str::to_owned),
        searched: deeper.then(|| coordinates_of(data, &choice)),
        flat: mapped.features.d == 2 && mapped.axes == [0, 1],
    })
}

impl MapSearch {
    /// Largest |z*| of each of some redraws and permutations, see [`Places::maxima`].
    ///
    /// # Errors
    /// As the kernel sums.
    pub fn maxima(&self, seed: u64, range: std::ops::Range<usize>) -> Result<NullMaxima> {
        self.places.maxima(seed, range)
    }
}

/// The list, from the places and the maxima of every simulated data set.
pub fn neighbourhoods(
    data: &Predictions,
    looked: &MapSearch,
    maxima: &NullMaxima,
    usual: usize,
) -> NeighbourhoodsOutcome {
    let places = &looked.places;
    let cut = Within::new(data, looked.within.as_deref()).ok().flatten();
    let texts = Texts::of_rows(data, &looked.rows);
    let worst = places.worst(maxima, LISTED);
    let mut who = Vec::with_capacity(worst.len());
    let found: Vec<ReportedNeighbourhood> = worst
        .iter()
        .map(|one| {
            let center = places.row[one.place] as usize;
            let mut inside = vec![false; looked.rows.len()];
            one.heart.iter().for_each(|&i| inside[i as usize] = true);
            let differing = differences(data, &looked.rows, &inside);
            let (gap, from_score) = (places.slce[one.place], places.from_score[one.place]);
            let score = places.score[one.place];
            let tested = |p: f64| {
                if looked.no_test.is_none() { p } else { f64::NAN }
            };
            let (p, p_local) = (tested(one.p), tested(one.p_local));
            let interval = if looked.dependent { [f64::NAN; 2] } else { one.interval };
            let headline = match headline(data, &looked.rows, &inside, &differing) {
                who if who.what == UNTOLD => {
                    let named = texts.as_ref().and_then(|of| of.named(&inside, FEWEST_TEXTS));
                    let words = named.map_or_else(|| coordinates(data, looked, center), |(_, words)| words);
                    // the location of a row, or a word, which can be a name
                    Stated::new(words, Basis::Identifier)
                }
                who => who,
            };
            who.push(headline.clone());
            ReportedNeighbourhood {
                at: [looked.drawn[2 * center], looked.drawn[2 * center + 1]],
                outline: outline(looked, center),
                row: row_id(data, looked.rows[center] as usize),
                title: direction(gap),
                headline: headline.what,
                verdict: verdict(p, p_local, from_score),
                gap,
                interval: interval.map(|end| end.is_finite().then_some(end)),
                from_score,
                p,
                p_local,
                facts: facts(data.view, looked, &one.heart, score, gap, interval, places.n_eff[one.place])
                    .into_iter()
                    .chain(cut.as_ref().and_then(|cut| neighbors_from(cut, looked.rows[center])))
                    .collect(),
                rows: one.heart.iter().map(|&i| looked.rows[i as usize]).collect(),
            }
        })
        .collect();
    let verdict = about_the_worst(looked, &found);
    let reading = reading(data.view, &verdict, &found);
    let notes = notes(looked, maxima.redrawn.len(), usual);
    let listed = worst.iter().zip(&found).zip(&who).map(|((found, reported), who)| Listed { found, reported, who });
    let listed: Vec<Listed> = listed.collect();
    NeighbourhoodsOutcome {
        sheet: words::sheet(data.view, looked, &listed, (&reading, &verdict), &notes),
        reading,
        verdict,
        notes,
        found,
        looked: places.row.len(),
        resamples: maxima.redrawn.len(),
        kernel: looked.kernel.name().to_owned(),
        gamma: looked.kernel.gamma(),
    }
}

/// "age near 32 and priors near 4": a location by its plotted coordinates, if no column distinguishes its rows. A
/// principal component has no meaning of its own; the location is described by the columns that correlate most with it.
fn coordinates(data: &Predictions, looked: &MapSearch, center: usize) -> String {
    let row = looked.rows.get(center).copied().unwrap_or_default() as usize;
    let columns = looked.columns.iter().filter_map(|name| where_in(name, value_at(data, name, row)?));
    let columns: Vec<String> = columns.collect();
    if !columns.is_empty() {
        return columns.join(" and ");
    }
    let axis = |k: usize| {
        let at = looked.drawn.get(2 * center + k).copied();
        let at = significant(at.unwrap_or(f64::NAN));
        format!("{} near {at}", looked.names[k])
    };
    if looked.names[0] == looked.names[1] { axis(0) } else { format!("{} and {}", axis(0), axis(1)) }
}

/// Verdict on the location with the smallest p-value; ties go to the first.
fn about_the_worst(looked: &MapSearch, found: &[ReportedNeighbourhood]) -> Verdict {
    if let Some(why) = &looked.no_test {
        return Verdict::untested("", None, why.clone());
    }
    match found.iter().reduce(|a, b| if b.p < a.p { b } else { a }) {
        Some(one) => Verdict::by_p(one.headline.clone(), one.gap, Some(one.p), ""),
        None => Verdict::untested("", None, nowhere(looked)),
    }
}

/// Why no place can be examined.
fn nowhere(looked: &MapSearch) -> String {
    format!("No place has {MIN_NEIGHBORS:.0} effective neighbors: {}", wider(looked))
}

/// The headline of the map.
fn reading(view: View, verdict: &Verdict, found: &[ReportedNeighbourhood]) -> String {
    let claim = || {
        let proven = |one: &&ReportedNeighbourhood| one.p <= LEVEL;
        let Some(worst) = found.iter().find(proven) else {
            return String::new();
        };
        let subject = match view {
            View::TopLabel => "Local confidence is",
            View::Positive => "Local probabilities are",
        };
        // The finding tests another hypothesis: whether a subgroup's error exceeds that of all rows.
        let of_what = "This tests the original predictions at every place of the map, not the subgroups of the finding";
        let everywhere = if worst.p_local <= LEVEL {
            format!(" {of_what}; rows of the same confidence elsewhere differ significantly.")
        } else {
            format!(
                " All rows of the same confidence have a mean error of {}. {of_what}, and is not adjusted for \
                 miscalibration overall.",
                points(worst.from_score)
            )
        };
        format!(
            "{subject} {} where {} ({}, adjusted for the whole map).{everywhere}",
            direction(worst.gap),
            worst.headline,
            p_value(worst.p)
        )
    };
    verdict.headline(claim, || verdict.no_error("any single place of the map after adjustment for all of them"))
}

/// The rows that can be neighbors of a row.
fn neighbors_from(cut: &Within, row: u32) -> Option<Fact> {
    let value = format!("rows whose {} is {}", cut.title, cut.level(row as usize)?);
    Some(Fact { name: "eligible neighbors".to_owned(), value })
}

/// Where the kernel round a row is one half, on a map of the two features themselves: a diamond for the Laplacian kernel, a
/// circle for Gaussian and RBF.
fn outline(looked: &MapSearch, center: usize) -> Vec<[f64; 2]> {
    if !looked.flat {
        return Vec::new();
    }
    let [x, y] = [looked.drawn[2 * center], looked.drawn[2 * center + 1]];
    let circle = |radius: f64| {
        let corner = |k: usize| (k as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
        (0..CORNERS).map(corner).map(|(sin, cos)| [x + radius * cos, y + radius * sin]).collect()
    };
    match looked.kernel {
        Kernel::Laplacian { gamma } => {
            let reach = 2.0 * gamma * std::f64::consts::LN_2;
            vec![[x - reach, y], [x, y - reach], [x + reach, y], [x, y + reach]]
        }
        Kernel::Gaussian { gamma } => circle(gamma * (2.0 * std::f64::consts::LN_2).sqrt()),
        Kernel::Rbf { gamma } => circle((std::f64::consts::LN_2 / gamma).sqrt()),
        Kernel::Group | Kernel::Constant => Vec::new(),
    }
}

/// Corners of a circle as it is drawn.
const CORNERS: usize = 48;

/// What increases the number of neighbors of a location.
fn wider(looked: &MapSearch) -> String {
    let kernel = match looked.kernel {
        Kernel::Laplacian { .. } | Kernel::Gaussian { .. } => "choose a larger γ, or ",
        Kernel::Rbf { .. } => "choose a smaller γ, or ",
        Kernel::Group | Kernel::Constant => "",
    };
    let cut = match looked.within.as_deref() {
        None | Some(ALL) => "",
        Some(_) => ", or allow all rows as neighbors",
    };
    format!("{kernel}compare all rows as one bin{cut}")
}

fn verdict(p: f64, p_local: f64, from_score: f64) -> String {
    if p.is_nan() {
        return "not tested".to_owned();
    }
    let adjusted = p_digits(p);
    if p > LEVEL || p_local <= LEVEL {
        adjusted
    } else {
        format!(
            "{adjusted}; all rows of the same confidence have a mean error of {}, and the remainder is not significant",
            points(from_score)
        )
    }
}

fn facts(
    view: View,
    looked: &MapSearch,
    heart: &[u32],
    score: f64,
    gap: f64,
    interval: [f64; 2],
    n_eff: f64,
) -> Vec<Fact> {
    let (predicted, observed) = view.terms();
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let heart_events = heart.iter().filter(|&&i| looked.target[i as usize] == 1).count();
    let happened = match view {
        View::TopLabel => format!("{} correct", count(heart_events as u64)),
        View::Positive => counted(heart_events, "event"),
    };
    let scores: f64 = heart.iter().map(|&i| looked.score[i as usize]).sum();
    let of_all = match interval.iter().any(|end| end.is_nan()) {
        true => fact("error", points(gap)),
        false => fact("error (simultaneous 95% CI)", gap_words(gap, interval)),
    };
    vec![
        of_all,
        fact(predicted, percent(score)),
        fact(observed, percent(score - gap)),
        fact("effective neighbors", significant(n_eff)),
        fact(
            "rows nearest the center",
            format!("{}: {happened}, {} expected", count(heart.len() as u64), significant(scores)),
        ),
    ]
}

fn notes(looked: &MapSearch, resamples: usize, usual: usize) -> Vec<String> {
    let (rows, most) = (looked.rows.len(), most_places(looked.places.width()));
    let mut notes: Vec<String> = looked.left_out.iter().cloned().collect();
    let tested = looked.no_test.is_none();
    if looked.places.row.is_empty() {
        // where a test is possible, the headline says so
        notes.extend((!tested).then(|| format!("{}.", nowhere(looked))));
    } else if tested {
        notes.push(
            "Listed by the size of the error relative to its standard error, largest first. p-values are adjusted for searching the map: each is the proportion of data sets with outcomes simulated from the \
             probabilities in which the most extreme place is at least as extreme as this one."
                .to_owned(),
        );
    }
    notes.push(format!(
        "{} kernel{}; each place includes the row at its center.",
        capitalized(looked.kernel.name()),
        looked.kernel.gamma().map_or_else(String::new, |gamma| format!(", γ = {}", significant(gamma)))
    ));
    if let Some(searched) = &looked.searched {
        notes.push(format!("Neighbors are searched in {searched}; the map shows the first two."));
    }
    if rows > most {
        notes.push(format!(
            "{} of {} places were {}, distributed over the map as the rows are; every row can be a neighbor.",
            count(most as u64),
            count(rows as u64),
            if tested { "tested" } else { "examined" },
        ));
    }
    if resamples < usual {
        notes.push(format!(
            "{} simulated data sets instead of {} because of the number of rows; the smallest possible p-value is {}.",
            resamples,
            usual,
            significant(1.0 / (resamples + 1) as f64)
        ));
    }
    notes
}
