//! The entry points of the core form: `gg.call` and `gg.take`.

use super::Membrane;
use std::ffi::c_void;

const RING_HEADER: usize = 8;

/// wasmtime's `wasmtime_val_raw_t`: 16 bytes, of which an i32 takes the first four.
#[repr(C, align(16))]
pub struct RawValue {
    low: i32,
    _rest: [u32; 3],
}

/// The guest's memory, for the length of one entry: it may have moved since the last one.
struct Memory {
    base: *mut u8,
    size: usize,
}

impl Memory {
    /// The bytes of `length` from `pointer`, or `None` where they are not all the guest's.
    fn slice(&mut self, pointer: u32, length: usize) -> Option<&mut [u8]> {
        let end = (pointer as usize).checked_add(length)?;
        // SAFETY: the range lies in the guest's memory, which neither moves nor shrinks while the guest waits.
        (end <= self.size).then(|| unsafe { std::slice::from_raw_parts_mut(self.base.add(pointer as usize), length) })
    }
}

impl Membrane {
    /// # Safety
    /// `caller` is what wasmtime handed to the entry point that runs.
    unsafe fn guest_memory(&self, caller: *mut c_void) -> Memory {
        // SAFETY: as promised; `memory` is the running instance's, set by `begin`.
        unsafe {
            let context = (self.api.caller_context)(caller);
            let memory = self.memory.as_ptr().cast();
            Memory { base: (self.api.memory_data)(context, memory), size: (self.api.memory_data_size)(context, memory) }
        }
    }

    /// Send what the log ring holds, and empty it.
    fn drain(&mut self, memory: &mut Memory) {
        let Some(ring) = self.ring else { return };
        let Some(header) = memory.slice(ring, RING_HEADER) else { return };
        let used = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        if used == 0 {
            return;
        }
        header[4..].fill(0);
        if let Some(start) = ring.checked_add(RING_HEADER as u32)
            && let Some(records) = memory.slice(start, used as usize)
        {
            self.pipe.send_log(records);
        }
    }
}

/// `gg.call(request, length, out, capacity) -> n`.
///
/// # Safety
/// Called by wasmtime only: `env` is the `Membrane` it was defined with, `args` four raw values.
pub unsafe extern "C" fn core_call(
    env: *mut c_void,
    caller: *mut c_void,
    args: *mut RawValue,
    _: usize,
) -> *mut c_void {
    // SAFETY: as promised; nothing else uses the membrane while the guest runs.
    let (membrane, args) = unsafe { (&mut *env.cast::<Membrane>(), std::slice::from_raw_parts_mut(args, 4)) };
    // SAFETY: `caller` is wasmtime's.
    let mut memory = unsafe { membrane.guest_memory(caller) };
    membrane.drain(&mut memory);
    let [request, length, out, capacity] =
        [args[0].low as u32, args[1].low as u32, args[2].low as u32, args[3].low as u32];
    let Some(data) = memory.slice(request, length as usize) else {
        args[0].low = -1;
        return std::ptr::null_mut();
    };
    let readable = membrane.ask(data);
    let size = membrane.reply.len();
    membrane.waiting = true;
    if size <= capacity as usize
        && let Some(room) = memory.slice(out, size)
    {
        room.copy_from_slice(&membrane.reply);
        membrane.waiting = false;
    }
    args[0].low = if readable { size as i32 } else { -1 - size as i32 };
    std::ptr::null_mut()
}

/// `gg.take(out) -> n`.
///
/// # Safety
/// As for `core_call`, with one raw value.
pub unsafe extern "C" fn core_take(
    env: *mut c_void,
    caller: *mut c_void,
    args: *mut RawValue,
    _: usize,
) -> *mut c_void {
    // SAFETY: as promised.
    let (membrane, argument) = unsafe { (&mut *env.cast::<Membrane>(), &mut *args) };
    // SAFETY: `caller` is wasmtime's.
    let mut memory = unsafe { membrane.guest_memory(caller) };
    let size = membrane.reply.len();
    let room = if membrane.waiting { memory.slice(argument.low as u32, size) } else { None };
    membrane.waiting = false;
    argument.low = match room {
        Some(room) => {
            room.copy_from_slice(&membrane.reply);
            size as i32
        }
        None => -1,
    };
    std::ptr::null_mut()
}
