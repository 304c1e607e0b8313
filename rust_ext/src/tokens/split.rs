//! Cutting a text into the pieces that o200k_base encodes one by one.

use bpe_openai::Tokenizer;

/// The pieces of `text`, in order, as the tokenizer's own expression cuts it.
pub fn pieces<'a>(tokenizer: &'a Tokenizer, text: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let piece = match ascii_piece(rest.as_bytes()) {
            Some(length) => &rest[..length],
            None => tokenizer.split(rest).next()?,
        };
        rest = &rest[piece.len()..];
        Some(piece)
    })
}

/// Length of the first piece of `text`, which is not empty, if bytes of ASCII alone decide it.
///
/// The cases are the alternatives of the expression, in its order. A byte that is not ASCII where a run ends may be a
/// letter, a mark, a digit or white space that belongs to the run: then the expression itself has to say.
fn ascii_piece(text: &[u8]) -> Option<usize> {
    let first = text[0];
    let second = text.get(1).copied();
    if first.is_ascii_alphabetic() {
        return word(text, 0);
    }
    if first.is_ascii_digit() {
        let digits = text.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
        return (digits == 3 || decided(text, digits)).then_some(digits);
    }
    if !first.is_ascii() || second.is_some_and(|second| !second.is_ascii()) {
        return None;
    }
    if second.is_some_and(|second| second.is_ascii_alphabetic()) && !is_line_end(first) {
        return word(text, 1);
    }
    if is_mark(first) {
        return marks(text, 0);
    }
    if first == b' ' && second.is_some_and(is_mark) {
        return marks(text, 1);
    }
    white_space(text)
}

/// Upper-case letters, lower-case letters, a contraction.
fn word(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    while text.get(end).is_some_and(u8::is_ascii_uppercase) {
        end += 1;
    }
    while text.get(end).is_some_and(u8::is_ascii_lowercase) {
        end += 1;
    }
    if !decided(text, end) {
        return None;
    }
    if text.get(end) != Some(&b'\'') {
        return Some(end);
    }
    // Regardless of case, which makes the long s an s.
    if !decided(text, end + 1) {
        return None;
    }
    let one = text.get(end + 1).map_or(0, u8::to_ascii_lowercase);
    let two = text.get(end + 2).map_or(0, u8::to_ascii_lowercase);
    Some(match (one, two) {
        (b's' | b't' | b'm' | b'd', _) => end + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => end + 3,
        _ => end,
    })
}

/// Marks, then line ends and slashes.
fn marks(text: &[u8], start: usize) -> Option<usize> {
    let mut end = start;
    while text.get(end).copied().is_some_and(is_mark) {
        end += 1;
    }
    if !decided(text, end) {
        return None;
    }
    while text.get(end).is_some_and(|byte| is_line_end(*byte) || *byte == b'/') {
        end += 1;
    }
    Some(end)
}

/// White space up to its last line end; without one all of it, but for the last before something else.
fn white_space(text: &[u8]) -> Option<usize> {
    let run = text.iter().take_while(|byte| is_white_space(**byte)).count();
    if !decided(text, run) {
        return None;
    }
    if let Some(last) = text[..run].iter().rposition(|byte| is_line_end(*byte)) {
        return Some(last + 1);
    }
    Some(if run == text.len() || run == 1 { run } else { run - 1 })
}

/// Whether what is at `at` is the end, or ASCII.
fn decided(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(u8::is_ascii)
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

fn is_white_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// ASCII that is no letter, no digit and no white space.
fn is_mark(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !is_white_space(byte)
}
