//! Words that names of columns are known by.

/// Names of the column that holds the outcome, best first.
pub(in crate::data) const LABEL: &[&str] = &[
    "y_true",
    "true_label",
    "label_true",
    "true_labels",
    "ground_truth",
    "groundtruth",
    "truth",
    "label",
    "labels",
    "target",
    "targets",
    "y",
    "ys",
    "label_ids",
    "label_id",
    "true",
    "gt",
    "gold",
    "gold_label",
    "y_test",
    "true_class",
    "class_label",
    "actual",
    "actuals",
    "observed",
    "obs",
    "outcome",
    "outcomes",
    "outcome_count",
    "two_year_recid",
    "response",
    "class",
    "event",
    "died",
    "dead",
    "death",
    "deceased",
    "mortality",
    "expired",
    "readmitted",
    "readmission",
    "relapse",
    "recurrence",
    "churn",
    "churned",
    "defaulted",
    "default",
];
/// Names of the predicted class.
pub(in crate::data) const PREDICTED: &[&str] = &[
    "predicted",
    "predicted_label",
    "pred_label",
    "predicted_class",
    "pred_class",
    "label_pred",
    "y_hat",
    "yhat",
    "predicted_labels",
    "predict",
    "y_pred",
    "pred",
    "preds",
    "prediction",
    "predictions",
    "prediction_label",
    "prediction_class",
    "scored_label",
    "scored_labels",
];
/// Words that say that a model wrote a column, beside the name of what it predicts: `income_pred`.
pub(in crate::data) const PREDICTED_WORDS: &[&str] =
    &["pred", "preds", "predicted", "prediction", "predictions", "hat", "scored"];
/// Words that may stand behind [`PREDICTED_WORDS`].
pub(in crate::data) const CLASS_WORDS: &[&str] = &["class", "classes", "label", "labels"];
/// Words at either end of the name of one of several outcomes: `Edema_true`, `y_Edema`; of a score: `Edema_pred`.
pub(in crate::data) const OUTCOME_ENDS: &[&str] = &[
    "true", "truth", "label", "labels", "gt", "gold", "target", "actual", "y", "observed", "obs", "outcome", "event",
    "orig", "original",
];
pub(in crate::data) const SCORE_ENDS: &[&str] =
    &["pred", "preds", "predicted", "prediction", "predictions", "score", "scores", "risk", "y", "hat"];
/// Words that say that a column is about the time before what is predicted, or about relatives.
pub(in crate::data) const HISTORY_WORDS: &[&str] = &[
    "prior",
    "previous",
    "prev",
    "past",
    "history",
    "hx",
    "family",
    "famhx",
    "former",
    "baseline",
    "arrival",
    "admission",
    "preexisting",
    "anamnese",
    "father",
    "mother",
    "parent",
    "parents",
    "sibling",
    "siblings",
    "brother",
    "sister",
    "spouse",
    "husband",
    "wife",
    "relative",
    "relatives",
    "vater",
    "mutter",
];
/// Words for illnesses that rows may have without their being what is predicted.
pub(in crate::data) const COMORBIDITY_WORDS: &[&str] = &["disease", "diseases", "diseased", "cancer", "sick", "ill"];
/// Words for who people are, which is hardly ever predicted.
pub(in crate::data) const DEMOGRAPHIC_WORDS: &[&str] = &["sex", "gender", "male", "female", "race", "ethnicity"];
/// Words for what is known of rows rather than what happens to them.
pub(in crate::data) const COVARIATE_WORDS: &[&str] = &[
    "sex",
    "gender",
    "male",
    "female",
    "man",
    "woman",
    "race",
    "ethnicity",
    "white",
    "black",
    "hispanic",
    "married",
    "smoker",
    "smoking",
    "smoke",
    "alcohol",
    "diabetes",
    "diabetic",
    "hypertension",
    "hypertensive",
    "treatment",
    "treated",
    "arm",
    "insured",
    "urban",
];
/// Names of whether the prediction was right.
pub(in crate::data) const CORRECT: &[&str] =
    &["correct", "is_correct", "correctness", "hit", "hits", "accuracy", "accuracies", "acc", "right"];
/// Names by which a text was compared with the expected one: correctness beside a confidence, else perhaps a feature of two records.
pub(in crate::data) const MATCHED: &[&str] =
    &["exact_match", "quasi_exact_match", "prefix_exact_match", "quasi_prefix_exact_match", "em"];
