/* What one matching costs: AlloX's queues, the plain assignment that does the same over all places, and pairs in a
 * general graph.
 *
 * usage: bench_match [most jobs [repetitions]] e.g.   bench_match 4096 5
 *
 * Queues: jobs over three orders of magnitude, on three kinds of machines as unlike as GPU types are. With a quarter
 * of the jobs of each kind as in the measurements of Gavel's simulator, and with few machines. Where its table of
 * CPU seconds is found ($ORRERY_SHARED, else ../shared), what it takes stands beside. / */
#define _POSIX_C_SOURCE 200809L

#include "base/mem.h"
#include "base/rng.h"

#include <orrery/solve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = 3, PLAIN_MOST = 256 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double *draw_times(int jobs)
{
    double *time = orr_xcalloc((size_t)(jobs * KINDS), sizeof *time);
    for (int j = 0; j < jobs; j++) {
        const uint64_t model = orr_mix64((uint64_t)j) % 26;
        const double length = pow(10, 1 + 3 * (double)(orr_mix64(1000003 + (uint64_t)j) % 100000) / 1e5);
        for (int k = 0; k < KINDS; k++)
            time[j * KINDS + k] = length * (1 + k * (double)(orr_mix64(model * 16 + (uint64_t)k) % 100) / 40);
    }
    return time;
}

/* The reference's CPU seconds; < 0: not known. */
static double reference(int jobs)
{
    char path[1024], line[256];
    const char *shared = getenv("ORRERY_SHARED");
    snprintf(path, sizeof path, "%s/golden/gavel/policy_runtime.csv", shared ? shared : "../shared");
    FILE *in = fopen(path, "r");
    double seconds = -1;
    while (in && fgets(line, sizeof line, in)) {
        int n;
        double found;
        if (sscanf(line, "allox,%d,%lf", &n, &found) == 2 && n == jobs)
            seconds = found;
    }
    if (in)
        fclose(in);
    return seconds;
}

static double queues_seconds(const double *time, int jobs, int each, int repetitions)
{
    const int32_t alike[KINDS] = {each, each, each};
    int32_t *kind = orr_xcalloc((size_t)jobs, sizeof *kind), *position = orr_xcalloc((size_t)jobs, sizeof *position);
    const double start = now();
    for (int i = 0; i < repetitions; i++)
        orr_assign_queues(&(orr_queues){.jobs = jobs, .kinds = KINDS, .time = time, .alike = alike}, kind, position);
    const double seconds = (now() - start) / repetitions;
    free(kind);
    free(position);
    return seconds;
}

/* Over jobs x machines places. */
static double plain_seconds(const double *time, int jobs, int each)
{
    const int machines = each * KINDS, columns = machines * jobs;
    double *cost = orr_xcalloc((size_t)jobs * (size_t)columns, sizeof *cost), *at = cost;
    int32_t *to = orr_xcalloc((size_t)jobs, sizeof *to);
    for (int j = 0; j < jobs; j++)
        for (int p = 1; p <= jobs; p++)
            for (int m = 0; m < machines; m++)
                *at++ = p * time[j * KINDS + m / each];
    const double start = now();
    orr_assign_least(cost, jobs, columns, to);
    const double seconds = now() - start;
    free(cost);
    free(to);
    return seconds;
}

static void print_ms(double seconds)
{
    if (seconds < 0)
        printf(" %12s", "-");
    else
        printf(" %12.3f", 1e3 * seconds);
}

static void bench_queues(int jobs, int each, bool compare, int repetitions)
{
    double *time = draw_times(jobs);
    printf("%8d %10d", jobs, each);
    print_ms(queues_seconds(time, jobs, each, repetitions));
    print_ms(compare && jobs <= PLAIN_MOST ? plain_seconds(time, jobs, each) : -1);
    print_ms(compare ? reference(jobs) : -1);
    printf("\n");
    free(time);
}

static void bench_pairs(int n)
{
    double *weight = orr_xcalloc((size_t)(n * n), sizeof *weight);
    int32_t *mate = orr_xcalloc((size_t)n, sizeof *mate);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            weight[a * n + b] = weight[b * n + a] =
                1e-3 * (double)(1 + orr_mix64((uint64_t)(a * 100003 + b)) % 1000000);
    const double start = now();
    orr_match_pairs(weight, n, true, mate);
    printf("%8d", n);
    print_ms(now() - start);
    printf("\n");
    free(weight);
    free(mate);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 2048, repetitions = argc > 2 ? atoi(argv[2]) : 3;
    printf("queues, ms CPU\n%8s %10s %12s %12s %12s\n", "jobs", "of a kind", "queues", "assignment", "reference");
    for (int n = 32; n <= most; n *= 2)
        bench_queues(n, n / 4, true, repetitions);
    for (int n = 128; n <= most; n *= 4)
        bench_queues(n, 4, false, repetitions);
    printf("\npairs, ms CPU\n%8s %12s\n", "vertices", "pairs");
    for (int n = 64; n <= most && n <= 1024; n *= 2)
        bench_pairs(n);
    return 0;
}
