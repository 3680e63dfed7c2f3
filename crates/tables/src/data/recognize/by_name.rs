//! Roles that a name settles, if the values fit it: a table of rules, of which the first that holds decides.

use std::collections::HashSet;

use super::super::names;
use super::super::parts::{BOTH_SIDES, TRAINING, named_parts};
use super::super::profile::Profile;
use super::super::roles::Role;
use super::{FEW_ROWS, Guesses, leftover};
use crate::words::text::quoted;

/// The columns that get a role, and the reason that a person reads.
struct Rule {
    role: Role,
    reason: &'static str,
    sure: bool,
    holds: fn(&Candidate) -> bool,
}

const fn sure(role: Role, reason: &'static str, holds: fn(&Candidate) -> bool) -> Rule {
    Rule { role, reason, sure: true, holds }
}

/// The person is asked about the role.
const fn unsure(role: Role, reason: &'static str, holds: fn(&Candidate) -> bool) -> Rule {
    Rule { role, reason, sure: false, holds }
}

/// Weights of people in kilograms or pounds.
const LIGHTEST: f64 = 2.0;
const HEAVIEST: f64 = 500.0;

/// In order of precedence. Conditions that read all values of a column are the last of their rule.
const RULES: &[Rule] = &[
    sure(Role::Ignore, "standard error of the prediction", |c| c.p.is_number() && names::suggests_spread(c.name)),
    sure(Role::Ignore, "limit of a confidence interval", |c| c.p.is_number() && names::is_confidence_limit(c.name)),
    sure(Role::Predicted, "Hugging Face: the predicted class", |c| {
        c.file.pipeline.is_some_and(|(label, _)| label == c.j)
    }),
    sure(Role::Confidence, "Hugging Face: probability of the predicted class", |c| {
        c.file.pipeline.is_some_and(|(_, score)| score == c.j)
    }),
    sure(Role::Ignore, "a recalibrated confidence; `confidence` is the original", |c| {
        c.plain.starts_with("confidence_") && c.file.has("confidence")
    }),
    sure(Role::Ignore, "a recalibrated probability; `p` is the original", |c| {
        c.plain.starts_with("p_") && ["p", "predicted", "label"].iter().all(|name| c.file.has(name))
    }),
    sure(Role::Weight, "name", |c| {
        names::is_weight(c.name)
            && c.p.is_number()
            && c.p.min >= 0.0
            // 0 and 1 mark rows, 1 and 10 weight them
            && !(c.p.whole && c.has_two_values() && c.p.min < 1.0)
            && !(c.plain == "weight" && (c.file.has_heights || c.may_be_of_bodies()))
    }),
    sure(Role::Group, "class of the detection", |c| {
        c.file.detections && c.is_whole_or_text() && ["class", "label", "name", "category"].contains(&c.plain.as_str())
    }),
    sure(Role::Split, BOTH_SIDES, |c| c.parts == Some(BOTH_SIDES)),
    sure(Role::Split, TRAINING, |c| c.parts == Some(TRAINING)),
    sure(Role::Ignore, "number of a fold", |c| ["fold", "folds", "cv_fold"].contains(&c.plain.as_str())),
    sure(Role::Id, "row identifier", |c| c.would_be_first_id() && c.all.is_id(c.j)),
    sure(Role::Ignore, "another row identifier", |c| !c.would_be_first_id() && c.all.is_id(c.j)),
    sure(Role::Label, "OpenML: the observed class", |c| {
        c.plain == "correct" && c.is_whole_or_text() && c.file.has("prediction") && c.names_confidences()
    }),
    sure(Role::Probability, "SPSS Modeler: propensity of the event", |c| {
        c.p.is_number() && c.p.fractional_share() && is_propensity_of_modeler(c.name)
    }),
    sure(Role::Predicted, "SPSS Modeler: the predicted class", |c| c.all.of_modeler(c.name) == Some(Role::Predicted)),
    sure(Role::Confidence, "SPSS Modeler: probability of the predicted class", |c| {
        c.all.of_modeler(c.name) == Some(Role::Confidence)
    }),
    sure(Role::Correct, "name, two values", |c| {
        (c.is_listed(names::CORRECT) || c.is_judged("correct"))
            && c.has_two_values()
            && (c.p.is_text() || (c.p.is_number() && c.p.outside == 0.0 && c.p.whole))
    }),
    sure(Role::Correct, "name, two values beside a confidence", |c| c.has_two_values() && c.all.judges_an_answer(c.j)),
    sure(Role::Correct, "verdicts in words", |c| c.p.is_text() && c.has_verdicts()),
    sure(Role::Text, "text of the question", |c| c.p.is_text() && c.is_listed(names::QUESTION) && c.has_sentences()),
    sure(Role::Confidence, "PyCaret: probability of the predicted class", |c| {
        c.plain == "prediction_score" && c.file.has("prediction_label") && c.p.is_number() && c.p.min >= 0.5
    }),
    unsure(Role::Predicted, "PyCaret: the predicted class, beside the outcome and `Score`", |c| {
        c.name == "Label" && c.is_whole_or_text() && c.all.beside_its_outcome(c.j)
    }),
    sure(Role::Label, "SAS: the observed class", |c| c.may_be_classes() && c.is_observed_of_sas()),
    sure(Role::Confidence, "name", |c| {
        (names::is_confidence(c.name) || c.is_judged("confidence")) && c.p.almost_number()
    }),
    sure(Role::Ignore, "WEKA: whether the prediction is wrong", |c| c.file.weka && c.plain == "error"),
    sure(Role::Confidence, "WEKA: probability of the predicted class", |c| {
        c.file.weka && c.plain == "prediction" && c.p.fractional_share()
    }),
    sure(Role::Predicted, "named as the prediction of another column", |c| {
        c.may_be_predicted_classes() && c.is_prediction_of_another()
    }),
    unsure(Role::Predicted, "name, and contains classes", |c| {
        c.is_listed(names::PREDICTED) && c.is_listed(names::SCORE) && c.may_be_predicted_classes()
    }),
    sure(Role::Predicted, "name", |c| c.is_listed(names::PREDICTED) && c.may_be_predicted_classes()),
];

