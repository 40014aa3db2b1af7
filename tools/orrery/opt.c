/* Parsing by the table: one pass from left to right. The first operand is the command; before it only the options that
 * every command has are known. */
#include "opt.h"

#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>

#define NAMES_MAX 512

typedef struct parser {
    int argc, at; /* `at` is the argument looked at */
    char **argv;
    uint32_t commands; /* whose options are known: CMD_ALL means those that all have */
    parsed *out;
    orr_error *e;
} parser;

static bool belongs(const opt *o, uint32_t commands)
{
    return (o->commands & commands) == commands;
}

const opt *opt_find(uint32_t commands, const char *name, size_t length)
{
    for (const opt *o = opt_table(); o->name; o++)
        if (belongs(o, commands) && strlen(o->name) == length && memcmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

static const opt *find_letter(uint32_t commands, char letter)
{
    for (const opt *o = opt_table(); o->name; o++)
        if (belongs(o, commands) && o->letter == letter)
            return o;
    return NULL;
}

bool opt_given(const settings *set, const opt *o)
{
    const size_t i = (size_t)(o - opt_table());
    return set->given[i / 64] >> (i % 64) & 1;
}

bool opt_is_default_on(const opt *o)
{
    return o->type == OPT_BOOL && o->fallback;
}

/* ---- values ---- */

static orr_err bad_value(const opt *o, const char *text, const char *wanted, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s takes %s", o->name, wanted);
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

static bool time_of(const char *text, orr_time *out)
{
    if (strcmp(text, "inf") == 0)
        return *out = ORR_TIME_MAX, true;
    return orr_time_parse_duration(text, out) == ORR_OK;
}

/* The ends of "low..high"; a decimal point in `low` would look like the dots, so they are searched as a pair. */
static void range_of(const char *values, char low[32], const char **high)
{
    const char *dots = strstr(values, "..");
    size_t n = (size_t)(dots - values);
    memcpy(low, values, n);
    low[n] = '\0';
    *high = dots + 2;
}

static orr_err out_of_range(const opt *o, const char *text, orr_error *e)
{
    char low[32];
    const char *high;
    range_of(o->values, low, &high);
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s is out of range", o->name);
    orr_error_text(e, text, strlen(text));
    orr_error_hint(e, "it goes from %s to %s", low, high);
    return ORR_E_BAD_VALUE;
}

static bool real_in_range(const char *values, double v)
{
    if (!values)
        return true;
    char low[32];
    const char *high;
    double from = 0, to = 0;
    range_of(values, low, &high);
    return orr_parse_double(low, strlen(low), &from) && orr_parse_double(high, strlen(high), &to) && v >= from &&
           v <= to;
}

static bool count_in_range(const char *values, uint64_t v)
{
    if (!values)
        return true;
    char low[32];
    const char *high;
    uint64_t from = 0, to = 0;
    range_of(values, low, &high);
    return orr_parse_u64(low, strlen(low), &from) && orr_parse_u64(high, strlen(high), &to) && v >= from && v <= to;
}

static bool time_in_range(const char *values, orr_time v)
{
    char low[32];
    const char *high;
    orr_time from = 0, to = 0;
    range_of(values, low, &high);
    return time_of(low, &from) && time_of(high, &to) && v >= from && v <= to;
}

/* A whole number whose range begins below 0. */
static orr_err set_signed(const opt *o, int64_t *member, const char *text, orr_error *e)
{
    int64_t v = 0;
    if (!orr_parse_i64(text, strlen(text), &v))
        return bad_value(o, text, "a whole number", e);
    if (!real_in_range(o->values, (double)v))
        return out_of_range(o, text, e);
    *member = v;
    return ORR_OK;
}

static orr_err set_count(const opt *o, void *member, const char *text, orr_error *e)
{
    uint64_t v = 0;
    if (o->type == OPT_INT && o->values && o->values[0] == '-')
        return set_signed(o, member, text, e);
    if (!orr_parse_u64(text, strlen(text), &v))
        return bad_value(o, text, "a whole number, 0 or more", e);
    if (!count_in_range(o->values, v))
        return out_of_range(o, text, e);
    if (o->type == OPT_INT)
        *(int64_t *)member = (int64_t)v;
    else
        *(uint64_t *)member = v;
    return ORR_OK;
}

static orr_err set_real(const opt *o, void *member, const char *text, orr_error *e)
{
    double v = 0;
    if (!orr_parse_double(text, strlen(text), &v))
        return bad_value(o, text, "a number", e);
    if (!real_in_range(o->values, v))
        return out_of_range(o, text, e);
    *(double *)member = v;
    return ORR_OK;
}

static orr_err set_time(const opt *o, void *member, const char *text, orr_error *e)
{
    orr_time v = 0;
    if (!time_of(text, &v))
        return bad_value(o, text, "a duration such as 90, 90s, 15m, 2h or 7d", e);
    if (!time_in_range(o->values, v))
        return out_of_range(o, text, e);
    *(orr_time *)member = v;
    return ORR_OK;
}

/* Splits "a|b|c" into at most NAMES_MAX names held in `room`. */
static size_t split_choices(const char *values, char *room, size_t size, const char *names[NAMES_MAX])
{
    size_t n = 0;
    snprintf(room, size, "%s", values);
    for (char *p = room; p && n < NAMES_MAX; n++) {
        names[n] = p;
        p = strchr(p, '|');
        if (p)
            *p++ = '\0';
    }
    return n;
}

static orr_err set_choice(const opt *o, void *member, const char *text, orr_error *e)
{
    char room[256];
    const char *names[NAMES_MAX];
    const size_t n = split_choices(o->values, room, sizeof room, names);
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], text) == 0)
            return *(int32_t *)member = (int32_t)i, ORR_OK;
    orr_error_set(e, ORR_E_BAD_VALUE, "--%s takes one of %s", o->name, o->values);
    orr_error_text(e, text, strlen(text));
    const char *near = orr_nearest(text, names, n);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    return ORR_E_BAD_VALUE;
}

