"""The ``memories`` module: notes an agent keeps, with code where it likes."""

from __future__ import annotations

from gg.knowledge import Owner, Skill, name_fault
from gg.operations.context import CallContext
from gg.operations.skills import knowledge_of, put_to_use
from gg.operations.table import Arguments, ErrorCode, Operation, OperationFailure, Record
from gg.workspace import forbidden_character
from gg_rust_ext import clip

__all__ = ["MEMORIES_OPERATIONS"]

MAX_MEMORIES = 64
MAX_BODY_CHARS = 8192
MAX_DESCRIPTION_CHARS = 256
MAX_CODE_CHARS = 32_768
MAX_RESULTS = 25
_EXCERPT_CHARS = 160


class _Write(Arguments, frozen=True):
    name: str
    description: str
    body: str
    code: str | None = None
    on_use: str | None = None


class _Named(Arguments, frozen=True):
    name: str


class _Edit(Arguments, frozen=True):
    name: str
    search: str
    replace: str


class _Search(Arguments, frozen=True):
    keywords: list[str]


class _Kept(Record, frozen=True):
    count: int
    max_count: int
    total_chars: int


class _Match(Record, frozen=True):
    name: str
    description: str
    matched: list[str]
    occurrences: int
    excerpt: str


def _held(context: CallContext, name: str) -> Skill:
    memories = knowledge_of(context).memories
    memory = memories.get(name)
    if memory is None:
        names = ", ".join(f"`{one.name}`" for one in memories) or "none"
        raise OperationFailure("not-found", f"there is no memory {clip(name, 64)!r}; the memories are: {names}")
    return memory


def _keep(context: CallContext, memory: Skill) -> None:
    try:
        knowledge_of(context).memories.write(memory)
    except OSError as error:
        raise OperationFailure("io-error", f"the memory could not be written: {error.strerror}") from None


def _write(context: CallContext, arguments: _Write) -> _Kept:
    name = arguments.name
    fault = name_fault(name) or ("begins or ends with white space" if name != name.strip() else None)
    if fault:
        raise OperationFailure("invalid-argument", f"{context.arg('name')} {fault}")
    description = " ".join(arguments.description.split())
    if not description:
        raise OperationFailure("invalid-argument", f"{context.arg('description')} is empty")
    if what := forbidden_character(description):  # it is a line of the next session's prompt, which would not start
        raise OperationFailure("invalid-argument", f"{context.arg('description')} holds {what}")
    for argument, text, most in (
        ("description", description, MAX_DESCRIPTION_CHARS),
        ("body", arguments.body, MAX_BODY_CHARS),
        ("code", arguments.code, MAX_CODE_CHARS),
        ("on_use", arguments.on_use, MAX_CODE_CHARS),
    ):
        if text is not None and len(text) > most:
            message = f"{context.arg(argument)} is {len(text)} characters, and it is at most {most}"
            raise OperationFailure("limit-exceeded", message)
    memories = knowledge_of(context).memories
    if memories.get(name) is None and len(memories) >= MAX_MEMORIES:
        raise OperationFailure("limit-exceeded", f"there are {MAX_MEMORIES} memories, and no more are kept")
    _keep(context, Skill(name, description, arguments.body, arguments.code, arguments.on_use))
    return _usage(context)


def _usage(context: CallContext) -> _Kept:
    memories = knowledge_of(context).memories
    return _Kept(len(memories), MAX_MEMORIES, sum(len(memory.body) for memory in memories))


def _read(context: CallContext, arguments: _Named) -> str:
    memory = _held(context, arguments.name)
    put_to_use(knowledge_of(context), Owner("memory", memory.name), memory)
    return memory.body


def _edit(context: CallContext, arguments: _Edit) -> None:
    memory = _held(context, arguments.name)
    if not arguments.search:
        raise OperationFailure("invalid-argument", f"{context.arg('search')} is empty")
    times = memory.body.count(arguments.search)
    if times != 1:
        code: ErrorCode = "not-found" if times == 0 else "conflict"
        raise OperationFailure(code, f"{context.arg('search')} matched {times} times in the memory")
    body = memory.body.replace(arguments.search, arguments.replace)
    if len(body) > MAX_BODY_CHARS:
        message = f"the body would be {len(body)} characters, and it is at most {MAX_BODY_CHARS}"
        raise OperationFailure("limit-exceeded", message)
    _keep(context, Skill(memory.name, memory.description, body, memory.code, memory.on_use, memory.folder))


