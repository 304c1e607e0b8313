"""What a prepare step works in: a private folder, the built toolchain, and the compilers that may run there."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Sequence
from types import TracebackType

from gg.toolchain import CompilerResult
from gg.worker.toolchain import Service, WardenLink

__all__ = ["Preparations", "Workspace"]


class Workspace:
    """One preparation's folder. Compilers start in it and may write nothing else; it is removed afterwards.

    ``folder`` is its path; ``toolchain`` the folder that `gg_build_toolchain` filled, which nobody can write any more
    (None while it is being filled, and for arms that build none). A compiler's arguments name files relative to
    ``folder``: what it prints of them is then the same for every program.
    """

    def __init__(self, link: WardenLink, folder: str, toolchain: str | None) -> None:
        self._link = link
        self._services: list[Service] = []
        self.folder = folder
        self.toolchain = toolchain

    def write(self, name: str, data: bytes | str) -> str:
        """Write a file of the folder and return its path. ``name`` may name folders, which are made."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
        return path

    def read(self, name: str) -> bytes:
        """Return a file of the folder, or of what a compiler left there.

        :raises OSError: when it is not there.
        """
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def run_compiler(self, compiler: str, arguments: Sequence[str] = ()) -> CompilerResult:
        """Run a compiler that `ArmInfo.compilers` declares, by its id, and return how it ended.

        Its time counts in the program's ``compileMs``. It ends at its own limits; design 5 says what it can reach.

        :raises CompilerRefused: when it was not started: undeclared, or more than the warden runs at once.
        """
        return self._link.run(compiler, tuple(arguments), os.path.basename(self.folder))

    def start_service(self, compiler: str, arguments: Sequence[str] = ()) -> Service:
        """Start a declared compiler that goes on serving, such as a language server. Meant for `gg_warm_up`.

        It reads what is written to `Service.stdin` and may write this folder, and ends with the worker. One that a
        preparation starts ends with the preparation.

        :raises CompilerRefused: when it was not started.
        """
        service = self._link.start_service(compiler, tuple(arguments), os.path.basename(self.folder))
        self._services.append(service)
        return service

    def has_ended(self, service: Service) -> bool:
        """Say whether a service has ended: whoever used it starts another one."""
        return self._link.ended(service) is not None

    def stop_service(self, service: Service) -> None:
        """Kill a service."""
        if service in self._services:
            self._services.remove(service)
            self._link.stop(service)

    def close(self) -> None:
        """Kill its services and remove the folder."""
        for service in tuple(self._services):
            self.stop_service(service)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Preparations:
    """Makes a worker's workspaces, each with a folder that nothing was in before."""

    def __init__(self, link: WardenLink, private: str, toolchain: str | None = None) -> None:
        self._link = link
        self._private = private
        self._numbers = itertools.count(1)
        self.toolchain = toolchain

    def make(self, name: str | None = None) -> Workspace:
        """Return a workspace in a new folder, which may be given a ``name``."""
        folder = os.path.join(self._private, name or f"preparation-{next(self._numbers)}")
        os.makedirs(folder, mode=0o700, exist_ok=name is not None)
        return Workspace(self._link, folder, self.toolchain)
