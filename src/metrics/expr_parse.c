/* Recursive descent over the text; conditions are cut out by their quotes and parentheses and left to base/where. Depth
 * and size are bounded, so that no input overruns the stack. */
#include "metrics/expr_names.h"

#include "base/text.h"
#include <stdio.h>

enum { DEPTH = 100, NODES = 2000 }; /* a chain of + is as deep as it is long */

#define FILE_NAME "metric"

typedef struct parser {
    orr_expr *out;
    const char *at; /* what comes next; never at a blank */
    int depth;
    bool in_row; /* inside an aggregate: columns, no keys */
    bool failed;
    orr_error *e;
} parser;

/* ---- errors ---- */

static void fail(parser *p, const char *from, size_t n, const char *message)
{
    if (p->failed)
        return;
    p->failed = true;
    orr_error_set(p->e, ORR_E_BAD_VALUE, "%s", message);
    orr_error_at(p->e, FILE_NAME, 1, (int)(from - p->out->text) + 1);
    orr_error_text(p->e, n ? from : "end of the expression", n ? n : 21);
}

/* ---- text ---- */

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool of_name(char c)
{
    return letter(c) || digit(c) || c == '.' || c == ':';
}

static bool take(parser *p, char c)
{
    if (*p->at != c)
        return false;
    p->at++;
    skip_blanks(p);
    return true;
}

static size_t name_length(const char *at)
{
    size_t n = 0;
    while (letter(at[0]) && of_name(at[n]))
        n++;
    if (n == 11 && memcmp(at, "rho:fixed_n", 11) == 0 && at[n] == '=')
        for (n++; of_name(at[n]);)
            n++;
    return n;
}

static bool word_here(const parser *p, const char *word)
{
    return name_length(p->at) == strlen(word) && memcmp(p->at, word, strlen(word)) == 0;
}

static bool take_word(parser *p, const char *word)
{
    if (!word_here(p, word))
        return false;
    p->at += strlen(word);
    skip_blanks(p);
    return true;
}

static bool take_of_all(parser *p)
{
    const char *back = p->at;
    if (take_word(p, "of") && take_word(p, "all"))
        return true;
    p->at = back;
    return false;
}

static void expect_close(parser *p)
{
    if (!take(p, ')'))
        fail(p, p->at, *p->at != '\0', "a closing parenthesis is missing");
}

/* ---- nodes ---- */

static uint32_t add(parser *p, orr_expr_node node)
{
    if (p->out->nodes.n >= NODES)
        fail(p, p->at, *p->at != '\0', "the expression is too long");
    ORR_VEC_PUSH(&p->out->nodes, node);
    return (uint32_t)p->out->nodes.n - 1;
}

/* A sum of times is a time; a time times or by a number is one, too; all else is a number. */
static bool is_time(const parser *p, orr_expr_kind kind, uint32_t a, uint32_t b)
{
    bool x = p->out->nodes.at[a].is_time, y = p->out->nodes.at[b].is_time;
    if (kind == ORR_EXPR_MUL)
        return x != y;
    return kind == ORR_EXPR_DIV ? x && !y : x && y;
}

static uint32_t add_binary(parser *p, orr_expr_kind kind, uint32_t a, uint32_t b)
{
    return add(p, (orr_expr_node){.kind = kind, .a = a, .b = b, .is_time = is_time(p, kind, a, b)});
}

/* ---- names ---- */

static uint32_t column(parser *p, const char *name, const char *from, size_t n)
{
    orr_where_type type = ORR_WHERE_NUMBER;
    int64_t fixed, found = orr_expr_column(name, &type);
    const char *rest;
    if (orr_expr_fixed_n(name, &fixed, &rest) && !*rest)
        return add(p, (orr_expr_node){.kind = ORR_EXPR_RHO_FIXED, .n = fixed});
    if (found < 0) {
        fail(p, from, n, "there is no such column of jobs.csv");
        orr_expr_hint_column(name, p->e);
        return 0;
    }
    if (type == ORR_WHERE_TEXT)
        fail(p, from, n, "this column holds texts: it can stand in conditions only");
    return add(p, (orr_expr_node){.kind = ORR_EXPR_COLUMN, .a = (uint32_t)found, .is_time = type == ORR_WHERE_TIME});
}

static uint32_t key(parser *p, const char *name, const char *from, size_t n)
{
    char full[160];
    bool time;
    if (!orr_expr_key(name, full, &time)) {
        fail(p, from, n, "there is no such metric");
        orr_expr_hint_key(name, p->e);
        return 0;
    }
    ORR_VEC_PUSH(&p->out->keys, orr_xstrdup(full));
    return add(p, (orr_expr_node){.kind = ORR_EXPR_KEY, .a = (uint32_t)p->out->keys.n - 1, .is_time = time});
}

