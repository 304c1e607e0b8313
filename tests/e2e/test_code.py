"""Skills and memories with code: `lib`, failures at load, on-use scripts (messages page, notices; code execution page)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import FAST, Ran, gg, one_of, spell, submit, throw

from gg import Host, Session
from gg.errors import UsageError

EXTENSION = {"javascript": "js", "python": "py", "builds": "wat"}
KEY = {"javascript": "csvTools", "python": "csv_tools"}
PARSE = {
    "javascript": "export function parse(text) {\n  return text.split(',');\n}\n",
    "python": "def parse(text):\n    return text.split(',')\n",
}
ON_USE = {
    "javascript": "console.log('used'); gg.views.openText('on use', lib.csvTools.parse('a,b').join('-'))",
    "python": "print('used')\ngg.views.open_text('on use', '-'.join(lib.csv_tools.parse('a,b')))",
}
UNKNOWN = "zork"


def skill(
    place: Path, arm: str, name: str, code: str | None = None, on_use: str | None = None, *, folder: str = "",
    body: str = "How to use it.\n",
) -> Path:  # fmt: skip
    """Write a skill and return the directory of skills."""
    made = place / (folder or name.replace(" ", "_"))
    made.mkdir(parents=True)
    (made / "skill.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n---\n\n{body}")
    for stem, source in (("skill", code), ("on-use", on_use)):
        if source is not None:
            (made / f"{stem}.{EXTENSION[arm]}").write_text(source)
    return place


def read(arm: str, *names: str) -> str:
    """Return a program that reads skills."""
    call = one_of(arm, "gg.skills.readSkill({})", "gg.skills.read_skill({})")
    return "\n".join(call.format(json.dumps(name)) for name in names)


def call(arm: str, name: str, *arguments: Any, **options: Any) -> str:
    """Return a call of an operation of the memories."""
    words = name.split("_")
    spelled = one_of(arm, words[0] + "".join(word.title() for word in words[1:]), name)
    inside = [json.dumps(argument) for argument in arguments]
    if options and arm == "javascript":
        camel = {"on_use": "onUse"}
        inside.append(json.dumps({camel.get(key, key): value for key, value in options.items()}))
    elif options:
        inside += [f"{key}={json.dumps(value)}" for key, value in options.items()]
    return f"gg.memories.{spelled}({', '.join(inside)})"


def show(arm: str, value: str) -> str:
    """Return a program that shows a value."""
    return spell(arm, f"$OPEN_TEXT('v', {one_of(arm, 'String', 'str')}({value}))")


def shown(ran: Ran) -> str:
    """Return what it showed."""
    return dict(ran.headed)["View: v"]


def ndjson(*lines: dict[str, Any]) -> bytes:
    """Return a transcript."""
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def notices(ran: Ran) -> list[str]:
    """Return the notices of a turn, but for the one a working program can earn."""
    return [body for heading, body in ran.headed if heading == "Notice" and "put nothing" not in body]


def roster(session: Session) -> list[str]:
    """Return the names that answer an unknown one."""
    (line,) = [line for line in submit(session, UNKNOWN).error.split("\n") if line.startswith("    gg, ")]
    return line.strip().split(", ")


# -- lib --------------------------------------------------------------------------------------------------------------


def test_code_is_importable_once_it_was_read(host: Host, arm: str, tmp_path: Path) -> None:
    """As ``lib.<key>`` in the arm's convention, and bound as `lib`; the page says how, the names in an answer do too."""
    with host.session(arm, limits=FAST, skills=skill(tmp_path, arm, "csv-tools", PARSE[arm])) as session:
        importing = one_of(
            arm,
            'import * as c from "lib:csvTools"; gg.views.openText("v", `${c.parse("1,2").length} ${typeof lib}`)',
            'import lib.csv_tools\nfrom lib import csv_tools as c\n'
            'gg.views.open_text("v", f"{len(c.parse(\'1,2\'))} {type(lib).__name__}")',
        )  # fmt: skip
        before = submit(session, importing)
        assert before.headings == [one_of(arm, "Compiler error", "Runtime error")]
        assert "lib" not in roster(session)
        ran = submit(session, read(arm, "csv-tools"))
        key = KEY[arm]
        line = one_of(arm, 'import * as csvTools from "lib:csvTools";', "from lib import csv_tools")
        assert ran.headed == [
            ("View: csv-tools", "How to use it.\n"),
            (f"Documentation: lib.{key}", f"{line}\n\nThe code of the skill `csv-tools`: About csv-tools."),
        ]
        assert [m.band for m in ran.messages if m.role == "user"] == ["skills", "docs_views"]
        assert shown(submit(session, importing)) == one_of(arm, "2 object", "2 module")
        assert roster(session).count("lib") == 1
        assert shown(submit(session, show(arm, f"lib.{key}.parse('1,2,3').{one_of(arm, 'length', 'index(chr(51))')}")))


