//! Exact o200k_base token counts.
//!
//! A text is cut into pieces and each piece is encoded for itself. `bpe_openai` does both; in front of it stand a
//! splitter for ASCII and a memory of the pieces counted last, which together make program text several times faster.

mod memory;
mod split;

use std::cell::RefCell;

use bpe_openai::Tokenizer;
use memory::Memory;

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::new());
}

/// The tokenizer, built from the vocabulary inside this library at the first call (tens of milliseconds).
pub fn tokenizer() -> &'static Tokenizer {
    bpe_openai::o200k_base()
}

/// How many o200k_base tokens `text` encodes to; text that spells a special token is ordinary text.
pub fn count(text: &str) -> usize {
    if text.is_empty() {
        return 0;
    }
    let tokenizer = tokenizer();
    MEMORY.with_borrow_mut(|memory| {
        split::pieces(tokenizer, text)
            .map(|piece| memory.count(piece.as_bytes(), |piece| tokenizer.bpe.count(piece)))
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::{count, split, tokenizer};

    /// Pieces of text at which the splitter has to decide something.
    const PARTS: &[&str] = &[
        "\r",
        "\n",
        "\r\n",
        " ",
        "  ",
        "\t",
        "\u{b}",
        "\u{1c}",
        "\u{85}",
        "\u{a0}",
        "\u{3000}",
        "\u{feff}",
        "a",
        "A",
        "Ab",
        "HTMLParser",
        "é",
        "e\u{301}",
        "\u{301}",
        "中",
        "ʰ",
        "ǅ",
        "1",
        "123",
        "1234",
        "٣",
        "²",
        "'s",
        "'S",
        "'LL",
        "'ll",
        "'re",
        "'ſ",
        "'",
        "’s",
        "/",
        "//",
        "!",
        "(",
        "/\n",
        "\0",
        "\u{7f}",
        "👍🏽",
        "x",
        "_",
    ];

    #[test]
    fn counts_are_those_of_o200k_base() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("<|endoftext|>"), 7);
    }

    #[test]
    fn pieces_and_counts_are_those_of_the_tokenizer() {
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..20_000 {
            let text: String = (0..random(20)).map(|_| PARTS[random(PARTS.len())]).collect();
            let pieces: Vec<_> = split::pieces(tokenizer(), &text).collect();
            assert_eq!(pieces, tokenizer().split(&text).collect::<Vec<_>>(), "{text:?}");
            assert_eq!(count(&text), tokenizer().count(text.as_str()), "{text:?}");
        }
    }
}