static orr_err set_text(const opt *o, void *member, const char *text, orr_error *e)
{
    if (!*text)
        return bad_value(o, text, "a text that isn't empty", e);
    if (o->type == OPT_LIST)
        ORR_VEC_PUSH((texts *)member, text);
    else
        *(const char **)member = text;
    return ORR_OK;
}

static orr_err set_value(const opt *o, settings *set, const char *text, orr_error *e)
{
    void *member = (char *)set + o->offset;
    switch (o->type) {
    case OPT_BOOL:
        return *(bool *)member = *text == '1', ORR_OK;
    case OPT_TEXT:
    case OPT_LIST:
        return set_text(o, member, text, e);
    case OPT_INT:
    case OPT_COUNT:
        return set_count(o, member, text, e);
    case OPT_REAL:
        return set_real(o, member, text, e);
    case OPT_TIME:
        return set_time(o, member, text, e);
    case OPT_CHOICE:
        return set_choice(o, member, text, e);
    }
    return ORR_OK;
}

/* Options that two commands have by one name share a member or have members of their own; a text default of one command
 * must not reach another, so defaults are set when the command is known. */
static bool is_wanted_by_env(const opt *o)
{
    const char *value = o->env ? getenv(o->env) : NULL;
    return value && strcmp(value, "true") == 0;
}

static orr_err set_defaults(settings *set, uint32_t commands, orr_error *e)
{
    const opt *all = opt_table();
    for (size_t i = 0; all[i].name; i++) {
        if (!belongs(&all[i], commands) || opt_given(set, &all[i]))
            continue;
        if (!all[i].fallback && !is_wanted_by_env(&all[i]))
            continue;
        orr_err err = set_value(&all[i], set, all[i].type == OPT_BOOL ? "1" : all[i].fallback, e);
        if (err)
            return err;
    }
    return ORR_OK;
}

/* ---- unknown options ---- */

static const char *command_with(const char *name, size_t length)
{
    static const char *const names[] = {"run", "policies", "describe", "synth", "version", "help"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (opt_find(1u << i, name, length))
            return names[i];
    return NULL;
}

const char *opt_meant(uint32_t commands, const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (const opt *o = opt_table(); o->name && n < NAMES_MAX; o++) {
        if (!belongs(o, commands))
            continue;
        if (strncmp(o->name, name, strlen(name)) == 0)
            return o->name;
        names[n++] = o->name;
    }
    return orr_nearest(name, names, n);
}

static orr_err unknown_long(const parser *p, const char *arg, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, arg + 2);
    orr_error_set(p->e, ORR_E_UNKNOWN_OPTION, "there is no option --%s%s%s", name, p->out->command ? " for " : "",
                  p->out->command ? p->out->command : "");
    orr_error_text(p->e, arg, strlen(arg));
    const char *owner = command_with(name, strlen(name));
    const char *meant = opt_meant(p->commands, name);
    if (owner && p->out->command)
        orr_error_hint(p->e, "`orrery %s` has it", owner);
    else if (owner)
        orr_error_hint(p->e, "options of a command come after it: orrery %s --%s", owner, name);
    else if (meant)
        orr_error_hint(p->e, "did you mean --%s?", meant);
    else
        orr_error_hint(p->e, "`orrery %s%s--help` lists the options", p->out->command ? p->out->command : "",
                       p->out->command ? " " : "");
    return ORR_E_UNKNOWN_OPTION;
}

static orr_err unknown_letter(const parser *p, const char *arg, char letter)
{
    orr_error_set(p->e, ORR_E_UNKNOWN_OPTION, "there is no option -%c%s%s", letter, p->out->command ? " for " : "",
                  p->out->command ? p->out->command : "");
    orr_error_text(p->e, arg, strlen(arg));
    orr_error_hint(p->e, "`orrery %s%s--help` lists the options", p->out->command ? p->out->command : "",
                   p->out->command ? " " : "");
    return ORR_E_UNKNOWN_OPTION;
}

/* ---- one argument ---- */

