/* The least v of a mix of rows: a linear program with one row for each type, one for the sum, and the columns parts,
 * spare room and v. Primal simplex from the best single row; the basis is so small (types + 1) that it is inverted
 * anew at each pivot, which keeps it accurate to the last digits. */
#include "base/mem.h"
#include "solve/prices.h"

#include <math.h>

#define ROUNDING 4e-15

typedef struct game {
    int32_t rows, types, n; /* n = types + 1 */
    const double *cost;
    int32_t *basis;          /* [n]: a row of the game; rows + k: spare room of k; rows + types: v */
    double *inverse;         /* [n][n] */
    double *value;           /* [n] of the basis */
    double *dual;            /* [n] */
    double *column, *turned; /* [n]: the one that enters, as it is and in terms of the basis */
    double *work;            /* [n][2n] */
} game;

static void column_of(const game *g, int32_t which, double *out)
{
    bool row = which < g->rows;
    for (int32_t k = 0; k < g->types; k++)
        out[k] = row ? g->cost[(size_t)which * (size_t)g->types + (size_t)k] : 0;
    out[g->types] = row;
    if (which == g->rows + g->types)
        for (int32_t k = 0; k < g->types; k++)
            out[k] = -1;
    else if (!row)
        out[which - g->rows] = 1;
}

static void swap_rows(double *m, size_t width, size_t a, size_t b)
{
    for (size_t c = 0; a != b && c < width; c++) {
        double keep = m[a * width + c];
        m[a * width + c] = m[b * width + c];
        m[b * width + c] = keep;
    }
}

/* One step of Gauss and Jordan. False: singular. */
static bool eliminate(double *m, size_t n, size_t at)
{
    size_t width = 2 * n, pivot = at;
    for (size_t r = at + 1; r < n; r++)
        if (fabs(m[r * width + at]) > fabs(m[pivot * width + at]))
            pivot = r;
    if (!(fabs(m[pivot * width + at]) > 0))
        return false;
    swap_rows(m, width, at, pivot);
    double by = 1 / m[at * width + at];
    for (size_t c = at; c < width; c++)
        m[at * width + c] *= by;
    for (size_t r = 0; r < n; r++) {
        double times = m[r * width + at];
        for (size_t c = at; r != at && times != 0 && c < width; c++)
            m[r * width + c] -= times * m[at * width + c];
    }
    return true;
}

/* The inverse of the basis, and with it values and duals (only v costs anything, 1). */
static bool refresh(game *g)
{
    size_t n = (size_t)g->n, at_v = 0;
    memset(g->work, 0, 2 * n * n * sizeof *g->work);
    for (size_t c = 0; c < n; c++) {
        column_of(g, g->basis[c], g->column);
        for (size_t r = 0; r < n; r++)
            g->work[r * 2 * n + c] = g->column[r];
        g->work[c * 2 * n + n + c] = 1;
        at_v = g->basis[c] == g->rows + g->types ? c : at_v;
    }
    for (size_t c = 0; c < n; c++)
        if (!eliminate(g->work, n, c))
            return false;
    for (size_t r = 0; r < n; r++) {
        memcpy(g->inverse + r * n, g->work + r * 2 * n + n, n * sizeof *g->inverse);
        g->value[r] = g->inverse[r * n + n - 1]; /* the right side is 0 but for the sum, 1 */
    }
    memcpy(g->dual, g->inverse + at_v * n, n * sizeof *g->dual);
    return true;
}

/* What v gains by a row, 0 where it is no more than rounding. */
static double gain_of_row(const game *g, int32_t row)
{
    const double *cost = g->cost + (size_t)row * (size_t)g->types;
    double sum = g->dual[g->types], size = fabs(sum);
    for (int32_t k = 0; k < g->types; k++) {
        double term = g->dual[k] * cost[k];
        sum += term;
        size += fabs(term);
    }
    return sum > ROUNDING * size ? sum : 0;
}