/// What the names of a file say together.
struct File<'g> {
    /// plain names of all columns, in order
    names: &'g [String],
    known: HashSet<&'g str>,
    /// places of `label` and `score` as a pipeline of Hugging Face writes them
    pipeline: Option<(usize, usize)>,
    /// written by WEKA
    weka: bool,
    /// a column of heights: a weight beside it is that of a body
    has_heights: bool,
    /// confidences of detections, beside whether each is a true positive
    detections: bool,
    /// one confidence beside one judgment of whether the answer was correct
    judged: bool,
}

impl<'g> File<'g> {
    fn of(all: &Guesses, names: &'g [String]) -> Self {
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        Self {
            pipeline: all.of_pipeline(),
            weka: all.name(0) == "inst#" && known.contains("predicted"),
            has_heights: names.iter().any(|name| ["height", "ht", "bmi"].iter().any(|word| name.starts_with(word))),
            detections: names.iter().any(|name| names::DETECTED.contains(&name.as_str()))
                && all.columns.iter().any(|column| names::is_confidence(&column.name)),
            judged: judged_confidence(names),
            known,
            names,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.known.contains(name)
    }
}

/// A column without a role.
struct Candidate<'g> {
    all: &'g Guesses<'g>,
    file: &'g File<'g>,
    j: usize,
    name: &'g str,
    plain: String,
    p: &'g Profile,
    /// to which parts its texts divide the rows, see [`named_parts`]
    parts: Option<&'static str>,
}

impl<'g> Candidate<'g> {
    /// `None`: a matrix, whose role no name settles.
    fn of(all: &'g Guesses<'g>, file: &'g File<'g>, j: usize) -> Option<Self> {
        let (name, p) = (all.name(j), all.profile(j).filter(|p| !p.is_matrix())?);
        let parts = named_parts(&all.texts(j), names::rank(name, names::SPLIT).is_some());
        Some(Self { all, file, j, name, plain: names::plain(name), p, parts })
    }

    /// Values that may be weights of people, beside their ages.
    fn may_be_of_bodies(&self) -> bool {
        let ages = self.file.names.iter().any(|name| name.split('_').any(|word| word == "age"));
        ages && self.p.min >= LIGHTEST && self.p.max <= HEAVIEST
    }

    fn is_listed(&self, known: &[&str]) -> bool {
        names::rank(self.name, known).is_some()
    }

    /// It is the one column of a judged confidence whose name ends in a word.
    fn is_judged(&self, word: &str) -> bool {
        self.file.judged && names::words(self.name).last().is_some_and(|last| last == word)
    }

    /// Two values, or one alone.
    fn has_two_values(&self) -> bool {
        self.p.distinct == Some(2) || self.p.distinct == Some(1)
    }

