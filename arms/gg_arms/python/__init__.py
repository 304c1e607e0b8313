"""The Python arm: what it is, and how its engine's words are read. The hooks are those of every shared guest."""

from __future__ import annotations

from pathlib import Path

from gg.types import ArmInfo
from gg_arms._shared import Reading, SharedArm
from gg_arms.python._trim import COMPILE_RULES, RUNTIME_RULES, classify_compile, classify_runtime

__all__ = ["arm"]

arm = SharedArm(
    package=__name__,
    info=ArmInfo(
        id="python",
        display_name="Python",
        print_call="print",
        extensions=("py",),
        guest="shared",
        guest_path=str(Path(__file__).with_name("python.wasm")),
        guest_form="component",
        import_line="from lib import {key}",
        case="snake",
    ),
    reading={
        "compile": Reading(COMPILE_RULES, classify_compile),
        "runtime": Reading(RUNTIME_RULES, classify_runtime),
    },
)
