/* Recursive descent into a vector of nodes that refer to each other by index; then a walk per row. Depth is bounded, so
 * that no input overruns the stack. */
#include "base/where.h"
#include "base/mem.h"
#include "base/text.h"

#define DEPTH 100
#define NODES 10000 /* a chain of and/or is as deep as it is long */

typedef enum kind { OR, AND, NOT, KNOWN, TEST, IN } kind;
typedef enum op { EQ, NE, LT, LE, GT, GE, HOLDS } op;

typedef struct value {
    int64_t column; /* -1: a constant */
    orr_where_value constant;
} value;

typedef struct node {
    kind kind;
    op op;
    uint32_t a, b;    /* children; of IN: values [a, b) */
    uint32_t column;
    orr_where_type type;
    value right;
} node;

struct orr_where {
    ORR_VEC(node) nodes;
    ORR_VEC(value) values; /* of IN */
    ORR_VEC(char *) owned; /* texts of constants */
    uint32_t root;
};

/* ---- tokens ---- */

typedef enum token { END, WORD, QUOTED, NAME, OPERATOR, OPEN, CLOSE, COMMA, BAD } token;

typedef struct parser {
    const char *file, *text;
    const char *at; /* behind the current token */
    token token;
    const char *from; /* the current token */
    size_t n;
    op op;
    const orr_where_column *columns;
    size_t column_count;
    int depth;
    orr_where *out;
    orr_error *e;
    bool failed;
} parser;

static void fail(parser *p, const char *from, size_t n, const char *message)
{
    if (p->failed)
        return;
    p->failed = true;
    orr_error_set(p->e, ORR_E_BAD_VALUE, "%s", message);
    orr_error_at(p->e, p->file, 1, (int)(from - p->text) + 1);
    orr_error_text(p->e, n ? from : "end of the condition", n ? n : 20);
}

static bool of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '+' || c == ':' || c == '/' || c == '%' || c == '#' || c == '@' || (c & 0x80);
}

static token quoted(parser *p, char quote)
{
    const char *end = p->from + 1;
    while (*end && (*end != quote || end[1] == quote))
        end += *end == quote ? 2 : 1;
    p->at = *end ? end + 1 : end;
    return *end ? QUOTED : BAD;
}

static token named(parser *p)
{
    const char *end = strchr(p->from + 1, '`');
    p->at = end ? end + 1 : p->from + strlen(p->from);
    return end ? NAME : BAD;
}

static token operator_here(parser *p)
{
    static const struct {
        const char *text;
        op op;
    } ops[] = {{"==", EQ}, {"!=", NE}, {"<>", NE}, {"<=", LE}, {">=", GE}, {"=", EQ}, {"<", LT}, {">", GT}, {"~", HOLDS}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const size_t n = strlen(ops[i].text);
        if (strncmp(p->from, ops[i].text, n) != 0)
            continue;
        p->op = ops[i].op;
        p->at = p->from + n;
        return OPERATOR;
    }
    return BAD;
}

static token word(parser *p)
{
    while (of_word(*p->at))
        p->at++;
    return WORD;
}

static token symbol(parser *p)
{
    const char c = *p->from;
    if ((c == '&' || c == '|') && p->from[1] == c) {
        p->at = p->from + 2;
        return WORD; /* "&&" and "||" stand for words */
    }
    const token t = operator_here(p);
    if (t == OPERATOR || c != '!')
        return t;
    p->at = p->from + 1;
    return WORD;
}

static token scan(parser *p)
{
    const char c = *p->from;
    if (!c)
        return END;
    p->at = p->from + 1;
    if (c == '(' || c == ')')
        return c == '(' ? OPEN : CLOSE;
    if (c == ',')
        return COMMA;
    if (c == '\'' || c == '"')
        return quoted(p, c);
    if (c == '`')
        return named(p);
    return of_word(c) ? word(p) : symbol(p);
}

static void next(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
        p->at++;
    p->from = p->at;
    p->token = scan(p);
    p->n = (size_t)(p->at - p->from);
    if (p->token == BAD)
        fail(p, p->from, p->n, *p->from == '\'' || *p->from == '"' || *p->from == '`' ? "a quote is not closed"
                                                                                       : "this has no meaning here");
}

static bool is(const parser *p, const char *name, const char *sign)
{
    if (p->token != WORD)
        return false;
    return (strlen(name) == p->n && memcmp(p->from, name, p->n) == 0) ||
           (sign && strlen(sign) == p->n && memcmp(p->from, sign, p->n) == 0);
}

/* ---- columns and values ---- */

static int64_t column_named(const parser *p, const char *name, size_t n)
{
    for (size_t i = 0; i < p->column_count; i++)
        if (strlen(p->columns[i].name) == n && memcmp(p->columns[i].name, name, n) == 0)
            return (int64_t)i;
    return -1;
}

