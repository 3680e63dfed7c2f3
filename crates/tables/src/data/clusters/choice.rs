//! Which column says which rows belong together: what a person says, else a guess from names and values.

use serde::Serialize;

use super::Clusters;
use crate::data::labels::Labels;
use crate::data::names;
use crate::data::recognize::ColumnHints;
use crate::data::roles::{ColumnRole, Role};
use crate::error::{Error, Result};
use crate::read::Meaning;
use crate::table::Warning;
use crate::table::values::{NamedColumn, Table, Values};
use crate::words::text::{listed, plain, quoted, thousands};

/// Share of the rows that have another row of their cluster, below which a guess is none: a few doublets make no clusters.
const LEAST_SHARED: f64 = 0.01;
/// Fewest clusters of a guess by a name that only ends like an id: the ids of a few categories are groups.
const FEWEST: usize = super::FEW_CLUSTERS;
/// The same where the name says what rows are about and its values name them: words such as "law" or "history" are groups.
const FEWEST_NAMED: usize = 3;
/// Texts of so many words are each a question, a prompt or a case of its own, and no category.
const SENTENCE: usize = 4;
/// Share of the rows without a value, above which a guess is none.
const MOST_MISSING: f64 = 0.5;

/// Summary of the clusters of dependent rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClusterSummary {
    /// name of the column
    pub column: String,
    /// number of clusters
    pub count: usize,
    /// rows of a cluster on average
    pub rows_per_cluster: f64,
    /// rows of the largest cluster
    pub most_rows: usize,
    /// whether there are so few that tests and intervals are approximate
    pub few: bool,
    /// noun for a single cluster: "patient"
    pub noun: String,
    /// several of them: "patients"
    pub nouns: String,
}

impl ClusterSummary {
    /// Of clusters with at least one row.
    pub fn of(clusters: &Clusters) -> Self {
        let sizes = clusters.sizes();
        let [noun, nouns] = nouns(&clusters.column);
        Self {
            column: clusters.column.clone(),
            count: clusters.count,
            rows_per_cluster: clusters.of.len() as f64 / clusters.count.max(1) as f64,
            most_rows: sizes.into_iter().max().unwrap_or(0),
            few: clusters.are_few(),
            noun: noun.to_owned(),
            nouns: nouns.to_owned(),
        }
    }

    /// "400 patients (patient_id), 8 rows each on average: rows of one patient are treated as dependent".
    pub(in crate::data) fn in_words(&self) -> String {
        let mean = (10.0 * self.rows_per_cluster).round() / 10.0;
        let mean = format!("{} {}", plain(mean), if mean == 1.0 { "row" } else { "rows" });
        let few = if self.few { "; with so few clusters, tests and intervals are approximate" } else { "" };
        format!(
            "{} {} ({}), {mean} each on average: rows of one {} are treated as dependent{few}",
            thousands(self.count),
            self.nouns,
            self.column,
            self.noun
        )
    }
}

/// One and several of what a column of clusters names.
pub fn nouns(column: &str) -> [&'static str; 2] {
    let known = names::clustered(column).and_then(|place| names::CLUSTERED.get(place));
    known.map_or(["cluster", "clusters"], |clustered| clustered.nouns)
}

/// The clusters of a data set, and what is said of them.
#[derive(Debug, Default)]
pub(in crate::data) struct ChosenClusters {
    pub clusters: Option<Clusters>,
    pub summary: Option<ClusterSummary>,
    /// the column that would have been guessed, where a person said that rows are independent
    pub declined: Option<String>,
}

/// Clusters by what was asked for, else by a guess.
///
/// * `asked`: none: nobody said anything; `None` within: rows are independent
/// * `given`: what is known of each column besides its role
///
/// # Errors
/// `unknown_column`; `invalid_option` for an array of several columns and for a column of one value.
///
/// # Cost
/// O(n) a column that is looked at.
pub(in crate::data) fn chosen_clusters(
    asked: Option<&Option<String>>,
    table: &Table,
    roles: &[ColumnRole],
    given: &[ColumnHints],
    warnings: &mut Vec<Warning>,
) -> Result<ChosenClusters> {
    let clusters = match asked {
        None => guessed(table, roles, given),
        Some(None) => {
            let declined = guessed(table, roles, given).map(|clusters| clusters.column);
            return Ok(ChosenClusters { declined, ..ChosenClusters::default() });
        }
        Some(Some(name)) => named_clusters(name, table, warnings)?,
    };
    let summary = clusters.as_ref().map(ClusterSummary::of);
    Ok(ChosenClusters { clusters, summary, declined: None })
}

