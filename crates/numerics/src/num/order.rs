//! Sorting rows by a score.
//!
//! The library's sorts are written anew, at length, for every list and every comparison; sixty of them made a twelfth of
//! the whole program. [`sort`] therefore sorts places, and both it and [`select`] take comparisons by reference.

use std::cmp::Ordering;

/// Sorts a list of fewer than 2³² items, ties in their order. O(n log n).
pub fn sort<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut places: Vec<u32> = (0..items.len() as u32).collect();
    sort_places(&mut places, &|i, j| compare(&items[i as usize], &items[j as usize]));
    for k in 0..items.len() {
        let mut from = places[k] as usize;
        // what stood there was moved when its place was filled
        while from < k {
            from = places[from] as usize;
        }
        items.swap(k, from);
    }
}

#[inline(never)]
fn sort_places(places: &mut [u32], compare: &dyn Fn(u32, u32) -> Ordering) {
    places.sort_by(|&i, &j| compare(i, j));
}

/// Puts at `place` what would stand there if the list were sorted, and nothing greater before it. O(n).
#[inline(never)]
pub fn select<'a, T>(items: &'a mut [T], place: usize, compare: &dyn Fn(&T, &T) -> Ordering) -> &'a mut T {
    items.select_nth_unstable_by(place, compare).1
}

/// The stable ascending order of `s`: `s[order[0]] ≤ s[order[1]] ≤ …`, ties in row order.
///
/// −0 and 0 tie. Radix sort on the bits of the numbers, O(n) unless most agree in their first 21 bits.
///
/// ```
/// assert_eq!(localcal_numerics::num::order::ascending(&[0.3, 0.1, 0.2, 0.1]), [1, 3, 2, 0]);
/// ```
pub fn ascending(s: &[f64]) -> Vec<u32> {
    if s.len() < 512 {
        let mut order: Vec<u32> = (0..s.len() as u32).collect();
        sort_places(&mut order, &|i, j| key(s[i as usize]).cmp(&key(s[j as usize])));
        return order;
    }
    if s.is_sorted_by(|a, b| key(*a) <= key(*b)) {
        return (0..s.len() as u32).collect();
    }
    radix(s)
}

/// Sorts a list of a few hundred at most, ties in their order; `before` says what stands strictly before what.
///
/// By insertion, O(n²): the library's sort is written anew, at length, for every list and every order, and a dozen of
/// them made a fiftieth of the whole program.
pub fn sort_short<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    for last in 1..items.len() {
        let mut place = last;
        while place > 0 && before(&items[place], &items[place - 1]) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// Unsigned integer in the order of the numbers.
#[inline]
fn key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits(); // −0 + 0 = 0
    bits ^ (((bits as i64) >> 63) as u64 | 1 << 63)
}

const DIGIT: u32 = 11;

/// Rows that are moved in one call: browsers compile well what is called often.
const BLOCK: usize = 4096;

/// By the upper half of the keys in three passes; rows that agree there are then sorted among themselves.
fn radix(s: &[f64]) -> Vec<u32> {
    let mut from = Vec::with_capacity(s.len());
    s.chunks(BLOCK).for_each(|rows| number(rows, &mut from));
    let mut to = vec![(0, 0); s.len()];
    for shift in [0, DIGIT, 2 * DIGIT] {
        let mut places = [0; 1 << DIGIT];
        from.chunks(BLOCK).for_each(|rows| count(rows, shift, &mut places));
        // A digit that all keys share moves nothing.
        if places.contains(&(s.len() as u32)) {
            continue;
        }
        let mut start = 0;
        for place in &mut places {
            start += std::mem::replace(place, start);
        }
        from.chunks(BLOCK).for_each(|rows| scatter(rows, shift, &mut places, &mut to));
        std::mem::swap(&mut from, &mut to);
    }
    let mut order = Vec::with_capacity(s.len());
    while order.len() < s.len() {
        settle(s, &from, &mut order);
    }
    order
}

/// Appends the upper halves of the keys of some rows, with the number of each row.
#[inline(never)]
fn number(rows: &[f64], into: &mut Vec<(u32, u32)>) {
    let first = into.len();
    into.extend((first as u32..).zip(rows).map(|(i, &x)| ((key(x) >> 32) as u32, i)));
}

