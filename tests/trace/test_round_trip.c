/* Every format: what is written reads back as what the writer holds of each job, for random traces with everything
 * that a record can say, and for the real files of each format. What is held is checked against the declared columns,
 * too: kept ones are as they were, rounded ones within half a second. */
#define _XOPEN_SOURCE 700
#include "base/rng.h"
#include "reading.h"
#include "scratch.h"
#include "trace/write.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- random traces ---- */

static const char *const names_of_attributes[] = {
    "iterations", "interval",   "model_size",  "memory_mib",      "qos",
    "pod_phase",  "cpu_time",   "partition",   "used_memory_kb", "unix_group",      "command",
    "steps_arg",  "needs_data", "batch_size",  "total_steps",    "stated_duration", "working_dir",
    "vc",         "x_vc",       "X_y",         "x_x_submit",     "a, \"b\"",        " edge ",
    "two\nlines", "Gpu_Num",    "job_id",      "submit_time",    "arrival",         "tokens_in",
    "id",         "category",   "back\\slash",
};
enum { ATTRIBUTES = sizeof names_of_attributes / sizeof *names_of_attributes, JOBS = 400 };

static const char *const nasty[] = {"",    "ann",    "a,b",       "q\"uote",   "two\nlines", " edge ",      "7",
                                    "0",   "None",   "#x",        "tab\there", "\xC3\xA4",   "back\\slash", "-1",
                                    "1e3", "cr\rlf", "two\nlines", "\x01"};
enum { NASTY = sizeof nasty / sizeof *nasty };

typedef struct dice {
    uint64_t key;
} dice;

static uint64_t roll(dice *d, uint64_t below)
{
    d->key++;
    return orr_mix64(d->key) % below;
}

static const char *pick(dice *d, bool numbers, char buf[32])
{
    const char *text = nasty[roll(d, NASTY)];
    if (!numbers)
        return text;
    snprintf(buf, 32, "%u", (unsigned)roll(d, 9));
    return buf;
}

static orr_time some_time(dice *d, orr_time below)
{
    const orr_time t = (orr_time)roll(d, (uint64_t)below);
    return roll(d, 2) ? t / ORR_SECOND * ORR_SECOND : t;
}

static orr_time maybe(dice *d, orr_time t)
{
    return roll(d, 3) ? t : ORR_TIME_NONE;
}

typedef struct texts {
    char id[32], user[32], vc[32], name[32], after[32], type[32], values[ATTRIBUTES][32];
    const char *attributes[ATTRIBUTES];
    orr_time attempts[3], starts[3];
    orr_predecessor predecessors[2];
} texts;

static void set_attributes(dice *d, texts *t, orr_trace_job *job)
{
    for (int i = 0; i < ATTRIBUTES; i++) {
        const uint64_t kind = roll(d, 4);
        snprintf(t->values[i], 32, kind == 1 ? "%u" : "%u.50", (unsigned)roll(d, 9000));
        t->attributes[i] = kind == 0 ? "" : kind == 3 ? nasty[roll(d, NASTY)] : t->values[i];
        /* Work at a step a second, as the tables of these tests have it. */
        if (strcmp(names_of_attributes[i], "total_steps") == 0 && kind == 1)
            job->duration = atoi(t->values[i]) * ORR_SECOND;
        else if (strcmp(names_of_attributes[i], "total_steps") == 0)
            t->attributes[i] = kind == 2 ? "many" : "";
    }
    job->attributes = t->attributes;
}

static void set_attempts(dice *d, texts *t, orr_trace_job *job)
{
    orr_time at = job->start == ORR_TIME_NONE ? job->submit : job->start;
    orr_time left = job->duration;
    for (int i = 0; i < 3; i++) {
        t->attempts[i] = i == 2 ? left : some_time(d, left + 1);
        left -= t->attempts[i];
        t->starts[i] = at;
        at += t->attempts[i] + some_time(d, ORR_HOUR);
    }
    job->attempts = t->attempts;
    job->attempt_count = 3;
    if (job->start == ORR_TIME_NONE)
        return;
    job->starts = t->starts;
    job->end = maybe(d, t->starts[2] + t->attempts[2]);
}