/// Names of whether a detection is one of an object that is there: correctness beside a confidence.
pub(in crate::data) const DETECTED: &[&str] = &["tp", "is_tp", "true_positive", "is_true_positive"];
/// Names of what may be correctness beside a confidence where no class was observed or predicted.
pub(in crate::data) const PASSED: &[&str] = &["passed", "pass", "success", "succeeded", "solved"];
/// Names of what may hold verdicts in words besides [`CORRECT`].
pub(in crate::data) const VERDICT: &[&str] =
    &["grade", "grades", "graded", "verdict", "judgment", "judgement", "judge", "evaluation"];
/// The same, where they may hold a class as well.
pub(in crate::data) const PERHAPS_VERDICT: &[&str] = &["label", "score", "result", "outcome"];
/// Names of the text of a question.
pub(in crate::data) const QUESTION: &[&str] =
    &["question", "question_text", "prompt", "prompt_text", "problem", "query", "input"];
/// Names of the predicted class's probability.
pub(in crate::data) const CONFIDENCE: &[&str] = &[
    "confidence",
    "conf",
    "confs",
    "confidences",
    "certainty",
    "stated_confidence",
    "max_prob",
    "max_proba",
    "top_prob",
    "top1_prob",
    "msp",
    "pred_conf",
    "confidence_score",
    "max_probability",
];
/// Names of sample weights.
pub(in crate::data) const WEIGHT: &[&str] =
    &["weight", "weights", "w", "sample_weight", "sample_weights", "case_weight", "case_weights"];
/// Other names of sample weights in surveys and for weighting by a propensity; `wt` is a body weight in as many files.
pub(in crate::data) const WEIGHT_NAMES: &[&str] = &["pweight", "iptw", "ipw", "ipcw", "svywt", "finalwgt", "finalwt"];
/// Words before `weight` that make it a sample weight rather than that of a body.
pub(in crate::data) const WEIGHT_OF: &[&str] = &[
    "survey",
    "sampling",
    "samp",
    "sample",
    "case",
    "design",
    "population",
    "propensity",
    "importance",
    "observation",
    "obs",
    "frequency",
    "freq",
    "iptw",
    "ipw",
    "ipcw",
    "inverse",
];
/// Names of a number of rows.
pub(in crate::data) const COUNT: &[&str] = &[
    "n",
    "count",
    "counts",
    "freq",
    "frequency",
    "cases",
    "n_rows",
    "size",
    "len",
    "count_star",
    "count_1",
    "rows",
    "total",
    "num",
    "num_rows",
    "row_count",
    "n_cases",
];
/// Names of the column that divides the rows.
pub(in crate::data) const SPLIT: &[&str] =
    &["split", "set", "partition", "subset", "sample", "fold", "evaluation_type", "dataset"];
