/* Pods that arrive one by one and stay, placed or turned away: the experiments of the public FGD simulator. */
#ifndef TESTS_GOLDEN_FGD_H
#define TESTS_GOLDEN_FGD_H

#include "compare.h"

/* Sanitizers make runs ten times slower. */
#if defined(__SANITIZE_ADDRESS__)
#define FGD_SLOW true
#elif defined(__has_feature)
#define FGD_SLOW __has_feature(address_sanitizer)
#else
#define FGD_SLOW false
#endif

typedef struct fgd_world {
    orr_trace *trace;      /* pod `seq` comes at second `seq` and outlasts the run */
    orr_cluster_spec *cluster;
    size_t pods;
    char typical[64];      /* a trace file: what the jobs to come ask for */
    const char *part;      /* of those, as the placer's knob */
} fgd_world;

typedef struct fgd_placed { /* by pod */
    int32_t node; /* -1: turned away */
    int32_t milli;
    uint64_t gpus;
} fgd_placed;

typedef struct fgd_run {
    fgd_placed *pods;
    orr_sim_counts counts;
    int64_t used; /* thousandths of a GPU, in the end */
} fgd_run;

/* Tables as the goldens have them, nodes perhaps NULL; `jobs`: pods that tell what jobs will ask for, of which those of
 * the most frequent kinds that make up `part` count. */
fgd_world *fgd_open(const table *pods, const table *nodes, const table *jobs, const char *part);
void fgd_close(fgd_world *w);
/* "FGD", "BestFit", "DotProd", "GpuPacking", "GpuClustering", "Random". */
fgd_run *fgd_go(const fgd_world *w, const char *policy, uint64_t seed);
void fgd_done(fgd_run *r);

/* Rows that differ; the first is described on stdout. */
size_t fgd_placements_differ(const fgd_world *w, const fgd_run *r, const table *theirs);
/* `abs`: what numbers may differ by. */
size_t fgd_series_differ(const fgd_world *w, const fgd_run *r, const table *theirs, double abs);
size_t fgd_typical_differ(const fgd_world *w, const table *theirs, double abs);

/* A row of ours/manifest.csv: c->trace and c->cluster are its inputs, the nodes and the pods, in this order; for the jobs to
 * come the pods alone. How many rows differ. */
size_t fgd_differ(const golden_case *c);
/* Runs one of the published traces ("default") under all policies that leave nothing to chance, and fails the test on the
 * first difference in a placement, the series or the jobs to come. Skips where the data are absent. */
void fgd_trace_is_theirs(const char *trace);

#endif
