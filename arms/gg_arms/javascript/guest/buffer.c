/* A growing byte buffer, and JSON string literals. */
#include "gg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(Buffer *b, size_t more)
{
    if (b->failed)
        return false;
    if (b->cap - b->len >= more)
        return true;
    size_t cap = b->cap ? b->cap : 256;
    while (cap - b->len < more) {
        if (cap > SIZE_MAX / 2) {
            b->failed = true;
            return false;
        }
        cap *= 2;
    }
    char *data = realloc(b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void buffer_put(Buffer *b, const void *data, size_t len)
{
    if (len && reserve(b, len)) {
        memcpy(b->data + b->len, data, len);
        b->len += len;
    }
}

void buffer_puts(Buffer *b, const char *text)
{
    buffer_put(b, text, strlen(text));
}

void buffer_putc(Buffer *b, char c)
{
    buffer_put(b, &c, 1);
}

void buffer_printf(Buffer *b, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buffer_put(b, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

enum { LINE_MOST = 4 << 10 };

/* Puts one line, or its beginning, in whole characters. */
static void put_line(Buffer *b, const char *line, size_t len)
{
    if (len > LINE_MOST) {
        len = LINE_MOST;
        while (len && ((unsigned char)line[len] & 0xC0) == 0x80)
            len--;
    }
    buffer_put(b, line, len);
}

/* Puts the lines of a piece of text; `ends` says whether its last line ends where the piece does. */
static void put_lines(Buffer *b, const char *text, size_t len, bool ends)
{
    const char *end = text + len, *newline;
    for (bool first = true; text <= end; first = false) {
        newline = memchr(text, '\n', (size_t)(end - text));
        const char *next = newline ? newline : end;
        /* One that goes on is put only where it is known to be a long line. */
        if (newline || ends || end - text > LINE_MOST) {
            if (!first)
                buffer_putc(b, '\n');
            put_line(b, text, (size_t)(next - text));
        }
        text = next + 1;
    }
}

void buffer_put_ends(Buffer *b, const char *head, size_t head_len, const char *tail, size_t tail_len)
{
    put_lines(b, head, head_len, false);
    const char *newline = memchr(tail, '\n', tail_len);
    if (newline) {
        buffer_putc(b, '\n');
        put_lines(b, newline + 1, (size_t)(tail + tail_len - newline) - 1, true);
    }
}

void buffer_free(Buffer *b)
{
    free(b->data);
    *b = (Buffer){0};
}

/* The engine writes a lone surrogate as the three bytes ED A0..BF xx, which no valid UTF-8 holds. */
static bool surrogate_at(const unsigned char *p, const unsigned char *end)
{
    return p[0] == 0xED && end - p >= 3 && p[1] >= 0xA0;
}

bool text_has_surrogate(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + len;
    while ((p = memchr(p, 0xED, (size_t)(end - p)))) {
        if (surrogate_at(p, end))
            return true;
        p++;
    }
    return false;
}

void buffer_json(Buffer *b, const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + len, *run = p;
    buffer_putc(b, '"');
    while (p < end) {
        unsigned char c = *p;
        if (c >= 0x20 && c != '"' && c != '\\' && c != 0xED) {
            p++;
            continue;
        }
        if (c == 0xED && !surrogate_at(p, end)) {
            p++;
            continue;
        }
        buffer_put(b, run, (size_t)(p - run));
        if (c == 0xED) {
            buffer_printf(b, "\\u%04x", 0xD000 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F));
            p += 3;
        } else {
            if (c == '"' || c == '\\') {
                buffer_putc(b, '\\');
                buffer_putc(b, (char)c);
            } else if (c == '\n') {
                buffer_puts(b, "\\n");
            } else {
                buffer_printf(b, "\\u%04x", c);
            }
            p++;
        }
        run = p;
    }
    buffer_put(b, run, (size_t)(p - run));
    buffer_putc(b, '"');
}
