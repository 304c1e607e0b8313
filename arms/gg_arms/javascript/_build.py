"""Builds `javascript.wasm`: the engine's sources, our shim and prelude, compiled and snapshotted.

Nothing but Python and its packages is needed: the sources come from the `quickjs-ng` source distribution, the compiler
from `ziglang`, the snapshot from `gg_arms._snapshot`. The result depends on this folder's files alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from gg_arms._snapshot import Initialiser, SnapshotError, snapshot
from gg_arms.javascript._engine_edits import EDITS, STACK, Edit

__all__ = ["BuildError", "build"]

ENGINE_VERSION = "0.17.0.2"
ENGINE_SHA256 = "43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef"
_ARCHIVE = f"quickjs_ng-{ENGINE_VERSION}.tar.gz"
_SOURCES = f"quickjs_ng-{ENGINE_VERSION}/upstream-quickjs/"
_GUEST = Path(__file__).parent / "guest"
_ENGINE_UNITS = ("libregexp.c", "libunicode.c", "dtoa.c")
_COMMON_FLAGS = (
    "-target",
    "wasm32-wasi",
    "-O2",
    "-DNDEBUG",
    "-D_GNU_SOURCE",
    "-fno-sanitize=undefined",
    "-fno-strict-aliasing",
)
_ENGINE_FLAGS = ("-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-w")
_GUEST_FLAGS = ("-Wall", "-Wextra", "-Werror")
_LINK_FLAGS = (
    "-target", "wasm32-wasi", "-O2", "-mexec-model=reactor", "-Wl,-z,stack-size=2097152", "-Wl,--strip-all",
    "-Wl,--export=gg_log", "-lwasi-emulated-signal", "-lwasi-emulated-process-clocks", "-lm",
)  # fmt: skip
_BUILD_EXPORTS = ("gg_init", "gg_prelude", "gg_seal")


class BuildError(Exception):
    """The guest could not be built; the message is one sentence that names what is missing or wrong."""


def build(destination: Path, cache: Path, progress: Callable[[str], None], sdk_source: str) -> None:
    """Build the JavaScript guest.

    :param destination: the file to write, whole or not at all.
    :param cache: a folder for what is fetched and compiled; it may be empty and may be kept.
    :param progress: called with one line for each step that takes time.
    :param sdk_source: what `gg_arms.javascript._sdk.render` made of the built-in operations.
    :raises BuildError: a package can't be fetched, is not the expected one, or does not compile.
    """
    cache.mkdir(parents=True, exist_ok=True)
    compiled = _compile(_fetch(cache, progress), cache, progress)
    progress("taking the snapshot")
    wasm = _snapshot(compiled, sdk_source)
    destination.parent.mkdir(parents=True, exist_ok=True)
    temporary = destination.with_name(f".{destination.name}.{os.getpid()}")
    temporary.write_bytes(wasm)
    temporary.replace(destination)


def _fetch(cache: Path, progress: Callable[[str], None]) -> Path:
    """The engine's source archive in the cache, checked."""
    archive = cache / _ARCHIVE
    if archive.is_file() and _sha256(archive.read_bytes()) == ENGINE_SHA256:
        return archive
    progress(f"fetching quickjs-ng {ENGINE_VERSION}")
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        requirement = Path(folder) / "requirement.txt"
        requirement.write_text(f"quickjs-ng=={ENGINE_VERSION} --hash=sha256:{ENGINE_SHA256}\n")
        # pip reads the sdist's metadata by its own build back end, in Python; nothing of it is compiled.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += [
            "--no-binary",
            "quickjs-ng",
            "--require-hashes",
            "--requirement",
            str(requirement),
            "--dest",
            folder,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        fetched = Path(folder) / _ARCHIVE
        if done.returncode != 0 or not fetched.is_file():
            raise BuildError(
                f"quickjs-ng {ENGINE_VERSION} could not be fetched from the package index: {_last_line(done.stderr)}"
            )
        if _sha256(fetched.read_bytes()) != ENGINE_SHA256:
            raise BuildError(f"quickjs-ng {ENGINE_VERSION} as fetched does not have the expected SHA-256")
        fetched.replace(archive)
    return archive


