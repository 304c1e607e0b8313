//! Fitting lines into a number of bytes by dropping whole lines from the middle.

/// How long a line stays when not all fit; the greatest stays longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Nothing to read.
    Blank,
    /// Text.
    Text,
    /// Says where: the head of a diagnostic, the first line of a frame.
    Anchor,
    /// A rule said to keep it.
    Keep,
}

const HEAVIEST_FIRST: [Weight; 4] = [Weight::Keep, Weight::Anchor, Weight::Text, Weight::Blank];

/// A line to fit.
#[derive(Debug)]
pub struct Candidate {
    /// Index of the line.
    pub line: usize,
    /// Bytes it takes, its line end included.
    pub size: usize,
    /// How long it stays.
    pub weight: Weight,
}

/// The lines of `candidates` that stay within `room` bytes, in order.
///
/// Heavier lines are placed first; those of a weight that do not all fit keep about the first and the last half of
/// what room there is, and lighter ones get none.
pub fn fit(candidates: &[Candidate], room: usize) -> Vec<usize> {
    let total: usize = candidates.iter().map(|candidate| candidate.size).sum();
    if total <= room {
        return candidates.iter().map(|candidate| candidate.line).collect();
    }
    let mut stays = Vec::new();
    let mut room = room;
    for weight in HEAVIEST_FIRST {
        let same: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.weight == weight).collect();
        let size: usize = same.iter().map(|candidate| candidate.size).sum();
        if size <= room {
            stays.extend(same.iter().map(|candidate| candidate.line));
            room -= size;
            continue;
        }
        let front = prefix(same.iter().copied(), room / 2);
        let front_size: usize = same[..front].iter().map(|candidate| candidate.size).sum();
        let back = prefix(same[front..].iter().rev().copied(), room - front_size);
        stays.extend(same[..front].iter().map(|candidate| candidate.line));
        stays.extend(same[same.len() - back..].iter().map(|candidate| candidate.line));
        break;
    }
    stays.sort_unstable();
    stays
}

fn prefix<'a>(candidates: impl Iterator<Item = &'a Candidate>, mut room: usize) -> usize {
    candidates
        .take_while(|candidate| {
            let fits = candidate.size <= room;
            room -= if fits { candidate.size } else { 0 };
            fits
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::{Candidate, Weight, fit};

    #[test]
    fn the_middle_goes_and_heavy_lines_stay() {
        let weight = |line| if line == 5 { Weight::Keep } else { Weight::Text };
        let all: Vec<_> = (0..10).map(|line| Candidate { line, size: 10, weight: weight(line) }).collect();
        assert_eq!(fit(&all, 100), (0..10).collect::<Vec<_>>());
        assert_eq!(fit(&all, 52), [0, 1, 5, 8, 9]);
        assert_eq!(fit(&all, 10), [5]);
    }
}
