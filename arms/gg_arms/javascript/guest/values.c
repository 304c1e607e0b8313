/* Arguments of operations: one plain copy, written as JSON, that no toJSON and no changed built-in can touch. */
#include "gg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 200 };
static const double MAX_SAFE = 9007199254740991.0;

static JSValue to_iso_string;

/* Where in the argument the copy is: `options`, `.name`, `[3]`. */
typedef struct Place {
    const struct Place *up;
    const char *name; /* NULL: an index */
    int64_t index;
    JSValueConst value; /* to find cycles */
    int depth;
} Place;

static void put_place(Buffer *b, const Place *place)
{
    if (place->up)
        put_place(b, place->up);
    if (!place->name) {
        buffer_printf(b, "[%lld]", (long long)place->index);
        return;
    }
    if (place->up)
        buffer_putc(b, '.');
    buffer_puts(b, place->name);
}

static int fault(Buffer *b, const Place *place, const char *what)
{
    buffer_putc(b, '`');
    put_place(b, place);
    buffer_puts(b, "` ");
    buffer_puts(b, what);
    return 1;
}

static int write_string(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, value);
    if (!text)
        return -1;
    bool bad = text_has_surrogate(text, len);
    if (!bad)
        buffer_json(b, text, len);
    JS_FreeCString(ctx, text);
    return bad ? fault(why, place, "holds a lone surrogate") : 0;
}

static int write_number(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    double d = 0;
    if (JS_ToFloat64(ctx, &d, value) < 0)
        return -1;
    if (isnan(d))
        return fault(why, place, "is NaN");
    if (isinf(d))
        return fault(why, place, d > 0 ? "is Infinity" : "is -Infinity");
    if (fabs(d) > MAX_SAFE && d == floor(d))
        return fault(why, place, "is an integer outside \302\261(2^53-1)");
    const char *text = JS_ToCString(ctx, value);
    if (!text)
        return -1;
    buffer_puts(b, text);
    JS_FreeCString(ctx, text);
    return 0;
}

static int write_bigint(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    const char *text = JS_ToCString(ctx, value);
    if (!text)
        return -1;
    const char *digits = text + (*text == '-');
    size_t len = strlen(digits);
    bool safe = len < 16 || (len == 16 && strcmp(digits, "9007199254740991") <= 0);
    if (safe)
        buffer_puts(b, text);
    JS_FreeCString(ctx, text);
    return safe ? 0 : fault(why, place, "is an integer outside \302\261(2^53-1)");
}

static void write_base64(Buffer *b, const uint8_t *data, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    buffer_putc(b, '"');
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t v = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=', left > 2 ? digits[v & 63] : '='};
        buffer_put(b, four, 4);
    }
    buffer_putc(b, '"');
}

/* 0 written, 1 it holds no bytes, -1 an exception is pending. */
static int write_bytes(JSContext *ctx, Buffer *b, JSValueConst value)
{
    size_t offset = 0, len, size;
    uint8_t *data;
    if (JS_IsArrayBuffer(value)) {
        data = JS_GetArrayBuffer(ctx, &len, value);
        if (!data && len)
            return -1;
    } else if (JS_GetTypedArrayType(value) >= 0) {
        JSValue buffer = JS_GetTypedArrayBuffer(ctx, value, &offset, &len, NULL);
        if (JS_IsException(buffer))
            return -1;
        data = JS_GetArrayBuffer(ctx, &size, buffer);
        JS_FreeValue(ctx, buffer);
        if (!data && len)
            return -1;
    } else {
        return 1;
    }
    write_base64(b, len ? data + offset : NULL, len);
    return 0;
}

static int write_value(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why);

static int write_array(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    int64_t len;
    if (JS_GetLength(ctx, value, &len) < 0)
        return -1;
    buffer_putc(b, '[');
    for (int64_t i = 0; i < len; i++) {
        JSValue item = JS_GetPropertyInt64(ctx, value, i);
        if (JS_IsException(item))
            return -1;
        if (i)
            buffer_putc(b, ',');
        Place inner = {place, NULL, i, item, place->depth + 1};
        int result = 0;
        if (JS_IsUndefined(item))
            buffer_puts(b, "null");
        else
            result = write_value(ctx, b, item, &inner, why);
        JS_FreeValue(ctx, item);
        if (result || b->failed)
            return result;
    }
    buffer_putc(b, ']');
    return 0;
}

