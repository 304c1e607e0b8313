"""The edits of the engine's source: each says why, and occurs exactly once in the pinned version.

The build refuses a source in which one of them does not fit. Their C parts stand in `guest/engine.c`, `guest/column.h`
and `guest/stack.h`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["EDITS", "STACK", "Edit"]


class Edit(NamedTuple):
    """A change: `old` occurs exactly once and becomes `new`."""

    why: str
    old: str
    new: str


_PLACE = "gg_line = s->token.line_num; gg_column = gg_token_column(s);\n"
_EMIT = (
    "            gg_note_call(gg_line, gg_column, gg_first_line, gg_first_column);\n"
    "            emit_source_loc_at(s, gg_line, gg_column);\n"
)


def _import_noted(why: str, ctx: str, pad: str) -> Edit:
    """The edit that notes where an import's specifier stands."""
    before = (
        f"{pad}module_name = JS_ValueToAtom({ctx}, s->token.u.str.str);\n"
        f"{pad}if (module_name == JS_ATOM_NULL)\n{pad}    return -1;\n"
    )
    note = f"{pad}gg_note_import({ctx}, module_name, s->token.line_num, gg_token_column(s));\n"
    after = f"{pad}if (next_token(s)) {{\n{pad}    JS_FreeAtom({ctx}, module_name);\n"
    return Edit(why, before + after, before + note + after)


def _before(why: str, anchor: str, added: str) -> Edit:
    """The edit that puts lines before an anchor."""
    return Edit(why, anchor, added + anchor)


def _between(why: str, first: str, added: str, second: str) -> Edit:
    """The edit that puts lines between two that follow each other."""
    return Edit(why, first + second, first + added + second)


EDITS: Final = (
    Edit(
        "a ReferenceError is answered with the names of gg's modules where it is made",
        '    return JS_ThrowReferenceError(ctx, "%s is not defined",\n'
        "                                  JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n",
        '    JS_ThrowReferenceError(ctx, "%s is not defined", JS_AtomGetStr(ctx, buf, sizeof(buf), name));\n'
        "    gg_not_defined(ctx);\n    return JS_EXCEPTION;\n",
    ),
    Edit(
        "assigning something else than a string to an error's `stack` is no error, as in other engines",
        "    if (!JS_IsString(value))\n"
        '        return JS_ThrowTypeError(ctx, "Error.prototype.stack setter expects a string");\n',
        "",
    ),
    _import_noted(
        "a static import that fails is reported at its place (import … from, export … from)", "s->ctx", "    "
    ),
    _import_noted("the same for an import of a module for its effects", "ctx", "        "),
    Edit(
        "columns count characters: the parser's state gets a place to count from",
        "typedef struct JSParseState {\n",
        "typedef struct JSParseState {\n    const uint8_t *gg_line, *gg_ptr;\n    int gg_count;\n",
    ),
    Edit("columns count characters: the function", "} JSParseState;\n", '} JSParseState;\n\n#include "column.h"\n'),
    Edit(
        "columns count characters: of every token",
        "    s->token.col_num = max_int(1, s->mark - s->eol);\n",
        "    s->token.col_num = gg_token_column(s);\n",
    ),
    Edit(
        "columns count characters: in syntax errors",
        "        err_col_num = (int)(s->token.ptr - s->token.line_start) + 1;\n    build_backtrace(",
        "        err_col_num = gg_token_column(s);\n    build_backtrace(",
    ),
    _between(
        "a call is at its callee's name, not at its last argument: where the expression and the name begin",
        "    bool accept_lparen = (parse_flags & PF_POSTFIX_CALL) != 0;\n",
        "    int gg_line = s->token.line_num, gg_column = gg_token_column(s);\n"
        "    int gg_first_line = gg_line, gg_first_column = gg_column;\n",
        "\n    call_type = FUNC_CALL_NORMAL;\n",
    ),
    _between(
        "the same: the name after a dot",
        "        parse_property:\n",
        f"            {_PLACE}",
        "            if (s->token.val == TOK_PRIVATE_NAME) {\n",
    ),
    _between(
        "the same: reading a property is at its name",
        "                        optional_chain_test(s, &optional_chaining_label, 1);\n                    }\n",
        "                    emit_source_loc_at(s, gg_line, gg_column);\n",
        "                    emit_op(s, OP_get_field);\n",
    ),
    _between(
        "the same: a computed name",
        "        parse_array_access:\n",
        f"            {_PLACE}",
        "            prev_op = get_prev_opcode(fd);\n",
    ),
    _between(
        "the same: the call itself",
        "            emit_func_call:\n",
        f"            ;\n{_EMIT}",
        "                switch(opcode) {\n",
    ),
    _before(
        "the same: a call with spread arguments",
        "                /* apply function call */\n                switch(opcode) {\n",
        _EMIT,
    ),
    _between(
        "the same: what follows a call",
        "            call_type = FUNC_CALL_NORMAL;\n",
        f"            {_PLACE}",
        "        } else if (s->token.val == '.') {\n",
    ),
)

# WebAssembly keeps return addresses and most locals on a stack that a program cannot see, so the engine's own check of
# its (shadow) stack comes too late: the sandbox would trap where the language has a RangeError. These functions, one in
# each cycle of the engine's recursion, take so many bytes of shadow stack more that it always runs out first. The
# numbers are measured: wasm stack taken by one turn of each cycle, less the shadow stack that it takes anyway.
# tests/arms/javascript/test_stack.py goes through the cycles.
STACK: Final = {
    "quickjs.c": {
        "JS_CallInternal": 768,
        "js_call_c_function": 960,
        "js_call_c_function_data": 960,
        "js_call_bound_function": 704,
        "async_func_resume": 704,
        "js_proxy_get": 400,
        "js_proxy_set": 400,
        "js_proxy_has": 400,
        "js_proxy_delete_property": 400,
        "js_proxy_get_own_property": 400,
        "js_proxy_define_own_property": 400,
        "js_proxy_get_own_property_names": 400,
        "js_proxy_getPrototypeOf": 400,
        "js_proxy_setPrototypeOf": 400,
        "js_proxy_isExtensible": 400,
        "js_proxy_preventExtensions": 400,
        "js_proxy_call": 400,
        "JS_FlattenIntoArray": 240,
        "json_parse_value": 224,
        "internalize_json_property": 224,
        "js_json_to_str": 288,
        "js_parse_postfix_expr": 2464,
        "js_parse_function_decl2": 704,
        "js_parse_class": 304,
        "js_parse_statement_or_decl": 352,
        "js_parse_unary": 192,
        "js_parse_assign_expr2": 240,
    },
    "libregexp.c": {"re_parse_disjunction": 320, "re_parse_nested_class": 176},
}
