//! Luo et al. (2022): local calibration error and LoRe.

use serde_json::json;

use super::similarity::{NO_GROUPS, NO_SIMILARITY, PaperSimilarity, joined};
use super::{Before, Made, Paper, PaperPart, cannot, experiment, ids, named, numbers, part, with, within};
use crate::data::{Division, Predictions, Role};
use crate::experiment::spec::{Divisions, ExperimentMethod, Knob, Seeds, Space, Spec};
use crate::feature::FeatureChoice;

/// Divisions of the rows in place of models trained anew.
const SEEDS: u64 = 20;
/// Metrics of all predictions together.
const OVERALL: &[&str] = &["ece", "nll", "brier"];
/// Largest local error as the paper has it, and over rows that have neighbors.
const LARGEST: &[&str] = &["mlce", "mlce_supported"];
/// What stands in a table of means over divisions.
const DIVIDED: &str = "The paper trains a model for each seed. A file has the predictions of one model, so seeds \
                       split its rows into calibration and evaluation rows instead; the spread is that of the split \
                       alone.";
/// What the paper leaves open about one method.
const MMCE: &str = "The paper does not state how MMCE is optimized; here by a temperature.";

pub(super) fn paper(data: &Predictions, similarity: &PaperSimilarity) -> Paper {
    Paper {
        id: "lore".to_owned(),
        title: "LoRe 2022".to_owned(),
        citation: "Luo, R., Bhatnagar, A., Bai, Y., Zhao, S., Wang, H., Xiong, C., Savarese, S., Ermon, S., \
                   Schmerling, E. and Pavone, M. (2022). Local calibration: metrics and recalibration. UAI. \
                   Numbers of figures and tables are those of the preprint."
            .to_owned(),
        note: joined(&[&similarity.note(), similarity.top_label_note()]),
        parts: if similarity.is_empty() { without(similarity) } else { parts(data, similarity) },
    }
}

/// What is left where no column defines similarity: the tables without LoRe.
fn without(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let whole = "All parts based on similar rows";
    vec![cannot("figures 1 to 19", whole, NO_SIMILARITY), table_3(similarity), table_4(similarity)]
}

fn parts(data: &Predictions, similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let mut parts = vec![figure_1(similarity)];
    parts.extend(figure_2(similarity));
    parts.push(curves(
        similarity,
        "figures 3, 8 and 9",
        "Largest local error of each method by bandwidth, on a map",
        LARGEST,
        vec![if similarity.has_tsne() { similarity.tsne(3) } else { similarity.pca() }],
    ));
    parts.push(figure_4(similarity));
    parts.push(curves(
        similarity,
        "figures 5 to 7",
        "Largest local error of each method by bandwidth, in both feature maps",
        LARGEST,
        similarity.both(),
    ));
    parts.extend(figures_10_to_15(data, similarity));
    parts.push(curves(
        similarity,
        "figures 16 to 19",
        "Mean local error of each method by bandwidth",
        &["mean_lce"],
        similarity.both(),
    ));
    parts.push(table_1(similarity));
    parts.extend(table_2(data, similarity));
    parts.push(table_3(similarity));
    parts.push(table_4(similarity));
    parts
}

/// What the paper compares LoRe with.
fn baselines(similarity: &PaperSimilarity) -> Vec<ExperimentMethod> {
    let mut methods = vec![
        named("none", "No recalibration"),
        named("temperature", "Temperature scaling"),
        named("histogram", "Histogram binning"),
        named("isotonic", "Isotonic regression"),
        named("mmce_temperature", "MMCE optimization"),
    ];
    if let Some(column) = similarity.groups.iter().flatten().next() {
        let by = json!({ "groups": column });
        methods.push(with("group_temperature", "Temperature scaling by group", by.clone()));
        methods.push(with("group_histogram", "Histogram binning by group", by));
    }
    methods
}

/// The baselines, and LoRe in each of some spaces.
fn methods(similarity: &PaperSimilarity, spaces: &[Space]) -> Vec<ExperimentMethod> {
    let mut methods = baselines(similarity);
    methods.extend(spaces.iter().map(|space| within("lore", &format!("LoRe ({})", space.name), &space.name)));
    methods
}

