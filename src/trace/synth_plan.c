/* Options of the generator, checked and understood. */
#include "trace/synth.h"
#include "model/applications.h"
#include "trace/synth_shapes.h"

#include <math.h>
#include <stdlib.h>

orr_synth_options orr_synth_options_default(void)
{
    return (orr_synth_options){
        .seed = 1,
        .shape = "philly",
        .jobs = 1000,
        .span = ORR_TIME_NONE,
        .cv = 4,
        .vcs = -1,
        .users = -1,
        .vc_zipf = -1,
        .user_zipf = -1,
        .recurrence = -1,
        .trials = 8,
    };
}

orr_err orr_synth_unknown(orr_error *e, const char *what, const char *name, const char *const *known, size_t n)
{
    orr_text all = {0};
    for (size_t i = 0; i < n; i++)
        orr_text_addf(&all, "%s%s", i > 0 ? ", " : "", known[i]);
    const char *near = orr_nearest(name, known, n);
    orr_error_set(e, ORR_E_BAD_VALUE, "no %s is called '%s'", what, name);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "known: %s", all.at);
    orr_text_fini(&all);
    return ORR_E_BAD_VALUE;
}

/* ---- numbers ---- */

static bool own_or(double x, double most)
{
    return (x >= -1 && x <= -1) || (x >= 0 && x <= most);
}

/* The one value out of range, by name; NULL if all are fine. Comparisons are written so that NaN fails. */
static const char *wrong_value(const orr_synth_options *o)
{
    if (o->jobs < 1 || o->jobs > 1000000000)
        return "jobs must be 1 to 1,000,000,000";
    if (o->span != ORR_TIME_NONE && o->span < ORR_SECOND)
        return "the span must be a second or more";
    if (!(o->load >= 0 && o->load <= 1e6))
        return "the load must be 0 (none asked) to 1,000,000";
    if (o->gpus < 0 || o->vcs < -1 || o->users < -1 || o->max_gpus < 0)
        return "numbers of GPUs, VCs and users must not be negative";
    if (!(o->cv >= 0.01 && o->cv <= 100))
        return "cv must be 0.01 to 100";
    if (!(o->deadline_share >= 0 && o->deadline_share <= 1))
        return "the share of jobs with a deadline must be 0 to 1";
    if (!(o->limit_factor == 0 || (o->limit_factor >= 1 && o->limit_factor <= 1000)))
        return "the limit factor must be 1 to 1,000, or 0 for no limits";
    if (!own_or(o->vc_zipf, 10) || !own_or(o->user_zipf, 10))
        return "the exponent of shares must be 0 to 10";
    if (!own_or(o->recurrence, 1))
        return "the recurrence must be 0 to 1";
    if (o->trials < 1 || o->trials > 1000)
        return "the trials of a group must be 1 to 1,000 on average";
    return NULL;
}

/* All that the applications tell can't be told by another, too. */
static orr_err check_applications(const synth_plan *p, orr_error *e)
{
    static const char *const families[] = {"models", "noise", "loss", "scaling"};
    const orr_synth_options *o = p->options;
    const char *also = o->throughputs ? "a throughput table" : o->durations ? "a law of durations" : NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families && !also; i++)
        also = orr_synth_has(p, families[i]) ? families[i] : NULL;
    if (also)
        return orr_error_set(e, ORR_E_CONFLICT, "applications and %s both say what jobs are", also);
    for (int32_t i = 0; i < orr_applications_count(o->applications); i++) {
        const orr_application *a = orr_applications_at(o->applications, i);
        if (orr_application_iterations(a, 1, orr_application_limits(a)->initial) < 0) /* tables by number of GPUs */
            return orr_error_set(e, ORR_E_BAD_VALUE, "nothing tells how long a training of '%.80s' is", orr_application_name(a));
    }
    if (o->configured && strcmp(o->configured, "tuned") != 0 && strcmp(o->configured, "random") != 0)
        return orr_error_set(e, ORR_E_BAD_VALUE, "jobs are configured 'tuned' or 'random'");
    return ORR_OK;
}

