/* The parts of the web platform's small interfaces that need C: bytes of text, randomness and time. */
#include "gg.h"

#include <stdlib.h>
#include <string.h>

static bool seeded;
static double time_origin = -1;
static JSValue engine_random = JS_UNDEFINED;

/* The engine's own seed is part of the snapshot, so each instance takes one at the first use. */
static JSValue js_random(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)argc;
    (void)argv;
    if (!seeded) {
        uint64_t seed = 0;
        host_random(&seed, sizeof seed);
        engine_set_random(ctx, seed);
        seeded = true;
    }
    return JS_Call(ctx, engine_random, this_val, 0, NULL);
}

static double origin(void)
{
    if (time_origin < 0)
        time_origin = host_now_ms();
    return time_origin;
}

static JSValue js_performance_now(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    (void)argv;
    double start = origin();
    return JS_NewFloat64(ctx, host_now_ms() - start);
}

/* Fills a typed array or an array buffer with random bytes, and returns it. */
static JSValue js_random_fill(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    size_t offset, len, size;
    JSValue buffer = JS_GetTypedArrayBuffer(ctx, argv[0], &offset, &len, NULL);
    if (JS_IsException(buffer))
        return buffer;
    uint8_t *data = JS_GetArrayBuffer(ctx, &size, buffer);
    JS_FreeValue(ctx, buffer);
    if (data && len && !host_random(data + offset, len))
        return JS_ThrowInternalError(ctx, "no randomness is available");
    return JS_DupValue(ctx, argv[0]);
}

static JSValue js_utf8_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, argv[0]);
    if (!text)
        return JS_EXCEPTION;
    JSValue bytes = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)text, len);
    JS_FreeCString(ctx, text);
    if (JS_IsException(bytes))
        return bytes;
    size_t size;
    uint8_t *data = JS_GetUint8Array(ctx, &size, bytes);
    /* A lone surrogate, three bytes of the engine's own form, becomes U+FFFD, three bytes too. */
    for (size_t i = 0; i + 2 < size; i++)
        if (data[i] == 0xED && data[i + 1] >= 0xA0)
            memcpy(data + i, "\357\277\275", 3);
    return bytes;
}

/* The length of the well-formed sequence at p, or minus the length of the part that is to be replaced. */
static int sequence(const uint8_t *p, const uint8_t *end)
{
    uint8_t c = p[0], low = 0x80, high = 0xBF;
    int n = c < 0x80 ? 1 : c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
    if (n == 0)
        return -1;
    if (c == 0xE0)
        low = 0xA0;
    if (c == 0xED)
        high = 0x9F;
    if (c == 0xF0)
        low = 0x90;
    if (c == 0xF4)
        high = 0x8F;
    for (int i = 1; i < n; i++, low = 0x80, high = 0xBF)
        if (p + i >= end || p[i] < low || p[i] > high)
            return -i;
    return n;
}

/* utf8Decode(typed array, fatal): the string, or null if it is fatal and the bytes are not UTF-8. */
static JSValue js_utf8_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    size_t len;
    uint8_t *data = JS_GetUint8Array(ctx, &len, argv[0]);
    if (!data && len)
        return JS_EXCEPTION;
    Buffer repaired = {0};
    const uint8_t *p = data, *end = data + len, *run = data;
    bool fatal = JS_ToBool(ctx, argv[1]) == 1;
    while (p < end) {
        int n = *p < 0x80 ? 1 : sequence(p, end);
        if (n > 0) {
            p += n;
            continue;
        }
        if (fatal)
            return JS_NULL;
        buffer_put(&repaired, run, (size_t)(p - run));
        buffer_puts(&repaired, "\357\277\275");
        p -= n;
        run = p;
    }
    if (run == data)
        return JS_NewStringLen(ctx, (const char *)data, len);
    buffer_put(&repaired, run, (size_t)(p - run));
    JSValue text = repaired.failed ? JS_ThrowOutOfMemory(ctx) : JS_NewStringLen(ctx, repaired.data, repaired.len);
    buffer_free(&repaired);
    return text;
}

void web_install(JSContext *ctx, JSValueConst global, JSValueConst native)
{
    static const JSCFunctionListEntry natives[] = {
        JS_CFUNC_DEF("utf8Encode", 1, js_utf8_encode),
        JS_CFUNC_DEF("utf8Decode", 2, js_utf8_decode),
        JS_CFUNC_DEF("randomFill", 1, js_random_fill),
    };
    JS_SetPropertyFunctionList(ctx, native, natives, sizeof natives / sizeof *natives);
    JSValue math = JS_GetPropertyStr(ctx, global, "Math");
    engine_random = JS_GetPropertyStr(ctx, math, "random");
    JS_DefinePropertyValueStr(ctx, math, "random", JS_NewCFunction(ctx, js_random, "random", 0), JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_FreeValue(ctx, math);
    JSValue performance = JS_NewObject(ctx);
    JS_DefinePropertyValueStr(ctx, performance, "now", JS_NewCFunction(ctx, js_performance_now, "now", 0), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, global, "performance", performance, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}
