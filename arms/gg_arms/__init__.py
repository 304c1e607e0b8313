"""The language arms that come with gg. Each enters by the same door as a stranger's: an entry point ``gg.arms``."""
