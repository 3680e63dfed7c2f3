//! Errors that the handles of a state set besides those that its screen is about. A sentence that states the truth holds only
//! where there are none.

use super::LabRequest;
use crate::words::number::plain;
use crate::words::text::counted;

/// Whether a state has no error but that of the confidence factor T; `isPlain` of the page is the same rule.
pub(super) fn is_plain(request: &LabRequest) -> bool {
    errors(request).is_empty()
}

/// Errors of a state, apart from T: shift, label noise, regions, gap and move of group B.
fn errors(request: &LabRequest) -> Vec<String> {
    let [share, _, gap] = request.group;
    let regions = request.region.iter().filter(|[.., depth]| *depth != 0.0).count();
    let named = |holds: bool, text: String| holds.then_some(text);
    let all = [
        named(request.s != 0.0, format!("shift s = {}", plain(request.s))),
        named(request.noise != 0.0, format!("label noise ε = {}", plain(request.noise))),
        named(regions > 0, counted(regions, "region")),
        named(share > 0.0 && gap != 0.0, format!("a gap of {} pp in group B", plain(gap))),
        named(share > 0.0 && request.moved != 0.0, format!("group B moved by {}", plain(request.moved))),
    ];
    all.into_iter().flatten().collect()
}

/// The errors of a state, T included: "Errors set in this state: T = 2, shift s = 1."
pub(super) fn sentence(request: &LabRequest) -> String {
    let factor = (request.factor != 1.0).then(|| format!("T = {}", plain(request.factor)));
    let all: Vec<String> = factor.into_iter().chain(errors(request)).collect();
    format!("Errors set in this state: {}.", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_plain_without_other_errors_than_the_factor() {
        #[derive(serde::Deserialize)]
        struct Case {
            plain: bool,
            state: LabRequest,
        }
        // the page, which has the rule for its questions, is tested with the same states
        let cases: Vec<Case> = serde_json::from_str(include_str!("../../www/learn/plain_states.json")).unwrap();
        assert!(cases.len() > 10);
        for Case { plain, state } in cases {
            assert_eq!(is_plain(&state), plain, "{state:?}");
        }
        let plain = LabRequest::default();
        for (state, named) in [
            (LabRequest { s: -1.0, ..plain.clone() }, "shift s = −1"),
            (LabRequest { noise: 0.2, ..plain.clone() }, "label noise ε = 0.2"),
            (LabRequest { region: vec![[0.0, 1.5, 1.0, 25.0]], ..plain.clone() }, "1 region"),
            (LabRequest { group: [0.25, 0.0, -8.0], ..plain.clone() }, "a gap of −8 pp in group B"),
            (LabRequest { group: [0.25, 0.0, 0.0], moved: 0.5, ..plain.clone() }, "group B moved by 0.5"),
        ] {
            assert_eq!(sentence(&state), format!("Errors set in this state: {named}."));
        }
        let both = LabRequest { factor: 1.5, noise: 0.1, ..plain };
        assert_eq!(sentence(&both), "Errors set in this state: T = 1.5, label noise ε = 0.1.");
    }
}
