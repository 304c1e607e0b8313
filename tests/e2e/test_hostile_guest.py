"""A guest that breaks the ABI harms its own program at most: the worker's answers hold, the host's always."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from modules import FAILED, FINISH, REQUEST, RING, calls, expect, module, report, request
from support import FAST, Ran, Runner, submit

from gg import Host, Limits, Session

Wat = Callable[..., Ran]
SMALL = Limits(1.0, 64 << 20)


@pytest.fixture(scope="module")
def session(strange_host: Host) -> Iterator[Session]:
    """One session for modules that leave it going: that it goes on is the rule."""
    with strange_host.session("wat", limits=SMALL) as made:
        yield made
        assert submit(made, module("")).execution["ok"], "the next program runs"


def returned(ran: Ran) -> None:
    """The program returned normally."""
    assert (ran.turn.outcome, ran.execution["ok"], ran.headings) == ("continue", True, ["Notice"])


def refused(ran: Ran) -> dict[str, object]:
    """The one refusal of a program that returned."""
    assert ran.turn.outcome == "continue"
    (refusal,) = ran.of("refusal")
    assert ran.execution["toolCalls"] == 0
    return refusal


@pytest.mark.parametrize(
    "body",
    [
        "(drop (call $call (i32.const -8) (i32.const 100) (i32.const 0) (i32.const 0)))",
        "(drop (call $call (i32.const 4194300) (i32.const 5) (i32.const 0) (i32.const 0)))",
        "(drop (call $call (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 0)))",
        "(call $log (i32.const -8) (i32.const -1))",
        "(call $log (i32.const 4194304) (i32.const 1))",
        "(call $report (i32.const -8) (i32.const -1))",
        "(drop (call $take (i32.const -1)))",
        expect("(i32.eq (call $take (i32.const 0)) (i32.const -1))"),
        "(call $sleep (f64.const nan))",
        "(call $sleep (f64.const -5))",
        "(call $sleep (f64.const -inf))",
        "(call $log (i32.const 0) (i32.const 0))",
    ],
)
def test_pointers_outside_memory(session: Session, body: str) -> None:
    """A pointer or length outside the guest's memory is answered or ignored; nothing is read or written there."""
    returned(submit(session, module(body)))


def test_reply_that_does_not_fit_waits_for_one_take(wat: Wat) -> None:
    """A reply past the capacity, or to a place outside memory, waits for exactly one `take`."""
    for out, capacity in ((0, 0), (-4, 100_000), (0, 3)):
        body = (
            expect(
                f"(i32.gt_s (call $call (i32.const {REQUEST}) (i32.const {len(FINISH)}) (i32.const {out})"
                f" (i32.const {capacity})) (i32.const 3))"
            )
            + expect("(i32.gt_s (call $take (i32.const 1000)) (i32.const 3))")
            + expect("(i32.eq (i32.load8_u (i32.const 1000)) (i32.const 91))")
            + expect("(i32.eq (call $take (i32.const 1000)) (i32.const -1))")
        )
        assert wat(module(body, [(REQUEST, FINISH)])).turn.outcome == "finished"


def test_a_second_call_drops_the_reply_that_waited(wat: Wat) -> None:
    """A reply nobody took is gone once another call is answered in place."""
    call = f"(drop (call $call (i32.const {REQUEST}) (i32.const {len(FINISH)}) (i32.const 0) (i32.const {{}})))"
    body = call.format(0) + call.format(4000) + expect("(i32.eq (call $take (i32.const 1000)) (i32.const -1))")
    assert wat(module(body, [(REQUEST, FINISH)])).execution["ok"]


def test_sixteen_calls(wat: Wat) -> None:
    """A request of 16 calls is answered, each call bracketed on its own."""
    ran = wat(request(calls(16), check=expect("(i32.ge_s {} (i32.const 0))")))
    assert (ran.turn.outcome, ran.execution["apiCalls"], len(ran.of("api_result"))) == ("finished", 16, 16)


