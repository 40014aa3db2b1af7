/* Pollux under the rules of its published simulator. Its search is random: averages are compared, not jobs.
 *
 *     POLLUX_SEEDS=5 ./tests/test_golden_pollux_jct             every workload at every load, so often; prints the table of README.md
 *     POLLUX_SEEDS=5 POLLUX_LOAD=0.5 ./tests/test_golden_pollux_jct
 *
 * Without that, which takes minutes, the first jobs of one workload: sooner done than under Tiresias, which is there with the best
 * configuration of each job, by a tenth at least. */
#include "compare.h"
#include "pollux.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
enum { FIRST = 6 };
#else
enum { FIRST = 12 };
#endif

static const char *const loads[] = {"0.5", "1.0", "1.5", "2.0"};

static double mean_of(const pollux_world *w, const pollux_case *c)
{
    pollux_run *r = pollux_go(w, c);
    double mean = r->mean;
    pollux_run_free(r);
    return mean;
}

static void a_few_jobs(void **state)
{
    if (!*state) {
        golden_skipped("pollux, a few jobs", "no data outside the tree");
        return;
    }
    pollux_case c = {.load = "1.0", .workload = 6, .policy = "pollux", .limit = FIRST};
    double pollux = mean_of(*state, &c);
    c.policy = "tiresias:pollux";
    double tiresias = mean_of(*state, &c);
    if (pollux > 0.9 * tiresias)
        fail_msg("mean JCT %.0f s, Tiresias' %.0f s", pollux, tiresias);
    golden_ran("pollux, a few jobs");
}

/* One line of the table. Returns ours; 0: that workload isn't here. */
static double workload(const pollux_world *w, const pollux_shipped *shipped, const char *load, int32_t i, int seeds)
{
    double sum = 0, least = INFINITY, most = 0;
    pollux_case c = {.load = load, .workload = i, .policy = "pollux"};
    if (!pollux_has(&c))
        return 0;
    for (c.seed = 1; c.seed <= (uint64_t)seeds; c.seed++) {
        double mean = mean_of(w, &c);
        sum += mean / seeds;
        least = fmin(least, mean);
        most = fmax(most, mean);
    }
    double theirs = pollux_shipped_mean(shipped, i);
    printf("| %s | %d | %.0f | %.0f | %.0f..%.0f | %+.1f %% |\n", load, i, theirs, sum, least, most, 100 * (sum / theirs - 1));
    fflush(stdout);
    return sum;
}

/* Of the workloads that are here. Tiresias' and Optimus' are ours, too, to the second (test_pollux_exact.c). */
static double shipped_mean(const char *policy, const char *load)
{
    char experiment[64];
    double sum = 0;
    int n = 0;
    snprintf(experiment, sizeof experiment, "jobload-%s-%s", policy, load);
    pollux_shipped *shipped = pollux_shipped_read(experiment);
    for (int32_t i = 1; i <= POLLUX_WORKLOADS; i++) {
        const pollux_case c = {.load = load, .workload = i};
        if (!pollux_has(&c))
            continue;
        sum += pollux_shipped_mean(shipped, i);
        n++;
    }
    table_free(shipped);
    return sum / n;
}

/* Workloads that are far from theirs, and what else is. */
static int at_load(const pollux_world *w, const char *load, int seeds)
{
    char experiment[64];
    double sum = 0, ours = 0;
    int n = 0, far = 0;
    snprintf(experiment, sizeof experiment, "jobload-pollux-%s", load);
    pollux_shipped *shipped = pollux_shipped_read(experiment);
    for (int32_t i = 1; i <= POLLUX_WORKLOADS; i++) {
        const double mean = workload(w, shipped, load, i, seeds);
        if (mean <= 0)
            continue;
        const double ratio = mean / pollux_shipped_mean(shipped, i);
        ours += mean;
        sum += ratio;
        n++;
        far += fabs(ratio - 1) > 0.05;
    }
    table_free(shipped);
    const double tiresias = shipped_mean("tiresias", load), optimus = shipped_mean("optimus", load);
    printf("load %s: %+.1f %% on average; pollux %.0f s, tiresias %.0f s, optimus %.0f s\n", load, 100 * (sum / n - 1),
           ours / n, tiresias, optimus);
    return far + (fabs(sum / n - 1) > 0.03) + !(ours / n < fmin(tiresias, optimus)); /* first at each load, as theirs */
}

static void as_shipped(void **state)
{
    const char *seeds = getenv("POLLUX_SEEDS"), *load = getenv("POLLUX_LOAD");
    int far = 0;
    if (!*state || !seeds)
        skip();
    puts("| load | workload | theirs, s | ours | seeds | |\n|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (!load || strcmp(load, loads[i]) == 0)
            far += at_load(*state, loads[i], atoi(seeds));
    assert_int_equal(far, 0);
}

int main(void)
{
    pollux_world *w = pollux_open();
    const struct CMUnitTest tests[] = {{.name = "a_few_jobs", .test_func = a_few_jobs, .initial_state = w},
                                       {.name = "as_shipped", .test_func = as_shipped, .initial_state = w}};
    int failed = cmocka_run_group_tests_name("pollux", tests, NULL, NULL);
    pollux_close(w);
    return failed;
}