/* ---- aggregates ---- */

static const char *behind_quote(const char *at)
{
    const char *end = strchr(at + 1, *at);
    return end ? end + 1 : at + strlen(at);
}

/* Does the word "where", or "of all" before the closing parenthesis, begin here? */
static bool ends_condition(const parser *p, const char *at)
{
    parser look = {.out = p->out, .at = at};
    if (at > p->out->text && of_name(at[-1]))
        return false;
    return word_here(&look, "where") || (take_of_all(&look) && *look.at == ')');
}

/* Where the condition that begins at `at` ends. */
static const char *condition_end(const parser *p, const char *at)
{
    for (int depth = 0; *at;) {
        if (*at == '\'' || *at == '"' || *at == '`') {
            at = behind_quote(at);
            continue;
        }
        if (depth == 0 && (*at == ')' || ends_condition(p, at)))
            break;
        depth += (*at == '(') - (*at == ')');
        at++;
    }
    return at;
}

static orr_where *condition(parser *p)
{
    const orr_where_column *columns;
    size_t count = orr_job_columns(&columns);
    const char *end = condition_end(p, p->at);
    char *text = orr_xstrndup(p->at, (size_t)(end - p->at));
    orr_error e = {0};
    orr_where *where = orr_where_parse(FILE_NAME, text, columns, count, &e);
    free(text);
    if (!where && !p->failed) {
        p->failed = true;
        e.column += (int)(p->at - p->out->text);
        if (p->e && !p->e->code)
            *p->e = e;
    }
    p->at = end;
    skip_blanks(p);
    return where;
}

static uint32_t parse_sum(parser *p);

static void parse_condition_of(parser *p, orr_expr_aggregate *a)
{
    if (*p->at != ')' && !ends_condition(p, p->at))
        a->meets = condition(p);
    else if (a->of == ORR_OF_SHARE)
        fail(p, p->at, *p->at != '\0', "share takes a condition: share(wait_first < 60s)");
}

static void parse_value(parser *p, orr_expr_aggregate *a)
{
    p->in_row = true;
    a->value = parse_sum(p);
    p->in_row = false;
    if (!p->failed && *p->at && strchr("<>=!~", *p->at))
        fail(p, p->at, 1, "a condition can't be summed: it goes behind \"where\", or into share or count");
}

static uint32_t add_aggregate(parser *p, const orr_expr_aggregate *a, bool is_time)
{
    ORR_VEC_PUSH(&p->out->aggregates, *a);
    return add(
        p, (orr_expr_node){.kind = ORR_EXPR_AGGREGATE, .a = (uint32_t)p->out->aggregates.n - 1, .is_time = is_time});
}

/* Behind the opening parenthesis. */
static uint32_t aggregate(parser *p, orr_expr_aggregate a)
{
    if (a.of >= ORR_OF_COUNT)
        parse_condition_of(p, &a);
    else
        parse_value(p, &a);
    if (!p->failed && take_word(p, "where"))
        a.where = condition(p);
    a.of_all = !p->failed && take_of_all(p);
    if (!p->failed)
        expect_close(p);
    bool unitless = a.of >= ORR_OF_COUNT || a.of == ORR_OF_CV;
    return add_aggregate(p, &a, !unitless && !p->failed && p->out->nodes.at[a.value].is_time);
}

/* `rho:fixed_n=8.p99`: a part of a distribution that no key holds. */
static uint32_t part_of_fixed(parser *p, int64_t n, const char *part, const char *from, size_t length)
{
    orr_expr_aggregate a = {0};
    if (*part != '.' || !orr_expr_function(part + 1, &a) || a.of >= ORR_OF_COUNT)
        fail(p, from, length, "a part of the distribution is missing: rho:fixed_n=8.mean, .max, .p99, ...");
    a.value = add(p, (orr_expr_node){.kind = ORR_EXPR_RHO_FIXED, .n = n});
    return add_aggregate(p, &a, false);
}

static uint32_t call(parser *p, const char *name, const char *from, size_t n)
{
    orr_expr_aggregate a = {0};
    if (!orr_expr_function(name, &a)) {
        fail(p, from, n, "there is no such function");
        orr_expr_hint_function(name, p->e);
        return 0;
    }
    take(p, '(');
    return aggregate(p, a);
}

/* ---- the grammar ---- */

