#include "report/comparison.h"
#include "report/json.h"

static cJSON *append_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_results(cJSON *document, const orr_comparison *c)
{
    cJSON *array = orr_json_array(document, "results");
    for (size_t i = 0; i < c->results.n; i++) {
        const orr_compared_result *r = &c->results.at[i];
        cJSON *object = append_object(array);
        double measured = 0;
        orr_result_metric(r->result, "measured", &measured);
        orr_json_text(object, "label", r->label);
        orr_json_text(object, "policy", orr_result_policy(r->result));
        orr_json_text(object, "resolved", orr_result_text(r->result, "policy.resolved"));
        orr_json_text(object, "name", orr_result_name(r->result));
        orr_json_text(object, "stop_reason", orr_result_text(r->result, "stop_reason"));
        orr_json_double(object, "measured", measured);
        orr_json_bool(object, "biased", r->biased);
    }
}

static void add_disparities(cJSON *document, const orr_comparison *c)
{
    cJSON *array = orr_json_array(document, "differ_in");
    for (size_t d = 0; d < c->disparities.n; d++) {
        cJSON *object = append_object(array);
        orr_json_text(object, "what", c->disparities.at[d].what);
        cJSON *values = orr_json_array(object, "values");
        for (size_t i = 0; i < c->results.n; i++)
            orr_json_item(values, c->disparities.at[d].values[i]);
    }
}

static void add_metrics(cJSON *document, const orr_comparison *c)
{
    cJSON *array = orr_json_array(document, "metrics");
    for (size_t m = 0; m < c->metrics.n; m++) {
        const orr_compared_metric *metric = &c->metrics.at[m];
        cJSON *object = append_object(array);
        orr_json_text(object, "key", metric->key);
        orr_json_text(object, "unit", metric->unit);
        orr_json_text(object, "better", orr_direction_name(metric->direction));
        cJSON *values = orr_json_array(object, "values");
        for (size_t i = 0; i < c->results.n; i++) {
            cJSON *value = append_object(values);
            orr_json_double(value, "value", metric->values[i].value);
            orr_json_double(value, "difference", metric->values[i].difference);
            orr_json_double(value, "relative", metric->values[i].relative);
            orr_json_bool(value, "best", metric->values[i].best);
            orr_json_text(value, "verdict", orr_bucket_name(metric->values[i].bucket));
        }
    }
}

/* ---- job by job ---- */

static void add_sums(cJSON *object, const orr_pair_sums *s)
{
    orr_json_count(object, "jobs", s->pairs);
    orr_json_count(object, "better", s->better);
    orr_json_count(object, "worse", s->worse);
    orr_json_count(object, "equal", s->equal);
    orr_json_double(object, "mean", s->mean);
    orr_json_double(object, "p50", s->p50);
}

static void add_class(cJSON *array, const char *name, const orr_pair_sums *s)
{
    if (s->pairs == 0)
        return;
    cJSON *object = append_object(array);
    orr_json_text(object, "class", name);
    add_sums(object, s);
}

static void add_moves(cJSON *object, const orr_paired *p)
{
    cJSON *array = orr_json_array(object, "moved_most");
    for (size_t i = 0; i < p->moved_count; i++) {
        cJSON *move = append_object(array);
        orr_json_text(move, "job_id", p->moved[i].id);
        orr_json_count(move, "gpus", (uint64_t)p->moved[i].gpus);
        orr_json_time(move, "base", p->moved[i].first);
        orr_json_time(move, "here", p->moved[i].second);
    }
}

static void add_pair(cJSON *array, const orr_compared_result *r)
{
    const orr_paired *p = &r->paired;
    cJSON *object = append_object(array);
    orr_json_text(object, "result", r->label);
    add_sums(object, &p->all);
    cJSON *quantiles = orr_json_object(object, "quantiles");
    for (int q = 0; q < ORR_PAIR_QUANTILES; q++)
        orr_json_double(quantiles, orr_pair_quantile_names[q], p->quantile[q]);
    orr_json_count(object, "measured_in_base_only", p->first_only);
    orr_json_count(object, "measured_here_only", p->second_only);
    cJSON *sizes = orr_json_array(object, "by_gpus");
    for (int k = 0; k < ORR_PAIR_SIZES; k++)
        add_class(sizes, orr_pair_size_names[k], &p->size[k]);
    cJSON *durations = orr_json_array(object, "by_duration");
    for (int k = 0; k < ORR_PAIR_DURATIONS; k++)
        add_class(durations, orr_pair_duration_names[k], &p->duration[k]);
    add_moves(object, p);
}

static void add_pairs(cJSON *document, const orr_comparison *c)
{
    cJSON *array = orr_json_array(document, "jobs");
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].has_paired)
            add_pair(array, &c->results.at[i]);
}

static void add_bounds(cJSON *document, const orr_comparison *c)
{
    cJSON *array = orr_json_array(document, "bounds");
    for (size_t b = 0; b < c->bounds.n; b++)
        for (size_t i = 0; i < c->results.n; i++) {
            const orr_bound_answer *a = &c->bounds.at[b].answers[i];
            if (i == c->base)
                continue;
            cJSON *object = append_object(array);
            orr_json_text(object, "bound", c->bounds.at[b].bound.text);
            orr_json_text(object, "result", c->results.at[i].label);
            orr_json_double(object, "base", a->base);
            orr_json_double(object, "here", a->value);
            orr_json_text(object, "verdict", !a->decided ? "undecided" : a->holds ? "holds" : "violated");
        }
}

orr_err orr_comparison_json(const orr_comparison *c, orr_text *out, orr_error *e)
{
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.comparison/1");
    orr_json_text(document, "base", c->results.at[c->base].label);
    add_results(document, c);
    add_disparities(document, c);
    add_metrics(document, c);
    add_pairs(document, c);
    add_bounds(document, c);
    return orr_json_print(document, true, out, e);
}
