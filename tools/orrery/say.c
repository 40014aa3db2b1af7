/* See say.h. The first form is the library's own (`orr_error_format`); warnings and notes have the same shape. */
#include "say.h"

#include <stdio.h>
#include <stdlib.h>

#define RED "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"
#define CYAN "\x1b[1;36m"
#define PLAIN "\x1b[0m"

/* True while fewer than the limit of this kind were said. */
static bool may_say(say *s, const char *code, bool error)
{
    for (size_t i = 0; i < s->kinds.n; i++)
        if (s->kinds.at[i].error == error && strcmp(s->kinds.at[i].code, code) == 0)
            return ++s->kinds.at[i].count <= SAY_MAX_OF_A_KIND;
    ORR_VEC_PUSH(&s->kinds, ((said){code, error, 1}));
    return true;
}

/* Prints `text` with the first `word` coloured. */
static void put(const say *s, const char *text, const char *word, const char *color)
{
    const char *at = s->to.color ? strstr(text, word) : NULL;
    if (!at)
        fputs(text, stderr);
    else
        fprintf(stderr, "%.*s%s%s%s%s", (int)(at - text), text, color, word, PLAIN, at + strlen(word));
}

int say_error(say *s, const orr_error *e)
{
    char text[4096];
    if (!may_say(s, orr_err_name(e->code), true))
        return orr_err_exit_status(e->code);
    orr_error_format(e, text, sizeof text);
    put(s, text, "error:", RED);
    return orr_err_exit_status(e->code);
}

static void put_place(orr_text *t, const char *file, uint32_t line)
{
    if (file && strcmp(file, "-") == 0)
        file = "<stdin>";
    if (file && line)
        orr_text_addf(t, "%s:%u: ", file, line);
    else
        orr_text_addf(t, "%s: ", file ? file : "orrery");
}

static void put_message(const say *s, const char *word, const char *color, const char *code, const char *file,
                        uint32_t line, const char *fmt, va_list args) ORR_PRINTF(7, 0);
static void put_message(const say *s, const char *word, const char *color, const char *code, const char *file,
                        uint32_t line, const char *fmt, va_list args)
{
    char message[1024];
    orr_text t = {0};
    vsnprintf(message, sizeof message, fmt, args);
    put_place(&t, file, line);
    orr_text_addf(&t, "%s %s [%s]\n", word, message, code);
    put(s, t.at, word, color);
    orr_text_fini(&t);
}

void say_warning(say *s, const char *code, const char *file, uint32_t line, const char *fmt, ...)
{
    va_list args;
    s->warned++;
    if (s->quiet || !may_say(s, code, false))
        return;
    va_start(args, fmt);
    put_message(s, "warning:", YELLOW, code, file, line, fmt, args);
    va_end(args);
}

void say_note(say *s, const char *code, const char *file, uint32_t line, const char *fmt, ...)
{
    va_list args;
    if (s->quiet || !may_say(s, code, false))
        return;
    va_start(args, fmt);
    put_message(s, "note:", CYAN, code, file, line, fmt, args);
    va_end(args);
}

void say_fini(say *s)
{
    char left[ORR_DOUBLE_BUF];
    for (size_t i = 0; i < s->kinds.n; i++) {
        if (s->kinds.at[i].count <= SAY_MAX_OF_A_KIND || (s->quiet && !s->kinds.at[i].error))
            continue;
        orr_format_count(s->kinds.at[i].count - SAY_MAX_OF_A_KIND, left);
        fprintf(stderr, "and %s more of this kind [%s]\n", left, s->kinds.at[i].code);
    }
    ORR_VEC_FREE(&s->kinds);
}
