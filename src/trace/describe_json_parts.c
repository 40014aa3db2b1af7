/* The second half of the JSON description. */
#include "trace/describe_out.h"

/* ---- shares ---- */

/* VCs are all listed; of the others the first so many, and how much is left out. */
#define LISTED 1000

static void put_share(const orr_description *d, cJSON *list, const char *key, const orr_share_facts *share)
{
    cJSON *o = orr_put_item(list);
    cJSON_AddStringToObject(o, key, share->name);
    orr_put_count(o, "jobs", share->jobs);
    orr_put_double(o, "gpu_hours", orr_milli_hours(share->milli_ns));
    orr_put_double(o, "duration_median", share->median_duration);
    orr_put_count(o, "gpus_max", (uint64_t)share->max_gpus);
    orr_put_time(o, "first_submit", share->first);
    orr_put_time(o, "last_submit", share->last);
    orr_put_when(d, o, "first_submit_text", share->first);
    orr_put_when(d, o, "last_submit_text", share->last);
}

static void put_left_out(cJSON *to, const orr_shares *shares)
{
    uint64_t jobs = 0;
    orr_wide milli_ns = 0;
    for (size_t i = LISTED; i < shares->n; i++) {
        jobs += shares->at[i].jobs;
        milli_ns += shares->at[i].milli_ns;
    }
    cJSON *o = cJSON_AddObjectToObject(to, "left_out");
    orr_put_count(o, "names", shares->n > LISTED ? shares->n - LISTED : 0);
    orr_put_count(o, "jobs", jobs);
    orr_put_double(o, "gpu_hours", orr_milli_hours(milli_ns));
}

static void put_named(const orr_description *d, cJSON *root, const char *key, const char *one, const orr_shares *shares)
{
    if (!orr_shares_named(shares))
        return;
    cJSON *o = cJSON_AddObjectToObject(root, key);
    orr_put_count(o, "names", shares->n);
    cJSON *list = cJSON_AddArrayToObject(o, "list");
    for (size_t i = 0; i < shares->n && i < LISTED; i++)
        put_share(d, list, one, &shares->at[i]);
    put_left_out(o, shares);
}

void orr_put_shares(const orr_description *d, cJSON *root)
{
    cJSON *vcs = cJSON_AddArrayToObject(root, "vcs");
    for (size_t i = 0; i < d->vcs.n; i++)
        put_share(d, vcs, "vc", &d->vcs.at[i]);
    put_named(d, root, "users", "user", &d->users);
    put_named(d, root, "gpu_types", "gpu_type", &d->gpu_types);
    put_named(d, root, "models", "model", &d->models);
    put_named(d, root, "groups", "group", &d->groups);
}

/* ---- what the record says ---- */

static void put_peak(const orr_description *d, cJSON *to, const char *key, const orr_peak *peak)
{
    cJSON *o = cJSON_AddObjectToObject(to, key);
    orr_put_count(o, "amount", (uint64_t)peak->amount);
    orr_put_time(o, "at", peak->at);
    orr_put_when(d, o, "at_text", peak->at);
}

static void put_endings(const orr_description *d, cJSON *root)
{
    static const char *const names[] = {"done", "failed", "killed"};
    cJSON *endings = cJSON_AddObjectToObject(root, "endings");
    for (int i = 0; i < 3; i++)
        orr_put_count(endings, names[i], d->endings[i]);
    orr_put_count(root, "censored", d->censored);
    cJSON *hours = cJSON_AddObjectToObject(root, "ending_gpu_hours");
    for (int i = 0; i < 3; i++)
        orr_put_double(hours, names[i], orr_milli_hours(d->ending_milli_ns[i]));
    orr_put_double(root, "censored_gpu_hours", orr_milli_hours(d->censored_milli_ns));
}

static void put_order(const orr_description *d, cJSON *root)
{
    cJSON *same = cJSON_AddObjectToObject(root, "duplicates");
    orr_put_count(same, "groups", d->same_groups);
    orr_put_count(same, "jobs", d->same_jobs);
    orr_put_count(same, "surplus", d->same_surplus);
    cJSON *order = cJSON_AddObjectToObject(root, "order");
    orr_put_count(order, "descents", d->order.descents);
    orr_put_time(order, "largest_step_back", d->order.step_back);
    orr_put_count(order, "step_line", d->order.step_line);
}

static void put_attempts(const orr_recorded_facts *r, cJSON *to)
{
    cJSON *o = cJSON_AddObjectToObject(to, "attempts");
    orr_put_count(o, "all", r->attempts);
    orr_put_count(o, "max", r->most_attempts);
    orr_put_count(o, "jobs_with_several", r->repeated);
    orr_put_counts(o, "histogram", r->by_attempts, ORR_ATTEMPT_BINS);
}

void orr_put_record(const orr_description *d, cJSON *root)
{
    const orr_recorded_facts *r = &d->recorded;
    cJSON *peak = cJSON_AddObjectToObject(root, "peak_without_queueing");
    put_peak(d, peak, "gpus", &d->peak_gpus);
    put_peak(d, peak, "jobs", &d->peak_jobs);
    put_endings(d, root);
    put_order(d, root);
    cJSON *o = cJSON_AddObjectToObject(root, "recorded");
    orr_put_spread(o, "wait", &r->wait);
    orr_put_spread(o, "run", &r->run);
    orr_put_spread(o, "in_system", &r->in_system);
    orr_put_count(o, "started_at_once", r->at_once);
    orr_put_count(o, "started_early", r->early);
    orr_put_double(o, "in_system_gpu_hours", orr_milli_hours(r->in_system_milli_ns));
    put_attempts(r, o);
}

/* ---- what is stated ---- */

static void put_values(cJSON *to, const orr_attribute_facts *a)
{
    cJSON *list = cJSON_AddArrayToObject(to, "values");
    for (size_t i = 0; i < a->values.n; i++) {
        cJSON *o = orr_put_item(list);
        cJSON_AddStringToObject(o, "value", a->values.at[i].value);
        orr_put_count(o, "jobs", a->values.at[i].jobs);
        orr_put_count(o, "withdrawn", a->values.at[i].withdrawn);
    }
}

void orr_put_attributes(const orr_description *d, cJSON *root)
{
    cJSON *list = cJSON_AddArrayToObject(root, "attributes");
    for (size_t i = 0; i < d->attributes.n; i++) {
        const orr_attribute_facts *a = &d->attributes.at[i];
        cJSON *o = orr_put_attribute(list, a);
        if (a->values.n)
            put_values(o, a);
    }
}

/* Counts by day stand beside arrivals.by_day, and only where they say more than the sum. */
void orr_put_coverage(const orr_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "coverage");
    orr_put_count(o, "records", d->arrivals.submissions);
    cJSON *list = cJSON_AddArrayToObject(o, "columns");
    for (size_t i = 0; i < d->coverage.n; i++) {
        const orr_column_coverage *c = &d->coverage.at[i];
        cJSON *column = orr_put_item(list);
        cJSON_AddStringToObject(column, "column", c->column);
        cJSON_AddBoolToObject(column, "attribute", c->attribute);
        orr_put_count(column, "stated", c->stated);
        orr_put_double(column, "share", (double)c->stated / (double)d->arrivals.submissions);
        if (!orr_coverage_never(c) && !orr_coverage_always(d, c))
            orr_put_counts(column, "by_day", c->by_day, d->arrivals.by_day.n);
    }
}
