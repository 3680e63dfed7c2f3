//! Lexical dimensions and distinctive words against scikit-learn and Python's `re`: tests/golden/make_lexical.py.

#![allow(clippy::unwrap_used)]

use super::{LexicalSpace, WordCounts};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../../tests/golden/lexical.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn texts(golden: &Value) -> Vec<&str> {
    golden["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[test]
fn dimensions_are_those_of_scikit_learn() {
    let golden = golden();
    let texts = texts(&golden);
    let space = LexicalSpace::fit(&texts, 0).unwrap();
    assert_eq!(space.terms as u64, golden["terms"].as_u64().unwrap(), "terms in two texts or more");
    let expected = numbers(&golden["singular_values"]);
    for (k, (found, expected)) in space.singular_values.iter().zip(&expected).enumerate() {
        // the iteration leaves the last dimensions slightly short where singular values are close to each other
        let told = if k < 6 { 1e-6 } else { 2e-2 };
        assert!((found / expected - 1.0).abs() < told, "singular value {k}: {found} {expected}");
    }
    assert_eq!(space.d(), 24);
    let rows: Vec<usize> =
        golden["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap() as usize).collect();
    let places: Vec<Vec<f64>> = rows.iter().map(|row| space.place(texts[*row])).collect();
    let mut largest = [0.0_f64; 2];
    for (place, expected) in places.iter().zip(golden["places"].as_array().unwrap()) {
        for (found, expected) in place.iter().zip(numbers(expected)) {
            largest[0] = largest[0].max((found - expected).abs());
        }
    }
    // The subspace of all dimensions, whatever their order and signs.
    for (a, expected) in places.iter().zip(golden["products"].as_array().unwrap()) {
        for (b, expected) in places.iter().zip(numbers(expected)) {
            let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            largest[1] = largest[1].max((product - expected).abs());
        }
    }
    println!("largest difference of a place {:.1e}, of an inner product {:.1e}", largest[0], largest[1]);
    println!("singular values {:?} {expected:?}", space.singular_values);
    assert!(largest[0] < 1e-4 && largest[1] < 0.1, "{largest:?}");
}

#[test]
fn words_are_those_of_monroe_colaresi_and_quinn() {
    let golden = golden();
    let inside: Vec<bool> = golden["topic"].as_array().unwrap().iter().map(|topic| topic.as_u64() == Some(3)).collect();
    let found = WordCounts::of(texts(&golden).into_iter()).distinctive(&inside, 12);
    let expected = golden["words"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.word, expected["word"].as_str().unwrap());
        let near = |name: &str, found: f64| {
            assert!((found - expected[name].as_f64().unwrap()).abs() < 1e-12, "{name} of {}", expected["word"]);
        };
        near("texts", f64::from(found.texts));
        near("here", found.here);
        near("elsewhere", found.elsewhere);
        near("log_odds", found.log_odds);
        near("z", found.z);
    }
}
