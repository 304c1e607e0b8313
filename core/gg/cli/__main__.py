"""Run ``gg`` as ``python -m gg.cli``."""

from gg.cli import main

raise SystemExit(main())
