//! Terminal escape sequences.

use std::ops::Range;

use memchr::{memchr, memchr2};

/// The character that starts each sequence.
pub const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;

/// The whole escape sequences in `line`, in order: CSI (colours, cursor), OSC (links, titles) and character sets.
pub fn sequences(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(offset) = memchr(ESC, line.get(at..)?) {
            let start = at + offset;
            let length = match line.get(start + 1) {
                Some(b'[') => csi_len(&line[start + 2..]),
                Some(b']') => osc_len(&line[start + 2..]),
                Some(b'(' | b')') => line.get(start + 2).filter(|set| set.is_ascii_alphanumeric()).map(|_| 1),
                _ => None,
            };
            at = start + 1;
            if let Some(length) = length {
                at = start + 2 + length;
                return Some(start..at);
            }
        }
        None
    })
}

fn csi_len(rest: &[u8]) -> Option<usize> {
    let parameters = rest.iter().take_while(|byte| matches!(byte, 0x30..=0x3F)).count();
    let intermediates = rest[parameters..].iter().take_while(|byte| matches!(byte, 0x20..=0x2F)).count();
    let last = parameters + intermediates;
    rest.get(last).filter(|byte| matches!(byte, 0x40..=0x7E)).map(|_| last + 1)
}

/// An escape that does not end the sequence ends the attempt: terminals drop what came before it.
fn osc_len(rest: &[u8]) -> Option<usize> {
    let end = memchr2(BEL, ESC, rest)?;
    match (rest[end], rest.get(end + 1)) {
        (BEL, _) => Some(end + 1),
        (_, Some(b'\\')) => Some(end + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::sequences;

    fn without(line: &[u8]) -> String {
        let mut text = Vec::new();
        let mut at = 0;
        for range in sequences(line) {
            text.extend_from_slice(&line[at..range.start]);
            at = range.end;
        }
        text.extend_from_slice(&line[at..]);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn colours_links_and_sets_are_found() {
        assert_eq!(without(b"\x1b[1;31merror\x1b[0m: x\x1b(B"), "error: x");
        assert_eq!(without(b"\x1b]8;;http://x\x1b\\here\x1b]8;;\x07."), "here.");
    }

    #[test]
    fn what_is_no_whole_sequence_stays() {
        assert_eq!(without(b"\x1b"), "\x1b");
        assert_eq!(without(b"a\x1b[12"), "a\x1b[12");
        assert_eq!(without(b"\x1b]8;;x"), "\x1b]8;;x");
    }
}
