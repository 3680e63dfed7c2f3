//! safetensors: named arrays behind a head in JSON that says type, shape and place of each.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Contents, Format, ReadFile, Source, npy, thousands, too_large};
use crate::error::{Error, Result, Text};
use crate::table::NamedColumn;
use crate::words::text::quoted;

/// Bytes that a head may have, as in the format's own readers.
const MOST_HEAD: u64 = 100_000_000;

pub(super) const FORMAT: Format =
    Format { endings: &["safetensors"], recognizes: |source| parts(source.bytes).is_some(), read };

#[derive(Deserialize)]
struct Tensor {
    dtype: Option<String>,
    #[serde(default)]
    shape: Vec<u64>,
    #[serde(default)]
    data_offsets: Vec<u64>,
}

/// The head and the bytes behind it; `None` for what does not begin with the length of an object in JSON.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = u64::from_le_bytes(*length);
    let (head, body) = rest.split_at_checked(usize::try_from(length).ok().filter(|_| length <= MOST_HEAD)?)?;
    head.starts_with(b"{").then_some((head, body))
}

/// Arrays of one or two dimensions; others are passed over with a warning.
///
/// # Errors
/// `array_unreadable` with the array's name for a type that is not known and for places outside the file; `too_large` before an
/// array becomes numbers; `empty` without an array that has rows.
fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let (head, body) = parts(source.bytes).ok_or_else(|| unreadable("The head is truncated."))?;
    let tensors: BTreeMap<String, Tensor> =
        serde_json::from_slice(head).map_err(|error| unreadable(format!("The head is not valid: {error}.")))?;
    let mut file = ReadFile { name: source.name.to_owned(), ..ReadFile::default() };
    let (most, count) = (source.options.most(), tensors.len());
    let mut taken = 0u64;
    for (k, (name, tensor)) in tensors.into_iter().enumerate() {
        let Some(dtype) = &tensor.dtype else { continue };
        let (kind, size) = element(dtype).ok_or_else(|| {
            unreadable(format!("Array {} has the type {}, which is not supported.", quoted(&name), quoted(dtype)))
        })?;
        let values = tensor.shape.iter().try_fold(1u64, |product, &axis| product.checked_mul(axis));
        let bytes = values.and_then(|values| values.checked_mul(size as u64));
        let data = match tensor.data_offsets.as_slice() {
            [from, to] if to.checked_sub(*from) == bytes => {
                let place = usize::try_from(*from).ok().zip(usize::try_from(*to).ok());
                place.and_then(|(from, to)| body.get(from..to))
            }
            _ => None,
        };
        let Some(data) = data else {
            return Err(unreadable(format!(
                "Array {} does not fit its place in the file: {} bytes follow the head.",
                quoted(&name),
                thousands(body.len())
            )));
        };
        taken = taken.saturating_add(values.unwrap_or(0).saturating_mul(8));
        if taken > most {
            return Err(too_large(&format!("As numbers, the arrays up to {} take", quoted(&name)), taken as f64, most));
        }
        let shape: Vec<usize> = tensor.shape.iter().map(|&axis| axis as usize).collect();
        let values = match dtype.as_str() {
            // the upper half of a single float
            "BF16" => {
                let single: Vec<u8> =
                    data.as_chunks::<2>().0.iter().flat_map(|[low, high]| [0, 0, *low, *high]).collect();
                npy::of_bytes(&single, b'f', 4, &shape)
            }
            _ => npy::of_bytes(data, kind, size, &shape),
        };
        match values.map_err(|error| error.at(format!(", array {}.", quoted(&name))))? {
            Some(values) => file.columns.push(NamedColumn { file: source.name.to_owned(), name, values }),
            None => file.warnings.push(npy::passed_over(name, &shape)),
        }
        progress((k + 1) as f64 / count as f64);
    }
    if file.columns.is_empty() {
        return Err(Error::new("empty", "The file contains no array with rows.", SAVE));
    }
    Ok(Contents::Columns(file))
}