    fn is_whole_or_text(&self) -> bool {
        self.p.is_text() || (self.p.is_number() && self.p.whole)
    }

    /// Few enough values for each to be a class.
    fn may_be_classes(&self) -> bool {
        self.is_whole_or_text() && (self.p.few(1_000) || self.p.distinct.is_none_or(|d| d * 2 <= self.p.rows.max(4)))
    }

    /// The same, and no numeric column with a few bad cells.
    fn may_be_predicted_classes(&self) -> bool {
        self.may_be_classes() && !(self.p.is_text() && self.p.almost_number())
    }

    /// No column before is the row identifier; or one is that only numbers the rows, while this one names what they are about.
    fn would_be_first_id(&self) -> bool {
        let only_numbers = |k: usize| !self.all.names_rows(k) && self.all.given.get(k) == Some(&false);
        let before = self.all.with_role(Role::Id).first().copied();
        before.is_none_or(|k| only_numbers(k) && self.all.names_rows(self.j))
    }

    /// Whether there is a column `confidence.…` for each of its classes.
    fn names_confidences(&self) -> bool {
        let classes = self.all.labels_of(self.j);
        let scored = |class: &String| self.file.has(&names::plain(&format!("confidence_{class}")));
        classes.len() > 1 && classes.iter().all(scored)
    }

    /// Whether some column is named as SAS names the probability of a class: `P_BAD1`.
    fn is_scored_by_sas(&self, noun: &str) -> bool {
        self.file.names.iter().any(|other| other.starts_with(&format!("p_{noun}")))
    }

    /// What SAS calls the observed class: `F_BAD` beside `I_BAD` and `P_BAD1`, `_FROM_` beside `_INTO_`.
    fn is_observed_of_sas(&self) -> bool {
        let has = |name: &str| self.file.has(name);
        let of_noun = |noun: &str| !has(noun) && has(&format!("i_{noun}")) && self.is_scored_by_sas(noun);
        self.plain.strip_prefix("f_").is_some_and(of_noun) || self.name == "_FROM_" && has("into")
    }

    /// Named as what a model predicts for another column: `pred_income` beside `income`, `I_BAD` beside `BAD` and `P_BAD1`, as
    /// SAS writes it.
    fn is_prediction_of_another(&self) -> bool {
        let (plain, has) = (self.plain.as_str(), |name: &str| self.file.has(name));
        // `churn`, or `churn_orig`
        let observed = |noun: &str| {
            let names = self.file.names.iter().filter(|name| **name != self.plain);
            has(noun) || names.into_iter().any(|name| names::outcome_stem(name).as_deref() == Some(noun))
        };
        if names::predicted_noun(self.name).is_some_and(|noun| noun != plain && observed(&noun)) {
            return true;
        }
        let noun = plain.strip_prefix("i_").or_else(|| plain.strip_prefix("u_"));
        noun.is_some_and(|noun| (has(noun) || has(&format!("f_{noun}"))) && self.is_scored_by_sas(noun))
            || plain == "into" && has("from")
            || plain == "response" && has("truth")
            || plain == "class" && has("label") && has("raw_formula_val")
    }

    /// A judge's words (correct, incorrect, not attempted) under a name that may hold them: `label` or `score` only beside a
    /// confidence and without a predicted class.
    fn has_verdicts(&self) -> bool {
        let any = |named: &dyn Fn(&str) -> bool| self.all.columns.iter().any(|column| named(&column.name));
        let beside = || any(&names::is_confidence) && !any(&|name| names::rank(name, names::PREDICTED).is_some());
        let named = self.is_listed(names::VERDICT)
            || self.is_listed(names::CORRECT)
            || self.is_listed(names::PERHAPS_VERDICT) && beside();
        let verdicts = || self.all.texts(self.j).into_iter().map(names::verdict).collect::<Option<Vec<Option<bool>>>>();
        named && verdicts().is_some_and(|verdicts| verdicts.iter().any(Option::is_some))
    }

    /// Texts of several words, too many for groups.
    fn has_sentences(&self) -> bool {
        let texts = self.all.texts(self.j);
        let seen = texts.len().min(1_000);
        let long = |text: &&&str| text.split_whitespace().count() >= 3 || text.chars().count() >= 20;
        texts.len() > leftover::MOST_LEVELS && 2 * texts.iter().take(seen).filter(long).count() > seen
    }
}

