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

typedef struct orr_knob {
    const char *name; /* NULL ends a table */
    orr_knob_type type;
    uint32_t offset;        /* offsetof(settings struct, member) */
    const char *fallback;   /* the default, as a user would write it; NULL: required */
    const char *values;     /* CHOICE: "block|skip"; INT, NUMBER, TIME, LIST: a range "low..high", ends included; NULL: any */
    const char *doc;        /* one line */
} orr_knob;

/* A named bundle of settings: "hol=skip,thresholds=3250/7200". */
typedef struct orr_preset {
    const char *name; /* NULL ends a table */
    const char *settings;
    const char *doc;
} orr_preset;

#endif
