"""The JavaScript arm: what it is, and how its engine's words are read. The hooks are those of every shared guest."""

from __future__ import annotations

from pathlib import Path

from gg.types import ArmInfo
from gg_arms._shared import Reading, SharedArm
from gg_arms.javascript._trim import COMPILE_RULES, RUNTIME_RULES, classify_compile, classify_runtime

__all__ = ["arm"]

arm = SharedArm(
    package=__name__,
    info=ArmInfo(
        id="javascript",
        display_name="JavaScript",
        print_call="console.log",
        extensions=("js", "mjs"),
        guest="shared",
        guest_path=str(Path(__file__).with_name("javascript.wasm")),
        guest_form="core",
        import_line='import * as {key} from "lib:{key}";',
        case="camel",
    ),
    reading={
        "compile": Reading(COMPILE_RULES, classify_compile),
        "runtime": Reading(RUNTIME_RULES, classify_runtime),
    },
)
