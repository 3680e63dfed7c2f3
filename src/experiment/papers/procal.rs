//! Xiong et al. (2023): proximity bias, PIECE and ProCal.

use serde_json::{Value, json};

use super::similarity::{NO_SIMILARITY, PaperSimilarity, joined, nothing};
use super::{Made, Paper, PaperPart, cannot, experiment, ids, named, numbers, part, with};
use crate::data::Predictions;
use crate::experiment::Level;
use crate::experiment::spec::{Compare, Divisions, ExperimentMethod, Knob, Seeds, Space, Spec, Vary};
use crate::proximity::Form;

/// The paper's divisions.
const SEEDS: [u64; 5] = [2020, 2021, 2022, 2023, 2024];
/// Errors of the tables.
const ERRORS: &[&str] = &["ece", "ace", "mce", "piece"];
/// The same as the published code computes them.
const PUBLISHED: &[&str] = &["ece", "ace", "mce_weighted", "piece_code"];
/// Base methods with continuous scores: their names in the paper and ids.
const SCALING: &[(&str, &str)] =
    &[("Conf", "none"), ("TS", "temperature"), ("ETS", "ets"), ("PTS", "pts"), ("PTSK", "ptsk")];
/// Base methods whose scores come in steps.
const BINNING: &[(&str, &str)] = &[("HB", "histogram"), ("IR", "isotonic"), ("MIR", "mir")];
/// Which method corrects what.
const WHICH: &str = "+ ours: the density ratio after Conf, TS, ETS, PTS and PTSK, half of the bins' gaps (λ 0.5) \
                     after HB, IR and MIR. HB and IR recalibrate the confidence of the predicted class.";
/// How the numbers of the tables differ.
const SOUND: &str = "MCE is the largest gap of any bin; PIECE divides bins of equal size into cells of equal size. \
                     The paper's own versions of both are in the part as printed.";
/// What the published code does.
const PRINTED: &str = "As in the published code: MCE is the largest gap times the bin's share of the rows (and so \
                       below ECE), PIECE divides bins of equal width at quantiles of all rows' proximity, proximity \
                       is the mean of exp(−squared distance) on rows of unit length, + ours after HB, IR and MIR \
                       refits the method in five groups by proximity, and PTS stops before convergence. Printed \
                       numbers are times 100; HB there is one-vs-all, here of the predicted class.";

pub(super) fn paper(data: &Predictions, similarity: &PaperSimilarity) -> Paper {
    Paper {
        id: "procal".to_owned(),
        title: "ProCal 2023".to_owned(),
        citation: "Xiong, M., Deng, A., Koh, P. W., Wu, J., Li, S., Xu, J. and Hooi, B. (2023). Proximity-informed \
                   calibration for deep neural networks. NeurIPS."
            .to_owned(),
        note: joined(&[similarity.columns_note(), similarity.top_label_note()]),
        parts: parts(data, similarity),
    }
}

fn parts(data: &Predictions, similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let training = "Needs predictions for the training rows, which a file of predictions does not identify.";
    let figure_4 = cannot("figure 4", "Accuracy on training and other rows, by proximity", training);
    if similarity.is_empty() {
        return vec![
            cannot("figures 1 to 14, tables 1 to 7", "All parts: each uses neighbors", NO_SIMILARITY),
            figure_4,
        ];
    }
    let mut parts = vec![
        figure_1(similarity),
        figure_2(similarity),
        figure_3(similarity),
        figure_4,
        figures_5_to_9(similarity),
        figure_10(similarity),
    ];
    parts.extend(ablations(data, similarity));
    parts.extend(tables(similarity));
    parts
}

/// The columns, nearness as the paper prints it.
fn space(similarity: &PaperSimilarity) -> Space {
    similarity.columns("features")
}

/// Base methods of some list that this file has what they look at for.
fn bases<'a>(
    similarity: &PaperSimilarity,
    of: &'a [(&'a str, &'a str)],
) -> impl Iterator<Item = &'a (&'a str, &'a str)> {
    let vectors = similarity.vectors;
    of.iter().filter(move |(_, id)| vectors || matches!(*id, "none" | "temperature" | "histogram" | "isotonic"))
}

/// Every base, and every base with the paper's own after it.
fn grid(similarity: &PaperSimilarity) -> Vec<ExperimentMethod> {
    let mut methods = Vec::new();
    for (list, second) in [(SCALING, "density_ratio"), (BINNING, "bin_mean_shift")] {
        for (name, id) in bases(similarity, list) {
            methods.push(named(id, name));
            methods.push(named(&format!("{id}+{second}"), &format!("{name} + ours")));
        }
    }
    methods
}

