/* The queues of queueing_closed_form.json as services of the engine: what it serves on average against what the
 * formulas say. Used by test_serving_closed_forms.c, with few requests, and by tools/bench/bench_queueing.c, with as
 * many as the cases ask. */
#ifndef TESTS_GOLDEN_CLOSED_FORMS_H
#define TESTS_GOLDEN_CLOSED_FORMS_H

#include <orrery/sim.h>

typedef struct closed_form closed_form;

typedef struct closed_value {
    char what[48];
    double expected, got; /* the mean over seeds */
    double spread;        /* deviation of a seed, relative to the mean, times the root of its requests; 0 of one seed */
} closed_value;

enum { CLOSED_VALUES = 16 };

typedef struct closed_result {
    closed_value values[CLOSED_VALUES];
    size_t count;
    size_t out_of_order; /* requests that didn't begin, or end, when a plain replay says; 0 where there is none */
    uint64_t requests;   /* of all seeds, warm-up included */
} closed_result;

size_t closed_forms_count(void);
const closed_form *closed_form_at(size_t i);
const char *closed_form_id(const closed_form *f);
double closed_form_tolerance(const closed_form *f); /* of the mean over 5 seeds of 1e6 requests and more */
/* 6 deviations of the worst of its values with so many requests and one seed, as far as was measured. */
double closed_form_thin(const closed_form *f, double requests);

/* `requests` a seed on average, a tenth of the time is warm-up; seeds first, first + 1, …. `replay`: each request is
 * compared with a plain replay, which takes memory for all of them. On failure `e` says why. */
orr_err closed_form_run(const closed_form *f, double requests, int seeds, uint64_t first, bool replay,
                        closed_result *out, orr_error *e);

#endif