/// Kind and bytes of one value.
fn element(dtype: &str) -> Option<(u8, usize)> {
    Some(match dtype {
        "F64" => (b'f', 8),
        "F32" => (b'f', 4),
        "F16" | "BF16" => (b'f', 2),
        "I64" => (b'i', 8),
        "I32" => (b'i', 4),
        "I16" => (b'i', 2),
        "I8" => (b'i', 1),
        "U64" => (b'u', 8),
        "U32" => (b'u', 4),
        "U16" => (b'u', 2),
        "U8" => (b'u', 1),
        "BOOL" => (b'b', 1),
        _ => return None,
    })
}

const SAVE: &str = "In Python: `from safetensors.numpy import save_file; save_file({\"probs\": probs, \"labels\": labels}, \
                    \"predictions.safetensors\")`.";

fn unreadable(message: impl Into<Text>) -> Error {
    Error::new("array_unreadable", message, SAVE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{ReadOptions, read, read_with};
    use crate::table::{Matrix, Reals, Values};

    fn file(head: &str, body: &[u8]) -> Vec<u8> {
        [&(head.len() as u64).to_le_bytes(), head.as_bytes(), body].concat()
    }

    /// A head, padded with spaces as the library does, and arrays of every width.
    fn whole() -> Vec<u8> {
        let head = r#"{"__metadata__":{"made":"by hand"},"labels":{"dtype":"I64","shape":[3],"data_offsets":[0,24]},
            "embedding":{"dtype":"F32","shape":[3,2],"data_offsets":[24,48]},"p":{"dtype":"BF16","shape":[3,1],"data_offsets":[48,54]},
            "scale":{"dtype":"F16","shape":[],"data_offsets":[54,56]}}   "#;
        let mut body: Vec<u8> = [0i64, 1, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
        body.extend([1f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()));
        body.extend([0x3f00u16, 0x3e80, 0x3f40].iter().flat_map(|v| v.to_le_bytes()));
        body.extend([0, 0x3c]);
        file(head, &body)
    }

    #[test]
    fn arrays_have_their_names_types_and_shapes() {
        let file = read("a.safetensors", &whole(), &mut |_| ()).unwrap();
        let names: Vec<&str> = file.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["embedding", "labels", "p"]);
        let Values::Matrix(Matrix { width: 2, values: Reals::F32(x) }) = &file.columns[0].values else {
            panic!("{file:?}")
        };
        assert_eq!(x.to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let numbers = |k: usize| match &file.columns[k].values {
            Values::Numbers(numbers) => numbers.to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!((numbers(1), numbers(2)), (vec![0.0, 1.0, 1.0], vec![0.5, 0.25, 0.75]));
        assert_eq!(file.warnings[0].column.as_deref(), Some("scale"));
    }

    #[test]
    fn what_is_damaged_or_too_large_is_an_error_that_names_the_array() {
        let sound = whole();
        for length in 0..sound.len() {
            let cut = sound.get(..length).unwrap();
            let read = read("a.safetensors", cut, &mut |_| ());
            // of the first eight bytes alone nothing says what they were
            assert!(length <= 8 || read.is_err(), "{length}");
        }
        let refusal = |head: &str, body: &[u8]| {
            let error = read("a.safetensors", &file(head, body), &mut |_| ()).unwrap_err();
            format!("{}: {error}", error.code())
        };
        assert_eq!(
            refusal(r#"{"p":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}}"#, &[0; 4]),
            "array_unreadable: Array `p` does not fit its place in the file: 4 bytes follow the head (file `a.safetensors`)."
        );
        assert!(refusal(r#"{"p":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[0,1]}}"#, &[0]).contains("`F8_E5M2`"));
        assert!(
            refusal(r#"{"p":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}"#, &[0; 4]).contains("`p` does not fit")
        );
        assert!(refusal("{\"p\": 3}", b"").starts_with("array_unreadable: The head is not valid"));
        assert!(refusal("{}", b"").starts_with("empty"));
        // many names of the same bytes
        let names: Vec<String> = (0..100)
            .map(|k| format!("\"p{k}\":{{\"dtype\":\"U8\",\"shape\":[1000],\"data_offsets\":[0,1000]}}"))
            .collect();
        let options = ReadOptions { most: Some(1 << 19), ..ReadOptions::default() };
        let bytes = file(&format!("{{{}}}", names.join(",")), &[0; 1000]);
        assert_eq!(read_with("a.safetensors", &bytes, options, &mut |_| ()).unwrap_err().code(), "too_large");
    }
}
