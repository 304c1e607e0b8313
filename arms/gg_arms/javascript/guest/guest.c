/* The guest's entry points: what the build calls before the snapshot, and what the host calls for a program. */
#include "gg.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

JSRuntime *gg_rt;
JSContext *gg_ctx;
const char *gg_program;
size_t gg_program_len;
JSValue gg_context = JS_UNDEFINED;
bool gg_rendering;

enum {
    /* Bytes of wasm stack that the host allows unless the context says more. The shadow stack is kept in step with it by
       the build, and is twice as large. The engine's check leaves a margin for what does not check. */
    STACK_SIZE = 1 << 20,
    STACK_MOST = 2 << 20,
    STACK_MARGIN = 80 << 10,
    /* A collection copies every page it marks, so small programs should end before the first one. */
    FIRST_COLLECTION = 8 * 1024 * 1024,
};

static JSValue native;

/* Given back before an error is rendered, so that running out of memory can still be told. The C library's allocator
   keeps blocks by powers of two and neither splits nor joins them, so these are of the sizes that a report takes; every
   smaller size takes a block of 64 KiB for itself. They are never written, so an instance has no page of them. */
static const uint8_t reserve_log2[] = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 17, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19};
enum { RESERVES = sizeof reserve_log2, ALLOCATORS_OWN = 64 };
static void *reserve[RESERVES];

/* Given back when an allocation fails for the first time. That one fails all the same; but what follows from it, from
   the error object to the rejection of the module's promise, needs a few small blocks, and whether the heap has any of
   their sizes left is a matter of luck. */
enum { SLACK = 8 };
static void *slack[SLACK];

static void *spent(void *p)
{
    if (!p && slack[0]) {
        for (int i = 0; i < SLACK; i++) {
            free(slack[i]);
            slack[i] = NULL;
        }
    }
    return p;
}

static void *gg_js_calloc(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return spent(calloc(count, size));
}

static void *gg_js_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return spent(malloc(size));
}

static void gg_js_free(void *opaque, void *p)
{
    (void)opaque;
    free(p);
}

static void *gg_js_realloc(void *opaque, void *p, size_t size)
{
    (void)opaque;
    return spent(realloc(p, size));
}

static size_t gg_js_usable_size(const void *p)
{
    return malloc_usable_size((void *)p);
}

static const JSMallocFunctions allocator = {
    gg_js_calloc, gg_js_malloc, gg_js_free, gg_js_realloc, gg_js_usable_size,
};

/* Rejections that nobody has handled yet, oldest first. */
typedef struct Rejection {
    struct Rejection *next;
    JSValue promise, reason;
} Rejection;
static Rejection *rejections;

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
    (void)opaque;
    Rejection **at = &rejections;
    while (*at && JS_VALUE_GET_PTR((*at)->promise) != JS_VALUE_GET_PTR(promise))
        at = &(*at)->next;
    if (handled && *at) {
        Rejection *gone = *at;
        *at = gone->next;
        JS_FreeValue(ctx, gone->promise);
        JS_FreeValue(ctx, gone->reason);
        free(gone);
    } else if (!handled && !*at && (*at = calloc(1, sizeof **at))) {
        (*at)->promise = JS_DupValue(ctx, promise);
        (*at)->reason = JS_DupValue(ctx, reason);
    }
}

GG_EXPORT("gg_abi") int gg_abi(void)
{
    return 1;
}

/* Room for n bytes and a terminating NUL, which the engine's parser needs. */
GG_EXPORT("gg_alloc") char *gg_alloc(uint32_t n)
{
    char *p = malloc((size_t)n + 1);
    if (p)
        p[n] = 0;
    return p;
}

