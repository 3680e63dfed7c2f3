//! Columns of public CSV files, as text.

use super::public::public;

/// Cells of one line of a quoted CSV file without line breaks inside quotes.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

/// The named columns of a public CSV file, row by row, as text; nothing where it is absent.
pub fn columns(file: &str, names: &[&str]) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(public(file)?).unwrap();
    let mut lines = text.lines().map(cells);
    let header = lines.next().unwrap();
    let places: Vec<usize> = names.iter().map(|name| header.iter().position(|h| h == name).unwrap()).collect();
    Some(lines.map(|row| places.iter().map(|&place| row[place].clone()).collect()).collect())
}
