/* orrery verify DIR|FILE...: proves finished schedules from their event logs. */
#include "cmd.h"
#include "json.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { UNVERIFIED = 2 };

/* What became of one log. */
typedef struct verdict {
    const orr_verify_target *target;
    orr_verification v;
    orr_error error; /* it can't be read */
} verdict;

static const char *word_of(const verdict *d)
{
    return d->v.findings.n ? "violated" : d->error.code || d->v.cut.code ? "unverified" : "holds";
}

static int status_of(const verdict *d)
{
    if (d->v.findings.n)
        return 1;
    return d->error.code ? orr_err_exit_status(d->error.code) : d->v.cut.code ? UNVERIFIED : 0;
}

static void verify(verdict *d)
{
    orr_log *log = orr_log_open(d->target->log, &d->error);
    if (log)
        (void)!orr_verify_log(log, &d->target->beside, &d->v, &d->error);
    orr_log_close(log);
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static void add_count(orr_text *t, const char *before, int64_t n, const char *what)
{
    char count[ORR_DOUBLE_BUF];
    orr_format_count((uint64_t)n, count);
    orr_text_addf(t, "%s%s %s%s", before, count, what, n == 1 ? "" : "s");
}

static void print_extent(orr_text *t, const orr_verification *v)
{
    orr_text_addf(t, "  %s", v->policy);
    add_count(t, ": ", (int64_t)v->jobs, "job");
    add_count(t, " on ", v->gpus, "GPU");
    add_count(t, " of ", v->nodes, "node");
    add_count(t, ", ", (int64_t)v->records, "record");
    add_count(t, ", ", (int64_t)v->bytes, "byte");
    orr_text_addf(t, "\n");
}

static void print_beside(orr_text *t, const orr_verification *v)
{
    const char *before = "  compared: ";
    if (v->metrics >= 0) {
        add_count(t, before, v->metrics, "number");
        orr_text_addf(t, " of summary.json");
        before = ", ";
    }
    if (v->job_rows >= 0) {
        add_count(t, before, v->job_rows, "row");
        orr_text_addf(t, " of jobs.csv");
        before = ", ";
    }
    if (v->hold_rows >= 0) {
        add_count(t, before, v->hold_rows, "row");
        orr_text_addf(t, " of attempts.csv");
        before = ", ";
    }
    if (before[0] == ',')
        orr_text_addf(t, "\n");
    if (v->unproved.n)
        orr_text_addf(t, "  not recomputed: %s\n", v->unproved.at);
}

static void print_finding(orr_text *t, const orr_finding *f)
{
    char clock[ORR_TIME_BUF], seconds[ORR_TIME_BUF];
    orr_text_addf(t, "  ");
    if (f->job[0])
        orr_text_addf(t, "job %s ", f->job);
    if (f->at != ORR_TIME_NONE) {
        orr_time_clock(f->at, clock);
        orr_time_format(f->at, seconds);
        orr_text_addf(t, "@ %s (%s s) ", clock, seconds);
    }
    if (f->resource[0])
        orr_text_addf(t, "%s%s ", f->job[0] || f->at != ORR_TIME_NONE ? "on " : "", f->resource);
    if (t->at[t->n - 1] == ' ' && t->n > 2 && t->at[t->n - 2] != ' ')
        t->at[--t->n] = '\0';
    orr_text_addf(t, ": %s [%s]\n", f->text, f->rule);
}

static void print_findings(orr_text *t, const orr_verification *v)
{
    for (size_t i = 0; i < v->findings.n; i++)
        print_finding(t, &v->findings.at[i]);
    for (size_t i = 0; i < v->broken.n; i++)
        if (v->broken.at[i].count > ORR_FINDINGS_OF_A_RULE) {
            add_count(t, "  and ", (int64_t)v->broken.at[i].count - ORR_FINDINGS_OF_A_RULE, "more");
            t->n -= v->broken.at[i].count - ORR_FINDINGS_OF_A_RULE != 1; /* "more" has no plural */
            orr_text_addf(t, " [%s]\n", v->broken.at[i].rule);
        }
}

static void print_verdict(const verdict *d)
{
    orr_text t = {0};
    orr_text_addf(&t, "%s: %s\n", d->target->name, word_of(d));
    if (d->v.nodes)
        print_extent(&t, &d->v);
    if (!d->error.code)
        print_beside(&t, &d->v);
    print_findings(&t, &d->v);
    print_text(&t);
    orr_text_fini(&t);
}

/* ---- for machines ------------------------------------------------------------------------------------------------ */

static void add_time(cJSON *object, const char *key, orr_time at)
{
    char seconds[ORR_TIME_BUF];
    orr_time_format(at, seconds);
    if (at == ORR_TIME_NONE)
        cJSON_AddNullToObject(object, key);
    else
        cJSON_AddRawToObject(object, key, seconds);
}

static void add_compared(cJSON *object, const char *key, int64_t n)
{
    if (n < 0)
        cJSON_AddNullToObject(object, key);
    else
        json_count(object, key, (uint64_t)n);
}

static void add_extent(cJSON *object, const orr_verification *v)
{
    json_text(object, "policy", v->policy);
    json_count(object, "jobs", v->jobs);
    json_count(object, "records", v->records);
    json_count(object, "bytes", v->bytes);
    json_count(object, "grants", v->grants);
    json_count(object, "preemptions", v->preemptions);
    json_count(object, "nodes", (uint64_t)v->nodes);
    json_count(object, "gpus", (uint64_t)v->gpus);
    add_time(object, "end", v->end);
    cJSON *compared = json_object(object, "compared");
    add_compared(compared, "numbers", v->metrics);
    add_compared(compared, "job_rows", v->job_rows);
    add_compared(compared, "hold_rows", v->hold_rows);
}

static void add_unproved(cJSON *object, const orr_verification *v)
{
    cJSON *list = json_array(object, "not_recomputed");
    char *keys = v->unproved.n ? orr_xstrdup(v->unproved.at) : NULL;
    for (char *at = keys, *next; at; at = next) {
        next = strchr(at, ' ');
        if (next)
            *next++ = '\0';
        json_append_text(list, at);
    }
    free(keys);
}

static void add_findings(cJSON *object, const orr_verification *v)
{
    cJSON *broken = json_object(object, "broken"), *list = json_array(object, "findings");
    for (size_t i = 0; i < v->broken.n; i++)
        json_count(broken, v->broken.at[i].rule, v->broken.at[i].count);
    for (size_t i = 0; i < v->findings.n; i++) {
        const orr_finding *f = &v->findings.at[i];
        cJSON *row = json_append_object(list);
        json_text(row, "rule", f->rule);
        add_time(row, "time", f->at);
        json_text(row, "job", f->job[0] ? f->job : NULL);
        json_text(row, "resource", f->resource[0] ? f->resource : NULL);
        json_text(row, "text", f->text);
    }
}

static void add_result(cJSON *results, const verdict *d)
{
    cJSON *object = json_append_object(results);
    const orr_error *e = d->error.code ? &d->error : &d->v.cut;
    json_text(object, "log", d->target->log);
    json_text(object, "verdict", word_of(d));
    add_extent(object, &d->v);
    add_unproved(object, &d->v);
    add_findings(object, &d->v);
    if (!e->code) {
        cJSON_AddNullToObject(object, "error");
        return;
    }
    cJSON *error = json_object(object, "error");
    json_text(error, "code", orr_err_name(e->code));
    json_text(error, "place", e->file);
    json_text(error, "message", e->message);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* What was violated weighs most; then the first that couldn't be verified. */
static int worse(int a, int b)
{
    return a == 1 || b == 1 ? 1 : a ? a : b;
}

static int verify_all(app *a, const orr_verify_targets *targets, cJSON *results)
{
    int status = 0;
    for (size_t i = 0; i < targets->list.n; i++) {
        verdict d = {.target = &targets->list.at[i], .v = {.metrics = -1, .job_rows = -1, .hold_rows = -1}};
        verify(&d);
        if (results)
            add_result(results, &d);
        else
            print_verdict(&d);
        if (d.error.code || d.v.cut.code)
            say_error(&a->say, d.error.code ? &d.error : &d.v.cut);
        status = worse(status, status_of(&d));
        orr_verification_fini(&d.v);
    }
    return status;
}

static int find_all(app *a, orr_verify_targets *targets)
{
    int status = 0;
    for (size_t i = 0; i < a->operand_count; i++) {
        orr_error e = {0};
        if (orr_verify_find(a->operands[i], targets, &e))
            status = worse(status, say_error(&a->say, &e));
    }
    return status;
}

int cmd_verify(app *a)
{
    orr_verify_targets targets = {.texts = {NULL, 0, 0}};
    cJSON *document = a->set->json ? cJSON_CreateObject() : NULL;
    if (document)
        json_text(document, "schema", "orrery.verification/1");
    int status = find_all(a, &targets);
    status = worse(status, verify_all(a, &targets, document ? json_array(document, "results") : NULL));
    if (document)
        json_print(document);
    orr_verify_targets_fini(&targets);
    return status;
}
