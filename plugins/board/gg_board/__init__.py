"""An issue board: agents of one workspace file issues, work on them, and wait for each other's.

Installed, it gives each workspace a board of its own. An embedder who wants to hold the board makes one::

    board = Board()
    with Host(operations=board_operations(lambda context: board)) as host:
        ...
        board.update(1, status="done", result="merged")
"""

from __future__ import annotations

from gg_board.board import Board, BoardError, Issue, Status
from gg_board.operations import board_operations
from gg_board.plugin import BoardPlugin, plugin

__all__ = ["Board", "BoardError", "BoardPlugin", "Issue", "Status", "board_operations", "plugin"]