impl Guesses<'_> {
    /// Gives every open column the role of the first rule that holds.
    pub(super) fn by_name(&mut self) {
        let names: Vec<String> = (0..self.columns.len()).map(|j| names::plain(self.name(j))).collect();
        let file = File::of(self, &names);
        for j in self.open() {
            let column = Candidate::of(self, &file, j);
            let Some(rule) = column.and_then(|column| RULES.iter().find(|rule| (rule.holds)(&column))) else {
                continue;
            };
            if rule.role == Role::Id
                && let Some(&numbers) = self.with_role(Role::Id).first()
            {
                // numbers of the rows of one file name nothing in another
                self.set(numbers, Role::Ignore, "row numbers", true);
            }
            self.set(j, rule.role, rule.reason, rule.sure);
        }
        self.weights_of_bodies(&file);
    }

    /// Says of a column `weight` that it is not used as one, where its values may be the weights of people.
    fn weights_of_bodies(&mut self, file: &File) {
        if file.has_heights || self.has(Role::Weight) {
            return;
        }
        let is_of_bodies = |&j: &usize| {
            let column = Candidate::of(self, file, j);
            column.is_some_and(|c| c.plain == "weight" && c.p.is_number() && c.may_be_of_bodies())
        };
        if let Some(weight) = self.open().into_iter().find(is_of_bodies) {
            let message = format!(
                "{} may contain body weights, since the file contains ages, and is not used as sample weights. If these are sample \
                 weights, assign the role weight to it.",
                quoted(self.name(weight))
            );
            self.warn("weight_of_bodies", message, Some(weight));
        }
    }

    /// The columns `label` and `score` of a pipeline of Hugging Face: the predicted class and its probability, which is never
    /// below 1 / classes. Beside another column of predictions, `label` is the outcome.
    fn of_pipeline(&self) -> Option<(usize, usize)> {
        if self.columns.iter().any(|column| names::rank(&column.name, names::PREDICTED).is_some()) {
            return None;
        }
        let place = |wanted: &str| self.columns.iter().position(|column| column.name == wanted);
        let (label, score) = (place("label")?, place("score")?);
        let (texts, p) = (self.texts(label), self.profile(score)?);
        let numbered = |text: &&str| text.strip_prefix("LABEL_").is_some_and(|number| number.parse::<u32>().is_ok());
        let sentiment = |text: &&str| ["POSITIVE", "NEGATIVE", "NEUTRAL"].contains(text);
        let alone = self.columns.len() == 2 && p.rows >= FEW_ROWS && texts.len() > 1;
        let largest = p.min * texts.len().max(2) as f64 >= 1.0;
        let named = texts.iter().all(numbered) || largest && (alone || texts.iter().all(sentiment));
        (!texts.is_empty() && p.fractional_share() && named).then_some((label, score))
    }

    /// Two truths under a name of correctness that means something else in other tables: only beside a confidence, and where no
    /// other column says better whether answers were correct. `passed` and the like may also be the event of a classifier, so
    /// no class is observed or predicted beside them.
    fn judges_an_answer(&self, j: usize) -> bool {
        let named = |k: usize, list| names::rank(self.name(k), list).is_some();
        let others = || (0..self.columns.len()).filter(move |k| *k != j);
        let any = |list| others().any(|k| named(k, list));
        // answers in words are no classes
        let repeats = |k: usize| self.profile(k).is_some_and(|p| p.distinct.is_some_and(|d| d * 2 <= p.rows.max(4)));
        let classes = || others().any(|k| (named(k, names::LABEL) || named(k, names::PREDICTED)) && repeats(k));
        let both = || self.profile(j).is_some_and(|p| p.distinct == Some(2));
        let judged = named(j, names::VERDICT) || named(j, names::PASSED) && both();
        let name = named(j, names::MATCHED) || named(j, names::DETECTED) || judged && !classes();
        let truths = || {
            let values = self.labels_of(j);
            values.iter().all(|value| names::verdict(value).is_some() || names::answers(value).is_some())
        };
        name && any(names::CONFIDENCE) && !any(names::CORRECT) && truths()
    }

    /// What SPSS Modeler calls `$C-died` (the predicted class) and `$CC-died` or `$CP-died` (its probability), where it has no
    /// propensity of the event beside them.
    fn of_modeler(&self, name: &str) -> Option<Role> {
        let (code, noun) = name.strip_prefix('$')?.split_once('-')?;
        let has = |code: String| self.columns.iter().any(|column| column.name == format!("${code}-{noun}"));
        if has(format!("{code}RP")) || self.columns.iter().any(|column| is_propensity_of_modeler(&column.name)) {
            return None;
        }
        if has(format!("{code}C")) || has(format!("{code}P")) {
            return Some(Role::Predicted);
        }
        let of_class = code.strip_suffix(['C', 'P']).filter(|code| !code.is_empty());
        of_class.filter(|code| has((*code).to_owned())).map(|_| Role::Confidence)
    }

    /// Says of a pipeline of Hugging Face without outcomes what to add.
    pub(super) fn pipeline_without_outcome(&mut self) {
        let predicted = self.of_pipeline().map(|(label, _)| label).filter(|&j| self.role(j) == Some(Role::Predicted));
        if let Some(label) = predicted.filter(|_| !self.has(Role::Label) && !self.has(Role::Correct)) {
            let message = "`label` and `score` are read as the predicted class and its probability, as a pipeline of Hugging \
                           Face writes them. Add the true class of each row, as a field `truth` or in a second file of the same \
                           rows.";
            self.warn("outcome_not_in_pipeline", message.to_owned(), Some(label));
        }
    }

    /// Whether another column holds the two labels of this one, and `Score` is at least 0.5 throughout: PyCaret calls the
    /// predicted class `Label`.
    fn beside_its_outcome(&self, j: usize) -> bool {
        let score =
            |k: usize| self.name(k) == "Score" && self.profile(k).is_some_and(|p| p.fractional_share() && p.min >= 0.5);
        let labels = self.labels_of(j);
        labels.len() == 2
            && (0..self.columns.len()).any(score)
            && (0..self.columns.len())
                .any(|k| k != j && self.profile(k).is_some_and(|p| p.few(2)) && self.labels_of(k) == labels)
    }

    fn is_id(&self, j: usize) -> bool {
        let (Some(p), name) = (self.profile(j), self.name(j)) else {
            return false;
        };
        let usable = p.missing == 0 && (p.is_text() || (p.is_number() && p.whole));
        let named = self.names_rows(j);
        let numbered = names::ROW_NUMBERS.contains(&names::plain(name).as_str());
        // A first column from 0 or 1 to the number of rows numbers them; R calls it `X`, others in their own language.
        let counts = p.is_number() && p.increasing && p.max - p.min == p.rows as f64 - 1.0 && p.min.abs() <= 1.0;
        let named_so = name == "X" && p.min == 1.0
            || p.rows >= FEW_ROWS && !names::suggests_feature(name) && !names::suggests_score(name);
        let of_rows = j == 0 && counts && named_so && !names::suggests_event(name);
        let label = names::rank(name, names::LABEL).is_some();
        // pandas writes its row numbers without a name; those of a test set are a part of all, in any order.
        let drawn = p.rows >= FEW_ROWS && p.min >= 0.0;
        let nameless =
            j == 0 && name == "column 1" && self.columns.len() > 2 && p.is_number() && (p.increasing || drawn);
        let made_up = (1..self.columns.len()).all(|k| self.name(k).starts_with("column "));
        // Whether values are distinct takes a sort: asked last.
        let unique =
            || p.increasing || (p.is_text() && p.distinct == Some(p.rows)) || (p.is_number() && self.all_distinct(j));
        usable && !label && (named || numbered || of_rows || (nameless && !made_up)) && unique()
    }

    /// Whether a name says that a column identifies what a row is about, beyond its number.
    fn names_rows(&self, j: usize) -> bool {
        let name = self.name(j);
        let last = names::words(name).last().cloned().unwrap_or_default();
        let named = names::rank(name, names::ID).is_some() || matches!(last.as_str(), "id" | "uuid" | "guid");
        named && !names::ROW_NUMBERS.contains(&names::plain(name).as_str())
    }
}

/// One column is a confidence by the last word of its name, one whether the answer was correct: `model_confidence` and
/// `judge_correct`, `prediction.confidence` and `prediction.correct`.
fn judged_confidence(names: &[String]) -> bool {
    let ending_in =
        |word: &str| names.iter().filter(|name| names::words(name).last().is_some_and(|last| last == word)).count();
    ending_in("confidence") == 1 && ending_in("correct") == 1
}

/// Names such as `$LRP-Churn`: the raw propensity of SPSS Modeler.
fn is_propensity_of_modeler(name: &str) -> bool {
    let code = name.strip_prefix('$').and_then(|name| name.split_once('-'));
    code.is_some_and(|(code, _)| code.ends_with("RP") && code.bytes().all(|byte| byte.is_ascii_uppercase()))
}
