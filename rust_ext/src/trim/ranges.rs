//! What a trimming may answer: ranges of its input, ascending, and nothing else.

use std::ops::Range;

use crate::text;

/// A selection of `input`. It holds ranges only, so a text made of it can lack bytes but never have other ones.
#[derive(Debug)]
pub struct Selection<'a> {
    input: &'a [u8],
    ranges: Vec<Range<usize>>,
}

/// Why ranges select nothing of an input.
#[derive(Debug, PartialEq, Eq)]
pub enum RangeError {
    /// The range at this index is reversed or ends after the input.
    OutOfBounds(usize),
    /// The range at this index begins before the one in front of it ends.
    NotAscending(usize),
}

impl<'a> Selection<'a> {
    /// Nothing of `input`.
    pub fn new(input: &'a [u8]) -> Self {
        Self { input, ranges: Vec::new() }
    }

    /// The ranges, if all lie in `input`, ascend and do not overlap.
    pub fn from_ranges(input: &'a [u8], ranges: &[(usize, usize)]) -> Result<Self, RangeError> {
        let mut selection = Self::new(input);
        let mut last = 0;
        for (index, &(start, end)) in ranges.iter().enumerate() {
            if start > end || end > input.len() {
                return Err(RangeError::OutOfBounds(index));
            }
            if start < last {
                return Err(RangeError::NotAscending(index));
            }
            last = end;
            selection.push(start..end);
        }
        Ok(selection)
    }

    /// Add a range that lies behind all others; one that touches the last is joined to it.
    pub fn push(&mut self, range: Range<usize>) {
        assert!(range.start <= range.end && range.end <= self.input.len(), "a range lies in the input");
        if range.is_empty() {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) => {
                assert!(range.start >= last.end, "ranges ascend");
                if range.start == last.end {
                    last.end = range.end;
                } else {
                    self.ranges.push(range);
                }
            }
            None => self.ranges.push(range),
        }
    }

    /// The ranges, ascending, none empty, none touching the next.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// The selected bytes, those deleted that are not UTF-8 within their range: two halves never make a new character.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.ranges.iter().map(Range::len).sum());
        for range in &self.ranges {
            text.push_str(&text::clean(&self.input[range.clone()]));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{RangeError, Selection};

    #[test]
    fn ranges_are_checked_before_they_are_applied() {
        let check = |ranges: &[(usize, usize)]| Selection::from_ranges(b"abcdef", ranges).map(|s| s.text());
        assert_eq!(check(&[(0, 2), (4, 6)]), Ok("abef".to_owned()));
        assert_eq!(check(&[(0, 7)]), Err(RangeError::OutOfBounds(0)));
        assert_eq!(check(&[(3, 2)]), Err(RangeError::OutOfBounds(0)));
        assert_eq!(check(&[(0, 3), (2, 4)]), Err(RangeError::NotAscending(1)));
    }
}
