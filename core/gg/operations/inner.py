"""The operations that follow from the session alone: its window, its programs, its ending, its documentation.

A replay runs these again; every other one is answered from the record (design: operator's stream, last paragraph).
"""

from __future__ import annotations

from gg.operations.context_ops import CONTEXT_OPERATIONS
from gg.operations.docs import DOCS_OPERATIONS
from gg.operations.ending import SESSION_OPERATIONS
from gg.operations.programs import PROGRAMS_OPERATIONS
from gg.operations.views import VIEWS_OPERATIONS

__all__ = ["INNER"]

INNER = frozenset(
    row.id
    for row in (*DOCS_OPERATIONS, *VIEWS_OPERATIONS, *CONTEXT_OPERATIONS, *PROGRAMS_OPERATIONS, *SESSION_OPERATIONS)
    if not row.backed  # `views.open_file` is: it reads the workspace
)
