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
from typing import NamedTuple

from gg_arms._snapshot import Initialiser, SnapshotError, snapshot

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


class _Edit(NamedTuple):
    """A change of the engine's source: `old` occurs exactly once and becomes `new`."""

    why: str
    old: str
    new: str


_SAVE = "gg_line = s->token.line_num, gg_column = gg_token_column(s);"
_EMIT = (
    "            gg_note_call(gg_line, gg_column, gg_first_line, gg_first_column);\n"
    "            emit_source_loc_at(s, gg_line, gg_column);\n"
)
_IMPORT = "module_name = JS_ValueToAtom({ctx}, s->token.u.str.str);\n{pad}if (module_name == JS_ATOM_NULL)\n{pad}    return -1;\n"
_NOTE = "{pad}gg_note_import({ctx}, module_name, s->token.line_num, gg_token_column(s));\n"
_NEXT = "{pad}if (next_token(s)) {{\n{pad}    JS_FreeAtom({ctx}, module_name);\n"


def _noted(why: str, ctx: str, pad: str) -> _Edit:
    """The edit that notes where an import's specifier stands."""
    before, note, after = (text.format(ctx=ctx, pad=pad) for text in (_IMPORT, _NOTE, _NEXT))
    return _Edit(why, pad + before + after, pad + before + note + after)


_EDITS = (
    _Edit(
        "a ReferenceError is answered with the names of gg's modules where it is made",
        '    return JS_ThrowReferenceError(ctx, "%s is not defined",\n'
        "                                  JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n",
        '    JS_ThrowReferenceError(ctx, "%s is not defined", JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n'
        "    gg_not_defined(ctx);\n    return JS_EXCEPTION;\n",
    ),
    _Edit(
        "assigning something else than a string to an error's `stack` is no error, as in other engines",
        "    if (!JS_IsString(value))\n"
        '        return JS_ThrowTypeError(ctx, "Error.prototype.stack setter expects a string");\n',
        "",
    ),
    _noted("a static import that fails is reported at its place (import … from, export … from)", "s->ctx", "    "),
    _noted("the same for an import of a module for its effects", "ctx", "        "),
    _Edit(
        "columns count characters: the parser's state gets a place to count from",
        "typedef struct JSParseState {\n",
        "typedef struct JSParseState {\n    const uint8_t *gg_line, *gg_ptr;\n    int gg_count;\n",
    ),
    _Edit("columns count characters: the function", "} JSParseState;\n", '} JSParseState;\n\n#include "column.h"\n'),
    _Edit(
        "columns count characters: of every token",
        "    s->token.col_num = max_int(1, s->mark - s->eol);\n",
        "    s->token.col_num = gg_token_column(s);\n",
    ),
    _Edit(
        "columns count characters: in syntax errors",
        "        err_col_num = (int)(s->token.ptr - s->token.line_start) + 1;\n    build_backtrace(",
        "        err_col_num = gg_token_column(s);\n    build_backtrace(",
    ),
    _Edit(
        "a call is at its callee's name, not at its last argument: where the expression and the name begin",
        "    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;\n\n    call_type = FUNC_CALL_NORMAL;\n",
        "    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;\n"
        f"    int {_SAVE}\n    int gg_first_line = gg_line, gg_first_column = gg_column;\n\n    call_type = FUNC_CALL_NORMAL;\n",
    ),
    _Edit(
        "the same: the name after a dot; reading it is at that place too",
        "        parse_property:\n            if (s->token.val == TOK_PRIVATE_NAME) {\n",
        f"        parse_property:\n            {_SAVE.replace(', gg', '; gg')}\n            if (s->token.val == TOK_PRIVATE_NAME) {{\n",
    ),
    _Edit(
        "the same: reading a property is at its name",
        "                        optional_chain_test(s, &optional_chaining_label, 1);\n                    }\n"
        "                    emit_op(s, OP_get_field);\n",
        "                        optional_chain_test(s, &optional_chaining_label, 1);\n                    }\n"
        "                    emit_source_loc_at(s, gg_line, gg_column);\n                    emit_op(s, OP_get_field);\n",
    ),
    _Edit(
        "the same: a computed name",
        "        parse_array_access:\n            prev_op = get_prev_opcode(fd);\n",
        f"        parse_array_access:\n            {_SAVE.replace(', gg', '; gg')}\n            prev_op = get_prev_opcode(fd);\n",
    ),
    _Edit(
        "the same: the call itself",
        "            emit_func_call:\n                switch(opcode) {\n",
        f"            emit_func_call:;\n{_EMIT}                switch(opcode) {{\n",
    ),
    _Edit(
        "the same: a call with spread arguments",
        "                /* apply function call */\n                switch(opcode) {\n",
        f"{_EMIT}                switch(opcode) {{\n",
    ),
    _Edit(
        "the same: what follows a call",
        "            call_type = FUNC_CALL_NORMAL;\n        } else if (s->token.val == '.') {\n",
        f"            call_type = FUNC_CALL_NORMAL;\n            {_SAVE.replace(', gg', '; gg')}\n"
        "        } else if (s->token.val == '.') {\n",
    ),
)


