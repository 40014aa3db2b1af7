/* The solvers behind policies: linear programs, and integer programs of two shapes that published policies bring. Shares of
 * time have bench_shares, matchings bench_match.
 *
 * usage: bench_solve [lp|integer]...
 * Prints CPU seconds, the best of three (of integer programs: the one), and pivots, which are the same from run
 * to run.
 */
#define _POSIX_C_SOURCE 200809L

#include <orrery/solve.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TYPES = 3, REPETITIONS = 3 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

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

static int below(uint64_t *x, int n)
{
    return (int)(unit(x) * n);
}

/* ---- a linear program: max-min over jobs of distinct speeds and three types ---- */

static orr_lp *max_min(int jobs, uint64_t seed)
{
    orr_lp *lp = orr_lp_create(true);
    int32_t t = orr_lp_column(lp, 1, 0, INFINITY);
    for (int k = 0; k < TYPES; k++)
        orr_lp_row(lp, -INFINITY, floor(jobs / 4.0));
    for (int j = 0; j < jobs; j++) {
        int32_t time = orr_lp_row(lp, -INFINITY, 1), speed = orr_lp_row(lp, 0, INFINITY);
        orr_lp_add(lp, speed, t, -1);
        for (int k = 0; k < TYPES; k++) {
            int32_t x = orr_lp_column(lp, 0, 0, INFINITY);
            orr_lp_add(lp, time, x, 1);
            orr_lp_add(lp, speed, x, (k + 1) * (0.3 + unit(&seed)));
            orr_lp_add(lp, k, x, 1);
        }
    }
    return lp;
}

static void bench_lp(void)
{
    printf("| jobs | rows | columns | pivots | s | again with 5 %% more GPUs: pivots | s "
           "|\n|---|---|---|---|---|---|---|\n");
    for (int jobs = 64; jobs <= 1024; jobs *= 4) {
        double cold = INFINITY, warm = INFINITY;
        int64_t first = 0, both = 0;
        for (int i = 0; i < REPETITIONS; i++) {
            orr_lp *lp = max_min(jobs, 1);
            double start = cpu_seconds();
            orr_lp_solve(lp, NULL);
            cold = fmin(cold, cpu_seconds() - start);
            first = orr_lp_pivots(lp);
            for (int k = 0; k < TYPES; k++)
                orr_lp_set_row(lp, k, -INFINITY, floor(jobs / 4.0) * 1.05);
            start = cpu_seconds();
            orr_lp_solve(lp, NULL);
            warm = fmin(warm, cpu_seconds() - start);
            both = orr_lp_pivots(lp);
            orr_lp_destroy(lp);
        }
        printf("| %d | %d | %d | %lld | %.4f | %lld | %.4f |\n", jobs, 2 * jobs + TYPES, TYPES * jobs + 1,
               (long long)first, cold, (long long)(both - first), warm);
    }
}

/* ---- integer programs ---- */

/* As in Sia: each job takes one of 15 configurations, 1 to 16 GPUs of a type. */
static orr_lp *configurations(int jobs, uint64_t seed)
{
    orr_lp *lp = orr_lp_create(true);
    for (int k = 0; k < TYPES; k++)
        orr_lp_row(lp, -INFINITY, jobs);
    for (int j = 0; j < jobs; j++) {
        int32_t one = orr_lp_row(lp, -INFINITY, 1);
        double speed = 0;
        for (int c = 0; c < 15; c++) {
            speed = c % 5 == 0 ? 0.5 + unit(&seed) : speed * (1 + unit(&seed));
            int32_t x = orr_lp_integer(lp, speed, 0, 1);
            orr_lp_add(lp, one, x, 1);
            orr_lp_add(lp, c / 5, x, 1 << c % 5);
        }
    }
    return lp;
}

enum { MOST_SERVERS = 10, SERVER_CPUS = 32, SERVER_GPUS = 8 };

typedef struct containers { /* of one app in Dorm's program */
    double cpu, gpu, fair;
    int32_t total, off, changed;
} containers;

/* What the app has on a server now: up to two, as many as there is room for. */
static double has_now(const containers *app, double left[2], uint64_t *seed)
{
    double n = fmin(below(seed, 3), floor(fmin(left[0] / app->cpu, left[1] / app->gpu)));
    left[0] -= n * app->cpu, left[1] -= n * app->gpu;
    return n;
}

/* The app's row of containers over servers, how far it is from its fair share, and whether it differs from what it
 * had. */
