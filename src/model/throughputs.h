/* Inside a throughput table (include/orrery/throughputs.h): making one, and asking it.
 *
 * A pair (model, GPUs of the gang) is one `job` here, numbered from 0 in order of first mention; so are the types,
 * whose names are compared without case. Speeds are steps/s of the whole gang: 0 means that it can't run so, be it for
 * want of memory, or because nobody measured it. Texts live as long as the table.
 */
#ifndef ORR_MODEL_THROUGHPUTS_H
#define ORR_MODEL_THROUGHPUTS_H

#include "base/io.h"

#include <orrery/throughputs.h>

/* ---- making one: types and jobs, their speeds, and then `settle` ---- */
orr_throughputs *orr_throughputs_create(void);
/* The number of a type or job, added if it is new. A type named X_unconsolidated is X, *spread over nodes. */
int32_t orr_throughputs_add_type(orr_throughputs *table, const char *name, bool *spread);
int32_t orr_throughputs_add_job(orr_throughputs *table, const char *model, size_t length, int64_t gpus);
/* What may stand once; `line` is told where it stands twice. */
void orr_throughputs_add(orr_throughputs *table, int32_t type, bool spread, int32_t job, double speed, int line);
/* Of two jobs on the same GPUs, `speeds[0]` is that of `job`. Both orders may be there, and needn't agree. */
void orr_throughputs_add_pair(orr_throughputs *table, int32_t type, bool spread, int32_t job, int32_t other,
                              const double speeds[2], int line);
/* ORR_E_SYNTAX: something stands twice; ORR_E_EMPTY; ORR_E_BAD_VALUE: more types than a cluster can have. */
orr_err orr_throughputs_settle(orr_throughputs *table, orr_error *e);

/* ---- reading one ---- */
/* The whole input, JSON or CSV; NULL and `e` on failure: ORR_E_SYNTAX for what is no such table or says something
 * twice, ORR_E_NUMBER for a speed that is none or negative, ORR_E_ENCODING, and what tables with columns can have. */
orr_throughputs *orr_throughputs_read(orr_input *in, orr_error *e);
/* Into a new table, which `read` settles. throughputs_json.c, throughputs_csv.c. */
orr_err orr_throughputs_read_json(orr_throughputs *table, orr_input *in, orr_error *e);
orr_err orr_throughputs_read_csv(orr_throughputs *table, orr_input *in, orr_error *e);
void orr_throughputs_set_source(orr_throughputs *table, const char *name, const char hex[65]);

/* Does the file that such a text names look like a table? src/config/throughputs.c. */
bool orr_throughputs_told(const char *text);

/* ---- settings ---- */
/* The type on which all durations are stated. ORR_E_BAD_VALUE: the table doesn't have it. */
orr_err orr_throughputs_refer(orr_throughputs *table, const char *type, orr_error *e);
void orr_throughputs_ignore_spread(orr_throughputs *table);
void orr_throughputs_ignore_pairs(orr_throughputs *table);
int32_t orr_throughputs_referred(const orr_throughputs *table);  /* as set by that; -1: it wasn't */
int32_t orr_throughputs_reference(const orr_throughputs *table); /* else v100, else the first type */
bool orr_throughputs_uses_spread(const orr_throughputs *table);
bool orr_throughputs_uses_pairs(const orr_throughputs *table); /* false, too, where it has none */

/* ---- asking ---- */
int32_t orr_throughputs_types(const orr_throughputs *table);
const char *orr_throughputs_type_name(const orr_throughputs *table, int32_t type);
int32_t orr_throughputs_jobs(const orr_throughputs *table);
const char *orr_throughputs_model(const orr_throughputs *table, int32_t job, int64_t *gpus);
/* A type by its name, a job by model and GPUs; -1: the table has none. O(types); O(gang sizes of the model). */
int32_t orr_throughputs_type(const orr_throughputs *table, const char *name);
int32_t orr_throughputs_job(const orr_throughputs *table, const char *model, int64_t gpus);
/* The model's job of this size; -1: none. And the one of the size next to it: the largest below, else the least above;
 * -1: the table doesn't know the model. */
int32_t orr_throughputs_sized(const orr_throughputs *table, int32_t job, int64_t gpus);
int32_t orr_throughputs_near(const orr_throughputs *table, const char *model, int64_t gpus);
/* Steps/s alone, on one node or spread over several; 0: can't run so; -1: the table doesn't say. O(1). */
double orr_throughputs_alone(const orr_throughputs *table, int32_t type, int32_t job);
double orr_throughputs_spread(const orr_throughputs *table, int32_t type, int32_t job);
/* Steps/s of both when they share the same GPUs of one node; false if the table doesn't say. This is the entry under
 * `job`. O(log pairs of the job). */
bool orr_throughputs_pair(const orr_throughputs *table, int32_t type, int32_t job, int32_t other, double speeds[2]);
/* Those that have an entry under `job`, by number: calls `each`. */
void orr_throughputs_each_pair(const orr_throughputs *table, int32_t type, int32_t job,
                               void (*each)(void *self, int32_t other, const double speeds[2]), void *self);

#endif