# WebAssembly keeps return addresses and most locals on a stack that a program cannot see, so the engine's own check of
# its (shadow) stack comes too late: the sandbox would trap where the language has a RangeError. These functions, one in
# each cycle of the engine's recursion, take so many bytes of shadow stack more that it always runs out first.
_STACK = {
    "quickjs.c": {
        "JS_CallInternal": 768, "js_call_c_function": 960, "js_call_c_function_data": 960, "js_call_bound_function": 704,
        "async_func_resume": 704, "js_proxy_get": 400, "js_proxy_set": 400, "js_proxy_has": 400, "js_proxy_delete_property": 400,
        "js_proxy_get_own_property": 400, "js_proxy_define_own_property": 400, "js_proxy_get_own_property_names": 400,
        "js_proxy_getPrototypeOf": 400, "js_proxy_setPrototypeOf": 400, "js_proxy_isExtensible": 400,
        "js_proxy_preventExtensions": 400, "js_proxy_call": 400, "JS_FlattenIntoArray": 240, "json_parse_value": 224,
        "internalize_json_property": 224, "js_json_to_str": 288, "js_parse_postfix_expr": 2464, "js_parse_function_decl2": 704,
        "js_parse_class": 304, "js_parse_statement_or_decl": 352, "js_parse_unary": 192, "js_parse_assign_expr2": 240,
    },
    "libregexp.c": {"re_parse_disjunction": 320, "re_parse_nested_class": 176},
}  # fmt: skip


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
    progress("JavaScript guest: taking the snapshot")
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
    progress(f"JavaScript guest: fetching quickjs-ng {ENGINE_VERSION}")
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
    identity = repr((ENGINE_SHA256, _EDITS, _STACK, _COMMON_FLAGS, _ENGINE_FLAGS, _LINK_FLAGS, _compiler_version()))
    key = _sha256(b"\0".join([identity.encode(), *(unit.name.encode() + b"\0" + unit.read_bytes() for unit in units)]))
    kept = cache / f"javascript-{key[:16]}.wasm"
    if kept.is_file():
        return kept.read_bytes()
    progress("JavaScript guest: compiling the engine (about half a minute)")
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
    for name, functions in _STACK.items():
        source = (folder / name).read_text(encoding="utf-8")
        for edit in _EDITS if name == "quickjs.c" else ():
            if source.count(edit.old) != 1:
                raise BuildError(f"quickjs-ng {ENGINE_VERSION} has no single place for this edit: {edit.why}")
            source = source.replace(edit.old, edit.new)
        for function, size in functions.items():
            source, count = re.subn(
                rf"(?m)(^[a-zA-Z][^;{{}}]*\b{function}\([^;{{}}]*\)\n\{{\n)", rf"\1    GG_STACK({size});\n", source
            )
            if count != 1:
                raise BuildError(f"quickjs-ng {ENGINE_VERSION} has no single function `{function}`")
        (folder / name).write_text('#include "stack.h"\n' + source, encoding="utf-8")


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
