"""seccomp: which system calls a process may make.

libseccomp compiles a profile's refusals to a BPF program once, in the parent; loading it in the child is one system
call, where libseccomp's own load would compile again in each.
"""

from __future__ import annotations

import errno
import functools
import os
import struct
from typing import Any, Final

from gg.confinement import _libc, _policy
from gg.confinement._errors import ConfinementError, ConfinementUnavailable

_ALLOW: Final = 0x7FFF_0000
_ERRNO: Final = 0x0005_0000
_KILL_PROCESS: Final = 0x8000_0000
_ATTRIBUTE_BAD_ARCHITECTURE: Final = 2
_ATTRIBUTE_OPTIMIZE: Final = 8
_BINARY_TREE: Final = 2
_MODE_FILTER: Final = 2
_MAX_INSTRUCTIONS: Final = 4096
_INSTRUCTION: Final = struct.Struct("=HBBI")

_LIBRARY: Final = "libseccomp.so.2"
_MISSING: Final = f"{_LIBRARY} was not found; install the Debian package libseccomp2 (libseccomp elsewhere)"


@functools.cache
def library() -> Any:
    """Return libseccomp. Raises `ConfinementUnavailable` where it is not installed."""
    try:
        return _libc.ffi.dlopen(_LIBRARY)
    except OSError:
        raise ConfinementUnavailable(_MISSING) from None


@functools.cache
def build(rules: tuple[_policy.Refusal, ...]) -> bytes:
    """Return the BPF program that refuses `rules` and allows the rest.

    `_policy.OWN_PID` may stand in it for the id of the process that will load it.
    """
    lib = library()
    context = lib.seccomp_init(_ALLOW)
    if context == _libc.ffi.NULL:
        message = "libseccomp refused to make a filter"
        raise ConfinementError(message)
    try:
        _check(lib.seccomp_attr_set(context, _ATTRIBUTE_BAD_ARCHITECTURE, _KILL_PROCESS), "architecture")
        lib.seccomp_attr_set(context, _ATTRIBUTE_OPTIMIZE, _BINARY_TREE)  # libseccomp before 2.5 has no tree
        for rule in rules:
            _add(lib, context, rule)
        program = _newer_calls_are_unknown() + _export(lib, context)
    finally:
        lib.seccomp_release(context)
    if len(program) > _MAX_INSTRUCTIONS * _INSTRUCTION.size:
        message = "the seccomp filter is larger than the kernel takes"
        raise ConfinementError(message)
    return program


def load(program: bytes) -> None:
    """Bind the calling thread, and what it starts from now on, to the filter. Needs no_new_privs."""
    own = _with_own_pid(program)
    instructions = _libc.ffi.from_buffer(own)
    filter_program = _libc.ffi.new("struct filter_program *", (len(own) // _INSTRUCTION.size, instructions))
    try:
        _libc.prctl("seccomp", _libc.PR_SET_SECCOMP, _MODE_FILTER, _libc.address(filter_program))
    except OSError as failure:
        raise ConfinementError(f"the kernel refused the seccomp filter: {failure.strerror}") from failure


def check_available() -> None:
    """Raise `ConfinementUnavailable` where the kernel or libseccomp is missing.

    The kernel answers EFAULT to an empty filter where it has filters at all, and EINVAL where it has none.
    """
    library()
    try:
        _libc.prctl("seccomp", _libc.PR_SET_SECCOMP, _MODE_FILTER, 0)
    except OSError as failure:
        if failure.errno != errno.EFAULT:
            reason = f"the kernel has no seccomp filters (CONFIG_SECCOMP_FILTER): {failure.strerror}"
            raise ConfinementUnavailable(reason) from None


def _add(lib: Any, context: Any, rule: _policy.Refusal) -> None:
    number = int(lib.seccomp_syscall_resolve_name(rule.call.encode()))
    if number < 0:
        # Negative: this architecture has no such call (fork on aarch64), or this libseccomp is too old to know it.
        number = _policy.UNIFIED_NUMBERS.get(rule.call, -1)
        if number < 0:
            return
    conditions = _libc.ffi.new("struct scmp_arg_cmp[]", max(1, len(rule.conditions)))
    for slot, test in zip(conditions, rule.conditions, strict=False):
        slot.arg, slot.op = test.argument, int(test.compare)
        masked = test.compare is _policy.Compare.MASKED_EQUAL
        slot.datum_a, slot.datum_b = (test.mask, test.value) if masked else (test.value, 0)
    action = _ERRNO | rule.error
    _check(lib.seccomp_rule_add_array(context, action, number, len(rule.conditions), conditions), rule.call)


def _check(answer: int, what: str) -> None:
    if answer < 0:
        raise ConfinementError(f"libseccomp refused the rule for {what}: {os.strerror(-answer)}")


def _export(lib: Any, context: Any) -> bytes:
    fd = os.memfd_create("gg-seccomp", os.MFD_CLOEXEC)
    try:
        _check(lib.seccomp_export_bpf(context, fd), "export")
        return os.pread(fd, os.fstat(fd).st_size, 0)
    finally:
        os.close(fd)


def _newer_calls_are_unknown() -> bytes:
    """Return the instructions that answer ENOSYS to calls numbered past `NEWEST_CALL`.

    libseccomp compares numbers for equality only. BPF jumps are relative, so these can stand before its program.
    """
    load_number, jump_if_greater, answer = 0x20, 0x25, 0x06
    return b"".join(
        (
            _INSTRUCTION.pack(load_number, 0, 0, 0),
            _INSTRUCTION.pack(jump_if_greater, 0, 1, _policy.NEWEST_CALL),
            _INSTRUCTION.pack(answer, 0, 0, _ERRNO | errno.ENOSYS),
        )
    )


def _with_own_pid(program: bytes) -> bytes:
    pid = os.getpid()
    return b"".join(
        _INSTRUCTION.pack(code, true, false, pid if value == _policy.OWN_PID else value)
        for code, true, false, value in _INSTRUCTION.iter_unpack(program)
    )