static int write_record(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, value, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return -1;
    int result = 0;
    bool first = true;
    buffer_putc(b, '{');
    for (uint32_t i = 0; i < count && !result && !b->failed; i++) {
        JSValue item = JS_GetProperty(ctx, value, names[i].atom);
        size_t len = 0;
        const char *name = JS_IsException(item) ? NULL : JS_AtomToCStringLen(ctx, &len, names[i].atom);
        if (!name) {
            result = -1;
        } else if (!JS_IsUndefined(item)) {
            Place inner = {place, name, 0, item, place->depth + 1};
            if (text_has_surrogate(name, len)) {
                result = fault(why, place, "has a key that holds a lone surrogate");
            } else {
                if (!first)
                    buffer_putc(b, ',');
                first = false;
                buffer_json(b, name, len);
                buffer_putc(b, ':');
                result = write_value(ctx, b, item, &inner, why);
            }
        }
        JS_FreeCString(ctx, name);
        JS_FreeValue(ctx, item);
    }
    JS_FreePropertyEnum(ctx, names, count);
    buffer_putc(b, '}');
    return result;
}

static int write_object(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    for (const Place *up = place->up; up; up = up->up)
        if (JS_VALUE_GET_TAG(up->value) == JS_TAG_OBJECT && JS_VALUE_GET_PTR(up->value) == JS_VALUE_GET_PTR(value))
            return fault(why, place, "refers back to what holds it");
    if (place->depth > MAX_DEPTH)
        return fault(why, place, "is nested too deeply");
    if (JS_IsFunction(ctx, value))
        return fault(why, place, "is a function");
    if (JS_IsArray(value))
        return write_array(ctx, b, value, place, why);
    JSValue inner = engine_unwrap(ctx, value);
    if (!JS_IsUndefined(inner)) {
        int result = write_value(ctx, b, inner, place, why);
        JS_FreeValue(ctx, inner);
        return result;
    }
    if (JS_IsDate(value)) {
        JSValue text = JS_Call(ctx, to_iso_string, value, 0, NULL);
        if (JS_IsException(text)) {
            JS_FreeValue(ctx, JS_GetException(ctx));
            return fault(why, place, "is an invalid Date");
        }
        int result = write_string(ctx, b, text, place, why);
        JS_FreeValue(ctx, text);
        return result;
    }
    int bytes = write_bytes(ctx, b, value);
    if (bytes <= 0)
        return bytes;
    const char *class = engine_class(ctx, value);
    if (!JS_IsProxy(value) && strcmp(class, "Object") && strcmp(class, "Arguments") && strcmp(class, "Module")) {
        char what[96];
        snprintf(what, sizeof what, "is %s %s", strchr("AEIOU", *class) ? "an" : "a", class);
        return fault(why, place, what);
    }
    return write_record(ctx, b, value, place, why);
}

static int write_value(JSContext *ctx, Buffer *b, JSValueConst value, const Place *place, Buffer *why)
{
    if (JS_IsString(value))
        return write_string(ctx, b, value, place, why);
    if (JS_IsNumber(value))
        return write_number(ctx, b, value, place, why);
    if (JS_IsBigInt(value))
        return write_bigint(ctx, b, value, place, why);
    if (JS_IsSymbol(value))
        return fault(why, place, "is a symbol");
    if (JS_IsObject(value))
        return write_object(ctx, b, value, place, why);
    buffer_puts(b, JS_IsBool(value) ? JS_VALUE_GET_BOOL(value) ? "true" : "false" : "null");
    return 0;
}

int values_write(JSContext *ctx, Buffer *b, JSValueConst value, const char *name, Buffer *why)
{
    Place place = {NULL, name, 0, value, 0};
    return write_value(ctx, b, value, &place, why);
}

void values_install(JSContext *ctx, JSValueConst global)
{
    JSValue date = JS_GetPropertyStr(ctx, global, "Date");
    JSValue proto = JS_GetPropertyStr(ctx, date, "prototype");
    to_iso_string = JS_GetPropertyStr(ctx, proto, "toISOString");
    JS_FreeValue(ctx, proto);
    JS_FreeValue(ctx, date);
}