static double gain_of_room(const game *g, int32_t type)
{
    return g->dual[type] > ROUNDING ? g->dual[type] : 0;
}

/* What enters: the column that lowers v most, or with `first` the first that does. -1: none, this is the best. */
static int32_t entering(const game *g, bool first)
{
    double most = 0;
    int32_t best = -1;
    for (int32_t i = 0; i < g->rows + g->types; i++) {
        double gain = i < g->rows ? gain_of_row(g, i) : gain_of_room(g, i - g->rows);
        if (gain > most) {
            most = gain;
            best = i;
            if (first)
                break;
        }
    }
    return best;
}

/* What leaves: the first to become 0; among equals the largest pivot, or with `first` the least number. -1: nothing
 * can. */
static int32_t leaving(const game *g, bool first)
{
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t r = 0; r < g->n; r++) {
        if (g->turned[r] <= 1e-11 || g->basis[r] == g->rows + g->types)
            continue;
        double ratio = fmax(g->value[r], 0) / g->turned[r];
        bool equal = best >= 0 && ratio <= least && ratio >= least;
        if (ratio < least || (equal && (first ? g->basis[r] < g->basis[best] : g->turned[r] > g->turned[best]))) {
            least = ratio;
            best = r;
        }
    }
    return best;
}

static void turn(game *g, int32_t which)
{
    column_of(g, which, g->column);
    for (int32_t r = 0; r < g->n; r++) {
        g->turned[r] = 0;
        for (int32_t c = 0; c < g->n; c++)
            g->turned[r] += g->inverse[r * g->n + c] * g->column[c];
    }
}

/* The best single row, with the spare room that it leaves at its own v. */
static void begin(game *g)
{
    int32_t row = 0, tight = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < g->rows; i++) {
        int32_t at = 0;
        const double *cost = g->cost + (size_t)i * (size_t)g->types;
        for (int32_t k = 1; k < g->types; k++)
            at = cost[k] > cost[at] ? k : at;
        if (cost[at] < least) {
            least = cost[at];
            row = i;
            tight = at;
        }
    }
    for (int32_t k = 0; k < g->types; k++)
        g->basis[k] = k == tight ? g->rows + g->types : g->rows + k;
    g->basis[g->types] = row;
}

static void improve(game *g)
{
    int32_t pivots = 0, most = 200 + 20 * g->n;
    while (refresh(g) && pivots < most) {
        bool first = pivots++ > most / 2; /* the rule that can't go round in circles */
        int32_t in = entering(g, first);
        if (in < 0)
            return;
        turn(g, in);
        int32_t out = leaving(g, first);
        if (out < 0)
            return;
        g->basis[out] = in;
    }
}

static int32_t report(const game *g, double *v, double *price, int32_t *row, double *part)
{
    int32_t count = 0;
    for (int32_t r = 0; r < g->n; r++) {
        if (g->basis[r] == g->rows + g->types)
            *v = g->value[r];
        if (g->basis[r] >= g->rows || g->value[r] <= 0)
            continue;
        row[count] = g->basis[r];
        part[count++] = g->value[r];
    }
    for (int32_t k = 0; k < g->types; k++)
        price[k] = fmax(-g->dual[k], 0);
    return count;
}

int32_t orr_game_solve(const double *cost, int32_t rows, int32_t types, double *v, double *price, int32_t *row,
                       double *part)
{
    size_t n = (size_t)types + 1;
    double *room = orr_xcalloc(3 * n * n + 4 * n, sizeof *room);
    game g = {.rows = rows, .types = types, .n = types + 1, .cost = cost};
    g.basis = orr_xcalloc(n, sizeof *g.basis);
    g.work = room;
    g.inverse = room + 2 * n * n;
    g.value = g.inverse + n * n;
    g.dual = g.value + n;
    g.column = g.dual + n;
    g.turned = g.column + n;
    begin(&g);
    improve(&g);
    int32_t count = report(&g, v, price, row, part);
    free(g.basis);
    free(room);
    return count;
}
