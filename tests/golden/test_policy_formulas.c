/* Rules of published serving systems: 52 cases of decisions, answered by the functions that policies share. Times in
 * the file are milliseconds. */
#include "cases.h"
#include "compare.h"

#include "cluster/mig.h"

#include <orrery/batching.h>
#include <orrery/queueing.h>

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILE_NAME "golden/inference/policy_formulas.json"

static const double ms = 1e-3;

/* alpha_ms + beta_ms b, of sizes up to max_batch where that is stated. */
static orr_batch_times line_of(const cJSON *in)
{
    const bool bounded = cJSON_HasObjectItem(in, "max_batch");
    return (orr_batch_times){.alpha = real_of(in, "alpha_ms") * ms,
                             .beta = real_of(in, "beta_ms") * ms,
                             .most = bounded ? (int32_t)real_of(in, "max_batch") : INT32_MAX};
}

/* {"4": 50, "8": 75, …}, ascending. */
typedef struct measured {
    int32_t size[32];
    double seconds[32];
    orr_batch_times times;
} measured;

static void measure(const cJSON *by_size, measured *m)
{
    int32_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, by_size)
    {
        m->size[n] = atoi(item->string);
        m->seconds[n++] = item->valuedouble * ms;
    }
    m->times = (orr_batch_times){.size = m->size, .seconds = m->seconds, .n = n};
}

/* ---- limits ---- */

static void limits(const cJSON *in, answers *out)
{
    const orr_batch_times t = line_of(in);
    const double slo = real_of(in, "slo_ms") * ms;
    const int32_t one = orr_batch_within(&t, slo), two = orr_batch_within(&t, slo / 2);
    answer(out, one, "largest_batch_exec_within_slo");
    answer(out, orr_batch_rate(&t, one), "throughput_at_that_batch_per_s");
    answer(out, two, "largest_batch_two_execs_within_slo");
    answer(out, orr_batch_rate(&t, two), "max_throughput_saturated_gpu_per_s");
    answer(out, 1 / t.beta, "asymptotic_throughput_per_s");
}

static void aimd(const cJSON *in, answers *out)
{
    const orr_batch_times t = line_of(in);
    const orr_aimd rule = {real_of(in, "slo_ms") * ms, (int32_t)real_of(in, "additive"), real_of(in, "multiplicative"),
                           (int32_t)real_of(in, "start_batch")};
    int32_t cycle[64];
    const orr_aimd_cycle c = orr_aimd_cycle_of(&t, &rule, cycle, 64);
    double limit, mean, length;
    orr_aimd_fluid(&t, &rule, &limit, &mean, &length);
    assert_true(c.length <= 64);
    for (int64_t i = 0; i < c.length; i++)
        answer(out, cycle[i], "cycle.%d", (int)i);
    answer(out, limit, "b_star");
    answer(out, (double)c.length, "cycle_length_batches");
    answer(out, c.least, "min_batch");
    answer(out, c.most, "max_batch");
    answer(out, c.mean, "mean_batch");
    answer(out, c.late, "fraction_of_batches_violating");
    answer(out, c.rate, "throughput_per_s");
    answer(out, (double)c.before, "batches_to_first_violation");
    answer(out, mean, "fluid_mean_batch");
    answer(out, length, "fluid_cycle_length");
}

static void mark_batch(const cJSON *in, answers *out)
{
    const orr_batch_times t = line_of(in);
    const double slo = real_of(in, "slo_ms") * ms, rate = real_of(in, "arrival_rate_per_s");
    const int32_t b = orr_batch_filled(&t, rate, slo);
    answer(out, b, "batch");
    answer(out, (b - 1) / rate / ms, "fill_wait_ms");
    answer(out, orr_batch_seconds(&t, b) / ms, "exec_ms");
    answer(out, orr_batch_rate(&t, b), "service_rate_per_s");
    answer(out, orr_batch_patience(&t, b, slo) / ms, "timeout_ms");
}

static void nanily(const cJSON *in, answers *out)
{
    const orr_batch_times t = line_of(in);
    double deadlines[64];
    size_t n = 0;
    reals_of(field_of(in, "deadlines_ms"), ms, deadlines, 64, &n);
    const double rest = deadlines[0] - (real_of(in, "now_ms") + real_of(in, "least_queue_ms")) * ms;
    orr_batch_times any = t;
    any.most = INT32_MAX;
    const int32_t most = orr_batch_within(&t, rest);
    answer(out, rest / ms, "max_remaining_ms");
    answer(out, orr_batch_within(&any, rest), "batch_bound");
    answer(out, most < (int32_t)n ? most : (int32_t)n, "batch");
}

