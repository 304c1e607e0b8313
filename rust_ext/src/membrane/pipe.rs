//! Frames to and from the host, as `gg.protocol` has them: a little-endian length, then a msgpack array.

use super::leave;

const CALL: u8 = 14;
const LOG: u8 = 15;
const REPLY: u8 = 2;
const MAX_FRAME_BYTES: usize = 16 << 20;

/// The worker's end of its socket to the host. Blocking; while a guest runs nothing else reads it.
pub struct Pipe {
    fd: i32,
    out: Vec<u8>,
}

impl Pipe {
    pub fn new(fd: i32) -> Self {
        Self { fd, out: Vec::with_capacity(4096) }
    }

    /// Send `[CALL, payload, oversize, late, cpu]`.
    pub fn send_call(&mut self, payload: &[u8], oversize: usize, late: bool, cpu: i32) {
        self.start(5, CALL, payload);
        self.out.push(0xcf);
        self.out.extend_from_slice(&(oversize as u64).to_be_bytes());
        self.out.push(if late { 0xc3 } else { 0xc2 });
        self.out.push(0xd2);
        self.out.extend_from_slice(&cpu.to_be_bytes());
        self.finish();
    }

    /// Send `[LOG, records]`.
    pub fn send_log(&mut self, records: &[u8]) {
        self.start(2, LOG, records);
        self.finish();
    }

    /// Receive `[REPLY, payload, readable]` into `reply`, and return `readable`.
    pub fn receive_reply(&self, reply: &mut Vec<u8>) -> bool {
        // Most replies are small: read what is there, then the rest.
        reply.resize(4096.max(reply.capacity().min(65_536)), 0);
        let mut got = self.read(reply);
        while got < 4 {
            got += self.read(&mut reply[got..]);
        }
        let size = u32::from_le_bytes([reply[0], reply[1], reply[2], reply[3]]) as usize;
        if size > MAX_FRAME_BYTES || got > size + 4 {
            leave();
        }
        reply.resize(size + 4, 0);
        while got < size + 4 {
            got += self.read(&mut reply[got..]);
        }
        let Some((start, end)) = payload_of(reply) else { leave() };
        let readable = reply[end] == 0xc3;
        reply.truncate(end);
        reply.drain(..start);
        readable
    }

    fn start(&mut self, items: u8, tag: u8, payload: &[u8]) {
        self.out.clear();
        self.out.extend_from_slice(&[0, 0, 0, 0, 0x90 | items, tag, 0xc6]);
        self.out.extend_from_slice(&(payload.len() as u32).to_be_bytes());
        self.out.extend_from_slice(payload);
    }

    fn finish(&mut self) {
        let size = (self.out.len() - 4) as u32;
        self.out[..4].copy_from_slice(&size.to_le_bytes());
        let mut rest: &[u8] = &self.out;
        while !rest.is_empty() {
            // SAFETY: the pointer and length are those of a live slice.
            let sent = unsafe { libc::send(self.fd, rest.as_ptr().cast(), rest.len(), libc::MSG_NOSIGNAL) };
            if sent > 0 {
                rest = &rest[sent as usize..];
            } else if !interrupted() {
                leave();
            }
        }
        self.out.shrink_to(1 << 20);
    }

    fn read(&self, into: &mut [u8]) -> usize {
        loop {
            // SAFETY: the pointer and length are those of a live slice.
            let got = unsafe { libc::recv(self.fd, into.as_mut_ptr().cast(), into.len(), 0) };
            if got > 0 {
                return got as usize;
            }
            if got == 0 || !interrupted() {
                leave();
            }
        }
    }
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
}

/// Where the payload of a whole reply frame lies; `end` is where its `readable` flag stands.
fn payload_of(frame: &[u8]) -> Option<(usize, usize)> {
    let body = frame.get(4..)?;
    if *body.first()? != 0x93 || *body.get(1)? != REPLY {
        return None;
    }
    let (start, length): (usize, usize) = match *body.get(2)? {
        0xc4 => (4, usize::from(*body.get(3)?)),
        0xc5 => (5, usize::from(u16::from_be_bytes(body.get(3..5)?.try_into().ok()?))),
        0xc6 => (7, u32::from_be_bytes(body.get(3..7)?.try_into().ok()?) as usize),
        _ => return None,
    };
    let end = start.checked_add(length)?;
    let flag = *body.get(end)?;
    ((flag == 0xc2 || flag == 0xc3) && body.len() == end + 1).then_some((start + 4, end + 4))
}

#[cfg(test)]
mod tests {
    use super::payload_of;

    #[test]
    fn a_reply_is_read_whatever_width_its_length_has() {
        for (head, width) in [(vec![0xc4, 3], 1), (vec![0xc5, 0, 3], 2), (vec![0xc6, 0, 0, 0, 3], 4)] {
            let mut frame = vec![0, 0, 0, 0, 0x93, 2];
            frame.extend_from_slice(&head);
            frame.extend_from_slice(b"abc\xc3");
            assert_eq!(payload_of(&frame), Some((7 + width, 10 + width)));
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for frame in [
            &b"\0\0\0\0"[..],
            b"\0\0\0\0\x93\x03\xc4\x01a\xc3",
            b"\0\0\0\0\x93\x02\xc4\x05a\xc3",
            b"\0\0\0\0\x93\x02\xc4\x01a\x07",
            b"\0\0\0\0\x93\x02\xc4\x01a\xc3\xc3",
        ] {
            assert_eq!(payload_of(frame), None);
        }
    }
}