def _search(context: CallContext, arguments: _Search) -> list[_Match]:
    keywords = list(dict.fromkeys(word.strip() for word in arguments.keywords if word.strip()))
    if not keywords:
        raise OperationFailure("invalid-argument", f"{context.arg('keywords')} names nothing to look for")
    hits: list[_Match] = []
    for memory in knowledge_of(context).memories:
        text = "\n".join((memory.name, memory.description, memory.body))
        folded = text.casefold()
        counts = {word: folded.count(word.casefold()) for word in keywords}
        matched = [word for word, count in counts.items() if count]
        if matched:
            hits.append(
                _Match(memory.name, memory.description, matched, sum(counts.values()), _excerpt(memory, matched))
            )
    hits.sort(key=lambda hit: (-len(hit.matched), -hit.occurrences, hit.name))
    return hits[:MAX_RESULTS]


def _excerpt(memory: Skill, matched: list[str]) -> str:
    """Return the first line of the body that a keyword is in, or its first line that says anything."""
    lines = [line.strip() for line in memory.body.split("\n") if line.strip()]
    words = [word.casefold() for word in matched]
    found = next((line for line in lines if any(word in line.casefold() for word in words)), lines[0] if lines else "")
    return found[:_EXCERPT_CHARS]


def _delete(context: CallContext, arguments: _Named) -> None:
    memory = _held(context, arguments.name)
    knowledge = knowledge_of(context)
    try:
        knowledge.memories.delete(memory.name)
    except OSError as error:
        raise OperationFailure("io-error", f"the memory could not be removed: {error.strerror}") from None
    knowledge.code.forget(Owner("memory", memory.name))


_NOT_FOUND: tuple[ErrorCode, str] = ("not-found", "There is no memory of this name; the message lists those there are.")

MEMORIES_OPERATIONS = (
    Operation(
        "memories.write_memory",
        _Write,
        _write,
        _Kept,
        "Keep a memory, in the place of one of the same name.",
        "Its code can be imported from `lib` once it was read, and its on-use script is run after each read.",
        docs=(
            ("name", "Its name, at most 200 bytes, one line."),
            ("description", "What it is about, at most 256 characters."),
            ("body", "The text, at most 8,192 characters."),
            ("code", "A module of code, at most 32,768 characters."),
            ("on_use", "A program, at most 32,768 characters."),
        ),
        errors=(
            ("invalid-argument", "The name or the description is empty, or holds control characters."),
            ("limit-exceeded", "A text is over its bound, or 64 memories are kept."),
            ("io-error", "It could not be written."),
        ),
    ),
    Operation(
        "memories.read_memory",
        _Named,
        _read,
        str,
        "Read a memory. Where it has code, your next program can import it from `lib`.",
        docs=(("name", "The memory's name."),),
        errors=(_NOT_FOUND, ("limit-exceeded", "Too many on-use scripts wait to be run.")),
    ),
    Operation(
        "memories.edit_memory",
        _Edit,
        _edit,
        None,
        "Replace a part of a memory's text.",
        docs=(
            ("name", "The memory's name."),
            ("search", "The text to replace, which is in it exactly once."),
            ("replace", "What takes its place."),
        ),
        errors=(
            ("not-found", "There is no such memory, or the text is not in it."),
            ("conflict", "The text is in it more than once."),
            ("invalid-argument", "The text to replace is empty."),
            ("limit-exceeded", "The body would be over its bound."),
            ("io-error", "It could not be written."),
        ),
    ),
    Operation(
        "memories.search_memories",
        _Search,
        _search,
        list[_Match],
        "List the memories in which any of the keywords is, best matches first, at most 25.",
        docs=(("keywords", "Words to look for in names, descriptions and texts; case does not matter."),),
        errors=(("invalid-argument", "No keyword is left."),),
    ),
    Operation(
        "memories.delete_memory",
        _Named,
        _delete,
        None,
        "Forget a memory, and unload its code.",
        docs=(("name", "The memory's name."),),
        errors=(_NOT_FOUND, ("io-error", "It could not be removed.")),
    ),
)
