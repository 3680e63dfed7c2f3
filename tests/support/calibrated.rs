//! Files whose scores are right: two classes, rare events, the confidence of ten classes. Or wrong for those of one group.

use std::fmt::Write;

use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use serde_json::json;

use super::pipeline::{Opened, Ran, open};

/// What is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// P(y = 1), about one row in three
    Binary,
    /// the same, about one row in thirty
    Rare,
    /// probabilities of ten classes, looked at by their top label
    TenClasses,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Binary, Self::Rare, Self::TenClasses];

    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Rare => "rare events",
            Self::TenClasses => "ten classes",
        }
    }
}

/// `rows` rows with sex, ward (one in four in the ICU), age, bmi and a date; in the ICU outcomes happen with log-odds that are
/// `off` larger than said.
pub fn file(kind: Kind, rows: usize, off: f64, seed: u64) -> String {
    let mut draws = Draws::seeded(seed, 0x6361_6c69);
    let scores = match kind {
        Kind::TenClasses => (0..10).map(|k| format!("p_{k},")).collect::<String>(),
        _ => "risk,".to_owned(),
    };
    let mut text = format!("{scores}label,sex,ward,age,bmi,day\n");
    for i in 0..rows {
        let sex = ["f", "m"][usize::from(draws.uniform() < 0.5)];
        let ward = ["ICU", "A", "B", "C"][((4.0 * draws.uniform()) as usize).min(3)];
        let (age, bmi) = (18.0 + 70.0 * draws.uniform(), 25.0 + 4.0 * draws.normal());
        let more = if ward == "ICU" { off } else { 0.0 };
        if kind == Kind::TenClasses {
            let z: Vec<f64> = (0..10).map(|_| 1.5 * draws.normal()).collect();
            let total: f64 = z.iter().map(|z| z.exp()).sum();
            let p: Vec<f64> = z.iter().map(|z| z.exp() / total).collect();
            let top = (0..10).fold(0, |best, k| if p[k] > p[best] { k } else { best });
            let right = sigmoid((p[top] / (1.0 - p[top])).ln() + more);
            let u = draws.uniform();
            let mut class = top;
            if u >= right {
                let mut left = (u - right) / (1.0 - right) * (1.0 - p[top]);
                for k in (0..10).filter(|k| *k != top) {
                    class = k;
                    left -= p[k];
                    if left < 0.0 {
                        break;
                    }
                }
            }
            p.iter().for_each(|p| write!(text, "{p:.9},").unwrap());
            write!(text, "{class}").unwrap();
        } else {
            let level = if kind == Kind::Rare { -4.0 } else { -1.0 };
            let logit = level + 1.2 * draws.normal() + 0.01 * (age - 50.0);
            let label = ["no", "yes"][usize::from(draws.uniform() < sigmoid(logit + more))];
            write!(text, "{:.9},{label}", sigmoid(logit)).unwrap();
        }
        let (month, day) = (1 + i * 12 / rows, 1 + i % 28);
        writeln!(text, ",{sex},{ward},{age:.1},{bmi:.1},2024-{month:02}-{day:02}").unwrap();
    }
    text
}

/// Such a file, opened, and a run of it without any method.
pub fn opened(kind: Kind, rows: usize, seed: u64) -> (Opened, Ran) {
    opened_off(kind, rows, 0.0, seed)
}

/// The same with the ICU off.
pub fn opened_off(kind: Kind, rows: usize, off: f64, seed: u64) -> (Opened, Ran) {
    let mut roles = json!({ "sex": "group", "ward": "group", "age": "feature", "bmi": "feature" });
    if kind != Kind::TenClasses {
        roles["risk"] = json!("probability");
    }
    let data = open(&file(kind, rows, off, seed), json!({ "roles": roles }));
    // wide enough for twenty neighbors in each third of the scores
    let local = json!({ "features": ["age", "bmi"], "gamma": 8, "bins": 3 });
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0, "metrics": ["brier"], "local": local }));
    (data, ran)
}
