//! What the pieces counted last came to.

/// Pieces up to this length are remembered.
const MAX_PIECE_BYTES: usize = 15;
/// A quarter of a megabyte: enough for the words of a program, little enough for the processor's cache.
const SLOTS_LOG2: u32 = 13;

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The piece and its length: 0, which no piece has, in an empty slot.
    key: u128,
    count: u32,
}

/// A table with one place for a piece; the newer of two that share a place displaces the older.
#[derive(Debug)]
pub struct Memory {
    slots: Box<[Slot]>,
}

impl Memory {
    /// An empty memory.
    pub fn new() -> Self {
        Self { slots: vec![Slot::default(); 1 << SLOTS_LOG2].into_boxed_slice() }
    }

    /// The count of `piece`, which is not empty: remembered, or by `count`.
    pub fn count(&mut self, piece: &[u8], count: impl FnOnce(&[u8]) -> usize) -> usize {
        let Some(key) = key_of(piece) else { return count(piece) };
        let slot = &mut self.slots[place_of(key)];
        if slot.key != key {
            // At most MAX_PIECE_BYTES tokens.
            *slot = Slot { key, count: count(piece) as u32 };
        }
        slot.count as usize
    }
}

fn key_of(piece: &[u8]) -> Option<u128> {
    if piece.len() > MAX_PIECE_BYTES {
        return None;
    }
    let mut key = [0; 16];
    key[..piece.len()].copy_from_slice(piece);
    key[MAX_PIECE_BYTES] = piece.len() as u8;
    Some(u128::from_le_bytes(key))
}

fn place_of(key: u128) -> usize {
    let folded = (key as u64 ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (folded >> (64 - SLOTS_LOG2)) as usize
}
