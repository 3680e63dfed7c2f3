//! Vashistha and Farahi (2025): the KLCE test and its witness.

use serde_json::json;

use super::similarity::{NO_GROUPS, NO_SIMILARITY, PaperSimilarity, joined, nothing};
use super::{Before, Made, Paper, PaperPart, cannot, experiment, ids, named, part, published_bins, with};
use crate::evaluation::klce::GammaChoice;
use crate::evaluation::method::MethodSpec;
use crate::evaluation::request::{KlceOptions, RunRequest};
use crate::experiment::spec::{Divisions, ExperimentMethod, Seeds, Space, Spec};
use crate::metric::binning::BinOptions;

/// Bins of figure 4.
const BINS: usize = 20;
/// Bins of table 2.
const TABLE_BINS: usize = 10;
/// What the test says in a table.
const TRUST: &[&str] = &["klce2_normalised", "p_bernoulli", "p_code"];
/// Two p-values, and what they are.
const TWO_P: &str = "p_bernoulli draws outcomes from the scores and determines the verdict; p_code permutes \
                     residuals, as published, and exceeds its level if residual variance differs. KLCE² is scaled \
                     as published.";
/// What is looked at.
const POSITIVE: &str = "The paper uses P(y = 1); here the vector of all classes, or the confidence of the predicted \
                        class, is evaluated.";

pub(super) fn paper(similarity: &PaperSimilarity) -> Paper {
    Paper {
        id: "i_trustworthy".to_owned(),
        title: "I-trustworthy 2025".to_owned(),
        citation:
            "Vashistha, R. and Farahi, A. (2025). I-trustworthy models: a framework for trustworthiness evaluation of \
             probabilistic classifiers. AISTATS."
                .to_owned(),
        note: view_note(similarity).to_owned(),
        parts: parts(similarity),
    }
}

fn parts(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let mut parts = vec![
        figure_1(similarity),
        figure_2(similarity),
        study("figure 3", "Type II error of the test by dimension and number of rows", "type_2"),
    ];
    parts.extend(figure_4(similarity));
    parts.push(study("figure 5, left", "Type I error of the test by bandwidth", "type_1_width"));
    parts.push(study("figure 5, right", "Type I error of the test by number of rows", "type_1_size"));
    parts.push(figure_6(similarity));
    parts.push(table_1(similarity));
    parts.extend(table_2(similarity));
    parts
}

/// Calibrators of figure 4, each as sound as it gets.
fn calibrators(similarity: &PaperSimilarity) -> Vec<ExperimentMethod> {
    let mut methods = vec![
        named("none", "No calibration"),
        named("platt", "Platt scaling"),
        named("temperature", "Temperature scaling"),
        named("isotonic", "Isotonic regression"),
        named("bbq", "BBQ"),
    ];
    if !similarity.is_empty() {
        methods.push(named("lcb", "LCB"));
    }
    methods
}

/// The same as in the published notebook.
fn published_calibrators(similarity: &PaperSimilarity) -> Vec<ExperimentMethod> {
    let mut methods = calibrators(similarity);
    for method in &mut methods {
        match method.id() {
            "platt" => {
                let raw = json!({ "input": "raw_prob", "ridge": 1.0, "smoothing": false });
                *method = with("platt", "Platt scaling", raw);
            }
            "lcb" => *method = with("lcb", "EWF", json!({ "form": "concatenated", "gamma": 0.5 })),
            _ => {}
        }
    }
    methods
}

/// Covariates of the test: the columns, each on a scale of its own.
fn covariates(similarity: &PaperSimilarity) -> Space {
    Space { width_p: Some(0.1), ..similarity.columns("covariates") }
}

/// Covariates as they stand in the file, γ 0.5.
fn published_covariates(similarity: &PaperSimilarity) -> Space {
    Space {
        name: "covariates".to_owned(),
        features: Some(similarity.as_they_stand()),
        width_p: Some(0.1),
        trust_gamma: Some(0.5),
        ..Space::default()
    }
}

fn view_note(similarity: &PaperSimilarity) -> &'static str {
    if similarity.positive { "" } else { POSITIVE }
}

fn figure_1(similarity: &PaperSimilarity) -> PaperPart {
    let options = json!({ "group": "" });
    let note = "The paper compares two trained models over new samples. Open each model's predictions, or compare \
                recalibration methods of one.";
    inference(
        similarity,
        "figure 1",
        "Mean of a covariate among rows with the event, from scores and from outcomes",
        note,
        options,
    )
}

fn figure_2(similarity: &PaperSimilarity) -> PaperPart {
    let title = "Difference of two groups' outcome rates, from scores and from outcomes";
    if similarity.groups.is_none() {
        return cannot("figure 2", title, NO_GROUPS);
    }
    let options = json!({ "of": "" });
    inference(similarity, "figure 2", title, "As figure 1.", options)
}

fn inference(similarity: &PaperSimilarity, id: &str, title: &str, note: &str, options: serde_json::Value) -> PaperPart {
    if !similarity.positive {
        return cannot(id, title, "Needs P(y = 1): open the file with the view positive.");
    }
    let before = run(calibrators(similarity), similarity);
    part(id, title, note, Made::Analysis { before, kind: "inference".to_owned(), options })
}

/// A study of the test on data made up for it, which depends on no file.
fn study(id: &str, title: &str, study: &str) -> PaperPart {
    let note = "A simulation of the paper's data; the open file is not used.";
    let before = Before {
        run: RunRequest { methods: Some(vec![MethodSpec::Id("none".to_owned())]), ..RunRequest::default() },
        ..Before::default()
    };
    part(id, title, note, Made::Analysis { before, kind: "bench".to_owned(), options: json!({ "study": study }) })
}