/// The paper's comparison in some spaces.
fn compared(similarity: &PaperSimilarity, spaces: Vec<Space>, metrics: &[&str], seeds: u64) -> Spec {
    Spec {
        methods: methods(similarity, &spaces),
        spaces,
        divisions: Divisions { seeds: Some(Seeds::Count(seeds)), ..Divisions::default() },
        metrics: ids(metrics),
        bins: similarity.bins,
        groups: similarity.groups.clone(),
        ..Spec::default()
    }
}

/// Both spaces, or none where no column defines similarity.
fn spaces(similarity: &PaperSimilarity) -> Vec<Space> {
    if similarity.is_empty() { Vec::new() } else { similarity.both() }
}

/// 25 bandwidths from 0.01 to 100, equally spaced in the logarithm.
fn bandwidths() -> impl Iterator<Item = f64> {
    (0..25).map(|k| 10f64.powf(f64::from(k) / 6.0 - 2.0))
}

fn figure_1(similarity: &PaperSimilarity) -> PaperPart {
    let map = similarity.on_a_map(vec![named("none", "none")]);
    let mut choices: Vec<FeatureChoice> =
        map.project.iter().filter_map(|made| made.name.clone()).map(FeatureChoice::One).collect();
    let pca = similarity.width.clamp(1, 20);
    choices.push(FeatureChoice::Pca { pca, of: similarity.columns.clone() });
    choices.push(similarity.as_they_stand());
    let options = json!({ "methods": ["none"], "features": choices, "gammas": { "low": 0.01, "high": 100.0 } });
    part(
        "figure 1",
        "Largest local error of the model by bandwidth: t-SNE, PCA and the original features",
        "",
        Made::Analysis { before: map, kind: "sweep".to_owned(), options },
    )
}

fn figure_2(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let one = |which: &str, chart: &str, row: &str, what: &str| {
        let options = json!({ "bin": which });
        part(
            &format!("figure 2, {row}"),
            &format!(
                "{what} in the bin whose mean gap is the {}",
                if which == "best" { "smallest" } else { "largest" }
            ),
            joined(&["The paper shows the size of the local error; the map also shows its sign."]),
            Made::Chart { before: similarity.on_a_map(vec![named("none", "none")]), chart: chart.to_owned(), options },
        )
    };
    vec![
        one("best", "map", "top left", "Local error on a map"),
        one("best", "cdf", "top right", "Distribution of local error"),
        one("worst", "map", "bottom left", "Local error on a map"),
        one("worst", "cdf", "bottom right", "Distribution of local error"),
    ]
}

/// Local error of every method against the bandwidth of the metric; LoRe is fitted once, as in the paper.
fn curves(similarity: &PaperSimilarity, id: &str, title: &str, metrics: &[&str], spaces: Vec<Space>) -> PaperPart {
    let mut spec = compared(similarity, spaces, metrics, 5);
    spec.methods.retain(|method| !method.id().starts_with("group_"));
    spec.vary = vec![numbers("gamma", bandwidths(), Some(Knob::Metrics))];
    let lore = "LoRe has a fixed bandwidth (0.2 for t-SNE, 0.4 for PCA); only that of the metric varies.";
    let largest = match metrics.contains(&"mlce") {
        true => {
            "MLCE as published is a maximum over all rows, which depends on the row with the fewest neighbors, so \
             small bandwidths show noise. The maximum over rows with 20 effective neighbors is also shown and \
             should be used for comparison."
        }
        false => "",
    };
    experiment(id, title, joined(&[lore, largest, MMCE]), spec)
}

fn figure_4(similarity: &PaperSimilarity) -> PaperPart {
    let title = "Reward of answering or deferring, by error cost";
    let mut methods = baselines(similarity);
    methods.retain(|method| !method.id().starts_with("group_"));
    methods.push(named("lore", "LoRe"));
    let before = if similarity.is_empty() { Before::default() } else { similarity.on_a_map(methods) };
    let note = "A run fits every method once; without a split column, over folds.";
    part(
        "figure 4",
        title,
        note,
        Made::Analysis { before, kind: "decide".to_owned(), options: json!({ "wrong": 10.0, "unsure": 1.0 }) },
    )
}

