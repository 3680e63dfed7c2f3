//! From what the document was made, so that it can be made again.

use super::{DocumentInput, StatedPiece};
use crate::markup::Piece;
use crate::report::scorecard::present;
use crate::report::view::Fact;
use crate::words::number::count;
use crate::words::text::capitalized;

pub(super) fn pieces(shown: &DocumentInput) -> Vec<StatedPiece> {
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let mut facts = vec![fact("Program", format!("LoCal {}", env!("CARGO_PKG_VERSION")))];
    if let Some(sum) = &shown.request.page {
        facts.push(fact("SHA-256 of the page", sum.clone()));
    }
    for file in &shown.request.files {
        let size = file.bytes.map_or_else(String::new, |bytes| format!(", {} bytes", count(bytes)));
        let sum = file.sha256.as_ref().map_or_else(String::new, |sum| format!(", SHA-256 {sum}"));
        facts.push(fact("File", format!("{}{size}{sum}", file.name)));
    }
    let told_elsewhere = ["rows", "evaluated", "data split", "scored rows", "weights"];
    let settings = present(&shown.run.report, None).settings;
    let settings = settings.into_iter().filter(|fact| !told_elsewhere.contains(&fact.name.as_str()));
    facts.extend(settings.map(|fact| Fact { name: capitalized(&fact.name), ..fact }));
    vec![StatedPiece::setting(Piece::Facts(facts))]
}