def test_a_replacement_program_imports_what_the_first_one_read(host: Host, arm: str, tmp_path: Path) -> None:
    """Code is loaded between the links of a chain."""
    place = skill(tmp_path, arm, "csv-tools", PARSE[arm])
    then = show(arm, f"lib.{KEY[arm]}.parse('x')[0]")
    with host.session(arm, limits=FAST, skills=place, library=True) as session:
        ran = submit(session, read(arm, "csv-tools") + f"\ngg.programs.rerun({json.dumps(then)})")
        assert shown(ran) == "x"
        assert ran.execution["ok"]


def test_a_key_that_is_taken_gets_a_number(host: Host, arm: str, tmp_path: Path) -> None:
    """From 2 on, in the order of use; what is no identifier becomes one."""
    for number, name in enumerate(["csv-tools", "csv tools", "CSV_Tools", "3d", "class"]):
        value = one_of(arm, f"export const n = {number}", f"n = {number}")
        skill(tmp_path, arm, name, value, folder=str(number))
    with host.session(arm, limits=FAST, skills=tmp_path) as session:
        ran = submit(session, read(arm, "csv tools", "csv-tools", "CSV_Tools", "3d", "class"))
        assert notices(ran) == []
        keys = [event["key"] for event in ran.of("log") if event["slug"] == "code_loaded"]
        assert keys == one_of(
            arm, ["csvTools", "csvTools2", "csvTools3", "_3D", "class_"],  # type: ignore[arg-type]
            ["csv_tools", "csv_tools_2", "csv_tools_3", "_3_d", "class_"],  # type: ignore[arg-type]
        )  # fmt: skip
        values = [shown(submit(session, show(arm, f"lib.{key}.n"))) for key in keys]
        assert values == ["1", "0", "2", "3", "4"]


def test_frames_of_loaded_code_are_dropped(host: Host, arm: str, tmp_path: Path) -> None:
    """An error inside it is told with the model's own frames alone, and no line of its source."""
    code = one_of(
        arm,
        "function deep(secret) { return secret.missing.field; }\nexport function run() { return deep({}); }",
        "def deep(secret):\n    return secret['missing']\n\ndef run():\n    return deep({})",
    )
    with host.session(arm, limits=FAST, skills=skill(tmp_path, arm, "csv-tools", code)) as session:
        submit(session, read(arm, "csv-tools"))
        ran = submit(session, f"\nlib.{KEY[arm]}.run()")
        assert "secret" not in ran.error.replace("'missing'", "")
        assert "deep" not in ran.error
        assert "lib:" not in ran.error
        assert one_of(arm, "program.js:2", 'File "program.py", line 2') in ran.error


def test_code_is_evaluated_afresh_for_each_program(host: Host, arm: str, tmp_path: Path) -> None:
    """What one program changes in it the next one does not see."""
    code = one_of(arm, "export const kept = []", "kept = []")
    with host.session(arm, limits=FAST, skills=skill(tmp_path, arm, "csv-tools", code)) as session:
        submit(session, read(arm, "csv-tools"))
        kept = f"lib.{KEY[arm]}.kept"
        program = f"{kept}.{one_of(arm, 'push', 'append')}(1)\n" + show(
            arm, one_of(arm, f"{kept}.length", f"len({kept})")
        )
        assert [shown(submit(session, program)) for _ in range(2)] == ["1", "1"]


