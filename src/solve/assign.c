/* Least-cost assignment by shortest augmenting paths with potentials (Jonker and Volgenant, Computing 38, 1987; for
 * fewer rows than columns as in Crouse, IEEE Transactions on Aerospace and Electronic Systems 52, 2016).
 *
 * Row after row enters. A search over reduced costs finds the cheapest chain of rows that move on to another column,
 * the last of them to one that nobody has; then the potentials are set so that all reduced costs stay >= 0, and
 * those of the assignment 0. Among columns equally near one that nobody has is taken, of those the last in the order
 * of `open`, which begins with the last column. So a matrix of equal costs gives the identity, and other programs
 * with this rule, among them SciPy's, give the same assignment where several are best. */
#include <orrery/solve.h>

#include "base/assert.h"
#include "base/mem.h"

#include <math.h>

typedef struct search {
    const double *cost;
    int32_t rows, columns, left; /* left: columns not yet reached */
    double *of_row, *of_column;  /* potentials */
    double *far;                 /* [columns] from the row that enters */
    int32_t *from;               /* [columns] the row before it on the way there */
    int32_t *open;               /* [columns] the first `left` of them, behind these the reached ones */
    int32_t *row_at;             /* [columns] -1: nobody's */
    int32_t *to;                 /* [rows] */
} search;

/* Which of the open columns is nearest, with what row `i` adds, itself `so_far` away; an index of `open`, -1: none
 * can be reached. */
static int32_t nearest(search *s, int32_t i, double so_far)
{
    const double *cost = s->cost + (size_t)i * (size_t)s->columns;
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t k = 0; k < s->left; k++) {
        int32_t j = s->open[k];
        double far = so_far + cost[j] - s->of_row[i] - s->of_column[j];
        if (far < s->far[j]) {
            s->far[j] = far;
            s->from[j] = i;
        }
        if (s->far[j] < least || (s->far[j] == least && least < INFINITY && s->row_at[j] < 0)) {
            least = s->far[j];
            best = k;
        }
    }
    return best;
}

static void begin(search *s)
{
    s->left = s->columns;
    for (int32_t j = 0; j < s->columns; j++) {
        s->open[j] = s->columns - 1 - j;
        s->far[j] = INFINITY;
    }
}

/* The column that nobody has at the end of the cheapest chain from `row`; -1: none. */
static int32_t chain_from(search *s, int32_t row)
{
    double so_far = 0;
    begin(s);
    for (int32_t i = row;;) {
        int32_t k = nearest(s, i, so_far);
        if (k < 0)
            return -1;
        int32_t j = s->open[k];
        so_far = s->far[j];
        s->open[k] = s->open[--s->left];
        s->open[s->left] = j;
        i = s->row_at[j];
        if (i < 0)
            return j;
    }
}

static void set_potentials(search *s, int32_t row, double length)
{
    s->of_row[row] += length;
    for (int32_t k = s->left; k < s->columns; k++) {
        int32_t j = s->open[k];
        if (s->row_at[j] >= 0)
            s->of_row[s->row_at[j]] += length - s->far[j];
        s->of_column[j] -= length - s->far[j];
    }
}

static void move_along(search *s, int32_t row, int32_t column)
{
    for (int32_t i = -1, next; i != row; column = next) {
        i = s->from[column];
        next = s->to[i];
        s->row_at[column] = i;
        s->to[i] = column;
    }
}

static bool enter(search *s, int32_t row)
{
    int32_t column = chain_from(s, row);
    if (column < 0)
        return false;
    set_potentials(s, row, s->far[column]);
    move_along(s, row, column);
    return true;
}

static bool assign(search *s)
{
    for (int32_t j = 0; j < s->columns; j++)
        s->row_at[j] = -1;
    for (int32_t i = 0; i < s->rows; i++)
        s->to[i] = -1;
    for (int32_t i = 0; i < s->rows; i++)
        if (!enter(s, i))
            return false;
    return true;
}

double orr_assign_least(const double *cost, int32_t rows, int32_t columns, int32_t *to)
{
    ORR_ASSERT(rows >= 0 && rows <= columns, "an assignment has a column for each row");
    orr_arena memory = {0};
    size_t m = (size_t)columns, n = (size_t)rows;
    search s = {.cost = cost,
                .rows = rows,
                .columns = columns,
                .of_row = orr_arena_alloc(&memory, n * sizeof(double)),
                .of_column = orr_arena_alloc(&memory, m * sizeof(double)),
                .far = orr_arena_alloc(&memory, m * sizeof(double)),
                .from = orr_arena_alloc(&memory, m * sizeof(int32_t)),
                .open = orr_arena_alloc(&memory, m * sizeof(int32_t)),
                .row_at = orr_arena_alloc(&memory, m * sizeof(int32_t)),
                .to = orr_arena_alloc(&memory, n * sizeof(int32_t))};
    double sum = assign(&s) ? 0 : INFINITY;
    for (size_t i = 0; i < n && sum < INFINITY; i++) {
        to[i] = s.to[i];
        sum += cost[i * m + (size_t)to[i]];
    }
    orr_arena_fini(&memory);
    return sum;
}
