"""What a program prints: all of it reaches the host, in order, as text."""

from __future__ import annotations

from guest_harness import Guest


def test_a_partial_line_is_kept(guest: Guest) -> None:
    """A line that was not ended is sent at the end, before the report."""
    run = guest.run(
        "import sys\nsys.stdout.write('progress 40%')\nraise OSError(28, 'No space left on device', 'out.bin')\n"
    )
    assert run.out == "progress 40%"
    assert run.order == ["progress 40%", "report"]
    assert run.body.endswith("OSError: [Errno 28] No space left on device: 'out.bin'")


def test_the_order_of_the_streams_is_kept(guest: Guest) -> None:
    """Whole lines of both streams reach the host in the order they were written, also when batches are gathered."""
    run = guest.run(
        "import sys\nfor i in range(4000):\n    print('out', i, 'x' * 40)\n"
        "    if i % 500 == 499: print('err', i, file=sys.stderr)\n"
    )
    lines = "".join(text for _, text in run.logs).splitlines()
    numbers = [int(line.split()[1]) for line in lines]
    assert len(lines) == 4008
    assert numbers == sorted(numbers)
    assert run.err.count("\n") == 8


def test_lines_come_one_by_one_then_in_batches(guest: Guest) -> None:
    """The first 512 lines are sent as they are printed, later ones some 4 KiB at a time."""
    run = guest.run("for i in range(20000): print('line number %06d of the flood, padded to fifty' % i)\n")
    assert run.out == "".join(f"line number {i:06} of the flood, padded to fifty\n" for i in range(20000))
    assert [text.count("\n") for _, text in run.logs[:512]] == [1] * 512
    assert len(run.logs) < 1000


def test_every_call_and_sleep_sends_what_was_printed(guest: Guest) -> None:
    """What a program printed before a call reaches the host before the call."""
    run = guest.run(
        "import time\nfor i in range(600): print(i)\nprint('before', end='')\ngg.session.finish('x')\nprint('between')\ntime.sleep(0.001)\n"
    )
    at = run.order.index("session.finish")
    assert "".join(run.order[:at]).endswith("599\nbefore")
    assert run.order[at + 1 :] == ["between\n", "sleep 1"]


def test_bytes_that_are_no_text_are_deleted(guest: Guest) -> None:
    """Bytes written to the buffer are text as far as they are UTF-8; a character may come in two pieces."""
    run = guest.run(
        "import sys\nout = sys.stdout.buffer\nout.write(b'a\\xff\\xc3')\nout.write(b'\\xa9b\\n')\nimport os\nos.write(1, b'c\\n')\n"
    )
    assert run.out == "aéb\nc\n"


def test_a_huge_write_is_split(guest: Guest) -> None:
    """One write of megabytes is sent in pieces, and nothing of it is lost."""
    run = guest.run("print('é' * 1_000_000)\n")
    assert run.out == "é" * 1_000_000 + "\n"
    assert max(len(text.encode()) for _, text in run.logs) <= 65_540


def test_a_surrogate_cannot_be_printed(guest: Guest) -> None:
    """Standard output is strict as CPython's, and standard error writes surrogates out."""
    run = guest.run("import sys\nprint('a\\udcff', file=sys.stderr)\nprint('\\udcff')\n")
    assert run.err == "a\\udcff\n"
    assert "UnicodeEncodeError: 'utf-8' codec can't encode character '\\udcff'" in run.body


def test_streams_look_like_cpythons(guest: Guest) -> None:
    """The streams are text streams that are no terminal; closing one harms the program alone."""
    run = guest.run(
        "import io, sys\nprint(sys.stdout.encoding, sys.stdout.errors, sys.stderr.errors, sys.stdout.isatty(), sys.stdin.read())\n"
        "print(isinstance(sys.stdout, io.TextIOWrapper), sys.__stdout__ is sys.stdout)\nsys.stdout.close()\nprint('gone')\n"
    )
    assert run.out == "utf-8 strict backslashreplace False \nTrue True\n"
    assert run.body.endswith("ValueError: I/O operation on closed file.")
