/* The plan of a sweep: the axes of a grid, the combinations left out, and what is asked of the results.
 *
 * A cell is one combination that isn't left out: one value of each axis, and with the keys of the base one case. Cells
 * are numbered from 1 in the order of nested loops over the axes as they stand in the file, the last one innermost. A
 * configuration is what the cells have in common that differ in the repeats alone.
 *
 * Reading costs O(combinations), a cell O(axes); nothing grows with the square of anything.
 */
#ifndef ORR_STUDY_GRID_H
#define ORR_STUDY_GRID_H

#include "study/claim.h"

#define ORR_SWEEP_SCHEMA "orrery.sweep/1"
#define ORR_SWEEP_AXES 16         /* at most */
#define ORR_SWEEP_CELLS 100000000 /* combinations at most */

typedef struct orr_axis_value {
    const char *text;   /* as an option of `run` would take it; distinct within an axis */
    const orr_yaml *at; /* where it was written */
} orr_axis_value;

typedef struct orr_axis {
    const char *key; /* of a case */
    ORR_VEC(orr_axis_value) values;
    orr_names *texts; /* of the values: ids are indices */
} orr_axis;

typedef struct orr_sweep_metric {
    const char *text;     /* a key of a summary (numbers.h), or an expression over the job table (metrics/expr.h) */
    bool expression;      /* not a key: every cell is asked for it */
    orr_direction better; /* TARGET: nobody wins by it */
} orr_sweep_metric;

typedef struct orr_sweep_plan {
    orr_yaml_doc doc;
    orr_arena arena;
    const char *source; /* the text that was read, kept whole */
    size_t source_size;
    const char *name;      /* "" if none was given */
    const orr_yaml *base;  /* its map; NULL: none */
    const orr_yaml *synth; /* the map of a workload that is drawn for each seed; NULL: the case names a trace */
    orr_claim_synth drawn; /* what it says */
    uint64_t seed;         /* the base's, for whatever the statistics draw */
    ORR_VEC(orr_axis) axes;
    size_t repeats; /* the axis whose values are repeats; axes.n: there is none */
    bool has_baseline;
    bool compared[ORR_SWEEP_AXES];     /* axes that the baseline names, or else the policies' */
    uint32_t baseline[ORR_SWEEP_AXES]; /* the baseline's value on them */
    ORR_VEC(orr_sweep_metric) metrics;
    size_t cells, combinations;
    uint32_t *kept; /* the combination of each cell; NULL: all are kept */
} orr_sweep_plan;

/* Reads and checks a plan: ORR_E_SYNTAX, ORR_E_UNKNOWN_KEY, ORR_E_VERSION and what orr_case_set finds, each at its
 * place. `file` is borrowed, the text copied. NULL and `e` on failure. */
orr_sweep_plan *orr_sweep_plan_read(const char *file, const char *data, size_t size, orr_error *e);
void orr_sweep_plan_destroy(orr_sweep_plan *plan); /* takes NULL */

/* The value of each axis of a cell (1..cells), as indices. */
void orr_sweep_cell(const orr_sweep_plan *plan, size_t cell, uint32_t at[ORR_SWEEP_AXES]);
/* The cell of these values; 0: it is left out. O(log cells). */
size_t orr_sweep_find(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES]);
/* The case of these values; texts it has to make go to `arena`. Fails only as orr_case_set does, at the value's
 * place. */
orr_err orr_sweep_case(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES], orr_arena *arena, orr_case *out,
                       orr_error *e);
const char *orr_sweep_value(const orr_sweep_plan *plan, size_t axis, const uint32_t at[ORR_SWEEP_AXES]);
/* The axis of this key; axes.n: none. */
size_t orr_sweep_axis(const orr_sweep_plan *plan, const char *key);

/* The plan's keys as Markdown, for configs/README.md. */
void orr_sweep_keys_markdown(orr_text *out);

#endif