static void set_times(dice *d, orr_trace_job *job)
{
    job->submit = some_time(d, 20 * ORR_DAY);
    job->duration = roll(d, 9) ? some_time(d, 3 * ORR_DAY) : (orr_time)roll(d, 2) * 300 * ORR_MS;
    job->start = maybe(d, job->submit + some_time(d, ORR_DAY) - (roll(d, 20) ? 0 : ORR_SECOND));
    job->limit = maybe(d, roll(d, 2) ? job->duration : some_time(d, 4 * ORR_DAY));
    job->deadline = maybe(d, job->submit + some_time(d, 9 * ORR_DAY));
    job->think = roll(d, 2) ? some_time(d, ORR_HOUR) : 0;
    job->ran = maybe(d, some_time(d, ORR_HOUR));
}

static void set_sizes(dice *d, orr_trace_job *job)
{
    static const int32_t gpus[] = {0, 1, 2, 8, 9, 16, 24};
    job->gpus = gpus[roll(d, 7)];
    job->min_gpus = job->gpus ? 1 : 0;
    job->max_gpus = job->gpus + (int32_t)roll(d, 3);
    job->gpu_milli = roll(d, 2) ? 1000 : (int32_t)(1 + roll(d, 999));
    job->cpu_milli = (int64_t)roll(d, 200) * (roll(d, 2) ? 1000 : 997);
    job->mem_bytes = (int64_t)roll(d, 1 << 30) * (roll(d, 2) ? 1024 : 999);
    job->gpu_mem_bytes = roll(d, 2) ? 0 : (int64_t)roll(d, 1 << 30) * 80;
    job->weight = roll(d, 2) ? 1 : 0.1 + (double)roll(d, 1000);
}

static void set_texts(dice *d, texts *t, orr_trace_job *job, int number, bool numbers)
{
    static const char *const models[] = {"", "lstm", "ResNet-18 (batch size 16)", "bert (batch size x)"};
    static const char *const types[] = {"", "V100", "V100|T4", "T4|V100|T4"};
    snprintf(t->id, sizeof t->id, numbers ? "%d" : "%d/a, \"\xC3\xA4\"", number);
    job->id = t->id;
    job->user = pick(d, numbers, t->user);
    job->vc = pick(d, numbers, t->vc);
    job->name = pick(d, numbers, t->name);
    job->group = pick(d, numbers, t->type);
    job->model = models[roll(d, 4)];
    job->gpu_type = types[roll(d, 4)];
}

static void set_predecessors(dice *d, texts *t, orr_trace_job *job, int number, bool numbers)
{
    const int before = number ? (int)roll(d, (uint64_t)number) : 0;
    if (number < 2 || roll(d, 3))
        return;
    snprintf(t->after, sizeof t->after, numbers ? "%d" : "%d/a, \"\xC3\xA4\"", before);
    t->predecessors[0].id = t->after;
    job->after = t->predecessors;
    job->after_count = 1;
}

