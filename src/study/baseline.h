/* A baseline: what the runs of some cases are known to give, as a file that people read and review, schema
 * "orrery.baseline/1". `orrery check` runs the cases and compares; baseline_update.h rewrites the expectations.
 *
 *     schema: orrery.baseline/1
 *     base: {trace: traces/philly-2k.csv, cluster: 8x8-v100}  keys that all cases share
 *     tolerances: {jct.*: rel 0.5%}                           tolerance.h; also in a case, and in a single expectation
 *     cases:
 *       - name: srtf
 *         policy: srtf                                         any key of case.h, or of the tables in baseline.c
 *         seeds: [1, 2]                                        else the case's one seed
 *         inputs: {trace: 93c7…, cluster: 10f4…}                 SHA-256 of what was read
 *         expect:
 *           jct.mean: [12291.1, 12290.8]                         a number a seed; null is undefined
 *           gpu_alloc: {value: [0.65, 0.66], tolerance: abs 0.01}
 *           p95(jct where gpus >= 8): {value: …, better: lower}   of an expression of metrics/expr.h
 *           jct.mean@vision: …                                   of one virtual cluster
 *         wall: {run_s: 0.21, class: "x86_64, …"}              real time, compared where --wall asks for it
 *     updates:
 *       - {date: 2025-11-30, commit: 1c69f5a…, reason: "why the numbers moved"}
 *
 * Keys of expectations are those of numbers.h. Paths are relative to the working folder.
 */
#ifndef ORR_STUDY_BASELINE_H
#define ORR_STUDY_BASELINE_H

#include "study/case.h"
#include "study/experiment.h"
#include "study/tolerance.h"

#define ORR_BASELINE_SCHEMA "orrery.baseline/1"
#define ORR_WALL_RUN "wall.run_s" /* its key among the numbers */

typedef struct orr_expected {
    const char *key;
    const orr_yaml *at; /* the member of `expect` */
    const orr_yaml *value; /* the number or the list: `at` or inside it */
    double *values; /* NaN where undefined */
    size_t n;       /* 1, or as many as seeds; anything else can't be compared */
    orr_tolerance tolerance; /* of its own */
    orr_direction direction;
} orr_expected;

typedef struct orr_baseline_input {
    const char *name; /* "trace", "cluster", or the path of another file */
    const char *digest;
    const orr_yaml *at;
} orr_baseline_input;

typedef struct orr_baseline_case {
    const char *name;
    const orr_yaml *at;       /* the element of `cases` */
    const orr_yaml *expect_at, *inputs_at; /* NULL: absent */
    orr_case setup;           /* its seed is that of the first run */
    ORR_VEC(uint64_t) seeds;  /* one at least */
    ORR_VEC(orr_expected) expect;
    ORR_VEC(orr_baseline_input) inputs;
    orr_tolerances tolerances;
    orr_expected wall;        /* time that its runs took, s, one after the other; key NULL: none is kept */
    const char *wall_class;   /* the kind of machine that it was taken on */
    const orr_yaml *wall_class_at;
} orr_baseline_case;

typedef struct orr_baseline {
    orr_yaml_doc doc;
    char *text; /* the file as read */
    size_t size;
    orr_arena arena;
    ORR_VEC(orr_experiment *) experiments; /* files that cases name */
    orr_tolerances tolerances;
    const char *reference;     /* folder of reference logs; "" : none */
    ORR_VEC(const char *) metrics; /* what an update expects of a case that expects nothing yet */
    ORR_VEC(orr_baseline_case) cases;
    const orr_yaml *updates;   /* NULL: absent */
} orr_baseline;

/* Reads and checks the file, not what it names, but for experiment files. ORR_E_VERSION for a newer schema; else errors
 * at their place. `path` is borrowed. Zeroed memory is an empty baseline; `fini` is due either way. */
orr_err orr_baseline_read(orr_baseline *b, const char *path, orr_error *e);
/* The same for a text in memory. */
orr_err orr_baseline_parse(orr_baseline *b, const char *file, const char *text, size_t size, orr_error *e);
void orr_baseline_fini(orr_baseline *b);

/* What holds for this expectation, from the nearest level that says anything; `counts`: a whole number that counts. */
orr_tolerance orr_baseline_tolerance(const orr_baseline *b, const orr_baseline_case *c, const orr_expected *x,
                                     bool counts);
/* The tables of keys as Markdown, for configs/README.md. */
void orr_baseline_keys_markdown(orr_text *out);

#endif
