/* For each share that some class asks, two numbers tell all about a node: how many GPUs have that much left, and what
 * the others have left in sum. Both are prefix sums over the shares, so that a class costs O(1). */
#include "base/assert.h"
#include "base/mem.h"
#include "cluster/cluster.h"

#include <orrery/fragment.h>

#include <stdlib.h>

typedef struct class
{
    int64_t cpu_milli;
    uint64_t types;
    int32_t gpus, share; /* share: its place among the shares */
    double part;
} class;

struct orr_fragments {
    size_t count;
    class *classes;
    int32_t shares;                   /* different ones */
    int32_t below[ORR_WHOLE_GPU + 1]; /* by what a GPU has left: how many shares it can give, smallest first */
};

/* What a node has for each share. */
typedef struct table {
    int32_t fit[ORR_WHOLE_GPU + 1];   /* GPUs with that much left */
    int64_t small[ORR_WHOLE_GPU + 1]; /* left on all others, in sum */
    int64_t all;
} table;

static void number_shares(orr_fragments *f, const orr_fragment_class *classes, size_t n)
{
    bool asked[ORR_WHOLE_GPU + 1] = {false};
    for (size_t i = 0; i < n; i++) {
        ORR_ASSERT(classes[i].gpus == 0 || (classes[i].milli > 0 && classes[i].milli <= ORR_WHOLE_GPU),
                   "a class asks for no part of a GPU");
        asked[classes[i].gpus > 0 ? classes[i].milli : 0] |= classes[i].gpus > 0;
    }
    for (int32_t milli = 0; milli <= ORR_WHOLE_GPU; milli++)
        f->below[milli] = f->shares += asked[milli];
}

orr_fragments *orr_fragments_create(const orr_fragment_class *classes, size_t n)
{
    orr_fragments *f = orr_xcalloc(1, sizeof *f);
    f->count = n;
    f->classes = orr_xcalloc(n + 1, sizeof *f->classes);
    number_shares(f, classes, n);
    for (size_t i = 0; i < n; i++)
        f->classes[i] = (class){.cpu_milli = classes[i].cpu_milli,
                                .types = classes[i].types,
                                .gpus = classes[i].gpus,
                                .share = classes[i].gpus > 0 ? f->below[classes[i].milli] - 1 : 0,
                                .part = classes[i].part};
    return f;
}

void orr_fragments_destroy(orr_fragments *f)
{
    if (!f)
        return;
    free(f->classes);
    free(f);
}

static void count_gpus(const orr_fragments *f, const orr_remnant *left, table *t)
{
    memset(t->fit, 0, ((size_t)f->shares + 1) * sizeof *t->fit);
    memset(t->small, 0, ((size_t)f->shares + 1) * sizeof *t->small);
    t->all = 0;
    for (int32_t g = 0; g < left->gpus; g++) {
        const int32_t gives = f->below[left->milli[g]];
        t->fit[gives]++;
        t->small[gives] += left->milli[g];
        t->all += left->milli[g];
    }
    int32_t unable = 0;
    int64_t sum = 0;
    for (int32_t s = 0; s < f->shares; s++) { /* a GPU that gives k shares is too small from the k-th on */
        unable += t->fit[s];
        sum += t->small[s];
        t->fit[s] = left->gpus - unable;
        t->small[s] = sum;
    }
}

static orr_fragment_cause cause_of(const class *c, const orr_remnant *left, const table *t)
{
    const bool cores = c->cpu_milli <= left->cpu_milli;
    if (c->gpus == 0)
        return cores ? ORR_FRAGMENT_NO_GPU : ORR_FRAGMENT_NO_CORES;
    if (!(c->types & left->type))
        return ORR_FRAGMENT_TYPE;
    if (t->fit[c->share] < c->gpus)
        return cores ? ORR_FRAGMENT_GPUS : ORR_FRAGMENT_BOTH;
    return cores ? ORR_FRAGMENT_USABLE : ORR_FRAGMENT_CORES;
}

void orr_fragments_by_cause(const orr_fragments *f, const orr_remnant *left, double out[ORR_FRAGMENT_CAUSES])
{
    table t;
    memset(out, 0, ORR_FRAGMENT_CAUSES * sizeof *out);
    count_gpus(f, left, &t);
    for (size_t i = 0; i < f->count; i++) {
        const class *c = &f->classes[i];
        const orr_fragment_cause cause = cause_of(c, left, &t);
        if (cause != ORR_FRAGMENT_USABLE) {
            out[cause] += c->part * (double)t.all;
            continue;
        }
        out[ORR_FRAGMENT_GPUS] += c->part * (double)t.small[c->share];
        out[ORR_FRAGMENT_USABLE] += c->part * (double)(t.all - t.small[c->share]);
    }
}

double orr_fragments_of(const orr_fragments *f, const orr_remnant *left)
{
    double by[ORR_FRAGMENT_CAUSES], sum = 0;
    orr_fragments_by_cause(f, left, by);
    for (int i = 0; i < ORR_FRAGMENT_CAUSES; i++)
        sum += i == ORR_FRAGMENT_USABLE ? 0 : by[i];
    return sum;
}
