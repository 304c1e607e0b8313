"""``gg arms``: the languages, and whether they can run here."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from gg.cli._common import print_json

if TYPE_CHECKING:
    from gg.warden.messages import PluginRef

__all__ = ["EPILOG", "HELP", "configure", "run"]

HELP = "list the installed arms, and whether each can run here"
EPILOG = "examples:\n  gg arms\n  gg arms --json\n"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from gg.host.host import Host

    with Host(spares=False) as host:
        asked = [(ref, host.pool.take_mute(ref)) for ref in host.arms().values()]
        rows = [_describe(ref, worker) for ref, worker in asked]
    if options.json:
        print_json(rows)
    else:
        _table(rows)
    return 0


def _describe(ref: PluginRef, worker: Any) -> dict[str, Any]:
    from gg.errors import ArmUnavailable
    from gg.host.workers import WorkerGone

    row: dict[str, Any] = {"id": ref.name, "displayName": ref.name, "available": True}
    confinement = "none"
    try:
        confinement = worker.hello().confinement
    except ArmUnavailable as error:
        row.update(available=False, reason=error.reason)
    except WorkerGone as error:
        row.update(available=False, reason=str(error))
    worker.kill()
    info = worker.info
    row.update(distribution=ref.distribution, version=ref.version)
    row.update(guest=info.guest if info else "shared", compiles=bool(info and info.compiles))
    if info is not None:
        row["displayName"] = info.display_name
        compilers = " + ".join(f"{one.id} {one.version}".strip() for one in info.compilers)
        if info.checker is not None or compilers:
            row["compiler"] = info.checker or compilers
    row["confinement"] = confinement
    return row


def _table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("arm", "language", "runs here", "guest", "compiler", "confinement", "from"):
        table.add_column(column)
    for row in rows:
        runs = "yes" if row["available"] else f"no: {row['reason']}"
        origin = f"{row['distribution']} {row['version']}"
        table.add_row(
            row["id"], row["displayName"], runs, row["guest"], row.get("compiler", ""), row["confinement"], origin
        )
    console = Console()
    with console.capture() as printed:
        console.print(table)
    print(printed.get(), end="")
