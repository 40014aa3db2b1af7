/* What is real about a run: clock, date, host, memory, and how long decisions take. It goes into objects named
 * `wall` and never into a result. */
#ifndef ORR_STUDY_WALL_H
#define ORR_STUDY_WALL_H

#include "base/mem.h"

double orr_wall_seconds(void); /* since some fixed moment */
#define ORR_WALL_CLASS 160
/* What kind of machine this is: architecture, model of the processor where it is known, cores. Times are comparable
 * between machines of one kind only. */
void orr_wall_class(char buf[ORR_WALL_CLASS]);

typedef struct orr_wall_place {
    char date[32]; /* "2025-11-30T12:00:00Z" */
    char host[256];
    int64_t max_rss_kib; /* of this process so far; -1: not known */
} orr_wall_place;
orr_wall_place orr_wall_here(void);

/* Durations of decisions, counted in classes that are at most 1/64 wide: memory doesn't grow with the run. */
typedef struct orr_wall_timing orr_wall_timing;
orr_wall_timing *orr_wall_timing_create(void);
void orr_wall_timing_destroy(orr_wall_timing *timing);
/* An orr_sim_options.on_decision whose self is a timing. */
void orr_wall_timing_mark(void *self, bool begins);
/* p50, p99 (within 1/64) and max in microseconds, -1 each if nothing was timed. */
void orr_wall_timing_sum_up(const orr_wall_timing *timing, double us[3]);
/* Counts one duration, as `mark` does. */
void orr_wall_timing_add(orr_wall_timing *timing, uint64_t ns);

#endif
