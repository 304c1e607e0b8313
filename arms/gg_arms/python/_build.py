"""Builds the Python guest: CPython, the standard library and the guest's application, as one snapshot."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

__all__ = ["BuildError", "build"]

COMPONENTIZE_VERSION = "0.25.1"
ZONES_VERSION = "2026.6"
WORLD = "arm"
PACKAGE = "gg_guest"
SDK_MODULE = "_sdk_source.py"
ZONES_MODULE = "_zones_source.py"
TIMEOUT_S = 600


class BuildError(Exception):
    """The guest could not be built; the text says why, in one sentence and the tool's own output."""


def build(destination: Path, cache: Path, progress: Callable[[str], None], sdk_source: str) -> None:
    """Build the component and write it to `destination`.

    :param destination: the file to write, such as `python.wasm`; replaced whole or not at all.
    :param cache: a folder for what is made on the way.
    :param progress: called with a sentence before each step.
    :param sdk_source: the SDK of gg's own operations, as `_sdk.render` returns it.
    :raises BuildError: componentize-py or tzdata is missing or of another version, or componentize-py failed.
    """
    tool = _tool()
    zones = _zones()
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="python-guest-", dir=cache) as folder:
        root = Path(folder)
        progress("Copying the Python guest's sources")
        application = root / "app" / PACKAGE
        shutil.copytree(Path(__file__).parent / "guest", application, ignore=shutil.ignore_patterns("__pycache__"))
        for name, data in ((SDK_MODULE, f"SOURCE = {sdk_source!r}"), (ZONES_MODULE, zones)):
            text = f'"""DO NOT EDIT: written by gg_arms.python._build."""\n\n{data}\n'
            (application / name).write_text(text, encoding="utf-8")
        wit = root / "gg.wit"
        wit.write_bytes(files("gg").joinpath("wit").joinpath("gg.wit").read_bytes())
        progress("Building the Python guest with componentize-py (about 20 s)")
        made = root / "python.wasm"
        _run([*tool, "-d", wit, "-w", WORLD, "componentize", f"{PACKAGE}.app", "-p", root / "app", "-o", made], root)
        destination.parent.mkdir(parents=True, exist_ok=True)
        beside = destination.with_name(destination.name + ".new")
        shutil.copyfile(made, beside)
        beside.replace(destination)


def _zones() -> str:
    """Return Python source of the time zones of the `tzdata` package: the TZif data of each, by name."""
    _require("tzdata", ZONES_VERSION)
    package = files("tzdata")
    names = package.joinpath("zones").read_text(encoding="utf-8").split()
    first: dict[bytes, str] = {}  # half of the names are other names of the same zone
    others: dict[str, str] = {}
    for name in names:
        data = package.joinpath("zoneinfo").joinpath(*name.split("/")).read_bytes()
        if first.setdefault(data, name) != name:
            others[name] = first[data]
    zones = {name: data for data, name in first.items()}
    return f"ZONES = {zones!r}\nZONES.update((other, ZONES[name]) for other, name in {others!r}.items())"


def _require(package: str, wanted: str) -> None:
    try:
        found = version(package)
    except PackageNotFoundError:
        raise BuildError(f"{package} is not installed: pip install {package}=={wanted}") from None
    if found != wanted:
        raise BuildError(f"{package} {found} is installed, and the guest is built with {wanted}")


def _tool() -> list[str | Path]:
    _require("componentize-py", COMPONENTIZE_VERSION)
    return [sys.executable, "-c", "from componentize_py import script; script()"]


def _run(command: list[str | Path], folder: Path) -> None:
    # A virtual environment's own packages would be searched for worlds, and its path baked into the guest.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"componentize-py could not be run: {error}") from error
    if done.returncode:
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise BuildError(f"componentize-py failed with status {done.returncode}:\n{output}")
