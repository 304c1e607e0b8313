"""The compiled part of gg_rust_ext. Import its names from `gg_rust_ext`."""

from collections.abc import Sequence
from typing import Final, final

__all__ = [
    "ABI",
    "LogCapture",
    "LogTail",
    "MembraneEntry",
    "TrimRules",
    "Trimmed",
    "apply_ranges",
    "clean",
    "clip",
    "count_tokens",
    "load_tokens",
    "start_confined",
]

ABI: Final[int]
"""Changes whenever the Python sources must change with the compiled part."""

def count_tokens(text: str | bytes | bytearray, /) -> int:
    """Exact o200k_base token count.

    Text that spells a special token counts as ordinary text. Of bytes those that are not UTF-8 are deleted first, of
    a str the lone surrogates. The first call builds the tokenizer (60 ms, 44 MB); see `load_tokens`. Long text is
    counted without holding the interpreter's lock.

    :raises TypeError: neither text nor bytes.
    """

def load_tokens() -> None:
    """Build the tokenizer, if it is not built yet, without holding the interpreter's lock."""

def start_confined(
    arguments: Sequence[str],
    environment: Sequence[str],
    folder: int,
    stdin: int,
    output: int,
    limits: Sequence[tuple[int, int, int]],
    ruleset: int | None,
    filter: bytes,
) -> int:
    """Start ``arguments[0]`` in a session of its own and return its process id, without copying this process.

    It starts in the directory descriptor ``folder``, with the descriptors ``stdin`` and ``output`` and the
    ``environment`` (``NAME=value``), under resource ``limits`` (resource, soft, hard) and, with a Landlock
    ``ruleset`` descriptor, under that and the seccomp program ``filter``. It is killed when the calling thread ends.
    One that cannot be started ends with status 127 and says why on its output.

    :raises OSError: when there is no process to be had.
    :raises ValueError: for a text that holds a zero.
    """

def clean(data: bytes | bytearray, /) -> tuple[str, int]:
    """``data`` as text, and how many bytes were deleted because they are not UTF-8.

    Equal to ``data.decode("utf-8", "ignore")``.
    """

def clip(text: str, max_bytes: int) -> str:
    """The longest prefix of whole characters that takes at most ``max_bytes`` bytes in UTF-8.

    Lone surrogates are deleted first.

    :raises OverflowError: ``max_bytes`` is negative.
    """

@final
class LogCapture:
    """What a program prints on its two streams, kept as its last lines in bounded memory.

    Bytes that are not UTF-8 are deleted. A line ends at LF or CRLF; a CR alone stays in the line. Characters and line
    ends may be split over writes. The streams' lines keep their order: a line takes its place when it is completed.
    A line longer than ``max_line_bytes`` keeps its first whole characters within that. The oldest whole lines go
    until at most ``max_lines`` lines and ``max_bytes`` bytes (line ends not counted) are left.
    """

    def __new__(cls, max_lines: int = 200, max_bytes: int = 16384, max_line_bytes: int = 2048) -> LogCapture: ...
    def write(self, stream: int, data: bytes | bytearray) -> None:
        """Take in ``data`` of stream 1 (stdout) or 2 (stderr).

        :raises ValueError: another stream, or the capture is finished.
        """

    def write_records(self, records: bytes | bytearray) -> int:
        """Take in records of the guest ABI: stream (1 byte), length (4 bytes, little-endian), bytes.

        Reading stops at the first record that names no stream or is longer than what is there.

        :returns: how many bytes from there on were ignored; 0 when all were read.
        :raises ValueError: the capture is finished.
        """

    def finish(self) -> LogTail:
        """End the unfinished last lines, stdout's first, and answer what was kept. May be called again."""

    def stderr_ends(self) -> bytes:
        """What was written to stream 2, as it is: whole up to 8 KiB, else its first and last lines within 4 KiB each.

        A line longer than 2 KiB is represented by its start in the latter case. Nothing marks the gap.
        """

@final
class LogTail:
    """What a `LogCapture` kept."""

    @property
    def lines(self) -> list[str]:
        """The kept lines without their ends, oldest first; a new list at each access."""

    @property
    def logged(self) -> int:
        """Lines printed, kept or not."""

    @property
    def suppressed(self) -> int:
        """Lines dropped; a line of which the start is kept is not."""

    @property
    def kept_bytes(self) -> int:
        """Bytes of the kept lines in UTF-8, line ends not counted."""

    @property
    def undecodable_bytes(self) -> int:
        """Bytes deleted because they are not UTF-8, in kept and dropped lines alike."""

