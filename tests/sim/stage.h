/* A stage for one simulation whose policy does what the test says, and that keeps everything that was reported.
 *
 *     stage *s = stage_create("nodes=1,gpus=2");
 *     stage_add(s, stage_job("A", 0, 2, 10));
 *     stage_script(s, "0 A@0:3; 4 A-; 6 A@0:3");   A on both GPUs, off at 4, on again at 6
 *     stage_run(s);
 *     stage_held(s, "A", "0-4/3 preempted, 6-12/3 done");
 *     stage_destroy(s);
 *
 * A script is a list of steps "TIME JOB ACTION" in the order of time, separated by ';'. Actions: `@NODE:MASK[@NODE:MASK…]`
 * assigns these GPUs (`MASK/MILLI`: so much of each), `+` starts by the placer, `-` preempts, `!` kills, `?` rejects. Masks are decimal or 0x….
 * Other policies: give `s->options.policy` a name, or a descriptor of the test's own to stage_policy. Times are seconds.
 */
#ifndef TESTS_SIM_STAGE_H
#define TESTS_SIM_STAGE_H

#include <orrery/orrery.h>

typedef struct stage_record {
    char id[32], reason[32];
    orr_job_state state;
    orr_time submit, first_start, end, held;
    double service, overhead, lost_work;
    int32_t starts, preemptions, migrations, resizes, attempts;
} stage_record;

typedef struct stage_hold {
    uint32_t job; /* rank in the trace */
    orr_time start, end, overhead;
    int32_t gpus, slice_count;
    orr_slice slices[16];
    orr_hold_end reason;
} stage_hold;

typedef struct stage {
    orr_trace *trace;
    orr_cluster_spec *cluster;
    orr_registry *registry;
    orr_sim_options options;
    orr_sim *sim;
    char *policy_text;
    stage_record *records; /* in the order in which they were reported */
    stage_hold *holds;
    size_t record_count, hold_count, record_room, hold_room;
    orr_sink also; /* hears of the run as well; nothing in it: nobody does */
    struct orr_fanout *both; /* the stage's own */
    bool no_holds; /* set it where there would be millions */
    orr_levels last; /* of the whole cluster */
    uint64_t levels_count;
    orr_err code;
    orr_error error;
    orr_sim_counts counts;
    orr_stop stop;
} stage;

stage *stage_create(const char *cluster);
/* Takes the spec over. */
stage *stage_on(orr_cluster_spec *cluster);
void stage_destroy(stage *s);

orr_trace_job stage_job(const char *id, double submit, int32_t gpus, double duration);
void stage_add(stage *s, orr_trace_job job);
void stage_script(stage *s, const char *script);
/* Registers the descriptor as "test" and chooses it. */
void stage_policy(stage *s, const orr_policy *descriptor);
void stage_order(stage *s, const orr_order *descriptor);

/* Makes the simulation; ORR_OK or its error, which is kept in `error`. */
orr_err stage_open(stage *s);
/* Opens it if need be and runs it to its end. stage_run must end well, and not leave anything. */
orr_err stage_try(stage *s);
void stage_run(stage *s);

const stage_record *stage_of(const stage *s, const char *id);
/* "0-4/3 preempted, 6-12/3 done": start-end/GPUs and why it ended, of each hold of the job. For GPUs of several nodes and masks
 * see `holds`. */
void stage_held(const stage *s, const char *id, const char *expected);
void stage_ends(const stage *s, const char *expected); /* "A:10 B:12.5" */
/* submitted = done + failed + killed + rejected + running + queued, and every job was reported once. */
void stage_conserves(const stage *s);
/* Does it decide every so often, and not when something happens? */
bool stage_has_rounds(const char *policy);
/* All that was reported as one text, for comparing runs; to be freed. */
char *stage_story(const stage *s);

#endif
