/* The rules, each a function of the residents of one GPU. Speeds are exactly 1 where nothing is lost, so that work
 * stays in whole ns there. */
#include "model/interference.h"

#include "base/text.h"
#include "model/rule_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"none", "pairs", "utilisation", "mps", "stages", "time-slice", "table"};
static const orr_rule_names rules = {
    .at = names, .count = sizeof names / sizeof *names, .what = "interference", .noun = "rule",
    .hint = "write none, pairs[,unknown=SPEED], table[,unknown=SPEED], utilisation, mps, stages or "
            "time-slice[,quantum=60s][,switch=1s]"};

static bool read_time(const char *value, size_t n, orr_time *out)
{
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)n, value);
    return n < sizeof text && orr_time_parse_duration(text, out) == ORR_OK && *out >= 0;
}

/* One KEY=VALUE of a rule. */
static bool set(void *self, int kind, const char *item, size_t n)
{
    orr_interference *rule = self;
    const bool pairs = kind == ORR_INTERFERENCE_PAIRS || kind == ORR_INTERFERENCE_TABLE;
    if (pairs && orr_rule_is_key(item, n, "unknown"))
        return orr_parse_double(item + 8, n - 8, &rule->unknown) && rule->unknown > 0 && rule->unknown <= 1000;
    if (kind == ORR_INTERFERENCE_SLICE && orr_rule_is_key(item, n, "quantum"))
        return read_time(item + 8, n - 8, &rule->quantum);
    if (kind == ORR_INTERFERENCE_SLICE && orr_rule_is_key(item, n, "switch"))
        return read_time(item + 7, n - 7, &rule->lost);
    return false;
}

orr_err orr_interference_parse(const char *text, orr_interference *out, orr_error *e)
{
    orr_interference rule = {.unknown = 1, .quantum = ORR_MINUTE};
    int kind;
    orr_err err = orr_rule_parse(&rules, text, &kind, set, &rule, e);
    if (err)
        return err;
    rule.kind = (orr_interference_kind)kind;
    if (rule.lost >= rule.quantum)
        return orr_rule_wrong(&rules, text, strlen(text), "a switch takes no less than the quantum", e);
    *out = rule;
    return ORR_OK;
}

void orr_interference_format(const orr_interference *rule, char *buf, size_t size)
{
    char a[ORR_DOUBLE_BUF > ORR_TIME_BUF ? ORR_DOUBLE_BUF : ORR_TIME_BUF], b[ORR_TIME_BUF];
    if (rule->kind == ORR_INTERFERENCE_PAIRS || rule->kind == ORR_INTERFERENCE_TABLE) {
        orr_format_double(rule->unknown, a);
        snprintf(buf, size, "%s,unknown=%s", names[rule->kind], a);
    } else if (rule->kind == ORR_INTERFERENCE_SLICE) {
        orr_time_format(rule->quantum, a);
        orr_time_format(rule->lost, b);
        snprintf(buf, size, "time-slice,quantum=%ss,switch=%ss", a, b);
    } else {
        snprintf(buf, size, "%s", names[rule->kind]);
    }
}

