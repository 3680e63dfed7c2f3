//! What a document says with what each piece was computed from, and the gate that every piece goes through.

use crate::markup::{Piece, Section};
use crate::plot::figure::Figure;
use crate::report::disclosure::{Basis, Stated};
use crate::report::gate::Gate;
use crate::report::sheet::{Block, Sheet};
use crate::words::number::count;

/// A piece of a document before the disclosure gate.
pub(super) enum StatedPiece {
    /// a piece by itself
    One(Stated<Piece>),
    /// a chart, and beside it what belongs to it
    Beside(Box<Stated<Figure>>, Vec<StatedPiece>),
}

impl StatedPiece {
    /// A piece with what it was computed from.
    pub(super) fn new(piece: Piece, basis: Basis) -> Self {
        Self::One(Stated::new(piece, basis))
    }

    /// A piece behind which is no row.
    pub(super) fn setting(piece: Piece) -> Self {
        Self::new(piece, Basis::Setting)
    }

    /// A piece that was computed from all scored rows.
    pub(super) fn all_rows(piece: Piece) -> Self {
        Self::new(piece, Basis::AllRows)
    }

    /// The pieces of a sheet; files to save are no part of a document.
    pub(super) fn of_sheet(sheet: &Sheet) -> Vec<Self> {
        let shown = sheet.stated().filter(|stated| !matches!(stated.what, Block::Download { .. } | Block::Charts(_)));
        let each = shown.flat_map(|Stated { what, basis }| {
            Piece::of_sheet(vec![what]).into_iter().map(move |piece| Self::new(piece, basis.clone()))
        });
        each.collect()
    }
}

/// The section with those of its pieces that may leave; with no gate, all.
///
/// A note tells how many sentences, tables and charts were withheld whole.
pub(super) fn section(section: Section, told: Vec<StatedPiece>, gate: &mut Option<Gate>) -> Section {
    let mut withheld = [0_u64; 3];
    let mut pieces: Vec<Piece> = told.into_iter().flat_map(|told| pass(told, gate, &mut withheld)).collect();
    let of = |n: u64, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{} {one}s", count(n))),
    };
    let [sentences, tables, charts] = withheld;
    let what: Vec<String> =
        [of(sentences, "sentence"), of(tables, "table"), of(charts, "chart")].into_iter().flatten().collect();
    if let (Some(gate), false) = (gate, what.is_empty()) {
        pieces.push(Piece::Note(format!(
            "Withheld, as they may reveal fewer than {} rows: {}.",
            gate.least,
            what.join(", ")
        )));
    }
    Section { pieces, ..section }
}

/// What may leave of a piece.
fn pass(told: StatedPiece, of: &mut Option<Gate>, withheld: &mut [u64; 3]) -> Vec<Piece> {
    let Some(gate) = of else { return vec![whole(told)] };
    let Stated { what, basis } = match told {
        StatedPiece::One(stated) => stated,
        StatedPiece::Beside(figure, beside) => {
            let shown = gate.figure(&figure.basis);
            withheld[2] += u64::from(!shown);
            let pieces: Vec<Piece> = beside.into_iter().flat_map(|told| pass(told, of, withheld)).collect();
            return if shown { vec![Piece::Beside(Box::new(figure.what), pieces)] } else { pieces };
        }
    };
    let mut sentence = |text: String, piece: fn(String) -> Piece| {
        let text = gate.sentence(text, &basis);
        withheld[0] += u64::from(text.is_none());
        text.map(piece).into_iter().collect::<Vec<_>>()
    };
    match what {
        Piece::Lead(text) => sentence(text, Piece::Lead),
        Piece::Heading(text) => sentence(text, Piece::Heading),
        Piece::Text(text) => sentence(text, Piece::Text),
        Piece::Note(text) => sentence(text, Piece::Note),
        Piece::Facts(facts) => vec![Piece::Facts(gate.values(facts, &basis))],
        Piece::List(points) => vec![Piece::List(gate.values(points, &basis))],
        Piece::Lines(lines) => vec![Piece::Lines(gate.values(lines, &basis))],
        Piece::Table(table) => {
            let table = gate.table(table, &basis);
            withheld[1] += u64::from(table.is_none());
            table.map(Piece::Table).into_iter().collect()
        }
        // side by side they are judged as one
        Piece::Figures(figures) => {
            let shown = gate.figure(&basis);
            withheld[2] += if shown { 0 } else { figures.len() as u64 };
            if shown { vec![Piece::Figures(figures)] } else { Vec::new() }
        }
        // nobody states what a chart with pieces beside it was computed from as one
        Piece::Beside(_, pieces) => {
            gate.figure(&Basis::Unknown);
            withheld[2] += 1;
            let beside = pieces.into_iter().map(|piece| StatedPiece::new(piece, Basis::Unknown));
            beside.flat_map(|told| pass(told, of, withheld)).collect()
        }
    }
}

/// The piece as it is, where nothing is withheld.
fn whole(told: StatedPiece) -> Piece {
    match told {
        StatedPiece::One(Stated { what, .. }) => what,
        StatedPiece::Beside(figure, beside) => {
            Piece::Beside(Box::new(figure.what), beside.into_iter().map(whole).collect())
        }
    }
}
