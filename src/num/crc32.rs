//! CRC-32 as ZIP, gzip and PNG use it.

use std::sync::LazyLock;

/// Polynomial of the check, lowest power first.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// Remainders of every byte with 0 to 7 zero bytes behind it. Made when first needed: 8 kB that hardly compress would
/// otherwise travel in every copy of the page.
static REMAINDERS: LazyLock<[[u32; 256]; 8]> = LazyLock::new(|| {
    let mut tables = [[0u32; 256]; 8];
    for (byte, remainder) in tables[0].iter_mut().enumerate() {
        let step = |c: u32, _| c >> 1 ^ if c & 1 == 1 { POLYNOMIAL } else { 0 };
        *remainder = (0..8).fold(byte as u32, step);
    }
    for zeros in 1..8 {
        for byte in 0..256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = tables[0][(before & 0xff) as usize] ^ (before >> 8);
        }
    }
    tables
});

/// Cyclic redundancy check of the bytes, eight bytes a step.
pub fn crc32(bytes: &[u8]) -> u32 {
    let tables = &*REMAINDERS;
    let mut crc = !0u32;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        let word = u64::from_le_bytes(*chunk) ^ u64::from(crc);
        crc = (0..8).fold(0, |sum, i| sum ^ tables[7 - i][((word >> (8 * i)) & 0xff) as usize]);
    }
    for &byte in rest {
        crc = tables[0][((crc ^ u32::from(byte)) & 0xff) as usize] ^ (crc >> 8);
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"1234567812345678abc"), crc32_slow(b"1234567812345678abc"));
    }

    fn crc32_slow(bytes: &[u8]) -> u32 {
        let mut crc = !0u32;
        for &byte in bytes {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            }
        }
        !crc
    }
}