@pytest.mark.parametrize(
    "body",
    [
        calls(17), b"", b"{}", b"[]", b"[[]]", b'[["a"]]', b'[["a",{},"x","y"]]', b"[[1,{}]]", b"\xff\xfe", b'[["a",{}]',
        b"[" * 5000, b'[["\\ud800",{}]]', b'[["session.finish",null,7]]', b"null", b"[null]", b"\0",
        b'[["files.read_file",{"path":"\\ud800"}]]', b'[["files.read_file",{"path":' + b"[" * 3000 + b"]" * 3000 + b"}]]",
    ],
)  # fmt: skip
def test_request_that_cannot_be_read(session: Session, body: bytes) -> None:
    """It gets one error object behind a negative length, counts as a call, and does nothing."""
    ran = submit(session, request(body, check=expect("(i32.lt_s {} (i32.const 0))")))
    returned(ran)
    assert refused(ran)["code"] == "invalid-argument"
    assert ran.execution["apiCalls"] == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'[["files.read_file",null]]', "invalid-argument"),
        (b'[["files.read_file",[1]]]', "invalid-argument"),
        (b'[["files.read_file",{"path":"a","offset":1.5}]]', "invalid-argument"),
        (b'[["files.read_file",{"path":"a","offset":true}]]', "invalid-argument"),
        (b'[["files.read_file",{"path":"a","offset":99999999999999999999999}]]', "invalid-argument"),
        (b'[["files.read_file",{"path":"a","more":1}]]', "invalid-argument"),
        (b'[["session.finish",null,"NaN cannot be sent"]]', "invalid-argument"),
        (b'[["no.such",{}]]', "unavailable"),
        (b'[["",{}]]', "unavailable"),
        (b'[["files",{}]]', "unavailable"),
        (b'[["x\\n\\u001b[31m' + b"y" * 5000 + b'",{}]]', "unavailable"),
    ],
)
def test_call_that_is_refused(session: Session, body: bytes, code: str) -> None:
    """A call that can be read is bracketed and refused with a code; it never counts as dispatched."""
    ran = submit(session, request(body, check=expect("(i32.ge_s {} (i32.const 0))"), capacity=60_000))
    returned(ran)
    refusal = refused(ran)
    assert refusal["code"] == code
    assert len(str(refusal["operation"])) <= 128
    (result,) = ran.of("api_result")
    assert (result["ok"], result["failure"]) == (False, code)


def test_calls_after_the_report_are_refused(wat: Wat) -> None:
    """Once its error is being rendered a program has no operations left."""
    call = f"(drop (call $call (i32.const {REQUEST}) (i32.const {len(FINISH)}) (i32.const 0) (i32.const 4000)))"
    ran = wat(report(FAILED, call, data=[(REQUEST, FINISH)]))
    assert (ran.turn.outcome, ran.headed) == ("continue", [("Runtime error", "boom")])
    assert ran.of("refusal")[0]["code"] == "refused"
    assert "finished" not in ran.execution


def test_only_the_first_report_counts(wat: Wat) -> None:
    """A second report changes nothing, and neither does a trap behind the first."""
    again = b'{"kind":"exited","status":0}'
    body = f"(call $report (i32.const {REQUEST}) (i32.const {len(again)})) unreachable"
    assert wat(report(FAILED, body, data=[(REQUEST, again)])).headed == [("Runtime error", "boom")]


@pytest.mark.parametrize(
    ("body", "heading", "said"),
    [
        (b"", "Runtime error", "unreadable"),
        (b"{}", "Runtime error", "unreadable"),
        (b"[]", "Runtime error", "unreadable"),
        (b'{"kind":"weird"}', "Runtime error", "unreadable"),
        (b'{"kind":[1],"parts":3}', "Runtime error", "unreadable"),
        (b'{"kind":"failed","parts":[["message"]]}', "Runtime error", "unreadable"),
        (b"[" * 100_000, "Runtime error", "unreadable"),
        (b'{"kind":"failed"}', "Runtime error", ""),
        (b'{"kind":"failed","parts":[]}', "Runtime error", ""),
        (b'{"kind":"failed","parts":[["message","\\ud800x\\ud800"]]}', "Runtime error", "x"),
        (b'{"kind":"exited"}', "Runtime error", "exited with status 1"),
        (b'{"kind":"exited","status":7}', "Runtime error", "exited with status 7"),
        (b'{"kind":"exited","status":true}', "Runtime error", "exited with status 1"),
        (b'{"kind":"exited","status":99999999999999999999}', "Runtime error", "exited with status"),
        (b'{"kind":"rejected","parts":[["message","no"]]}', "Compiler error", "no"),
        (b'{"kind":"exited","status":0}', "Notice", ""),
    ],
)
def test_reports(session: Session, body: bytes, heading: str, said: str) -> None:
    """Whatever a report holds, the model reads one message that is not empty."""
    ran = submit(session, report(body))
    assert ran.headings == [heading]
    assert said in ran.headed[0][1]
    assert ran.headed[0][1].strip()
    assert ran.slugs(at_least="error") == []


