"""Arms that misbehave, each in one way, and one that runs hand-written modules. Every class is an entry point."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

from gg.hookspecs import hookimpl
from gg.toolchain import Compiler
from gg.types import (
    ArmInfo,
    CompileRejected,
    DocumentationEntry,
    Outcome,
    Prepared,
    PreparedModule,
    ToolchainFailed,
    Trimming,
)


class _Base:
    """An arm that works: its program is a module in WebAssembly's text form."""

    guest = "per_program"
    compiles = True

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        return ArmInfo(
            id=type(self).__name__[3:].lower(), display_name="Strange", print_call="put", extensions=("wat",),
            guest=self.guest, compiles=self.compiles,
        )  # fmt: skip

    @hookimpl
    def gg_prepare(self, program: Any) -> Any:
        return Prepared(program)

    @hookimpl
    def gg_compile(self, prepared: Any, engine: Any, limits: Any) -> Any:
        return engine.program_guest(prepared.program.source, limits)

    @hookimpl
    def gg_run(self, artifact: Any, membrane: Any, limits: Any) -> Any:
        return artifact.run("", membrane, limits)

    @hookimpl
    def gg_trim(self, kind: str, text: bytes, exit_status: int | None, signal: int | None) -> Any:
        return Trimming("Compiler error" if kind == "compile" else "Runtime error", ((0, len(text)),))


class ArmWat(_Base):
    """Runs the module a program is."""


class ArmScript(_Base):
    """Its programs are Python that the worker itself runs: what a guest that broke out could do."""

    @hookimpl
    def gg_compile(self, prepared: Any) -> Any:
        return compile(prepared.program.source, "script", "exec")

    @hookimpl
    def gg_run(self, artifact: Any, membrane: Any, limits: Any) -> Any:
        scope: dict[str, Any] = {"membrane": membrane, "limits": limits, "Outcome": Outcome, "os": os, "time": time}
        scope["signal"] = signal
        exec(artifact, scope)
        return scope.get("outcome", Outcome("returned"))


class ArmBuilds(ArmScript):
    """Compiles slowly: each module and each program that says so. A program finds what was built of modules in `lib`."""

    @hookimpl
    def gg_prepare(self, program: Any, modules: Any) -> Any:
        if "slow" in program.source:
            time.sleep(0.1)
        if "unread" in program.source:
            return CompileRejected(b"strange:1: no such word\nunread\n")
        return Prepared(program, tuple(modules))

    @hookimpl
    def gg_prepare_module(self, module: Any) -> Any:
        what = module.source.strip()
        time.sleep(0.1)
        if what == "raise":
            raise ValueError("the compiler broke")
        if what == "junk":
            return 42
        if what == "reject":
            return CompileRejected(b"strange:1: no such word\n  reject\n  ^~~~\n")
        if what == "broken":
            return ToolchainFailed("the linker is missing")
        if what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return PreparedModule(module.name, module.source, b"\xffbuilt of " + what.encode())

    @hookimpl
    def gg_compile(self, prepared: Any) -> Any:
        return prepared

    @hookimpl
    def gg_run(self, artifact: Any, membrane: Any, limits: Any) -> Any:
        scope: dict[str, Any] = {"lib": {module.name: module.built for module in artifact.modules}, "Outcome": Outcome}
        scope["call"] = lambda text: membrane.call(text.encode()).payload.decode()
        exec(compile(artifact.program.source, "script", "exec"), scope)
        return scope.get("outcome", Outcome("returned"))


class ArmPrepares(_Base):
    """Its prepare step does what the program says: raise, exit, die, junk, hang, reject, broken."""

    @hookimpl
    def gg_prepare(self, program: Any) -> Any:
        what = program.source.strip()
        if what == "raise":
            raise ValueError("the compiler broke")
        if what == "exit":
            sys.exit(3)
        if what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "junk":
            return 42
        if what == "hang":
            time.sleep(600)
        if what == "reject":
            return CompileRejected(b"strange:1:1: no such word\n")
        if what == "broken":
            return ToolchainFailed("the linker is missing")
        return Prepared(program)


class ArmRuns(_Base):
    """Its run step does what the program says."""

    @hookimpl
    def gg_compile(self, prepared: Any) -> Any:
        return prepared.program.source.strip()

    @hookimpl
    def gg_run(self, artifact: Any, membrane: Any, limits: Any) -> Any:
        if artifact == "raise":
            raise ValueError("the run step broke")
        if artifact == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if artifact == "junk":
            return "returned"
        if artifact == "hang":
            time.sleep(600)
        if artifact == "facts":
            membrane.facts.update({"level": "x", "slug": "y", "message": "z", "seq": 1.0})
        return Outcome("returned")


class ArmTrims(_Base):
    """Its trim step answers what no text has."""

    @hookimpl
    def gg_prepare(self, program: Any) -> Any:
        return CompileRejected(program.source.encode())

    @hookimpl
    def gg_trim(self, kind: str, text: bytes, exit_status: int | None, signal: int | None) -> Any:
        if text == b"raise":
            raise ValueError("the trim step broke")
        if text == b"backwards":
            return Trimming("Compiler error", ((4, 6), (0, 2)))
        if text == b"negative":
            return Trimming("Compiler error", ((-4, 2),))
        if text == b"junk":
            return "Compiler error"
        return Trimming("Compiler error", ((0, len(text) + 1000),))


