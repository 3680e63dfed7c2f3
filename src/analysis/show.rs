//! The last step of an analysis with charts: it draws the results of the steps before it.
//!
//! No other step depends on width, pixel ratio and theme, so that plans for two pages differ in their last steps only.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::plot::chart::Screen;
use crate::run::graph::{Handle, Outcomes, Plan, Step};

/// The outcome of an analysis before its charts are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WithoutCharts<T>(pub T);

/// What has charts that can be drawn.
pub trait HasCharts: Clone + 'static {
    /// Draws them all. O(marks); of maps O(rows + pixels).
    fn draw(&mut self, screen: &Screen);
}

/// Draws the charts of what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Show<T> {
    found: Handle<WithoutCharts<T>>,
    screen: Screen,
}

impl<T> Show<T> {
    /// What it draws.
    pub(in crate::analysis) fn without_charts(&self) -> Handle<WithoutCharts<T>> {
        self.found
    }
}

impl<T: HasCharts> Step for Show<T> {
    type Output = T;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<T> {
        let WithoutCharts(mut found) = at.the(&self.found)?.clone();
        found.draw(&self.screen);
        Ok(found)
    }
}

/// Expected milliseconds of drawing some charts.
pub const DRAWING_MS: f64 = 1.0;

/// Pushes the last step; `cost` in expected milliseconds.
pub fn show<T: HasCharts>(plan: &mut Plan, found: Handle<WithoutCharts<T>>, screen: Screen, cost: f64) {
    plan.push(Show { found, screen }, cost, "drawing");
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use serde_json::{Value, json};

    use super::DRAWING_MS;
    use crate::analysis::{AnalysisRequest, PLACES};
    use crate::data::OpenOptions;
    use crate::evaluation::request::RunRequest;
    use crate::job::reply::reply;
    use crate::job::{Call, Job, Node, Outcome, Plan, execute, run};
    use crate::packed::pack;
    use crate::table::Array;
    use crate::table::column::with_columns_out;

    /// 120 rows in two groups, half of which calibrate, and a run of two methods.
    fn opened_and_run() -> (Outcome, Outcome) {
        let mut text = "prob_yes,x1,x2,site,seen,label\n".to_owned();
        for i in 0..120_u32 {
            let (a, b) = (f64::from(i * 37 % 120) / 120.0, f64::from(i * 71 % 120) / 120.0);
            let site = ["north", "south"][i as usize % 2];
            let label = ["no", "yes"][usize::from(b < 0.2 + 0.6 * a)];
            text.push_str(&format!("{a},{b},{},{site},2024-{:02}-15,{label}\n", 1.0 + a * b, 1 + i / 10));
        }
        let job = |call: Call, needs: &[&Outcome], columns| run(&Job::Call(call), needs, columns, &mut |_| ()).unwrap();
        let bytes = Array::U8(text.into_bytes().into());
        let file =
            job(Call::Read { name: "rows.csv".into(), header: None, totals: None, most: None }, &[], vec![bytes]);
        let data = job(Call::Assemble { options: OpenOptions::default() }, &[&file], vec![]);
        let request: RunRequest =
            serde_json::from_value(json!({ "methods": ["none", "platt"], "resamples": 4 })).unwrap();
        let Outcome::Plan(Plan { nodes, .. }) = job(Call::Plan { request }, &[&data], vec![]) else {
            panic!("not a plan")
        };
        let report = execute(&nodes, &data).unwrap();
        (data, report)
    }

    /// What a kind cannot be asked without, and what keeps it short.
    fn options(kind: &str) -> Value {
        match kind {
            "region" | "region_rows" => json!({ "rows": (0..60).collect::<Vec<u32>>() }),
            "compare" | "inference" | "klce" => json!({ "resamples": 20 }),
            "bench" => json!({ "simulations": 20 }),
            "correlation" => json!({ "repeats": 3 }),
            "changed" => {
                let overall =
                    json!({ "rows": 90, "says": 0.5, "happened": 0.4, "variance": 0.002, "share_variance": 0.003 });
                json!({ "session": { "open": {}, "numbers": { "overall": overall, "metrics": {}, "groups": [] } } })
            }
            _ => json!({}),
        }
    }

    fn plan(kind: &str, options: Value, given: &[&Outcome]) -> Vec<Node> {
        let request: AnalysisRequest = serde_json::from_value(json!({ kind: options })).unwrap();
        let job = Job::Call(Call::PlanAnalysis { request });
        let found = run(&job, given, vec![], &mut |_| ());
        let Outcome::Plan(Plan { nodes, .. }) = found.unwrap_or_else(|error| panic!("{kind}: {error}")) else {
            panic!("not a plan")
        };
        nodes
    }

    /// Widths of all figures in what the page reads.
    fn widths(message: &Value, found: &mut Vec<f64>) {
        match message {
            Value::Object(fields) => {
                if fields.contains_key("panels") {
                    found.extend(fields["width"].as_f64());
                }
                fields.values().for_each(|field| widths(field, found));
            }
            Value::Array(items) => items.iter().for_each(|item| widths(item, found)),
            _ => (),
        }
    }

    #[test]
    fn another_page_is_another_last_step() {
        let (data, report) = opened_and_run();
        let mut drawn = 0;
        for (kind, _) in PLACES {
            let others: &[&Outcome] = if *kind == "models" { &[&data] } else { &[] };
            let given = [&[&data, &report], others].concat();
            let known: Vec<&str> = AnalysisRequest::bounds(kind).iter().map(|(option, _)| *option).collect();
            let on = |page: &[(&str, f64)]| {
                let mut asked = options(kind);
                for (option, value) in page.iter().filter(|(option, _)| known.contains(option)) {
                    asked[*option] = (*value).into();
                }
                plan(kind, asked, &given)
            };
            let narrow = on(&[("width", 330.0), ("dpr", 1.0)]);
            let mut outcomes: Vec<Outcome> = Vec::new();
            let at = |number: usize, outcomes: &[Outcome]| -> Outcome {
                given.get(number).map_or_else(|| outcomes[number - given.len()].clone(), |one| (*one).clone())
            };
            for page in [[("width", 610.0), ("dpr", 1.0)], [("width", 330.0), ("dpr", 2.0)]] {
                let other = on(&page);
                let ((last, before), (other_last, other_before)) =
                    (narrow.split_last().unwrap(), other.split_last().unwrap());
                assert_eq!(before.len(), other_before.len(), "{kind}: the number of steps depends on the page");
                for (one, other) in before.iter().zip(other_before) {
                    let name = one.job.name();
                    assert_eq!(pack(&one.job).unwrap(), pack(&other.job).unwrap(), "{kind}: {name} knows the page");
                    assert_eq!((&one.needs, one.cost), (&other.needs, other.cost), "{kind}: {name}");
                }
                if pack(&last.job).unwrap() == pack(&other_last.job).unwrap() {
                    continue;
                }
                drawn += 1;
                let cost = other_last.cost;
                assert!(cost <= 2.0 * DRAWING_MS, "{kind}: the last step takes {cost} ms");
                assert!(other_last.needs.iter().all(|need| *need > 1), "{kind}: the last step looks at the rows");
                for node in before.iter().skip(outcomes.len()) {
                    let needs: Vec<Outcome> = node.needs.iter().map(|&need| at(need, &outcomes)).collect();
                    let needs: Vec<&Outcome> = needs.iter().collect();
                    outcomes.push(run(&node.job, &needs, vec![], &mut |_| ()).unwrap());
                }
                let shown = |node: &Node| {
                    let needs: Vec<Outcome> = node.needs.iter().map(|&need| at(need, &outcomes)).collect();
                    let needs: Vec<&Outcome> = needs.iter().collect();
                    let found = run(&node.job, &needs, vec![], &mut |_| ()).unwrap();
                    with_columns_out(|| reply(&found).unwrap()).0
                };
                let (mut first, mut second) = (Vec::new(), Vec::new());
                widths(&shown(last), &mut first);
                widths(&shown(other_last), &mut second);
                assert!(!first.is_empty() && first.len() == second.len(), "{kind}: {first:?}, {second:?}");
                if page[0].1 != 330.0 {
                    assert!(first != second, "{kind}: {first:?}, {second:?}");
                }
            }
        }
        assert!(drawn >= 12, "{drawn}");
    }
}