static orr_err check_pairs(const synth_plan *p, orr_error *e)
{
    const orr_synth_options *o = p->options;
    if (o->load > 0 && o->span != ORR_TIME_NONE) {
        orr_error_set(e, ORR_E_CONFLICT, "a load and a span were both given, and each sets the other");
        orr_error_hint(e, "give the load and the GPUs, or the span");
        return ORR_E_CONFLICT;
    }
    if (o->throughputs && orr_synth_has(p, "models"))
        return orr_error_set(e, ORR_E_CONFLICT, "the family models and a throughput table both say what models jobs have");
    if (p->arrivals == SYNTH_AT_ONCE && (o->load > 0 || o->span != ORR_TIME_NONE))
        return orr_error_set(e, ORR_E_CONFLICT, "jobs that arrive at once have neither a load nor a span");
    if (o->load > 0 && o->gpus == 0)
        return orr_error_set(e, ORR_E_MISSING, "a load needs the number of GPUs it refers to");
    if (o->max_gpus > 0) {
        const orr_synth_model *m = p->model;
        size_t i = 0;
        while (i < m->classes.n && m->classes.at[i].gpus > o->max_gpus)
            i++;
        if (i == m->classes.n)
            return orr_error_set(e, ORR_E_BAD_VALUE, "no job asks for so few GPUs as %d", (int)o->max_gpus);
    }
    return ORR_OK;
}

/* ---- texts: parts between separators ---- */

/* Cuts the next part off *rest; false if nothing is left. The part must fit `buf`. */
static bool next_part(const char **rest, char separator, char *buf, size_t size)
{
    if (!*rest)
        return false;
    const char *end = strchr(*rest, separator);
    const size_t n = end ? (size_t)(end - *rest) : strlen(*rest);
    const size_t kept = n < size ? n : size - 1; /* too long a part is no number and no name */
    memcpy(buf, *rest, kept);
    buf[kept] = '\0';
    *rest = end ? end + 1 : NULL;
    return true;
}

static bool number_part(const char **rest, char separator, double *out)
{
    char buf[64];
    return next_part(rest, separator, buf, sizeof buf) && orr_parse_double(buf, strlen(buf), out);
}

/* Seconds of a duration as people type it. */
static bool time_part(const char **rest, char separator, double *out)
{
    char buf[64];
    orr_time t;
    if (!next_part(rest, separator, buf, sizeof buf) || orr_time_parse_duration(buf, &t) || t <= 0)
        return false;
    *out = orr_time_seconds(t);
    return true;
}

static orr_err wrong_text(orr_error *e, const char *what, const char *text, const char *form)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "%s can't be understood", what);
    orr_error_text(e, text, strlen(text));
    orr_error_hint(e, "the form is %s", form);
    return ORR_E_BAD_VALUE;
}

/* ---- arrivals ---- */

static orr_err plan_arrivals(synth_plan *p, orr_error *e)
{
    static const char *const known[] = {"poisson", "diurnal", "bursty", "mmpp", "at-once"};
    const char *name = p->options->arrivals;
    p->arrivals = p->model->measured ? SYNTH_MEASURED : SYNTH_DIURNAL;
    if (!name)
        return ORR_OK;
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, known[i]) != 0)
            continue;
        p->arrivals = (synth_arrivals)i;
        return ORR_OK;
    }
    return orr_synth_unknown(e, "arrival process", name, known, 5);
}

orr_err orr_synth_states(const char *text, synth_state states[SYNTH_STATES], int32_t *count, orr_error *e)
{
    const char *rest = text = text ? text : "1:4h,10:20m";
    char state[128];
    double most = 0;
    *count = 0;
    while (next_part(&rest, ',', state, sizeof state)) {
        const char *at = state;
        double rate, sojourn;
        if (*count == SYNTH_STATES || !number_part(&at, ':', &rate) || !(rate >= 0 && rate <= 1e9) ||
            !time_part(&at, ':', &sojourn) || at)
            return wrong_text(e, "the states of the arrivals", text,
                              "RATE:SOJOURN,RATE:SOJOURN,..., at most 8 of them");
        states[(*count)++] = (synth_state){rate, sojourn};
        most = rate > most ? rate : most;
    }
    if (!(most > 0))
        return orr_error_set(e, ORR_E_BAD_VALUE, "one state of the arrivals at least must have a rate above 0");
    return ORR_OK;
}

/* ---- durations ---- */

