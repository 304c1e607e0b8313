"""gg's own rows of the operations table."""

from __future__ import annotations

from gg.operations.context_ops import CONTEXT_OPERATIONS
from gg.operations.docs import DOCS_OPERATIONS
from gg.operations.ending import SESSION_OPERATIONS
from gg.operations.files import FILES_OPERATIONS
from gg.operations.memories import MEMORIES_OPERATIONS
from gg.operations.programs import PROGRAMS_OPERATIONS
from gg.operations.shell import SHELL_OPERATIONS
from gg.operations.skills import SKILLS_OPERATIONS
from gg.operations.table import Operation
from gg.operations.views import VIEWS_OPERATIONS

__all__ = ["builtin_operations"]


def builtin_operations() -> tuple[Operation, ...]:
    """Return gg's own rows of the operations table."""
    return (
        *FILES_OPERATIONS,
        *SHELL_OPERATIONS,
        *MEMORIES_OPERATIONS,
        *DOCS_OPERATIONS,
        *VIEWS_OPERATIONS,
        *CONTEXT_OPERATIONS,
        *SKILLS_OPERATIONS,
        *PROGRAMS_OPERATIONS,
        *SESSION_OPERATIONS,
    )
