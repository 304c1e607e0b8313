"""What a confined worker can still do, at every Landlock ABI from 1 to the kernel's."""

from __future__ import annotations

import array
import faulthandler
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from gg.confinement import Profile, canary


def test_the_canary_is_content(worker: Profile, confined: Any, abi: int) -> None:
    """Inside a worker's profile the canary finds no hole."""
    assert confined(worker, lambda: canary(worker), abi) is None


def test_open_sockets_work_on(worker: Profile, confined: Any, abi: int) -> None:
    """read, write, sendmsg and recvmsg on sockets opened before, passed descriptors included."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def talk() -> list[Any]:
        theirs.sendall(b"hello")
        data, ancillary, _, _ = theirs.recvmsg(100, socket.CMSG_SPACE(4))
        passed = array.array("i", ancillary[0][2][:4])[0]
        os.write(theirs.fileno(), os.read(passed, 100))
        return [data.decode()]

    reading, writing = os.pipe()
    os.write(writing, b"through")
    socket.send_fds(ours, [b"take"], [reading])
    assert confined(worker, talk, abi) == ["take"]
    assert ours.recv(100) == b"hello"
    assert ours.recv(100) == b"through"
    for fd in (reading, writing):
        os.close(fd)
    ours.close()
    theirs.close()


def test_the_private_folder_is_its_own(worker: Profile, private: Path, confined: Any, abi: int) -> None:
    """Create, change, truncate, list, rename, link and remove inside it."""

    def use() -> list[str]:
        (private / "a").write_text("one")
        with (private / "a").open("r+") as file:
            file.truncate(1)
        (private / "a").rename(private / "b")
        (private / "c").symlink_to("b")
        (private / "sub").mkdir()
        (private / "sub").rmdir()
        content = (private / "c").read_text()
        (private / "c").unlink()
        return [content, *os.listdir(private)]

    assert confined(worker, use, abi) == ["o", "b"]


def test_files_are_mapped(worker: Profile, private: Path, confined: Any, abi: int) -> None:
    """A readable file can be mapped, as compiled guests are."""
    (private / "guest.cwasm").write_bytes(b"wasm" * 4096)

    def read() -> str:
        with (private / "guest.cwasm").open("rb") as file:
            return mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)[:4].decode()

    assert confined(worker, read, abi) == "wasm"


def test_modules_are_imported_and_threads_run(worker: Profile, confined: Any, abi: int) -> None:
    """A module not imported yet loads from the read roots, and a thread runs it."""

    def use() -> list[Any]:
        sys.modules.pop("colorsys", None)
        answers: list[Any] = []

        def run() -> None:
            import colorsys  # noqa: PLC0415

            time.sleep(0.001)
            answers.append(colorsys.rgb_to_hsv(0, 0, 1)[2])

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        return answers

    assert confined(worker, use, abi) == [1]


def test_it_can_signal_itself(worker: Profile, confined: Any, abi: int) -> None:
    """abort() ends the worker with SIGABRT, so that a crash is seen as what it is."""

    def abort() -> None:
        faulthandler.disable()  # pytest's would print a stack
        os.abort()

    assert confined(worker, abort, abi) == ["died", -signal.SIGABRT]

    def to_a_thread() -> list[int]:
        seen: list[int] = []
        signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        return seen

    assert confined(worker, to_a_thread, abi) == [signal.SIGUSR1]


WASM = """
import json, sys, time, wasmtime
from gg.confinement import apply, prepare, worker_profile
from gg.deadline import EpochTimer, deadline_for

folder, abi = sys.argv[1], int(sys.argv[2])
apply(prepare(worker_profile(folder, tuple(filter(None, sys.path)), 256 << 20), landlock_abi=abi))
config = wasmtime.Config()
config.epoch_interruption = True
engine = wasmtime.Engine(config)
deadline = deadline_for(engine)
text = '(module (memory 1) (func (export "spin") (loop (br 0))) (func (export "six") (result i32) i32.const 6))'
module = wasmtime.Module(engine, text)

def call(name):
    store = wasmtime.Store(engine)
    store.set_epoch_deadline(1)
    function = wasmtime.Instance(store, module, []).exports(store)[name]
    deadline.arm(0.05)
    try:
        return function(store)
    except wasmtime.Trap as trap:
        return str(trap.trap_code)
    finally:
        deadline.disarm()

start = time.monotonic()
answers = [call("six"), call("spin"), call("six"), isinstance(deadline, EpochTimer), time.monotonic() - start < 5]
store = wasmtime.Store(engine)
memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
memory.grow(store, 4000)
memory.write(store, b"x" * 65536, 3999 * 65536)
answers.append(memory.read(store, 4000 * 65536 - 1, 4000 * 65536)[0])
print(json.dumps(answers))
"""


def test_wasm_runs_and_the_timer_stops_it(private: Path, abi: int) -> None:
    """A module is compiled and called, an endless loop is back soon after its deadline, and the next call works.

    A memory of 250 MiB fits under the data limit. In a fresh interpreter, as wasmtime's compile threads survive no fork.
    """
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", WASM, str(private), str(abi)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.stderr == ""
    assert json.loads(ended.stdout) == [6, "TrapCode.INTERRUPT", 6, True, True, ord("x")]
