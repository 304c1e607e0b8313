"""The SDK's source is made from the operations table."""

from __future__ import annotations

import pytest

from gg.types import OperationSpec, Parameter
from gg_arms.javascript._sdk import render


def _spec(name="read_file", parameters=(), result="string", module="files", id="files.read_file"):
    return OperationSpec(id=id, module=module, name=name, parameters=tuple(parameters), result=result, summary="s")


def _parameter(name, required, wire=None):
    return Parameter(name=name, wire=wire or name, kind="string", required=required)


def test_required_parameters_come_first_then_options():
    """Names are spelled in camel case; required parameters are positional and the others options."""
    spec = _spec(parameters=[_parameter("path", True), _parameter("max_lines", False, "maxLines")])
    assert render([spec]) == (
        '(define) => {\n  define("files", "readFile", "files.read_file", [["path", "path"], ["maxLines", "maxLines"]], 1, true, false);\n}'
    )


def test_a_sole_optional_parameter_is_positional():
    """An operation whose only parameter is optional takes it as an argument."""
    assert '[["path", "path"]], 1, false, false)' in render([_spec("list_dir", [_parameter("path", False)], None)])


def test_the_first_of_optional_parameters_may_be_an_option_too(guest):
    """Where nothing is required, the first is passed by place, or all of them in one object."""
    sdk = render([_spec("seek", [_parameter("what", False), _parameter("how", False)], None, "trip", "trip.seek")])
    calls = "gg.trip.seek('x', {how: 'y'}); gg.trip.seek({what: 'x', how: 'y'}); gg.trip.seek(undefined, {how: 'y'}); gg.trip.seek()"
    ran = guest.run(calls, context={"sdk": sdk}, answer=lambda *_: None)
    both = {"what": "x", "how": "y"}
    assert [arguments for _, arguments in ran.calls] == [both, both, {"how": "y"}, {}]


def test_a_target_is_marked():
    """An argument that takes gg's own functions and modules is told to the guest."""
    target = Parameter(name="what_for", wire="whatFor", kind="target", required=True)
    assert '[["whatFor", "whatFor", "target"]], 1,' in render([_spec("open", [target], None)])


@pytest.mark.parametrize("bad", ["a b", "1a", 'x"; alert(1); "', "a\u2028b", ""])
def test_names_that_are_no_identifiers_are_refused(bad):
    """A name never becomes source unless it is an identifier."""
    with pytest.raises(ValueError):
        render([_spec(name=bad)])
    with pytest.raises(ValueError):
        render([_spec(module=bad)])
    with pytest.raises(ValueError):
        render([_spec(parameters=[_parameter(bad, True)])])
    with pytest.raises(ValueError):
        render([_spec(id=f"{bad} ")])


def test_what_is_rendered_works(guest):
    """Rendered source adds its operations to a program's SDK."""
    sdk = render(
        [
            _spec(
                "go_there",
                [_parameter("to_where", True, "toWhere"), _parameter("how", False)],
                None,
                "trip",
                "trip.go_there",
            )
        ]
    )
    ran = guest.run(
        "console.log(gg.trip.goThere('x', {how: 'y'}), gg.trip.goThere.length)",
        context={"sdk": sdk},
        answer=lambda *_: 5,
    )
    assert (ran.logs, ran.calls) == ("undefined 1\n", [["trip.go_there", {"toWhere": "x", "how": "y"}]])
