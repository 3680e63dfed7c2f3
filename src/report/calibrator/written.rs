//! The parameters of a fit as they travel: with the rows that it looks at again, and the methods within it.

use serde_json::{Map, Value, json};

use super::Looks;
use crate::error::Result;
use crate::evaluation::method::{Calibrator, FittedMethod};

/// The parameters of a fit; rows stand beside the method that looks at them, the first of two has its own, under
/// `base`, and so has that of every group by proximity, under `groups`.
///
/// # Errors
/// As what is derived from the rows.
pub(super) fn parameters(fitted: &FittedMethod) -> Result<Map<String, Value>> {
    let fitted = fitted.applied();
    let mut map = match fitted.calibrator.parameters() {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    let rows_of =
        if let (Calibrator::Composed { .. }, [_, then]) = (&fitted.calibrator, &*fitted.parts) { then } else { fitted };
    rows_of.memory.write_into(&mut map);
    if let Calibrator::Single { fit, .. } = &rows_of.calibrator {
        map.extend(fit.beside_memory(&rows_of.memory)?);
    }
    match (&fitted.calibrator, &*fitted.parts) {
        (Calibrator::Composed { .. }, [base, _]) => {
            map.insert("base".into(), within(base)?);
        }
        (Calibrator::ProximityStratified { .. }, parts) => {
            let listed: Vec<Value> = parts.iter().map(within).collect::<Result<_>>()?;
            map.insert("groups".into(), listed.into());
        }
        _ => (),
    }
    Ok(map)
}

/// A method within another, with its id and what it looks at.
fn within(fitted: &FittedMethod) -> Result<Value> {
    let mut map = parameters(fitted)?;
    map.insert("method".into(), json!(fitted.applied().calibrator.id()));
    map.insert("looks_at".into(), Looks::of(fitted).words().into());
    Ok(map.into())
}
