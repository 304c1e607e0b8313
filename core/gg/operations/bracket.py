"""The bracket: every call a program makes is recorded, gated, dispatched and answered here, and nowhere else."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import msgspec

from gg.operations.arguments import decode_arguments, finite
from gg.operations.context import CallContext
from gg.operations.ending import ENDINGS
from gg.operations.gate import Gate
from gg.operations.inner import INNER
from gg.operations.table import Operation, OperationFailure, OperationTable
from gg.protocol import MAX_FRAME_BYTES, Call, Reply
from gg.record.tape import NO_TAPE, Served, Tape
from gg.stream.record import ProgramRecord

__all__ = ["MAX_CALLS_IN_REQUEST", "MAX_CALLS_OF_PROGRAM", "CallDesk"]

MAX_CALLS_IN_REQUEST = 16
MAX_CALLS_OF_PROGRAM = 50_000
"""Waiting for the host is no part of a program's time, so a loop of calls needs a bound of its own."""
_NEVER_DISPATCHED = ("invalid-argument", "refused", "unavailable")
"""Failures of calls that did nothing: they count as refused before they ran, wherever that was found out."""
_REPLY_ROOM = MAX_FRAME_BYTES - (64 << 10)
_HEAD_OPERATION = re.compile(rb'^\s*\[\s*\[\s*"([A-Za-z0-9_.]{1,128})"')
_request = msgspec.json.Decoder(list[list[msgspec.Raw]])
_text = msgspec.json.Decoder(str)
_encode = msgspec.json.Encoder().encode


class CallDesk:
    """Answers the calls of one program. The model-facing counts of that program are kept in ``record``."""

    def __init__(
        self, table: OperationTable, gate: Gate, context: CallContext, record: ProgramRecord, run_ends: float | None,
        objection: Callable[[str, dict[str, Any]], str | None] | None = None, tape: Tape = NO_TAPE,
    ) -> None:  # fmt: skip
        self._table = table
        self._gate = gate
        self._context = context
        self._record = record
        self._run_ends = run_ends
        self._objection = objection
        self._tape = tape

    @property
    def spent(self) -> bool:
        """Say whether the program has made all the calls it may."""
        return self._record.api_calls >= MAX_CALLS_OF_PROGRAM

    def answer(self, call: Call) -> Reply:
        """Answer a request of 1 to 16 calls, each bracketed on its own."""
        reply = self._answer(call)
        self._tape.request_answered()
        return reply

    def _answer(self, call: Call) -> Reply:
        if call.oversize:
            found = _HEAD_OPERATION.match(call.payload)
            id = found[1].decode() if found else "unknown"
            message = f"the call is {call.oversize} bytes, and a call is at most {MAX_FRAME_BYTES} bytes"
            return Reply(
                b"["
                + self._bracket(id, None, OperationFailure("limit-exceeded", message), call.late, _REPLY_ROOM)
                + b"]"
            )
        try:
            calls = _request.decode(call.payload)
            if not 1 <= len(calls) <= MAX_CALLS_IN_REQUEST:
                raise msgspec.ValidationError(f"a request holds 1 to {MAX_CALLS_IN_REQUEST} calls, not {len(calls)}")
            read = [self._read(item) for item in calls]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._record.unreadable_request(str(error))
            return Reply(_encode(_error("call", "invalid-argument", f"the request cannot be read: {error}")), False)
        room = _REPLY_ROOM
        answers: list[bytes] = []
        for one in read:
            answers.append(self._bracket(*one, call.late, room))
            room -= len(answers[-1]) + 1
        return Reply(b"[" + b",".join(answers) + b"]")

    @staticmethod
    def _read(item: list[msgspec.Raw]) -> tuple[str, msgspec.Raw | None, OperationFailure | None]:
        if len(item) == 3:
            return _text.decode(item[0]), None, OperationFailure("invalid-argument", _text.decode(item[2])[:2048])
        if len(item) != 2:
            raise msgspec.ValidationError("a call is `[operation, arguments]` or `[operation, null, fault]`")
        return _text.decode(item[0]), item[1], None

    def _bracket(
        self, id: str, raw: msgspec.Raw | None, fault: OperationFailure | None, late: bool, room: int
    ) -> bytes:
        id = id[:128]
        self._record.call_opened(id)
        began = time.perf_counter()
        served = self._tape.call(id, raw, None if fault is None else fault.message)
        if served is None:
            served = self._serve(id, raw, fault, late, room)
        self._tape.answered(served)
        parked_ms = (time.perf_counter() - began) * 1000
        self._record.call_closed(id, dispatched=served.dispatched, failure=served.failure, parked_ms=parked_ms)
        return served.reply

    def _serve(self, id: str, raw: msgspec.Raw | None, fault: OperationFailure | None, late: bool, room: int) -> Served:
        operation = self._table.get(id)
        name = operation.name if operation else id.rpartition(".")[2]
        dispatched = outside = False
        try:
            if operation is None or not self._gate.permits(operation):
                raise OperationFailure("unavailable", self._unavailable(id))
            if late:
                raise OperationFailure("refused", "the program has already failed")
            if fault is not None:
                raise fault
            arguments = decode_arguments(operation.arguments, memoryview(raw or b""), self._context)
            outside = True
            if self._run_ends is not None and not operation.outlives_deadline and time.monotonic() > self._run_ends:
                raise OperationFailure("limit-exceeded", "the time of the whole run is spent")
            if self._objection is not None and not self._tape.replays:
                reason = self._objection(id, msgspec.structs.asdict(arguments))
                if reason is not None:
                    raise OperationFailure("refused", reason)
            outside = operation.id not in INNER
            dispatched = operation.backed
            reply = self._dispatch(operation, arguments, room)
            failure = None
        except OperationFailure as error:
            failure = error
            outside = outside or error.code == "io-error"  # a disk had a say: a memory that could not be kept
            dispatched = dispatched and error.code not in _NEVER_DISPATCHED
            reply = _encode({"ok": False, "error": _error(name, error.code, error.message)})
        return Served(reply, failure, dispatched, outside)

    def _dispatch(self, operation: Operation, arguments: Any, room: int) -> bytes:
        try:
            value = operation.handler(self._context, arguments)
            reply = _encode({"ok": True, "value": value if operation.exact else finite(value)})
        except OperationFailure:
            raise
        except (Exception, SystemExit) as error:  # a handler that means to end the process does not, from here
            self._record.handler_broke(operation.id, error)
            raise OperationFailure("other", "the operation failed inside gg") from error
        if len(reply) > room:
            raise OperationFailure("limit-exceeded", f"the answers of a request are at most {_REPLY_ROOM} bytes")
        return reply

    def _unavailable(self, id: str) -> str:
        """Name the call; of an ending that is another role's, the endings this agent has."""
        words = f"`{self._spelling(id)}` is not available"
        if id in ENDINGS:
            held = [row.id for row in self._table if self._gate.permits(row) and row.id in ENDINGS]
            if held:
                words += "; this session ends with " + " or ".join(f"`{self._spelling(one)}`" for one in held)
        return words

    def _spelling(self, id: str) -> str:
        module, _, name = id.partition(".")
        return self._context.info.spell(module, name) if name else id


def _error(operation: str, code: str, message: str) -> dict[str, str]:
    return {"operation": operation, "code": code, "message": message}