/// Names of the column that names the rows.
pub(in crate::data) const ID: &[&str] = &[
    "id",
    "ids",
    "row",
    "row_id",
    "row_ids",
    "row_index",
    "rowid",
    "index",
    "idx",
    "inst",
    "instance",
    "uuid",
    "guid",
    "identifier",
    "identifiant",
    "identificador",
    "subject",
    "patient",
    "image",
    "image_id",
    "filename",
    "file_name",
    "path",
    "key",
];
/// Words for who or what decided a class that was observed, and for a program that predicted one.
pub(in crate::data) const OBSERVER_WORDS: &[&str] = &[
    "human",
    "gold",
    "golden",
    "annotator",
    "annotation",
    "expert",
    "truth",
    "true",
    "reference",
    "ref",
    "manual",
    "rater",
    "actual",
    "observed",
    "consensus",
    "adjudicated",
    "target",
];
pub(in crate::data) const PREDICTOR_WORDS: &[&str] = &[
    "model",
    "llm",
    "gpt",
    "claude",
    "gemini",
    "llama",
    "mistral",
    "ai",
    "hyp",
    "hypothesis",
    "auto",
    "machine",
    "system",
    "output",
    "response",
    "classifier",
    "pred",
    "predicted",
    "prediction",
];
/// Last words of the name of a spread beside a score: `p_se`.
pub(in crate::data) const SPREAD_ENDS: &[&str] = &["se", "sd", "std", "stderr", "var", "variance"];
/// Names of the time to an event or to the end of follow-up.
pub(in crate::data) const FOLLOW_UP: &[&str] = &[
    "time_to_event",
    "event_time",
    "survival_time",
    "surv_time",
    "futime",
    "follow_up",
    "follow_up_time",
    "follow_up_days",
    "follow_up_months",
    "follow_up_years",
    "followup",
    "followup_time",
    "followup_days",
    "followup_months",
    "followup_years",
    "os_time",
    "os_days",
    "os_months",
    "pfs_time",
    "pfs_months",
];
/// Names that programs give to the standard error of a prediction.
pub(in crate::data) const STANDARD_ERROR: &[&str] = &["standard_error", "std_err", "std_error", "stderr"];
/// Words for the lower end of an interval, and for the upper one, among them quantiles.
pub(in crate::data) const LOWER_BOUND: &[&str] = &[
    "lower", "low", "lo", "lcl", "lci", "lcb", "lwr", "lb", "ll", "lower95", "low95", "lo95", "ll95", "l95", "95lo",
    "95l", "q025", "q2", "q05", "q5", "p025", "p2", "p05", "p5", "min",
];
pub(in crate::data) const UPPER_BOUND: &[&str] = &[
    "upper", "high", "hi", "ucl", "uci", "ucb", "upr", "ub", "ul", "upper95", "high95", "hi95", "ul95", "u95", "95hi",
    "95u", "q975", "q97", "q95", "p975", "p97", "p95", "max",
];
/// Names that pandas, R and databases give to the numbers of rows.
pub(in crate::data) const ROW_NUMBERS: &[&str] = &[
    "unnamed_0",
    "index",
    "idx",
    "row",
    "rows",
    "row_id",
    "row_ids",
    "row_index",
    "row_number",
    "row_num",
    "rownum",
    "rownames",
    "row_names",
    "index_level_0",
    "level_0",
    "lfd_nr",
    "laufende_nummer",
];
/// What several rows may be about.
pub(in crate::data) struct Clustered {
    /// one and several of them, as in a sentence
    pub nouns: [&'static str; 2],
    /// other words for it
    words: &'static [&'static str],
    /// words for it only before one of [`ID_ENDS`]: a `fall` alone happens to someone
    before_id: &'static [&'static str],
}

impl Clustered {
    const fn named(one: &'static str, several: &'static str) -> Self {
        Self { nouns: [one, several], words: &[], before_id: &[] }
    }

    const fn or(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    const fn or_before_id(self, before_id: &'static [&'static str]) -> Self {
        Self { before_id, ..self }
    }

    /// Whether a noun means this, where one of [`ID_ENDS`] follows it or not.
    pub(in crate::data) fn is_meant_by(&self, noun: &str, has_end: bool) -> bool {
        self.nouns.contains(&noun) || self.words.contains(&noun) || has_end && self.before_id.contains(&noun)
    }
}

/// What several rows may be about, people first. Rows of one of them are dependent.
pub(in crate::data) const CLUSTERED: &[Clustered] = &[
    Clustered::named("patient", "patients")
        .or(&["patienten", "paciente", "paziente", "pid"])
        .or_before_id(&["pat", "pt", "nhs"]),
    Clustered::named("subject", "subjects").or_before_id(&["subj", "usubj"]),
    Clustered::named("person", "persons"),
    Clustered::named("participant", "participants").or(&["probanden", "teilnehmer"]),
    Clustered::named("individual", "individuals"),
    Clustered::named("medical record number", "medical record numbers").or(&["mrn"]),
    Clustered::named("pseudonym", "pseudonyms"),
    Clustered::named("client", "clients"),
    Clustered::named("customer", "customers").or(&["kunden"]),
    Clustered::named("member", "members").or_before_id(&["versicherten"]),
    Clustered::named("student", "students"),
    Clustered::named("pupil", "pupils"),
    Clustered::named("user", "users"),
    Clustered::named("applicant", "applicants"),
    Clustered::named("borrower", "borrowers"),
    Clustered::named("account", "accounts"),
    Clustered::named("household", "households"),
    Clustered::named("family", "families"),
    Clustered::named("animal", "animals"),
    Clustered::named("question", "questions"),
    Clustered::named("prompt", "prompts"),
    Clustered::named("document", "documents"),
    Clustered::named("image", "images"),
    Clustered::named("slide", "slides"),
    Clustered::named("video", "videos"),
    Clustered::named("encounter", "encounters").or(&["csn"]).or_before_id(&["hadm"]),
    Clustered::named("case", "cases").or_before_id(&["fall"]),
    Clustered::named("cluster", "clusters"),
];
/// Of [`LABEL`], names that mean whatever is predicted.
pub(in crate::data) const ANY_OUTCOME: &[&str] =
    &["groundtruth", "ys", "gt", "gold", "gold_label", "true_class", "class_label", "two_year_recid", "ground_truth"];
