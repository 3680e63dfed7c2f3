//! Prints the JSON Schema of what is asked and answered: `cargo run --example schema --features schema`.

fn main() {
    println!("{:#}", localcal::schema::schema());
}
