#include "solve/shares_class.h"

#include "base/mem.h"
#include "base/rng.h"

#include <math.h>

#define TINY 1e-9

double orr_share_fastest(const orr_share_problem *p, int32_t job)
{
    double best = 0;
    for (int32_t k = 0; k < p->types; k++)
        if (p->capacity[k] > 0)
            best = fmax(best, p->speed[(size_t)job * (size_t)p->types + (size_t)k]);
    return best;
}

static void find_types(orr_share_classes *c, const orr_share_problem *p)
{
    for (int32_t k = 0; k < p->types; k++) {
        if (!(p->capacity[k] > 0))
            continue;
        c->room[c->types] = p->capacity[k];
        c->type[c->types++] = k;
    }
}

/* What equal jobs have in common: gang, speeds, keys. */
static void write_row(const orr_share_classes *c, const orr_share_problem *p, const double *key, int32_t width,
                      int32_t job, double *row)
{
    *row++ = p->gpus[job];
    for (int32_t k = 0; k < c->types; k++)
        *row++ = fmax(p->speed[(size_t)job * (size_t)p->types + (size_t)c->type[k]], 0);
    for (int32_t i = 0; i < width; i++)
        *row++ = key[(size_t)job * (size_t)width + (size_t)i];
}

typedef struct rows {
    double *row; /* [count + 1][width]; the last one is being looked up */
    size_t width;
    int32_t *slot; /* [mask + 1]: class + 1, 0: empty */
    size_t mask;
} rows;

/* The class of the row that was just written, a new one if there is none yet. */
static int32_t class_of(orr_share_classes *c, rows *r, int32_t job)
{
    size_t bytes = r->width * sizeof *r->row;
    const double *mine = r->row + (size_t)c->count * r->width;
    size_t at = orr_hash64(1, mine, bytes) & r->mask;
    for (; r->slot[at]; at = (at + 1) & r->mask)
        if (memcmp(r->row + (size_t)(r->slot[at] - 1) * r->width, mine, bytes) == 0)
            return r->slot[at] - 1;
    c->first[c->count] = job;
    r->slot[at] = ++c->count;
    return c->count - 1;
}

static void sort_jobs(orr_share_classes *c, const orr_share_problem *p, const double *key, int32_t width, rows *r)
{
    for (int32_t j = 0; j < p->jobs; j++) {
        c->of[j] = -1;
        if (!(orr_share_fastest(p, j) > 0) || (width && !(key[(size_t)j * (size_t)width] > 0)))
            continue;
        write_row(c, p, key, width, j, r->row + (size_t)c->count * r->width);
        c->of[j] = class_of(c, r, j);
        c->jobs[c->of[j]]++;
    }
}

static void fill_classes(orr_share_classes *c, const rows *r)
{
    size_t types = (size_t)c->types, count = (size_t)c->count;
    c->speed = orr_xcalloc(count * types + 2 * count, sizeof *c->speed);
    c->size = c->speed + count * types;
    c->fastest = c->size + count;
    for (size_t i = 0; i < count; i++) {
        const double *row = r->row + i * r->width;
        c->size[i] = row[0] * c->jobs[i];
        memcpy(c->speed + i * types, row + 1, types * sizeof *row);
        for (size_t k = 0; k < types; k++)
            c->fastest[i] = fmax(c->fastest[i], row[1 + k]);
    }
}

void orr_share_classes_init(orr_share_classes *c, const orr_share_problem *p, const double *key, int32_t width)
{
    size_t jobs = (size_t)p->jobs, types = (size_t)p->types;
    *c = (orr_share_classes){.type = orr_xcalloc(types + 3 * jobs + 1, sizeof *c->type)};
    c->room = orr_xcalloc(types + 1, sizeof *c->room);
    c->of = c->type + types;
    c->first = c->of + jobs;
    c->jobs = c->first + jobs;
    find_types(c, p);
    rows r = {.width = 1 + (size_t)c->types + (size_t)width, .mask = 15};
    while (r.mask < 2 * jobs)
        r.mask = 2 * r.mask + 1;
    r.row = orr_xcalloc((jobs + 1) * r.width, sizeof *r.row);
    r.slot = orr_xcalloc(r.mask + 1, sizeof *r.slot);
    sort_jobs(c, p, key, width, &r);
    fill_classes(c, &r);
    free(r.row);
    free(r.slot);
}

void orr_share_classes_fini(orr_share_classes *c)
{
    free(c->type);
    free(c->room);
    free(c->speed);
    *c = (orr_share_classes){0};
}

/* ---- back to the jobs ---- */

static void tidy_row(double *row, int32_t types)
{
    double sum = 0;
    for (int32_t k = 0; k < types; k++) {
        row[k] = row[k] < TINY ? 0 : row[k];
        sum += row[k];
    }
    for (int32_t k = 0; sum > 1 && k < types; k++)
        row[k] /= sum;
}

static void tidy_type(const orr_share_problem *p, int32_t k, double *x)
{
    double load = 0;
    for (int32_t j = 0; j < p->jobs; j++)
        load += p->gpus[j] * x[(size_t)j * (size_t)p->types + (size_t)k];
    for (int32_t j = 0; load > p->capacity[k] && j < p->jobs; j++)
        x[(size_t)j * (size_t)p->types + (size_t)k] *= fmax(p->capacity[k], 0) / load;
}

void orr_share_classes_hand_out(const orr_share_classes *c, const orr_share_problem *p, const double *share, double *x)
{
    size_t types = (size_t)p->types, used = (size_t)c->types;
    memset(x, 0, ((size_t)p->jobs + (size_t)p->pairs) * types * sizeof *x);
    for (int32_t j = 0; j < p->jobs; j++) {
        double *row = x + (size_t)j * types;
        for (size_t k = 0; c->of[j] >= 0 && k < used; k++)
            row[c->type[k]] = share[(size_t)c->of[j] * used + k];
        tidy_row(row, p->types);
    }
    for (int32_t k = 0; k < p->types; k++)
        tidy_type(p, k, x);
}
