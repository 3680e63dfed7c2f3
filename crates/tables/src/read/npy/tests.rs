use super::*;

fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    if version == 1 {
        bytes.extend((header.len() as u16).to_le_bytes());
    } else {
        bytes.extend((header.len() as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn numbers(values: Option<Values>) -> Vec<f64> {
    match values {
        Some(Values::Numbers(v)) => v.to_vec(),
        other => panic!("numbers expected, {other:?}"),
    }
}

fn texts(values: Option<Values>) -> Vec<String> {
    match values {
        Some(Values::Text { codes, levels }) => codes.iter().map(|&code| levels.text(code).to_owned()).collect(),
        other => panic!("text expected, {other:?}"),
    }
}

#[test]
fn every_number_type_and_byte_order() {
    macro_rules! check {
        ($type:ty, $code:literal) => {
            let data: Vec<$type> = vec![1 as $type, 0 as $type, 7 as $type, 100 as $type];
            let little: Vec<u8> = data.iter().flat_map(|v| v.to_le_bytes()).collect();
            let large: Vec<u8> = data.iter().flat_map(|v| v.to_be_bytes()).collect();
            for version in 1..=3 {
                let file = npy(version, concat!("'<", $code, "'"), false, "(4,)", &little);
                assert_eq!(numbers(values(&file).unwrap()), [1.0, 0.0, 7.0, 100.0]);
            }
            let file = npy(1, concat!("'>", $code, "'"), false, "(4, 1)", &large);
            assert_eq!(numbers(values(&file).unwrap()), [1.0, 0.0, 7.0, 100.0]);
        };
    }
    check!(i8, "i1");
    check!(i16, "i2");
    check!(i32, "i4");
    check!(i64, "i8");
    check!(u8, "u1");
    check!(u16, "u2");
    check!(u32, "u4");
    check!(u64, "u8");
    check!(f32, "f4");
    check!(f64, "f8");
}

#[test]
fn single_precision_matrices_stay_single_and_row_major() {
    let data: Vec<u8> = [1f32, 3.0, 5.0, 2.0, 4.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let by_columns = values(&npy(1, "'<f4'", true, "(3, 2)", &data)).unwrap();
    let Some(Values::Matrix(matrix)) = by_columns else { panic!("matrix expected") };
    assert_eq!(matrix.width, 2);
    assert_eq!(matrix.values, Reals::F32(Column::from(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
}

#[test]
fn booleans_strings_and_large_integers_are_text() {
    let file = npy(1, "'|b1'", false, "(2,)", &[1, 0]);
    assert_eq!(texts(values(&file).unwrap()), ["true", "false"]);
    let file = npy(1, "'|S3'", false, "(2,)", b"ab\0cde");
    assert_eq!(texts(values(&file).unwrap()), ["ab", "cde"]);
    let wide: Vec<u8> = "äb".chars().chain("c\0".chars()).flat_map(|c| (c as u32).to_be_bytes()).collect();
    let file = npy(1, "'>U2'", false, "(2,)", &wide);
    assert_eq!(texts(values(&file).unwrap()), ["äb", "c"]);
    let file = npy(1, "'<i8'", false, "(1,)", &(-9_007_199_254_740_993i64).to_le_bytes());
    assert_eq!(texts(values(&file).unwrap()), ["-9007199254740993"]);
}

#[test]
fn refusals() {
    let error = values(&npy(1, "'|O'", false, "(3,)", b"\x80\x04")).unwrap_err();
    assert_eq!(error.code(), "array_pickled");
    let error = values(&npy(1, "'<f8'", false, "(1000000000000, 10)", &[0; 16])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The array's shape (1,000,000,000,000 × 10) needs 80,000,000,000,000 bytes, but 16 are present."
    );
    let error = values(&npy(1, "'<f8'", false, "(18446744073709551615, 18446744073709551615)", &[0; 16])).unwrap_err();
    assert_eq!(error.code(), "array_unreadable");
    for descr in ["'<c16'", "'<M8[ns]'", "[('a', '<f8')]", "'<f16'", "''"] {
        assert_eq!(values(&npy(1, descr, false, "(1,)", &[0; 16])).unwrap_err().code(), "array_unreadable");
    }
    assert_eq!(values(b"\x93NUMPY\x01").unwrap_err().code(), "array_unreadable");
    assert!(values(&npy(1, "'<f8'", false, "()", &[0; 8])).unwrap().is_none());
}

#[test]
fn an_array_of_three_dimensions_is_named_with_its_shape() {
    let bytes = npy(1, "'<f8'", false, "(3, 2, 4)", &[0; 192]);
    assert_eq!(values(&bytes).unwrap(), None);
    let hint = "Average the probabilities over the members, or save those of each member as an array of their own, with one row \
                per prediction.";
    assert_eq!(
        passed_over("logits".into(), &shape_of(&bytes)).message,
        format!("`logits` was ignored: it has the shape (3 × 2 × 4), and an array has one row per prediction. {hint}")
    );
    let error = crate::read::read("logits.npy", &bytes, &mut |_| ()).unwrap_err();
    assert!(
        error.to_string().starts_with("The array has the shape (3 × 2 × 4), not one row per prediction"),
        "{error}"
    );
    assert_eq!(error.hint(), hint);
    let single = npy(1, "'<f8'", false, "()", &[0; 8]);
    assert_eq!(
        passed_over("t".into(), &shape_of(&single)).message,
        "An array that is a single value was ignored: `t`."
    );
}
