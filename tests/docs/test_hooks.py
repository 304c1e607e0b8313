"""The page of hooks is the contract's: a heading a hook, which is its signature."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest
from doc_pages import DOCS, read, sections

from gg.hookspecs import host, worker

PAGE = read(DOCS / "hooks.md")
SIDES: dict[str, ModuleType] = {"Worker hooks": worker, "Host hooks": host}


def hooks(module: ModuleType) -> dict[str, str]:
    """Return the heading of each hook a module specifies, by its name."""
    found = {name: value for name, value in vars(module).items() if name.startswith("gg_") and callable(value)}
    return {name: f"{name}({', '.join(inspect.signature(hook).parameters)})" for name, hook in found.items()}


@pytest.mark.parametrize("side", SIDES)
def test_each_hook_has_its_signature_as_heading(side: str) -> None:
    """The hooks on the page are those of the specification, each under its exact signature."""
    assert set(sections(sections(PAGE, 2)[side], 3)) == set(hooks(SIDES[side]).values())


@pytest.mark.parametrize(("side", "name"), [(side, name) for side, module in SIDES.items() for name in hooks(module)])
def test_each_argument_is_described(side: str, name: str) -> None:
    """Each argument of a hook has an entry of its own, in order, and what it returns is said."""
    heading = hooks(SIDES[side])[name]
    text = sections(PAGE, 3)[heading]
    described = re.findall(r"^- `(\w+)`: ", text, re.MULTILINE)
    assert described == list(inspect.signature(getattr(SIDES[side], name)).parameters)
    assert re.search(r"^Returns ", text, re.MULTILINE)


def test_required_hooks_are_named() -> None:
    """The page names exactly the hooks without which no arm is loaded."""
    from gg.worker.plugins import _REQUIRED  # pyright: ignore[reportPrivateUsage]

    said = re.search(r"An arm must\s+implement (.+?)\.\n", PAGE, re.DOTALL)
    assert said
    assert re.findall(r"`(\w+)`", said[1]) == list(_REQUIRED)
