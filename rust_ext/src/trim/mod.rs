//! Trimming by deletion: from a diagnostic or a stack, the part that a model needs.

mod ansi;
mod budget;
mod diagnostics;
mod frames;
mod lines;
pub mod ranges;
pub mod rules;

use budget::{Candidate, Weight};
use lines::Line;
use ranges::Selection;
use rules::{Class, Rules};

/// How much of a text stays.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Diagnostics, the first ones.
    pub max_diagnostics: usize,
    /// Sub-entries of each.
    pub max_notes: usize,
    /// Own frames at each end of a stack.
    pub edge_frames: usize,
    /// Bytes of a line.
    pub max_line_bytes: usize,
    /// Bytes of the whole.
    pub max_bytes: usize,
}

/// The least that `max_line_bytes` can be: one character. A body holds at least two lines of that.
pub const MIN_LINE_BYTES: usize = 4;

/// What stays of a text, and what went.
#[derive(Debug)]
pub struct Trimmed<'a> {
    /// What stays.
    pub selection: Selection<'a>,
    /// Lines that went, empty ones not counted.
    pub dropped_lines: usize,
    /// Diagnostics that went whole.
    pub dropped_diagnostics: usize,
    /// Frames that went.
    pub dropped_frames: usize,
}

/// Trim `input`. Lines that touch one of the `protected` ranges are text, whatever they look like.
///
/// Nothing is left of a text only if nothing was in it: where all lines would go by their class, none does.
pub fn trim<'a>(rules: &Rules, limits: &Limits, input: &'a [u8], protected: &[(usize, usize)]) -> Trimmed<'a> {
    // Two lines fit into a body at least, so that its first and its last stay.
    let lines = lines::split(input, limits.max_line_bytes.min(limits.max_bytes / 2));
    let protections = protections(&lines, protected);
    let classes: Vec<Class> = lines
        .iter()
        .zip(&protections)
        .map(|(line, protection)| match protection {
            Protection::None => rules.classify(&line.bytes(input)),
            Protection::Begins | Protection::Inside => Class::Text,
        })
        .collect();
    let text = Text { input, lines: &lines, protections: &protections };
    let by_class = text.trim(&classes, limits);
    if by_class.selection.ranges().is_empty() {
        return text.trim(&vec![Class::Text; lines.len()], limits);
    }
    by_class
}

/// What a protected range has to do with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protection {
    None,
    /// One begins in it: the line is the first of a message.
    Begins,
    Inside,
}

/// How each line lies to `ranges`, which may overlap and come in any order.
fn protections(lines: &[Line], ranges: &[(usize, usize)]) -> Vec<Protection> {
    let mut ranges: Vec<_> = ranges.iter().copied().filter(|(start, end)| start < end).collect();
    ranges.sort_unstable();
    let mut ranges = ranges.into_iter().peekable();
    // The furthest end among the ranges that begin in front of the line or in it.
    let mut reach = 0;
    let protection = |line: &Line| {
        let end = line.whole.end.max(line.whole.start + 1);
        let mut begins = false;
        while let Some((_, range_end)) = ranges.next_if(|(start, _)| *start < end) {
            reach = reach.max(range_end);
            begins |= range_end > line.whole.start;
        }
        match (begins, reach > line.whole.start) {
            (true, _) => Protection::Begins,
            (false, true) => Protection::Inside,
            (false, false) => Protection::None,
        }
    };
    lines.iter().map(protection).collect()
}

struct Text<'a, 'b> {
    input: &'a [u8],
    lines: &'b [Line],
    protections: &'b [Protection],
}

impl<'a> Text<'a, '_> {
    fn trim(&self, classes: &[Class], limits: &Limits) -> Trimmed<'a> {
        let frames = frames::cut(classes, limits.edge_frames);
        let mut diagnostics =
            diagnostics::find(self.input, self.lines, classes, limits.max_diagnostics, limits.max_notes);
        let mut stays: Vec<bool> =
            classes.iter().zip(&frames.goes).map(|(class, goes)| *class != Class::Drop && !goes).collect();
        for diagnostic in &diagnostics {
            for at in diagnostic.lines.clone() {
                stays[at] &= !diagnostic.drops(at);
            }
        }
        // Line ends count: all lines but the last have one.
        let room = limits.max_bytes + 1;
        let mut size: usize = (0..stays.len()).filter(|at| stays[*at]).map(|at| self.size(at)).sum();
        let mut kept = diagnostics.iter().filter(|diagnostic| !diagnostic.goes).count();
        for diagnostic in diagnostics.iter_mut().rev().filter(|diagnostic| !diagnostic.goes) {
            if size <= room || kept <= 1 {
                break;
            }
            for at in diagnostic.lines.clone().filter(|at| std::mem::take(&mut stays[*at])) {
                size -= self.size(at);
            }
            diagnostic.goes = true;
            kept -= 1;
        }
        let chosen = budget::fit(&self.candidates(classes, &stays), room);
        Trimmed {
            dropped_lines: self.visible() - chosen.iter().filter(|at| self.lines[**at].len() > 0).count(),
            selection: self.select(&chosen),
            dropped_diagnostics: diagnostics.iter().filter(|diagnostic| diagnostic.goes).count(),
            dropped_frames: frames.dropped,
        }
    }

    fn size(&self, at: usize) -> usize {
        self.lines[at].len() + 1
    }

    /// Lines that something can be read in.
    fn visible(&self) -> usize {
        self.lines.iter().filter(|line| line.len() > 0).count()
    }

    /// The lines that stay, without the blank ones around them.
    fn candidates(&self, classes: &[Class], stays: &[bool]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut solid = 0;
        for at in (0..stays.len()).filter(|at| stays[*at]) {
            let blank = self.lines[at].is_blank(self.input);
            let protection = self.protections[at];
            let removable = blank && protection == Protection::None;
            if removable && candidates.is_empty() {
                continue;
            }
            let weight = match classes[at] {
                _ if blank => Weight::Blank,
                Class::Keep => Weight::Keep,
                _ if protection == Protection::Begins => Weight::Keep,
                Class::OwnFrame | Class::Error | Class::Warning => Weight::Anchor,
                _ => Weight::Text,
            };
            candidates.push(Candidate { line: at, size: self.size(at), weight });
            if !removable {
                solid = candidates.len();
            }
        }
        candidates.truncate(solid);
        if candidates.iter().all(|candidate| candidate.weight == Weight::Blank) {
            candidates.clear();
        }
        candidates
    }

    fn select(&self, chosen: &[usize]) -> Selection<'a> {
        let mut selection = Selection::new(self.input);
        for (index, &at) in chosen.iter().enumerate() {
            let line = &self.lines[at];
            line.ranges().iter().for_each(|range| selection.push(range.clone()));
            if line.ended && index + 1 < chosen.len() {
                selection.push(line.whole.end..line.whole.end + 1);
            }
        }
        selection
    }
}

#[cfg(test)]
mod tests;
