/* Linear and integer programs on GLPK: the primal simplex method, and branch and cut over it.
 *
 * A program keeps its own columns, rows and entries, and of each solve the status of every column and row in the last
 * basis. GLPK's object is built from them at each solve, with that basis to begin with, and deleted after it. That is
 * a small part of what the pivots cost, and it means that nothing of GLPK's outlives a call: its memory belongs to
 * the thread that asked for it, while a program of ours may be made in one thread, solved in another and destroyed in
 * a third.
 *
 * GLPK ends the process when its arguments are wrong. So they are checked here: bounds that exclude each other are an
 * answer (infeasible), integer columns get integer bounds, and all else is asserted. Its clock is never asked: limits
 * count pivots and nodes.
 *
 * Tolerances are 1e-9 where GLPK's are 1e-7; where the simplex method fails with them it begins anew, once, with
 * GLPK's own.
 */
#include "solve/lp.h"

#include "base/assert.h"
#include "base/mem.h"

#include <glpk.h>
#include <limits.h>
#include <math.h>

enum { DEFAULT_PIVOTS = 1000000, DEFAULT_NODES = 100000 };

typedef struct line { /* a column or a row */
    double cost, lower, upper;
    double value; /* of a column: in the solution; of a row: its dual */
    int status;   /* in the last basis; 0: new */
    bool integer;
} line;

typedef ORR_VEC(line) lines;

typedef struct entry {
    int32_t row, column;
    double value;
    bool instead; /* of what stands there; else added to it */
} entry;

struct orr_lp {
    bool maximise, has_integers, scaled;
    lines columns, rows;
    ORR_VEC(entry) entries;
    size_t settled; /* so many entries stand alone at their row and column; each behind them may add to another */
    double objective;
    int64_t pivots;
};

orr_lp *orr_lp_create(bool maximise)
{
    orr_lp *lp = orr_xcalloc(1, sizeof *lp);
    lp->maximise = maximise;
    return lp;
}

void orr_lp_is_scaled(orr_lp *lp)
{
    lp->scaled = true;
}

void orr_lp_destroy(orr_lp *lp)
{
    if (lp == NULL)
        return;
    ORR_VEC_FREE(&lp->columns);
    ORR_VEC_FREE(&lp->rows);
    ORR_VEC_FREE(&lp->entries);
    free(lp);
}

/* ---- columns, rows, entries ---- */

static void check_bounds(double lower, double upper)
{
    ORR_ASSERT(!isnan(lower) && !isnan(upper), "bounds of a linear program");
    ORR_ASSERT(lower < INFINITY && upper > -INFINITY, "bounds of a linear program");
}

static line *line_at(const lines *all, int32_t i)
{
    ORR_ASSERT(i >= 0 && (size_t)i < all->n, "a row or column of a linear program");
    return &all->at[i];
}

static int32_t add_line(lines *to, double cost, double lower, double upper, bool integer)
{
    check_bounds(lower, upper);
    ORR_ASSERT(isfinite(cost), "cost in a linear program");
    ORR_ASSERT(to->n < INT_MAX / 2, "size of a linear program");
    ORR_VEC_PUSH(to, ((line){.cost = cost, .lower = lower, .upper = upper, .integer = integer}));
    return (int32_t)to->n - 1;
}

int32_t orr_lp_column(orr_lp *lp, double cost, double lower, double upper)
{
    return add_line(&lp->columns, cost, lower, upper, false);
}

int32_t orr_lp_integer(orr_lp *lp, double cost, double lower, double upper)
{
    lp->has_integers = true;
    return add_line(&lp->columns, cost, lower, upper, true);
}

int32_t orr_lp_row(orr_lp *lp, double lower, double upper)
{
    return add_line(&lp->rows, 0, lower, upper, false);
}

static void add_entry(orr_lp *lp, int32_t row, int32_t column, double value, bool instead)
{
    line_at(&lp->rows, row), line_at(&lp->columns, column);
    ORR_ASSERT(isfinite(value), "an entry of a linear program");
    ORR_ASSERT(lp->entries.n < INT_MAX / 2, "size of a linear program");
    ORR_VEC_PUSH(&lp->entries, ((entry){row, column, value, instead}));
}

void orr_lp_add(orr_lp *lp, int32_t row, int32_t column, double value)
{
    add_entry(lp, row, column, value, false);
}

