/* What a program can import: "gg" (default and one export a module) and "gg:<module>". */
#include "gg.h"

#include <string.h>

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

static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque)
{
    (void)opaque;
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