@pytest.mark.parametrize(("status", "ok"), [(0, True), (7, False)])
def test_proc_exit(wat: Wat, status: int, ok: bool) -> None:
    """Exit status 0 by any route is a normal return; another is a failure that states it."""
    ran = wat(module(f"(call $exit (i32.const {status}))"))
    assert ran.execution["ok"] is ok
    assert ok or ran.error == f"exited with status {status}"


@pytest.mark.parametrize("used", [-1, 0x7FFFFFFF, 4_194_304, 4_194_304 - RING - 7])
def test_log_ring_that_lies_outside_memory(session: Session, used: int) -> None:
    """A ring that claims more than there is memory is emptied and gives nothing."""
    ran = submit(session, module(f"(i32.store (i32.const {RING + 4}) (i32.const {used}))"))
    returned(ran)
    assert "logs" not in ran.execution


@pytest.mark.parametrize("ring", [-1, 4_194_300, 4_194_304, 0x7FFFFFFF])
def test_log_ring_at_no_place(session: Session, ring: int) -> None:
    """A ring outside memory is no ring."""
    returned(submit(session, module("", ring=ring)))


def test_log_ring_with_half_a_record(wat: Wat) -> None:
    """Records are read up to the first malformed one, what is before it kept."""
    good = b"\x01\x02\x00\x00\x00ok"
    bad = b"\x01\xff\xff\xff\xff?"
    ring = len(good + bad).to_bytes(4, "little")
    ran = wat(module("", [(RING + 4, ring), (RING + 8, good + bad)]))
    assert ran.logs == ["ok"]


def test_large_logs(wat: Wat) -> None:
    """A `log` call of the whole memory is captured under the caps like any other."""
    header = b"\x01" + (4_000_000).to_bytes(4, "little")
    ran = wat(module(f"(call $log (i32.const {REQUEST}) (i32.const 4000005))", [(REQUEST, header + b"y" * 10)]))
    assert ran.execution["ok"]
    assert [len(line) for line in ran.logs] == [2048]


def test_memory_that_grows_moves(wat: Wat) -> None:
    """Memory base and size are fetched at every call."""
    grow = "(drop (memory.grow (i32.const 200)))"
    call = f"(call $call (i32.const {REQUEST}) (i32.const {len(FINISH)}) (i32.const 12000000) (i32.const 4000))"
    check = expect("(i32.eq (i32.load8_u (i32.const 12000000)) (i32.const 91))")
    ran = wat(module(f"{grow} (drop {call}) {check}", [(REQUEST, FINISH)]))
    assert ran.turn.outcome == "finished"


def test_memory_limit_holds(wat: Wat) -> None:
    """Memory never grows past the limit."""
    full = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))"
    check = expect("(i32.le_u (memory.size) (i32.const 1024))")
    returned(wat(module(full + check), limits=SMALL))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (module("unreachable"), "wasm `unreachable` instruction executed"),
        (module("(call $f)", extra="(func $f (call $f))"), "call stack exhausted"),
        (module("(drop (i32.load (i32.const -1)))"), "out of bounds memory access"),
        (module("(drop (i32.div_s (i32.const 1) (i32.const 0)))"), "integer divide by zero"),
        (module("", alloc="unreachable"), "unreachable"),
        (module("", alloc="(i32.const 0)"), "no room"),
        (module("", alloc="(i32.const -1)"), "the guest"),
    ],
)
def test_traps(session: Session, text: str, said: str) -> None:
    """A trap is a Runtime error in the sandbox's own words."""
    ran = submit(session, text)
    assert ran.headings == ["Runtime error"]
    assert said in ran.error


@pytest.mark.parametrize(
    "text",
    [
        "(module)",
        "no module at all",
        '(module (import "env" "x" (func)) (memory (export "memory") 1))',
        module("", pages=4000),
        module("", abi=2),
        module("").replace('(global (export "gg_log") i32 (i32.const 4096))', '(func (export "gg_log"))'),
        module("").replace('(export "gg_run")', '(export "gg_walk")'),
        '(module (memory (export "memory") i64 1))',
        module("", extra="(func $f unreachable) (start $f)"),
    ],
)
def test_module_that_cannot_be_instantiated(session: Session, text: str) -> None:
    """It is the toolchain Notice: nothing ran."""
    ran = submit(session, text)
    assert ran.headings == ["Notice"]
    assert ran.headed[0][1].startswith("The program was not run")
    event = ran.execution
    assert (event["ok"], event["error"]) == (False, ran.headed[0][1])
    assert "durationMs" not in event
    assert {"compileMs", "compileWaitMs"} <= event.keys()
    assert ran.slugs(at_least="error") == ["toolchain_failed"]