static orr_err plan_durations(synth_plan *p, orr_error *e)
{
    static const char *const known[] = {"lognormal", "exp", "fixed", "pareto"};
    const char *text = p->options->durations, *rest = text;
    char name[32];
    if (!next_part(&rest, ':', name, sizeof name))
        return ORR_OK;
    int i = 0;
    while (i < 4 && strcmp(name, known[i]) != 0)
        i++;
    if (i == 4)
        return orr_synth_unknown(e, "distribution of durations", name, known, 4);
    p->durations = (synth_law_kind)(SYNTH_LOGNORMAL + i);
    const bool two = p->durations == SYNTH_LOGNORMAL || p->durations == SYNTH_PARETO;
    if (!time_part(&rest, ':', &p->scale) || (two && !number_part(&rest, ':', &p->form)) || rest ||
        (two && !(p->form > 0 && p->form <= 100)))
        return wrong_text(e, "the durations", text,
                          "lognormal:MEDIAN:SIGMA, exp:MEAN, fixed:TIME or pareto:LEAST:ALPHA");
    return ORR_OK;
}

/* ---- families and deadlines ---- */

static orr_err plan_families(synth_plan *p, orr_error *e)
{
    orr_synth_family all[SYNTH_FAMILIES];
    const char *names[SYNTH_FAMILIES], *rest = p->options->with;
    const size_t n = orr_synth_families(all, SYNTH_FAMILIES);
    for (size_t i = 0; i < n; i++)
        names[i] = all[i].name;
    char name[32];
    if (!rest || !*rest)
        return ORR_OK;
    while (next_part(&rest, ',', name, sizeof name)) {
        size_t i = 0;
        while (i < n && strcmp(name, names[i]) != 0)
            i++;
        if (i == n)
            return orr_synth_unknown(e, "family of columns", name, names, n);
        p->families |= 1u << i;
    }
    return ORR_OK;
}

bool orr_synth_has(const synth_plan *p, const char *family)
{
    orr_synth_family all[SYNTH_FAMILIES];
    const size_t n = orr_synth_families(all, SYNTH_FAMILIES);
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, family) == 0)
            return p->families >> i & 1;
    return false;
}

static orr_err plan_deadlines(synth_plan *p, orr_error *e)
{
    const bool family = orr_synth_has(p, "deadlines");
    const char *text = p->options->deadline_slack, *rest = text;
    p->deadline_share = p->options->deadline_share;
    if (family && !(p->deadline_share > 0))
        p->deadline_share = 1;
    p->slack_low = family ? 0.5 : 1;
    p->slack_high = family ? 1.5 : 3;
    if (!text)
        return ORR_OK;
    if (!number_part(&rest, ':', &p->slack_low) || !number_part(&rest, ':', &p->slack_high) || rest ||
        !(p->slack_low >= 0 && p->slack_low <= p->slack_high && p->slack_high <= 1000))
        return wrong_text(e, "the range of deadlines", text, "LOW:HIGH, in run times, 0 to 1,000");
    return ORR_OK;
}

/* ---- all of it ---- */

/* What the model says, where the options leave it to that. */
static void plan_people(synth_plan *p)
{
    const orr_synth_options *o = p->options;
    const bool measured = p->model->measured;
    p->vcs = o->vcs >= 0 ? o->vcs : measured ? -1 : 0;
    p->users = o->users >= 0 ? o->users : measured ? -1 : 30;
    p->vc_zipf = o->vc_zipf >= 0 ? o->vc_zipf : 1;
    p->user_zipf = o->user_zipf >= 0 ? o->user_zipf : p->model->user_zipf;
    p->recurrence = o->recurrence >= 0 ? o->recurrence : p->model->recurrence;
}

orr_err orr_synth_plan(synth_plan *p, orr_error *e)
{
    const char *wrong = wrong_value(p->options);
    if (wrong)
        return orr_error_set(e, ORR_E_BAD_VALUE, "%s", wrong);
    plan_people(p);
    orr_err err = plan_arrivals(p, e);
    if (!err)
        err = orr_synth_states(p->options->mmpp, p->states, &p->state_count, e);
    if (!err)
        err = plan_durations(p, e);
    if (!err)
        err = plan_families(p, e);
    if (!err)
        err = plan_deadlines(p, e);
    if (!err)
        err = check_pairs(p, e);
    return !err && p->options->applications ? check_applications(p, e) : err;
}
