"""What holds for every page: links lead somewhere, and nothing of one machine is in it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from doc_pages import DOCS, PAGES, ROOT, blocks, read

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as forges make them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_relative_links_lead_somewhere(name: str) -> None:
    """Each link to a file of the tree names one, and each anchor a heading."""
    page = ROOT / name
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        if target.startswith("http"):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), target
        assert ROOT in (path, *path.parents), target
        assert not anchor or anchor in anchors(read(path)), target


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_not_long(name: str) -> None:
    """Prose is wrapped; tables, links and pictures may be longer."""
    fenced = False
    for line in read(ROOT / name).splitlines():
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith(("|", "![", "{")):
            assert len(line) <= 130, line


@pytest.mark.parametrize("name", NAMES)
def test_no_machine_is_named(name: str) -> None:
    """No page names an absolute folder of somebody's machine or an emoji."""
    text = read(ROOT / name)
    assert not re.search(r"/(home|root|work|Users)/", text)
    assert not re.search("[\U0001f300-\U0001faff]", text)


@pytest.mark.parametrize("name", NAMES)
def test_json_blocks_are_json(name: str) -> None:
    """What a page shows as JSON can be read as JSON."""
    for block in blocks(read(ROOT / name), "json"):
        json.loads(block)


def test_the_examples_of_output_are_as_published() -> None:
    """The documents on the page of the command line are valid under their schemas."""
    import sys

    sys.path.insert(0, str(ROOT / "tests" / "schemas"))
    from schema_documents import problems

    examples = [json.loads(block) for block in blocks(read(DOCS / "cli.md"), "json")]
    assert [
        problems(name, one)
        for name, one in zip(("run", "session", "replay", "arms", "trim", "logs"), examples, strict=True)
    ] == [[] for _ in examples]


def test_the_picture_reads_in_light_and_dark() -> None:
    """The picture is one well-formed SVG with a title, a description, and colours for a dark page."""
    source = read(DOCS / "architecture.svg")
    root = ElementTree.fromstring(source)
    names = {child.tag.rpartition("}")[2] for child in root}
    assert {"title", "desc", "style"} <= names
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{(.*?)\n    \}", source, re.DOTALL)
    assert dark
    light = source.replace(dark[0], "")
    for name, rules in re.findall(r"^ +([.#\w ]+) \{([^}]*)\}", light, re.MULTILINE):
        if re.search(r"(fill|stroke): #", rules):
            assert re.search(rf"^ +{re.escape(name)} \{{", dark[1], re.MULTILINE), name


def test_every_decision_is_listed() -> None:
    """Every record is in the list of records, in order, under its own title, and has its three parts."""
    listed = re.findall(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \|$", read(DOCS / "decisions" / "README.md"), re.MULTILINE)
    files = sorted(path for path in (DOCS / "decisions").glob("*.md") if path.name != "README.md")
    assert [file for _, file, _ in listed] == [path.name for path in files]
    for (number, _, title), path in zip(listed, files, strict=True):
        text = read(path)
        assert text.startswith(f"# {number}: {title}\n")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "Consequence"]


def test_the_architecture_page_names_every_room() -> None:
    """Every package and module at the top of gg is in the table that says where a line belongs."""
    rooms = set(re.findall(r"`([\w.]+?)/?`", read(DOCS / "architecture.md")))
    there = {path.name for path in (ROOT / "core" / "gg").iterdir() if not path.name.startswith(("_", "py.", "."))}
    assert there - {"schemas", "wit", "demo"} <= rooms


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md"])
def test_python_files_named_exist(page: str) -> None:
    """A page that names a module of gg by its path names one there is."""
    for name in re.findall(r"\b((?:host|worker|operations|hookspecs|window|stream)/\w+\.py)\b", read(ROOT / page)):
        assert (ROOT / "core" / "gg" / name).is_file(), name
