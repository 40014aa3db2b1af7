#include "verify/beside.h"

static void begin_cell(orr_beside *s)
{
    ORR_VEC_PUSH(&s->cells, s->row.n);
}

static void end_cell(orr_beside *s)
{
    orr_text_add(&s->row, "", 1);
}

static void add(orr_beside *s, char c)
{
    orr_text_add(&s->row, &c, 1);
}

/* Takes a line into the row; true: a quoted cell goes on in the next line. */
static bool take_line(orr_beside *s, const char *at, bool quoted)
{
    if (!quoted)
        begin_cell(s);
    else
        add(s, '\n');
    for (; *at; at++) {
        if (*at == '"' && quoted && at[1] == '"')
            add(s, *at++);
        else if (*at == '"')
            quoted = !quoted;
        else if (*at == ',' && !quoted) {
            end_cell(s);
            begin_cell(s);
        } else
            add(s, *at);
    }
    if (!quoted)
        end_cell(s);
    return quoted;
}

orr_err orr_beside_next(orr_beside *s, orr_error *e)
{
    char *line;
    size_t length;
    bool open = false;
    orr_text_clear(&s->row);
    s->cells.n = 0;
    do {
        const orr_err err = orr_input_line(s->in, &line, &length, e);
        if (err)
            return err;
        if (!open)
            s->line = orr_input_line_number(s->in);
        s->over = !line;
        open = line && take_line(s, line, open);
    } while (open);
    return ORR_OK;
}

orr_err orr_beside_open(orr_beside *s, const char *path, orr_error *e)
{
    *s = (orr_beside){.path = path, .in = orr_input_open(path, e)};
    if (!s->in)
        return ORR_E_OPEN;
    return orr_beside_next(s, e);
}

void orr_beside_close(orr_beside *s)
{
    orr_input_close(s->in);
    orr_text_fini(&s->row);
    ORR_VEC_FREE(&s->cells);
}

const char *orr_beside_cell(const orr_beside *s, size_t i)
{
    return i < s->cells.n ? s->row.at + s->cells.at[i] : "";
}
