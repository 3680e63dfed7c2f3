//! PIECE and the bias index of scored rows, and their replicates.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::evaluation::scored::{Scored, Value};
use crate::metric::weight::NOT_WITH_WEIGHTS;
use crate::proximity::Form;
use crate::proximity::bias::{MatchedPairs, Replacement, bias_index, fair_p, matched_pairs};
use crate::proximity::piece::{CONFIDENCE_BINS, PROXIMITY_BINS, piece_cells, piece_of};

/// Ids that need the proximity of every scored row.
pub const OF_PROXIMITY: &[&str] = &["piece", "piece_code", "bias_index", "bias_z"];

/// Beside the bias index where models are held against chance: the probability that counts each row once, see [`fair_p`].
pub const FAIR_P: &str = "bias_p_rows";

/// Which cells and pairs the rows make: outcomes do not move them.
pub struct Arranged {
    cells: [Option<Vec<u32>>; 2],
    pairs: Option<MatchedPairs>,
}

impl Arranged {
    /// Cells and pairs for the ids that are asked for.
    ///
    /// # Errors
    /// `empty`, `length_mismatch`.
    pub fn new(s: &[f64], ln_d: &[f64], ids: &BTreeSet<String>) -> Result<Self> {
        let cells = |id: &str, form: Form| {
            let bins = (CONFIDENCE_BINS, PROXIMITY_BINS);
            let wanted = ids.contains(id);
            wanted.then(|| piece_cells(s, ln_d, form, bins)).transpose()
        };
        let matched = ids.contains("bias_index") || ids.contains("bias_z");
        Ok(Self {
            cells: [cells("piece", Form::Paper)?, cells("piece_code", Form::Code)?],
            pairs: matched.then(|| matched_pairs(s, ln_d, Replacement::With, 0)).transpose()?,
        })
    }

    /// The metrics with these outcomes.
    ///
    /// # Errors
    /// `empty`, `length_mismatch`.
    pub fn values(&self, s: &[f64], t: &[u8]) -> Result<Vec<(&'static str, Option<f64>)>> {
        let mut found = Vec::new();
        for (id, cells) in ["piece", "piece_code"].into_iter().zip(&self.cells) {
            if let Some(cells) = cells {
                found.push((id, Some(piece_of(cells, s, t)?)));
            }
        }
        if let Some(pairs) = &self.pairs {
            let bias = bias_index(pairs, s, t);
            found.push(("bias_index", bias.index));
            found.push(("bias_z", bias.z));
        }
        Ok(found)
    }
}

/// Point values of the ids asked for.
///
/// # Errors
/// As [`Arranged::values`].
pub fn values(scored: &Scored, ids: &BTreeSet<String>) -> Result<Vec<(String, Value)>> {
    let known = OF_PROXIMITY.iter().chain([&FAIR_P]);
    let asked = known.filter(|id| ids.contains(**id));
    if scored.proximity.is_empty() {
        let missing = |id: &&str| ((*id).to_owned(), Err("features_missing".to_owned()));
        return Ok(asked.map(missing).collect());
    }
    if scored.weights().is_some() {
        let none = |id: &&str| ((*id).to_owned(), Err(NOT_WITH_WEIGHTS.to_owned()));
        return Ok(asked.map(none).collect());
    }
    let (s, t) = (&scored.score, &scored.target);
    let arranged = Arranged::new(s, &scored.proximity, ids)?;
    let mut found = arranged.values(s, t)?;
    if let Some(pairs) = arranged.pairs.filter(|_| ids.contains(FAIR_P)) {
        found.push((FAIR_P, fair_p(&pairs, s, t)));
    }
    let why = |id: &str| {
        if id == "bias_z" || id == FAIR_P {
            "matched rows have one outcome only"
        } else {
            "no two rows of high and low proximity have nearly equal scores"
        }
    };
    Ok(asked
        .filter_map(|id| {
            let (_, value) = found.iter().find(|(known, _)| known == id)?;
            Some(((*id).to_owned(), value.ok_or_else(|| why(id).to_owned())))
        })
        .collect())
}
