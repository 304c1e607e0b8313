//! Stacks: runs of frames that no text interrupts.

use std::ops::Range;

use super::rules::Class;

/// One frame: the line that starts it and those that continue it.
#[derive(Debug)]
struct Frame {
    own: bool,
    lines: Range<usize>,
}

/// Which lines go because of the frame they belong to.
#[derive(Debug)]
pub struct FrameCut {
    /// By line.
    pub goes: Vec<bool>,
    /// Whole frames that go.
    pub dropped: usize,
}

/// Drop the frames that are not the program's, of the program's own all but the first and the last `edge` of a stack,
/// and the headers that are left with nothing under them.
pub fn cut(classes: &[Class], edge: usize) -> FrameCut {
    let mut result = FrameCut { goes: vec![false; classes.len()], dropped: 0 };
    let mut header = None;
    let mut stack: Vec<Frame> = Vec::new();
    for (at, class) in classes.iter().enumerate() {
        match class {
            Class::OwnFrame | Class::ForeignFrame => {
                stack.push(Frame { own: *class == Class::OwnFrame, lines: at..at + 1 });
            }
            Class::FrameMore => match stack.last_mut() {
                Some(frame) if frame.lines.end == at => frame.lines.end += 1,
                _ => close(&mut result, &mut header, &mut stack, edge),
            },
            // A line that always goes is as if it were not there.
            Class::Drop => {}
            Class::FrameHeader => {
                close(&mut result, &mut header, &mut stack, edge);
                header = Some(at);
            }
            _ => close(&mut result, &mut header, &mut stack, edge),
        }
    }
    close(&mut result, &mut header, &mut stack, edge);
    result
}

fn close(result: &mut FrameCut, header: &mut Option<usize>, stack: &mut Vec<Frame>, edge: usize) {
    let header = header.take();
    if stack.is_empty() {
        return;
    }
    let own = stack.iter().filter(|frame| frame.own).count();
    let mut seen = 0;
    for frame in stack.drain(..) {
        let stays = frame.own && (seen < edge || seen + edge >= own);
        seen += usize::from(frame.own);
        if !stays {
            result.goes[frame.lines].fill(true);
            result.dropped += 1;
        }
    }
    if let (Some(header), true) = (header, own == 0) {
        result.goes[header] = true;
    }
}
