/* Claims put to the test: every run of every claim with every seed, side by side, and what came of it.
 *
 * A run is a piece of work of its own (pool.h); what comes out depends on the claims alone. Memory: one workload a
 * worker.
 */
#ifndef ORR_STUDY_SURVEY_H
#define ORR_STUDY_SURVEY_H

#include "report/report.h"
#include "study/claim.h"

typedef enum orr_claim_verdict {
    ORR_CLAIM_HOLDS,
    ORR_CLAIM_FAILS,
    ORR_CLAIM_SKIPPED, /* a file that it needs isn't there */
    ORR_CLAIM_ERROR    /* a run failed, or a number is undefined */
} orr_claim_verdict;

/* What came out for one expectation. */
typedef struct orr_claim_measured {
    double *values;         /* by seed */
    double mean, low, high; /* of them */
    bool holds;             /* for every seed */
} orr_claim_measured;

typedef struct orr_claim_result {
    const orr_claim *claim; /* borrowed */
    orr_claim_verdict verdict;
    orr_error error;        /* why there is none, else unset */
    size_t failed;          /* the piece of work that it comes from */
    const char *missing;    /* the file that isn't there; NULL otherwise */
    orr_claim_measured *measured; /* by expectation */
    double *terms;          /* by expectation, term and seed */
} orr_claim_result;

typedef struct orr_survey {
    orr_claim_result *results;
    size_t count;
    size_t verdicts[4]; /* how many of each */
} orr_survey;

typedef struct orr_survey_options {
    const orr_registry *registry; /* NULL: the built-in modules */
    int jobs;                     /* 0: one a core */
    bool (*tick)(void *self);     /* as of orr_pool_work; NULL */
    void *tick_self;
} orr_survey_options;

/* Runs them. Failures of single runs are results; an error is returned only where no work could be done at all, or
 * ORR_E_INTERRUPTED where `tick` stopped it. `out` is to be finished either way. */
orr_err orr_survey_run(orr_claim *const *claims, size_t n, const orr_survey_options *options, orr_survey *out,
                       orr_error *e);
void orr_survey_fini(orr_survey *survey);
/* 1 if a claim fails, else 2 if one can't be told or none was tested, else 0. */
int orr_survey_status(const orr_survey *survey);

const char *orr_claim_verdict_name(orr_claim_verdict verdict);

/* Verdict, name, system, expected, measured, claim: in Markdown a row a claim, else a row an expectation; CSV has exact
 * numbers instead of those for people. */
void orr_survey_table(const orr_survey *survey, orr_table_form form, orr_text *out);
/* "31 claims: 30 hold, 1 fails", with a line for each that doesn't hold and says why. */
void orr_survey_tell(const orr_survey *survey, orr_text *out);
/* One document, schema "orrery.survey/1". */
orr_err orr_survey_json(const orr_survey *survey, orr_text *out, orr_error *e);

#endif
