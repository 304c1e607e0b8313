"""The gate: the one predicate that says which operations an agent holds."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gg.errors import UsageError

if TYPE_CHECKING:
    from gg.operations.table import Operation, OperationTable

__all__ = ["DEFAULT_WITHHELD", "Gate"]

DEFAULT_WITHHELD = frozenset({"shell", "context"})
"""Modules an agent does not hold unless they are granted by name."""


class Gate:
    """What one agent may call. A grant is a module (``files``) or one operation (``files.read_file``).

    ``without`` are modules and operations that this agent cannot hold, whatever is granted.
    """

    def __init__(
        self, table: OperationTable, grants: Iterable[str] | None, *, without: frozenset[str] = frozenset()
    ) -> None:
        """Check the grants against the table; None grants every module but shell and context.

        :raises UsageError: for a grant that names nothing.
        """
        modules = table.modules()
        self._without = without
        if grants is None:
            self._granted = frozenset(modules) - DEFAULT_WITHHELD
            return
        if isinstance(grants, str):
            raise UsageError(f"grants are a list of names, not the text {grants!r}")
        granted = frozenset(grants)
        known = {*modules, *(row.id for row in table), *RESERVED_MODULES}
        for grant in sorted(granted - known):
            raise UsageError(f"{grant!r} is no module or operation to grant; the modules are {', '.join(modules)}")
        self._granted = granted

    def narrowed(self, without: frozenset[str]) -> Gate:
        """Return a gate that refuses more modules and operations."""
        gate = copy.copy(self)
        gate._without = self._without | without
        return gate

    def permits(self, operation: Operation) -> bool:
        """Say whether the agent may call ``operation``."""
        if operation.module in self._without or operation.id in self._without:
            return False
        return operation.module in self._granted or operation.id in self._granted

    def modules(self, table: OperationTable) -> tuple[str, ...]:
        """Return the modules in which the agent holds anything, in table order."""
        return tuple(dict.fromkeys(row.module for row in table if self.permits(row)))


RESERVED_MODULES = frozenset({"skills", "memories", "core"})
"""gg's own module names: granting one of which this host has no operation yet is not a mistake."""
