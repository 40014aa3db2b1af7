/* How long an iteration takes: by the measured placement, between the points of the mesh, by a formula, or by the
 * number of GPUs. */
#include "model/application_data.h"

#include <math.h>

/* ---- placements ---- */

enum { MOST_DIGITS = 19 }; /* of an unsigned 64-bit number, all of them free */

static uint64_t turned(const int32_t *at, int32_t n, int32_t first)
{
    uint64_t code = 0;
    for (int32_t i = 0; i < n; i++)
        code = 10 * code + (uint64_t)at[(first + i) % n];
    return code;
}

uint64_t orr_steps_code(const orr_placement *shape)
{
    uint64_t least = 0;
    if (shape->nodes < 1 || shape->nodes > MOST_DIGITS)
        return 0;
    for (int32_t i = 0; i < shape->nodes; i++)
        if (shape->at[i] < 1 || shape->at[i] > 9)
            return 0;
    for (int32_t i = 0; i < shape->nodes; i++) {
        const uint64_t code = turned(shape->at, shape->nodes, i);
        least = i == 0 || code < least ? code : least;
    }
    return least;
}

static const orr_step_shape *shape_of(const orr_steps *s, uint64_t code)
{
    size_t from = 0, to = s->shapes.n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (s->shapes.at[middle].code == code)
            return &s->shapes.at[middle];
        if (s->shapes.at[middle].code < code)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* Linear between two points; false beyond them. */
static bool along(const orr_step_point *p, size_t n, double local, double *step, double *sync)
{
    size_t i = 0;
    while (i < n && p[i].local < local)
        i++;
    if (i == n || (i == 0 && p[0].local > local))
        return false;
    const orr_step_point *high = &p[i], *low = p[i].local > local ? &p[i - 1] : high;
    const double share = high == low ? 0 : (local - low->local) / (high->local - low->local);
    *step = low->step + share * (high->step - low->step);
    *sync = low->sync + share * (high->sync - low->sync);
    return true;
}

int32_t orr_steps_local_most(const orr_steps *s, const orr_placement *shape)
{
    const orr_step_shape *found = s->kind == ORR_STEPS_MEASURED ? shape_of(s, orr_steps_code(shape)) : NULL;
    if (!found)
        return s->local_most;
    const double most = s->points.at[found->first + found->n - 1].local;
    return most < s->local_most ? (int32_t)most : s->local_most;
}

/* ---- the mesh ---- */

static int by_face(const void *a, const void *b)
{
    const orr_step_face *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return (x->local > y->local) - (x->local < y->local);
}

static bool in_mesh(const orr_steps *s, int32_t nodes, int32_t gpus, int32_t local, double *step, double *sync)
{
    orr_mesh_place place;
    nodes = nodes < s->most_nodes ? nodes : s->most_nodes;
    const orr_step_face key = {.nodes = nodes, .gpus = gpus, .local = local};
    const orr_step_face *face = s->faces.n ? bsearch(&key, s->faces.at, s->faces.n, sizeof key, by_face) : NULL;
    if (face) {
        *step = face->step;
        *sync = face->sync;
        return true;
    }
    if (!s->mesh || !orr_mesh_find(s->mesh, (const double[]){nodes, gpus, local}, &place))
        return false;
    *step = *sync = 0;
    for (int i = 0; i < 4; i++) {
        *step += place.weight[i] * s->values.at[place.corner[i]].step;
        *sync += place.weight[i] * s->values.at[place.corner[i]].sync;
    }
    return true;
}

static bool measured(const orr_steps *s, const orr_placement *shape, int32_t local, double *step, double *sync)
{
    const orr_step_shape *found = shape_of(s, orr_steps_code(shape));
    if (found)
        return along(s->points.at + found->first, found->n, local, step, sync);
    return in_mesh(s, shape->nodes, shape->gpus, local, step, sync);
}

/* ---- a formula ---- */

static bool by_formula(const orr_steps *s, const orr_placement *shape, int32_t local, double *step, double *sync)
{
    if (local > s->local_most)
        return false;
    *step = orr_perf_step(&s->perf, shape->nodes, shape->gpus, (orr_batch){local, 0});
    *sync = fmax(*step - (s->perf.alpha_c + s->perf.beta_c * local), 0);
    return true;
}

/* ---- counts ---- */

/* The first that isn't less; `n` if all are. */
#define REACH(at, n, x) \
    size_t i = 0; \
    while (i < (n) && (at)[i] < (x)) \
        i++;

/* Iterations a second in one row: linear between two counts; 0: not known. */
static double rate_in(const orr_step_counts *c, size_t row, int32_t gpus)
{
    const double *rate = c->rate.at + row * c->gpus.n;
    REACH(c->gpus.at, c->gpus.n, gpus)
    if (i == c->gpus.n || (i == 0 && c->gpus.at[0] != gpus))
        return 0;
    if (c->gpus.at[i] == gpus)
        return rate[i];
    if (!(rate[i - 1] > 0 && rate[i] > 0))
        return 0;
    return rate[i - 1] + (rate[i] - rate[i - 1]) * (gpus - c->gpus.at[i - 1]) / (c->gpus.at[i] - c->gpus.at[i - 1]);
}

/* Seconds are linear between two batches; the rows at the ends stand for what rounding makes of theirs. */
static bool by_count(const orr_step_counts *c, int32_t gpus, int64_t total, double *step, double *sync)
{
    REACH(c->batches.at, c->batches.n, total)
    const size_t high = i < c->batches.n ? i : c->batches.n - 1;
    const size_t low = i == 0 || i == c->batches.n || c->batches.at[i] == total ? high : high - 1;
    const double fast = rate_in(c, low, gpus), slow = rate_in(c, high, gpus);
    if (!(fast > 0 && slow > 0))
        return false;
    const double share =
        high == low ? 0 : (double)(total - c->batches.at[low]) / (double)(c->batches.at[high] - c->batches.at[low]);
    *step = 1 / fast + share * (1 / slow - 1 / fast);
    *sync = 0;
    return true;
}

bool orr_steps_find(const orr_steps *s, const orr_placement *shape, int32_t local, double *step, double *sync)
{
    switch (s->kind) {
    case ORR_STEPS_MEASURED:
        return measured(s, shape, local, step, sync);
    case ORR_STEPS_FORMULA:
        return by_formula(s, shape, local, step, sync);
    case ORR_STEPS_COUNTS:
        break;
    }
    return by_count(&s->counts, shape->gpus, (int64_t)shape->gpus * local, step, sync);
}

/* ---- making ---- */

/* While points come in, each has a shape of its own; `settle` sorts both and brings shapes together. */
void orr_steps_add_point(orr_steps *s, uint64_t code, orr_step_point point)
{
    ORR_VEC_PUSH(&s->shapes, ((orr_step_shape){code, s->points.n, 1}));
    ORR_VEC_PUSH(&s->points, point);
}

void orr_steps_add_place(orr_steps *s, int32_t nodes, int32_t gpus, orr_step_point point)
{
    ORR_VEC_PUSH(&s->places, nodes);
    ORR_VEC_PUSH(&s->places, gpus);
    ORR_VEC_PUSH(&s->places, point.local);
    ORR_VEC_PUSH(&s->values, point);
}

typedef struct filed {
    uint64_t code;
    int32_t nodes, gpus;
    orr_step_point point;
} filed;

static int by_code(const void *a, const void *b)
{
    const filed *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return (x->point.local > y->point.local) - (x->point.local < y->point.local);
}

static int by_place(const void *a, const void *b)
{
    const filed *x = a, *y = b;
    if (x->nodes != y->nodes)
        return x->nodes < y->nodes ? -1 : 1;
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    if (x->point.local != y->point.local)
        return x->point.local < y->point.local ? -1 : 1;
    return (x->code > y->code) - (x->code < y->code);
}

static filed *file_points(const orr_steps *s)
{
    filed *all = orr_xcalloc(s->points.n + 1, sizeof *all);
    for (size_t i = 0; i < s->points.n; i++) {
        all[i] = (filed){.code = s->shapes.at[i].code, .point = s->points.at[s->shapes.at[i].first]};
        for (uint64_t c = all[i].code; c; c /= 10) {
            all[i].nodes++;
            all[i].gpus += (int32_t)(c % 10);
        }
    }
    return all;
}

static orr_err bring_together(orr_steps *s, filed *all, orr_error *e)
{
    const size_t n = s->points.n;
    if (n)
        qsort(all, n, sizeof *all, by_code);
    s->shapes.n = 0;
    for (size_t i = 0; i < n; i++) {
        s->points.at[i] = all[i].point;
        if (i && all[i].code == all[i - 1].code && all[i].point.local == all[i - 1].point.local)
            return orr_error_set(e, ORR_E_SYNTAX, "placement %llu with %g samples a GPU stands twice",
                                 (unsigned long long)all[i].code, all[i].point.local);
        if (i && all[i].code == all[i - 1].code)
            s->shapes.at[s->shapes.n - 1].n++;
        else
            ORR_VEC_PUSH(&s->shapes, ((orr_step_shape){all[i].code, i, 1}));
    }
    return ORR_OK;
}

/* A mean over the placements of as many nodes, GPUs and samples is a point of the mesh; those come before the
 * others. */
static void add_means(orr_steps *s, filed *all)
{
    const size_t n = s->points.n, others = s->values.n;
    orr_steps own = {0};
    if (n)
        qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0, to; i < n; i = to) {
        orr_step_point sum = {.local = all[i].point.local};
        for (to = i; to < n && all[to].nodes == all[i].nodes && all[to].gpus == all[i].gpus && all[to].point.local == sum.local; to++) {
            sum.step += all[to].point.step;
            sum.sync += all[to].point.sync;
        }
        sum.step /= (double)(to - i);
        sum.sync /= (double)(to - i);
        orr_steps_add_place(&own, all[i].nodes, all[i].gpus, sum);
    }
    for (size_t i = 0; i < others; i++)
        orr_steps_add_place(&own, (int32_t)s->places.at[3 * i], (int32_t)s->places.at[3 * i + 1], s->values.at[i]);
    ORR_VEC_FREE(&s->places);
    ORR_VEC_FREE(&s->values);
    s->places.at = own.places.at, s->places.n = own.places.n, s->places.cap = own.places.cap;
    s->values.at = own.values.at, s->values.n = own.values.n, s->values.cap = own.values.cap;
}

