/* A folder for files, and one small finished run that the writers tell of. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "../metrics/feed.h"
#include "report/report.h"

/* A path of this name in a new folder; `sample_clean` removes both. */
const char *sample_path(const char *name);
/* The whole file as text; fails the test if there is none. Freed by the caller. */
char *sample_read(const char *path);
bool sample_exists(const char *path);
void sample_clean(void);

/* Fails with both texts unless the file holds exactly `want`. */
void sample_assert_file(const char *path, const char *want);

/* Three jobs on 4 GPUs: A ran 0..20, B 20..30, C still waits at the stop, 30; and everything around them. */
typedef struct sample {
    orr_trace *trace;
    orr_cluster_spec *cluster;
    orr_sim_options options;
    orr_collector *collector;
    feed_job jobs[3];
    orr_report_run run;
} sample;

void sample_init(sample *s);
void sample_fini(sample *s);

#endif
