//! Writes the script through which the page calls the built core, its types, and the module with what the script needs:
//! `localcal-glue MODULE FOLDER`.
//!
//! It does what the program `wasm-bindgen` does. As a member of the workspace its version is that in `Cargo.lock`, nothing
//! has to be installed, and what it needs compiles in a fifth of the time.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = given.as_slice() else {
        return Err("usage: localcal-glue MODULE FOLDER".into());
    };
    let mut glue = Bindgen::new();
    // workers are made from a Blob, where scripts cannot be modules
    glue.no_modules(true)?.typescript(true).input_path(module).out_name("localcal");
    glue.generate(folder)?;
    Ok(())
}
