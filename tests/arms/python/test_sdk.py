"""The renderer of the SDK: names are checked, prose is escaped, and what comes out is Python."""

from __future__ import annotations

import ast

import pytest

from gg.types import OperationSpec, Parameter
from gg_arms.python._sdk import render


def operation(
    module: str = "files",
    name: str = "put",
    parameters: tuple[Parameter, ...] = (),
    summary: str = "Put.",
    detail: str = "",
) -> OperationSpec:
    """Return a row of the table."""
    return OperationSpec(f"{module}.{name}", module, name, parameters, None, summary, detail)


def test_required_parameters_are_positional_and_others_named() -> None:
    """Required parameters come first, optional ones by name; where all are optional the first goes by position too."""
    both = (Parameter("path", "path", "path", True), Parameter("limit", "limit", "integer", False))
    assert "def put(path: str | PathLike[str], *, limit: int | None = None) -> None:" in render(
        [operation(parameters=both)]
    )
    optional = tuple(Parameter(n, n, "string", False) for n in ("a", "b"))
    assert "def put(a: str | None = None, *, b: str | None = None) -> None:" in render([operation(parameters=optional)])


@pytest.mark.parametrize(
    "prose", ['"""', "\\", 'a"', "# module: evil", "x\n# module: evil\nimport os", "\\N{DASH} \\u", "é\0", "'''"]
)
def test_prose_cannot_become_source(prose: str) -> None:
    """Whatever an operation says of itself stays inside its docstring."""
    source = render([operation(summary=prose, detail=prose)])
    tree = ast.parse(source)
    assert [type(node).__name__ for node in tree.body] == [
        "Expr",
        "ImportFrom",
        "ImportFrom",
        "ImportFrom",
        "Assign",
        "FunctionDef",
    ]
    assert sum(line.startswith("# module: ") for line in source.splitlines()) == 1


@pytest.mark.parametrize("name", ["class", "a b", "A", "", "x\n", "é", "1a"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    """A name that Python cannot take is an error, not source."""
    with pytest.raises(ValueError, match="is no name"):
        render([operation(name=name)])


def test_the_same_table_renders_the_same_source() -> None:
    """Rendering is a function of the table, and a module's operations stand together."""
    rows = [operation("a", "x"), operation("b", "y"), operation("a", "z")]
    source = render(rows)
    assert source == render(rows)
    assert source.index("# module: a") < source.index("def x") < source.index("def z") < source.index("# module: b")
