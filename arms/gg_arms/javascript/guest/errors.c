/* The text of what nobody caught. Written in C over own properties, so that nothing the program changed takes part;
   getters of the error's own classes are the one exception, and what they throw is ignored. */
#include "gg.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NESTED = 10, MAX_DEPTH = 5 };

typedef struct {
    JSContext *ctx;
    Buffer json;
    int nested;
    bool rejected;
    JSValueConst inside[MAX_DEPTH + 1]; /* the errors that are being written: a cause may lead back to one */
} Report;

static void put_part(Report *report, const char *role, const char *text, size_t len)
{
    Buffer ends = {0};
    if (len > TEXT_MOST) {
        buffer_put_ends(&ends, text, TEXT_END, text + len - TEXT_END, TEXT_END);
        text = ends.data ? ends.data : "";
        len = ends.len;
    }
    if (report->json.data[report->json.len - 1] == ']')
        buffer_putc(&report->json, ',');
    buffer_puts(&report->json, "[\"");
    buffer_puts(&report->json, role);
    buffer_puts(&report->json, "\",");
    buffer_json(&report->json, text, len);
    buffer_putc(&report->json, ']');
    buffer_free(&ends);
}

static void put_frames(Report *report, const char *frames, int indent)
{
    Buffer text = {0};
    while (*frames) {
        size_t len = strcspn(frames, "\n");
        if (text.len)
            buffer_putc(&text, '\n');
        for (int i = 0; i < indent; i++)
            buffer_putc(&text, ' ');
        buffer_put(&text, frames, len);
        frames += len + (frames[len] == '\n');
    }
    if (text.len)
        put_part(report, "stack", text.data, text.len);
    buffer_free(&text);
}

/* A static import that failed has no frame: the parser noted where its specifier stands. */
static void put_import_position(Report *report, const Buffer *message)
{
    const char *end = message->len ? memrchr(message->data, '\'', message->len) : NULL;
    const char *start = end ? memrchr(message->data, '\'', (size_t)(end - message->data)) : NULL;
    int line, column;
    if (!start)
        return;
    char *name = strndup(start + 1, (size_t)(end - start - 1));
    if (name && engine_import_position(report->ctx, name, &line, &column)) {
        Buffer at = {0};
        buffer_printf(&at, "    at program.js:%d:%d", line, column);
        put_part(report, "stack", at.data, at.len);
        buffer_free(&at);
    }
    free(name);
}

/* The first frame of the program among the engine's frames. */
static bool first_frame(const char *frames, int *line, int *column)
{
    static const char name[] = "program.js:";
    const char *at = strstr(frames, name);
    if (!at)
        return false;
    char *end;
    *line = (int)strtol(at + sizeof name - 1, &end, 10);
    if (*line < 1 || *end != ':')
        return false;
    *column = (int)strtol(end + 1, &end, 10);
    return *column >= 1;
}

static void put_location(Report *report, const char *frames, const Buffer *message, int indent, bool api)
{
    int line, column;
    if (!api) {
        if (*frames)
            put_frames(report, frames, indent);
        else if (report->rejected)
            put_import_position(report, message);
    } else if (first_frame(frames, &line, &column)) {
        Buffer at = {0};
        engine_call_start(report->ctx, gg_program, gg_program_len, &line, &column);
        buffer_printf(&at, "%*s    at line %d, column %d", indent, "", line, column);
        put_part(report, "stack", at.data, at.len);
        buffer_free(&at);
    }
}

bool errors_is_api(JSContext *ctx, JSValueConst value)
{
    JSValue at = JS_DupValue(ctx, value);
    bool found = false;
    while (!found && JS_IsObject(at) && !JS_IsProxy(at)) {
        JSValue up = JS_GetPrototype(ctx, at);
        JS_FreeValue(ctx, at);
        at = up;
        found = JS_IsObject(at) && JS_VALUE_GET_PTR(at) == JS_VALUE_GET_PTR(gg_api_error_proto);
    }
    JS_FreeValue(ctx, at);
    return found && JS_IsError(value);
}

static void put_error(Report *report, JSValueConst value, const char *label, int depth);

