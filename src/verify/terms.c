/* Costs and clock as the header words them: "start=1s,restore=1:7s/2:30s,checkpoint=10m,unpaid=keep", "tick=1s". */
#include "verify/proof.h"

static orr_err bad(const char *what, const char *text, orr_error *e)
{
    orr_error_set(e, ORR_E_FORMAT, "the log's %s can't be understood", what);
    orr_error_text(e, text, strlen(text));
    return ORR_E_FORMAT;
}

static bool read_delay(const char *text, orr_time *out)
{
    return orr_time_parse_duration(text, out) == ORR_OK && *out >= 0;
}

/* "7s" or "2:30s". */
static bool read_step(const char *text, steps *cost)
{
    const char *colon = strchr(text, ':');
    int64_t from = 0;
    if (cost->count == STEPS || (colon && !orr_parse_i64(text, (size_t)(colon - text), &from)))
        return false;
    cost->from[cost->count] = (int32_t)from;
    return read_delay(colon ? colon + 1 : text, &cost->delay[cost->count++]);
}

static bool read_steps(char *text, steps *cost)
{
    for (char *at = text, *next; at; at = next) {
        next = strchr(at, '/');
        if (next)
            *next++ = '\0';
        if (!read_step(at, cost))
            return false;
    }
    return true;
}

static bool read_setting(const char *key, char *value, terms *t)
{
    const struct {
        const char *key;
        steps *cost;
    } costs[] = {{"start", &t->start}, {"save", &t->save}, {"restore", &t->restore}, {"resize", &t->resize}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].key, key) == 0)
            return read_steps(value, costs[i].cost);
    if (strcmp(key, "checkpoint") == 0)
        return read_delay(value, &t->checkpoint);
    if (strcmp(key, "by") == 0)
        return t->by_application = strcmp(value, "application") == 0;
    t->unpaid = value[0];
    return strcmp(key, "unpaid") == 0;
}

static bool read_costs(char *text, terms *t)
{
    for (char *at = text, *next; at && *at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        char *equals = strchr(at, '=');
        if (!equals)
            return false;
        *equals = '\0';
        if (!read_setting(at, equals + 1, t))
            return false;
    }
    return true;
}

static bool read_clock(const char *text, terms *t)
{
    if (strcmp(text, "exact") == 0)
        return true;
    if (strncmp(text, "round=", 6) == 0)
        return read_delay(text + 6, &t->round) && t->round > 0;
    return strncmp(text, "tick=", 5) == 0 && read_delay(text + 5, &t->tick) && t->tick > 0;
}

orr_err orr_terms_read(const orr_log_header *header, terms *out, orr_error *e)
{
    *out = (terms){.checkpoint = 0};
    char *costs = orr_xstrdup(strcmp(header->costs, "zero") == 0 ? "" : header->costs);
    const bool well = read_costs(costs, out);
    free(costs);
    if (!well)
        return bad("costs", header->costs, e);
    return read_clock(header->clock, out) ? ORR_OK : bad("clock", header->clock, e);
}

/* The last step that begins at or below so many GPUs. */
orr_time orr_terms_cost(const steps *cost, int32_t gpus)
{
    orr_time delay = 0;
    for (int i = 0; i < cost->count; i++)
        if (cost->from[i] <= gpus)
            delay = cost->delay[i];
    return delay;
}

orr_time orr_terms_on_grid(const terms *t, orr_time at)
{
    if (!t->tick || at >= ORR_TIME_MAX - t->tick)
        return at;
    const orr_time over = at % t->tick;
    return over > 0 ? at + (t->tick - over) : at - over;
}