static orr_trace *random_trace(uint64_t seed, bool numbers, const char *origin)
{
    dice d = {orr_mix64(seed)};
    texts t;
    orr_trace *trace = orr_trace_create("random");
    for (int i = 0; i < ATTRIBUTES; i++)
        orr_trace_attribute_named(trace, names_of_attributes[i]);
    for (int i = 0; i < JOBS; i++) {
        orr_trace_job job = orr_trace_job_default();
        set_texts(&d, &t, &job, i, numbers);
        set_times(&d, &job);
        set_sizes(&d, &job);
        set_attributes(&d, &t, &job);
        job.end = job.start == ORR_TIME_NONE ? ORR_TIME_NONE : job.start + job.duration + (roll(&d, 2) ? ORR_HOUR : 0);
        if (roll(&d, 4) == 0)
            set_attempts(&d, &t, &job);
        set_predecessors(&d, &t, &job, i, numbers);
        job.ending = (orr_ending)roll(&d, 3);
        job.censored = roll(&d, 5) == 0;
        job.preemptible = roll(&d, 2);
        job.carried = roll(&d, 5) == 0;
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    snprintf(trace->origin, sizeof trace->origin, "%s", origin);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    return trace;
}

/* ---- comparison ---- */

static void shift(orr_time *t, orr_time by)
{
    if (*t != ORR_TIME_NONE)
        *t += by;
}

/* A reader of calendar text counts from the first submission. */
static orr_trace_job shifted(const orr_trace_job *job, orr_time by, orr_time starts[64])
{
    orr_trace_job copy = *job;
    shift(&copy.submit, by);
    shift(&copy.start, by);
    shift(&copy.end, by);
    shift(&copy.deadline, by);
    for (uint32_t i = 0; job->starts && i < job->attempt_count && i < 64; i++)
        starts[i] = job->starts[i] + by;
    if (job->starts && job->attempt_count <= 64)
        copy.starts = starts;
    return copy;
}

static void same_columns(const char *what, const orr_trace_job *want, const orr_trace_job *is, uint64_t columns)
{
    orr_text a = {0}, b = {0};
    for (size_t c = 0; c < ORR_COLUMNS; c++) {
        if (!(columns >> c & 1))
            continue;
        orr_text_clear(&a);
        orr_text_clear(&b);
        orr_columns[c].print(&orr_columns[c], want, &a);
        orr_columns[c].print(&orr_columns[c], is, &b);
        if (a.n != b.n || (a.n && memcmp(a.at, b.at, a.n) != 0))
            fail_msg("%s: %s of job %s should be \"%s\", not \"%s\"", what, orr_columns[c].name, want->id,
                     a.n ? a.at : "", b.n ? b.at : "");
    }
    orr_text_fini(&a);
    orr_text_fini(&b);
}

/* By what the writer declares. */
static void held_as_declared(const orr_writing *w, const orr_trace_job *job)
{
    uint64_t kept = 0;
    for (size_t c = 0; c < ORR_COLUMNS; c++)
        kept |= (uint64_t)(w->writer->carries[c] == ORR_KEPT) << c;
    same_columns(w->writer->format, job, &w->held, kept);
    if (w->writer->carries[ORR_COLUMN_SUBMIT] == ORR_SECONDS) {
        const orr_time off = w->held.submit - job->submit;
        assert_true(off <= ORR_SECOND / 2 && off >= -ORR_SECOND / 2 && w->held.submit % ORR_SECOND == 0);
    }
    if (w->writer->carries[ORR_COLUMN_DURATION] == ORR_SECONDS) {
        const orr_time off = w->held.duration - job->duration;
        assert_true(off < ORR_SECOND && off > -ORR_SECOND && w->held.duration % ORR_SECOND == 0);
    }
}

static void same_attributes(const orr_writing *w, const orr_trace *back, const orr_trace_job *is)
{
    for (size_t i = 0; i < w->trace->attributes.n; i++) {
        const char *name = w->trace->attributes.at[i], *text = orr_trace_attribute(back, is, name);
        if (strcmp(text, w->attributes[i]) != 0)
            fail_msg("%s: attribute %s of job %s should be \"%s\", not \"%s\"", w->writer->format, name, w->held.id,
                     w->attributes[i], text);
    }
}

static orr_names *ids_of(const orr_trace *back)
{
    orr_names *ids = orr_names_create();
    for (size_t i = 0; i < orr_trace_count(back); i++)
        orr_names_id(ids, orr_trace_jobs(back)[i].id, strlen(orr_trace_jobs(back)[i].id));
    return ids;
}

/* Each job as it is held, and the same job read back. `exact`: and as it was. */
static void compare_all(orr_writing *w, const orr_trace *back, bool exact)
{
    orr_names *ids = ids_of(back);
    /* Rows that were dropped were counted. */
    const uint64_t counted = w->writer == &orr_writer_gavel ? UINT64_C(1) << ORR_COLUMN_ID : 0;
    orr_time first = ORR_TIME_NONE, starts[64];
    for (size_t i = 0; i < orr_trace_count(w->trace); i++) {
        const orr_trace_job *job = &orr_trace_jobs(w->trace)[i];
        if (orr_hold_job(w, job))
            continue;
        if (first == ORR_TIME_NONE)
            first = w->writer->calendar == ORR_CALENDAR_FACE ? w->held.submit : 0;
        const int64_t place = orr_names_find(ids, w->held.id, strlen(w->held.id));
        if (place < 0)
            fail_msg("%s: job %s did not come back", w->writer->format, w->held.id);
        const orr_trace_job is = shifted(&orr_trace_jobs(back)[place], first, starts);
        /* What tables make of it: the same again where it came from tables. */
        const bool lost = w->held.duration == ORR_TIME_NONE || w->writer->carries[ORR_COLUMN_DURATION] == ORR_LOST;
        w->held.duration = lost ? job->duration : w->held.duration;
        same_columns(w->writer->format, &w->held, &is, ~UINT64_C(0));
        if (exact)
            same_columns(w->writer->format, job, &is, ~counted);
        held_as_declared(w, job);
        same_attributes(w, back, &is);
        w->row++;
    }
    assert_int_equal(w->row, orr_trace_count(back));
    orr_names_destroy(ids);
}

static void through(const char *format, const orr_trace *trace, const char *tables, const char *suffix, bool exact)
{
    char folder[64], path[128];
    orr_error e = {0};
    const orr_trace_options options = {
        .format = format, .keep_cpu_jobs = true, .replay_attempts = true, .tables = tables};
    const orr_writer *writer = orr_writer_named(format, &e);
    assert_non_null(writer);
    snprintf(path, sizeof path, "%s/file%s", scratch_folder(folder), suffix);
    if (orr_write_as(writer, trace, path, &e))
        fail_msg("%s: %s", format, e.message);
    orr_trace *back = orr_trace_read(path, &options, &e);
    if (!back)
        fail_msg("%s, line %d: %s (%s)", format, e.line, e.message, e.text);
    orr_writing w;
    orr_writing_begin(&w, writer, trace);
    compare_all(&w, back, exact);
    orr_writing_end(&w);
    orr_trace_destroy(back);
    scratch_remove(folder);
}

static void every_kind(const char *format, const char *tables)
{
    static const char *const origins[] = {"", "2020-04-01 00:00:00", "2017-10-29 01:59:58.25+08:00"};
    for (uint64_t i = 0; i < 12; i++) {
        orr_trace *trace = random_trace(i, i % 2, origins[i % 3]);
        through(format, trace, tables, "", false);
        orr_trace_destroy(trace);
    }
}

/* ---- the ends of the clock ---- */

static void extremes(const char *origin, orr_time submit, orr_time start, orr_time end, bool with_starts)
{
    const orr_time limit = ORR_TRACE_TIME_LIMIT, attempts[] = {limit, 0}, starts[] = {start, end};
    size_t n;
    orr_trace *trace = orr_trace_create("extremes");
    orr_trace_job job = orr_trace_job_default();
    job.submit = submit;
    job.duration = job.limit = job.deadline = job.think = limit;
    job.start = start;
    job.end = end;
    job.attempts = attempts;
    job.starts = with_starts ? starts : NULL;
    job.attempt_count = 2;
    assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    snprintf(trace->origin, sizeof trace->origin, "%s", origin);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    for (size_t i = 0; i < (orr_writers(&n), n); i++) {
        orr_receipt receipt;
        orr_error e = {0};
        assert_int_equal(orr_receipt_of(orr_writers(&n)[i], trace, &receipt, &e), ORR_OK);
        orr_receipt_fini(&receipt);
        const orr_err err = orr_write_as(orr_writers(&n)[i], trace, "/dev/null", &e);
        assert_true(err == ORR_OK || err == ORR_E_NO_JOBS);
    }
    orr_trace_destroy(trace);
}

/* No sum leaves the clock, which a sanitizer would tell. */
static void times_at_the_limits(void **state)
{
    (void)state;
    const orr_time limit = ORR_TRACE_TIME_LIMIT, times[] = {-limit, 0, limit, ORR_TIME_NONE};
    for (int i = 0; i < 64; i++) {
        const orr_time submit = i & 1 ? limit : 0, start = times[i >> 1 & 3], end = times[i >> 3 & 3];
        extremes(i & 32 ? "2105-12-31 23:59:59" : "", submit, start, end,
                 i % 3 && start != ORR_TIME_NONE && end != ORR_TIME_NONE);
    }
}

/* ---- the formats ---- */

static void ours_is_exact(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        orr_trace *trace = random_trace(i, i % 2, i % 2 ? "2020-04-01 00:00:00" : "");
        orr_receipt receipt;
        assert_int_equal(orr_receipt_of(&orr_writer_orrery, trace, &receipt, NULL), ORR_OK);
        assert_false(orr_receipt_loses(&receipt));
        orr_receipt_fini(&receipt);
        through("orrery", trace, NULL, i == 4 ? ".zst" : ".gz", true);
        orr_trace_destroy(trace);
    }
}

