"""A worker's end of its warden: what it asks for before it is sealed, and compilers it has run after that."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import socket
from dataclasses import dataclass
from typing import Any

import msgspec

from gg.toolchain import Compiler, CompilerResult
from gg.warden.messages import (
    MAX_PACKET_BYTES,
    CompilerEnded,
    DeclareCompilers,
    GuestFailed,
    GuestReady,
    NeedGuest,
    NeedToolchain,
    RunCompiler,
    Seal,
    StopCompiler,
    ToolchainLacking,
    ToolchainReady,
    WardenToWorker,
)
from gg.worker.ends import Ends

__all__ = ["CompilerRefused", "Service", "WardenLink"]

_CHUNK = 1 << 16


class CompilerRefused(Exception):
    """The warden started no compiler; the text says why. For the operator alone."""


@dataclass
class Service:
    """A compiler that goes on serving: what is written to ``stdin`` it reads, ``output`` is what it writes.

    Both are descriptors of pipes, and `WardenLink.stop` closes them.
    """

    request: int
    stdin: int
    output: int


class WardenLink:
    """The control socket to the warden. Used by one thread."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._requests = itertools.count(1)
        self._ended: dict[int, CompilerEnded] = {}
        self._decoder = msgspec.msgpack.Decoder(WardenToWorker)
        self._compilers: dict[str, Compiler] = {}

    def declare(self, compilers: tuple[Compiler, ...]) -> None:
        """Declare the arm's compilers, once."""
        self._compilers = {compiler.id: compiler for compiler in compilers}
        if compilers:
            self._send(DeclareCompilers(compilers))

    def need_guest(self, need: NeedGuest) -> GuestReady | GuestFailed:
        """Return where the compiled guest is, once it is there."""
        self._send(need)
        answer: GuestReady | GuestFailed = self._await(GuestReady | GuestFailed)
        return answer

    def need_toolchain(self, need: NeedToolchain) -> ToolchainReady | ToolchainLacking:
        """Return where the built toolchain is, once it is there."""
        self._send(need)
        answer: ToolchainReady | ToolchainLacking = self._await(ToolchainReady | ToolchainLacking)
        return answer

    def seal(self) -> None:
        """Give up asking for anything but compilers."""
        self._send(Seal())

    def run(self, compiler: str, arguments: tuple[str, ...], folder: str) -> CompilerResult:
        """Run a declared compiler to its end and return how it ended.

        :raises CompilerRefused: when it was not started.
        """
        declared = self._declared(compiler)
        reading, writing = os.pipe()
        try:
            request = self._start(RunCompiler(next(self._requests), compiler, arguments, folder), [writing])
        finally:
            os.close(writing)
        try:
            output = Ends(declared.output_bytes)
            ended = self._follow(request, reading, output)
        finally:
            os.close(reading)
        if ended.refused:
            raise CompilerRefused(ended.refused)
        return CompilerResult(ended.exit_status, ended.signal, output.whole(), output.lost, ended.timed_out)

    def start_service(self, compiler: str, arguments: tuple[str, ...], folder: str) -> Service:
        """Start a declared compiler that goes on serving this worker."""
        self._declared(compiler)
        stdin, ours_in = os.pipe()
        ours_out, output = os.pipe()
        message = RunCompiler(next(self._requests), compiler, arguments, folder, service=True)
        try:
            request = self._start(message, [stdin, output])
        finally:
            os.close(stdin)
            os.close(output)
        return Service(request, ours_in, ours_out)

    def ended(self, service: Service) -> CompilerEnded | None:
        """Return how a service ended, or None while it serves."""
        self._hear(0)
        return self._ended.get(service.request)

    def stop(self, service: Service) -> None:
        """Kill a service and let go of its pipes."""
        self._send(StopCompiler(service.request))
        for fd in (service.stdin, service.output):
            with contextlib.suppress(OSError):
                os.close(fd)

    # -- packets ------------------------------------------------------------------------------------------------------

    def _declared(self, compiler: str) -> Compiler:
        if compiler not in self._compilers:
            raise CompilerRefused(f"no compiler {compiler!r} was declared")
        return self._compilers[compiler]

    def _start(self, message: RunCompiler, fds: list[int]) -> int:
        data = msgspec.msgpack.encode(message)
        if len(data) > MAX_PACKET_BYTES:
            raise CompilerRefused(f"its arguments are {len(data)} bytes")
        socket.send_fds(self._sock, [data], fds)
        return message.request

    def _send(self, message: msgspec.Struct) -> None:
        self._sock.send(msgspec.msgpack.encode(message))

    def _follow(self, request: int, reading: int, output: Ends) -> CompilerEnded:
        """Read a compiler's output to its end, and hear how it ended."""
        poll = select.poll()
        poll.register(reading, select.POLLIN)
        poll.register(self._sock, select.POLLIN)
        open_pipe = True
        while open_pipe or request not in self._ended:
            for fd, _ in poll.poll():
                if fd != reading:
                    self._hear(None)
                    if request in self._ended and self._ended[request].refused:
                        return self._ended.pop(request)
                    continue
                data = os.read(reading, _CHUNK)
                output.add(data)
                if not data:
                    open_pipe = False
                    poll.unregister(reading)
        return self._ended.pop(request)

    def _hear(self, timeout_s: float | None) -> Any:
        """Take in one packet; those of compilers are kept, another one is returned."""
        if timeout_s is not None and not select.select([self._sock], [], [], timeout_s)[0]:
            return None
        data = self._sock.recv(MAX_PACKET_BYTES)
        if not data:
            raise SystemExit(0)  # the warden is gone, and with it all that it started
        message = self._decoder.decode(data)
        if isinstance(message, CompilerEnded):
            self._ended[message.request] = message
            return None
        return message

    def _await(self, kinds: Any) -> Any:
        while True:
            message = self._hear(None)
            if isinstance(message, kinds):
                return message