void orr_lp_put(orr_lp *lp, int32_t row, int32_t column, double value)
{
    add_entry(lp, row, column, value, true);
}

void orr_lp_set_cost(orr_lp *lp, int32_t column, double cost)
{
    ORR_ASSERT(isfinite(cost), "cost in a linear program");
    line_at(&lp->columns, column)->cost = cost;
}

void orr_lp_set_bounds(orr_lp *lp, int32_t column, double lower, double upper)
{
    check_bounds(lower, upper);
    line *c = line_at(&lp->columns, column);
    c->lower = lower, c->upper = upper;
}

void orr_lp_set_row(orr_lp *lp, int32_t row, double lower, double upper)
{
    check_bounds(lower, upper);
    line *r = line_at(&lp->rows, row);
    r->lower = lower, r->upper = upper;
}

/* In the order of their columns, and inside a column of their coming. */
static void sort_by_column(orr_lp *lp)
{
    size_t n = lp->entries.n;
    size_t *next = orr_xcalloc(lp->columns.n + 1, sizeof *next);
    entry *sorted = orr_xcalloc(n, sizeof *sorted);
    for (size_t e = 0; e < n; e++)
        next[lp->entries.at[e].column + 1]++;
    for (size_t c = 1; c < lp->columns.n; c++)
        next[c] += next[c - 1];
    for (size_t e = 0; e < n; e++)
        sorted[next[lp->entries.at[e].column]++] = lp->entries.at[e];
    memcpy(lp->entries.at, sorted, n * sizeof *sorted);
    free(sorted);
    free(next);
}

/* What is left when a number is taken away again is 0, not the error of rounding, which would spoil the scaling. */
static double sum_of(double a, double b)
{
    return fabs(a + b) <= 1e-15 * (fabs(a) + fabs(b)) ? 0 : a + b;
}

/* One entry for each row and column. O(entries). */
static void settle(orr_lp *lp)
{
    if (lp->settled == lp->entries.n)
        return;
    sort_by_column(lp);
    entry *at = lp->entries.at;
    size_t *newest = orr_xcalloc(lp->rows.n, sizeof *newest); /* 1 + where the row's newest entry is */
    size_t kept = 0;
    for (size_t e = 0; e < lp->entries.n; e++) {
        size_t before = newest[at[e].row];
        if (before != 0 && at[before - 1].column == at[e].column) {
            at[before - 1].value = at[e].instead ? at[e].value : sum_of(at[before - 1].value, at[e].value);
            continue;
        }
        at[kept] = at[e];
        newest[at[e].row] = ++kept;
    }
    free(newest);
    lp->settled = lp->entries.n = kept;
}

/* ---- GLPK's object ---- */

/* Integer columns have integer bounds: GLPK refuses others. */
static double lower_of(const line *l)
{
    return l->integer ? ceil(l->lower - 1e-9) : l->lower;
}

static double upper_of(const line *l)
{
    return l->integer ? floor(l->upper + 1e-9) : l->upper;
}

static bool bounds_exclude(const lines *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (lower_of(&all->at[i]) > upper_of(&all->at[i]))
            return true;
    return false;
}

static int kind_of_bounds(double lower, double upper)
{
    if (isinf(lower))
        return isinf(upper) ? GLP_FR : GLP_UP;
    if (isinf(upper))
        return GLP_LO;
    return lower < upper ? GLP_DB : GLP_FX;
}

static double finite_or_0(double x)
{
    return isinf(x) ? 0 : x;
}

static void load_columns(glp_prob *g, const orr_lp *lp)
{
    glp_add_cols(g, (int)lp->columns.n);
    for (int c = 1; c <= (int)lp->columns.n; c++) {
        const line *l = &lp->columns.at[c - 1];
        double lower = lower_of(l), upper = upper_of(l);
        glp_set_col_bnds(g, c, kind_of_bounds(lower, upper), finite_or_0(lower), finite_or_0(upper));
        glp_set_obj_coef(g, c, l->cost);
        if (l->integer)
            glp_set_col_kind(g, c, GLP_IV);
        if (l->status != 0)
            glp_set_col_stat(g, c, l->status);
    }
}

