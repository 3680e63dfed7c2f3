//! What the papers' parts are made of in one file: which rows are similar, in which groups, in how many bins.

use serde_json::{Value, json};

use super::Before;
use crate::data::{Predictions, Role, Scores, View};
use crate::evaluation::method::MethodSpec;
use crate::evaluation::request::{LocalOptions, RunRequest};
use crate::experiment::spec::{ExperimentMethod, Space};
use crate::feature::groups::{group_columns, groups};
use crate::feature::projection::{ProjectionRequest, TsneRequest};
use crate::feature::{FeatureChoice, feature_columns, width_of};
use crate::metric::binning::BinOptions;
use crate::project::Scaling;
use crate::table::Values;

/// γ in t-SNE coordinates, as LoRe has it.
const GAMMA_TSNE: f64 = 0.2;
/// γ among principal components, as LoRe has it.
const GAMMA_PCA: f64 = 0.4;
/// From this many coordinates on features are an embedding: 50 components instead of 20.
const EMBEDDING: usize = 100;
/// Calibration rows from which on confidence is cut into 15 bins, before that into 5.
const MANY: usize = 2000;
/// Rows up to which t-SNE is offered unasked.
const MOST_TSNE: usize = 50_000;
/// The note where no column defines similarity.
pub(super) const NO_SIMILARITY: &str = "No feature columns, which define similarity. Assign “Feature” to columns or \
                                       an array.";
/// What there is to say where nothing tells the groups.
pub(super) const NO_GROUPS: &str = "No group column. Assign “Group”.";
/// What tells the names of feature maps made here from those of columns.
const OURS: &str = "(papers)";

/// What the papers' parts are made of in one file.
#[derive(Debug)]
pub(super) struct PaperSimilarity {
    /// columns that define similarity; empty where none does
    pub columns: Vec<String>,
    /// coordinates that they make
    pub width: usize,
    /// they are what the model says of each class, for want of features
    pub of_scores: bool,
    /// a column of groups
    pub groups: Option<Vec<String>>,
    /// confidence bins
    pub bins: BinOptions,
    /// (p, y) is looked at, not (confidence, correct)
    pub positive: bool,
    /// there is a probability for every class
    pub vectors: bool,
    scale: Scaling,
    rows: usize,
}

impl PaperSimilarity {
    pub(super) fn of(data: &Predictions) -> Self {
        let vectors = !matches!(data.scores, Some(Scores::Confidence) | None);
        let (mut columns, mut of_scores) = (feature_columns(data), false);
        if columns.is_empty() && matches!(data.scores, Some(Scores::Probabilities(_) | Scores::Logits(_))) {
            let of_model = |role| matches!(role, Role::Probability | Role::Probabilities | Role::Logit | Role::Logits);
            columns =
                data.roles.iter().filter(|column| of_model(column.role)).map(|column| column.name.clone()).collect();
            of_scores = true;
        }
        let is_array = |name: &String| {
            let named = |column: &&crate::table::NamedColumn| column.name == *name;
            data.table.columns.iter().find(named).is_some_and(|column| matches!(column.values, Values::Matrix(_)))
        };
        // Columns have units of their own; the entries of an embedding share one, and so do probabilities.
        let scale = if of_scores || columns.iter().all(is_array) { Scaling::None } else { Scaling::Standardise };
        let parts = |name: &String| groups(data, name).is_ok_and(|found| found.levels.len() > 1);
        let groups = group_columns(data).into_iter().find(parts).map(|name| vec![name]);
        let bins = BinOptions::equal_width(if data.rows / 2 < MANY { 5 } else { 15 });
        let width = width_of(data, &FeatureChoice::Many(columns.clone()));
        let positive = data.view == View::Positive;
        Self { columns, width, of_scores, groups, bins, positive, vectors, scale, rows: data.rows }
    }

    /// Whether no column defines similarity.
    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Whether t-SNE is offered.
    pub(super) fn has_tsne(&self) -> bool {
        self.width > 1 && (8..=MOST_TSNE).contains(&self.rows)
    }

    fn tsne_request(&self, dimensions: usize) -> ProjectionRequest {
        ProjectionRequest {
            name: Some(map_name(&tsne_name(dimensions))),
            of: Some(self.columns.clone()),
            scale: self.scale,
            pca: (self.width >= EMBEDDING).then_some(50),
            tsne: Some(TsneRequest { dimensions: Some(dimensions), ..TsneRequest::default() }),
        }
    }

    /// t-SNE coordinates, γ 0.2.
    pub(super) fn tsne(&self, dimensions: usize) -> Space {
        let project = Some(self.tsne_request(dimensions));
        Space { name: tsne_name(dimensions), project, gamma: Some(GAMMA_TSNE), ..Space::default() }
    }

