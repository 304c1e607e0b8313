//! The input cut into lines, and what of a line may be read.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::ansi;
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
            Shown::Many(ranges) => Cow::Owned(ranges.iter().flat_map(|range| &input[range.clone()]).copied().collect()),
        }
    }

    /// Bytes of the readable part.
    pub fn len(&self) -> usize {
        self.ranges().iter().map(Range::len).sum()
    }

    /// Whether nothing but white space can be read.
    pub fn is_blank(&self, input: &[u8]) -> bool {
        let bytes = self.bytes(input);
        // The bytes are UTF-8: only valid stretches are shown.
        bytes.is_empty() || text::clean(&bytes).chars().all(char::is_whitespace)
    }
}

/// The lines of `input`, each showing at most `max_line_bytes`; an empty rest after the last LF is none.
pub fn split(input: &[u8], max_line_bytes: usize) -> Vec<Line> {
    let mut lines = Vec::with_capacity(input.len() / 32);
    let mut start = 0;
    while start < input.len() {
        let lf = memchr(b'\n', &input[start..]).map(|offset| start + offset);
        let end = lf.unwrap_or(input.len());
        let crlf = lf.is_some() && end > start && input[end - 1] == b'\r';
        let shown = show(input, start..(if crlf { end - 1 } else { end }), max_line_bytes);
        lines.push(Line { whole: start..end, ended: lf.is_some(), shown });
        start = end + 1;
    }
    lines
}

fn show(input: &[u8], content: Range<usize>, max_bytes: usize) -> Shown {
    let bytes = &input[content.clone()];
    // What is past the bound is looked at only when something in front of it goes.
    let front = &bytes[..bytes.len().min(max_bytes)];
    let front = if front.len() < bytes.len() { &front[..text::complete_len(front)] } else { front };
    if memchr(0x1B, front).is_none() && std::str::from_utf8(front).is_ok() {
        return Shown::One(content.start..content.start + front.len());
    }
    Shown::Many(show_damaged(bytes, content.start, max_bytes))
}

/// The slow way: `bytes` holds an escape character or bytes that are not UTF-8.
fn show_damaged(bytes: &[u8], offset: usize, max_bytes: usize) -> Vec<Range<usize>> {
    // Undecodable bytes go first, so that one inside an escape sequence does not hide the sequence.
    let valid: Vec<Range<usize>> = text::valid_ranges(bytes).collect();
    let compact: Vec<u8> = valid.iter().flat_map(|range| &bytes[range.clone()]).copied().collect();
    let mut kept = Vec::new();
    let mut room = max_bytes;
    let mut at = 0;
    for sequence in ansi::sequences(&compact).chain(std::iter::once(compact.len()..compact.len())) {
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
        assert_eq!(shown(b"\x1b[3\xff1mred\xfe!", 99), ["red!"]);
        assert_eq!(shown("船船船\n".as_bytes(), 7), ["船船"]);
        assert_eq!(shown("\x1b[1m船\x1b[m船船\n".as_bytes(), 7), ["船船"]);
    }
}
