//! The input cut into lines, and what of a line may be read.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::ansi::{self, ESC};
use crate::text;

/// One line of the input.
#[derive(Debug)]
pub struct Line {
    /// From the line's first byte to in front of its LF.
    pub whole: Range<usize>,
    /// Whether an LF ends it.
    pub ended: bool,
    shown: Shown,
}

/// The readable part of a line: escape sequences, undecodable bytes, the CR of its CRLF and what is past the bound are out.
#[derive(Debug)]
enum Shown {
    /// One stretch, as nearly always.
    One(Range<usize>),
    Many(Vec<Range<usize>>),
}

impl Line {
    /// The readable part, as ranges of the input.
    pub fn ranges(&self) -> &[Range<usize>] {
        match &self.shown {
            Shown::One(range) => std::slice::from_ref(range),
            Shown::Many(ranges) => ranges,
        }
    }

    /// The readable part.
    pub fn bytes<'a>(&self, input: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.shown {
            Shown::One(range) => Cow::Borrowed(&input[range.clone()]),
            Shown::Many(ranges) => Cow::Owned(joined(input, ranges)),
        }
    }

    /// Bytes of the readable part.
    pub fn len(&self) -> usize {
        self.ranges().iter().map(Range::len).sum()
    }

    /// Whether nothing but white space can be read.
    pub fn is_blank(&self, input: &[u8]) -> bool {
        // Each stretch is UTF-8 by itself: what parts them is ASCII or undecodable.
        let blank = |bytes: &[u8]| !bytes[0].is_ascii_graphic() && text::clean(bytes).chars().all(char::is_whitespace);
        self.ranges().iter().all(|range| range.is_empty() || blank(&input[range.clone()]))
    }
}

fn joined(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let mut all = Vec::with_capacity(ranges.iter().map(Range::len).sum());
    ranges.iter().for_each(|range| all.extend_from_slice(&bytes[range.clone()]));
    all
}

/// The lines of `input`, each showing at most `max_line_bytes`; an empty rest after the last LF is none.
pub fn split(input: &[u8], max_line_bytes: usize) -> Vec<Line> {
    let mut lines = Vec::with_capacity(input.len() / 32);
    let mut start = 0;
    while start < input.len() {
        let lf = memchr(b'\n', &input[start..]).map(|offset| start + offset);
        let end = lf.unwrap_or(input.len());
        let shown = show(input, start..end, lf.is_some(), max_line_bytes);
        lines.push(Line { whole: start..end, ended: lf.is_some(), shown });
        start = end + 1;
    }
    lines
}

fn show(input: &[u8], whole: Range<usize>, ended: bool, max_bytes: usize) -> Shown {
    let bytes = without_cr(&input[whole.clone()], ended);
    // What is past the bound is looked at only when something in front of it goes.
    let front = &bytes[..bytes.len().min(max_bytes)];
    let front = if front.len() < bytes.len() { &front[..text::complete_len(front)] } else { front };
    if memchr2(ESC, b'\r', front).is_none() && std::str::from_utf8(front).is_ok() {
        return Shown::One(whole.start..whole.start + front.len());
    }
    Shown::Many(show_damaged(&input[whole.clone()], whole.start, ended, max_bytes))
}

/// `line` without the CR of its CRLF.
fn without_cr(line: &[u8], ended: bool) -> &[u8] {
    if ended { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
}

/// The slow way: `bytes` holds an escape character, a CR or bytes that are not UTF-8.
fn show_damaged(bytes: &[u8], offset: usize, ended: bool, max_bytes: usize) -> Vec<Range<usize>> {
    // Undecodable bytes go first, so that one inside an escape sequence or a line end does not hide it.
    let valid: Vec<Range<usize>> = text::valid_ranges(bytes).collect();
    let compact = match valid.as_slice() {
        [all] if all.len() == bytes.len() => Cow::Borrowed(bytes),
        _ => Cow::Owned(joined(bytes, &valid)),
    };
    let compact = without_cr(&compact, ended);
    let mut kept = Vec::new();
    let mut room = max_bytes;
    let mut at = 0;
    for sequence in ansi::sequences(compact).chain(std::iter::once(compact.len()..compact.len())) {
        let stretch = &compact[at..sequence.start];
        // Valid UTF-8 between sequences of ASCII is valid UTF-8.
        let length = std::str::from_utf8(stretch).map_or(0, |stretch| text::clip(stretch, room).len());
        if length > 0 {
            kept.push(at..at + length);
        }
        if length < stretch.len() {
            break;
        }
        room -= length;
        at = sequence.end;
    }
    place(&kept, &valid, offset)
}

/// Ranges of the text that `valid` makes up, as ranges of the input that `valid` lies in from `offset` on.
fn place(kept: &[Range<usize>], valid: &[Range<usize>], offset: usize) -> Vec<Range<usize>> {
    let mut placed: Vec<Range<usize>> = Vec::with_capacity(kept.len() + valid.len());
    let mut pieces = kept.iter().peekable();
    let mut before = 0;
    for stretch in valid {
        let here = before..before + stretch.len();
        while let Some(piece) = pieces.peek() {
            let start = piece.start.max(here.start);
            let end = piece.end.min(here.end);
            if start < end {
                let shift = offset + stretch.start - here.start;
                placed.push(start + shift..end + shift);
            }
            if piece.end > here.end {
                break;
            }
            pieces.next();
        }
        before = here.end;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::split;

    fn shown(input: &[u8], max: usize) -> Vec<String> {
        let text = |line: &super::Line| String::from_utf8(line.bytes(input).into_owned()).unwrap();
        split(input, max).iter().map(text).collect()
    }

    #[test]
    fn only_deletions_happen_inside_a_line() {
        assert_eq!(shown(b"a\r\n\x1b[31mred\x1b[0m\nx\xffy\xe2\x82\n\rz", 99), ["a", "red", "xy", "\rz"]);
        assert_eq!(shown(b"a\r\xff\nb\rc\r\n", 2), ["a", "b\r"]);
        assert_eq!(shown(b"\x1b[3\xff1mred\xfe!", 99), ["red!"]);
        assert_eq!(shown("船船船\n".as_bytes(), 7), ["船船"]);
        assert_eq!(shown("\x1b[1m船\x1b[m船船\n".as_bytes(), 7), ["船船"]);
    }
}