def test_javascript_lib_is_lazy_and_survives_what_it_holds(host: Host, tmp_path: Path) -> None:
    """A module that throws only sometimes is an ordinary error; one that awaits at its top level has to be imported."""
    skill(tmp_path, "javascript", "moody", "if (globalThis.bad) throw new Error('moody'); export const ok = 1")
    skill(tmp_path, "javascript", "slow", "await null; export const ok = lib === lib")
    with host.session("javascript", limits=FAST, skills=tmp_path) as session:
        assert notices(submit(session, read("javascript", "moody", "slow"))) == []
        caught = "globalThis.bad = 1; try { lib.moody } catch (e) { gg.views.openText('v', e.message) }"
        assert shown(submit(session, caught)) == "moody"
        assert "awaits at its top level: import it" in submit(session, "lib.slow").error
        assert shown(submit(session, "import {ok} from 'lib:slow'; gg.views.openText('v', String(ok))")) == "true"
        assert submit(session, "lib.moody.ok").execution["ok"]


# -- failures at load -------------------------------------------------------------------------------------------------


def test_code_that_does_not_load_is_a_notice(host: Host, arm: str, tmp_path: Path) -> None:
    """Told apart by kind, by name and with what the failure said; no line of it, nothing bound, no page."""
    skill(tmp_path, arm, "unread", one_of(arm, "let secret = ;", "secret = (1,"))
    skill(tmp_path, arm, "throws", "secret = 42\n" + throw(arm, "no config"))
    if arm == "javascript":
        (tmp_path / "throws" / "skill.js").write_text("let secret = 42\n" + throw(arm, "no config"))
    with host.session(arm, limits=FAST, skills=tmp_path) as session:
        ran = submit(session, read(arm, "unread", "throws"))
        unread, throws = notices(ran)
        assert unread.startswith("The code of the skill `unread` is not loaded: it did not compile.\n\n")
        assert "SyntaxError: " in unread
        assert throws == (
            "The code of the skill `throws` is not loaded: it failed while it was loading.\n\n"
            f"{one_of(arm, 'Error', 'RuntimeError')}: no config"
        )
        assert "secret" not in unread
        assert not [heading for heading in ran.headings if heading.startswith("Documentation")]
        assert [e["reason"] for e in ran.of("log") if e["slug"] == "code_not_loaded"] == ["rejected", "failed"]
        assert [m.band for m in ran.messages if m.heading == "Notice"] == ["system", "system"]
        assert ran.execution["ok"]
        assert "lib" not in roster(session)
        again = submit(session, read(arm, "unread", "throws"))
        assert notices(again) == [], "it is told once"


def test_a_module_that_never_ends_is_stopped(host: Host, arm: str, tmp_path: Path) -> None:
    """By the agent's own limits, in the sandbox's words, and the next program runs."""
    from gg import Limits

    place = skill(tmp_path, arm, "loops", one_of(arm, "while (true) {}", "while True: pass"))
    with host.session(arm, limits=Limits(0.3), skills=place) as session:
        (notice,) = notices(submit(session, read(arm, "loops")))
        assert notice.endswith("execution stopped: the time limit of 0.3 s was reached")
        assert shown(submit(session, show(arm, "1"))) == "1"


# -- on-use scripts ---------------------------------------------------------------------------------------------------


def test_an_on_use_script_runs_after_the_submission(host: Host, arm: str, tmp_path: Path) -> None:
    """At each use, before the event, which carries its calls and logs; the model did not write its calls."""
    place = skill(tmp_path, arm, "csv-tools", PARSE[arm], ON_USE[arm])
    with host.session(arm, limits=FAST, skills=place) as session:
        for first in (True, False):
            ran = submit(session, spell(arm, "$LOG('program')\n") + read(arm, "csv-tools"))
            assert ran.headings[2 if first else 0 :] == ["View: on use"]
            assert dict(ran.headed)["View: on use"] == "a-b"
            execution = ran.execution
            assert execution["logs"] == ["program", "used"]
            assert (execution["toolCalls"], execution["apiCalls"]) == (1, 2)
            assert execution["undocumentedCalls"]["operations"] == {"skills.read_skill": 1}
            assert [e["operation"] for e in ran.of("api_call")] == ["skills.read_skill", "views.open_text"]
            assert ran.events.index(ran.of("api_call")[1]) < ran.events.index(execution)


