//! Log capture: two streams of bytes in, the last lines out, in bounded memory.

mod ends;
pub mod records;
mod stream;
mod tail;

use ends::Ends;
use records::{STDERR, STDOUT};
use stream::LineBuffer;
use tail::Tail;

/// Bytes kept of one line of a long error stream's ends.
const END_LINE_BYTES: usize = 2 * 1024;
/// Bytes kept of each end of the error stream.
const END_BYTES: usize = 4 * 1024;

/// What a program prints, as it prints it.
#[derive(Debug)]
pub struct Capture {
    stdout: LineBuffer,
    stderr: LineBuffer,
    tail: Tail,
    ends: Ends,
    finished: bool,
}

impl Capture {
    /// An empty capture with these bounds.
    pub fn new(max_lines: usize, max_bytes: usize, max_line_bytes: usize) -> Self {
        Self {
            stdout: LineBuffer::new(max_line_bytes),
            stderr: LineBuffer::new(max_line_bytes),
            tail: Tail::new(max_lines, max_bytes),
            ends: Ends::new(END_BYTES, END_LINE_BYTES),
            finished: false,
        }
    }

    /// Take `data` of `stream` in; false when there is no such stream or the capture is finished.
    #[must_use]
    pub fn write(&mut self, stream: u8, data: &[u8]) -> bool {
        if self.finished {
            return false;
        }
        let Self { stdout, stderr, tail, ends, .. } = self;
        match stream {
            STDOUT => stdout.write(data, |line| tail.push(line)),
            STDERR => {
                ends.write(data);
                stderr.write(data, |line| tail.push(line));
            }
            _ => return false,
        }
        true
    }

    /// Count the unfinished last lines, stdout's first; nothing is taken in afterwards.
    pub fn finish(&mut self) -> &Tail {
        if !self.finished {
            self.finished = true;
            let tail = &mut self.tail;
            self.stdout.finish(|line| tail.push(line));
            self.stderr.finish(|line| tail.push(line));
        }
        &self.tail
    }

    /// Whether `finish` was called.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Bytes deleted because they are not UTF-8.
    pub fn undecodable(&self) -> usize {
        self.stdout.undecodable() + self.stderr.undecodable()
    }

    /// The error stream, or its first and last lines.
    pub fn stderr_ends(&self) -> Vec<u8> {
        self.ends.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::Capture;

    fn capture(writes: &[(u8, &[u8])]) -> (Vec<String>, usize) {
        let mut capture = Capture::new(200, 16384, 8);
        for (stream, data) in writes {
            assert!(capture.write(*stream, data));
        }
        let tail = capture.finish();
        (tail.lines().cloned().collect(), tail.suppressed())
    }

    #[test]
    fn a_line_takes_its_place_when_it_is_completed() {
        let (lines, _) = capture(&[(1, b"one"), (2, b"two\n"), (1, b" more\nlast"), (2, b"end")]);
        assert_eq!(lines, ["two", "one more", "last", "end"]);
    }

    #[test]
    fn characters_and_line_ends_may_be_split_over_writes() {
        let (lines, _) = capture(&[(1, b"\xe8"), (1, b"\x88"), (1, b"\xb9\r"), (1, b"\nx\r"), (1, b"y")]);
        assert_eq!(lines, ["船", "x\ry"]);
    }

    #[test]
    fn a_long_line_keeps_whole_characters() {
        let (lines, _) = capture(&[(1, "船船船船".as_bytes()), (1, b"a\n")]);
        assert_eq!(lines, ["船船"]);
    }

    #[test]
    fn leads_that_nothing_completes_do_not_pile_up() {
        let mut capture = Capture::new(200, 16384, 8);
        for _ in 0..100 {
            assert!(capture.write(1, b"\xe2"));
        }
        capture.finish();
        assert_eq!(capture.undecodable(), 100);
    }
}
