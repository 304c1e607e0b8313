/* What the parts of gg's JavaScript guest share. Each part is one C file; the engine is compiled inside engine.c. */
#ifndef GG_H
#define GG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

#define GG_EXPORT(name) __attribute__((export_name(name)))

enum { GG_STDOUT = 1, GG_STDERR = 2 };

/* guest.c: the one runtime and context of an instance, and what a run was given. */
extern JSRuntime *gg_rt;
extern JSContext *gg_ctx;
extern const char *gg_program;  /* the program's bytes, NUL-terminated */
extern size_t gg_program_len;
extern JSValue gg_context;      /* the parsed context document */
extern bool gg_rendering;       /* an error is being rendered: operations are refused */

/* buffer.c: growing byte buffer; `failed` is set when memory ran out and then stays set. */
typedef struct {
    char *data;
    size_t len, cap;
    bool failed;
} Buffer;

void buffer_put(Buffer *b, const void *data, size_t len);
void buffer_puts(Buffer *b, const char *text);
void buffer_putc(Buffer *b, char c);
void buffer_printf(Buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts a JSON string literal; a lone surrogate (as the engine encodes it) becomes a \udXXX escape. */
void buffer_json(Buffer *b, const char *text, size_t len);
void buffer_free(Buffer *b);
/* A text as long as this is put whole into a report. */
enum { TEXT_END = 64 << 10, TEXT_MOST = 2 * TEXT_END };
/* Puts the lines of the two ends of a long text. `head` ends, and `tail` begins, anywhere inside a line. Of a line over
   4 KiB its first 4 KiB are put; every other line that an end does not hold whole is left out. */
void buffer_put_ends(Buffer *b, const char *head, size_t head_len, const char *tail, size_t tail_len);
/* Whether the engine's UTF-8 of a string holds a lone surrogate. */
bool text_has_surrogate(const char *text, size_t len);

/* host.c: what the host does for the guest. */
void host_log(int stream, const char *data, size_t len);
void host_report(const char *json, size_t len);
void host_sleep(double ms);
/* Sends a request. The reply is *reply (free it with host_free_reply), its length the result;
   *failed says that the whole request was refused. -1: out of memory. */
ptrdiff_t host_call(const char *request, size_t len, char **reply, bool *failed);
void host_free_reply(char *reply);
double host_now_ms(void);
bool host_random(void *to, size_t len);

/* engine.c: the few things that need the engine's inside. */
JSValue engine_api_error(JSContext *ctx, JSValueConst proto);
JSValue engine_frames(JSContext *ctx, JSValueConst error);
bool engine_link(JSContext *ctx, JSValueConst module);
/* Length of a string in code units, and some of them as a string; no copy of the whole is made. */
uint32_t engine_length(JSValueConst string);
JSValue engine_slice(JSContext *ctx, JSValueConst string, uint32_t start, uint32_t end);
JSValue engine_unwrap(JSContext *ctx, JSValueConst value);
const char *engine_class(JSContext *ctx, JSValueConst value);
void engine_set_random(JSContext *ctx, uint64_t seed);
bool engine_pending_await(JSContext *ctx, int *line, int *column);
bool engine_import_position(JSContext *ctx, const char *name, int *line, int *column);
void engine_note_imports(bool on);
void engine_call_start(JSContext *ctx, const char *source, size_t len, int *line, int *column);
extern JSValue (*engine_not_defined)(JSContext *ctx, JSValue error);

/* console.c */
void console_install(JSContext *ctx, JSValueConst global, JSValueConst native);
void console_seal(JSContext *ctx, JSValueConst native);
/* Appends what console.log would print for one value; never throws. */
void console_value(JSContext *ctx, Buffer *b, JSValueConst value);

/* message.c */
/* Appends what console.log would print for one value; of a long string, the lines of its two ends. */
void errors_text(JSContext *ctx, Buffer *b, JSValueConst value);
/* The value of a property without proxies' traps; `own_only` leaves the prototypes out. Undefined where there is none. */
JSValue errors_property(JSContext *ctx, JSValueConst object, const char *name, bool own_only, bool *is_own);
void errors_header(JSContext *ctx, Buffer *b, JSValueConst error);
JSValue errors_not_defined(JSContext *ctx, JSValue error);

/* errors.c */
void errors_report(JSContext *ctx, const char *kind, JSValueConst thrown);
void errors_report_text(JSContext *ctx, const char *kind, const char *message, const char *stack);
bool errors_is_api(JSContext *ctx, JSValueConst value);

/* sdk.c */
void sdk_install(JSContext *ctx, JSValueConst global, JSValueConst native);
void sdk_seal(JSContext *ctx, JSValueConst native);
bool sdk_extend(JSContext *ctx, const char *source, size_t len);
extern JSValue gg_api_error_proto;

/* root.c */
extern JSValue gg_root;
JSValue sdk_root(JSContext *ctx);
bool sdk_freeze(JSContext *ctx);
bool sdk_thaw(JSContext *ctx);
void sdk_bind(JSContext *ctx);

/* values.c: writes a plain copy of `value` as JSON. 0 done; 1 `fault` says why it can't be sent; -1 an exception is pending. */
int values_write(JSContext *ctx, Buffer *b, JSValueConst value, const char *name, Buffer *fault);
void values_install(JSContext *ctx, JSValueConst global);

/* target.c: puts the name of one of gg's own functions, modules or classes (`files.readFile`); false for anything else. */
bool target_name(JSContext *ctx, Buffer *name, JSValueConst value);

/* modules.c */
void modules_install(JSRuntime *rt);

/* timers.c */
void timers_install(JSContext *ctx, JSValueConst global);
/* Waits for the next timer and runs it: 1 ran, 0 there is none, -1 its callback threw. */
int timers_next(JSContext *ctx);

/* web.c */
void web_install(JSContext *ctx, JSValueConst global, JSValueConst native);

#endif
