"""Builds the toolchains of the arms that compile: ``python -m gg_arms.warm [ARM …]``.

A session would build one when it first needs it; this does so ahead of time, and says which arms cannot be had here and
why. Under ``CI=true`` an arm that cannot be had is a failure.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence

from gg import Host
from gg.errors import ArmUnavailable, GGError
from gg.host.workers import WorkerGone
from gg.types import DEFAULT_LIMITS
from gg.warden.messages import PluginRef

__all__ = ["main"]

_DISTRIBUTION = "gg-arms"


def main(argv: Sequence[str] | None = None) -> int:
    """Build what is missing and return an exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m gg_arms.warm", description="Build the toolchains of gg's own arms that compile."
    )
    parser.add_argument("arms", nargs="*", metavar="ARM", help="the arms to see to; all of gg's own when none is named")
    options = parser.parse_args(argv)
    missing = 0
    with Host(plugins=False, spares=False) as host:
        found = {name: ref for name, ref in host.arms().items() if ref.distribution == _DISTRIBUTION}
        unknown = [name for name in options.arms if name not in host.arms()]
        if unknown:
            print(f"there is no arm {unknown[0]!r}; the arms are: {', '.join(host.arms())}", file=sys.stderr)
            return 2
        for name in options.arms or found:
            missing += not _warm(host, host.arms()[name])
    return 1 if missing and os.environ.get("CI") == "true" else 0


def _warm(host: Host, ref: PluginRef) -> bool:
    """Have one arm's toolchain built; say how it went, and return whether the arm can be had."""
    worker = host.pool.take_mute(ref)
    try:
        info = worker.hello().info
    except (ArmUnavailable, WorkerGone) as error:
        print(f"{ref.name}: not here: {_reason(error)}", flush=True)
        return False
    finally:
        worker.kill()
    if not info.compilers:
        return True
    named = ", ".join(f"{compiler.id} {compiler.version}".strip() for compiler in info.compilers)
    print(f"{ref.name} toolchain ({named}): looking; building one can take minutes", flush=True)
    began = time.monotonic()
    worker = host.pool.take(ref, DEFAULT_LIMITS)
    try:
        ready = worker.wait_ready()
    except (ArmUnavailable, WorkerGone) as error:
        print(f"{ref.name}: not here: {_reason(error)}", flush=True)
        return False
    finally:
        worker.kill()
    print(
        f"{ref.name} toolchain: {'built in' if ready.built else 'there after'} {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return True


def _reason(error: GGError) -> str:
    return error.reason if isinstance(error, ArmUnavailable) else str(error)


if __name__ == "__main__":
    raise SystemExit(main())
