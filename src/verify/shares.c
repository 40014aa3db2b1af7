/* Finish-time fairness of each job: what it took over what it would have taken alone on its fair share of the GPUs.
 *
 * For the share we need the average number of jobs present while it was. Sort all arrivals and departures, run the
 * integral of the number present along them, and note for each job by how much the integral grew between its two. */
#include "verify/proof.h"

#include <math.h>

typedef struct turn {
    int32_t pool;
    orr_time at;
    int step;          /* 1 comes, -1 goes */
    orr_wide *company; /* of that job */
} turn;

typedef struct guest {
    facts *f;
    orr_wide company;
    int32_t pool;
} guest;

typedef ORR_VEC(guest) guests;

static int by_pool_and_time(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->pool != y->pool)
        return x->pool < y->pool ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static orr_time gone(const proof *p, const facts *f)
{
    return f->end == ORR_TIME_NONE ? p->out->end : f->end;
}

static void integrate(turn *turns, size_t n)
{
    orr_wide sum = 0, present = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && turns[i].pool == turns[i - 1].pool)
            sum += present * ((orr_wide)turns[i].at - turns[i - 1].at);
        *turns[i].company -= turns[i].step * sum;
        present += turns[i].step;
    }
}

static void set_company(const proof *p, guests *all)
{
    turn *turns = orr_xcalloc(2 * all->n + 1, sizeof *turns);
    for (size_t i = 0; i < all->n; i++) {
        guest *g = &all->at[i];
        turns[2 * i] = (turn){g->pool, g->f->submit, 1, &g->company};
        turns[2 * i + 1] = (turn){g->pool, gone(p, g->f), -1, &g->company};
    }
    qsort(turns, 2 * all->n, sizeof *turns, by_pool_and_time);
    integrate(turns, 2 * all->n);
    free(turns);
}

static double rho_of(const guest *g, int64_t gpus)
{
    const facts *f = g->f;
    const double asked = (double)f->gpus * f->milli / 1000, d = (double)f->duration;
    if (f->stage < DONE || f->stage == REJECTED || f->end <= f->submit || d <= 0 || gpus <= 0)
        return NAN;
    const double there = (double)(f->end - f->submit);
    const double fair = (double)gpus * there / (double)g->company;
    if (f->milli != 1000 && fair >= asked)
        return there / d;
    return there / (d * asked / fmin(fair, asked));
}

/* Several VCs, kept apart, are each a pool; else all is one. */
void orr_shares_set(proof *p)
{
    guests all = {.n = 0};
    const bool split = p->pool_count > 1;
    for (uint64_t place = 0; place < (uint64_t)p->page_count * PAGE; place++) {
        facts *f = orr_proof_facts(p, place, false);
        if (!f || f->stage == ABSENT)
            continue;
        f->rho = NAN;
        if (f->stage != REJECTED && f->pool >= 0 && f->pool < p->pool_count && f->gpus > 0)
            ORR_VEC_PUSH(&all, ((guest){.f = f, .pool = split ? f->pool : 0}));
    }
    if (all.n)
        set_company(p, &all);
    for (size_t i = 0; i < all.n; i++)
        all.at[i].f->rho = rho_of(&all.at[i], split ? p->pool_gpus[all.at[i].pool] : p->gpus);
    ORR_VEC_FREE(&all);
}
