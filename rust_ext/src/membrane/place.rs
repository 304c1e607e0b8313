//! Where this process runs: anywhere, or on one CPU, where the host follows it.

/// The CPUs this process may use, and the one it stays on.
pub struct Place {
    free: Option<libc::cpu_set_t>,
    shared: bool,
    cpu: i32,
}

impl Place {
    pub fn new() -> Self {
        // SAFETY: a set of CPUs is plain bits, and the kernel writes at most its size.
        let free = unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            let failed = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) != 0;
            (!failed).then_some(set)
        };
        Self { free, shared: false, cpu: -1 }
    }

    /// Allow staying, or be free again.
    pub fn share(&mut self, allowed: bool) {
        self.shared = allowed && self.free.is_some();
        if self.cpu >= 0
            && !self.shared
            && let Some(free) = &self.free
        {
            self.cpu = -1;
            settle(free);
        }
    }

    /// Stay on the CPU this process is on, if that is allowed, and return it; -1 where it is not.
    pub fn stay(&mut self) -> i32 {
        if self.shared && self.cpu < 0 {
            // SAFETY: neither call reads or writes memory but the set, which is as large as said.
            unsafe {
                let cpu = libc::sched_getcpu();
                let mut set: libc::cpu_set_t = std::mem::zeroed();
                if cpu >= 0 && (cpu as usize) < 8 * size_of::<libc::cpu_set_t>() {
                    libc::CPU_SET(cpu as usize, &mut set);
                    if settle(&set) {
                        self.cpu = cpu;
                    }
                }
            }
            self.shared = self.cpu >= 0;
        }
        self.cpu
    }
}

fn settle(set: &libc::cpu_set_t) -> bool {
    // SAFETY: the kernel reads a set of the size said.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) == 0 }
}
