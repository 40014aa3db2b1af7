#include "model/price.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MILLION 1e6

typedef struct step {
    orr_time at;
    uint32_t order;  /* of the call */
    int64_t price;   /* millionths an hour */
    orr_wide before; /* integral from the first step to this one */
} step;

typedef struct series {
    char *type;
    ORR_VEC(step) steps;
} series;

struct orr_prices {
    ORR_VEC(series) types;
    uint32_t calls;
};

orr_prices *orr_prices_create(void)
{
    return orr_xcalloc(1, sizeof(orr_prices));
}

void orr_prices_destroy(orr_prices *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->types.n; i++) {
        free(p->types.at[i].type);
        ORR_VEC_FREE(&p->types.at[i].steps);
    }
    ORR_VEC_FREE(&p->types);
    free(p);
}

int32_t orr_prices_own(const orr_prices *p, const char *type)
{
    for (size_t i = 0; i < p->types.n; i++)
        if (strcmp(p->types.at[i].type, type) == 0)
            return (int32_t)i;
    return -1;
}

int32_t orr_prices_type(const orr_prices *p, const char *type)
{
    int32_t own = orr_prices_own(p, type);
    return own >= 0 ? own : orr_prices_own(p, "");
}

void orr_prices_add(orr_prices *p, const char *type, orr_time at, double price)
{
    int32_t i = orr_prices_own(p, type);
    if (i < 0) {
        i = (int32_t)p->types.n;
        ORR_VEC_PUSH(&p->types, ((series){.type = orr_xstrdup(type)}));
    }
    ORR_VEC_PUSH(&p->types.at[i].steps, ((step){.at = at, .order = p->calls++, .price = llround(price * MILLION)}));
}

static int by_time(const void *a, const void *b)
{
    const step *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void orr_prices_finish(orr_prices *p)
{
    for (size_t i = 0; i < p->types.n; i++) {
        series *s = &p->types.at[i];
        qsort(s->steps.at, s->steps.n, sizeof *s->steps.at, by_time);
        for (size_t k = 1; k < s->steps.n; k++) {
            const step *before = &s->steps.at[k - 1];
            s->steps.at[k].before = before->before + ((orr_wide)s->steps.at[k].at - before->at) * before->price;
        }
    }
}

/* The last step at or before `at`; the first one if there is none. */
static const step *step_at(const series *s, orr_time at)
{
    size_t low = 0, high = s->steps.n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (s->steps.at[mid].at <= at)
            low = mid;
        else
            high = mid;
    }
    return &s->steps.at[low];
}

double orr_prices_at(const orr_prices *p, int32_t type, orr_time at)
{
    return (double)step_at(&p->types.at[type], at)->price / MILLION;
}

/* From the first step on; negative before it. */
static orr_wide integral_to(const series *s, orr_time at)
{
    const step *from = step_at(s, at);
    return from->before + ((orr_wide)at - from->at) * from->price;
}

orr_wide orr_prices_over(const orr_prices *p, int32_t type, orr_time from, orr_time to)
{
    const series *s = &p->types.at[type];
    return integral_to(s, to) - integral_to(s, from);
}

double orr_money(orr_wide integral)
{
    return (double)integral / (MILLION * 3600e9);
}
