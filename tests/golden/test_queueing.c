/* The closed forms of queueing against 36 published cases, every number to 1e-9 of itself. */
#include "cases.h"
#include "compare.h"

#include <orrery/queueing.h>

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FILE_NAME "golden/inference/queueing_closed_form.json"

static bool begins(const char *id, const char *with)
{
    return strncmp(id, with, strlen(with)) == 0;
}

/* ---- one server ---- */

static void mm1(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s"), each = real_of(in, "service_rate_per_s");
    const orr_long_run r = orr_mmc(rate, each, 1), general = orr_mg1(rate, orr_moments_of(1 / each, 1));
    assert_true(fabs(r.wait - general.wait) <= 1e-12 * r.wait && fabs(r.delayed - general.delayed) <= 1e-12);
    answer(out, r.busy, "utilization");
    answer(out, r.wait, "mean_wait_s");
    answer(out, r.response, "mean_response_s");
    answer(out, r.in_system, "mean_in_system");
    answer(out, r.waiting, "mean_in_queue");
    answer(out, orr_mmc_quantile(rate, each, 1, 0.5), "p50_response_s");
    answer(out, orr_mmc_quantile(rate, each, 1, 0.95), "p95_response_s");
    answer(out, orr_mmc_quantile(rate, each, 1, 0.99), "p99_response_s");
    answer(out, r.delayed, "prob_wait");
}

static void md1(const cJSON *in, answers *out)
{
    const orr_long_run r =
        orr_mg1(real_of(in, "arrival_rate_per_s"), orr_moments_of(real_of(in, "service_time_s"), 0));
    answer(out, r.busy, "utilization");
    answer(out, r.wait, "mean_wait_s");
    answer(out, r.response, "mean_response_s");
    answer(out, r.waiting, "mean_in_queue");
    answer(out, r.delayed, "prob_wait");
}

static orr_moments moments_of(const cJSON *in)
{
    const double mean = real_of(in, "mean_service_s");
    if (cJSON_HasObjectItem(in, "k"))
        return orr_moments_of(mean, sqrt(1 / real_of(in, "k")));
    if (cJSON_HasObjectItem(in, "cv"))
        return orr_moments_of(mean, real_of(in, "cv"));
    double part[8], seconds[8];
    size_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, field_of(in, "service_mix"))
    {
        part[n] = real_of(item, "p");
        seconds[n++] = real_of(item, "s");
    }
    return orr_moments_mix(part, seconds, n);
}

static void mg1(const cJSON *in, answers *out)
{
    const orr_moments m = moments_of(in);
    const double square = real_of(in, "second_moment_service_s2");
    assert_true(fabs(m.square - square) <= 1e-12 * square);
    const orr_long_run r = orr_mg1(real_of(in, "arrival_rate_per_s"), m);
    answer(out, r.busy, "utilization");
    answer(out, r.wait, "mean_wait_s");
    answer(out, r.response, "mean_response_s");
}

static void shared(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s"), mean = real_of(in, "mean_service_s");
    answer(out, orr_shared_response(rate, mean, mean), "mean_response_s");
    answer(out, orr_shared_response(rate, mean, 1), "conditional_slowdown");
}

/* ---- several ---- */

static void mmc(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s"), each = real_of(in, "service_rate_per_s_per_replica");
    const int32_t servers = (int32_t)real_of(in, "replicas");
    const orr_long_run r = orr_mmc(rate, each, servers);
    answer(out, rate / each, "offered_load_erlang");
    answer(out, r.busy, "utilization");
    answer(out, orr_erlang_c(rate / each, servers), "erlang_c_prob_wait");
    answer(out, orr_erlang_b(rate / each, servers), "erlang_b_loss_if_no_queue");
    answer(out, r.wait, "mean_wait_s");
    answer(out, r.response, "mean_response_s");
    answer(out, orr_mmc_wait_quantile(rate, each, servers, 0.99), "p99_wait_s");
}

static void sizing(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s"), each = real_of(in, "service_rate_per_s_per_replica");
    const double seconds = real_of(in, "T_s");
    const int32_t c = orr_mmc_servers(rate, each, seconds, real_of(in, "q"));
    answer(out, c, "c");
    answer(out, orr_mmc_wait_over(rate, each, c, seconds), "P_wait_gt_T");
    answer(out, orr_mmc_wait_over(rate, each, c - 1, seconds), "P_wait_gt_T_with_c_minus_1");
}

