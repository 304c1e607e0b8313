//! Start a program confined without copying the process that starts it: a child that shares its memory until it
//! execs (as `vfork` does), and makes system calls alone meanwhile. A fork of a Python process costs milliseconds.
//!
//! What the profile says was made ready by the caller: a Landlock ruleset, a seccomp program, numbers. The order is
//! that of `gg.confinement`: limits, no_new_privs, Landlock, capabilities, seccomp.

#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_long, c_ulong, c_void};
use std::io;
use std::ptr;

/// The exit status of a child that could not be started; why is in its output.
const NOT_STARTED: c_int = 127;
const STACK_BYTES: usize = 64 << 10;
const CAPABILITY_VERSION: u32 = 0x2008_0522;
const CAP_DAC_OVERRIDE: u32 = 1 << 1;
const SYS_LANDLOCK_RESTRICT_SELF: c_long = 446;
const SECCOMP_MODE_FILTER: c_ulong = 2;
/// One instruction of a seccomp program.
const INSTRUCTION_BYTES: usize = 8;

/// What to start, and under what.
pub struct Start {
    /// The program's absolute path.
    pub executable: CString,
    /// All of `argv`, the name first.
    pub arguments: Vec<CString>,
    /// `NAME=value`.
    pub environment: Vec<CString>,
    /// Descriptors of the caller's: the folder it starts in, its standard input, and its output.
    pub folder: c_int,
    /// Standard input.
    pub stdin: c_int,
    /// Standard output and standard error.
    pub output: c_int,
    /// (resource, soft, hard) of each limit.
    pub limits: Vec<(u32, u64, u64)>,
    /// A Landlock ruleset and a seccomp program, unless it is to run unconfined.
    pub confinement: Option<(c_int, Vec<u8>)>,
}

#[repr(C)]
struct FilterProgram {
    length: u16,
    instructions: *const u8,
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: c_int,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct CapabilityData {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// What the child reads; made before it starts, because it must not allocate.
struct Plan<'a> {
    start: &'a Start,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    parent: libc::pid_t,
}

/// Start it, in a session of its own, and return its process id.
pub fn start(start: &Start) -> io::Result<libc::pid_t> {
    let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect();
    // SAFETY: getpid has no preconditions.
    let parent = unsafe { libc::getpid() };
    let plan = Plan { start, arguments: pointers(&start.arguments), environment: pointers(&start.environment), parent };
    let mut stack = vec![0u128; STACK_BYTES / 16];
    // SAFETY: the stack outlives the child's use of it, as does the plan: with CLONE_VFORK this thread goes on only
    // when the child has exec'd or ended. The child shares memory but no descriptors, and allocates nothing.
    let pid = unsafe {
        let top = stack.as_mut_ptr().add(stack.len()).cast::<c_void>();
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        libc::clone(child, top, flags, ptr::from_ref(&plan).cast_mut().cast::<c_void>())
    };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(pid) }
}

extern "C" fn child(plan: *mut c_void) -> c_int {
    // SAFETY: it is the plan that `start` holds until this child has exec'd or ended.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    // SAFETY: system calls on what the plan holds; nothing here allocates or unwinds.
    unsafe {
        let what = become_it(plan);
        complain(what);
        libc::_exit(NOT_STARTED)
    }
}

/// Make the calls in order; returns the name of the one that failed.
unsafe fn become_it(plan: &Plan<'_>) -> &'static str {
    let start = plan.start;
    unsafe {
        if libc::setsid() < 0 {
            return "setsid";
        }
        if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong, 0, 0, 0) < 0 || libc::getppid() != plan.parent
        {
            return "its parent is gone";
        }
        // Python ignores these, and exec keeps that.
        for signal in [libc::SIGINT, libc::SIGPIPE, libc::SIGXFSZ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        // The output first: what goes wrong is written there.
        if libc::dup2(start.output, 1) < 0 || libc::dup2(start.output, 2) < 0 || libc::dup2(start.stdin, 0) < 0 {
            return "dup2";
        }
        if libc::fchdir(start.folder) < 0 {
            return "fchdir";
        }
        for &(resource, soft, hard) in &start.limits {
            let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard };
            if libc::setrlimit(resource as _, &limit) < 0 {
                return "setrlimit";
            }
        }
        if let Some((ruleset, program)) = &start.confinement {
            if let Some(failed) = confine(*ruleset, program) {
                return failed;
            }
        }
        libc::execve(start.executable.as_ptr(), plan.arguments.as_ptr(), plan.environment.as_ptr());
    }
    "execve"
}

