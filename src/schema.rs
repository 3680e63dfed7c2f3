//! JSON Schema of what is asked and what is answered, made from the types themselves.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::job::Call;
use crate::job::reply::OutcomeMessage;
use crate::plot::hit::Hit;

/// Every type of the interface by its name, as the definitions of one JSON Schema (draft 7).
///
/// What can be asked (`Call`, with the options of opening, of runs, of analyses and of exports) is described as it is
/// read: what has a default may be left out. What is only answered (`OutcomeMessage`, with the report) is described as
/// it is written: nothing is left out, and what is not there is null.
pub fn schema() -> Value {
    let mut definitions = BTreeMap::new();
    let read = || SchemaSettings::draft07().for_deserialize();
    let written = || SchemaSettings::draft07().for_serialize();
    describe::<Call>(read(), &mut definitions);
    describe::<OutcomeMessage>(written(), &mut definitions);
    describe::<Hit>(written(), &mut definitions);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "LoCal",
        "definitions": definitions,
    })
}

/// Adds a type and all that it is made of; what is there already stays.
fn describe<T: JsonSchema>(settings: SchemaSettings, definitions: &mut BTreeMap<String, Value>) {
    let mut generator = settings.into_generator();
    generator.subschema_for::<T>();
    let found: Map<String, Value> = generator.take_definitions(true);
    for (name, definition) in found {
        definitions.entry(name).or_insert(definition);
    }
}

#[cfg(test)]
mod tests {
    use super::schema;

    #[test]
    fn what_is_meant_is_defined() {
        let schema = schema();
        let text = schema.to_string();
        for part in text.split("\"#/definitions/").skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            assert!(schema["definitions"].get(name).is_some(), "{name}");
        }
        assert!(schema["definitions"]["RunRequest"].get("required").is_none(), "every option has a default");
        let report = &schema["definitions"]["Report"]["required"];
        assert!(report.as_array().is_some_and(|names| names.iter().any(|name| name == "local")), "{report}");
    }
}
