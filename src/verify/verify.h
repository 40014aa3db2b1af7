/* Proves a finished schedule from its event log alone. Independent code: it shares the log's format with the engine
 * and nothing else; lifecycle, capacity, work, costs and metrics are told here a second time, each in its own way.
 *
 * What is proved, by rule: see `orr_verify_rules`. Beside the log, if they are there, summary.json is recomputed, and
 * each row of jobs.csv and attempts.csv.
 *
 * One pass over the log; memory O(nodes + jobs that are there) and some 150 bytes for each job that ever was.
 */
#ifndef ORR_VERIFY_VERIFY_H
#define ORR_VERIFY_VERIFY_H

#include "log/log.h"

enum { ORR_FINDINGS_OF_A_RULE = 20 };

typedef struct orr_verify_rule {
    const char *name, *text; /* "capacity", and what it demands */
} orr_verify_rule;
/* All rules, ended by a NULL name. Names are stable. */
const orr_verify_rule *orr_verify_rules(void);

/* Something that is not as it must be. */
typedef struct orr_finding {
    const char *rule;
    orr_time at;       /* ORR_TIME_NONE: at no time */
    char job[64];      /* "": no job's */
    char resource[64]; /* "node3:gpu2", "summary.json", "jobs.csv:17", "" */
    char text[256];
} orr_finding;

typedef struct orr_rule_count {
    const char *rule;
    uint64_t count;
} orr_rule_count;

typedef struct orr_verification {
    ORR_VEC(orr_finding) findings;  /* in the order found, at most 20 of a rule */
    ORR_VEC(orr_rule_count) broken; /* the rules that they break, with how often */
    orr_error cut;                  /* set: the log ends too early, and what is proved ends there */
    uint64_t records, bytes, jobs;  /* submitted */
    uint64_t grants, preemptions;
    int64_t nodes, gpus;
    orr_time end;
    char policy[256];
    /* of the files beside the log: what was compared; -1: there is none */
    int64_t metrics, job_rows, hold_rows;
    orr_text unproved; /* keys of the summary that this program doesn't recompute, blank between */
} orr_verification;

/* Files beside the log; NULL: not there, or not to be looked at. */
typedef struct orr_verify_beside {
    const char *summary, *jobs, *holds;
} orr_verify_beside;

/* What a path stands for: a log alone; a folder with a log, and the files beside it; or a folder of such folders. */
typedef struct orr_verify_target {
    const char *name, *log; /* name: as to be shown, the folder or the file */
    orr_verify_beside beside;
} orr_verify_target;

typedef struct orr_verify_targets {
    ORR_VEC(orr_verify_target) list; /* by name */
    orr_arena texts;
} orr_verify_targets;

/* Adds them. ORR_E_OPEN if there is nothing of this name, ORR_E_NOT_COMPARABLE for a folder without a log. */
orr_err orr_verify_find(const char *path, orr_verify_targets *targets, orr_error *e);
void orr_verify_targets_fini(orr_verify_targets *targets);

/* Reads `log` to its end and checks. An error is one of reading: ORR_E_TRUNCATED of a damaged log, ORR_E_OPEN,
 * ORR_E_FORMAT and ORR_E_SYNTAX of the files beside it; a log that is cut is no error but `out->cut`. `beside` may be
 * NULL. `out` is to be finished in any case. */
orr_err orr_verify_log(orr_log *log, const orr_verify_beside *beside, orr_verification *out, orr_error *e);
void orr_verification_fini(orr_verification *v);
static inline bool orr_verification_holds(const orr_verification *v)
{
    return v->findings.n == 0 && !v->cut.code;
}

#endif
