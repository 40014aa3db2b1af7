#include "report/json.h"
#include "report/life.h"

static void put_jobs(cJSON *object, const char *key, const orr_life_jobs *jobs)
{
    cJSON *o = orr_json_object(object, key);
    orr_json_count(o, "count", jobs->count);
    cJSON *first = orr_json_array(o, "first");
    for (uint64_t i = 0; i < jobs->count && i < ORR_LIFE_NAMED; i++)
        orr_json_item(first, jobs->id[i]);
}

static void put_wait(cJSON *o, const orr_life_step *s)
{
    orr_json_time(o, "busy", s->busy);
    orr_json_time(o, "pieces", s->pieces);
    orr_json_time(o, "room", s->room);
    orr_json_count(o, "gpus_total", (uint64_t)s->gpus);
    orr_json_count(o, "gpus_held", (uint64_t)s->held);
    orr_json_count(o, "jobs_running", s->running);
    orr_json_count(o, "queued_ahead", s->ahead);
    put_jobs(o, "overtaken_by", &s->overtakers);
}

static void put_run(cJSON *o, const orr_life_step *s)
{
    orr_json_count(o, "gpus", (uint64_t)s->run_gpus);
    orr_json_count(o, "nodes", (uint64_t)s->nodes);
    orr_json_text(o, "allocation", s->where);
    orr_json_double(o, "rate", s->rate);
    orr_json_count(o, "speed_changes", s->speeds);
    orr_json_double(o, "rate_min", s->slowest);
    orr_json_double(o, "rate_max", s->fastest);
    orr_json_time(o, "paid", s->pay);
    orr_json_time(o, "saving", s->saving);
    orr_json_time(o, "lost_work", s->lost);
    put_jobs(o, "gpus_went_to", &s->takers);
    orr_json_text(o, "lost_node", s->node[0] ? s->node : NULL);
}

static void put_step(cJSON *steps, const orr_life_step *s)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(steps, o);
    orr_json_text(o, "what", s->kind == ORR_LIFE_WAIT ? "wait" : "run");
    orr_json_time(o, "from", s->from);
    orr_json_time(o, "to", s->to);
    orr_json_bool(o, "open", s->open);
    orr_json_text(o, "end", s->end[0] ? s->end : NULL);
    if (s->kind == ORR_LIFE_WAIT)
        put_wait(o, s);
    else
        put_run(o, s);
}

static void put_request(cJSON *o, const orr_life *l)
{
    orr_json_text(o, "job_id", l->id);
    orr_json_text(o, "user", l->user);
    orr_json_text(o, "vc", l->vc);
    orr_json_text(o, "name", l->name);
    orr_json_count(o, "gpus", (uint64_t)l->gpus);
    orr_json_count(o, "min_gpus", (uint64_t)l->min_gpus);
    orr_json_count(o, "max_gpus", (uint64_t)l->max_gpus);
    orr_json_count(o, "gpu_milli", (uint64_t)l->milli);
    orr_json_text(o, "gpu_type", l->types);
    orr_json_time(o, "duration", l->duration);
    orr_json_time(o, "deadline", l->deadline);
    orr_json_count(o, "after", l->after);
}

cJSON *orr_life_json(const orr_life *life)
{
    cJSON *o = cJSON_CreateObject();
    put_request(o, life);
    orr_json_text(o, "state", life->state);
    orr_json_text(o, "reason", life->reason);
    orr_json_time(o, "submit", life->submit);
    orr_json_time(o, "end", life->end);
    orr_json_text(o, "stop_reason", life->stop);
    orr_json_time(o, "stopped", life->stopped);
    orr_json_time(o, "waited", life->waited);
    orr_json_time(o, "held", life->held);
    orr_json_time(o, "overhead", life->paid);
    orr_json_time(o, "lost_work", life->lost);
    cJSON *steps = orr_json_array(o, "steps");
    for (size_t i = 0; i < life->steps.n; i++)
        put_step(steps, &life->steps.at[i]);
    return o;
}
