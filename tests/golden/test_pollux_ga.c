/* What the published Pollux simulator's genetic search does to allocations: 40 small clusters, several matrices each as they were
 * bred, what its repair made of them, and the two scores. Matrices exactly where its random choice has no part in them, scores to
 * 1e-9 of themselves. */
#include "cases.h"
#include "compare.h"

#include "base/io.h"
#include "base/mem.h"

#include <orrery/evolve.h>
#include <orrery/goodput.h>

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS = 64, NODES = 64 };

typedef struct matrix {
    uint32_t start[JOBS + 1];
    orr_deal_part parts[JOBS * NODES];
    orr_deal deal;
} matrix;

typedef struct small {
    int32_t id, jobs, nodes, gpus; /* gpus: of a node */
    orr_perf perf[JOBS];
    orr_noise noise[JOBS];
    orr_batch_limits limits[JOBS];
    int32_t most[JOBS], capacity[NODES];
    double changed[JOBS], base[JOBS];
    bool fitted[JOBS]; /* without a model it is believed to be as fast as it has GPUs */
    matrix present;
} small;

static void read_matrix(const cJSON *rows, matrix *m)
{
    int32_t j = 0;
    m->start[0] = 0;
    const cJSON *row, *count;
    cJSON_ArrayForEach(row, rows) {
        uint32_t n = m->start[j];
        uint16_t node = 0;
        cJSON_ArrayForEach(count, row) {
            if (count->valueint)
                m->parts[n++] = (orr_deal_part){node, (uint16_t)count->valueint};
            node++;
        }
        m->start[++j] = n;
    }
    m->deal = (orr_deal){j, m->start, m->parts};
}

static void read_job(const cJSON *job, const cJSON *params, small *c, int32_t j)
{
    const cJSON *app = field_of(field_of(params, "applications"), field_of(job, "application")->valuestring);
    c->most[j] = (int32_t)real_of(job, "max_replicas");
    double age = real_of(job, "age"), restarts = real_of(job, "num_restarts");
    c->changed[j] = fmax(age - 30 * restarts, 0) / (age + 30);
    c->fitted[j] = cJSON_IsString(field_of(job, "perf_params"));
    if (!c->fitted[j])
        return;
    const cJSON *set = field_of(field_of(app, "perf_params"), field_of(job, "perf_params")->valuestring);
    double v[7];
    for (int i = 0; i < 7; i++)
        v[i] = cJSON_GetArrayItem(field_of(set, "values"), i)->valuedouble;
    c->perf[j] = (orr_perf){v[0], v[1], v[2], v[3], v[4], v[5], v[6]};
    c->noise[j] = (orr_noise){real_of(job, "grad_sqr"), real_of(job, "grad_var")};
    c->limits[j] = (orr_batch_limits){.initial = (int64_t)real_of(app, "init_batch_size"),
                                      .most = (int64_t)real_of(app, "max_batch_size"),
                                      .local_least = (int32_t)real_of(app, "min_local_bsz"),
                                      .local_most = (int32_t)real_of(app, "max_local_bsz"),
                                      .accumulates = true};
}

static double goodput(const small *c, int32_t j, int32_t gpus, int32_t nodes)
{
    orr_batch batch;
    if (!c->fitted[j])
        return gpus;
    return orr_goodput_best(&c->perf[j], c->noise[j], &c->limits[j], nodes, gpus, &batch);
}

static void read_case(const cJSON *from, const cJSON *params, small *c)
{
    const cJSON *job;
    *c = (small){.id = (int32_t)real_of(from, "case"), .nodes = (int32_t)real_of(from, "num_nodes"),
                 .gpus = (int32_t)real_of(from, "gpus_per_node")};
    cJSON_ArrayForEach(job, field_of(from, "jobs")) read_job(job, params, c, c->jobs++);
    for (int32_t i = 0; i < c->nodes; i++)
        c->capacity[i] = c->gpus;
    for (int32_t j = 0; j < c->jobs; j++)
        c->base[j] = goodput(c, j, (c->nodes * c->gpus + c->jobs - 1) / c->jobs, 1);
    read_matrix(field_of(from, "base_state"), &c->present);
}

static double speedup(void *self, int32_t j, int32_t gpus, int32_t nodes)
{
    const small *c = self;
    return goodput(c, j, gpus, nodes) / c->base[j];
}

static orr_deal_rules rules_of(const small *c)
{
    return (orr_deal_rules){.rows = c->jobs, .columns = c->nodes, .capacity = c->capacity, .most = c->most, .most_columns = 16,
                            .apart = true};
}

static void near(const small *c, const char *what, double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * fabs(expected))
        fail_msg("case %d: %s is %.17g, not %.17g", c->id, what, got, expected);
}

static void same_deal(const small *c, const orr_deal *got, const orr_deal *expected)
{
    for (int32_t j = 0; j < c->jobs; j++)
        if (!orr_deal_same_row(got, expected, j))
            fail_msg("case %d: job %d was repaired otherwise", c->id, j);
}

/* Whatever the random choice: no more than allowed, and everybody who isn't cut by it has the same. */
static void keeps_rules(const small *c, const orr_deal *deal)
{
    int32_t used[NODES] = {0};
    for (int32_t j = 0; j < c->jobs; j++) {
        assert_true(orr_deal_units(deal, j) <= c->most[j]);
        assert_true(deal->start[j + 1] - deal->start[j] <= 16);
        for (uint32_t i = deal->start[j]; i < deal->start[j + 1]; i++)
            used[deal->parts[i].column] += deal->parts[i].count;
    }
    for (int32_t i = 0; i < c->nodes; i++)
        assert_true(used[i] <= c->gpus);
}

static void state_is_theirs(small *c, const cJSON *state)
{
    static matrix raw, expected, got;
    read_matrix(field_of(state, "raw"), &raw);
    read_matrix(field_of(state, "repaired"), &expected);
    orr_deal_rules rules = rules_of(c);
    for (uint64_t seed = 0; seed < 3; seed++) {
        orr_deal_repair(&rules, &raw.deal, seed, got.start, got.parts);
        got.deal = (orr_deal){c->jobs, got.start, got.parts};
        keeps_rules(c, &got.deal);
        if (cJSON_IsTrue(field_of(state, "repair_is_deterministic")))
            same_deal(c, &got.deal, &expected.deal);
    }
    orr_merit merit = {.value = speedup, .self = c, .scale = 1.0 / c->gpus, .power = -1, .floor = 0.001, .changed = c->changed,
                       .present = &c->present.deal, .capacity = c->capacity, .columns = c->nodes};
    double score[2];
    orr_merit_score(&merit, &expected.deal, score);
    near(c, "fitness", score[0], real_of(state, "fitness"));
    near(c, "utility", score[1], real_of(state, "utility"));
}

static void repair_and_scores(void **test_state)
{
    (void)test_state;
    char cases[1024], constants[1024];
    if (!run_shared(cases, "golden/pollux/unit/pollux-fitness-repair.json.gz") ||
        !run_shared(constants, "golden/pollux/params.json"))
        skip();
    cJSON *all = json_read(cases), *params = json_read(constants);
    static small c;
    int32_t states = 0;
    const cJSON *one, *state;
    cJSON_ArrayForEach(one, all) {
        read_case(one, params, &c);
        cJSON_ArrayForEach(state, field_of(one, "states")) {
            state_is_theirs(&c, state);
            states++;
        }
    }
    assert_true(states > 100);
    cJSON_Delete(all);
    cJSON_Delete(params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repair_and_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
