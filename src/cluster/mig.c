/* The tables are NVIDIA's MIG user guide's: profiles, their slices, and the places where they may begin. */
#include "cluster/mig.h"

#include "base/assert.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(i) (1u << (i))

static const orr_mig_profile seven[] = {
    {"1g", 1, 1, AT(0) | AT(1) | AT(2) | AT(3) | AT(4) | AT(5) | AT(6)},
    {"1g+", 1, 2, AT(0) | AT(2) | AT(4) | AT(6)},
    {"2g", 2, 2, AT(0) | AT(2) | AT(4)},
    {"3g", 3, 4, AT(0) | AT(4)},
    {"4g", 4, 4, AT(0)},
    {"7g", 7, 8, AT(0)},
};
static const orr_mig_profile four[] = {
    {"1g", 1, 1, AT(0) | AT(1) | AT(2) | AT(3)},
    {"2g", 2, 2, AT(0) | AT(2)},
    {"4g", 4, 4, AT(0)},
};

static const orr_mig_model of_seven = {7, 8, sizeof seven / sizeof *seven, seven};
static const orr_mig_model of_four = {4, 4, sizeof four / sizeof *four, four};

const orr_mig_model *orr_mig_model_of(const char *gpu_type)
{
    if (strstr(gpu_type, "A100") || strstr(gpu_type, "H100") || strstr(gpu_type, "H200"))
        return &of_seven;
    return strstr(gpu_type, "A30") ? &of_four : NULL;
}

/* Bytes per slice vary by a few per cent with what the maker rounds, and between sizes by a factor of two. */
static bool is_size(const orr_mig_model *m, const orr_mig_profile *p, double gigabytes, int64_t gpu_mem)
{
    const double whole = gigabytes * 1e9 * m->memory / p->memory;
    return whole < 1.25 * (double)gpu_mem && (double)gpu_mem < 1.25 * whole;
}

const orr_mig_profile *orr_mig_named(const orr_mig_model *m, const char *name, int64_t gpu_mem)
{
    const size_t n = strcspn(name, ".");
    char *end;
    const double size = name[n] ? strtod(name + n + 1, &end) : 0;
    if (name[n] && (end == name + n + 1 || strcmp(end, "gb") != 0))
        return NULL;
    for (int32_t i = 0; i < m->count; i++) {
        const orr_mig_profile *p = &m->profiles[i];
        const bool begins = strncmp(p->name, name, n) == 0, sized = size > 0 && gpu_mem > 0;
        const bool plain = begins && !p->name[n], larger = begins && strcmp(p->name + n, "+") == 0;
        if (sized ? (plain || larger) && is_size(m, p, size, gpu_mem) : plain)
            return p;
    }
    return NULL;
}

int32_t orr_mig_milli(const orr_mig_model *m, const orr_mig_profile *p)
{
    return p->compute * 1000 / m->compute;
}

static uint8_t slices(const orr_mig_profile *p, int start)
{
    return (uint8_t)(((1u << p->memory) - 1u) << start);
}

bool orr_mig_fits(const orr_mig_model *m, const orr_mig_profile *p, int start, orr_mig_cut cut)
{
    return (p->starts >> start & 1u) && !(slices(p, start) & cut.memory) && cut.compute + p->compute <= m->compute;
}

orr_mig_cut orr_mig_with(orr_mig_cut cut, const orr_mig_profile *p, int start)
{
    return (orr_mig_cut){(uint8_t)(cut.memory | slices(p, start)), (int8_t)(cut.compute + p->compute)};
}

orr_mig_cut orr_mig_without(orr_mig_cut cut, const orr_mig_profile *p, int start)
{
    return (orr_mig_cut){(uint8_t)(cut.memory & ~slices(p, start)), (int8_t)(cut.compute - p->compute)};
}

/* At how many places something fits. */
static int places_left(const orr_mig_model *m, orr_mig_cut cut)
{
    int n = 0;
    for (int32_t i = 0; i < m->count; i++)
        for (int start = 0; start < m->memory; start++)
            n += orr_mig_fits(m, &m->profiles[i], start, cut);
    return n;
}

int orr_mig_place(const orr_mig_model *m, const orr_mig_profile *p, orr_mig_cut cut)
{
    int best = -1, most = -1;
    for (int start = 0; start < m->memory; start++) {
        if (!orr_mig_fits(m, p, start, cut))
            continue;
        const int left = places_left(m, orr_mig_with(cut, p, start));
        if (left <= most)
            continue;
        best = start;
        most = left;
    }
    return best;
}

/* ---- layouts ---- */

typedef struct layouts {
    const orr_mig_model *m;
    orr_mig_layout *out;
    int32_t n, most;
} layouts;

static void keep(layouts *l, const orr_mig_layout *one)
{
    for (int32_t i = 0; i < l->n && i < l->most; i++)
        if (memcmp(&l->out[i], one, sizeof *one) == 0)
            return;
    if (l->n < l->most)
        l->out[l->n] = *one;
    l->n++;
}

