/* Knapsacks over whole capacities by dynamic programs, and over several capacities by a linear program.
 *
 * With one capacity the table is filled from the last item to the first, so that the choice is read off from the
 * first to the last and ties go to earlier items. Room: a bit for each item and capacity, of classes four bytes.
 */
#include "base/assert.h"
#include "base/mem.h"
#include <orrery/solve.h>

#include <math.h>

/* The best of what was looked at so far, for one capacity. */
typedef struct content {
    double value;
    int64_t size;
} content;

static bool better(content a, content b)
{
    return a.value > b.value || (a.value == b.value && a.size < b.size);
}

static bool as_good(content a, content b)
{
    return a.value == b.value && a.size == b.size;
}

static content with(content c, double value, int32_t size)
{
    return (content){c.value + value, c.size + size};
}

static void check_item(double value, int32_t size)
{
    ORR_ASSERT(!isnan(value) && value < INFINITY, "value of an item");
    ORR_ASSERT(size >= 0, "size of an item");
}

/* ---- each item once ---- */

static bool bit_at(const uint8_t *bits, size_t at)
{
    return bits[at / 8] >> at % 8 & 1;
}

static void set_bit(uint8_t *bits, size_t at)
{
    bits[at / 8] = (uint8_t)(bits[at / 8] | 1 << at % 8);
}

double orr_knapsack(const double *value, const int32_t *size, int32_t n, int32_t capacity, uint8_t *taken)
{
    ORR_ASSERT(n >= 0 && capacity >= 0, "size of a knapsack");
    size_t width = (size_t)capacity + 1;
    content *best = orr_xcalloc(width, sizeof *best);
    uint8_t *take = orr_xcalloc((size_t)n * width / 8 + 1, 1);
    for (int32_t i = n - 1; i >= 0; i--) {
        check_item(value[i], size[i]);
        for (int32_t room = capacity; room >= size[i]; room--) {
            content also = with(best[room - size[i]], value[i], size[i]);
            if (!better(also, best[room]) && !as_good(also, best[room]))
                continue;
            best[room] = also;
            set_bit(take, (size_t)i * width + (size_t)room);
        }
    }
    int32_t room = capacity;
    for (int32_t i = 0; i < n; i++) {
        taken[i] = bit_at(take, (size_t)i * width + (size_t)room);
        room -= taken[i] ? size[i] : 0;
    }
    double of_best = best[capacity].value;
    free(take);
    free(best);
    return of_best;
}

/* ---- one option of each class ---- */

static void choose_option(const double *value, const int32_t *size, int32_t from, int32_t until, int32_t capacity,
                          const content *rest, content *best, int32_t *choice)
{
    for (int32_t room = 0; room <= capacity; room++) {
        best[room] = (content){-INFINITY, 0};
        choice[room] = -1;
    }
    for (int32_t o = from; o < until; o++) {
        check_item(value[o], size[o]);
        for (int32_t room = size[o]; room <= capacity; room++) {
            content also = with(rest[room - size[o]], value[o], size[o]);
            if (isinf(also.value) || !better(also, best[room]))
                continue;
            best[room] = also;
            choice[room] = o;
        }
    }
}

double orr_knapsack_classes(const double *value, const int32_t *size, const int32_t *first, int32_t n, int32_t capacity,
                            int32_t *chosen)
{
    ORR_ASSERT(n >= 0 && capacity >= 0, "size of a knapsack");
    size_t width = (size_t)capacity + 1;
    content *both = orr_xcalloc(2 * width, sizeof *both), *rest = both, *best = both + width;
    int32_t *choice = orr_xcalloc((size_t)n * width, sizeof *choice);
    for (int32_t i = n - 1; i >= 0; i--) {
        choose_option(value, size, first[i], first[i + 1], capacity, rest, best, choice + (size_t)i * width);
        content *swap = rest;
        rest = best, best = swap;
    }
    double of_best = rest[capacity].value;
    int32_t room = capacity;
    for (int32_t i = 0; i < n && !isinf(of_best); i++) {
        chosen[i] = choice[(size_t)i * width + (size_t)room];
        room -= size[chosen[i]];
    }
    free(choice);
    free(both);
    return of_best;
}

/* ---- several capacities ---- */

typedef struct sack {
    const double *value, *size, *capacity;
    int32_t n, dimensions;
    double *left; /* [dimensions] */
    uint8_t *taken;
} sack;

