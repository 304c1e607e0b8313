/* Targets: what a program says by handing over one of gg's own functions, modules or classes is the thing's name. */
#include "gg.h"

static bool same(JSValueConst a, JSValueConst b)
{
    return JS_IsObject(a) && JS_IsObject(b) && JS_VALUE_GET_PTR(a) == JS_VALUE_GET_PTR(b);
}

static void put_name(JSContext *ctx, Buffer *name, JSAtom atom)
{
    const char *text = JS_AtomToCString(ctx, atom);
    buffer_puts(name, text ? text : "");
    JS_FreeCString(ctx, text);
}

/* The module itself, or something in it. */
static bool in_module(JSContext *ctx, Buffer *name, JSAtom module, JSValueConst holder, JSValueConst value)
{
    JSPropertyEnum *names;
    uint32_t count;
    if (same(holder, value)) {
        put_name(ctx, name, module);
        return true;
    }
    if (JS_GetOwnPropertyNames(ctx, &names, &count, holder, JS_GPN_STRING_MASK) < 0)
        return false;
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        JSValue item = JS_GetProperty(ctx, holder, names[i].atom);
        found = same(item, value);
        if (found) {
            put_name(ctx, name, module);
            buffer_putc(name, '.');
            put_name(ctx, name, names[i].atom);
        }
        JS_FreeValue(ctx, item);
    }
    JS_FreePropertyEnum(ctx, names, count);
    return found;
}

/* A module's namespace, as `import * as files from "gg:files"` binds it, has the module as its default export. No code of
   the program's runs here: proxies and getters are left alone. */
static JSValue behind_namespace(JSContext *ctx, JSValueConst value)
{
    JSPropertyDescriptor desc;
    JSAtom atom = JS_NewAtom(ctx, "default");
    int found = JS_IsProxy(value) ? 0 : JS_GetOwnProperty(ctx, &desc, value, atom);
    JS_FreeAtom(ctx, atom);
    if (found < 0) /* a namespace whose default export has no value yet */
        JS_FreeValue(ctx, JS_GetException(ctx));
    if (found <= 0)
        return JS_DupValue(ctx, value);
    JS_FreeValue(ctx, desc.getter);
    JS_FreeValue(ctx, desc.setter);
    return desc.value;
}

bool target_name(JSContext *ctx, Buffer *name, JSValueConst given)
{
    JSPropertyEnum *modules;
    uint32_t count;
    bool found = false;
    if (!JS_IsObject(given) || JS_GetOwnPropertyNames(ctx, &modules, &count, gg_root, JS_GPN_STRING_MASK) < 0)
        return false;
    JSValue value = behind_namespace(ctx, given);
    for (uint32_t i = 0; i < count && !found; i++) {
        JSValue holder = JS_GetProperty(ctx, gg_root, modules[i].atom);
        found = in_module(ctx, name, modules[i].atom, holder, value);
        JS_FreeValue(ctx, holder);
    }
    JS_FreePropertyEnum(ctx, modules, count);
    JS_FreeValue(ctx, value);
    return found;
}
