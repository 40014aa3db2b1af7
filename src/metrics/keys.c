/* The keys under which every number is known: one table, so that the list and the look-up can't disagree. */
#include <orrery/metrics.h>

#include <stdio.h>
#include <string.h>

typedef enum shape { DIST, NUMBER, COUNT } shape;

typedef struct row {
    const char *key;
    shape shape;
    size_t offset;
    const char *unit;
} row;

#define AT(member) offsetof(orr_metrics, member)

static const row rows[] = {
    {"measured", COUNT, AT(measured), "count"},
    {"jct", DIST, AT(jct), "s"},
    {"wait_first", DIST, AT(wait_first), "s"},
    {"wait_total", DIST, AT(wait_total), "s"},
    {"service", DIST, AT(service), "gpu*s"},
    {"slowdown", DIST, AT(slowdown), "ratio"},
    {"slowdown.geomean", NUMBER, AT(slowdown_geomean), "ratio"},
    {"bsld", DIST, AT(bsld), "ratio"},
    {"rho:avg_n", DIST, AT(rho), "ratio"},
    {"rho_worst", NUMBER, AT(rho.max), "ratio"},
    {"rho_unfair", NUMBER, AT(rho_unfair), "ratio"},
    {"makespan", NUMBER, AT(makespan), "s"},
    {"window", NUMBER, AT(window), "s"},
    {"gpus", COUNT, AT(gpus), "count"},
    {"gpu_alloc", NUMBER, AT(gpu_alloc), "ratio"},
    {"gpu_busy", NUMBER, AT(gpu_busy), "ratio"},
    {"load", NUMBER, AT(load), "ratio"},
    {"queue_len", NUMBER, AT(queue_len), "count"},
    {"queue_gpus", NUMBER, AT(queue_gpus), "count"},
    {"age_max", NUMBER, AT(age_max), "s"},
    {"jain", NUMBER, AT(jain), "ratio"},
    {"deadline_met", NUMBER, AT(deadline_met), "ratio"},
    {"deadlines", COUNT, AT(deadlines), "count"},
    {"preemptions", COUNT, AT(preemptions), "count"},
    {"migrations", COUNT, AT(migrations), "count"},
    {"resizes", COUNT, AT(resizes), "count"},
    {"restarts", COUNT, AT(restarts), "count"},
    {"restarts_max", COUNT, AT(restarts_max), "count"},
    {"lost_work", NUMBER, AT(lost_work), "gpu*s"},
    {"overhead", NUMBER, AT(overhead), "gpu*s"},
};

static const struct {
    const char *name;
    size_t offset;
} parts[] = {
    {"mean", offsetof(orr_dist, mean)}, {"p50", offsetof(orr_dist, p50)}, {"p90", offsetof(orr_dist, p90)},
    {"p95", offsetof(orr_dist, p95)},   {"p99", offsetof(orr_dist, p99)}, {"max", offsetof(orr_dist, max)},
    {"sum", offsetof(orr_dist, sum)},
};

static double number_at(const void *base, size_t offset)
{
    double v;
    memcpy(&v, (const char *)base + offset, sizeof v);
    return v;
}

static double count_at(const void *base, size_t offset)
{
    uint64_t v;
    memcpy(&v, (const char *)base + offset, sizeof v);
    return (double)v;
}

typedef void each_fn(void *self, const char *key, double value, const char *unit);

static void each_of_dist(const orr_metrics *m, const row *entry, each_fn *each, void *self)
{
    const orr_dist *dist = (const orr_dist *)(const void *)((const char *)m + entry->offset);
    char key[64];
    snprintf(key, sizeof key, "%s.n", entry->key);
    each(self, key, (double)dist->n, "count");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(key, sizeof key, "%s.%s", entry->key, parts[i].name);
        each(self, key, number_at(dist, parts[i].offset), entry->unit);
    }
}

void orr_metrics_each(const orr_metrics *m, void (*each)(void *self, const char *key, double value, const char *unit),
                      void *self)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *entry = &rows[i];
        if (entry->shape == DIST)
            each_of_dist(m, entry, each, self);
        else if (entry->shape == COUNT)
            each(self, entry->key, count_at(m, entry->offset), entry->unit);
        else
            each(self, entry->key, number_at(m, entry->offset), entry->unit);
    }
}

typedef struct wanted {
    const char *key;
    double value;
    bool found;
} wanted;

static void match(void *self, const char *key, double value, const char *unit)
{
    wanted *w = self;
    (void)unit;
    if (strcmp(key, w->key) != 0)
        return;
    w->value = value;
    w->found = true;
}

bool orr_metrics_get(const orr_metrics *m, const char *key, double *value)
{
    char full[64];
    bool bare_rho = strncmp(key, "rho.", 4) == 0;
    snprintf(full, sizeof full, "%s%s", bare_rho ? "rho:avg_n." : "", bare_rho ? key + 4 : key);
    wanted w = {.key = full};
    orr_metrics_each(m, match, &w);
    if (w.found)
        *value = w.value;
    return w.found;
}