/// The same as the published code has it.
fn published_grid(similarity: &PaperSimilarity) -> Vec<ExperimentMethod> {
    let mut methods = Vec::new();
    for (list, second) in [(SCALING, "density_ratio"), (BINNING, "proximity_stratified")] {
        for (name, id) in bases(similarity, list) {
            let of_base = if *id == "pts" { json!({ "published": true }) } else { Value::Null };
            let mut of_both = nothing();
            if second == "density_ratio" {
                of_both = json!({ "floor": true });
            }
            if *id == "pts" {
                of_both["base"] = of_base.clone();
            }
            methods.push(with(id, name, of_base));
            methods.push(with(&format!("{id}+{second}"), &format!("{name} + ours"), of_both));
        }
    }
    methods
}

/// The paper's question, planned: each base with the paper's own after it against the base alone.
fn ours_against_bases(methods: &[ExperimentMethod]) -> Option<Compare> {
    let name = |method: &ExperimentMethod| method.name().to_owned();
    let known: Vec<String> = methods.iter().map(name).collect();
    let base = |ours: &String| ours.strip_suffix(" + ours").map(str::to_owned).filter(|base| known.contains(base));
    let pairs: Vec<[String; 2]> = known.iter().filter_map(|ours| Some([ours.clone(), base(ours)?])).collect();
    (!pairs.is_empty()).then_some(Compare::Pairs { pairs })
}

/// The same for a table of bases with and without the paper's own.
fn planned(spec: Spec) -> Spec {
    Spec { compare: ours_against_bases(&spec.methods), ..spec }
}

/// The paper's evaluation of some methods: five halves, means.
fn halves(similarity: &PaperSimilarity, methods: Vec<ExperimentMethod>, metrics: &[&str]) -> Spec {
    Spec {
        methods,
        spaces: vec![space(similarity)],
        divisions: Divisions { seeds: Some(Seeds::These(SEEDS.to_vec())), ..Divisions::default() },
        metrics: ids(metrics),
        ..Spec::default()
    }
}

fn figure_1(similarity: &PaperSimilarity) -> PaperPart {
    part(
        "figure 1",
        "Confidence and accuracy for typical and isolated rows",
        "The paper shows the extreme tenths of the rows by proximity; here fifths, as in its test.",
        Made::Analysis {
            before: similarity.in_columns(vec![named("none", "none")]),
            kind: "proximity".to_owned(),
            options: nothing(),
        },
    )
}

fn figure_2(similarity: &PaperSimilarity) -> PaperPart {
    let methods = vec![named("none", "none"), named("temperature", "TS"), named("none+density_ratio", "ProCal")];
    part(
        "figure 2",
        "Proximity bias and accuracy, one mark per model",
        joined(&[
            "The paper has 504 models. Add the predictions of further models as files.",
            "The test matches rows with replacement, so its p-values are too small; intervals resample rows.",
        ]),
        Made::Analysis {
            before: similarity.in_columns(methods),
            kind: "models".to_owned(),
            options: json!({ "x": "accuracy", "y": "bias_index" }),
        },
    )
}

fn figure_3(similarity: &PaperSimilarity) -> PaperPart {
    let mut spec = halves(similarity, grid(similarity), ERRORS);
    spec.divisions = Divisions { files: true, ..Divisions::default() };
    experiment(
        "figure 3",
        "Errors of every method, one mark per model",
        joined(&["One split per open file. Add the predictions of further models.", WHICH, SOUND]),
        spec,
    )
}

fn figures_5_to_9(similarity: &PaperSimilarity) -> PaperPart {
    let mut methods = vec![named("none", "Conf"), named("temperature", "TS")];
    if similarity.vectors {
        methods.push(named("mir", "MIR"));
        methods.push(named("ets", "ETS"));
    }
    methods.push(named("none+density_ratio", "ProCal"));
    experiment(
        "figures 5 to 9",
        "Proximity bias without recalibration, after TS, MIR and ETS, and after the paper's method",
        joined(&["Also shown: z of the rank-sum test, about N(0, 1) without proximity bias. The paper compares \
                models; with further files each is one split."]),
        halves(similarity, methods, &["accuracy", "bias_index", "bias_z"]),
    )
}

fn figure_10(similarity: &PaperSimilarity) -> PaperPart {
    let methods = vec![named("none", "none"), named("temperature", "TS"), named("none+density_ratio", "ProCal")];
    part(
        "figure 10",
        "Accuracy and confidence, before and after recalibration, by proximity",
        "",
        Made::Analysis { before: similarity.in_columns(methods), kind: "proximity".to_owned(), options: nothing() },
    )
}