static void load_rows(glp_prob *g, const orr_lp *lp)
{
    glp_add_rows(g, (int)lp->rows.n);
    for (int r = 1; r <= (int)lp->rows.n; r++) {
        const line *l = &lp->rows.at[r - 1];
        glp_set_row_bnds(g, r, kind_of_bounds(l->lower, l->upper), finite_or_0(l->lower), finite_or_0(l->upper));
        if (l->status != 0)
            glp_set_row_stat(g, r, l->status);
    }
}

static void load_entries(glp_prob *g, const orr_lp *lp)
{
    size_t n = lp->entries.n;
    int *row = orr_xcalloc(n + 1, sizeof *row), *column = orr_xcalloc(n + 1, sizeof *column);
    double *value = orr_xcalloc(n + 1, sizeof *value);
    for (size_t e = 0; e < n; e++) {
        row[e + 1] = lp->entries.at[e].row + 1;
        column[e + 1] = lp->entries.at[e].column + 1;
        value[e + 1] = lp->entries.at[e].value;
    }
    glp_load_matrix(g, (int)n, row, column, value);
    free(value);
    free(column);
    free(row);
}

static glp_prob *load(const orr_lp *lp)
{
    glp_prob *g = glp_create_prob();
    glp_set_obj_dir(g, lp->maximise ? GLP_MAX : GLP_MIN);
    if (lp->rows.n > 0)
        load_rows(g, lp);
    else
        glp_add_rows(g, 1); /* one without bounds: branch and cut wants at least one */
    if (lp->columns.n > 0)
        load_columns(g, lp);
    load_entries(g, lp);
    if (!lp->scaled)
        glp_scale_prob(g, GLP_SF_GM | GLP_SF_EQ | GLP_SF_2N | GLP_SF_SKIP);
    return g;
}

static void keep_basis(orr_lp *lp, glp_prob *g)
{
    for (size_t c = 0; c < lp->columns.n; c++)
        lp->columns.at[c].status = glp_get_col_stat(g, (int)c + 1);
    for (size_t r = 0; r < lp->rows.n; r++)
        lp->rows.at[r].status = glp_get_row_stat(g, (int)r + 1);
}

/* ---- the linear program ---- */

static void keep_relaxed(orr_lp *lp, glp_prob *g)
{
    for (size_t c = 0; c < lp->columns.n; c++) {
        line *l = &lp->columns.at[c];
        l->value = fmin(fmax(glp_get_col_prim(g, (int)c + 1), lower_of(l)), upper_of(l));
    }
    for (size_t r = 0; r < lp->rows.n; r++)
        lp->rows.at[r].value = glp_get_row_dual(g, (int)r + 1);
    lp->objective = glp_get_obj_val(g);
}

static int simplex(glp_prob *g, int64_t pivots, double tolerance)
{
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.meth = GLP_PRIMAL;
    how.it_lim = pivots < INT_MAX ? (int)pivots : INT_MAX;
    how.tol_bnd = how.tol_dj = tolerance;
    return glp_simplex(g, &how);
}

static bool decided(glp_prob *g, int failure)
{
    int status = glp_get_status(g);
    return failure == 0 && (status == GLP_OPT || status == GLP_NOFEAS || status == GLP_UNBND);
}

static orr_lp_status solve_relaxed(orr_lp *lp, glp_prob *g, int64_t pivots)
{
    int failure = simplex(g, pivots, 1e-9);
    if (!decided(g, failure) && failure != GLP_EITLIM) {
        glp_std_basis(g);
        failure = simplex(g, pivots, 1e-7);
    }
    keep_basis(lp, g);
    int status = glp_get_status(g);
    if (decided(g, failure) && status != GLP_OPT)
        return status == GLP_NOFEAS ? ORR_LP_INFEASIBLE : ORR_LP_UNBOUNDED;
    if (status != GLP_OPT && status != GLP_FEAS)
        return ORR_LP_LIMIT;
    keep_relaxed(lp, g);
    return status == GLP_OPT ? ORR_LP_OPTIMAL : ORR_LP_FEASIBLE;
}

/* ---- branch and cut ---- */

static void stop_at_limits(glp_tree *tree, void *info)
{
    const orr_lp_limits *limits = info;
    int nodes;
    glp_ios_tree_size(tree, NULL, NULL, &nodes);
    if (nodes > limits->nodes || glp_get_it_cnt(glp_ios_get_prob(tree)) > limits->pivots)
        glp_ios_terminate(tree);
}

