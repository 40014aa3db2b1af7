/* Equal jobs into classes, and equal rows of x into columns: see packed.h. */
#include "solve/packed.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/rng.h"

#include <math.h>

/* ---- colours ---- */

static uint64_t mixed_in(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return orr_mix64(hash ^ bits);
}

uint64_t orr_packed_mark(const double *values, int32_t n)
{
    uint64_t hash = (uint64_t)n;
    for (int32_t i = 0; i < n; i++)
        hash = mixed_in(hash, values[i]);
    return hash;
}

static const double *speeds_of_pair(const orr_share_problem *p, int32_t pair)
{
    return p->pair_speed + (size_t)pair * (size_t)p->types * 2;
}

static const double *gains_of_row(const orr_share_problem *p, const double *gain, int32_t row)
{
    return gain != NULL ? gain + (size_t)row * (size_t)p->types : NULL;
}

static uint64_t colour_of_job(const orr_share_problem *p, const uint64_t *mark, const double *gain, int32_t job)
{
    uint64_t hash = orr_packed_mark(p->speed + (size_t)job * (size_t)p->types, p->types);
    hash = mixed_in(hash, p->gpus[job]);
    if (gain != NULL)
        hash ^= orr_packed_mark(gains_of_row(p, gain, job), p->types);
    return orr_mix64(hash ^ (mark != NULL ? mark[job] : 0));
}

/* What a pair looks like from `side`: 0 from a, 1 from b. */
static uint64_t colour_of_pair(const orr_share_problem *p, const double *gain, int32_t pair, int side)
{
    const double *speed = speeds_of_pair(p, pair);
    uint64_t hash = 1;
    for (int32_t k = 0; k < p->types; k++)
        hash = mixed_in(mixed_in(hash, speed[2 * k + side]), speed[2 * k + 1 - side]);
    return gain != NULL ? hash ^ orr_packed_mark(gains_of_row(p, gain, p->jobs + pair), p->types) : hash;
}

typedef struct coloured {
    uint64_t colour;
    int32_t job;
} coloured;

