/* Tables that a scenario file names: events that were recorded, and prices. */
#include "config/scenario_keys.h"

#include "cluster/scenario.h"
#include "base/table.h"

#include <string.h>

typedef orr_err read_row(orr_scenario *scenario, const orr_table *t, const size_t *columns, orr_error *e);

/* Calls `row` for each row; `columns` are where the names are found, SIZE_MAX where an optional one (the last)
 * isn't. */
static orr_err read_table(orr_scenario *s, orr_input *in, const char *const *names, size_t n, size_t needed,
                          read_row *row, orr_error *e)
{
    orr_table t;
    size_t columns[4];
    bool more = true;
    orr_err err = orr_table_open(&t, in, e);
    for (size_t i = 0; !err && i < n; i++) {
        orr_error own = {0};
        columns[i] = SIZE_MAX;
        err = orr_table_column(&t, names[i], &columns[i], i < needed ? e : &own);
        err = i < needed ? err : ORR_OK;
    }
    while (!err && more) {
        err = orr_table_next(&t, &more, e);
        if (!err && more)
            err = row(s, &t, columns, e);
    }
    orr_table_close(&t);
    return err;
}

static orr_err read_time(const orr_table *t, size_t column, orr_time *at, orr_error *e)
{
    if (orr_time_parse_duration(t->fields.at[column], at) == ORR_OK && *at >= 0 && *at < ORR_TIME_MAX)
        return ORR_OK;
    return orr_table_fail(t, column, ORR_E_TIME, e, "a time should be a duration since the beginning");
}

static orr_said said(const orr_table *t, size_t column)
{
    return (orr_said){orr_input_name(t->in), t->line, t->places.at[column]};
}

/* ---- recorded events ---- */

static orr_err read_kind(const orr_table *t, size_t column, orr_incident_kind *kind, orr_error *e)
{
    static const orr_incident_kind kinds[] = {ORR_INCIDENT_DOWN, ORR_INCIDENT_UP, ORR_INCIDENT_DRAIN,
                                              ORR_INCIDENT_RESUME};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *kind = kinds[i];
        if (strcmp(t->fields.at[column], orr_incident_name(kinds[i])) == 0)
            return ORR_OK;
    }
    return orr_table_fail(t, column, ORR_E_SYNTAX, e, "an event should be down, up, drain or resume");
}

static orr_err read_gpu(const orr_table *t, size_t column, orr_incident *in, orr_error *e)
{
    int64_t gpu = 0;
    if (column == SIZE_MAX || !t->fields.at[column][0])
        return ORR_OK;
    if (in->kind != ORR_INCIDENT_DOWN && in->kind != ORR_INCIDENT_UP)
        return orr_table_fail(t, column, ORR_E_SYNTAX, e, "single GPUs are down or up");
    orr_err err = orr_table_int(t, column, 0, 63, &gpu, e);
    in->gpus = (uint64_t)1 << gpu;
    return err;
}

static orr_err recorded_row(orr_scenario *s, const orr_table *t, const size_t *columns, orr_error *e)
{
    orr_incident in = orr_incident_default();
    const char *node = t->fields.at[columns[1]];
    in.which.names = &node;
    in.which.name_count = 1;
    in.said = said(t, columns[1]);
    orr_err err = read_time(t, columns[0], &in.at, e);
    if (!err && !node[0])
        err = orr_table_fail(t, columns[1], ORR_E_SYNTAX, e, "a node has no name");
    if (!err)
        err = read_kind(t, columns[2], &in.kind, e);
    if (!err)
        err = read_gpu(t, columns[3], &in, e);
    if (!err)
        orr_scenario_add(s, &in);
    return err;
}

orr_err orr_scenario_read_recorded(orr_scenario *s, orr_input *in, orr_error *e)
{
    static const char *const names[] = {"time", "node", "event", "gpu"};
    return read_table(s, in, names, 4, 3, recorded_row, e);
}

/* ---- prices ---- */

static orr_err price_row(orr_scenario *s, const orr_table *t, const size_t *columns, orr_error *e)
{
    orr_incident in = orr_incident_default();
    const char *price = t->fields.at[columns[2]];
    in.kind = ORR_INCIDENT_PRICE;
    in.type = t->fields.at[columns[1]];
    in.said = said(t, columns[2]);
    orr_err err = read_time(t, columns[0], &in.at, e);
    if (!err && (!orr_parse_double(price, strlen(price), &in.price) || in.price < 0 || in.price > 1e9))
        err = orr_table_fail(t, columns[2], ORR_E_NUMBER, e, "a price should be a number from 0 to 1000000000");
    if (!err)
        orr_scenario_add(s, &in);
    return err;
}

orr_err orr_scenario_read_prices(orr_scenario *s, orr_input *in, orr_error *e)
{
    static const char *const names[] = {"time", "type", "price"};
    return read_table(s, in, names, 3, 3, price_row, e);
}
