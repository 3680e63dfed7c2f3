//! What a person can change about a comparison.

use super::ComparedMethod;
use super::request::LAYOUTS;
use crate::analysis::compare::{CompareLayout, CompareRequest};
use crate::analysis::entry::Described;
use crate::evaluation::comparison::compared;
use crate::metric::entry::Needs;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::sheet::{Field, FieldKind};

pub(super) fn fields(run: &RunOutcome, request: &CompareRequest, methods: &[ComparedMethod]) -> Vec<Field> {
    let field = CompareRequest::field;
    let without_none = |names: Vec<&String>| -> Vec<String> {
        let names = names.into_iter().filter(|name| *name != "none");
        names.cloned().collect()
    };
    let layout = match request.layout {
        CompareLayout::Table => "table",
        CompareLayout::Paper => "paper",
    };
    let settings = &run.report.settings;
    let near = settings.local.is_some() || settings.proximity.is_some();
    let near = registry::of_need(Needs::Proximity).into_iter().filter(|_| near);
    let ids = compared().chain(near.map(|metric| metric.id));
    let mut fields = vec![
        field(
            "methods",
            FieldKind::Several {
                value: without_none(methods.iter().map(|method| &method.name).collect()),
                choices: without_none(run.rows.iter().map(|rows| &rows.method.name).collect()),
            },
        ),
        field(
            "metrics",
            FieldKind::Several {
                value: request.metrics.clone().unwrap_or_default(),
                choices: ids.map(str::to_owned).collect(),
            },
        ),
        field("layout", FieldKind::choice(layout, LAYOUTS.iter().copied())),
    ];
    if request.by.is_none() {
        fields.push(field("repeats", FieldKind::number(request.repeats.map(|count| count as f64), 1.0)));
    }
    fields
}