static void put_related(Report *report, JSValueConst error, int depth)
{
    JSContext *ctx = report->ctx;
    JSValue cause = errors_property(ctx, error, "cause", true, NULL);
    if (!JS_IsUndefined(cause))
        put_error(report, cause, "[cause]: ", depth + 1);
    JS_FreeValue(ctx, cause);
    JSValue errors = errors_property(ctx, error, "errors", true, NULL);
    int64_t count;
    if (JS_IsArray(errors) && !JS_IsProxy(errors) && JS_GetLength(ctx, errors, &count) == 0) {
        for (int64_t i = 0; i < count && report->nested < MAX_NESTED; i++) {
            char index[24];
            Buffer label = {0};
            buffer_printf(&label, "%lld", (long long)i);
            buffer_putc(&label, 0);
            strncpy(index, label.data ? label.data : "", sizeof index - 1);
            index[sizeof index - 1] = 0;
            buffer_free(&label);
            JSValue item = errors_property(ctx, errors, index, true, NULL);
            buffer_printf(&label, "[errors][%s]: ", index);
            buffer_putc(&label, 0);
            put_error(report, item, label.data ? label.data : "", depth + 1);
            buffer_free(&label);
            JS_FreeValue(ctx, item);
        }
    }
    JS_FreeValue(ctx, errors);
}

static void put_error(Report *report, JSValueConst thrown, const char *label, int depth)
{
    JSContext *ctx = report->ctx;
    if (depth > MAX_DEPTH || report->nested++ >= MAX_NESTED)
        return;
    JSValue value = JS_DupValue(ctx, thrown);
    while (JS_IsProxy(value)) {
        JSValue target = JS_GetProxyTarget(ctx, value);
        JS_FreeValue(ctx, value);
        value = target;
    }
    if (JS_IsException(value)) {
        JS_FreeValue(ctx, JS_GetException(ctx));
        value = JS_UNDEFINED;
    }
    for (int i = 0; i < depth; i++) {
        if (JS_IsObject(value) && JS_VALUE_GET_PTR(value) == JS_VALUE_GET_PTR(report->inside[i])) {
            JS_FreeValue(ctx, value);
            return;
        }
    }
    report->inside[depth] = value;
    int indent = 2 * depth;
    Buffer message = {0};
    buffer_printf(&message, "%*s%s", indent, "", label);
    bool dom = JS_IsObject(value) && !strcmp(engine_class(ctx, value), "DOMException");
    if (JS_IsError(value) || dom) {
        bool api = errors_is_api(ctx, value);
        if (api) {
            JSValue text = errors_property(ctx, value, "message", false, NULL);
            errors_text(ctx, &message, text);
            JS_FreeValue(ctx, text);
        } else {
            errors_header(ctx, &message, value);
        }
        put_part(report, "message", message.data ? message.data : "", message.len);
        JSValue frames = engine_frames(ctx, value);
        const char *text = JS_IsString(frames) ? JS_ToCString(ctx, frames) : NULL;
        put_location(report, text ? text : "", &message, indent, api);
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, frames);
        put_related(report, value, depth);
    } else {
        size_t before = message.len;
        errors_text(ctx, &message, value);
        bool blank = true;
        for (size_t i = before; i < message.len; i++)
            blank = blank && strchr(" \t\r\n", message.data[i]);
        if (blank) {
            /* A thrown empty or blank string: quoted, with its type, so that there is something to read. */
            Buffer quoted = {0};
            buffer_put(&quoted, message.data, before);
            buffer_json(&quoted, message.data + before, message.len - before);
            buffer_puts(&quoted, " (string)");
            buffer_free(&message);
            message = quoted;
        }
        put_part(report, "message", message.data ? message.data : "", message.len);
    }
    buffer_free(&message);
    JS_FreeValue(ctx, value);
}

static void begin(Report *report, const char *kind)
{
    buffer_puts(&report->json, "{\"kind\":\"");
    buffer_puts(&report->json, kind);
    buffer_puts(&report->json, "\",\"parts\":[");
}

static void end(Report *report)
{
    static const char no_memory[] = "{\"kind\":\"failed\",\"parts\":[[\"message\",\"InternalError: out of memory\"]]}";
    buffer_puts(&report->json, "]}");
    if (report->json.failed)
        host_report(no_memory, sizeof no_memory - 1);
    else
        host_report(report->json.data, report->json.len);
    buffer_free(&report->json);
}

void errors_report(JSContext *ctx, const char *kind, JSValueConst thrown)
{
    Report report = {.ctx = ctx, .rejected = !strcmp(kind, "rejected")};
    begin(&report, kind);
    if (!report.json.failed)
        put_error(&report, thrown, "", 0);
    end(&report);
}

void errors_report_text(JSContext *ctx, const char *kind, const char *message, const char *stack)
{
    Report report = {.ctx = ctx};
    begin(&report, kind);
    if (!report.json.failed) {
        put_part(&report, "message", message, strlen(message));
        if (*stack)
            put_part(&report, "stack", stack, strlen(stack));
    }
    end(&report);
}