unsafe fn confine(ruleset: c_int, program: &[u8]) -> Option<&'static str> {
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1 as c_ulong, 0, 0, 0) < 0 {
            return Some("no_new_privs");
        }
        if libc::syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0) < 0 {
            return Some("landlock_restrict_self");
        }
        let mut header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
        let mut held = [CapabilityData::default(); 2];
        if libc::syscall(libc::SYS_capget, &raw mut header, &raw mut held) < 0 {
            return Some("capget");
        }
        let kept = held[0].permitted & CAP_DAC_OVERRIDE;
        let wanted = [CapabilityData { effective: kept, permitted: kept, inheritable: 0 }, CapabilityData::default()];
        if libc::syscall(libc::SYS_capset, &raw mut header, &raw const wanted) < 0 {
            return Some("capset");
        }
        let filter =
            FilterProgram { length: (program.len() / INSTRUCTION_BYTES) as u16, instructions: program.as_ptr() };
        if libc::prctl(libc::PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &raw const filter, 0, 0) < 0 {
            return Some("seccomp");
        }
    }
    None
}

/// Say on the output which call failed, and why by number.
unsafe fn complain(what: &str) {
    let mut number = io::Error::last_os_error().raw_os_error().unwrap_or(0);
    let mut digits = [0u8; 12];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 || at == 0 {
            break;
        }
    }
    for part in [what.as_bytes(), b" failed: errno ", &digits[at..], b"\n"] {
        unsafe { libc::write(2, part.as_ptr().cast::<c_void>(), part.len()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    fn run(arguments: &[&str], limits: Vec<(u32, u64, u64)>) -> (String, c_int) {
        let text = |text: &str| CString::new(text).unwrap();
        let mut ends = [0; 2];
        // SAFETY: an array of two descriptors, which are owned from here on.
        let (reading, writing) = unsafe {
            assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
            (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
        };
        let folder = File::open("/").unwrap();
        let null = File::open("/dev/null").unwrap();
        let pid = start(&Start {
            executable: text(arguments[0]),
            arguments: arguments.iter().map(|argument| text(argument)).collect(),
            environment: vec![text("GREETING=hello")],
            folder: folder.as_raw_fd(),
            stdin: null.as_raw_fd(),
            output: writing.as_raw_fd(),
            limits,
            confinement: None,
        })
        .unwrap();
        drop(writing);
        let mut printed = String::new();
        File::from(reading).read_to_string(&mut printed).unwrap();
        let mut status = 0;
        // SAFETY: the child is this process's own, and waited for once.
        unsafe { assert_eq!(libc::waitpid(pid, &mut status, 0), pid) };
        (printed, status)
    }

    #[test]
    fn a_program_runs_in_its_folder_with_its_environment_and_limits() {
        let (printed, status) =
            run(&["/bin/sh", "-c", "pwd; echo $GREETING; ulimit -n"], vec![(libc::RLIMIT_NOFILE, 100, 100)]);
        assert_eq!((printed.as_str(), status), ("/\nhello\n100\n", 0));
    }

    #[test]
    fn one_that_is_not_there_says_so() {
        let (printed, status) = run(&["/nonexistent/compiler"], vec![]);
        assert_eq!(printed, "execve failed: errno 2\n");
        assert_eq!(libc::WEXITSTATUS(status), NOT_STARTED);
    }
}
