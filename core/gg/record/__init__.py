"""The session record: an append-only journal of all that a session took from outside, and its replay.

`record.lines` is the format, `recorder` writes it, `reader` reads it, `player` answers a session from it, and `replay`
drives one. `tape` is the seam: what a session passes everything through.
"""
