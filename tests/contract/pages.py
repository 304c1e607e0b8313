"""Turns written out as text that a reviewer reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from support import Ran

UNRELATED = ("warm_up_started", "warm_up_done", "worker_note")
"""Lines about when a guest was ready, and of plugins that happen to be installed."""
MAX_EVENTS = 60


def messages_page(ran: Ran) -> list[str]:
    """Return what the model reads of a turn, and how the turn ended."""
    parts = [f"--- {m.role} ({m.band}, {m.tokens} tokens)\n{m.text}" for m in ran.messages]
    summary = "" if ran.turn.summary is None else f" {ran.turn.summary!r}"
    return [*parts, f"--- outcome: {ran.turn.outcome}{summary}"]


def events_page(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the operator reads, without times and numbers."""
    lines: list[str] = []
    for event in events:
        if event.get("slug") in UNRELATED:
            continue
        kept = {k: v for k, v in event.items() if k not in ("type", "seq", "ts", "turn")}
        kept = {k: "<ms>" if k.endswith("Ms") else v for k, v in kept.items() if k != "compileWaitMs"}
        if event["type"] == "context_breakdown":  # the prompt grows with every operation there is
            kept["bands"] = {k: "<prompt>" if k == "system" else v for k, v in kept["bands"].items()}
        if len(kept.get("logs", [])) > 3:
            kept["logs"] = [*kept["logs"][:2], f"<{len(kept['logs']) - 2} more>"]
        if len(kept.get("calls", [])) > 12:
            kept["calls"] = [*kept["calls"][:2], f"<{len(kept['calls']) - 2} more>"]
        lines.append(f"{event['type']} {json.dumps(kept, ensure_ascii=False)}")
    if len(lines) > MAX_EVENTS:
        lines[20:-10] = [f"<{len(lines) - 30} more events>"]
    return ["--- events", *lines] if lines else []
