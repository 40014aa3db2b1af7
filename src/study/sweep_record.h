/* sweep.json, schema "orrery.sweep-run/1": what a folder of cells is the result of. It holds the plan as it was
 * written, so that shards can be joined and tables made without the file, and a digest of all that decides the cells:
 * the axes, the base, what is left out, the inputs' contents, the version of the program. Metrics that are keys,
 * baseline, repeats and name decide nothing there: they may change between two calls.
 */
#ifndef ORR_STUDY_SWEEP_RECORD_H
#define ORR_STUDY_SWEEP_RECORD_H

#include "study/grid.h"
#include <cjson/cJSON.h>

#define ORR_SWEEP_RECORD "sweep.json"

typedef struct orr_sweep_input {
    char *path;
    char digest[65];
} orr_sweep_input;

typedef ORR_VEC(orr_sweep_input) orr_sweep_inputs;

/* Adds a file, once. O(inputs). */
void orr_sweep_inputs_add(orr_sweep_inputs *inputs, const char *path, const char *digest);
void orr_sweep_inputs_fini(orr_sweep_inputs *inputs);

/* The document; `shards` 0: it isn't a shard. To be freed by cJSON_Delete. */
cJSON *orr_sweep_record_make(const orr_sweep_plan *plan, const orr_sweep_inputs *inputs, size_t shard, size_t shards);
/* {"policy": "fifo", "seed": 1}: the values of a cell. */
cJSON *orr_sweep_axes_json(const orr_sweep_plan *plan, const uint32_t at[ORR_SWEEP_AXES]);

/* NULL and `e`: ORR_E_OPEN, ORR_E_FORMAT, ORR_E_VERSION. */
cJSON *orr_sweep_record_read(const char *dir, orr_error *e);
bool orr_sweep_record_exists(const char *dir);
orr_err orr_sweep_record_write(const char *dir, const cJSON *record, orr_error *e);

/* "" where the member is missing. */
const char *orr_sweep_record_digest(const cJSON *record);
const char *orr_sweep_record_source(const cJSON *record);
/* The shard of the record; 0, 0: the whole. */
void orr_sweep_record_shard(const cJSON *record, size_t *shard, size_t *shards);
/* ORR_OK if both have the same digest and the same shard; else ORR_E_NOT_COMPARABLE and what differs. */
orr_err orr_sweep_record_match(const char *dir, const cJSON *there, const cJSON *wanted, orr_error *e);

#endif
