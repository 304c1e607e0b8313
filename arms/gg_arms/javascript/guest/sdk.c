/* The SDK: every operation is a native function, so no frame of it shows in a stack and no program can break it. */
#include "gg.h"

#include <stdlib.h>
#include <string.h>

JSValue gg_api_error_proto = JS_UNDEFINED;

typedef struct {
    char *name, *wire;
    bool target; /* it names something of gg's: the thing itself is taken too */
} Name;

typedef struct {
    char *id;       /* files.read_file */
    bool returns;   /* false: the reply's value is dropped */
    int positional; /* the first so many parameters are positional, the others are options */
    bool leading;   /* the one that is positional may be among the options too */
    int count;
    Name *parameters;
} Operation;

static Operation *operations;
static int operation_count;
JSValue gg_root = JS_UNDEFINED;       /* the `gg` object */
static JSValue define = JS_UNDEFINED; /* what SDK source is called with */
static JSAtom atom_ok, atom_value, atom_error;

static JSValue throw_api_error(JSContext *ctx, const char *operation, const char *code, const char *detail, size_t len)
{
    JSValue error = engine_api_error(ctx, gg_api_error_proto);
    if (JS_IsException(error))
        return error;
    Buffer text = {0};
    buffer_putc(&text, '`');
    buffer_puts(&text, operation);
    buffer_puts(&text, "` failed (");
    buffer_puts(&text, code);
    buffer_puts(&text, "): ");
    buffer_put(&text, detail, len);
    if (!text.failed)
        JS_DefinePropertyValueStr(ctx, error, "message", JS_NewStringLen(ctx, text.data, text.len), JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    buffer_free(&text);
    JS_DefinePropertyValueStr(ctx, error, "operation", JS_NewString(ctx, operation), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, error, "code", JS_NewString(ctx, code), JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, error, "detail", JS_NewStringLen(ctx, detail, len), JS_PROP_C_W_E);
    return JS_Throw(ctx, error);
}

static JSValue throw_reply(JSContext *ctx, JSValueConst error)
{
    const char *part[3];
    size_t len[3];
    static const char *const names[] = {"operation", "code", "message"};
    for (int i = 0; i < 3; i++) {
        JSValue value = JS_GetPropertyStr(ctx, error, names[i]);
        part[i] = JS_ToCStringLen(ctx, &len[i], value);
        JS_FreeValue(ctx, value);
    }
    JSValue thrown = part[0] && part[1] && part[2] ? throw_api_error(ctx, part[0], part[1], part[2], len[2]) : JS_EXCEPTION;
    for (int i = 0; i < 3; i++)
        JS_FreeCString(ctx, part[i]);
    return thrown;
}

/* The key of an operation ("edit_file") is the last part of its id. */
static const char *key_of(const Operation *op)
{
    const char *dot = strrchr(op->id, '.');
    return dot ? dot + 1 : op->id;
}

static bool own(JSContext *ctx, JSValueConst object, JSAtom atom, JSValue *value)
{
    JSPropertyDescriptor desc;
    int found = JS_GetOwnProperty(ctx, &desc, object, atom);
    if (found <= 0) {
        *value = JS_UNDEFINED;
        return found == 0;
    }
    *value = JS_DupValue(ctx, desc.value);
    JS_FreeValue(ctx, desc.getter);
    JS_FreeValue(ctx, desc.setter);
    JS_FreeValue(ctx, desc.value);
    return true;
}

static JSValue read_reply(JSContext *ctx, const Operation *op, char *text, size_t len, bool failed)
{
    JSValue reply = JS_ParseJSON(ctx, text, len, "gg:reply"), first = JS_UNDEFINED, result = JS_UNDEFINED;
    host_free_reply(text);
    if (JS_IsException(reply))
        return reply;
    /* A parsed reply is plain data of the engine's own making; only own properties are read. */
    if (failed)
        first = JS_DupValue(ctx, reply);
    else if (JS_IsArray(reply))
        first = JS_GetPropertyUint32(ctx, reply, 0);
    JS_FreeValue(ctx, reply);
    JSValue ok = JS_UNDEFINED, error = JS_UNDEFINED;
    if (JS_IsObject(first) && own(ctx, first, atom_ok, &ok) && JS_ToBool(ctx, ok) == 1) {
        if (op->returns)
            own(ctx, first, atom_value, &result);
    } else if (JS_IsObject(first) && own(ctx, first, atom_error, &error) && JS_IsObject(error)) {
        result = throw_reply(ctx, error);
    } else if (failed && JS_IsObject(first)) {
        result = throw_reply(ctx, first);
    } else {
        static const char unread[] = "the reply could not be read";
        result = throw_api_error(ctx, key_of(op), "other", unread, sizeof unread - 1);
    }
    JS_FreeValue(ctx, ok);
    JS_FreeValue(ctx, error);
    JS_FreeValue(ctx, first);
    return result;
}

/* Puts a target: a text, or the name of what is handed over. */
static int put_target(JSContext *ctx, Buffer *b, const Name *parameter, JSValueConst value, Buffer *why)
{
    Buffer name = {0};
    int result = 0;
    if (JS_IsString(value)) {
        result = values_write(ctx, b, value, parameter->name, why);
    } else if (target_name(ctx, &name, value)) {
        buffer_json(b, name.data, name.len);
    } else {
        const char *is = JS_IsUndefined(value) ? "undefined" : JS_IsNull(value) ? "null" : NULL;
        if (!is)
            is = JS_IsNumber(value) ? "a number" : JS_IsBigInt(value) ? "a bigint" : JS_IsBool(value) ? "a boolean" : NULL;
        if (!is)
            is = JS_IsSymbol(value) ? "a symbol" : JS_IsFunction(ctx, value) ? "a function that is not gg's" : "an object that is not gg's";
        buffer_printf(why, "`%s` is %s; it must be a name, or a function, module or class of gg's", parameter->name, is);
        result = 1;
    }
    b->failed |= name.failed;
    buffer_free(&name);
    return result;
}

static int put_argument(JSContext *ctx, Buffer *b, const Name *parameter, JSValueConst value, bool *first, Buffer *why)
{
    if (JS_IsUndefined(value) && !parameter->target)
        return 0;
    if (!*first)
        buffer_putc(b, ',');
    *first = false;
    buffer_json(b, parameter->wire, strlen(parameter->wire));
    buffer_putc(b, ':');
    return parameter->target ? put_target(ctx, b, parameter, value, why) : values_write(ctx, b, value, parameter->name, why);
}

static int put_options(JSContext *ctx, Buffer *b, const Operation *op, int from, JSValueConst options, bool *first, Buffer *why)
{
    if (JS_IsUndefined(options) || JS_IsNull(options))
        return 0;
    if (!JS_IsObject(options) || JS_IsArray(options) || JS_IsFunction(ctx, options)) {
        buffer_puts(why, "the options are not an object");
        return 1;
    }
    JSPropertyEnum *names;
    uint32_t count;
    if (JS_GetOwnPropertyNames(ctx, &names, &count, options, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return -1;
    int result = 0;
    for (uint32_t i = 0; i < count && !result; i++) {
        const char *name = JS_AtomToCString(ctx, names[i].atom);
        const Name *parameter = NULL;
        for (int k = from; name && k < op->count; k++)
            if (!strcmp(op->parameters[k].name, name))
                parameter = &op->parameters[k];
        JSValue value = name ? JS_GetProperty(ctx, options, names[i].atom) : JS_EXCEPTION;
        if (JS_IsException(value)) {
            result = -1;
        } else if (!parameter) {
            buffer_putc(why, '`');
            buffer_puts(why, name);
            buffer_puts(why, "` is not an option of it");
            result = 1;
        } else {
            result = put_argument(ctx, b, parameter, value, first, why);
        }
        JS_FreeValue(ctx, value);
        JS_FreeCString(ctx, name);
    }
    JS_FreePropertyEnum(ctx, names, count);
    return result;
}

static JSValue call_operation(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int index)
{
    (void)this_val;
    const Operation *op = &operations[index];
    if (gg_rendering) {
        static const char over[] = "the program is over";
        return throw_api_error(ctx, key_of(op), "refused", over, sizeof over - 1);
    }
    Buffer request = {0}, why = {0};
    bool first = true;
    int result = 0, positional = op->positional;
    if (op->leading && argc > 0 && JS_IsObject(argv[0]) && !JS_IsArray(argv[0]) && !JS_IsFunction(ctx, argv[0]))
        positional = 0;
    buffer_puts(&request, "[[");
    buffer_json(&request, op->id, strlen(op->id));
    size_t arguments_at = request.len;
    buffer_puts(&request, ",{");
    for (int i = 0; i < positional && !result; i++)
        result = put_argument(ctx, &request, &op->parameters[i], i < argc ? argv[i] : JS_UNDEFINED, &first, &why);
    if (!result && op->count > positional && argc > positional)
        result = put_options(ctx, &request, op, positional, argv[positional], &first, &why);
    if (result > 0) {
        request.len = arguments_at;
        buffer_puts(&request, ",null,");
        buffer_json(&request, why.data ? why.data : "", why.len);
        buffer_puts(&request, "]]");
    } else {
        buffer_puts(&request, "}]]");
    }
    JSValue value = JS_EXCEPTION;
    if (result >= 0) {
        char *reply;
        bool failed;
        ptrdiff_t len = request.failed || why.failed ? -1 : host_call(request.data, request.len, &reply, &failed);
        value = len < 0 ? JS_ThrowOutOfMemory(ctx) : read_reply(ctx, op, reply, (size_t)len, failed);
    }
    buffer_free(&request);
    buffer_free(&why);
    return value;
}

static char *text_of(JSContext *ctx, JSValueConst value)
{
    const char *text = JS_ToCString(ctx, value);
    char *copy = text ? strdup(text) : NULL;
    JS_FreeCString(ctx, text);
    return copy;
}

static char *text_at(JSContext *ctx, JSValueConst array, uint32_t index)
{
    JSValue value = JS_GetPropertyUint32(ctx, array, index);
    char *text = text_of(ctx, value);
    JS_FreeValue(ctx, value);
    return text;
}

/* define(module, name, id, parameters, positional, returns, leading): parameters is [[name, wire, "target"?], …],
   positional ones first. */
static JSValue define_operation(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    int64_t count = 0;
    int32_t positional = 0;
    if (JS_GetLength(ctx, argv[3], &count) < 0 || JS_ToInt32(ctx, &positional, argv[4]) < 0)
        return JS_EXCEPTION;
    Operation *grown = realloc(operations, (size_t)(operation_count + 1) * sizeof *operations);
    if (!grown)
        return JS_ThrowOutOfMemory(ctx);
    operations = grown;
    Operation *op = &operations[operation_count];
    *op = (Operation){.id = text_of(ctx, argv[2]), .returns = JS_ToBool(ctx, argv[5]) == 1, .positional = positional,
                      .leading = JS_ToBool(ctx, argv[6]) == 1, .count = (int)count, .parameters = calloc((size_t)count + 1, sizeof(Name))};
    if (!op->id || !op->parameters)
        return JS_ThrowOutOfMemory(ctx);
    for (uint32_t i = 0; i < count; i++) {
        JSValue pair = JS_GetPropertyUint32(ctx, argv[3], i);
        JSValue kind = JS_GetPropertyUint32(ctx, pair, 2);
        op->parameters[i] = (Name){text_at(ctx, pair, 0), text_at(ctx, pair, 1), JS_IsString(kind)};
        JS_FreeValue(ctx, kind);
        JS_FreeValue(ctx, pair);
        if (!op->parameters[i].name || !op->parameters[i].wire)
            return JS_ThrowOutOfMemory(ctx);
    }
    char *module = text_of(ctx, argv[0]), *name = text_of(ctx, argv[1]);
    if (!module || !name)
        return JS_ThrowOutOfMemory(ctx);
    JSValue holder = JS_GetPropertyStr(ctx, gg_root, module);
    if (!JS_IsObject(holder)) {
        holder = JS_NewObjectProto(ctx, JS_NULL);
        JS_DefinePropertyValueStr(ctx, gg_root, module, JS_DupValue(ctx, holder), JS_PROP_C_W_E);
    }
    JSValue function = JS_NewCFunctionMagic(ctx, call_operation, name, positional, JS_CFUNC_generic_magic, operation_count++);
    JS_DefinePropertyValueStr(ctx, holder, name, function, JS_PROP_C_W_E);
    JS_FreeValue(ctx, holder);
    free(module);
    free(name);
    return JS_UNDEFINED;
}

bool sdk_extend(JSContext *ctx, const char *source, size_t len)
{
    JSValue script = JS_Eval(ctx, source, len, "gg:sdk", JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
    bool done = !JS_IsException(script) && sdk_thaw(ctx);
    if (done) {
        JSValue result = JS_Call(ctx, script, JS_UNDEFINED, 1, &define);
        done = !JS_IsException(result) && sdk_freeze(ctx);
        JS_FreeValue(ctx, result);
        sdk_bind(ctx);
    }
    JS_FreeValue(ctx, script);
    return done;
}

void sdk_install(JSContext *ctx, JSValueConst global, JSValueConst native)
{
    (void)global;
    gg_root = JS_NewObjectProto(ctx, JS_NULL);
    define = JS_NewCFunction(ctx, define_operation, "define", 7);
    atom_ok = JS_NewAtom(ctx, "ok");
    atom_value = JS_NewAtom(ctx, "value");
    atom_error = JS_NewAtom(ctx, "error");
    JS_SetPropertyStr(ctx, native, "define", JS_DupValue(ctx, define));
}

void sdk_seal(JSContext *ctx, JSValueConst native)
{
    JSValue class = JS_GetPropertyStr(ctx, native, "ApiError");
    JSValue core = JS_NewObjectProto(ctx, JS_NULL);
    gg_api_error_proto = JS_GetPropertyStr(ctx, class, "prototype");
    JS_DefinePropertyValueStr(ctx, core, "ApiError", class, JS_PROP_C_W_E);
    JS_DefinePropertyValueStr(ctx, gg_root, "core", core, JS_PROP_C_W_E);
    sdk_freeze(ctx);
    sdk_bind(ctx);
}
