/* The `gg` object: frozen, bound as a global, and opened again for the operations of others. */
#include "gg.h"

JSValue sdk_root(JSContext *ctx)
{
    return JS_DupValue(ctx, gg_root);
}

bool sdk_freeze(JSContext *ctx)
{
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, gg_root, JS_GPN_STRING_MASK) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        JSValue module = JS_GetProperty(ctx, gg_root, names[i].atom);
        if (JS_IsObject(module))
            JS_FreezeObject(ctx, module);
        JS_FreeValue(ctx, module);
    }
    JS_FreePropertyEnum(ctx, names, count);
    JS_FreezeObject(ctx, gg_root);
    return true;
}

void sdk_bind(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    JS_DefinePropertyValueStr(ctx, global, "gg", JS_DupValue(ctx, gg_root), JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_FreeValue(ctx, global);
}

/* A new root whose modules hold what the old one's held, so that it can be added to. */
bool sdk_thaw(JSContext *ctx)
{
    JSPropertyEnum *modules, *names;
    uint32_t module_count, count;
    JSValue old = gg_root;
    if (JS_GetOwnPropertyNames(ctx, &modules, &module_count, old, JS_GPN_STRING_MASK) < 0)
        return false;
    gg_root = JS_NewObjectProto(ctx, JS_NULL);
    for (uint32_t i = 0; i < module_count; i++) {
        JSValue from = JS_GetProperty(ctx, old, modules[i].atom), to = JS_NewObjectProto(ctx, JS_NULL);
        if (JS_GetOwnPropertyNames(ctx, &names, &count, from, JS_GPN_STRING_MASK) == 0) {
            for (uint32_t k = 0; k < count; k++)
                JS_DefinePropertyValue(ctx, to, names[k].atom, JS_GetProperty(ctx, from, names[k].atom), JS_PROP_C_W_E);
            JS_FreePropertyEnum(ctx, names, count);
        }
        JS_FreeValue(ctx, from);
        JS_DefinePropertyValue(ctx, gg_root, modules[i].atom, to, JS_PROP_C_W_E);
    }
    JS_FreePropertyEnum(ctx, modules, module_count);
    JS_FreeValue(ctx, old);
    return true;
}
