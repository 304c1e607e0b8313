"""Loading the published schemas, and running ``gg`` for a document to hold against them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

NAMES = ("arms", "event", "logs", "message", "replay", "run", "session", "trim")
SCHEMAS: dict[str, Any] = {
    name: json.loads(files("gg").joinpath("schemas", f"{name}.json").read_text("utf-8")) for name in NAMES
}
_REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()
)


def validator(name: str) -> Draft202012Validator:
    """Return the validator of one published schema."""
    return Draft202012Validator(SCHEMAS[name], registry=_REGISTRY)


def problems(name: str, document: Any) -> list[str]:
    """Return what is wrong with a document, each with the place it is at; an empty list when nothing is."""
    return [f"{error.json_path}: {error.message[:300]}" for error in validator(name).iter_errors(document)]


def gg(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GG_")}
    return subprocess.run(
        [sys.executable, "-m", "gg.cli", *arguments], input=stdin, capture_output=True, timeout=300, env=environment
    )


def document(*arguments: str, stdin: bytes = b"", status: int = 0) -> Any:
    """Run the command line and return the document it printed, after checking its exit status."""
    done = gg(*arguments, stdin=stdin)
    assert done.returncode == status, done.stderr.decode()
    return json.loads(done.stdout, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))


def programs(folder: Path, suffix: str, *sources: str) -> list[str]:
    """Write programs to files and return their names."""
    paths = [folder / f"program{number}.{suffix}" for number, _ in enumerate(sources)]
    for path, source in zip(paths, sources, strict=True):
        path.write_text(source, encoding="utf-8")
    return [str(path) for path in paths]
