"""The process that embeds gg: it owns windows, grants, operations and the stream."""
