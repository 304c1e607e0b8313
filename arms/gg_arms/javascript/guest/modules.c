/* What a program can import: "gg" (default and one export a module), "gg:<module>", and "lib:<key>", the code that the
   agent has loaded, which is also there as the global `lib`, a property a key. */
#include "gg.h"

#include <string.h>

static const char lib[] = "lib:";
enum { LIB = sizeof lib - 1 };

static int fill(JSContext *ctx, JSModuleDef *m, JSValueConst from)
{
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, from, JS_GPN_STRING_MASK) < 0)
        return -1;
    int result = JS_SetModuleExport(ctx, m, "default", JS_DupValue(ctx, from));
    for (uint32_t i = 0; i < count && result == 0; i++) {
        const char *name = JS_AtomToCString(ctx, names[i].atom);
        result = name ? JS_SetModuleExport(ctx, m, name, JS_GetProperty(ctx, from, names[i].atom)) : -1;
        JS_FreeCString(ctx, name);
    }
    JS_FreePropertyEnum(ctx, names, count);
    return result;
}

/* What a module's name stands for: the `gg` object or one of its modules; undefined for any other name. */
static JSValue lookup(JSContext *ctx, const char *name)
{
    JSValue root = sdk_root(ctx);
    if (!strcmp(name, "gg"))
        return root;
    JSValue module = strncmp(name, "gg:", 3) ? JS_UNDEFINED : JS_GetPropertyStr(ctx, root, name + 3);
    JS_FreeValue(ctx, root);
    return module;
}

static int evaluate(JSContext *ctx, JSModuleDef *m)
{
    JSAtom atom = JS_GetModuleName(ctx, m);
    const char *name = JS_AtomToCString(ctx, atom);
    JS_FreeAtom(ctx, atom);
    if (!name)
        return -1;
    JSValue from = lookup(ctx, name);
    JS_FreeCString(ctx, name);
    int result = fill(ctx, m, from);
    JS_FreeValue(ctx, from);
    return result;
}

/* The modules of code that the context carries, or undefined. */
static JSValue code_of(JSContext *ctx)
{
    return JS_IsObject(gg_context) ? errors_property(ctx, gg_context, "code", true, NULL) : JS_UNDEFINED;
}

static JSValue source_of(JSContext *ctx, const char *key)
{
    JSValue code = code_of(ctx), source = JS_UNDEFINED;
    int64_t count;
    if (JS_IsArray(code) && JS_GetLength(ctx, code, &count) == 0) {
        for (int64_t i = 0; i < count && JS_IsUndefined(source); i++) {
            JSValue item = JS_GetPropertyInt64(ctx, code, i), its = errors_property(ctx, item, "name", true, NULL);
            const char *name = JS_ToCString(ctx, its);
            if (name && !strcmp(name, key))
                source = errors_property(ctx, item, "source", true, NULL);
            JS_FreeCString(ctx, name);
            JS_FreeValue(ctx, its);
            JS_FreeValue(ctx, item);
        }
    }
    JS_FreeValue(ctx, code);
    return source;
}

/* Compiles a module of code; it is evaluated by whoever imports it first. */
static JSModuleDef *load_code(JSContext *ctx, const char *name, JSValue source)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, source);
    bool noting = engine_note_imports(false);
    JSValue module = text ? JS_Eval(ctx, text, len, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY) : JS_EXCEPTION;
    engine_note_imports(noting);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, source);
    if (JS_IsException(module))
        return NULL;
    JSModuleDef *m = JS_VALUE_GET_PTR(module);
    JS_FreeValue(ctx, module); /* the context's list of modules holds it */
    return m;
}

static JSValue get_code(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int magic, JSValueConst *data)
{
    (void)this_val;
    (void)argc;
    (void)argv;
    (void)magic;
    const char *name = JS_ToCString(ctx, data[0]);
    JSValue namespace = name ? engine_namespace(ctx, name) : JS_EXCEPTION;
    JS_FreeCString(ctx, name);
    return namespace;
}

bool modules_bind_code(JSContext *ctx)
{
    JSValue code = code_of(ctx);
    int64_t count = 0;
    bool done = true;
    if (JS_IsArray(code) && JS_GetLength(ctx, code, &count) == 0 && count > 0) {
        JSValue global = JS_GetGlobalObject(ctx), root = JS_NewObjectProto(ctx, JS_NULL);
        for (int64_t i = 0; i < count && done; i++) {
            JSValue item = JS_GetPropertyInt64(ctx, code, i), its = errors_property(ctx, item, "name", true, NULL);
            const char *key = JS_ToCString(ctx, its);
            Buffer name = {0};
            buffer_puts(&name, lib);
            buffer_puts(&name, key ? key : "");
            JSValue data = JS_NewStringLen(ctx, name.data, name.len);
            JSValue getter = JS_NewCFunctionData(ctx, get_code, 0, 0, 1, (JSValueConst *)&data);
            JSAtom atom = JS_NewAtom(ctx, key ? key : "");
            done = !name.failed && !JS_IsException(getter)
                && JS_DefinePropertyGetSet(ctx, root, atom, getter, JS_UNDEFINED, JS_PROP_ENUMERABLE) >= 0;
            JS_FreeAtom(ctx, atom);
            JS_FreeValue(ctx, data);
            buffer_free(&name);
            JS_FreeCString(ctx, key);
            JS_FreeValue(ctx, its);
            JS_FreeValue(ctx, item);
        }
        JS_FreezeObject(ctx, root);
        JS_DefinePropertyValueStr(ctx, global, "lib", root, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
        JS_FreeValue(ctx, global);
    }
    JS_FreeValue(ctx, code);
    return done;
}

static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque)
{
    (void)opaque;
    if (!strncmp(name, lib, LIB)) {
        JSValue source = source_of(ctx, name + LIB);
        if (JS_IsString(source))
            return load_code(ctx, name, source);
        JS_FreeValue(ctx, source);
    }
    JSValue from = lookup(ctx, name);
    JSPropertyEnum *names;
    uint32_t count;
    if (!JS_IsObject(from)) {
        JS_ThrowPlainError(ctx, "Cannot find module '%s'", name);
        return NULL;
    }
    JSModuleDef *m = JS_NewCModule(ctx, name, evaluate);
    if (m && JS_GetOwnPropertyNames(ctx, &names, &count, from, JS_GPN_STRING_MASK) == 0) {
        JS_AddModuleExport(ctx, m, "default");
        for (uint32_t i = 0; i < count; i++) {
            const char *export = JS_AtomToCString(ctx, names[i].atom);
            if (export)
                JS_AddModuleExport(ctx, m, export);
            JS_FreeCString(ctx, export);
        }
        JS_FreePropertyEnum(ctx, names, count);
    }
    JS_FreeValue(ctx, from);
    return m;
}

/* Names are taken as they are written: there are no files, so nothing is relative to anything. */
static char *normalize(JSContext *ctx, const char *base, const char *name, void *opaque)
{
    (void)base;
    (void)opaque;
    return js_strdup(ctx, name);
}

void modules_install(JSRuntime *rt)
{
    JS_SetModuleLoaderFunc(rt, normalize, load, NULL);
}
