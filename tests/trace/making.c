#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"

#include <math.h>

orr_trace *make(const orr_synth_options *o)
{
    orr_error e = {0};
    orr_trace *t = orr_synth(o, &e);
    if (!t)
        fail_msg("%s", e.message);
    return t;
}

orr_synth_options shaped(const char *shape, uint64_t jobs)
{
    orr_synth_options o = orr_synth_options_default();
    o.shape = shape;
    o.jobs = jobs;
    return o;
}

void check_near(const char *what, double value, double expected, double share)
{
    if (!(fabs(value - expected) <= share * fabs(expected)))
        fail_msg("%s: %g, expected %g, tolerance %g %%", what, value, expected, share * 100);
}

void refused(const char *what, orr_synth_options o, orr_err code)
{
    orr_error e = {0};
    orr_trace *t = orr_synth(&o, &e);
    orr_trace_destroy(t);
    if (t || e.code != code)
        fail_msg("%s: expected code %d, got %d (%s)", what, (int)code, (int)e.code, e.message);
}

static bool texts_differ(const char *const *a, const char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(a ? a[i] : "", b ? b[i] : "") != 0)
            return true;
    return false;
}

static bool attempts_differ(const orr_trace_job *a, const orr_trace_job *b)
{
    if (a->attempt_count != b->attempt_count)
        return true;
    return a->attempt_count > 1 && memcmp(a->attempts, b->attempts, a->attempt_count * sizeof *a->attempts) != 0;
}

static int differing(const orr_trace_job *a, const orr_trace_job *b)
{
    int mask = 0;
    mask |= a->submit != b->submit ? SUBMIT : 0;
    mask |= a->gpus != b->gpus || a->gpu_milli != b->gpu_milli ? GPUS : 0;
    mask |= a->duration != b->duration ? DURATION : 0;
    mask |= strcmp(a->vc, b->vc) ? VC : 0;
    mask |= strcmp(a->user, b->user) ? USER : 0;
    mask |= strcmp(a->name, b->name) ? NAME : 0;
    mask |= a->ending != b->ending ? ENDING : 0;
    mask |= strcmp(a->gpu_type, b->gpu_type) ? TYPE : 0;
    mask |= strcmp(a->model, b->model) ? MODEL : 0;
    mask |= attempts_differ(a, b) ? ATTEMPTS : 0;
    mask |= a->deadline != b->deadline ? DEADLINE : 0;
    mask |= fabs(a->weight - b->weight) > 0 ? WEIGHT : 0;
    mask |= a->cpu_milli != b->cpu_milli || a->mem_bytes != b->mem_bytes ? HOST : 0;
    mask |= a->gpu_mem_bytes != b->gpu_mem_bytes ? GPU_MEM : 0;
    mask |= a->min_gpus != b->min_gpus || a->max_gpus != b->max_gpus ? RANGE : 0;
    mask |= strcmp(a->group, b->group) ? GROUP : 0;
    mask |= a->limit != b->limit ? LIMIT : 0;
    return mask;
}

/* Attributes of one trace are looked up in the other by name. */
static bool attributes_differ(const orr_trace *ta, const orr_trace *tb, size_t i)
{
    const char *const *names, *const *others;
    const size_t n = orr_trace_attributes(ta, &names), m = orr_trace_attributes(tb, &others);
    const orr_trace_job *a = &orr_trace_jobs(ta)[i], *b = &orr_trace_jobs(tb)[i];
    if (n == m && !texts_differ(names, others, n))
        return texts_differ(a->attributes, b->attributes, n);
    for (size_t k = 0; k < n; k++)
        if (strcmp(orr_trace_attribute(ta, a, names[k]), orr_trace_attribute(tb, b, names[k])) != 0)
            return true;
    return false;
}

/* Attributes that only `b` has don't count: a family of columns was added there. */
int columns_that_differ(const orr_synth_options *a, const orr_synth_options *b)
{
    orr_trace *ta = make(a), *tb = make(b);
    const orr_trace_job *ja = orr_trace_jobs(ta), *jb = orr_trace_jobs(tb);
    size_t n = orr_trace_count(ta) < orr_trace_count(tb) ? orr_trace_count(ta) : orr_trace_count(tb);
    int mask = 0;
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(ja[i].id, jb[i].id);
        mask |= differing(&ja[i], &jb[i]) | (attributes_differ(ta, tb, i) ? ATTRIBUTES : 0);
    }
    orr_trace_destroy(ta);
    orr_trace_destroy(tb);
    return mask;
}
