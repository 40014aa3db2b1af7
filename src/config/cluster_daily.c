/* Helios' `cluster_gpu_number.csv`: GPUs of each VC on each day. The description made from it is of one day, or, if
 * none is asked for, has for each VC the most it ever had; VCs that end up with nothing are left out. For `each` it has
 * the maxima, too, and what changed from day to day.
 *
 * One artefact is known and kept out of the maxima: on 2020-05-09 Earth books all its GPUs to a single VC. The rule: a
 * day on which one VC alone has GPUs, following one on which three or more had, says nothing about what the VC owns.
 * Such a day is still given to whoever asks for it by date.
 */
#include "config/reader.h"
#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>

#define LONE_AFTER 3

typedef struct capacity {
    orr_table t;
    size_t vcs;    /* columns 1..vcs */
    int64_t *gpus; /* of the day asked for, or the maxima; columns as in the table */
    int64_t *today;
    bool found;
    size_t holders; /* VCs with GPUs on the last ordinary day */
    int64_t most_total;
    bool each;
    ORR_VEC(orr_capacity_change) changes; /* `vc`: the column */
    int64_t *before; /* of the last ordinary day */
    char first[16], last[16];
} capacity;

static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t n = strlen(form);
    if (strlen(text) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

static orr_err check_header(capacity *c, orr_error *e)
{
    const orr_table *t = &c->t;
    bool has_total = strcmp(t->columns.at[t->columns.n - 1], "total") == 0;
    c->vcs = t->columns.n - 1 - has_total;
    for (size_t i = 1; i <= c->vcs; i++) {
        const char *vc = t->columns.at[i];
        size_t twin = 1;
        while (twin < i && strcmp(t->columns.at[twin], vc) != 0)
            twin++;
        if (vc[0] && twin == i)
            continue;
        orr_error_set(e, ORR_E_BAD_CLUSTER, vc[0] ? "the VC '%.80s' has two columns" : "a VC has no name%.0s", vc);
        orr_table_place(t, e);
        return ORR_E_BAD_CLUSTER;
    }
    if (c->vcs)
        return ORR_E_OK;
    orr_error_set(e, ORR_E_MISSING_COLUMN, "there is no column of a VC");
    orr_table_place(t, e);
    return ORR_E_MISSING_COLUMN;
}

static orr_err read_day(capacity *c, orr_error *e)
{
    const char *date = c->t.fields.at[0];
    if (!is_date(date))
        return orr_table_fail(&c->t, 0, ORR_E_TIME, e, "a date should have the form YYYY-MM-DD");
    for (size_t i = 1; i <= c->vcs; i++) {
        orr_err err = orr_table_int(&c->t, i, 0, INT64_C(64) * ORR_CLUSTER_MAX_NODES, &c->today[i], e);
        if (err)
            return err;
    }
    if (!c->first[0])
        snprintf(c->first, sizeof c->first, "%s", date);
    snprintf(c->last, sizeof c->last, "%s", date);
    return ORR_E_OK;
}

static void take_day(capacity *c)
{
    memcpy(c->gpus, c->today, (c->vcs + 1) * sizeof *c->gpus);
    c->found = true;
}

/* What a VC has today and hadn't on the day before. */
static void note_changes(capacity *c)
{
    orr_capacity_change change = {0};
    bool first = c->changes.n == 0;
    sscanf(c->last, "%d-%d-%d", &change.year, &change.month, &change.day); /* a date, as was checked */
    for (size_t i = 1; i <= c->vcs; i++) {
        if (!first && c->today[i] == c->before[i])
            continue;
        change.vc = (int32_t)i;
        change.gpus = c->today[i];
        ORR_VEC_PUSH(&c->changes, change);
    }
    memcpy(c->before, c->today, (c->vcs + 1) * sizeof *c->before);
}

static void take_maxima(capacity *c, orr_cluster_spec *spec)
{
    size_t holders = 0;
    int64_t total = 0;
    for (size_t i = 1; i <= c->vcs; i++) {
        holders += c->today[i] > 0;
        total += c->today[i];
    }
    if (holders == 1 && c->holders >= LONE_AFTER) {
        orr_cluster_spec_add_note(spec, "%s books all %lld GPUs to one VC and is left out of the maxima", c->last,
                                  (long long)total);
        return;
    }
    c->holders = holders;
    if (c->each)
        note_changes(c);
    c->most_total = total > c->most_total ? total : c->most_total;
    for (size_t i = 1; i <= c->vcs; i++)
        c->gpus[i] = c->today[i] > c->gpus[i] ? c->today[i] : c->gpus[i];
}

static orr_err read_days(capacity *c, const char *day, orr_cluster_spec *spec, orr_error *e)
{
    for (;;) {
        bool more = false;
        orr_err err = orr_table_next(&c->t, &more, e);
        if (!err && more)
            err = read_day(c, e);
        if (err || !more)
            return err;
        if (!day)
            take_maxima(c, spec);
        else if (!c->found && strcmp(day, c->last) == 0)
            take_day(c);
    }
}

static orr_err no_such_day(const capacity *c, const char *day, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the cluster file has no day '%.40s'", day);
    orr_error_at(e, orr_input_name(c->t.in), 0, 0);
    orr_error_hint(e, "it goes from %s to %s", c->first, c->last);
    return ORR_E_BAD_VALUE;
}

static orr_err add_vcs(const capacity *c, const orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    int64_t total = 0;
    int empty = 0;
    for (size_t i = 1; i <= c->vcs; i++) {
        orr_err err = orr_cluster_add_gpus(spec, c->t.columns.at[i], c->gpus[i], source->gpus_per_node, e);
        if (err) {
            orr_error_at(e, orr_input_name(c->t.in), 0, 0);
            return err;
        }
        total += c->gpus[i];
        empty += c->gpus[i] == 0;
    }
    if (c->each)
        orr_cluster_spec_add_note(spec, "capacity follows the file from day to day: %zu changes", c->changes.n);
    else if (source->capacity_day)
        orr_cluster_spec_add_note(spec, "capacity as on %s", source->capacity_day);
    else
        orr_cluster_spec_add_note(spec,
                                  "each VC has the most it had on any day: %lld GPUs in all, on one day at most %lld",
                                  (long long)total, (long long)c->most_total);
    if (empty)
        orr_cluster_spec_add_note(spec, "VCs without GPUs, left out: %d", empty);
    orr_cluster_spec_add_note(spec, "the file counts GPUs only; nodes are taken to have %d",
                              (int)source->gpus_per_node);
    return ORR_E_OK;
}

/* VCs that never had any GPUs aren't there. */
static void add_changes(const capacity *c, orr_cluster_spec *spec)
{
    for (size_t i = 0; i < c->changes.n; i++) {
        orr_capacity_change change = c->changes.at[i];
        change.vc = orr_cluster_spec_find_vc(spec, c->t.columns.at[change.vc]);
        if (change.vc >= 0)
            orr_cluster_spec_add_capacity(spec, &change);
    }
}

static orr_err fill(capacity *c, const orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    orr_err err = check_header(c, e);
    if (err)
        return err;
    c->gpus = orr_xcalloc(c->vcs + 1, sizeof *c->gpus);
    c->today = orr_xcalloc(c->vcs + 1, sizeof *c->today);
    c->before = orr_xcalloc(c->vcs + 1, sizeof *c->before);
    c->each = source->capacity_day && strcmp(source->capacity_day, "each") == 0;
    const char *day = c->each ? NULL : source->capacity_day;
    err = read_days(c, day, spec, e);
    if (err)
        return err;
    if (day && !c->found)
        return no_such_day(c, day, e);
    err = add_vcs(c, source, spec, e);
    if (!err)
        add_changes(c, spec);
    return err;
}

static orr_err read_daily(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e)
{
    capacity c = {0};
    orr_err err = orr_table_open(&c.t, in, e);
    if (!err)
        err = fill(&c, source, spec, e);
    free(c.gpus);
    free(c.today);
    free(c.before);
    ORR_VEC_FREE(&c.changes);
    orr_table_close(&c.t);
    return err;
}

static bool sniff(const char *line)
{
    return strncmp(line, "date,", 5) == 0;
}

const orr_cluster_reader orr_reader_helios_daily = {
    .format = "helios-daily",
    .begins = "date,",
    .doc =
        "GPUs of each virtual cluster on each day; one day (`--capacity-day`), the most that each had, or "
        "both: `--capacity-day each` follows the file. `total` is "
        "not used.",
    .by_day = true,
    .sniff = sniff,
    .read = read_daily,
};