@final
class MembraneEntry:
    """The membrane's entry points in a worker: what wasm calls, without Python between. Used by one thread.

    The addresses are those of functions in the wasmtime library that the process has loaded. It speaks to the host
    over the socket ``fd``, and ends the process when the host is gone. ``timer`` is the ``timer_t`` of the program's
    deadline, which stands still while the host answers.
    """

    def __new__(
        cls,
        *,
        fd: int,
        timer: int,
        caller_context: int,
        memory_data: int,
        memory_data_size: int,
        byte_vec_new: int,
        string_kind: int,
    ) -> MembraneEntry: ...
    @property
    def environment(self) -> int:
        """What wasmtime hands back to the entry points; good as long as this object."""

    @property
    def core_call(self) -> int:
        """The address of ``gg.call`` for core modules, an unchecked callback."""

    @property
    def core_take(self) -> int:
        """The address of ``gg.take`` for core modules, an unchecked callback."""

    @property
    def component_call(self) -> int:
        """The address of ``call`` for components."""

    def begin(self, memory: bytes | None = None, ring: int | None = None) -> None:
        """Begin a program; of a core module, ``memory`` is its ``wasmtime_memory_t`` and ``ring`` its log ring."""

    def share_cpu(self, allowed: bool) -> None:
        """Say whether a program that calls again may keep this process on its CPU; when not, it may run on any."""

    def mark_late(self) -> None:
        """Mark later calls: the guest has reported."""

    @property
    def parked_s(self) -> float:
        """Seconds this program has waited for the host."""

    @property
    def fired(self) -> bool:
        """Whether the deadline had passed when a call parked."""

@final
class TrimRules:
    """A rule table compiled for `trim`, with the bounds of what stays.

    ``rules`` are ``(class, expression)`` pairs in order; the first whose expression is found in a line (without its
    end, its terminal escapes and its undecodable bytes) says what the line is. Expressions are those of Rust's
    ``regex`` crate: linear time, no look-around, no back-references. The classes:

    - ``drop``: the line always goes; it also ends a diagnostic.
    - ``own_frame``, ``foreign_frame``: the line starts a frame of the program, or one that is not the program's.
    - ``frame_more``: the line continues the frame directly above and goes or stays with it; text where there is none.
    - ``frame_header``: the line goes when the frames directly below it all go.
    - ``error``, ``warning``: the line starts a diagnostic, to which all belongs up to the next one, or to a line of
      class ``section`` or ``drop``.
    - ``note``: the line starts a sub-entry of a diagnostic.
    - ``section``: the line ends a diagnostic; else text.
    - ``keep``: text that goes last when the body is too long.
    - ``text``: anything else, as are lines that no rule matches.

    What stays: the first ``max_diagnostics`` diagnostics, identical ones counted once and no warnings where there is
    an error, each with its first ``max_notes`` sub-entries (``None``: all); of a stack, which is a run of frames that
    no other line interrupts, the first and the last ``edge_frames`` own frames and no foreign ones. Of a line its
    first ``max_line_bytes``. A body over ``max_bytes`` loses its last diagnostics, then whole lines from its middle:
    first blank lines and text, then frames' first lines and diagnostics' heads, then ``keep`` lines. Blank lines
    around the body and its last line end go too.

    :raises ValueError: no such class, an expression that cannot be read, or a bound that leaves nothing.
    """

    def __new__(
        cls,
        rules: Sequence[tuple[str, str]],
        *,
        max_diagnostics: int = 8,
        max_notes: int | None = None,
        edge_frames: int = 10,
        max_line_bytes: int = 2048,
        max_bytes: int = 16384,
    ) -> TrimRules: ...
    def trim(self, data: bytes | bytearray, protected: Sequence[tuple[int, int]] = ()) -> Trimmed:
        """Choose what stays of ``data``.

        Lines that touch one of the ``protected`` byte ranges are text, whatever they look like. Where every line
        would go by its class, none does: something readable is left of whatever has something readable in the first
        ``max_line_bytes`` of a line.
        Long input is trimmed without holding the interpreter's lock.
        """

@final
class Trimmed:
    """What `TrimRules.trim` chose: ranges of its input, and counts of what they leave out."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Byte ranges of the input that stay: ascending, not empty, not touching. For `apply_ranges`."""

    @property
    def dropped_lines(self) -> int:
        """Lines that went, empty ones not counted."""

    @property
    def dropped_diagnostics(self) -> int:
        """Diagnostics that went whole."""

    @property
    def dropped_frames(self) -> int:
        """Frames that went."""

def apply_ranges(data: bytes | bytearray, ranges: Sequence[tuple[int, int]]) -> str:
    """The bytes of ``data`` in ``ranges``, one after the other, those deleted that are not UTF-8 within their range.

    :raises ValueError: a range is reversed, lies outside of ``data``, or begins before the one in front of it ends.
    """
