//! The records in which a guest hands over what it prints: stream, little-endian length, bytes.

/// The stream of ordinary output.
pub const STDOUT: u8 = 1;
/// The stream of errors.
pub const STDERR: u8 = 2;

const HEADER_BYTES: usize = 5;

/// Hand each whole record of `data` to `take`; returns the length of the rest, which is none.
///
/// A guest writes the records, so nothing in them is trusted: reading stops at the first one that names no stream or
/// is longer than what is there.
pub fn read(mut data: &[u8], mut take: impl FnMut(u8, &[u8])) -> usize {
    while let Some((header, rest)) = data.split_first_chunk::<HEADER_BYTES>() {
        let [stream, length @ ..] = *header;
        let length = u32::from_le_bytes(length) as usize;
        if !matches!(stream, STDOUT | STDERR) || length > rest.len() {
            break;
        }
        let (bytes, rest) = rest.split_at(length);
        take(stream, bytes);
        data = rest;
    }
    data.len()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn reading_stops_at_a_malformed_record() {
        let mut seen = Vec::new();
        let mut data = vec![1, 2, 0, 0, 0, b'a', b'b', 2, 0, 0, 0, 0];
        assert_eq!(read(&data, |stream, bytes| seen.push((stream, bytes.to_vec()))), 0);
        assert_eq!(seen, vec![(1, b"ab".to_vec()), (2, Vec::new())]);
        data.extend([3, 0, 0, 0, 0]);
        assert_eq!(read(&data, |_, _| {}), 5);
        assert_eq!(read(&[1, 255, 255, 255, 255, 0], |_, _| {}), 6);
    }
}