/// Words behind the noun of an id.
pub(in crate::data) const ID_ENDS: &[&str] =
    &["id", "ids", "uuid", "guid", "no", "nr", "number", "num", "key", "code", "nummer"];
/// What an id may name without its rows depending on each other: the row itself, what is predicted or done with it, and
/// places, which are groups unless a person says otherwise.
pub(in crate::data) const NOT_CLUSTERED: &[&str] = &[
    "row",
    "rows",
    "index",
    "idx",
    "inst",
    "instance",
    "key",
    "label",
    "class",
    "target",
    "model",
    "fold",
    "split",
    "set",
    "batch",
    "run",
    "seed",
    "group",
    "type",
    "category",
    "topic",
    "site",
    "ward",
    "hospital",
    "center",
    "centre",
    "clinic",
    "unit",
    "icu",
    "department",
    "dept",
    "practice",
    "region",
    "country",
    "state",
    "city",
    "zip",
    "store",
    "branch",
    "school",
    "race",
    "ethnicity",
    "gender",
    "sex",
    "product",
    "language",
    "lang",
];
/// Names of rows that calibrate.
pub(super) const CALIBRATE: &[&str] = &["calibration", "cal", "val", "valid", "validate", "validation", "dev"];
/// Names of rows that a model was fitted to; `development` is what banks call them.
pub(super) const TRAINING: &[&str] = &["train", "training", "learn", "learning", "development", "in_sample", "ins"];
/// Names of columns that say with yes and no which rows a model was fitted to; a `train` or `test` alone may be a way to travel,
/// or a finding of a laboratory.
pub(in crate::data) const IS_TRAINING: &[&str] =
    &["is_train", "is_training", "in_train", "in_training", "train_flag", "is_train_set", "in_train_set"];
/// Those that say it of the other rows.
pub(in crate::data) const IS_TEST: &[&str] = &[
    "is_test",
    "in_test",
    "test_flag",
    "is_test_set",
    "in_test_set",
    "is_holdout",
    "in_holdout",
    "is_val",
    "is_validation",
];
/// Names of rows that are scored.
pub(super) const SCORED: &[&str] =
    &["test", "testing", "eval", "evaluation", "holdout", "hold_out", "oot", "out_of_time", "oos", "out_of_sample"];
/// Words behind the name of a part: test set, training sample.
pub(super) const PART_ENDS: &[&str] = &["set", "sample", "data", "rows"];
/// Letters and signs that count as 1, each beside the one that counts as 0: yes, ja, true, positive, bad.
pub(in crate::data) const POSITIVE_LETTERS: &[[&str; 2]] =
    &[["y", "n"], ["j", "n"], ["t", "f"], ["p", "n"], ["b", "g"], ["+", "-"]];

/// Names of one score column, best first.
pub(in crate::data) const SCORE: &[&str] = &[
    "y_prob",
    "y_proba",
    "y_pred_proba",
    "pred_proba",
    "pred_prob",
    "prob",
    "proba",
    "probs",
    "probability",
    "probabilities",
    "p",
    "p_y_1",
    "phat",
    "p_hat",
    "predicted_probability",
    "predicted_risk",
    "pre_1",
    "fitted",
    "fitted_values",
    "yhat",
    "y_hat",
    "prob_pos",
    "positive_prob",
    "posterior",
    "risk",
    "risk_score",
    "pd",
    "y_score",
    "score",
    "scores",
    "prediction",
    "predictions",
    "y_pred",
    "pred",
    "preds",
    "predict",
    "output",
    "outputs",
    "fit",
];
/// Names of log-odds or logits.
pub(in crate::data) const LOGIT: &[&str] = &[
    "logit",
    "logits",
    "lp",
    "linear_predictor",
    "linear_predictors",
    "linpred",
    "lin_pred",
    "xb",
    "log_odds",
    "logodds",
    "margin",
    "decision_function",
    "raw_formula_val",
];
/// Of these, names of a linear predictor.
pub(in crate::data) const LINEAR_PREDICTOR: &[&str] =
    &["lp", "linear_predictor", "linear_predictors", "linpred", "lin_pred", "xb", "prognostic_index"];
