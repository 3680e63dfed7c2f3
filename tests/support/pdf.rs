//! What makes a file a PDF that every reader opens: objects where the table says, streams as long as they say, operators that
//! there are, each state that is saved restored.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Operators that charts are written with.
const OPERATORS: [&str; 27] = [
    "cm", "j", "w", "d", "RG", "rg", "gs", "q", "Q", "m", "l", "c", "re", "S", "f", "b", "BT", "ET", "Tm", "Tf", "Ts",
    "Tj", "Tr", "Do", "B", "h", "n",
];

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|window| window == what).map(|place| from + place)
}

/// The drawing of a page that holds together.
///
/// # Panics
/// Where it does not.
pub fn content(bytes: &[u8]) -> String {
    assert!(bytes.starts_with(b"%PDF-1.4\n") && bytes.ends_with(b"%%EOF\n"), "head and foot");
    let tail = String::from_utf8_lossy(&bytes[bytes.len() - 64..]).into_owned();
    let start: usize = tail.split("startxref\n").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let table = String::from_utf8(bytes[start..].to_vec()).expect("a table in ASCII");
    let mut lines = table.split('\n');
    assert_eq!(lines.next(), Some("xref"));
    let count: usize = lines.next().unwrap().strip_prefix("0 ").unwrap().parse().unwrap();
    assert_eq!(lines.next(), Some("0000000000 65535 f "));
    for number in 1..count {
        let entry = lines.next().unwrap();
        assert_eq!(entry.len(), 19, "an entry has 20 bytes with its end of line: {entry}");
        let offset: usize = entry[..10].parse().unwrap();
        assert!(bytes[offset..].starts_with(format!("{number} 0 obj\n").as_bytes()), "object {number}");
        let end = find(bytes, b"endobj\n", offset).expect("its end");
        let Some(stream) = find(&bytes[..end], b"stream\n", offset) else { continue };
        let head = String::from_utf8_lossy(&bytes[offset..stream]).into_owned();
        let length = head.split("/Length ").nth(1).unwrap();
        let length: usize = length.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
        assert!(bytes[stream + 7 + length..].starts_with(b"\nendstream\nendobj\n"), "length of object {number}");
    }
    assert!(lines.next().is_some_and(|line| line == "trailer"));
    let stream = find(bytes, b"stream\n", find(bytes, b"\n4 0 obj\n", 0).unwrap()).unwrap() + 7;
    let mut drawn = String::new();
    ZlibDecoder::new(&bytes[stream..]).read_to_string(&mut drawn).expect("a drawing");
    let (mut depth, mut within) = (0, false);
    for line in drawn.lines() {
        // strings hold any words; a bracket in them is escaped
        let (before, after) = match (line.find('('), line.rfind(") Tj")) {
            (Some(open), Some(close)) => (&line[..open], &line[close + 1..]),
            _ => (line, ""),
        };
        for word in before.split_whitespace().chain(after.split_whitespace()) {
            let operand = word.starts_with(['/', '[']) || word.ends_with(']') || word.parse::<f64>().is_ok();
            assert!(operand || OPERATORS.contains(&word), "{word} in {line}");
            assert!(word.parse::<f64>().is_ok_and(f64::is_finite) || word.parse::<f64>().is_err(), "{line}");
            match word {
                "q" => depth += 1,
                "Q" => depth -= 1,
                "BT" | "ET" => {
                    assert_eq!(within, word == "ET", "{line}");
                    within = word == "BT";
                }
                _ => (),
            }
            assert!(depth >= 0, "{line}");
        }
    }
    assert!(depth == 0 && !within, "every state is restored");
    drawn
}
