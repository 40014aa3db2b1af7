/* orrery synth: a synthetic trace of jobs or requests in our CSV, headed by the command that makes it again;
 * measuring a trace in order to make one like it, and telling how well that went. */
#include "cmd.h"
#include "json.h"
#include "scenario.h"

#include "base/io.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTED = 32 };

static int list_shapes(void)
{
    orr_synth_shape shapes[LISTED];
    const size_t n = orr_synth_shapes(shapes, LISTED);
    for (size_t i = 0; i < n; i++)
        printf("%-11s %s\n", shapes[i].name, shapes[i].about);
    return 0;
}

static int list_families(void)
{
    orr_synth_family families[LISTED];
    const size_t n = orr_synth_families(families, LISTED);
    for (size_t i = 0; i < n; i++)
        printf("%s%s: %s\n  %s\n", i ? "\n" : "", families[i].name, families[i].columns, families[i].about);
    return 0;
}

/* ---- options ---- */

/* The names stand in the option's row; the library wants the text. */
static const char *arrivals_text(int32_t index)
{
    static const char *const names[] = {NULL, "poisson", "diurnal", "bursty", "mmpp", "at-once"};
    return names[index];
}

static orr_synth_options options_of(const settings *s, const orr_synth_model *model)
{
    orr_synth_options o = orr_synth_options_default();
    o.seed = s->seed;
    o.shape = s->shape ? s->shape : o.shape;
    o.model = model;
    o.jobs = s->jobs ? s->jobs : model ? orr_synth_model_jobs(model) : o.jobs;
    o.span = s->span;
    o.load = s->load;
    o.gpus = s->gpus;
    o.arrivals = arrivals_text(s->arrivals);
    o.cv = s->cv;
    o.mmpp = s->mmpp;
    o.durations = s->durations;
    o.vcs = (int32_t)s->vcs;
    o.users = (int32_t)s->users;
    o.vc_zipf = s->vc_zipf;
    o.user_zipf = s->user_zipf;
    o.recurrence = s->recurrence;
    o.max_gpus = (int32_t)s->max_gpus;
    o.deadline_share = s->deadline_share;
    o.deadline_slack = s->deadline_slack;
    o.limit_factor = s->limit_factor;
    o.with = s->with;
    o.trials = (int32_t)s->trials;
    return o;
}

static orr_synth_requests_options requests_of(const settings *s)
{
    orr_synth_requests_options o = orr_synth_requests_options_default();
    o.seed = s->seed;
    o.requests = s->requests;
    o.services = s->mixed;
    o.service_zipf = s->service_zipf;
    o.rate = s->rate;
    o.span = s->span;
    o.arrivals = arrivals_text(s->arrivals);
    o.cv = s->cv;
    o.mmpp = s->mmpp;
    o.swing = s->swing;
    o.tokens_in = s->tokens_in;
    o.tokens_out = s->tokens_out;
    o.bin = s->bin;
    return o;
}

/* An option that is given and says nothing about what is made; NULL: there is none. */
static const char *idle_option(const settings *s)
{
    const struct {
        const char *name;
        bool of_jobs, given;
    } options[] = {
        {"--shape", true, s->shape},
        {"--fit", true, s->fit},
        {"--model", true, s->synth_model},
        {"--jobs", true, s->jobs},
        {"--load", true, s->load > 0},
        {"--durations", true, s->durations},
        {"--with", true, s->with},
        {"--throughputs", true, s->throughputs},
        {"--applications", true, s->applications},
        {"--deadline-share", true, s->deadline_share > 0},
        {"--limit-factor", true, s->limit_factor > 0},
        {"--max-gpus", true, s->max_gpus},
        {"--vcs", true, s->vcs >= 0},
        {"--users", true, s->users >= 0},
        {"--rate", false, s->rate > 0},
        {"--service-zipf", false, s->service_zipf > 0},
        {"--tokens-in", false, s->tokens_in},
        {"--tokens-out", false, s->tokens_out},
        {"--bin", false, s->bin},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given && options[i].of_jobs == (s->requests > 0))
            return options[i].name;
    return NULL;
}

