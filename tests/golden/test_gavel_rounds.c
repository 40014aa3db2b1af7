/* What the shares of the public Gavel simulator were worth, from the rounds that it recorded, against our optimum for the same jobs.
 *
 * A row tells the share of a job on the type on which it ran. Once they were computed anew after the last change of who is there,
 * shares stay what they are until the next, so the rounds of such a stretch tell those of all jobs on all types on which they ran;
 * what didn't run counts as 0. That is a lower bound
 * of what theirs were worth, and shares that keep all limits: our optimum must be as good. In some stretches it is all of them, and
 * both must be equal. Objectives that depend on what jobs have done so far can't be had from rounds. */
#include "compare.h"
#include "table.h"

#include "base/mem.h"
#include "base/text.h"
#include "model/throughputs.h"

#include <orrery/shares.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TYPES = 3, MOST = 512 };
enum { SETTLED = 1920 + 360 }; /* seconds: shares are computed anew by then, at the next round */

static const char *const types[TYPES] = {"v100", "p100", "k80"};
static const double prices[TYPES] = {0.74, 0.43, 0.135};

typedef enum worth { LEAST, SUM, COST } worth;

static const struct recorded {
    const char *name, *policy;
    double capacity[TYPES];
    worth worth;
} runs[] = {
    {"gen_single_l6000_seed0_4-4-4", "max_min_fairness_perf", {4, 4, 4}, LEAST},
    {"gen_single_l6000_seed0_4-4-4", "max_sum_throughput_perf", {4, 4, 4}, SUM},
    {"gen_multi_prio_l9000_seed1_8-8-8", "max_min_fairness_perf", {8, 8, 8}, LEAST},
    {"gen_multi_prio_l9000_seed1_8-8-8", "max_sum_throughput_perf", {8, 8, 8}, SUM},
    {"gen_slo_l6000_seed0_4-4-4", "max_sum_throughput_normalized_by_cost_perf", {4, 4, 4}, COST},
};

typedef struct job {
    double arrival, end, gpus, weight, speed[TYPES];
} job;

typedef struct replay {
    const struct recorded *run;
    orr_throughputs *speeds;
    table *jobs, *rounds;
    job *job;         /* [ids] */
    size_t ids;
    double (*x)[TYPES]; /* [ids]: known in this stretch */
    double *gpus, *speed, *need, *gain, *mine, *theirs; /* of those that are there; need: of the level */
    int there, stretches, equal;
} replay;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static double real(const table *t, size_t i, const char *column)
{
    const char *text = table_text(t, i, column);
    double v = INFINITY;
    if (text[0] && !orr_parse_double(text, strlen(text), &v))
        fail_msg("no number: %s", text);
    return v;
}

static void read_job(replay *r, size_t i)
{
    const size_t id = (size_t)table_number(r->jobs, i, "job_id");
    assert_true(id < r->ids);
    job *j = &r->job[id];
    *j = (job){.arrival = real(r->jobs, i, "arrival"), .end = real(r->jobs, i, "end"), .gpus = real(r->jobs, i, "scale_factor"),
               .weight = real(r->jobs, i, "priority")};
    const int32_t row = orr_throughputs_job(r->speeds, table_text(r->jobs, i, "job_type"), (int64_t)j->gpus);
    for (int k = 0; k < TYPES; k++)
        j->speed[k] = orr_throughputs_alone(r->speeds, orr_throughputs_type(r->speeds, types[k]), row);
}

static void read_all(replay *r, const char *jobs, const char *rounds, const char *speeds)
{
    char text[1200];
    orr_error e = {0};
    snprintf(text, sizeof text, "%s,spread=no", speeds);
    r->speeds = orr_throughputs_load(text, &e);
    assert_non_null(r->speeds);
    r->jobs = table_read(jobs);
    r->rounds = table_read(rounds);
    for (size_t i = 0; i < r->rounds->count; i++) /* those that never ended are not among the jobs */
        r->ids = (size_t)fmax((double)r->ids, 1 + real(r->rounds, i, "job"));
    for (size_t i = 0; i < r->jobs->count; i++)
        r->ids = (size_t)fmax((double)r->ids, 1 + real(r->jobs, i, "job_id"));
    r->job = orr_xcalloc(r->ids, sizeof *r->job);
    for (size_t i = 0; i < r->ids; i++)
        r->job[i].arrival = INFINITY;
    for (size_t i = 0; i < r->jobs->count; i++)
        read_job(r, i);
    r->x = orr_xcalloc(r->ids, sizeof *r->x);
    r->gpus = orr_xcalloc(MOST * (2 + 4 * TYPES), sizeof *r->gpus);
    r->need = r->gpus + MOST;
    r->speed = r->need + MOST;
    r->gain = r->speed + MOST * TYPES;
    r->mine = r->gain + MOST * TYPES;
    r->theirs = r->mine + MOST * TYPES;
}

/* ---- what it is worth -------------------------------------------------------------------------------------------- */