fn compared(methods: Vec<ExperimentMethod>, space: Space, metrics: &[&str], bins: BinOptions) -> Spec {
    Spec {
        methods,
        spaces: vec![space],
        divisions: Divisions { seeds: Some(Seeds::Count(1)), ..Divisions::default() },
        metrics: ids(metrics),
        bins,
        ..Spec::default()
    }
}

fn figure_4(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let title = "Brier score, ECE, MCE and KLCE² with its p-value, before and after each calibrator";
    let diagrams = part(
        "figure 4, top",
        "Reliability diagram before and after each calibrator",
        "The paper shows twenty bins joined by a line; here a curve with its band.",
        Made::Analysis {
            before: run(calibrators(similarity), similarity),
            kind: "multiples".to_owned(),
            options: json!({ "by": "method" }),
        },
    );
    if similarity.is_empty() {
        return vec![diagrams, cannot("figure 4", title, NO_SIMILARITY)];
    }
    let metrics: Vec<&str> = ["brier", "ece", "mce"].iter().chain(TRUST).copied().collect();
    let sound = "Half of the rows for calibration, half for testing; the paper has three parts, one of which trains \
                 the model. LCB corrects scores by the local bias.";
    let printed = "As in the published notebook: Platt scaling is a logistic regression on the raw probability with \
                   a ridge, bins are closed on the right, covariates are unscaled with γ 0.5 (so an age in years \
                   compares equal ages only), and EWF is the local bias with one kernel on covariates and score. \
                   The notebook excludes rows for which EWF is outside [0, 1]; here they are clipped.";
    vec![
        diagrams,
        experiment(
            "figure 4",
            title,
            joined(&[sound, TWO_P, similarity.columns_note()]),
            compared(calibrators(similarity), covariates(similarity), &metrics, BinOptions::equal_width(BINS)),
        ),
        experiment(
            "figure 4, as printed",
            title,
            joined(&[printed, TWO_P]),
            compared(
                published_calibrators(similarity),
                published_covariates(similarity),
                &metrics,
                published_bins(BINS),
            ),
        ),
    ]
}

fn figure_6(similarity: &PaperSimilarity) -> PaperPart {
    let title = "Local bias against a covariate, a panel and a line for each group";
    if !similarity.positive {
        return cannot("figure 6", title, "Needs P(y = 1): open the file with the view positive.");
    }
    if similarity.groups.is_none() {
        return cannot("figure 6", title, NO_GROUPS);
    }
    let note = "Here error is score minus outcome; the paper's bias has the opposite sign. Lines are cubic fits, as \
                published; bars show one standard error.";
    let before = run(vec![named("none", "none")], similarity);
    part("figure 6", title, note, Made::Analysis { before, kind: "bias_plot".to_owned(), options: nothing() })
}

fn table_1(similarity: &PaperSimilarity) -> PaperPart {
    let title = "KLCE² and its p-value without recalibration, after multicalibration and after its proportional form";
    if similarity.is_empty() {
        return cannot("table 1", title, NO_SIMILARITY);
    }
    if similarity.groups.is_none() {
        return cannot("table 1", title, NO_GROUPS);
    }
    let compat = json!({ "compat": "pmcboost" });
    let methods = vec![
        named("none", "None"),
        named("multicalibration", "MC"),
        named("proportional_multicalibration", "PMC"),
        with("multicalibration", "MC (pmcboost)", compat.clone()),
        with("proportional_multicalibration", "PMC (pmcboost)", compat),
    ];
    let note = "The paper has a column for each of three classifiers; open the predictions of each. Its rows MC are \
                runs of the proportional form (the package's default overrode the choice); MC here is \
                multicalibration, and the package's procedure is also included.";
    let spec = compared(methods, covariates(similarity), TRUST, BinOptions::equal_width(TABLE_BINS));
    experiment("table 1", title, joined(&[note, TWO_P]), spec)
}

fn table_2(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let title = "Brier score, ECE and KLCE² of models trained with a calibration penalty";
    let training = "Its models are trained with penalties (MMCE, MMD), which predictions alone do not allow.";
    if similarity.is_empty() {
        return vec![cannot("table 2", title, training)];
    }
    let methods = vec![named("none", "Original predictions"), named("mmce_temperature", "Temperature of least MMCE")];
    let metrics: Vec<&str> = ["brier", "ece", "ece_unweighted"].iter().chain(TRUST).copied().collect();
    let note = "The paper's ECE is the unweighted mean over bins (ece_unweighted); ece weights bins by their rows. \
                The closest recalibration to the penalty is the temperature of least MMCE.";
    let spec = compared(methods, covariates(similarity), &metrics, published_bins(TABLE_BINS));
    vec![experiment("table 2", title, joined(&[training, note, TWO_P]), spec)]
}

/// A run of some methods with the test on the covariates.
fn run(methods: Vec<ExperimentMethod>, similarity: &PaperSimilarity) -> Before {
    let mut before = similarity.in_columns(methods);
    before.run.bins = BinOptions::equal_width(BINS);
    if !similarity.is_empty() {
        before.run.klce = Some(KlceOptions {
            features: Some(similarity.as_they_stand()),
            gamma: Some(GammaChoice::Rule("median".to_owned())),
            ..KlceOptions::default()
        });
    }
    before
}
