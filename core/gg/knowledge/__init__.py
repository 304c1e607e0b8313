"""What an agent knows beside its window: skills it was given, memories it keeps, and the code of both.

`skills` reads folders and `memories` keeps them; `code` is what was put to use of their code; `agent` has all of it.
"""

from gg.knowledge.agent import Knowledge, open_knowledge, prompt_section
from gg.knowledge.code import MAX_SCRIPTS, LoadedCode, OnUse, Owner, TooManyScripts, Unloaded, key_of
from gg.knowledge.memories import Memories
from gg.knowledge.skills import Skill, name_fault, read_skills

__all__ = [
    "MAX_SCRIPTS",
    "Knowledge",
    "LoadedCode",
    "Memories",
    "OnUse",
    "Owner",
    "Skill",
    "TooManyScripts",
    "Unloaded",
    "key_of",
    "name_fault",
    "open_knowledge",
    "prompt_section",
    "read_skills",
]
