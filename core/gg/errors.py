"""gg's exceptions.

GGError
├── UsageError            the caller asked for something that can't be: a bad argument, an unknown arm, a bad workspace
│   ├── TranscriptError   a transcript line that is not what gg reads; ``.line`` is its number
│   └── RecordError       a file that is no session record gg reads; ``.line`` is where, ``.reason`` why
├── ArmUnavailable        the arm exists and cannot run here; ``.reason`` says why
├── PluginLoadError       a plugin could not be loaded; ``.distribution`` and ``.reason`` say which and why
├── ProtocolError         a frame between gg's processes was malformed: the peer is not to be trusted any more
├── WardenError           the process that forks is gone or refused
└── SessionClosed         a session was used after it ended or was closed

A program's failure is never one of these: it is a message in the window and an event on the stream.
"""

from __future__ import annotations

__all__ = [
    "ArmUnavailable",
    "GGError",
    "PluginLoadError",
    "ProtocolError",
    "RecordError",
    "SessionClosed",
    "TranscriptError",
    "UsageError",
    "WardenError",
]


class GGError(Exception):
    """The root of what gg raises on purpose; its text is one sentence a user can act on."""


class UsageError(GGError):
    """The caller asked for something that can't be done as asked."""


class TranscriptError(UsageError):
    """A transcript holds a line gg cannot read."""

    def __init__(self, line: int, reason: str) -> None:
        """Name the 1-based ``line`` and what is wrong with it."""
        super().__init__(f"line {line} of the transcript {reason}")
        self.line = line


class RecordError(UsageError):
    """A file is no session record that this gg can read."""

    def __init__(self, line: int | None, reason: str) -> None:
        """Name the 1-based ``line``, or None for the file as a whole, and what is wrong with it."""
        super().__init__(reason if line is None else f"line {line} of the record {reason}")
        self.line = line
        self.reason = reason


class ArmUnavailable(GGError):
    """The arm is installed and cannot run here."""

    def __init__(self, arm: str, reason: str) -> None:
        """Name the arm's id and the reason."""
        super().__init__(f"the arm {arm!r} cannot run here: {reason}")
        self.arm = arm
        self.reason = reason


class PluginLoadError(GGError):
    """A plugin's code could not be loaded or breaks the contract."""

    def __init__(self, name: str, distribution: str, reason: str) -> None:
        """Name the entry point, the distribution that ships it, and what went wrong."""
        super().__init__(f"the plugin {name!r} of {distribution} could not be loaded: {reason}")
        self.name = name
        self.distribution = distribution
        self.reason = reason


class ProtocolError(GGError):
    """A frame was malformed or too large."""


class WardenError(GGError):
    """The warden process is gone, or refused a request."""


class SessionClosed(GGError):
    """The session has ended or was closed."""
