/* The best batch of a number of GPUs, which Pollux asks for each job and number at each decision, and the fit of a
 * job's parameters.
 *
 * usage: bench_goodput [repetitions] CPU time, the least of so many repetitions (5).
 */
#define _POSIX_C_SOURCE 200809L

#include "base/rng.h"

#include <orrery/goodput.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JOBS = 160, MOST_GPUS = 64, FITS = 1000, MOST_POINTS = 40 };

typedef struct job {
    orr_perf perf;
    orr_noise noise;
    orr_batch_limits limits;
} job;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double between(gsl_rng *rng, double low, double high)
{
    return low * pow(high / low, gsl_rng_uniform(rng));
}

static job some_job(gsl_rng *rng)
{
    const double n = between(rng, 0.02, 1), r = n * between(rng, 0.1, 1);
    const int64_t initial = 8LL << gsl_rng_uniform_int(rng, 5);
    return (job){
        {between(rng, 0.01, 0.3), between(rng, 5e-4, 0.05), n, n * 0.02, r, r * 0.01, 1 + 2 * gsl_rng_uniform(rng)},
        {1, between(rng, 1, 1000)},
        {initial, initial * 32, (int32_t)initial / 4, (int32_t)initial * 4, true}};
}

/* One decision: every job with each number of GPUs. */
static double decide(const job jobs[])
{
    double sum = 0;
    for (int j = 0; j < JOBS; j++)
        for (int32_t gpus = 1; gpus <= MOST_GPUS; gpus++) {
            orr_batch best;
            sum += orr_goodput_best(&jobs[j].perf, jobs[j].noise, &jobs[j].limits, (gpus + 3) / 4, gpus, &best) +
                   best.local;
        }
    return sum;
}

static void bench_best(gsl_rng *rng, int repetitions)
{
    job jobs[JOBS];
    double least = INFINITY, sum = 0;
    for (int j = 0; j < JOBS; j++)
        jobs[j] = some_job(rng);
    for (int i = 0; i < repetitions; i++) {
        const double began = cpu_seconds();
        sum = decide(jobs);
        least = fmin(least, cpu_seconds() - began);
    }
    printf("best: %d jobs x %d GPUs %.2f ms, %.0f ns each (sum %.6g)\n", JOBS, MOST_GPUS, least * 1e3,
           least * 1e9 / (JOBS * MOST_GPUS), sum);
}

static void measure(gsl_rng *rng, const orr_perf *perf, orr_measurement out[], int n)
{
    for (int i = 0; i < n; i++) {
        const int32_t gpus = 1 + i % 2 * (int32_t)gsl_rng_uniform_int(rng, 32),
                      local = 8 + (int32_t)gsl_rng_uniform_int(rng, 120);
        const int32_t nodes = (gpus + 3) / 4;
        const double noise = between(rng, 0.97, 1.03), step = orr_perf_step(perf, nodes, gpus, (orr_batch){local, 0});
        out[i] = (orr_measurement){nodes, gpus, local, step * noise, step - perf->alpha_c - perf->beta_c * local};
    }
}

static void bench_fit(gsl_rng *rng, int points, int repetitions)
{
    static orr_measurement measured[FITS][MOST_POINTS];
    double least = INFINITY, sum = 0;
    for (int i = 0; i < FITS; i++) {
        const job one = some_job(rng);
        measure(rng, &one.perf, measured[i], points);
    }
    for (int k = 0; k < repetitions; k++) {
        const double began = cpu_seconds();
        sum = 0;
        for (int i = 0; i < FITS; i++) {
            orr_perf got;
            sum += orr_perf_fit(measured[i], (size_t)points, NULL, &got);
        }
        least = fmin(least, cpu_seconds() - began);
    }
    printf("fit: %2d points %.1f us (mean objective %.6f)\n", points, least * 1e6 / FITS, sum / FITS);
}

int main(int argc, char **argv)
{
    const int repetitions = argc > 1 ? atoi(argv[1]) : 5;
    static const int points[] = {1, 5, 10, 20, MOST_POINTS};
    gsl_rng *rng = orr_rng_create(1, "goodput");
    bench_best(rng, repetitions);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        bench_fit(rng, points[i], repetitions);
    gsl_rng_free(rng);
}