static void add_app(orr_lp *lp, const containers *app, int servers, double left[][2], uint64_t *seed)
{
    int32_t over = orr_lp_row(lp, -INFINITY, app->fair), under = orr_lp_row(lp, app->fair, INFINITY);
    orr_lp_add(lp, over, app->off, -1);
    orr_lp_add(lp, under, app->off, 1);
    for (int s = 0; s < servers; s++) {
        int32_t n = orr_lp_integer(lp, app->cpu / SERVER_CPUS + app->gpu / SERVER_GPUS, 0, 8);
        double had = has_now(app, left[s], seed);
        orr_lp_add(lp, app->total, n, 1);
        orr_lp_add(lp, 2 * s, n, app->cpu);
        orr_lp_add(lp, 2 * s + 1, n, app->gpu);
        orr_lp_add(lp, over, n, app->gpu / (1.0 * SERVER_GPUS * servers));
        orr_lp_add(lp, under, n, app->gpu / (1.0 * SERVER_GPUS * servers));
        int32_t more = orr_lp_row(lp, -INFINITY, had), less = orr_lp_row(lp, had, INFINITY);
        orr_lp_add(lp, more, n, 1);
        orr_lp_add(lp, more, app->changed, -8);
        orr_lp_add(lp, less, n, 1);
        orr_lp_add(lp, less, app->changed, 8);
    }
}

/* As in Dorm: containers by app and server, bounded loss of fairness, at most half of the apps changed. */
static orr_lp *dorm(int apps, int servers, uint64_t seed)
{
    orr_lp *lp = orr_lp_create(true);
    double left[MOST_SERVERS][2];
    for (int s = 0; s < servers; s++) {
        orr_lp_row(lp, -INFINITY, left[s][0] = SERVER_CPUS);
        orr_lp_row(lp, -INFINITY, left[s][1] = SERVER_GPUS);
    }
    int32_t loss = orr_lp_row(lp, -INFINITY, 0.6), churn = orr_lp_row(lp, -INFINITY, apps / 2.0);
    for (int i = 0; i < apps; i++) {
        containers app = {.cpu = 1 + below(&seed, 6), .gpu = 1 + below(&seed, 2), .fair = 1.0 / apps};
        app.total = orr_lp_row(lp, 1, 2.0 * servers);
        app.off = orr_lp_column(lp, 0, 0, INFINITY);
        app.changed = orr_lp_integer(lp, 0, 0, 1);
        orr_lp_add(lp, loss, app.off, 1);
        orr_lp_add(lp, churn, app.changed, 1);
        add_app(lp, &app, servers, left, &seed);
    }
    return lp;
}

static const char *const status_names[] = {"best", "infeasible", "unbounded", "limit, a solution", "limit, none"};

static void report_integer(const char *name, orr_lp *lp, double gap)
{
    const orr_lp_limits within = {.gap = gap, .nodes = 500};
    double start = cpu_seconds();
    orr_lp_status status = orr_lp_solve(lp, &within);
    double seconds = cpu_seconds() - start;
    char objective[32] = "";
    if (status == ORR_LP_OPTIMAL || status == ORR_LP_FEASIBLE)
        snprintf(objective, sizeof objective, "%.6g", orr_lp_objective(lp));
    printf("| %s | %s | %s | %lld | %.3f |\n", name, status_names[status], objective, (long long)orr_lp_pivots(lp),
           seconds);
    orr_lp_destroy(lp);
}

static void bench_integer(void)
{
    printf("| problem | status | objective | pivots | s |\n|---|---|---|---|---|\n");
    char name[64];
    for (int jobs = 16; jobs <= 256; jobs *= 2) {
        snprintf(name, sizeof name, "one of 15 configurations, %d jobs", jobs);
        report_integer(name, configurations(jobs, 1), 1e-4);
    }
    for (unsigned seed = 1; seed <= 2; seed++)
        for (int apps = 4; apps <= 20; apps = apps < 10 ? apps + 3 : apps * 2) {
            snprintf(name, sizeof name, "containers, %d apps on %d servers, seed %u", apps, apps / 2, seed);
            report_integer(name, dorm(apps, apps / 2, seed), 1e-3);
        }
}

/* ---- */

static bool asked_for(int argc, char **argv, const char *what)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], what) == 0)
            return true;
    return argc < 2;
}

int main(int argc, char **argv)
{
    if (asked_for(argc, argv, "lp"))
        bench_lp();
    if (asked_for(argc, argv, "integer"))
        bench_integer();
    return 0;
}