static void clockwork_batch(const cJSON *in, answers *out)
{
    measured m;
    measure(field_of(in, "exec_estimate_ms"), &m);
    const double free_at = real_of(in, "gpu_free_at_ms") * ms;
    double left[64];
    size_t n = 0;
    reals_of(field_of(in, "deadlines_ms"), ms, left, 64, &n);
    for (size_t i = 0; i < n; i++)
        left[i] -= free_at;
    const orr_batch_choice c = orr_batch_choose(&m.times, left, n, real_of(in, "slo_buffer_ms") * ms);
    assert_int_equal(c.dropped + c.left, n);
    answer(out, (double)c.left, "feasible_requests");
    answer(out, c.batch, "batch");
    answer(out, (free_at + c.seconds) / ms, "complete_at_ms");
}

static void clockwork_estimate(const cJSON *in, answers *out)
{
    double values[32];
    size_t n = 0;
    reals_of(field_of(in, "measurements_ms"), 1, values, 32, &n);
    answer(out, orr_floor_quantile(values, n, 0.99), "estimate_ms");
}

/* ---- Nexus ---- */

typedef struct profiles {
    measured of[8];
    const char *name[8];
    int32_t n;
} profiles;

static void read_profiles(const cJSON *in, profiles *p)
{
    const cJSON *item;
    if (cJSON_HasObjectItem(in, "latency_ms_by_batch")) {
        cJSON_ArrayForEach(item, field_of(in, "latency_ms_by_batch"))
        {
            measure(item, &p->of[p->n]);
            p->name[p->n++] = item->string;
        }
        return;
    }
    const int32_t most = (int32_t)real_of(in, "max_batch");
    cJSON_ArrayForEach(item, field_of(in, "alpha_beta_ms"))
    {
        const double alpha = cJSON_GetArrayItem(item, 0)->valuedouble, beta = cJSON_GetArrayItem(item, 1)->valuedouble;
        p->of[p->n].times = (orr_batch_times){.alpha = alpha * ms, .beta = beta * ms, .most = most};
        p->name[p->n++] = item->string;
    }
}

static const orr_batch_times *profile_of(const profiles *p, const char *name)
{
    for (int32_t i = 0; i < p->n; i++)
        if (strcmp(p->name[i], name) == 0)
            return &p->of[i].times;
    fail_msg("no profile of %s", name);
    return NULL;
}

static void answer_gpu(const orr_packing *p, int32_t i, const char *const *names, answers *out)
{
    const orr_packed_gpu *g = &p->gpus[i];
    answer(out, g->saturated, "nodes.%d.saturated", i);
    answer(out, g->duty / ms, "nodes.%d.duty_ms", i);
    if (!g->saturated)
        answer(out, g->occupancy, "nodes.%d.occupancy", i);
    for (int32_t k = 0; k < g->count; k++) {
        const orr_packed_item *item = &p->items[g->first + k];
        answer_text(out, names[item->session], "nodes.%d.items.%d.session", i, k);
        answer(out, item->batch, "nodes.%d.items.%d.batch", i, k);
        answer(out, item->rate, "nodes.%d.items.%d.rate", i, k);
    }
}

static void nexus_pack(const cJSON *in, answers *out)
{
    profiles p = {.n = 0};
    read_profiles(in, &p);
    orr_session sessions[8];
    const char *names[8];
    int32_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, field_of(in, "sessions"))
    {
        names[n] = field_of(item, "session")->valuestring;
        const double slo = real_of(item, "slo_ms") * ms;
        sessions[n] = (orr_session){profile_of(&p, names[n]), slo, real_of(item, "rate_per_s")};
        n++;
    }
    orr_packing packing = {0};
    orr_pack_sessions(sessions, n, &packing);
    assert_int_equal(packing.refused_count, 0);
    for (int32_t i = 0; i < packing.gpu_count; i++)
        answer_gpu(&packing, i, names, out);
    if (n == 4)
        answer(out, packing.gpu_count, "gpu_count");
    orr_packing_fini(&packing);
}