    /// Principal components, γ 0.4: 20 at most, of an embedding 50.
    pub(super) fn pca(&self) -> Space {
        let most = if self.width >= EMBEDDING { 50 } else { 20 };
        let (of, pca) = (self.columns.clone(), self.width.clamp(1, most));
        let space = Space { name: "PCA".to_owned(), gamma: Some(GAMMA_PCA), ..Space::default() };
        match self.scale {
            // fitted anew on the calibration rows of each division
            Scaling::None => Space { features: Some(FeatureChoice::Pca { pca, of }), ..space },
            _ => Space { project: Some(ProjectionRequest { pca: Some(pca), ..self.scaled("PCA") }), ..space },
        }
    }

    /// The columns, scaled.
    fn scaled(&self, name: &str) -> ProjectionRequest {
        let of = Some(self.columns.clone());
        ProjectionRequest { name: Some(map_name(name)), of, scale: self.scale, ..ProjectionRequest::default() }
    }

    /// t-SNE of two dimensions and principal components, as far as they are offered.
    pub(super) fn both(&self) -> Vec<Space> {
        let tsne = self.has_tsne().then(|| self.tsne(2));
        tsne.into_iter().chain([self.pca()]).collect()
    }

    /// The columns, each on a scale of its own where they are columns and not an array.
    pub(super) fn columns(&self, name: &str) -> Space {
        let space = Space { name: name.to_owned(), gamma: Some(GAMMA_PCA), ..Space::default() };
        match self.scale {
            Scaling::None => Space { features: Some(self.as_they_stand()), ..space },
            _ => Space { project: Some(self.scaled("standardised")), ..space },
        }
    }

    /// The columns, as they stand in the file.
    pub(super) fn as_they_stand(&self) -> FeatureChoice {
        match self.columns.as_slice() {
            [one] => FeatureChoice::One(one.clone()),
            more => FeatureChoice::Many(more.to_vec()),
        }
    }

    /// A run of some methods that looks at near rows on a map of two dimensions, which is made first.
    pub(super) fn on_a_map(&self, methods: Vec<ExperimentMethod>) -> Before {
        if !self.has_tsne() {
            return self.in_columns(methods);
        }
        let run = self.run(methods, FeatureChoice::One(map_name(&tsne_name(2))), GAMMA_TSNE);
        Before { project: vec![self.tsne_request(2)], run }
    }

    /// A run of some methods that looks at near rows among components of the columns.
    pub(super) fn in_columns(&self, methods: Vec<ExperimentMethod>) -> Before {
        let choice = match self.width {
            0..=2 => self.as_they_stand(),
            _ => FeatureChoice::Pca { pca: 2, of: self.columns.clone() },
        };
        Before { project: Vec::new(), run: self.run(methods, choice, GAMMA_PCA) }
    }

    fn run(&self, methods: Vec<ExperimentMethod>, features: FeatureChoice, gamma: f64) -> RunRequest {
        let near = LocalOptions { features: Some(features), gamma: Some(gamma), ..LocalOptions::default() };
        RunRequest {
            methods: Some(methods.into_iter().map(of_run).collect()),
            bins: self.bins,
            local: (!self.is_empty()).then_some(near),
            groups: self.groups.clone(),
            ..RunRequest::default()
        }
    }

    /// The note on the definition of similarity.
    pub(super) fn note(&self) -> String {
        let left_out = match self.has_tsne() {
            true => "",
            false => "t-SNE is not included: it needs two coordinates, and at most 50,000 rows.",
        };
        joined(&[self.columns_note(), left_out])
    }

    /// The same where t-SNE has no part in it.
    pub(super) fn columns_note(&self) -> &'static str {
        match (self.of_scores, self.scale) {
            (true, _) => "The file has no features; similarity is based on the scores of all classes.",
            (false, Scaling::Standardise) => "Columns are standardized first.",
            (false, _) => "",
        }
    }

    /// What a person should know of the view of a paper about the predicted class.
    pub(super) fn top_label_note(&self) -> &'static str {
        match self.positive {
            true => {
                "The paper evaluates the confidence of the predicted class; here P(y = 1) is evaluated. To match the \
                 paper, choose “Confidence of the predicted class” under “Evaluate” under Data."
            }
            false => "",
        }
    }
}

/// What a t-SNE map is called.
fn tsne_name(dimensions: usize) -> String {
    if dimensions == 2 { "t-SNE".to_owned() } else { format!("t-SNE {dimensions}-d") }
}

/// By what a feature map that is made here can be meant.
fn map_name(name: &str) -> String {
    format!("{name} {OURS}")
}

/// A method of an experiment as a run takes it.
fn of_run(method: ExperimentMethod) -> MethodSpec {
    match method {
        ExperimentMethod::Id(id) => MethodSpec::Id(id),
        ExperimentMethod::Named { id, name, parameters, .. } => {
            let parameters = if parameters.is_null() { json!({}) } else { parameters };
            MethodSpec::Named { id, name, parameters }
        }
    }
}

/// Sentences, one after another; empty ones left out.
pub(super) fn joined(sentences: &[&str]) -> String {
    let sentences: Vec<&str> = sentences.iter().copied().filter(|one| !one.is_empty()).collect();
    sentences.join(" ")
}

/// No settings.
pub(super) fn nothing() -> Value {
    json!({})
}