static int by_colour(const void *a, const void *b)
{
    const coloured *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* Fills of[job] with the number of its colour, in the order of colours, and returns how many there are.
 * O(jobs log jobs). */
static int32_t number_colours(const uint64_t *colour, int32_t jobs, coloured *sorted, int32_t *of)
{
    for (int32_t j = 0; j < jobs; j++)
        sorted[j] = (coloured){colour[j], j};
    qsort(sorted, (size_t)jobs, sizeof *sorted, by_colour);
    int32_t n = 0;
    for (int32_t i = 0; i < jobs; i++) {
        n += i == 0 || sorted[i].colour != sorted[i - 1].colour;
        of[sorted[i].job] = n - 1;
    }
    return n;
}

/* Each job's colour becomes one of itself and of its partners. */
static void refine(const orr_share_problem *p, const uint64_t (*look)[2], const uint64_t *colour, uint64_t *next)
{
    for (int32_t j = 0; j < p->jobs; j++)
        next[j] = orr_mix64(colour[j]);
    for (int32_t i = 0; i < p->pairs; i++) {
        int32_t a = p->pair[i].a, b = p->pair[i].b;
        next[a] += orr_mix64(look[i][0] ^ colour[b]);
        next[b] += orr_mix64(look[i][1] ^ colour[a]);
    }
}

/* Refines until the number of colours stays. O((pairs + jobs log jobs) times how often it grows). */
static int32_t refine_colours(const orr_share_problem *p, const double *gain, uint64_t *colour, int32_t *of)
{
    coloured *sorted = orr_xcalloc((size_t)p->jobs, sizeof *sorted);
    int32_t n = number_colours(colour, p->jobs, sorted, of), before = 0;
    if (p->pairs > 0 && n < p->jobs) {
        uint64_t(*look)[2] = orr_xcalloc((size_t)p->pairs, sizeof *look);
        uint64_t *next = orr_xcalloc((size_t)p->jobs, sizeof *next);
        for (int32_t i = 0; i < p->pairs; i++)
            look[i][0] = colour_of_pair(p, gain, i, 0), look[i][1] = colour_of_pair(p, gain, i, 1);
        while (n > before && n < p->jobs) {
            before = n;
            refine(p, (const uint64_t(*)[2])look, colour, next);
            memcpy(colour, next, (size_t)p->jobs * sizeof *next);
            n = number_colours(colour, p->jobs, sorted, of);
        }
        free(next);
        free(look);
    }
    free(sorted);
    return n;
}

static void find_classes(orr_packed *c, const uint64_t *mark, const double *gain)
{
    const orr_share_problem *p = c->problem;
    size_t jobs = (size_t)p->jobs;
    uint64_t *colour = orr_xcalloc(jobs, sizeof *colour);
    for (int32_t j = 0; j < p->jobs; j++)
        colour[j] = colour_of_job(p, mark, gain, j);
    c->of = orr_xcalloc(jobs, sizeof *c->of);
    int32_t n = refine_colours(p, gain, colour, c->of);
    c->first = orr_xcalloc((size_t)n, sizeof *c->first);
    c->count = orr_xcalloc((size_t)n, sizeof *c->count);
    int32_t *number = orr_xcalloc((size_t)n, sizeof *number); /* of colours by their first jobs, from 1 on */
    for (int32_t j = 0; j < p->jobs; j++) {
        int32_t *of = &number[c->of[j]];
        if (*of == 0) {
            *of = ++c->classes;
            c->first[*of - 1] = j;
        }
        c->of[j] = *of - 1;
        c->count[c->of[j]]++;
    }
    free(number);
    free(colour);
}

/* ---- columns ---- */

static int32_t add_column(orr_packed *c, int32_t a, int32_t b, int32_t type, double speed_a, double speed_b,
                          double gain)
{
    c->column[c->columns] = (orr_packed_column){
        .a = a, .b = b, .type = type, .at = -1, .speed_a = speed_a, .speed_b = speed_b, .gain = gain};
    c->best[a] = fmax(c->best[a], speed_a);
    if (b >= 0)
        c->best[b] = fmax(c->best[b], speed_b);
    return c->columns++;
}

static void add_singles(orr_packed *c, const double *gain)
{
    const orr_share_problem *p = c->problem;
    int32_t types = p->types;
    for (int32_t j = 0; j < p->jobs; j++)
        for (int32_t k = 0; k < types; k++) {
            size_t at = (size_t)j * (size_t)types + (size_t)k;
            int32_t first = c->first[c->of[j]];
            if (p->speed[at] <= 0 || p->capacity[k] <= 0)
                c->column_of[at] = -1;
            else if (first < j)
                c->column_of[at] = c->column_of[(size_t)first * (size_t)types + (size_t)k];
            else
                c->column_of[at] = add_column(c, c->of[j], -1, k, p->speed[at], 0, gain != NULL ? gain[at] : 0);
            if (c->column_of[at] >= 0)
                c->column[c->column_of[at]].members++;
        }
}

/* Equal pairs look alike from the class of the lesser number; inside a class from the job that is faster where they
 * differ first. */
static int side_of_pair(const orr_packed *c, int32_t pair)
{
    const orr_share_pair *ends = &c->problem->pair[pair];
    int32_t a = c->of[ends->a], b = c->of[ends->b];
    if (a != b)
        return a > b;
    const double *speed = speeds_of_pair(c->problem, pair);
    for (int32_t k = 0; k < c->problem->types; k++)
        if (speed[2 * k] != speed[2 * k + 1])
            return speed[2 * k] < speed[2 * k + 1];
    return 0;
}

static int32_t end_of(const orr_packed *c, int32_t pair, int side)
{
    const orr_share_pair *ends = &c->problem->pair[pair];
    return c->of[side == 0 ? ends->a : ends->b];
}

static bool pairs_are_equal(const orr_packed *c, const double *gain, int32_t x, int32_t y)
{
    const orr_share_problem *p = c->problem;
    int at_x = side_of_pair(c, x), at_y = side_of_pair(c, y);
    if (end_of(c, x, at_x) != end_of(c, y, at_y) || end_of(c, x, 1 - at_x) != end_of(c, y, 1 - at_y))
        return false;
    const double *of_x = speeds_of_pair(p, x), *of_y = speeds_of_pair(p, y);
    for (int32_t k = 0; k < p->types; k++)
        if (of_x[2 * k + at_x] != of_y[2 * k + at_y] || of_x[2 * k + 1 - at_x] != of_y[2 * k + 1 - at_y])
            return false;
    return gain == NULL || memcmp(gains_of_row(p, gain, p->jobs + x), gains_of_row(p, gain, p->jobs + y),
                                  (size_t)p->types * sizeof *gain) == 0;
}

static size_t hash_of_pair(const orr_packed *c, const double *gain, int32_t pair)
{
    int side = side_of_pair(c, pair);
    uint64_t ends = (uint64_t)end_of(c, pair, side) << 32 | (uint64_t)end_of(c, pair, 1 - side);
    return (size_t)orr_mix64(colour_of_pair(c->problem, gain, pair, side) ^ orr_mix64(ends));
}

/* Which of the pairs before it is equal to it and the first such: itself, if there is none. `table` of `slots`, a
 * power of two, holds first pairs + 1. */
static int32_t first_equal(const orr_packed *c, const double *gain, int32_t pair, int32_t *table, size_t slots)
{
    size_t at = hash_of_pair(c, gain, pair) & (slots - 1);
    while (table[at] != 0 && !pairs_are_equal(c, gain, table[at] - 1, pair))
        at = (at + 1) & (slots - 1);
    if (table[at] == 0)
        table[at] = pair + 1;
    return table[at] - 1;
}

static void add_pair(orr_packed *c, const double *gain, int32_t pair, int32_t first)
{
    const orr_share_problem *p = c->problem;
    size_t types = (size_t)p->types;
    int32_t *columns = c->column_of + ((size_t)p->jobs + (size_t)pair) * types;
    const int32_t *known = c->column_of + ((size_t)p->jobs + (size_t)first) * types;
    const double *speed = speeds_of_pair(p, pair), *gains = gains_of_row(p, gain, p->jobs + pair);
    int side = side_of_pair(c, pair);
    for (int32_t k = 0; k < p->types; k++) {
        double of_a = speed[2 * k + side], of_b = speed[2 * k + 1 - side];
        if (first < pair)
            columns[k] = known[k];
        else if (of_a <= 0 || of_b <= 0 || p->capacity[k] <= 0)
            columns[k] = -1;
        else
            columns[k] = add_column(c, end_of(c, pair, side), end_of(c, pair, 1 - side), k, of_a, of_b,
                                    gains != NULL ? gains[k] : 0);
        if (columns[k] >= 0)
            c->column[columns[k]].members++;
    }
}

static void add_pairs(orr_packed *c, const double *gain)
{
    const orr_share_problem *p = c->problem;
    bool merged = c->classes < p->jobs; /* else each pair has classes of its own */
    size_t slots = 1;
    while (merged && slots < 2 * (size_t)p->pairs)
        slots *= 2;
    int32_t *table = orr_xcalloc(slots, sizeof *table);
    for (int32_t i = 0; i < p->pairs; i++) {
        ORR_ASSERT(p->pair[i].a != p->pair[i].b, "a pair of two jobs");
        add_pair(c, gain, i, merged ? first_equal(c, gain, i, table, slots) : i);
    }
    free(table);
}

void orr_packed_init(orr_packed *c, const orr_share_problem *p, const uint64_t *mark, const double *gain)
{
    *c = (orr_packed){.problem = p};
    find_classes(c, mark, gain);
    size_t most = ((size_t)p->jobs + (size_t)p->pairs) * (size_t)p->types;
    ORR_ASSERT(most < INT32_MAX, "columns of a packed program");
    c->best = orr_xcalloc((size_t)c->classes, sizeof *c->best);
    c->column = orr_xmalloc(most * sizeof *c->column);
    c->column_of = orr_xmalloc(most * sizeof *c->column_of);
    add_singles(c, gain);
    add_pairs(c, gain);
}

void orr_packed_fini(orr_packed *c)
{
    free(c->of);
    free(c->first);
    free(c->count);
    free(c->best);
    free(c->column);
    free(c->column_of);
    *c = (orr_packed){0};
}
