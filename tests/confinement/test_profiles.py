"""Preparing, applying and proving profiles, and the profiles other than a worker's."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import gg.confinement
from gg.confinement import (
    ConfinementError,
    ConfinementUnavailable,
    Profile,
    ResourceLimits,
    _declarations,
    _libc,
    apply,
    canary,
    compiler_profile,
    landlock,
    precompile_profile,
    prepare,
    probe,
    prove,
    seccomp,
)


def test_the_generated_bindings_are_current() -> None:
    """`_bindings.py` is what its generator writes from the declarations."""
    assert Path(_declarations.__file__).with_name("_bindings.py").read_text() == _declarations.generate()


def test_the_package_lists_its_names() -> None:
    """`__all__` is sorted and every name in it exists."""
    assert gg.confinement.__all__ == sorted(gg.confinement.__all__)
    assert all(hasattr(gg.confinement, name) for name in gg.confinement.__all__)


def test_without_landlock_nothing_is_prepared(worker: Profile) -> None:
    """ABI 0 raises, with a reason, and proves to be no confinement."""
    with pytest.raises(ConfinementUnavailable, match="Landlock"):
        prepare(worker, landlock_abi=0)
    assert prove(worker, landlock_abi=0).level == "none"


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM])
def test_each_kernel_without_landlock_says_why(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Not built, switched off at boot and blocked by a container are told apart; the probe raises nothing."""

    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(_libc, "syscall", refuse)
    found = probe()
    assert (found.level, found.landlock_abi) == ("none", 0)
    assert "Landlock" in found.reason


def test_a_missing_libseccomp_is_named(monkeypatch: pytest.MonkeyPatch, worker: Profile) -> None:
    """The reason names the Debian package to install."""
    seccomp.library.cache_clear()
    seccomp.build.cache_clear()
    monkeypatch.setattr(seccomp, "_LIBRARY", "libseccomp.so.404")
    with pytest.raises(ConfinementUnavailable, match="libseccomp2"):
        prepare(worker)
    assert "libseccomp2" in probe().reason
    seccomp.library.cache_clear()


def test_seccomp_alone_still_refuses(worker: Profile, confined: Any) -> None:
    """Without Landlock, on request: no process, no socket; the canary tells that files are open."""
    assert confined(worker, os.fork, without_landlock=True) == ["errno", errno.EPERM]
    answer = confined(worker, lambda: canary(worker), without_landlock=True)
    assert "read /etc/passwd" in answer[1]
    assert "socket" not in answer[1].splitlines()[-1]


def test_the_canary_finds_the_holes_of_an_open_process(worker: Profile, confined: Any) -> None:
    """Under a profile that allows more than the one it is told, it names each hole."""
    loose = Profile("loose", ("/",), ("/tmp",), may_execute=True, may_fork=True)  # noqa: S108
    text = confined(loose, lambda: canary(worker))[1].splitlines()[-1]
    for hole in ("read /etc/passwd", "write outside its folder", "start a process", "start a program"):
        assert hole in text


def test_prove_confines_and_reports(worker: Profile, abi: int) -> None:
    """The profile is seen to hold at each ABI, and this process stays free."""
    assert prove(worker, landlock_abi=abi) == gg.confinement.Confinement("full", abi, "")
    assert Path("/etc/passwd").exists()


def test_a_missing_writable_folder_is_an_error(tmp_path: Path) -> None:
    """A readable path that is not there is skipped; a writable one is a mistake, and no descriptor is left open."""
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ConfinementError, match="gone"):
        prepare(Profile("x", (str(tmp_path / "absent"),), (str(tmp_path / "gone"),)))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_process_with_threads_is_not_confined_by_halves(worker: Profile) -> None:
    """The other threads would stay free, so `apply` refuses before it changes anything."""
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with prepare(worker) as prepared, pytest.raises(ConfinementError, match="threads"):
            apply(prepared)
    finally:
        stop.set()
        thread.join()


def test_limits_are_set_and_never_raised(confined: Any, private: Path) -> None:
    """Soft and hard limits are those asked for, or the hard limit in force where that is lower."""
    profile = Profile(
        "x", (), (str(private),), limits=ResourceLimits(data_bytes=1 << 29, file_bytes=1 << 20, open_files=1 << 40)
    )
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    names = ("RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE")
    answer = confined(profile, lambda: [resource.getrlimit(getattr(resource, name)) for name in names])
    assert answer == [[1 << 29] * 2, [1 << 20] * 2, [hard] * 2, [0, 0]]


def test_precompile_writes_the_cache_alone(tmp_path: Path, confined: Any, abi: int) -> None:
    """It reads the guest, writes beside it in the cache with its final mode, locks, and starts nothing."""
    guest, cache = tmp_path / "guest.wasm", tmp_path / "cache"
    guest.write_bytes(b"wasm")
    cache.mkdir()
    profile = precompile_profile((str(guest), *filter(None, sys.path)), (str(cache),))

    def compile_guest() -> str:
        import fcntl  # noqa: PLC0415

        fd = os.open(cache / "new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, guest.read_bytes())
        os.rename(cache / "new", cache / "guest.cwasm")
        return (cache / "guest.cwasm").read_text()

    assert confined(profile, compile_guest, abi) == "wasm"
    assert confined(profile, lambda: guest.write_bytes(b""), abi) == ["errno", errno.EACCES]
    assert confined(profile, os.fork, abi) == ["errno", errno.EPERM]


def test_a_compiler_runs_tools_and_nothing_else(tmp_path: Path, confined: Any, abi: int) -> None:
    """It starts the programs under its read paths; sockets, other folders, namespaces and its parent are closed."""
    folder = tmp_path / "preparation"
    folder.mkdir()
    roots = ("/usr", "/lib", "/lib64", "/bin", *filter(None, sys.path))
    profile = compiler_profile("cc", str(folder), roots)
    parent = os.getpid()

    def shell(script: str) -> int:
        return subprocess.run(["/bin/sh", "-c", script], cwd=folder, capture_output=True, check=False).returncode  # noqa: S603

    assert confined(profile, lambda: shell("echo hi | cat > out && test -s out"), abi) == 0
    assert confined(profile, lambda: shell("cat /etc/passwd"), abi) == 1
    assert confined(profile, lambda: shell(f"echo x > {tmp_path}/out"), abi) != 0
    assert confined(profile, lambda: os.kill(parent, signal.SIGTERM), abi) == ["errno", errno.EPERM]
    newuser, sigchld = 0x10000000, 17
    number = int(seccomp.library().seccomp_syscall_resolve_name(b"clone"))
    assert confined(profile, lambda: _libc.syscall("clone", number, newuser | sigchld), abi) == ["errno", errno.EPERM]
    assert prove(profile, landlock_abi=abi).level == "full"


def test_rights_grow_with_the_abi() -> None:
    """Each ABI handles all the rights it knows, and no right twice."""
    assert landlock.handled(1) == (1 << 13) - 1
    assert landlock.handled(2) == (1 << 14) - 1
    assert landlock.handled(4) == (1 << 15) - 1
    assert landlock.handled(6) == (1 << 16) - 1
