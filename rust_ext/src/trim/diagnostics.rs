//! Diagnostics: a head and what belongs to it.

use std::collections::HashSet;
use std::ops::Range;

use super::lines::Line;
use super::rules::Class;

/// One diagnostic of the input.
#[derive(Debug)]
pub struct Diagnostic {
    /// Its lines.
    pub lines: Range<usize>,
    error: bool,
    /// Whether it goes, whole.
    pub goes: bool,
    /// Where the sub-entries past the bound begin and end.
    excess: Option<Range<usize>>,
}

impl Diagnostic {
    /// Whether line `at` of the diagnostic goes.
    pub fn drops(&self, at: usize) -> bool {
        self.goes || self.excess.as_ref().is_some_and(|excess| excess.contains(&at))
    }
}

/// Find the diagnostics and say which go: warnings beside an error, repetitions, those past the first `max`.
pub fn find(input: &[u8], lines: &[Line], classes: &[Class], max: usize, max_notes: usize) -> Vec<Diagnostic> {
    let mut found = group(classes, max_notes);
    let any_error = found.iter().any(|diagnostic| diagnostic.error);
    let mut seen = HashSet::new();
    let mut kept = 0;
    for diagnostic in &mut found {
        diagnostic.goes = kept >= max
            || (any_error && !diagnostic.error)
            || !seen.insert(text_of(input, lines, diagnostic.lines.clone()));
        kept += usize::from(!diagnostic.goes);
    }
    found
}

fn group(classes: &[Class], max_notes: usize) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut open = false;
    let mut notes = 0;
    for (at, class) in classes.iter().enumerate() {
        match class {
            Class::Error | Class::Warning => {
                let error = *class == Class::Error;
                found.push(Diagnostic { lines: at..at + 1, error, goes: false, excess: None });
                open = true;
                notes = 0;
                continue;
            }
            Class::Section | Class::Drop => open = false,
            _ => {}
        }
        let Some(diagnostic) = found.last_mut().filter(|_| open) else { continue };
        diagnostic.lines.end = at + 1;
        notes += usize::from(*class == Class::Note);
        if notes > max_notes {
            diagnostic.excess = Some(diagnostic.excess.take().map_or(at, |excess| excess.start)..at + 1);
        }
    }
    found
}

/// A diagnostic's readable text, without the blank lines behind it.
fn text_of(input: &[u8], lines: &[Line], range: Range<usize>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in &lines[range] {
        text.extend_from_slice(&line.bytes(input));
        text.push(b'\n');
    }
    let end = text.iter().rposition(|byte| *byte != b'\n').map_or(0, |last| last + 1);
    text.truncate(end);
    text
}