/// Words before the number of a part of the work that made scores, which is no class.
pub(in crate::data) const REPEATED_WORDS: &[&str] = &["fold", "seed", "rep", "repeat", "run", "cv"];
/// Words for what is made of the scores of all such parts.
pub(in crate::data) const MEAN_WORDS: &[&str] = &["mean", "avg", "average", "ensemble", "oof", "final"];
/// Names of feature arrays.
pub(in crate::data) const FEATURES: &[&str] =
    &["features", "feature", "feats", "embeddings", "embedding", "zs", "x", "phi", "representations", "hidden"];
/// Words that say that values are the places of rows among others.
pub(in crate::data) const RANK_WORDS: &[&str] = &[
    "percentile",
    "percentiles",
    "pctl",
    "pctile",
    "rank",
    "ranks",
    "quantile",
    "decile",
    "ecdf",
    "cum",
    "cumulative",
];
/// Words that say that values are probabilities, and nothing else.
pub(in crate::data) const PROBABILITY_WORDS: &[&str] = &[
    "p",
    "prob",
    "probs",
    "proba",
    "probas",
    "probability",
    "probabilities",
    "phat",
    "softmax",
    "posterior",
    "distribution",
    "propensity",
    "wahrscheinlichkeit",
    "probabilité",
    "probabilidad",
    "probabilità",
    "prawdopodobieństwo",
    "вероятность",
];
/// Names with the word `p` or `score` that are no prediction: p-values, the acidity pH, quotients of pressures,
/// standardized values.
pub(in crate::data) const NOT_SCORES: &[&str] =
    &["p_value", "p_val", "adj_p_value", "p_h", "p_f", "p_f_ratio", "p_o2", "p_co2", "z_score"];
/// Words that say that values are in percent.
pub(in crate::data) const PERCENT_WORDS: &[&str] = &["percent", "percentage", "perc", "pct", "prozent", "pourcent"];
/// Words that say that values are per mille.
pub(in crate::data) const PER_MILLE_WORDS: &[&str] = &["permille", "permil", "promille"];
/// Words that say that values are hundredths of a percent.
pub(in crate::data) const BASIS_POINT_WORDS: &[&str] = &["bps", "basispunkte", "basispunkten"];
/// Words that say that values are scores of some kind.
pub(in crate::data) const SCORE_WORDS: &[&str] = &[
    "pred",
    "preds",
    "prediction",
    "predictions",
    "predicted",
    "score",
    "scores",
    "logit",
    "logits",
    "conf",
    "confidence",
    "class",
    "cls",
    "output",
    "outputs",
    "out",
    "risk",
    "likelihood",
    "pd",
    "risiko",
    "risque",
    "riesgo",
    "rischio",
    "risico",
    "ryzyko",
    "риск",
];
/// Words that say that values are coordinates.
pub(in crate::data) const FEATURE_WORDS: &[&str] = &[
    "x",
    "z",
    "f",
    "v",
    "feature",
    "feat",
    "features",
    "dim",
    "pc",
    "pca",
    "emb",
    "embedding",
    "embeddings",
    "tsne",
    "umap",
    "phi",
    "latent",
    "component",
];
/// Words that say that values are labels.
pub(in crate::data) const LABEL_WORDS: &[&str] =
    &["label", "labels", "y", "true", "truth", "target", "actual", "onehot", "hot"];
/// Words that say that values are what happened to someone.
pub(in crate::data) const EVENT_WORDS: &[&str] = &[
    "died",
    "dead",
    "death",
    "deceased",
    "mortality",
    "expired",
    "expire",
    "readmitted",
    "readmission",
    "relapse",
    "recurrence",
    "outcome",
    "event",
];
/// Words that say which part of the data an array holds.
pub(in crate::data) const PART_WORDS: &[&str] =
    &["test", "val", "valid", "validation", "cal", "calibration", "dev", "eval", "train"];
