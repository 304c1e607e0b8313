/* The engine, and the few things gg needs from its inside. `quickjs.c` is the fetched source with the
   edits that gg_arms.javascript._build lists; each edit calls one of the functions declared first. */
#include <stdbool.h>

struct JSContext;
static void gg_note_import(struct JSContext *ctx, unsigned atom, int line, int column);
static void gg_not_defined(struct JSContext *ctx);
static void gg_note_call(int line, int column, int first_line, int first_column);

#include "quickjs.c"

#include "gg.h"

JSValue (*engine_not_defined)(JSContext *ctx, JSValue error);

/* Called where the engine has just thrown "x is not defined". */
static void gg_not_defined(JSContext *ctx)
{
    if (engine_not_defined)
        JS_Throw(ctx, engine_not_defined(ctx, JS_GetException(ctx)));
}

enum { NOTED = 64 };
static struct {
    JSAtom name;
    int line, column;
} noted[NOTED];
static int noted_count;
static bool noting;

bool engine_note_imports(bool on)
{
    bool before = noting;
    noting = on;
    return before;
}

/* Called by the parser at the specifier of a static import or re-export. */
static void gg_note_import(JSContext *ctx, JSAtom name, int line, int column)
{
    if (!noting || noted_count == NOTED || name == JS_ATOM_NULL)
        return;
    noted[noted_count].name = JS_DupAtom(ctx, name);
    noted[noted_count].line = line;
    noted[noted_count++].column = column;
}

bool engine_import_position(JSContext *ctx, const char *name, int *line, int *column)
{
    for (int i = 0; i < noted_count; i++) {
        const char *text = JS_AtomToCString(ctx, noted[i].name);
        bool same = text && !strcmp(text, name);
        JS_FreeCString(ctx, text);
        if (same) {
            *line = noted[i].line;
            *column = noted[i].column;
            return true;
        }
    }
    return false;
}

static struct {
    int line, column; /* of the callee's name; 0: none is looked for */
    int first_line, first_column;
} call;

/* Called by the parser at each call: where the callee's name is, and where the call's expression begins. */
static void gg_note_call(int line, int column, int first_line, int first_column)
{
    if (line == call.line && column == call.column) {
        call.first_line = first_line;
        call.first_column = first_column;
    }
}

/* Replaces the position of a callee's name by that of the call's expression; reads the program once more for it. */
void engine_call_start(JSContext *ctx, const char *source, size_t len, int *line, int *column)
{
    call.line = *line;
    call.column = *column;
    call.first_line = 0;
    JSValue module = JS_Eval(ctx, source, len, "gg:locate", JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(module))
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, module);
    call.line = 0;
    if (call.first_line) {
        *line = call.first_line;
        *column = call.first_column;
    }
}

/* A new error of the given prototype whose frames begin at the caller of the running native function. */
JSValue engine_api_error(JSContext *ctx, JSValueConst proto)
{
    JSValue error = JS_NewObjectProtoClass(ctx, proto, JS_CLASS_ERROR);
    if (!JS_IsException(error))
        build_backtrace(ctx, error, JS_UNDEFINED, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL);
    return error;
}

/* The frames as the engine wrote them when the error was made, whatever the program did to `stack` since;
   undefined where there are none or the program composed them (Error.prepareStackTrace). */
JSValue engine_frames(JSContext *ctx, JSValueConst error)
{
    JSValue frames = JS_UNDEFINED;
    if (JS_VALUE_GET_TAG(error) == JS_TAG_OBJECT && !JS_IsFunction(ctx, ctx->error_prepare_stack)) {
        JSObject *p = JS_VALUE_GET_OBJ(error);
        if (p->class_id == JS_CLASS_ERROR) {
            frames = js_dup(p->u.object_data);
        } else if (p->class_id == JS_CLASS_DOM_EXCEPTION) {
            JSProperty *pr;
            JSShapeProperty *prs = find_own_property(&pr, p, JS_ATOM_stack);
            if (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL)
                frames = js_dup(pr->u.value);
        }
    }
    if (JS_IsString(frames))
        return frames;
    JS_FreeValue(ctx, frames);
    return JS_UNDEFINED;
}

/* Links a resolved module without evaluating it, so that a missing export is found before anything ran. */
bool engine_link(JSContext *ctx, JSValueConst module)
{
    JSModuleDef *m = JS_VALUE_GET_PTR(module);
    return js_create_module_function(ctx, m) >= 0 && js_link_module(ctx, m) >= 0;
}

