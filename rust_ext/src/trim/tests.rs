use super::rules::Rules;
use super::{Limits, trim};

const TABLE: &[(&str, &str)] = &[
    ("drop", "^Node"),
    ("own_frame", r"^  at .*main"),
    ("foreign_frame", "^  at "),
    ("frame_more", "^    "),
    ("frame_header", "backtrace:$"),
    ("error", "^error"),
    ("warning", "^warning"),
    ("note", "^note"),
    ("section", "^=="),
    ("keep", "^!"),
];

fn trimmed_within(limits: &Limits, input: &str, protected: &[(usize, usize)]) -> (String, [usize; 3]) {
    let result = trim(&Rules::new(TABLE).unwrap(), limits, input.as_bytes(), protected);
    let dropped = [result.dropped_lines, result.dropped_diagnostics, result.dropped_frames];
    (result.selection.text(), dropped)
}

fn limits() -> Limits {
    Limits { max_diagnostics: 2, max_notes: 1, edge_frames: 1, max_line_bytes: 64, max_bytes: 200 }
}

fn trimmed(input: &str) -> (String, [usize; 3]) {
    trimmed_within(&limits(), input, &[])
}

#[test]
fn foreign_frames_go_with_their_lines() {
    let input = "E: x\n  at lib\n    source\n  at main 1\n    source\n  at main 2\n  at main 3\n";
    assert_eq!(trimmed(input), ("E: x\n  at main 1\n    source\n  at main 3".into(), [3, 0, 2]));
}

#[test]
fn a_header_goes_when_its_frames_do() {
    assert_eq!(trimmed("wasm backtrace:\n  at lib\n\nCaused by:\n").0, "Caused by:");
    assert_eq!(trimmed("wasm backtrace:\n  at lib\n  at main\n").0, "wasm backtrace:\n  at main");
    assert_eq!(trimmed("wasm backtrace:\n").0, "wasm backtrace:");
}

#[test]
fn text_interrupts_a_stack() {
    let input = "  at main 1\n  at main 2\nagain\n  at main 3\n  at main 4\n  at main 5\n";
    assert_eq!(trimmed(input).0, "  at main 1\n  at main 2\nagain\n  at main 3\n  at main 5");
}

#[test]
fn diagnostics_are_folded_and_bounded() {
    let input = "warning: w\n w\nerror: a\nnote: 1\n n\nnote: 2\n m\nerror: b\nerror: b\nerror: c\n== 4 errors\n";
    assert_eq!(trimmed(input), ("error: a\nnote: 1\n n\nerror: b\n== 4 errors".into(), [6, 3, 0]));
    assert_eq!(trimmed("warning: w\n").0, "warning: w");
}

#[test]
fn protected_lines_are_text() {
    let input = "E: Node\n  at lib\nNode\n";
    assert_eq!(trimmed_within(&limits(), input, &[(3, 17)]).0, "E: Node\n  at lib");
    assert_eq!(trimmed_within(&limits(), input, &[(19, 99), (3, 10)]).0, "E: Node\n  at lib\nNode");
}

#[test]
fn nothing_is_left_only_of_nothing() {
    assert_eq!(trimmed("Node\n  at lib\n").0, "Node\n  at lib");
    assert_eq!(trimmed("\n \n").0, "");
    assert_eq!(trimmed("").0, "");
}

#[test]
fn a_body_loses_its_middle() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|word| word.repeat(49));
    let input = format!("first\n{a}\n{b}\n! keep\n{c}\n{d}\nlast\n");
    assert_eq!(trimmed(&input).0, format!("first\n{a}\n! keep\n{c}\n{d}\nlast"));
}

#[test]
fn the_first_line_of_a_message_stays_longest() {
    let line = "x".repeat(49);
    let input = format!("{line}\n{line}\nE: x\n{line}\n{line}\n{line}\n");
    let body = trimmed_within(&limits(), &input, &[(100, 154)]).0;
    assert_eq!(body, format!("{line}\nE: x\n{line}\n{line}"));
}