static uint32_t named(parser *p, const char *name, const char *from, size_t n)
{
    int64_t fixed;
    const char *rest;
    if (n > 128) {
        fail(p, from, n, "this name is too long");
        return 0;
    }
    if (p->in_row)
        return column(p, name, from, n);
    if (*p->at == '(')
        return call(p, name, from, n);
    if (orr_expr_fixed_n(name, &fixed, &rest))
        return part_of_fixed(p, fixed, rest, from, n);
    return key(p, name, from, n);
}

/* A bare name, or one in backticks. */
static uint32_t parse_name(parser *p)
{
    const char *from = p->at;
    bool ticks = *from == '`';
    size_t n = ticks ? (size_t)(behind_quote(from) - from) : name_length(from);
    if (ticks && (n < 2 || from[n - 1] != '`')) {
        fail(p, from, n, "a quote is not closed");
        return 0;
    }
    char *name = orr_xstrndup(from + ticks, n - 2 * (size_t)ticks);
    p->at += n;
    skip_blanks(p);
    uint32_t made = named(p, name, from, n);
    free(name);
    return made;
}

/* "3600", "1.5", "2e6", or a duration: "1h", "1h30m". */
static uint32_t parse_number(parser *p)
{
    const char *from = p->at;
    char text[64];
    size_t n = 0;
    while (letter(from[n]) || digit(from[n]) || from[n] == '.')
        n++;
    bool exponent = n > 0 && from[n - 1] == 'e' && (from[n] == '-' || from[n] == '+') && digit(from[n + 1]);
    for (n += exponent; exponent && digit(from[n]);)
        n++;
    snprintf(text, sizeof text, "%.*s", (int)(n < 63 ? n : 63), from);
    p->at += n;
    skip_blanks(p);
    orr_expr_node node = {.kind = ORR_EXPR_NUMBER};
    orr_time time;
    if (n < 63 && orr_parse_double(text, strlen(text), &node.number))
        return add(p, node);
    if (n >= 63 || orr_time_parse_duration(text, &time))
        fail(p, from, n, "this is no number and no duration");
    else
        node = (orr_expr_node){.kind = ORR_EXPR_NUMBER, .number = orr_time_seconds(time), .is_time = true};
    return add(p, node);
}

static uint32_t parse_unary(parser *p);

static uint32_t parse_operand(parser *p)
{
    if (take(p, '(')) {
        uint32_t inner = parse_sum(p);
        if (!p->failed)
            expect_close(p);
        return inner;
    }
    if (take(p, '-')) {
        uint32_t inner = parse_unary(p);
        return p->failed
                   ? 0
                   : add(p,
                         (orr_expr_node){.kind = ORR_EXPR_NEG, .a = inner, .is_time = p->out->nodes.at[inner].is_time});
    }
    if (digit(*p->at) || *p->at == '.')
        return parse_number(p);
    if (letter(*p->at) || *p->at == '`')
        return parse_name(p);
    fail(p, p->at, *p->at != '\0', "a number or a name is missing");
    return 0;
}

static uint32_t parse_unary(parser *p)
{
    if (p->failed)
        return 0;
    if (p->depth >= DEPTH) {
        fail(p, p->at, *p->at != '\0', "the expression is nested too deeply");
        return 0;
    }
    p->depth++;
    uint32_t made = parse_operand(p);
    p->depth--;
    return made;
}

static uint32_t parse_product(parser *p)
{
    uint32_t left = parse_unary(p);
    while (!p->failed && (*p->at == '*' || *p->at == '/')) {
        orr_expr_kind kind = *p->at == '*' ? ORR_EXPR_MUL : ORR_EXPR_DIV;
        take(p, *p->at);
        uint32_t right = parse_unary(p);
        left = p->failed ? 0 : add_binary(p, kind, left, right);
    }
    return left;
}

static uint32_t parse_sum(parser *p)
{
    uint32_t left = parse_product(p);
    while (!p->failed && (*p->at == '+' || *p->at == '-')) {
        orr_expr_kind kind = *p->at == '+' ? ORR_EXPR_ADD : ORR_EXPR_SUB;
        take(p, *p->at);
        uint32_t right = parse_product(p);
        left = p->failed ? 0 : add_binary(p, kind, left, right);
    }
    return left;
}

orr_expr *orr_expr_parse(const char *text, orr_error *e)
{
    orr_expr *x = orr_xcalloc(1, sizeof *x);
    x->text = orr_xstrdup(text);
    parser p = {.out = x, .at = x->text, .e = e};
    skip_blanks(&p);
    x->root = parse_sum(&p);
    if (!p.failed && *p.at)
        fail(&p, p.at, 1, "the expression ends before this");
    if (!p.failed)
        return x;
    orr_expr_destroy(x);
    return NULL;
}
