//! The last lines of a log, within a number of lines and of bytes.

use std::collections::VecDeque;

/// Keeps the newest whole lines; the oldest go first, so that what is kept has no gap.
#[derive(Debug)]
pub struct Tail {
    max_lines: usize,
    max_bytes: usize,
    lines: VecDeque<String>,
    bytes: usize,
    logged: usize,
    /// A dropped line's memory, for the next one.
    spare: Option<String>,
}

impl Tail {
    /// An empty tail of at most `max_lines` lines and `max_bytes` bytes, line ends not counted.
    pub fn new(max_lines: usize, max_bytes: usize) -> Self {
        Self { max_lines, max_bytes, lines: VecDeque::new(), bytes: 0, logged: 0, spare: None }
    }

    /// Add a line, dropping the oldest ones that no longer fit beside it.
    pub fn push(&mut self, line: &str) {
        self.logged += 1;
        self.bytes += line.len();
        let mut kept = self.spare.take().unwrap_or_default();
        kept.clear();
        kept.push_str(line);
        self.lines.push_back(kept);
        while self.lines.len() > self.max_lines || self.bytes > self.max_bytes {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.len();
            self.spare = Some(oldest);
        }
    }

    /// The kept lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &String> {
        self.lines.iter()
    }

    /// Bytes of the kept lines, line ends not counted.
    pub fn kept_bytes(&self) -> usize {
        self.bytes
    }

    /// Lines added, kept or not.
    pub fn logged(&self) -> usize {
        self.logged
    }

    /// Lines dropped.
    pub fn suppressed(&self) -> usize {
        self.logged - self.lines.len()
    }
}