bool orr_interference_needs_profiles(const orr_interference *rule)
{
    return rule->kind == ORR_INTERFERENCE_PAIRS || rule->kind == ORR_INTERFERENCE_STAGES;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static double by_pairs(const orr_interference *rule, const orr_profiles *profiles, const orr_resident *all, int32_t n,
                       int32_t self)
{
    double speed = 1;
    for (int32_t i = 0; i < n; i++) {
        if (i == self)
            continue;
        const double beside = orr_profiles_pair(profiles, all[self].profile, all[i].profile);
        speed *= beside < 0 ? rule->unknown : beside;
    }
    return speed;
}

/* ---- utilisation ------------------------------------------------------------------------------------------------- */

/* What it keeps busy of the GPU when it runs as recorded; under mps that was within the share it asked for. */
static double demand(const orr_interference *rule, const orr_resident *r)
{
    const double asked = r->asked / 1000.0,
                 busy = r->profile && r->profile->gpu_util >= 0 ? r->profile->gpu_util : asked;
    return rule->kind == ORR_INTERFERENCE_MPS && asked < busy ? asked : busy;
}

static double wanted(const orr_interference *rule, const orr_resident *r)
{
    const double d = demand(rule, r), share = r->milli / 1000.0;
    return rule->kind == ORR_INTERFERENCE_MPS && share < d ? share : d;
}

static double by_utilisation(const orr_interference *rule, const orr_resident *all, int32_t n, int32_t self)
{
    const double d = demand(rule, &all[self]), own = wanted(rule, &all[self]);
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += wanted(rule, &all[i]);
    const double limited = own < d ? own / d : 1;
    return n > 1 && sum > 1 + 1e-9 ? limited / sum : limited; /* shares that add up to 1 but for rounding */
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* With the residents in this order, the x-th one stage behind the one before it. */
static double period_in_order(const double (*stages)[ORR_STAGES], const int32_t *order, int32_t n)
{
    double sum = 0;
    for (int i = 0; i < ORR_STAGES; i++) {
        double longest = 0;
        for (int32_t x = 0; x < n; x++)
            longest = fmax(longest, stages[order[x]][(i - x + ORR_STAGES) % ORR_STAGES]);
        sum += longest;
    }
    return sum;
}

/* The least over all orders of those from `at` on: 24 at most. */
static double best_period(const double (*stages)[ORR_STAGES], int32_t *order, int32_t at, int32_t n)
{
    if (at >= n)
        return period_in_order(stages, order, n);
    double best = INFINITY;
    for (int32_t i = at; i < n; i++) {
        const int32_t taken = order[i];
        order[i] = order[at];
        order[at] = taken;
        best = fmin(best, best_period(stages, order, at + 1, n));
        order[at] = order[i];
        order[i] = taken;
    }
    return best;
}

double orr_stages_period(const double (*stages)[ORR_STAGES], int32_t n)
{
    int32_t order[ORR_STAGES];
    for (int32_t i = 0; i < n; i++)
        order[i] = i;
    return best_period(stages, order, 0, n);
}

/* False: nothing is known of its stages. An iteration of which only the length is known is computing. */
static bool stages_of(const orr_resident *r, double out[ORR_STAGES], double *length)
{
    *length = 0;
    if (!r->profile)
        return false;
    for (int i = 0; i < ORR_STAGES; i++)
        *length += out[i] = r->profile->stages[i];
    if (*length > 0)
        return true;
    *length = out[ORR_STAGE_GPU] = r->profile->iteration;
    return *length > 0;
}

/* As many interleave as there are stages; more than that take turns, group by group as they came. */
static double by_stages(const orr_resident *all, int32_t n, int32_t self)
{
    double stages[ORR_STAGES][ORR_STAGES], own, length, sum = 0;
    int32_t in = 0;
    if (!stages_of(&all[self], stages[0], &own))
        return 1;
    for (int32_t i = 0; i < n; i++) {
        in += stages_of(&all[i], stages[in], &length);
        if (in < ORR_STAGES)
            continue;
        sum += orr_stages_period((const double(*)[ORR_STAGES])stages, in);
        in = 0;
    }
    if (in)
        sum += orr_stages_period((const double(*)[ORR_STAGES])stages, in);
    return own < sum ? own / sum : 1;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static double by_turns(const orr_interference *rule, const orr_resident *all, int32_t n, int32_t self)
{
    double sum = 0;
    if (n < 2)
        return 1;
    for (int32_t i = 0; i < n; i++)
        sum += all[i].milli;
    const double got = all[self].milli / sum * 1000, left = 1 - (double)rule->lost / (double)rule->quantum;
    return (got < all[self].asked ? got / all[self].asked : 1) * left;
}

double orr_interference_speed(const orr_interference *rule, const orr_profiles *profiles, const orr_resident *all,
                              int32_t n, int32_t self)
{
    switch (rule->kind) {
    case ORR_INTERFERENCE_PAIRS:
        return by_pairs(rule, profiles, all, n, self);
    case ORR_INTERFERENCE_UTILISATION:
    case ORR_INTERFERENCE_MPS:
        return by_utilisation(rule, all, n, self);
    case ORR_INTERFERENCE_STAGES:
        return by_stages(all, n, self);
    case ORR_INTERFERENCE_SLICE:
        return by_turns(rule, all, n, self);
    case ORR_INTERFERENCE_TABLE: /* knows jobs: see truth.c */
    case ORR_INTERFERENCE_NONE:
        break;
    }
    return 1;
}
