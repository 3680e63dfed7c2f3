//! What the page reads of an outcome, as JSON.
//!
//! Only the outcomes that the page looks into have such a form: code that writes a type as JSON is large.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Value, json};

use super::packed::pack;
use super::{Node, Outcome};
use crate::data::Column;

type Told = serde_json::Result<Value>;

/// The outcome as an object whose `kind` is its name, with what the page reads of it; its columns go into the cargo.
///
/// # Errors
/// None that an outcome can cause.
pub fn told(outcome: &Outcome) -> Told {
    match outcome {
        Outcome::Data { summary, suggestion, offer, .. } => {
            Ok(json!({ "kind": "data", "summary": summary, "suggestion": suggestion, "offer": offer }))
        }
        Outcome::Recognised { summary } => Ok(json!({ "kind": "recognised", "summary": summary })),
        Outcome::Plan { nodes } => {
            let nodes: Vec<Value> = nodes.iter().map(node).collect::<Result<_, _>>()?;
            Ok(json!({ "kind": "plan", "nodes": nodes }))
        }
        Outcome::Coordinates(map) => Ok(json!({
            "kind": "coordinates",
            "name": map.name,
            "coordinates": map.coordinates,
            "names": map.names,
            "text": map.text,
            "median_distance": map.median_distance,
            "gamma": map.gamma,
            "variance_share": map.variance_share,
        })),
        Outcome::Report(run) => Ok(json!({
            "kind": "report",
            "report": run.report,
            "presentation": run.presentation,
        })),
        Outcome::View(found) => of("view", found),
        Outcome::Card { lines, at } => Ok(json!({ "kind": "card", "lines": lines, "at": at })),
        Outcome::Bytes { bytes } => Ok(json!({ "kind": "bytes", "bytes": bytes })),
        Outcome::Sweep(found) => of("sweep", found),
        Outcome::Klce(found) => of("klce", found),
        Outcome::Libraries(found) => of("libraries", found),
        Outcome::Multiples(found) => of("multiples", found),
        Outcome::Decide(found) => of("decide", found),
        Outcome::Groups(found) => of("groups", found),
        Outcome::Region(found) => of("region", found),
        Outcome::Neighbourhoods(found) => of("neighbourhoods", found),
        Outcome::Witness(found) => of("witness", found),
        Outcome::BiasPlot(found) => of("bias_plot", found),
        Outcome::Inference(found) => of("inference", found),
        Outcome::Compared(found) => of("compared", found),
        Outcome::Correlated(found) => of("correlated", found),
        Outcome::Models(found) => of("models", found),
        Outcome::ProximitySheet(found) => of("proximity_sheet", found),
        Outcome::ProximitySweepSheet(found) => of("proximity_sweep_sheet", found),
        Outcome::File { .. }
        | Outcome::Split { .. }
        | Outcome::Proximity { .. }
        | Outcome::Fitted { .. }
        | Outcome::Scored { .. }
        | Outcome::Replicates { .. }
        | Outcome::Local { .. }
        | Outcome::TrustWork { .. }
        | Outcome::TrustShare { .. }
        | Outcome::TrustFound { .. }
        | Outcome::Places { .. }
        | Outcome::SweepPart { .. }
        | Outcome::Looked { .. }
        | Outcome::Maxima { .. }
        | Outcome::WitnessGround { .. }
        | Outcome::Bias { .. }
        | Outcome::Drawn { .. } => Ok(Value::Null),
    }
}

fn of(kind: &str, found: &impl Serialize) -> Told {
    let mut fields = serde_json::to_value(found)?;
    named(kind, &mut fields);
    Ok(fields)
}

fn named(kind: &str, fields: &mut Value) {
    if let Value::Object(fields) = fields {
        fields.insert("kind".to_owned(), kind.into());
    }
}

/// A node of a plan; its job stands as bytes among the columns.
fn node(node: &Node) -> Told {
    let job = Column::from(pack(&node.job).map_err(serde_json::Error::custom)?);
    Ok(json!({ "job": job, "needs": node.needs, "cost": node.cost, "label": node.label }))
}
