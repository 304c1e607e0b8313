"""What the entry point names: the operations, on one board a workspace."""

from __future__ import annotations

import threading
import weakref

from gg.hookspecs import hookimpl
from gg.operations.context import CallContext
from gg.operations.table import Operation
from gg.workspace import Workspace
from gg_board.board import Board
from gg_board.operations import board_operations

__all__ = ["BoardPlugin", "plugin"]


class BoardPlugin:
    """Keeps a board for each folder that agents work in, as long as a session that has used the board is there."""

    def __init__(self) -> None:
        self._by_folder: weakref.WeakValueDictionary[str, Board] = weakref.WeakValueDictionary()
        self._used: weakref.WeakKeyDictionary[Workspace, Board] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def board(self, workspace: Workspace) -> Board:
        """Return the board of the workspace's folder. Agents that work in one folder share it."""
        with self._lock:
            board = self._used.get(workspace)
            if board is None:
                board = self._by_folder.get(workspace.root)
                if board is None:
                    board = self._by_folder[workspace.root] = Board()
                self._used[workspace] = board
            return board

    def _find(self, context: CallContext) -> Board:
        return self.board(context.workspace)

    @hookimpl
    def gg_operations(self) -> tuple[Operation, ...]:
        """Add the board's operations."""
        return board_operations(self._find)


plugin = BoardPlugin()
