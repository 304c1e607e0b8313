"""The few sentences gg itself composes for a model, in one place. Everything else a model reads was emitted elsewhere.

Notices are facts about the session; limits are stated in the sandbox's words and name what was configured.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

__all__ = [
    "ARGUMENTS_NOT_JSON",
    "CALL_NOT_RUN_AFTER_ENDING",
    "CANCELLED",
    "COMPACTION_FAILED",
    "NOTHING_SAID",
    "NOT_RUN_AFTER_CANCEL",
    "NOT_RUN_AFTER_DEFECT",
    "NOT_RUN_AFTER_ENDING",
    "NO_PROGRAM",
    "NO_SUBMISSION",
    "NO_TOOL_CALL",
    "TOOLCHAIN_FAILED",
    "call_failed",
    "call_limit",
    "code_not_loaded",
    "compacted",
    "ending_rejected",
    "exited",
    "foreign_tool",
    "hand_over_not_run",
    "nothing_documented",
    "nothing_shown",
    "on_use_failed",
    "picture",
    "picture_not_attached",
    "program_not_text",
    "program_too_large",
    "sandbox_died",
    "time_limit",
    "unknown_tool",
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
CALL_NOT_RUN_AFTER_ENDING = "not run: an earlier call of this turn ended the session"
NO_TOOL_CALL = "No tool was called, so nothing was done."
COMPACTION_FAILED = "The conversation was not compacted: what chooses the messages that stay failed."
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


def code_not_loaded(kind: str, name: str, how: str, said: str) -> str:
    """Say that the code of a skill or memory is not there, and what the failure said; its source is not quoted.

    ``how``: it was ``rejected`` by the compiler, it ``failed`` while it was loading, or the ``toolchain`` broke.
    """
    if how == "toolchain":
        return f"The code of the {kind} `{name}` is not loaded: its compiler could not finish. Nothing was rejected."
    what = "did not compile" if how == "rejected" else "failed while it was loading"
    return f"The code of the {kind} `{name}` is not loaded: it {what}.\n\n{said or NOTHING_SAID}"


def on_use_failed(kind: str, name: str, how: str, said: str) -> str:
    """Say that the on-use script of a skill or memory failed, and what the failure said; its source is not quoted."""
    if how == "toolchain":
        return f"The on-use script of the {kind} `{name}` was not run: its compiler could not finish."
    what = "did not compile" if how == "rejected" else "failed"
    return f"The on-use script of the {kind} `{name}` {what}.\n\n{said or NOTHING_SAID}"


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


def compacted(summary: str) -> str:
    """Say that a summary stands for the conversation before it."""
    return f"The conversation before this was compacted. Its summary:\n\n{summary}"


def unknown_tool(name: str) -> str:
    """Answer a call to a tool that no operation is behind."""
    return f"`{name}` is not a tool here."


def call_failed(name: str, code: str, message: str) -> str:
    """Answer a call that failed, as its error reads in a program."""
    return f"`{name}` failed ({code}): {message}"


def picture(media_type: str, size: int) -> str:
    """Describe the picture of a file view, which is ``size`` bytes and goes out with the message."""
    return f"{media_type}, {size} bytes"


def picture_not_attached(media_type: str, size: int, bound: int) -> str:
    """Describe the picture of a file view that is over the ``bound`` on what goes out."""
    return f"{media_type}, {size} bytes: not attached, since a picture is at most {bound} bytes"