static orr_err mark_given(parser *p, const opt *o)
{
    const size_t i = (size_t)(o - opt_table());
    const uint64_t bit = (uint64_t)1 << (i % 64);
    uint64_t *word = &p->out->set.given[i / 64];
    const bool again = *word & bit;
    *word |= bit;
    if (!again || o->type == OPT_BOOL || o->type == OPT_LIST)
        return ORR_OK;
    orr_error_set(p->e, ORR_E_CONFLICT, "--%s is given twice", o->name);
    return ORR_E_CONFLICT;
}

static orr_err apply(parser *p, const opt *o, const char *value)
{
    const orr_err err = mark_given(p, o);
    return err ? err : set_value(o, &p->out->set, value, p->e);
}

/* The argument after the option. What begins with "--" is taken for the next option: a value like that needs `=`. */
static orr_err next_value(parser *p, const opt *o, const char **value)
{
    if (p->at + 1 < p->argc && strncmp(p->argv[p->at + 1], "--", 2) != 0)
        return *value = p->argv[++p->at], ORR_OK;
    orr_error_set(p->e, ORR_E_USAGE, "--%s needs a value", o->name);
    orr_error_hint(p->e, "write --%s=%s", o->name, o->metavar ? o->metavar : o->values);
    return ORR_E_USAGE;
}

static orr_err take_negation(parser *p, const opt *o, const char *arg, bool has_value)
{
    if (o->type != OPT_BOOL || has_value || o->offset == offsetof(settings, help) ||
        o->offset == offsetof(settings, version))
        return unknown_long(p, arg, strcspn(arg + 2, "="));
    return apply(p, o, "0");
}

static orr_err take_long(parser *p)
{
    const char *arg = p->argv[p->at], *name = arg + 2, *value = strchr(name, '=');
    const size_t length = value ? (size_t)(value - name) : strlen(name);
    const opt *o = opt_find(p->commands, name, length);
    if (!o && strncmp(name, "no-", 3) == 0 && (o = opt_find(p->commands, name + 3, length - 3)))
        return take_negation(p, o, arg, value != NULL);
    if (!o)
        return unknown_long(p, arg, length);
    if (o->type == OPT_BOOL) {
        if (!value)
            return apply(p, o, "1");
        orr_error_set(p->e, ORR_E_USAGE, "--%s takes no value", o->name);
        orr_error_text(p->e, arg, strlen(arg));
        orr_error_hint(p->e, "write --%s or --no-%s", o->name, o->name);
        return ORR_E_USAGE;
    }
    if (value)
        return apply(p, o, value + 1);
    const orr_err err = next_value(p, o, &value);
    return err ? err : apply(p, o, value);
}

static orr_err take_letters(parser *p)
{
    const char *arg = p->argv[p->at];
    for (const char *c = arg + 1; *c; c++) {
        const opt *o = find_letter(p->commands, *c);
        if (!o)
            return unknown_letter(p, arg, *c);
        if (o->type != OPT_BOOL) {
            const char *value = c + 1;
            const orr_err err = *value ? ORR_OK : next_value(p, o, &value);
            return err ? err : apply(p, o, value);
        }
        const orr_err err = apply(p, o, "1");
        if (err)
            return err;
    }
    return ORR_OK;
}

static bool stops(const settings *set)
{
    return set->help || set->version;
}

/* false: no command has this name */
static bool take_operand(parser *p, uint32_t (*bit_of)(const char *name))
{
    const char *text = p->argv[p->at];
    if (p->out->command)
        return ORR_VEC_PUSH(&p->out->operands, text), true;
    p->out->command = text;
    const uint32_t bit = bit_of(text);
    if (bit)
        p->commands = bit;
    return bit != 0;
}

static orr_err take_argument(parser *p)
{
    const char *arg = p->argv[p->at];
    return arg[1] == '-' ? take_long(p) : take_letters(p);
}

orr_err opt_parse(int argc, char **argv, uint32_t (*bit_of)(const char *name), parsed *out, orr_error *e)
{
    parser p = {.argc = argc, .argv = argv, .commands = CMD_ALL, .out = out, .e = e};
    bool options = true;
    *out = (parsed){.set = {.span = ORR_TIME_NONE}};
    for (p.at = 1; p.at < argc && !stops(&out->set); p.at++) {
        const char *arg = argv[p.at];
        if (options && strcmp(arg, "--") == 0) {
            options = false;
        } else if (options && arg[0] == '-' && arg[1]) {
            const orr_err err = take_argument(&p);
            if (err)
                return err;
        } else if (!take_operand(&p, bit_of)) {
            return ORR_OK;
        }
    }
    return set_defaults(&out->set, p.commands, e);
}

void parsed_fini(parsed *p)
{
    ORR_VEC_FREE(&p->operands);
    ORR_VEC_FREE(&p->set.only_vcs);
    ORR_VEC_FREE(&p->set.only_users);
    ORR_VEC_FREE(&p->set.metrics);
    ORR_VEC_FREE(&p->set.bounds);
    ORR_VEC_FREE(&p->set.policies);
    ORR_VEC_FREE(&p->set.serves);
    ORR_VEC_FREE(&p->set.plugins);
    ORR_VEC_FREE(&p->set.check_cases);
    ORR_VEC_FREE(&p->set.targets);
}