static void nexus_released(const cJSON *in, answers *out)
{
    orr_batch_times t = line_of(in);
    t.most = (int32_t)real_of(in, "profile_sizes");
    const cJSON *rate;
    cJSON_ArrayForEach(rate, field_of(in, "rates_per_s"))
    {
        const orr_session s = {&t, real_of(in, "slo_ms") * ms, rate->valuedouble};
        const orr_duty d = orr_duty_released(&s);
        const int at = rate->valueint;
        answer(out, d.batch, "%d.batch", at);
        answer(out, d.largest, "%d.max_batch", at);
        answer(out, d.duty / ms, "%d.duty_ms", at);
        answer(out, d.rate, "%d.throughput_per_s", at);
    }
}

static orr_batch_times pair_of(const cJSON *pair)
{
    return (orr_batch_times){.alpha = cJSON_GetArrayItem(pair, 0)->valuedouble * ms,
                             .beta = cJSON_GetArrayItem(pair, 1)->valuedouble * ms,
                             .most = INT32_MAX};
}

static void nexus_split(const cJSON *in, answers *out)
{
    const orr_batch_times x = pair_of(field_of(in, "x")), y = pair_of(field_of(in, "y"));
    const double rate = real_of(in, "rate_per_s");
    const cJSON *gamma;
    cJSON_ArrayForEach(gamma, field_of(in, "fanout_gamma"))
    {
        const orr_split_stage stages[] = {{&x, -1, rate}, {&y, 0, rate * gamma->valuedouble}};
        double budgets[2], gpus;
        assert_true(orr_split_budget(stages, 2, real_of(in, "e2e_slo_ms") * ms, 1 * ms, budgets, &gpus));
        answer(out, gpus, "%g.gpus", gamma->valuedouble);
        answer(out, budgets[0] / ms, "%g.slo_x_ms", gamma->valuedouble);
        answer(out, budgets[1] / ms, "%g.slo_y_ms", gamma->valuedouble);
    }
}

/* ---- how many, and which ---- */

static void mark_greedy(const cJSON *in, answers *out)
{
    orr_machine_kind kinds[8];
    const char *names[8];
    int32_t n = 0, count[8] = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, field_of(in, "instances"))
    {
        names[n] = field_of(item, "name")->valuestring;
        kinds[n++] = (orr_machine_kind){real_of(item, "cap"), real_of(item, "price"), real_of(item, "launch")};
    }
    orr_purchase buys[32];
    double lacks = real_of(in, "demand_per_s"), price = 0;
    const size_t bought = orr_buy(kinds, n, &lacks, 1, real_of(in, "horizon_h") * 3600, buys, 32);
    for (size_t i = 0; i < bought; i++) {
        count[buys[i].kind]++;
        price += kinds[buys[i].kind].price;
    }
    for (int32_t i = 0; i < n; i++)
        if (count[i])
            answer(out, count[i], "plan.%s", names[i]);
    answer(out, price, "price_per_h");
}

static void inferline_replicas(const cJSON *in, answers *out)
{
    int i = 0;
    const cJSON *stage;
    cJSON_ArrayForEach(stage, field_of(in, "stages"))
    {
        answer(out, orr_replicas_for(real_of(in, "rate_per_s"), real_of(stage, "s"), real_of(stage, "tput")),
               "replicas.%d", i++);
    }
}

static void inferline_envelope(const cJSON *in, answers *out)
{
    double seconds[32], lengths[8];
    orr_time arrivals[32], windows[8];
    int64_t most[8];
    size_t n = 0, m = 0;
    reals_of(field_of(in, "arrivals_s"), 1, seconds, 32, &n);
    reals_of(field_of(in, "windows_s"), 1, lengths, 8, &m);
    for (size_t i = 0; i < n; i++)
        arrivals[i] = llround(seconds[i] * 1e9);
    for (size_t i = 0; i < m; i++)
        windows[i] = llround(lengths[i] * 1e9);
    orr_envelope(arrivals, n, windows, m, most);
    for (size_t i = 0; i < m; i++) {
        answer(out, (double)most[i], "max_queries.%zu", i);
        answer(out, (double)most[i] / lengths[i], "rates_per_s.%zu", i);
    }
}

static void inferline_tuner(const cJSON *in, answers *out)
{
    int i = 0;
    const cJSON *stage;
    cJSON_ArrayForEach(stage, field_of(in, "planned"))
    {
        const double visits = real_of(stage, "s"), mu = real_of(stage, "mu");
        const double rho =
            orr_planned_load(real_of(in, "planned_rate_per_s"), visits, (int32_t)real_of(stage, "k"), mu);
        answer(out, rho, "rho.%d", i);
        answer(out, orr_replicas_for(real_of(in, "observed_envelope_rate_per_s"), visits, mu * rho), "k_new.%d", i++);
    }
}

