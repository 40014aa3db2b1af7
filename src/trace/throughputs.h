/* Throughput tables as the Gavel simulator keeps them: how many steps a second a job makes on a GPU type, alone or side
 * by side with another job on the same GPUs.
 *
 * The file is a JSON object: GPU type -> job -> "null" or another job -> steps/s. A job is named by a Python pair as
 * text, `('ResNet-18 (batch size 16)', 1)`: the model and the GPUs of the gang; a plain text is a model on one GPU.
 * Under "null" stands the speed alone, a number; under another job a list of two, the own speed and the other's. Speeds
 * are those of the whole gang. 0 means that it can't run so: it doesn't fit into memory, or nobody measured it.
 *
 * A pair (model, GPUs) is one `job` here, numbered from 0 in order of first mention; so are the types. Texts live as
 * long as the table, which never changes once read. Lookups are O(log n).
 */
#ifndef ORR_TRACE_THROUGHPUTS_H
#define ORR_TRACE_THROUGHPUTS_H

#include "base/io.h"

typedef struct orr_throughputs orr_throughputs;

/* The whole input; NULL and `e` on failure: ORR_E_SYNTAX for what is no such table (with its line where the JSON itself
 * is broken) or says something twice, ORR_E_NUMBER for a speed that is none or negative, ORR_E_ENCODING. */
orr_throughputs *orr_throughputs_read(orr_input *in, orr_error *e);
void orr_throughputs_destroy(orr_throughputs *table);

/* A type by its name, a job by model and GPUs, all exactly as they stand there; -1: the table has none. */
int32_t orr_throughputs_type(const orr_throughputs *table, const char *name);
int32_t orr_throughputs_job(const orr_throughputs *table, const char *model, int64_t gpus);

/* Steps/s alone; 0: can't run there; -1: the table doesn't say. */
double orr_throughputs_alone(const orr_throughputs *table, int32_t type, int32_t job);
/* Steps/s of both when they share the same GPUs; false if the table doesn't say. Both orders may be in it, and needn't
 * agree: this is the entry under `job`. */
bool orr_throughputs_pair(const orr_throughputs *table, int32_t type, int32_t job, int32_t other, double speeds[2]);

int32_t orr_throughputs_types(const orr_throughputs *table);
const char *orr_throughputs_type_name(const orr_throughputs *table, int32_t type);
int32_t orr_throughputs_jobs(const orr_throughputs *table);
const char *orr_throughputs_model(const orr_throughputs *table, int32_t job, int64_t *gpus);

#endif
