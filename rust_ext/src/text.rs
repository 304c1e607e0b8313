//! UTF-8 without judgement: what cannot be decoded is deleted, what is too long is cut between characters.

use std::borrow::Cow;
use std::ops::Range;

/// The longest stretches of valid UTF-8 in `data`, in order, none empty.
pub fn valid_ranges(data: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    data.utf8_chunks().filter_map(move |chunk| {
        let start = at;
        let end = start + chunk.valid().len();
        at = end + chunk.invalid().len();
        (end > start).then_some(start..end)
    })
}

/// `data` without the bytes that are not UTF-8.
pub fn clean(data: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(data) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(data.len());
    for chunk in data.utf8_chunks() {
        text.push_str(chunk.valid());
    }
    Cow::Owned(text)
}

/// The longest prefix of whole characters of at most `max_bytes` bytes.
pub fn clip(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// How many bytes the character that starts with `byte` takes, by what `byte` announces (1 for a byte that starts none).
pub fn announced_len(byte: u8) -> usize {
    match byte {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    }
}

/// Length of the prefix of `data` before a character that may still be completed by bytes to come.
pub fn complete_len(data: &[u8]) -> usize {
    for back in 1..=3.min(data.len()) {
        let at = data.len() - back;
        if !is_continuation(data[at]) {
            return if announced_len(data[at]) > back { at } else { data.len() };
        }
    }
    data.len()
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::{clean, clip, complete_len, valid_ranges};

    #[test]
    fn invalid_bytes_are_deleted_and_nothing_else() {
        assert_eq!(clean(b"a\xffb\xed\xa0\x80c\xe2\x82"), "abc");
        assert_eq!(valid_ranges(b"a\xffb").collect::<Vec<_>>(), vec![0..1, 2..3]);
        assert_eq!(clean("naïve".as_bytes()), "naïve");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(clip("aé", 2), "a");
        assert_eq!(clip("aé", 3), "aé");
        assert_eq!(clip("船", 0), "");
    }

    #[test]
    fn an_unfinished_character_waits() {
        assert_eq!(complete_len("a船".as_bytes()), 4);
        assert_eq!(complete_len(&"a船".as_bytes()[..3]), 1);
        assert_eq!(complete_len(b"\x80\x80\x80\x80"), 4);
        assert_eq!(complete_len(b"\xff"), 1);
    }
}
