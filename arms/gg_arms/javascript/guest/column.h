/* Included by the engine's parser. Columns count characters, as an editor does; the engine counts bytes. */

/* The 1-based column of the current token. The last answer is kept, so that a long line is not counted again and again. */
static int gg_token_column(JSParseState *s)
{
    const uint8_t *start = s->token.line_start, *ptr = s->token.ptr;
    if (!ptr || ptr < start)
        return s->token.col_num;
    if (s->gg_line != start) {
        s->gg_line = s->gg_ptr = start;
        s->gg_count = 1;
    }
    for (; s->gg_ptr < ptr; s->gg_ptr++)
        s->gg_count += (*s->gg_ptr & 0xC0) != 0x80;
    while (s->gg_ptr > ptr)
        s->gg_count -= (*--s->gg_ptr & 0xC0) != 0x80;
    return s->gg_count;
}