/// Other networks' features, where the file holds several arrays of them.
fn figures_10_to_15(data: &Predictions, similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let (each, crossed) = ("figures 10 to 13", "figures 14 and 15");
    let titles = (
        "Largest local error in the features of each network",
        "LoRe in the features of one network, measured in those of another",
    );
    let arrays = data.roles.iter().filter(|column| column.role == Role::Features);
    let spaces: Vec<Space> = arrays
        .map(|array| Space {
            name: array.name.clone(),
            features: Some(FeatureChoice::One(array.name.clone())),
            gamma: Some(0.4),
            ..Space::default()
        })
        .collect();
    if spaces.len() < 2 {
        let why = "The file has one feature space. Add the features of another network as an array.";
        return vec![cannot(each, titles.0, why), cannot(crossed, titles.1, why)];
    }
    let note = "Every method is measured in every space: LoRe in its own in figures 10 to 13, in another in figures \
                14 and 15.";
    let made = curves(similarity, "figures 10 to 15", titles.0, LARGEST, spaces);
    vec![PaperPart { note: joined(&[note, &made.note]), ..made }]
}

fn table_1(similarity: &PaperSimilarity) -> PaperPart {
    let (id, title) = ("table 1", "Largest gap of any bin of any group, mean and spread over splits");
    if similarity.groups.is_none() {
        return cannot(id, title, NO_GROUPS);
    }
    let small = "A maximum over bins of groups is determined by the smallest: groups of a few rows reach gaps of 1 \
                 by chance. The maximum over cells of at least 20 rows is also shown and should be used for \
                 comparison.";
    let note = joined(&[DIVIDED, small, MMCE]);
    let metrics = ["group_mce_max", "group_mce_max_supported"];
    experiment(id, title, note, compared(similarity, spaces(similarity), &metrics, SEEDS))
}

fn table_2(data: &Predictions, similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let title = "Correlation of overall metrics with the largest gap of the groups";
    if similarity.groups.is_none() {
        return vec![cannot("table 2", title, NO_GROUPS)];
    }
    let mut methods = baselines(similarity);
    methods.push(named("lore", "LoRe"));
    let pooled = "The paper does not state whether recalibrated predictions are pooled; here every method of every \
                  split is one observation, and each method is also shown separately.";
    let metrics = ["ece", "mce", "nll", "brier", "mlce", "mlce_supported"];
    let mut options = json!({ "metrics": metrics, "against": "group_mce_max", "groups": similarity.groups });
    // what says which rows calibrate cannot be divided anew here
    let given = matches!(data.division, Division::Given { .. });
    if !given {
        options["repeats"] = json!(SEEDS);
    }
    let divided = if given { "The file specifies the calibration rows, so there is one split." } else { DIVIDED };
    let one = |id: &str, space: &str, before: Before| {
        let title = format!("{title} ({space})");
        let made = Made::Analysis { before, kind: "correlation".to_owned(), options: options.clone() };
        part(id, &title, joined(&[pooled, divided]), made)
    };
    let mut parts = Vec::new();
    if similarity.has_tsne() {
        parts.push(one("table 2, t-SNE", "MLCE on a map", similarity.on_a_map(methods.clone())));
    }
    parts.push(one("table 2, PCA", "MLCE among components", similarity.in_columns(methods)));
    parts
}

fn table_3(similarity: &PaperSimilarity) -> PaperPart {
    let brier =
        "The published Brier scores follow an unstated convention; here squared errors are summed over classes.";
    let isotonic = "The published isotonic rows (ECE of 31%) result from a faulty baseline.";
    experiment(
        "table 3",
        "ECE, NLL and Brier score, mean and spread over splits",
        joined(&[DIVIDED, brier, isotonic, MMCE]),
        compared(similarity, spaces(similarity), OVERALL, SEEDS),
    )
}

fn table_4(similarity: &PaperSimilarity) -> PaperPart {
    let mut spec = compared(similarity, spaces(similarity), &["prr", "ece", "nll", "brier", "reward_10"], 5);
    spec.methods.retain(|method| !method.id().starts_with("group_"));
    let reward = "Also shown: the reward if an error costs ten times as much as a deferral.";
    experiment(
        "table 4",
        "Ranking of errors by confidence, and ECE, NLL and Brier score",
        joined(&[reward, MMCE]),
        spec,
    )
}
