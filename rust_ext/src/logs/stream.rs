//! One stream's bytes, cut into lines as they come.

use memchr::memchr;

use crate::text;

/// The part of a stream that has no line end yet, in bounded memory.
#[derive(Debug)]
pub struct LineBuffer {
    max_bytes: usize,
    line: String,
    /// The start of a character whose rest has not come yet.
    pending: Vec<u8>,
    /// A CR was read and it is not known yet whether LF follows.
    carriage_return: bool,
    /// Some character of this line was read, kept or not.
    started: bool,
    /// A character did not fit: the line takes no more.
    full: bool,
    undecodable: usize,
}

impl LineBuffer {
    /// A buffer whose lines keep their first `max_bytes` bytes.
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            line: String::new(),
            pending: Vec::new(),
            carriage_return: false,
            started: false,
            full: false,
            undecodable: 0,
        }
    }

    /// Bytes deleted so far because they are not UTF-8.
    pub fn undecodable(&self) -> usize {
        self.undecodable
    }

    /// Take `data` in, handing each completed line to `complete`.
    pub fn write(&mut self, mut data: &[u8], mut complete: impl FnMut(&str)) {
        while !self.pending.is_empty() && !data.is_empty() {
            data = self.resume(data, &mut complete);
        }
        let whole = text::complete_len(data);
        let (data, rest) = data.split_at(whole);
        self.pending.extend_from_slice(rest);
        match std::str::from_utf8(data) {
            Ok(text) => self.push_text(text, &mut complete),
            Err(_) => self.push_chunks(data, &mut complete),
        }
    }

    /// The unfinished last line, if one was begun.
    pub fn finish(&mut self, mut complete: impl FnMut(&str)) {
        self.undecodable += self.pending.len();
        self.pending.clear();
        if self.carriage_return {
            self.push_char_bytes("\r");
            self.carriage_return = false;
        }
        if self.started {
            self.end_line(&mut complete);
        }
    }

    /// Take the first byte of `data` to the pending character; what is settled by it goes on.
    fn resume<'a>(&mut self, data: &'a [u8], complete: &mut impl FnMut(&str)) -> &'a [u8] {
        self.pending.push(data[0]);
        let settled = text::complete_len(&self.pending);
        if settled > 0 {
            let rest = self.pending.split_off(settled);
            let bytes = std::mem::replace(&mut self.pending, rest);
            self.push_chunks(&bytes, complete);
        }
        &data[1..]
    }

    fn push_chunks(&mut self, data: &[u8], complete: &mut impl FnMut(&str)) {
        for chunk in data.utf8_chunks() {
            self.undecodable += chunk.invalid().len();
            self.push_text(chunk.valid(), complete);
        }
    }

    fn push_text(&mut self, mut text: &str, complete: &mut impl FnMut(&str)) {
        while let Some(end) = memchr(b'\n', text.as_bytes()) {
            let line = &text[..end];
            text = &text[end + 1..];
            if !self.started && !self.carriage_return {
                // The usual case: a whole line in one piece, never copied into the buffer.
                complete(text::clip(line.strip_suffix('\r').unwrap_or(line), self.max_bytes));
                continue;
            }
            self.push_unended(line);
            self.carriage_return = false;
            self.end_line(complete);
        }
        self.push_unended(text);
    }

    /// `text` holds no LF.
    fn push_unended(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.carriage_return {
            self.carriage_return = false;
            self.push_char_bytes("\r");
        }
        let body = match text.strip_suffix('\r') {
            Some(body) => {
                self.carriage_return = true;
                body
            }
            None => text,
        };
        self.push_char_bytes(body);
        self.started = true;
    }

    fn push_char_bytes(&mut self, text: &str) {
        self.started = true;
        if self.full {
            return;
        }
        let kept = text::clip(text, self.max_bytes - self.line.len());
        self.full = kept.len() < text.len();
        self.line.push_str(kept);
    }

    fn end_line(&mut self, complete: &mut impl FnMut(&str)) {
        complete(&self.line);
        self.line.clear();
        self.started = false;
        self.full = false;
    }
}
