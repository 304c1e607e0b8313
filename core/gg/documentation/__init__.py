"""Documentation of what an agent binds: every operation once, in its language's spelling, searched and looked up.

`entries` renders the operations table, `search` ranks, `names` finds what a name means and what it nearly means.
"""

from __future__ import annotations

from gg.documentation.entries import Catalogue, Entry, Kind, signature

__all__ = ["Catalogue", "Entry", "Kind", "signature"]