def test_a_failed_on_use_script_is_a_notice(host: Host, arm: str, tmp_path: Path) -> None:
    """With name and message; the module stays loaded, the program did not fail."""
    skill(tmp_path, arm, "csv-tools", PARSE[arm], "secret = 1\n" + throw(arm, "not today"))
    skill(tmp_path, arm, "unread", None, "secret = (1")
    if arm == "javascript":
        (tmp_path / "csv-tools" / "on-use.js").write_text("let secret = 1\n" + throw(arm, "not today"))
    with host.session(arm, limits=FAST, skills=tmp_path) as session:
        ran = submit(session, read(arm, "csv-tools", "unread"))
        threw, unread = notices(ran)
        error = one_of(arm, "Error", "RuntimeError")
        assert threw == f"The on-use script of the skill `csv-tools` failed.\n\n{error}: not today"
        assert unread.startswith("The on-use script of the skill `unread` did not compile.\n\n")
        assert "secret" not in threw + unread
        assert ran.execution["ok"]
        assert shown(submit(session, show(arm, f"lib.{KEY[arm]}.parse('x')[0]"))) == "x"


def test_an_on_use_script_ends_nothing(host: Host, arm: str, tmp_path: Path) -> None:
    """Endings and the hand-over are not its own; the ending of the program that read stands."""
    skill(tmp_path, arm, "ends", None, spell(arm, "$FINISH('mine')"))
    skill(tmp_path, arm, "hands", None, "gg.programs.rerun('1')")
    with host.session(arm, limits=FAST, skills=tmp_path, library=True) as session:
        ran = submit(session, read(arm, "ends", "hands"))
        assert ["(unavailable)" in notice for notice in notices(ran)] == [True, True]
        assert ran.turn.outcome == "continue"
        assert "finished" not in ran.execution
        ran = submit(session, read(arm, "ends") + "\n" + spell(arm, "$FINISH('theirs')"))
        assert (ran.turn.outcome, ran.turn.summary) == ("finished", "theirs")
        assert "(unavailable)" in notices(ran)[0]


def test_an_on_use_script_runs_though_the_program_failed(host: Host, arm: str, tmp_path: Path) -> None:
    """What a program did before it threw stands; notices come before the error."""
    place = skill(tmp_path, arm, "sad", None, spell(arm, "$OPEN_TEXT('seen', 'x')\n") + throw(arm, "sad"))
    with host.session(arm, limits=FAST, skills=place) as session:
        ran = submit(session, read(arm, "sad") + "\n" + throw(arm, "boom"))
        assert ran.headings == ["View: sad", "View: seen", "Notice", "Runtime error"]
        assert "boom" in ran.execution["error"]


def test_scripts_that_use_their_own_skill_wait(host: Host, arm: str, tmp_path: Path) -> None:
    """A script's own scripts run at the end of the next submission; a loop of reads is bounded."""
    place = skill(tmp_path, arm, "again", None, read(arm, "again"))
    with host.session(arm, limits=FAST, skills=place) as session:
        assert len(submit(session, read(arm, "again")).of("api_call")) == 2
        assert len(submit(session, "1").of("api_call")) == 1
        loop = one_of(arm, "for (let i = 0; i < 30; i++) {\n{}\n}", "for i in range(30):\n    {}")
        ran = submit(session, loop.replace("{}", read(arm, "again")))
        assert "`read_skill` failed (limit-exceeded): 20 on-use scripts wait" in ran.error


def test_another_agent_prepares_again(host: Host, arm: str, tmp_path: Path) -> None:
    """What one agent loaded no other one has."""
    place = skill(tmp_path, arm, "csv-tools", PARSE[arm])
    with host.session(arm, limits=FAST, skills=place) as one, host.session(arm, limits=FAST, skills=place) as other:
        for session in (one, other):
            assert "lib" not in roster(session)
            assert "code_loaded" in submit(session, read(arm, "csv-tools")).slugs()
            assert "code_loaded" not in submit(session, read(arm, "csv-tools")).slugs()
            assert "compileMs" not in submit(session, read(arm, "csv-tools")).execution


# -- an arm that compiles ---------------------------------------------------------------------------------------------

