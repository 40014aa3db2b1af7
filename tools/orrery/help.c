/* Help, made from the tables of commands and options: purpose, usage, examples, options by group with their defaults,
 * exit codes, where to read more; no line over 80 columns. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>

#define WIDTH 80
#define COLUMN 26
#define GLUE '\x01' /* a blank at which no line is broken */

typedef struct exit_text {
    const char *code, *text;
} exit_text;

static const exit_text exit_texts[] = {
    {"0", "done"},
    {"1", "the question was answered with no"},
    {"2", "the question can't be answered: something is missing or can't be compared"},
    {"64", "wrong command line"},
    {"65", "wrong input data: trace, cluster, or a need of the policy not met"},
    {"66", "input can't be opened"},
    {"70", "an engine invariant broke: always a bug of ours"},
    {"71", "out of memory or another system resource"},
    {"73", "output can't be created"},
    {"74", "write failed; what was written before stays"},
    {"75", "a limit that you set was hit; partial results written"},
    {"76", "a policy or plugin broke the contract, or the run stalled"},
    {"130", "interrupted; partial results written"},
    {"141", "the reader of the output went away"},
};

void help_wrap(orr_text *t, int at, int indent, const char *s)
{
    int column = at;
    while (*s) {
        const int n = (int)strcspn(s, " ");
        const bool first = column == indent;
        if (!first && column + 1 + n > WIDTH) {
            orr_text_addf(t, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            orr_text_addf(t, " ");
            column++;
        }
        for (int i = 0; i < n; i++)
            orr_text_add(t, s[i] == GLUE ? " " : s + i, 1);
        column += n;
        s += n;
        s += strspn(s, " ");
    }
    orr_text_addf(t, "\n");
}

/* ---- one option ---- */

static void default_of(const opt *o, char *buf, size_t size)
{
    if (o->shown && !*o->shown)
        *buf = '\0';
    else if (o->shown && strcmp(o->shown, "required") == 0)
        snprintf(buf, size, " [required]");
    else if (o->shown)
        snprintf(buf, size, " [default: %s]", o->shown);
    else if (o->type == OPT_BOOL)
        snprintf(buf, size, " [default: off]");
    else
        snprintf(buf, size, " [default: %s]", o->fallback ? o->fallback : "none");
    for (char *p = buf; *p; p++)
        if (*p == ' ' && p > buf)
            *p = GLUE;
}

static void head_of(const opt *o, char *buf, size_t size)
{
    char letter[8] = "   ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c,", o->letter);
    const char *value = o->metavar ? o->metavar : o->values;
    snprintf(buf, size, "  %s --%s%s%s%s", letter, opt_is_default_on(o) ? "no-" : "", o->name, value ? " " : "",
             value ? value : "");
}

static void brief_of(const opt *o, char *buf, size_t size)
{
    char fallback[80], values[160] = "";
    default_of(o, fallback, sizeof fallback);
    if (o->type == OPT_CHOICE && o->metavar)
        snprintf(values, sizeof values, ": %s", o->values);
    snprintf(buf, size, "%s%s%s", o->brief, values, fallback);
    for (char *p = strstr(buf, values); *values && p && *p && *p != '['; p++)
        if (*p == '|')
            *p = ' ';
}

static void option_text(const opt *o, orr_text *t)
{
    char head[128], brief[512];
    head_of(o, head, sizeof head);
    brief_of(o, brief, sizeof brief);
    if (strlen(head) + 2 > COLUMN)
        orr_text_addf(t, "%s\n%*s", head, COLUMN, "");
    else
        orr_text_addf(t, "%-*s", COLUMN, head);
    help_wrap(t, COLUMN, COLUMN, brief);
}

void help_option(const command *c, const opt *o, orr_text *t)
{
    orr_text_addf(t, "orrery %s\n\n", c->name);
    option_text(o, t);
    if (!o->detail)
        return;
    orr_text_addf(t, "\n      ");
    help_wrap(t, 6, 6, o->detail);
}

/* ---- groups ---- */

static bool belongs(const opt *o, uint32_t bits)
{
    return (o->commands & bits) == bits;
}

static void group_text(uint32_t bits, const char *group, orr_text *t)
{
    orr_text_addf(t, "\n%s\n", group);
    for (const opt *o = opt_table(); o->name; o++)
        if (belongs(o, bits) && strcmp(o->group, group) == 0)
            option_text(o, t);
}

static bool first_of_group(const opt *o, uint32_t bits)
{
    for (const opt *p = opt_table(); p < o; p++)
        if (belongs(p, bits) && strcmp(p->group, o->group) == 0)
            return false;
    return true;
}

static void options_text(uint32_t bits, orr_text *t)
{
    for (const opt *o = opt_table(); o->name; o++)
        if (belongs(o, bits) && first_of_group(o, bits))
            group_text(bits, o->group, t);
}

/* ---- exit codes ---- */

static bool lists_code(const char *exits, const char *code)
{
    const size_t n = strlen(code);
    for (const char *p = exits; *p; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        if (length == n && memcmp(p, code, n) == 0)
            return true;
        p += length;
    }
    return false;
}

static void exits_text(const char *exits, orr_text *t)
{
    orr_text_addf(t, "\nExit codes\n");
    for (size_t i = 0; i < sizeof exit_texts / sizeof *exit_texts; i++)
        if (!exits || lists_code(exits, exit_texts[i].code))
            orr_text_addf(t, "  %-4s %s\n", exit_texts[i].code, exit_texts[i].text);
}

/* ---- whole pages ---- */

static void commands_text(orr_text *t)
{
    orr_text_addf(t, "\nCommands\n");
    for (const command *c = command_table(); c->name; c++)
        orr_text_addf(t, "  %-10s %s\n", c->name, c->purpose);
}

static void all_text(orr_text *t)
{
    orr_text_addf(t, "orrery: replays workloads of GPU clusters under scheduling policies\n"
                     "\nUsage\n  orrery COMMAND [options] [operands]\n");
    commands_text(t);
    orr_text_addf(t, "\nExamples\n");
    for (const command *c = command_table(); c->name; c++)
        if (c->bit == CMD_RUN || c->bit == CMD_POLICIES || c->bit == CMD_DESCRIBE)
            orr_text_addf(t, "  %s\n", c->examples[0]);
    options_text(CMD_ALL, t);
    exits_text(NULL, t);
    orr_text_addf(t, "\n`orrery COMMAND --help` tells about one command, README.md about the whole.\n");
}

void help_text(const command *c, orr_text *t)
{
    if (!c) {
        all_text(t);
        return;
    }
    orr_text_addf(t, "orrery %s: %s\n\nUsage\n  orrery %s%s%s\n\nExamples\n", c->name, c->purpose, c->name,
                  *c->usage ? " " : "", c->usage);
    for (const char *const *p = c->examples; *p; p++)
        orr_text_addf(t, "  %s\n", *p);
    options_text(c->bit, t);
    exits_text(c->exits, t);
    orr_text_addf(t, "\n");
    help_wrap(t, 0, 0, c->more);
}

void help_summary(orr_text *t)
{
    orr_text_addf(t, "orrery: replays workloads of GPU clusters under scheduling policies\n"
                     "\nusage: orrery COMMAND [options] [operands]\n");
    commands_text(t);
    orr_text_addf(t, "\nTo begin with\n  %s\n  %s\n  orrery help\n", command_find("run")->examples[0],
                  command_find("policies")->examples[0]);
}
