/* A claim: one sentence of a paper made executable. Its file (`configs/survey/NAME.yaml`) says who claimed what where,
 * which runs of which workload show it, and what must come out of them.
 *
 * Reading checks all that can be known without running: keys, run names, metric keys, the form of expectations; each
 * error carries file, line and column.
 */
#ifndef ORR_STUDY_CLAIM_H
#define ORR_STUDY_CLAIM_H

#include "study/case.h"
#include "study/claim_bound.h"

#define ORR_CLAIM_SCHEMA "orrery.claim/1"

typedef struct orr_claim_run {
    const char *name; /* the first is "policy", the second "baseline" if the claim has one */
    orr_case conditions;
} orr_claim_run;

/* A number of one run. */
typedef struct orr_claim_term {
    size_t run; /* index */
    const char *metric;
    bool expression; /* else a key of the summary */
} orr_claim_term;

/* "SUBJECT BOUND": the subject is a term, or the quotient or the difference of two. */
typedef struct orr_claim_expect {
    const char *text, *bound_text; /* as it was written, and the bound of it */
    char op;          /* '/', '-', or 0: the first term alone */
    orr_claim_term terms[2];
    orr_claim_bound bound;
} orr_claim_expect;

/* The keys of `synth`: orr_synth_options as YAML. */
typedef struct orr_claim_synth {
    const char *shape, *mmpp, *durations, *deadline_slack, *with, *throughputs, *applications;
    int32_t arrivals; /* place in ORR_CLAIM_ARRIVALS */
    int32_t configured; /* place in ORR_CLAIM_CONFIGURED */
    orr_time span;    /* 0: not said */
    int64_t jobs, gpus, vcs, users, max_gpus, trials;
    double load, cv, vc_zipf, user_zipf, recurrence, deadline_share, limit_factor;
} orr_claim_synth;

/* Texts live as long as the claim; "" where nothing is said. */
typedef struct orr_claim {
    orr_yaml_doc doc;
    orr_arena arena;
    const char *file, *name; /* the path; its last part without .yaml */
    const char *schema, *system, *survey, *source, *claim, *note;
    const char *policy, *baseline, *metric, *jobs;
    const char *serve;    /* of a claim about serving: its modules; policies are then what jobs beside have */
    const char *requests; /* the services as text */
    int64_t seeds; /* the workload and the runs are repeated with so many seeds, from the case's on */
    const orr_yaml *expect, *needs, *shared, *runs_given, *synth_given;
    orr_claim_synth synth;
    ORR_VEC(orr_claim_run) runs;
    ORR_VEC(orr_claim_expect) expects;
} orr_claim;

/* NULL and `e`: ORR_E_OPEN, ORR_E_SYNTAX, ORR_E_UNKNOWN_KEY, ORR_E_NUMBER, ORR_E_BAD_VALUE, ORR_E_FORMAT for a file of
 * another schema, ORR_E_VERSION for a later one. */
orr_claim *orr_claim_read(const char *path, orr_error *e);
orr_claim *orr_claim_parse(const char *path, const char *data, size_t size, orr_error *e);
void orr_claim_destroy(orr_claim *claim); /* takes NULL */

/* The first file that the claim needs and that isn't there; NULL: nothing is missing. */
const char *orr_claim_missing(const orr_claim *claim);
/* The workload for a seed, where the claim makes it (`jobs`, `synth`): the caller's. NULL without `e` set if the case
 * names a trace instead. */
orr_trace *orr_claim_workload(const orr_claim *claim, uint64_t seed, orr_error *e);
/* The workload of a map `synth`, drawn for a seed: the caller's. */
orr_trace *orr_claim_synth_draw(const orr_claim_synth *synth, uint64_t seed, orr_error *e);
/* The services that stand in the claim (`requests`): the caller's. NULL and `e`. */
orr_services *orr_claim_services(const orr_claim *claim, orr_error *e);
/* What it is about, as its file has it: `serve` or `policy`. */
const char *orr_claim_subject(const orr_claim *claim);
/* Whether the claim is about this module: it stands in the spec of `policy` or `serve`. */
bool orr_claim_about(const orr_claim *claim, const char *module);

/* ---- the folder of claims ---- */

/* `survey`, beside the folder of cluster presets. */
void orr_claim_dir(orr_text *out);
/* Reads a file, or the claim of this name in the folder. */
orr_claim *orr_claim_find(const char *what, orr_error *e);

/* The tables of keys as Markdown, for configs/survey/README.md. */
void orr_claim_keys_markdown(orr_text *out);

#endif