USE = 'call(\'[["skills.read_skill", {"name": "a"}]]\')'
SHOW = "import json; call(json.dumps([['views.open_text', {'label': 'v', 'body': repr(lib)}]]))"


def built(place: Path, code: str | None, on_use: str | None = None) -> Path:
    """Write the skill `a` of the arm that compiles."""
    return skill(place, "builds", "a", code, on_use)


def test_compile_time_is_the_first_turn_s(strange_host: Host, tmp_path: Path) -> None:
    """Of the module and of the script, once for an agent; a repeat use compiles nothing, a second agent compiles again."""
    place = built(tmp_path, "one", "'slow'\n" + SHOW)
    with strange_host.session("builds", limits=FAST, skills=place) as session:
        first, again, then = submit(session, USE), submit(session, USE), submit(session, SHOW)
        assert first.execution["compileMs"] >= 200
        assert max(again.execution["compileMs"], then.execution["compileMs"]) < 100
        assert [shown(ran) for ran in (first, again, then)] == ["{'a': b'\\xffbuilt of one'}"] * 3
    with strange_host.session("builds", limits=FAST, skills=place) as session:
        assert submit(session, USE).execution["compileMs"] >= 200


def test_a_module_its_compiler_rejects(strange_host: Host, tmp_path: Path) -> None:
    """The diagnostic without the lines that echo the source; its time counts."""
    with strange_host.session("builds", limits=FAST, skills=built(tmp_path, "reject", "unread")) as session:
        ran = submit(session, USE)
        assert notices(ran) == [
            "The code of the skill `a` is not loaded: it did not compile.\n\nstrange:1: no such word",
            "The on-use script of the skill `a` did not compile.\n\nstrange:1: no such word",
        ]
        assert ran.execution["compileMs"] >= 100
        assert shown(submit(session, SHOW)) == "{}"


@pytest.mark.parametrize(
    ("what", "detail"),
    [
        ("broken", "the linker is missing"),
        ("raise", "gg_prepare_module raised ValueError: the compiler broke"),
        ("junk", "gg_prepare_module answered int"),
        ("die", ""),
    ],
)
def test_a_module_whose_toolchain_breaks(strange_host: Host, tmp_path: Path, what: str, detail: str) -> None:
    """A notice that says nothing was rejected, the detail for the operator; the next use tries again."""
    with strange_host.session("builds", limits=FAST, skills=built(tmp_path, what)) as session:
        for _ in range(2):
            ran = submit(session, USE)
            assert notices(ran) == [
                "The code of the skill `a` is not loaded: its compiler could not finish. Nothing was rejected."
            ]
            assert detail in ran.log("toolchain_failed")["detail"]
            assert ran.execution["ok"]


def test_an_arm_without_the_hook_takes_source(strange_host: Host, tmp_path: Path) -> None:
    """Its modules are loaded as they are."""
    skill(tmp_path, "builds", "a", "anything")
    use = 'import json; membrane.call(b\'[["skills.read_skill", {"name": "a"}]]\')'
    with strange_host.session("script", limits=FAST, skills=tmp_path) as session:
        assert "code_loaded" in submit(session, use).slugs()


# -- reading skills ---------------------------------------------------------------------------------------------------


def test_the_prompt_lists_skills(host: Host, arm: str, tmp_path: Path) -> None:
    """Name and description; a session without skills has no module of that name."""
    with host.session(arm, limits=FAST, skills=skill(tmp_path, arm, "csv-tools")) as session:
        prompt = session.messages()[0]["content"]
        assert "Skills you can read:\n- `csv-tools`: About csv-tools." in prompt
        missing = submit(session, read(arm, "nope"))
        assert "`read_skill` failed (not-found): there is no skill 'nope'; the skills are: `csv-tools`" in missing.error
        assert shown(submit(session, show(arm, read(arm, "csv-tools")))) == "How to use it.\n"
        assert "View: csv-tools" not in submit(session, read(arm, "csv-tools")).headings, "its text is pinned once"
    with host.session(arm, limits=FAST) as session:
        assert "(unavailable)" in submit(session, read(arm, "csv-tools")).error
        assert "Skills" not in session.messages()[0]["content"]