static void loss(const cJSON *in, answers *out)
{
    const double load = real_of(in, "offered_load_erlang");
    const int32_t servers = (int32_t)real_of(in, "replicas");
    const double lost = orr_erlang_b(load, servers);
    assert_true(fabs(orr_mmck(load, 1, servers, servers).lost - lost) <= 1e-14);
    answer(out, lost, "loss_probability");
}

static void limited(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s");
    const orr_long_run r = orr_mmck(rate, real_of(in, "service_rate_per_s"), 1, (int64_t)real_of(in, "K"));
    answer(out, r.lost, "loss_probability");
    answer(out, r.in_system, "mean_in_system");
    answer(out, r.response, "mean_response_accepted_s");
    answer(out, rate * (1 - r.lost), "goodput_per_s");
}

static void split(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "arrival_rate_per_s"), each = real_of(in, "service_rate_per_s_per_replica");
    const int32_t servers = (int32_t)real_of(in, "replicas");
    answer(out, orr_mmc(rate / servers, each, 1).response, "mean_response_split_s");
    answer(out, orr_mmc(rate, each, servers).response, "mean_response_shared_s");
}

static void pipeline(const cJSON *in, answers *out)
{
    const double rate = real_of(in, "rate_per_model_per_s"), whole = real_of(in, "D_s");
    const double stages[] = {whole / 2, whole / 2};
    answer(out, orr_pipeline_response(rate, &whole, 1), "mean_response_simple_s");
    answer(out, orr_pipeline_response(2 * rate, stages, 2), "mean_response_pipeline_s");
}

static void priorities(const cJSON *in, answers *out)
{
    double rates[8], means[8], wait[8], response[8];
    orr_load_class classes[8];
    size_t n = 0;
    reals_of(field_of(in, "arrival_rates_per_s"), 1, rates, 8, &n);
    reals_of(field_of(in, "mean_service_s"), 1, means, 8, &n);
    const double cv = strcmp(field_of(in, "service")->valuestring, "exp") == 0;
    for (size_t i = 0; i < n; i++)
        classes[i] = (orr_load_class){rates[i], orr_moments_of(means[i], cv)};
    orr_priorities(classes, n, false, wait, NULL);
    orr_priorities(classes, n, true, NULL, response);
    for (size_t i = 0; i < n; i++) {
        answer(out, wait[i], "class%zu_nonpreemptive_mean_wait_s", i);
        answer(out, response[i], "class%zu_preemptive_resume_mean_response_s", i);
    }
}

static void bulk(const cJSON *in, answers *out)
{
    double seconds[64];
    const int32_t most = (int32_t)real_of(in, "max_batch");
    const double rate = real_of(in, "arrival_rate_per_s");
    for (int32_t b = 1; b <= most; b++)
        seconds[b - 1] = real_of(in, "alpha_s") + real_of(in, "beta_s") * b;
    orr_bulk r;
    assert_true(orr_bulk_service(rate, seconds, most, &r));
    answer(out, r.batch, "mean_batch");
    answer(out, r.in_system / r.response, "throughput_per_s");
    answer(out, r.in_system, "mean_in_system");
    answer(out, r.response, "mean_response_s");
    answer(out, r.busy, "utilization");
}

static void one(const cJSON *a_case, const char *id, const cJSON *in, answers *out)
{
    static const struct {
        const char *id;
        void (*answer)(const cJSON *, answers *);
    } kinds[] = {{"mm1_", mm1},         {"md1_", md1},           {"mg1_ps", shared},          {"mg1_", mg1},
                 {"mmc_", mmc},         {"erlang_c_", sizing},   {"erlang_b_", loss},         {"mm1k_", limited},
                 {"split_", split},     {"alpaserve_", pipeline}, {"prio_", priorities},      {"bulk_", bulk}};
    (void)a_case;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (begins(id, kinds[i].id)) {
            kinds[i].answer(in, out);
            return;
        }
    fail_msg("%s: no formula is known for it", id);
}

static void closed_forms(void **state)
{
    (void)state;
    cJSON *root = cases_read(FILE_NAME);
    if (!root) {
        golden_skipped("queueing closed forms", "its cases are not here");
        return;
    }
    /* the tail that theirs cuts off is rounding of theirs: 1e-16, negative at times */
    assert_int_equal(cases_run(root, 1e-9, "tail_mass_at_truncation", one), 36);
    cJSON_Delete(root);
    golden_ran("queueing closed forms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
