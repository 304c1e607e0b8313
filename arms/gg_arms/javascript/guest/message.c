/* The text of an error, and the one that gg adds to: read without anything that the program can have changed. */
#include "gg.h"

#include <string.h>

static void swallow(JSContext *ctx)
{
    JS_FreeValue(ctx, JS_GetException(ctx));
}

/* The value of a property without proxies' traps; `own_only` leaves the prototypes out. Undefined where there is none. */
JSValue errors_property(JSContext *ctx, JSValueConst object, const char *name, bool own_only, bool *is_own)
{
    JSAtom atom = JS_NewAtom(ctx, name);
    JSValue at = JS_DupValue(ctx, object), value = JS_UNDEFINED;
    if (is_own)
        *is_own = true;
    while (JS_IsObject(at) && !JS_IsProxy(at)) {
        JSPropertyDescriptor desc;
        int found = JS_GetOwnProperty(ctx, &desc, at, atom);
        if (found > 0) {
            value = desc.flags & JS_PROP_GETSET ? JS_Call(ctx, desc.getter, object, 0, NULL) : JS_DupValue(ctx, desc.value);
            JS_FreeValue(ctx, desc.getter);
            JS_FreeValue(ctx, desc.setter);
            JS_FreeValue(ctx, desc.value);
        }
        if (found < 0 || JS_IsException(value)) {
            swallow(ctx);
            value = JS_UNDEFINED;
        }
        if (found || own_only)
            break;
        if (is_own)
            *is_own = false;
        JSValue up = JS_GetPrototype(ctx, at);
        JS_FreeValue(ctx, at);
        at = up;
    }
    if (JS_IsException(at))
        swallow(ctx);
    JS_FreeValue(ctx, at);
    JS_FreeAtom(ctx, atom);
    return value;
}

void errors_text(JSContext *ctx, Buffer *b, JSValueConst value)
{
    uint32_t len = JS_IsString(value) ? engine_length(value) : 0;
    if (len <= TEXT_MOST) {
        console_value(ctx, b, value);
        return;
    }
    /* The whole may be most of the memory there is. */
    JSValue ends[2] = {engine_slice(ctx, value, 0, TEXT_END), engine_slice(ctx, value, len - TEXT_END, len)};
    const char *text[2];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        text[i] = JS_IsString(ends[i]) ? JS_ToCStringLen(ctx, &size[i], ends[i]) : NULL;
        if (!text[i]) {
            swallow(ctx);
            size[i] = 0;
        }
    }
    buffer_put_ends(b, text[0] ? text[0] : "", size[0], text[1] ? text[1] : "", size[1]);
    for (int i = 0; i < 2; i++) {
        JS_FreeCString(ctx, text[i]);
        JS_FreeValue(ctx, ends[i]);
    }
}

static void put_text(JSContext *ctx, Buffer *b, JSValueConst value)
{
    if (!JS_IsUndefined(value))
        errors_text(ctx, b, value);
}

static bool text_is(const Buffer *b, const char *text)
{
    return b->len == strlen(text) && !memcmp(b->data, text, b->len);
}

/* Name: message. The class's name stands for a name it only inherited from a built-in error. */
void errors_header(JSContext *ctx, Buffer *b, JSValueConst error)
{
    static const char *const builtin[] = {"Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError", "AggregateError"};
    Buffer name = {0}, class = {0}, message = {0};
    bool own_name;
    JSValue value = errors_property(ctx, error, "name", false, &own_name);
    put_text(ctx, &name, value);
    JS_FreeValue(ctx, value);
    bool inherited = name.len == 0;
    for (size_t i = 0; i < sizeof builtin / sizeof *builtin && !own_name; i++)
        inherited = inherited || text_is(&name, builtin[i]);
    if (inherited) {
        JSValue constructor = errors_property(ctx, error, "constructor", false, NULL);
        value = errors_property(ctx, constructor, "name", true, NULL);
        if (JS_IsString(value))
            put_text(ctx, &class, value);
        JS_FreeValue(ctx, value);
        JS_FreeValue(ctx, constructor);
    }
    value = errors_property(ctx, error, "message", false, NULL);
    put_text(ctx, &message, value);
    JS_FreeValue(ctx, value);
    const Buffer *shown = class.len ? &class : &name;
    if (shown->len)
        buffer_put(b, shown->data, shown->len);
    else if (!message.len)
        buffer_puts(b, "Error");
    if (shown->len && message.len)
        buffer_puts(b, ": ");
    buffer_put(b, message.data, message.len);
    buffer_free(&name);
    buffer_free(&class);
    buffer_free(&message);
}

/* Answers "x is not defined" with the names of gg's modules, where the error is made. */
JSValue errors_not_defined(JSContext *ctx, JSValue error)
{
    Buffer text = {0};
    JSValue message = errors_property(ctx, error, "message", true, NULL);
    put_text(ctx, &text, message);
    JS_FreeValue(ctx, message);
    JSValue modules = JS_IsObject(gg_context) ? errors_property(ctx, gg_context, "modules", true, NULL) : JS_UNDEFINED;
    int64_t count;
    buffer_puts(&text, "\n    gg");
    if (JS_IsArray(modules) && JS_GetLength(ctx, modules, &count) == 0) {
        for (int64_t i = 0; i < count; i++) {
            JSValue name = JS_GetPropertyInt64(ctx, modules, i);
            buffer_puts(&text, ", gg.");
            put_text(ctx, &text, name);
            JS_FreeValue(ctx, name);
        }
    }
    JS_FreeValue(ctx, modules);
    JSValue lib = JS_IsObject(gg_context) ? errors_property(ctx, gg_context, "lib", true, NULL) : JS_UNDEFINED;
    if (JS_ToBool(ctx, lib) == 1)
        buffer_puts(&text, ", lib");
    JS_FreeValue(ctx, lib);
    if (!text.failed && JS_IsObject(error))
        JS_DefinePropertyValueStr(ctx, error, "message", JS_NewStringLen(ctx, text.data, text.len), JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    buffer_free(&text);
    return error;
}
