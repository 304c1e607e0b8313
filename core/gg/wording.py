"""The few sentences gg itself composes for a model, in one place. Everything else a model reads was emitted elsewhere.

Notices are facts about the session; limits are stated in the sandbox's words and name what was configured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = [
    "ARGUMENTS_NOT_JSON",
    "CANCELLED",
    "NOTHING_SAID",
    "NOT_RUN_AFTER_CANCEL",
    "NOT_RUN_AFTER_DEFECT",
    "NOT_RUN_AFTER_ENDING",
    "NO_PROGRAM",
    "NO_SUBMISSION",
    "TOOLCHAIN_FAILED",
    "call_limit",
    "ending_rejected",
    "exited",
    "foreign_tool",
    "hand_over_not_run",
    "nothing_documented",
    "nothing_shown",
    "program_not_text",
    "program_too_large",
    "sandbox_died",
    "time_limit",
]

NO_SUBMISSION = "No program was submitted, so nothing ran."
ARGUMENTS_NOT_JSON = "No program was submitted: the arguments of the call are not JSON. Nothing ran."
NO_PROGRAM = "No program was submitted: the call carries no `program`. Nothing ran."
TOOLCHAIN_FAILED = (
    "The program was not run: its compiler could not finish.\n\nNothing about the program was rejected. Write it again."
)
NOT_RUN_AFTER_ENDING = "not run: an earlier program of this turn ended the session"
NOT_RUN_AFTER_CANCEL = "not run: the session was cancelled"
NOT_RUN_AFTER_DEFECT = "not run: gg itself failed earlier in this turn"
CANCELLED = "execution stopped: the session was cancelled"
NOTHING_SAID = "the program failed, and its runtime said nothing"


def program_not_text(kind: str) -> str:
    """Answer a call whose ``program`` is no text; ``kind`` is what it is."""
    return f"No program was submitted: `program` is {kind}, and a program is text. Nothing ran."


def program_too_large(size: int, bound: int) -> str:
    """Answer a call whose program is ``size`` bytes, over the ``bound``."""
    return f"The program was not run: it is {size} bytes, and a program is at most {bound} bytes."


def foreign_tool(name: str) -> str:
    """Answer a call to a tool that this mode does not offer."""
    return f"`{name}` is not a tool here. Submit a program with `submit_program` instead."


def nothing_shown(print_call: str) -> str:
    """Say the one thing a working program can earn, under the agent's own language."""
    return (
        "Your program ran and put nothing in your context.\n\n"
        "A view is the only way to see anything — a value you computed, or a file.\n"
        f"Nothing `{print_call}` writes is readable by you."
    )


def nothing_documented(target: str, nearest: Sequence[str]) -> str:
    """Say that a documentation look-up found nothing, with the nearest names indented under it."""
    return "\n    ".join([f"nothing called `{target}` is documented", *nearest])


def hand_over_not_run(reason: Literal["failed", "ended", "exhausted"], most: int) -> str:
    """Say why a program that another one handed over to did not run; ``most`` is how many a turn may run."""
    why = {
        "failed": "the program that handed over to it failed afterwards",
        "ended": "the program that handed over to it also ended the session",
        "exhausted": f"this turn had already run {most} replacement programs, and runs no more",
    }[reason]
    return f"The replacement program was not run: {why}."


def ending_rejected(reason: str) -> str:
    """Say that an ending does not stand, with the reason a plugin gave."""
    return f"The ending was rejected, and the session goes on.\n\n{reason}"


def time_limit(timeout_s: float) -> str:
    """State the time limit, in seconds, that stopped a program."""
    return f"execution stopped: the time limit of {timeout_s:g} s was reached"


def call_limit(calls: int) -> str:
    """State the bound on calls that stopped a program."""
    return f"execution stopped: the limit of {calls} calls was reached"


def exited(status: int) -> str:
    """State the status a program ended itself with."""
    return f"exited with status {status}"


def sandbox_died() -> str:
    """State that the sandbox process ended under the running program."""
    return "execution stopped: the sandbox process running the program ended"