static void helios(void **state)
{
    (void)state;
    every_kind("helios", NULL);
}

static void philly_json(void **state)
{
    (void)state;
    every_kind("philly-json", NULL);
}

static void swf(void **state)
{
    (void)state;
    every_kind("swf", NULL);
}

static void tiresias(void **state)
{
    (void)state;
    every_kind("tiresias", NULL);
}

static void openb(void **state)
{
    (void)state;
    every_kind("openb", NULL);
}

static void batsim(void **state)
{
    (void)state;
    every_kind("batsim", NULL);
}

/* A step a second for all. */
static void gavel(void **state)
{
    (void)state;
    static const char *const models[] = {"lstm", "ResNet-18 (batch size 16)", "bert (batch size x)",
                                         "orrery (seconds)"};
    char folder[64], path[128];
    orr_text table = {0};
    orr_text_addf(&table, "{\"v100\": {");
    for (int m = 0; m < 4; m++)
        for (int gpus = 1; gpus <= 24; gpus++)
            orr_text_addf(&table, "%s\"('%s', %d)\": {\"null\": 1.0}", m + gpus > 1 ? ", " : "", models[m], gpus);
    orr_text_addf(&table, "}}");
    snprintf(path, sizeof path, "%s/speeds.json", scratch_folder(folder));
    scratch_write(folder, "speeds.json", table.at);
    every_kind("gavel", path);
    orr_text_fini(&table);
    scratch_remove(folder);
}

