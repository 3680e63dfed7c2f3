//! What the page reads of an outcome, as JSON.
//!
//! Only the outcomes that the page looks into have such a form: code that writes a type as JSON is large.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Value, json, to_value};

use super::graph::{Node, Plan};
use super::outcome::{Bytes, Card, DataSet, Recognised};
use super::packed::pack;
use crate::data::Column;
use crate::evaluation::projection::Coordinates;
use crate::report::RunOutcome;
use crate::report::view::ViewOutcome;

/// What the page reads of one type of outcome.
pub trait Told: Serialize {
    /// its name in JavaScript
    const KIND: &'static str;

    /// Its fields, as far as the page reads them.
    ///
    /// # Errors
    /// None that an outcome can cause.
    fn fields(&self) -> serde_json::Result<Value> {
        to_value(self)
    }
}

/// The fields of an outcome with its name among them, as `kind`.
pub(super) fn told_of<T: Told>(found: &T) -> serde_json::Result<Value> {
    let mut fields = found.fields()?;
    if let Value::Object(fields) = &mut fields {
        fields.insert("kind".to_owned(), T::KIND.into());
    }
    Ok(fields)
}

impl Told for DataSet {
    const KIND: &'static str = "data";

    fn fields(&self) -> serde_json::Result<Value> {
        Ok(json!({ "summary": self.summary, "suggestion": self.suggestion, "offer": self.offer }))
    }
}

impl Told for Coordinates {
    const KIND: &'static str = "coordinates";

    fn fields(&self) -> serde_json::Result<Value> {
        Ok(json!({
            "name": self.name,
            "coordinates": self.coordinates,
            "names": self.names,
            "text": self.text,
            "median_distance": self.median_distance,
            "gamma": self.gamma,
            "variance_share": self.variance_share,
        }))
    }
}

impl Told for RunOutcome {
    const KIND: &'static str = "report";

    fn fields(&self) -> serde_json::Result<Value> {
        Ok(json!({ "report": self.report, "presentation": self.presentation }))
    }
}

impl Told for Plan {
    const KIND: &'static str = "plan";

    fn fields(&self) -> serde_json::Result<Value> {
        let nodes: Vec<Value> = self.nodes.iter().map(node).collect::<Result<_, _>>()?;
        Ok(json!({ "nodes": nodes }))
    }
}

/// A node of a plan; its job stands as bytes among the columns.
fn node(node: &Node) -> serde_json::Result<Value> {
    let job = Column::from(pack(&node.job).map_err(serde_json::Error::custom)?);
    Ok(json!({ "job": job, "needs": node.needs, "cost": node.cost, "label": node.label }))
}

impl Told for ViewOutcome {
    const KIND: &'static str = "view";
}

impl Told for Recognised {
    const KIND: &'static str = "recognised";
}

impl Told for Card {
    const KIND: &'static str = "card";
}

impl Told for Bytes {
    const KIND: &'static str = "bytes";
}
