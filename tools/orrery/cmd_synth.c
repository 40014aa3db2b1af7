/* orrery synth: a synthetic trace in our CSV, headed by the command that makes it again. */
#include "cmd.h"

#include "trace/synth_shape.h"
#include <stdio.h>
#include <stdlib.h>

static int list_shapes(void)
{
    for (size_t i = 0; i < sizeof synth_shapes / sizeof *synth_shapes; i++)
        printf("%s\n", synth_shapes[i].name);
    return 0;
}

/* The names stand in the option's row; the library wants the text. */
static const char *arrivals_text(int32_t index)
{
    static const char *const names[] = {"poisson", "diurnal", "bursty", "at-once"};
    return names[index];
}

static orr_synth_options options_of(const settings *s)
{
    orr_synth_options o = orr_synth_options_default();
    o.seed = s->seed;
    o.shape = s->shape;
    o.jobs = s->jobs;
    o.span = s->span;
    o.load = s->load;
    o.gpus = s->gpus;
    o.arrivals = arrivals_text(s->arrivals);
    o.cv = s->cv;
    o.vcs = (int32_t)s->vcs;
    o.users = (int32_t)s->users;
    o.max_gpus = (int32_t)s->max_gpus;
    o.deadline_share = s->deadline_share;
    o.limit_factor = s->limit_factor;
    return o;
}

/* Where the output goes doesn't change it, so the command is given without that. */
static bool says_where(const char *arg)
{
    return strcmp(arg, "-o") == 0 || strcmp(arg, "--out") == 0;
}

static bool says_where_at_once(const char *arg)
{
    return strncmp(arg, "--out=", 6) == 0 || (strncmp(arg, "-o", 2) == 0 && arg[2]);
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

int cmd_synth(app *a)
{
    if (a->set->list_shapes)
        return list_shapes();
    orr_error e = {0};
    const orr_synth_options options = options_of(a->set);
    orr_trace *trace = orr_synth(&options, &e);
    if (!trace)
        return say_error(&a->say, &e);
    const orr_err err = write_trace(a, trace, &e);
    orr_trace_destroy(trace);
    return err ? say_error(&a->say, &e) : 0;
}
