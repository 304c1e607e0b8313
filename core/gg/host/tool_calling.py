"""A turn in which the model calls the operations itself, as ordinary tools. No program, no worker, no guest.

The calls go through the same desk as a program's, one after the other; their results are the answers to the calls.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import msgspec

from gg import wording
from gg.host.calls import make_desk, objections
from gg.host.reply import Reply
from gg.host.turn import TurnRunner
from gg.operations.bracket import CallDesk
from gg.operations.programs import HandOver
from gg.operations.table import Operation
from gg.protocol import MAX_FRAME_BYTES, Call
from gg.stream.record import ProgramRecord
from gg.window.clean import clean_text
from gg.window.messages import Message, ToolCall
from gg.window.tools import tool_names
from gg.window.views import Views

if TYPE_CHECKING:
    from gg.host.session import Session

__all__ = ["ToolTurn"]

NOTHING = "ok"
"""The answer to a call that succeeded and returns nothing."""


class _Answer(msgspec.Struct):
    """One call's answer, as the desk gives it."""

    ok: bool
    value: msgspec.Raw = msgspec.Raw(b"null")
    error: dict[str, str] = {}


_answers = msgspec.json.Decoder(list[_Answer])


class ToolTurn(TurnRunner):
    """Runs one turn of a session in which the model calls tools."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._names = tool_names(session.host.table)  # of all: a call of what the agent does not hold is refused
        self._calls: list[tuple[ToolCall, Message]] = []
        self._record = ProgramRecord(session.stream.emit)
        self._views = Views(session.window, self._record.view, None, 0)

    def _acknowledge(self, reply: Reply) -> None:
        """Keep a place for each answer right behind the reply: what calls show goes behind all of them."""
        for call in reply.tool_calls:
            place = self._window.push(Message("tool", "", "tool_output", tool_call_id=call.id))
            self._calls.append((call, place))
        if not self._calls:
            self._notices.append((wording.NO_TOOL_CALL, None))
            self._failed("no_submission")
            self._stream.log("warn", "no_submission", "the reply called no tool")

    def _run_all(self) -> None:
        session, ending = self._session, self._state.ending
        desk = make_desk(session, self._state, session.info, HandOver(), self._views, self._record)
        try:
            for index, (call, place) in enumerate(self._calls):
                if ending.summary is not None:
                    self._skip(index, wording.CALL_NOT_RUN_AFTER_ENDING)
                    break
                if session.cancelled:
                    self._skip(index, wording.NOT_RUN_AFTER_CANCEL)
                    break
                self._window.answer(place, self._answer(desk, call))
                self._begun = index + 1
                self._judge()
        finally:
            self._state.run_ms = self._record.parked_ms

    def _judge(self) -> None:
        """Let the plugins object to an ending that the last call declared."""
        if self._state.ending.summary is not None:
            reasons = objections(self._session, self._state.ending)
            self._notices += [(wording.ending_rejected(reason), None) for reason in reasons]

    def _answer(self, desk: CallDesk, call: ToolCall) -> str:
        operation = self._names.get(call.name)
        if operation is None:
            self._failed("unknown_tool")
            answer = wording.unknown_tool(clean_text(call.name).text)
            self._stream.log("warn", "unknown_tool", f"a call of {call.name!r} did nothing: {answer}")
            return answer
        reply = desk.answer(_request(operation, call))
        (answered,) = _answers.decode(reply.payload)
        if not answered.ok:
            return wording.call_failed(call.name, answered.error["code"], answered.error["message"])
        text = bytes(answered.value).decode()
        return NOTHING if text == "null" else text

    def _skip(self, first: int, why: str) -> None:
        """Answer the calls from ``first`` on, which are not carried out."""
        left = self._calls[first:]
        if not left:
            return
        for _, place in left:
            self._window.answer(place, why)
        message = f"{len(left)} {'call was' if len(left) == 1 else 'calls were'} {why}"
        self._stream.log("warn", "calls_not_run", message, count=len(left))
        self._failures += len(left)

    def _failed(self, kind: str) -> None:
        self._first_failure = self._first_failure or kind
        self._failures += 1


def _request(operation: Operation, call: ToolCall) -> Call:
    """Return a tool call as the request a program's call would have made."""
    id = operation.id.encode()
    try:
        arguments = _arguments(call)
    except ValueError as error:
        return Call(b'[["%b",null,%b]]' % (id, msgspec.json.encode(f"the arguments are {error}")))
    request = b'[["%b",%b]]' % (id, arguments)
    return Call(request, oversize=len(request) if len(request) > MAX_FRAME_BYTES else 0)


def _arguments(call: ToolCall) -> bytes:
    """Return a call's arguments as strict JSON.

    :raises ValueError: saying what they are instead.
    """
    given: Any = call.arguments
    if isinstance(given, dict):
        try:
            return json.dumps(cast("dict[str, Any]", given), ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, TypeError, RecursionError):
            raise ValueError("not JSON") from None
    if not given.strip():  # how some providers write a call without arguments
        return b"{}"
    try:
        raw: bytes = given.encode()
        msgspec.json.decode(raw)
    except UnicodeEncodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.MsgspecError:
        raise ValueError("not JSON") from None
    return raw
