#define _POSIX_C_SOURCE 200809L
#include "study/wall.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { FINE = 64, CLASSES = 64 * FINE }; /* classes of a power of two; of all 64-bit numbers */

struct orr_wall_timing {
    uint64_t began, n, longest; /* ns */
    uint64_t count[CLASSES];
};

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double orr_wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

orr_wall_place orr_wall_here(void)
{
    orr_wall_place place = {.max_rss_kib = -1};
    struct rusage usage;
    struct tm utc;
    const time_t now = time(NULL);
    gmtime_r(&now, &utc);
    strftime(place.date, sizeof place.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    gethostname(place.host, sizeof place.host - 1);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        place.max_rss_kib = usage.ru_maxrss;
    return place;
}

static void processor(char *buf, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    buf[0] = '\0';
    while (f && !buf[0] && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(buf, size, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
    if (f)
        fclose(f);
}

void orr_wall_class(char buf[ORR_WALL_CLASS])
{
    struct utsname name;
    char model[96];
    processor(model, sizeof model);
    const char *machine = uname(&name) == 0 ? name.machine : "unknown";
    snprintf(buf, ORR_WALL_CLASS, "%.32s%s%s, %ld cores", machine, model[0] ? ", " : "", model,
             sysconf(_SC_NPROCESSORS_ONLN));
}

/* ---- decisions ---- */

orr_wall_timing *orr_wall_timing_create(void)
{
    return orr_xcalloc(1, sizeof(orr_wall_timing));
}

void orr_wall_timing_destroy(orr_wall_timing *timing)
{
    free(timing);
}

/* Numbers below 64 have a class each; above, the six bits behind the leading one tell the class. */
static size_t class_of(uint64_t ns)
{
    int shift = 0;
    while (ns >> shift >= 2 * FINE)
        shift++;
    return (size_t)(shift * FINE) + (size_t)(ns >> shift);
}

/* The least number of a class. */
static uint64_t least_of(size_t class)
{
    const size_t shift = class < 2 * FINE ? 0 : class / FINE - 1;
    return (uint64_t)(class - shift * FINE) << shift;
}

void orr_wall_timing_add(orr_wall_timing *t, uint64_t ns)
{
    t->n++;
    t->longest = ns > t->longest ? ns : t->longest;
    t->count[class_of(ns)]++;
}

void orr_wall_timing_mark(void *self, bool begins)
{
    orr_wall_timing *t = self;
    const uint64_t now = clock_ns();
    if (begins)
        t->began = now;
    else
        orr_wall_timing_add(t, now - t->began);
}

static double quantile(const orr_wall_timing *t, double q)
{
    const uint64_t rank = (uint64_t)(q * (double)(t->n - 1));
    uint64_t below = 0;
    for (size_t i = 0; i < CLASSES; i++) {
        below += t->count[i];
        if (below > rank)
            return (double)least_of(i) / 1e3;
    }
    return (double)t->longest / 1e3;
}

void orr_wall_timing_sum_up(const orr_wall_timing *t, double us[3])
{
    us[0] = us[1] = us[2] = -1;
    if (t->n == 0)
        return;
    us[0] = quantile(t, 0.5);
    us[1] = quantile(t, 0.99);
    us[2] = (double)t->longest / 1e3;
}