HEAD = "---\nname: a\ndescription: d\n---\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a/x.txt": ""}, "a/skill.md does not exist"),
        ({"a/skill.md": "text"}, "a/skill.md does not begin with front matter"),
        ({"a/skill.md": "---\nname: a\n"}, "a/skill.md has front matter without an end"),
        ({"a/skill.md": "---\nname a\n---\n"}, "a/skill.md, line 2 of its front matter is no `key: value`"),
        ({"a/skill.md": "---\nname: 'a\n---\n"}, "a/skill.md, line 2 has a quote that is not closed"),
        ({"a/skill.md": "---\nname: a\nname: b\n---\n"}, "a/skill.md, line 3 gives 'name' a second time"),
        ({"a/skill.md": "---\nname: a\n---\n"}, "a/skill.md has no description"),
        ({"a/skill.md": "---\ndescription: a\n---\n"}, "a/skill.md has no name"),
        ({"a/skill.md": HEAD, "b/skill.md": HEAD}, "two skill folders have the name 'a'"),
        ({"a/skill.md": HEAD + "x" * 70_000}, "a/skill.md has a body of 70000 bytes"),
        ({"a/skill.md": b"\xff"}, "a/skill.md is not UTF-8: byte 0"),
        ({"a/skill.md": HEAD, "a/skill.py": b"\xff"}, "a/skill.py is not UTF-8"),
        ({"a/skill.md": HEAD, "a/on-use.py/x": ""}, "a/on-use.py is no regular file"),
    ],
)
def test_a_directory_that_cannot_be_read(host: Host, tmp_path: Path, files: dict[str, str | bytes], said: str) -> None:
    """One clear usage error that names the file, when the session starts."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as caught:
        host.session("python", skills=tmp_path)
    assert said in str(caught.value)


def test_a_directory_that_is_not_there(host: Host, tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(UsageError, match="the skill directory .*nowhere.* cannot be read: No such file"):
        host.session("python", skills=tmp_path / "nowhere")


@pytest.mark.parametrize("place", ["", 5])
def test_a_directory_that_is_no_path(host: Host, place: Any) -> None:
    """It is said, of skills and of memories."""
    for noun, option in (("skill", "skills"), ("memory", "memories")):
        with pytest.raises(UsageError, match=f"the {noun} directory is a path, not {place!r}"):
            host.session("python", **{option: place})


def test_a_transcript_names_its_skills(arm: str, tmp_path: Path) -> None:
    """The session line's `skills` is the directory; one that cannot be read is a usage error."""
    submission = {"name": "submit_program", "arguments": {"program": read(arm, "csv-tools")}}
    line = {"role": "assistant", "toolCalls": [{"id": "a", **submission}]}
    place = str(skill(tmp_path, arm, "csv-tools"))
    played = gg("session", "--json", "-", data=ndjson({"session": {"arm": arm, "skills": place}}, line))
    assert json.loads(played.stdout)["turns"][0]["messages"][1]["heading"] == "View: csv-tools"
    refused = gg("session", "--json", "-", data=ndjson({"session": {"arm": arm, "skills": f"{place}/none"}}, line))
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert b"the skill directory" in refused.stderr


def test_a_skill_of_another_language_has_no_code(host: Host, arm: str, tmp_path: Path) -> None:
    """Its text can be read all the same."""
    other = one_of(arm, "python", "javascript")
    with host.session(arm, limits=FAST, skills=skill(tmp_path, other, "csv-tools", PARSE[other], "1 +")) as session:
        assert submit(session, read(arm, "csv-tools")).headings == ["View: csv-tools"]


# -- memories ---------------------------------------------------------------------------------------------------------