static void no_such_column(parser *p, const char *name, size_t n)
{
    if (p->failed)
        return;
    fail(p, p->from, p->n, "there is no such column");
    const char **names = orr_xmalloc((p->column_count + 1) * sizeof *names);
    char *copy = orr_xstrndup(name, n);
    for (size_t i = 0; i < p->column_count; i++)
        names[i] = p->columns[i].name;
    const char *near = orr_nearest(copy, names, p->column_count);
    if (near)
        orr_error_hint(p->e, "did you mean \"%s\"?", near);
    free(copy);
    free(names);
}

/* Takes the current token as a column; 0 after a failure. */
static uint32_t take_column(parser *p)
{
    const bool quoted_name = p->token == NAME;
    if (p->token != WORD && !quoted_name) {
        fail(p, p->from, p->n, "a column is missing");
        return 0;
    }
    const char *name = p->from + quoted_name;
    const size_t n = p->n - 2 * (size_t)quoted_name;
    const int64_t found = column_named(p, name, n);
    if (found < 0)
        no_such_column(p, name, n);
    next(p);
    return found < 0 ? 0 : (uint32_t)found;
}

/* The token's text without its quotes; kept by the result. */
static const char *constant_text(parser *p)
{
    char *copy = orr_xstrndup(p->from, p->n), *to = copy;
    ORR_VEC_PUSH(&p->out->owned, copy);
    if (p->token != QUOTED)
        return copy;
    const char quote = copy[0];
    for (const char *from = copy + 1; from < copy + p->n - 1; from++) {
        *to++ = *from;
        from += *from == quote;
    }
    *to = '\0';
    return copy;
}

static bool constant(parser *p, orr_where_type type, orr_where_value *out)
{
    const char *text = constant_text(p);
    *out = (orr_where_value){.known = true, .text = text};
    if (type == ORR_WHERE_NUMBER)
        return orr_parse_double(text, strlen(text), &out->number);
    return type == ORR_WHERE_TEXT || orr_time_parse_duration(text, &out->time) == ORR_OK;
}

static value take_value(parser *p, orr_where_type type)
{
    value v = {.column = -1};
    if (p->token != WORD && p->token != QUOTED && p->token != NAME) {
        fail(p, p->from, p->n, "a value is missing");
        return v;
    }
    const bool name = p->token == NAME;
    if ((type != ORR_WHERE_TEXT || name) && p->token != QUOTED)
        v.column = column_named(p, p->from + name, p->n - 2 * (size_t)name);
    if (name && v.column < 0)
        no_such_column(p, p->from + 1, p->n - 2);
    if (v.column >= 0 && p->columns[v.column].type != type)
        fail(p, p->from, p->n, "this column holds something else than the one it is compared with");
    if (v.column < 0 && !constant(p, type, &v.constant))
        fail(p, p->from, p->n, type == ORR_WHERE_TIME ? "this is no duration" : "this is no number");
    next(p);
    return v;
}

/* ---- the grammar ---- */

static uint32_t add(parser *p, node n)
{
    if (p->out->nodes.n >= NODES)
        fail(p, p->from, p->n, "the condition is too long");
    ORR_VEC_PUSH(&p->out->nodes, n);
    return (uint32_t)p->out->nodes.n - 1;
}

static uint32_t parse_or(parser *p);

static void expect(parser *p, token t, const char *message)
{
    if (p->token != t)
        fail(p, p->from, p->n, message);
    next(p);
}

static uint32_t parse_known(parser *p)
{
    next(p);
    expect(p, OPEN, "\"known\" takes a column in parentheses");
    const uint32_t column = take_column(p);
    expect(p, CLOSE, "a closing parenthesis is missing");
    return add(p, (node){.kind = KNOWN, .column = column});
}

static uint32_t parse_in(parser *p, uint32_t column, bool negated)
{
    const orr_where_type type = p->columns[column].type;
    const uint32_t first = (uint32_t)p->out->values.n;
    next(p);
    expect(p, OPEN, "\"in\" takes a list in parentheses");
    do {
        const value v = take_value(p, type);
        ORR_VEC_PUSH(&p->out->values, v);
        if (p->token != COMMA)
            break;
        next(p);
    } while (!p->failed);
    expect(p, CLOSE, "a closing parenthesis is missing");
    return add(p, (node){.kind = IN, .op = negated ? NE : EQ, .a = first, .b = (uint32_t)p->out->values.n,
                         .column = column, .type = type});
}

static uint32_t parse_test(parser *p)
{
    if (is(p, "known", NULL) && column_named(p, "known", 5) < 0)
        return parse_known(p);
    const uint32_t column = take_column(p);
    if (p->failed)
        return 0;
    const bool negated = is(p, "not", NULL);
    if (negated)
        next(p);
    if (is(p, "in", NULL))
        return parse_in(p, column, negated);
    const op o = p->op;
    if (negated || p->token != OPERATOR) {
        fail(p, p->from, p->n, "an operator is missing: = != < <= > >= ~ or in");
        return 0;
    }
    const orr_where_type type = p->columns[column].type;
    if (type == ORR_WHERE_TEXT && (o == LT || o == LE || o == GT || o == GE))
        fail(p, p->from, p->n, "texts have no order: use = != ~ or in");
    if (type != ORR_WHERE_TEXT && o == HOLDS)
        fail(p, p->from, p->n, "~ is for texts");
    next(p);
    const value right = take_value(p, type);
    return add(p, (node){.kind = TEST, .op = o, .column = column, .type = type, .right = right});
}

