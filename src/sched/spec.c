/* NAME[:PRESET][,KNOB=VALUE…][+PLACER…][~ESTIMATOR…] taken apart. */
#include "sched/ctx.h"

#include <ctype.h>
#include <stdlib.h>

/* Where the next part begins: a '+' or '~' in front of a letter; "1e+5" is a number. */
static const char *next_part(const char *s)
{
    for (; *s; s++)
        if ((*s == '+' || *s == '~') && isalpha((unsigned char)s[1]))
            return s;
    return s;
}

static orr_err take_part(char **into, const char *text, size_t n, const char *whole, orr_error *e)
{
    if (*into) {
        orr_error_set(e, ORR_E_CONFLICT, "'%s' names two of one kind", whole);
        orr_error_hint(e, "write NAME[:PRESET][,KNOB=VALUE][+PLACER][~ESTIMATOR]");
        return ORR_E_CONFLICT;
    }
    *into = orr_xstrndup(text, n);
    return ORR_OK;
}

orr_err orr_spec_parse(const char *text, orr_spec *out, orr_error *e)
{
    orr_spec spec = {0};
    const char *s = text, *end = next_part(text);
    orr_err err = take_part(&spec.policy, s, (size_t)(end - s), text, e);
    while (!err && *end) {
        char **into = *end == '+' ? &spec.placer : &spec.estimator;
        s = end + 1;
        end = next_part(s);
        err = take_part(into, s, (size_t)(end - s), text, e);
    }
    if (err)
        orr_spec_fini(&spec);
    else
        *out = spec;
    return err;
}

void orr_spec_fini(orr_spec *spec)
{
    free(spec->policy);
    free(spec->placer);
    free(spec->estimator);
    *spec = (orr_spec){0};
}
