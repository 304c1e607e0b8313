"""The documentation of each arm: rendered by the arm in a worker of its own, once a host, when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from gg.documentation import Catalogue, Style, render_pages
from gg.errors import ArmUnavailable, GGError
from gg.host.workers import Pool
from gg.operations.table import OperationTable
from gg.protocol import ChannelClosed, ChannelTimeout, Document, Documented
from gg.types import ArmInfo, DocumentationEntry
from gg.warden.messages import PluginRef

__all__ = ["Catalogues"]

_TIMEOUT_S = 10.0


class Catalogues:
    """The catalogues of a host's arms. Thread-safe: two sessions that ask at once render once."""

    def __init__(self, pool: Pool, table: OperationTable) -> None:
        self._pool = pool
        self._table = table
        self._kept: dict[str, Catalogue] = {}
        self._lock = threading.Lock()

    def of(self, arm: PluginRef, info: ArmInfo, tell: Callable[[str, str], None]) -> Catalogue:
        """Return an arm's catalogue.

        :param tell: told of an arm whose hook broke, and of its distribution; gg's neutral rendering stands in.
        """
        with self._lock:
            kept = self._kept.get(arm.name)
            if kept is None:
                kept = self._kept[arm.name] = self._render(arm, info, tell)
            return kept

    def _render(self, arm: PluginRef, info: ArmInfo, tell: Callable[[str, str], None]) -> Catalogue:
        pages = {page.key: page for page in render_pages(self._table.specs(), Style(info))}
        try:
            answer = self._ask(arm)
        except (GGError, ChannelClosed, ChannelTimeout) as error:
            tell(f"gg_documentation could not be asked: {error}", arm.distribution)
            return Catalogue(pages.values())
        if answer.trouble:
            tell(answer.trouble, arm.distribution)
        return Catalogue(_merged(pages, answer.entries or ()))

    def _ask(self, arm: PluginRef) -> Documented:
        worker = self._pool.take_mute(arm)
        try:
            worker.wait_ready()
            worker.channel.send(Document(self._table.specs()))
            frame = worker.channel.receive(_TIMEOUT_S)
        finally:
            worker.kill()
        if not isinstance(frame, Documented):
            raise ArmUnavailable(arm.name, f"its worker answered {type(frame).__name__}")
        return frame


def _merged(pages: dict[str, DocumentationEntry], entries: tuple[DocumentationEntry, ...]) -> list[DocumentationEntry]:
    """Return gg's pages with the arm's in their place, and the types that the arm calls by names of its own.

    What a page is about stays as the table has it: that is what the gate asks.
    """
    own = {entry.key: entry for entry in entries}
    names_types = any(entry.kind == "type" and entry.operations for entry in entries)
    merged: list[DocumentationEntry] = []
    for key, page in pages.items():
        theirs = own.pop(key, None)
        if theirs is not None:
            about = {"kind": page.kind, "module": page.module, "operations": page.operations}
            merged.append(replace(theirs, brief=theirs.brief or page.brief, **about))  # type: ignore[arg-type]
        elif not (names_types and page.kind == "type" and page.operations):
            merged.append(page)
    return merged + [entry for entry in own.values() if entry.kind == "type" and entry.operations]
