//! What can be asked.

use serde::{Deserialize, Serialize};

use crate::analysis::entry::options;

options! {
    /// Options of `data.analyse("decide")`.
    pub struct DecideRequest {
        /// w, the cost of a wrong answer; default 10
        #[asked("A wrong answer costs", Number { usual: Some(10.0) })]
        pub wrong: Option<f64>,
        /// u, the cost of asking a person; default 1
        #[asked("Asking a person costs", Number { usual: Some(1.0) })]
        pub unsure: Option<f64>,
        /// threshold probability: from which on to act, in the place of the costs of a miss and a false alarm; default: what
        /// these say
        #[asked("Threshold probability", Number { usual: None })]
        pub threshold: Option<f64>,
        /// cost of a miss: of leaving alone where it happens (for P(y = 1)); default 10
        #[asked("A miss costs", Number { usual: Some(10.0) })]
        pub miss: Option<f64>,
        /// cost of a false alarm: of acting where it does not happen; default 1
        #[asked("A false alarm costs", Number { usual: Some(1.0) })]
        pub false_alarm: Option<f64>,
        /// smallest threshold of the decision curve; default 0
        #[asked("Thresholds from", Number { usual: Some(0.0) })]
        pub from: Option<f64>,
        /// largest threshold of the decision curve, 0.99 at most; default: where the scores end
        #[asked("to", Number { usual: None })]
        pub to: Option<f64>,
        /// names of methods of the last run; default: all
        #[asked("", Methods)]
        pub methods: Option<Vec<String>>,
        /// of the page in CSS pixels
        #[asked("", HandedOver)]
        pub width: Option<f64>,
    }

    Entry {
        title: "Act, answer, or ask a person?",
        step: PageStep::Decide,
        shown: Shown::Sheet,
        running: "Weighing answers",
        needs: &[],
        files: None,
        cost: Cost::Rows,
    }
}
