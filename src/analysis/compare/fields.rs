//! What a person can change about a comparison.

use super::ComparedMethod;
use super::request::LAYOUTS;
use crate::analysis::compare::{CompareLayout, CompareRequest};
use crate::analysis::entry::{Described, number_field};
use crate::evaluation::comparison::compared;
use crate::metric::entry::MetricRequirement;
use crate::metric::registry;
use crate::report::RunOutcome;
use crate::report::sheet::{Field, FieldKind};

pub(super) fn fields(run: &RunOutcome, request: &CompareRequest, methods: &[ComparedMethod]) -> Vec<Field> {
    let field = CompareRequest::field;
    let compared_now = methods.iter().map(|method| method.name.clone()).filter(|name| name != "none");
    let mut choices = run.method_choices();
    choices.retain(|(name, _)| name != "none");
    let layout = match request.layout {
        CompareLayout::Table => "table",
        CompareLayout::Paper => "paper",
    };
    let settings = &run.report.settings;
    let near = settings.local.is_some() || settings.proximity.is_some();
    let near = registry::requiring(MetricRequirement::Proximity).into_iter().filter(|_| near);
    let ids = compared().chain(near.map(|metric| metric.id));
    let mut fields = vec![
        field("methods", FieldKind::Several { value: compared_now.collect(), choices }),
        field(
            "metrics",
            FieldKind::metrics(request.metrics.clone().unwrap_or_default(), ids.filter_map(registry::metric)),
        ),
        field("layout", FieldKind::choice(layout, LAYOUTS.iter().copied())),
    ];
    if request.by.is_none() {
        fields.push(number_field::<CompareRequest>("repeats", request.repeats.map(|count| count as f64)));
    }
    fields
}