/* What the points reach to. */
static void measure_extent(orr_steps *s)
{
    s->width = s->most_gpus = s->most_nodes = 1;
    for (size_t i = 0; i < s->shapes.n; i++)
        for (uint64_t c = s->shapes.at[i].code; c; c /= 10)
            s->width = (int32_t)(c % 10) > s->width ? (int32_t)(c % 10) : s->width;
    for (size_t i = 0; i < s->values.n; i++) {
        s->most_nodes = (int32_t)fmax(s->most_nodes, s->places.at[3 * i]);
        s->most_gpus = (int32_t)fmax(s->most_gpus, s->places.at[3 * i + 1]);
    }
    for (size_t i = 0; i < s->points.n; i++) {
        const int32_t local = (int32_t)s->points.at[i].local;
        s->local_least = i == 0 || local < s->local_least ? local : s->local_least;
        s->local_most = local > s->local_most ? local : s->local_most;
    }
}

orr_err orr_steps_settle(orr_steps *s, orr_error *e)
{
    if (s->faces.n)
        qsort(s->faces.at, s->faces.n, sizeof *s->faces.at, by_face);
    filed *all = file_points(s);
    const orr_err err = bring_together(s, all, e);
    if (!err && !s->mesh) {
        add_means(s, all);
        s->mesh = orr_mesh_delaunay(s->places.at, s->values.n);
    }
    free(all);
    if (!err)
        measure_extent(s);
    return err;
}
