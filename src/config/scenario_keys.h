/* The keys of a scenario file: the tables, and the structs they fill. */
#ifndef ORR_CONFIG_SCENARIO_KEYS_H
#define ORR_CONFIG_SCENARIO_KEYS_H

#include "base/io.h"
#include "config/schema.h"

#include <orrery/scenario.h>

#define ORR_SCENARIO_SCHEMA "orrery.scenario/1"

typedef struct orr_scenario_file {
    const char *schema, *name;
    orr_time sleep, wake;
    const orr_yaml *events, *failures, *power, *early_stop;
    const char *recorded, *prices;
} orr_scenario_file;

/* Of an event and of failures: which nodes. */
typedef struct orr_which_entry {
    const orr_yaml *nodes;
    const char *vc, *type, *rack;
    int64_t count;
} orr_which_entry;

typedef struct orr_owned_entry { /* of a file of services */
    orr_which_entry which;
} orr_owned_entry;

typedef struct orr_event_entry {
    orr_time at;
    int32_t kind; /* orr_incident_kind */
    orr_which_entry which;
    const orr_yaml *gpus;
    orr_time lasts, notice;
    const char *job;
    double price, clock;
} orr_event_entry;

typedef struct orr_failures_entry {
    orr_which_entry which;
    int32_t of; /* node|gpu */
    orr_time mtbf, mttr;
    double shape, repair_shape;
} orr_failures_entry;

typedef struct orr_power_entry {
    double host, falling_asleep, asleep, waking;
    const orr_yaml *gpus, *clocks;
} orr_power_entry;

typedef struct orr_early_entry {
    int32_t rule; /* first|halving */
    double rung, eta;
    const char *quality;
} orr_early_entry;

extern const orr_keys orr_scenario_keys, orr_event_keys, orr_failures_keys, orr_power_keys, orr_gpu_power_keys,
    orr_clock_keys, orr_early_keys, orr_owned_keys;

/* All of them, for configs/README.md. */
void orr_scenario_keys_markdown(orr_text *out);

/* Reads a scenario from an open input; files that it names lie beside it, in `folder` ("": nowhere, they are
 * refused). */
orr_scenario *orr_scenario_read(orr_input *in, const char *folder, orr_error *e);

/* Borrows texts of the file. */
orr_which orr_which_of(const orr_which_entry *entry);
bool orr_which_says(const orr_which_entry *entry); /* some of it is stated */

/* scenario_tables.c: the tables that a scenario file may name. */
orr_err orr_scenario_read_recorded(orr_scenario *scenario, orr_input *in, orr_error *e);
orr_err orr_scenario_read_prices(orr_scenario *scenario, orr_input *in, orr_error *e);

#endif
