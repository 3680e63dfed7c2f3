//! Bases × seconds: every method that comes after another, against that one alone.

use super::comparisons::{Against, DifferenceVerdict};
use super::grid::{over_divisions, places};
use super::outline::Variant;
use super::spec::{ExperimentMethod, Spec};
use super::summary::ComparedColumn;
use crate::evaluation::method::title;
use crate::report::sheet::{Block, Cell, SheetTable, Tone};

/// Tables at most.
const MOST_TABLES: usize = 24;

/// A method of the experiment as a first and a second one.
struct Composed {
    /// id of the first
    base: String,
    /// what the second is called, with the space that it looks at and the settings that tell it from others
    second: String,
}

/// The base and the second of a name in the cells; none for a method that does not come after another.
fn composed(spec: &Spec, name: &str) -> Option<Composed> {
    let is = |method: &&ExperimentMethod| {
        name.strip_prefix(method.name()).is_some_and(|rest| rest.is_empty() || rest.starts_with(" ("))
    };
    // the longest name: `temperature+lore`, not `temperature`
    let asked = spec.methods.iter().filter(is).max_by_key(|method| method.name().len())?;
    let (base, second) = asked.id().rsplit_once('+')?;
    let rest = name.strip_prefix(asked.name()).unwrap_or_default();
    let space = match asked {
        ExperimentMethod::Named { space: Some(space), .. } => format!(" ({space})"),
        _ => rest.to_owned(),
    };
    let settings = match asked {
        ExperimentMethod::Named { parameters: serde_json::Value::Object(fields), .. } => {
            let own = fields.iter().filter(|(name, _)| *name != "base");
            own.map(|(name, value)| format!(", {name} = {value}")).collect::<String>()
        }
        _ => String::new(),
    };
    Some(Composed { base: base.to_owned(), second: format!("{}{space}{settings}", title(second)) })
}

/// A table a quantity, lines the bases, columns the seconds: the mean, and beneath it the difference to the base alone. Nothing
/// where no two methods come after others.
pub fn compositions(spec: &Spec, compared: &[ComparedColumn]) -> Vec<Block> {
    // what depends on a setting that varies stands in curves
    let here = compared.iter().filter(|one| one.column.at.is_empty());
    let tables: Vec<Block> = here.filter_map(|one| table(spec, one)).take(MOST_TABLES).map(Block::Table).collect();
    if tables.is_empty() {
        return Vec::new();
    }
    let heading = Block::Heading("Methods in sequence".to_owned());
    let note = Block::Note(
        "Rows: first method; columns: second method. Below each mean: difference from the first method alone, and \
         whether it is significant."
            .to_owned(),
    );
    std::iter::once(heading).chain(tables).chain(std::iter::once(note)).collect()
}

fn table(spec: &Spec, compared: &ComparedColumn) -> Option<SheetTable> {
    let column = compared.column;
    let measure = &column.measure;
    let (mut bases, mut seconds): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut found: Vec<(Composed, usize)> = Vec::new();
    for (place, series) in column.series.iter().enumerate() {
        // one that varies by itself stands in a curve
        let Some(one) = composed(spec, &series.variant.method).filter(|_| series.variant.at.is_empty()) else {
            continue;
        };
        for (list, name) in [(&mut bases, &one.base), (&mut seconds, &one.second)] {
            if !list.contains(name) {
                list.push(name.clone());
            }
        }
        found.push((one, place));
    }
    if found.len() < 2 {
        return None;
    }
    let alone = |base: &str| {
        let name = spec.methods.iter().find(|method| method.id() == base)?.name();
        let variant = Variant { method: name.to_owned(), ..Variant::default() };
        column.series.iter().position(|series| series.variant == variant)
    };
    let heads: Vec<String> = seconds.iter().map(|second| format!("#{second}")).collect();
    let titles: Vec<&str> = ["First", "#Alone"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let caption = format!("{} {}, first × second method", column.head(), over_divisions(column));
    let mut table = SheetTable::new(caption, &titles);
    let decimals = places(compared);
    let value = |place: usize| {
        let summary = compared.summary.get(place)?;
        Some(Cell::number(measure.written(summary.mean?, summary.sd, decimals), summary.mean?))
    };
    for base in &bases {
        let own = alone(base);
        let mut row =
            vec![Cell::from(title(base).into_owned()), own.and_then(value).unwrap_or_else(|| Cell::from("–"))];
        row.extend(seconds.iter().map(|second| {
            let place =
                found.iter().find(|(one, _)| one.base == *base && one.second == *second).map(|(_, place)| *place);
            let Some((place, cell)) = place.and_then(|place| Some((place, value(place)?))) else {
                return Cell::from("–");
            };
            let to = own.and_then(|own| compared.pairs.comparison(place, own, Against::None));
            let Some((to, difference)) = to.and_then(|to| {
                let d = to.difference?;
                Some((to, d))
            }) else {
                return cell;
            };
            let sign = if difference > 0.0 { "+" } else { "" };
            let (verdict, tone) = match to.verdict {
                Some(DifferenceVerdict::Better) => (", better", Tone::Best),
                Some(DifferenceVerdict::Worse) => (", worse", Tone::Plain),
                Some(DifferenceVerdict::NotSignificant) => (", n.s.", Tone::Plain),
                None => ("", Tone::Plain),
            };
            cell.with_beneath(format!("{sign}{}{verdict}", measure.number(difference))).toned(tone)
        }));
        table.rows.push(row);
    }
    Some(table)
}
