//! The membrane's entry points: what a guest calls, without Python between.
//!
//! wasmtime is reached through the C interface of the library that Python has loaded, by function pointers handed
//! over; nothing here links a wasmtime of its own. An entry point always answers a value. When the host is gone, or
//! answers what is no frame, the worker process ends at once.

#![allow(unsafe_code)]

mod component;
mod core;
mod pipe;
mod place;

pub use component::component_call;
pub use core::{core_call, core_take};
use pipe::Pipe;
use place::Place;
use std::ffi::c_void;
use std::time::{Duration, Instant};

/// A request over this is cut to its head, from which the host names the call it refuses.
const MAX_REQUEST_BYTES: usize = (16 << 20) - 1024;
const HEAD_BYTES: usize = 256;
/// So many calls do not make a loop of calls: staying on a CPU costs more than it brings.
const CALLS_BEFORE_STAYING: u32 = 2;

/// Functions of the loaded wasmtime library.
#[derive(Clone, Copy)]
pub struct Api {
    /// `wasmtime_caller_context`.
    pub caller_context: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    /// `wasmtime_memory_data`.
    pub memory_data: unsafe extern "C" fn(*mut c_void, *const c_void) -> *mut u8,
    /// `wasmtime_memory_data_size`.
    pub memory_data_size: unsafe extern "C" fn(*mut c_void, *const c_void) -> usize,
    /// `wasm_byte_vec_new`.
    pub byte_vec_new: unsafe extern "C" fn(*mut c_void, usize, *const u8),
    /// The kind of a component's string value.
    pub string_kind: u8,
}

/// One worker's membrane: its socket to the host, its deadline's timer, and the guest that runs at the moment.
pub struct Membrane {
    api: Api,
    pipe: Pipe,
    timer: usize,
    /// The guest's `wasmtime_memory_t`, as wasmtime-py holds it.
    memory: [u8; 32],
    ring: Option<u32>,
    /// Set once the guest has reported: its later calls are marked.
    pub late: bool,
    /// Time spent waiting for the host.
    pub parked: Duration,
    /// Whether the deadline had passed when a call parked.
    pub fired: bool,
    reply: Vec<u8>,
    waiting: bool,
    calls: u32,
    place: Place,
}

impl Membrane {
    /// A membrane over the socket `fd`, whose deadline is the POSIX timer `timer`.
    pub fn new(api: Api, fd: i32, timer: usize) -> Self {
        Self {
            api,
            pipe: Pipe::new(fd),
            timer,
            memory: [0; 32],
            ring: None,
            late: false,
            parked: Duration::ZERO,
            fired: false,
            reply: Vec::new(),
            waiting: false,
            calls: 0,
            place: Place::new(),
        }
    }

    /// Begin a program. `memory` and `ring` are those of a core module's instance.
    pub fn begin(&mut self, memory: &[u8], ring: Option<u32>) {
        let length = memory.len().min(self.memory.len());
        self.memory[..length].copy_from_slice(&memory[..length]);
        self.ring = ring;
        self.late = false;
        self.parked = Duration::ZERO;
        self.fired = false;
        self.waiting = false;
        self.calls = 0;
    }

    /// Whether a program that calls again may keep this process on its CPU; when not, it is free again.
    pub fn share_cpu(&mut self, allowed: bool) {
        self.place.share(allowed);
    }

    /// Have the host answer `request`; the answer is in `self.reply`. The deadline stands still meanwhile.
    fn ask(&mut self, request: &[u8]) -> bool {
        let left = timer_set(self.timer, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        let began = Instant::now(); // after the timer has stopped, and taken before it goes on: the two agree
        let oversize = if request.len() > MAX_REQUEST_BYTES { request.len() } else { 0 };
        let sent = if oversize == 0 { request } else { &request[..HEAD_BYTES] };
        self.calls += 1;
        let cpu = if self.calls > CALLS_BEFORE_STAYING { self.place.stay() } else { -1 };
        self.pipe.send_call(sent, oversize, self.late, cpu);
        let readable = self.pipe.receive_reply(&mut self.reply);
        self.parked += began.elapsed();
        if left.tv_sec == 0 && left.tv_nsec == 0 {
            self.fired = true; // the epoch has advanced, or will: the guest is stopped when it is back in wasm
        } else {
            timer_set(self.timer, left);
        }
        readable
    }
}

/// Set the timer to fire once after `value` (zero: never), and return what was left.
fn timer_set(timer: usize, value: libc::timespec) -> libc::timespec {
    let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let new = libc::itimerspec { it_interval: never, it_value: value };
    let mut old = libc::itimerspec { it_interval: never, it_value: never };
    // SAFETY: `timer` is a live timer of this process: Python keeps it as long as the membrane.
    let failed = unsafe { libc::timer_settime(timer as libc::timer_t, 0, &raw const new, &raw mut old) };
    if failed != 0 {
        leave();
    }
    old.it_value
}

/// End this process: its host is gone or not to be trusted.
fn leave() -> ! {
    // SAFETY: ends the process and touches nothing.
    unsafe { libc::_exit(70) }
}