/// What depends on the settings of the paper's own.
fn ablations(data: &Predictions, similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let most = (data.rows / 2) as f64;
    let neighbours = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0];
    let neighbours = neighbours.into_iter().filter(|k| *k < most);
    let ours = |ids: &[(&str, &str)]| ids.iter().map(|(id, name)| named(id, name)).collect::<Vec<_>>();
    let both = [
        ("none+density_ratio", "Conf + density ratio"),
        ("none+bin_mean_shift", "Conf + bin mean shift"),
        ("temperature+density_ratio", "TS + density ratio"),
        ("isotonic+bin_mean_shift", "IR + bin mean shift"),
    ];
    let shifts = [
        ("none+bin_mean_shift", "Conf + bin mean shift"),
        ("histogram+bin_mean_shift", "HB + bin mean shift"),
        ("isotonic+bin_mean_shift", "IR + bin mean shift"),
    ];
    let fixed = "PIECE keeps K = 10 and the Euclidean distance; only the setting of the method varies.";
    let swept = |id: &str, title: &str, of: &[(&str, &str)], vary: Vec<Vary>| {
        let spec = Spec { vary, ..halves(similarity, ours(of), ERRORS) };
        experiment(id, title, joined(&[fixed, SOUND]), spec)
    };
    let distance = Vary {
        setting: "distance".to_owned(),
        values: ["euclidean", "cosine"].iter().map(|word| Level::Word((*word).to_owned())).collect(),
        of: Some(Knob::Methods),
    };
    let seconds = [
        ("none+density_ratio", "Density ratio"),
        ("none+bin_mean_shift", "Bin mean shift"),
        ("temperature+density_ratio", "TS + density ratio"),
        ("temperature+bin_mean_shift", "TS + bin mean shift"),
        ("isotonic+density_ratio", "IR + density ratio"),
        ("isotonic+bin_mean_shift", "IR + bin mean shift"),
    ];
    vec![
        experiment(
            "section F.1",
            "Density ratio and bin mean shift after the same methods",
            SOUND,
            halves(similarity, ours(&seconds), ERRORS),
        ),
        swept(
            "figure 13",
            "Errors by K, the number of neighbors of proximity",
            &both,
            vec![numbers("neighbours", neighbours, Some(Knob::Methods))],
        ),
        swept("figure 14", "Errors by the distance of proximity", &both, vec![distance]),
        swept(
            "ablation of λ",
            "Errors by λ, the proportion of a cell's gap that is removed",
            &shifts,
            vec![numbers("lambda", (0..=10).map(|k| f64::from(k) / 10.0), Some(Knob::Methods))],
        ),
        swept(
            "ablation of bins",
            "Errors by the number of proximity bins per score bin",
            &shifts,
            vec![numbers("proximity_bins", [1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 15.0, 20.0], Some(Knob::Methods))],
        ),
    ]
}

fn tables(similarity: &PaperSimilarity) -> Vec<PaperPart> {
    let title = "ECE, ACE, MCE and PIECE of every method, alone and followed by the paper's method";
    let asterisk = "Five random halves with the paper's seeds. The paper marks significance without stating the \
                    test; here each base followed by the paper's method is compared with the base alone, one \
                    planned comparison per base.";
    let printed = planned(Spec {
        spaces: vec![Space {
            features: Some(similarity.as_they_stand()),
            project: None,
            form: Some(Form::Code),
            ..space(similarity)
        }],
        ..halves(similarity, published_grid(similarity), PUBLISHED)
    });
    let as_the_file_says =
        planned(Spec { divisions: Divisions::default(), ..halves(similarity, grid(similarity), ERRORS) });
    let mut timed = vec![named("none", "Conf"), named("temperature", "TS")];
    if similarity.vectors {
        timed.extend([named("ets", "ETS"), named("pts", "PTS"), named("ptsk", "PTSK")]);
    }
    timed.extend([named("histogram", "HB"), named("isotonic", "IR")]);
    if similarity.vectors {
        timed.push(named("mir", "MIR"));
    }
    timed.extend([named("none+bin_mean_shift", "Bin mean shift"), named("none+density_ratio", "Density ratio")]);
    vec![
        experiment(
            "tables 1, 4 and 6",
            title,
            joined(&[asterisk, WHICH, SOUND]),
            planned(halves(similarity, grid(similarity), ERRORS)),
        ),
        experiment("tables 1, 4 and 6, as printed", title, PRINTED, printed),
        experiment(
            "tables 2, 5 and 7",
            title,
            joined(&[
                "The file specifies calibration rows, such as one domain, and evaluation rows, such as another; \
                 otherwise as table 1 with other seeds.",
                WHICH,
                SOUND,
            ]),
            as_the_file_says,
        ),
        experiment(
            "table 3",
            "Seconds to fit and to recalibrate a row",
            joined(&["The paper's times include the network, 5.6 ms per image; here those of recalibration alone, \
                    including the neighbor search, on one worker."]),
            halves(similarity, timed, &["fit_seconds", "apply_seconds"]),
        ),
    ]
}
