/* gavel: any objective that can be written as an optimisation over shares of time, on GPUs of unlike types.
 *
 *   speeds     of each job on each GPU type come from the scenario's throughput table; without one all types are alike
 *   shares     say which part of its time a job should spend on each type. Among all that no type and no job has more
 *              than all of its time in, the objective chooses: the least speed, relative to what a proportional share
 *              of the cluster gives, as great as possible (the default, least attained service for unlike GPUs); or
 *              another of those below
 *   rounds     the driver of rounds by shares approaches them (orrery/share_rounds.h)
 *
 * Presets named sim-... do what the authors' simulator does, to the step where its results are unique: micro-tasks of
 * whole steps, rounds that last as long as the longest of them, its rule of when shares are computed anew.
 *
 * Source: Narayanan et al., Gavel, OSDI'20, sections 4 and 5; its simulator. Assumed: speeds are known beforehand. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t objective, vc, entity, inside, rules;
    bool aware, packed;
    double pack_min;
    orr_time round, reset;
} settings;

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    const bool fifo = s->objective == ORR_SHARES_FIFO, sim = s->rules == 1;
    const orr_share_rules rules = {
        .round = s->round,
        .reset = fifo && !sim ? 0 : s->reset, /* it costs next to nothing, and whoever comes could wait for nothing */
        .vc = s->objective == ORR_SHARES_LEVELS && s->entity == 0 ? ORR_VC_SHARED : s->vc,
        .objective = s->objective,
        .blind = !s->aware,
        .pairs = s->packed,
        .by_user = s->entity == 1,
        .fifo_inside = s->inside == 1,
        .strict = fifo,
        .sim = sim,
        .pack_min = s->pack_min,
    };
    orr_share_rounds_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"objective", ORR_KNOB_CHOICE, offsetof(settings, objective), "max-min",
     "max-min|water-filling|hierarchical|finish-time|makespan|max-sum|cost|cost-deadlines|fifo|isolated|proportional",
     "what shares are chosen for; max-min is filled up level by level, so that speeds are unique"},
    {"aware", ORR_KNOB_BOOL, offsetof(settings, aware), "on", NULL, "off: all GPU types are taken to be alike"},
    {"packed", ORR_KNOB_BOOL, offsetof(settings, packed), "off", NULL,
     "jobs of equal gangs may run together on the same GPUs, where the table has speeds of the two"},
    {"pack_min", ORR_KNOB_NUMBER, offsetof(settings, pack_min), "1.5", "0..2",
     "fifo: two run together if the sum of their parts of their speeds alone is greater"},
    {"entity", ORR_KNOB_CHOICE, offsetof(settings, entity), "vc", "vc|user",
     "hierarchical: whose shares are fair first; VCs then share all nodes"},
    {"inside", ORR_KNOB_CHOICE, offsetof(settings, inside), "fair", "fair|fifo", "hierarchical: inside a VC or user"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "360s", "0.001..inf", "length of a round"},
    {"reset", ORR_KNOB_TIME, offsetof(settings, reset), "1920s", "0..inf",
     "shares are computed anew not more often than that; fifo: at every change"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "nodes of its VC, or all"},
    {"rules", ORR_KNOB_CHOICE, offsetof(settings, rules), "own", "own|sim", "sim: as the authors' simulator"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"blind", "aware=off", "least attained service that takes all GPUs to be alike"},
    {"packed", "packed=on", "with space sharing"},
    {"hierarchical", "objective=hierarchical", "fair among VCs, and inside each"},
    {"finish-time", "objective=finish-time", "finish-time fairness; what others compare with as Themis"},
    {"finish-time-blind", "objective=finish-time,aware=off", "the same, all GPUs taken to be alike"},
    {"makespan", "objective=makespan", "the last job ends as early as possible"},
    {"max-sum", "objective=max-sum", "greatest sum of speeds"},
    {"cost", "objective=cost", "most speed for the money"},
    {"cost-deadlines", "objective=cost-deadlines", "most speed for the money, deadlines kept where that is possible"},
    {"fifo", "objective=fifo", "in the order of submission, each where it is fastest"},
    {"fifo-packed", "objective=fifo,packed=on", "the same with space sharing"},
    {"isolated", "objective=isolated", "each job has an even part of the cluster to itself"},
    {"sim", "rules=sim", "the authors' simulator: max_min_fairness_perf"},
    {"sim-blind", "rules=sim,aware=off", "max_min_fairness"},
    {"sim-packed", "rules=sim,packed=on", "max_min_fairness_packed"},
    {"sim-water-filling", "rules=sim,objective=water-filling", "max_min_fairness_water_filling_perf"},
    {"sim-water-filling-blind", "rules=sim,objective=water-filling,aware=off", "max_min_fairness_water_filling"},
    {"sim-finish-time", "rules=sim,objective=finish-time", "finish_time_fairness_perf"},
    {"sim-finish-time-blind", "rules=sim,objective=finish-time,aware=off", "finish_time_fairness"},
    {"sim-makespan", "rules=sim,objective=makespan", "min_total_duration_perf"},
    {"sim-makespan-blind", "rules=sim,objective=makespan,aware=off", "min_total_duration"},
    {"sim-max-sum", "rules=sim,objective=max-sum", "max_sum_throughput_perf"},
    {"sim-cost", "rules=sim,objective=cost", "max_sum_throughput_normalized_by_cost_perf"},
    {"sim-cost-deadlines", "rules=sim,objective=cost-deadlines", "max_sum_throughput_normalized_by_cost_perf_SLOs"},
    {"sim-fifo", "rules=sim,objective=fifo", "fifo_perf"},
    {"sim-fifo-packed", "rules=sim,objective=fifo,packed=on", "fifo_packed"},
    {"sim-isolated", "rules=sim,objective=isolated,aware=off", "isolated"},
    {NULL, NULL, NULL},
};

ORR_POLICY(gavel) = {
    .summary = "shares of time by an objective over effective speeds, approached in rounds",
    .cite = "Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads, OSDI'20",
    .deviations = "speeds are read from the scenario's table, not estimated; between rounds idle GPUs are given away at once; max-min is "
                  "filled up level by level (its optimum alone isn't unique); cost-deadlines ignores deadlines that no type could keep. "
                  "sim: a gang with fewer steps left than GPUs is not dropped, and one shares' optimum may be another than theirs",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .init = init,
    .on_job = orr_drive_on_job,
    .schedule = orr_drive_schedule,
};
