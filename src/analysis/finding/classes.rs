//! Errors of the probabilities of several classes: they can cancel in the confidence of the predicted class, which the rest of the
//! finding is about.

use serde::{Deserialize, Serialize};

use crate::data::{Predictions, PresentClusters, View, pair};
use crate::num::special::normal_two_sided;
use crate::num::weight::{tally, weighted_mean, weighted_share};
use crate::report::MethodRows;
use crate::report::disclosure::Basis;
use crate::report::gap::side;
use crate::scan::mean_error;
use crate::words::number::{count, p_value, percent};

/// Of the test of each class, adjusted for their number. The questions of the finding share 5%; this one is asked beside them.
const CLASS_LEVEL: f64 = 0.01;
/// A class is tested if so many rows are expected to be of it, and as many not to be.
const LEAST_EXPECTED: f64 = 10.0;

/// The class of which the mean probability differs most significantly from the share of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClassError {
    /// name of the class
    pub class: String,
    /// mean of its probabilities
    pub predicted: f64,
    /// share of its rows
    pub observed: f64,
    /// p-value, adjusted for the classes that were tested
    pub p: f64,
    /// number of classes whose error is significant at 1%
    pub classes: usize,
    /// scored rows
    pub rows: usize,
    /// of them those of the class
    pub of_class: usize,
    /// this information as a sentence
    pub sentence: String,
}

/// That class where it is significant at 1%; none where the view is not that of the predicted class, or the file has no
/// probabilities of the classes.
///
/// z of the mean error of each class as of all rows ([`mean_error`]), adjusted by Bonferroni.
///
/// * `rows`: the scored rows of the original predictions
///
/// # Cost
/// O(n · classes) in time and memory, of up to 100 classes.
pub(super) fn class_error(data: &Predictions, rows: &MethodRows) -> Option<ClassError> {
    let y = data.y.as_ref().filter(|_| data.view == View::TopLabel)?;
    let present = rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let w = rows.weights();
    let counts = w.filter(|_| rows.counted);
    let mut found: Vec<ClassError> = Vec::new();
    for (class, p) in pair::class_columns(data, &rows.rows) {
        let is = |row: &u32| u8::from(y.get(*row as usize).is_some_and(|y| *y as usize == class));
        let target: Vec<u8> = rows.rows.iter().map(is).collect();
        let predicted = weighted_mean(&p, w);
        let (n, of_class) = tally(&target, counts);
        if n as f64 * predicted.min(1.0 - predicted) < LEAST_EXPECTED {
            continue;
        }
        found.push(ClassError {
            class: data.labels.get(class).cloned().unwrap_or_default(),
            predicted,
            observed: weighted_share(&target, w),
            p: normal_two_sided(mean_error(&p, &target, w, rows.counted, clusters).z),
            classes: 0,
            rows: n,
            of_class,
            sentence: String::new(),
        });
    }
    let tested = found.len();
    found.iter_mut().for_each(|one| one.p = (one.p * tested as f64).min(1.0));
    let significant = found.into_iter().filter(|one| one.p <= CLASS_LEVEL);
    let classes = significant.clone().count();
    let most = significant.min_by(|a, b| a.p.total_cmp(&b.p))?;
    let sentence = most.words(classes, tested);
    Some(ClassError { classes, sentence, ..most })
}

impl ClassError {
    /// "The probability of class dead is underestimated (predicted 11.1%, observed 21.9%, p < 0.001, adjusted for 3 classes)."
    fn words(&self, classes: usize, tested: usize) -> String {
        let adjusted = if tested > 1 { format!(", adjusted for {tested} classes") } else { String::new() };
        let others = match classes {
            0 | 1 => String::new(),
            2 => "; one other class is also miscalibrated".to_owned(),
            more => format!("; {} other classes are also miscalibrated", count(more as u64 - 1)),
        };
        format!(
            "The probability of class {} is {} on average (predicted {}, observed {}, {}{adjusted}){others}.",
            self.class,
            side(self.predicted - self.observed),
            percent(self.predicted),
            percent(self.observed),
            p_value(self.p),
        )
    }

    /// What the sentence is computed from.
    pub(in crate::analysis) fn basis(&self) -> Basis {
        Basis::share(self.rows, self.of_class)
    }
}
