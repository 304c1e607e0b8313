"""The operations that follow from the session alone: its window, programs, ending, documentation and knowledge.

A replay runs these again; every other one is answered from the record (design: operator's stream, last paragraph).
"""

from __future__ import annotations

from gg.operations.context_ops import CONTEXT_OPERATIONS
from gg.operations.docs import DOCS_OPERATIONS
from gg.operations.ending import SESSION_OPERATIONS
from gg.operations.memories import MEMORIES_OPERATIONS
from gg.operations.programs import PROGRAMS_OPERATIONS
from gg.operations.skills import SKILLS_OPERATIONS
from gg.operations.views import VIEWS_OPERATIONS

__all__ = ["INNER"]

INNER = frozenset(
    row.id
    for row in (*DOCS_OPERATIONS, *VIEWS_OPERATIONS, *CONTEXT_OPERATIONS, *PROGRAMS_OPERATIONS, *SESSION_OPERATIONS)
    if not row.backed  # `views.open_file` is: it reads the workspace
) | frozenset(row.id for row in (*SKILLS_OPERATIONS, *MEMORIES_OPERATIONS))  # of what the session began with