@pytest.mark.parametrize(
    "text",
    [
        module("(loop (br 0))"),
        module("", alloc="(loop (br 0)) (i32.const 1)"),
        module("(call $sleep (f64.const inf)) (loop (br 0))"),
        module("", extra="(func $f (loop (br 0))) (start $f)"),
        module("").replace("(i32.const 1))", "(loop (br 0)) (i32.const 1))", 1),
    ],
    ids=["run", "alloc", "sleep", "start", "abi"],
)
def test_endless_loops(session: Session, text: str) -> None:
    """Wherever a module loops, it is stopped within its limit, and the session goes on."""
    began = time.monotonic()
    ran = submit(session, text)
    assert time.monotonic() - began < 4
    assert ran.turn.outcome == "continue"
    assert ran.headings in (["Runtime error"], ["Notice"])
    assert ran.execution["ok"] is False


def test_batch_whose_answers_pass_a_frame(strange_host: Host) -> None:
    """Sixteen answers that together pass the frame bound are refused with `limit-exceeded`, not fatal."""
    with strange_host.session("wat", limits=FAST) as session:
        session.workspace.write("big", b"\x01" * 262_144)
        body = calls(16, "files.read_file", {"path": "big"})
        ran = submit(session, request(body, check=expect("(i32.gt_s {} (i32.const 3))")))
        assert ran.turn.outcome == "continue"
        assert len(ran.of("api_result")) == 16
        assert ran.slugs(at_least="error") == []
        assert submit(session, module("")).execution["ok"]


@pytest.mark.parametrize(
    "script",
    [
        "os.write(membrane._channel.fileno(), b'\\xff' * 64)",
        "os.write(membrane._channel.fileno(), b'\\x05\\0\\0\\0junk!')",
        "os.write(membrane._channel.fileno(), b'\\xff\\xff\\xff\\x7f')",
        "os.close(membrane._channel.fileno()); time.sleep(0.05); os._exit(0)",
        "os._exit(0)",
        "os._exit(3)",
        "membrane._channel.send(membrane._channel.__class__)",
        "from gg.protocol import Done\nmembrane._channel.send(Done('failed', 1.0, 0.0, b'ab', ((0, 99),)))\nos._exit(0)",
        "from gg.protocol import Done\nmembrane._channel.send(Done('failed', 1.0, 0.0, b'ab', ((-9, 2),)))\nos._exit(0)",
        "from gg.protocol import Trimmed\nmembrane._channel.send(Trimmed('x', (), (0, 0, 0)))\nos._exit(0)",
        "from gg.protocol import Done\nmembrane._channel.send(Done('failed', float('nan'), 0.0, b'ab', ((0, 2),)))\nos._exit(0)",
    ],
)
def test_worker_that_was_taken_over(strange_host: Host, script: str) -> None:
    """Whatever a worker sends, its program has a Runtime error and an event, and the session goes on."""
    with strange_host.session("script", limits=FAST) as session:
        ran = submit(session, script)
        assert ran.turn.outcome == "continue"
        assert ran.headings == ["Runtime error"]
        assert ran.error.strip()
        assert ran.execution["ok"] is False
        assert submit(session, "x = 1").execution["ok"] is True


def test_worker_that_floods_past_its_deadline(strange_host: Host) -> None:
    """Frames that keep coming do not put off the deadline."""
    script = "from gg.protocol import Log\nwhile True: membrane._channel.send(Log(b'\\x01\\x01\\0\\0\\0x'))"
    ran = Runner(strange_host)("script", script, limits=Limits(0.5, 64 << 20))
    assert ran.error == "execution stopped: the time limit of 0.5 s was reached"


def test_worker_that_hangs_in_native_code(strange_host: Host) -> None:
    """A worker that is silent past its deadline is killed, with the same words, within 0.3 s and some grace."""
    began = time.monotonic()
    ran = Runner(strange_host)("script", "time.sleep(600)", limits=Limits(0.5, 64 << 20))
    assert ran.error == "execution stopped: the time limit of 0.5 s was reached"
    assert 0.5 <= time.monotonic() - began < 2
    assert ran.execution["durationMs"] >= 500