static uint32_t parse_unary(parser *p)
{
    if (p->failed)
        return 0;
    if (++p->depth > DEPTH) {
        fail(p, p->from, p->n, "the condition is nested too deeply");
        return 0;
    }
    uint32_t result;
    if (is(p, "not", "!")) {
        next(p);
        const uint32_t inner = parse_unary(p);
        result = add(p, (node){.kind = NOT, .a = inner});
    } else if (p->token == OPEN) {
        next(p);
        result = parse_or(p);
        expect(p, CLOSE, "a closing parenthesis is missing");
    } else {
        result = parse_test(p);
    }
    p->depth--;
    return result;
}

static uint32_t parse_and(parser *p)
{
    uint32_t left = parse_unary(p);
    while (!p->failed && is(p, "and", "&&")) {
        next(p);
        const uint32_t right = parse_unary(p);
        left = add(p, (node){.kind = AND, .a = left, .b = right});
    }
    return left;
}

static uint32_t parse_or(parser *p)
{
    uint32_t left = parse_and(p);
    while (!p->failed && is(p, "or", "||")) {
        next(p);
        const uint32_t right = parse_and(p);
        left = add(p, (node){.kind = OR, .a = left, .b = right});
    }
    return left;
}

orr_where *orr_where_parse(const char *name, const char *text, const orr_where_column *columns, size_t n, orr_error *e)
{
    orr_where *where = orr_xcalloc(1, sizeof *where);
    parser p = {.file = name, .text = text, .at = text, .columns = columns, .column_count = n, .out = where, .e = e};
    next(&p);
    where->root = parse_or(&p);
    if (!p.failed && p.token != END)
        fail(&p, p.from, p.n, "\"and\" or \"or\" is missing before this");
    if (!p.failed)
        return where;
    orr_where_destroy(where);
    return NULL;
}

void orr_where_destroy(orr_where *where)
{
    if (!where)
        return;
    for (size_t i = 0; i < where->owned.n; i++)
        free(where->owned.at[i]);
    ORR_VEC_FREE(&where->owned);
    ORR_VEC_FREE(&where->nodes);
    ORR_VEC_FREE(&where->values);
    free(where);
}

/* ---- a row ---- */

static orr_where_value value_of(const value *v, orr_where_get *get, void *self)
{
    return v->column < 0 ? v->constant : get(self, (size_t)v->column);
}

/* <0, 0, >0; texts only tell equal from different. */
static int order_of(orr_where_type type, const orr_where_value *a, const orr_where_value *b)
{
    if (type == ORR_WHERE_TEXT)
        return strcmp(a->text, b->text);
    if (type == ORR_WHERE_TIME)
        return a->time < b->time ? -1 : a->time > b->time;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool compare(op o, int order)
{
    switch (o) {
    case EQ: return order == 0;
    case NE: return order != 0;
    case LT: return order < 0;
    case LE: return order <= 0;
    case GT: return order > 0;
    default: return order >= 0;
    }
}

static bool test(const node *n, orr_where_get *get, void *self)
{
    const orr_where_value left = get(self, n->column), right = value_of(&n->right, get, self);
    if (!left.known || !right.known)
        return false;
    if (n->op == HOLDS)
        return strstr(left.text, right.text) != NULL;
    return compare(n->op, order_of(n->type, &left, &right));
}

static bool among(const orr_where *w, const node *n, orr_where_get *get, void *self)
{
    const orr_where_value left = get(self, n->column);
    if (!left.known)
        return false;
    for (uint32_t i = n->a; i < n->b; i++) {
        const orr_where_value right = value_of(&w->values.at[i], get, self);
        if (right.known && order_of(n->type, &left, &right) == 0)
            return n->op == EQ;
    }
    return n->op == NE;
}

static bool holds(const orr_where *w, uint32_t at, orr_where_get *get, void *self)
{
    const node *n = &w->nodes.at[at];
    switch (n->kind) {
    case OR: return holds(w, n->a, get, self) || holds(w, n->b, get, self);
    case AND: return holds(w, n->a, get, self) && holds(w, n->b, get, self);
    case NOT: return !holds(w, n->a, get, self);
    case KNOWN: return get(self, n->column).known;
    case IN: return among(w, n, get, self);
    default: return test(n, get, self);
    }
}

bool orr_where_holds(const orr_where *where, orr_where_get *get, void *self)
{
    return holds(where, where->root, get, self);
}