/* Build time: makes the context with everything that is written in C. */
GG_EXPORT("gg_init") void gg_init(void)
{
    gg_rt = JS_NewRuntime2(&allocator, NULL);
    JS_SetMaxStackSize(gg_rt, STACK_SIZE - STACK_MARGIN);
    JS_UpdateStackTop(gg_rt);
    JS_SetHostPromiseRejectionTracker(gg_rt, on_rejection, NULL);
    modules_install(gg_rt);
    gg_ctx = JS_NewContext(gg_rt);
    JS_AddIntrinsicDOMException(gg_ctx);
    JSValue global = JS_GetGlobalObject(gg_ctx);
    native = JS_NewObjectProto(gg_ctx, JS_NULL);
    values_install(gg_ctx, global);
    timers_install(gg_ctx, global);
    web_install(gg_ctx, global, native);
    console_install(gg_ctx, global, native);
    sdk_install(gg_ctx, global, native);
    JS_FreeValue(gg_ctx, global);
}

/* Build time: evaluates one prelude script, an expression whose value is a function of the native object. 0 on success. */
GG_EXPORT("gg_prelude") int gg_prelude(const char *name, const char *source, uint32_t len)
{
    JS_UpdateStackTop(gg_rt);
    JSValue script = JS_Eval(gg_ctx, source, len, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
    JSValue result = JS_IsException(script) ? JS_EXCEPTION : JS_Call(gg_ctx, script, JS_UNDEFINED, 1, &native);
    JS_FreeValue(gg_ctx, script);
    if (JS_IsException(result)) {
        errors_report(gg_ctx, "failed", JS_GetException(gg_ctx));
        return 1;
    }
    JS_FreeValue(gg_ctx, result);
    return 0;
}

/* Build time: takes what the prelude left in the native object and drops the garbage. */
GG_EXPORT("gg_seal") void gg_seal(void)
{
    console_seal(gg_ctx, native);
    sdk_seal(gg_ctx, native);
    JS_FreeValue(gg_ctx, native);
    native = JS_UNDEFINED;
    engine_not_defined = errors_not_defined;
    for (int i = 0; i < RESERVES; i++)
        reserve[i] = malloc(((size_t)1 << reserve_log2[i]) - ALLOCATORS_OWN);
    for (int i = 0; i < SLACK; i++)
        slack[i] = malloc((1 << 16) - ALLOCATORS_OWN);
    JS_RunGC(gg_rt);
    JS_SetGCThreshold(gg_rt, FIRST_COLLECTION);
}

static void fail(const char *kind, JSValue thrown)
{
    for (int i = 0; i < RESERVES; i++) {
        free(reserve[i]);
        reserve[i] = NULL;
    }
    gg_rendering = true;
    errors_report(gg_ctx, kind, thrown);
    JS_FreeValue(gg_ctx, thrown);
}

/* Parses, loads and links; nothing of the program runs. */
static bool prepare(JSValue *module)
{
    engine_note_imports(true);
    *module = JS_Eval(gg_ctx, gg_program, gg_program_len, "program.js", JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    engine_note_imports(false);
    return !JS_IsException(*module) && JS_ResolveModule(gg_ctx, *module) >= 0 && engine_link(gg_ctx, *module);
}

static void settle(JSValueConst evaluation)
{
    for (;;) {
        JSContext *ctx;
        int ran;
        while ((ran = JS_ExecutePendingJob(gg_rt, &ctx)) > 0) {
        }
        if (ran < 0) {
            fail("failed", JS_GetException(gg_ctx));
            return;
        }
        if (rejections) {
            fail("failed", JS_DupValue(gg_ctx, rejections->reason));
            return;
        }
        int timer = timers_next(gg_ctx);
        if (timer < 0) {
            fail("failed", JS_GetException(gg_ctx));
            return;
        }
        if (timer == 0)
            break;
    }
    JSPromiseStateEnum state = JS_PromiseState(gg_ctx, evaluation);
    if (state == JS_PROMISE_REJECTED) {
        fail("failed", JS_PromiseResult(gg_ctx, evaluation));
    } else if (state == JS_PROMISE_PENDING) {
        int line, column;
        Buffer at = {0};
        if (engine_pending_await(gg_ctx, &line, &column))
            buffer_printf(&at, "    at program.js:%d:%d", line, column);
        buffer_putc(&at, 0);
        errors_report_text(gg_ctx, "failed", "Error: top-level await can never settle", at.failed ? "" : at.data);
        buffer_free(&at);
    }
}

/* Optional, before gg_run: touches the memory that any program touches, which for a fresh instance is most of the time
   that a small program takes. A host calls it while it has nothing to do. It changes nothing that a program can see. */
GG_EXPORT("gg_warm") void gg_warm(void)
{
    static const char source[] = "(async () => { let a = { b: [0] }; return a.b[0] })()", context[] = "{\"modules\":[\"a\"]}";
    JS_UpdateStackTop(gg_rt);
    free(malloc(4096));
    JS_FreeValue(gg_ctx, JS_ParseJSON(gg_ctx, context, sizeof context - 1, "gg:warm"));
    JS_FreeValue(gg_ctx, JS_Eval(gg_ctx, source, sizeof source - 1, "gg:warm", JS_EVAL_TYPE_GLOBAL));
    JSContext *ctx;
    while (JS_ExecutePendingJob(gg_rt, &ctx) > 0) {
    }
}

/* Binds the context's code. Where a module of it is to be loaded, the program is its import. */
static bool take_code(void)
{
    if (!JS_IsObject(gg_context))
        return true;
    JSValue load = JS_GetPropertyStr(gg_ctx, gg_context, "load");
    const char *key = JS_IsString(load) ? JS_ToCString(gg_ctx, load) : NULL;
    if (key) {
        static Buffer import;
        buffer_puts(&import, "import \"lib:");
        buffer_puts(&import, key);
        buffer_puts(&import, "\"");
        buffer_putc(&import, 0);
        if (!import.failed) {
            gg_program = import.data;
            gg_program_len = import.len - 1;
        }
    }
    JS_FreeCString(gg_ctx, key);
    JS_FreeValue(gg_ctx, load);
    return modules_bind_code(gg_ctx);
}

GG_EXPORT("gg_run") void gg_run(const char *program, uint32_t program_len, const char *context, uint32_t context_len)
{
    JS_UpdateStackTop(gg_rt);
    gg_program = program;
    gg_program_len = program_len;
    gg_context = JS_ParseJSON(gg_ctx, context, context_len, "gg:context");
    if (JS_IsException(gg_context)) {
        JS_FreeValue(gg_ctx, JS_GetException(gg_ctx));
        gg_context = JS_UNDEFINED;
    }
    JSValue stack = JS_IsObject(gg_context) ? JS_GetPropertyStr(gg_ctx, gg_context, "stack") : JS_UNDEFINED;
    int32_t bytes;
    if (JS_IsNumber(stack) && JS_ToInt32(gg_ctx, &bytes, stack) == 0 && bytes > 2 * STACK_MARGIN)
        JS_SetMaxStackSize(gg_rt, (size_t)(bytes < STACK_MOST ? bytes : STACK_MOST) - STACK_MARGIN);
    JSValue sdk = JS_IsObject(gg_context) ? JS_GetPropertyStr(gg_ctx, gg_context, "sdk") : JS_UNDEFINED;
    if (JS_IsString(sdk)) {
        size_t len;
        const char *source = JS_ToCStringLen(gg_ctx, &len, sdk);
        bool extended = source && sdk_extend(gg_ctx, source, len);
        JS_FreeCString(gg_ctx, source);
        if (!extended) {
            fail("failed", JS_GetException(gg_ctx));
            return;
        }
    }
    JS_FreeValue(gg_ctx, sdk);
    if (!take_code()) {
        fail("failed", JS_GetException(gg_ctx));
        return;
    }
    JSValue module;
    if (!prepare(&module)) {
        fail("rejected", JS_GetException(gg_ctx));
        return;
    }
    JSValue evaluation = JS_EvalFunction(gg_ctx, module);
    if (JS_IsException(evaluation)) {
        fail("failed", JS_GetException(gg_ctx));
        return;
    }
    settle(evaluation);
}
