#include "report/json.h"
#include "study/check_out.h"

static void add_problems(cJSON *parent, const orr_check_problems *list)
{
    cJSON *array = orr_json_array(parent, "problems");
    for (size_t i = 0; i < list->n; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(array, item);
        orr_json_count(item, "line", (uint64_t)list->at[i].line);
        orr_json_text(item, "message", list->at[i].text);
    }
}

static void add_list(cJSON *parent, const char *key, const double *v, size_t n)
{
    cJSON *array = orr_json_array(parent, key);
    for (size_t i = 0; i < n; i++) {
        char buf[ORR_DOUBLE_BUF];
        orr_format_double(v[i], buf);
        cJSON_AddItemToArray(array, cJSON_CreateRaw(buf));
    }
}

static void add_tolerance(cJSON *parent, const orr_tolerance *t)
{
    cJSON *object = orr_json_object(parent, "tolerance");
    orr_json_double(object, "abs", t->abs);
    orr_json_double(object, "rel", t->rel);
}

static void add_seeds(cJSON *parent, const orr_judgement *j)
{
    cJSON *interval = orr_json_object(parent, "interval95");
    orr_json_double(interval, "low", j->low);
    orr_json_double(interval, "high", j->high);
    cJSON *signs = orr_json_object(parent, "signs");
    orr_json_count(signs, "above", j->signs.above);
    orr_json_count(signs, "below", j->signs.below);
    orr_json_count(signs, "equal", j->signs.zero);
}

static void add_number(cJSON *array, const orr_check_case *k, const orr_check_number *x)
{
    const orr_judgement *j = &x->judgement;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    orr_json_text(item, "key", x->key);
    orr_json_text(item, "unit", x->unit);
    orr_json_text(item, "better", orr_direction_name(x->direction));
    orr_json_text(item, "verdict", orr_verdict_name(j->verdict));
    orr_json_count(item, "line", (uint64_t)(x->expected ? x->expected->value->line : k->from->at->line));
    add_tolerance(item, &x->tolerance);
    if (x->expected)
        add_list(item, "expected", x->expected->values, x->expected->n);
    if (x->got)
        add_list(item, "measured", x->got, k->from->seeds.n);
    orr_json_double(item, "difference", j->difference);
    orr_json_double(item, "relative", j->relative);
    if (k->from->seeds.n > 1)
        add_seeds(item, j);
}

static void add_parting(cJSON *parent, const char *key, bool parted, orr_time at, const char *then, const char *instead)
{
    if (!parted) {
        cJSON_AddNullToObject(parent, key);
        return;
    }
    cJSON *object = orr_json_object(parent, key);
    orr_json_time(object, "at", at);
    orr_json_text(object, "before", *then ? then : NULL);
    orr_json_text(object, "now", *instead ? instead : NULL);
}

static void add_job(cJSON *array, const orr_moved_job *job)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    orr_json_text(item, "id", job->id);
    orr_json_time(item, "jct_before", job->before);
    orr_json_time(item, "jct_now", job->now);
    add_parting(item, "first_difference", job->parted, job->parted_at, job->then, job->instead);
}

static void add_moved(cJSON *array, const orr_moved *m)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    orr_json_count(item, "seed", m->seed);
    orr_json_text(item, "missing", m->missing);
    if (m->missing)
        return;
    orr_json_count(item, "jobs", m->jobs);
    orr_json_count(item, "moved", m->moved);
    orr_json_text(item, "first_job", m->parted ? m->first_job : NULL);
    add_parting(item, "first_difference", m->parted, m->parted_at, m->then, m->instead);
    cJSON *worst = orr_json_array(item, "worst");
    for (size_t i = 0; i < m->worst.n; i++)
        add_job(worst, &m->worst.at[i]);
}

static void add_inputs(cJSON *parent, const orr_check_case *k)
{
    cJSON *inputs = orr_json_object(parent, "inputs");
    for (size_t i = 0; i < k->inputs.n; i++)
        orr_json_text(inputs, k->inputs.at[i].name, k->inputs.at[i].digest);
}

static void add_seed_list(cJSON *parent, const orr_check_case *k)
{
    cJSON *seeds = orr_json_array(parent, "seeds");
    for (size_t i = 0; i < k->from->seeds.n; i++) {
        orr_text t = {0};
        orr_text_addf(&t, "%llu", (unsigned long long)k->from->seeds.at[i]);
        cJSON_AddItemToArray(seeds, cJSON_CreateRaw(t.at));
        orr_text_fini(&t);
    }
}

static void add_wall(cJSON *item, const orr_check_case *k)
{
    if (k->wall_s <= 0)
        return;
    cJSON *wall = orr_json_object(item, "wall");
    orr_json_double(wall, "run_s", k->wall_s);
    orr_json_text(wall, "not_compared", k->wall_note);
}

static void add_case(cJSON *array, const orr_check_case *k)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    orr_json_text(item, "name", k->from->name);
    orr_json_count(item, "line", (uint64_t)k->from->at->line);
    orr_json_text(item, "verdict", orr_verdict_name(k->verdict));
    add_seed_list(item, k);
    add_inputs(item, k);
    add_problems(item, &k->problems);
    cJSON *numbers = orr_json_array(item, "numbers");
    for (size_t i = 0; i < k->numbers.n; i++)
        add_number(numbers, k, &k->numbers.at[i]);
    add_wall(item, k);
    if (k->moved.n == 0)
        return;
    cJSON *moved = orr_json_array(item, "moved");
    for (size_t i = 0; i < k->moved.n; i++)
        add_moved(moved, &k->moved.at[i]);
}

orr_err orr_check_json(const orr_check *c, bool strict, orr_text *out, orr_error *e)
{
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.check/1");
    orr_json_text(document, "baseline", c->file);
    orr_json_text(document, "outcome", orr_check_outcome(c, strict));
    orr_json_count(document, "status", (uint64_t)orr_check_status(c, strict));
    orr_json_bool(document, "strict", strict);
    cJSON *counts = orr_json_object(document, "counts");
    for (int v = 0; v < ORR_VERDICTS; v++)
        orr_json_count(counts, v == ORR_VERDICT_NOT_COMPARABLE ? "not_comparable" : orr_verdict_name((orr_verdict)v),
                       c->counts[v]);
    orr_json_count(document, "runs", c->runs);
    add_problems(document, &c->general);
    cJSON *cases = orr_json_array(document, "cases");
    for (size_t i = 0; i < c->n; i++)
        if (c->cases[i].selected)
            add_case(cases, &c->cases[i]);
    return orr_json_print(document, true, out, e);
}
