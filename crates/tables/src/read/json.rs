//! JSON: one record a line, a list of records, or an object of equally long lists.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::levels::Levels;
use super::{Contents, Format, ReadFile, Source, distinct_names, thousands, too_large};
use crate::error::{Error, Result, phrases};
use crate::table::values::EXACT_INTEGERS;
use crate::table::{Column, Matrix, NamedColumn, Reals, Values, Warning};
use crate::words::text::counted;

/// Fields of a record that name the classes of its scores.
const CLASS_NAMES: [&str; 3] = ["classes", "class_names", "labels"];

/// Records between two reports of progress.
const PART: usize = 1 << 13;

pub(super) const FORMAT: Format =
    Format { endings: &["json", "jsonl", "ndjson"], recognizes: |source| is_json(source.bytes), read };

/// An object, or a list of what JSON can hold; a table may begin with `[` as well.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    if bytes.iter().take(8).any(|&byte| byte == 0) {
        return false;
    }
    let mut written = without_mark(bytes).iter().filter(|byte| !byte.is_ascii_whitespace());
    match written.next() {
        Some(b'{') => true,
        Some(b'[') => matches!(written.next(), Some(b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9')),
        _ => false,
    }
}

pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Columns of the file: fields of records by name, those of objects inside a record as `outer.inner`; a list of numbers
/// in every record becomes a matrix.
///
/// # Errors
/// `table_unreadable` with the line for what is no JSON; `empty` without records.
fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let bytes = &*strict(without_mark(source.bytes));
    refuse_own(bytes)?;
    refuse_without_confidence(bytes)?;
    let mut table = Records { header: source.options.header, ..Records::of_most(source.options.most()) };
    if bytes.trim_ascii_start().starts_with(b"[") {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        (&mut table).deserialize(&mut json).and_then(|()| json.end()).map_err(|error| unreadable(&error))?;
    } else {
        let mut lines = serde_json::Deserializer::from_slice(bytes).into_iter::<JsonCell>();
        let mut first = None;
        while let Some(record) = lines.next() {
            let record = record.map_err(|error| unreadable(&error))?;
            if let Some(first) = first.replace(record) {
                table.push(first);
            }
            if table.rows.is_multiple_of(PART) {
                progress(lines.byte_offset() as f64 / bytes.len() as f64);
            }
        }
        match first {
            Some(only) if table.rows == 0 => table = of_one_object(only, source.options.most()),
            Some(last) => table.push(last),
            None => {}
        }
    }
    progress(1.0);
    table.columns(source.name).map(Contents::Columns)
}

/// Refuses files of this program that hold no rows: as a table of one row they would be joined with another file.
fn refuse_own(bytes: &[u8]) -> Result<()> {
    #[derive(Deserialize)]
    struct Own {
        schema: String,
    }
    if memchr::memmem::find(bytes, b"\"localcal-").is_none() {
        return Ok(());
    }
    let (what, hint) = match serde_json::from_slice::<Own>(bytes) {
        Ok(own) if own.schema.starts_with("localcal-calibrator/") => {
            ("This file is a calibrator: it stores fitted methods, but no rows.", phrases::CALIBRATOR_APPLIED)
        }
        Ok(own) if own.schema.starts_with("localcal-session/") => {
            ("This file is a session: it stores settings and results, but no rows.", phrases::SESSION_NEEDED)
        }
        _ => return Ok(()),
    };
    Err(Error::new("file_unknown", what, hint))
}

/// Refuses logs of evaluations of language models that have no confidence, by fields of their first object.
fn refuse_without_confidence(bytes: &[u8]) -> Result<()> {
    /// Programs, and fields of their logs: one somewhere, two of the first object.
    const PROGRAMS: [(&str, &str, [&str; 2]); 3] = [
        ("promptfoo", "\"gradingResult\"", ["evalId", "results"]),
        ("DeepEval", "\"metricsData\"", ["testCases", "metricsScores"]),
        ("OpenAI Evals", "\"completion_fns\"", ["spec", "spec"]),
    ];
    let somewhere = |field: &str| memchr::memmem::find(bytes, field.as_bytes()).is_some();
    let Some((program, _, fields)) = PROGRAMS.iter().find(|(_, field, _)| somewhere(field)) else { return Ok(()) };
    let first = serde_json::Deserializer::from_slice(bytes).into_iter::<HashMap<String, IgnoredAny>>().next();
    let Some(Ok(first)) = first else { return Ok(()) };
    if !fields.iter().all(|field| first.contains_key(*field)) {
        return Ok(());
    }
    Err(Error::new(
        "file_unknown",
        format!("This file is a log of {program}: it says which answers passed, but not how confident the model was."),
        "Write a line for each answer with the model's confidence and whether it was correct: \
         {\"id\": \"q1\", \"confidence\": 0.83, \"correct\": true}.",
    ))
}

