/* Knobs: the settings a module declares. The table generates the help, the validation of command line and files, the
 * completion and the manifest; a module never parses text itself.
 *
 * A knob names a member of the module's own settings struct by its offset. The engine allocates that struct zeroed,
 * writes every default, then the preset's settings, then the user's, and hands it over typed (`orr_knobs`).
 */
#ifndef ORRERY_KNOB_H
#define ORRERY_KNOB_H

#include <orrery/time.h>

typedef enum orr_knob_type {
    ORR_KNOB_BOOL,   /* bool;     on off yes no true false */
    ORR_KNOB_INT,    /* int64_t */
    ORR_KNOB_NUMBER, /* double;   "inf" is taken */
    ORR_KNOB_TIME,   /* orr_time; a duration with a unit, plain numbers are seconds, "inf" = ORR_TIME_MAX */
    ORR_KNOB_CHOICE, /* int32_t;  index into `values` */
    ORR_KNOB_LIST,   /* orr_list_of_numbers; written with '/' between: 3250/7200 */
    ORR_KNOB_SAMPLES,/* orr_samples; a file of numbers, one a line after an optional header */
    ORR_KNOB_TEXT,   /* const char *; never NULL */
    ORR_KNOB_ASKS,   /* orr_asks; a trace: what its jobs ask for */
} orr_knob_type;

#define ORR_LIST_MAX 16
typedef struct orr_list_of_numbers {
    int32_t count;
    double at[ORR_LIST_MAX];
} orr_list_of_numbers;

/* Samples read from a file, ascending; owned by the module instance. count 0: no file was given. */
typedef struct orr_samples {
    size_t count;
    const double *at;
    const char *path;
} orr_samples;

/* A kind of request: all jobs that ask for the same. */
typedef struct orr_ask {
    int64_t cpu_milli;    /* thousandths of a core, of the whole job */
    int32_t gpus, milli;  /* milli: thousandths of each of its GPUs; 0 where it has none */
    const char *gpu_type; /* types that it may run on, joined by |; "": any */
    double count;         /* how many jobs ask so */
} orr_ask;

/* The kinds of request in a trace, most frequent first; jobs that never ran and jobs without GPUs count, too. Owned by
 * the module instance. count 0: no file was given. */
typedef struct orr_asks {
    size_t count;
    const orr_ask *at;
    const char *path;
} orr_asks;

typedef struct orr_knob {
    const char *name; /* NULL ends a table */
    orr_knob_type type;
    uint32_t offset;        /* offsetof(settings struct, member) */
    const char *fallback;   /* the default, as a user would write it; NULL: required */
    /* CHOICE: "block|skip"; INT, NUMBER, TIME, LIST: a range "low..high", ends included; NULL: any */
    const char *values;
    const char *doc;        /* one line */
} orr_knob;

/* A named bundle of settings: "hol=skip,thresholds=3250/7200". */
typedef struct orr_preset {
    const char *name; /* NULL ends a table */
    const char *settings;
    const char *doc;
} orr_preset;

#endif
