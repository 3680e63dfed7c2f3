//! Distinct texts of a column while it is read.

use crate::table::{Column, Dictionary, MISSING, Values};

/// Dictionary codes by an open-addressing table; texts live once, in the dictionary.
#[derive(Debug, Default)]
pub(super) struct Levels {
    dictionary: Dictionary,
    codes: Vec<u32>,
    /// code + 1 by hash, 0 where free; length a power of two
    slots: Vec<u32>,
    hashes: Vec<u32>,
}

fn hash(text: &str) -> u32 {
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    let mut tail = [0u8; 8];
    tail.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let mut h = 0x9e37_79b9_7f4a_7c15_u64 ^ text.len() as u64;
    for word in chunks.iter().chain(std::iter::once(&tail)) {
        h = (h.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x2545_f491_4f6c_dd1d);
        h ^= h >> 32;
    }
    h as u32
}

impl Levels {
    /// Appends a row whose cell is missing.
    pub fn push_missing(&mut self) {
        self.codes.push(MISSING);
    }

    /// Appends a row with this text.
    pub fn push(&mut self, text: &str) {
        if self.dictionary.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let hash = hash(text);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        // The table is never full, so that a free slot ends the search.
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == 0 {
                let code = self.dictionary.push(text);
                *slot = code + 1;
                self.hashes.push(hash);
                self.codes.push(code);
                return;
            }
            let code = *slot - 1;
            if self.hashes.get(code as usize) == Some(&hash) && self.dictionary.text(code) == text {
                self.codes.push(code);
                return;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![0; size];
        for (code, &hash) in self.hashes.iter().enumerate() {
            let mut at = hash as usize & (size - 1);
            while self.slots.get(at).is_some_and(|&slot| slot != 0) {
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = code as u32 + 1;
            }
        }
    }

    /// The column of all rows.
    pub fn into_values(self) -> Values {
        Values::Text { codes: Column::from(self.codes), levels: self.dictionary }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance() {
        let mut levels = Levels::default();
        let texts: Vec<String> = (0..5_000).map(|i| format!("level {}", i % 1_700)).collect();
        texts.iter().for_each(|text| levels.push(text));
        levels.push_missing();
        let Values::Text { codes, levels } = levels.into_values() else { panic!("text expected") };
        assert_eq!(levels.len(), 1_700);
        assert_eq!(codes.last(), Some(&MISSING));
        for (code, text) in codes.iter().zip(&texts) {
            assert_eq!(levels.text(*code), text);
        }
        assert_eq!(&codes[..3], &[0, 1, 2]);
    }
}
