/* Waiting jobs by shape: a heap each, and for each whether it failed since room was last given back. */
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

typedef struct place {
    orr_job *job;
    orr_rank rank;
} place;

typedef struct heap {
    ORR_VEC(place) at;
    uint64_t failed; /* `room` when it found none; 0: it may */
} heap;

struct orr_waiting {
    ORR_VEC(heap) shapes;
    uint64_t room; /* from 1 */
};

orr_waiting *orr_waiting_create(void)
{
    orr_waiting *w = orr_xcalloc(1, sizeof *w);
    w->room = 1;
    return w;
}

void orr_waiting_destroy(orr_waiting *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->shapes.n; i++)
        ORR_VEC_FREE(&w->shapes.at[i].at);
    ORR_VEC_FREE(&w->shapes);
    free(w);
}

static bool ahead(const place *a, const place *b)
{
    if (a->rank.major < b->rank.major || a->rank.major > b->rank.major)
        return a->rank.major < b->rank.major;
    if (a->rank.minor < b->rank.minor || a->rank.minor > b->rank.minor)
        return a->rank.minor < b->rank.minor;
    return orr_job_index(a->job) < orr_job_index(b->job);
}

static void sift_up(heap *h, size_t i, place p)
{
    for (; i > 0 && ahead(&p, &h->at.at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at.at[i] = h->at.at[(i - 1) / 2];
    h->at.at[i] = p;
}

static void take_out(heap *h, size_t i)
{
    place last = h->at.at[--h->at.n];
    if (i == h->at.n)
        return;
    for (size_t kid; (kid = 2 * i + 1) < h->at.n; i = kid) {
        kid += kid + 1 < h->at.n && ahead(&h->at.at[kid + 1], &h->at.at[kid]);
        h->at.at[i] = h->at.at[kid];
    }
    sift_up(h, i, last);
}

static double clean(double rank)
{
    return rank == rank ? rank : HUGE_VAL;
}

void orr_waiting_add(orr_waiting *w, orr_job *job, uint32_t shape, orr_rank rank)
{
    while (w->shapes.n <= shape)
        ORR_VEC_PUSH(&w->shapes, (heap){0});
    heap *h = &w->shapes.at[shape];
    place p = {job, {clean(rank.major), clean(rank.minor)}};
    ORR_VEC_PUSH(&h->at, p);
    sift_up(h, h->at.n - 1, p);
}

bool orr_waiting_remove(orr_waiting *w, const orr_job *job, uint32_t shape)
{
    heap *h = shape < w->shapes.n ? &w->shapes.at[shape] : NULL;
    for (size_t i = 0; h && i < h->at.n; i++)
        if (h->at.at[i].job == job) {
            take_out(h, i);
            return true;
        }
    return false;
}

orr_job *orr_waiting_first(const orr_waiting *w, bool skip, uint32_t *shape)
{
    const heap *first = NULL;
    for (size_t i = 0; i < w->shapes.n; i++) {
        const heap *h = &w->shapes.at[i];
        if (h->at.n && !(skip && h->failed == w->room) && (!first || ahead(&h->at.at[0], &first->at.at[0])))
            first = h;
    }
    if (!first || first->failed == w->room)
        return NULL;
    *shape = (uint32_t)(first - w->shapes.at);
    return first->at.at[0].job;
}

void orr_waiting_failed(orr_waiting *w, uint32_t shape)
{
    w->shapes.at[shape].failed = w->room;
}

void orr_waiting_room(orr_waiting *w)
{
    w->room++;
}