JSValue engine_namespace(JSContext *ctx, const char *name)
{
    JSModuleDef *m = js_host_resolve_imported_module(ctx, "", name, JS_UNDEFINED);
    if (!m)
        return JS_EXCEPTION;
    if (m->status != JS_MODULE_STATUS_LINKING && m->status != JS_MODULE_STATUS_EVALUATING) {
        JSValue module = JS_NewModuleValue(ctx, m);
        if (JS_ResolveModule(ctx, module) < 0) {
            JS_FreeValue(ctx, module);
            return JS_EXCEPTION;
        }
        JSValue promise = JS_EvalFunction(ctx, module);
        if (JS_IsException(promise))
            return promise;
        JSPromiseStateEnum state = JS_PromiseState(ctx, promise);
        if (state == JS_PROMISE_REJECTED) {
            JSValue reason = JS_PromiseResult(ctx, promise);
            JSPromiseData *data = JS_GetOpaque(promise, JS_CLASS_PROMISE);
            if (!data->is_handled) { /* it is thrown instead */
                data->is_handled = true;
                ctx->rt->host_promise_rejection_tracker(ctx, promise, reason, true, ctx->rt->host_promise_rejection_tracker_opaque);
            }
            JS_FreeValue(ctx, promise);
            return JS_Throw(ctx, reason);
        }
        JS_FreeValue(ctx, promise);
        if (state == JS_PROMISE_PENDING)
            return JS_ThrowTypeError(ctx, "'%s' awaits at its top level: import it", name);
    }
    return JS_GetModuleNamespace(ctx, m);
}

uint32_t engine_length(JSValueConst string)
{
    return string_rope_get_len(string);
}

JSValue engine_slice(JSContext *ctx, JSValueConst string, uint32_t start, uint32_t end)
{
    uint16_t *units = js_malloc(ctx, sizeof *units * (end - start));
    if (!units)
        return JS_EXCEPTION;
    for (uint32_t i = start; i < end; i++)
        units[i - start] = (uint16_t)string_rope_get(string, i);
    JSValue slice = js_new_string16_len(ctx, units, (int)(end - start));
    js_free(ctx, units);
    return slice;
}

/* The primitive inside a String, Number, Boolean, Symbol or BigInt object; undefined for anything else. */
JSValue engine_unwrap(JSContext *ctx, JSValueConst value)
{
    (void)ctx;
    if (JS_VALUE_GET_TAG(value) == JS_TAG_OBJECT) {
        JSObject *p = JS_VALUE_GET_OBJ(value);
        switch (p->class_id) {
        case JS_CLASS_NUMBER:
        case JS_CLASS_STRING:
        case JS_CLASS_BOOLEAN:
        case JS_CLASS_SYMBOL:
        case JS_CLASS_BIG_INT:
            return js_dup(p->u.object_data);
        default:
            break;
        }
    }
    return JS_UNDEFINED;
}

/* The engine's own name of an object's class ("Map", "Promise", …), which no program can change. */
const char *engine_class(JSContext *ctx, JSValueConst value)
{
    static char name[64];
    JSClassID id = JS_GetClassID(value);
    if (id == JS_INVALID_CLASS_ID)
        return "";
    JSAtom atom = JS_GetClassName(ctx->rt, id);
    JS_AtomGetStrRT(ctx->rt, name, sizeof name, atom);
    JS_FreeAtom(ctx, atom);
    return name;
}

void engine_set_random(JSContext *ctx, uint64_t seed)
{
    ctx->random_state = seed ? seed : 1;
}

/* Whether the function is the body of a loaded module. */
static bool is_top_level(JSContext *ctx, const JSFunctionBytecode *b)
{
    struct list_head *el;
    list_for_each(el, &ctx->loaded_modules) {
        JSModuleDef *m = list_entry(el, JSModuleDef, link);
        if (JS_VALUE_GET_TAG(m->func_obj) == JS_TAG_OBJECT && JS_VALUE_GET_OBJ(m->func_obj)->u.func.function_bytecode == b)
            return true;
    }
    return false;
}

/* Where the program's top level is suspended at an `await`. */
bool engine_pending_await(JSContext *ctx, int *line, int *column)
{
    struct list_head *el;
    list_for_each(el, &ctx->rt->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(el, JSGCObjectHeader, link);
        if (JS_GC_TYPE(header) != JS_GC_OBJ_TYPE_ASYNC_FUNCTION)
            continue;
        JSAsyncFunctionData *data = (JSAsyncFunctionData *)header;
        JSStackFrame *sf = &data->func_state.frame;
        if (!data->is_active || JS_VALUE_GET_TAG(sf->cur_func) != JS_TAG_OBJECT || !sf->cur_pc)
            continue;
        JSFunctionBytecode *b = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.function_bytecode;
        const char *file = b->filename ? JS_AtomToCString(ctx, b->filename) : NULL;
        bool top = is_top_level(ctx, b) && file && !strcmp(file, "program.js");
        JS_FreeCString(ctx, file);
        if (!top)
            continue;
        *line = find_line_num(ctx, b, (uint32_t)(sf->cur_pc - b->byte_code_buf - 1), column);
        return *line > 0;
    }
    return false;
}
