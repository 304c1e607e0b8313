/* console.log and its kin: plain values are written here, the others by the prelude's `inspect` and `format`. */
#include "gg.h"

#include <string.h>

static JSValue inspect = JS_UNDEFINED, format = JS_UNDEFINED;
static int group_depth;

static void put_string(JSContext *ctx, Buffer *b, JSValueConst value)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, value);
    if (text)
        buffer_put(b, text, len);
    else
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeCString(ctx, text);
}

void console_value(JSContext *ctx, Buffer *b, JSValueConst value)
{
    if (JS_IsString(value) || JS_IsBool(value) || JS_IsNull(value) || JS_IsUndefined(value) ||
        JS_VALUE_GET_TAG(value) == JS_TAG_INT) {
        put_string(ctx, b, value);
        return;
    }
    JSValue text = JS_IsFunction(ctx, inspect) ? JS_Call(ctx, inspect, JS_UNDEFINED, 1, &value) : JS_UNDEFINED;
    if (JS_IsException(text)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        text = JS_UNDEFINED;
    }
    if (JS_IsString(text)) {
        put_string(ctx, b, text);
    } else {
        buffer_puts(b, "[object ");
        buffer_puts(b, engine_class(ctx, value));
        buffer_putc(b, ']');
    }
    JS_FreeValue(ctx, text);
}

static void write_out(Buffer *b)
{
    Buffer indented = {0};
    buffer_putc(b, '\n');
    if (b->failed)
        return;
    if (group_depth == 0) {
        host_log(GG_STDOUT, b->data, b->len);
        return;
    }
    for (const char *line = b->data, *end = b->data + b->len; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        for (int i = 0; i < group_depth; i++)
            buffer_puts(&indented, "  ");
        buffer_put(&indented, line, (size_t)(next - line));
        line = next;
    }
    if (!indented.failed)
        host_log(GG_STDOUT, indented.data, indented.len);
    buffer_free(&indented);
}

static bool has_directive(JSContext *ctx, JSValueConst value)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, value);
    bool found = text && memchr(text, '%', len);
    JS_FreeCString(ctx, text);
    return found;
}

static JSValue js_log(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    Buffer b = {0};
    if (argc > 1 && JS_IsString(argv[0]) && has_directive(ctx, argv[0])) {
        JSValue text = JS_Call(ctx, format, JS_UNDEFINED, argc, argv);
        if (JS_IsException(text))
            return text;
        put_string(ctx, &b, text);
        JS_FreeValue(ctx, text);
    } else {
        for (int i = 0; i < argc; i++) {
            if (i)
                buffer_putc(&b, ' ');
            console_value(ctx, &b, argv[i]);
        }
    }
    write_out(&b);
    buffer_free(&b);
    return JS_UNDEFINED;
}

static JSValue js_group_depth(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    int32_t change;
    if (JS_ToInt32(ctx, &change, argv[0]) < 0)
        return JS_EXCEPTION;
    group_depth += change;
    if (group_depth < 0)
        group_depth = 0;
    if (group_depth > 32)
        group_depth = 32;
    return JS_UNDEFINED;
}

static JSValue js_class(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_NewString(ctx, engine_class(ctx, argv[0]));
}

static JSValue js_unwrap(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return engine_unwrap(ctx, argv[0]);
}

static JSValue js_proxy_target(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_IsProxy(argv[0]) ? JS_GetProxyTarget(ctx, argv[0]) : JS_UNDEFINED;
}

static JSValue js_frames(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return engine_frames(ctx, argv[0]);
}

/* 0 pending, 1 fulfilled, 2 rejected; -1: no promise. */
static JSValue js_promise_state(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_NewInt32(ctx, JS_IsPromise(argv[0]) ? (int)JS_PromiseState(ctx, argv[0]) : -1);
}

static JSValue js_promise_result(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_IsPromise(argv[0]) ? JS_PromiseResult(ctx, argv[0]) : JS_UNDEFINED;
}

void console_install(JSContext *ctx, JSValueConst global, JSValueConst native)
{
    static const JSCFunctionListEntry natives[] = {
        JS_CFUNC_DEF("groupDepth", 1, js_group_depth),      JS_CFUNC_DEF("classOf", 1, js_class),
        JS_CFUNC_DEF("unwrap", 1, js_unwrap),               JS_CFUNC_DEF("proxyTarget", 1, js_proxy_target),
        JS_CFUNC_DEF("frames", 1, js_frames),               JS_CFUNC_DEF("promiseState", 1, js_promise_state),
        JS_CFUNC_DEF("promiseResult", 1, js_promise_result),
    };
    static const char *const loggers[] = {"log", "info", "debug", "warn", "error", "dirxml"};
    JSValue console = JS_NewObject(ctx);
    JS_SetPropertyFunctionList(ctx, native, natives, sizeof natives / sizeof *natives);
    for (size_t i = 0; i < sizeof loggers / sizeof *loggers; i++)
        JS_DefinePropertyValueStr(ctx, console, loggers[i], JS_NewCFunction(ctx, js_log, loggers[i], 0), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, global, "console", console, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

void console_seal(JSContext *ctx, JSValueConst native)
{
    inspect = JS_GetPropertyStr(ctx, native, "inspect");
    format = JS_GetPropertyStr(ctx, native, "format");
}
