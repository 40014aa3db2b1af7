/* Isolated allocation problems of the Gavel simulator's objectives with their exact optima: those in ours/, and
 * sixteen of up to 1,024 jobs where the shared folder is. Numbers to 1e-6 of themselves; normalised speeds of water
 * filling to 1e-4 (ours/, whose README says why) and 1e-5. */
#include "compare.h"

#include "base/io.h"
#include "base/mem.h"

#include <orrery/shares.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define OURS ORR_TEST_DATA_DIR "/golden/ours/gavel-60/lp/"

typedef struct problem {
    char path[1200], label[96];
    double near; /* of vectors */
    cJSON *file;
    const cJSON *optimum;
    orr_share_problem shares;
    double *speed, *gpus, *capacity;
    double *weight, *even_speed; /* the priority; p_j */
    double *x, *need;
} problem;

/* ---- the file ---- */

static double *numbers(const cJSON *array)
{
    assert_true(cJSON_IsArray(array));
    double *v = orr_xcalloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *v);
    size_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array) v[n++] = item->valuedouble;
    return v;
}

static double *member(const problem *p, const char *name)
{
    return numbers(cJSON_GetObjectItemCaseSensitive(p->file, name));
}

static cJSON *parse(const char *path)
{
    orr_error e = {0};
    char *text;
    size_t size;
    orr_input *in = orr_input_open(path, &e);
    assert_non_null(in);
    assert_int_equal(orr_input_all(in, &text, &size, &e), ORR_OK);
    orr_input_close(in);
    cJSON *file = cJSON_Parse(text);
    assert_non_null(file);
    free(text);
    return file;
}

static void open_problem(problem *p)
{
    p->file = parse(p->path);
    p->optimum = cJSON_GetObjectItemCaseSensitive(p->file, "optimum");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(p->file, "throughput");
    int32_t jobs = cJSON_GetArraySize(rows), types = cJSON_GetArraySize(rows->child);
    p->speed = orr_xcalloc((size_t)(jobs * types), sizeof *p->speed);
    for (int32_t j = 0; j < jobs; j++) {
        double *row = numbers(cJSON_GetArrayItem(rows, j));
        memcpy(p->speed + j * types, row, (size_t)types * sizeof *row);
        free(row);
    }
    p->gpus = member(p, "scale_factor");
    p->capacity = member(p, "num_gpus");
    p->weight = member(p, "priority");
    p->even_speed = member(p, "proportional_throughput");
    p->x = orr_xcalloc((size_t)(jobs * types), sizeof *p->x);
    p->need = orr_xcalloc((size_t)jobs, sizeof *p->need);
    p->shares =
        (orr_share_problem){.jobs = jobs, .types = types, .speed = p->speed, .gpus = p->gpus, .capacity = p->capacity};
}

static void close_problem(problem *p)
{
    cJSON_Delete(p->file);
    double *all[] = {p->speed, p->gpus, p->capacity, p->weight, p->even_speed, p->x, p->need};
    for (size_t i = 0; i < RUN_COUNT(all); i++)
        free(all[i]);
}

/* ---- one objective each ---- */

static void within_limits(const problem *p)
{
    const orr_share_problem *s = &p->shares;
    for (int32_t j = 0; j < s->jobs; j++) {
        double sum = 0;
        for (int32_t k = 0; k < s->types; k++) {
            double x = p->x[j * s->types + k];
            assert_true(x >= 0 && x <= 1 && (x <= 0 || x >= 1e-10));
            sum += x;
        }
        assert_true(sum <= 1 + 1e-9);
    }
    for (int32_t k = 0; k < s->types; k++) {
        double load = 0;
        for (int32_t j = 0; j < s->jobs; j++)
            load += s->gpus[j] * p->x[j * s->types + k];
        assert_true(load <= s->capacity[k] * (1 + 1e-9));
    }
}

/* `got` is the file's optimum, if it has one. */
static void is_optimum(const problem *p, const char *name, double got)
{
    const cJSON *expected = cJSON_GetObjectItemCaseSensitive(p->optimum, name);
    if (expected && !(fabs(got / expected->valuedouble - 1) <= 1e-6))
        fail_msg("%s %s: %.12g, not %.12g", p->label, name, got, expected->valuedouble);
    within_limits(p);
}

static double speed_of(const problem *p, int32_t j)
{
    return orr_shares_speed(&p->shares, p->x, j);
}

/* Everyone has t times the need: x is as good as was said. */
static void reaches(const problem *p, double t)
{
    for (int32_t j = 0; j < p->shares.jobs; j++)
        assert_true(speed_of(p, j) >= t * p->need[j] * (1 - 1e-8));
}

static void max_min(problem *p)
{
    for (int32_t j = 0; j < p->shares.jobs; j++)
        p->need[j] = p->weight[j] * p->even_speed[j] / p->gpus[j];
    double t = orr_shares_max_min(&p->shares, p->need, p->x);
    is_optimum(p, "max_min_fairness_perf", t);
    reaches(p, t);
}

/* All speeds are 1. */
static void max_min_agnostic(problem *p)
{
    size_t cells = (size_t)p->shares.jobs * (size_t)p->shares.types;
    double *ones = orr_xcalloc(cells, sizeof *ones);
    for (size_t i = 0; i < cells; i++)
        ones[i] = 1;
    for (int32_t j = 0; j < p->shares.jobs; j++)
        p->need[j] = p->weight[j] / p->gpus[j];
    orr_share_problem plain = p->shares;
    plain.speed = ones;
    is_optimum(p, "max_min_fairness", orr_shares_max_min(&plain, p->need, p->x));
    free(ones);
}

