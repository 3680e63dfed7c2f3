//! MurmurHash3, by which terms become column numbers without a dictionary.

/// MurmurHash3_x86_32 of some bytes.
///
/// ```
/// use localcal_numerics::text::murmur::murmur3;
///
/// assert_eq!((murmur3(b"", 0), murmur3(b"hello", 0)), (0, 0x248b_fa47));
/// ```
///
/// # Source
/// Appleby (2011), MurmurHash3, in the public domain; the hash of scikit-learn's `HashingVectorizer`.
pub fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mixed = |k: u32| k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, rest) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(seed, |hash, block| {
        (hash ^ mixed(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    if !rest.is_empty() {
        let last = rest.iter().rev().fold(0, |word: u32, byte| word << 8 | u32::from(*byte));
        hash ^= mixed(last);
    }
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}