/* Instances are added by profile and place downwards, so that a set is met once; whether it is full is asked of all. */
static void add_instances(layouts *l, int32_t below, orr_mig_cut cut, orr_mig_layout one)
{
    bool full = true;
    for (int32_t at = l->m->count * ORR_MIG_MOST - 1; at >= 0; at--) {
        const int32_t k = at / ORR_MIG_MOST, start = at % ORR_MIG_MOST;
        const orr_mig_profile *p = &l->m->profiles[k];
        if ((k && p[-1].compute == p->compute) || !orr_mig_fits(l->m, p, start, cut))
            continue;
        full = false;
        if (at >= below)
            continue;
        orr_mig_layout more = one;
        more.profile[more.count++] = k;
        add_instances(l, at, orr_mig_with(cut, p, start), more);
    }
    if (full)
        keep(l, &one);
}

int32_t orr_mig_layouts(const orr_mig_model *m, orr_mig_layout *out, int32_t most)
{
    layouts l = {.m = m, .out = out, .most = most};
    add_instances(&l, m->count * ORR_MIG_MOST, (orr_mig_cut){0}, (orr_mig_layout){0});
    return l.n;
}

const orr_mig_profile *orr_mig_least(const orr_mig_model *m, int32_t milli, int64_t bytes, int64_t gpu_mem)
{
    for (int32_t i = 0; i < m->count; i++) {
        const orr_mig_profile *p = &m->profiles[i];
        if (p->compute * 1000 >= milli * m->compute && (!gpu_mem || gpu_mem / m->memory * p->memory >= bytes))
            return p;
    }
    return NULL;
}

/* ---- instances ---- */

static int find(const orr_mig_instance *list, int32_t n, uint32_t holder)
{
    int i = 0;
    while (i < n && list[i].holder != holder)
        i++;
    return i < n ? i : -1;
}

static void drop(orr_mig_instance *list, int32_t *n, int i)
{
    memmove(list + i, list + i + 1, (size_t)(*n - i - 1) * sizeof *list);
    (*n)--;
}

/* Plans give and take back what they then leave as it was: nobody moves for that. */
static int former_place(const orr_mig_model *m, orr_mig_gpu *gpu, const orr_mig_profile *p, uint32_t holder)
{
    const int i = find(gpu->former, gpu->former_count, holder);
    if (i < 0)
        return -1;
    const orr_mig_instance was = gpu->former[i];
    drop(gpu->former, &gpu->former_count, i);
    return was.profile == p && orr_mig_fits(m, p, was.start, gpu->cut) ? was.start : -1;
}

/* What stands in the way of an instance is gone, and it stands. False: it did before. */
static bool make(orr_mig_gpu *gpu, const orr_mig_profile *p, int start)
{
    if (gpu->stands[start] == p)
        return false;
    for (int i = 0; i < ORR_MIG_MOST; i++)
        if (gpu->stands[i] && (slices(gpu->stands[i], i) & slices(p, start)))
            gpu->stands[i] = NULL;
    gpu->stands[start] = p;
    return true;
}

void orr_mig_take(const orr_mig_model *m, orr_mig_gpu *gpu, const orr_mig_profile *p, uint32_t holder)
{
    int start = former_place(m, gpu, p, holder);
    start = start < 0 ? orr_mig_place(m, p, gpu->cut) : start;
    ORR_ASSERT(start >= 0 && gpu->count < ORR_MIG_MOST, "a MIG instance is given where there is no place for it");
    gpu->cut = orr_mig_with(gpu->cut, p, start);
    gpu->at[gpu->count++] = (orr_mig_instance){holder, p, start, make(gpu, p, start)};
}

bool orr_mig_is_cut(const orr_mig_gpu *gpu)
{
    bool cut = false;
    for (int i = 0; i < ORR_MIG_MOST; i++)
        cut = cut || gpu->stands[i];
    return cut;
}

const orr_mig_instance *orr_mig_held(const orr_mig_gpu *gpu, uint32_t holder)
{
    const int i = find(gpu->at, gpu->count, holder);
    return i < 0 ? NULL : &gpu->at[i];
}

const orr_mig_profile *orr_mig_give(orr_mig_gpu *gpu, uint32_t holder)
{
    const int i = find(gpu->at, gpu->count, holder);
    ORR_ASSERT(i >= 0, "a MIG instance is given back by somebody who has none");
    const orr_mig_instance was = gpu->at[i];
    drop(gpu->at, &gpu->count, i);
    gpu->cut = orr_mig_without(gpu->cut, was.profile, was.start);
    if (gpu->former_count == ORR_MIG_MOST)
        drop(gpu->former, &gpu->former_count, 0);
    gpu->former[gpu->former_count++] = was;
    return was.profile;
}