static orr_err check(const settings *s, orr_error *e)
{
    const char *idle = idle_option(s);
    if (idle && s->requests)
        return orr_error_set(e, ORR_E_CONFLICT, "%s is for jobs, and --requests makes requests", idle);
    if (idle)
        return orr_error_set(e, ORR_E_MISSING, "%s needs --requests: it is for traces of requests", idle);
    const int from = (s->shape != NULL) + (s->fit != NULL) + (s->synth_model != NULL);
    if (from > 1)
        return orr_error_set(e, ORR_E_CONFLICT, "--shape, --fit and --model exclude each other");
    if (s->save_model && !s->fit)
        return orr_error_set(e, ORR_E_MISSING, "--save-model needs --fit: only what was measured can be saved");
    if (s->report && !s->fit)
        return orr_error_set(e, ORR_E_MISSING, "--report needs --fit: it tells how far two traces are apart");
    if (s->report && strcmp(s->report, "-") == 0 && strcmp(s->out, "-") == 0)
        return orr_error_set(e, ORR_E_CONFLICT, "the trace and the report can't both go to stdout");
    return ORR_OK;
}

/* ---- the trace ---- */

/* Where the output goes doesn't change it, so the command is given without that. */
static bool says_where(const char *arg)
{
    return strcmp(arg, "-o") == 0 || strcmp(arg, "--out") == 0 || strcmp(arg, "--report") == 0 ||
           strcmp(arg, "--save-model") == 0;
}

static bool says_where_at_once(const char *arg)
{
    return strncmp(arg, "--out=", 6) == 0 || strncmp(arg, "--report=", 9) == 0 ||
           strncmp(arg, "--save-model=", 13) == 0 || (strncmp(arg, "-o", 2) == 0 && arg[2]);
}

static void command_line(const app *a, orr_text *t)
{
    orr_text_addf(t, "generator: orrery");
    for (int i = 1; i < a->argc; i++) {
        if (says_where(a->argv[i]))
            i++;
        else if (!says_where_at_once(a->argv[i]))
            orr_text_addf(t, " %s", a->argv[i]);
    }
}

static orr_err write_trace(const app *a, const orr_trace *trace, orr_error *e)
{
    orr_text comment = {0};
    command_line(a, &comment);
    const orr_err err = orr_trace_write(trace, a->set->out, comment.at, e);
    orr_text_fini(&comment);
    return err;
}

/* ---- how well it fits ---- */

static void number_text(double v, char buf[ORR_DOUBLE_BUF])
{
    if (isnan(v))
        memcpy(buf, "null", 5);
    else
        orr_format_double(v, buf);
}

static orr_err write_report(const app *a, const orr_synth_distance *rows, const char *left_out, orr_error *e)
{
    char number[ORR_DOUBLE_BUF];
    orr_output *out = orr_output_create(a->set->report, e);
    if (!out)
        return e->code;
    cJSON *document = cJSON_CreateObject();
    json_text(document, "schema", "orrery.synth-fit/1");
    json_text(document, "trace", a->set->fit);
    json_text(document, "not_modelled", left_out);
    cJSON *columns = json_array(document, "columns");
    for (int i = 0; i < ORR_SYNTH_DISTANCES; i++) {
        cJSON *row = json_append_object(columns);
        json_text(row, "column", rows[i].column);
        json_text(row, "measure", rows[i].measure);
        number_text(rows[i].distance, number);
        cJSON_AddRawToObject(row, "distance", number);
        json_count(row, "recorded", rows[i].n);
        json_count(row, "made", rows[i].m);
    }
    char *text = cJSON_Print(document);
    cJSON_Delete(document);
    orr_output_printf(out, "%s\n", text ? text : "");
    cJSON_free(text);
    return orr_output_commit(out, e);
}

