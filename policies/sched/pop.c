/* pop: many small problems instead of a large one. Jobs are dealt out at random into k groups, each of which has a
 * k-th of the GPUs of every type; gavel's objective is optimised in each group alone, and the shares of all groups
 * together are approached in rounds. With jobs enough in each group little is lost, and solving costs a fraction.
 * Groups are drawn anew for each reset.
 *
 * GPUs that can't be divided by k go to groups that differ from type to type. While there is a job for which a k-th of
 * every type is too few, there are fewer groups, or the run ends, as one chooses.
 *
 * Source: Narayanan et al., POP, SOSP'21, section 4.1 (without its splitting of single large jobs). */
#include <orrery/policy.h>

typedef struct settings {
    int64_t k;
    int32_t objective, vc, rules, wide;
    bool aware, packed;
    orr_time round, reset;
} settings;

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    const int32_t vc = s->objective == ORR_SHARES_LEVELS ? ORR_VC_SHARED : s->vc;
    const orr_share_rules rules = {.round = s->round, .reset = s->reset, .vc = vc, .objective = s->objective, .blind = !s->aware,
                                   .pairs = s->packed, .sim = s->rules == 1, .groups = s->k, .groups_strict = s->wide == 1};
    orr_share_rounds_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"k", ORR_KNOB_INT, offsetof(settings, k), "4", "1..10000", "groups; 1: gavel itself"},
    {"objective", ORR_KNOB_CHOICE, offsetof(settings, objective), "max-min",
     "max-min|water-filling|hierarchical|finish-time|makespan|max-sum|cost|cost-deadlines", "as for gavel"},
    {"wide", ORR_KNOB_CHOICE, offsetof(settings, wide), "fewer", "fewer|refuse",
     "while a job is there that fits into no k-th of the GPUs of any type: fewer groups, or the run ends"},
    {"aware", ORR_KNOB_BOOL, offsetof(settings, aware), "on", NULL, "off: all GPU types are taken to be alike"},
    {"packed", ORR_KNOB_BOOL, offsetof(settings, packed), "off", NULL, "jobs of equal gangs may run together on the same GPUs"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "360s", "0.001..inf", "length of a round"},
    {"reset", ORR_KNOB_TIME, offsetof(settings, reset), "1920s", "0..inf", "shares are computed anew not more often than that"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "nodes of its VC, or all"},
    {"rules", ORR_KNOB_CHOICE, offsetof(settings, rules), "own", "own|sim", "sim: as the authors' simulator of gavel"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(pop) = {
    .summary = "gavel's objectives in k random groups of jobs, each with a k-th of the GPUs",
    .cite = "Narayanan et al., Solving Large-Scale Granular Resource Allocation Problems Efficiently with POP, SOSP'21",
    .deviations = "a job too large for a group makes them fewer, where the paper would split it; what k doesn't divide is dealt out, where "
                  "the authors' code loses it",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .init = init,
    .on_job = orr_drive_on_job,
    .schedule = orr_drive_schedule,
};
