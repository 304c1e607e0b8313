"""Documentation: every operation on a page of its own, in the agent's language, to be searched and opened.

`pages` renders the operations table in a language's style; `catalogue` finds pages by name and by words; `desk` is what
one agent may see of them, by the same gate as its calls.
"""

from gg.documentation.catalogue import Catalogue
from gg.documentation.desk import Documentation
from gg.documentation.pages import Style, TypeNames
from gg.documentation.pages import render as render_pages

__all__ = ["Catalogue", "Documentation", "Style", "TypeNames", "render_pages"]
