/* One allocation of shares by number of jobs, for each objective: single-GPU jobs on three types, a quarter as many
 * GPUs of each type as there are jobs; 26 models, so that many jobs have equal speeds. Steps left are of each job's
 * own. `unlike`: no two jobs have equal speeds. The packed ones may pair any two jobs.
 *
 * usage: bench_shares [most jobs = 4096] [most jobs of packed = 256] [policy_runtime.csv of the reference]
 *
 * Prints CPU milliseconds, best of several, and where the file is there the reference's time over ours.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/io.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"

#include <orrery/shares.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TYPES = 3, MODELS = 26 };

typedef struct workload {
    orr_share_problem p;
    double *speed, *gpus, *pair_speed, *gain, *need, *weight, *left, *x;
    orr_share_finish *finish;
    orr_share_pair *pair;
    double capacity[TYPES];
} workload;

/* ---- what is asked ---- */

static double unit(uint64_t *seed)
{
    *seed = orr_mix64(*seed);
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

/* Steps a second of a model: the second type is up to 3 times, the third up to 6 times as fast as the first. */
static void draw_speeds(uint64_t seed, double speed[TYPES])
{
    seed = orr_mix64(seed);
    speed[0] = exp(4 * unit(&seed)) / 10;
    speed[1] = speed[0] * (1 + 2 * unit(&seed));
    speed[2] = speed[1] * (1 + unit(&seed));
}

/* What two models keep of their speeds side by side; 0: they don't fit together. */
static double kept(uint64_t a, uint64_t b)
{
    uint64_t seed = orr_mix64(a * MODELS + b + 77);
    return unit(&seed) < 0.2 ? 0 : 0.3 + 0.7 * unit(&seed);
}

static void make_jobs(workload *w, bool unlike)
{
    uint64_t seed = 5;
    for (int32_t j = 0; j < w->p.jobs; j++) {
        uint64_t model = orr_mix64((uint64_t)j) % MODELS;
        draw_speeds(unlike ? (uint64_t)j : model, w->speed + TYPES * j);
        double alike = (w->speed[TYPES * j] + w->speed[TYPES * j + 1] + w->speed[TYPES * j + 2]) / TYPES;
        double hours = 3600 * (8 + 4 * unit(&seed)); /* alike enough for no job to be the one that all wait for */
        w->gpus[j] = w->weight[j] = 1;
        w->need[j] = alike;
        w->left[j] = alike * hours;
        double elapsed = hours * unit(&seed), part = 0.75 * alike;
        w->finish[j] = (orr_share_finish){elapsed, w->left[j], elapsed * (0.9 + 0.2 * unit(&seed)), part};
    }
}

static void make_pairs(workload *w)
{
    int32_t n = 0;
    for (int32_t a = 0; a < w->p.jobs; a++)
        for (int32_t b = a + 1; b < w->p.jobs; b++, n++) {
            uint64_t of_a = orr_mix64((uint64_t)a) % MODELS, of_b = orr_mix64((uint64_t)b) % MODELS;
            w->pair[n] = (orr_share_pair){a, b};
            for (int32_t k = 0; k < TYPES; k++) {
                w->pair_speed[2 * (TYPES * n + k)] = w->speed[TYPES * a + k] * kept(of_a, of_b);
                w->pair_speed[2 * (TYPES * n + k) + 1] = w->speed[TYPES * b + k] * kept(of_b, of_a);
            }
        }
}

static void make(workload *w, int32_t jobs, bool unlike, bool packed)
{
    size_t n = (size_t)jobs, pairs = packed ? n * (n - 1) / 2 : 0;
    *w = (workload){.speed = orr_xcalloc(TYPES * n, sizeof(double)), .gpus = orr_xcalloc(n, sizeof(double))};
    w->pair_speed = orr_xcalloc(2 * TYPES * pairs + 1, sizeof(double));
    w->gain = orr_xcalloc(TYPES * (n + pairs), sizeof(double));
    w->x = orr_xcalloc(TYPES * (n + pairs), sizeof(double));
    w->need = orr_xcalloc(n, sizeof(double));
    w->weight = orr_xcalloc(n, sizeof(double));
    w->left = orr_xcalloc(n, sizeof(double));
    w->finish = orr_xcalloc(n, sizeof *w->finish);
    w->pair = orr_xcalloc(pairs + 1, sizeof *w->pair);
    for (int k = 0; k < TYPES; k++)
        w->capacity[k] = fmax(jobs / 4, 1);
    w->p =
        (orr_share_problem){.jobs = jobs, .types = TYPES, .pairs = (int32_t)pairs, .speed = w->speed, .gpus = w->gpus};
    w->p.capacity = w->capacity;
    w->p.pair = w->pair;
    w->p.pair_speed = w->pair_speed;
    make_jobs(w, unlike);
    if (packed)
        make_pairs(w);
    memcpy(w->gain, w->speed, TYPES * n * sizeof(double));
    for (size_t i = 0; i < TYPES * pairs; i++)
        w->gain[TYPES * n + i] = w->pair_speed[2 * i] + w->pair_speed[2 * i + 1];
}

static void unmake(workload *w)
{
    void *all[] = {w->speed, w->gpus, w->pair_speed, w->gain, w->need, w->weight, w->left, w->x, w->finish, w->pair};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- the objectives ---- */

static void max_min(workload *w)
{
    orr_shares_max_min(&w->p, w->need, w->x);
}

static void finish(workload *w)
{
    orr_shares_finish(&w->p, w->finish, w->x);
}

static void makespan(workload *w)
{
    orr_shares_max_min(&w->p, w->left, w->x);
}

static void filling(workload *w)
{
    orr_shares_fill(&w->p, &(orr_share_fill){.need = w->need, .weight = w->weight}, w->x);
}

static void sum(workload *w)
{
    orr_shares_max_sum(&w->p, w->gain, NULL, w->x);
}

static const struct objective {
    const char *name, *theirs;
    void (*solve)(workload *w);
} objectives[] = {
    {"max-min", "max_min_fairness", max_min},
    {"finish-time fairness", "finish_time_fairness", finish},
    {"makespan", "min_total_duration", makespan},
    {"water filling", "max_min_fairness_water_filling", filling},
    {"sum", "", sum},
};

/* ---- measuring ---- */

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The best of up to 20, within some 0.3 s. */
static double measure(void (*solve)(workload *w), workload *w)
{
    double best = INFINITY, begin = cpu_seconds();
    for (int i = 0; i < 20 && (i == 0 || cpu_seconds() - begin < 0.3); i++) {
        double from = cpu_seconds();
        solve(w);
        best = fmin(best, cpu_seconds() - from);
    }
    return best;
}

/* Rows of `policy,jobs,seconds,...`; 0: not there, or not finished. */
static double reference(const char *file, const char *policy, bool packed, int32_t jobs)
{
    char key[96];
    int n = snprintf(key, sizeof key, "%s_%s,%d,", policy, packed ? "packed" : "perf", jobs);
    for (const char *row = file; row && *row; row = strchr(row, '\n'), row += row != NULL)
        if (strncmp(row, key, (size_t)n) == 0) {
            double seconds = 0;
            return orr_parse_double(row + n, strcspn(row + n, ",\n"), &seconds) ? seconds : 0;
        }
    return 0;
}

static void print_row(const struct objective *o, const char *kind, int32_t jobs, double seconds, double theirs)
{
    printf("%-22s %-8s %6d %12.4f", o->name, kind, jobs, seconds * 1e3);
    if (theirs > 0)
        printf(" %12.3f %10.0f", theirs, theirs / seconds);
    printf("\n");
    fflush(stdout);
}

static void table(const char *kind, int32_t most, const char *file)
{
    bool unlike = strcmp(kind, "unlike") == 0, packed = strcmp(kind, "packed") == 0;
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++)
        for (int32_t jobs = 32; jobs <= most; jobs *= 2) {
            workload w;
            make(&w, jobs, unlike, packed);
            print_row(&objectives[i], kind, jobs, measure(objectives[i].solve, &w),
                      reference(file, objectives[i].theirs, packed, jobs));
            unmake(&w);
        }
}

static char *read_all(const char *path)
{
    orr_error e = {0};
    char *text = NULL;
    size_t size;
    orr_input *in = orr_input_open(path, &e);
    if (in && orr_input_all(in, &text, &size, &e) != ORR_OK)
        text = NULL;
    if (in)
        orr_input_close(in);
    return text;
}

int main(int argc, char **argv)
{
    int32_t most = argc > 1 ? (int32_t)strtol(argv[1], NULL, 10) : 4096;
    int32_t most_packed = argc > 2 ? (int32_t)strtol(argv[2], NULL, 10) : 256;
    char *file = argc > 3 ? read_all(argv[3]) : NULL;
    printf("%-22s %-8s %6s %12s %12s %10s\n", "objective", "jobs are", "jobs", "ms", "reference s", "times");
    table("models", most, file);
    table("unlike", most, file);
    table("packed", most_packed, file);
    free(file);
    return 0;
}
