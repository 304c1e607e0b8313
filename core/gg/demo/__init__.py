"""The recorded conversations that ``gg demo`` plays, and the small workspace they work on."""
