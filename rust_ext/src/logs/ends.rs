//! The first and the last part of a stream, in whole lines.

use std::collections::VecDeque;

use memchr::memchr;

use crate::text;

/// Keeps a stream whole while it is short, and its first and last lines once it is long.
///
/// A line longer than `max_line_bytes` keeps its start, so that each end holds at least one line.
#[derive(Debug)]
pub struct Ends {
    end_bytes: usize,
    max_line_bytes: usize,
    total: usize,
    /// The stream itself, up to twice `end_bytes`.
    whole: Vec<u8>,
    head: Vec<u8>,
    /// A line did not fit into the head: it and all after it belong to the tail.
    head_closed: bool,
    tail: VecDeque<Vec<u8>>,
    tail_bytes: usize,
    line: Vec<u8>,
    /// The line was cut: it takes no more.
    line_full: bool,
}

impl Ends {
    /// Two ends of `end_bytes` bytes each, no line in them over `max_line_bytes` (and its line end).
    pub fn new(end_bytes: usize, max_line_bytes: usize) -> Self {
        Self {
            end_bytes,
            max_line_bytes: max_line_bytes.min(end_bytes.saturating_sub(1)),
            total: 0,
            whole: Vec::new(),
            head: Vec::new(),
            head_closed: false,
            tail: VecDeque::new(),
            tail_bytes: 0,
            line: Vec::new(),
            line_full: false,
        }
    }

    /// Take `data` in.
    pub fn write(&mut self, mut data: &[u8]) {
        self.total += data.len();
        if self.total <= 2 * self.end_bytes {
            self.whole.extend_from_slice(data);
        } else {
            self.whole = Vec::new();
        }
        while let Some(end) = memchr(b'\n', data) {
            self.extend_line(&data[..end]);
            data = &data[end + 1..];
            let mut line = std::mem::take(&mut self.line);
            line.push(b'\n');
            self.line_full = false;
            self.keep(line);
        }
        self.extend_line(data);
    }

    /// The stream, or its two ends one after the other: a subsequence of its lines.
    pub fn bytes(&self) -> Vec<u8> {
        if self.total <= 2 * self.end_bytes {
            return self.whole.clone();
        }
        let mut bytes = self.head.clone();
        let mut room = self.end_bytes - self.line.len();
        let newest = self.tail.iter().rev().take_while(|line| {
            let fits = line.len() <= room;
            room -= if fits { line.len() } else { 0 };
            fits
        });
        let newest: Vec<_> = newest.collect();
        newest.iter().rev().for_each(|line| bytes.extend_from_slice(line));
        bytes.extend_from_slice(&self.line);
        bytes
    }

    fn extend_line(&mut self, part: &[u8]) {
        if self.line_full {
            return;
        }
        let room = self.max_line_bytes - self.line.len();
        if part.len() <= room {
            self.line.extend_from_slice(part);
            return;
        }
        self.line.extend_from_slice(&part[..room]);
        self.line.truncate(text::complete_len(&self.line));
        self.line_full = true;
    }

    fn keep(&mut self, line: Vec<u8>) {
        if !self.head_closed && self.head.len() + line.len() <= self.end_bytes {
            self.head.extend_from_slice(&line);
            return;
        }
        self.head_closed = true;
        self.tail_bytes += line.len();
        self.tail.push_back(line);
        while self.tail_bytes > self.end_bytes {
            let Some(oldest) = self.tail.pop_front() else { break };
            self.tail_bytes -= oldest.len();
        }
    }
}