def test_a_memory_is_written_read_edited_found_and_forgotten(host: Host, arm: str) -> None:
    """For the session, in one round."""
    with host.session(arm, limits=FAST) as session:
        kept = shown(
            submit(session, show(arm, call(arm, "write_memory", "a b", "About.", "line one\nline two") + ".count"))
        )
        assert kept == "1"
        assert shown(submit(session, show(arm, call(arm, "read_memory", "a b")))) == "line one\nline two"
        assert submit(session, call(arm, "edit_memory", "a b", "two", "three")).execution["ok"]
        found = call(arm, "search_memories", ["THREE", "nothing"]) + "[0]"
        assert shown(submit(session, show(arm, f"{found}.excerpt"))) == "line three"
        assert "(conflict)" in submit(session, call(arm, "edit_memory", "a b", "line", "x")).error
        assert "(not-found)" in submit(session, call(arm, "edit_memory", "a b", "zzz", "x")).error
        assert submit(session, call(arm, "delete_memory", "a b")).execution["ok"]
        gone = submit(session, call(arm, "read_memory", "a b")).error
        assert "`read_memory` failed (not-found): there is no memory 'a b'; the memories are: none" in gone


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("", "d", "b"), "invalid-argument"),
        (("a\nb", "d", "b"), "invalid-argument"),
        ((" a", "d", "b"), "invalid-argument"),
        (("a", "  ", "b"), "invalid-argument"),
        (("a", "its next session would not start: \u202e", "b"), "invalid-argument"),
        (("a", "nor with \x1b", "b"), "invalid-argument"),
        (("n" * 201, "d", "b"), "invalid-argument"),
        (("a", "d" * 257, "b"), "limit-exceeded"),
        (("a", "d", "b" * 8193), "limit-exceeded"),
    ],
)
def test_a_memory_that_cannot_be_kept(host: Host, arm: str, arguments: tuple[str, str, str], code: str) -> None:
    """Refused at the call, and nothing is kept."""
    with host.session(arm, limits=FAST) as session:
        assert f"`write_memory` failed ({code}): `" in submit(session, call(arm, "write_memory", *arguments)).error
        assert not list(session.knowledge.memories)
        assert "(invalid-argument)" in submit(session, call(arm, "search_memories", [" "])).error


def test_a_memory_with_code(host: Host, arm: str) -> None:
    """Loaded when it is read, again when its code changed, and unloaded when it is forgotten."""
    with host.session(arm, limits=FAST) as session:
        write = call(arm, "write_memory", "csv tools", "d", "b", code=PARSE[arm], on_use=ON_USE[arm])
        assert "code_loaded" not in submit(session, write).slugs()
        ran = submit(session, call(arm, "read_memory", "csv tools"))
        assert dict(ran.headed)["View: on use"] == "a-b"
        assert f"Documentation: lib.{KEY[arm]}" in ran.headings
        newer = one_of(arm, "export const n = 7", "n = 7")
        submit(session, call(arm, "write_memory", "csv tools", "d", "b", code=newer))
        ran = submit(session, call(arm, "read_memory", "csv tools"))
        assert "code_loaded" in ran.slugs()
        assert "View: on use" not in ran.headings
        assert shown(submit(session, show(arm, f"lib.{KEY[arm]}.n"))) == "7"
        bad = call(arm, "write_memory", "bad", "d", "b", code="1 +")
        (notice,) = notices(submit(session, bad + "\n" + call(arm, "read_memory", "bad")))
        assert notice.startswith("The code of the memory `bad` is not loaded: it did not compile.")
        submit(session, call(arm, "delete_memory", "csv tools"))
        assert "lib" not in roster(session)


def test_memories_in_a_directory_outlive_the_session(host: Host, arm: str, tmp_path: Path) -> None:
    """With text, code and script as they were written; the next session's prompt lists them."""
    place = tmp_path / "memories"
    body = '\nfirst line empty\r\n--- "q"\n'
    with host.session(arm, limits=FAST, memories=place) as session:
        write = call(arm, "write_memory", 'say "hi": #1', "d: e", body, code=PARSE[arm], on_use=ON_USE[arm])
        assert submit(session, write).execution["ok"]
    with host.session(arm, limits=FAST, memories=place) as session:
        assert 'Memories of earlier sessions:\n- `say "hi": #1`: d: e' in session.messages()[0]["content"]
        (memory,) = session.knowledge.memories
        assert (memory.body, memory.code, memory.on_use) == (body, PARSE[arm], ON_USE[arm])
        submit(session, call(arm, "delete_memory", 'say "hi": #1'))
    assert list(place.iterdir()) == []
    (place / "x").mkdir()
    with pytest.raises(UsageError, match=r"x/memory\.md does not exist"):
        host.session(arm, memories=place)
