"""Makes the helpers beside this file importable, whatever pytest's import mode is."""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