/* Cuts cost time at each node, and decide programs that branching alone doesn't. */
static int branch_and_cut(glp_prob *g, orr_lp_limits *limits)
{
    glp_iocp how;
    glp_init_iocp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.cb_func = stop_at_limits;
    how.cb_info = limits;
    how.mip_gap = limits->gap;
    how.mir_cuts = how.gmi_cuts = GLP_ON;
    return glp_intopt(g, &how);
}

static void keep_integer(orr_lp *lp, glp_prob *g)
{
    for (size_t c = 0; c < lp->columns.n; c++)
        lp->columns.at[c].value = glp_mip_col_val(g, (int)c + 1);
    for (size_t r = 0; r < lp->rows.n; r++)
        lp->rows.at[r].value = 0;
    lp->objective = glp_mip_obj_val(g);
}

static orr_lp_status solve_integer(orr_lp *lp, glp_prob *g, orr_lp_limits *limits)
{
    int failure = branch_and_cut(g, limits);
    int status = glp_mip_status(g);
    if (failure == 0 && status == GLP_NOFEAS)
        return ORR_LP_INFEASIBLE;
    if (status != GLP_OPT && status != GLP_FEAS)
        return ORR_LP_LIMIT;
    keep_integer(lp, g);
    return status == GLP_OPT || failure == GLP_EMIPGAP ? ORR_LP_OPTIMAL : ORR_LP_FEASIBLE;
}

/* ---- solving ---- */

/* GLPK's errors end the process anyway: all that a caller can get wrong was checked before. */
static void glpk_failed(void *info)
{
    (void)info;
    orr_assert_failed("GLPK works", __FILE__, __LINE__, "it met an error of its own, or there is no memory");
}

/* GLPK has an environment for each thread, which outlives its objects. One that was new is taken down again; one in
 * which the embedding program works is left as it was. */
typedef struct surroundings {
    bool ours;
    int term_out;
} surroundings;

static surroundings enter_glpk(void)
{
    int blocks;
    glp_mem_usage(&blocks, NULL, NULL, NULL);
    surroundings s = {.term_out = glp_term_out(GLP_OFF)};
    s.ours = blocks == 0 && s.term_out == GLP_ON;
    if (s.ours)
        glp_error_hook(glpk_failed, NULL);
    return s;
}

static void leave_glpk(surroundings s)
{
    if (s.ours)
        glp_free_env();
    else
        glp_term_out(s.term_out);
}

static orr_lp_limits limits_of(const orr_lp_limits *given)
{
    orr_lp_limits l = given != NULL ? *given : (orr_lp_limits){0};
    ORR_ASSERT(l.pivots >= 0 && l.nodes >= 0 && l.gap >= 0, "limits of a linear program");
    l.pivots = l.pivots > 0 ? l.pivots : DEFAULT_PIVOTS;
    l.nodes = l.nodes > 0 ? l.nodes : DEFAULT_NODES;
    return l;
}

orr_lp_status orr_lp_solve(orr_lp *lp, const orr_lp_limits *limits)
{
    orr_lp_limits within = limits_of(limits);
    if (bounds_exclude(&lp->columns) || bounds_exclude(&lp->rows))
        return ORR_LP_INFEASIBLE;
    settle(lp);
    surroundings before = enter_glpk();
    glp_prob *g = load(lp);
    orr_lp_status status = solve_relaxed(lp, g, within.pivots);
    if (status == ORR_LP_FEASIBLE && lp->has_integers)
        status = ORR_LP_LIMIT; /* of the relaxed program only: nothing of it is whole */
    if (status == ORR_LP_OPTIMAL && lp->has_integers)
        status = solve_integer(lp, g, &within);
    lp->pivots += glp_get_it_cnt(g);
    glp_delete_prob(g);
    leave_glpk(before);
    return status;
}

double orr_lp_objective(const orr_lp *lp)
{
    return lp->objective;
}

double orr_lp_value(const orr_lp *lp, int32_t column)
{
    return line_at(&lp->columns, column)->value;
}

double orr_lp_dual(const orr_lp *lp, int32_t row)
{
    return line_at(&lp->rows, row)->value;
}

int64_t orr_lp_pivots(const orr_lp *lp)
{
    return lp->pivots;
}
