"""The cache of compiled guests: what it trusts, where it writes, and what it does when it cannot."""

from __future__ import annotations

import errno
import hashlib
import importlib.metadata
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from io import BufferedRandom
from pathlib import Path
from typing import Any

import pytest

import gg.cache
from gg.cache import GuestCache, _folder, _keys, cpu_features, default_folder, key
from gg.confinement import apply, precompile_profile, prepare

KEY = "k" * 64
GUEST = b"compiled guest" * 1000


@pytest.fixture
def cache(tmp_path: Path) -> GuestCache:
    """A cache with a folder of its own and one entry."""
    made = GuestCache(tmp_path / "user" / "gg" / "guests", tmp_path / "private")
    made.store(KEY, GUEST)
    return made


def _entry(cache: GuestCache, suffix: str = ".cwasm") -> Path:
    return cache.folder / (KEY + suffix)


def test_an_entry_comes_back(cache: GuestCache) -> None:
    """What was stored is found, in the user's folder, and nothing temporary is left beside it."""
    assert cache.reason is None
    found = cache.lookup(KEY)
    assert found == _entry(cache)
    assert found.read_bytes() == GUEST
    assert sorted(os.listdir(cache.folder)) == [KEY + ".cwasm", KEY + ".sha256"]
    assert cache.lookup("other") is None


def test_modes_keep_others_out(cache: GuestCache) -> None:
    """The folder is 0700, entries are read-only for their owner."""
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    assert _entry(cache).stat().st_mode & 0o777 == 0o400
    assert _entry(cache, ".sha256").stat().st_mode & 0o777 == 0o400


def test_a_writer_writes_to_the_file(cache: GuestCache) -> None:
    """A function may write the entry; one that fails leaves nothing and its exception comes out."""
    assert cache.store("a", lambda file: file.write(b"by hand")).read_bytes() == b"by hand"
    assert cache.lookup("a") is not None

    def fail(file: Any) -> None:
        file.write(b"half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cache.store("b", fail)
    assert not [name for name in os.listdir(cache.folder) if name.startswith("b") or name.endswith(".tmp")]


def test_storing_again_replaces(cache: GuestCache) -> None:
    """The new bytes are found; who has the old file open goes on reading it."""
    with _entry(cache).open("rb") as mapped:
        cache.store(KEY, b"new")
        assert mapped.read() == GUEST
    found = cache.lookup(KEY)
    assert found is not None
    assert found.read_bytes() == b"new"


def _flip(path: Path) -> None:
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff")


def _truncate(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, 100)


def _empty(path: Path) -> None:
    path.chmod(0o600)
    os.truncate(path, 0)


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))


def _group_writable(path: Path) -> None:
    path.chmod(0o420)


def _world_writable(path: Path) -> None:
    path.chmod(0o402)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _without_digest(path: Path) -> None:
    path.with_suffix(".sha256").unlink()


def _damaged_digest(path: Path) -> None:
    digest = path.with_suffix(".sha256")
    digest.chmod(0o600)
    digest.write_text("0" * 64)


def _linked_digest(path: Path) -> None:
    _link(path.with_suffix(".sha256"))


