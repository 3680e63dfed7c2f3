//! The part of the plane that a map shows.

use serde::{Deserialize, Serialize};

/// Ranges of the two features that a map shows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Extent {
    /// left edge
    pub x0: f64,
    /// right edge
    pub x1: f64,
    /// lower edge
    pub y0: f64,
    /// upper edge
    pub y1: f64,
}

impl Extent {
    /// The ranges of `x` and `y` with 3 % of room on each side; values that are not finite do not count.
    pub fn around(x: &[f64], y: &[f64]) -> Self {
        let range = |values: &[f64]| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &v in values.iter().filter(|v| v.is_finite()) {
                low = low.min(v);
                high = high.max(v);
            }
            if low > high {
                (0.0, 1.0)
            } else if low == high {
                (low - 0.5, high + 0.5)
            } else {
                let room = 0.03 * (high - low);
                (low - room, high + room)
            }
        };
        let ((x0, x1), (y0, y1)) = (range(x), range(y));
        Self { x0, x1, y0, y1 }
    }

    /// With these edges: left, right, lower and upper.
    pub fn within([x0, x1, y0, y1]: [f64; 4]) -> Self {
        Self { x0, x1, y0, y1 }
    }

    /// Left, right, lower and upper edge.
    pub fn edges(&self) -> [f64; 4] {
        [self.x0, self.x1, self.y0, self.y1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extent_leaves_room_and_ignores_what_is_no_number() {
        let extent = Extent::around(&[0.0, 100.0, f64::NAN], &[5.0, 5.0]);
        assert_eq!((extent.x0, extent.x1), (-3.0, 103.0));
        assert_eq!((extent.y0, extent.y1), (4.5, 5.5));
        let none = Extent::around(&[], &[f64::INFINITY]);
        assert_eq!((none.x0, none.x1, none.y0, none.y1), (0.0, 1.0, 0.0, 1.0));
    }
}
