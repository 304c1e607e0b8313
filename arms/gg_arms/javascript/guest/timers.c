/* setTimeout, setInterval and their clear functions: one list ordered by due time, run when no job is left. */
#include "gg.h"

#include <stdlib.h>

enum { ONCE, REPEAT, IMMEDIATE };

typedef struct Timer {
    struct Timer *next;
    int id, argc;
    double due, interval; /* ms; interval < 0: once */
    JSValue callback;
    JSValue argv[];
} Timer;

static Timer *timers;
static int last_id;
static int running_id;       /* the timer whose callback runs now … */
static bool running_cleared; /* … and whether it cleared itself */

static void insert(Timer *timer)
{
    Timer **at = &timers;
    while (*at && (*at)->due <= timer->due)
        at = &(*at)->next;
    timer->next = *at;
    *at = timer;
}

static void free_timer(JSContext *ctx, Timer *timer)
{
    JS_FreeValue(ctx, timer->callback);
    for (int i = 0; i < timer->argc; i++)
        JS_FreeValue(ctx, timer->argv[i]);
    free(timer);
}

static JSValue set_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int kind)
{
    (void)this_val;
    double delay = 0;
    if (!JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "the callback of a timer must be a function");
    if (kind != IMMEDIATE && argc > 1 && JS_ToFloat64(ctx, &delay, argv[1]) < 0)
        return JS_EXCEPTION;
    if (!(delay >= 1 && delay <= 2147483647))
        delay = 1;
    int first = kind == IMMEDIATE ? 1 : 2, extra = argc > first ? argc - first : 0;
    Timer *timer = calloc(1, sizeof *timer + (size_t)extra * sizeof(JSValue));
    if (!timer)
        return JS_ThrowOutOfMemory(ctx);
    timer->id = ++last_id;
    timer->due = host_now_ms() + delay;
    timer->interval = kind == REPEAT ? delay : -1;
    timer->callback = JS_DupValue(ctx, argv[0]);
    timer->argc = extra;
    for (int i = 0; i < extra; i++)
        timer->argv[i] = JS_DupValue(ctx, argv[first + i]);
    insert(timer);
    return JS_NewInt32(ctx, timer->id);
}

static JSValue clear_timer(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    int32_t id;
    if (!JS_IsNumber(argv[0]) && !JS_IsString(argv[0]))
        return JS_UNDEFINED;
    if (JS_ToInt32(ctx, &id, argv[0]) < 0)
        return JS_EXCEPTION;
    if (id == running_id)
        running_cleared = true;
    for (Timer **at = &timers; *at; at = &(*at)->next) {
        if ((*at)->id == id) {
            Timer *gone = *at;
            *at = gone->next;
            free_timer(ctx, gone);
            break;
        }
    }
    return JS_UNDEFINED;
}

int timers_next(JSContext *ctx)
{
    Timer *timer = timers;
    if (!timer)
        return 0;
    double now = host_now_ms();
    if (timer->due > now)
        host_sleep(timer->due - now);
    timers = timer->next;
    running_id = timer->id;
    running_cleared = false;
    JSValue result = JS_Call(ctx, timer->callback, JS_UNDEFINED, timer->argc, (JSValueConst *)timer->argv);
    bool threw = JS_IsException(result);
    JS_FreeValue(ctx, result);
    running_id = 0;
    if (threw || timer->interval < 0 || running_cleared) {
        free_timer(ctx, timer);
    } else {
        timer->due = host_now_ms() + timer->interval;
        insert(timer);
    }
    return threw ? -1 : 1;
}

void timers_install(JSContext *ctx, JSValueConst global)
{
    static const struct {
        const char *name;
        int kind;
    } setters[] = {{"setTimeout", ONCE}, {"setInterval", REPEAT}, {"setImmediate", IMMEDIATE}};
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        JS_SetPropertyStr(ctx, global, setters[i].name,
                          JS_NewCFunctionMagic(ctx, set_timer, setters[i].name, 1, JS_CFUNC_generic_magic, setters[i].kind));
    static const char *const clearers[] = {"clearTimeout", "clearInterval", "clearImmediate"};
    for (size_t i = 0; i < sizeof clearers / sizeof *clearers; i++)
        JS_SetPropertyStr(ctx, global, clearers[i], JS_NewCFunction(ctx, clear_timer, clearers[i], 1));
}
