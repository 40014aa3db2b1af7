/* Runs a policy through the library and keeps all that was reported: for tests of any folder.
 *
 *     static const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 100},
 *                                    {.id = "B", .submit = 5, .gpus = 4, .duration = 20}};
 *     run *r = run_of(jobs, RUN_COUNT(jobs), "nodes=1,gpus=4", "fifo");
 *     run_ends(r, "A:100 B:120");
 *     run_free(r);
 *
 * Times in tables are seconds, in records nanoseconds. Whatever can't be built or loaded fails the test with the
 * library's own message; only a simulation's errors can be expected (`run_try`).
 */
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include <orrery/orrery.h>

#define RUN_COUNT(array) (sizeof(array) / sizeof *(array))

/* A job by hand; what is left zero is not stated (a gang of 0 GPUs is a CPU job). */
typedef struct run_job {
    const char *id;
    double submit;
    int32_t gpus;
    double duration;
    double limit, deadline; /* the deadline is absolute */
    const char *user, *name, *vc, *model;
    int32_t cpus;
    bool pinned;            /* must not be preempted */
    double attempts[4];     /* run one after the other, up to a 0; `duration` is their sum then */
    orr_ending ending;
    int32_t gib;            /* host memory */
    int32_t min_gpus, max_gpus; /* 0: its gang */
} run_job;

typedef struct run_record { /* what the sink was told of a job, by its rank in the trace */
    const char *id;         /* of the trace */
    uint32_t place;         /* as the n-th job to be reported, from 0: the order of ends */
    bool reported;
    orr_job_state state;
    orr_time submit, first_start, end; /* ORR_TIME_NONE: didn't happen */
    orr_time held, wait_total;         /* wait_total: end - submit - held; NONE for a job that didn't end */
    double service, overhead;
    int32_t starts, preemptions, migrations;
    const char *nodes;      /* of its last hold: "0:4;2:1", node and GPUs, nodes ascending; "" if it held none */
} run_record;

typedef struct run_hold { /* one interval of one job on one allocation, in the order in which they ended */
    uint32_t job;         /* its rank in the trace */
    orr_time start, end, overhead;
    int32_t gpus;
    orr_hold_end reason;
    const char *nodes;    /* as above */
} run_hold;

typedef struct run {
    run_record *jobs;
    size_t count;
    run_hold *holds;
    size_t hold_count;
    orr_sim_counts counts;
    orr_stop stop;
    orr_err code;         /* of creating or running; ORR_OK: it went well */
    orr_error error;
    orr_know used[ORR_Q_COUNT];
    const char *resolved; /* the policy with all its knobs */
    struct run_own *own;
} run;

/* ---- inputs; each fails the test rather than return NULL ---- */
orr_trace *run_trace(const run_job *jobs, size_t count);
orr_trace *run_trace_file(const char *path);
/* A file, a preset, "nodes=2,gpus=4"; or a list of nodes by their GPUs, each with a VC and a rack if wanted:
 * "4 4 8", "2@red 2@blue", "4/r0 4/r1". */
orr_cluster_spec *run_cluster(const char *text);
/* A seeded trace of orr_synth. */
orr_trace *run_synth(const orr_synth_options *options);

/* ---- running. `options` may be NULL; its `policy` is ignored ---- */
/* Must end well, with every job served or rejected. */
run *run_policy(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy,
                const orr_sim_options *options);
/* May fail: look at `code` and `error`. */
run *run_try(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy,
             const orr_sim_options *options);
/* From a table, in one call. */
run *run_of(const run_job *jobs, size_t count, const char *cluster, const char *policy);
run *run_of_with(const run_job *jobs, size_t count, const char *cluster, const char *policy,
                 const orr_sim_options *options);
void run_free(run *r);

/* ---- looking; times and means in seconds ---- */
const run_record *run_job_of(const run *r, const char *id); /* fails the test if there is none */
double run_end(const run *r, const char *id);
double run_start(const run *r, const char *id);
double run_mean_jct(const run *r);  /* over the jobs that ran to an end */
double run_mean_wait(const run *r); /* wait_total, likewise */
double run_makespan(const run *r);  /* last end - first submission */
uint64_t run_note(const run *r, const char *reason); /* how often the policy noted it */

/* ---- claims in one line; on failure the whole schedule is printed ---- */
/* "A:100 B:120.5": these jobs end then, to the nanosecond. */
void run_ends(const run *r, const char *expected);
void run_starts(const run *r, const char *expected);
/* "B:1 A:3": these were preempted so often, all others never. */
void run_preempted(const run *r, const char *expected);
/* All intervals of one job: "0-4@0:2 10-20@0:1;1:1 …" (start-end@nodes). */
void run_held(const run *r, const char *id, const char *expected);
/* The schedule, a line a job, to stdout. */
void run_print(const run *r);

/* ---- the data outside the tree ---- */
/* A path below $ORRERY_SHARED, else beside the sources. False where there is no such file. */
bool run_shared(char path[1024], const char *name);

#endif
