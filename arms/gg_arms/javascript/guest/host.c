/* The host's side of the membrane: guest ABI v1, core form. */
#include "gg.h"

#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

#define GG_IMPORT(name) __attribute__((import_module("gg"), import_name(name)))

GG_IMPORT("call") int gg_import_call(const char *request, int len, char *out, int cap);
GG_IMPORT("take") int gg_import_take(char *out);
GG_IMPORT("log") void gg_import_log(const char *records, int len);
GG_IMPORT("report") void gg_import_report(const char *json, int len);
GG_IMPORT("sleep") void gg_import_sleep(double ms);

enum { RING_CAP = 65536, HEADER = 5, REPLY_CAP = 65536 };

/* The host reads this ring by the address that the exported global `gg_log` holds. */
struct {
    uint32_t cap, used;
    uint8_t data[RING_CAP];
} gg_log = {RING_CAP, 0, {0}};

/* One byte more than the host may fill: the engine's JSON parser reads a terminating NUL. */
static char reply_room[REPLY_CAP + 1];

static void flush(void)
{
    if (gg_log.used) {
        gg_import_log((const char *)gg_log.data, (int)gg_log.used);
        gg_log.used = 0;
    }
}

static void append(int stream, const char *data, uint32_t len)
{
    uint8_t *to = gg_log.data + gg_log.used;
    to[0] = (uint8_t)stream;
    memcpy(to + 1, &len, 4);
    memcpy(to + HEADER, data, len);
    gg_log.used += HEADER + len;
}

void host_log(int stream, const char *data, size_t len)
{
    if (len > RING_CAP || gg_log.used + HEADER + len > RING_CAP)
        flush();
    while (len > RING_CAP - HEADER) {
        append(stream, data, RING_CAP - HEADER);
        flush();
        data += RING_CAP - HEADER;
        len -= RING_CAP - HEADER;
    }
    if (len)
        append(stream, data, (uint32_t)len);
}

void host_report(const char *json, size_t len)
{
    gg_import_report(json, (int)len);
}

void host_sleep(double ms)
{
    gg_import_sleep(ms);
}

ptrdiff_t host_call(const char *request, size_t len, char **reply, bool *failed)
{
    int n = gg_import_call(request, (int)len, reply_room, REPLY_CAP);
    *failed = n < 0;
    if (n < 0)
        n = -1 - n;
    *reply = reply_room;
    if (n > REPLY_CAP) {
        *reply = malloc((size_t)n + 1);
        if (!*reply)
            return -1;
        gg_import_take(*reply);
    }
    (*reply)[n] = 0;
    return n;
}

void host_free_reply(char *reply)
{
    if (reply != reply_room)
        free(reply);
}

double host_now_ms(void)
{
    __wasi_timestamp_t now = 0;
    (void)!__wasi_clock_time_get(__WASI_CLOCKID_MONOTONIC, 1000, &now);
    return (double)now / 1e6;
}

bool host_random(void *to, size_t len)
{
    return __wasi_random_get(to, len) == 0;
}
