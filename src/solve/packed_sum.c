/* Greatest sum of gains, with and without pairs, over the program of packed.h: first everyone's floor, which may need
 * pairs that nobody would price before, then the gains with the floors kept.
 */
#include "solve/packed.h"

#include "base/mem.h"

/* The floors are kept if t, of which each has floor times as much, reaches 1. */
static bool keep_floors(orr_master *m)
{
    orr_lp_set_bounds(m->lp, m->t, 0, 1);
    return orr_master_solve(m) && orr_master_t(m) >= 1 - 1e-9;
}

/* `of_class` has room for the floor of each class. */
static bool max_sum(orr_packed *c, const double *floor, double *of_class, double *x, double *loss)
{
    bool floors = false;
    for (int32_t i = 0; i < c->classes; i++) {
        of_class[i] = floor != NULL ? floor[c->first[i]] : 0;
        if (of_class[i] > 0 && c->best[i] <= 0)
            return false;
        floors = floors || of_class[i] > 0;
    }
    orr_master m;
    orr_master_init(&m, c, of_class);
    bool kept = !floors || keep_floors(&m);
    if (kept) {
        orr_master_maximise_gain(&m, floors ? orr_master_t(&m) : 0);
        orr_master_solve(&m);
        orr_master_read(&m, x);
        if (loss)
            orr_master_losses(&m, loss);
    }
    orr_master_fini(&m);
    return kept;
}

bool orr_shares_max_sum_losses(const orr_share_problem *p, const double *gain, const double *floor, double *x, double *loss)
{
    orr_packed c;
    uint64_t *mark = orr_xcalloc((size_t)p->jobs, sizeof *mark);
    for (int32_t j = 0; floor != NULL && j < p->jobs; j++)
        mark[j] = orr_packed_mark(&floor[j], 1);
    orr_packed_init(&c, p, mark, gain);
    double *of_class = orr_xcalloc((size_t)c.classes, sizeof *of_class);
    bool kept = max_sum(&c, floor, of_class, x, loss);
    free(of_class);
    free(mark);
    orr_packed_fini(&c);
    return kept;
}

bool orr_shares_max_sum(const orr_share_problem *p, const double *gain, const double *floor, double *x)
{
    return orr_shares_max_sum_losses(p, gain, floor, x, NULL);
}
