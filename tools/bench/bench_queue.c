/* The hold model: with n events pending, take the earliest and put one back at its time plus an increment; over and
 * over. Measures the library's event queue against two baselines (baseline.h) in one run, and stops if the three do
 * not pop the same times.
 *
 * usage: bench_queue [most pending = 1000000] [repetitions = 3] [increments = all]
 * Prints million holds per CPU second, the best of the repetitions, and the ratios ours / baseline.
 */
#define _POSIX_C_SOURCE 200809L

#include "baseline.h"
#include "engine/queue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TABLE = 1 << 13, SUBJECTS = 3, LEAST_HOLDS = 1000000 };

/* ---- increments: mean one second ---- */

static uint64_t next_random(uint64_t *x)
{
    *x += 0x9E3779B97F4A7C15u;
    uint64_t z = (*x ^ (*x >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *x)
{
    return ((double)(next_random(x) >> 11) + 0.5) / 9007199254740992.0;
}

static double uniform(uint64_t *x)
{
    return 2 * unit(x);
}

static double exponential(uint64_t *x)
{
    return -log(unit(x));
}

/* Nine short ones to one long one, a hundred times as long. */
static double bimodal(uint64_t *x)
{
    double length = unit(x) < 0.9 ? 1.0 : 100.0;
    return length * 2 * unit(x) / 10.9;
}

static double constant(uint64_t *x)
{
    (void)x;
    return 1;
}

typedef struct increments {
    const char *name;
    double (*draw)(uint64_t *x);
} increments;

static const increments kinds[] = {
    {"uniform", uniform}, {"exponential", exponential}, {"bimodal", bimodal}, {"constant", constant}};

/* ---- subjects ---- */

typedef struct subject {
    const char *name;
    void *(*create)(void);
    void (*destroy)(void *q);
    void (*push)(void *q, orr_time at);
    /* `holds` times: pop, push at the popped time plus the next increment. Returns a digest of the popped times. */
    uint64_t (*hold)(void *q, size_t holds, const orr_time *table);
} subject;

static uint64_t digest(uint64_t sum, orr_time at)
{
    return sum * 31 + (uint64_t)at;
}

static void *ours_create(void)
{
    return orr_queue_create();
}

static void ours_destroy(void *q)
{
    orr_queue_destroy(q);
}

static void ours_push(void *q, orr_time at)
{
    orr_queue_add(q, &(orr_queued){.at = at, .class_ = ORR_CLASS_END, .what = q});
}

static uint64_t ours_hold(void *q, size_t holds, const orr_time *table)
{
    uint64_t sum = 0;
    orr_queued event;
    for (size_t i = 0; i < holds && orr_queue_pop(q, &event); i++) {
        sum = digest(sum, event.at);
        event.at += table[i % TABLE];
        orr_queue_add(q, &event);
    }
    return sum;
}

static void *make_indexed(void)
{
    return indexed_create();
}

static void drop_indexed(void *q)
{
    indexed_destroy(q);
}

static void push_indexed(void *q, orr_time at)
{
    indexed_push(q, at, 0, q);
}

static uint64_t hold_indexed(void *q, size_t holds, const orr_time *table)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < holds; i++) {
        void *what;
        orr_time at = indexed_pop(q, &what);
        sum = digest(sum, at);
        indexed_push(q, at + table[i % TABLE], 0, what);
    }
    return sum;
}

static void *make_bare(void)
{
    return bare_create();
}

static void drop_bare(void *q)
{
    bare_destroy(q);
}

static void push_bare(void *q, orr_time at)
{
    bare_push(q, at);
}

static uint64_t hold_bare(void *q, size_t holds, const orr_time *table)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < holds; i++) {
        orr_time at = bare_pop(q);
        sum = digest(sum, at);
        bare_push(q, at + table[i % TABLE]);
    }
    return sum;
}

static const subject subjects[SUBJECTS] = {
    {"orrery", ours_create, ours_destroy, ours_push, ours_hold},
    {"indexed", make_indexed, drop_indexed, push_indexed, hold_indexed},
    {"bare", make_bare, drop_bare, push_bare, hold_bare},
};

/* ---- measuring ---- */

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Million holds a second. The first 2n holds bring the queue to its steady state and are not timed. */
static double measure(const subject *s, size_t pending, const orr_time *table, uint64_t *sum)
{
    void *q = s->create();
    for (size_t i = 0; i < pending; i++)
        s->push(q, table[i % TABLE] + (orr_time)(i / TABLE));
    s->hold(q, 2 * pending, table);
    size_t holds = pending < LEAST_HOLDS / 2 ? LEAST_HOLDS : 2 * pending;
    double start = cpu_seconds();
    *sum = s->hold(q, holds, table);
    double took = cpu_seconds() - start;
    s->destroy(q);
    return (double)holds / took / 1e6;
}

static bool row(const increments *kind, size_t pending, int repetitions)
{
    static const uint64_t seed = 42;
    uint64_t x = seed, sums[SUBJECTS] = {0};
    orr_time table[TABLE];
    for (int i = 0; i < TABLE; i++)
        table[i] = orr_time_from_seconds(kind->draw(&x));
    double best[SUBJECTS] = {0};
    for (int r = 0; r < repetitions; r++)
        for (int s = 0; s < SUBJECTS; s++) {
            double rate = measure(&subjects[s], pending, table, &sums[s]);
            best[s] = rate > best[s] ? rate : best[s];
        }
    printf("%-12s %9zu %9.2f %9.2f %9.2f %11.2f %8.2f\n", kind->name, pending, best[0], best[1], best[2],
           best[0] / best[1], best[0] / best[2]);
    fflush(stdout);
    return sums[0] == sums[1] && sums[0] == sums[2];
}

int main(int argc, char **argv)
{
    size_t most = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    int repetitions = argc > 2 ? atoi(argv[2]) : 3;
    const char *only = argc > 3 ? argv[3] : NULL;
    printf("million holds per CPU second; best of %d\n", repetitions);
    printf("%-12s %9s %9s %9s %9s %11s %8s\n", "increments", "pending", "orrery", "indexed", "bare",
           "of indexed", "of bare");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t pending = 100; pending <= most && (!only || strcmp(only, kinds[k].name) == 0); pending *= 10)
            if (!row(&kinds[k], pending, repetitions)) {
                fprintf(stderr, "the queues popped different times\n");
                return 1;
            }
    return 0;
}