static void makespan(problem *p)
{
    double *left = member(p, "steps_remaining");
    memcpy(p->need, left, (size_t)p->shares.jobs * sizeof *left);
    double t = orr_shares_max_min(&p->shares, p->need, p->x);
    is_optimum(p, "min_total_duration_perf", 1 / t);
    reaches(p, t);
    free(left);
}

static void finish(problem *p)
{
    orr_share_finish *about = orr_xcalloc((size_t)p->shares.jobs, sizeof *about);
    double *elapsed = member(p, "time_since_arrival"), *left = member(p, "steps_remaining");
    double *isolated = member(p, "isolated_time_so_far"), *speed = member(p, "isolated_throughput");
    for (int32_t j = 0; j < p->shares.jobs; j++)
        about[j] = (orr_share_finish){elapsed[j], left[j], isolated[j], speed[j]};
    double rho = orr_shares_finish(&p->shares, about, p->x);
    is_optimum(p, "finish_time_fairness_perf", rho);
    for (int32_t j = 0; j < p->shares.jobs; j++)
        assert_true(elapsed[j] + left[j] / speed_of(p, j) <= rho * (isolated[j] + left[j] / speed[j]) * (1 + 1e-8));
    double *all[] = {elapsed, left, isolated, speed};
    for (size_t i = 0; i < RUN_COUNT(all); i++)
        free(all[i]);
    free(about);
}

static void max_sum(problem *p)
{
    assert_true(orr_shares_max_sum(&p->shares, p->speed, NULL, p->x));
    double sum = 0;
    for (int32_t j = 0; j < p->shares.jobs; j++)
        sum += speed_of(p, j);
    is_optimum(p, "max_sum_throughput_perf", sum);
}

/* `entity[j]`, and their weights by that number. */
static void read_entities(const problem *p, int32_t *entity, double weight[64], int32_t *entities)
{
    const cJSON *weights = cJSON_GetObjectItemCaseSensitive(p->file, "entity_weight"), *item;
    cJSON_ArrayForEach(item, weights)
    {
        assert_true(*entities < 64);
        weight[*entities] = item->valuedouble;
        int32_t j = 0;
        const cJSON *of;
        cJSON_ArrayForEach(of, cJSON_GetObjectItemCaseSensitive(p->file, "entity"))
        {
            if (strcmp(of->valuestring, item->string) == 0)
                entity[j] = *entities;
            j++;
        }
        ++*entities;
    }
}

static void is_vector(const problem *p, const char *name)
{
    double *expected = numbers(cJSON_GetObjectItemCaseSensitive(p->optimum, name));
    for (int32_t j = 0; j < p->shares.jobs; j++) {
        double got = speed_of(p, j) / p->even_speed[j];
        if (!(fabs(got - expected[j]) <= p->near))
            fail_msg("%s %s, job %d: %.9g, not %.9g", p->label, name, j, got, expected[j]);
    }
    within_limits(p);
    free(expected);
}

static void filling(problem *p)
{
    static const char *const names[] = {"water_filling_perf", "hierarchical_fairness_perf", "hierarchical_fifo_perf"};
    int32_t *entity = orr_xcalloc((size_t)p->shares.jobs, sizeof *entity), entities = 0;
    double weight[64];
    read_entities(p, entity, weight, &entities);
    for (int32_t j = 0; j < p->shares.jobs; j++)
        p->need[j] = p->even_speed[j] / p->gpus[j];
    for (size_t i = 0; i < RUN_COUNT(names); i++) {
        if (!cJSON_HasObjectItem(p->optimum, names[i]))
            continue;
        orr_share_fill how = {.need = p->need, .weight = p->weight, .fifo = i == 2};
        if (i > 0) {
            how.entity = entity;
            how.entity_weight = weight;
            how.entities = entities;
        }
        orr_shares_fill(&p->shares, &how, p->x);
        is_vector(p, names[i]);
    }
    free(entity);
}

static void every_objective(void **state)
{
    problem *p = *state;
    open_problem(p);
    max_min(p);
    max_min_agnostic(p);
    makespan(p);
    finish(p);
    max_sum(p);
    filling(p);
    close_problem(p);
    golden_ran(p->label);
}

/* ---- the list of problems ---- */

static void add(problem *all, size_t *n, const char *path, const char *name, double near)
{
    problem *p = &all[(*n)++];
    snprintf(p->path, sizeof p->path, "%s", path);
    snprintf(p->label, sizeof p->label, "gavel %s", name);
    p->near = near;
}

static void find_problems(problem *all, size_t *n)
{
    static const int ours[] = {8, 32, 128}, theirs[] = {8, 64, 256, 1024};
    char name[64], path[1024];
    for (size_t i = 0; i < RUN_COUNT(ours) * 4; i++) {
        snprintf(name, sizeof name, "lp_%03d_%zu", ours[i / 4], i % 4);
        snprintf(path, sizeof path, OURS "%s.json", name);
        add(all, n, path, name, 1e-4);
    }
    for (size_t i = 0; i < RUN_COUNT(theirs) * 4; i++) {
        char below[96];
        snprintf(name, sizeof name, "lp_%04d_%zu", theirs[i / 4], i % 4);
        snprintf(below, sizeof below, "golden/gavel/lp/%s.json", name);
        if (run_shared(path, below))
            add(all, n, path, name, 1e-5);
        else
            golden_skipped(name, "no data outside the tree");
    }
}

int main(void)
{
    static problem all[32];
    struct CMUnitTest tests[32];
    size_t n = 0;
    find_problems(all, &n);
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = all[i].label, .test_func = every_objective, .initial_state = &all[i]};
    return _cmocka_run_group_tests("gavel_lp", tests, n, NULL, NULL);
}
