//! Packs one file into another, for the build: `pack core.wasm core.lzma`.

use std::io::Write;

use lzma_rust2::{LzmaOptions, LzmaWriter};

fn main() -> std::io::Result<()> {
    let mut names = std::env::args().skip(1);
    let (Some(from), Some(to)) = (names.next(), names.next()) else {
        return Err(std::io::Error::other("usage: pack FROM TO"));
    };
    let plain = std::fs::read(from)?;
    let mut options = LzmaOptions::with_preset(9);
    (options.nice_len, options.depth_limit) = (273, 1000);
    // instructions of wasm do not stand at multiples of four bytes
    (options.lc, options.pb) = (4, 0);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(plain.len() as u64))?;
    writer.write_all(&plain)?;
    std::fs::write(to, writer.finish()?)
}