static void add(replay *r, const job *j, const double *x)
{
    double all = 0, even = 0;
    const int at = r->there++;
    assert_true(r->there <= MOST);
    r->gpus[at] = j->gpus;
    for (int k = 0; k < TYPES; k++) {
        all += r->run->capacity[k];
        even += j->speed[k] * r->run->capacity[k];
        r->speed[at * TYPES + k] = j->speed[k];
        r->gain[at * TYPES + k] = j->speed[k] / (r->run->worth == COST ? prices[k] : 1);
        r->theirs[at * TYPES + k] = fmax(x[k], 0);
    }
    r->need[at] = j->weight * even / all / j->gpus;
}

static double sum_of(const replay *r, const double *x)
{
    double sum = 0;
    for (int i = 0; i < r->there * TYPES; i++)
        sum += r->gain[i] * x[i];
    return sum;
}

static double level_of(const replay *r, const orr_share_problem *p)
{
    double level = INFINITY;
    for (int32_t j = 0; j < p->jobs; j++)
        level = fmin(level, orr_shares_speed(p, r->theirs, j) / r->need[j]);
    return level;
}

/* Of those who were there then. */
static void compare(replay *r, double from)
{
    r->there = 0;
    for (size_t i = 0; i < r->ids; i++)
        if (r->job[i].arrival <= from && r->job[i].end > from + 1e-6)
            add(r, &r->job[i], r->x[i]);
    const orr_share_problem p = {.jobs = r->there, .types = TYPES, .speed = r->speed, .gpus = r->gpus, .capacity = r->run->capacity};
    double ours, theirs;
    if (!r->there)
        return;
    if (r->run->worth == LEAST) {
        ours = orr_shares_max_min(&p, r->need, r->mine);
        theirs = level_of(r, &p);
    } else {
        assert_true(orr_shares_max_sum(&p, r->gain, NULL, r->mine));
        ours = sum_of(r, r->mine);
        theirs = sum_of(r, r->theirs);
    }
    if (!(ours >= theirs * (1 - 1e-6)))
        fail_msg("at %.3f s theirs are worth %.12g, ours %.12g", from, theirs, ours);
    r->stretches++;
    r->equal += theirs >= ours * (1 - 1e-6);
}

/* ---- stretches --------------------------------------------------------------------------------------------------- */

static int type_of(const char *name)
{
    for (int k = 0; k < TYPES; k++)
        if (strcmp(types[k], name) == 0)
            return k;
    fail_msg("no type: %s", name);
    return 0;
}

/* When somebody came or went the last time before that, and the next time. */
static void find_changes(const replay *r, double at, double *before, double *after)
{
    *before = -INFINITY;
    *after = INFINITY;
    for (size_t i = 0; i < r->ids; i++) {
        const double times[2] = {r->job[i].arrival, r->job[i].end - 1e-6};
        for (int k = 0; k < 2; k++)
            if (times[k] <= at)
                *before = fmax(*before, times[k]);
            else
                *after = fmin(*after, times[k]);
    }
}

static void begin(replay *r)
{
    for (size_t i = 0; i < r->ids; i++)
        for (int k = 0; k < TYPES; k++)
            r->x[i][k] = 0;
}

static void walk(replay *r)
{
    double before = 0, after = -INFINITY, from = NAN;
    for (size_t i = 0; i < r->rounds->count; i++) {
        const double start = real(r->rounds, i, "start");
        if (start >= after) {
            if (!isnan(from))
                compare(r, from);
            begin(r);
            from = NAN;
            find_changes(r, start, &before, &after);
        }
        if (start < before + SETTLED)
            continue;
        from = start;
        r->x[table_number(r->rounds, i, "job")][type_of(table_text(r->rounds, i, "gpu_type"))] = real(r->rounds, i, "allocation");
    }
}

static void replay_one(void **state)
{
    replay r = {.run = *state};
    char jobs[1024], rounds[1024], speeds[1024], name[256], label[128];
    snprintf(label, sizeof label, "gavel shares of %s.%s", r.run->name, r.run->policy);
    snprintf(name, sizeof name, "golden/gavel/sim/%s/%s.rounds.csv.gz", r.run->name, r.run->policy);
    if (!run_shared(rounds, name)) {
        golden_skipped(label, "no data outside the tree");
        return;
    }
    snprintf(name, sizeof name, "golden/gavel/sim/%s/%s.jobs.csv.gz", r.run->name, r.run->policy);
    assert_true(run_shared(jobs, name));
    assert_true(run_shared(speeds, "data/gavel/simulation_throughputs.json.gz"));
    read_all(&r, jobs, rounds, speeds);
    walk(&r);
    printf("%s: %d stretches, equal in %d\n", label, r.stretches, r.equal);
    assert_true(r.equal > 0);
    table_free(r.jobs);
    table_free(r.rounds);
    orr_throughputs_destroy(r.speeds);
    free(r.job);
    free(r.x);
    free(r.gpus);
    golden_ran(label);
}

int main(void)
{
    struct CMUnitTest tests[RUN_COUNT(runs)];
    for (size_t i = 0; i < RUN_COUNT(runs); i++)
        tests[i] = (struct CMUnitTest){.name = runs[i].policy, .test_func = replay_one, .initial_state = (void *)&runs[i]};
    return _cmocka_run_group_tests("gavel rounds", tests, RUN_COUNT(tests), NULL, NULL);
}