/* ---- the real files ---- */

static void real(const char *format, const char *pattern, const char *tables_name, size_t least)
{
    char path[512], tables[512];
    glob_t found;
    shared_path(path, "data/README.md");
    path[strlen(path) - strlen("README.md")] = '\0';
    strcat(path, pattern);
    if (tables_name)
        shared_path(tables, tables_name);
    const orr_trace_options options = {
        .format = format, .keep_cpu_jobs = true, .replay_attempts = true, .tables = tables_name ? tables : NULL};
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= least);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        orr_error e = {0};
        orr_trace *trace = orr_trace_read(found.gl_pathv[i], &options, &e);
        if (!trace)
            fail_msg("%s: %s", found.gl_pathv[i], e.message);
        through(format, trace, options.tables, "", true);
        orr_trace_destroy(trace);
    }
    globfree(&found);
}

static void real_helios(void **state)
{
    (void)state;
    real("helios", "helios/cluster_log.example.csv", NULL, 1);
}

static void real_philly_json(void **state)
{
    (void)state;
    real("philly-json", "philly/cluster_job_log.*.json", NULL, 2);
}

static void real_swf(void **state)
{
    (void)state;
    real("swf", "swf/lublin_256.swf", NULL, 1);
}

static void real_tiresias(void **state)
{
    (void)state;
    real("tiresias", "tiresias/*_job.csv", NULL, 2);
}

static void real_openb(void **state)
{
    (void)state;
    real("openb", "openb/openb_pod_list_[!m]*.csv", NULL, 18);
}

static void real_gavel(void **state)
{
    (void)state;
    real("gavel", "gavel/msr/*/*.trace", "data/gavel/simulation_throughputs.json.gz", 24);
    real("gavel", "gavel/physical_cluster/*.trace", "data/gavel/simulation_throughputs.json.gz", 6);
}

static void real_shockwave(void **state)
{
    (void)state;
    real("gavel", "shockwave/*.trace", "data/shockwave/tacc_throughputs.json.gz", 4);
}

static void real_pollux(void **state)
{
    (void)state;
    real("pollux", "pollux/workloads*/*.csv", "data/pollux/traces", 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_is_exact),
        cmocka_unit_test(times_at_the_limits),
        cmocka_unit_test(helios),
        cmocka_unit_test(philly_json),
        cmocka_unit_test(swf),
        cmocka_unit_test(tiresias),
        cmocka_unit_test(openb),
        cmocka_unit_test(batsim),
        cmocka_unit_test(gavel),
        cmocka_unit_test(real_helios),
        cmocka_unit_test(real_philly_json),
        cmocka_unit_test(real_swf),
        cmocka_unit_test(real_tiresias),
        cmocka_unit_test(real_openb),
        cmocka_unit_test(real_gavel),
        cmocka_unit_test(real_shockwave),
        cmocka_unit_test(real_pollux),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
