/* given: a prediction that came with the trace, in a column of its own: seconds, or a duration with a unit ("1h30m").
 * Jobs without one get a fixed guess and are counted as `no-estimate`. Whoever wrote the column knows what it knew: to
 * the simulation it is as good as a declaration. */
#include <orrery/policy.h>

typedef struct settings {
    const char *column;
    orr_time guess;
} settings;

static orr_time duration(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const char *text = orr_job_attribute(ctx, job, s->column);
    orr_time given;
    if (*text && orr_time_parse_duration(text, &given) == ORR_OK && given >= 0)
        return given;
    orr_note_decision(ctx, job, "no-estimate");
    return s->guess;
}

static const orr_knob knobs[] = {
    {"column", ORR_KNOB_TEXT, offsetof(settings, column), "est_duration", NULL, "the trace's column that holds it"},
    {"guess", ORR_KNOB_TIME, offsetof(settings, guess), "1h", "0..inf", "for jobs without one"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_ESTIMATOR(given) = {
    .summary = "a prediction that came with the trace",
    .know = {[ORR_Q_LIMIT] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .level = ORR_KNOW_DECLARED,
    .duration = duration,
};