static void say_fit(say *s, const char *file, const orr_synth_distance *rows, const char *left_out)
{
    char n[ORR_DOUBLE_BUF], m[ORR_DOUBLE_BUF];
    for (int i = 0; i < ORR_SYNTH_DISTANCES; i++) {
        if (isnan(rows[i].distance))
            continue;
        orr_format_count(rows[i].n, n);
        orr_format_count(rows[i].m, m);
        say_note(s, "synth-fit", file, 0, "%s: %s %.4f (%s recorded, %s made)", rows[i].column, rows[i].measure,
                 rows[i].distance, n, m);
    }
    if (left_out[0])
        say_note(s, "synth-left-out", file, 0, "not modelled: %s", left_out);
}

static orr_err tell_fit(app *a, const orr_trace *recorded, const orr_trace *made, orr_error *e)
{
    orr_synth_distance rows[ORR_SYNTH_DISTANCES];
    char *left_out = orr_synth_left_out(recorded);
    orr_synth_compare(recorded, made, rows);
    orr_err err = ORR_OK;
    if (a->set->report)
        err = write_report(a, rows, left_out, e);
    else
        say_fit(&a->say, a->set->fit, rows, left_out);
    free(left_out);
    return err;
}

/* ---- the command ---- */

/* What is made from: a measured trace, a saved model, or neither. */
typedef struct source {
    orr_trace *recorded;
    orr_synth_model *model;
    orr_throughputs *table; /* whose models the jobs have; NULL: nobody's */
    orr_applications *applications; /* that the jobs are trainings of; NULL: of none */
} source;

static orr_err load(app *a, source *from, orr_error *e)
{
    const orr_trace_options options = {.format = a->set->format};
    if (a->set->throughputs && !(from->table = orr_throughputs_load(a->set->throughputs, e)))
        return e->code;
    if (a->set->applications && !(from->applications = orr_applications_load(a->set->applications, e)))
        return e->code;
    if (a->set->synth_model) {
        from->model = orr_synth_model_read(a->set->synth_model, e);
        return from->model ? ORR_OK : e->code;
    }
    if (!a->set->fit)
        return ORR_OK;
    from->recorded = orr_trace_read(a->set->fit, &options, e);
    if (!from->recorded)
        return e->code;
    scenario_tell(&a->say, from->recorded);
    from->model = orr_synth_fit(from->recorded, e);
    return from->model ? ORR_OK : e->code;
}

static orr_err make(app *a, const source *from, orr_error *e)
{
    orr_synth_options options = options_of(a->set, from->model);
    options.throughputs = from->table;
    options.applications = from->applications;
    options.configured = a->set->configured ? "random" : "tuned";
    orr_trace *trace = orr_synth(&options, e);
    if (!trace)
        return e->code;
    orr_err err = write_trace(a, trace, e);
    if (!err && a->set->save_model)
        err = orr_synth_model_write(from->model, a->set->save_model, e);
    if (!err && from->recorded)
        err = tell_fit(a, from->recorded, trace, e);
    orr_trace_destroy(trace);
    return err;
}

static orr_err make_requests(app *a, orr_error *e)
{
    const orr_synth_requests_options options = requests_of(a->set);
    orr_trace *trace = orr_synth_requests(&options, e);
    const orr_err err = trace ? write_trace(a, trace, e) : e->code;
    orr_trace_destroy(trace);
    return err;
}

int cmd_synth(app *a)
{
    if (a->set->list_shapes)
        return list_shapes();
    if (a->set->list_families)
        return list_families();
    orr_error e = {0};
    source from = {0};
    orr_err err = check(a->set, &e);
    if (!err && a->set->requests)
        err = make_requests(a, &e);
    else if (!err && !(err = load(a, &from, &e)))
        err = make(a, &from, &e);
    orr_throughputs_destroy(from.table);
    orr_applications_destroy(from.applications);
    orr_synth_model_destroy(from.model);
    orr_trace_destroy(from.recorded);
    return err ? say_error(&a->say, &e) : 0;
}