def _compile(archive: Path, cache: Path, progress: Callable[[str], None]) -> bytes:
    """The module before initialisation; kept in the cache under a hash of all that goes into it."""
    units = sorted(_GUEST.glob("*.[ch]"))
    identity = repr((ENGINE_SHA256, EDITS, STACK, _COMMON_FLAGS, _ENGINE_FLAGS, _LINK_FLAGS, _compiler_version()))
    key = _sha256(b"\0".join([identity.encode(), *(unit.name.encode() + b"\0" + unit.read_bytes() for unit in units)]))
    kept = cache / f"javascript-{key[:16]}.wasm"
    if kept.is_file():
        return kept.read_bytes()
    progress("compiling the engine (about half a minute)")
    with tempfile.TemporaryDirectory(dir=cache) as name:
        # Relative paths only, so that no path of this machine gets into the result.
        folder = Path(name)
        _unpack(archive, folder / "engine")
        (folder / "guest").mkdir()
        for unit in units:
            (folder / "guest" / unit.name).write_bytes(unit.read_bytes())
        objects: list[str] = []
        for source in [
            *(f"engine/{unit}" for unit in _ENGINE_UNITS),
            *(f"guest/{u.name}" for u in units if u.suffix == ".c"),
        ]:
            engine = source.startswith("engine/") or source == "guest/engine.c"
            flags = [*_COMMON_FLAGS, *(_ENGINE_FLAGS if engine else _GUEST_FLAGS), "-isystem", "engine", "-Iguest"]
            objects.append(source.replace("/", "-")[:-2] + ".o")
            _zig(cache, folder, [*flags, "-c", source, "-o", objects[-1]])
        _zig(cache, folder, [*_LINK_FLAGS, *objects, "-o", "guest.wasm"])
        wasm = (folder / "guest.wasm").read_bytes()
        (folder / "guest.wasm").replace(kept)
    return wasm


def _unpack(archive: Path, folder: Path) -> None:
    """The engine's C files, edited."""
    folder.mkdir()
    with tarfile.open(archive) as tar:
        for member in tar:
            name = member.name.removeprefix(_SOURCES)
            data = (
                tar.extractfile(member) if member.isfile() and "/" not in name and name[-2:] in (".c", ".h") else None
            )
            if data is not None:
                (folder / name).write_bytes(data.read())
    for name, functions in STACK.items():
        source = (folder / name).read_text(encoding="utf-8")
        for edit in EDITS if name == "quickjs.c" else ():
            source = _edited(source, edit)
        for function, size in functions.items():
            head = rf"(?m)(^[a-zA-Z][^;{{}}]*\b{function}\([^;{{}}]*\)\n\{{\n)"
            source, count = re.subn(head, rf"\1    GG_STACK({size});\n", source)
            if count != 1:
                raise BuildError(f"quickjs-ng {ENGINE_VERSION} has no single function `{function}`")
        (folder / name).write_text('#include "stack.h"\n' + source, encoding="utf-8")


def _edited(source: str, edit: Edit) -> str:
    if source.count(edit.old) != 1:
        raise BuildError(f"quickjs-ng {ENGINE_VERSION} has no single place for this edit: {edit.why}")
    return source.replace(edit.old, edit.new)


def _zig(cache: Path, folder: Path, arguments: list[str]) -> None:
    environment = dict(os.environ)
    environment["ZIG_GLOBAL_CACHE_DIR"] = str((cache / "zig-global").absolute())
    environment["ZIG_LOCAL_CACHE_DIR"] = str((cache / "zig-local").absolute())
    command = [sys.executable, "-m", "ziglang", "cc", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"the JavaScript guest does not compile: {done.stderr.strip()}")


def _compiler_version() -> str:
    done = subprocess.run([sys.executable, "-m", "ziglang", "version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(
            "the package `ziglang`, whose compiler builds the JavaScript guest, is not installed (pip install ziglang)"
        )
    return done.stdout.strip()


def _snapshot(module: bytes, sdk_source: str) -> bytes:
    reports: list[bytes] = []

    def initialise(guest: Initialiser) -> None:
        def text(data: bytes) -> int:
            address = guest.call("gg_alloc", len(data))
            assert address
            guest.write(address, data)
            return address

        guest.call("gg_init")
        scripts = [(f"gg:{path.name}", path.read_bytes()) for path in sorted((_GUEST / "prelude").glob("*.js"))]
        scripts.append(("gg:sdk", f"(native) => ({sdk_source})(native.define)".encode()))
        for name, source in scripts:
            if guest.call("gg_prelude", text(name.encode()), text(source), len(source)):
                raise BuildError(f"the prelude script {name} failed: {reports[-1].decode(errors='replace')}")
        guest.call("gg_seal")

    def report(caller: object, address: int, length: int) -> None:
        import wasmtime

        assert isinstance(caller, wasmtime.Caller)
        memory = caller["memory"]
        assert isinstance(memory, wasmtime.Memory)
        reports.append(bytes(memory.read(caller, address, address + length)))

    def nothing(*_arguments: object) -> int:
        return 0  # a clock that stands at 0, and randomness that leaves its buffer as it is

    wasi = "wasi_snapshot_preview1"
    imports: dict[tuple[str, str], Callable[..., int | None]] = {
        ("gg", "report"): report,
        (wasi, "clock_time_get"): nothing,
        (wasi, "random_get"): nothing,
    }
    try:
        return snapshot(module, initialise, imports=imports, drop=_BUILD_EXPORTS)
    except SnapshotError as error:
        raise BuildError(f"the JavaScript guest could not be snapshotted: {error}") from error


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason was given"])[-1]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
