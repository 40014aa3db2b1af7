/* Text: the pool of names, comparison as people do it, nearest names, growable text. */
#include "base/text.h"

#include "base/mem.h"

#include <stdio.h>

#define uthash_malloc(size) orr_xmalloc(size)
#define uthash_fatal(message) orr_out_of_memory(0)
#include <uthash.h>

/* ---- names ---- */

typedef struct name {
    const char *text; /* in the arena, NUL-terminated */
    uint32_t id;
    UT_hash_handle hh;
} name;

struct orr_names {
    name *table;
    ORR_VEC(name *) by_id;
    orr_arena arena;
};

orr_names *orr_names_create(void)
{
    return orr_xcalloc(1, sizeof(orr_names));
}

void orr_names_destroy(orr_names *names)
{
    if (!names)
        return;
    HASH_CLEAR(hh, names->table);
    ORR_VEC_FREE(&names->by_id);
    orr_arena_fini(&names->arena);
    free(names);
}

static name *find(const orr_names *names, const char *text, size_t length)
{
    name *found = NULL;
    HASH_FIND(hh, names->table, text, (unsigned)length, found);
    return found;
}

static name *add(orr_names *names, const char *text, size_t length)
{
    name *new = orr_arena_alloc(&names->arena, sizeof *new);
    new->text = orr_arena_strdup(&names->arena, text, length);
    new->id = (uint32_t)names->by_id.n;
    ORR_VEC_PUSH(&names->by_id, new);
    HASH_ADD_KEYPTR(hh, names->table, new->text, (unsigned)length, new);
    return new;
}

uint32_t orr_names_id(orr_names *names, const char *text, size_t length)
{
    name *known = find(names, text, length);
    return known ? known->id : add(names, text, length)->id;
}

int64_t orr_names_find(const orr_names *names, const char *text, size_t length)
{
    const name *known = find(names, text, length);
    return known ? (int64_t)known->id : -1;
}

const char *orr_names_text(const orr_names *names, uint32_t id)
{
    return names->by_id.at[id]->text;
}

uint32_t orr_names_count(const orr_names *names)
{
    return (uint32_t)names->by_id.n;
}

/* ---- comparison ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t run_of_digits(const char *s)
{
    size_t n = 0;
    while (is_digit(s[n]))
        n++;
    return n;
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

/* Compares the numbers at *a and *b and steps over them. No number is too long. */
static int compare_numbers(const char **a, const char **b)
{
    while (**a == '0')
        ++*a;
    while (**b == '0')
        ++*b;
    size_t na = run_of_digits(*a), nb = run_of_digits(*b);
    int order = na != nb ? (na < nb ? -1 : 1) : sign(memcmp(*a, *b, na));
    *a += na;
    *b += nb;
    return order;
}

static int compare_equal_values(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    return na != nb ? (na < nb ? -1 : 1) : sign(strcmp(a, b));
}

int orr_natural_compare(const char *a, const char *b)
{
    const char *at = a, *bt = b;
    while (*at && *bt) {
        if (is_digit(*at) && is_digit(*bt)) {
            int order = compare_numbers(&at, &bt);
            if (order)
                return order;
        } else if (*at != *bt) {
            break;
        } else {
            at++, bt++;
        }
    }
    if (*at != *bt)
        return (unsigned char)*at < (unsigned char)*bt ? -1 : 1;
    return compare_equal_values(a, b);
}

/* ---- UTF-8 ---- */

/* The length of the character at `s`, 0 if it is none: RFC 3629, so none is overlong, a surrogate or past 10FFFF. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if (length == 0 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] > 0x9f;
    bool too_far = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || surrogate || too_far ? 0 : length;
}

bool orr_utf8_valid(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t n = utf8_length((const unsigned char *)text + i, length - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

/* ---- nearest names ---- */

static int least_of(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* One row of the table of Wagner and Fischer is enough: `row[j]` is the distance of the part of `a` seen so far to the
 * first j bytes of `b`. */
int orr_edit_distance(const char *a, const char *b)
{
    size_t n = strlen(b);
    int *row = orr_xcalloc(n + 1, sizeof *row);
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (; *a; a++) {
        int diagonal = row[0]++;
        for (size_t j = 1; j <= n; j++) {
            int above = row[j];
            row[j] = least_of(above + 1, row[j - 1] + 1, diagonal + (*a != b[j - 1]));
            diagonal = above;
        }
    }
    int distance = row[n];
    free(row);
    return distance;
}

enum { LONGEST_NAME = 64 };

/* Case and the choice of separator are no reason not to suggest a name. */
static void fold(const char *text, char folded[LONGEST_NAME + 1])
{
    size_t i = 0;
    for (; text[i] && i < LONGEST_NAME; i++) {
        char c = text[i];
        folded[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c == '_' ? '-' : c);
    }
    folded[i] = '\0';
}

typedef struct nearness {
    int distance, alike; /* `alike`: bytes that both begin with; of two equally far the more alike is meant */
} nearness;

/* A name that starts with all of three or more typed letters counts as one step away. */
static nearness nearness_of(const char *text, const char *candidate)
{
    char a[LONGEST_NAME + 1], b[LONGEST_NAME + 1];
    fold(text, a);
    fold(candidate, b);
    nearness near = {orr_edit_distance(a, b), 0};
    while (a[near.alike] && a[near.alike] == b[near.alike])
        near.alike++;
    if (near.distance > 1 && near.alike >= 3 && !a[near.alike])
        near.distance = 1;
    return near;
}

static bool nearer(nearness a, nearness b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.alike > b.alike;
}

/* The longer the text, the more slips; but never so many that nothing of it is left. */
static int slips_allowed(size_t length)
{
    size_t slips = 1 + (length / 4 < 3 ? length / 4 : 3);
    return (int)(slips < length ? slips : length - 1);
}

const char *orr_nearest(const char *text, const char *const *names, size_t n)
{
    size_t length = strlen(text);
    if (length == 0 || length > LONGEST_NAME)
        return NULL;
    nearness best = {slips_allowed(length), -1};
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        nearness near = nearness_of(text, names[i]);
        if (nearer(near, best)) {
            best = near;
            nearest = names[i];
        }
    }
    return nearest;
}

/* ---- growable text ---- */

void orr_text_add(orr_text *t, const char *s, size_t n)
{
    ORR_VEC_RESERVE(t, t->n + n + 1);
    if (n)
        memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void orr_text_addf(orr_text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n >= 0) {
        ORR_VEC_RESERVE(t, t->n + (size_t)n + 1);
        vsnprintf(t->at + t->n, (size_t)n + 1, fmt, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void orr_text_clear(orr_text *t)
{
    t->n = 0;
    if (t->at)
        t->at[0] = '\0';
}

void orr_text_fini(orr_text *t)
{
    ORR_VEC_FREE(t);
}