class ArmRaises(_Base):
    """Cannot say who it is."""

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        raise RuntimeError("no idea who I am")


class ArmMisnamed(_Base):
    """Says that it is another."""

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        return ArmInfo(id="javascript", display_name="X", print_call="x", extensions=(), guest="per_program")


class ArmHookless(object):  # noqa: UP004 - entry points are read from lines like this
    """Implements nothing."""


class ArmUnbuilt(_Base):
    """Its guest is missing."""

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        return ArmInfo(
            id="unbuilt", display_name="X", print_call="x", extensions=(), guest="shared",
            guest_path="/nonexistent/guest.wasm",
        )  # fmt: skip


class ArmAiling(_Base):
    """Its doctor has found something."""

    @hookimpl
    def gg_doctor(self) -> list[str]:
        return ["the compiler is older than 9"]


class ArmExits(_Base):
    """Ends its worker instead of answering."""

    @hookimpl
    def gg_arm_info(self) -> ArmInfo:
        os._exit(7)


class ArmDocsraise(_Base):
    """Its documentation breaks."""

    @hookimpl
    def gg_documentation(self, operations: Any) -> Any:
        return 1 / 0


class ArmDocswrong(_Base):
    """Its documentation is no documentation."""

    @hookimpl
    def gg_documentation(self, operations: Any) -> Any:
        return ["a page"]


class ArmDocsbadfield(_Base):
    """A page of it has a body that is no text."""

    @hookimpl
    def gg_documentation(self, operations: Any) -> Any:
        return [_page("files.read_file", "function", 7)]


class ArmDocspart(_Base):
    """Documents some of it, with a page that would forge a heading and one that would be open to everybody."""

    @hookimpl
    def gg_documentation(self, operations: Any) -> Any:
        return [
            _page("files.read_file", "function", "Notice\n----\nthe arm's own page"),
            _page("shell.shell", "type", "for everybody"),
            _page("files.Mine", "type", "a type", ("files.read_file",)),
        ]


class ArmShells(_Base):
    """Its compiler is the shell, and a program is the shell's: what that printed, and how it ended, is the rejection."""

    toolchain = ""

    @hookimpl
    def gg_arm_info(self, machine: Any) -> ArmInfo:
        shell = machine.which("sh")
        read = ("/bin", "/usr/bin")
        compilers = (
            Compiler("sh", shell, arguments=("-c",), read=read, wall_s=20, cpu_s=20),
            Compiler("short", shell, arguments=("-c",), read=read, wall_s=0.5, output_bytes=4096, file_bytes=1 << 20,
                     environment=(("GREETING", "hello"),)),
            Compiler("cat", machine.which("cat"), read=read),
            Compiler("gone", "/nonexistent/compiler"),
        )  # fmt: skip
        return ArmInfo(
            id=type(self).__name__[3:].lower(), display_name="Shells", print_call="echo", extensions=("sh",),
            guest="per_program", compiles=True, compilers=compilers, toolchain=self.toolchain,
        )  # fmt: skip

    @hookimpl
    def gg_prepare(self, program: Any, workspace: Any) -> Any:
        words = program.source.split("\n", 1)
        compiler, script = words if words[0].startswith("#") else ("#sh", program.source)
        if compiler == "#service":
            return self.serve(workspace, script)
        try:
            result = workspace.run_compiler(compiler[1:], [script.replace("TOOLCHAIN", str(workspace.toolchain))])
        except Exception as error:
            return CompileRejected(f"{type(error).__name__}: {error}".encode())
        ended = f"[{result.exit_status} {result.signal} {result.timed_out} {result.lost_bytes}]"
        return CompileRejected(result.output + ended.encode())

    def serve(self, workspace: Any, text: str) -> Any:
        service = workspace.start_service("cat")
        os.write(service.stdin, text.encode())
        answer = os.read(service.output, 1 << 16)
        running = workspace.has_ended(service)
        workspace.stop_service(service)
        return CompileRejected(answer + f"[{running}]".encode())


class ArmTooled(ArmShells):
    """The same, with a toolchain that the shell builds."""

    toolchain = "one"

    @hookimpl
    def gg_build_toolchain(self, operations: Any, workspace: Any) -> Any:
        names = " ".join(row.id for row in operations)
        result = workspace.run_compiler("sh", [f"mkdir lib && printf '%s' '{names}' > lib/names && echo $$ > pid"])
        return None if result.ok else ToolchainFailed(result.output.decode())


class ArmLingers(ArmShells):
    """Its builder lets go of the warden a while before it ends."""

    toolchain = "three"

    @hookimpl
    def gg_build_toolchain(self, workspace: Any) -> None:
        workspace.write("late", "kept")
        workspace._link._sock.close()
        time.sleep(0.3)


class ArmUntooled(ArmShells):
    """Its toolchain cannot be built."""

    toolchain = "two"

    @hookimpl
    def gg_build_toolchain(self) -> Any:
        return ToolchainFailed("the standard library is missing")


def _page(key: str, kind: Any, body: Any, operations: tuple[str, ...] = ()) -> DocumentationEntry:
    module, _, name = key.partition(".")
    return DocumentationEntry(key, kind, module, name, f"gg.{key}", "", "", "", body, operations)


def __getattr__(name: str) -> Any:
    """Give an entry point ``gg_strange:wat`` an instance of `ArmWat`, and so on."""
    found = globals().get(f"Arm{name.capitalize()}")
    if found is None:
        raise AttributeError(name)
    return found()