/// Appends the next rows in order, up to the end of those that agree in the upper half of their keys.
#[inline(never)]
fn settle(s: &[f64], from: &[(u32, u32)], order: &mut Vec<u32>) {
    let goal = from.len().min(order.len() + BLOCK);
    while order.len() < goal {
        let first = order.len();
        let upper = from[first].0;
        let equal = from[first..].iter().take_while(|row| row.0 == upper);
        order.extend(equal.map(|&(_, i)| i));
        let rows = &mut order[first..];
        if rows.len() > 1 && !rows.is_sorted_by_key(|&i| key(s[i as usize])) {
            sort_places(rows, &|i, j| key(s[i as usize]).cmp(&key(s[j as usize])));
        }
    }
}

/// Values in the order of `order`.
pub fn along<T: Copy>(order: &[u32], values: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(order.len());
    for rows in order.chunks(BLOCK) {
        gather(rows, values, &mut out);
    }
    out
}

#[inline(never)]
fn gather<T: Copy>(rows: &[u32], values: &[T], out: &mut Vec<T>) {
    out.extend(rows.iter().map(|&i| values[i as usize]));
}

fn digit(key: u32, shift: u32) -> usize {
    (key >> shift) as usize & ((1 << DIGIT) - 1)
}

#[inline(never)]
fn count(rows: &[(u32, u32)], shift: u32, counts: &mut [u32; 1 << DIGIT]) {
    rows.iter().for_each(|&(key, _)| counts[digit(key, shift)] += 1);
}

#[inline(never)]
fn scatter(rows: &[(u32, u32)], shift: u32, places: &mut [u32; 1 << DIGIT], to: &mut [(u32, u32)]) {
    for &row in rows {
        let place = &mut places[digit(row.0, shift)];
        to[*place as usize] = row;
        *place += 1;
    }
}

/// Half-open ranges of equal values along `order`; of scores, see [`super::ties`].
pub fn equal_blocks<'a>(s: &'a [f64], order: &'a [u32]) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
    let mut start = 0;
    std::iter::from_fn(move || {
        let value = s[*order.get(start)? as usize];
        let mut end = start + 1;
        while end < order.len() && s[order[end] as usize] == value {
            end += 1;
        }
        let block = start..end;
        start = end;
        Some(block)
    })
}

/// The shortest decimal x with a < x ≤ b; a < b.
pub fn shortest_between(a: f64, b: f64) -> f64 {
    for digits in 0..17 {
        let text = format!("{b:.digits$e}");
        let rounded: f64 = text.parse().unwrap_or(b);
        let unit = 10_f64.powi(exponent(b) - digits as i32);
        // rounding may have gone up: one unit less may still lie above a
        let down: f64 = format!("{:.digits$e}", rounded - unit).parse().unwrap_or(b);
        for x in [rounded, down] {
            if a < x && x <= b {
                return x;
            }
        }
    }
    b
}

/// Where the cell with this center begins, of cells of equal width: as it was written before the center was computed.
pub fn cell_start(center: f64, width: f64) -> f64 {
    let (edge, rounding) = (center - 0.5 * width, 1e-9 * width);
    if edge.abs() < rounding { 0.0 } else { shortest_between(edge - rounding, edge + rounding) }
}

fn exponent(x: f64) -> i32 {
    if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn radix_agrees_with_a_stable_comparison_sort(s in proptest::collection::vec(prop_oneof![-1.0..1.0_f64, 0.5..0.500_000_01_f64, Just(0.0), Just(-0.0), Just(0.5), -1e300..1e300_f64], 0..400)) {
            let mut expected: Vec<u32> = (0..s.len() as u32).collect();
            expected.sort_by(|&i, &j| s[i as usize].partial_cmp(&s[j as usize]).unwrap_or(std::cmp::Ordering::Equal));
            prop_assert_eq!(&radix(&s), &expected);
            prop_assert_eq!(&ascending(&s), &expected);
        }
    }

    proptest! {
        #[test]
        fn a_list_is_sorted_with_ties_in_their_order(keys in proptest::collection::vec(0..9_u8, 0..200)) {
            let mut items: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort(&mut items, &|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(items, expected);
        }
    }

    #[test]
    fn equal_values_come_in_blocks() {
        let s = [0.5, 0.1, 0.5, 0.2];
        let order = ascending(&s);
        assert_eq!(order, [1, 3, 0, 2]);
        assert_eq!(equal_blocks(&s, &order).collect::<Vec<_>>(), [0..1, 1..2, 2..4]);
    }
}