SPOILERS = [
    _flip,
    _truncate,
    _empty,
    _link,
    _group_writable,
    _world_writable,
    _pipe,
    _without_digest,
    _damaged_digest,
    _linked_digest,
]


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__.strip("_"))
def test_a_spoilt_entry_is_missing(cache: GuestCache, spoil: Callable[[Path], None]) -> None:
    """It is not found, it is removed, and storing again heals it."""
    spoil(_entry(cache))
    assert cache.lookup(KEY) is None
    assert not os.path.lexists(_entry(cache))
    cache.store(KEY, GUEST)
    assert cache.lookup(KEY) == _entry(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_foreign_entry_is_missing(cache: GuestCache) -> None:
    """Another user's file is not trusted, and not removed either."""
    os.chown(_entry(cache), 12345, 12345)
    assert cache.lookup(KEY) is None
    assert _entry(cache).exists()


def test_digests_are_computed_once(cache: GuestCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file seen before is trusted until it changes or the checks are forgotten."""
    computed: list[str] = []
    real = hashlib.file_digest

    def counting(file: BufferedRandom, name: str) -> Any:
        computed.append(name)
        return real(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counting)
    for _ in range(3):
        assert cache.lookup(KEY)
    assert len(computed) == 1
    cache.forget_checks()
    assert cache.lookup(KEY)
    assert len(computed) == 2  # noqa: PLR2004
    os.utime(_entry(cache), (1, 1))
    assert cache.lookup(KEY)
    assert len(computed) == 3  # noqa: PLR2004


def test_damage_behind_the_check_is_found_after_forgetting(cache: GuestCache) -> None:
    """A flipped byte that left size and time alone is noticed once a worker has died."""
    assert cache.lookup(KEY)
    before = _entry(cache).stat()
    _flip(_entry(cache))
    _entry(cache).chmod(0o400)
    os.utime(_entry(cache), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cache.lookup(KEY)
    cache.forget_checks()
    assert cache.lookup(KEY) is None


def test_off_leaves_the_users_folder_alone(tmp_path: Path) -> None:
    """With the cache off entries live in the private folder, and the user's is not even made."""
    cache = GuestCache(tmp_path / "user", tmp_path / "private", off=True)
    assert cache.reason == "the cache is off"
    assert cache.store(KEY, GUEST).parent == tmp_path / "private"
    assert cache.lookup(KEY)
    assert not (tmp_path / "user").exists()
    assert cache.read_folders() == cache.write_folders() == (str(tmp_path / "private"),)


def _a_file(folder: Path) -> None:
    folder.write_text("in the way")


def _a_link(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir()
    folder.symlink_to(folder.with_name("elsewhere"))


def _open_to_all(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def _foreign(folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 12345, 12345)


UNUSABLE: list[tuple[Callable[[Path], None], str]] = [
    (_a_file, "File exists"),
    (_a_link, "is a link"),
    (_open_to_all, "can be written by others"),
]
if os.geteuid() == 0:
    UNUSABLE.append((_foreign, "belongs to another user"))


@pytest.mark.parametrize(("spoil", "reason"), UNUSABLE)
def test_an_unusable_folder_falls_back(tmp_path: Path, spoil: Callable[[Path], None], reason: str) -> None:
    """The private folder serves instead, and the reason names the folder and what is wrong with it."""
    folder = tmp_path / "user"
    spoil(folder)
    cache = GuestCache(folder, tmp_path / "private")
    assert reason in str(cache.reason)
    assert str(folder) in str(cache.reason)
    assert cache.store(KEY, GUEST).parent == tmp_path / "private"
    assert cache.lookup(KEY)


def test_a_readable_folder_is_closed_to_others(tmp_path: Path) -> None:
    """A folder of this user that others may read is used, and its mode made 0700."""
    (tmp_path / "user").mkdir(mode=0o755)
    assert GuestCache(tmp_path / "user", tmp_path / "private").reason is None
    assert (tmp_path / "user").stat().st_mode & 0o777 == 0o700


def test_a_read_only_folder_is_read(tmp_path: Path, cache: GuestCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sound entries are used; new ones go to the private folder; a spoilt one is passed over."""
    _read_only(cache.folder, monkeypatch)
    second = GuestCache(cache.folder, tmp_path / "second")
    assert "cannot be written" in str(second.reason)
    assert second.lookup(KEY) == _entry(cache)
    with second.lock("new") as held:
        assert held
        assert second.store("new", b"x").parent == tmp_path / "second"
    assert second.lookup("new")
    assert second.read_folders() == (str(cache.folder), str(tmp_path / "second"))
    assert second.write_folders() == (str(tmp_path / "second"),)


def _read_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder refuse new files, for root too, whom modes do not stop."""
    folder.chmod(0o500)
    real = os.open

    def refuse(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if flags & os.O_CREAT and str(path).startswith(str(folder)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuse)


def test_a_full_disk_falls_back(cache: GuestCache, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A store that fails in the user's folder succeeds in the private one, and is found there from then on."""
    _read_only(cache.folder, monkeypatch)
    assert cache.reason is None
    assert cache.store("new", b"x").parent == tmp_path / "private"
    assert "Read-only" in str(cache.reason)
    assert cache.lookup("new") == tmp_path / "private" / "new.cwasm"


def test_what_a_forked_process_stored_privately_is_found(tmp_path: Path) -> None:
    """The warden finds what its precompile process stored, also where that had to fall back on its own."""
    cache = GuestCache(tmp_path / "user", tmp_path / "private")
    GuestCache(tmp_path / "other", tmp_path / "private", off=True).store(KEY, GUEST)
    assert cache.lookup(KEY) == tmp_path / "private" / f"{KEY}.cwasm"


def test_no_folder_at_all_is_an_error(tmp_path: Path) -> None:
    """Where neither folder can be used the error names the private one."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="private"):
        GuestCache(tmp_path / "file" / "user", tmp_path / "file" / "private")
    assert GuestCache(tmp_path / "user", tmp_path / "file" / "private").reason is None


def test_pruning_keeps_what_is_used(cache: GuestCache) -> None:
    """Entries unused for long go with digest and lock, remains of killed processes go; used and locked ones stay."""
    old = time.time() - 40 * 86400
    for name in ("old", "locked"):
        cache.store(name, GUEST)
        with cache.lock(name):
            pass
        for path in cache.folder.glob(f"{name}.*"):
            os.utime(path, (old, old))
    (cache.folder / "x.tmp").write_bytes(b"half")
    os.utime(cache.folder / "x.tmp", (old, old))
    (cache.folder / "README").write_text("not ours")
    os.utime(_entry(cache), (old, old))
    os.utime(_entry(cache, ".sha256"), (old, old))
    assert cache.lookup(KEY)  # a use
    with cache.lock("locked"):
        cache.prune(30)
    left = sorted(os.listdir(cache.folder))
    assert left == sorted([KEY + ".cwasm", KEY + ".sha256", "README", "locked.cwasm", "locked.lock", "locked.sha256"])
    cache.prune(30)
    assert not list(cache.folder.glob("locked*"))


def test_the_lock_excludes_and_times_out(cache: GuestCache) -> None:
    """A lock that is held is not had, at once or in time; another key's is; it is free again afterwards."""
    with cache.lock(KEY) as first:
        assert first
        with cache.lock(KEY, wait=False) as second:
            assert not second
        start = time.monotonic()
        with cache.lock(KEY, timeout_s=0.1) as second:
            assert not second
        assert time.monotonic() - start >= 0.1  # noqa: PLR2004
        with cache.lock("other", wait=False) as other:
            assert other
    with cache.lock(KEY, wait=False) as again:
        assert again


def test_a_lock_survives_pruning(cache: GuestCache) -> None:
    """Who waited on a lock file that was removed meanwhile takes the new one, not the dead one."""
    fd = os.open(cache.folder / f"{KEY}.lock", os.O_RDWR | os.O_CREAT)
    os.unlink(cache.folder / f"{KEY}.lock")
    folder = _folder.GuestFolder(cache.folder)
    assert folder._has(fd, KEY) is False  # noqa: SLF001
    os.close(fd)
    with cache.lock(KEY) as held:
        assert held
        assert (cache.folder / f"{KEY}.lock").exists()


HOST = """
import sys, time
from pathlib import Path
from gg.cache import GuestCache

folder, private, go, log = map(Path, sys.argv[1:])
cache = GuestCache(folder, private)
while not go.exists():
    time.sleep(0.001)

def compile_guest(file):
    with log.open("a") as lines:
        lines.write("compiled\\n")
    time.sleep(0.3)
    file.write(b"guest" * 1000)

with cache.lock("key"):
    path = cache.lookup("key") or cache.store("key", compile_guest)
print(path, path.read_bytes() == b"guest" * 1000)
"""


def test_two_hosts_on_a_cold_cache_compile_once(tmp_path: Path) -> None:
    """Of three processes that start at once one compiles, the others find its entry, and none fails."""
    folder, go, log = tmp_path / "new" / "gg" / "guests", tmp_path / "go", tmp_path / "log"
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    hosts = [
        subprocess.Popen(
            [sys.executable, "-c", HOST, str(folder), str(tmp_path / f"private{number}"), str(go), str(log)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    go.touch()
    answers = {host.communicate(timeout=60)[0] for host in hosts}
    assert answers == {f"{folder}/key.cwasm True\n"}
    assert log.read_text() == "compiled\n"


def test_a_lock_dies_with_its_process(cache: GuestCache) -> None:
    """A process killed while it compiles leaves the lock free and its half-written file to be pruned."""
    context = multiprocessing.get_context("fork")
    ready = context.Event()

    def compile_for_ever() -> None:
        def write(file: Any) -> None:
            file.write(b"half")
            file.flush()
            ready.set()
            time.sleep(60)

        with cache.lock("slow"):
            cache.store("slow", write)

    process = context.Process(target=compile_for_ever)
    process.start()
    assert ready.wait(30)
    process.kill()
    process.join()
    with cache.lock("slow", timeout_s=10) as held:
        assert held
        assert cache.lookup("slow") is None
    (half,) = cache.folder.glob("slow*.tmp")
    os.utime(half, (1, 1))
    assert cache.prune(30) >= 1
    assert not half.exists()


def test_it_works_confined(cache: GuestCache, tmp_path: Path) -> None:
    """Under the precompile profile an entry can be locked, looked up and stored."""
    profile = precompile_profile(tuple(filter(None, sys.path)), cache.write_folders())
    prepared = prepare(profile)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            apply(prepared)
            with cache.lock("new") as held:
                if held and cache.lookup("new") is None and cache.lookup(KEY):
                    cache.store("new", GUEST)
                    status = 0
        finally:
            os._exit(status)
    prepared.close()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert cache.lookup("new")


def test_a_key_names_all_that_matters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes, engine, wasmtime's version and the processor's features change it; the file's name and time do not."""
    guest, copy = tmp_path / "guest.wasm", tmp_path / "copy.wasm"
    guest.write_bytes(b"\0asm one")
    copy.write_bytes(b"\0asm one")
    first = key(guest, "cranelift")
    assert len(first) == 64  # noqa: PLR2004
    assert key(copy, "cranelift") == first
    assert key(guest, "winch") != first
    guest.write_bytes(b"\0asm two")
    assert key(guest, "cranelift") != first
    monkeypatch.setattr(_keys, "cpu_features", lambda: "x86_64 other")
    assert key(copy, "cranelift") != first
    monkeypatch.undo()
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.0")
    assert key(copy, "cranelift") != first
    monkeypatch.undo()
    assert key(copy, "cranelift") == first
    with pytest.raises(FileNotFoundError):
        key(tmp_path / "absent", "cranelift")


def test_processor_features_are_read() -> None:
    """The architecture is first, and on Linux features follow in order."""
    machine, *features = cpu_features().split()
    assert machine == os.uname().machine
    assert features == sorted(features)
    assert features


def test_the_default_folder_follows_the_environment() -> None:
    """XDG_CACHE_HOME where it is absolute, else the home folder's .cache."""
    assert default_folder({"XDG_CACHE_HOME": "/c", "HOME": "/h"}) == Path("/c/gg/guests")
    assert default_folder({"XDG_CACHE_HOME": "c", "HOME": "/h"}) == Path("/h/.cache/gg/guests")
    assert default_folder({"HOME": "/h"}) == Path("/h/.cache/gg/guests")


def test_the_package_lists_its_names() -> None:
    """`__all__` is complete: every name exists."""
    assert all(hasattr(gg.cache, name) for name in gg.cache.__all__)