static void infaas(const cJSON *in, answers *out)
{
    const orr_infaas_load load = {.rate = real_of(in, "qps"),
                                  .replicas = (int32_t)real_of(in, "replicas"),
                                  .batch = real_of(in, "batch"),
                                  .mean_batch = real_of(in, "avg_batch"),
                                  .slope = real_of(in, "slope_ms") * ms,
                                  .intercept = real_of(in, "intercept_ms") * ms,
                                  .load = real_of(in, "load_latency_ms") * ms,
                                  .heed = real_of(in, "load_heuristic") / ms};
    const orr_infaas_scale s = orr_infaas_scaling(&load);
    answer(out, s.single, "single_replica_tput");
    answer(out, s.lacks, "delta_qps");
    answer(out, s.add, "scale");
}

static void model_switching(const cJSON *in, answers *out)
{
    const char *best = "";
    double most = -1;
    const cJSON *v;
    cJSON_ArrayForEach(v, field_of(in, "variants"))
    {
        const char *name = field_of(v, "name")->valuestring;
        const double in_time = orr_mmc_within(real_of(in, "arrival_rate_per_s"), 1 / real_of(v, "s"),
                                              (int32_t)real_of(in, "replicas"), real_of(in, "deadline_s"));
        const double effective = real_of(v, "acc") * in_time;
        if (effective > most) {
            most = effective;
            best = name;
        }
        answer(out, effective, "effective_accuracy.%s", name);
    }
    answer_text(out, best, "choice");
}

/* ---- chances ---- */

static void lru(const cJSON *in, answers *out)
{
    answer(out,
           orr_lru_hits_zipf((int64_t)real_of(in, "objects"), real_of(in, "zipf_exponent"),
                             real_of(in, "capacity_objects")),
           "hit_ratio");
}

static void parity(const cJSON *in, answers *out)
{
    const int32_t k = (int32_t)real_of(in, "k");
    const double p = real_of(in, "p");
    answer(out, orr_parity_lost(k, p), "prob_unavailable");
    answer(out, 1.0 / k, "resource_overhead");
    answer(out, orr_parity_lost(1, p), "replication2_prob_unavailable"); /* a copy is a parity of one */
}

static void majority(const cJSON *in, answers *out)
{
    double voters[16];
    size_t n = 0;
    reals_of(field_of(in, "n"), 1, voters, 16, &n);
    for (size_t i = 0; i < n; i++)
        answer(out, orr_majority_right((int32_t)voters[i], real_of(in, "accuracy")), "accuracy_by_n.%zu", i);
}

static void gamma_gaps(const cJSON *in, answers *out)
{
    const orr_gamma_gaps g = orr_gamma_gaps_of(real_of(in, "rate_per_s"), real_of(in, "cv"));
    answer(out, g.shape, "shape");
    answer(out, g.scale, "scale_s");
    answer(out, g.mean, "mean_gap_s");
    answer(out, g.deviation, "sd_gap_s");
}

static void mmpp(const cJSON *in, answers *out)
{
    const orr_mmpp2 process = {{real_of(in, "rate_state1"), real_of(in, "rate_state2")},
                               {real_of(in, "leave_rate1_per_s"), real_of(in, "leave_rate2_per_s")}};
    const orr_mmpp2_moments m = orr_mmpp2_moments_of(&process);
    answer(out, m.rate, "mean_rate");
    answer(out, m.part[0], "state_probabilities.0");
    answer(out, m.part[1], "state_probabilities.1");
    answer(out, m.dispersion, "idc_limit");
    answer(out, m.gap, "gap_mean_s");
    answer(out, m.gap_scv, "gap_scv");
}

static void spot(const cJSON *in, answers *out)
{
    const double seconds = real_of(in, "hours") * 3600;
    const orr_spot_costs s = orr_spot_outlook(real_of(in, "spot_per_h"), real_of(in, "mean_h_to_interruption") * 3600,
                                        real_of(in, "cold_start_s"), seconds);
    answer(out, orr_spot_outlook(real_of(in, "on_demand_per_h"), INFINITY, 0, seconds).cost, "on_demand_cost");
    answer(out, s.interruptions, "expected_interruptions");
    answer(out, s.cost, "spot_cost");
    answer(out, s.lost, "expected_capacity_loss_fraction");
}