/// The clusters of a named column; none, with a warning, where no value repeats.
fn named_clusters(name: &str, table: &Table, warnings: &mut Vec<Warning>) -> Result<Option<Clusters>> {
    let meant = |column: &&NamedColumn| column.is_called(name);
    let Some(column) = table.columns.iter().find(meant) else {
        return Err(Error::new(
            "unknown_column",
            format!("clusters: no column has the name {}.", quoted(name)),
            format!("The columns are {}.", listed(table.columns.iter().map(|c| &c.name))),
        ));
    };
    let Some(clusters) = Clusters::of_column(column) else {
        return Err(Error::new(
            "invalid_option",
            format!("clusters: {} is an array of several columns.", quoted(name)),
            "Choose a column with one value per row.",
        ));
    };
    if clusters.count < 2 && table.rows > 1 {
        return Err(Error::new(
            "invalid_option",
            format!("clusters: {} has the same value in every row, so all rows would form one cluster.", quoted(name)),
            "Choose a column with at least two values, or null.",
        ));
    }
    if clusters.count == table.rows {
        warnings.push(Warning {
            code: "clusters_of_one_row".into(),
            message: format!("No value of {} repeats: rows are treated as independent.", quoted(name)),
            row: None,
            column: Some(column.name.clone()),
        });
        return Ok(None);
    }
    Ok(Some(clusters))
}

/// The clusters that names and values suggest: people before things before other ids, fewer before more.
fn guessed(table: &Table, roles: &[ColumnRole], given: &[ColumnHints]) -> Option<Clusters> {
    let mut best: Option<((usize, usize), Clusters)> = None;
    // Of an evaluation log the question is known; its subject, say, is a topic and nobody's.
    let is_log = given.iter().any(|given| given.meaning.is_some());
    let questions = given.iter().map(|given| matches!(given.meaning, Some(Meaning::Question { .. })));
    for ((column, role), is_question) in table.columns.iter().zip(roles).zip(questions) {
        if is_log && !is_question {
            continue;
        }
        let named = names::clustered(&column.name);
        let free = matches!(role.role, Role::Id | Role::Ignore | Role::Group | Role::Text);
        let is_id = names::suggests_id(&column.name) || names::rank(&column.name, &["id", "ids"]).is_some();
        let reads = named.is_some() || is_id || role.role == Role::Id;
        let numbers_rows = names::rank(&column.name, names::ROW_NUMBERS).is_some();
        if !free || !(reads || numbers_rows) || role.missing as f64 > MOST_MISSING * table.rows as f64 {
            continue;
        }
        let Some(clusters) = Clusters::of_column(column) else { continue };
        if !reads && !one_outcome_each(&clusters, table, roles) {
            continue;
        }
        let known = clusters.count - role.missing.min(clusters.count);
        // 1 to 7 of a party or a grade are categories, unless the name says that they are ids
        if role.role == Role::Group && matches!(column.values, Values::Numbers(_)) && !names::ends_as_id(&column.name) {
            continue;
        }
        let words = named.is_some() && !names::says_id(&column.name) && !reads_as_ids(&column.values);
        if words && role.role == Role::Group {
            continue;
        }
        let fewest = if named.is_some() && !words { FEWEST_NAMED } else { FEWEST };
        let shared: usize = clusters.sizes().into_iter().filter(|&size| size > 1).sum();
        if known < fewest || (shared as f64) < LEAST_SHARED * table.rows as f64 || shared == 0 {
            continue;
        }
        let rank = (named.unwrap_or(usize::MAX), clusters.count);
        if best.as_ref().is_none_or(|(least, _)| rank < *least) {
            best = Some((rank, clusters));
        }
    }
    best.map(|(_, clusters)| clusters)
}