static double size_of(const sack *s, int32_t item, int32_t dimension)
{
    return s->size[(size_t)item * (size_t)s->dimensions + (size_t)dimension];
}

/* To within 1e-9 of the capacity, which is how the program takes it, too. */
static bool fits(const sack *s, int32_t item)
{
    for (int32_t d = 0; d < s->dimensions; d++)
        if (size_of(s, item, d) > s->left[d] + 1e-9 * s->capacity[d])
            return false;
    return true;
}

static double put_if_it_fits(sack *s, int32_t item)
{
    if (s->taken[item] || s->value[item] <= 0 || !fits(s, item))
        return 0;
    s->taken[item] = 1;
    for (int32_t d = 0; d < s->dimensions; d++)
        s->left[d] -= size_of(s, item, d);
    return s->value[item];
}

static void empty(sack *s)
{
    memset(s->taken, 0, (size_t)s->n);
    memcpy(s->left, s->capacity, (size_t)s->dimensions * sizeof *s->left);
}

static orr_lp *program_of(const sack *s, bool whole)
{
    orr_lp *lp = orr_lp_create(true);
    for (int32_t d = 0; d < s->dimensions; d++)
        orr_lp_row(lp, -INFINITY, s->capacity[d]);
    for (int32_t i = 0; i < s->n; i++) {
        int32_t column = whole ? orr_lp_integer(lp, s->value[i], 0, 1) : orr_lp_column(lp, s->value[i], 0, 1);
        for (int32_t d = 0; d < s->dimensions; d++)
            orr_lp_add(lp, d, column, size_of(s, i, d));
    }
    return lp;
}

/* Takes what the program takes whole; of a limit or nothing feasible nothing. */
static double take_by_program(sack *s, bool whole)
{
    orr_lp *lp = program_of(s, whole);
    orr_lp_status status = orr_lp_solve(lp, NULL);
    double sum = 0;
    empty(s);
    for (int32_t i = 0; i < s->n && (status == ORR_LP_OPTIMAL || status == ORR_LP_FEASIBLE); i++)
        if (orr_lp_value(lp, i) > 1 - 1e-9)
            sum += put_if_it_fits(s, i);
    orr_lp_destroy(lp);
    return sum;
}

typedef struct valued {
    double value;
    int32_t item;
} valued;

static int by_value(const void *a, const void *b)
{
    const valued *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static double add_by_value(sack *s)
{
    valued *order = orr_xcalloc((size_t)s->n, sizeof *order);
    double sum = 0;
    for (int32_t i = 0; i < s->n; i++)
        order[i] = (valued){s->value[i], i};
    qsort(order, (size_t)s->n, sizeof *order, by_value);
    for (int32_t i = 0; i < s->n; i++)
        sum += put_if_it_fits(s, order[i].item);
    free(order);
    return sum;
}

static void check_sack(const sack *s)
{
    ORR_ASSERT(s->n >= 0 && s->dimensions >= 0, "size of a knapsack");
    for (int32_t i = 0; i < s->n; i++) {
        ORR_ASSERT(isfinite(s->value[i]), "value of an item");
        for (int32_t d = 0; d < s->dimensions; d++)
            ORR_ASSERT(isfinite(size_of(s, i, d)) && size_of(s, i, d) >= 0, "size of an item");
    }
    for (int32_t d = 0; d < s->dimensions; d++)
        ORR_ASSERT(s->capacity[d] >= 0, "size of a knapsack");
}

double orr_knapsack_many(const double *value, const double *size, int32_t n, const double *capacity, int32_t dimensions,
                         int32_t exact, uint8_t *taken)
{
    sack s = {.value = value, .size = size, .capacity = capacity, .n = n, .dimensions = dimensions, .taken = taken};
    check_sack(&s);
    s.left = orr_xcalloc((size_t)dimensions, sizeof *s.left);
    double best = take_by_program(&s, false);
    best += add_by_value(&s);
    if (n <= exact) {
        uint8_t *rounded = orr_xmalloc((size_t)n);
        memcpy(rounded, taken, (size_t)n);
        double whole = take_by_program(&s, true);
        whole += add_by_value(&s);
        if (whole < best)
            memcpy(taken, rounded, (size_t)n);
        best = fmax(best, whole);
        free(rounded);
    }
    free(s.left);
    return best;
}