/* ---- MIG ---- */

/* "3g.20gb" is our "3g": the memory is the A100's of 40 GB. */
static const orr_mig_profile *mig_profile(const orr_mig_model *m, const char *name)
{
    const size_t length = strcspn(name, ".");
    for (int32_t i = 0; i < m->count; i++)
        if (strlen(m->profiles[i].name) == length && strncmp(m->profiles[i].name, name, length) == 0)
            return &m->profiles[i];
    fail_msg("no profile %s", name);
    return NULL;
}

/* Is there a place for each? All places of all are tried. */
static bool mig_holds(const orr_mig_model *m, const cJSON *layout, orr_mig_cut cut)
{
    if (!layout)
        return true;
    const orr_mig_profile *p = mig_profile(m, layout->valuestring);
    for (int start = 0; start < m->memory; start++)
        if (orr_mig_fits(m, p, start, cut) && mig_holds(m, layout->next, orr_mig_with(cut, p, start)))
            return true;
    return false;
}

static void mig_layouts(const orr_mig_model *m, const cJSON *layouts, bool legal, answers *out)
{
    int i = 0;
    const cJSON *layout;
    cJSON_ArrayForEach(layout, layouts)
    {
        if (mig_holds(m, layout->child, (orr_mig_cut){0}) != legal)
            fail_msg("layout %d is %slegal here", i, legal ? "il" : "");
        int k = 0; /* that the case is answered */
        for (const cJSON *name = layout->child; name; name = name->next)
            answer_text(out, name->valuestring, "%slegal.%d.%d", legal ? "" : "il", i, k++);
        i++;
    }
}

static void mig(const cJSON *a_case, const cJSON *in, answers *out)
{
    const orr_mig_model *m = orr_mig_model_of("A100");
    const cJSON *item;
    cJSON_ArrayForEach(item, field_of(in, "profiles_compute_slices_memory_slices"))
    {
        const orr_mig_profile *p = mig_profile(m, item->string);
        assert_int_equal(p->compute, cJSON_GetArrayItem(item, 0)->valueint);
        assert_int_equal(p->memory, cJSON_GetArrayItem(item, 1)->valueint);
    }
    cJSON_ArrayForEach(item, field_of(in, "start_slots"))
    {
        unsigned starts = 0;
        const cJSON *slot;
        cJSON_ArrayForEach(slot, item) { starts |= 1u << slot->valueint; }
        assert_int_equal(mig_profile(m, item->string)->starts, starts);
    }
    const cJSON *expected = field_of(a_case, "expected");
    mig_layouts(m, field_of(expected, "legal"), true, out);
    mig_layouts(m, field_of(expected, "illegal"), false, out);
}

/* ---- all ---- */

static void one(const cJSON *a_case, const char *id, const cJSON *in, answers *out)
{
    static const struct {
        const char *id;
        void (*answer)(const cJSON *, answers *);
    } kinds[] = {{"batch_limit_", limits},
                 {"aimd_", aimd},
                 {"nexus_impl_", nexus_released},
                 {"nexus_query_", nexus_split},
                 {"nexus_", nexus_pack},
                 {"mark_batch_", mark_batch},
                 {"mark_greedy_", mark_greedy},
                 {"nanily_", nanily},
                 {"inferline_replicas", inferline_replicas},
                 {"inferline_envelope", inferline_envelope},
                 {"inferline_tuner", inferline_tuner},
                 {"infaas_", infaas},
                 {"clockwork_batch_", clockwork_batch},
                 {"clockwork_estimate", clockwork_estimate},
                 {"modelswitch_", model_switching},
                 {"lru_", lru},
                 {"parm_", parity},
                 {"gamma_", gamma_gaps},
                 {"mmpp2_", mmpp},
                 {"spot_", spot},
                 {"ensemble_", majority}};
    if (strcmp(id, "mig_a100_rules") == 0) {
        mig(a_case, in, out);
        return;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(id, kinds[i].id, strlen(kinds[i].id)) == 0) {
            kinds[i].answer(in, out);
            return;
        }
    fail_msg("%s: no rule is known for it", id);
}

static void formulas(void **state)
{
    (void)state;
    cJSON *root = cases_read(FILE_NAME);
    if (!root) {
        golden_skipped("serving formulas", "its cases are not here");
        return;
    }
    assert_int_equal(cases_run(root, 1e-9, NULL, one), 52);
    cJSON_Delete(root);
    golden_ran("serving formulas");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