/// Whether rows of a cluster have the same outcome: those of one number of a row are predictions of several resamples.
fn one_outcome_each(clusters: &Clusters, table: &Table, roles: &[ColumnRole]) -> bool {
    let label = roles.iter().position(|role| role.role == Role::Label).and_then(|j| table.columns.get(j));
    let Some(codes) = label.map(|label| Labels::of(&label.values).codes) else { return false };
    let mut first = vec![None; clusters.count];
    clusters
        .of
        .iter()
        .zip(&codes)
        .all(|(&of, &code)| first.get_mut(of as usize).is_some_and(|first| *first.get_or_insert(code) == code))
}

/// Whether most values name someone or something: numbers, codes, or whole sentences, not words such as "law". O(levels).
fn reads_as_ids(values: &Values) -> bool {
    let Values::Text { levels, .. } = values else { return true };
    let names_one =
        |text: &&str| text.contains(|c: char| c.is_ascii_digit()) || text.split_whitespace().count() >= SENTENCE;
    2 * levels.iter().filter(names_one).count() > levels.len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::ClusterSummary;
    use crate::data::{OpenOptions, assemble};

    /// The column of the clusters that are guessed of 1,200 rows, whose column `name` has `value(row)`.
    fn guess(name: &str, value: impl Fn(usize) -> String) -> Option<String> {
        let rows = (0..1_200).map(|i| format!("0.{},{},{}\n", 1 + i % 8, i % 3 % 2, value(i)));
        let text = format!("p,y,{name}\n{}", rows.collect::<String>());
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (data, _) = assemble(&[file], &OpenOptions::default()).unwrap();
        data.clusters.map(|clusters| clusters.column)
    }

    #[test]
    fn ids_that_repeat_are_clusters_whatever_they_name() {
        let hundred = |i: usize| (i % 100).to_string();
        assert_eq!(guess("id", hundred).as_deref(), Some("id"));
        assert_eq!(guess("encounter_id", hundred).as_deref(), Some("encounter_id"));
        // a few values are those of groups
        assert_eq!(guess("id", |i| (i % 12).to_string()), None);
    }

    #[test]
    fn subjects_in_words_are_groups_and_ids_are_clusters() {
        let topic = |i: usize| ["law", "history", "physics", "world religions", "us foreign policy"][i % 5].to_owned();
        let word = |n: usize| [n % 26, n / 26].map(|k| char::from(b'a' + k as u8)).iter().collect::<String>();
        for name in ["subject", "account", "client", "document", "family"] {
            assert_eq!(guess(name, topic), None, "{name}");
            assert_eq!(guess(name, |i| (1 + i % 12).to_string()).as_deref(), Some(name), "{name}");
            assert_eq!(guess(name, |i| format!("S{:02}", i % 12)).as_deref(), Some(name), "{name}");
        }
        for name in ["subject_id", "patientID", "participant no", "mrn", "Fallnummer", "NHS number", "PatNr"] {
            assert_eq!(guess(name, topic).as_deref(), Some(name), "{name}");
        }
        // 52 words are groups of 23 rows each, and 150 are names.
        assert_eq!(guess("subject", |i| word(i % 52)), None);
        assert_eq!(guess("subject", |i| word(i % 150)).as_deref(), Some("subject"));
        let question = |i: usize| format!("Which of the rivers is the {} one?", topic(i));
        assert_eq!(guess("question", question).as_deref(), Some("question"));
    }

    #[test]
    fn a_few_numbers_under_a_name_that_is_no_id_are_groups() {
        let seven = |i: usize| (i % 7).to_string();
        for name in ["PID", "economic.cond.household", "cluster", "family"] {
            assert_eq!(guess(name, seven), None, "{name}");
        }
        assert_eq!(guess("household_id", seven).as_deref(), Some("household_id"));
        assert_eq!(guess("PID", |i| (i % 60).to_string()).as_deref(), Some("PID"));
    }

    #[test]
    fn a_mean_of_one_row_is_in_the_singular() {
        let summary = |rows: f64| ClusterSummary {
            column: "question_id".into(),
            count: 143,
            rows_per_cluster: rows,
            most_rows: 2,
            few: false,
            noun: "question".into(),
            nouns: "questions".into(),
        };
        assert!(summary(1.01).in_words().starts_with("143 questions (question_id), 1 row each on average: rows of"));
        assert!(summary(2.5).in_words().contains(", 2.5 rows each on average"));
    }
}
