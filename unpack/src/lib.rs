//! The small module that unpacks the core: bytes of an `.lzma` file in, the file that was packed out.
//!
//! The page puts the packed bytes into [`room`], makes more room for what comes out (its length stands in bytes 5 to 12
//! of the packed file), and calls [`unpack`]. The memory goes with the instance.

// `pack` builds the writing half with the standard library, where nothing here is called
#![cfg(not(feature = "pack"))]

use lzma_rust2::{LzmaReader, Read};

/// Bytes unpacked by one call. Browsers begin with quickly compiled, slow code, and go over to fast code at a call only.
const PIECE: usize = 1 << 14;

/// Room for `length` bytes that stays until the instance goes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    vec![0; length].leak().as_mut_ptr()
}

/// Unpacks; answers how many bytes came out, fewer than `length` where the packed bytes are damaged.
///
/// # Safety
/// `packed` and `out` are two rooms of these lengths.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unpack(packed: *const u8, packed_length: usize, out: *mut u8, length: usize) -> usize {
    // SAFETY: the caller says that these are rooms, which are initialised, never freed, and apart.
    let (packed, out) =
        unsafe { (std::slice::from_raw_parts(packed, packed_length), std::slice::from_raw_parts_mut(out, length)) };
    let Ok(mut reader) = LzmaReader::new_mem_limit(packed, u32::MAX, None) else {
        return 0;
    };
    let mut done = 0;
    while done < length {
        let next = length.min(done + PIECE);
        match reader.read(&mut out[done..next]) {
            Ok(0) | Err(_) => break,
            Ok(more) => done += more,
        }
    }
    done
}
