//! The American Housing Survey of 2019, as cleaned for the published comparison.

use crate::support::public::public;

/// Covariates in the order of the file, by name, and OWNER.
pub struct Ahs {
    pub names: Vec<String>,
    pub columns: Vec<Vec<f64>>,
    pub owner: Vec<u8>,
}

pub fn ahs() -> Option<Ahs> {
    let text = String::from_utf8(public("AHS_2019_Cleaned.csv")?).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').skip(1).map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in columns.iter_mut().zip(line.split(',').skip(1)) {
            column.push(cell.parse::<f64>().unwrap());
        }
    }
    let owner = columns.pop().unwrap();
    assert_eq!((names.last().unwrap().as_str(), owner.len()), ("OWNER", 48_660));
    Some(Ahs { names, columns, owner: owner.iter().map(|&y| u8::from(y > 0.5)).collect() })
}

impl Ahs {
    pub fn column(&self, name: &str) -> &[f64] {
        let place = self.names.iter().position(|known| known == name);
        &self.columns[place.expect("a covariate")]
    }

    pub fn n(&self) -> usize {
        self.owner.len()
    }
}