/// The bytes with `null` in place of the numbers that Python writes although JSON has none of them: `NaN`, `Infinity`,
/// `-Infinity`, outside texts. They are missing values.
///
/// # Cost
/// O(bytes); a copy where there is one.
pub(super) fn strict(bytes: &[u8]) -> Cow<'_, [u8]> {
    const NONE: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];
    if memchr::memmem::find(bytes, b"NaN").is_none() && memchr::memmem::find(bytes, b"Infinity").is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(place) = rest.iter().position(|byte| matches!(byte, b'"' | b'N' | b'I' | b'-')) {
        let (before, from) = rest.split_at(place);
        out.extend_from_slice(before);
        let length = match NONE.iter().find(|none| from.starts_with(none)) {
            Some(none) => {
                out.extend_from_slice(b"null");
                none.len()
            }
            None => {
                let length = if from.starts_with(b"\"") { text_length(from) } else { 1 };
                out.extend_from_slice(from.get(..length).unwrap_or(from));
                length
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

/// Bytes of the text that begins here, with its quotes; up to the end where it does not end.
pub(super) fn text_length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    let end = bytes.iter().skip(1).position(|byte| match (escaped, byte) {
        (true, _) => {
            escaped = false;
            false
        }
        (false, b'\\') => {
            escaped = true;
            false
        }
        (false, byte) => *byte == b'"',
    });
    end.map_or(bytes.len(), |end| end + 2)
}

pub(super) fn unreadable(error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let said = text.split(" at line ").next().unwrap_or_default();
    Error::new(
        "table_unreadable",
        format!("Invalid JSON in line {}, column {}: {said}.", thousands(error.line()), thousands(error.column())),
        if error.is_eof() {
            "The file ends within a value: writing it may have been interrupted. Complete it, or remove its last line."
        } else {
            "Use one object per line (JSON Lines), a list of objects, or an object of equally long lists."
        },
    )
}

/// What stands at one place of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum JsonCell {
    #[default]
    Missing,
    Number(f64),
    Text(String),
    List(Vec<JsonCell>),
    Fields(Vec<(String, JsonCell)>),
}

impl<'de> Deserialize<'de> for JsonCell {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = JsonCell;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_unit<E>(self) -> std::result::Result<JsonCell, E> {
        Ok(JsonCell::Missing)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<JsonCell, E> {
        Ok(JsonCell::Number(f64::from(u8::from(value))))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<JsonCell, E> {
        Ok(if value <= EXACT_INTEGERS { JsonCell::Number(value as f64) } else { JsonCell::Text(value.to_string()) })
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<JsonCell, E> {
        Ok(if value.unsigned_abs() <= EXACT_INTEGERS {
            JsonCell::Number(value as f64)
        } else {
            JsonCell::Text(value.to_string())
        })
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<JsonCell, E> {
        Ok(JsonCell::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<JsonCell, E> {
        Ok(if value.trim().is_empty() { JsonCell::Missing } else { JsonCell::Text(value.to_owned()) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<JsonCell, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(JsonCell::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> std::result::Result<JsonCell, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = entries.next_entry()? {
            fields.push(field);
        }
        Ok(JsonCell::Fields(last_of_each(fields)))
    }
}

/// Fields of which each name stands once, with the last of its values, as Python and JavaScript read them. O(fields).
fn last_of_each(mut fields: Vec<(String, JsonCell)>) -> Vec<(String, JsonCell)> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(fields.len());
    let mut repeated = Vec::new();
    for (k, (name, _)) in fields.iter().enumerate() {
        match places.entry(name) {
            Entry::Occupied(first) => repeated.push((*first.get(), k)),
            Entry::Vacant(place) => {
                place.insert(k);
            }
        }
    }
    for &(first, k) in &repeated {
        let value = fields.get_mut(k).map(|(_, value)| std::mem::take(value)).unwrap_or_default();
        if let Some((_, known)) = fields.get_mut(first) {
            *known = value;
        }
    }
    let mut later = repeated.iter().map(|(_, k)| *k).peekable();
    let mut k = 0;
    fields.retain(|_| {
        let kept = later.next_if_eq(&k).is_none();
        k += 1;
        kept
    });
    fields
}

impl JsonCell {
    /// The items of a list, or the values of an object whose keys number its rows.
    fn items(self) -> Option<Vec<JsonCell>> {
        match self {
            JsonCell::List(items) => Some(items),
            JsonCell::Fields(fields) => Some(fields.into_iter().map(|(_, value)| value).collect()),
            _ => None,
        }
    }

    /// True for a list whose items are records.
    fn has_records(&self) -> bool {
        matches!(self, JsonCell::List(items) if matches!(items.first(), Some(JsonCell::Fields(_))))
    }
}

/// A single object is a table of columns, names and rows apart, a list of records under a name, or one record.
fn of_one_object(object: JsonCell, most: u64) -> Records {
    let mut table = Records::of_most(most);
    let JsonCell::Fields(mut fields) = object else {
        table.push(object);
        return table;
    };
    let take = |fields: &mut Vec<(String, JsonCell)>, name: &str| {
        let value = fields.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value);
        value.and_then(|value| std::mem::replace(value, JsonCell::Missing).items()).unwrap_or_default()
    };
    let has = |name: &str| fields.iter().any(|(known, _)| known == name);
    if has("columns") && has("data") {
        let (names, rows) = (take(&mut fields, "columns"), take(&mut fields, "data"));
        let names: Vec<String> =
            names.into_iter().map(|name| if let JsonCell::Text(name) = name { name } else { String::new() }).collect();
        for row in rows {
            let cells = row.items().unwrap_or_default();
            table.push(JsonCell::Fields(names.iter().cloned().zip(cells).collect()));
        }
        return table;
    }
    let of_records: Vec<usize> =
        (fields.iter().enumerate()).filter(|(_, (_, value))| value.has_records()).map(|(k, _)| k).collect();
    if let [only] = of_records.as_slice() {
        for record in fields.swap_remove(*only).1.items().unwrap_or_default() {
            table.push(record);
        }
        return table;
    }
    if are_rows(&fields) {
        let numbered = (0..).zip(&fields).all(|(row, (key, _))| key.parse::<usize>().ok() == Some(row));
        for (key, record) in fields {
            let JsonCell::Fields(mut record) = record else { continue };
            if !numbered {
                record.insert(0, ("index".to_owned(), JsonCell::Text(key)));
            }
            table.push(JsonCell::Fields(record));
        }
        return table;
    }
    let columns = fields.iter().all(|(_, value)| matches!(value, JsonCell::List(_) | JsonCell::Fields(_)));
    if let Some(rows) = of_all_rows(&fields).filter(|_| !columns) {
        // what is said once is said of every row: `"model": "xgb"`
        for (name, value) in &mut fields {
            if matches!(value, JsonCell::Number(_) | JsonCell::Text(_)) {
                *value = JsonCell::List(vec![value.clone(); rows]);
            } else if *value == JsonCell::Missing {
                name.clear();
            }
        }
        fields.retain(|(name, _)| !name.is_empty());
    } else if !columns || fields.is_empty() {
        table.push(JsonCell::Fields(fields));
        return table;
    }
    for (name, values) in fields {
        let place = table.place(&name);
        for (row, value) in values.items().unwrap_or_default().into_iter().enumerate() {
            table.set(place, row, value);
            table.rows = table.rows.max(row + 1);
        }
    }
    table
}

/// The number of rows where two fields or more are lists of as many numbers or texts, and the others single values.
fn of_all_rows(fields: &[(String, JsonCell)]) -> Option<usize> {
    let single = |value: &JsonCell| matches!(value, JsonCell::Number(_) | JsonCell::Text(_) | JsonCell::Missing);
    let mut lengths = Vec::new();
    for (_, value) in fields {
        match value {
            JsonCell::List(items) if items.len() > 1 && items.iter().all(single) => lengths.push(items.len()),
            value if single(value) => {}
            _ => return None,
        }
    }
    let first = lengths.first().copied()?;
    (lengths.len() > 1 && lengths.iter().all(|length| *length == first)).then_some(first)
}

/// Whether the fields of an object are rows by their names, as pandas writes them by `orient="index"`, and not columns by
/// theirs: what numbers the rows, or is longer, is the index.
fn are_rows(fields: &[(String, JsonCell)]) -> bool {
    let inner: Option<Vec<&[(String, JsonCell)]>> = fields
        .iter()
        .map(|(_, value)| if let JsonCell::Fields(inner) = value { Some(inner.as_slice()) } else { None })
        .collect();
    let Some(inner) = inner else { return false };
    let numbers = |fields: &[(String, JsonCell)]| fields.iter().all(|(key, _)| key.parse::<u64>().is_ok());
    let most = inner.iter().map(|inner| inner.len()).max().unwrap_or(0);
    match (numbers(fields), inner.iter().all(|inner| numbers(inner))) {
        (_, true) => false,
        (true, false) => true,
        (false, false) => fields.len() > most,
    }
}

/// Names of the classes in the order of their scores, where a record has both: `classes` beside `scores` (Vertex AI),
/// `labels` in another order in every record (Hugging Face).
fn class_names(fields: &[(String, JsonCell)]) -> Option<Vec<String>> {
    let names = fields.iter().find_map(|(name, value)| match value {
        JsonCell::List(items) if CLASS_NAMES.contains(&name.as_str()) => texts(items),
        _ => None,
    })?;
    let distinct: HashSet<&String> = names.iter().collect();
    let scores = |(_, value): &(String, JsonCell)| match value {
        JsonCell::List(items) => items.len() == names.len() && numbers(items).is_some(),
        _ => false,
    };
    (names.len() > 1 && distinct.len() == names.len() && fields.iter().any(scores)).then_some(names)
}

/// Scores with the names of their classes; `None` for the names themselves.
fn by_class(value: JsonCell, classes: &[String]) -> Option<JsonCell> {
    match value {
        JsonCell::List(items) if texts(&items).is_some_and(|names| names == classes) => None,
        JsonCell::List(items) if items.len() == classes.len() && numbers(&items).is_some() => {
            Some(JsonCell::Fields(classes.iter().cloned().zip(items).collect()))
        }
        other => Some(other),
    }
}

/// The items of a list of texts.
fn texts(items: &[JsonCell]) -> Option<Vec<String>> {
    let text = |item: &JsonCell| if let JsonCell::Text(text) = item { Some(text.clone()) } else { None };
    items.iter().map(text).collect()
}

/// Scores by label, `[{"label": "spam", "score": 0.9}, …]` as pipelines of Hugging Face write those of one row, and
/// BigQuery ML with `prob`, as fields.
fn by_label(items: &[JsonCell]) -> Option<Vec<(String, JsonCell)>> {
    let one = |item: &JsonCell| {
        let JsonCell::Fields(fields) = item else { return None };
        match fields.as_slice() {
            [(label, JsonCell::Text(name)), (score, value @ JsonCell::Number(_))]
                if label == "label" && (score == "score" || score == "prob") =>
            {
                Some((name.clone(), value.clone()))
            }
            _ => None,
        }
    };
    items.iter().map(one).collect::<Option<Vec<_>>>().filter(|fields| !fields.is_empty())
}

/// Columns of texts that are JSON objects of numbers, or scores by label, as columns of these: structures of Parquet
/// and nested predictions in a table of text. Other columns, and evaluation logs, are not changed.
///
/// * `most`: bytes that they may take as numbers
pub(super) fn with_fields_opened(mut file: ReadFile, most: u64) -> ReadFile {
    if file.log.is_none() {
        let columns = std::mem::take(&mut file.columns);
        file.columns =
            columns.into_iter().flat_map(|column| fields_of(&column, most).unwrap_or_else(|| vec![column])).collect();
    }
    file
}

fn fields_of(column: &NamedColumn, most: u64) -> Option<Vec<NamedColumn>> {
    let Values::Text { codes, levels } = &column.values else { return None };
    let opened = |text: &str| match serde_json::from_str(text.trim()).ok()? {
        JsonCell::List(items) => by_label(&items),
        JsonCell::Fields(fields) => {
            let number = |(_, value): &(String, JsonCell)| matches!(value, JsonCell::Number(_) | JsonCell::Missing);
            // Snowflake writes the predicted class beside the probabilities of all.
            let scores = |(_, value): &(String, JsonCell)| match value {
                JsonCell::Fields(inner) => {
                    inner.len() > 1 && inner.iter().all(|(_, x)| matches!(x, JsonCell::Number(_)))
                }
                _ => false,
            };
            let opens = class_names(&fields).is_some() || fields.iter().all(number) || fields.iter().any(scores);
            opens.then_some(fields)
        }
        _ => None,
    };
    let structure = |text: &str| text.trim_start().starts_with(['{', '[']);
    let fields = levels.iter().map(|text| structure(text).then(|| opened(text)).flatten());
    let fields: Vec<Vec<(String, JsonCell)>> = fields.collect::<Option<_>>()?;
    let mut records = Records::of_most(most);
    for (row, &code) in codes.iter().enumerate() {
        records.put(row, &column.name, fields.get(code as usize).cloned().unwrap_or_default());
        records.rows += 1;
    }
    records.columns(&column.file).ok().map(|file| file.columns)
}

/// Columns while records come.
#[derive(Default)]
pub(super) struct Records {
    rows: usize,
    names: Vec<String>,
    places: HashMap<String, usize>,
    columns: Vec<Building>,
    /// bytes that the columns may take as numbers: each record can name new ones, which are as long as the table
    most: u64,
    /// numbers of a row: one a column, several where a column holds lists
    width: usize,
    /// more of them than that are refused at the end
    too_many: bool,
    /// whether the first of records that are lists holds names; `None`: where it holds texts, and the next one has a number
    header: Option<bool>,
    /// a first list of texts, until the next record tells what it is
    first: Option<Vec<JsonCell>>,
    /// what names the items of records that are lists
    of_items: Vec<String>,
}

/// A column while records come.
enum Building {
    /// so many rows, and all missing
    Missing(usize),
    Numbers(Vec<f64>),
    Text(Levels, usize),
    /// row-major
    Lists {
        width: usize,
        values: Vec<f64>,
    },
    /// values that go into no column
    PassedOver,
}

impl<'de> DeserializeSeed<'de> for &mut Records {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> std::result::Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Records {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<(), A::Error> {
        while let Some(record) = items.next_element()? {
            self.push(record);
        }
        Ok(())
    }
}

impl Records {
    /// No record yet, of columns that may take so many bytes.
    pub(super) fn of_most(most: u64) -> Self {
        Self { most, ..Self::default() }
    }

    /// Appends a record; values without a name are called by their place.
    pub(super) fn push(&mut self, record: JsonCell) {
        if self.too_many {
            return;
        }
        if let Some(first) = self.first.take() {
            let has_number = |items: &Vec<JsonCell>| items.iter().any(|item| matches!(item, JsonCell::Number(_)));
            let below = matches!(&record, JsonCell::List(items) if items.len() == first.len() && has_number(items));
            match self.header.unwrap_or(below) {
                true => self.of_items = texts(&first).unwrap_or_default(),
                false => self.put_list(first),
            }
        }
        let row = self.rows;
        match record {
            JsonCell::Fields(fields) => self.put(row, "", fields),
            JsonCell::List(items) => match by_label(&items) {
                Some(scores) => self.put(row, "prob", scores),
                None if row == 0 && self.of_items.is_empty() && texts(&items).is_some() => {
                    self.first = Some(items);
                    return;
                }
                None => return self.put_list(items),
            },
            other => self.put(row, "", vec![("column 1".to_owned(), other)]),
        }
        self.rows += 1;
        self.too_many = self.bytes() > self.most;
    }

    /// Appends a record that is a list.
    fn put_list(&mut self, items: Vec<JsonCell>) {
        let name = |k: usize| self.of_items.get(k).cloned().unwrap_or_else(|| format!("column {}", k + 1));
        let named = items.into_iter().enumerate().map(|(k, item)| (name(k), item)).collect();
        self.put(self.rows, "", named);
        self.rows += 1;
        self.too_many = self.bytes() > self.most;
    }

    /// Bytes of the columns as numbers, however few of them have a value.
    fn bytes(&self) -> u64 {
        (self.rows as u64).saturating_mul(8 * self.width as u64)
    }

    fn put(&mut self, row: usize, outer: &str, mut fields: Vec<(String, JsonCell)>) {
        if let Some(classes) = class_names(&fields) {
            fields = fields.into_iter().filter_map(|(name, value)| Some((name, by_class(value, &classes)?))).collect();
        }
        for (name, value) in fields {
            let name = if outer.is_empty() { name } else { format!("{outer}.{name}") };
            match value {
                JsonCell::Fields(inner) => self.put(row, &name, inner),
                JsonCell::List(items) => match by_label(&items) {
                    Some(scores) => self.put(row, &name, scores),
                    None => self.put_cell(row, &name, JsonCell::List(items)),
                },
                value => self.put_cell(row, &name, value),
            }
        }
    }

    fn put_cell(&mut self, row: usize, name: &str, value: JsonCell) {
        let place = self.place(name);
        self.set(place, row, value);
    }

    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.places.insert(name.to_owned(), self.columns.len());
        self.names.push(name.to_owned());
        self.columns.push(Building::Missing(0));
        self.width += 1;
        self.columns.len() - 1
    }

    fn set(&mut self, place: usize, row: usize, value: JsonCell) {
        if let Some(column) = self.columns.get_mut(place) {
            // the first list of a column fills the rows before it, each as wide
            if let (Building::Missing(_), JsonCell::List(items)) = (&*column, &value) {
                let width = self.width + items.len().saturating_sub(1);
                if (row as u64 + 1).saturating_mul(8 * width as u64) > self.most {
                    self.too_many = true;
                    return;
                }
                self.width = width;
            }
            column.fill(row);
            column.push(row, value);
        }
    }

    /// # Errors
    /// `empty` without records or without a column.
    pub(super) fn columns(mut self, file_name: &str) -> Result<ReadFile> {
        if let Some(first) = self.first.take() {
            self.put_list(first);
        }
        if self.too_many {
            let what = format!(
                "As columns, the first {} with their {} names take",
                counted(self.rows, "record"),
                thousands(self.columns.len())
            );
            return Err(too_large(&what, self.bytes() as f64, self.most));
        }
        let mut file = ReadFile { name: file_name.to_owned(), ..ReadFile::default() };
        let names = distinct_names(self.names);
        for (mut column, name) in self.columns.into_iter().zip(names) {
            column.fill(self.rows);
            match column.into_values() {
                Some(values) => file.columns.push(NamedColumn { file: file_name.to_owned(), name, values }),
                None => file.warnings.push(Warning {
                    code: "array_passed_over".into(),
                    message: format!(
                        "Values that are neither numbers, texts nor equally long lists of numbers were ignored: \
                         `{name}`."
                    ),
                    row: None,
                    column: Some(name),
                }),
            }
        }
        if file.columns.is_empty() {
            return Err(Error::new(
                "empty",
                "The JSON contains no records.",
                "Use one object per prediction, with its probability and outcome.",
            ));
        }
        Ok(file)
    }
}

impl Building {
    fn rows(&self) -> usize {
        match self {
            Building::Missing(rows) | Building::Text(_, rows) => *rows,
            Building::Numbers(values) => values.len(),
            Building::Lists { width, values } => values.len() / (*width).max(1),
            Building::PassedOver => usize::MAX,
        }
    }

    /// Appends missing values until there are `rows`.
    fn fill(&mut self, rows: usize) {
        while self.rows() < rows {
            match self {
                Building::Missing(known) => *known = rows,
                Building::Numbers(values) => values.resize(rows, f64::NAN),
                Building::Text(levels, known) => {
                    levels.push_missing();
                    *known += 1;
                }
                Building::Lists { width, values } => values.resize(rows * *width, f64::NAN),
                Building::PassedOver => {}
            }
        }
    }

    /// Sets the value of `row`, before which every row has one; a name that comes twice in a record counts once.
    fn push(&mut self, row: usize, value: JsonCell) {
        if self.rows() > row {
            return;
        }
        match (&mut *self, value) {
            (_, JsonCell::Missing) => self.fill(row + 1),
            (Building::Missing(rows), JsonCell::Number(value)) => {
                let mut values = vec![f64::NAN; *rows];
                values.push(value);
                *self = Building::Numbers(values);
            }
            (Building::Numbers(values), JsonCell::Number(value)) => values.push(value),
            (Building::Text(levels, rows), JsonCell::Number(value)) => {
                levels.push(&value.to_string());
                *rows += 1;
            }
            (Building::Text(levels, rows), JsonCell::Text(text)) => {
                levels.push(&text);
                *rows += 1;
            }
            (Building::Missing(_) | Building::Numbers(_), JsonCell::Text(text)) => {
                self.become_text();
                self.push(row, JsonCell::Text(text));
            }
            (Building::Missing(rows), JsonCell::List(items)) => match numbers(&items) {
                Some(list) if !list.is_empty() => {
                    let mut values = vec![f64::NAN; *rows * list.len()];
                    values.extend(&list);
                    *self = Building::Lists { width: list.len(), values };
                }
                _ => *self = Building::PassedOver,
            },
            (Building::Lists { width, values }, JsonCell::List(items)) => match numbers(&items) {
                Some(list) if list.len() == *width => values.extend(&list),
                _ => *self = Building::PassedOver,
            },
            _ => *self = Building::PassedOver,
        }
    }

    fn become_text(&mut self) {
        let mut levels = Levels::default();
        let rows = self.rows();
        let missing = vec![f64::NAN; rows];
        let values = if let Building::Numbers(values) = self { &*values } else { &missing };
        for value in values {
            if value.is_nan() { levels.push_missing() } else { levels.push(&value.to_string()) }
        }
        *self = Building::Text(levels, rows);
    }

    fn into_values(self) -> Option<Values> {
        match self {
            Building::Missing(rows) => Some(Values::Numbers(Column::from(vec![f64::NAN; rows]))),
            Building::Numbers(values) | Building::Lists { width: 1, values } => {
                Some(Values::Numbers(Column::from(values)))
            }
            Building::Text(levels, _) => Some(levels.into_values()),
            Building::Lists { width, values } => {
                Some(Values::Matrix(Matrix { width, values: Reals::F64(Column::from(values)) }))
            }
            Building::PassedOver => None,
        }
    }
}

/// The items of a list of numbers, NaN where one is missing.
fn numbers(items: &[JsonCell]) -> Option<Vec<f64>> {
    let number = |item: &JsonCell| match item {
        JsonCell::Number(value) => Some(*value),
        JsonCell::Missing => Some(f64::NAN),
        _ => None,
    };
    items.iter().map(number).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, read as read_file, read_with};

    fn file(text: &str) -> ReadFile {
        read_file("log.jsonl", text.as_bytes(), &mut |_| {}).unwrap()
    }

    /// Every column as its name and cells, missing ones as `-`.
    fn cells(file: &ReadFile) -> Vec<String> {
        let cell = |value: f64| if value.is_nan() { "-".to_owned() } else { value.to_string() };
        let values = |values: &Values| match values {
            Values::Numbers(values) => values.iter().map(|v| cell(*v)).collect::<Vec<_>>().join(" "),
            Values::Text { codes, levels } => codes.iter().map(|c| levels.text(*c)).collect::<Vec<_>>().join("|"),
            Values::Matrix(Matrix { width, values: Reals::F64(values) }) => {
                let rows = values.chunks(*width).map(|row| row.iter().map(|v| cell(*v)).collect::<Vec<_>>().join(","));
                rows.collect::<Vec<_>>().join(" ")
            }
            Values::Matrix(_) => panic!("64 bit expected"),
        };
        file.columns.iter().map(|column| format!("{}: {}", column.name, values(&column.values))).collect()
    }

    #[test]
    fn files_of_the_program_without_rows_say_what_they_are() {
        for (schema, what) in [("localcal-calibrator/1", "a calibrator"), ("localcal-session/1", "a session")] {
            let text = format!(r#"{{"methods": [], "schema": "{schema}"}}"#);
            let error = read_file("some.json", text.as_bytes(), &mut |_| {}).unwrap_err();
            assert_eq!(error.code(), "file_unknown");
            assert!(error.to_string().starts_with(&format!("This file is {what}")), "{error}");
        }
        // the words alone are a text like any other
        assert_eq!(cells(&file(r#"{"p": [0.1], "schema": ["localcal-calibrator/1"]}"#)).len(), 2);
    }

    #[test]
    fn logs_without_a_confidence_say_what_they_are() {
        for (text, program) in [
            (
                r#"{"evalId": "a", "results": {"results": [{"gradingResult": {"pass": true}, "success": true}]}}"#,
                "promptfoo",
            ),
            (r#"{"testCases": [{"success": true, "metricsData": []}], "metricsScores": []}"#, "DeepEval"),
            (
                "{\"spec\": {\"completion_fns\": [\"a\"]}}\n{\"type\": \"match\", \"data\": {\"correct\": true}}",
                "OpenAI Evals",
            ),
        ] {
            let error = read_file("log.json", text.as_bytes(), &mut |_| {}).unwrap_err();
            assert_eq!(error.code(), "file_unknown");
            assert!(error.to_string().starts_with(&format!("This file is a log of {program}: ")), "{error}");
        }
        assert_eq!(cells(&file(r#"[{"p": 0.1, "note": "\"gradingResult\""}]"#)).len(), 2);
    }

    #[test]
    fn records_in_every_layout_are_the_same_table() {
        let wanted = ["p: 0.1 0.95", "y: 0 1", "ward: ICU|"];
        for text in [
            "{\"p\": 0.1, \"y\": false, \"ward\": \"ICU\"}\n{\"p\": 0.95, \"y\": true, \"ward\": null}\n",
            "[{\"p\": 0.1, \"y\": 0, \"ward\": \"ICU\"}, {\"p\": 0.95, \"y\": 1}]",
            "\u{feff}{\"p\": [0.1, 0.95], \"y\": [0, 1], \"ward\": [\"ICU\", null]}",
            "{\"p\": {\"0\": 0.1, \"1\": 0.95}, \"y\": {\"0\": 0, \"1\": 1}, \"ward\": {\"0\": \"ICU\", \"1\": null}}",
            "{\"columns\": [\"p\", \"y\", \"ward\"], \"index\": [0, 1], \"data\": [[0.1, 0, \"ICU\"], [0.95, 1, null]]}",
            "{\"model\": \"a\", \"predictions\": [{\"p\": 0.1, \"y\": 0, \"ward\": \"ICU\"}, {\"p\": 0.95, \"y\": 1}]}",
        ] {
            assert_eq!(cells(&file(text)), wanted, "{text}");
        }
    }

    #[test]
    fn the_first_of_lists_may_hold_names() {
        let text = r#"[["p", "y"], [0.1, 0], [0.9, 1]]"#;
        assert_eq!(cells(&file(text)), ["p: 0.1 0.9", "y: 0 1"]);
        assert_eq!(cells(&file(r#"[["a", "b"], ["c", "d"]]"#)), ["column 1: a|c", "column 2: b|d"]);
        assert_eq!(cells(&file(r#"[["a", "b"]]"#)), ["column 1: a", "column 2: b"]);
        let with = |header| {
            let options = ReadOptions { header: Some(header), ..ReadOptions::default() };
            cells(&read_with("log.json", text.as_bytes(), options, &mut |_| ()).unwrap())
        };
        assert_eq!(with(true), ["p: 0.1 0.9", "y: 0 1"]);
        assert_eq!(with(false)[0], "column 1: p|0.1|0.9");
    }

    #[test]
    fn of_a_name_that_stands_twice_in_a_record_the_last_value_counts() {
        let text =
            r#"[{"p": 0.1, "y": 0, "p": 0.3, "p": 0.2}, {"y": 1, "p": 0.7, "y": 0}, {"p": 0.5, "p": null, "y": 1}]"#;
        assert_eq!(cells(&file(text)), ["p: 0.2 0.7 -", "y: 0 0 1"]);
    }

    #[test]
    fn predictions_in_cells_of_a_table_are_columns() {
        let of = |first: &str, second: &str| {
            let quoted = |cell: &str| cell.replace('"', "\"\"");
            cells(&file(&format!("y,p\n1,\"{}\"\n0,\"{}\"\n", quoted(first), quoted(second))))
        };
        let wanted = ["y: 1 0", "p.no: 0.3 0.6", "p.yes: 0.7 0.4"];
        assert_eq!(of(r#"{"no": 0.3, "yes": 0.7}"#, r#"{"no": 0.6, "yes": 0.4}"#), wanted);
        let by_label = r#"[{"label": "no", "prob": 0.6}, {"label": "yes", "prob": 0.4}]"#;
        assert_eq!(of(r#"{"no": 0.3, "yes": 0.7}"#, by_label), wanted);
        let of_snowflake =
            |no: f64| format!(r#"{{"class": "no", "logs": null, "probability": {{"no": {no}, "yes": 0.25}}}}"#);
        assert!(of(&of_snowflake(0.75), &of_snowflake(0.5)).contains(&"p.probability.no: 0.75 0.5".to_owned()));
        assert_eq!(of(r#"{"note": "a"}"#, r#"{"note": "b"}"#)[1], r#"p: {"note": "a"}|{"note": "b"}"#);
    }

    #[test]
    fn objects_of_rows_are_told_from_objects_of_columns() {
        for (text, wanted) in [
            ("{\"0\": {\"y\": 1, \"p\": 0.3}, \"1\": {\"y\": 0, \"p\": 0.2}}", &["y: 1 0", "p: 0.3 0.2"][..]),
            ("{\"7\": {\"y\": 1}, \"3\": {\"y\": 0}}", &["index: 7|3", "y: 1 0"]),
            ("{\"a\": {\"y\": 1}, \"b\": {\"y\": 0}}", &["index: a|b", "y: 1 0"]),
            (
                "{\"y\": {\"a\": 1, \"b\": 0, \"c\": 1}, \"p\": {\"a\": 0.3, \"b\": 0.2, \"c\": 0.1}}",
                &["y: 1 0 1", "p: 0.3 0.2 0.1"],
            ),
            ("{\"0\": {\"0\": 1, \"1\": 0}, \"1\": {\"0\": 0.3, \"1\": 0.2}}", &["0: 1 0", "1: 0.3 0.2"]),
        ] {
            assert_eq!(cells(&file(text)), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_said_once_is_said_of_every_row() {
        let columns =
            file("{\"y_true\": [0, 1, 1], \"y_prob\": [0.1, 0.7, 0.4], \"threshold\": 0.5, \"model\": \"xgb\"}");
        assert_eq!(
            cells(&columns),
            cells(&file("y_true,y_prob,threshold,model\n0,0.1,0.5,xgb\n1,0.7,0.5,xgb\n1,0.4,0.5,xgb\n"))
        );
    }

    #[test]
    fn scores_by_label_are_columns() {
        let scores = |spam: f64| {
            format!("[{{\"label\": \"spam\", \"score\": {spam}}}, {{\"label\": \"ham\", \"score\": {}}}]", 1.0 - spam)
        };
        let listed = format!("[{}, {}]", scores(0.25), scores(0.5));
        assert_eq!(cells(&file(&listed)), ["prob.spam: 0.25 0.5", "prob.ham: 0.75 0.5"]);
        let beside = format!("[{{\"truth\": \"ham\", \"scores\": {}}}]", scores(0.25));
        assert_eq!(cells(&file(&beside)), ["truth: ham", "scores.spam: 0.25", "scores.ham: 0.75"]);
    }

    #[test]
    fn lists_are_matrices_and_objects_have_longer_names() {
        let text = "{\"probs\": [0.2, 0.8], \"meta\": {\"id\": 12345678901234567, \"kind\": \"a\"}, \"tags\": [\"x\"]}\n\
                    {\"probs\": [0.5, null], \"meta\": {\"id\": 3, \"kind\": 2}, \"tags\": [\"x\", \"y\"]}";
        let file = file(text);
        assert_eq!(cells(&file), ["probs: 0.2,0.8 0.5,-", "meta.id: 12345678901234567|3", "meta.kind: a|2"]);
        assert_eq!(file.warnings[0].column.as_deref(), Some("tags"));
    }

    #[test]
    fn decimals_are_the_nearest_floats() {
        for text in ["0.30000000000000004", "9007199254740991.5", "8.5e-324", "1.7976931348623157e308"] {
            let Values::Numbers(values) = &file(&format!("[{{\"p\": {text}}}]")).columns[0].values else { panic!() };
            assert_eq!(values[0].to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_missing_values() {
        let text = "{\"p\": 0.1, \"s\": \"NaN \\\" NaN\"}\n{\"p\": NaN, \"s\": \"-Infinity\"}\n{\"p\":-Infinity}\n{\"p\":Infinity}";
        assert_eq!(cells(&file(text)), ["p: 0.1 - - -", "s: NaN \" NaN|-Infinity||"]);
    }

    #[test]
    fn records_that_each_name_new_columns_are_bounded() {
        let text: String = (0..2000).map(|k| format!("{{\"c{k}\": {k}}}\n")).collect();
        let options = ReadOptions { most: Some(1 << 20), ..ReadOptions::default() };
        let error = read_with("log.jsonl", text.as_bytes(), options, &mut |_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "As columns, the first 363 records with their 363 names take 1,054,152 bytes; at most 1,048,576 are supported \
             (file `log.jsonl`)."
        );
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        let refusal = |text: &str| {
            let error = read_file("log.jsonl", text.as_bytes(), &mut |_| {}).unwrap_err();
            format!("{}: {error}", error.code())
        };
        assert_eq!(
            refusal("{\"p\": 0.1}\n{\"p\": None}\n"),
            "table_unreadable: Invalid JSON in line 2, column 7: expected value (file `log.jsonl`)."
        );
        assert_eq!(refusal("[]"), "empty: The JSON contains no records (file `log.jsonl`).");
        assert_eq!(refusal("{}"), "empty: The JSON contains no records (file `log.jsonl`).");
        assert!(refusal("[{\"p\": 1}").starts_with("table_unreadable: Invalid JSON in line 1"));
        assert!(refusal(&"[".repeat(100_000)).starts_with("table_unreadable"));
    }
}
